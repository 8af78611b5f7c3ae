// GPU-shaped passes: the work-items of a transform hold it in registers and exchange it through local memory between the steps of
// Stockham's algorithm. With span = the product of the radices before, step radix r computes butterfly j = 0 .. n/r - 1, k = j
// mod span, from elements j + q n/r and leaves its results at (j - k) r + k + q span.
#include "pass.h"

#include <stdio.h>

// What the arrays of registers and the table of a transform are called.
typedef struct names {
    const char *re, *im, *table;
} names;

static const char *const barrier = "    barrier(CLK_LOCAL_MEM_FENCE);\n";

static unsigned butterflies(const mst_pass *pass, unsigned r) {
    return (unsigned)((pass->n / r + pass->threads - 1) / pass->threads);
}

static bool is_ragged(const mst_pass *pass, unsigned r) { return pass->n / r % pass->threads != 0; }

// for all butterflies of a step: "{", or "if (...) {" where the last round is not full
static void open_butterflies(const mst_pass *pass, unsigned r, mst_text *out) {
    mst_text_add(out, "#pragma unroll\n    for (uint i = 0; i < %uu; i++) {\n        const uint j = t + i * %uu;\n",
                 butterflies(pass, r), pass->threads);
    if (is_ragged(pass, r))
        mst_text_add(out, "        if (j < %zuu) {\n", pass->n / r);
    else
        mst_text_add(out, "        {\n");
}

static void close_butterflies(mst_text *out) { mst_text_add(out, "        }\n    }\n"); }

// The work-group's lines, element by element in the order of memory; `work` is what is done with element e of line l, which is
// *mine in local memory.
static void write_staging(const mst_pass *pass, const char *side, const char *work, mst_text *out) {
    unsigned group = pass->lines;
    mst_text_add(out,
                 "#pragma unroll\n    for (uint i = 0; i < %zuu; i++) {\n        const uint g = id + i * %uu, e = g %% %zuu;\n"
                 "        const ulong l = get_group_id(0) * (ulong)%u + g / %zuu;\n        if (l < n_lines) {\n"
                 "            __local real2 *mine = stage + g / %zuu * %zuu + e;\n"
                 "            const long at = %s_base + %s_outer(%s_first + l);\n"
                 "            const uint p = %s_position(%s_first + l) + e * %zuu;\n%s        }\n    }\n",
                 pass->n, group, pass->n, group, pass->n, pass->n, pass->n | 1, side, side, side, side, side,
                 side[0] == 's' ? pass->source.step : pass->target.step, work);
}

static void write_staged_loading(const mst_pass *pass, mst_text *out) {
    write_staging(pass, "source", "            *mine = load_value(source, at, p, load_factors);\n", out);
    mst_text_add(out,
                 "    barrier(CLK_LOCAL_MEM_FENCE);\n#pragma unroll\n    for (uint q = 0; q < %zuu; q++) {\n"
                 "        const real2 value = active ? stage[id * %zuu + q] : (real2)(0, 0);\n"
                 "        re[q] = value.x;\n        im[q] = value.y;\n    }\n",
                 pass->n, pass->n | 1);
}

static void write_staged_storing(const mst_pass *pass, mst_text *out) {
    mst_text_add(out,
                 "    barrier(CLK_LOCAL_MEM_FENCE);\n#pragma unroll\n    for (uint q = 0; q < %zuu; q++)\n"
                 "        stage[id * %zuu + q] = (real2)(re[q], im[q]);\n    barrier(CLK_LOCAL_MEM_FENCE);\n",
                 pass->n, pass->n | 1);
    write_staging(pass, "target", "            store_value(target, at, p, store_factors, scale, *mine);\n", out);
}

// Loads an operand where `load` gives element e, in the places that the first step of `pass` reads, or the last one leaves.
static void write_operand(const mst_pass *pass, const char *load, bool for_first_step, mst_text *out) {
    unsigned r = pass->radices[for_first_step ? 0 : pass->n_radices - 1];
    open_butterflies(pass, r, out);
    mst_text_add(out,
                 "#pragma unroll\n            for (uint q = 0; q < %uu; q++) {\n                const uint e = j + q * %zuu;\n"
                 "                real2 value = (real2)(0, 0);\n                if (active)\n"
                 "                    value = %s;\n"
                 "                re[i * %uu + q] = value.x;\n                im[i * %uu + q] = value.y;\n            }\n",
                 r, pass->n / r, load, r, r);
    close_butterflies(out);
}

static void write_loading(const mst_pass *pass, mst_text *out) {
    char load[100];
    snprintf(load, sizeof load, "load_value(source, outer, position + e * %zuu, load_factors)", pass->source.step);
    mst_text_add(out, "    {\n    long outer = 0;\n    uint position = 0;\n    if (active) {\n"
                      "        outer = source_base + source_outer(source_first + line);\n"
                      "        position = source_position(source_first + line);\n    }\n");
    write_operand(pass, load, true, out);
    mst_text_add(out, "    }\n");
}

// One step's arithmetic: twiddles, then butterflies.
static void write_step(const mst_pass *pass, int s, size_t span, size_t table_at, names n, mst_text *out) {
    unsigned r = pass->radices[s];
    open_butterflies(pass, r, out);
    if (span > 1)
        mst_text_add(out,
                     "            const uint k = j %% %zuu;\n#pragma unroll\n            for (uint q = 1; q < %uu; q++) {\n"
                     "                const real2 w = %s[%zuu + (q - 1) * %zuu + k];\n"
                     "                const real a = %s[i * %uu + q], b = %s[i * %uu + q];\n"
                     "                %s[i * %uu + q] = a * w.x - b * w.y;\n"
                     "                %s[i * %uu + q] = a * w.y + b * w.x;\n            }\n",
                     span, r, n.table, table_at, span, n.re, r, n.im, r, n.re, r, n.im, r);
    mst_text_add(out, "            dft%u(%s + i * %uu, %s + i * %uu);\n", r, n.re, r, n.im, r);
    close_butterflies(out);
}

static void write_exchange_half(const mst_pass *pass, int s, size_t span, const char *part, unsigned offset, bool write,
                                mst_text *out) {
    unsigned r = pass->radices[write ? s : s + 1];
    open_butterflies(pass, r, out);
    if (write)
        mst_text_add(
            out,
            "            const uint to = (j / %zuu) * %zuu + j %% %zuu;\n#pragma unroll\n"
            "            for (uint q = 0; q < %uu; q++)\n                own[%uu + PAD(to + q * %zuu)] = %s[i * %uu + q];\n",
            span, span * r, span, r, offset, span, part, r);
    else
        mst_text_add(out,
                     "#pragma unroll\n            for (uint q = 0; q < %uu; q++)\n"
                     "                %s[i * %uu + q] = own[%uu + PAD(j + q * %zuu)];\n",
                     r, part, r, offset, pass->n / r);
    close_butterflies(out);
}

// Which line and which of its work-items this one is, where `run` neighbours share a line.
static void write_placing(const mst_pass *pass, unsigned run, mst_text *out) {
    mst_text_add(out,
                 "    c_ = id / %uu %% %uu, t = id / %uu * %uu + id %% %uu;\n"
                 "    line = get_group_id(0) * (ulong)%u + c_, active = line < n_lines;\n",
                 run, pass->lines, run * pass->lines, run, run, pass->lines);
    if (pass->n_radices > 1)
        mst_text_add(out, "    own = exchange + c_ * %zuu;\n", mst_pass_own_reals(pass));
}

// `used`: local memory may still be read by others from the exchange before. The first exchange may also hand lines over to other
// work-items, so that those are neighbours that load, and later store, neighbours in memory.
static void write_exchange(const mst_pass *pass, int s, size_t span, bool used, names n, mst_text *out) {
    unsigned second = pass->split_exchange ? 0 : (unsigned)mst_pass_padded_reals(pass);
    bool hand_over = s == 0 && pass->load_run != pass->run;
    if (used)
        mst_text_add(out, "%s", barrier);
    write_exchange_half(pass, s, span, n.re, 0, true, out);
    if (!pass->split_exchange)
        write_exchange_half(pass, s, span, n.im, second, true, out);
    mst_text_add(out, "%s", barrier);
    if (hand_over)
        write_placing(pass, pass->run, out);
    write_exchange_half(pass, s, span, n.re, 0, false, out);
    if (pass->split_exchange) {
        mst_text_add(out, "%s", barrier);
        if (hand_over)
            write_placing(pass, pass->load_run, out);
        write_exchange_half(pass, s, span, n.im, second, true, out);
        mst_text_add(out, "%s", barrier);
        if (hand_over)
            write_placing(pass, pass->run, out);
    }
    write_exchange_half(pass, s, span, n.im, second, false, out);
}

// All steps: elements j + q n/r of the first radix in, j + q n/r of the last one out.
static void write_steps(const mst_pass *pass, bool used, names n, mst_text *out) {
    size_t span = 1, table_at = 0;
    for (int s = 0; s < pass->n_radices; s++) {
        mst_text_add(out, "    // Step %d: radix %u, span %zu.\n", s + 1, pass->radices[s], span);
        write_step(pass, s, span, table_at, n, out);
        table_at += span > 1 ? span * (pass->radices[s] - 1) : 0;
        if (s + 1 < pass->n_radices)
            write_exchange(pass, s, span, used || s > 0, n, out);
        span *= pass->radices[s];
    }
}

static void write_storing(const mst_pass *pass, mst_text *out) {
    unsigned r = pass->radices[pass->n_radices - 1];
    bool by_column = pass->twiddle_n && pass->twiddle_by_column;
    size_t columns = pass->twiddle_n / pass->n;
    mst_text_add(out, "    if (!active)\n        return;\n"
                      "    const long outer = target_base + target_outer(target_first + line);\n"
                      "    const uint position = target_position(target_first + line);\n");
    if (pass->twiddle_n)
        mst_text_add(out, "    const uint c = column(source_first + line);\n");
    open_butterflies(pass, r, out);
    if (by_column)
        mst_text_add(out, "            const real2 base = low[j * %zuu + c];\n", columns);
    mst_text_add(out,
                 "#pragma unroll\n            for (uint q = 0; q < %uu; q++) {\n                const uint e = j + q * %zuu;\n"
                 "                real2 value = (real2)(re[i * %uu + q], im[i * %uu + q]);\n",
                 r, pass->n / r, r, r);
    if (by_column)
        mst_text_add(out, "                value = complex_multiply(value, complex_multiply(base, high[q * %zuu + c]));\n",
                     columns);
    else if (pass->twiddle_n)
        mst_text_add(out, "                value = complex_multiply(value, twiddle(low, high, log_low, c * e));\n");
    mst_text_add(out,
                 "                store_value(target, outer, position + e * %zuu, store_factors, scale, value);\n            }\n",
                 pass->target.step);
    close_butterflies(out);
}

static unsigned registers_of(const mst_pass *pass) {
    unsigned registers = 0;
    for (int s = 0; s < pass->n_radices; s++) {
        unsigned held = butterflies(pass, pass->radices[s]) * pass->radices[s];
        registers = held > registers ? held : registers;
    }
    return registers;
}

static void write_head(const mst_pass *pass, const char *name_and_arguments, mst_text *out) {
    mst_text_add(out, "#define PAD(i) ((i) + ((i) >> %u))\n\n", mst_pass_pad_shift(pass));
    mst_text_add(out, "__kernel __attribute__((reqd_work_group_size(%u, 1, 1))) void\n%s {\n", pass->threads * pass->lines,
                 name_and_arguments);
}

// What a work-item keeps.
static void write_place(const mst_pass *pass, mst_text *out) {
    if (pass->staged)
        mst_text_add(out, "    __local real2 stage[%zu];\n", mst_pass_own_reals(pass) / 2 * pass->lines);
    else if (pass->n_radices > 1)
        mst_text_add(out, "    __local real exchange[%zu];\n", mst_pass_own_reals(pass) * pass->lines);
    mst_text_add(out, "    const uint id = get_local_id(0);\n    uint c_, t;\n    ulong line;\n    bool active;\n%s",
                 pass->n_radices > 1 ? "    __local real *own;\n" : "");
    write_placing(pass, pass->load_run, out);
    mst_text_add(out, "    real re[%u], im[%u];\n", registers_of(pass), registers_of(pass));
}

void mst_pass_write_gpu(const mst_pass *pass, mst_text *out) {
    write_head(pass,
               "fft_pass(__global const SOURCE *source, long source_base, ulong source_first, __global TARGET *target,\n"
               "         long target_base, ulong target_first, ulong n_lines, __global const real2 *table,\n"
               "         __global const real2 *low, __global const real2 *high, uint log_low,\n"
               "         __global const real2 *load_factors, __global const real2 *store_factors, real scale)",
               out);
    write_place(pass, out);
    if (pass->staged)
        write_staged_loading(pass, out);
    else
        write_loading(pass, out);
    write_steps(pass, false, (names){"re", "im", "table"}, out);
    if (pass->staged)
        write_staged_storing(pass, out);
    else
        write_storing(pass, out);
    mst_text_add(out, "}\n");
}

// The product stays where it is: the inverse takes the radices backwards.
static void write_product(unsigned held, bool keep, mst_text *out) {
    mst_text_add(out, "#pragma unroll\n    for (uint i = 0; i < %uu; i++) {\n%s    }\n", held,
                 keep ? "        sr[i] = re[i];\n        si[i] = im[i];\n"
                      : "        const real a = re[i], b = im[i];\n"
                        "        re[i] = a * sr[i] - b * si[i];\n        im[i] = a * si[i] + b * sr[i];\n");
}

// Elements e and e + n/2 of a radix that is even are in the same work-item.
static void write_pairs_loading(const mst_pass *pass, const char *load, mst_text *out) {
    unsigned r = pass->radices[0];
    open_butterflies(pass, r, out);
    mst_text_add(out,
                 "#pragma unroll\n            for (uint q = 0; q < %uu; q++) {\n                const uint e = j + q * %zuu;\n"
                 "                real2 value = (real2)(0, 0), partner = (real2)(0, 0);\n                if (active) {\n"
                 "                    %s\n                }\n"
                 "                re[i * %uu + q] = value.x;\n                im[i * %uu + q] = value.y;\n"
                 "                re[i * %uu + q + %uu] = partner.x;\n                im[i * %uu + q + %uu] = partner.y;\n"
                 "            }\n",
                 r / 2, pass->n / r, load, r, r, r, r / 2, r, r / 2);
    close_butterflies(out);
}

static void write_change(const mst_pass *pass, const char *change, mst_text *out) {
    unsigned r = pass->radices[pass->n_radices - 1];
    open_butterflies(pass, r, out);
    mst_text_add(out,
                 "#pragma unroll\n            for (uint q = 0; q < %uu; q++) {\n                const uint e = j + q * %zuu;\n"
                 "                real2 value = (real2)(re[i * %uu + q], im[i * %uu + q]);\n                if (active) {\n"
                 "                    %s;\n                }\n                re[i * %uu + q] = value.x;\n"
                 "                im[i * %uu + q] = value.y;\n            }\n",
                 r, pass->n / r, r, r, change, r, r);
    close_butterflies(out);
}

static void write_fusion_storing(const mst_pass *pass, const mst_fusion *fusion, mst_text *out) {
    unsigned r = pass->radices[pass->n_radices - 1], rounds = fusion->pairs ? r / 2 : r;
    mst_text_add(out, "%s", fusion->finish ? barrier : "    if (!active)\n        return;\n");
    open_butterflies(pass, r, out);
    mst_text_add(out,
                 "#pragma unroll\n            for (uint q = 0; q < %uu; q++) {\n                const uint e = j + q * %zuu;\n"
                 "                const real2 value = (real2)(re[i * %uu + q], im[i * %uu + q]);\n",
                 rounds, pass->n / r, r, r);
    if (fusion->pairs)
        mst_text_add(out, "                const real2 partner = (real2)(re[i * %uu + q + %uu], im[i * %uu + q + %uu]);\n", r,
                     r / 2, r, r / 2);
    mst_text_add(out, "                %s;\n            }\n", fusion->store);
    close_butterflies(out);
    if (fusion->finish)
        mst_text_add(out, "%s%s", barrier, fusion->finish);
}

void mst_pass_write_fusion(const mst_pass *pass, const mst_pass *back, const mst_fusion *fusion, mst_text *out) {
    unsigned last = pass->radices[pass->n_radices - 1], held = butterflies(pass, last) * last;
    const mst_pass *final = fusion->backward ? back : pass;
    bool used = fusion->finish; // local memory
    write_head(pass, fusion->head, out);
    write_place(pass, out);
    mst_text_add(out, "%s", fusion->locate);
    if (fusion->loads[1])
        mst_text_add(out, "    real sr[%u], si[%u]; // the first operand's spectrum\n", held, held);
    for (int k = 0; k < 2 && fusion->loads[k]; k++) {
        if (fusion->pairs)
            write_pairs_loading(pass, fusion->loads[k], out);
        else
            write_operand(pass, fusion->loads[k], fusion->forward[k], out);
        if (fusion->forward[k])
            write_steps(pass, used, (names){"re", "im", "table"}, out);
        used = used || fusion->forward[k];
        if (fusion->loads[1])
            write_product(held, k == 0, out);
    }
    if (fusion->change)
        write_change(pass, fusion->change, out);
    if (fusion->backward) {
        mst_text_add(out, "    // Backwards: forwards with real and imaginary parts exchanged.\n");
        write_steps(back, used, (names){"im", "re", "back_table"}, out);
    }
    write_fusion_storing(final, fusion, out);
    mst_text_add(out, "}\n");
}
