#include "code.h"

#include "build.h"
#include "write.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 4, INSTRUCTION = 5, NOWHERE = -1 };

typedef struct coder {
    const mst_expr *expr;
    const unsigned *leaves, *values;
    unsigned n_values, n_inputs, n_constants, n_instructions, n_slots;
    int slots[MST_EXPR_MAX_NODES];           // of each node's value
    unsigned last_reads[MST_EXPR_MAX_NODES]; // the node that reads it last; 0: none, it is not needed
    int free[MST_EXPR_CODE_SLOTS];
    int n_free;
} coder;

static bool is_operation(const mst_expr_node *node) {
    return node->operation != MST_EXPR_NUMBER && node->operation != MST_EXPR_LEAF;
}

// Constants that were computed while parsing have left what they were made of behind, which nothing reads.
static void find_readers(coder *c) {
    unsigned n = c->expr->n_nodes;
    for (unsigned k = 0; k < c->n_values; k++)
        c->last_reads[c->values[k]] = n;
    for (unsigned i = n; i-- > 0;) {
        const mst_expr_node *node = &c->expr->nodes[i];
        for (int k = 0; c->last_reads[i] > 0 && k < mst_expr_arity(node->operation); k++)
            if (c->last_reads[node->operands[k]] == 0)
                c->last_reads[node->operands[k]] = i;
    }
}

static void place_inputs(coder *c) {
    for (unsigned i = 0; i < c->expr->n_nodes; i++) {
        const mst_expr_node *node = &c->expr->nodes[i];
        if (node->operation == MST_EXPR_LEAF)
            c->slots[i] = (int)c->leaves[node->operands[0]];
        else if (node->operation == MST_EXPR_NUMBER && c->last_reads[i] > 0)
            c->slots[i] = (int)(c->n_inputs + c->n_constants++);
    }
    c->n_slots = c->n_inputs + c->n_constants;
}

static void free_operands(coder *c, unsigned i) {
    const mst_expr_node *node = &c->expr->nodes[i];
    for (int k = 0; k < mst_expr_arity(node->operation); k++) {
        unsigned operand = node->operands[k];
        if (is_operation(&c->expr->nodes[operand]) && c->last_reads[operand] == i && c->slots[operand] != NOWHERE) {
            c->free[c->n_free++] = c->slots[operand];
            c->last_reads[operand] = c->expr->n_nodes + 1; // once, if it is read twice
        }
    }
}

// An operation's operands are loaded before its result is stored, which may take the place of one of them.
static bool place_results(coder *c) {
    for (unsigned i = 0; i < c->expr->n_nodes && c->n_slots <= MST_EXPR_CODE_SLOTS; i++) {
        if (!is_operation(&c->expr->nodes[i]) || c->last_reads[i] == 0)
            continue;
        free_operands(c, i);
        c->slots[i] = c->n_free > 0 ? c->free[--c->n_free] : (int)c->n_slots++;
        c->n_instructions++;
    }
    return c->n_slots <= MST_EXPR_CODE_SLOTS;
}

static size_t words_of(mst_type type) { return mst_type_bytes(type) > sizeof(int32_t) ? 2 : 1; }

static void put_constant(double value, mst_type type, int32_t *words) {
    const float narrow = (float)value;
    const int64_t whole = type == MST_UINT64 ? (int64_t)(uint64_t)value : mst_type_is_float(type) ? 0 : (int64_t)value;
    const int32_t low = (int32_t)(uint32_t)(uint64_t)whole;
    memcpy(words,
           type == MST_FLOAT64   ? (const void *)&value
           : type == MST_FLOAT32 ? (const void *)&narrow
           : words_of(type) == 2 ? (const void *)&whole
                                 : (const void *)&low,
           words_of(type) * sizeof *words);
}

static void put_words(const coder *c, mst_type type, int32_t *words) {
    const int32_t head[HEAD] = {(int32_t)c->n_inputs, (int32_t)c->n_constants, (int32_t)c->n_instructions, (int32_t)c->n_values};
    memcpy(words, head, sizeof head);
    int32_t *at = words + HEAD, *constants = at + (size_t)INSTRUCTION * c->n_instructions,
            *slots = constants + words_of(type) * c->n_constants;
    for (unsigned k = 0; k < c->n_values; k++)
        slots[k] = c->slots[c->values[k]];
    for (unsigned i = 0; i < c->expr->n_nodes; i++) {
        const mst_expr_node *node = &c->expr->nodes[i];
        if (c->last_reads[i] == 0 || node->operation == MST_EXPR_LEAF)
            continue;
        if (node->operation == MST_EXPR_NUMBER) {
            put_constant(node->value, type, constants + words_of(type) * ((unsigned)c->slots[i] - c->n_inputs));
            continue;
        }
        at[0] = (int32_t)node->operation;
        at[1] = c->slots[i];
        for (int k = 0; k < 3; k++) // in place of those that the operation does not have the first one is loaded
            at[2 + k] = c->slots[node->operands[k < mst_expr_arity(node->operation) ? k : 0]];
        at += INSTRUCTION;
    }
}

mst_status mst_expr_code_make(const mst_expr *expr, mst_type type, const unsigned *leaves, unsigned n_inputs,
                              const unsigned *values, unsigned n_values, mst_expr_code *out, mst_error *error) {
    mst_status status = MST_OK;
    coder *c = calloc(1, sizeof *c);
    *out = (mst_expr_code){.words = NULL};
    MST_REQUIRE(c, MST_ERROR_HOST_MEMORY, "out of memory for byte code");
    c->expr = expr;
    c->leaves = leaves;
    c->values = values;
    c->n_values = n_values;
    c->n_inputs = n_inputs;
    memset(c->slots, 0xff, sizeof c->slots);
    find_readers(c);
    place_inputs(c);
    MST_REQUIRE(c->n_slots <= MST_EXPR_CODE_SLOTS && place_results(c), MST_ERROR_UNSUPPORTED,
                "byte code of the expression takes more than %d slots", MST_EXPR_CODE_SLOTS);
    out->n_instructions = c->n_instructions;
    out->n_slots = c->n_slots;
    out->n_words = HEAD + (size_t)INSTRUCTION * c->n_instructions + words_of(type) * c->n_constants + n_values;
    MST_REQUIRE(out->words = calloc(out->n_words, sizeof *out->words), MST_ERROR_HOST_MEMORY, "out of memory for byte code");
    put_words(c, type, out->words);
    out->slots = out->words + out->n_words - n_values;
fail:
    free(c);
    return status;
}

// Operation `operation` of the numbers a, b and c; conditions are 1 and 0.
static bool write_operation(mst_expr_operation operation, const mst_elementary *own, bool is_double, unsigned width,
                            mst_text *out) {
    static const char *const names[] = {"a", "b", "c"};
    unsigned operands[3];
    mst_expr *expr = mst_expr_create(false, false);
    for (size_t k = 0; expr && k < 3; k++)
        operands[k] = mst_expr_add_leaf(expr, &(mst_expr_leaf){.symbol = k}, false);
    bool good =
        expr && mst_expr_add_value(expr, mst_expr_add(expr, operation, operands, mst_expr_arity(operation))) != MST_EXPR_FULL;
    if (good)
        mst_expr_write(expr, own, is_double, width, names, "value", out);
    mst_expr_destroy(expr);
    return good;
}

void mst_expr_write_apply(const mst_elementary *own, bool is_double, unsigned width, mst_text *out) {
    mst_text_put(out, "// An operation of byte code. Conditions are 1 and 0.\n"
                      "realv apply(uint operation, realv a, realv b, realv c) {\n"
                      "switch (operation) {\n");
    for (int o = MST_EXPR_NEGATE; o < MST_EXPR_N_OPERATIONS; o++) {
        const bool is_of_map = mst_expr_is_of_map((mst_expr_operation)o) || o == MST_EXPR_RESIZE;
        if (is_of_map || o == MST_EXPR_STRETCH) // byte code is of integrands, which have none
            continue;
        mst_text_put(out, "case $o: {\n", MST_SET(o, o));
        out->failed = out->failed || !write_operation((mst_expr_operation)o, own, is_double, width, out);
        mst_text_put(out, "return value;\n"
                          "}\n");
    }
    mst_text_put(out, "}\n"
                      "return a;\n"
                      "}\n\n");
}

// ---- Blocks

static bool has_operation(mst_type type, mst_expr_operation o, mst_expr_calls calls) {
    const bool is_bits = o >= MST_EXPR_SHIFT_LEFT && o <= MST_EXPR_BIT_NOT;
    if (o == MST_EXPR_AS_NUMBER || o == MST_EXPR_STRETCH || o == MST_EXPR_RESIZE)
        return false;
    if (mst_type_is_float(type))
        return !mst_expr_is_of_map(o) && calls >= (o == MST_EXPR_GAMMA || o == MST_EXPR_LGAMMA ? MST_EXPR_GAMMA_CALLS
                                                   : mst_expr_has_error(o)                     ? MST_EXPR_ELEMENTARY_CALLS
                                                                                               : MST_EXPR_NO_CALLS);
    return is_bits || (o < MST_EXPR_ABS && !mst_expr_is_of_map(o)) || o == MST_EXPR_ABS || o == MST_EXPR_MIN ||
           o == MST_EXPR_MAX || o == MST_EXPR_POW;
}

// The operation of leaves a, b and c, where conditions are 1 and 0; NULL without memory.
static mst_expr *operation_of_leaves(mst_type type, mst_expr_operation o) {
    mst_expr *expr = mst_expr_create_lowered();
    mst_expr_node node = {.operation = o, .type = type};
    bool good = expr != NULL;
    for (unsigned k = 0; good && k < 3; k++)
        good = mst_expr_find_leaf(expr, &(mst_expr_leaf){.symbol = k}) == k;
    for (int k = 0; good && k < mst_expr_arity(o); k++) {
        mst_expr_node leaf = {.operation = MST_EXPR_LEAF, .operands = {(unsigned)k}, .type = type};
        node.operands[k] = mst_expr_add_copy(expr, &leaf);
        if (mst_expr_wants_condition(o, k)) {
            const unsigned zero = mst_expr_add_copy(expr, &(mst_expr_node){.operation = MST_EXPR_NUMBER, .type = type});
            node.operands[k] = mst_expr_add_copy(
                expr, &(mst_expr_node){.operation = MST_EXPR_NOT_EQUAL, .operands = {node.operands[k], zero}, .type = type});
        }
    }
    if (good) {
        const unsigned made = mst_expr_add_copy(expr, &node);
        if (mst_expr_is_condition(o))
            mst_expr_add_copy(expr, &(mst_expr_node){.operation = MST_EXPR_AS_NUMBER, .operands = {made}, .type = type});
        return expr;
    }
    mst_expr_destroy(expr);
    return NULL;
}

static mst_status write_case(mst_type type, mst_expr_operation o, const mst_elementary *own, unsigned width, mst_text *functions,
                             mst_text *out, mst_error *error) {
    static const char *const leaves[] = {"a", "b", "c"}, *const name = "value";
    mst_status status = MST_OK;
    mst_expr *expr = operation_of_leaves(type, o);
    MST_REQUIRE(expr, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    const unsigned root = expr->n_nodes - 1;
    mst_expr_write_functions(expr, width, functions);
    mst_text_put(out,
                 "case $o:\n"
                 "#pragma unroll 1\n"
                 "for (uint k = 0; k < VECTORS; k++) {\n"
                 "const numbers a = x[k], b = y[k], c = z[k];\n",
                 MST_SET(o, (int)o));
    MST_TRY(mst_expr_write_lowered(expr, own, &root, &name, 1, width, leaves, out, error));
    mst_text_put(out, "result[k] = value;\n"
                      "}\n"
                      "break;\n");
fail:
    mst_expr_destroy(expr);
    return status;
}

mst_status mst_expr_write_block(const mst_elementary *own, mst_type type, mst_expr_calls calls, unsigned width, mst_text *out,
                                mst_error *error) {
    mst_status status = MST_OK;
    mst_text cases = {0};
    for (int o = MST_EXPR_NEGATE; o < MST_EXPR_N_OPERATIONS; o++)
        if (has_operation(type, (mst_expr_operation)o, calls))
            MST_TRY(write_case(type, (mst_expr_operation)o, own, width, out, &cases, error));
    MST_REQUIRE(!cases.failed, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    mst_text_put(out, "// An operation of byte code on a block of numbers. Conditions are 1 and 0.\n"
                      "void apply(uint operation, const numbers *x, const numbers *y, const numbers *z, numbers *result) {\n"
                      "switch (operation) {\n");
    mst_text_add_verbatim(out, cases.text);
    mst_text_put(out, "}\n"
                      "}\n\n");
fail:
    mst_text_release(&cases);
    return status;
}
