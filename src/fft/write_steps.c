// The steps of a GPU-shaped transform, by Stockham's algorithm. With span = the product of the radices before, step radix r
// computes butterfly j = 0 .. n/r - 1, k = j mod span, from elements j + q n/r and leaves its results at (j - k) r + k + q span.
#include "write_parts.h"

// A step of a pass.
typedef struct step {
    const mst_pass *pass;
    int number;
    unsigned radix;
    size_t span, table_at; // table_at: where its twiddles begin
} step;

// Products of a low and a high power of the butterfly's twiddle (mst_pass_low_powers).
static void write_few_twiddles(const step *s, mst_pass_gpu_names n, mst_text *out) {
    unsigned low = mst_pass_low_powers(s->pass, s->radix);
    const mst_pass_gpu_first first = mst_pass_gpu_first_register(s->pass, s->number);
    const mst_text_value values[] = {MST_SET(re, n.re),
                                     MST_SET(im, n.im),
                                     MST_SET(table, n.table),
                                     MST_SET(at, s->table_at),
                                     MST_SET(span, s->span),
                                     MST_SET(low, low),
                                     MST_SET(n_high, s->radix / low),
                                     MST_SET(skipped, low - 2),
                                     MST_SET(first, first.text),
                                     {0}};
    mst_text_put_values(out,
                        "// Each twiddle is the product of a low power and a high one.\n"
                        "real2 powers[$low];\n"
                        "#pragma unroll\n"
                        "for (uint q = 1; q < ${low}u; q++)\n"
                        "powers[q] = $table[${at}u + (q - 1) * ${span}u + k];\n"
                        "#pragma unroll\n"
                        "for (uint h = 0; h < ${n_high}u; h++) {\n"
                        "const real2 high_power = h ? $table[${at}u + (h + $skipped) * ${span}u + k] : (real2)(1, 0);\n"
                        "#pragma unroll\n"
                        "for (uint p = h == 0; p < ${low}u; p++) {\n"
                        "const real2 w = h == 0 ? powers[p] : p == 0 ? high_power : complex_multiply(high_power, powers[p]);\n"
                        "const uint e = ${first}h * ${low}u + p;\n"
                        "const real a = $re[e], b = $im[e];\n"
                        "$re[e] = a * w.x - b * w.y;\n"
                        "$im[e] = a * w.y + b * w.x;\n"
                        "}\n"
                        "}\n",
                        values);
}

static void write_twiddles(const step *s, const mst_pass_gpu_names *n, int count, mst_text *out) {
    const mst_pass_gpu_first first = mst_pass_gpu_first_register(s->pass, s->number);
    const mst_text_value values[] = {
        MST_SET(radix, s->radix), MST_SET(table, n->table), MST_SET(at, s->table_at), MST_SET(span, s->span), {0}};
    mst_text_put_values(out,
                        "#pragma unroll\n"
                        "for (uint q = 1; q < ${radix}u; q++) {\n",
                        values);
    mst_text_put_values(out,
                        s->table_at > 0 ? "const real2 w = $table[(int)k + ($at + ((int)q - 1) * $span)];\n"
                                        : "const real2 w = $table[(int)k + ((int)q - 1) * $span];\n",
                        values);
    mst_text_add(out, "real a, b;\n");
    for (int k = 0; k < count; k++)
        mst_text_put(out,
                     "a = $re[${first}q], b = $im[${first}q];\n"
                     "$re[${first}q] = a * w.x - b * w.y;\n"
                     "$im[${first}q] = a * w.y + b * w.x;\n",
                     MST_SET(re, n[k].re), MST_SET(im, n[k].im), MST_SET(first, first.text));
    mst_text_add(out, "}\n");
}

// The arithmetic of transforms that take the same twiddles: twiddles, then butterflies.
static void write_step(const step *s, const mst_pass_gpu_names *n, int count, mst_text *out) {
    bool few = mst_pass_low_powers(s->pass, s->radix) < s->radix;
    bool one = mst_pass_gpu_butterflies(s->pass, s->number) == 1;
    unsigned braces = mst_pass_gpu_open_butterflies(s->pass, s->number, out);
    if (s->span > 1)
        mst_text_put(out, "const uint k = j % ${span}u;\n", MST_SET(span, s->span));
    if (s->span > 1 && few) // never of two operands: passes that are fused have whole tables
        write_few_twiddles(s, *n, out);
    else if (s->span > 1)
        write_twiddles(s, n, count, out);
    for (int k = 0; k < count; k++)
        mst_text_put(out, one ? "dft$radix($re, $im);\n" : "dft$radix($re + i * ${radix}u, $im + i * ${radix}u);\n",
                     MST_SET(radix, s->radix), MST_SET(re, n[k].re), MST_SET(im, n[k].im));
    mst_pass_gpu_close(braces, out);
}

void mst_pass_gpu_write_steps(const mst_pass *pass, mst_pass_gpu_local *local, const mst_pass_gpu_names *n, int count,
                              mst_text *out) {
    step s = {.pass = pass, .span = 1};
    for (int k = 0; k < pass->n_radices && count > 0; k++) {
        s.number = k;
        s.radix = pass->radices[k];
        mst_text_put(out, "\n// Step $step of $steps: radix $radix, span $span.\n", MST_SET(step, k + 1),
                     MST_SET(steps, pass->n_radices), MST_SET(radix, s.radix), MST_SET(span, s.span));
        write_step(&s, n, count, out);
        s.table_at += s.span > 1 ? s.span * mst_pass_table_rows(pass, s.radix) : 0;
        for (int operand = 0; operand < count && k + 1 < pass->n_radices; operand++)
            mst_pass_gpu_write_exchange(pass, k, local, n[operand], out);
        s.span *= s.radix;
    }
}
