// What tuning chooses for the fused filter: the kernels' shape, and the work-groups of GPU-shaped ones, which also say how
// many columns go side by side. The composed filter's transforms are tuned as such.
#include "plan.h"

#include "tune/arrays.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { SHAPE, GROUP, N_PARAMETERS, REVISION = 3 }; // REVISION: of the kernels; results of others are only near

typedef struct filter_trial {
    mst_context *context;
    const mst_filter *plan;
    mst_filter_desc desc; // of the test runs
} filter_trial;

static mst_filter_choice choice_of(const int64_t *values) {
    return (mst_filter_choice){values[SHAPE] == MST_FFT_SHAPE_CPU, {.group = (unsigned)values[GROUP]}};
}

static mst_status create(void *user, const int64_t *values, void **plan, mst_error *error) {
    const filter_trial *t = user;
    const mst_filter_choice choice = choice_of(values);
    mst_filter *made = NULL;
    mst_status status = mst_filter_create_as(t->context, &t->desc, &choice, &made, error);
    *plan = made;
    return status;
}

static mst_status execute(void *plan, const mst_location *inputs, mst_location output, const mst_execution *how,
                          mst_error *error) {
    return mst_filter_execute(plan, inputs[0], output, how, error);
}

static void destroy(void *plan) { mst_filter_destroy(plan); }

// The shape that does not suit the device is taken to be three times as slow, and one in which the filter cannot be fused does
// not count. Parameters that a shape does not have must be at their defaults, so that no kernel is tried twice.
static double cost(const void *user, const int64_t *values) {
    const filter_trial *t = ((const mst_tune_arrays *)user)->user;
    bool cpu = values[SHAPE] == MST_FFT_SHAPE_CPU;
    if ((cpu && values[GROUP] != 64) || !mst_fused_filter_can(t->plan, cpu))
        return INFINITY;
    double away = fabs(log2((double)values[GROUP] / 64));
    return (cpu == mst_pass_suits_cpu(&t->context->device) ? 1 : 3) * (1 + 0.1 * away);
}

// Dense, and no more images than test arrays may hold; results as they are, which rounding to integers would hide. False if one
// image is too large.
static bool shrink(filter_trial *t) {
    mst_layout *in = &t->desc.input;
    uint64_t most = mst_tune_array_bytes(t->context, 3) / sizeof(float);
    size_t shape[MST_MAX_RANK];
    memcpy(shape, in->shape, sizeof shape);
    for (int k = 0; k < in->rank - 3; k++)
        while (shape[k] > 1 && mst_layout_count(in) > most)
            in->shape[k] = shape[k] = (shape[k] + 1) / 2;
    *in = mst_layout_dense(in->type, in->rank, shape);
    t->desc.output = mst_layout_dense(MST_FLOAT32, in->rank, shape);
    t->desc.output_as = MST_FILTER_RAW;
    t->desc.white = 0;
    return mst_layout_count(in) <= most;
}

static void add_parameters(mst_tune_problem *p, const mst_filter *plan) {
    bool both = plan->cpu && plan->desc.shape == MST_FFT_SHAPE_AUTO; // GPUs do not gain from CPU-shaped kernels
    int64_t shape = plan->cpu ? MST_FFT_SHAPE_CPU : MST_FFT_SHAPE_GPU;
    mst_tune_add(p, "shape", shape, both ? 2 : 1, (int64_t[]){shape, MST_FFT_SHAPE_GPU});
    mst_tune_add(p, "group", 64, 4, (int64_t[]){64, 128, 32, 256});
}

// Images of the same size and channels have the same kernels, but for the mask.
static void identify(mst_tune_problem *p, const mst_filter *plan) {
    const uint64_t numbers[] = {REVISION, plan->height, plan->width, plan->channels, plan->colours, plan->desc.edges};
    p->size = (uint64_t)plan->p * plan->q;
    p->kernel = XXH3_64bits(numbers, sizeof numbers);
    snprintf(p->variant, sizeof p->variant, "%s, %s", mst_type_name(plan->desc.input.type),
             plan->channels == 1 ? "1 channel" : "channels");
}

// Tuning's choice for a plan that the fused filter suits; `chain`: an mst_tune_chain.
static mst_status choose(mst_filter *plan, void *chain, mst_error *error) {
    filter_trial t = {.context = plan->context, .plan = plan, .desc = plan->desc};
    mst_tune_arrays arrays = {.context = plan->context,
                              .n_inputs = 1,
                              .tolerance = 1e-5,
                              .create = create,
                              .execute = execute,
                              .destroy = destroy,
                              .user = &t};
    mst_tune_problem problem = {.capability = "filter", .cost = cost, .user = &arrays, .chain = chain};
    int64_t values[N_PARAMETERS];
    if (plan->desc.algorithm == MST_FILTER_PAPER || !mst_fused_filter_can(plan, plan->cpu))
        return MST_OK;
    if (shrink(&t))
        problem.work = &mst_tune_arrays_work;
    arrays.inputs[0] = t.desc.input;
    arrays.output = t.desc.output;
    add_parameters(&problem, plan);
    identify(&problem, plan);
    mst_status status = mst_tune_choose(plan->context, &problem, false, values, error);
    if (status != MST_OK)
        return status;
    const mst_filter_choice choice = choice_of(values);
    plan->cpu = choice.cpu;
    plan->choice = choice.pass;
    return MST_OK;
}

MST_SHARED_PLAN(filter)

mst_status mst_filter_create(mst_context *context, const mst_filter_desc *desc, mst_filter **out, mst_error *error) {
    mst_tune_chain chain = {.used = 0};
    mst_status status;
    do
        status = mst_filter_make(context, desc, choose, &chain, out, &chain.why);
    while (mst_tune_goes_on(context, &chain, status, error));
    return share(out, desc, status, error);
}
