// GPU-shaped passes that convolve cyclically with a spectrum: lengths with large prime factors in one pass (cyclic.c).
#include "write_parts.h"

#include <stdio.h>

static const char locate[] = "long source_at = 0, target_at = 0;\n"
                             "uint source_start = 0, target_start = 0;\n"
                             "if (active) {\n"
                             "source_at = source_base + source_outer(source_first + line);\n"
                             "source_start = source_position(source_first + line);\n"
                             "target_at = target_base + target_outer(target_first + line);\n"
                             "target_start = target_position(target_first + line);\n"
                             "}\n";

// Bluestein's: chirps and padding belong to loading and storing.
static void write_chirp(const mst_pass *pass, const mst_signature *signature, mst_text *out) {
    char load[120], store[120];
    snprintf(load, sizeof load, "load_value(source, source_at, source_start + e%s%s)", mst_pass_times(pass->source.step).text,
             mst_load_arguments(pass));
    snprintf(store, sizeof store, "store_value(target, target_at, target_start + e%s%s, value)",
             mst_pass_times(pass->target.step).text, mst_store_arguments(pass));
    const mst_fusion fusion = {.signature = signature,
                               .locate = locate,
                               .loads = {load},
                               .forward = {true},
                               .change = "value = complex_multiply(value, spectrum[e])",
                               .backward = true,
                               .store = store};
    mst_pass_write_fusion(pass, &fusion, out);
}

// Rader's: a line passes through local memory to come into its order,
static void write_line_in(const mst_pass *pass, mst_text *out) {
    mst_text_put(out,
                 "$locate"
                 "// The line goes to local memory, where elements are found in Rader's order.\n"
                 "for (uint e = t; e < ${n}u; e += ${threads}u) {\n"
                 "const real2 value = active ? load_value(source, source_at, source_start + e$step$arguments) : (real2)(0, 0);\n"
                 "own[2 * e] = value.x;\n"
                 "own[2 * e + 1] = value.y;\n"
                 "}\n"
                 "barrier(CLK_LOCAL_MEM_FENCE);\n"
                 "const real2 zeroth = (real2)(own[0], own[1]);\n"
                 "real2 sum = zeroth;\n",
                 MST_SET(locate, locate), MST_SET(n, pass->n + 1), MST_SET(threads, pass->threads),
                 MST_SET(step, mst_pass_times(pass->source.step).text), MST_SET(arguments, mst_load_arguments(pass)));
}

// and out of it.
static void write_line_out(const mst_pass *pass, mst_text *out) {
    mst_text_put(out,
                 "if (t == 0) {\n"
                 "own[0] = sum.x;\n"
                 "own[1] = sum.y;\n"
                 "}\n"
                 "barrier(CLK_LOCAL_MEM_FENCE);\n"
                 "for (uint e = t; e < ${n}u && active; e += ${threads}u)\n"
                 "store_value(target, target_at, target_start + e$step$arguments, element(own, e));\n",
                 MST_SET(n, pass->n + 1), MST_SET(threads, pass->threads), MST_SET(step, mst_pass_times(pass->target.step).text),
                 MST_SET(arguments, mst_store_arguments(pass)));
}

// x[0] is added to the whole result at frequency 0, where the sum of all is element 0 of the transform.
static const char change_rader[] = "if (e == 0)\n"
                                   "sum += value;\n"
                                   "value = complex_multiply(value, spectrum[e]);\n"
                                   "if (e == 0)\n"
                                   "value += zeroth";

static void write_rader(const mst_pass *pass, const mst_signature *signature, mst_text *out) {
    mst_text line_in = {0}, line_out = {0};
    char store[120];
    write_line_in(pass, &line_in);
    write_line_out(pass, &line_out);
    snprintf(store, sizeof store,
             "const uint to = order[e == 0 ? 0 : %zuu - e];\nown[2 * to] = value.x;\nown[2 * to + 1] = value.y", pass->n);
    const mst_fusion fusion = {.signature = signature,
                               .locate = line_in.text,
                               .loads = {"element(own, order[e])"},
                               .forward = {true},
                               .change = change_rader,
                               .backward = true,
                               .store = store,
                               .finish = line_out.text};
    out->failed = out->failed || line_in.failed || line_out.failed;
    if (!out->failed) {
        mst_text_add(out, "real2 element(__local const real *own, uint e) { return (real2)(own[2 * e], own[2 * e + 1]); }\n\n");
        mst_pass_write_fusion(pass, &fusion, out);
    }
    mst_text_release(&line_in);
    mst_text_release(&line_out);
}

void mst_pass_write_convolution(const mst_pass *pass, const mst_signature *signature, mst_text *out) {
    if (pass->convolution == MST_PASS_RADER)
        write_rader(pass, signature, out);
    else
        write_chirp(pass, signature, out);
}
