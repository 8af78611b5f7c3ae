// FFTW on the host's cores, planned with FFTW_MEASURE.
#include "peers.h"

#include <fftw3.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A plan of either precision: for `count` vectors of length n, one after the other.
typedef struct any_plan {
    fftwf_plan f;
    fftw_plan d;
} any_plan;

typedef struct fftw {
    const bench_job *job;
    void *x, *y, *output; // planning overwrites them, so they are not the job's
    any_plan forward, inverse;
    size_t block; // composition: vectors in one turn
} fftw;

static any_plan make_plan(const bench_job *job, size_t count, unsigned n_threads, void *from, void *to, int sign) {
    const bench_case *w = &job->what;
    any_plan plan = {NULL, NULL};
    int n[MST_MAX_AXES], c = (int)count, stride = w->columns ? c : 1, r = w->rank;
    int a = w->columns ? 1 : (int)w->n, b = w->is_real ? (int)case_half(w) : a; // from one array to the next: most points, half

    for (int k = 0; k < r; k++)
        n[k] = (int)w->shape[k];
    fftw_plan_with_nthreads((int)n_threads);
    fftwf_plan_with_nthreads((int)n_threads);
    if (w->is_double && case_real_in(w))
        plan.d = fftw_plan_many_dft_r2c(r, n, c, from, NULL, 1, a, to, NULL, 1, b, FFTW_MEASURE);
    else if (w->is_double && case_real_out(w))
        plan.d = fftw_plan_many_dft_c2r(r, n, c, from, NULL, 1, b, to, NULL, 1, a, FFTW_MEASURE);
    else if (w->is_double)
        plan.d = fftw_plan_many_dft(r, n, c, from, NULL, stride, a, to, NULL, stride, a, sign, FFTW_MEASURE);
    else if (case_real_in(w))
        plan.f = fftwf_plan_many_dft_r2c(r, n, c, from, NULL, 1, a, to, NULL, 1, b, FFTW_MEASURE);
    else if (case_real_out(w))
        plan.f = fftwf_plan_many_dft_c2r(r, n, c, from, NULL, 1, b, to, NULL, 1, a, FFTW_MEASURE);
    else
        plan.f = fftwf_plan_many_dft(r, n, c, from, NULL, stride, a, to, NULL, stride, a, sign, FFTW_MEASURE);
    return plan;
}

static void execute(any_plan plan, void *from, void *to) {
    if (plan.d)
        fftw_execute_dft(plan.d, from, to);
    else
        fftwf_execute_dft(plan.f, from, to);
}

static void destroy_plan(any_plan plan) {
    if (plan.d)
        fftw_destroy_plan(plan.d);
    if (plan.f)
        fftwf_destroy_plan(plan.f);
}

static void version(char text[PEER_TEXT]) { snprintf(text, PEER_TEXT, "%s, FFTW_MEASURE", fftwf_version); }

static void destroy(void *state) {
    fftw *w = state;
    destroy_plan(w->forward);
    destroy_plan(w->inverse);
    fftw_free(w->x);
    fftw_free(w->y);
    fftw_free(w->output);
    free(w);
}

static fftw *new_state(const bench_job *job, bool needs_x, bool needs_y, char why[PEER_TEXT]) {
    fftw *w = calloc(1, sizeof *w);
    if (w) {
        w->job = job;
        w->x = needs_x ? fftw_malloc(job->bytes) : NULL;
        w->y = needs_y ? fftw_malloc(job->bytes) : NULL;
        w->output = fftw_malloc(job->output_bytes);
        if (w->output && !w->x == !needs_x && !w->y == !needs_y && fftw_init_threads() && fftwf_init_threads())
            return w;
        destroy(w);
    }
    snprintf(why, PEER_TEXT, "out of memory");
    return NULL;
}

static bool load(void *state) {
    fftw *w = state;
    if (w->x)
        memset(w->output, 0xff, w->job->output_bytes);
    else
        memcpy(w->output, w->job->host_x, w->job->bytes);
    return true;
}

static bool read_output(void *state, size_t offset, size_t n_bytes, void *to) {
    fftw *w = state;
    memcpy(to, (char *)w->output + offset, n_bytes);
    return true;
}

static void *create_fft(const bench_job *job, char why[PEER_TEXT]) {
    fftw *w = new_state(job, !job->what.in_place, false, why);
    if (!w)
        return NULL;
    void *from = job->what.in_place ? w->output : w->x;
    w->forward =
        make_plan(job, job->what.n_vectors, job->n_threads, from, w->output, job->what.inverse ? FFTW_BACKWARD : FFTW_FORWARD);
    if (!w->forward.f && !w->forward.d) {
        snprintf(why, PEER_TEXT, "FFTW makes no plan");
        destroy(w);
        return NULL;
    }
    if (w->x)
        memcpy(w->x, job->host_x, job->bytes);
    return w;
}

static bool run_fft(void *state, int times) {
    fftw *w = state;
    for (int i = 0; i < times; i++) {
        if (w->forward.d)
            fftw_execute(w->forward.d);
        else
            fftwf_execute(w->forward.f);
    }
    return true;
}

// The best composition on a CPU: each thread takes a few vectors at a time from the transforms to the inverse, so that what lies
// between stays in its cache.
enum { BLOCK_POINTS = 2048 };

static void *create_composition(const bench_job *job, char why[PEER_TEXT]) {
    fftw *w = new_state(job, true, true, why);
    if (!w)
        return NULL;
    w->block = job->what.n < BLOCK_POINTS ? BLOCK_POINTS / job->what.n : 1;
    while (job->what.n_vectors % w->block != 0)
        w->block--;
    if (w->block * job->what.n * job_element_bytes(job) % 64 != 0) {
        snprintf(why, PEER_TEXT, "vectors of %zu do not keep the alignment that the plan has", job->what.n);
        destroy(w);
        return NULL;
    }
    w->forward = make_plan(job, w->block, 1, w->x, w->output, FFTW_FORWARD);
    w->inverse = make_plan(job, w->block, 1, w->x, w->output, FFTW_BACKWARD);
    memcpy(w->x, job->host_x, job->bytes);
    memcpy(w->y, job->host_y, job->bytes);
    return w;
}

static void multiply_float(float *restrict a, const float *restrict b, size_t count, float scale) {
    for (size_t i = 0; i < 2 * count; i += 2) {
        float re = a[i] * b[i] - a[i + 1] * b[i + 1], im = a[i] * b[i + 1] + a[i + 1] * b[i];
        a[i] = re * scale;
        a[i + 1] = im * scale;
    }
}

static void multiply_double(double *restrict a, const double *restrict b, size_t count, double scale) {
    for (size_t i = 0; i < 2 * count; i += 2) {
        double re = a[i] * b[i] - a[i + 1] * b[i + 1], im = a[i] * b[i + 1] + a[i + 1] * b[i];
        a[i] = re * scale;
        a[i + 1] = im * scale;
    }
}

typedef struct share { // of one thread
    const fftw *w;
    size_t first, end; // blocks
    bool done;
} share;

static void *convolve_share(void *argument) {
    share *s = argument;
    const fftw *w = s->w;
    const bench_job *job = w->job;
    size_t count = w->block * job->what.n, bytes = count * job_element_bytes(job);
    void *a = fftw_malloc(bytes), *b = fftw_malloc(bytes);

    s->done = a && b;
    for (size_t i = s->first; s->done && i < s->end; i++) {
        execute(w->forward, (char *)w->x + i * bytes, a);
        execute(w->forward, (char *)w->y + i * bytes, b);
        if (job->what.is_double)
            multiply_double(a, b, count, 1.0 / (double)job->what.n);
        else
            multiply_float(a, b, count, 1.0f / (float)job->what.n);
        execute(w->inverse, a, (char *)w->output + i * bytes);
    }
    fftw_free(a);
    fftw_free(b);
    return NULL;
}

static bool convolve(const fftw *w) {
    enum { MOST_THREADS = 256 };
    unsigned n_threads = w->job->n_threads < MOST_THREADS ? w->job->n_threads : MOST_THREADS, n_started = 0;
    size_t n_blocks = w->job->what.n_vectors / w->block;
    pthread_t threads[MOST_THREADS];
    share shares[MOST_THREADS];
    bool done = true;

    for (unsigned t = 0; t < n_threads; t++)
        shares[t] = (share){w, n_blocks * t / n_threads, n_blocks * (t + 1) / n_threads, false};
    while (n_started + 1 < n_threads && pthread_create(&threads[n_started], NULL, convolve_share, &shares[n_started + 1]) == 0)
        n_started++;
    convolve_share(&shares[0]);
    for (unsigned t = 0; t < n_started; t++)
        pthread_join(threads[t], NULL);
    for (unsigned t = 0; t < n_threads; t++)
        done = done && shares[t].done;
    return done;
}

static bool run_composition(void *state, int times) {
    for (int i = 0; i < times; i++)
        if (!convolve(state))
            return false;
    return true;
}

const bench_peer peer_fftw_fft = {"fftw", NULL, version, create_fft, load, run_fft, read_output, destroy};
const bench_peer peer_fftw_composition = {"fftw-composition", NULL,        version, create_composition, load,
                                          run_composition,    read_output, destroy};
