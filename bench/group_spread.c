// One transform of an array that is spread over the devices of a group, beside the time that its exchanges need.
#include "group_rates.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

enum { N_SAMPLES = 4096 };

typedef struct spread_case {
    int rank;
    size_t length, count; // of each axis, and elements
    mst_spread *array;
    mst_spread_fft *plans[2]; // executed in turn
    mst_fft *alone;
    cl_mem buffer;
} spread_case;

static mst_status execute(void *user, mst_error *error) {
    spread_case *c = user;
    mst_status status = MST_OK;
    if (c->alone)
        return mst_fft_execute(c->alone, mst_at_device(c->buffer, 0), mst_at_device(c->buffer, 0), NULL, error);
    for (int k = 0; k < 2 && c->plans[k] && status == MST_OK; k++)
        status = mst_spread_fft_execute(c->plans[k], c->array, NULL, error);
    return status;
}

static mst_status make_plan(group_run *run, const spread_case *c, mst_fft_direction direction, mst_spread_order input,
                            mst_spread_order output, mst_spread_fft **out, mst_error *error) {
    mst_spread_fft_desc d = MST_SPREAD_FFT_DESC_INIT;
    d.type = MST_COMPLEX64;
    d.rank = c->rank;
    for (int k = 0; k < c->rank; k++)
        d.shape[k] = c->length;
    d.direction = direction;
    d.scale = 1 / sqrt((double)c->count);
    d.input = input;
    d.output = output;
    return mst_spread_fft_create(run->group, &d, out, error);
}

static void destroy_plans(spread_case *c) {
    for (int k = 0; k < 2; k++) {
        mst_spread_fft_destroy(c->plans[k]);
        c->plans[k] = NULL;
    }
}

// The element of 1 that all of an array has, and the value of another one of its spectrum, with the scale of the plans.
static size_t place_of(const spread_case *c) { return c->count / 3; }

static double complex spectrum_at(const spread_case *c, size_t k) {
    size_t at = place_of(c), turns = 0;
    const size_t n = c->rank == 1 ? c->count : c->length;
    for (int axis = 0; axis < c->rank; axis++) {
        turns = (turns + (size_t)((unsigned __int128)(at % n) * (k % n) % n)) % n;
        at /= n;
        k /= n;
    }
    return cexp(-I * 6.283185307179586 * (double)turns / (double)n) / sqrt((double)c->count);
}

// Whether the array is what becomes of that element by one transform, forward (1) or inverse (-1), or by one and the other (0).
static mst_status check(const spread_case *c, int transformed, float complex *values, bool *right, mst_error *error) {
    const double most = transformed ? 1e-5 / sqrt((double)c->count) : 1e-5;
    const mst_status status = mst_spread_download(c->array, values, error);
    for (size_t i = 0; i <= N_SAMPLES && status == MST_OK; i++) {
        const size_t sample = (size_t)((unsigned __int128)i * c->count / N_SAMPLES + i * 7919) % c->count;
        const size_t k = i < N_SAMPLES ? sample : place_of(c);
        const double complex spectrum = spectrum_at(c, k);
        const double complex wanted = transformed == 0 ? k == place_of(c) : transformed > 0 ? spectrum : conj(spectrum);
        *right = *right && cabs((double complex)values[k] - wanted) < most;
    }
    return status;
}

static int n_plans(mst_spread_order to) { return to == MST_SPREAD_TRANSPOSED ? 2 : 1; }

// The plans to time, each executed once from the first one's order and checked: from one order to another and, unless both are
// natural, back by the other direction.
static mst_status make_plans(group_run *run, spread_case *c, mst_spread_order from, mst_spread_order to, bool *right,
                             mst_error *error) {
    const int n = n_plans(to), begins = from == MST_SPREAD_TRANSPOSED ? -1 : 0;
    float complex *values = calloc(c->count, sizeof *values);
    snprintf(error->message, sizeof error->message, "out of memory");
    if (!values)
        return MST_ERROR_HOST_MEMORY;
    values[place_of(c)] = 1;
    mst_status status = mst_spread_upload(c->array, values, error);
    if (status == MST_OK && from == MST_SPREAD_TRANSPOSED) { // into the order that the first plan takes
        status = make_plan(run, c, MST_FFT_INVERSE, MST_SPREAD_NATURAL, from, &c->plans[0], error);
        if (status == MST_OK)
            status = execute(c, error);
        destroy_plans(c);
    }
    *right = true;
    for (int k = 0; k < n && status == MST_OK; k++) {
        status = k == 0 ? make_plan(run, c, MST_FFT_FORWARD, from, to, &c->plans[k], error)
                        : make_plan(run, c, MST_FFT_INVERSE, to, from, &c->plans[k], error);
        if (status == MST_OK)
            status = mst_spread_fft_execute(c->plans[k], c->array, NULL, error);
        if (status == MST_OK)
            status = check(c, k == 0 ? begins + 1 : begins, values, right, error);
    }
    free(values);
    return status;
}

// For the record: the first device alone, where all data lie on it.
static double time_alone(group_run *run, spread_case *c) {
    mst_fft_desc d = MST_FFT_DESC_INIT;
    mst_error error;
    cl_int code;
    double seconds = -1;
    const size_t shape[] = {c->length, c->length, c->length};
    d.input = d.output = mst_layout_dense(MST_COMPLEX64, c->rank, shape);
    d.n_axes = c->rank;
    for (int k = 0; k < c->rank; k++)
        d.axes[k] = k;
    d.scale = 1 / sqrt((double)c->count);
    c->buffer = clCreateBuffer(mst_context_opencl(run->group), CL_MEM_READ_WRITE, c->count * sizeof(float complex), NULL, &code);
    if (code == CL_SUCCESS && mst_fft_create(run->group, &d, &c->alone, &error) == MST_OK)
        seconds = group_median(execute, c, &error);
    mst_fft_destroy(c->alone);
    c->alone = NULL;
    if (code == CL_SUCCESS)
        clReleaseMemObject(c->buffer);
    return seconds;
}

static void measure(group_run *run, const char *name, spread_case *c, mst_spread_order from, mst_spread_order to) {
    mst_error error = {0};
    mst_spread_fft_needs needs = MST_SPREAD_FFT_NEEDS_INIT;
    bool right = true;
    mst_status status = make_plans(run, c, from, to, &right, &error);
    if (status == MST_OK)
        status = mst_spread_fft_plan_needs(c->plans[0], &needs, &error);
    const double seconds = status == MST_OK && right ? group_median(execute, c, &error) / n_plans(to) : -1;
    destroy_plans(c);
    if (seconds <= 0) {
        group_failed(run, name, right ? error.message : "a wrong spectrum");
        return;
    }
    const double ideal = 2 * (double)needs.upload_bytes / run->link[run->n][LINK_ONE_EACH], alone = time_alone(run, c);
    group_row(run, name, "exchanges through the host", seconds, ideal, 0.8,
              json_pack("{s:I, s:I, s:f, s:f}", "exchanges", (json_int_t)needs.exchanges, "exchanged_bytes",
                        (json_int_t)needs.upload_bytes, "first_device_alone_seconds", alone, "model_ratio",
                        alone > 0 ? ideal / (ideal + alone * run->worth / run->n) : 0));
}

static void measure_shape(group_run *run, int rank, size_t length, const char *natural, const char *transposed) {
    spread_case c = {.rank = rank, .length = length, .count = rank == 1 ? length : length * length * length};
    mst_spread_desc d = MST_SPREAD_DESC_INIT;
    mst_error error = {0};
    const bool wants[] = {group_wants(run, transposed), group_wants(run, natural)};
    if (!wants[0] && !wants[1])
        return;
    d.type = MST_COMPLEX64;
    d.rank = rank;
    for (int k = 0; k < rank; k++)
        d.shape[k] = length;
    if (mst_spread_create(run->group, &d, &c.array, &error) != MST_OK) {
        group_failed(run, wants[0] ? transposed : natural, error.message);
        return;
    }
    if (wants[0])
        measure(run, transposed, &c, rank == 1 ? MST_SPREAD_TRANSPOSED : MST_SPREAD_NATURAL, MST_SPREAD_TRANSPOSED);
    if (wants[1])
        measure(run, natural, &c, MST_SPREAD_NATURAL, MST_SPREAD_NATURAL);
    mst_spread_destroy(c.array);
    group_peer(run, rank, length);
}

void group_measure_spread(group_run *run) {
    measure_shape(run, 3, run->sizes->fft_cube, "fft of one cube, natural", "fft of one cube, spread");
    measure_shape(run, 1, run->sizes->fft_line, "fft of one line, natural", "fft of one line, spread");
}
