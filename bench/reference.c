#include "reference.h"

#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 1 << 22, LEAST_VECTORS = 2, MOST_VECTORS = 1024 };

struct bench_reference {
    const bench_job *job;
    size_t n_vectors; // chosen
    double *expected; // complex, vector by vector
    double *norms;
};

static size_t vector_index(const bench_reference *r, size_t chosen) {
    return r->n_vectors > 1 ? (r->job->n_vectors - 1) * chosen / (r->n_vectors - 1) : 0;
}

static void load_vector(const bench_job *job, const void *array, size_t index, double *to) {
    size_t first = 2 * job->n * index;
    if (job->is_double)
        memcpy(to, (const double *)array + first, 2 * job->n * sizeof *to);
    else
        for (size_t i = 0; i < 2 * job->n; i++)
            to[i] = ((const float *)array)[first + i];
}

static double norm(const double *vector, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < 2 * n; i++)
        sum += vector[i] * vector[i];
    return sqrt(sum);
}

typedef struct both_plans {
    fftw_plan forward, inverse; // from one array to another
} both_plans;

static bool make_plans(both_plans *p, size_t n, double *from, double *to) {
    fftw_plan_with_nthreads(1);
    p->forward = fftw_plan_dft_1d((int)n, (fftw_complex *)from, (fftw_complex *)to, FFTW_FORWARD, FFTW_ESTIMATE);
    p->inverse = fftw_plan_dft_1d((int)n, (fftw_complex *)from, (fftw_complex *)to, FFTW_BACKWARD, FFTW_ESTIMATE);
    return p->forward && p->inverse;
}

static void free_plans(both_plans *p) {
    fftw_destroy_plan(p->forward);
    fftw_destroy_plan(p->inverse);
}

// x and y are overwritten.
static void solve(const both_plans *p, const bench_reference *r, double *x, double *y, double *expected) {
    double n = (double)r->job->n;

    fftw_execute_dft(p->forward, (fftw_complex *)x, (fftw_complex *)expected);
    if (r->job->operation == OPERATION_FFT)
        return;
    fftw_execute_dft(p->forward, (fftw_complex *)y, (fftw_complex *)x);
    for (size_t i = 0; i < 2 * r->job->n; i += 2) {
        double re = (expected[i] * x[i] - expected[i + 1] * x[i + 1]) / n;
        x[i + 1] = (expected[i] * x[i + 1] + expected[i + 1] * x[i]) / n;
        x[i] = re;
    }
    fftw_execute_dft(p->inverse, (fftw_complex *)x, (fftw_complex *)expected);
}

static bool solve_all(bench_reference *r) {
    const bench_job *job = r->job;
    size_t n = job->n, bytes = 2 * n * sizeof(double);
    bool pairs = job->operation == OPERATION_CONVOLUTION;
    double *x = fftw_malloc(bytes), *y = fftw_malloc(bytes), *expected = fftw_malloc(bytes);
    both_plans plans = {0};
    bool done = x && y && expected && make_plans(&plans, n, x, expected);

    for (size_t c = 0; done && c < r->n_vectors; c++) {
        load_vector(job, job->host_x, vector_index(r, c), x);
        r->norms[c] = norm(x, n) * (pairs ? 1 : sqrt((double)n)); // Parseval
        if (pairs) {
            load_vector(job, job->host_y, vector_index(r, c), y);
            r->norms[c] *= norm(y, n);
        }
        solve(&plans, r, x, y, expected);
        memcpy(r->expected + 2 * n * c, expected, bytes);
    }
    free_plans(&plans);
    fftw_free(x);
    fftw_free(y);
    fftw_free(expected);
    return done;
}

bench_reference *reference_create(const bench_job *job) {
    bench_reference *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->job = job;
    r->n_vectors = POINTS / job->n > LEAST_VECTORS ? POINTS / job->n : LEAST_VECTORS;
    if (r->n_vectors > MOST_VECTORS)
        r->n_vectors = MOST_VECTORS;
    if (r->n_vectors > job->n_vectors)
        r->n_vectors = job->n_vectors;
    r->expected = malloc(2 * job->n * r->n_vectors * sizeof *r->expected);
    r->norms = malloc(r->n_vectors * sizeof *r->norms);
    if (r->expected && r->norms && solve_all(r))
        return r;
    reference_destroy(r);
    return NULL;
}

void reference_destroy(bench_reference *r) {
    if (r) {
        free(r->expected);
        free(r->norms);
        free(r);
    }
}

static double error_of_vector(const bench_reference *r, size_t chosen, const void *vector) {
    const double *expected = r->expected + 2 * r->job->n * chosen;
    double sum = 0;
    for (size_t i = 0; i < 2 * r->job->n; i++) {
        double difference = (r->job->is_double ? ((const double *)vector)[i] : ((const float *)vector)[i]) - expected[i];
        sum += difference * difference;
    }
    return sqrt(sum) / r->norms[chosen];
}

double reference_error(const bench_reference *r, const bench_peer *peer, void *state) {
    size_t bytes = r->job->n * job_element_bytes(r->job);
    void *vector = malloc(bytes);
    double worst = vector ? 0 : NAN;

    for (size_t c = 0; c < r->n_vectors && !isnan(worst); c++) {
        double error = peer->read(state, bytes * vector_index(r, c), bytes, vector) ? error_of_vector(r, c, vector) : NAN;
        if (!(error <= worst))
            worst = error;
    }
    free(vector);
    return worst;
}
