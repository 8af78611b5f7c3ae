// The vector width: no rule foresees the best one, and what a device says that it prefers often is not (Burtsev, parallel
// templates for vector and scalar devices). Test runs of a map's own kernel decide, where they are asked for.
#include "plan.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"
#include "tune/arrays.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#define LEAST_ELEMENTS 4096

static const unsigned widths[MST_MAP_N_WIDTHS] = {1, 2, 4, 8, 16};

typedef struct map_trial {
    mst_map *plan; // the one that is being made
    mst_map_desc desc;
    mst_map_input inputs[MST_MAP_MAX_INPUTS];
    size_t n; // elements of a test run
} map_trial;

static mst_status create(void *user, const int64_t *values, void **plan, mst_error *error) {
    const map_trial *t = user;
    mst_map *made = NULL;
    mst_map_desc desc = t->desc;
    desc.vector_width = (unsigned)values[0];
    desc.compile_from = 1;
    mst_status status = mst_map_create_alone(t->plan->context, &desc, &made, error);
    *plan = made;
    return status;
}

static mst_status execute(void *plan, const mst_location *inputs, mst_location output, const mst_execution *how,
                          mst_error *error) {
    return mst_map_execute(plan, inputs, output, how, error);
}

static void destroy(void *plan) { mst_map_destroy(plan); }

static void timed(void *user, const int64_t *values, double seconds) {
    map_trial *t = user;
    for (int w = 0; w < MST_MAP_N_WIDTHS; w++)
        if (widths[w] == (unsigned)values[0])
            t->plan->measured[w] = seconds / (double)t->n;
}

// As many elements as the plan has, within the budget.
static size_t elements(const mst_map *plan) {
    uint64_t n = mst_layout_count(&plan->shape), largest = 1;
    for (int p = 0; p <= plan->n_inputs; p++)
        largest = mst_larger(mst_type_bytes(plan->layouts[p].type), largest);
    uint64_t most = mst_tune_array_bytes(plan->context, plan->n_inputs + 1) / largest;
    return mst_smaller(mst_larger(n, LEAST_ELEMENTS), most);
}

static unsigned log2_of(uint64_t n) {
    unsigned log = 0;
    while (n >>= 1)
        log++;
    return log;
}

// The same operations on the same types have the same kernels but for names.
static uint64_t identity(const mst_map *plan) {
    uint64_t numbers[2 + MST_MAP_MAX_INPUTS] = {mst_expr_hash(plan->expression), plan->outputs[0].type};
    for (int k = 0; k < plan->n_inputs; k++)
        numbers[2 + k] = plan->types[k];
    return XXH3_64bits(numbers, sizeof numbers);
}

mst_status mst_map_tune(mst_map *plan, const mst_map_desc *desc, mst_tune_chain *chain, mst_error *error) {
    mst_status status = MST_OK;
    map_trial t = {.plan = plan, .desc = *desc, .n = elements(plan)};
    mst_tune_arrays arrays = {.context = plan->context,
                              .n_inputs = plan->n_inputs,
                              .tolerance = mst_type_part(plan->outputs[0].type) == MST_FLOAT64 ? 1e-14 : 1e-6,
                              .create = create,
                              .execute = execute,
                              .destroy = destroy,
                              .timed = timed,
                              .user = &t};
    mst_tune_problem problem = {.capability = "map",
                                .size = (uint64_t)1 << log2_of(mst_layout_count(&plan->shape)),
                                .elements = t.n,
                                .n_parameters = 1,
                                .work = &mst_tune_arrays_work,
                                .user = &arrays,
                                .chain = chain};
    mst_tune_parameter *width = &problem.parameters[0];
    int64_t chosen;
    *width = (mst_tune_parameter){
        .name = "width", .n = plan->has_parts ? MST_MAP_N_WIDTHS - 1 : MST_MAP_N_WIDTHS, .safe = mst_map_safe_width(plan)};
    for (int w = 0; w < MST_MAP_N_WIDTHS; w++)
        width->values[w] = widths[w];
    for (int k = 0; k < plan->n_inputs; k++) {
        t.inputs[k] = (mst_map_input){desc->inputs[k].name, mst_layout_dense(plan->types[k], 1, &t.n)};
        arrays.inputs[k] = t.inputs[k].layout;
    }
    arrays.output = mst_layout_dense(plan->outputs[0].type, 1, &t.n);
    t.desc.inputs = t.inputs;
    t.desc.output = arrays.output;
    // What is fastest for arithmetic says nothing of functions, which few compilers make vectors of by themselves.
    snprintf(problem.variant, sizeof problem.variant, "%s%s", mst_type_name(plan->outputs[0].type),
             mst_expr_calls_of(plan->expression) ? ", functions" : "");
    problem.kernel = identity(plan);
    MST_REQUIRE(t.n > 0 || !desc->measure, MST_ERROR_BUDGET,
                "the device memory budget of %llu bytes leaves nothing for test runs",
                (unsigned long long)plan->context->device_memory.limit);
    MST_TRY(mst_tune_choose(plan->context, &problem, desc->measure, &chosen, error));
    plan->width = (unsigned)chosen;
fail:
    return status;
}
