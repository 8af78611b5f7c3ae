// The kernels of a map, as OpenCL C.
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>

static const char *c_type(mst_type type) {
    switch (type) {
    case MST_INT8:
        return "char";
    case MST_INT16:
        return "short";
    case MST_INT32:
        return "int";
    case MST_INT64:
        return "long";
    case MST_FLOAT32:
        return "float";
    default:
        return "double";
    }
}

// What follows a type's name.
static const char *lanes_of(unsigned width) {
    switch (width) {
    case 2:
        return "2";
    case 4:
        return "4";
    case 8:
        return "8";
    case 16:
        return "16";
    default:
        return "";
    }
}

// In which the kernel reads input k.
static const char *input_type(const mst_map *plan, int k) { return mst_map_narrows(plan, k) ? "ulong" : c_type(plan->types[k]); }

// float4 narrow4(ulong4): float32 from the bits of float64, rounded to nearest even, on integers only. Biases are 1023 and 127,
// so from e = 897 on a float32 is normal. Below, its last bit is worth 2^-149 and that of m 2^(e - 1075): 926 - e bits are
// rounded off.
static void write_narrow(unsigned width, mst_text *t) {
    const char *n = lanes_of(width);
    mst_text_add(t, "float%s narrow%s(const ulong%s x)\n{\n", n, n, n);
    mst_text_add(t, "const ulong%s size = x & 0x7fffffffffffffffUL, e = size >> 52;\n", n);
    mst_text_add(t, "const ulong%s m = (size & 0xfffffffffffffUL) | 0x10000000000000UL;\n", n);
    mst_text_add(t, "const ulong%s s = 926 - clamp(e, 863UL, 896UL);\n", n);
    mst_text_add(t, "const ulong%s subnormal = (m + ((ulong%s)(1) << (s - 1)) - 1 + ((m >> s) & 1)) >> s;\n", n, n);
    mst_text_add(t, "const ulong%s r = min(size, 0x47f0000000000000UL) - 0x3800000000000000UL;\n", n); // at most infinity
    mst_text_add(t, "const ulong%s normal = (r + 0xfffffffUL + ((r >> 29) & 1)) >> 29;\n", n);
    mst_text_add(t, "const ulong%s number = e < 897 ? subnormal : normal;\n", n);
    mst_text_add(t, "const ulong%s any = size > 0x7ff0000000000000UL ? (ulong%s)(0x7fc00000UL) : number;\n", n, n);
    mst_text_add(t, "return as_float%s(convert_uint%s(any | (x >> 32 & 0x80000000UL)));\n}\n", n, n);
}

// `const float4 value = ...;` from inputs v0, v1, ... of that type.
static mst_status write_value(const mst_map *plan, unsigned width, mst_text *t, mst_error *error) {
    enum { N = MST_MAP_MAX_INPUTS + MST_MAP_MAX_NUMBERS };
    char names[N][40];
    const char *leaves[N];
    const mst_expr_leaf *leaf = mst_expr_leaves(plan->expression);
    for (size_t i = 0; i < mst_expr_n_leaves(plan->expression); i++) {
        int symbol = (int)leaf[i].symbol;
        if (symbol < plan->n_inputs)
            snprintf(names[i], sizeof names[i], "v%d", symbol);
        else
            snprintf(names[i], sizeof names[i], "(%s%s)(p%d)", c_type(plan->type), lanes_of(width), symbol - plan->n_inputs);
        leaves[i] = names[i];
    }
    if (plan->type == MST_FLOAT32 || plan->type == MST_FLOAT64) {
        mst_expr_write(plan->expression, plan->type == MST_FLOAT64, width, leaves, "value", t);
        return MST_OK;
    }
    return mst_expr_write_integer(plan->expression, (unsigned)mst_type_bytes(plan->type), width, leaves, "value", t, error);
}

static void write_load(const mst_map *plan, mst_map_form form, int k, unsigned width, const char *index, mst_text *t) {
    const char *own = input_type(plan, k), *type = c_type(plan->type), *lanes = lanes_of(width);
    char element[160];
    if (width == 1)
        snprintf(element, sizeof element, "a%d[%s]", k, index);
    else if (form == MST_MAP_ALIGNED)
        snprintf(element, sizeof element, "((__global const %s%s *)a%d)[%s]", own, lanes, k, index);
    else
        snprintf(element, sizeof element, "vload%s(%s, a%d)", lanes, index, k);
    if (mst_map_narrows(plan, k))
        mst_text_add(t, "const float%s v%d = narrow%s(%s);\n", lanes, k, lanes, element);
    else if (plan->types[k] == plan->type)
        mst_text_add(t, "const %s%s v%d = %s;\n", type, lanes, k, element);
    else
        mst_text_add(t, "const %s%s v%d = convert_%s%s(%s);\n", type, lanes, k, type, lanes, element);
}

static void write_store(const mst_map *plan, mst_map_form form, unsigned width, const char *index, mst_text *t) {
    const char *lanes = lanes_of(width);
    if (width == 1)
        mst_text_add(t, "z[%s] = value;\n", index);
    else if (form == MST_MAP_ALIGNED)
        mst_text_add(t, "((__global %s%s *)z)[%s] = value;\n", c_type(plan->type), lanes, index);
    else
        mst_text_add(t, "vstore%s(value, %s, z);\n", lanes, index);
}

static mst_status write_step(const mst_map *plan, mst_map_form form, unsigned width, const char *index, mst_text *t,
                             mst_error *error) {
    for (int k = 0; k < plan->n_inputs; k++)
        write_load(plan, form, k, width, index, t);
    mst_status status = write_value(plan, width, t, error);
    write_store(plan, form, width, index, t);
    return status;
}

static void write_head(const mst_map *plan, mst_map_form form, mst_text *t) {
    mst_text_add(t, "__kernel void map(\n");
    for (int k = 0; k < plan->n_inputs; k++)
        mst_text_add(t, "    __global const %s *a%d, long base%d,\n", input_type(plan, k), k, k);
    mst_text_add(t, "    __global %s *z, long base,\n", c_type(plan->type));
    if (form == MST_MAP_STRIDED)
        for (int k = 0; k <= plan->n_inputs; k++)
            mst_text_add(t, "    __constant const long *lines%d, ulong first%d,\n", k, k);
    for (int k = 0; k < plan->n_numbers; k++)
        mst_text_add(t, "    %s p%d,\n", c_type(plan->type), k);
    mst_text_add(t, form == MST_MAP_STRIDED ? "    ulong length, ulong n)\n{\n" : "    ulong n)\n{\n");
    mst_text_add(t, "const ulong i = get_global_id(0);\n");
    for (int k = 0; k < plan->n_inputs; k++)
        mst_text_add(t, "a%d += base%d;\n", k, k);
    mst_text_add(t, "z += base;\n");
}

// Element i of the block is element first + i of the array, in C order: row and column give its address.
static mst_status write_strided(const mst_map *plan, mst_text *t, mst_error *error) {
    mst_text_add(t, "if (i >= n)\n    return;\n");
    for (int k = 0; k <= plan->n_inputs; k++) {
        mst_text_add(t, "const ulong at%d = first%d + i;\n", k, k);
        mst_text_add(t, "const long place%d = line_offset(lines%d, at%d / length) + (long)(at%d %% length) * ", k, k, k, k);
        mst_text_add(t, "axis_stride(lines%d);\n", k);
        if (k == plan->n_inputs)
            mst_text_add(t, "z += place%d;\n", k);
        else
            mst_text_add(t, "a%d += place%d;\n", k, k);
    }
    return write_step(plan, MST_MAP_STRIDED, 1, "0", t, error);
}

// One vector an item; the item behind the last whole vector takes what is left, one by one.
static mst_status write_dense(const mst_map *plan, mst_map_form form, unsigned width, mst_text *t, mst_error *error) {
    mst_text_add(t, "if (i < n / %u) {\n", width);
    mst_status status = write_step(plan, form, width, "i", t, error);
    mst_text_add(t, "}\n");
    if (width == 1 || status != MST_OK)
        return status;
    mst_text_add(t, "if (i == n / %u)\nfor (ulong k = i * %u; k < n; k++) {\n", width, width);
    status = write_step(plan, form, 1, "k", t, error);
    mst_text_add(t, "}\n");
    return status;
}

static void write_narrows(const mst_map *plan, mst_map_form form, unsigned width, mst_text *t) {
    bool any = false;
    for (int k = 0; k < plan->n_inputs; k++)
        any = any || mst_map_narrows(plan, k);
    if (any && form != MST_MAP_STRIDED && width > 1)
        write_narrow(width, t);
    if (any)
        write_narrow(1, t); // tails
}

mst_status mst_map_write(const mst_map *plan, mst_map_form form, unsigned width, char **out, mst_error *error) {
    mst_text t = {0};
    *out = NULL;
    mst_text_add(&t, "#pragma OPENCL FP_CONTRACT OFF\n");
    write_narrows(plan, form, width, &t);
    write_head(plan, form, &t);
    mst_status status = form == MST_MAP_STRIDED ? write_strided(plan, &t, error) : write_dense(plan, form, width, &t, error);
    mst_text_add(&t, "}\n");
    if (t.failed && status == MST_OK)
        status = mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    if (status == MST_OK)
        *out = t.text;
    else
        mst_text_release(&t);
    return status;
}
