// CPU-shaped passes: a work-item transforms a tile of `lanes` lines at once, lane l of every vector belonging to line l, in place
// in private arrays that stay in the cache: no barriers, work-groups of one. Decimation in frequency: a step on blocks of m
// elements with radix r takes elements j + q m/r and multiplies result q by exp(-2 pi i j q / m), which leaves results in
// digit-reversed order; storing puts them right.
#include "pass.h"

// The index in the arrays of result k.
static void write_place(const mst_pass *pass, mst_text *out) {
    size_t below = 1, above = pass->n;
    mst_text_add(out, "uint place(uint k) {\n    return ");
    for (int s = 0; s < pass->n_radices; s++) {
        above /= pass->radices[s];
        mst_text_add(out, "%sk / %zuu %% %uu * %zuu", s ? " + " : "", below, pass->radices[s], above);
        below *= pass->radices[s];
    }
    mst_text_add(out, ";\n}\n\n");
}

static void write_steps(const mst_pass *pass, mst_text *out) {
    size_t m = pass->n, table_at = 0;
    for (int s = 0; s < pass->n_radices; s++) {
        unsigned r = pass->radices[s];
        size_t apart = m / r;
        mst_text_add(out, "        // Step %d: radix %u on blocks of %zu.\n        for (uint j = 0; j < %zuu; j++) {\n", s + 1, r,
                     m, apart);
        if (apart > 1)
            mst_text_add(out, "            __global const real2 *w = table + %zuu + j * %uu;\n", table_at, r - 1);
        mst_text_add(out, "            for (uint b = j; b < %zuu; b += %zuu) {\n                vreal x[%u], y[%u];\n", pass->n,
                     m, r, r);
        for (unsigned q = 0; q < r; q++)
            mst_text_add(out, "                x[%u] = RE(b + %zu), y[%u] = IM(b + %zu);\n", q, q * apart, q, q * apart);
        mst_text_add(out, "                dft%u(x, y);\n                RE(b) = x[0], IM(b) = y[0];\n", r);
        for (unsigned q = 1; q < r; q++) {
            size_t at = q * apart;
            if (apart > 1)
                mst_text_add(out,
                             "                RE(b + %zu) = x[%u] * w[%u].x - y[%u] * w[%u].y, "
                             "IM(b + %zu) = x[%u] * w[%u].y + y[%u] * w[%u].x;\n",
                             at, q, q - 1, q, q - 1, at, q, q - 1, q, q - 1);
            else
                mst_text_add(out, "                RE(b + %zu) = x[%u], IM(b + %zu) = y[%u];\n", at, q, at, q);
        }
        mst_text_add(out, "            }\n        }\n");
        if (apart > 1)
            table_at += apart * (r - 1);
        m = apart;
    }
}

static void write_macros(const mst_pass *pass, mst_text *out) {
    mst_text_add(out,
                 "#define LANES %uu\n"
                 "// The parts of a number lie side by side: one cache line, and fewer of them in one set.\n"
                 "#define RE(i) v[2 * (i)]\n#define IM(i) v[2 * (i) + 1]\n\n",
                 pass->lanes);
}

// Decimation in time from where write_steps leaves results: the same steps undone one by one, with the same table.
static void write_steps_back(const mst_pass *pass, mst_text *out) {
    size_t apart = 1, table_at = mst_pass_table_count(pass);
    for (int s = pass->n_radices - 1; s >= 0; s--) {
        unsigned r = pass->radices[s];
        size_t m = apart * r;
        mst_text_add(out, "        // Radix %u on blocks of %zu.\n        for (uint j = 0; j < %zuu; j++) {\n", r, m, apart);
        if (apart > 1) {
            table_at -= apart * (r - 1);
            mst_text_add(out, "            __global const real2 *w = table + %zuu + j * %uu;\n", table_at, r - 1);
        }
        mst_text_add(out,
                     "            for (uint b = j; b < %zuu; b += %zuu) {\n                vreal x[%u], y[%u];\n"
                     "                x[0] = RE(b), y[0] = IM(b);\n",
                     pass->n, m, r, r);
        for (unsigned q = 1; q < r; q++) {
            size_t at = q * apart;
            if (apart > 1)
                mst_text_add(out,
                             "                x[%u] = RE(b + %zu) * w[%u].x + IM(b + %zu) * w[%u].y, "
                             "y[%u] = IM(b + %zu) * w[%u].x - RE(b + %zu) * w[%u].y;\n",
                             q, at, q - 1, at, q - 1, q, at, q - 1, at, q - 1);
            else
                mst_text_add(out, "                x[%u] = RE(b + %zu), y[%u] = IM(b + %zu);\n", q, at, q, at);
        }
        mst_text_add(out, "                dft%u(y, x);\n", r);
        for (unsigned q = 0; q < r; q++)
            mst_text_add(out, "                RE(b + %zu) = x[%u], IM(b + %zu) = y[%u];\n", q * apart, q, q * apart, q);
        mst_text_add(out, "            }\n        }\n");
        apart = m;
    }
}

void mst_pass_write_cpu_steps(const mst_pass *pass, bool backward, mst_text *out) {
    write_macros(pass, out);
    write_place(pass, out);
    mst_text_add(out, "void forward(vreal *v, __global const real2 *table) {\n");
    write_steps(pass, out);
    mst_text_add(out, "}\n\n");
    if (!backward)
        return;
    mst_text_add(out, "void backward(vreal *v, __global const real2 *table) {\n");
    write_steps_back(pass, out);
    mst_text_add(out, "}\n\n");
}

void mst_pass_write_cpu(const mst_pass *pass, mst_text *out) {
    write_macros(pass, out);
    mst_pass_write_cpu_rows(pass, out);
    write_place(pass, out);
    mst_text_add(out, "__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void\n"
                      "fft_pass(__global const SOURCE *source, long source_base, ulong source_first, __global TARGET *target,\n"
                      "         long target_base, ulong target_first, ulong n_lines, __global const real2 *table,\n"
                      "         __global const real2 *low, __global const real2 *high, uint log_low,\n"
                      "         __global const real2 *load_factors, __global const real2 *store_factors, real scale,\n"
                      "         __global const real *lane_twiddles, uint tiles) {\n");
    mst_text_add(out,
                 "    vreal v[%zu];\n"
                 "    for (uint tile = 0; tile < tiles; tile++) {\n"
                 "        const ulong first = (get_global_id(0) * tiles + tile) * LANES;\n"
                 "        if (first >= n_lines)\n            return;\n"
                 "        const uint count = n_lines - first < LANES ? (uint)(n_lines - first) : LANES;\n",
                 2 * pass->n);
    mst_pass_write_cpu_load(pass, out);
    write_steps(pass, out);
    mst_pass_write_cpu_store(pass, out);
    mst_text_add(out, "    }\n}\n");
}
