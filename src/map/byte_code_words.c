// What the kernels of byte code read of an expression.
#include "byte_code.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEAD = 8,
    LOAD = 4,
    INDEX = MST_MAP_MAX_INPUTS + 1 // of the first of MST_MAX_RANK axes, in place of an array's number
};

static bool is_stage(const mst_expr_leaf *leaf) { return leaf->symbol >= MST_EXPR_STAGE; }

// Its number among the arrays that the stage reads, of which it becomes one; MST_MAP_MAX_INPUTS: they are too many.
static int number_of_array(const mst_map *plan, mst_map_stage *stage, const mst_expr_leaf *leaf) {
    const int array = is_stage(leaf) ? plan->n_inputs + stage->first + (int)(leaf->symbol - MST_EXPR_STAGE) : (int)leaf->symbol;
    int k = 0;
    while (k < stage->n_arrays && stage->arrays[k] != array)
        k++;
    if (k == stage->n_arrays && k < MST_MAP_MAX_INPUTS)
        stage->arrays[stage->n_arrays++] = array;
    return k;
}

static mst_status write_load(const mst_map *plan, mst_map_stage *stage, const mst_expr_leaf *leaf, int32_t *load,
                             mst_error *error) {
    mst_status status = MST_OK;
    if (!is_stage(leaf) && !mst_map_is_array(plan, leaf)) {
        load[0] = INDEX + MST_MAX_RANK - plan->shape.rank + mst_map_index_axis(plan, leaf);
        return MST_OK;
    }
    const mst_type type = is_stage(leaf) ? (mst_type)leaf->offsets[0] : plan->types[leaf->symbol];
    load[0] = number_of_array(plan, stage, leaf);
    load[1] = (int32_t)mst_type_part(type);
    load[2] = leaf->level;
    load[3] = mst_type_has_parts(type) ? 2 : 1;
    MST_REQUIRE(load[0] < MST_MAP_MAX_INPUTS, MST_ERROR_UNSUPPORTED, "byte code of the expression reads more than %d arrays",
                MST_MAP_MAX_INPUTS);
fail:
    return status;
}

mst_status mst_map_stage_write(mst_map *plan, mst_map_stage *stage, mst_error *error) {
    mst_status status = MST_OK;
    mst_expr_code made = {.words = NULL};
    const unsigned n = (unsigned)mst_expr_n_leaves(stage->made.expression);
    const mst_expr_leaf *leaves = mst_expr_leaves(stage->made.expression);
    unsigned *slots = calloc(n + 1, sizeof *slots);
    int32_t *words = NULL;
    MST_REQUIRE(slots, MST_ERROR_HOST_MEMORY, "out of memory for byte code");
    for (unsigned i = 0; i < n; i++)
        slots[i] = i;
    MST_TRY(mst_expr_code_make(stage->made.expression, stage->made.type, slots, n, stage->made.values, 2, &made, error));
    const size_t head = HEAD + (size_t)LOAD * n, n_words = head + made.n_words;
    MST_REQUIRE(words = calloc(n_words, sizeof *words), MST_ERROR_HOST_MEMORY, "out of memory for byte code");
    words[0] = (int32_t)head;
    words[1] = (int32_t)n;
    words[2] = (int32_t)mst_type_part(stage->stored);
    words[3] = mst_type_has_parts(stage->stored) ? 2 : 1;
    words[4] = made.slots[0];
    words[5] = made.slots[1];
    for (unsigned i = 0; i < n; i++)
        MST_TRY(write_load(plan, stage, &leaves[i], words + HEAD + (size_t)LOAD * i, error));
    memcpy(words + head, made.words, made.n_words * sizeof *words);
    stage->n_instructions = made.n_instructions;
    stage->bytes = n_words * sizeof *words;
    MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_ONLY, stage->bytes, "byte code", &stage->words, error));
    mst_queue queue = MST_QUEUE(plan->context, mst_context_queue(plan->context));
    status = mst_queue_write(&queue, CL_TRUE, stage->words, 0, stage->bytes, words, "byte code", error);
    mst_queue_release(&queue);
fail:
    free(made.words);
    free(words);
    free(slots);
    return status;
}
