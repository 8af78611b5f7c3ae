// GPU-shaped passes whose work-items hold a whole line each: lines come and go by way of local memory, so that neighbouring
// work-items read and write neighbouring elements.
#include "write_parts.h"

#include <stdio.h>

// Values of a line on one side: a spectrum that is combined or split has one more than are transformed.
static size_t values_of(const mst_pass *pass, const mst_pass_op *op) {
    return pass->n + (pass->half != MST_HALF_NONE && op->element == MST_ELEMENT_COMPLEX);
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
    const mst_times step = mst_pass_value_step(pass, view, op->element);
    const size_t n = values_of(pass, op), pitch = mst_pass_staged_pitch(pass);
    const mst_text_value values[] = {MST_SET(n, n),
                                     MST_SET(group, pass->lines),
                                     MST_SET(side, side),
                                     MST_SET(pitch, pitch),
                                     MST_SET(step, step.text),
                                     MST_SET(gap, pitch - n),
                                     MST_SET(work, work),
                                     {0}};
    if (is_dense(pass, view, op)) // one line of all of them
        mst_text_put_values(out,
                            "{\n"
                            "const ulong first = get_group_id(0) * (ulong)$group;\n"
                            "const uint count = (uint)min(n_lines - first, (ulong)$group) * ${n}u;\n"
                            "const long outer = ${side}_base + ${side}_outer(${side}_first + first);\n"
                            "#pragma unroll\n"
                            "for (uint i = 0; i < ${n}u; i++) {\n"
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
                            "for (uint i = 0; i < ${n}u; i++) {\n"
                            "const uint g = id + i * ${group}u, e = g % ${n}u;\n"
                            "const ulong l = get_group_id(0) * (ulong)$group + g / ${n}u;\n"
                            "if (l < n_lines) {\n"
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
    snprintf(load, sizeof load, "*mine = load_value(source, outer, position%s);", mst_load_arguments(pass));
    mst_text_add(out, "// Load the lines of the work-group together, then each work-item its own.\n");
    if (mst_pass_loads_pairs(pass)) {
        mst_text_add(out, "if (PAIRS) {\n");
        write_lines(pass, "source", &pass->source, &pass->load, "*mine = load_pair(source, outer, position);", out);
        mst_text_add(out, "} else {\n");
    }
    write_lines(pass, "source", &pass->source, &pass->load, load, out);
    if (mst_pass_loads_pairs(pass))
        mst_text_add(out, "}\n");
    mst_pass_gpu_write_barrier(out);
    mst_text_put(out,
                 "#pragma unroll\n"
                 "for (uint q = 0; q < ${n}u; q++) {\n"
                 "const real2 value = active ? stage[id * ${pitch}u + q] : (real2)(0, 0);\n"
                 "re[q] = value.x;\n"
                 "im[q] = value.y;\n"
                 "}\n",
                 MST_SET(n, pass->n), MST_SET(pitch, mst_pass_staged_pitch(pass)));
    if (pass->half == MST_HALF_SPLIT)
        mst_text_put(out, "last = active ? stage[id * ${pitch}u + ${n}u].x : 0;\n", MST_SET(n, pass->n),
                     MST_SET(pitch, mst_pass_staged_pitch(pass)));
}

void mst_pass_gpu_write_staged_storing(const mst_pass *pass, mst_text *out) {
    char store[80];
    snprintf(store, sizeof store, "store_value(target, outer, position%s, *mine);", mst_store_arguments(pass));
    mst_text_add(out, "\n// Store the lines the same way.\n");
    mst_pass_gpu_write_barrier(out);
    mst_text_put(out,
                 "#pragma unroll\n"
                 "for (uint q = 0; q < ${n}u; q++)\n"
                 "stage[id * ${pitch}u + q] = (real2)(re[q], im[q]);\n",
                 MST_SET(n, pass->n), MST_SET(pitch, mst_pass_staged_pitch(pass)));
    if (pass->half == MST_HALF_COMBINE)
        mst_text_put(out, "stage[id * ${pitch}u + ${n}u] = (real2)(last, 0);\n", MST_SET(n, pass->n),
                     MST_SET(pitch, mst_pass_staged_pitch(pass)));
    mst_pass_gpu_write_barrier(out);
    write_lines(pass, "target", &pass->target, &pass->store, store, out);
}
