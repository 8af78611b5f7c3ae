// Masks on the host: what composed.cl and wiener.cl compute. A Wiener filter's means of power go along the rows into the plane,
// which is free between the transforms, in a volume along the columns from there into memory of their own, and along the last
// axis as they are needed.
#include "panels.h"

#include "mask.h"

#include <math.h>
#include <stdlib.h>

// ---- Masks of discs, in single precision

static float disc(const mst_filter *plan, const float *mask, size_t k, size_t l) {
    const float column = mask[l], row = mask[mst_mask_columns(plan) + k];
    if (plan->desc.rolloff == MST_FILTER_IDEAL)
        return column < row ? 1 : 0;
    return plan->desc.rolloff == MST_FILTER_GAUSSIAN ? column * row : 1 / (1 + powf(column + row, (float)plan->desc.order));
}

static float discs_at(const mst_filter *plan, size_t k, size_t l) {
    const float *mask = plan->mask.values;
    const size_t size = mst_mask_columns(plan) + mst_mask_rows(plan);
    float kept = 1;
    switch (plan->desc.kind) {
    case MST_FILTER_LOW_PASS:
        return disc(plan, mask, k, l);
    case MST_FILTER_HIGH_PASS:
        return 1 - disc(plan, mask, k, l);
    case MST_FILTER_BAND_PASS:
        return disc(plan, mask + size, k, l) * (1 - disc(plan, mask, k, l));
    case MST_FILTER_BAND_STOP:
        return 1 - disc(plan, mask + size, k, l) * (1 - disc(plan, mask, k, l));
    default:
        for (size_t i = 0; i < plan->mask.n_discs; i++)
            kept *= 1 - disc(plan, mask + i * size, k, l);
        return kept;
    }
}

static void *spectrum_row(const mst_panels_run *r, size_t row) {
    return mst_panels_from(r->plan, r->spectrum, row * mst_filter_spectrum_columns(r->plan) * mst_panels_parts(r->plan));
}

static void multiply(const mst_filter *plan, void *row, size_t l, double kept) {
    const size_t parts = mst_panels_parts(plan);
    for (size_t part = 0; part < parts; part++)
        mst_panels_put(plan, row, parts * l + part, mst_panels_get(plan, row, parts * l + part) * kept);
}

// The mask's values at the frequencies of a row; of a table that is not kept, as it is as large as the spectrum.
static mst_status mask_row(size_t k, void *user, mst_error *error) {
    const mst_panels_run *r = user;
    const mst_filter *plan = r->plan;
    const bool table = mst_mask_is_table(plan);
    void *row = spectrum_row(r, k), *values = table ? malloc(mst_mask_columns(plan) * mst_filter_real_bytes(plan)) : NULL;
    if (table && !values)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for a row of a mask");
    if (table)
        mst_mask_fill_row(plan, k, values);
    for (size_t l = 0; l < mst_filter_spectrum_columns(plan); l++)
        multiply(plan, row, l, table ? mst_panels_get(plan, values, l) : (double)discs_at(plan, k, l));
    free(values);
    return MST_OK;
}

// ---- Wiener filters

size_t mst_panels_n_means(const mst_filter *plan) {
    const bool own = plan->desc.kind == MST_FILTER_WIENER && plan->desc.volume;
    return own ? plan->r * plan->p * mst_filter_spectrum_columns(plan) : 0;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#define MEDIAN 0.67448975019608171 // of |x|, x normal of variance 1

static uint32_t scatter(uint32_t i) { // Wang's hash
    i = (i ^ 61) ^ (i >> 16);
    i *= 9;
    i ^= i >> 4;
    i *= 0x27d4eb2d;
    return i ^ (i >> 15);
}

// Where the square of a sample begins in the plane.
static size_t sample_place(const mst_filter *plan, size_t sample) {
    const uint64_t across = plan->width / 2, down = plan->height / 2, squares = across * down * plan->depth;
    const uint64_t first = sample * squares / MST_WIENER_SAMPLES, part = (sample + 1) * squares / MST_WIENER_SAMPLES - first;
    const uint64_t square = first + (part > 1 ? scatter((uint32_t)sample) % part : 0), row = square / across;
    const uint64_t z = row / down, y = 2 * (row - z * down), x = 2 * (square - row * across);
    return (size_t)((z * plan->p + y) * plan->q + x);
}

// As take_samples and find_median.
static mst_status estimate(const mst_panels_run *r, double *deviation, mst_error *error) {
    const mst_filter *plan = r->plan;
    double *samples = malloc(MST_WIENER_SAMPLES * sizeof *samples);
    if (!samples)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for samples of noise");
    for (size_t i = 0; i < MST_WIENER_SAMPLES; i++) {
        const size_t at = sample_place(plan, i);
        samples[i] = fabs(mst_panels_get(plan, r->plane, at) - mst_panels_get(plan, r->plane, at + 1) -
                          mst_panels_get(plan, r->plane, at + plan->q) + mst_panels_get(plan, r->plane, at + plan->q + 1)) /
                     2;
    }
    qsort(samples, MST_WIENER_SAMPLES, sizeof *samples, by_value);
    *deviation = samples[MST_WIENER_SAMPLES / 2] / MEDIAN;
    free(samples);
    return MST_OK;
}

mst_status mst_panels_look(mst_panels_run *r, mst_error *error) {
    mst_status status = MST_OK;
    double deviation = r->plan->desc.noise;
    if (r->plan->desc.kind != MST_FILTER_WIENER)
        return MST_OK;
    if (deviation == 0)
        MST_TRY(estimate(r, &deviation, error));
    r->noise = mst_wiener_root(r->plan) * deviation;
fail:
    return status;
}

// Number k of a line of n numbers that goes on beyond its ends: mirrored, or again from the other end.
static size_t place_of(const mst_filter *plan, ptrdiff_t k, size_t n) {
    const ptrdiff_t length = (ptrdiff_t)n;
    if (!plan->cosine)
        return (size_t)((k % length + length) % length);
    k = k < 0 ? -k : k < length ? k : 2 * length - 1 - k;
    return (size_t)(k < 0 ? 0 : k < length ? k : length - 1);
}

static double power_of(const mst_panels_run *r, size_t z, size_t y, size_t x) {
    const mst_filter *plan = r->plan;
    const void *row = spectrum_row(r, z * plan->p + y);
    if (x == 0 && y == 0 && z == 0)
        return 0;
    if (plan->cosine) {
        const double f = mst_panels_get(plan, row, x) / r->noise;
        return f * f / ((x == 0 ? 2 : 1) * (y == 0 ? 2 : 1) * (plan->desc.volume && z == 0 ? 2 : 1));
    }
    const double re = mst_panels_get(plan, row, 2 * x) / r->noise, im = mst_panels_get(plan, row, 2 * x + 1) / r->noise;
    return re * re + im * im;
}

// As mean_of_power: of the frequency (z, y, -x), the opposite is (-z, -y, x).
static mst_status mean_of_row(size_t row, void *user, mst_error *error) {
    const mst_panels_run *r = user;
    const mst_filter *plan = r->plan;
    const size_t columns = mst_filter_spectrum_columns(plan), y = row % plan->p, z = row / plan->p;
    (void)error;
    for (size_t x = 0; x < columns; x++) {
        double sum = 0;
        for (ptrdiff_t k = (ptrdiff_t)x - MST_WIENER_REACH; k <= (ptrdiff_t)x + MST_WIENER_REACH; k++) {
            const size_t all = place_of(plan, k, plan->q);
            const bool back = all >= columns;
            sum += power_of(r, back && z > 0 ? plan->r - z : z, back && y > 0 ? plan->p - y : y, back ? plan->q - all : all);
        }
        mst_panels_put(plan, r->plane, row * columns + x, sum / MST_WIENER_MEANT);
    }
    return MST_OK;
}

// The mean of number x of nine rows, of the same slice, or of all slices at the same height.
static double mean_across(const mst_panels_run *r, const void *means, bool slices, size_t row, size_t x) {
    const mst_filter *plan = r->plan;
    const size_t y = row % plan->p, z = row / plan->p, n = slices ? plan->r : plan->p, own = slices ? z : y;
    double sum = 0;
    for (ptrdiff_t k = (ptrdiff_t)own - MST_WIENER_REACH; k <= (ptrdiff_t)own + MST_WIENER_REACH; k++) {
        const size_t at = place_of(plan, k, n), from = slices ? at * plan->p + y : z * plan->p + at;
        sum += mst_panels_get(plan, means, from * mst_filter_spectrum_columns(plan) + x);
    }
    return sum / MST_WIENER_MEANT;
}

static mst_status mean_of_columns(size_t row, void *user, mst_error *error) {
    const mst_panels_run *r = user;
    const size_t columns = mst_filter_spectrum_columns(r->plan);
    (void)error;
    for (size_t x = 0; x < columns; x++)
        mst_panels_put(r->plan, r->means, row * columns + x, mean_across(r, r->plane, false, row, x));
    return MST_OK;
}

static mst_status take_noise_off(size_t row, void *user, mst_error *error) {
    const mst_panels_run *r = user;
    (void)error;
    for (size_t x = row == 0 ? 1 : 0; x < mst_filter_spectrum_columns(r->plan); x++) {
        const double mean = mean_across(r, r->means ? r->means : r->plane, r->means != NULL, row, x);
        multiply(r->plan, spectrum_row(r, row), x, mean > 1 ? 1 - 1 / mean : 0);
    }
    return MST_OK;
}

mst_status mst_panels_mask(mst_panels_run *r, mst_error *error) {
    mst_status status = MST_OK;
    const mst_filter *plan = r->plan;
    mst_pool *pool = plan->context->pool;
    const size_t rows = plan->r * plan->p;
    if (plan->desc.kind != MST_FILTER_WIENER)
        return mst_pool_run(pool, rows, mask_row, r, error);
    if (r->noise == 0)
        return MST_OK;
    MST_TRY(mst_pool_run(pool, rows, mean_of_row, r, error));
    if (r->means)
        MST_TRY(mst_pool_run(pool, rows, mean_of_columns, r, error));
    MST_TRY(mst_pool_run(pool, rows, take_noise_off, r, error));
fail:
    return status;
}
