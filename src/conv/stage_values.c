// Where the lines of a stage lie, and how single values are loaded and stored, as functions that the kernels of both shapes use.
//
// Line numbers count (vector, row, line above, line beside) in C order. Element e of a line is at position
//     begin + e REST,  begin = the column of the line + the start of its vector's block,
// along the digit's axis, where the digit is the axis' first.
#include "stage_text.h"

#include <stdio.h>

static const mst_padded_axis *axis_of(const mst_stage *s) { return &s->g->axes[s->g->digits[s->digit].axis]; }

static const mst_layout *layout_of(const mst_stage *s, int port) { return mst_convolution_layout(s->plan, s->ports[port].array); }

static int reversal_of(const mst_stage *s, int port, const mst_padded_axis *a) {
    return s->ports[port].array == Y ? a->reversal : 0;
}

// Where row r of an image of the caller's begins, or plane r of a volume: `what`.
static void write_row(const mst_stage *s, int port, bool own, const char *what, const mst_padded_axis *a, mst_text *out) {
    const mst_layout *layout = layout_of(s, port), packed = mst_layout_dense(layout->type, layout->rank, layout->shape);
    const mst_text_value values[] = {MST_SET(name, mst_stage_port_name(s, port)),
                                     MST_SET(what, what),
                                     MST_SET(length, layout->shape[a->axis]),
                                     MST_SET(last, layout->shape[a->axis] - 1),
                                     MST_SET(stride, (long long)(own ? layout : &packed)->strides[a->axis]),
                                     {0}};
    mst_text_put_values(out, "long ${name}_$what(long r) {\n", values);
    if (s->ports[port].array == X && a->periodic)
        mst_text_put_values(out, "r = (r + 1) % $length; // x goes round\n", values);
    if (reversal_of(s, port, a) == 1)
        mst_text_put_values(out, "r = $last - r; // correlation reverses y\n", values);
    else if (reversal_of(s, port, a) == 2)
        mst_text_put_values(out, "r = r > 0 ? $length - r : 0; // correlation reverses y, which goes round\n", values);
    mst_text_put_values(out, "return r * $stride;\n}\n\n", values);
}

// The row of the array that a line of a block is in.
static void write_block_row(const mst_stage *s, int port, const char *around, mst_text *out) {
    const mst_axis_blocks *rows = &s->g->blocks[0];
    char row[160];
    snprintf(row, sizeof row, "(long)(line %% LINES / ROW_LINES + line / LINES %% BLOCKS / %zuu * %zuu) + (%lld)",
             s->g->blocks[1].count, rows->step, s->ports[port].array == Z ? 0 : (long long)rows->offset);
    mst_text_put(out, around, MST_SET(name, mst_stage_port_name(s, port)), MST_SET(row, (const char *)row));
}

// long NAME_at(line, first): where element 0 of a line's vector lies in the array, whose part that is here begins with vector
// `first`.
static void write_array_place(const mst_stage *s, int port, bool own, size_t blocks, mst_text *out) {
    const char *name = mst_stage_port_name(s, port);
    mst_view view = mst_stage_view(s, s->ports[port].array, own);
    mst_view_write(&view, name, out);
    const bool planes = s->g->n_axes > 2;
    if (s->g->n_axes > 1)
        write_row(s, port, own, "row", &s->g->axes[s->g->n_axes - 2], out);
    if (planes)
        write_row(s, port, own, "plane", &s->g->axes[0], out);
    mst_text_put(out,
                 "// Where element 0 of the vector lies that a line of $name belongs to.\n"
                 "long ${name}_at(ulong line, ulong first) {\n",
                 MST_SET(name, name));
    mst_text_put(out, s->g->n_axes > 1 ? "const ulong vector = line / LINES, l = line % LINES;\n"
                                       : "const ulong vector = line / LINES;\n");
    mst_text_put(out, blocks > 1 ? "return ${name}_outer(first + vector / BLOCKS)" : "return ${name}_outer(first + vector)",
                 MST_SET(name, name));
    if (s->g->n_axes > 1 && blocks > 1)
        write_block_row(s, port, " + ${name}_row($row)", out);
    else if (planes)
        mst_text_put(out, " + ${name}_plane((long)(l / ROW_LINES / $rows)) + ${name}_row((long)(l / ROW_LINES % $rows))",
                     MST_SET(name, name), MST_SET(rows, s->rows));
    else if (s->g->n_axes > 1)
        mst_text_put(out, " + ${name}_row((long)(l / ROW_LINES))", MST_SET(name, name));
    mst_text_put(out, ";\n}\n\n");
}

// The vector of work memory that belongs to `vector` of the result. A spectrum that is kept serves several of those.
static const char *work_vector(const mst_stage *s, int port) {
    const mst_stage_port *p = &s->ports[port];
    if (s->kind != MST_STAGE_FUSED || !p->kept)
        return "vector";
    bool one = mst_stage_one(s->plan, p->array), has_blocks = mst_stage_blocks(s->g, p->array) > 1;
    if (one)
        return has_blocks ? "(vector % BLOCKS)" : "0";
    return has_blocks ? "vector" : "(vector / BLOCKS)";
}

// The same in work memory.
static void write_work_place(const mst_stage *s, int port, mst_text *out) {
    mst_text_put(out,
                 "// Where element 0 of a line of $name lies in work memory.\n"
                 "long ${name}_at(ulong line, ulong first) {\n"
                 "const ulong vector = line / LINES, l = line % LINES;\n"
                 "return (long)$vector * POINTS",
                 MST_SET(name, mst_stage_port_name(s, port)), MST_SET(vector, work_vector(s, port)));
    if (s->planes > 1 || s->first_plane > 0)
        mst_text_put(out,
                     " + ((long)(l / ROW_LINES / ROWS + $plane) * PLANE_ROWS + (long)(l / ROW_LINES % ROWS + $row)) * ROW_POINTS",
                     MST_SET(plane, s->first_plane), MST_SET(row, s->first_row));
    else if (s->g->n_axes > 1)
        mst_text_put(
            out, s->first_row ? " + (long)(l / ROW_LINES + $first_row) * ROW_POINTS" : " + (long)(l / ROW_LINES) * ROW_POINTS",
            MST_SET(first_row, s->first_row));
    mst_text_put(out, " + (long)(l / INNER % BEFORE) * SPAN + (long)(l % INNER);\n"
                      "}\n\n");
}

// Overlap-save: from the start of the block on. Lines of rows that are not there lie beyond what is.
static void write_block_start(const mst_stage *s, int port, mst_text *out) {
    const mst_geometry *g = s->g;
    int array = s->ports[port].array;
    const mst_axis_blocks *blocks = &g->blocks[g->n_axes - 1];
    const mst_padded_axis *a = &g->axes[g->n_axes - 1];
    mst_text_put(
        out, "begin += (position)(line / LINES % ${count}u) * $step + ($offset); // overlap-save: the start of the block\n",
        MST_SET(count, blocks->count), MST_SET(step, blocks->step), MST_SET(offset, array == Z ? 0 : (long long)blocks->offset));
    if (g->n_axes == 1)
        return;
    write_block_row(s, port, "const long row = $row;\n", out);
    mst_text_put(out,
                 "if (row < 0 || row >= $rows)\n"
                 "begin = (position)(line % INNER / COLUMN) + $end;\n",
                 MST_SET(rows, mst_convolution_layout(s->plan, array)->shape[g->axes[0].axis]),
                 MST_SET(end, array == Z ? a->kept : a->extent[array]));
}

static void write_place(const mst_stage *s, int port, bool own, mst_text *out) {
    const mst_stage_port *p = &s->ports[port];
    const mst_geometry *g = s->g;
    size_t blocks = s->kind == MST_STAGE_FORWARD ? mst_stage_blocks(g, p->array) : g->n_blocks;
    const char *name = mst_stage_port_name(s, port);
    if (p->work)
        write_work_place(s, port, out);
    else
        write_array_place(s, port, own, blocks, out);
    mst_text_put(out,
                 "// The position of that element along the axis.\n"
                 "position ${name}_begin(ulong line) {\n"
                 "position begin = (position)(line % INNER / COLUMN);\n",
                 MST_SET(name, name));
    if (!p->work && blocks > 1 && (p->array == g->blocked || p->array == Z))
        write_block_start(s, port, out);
    mst_text_put(out, "return begin;\n}\n\n");
}

// Whether every position of the transforms is there: circular convolution without padding. (CPU-shaped rows ask beyond.)
static bool is_filled(const mst_stage *s, int array) {
    const mst_padded_axis *a = axis_of(s);
    return !s->g->cpu && !s->g->right_angle && s->g->n_blocks == 1 &&
           (array == Z ? a->start == 0 && a->kept == a->n : a->extent[array] == a->n);
}

// real2 NAME_fetch(array, at, p): one element of the caller's at a position.
static void write_fetch(const mst_stage *s, int port, bool own, mst_text *out) {
    const mst_stage_port *p = &s->ports[port];
    const mst_padded_axis *a = axis_of(s);
    const mst_layout *layout = layout_of(s, port);
    size_t length = layout->shape[a->axis];
    mst_view view = mst_stage_view(s, p->array, own);
    const mst_text_value values[] = {MST_SET(name, mst_stage_port_name(s, port)),
                                     MST_SET(type, mst_stage_port_type(s, port)),
                                     MST_SET(extent, a->extent[p->array]),
                                     MST_SET(length, length),
                                     MST_SET(last, length - 1),
                                     MST_SET(stride, (long long)view.axis_stride),
                                     MST_SET(sign, reversal_of(s, port, a) ? "-" : ""),
                                     {0}};
    mst_text_put_values(out,
                        "// The value of $name at position p.\n"
                        "real2 ${name}_fetch(__global const $type *$name, long at, position p) {\n",
                        values);
    if (!is_filled(s, p->array))
        mst_text_put_values(out,
                            "if (p < 0 || p >= $extent) // padding\n"
                            "return (real2)(0, 0);\n",
                            values);
    if (p->array == X && a->periodic)
        mst_text_put_values(out, "p = p + 1 < $length ? p + 1 : p + 1 - $length; // x goes round\n", values);
    if (reversal_of(s, port, a) == 1)
        mst_text_put_values(out, "p = $last - p; // correlation reverses y\n", values);
    else if (reversal_of(s, port, a) == 2)
        mst_text_put_values(out, "p = p > 0 ? $length - p : 0; // correlation reverses y, which goes round\n", values);
    mst_text_put_values(out, "at += (long)p * $stride;\n", values);
    if (mst_type_is_complex(layout->type)) // one access, not two
        mst_text_put_values(out,
                            "const ${type}2 value = ((__global const ${type}2 *)$name)[at];\n"
                            "return (real2)((real)value.x, $sign(real)value.y);\n}\n\n",
                            values);
    else
        mst_text_put_values(out, "return (real2)((real)$name[at], 0);\n}\n\n", values);
}

// real2 NAME_load(array, at, begin, e): element e without weights and twiddles.
static void write_load(const mst_stage *s, int port, bool own, mst_text *out) {
    const mst_stage_port *p = &s->ports[port];
    size_t limit = mst_stage_load_limit(s, port);
    const mst_text_value values[] = {
        MST_SET(name, mst_stage_port_name(s, port)), MST_SET(type, mst_stage_port_type(s, port)), MST_SET(limit, limit), {0}};
    if (!p->work)
        write_fetch(s, port, own, out);
    mst_text_put_values(out,
                        "// Element e of the line of $name that begins at `at`.\n"
                        "real2 ${name}_load(__global const $type *$name, long at, position begin, int e) {\n",
                        values);
    if (p->work && limit)
        mst_text_put_values(out,
                            "if (begin + (position)e * REST >= $limit) // padding: nothing was stored here\n"
                            "return (real2)(0, 0);\n",
                            values);
    if (p->work)
        mst_text_put_values(out, "return $name[at + (long)e * INNER];\n}\n\n", values);
    else if (s->g->right_angle)
        mst_text_put_values(
            out,
            "const position p = begin + (position)e * REST; // right angle: values p and p + HALF are one number\n"
            "return (real2)(${name}_fetch($name, at, p).x, ${name}_fetch($name, at, p + HALF).x);\n}\n\n",
            values);
    else
        mst_text_put_values(out, "return ${name}_fetch($name, at, begin + (position)e * REST);\n}\n\n", values);
}

// void NAME_put(to, at, begin, p, value): one element of the caller's. p counts from the start of the block.
static void write_put(const mst_stage *s, bool own, mst_text *out) {
    const mst_padded_axis *a = axis_of(s);
    mst_view view = mst_stage_view(s, Z, own);
    bool is_real = !mst_type_is_complex(s->plan->desc.z.type);
    const mst_text_value values[] = {MST_SET(name, mst_stage_port_name(s, TO)),
                                     MST_SET(type, mst_stage_port_type(s, TO)),
                                     MST_SET(value_type, is_real ? "real" : "real2"),
                                     MST_SET(start, a->start),
                                     MST_SET(kept, a->kept),
                                     MST_SET(stride, (long long)view.axis_stride),
                                     {0}};
    mst_text_put_values(out,
                        "// Stores what is at position p of the block as element k of the result, if it is kept.\n"
                        "void ${name}_put(__global $type *$name, long at, position begin, position p, $value_type value) {\n"
                        "const position k = begin + p - $start;\n",
                        values);
    if (!is_filled(s, Z))
        mst_text_put_values(out,
                            "if (p < $start || k >= $kept) // below the start, it wraps around\n"
                            "return;\n",
                            values);
    mst_text_put_values(out, "at += (long)k * $stride;\n", values);
    mst_text_put_values(out, is_real ? "$name[at] = value;\n}\n\n" : "((__global real2 *)$name)[at] = value;\n}\n\n", values);
}

static void write_store_array(const mst_stage *s, const mst_text_value *values, mst_text *out) {
    mst_text_put_values(out,
                        "const position p = column + (position)e * REST;\n"
                        "begin -= column;\n",
                        values);
    if (s->g->right_angle)
        mst_text_put_values(out,
                            "${name}_put($name, at, begin, p, value.x); // right angle: two values in one number\n"
                            "${name}_put($name, at, begin, p + HALF, value.y);\n",
                            values);
    else if (mst_type_is_complex(s->plan->desc.z.type))
        mst_text_put_values(out, "${name}_put($name, at, begin, p, value);\n", values);
    else
        mst_text_put_values(out, "${name}_put($name, at, begin, p, value.x);\n", values);
}

// void NAME_store(to, at, begin, column, e, value): element e with weights and twiddles applied.
static void write_store(const mst_stage *s, bool own, mst_text *out) {
    const mst_padded_axis *a = axis_of(s);
    const mst_text_value values[] = {MST_SET(name, mst_stage_port_name(s, TO)),
                                     MST_SET(type, mst_stage_port_type(s, TO)),
                                     MST_SET(start, a->start),
                                     MST_SET(end, a->start + a->kept),
                                     {0}};
    if (!s->ports[TO].work)
        write_put(s, own, out);
    mst_text_put_values(out,
                        "// Stores element e of the line of $name that begins at `at`.\n"
                        "void ${name}_store(__global $type *$name, long at, position begin, uint column, int e, real2 value) {\n",
                        values);
    if (!s->ports[TO].work) {
        write_store_array(s, values, out);
    } else {
        if (mst_stage_store_limited(s))
            mst_text_put_values(out,
                                "const position p = begin + (position)e * REST;\n"
                                "if (p < $start || p >= $end) // not kept\n"
                                "return;\n",
                                values);
        mst_text_put_values(out, "$name[at + (long)e * INNER] = value;\n", values);
    }
    mst_text_put_values(out, "}\n\n", values);
}

void mst_stage_write_ports(const mst_stage *s, unsigned own, mst_text *out) {
    for (int port = 0; port < N_STAGE_PORTS; port++) {
        if (!mst_stage_has_port(s, port))
            continue;
        write_place(s, port, own >> port & 1, out);
        if (port == TO)
            write_store(s, own >> port & 1, out);
        else
            write_load(s, port, own >> port & 1, out);
    }
}
