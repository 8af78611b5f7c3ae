// What the campaign of false claims shares: draws of parameters, kinds of integrals, batches of one kind and what is counted.
//
// A claim is false if the status is converged and |value - truth| > max(error, tolerance |truth|).
#ifndef CLAIMS_H
#define CLAIMS_H

#include "support.h"

#include <math.h>
#include <time.h>

enum { MAX_PARAMETERS = 32, SETS = 2000, MOST_SHOWN = 3 };

static double between(double low, double high) { return low + (high - low) * (0.5 + 0.5 * test_uniform()); }
static double log_between(double low, double high) { return low * pow(high / low, 0.5 + 0.5 * test_uniform()); }
static double chance(double share) { return between(0, 1) < share ? 1 : 0; }

// What float32 computes with is what is drawn.
static double rounded(double v) { return (double)(float)v; }

// A draw fills parameters in the order of their names and returns the integral, NaN if it has none.
typedef struct kind {
    const char *name, *integrand, *from, *to, *names[MAX_PARAMETERS + 1];
    long double (*draw)(double *p);
    int n_variables; // 0: one, x
    const mst_integral_range *ranges;
} kind;

typedef struct tally {
    size_t tried, converged, within, false_claims;
    double log_evaluations;
} tally;

typedef struct batch {
    const kind *kind;
    mst_integral_rule rule;
    mst_type type;
    double tolerance;
    size_t sets; // SETS at most
    uint64_t max_evaluations;
} batch;

static int n_parameters(const kind *k) {
    int n = 0;
    while (k->names[n])
        n++;
    return n;
}

static int n_variables(const kind *k) { return k->n_variables > 0 ? k->n_variables : 1; }

static void show(const batch *b, const double *p, const mst_integral_result *r, long double truth) {
    const mst_integral_range x = {"x", b->kind->from, b->kind->to};
    printf("false: mastaba integrate '%s' --rule %s --precision %s --tolerance %g", b->kind->integrand,
           mst_integral_rule_name(b->rule), mst_type_name(b->type), b->tolerance);
    for (int i = 0; i < n_variables(b->kind); i++) {
        const mst_integral_range *range = b->kind->ranges ? &b->kind->ranges[i] : &x;
        printf(" --var %s=%s:%s", range->name, range->from, range->to);
    }
    for (int i = 0; i < n_parameters(b->kind); i++)
        printf(" --param %s=%.17g", b->kind->names[i], p[i]);
    printf("\n  # %.17g +- %.2g, %llu evaluations; truth %.17Lg\n", r->value, r->error, (unsigned long long)r->evaluations,
           truth);
}

static mst_status integrate(mst_context *context, const batch *b, const double *p, size_t n, mst_integral_result *r,
                            mst_error *error) {
    mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
    mst_integral *plan = NULL;
    const mst_integral_range range = {"x", b->kind->from, b->kind->to};
    d.integrand = b->kind->integrand;
    d.n_variables = n_variables(b->kind);
    d.ranges = b->kind->ranges ? b->kind->ranges : &range;
    d.n_parameters = n_parameters(b->kind);
    d.parameters = b->kind->names;
    d.rule = b->rule;
    d.type = b->type;
    d.relative_tolerance = b->tolerance;
    d.max_evaluations = b->max_evaluations;
    mst_status status = mst_integral_create(context, &d, &plan, error);
    if (status == MST_OK)
        status = mst_integral_execute(plan, p, n, r, NULL, error);
    mst_integral_destroy(plan);
    return status;
}

static mst_status try_batch(mst_context *context, const batch *b, tally *t, mst_error *error) {
    static double parameters[SETS * MAX_PARAMETERS];
    static long double truths[SETS];
    static mst_integral_result r[SETS];
    size_t n = (size_t)n_parameters(b->kind), shown = 0;
    for (size_t i = 0; i < b->sets; i++)
        truths[i] = b->kind->draw(&parameters[i * n]);
    mst_status status = integrate(context, b, parameters, b->sets, r, error);
    for (size_t i = 0; i < b->sets && status == MST_OK; i++) {
        bool claims = r[i].status == MST_INTEGRAL_CONVERGED;
        long double off = fabsl((long double)r[i].value - truths[i]);
        bool within = off <= (long double)r[i].error;
        bool good = within || off <= (long double)b->tolerance * fabsl(truths[i]);
        t->tried++;
        t->converged += claims;
        t->within += within;
        t->log_evaluations += log((double)r[i].evaluations);
        if (!claims || good)
            continue;
        t->false_claims++;
        if (shown++ < MOST_SHOWN)
            show(b, &parameters[i * n], &r[i], truths[i]);
    }
    return status;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// One in `one_in`, and what chance may make of it.
static double allowed(size_t tried, double one_in) { return (double)tried / one_in + 3 * sqrt((double)tried / one_in) + 1; }

// A line of the table; *tried and *failed grow.
static void report(const char *way, const char *name, const tally *t, double one_in, size_t *tried, size_t *failed) {
    if (t->tried == 0)
        return;
    printf("%-20s %-18s %8zu tried, %5.1f %% converged, %6.2f %% within, %6.0f evaluations, %5zu false claims\n", way, name,
           t->tried, 100 * (double)t->converged / (double)t->tried, 100 * (double)t->within / (double)t->tried,
           exp(t->log_evaluations / (double)t->tried), t->false_claims);
    *tried += t->tried;
    *failed += (double)t->false_claims > allowed(t->tried, one_in) ? t->false_claims : 0;
}

// A program of the campaign: its name, what it does in the turn with a number, of kinds whose names have `only` in them, and its
// table.
typedef struct campaign {
    const char *name;
    mst_status (*take_turn)(mst_context *context, uint64_t turn, const char *only, mst_error *error);
    void (*report_all)(size_t *tried, size_t *failed);
} campaign;

// NAME SECONDS [KIND]: takes turns for that long. Returns the exit code: 1 where a claim failed, 2 where it could not be tried.
static int run_campaign(const campaign *c, int argc, char **argv) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_context *context = NULL;
    mst_error why;
    mst_status status = MST_OK;
    const char *seed = getenv("MASTABA_SEED");
    size_t tried = 0, failed = 0;
    desc.device = getenv("MASTABA_TEST_DEVICE");
    if (argc < 2) {
        fprintf(stderr, "usage: %s SECONDS [KIND]\n", c->name);
        return 2;
    }
    if (mst_context_create(&desc, &context, &why) != MST_OK) {
        fprintf(stderr, "%s: %s\n", c->name, why.message);
        return 2;
    }
    uint64_t first = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
    test_seed(first);
    double until = now() + atof(argv[1]);
    for (uint64_t turn = first; status == MST_OK && now() < until; turn++)
        status = c->take_turn(context, turn, argc > 2 ? argv[2] : "", &why);
    c->report_all(&tried, &failed);
    mst_context_destroy(context);
    if (status != MST_OK) {
        fprintf(stderr, "%s: %s\n", c->name, why.message);
        return 2;
    }
    printf("claims: %zu tried, %zu failed\n", tried, failed);
    return failed > 0;
}

#endif
