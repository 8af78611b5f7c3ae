// GPU-shaped passes with few work-items a line: lines come and go by way of local memory, so that neighbouring work-items read
// and write neighbouring elements.
#include "write_parts.h"

#include "runtime/numbers.h"

#include <stdio.h>

// Values of a line on one side: a spectrum that is combined or split has one more than are transformed.
static size_t values_of(const mst_pass *pass, const mst_pass_op *op) {
    return pass->n + (mst_pass_halves(pass) && op == (pass->half == MST_HALF_COMBINE ? &pass->store : &pass->load));
}

// Plain numbers of lines that follow one another without gaps?
static bool is_dense(const mst_pass *pass, const mst_view *v, const mst_pass_op *op) {
    return v->n_dims == 1 && v->outer[0] == (int64_t)values_of(pass, op) && v->position[0] == 0 && v->axis_stride == 1 &&
           v->step == 1 && op->element == MST_ELEMENT_COMPLEX && !op->multiply && !op->length;
}

// The work-group's lines, element by element in the order of memory; `work` is what is done with the element at a position of the
// line at `outer`, which is *mine in local memory.
static void write_lines(const mst_pass *pass, const char *side, const mst_view *view, const mst_pass_op *op, const char *work,
                        mst_text *out) {
    const mst_times step = mst_pass_value_step(pass, view, op);
    const size_t n = values_of(pass, op), pitch = mst_pass_staged_pitch(pass);
    const mst_text_value values[] = {MST_SET(n, n),
                                     MST_SET(lines, pass->lines),
                                     MST_SET(group, pass->lines * pass->threads),
                                     MST_SET(rounds, mst_divide_up(n, (size_t)pass->threads)),
                                     MST_SET(total, n * pass->lines),
                                     MST_SET(side, side),
                                     MST_SET(pitch, pitch),
                                     MST_SET(step, step.text),
                                     MST_SET(gap, pitch - n),
                                     MST_SET(work, work),
                                     {0}};
    if (is_dense(pass, view, op)) // one line of all of them
        mst_text_put_values(out,
                            "{\n"
                            "const ulong first = get_group_id(0) * (ulong)$lines;\n"
                            "const uint count = (uint)min(n_lines - first, (ulong)$lines) * ${n}u;\n"
                            "const long outer = ${side}_base + ${side}_outer(${side}_first + first);\n"
                            "#pragma unroll\n"
                            "for (uint i = 0; i < ${rounds}u; i++) {\n"
                            "const uint position = id + i * ${group}u;\n"
                            "if (position < count) {\n"
                            "__local real2 *mine = stage + position + position / ${n}u * ${gap}u;\n"
                            "$work\n"
                            "}\n"
                            "}\n"
                            "}\n",
                            values);
    else
        mst_text_put_values(out,
                            "#pragma unroll\n"
                            "for (uint i = 0; i < ${rounds}u; i++) {\n"
                            "const uint g = id + i * ${group}u, e = g % ${n}u;\n"
                            "const ulong l = get_group_id(0) * (ulong)$lines + g / ${n}u;\n"
                            "if (g < ${total}u && l < n_lines) {\n"
                            "__local real2 *mine = stage + g / ${n}u * ${pitch}u + e;\n"
                            "const long outer = ${side}_base + ${side}_outer(${side}_first + l);\n"
                            "const uint position = ${side}_position(${side}_first + l) + e$step;\n"
                            "$work\n"
                            "}\n"
                            "}\n",
                            values);
}

void mst_pass_gpu_write_staged_loading(const mst_pass *pass, mst_text *out) {
    char load[80];
    mst_text_add(out, "// Load the lines of the work-group together, then each work-item its own.\n");
    snprintf(load, sizeof load, "*mine = load_value(source, outer, position%s);", mst_load_arguments(pass));
    if (mst_pass_loads_pairs(pass)) {
        mst_text_add(out, "if (PAIRS) {\n");
        write_lines(pass, "source", &pass->source, &pass->load, "*mine = load_pair(source, outer, position);", out);
        mst_text_add(out, "} else {\n");
    }
    write_lines(pass, "source", &pass->source, &pass->load, load, out);
    if (mst_pass_loads_pairs(pass))
        mst_text_add(out, "}\n");
    mst_pass_gpu_write_barrier(out);
    snprintf(load, sizeof load, "stage[slot * %zuu + (uint)e]", mst_pass_staged_pitch(pass));
    mst_pass_gpu_write_operand(pass, load, true, (mst_pass_gpu_names){"re", "im", NULL}, out);
    if (pass->half == MST_HALF_SPLIT)
        mst_text_put(out, "last = active && t == 0 ? stage[slot * ${pitch}u + ${n}u].x : 0;\n", MST_SET(n, pass->n),
                     MST_SET(pitch, mst_pass_staged_pitch(pass)));
}

void mst_pass_gpu_write_staged_storing(const mst_pass *pass, mst_text *out) {
    const int step = pass->n_radices - 1;
    char store[80];
    snprintf(store, sizeof store, "store_value(target, outer, position%s, *mine);", mst_store_arguments(pass));
    mst_text_add(out, "\n// Store the lines the same way.\n");
    mst_pass_gpu_write_barrier(out);
    unsigned braces = mst_pass_gpu_open_butterflies(pass, step, out);
    mst_text_put(out,
                 "#pragma unroll\n"
                 "for (uint q = 0; q < ${radix}u; q++)\n"
                 "stage[slot * ${pitch}u + j + q * ${apart}u] = (real2)(re[${first}q], im[${first}q]);\n",
                 MST_SET(radix, pass->radices[step]), MST_SET(apart, pass->n / pass->radices[step]),
                 MST_SET(pitch, mst_pass_staged_pitch(pass)), MST_SET(first, mst_pass_gpu_first_register(pass, step).text));
    mst_pass_gpu_close(braces, out);
    if (pass->half == MST_HALF_COMBINE)
        mst_text_put(out, "if (t == 0)\nstage[slot * ${pitch}u + ${n}u] = (real2)(last, 0);\n", MST_SET(n, pass->n),
                     MST_SET(pitch, mst_pass_staged_pitch(pass)));
    mst_pass_gpu_write_barrier(out);
    write_lines(pass, "target", &pass->target, &pass->store, store, out);
}
