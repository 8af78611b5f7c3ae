// Small transforms in registers, as OpenCL C functions on arrays of `vreal`: a scalar in GPU-shaped passes, a vector of lanes in
// CPU-shaped ones. Results are in natural order.
#include "twiddle.h"
#include "write.h"

static void write_2_4_8(mst_text *out) {
    mst_text_add(out, "void dft2_of(vreal *re, vreal *im, int a, int b) {\n"
                      "vreal r = re[a] - re[b], i = im[a] - im[b];\n"
                      "re[a] += re[b];\n"
                      "im[a] += im[b];\n"
                      "re[b] = r;\n"
                      "im[b] = i;\n"
                      "}\n\n"
                      "// Multiplies by -i.\n"
                      "void turn(vreal *re, vreal *im, int a) {\n"
                      "vreal r = re[a];\n"
                      "re[a] = im[a];\n"
                      "im[a] = -r;\n"
                      "}\n\n"
                      "void exchange_two(vreal *re, vreal *im, int a, int b) {\n"
                      "vreal r = re[a], i = im[a];\n"
                      "re[a] = re[b];\n"
                      "im[a] = im[b];\n"
                      "re[b] = r;\n"
                      "im[b] = i;\n"
                      "}\n\n"
                      "// Elements a, b, c, d in natural order.\n"
                      "void dft4_of(vreal *re, vreal *im, int a, int b, int c, int d) {\n"
                      "dft2_of(re, im, a, c);\n"
                      "dft2_of(re, im, b, d);\n"
                      "turn(re, im, d);\n"
                      "dft2_of(re, im, a, b);\n"
                      "dft2_of(re, im, c, d);\n"
                      "exchange_two(re, im, b, c);\n"
                      "}\n\n"
                      "// Multiplies by cos - i sin.\n"
                      "void rotate_by(vreal *re, vreal *im, int a, real c, real s) {\n"
                      "vreal r = re[a] * c + im[a] * s;\n"
                      "im[a] = im[a] * c - re[a] * s;\n"
                      "re[a] = r;\n"
                      "}\n\n");
}

static void write_8(mst_text *out) {
    mst_text_add(out, "void dft8(vreal *re, vreal *im) {\n"
                      "const real h = REAL(0.70710678118654752440);\n"
                      "dft2_of(re, im, 0, 4);\n"
                      "dft2_of(re, im, 1, 5);\n"
                      "dft2_of(re, im, 2, 6);\n"
                      "dft2_of(re, im, 3, 7);\n"
                      "vreal r = re[5], i = im[5];\n"
                      "re[5] = (r + i) * h;\n"
                      "im[5] = (i - r) * h;\n"
                      "turn(re, im, 6);\n"
                      "r = re[7], i = im[7];\n"
                      "re[7] = (i - r) * h;\n"
                      "im[7] = -(r + i) * h;\n"
                      "dft4_of(re, im, 0, 1, 2, 3);\n"
                      "dft4_of(re, im, 4, 5, 6, 7);\n"
                      "// Even results are in the first half, odd ones in the second.\n"
                      "exchange_two(re, im, 1, 4);\n"
                      "exchange_two(re, im, 3, 6);\n"
                      "exchange_two(re, im, 2, 4);\n"
                      "exchange_two(re, im, 3, 5);\n"
                      "}\n\n");
}

static void write_16(mst_text *out) {
    static const char *const rotations = "rotate_by(re, im, 5, c, s);\n"
                                         "rotate_by(re, im, 6, h, h);\n"
                                         "rotate_by(re, im, 7, s, c);\n"
                                         "rotate_by(re, im, 9, h, h);\n"
                                         "turn(re, im, 10);\n"
                                         "rotate_by(re, im, 11, -h, h);\n"
                                         "rotate_by(re, im, 13, s, c);\n"
                                         "rotate_by(re, im, 14, -h, h);\n"
                                         "rotate_by(re, im, 15, -c, -s);\n";
    mst_text_add(out, "// Four transforms of every fourth element, twiddles, four of neighbours.\n"
                      "void dft16(vreal *re, vreal *im) {\n"
                      "const real h = REAL(0.70710678118654752440), c = REAL(0.92387953251128675613), "
                      "s = REAL(0.38268343236508977173);\n");
    for (int k = 0; k < 4; k++)
        mst_text_add(out, "dft4_of(re, im, %d, %d, %d, %d);\n", k, k + 4, k + 8, k + 12);
    mst_text_add(out, "%s", rotations);
    for (int k = 0; k < 16; k += 4)
        mst_text_add(out, "dft4_of(re, im, %d, %d, %d, %d);\n", k, k + 1, k + 2, k + 3);
    for (int k = 0; k < 4; k++)
        for (int j = k + 1; j < 4; j++)
            mst_text_add(out, "exchange_two(re, im, %d, %d);\n", 4 * k + j, 4 * j + k);
    mst_text_add(out, "}\n\n");
}

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

static void write_one(unsigned r, bool *written, mst_text *out) {
    if (written[r])
        return;
    written[r] = true;
    if (first_part[r]) {
        write_one(first_part[r], written, out);
        write_one(r / first_part[r], written, out);
        write_composite(r, first_part[r], out);
    } else if (r == 1)
        mst_text_add(out, "void dft1(vreal *re, vreal *im) {}\n\n");
    else if (r == 2)
        mst_text_add(out, "void dft2(vreal *re, vreal *im) { dft2_of(re, im, 0, 1); }\n\n");
    else if (r == 4)
        mst_text_add(out, "void dft4(vreal *re, vreal *im) { dft4_of(re, im, 0, 1, 2, 3); }\n\n");
    else if (r == 8)
        write_8(out);
    else if (r == 16)
        write_16(out);
    else
        write_odd(r, out);
}

void mst_butterflies_write(const unsigned *radices, int n_radices, mst_text *out) {
    bool written[MST_PASS_MAX_RADIX + 1] = {false};
    write_2_4_8(out);
    for (int k = 0; k < n_radices; k++)
        write_one(radices[k], written, out);
}
