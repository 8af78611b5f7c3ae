// Lowered expressions as OpenCL C: every node in its own type, by the writers of floats and of integers.
#include "types.h"
#include "write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_float(mst_type type) { return type == MST_FLOAT32 || type == MST_FLOAT64; }

static void look_at(mst_expr_writer *w, const mst_expr_node *node) {
    static const char *const by_size[] = {[1] = "char", [2] = "short", [4] = "int", [8] = "long"};
    char lanes[4] = "";
    if (w->width > 1)
        snprintf(lanes, sizeof lanes, "%u", w->width % 100);
    snprintf(w->type, sizeof w->type, "%s%s", mst_type_opencl(node->type), lanes);
    snprintf(w->condition_type, sizeof w->condition_type, "%s%s", w->width == 1 ? "int" : by_size[mst_type_bytes(node->type)],
             lanes);
}

static bool writes_float(const mst_expr_writer *w) { return w->type[0] == 'f' || w->type[0] == 'd'; }

static int write_literal(const mst_expr_writer *w, double value, bool typed, mst_text *out) {
    return writes_float(w) ? mst_expr_write_float_literal(w, value, typed, out)
                           : mst_expr_write_integer_literal(w, value, typed, out);
}

static bool needs_name(const mst_expr_writer *w, const mst_expr_node *node, int k) {
    if (node->operation == MST_EXPR_CONVERT || node->operation == MST_EXPR_RESIZE)
        return false;
    return writes_float(w) ? mst_expr_float_needs_name(w, node, k) : mst_expr_integer_needs_name(w, node, k);
}

// From floats to integers: towards 0, what is beyond the type's ends to these, NaN to 0.
static int write_convert(const mst_expr_writer *w, const mst_expr_node *node, mst_text *out) {
    const bool saturates = !writes_float(w) && is_float(w->expr->nodes[node->operands[0]].type);
    mst_text_add(out, "convert_%s%s(", w->type, saturates ? "_sat" : "");
    mst_expr_write_operand(w, node, 0, 0, true, out);
    mst_text_add(out, ")");
    return MST_EXPR_BINDS_NAME;
}

// Conditions of scalars are int, whatever they compare.
static int write_resize(const mst_expr_writer *w, const mst_expr_node *node, mst_text *out) {
    const bool is_scalar = w->width == 1;
    if (!is_scalar)
        mst_text_add(out, "convert_%s(", w->condition_type);
    mst_expr_write_operand(w, node, 0, 0, false, out);
    if (!is_scalar)
        mst_text_add(out, ")");
    return is_scalar ? w->parts[node->operands[0]].binds : MST_EXPR_BINDS_NAME;
}

static int write_operation(mst_expr_writer *w, unsigned index, mst_text *out) {
    const mst_expr_node *node = &w->expr->nodes[index];
    if (node->operation == MST_EXPR_CONVERT)
        return write_convert(w, node, out);
    if (node->operation == MST_EXPR_RESIZE)
        return write_resize(w, node, out);
    return writes_float(w) ? mst_expr_write_float_operation(w, index, out) : mst_expr_write_integer_operation(w, index, out);
}

mst_status mst_expr_write_lowered(const mst_expr *lowered, const mst_elementary *own, const unsigned *roots,
                                  const char *const *names, int n_roots, unsigned width, const char *const *leaves, mst_text *out,
                                  mst_error *error) {
    mst_status status = MST_OK;
    const char **values = calloc(lowered->n_nodes, sizeof *values);
    mst_expr_writer *w = mst_expr_writer_create(lowered, leaves, "value", out);
    MST_REQUIRE(w && values, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    for (int r = 0; r < n_roots; r++)
        if (!values[roots[r]])
            values[roots[r]] = names[r];
    w->values = values;
    w->width = width;
    w->own = own;
    w->look_at = look_at;
    w->write_operation = write_operation;
    w->write_literal = write_literal;
    w->needs_name = needs_name;
    mst_expr_writer_count(w);
    mst_expr_writer_run(w);
    for (int r = 0; r < n_roots; r++) { // the same value once more
        const char *first = values[roots[r]];
        look_at(w, &lowered->nodes[roots[r]]);
        if (strcmp(first, names[r]) != 0)
            mst_text_add(out, "const %s %s = %s;\n", w->type, names[r], first);
    }
fail:
    mst_expr_writer_destroy(w);
    free(values);
    return status;
}

// Repeated squaring, all bits of the exponent: the product wraps around. Of a negative exponent it is 0.
static void write_power(mst_type type, unsigned width, mst_text *out) {
    char lanes[4] = "", real[16], bits[16];
    const char *name = mst_type_opencl(type);
    if (width > 1)
        snprintf(lanes, sizeof lanes, "%u", width % 100);
    snprintf(real, sizeof real, "%s%s", name, lanes);
    snprintf(bits, sizeof bits, "u%s%s", name + (name[0] == 'u' ? 1 : 0), lanes);
    mst_text_put(out,
                 "// Wraps around as NumPy's does; 0 where the exponent is negative.\n"
                 "$real power_$real($real base, $real exponent) {\n"
                 "$bits product = ($bits)(1), factor = as_$bits(base), left = as_$bits(exponent);\n"
                 "for (int k = 0; k < $n; k++) {\n"
                 "product = ($bits)((left & ($bits)(1)) != ($bits)(0) ? ($bits)(product * factor) : product);\n"
                 "factor = ($bits)(factor * factor);\n"
                 "left = ($bits)(left >> ($bits)(1));\n"
                 "}\n",
                 MST_SET(real, real), MST_SET(bits, bits), MST_SET(n, 8 * mst_type_bytes(type)));
    if (mst_type_is_signed(type))
        mst_text_put(out, "product = exponent < ($real)(0) ? ($bits)(0) : product;\n", MST_SET(real, real), MST_SET(bits, bits));
    mst_text_put(out, "return as_$real(product);\n}\n\n", MST_SET(real, real));
}

mst_expr_calls mst_expr_calls_of(const mst_expr *lowered) {
    mst_expr_calls calls = MST_EXPR_NO_CALLS;
    for (unsigned i = 0; i < lowered->n_nodes; i++) {
        const mst_expr_operation o = lowered->nodes[i].operation;
        if (!mst_expr_has_error(o) || !is_float(lowered->nodes[i].type))
            continue;
        if (o == MST_EXPR_GAMMA || o == MST_EXPR_LGAMMA)
            return MST_EXPR_GAMMA_CALLS;
        calls = MST_EXPR_ELEMENTARY_CALLS;
    }
    return calls;
}

void mst_expr_write_functions(const mst_expr *lowered, unsigned width, mst_text *out) {
    bool written[MST_FLOAT16 + 1] = {false};
    for (unsigned i = 0; i < lowered->n_nodes; i++) {
        const mst_type type = lowered->nodes[i].type;
        if (lowered->nodes[i].operation != MST_EXPR_POW || is_float(type) || written[type])
            continue;
        written[type] = true;
        write_power(type, width, out);
    }
}
