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

bool mst_pass_stages_even(const mst_pass *pass, const mst_pass_op *op) {
    const bool staged = op == &pass->load ? pass->staged_load : pass->staged_store;
    return staged && (op->even == EVEN_PAIRED || op->even == EVEN_FOLDED || (op->even == EVEN_MIRRORED && op == &pass->load));
}

// The work-group's lines of even or odd data, number by number in the order of memory.
static void write_even_lines(const mst_pass *pass, const char *side, const mst_pass_op *op, const char *work, mst_text *out) {
    const size_t n = op->axis_length;
    mst_text_put(out,
                 "#pragma unroll\n"
                 "for (uint i = 0; i < ${rounds}u; i++) {\n"
                 "const uint g = id + i * ${group}u, e = g % ${n}u;\n"
                 "const ulong l = get_group_id(0) * (ulong)$lines + g / ${n}u;\n"
                 "if (g < ${total}u && l < n_lines) {\n"
                 "__local real *mine = (__local real *)(stage + g / ${n}u * ${pitch}u);\n"
                 "const long at = ${side}_base + ${side}_outer(${side}_first + l) + e;\n"
                 "$work\n"
                 "}\n"
                 "}\n",
                 MST_SET(rounds, mst_divide_up(n, (size_t)pass->threads)), MST_SET(group, pass->lines * pass->threads),
                 MST_SET(n, n), MST_SET(lines, pass->lines), MST_SET(total, n * pass->lines),
                 MST_SET(pitch, mst_pass_staged_pitch(pass)), MST_SET(side, side), MST_SET(work, work));
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

// Each work-item its own numbers, multiplied by factors or with their parts exchanged, if that has not been done.
static void write_staged_operand(const mst_pass *pass, bool multiply, bool swap, mst_text *out) {
    char load[120];
    snprintf(load, sizeof load, "%sstage[slot * %zuu + (uint)e]%s%s", multiply ? "complex_multiply(" : "",
             mst_pass_staged_pitch(pass), multiply ? ", load_factors[e])" : "", swap ? ".yx" : "");
    mst_pass_gpu_write_barrier(out);
    mst_pass_gpu_write_operand(pass, load, true, (mst_pass_gpu_names){"re", "im", NULL}, out);
}

void mst_pass_gpu_write_staged_loading(const mst_pass *pass, mst_text *out) {
    const mst_pass_op *op = &pass->load;
    char load[120];
    mst_text_add(out, "// Load the lines of the work-group together, then each work-item its own.\n");
    if (mst_pass_stages_even(pass, op)) {
        snprintf(load, sizeof load, "even_put(%d, %d, %zuu, mine, e, source[at]);", op->even, op->sine, op->axis_length);
        write_even_lines(pass, "source", op, load, out);
        write_staged_operand(pass, op->multiply, op->swap, out);
        return;
    }
    snprintf(load, sizeof load, "*mine = load_value(source, outer, position%s);", mst_load_arguments(pass));
    if (mst_pass_loads_pairs(pass)) {
        mst_text_add(out, "if (PAIRS) {\n");
        write_lines(pass, "source", &pass->source, &pass->load, "*mine = load_pair(source, outer, position);", out);
        mst_text_add(out, "} else {\n");
    }
    write_lines(pass, "source", &pass->source, &pass->load, load, out);
    if (mst_pass_loads_pairs(pass))
        mst_text_add(out, "}\n");
    write_staged_operand(pass, false, false, out);
    if (pass->half == MST_HALF_SPLIT)
        mst_text_put(out, "last = active && t == 0 ? stage[slot * ${pitch}u + ${n}u].x : 0;\n", MST_SET(n, pass->n),
                     MST_SET(pitch, mst_pass_staged_pitch(pass)));
}

// What store_value does to a value before it is stored.
static const char *change_of(const mst_pass *pass) {
    static const char *const changes[] = {"",
                                          "value = value.yx;\n",
                                          "value = complex_multiply(value, store_factors[e]);\n",
                                          "value = complex_multiply(value.yx, store_factors[e]);\n",
                                          "value *= scale;\n",
                                          "value = value.yx * scale;\n",
                                          "value = complex_multiply(value, store_factors[e]) * scale;\n",
                                          "value = complex_multiply(value.yx, store_factors[e]) * scale;\n"};
    return changes[pass->store.swap + 2 * pass->store.multiply + 4 * pass->scale];
}

void mst_pass_gpu_write_staged_storing(const mst_pass *pass, mst_text *out) {
    const int step = pass->n_radices - 1;
    const mst_pass_op *op = &pass->store;
    const bool even = mst_pass_stages_even(pass, op);
    char store[120];
    snprintf(store, sizeof store, "store_value(target, outer, position%s, *mine);", mst_store_arguments(pass));
    mst_text_add(out, "\n// Store the lines the same way.\n");
    mst_pass_gpu_write_barrier(out);
    unsigned braces = mst_pass_gpu_open_butterflies(pass, step, out);
    mst_text_put(out,
                 "#pragma unroll\n"
                 "for (uint q = 0; q < ${radix}u; q++) {\n"
                 "const uint e = j + q * ${apart}u;\n"
                 "real2 value = (real2)(re[${first}q], im[${first}q]);\n"
                 "${change}"
                 "stage[slot * ${pitch}u + e] = value;\n"
                 "}\n",
                 MST_SET(change, even ? change_of(pass) : ""), MST_SET(radix, pass->radices[step]),
                 MST_SET(apart, pass->n / pass->radices[step]), MST_SET(pitch, mst_pass_staged_pitch(pass)),
                 MST_SET(first, mst_pass_gpu_first_register(pass, step).text));
    mst_pass_gpu_close(braces, out);
    if (pass->half == MST_HALF_COMBINE)
        mst_text_put(out, "if (t == 0)\nstage[slot * ${pitch}u + ${n}u] = (real2)(last, 0);\n", MST_SET(n, pass->n),
                     MST_SET(pitch, mst_pass_staged_pitch(pass)));
    mst_pass_gpu_write_barrier(out);
    if (even) {
        snprintf(store, sizeof store, "target[at] = even_take(%d, %d, %zuu, mine, e);", op->even, op->sine, op->axis_length);
        write_even_lines(pass, "target", op, store, out);
        return;
    }
    write_lines(pass, "target", &pass->target, op, store, out);
}
