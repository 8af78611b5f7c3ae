// Which maps run by byte code, and for how long.
#include "byte_code.h"
#include "boxes.h"

#include "expr/elementary.h"
#include "runtime/device.h"
#include "runtime/layout.h"
#include "runtime/numbers.h"

#include <stdlib.h>

enum { CHUNK = 1 << 17, LEAST_CHUNK = 1 << 12, PLACE_ALIGNMENT = 64, PART_OF_BUDGET = 16 };

// Measured with PoCL 3.1 on two cores of an EPYC with AVX-512: what compiling the kernel of a map takes, and how much longer byte
// code takes than a compiled kernel for an array's element and for an operation on it, and for one that goes through a temporary
// array. Functions take as long in either; but outputs behind the first compute again what a compiled kernel computes once for
// all of them.
static const double compiling_seconds = 0.6, load_seconds = 0.1e-9, instruction_seconds = 0.1e-9, function_seconds = 3e-9;
static const double temporary_seconds = 0.9e-9, launch_seconds = 30e-6;

// Of a reduction whose compiled kernels need more than a part of the budget byte code, which needs more, might not fit.
static bool has_room(const mst_map *plan) {
    return !plan->reduce ||
           mst_map_reduce_needs(plan) <= mst_budget_left(plan->context, &plan->context->device_memory) / PART_OF_BUDGET;
}

// Who asks for a width of vectors asks for a kernel that has it.
static bool is_wanted(const mst_map *plan, const mst_map_desc *desc) {
    const bool is_cpu = (plan->context->device.type & CL_DEVICE_TYPE_CPU) != 0;
    return desc->compile_from > 1 ||
           (desc->compile_from == 0 && is_cpu && !desc->vector_width && !desc->measure && has_room(plan));
}

// Functions of the device's own have other bits in vectors than alone, which is how a compiled kernel has the last elements.
static bool has_same_functions(const mst_map *plan, const mst_expr *expression) {
    const mst_elementary *own = mst_elementary_of(&plan->context->device);
    for (unsigned i = 0; i < expression->n_nodes; i++) {
        const mst_expr_operation o = expression->nodes[i].operation;
        const bool is_exact = o == MST_EXPR_COPYSIGN || o == MST_EXPR_NEXTAFTER || o == MST_EXPR_MOD;
        if (mst_type_is_float(expression->nodes[i].type) && mst_expr_has_error(o) && !is_exact && !mst_elementary_has(own, o))
            return false;
    }
    return true;
}

// Those of an output, behind the others.
static mst_status read_stages(mst_map *plan, int output, unsigned *n_stages, mst_error *error) {
    mst_status status = MST_OK;
    struct mst_map_code *code = plan->code;
    mst_expr_stage stages[MST_EXPR_MAX_STAGES];
    const size_t n = mst_expr_n_leaves(plan->expression);
    const mst_expr_leaf *leaves = mst_expr_leaves(plan->expression);
    const double **numbers = calloc(n + 1, sizeof *numbers);
    *n_stages = 0;
    MST_REQUIRE(numbers, MST_ERROR_HOST_MEMORY, "out of memory for byte code");
    for (size_t i = 0; i < n; i++) {
        if (!mst_map_is_number(plan, &leaves[i]))
            continue;
        const mst_map_number *given = &plan->numbers[leaves[i].symbol - (size_t)plan->n_inputs];
        numbers[i] = leaves[i].level ? &given->imaginary : &given->value;
    }
    MST_TRY(mst_expr_in_stages(plan->expression, &plan->roots[output], numbers, stages, n_stages, error));
    if (*n_stages + (unsigned)code->n_stages > MST_MAP_CODE_MAX_STAGES) {
        mst_expr_stages_release(stages, *n_stages);
        *n_stages = 0;
    }
    const int first = code->n_stages;
    const mst_type whole = plan->roots[output].type,
                   type = !plan->reduce          ? plan->outputs[output].type
                          : whole == MST_FLOAT16 ? MST_FLOAT32 // as kernels hold it
                                                 : whole;
    for (unsigned k = 0; k < *n_stages; k++) {
        const bool is_last = k + 1 == *n_stages;
        code->stages[code->n_stages++] = (mst_map_stage){
            .made = stages[k], .output = is_last ? output : -1, .first = first, .stored = is_last ? type : stages[k].stored};
    }
fail:
    free(numbers);
    return status;
}

// Reductions on one device, and of an array that is worked on at once if indices count from its beginning.
static bool is_possible(const mst_map *plan) {
    const mst_map_reduce *reduce = plan->reduce;
    bool narrows = false, is_whole = true;
    for (int k = 0; k < plan->n_inputs; k++)
        narrows = narrows || mst_map_narrows(plan, k);
    for (int axis = 0; reduce && axis < plan->shape.rank; axis++)
        is_whole = is_whole && reduce->box[axis] == plan->shape.shape[axis];
    const bool reduces = mst_layout_count(&plan->shape) > 0 && (is_whole || !mst_map_has_indices(plan)) &&
                         plan->context->n_peers == 0 && plan->context->lead == plan->context;
    return !narrows && (!reduce || reduces);
}

static double cost(const mst_map_stage *stage, bool is_of_first, bool is_temporary) {
    const mst_expr *expression = stage->made.expression;
    double seconds = load_seconds * (double)(mst_expr_n_leaves(expression) + 1) + instruction_seconds * stage->n_instructions;
    for (unsigned i = 0; i < expression->n_nodes && !is_of_first; i++)
        seconds += mst_expr_has_error(expression->nodes[i].operation) ? function_seconds : 0;
    seconds += is_temporary ? temporary_seconds : 0;
    return seconds * (double)mst_type_bytes(stage->made.type) / 4 + (is_temporary ? launch_seconds / CHUNK : 0);
}

void mst_map_code_destroy(mst_map *plan) {
    struct mst_map_code *code = plan->code;
    if (!code)
        return;
    for (int k = 0; k < code->n_stages; k++) {
        mst_expr_stages_release(&code->stages[k].made, 1);
        mst_device_release(plan->context, code->stages[k].words, code->stages[k].bytes);
        mst_kernel_destroy(code->stages[k].kernel);
    }
    mst_device_release(plan->context, code->temporaries, code->temporary_bytes);
    free(code);
    plan->code = NULL;
}

// The first output, which may be at the place of the first input, comes last. *exists: of all outputs.
static mst_status make_stages(mst_map *plan, bool *exists, double *seconds, mst_error *error) {
    mst_status status = MST_OK;
    struct mst_map_code *code = plan->code;
    *exists = is_possible(plan);
    for (int output = plan->n_roots - 1; output >= 0 && *exists; output--) {
        unsigned n;
        MST_TRY(read_stages(plan, output, &n, error));
        *exists = n > 0;
        for (int k = code->n_stages - (int)n; k < code->n_stages && *exists; k++) {
            *exists = has_same_functions(plan, code->stages[k].made.expression);
            if (!*exists)
                break;
            MST_TRY(mst_map_stage_write(plan, &code->stages[k], error));
            *seconds += cost(&code->stages[k], output == 0, mst_map_is_temporary(plan, &code->stages[k]));
        }
    }
fail:
    return status;
}

// Where temporary arrays lie, a chunk of elements of each. False: they would take too much of the budget.
static bool place_temporaries(mst_map *plan) {
    struct mst_map_code *code = plan->code;
    const uint64_t budget = mst_budget_left(plan->context, &plan->context->device_memory) / PART_OF_BUDGET;
    const uint64_t least = plan->reduce ? mst_map_reduce_least(plan) : 1, elements = mst_layout_count(&plan->shape);
    uint64_t bytes = 0, n = 0;
    for (int k = 0; k < code->n_stages; k++)
        if (mst_map_is_temporary(plan, &code->stages[k])) {
            bytes += mst_type_bytes(code->stages[k].stored);
            n++;
        }
    code->chunk = UINT64_MAX;
    if (n == 0)
        return true;
    const uint64_t most = budget > n * PLACE_ALIGNMENT ? (budget - n * PLACE_ALIGNMENT) / bytes : 0;
    code->chunk = mst_smaller(mst_larger(mst_smaller((uint64_t)CHUNK, most), least), mst_larger(elements, (uint64_t)1));
    for (int k = 0; k < code->n_stages; k++)
        if (mst_map_is_temporary(plan, &code->stages[k])) {
            code->stages[k].place = code->temporary_bytes;
            code->temporary_bytes +=
                mst_divide_up(code->chunk * mst_type_bytes(code->stages[k].stored), (uint64_t)PLACE_ALIGNMENT) * PLACE_ALIGNMENT;
        }
    return code->temporary_bytes <= budget && code->chunk >= mst_smaller(elements, (uint64_t)LEAST_CHUNK);
}

mst_status mst_map_code_create(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    const bool asked_for = desc->compile_from > 1;
    bool exists = false;
    double seconds = 0;
    if (!is_wanted(plan, desc))
        return MST_OK;
    MST_REQUIRE(mst_device_has_private_memory(&plan->context->device), MST_ERROR_UNSUPPORTED,
                "byte code wants 256 KiB of private memory a work-item, which %s does not have; compile_from must be 0 or 1",
                plan->context->device.name);
    MST_REQUIRE(plan->code = calloc(1, sizeof *plan->code), MST_ERROR_HOST_MEMORY, "out of memory for byte code");
    status = make_stages(plan, &exists, &seconds, error);
    exists = exists && (status != MST_OK || place_temporaries(plan));
    if (!asked_for && (!exists || status == MST_ERROR_UNSUPPORTED)) { // which is too long for it
        mst_map_code_destroy(plan);
        return MST_OK;
    }
    MST_TRY(status);
    MST_REQUIRE(exists, MST_ERROR_UNSUPPORTED,
                "there is no byte code of this map: it calls functions of the device's own, reduces on several devices, has too "
                "many types, "
                "or too little memory; compile_from must be 0 or 1");
    plan->code->break_even = asked_for ? desc->compile_from : (uint64_t)(compiling_seconds * plan->context->units / seconds);
    if (!asked_for && mst_layout_count(&plan->shape) >= plan->code->break_even) // one execution repays it
        plan->code->elements = plan->code->break_even;
fail:
    if (status != MST_OK)
        mst_map_code_destroy(plan);
    return status;
}

static mst_status build(mst_map *plan, mst_error *error) {
    mst_status status = MST_OK;
    struct mst_map_code *code = plan->code;
    unsigned n_instructions = 0;
    for (int k = 0; k < code->n_stages; k++) {
        MST_TRY(mst_map_stage_build(plan, &code->stages[k], error));
        n_instructions += code->stages[k].n_instructions;
    }
    if (code->temporary_bytes > 0)
        MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_WRITE, code->temporary_bytes, "temporary arrays",
                                    &code->temporaries, error));
    mst_log(plan->context, MST_LOG_INFO, "map: byte code of %u instructions, compiled from %.2g elements on", n_instructions,
            (double)code->break_even);
fail:
    return status;
}

mst_status mst_map_code_expect(mst_map *plan, uint64_t n, bool *computes, mst_error *error) {
    struct mst_map_code *code = plan->code;
    code->elements += n;
    *computes = code->elements < code->break_even;
    return *computes && !code->stages[code->n_stages - 1].kernel ? build(plan, error) : MST_OK;
}
