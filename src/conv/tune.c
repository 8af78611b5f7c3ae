// What tuning chooses for the fused algorithm: the kernels' shape, what its passes leave open, and how much goes through all
// stages at once.
#include "geometry.h"

#include "tune/arrays.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum {
    SHAPE,
    RADIX,
    LANES,
    GROUP,
    WORK,
    N_PARAMETERS,
    REVISION = 2
}; // REVISION: of the kernels; results of others are only near

typedef struct convolution_trial {
    mst_context *context;
    mst_convolution_desc desc; // of the test runs
    bool is_double, several;   // stages
    int64_t safe[N_PARAMETERS];
} convolution_trial;

static mst_convolution_choice choice_of(const int64_t *values) {
    return (mst_convolution_choice){(mst_fft_shape)values[SHAPE],
                                    {(unsigned)values[RADIX], (unsigned)values[LANES], (unsigned)values[GROUP]},
                                    (uint64_t)values[WORK] << 10,
                                    false};
}

static mst_status create(void *user, const int64_t *values, void **plan, mst_error *error) {
    const convolution_trial *t = user;
    const mst_convolution_choice choice = choice_of(values);
    mst_convolution *made = NULL;
    mst_status status = mst_convolution_create_as(t->context, &t->desc, &choice, &made, error);
    *plan = made;
    return status;
}

static mst_status execute(void *plan, const mst_location *inputs, mst_location output, const mst_execution *how,
                          mst_error *error) {
    return mst_convolution_execute(plan, inputs[0], inputs[1], output, how, error);
}

static void destroy(void *plan) { mst_convolution_destroy(plan); }

// The other shape is slower; what the shape does not have must be as it is by default.
static double cost(const void *user, const int64_t *values) {
    const convolution_trial *t = ((const mst_tune_arrays *)user)->user;
    bool cpu = values[SHAPE] == MST_FFT_SHAPE_CPU, suits = cpu == mst_pass_suits_cpu(&t->context->device);
    double away = 0;
    for (int k = RADIX; k < N_PARAMETERS; k++) {
        bool other = k == GROUP ? cpu : k == WORK ? !t->several || !suits : !cpu;
        if (other && values[k] != t->safe[k])
            return INFINITY;
        away += fabs(log2((double)values[k] / (double)t->safe[k])) * (k == LANES ? 3 : 1);
    }
    return (suits ? 1 : 3) * (1 + 0.1 * away);
}

static uint64_t bytes_of(const mst_layout *l) { return mst_layout_count(l) * mst_type_bytes(l->type); }

// Dense, and of batches no more than test arrays may have. False if one transform alone has too much.
static bool shrink(convolution_trial *t, const mst_convolution *plan) {
    mst_layout *layouts[] = {&t->desc.x, &t->desc.y, &t->desc.z};
    uint64_t most = mst_tune_array_bytes(plan->context, N_ARRAYS);
    bool fits = true;
    t->desc = plan->desc;
    for (int k = 0; k < t->desc.z.rank && !mst_convolution_is_along(plan, k); k++)
        while (bytes_of(&t->desc.z) > most && t->desc.z.shape[k] > 1)
            for (int a = 0; a < N_ARRAYS; a++)
                layouts[a]->shape[k] = (layouts[a]->shape[k] + 1) / 2;
    for (int a = 0; a < N_ARRAYS; a++) {
        *layouts[a] = mst_layout_dense(layouts[a]->type, layouts[a]->rank, layouts[a]->shape);
        fits = fits && bytes_of(layouts[a]) <= most;
    }
    return fits;
}

static void add_parameter(convolution_trial *t, mst_tune_problem *p, const char *name, int n, const int64_t *values) {
    t->safe[p->n_parameters] = values[0];
    mst_tune_add(p, name, values[0], n, values);
}

static void add_parameters(convolution_trial *t, mst_tune_problem *p, const mst_convolution *plan, bool cpu) {
    bool fixed = plan->desc.shape != MST_FFT_SHAPE_AUTO;
    int64_t lanes = t->is_double ? 4 : 8, work = (int64_t)(mst_fused_work(cpu) >> 10);
    add_parameter(t, p, "shape", fixed || !cpu ? 1 : 2, // GPUs do not gain from CPU-shaped kernels
                  (int64_t[]){cpu ? MST_FFT_SHAPE_CPU : MST_FFT_SHAPE_GPU, MST_FFT_SHAPE_GPU});
    add_parameter(t, p, "radix", 3, (int64_t[]){8, 4, 16});
    add_parameter(t, p, "lanes", 2, (int64_t[]){lanes, 12 - lanes});
    add_parameter(t, p, "group", 4, (int64_t[]){64, 32, 128, 256});
    add_parameter(t, p, "work_kib", 3, (int64_t[]){work, work / 4, work * 4});
}

// Vectors of the same lengths in batches of about the same size have the same kernels.
static void identify(mst_tune_problem *p, const mst_convolution *plan, const mst_geometry *g) {
    const mst_convolution_desc *d = &plan->desc;
    uint64_t numbers[4 + 2 * MST_CONVOLUTION_MAX_AXES] = {REVISION, (uint64_t)d->mode, d->correlate};
    for (size_t batch = plan->n_lines[Z]; batch > 1; batch /= 2)
        numbers[3]++;
    for (int a = 0; a < d->n_axes; a++) {
        numbers[4 + 2 * a] = d->x.shape[d->axes[a]];
        numbers[5 + 2 * a] = d->y.shape[d->axes[a]];
    }
    p->size = g->points;
    p->kernel = XXH3_64bits(numbers, sizeof numbers[0] * (size_t)(d->n_axes > 2 ? 10 : 8));
    snprintf(p->variant, sizeof p->variant, "%s, %d ax%ss%s", mst_type_name(d->z.type), d->n_axes, d->n_axes == 1 ? "i" : "e",
             plan->n_lines[X] != plan->n_lines[Y] ? ", one for all" : "");
}

// Sets the choice of a plan by tuning or rule; `chain`: an mst_tune_chain.
static mst_status choose(mst_convolution *plan, void *chain, mst_error *error) {
    mst_geometry g;
    convolution_trial t = {.context = plan->context, .is_double = plan->work_type == MST_COMPLEX128};
    mst_tune_arrays arrays = {.context = plan->context,
                              .n_inputs = 2,
                              .tolerance = t.is_double ? 1e-14 : 4e-6,
                              .create = create,
                              .execute = execute,
                              .destroy = destroy,
                              .user = &t};
    mst_tune_problem problem = {.capability = "convolution", .cost = cost, .user = &arrays, .chain = chain};
    int64_t values[N_PARAMETERS];
    mst_status status = mst_geometry_choose(plan, &g, error);
    if (status != MST_OK)
        return status;
    t.several = g.n_digits > 1;
    if (shrink(&t, plan))
        problem.work = &mst_tune_arrays_work;
    arrays.inputs[0] = t.desc.x;
    arrays.inputs[1] = t.desc.y;
    arrays.output = t.desc.z;
    add_parameters(&t, &problem, plan, g.cpu);
    identify(&problem, plan, &g);
    status = mst_tune_choose(plan->context, &problem, false, values, error);
    if (status != MST_OK)
        return status;
    plan->choice = choice_of(values);
    if (!mst_geometry_exists(plan)) // what was found for another length does not suit this one
        plan->choice = (mst_convolution_choice){.shape = MST_FFT_SHAPE_AUTO};
    return MST_OK;
}

MST_SHARED_PLAN(convolution)

mst_status mst_convolution_create(mst_context *context, const mst_convolution_desc *desc, mst_convolution **out,
                                  mst_error *error) {
    mst_tune_chain chain = {.used = 0};
    mst_status status;
    do
        status = mst_convolution_make(context, desc, choose, &chain, out, &chain.why);
    while (mst_tune_goes_on(context, &chain, status, error));
    return share(out, desc, status, error);
}
