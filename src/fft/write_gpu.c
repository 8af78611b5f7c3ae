// GPU-shaped passes: the work-items of a transform hold it in registers and exchange it through local memory between the steps of
// Stockham's algorithm. With span = the product of the radices before, step radix r computes butterfly j = 0 .. n/r - 1, k = j
// mod span, from elements j + q n/r and leaves its results at (j - k) r + k + q span.
#include "write_gpu.h"

#include <stdio.h>

static const char *const barrier = "    barrier(CLK_LOCAL_MEM_FENCE);\n";

unsigned mst_gpu_butterflies(const mst_pass *pass, unsigned r) {
    return (unsigned)((pass->n / r + pass->threads - 1) / pass->threads);
}

static bool is_ragged(const mst_pass *pass, unsigned r) { return pass->n / r % pass->threads != 0; }

// for all butterflies of a step: "{", or "if (...) {" where the last round is not full
void mst_gpu_open_butterflies(const mst_pass *pass, unsigned r, mst_text *out) {
    mst_text_add(out, "#pragma unroll\n    for (uint i = 0; i < %uu; i++) {\n        const uint j = t + i * %uu;\n",
                 mst_gpu_butterflies(pass, r), pass->threads);
    if (is_ragged(pass, r))
        mst_text_add(out, "        if (j < %zuu) {\n", pass->n / r);
    else
        mst_text_add(out, "        {\n");
}

void mst_gpu_close_butterflies(mst_text *out) { mst_text_add(out, "        }\n    }\n"); }

// Plain numbers of lines that follow one another without gaps?
static bool is_dense(const mst_pass *pass, const mst_view *v, const mst_pass_op *op) {
    return v->n_dims == 1 && v->outer[0] == (int64_t)pass->n && v->position[0] == 0 && v->axis_stride == 1 && v->step == 1 &&
           op->element == MST_ELEMENT_COMPLEX && !op->multiply && !op->length;
}

// The work-group's lines, element by element in the order of memory; `work` is what is done with the element at position p of the
// line at `at`, which is *mine in local memory.
static void write_staging(const mst_pass *pass, const char *side, const char *work, mst_text *out) {
    unsigned group = pass->lines;
    bool loads = side[0] == 's';
    if (is_dense(pass, loads ? &pass->source : &pass->target, loads ? &pass->load : &pass->store)) { // one line of all of them
        mst_text_add(out,
                     "    {\n    const ulong first = get_group_id(0) * (ulong)%u;\n"
                     "    const uint count = (uint)min(n_lines - first, (ulong)%u) * %zuu;\n"
                     "    const long at = %s_base + %s_outer(%s_first + first);\n"
                     "#pragma unroll\n    for (uint i = 0; i < %zuu; i++) {\n        const uint p = id + i * %uu;\n"
                     "        if (p < count) {\n            __local real2 *mine = stage + p + p / %zuu * %zuu;\n%s        }\n"
                     "    }\n    }\n",
                     group, group, pass->n, side, side, side, pass->n, group, pass->n, (pass->n | 1) - pass->n, work);
        return;
    }
    mst_text_add(out,
                 "#pragma unroll\n    for (uint i = 0; i < %zuu; i++) {\n        const uint g = id + i * %uu, e = g %% %zuu;\n"
                 "        const ulong l = get_group_id(0) * (ulong)%u + g / %zuu;\n        if (l < n_lines) {\n"
                 "            __local real2 *mine = stage + g / %zuu * %zuu + e;\n"
                 "            const long at = %s_base + %s_outer(%s_first + l);\n"
                 "            const uint p = %s_position(%s_first + l) + e * %zuu;\n%s        }\n    }\n",
                 pass->n, group, pass->n, group, pass->n, pass->n, pass->n | 1, side, side, side, side, side,
                 loads ? pass->source.step : pass->target.step, work);
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
void mst_gpu_write_operand(const mst_pass *pass, const char *load, bool for_first_step, mst_gpu_names n, mst_text *out) {
    unsigned r = pass->radices[for_first_step ? 0 : pass->n_radices - 1];
    mst_gpu_open_butterflies(pass, r, out);
    mst_text_add(
        out,
        "#pragma unroll\n            for (uint q = 0; q < %uu; q++) {\n                const int e = (int)j + (int)q * %zu;\n"
        "                real2 value = (real2)(0, 0);\n                if (active)\n"
        "                    value = %s;\n"
        "                %s[i * %uu + q] = value.x;\n                %s[i * %uu + q] = value.y;\n            }\n",
        r, pass->n / r, load, n.re, r, n.im, r);
    mst_gpu_close_butterflies(out);
}

static void write_loading(const mst_pass *pass, mst_text *out) {
    char load[100];
    snprintf(load, sizeof load, "load_value(source, outer, position + e * %zuu, load_factors)", pass->source.step);
    mst_text_add(out, "    {\n    long outer = 0;\n    uint position = 0;\n    if (active) {\n"
                      "        outer = source_base + source_outer(source_first + line);\n"
                      "        position = source_position(source_first + line);\n    }\n");
    mst_gpu_write_operand(pass, load, true, (mst_gpu_names){"re", "im", "table"}, out);
    mst_text_add(out, "    }\n");
}

// Products of a low and a high power of the twiddle of butterfly k (mst_pass_low_powers).
static void write_few_twiddles(unsigned r, unsigned low, size_t span, size_t table_at, mst_gpu_names n, mst_text *out) {
    mst_text_add(out,
                 "            real2 powers[%u];\n#pragma unroll\n            for (uint q = 1; q < %uu; q++)\n"
                 "                powers[q] = %s[%zuu + (q - 1) * %zuu + k];\n",
                 low, low, n.table, table_at, span);
    mst_text_add(out,
                 "#pragma unroll\n            for (uint h = 0; h < %uu; h++) {\n"
                 "                const real2 high_power = h ? %s[%zuu + (h + %u) * %zuu + k] : (real2)(1, 0);\n"
                 "#pragma unroll\n                for (uint p = h == 0; p < %uu; p++) {\n"
                 "                    const real2 w = h == 0   ? powers[p]\n"
                 "                                    : p == 0 ? high_power\n"
                 "                                             : complex_multiply(high_power, powers[p]);\n",
                 r / low, n.table, table_at, low - 2, span, low);
    mst_text_add(
        out,
        "                    const uint e = i * %uu + h * %uu + p;\n                    const real a = %s[e], b = %s[e];\n"
        "                    %s[e] = a * w.x - b * w.y;\n                    %s[e] = a * w.y + b * w.x;\n"
        "                }\n            }\n",
        r, low, n.re, n.im, n.re, n.im);
}

// One step's arithmetic for transforms that take the same twiddles: twiddles, then butterflies.
static void write_step(const mst_pass *pass, int s, size_t span, size_t table_at, const mst_gpu_names *n, int count,
                       mst_text *out) {
    unsigned r = pass->radices[s], low = mst_pass_low_powers(pass, r);
    mst_gpu_open_butterflies(pass, r, out);
    if (span > 1)
        mst_text_add(out, "            const uint k = j %% %zuu;\n", span);
    if (span > 1 && low < r) // never of two operands: passes that are fused have whole tables
        write_few_twiddles(r, low, span, table_at, *n, out);
    if (span > 1 && low == r) {
        mst_text_add(out,
                     "#pragma unroll\n            for (uint q = 1; q < %uu; q++) {\n"
                     "                const real2 w = %s[(int)k + (%zu + ((int)q - 1) * %zu)];\n                real a, b;\n",
                     r, n->table, table_at, span);
        for (int k = 0; k < count; k++)
            mst_text_add(out,
                         "                a = %s[i * %uu + q], b = %s[i * %uu + q];\n"
                         "                %s[i * %uu + q] = a * w.x - b * w.y;\n"
                         "                %s[i * %uu + q] = a * w.y + b * w.x;\n",
                         n[k].re, r, n[k].im, r, n[k].re, r, n[k].im, r);
        mst_text_add(out, "            }\n");
    }
    for (int k = 0; k < count; k++)
        mst_text_add(out, "            dft%u(%s + i * %uu, %s + i * %uu);\n", r, n[k].re, r, n[k].im, r);
    mst_gpu_close_butterflies(out);
}

// The butterflies of a step whose results go before the middle of the line (half 0) or behind it: the first or the last ones.
static void open_half(const mst_pass *pass, unsigned r, unsigned half, mst_text *out) {
    unsigned rounds = mst_gpu_butterflies(pass, r);
    if (rounds % 2 == 0 && !is_ragged(pass, r))
        mst_text_add(out,
                     "#pragma unroll\n    for (uint i = %uu; i < %uu; i++) {\n        const uint j = t + i * %uu;\n        {\n",
                     half * rounds / 2, (half + 1) * rounds / 2, pass->threads);
    else
        mst_text_add(out,
                     "#pragma unroll\n    for (uint i = 0; i < %uu; i++) {\n        const uint j = t + i * %uu;\n"
                     "        if (j >= %zuu && j < %zuu) {\n",
                     rounds, pass->threads, half * (pass->n / r / 2), (half + 1) * (pass->n / r / 2));
}

// What goes through local memory at a time: `part` (re or im), of one half of the line or, half < 0, of all of it; from `offset`.
typedef struct share {
    const char *part;
    int half;
    unsigned offset;
} share;

static void write_put(const mst_pass *pass, int s, size_t span, share what, mst_text *out) {
    unsigned r = pass->radices[s];
    if (what.half < 0)
        mst_gpu_open_butterflies(pass, r, out);
    else
        open_half(pass, r, (unsigned)what.half, out);
    mst_text_add(out,
                 "            const uint to = (j / %zuu) * %zuu + j %% %zuu - %zuu;\n#pragma unroll\n"
                 "            for (uint q = 0; q < %uu; q++)\n                own[%uu + PAD(to + q * %zuu)] = %s[i * %uu + q];\n",
                 span, span * r, span, what.half > 0 ? pass->n / 2 : 0, r, what.offset, span, what.part, r);
    mst_gpu_close_butterflies(out);
}

// Into an array `into` of registers.
static void write_get(const mst_pass *pass, int s, share what, const char *into, mst_text *out) {
    unsigned r = pass->radices[s + 1], most = what.half < 0 ? r : r / 2, first = what.half > 0 ? r / 2 : 0;
    mst_gpu_open_butterflies(pass, r, out);
    mst_text_add(out,
                 "#pragma unroll\n            for (uint q = 0; q < %uu; q++)\n"
                 "                %s[i * %uu + q + %u] = own[%uu + PAD(j + q * %zuu)];\n",
                 most, into, r, first, what.offset, pass->n / r);
    mst_gpu_close_butterflies(out);
}

// As complex numbers. Those of a butterfly are in constant distances, unless gaps come between. `area`: where they begin.
static void write_whole_exchange(const mst_pass *pass, int s, size_t span, mst_gpu_names n, size_t area, bool write,
                                 mst_text *out) {
    mst_exchange e = mst_pass_exchange(pass, s);
    unsigned r = pass->radices[write ? s : s + 1];
    size_t apart = write ? span : pass->n / r;
    mst_gpu_open_butterflies(pass, r, out);
    if (write)
        mst_text_add(out, "            const uint to = j / %zuu * %zuu + j %% %zuu, first = to + to / %zuu * %zuu;\n", span,
                     span * r, span, e.block, e.gap);
    else
        mst_text_add(out, "            const uint first = j + j / %zuu * %zuu;\n", e.block, e.gap);
    mst_text_add(out, "#pragma unroll\n            for (uint q = 0; q < %uu; q++) {\n", r);
    if (write || apart % e.block == 0)
        mst_text_add(out, "                __local real2 *number = (__local real2 *)own + %zuu + first + q * %zuu;\n", area,
                     apart + (write ? 0 : apart / e.block * e.gap));
    else
        mst_text_add(out,
                     "                const int e = (int)j + (int)q * %zu;\n"
                     "                __local real2 *number = (__local real2 *)own + %zuu + e + e / %zuu * %zuu;\n",
                     apart, area, e.block, e.gap);
    if (write)
        mst_text_add(out, "                *number = (real2)(%s[i * %uu + q], %s[i * %uu + q]);\n            }\n", n.re, r, n.im,
                     r);
    else
        mst_text_add(
            out, "                %s[i * %uu + q] = number->x;\n                %s[i * %uu + q] = number->y;\n            }\n",
            n.re, r, n.im, r);
    mst_gpu_close_butterflies(out);
}

// Which line and which of its work-items this one is, where `run` neighbours share a line.
static void write_placing(const mst_pass *pass, unsigned run, mst_text *out) {
    mst_text_add(out,
                 "    c_ = id / %uu %% %uu, t = id / %uu * %uu + id %% %uu;\n"
                 "    line = get_group_id(0) * (ulong)%u + c_, active = line < n_lines;\n",
                 run, pass->lines, run * pass->lines, run, run, pass->lines);
    if (pass->n_radices > 1)
        mst_text_add(out, "    own = (__local real *)exchange + c_ * %zuu;\n", mst_pass_own_reals(pass));
}

// Local memory that is in use may still be read by others from the exchange before; but with two areas, all have read one when
// the exchange in the other is over. In `exchange_parts` rounds. Of a half line, results of butterflies not yet written stay in
// their registers beside what was read, which is `kept` until both halves are there.
static void write_exchange(const mst_pass *pass, int s, size_t span, mst_gpu_local *local, mst_gpu_names n, mst_text *out) {
    unsigned parts = pass->exchange_parts;
    bool hand_over = s == 0 && pass->load_run != pass->run;
    if (local->used && pass->areas == 1)
        mst_text_add(out, "%s", barrier);
    local->used = true;
    if (pass->whole_exchange) {
        size_t area = local->exchanges++ % pass->areas * pass->lines * mst_pass_own_reals(pass) / 2;
        write_whole_exchange(pass, s, span, n, area, true, out);
        mst_text_add(out, "%s", barrier);
        write_whole_exchange(pass, s, span, n, area, false, out);
        return;
    }
    for (unsigned round = 0; round < parts; round++) {
        const char *part = parts == 1 || round < parts / 2 ? n.re : n.im;
        share what = {part, parts == 4 ? (int)(round % 2) : -1, 0};
        share other = {n.im, -1, (unsigned)mst_pass_padded_reals(pass)};
        if (parts == 4 && round % 2 == 0)
            mst_text_add(out, "    {\n    real kept[%u];\n",
                         mst_gpu_butterflies(pass, pass->radices[s + 1]) * pass->radices[s + 1]);
        if (round > 0)
            mst_text_add(out, "%s", barrier);
        if (hand_over && round > 0)
            write_placing(pass, pass->load_run, out);
        write_put(pass, s, span, what, out);
        if (parts == 1)
            write_put(pass, s, span, other, out);
        mst_text_add(out, "%s", barrier);
        if (hand_over)
            write_placing(pass, pass->run, out);
        write_get(pass, s, what, parts == 4 ? "kept" : part, out);
        if (parts == 1)
            write_get(pass, s, other, n.im, out);
        if (parts == 4 && round % 2 == 1)
            mst_text_add(out, "#pragma unroll\n    for (uint i = 0; i < %uu; i++)\n        %s[i] = kept[i];\n    }\n",
                         mst_gpu_butterflies(pass, pass->radices[s + 1]) * pass->radices[s + 1], part);
    }
}

// All steps of one or two transforms: elements j + q n/r of the first radix in, j + q n/r of the last one out.
void mst_gpu_write_steps(const mst_pass *pass, mst_gpu_local *local, const mst_gpu_names *n, int count, mst_text *out) {
    size_t span = 1, table_at = 0;
    for (int s = 0; s < pass->n_radices && count > 0; s++) {
        mst_text_add(out, "    // Step %d: radix %u, span %zu.\n", s + 1, pass->radices[s], span);
        write_step(pass, s, span, table_at, n, count, out);
        table_at += span > 1 ? span * mst_pass_table_rows(pass, pass->radices[s]) : 0;
        for (int k = 0; k < count && s + 1 < pass->n_radices; k++)
            write_exchange(pass, s, span, local, n[k], out);
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
    mst_gpu_open_butterflies(pass, r, out);
    if (by_column)
        mst_text_add(out, "            const real2 base = low[j * %zuu + c];\n", columns);
    mst_text_add(
        out,
        "#pragma unroll\n            for (uint q = 0; q < %uu; q++) {\n                const int e = (int)j + (int)q * %zu;\n"
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
    mst_gpu_close_butterflies(out);
}

unsigned mst_gpu_pass_registers(const mst_pass *pass) {
    unsigned registers = 0;
    for (int s = 0; s < pass->n_radices; s++) {
        unsigned held = mst_gpu_butterflies(pass, pass->radices[s]) * pass->radices[s];
        registers = held > registers ? held : registers;
    }
    return registers;
}

void mst_gpu_write_head(const mst_pass *pass, const char *name_and_arguments, mst_text *out) {
    mst_text_add(out, "#define PAD(i) ((i) + ((i) >> %u))\n\n", mst_pass_pad_shift(pass));
    mst_text_add(out, "__kernel __attribute__((reqd_work_group_size(%u, 1, 1))) void\n%s {\n", pass->threads * pass->lines,
                 name_and_arguments);
}

// What a work-item keeps.
void mst_gpu_write_place(const mst_pass *pass, mst_text *out) {
    if (pass->staged)
        mst_text_add(out, "    __local real2 stage[%zu];\n", mst_pass_own_reals(pass) / 2 * pass->lines);
    else if (pass->n_radices > 1)
        mst_text_add(out, "    __local real2 exchange[%zu];\n", (mst_pass_own_reals(pass) * pass->areas * pass->lines + 1) / 2);
    mst_text_add(out, "    const uint id = get_local_id(0);\n    uint c_, t;\n    ulong line;\n    bool active;\n%s",
                 pass->n_radices > 1 ? "    __local real *own;\n" : "");
    write_placing(pass, pass->load_run, out);
    mst_text_add(out, "    real re[%u], im[%u];\n", mst_gpu_pass_registers(pass), mst_gpu_pass_registers(pass));
}

void mst_pass_write_gpu(const mst_pass *pass, mst_text *out) {
    mst_gpu_write_head(pass,
                       "fft_pass(__global const SOURCE *source, long source_base, ulong source_first, __global TARGET *target,\n"
                       "         long target_base, ulong target_first, ulong n_lines, __global const real2 *table,\n"
                       "         __global const real2 *low, __global const real2 *high, uint log_low,\n"
                       "         __global const real2 *load_factors, __global const real2 *store_factors, real scale)",
                       out);
    mst_gpu_write_place(pass, out);
    if (pass->staged)
        write_staged_loading(pass, out);
    else
        write_loading(pass, out);
    mst_gpu_write_steps(pass, &(mst_gpu_local){.used = false}, &(mst_gpu_names){"re", "im", "table"}, 1, out);
    if (pass->staged)
        write_staged_storing(pass, out);
    else
        write_storing(pass, out);
    mst_text_add(out, "}\n");
}
