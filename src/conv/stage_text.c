// The kernel of a stage as OpenCL C: where lines lie and how single values are loaded and stored, common to both shapes, and the
// GPU-shaped kernel. The CPU-shaped one is written in stage_cpu.c.
//
// Line numbers count (vector, row, line above, line beside) in C order. Element e of a line is at position
//     begin + e rest,  begin = the column of the line + the start of its vector's block,
// along the digit's axis, where the digit is the axis' first.
#include "stage.h"

#include <stdio.h>

static const char *const names[N_STAGE_PORTS] = {"from", "with", "to"};
static const char *const elements[N_STAGE_PORTS] = {"FROM_ELEMENT", "WITH_ELEMENT", "TO_ELEMENT"};

const char *mst_stage_port_name(int port) { return names[port]; }

const char *const mst_stage_arguments =
    "__global const FROM_ELEMENT *from, long from_base, ulong from_first, __global const WITH_ELEMENT *with,\n"
    "      long with_base, ulong with_first, __global TO_ELEMENT *to, long to_base, ulong to_first, ulong n_lines,\n"
    "      __global const real2 *table, __global const real2 *back_table, __global const real2 *low,\n"
    "      __global const real2 *high, uint log_low, __global const real *lane_twiddles, __global const real2 *weights";

static const mst_padded_axis *axis_of(const mst_stage *s) { return &s->g->axes[s->g->digits[s->digit].axis]; }

static const mst_padded_axis *last_axis(const mst_geometry *g) { return &g->axes[g->n_axes - 1]; }

static bool has_port(const mst_stage *s, int port) { return port != WITH || s->kind == MST_STAGE_FUSED; }

// Where element 0 of vector `v`, row `r` of an array of the caller's lies.
static void write_caller_place(const mst_stage *s, int port, bool own, mst_text *out) {
    const mst_stage_port *p = &s->ports[port];
    const mst_geometry *g = s->g;
    mst_view view = mst_stage_view(s, p->array, own);
    mst_view_write(&view, names[port], out);
    if (s->rows > 1 || g->n_axes > 1) {
        const mst_padded_axis *a = &g->axes[0];
        const mst_layout *layout = mst_convolution_layout(s->plan, p->array);
        mst_layout packed = mst_layout_dense(layout->type, layout->rank, layout->shape);
        size_t length = layout->shape[a->axis];
        int reversal = p->array == Y ? a->reversal : 0;
        mst_text_add(out, "long %s_row(long r) {\n", names[port]);
        if (p->array == X && a->periodic)
            mst_text_add(out, "    r = (r + 1) %% %zu;\n", length);
        if (reversal == 1)
            mst_text_add(out, "    r = %zu - r;\n", length - 1);
        else if (reversal == 2)
            mst_text_add(out, "    r = r > 0 ? %zu - r : 0;\n", length);
        mst_text_add(out, "    return r * %lld;\n}\n\n", (long long)(own ? layout : &packed)->strides[a->axis]);
    }
}

// long X_at(line, first): of element 0 in the array. long X_begin(line): its position.
static void write_place(const mst_stage *s, int port, bool own, mst_text *out) {
    const mst_stage_port *p = &s->ports[port];
    const mst_geometry *g = s->g;
    const char *name = names[port];
    size_t blocks = s->kind == MST_STAGE_FORWARD ? mst_stage_blocks(g, p->array) : g->n_blocks;
    size_t lines = mst_stage_lines(s);
    if (!p->work)
        write_caller_place(s, port, own, out);
    mst_text_add(out, "long %s_at(ulong line, ulong first) {\n    const ulong v = line / %zuul, l = line %% %zuul;\n", name,
                 lines, lines);
    if (p->work) {
        bool one = mst_stage_one(s->plan, p->array);
        const char *vector = "v";
        char text[80];
        if (s->kind == MST_STAGE_FUSED && p->kept) {
            bool own_blocks = mst_stage_blocks(g, p->array) > 1;
            snprintf(text, sizeof text, own_blocks ? "v %% %zuul" : "v / %zuul", g->n_blocks);
            vector = !one ? (own_blocks ? "v" : text) : own_blocks ? text : "0";
        }
        size_t span = g->digits[s->digit].n * s->inner, row = s->before * span;
        mst_text_add(out,
                     "    return (long)(%s) * %zul + (long)(l / %zuul + %zu) * %zul + (long)(l / %zuul %% %zuul) * %zul + "
                     "(long)(l %% %zuul);\n}\n\n",
                     vector, g->points, s->inner * s->before, s->first_row, row, s->inner, s->before, span, s->inner);
    } else {
        mst_text_add(out, "    return %s_outer(first + v / %zuul)", name, blocks);
        if (g->n_axes > 1)
            mst_text_add(out, " + %s_row((long)(l / %zuul))", name, s->inner * s->before);
        mst_text_add(out, ";\n}\n\n");
    }
    mst_text_add(out, "position %s_begin(ulong line) {\n    position begin = (position)(line %% %zuul / %zuul);\n", name,
                 s->inner, s->column);
    if (!p->work && blocks > 1 && (p->array == g->blocked || p->array == Z))
        mst_text_add(out, "    begin += (position)(line / %zuul %% %zuul) * %zu + (%lld);\n", lines, blocks, g->step,
                     p->array == Z ? 0ll : (long long)g->offset);
    mst_text_add(out, "    return begin;\n}\n\n");
}

// Whether every position of the transforms is there: circular convolution without padding. (CPU-shaped rows ask beyond.)
static bool is_filled(const mst_stage *s, int array) {
    const mst_padded_axis *a = axis_of(s);
    return !s->g->cpu && !s->g->right_angle && s->g->n_blocks == 1 &&
           (array == Z ? a->start == 0 && a->kept == a->n : a->extent[array] == a->n);
}

// One element of the caller's at a position.
static void write_fetch(const mst_stage *s, int port, bool own, mst_text *out) {
    const mst_stage_port *p = &s->ports[port];
    const mst_padded_axis *a = axis_of(s);
    const mst_layout *layout = mst_convolution_layout(s->plan, p->array);
    size_t length = layout->shape[a->axis];
    int reversal = p->array == Y ? a->reversal : 0;
    mst_text_add(out, "real2 %s_fetch(__global const %s *%s, long at, position p) {\n", names[port], elements[port], names[port]);
    if (!is_filled(s, p->array))
        mst_text_add(out, "    if (p < 0 || p >= %zu)\n        return (real2)(0, 0);\n", a->extent[p->array]);
    if (p->array == X && a->periodic)
        mst_text_add(out, "    p = p + 1 < %zu ? p + 1 : p + 1 - %zu;\n", length, length);
    if (reversal == 1)
        mst_text_add(out, "    p = %zu - p;\n", length - 1);
    else if (reversal == 2)
        mst_text_add(out, "    p = p > 0 ? %zu - p : 0;\n", length);
    mst_view view = mst_stage_view(s, p->array, own);
    mst_text_add(out, "    at += (long)p * %lld;\n", (long long)view.axis_stride);
    if (mst_type_is_complex(layout->type)) // one access, not two
        mst_text_add(out,
                     "    const %s2 value = ((__global const %s2 *)%s)[at];\n"
                     "    return (real2)((real)value.x, %s(real)value.y);\n}\n\n",
                     mst_convolution_element(layout->type), mst_convolution_element(layout->type), names[port],
                     reversal ? "-" : "");
    else
        mst_text_add(out, "    return (real2)((real)%s[at], 0);\n}\n\n", names[port]);
}

// real2 X_load(array, at, begin, e): element e without weights and twiddles.
static void write_load(const mst_stage *s, int port, bool own, mst_text *out) {
    const mst_stage_port *p = &s->ports[port];
    const char *name = names[port];
    size_t rest = s->g->digits[s->digit].rest;
    if (!p->work)
        write_fetch(s, port, own, out);
    mst_text_add(out, "real2 %s_load(__global const %s *%s, long at, position begin, int e) {\n", name, elements[port], name);
    if (p->work) {
        size_t limit = mst_stage_load_limit(s, port);
        if (limit)
            mst_text_add(out, "    if (begin + (position)e * %zu >= %zu)\n        return (real2)(0, 0);\n", rest, limit);
        mst_text_add(out, "    return %s[at + (long)e * %zu];\n}\n\n", name, s->inner);
    } else if (s->g->right_angle) {
        mst_text_add(out,
                     "    const position p = begin + (position)e * %zu;\n"
                     "    return (real2)(%s_fetch(%s, at, p).x, %s_fetch(%s, at, p + %zu).x);\n}\n\n",
                     rest, name, name, name, name, last_axis(s->g)->n);
    } else {
        mst_text_add(out, "    return %s_fetch(%s, at, begin + (position)e * %zu);\n}\n\n", name, name, rest);
    }
}

// void to_put(to, at, p, value): one element of the caller's. p counts from the start of the block.
static void write_put(const mst_stage *s, bool own, mst_text *out) {
    const mst_padded_axis *a = axis_of(s);
    mst_view view = mst_stage_view(s, Z, own);
    bool is_real = !mst_type_is_complex(s->plan->desc.z.type);
    mst_text_add(out,
                 "void to_put(__global TO_ELEMENT *to, long at, position begin, position p, %s value) {\n"
                 "    const position k = begin + p - %zu;\n",
                 is_real ? "real" : "real2", a->start);
    if (!is_filled(s, Z))
        mst_text_add(out, "    if (p < %zu || k >= %zu) // below the start, it wraps around\n        return;\n", a->start,
                     a->kept);
    mst_text_add(out, "    at += (long)k * %lld;\n", (long long)view.axis_stride);
    mst_text_add(out, "    %s[at] = value;\n}\n\n", is_real ? "to" : "((__global real2 *)to)");
}

// void to_store(to, at, begin, e, value): element e with weights and twiddles applied.
static void write_store(const mst_stage *s, bool own, mst_text *out) {
    size_t rest = s->g->digits[s->digit].rest;
    const mst_padded_axis *a = axis_of(s);
    if (!s->ports[TO].work)
        write_put(s, own, out);
    mst_text_add(out, "void to_store(__global TO_ELEMENT *to, long at, position begin, uint column, int e, real2 value) {\n");
    if (s->ports[TO].work) {
        if (mst_stage_store_limited(s))
            mst_text_add(out,
                         "    const position p = begin + (position)e * %zu;\n    if (p < %zu || p >= %zu)\n        return;\n",
                         rest, a->start, a->start + a->kept);
        mst_text_add(out, "    to[at + (long)e * %zu] = value;\n}\n\n", s->inner);
        return;
    }
    mst_text_add(out, "    const position p = column + (position)e * %zu;\n    begin -= column;\n", rest);
    if (s->g->right_angle)
        mst_text_add(out, "    to_put(to, at, begin, p, value.x);\n    to_put(to, at, begin, p + %zu, value.y);\n}\n\n",
                     last_axis(s->g)->n);
    else
        mst_text_add(out, "    to_put(to, at, begin, p, value%s);\n}\n\n", mst_type_is_complex(s->plan->desc.z.type) ? "" : ".x");
}

static size_t longest_extent(const mst_stage *s) {
    size_t longest = 0;
    for (int a = 0; a < s->g->n_axes; a++) {
        const mst_padded_axis *axis = &s->g->axes[a];
        size_t most = axis->extent[X] + axis->extent[Y] + 2 * axis->n;
        longest = most > longest ? most : longest;
    }
    return longest;
}

static void write_ports(const mst_stage *s, int own, mst_text *out) {
    for (int port = 0; port < N_STAGE_PORTS; port++) {
        const mst_stage_port *p = &s->ports[port];
        const char *element = "real2";
        if (has_port(s, port) && !p->work)
            element = mst_convolution_element(mst_convolution_layout(s->plan, p->array)->type);
        mst_text_add(out, "#define %s %s\n", elements[port], element);
        if (!has_port(s, port))
            continue;
        write_place(s, port, own >> port & 1, out);
        if (port == TO)
            write_store(s, own >> port & 1, out);
        else
            write_load(s, port, own >> port & 1, out);
    }
}

static void write_factors(const mst_stage *s, mst_text *out) {
    size_t rest = s->g->digits[s->digit].rest;
    mst_text_add(out, "uint column_of(ulong line) { return (uint)(line %% %zuul / %zuul); }\n\n", s->inner, s->column);
    if (s->tables->twiddles.n && !s->tables->twiddles.columns)
        mst_text_add(out,
                     "// exp(-2 pi i t / %zu), from two tables.\n"
                     "real2 twiddle(__global const real2 *low, __global const real2 *high, uint log_low, uint t) {\n"
                     "    return complex_multiply(low[t & ((1u << log_low) - 1)], high[t >> log_low]);\n}\n\n"
                     "#define TWIDDLE(e) twiddle(low, high, log_low, column * (e))\n",
                     s->tables->twiddles.n);
    if (s->tables->twiddles.columns)
        mst_text_add(out,
                     "// Of element e = j + q n / radix, in the loops over j and q that load or store it.\n"
                     "#define TWIDDLE(e) complex_multiply(low[(int)j * %zu + (int)column], high[(int)q * %zu + (int)column])\n",
                     s->tables->twiddles.columns, s->tables->twiddles.columns);
    mst_text_add(out,
                 "real2 conjugate(real2 a) { return (real2)(a.x, -a.y); }\n\n#define WEIGHT(e) weights[column + (e) * %zu]\n"
                 "#define SCALE ((real)1 / %zu)\n\n",
                 rest, s->g->points);
}

// Back is forwards with real and imaginary parts exchanged.
static void write_gpu(const mst_stage *s, mst_text *out) {
    char head[1200], loads[2][200], stored[120], store[200];
    mst_text locate = {0};
    bool back = s->kind == MST_STAGE_BACKWARD;
    mst_fusion fusion = {.head = head, .backward = s->kind == MST_STAGE_FUSED, .store = store};
    snprintf(head, sizeof head, "stage(%s)", mst_stage_arguments);
    mst_text_add(&locate, "    const uint column = column_of(line);\n");
    for (int port = 0; port < N_STAGE_PORTS; port++)
        if (has_port(s, port))
            mst_text_add(&locate,
                         "    const long %s_place = %s_base + %s_at(line, %s_first);\n"
                         "    const position %s_start = %s_begin(line);\n",
                         names[port], names[port], names[port], names[port], names[port], names[port]);
    for (int port = FROM; port <= WITH && has_port(s, port); port++) {
        const char *name = names[port], *around = "%s";
        char value[100];
        if (back)
            around = s->tables->twiddles.n ? "complex_multiply(%s, conjugate(TWIDDLE(e))).yx" : "%s.yx";
        else if (!s->ports[port].work && s->g->right_angle)
            around = "complex_multiply(%s, WEIGHT(e))";
        snprintf(value, sizeof value, "%s_load(%s, %s_place, %s_start, e)", name, name, name, name);
        snprintf(loads[port], sizeof loads[port], around, value);
        fusion.loads[port] = loads[port];
        fusion.forward[port] = s->ports[port].forward;
    }
    const char *around = "%s";
    if (!s->ports[TO].work)
        around = s->g->right_angle ? "complex_multiply(%s, conjugate(WEIGHT(e))) * SCALE" : "%s * SCALE";
    else if (s->kind == MST_STAGE_FORWARD && s->tables->twiddles.n)
        around = "complex_multiply(%s, TWIDDLE(e))";
    snprintf(stored, sizeof stored, around, back ? "value.yx" : "value");
    snprintf(store, sizeof store, "to_store(to, to_place, to_start, column, e, %s)", stored);
    fusion.locate = locate.text ? locate.text : "";
    out->failed = out->failed || locate.failed;
    mst_pass_write_fusion(&s->pass, &s->back, &fusion, out);
    mst_text_release(&locate);
}

void mst_stage_write(const mst_stage *s, int own, mst_text *out) {
    static const char *const what[] = {"forward", "both forward, their product and back", "back"};
    mst_text_add(out, "// Convolution of vectors of %zu and %zu: digit %d of %d, of length %zu, %s.\n\n", s->plan->lengths[X],
                 s->plan->lengths[Y], s->digit + 1, s->g->n_digits, s->pass.n, what[s->kind]);
    if (s->pass.cpu)
        mst_text_add(out, "typedef %s%u vreal;\n\n", s->pass.is_double ? "double" : "float", s->pass.lanes);
    else
        mst_text_add(out, "typedef real vreal;\n\n");
    mst_butterflies_write(s->pass.radices, s->pass.n_radices, out);
    mst_text_add(out, "typedef %s position; // along an axis\n\n", longest_extent(s) < (size_t)1 << 30 ? "int" : "long");
    write_ports(s, own, out);
    write_factors(s, out);
    if (s->pass.cpu)
        mst_stage_write_cpu(s, own, out);
    else
        write_gpu(s, out);
}
