// The kernels of a map, as OpenCL C.
#include "plan.h"

#include "text/signature.h"

#include <stdio.h>

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

// The digits behind a vector type's name.
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

// The type of which the kernel reads input k.
static const char *input_type(const mst_map *plan, int k) { return mst_map_narrows(plan, k) ? "ulong" : c_type(plan->types[k]); }

static void write_narrow(unsigned width, mst_text *t) {
    const mst_text_value values[] = {MST_SET(n, lanes_of(width)), {0}};
    mst_text_put_values(
        t,
        "// The float32 nearest to the float64 of bits x, ties to even, computed on integers only. The biases of\n"
        "// the exponents are 1023 and 127, so from 897 on a float32 is normal. Below, its last bit is worth 2^-149 and\n"
        "// that of the mantissa 2^(exponent - 1075): 926 - exponent bits are rounded off.\n"
        "float$n narrow$n(const ulong$n x) {\n"
        "const ulong$n size = x & 0x7fffffffffffffffUL, exponent = size >> 52;\n"
        "const ulong$n mantissa = (size & 0xfffffffffffffUL) | 0x10000000000000UL;\n"
        "const ulong$n shift = 926 - clamp(exponent, 863UL, 896UL);\n"
        "const ulong$n half_less = ((ulong$n)(1) << (shift - 1)) - 1;\n"
        "const ulong$n subnormal = (mantissa + half_less + ((mantissa >> shift) & 1)) >> shift;\n"
        "const ulong$n rebiased = min(size, 0x47f0000000000000UL) - 0x3800000000000000UL; // at most infinity\n"
        "const ulong$n normal = (rebiased + 0xfffffffUL + ((rebiased >> 29) & 1)) >> 29;\n"
        "const ulong$n number = exponent < 897 ? subnormal : normal;\n",
        values);
    mst_text_put_values(t,
                        "const ulong$n any = size > 0x7ff0000000000000UL ? (ulong$n)(0x7fc00000UL) : number;\n"
                        "return as_float$n(convert_uint$n(any | (x >> 32 & 0x80000000UL)));\n"
                        "}\n\n",
                        values);
}

// `const float4 value = ...;` from the inputs' values of that type.
static mst_status write_value(const mst_map *plan, unsigned width, mst_text *t, mst_error *error) {
    enum { N = MST_MAP_MAX_INPUTS + MST_MAP_MAX_NUMBERS };
    char vectors[N][MST_MAP_MAX_WORD + 20];
    const char *leaves[N];
    const mst_expr_leaf *leaf = mst_expr_leaves(plan->expression);
    for (size_t i = 0; i < mst_expr_n_leaves(plan->expression); i++) {
        int symbol = (int)leaf[i].symbol, number = symbol - plan->n_inputs;
        leaves[i] = number < 0 ? plan->words[symbol].value : plan->number_words[number];
        if (number < 0 || width == 1)
            continue;
        snprintf(vectors[i], sizeof vectors[i], "(%s%s)(%s)", c_type(plan->type), lanes_of(width), leaves[i]);
        leaves[i] = vectors[i];
    }
    if (plan->type == MST_FLOAT32 || plan->type == MST_FLOAT64) {
        mst_expr_write(plan->expression, plan->type == MST_FLOAT64, width, leaves, "value", t);
        return MST_OK;
    }
    return mst_expr_write_integer(plan->expression, (unsigned)mst_type_bytes(plan->type), width, leaves, "value", t, error);
}

static void write_load(const mst_map *plan, mst_map_form form, int k, unsigned width, const char *index, mst_text *t) {
    const mst_map_words *words = &plan->words[k];
    const mst_text_value values[] = {MST_SET(own, input_type(plan, k)),
                                     MST_SET(type, c_type(plan->type)),
                                     MST_SET(n, lanes_of(width)),
                                     MST_SET(index, index),
                                     MST_SET(array, words->array),
                                     MST_SET(value, words->value),
                                     {0}};
    const char *element = width == 1                ? "$array[$index]"
                          : form == MST_MAP_ALIGNED ? "((__global const $own$n *)$array)[$index]"
                                                    : "vload$n($index, $array)";
    bool converts = !mst_map_narrows(plan, k) && plan->types[k] != plan->type;
    mst_text_put_values(t, mst_map_narrows(plan, k) ? "const float$n $value = narrow$n(" : "const $type$n $value = ", values);
    mst_text_put_values(t, converts ? "convert_$type$n(" : "", values);
    mst_text_put_values(t, element, values);
    mst_text_put_values(t, converts || mst_map_narrows(plan, k) ? ");\n" : ";\n", values);
}

static void write_store(const mst_map *plan, mst_map_form form, unsigned width, const char *index, mst_text *t) {
    const mst_text_value values[] = {MST_SET(type, c_type(plan->type)), MST_SET(n, lanes_of(width)), MST_SET(index, index), {0}};
    mst_text_put_values(t,
                        width == 1                ? "out[$index] = value;\n"
                        : form == MST_MAP_ALIGNED ? "((__global $type$n *)out)[$index] = value;\n"
                                                  : "vstore$n(value, $index, out);\n",
                        values);
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
    mst_signature s;
    const mst_map_words *words = plan->words;
    char type[40];
    mst_signature_begin(&s, "map");
    for (int k = 0; k < plan->n_inputs; k++) {
        snprintf(type, sizeof type, "__global const %s *", input_type(plan, k));
        mst_signature_add(&s, type, "%s", words[k].array);
        mst_signature_add(&s, "long", "%s", words[k].base);
    }
    snprintf(type, sizeof type, "__global %s *", c_type(plan->type));
    mst_signature_add(&s, type, "%s", words[plan->n_inputs].array);
    mst_signature_add(&s, "long", "%s", words[plan->n_inputs].base);
    for (int k = 0; k <= plan->n_inputs && form == MST_MAP_STRIDED; k++) {
        mst_signature_add(&s, "__constant const long *", "%s", words[k].lines);
        mst_signature_add(&s, "ulong", "%s", words[k].first);
    }
    for (int k = 0; k < plan->n_numbers; k++)
        mst_signature_add(&s, c_type(plan->type), "%s", plan->number_words[k]);
    if (form == MST_MAP_STRIDED)
        mst_signature_add(&s, "ulong", "length");
    mst_signature_add(&s, "ulong", "n");
    mst_signature_write(&s, "", t);
    mst_signature_release(&s);
    mst_text_add(t, "const ulong i = get_global_id(0);\n");
    for (int k = 0; k <= plan->n_inputs; k++)
        mst_text_put(t, "$array += $base;\n", MST_SET(array, words[k].array), MST_SET(base, words[k].base));
}

static mst_status write_strided(const mst_map *plan, mst_text *t, mst_error *error) {
    mst_text_put(t,
                 "if (i >= n)\n"
                 "return;\n"
                 "// Element i of the block is element `first` + i of the array, in C order: row and column give its address.\n");
    for (int k = 0; k <= plan->n_inputs; k++) {
        const mst_map_words *words = &plan->words[k];
        mst_text_put(
            t, "$array += line_offset($lines, ($first + i) / length) + (long)(($first + i) % length) * axis_stride($lines);\n",
            MST_SET(array, words->array), MST_SET(lines, words->lines), MST_SET(first, words->first));
    }
    return write_step(plan, MST_MAP_STRIDED, 1, "0", t, error);
}

static mst_status write_dense(const mst_map *plan, mst_map_form form, unsigned width, mst_text *t, mst_error *error) {
    mst_text_put(t, width == 1 ? "if (i < n) {\n" : "if (i < n / $width) {\n", MST_SET(width, width));
    mst_status status = write_step(plan, form, width, "i", t, error);
    mst_text_put(t, "}\n");
    if (width == 1 || status != MST_OK)
        return status;
    mst_text_put(t,
                 "// The item behind the last whole vector takes what is left, one by one.\n"
                 "if (i == n / $width)\n"
                 "for (ulong k = i * $width; k < n; k++) {\n",
                 MST_SET(width, width));
    status = write_step(plan, form, 1, "k", t, error);
    mst_text_put(t, "}\n");
    return status;
}

static void write_narrows(const mst_map *plan, mst_map_form form, unsigned width, mst_text *t) {
    bool any = false;
    for (int k = 0; k < plan->n_inputs; k++)
        any = any || mst_map_narrows(plan, k);
    if (any && form != MST_MAP_STRIDED && width > 1)
        write_narrow(width, t);
    if (any)
        write_narrow(1, t); // of what is left
}

void mst_map_name(mst_map *plan, const mst_map_desc *desc) {
    for (int k = 0; k < plan->n_inputs; k++) {
        mst_map_words *words = &plan->words[k];
        const char *name = desc->inputs[k].name;
        snprintf(words->array, sizeof words->array, "%.*s_in", MST_EXPR_MAX_NAME, name);
        snprintf(words->value, sizeof words->value, "%.*s_i", MST_EXPR_MAX_NAME, name);
        snprintf(words->base, sizeof words->base, "%.*s_base", MST_EXPR_MAX_NAME, name);
        snprintf(words->lines, sizeof words->lines, "%.*s_lines", MST_EXPR_MAX_NAME, name);
        snprintf(words->first, sizeof words->first, "%.*s_first", MST_EXPR_MAX_NAME, name);
    }
    plan->words[plan->n_inputs] =
        (mst_map_words){.array = "out", .value = "value", .base = "base", .lines = "lines", .first = "first"};
    for (int k = 0; k < plan->n_numbers; k++)
        snprintf(plan->number_words[k], sizeof plan->number_words[k], "%.*s_value", MST_EXPR_MAX_NAME, desc->numbers[k].name);
}

mst_status mst_map_write(const mst_map *plan, mst_map_form form, unsigned width, mst_text *out, mst_error *error) {
    mst_text_put(out, "#pragma OPENCL FP_CONTRACT OFF\n\n");
    write_narrows(plan, form, width, out);
    write_head(plan, form, out);
    mst_status status = form == MST_MAP_STRIDED ? write_strided(plan, out, error) : write_dense(plan, form, width, out, error);
    mst_text_put(out, "}\n");
    return status;
}
