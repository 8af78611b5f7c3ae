#include "reference.h"

#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 1 << 21, MANY_POINTS = 1 << 22, LEAST_VECTORS = 2, MOST_VECTORS = 1024 };

struct bench_reference {
    const bench_job *job;
    size_t n_vectors;   // chosen
    size_t n_in, n_out; // real numbers that one has
    double *expected;   // vector by vector
    double *norms;
};

static size_t vector_index(const bench_reference *r, size_t chosen) {
    return r->n_vectors > 1 ? (r->job->what.n_vectors - 1) * chosen / (r->n_vectors - 1) : 0;
}

// Number i of a vector is number `first + i` of the array or, of columns, a part of element i / 2 of one.
static void load_vector(const bench_case *w, const void *array, size_t index, size_t count, double *to) {
    size_t first = w->columns ? 2 * index : count * index;
    for (size_t i = 0; i < count; i++) {
        size_t at = first + (w->columns ? i / 2 * 2 * w->n_vectors + i % 2 : i);
        to[i] = w->is_double ? ((const double *)array)[at] : ((const float *)array)[at];
    }
}

static double norm(const double *vector, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += vector[i] * vector[i];
    return sqrt(sum);
}

typedef struct both_plans {
    fftw_plan forward, inverse; // from one array to another; `forward` is the job's transform
} both_plans;

static bool make_plans(both_plans *p, const bench_job *job, double *from, double *to) {
    const bench_case *w = &job->what;
    fftw_complex *c_from = (fftw_complex *)from, *c_to = (fftw_complex *)to;
    int shape[MST_MAX_AXES];

    for (int k = 0; k < w->rank; k++)
        shape[k] = (int)w->shape[k];
    fftw_init_threads();
    fftw_plan_with_nthreads(w->n > MANY_POINTS ? (int)job->n_threads : 1);
    p->forward = case_real_in(w) ? fftw_plan_dft_r2c(w->rank, shape, from, c_to, FFTW_ESTIMATE)
                 : case_real_out(w)
                     ? fftw_plan_dft_c2r(w->rank, shape, c_from, to, FFTW_ESTIMATE)
                     : fftw_plan_dft(w->rank, shape, c_from, c_to, w->inverse ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_ESTIMATE);
    p->inverse = fftw_plan_dft(w->rank, shape, c_from, c_to, FFTW_BACKWARD, FFTW_ESTIMATE);
    return p->forward && p->inverse;
}

static void free_plans(both_plans *p) {
    fftw_destroy_plan(p->forward);
    fftw_destroy_plan(p->inverse);
}

// x and y are overwritten.
static void solve(const both_plans *p, const bench_reference *r, double *x, double *y, double *expected) {
    double n = (double)r->job->what.n;

    fftw_execute(p->forward); // from x to expected
    if (r->job->operation == OPERATION_FFT)
        return;
    fftw_execute_dft(p->forward, (fftw_complex *)y, (fftw_complex *)x);
    for (size_t i = 0; i < 2 * r->job->what.n; i += 2) {
        double re = (expected[i] * x[i] - expected[i + 1] * x[i + 1]) / n;
        x[i + 1] = (expected[i] * x[i + 1] + expected[i + 1] * x[i]) / n;
        x[i] = re;
    }
    fftw_execute_dft(p->inverse, (fftw_complex *)x, (fftw_complex *)expected);
}

static bool solve_all(bench_reference *r) {
    const bench_job *job = r->job;
    size_t most = 2 * (job->what.is_real ? case_half(&job->what) : job->what.n) * sizeof(double);
    bool pairs = job->operation == OPERATION_CONVOLUTION;
    double *x = fftw_malloc(most), *y = pairs ? fftw_malloc(most) : NULL, *expected = fftw_malloc(most);
    both_plans plans = {0};
    bool done = x && (y || !pairs) && expected && make_plans(&plans, job, x, expected);

    for (size_t c = 0; done && c < r->n_vectors; c++) {
        load_vector(&job->what, job->host_x, vector_index(r, c), r->n_in, x);
        r->norms[c] = norm(x, r->n_in);
        if (pairs) {
            load_vector(&job->what, job->host_y, vector_index(r, c), r->n_in, y);
            r->norms[c] *= norm(y, r->n_in);
        }
        solve(&plans, r, x, y, expected);
        if (!pairs)
            r->norms[c] = norm(expected, r->n_out);
        memcpy(r->expected + r->n_out * c, expected, r->n_out * sizeof *expected);
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
    r->n_in = case_reals(&job->what, false);
    r->n_out = case_reals(&job->what, true);
    r->n_vectors = job->what.n > MANY_POINTS ? 1 : POINTS / job->what.n > LEAST_VECTORS ? POINTS / job->what.n : LEAST_VECTORS;
    if (r->n_vectors > MOST_VECTORS)
        r->n_vectors = MOST_VECTORS;
    if (r->n_vectors > job->what.n_vectors)
        r->n_vectors = job->what.n_vectors;
    r->expected = malloc(r->n_out * r->n_vectors * sizeof *r->expected);
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

// `values` has the output's precision; vector `index` of them is to be compared.
static double error_of_vector(const bench_reference *r, size_t chosen, const void *values, size_t index, double *vector) {
    const double *expected = r->expected + r->n_out * chosen;
    double sum = 0;
    load_vector(&r->job->what, values, index, r->n_out, vector);
    for (size_t i = 0; i < r->n_out; i++)
        sum += (vector[i] - expected[i]) * (vector[i] - expected[i]);
    return sqrt(sum) / r->norms[chosen];
}

// Columns are read all at once, others as they are wanted.
double reference_error(const bench_reference *r, const bench_peer *peer, void *state) {
    bool all = r->job->what.columns;
    size_t one = r->job->output_bytes / r->job->what.n_vectors, bytes = all ? r->job->output_bytes : one;
    void *values = malloc(bytes);
    double *vector = malloc(r->n_out * sizeof *vector), worst = values && vector ? 0 : NAN;

    if (all && !isnan(worst) && !peer->read(state, 0, bytes, values))
        worst = NAN;
    for (size_t c = 0; c < r->n_vectors && !isnan(worst); c++) {
        size_t index = vector_index(r, c);
        bool there = all || peer->read(state, one * index, one, values);
        double error = there ? error_of_vector(r, c, values, all ? index : 0, vector) : NAN;
        if (!(error <= worst))
            worst = error;
    }
    free(values);
    free(vector);
    return worst;
}
