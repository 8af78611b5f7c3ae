// Batches of 10,000 integrals of each family of QUADPACK's book by this library, and by GSL's QAGS and QAGIU with two threads,
// each with every other parameter. In turns; medians of the rounds.
#include "integration_families.h"

#include "core/clock.h"
#include "json.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 10000, THREADS = 2, MOST_ROUNDS = 99 };

typedef struct share {
    const bench_family *family;
    const double *a;
    double *values, tolerance;
    int first;
    gsl_integration_workspace *space;
} share;

typedef struct parameter {
    const bench_family *family;
    double a;
} parameter;

static double call(double x, void *user) {
    const parameter *p = user;
    return p->family->f(x, p->a);
}

static void *run_share(void *user) {
    const share *s = user;
    for (int i = s->first; i < BATCH; i += THREADS) {
        parameter p = {s->family, s->a[i]};
        gsl_function g = {call, &p};
        double estimate;
        if (isinf(s->family->high))
            gsl_integration_qagiu(&g, s->family->low, 0, s->tolerance, 2000, s->space, &s->values[i], &estimate);
        else
            gsl_integration_qags(&g, s->family->low, s->family->high, 0, s->tolerance, 2000, s->space, &s->values[i], &estimate);
    }
    return NULL;
}

static bool run_peer(share *shares) {
    pthread_t threads[THREADS];
    int n = 0;
    while (n < THREADS && pthread_create(&threads[n], NULL, run_share, &shares[n]) == 0)
        n++;
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return n == THREADS;
}

static mst_status fail(mst_error *error, mst_status status, const char *text) {
    error->status = status;
    snprintf(error->message, sizeof error->message, "%s", text);
    return status;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, int n) {
    qsort(values, (size_t)n, sizeof *values, compare);
    return values[n / 2];
}

// What one family took: seconds, and how many values are within the tolerance.
typedef struct batch {
    double a[BATCH], theirs[BATCH], own_seconds, their_seconds;
    mst_integral_result own[BATCH];
    int own_within, their_within, claimed;
} batch;

static mst_status run_family(mst_context *context, const bench_family *f, double tolerance, int rounds, share *shares, batch *b,
                             mst_error *error) {
    static const char *const name = "a";
    const mst_integral_range range = {"x", f->from, f->to};
    double own[MOST_ROUNDS], theirs[MOST_ROUNDS];
    mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
    mst_integral *plan = NULL;
    d.integrand = f->integrand;
    d.ranges = &range;
    d.n_parameters = 1;
    d.parameters = &name;
    d.compile_from = 1; // which a plan that runs on comes to
    d.relative_tolerance = tolerance;
    for (int i = 0; i < BATCH; i++)
        b->a[i] = f->first + (f->last - f->first) * (i + 0.37) / BATCH;
    for (int i = 0; i < THREADS; i++)
        shares[i] = (share){f, b->a, b->theirs, tolerance, i, shares[i].space};
    mst_status status = mst_integral_create(context, &d, &plan, error);
    for (int i = -1; i < rounds && status == MST_OK; i++) { // the first warms up
        const double start = cli_now();
        status = mst_integral_execute(plan, b->a, BATCH, b->own, NULL, error);
        const double middle = cli_now();
        if (!run_peer(shares))
            status = fail(error, MST_ERROR_HOST_MEMORY, "cannot start a thread");
        own[i < 0 ? 0 : i] = middle - start;
        theirs[i < 0 ? 0 : i] = cli_now() - middle;
    }
    mst_integral_destroy(plan);
    if (status != MST_OK)
        return status;
    b->own_seconds = median(own, rounds);
    b->their_seconds = median(theirs, rounds);
    b->own_within = b->their_within = b->claimed = 0;
    for (int i = 0; i < BATCH; i++) {
        const double exact = f->exact(b->a[i]), allowed = tolerance * fabs(exact);
        b->own_within += fabs(b->own[i].value - exact) <= allowed;
        b->their_within += fabs(b->theirs[i] - exact) <= allowed;
        b->claimed += b->own[i].status == MST_INTEGRAL_CONVERGED;
    }
    return MST_OK;
}

mst_status bench_batches(mst_context *context, double tolerance, int rounds, const char *json, mst_error *error) {
    share shares[THREADS] = {{0}};
    batch *b = malloc(sizeof *b);
    json_t *cases = json_array();
    double log_sum = 0;
    mst_status status = b && cases ? MST_OK : MST_ERROR_HOST_MEMORY;
    gsl_set_error_handler_off();
    for (int i = 0; i < THREADS && status == MST_OK; i++)
        if (!(shares[i].space = gsl_integration_workspace_alloc(2000)))
            status = MST_ERROR_HOST_MEMORY;
    if (status != MST_OK)
        status = fail(error, status, "out of memory");
    printf("%d integrals of a family to %g, GSL with %d threads beside them\n", BATCH, tolerance, THREADS);
    for (int k = 0; k < BENCH_FAMILIES && status == MST_OK; k++) {
        const bench_family *f = &bench_family_table[k];
        status = run_family(context, f, tolerance, rounds, shares, b, error);
        if (status != MST_OK)
            break;
        const double ratio = b->their_seconds / b->own_seconds;
        log_sum += log(ratio);
        printf("  %-36s %8.2f ms, %8.2f ms, %6.2f   within %5.1f %%, %5.1f %%, claimed %5.1f %%\n", f->integrand,
               1e3 * b->own_seconds, 1e3 * b->their_seconds, ratio, 100.0 * b->own_within / BATCH,
               100.0 * b->their_within / BATCH, 100.0 * b->claimed / BATCH);
        fflush(stdout);
        json_array_append_new(cases, json_pack("{s:s, s:f, s:f, s:i, s:i, s:i}", "integrand", f->integrand, "seconds",
                                               b->own_seconds, "gsl_seconds", b->their_seconds, "within", b->own_within,
                                               "gsl_within", b->their_within, "claimed", b->claimed));
    }
    if (status == MST_OK)
        printf("  geometric mean %.2f (wanted 3.0)\n", exp(log_sum / BENCH_FAMILIES));
    if (status == MST_OK && json &&
        !bench_write_json(
            context, "integration-peers --batches",
            json_pack("{s:f, s:i, s:i, s:O}", "tolerance", tolerance, "rounds", rounds, "integrals", BATCH, "families", cases),
            json))
        status = fail(error, MST_ERROR_IO, "the file of --json cannot be written");
    for (int i = 0; i < THREADS; i++)
        gsl_integration_workspace_free(shares[i].space);
    json_decref(cases);
    free(b);
    return status;
}
