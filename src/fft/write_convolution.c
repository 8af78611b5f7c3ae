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

// Bluestein's: chirps and padding are the load and store ops'.
static void write_chirp(const mst_pass *pass, const mst_signature *signature, mst_text *out) {
    const mst_pass back = mst_pass_back(pass);
    char load[120], store[120];
    snprintf(load, sizeof load, "load_value(source, source_at, source_start + e * %zuu%s)", pass->source.step,
             mst_load_arguments(pass));
    snprintf(store, sizeof store, "store_value(target, target_at, target_start + e * %zuu%s, value)", pass->target.step,
             mst_store_arguments(pass));
    const mst_fusion fusion = {.signature = signature,
                               .locate = locate,
                               .loads = {load},
                               .forward = {true},
                               .change = "value = complex_multiply(value, spectrum[e])",
                               .backward = true,
                               .store = store};
    mst_pass_write_fusion(pass, &back, &fusion, out);
}

// The line passes through local memory to come into Rader's order and out of it. x[0] is added to the whole result at frequency
// 0, where the sum of all is element 0 of the transform.
static void write_rader(const mst_pass *pass, const mst_signature *signature, mst_text *out) {
    const mst_pass back = mst_pass_back(pass);
    const mst_text_value values[] = {MST_SET(n, pass->n + 1),
                                     MST_SET(last, pass->n),
                                     MST_SET(threads, pass->threads),
                                     MST_SET(locate, locate),
                                     MST_SET(from_step, pass->source.step),
                                     MST_SET(to_step, pass->target.step),
                                     MST_SET(load_arguments, mst_load_arguments(pass)),
                                     MST_SET(store_arguments, mst_store_arguments(pass)),
                                     {0}};
    mst_text locate_line = {0}, store = {0}, finish = {0};
    mst_text_put_values(&locate_line,
                        "$locate"
                        "// The whole line, to local memory.\n"
                        "for (uint e = t; e < ${n}u; e += ${threads}u) {\n"
                        "const real2 value = active ? load_value(source, source_at, source_start + e * "
                        "${from_step}u$load_arguments) : (real2)(0, 0);\n"
                        "own[2 * e] = value.x;\n"
                        "own[2 * e + 1] = value.y;\n"
                        "}\n"
                        "barrier(CLK_LOCAL_MEM_FENCE);\n"
                        "const real2 zeroth = (real2)(own[0], own[1]);\n"
                        "real2 sum = zeroth;\n",
                        values);
    mst_text_put_values(&store,
                        "const uint to = order[e == 0 ? 0 : ${last}u - e];\n"
                        "own[2 * to] = value.x;\n"
                        "own[2 * to + 1] = value.y",
                        values);
    mst_text_put_values(
        &finish,
        "if (t == 0) {\n"
        "own[0] = sum.x;\n"
        "own[1] = sum.y;\n"
        "}\n"
        "barrier(CLK_LOCAL_MEM_FENCE);\n"
        "for (uint e = t; e < ${n}u && active; e += ${threads}u)\n"
        "store_value(target, target_at, target_start + e * ${to_step}u$store_arguments, (real2)(own[2 * e], own[2 "
        "* e + 1]));\n",
        values);
    const mst_fusion fusion = {.signature = signature,
                               .locate = locate_line.text,
                               .loads = {"element(own, order[e])"},
                               .forward = {true},
                               .change = "if (e == 0)\nsum += value;\n"
                                         "value = complex_multiply(value, spectrum[e]);\n"
                                         "if (e == 0)\nvalue += zeroth",
                               .backward = true,
                               .store = store.text,
                               .finish = finish.text};
    out->failed = out->failed || locate_line.failed || store.failed || finish.failed;
    if (!out->failed) {
        mst_text_add(out, "real2 element(__local const real *own, uint e) { return (real2)(own[2 * e], own[2 * e + 1]); }\n\n");
        mst_pass_write_fusion(pass, &back, &fusion, out);
    }
    mst_text_release(&locate_line);
    mst_text_release(&store);
    mst_text_release(&finish);
}

void mst_pass_write_convolution(const mst_pass *pass, const mst_signature *signature, mst_text *out) {
    if (pass->convolution == MST_PASS_RADER)
        write_rader(pass, signature, out);
    else
        write_chirp(pass, signature, out);
}
