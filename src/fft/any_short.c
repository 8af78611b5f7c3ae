// Steps of short columns that read or write memory, as text (any_short.cl).
#include "any_steps.h"

// Columns of a radix's length, from memory to memory.
static void write_columns(unsigned r, mst_text *out) {
    mst_text_put(out,
                 "__attribute__((noinline)) void columns$radix(__global const real *from, __global real *to, uint many, "
                 "long s_stride, long t_stride, uint swap, real scale) {\n"
                 "for (uint k = 0; k < many; k++, from += 2 * LANES, to += 2 * LANES) {\n"
                 "vreal x[$radix], y[$radix];\n",
                 MST_SET(radix, r));
    for (unsigned q = 0; q < r; q++)
        mst_text_put(out, "take_column(x + $q, y + $q, from + $q * s_stride, swap);\n", MST_SET(q, q));
    mst_text_put(out, "dft$radix(x, y);\n", MST_SET(radix, r));
    for (unsigned q = 0; q < r; q++)
        mst_text_put(out, "put_column(x[$q] * scale, y[$q] * scale, to + $q * t_stride, swap);\n", MST_SET(q, q));
    mst_text_add(out, "}\n}\n\n");
}

// The first of several steps, from memory to a tile of `many` vectors of columns of n numbers.
static void write_first(unsigned r, mst_text *out) {
    mst_text_put(out,
                 "__attribute__((noinline)) void first$radix(__global const real *from, vreal *restrict v, uint n, uint many, "
                 "long stride, uint swap, __global const real *restrict table) {\n"
                 "const uint apart = n / ${radix}u;\n"
                 "const long far = apart * stride;\n"
                 "for (uint j = 0; j < apart; j++, from += stride, table += ${reals}u)\n"
                 "for (uint k = 0; k < many; k++) {\n"
                 "vreal *restrict at = v + 2 * (size_t)(n * k + j);\n"
                 "vreal x[$radix], y[$radix];\n",
                 MST_SET(radix, r), MST_SET(reals, 2 * (r - 1)));
    for (unsigned q = 0; q < r; q++)
        mst_text_put(out, "take_column(x + $q, y + $q, from + 2 * LANES * k + $q * far, swap);\n", MST_SET(q, q));
    mst_text_put(out, "dft$radix(x, y);\nat[0] = x[0], at[1] = y[0];\n", MST_SET(radix, r));
    for (unsigned q = 1; q < r; q++)
        mst_text_put(out,
                     "at[$at * apart] = x[$q] * table[$wx] - y[$q] * table[$wy], "
                     "at[$at * apart + 1] = x[$q] * table[$wy] + y[$q] * table[$wx];\n",
                     MST_SET(q, q), MST_SET(at, 2 * q), MST_SET(wx, 2 * q - 2), MST_SET(wy, 2 * q - 1));
    mst_text_add(out, "}\n}\n\n");
}

// The last of several steps, from the tile to memory. Its blocks lie side by side; of result k of the steps before, the block is
// where result k of all is (any_steps.h).
static void write_last(unsigned r, mst_text *out) {
    mst_text_put(out,
                 "__attribute__((noinline)) void last$radix(const vreal *restrict v, __global real *to, "
                 "__global const uint *restrict places, uint n, uint many, long stride, uint swap, real scale) {\n"
                 "const uint blocks = n / ${radix}u;\n"
                 "const long far = blocks * stride;\n"
                 "for (uint b = 0; b < blocks; b++, to += stride)\n"
                 "for (uint k = 0; k < many; k++) {\n"
                 "const vreal *restrict at = v + 2 * (size_t)(n * k + places[b]);\n"
                 "vreal x[$radix], y[$radix];\n",
                 MST_SET(radix, r));
    for (unsigned q = 0; q < r; q++)
        mst_text_put(out, "x[$q] = at[$re], y[$q] = at[$im];\n", MST_SET(q, q), MST_SET(re, 2 * q), MST_SET(im, 2 * q + 1));
    mst_text_put(out, "dft$radix(x, y);\n", MST_SET(radix, r));
    for (unsigned q = 0; q < r; q++)
        mst_text_put(out, "put_column(x[$q] * scale, y[$q] * scale, to + 2 * LANES * k + $q * far, swap);\n", MST_SET(q, q));
    mst_text_add(out, "}\n}\n\n");
}

// The beginning of a function that chooses one of those of radices.
static void write_choice(const char *name, unsigned least, unsigned most, const char *parameters, const char *arguments,
                         mst_text *out) {
    mst_text_put(out, "void take_$name(uint radix, $parameters) {\nswitch (radix) {\n", MST_SET(name, name),
                 MST_SET(parameters, parameters));
    for (unsigned r = least; r <= most; r++)
        mst_text_put(out, "case $radix: $name$radix($arguments); break;\n", MST_SET(radix, r), MST_SET(name, name),
                     MST_SET(arguments, arguments));
}

#define COLUMNS "from, to, many, s_stride, t_stride, swap, scale"

void mst_any_write_columns(mst_text *out) {
    for (unsigned r = 2; r <= MST_ANY_RADIX; r++)
        write_columns(r, out);
    for (unsigned r = MST_ANY_FIRST_LEAST; r <= MST_ANY_FIRST_MOST; r++)
        write_first(r, out);
    for (unsigned r = 2; r <= MST_ANY_LAST_MOST; r++)
        write_last(r, out);
    write_choice("columns", 2, MST_ANY_RADIX,
                 "__global const real *from, __global real *to, uint many, long s_stride, long t_stride, uint swap, real scale, "
                 "__global const real *odd",
                 COLUMNS, out);
    mst_text_add(out, "default: columns_odd(radix, " COLUMNS ", odd);\n}\n}\n\n");
    write_choice("first", MST_ANY_FIRST_LEAST, MST_ANY_FIRST_MOST,
                 "__global const real *from, vreal *v, uint n, uint many, long stride, uint swap, __global const real *table",
                 "from, v, n, many, stride, swap, table", out);
    mst_text_add(out, "}\n}\n\n");
    write_choice("last", 2, MST_ANY_LAST_MOST,
                 "const vreal *v, __global real *to, __global const uint *places, uint n, uint many, long stride, uint swap, "
                 "real scale",
                 "v, to, places, n, many, stride, swap, scale", out);
    mst_text_add(out, "}\n}\n\n");
}
