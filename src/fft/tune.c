// What tuning chooses for transforms: the kernels' shape, and of each shape what its passes leave open.
#include "plan.h"

#include "runtime/layout.h"
#include "tune/arrays.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { SHAPE, RADIX, LANES, GROUP, N_PARAMETERS, REVISION = 2 }; // REVISION: of the kernels; results of others are only near

typedef struct fft_trial {
    mst_context *context;
    mst_fft_desc desc; // of the test runs
    bool is_double;
} fft_trial;

static mst_fft_choice choice_of(const int64_t *values) {
    return (mst_fft_choice){.cpu = values[SHAPE] == MST_FFT_SHAPE_CPU,
                            .pass = {(unsigned)values[RADIX], (unsigned)values[LANES], (unsigned)values[GROUP]}};
}

static mst_status create(void *user, const int64_t *values, void **plan, mst_error *error) {
    const fft_trial *t = user;
    const mst_fft_choice choice = choice_of(values);
    mst_fft *made = NULL;
    mst_status status = mst_fft_create_as(t->context, &t->desc, &choice, &made, error);
    *plan = made;
    return status;
}

static mst_status execute(void *plan, const mst_location *inputs, mst_location output, const mst_execution *how,
                          mst_error *error) {
    return mst_fft_run(plan, (const mst_location[]){inputs[0], output}, how, error);
}

static void destroy(void *plan) { mst_fft_destroy(plan); }

// The shape that does not suit the device is taken to be three times as slow. Parameters that a shape does not have must be at
// their defaults, so that no kernel is tried twice.
static double cost(const void *user, const int64_t *values) {
    const fft_trial *t = ((const mst_tune_arrays *)user)->user;
    bool cpu = values[SHAPE] == MST_FFT_SHAPE_CPU, suits = cpu == mst_pass_suits_cpu(&t->context->device);
    if (cpu ? values[GROUP] != 64 : values[RADIX] != 8 || values[LANES] != (t->is_double ? 4 : 8))
        return INFINITY;
    double away = fabs(log2((double)values[RADIX] / 8)) + 2 * fabs(log2((double)values[GROUP] / 64));
    return (suits ? 1 : 3) * (1 + 0.1 * away + (values[LANES] == (t->is_double ? 4 : 8) ? 0 : 0.3));
}

// Makes the layouts dense, and the batch no larger than test arrays may be. False if a single transform is too large for them.
static bool shrink(fft_trial *t, const mst_fft *plan) {
    const mst_fft_desc *d = &plan->desc;
    mst_layout *in = &t->desc.input, *out = &t->desc.output;
    uint64_t most = mst_tune_array_bytes(plan->context, 2), bytes = 0;
    t->desc = *d;
    for (int a = 0; a < d->n_axes; a++) // the real axis is the last one in a description
        t->desc.axes[a] = in->type == MST_FLOAT32 || in->type == MST_FLOAT64 ? d->axes[(a + 1) % d->n_axes] : d->axes[a];
    for (int k = 0; k <= in->rank; k++) {
        bytes = 2 * (t->is_double ? 8 : 4);
        for (int l = 0; l < in->rank; l++)
            bytes *= in->shape[l] > out->shape[l] ? in->shape[l] : out->shape[l];
        if (bytes <= most || k == in->rank)
            break;
        uint64_t others = bytes / in->shape[k];
        if (!mst_fft_transforms(d, k))
            in->shape[k] = out->shape[k] = others >= most ? 1 : (size_t)(most / others);
    }
    *in = mst_layout_dense(in->type, in->rank, in->shape);
    *out = mst_layout_dense(out->type, out->rank, out->shape);
    return bytes <= most;
}

// The real side of real transforms.
static const mst_layout *longer_side(const mst_fft_desc *d) {
    return mst_layout_count(&d->input) >= mst_layout_count(&d->output) ? &d->input : &d->output;
}

static void add_parameters(mst_tune_problem *p, const mst_fft *plan) {
    bool fixed = plan->desc.shape != MST_FFT_SHAPE_AUTO, powers = true;
    int64_t shape = plan->cpu ? MST_FFT_SHAPE_CPU : MST_FFT_SHAPE_GPU;
    // Compilers for GPUs may take minutes over CPU-shaped kernels, for nothing.
    mst_tune_add(p, "shape", shape, fixed || !plan->cpu ? 1 : 2, (int64_t[]){shape, MST_FFT_SHAPE_GPU});
    for (int a = 0; a < plan->desc.n_axes; a++) { // other lengths have the radices that they have
        size_t n = longer_side(&plan->desc)->shape[plan->desc.axes[a]];
        powers = powers && (n & (n - 1)) == 0;
    }
    mst_tune_add(p, "radix", 8, powers ? 3 : 1, (int64_t[]){8, 4, 16});
    mst_tune_add(p, "lanes", plan->is_double ? 4 : 8, 2, (int64_t[]){4, 8});
    mst_tune_add(p, "group", 64, 4, (int64_t[]){64, 32, 128, 256});
}

// Transforms of the same lengths, along axes that lie the same way, in batches of about the same size have the same kernels.
static void identify(mst_tune_problem *p, const mst_fft *plan) {
    const mst_fft_desc *d = &plan->desc;
    const mst_layout *longer = longer_side(d);
    uint64_t numbers[4 + MST_MAX_AXES] = {REVISION}, batch = 1;
    bool rows = false;
    p->size = 1;
    for (int a = 0; a < d->n_axes; a++) {
        numbers[4 + a] = longer->shape[d->axes[a]];
        p->size *= longer->shape[d->axes[a]];
        rows = rows || d->axes[a] == longer->rank - 1;
    }
    for (int k = 0; k < longer->rank; k++)
        batch *= mst_fft_transforms(d, k) ? 1 : longer->shape[k];
    for (; batch > 1; batch /= 2)
        numbers[1]++;
    p->kernel = XXH3_64bits(numbers, sizeof numbers);
    snprintf(p->variant, sizeof p->variant, "%s to %s, %d ax%ss%s", mst_type_name(d->input.type), mst_type_name(d->output.type),
             d->n_axes, d->n_axes == 1 ? "i" : "e", rows ? "" : ", columns");
}

mst_status mst_fft_tune(mst_fft *plan, mst_tune_chain *chain, mst_error *error) {
    fft_trial t = {.context = plan->context, .is_double = plan->is_double};
    mst_tune_arrays arrays = {.context = plan->context,
                              .n_inputs = 1,
                              .tolerance = plan->is_double ? 1e-14 : 4e-6,
                              .create = create,
                              .execute = execute,
                              .destroy = destroy,
                              .user = &t};
    mst_tune_problem problem = {.capability = "fft", .cost = cost, .user = &arrays, .chain = chain};
    int64_t values[N_PARAMETERS];
    if (shrink(&t, plan))
        problem.work = &mst_tune_arrays_work;
    arrays.inputs[0] = t.desc.input;
    arrays.output = t.desc.output;
    add_parameters(&problem, plan);
    identify(&problem, plan);
    mst_status status = mst_tune_choose(plan->context, &problem, false, values, error);
    if (status != MST_OK)
        return status;
    const mst_fft_choice choice = choice_of(values);
    plan->cpu = choice.cpu;
    plan->choice = choice.pass;
    return MST_OK;
}
