// GPU-shaped passes that convolve cyclically with a spectrum: lengths with large prime factors in one pass (cyclic.c).
#include "pass.h"

#include <stdio.h>

static const char head[] =
    "fft_pass(__global const SOURCE *source, long source_base, ulong source_first, __global TARGET *target,\n"
    "         long target_base, ulong target_first, ulong n_lines, __global const real2 *table,\n"
    "         __global const real2 *back_table, __global const real2 *spectrum, uint unused,\n"
    "         __global const %s *load_factors, __global const real2 *store_factors, real scale)";

static const char locate[] = "    long source_at = 0, target_at = 0;\n    uint source_p = 0, target_p = 0;\n    if (active) {\n"
                             "        source_at = source_base + source_outer(source_first + line);\n"
                             "        source_p = source_position(source_first + line);\n"
                             "        target_at = target_base + target_outer(target_first + line);\n"
                             "        target_p = target_position(target_first + line);\n    }\n";

static const char convolve[] = "value = complex_multiply(value, spectrum[e])";

// Bluestein's: chirps and padding are the load and store ops'.
static void write_chirp(const mst_pass *pass, const mst_pass *back, mst_text *out) {
    char its_head[600], load[120], store[120];
    snprintf(its_head, sizeof its_head, head, "real2");
    snprintf(load, sizeof load, "load_value(source, source_at, source_p + e * %zuu, load_factors)", pass->source.step);
    snprintf(store, sizeof store, "store_value(target, target_at, target_p + e * %zuu, store_factors, scale, value)",
             pass->target.step);
    const mst_fusion fusion = {.head = its_head,
                               .locate = locate,
                               .loads = {load},
                               .forward = {true},
                               .change = convolve,
                               .backward = true,
                               .store = store};
    mst_pass_write_fusion(pass, back, &fusion, out);
}

// The line passes through local memory to come into Rader's order and out of it. x[0] is added to the whole result at frequency
// 0, where the sum of all is element 0 of the transform.
static void write_rader(const mst_pass *pass, const mst_pass *back, mst_text *out) {
    size_t n = pass->n + 1;
    char its_head[600], locate_rader[1200], store[200], finish[600];
    snprintf(its_head, sizeof its_head, head, "uint");
    snprintf(locate_rader, sizeof locate_rader,
             "%s    for (uint e = t; e < %zuu; e += %uu) {\n"
             "        const real2 value = active ? load_value(source, source_at, source_p + e * %zuu, table) : (real2)(0, 0);\n"
             "        own[2 * e] = value.x;\n        own[2 * e + 1] = value.y;\n    }\n"
             "    barrier(CLK_LOCAL_MEM_FENCE);\n    const real2 zeroth = (real2)(own[0], own[1]);\n    real2 sum = zeroth;\n",
             locate, n, pass->threads, pass->source.step);
    snprintf(store, sizeof store,
             "const uint to = load_factors[e == 0 ? 0 : %zuu - e];\n"
             "                own[2 * to] = value.x;\n                own[2 * to + 1] = value.y",
             pass->n);
    snprintf(finish, sizeof finish,
             "    if (t == 0) {\n        own[0] = sum.x;\n        own[1] = sum.y;\n    }\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
             "    for (uint e = t; e < %zuu && active; e += %uu)\n"
             "        store_value(target, target_at, target_p + e * %zuu, store_factors, scale,\n"
             "                    (real2)(own[2 * e], own[2 * e + 1]));\n",
             n, pass->threads, pass->target.step);
    const mst_fusion fusion = {.head = its_head,
                               .locate = locate_rader,
                               .loads = {"element(own, load_factors[e])"},
                               .forward = {true},
                               .change = "if (e == 0)\n                        sum += value;\n"
                                         "                    value = complex_multiply(value, spectrum[e]);\n"
                                         "                    if (e == 0)\n                        value += zeroth",
                               .backward = true,
                               .store = store,
                               .finish = finish};
    mst_text_add(out, "real2 element(__local const real *own, uint e) { return (real2)(own[2 * e], own[2 * e + 1]); }\n\n");
    mst_pass_write_fusion(pass, back, &fusion, out);
}

void mst_pass_write_convolution(const mst_pass *pass, mst_text *out) {
    const mst_pass back = mst_pass_back(pass);
    if (pass->convolution == MST_PASS_RADER)
        write_rader(pass, &back, out);
    else
        write_chirp(pass, &back, out);
}
