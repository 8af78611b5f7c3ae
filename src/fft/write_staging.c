// GPU-shaped passes whose work-items hold a whole line each: lines come and go by way of local memory, so that neighbouring
// work-items read and write neighbouring elements.
#include "write_parts.h"

#include <stdio.h>

// Plain numbers of lines that follow one another without gaps?
static bool is_dense(const mst_pass *pass, const mst_view *v, const mst_pass_op *op) {
    return v->n_dims == 1 && v->outer[0] == (int64_t)pass->n && v->position[0] == 0 && v->axis_stride == 1 && v->step == 1 &&
           op->element == MST_ELEMENT_COMPLEX && !op->multiply && !op->length;
}

// A line takes an odd number of elements: so work-items that read theirs use different banks.
static size_t pitch(const mst_pass *pass) { return pass->n | 1; }

// The work-group's lines, element by element in the order of memory; `work` is what is done with the element at a position of the
// line at `outer`, which is *mine in local memory.
static void write_lines(const mst_pass *pass, const char *side, const mst_view *view, const mst_pass_op *op, const char *work,
                        mst_text *out) {
    const mst_times step = mst_pass_times(view->step);
    const mst_text_value values[] = {
        MST_SET(n, pass->n),      MST_SET(group, pass->lines),         MST_SET(side, side), MST_SET(pitch, pitch(pass)),
        MST_SET(step, step.text), MST_SET(gap, pitch(pass) - pass->n), MST_SET(work, work), {0}};
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
    write_lines(pass, "source", &pass->source, &pass->load, load, out);
    mst_pass_gpu_write_barrier(out);
    mst_text_put(out,
                 "#pragma unroll\n"
                 "for (uint q = 0; q < ${n}u; q++) {\n"
                 "const real2 value = active ? stage[id * ${pitch}u + q] : (real2)(0, 0);\n"
                 "re[q] = value.x;\n"
                 "im[q] = value.y;\n"
                 "}\n",
                 MST_SET(n, pass->n), MST_SET(pitch, pitch(pass)));
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
                 MST_SET(n, pass->n), MST_SET(pitch, pitch(pass)));
    mst_pass_gpu_write_barrier(out);
    write_lines(pass, "target", &pass->target, &pass->store, store, out);
}
