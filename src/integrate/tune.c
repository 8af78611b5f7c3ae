// What tuning chooses for integrals: the vectors of CPU-shaped kernels, the work-groups of GPU-shaped ones, and how many
// work-items share a fixed rule.
#include "integrand.h"

#include "tune/arrays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { WIDTH, GROUP, ITEMS, N_PARAMETERS, MANY = 256, REVISION = 2 }; // REVISION: of the kernels; results of others are only near
enum { SAMPLES = 16 };
#define MOST_EVALUATIONS ((uint64_t)1 << 28) // of a test run

// Test runs are of one integral, or of many with random parameters.
typedef struct integral_trial {
    mst_context *context;
    mst_integral_desc desc; // of the test runs
    mst_integral_choice rule;
    size_t n_sets;
    double *parameters;
    double *sizes; // of fixed rules: the integrals of |f|, about
    mst_integral_result *expected, *got;
    bool is_double, has_expected;
} integral_trial;

static bool is_fixed(const mst_integral_desc *desc) { return mst_integral_is_fixed(desc->rule); }

static mst_integral_choice choice_of(const int64_t *values) {
    return (mst_integral_choice){(unsigned)values[WIDTH], (size_t)values[GROUP], (uint64_t)values[ITEMS]};
}

static size_t n_results(const integral_trial *t) {
    return t->n_sets * (size_t)(t->desc.n_components > 0 ? t->desc.n_components : 1);
}

static mst_status prepare(void *user, uint64_t seed, mst_error *error) {
    integral_trial *t = user;
    (void)seed; // the parameters are there
    t->expected = calloc(n_results(t), sizeof *t->expected);
    t->got = calloc(n_results(t), sizeof *t->got);
    return t->expected && t->got ? MST_OK : mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for test runs");
}

static void free_results(void *user) {
    integral_trial *t = user;
    free(t->expected);
    free(t->got);
}

static mst_status build(void *user, const int64_t *values, void **candidate, mst_error *error) {
    const integral_trial *t = user;
    const mst_integral_choice choice = choice_of(values);
    mst_integral *made = NULL;
    mst_status status = mst_integral_create_as(t->context, &t->desc, &choice, &made, error);
    *candidate = made;
    return status;
}

static mst_status clear(void *user, mst_error *error) {
    const integral_trial *t = user;
    (void)error;
    memset(t->got, 0xff, n_results(t) * sizeof *t->got);
    return MST_OK;
}

static void discard(void *user, void *candidate) {
    (void)user;
    mst_integral_destroy(candidate);
}

static mst_status run(void *user, void *candidate, int times, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    integral_trial *t = user;
    for (int k = 0; k < times; k++)
        MST_TRY(mst_integral_execute(candidate, t->parameters, t->n_sets, t->got, how, error));
fail:
    return status;
}

// Whether two results agree but for rounding, which is measured by |f| as an integral may cancel; adaptive rules may stop at
// other places, and have to agree within the errors that they promise only.
static bool is_close(const integral_trial *t, size_t i) {
    const mst_integral_result *a = &t->expected[i], *b = &t->got[i];
    double promised = is_fixed(&t->desc) ? 0 : a->error + b->error;
    double size = is_fixed(&t->desc) ? t->sizes[i] : 0;
    double allowed = (t->is_double ? 1e-12 : 1e-5) * (fabs(a->value) + size) + promised;
    return a->status == b->status && ((isnan(a->value) && isnan(b->value)) || fabs(a->value - b->value) <= allowed);
}

static mst_status check(void *user, void *candidate, bool *right, mst_error *error) {
    integral_trial *t = user;
    (void)candidate, (void)error;
    *right = true;
    if (!t->has_expected)
        memcpy(t->expected, t->got, n_results(t) * sizeof *t->got);
    for (size_t i = 0; i < n_results(t); i++)
        *right = *right && is_close(t, i);
    t->has_expected = true;
    return MST_OK;
}

static const mst_tune_work work = {prepare, free_results, build, clear, discard, run, check, NULL, NULL};

// Values near those of the rule are tried first.
static double cost(const void *user, const int64_t *values) {
    const integral_trial *t = user;
    return 1 + 0.1 * fabs(log2((double)values[WIDTH] / t->rule.width)) +
           0.1 * fabs(log2((double)values[GROUP] / (double)t->rule.group)) +
           0.05 * fabs(log2((double)values[ITEMS] / (double)t->rule.items));
}

// The rule's value, and `n` more: the rule's shifted by one, two, ... down and up.
static void add_parameter(mst_tune_problem *p, const char *name, uint64_t rule, int down, int up, unsigned step) {
    mst_tune_parameter *q = mst_tune_add(p, name, (int64_t)rule, 1, &(int64_t){(int64_t)rule});
    for (int k = 1; k <= down && rule >> (step * (unsigned)k) > 0; k++)
        q->values[q->n++] = (int64_t)(rule >> (step * (unsigned)k));
    for (int k = 1; k <= up; k++)
        q->values[q->n++] = (int64_t)(rule << (step * (unsigned)k));
}

static void add_parameters(mst_tune_problem *p, const mst_integral *plan) {
    const mst_integral_choice *rule = &plan->choice;
    bool shared = rule->items > 1; // only fixed rules are
    add_parameter(p, "width", rule->width, plan->cpu ? 2 : 0, plan->cpu && rule->width < 16 ? 1 : 0, 1);
    add_parameter(p, "group", rule->group, plan->cpu ? 0 : 2, plan->cpu ? 0 : 1, 1);
    add_parameter(p, "items", rule->items, shared ? 2 : 0, shared && plan->cpu ? 1 : 0, 2);
}

// Integrals of the same rule, integrand and kinds of ranges have the same kernels, whatever their bounds and the order of names.
static void identify(mst_tune_problem *p, const mst_integral *plan, const mst_integral_desc *desc) {
    bool fixed = is_fixed(desc);
    uint64_t numbers[3 + MST_INTEGRAL_MAX_VARIABLES] = {REVISION, (uint64_t)desc->rule};
    for (int c = 0; c < plan->n_components; c++) {
        const char *text = desc->n_components > 0 ? desc->components[c] : desc->integrand;
        numbers[2] = XXH3_64bits_withSeed(text, strlen(text), numbers[2]);
    }
    for (int k = 0; k < desc->n_variables; k++)
        numbers[3 + k] = (uint64_t)plan->kinds[k];
    p->size = fixed ? plan->desc.points : 1;
    p->kernel = XXH3_64bits(numbers, sizeof numbers);
    snprintf(p->variant, sizeof p->variant, "%s %s %s, %d variable%s, %s", plan->cpu ? "cpu" : "gpu",
             mst_type_name(plan->desc.type), fixed ? "fixed" : mst_integral_rule_name(desc->rule), desc->n_variables,
             desc->n_variables == 1 ? "" : "s", desc->n_parameters > 0 ? "many" : "one");
}

// The integral of |f|, for one variable, by a midpoint rule on the host.
static double size_of(const mst_integral *plan, const double *row, const double *cuts) {
    double sum = 0, range = cuts[plan->n_cuts - 1] - cuts[0];
    for (int k = 0; k < SAMPLES; k++) {
        double value = fabs(mst_integrand_value(plan, cuts[0] + range * (k + 0.5) / SAMPLES, row, cuts));
        sum += isfinite(value) ? value : 0;
    }
    return fabs(range) / SAMPLES * sum;
}

// Parameters in (0, 1), the same in each search. False if the bounds cannot be computed of them.
static bool make_parameters(integral_trial *t, const mst_integral *plan) {
    mst_integral_call call = {.n_sets = t->n_sets, .parameters = t->parameters};
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < t->n_sets * (size_t)t->desc.n_parameters; i++)
        t->parameters[i] = mst_tune_uniform(&state);
    bool good = mst_integrand_take_rows(plan, &call, NULL) == MST_OK;
    for (size_t i = 0; i < t->n_sets && good && is_fixed(&t->desc); i++)
        t->sizes[i] = size_of(plan, &call.rows[i * (size_t)plan->n_row], &call.cuts[i * (size_t)plan->n_cuts]);
    free(call.memory);
    return good;
}

// Fixed rules with too many points make no test runs. Test runs of the other rules are stopped early.
static bool shrink(integral_trial *t, const mst_integral *plan) {
    uint64_t most = MOST_EVALUATIONS / t->n_sets;
    if (is_fixed(&t->desc))
        return plan->desc.points <= most;
    t->desc.max_evaluations = plan->desc.max_evaluations < most ? plan->desc.max_evaluations : most;
    return true;
}

mst_status mst_integral_tune(mst_integral *plan, const mst_integral_desc *desc, mst_tune_chain *chain, mst_error *error) {
    mst_status status = MST_OK;
    integral_trial t = {.context = plan->context,
                        .desc = *desc,
                        .rule = plan->choice,
                        .n_sets = desc->n_parameters > 0 ? MANY : 1,
                        .is_double = plan->is_double};
    mst_tune_problem problem = {.capability = "integral", .cost = cost, .user = &t, .chain = chain};
    int64_t values[N_PARAMETERS];
    t.desc.result_size = sizeof(mst_integral_result);
    if (desc->compile_from == 0)
        t.desc.compile_from = 1;
    if (desc->work_items > 0) // as published
        return MST_OK;
    add_parameters(&problem, plan);
    identify(&problem, plan, desc);
    if (mst_tune_is_on(plan->context) && shrink(&t, plan)) { // only they need parameters
        t.parameters = calloc(t.n_sets * (size_t)desc->n_parameters + 1, sizeof *t.parameters);
        t.sizes = calloc(t.n_sets, sizeof *t.sizes);
        MST_REQUIRE(t.parameters && t.sizes, MST_ERROR_HOST_MEMORY, "out of memory for test runs");
        problem.work = make_parameters(&t, plan) ? &work : NULL;
    }
    MST_TRY(mst_tune_choose(plan->context, &problem, false, values, error));
    plan->choice = choice_of(values);
fail:
    free(t.parameters);
    free(t.sizes);
    return status;
}
