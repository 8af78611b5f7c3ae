// GPU-shaped passes with few work-items a line: lines come and go by way of local memory, so that neighbouring work-items read
// and write neighbouring elements.
#include "write_parts.h"

#include "runtime/numbers.h"

#include <stdio.h>

static bool starts_lines(const mst_view *v) {
    bool zero = v->step == 1;
    for (int k = 0; k < v->n_dims; k++)
        zero = zero && v->position[k] == 0;
    return zero;
}

// Whether the first half of a spectrum of real numbers is loaded alone; work-items mirror it when they take their own.
static bool loads_half(const mst_pass *pass) {
    return pass->load.element == MST_ELEMENT_HERMITIAN && pass->load.axis_length == pass->n && !pass->load.multiply &&
           !pass->load.length && starts_lines(&pass->source);
}

// Values of a line on one side: a spectrum that is combined or split has one more than are transformed, one of real numbers half
// of them.
static size_t values_of(const mst_pass *pass, const mst_pass_op *op) {
    if (mst_pass_halves(pass))
        return pass->n + (op == (pass->half == MST_HALF_COMBINE ? &pass->store : &pass->load));
    if (op == &pass->load)
        return loads_half(pass) ? pass->n / 2 + 1 : pass->n;
    return op->length && starts_lines(&pass->target) ? mst_smaller(op->length, pass->n) : pass->n;
}

// Whether local memory holds real numbers alone: the compiler then knows which halves of the first or last butterflies count.
static bool stages_reals(const mst_pass *pass, const mst_pass_op *op) {
    return op->element == MST_ELEMENT_REAL && !op->multiply && !op->even && !mst_pass_takes_pairs(pass, op);
}

// Plain numbers of lines that follow one another without gaps?
static bool is_dense(const mst_pass *pass, const mst_view *v, const mst_pass_op *op) {
    const bool plain = op->element != MST_ELEMENT_HERMITIAN && !op->multiply && !op->length && !op->even && op->residues == 0;
    return v->n_dims == 1 && v->outer[0] == (int64_t)values_of(pass, op) && v->axis_stride == 1 && starts_lines(v) && plain &&
           !mst_pass_takes_pairs(pass, op);
}

// The work-group's lines, element by element in the order of memory; `work` is what is done with the element at a position of the
// line at `outer`, which is *mine in local memory.
static void write_lines(const mst_pass *pass, const char *side, const mst_view *view, const mst_pass_op *op, const char *work,
                        mst_text *out) {
    const mst_times step = mst_pass_value_step(pass, view, op);
    const size_t n = values_of(pass, op), pitch = mst_pass_staged_pitch(pass), group = pass->lines * pass->threads;
    const mst_text_value values[] = {MST_SET(n, n),
                                     MST_SET(lines, pass->lines),
                                     MST_SET(group, group),
                                     MST_SET(rounds, mst_divide_up(n * pass->lines, group)),
                                     MST_SET(total, n * pass->lines),
                                     MST_SET(side, side),
                                     MST_SET(pitch, pitch),
                                     MST_SET(apart, view->outer[0]),
                                     MST_SET(step, step.text),
                                     MST_SET(gap, pitch - n),
                                     MST_SET(work, work),
                                     MST_SET(type, stages_reals(pass, op) ? "real" : "real2"),
                                     {0}};
    if (view->n_dims != 1 || !starts_lines(view)) {
        mst_text_put_values(out,
                            "#pragma unroll\n"
                            "for (uint i = 0; i < ${rounds}u; i++) {\n"
                            "const uint g = id + i * ${group}u, e = g % ${n}u;\n"
                            "const ulong l = get_group_id(0) * (ulong)$lines + g / ${n}u;\n"
                            "if (g < ${total}u && l < n_lines) {\n"
                            "__local $type *mine = (__local $type *)stage + g / ${n}u * ${pitch}u + e;\n"
                            "const long outer = ${side}_base + ${side}_outer(${side}_first + l);\n"
                            "const uint position = ${side}_position(${side}_first + l) + e$step;\n"
                            "$work\n"
                            "}\n"
                            "}\n",
                            values);
        return;
    }
    mst_text_put_values(out,
                        "{\n"
                        "const ulong first = get_group_id(0) * (ulong)$lines;\n"
                        "const uint count = (uint)min(n_lines - first, (ulong)$lines) * ${n}u;\n"
                        "const long begin = ${side}_base + ${side}_outer(${side}_first + first);\n"
                        "#pragma unroll\n"
                        "for (uint i = 0; i < ${rounds}u; i++) {\n"
                        "const uint g = id + i * ${group}u;\n"
                        "if (g < count) {\n",
                        values);
    mst_text_put_values(out,
                        is_dense(pass, view, op) // one line of all of them
                            ? "const long outer = begin;\n"
                              "const uint position = g;\n"
                              "__local $type *mine = (__local $type *)stage + position + position / ${n}u * ${gap}u;\n"
                            : "const long outer = begin + (long)(g / ${n}u) * $apart;\n"
                              "const uint e = g % ${n}u, position = e$step;\n"
                              "__local $type *mine = (__local $type *)stage + g / ${n}u * ${pitch}u + e;\n",
                        values);
    mst_text_put(out, "$work\n}\n}\n}\n", MST_SET(work, work));
}

// A staged spectrum of real numbers, whose parts may be exchanged.
void mst_pass_gpu_write_mirror(const mst_pass *pass, mst_text *out) {
    if (pass->staged_load && loads_half(pass))
        mst_text_put(out,
                     "real2 mirrored(__local const real2 *line, uint e) {\n"
                     "const real2 value = line[e > ${half}u ? ${n}u - e : e];\n"
                     "return e > ${half}u ? $conjugate : value;\n"
                     "}\n\n",
                     MST_SET(half, pass->n / 2), MST_SET(n, pass->n),
                     MST_SET(conjugate, pass->load.swap ? "(real2)(-value.x, value.y)" : "(real2)(value.x, -value.y)"));
}

void mst_pass_gpu_write_staged_loading(const mst_pass *pass, mst_text *out) {
    char load[100];
    mst_text_add(out, "// Load the lines of the work-group together, then each work-item its own.\n");
    const bool reals = stages_reals(pass, &pass->load);
    snprintf(load, sizeof load, "*mine = load_value(source, outer, position%s)%s;", mst_load_arguments(pass),
             !reals            ? ""
             : pass->load.swap ? ".y"
                               : ".x");
    if (mst_pass_loads_pairs(pass)) {
        mst_text_add(out, "if (PAIRS) {\n");
        write_lines(pass, "source", &pass->source, &pass->load, "*mine = load_pair(source, outer, position);", out);
        mst_text_add(out, "} else {\n");
    }
    write_lines(pass, "source", &pass->source, &pass->load, load, out);
    if (mst_pass_loads_pairs(pass))
        mst_text_add(out, "}\n");
    mst_pass_gpu_write_barrier(out);
    if (loads_half(pass))
        snprintf(load, sizeof load, "mirrored(stage + slot * %zuu, (uint)e)", mst_pass_staged_pitch(pass));
    else if (reals)
        snprintf(load, sizeof load, "(real2)(((__local real *)stage)[slot * %zuu + (uint)e], 0)%s", mst_pass_staged_pitch(pass),
                 pass->load.swap ? ".yx" : "");
    else
        snprintf(load, sizeof load, "stage[slot * %zuu + (uint)e]", mst_pass_staged_pitch(pass));
    mst_pass_gpu_write_operand(pass, load, true, (mst_pass_gpu_names){"re", "im", NULL}, out);
    if (pass->half == MST_HALF_SPLIT)
        mst_text_put(out, "last = active && t == 0 ? stage[slot * ${pitch}u + ${n}u].x : 0;\n", MST_SET(n, pass->n),
                     MST_SET(pitch, mst_pass_staged_pitch(pass)));
}

void mst_pass_gpu_write_staged_storing(const mst_pass *pass, mst_text *out) {
    const int step = pass->n_radices - 1;
    char store[80];
    const bool reals = stages_reals(pass, &pass->store);
    snprintf(store, sizeof store, "store_value(target, outer, position%s, %s);", mst_store_arguments(pass),
             !reals             ? "*mine"
             : pass->store.swap ? "(real2)(0, *mine)"
                                : "(real2)(*mine, 0)");
    mst_text_add(out, "\n// Store the lines the same way.\n");
    mst_pass_gpu_write_barrier(out);
    unsigned braces = mst_pass_gpu_open_butterflies(pass, step, out);
    const mst_pass_gpu_first first = mst_pass_gpu_first_register(pass, step);
    const mst_text_value values[] = {MST_SET(radix, pass->radices[step]),
                                     MST_SET(apart, pass->n / pass->radices[step]),
                                     MST_SET(pitch, mst_pass_staged_pitch(pass)),
                                     MST_SET(part, pass->store.swap ? "im" : "re"),
                                     MST_SET(first, first.text),
                                     {0}};
    mst_text_add(out, "#pragma unroll\n");
    mst_text_put_values(out, "for (uint q = 0; q < ${radix}u; q++)\n", values);
    mst_text_put_values(out,
                        reals ? "((__local real *)stage)[slot * ${pitch}u + j + q * ${apart}u] = $part[${first}q];\n"
                              : "stage[slot * ${pitch}u + j + q * ${apart}u] = (real2)(re[${first}q], im[${first}q]);\n",
                        values);
    mst_pass_gpu_close(braces, out);
    if (pass->half == MST_HALF_COMBINE)
        mst_text_put(out, "if (t == 0)\nstage[slot * ${pitch}u + ${n}u] = (real2)(last, 0);\n", MST_SET(n, pass->n),
                     MST_SET(pitch, mst_pass_staged_pitch(pass)));
    mst_pass_gpu_write_barrier(out);
    write_lines(pass, "target", &pass->target, &pass->store, store, out);
}
