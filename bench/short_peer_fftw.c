// FFTW's transforms of real numbers: each thread takes image after image (signal after signal), so that what lies between stays
// near it; with one image, its transforms have all threads.
#include "short_peers.h"

#include <fftw3.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 64 };

typedef struct composition {
    const short_case *what;
    const float *x;
    short_padding p;
    float *z;
    unsigned n_threads;
    float *images[MOST_THREADS];
    fftwf_complex *kernel, *spectra[MOST_THREADS];
    fftwf_plan forward, inverse;
} composition;

static void destroy(void *state) {
    composition *c = state;
    if (c->forward)
        fftwf_destroy_plan(c->forward);
    if (c->inverse)
        fftwf_destroy_plan(c->inverse);
    for (unsigned t = 0; t < c->n_threads; t++) {
        fftwf_free(c->images[t]);
        fftwf_free(c->spectra[t]);
    }
    fftwf_free(c->kernel);
    free(c->z);
    free(c);
}

static bool allocate(composition *c) {
    bool done = (c->kernel = fftwf_malloc(c->p.spectrum * sizeof *c->kernel)) != NULL;
    for (unsigned t = 0; t < c->n_threads && done; t++) {
        c->images[t] = fftwf_malloc(c->p.points * sizeof(float));
        c->spectra[t] = fftwf_malloc(c->p.spectrum * sizeof *c->kernel);
        done = c->images[t] && c->spectra[t];
    }
    c->z = malloc(c->what->batch * c->p.height * c->what->width * sizeof *c->z);
    return done && c->z;
}

static void *create(const short_case *what, const float *x, const float *taps, unsigned n_threads) {
    composition *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (composition){.what = what, .x = x, .p = short_padding_of(what)};
    c->n_threads = what->batch == 1 ? 1 : n_threads < MOST_THREADS ? n_threads : MOST_THREADS;
    if (allocate(c) && fftwf_init_threads()) {
        int n[] = {(int)c->p.rows, (int)c->p.columns};
        int rank = what->height ? 2 : 1;
        fftwf_plan_with_nthreads(what->batch == 1 && what->height ? (int)n_threads : 1);
        c->forward = fftwf_plan_dft_r2c(rank, n + 2 - rank, c->images[0], c->spectra[0], FFTW_MEASURE);
        c->inverse = fftwf_plan_dft_c2r(rank, n + 2 - rank, c->spectra[0], c->images[0], FFTW_MEASURE);
    }
    if (c->forward && c->inverse) {
        short_pad_taps(what, &c->p, taps, c->images[0]);
        fftwf_execute_dft_r2c(c->forward, c->images[0], c->kernel);
        return c;
    }
    destroy(c);
    return NULL;
}

static void multiply(float *restrict a, const float *restrict b, size_t count) {
    for (size_t i = 0; i < 2 * count; i += 2) {
        float re = a[i] * b[i] - a[i + 1] * b[i + 1];
        a[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
        a[i] = re;
    }
}

static void convolve(const composition *c, size_t number, float *image, fftwf_complex *spectrum) {
    const short_padding *p = &c->p;
    size_t width = c->what->width, first = number * p->height * width;
    for (size_t r = 0; r < p->rows; r++) {
        size_t filled = r < p->height ? width : 0;
        memcpy(image + r * p->columns, c->x + first + r * width * (filled > 0), filled * sizeof *image);
        memset(image + r * p->columns + filled, 0, (p->columns - filled) * sizeof *image);
    }
    fftwf_execute_dft_r2c(c->forward, image, spectrum);
    multiply((float *)spectrum, (const float *)c->kernel, p->spectrum);
    fftwf_execute_dft_c2r(c->inverse, spectrum, image);
    for (size_t r = 0; r < p->height; r++)
        memcpy(c->z + first + r * width, image + (r + p->first_row) * p->columns + p->first_column, width * sizeof *image);
}

typedef struct share {
    const composition *c;
    unsigned thread;
} share;

static void *convolve_share(void *argument) {
    const share *s = argument;
    const composition *c = s->c;
    for (size_t i = c->what->batch * s->thread / c->n_threads; i < c->what->batch * (s->thread + 1) / c->n_threads; i++)
        convolve(c, i, c->images[s->thread], c->spectra[s->thread]);
    return NULL;
}

static bool run_once(const composition *c) {
    pthread_t threads[MOST_THREADS];
    share shares[MOST_THREADS];
    unsigned n_started = 0;
    for (unsigned t = 0; t < c->n_threads; t++)
        shares[t] = (share){c, t};
    while (n_started + 1 < c->n_threads && pthread_create(&threads[n_started], NULL, convolve_share, &shares[n_started + 1]) == 0)
        n_started++;
    convolve_share(&shares[0]);
    for (unsigned t = 0; t < n_started; t++)
        pthread_join(threads[t], NULL);
    return n_started + 1 == c->n_threads;
}

static bool run(void *state, int times) {
    bool done = true;
    for (int k = 0; k < times && done; k++)
        done = run_once(state);
    return done;
}

static bool read_result(void *state, float *to) {
    const composition *c = state;
    memcpy(to, c->z, c->what->batch * c->p.height * c->what->width * sizeof *to);
    return true;
}

static bool applies(mst_context *context) { return mst_context_device(context)->type == CL_DEVICE_TYPE_CPU; }

const short_peer short_peer_fftw = {"fftw", applies, create, run, read_result, destroy};
