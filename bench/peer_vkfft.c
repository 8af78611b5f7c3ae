// VkFFT's OpenCL backend, 1.2.26 and later, with its own defaults.
#define VKFFT_BACKEND 3
#include "opencl_peer.h"

#include <vkFFT.h>

// VKFFT_IS_DEVELOP, from CMake: the headers know a setting that came after 1.3.4 without a new version number.
#define VKFFT_DIVIDES_BY_ZERO (VkFFTGetVersion() >= 10300 && !VKFFT_IS_DEVELOP)

typedef struct vkfft {
    opencl_peer base;
    cl_context context; // VkFFT keeps pointers to what it is given
    cl_device_id device;
    cl_mem x, y, output, spare;
    uint64_t bytes, input_bytes;
    VkFFTApplication forward, inverse, spectrum, convolution;
    bool has_forward, has_inverse, has_spectrum, has_convolution;
    cl_kernel product;
} vkfft;

static void version(char text[PEER_TEXT]) {
    int v = VkFFTGetVersion();
    snprintf(text, PEER_TEXT, "%d.%d.%d%s, OpenCL", v / 10000, v / 100 % 100, v % 100,
             VKFFT_IS_DEVELOP ? " and later (develop)" : "");
}

static void destroy(void *state) {
    vkfft *v = state;
    if (v->has_forward)
        deleteVkFFT(&v->forward);
    if (v->has_inverse)
        deleteVkFFT(&v->inverse);
    if (v->has_convolution)
        deleteVkFFT(&v->convolution);
    if (v->has_spectrum)
        deleteVkFFT(&v->spectrum);
    if (v->spare)
        clReleaseMemObject(v->spare);
    if (v->product)
        clReleaseKernel(v->product);
    free(v);
}

static vkfft *new_state(const bench_job *job, bool needs_spare, char why[PEER_TEXT]) {
    vkfft *v = calloc(1, sizeof *v);

    if (v) {
        v->base = opencl_peer_for(job);
        v->context = mst_context_opencl(job->context);
        v->device = mst_context_device(job->context)->device;
        v->x = job->x;
        v->y = job->y;
        v->output = job->output;
        v->bytes = case_real_in(&job->what) ? job->output_bytes : job->bytes; // of the complex side
        v->input_bytes = case_real_out(&job->what) ? job->output_bytes : job->bytes;
        v->spare = needs_spare ? opencl_peer_buffer(job) : NULL;
        if (v->spare || !needs_spare)
            return v;
        destroy(v);
    }
    snprintf(why, PEER_TEXT, "out of memory");
    return NULL;
}

// Arrays one after the other, from `input` to `buffer`, or in place in `buffer`. The first size is that of the last axis.
static VkFFTConfiguration configure(vkfft *v, cl_mem *input, cl_mem *buffer) {
    const bench_case *w = &v->base.job->what;
    VkFFTConfiguration c = {0};

    c.FFTdim = (unsigned)w->rank;
    for (int k = 0; k < w->rank; k++)
        c.size[k] = w->shape[w->rank - 1 - k];
    c.numberBatches = w->n_vectors;
    if (w->columns) { // the first of two axes, whose transform is left out
        c.FFTdim = 2;
        c.size[0] = w->n_vectors;
        c.size[1] = w->n;
        c.numberBatches = 1;
        c.omitDimension[0] = 1;
    }
    c.device = &v->device;
    c.context = &v->context;
    c.doublePrecision = w->is_double;
    c.performR2C = w->is_real;
    c.buffer = buffer;
    c.bufferSize = &v->bytes;
    if (input != buffer) {
        c.isInputFormatted = 1;
        c.inputBuffer = input;
        c.inputBufferSize = &v->input_bytes;
        c.inputBufferStride[0] = c.size[0];
        for (unsigned k = 1; k < c.FFTdim; k++)
            c.inputBufferStride[k] = c.inputBufferStride[k - 1] * c.size[k];
    }
    return c;
}

static bool initialize(VkFFTApplication *application, bool *done, VkFFTConfiguration c, char why[PEER_TEXT]) {
    VkFFTResult result = initializeVkFFT(application, c); // cleans up if it fails
    *done = result == VKFFT_SUCCESS;
    if (!*done)
        snprintf(why, PEER_TEXT, "VkFFT error %d", (int)result);
    return *done;
}

static bool append(vkfft *v, VkFFTApplication *application, int direction, cl_mem *input, cl_mem *buffer) {
    VkFFTLaunchParams launch = {0};
    launch.commandQueue = &v->base.queue;
    launch.buffer = buffer;
    launch.inputBuffer = input;
    return VkFFTAppend(application, direction, &launch) == VKFFT_SUCCESS;
}

static cl_mem *input_of(vkfft *v) { return v->base.job->what.in_place ? &v->output : &v->x; }

static void *create_fft(const bench_job *job, char why[PEER_TEXT]) {
    bool back = case_real_out(&job->what); // from the spectrum, which it overwrites, to what is called the input
    vkfft *v = new_state(job, back, why);
    if (!v)
        return NULL;
    VkFFTConfiguration c = back ? configure(v, &v->output, &v->spare) : configure(v, input_of(v), &v->output);
    c.inverseReturnToInputBuffer = back;
    if (job->what.inverse)
        c.makeInversePlanOnly = 1;
    else
        c.makeForwardPlanOnly = 1;
    if (initialize(&v->forward, &v->has_forward, c, why))
        return v;
    destroy(v);
    return NULL;
}

static bool load_fft(void *state) {
    vkfft *v = state;
    const bench_job *job = v->base.job;
    return (!v->spare || clEnqueueCopyBuffer(v->base.queue, job->x, v->spare, 0, 0, job->bytes, 0, NULL, NULL) == CL_SUCCESS) &&
           opencl_peer_load(state);
}

static bool run_fft(void *state, int times) {
    vkfft *v = state;
    const bench_case *w = &v->base.job->what;
    cl_mem *input = v->spare ? &v->output : w->in_place ? NULL : &v->x, *buffer = v->spare ? &v->spare : &v->output;
    for (int i = 0; i < times; i++)
        if (!append(v, &v->forward, w->inverse ? 1 : -1, input, buffer))
            return false;
    return clFinish(v->base.queue) == CL_SUCCESS;
}

// Both forward transforms out of place, a product, the inverse in place: nine trips through memory.
static void *create_composition(const bench_job *job, char why[PEER_TEXT]) {
    vkfft *v = new_state(job, true, why);
    if (!v)
        return NULL;
    VkFFTConfiguration forward = configure(v, &v->x, &v->output), inverse = configure(v, &v->output, &v->output);
    forward.makeForwardPlanOnly = 1;
    inverse.makeInversePlanOnly = 1;
    v->product = opencl_product_create(job, why);
    if (v->product && initialize(&v->forward, &v->has_forward, forward, why) &&
        initialize(&v->inverse, &v->has_inverse, inverse, why))
        return v;
    destroy(v);
    return NULL;
}

static bool run_composition(void *state, int times) {
    vkfft *v = state;
    const bench_job *job = v->base.job;
    for (int i = 0; i < times; i++)
        if (!append(v, &v->forward, -1, &v->x, &v->output) || !append(v, &v->forward, -1, &v->y, &v->spare) ||
            !opencl_product_enqueue(job, v->product, v->output, v->spare, 1.0 / (double)job->what.n) ||
            !append(v, &v->inverse, 1, NULL, &v->output))
            return false;
    return clFinish(v->base.queue) == CL_SUCCESS;
}

// VkFFT's own convolution: its kernels are spectra in an order of its own, which another plan makes: five trips through memory.
static void *create_convolution(const bench_job *job, char why[PEER_TEXT]) {
    if (VKFFT_DIVIDES_BY_ZERO) {
        snprintf(why, PEER_TEXT, "VkFFT 1.3.0 to 1.3.4 cannot (its issue 156); 1.2 and its branch `develop` can");
        return NULL;
    }
    vkfft *v = new_state(job, true, why);
    if (!v)
        return NULL;
    VkFFTConfiguration spectrum = configure(v, &v->y, &v->spare), convolution = configure(v, &v->x, &v->output);
    spectrum.kernelConvolution = 1;
    convolution.performConvolution = 1;
    convolution.kernel = &v->spare;
    convolution.kernelSize = &v->bytes;
    convolution.isOutputFormatted = 1;
    convolution.outputBuffer = &v->output;
    convolution.outputBufferSize = &v->bytes;
    convolution.normalize = 1;
    if (initialize(&v->spectrum, &v->has_spectrum, spectrum, why) &&
        initialize(&v->convolution, &v->has_convolution, convolution, why))
        return v;
    destroy(v);
    return NULL;
}

static bool run_convolution(void *state, int times) {
    vkfft *v = state;
    for (int i = 0; i < times; i++)
        if (!append(v, &v->spectrum, -1, &v->y, &v->spare) || !append(v, &v->convolution, -1, &v->x, &v->output))
            return false;
    return clFinish(v->base.queue) == CL_SUCCESS;
}

const bench_peer peer_vkfft_fft = {"vkfft", NULL, version, create_fft, load_fft, run_fft, opencl_peer_read, destroy};
const bench_peer peer_vkfft_composition = {
    "vkfft-composition", NULL, version, create_composition, opencl_peer_load, run_composition, opencl_peer_read, destroy};
const bench_peer peer_vkfft_convolution = {
    "vkfft-convolution", NULL, version, create_convolution, opencl_peer_load, run_convolution, opencl_peer_read, destroy};
