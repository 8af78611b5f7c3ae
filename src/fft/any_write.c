// The text of the kernels for any length: butterflies and steps of all radices, and any.cl around them.
#include "any.h"
#include "write.h"

#include "runtime/program.h"

// A step of a pass (write_cpu.c) whose sizes are arguments: blocks of radix * apart, of n elements.
static void write_step(unsigned r, mst_text *out) {
    mst_text_put(out,
                 "__attribute__((noinline)) void step$radix(vreal *restrict v, uint n, uint apart, "
                 "__global const real *restrict table) {\n"
                 "const size_t s = 2 * (size_t)apart;\n"
                 "for (uint j = 0; j < apart; j++, table += ${reals}u)\n"
                 "for (uint b = j; b < n; b += ${radix}u * apart) {\n"
                 "vreal *restrict at = v + 2 * (size_t)b;\n"
                 "vreal x[$radix], y[$radix];\n",
                 MST_SET(radix, r), MST_SET(reals, 2 * (r - 1)));
    for (unsigned q = 0; q < r; q++)
        mst_text_put(out, "x[$q] = at[$q * s], y[$q] = at[$q * s + 1];\n", MST_SET(q, q));
    mst_text_put(out, "dft$radix(x, y);\nat[0] = x[0], at[1] = y[0];\nif (apart > 1) {\n", MST_SET(radix, r));
    for (unsigned q = 1; q < r; q++)
        mst_text_put(out,
                     "at[$q * s] = x[$q] * table[$wx] - y[$q] * table[$wy], "
                     "at[$q * s + 1] = x[$q] * table[$wy] + y[$q] * table[$wx];\n",
                     MST_SET(q, q), MST_SET(wx, 2 * q - 2), MST_SET(wy, 2 * q - 1));
    mst_text_add(out, "} else {\n");
    for (unsigned q = 1; q < r; q++)
        mst_text_put(out, "at[$re] = x[$q], at[$im] = y[$q];\n", MST_SET(q, q), MST_SET(re, 2 * q), MST_SET(im, 2 * q + 1));
    mst_text_add(out, "}\n}\n}\n\n");
}

static void write_choice(mst_text *out) {
    mst_text_add(out, "void take_step(vreal *v, uint n, uint radix, uint apart, __global const real *table, "
                      "__global const real *odd) {\n"
                      "switch (radix) {\n");
    for (unsigned r = 2; r <= MST_ANY_RADIX; r++)
        mst_text_put(out, "case $radix: step$radix(v, n, apart, table); break;\n", MST_SET(radix, r));
    mst_text_add(out, "case 1: break;\n"
                      "default: step_odd(v, n, radix, apart, table, odd);\n"
                      "}\n}\n\n");
}

mst_status mst_any_write(mst_context *context, bool is_double, mst_text *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_pass every = {.cpu = true, .is_double = is_double, .lanes = mst_pass_lanes(is_double)};
    for (unsigned r = 2; r <= MST_ANY_RADIX; r++)
        every.radices[every.n_radices++] = r;
    mst_text_add(out, "// Transforms of any length: sizes, radices and strides are arguments.\ntypedef long cell;\n");
    MST_TRY(mst_program_add_file(context, "any_pass.cl", out, error));
    MST_TRY(mst_butterflies_write(context, &every, out, error));
    for (unsigned r = 2; r <= MST_ANY_RADIX; r++)
        write_step(r, out);
    MST_TRY(mst_program_add_file(context, "any_odd.cl", out, error));
    write_choice(out);
    MST_TRY(mst_program_add_file(context, "any.cl", out, error));
fail:
    return status;
}
