// Batches and integrals on a group of devices beside one of them, and one vector beyond them.
#include "group_rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 4096, MOST_ARRAYS = 3 };

typedef struct batch {
    const char *name;
    int way; // 0: on one device, 1: on the group, for each of which arrays are pinned
    void *arrays[2][MOST_ARRAYS];
    mst_convolution *convolution;
    mst_fft *fft;
    mst_map *map;
    mst_integral *integral;
    double *parameters;
    mst_integral_result *results[2];
    size_t n;
} batch;

static mst_status execute(void *user, mst_error *error) {
    batch *b = user;
    mst_location at[MOST_ARRAYS];
    for (int k = 0; k < MOST_ARRAYS; k++)
        at[k] = mst_at_host(b->arrays[b->way][k]);
    if (b->convolution)
        return mst_convolution_execute(b->convolution, at[0], at[1], at[2], NULL, error);
    if (b->fft)
        return mst_fft_execute(b->fft, at[0], at[2], NULL, error);
    if (b->map)
        return mst_map_execute(b->map, at, at[2], NULL, error);
    return mst_integral_execute(b->integral, b->parameters, b->n, b->results[b->way], NULL, error);
}

static void destroy_plans(batch *b) {
    mst_convolution_destroy(b->convolution);
    mst_fft_destroy(b->fft);
    mst_map_destroy(b->map);
    mst_integral_destroy(b->integral);
    b->convolution = NULL;
    b->fft = NULL;
    b->map = NULL;
    b->integral = NULL;
}

static mst_status make_convolution(mst_context *context, batch *b, mst_error *error) {
    mst_convolution_desc d = MST_CONVOLUTION_DESC_INIT;
    size_t shape[] = {b->n, LENGTH};
    d.x = d.y = mst_layout_dense(MST_COMPLEX64, 2, shape);
    d.mode = MST_CONVOLUTION_CIRCULAR;
    return mst_convolution_create(context, &d, &b->convolution, error);
}

static mst_status make_fft(mst_context *context, batch *b, mst_error *error) {
    mst_fft_desc d = MST_FFT_DESC_INIT;
    size_t shape[] = {b->n, LENGTH};
    d.input = d.output = mst_layout_dense(MST_COMPLEX64, 2, shape);
    return mst_fft_create(context, &d, &b->fft, error);
}

// One vector, larger than what there is of a device's memory: in panels, which all devices take.
static mst_status make_long_fft(mst_context *context, batch *b, mst_error *error) {
    mst_fft_desc d = MST_FFT_DESC_INIT;
    d.input = d.output = mst_layout_dense(MST_COMPLEX64, 1, &b->n);
    return mst_fft_create(context, &d, &b->fft, error);
}

// So much to compute that the links do not matter.
static mst_status make_map(mst_context *context, batch *b, mst_error *error) {
    mst_map_desc d = MST_MAP_DESC_INIT;
    mst_map_input input = {.name = "x"};
    static char text[4096];
    size_t used = (size_t)snprintf(text, sizeof text, "x");
    for (int k = 1; k < 40; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, " + sin(x*%d)*exp(-x*x*%d)", k, k);
    input.layout = mst_layout_dense(MST_FLOAT32, 1, &b->n);
    d.expression = text;
    d.n_inputs = 1;
    d.inputs = &input;
    return mst_map_create(context, &d, &b->map, error);
}

static mst_status make_integral(mst_context *context, batch *b, mst_error *error) {
    static const char *const names[] = {"a"};
    static const mst_integral_range range = {"x", "0", "1"};
    mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
    d.integrand = "exp(-a*x)*cos(a*x^2)";
    d.ranges = &range;
    d.n_parameters = 1;
    d.parameters = names;
    d.compile_from = 1;
    return mst_integral_create(context, &d, &b->integral, error);
}

typedef mst_status make_plan(mst_context *context, batch *b, mst_error *error);

// Members one by one: what stands between them in memory is nobody's.
static bool same_integrals(const batch *b) {
    bool same = true;
    for (size_t i = 0; i < b->n && same; i++) {
        const mst_integral_result *one = &b->results[0][i], *all = &b->results[1][i];
        same = memcmp(&one->value, &all->value, sizeof one->value) == 0 &&
               memcmp(&one->error, &all->error, sizeof one->error) == 0 && one->evaluations == all->evaluations &&
               one->status == all->status;
    }
    return same;
}

// On one device, then on all; the results are to be the same. Negative: failed.
static bool run_both(group_run *run, batch *b, make_plan *make, size_t bytes, double seconds[2]) {
    mst_error error = {0};
    for (b->way = 0; b->way < 2; b->way++) {
        seconds[b->way] = -1;
        if (make(b->way ? run->group : run->one, b, &error) == MST_OK)
            seconds[b->way] = group_median(execute, b, &error);
        destroy_plans(b);
    }
    bool same = seconds[0] < 0 || seconds[1] < 0 ||
                (b->parameters ? same_integrals(b) : memcmp(b->arrays[0][2], b->arrays[1][2], bytes) == 0);
    if (seconds[0] > 0 && seconds[1] > 0 && same)
        return true;
    group_failed(run, b->name, same ? error.message : "other bits than on one device");
    return false;
}

static void release(group_run *run, batch *b) {
    for (int k = 0; k < 2 * MOST_ARRAYS; k++)
        mst_pinned_destroy(k < MOST_ARRAYS ? run->one : run->group, b->arrays[k / MOST_ARRAYS][k % MOST_ARRAYS]);
    free(b->parameters);
    free(b->results[0]);
    free(b->results[1]);
}

static bool take_arrays(group_run *run, batch *b, size_t bytes) {
    mst_error error;
    for (int k = 0; k < 2 * MOST_ARRAYS; k++) {
        void **array = &b->arrays[k / MOST_ARRAYS][k % MOST_ARRAYS];
        if (mst_pinned_create(k < MOST_ARRAYS ? run->one : run->group, bytes, array, &error) != MST_OK) {
            group_failed(run, b->name, error.message);
            return false;
        }
        float *values = *array;
        for (size_t i = 0; i < bytes / sizeof *values && k == 0; i++)
            values[i] = (float)(i * 2654435761u % 1024) / 1024 - 0.5f;
        if (k > 0)
            memcpy(values, b->arrays[0][0], bytes);
    }
    return true;
}

static void measure_host_arrays(group_run *run) {
    batch b = {.name = "arrays"};
    size_t bytes = run->sizes->batch_bytes;
    double t[2], rate;
    bool convolves = group_wants(run, "convolve, host to host"), transforms = group_wants(run, "fft batch, host to host");
    bool maps = group_wants(run, "map, host to host"), wanted = convolves || transforms || maps;
    if (wanted && take_arrays(run, &b, bytes)) {
        b.n = bytes / (LENGTH * sizeof(float[2]));
        b.name = "convolve, host to host";
        if (convolves && run_both(run, &b, make_convolution, bytes, t))
            group_row(run, b.name, "the links, 2 up, 1 down", t[1], 3 * (double)bytes / run->link[run->n][LINK_TWO_UP], 0.9,
                      json_pack("{s:f}", "one_device_seconds", t[0]));
        b.name = "fft batch, host to host";
        if (transforms && run_both(run, &b, make_fft, bytes, t))
            group_row(run, b.name, "the links, 1 up, 1 down", t[1], 2 * (double)bytes / run->link[run->n][LINK_ONE_EACH], 0.9,
                      json_pack("{s:f}", "one_device_seconds", t[0]));
        b.n = run->sizes->map_bytes / sizeof(float);
        b.name = "map, host to host";
        rate = run->link[run->n][LINK_ONE_EACH];
        if (maps && run_both(run, &b, make_map, run->sizes->map_bytes, t)) {
            double by_link = 2 * (double)run->sizes->map_bytes / rate;
            group_row(run, b.name, by_link > t[0] * run->worth / run->n ? "the links" : "one device", t[1],
                      fmax(by_link, t[0] * run->worth / run->n), 0.95, json_pack("{s:f}", "one_device_seconds", t[0]));
        }
    }
    release(run, &b);
}

// Each device may hold a quarter of the vector. It moves twice there and back, as that takes two passes.
static void measure_long_fft(group_run *run) {
    batch b = {.name = "fft beyond, host to host", .n = run->sizes->batch_bytes / sizeof(float[2])};
    const size_t bytes = run->sizes->batch_bytes;
    group_run beyond = *run;
    double t[2];
    mst_error error = {0};
    beyond.one = beyond.group = NULL;
    if (!group_wants(run, b.name))
        return;
    if (group_context(run, false, bytes / 4, &beyond.one, &error) != MST_OK ||
        group_context(run, true, bytes / 4, &beyond.group, &error) != MST_OK)
        group_failed(run, b.name, error.message);
    else if (take_arrays(&beyond, &b, bytes) && run_both(&beyond, &b, make_long_fft, bytes, t))
        group_row(run, b.name, "the links, 2 up, 2 down", t[1], 4 * (double)bytes / run->link[run->n][LINK_ONE_EACH], 0.8,
                  json_pack("{s:f}", "one_device_seconds", t[0]));
    release(&beyond, &b);
    mst_context_destroy(beyond.one);
    mst_context_destroy(beyond.group);
}

void group_measure_integrals(group_run *run) {
    batch b = {.name = "integrals", .n = run->sizes->integrals};
    double t[2];
    if (!group_wants(run, b.name))
        return;
    b.parameters = calloc(b.n, sizeof *b.parameters);
    for (int k = 0; k < 2; k++)
        b.results[k] = calloc(b.n, sizeof *b.results[k]);
    for (size_t i = 0; b.parameters && i < b.n; i++)
        b.parameters[i] = 1 + 200 * (double)i / (double)b.n;
    if (!b.parameters || !b.results[0] || !b.results[1])
        group_failed(run, b.name, "out of memory");
    else if (run_both(run, &b, make_integral, 0, t))
        group_row(run, b.name, "as many on one device", t[1], t[0] * run->worth / run->n, 0.95,
                  json_pack("{s:f, s:f}", "one_device_seconds", t[0], "integrals_a_second", (double)b.n / t[1]));
    release(run, &b);
}

void group_measure_arrays(group_run *run) {
    measure_host_arrays(run);
    measure_long_fft(run);
}
