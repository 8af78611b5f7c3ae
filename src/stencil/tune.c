// What tuning chooses: m, the steps fused in one kernel, and its tile. Test runs are of the scheme itself, in core.
#include "tune.h"

#include "history.h"
#include "runtime/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STATE ((uint64_t)256 << 20) // bytes of a state that test runs are made with
#define STEPS 48                         // every m that is tried divides it, but for the rule's
#define NODE_STEPS ((uint64_t)1 << 25)   // of a test run
#define SIMILAR 4                        // grids of up to so many times the nodes suit the same values
enum { FUSE, COLUMNS_OF_TILE, ROWS_OF_TILE, PLANES_OF_STRIP, N_PARAMETERS, REVISION = 5 }; // REVISION: of the kernels

typedef struct scheme_trial {
    mst_context *context;
    const mst_problem *problem;
    mst_stencil_desc desc;
    mst_stencil_choice rule;
    uint64_t steps;
    unsigned char *expected, *got;
    bool has_expected;
} scheme_trial;

static mst_stencil_choice choice_of(const int64_t *values) {
    return (mst_stencil_choice){(unsigned)values[FUSE],
                                {(int)values[COLUMNS_OF_TILE], (int)values[ROWS_OF_TILE], (int)values[PLANES_OF_STRIP]}};
}

static size_t state_bytes(const scheme_trial *t) { return (size_t)(t->problem->nodes * t->problem->element); }

static mst_status prepare(void *user, uint64_t seed, mst_error *error) {
    scheme_trial *t = user;
    (void)seed; // the state begins as the description says
    size_t bytes = state_bytes(t) * (size_t)t->problem->n_arrays;
    t->expected = malloc(bytes);
    t->got = malloc(bytes);
    return t->expected && t->got ? MST_OK : mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for test runs");
}

static void release_states(void *user) {
    scheme_trial *t = user;
    free(t->expected);
    free(t->got);
}

static mst_status build(void *user, const int64_t *values, void **candidate, mst_error *error) {
    const scheme_trial *t = user;
    const mst_stencil_choice choice = choice_of(values);
    mst_stencil *made = NULL;
    mst_stencil_desc desc = t->desc;
    desc.fuse = choice.fuse; // so that no fewer are taken
    mst_status status = mst_stencil_create_as(t->context, &desc, &choice, &made, error);
    *candidate = made;
    return status;
}

static void discard(void *user, void *candidate) {
    (void)user;
    mst_stencil_destroy(candidate);
}

static mst_status run(void *user, void *candidate, int times, const mst_execution *how, mst_error *error) {
    const scheme_trial *t = user;
    (void)how; // NODE_STEPS do not take long
    return mst_stencil_run(candidate, t->steps * (uint64_t)times, NULL, NULL, error);
}

// In every bit: results depend on none of it.
static mst_status check(void *user, void *candidate, bool *right, mst_error *error) {
    mst_status status = MST_OK;
    scheme_trial *t = user;
    unsigned char *state = t->has_expected ? t->got : t->expected;
    size_t used = 0;
    for (int f = 0; f < t->problem->n_fields; f++)
        for (int level = 0; level < t->problem->fields[f].levels && !t->problem->fields[f].coefficient; level++) {
            MST_TRY(mst_stencil_read(candidate, t->problem->fields[f].name, level, NULL, mst_at_host(state + used), error));
            used += state_bytes(t);
        }
    *right = !t->has_expected || memcmp(t->expected, t->got, used) == 0;
    t->has_expected = true;
fail:
    return status;
}

static const mst_tune_work work = {prepare, release_states, build, NULL, discard, run, check, NULL, NULL};

// Near the rule first.
static double cost(const void *user, const int64_t *values) {
    const scheme_trial *t = user;
    double columns = log2((double)values[COLUMNS_OF_TILE] / t->rule.tile.columns);
    double rows = log2((double)values[ROWS_OF_TILE] / t->rule.tile.rows);
    return 1 + 0.3 * fabs(log2((double)values[FUSE] / t->rule.fuse)) + 0.4 * fabs(columns) + 0.4 * fabs(rows) +
           (values[PLANES_OF_STRIP] > 0 ? 0.35 : 0);
}

static mst_tune_parameter *add_parameter(mst_tune_problem *p, const char *name, int64_t rule) {
    return mst_tune_add(p, name, rule, 1, &rule);
}

static void add_value(mst_tune_parameter *q, int64_t value) { q->values[q->n++] = value; }

static void add_parameters(mst_tune_problem *p, const scheme_trial *t, const mst_stencil_desc *desc, unsigned most) {
    mst_tune_parameter *fuse = add_parameter(p, "fuse", t->rule.fuse);
    for (unsigned m = 1; m <= most && m <= STEPS && !desc->fuse; m++)
        if (m != t->rule.fuse && STEPS % m == 0)
            add_value(fuse, m);
    mst_tune_parameter *columns = add_parameter(p, "columns", t->rule.tile.columns);
    add_value(columns, t->rule.tile.columns / 2);
    add_value(columns, t->rule.tile.columns * 2);
    mst_tune_parameter *rows = add_parameter(p, "rows", t->rule.tile.rows);
    if (t->rule.tile.rows > 1) {
        add_value(rows, t->rule.tile.rows / 2);
        add_value(rows, t->rule.tile.rows * 2);
    }
    mst_tune_parameter *planes = add_parameter(p, "planes", 0);
    for (int n = 64; n <= 512 && t->problem->rank > 1; n *= 2)
        add_value(planes, n);
}

// The same expressions on the same grid have the same kernels.
static void identify(mst_tune_problem *p, const mst_plan_inputs *in, const mst_stencil_desc *desc) {
    const mst_problem *q = in->problem;
    p->size = q->nodes;
    p->kernel = mst_scheme_hash(desc, q, REVISION);
    snprintf(p->variant, sizeof p->variant, "%s %s, %d ax%ss, %d array%s",
             mst_plan_shape(in) == MST_STENCIL_SHAPE_CPU ? "cpu" : "gpu", q->is_double ? "float64" : "float32", q->rank,
             q->rank == 1 ? "i" : "e", q->n_arrays, q->n_arrays == 1 ? "" : "s");
}

// A multiple of every m: a rest would be done step by step.
static uint64_t steps_of(uint64_t rule, uint64_t nodes) {
    uint64_t least = rule, times;
    while (least % STEPS != 0)
        least += rule;
    times = NODE_STEPS / nodes / least;
    return least * (times < 1 ? 1 : times > 64 ? 64 : times);
}

mst_status mst_stencil_tune(mst_context *context, const mst_plan_inputs *in, const mst_stencil_desc *desc, mst_tune_chain *chain,
                            mst_stencil_choice *out, mst_error *error) {
    const mst_problem *p = in->problem;
    scheme_trial t = {.context = context, .problem = p, .desc = *desc};
    mst_tune_problem problem = {
        .capability = "stencil", .most_times = SIMILAR, .cost = cost, .work = &work, .user = &t, .chain = chain};
    uint64_t arrays = (uint64_t)p->n_arrays, all = (2 * arrays + (uint64_t)p->n_coefficients) * state_bytes(&t);
    unsigned most =
        desc->depth ? (unsigned)mst_smaller((uint64_t)desc->depth, (uint64_t)MST_STENCIL_MAX_FUSE) : MST_STENCIL_MAX_FUSE;
    unsigned rule = desc->fuse ? desc->fuse : mst_kernel_pair_rule(p, mst_plan_shape(in));
    int64_t values[N_PARAMETERS];
    t.desc.schedule = MST_STENCIL_IN_CORE;
    t.desc.depth = 0;
    t.desc.block = 0;
    t.desc.n_monitors = t.desc.n_spectra = 0;
    t.desc.until = NULL;
    t.desc.part = NULL;
    t.desc.brick = NULL;
    t.rule = (mst_stencil_choice){mst_smaller(rule, most), mst_tile_rule(p, mst_plan_shape(in))};
    *out = t.rule;
    if (desc->schedule == MST_STENCIL_TRIVIAL)
        return MST_OK; // as published
    t.steps = steps_of(t.rule.fuse, p->nodes);
    if (desc->part || desc->brick || all > MOST_STATE || all > mst_budget_left(context, &context->device_memory) / 2)
        problem.work = NULL;
    add_parameters(&problem, &t, desc, most);
    identify(&problem, in, desc);
    mst_status status = mst_tune_choose(context, &problem, false, values, error);
    if (status == MST_OK)
        *out = choice_of(values);
    return status;
}
