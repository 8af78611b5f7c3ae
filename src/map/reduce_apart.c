#include "reduce_apart.h"

#include "boxes.h"
#include "byte_code.h"
#include "reduce_parts.h"
#include "reduce_steps.h"

#include "expr/build.h"
#include "runtime/layout.h"
#include "runtime/lines.h"
#include "runtime/numbers.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE_ALIGNMENT = 64 };

// ---- Plans

// An array's element as the value of an expression.
static mst_status make_value(size_t symbol, mst_type type, mst_expr **out, mst_expr_root *root, mst_error *error) {
    mst_status status = MST_OK;
    mst_expr *expr = *out = mst_expr_create_lowered();
    MST_REQUIRE(expr, MST_ERROR_HOST_MEMORY, "out of memory for byte code");
    root->type = type;
    for (int part = 0; part < (mst_type_has_parts(type) ? 2 : 1); part++) {
        const unsigned leaf = mst_expr_find_leaf(expr, &(mst_expr_leaf){.symbol = symbol, .level = part, .offsets = {(int)type}});
        MST_REQUIRE(leaf != MST_EXPR_FULL, MST_ERROR_HOST_MEMORY, "out of memory for byte code");
        root->nodes[part] = mst_expr_add_copy(
            expr, &(mst_expr_node){.operation = MST_EXPR_LEAF, .operands = {leaf}, .type = mst_type_held(type)});
    }
fail:
    return status;
}

// What a number of a type that is reduced, or of a result, lies in memory as.
static mst_type lying(mst_type type) { return mst_type_has_parts(type) ? type : mst_type_held(type); }

// The plan's reduction `number` of an array of its own.
static mst_status make_one(const mst_map *plan, int number, mst_map **out, mst_error *error) {
    static const mst_map_input input = {.name = "x"};
    mst_status status = MST_OK;
    const mst_map_reduce *from = plan->reduce;
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_map *one = *out = calloc(1, sizeof *one);
    MST_REQUIRE(one && (one->reduce = calloc(1, sizeof *one->reduce)), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    mst_map_reduce *r = one->reduce;
    one->context = plan->context;
    one->n_inputs = one->n_outputs = one->n_roots = 1;
    one->shape = plan->shape;
    *r = (mst_map_reduce){.n = 1, .all = from->all, .keep_axes = from->keep_axes, .ddof = from->ddof};
    r->count = from->count;
    r->wide = strcmp(mst_map_spread_type(from), "double") == 0;
    r->columns = from->columns;
    r->reductions[0] = from->reductions[number];
    r->reductions[0].root = 0;
    memcpy(r->reduced, from->reduced, sizeof r->reduced);
    memcpy(r->box, from->box, sizeof r->box);
    one->types[0] = lying(r->reductions[0].type);
    one->outputs[0].type = lying(r->reductions[0].result);
    one->has_parts = mst_type_has_parts(one->types[0]);
    MST_TRY(make_value(0, one->types[0], &one->expression, &one->roots[0], error));
    MST_TRY(make_value(1, one->outputs[0].type, &r->finish, &r->results[0], error));
    desc.inputs = &input;
    desc.n_inputs = 1;
    mst_map_name(one, &desc);
    one->width = mst_map_safe_width(one);
    MST_TRY(mst_map_make_partials(one, error));
fail:
    return status;
}

// The reduction whose result output k is as it stands; -1: more is computed.
static int plain_result(const mst_map *plan, int k) {
    const mst_map_reduce *reduce = plan->reduce;
    const mst_expr_node *node = &reduce->finish->nodes[reduce->results[k].nodes[0]];
    if (reduce->results[k].type == MST_BOOL && node->operation == MST_EXPR_AS_NUMBER) // leaf != 0
        node = &reduce->finish->nodes[reduce->finish->nodes[node->operands[0]].operands[0]];
    if (node->operation != MST_EXPR_LEAF)
        return -1;
    const size_t symbol = mst_expr_leaves(reduce->finish)[node->operands[0]].symbol;
    const int r = (int)symbol - plan->n_inputs - plan->n_numbers;
    const bool is_same = r >= 0 && reduce->reductions[r].result == reduce->results[k].type;
    return is_same && !mst_type_has_parts(reduce->results[k].type) && reduce->results[k].type != MST_FLOAT16 ? r : -1;
}

static bool find_plain(const mst_map *plan, mst_map_apart *apart) {
    for (int r = 0; r < plan->reduce->n; r++)
        apart->outputs[r] = -1;
    for (int k = 0; k < plan->n_outputs; k++) {
        const int r = plain_result(plan, k);
        if (r < 0 || apart->outputs[r] >= 0)
            return false;
        apart->outputs[r] = k;
    }
    return plan->n_outputs == plan->reduce->n;
}

// The same tree, in which the results come first, then the numbers.
static mst_status copy_finish(const mst_map *plan, mst_expr **out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_expr *from = plan->reduce->finish;
    mst_expr *expr = *out = mst_expr_create_lowered();
    MST_REQUIRE(expr, MST_ERROR_HOST_MEMORY, "out of memory for byte code");
    for (unsigned i = 0; i < from->n_leaves; i++) {
        mst_expr_leaf leaf = from->leaves[i];
        leaf.symbol -= (size_t)plan->n_inputs;
        leaf.symbol =
            leaf.symbol < (size_t)plan->n_numbers ? (size_t)plan->reduce->n + leaf.symbol : leaf.symbol - (size_t)plan->n_numbers;
        MST_REQUIRE(mst_expr_find_leaf(expr, &leaf) == i, MST_ERROR_HOST_MEMORY, "out of memory for byte code");
    }
    for (unsigned i = 0; i < from->n_nodes; i++)
        MST_REQUIRE(mst_expr_add_copy(expr, &from->nodes[i]) == i, MST_ERROR_HOST_MEMORY, "out of memory for byte code");
fail:
    return status;
}

static mst_status make_finish(const mst_map *plan, uint64_t n, mst_map_apart *apart, bool *exists, mst_error *error) {
    mst_status status = MST_OK;
    const mst_map_reduce *reduce = plan->reduce;
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_map *finish = apart->finish = calloc(1, sizeof *finish);
    *exists = false;
    MST_REQUIRE(finish, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    if (reduce->n > MST_MAP_MAX_INPUTS)
        return MST_OK;
    finish->context = plan->context;
    finish->n_inputs = reduce->n;
    finish->n_numbers = plan->n_numbers;
    finish->n_outputs = finish->n_roots = plan->n_outputs;
    memcpy(finish->numbers, plan->numbers, sizeof finish->numbers);
    memcpy(finish->roots, reduce->results, sizeof reduce->results);
    finish->shape = (mst_layout){.rank = 2, .shape = {(size_t)n, 1}};
    for (int r = 0; r < reduce->n; r++) {
        finish->types[r] = lying(reduce->reductions[r].result);
        apart->places[r] = apart->bytes;
        apart->bytes += mst_divide_up(n * mst_type_bytes(finish->types[r]), (uint64_t)PLACE_ALIGNMENT) * PLACE_ALIGNMENT;
    }
    for (int k = 0; k < plan->n_outputs; k++)
        finish->outputs[k].type = plan->outputs[k].type;
    MST_TRY(copy_finish(plan, &finish->expression, error));
    MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_WRITE, apart->bytes, "results", &apart->results, error));
    desc.compile_from = UINT64_MAX;
    status = mst_map_code_create(finish, &desc, error);
    *exists = status == MST_OK;
    status = status == MST_ERROR_UNSUPPORTED ? MST_OK : status;
fail:
    return status;
}

static mst_status create(mst_map *plan, bool *exists, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_box box = {.begin = {0}};
    mst_map_apart *apart = plan->reduce->apart = calloc(1, sizeof *apart);
    MST_REQUIRE(apart, MST_ERROR_HOST_MEMORY, "out of memory for byte code");
    memcpy(box.shape, plan->reduce->box, sizeof box.shape);
    *exists = true;
    if (!find_plain(plan, apart))
        MST_TRY(make_finish(plan, mst_map_box_outputs(plan, &box), apart, exists, error));
    for (int r = 0; r < plan->reduce->n && *exists; r++)
        MST_TRY(make_one(plan, r, &apart->each[r], error));
fail:
    return status;
}

static void destroy(mst_map *part) {
    if (!part)
        return;
    mst_map_reduce_destroy(part);
    mst_map_code_destroy(part);
    mst_expr_destroy(part->expression);
    free(part);
}

void mst_map_apart_destroy(mst_map *plan) {
    mst_map_apart *apart = plan->reduce ? plan->reduce->apart : NULL;
    if (!apart)
        return;
    for (int r = 0; r < plan->reduce->n; r++)
        destroy(apart->each[r]);
    destroy(apart->finish);
    mst_device_release(plan->context, apart->results, apart->bytes);
    free(apart);
    plan->reduce->apart = NULL;
}

mst_status mst_map_apart_prepare(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_reduce *r = plan->reduce;
    const mst_kernel *kernel;
    bool exists = false;
    MST_TRY(mst_map_reducer_find(plan, MST_MAP_TILES, error));
    if (!r->kernels[MST_MAP_TILES])
        MST_TRY(mst_map_code_create(plan, desc, error));
    if (plan->code)
        MST_TRY(create(plan, &exists, error));
    MST_REQUIRE(exists || !plan->code || desc->compile_from <= 1, MST_ERROR_UNSUPPORTED,
                "there is no byte code of what is computed from the reductions; compile_from must be 0 or 1");
    if (!exists) {
        mst_map_apart_destroy(plan);
        mst_map_code_destroy(plan);
        MST_TRY(mst_map_reducer_build(plan, MST_MAP_TILES, &kernel, error));
        MST_TRY(mst_map_reducer_build(plan, MST_MAP_FINISH, &kernel, error));
    }
fail:
    return status;
}

// ---- Execution

mst_status mst_map_apart_begin(mst_map *plan, const mst_map_box *box, uint64_t n, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_apart *apart = plan->reduce->apart;
    MST_TRY(mst_map_code_expect(plan, n, &apart->computes, error));
    for (int r = 0; r < plan->reduce->n && apart->computes; r++) {
        mst_map *one = apart->each[r];
        one->reduce->now = *box;
        one->reduce->span = mst_map_first_span(one, box);
        one->reduce->n_done = 0;
    }
fail:
    return status;
}

// Whole tiles of the block, as many as the temporary arrays have room for.
mst_status mst_map_apart_compute(mst_map *plan, const mst_block *block, mst_error *error) {
    const struct mst_map_code *code = plan->code;
    mst_map_operand ports[MST_MAP_MAX_PORTS];
    mst_map_form form;
    mst_status status = mst_map_reduce_operands(plan, block, ports, &form, error);
    for (uint64_t done = 0, n; done < block->count && status == MST_OK; done += n) {
        mst_map_operand operands[MST_MAP_MAX_PORTS];
        const size_t first = block->first + (size_t)done;
        n = block->count - done;
        if (n > code->chunk)
            n = mst_map_reduce_cut(plan, first, (size_t)code->chunk);
        for (int p = 0; p < plan->n_inputs; p++) {
            operands[p] = ports[p];
            operands[p].first += done;
        }
        status = mst_map_code_launch(plan, block->queue, operands, first, n, error);
        for (int r = 0; r < plan->reduce->n && status == MST_OK; r++) {
            mst_block values = {.queue = block->queue, .first = first, .count = (size_t)n};
            values.ports[0] = (mst_block_port){.buffer = code->temporaries, .packed = true};
            values.ports[0].base = (int64_t)mst_map_code_place(plan, plan->reduce->reductions[r].root);
            status = mst_map_reduce_compute(plan->reduce->apart->each[r], &values, error);
        }
    }
    return status;
}

static mst_status launch_finish(mst_map *plan, uint64_t n, const mst_map_box_output *out, mst_queue *queue, mst_error *error) {
    mst_status status = MST_OK;
    const mst_map_apart *apart = plan->reduce->apart;
    mst_map *finish = apart->finish;
    mst_map_operand ports[MST_MAP_MAX_PORTS];
    bool computes;
    for (int r = 0; r < finish->n_inputs; r++)
        ports[mst_map_port(finish, r)] =
            (mst_map_operand){.buffer = apart->results, .base = (cl_long)(apart->places[r] / mst_type_bytes(finish->types[r]))};
    for (int k = 0; k < plan->n_outputs; k++)
        ports[1 + k] = (mst_map_operand){.buffer = out[k].buffer, .lines = out[k].lines, .base = out[k].base};
    MST_TRY(mst_map_code_expect(finish, 0, &computes, error));
    MST_TRY(mst_map_code_launch(finish, queue, ports, 0, n, error));
fail:
    return status;
}

mst_status mst_map_apart_finish(mst_map *plan, const mst_map_box *box, mst_map_box_output *out, mst_queue *queue,
                                mst_error *error) {
    mst_status status = MST_OK;
    mst_map_apart *apart = plan->reduce->apart;
    const uint64_t n = mst_map_box_outputs(plan, box);
    const mst_layout dense = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){(size_t)n, 1});
    mst_map_box_output place = {.buffer = apart->results};
    int in;
    if (apart->finish)
        MST_TRY(mst_lines_create(plan->context, &dense, 1, &place.lines, error));
    for (int r = 0; r < plan->reduce->n; r++) {
        MST_TRY(mst_map_combine_all(apart->each[r], box, queue, &in, error));
        if (apart->finish)
            place.base = (cl_long)(apart->places[r] / mst_type_bytes(apart->finish->types[r]));
        MST_TRY(mst_map_launch_finish(apart->each[r], in, n, apart->finish ? &place : &out[apart->outputs[r]], queue, error));
    }
    if (apart->finish) {
        MST_TRY(launch_finish(plan, n, out, queue, error));
        MST_TRY(mst_queue_finish(queue, error)); // before the table goes
    }
fail:
    mst_lines_release(plan->context, place.lines);
    return status;
}
