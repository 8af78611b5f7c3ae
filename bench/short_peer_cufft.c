// cuFFT's transforms of real numbers, with cuBLAS's product and CUDA's copies to padded arrays and back.
#include "cufft_peer.h"
#include "short_peers.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <stdlib.h>

typedef struct composition {
    const short_case *what;
    short_padding p;
    void *x, *z, *images, *results, *spectra, *kernel; // images: padded, with zeros that stay
    cufftHandle forward, inverse;
    bool has_plans;
    cublasHandle_t blas;
} composition;

static void destroy(void *state) {
    composition *c = state;
    void *arrays[] = {c->x, c->z, c->images, c->results, c->spectra, c->kernel};
    if (c->has_plans) {
        cufftDestroy(c->forward);
        cufftDestroy(c->inverse);
    }
    if (c->blas)
        cublasDestroy(c->blas);
    for (int k = 0; k < 6; k++)
        cudaFree(arrays[k]);
    cudaGetLastError(); // forget what made it fail
    free(c);
}

static bool allocate(composition *c, const float *x) {
    size_t bytes = c->what->batch * c->p.height * c->what->width * sizeof(float);
    size_t padded = c->what->batch * c->p.points * sizeof(float), spectrum = c->p.spectrum * sizeof(cufftComplex);
    return cudaMalloc(&c->x, bytes) == cudaSuccess && cudaMalloc(&c->z, bytes) == cudaSuccess &&
           cudaMalloc(&c->images, padded) == cudaSuccess && cudaMalloc(&c->results, padded) == cudaSuccess &&
           cudaMalloc(&c->kernel, spectrum) == cudaSuccess && cudaMalloc(&c->spectra, c->what->batch * spectrum) == cudaSuccess &&
           cudaMemcpy(c->x, x, bytes, cudaMemcpyHostToDevice) == cudaSuccess && cublasCreate(&c->blas) == CUBLAS_STATUS_SUCCESS;
}

static bool plan(composition *c) {
    int n[] = {(int)c->p.rows, (int)c->p.columns}, rank = c->what->height ? 2 : 1, batch = (int)c->what->batch;
    int *shape = n + 2 - rank, points = (int)c->p.points, spectrum = (int)c->p.spectrum;
    c->has_plans =
        cufftPlanMany(&c->forward, rank, shape, NULL, 1, points, NULL, 1, spectrum, CUFFT_R2C, batch) == CUFFT_SUCCESS &&
        cufftPlanMany(&c->inverse, rank, shape, NULL, 1, spectrum, NULL, 1, points, CUFFT_C2R, batch) == CUFFT_SUCCESS;
    return c->has_plans;
}

static bool transform_kernel(composition *c, const float *taps) {
    float *padded = malloc(c->p.points * sizeof *padded);
    cufftHandle one;
    int n[] = {(int)c->p.rows, (int)c->p.columns}, rank = c->what->height ? 2 : 1;
    bool done = padded && cufftPlanMany(&one, rank, n + 2 - rank, NULL, 1, 0, NULL, 1, 0, CUFFT_R2C, 1) == CUFFT_SUCCESS;
    if (done) {
        short_pad_taps(c->what, &c->p, taps, padded);
        done = cudaMemcpy(c->images, padded, c->p.points * sizeof *padded, cudaMemcpyHostToDevice) == cudaSuccess &&
               cufftExecR2C(one, c->images, c->kernel) == CUFFT_SUCCESS &&
               cudaMemset(c->images, 0, c->what->batch * c->p.points * sizeof *padded) == cudaSuccess &&
               cudaDeviceSynchronize() == cudaSuccess;
        cufftDestroy(one);
    }
    free(padded);
    return done;
}

static void *create(const short_case *what, const float *x, const float *taps, unsigned n_threads) {
    composition *c = calloc(1, sizeof *c);
    (void)n_threads;
    if (!c)
        return NULL;
    *c = (composition){.what = what, .p = short_padding_of(what)};
    if (allocate(c, x) && plan(c) && transform_kernel(c, taps))
        return c;
    destroy(c);
    return NULL;
}

// Between the images and the padded ones, from whose place (row, column) on they lie.
static bool copy(const composition *c, bool back) {
    const short_padding *p = &c->p;
    struct cudaMemcpy3DParms copy = {.kind = cudaMemcpyDeviceToDevice};
    size_t row = c->what->width * sizeof(float);
    struct cudaPitchedPtr plain = {back ? c->z : c->x, row, c->what->width, p->height};
    struct cudaPitchedPtr padded = {back ? c->results : c->images, p->columns * sizeof(float), p->columns, p->rows};
    copy.srcPtr = back ? padded : plain;
    copy.dstPtr = back ? plain : padded;
    copy.srcPos.x = back ? p->first_column * sizeof(float) : 0;
    copy.srcPos.y = back ? p->first_row : 0;
    copy.extent = (struct cudaExtent){row, p->height, c->what->batch};
    return cudaMemcpy3DAsync(&copy, 0) == cudaSuccess;
}

static bool run(void *state, int times) {
    composition *c = state;
    int count = (int)c->p.spectrum;
    for (int k = 0; k < times; k++)
        if (!copy(c, false) || cufftExecR2C(c->forward, c->images, c->spectra) != CUFFT_SUCCESS ||
            cublasCdgmm(c->blas, CUBLAS_SIDE_LEFT, count, (int)c->what->batch, c->spectra, count, c->kernel, 1, c->spectra,
                        count) != CUBLAS_STATUS_SUCCESS ||
            cufftExecC2R(c->inverse, c->spectra, c->results) != CUFFT_SUCCESS || !copy(c, true))
            return false;
    return cudaDeviceSynchronize() == cudaSuccess;
}

static bool read_result(void *state, float *to) {
    composition *c = state;
    return cudaMemcpy(to, c->z, c->what->batch * c->p.height * c->what->width * sizeof *to, cudaMemcpyDeviceToHost) ==
           cudaSuccess;
}

const short_peer short_peer_cufft = {"cufft", cufft_peer_applies, create, run, read_result, destroy};
