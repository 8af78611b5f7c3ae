// FFTW on two threads, planned with FFTW_MEASURE: real to complex, the mask on two threads, complex to real.
#include "filter_peers.h"

#include <fftw3.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2 };

typedef struct state {
    size_t n, half;
    float *image, *result, *factors; // of both axes: the Gaussian separates
    fftwf_complex *spectrum;
    fftwf_plan there, back;
} state;

typedef struct part {
    state *s;
    size_t first, last; // rows
} part;

static void destroy(void *user) {
    state *s = user;
    if (s->there)
        fftwf_destroy_plan(s->there);
    if (s->back)
        fftwf_destroy_plan(s->back);
    fftwf_free(s->image);
    fftwf_free(s->result);
    fftwf_free(s->spectrum);
    free(s->factors);
    free(s);
}

static void *create(const filter_peer_job *job, char why[PEER_TEXT]) {
    size_t n = job->n, half = n / 2 + 1;
    state *s = calloc(1, sizeof *s);
    snprintf(why, PEER_TEXT, "out of memory");
    if (!s || !fftwf_init_threads()) {
        free(s);
        return NULL;
    }
    *s = (state){.n = n,
                 .half = half,
                 .image = fftwf_malloc(n * n * sizeof(float)),
                 .result = fftwf_malloc(n * n * sizeof(float)),
                 .spectrum = fftwf_malloc(n * half * sizeof(fftwf_complex)),
                 .factors = malloc(n * sizeof(float))};
    if (s->image && s->result && s->spectrum && s->factors) {
        fftwf_plan_with_nthreads(THREADS);
        s->there = fftwf_plan_dft_r2c_2d((int)n, (int)n, s->image, s->spectrum, FFTW_MEASURE);
        s->back = fftwf_plan_dft_c2r_2d((int)n, (int)n, s->spectrum, s->result, FFTW_MEASURE);
    }
    if (!s->there || !s->back) {
        destroy(s);
        return NULL;
    }
    memcpy(s->image, job->host, n * n * sizeof(float));
    for (size_t k = 0; k < n; k++) {
        double f = (double)(k < n - k ? k : n - k) / (double)n / FILTER_PEER_RADIUS;
        s->factors[k] = (float)(exp(-f * f / 2) / (double)n);
    }
    return s;
}

static void *multiply(void *user) {
    part *p = user;
    for (size_t k = p->first; k < p->last; k++) {
        float *row = (float *)(p->s->spectrum + k * p->s->half), factor = p->s->factors[k];
        for (size_t l = 0; l < p->s->half; l++) {
            row[2 * l] *= factor * p->s->factors[l];
            row[2 * l + 1] *= factor * p->s->factors[l];
        }
    }
    return NULL;
}

static bool run(void *user, int times) {
    state *s = user;
    for (int i = 0; i < times; i++) {
        part halves[THREADS] = {{s, 0, s->n / 2}, {s, s->n / 2, s->n}};
        pthread_t other;
        fftwf_execute(s->there);
        if (pthread_create(&other, NULL, multiply, &halves[1]) != 0)
            return false;
        multiply(&halves[0]);
        pthread_join(other, NULL);
        fftwf_execute(s->back);
    }
    return true;
}

static bool read_result(void *user, float *to) {
    state *s = user;
    memcpy(to, s->result, s->n * s->n * sizeof *to);
    return true;
}

const filter_peer peer_fftw_filter = {"fftw", create, run, read_result, destroy};
