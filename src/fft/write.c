// What passes of both shapes have in common: where lines lie, and how single values are loaded and stored.
#include "pass.h"

#include <stdio.h>

static const char *type_of(const mst_pass *pass, const mst_pass_op *op) {
    if (op->element == MST_ELEMENT_REAL)
        return pass->is_double ? "double" : "float";
    return pass->is_double ? "double2" : "float2";
}

// A function of the line number: sum_k l_k factor[k].
static void write_decomposition(const mst_view *v, const char *type, const char *name, const int64_t *factors, mst_text *out) {
    mst_text_add(out, "%s %s(ulong line) {\n    %s sum = 0;\n", type, name, type);
    int first = 0;
    while (first < v->n_dims && factors[first] == 0)
        first++;
    for (int k = v->n_dims - 1; k >= first && v->n_dims > 0; k--) {
        if (k == 0)
            mst_text_add(out, "    sum += (%s)line * (%s)%lld;\n", type, type, (long long)factors[k]);
        else if (factors[k] != 0)
            mst_text_add(out, "    sum += (%s)(line %% %zuul) * (%s)%lld;\n", type, v->counts[k], type, (long long)factors[k]);
        if (k > first)
            mst_text_add(out, "    line /= %zuul;\n", v->counts[k]);
    }
    mst_text_add(out, "    return sum;\n}\n\n");
}

void mst_view_write(const mst_view *v, const char *side, mst_text *out) {
    char name[40];
    int64_t positions[MST_PASS_DIMS];
    for (int k = 0; k < v->n_dims; k++)
        positions[k] = (int64_t)v->position[k];
    snprintf(name, sizeof name, "%s_outer", side);
    write_decomposition(v, "long", name, v->outer, out);
    snprintf(name, sizeof name, "%s_position", side);
    write_decomposition(v, "uint", name, positions, out);
}

static void write_load(const mst_pass *pass, mst_text *out) {
    const mst_pass_op *op = &pass->load;
    mst_text_add(out, "real2 load_value(__global const %s *source, long outer, uint p, __global const real2 *factors) {\n",
                 type_of(pass, op));
    if (op->length)
        mst_text_add(out, "    if (p >= %zuu)\n        return (real2)(0, 0);\n", op->length);
    const long long stride = (long long)pass->source.axis_stride;
    if (op->element == MST_ELEMENT_REAL)
        mst_text_add(out, "    real2 value = (real2)(source[outer + (long)p * %lld], 0);\n", stride);
    else if (op->element == MST_ELEMENT_HERMITIAN)
        mst_text_add(out,
                     "    const bool mirrored = p > %zuu;\n"
                     "    real2 value = source[outer + (long)(mirrored ? %zuu - p : p) * %lld];\n"
                     "    value.y = mirrored ? -value.y : value.y;\n"
                     "    if (p == 0 || 2 * p == %zuu)\n        value.y = 0;\n",
                     op->axis_length / 2, op->axis_length, stride, op->axis_length);
    else
        mst_text_add(out, "    real2 value = source[outer + (long)p * %lld];\n", stride);
    if (op->multiply)
        mst_text_add(out, "    value = complex_multiply(value, factors[p]);\n");
    mst_text_add(out, "    return %s;\n}\n\n", op->swap ? "value.yx" : "value");
}

static void write_store(const mst_pass *pass, mst_text *out) {
    const mst_pass_op *op = &pass->store;
    mst_text_add(
        out,
        "void store_value(__global %s *target, long outer, uint p, __global const real2 *factors, real scale, real2 value) "
        "{\n",
        type_of(pass, op));
    if (op->length)
        mst_text_add(out, "    if (p >= %zuu)\n        return;\n", op->length);
    if (op->swap)
        mst_text_add(out, "    value = value.yx;\n");
    if (op->multiply)
        mst_text_add(out, "    value = complex_multiply(value, factors[p]);\n");
    if (pass->scale)
        mst_text_add(out, "    value *= scale;\n");
    mst_text_add(out, "    target[outer + (long)p * %lld] = value%s;\n}\n\n", (long long)pass->target.axis_stride,
                 op->element == MST_ELEMENT_REAL ? ".x" : "");
}

static void write_twiddle(const mst_pass *pass, mst_text *out) {
    int64_t column[MST_PASS_DIMS] = {0};
    column[pass->twiddle_dim] = 1;
    write_decomposition(&pass->source, "uint", "column", column, out);
    if (pass->twiddle_by_column)
        return;
    mst_text_add(out,
                 "// exp(-2 pi i t / %zu), from two tables.\n"
                 "real2 twiddle(__global const real2 *low, __global const real2 *high, uint log_low, uint t) {\n"
                 "    return complex_multiply(low[t & ((1u << log_low) - 1)], high[t >> log_low]);\n"
                 "}\n\n",
                 pass->twiddle_n);
}

void mst_pass_write(const mst_pass *pass, mst_text *out) {
    mst_text_add(out, "// %s %zu: radices", pass->convolution ? "Cyclic convolutions of length" : "Transforms of length",
                 pass->n);
    for (int k = 0; k < pass->n_radices; k++)
        mst_text_add(out, "%s%u", k ? " x " : " ", pass->radices[k]);
    if (pass->cpu) {
        mst_text_add(out, "; %u at once, one in each lane of vectors.\n\ntypedef %s%u vreal;\n", pass->lanes,
                     pass->is_double ? "double" : "float", pass->lanes);
    } else {
        mst_text_add(out, "; %u work-items a transform, %u transforms a work-group.\n\ntypedef real vreal;\n", pass->threads,
                     pass->lines);
    }
    mst_text_add(out, "\n");
    mst_butterflies_write(pass->radices, pass->n_radices, out);
    mst_view_write(&pass->source, "source", out);
    mst_view_write(&pass->target, "target", out);
    write_load(pass, out);
    write_store(pass, out);
    if (pass->twiddle_n)
        write_twiddle(pass, out);
    mst_text_add(out, "#define SOURCE %s\n#define TARGET %s\n\n", type_of(pass, &pass->load), type_of(pass, &pass->store));
    if (pass->convolution)
        mst_pass_write_convolution(pass, out);
    else if (pass->cpu)
        mst_pass_write_cpu(pass, out);
    else
        mst_pass_write_gpu(pass, out);
}
