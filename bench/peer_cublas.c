// A convolution composed of cuFFT's transforms and cuBLAS's product: nine trips through memory.
#include "cufft_peer.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct composition {
    cufft_peer base;
    void *y, *spare;
    cublasHandle_t blas;
} composition;

static void destroy(void *state) {
    composition *c = state;
    cufft_peer_free(&c->base);
    if (c->blas)
        cublasDestroy(c->blas);
    cudaFree(c->y);
    cudaFree(c->spare);
    free(c);
}

static void *create(const bench_job *job, char why[PEER_TEXT]) {
    composition *c = calloc(1, sizeof *c);

    if (!c) {
        snprintf(why, PEER_TEXT, "out of memory");
        return NULL;
    }
    if (cufft_peer_create(&c->base, job, why)) {
        if (cufft_peer_allocate(job, &c->y, job->host_y) && cufft_peer_allocate(job, &c->spare, NULL) &&
            cublasCreate(&c->blas) == CUBLAS_STATUS_SUCCESS)
            return c;
        snprintf(why, PEER_TEXT, "out of memory, or cublasCreate fails");
    }
    destroy(c);
    return NULL;
}

// a = b a, element by element: a diagonal matrix times a column. The scale 1 / n is left out: it would be a pass of its own here,
// and is free in a kernel of one's own; read_scaled makes up for it.
static bool multiply(const composition *c, void *a, const void *b) {
    const bench_job *job = c->base.job;
    int count = (int)(job->what.n * job->what.n_vectors);
    return (job->what.is_double
                ? cublasZdgmm(c->blas, CUBLAS_SIDE_LEFT, count, 1, a, count, b, 1, a, count)
                : cublasCdgmm(c->blas, CUBLAS_SIDE_LEFT, count, 1, a, count, b, 1, a, count)) == CUBLAS_STATUS_SUCCESS;
}

static bool read_scaled(void *state, size_t offset, size_t n_bytes, void *to) {
    const bench_job *job = ((composition *)state)->base.job;
    double *doubles = to;
    float *floats = to;

    if (!cufft_peer_read(state, offset, n_bytes, to))
        return false;
    for (size_t i = 0; job->what.is_double && i < n_bytes / sizeof *doubles; i++)
        doubles[i] /= (double)job->what.n;
    for (size_t i = 0; !job->what.is_double && i < n_bytes / sizeof *floats; i++)
        floats[i] /= (float)job->what.n;
    return true;
}

static bool run(void *state, int times) {
    composition *c = state;
    cufft_peer *fft = &c->base;
    for (int i = 0; i < times; i++)
        if (!cufft_peer_transform(fft, fft->x, fft->output, CUFFT_FORWARD) ||
            !cufft_peer_transform(fft, c->y, c->spare, CUFFT_FORWARD) || !multiply(c, fft->output, c->spare) ||
            !cufft_peer_transform(fft, fft->output, fft->output, CUFFT_INVERSE))
            return false;
    return cudaDeviceSynchronize() == cudaSuccess;
}

const bench_peer peer_cufft_composition = {
    "cufft-composition", cufft_peer_applies, cufft_peer_version, create, cufft_peer_load, run, read_scaled, destroy};
