// Mastaba itself: one execution of a plan on device data.
#include "opencl_peer.h"

#include "fft/plan.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct mastaba {
    opencl_peer base;
    mst_fft *fft;
    mst_convolution *convolution;
} mastaba;

static void version(char text[PEER_TEXT]) { snprintf(text, PEER_TEXT, "%s", mst_version()); }

static void destroy(void *state) {
    mastaba *m = state;
    mst_fft_destroy(m->fft);
    mst_convolution_destroy(m->convolution);
    free(m);
}

static mst_layout layout_of(const bench_case *w, bool output) {
    mst_type complex_type = w->is_double ? MST_COMPLEX128 : MST_COMPLEX64, real_type = w->is_double ? MST_FLOAT64 : MST_FLOAT32;
    bool real = output ? case_real_out(w) : case_real_in(w);
    size_t shape[MST_MAX_AXES + 1] = {w->n_vectors};

    for (int k = 0; k < w->rank; k++)
        shape[k + 1] = w->shape[k];
    if (w->is_real && !real)
        shape[w->rank] = shape[w->rank] / 2 + 1;
    if (w->columns)
        return mst_layout_dense(complex_type, 2, (size_t[]){w->n, w->n_vectors});
    return mst_layout_dense(real ? real_type : complex_type, w->rank + 1, shape);
}

static void describe(const bench_case *w, mst_fft_desc *fft) {
    fft->input = layout_of(w, false);
    fft->output = layout_of(w, true);
    fft->direction = w->inverse ? MST_FFT_INVERSE : MST_FFT_FORWARD;
    fft->n_axes = w->rank;
    for (int k = 0; k < w->rank; k++)
        fft->axes[k] = w->columns ? 0 : k + 1;
}

static mst_status plan(mastaba *m, const bench_job *job, mst_fft_kernels kernels, mst_error *error) {
    const mst_fft_choice choice = {.cpu = true, .kernels = kernels};
    mst_fft_desc fft = MST_FFT_DESC_INIT;
    mst_convolution_desc convolution = MST_CONVOLUTION_DESC_INIT;

    if (job->operation == OPERATION_FFT) {
        describe(&job->what, &fft);
        return kernels ? mst_fft_create_as(job->context, &fft, &choice, &m->fft, error)
                       : mst_fft_create(job->context, &fft, &m->fft, error);
    }
    convolution.x = convolution.y = layout_of(&job->what, false);
    convolution.mode = MST_CONVOLUTION_CIRCULAR;
    return mst_convolution_create(job->context, &convolution, &m->convolution, error);
}

static void *create_with(const bench_job *job, mst_fft_kernels kernels, char why[PEER_TEXT]) {
    mastaba *m = calloc(1, sizeof *m);
    mst_error error = {.status = MST_ERROR_HOST_MEMORY, .message = "out of memory"};

    if (m) {
        m->base = opencl_peer_for(job);
        if (plan(m, job, kernels, &error) == MST_OK)
            return m;
        destroy(m);
    }
    snprintf(why, PEER_TEXT, "%.*s", PEER_TEXT - 1, error.message);
    return NULL;
}

static void *create(const bench_job *job, char why[PEER_TEXT]) { return create_with(job, MST_FFT_KERNELS_BY_RULE, why); }

static void *create_specialised(const bench_job *job, char why[PEER_TEXT]) {
    return create_with(job, MST_FFT_KERNELS_SPECIALISED, why);
}

static bool run(void *state, int times) {
    mastaba *m = state;
    const bench_job *job = m->base.job;
    mst_location x = mst_at_device(job->x, 0), y = mst_at_device(job->y, 0), output = mst_at_device(job->output, 0);
    mst_execution how = MST_EXECUTION_INIT;
    how.queued = 1;

    for (int i = 0; i < times; i++) {
        mst_status status = m->fft ? mst_fft_execute(m->fft, job->what.in_place ? output : x, output, &how, NULL)
                                   : mst_convolution_execute(m->convolution, x, y, output, &how, NULL);
        if (status != MST_OK)
            return false;
    }
    return clFinish(m->base.queue) == CL_SUCCESS;
}

const bench_peer peer_mastaba_fft = {"mastaba", NULL, version, create, opencl_peer_load, run, opencl_peer_read, destroy};
const bench_peer peer_mastaba_convolution = {"mastaba", NULL, version, create, opencl_peer_load, run, opencl_peer_read, destroy};
const bench_peer peer_specialised_fft = {"specialised",    NULL, version,          create_specialised,
                                         opencl_peer_load, run,  opencl_peer_read, destroy};
