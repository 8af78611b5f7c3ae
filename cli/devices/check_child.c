// The child's part of mastaba devices --check: kernels built afresh, data moved, transforms compared with closed forms.
#include "check.h"

#include "child.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 1024, BATCH = 64 };

typedef struct transform {
    mst_type type;
    const char *name;
    double tolerance; // largest error of any value, all being at most 1
} transform;

static double get(const void *data, mst_type type, size_t i) {
    return type == MST_COMPLEX64 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

// Vector b is an impulse at b, or its spectrum exp(-2 pi i b k / n).
static void expect(bool spectrum, size_t b, size_t k, double value[2]) {
    const double two_pi = 6.283185307179586;
    double angle = -two_pi * (double)(b * k % LENGTH) / LENGTH;
    value[0] = spectrum ? cos(angle) : b == k;
    value[1] = spectrum ? sin(angle) : 0;
}

static double largest_error(const void *data, mst_type type, bool spectrum) {
    double largest = 0;
    for (size_t b = 0; b < BATCH; b++)
        for (size_t k = 0; k < LENGTH; k++) {
            double value[2];
            expect(spectrum, b, k, value);
            for (size_t part = 0; part < 2; part++) {
                double off = fabs(get(data, type, 2 * (b * LENGTH + k) + part) - value[part]);
                if (!(off <= largest)) // NaN counts
                    largest = isfinite(off) ? off : INFINITY;
            }
        }
    return largest;
}

static bool run_fft(mst_context *context, mst_type type, mst_fft_direction direction, void *data, mst_error *error) {
    const size_t shape[2] = {BATCH, LENGTH};
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    mst_fft *plan = NULL;
    desc.input = mst_layout_dense(type, 2, shape);
    desc.direction = direction;
    desc.scale = direction == MST_FFT_INVERSE ? 1.0 / LENGTH : 1;
    bool ok = mst_fft_create(context, &desc, &plan, error) == MST_OK &&
              mst_fft_execute(plan, mst_at_host(data), mst_at_host(data), NULL, error) == MST_OK;
    mst_fft_destroy(plan);
    return ok;
}

// Forth and back. Leaves a sentence in `problem` if something is wrong.
static bool try_transform(mst_context *context, const transform *t, char *problem, size_t size) {
    mst_error error;
    bool ok = false;
    void *data = calloc((size_t)BATCH * LENGTH, mst_type_bytes(t->type));
    if (!data) {
        snprintf(problem, size, "out of memory");
        return false;
    }
    for (size_t b = 0; b < BATCH; b++)
        if (t->type == MST_COMPLEX64)
            ((float *)data)[2 * (b * LENGTH + b)] = 1;
        else
            ((double *)data)[2 * (b * LENGTH + b)] = 1;
    const mst_fft_direction directions[2] = {MST_FFT_FORWARD, MST_FFT_INVERSE};
    for (int i = 0; i < 2; i++) {
        const char *way = i == 0 ? "forward" : "inverse";
        if (!run_fft(context, t->type, directions[i], data, &error)) {
            snprintf(problem, size, "the %s %s transform failed: %s", way, t->name, error.message);
            goto done;
        }
        double off = largest_error(data, t->type, i == 0);
        if (!(off <= t->tolerance)) {
            snprintf(problem, size, "wrong results: the %s %s transform of an impulse is off by %.2g; %g is allowed", way,
                     t->name, off, t->tolerance);
            goto done;
        }
    }
    ok = true;
done:
    free(data);
    return ok;
}

static void check(int index, cli_check *result) {
    static const transform transforms[] = {{MST_COMPLEX64, "complex64", 1e-6}, {MST_COMPLEX128, "complex128", 2e-15}};
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_context *context = NULL;
    mst_error error;
    char name[32];
    double start = cli_now();
    snprintf(name, sizeof name, "%d", index);
    desc.device = name;
    desc.no_cache = true;
    if (mst_context_create(&desc, &context, &error) != MST_OK) {
        snprintf(result->problem, sizeof result->problem, "%s", error.message);
        return;
    }
    int n = mst_context_device(context)->fp64 ? 2 : 1;
    result->ok = true;
    for (int i = 0; i < n && result->ok; i++)
        result->ok = try_transform(context, &transforms[i], result->problem, sizeof result->problem);
    result->seconds = cli_now() - start;
    if (result->ok && mst_context_copy_rate(context, &result->copy_rate, &error) != MST_OK) {
        snprintf(result->problem, sizeof result->problem, "the copy test failed: %s", error.message);
        result->ok = false;
    }
    mst_context_destroy(context);
}

int cli_check_child(int index) {
    cli_check result = {0};
    char rates[64];
    child_begin();
    check(index, &result);
    snprintf(rates, sizeof rates, "%.9g %.9g", result.seconds, result.copy_rate);
    return child_end(result.ok, result.ok ? rates : result.problem);
}
