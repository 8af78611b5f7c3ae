// The kernels of a map, as OpenCL C.
#include "write.h"
#include "reduce.h"

#include "expr/elementary.h"

#include <stdio.h>
#include <stdlib.h>

// The digits behind a vector type's name.
const char *mst_map_lanes(unsigned width) {
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

// What an array in memory consists of.
static const char *stored_type(mst_type type) {
    return type == MST_FLOAT16 ? "half" : type == MST_BOOL ? "uchar" : mst_type_opencl(type);
}

const char *mst_map_stored_type(const mst_map *plan, int k) {
    if (k >= plan->n_inputs)
        return stored_type(plan->outputs[k - plan->n_inputs].type);
    return mst_map_narrows(plan, k) ? "ulong" : stored_type(plan->types[k]);
}

static void write_narrow(unsigned width, mst_text *t) {
    const mst_text_value values[] = {MST_SET(n, mst_map_lanes(width)), {0}};
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

void mst_map_number_word(const mst_map *plan, const mst_expr_leaf *leaf, char word[MST_MAP_MAX_NUMBER_WORD]) {
    snprintf(word, MST_MAP_MAX_NUMBER_WORD, "%s_as_%s%s", plan->number_names[leaf->symbol - (size_t)plan->n_inputs],
             mst_type_opencl((mst_type)leaf->offsets[0]), leaf->level ? "_imaginary" : "");
}

void mst_map_leaf_text(const mst_map *plan, const mst_expr_leaf *leaf, unsigned width, char out[MST_MAP_LEAF_TEXT]) {
    char word[MST_MAP_MAX_NUMBER_WORD];
    if (mst_map_is_array(plan, leaf)) {
        const mst_map_words *array = &plan->words[leaf->symbol];
        snprintf(out, MST_MAP_LEAF_TEXT, "%s", leaf->level ? array->imaginary : array->value);
    } else if (!mst_map_is_number(plan, leaf)) {
        snprintf(out, MST_MAP_LEAF_TEXT, "index_%d", mst_map_index_axis(plan, leaf));
    } else {
        mst_map_number_word(plan, leaf, word);
        if (width == 1)
            snprintf(out, MST_MAP_LEAF_TEXT, "%s", word);
        else
            snprintf(out, MST_MAP_LEAF_TEXT, "(%s%s)(%s)", mst_type_opencl((mst_type)leaf->offsets[0]), mst_map_lanes(width),
                     word);
    }
}

// `const float4 value = ...;` from the elements and the numbers, for every root.
static mst_status write_values(const mst_map *plan, unsigned width, mst_text *t, mst_error *error) {
    mst_status status = MST_OK;
    const size_t n = mst_expr_n_leaves(plan->expression);
    char(*words)[MST_MAP_LEAF_TEXT] = calloc(n + 1, sizeof *words);
    const char **leaves = calloc(n + 1, sizeof *leaves), *names[2 * MST_MAP_MAX_OUTPUTS];
    unsigned roots[2 * MST_MAP_MAX_OUTPUTS];
    int n_roots = 0;
    MST_REQUIRE(words && leaves, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    for (size_t i = 0; i < n; i++) {
        mst_map_leaf_text(plan, &mst_expr_leaves(plan->expression)[i], width, words[i]);
        leaves[i] = words[i];
    }
    for (int k = 0; k < plan->n_roots; k++)
        for (int part = 0; part < (mst_type_has_parts(plan->roots[k].type) ? 2 : 1); part++) {
            roots[n_roots] = plan->roots[k].nodes[part];
            names[n_roots++] = part ? plan->words[plan->n_inputs + k].imaginary : plan->words[plan->n_inputs + k].value;
        }
    MST_TRY(mst_expr_write_lowered(plan->expression, mst_elementary_of(&plan->context->device), roots, names, n_roots, width,
                                   leaves, t, error));
fail:
    free(words);
    free(leaves);
    return status;
}

// The leaf that is part 0 or 1 of an array's elements; NULL: nothing reads it.
static const mst_expr_leaf *leaf_of(const mst_map *plan, int k, int part) {
    const mst_expr_leaf *leaf = mst_expr_leaves(plan->expression);
    for (size_t i = 0; i < mst_expr_n_leaves(plan->expression); i++)
        if (leaf[i].symbol == (size_t)k && leaf[i].level == part)
            return &leaf[i];
    return NULL;
}

// A value for `$taken` of the memory's type, in the type that the expression takes.
static void write_taken(const mst_map *plan, int k, mst_type taken, const char *source, const mst_text_value *values,
                        mst_text *t) {
    const mst_type held = mst_type_held(plan->types[k]);
    const bool narrows = mst_map_narrows(plan, k);
    mst_text_put_values(t, narrows ? "narrow$n(" : "", values);
    if (!narrows && held != mst_type_held(taken))
        mst_text_put_values(t, "convert_$type$n(", values);
    mst_text_put_values(t, source, values);
    if (taken == MST_BOOL && mst_type_is_integer(plan->types[k])) // whose low bits may be 0
        mst_text_put_values(t, " != ($own$n)(0)", values);
    mst_text_add(t, narrows || held != mst_type_held(taken) ? ");\n" : ";\n");
}

// The real and imaginary parts lie side by side.
static void write_parts_load(const mst_map *plan, mst_map_form form, int k, mst_type taken, const mst_text_value *values,
                             unsigned width, mst_text *t) {
    static const char *const names[] = {"$value", "$imaginary"}, *const scalars[] = {"$array[2 * $index]",
                                                                                     "$array[2 * $index + 1]"};
    if (width > 1)
        mst_text_put_values(t,
                            form == MST_MAP_ALIGNED
                                ? "const $own$twice ${value}_pairs = ((__global const $own$twice *)$array)[$index];\n"
                                : "const $own$twice ${value}_pairs = vload$twice($index, $array);\n",
                            values);
    for (int part = 0; part < 2; part++) {
        if (!leaf_of(plan, k, part))
            continue;
        mst_text_put_values(t, "const $type$n ", values);
        mst_text_put_values(t, names[part], values);
        mst_text_add(t, " = ");
        write_taken(plan, k, taken,
                    width == 1  ? scalars[part]
                    : part == 0 ? "${value}_pairs.even"
                                : "${value}_pairs.odd",
                    values, t);
    }
}

// An element, or a vector of them, of what anything reads.
static void write_load(const mst_map *plan, mst_map_form form, int k, unsigned width, const char *index, mst_text *t) {
    const mst_map_words *words = &plan->words[k];
    const mst_expr_leaf *leaf = leaf_of(plan, k, 0) ? leaf_of(plan, k, 0) : leaf_of(plan, k, 1);
    const mst_type taken = leaf ? (mst_type)leaf->offsets[0] : plan->types[k];
    const mst_text_value values[] = {MST_SET(own, mst_map_stored_type(plan, k)),
                                     MST_SET(type, mst_type_opencl(taken)),
                                     MST_SET(n, mst_map_lanes(width)),
                                     MST_SET(twice, mst_map_lanes(2 * width)),
                                     MST_SET(index, index),
                                     MST_SET(array, words->array),
                                     MST_SET(value, words->value),
                                     MST_SET(imaginary, words->imaginary),
                                     {0}};
    const bool is_copied = plan->types[k] == MST_FLOAT16 && width > 1 && form != MST_MAP_ALIGNED; // see mst_map_write_store
    const char *element = is_copied                       ? "vload_half$n(0, (const half *)&${value}_bits)"
                          : plan->types[k] == MST_FLOAT16 ? "vload_half$n($index, $array)"
                          : width == 1                    ? "$array[$index]"
                          : form == MST_MAP_ALIGNED       ? "((__global const $own$n *)$array)[$index]"
                                                          : "vload$n($index, $array)";
    if (!leaf)
        return;
    if (mst_type_has_parts(plan->types[k])) {
        write_parts_load(plan, form, k, taken, values, width, t);
        return;
    }
    if (is_copied)
        mst_text_put_values(t, "const ushort$n ${value}_bits = vload$n($index, (__global const ushort *)$array);\n", values);
    mst_text_put_values(t, "const $type$n $value = ", values);
    write_taken(plan, k, taken, element, values, t);
    if (leaf_of(plan, k, 1))
        mst_text_put_values(t, "const $type$n $imaginary = ($type$n)(0);\n", values);
}

void mst_map_write_store(const mst_map *plan, mst_map_form form, int output, unsigned width, const char *index, mst_text *t) {
    const mst_type type = plan->outputs[output].type;
    const mst_map_words *words = &plan->words[plan->n_inputs + output];
    const mst_text_value values[] = {MST_SET(type, mst_type_opencl(type)),
                                     MST_SET(n, mst_map_lanes(width)),
                                     MST_SET(twice, mst_map_lanes(2 * width)),
                                     MST_SET(index, index),
                                     MST_SET(out, words->array),
                                     MST_SET(value, words->value),
                                     MST_SET(imaginary, words->imaginary),
                                     {0}};
    if (type == MST_FLOAT16 && width > 1 && form != MST_MAP_ALIGNED) // PoCL takes a vector of halfs for aligned, and ends there
        mst_text_put_values(t,
                            "{\nushort$n bits;\nvstore_half$n($value, 0, (half *)&bits);\n"
                            "vstore$n(bits, $index, (__global ushort *)$out);\n}\n",
                            values);
    else if (type == MST_FLOAT16)
        mst_text_put_values(t, "vstore_half$n($value, $index, $out);\n", values);
    else if (mst_type_has_parts(type) && width == 1)
        mst_text_put_values(t, "$out[2 * $index] = $value;\n$out[2 * $index + 1] = $imaginary;\n", values);
    else if (mst_type_has_parts(type))
        mst_text_put_values(t,
                            form == MST_MAP_ALIGNED ? "{\n$type$twice pairs;\npairs.even = $value;\npairs.odd = $imaginary;\n"
                                                      "((__global $type$twice *)$out)[$index] = pairs;\n}\n"
                                                    : "{\n$type$twice pairs;\npairs.even = $value;\npairs.odd = $imaginary;\n"
                                                      "vstore$twice(pairs, $index, $out);\n}\n",
                            values);
    else
        mst_text_put_values(t,
                            width == 1                ? "$out[$index] = $value;\n"
                            : form == MST_MAP_ALIGNED ? "((__global $type$n *)$out)[$index] = $value;\n"
                                                      : "vstore$n($value, $index, $out);\n",
                            values);
}

// ---- Kernels

mst_status mst_map_write_values(const mst_map *plan, mst_map_form form, unsigned width, const char *index, const char *element,
                                mst_text *t, mst_error *error) {
    for (int k = 0; k < plan->n_inputs; k++)
        write_load(plan, form, k, width, index, t);
    mst_map_write_indices(plan, width, element, t);
    return write_values(plan, width, t, error);
}

static mst_status write_step(const mst_map *plan, mst_map_form form, unsigned width, const char *index, const char *element,
                             mst_text *t, mst_error *error) {
    mst_status status = mst_map_write_values(plan, form, width, index, element, t, error);
    for (int k = 0; k < plan->n_outputs; k++)
        mst_map_write_store(plan, form, k, width, index, t);
    return status;
}

// Of input k or, behind them, an output.
static bool has_parts(const mst_map *plan, int k) {
    return mst_type_has_parts(k < plan->n_inputs ? plan->types[k] : plan->outputs[k - plan->n_inputs].type);
}

void mst_map_add_arrays(const mst_map *plan, mst_map_form form, int n, mst_signature *s) {
    char type[40];
    for (int k = 0; k < n; k++) {
        const bool is_input = k < plan->n_inputs;
        snprintf(type, sizeof type, "__global %s%s *", is_input ? "const " : "", mst_map_stored_type(plan, k));
        mst_signature_add(s, type, "%s", plan->words[k].array);
        mst_signature_add(s, "long", "%s", plan->words[k].base);
    }
    for (int k = 0; k < n && form == MST_MAP_STRIDED; k++) {
        mst_signature_add(s, "__constant const long *", "%s", plan->words[k].lines);
        mst_signature_add(s, "ulong", "%s", plan->words[k].first);
    }
}

void mst_map_add_numbers(const mst_map *plan, const mst_expr *expression, mst_signature *s) {
    for (size_t i = 0; i < mst_expr_n_leaves(expression); i++) {
        const mst_expr_leaf *leaf = &mst_expr_leaves(expression)[i];
        char word[MST_MAP_MAX_NUMBER_WORD];
        if (!mst_map_is_number(plan, leaf))
            continue;
        mst_map_number_word(plan, leaf, word);
        mst_signature_add(s, mst_type_opencl((mst_type)leaf->offsets[0]), "%s", word);
    }
}

void mst_map_write_bases(const mst_map *plan, int n, mst_text *t) {
    for (int k = 0; k < n; k++)
        mst_text_put(t, has_parts(plan, k) ? "$array += 2 * $base;\n" : "$array += $base;\n",
                     MST_SET(array, plan->words[k].array), MST_SET(base, plan->words[k].base));
}

static void write_head(const mst_map *plan, mst_map_form form, mst_text *t) {
    mst_signature s;
    const int n = plan->n_inputs + plan->n_outputs;
    mst_signature_begin(&s, "map");
    mst_map_add_arrays(plan, form, n, &s);
    mst_map_add_numbers(plan, plan->expression, &s);
    mst_map_add_indices(plan, &s);
    if (mst_map_has_indices(plan))
        mst_signature_add(&s, "ulong", "element");
    if (form == MST_MAP_STRIDED)
        mst_signature_add(&s, "ulong", "length");
    mst_signature_add(&s, "ulong", "n");
    mst_signature_write(&s, "", t);
    mst_signature_release(&s);
    mst_text_add(t, "const ulong i = get_global_id(0);\n");
    mst_map_write_bases(plan, n, t);
}

void mst_map_write_address(const mst_map *plan, int k, const char *element, mst_text *t) {
    const mst_map_words *words = &plan->words[k];
    mst_text_put(t,
                 "$array += ${parts}(line_offset($lines, ($first + $i) / length) + (long)(($first + $i) % length) * "
                 "axis_stride($lines));\n",
                 MST_SET(parts, has_parts(plan, k) ? "2 * " : ""), MST_SET(array, words->array), MST_SET(lines, words->lines),
                 MST_SET(first, words->first), MST_SET(i, element));
}

static mst_status write_strided(const mst_map *plan, mst_text *t, mst_error *error) {
    mst_text_put(t,
                 "if (i >= n)\n"
                 "return;\n"
                 "// Element i of the block is element `first` + i of the array, in C order: row and column give its address.\n");
    for (int k = 0; k < plan->n_inputs + plan->n_outputs; k++)
        mst_map_write_address(plan, k, "i", t);
    return write_step(plan, MST_MAP_STRIDED, 1, "0", "element + i", t, error);
}

static mst_status write_dense(const mst_map *plan, mst_map_form form, unsigned width, mst_text *t, mst_error *error) {
    mst_text_put(t, width == 1 ? "if (i < n) {\n" : "if (i < n / $width) {\n", MST_SET(width, width));
    char element[30];
    snprintf(element, sizeof element, width == 1 ? "element + i" : "element + i * %u", width);
    mst_status status = write_step(plan, form, width, "i", element, t, error);
    mst_text_put(t, "}\n");
    if (width == 1 || status != MST_OK)
        return status;
    mst_text_put(t,
                 "// The item behind the last whole vector takes what is left, one by one.\n"
                 "if (i == n / $width)\n"
                 "for (ulong k = i * $width; k < n; k++) {\n",
                 MST_SET(width, width));
    status = write_step(plan, form, 1, "k", "element + k", t, error);
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
        snprintf(words->imaginary, sizeof words->imaginary, "%.*s_i_imaginary", MST_EXPR_MAX_NAME, name);
        snprintf(words->base, sizeof words->base, "%.*s_base", MST_EXPR_MAX_NAME, name);
        snprintf(words->lines, sizeof words->lines, "%.*s_lines", MST_EXPR_MAX_NAME, name);
        snprintf(words->first, sizeof words->first, "%.*s_first", MST_EXPR_MAX_NAME, name);
    }
    plan->words[plan->n_inputs] = (mst_map_words){"out", "value", "imaginary", "base", "lines", "first"};
    for (int k = 1; k < MST_MAP_MAX_OUTPUTS; k++) { // not value_1, which may be a part of the first one's value
        mst_map_words *words = &plan->words[plan->n_inputs + k];
        snprintf(words->array, sizeof words->array, "out_%d", k);
        snprintf(words->value, sizeof words->value, "result_%d", k);
        snprintf(words->imaginary, sizeof words->imaginary, "result_%d_imaginary", k);
        snprintf(words->base, sizeof words->base, "out_%d_base", k);
        snprintf(words->lines, sizeof words->lines, "out_%d_lines", k);
        snprintf(words->first, sizeof words->first, "out_%d_first", k);
    }
}

void mst_map_write_start(const mst_map *plan, mst_map_form form, unsigned width, mst_text *out) {
    mst_text_put(out, "#pragma OPENCL FP_CONTRACT OFF\n\n");
    write_narrows(plan, form, width, out);
    if (form != MST_MAP_STRIDED && width > 1)
        mst_expr_write_functions(plan->expression, width, out);
    mst_expr_write_functions(plan->expression, 1, out);
    if (mst_map_has_indices(plan))
        mst_map_write_index_functions(form == MST_MAP_STRIDED ? 1 : width, out);
}

mst_status mst_map_write(const mst_map *plan, mst_map_form form, unsigned width, mst_text *out, mst_error *error) {
    mst_map_write_start(plan, form, width, out);
    write_head(plan, form, out);
    mst_status status = form == MST_MAP_STRIDED ? write_strided(plan, out, error) : write_dense(plan, form, width, out, error);
    mst_text_put(out, "}\n");
    return status == MST_OK ? mst_elementary_define(plan->context, out, error) : status;
}
