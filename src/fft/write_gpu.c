// GPU-shaped passes: the work-items of a transform hold it in registers, and exchange it through local memory between the steps
// (write_steps.c).
#include "write_parts.h"

#include <stdio.h>

static void write_loading(const mst_pass *pass, mst_text *out) {
    char load[100];
    snprintf(load, sizeof load, "load_value(source, outer, position + e%s%s)", mst_pass_times(pass->source.step).text,
             mst_load_arguments(pass));
    mst_text_add(out, "{ // Load.\n"
                      "long outer = 0;\n"
                      "uint position = 0;\n"
                      "if (active) {\n"
                      "outer = source_base + source_outer(source_first + line);\n"
                      "position = source_position(source_first + line);\n"
                      "}\n");
    mst_pass_gpu_write_operand(pass, load, true, (mst_pass_gpu_names){"re", "im", NULL}, out);
    mst_text_add(out, "}\n");
}

static void write_twiddle(const mst_pass *pass, mst_text *out) {
    size_t columns = pass->twiddle_n / pass->n;
    if (pass->twiddle_n && pass->twiddle_by_column)
        mst_text_put(out, "value = complex_multiply(value, complex_multiply(base, high_twiddles[q * ${columns}u + c]));\n",
                     MST_SET(columns, columns));
    else if (pass->twiddle_n)
        mst_text_add(out, "value = complex_multiply(value, twiddle(low_twiddles, high_twiddles, c * e));\n");
}

static void write_storing(const mst_pass *pass, mst_text *out) {
    unsigned r = pass->radices[pass->n_radices - 1];
    mst_text_put(out,
                 "\n// Store$twiddled.\n"
                 "if (!active)\n"
                 "return;\n"
                 "const long outer = target_base + target_outer(target_first + line);\n"
                 "const uint position = target_position(target_first + line);\n",
                 MST_SET(twiddled, pass->twiddle_n ? ", multiplied by the twiddles between passes" : ""));
    if (pass->twiddle_n)
        mst_text_add(out, "const uint c = source_column(source_first + line);\n");
    unsigned braces = mst_pass_gpu_open_butterflies(pass, r, out);
    if (pass->twiddle_n && pass->twiddle_by_column)
        mst_text_put(out, "const real2 base = low_twiddles[j * ${columns}u + c];\n", MST_SET(columns, pass->twiddle_n / pass->n));
    mst_text_put(out,
                 "#pragma unroll\n"
                 "for (uint q = 0; q < ${radix}u; q++) {\n"
                 "const int e = (int)j + (int)q * $apart;\n"
                 "real2 value = (real2)(re[${first}q], im[${first}q]);\n",
                 MST_SET(radix, r), MST_SET(apart, pass->n / r), MST_SET(first, mst_pass_gpu_first_register(pass, r).text));
    write_twiddle(pass, out);
    mst_text_put(out, "store_value(target, outer, position + e$step$arguments, value);\n}\n",
                 MST_SET(step, mst_pass_times(pass->target.step).text), MST_SET(arguments, mst_store_arguments(pass)));
    mst_pass_gpu_close(braces, out);
}

void mst_pass_write_gpu(const mst_pass *pass, const mst_signature *signature, mst_text *out) {
    mst_pass_gpu_write_head(pass, signature, out);
    if (pass->staged)
        mst_pass_gpu_write_staged_loading(pass, out);
    else
        write_loading(pass, out);
    mst_pass_gpu_write_steps(pass, &(mst_pass_gpu_local){.used = false}, &(mst_pass_gpu_names){"re", "im", "step_twiddles"}, 1,
                             out);
    if (pass->staged)
        mst_pass_gpu_write_staged_storing(pass, out);
    else
        write_storing(pass, out);
    mst_text_add(out, "}\n");
}
