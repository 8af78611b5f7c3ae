// Small transforms in registers, as OpenCL C functions on arrays of `vreal`: a number in GPU-shaped passes, a vector of lanes in
// CPU-shaped ones. Results are in natural order. Those of powers of two are in .cl files, others are written here.
#include "twiddle.h"
#include "write.h"

#include "runtime/program.h"

// r = a b: transforms of length a of every b-th element, twiddles, transforms of length b across them.
static void write_composite(unsigned r, unsigned a, mst_text *out) {
    unsigned b = r / a;
    mst_text_put(out,
                 "// $a times $b points.\n"
                 "void dft$r(vreal *re, vreal *im) {\n"
                 "vreal x[$r], y[$r], u[$b], v[$b];\n",
                 MST_SET(r, r), MST_SET(a, a), MST_SET(b, b));
    for (unsigned k = 0; k < b; k++) {
        for (unsigned j = 0; j < a; j++)
            mst_text_put(out, "x[$to] = re[$from], y[$to] = im[$from];\n", MST_SET(to, a * k + j), MST_SET(from, k + b * j));
        mst_text_put(out, "dft$a(x + $first, y + $first);\n", MST_SET(a, a), MST_SET(first, a * k));
        for (unsigned q = 1; q < a && k > 0; q++) {
            mst_root w = mst_twiddle(k * q, r);
            mst_text_add(out, "rotate_by(x, y, %u, REAL(%.21Lf), REAL(%.21Lf));\n", a * k + q, w.re, -w.im);
        }
    }
    for (unsigned q = 0; q < a; q++) {
        for (unsigned k = 0; k < b; k++)
            mst_text_put(out, "u[$k] = x[$from], v[$k] = y[$from];\n", MST_SET(k, k), MST_SET(from, a * k + q));
        mst_text_put(out, "dft$b(u, v);\n", MST_SET(b, b));
        for (unsigned p = 0; p < b; p++)
            mst_text_put(out, "re[$to] = u[$p], im[$to] = v[$p];\n", MST_SET(to, q + a * p), MST_SET(p, p));
    }
    mst_text_add(out, "}\n\n");
}

// " + v1 REAL(f1) + v2 REAL(f2) ...", factors cos or sin of 2 pi j k / r.
static void write_sum(unsigned r, unsigned k, const char *variable, bool sine, mst_text *out) {
    for (unsigned j = 1; j <= (r - 1) / 2; j++) {
        mst_root w = mst_twiddle(j * k % r, r);
        mst_text_add(out, "%s%s%u * REAL(%.21Lg)", sine && j == 1 ? "" : " + ", variable, j, sine ? -w.im : w.re);
    }
}

// Results k and r - k: x0 and a sum of cosines, and a sum of sines.
static void write_odd_results(unsigned r, unsigned k, mst_text *out) {
    const mst_text_value values[] = {MST_SET(k, k), MST_SET(opposite, r - k), {0}};
    mst_text_add(out, "a = r0");
    write_sum(r, k, "pr", false, out);
    mst_text_add(out, ";\nb = ");
    write_sum(r, k, "mi", true, out);
    mst_text_put_values(out, ";\nre[$k] = a + b;\nre[$opposite] = a - b;\n", values);
    mst_text_add(out, "a = i0");
    write_sum(r, k, "pi", false, out);
    mst_text_add(out, ";\nb = ");
    write_sum(r, k, "mr", true, out);
    mst_text_put_values(out, ";\nim[$k] = a - b;\nim[$opposite] = a + b;\n", values);
}

// Odd lengths by sums (p) and differences (m) of opposite elements:
// Z[k], Z[r-k] = x0 + sum_j (x_j + x_(r-j)) cos(2 pi j k / r) -+ i sum_j (x_j - x_(r-j)) sin(2 pi j k / r).
static void write_odd(unsigned r, mst_text *out) {
    unsigned half = (r - 1) / 2;
    mst_text_put(out,
                 "// By sums and differences of opposite elements.\n"
                 "void dft$r(vreal *re, vreal *im) {\n"
                 "const vreal r0 = re[0], i0 = im[0];\n",
                 MST_SET(r, r));
    for (unsigned j = 1; j <= half; j++)
        mst_text_put(out,
                     "const vreal pr$j = re[$j] + re[$opposite], pi$j = im[$j] + im[$opposite];\n"
                     "const vreal mr$j = re[$j] - re[$opposite], mi$j = im[$j] - im[$opposite];\n",
                     MST_SET(j, j), MST_SET(opposite, r - j));
    for (unsigned part = 0; part < 2; part++) {
        mst_text_add(out, part ? "im[0] = i0" : "re[0] = r0");
        for (unsigned j = 1; j <= half; j++)
            mst_text_add(out, " + p%c%u", part ? 'i' : 'r', j);
        mst_text_add(out, ";\n");
    }
    mst_text_add(out, "vreal a, b;\n");
    for (unsigned k = 1; k <= half; k++)
        write_odd_results(r, k, out);
    mst_text_add(out, "}\n\n");
}

// How composite radices are made: the length of the first transforms; 0 for those with code of their own.
static const unsigned char first_part[MST_PASS_MAX_RADIX + 1] = {
    [6] = 2,  [9] = 3,  [10] = 2, [12] = 4, [14] = 2, [15] = 3, [18] = 3,
    [20] = 4, [21] = 3, [22] = 2, [24] = 3, [25] = 5, [32] = 8};

static mst_status write_one(mst_context *context, unsigned r, bool *written, mst_text *out, mst_error *error) {
    mst_status status = MST_OK;
    if (written[r])
        return MST_OK;
    written[r] = true;
    if (first_part[r]) {
        MST_TRY(write_one(context, first_part[r], written, out, error));
        MST_TRY(write_one(context, r / first_part[r], written, out, error));
        write_composite(r, first_part[r], out);
    } else if (r == 8 || r == 16) {
        MST_TRY(mst_program_add_file(context, r == 8 ? "dft8.cl" : "dft16.cl", out, error));
    } else if (r == 1) {
        mst_text_add(out, "void dft1(vreal *re, vreal *im) {}\n\n");
    } else if (r == 2) {
        mst_text_add(out, "void dft2(vreal *re, vreal *im) { dft2_of(re, im, 0, 1); }\n\n");
    } else if (r == 4) {
        mst_text_add(out, "void dft4(vreal *re, vreal *im) { dft4_of(re, im, 0, 1, 2, 3); }\n\n");
    } else {
        write_odd(r, out);
    }
fail:
    return status;
}

mst_status mst_butterflies_write(mst_context *context, const mst_pass *pass, mst_text *out, mst_error *error) {
    mst_status status = MST_OK;
    bool written[MST_PASS_MAX_RADIX + 1] = {false};
    if (pass->cpu)
        mst_text_put(out, "typedef $real$lanes vreal; // a number of each line that is worked on at once\n\n",
                     MST_SET(real, pass->is_double ? "double" : "float"), MST_SET(lanes, pass->lanes));
    else
        mst_text_add(out, "typedef real vreal;\n\n");
    MST_TRY(mst_program_add_file(context, "butterflies.cl", out, error));
    for (int k = 0; k < pass->n_radices; k++)
        MST_TRY(write_one(context, pass->radices[k], written, out, error));
fail:
    return status;
}
