// Butterflies and steps of all radices as text, and the tables beside the steps' twiddles.
#include "any_steps.h"
#include "twiddle.h"
#include "write.h"

#include "runtime/device.h"
#include "runtime/program.h"

#include <stdlib.h>

// A step of a pass (write_cpu.c) whose sizes are arguments: blocks of radix * apart, of n elements; `inner` neighbours have the
// same twiddles.
static void write_step(unsigned r, mst_text *out) {
    mst_text_put(out,
                 "__attribute__((noinline)) void step$radix(vreal *restrict v, uint n, uint apart, uint inner, "
                 "__global const real *restrict table) {\n"
                 "const size_t s = 2 * (size_t)apart;\n"
                 "for (uint j = 0, left = inner; j < apart; j++) {\n"
                 "for (uint b = j; b < n; b += ${radix}u * apart) {\n"
                 "vreal *restrict at = v + 2 * (size_t)b;\n"
                 "vreal x[$radix], y[$radix];\n",
                 MST_SET(radix, r));
    for (unsigned q = 0; q < r; q++)
        mst_text_put(out, "x[$q] = at[$q * s], y[$q] = at[$q * s + 1];\n", MST_SET(q, q));
    mst_text_put(out, "dft$radix(x, y);\nat[0] = x[0], at[1] = y[0];\nif (apart > inner) {\n", MST_SET(radix, r));
    for (unsigned q = 1; q < r; q++)
        mst_text_put(out,
                     "at[$q * s] = x[$q] * table[$wx] - y[$q] * table[$wy], "
                     "at[$q * s + 1] = x[$q] * table[$wy] + y[$q] * table[$wx];\n",
                     MST_SET(q, q), MST_SET(wx, 2 * q - 2), MST_SET(wy, 2 * q - 1));
    mst_text_add(out, "} else {\n");
    for (unsigned q = 1; q < r; q++)
        mst_text_put(out, "at[$q * s] = x[$q], at[$q * s + 1] = y[$q];\n", MST_SET(q, q));
    mst_text_put(out, "}\n}\nif (--left == 0)\nleft = inner, table += ${reals}u;\n}\n}\n\n", MST_SET(reals, 2 * (r - 1)));
}

// The same undone (write_cpu.c): the inverse, times the radix.
static void write_step_back(unsigned r, mst_text *out) {
    mst_text_put(out,
                 "__attribute__((noinline)) void step${radix}_back(vreal *restrict v, uint n, uint apart, "
                 "__global const real *restrict table) {\n"
                 "const size_t s = 2 * (size_t)apart;\n"
                 "for (uint j = 0; j < apart; j++, table += ${reals}u)\n"
                 "for (uint b = j; b < n; b += ${radix}u * apart) {\n"
                 "vreal *restrict at = v + 2 * (size_t)b;\n"
                 "vreal x[$radix], y[$radix];\n"
                 "x[0] = at[0], y[0] = at[1];\n"
                 "if (apart > 1) {\n",
                 MST_SET(radix, r), MST_SET(reals, 2 * (r - 1)));
    for (unsigned q = 1; q < r; q++)
        mst_text_put(out,
                     "x[$q] = at[$q * s] * table[$wx] + at[$q * s + 1] * table[$wy], "
                     "y[$q] = at[$q * s + 1] * table[$wx] - at[$q * s] * table[$wy];\n",
                     MST_SET(q, q), MST_SET(wx, 2 * q - 2), MST_SET(wy, 2 * q - 1));
    mst_text_add(out, "} else {\n");
    for (unsigned q = 1; q < r; q++)
        mst_text_put(out, "x[$q] = at[$re], y[$q] = at[$im];\n", MST_SET(q, q), MST_SET(re, 2 * q), MST_SET(im, 2 * q + 1));
    mst_text_put(out, "}\ndft$radix(y, x);\n", MST_SET(radix, r));
    for (unsigned q = 0; q < r; q++)
        mst_text_put(out, "at[$q * s] = x[$q], at[$q * s + 1] = y[$q];\n", MST_SET(q, q));
    mst_text_add(out, "}\n}\n\n");
}

// inner: a parameter of the functions of steps forward only.
static void write_choice(const char *back, const char *inner, mst_text *out) {
    const char *type = inner[0] ? "uint " : "", *comma = inner[0] ? ", " : "";
    mst_text_put(out,
                 "void take_step$back(vreal *v, uint n, uint radix, uint apart$comma$type$inner, __global const real *table, "
                 "__global const real *odd) {\n"
                 "switch (radix) {\n",
                 MST_SET(back, back), MST_SET(comma, comma), MST_SET(type, type), MST_SET(inner, inner));
    for (unsigned r = 2; r <= MST_ANY_RADIX; r++)
        mst_text_put(out, "case $radix: step$radix$back(v, n, apart$comma$inner, table); break;\n", MST_SET(radix, r),
                     MST_SET(back, back), MST_SET(comma, comma), MST_SET(inner, inner));
    mst_text_put(out,
                 "case 1: break;\n"
                 "default: step_odd$back(v, n, radix, apart$comma$inner, table, odd);\n"
                 "}\n}\n\n",
                 MST_SET(back, back), MST_SET(comma, comma), MST_SET(inner, inner));
}

mst_status mst_any_write_steps(mst_context *context, bool is_double, bool back, mst_text *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_pass every = {.cpu = true, .is_double = is_double, .lanes = mst_pass_lanes(is_double)};
    for (unsigned r = 2; r <= MST_ANY_RADIX; r++)
        every.radices[every.n_radices++] = r;
    MST_TRY(mst_butterflies_write(context, &every, out, error));
    MST_TRY(mst_program_add_file(context, "any_lanes.cl", out, error));
    for (unsigned r = 2; r <= MST_ANY_RADIX; r++)
        write_step(r, out);
    MST_TRY(mst_program_add_file(context, "any_odd.cl", out, error));
    write_choice("", "inner", out);
    if (back) {
        for (unsigned r = 2; r <= MST_ANY_RADIX; r++)
            write_step_back(r, out);
        MST_TRY(mst_program_add_file(context, "any_odd_back.cl", out, error));
        write_choice("_back", "", out);
    }
fail:
    return status;
}

mst_status mst_any_write_transforms(mst_context *context, bool is_double, mst_text *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_text_add(out, "typedef long cell;\n");
    MST_TRY(mst_program_add_file(context, "any_steps.cl", out, error));
    MST_TRY(mst_any_write_steps(context, is_double, true, out, error));
    MST_TRY(mst_program_add_file(context, "any_transform.cl", out, error));
fail:
    return status;
}

void mst_any_describe_steps(const mst_pass *pass, size_t odd_at, any_steps *out) {
    size_t m = pass->n;
    *out = (any_steps){.n = (cell)pass->n, .n_steps = pass->n_radices};
    for (int k = 0; k < pass->n_radices; k++) {
        unsigned radix = pass->radices[k];
        m /= radix;
        out->radices[k] = radix;
        out->n_twiddles += m > 1 ? (cell)(m * (radix - 1)) : 0;
        out->odd[k] = (cell)(2 * odd_at);
        odd_at += radix > MST_ANY_RADIX ? radix : 0;
    }
}

// The digits of a result in the order of the radices, the first the most significant.
size_t mst_any_place(const mst_pass *pass, size_t k) {
    size_t above = pass->n, place = 0;
    for (int s = 0; s < pass->n_radices; s++) {
        above /= pass->radices[s];
        place += k % pass->radices[s] * above;
        k /= pass->radices[s];
    }
    return place;
}

void mst_any_fill_places(const mst_pass *pass, cl_uint *places) {
    for (size_t k = 0; k < pass->n; k++)
        places[k] = (cl_uint)mst_any_place(pass, k);
}

void *mst_any_place_values(const mst_pass *pass) {
    cl_uint *places = malloc(pass->n * sizeof *places);
    if (places)
        mst_any_fill_places(pass, places);
    return places;
}

size_t mst_any_count_odd(const mst_pass *pass) {
    size_t count = 0;
    for (int k = 0; k < pass->n_radices; k++)
        count += pass->radices[k] > MST_ANY_RADIX ? pass->radices[k] : 0;
    return count;
}

void mst_any_fill_odd(const mst_pass *pass, size_t at, void *table) {
    for (int s = 0; s < pass->n_radices; s++)
        for (unsigned k = 0; k < pass->radices[s] && pass->radices[s] > MST_ANY_RADIX; k++) {
            mst_root w = mst_twiddle(k, pass->radices[s]);
            mst_table_put(table, pass->is_double, at++, (mst_root){w.re, -w.im});
        }
}

void *mst_any_odd_values(const mst_pass *pass) {
    void *values = malloc(mst_any_count_odd(pass) * (pass->is_double ? sizeof(cl_double2) : sizeof(cl_float2)));
    if (values)
        mst_any_fill_odd(pass, 0, values);
    return values;
}

mst_status mst_any_allow(const mst_device_info *device, const char *what, mst_error *error) {
    if (mst_device_has_private_memory(device))
        return MST_OK;
    return mst_fail(error, MST_ERROR_UNSUPPORTED,
                    "%s of the shape cpu want up to 1 MiB of private memory a work-item, which %s does not have; use the shape "
                    "gpu, or auto",
                    what, device->name);
}
