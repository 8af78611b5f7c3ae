// Where the lines of a pass lie, and how single values are loaded and stored: the same for kernels of both shapes.
#include "write_parts.h"

#include <stdio.h>

void mst_pass_radices_text(const mst_pass *pass, char *out, size_t size) {
    size_t length = 0;
    for (int k = 0; k < pass->n_radices && length < size; k++)
        length += (size_t)snprintf(out + length, size - length, k > 0 ? " x %u" : "%u", pass->radices[k]);
}

const char *mst_element_type(mst_element element) { return element == MST_ELEMENT_REAL ? "real" : "real2"; }

// A function of the number of a line, whose index along dimension k is l_k: sum_k l_k factors[k].
static void write_sum(const mst_view *v, const char *type, const char *side, const char *what, const int64_t *factors,
                      mst_text *out) {
    int first = 0;
    bool started = false;
    while (first < v->n_dims && factors[first] == 0)
        first++;
    mst_text_put(out, "$type ${side}_$what(ulong line) {\n", MST_SET(type, type), MST_SET(side, side), MST_SET(what, what));
    for (int k = v->n_dims - 1; k >= first; k--) {
        const mst_text_value values[] = {
            MST_SET(type, type), MST_SET(what, what), MST_SET(count, v->counts[k]), MST_SET(factor, factors[k]), {0}};
        if (factors[k] != 0) {
            const char *assigned = started ? "$what += " : "$type $what = ", *returned = started ? "return $what + " : "return ";
            mst_text_put_values(out, k > first ? assigned : returned, values);
            mst_text_put_values(out, k > 0 ? "($type)(line % ${count}ul) * $factor;\n" : "($type)line * $factor;\n", values);
            started = true;
        }
        if (k > first)
            mst_text_put_values(out, "line /= ${count}ul;\n", values);
    }
    mst_text_add(out, first < v->n_dims ? "}\n\n" : "return 0;\n}\n\n");
}

void mst_view_write(const mst_view *v, const char *side, mst_text *out) {
    int64_t positions[MST_PASS_DIMS];
    for (int k = 0; k < v->n_dims; k++)
        positions[k] = (int64_t)v->position[k];
    mst_text_put(out, "// Where a line of the $side begins: elements from its base, and a position along the axis.\n",
                 MST_SET(side, side));
    write_sum(v, "long", side, "outer", v->outer, out);
    write_sum(v, "uint", side, "position", positions, out);
}

void mst_twiddle_write(const mst_pass *pass, mst_text *out) {
    unsigned log_low = mst_pass_log_low(pass);
    mst_text_put(out,
                 "// exp(-2 pi i t / $n), from two tables.\n"
                 "real2 twiddle(__global const real2 *low, __global const real2 *high, uint t) {\n"
                 "return complex_multiply(low[t & ${mask}u], high[t >> $log_low]);\n"
                 "}\n\n",
                 MST_SET(n, pass->twiddle_n), MST_SET(mask, (1u << log_low) - 1), MST_SET(log_low, log_low));
}

mst_times mst_view_stride(const mst_view *v) {
    mst_times stride = {""};
    if (v->axis_stride != 1)
        snprintf(stride.text, sizeof stride.text, " * %lld", (long long)v->axis_stride);
    return stride;
}

mst_times mst_pass_times(size_t factor) {
    mst_times times = {""};
    if (factor != 1)
        snprintf(times.text, sizeof times.text, " * %zuu", factor);
    return times;
}

bool mst_pass_takes_pairs(const mst_pass *pass, const mst_pass_op *op) {
    return mst_pass_halves(pass) && op == (pass->half == MST_HALF_COMBINE ? &pass->load : &pass->store) &&
           op->element == MST_ELEMENT_REAL && op->even != EVEN_PAIRED;
}

mst_times mst_pass_value_step(const mst_pass *pass, const mst_view *view, const mst_pass_op *op) {
    return mst_pass_times(mst_pass_takes_pairs(pass, op) ? 2 * view->step : view->step);
}

// Whether pairs of real numbers that are values of the source can be one access: neighbours, of lines that all begin as the
// first.
bool mst_pass_loads_pairs(const mst_pass *pass) {
    const mst_view *v = &pass->source;
    bool even = (int64_t)v->step * v->axis_stride == 1;
    for (int k = 0; k < v->n_dims; k++)
        even = even && v->outer[k] % 2 == 0 && v->position[k] % 2 == 0;
    return even && mst_pass_takes_pairs(pass, &pass->load) && !pass->load.even;
}

static void write_pair_load(const mst_pass *pass, mst_text *out) {
    const mst_view *v = &pass->source;
    mst_text_put(out,
                 "__global const real *at = source + outer + (long)position$stride;\n"
                 "real2 value = (real2)(at[0], at[$apart]);\n",
                 MST_SET(stride, mst_view_stride(v).text), MST_SET(apart, (int64_t)v->step * v->axis_stride));
}

static void write_pair_store(const mst_pass *pass, mst_text *out) {
    const mst_view *v = &pass->target;
    int64_t apart = (int64_t)v->step * v->axis_stride;
    mst_text_put(out, "__global real *at = target + outer + (long)position$stride;\n", MST_SET(stride, mst_view_stride(v).text));
    if (apart == 1)
        mst_text_add(out, "if (((size_t)at & (sizeof(real2) - 1)) == 0) {\n"
                          "*(__global real2 *)at = value;\n"
                          "return;\n"
                          "}\n");
    mst_text_put(out, "at[0] = value.x;\nat[$apart] = value.y;\n}\n\n", MST_SET(apart, apart));
}

// Two of even or odd data: numbers of its own for each.
static void write_even_pair_load(const mst_pass *pass, mst_text *out) {
    const mst_pass_op *op = &pass->load;
    const mst_text_value values[] = {MST_SET(map, op->even),
                                     MST_SET(sine, op->sine),
                                     MST_SET(n, op->axis_length),
                                     MST_SET(stride, pass->source.axis_stride),
                                     MST_SET(apart, pass->source.step),
                                     {0}};
    mst_text_put_values(out,
                        "const uint next = position + ${apart}u;\n"
                        "real2 value = (real2)(even_load($map, $sine, ${n}u, source + outer, ${stride}l, position).x,\n"
                        "even_load($map, $sine, ${n}u, source + outer, ${stride}l, next).x);\n",
                        values);
    if (op->multiply)
        mst_text_add(out, "value *= (real2)(factors[position].x, factors[next].x);\n");
}

static void write_even_store(const mst_pass *pass, mst_text *out) {
    const mst_pass_op *op = &pass->store;
    const bool pairs = mst_pass_takes_pairs(pass, op);
    const mst_text_value values[] = {MST_SET(map, op->even),
                                     MST_SET(sine, op->sine),
                                     MST_SET(n, op->axis_length),
                                     MST_SET(stride, pass->target.axis_stride),
                                     MST_SET(apart, pass->target.step),
                                     {0}};
    mst_text_put_values(out, "even_store($map, $sine, ${n}u, target + outer, ${stride}l, position, value);\n", values);
    if (pairs)
        mst_text_put_values(
            out, "even_store($map, $sine, ${n}u, target + outer, ${stride}l, position + ${apart}u, (real2)(value.y, 0));\n",
            values);
    mst_text_add(out, "}\n\n");
}

static void write_load(const mst_pass *pass, mst_text *out) {
    const mst_pass_op *op = &pass->load;
    const mst_times stride = mst_view_stride(&pass->source);
    const mst_text_value values[] = {MST_SET(element, mst_element_type(op->element)),
                                     MST_SET(factors, op->multiply ? ", __global const real2 *factors" : ""),
                                     MST_SET(length, op->length),
                                     MST_SET(stride, stride.text),
                                     MST_SET(n, op->axis_length),
                                     MST_SET(half, op->axis_length / 2),
                                     {0}};
    mst_text_put_values(out,
                        "// The value at a position of the line that begins at `outer`.\n"
                        "real2 load_value(__global const $element *source, long outer, uint position$factors) {\n",
                        values);
    if (op->length)
        mst_text_put_values(out, "if (position >= ${length}u)\nreturn (real2)(0, 0);\n", values);
    bool pairs = mst_pass_takes_pairs(pass, op);
    if (op->even && pairs)
        write_even_pair_load(pass, out);
    else if (op->even)
        mst_text_put(out, "real2 value = even_load($map, $sine, ${n}u, source + outer, ${stride}l, position);\n",
                     MST_SET(map, op->even), MST_SET(sine, op->sine), MST_SET(n, op->axis_length),
                     MST_SET(stride, pass->source.axis_stride));
    else if (pairs)
        write_pair_load(pass, out);
    else if (op->element == MST_ELEMENT_REAL)
        mst_text_put_values(out, "real2 value = (real2)(source[outer + (long)position$stride], 0);\n", values);
    else if (op->element == MST_ELEMENT_HERMITIAN)
        mst_text_put_values(out,
                            "// The spectrum of real numbers: its second half mirrors the first.\n"
                            "const bool mirrored = position > ${half}u;\n"
                            "real2 value = source[outer + (long)(mirrored ? ${n}u - position : position)$stride];\n"
                            "value.y = mirrored ? -value.y : value.y;\n"
                            "if (position == 0 || 2 * position == ${n}u)\nvalue.y = 0;\n",
                            values);
    else
        mst_text_put_values(out, "real2 value = source[outer + (long)position$stride];\n", values);
    if (op->multiply && !(op->even && pairs))
        mst_text_put_values(out, "value = complex_multiply(value, factors[position]);\n", values);
    mst_text_put(out, "return value$swapped;\n}\n\n", MST_SET(swapped, op->swap ? ".yx" : ""));
    if (mst_pass_loads_pairs(pass))
        mst_text_add(out, "// The same where two numbers may be read as one, which depends on where the source begins.\n"
                          "real2 load_pair(__global const real *source, long outer, uint position) {\n"
                          "return *(__global const real2 *)(source + outer + position);\n"
                          "}\n\n"
                          "#define PAIRS (((size_t)(source + source_base) & (sizeof(real2) - 1)) == 0)\n\n");
}

static void write_store(const mst_pass *pass, mst_text *out) {
    const mst_pass_op *op = &pass->store;
    const mst_times stride = mst_view_stride(&pass->target);
    const mst_text_value values[] = {MST_SET(element, mst_element_type(op->element)),
                                     MST_SET(factors, op->multiply ? ", __global const real2 *factors" : ""),
                                     MST_SET(scale, pass->scale ? ", real scale" : ""),
                                     MST_SET(length, op->length),
                                     MST_SET(stride, stride.text),
                                     MST_SET(part, op->element == MST_ELEMENT_REAL ? ".x" : ""),
                                     MST_SET(n, op->axis_length),
                                     MST_SET(residues, op->residues),
                                     MST_SET(whole, op->mirror_length),
                                     {0}};
    mst_text_put_values(
        out, "void store_value(__global $element *target, long outer, uint position$factors$scale, real2 value) {\n", values);
    if (op->length)
        mst_text_put_values(out, "if (position >= ${length}u)\nreturn;\n", values);
    if (op->swap)
        mst_text_put_values(out, "value = value.yx;\n", values);
    if (op->residues > 0)
        mst_text_put_values(out,
                            "// The second half is stored as its mirror, which no other line has unless this one has it, too.\n"
                            "if (2 * position > ${whole}u) {\n"
                            "if (2 * (position % ${residues}u) % ${residues}u == 0)\nreturn;\n"
                            "position = ${whole}u - position;\n"
                            "value.y = -value.y;\n"
                            "}\n",
                            values);
    if (op->multiply)
        mst_text_put_values(out, "value = complex_multiply(value, factors[position]);\n", values);
    if (pass->scale)
        mst_text_put_values(out, "value *= scale;\n", values);
    if (op->even)
        write_even_store(pass, out);
    else if (mst_pass_halves(pass) && op->element == MST_ELEMENT_REAL)
        write_pair_store(pass, out);
    else
        mst_text_put_values(out, "target[outer + (long)position$stride] = value$part;\n}\n\n", values);
}

const char *mst_load_arguments(const mst_pass *pass) { return pass->load.multiply ? ", load_factors" : ""; }

const char *mst_store_arguments(const mst_pass *pass) {
    if (pass->scale)
        return pass->store.multiply ? ", store_factors, scale" : ", scale";
    return pass->store.multiply ? ", store_factors" : "";
}

static void write_column(const mst_pass *pass, mst_text *out) {
    int64_t column[MST_PASS_DIMS] = {0};
    column[pass->twiddle_dim] = 1;
    if (pass->twiddle_outer)
        column[pass->twiddle_dim - 1] = (int64_t)pass->twiddle_outer;
    mst_text_add(out, "// The column of a line, by which its twiddles go.\n");
    write_sum(&pass->source, "uint", "source", "column", column, out);
    if (!pass->twiddle_by_column && !pass->twiddle_split)
        mst_twiddle_write(pass, out);
}

void mst_pass_write_values(const mst_pass *pass, mst_text *out) {
    mst_view_write(&pass->source, "source", out);
    mst_view_write(&pass->target, "target", out);
    write_load(pass, out);
    write_store(pass, out);
    if (pass->twiddle_n)
        write_column(pass, out);
}
