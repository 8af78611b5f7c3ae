// CPU-shaped passes: how a tile of lines is loaded and stored. Where the lines lie side by side, by vectors of one element of
// each; where a line's elements do, by rows that are transposed in registers; else value by value.
#include "pass.h"

#include <stdio.h>

// Whether the lines of a tile that does not cross the end of the last dimension lie one element apart.
static bool lanes_adjacent(const mst_pass *pass, const mst_view *v) {
    int last = v->n_dims - 1;
    if (last < 0)
        return false;
    bool whole = last == 0 || v->counts[last] % pass->lanes == 0;
    return whole && v->outer[last] + (int64_t)v->position[last] * v->axis_stride == 1;
}

// Complex numbers in a row that is transposed as one vector.
static unsigned row_length(const mst_pass *pass) { return pass->lanes / 2; }

// How whole tiles are moved.
typedef enum way { BY_VALUES, BY_LANES, BY_ROWS, N_WAYS } way;

static way way_of(const mst_pass *pass, const mst_pass_op *op, const mst_view *v) {
    if (op->element != MST_ELEMENT_COMPLEX || op->length || op->multiply)
        return BY_VALUES;
    if (lanes_adjacent(pass, v))
        return BY_LANES;
    return (int64_t)v->step * v->axis_stride == 1 && pass->n >= row_length(pass) ? BY_ROWS : BY_VALUES;
}

// Where a tile has what the real and the imaginary parts in memory are.
static const char *real_part(const mst_pass_op *op) { return op->swap ? "IM" : "RE"; }
static const char *imaginary_part(const mst_pass_op *op) { return op->swap ? "RE" : "IM"; }

static void write_vector(const char *first, const char *second, unsigned from, unsigned pairs, bool wide, mst_text *out) {
    for (unsigned k = from; k < from + pairs; k++) {
        if (wide)
            mst_text_add(out, "%s%s.s%x%x, %s.s%x%x", k > from ? ", " : "", first, 2 * k, 2 * k + 1, second, 2 * k, 2 * k + 1);
        else
            mst_text_add(out, "%s%s.s%x, %s.s%x", k > from ? ", " : "", first, k, second, k);
    }
}

static void write_interleaving(const mst_pass *pass, mst_text *out) {
    unsigned b = row_length(pass);
    mst_text_add(out, "typedef %s%u row; // %u complex numbers\n", pass->is_double ? "double" : "ulong",
                 pass->is_double ? 2 * b : b, b);
    for (unsigned half = 0; half < 2; half++) {
        mst_text_add(out, "row interleave_%s(row a, row b) { return (row)(", half ? "high" : "low");
        write_vector("a", "b", half * b / 2, b / 2, pass->is_double, out);
        mst_text_add(out, "); }\n");
    }
}

// The transposition of rows r0_0 .. r0_(b-1) by rounds of interleaving rows i and i + b/2, written out: compilers keep vectors in
// registers only where no loop is left. Returns the number of the last round: the rows are r<round>_<i> then.
static unsigned write_transposition(const mst_pass *pass, mst_text *out) {
    unsigned b = row_length(pass), rounds = b == 4 ? 2 : 1;
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < b / 2; i++)
            mst_text_add(
                out,
                "                const row r%u_%u = interleave_low(r%u_%u, r%u_%u), r%u_%u = interleave_high(r%u_%u, r%u_%u);\n",
                round + 1, 2 * i, round, i, round, i + b / 2, round + 1, 2 * i + 1, round, i, round, i + b / 2);
    return rounds;
}

static const char *real_name(const mst_pass *pass) { return pass->is_double ? "double" : "float"; }

// Rows in and out of memory.
void mst_pass_write_cpu_rows(const mst_pass *pass, mst_text *out) {
    unsigned b = row_length(pass);
    const char *real = real_name(pass);
    write_interleaving(pass, out);
    mst_text_add(out,
                 "row load_row(__global const real2 *from) { return as_%s%u(vload%u(0, (__global const real *)from)); }\n"
                 "void store_row(row r, __global real2 *to) { vstore%u(as_%s%u(r), 0, (__global real *)to); }\n",
                 pass->is_double ? "double" : "ulong", pass->is_double ? 2 * b : b, 2 * b, 2 * b, real, 2 * b);
    mst_text_add(out, "row join(%s%u x, %s%u y) {\n    const %s%u v = (%s%u)(", real, b, real, b, real, 2 * b, real, 2 * b);
    for (unsigned k = 0; k < b; k++)
        mst_text_add(out, "%sx.s%x, y.s%x", k ? ", " : "", k, k);
    mst_text_add(out, ");\n    return as_%s%u(v);\n}\n\n", pass->is_double ? "double" : "ulong", pass->is_double ? 2 * b : b);
}

static void write_values_load(const mst_pass *pass, mst_text *out) {
    mst_text_add(out,
                 "        // Load, value by value.\n"
                 "        for (uint l = 0; l < LANES; l++) {\n"
                 "            const ulong line = source_first + first + min(l, count - 1);\n"
                 "            const long outer = source_base + source_outer(line);\n"
                 "            const uint position = source_position(line);\n"
                 "            for (uint e = 0; e < %zuu; e++) {\n"
                 "                const real2 value = load_value(source, outer, position + e * %zuu, load_factors);\n"
                 "                ((real *)&RE(e))[l] = value.x;\n                ((real *)&IM(e))[l] = value.y;\n"
                 "            }\n        }\n",
                 pass->n, pass->source.step);
}

// A pointer to where a line begins, `name`: `from` lines are read only.
static void write_line(const mst_view *v, const char *name, const char *line, mst_text *out) {
    bool reads = name[0] == 'f';
    const char *side = reads ? "source" : "target";
    mst_text_add(out,
                 "            __global %sreal2 *%s = %s + (%s_base + %s_outer(%s) +\n"
                 "                (long)%s_position(%s) * %lld);\n",
                 reads ? "const " : "", name, side, side, side, line, side, line, (long long)v->axis_stride);
}

// The same for lines h b .. h b + b - 1 of a tile, <name>0, <name>1, ...
static void write_lines(const mst_view *v, const char *name, unsigned h, unsigned b, mst_text *out) {
    for (unsigned l = 0; l < b; l++) {
        char line[20], pointer[20];
        snprintf(line, sizeof line, "line%u", l);
        snprintf(pointer, sizeof pointer, "%s%u", name, l);
        mst_text_add(out, "            const ulong %s = %s_first + first + %uu;\n", line, name[0] == 'f' ? "source" : "target",
                     h * b + l);
        write_line(v, pointer, line, out);
    }
}

static void write_lanes_load(const mst_pass *pass, mst_text *out) {
    const char *x = real_part(&pass->load), *y = imaginary_part(&pass->load);
    const mst_view *v = &pass->source;
    mst_text_add(out, "        // Load: the lines lie side by side.\n");
    write_line(v, "from", "source_first + first", out);
    mst_text_add(out,
                 "        for (uint e = 0; e < %zuu; e++) {\n"
                 "            const %s%u pairs = vload%u(0, (__global const real *)(from + (long)e * %lld));\n"
                 "            %s(e) = pairs.even;\n            %s(e) = pairs.odd;\n        }\n",
                 pass->n, real_name(pass), 2 * pass->lanes, 2 * pass->lanes, (long long)v->step * (long long)v->axis_stride, x,
                 y);
}

static void write_rows_load(const mst_pass *pass, mst_text *out) {
    const char *x = real_part(&pass->load), *y = imaginary_part(&pass->load);
    unsigned b = row_length(pass);
    mst_text_add(out, "        // Load: each line's elements lie side by side and are transposed, %u by %u.\n", b, b);
    for (unsigned h = 0; h < pass->lanes / b; h++) {
        mst_text_add(out, "        {\n");
        write_lines(&pass->source, "from", h, b, out);
        mst_text_add(out, "            for (uint e = 0; e < %zuu; e += %uu) {\n", pass->n / b * b, b);
        for (unsigned l = 0; l < b; l++)
            mst_text_add(out, "                const row r0_%u = load_row(from%u + e);\n", l, l);
        unsigned last = write_transposition(pass, out);
        for (unsigned i = 0; i < b; i++)
            mst_text_add(out,
                         "                vstore%u(as_%s%u(r%u_%u).even, %u, (real *)&%s(e + %u));\n"
                         "                vstore%u(as_%s%u(r%u_%u).odd, %u, (real *)&%s(e + %u));\n",
                         b, real_name(pass), 2 * b, last, i, h, x, i, b, real_name(pass), 2 * b, last, i, h, y, i);
        mst_text_add(out, "            }\n");
        for (unsigned l = 0; l < b && pass->n % b; l++)
            mst_text_add(out,
                         "            for (uint e = %zuu; e < %zuu; e++) {\n                ((real *)&%s(e))[%u] = from%u[e].x;\n"
                         "                ((real *)&%s(e))[%u] = from%u[e].y;\n            }\n",
                         pass->n / b * b, pass->n, x, h * b + l, l, y, h * b + l, l);
        mst_text_add(out, "        }\n");
    }
}

static void write_values_store(const mst_pass *pass, mst_text *out) {
    mst_text_add(out, "        // Store, value by value.\n"
                      "        for (uint l = 0; l < count; l++) {\n"
                      "            const ulong line = target_first + first + l;\n"
                      "            const long outer = target_base + target_outer(line);\n"
                      "            const uint position = target_position(line);\n");
    if (pass->twiddle_n)
        mst_text_add(out, "            const uint c = column(source_first + first + l), lane = c %% LANES;\n");
    mst_text_add(out,
                 "            for (uint k = 0; k < %zuu; k++) {\n                const uint p = place(k);\n"
                 "                real2 value = (real2)(((real *)&RE(p))[l], ((real *)&IM(p))[l]);\n",
                 pass->n);
    if (pass->twiddle_n)
        mst_text_add(out,
                     "                const real2 wc = twiddle(low, high, log_low, (c - lane) * k);\n"
                     "                const real lr = lane_twiddles[2 * k * LANES + lane], "
                     "li = lane_twiddles[(2 * k + 1) * LANES + lane];\n"
                     "                const real wr = fma(wc.x, lr, -(wc.y * li)), wi = fma(wc.x, li, wc.y * lr);\n"
                     "                value = (real2)(fma(value.x, wr, -(value.y * wi)), fma(value.x, wi, value.y * wr));\n");
    mst_text_add(out,
                 "                store_value(target, outer, position + k * %zuu, store_factors, scale, value);\n"
                 "            }\n        }\n",
                 pass->target.step);
}

// Between passes: exp(-2 pi i k (c + l) / n) = exp(-2 pi i k c / n) exp(-2 pi i k l / n), the second from a table of lanes, c a
// multiple of the lanes. The rounding is spelled out: the same for a whole tile as for single values (write_values_store).
static void write_lane_twiddles(const mst_pass *pass, mst_text *out) {
    mst_text_add(
        out,
        "            const real2 wc = twiddle(low, high, log_low, c * k);\n"
        "            const vreal lr = vload%u(2 * k, lane_twiddles), li = vload%u(2 * k + 1, lane_twiddles);\n"
        "            const vreal wr = fma((vreal)wc.x, lr, -(wc.y * li)), wi = fma((vreal)wc.x, li, wc.y * lr), xr = x;\n"
        "            x = fma(x, wr, -(y * wi));\n            y = fma(xr, wi, y * wr);\n",
        pass->lanes, pass->lanes);
}

static void write_lanes_store(const mst_pass *pass, mst_text *out) {
    const char *x = real_part(&pass->store), *y = imaginary_part(&pass->store), *scale = pass->scale ? " * scale" : "";
    const mst_view *v = &pass->target;
    mst_text_add(out, "        // Store: the lines lie side by side.\n");
    write_line(v, "to", "target_first + first", out);
    if (pass->twiddle_n)
        mst_text_add(out, "        const uint c = column(source_first + first);\n");
    mst_text_add(out,
                 "        for (uint k = 0; k < %zuu; k++) {\n            const uint p = place(k);\n"
                 "            vreal x = %s(p)%s, y = %s(p)%s;\n",
                 pass->n, x, scale, y, scale);
    if (pass->twiddle_n)
        write_lane_twiddles(pass, out);
    mst_text_add(out, "            vstore%u((%s%u)(", 2 * pass->lanes, real_name(pass), 2 * pass->lanes);
    for (unsigned k = 0; k < pass->lanes; k++)
        mst_text_add(out, "%sx.s%x, y.s%x", k ? ", " : "", k, k);
    mst_text_add(out, "), 0, (__global real *)(to + (long)k * %lld));\n", (long long)v->step * (long long)v->axis_stride);
    mst_text_add(out, "        }\n");
}

static void write_rows_store(const mst_pass *pass, mst_text *out) {
    const char *x = real_part(&pass->store), *y = imaginary_part(&pass->store), *scale = pass->scale ? " * scale" : "";
    unsigned b = row_length(pass);
    mst_text_add(out, "        // Store: transposed back, %u by %u.\n", b, b);
    for (unsigned h = 0; h < pass->lanes / b; h++) {
        mst_text_add(out, "        {\n");
        write_lines(&pass->target, "to", h, b, out);
        mst_text_add(out, "            for (uint k = 0; k < %zuu; k += %uu) {\n", pass->n / b * b, b);
        bool near = pass->radices[0] % b == 0; // then the results of a row are the first digit's neighbours
        mst_text_add(out, "                const uint p0 = place(k);\n");
        for (unsigned i = 1; i < b; i++) {
            if (near)
                mst_text_add(out, "                const uint p%u = p0 + %zuu;\n", i, i * (pass->n / pass->radices[0]));
            else
                mst_text_add(out, "                const uint p%u = place(k + %u);\n", i, i);
        }
        for (unsigned i = 0; i < b; i++)
            mst_text_add(
                out,
                "                const row r0_%u = join(vload%u(%u, (real *)&%s(p%u))%s, vload%u(%u, (real *)&%s(p%u))%s);\n", i,
                b, h, x, i, scale, b, h, y, i, scale);
        unsigned last = write_transposition(pass, out);
        for (unsigned l = 0; l < b; l++)
            mst_text_add(out, "                store_row(r%u_%u, to%u + k);\n", last, l, l);
        mst_text_add(out, "            }\n");
        for (unsigned l = 0; l < b && pass->n % b; l++)
            mst_text_add(out,
                         "            for (uint k = %zuu; k < %zuu; k++)\n"
                         "                to%u[k] = (real2)(((real *)&%s(place(k)))[%u]%s, ((real *)&%s(place(k)))[%u]%s);\n",
                         pass->n / b * b, pass->n, l, x, h * b + l, scale, y, h * b + l, scale);
        mst_text_add(out, "        }\n");
    }
}

// Whether a tile is worked on as a whole: it is full, and where its lines have to lie side by side it does not cross the end of
// the last dimension.
static void write_whole(const mst_view *v, bool adjacent, const char *side, mst_text *out) {
    mst_text_add(out, "count == LANES");
    if (adjacent && v->n_dims > 1)
        mst_text_add(out, " && (%s_first + first) %% %zuul + LANES <= %zuul", side, v->counts[v->n_dims - 1],
                     v->counts[v->n_dims - 1]);
}

// One side of a pass: what it is called in the kernel, and what writes it.
typedef struct side {
    const mst_view *view;
    const char *name;
    void (*write[N_WAYS])(const mst_pass *pass, mst_text *out);
} side;

// Tiles that are not whole go value by value.
static void write_side(const mst_pass *pass, const side *s, way by, bool columns, mst_text *out) {
    if (by == BY_VALUES) {
        s->write[BY_VALUES](pass, out);
        return;
    }
    mst_text_add(out, "        if (!(");
    write_whole(s->view, by == BY_LANES, s->name, out);
    if (columns) {
        mst_text_add(out, " && ");
        write_whole(&pass->source, true, "source", out);
        mst_text_add(out, " && column(source_first + first) %% LANES == 0");
    }
    mst_text_add(out, ")) {\n");
    s->write[BY_VALUES](pass, out);
    mst_text_add(out, "        } else {\n");
    s->write[by](pass, out);
    mst_text_add(out, "        }\n");
}

void mst_pass_write_cpu_load(const mst_pass *pass, mst_text *out) {
    const side s = {&pass->source, "source", {write_values_load, write_lanes_load, write_rows_load}};
    write_side(pass, &s, way_of(pass, &pass->load, s.view), false, out);
}

void mst_pass_write_cpu_store(const mst_pass *pass, mst_text *out) {
    const side s = {&pass->target, "target", {write_values_store, write_lanes_store, write_rows_store}};
    way by = way_of(pass, &pass->store, s.view);
    bool columns = pass->twiddle_n != 0; // lanes have neighbouring ones
    if (columns && (by != BY_LANES || pass->store.swap || pass->twiddle_dim != pass->source.n_dims - 1 ||
                    !lanes_adjacent(pass, &pass->source)))
        by = BY_VALUES;
    write_side(pass, &s, by, columns, out);
}
