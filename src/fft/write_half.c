// Transforms of 2 n real numbers x as n complex ones, z[p] = x[2 p] + i x[2 p + 1], in GPU-shaped kernels. With Z the transform
// of z, E[k] = (Z[k] + conj Z[n - k]) / 2, O[k] = -i (Z[k] - conj Z[n - k]) / 2 and W = exp(-2 pi i / 2n),
//   X[k] = E[k] + W^k O[k],  X[n - k] = conj(E[k] - W^k O[k]),
// and the other way Z[k] = X[k] + conj X[n - k] + i W^-k (X[k] - conj X[n - k]), without the factor 1/2.
// Both numbers of a pair are in registers of one work-item, since it has butterflies j and n / r - j of the paired step. Kernels
// of others change such pairs in their own way (mst_mirrors).
#include "write_parts.h"

static const mst_mirrors combining = {.pair = "combine",
                                      .arguments = ", half_roots",
                                      .zeroth = "last = re[0] - im[0];\nre[0] += im[0];\nim[0] = 0;",
                                      .middle = "im[e] = -im[e];"};
static const mst_mirrors splitting = {.pair = "split",
                                      .arguments = ", half_roots",
                                      .zeroth = "im[0] = re[0] + last;\nre[0] -= last;",
                                      .middle = "const real re_e = re[e];\nre[e] = -2 * im[e];\nim[e] = 2 * re_e;"};

void mst_pass_gpu_write_half_functions(const mst_pass *pass, mst_text *out) {
    if (pass->half == MST_HALF_COMBINE)
        mst_text_add(out, "// From results k (a) and n - k (b): two numbers of the spectrum of real data.\n"
                          "void combine(real *ar, real *ai, real *br, real *bi, uint k, __global const real2 *half_roots) {\n"
                          "const real2 w = half_roots[k];\n"
                          "const real er = REAL(0.5) * (*ar + *br), ei = REAL(0.5) * (*ai - *bi);\n"
                          "const real dr = REAL(0.5) * (*ar - *br), di = REAL(0.5) * (*ai + *bi);\n"
                          "const real xr = w.x * di + w.y * dr, xi = w.y * di - w.x * dr;\n"
                          "*ar = er + xr, *ai = ei + xi;\n"
                          "*br = er - xr, *bi = xi - ei;\n"
                          "}\n\n");
    else
        mst_text_add(out,
                     "// From numbers k (a) and n - k (b) of the spectrum of real data: what is transformed, parts exchanged.\n"
                     "void split(real *ar, real *ai, real *br, real *bi, uint k, __global const real2 *half_roots) {\n"
                     "const real2 w = half_roots[k];\n"
                     "const real er = *ar + *br, ei = *ai - *bi, dr = *ar - *br, di = *ai + *bi;\n"
                     "const real gr = w.x * dr + w.y * di, gi = w.x * di - w.y * dr;\n"
                     "*ai = er - gi, *ar = ei + gr;\n"
                     "*bi = er + gi, *br = gr - ei;\n"
                     "}\n\n");
}

// Butterfly 0, which has k = 0, and the one in the middle, both of work-item 0.
static void write_own_mirrors(const mst_pass *pass, const mst_mirrors *mirrors, mst_text *out) {
    unsigned r = pass->radices[mst_pass_paired_step(pass)];
    size_t count = pass->n / r;
    const mst_text_value values[] = {MST_SET(zeroth, mirrors->zeroth),
                                     MST_SET(change, mirrors->pair),
                                     MST_SET(arguments, mirrors->arguments),
                                     MST_SET(middle, mirrors->middle),
                                     MST_SET(radix, r),
                                     MST_SET(upper, 2 * r),
                                     MST_SET(half, r / 2),
                                     MST_SET(pairs, (r + 1) / 2),
                                     MST_SET(count, count),
                                     MST_SET(first, count / 2),
                                     MST_SET(center, r + r / 2),
                                     {0}};
    mst_text_put_values(out,
                        "$zeroth\n"
                        "#pragma unroll\n"
                        "for (uint q = 1; q < ${pairs}u; q++)\n"
                        "$change(re + q, im + q, re + ${radix}u - q, im + ${radix}u - q, q * ${count}u$arguments);\n",
                        values);
    if (r % 2 == 0)
        mst_text_put_values(out, "{\nconst uint e = ${half}u;\n$middle\n}\n", values);
    if (count % 2 != 0)
        return;
    mst_text_put_values(out,
                        "#pragma unroll\n"
                        "for (uint q = 0; q < ${half}u; q++)\n"
                        "$change(re + ${radix}u + q, im + ${radix}u + q, re + (${upper}u - 1 - q), im + (${upper}u - 1 - q), "
                        "${first}u + q * ${count}u$arguments);\n",
                        values);
    if (r % 2 != 0)
        mst_text_put_values(out, "{\nconst uint e = ${center}u;\n$middle\n}\n", values);
}

// Butterflies j and count - j, in registers from `lower` and `upper` on. Roots are those of k <= n/2.
static void write_mirrors(const mst_pass *pass, const mst_mirrors *mirrors, mst_text *out) {
    unsigned r = pass->radices[mst_pass_paired_step(pass)];
    const mst_text_value values[] = {MST_SET(change, mirrors->pair),
                                     MST_SET(arguments, mirrors->arguments),
                                     MST_SET(radix, r),
                                     MST_SET(most, r - 1),
                                     MST_SET(half, r / 2),
                                     MST_SET(pairs, (r + 1) / 2),
                                     MST_SET(count, pass->n / r),
                                     {0}};
    mst_text_put_values(out,
                        "const uint lower = a * (2 * ${radix}u), upper = lower + ${radix}u;\n"
                        "#pragma unroll\n"
                        "for (uint q = 0; q < ${pairs}u; q++)\n"
                        "$change(re + lower + q, im + lower + q, re + upper + (${most}u - q), im + upper + (${most}u - q), "
                        "pair + q * ${count}u$arguments);\n"
                        "#pragma unroll\n"
                        "for (uint q = 0; q < ${half}u; q++)\n"
                        "$change(re + upper + q, im + upper + q, re + lower + (${most}u - q), im + lower + (${most}u - q), "
                        "${count}u - pair + q * ${count}u$arguments);\n",
                        values);
}

void mst_pass_gpu_write_mirrors(const mst_pass *pass, const mst_mirrors *mirrors, mst_text *out) {
    int step = mst_pass_paired_step(pass);
    size_t count = pass->n / pass->radices[step], pairs = (count + 1) / 2;
    unsigned rounds = (mst_pass_gpu_butterflies(pass, step) + 1) / 2;
    bool ragged = pairs % pass->threads != 0;
    const mst_text_value values[] = {MST_SET(rounds, rounds), MST_SET(threads, pass->threads), MST_SET(pairs, pairs), {0}};
    if (count == 1) {
        mst_text_add(out, pass->threads > 1 ? "if (t == 0) {\n" : "{\n");
        write_own_mirrors(pass, mirrors, out);
        mst_text_add(out, "}\n");
        return;
    }
    mst_text_put_values(out,
                        "#pragma unroll\n"
                        "for (uint a = 0; a < ${rounds}u; a++) {\n"
                        "const uint pair = t + a * ${threads}u;\n",
                        values);
    if (ragged)
        mst_text_put_values(out, "if (pair < ${pairs}u) {\n", values);
    mst_text_add(out, "if (a == 0 && t == 0) { // these mirror themselves\n");
    write_own_mirrors(pass, mirrors, out);
    mst_text_add(out, "} else {\n");
    write_mirrors(pass, mirrors, out);
    mst_text_add(out, ragged ? "}\n}\n}\n" : "}\n}\n");
}

void mst_pass_gpu_write_combine(const mst_pass *pass, mst_text *out) {
    mst_text_add(out, "\n// Combine the results for even and odd places to the spectrum of all.\n");
    mst_pass_gpu_write_mirrors(pass, &combining, out);
}

void mst_pass_gpu_write_split(const mst_pass *pass, mst_text *out) {
    mst_text_add(out, "\n// Split the spectrum into those of even and odd places, as real and imaginary parts, exchanged.\n");
    mst_pass_gpu_write_mirrors(pass, &splitting, out);
}
