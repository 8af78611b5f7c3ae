// clFFT, with its own defaults.
#include "opencl_peer.h"

#include <clFFT.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct clfft {
    opencl_peer base;
    clfftPlanHandle forward, inverse; // 0: none
    cl_mem spare;
    cl_kernel product;
} clfft;

static void version(char text[PEER_TEXT]) {
    snprintf(text, PEER_TEXT, "%d.%d.%d", clfftVersionMajor, clfftVersionMinor, clfftVersionPatch);
}

static void destroy(void *state) {
    clfft *c = state;
    if (c->forward)
        clfftDestroyPlan(&c->forward);
    if (c->inverse)
        clfftDestroyPlan(&c->inverse);
    if (c->spare)
        clReleaseMemObject(c->spare);
    if (c->product)
        clReleaseKernel(c->product);
    clfftTeardown();
    free(c);
}

// It knows these radices, and has crashed on others instead of refusing them.
static bool is_supported(size_t n) {
    static const size_t radices[] = {2, 3, 5, 7, 11, 13};
    for (size_t r = 0; r < sizeof radices / sizeof radices[0]; r++)
        while (n % radices[r] == 0)
            n /= radices[r];
    return n == 1;
}

static clfft *new_state(const bench_job *job, char why[PEER_TEXT]) {
    clfftSetupData setup = {.major = clfftVersionMajor, .minor = clfftVersionMinor, .patch = clfftVersionPatch};

    if (!is_supported(job->what.n) || !case_is_plain(&job->what)) {
        snprintf(why, PEER_TEXT,
                 is_supported(job->what.n) ? "compared for forward transforms of complex vectors only"
                                           : "clFFT has no lengths with prime factors above 13");
        return NULL;
    }
    clfft *c = calloc(1, sizeof *c);
    if (c && clfftSetup(&setup) == CLFFT_SUCCESS) {
        c->base = opencl_peer_for(job);
        return c;
    }
    free(c);
    snprintf(why, PEER_TEXT, "clfftSetup fails");
    return NULL;
}

static bool make_plan(clfft *c, clfftPlanHandle *plan, bool in_place, char why[PEER_TEXT]) {
    const bench_job *job = c->base.job;
    clfftStatus status = clfftCreateDefaultPlan(plan, mst_context_opencl(job->context), CLFFT_1D, &job->what.n);

    if (status == CLFFT_SUCCESS)
        status = clfftSetPlanPrecision(*plan, job->what.is_double ? CLFFT_DOUBLE : CLFFT_SINGLE);
    if (status == CLFFT_SUCCESS)
        status = clfftSetLayout(*plan, CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED);
    if (status == CLFFT_SUCCESS)
        status = clfftSetResultLocation(*plan, in_place ? CLFFT_INPLACE : CLFFT_OUTOFPLACE);
    if (status == CLFFT_SUCCESS)
        status = clfftSetPlanBatchSize(*plan, job->what.n_vectors);
    if (status == CLFFT_SUCCESS)
        status = clfftSetPlanDistance(*plan, job->what.n, job->what.n);
    if (status == CLFFT_SUCCESS)
        status = clfftBakePlan(*plan, 1, &c->base.queue, NULL, NULL);
    if (status != CLFFT_SUCCESS)
        snprintf(why, PEER_TEXT, "clFFT error %d", (int)status);
    return status == CLFFT_SUCCESS;
}

// `to` is NULL in place.
static bool enqueue(clfft *c, clfftPlanHandle plan, clfftDirection direction, cl_mem from, cl_mem to) {
    return clfftEnqueueTransform(plan, direction, 1, &c->base.queue, 0, NULL, NULL, &from, to ? &to : NULL, NULL) ==
           CLFFT_SUCCESS;
}

static void *create_fft(const bench_job *job, char why[PEER_TEXT]) {
    clfft *c = new_state(job, why);
    if (!c || make_plan(c, &c->forward, job->what.in_place, why))
        return c;
    destroy(c);
    return NULL;
}

static bool run_fft(void *state, int times) {
    clfft *c = state;
    const bench_job *job = c->base.job;
    for (int i = 0; i < times; i++)
        if (!(job->what.in_place ? enqueue(c, c->forward, CLFFT_FORWARD, job->output, NULL)
                                 : enqueue(c, c->forward, CLFFT_FORWARD, job->x, job->output)))
            return false;
    return clFinish(c->base.queue) == CL_SUCCESS;
}

// Both forward transforms out of place, a product, the inverse in place: nine trips through memory.
static void *create_composition(const bench_job *job, char why[PEER_TEXT]) {
    clfft *c = new_state(job, why);
    if (!c)
        return NULL;
    snprintf(why, PEER_TEXT, "out of memory");
    c->spare = opencl_peer_buffer(job);
    if (c->spare && (c->product = opencl_product_create(job, why)) != NULL && make_plan(c, &c->forward, false, why) &&
        make_plan(c, &c->inverse, true, why))
        return c;
    destroy(c);
    return NULL;
}

static bool run_composition(void *state, int times) {
    clfft *c = state;
    const bench_job *job = c->base.job;
    for (int i = 0; i < times; i++)
        if (!enqueue(c, c->forward, CLFFT_FORWARD, job->x, job->output) ||
            !enqueue(c, c->forward, CLFFT_FORWARD, job->y, c->spare) ||
            !opencl_product_enqueue(job, c->product, job->output, c->spare, 1) || // its inverse is scaled by 1 / n
            !enqueue(c, c->inverse, CLFFT_BACKWARD, job->output, NULL))
            return false;
    return clFinish(c->base.queue) == CL_SUCCESS;
}

const bench_peer peer_clfft_fft = {"clfft", NULL, version, create_fft, opencl_peer_load, run_fft, opencl_peer_read, destroy};
const bench_peer peer_clfft_composition = {
    "clfft-composition", NULL, version, create_composition, opencl_peer_load, run_composition, opencl_peer_read, destroy};
