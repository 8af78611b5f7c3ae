// Boxes of real numbers, whose last axis is transformed as half as many complex ones, z[p] = x[2 p] + i x[2 p + 1]. The results
// of the box are combined to the spectrum, h + 1 numbers of each row of h, or the spectrum is split, with the mathematics of
// write_half.c: what mirrors number k of a row is number h - k of the row with the opposite index along each of the other axes.
#include "box.h"
#include "write_parts.h"

static size_t rows_of(const mst_pass *pass) { return pass->n / pass->box[pass->n_box - 1]; }

// The opposite row, counted in C order over the axes before the last one.
static void write_mirror(const mst_pass *pass, mst_text *out) {
    mst_text_add(out, "uint mirror_of(uint row) {\n");
    if (pass->n_box == 2)
        mst_text_put(out, "return row == 0 ? 0 : ${n}u - row;\n", MST_SET(n, pass->box[0]));
    else
        mst_text_put(out,
                     "const uint a = row / ${m}u, b = row % ${m}u;\n"
                     "return (a == 0 ? 0 : ${n}u - a) * ${m}u + (b == 0 ? 0 : ${m}u - b);\n",
                     MST_SET(n, pass->box[0]), MST_SET(m, pass->box[1]));
    mst_text_add(out, "}\n\n");
}

// Of the first column the mirrors are in it, and in the last one; what is not as it would be of real numbers does not count.
static const char splitting[] =
    "// From the spectrum of real data: what is transformed at a place of the box, parts exchanged.\n"
    "real2 split(__global const real2 *source, long outer, uint at, __global const real2 *half_roots) {\n"
    "const uint k = at % ${h}u, row = at / ${h}u, other = mirror_of(row);\n"
    "__global const real2 *one = source + outer + row * ${row}u, *opposite = source + outer + other * ${row}u;\n"
    "real2 x = one[k], y = opposite[${h}u - k];\n"
    "if (k == 0) {\n"
    "const real2 first = opposite[0], last = one[${h}u];\n"
    "x = REAL(0.5) * (real2)(x.x + first.x, x.y - first.y);\n"
    "y = REAL(0.5) * (real2)(y.x + last.x, y.y - last.y);\n"
    "}\n"
    "const real2 w = half_roots[k], d = (real2)(x.x - y.x, x.y + y.y);\n"
    "return (real2)(x.y - y.y + w.x * d.x + w.y * d.y, x.x + y.x - w.x * d.y + w.y * d.x);\n"
    "}\n\n";

static const char combining[] =
    "// Number `to` of the spectrum of real data, from the results of the box in local memory.\n"
    "real2 combine(__local const real *own, uint to, __global const real2 *half_roots) {\n"
    "const uint k = to % ${row}u, row = to / ${row}u;\n"
    "const uint a = row * ${h}u + (k == ${h}u ? 0 : k), b = mirror_of(row) * ${h}u + (k == 0 || k == ${h}u ? 0 : ${h}u - k);\n"
    "const real2 x = (real2)(own[PAD(a)], own[${part}u + PAD(a)]), y = (real2)(own[PAD(b)], own[${part}u + PAD(b)]);\n"
    "const real2 w = half_roots[k], d = (real2)(x.x - y.x, x.y + y.y);\n"
    "return REAL(0.5) * (real2)(x.x + y.x + w.x * d.y + w.y * d.x, x.y - y.y + w.y * d.y - w.x * d.x);\n"
    "}\n\n";

void mst_box_write_half_functions(const mst_pass *pass, mst_text *out) {
    const size_t h = pass->box[pass->n_box - 1];
    write_mirror(pass, out);
    mst_text_put(out, pass->half == MST_HALF_COMBINE ? combining : splitting, MST_SET(h, h), MST_SET(row, h + 1),
                 MST_SET(part, mst_pass_padded_reals(pass)));
}

void mst_box_write_combined(const mst_pass *pass, mst_text *out) {
    mst_text_put(out,
                 "for (uint to = t; to < ${count}u; to += ${threads}u)\n"
                 "store_value(target, result, to$arguments, combine(own, to, half_roots));\n",
                 MST_SET(count, pass->n + rows_of(pass)), MST_SET(threads, pass->threads),
                 MST_SET(arguments, mst_store_arguments(pass)));
}
