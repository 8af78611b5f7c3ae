// Streams through a convolver, in pushes and pulls of any size, against direct sums: kernels within one part, of several, and
// with a second level; one for all channels and one each; latency and memory that stay within what is promised; the end, and
// other streams, one of them after a block has failed.
#include "support.h"

#include <math.h>

static int launches = -1; // until one fails; negative: none does

cl_int __real_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dim, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint n_wait, const cl_event *wait,
                                     cl_event *event);
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dim, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint n_wait, const cl_event *wait,
                                     cl_event *event);
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dim, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint n_wait, const cl_event *wait,
                                     cl_event *event) {
    if (launches >= 0 && launches-- == 0)
        return CL_OUT_OF_RESOURCES;
    return __real_clEnqueueNDRangeKernel(queue, kernel, dim, offset, global, local, n_wait, wait, event);
}

// Samples are of doubles, or `single`, as floats.
typedef struct stream_case {
    size_t channels, kernel_channels, taps, latency, frames;
    bool single;
} stream_case;

static double *noise(size_t n) {
    double *values = malloc((n + 1) * sizeof *values);
    CHECK(values, "no memory");
    for (size_t k = 0; k < n; k++)
        values[k] = (double)(float)test_uniform();
    return values;
}

static float *singles(const double *values, size_t n) {
    float *out = malloc((n + 1) * sizeof *out);
    CHECK(out, "no memory");
    for (size_t k = 0; k < n; k++)
        out[k] = (float)values[k];
    return out;
}

static mst_status push(mst_convolver *convolver, const stream_case *c, const double *x, size_t n, size_t *taken, mst_error *e) {
    if (!c->single)
        return mst_convolver_push_double(convolver, x, n, taken, e);
    float *own = singles(x, n * c->channels);
    const mst_status status = mst_convolver_push(convolver, own, n, taken, e);
    free(own);
    return status;
}

static mst_status pull(mst_convolver *convolver, const stream_case *c, double *z, size_t n, size_t *given, mst_error *e) {
    if (!c->single)
        return mst_convolver_pull_double(convolver, z, n, given, e);
    float *own = malloc((n * c->channels + 1) * sizeof *own);
    CHECK(own, "no memory");
    const mst_status status = mst_convolver_pull(convolver, own, n, given, e);
    for (size_t k = 0; k < *given * c->channels; k++)
        z[k] = (double)own[k];
    free(own);
    return status;
}

static mst_convolver *make(mst_context *context, const stream_case *c, const double *kernel) {
    mst_convolver_desc desc = MST_CONVOLVER_DESC_INIT;
    mst_convolver *convolver = NULL;
    mst_error e;
    desc.channels = c->channels, desc.kernel_channels = c->kernel_channels, desc.taps = c->taps;
    desc.latency = c->latency;
    float *own = singles(kernel, c->taps * c->kernel_channels);
    if (c->single)
        desc.kernel = own;
    else
        desc.kernel_double = kernel, desc.type = MST_FLOAT64;
    OK(mst_convolver_create(context, &desc, &convolver, &e));
    free(own);
    return convolver;
}

// Sends x through, in pieces of random size, and gives the result with its length. No result may be later than the latency.
static double *send(mst_convolver *convolver, const stream_case *c, const double *x, size_t *length) {
    size_t latency = c->latency ? c->latency : 256, room = c->frames + c->taps + 2 * latency, in = 0, out = 0, some;
    double *z = noise(room * c->channels);
    mst_error e;
    while (in < c->frames) {
        size_t piece = test_between(0, 3 * latency);
        piece = piece < c->frames - in ? piece : c->frames - in;
        OK(push(convolver, c, x + in * c->channels, piece, &some, &e));
        CHECK(some <= piece, "%zu of %zu frames were taken", some, piece);
        in += some;
        do {
            OK(pull(convolver, c, z + out * c->channels, test_between(1, 2 * latency), &some, &e));
            out += some;
        } while (some > 0);
        CHECK(out + latency > in, "after %zu frames there are %zu results at a latency of %zu", in, out, latency);
    }
    OK(mst_convolver_flush(convolver, &e));
    do {
        OK(pull(convolver, c, z + out * c->channels, test_between(1, 2 * latency), &some, &e));
        out += some;
        CHECK(out <= room - 2 * latency, "the result does not end");
    } while (some > 0);
    *length = out;
    return z;
}

static void check(const stream_case *c, const double *x, const double *kernel, const double *z, size_t length) {
    size_t full = c->frames > 0 ? c->frames + c->taps - 1 : 0;
    CHECK(length == full, "%zu results, not %zu", length, full);
    for (size_t channel = 0; channel < c->channels; channel++) {
        size_t kernel_channel = c->kernel_channels > 1 ? channel : 0;
        double error = 0, norm_x = 0, norm_y = 0;
        for (size_t k = 0; k < c->frames; k++)
            norm_x += x[k * c->channels + channel] * x[k * c->channels + channel];
        for (size_t t = 0; t < c->taps; t++)
            norm_y += pow(kernel[t * c->kernel_channels + kernel_channel], 2);
        for (size_t k = 0; k < full; k++) {
            long double sum = 0;
            for (size_t t = k < c->frames ? 0 : k - c->frames + 1; t < c->taps && t <= k; t++)
                sum += (long double)kernel[t * c->kernel_channels + kernel_channel] * x[(k - t) * c->channels + channel];
            error += pow(z[k * c->channels + channel] - (double)sum, 2);
        }
        double gate = (c->single ? 1.2e-7 : 2.4e-16) * sqrt(log2(4.0 * (double)c->taps + 1024)) * sqrt(norm_x * norm_y);
        CHECK(sqrt(error) <= gate, "%zu channels, %zu taps, latency %zu: channel %zu is off by %.3g, more than %.3g", c->channels,
              c->taps, c->latency, channel, sqrt(error), gate);
    }
}

static void streams(void **state) {
    stream_case cases[] = {
        {1, 1, 3000, 1024, 1, false}, // in float64 the way back of its second level has work memory
        {1, 1, 1, 16, 100, false},    {2, 1, 100, 0, 1000, false},    {1, 1, 256, 256, 3000, false},
        {3, 3, 700, 64, 5001, false}, {2, 2, 9000, 64, 20011, false}, {2, 1, 4097, 16, 30000, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stream_case *c = &cases[i];
        c->single = i > 0 && test_between(0, 1);
        double *kernel = noise(c->taps * c->kernel_channels);
        mst_convolver *convolver = make(*state, c, kernel);
        uint64_t used = mst_context_device_memory_used(*state);
        for (int again = 0; again < 2; again++) { // the second time after another stream
            mst_error e;
            size_t length, taken;
            double *x = noise(c->frames * c->channels), *z = send(convolver, c, x, &length);
            check(c, x, kernel, z, length);
            REFUSED(MST_ERROR_ARGUMENT, "flush", push(convolver, c, x, 1, &taken, &e));
            OK(mst_convolver_restart(convolver, &e));
            free(x);
            free(z);
            if (c->frames > 10000)
                break;
        }
        CHECK(mst_context_device_memory_used(*state) == used, "memory grows with the stream");
        mst_convolver_destroy(convolver);
        free(kernel);
    }
}

// What has failed is not whole, so that nothing but a restart is taken until there was one.
static void after_a_failure(void **state) {
    const stream_case c = {2, 1, 300, 64, 500, test_between(0, 1)};
    double *kernel = noise(c.taps * c.kernel_channels), *x = noise(c.frames * c.channels), out[2];
    mst_convolver *convolver = make(*state, &c, kernel);
    for (int launch = 0; launch < 3; launch++) { // a transform, the sum over parts, and one back
        mst_error e;
        size_t length, some;
        launches = launch;
        CHECK(push(convolver, &c, x, c.latency, &some, &e) != MST_OK, "launch %d failed, and a push did not", launch);
        launches = -1;
        REFUSED(MST_ERROR_ARGUMENT, "restart", push(convolver, &c, x, 1, &some, &e));
        REFUSED(MST_ERROR_ARGUMENT, "restart", pull(convolver, &c, out, 1, &some, &e));
        OK(mst_convolver_restart(convolver, &e));
        double *z = send(convolver, &c, x, &length);
        check(&c, x, kernel, z, length);
        free(z);
        OK(mst_convolver_restart(convolver, &e));
    }
    mst_convolver_destroy(convolver);
    free(kernel);
    free(x);
}

static void refusals(void **state) {
    static const float kernel[4] = {1, 2, 3, 4};
    mst_convolver *convolver = NULL;
    mst_error e;
    mst_convolver_desc desc = MST_CONVOLVER_DESC_INIT, good;
    desc.kernel = kernel, desc.taps = 4, desc.channels = 2;
    good = desc;
    desc.latency = 100;
    REFUSED(MST_ERROR_ARGUMENT, "power of two", mst_convolver_create(*state, &desc, &convolver, &e));
    desc = good, desc.taps = 0;
    REFUSED(MST_ERROR_ARGUMENT, "taps", mst_convolver_create(*state, &desc, &convolver, &e));
    desc = good, desc.channels = 0;
    REFUSED(MST_ERROR_ARGUMENT, "channels is 0", mst_convolver_create(*state, &desc, &convolver, &e));
    desc = good, desc.kernel_channels = 3;
    REFUSED(MST_ERROR_ARGUMENT, "one kernel for all", mst_convolver_create(*state, &desc, &convolver, &e));
    static const double wide[1] = {1};
    double out[2];
    size_t some;
    desc = good, desc.type = MST_INT32;
    REFUSED(MST_ERROR_ARGUMENT, "float32 or float64", mst_convolver_create(*state, &desc, &convolver, &e));
    desc = good, desc.kernel_double = wide;
    REFUSED(MST_ERROR_ARGUMENT, "a kernel of float64", mst_convolver_create(*state, &desc, &convolver, &e));
    desc = good, desc.type = MST_FLOAT64;
    REFUSED(MST_ERROR_ARGUMENT, "a kernel of float32", mst_convolver_create(*state, &desc, &convolver, &e));
    OK(mst_convolver_create(*state, &good, &convolver, &e));
    REFUSED(MST_ERROR_ARGUMENT, "samples are float32", mst_convolver_push_double(convolver, out, 0, &some, &e));
    REFUSED(MST_ERROR_ARGUMENT, "samples are float32", mst_convolver_pull_double(convolver, out, 1, &some, &e));
    mst_convolver_destroy(convolver);
    convolver = NULL;
    mst_context *small = test_context_with_budget(10000, 0);
    REFUSED(MST_ERROR_BUDGET, "", mst_convolver_create(small, &good, &convolver, &e));
    CHECK(mst_context_device_memory_used(small) == 0 && !convolver, "memory is still held");
    mst_context_destroy(small);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(streams), cmocka_unit_test(after_a_failure), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests_name("convolver", tests, test_setup, test_teardown);
}
