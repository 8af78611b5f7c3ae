// How the work-items of a GPU-shaped transform exchange its numbers through local memory between two steps.
#include "write_parts.h"

#include <stdio.h>

static size_t span_of(const mst_pass *pass, int step) {
    size_t span = 1;
    for (int k = 0; k < step; k++)
        span *= pass->radices[k];
    return span;
}

// Registers that a step needs for its butterflies.
static unsigned held_by(const mst_pass *pass, int step) { return mst_pass_gpu_butterflies(pass, step) * pass->radices[step]; }

// Opens a loop over the butterflies of a step whose results go before the middle of the line (half 0) or behind it: the first or
// the last ones.
static unsigned open_half(const mst_pass *pass, int step, unsigned half, mst_text *out) {
    unsigned rounds = mst_pass_gpu_butterflies(pass, step);
    bool whole_rounds = rounds % 2 == 0 && !mst_pass_gpu_is_ragged(pass, step);
    size_t middle = pass->n / pass->radices[step] / 2;
    if (step == mst_pass_paired_step(pass)) {
        unsigned braces = mst_pass_gpu_open_butterflies(pass, step, out);
        mst_text_put(out, "if (i % 2 == ${half}u) {\n", MST_SET(half, half));
        return braces + 1;
    }
    mst_text_put(out,
                 "#pragma unroll\n"
                 "for (uint i = ${from}u; i < ${to}u; i++) {\n"
                 "const uint j = t + i * ${threads}u;\n",
                 MST_SET(from, whole_rounds ? half * rounds / 2 : 0),
                 MST_SET(to, whole_rounds ? (half + 1) * rounds / 2 : rounds), MST_SET(threads, pass->threads));
    if (!whole_rounds)
        mst_text_put(out, "if (j >= ${from}u && j < ${to}u) {\n", MST_SET(from, half * middle), MST_SET(to, (half + 1) * middle));
    return whole_rounds ? 1 : 2;
}

// What goes through local memory at a time: `part` (re or im), of one half of the line or, half < 0, of all of it; `offset` says
// from where on ("67u + ", or nothing).
typedef struct share {
    const char *part;
    int half;
    char offset[24];
} share;

static void write_put(const mst_pass *pass, int s, share what, mst_text *out) {
    unsigned r = pass->radices[s];
    size_t span = span_of(pass, s);
    const mst_times times = mst_pass_times(span);
    const mst_pass_gpu_first first = mst_pass_gpu_first_register(pass, s);
    const mst_text_value values[] = {MST_SET(radix, r),          MST_SET(span, span),          MST_SET(block, span * r),
                                     MST_SET(half, pass->n / 2), MST_SET(offset, what.offset), MST_SET(times, times.text),
                                     MST_SET(part, what.part),   MST_SET(first, first.text),   {0}};
    unsigned braces = what.half < 0 ? mst_pass_gpu_open_butterflies(pass, s, out) : open_half(pass, s, (unsigned)what.half, out);
    mst_text_put_values(
        out, span > 1 ? "const uint to = j / ${span}u * ${block}u + j % ${span}u" : "const uint to = j * ${radix}u", values);
    mst_text_put_values(out, what.half > 0 ? " - ${half}u;\n" : ";\n", values);
    mst_text_put_values(out,
                        "#pragma unroll\n"
                        "for (uint q = 0; q < ${radix}u; q++)\n"
                        "own[${offset}PAD(to + q$times)] = $part[${first}q];\n",
                        values);
    mst_pass_gpu_close(braces, out);
}

// Into an array `into` of registers.
static void write_get(const mst_pass *pass, int s, share what, const char *into, mst_text *out) {
    unsigned r = pass->radices[s + 1];
    char half[24] = "";
    if (what.half > 0)
        snprintf(half, sizeof half, " + %u", r / 2);
    unsigned braces = mst_pass_gpu_open_butterflies(pass, s + 1, out);
    mst_text_put(out,
                 "#pragma unroll\n"
                 "for (uint q = 0; q < ${count}u; q++)\n"
                 "$into[${first}q$half] = own[${offset}PAD(j + q * ${apart}u)];\n",
                 MST_SET(count, what.half < 0 ? r : r / 2), MST_SET(into, into), MST_SET(half, (const char *)half),
                 MST_SET(offset, (const char *)what.offset), MST_SET(apart, pass->n / r),
                 MST_SET(first, mst_pass_gpu_first_register(pass, s + 1).text));
    mst_pass_gpu_close(braces, out);
}

// All real or imaginary parts, or those of half a line, at a time, in `exchange_parts` rounds. Of a half line, results of
// butterflies not yet written stay in their registers beside what was read, which is `kept` until both halves are there.
static void write_rounds(const mst_pass *pass, int s, mst_pass_gpu_names n, mst_text *out) {
    unsigned parts = pass->exchange_parts, held = held_by(pass, s + 1);
    bool hand_over = s == 0 && pass->load_run != pass->run;
    for (unsigned round = 0; round < parts; round++) {
        const char *part = parts == 1 || round < parts / 2 ? n.re : n.im;
        share what = {part, parts == 4 ? (int)(round % 2) : -1, ""}, other = {n.im, -1, ""};
        snprintf(other.offset, sizeof other.offset, "%zuu + ", mst_pass_padded_reals(pass));
        if (parts == 4 && round % 2 == 0)
            mst_text_put(out, "{ // $part by halves of the line\nreal kept[$held];\n", MST_SET(part, part), MST_SET(held, held));
        if (round > 0)
            mst_pass_gpu_write_barrier(out);
        if (hand_over && round > 0)
            mst_pass_gpu_write_place(pass, pass->load_run, out);
        write_put(pass, s, what, out);
        if (parts == 1)
            write_put(pass, s, other, out);
        mst_pass_gpu_write_barrier(out);
        if (hand_over)
            mst_pass_gpu_write_place(pass, pass->run, out);
        write_get(pass, s, what, parts == 4 ? "kept" : part, out);
        if (parts == 1)
            write_get(pass, s, other, n.im, out);
        if (parts == 4 && round % 2 == 1)
            mst_text_put(out, "#pragma unroll\nfor (uint i = 0; i < ${held}u; i++)\n$part[i] = kept[i];\n}\n",
                         MST_SET(held, held), MST_SET(part, part));
    }
}

// As complex numbers. `area`: where they begin.
static void write_whole_put(const mst_pass *pass, int s, mst_pass_gpu_names n, size_t area, mst_text *out) {
    const mst_exchange e = mst_pass_exchange(pass, s);
    unsigned r = pass->radices[s], braces = mst_pass_gpu_open_butterflies(pass, s, out);
    size_t span = span_of(pass, s);
    const mst_pass_gpu_first first = mst_pass_gpu_first_register(pass, s);
    const mst_times times = mst_pass_times(span);
    const mst_text_value values[] = {MST_SET(times, times.text),
                                     MST_SET(radix, r),
                                     MST_SET(span, span),
                                     MST_SET(stride, span * r),
                                     MST_SET(block, e.block),
                                     MST_SET(gap, e.gap),
                                     MST_SET(area, area),
                                     MST_SET(re, n.re),
                                     MST_SET(im, n.im),
                                     MST_SET(first, first.text),
                                     {0}};
    mst_text_put_values(
        out, span > 1 ? "const uint to = j / ${span}u * ${stride}u + j % ${span}u" : "const uint to = j * ${stride}u", values);
    mst_text_put_values(out, e.gap > 0 ? ", first = to + to / ${block}u * ${gap}u;\n" : ", first = to;\n", values);
    mst_text_put_values(out,
                        "#pragma unroll\n"
                        "for (uint q = 0; q < ${radix}u; q++) {\n"
                        "__local real2 *number = (__local real2 *)own + ${area}u + first + q$times;\n"
                        "*number = (real2)($re[${first}q], $im[${first}q]);\n"
                        "}\n",
                        values);
    mst_pass_gpu_close(braces, out);
}

// The elements of a butterfly lie in constant distances, unless a gap comes between two of them.
static void write_whole_get(const mst_pass *pass, int s, mst_pass_gpu_names n, size_t area, mst_text *out) {
    const mst_exchange e = mst_pass_exchange(pass, s);
    unsigned r = pass->radices[s + 1], braces = mst_pass_gpu_open_butterflies(pass, s + 1, out);
    size_t apart = pass->n / r;
    const mst_pass_gpu_first first = mst_pass_gpu_first_register(pass, s + 1);
    const mst_text_value values[] = {MST_SET(radix, r),
                                     MST_SET(apart, apart),
                                     MST_SET(distance, apart + apart / e.block * e.gap),
                                     MST_SET(block, e.block),
                                     MST_SET(gap, e.gap),
                                     MST_SET(area, area),
                                     MST_SET(re, n.re),
                                     MST_SET(im, n.im),
                                     MST_SET(first, first.text),
                                     {0}};
    mst_text_put_values(out,
                        "const uint first = j + j / ${block}u * ${gap}u;\n"
                        "#pragma unroll\n"
                        "for (uint q = 0; q < ${radix}u; q++) {\n",
                        values);
    if (apart % e.block == 0)
        mst_text_put_values(out, "__local real2 *number = (__local real2 *)own + ${area}u + first + q * ${distance}u;\n", values);
    else
        mst_text_put_values(out,
                            "const int e = (int)j + (int)q * $apart;\n"
                            "__local real2 *number = (__local real2 *)own + ${area}u + e + e / ${block}u * ${gap}u;\n",
                            values);
    mst_text_put_values(out, "$re[${first}q] = number->x;\n$im[${first}q] = number->y;\n}\n", values);
    mst_pass_gpu_close(braces, out);
}

// Other work-items may still read what the exchange before left in local memory, so a barrier comes first. With two areas none is
// needed: when the exchange in one area is over, every work-item has read the other.
void mst_pass_gpu_write_exchange(const mst_pass *pass, int s, mst_pass_gpu_local *local, mst_pass_gpu_names n, mst_text *out) {
    mst_text_put(out, "\n// Exchange between steps $step and $next.\n", MST_SET(step, s + 1), MST_SET(next, s + 2));
    if (local->used && pass->areas == 1)
        mst_pass_gpu_write_barrier(out);
    local->used = true;
    if (!pass->whole_exchange) {
        write_rounds(pass, s, n, out);
        return;
    }
    size_t area = local->exchanges++ % pass->areas * pass->lines * mst_pass_own_reals(pass) / 2;
    write_whole_put(pass, s, n, area, out);
    mst_pass_gpu_write_barrier(out);
    write_whole_get(pass, s, n, area, out);
}
