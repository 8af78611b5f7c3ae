// GPU-shaped passes: the work-items of a transform hold it in registers, and exchange it through local memory between the steps
// (write_steps.c).
#include "write_parts.h"

#include "runtime/numbers.h"

#include <stdio.h>

static void write_loading(const mst_pass *pass, mst_text *out) {
    char load[100], pair[100];
    const mst_times step = mst_pass_value_step(pass, &pass->source, &pass->load);
    snprintf(load, sizeof load, "load_value(source, outer, position + e%s%s)", step.text, mst_load_arguments(pass));
    snprintf(pair, sizeof pair, "load_pair(source, outer, position + e%s)", step.text);
    mst_text_add(out, "{ // Load.\n"
                      "long outer = 0;\n"
                      "uint position = 0;\n"
                      "if (active) {\n"
                      "outer = source_base + source_outer(source_first + line);\n"
                      "position = source_position(source_first + line);\n"
                      "}\n");
    if (mst_pass_loads_pairs(pass)) {
        mst_text_add(out, "if (PAIRS) {\n");
        mst_pass_gpu_write_operand(pass, pair, true, (mst_pass_gpu_names){"re", "im", NULL}, out);
        mst_text_add(out, "} else {\n");
    }
    mst_pass_gpu_write_operand(pass, load, true, (mst_pass_gpu_names){"re", "im", NULL}, out);
    if (mst_pass_loads_pairs(pass))
        mst_text_add(out, "}\n");
    if (pass->half == MST_HALF_SPLIT)
        mst_text_put(out, "if (active && t == 0)\nlast = load_value(source, outer, position + $last$arguments).x;\n",
                     MST_SET(last, pass->n * pass->source.step), MST_SET(arguments, mst_load_arguments(pass)));
    mst_text_add(out, "}\n");
}

static void write_twiddle(const mst_pass *pass, mst_text *out) {
    if (pass->twiddle_n && pass->twiddle_by_column)
        mst_text_put(out, "value = complex_multiply(value, complex_multiply(base, high_twiddles[q * ${columns}u + c]));\n",
                     MST_SET(columns, mst_pass_twiddle_columns(pass)));
    else if (pass->twiddle_n && pass->twiddle_split)
        mst_text_put(out,
                     "const real2 high = complex_multiply(high_twiddles[q * ${row}u + d], high_twiddles[q * ${row}u + b]);\n"
                     "value = complex_multiply(value, complex_multiply(base, high));\n",
                     MST_SET(row, mst_pass_twiddle_row(pass)));
    else if (pass->twiddle_n)
        mst_text_add(out, "value = complex_multiply(value, twiddle(low_twiddles, high_twiddles, c * e));\n");
}

// Element n of a spectrum that is combined.
static void write_last(const mst_pass *pass, mst_text *out) {
    const mst_text_value values[] = {MST_SET(radix, pass->radices[pass->n_radices - 1]),
                                     MST_SET(columns, pass->twiddle_n ? mst_pass_twiddle_columns(pass) : 0),
                                     MST_SET(row, pass->twiddle_split ? mst_pass_twiddle_row(pass) : 0),
                                     MST_SET(last, pass->n * pass->target.step),
                                     MST_SET(arguments, mst_store_arguments(pass)),
                                     {0}};
    mst_text_add(out, "if (t == 0) {\nreal2 value = (real2)(last, 0);\n");
    if (pass->twiddle_n && pass->twiddle_by_column)
        mst_text_put_values(out, "value = last * high_twiddles[${radix}u * ${columns}u + c];\n", values);
    else if (pass->twiddle_n)
        mst_text_put_values(out,
                            "value = last * complex_multiply(high_twiddles[${radix}u * ${row}u + d], high_twiddles[${radix}u * "
                            "${row}u + b]);\n",
                            values);
    mst_text_put_values(out, "store_value(target, outer, position + $last$arguments, value);\n}\n", values);
}

// How many results of a butterfly of the last step, of radix r, may be stored: those behind store.length are not even computed.
static unsigned stored_of(const mst_pass *pass, unsigned r) {
    const size_t apart = pass->n / r, kept = mst_divide_up(pass->store.length, apart);
    bool whole = pass->store.length > 0 && pass->target.step == 1 && !mst_pass_halves(pass);
    return whole && kept < r ? (unsigned)kept : r;
}

static void write_storing(const mst_pass *pass, mst_text *out) {
    unsigned r = pass->radices[pass->n_radices - 1], stored = stored_of(pass, r);
    mst_text_put(out,
                 "\n// Store$twiddled.\n"
                 "if (!active)\n"
                 "return;\n"
                 "const long outer = target_base + target_outer(target_first + line);\n"
                 "const uint position = target_position(target_first + line);\n",
                 MST_SET(twiddled, pass->twiddle_n ? ", multiplied by the twiddles between passes" : ""));
    if (pass->twiddle_n)
        mst_text_add(out, "const uint c = source_column(source_first + line);\n");
    if (pass->twiddle_n && pass->twiddle_split)
        mst_text_put(out, "const uint d = c % ${block}u, b = ${block}u + c / ${block}u; // in its block, and the block\n",
                     MST_SET(block, mst_pass_twiddle_block(pass)));
    unsigned braces = mst_pass_gpu_open_butterflies(pass, pass->n_radices - 1, out);
    if (pass->twiddle_n && pass->twiddle_by_column)
        mst_text_put(out, "const real2 base = low_twiddles[j * ${columns}u + c];\n",
                     MST_SET(columns, mst_pass_twiddle_columns(pass)));
    if (pass->twiddle_n && pass->twiddle_split)
        mst_text_put(out, "const real2 base = complex_multiply(low_twiddles[j * ${row}u + d], low_twiddles[j * ${row}u + b]);\n",
                     MST_SET(row, mst_pass_twiddle_row(pass)));
    mst_text_put(out,
                 "#pragma unroll\n"
                 "for (uint q = 0; q < ${radix}u; q++) {\n"
                 "const int e = (int)j + (int)q * $apart;\n"
                 "real2 value = (real2)(re[${first}q], im[${first}q]);\n",
                 MST_SET(radix, stored), MST_SET(apart, pass->n / r),
                 MST_SET(first, mst_pass_gpu_first_register(pass, pass->n_radices - 1).text));
    write_twiddle(pass, out);
    mst_text_put(out, "store_value(target, outer, position + e$step$arguments, value);\n}\n",
                 MST_SET(step, mst_pass_value_step(pass, &pass->target, &pass->store).text),
                 MST_SET(arguments, mst_store_arguments(pass)));
    mst_pass_gpu_close(braces, out);
    if (pass->half == MST_HALF_COMBINE)
        write_last(pass, out);
}

void mst_pass_write_gpu(const mst_pass *pass, const mst_signature *signature, mst_text *out) {
    mst_pass_gpu_write_mirror(pass, out);
    mst_pass_gpu_write_head(pass, signature, out);
    if (pass->half != MST_HALF_NONE)
        mst_text_add(out, "real last = 0; // of the spectrum\n");
    if (pass->staged_load)
        mst_pass_gpu_write_staged_loading(pass, out);
    else
        write_loading(pass, out);
    if (pass->half == MST_HALF_SPLIT)
        mst_pass_gpu_write_split(pass, out);
    mst_pass_gpu_write_steps(pass, &(mst_pass_gpu_local){.used = pass->staged_load},
                             &(mst_pass_gpu_names){"re", "im", "step_twiddles"}, 1, out);
    if (pass->half == MST_HALF_COMBINE)
        mst_pass_gpu_write_combine(pass, out);
    if (pass->staged_store)
        mst_pass_gpu_write_staged_storing(pass, out);
    else
        write_storing(pass, out);
    mst_text_add(out, "}\n");
}
