// Masks that are not made of discs, or not of two axes in single precision, frequency by frequency.
#include "mask.h"

#include "runtime/pool.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

typedef struct frequency {
    double z, y, x; // cycles per pixel, from -1/2 to 1/2
} frequency;

static double square_of(frequency f) { return f.z * f.z + f.y * f.y + f.x * f.x; }

static double power(double base, int exponent) {
    double value = 1;
    for (; exponent > 0; exponent /= 2, base *= base)
        value *= exponent % 2 ? base : 1;
    return value;
}

// At a distance whose square is given.
static double rolloff(const mst_filter_desc *d, double square, double radius) {
    const double ratio = square / radius / radius;
    switch (d->rolloff) {
    case MST_FILTER_IDEAL:
        return ratio < 1 - 1e-12;
    case MST_FILTER_GAUSSIAN:
        return exp(-ratio / 2);
    case MST_FILTER_BUTTERWORTH:
        break;
    }
    return 1 / (1 + power(ratio, d->order));
}

// Degrees between the direction of a frequency and that of the stripes' own, which is across them; up to 90.
static double off_direction(const mst_filter_desc *d, frequency f) {
    double degrees = atan2(-f.y, f.x) * (180 / acos(-1)) - (d->angle + 90);
    return fabs(degrees - 180 * rint(degrees / 180));
}

static double notches_at(const mst_filter_desc *d, frequency f) {
    double kept = 1;
    for (size_t i = 0; i < d->n_notches; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const mst_filter_notch *n = &d->notches[i];
            const frequency from = {mst_mask_around(f.z - sign * n->z), mst_mask_around(f.y - sign * n->y),
                                    mst_mask_around(f.x - sign * n->x)};
            const double square = square_of(from);
            if (d->rolloff != MST_FILTER_GAUSSIAN || square < 80 * n->radius * n->radius) // beyond, exp(-40) is nothing beside 1
                kept *= 1 - rolloff(d, square, n->radius);
        }
    return kept;
}

// The caller's mask at a position in its own grid, which is periodic.
static double sample(const mst_filter_desc *d, const double at[3]) {
    const size_t sides[] = {d->mask_depth, d->mask_height, d->mask_width};
    double sum = 0;
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        size_t index = 0;
        for (int axis = 0; axis < 3; axis++) {
            const int upper = corner >> axis & 1;
            const double first = floor(at[axis]), share = at[axis] - first, side = (double)sides[axis], i = first + upper;
            weight *= upper ? share : 1 - share;
            index = index * sides[axis] + (size_t)(i - side * floor(i / side));
        }
        sum += weight == 0 ? 0 : weight * (double)d->mask[index];
    }
    return sum;
}

static double own_at(const mst_filter *plan, size_t m, size_t k, size_t l) {
    const mst_filter_desc *d = &plan->desc;
    const size_t sides[] = {d->mask_depth, d->mask_height, d->mask_width}, number[] = {m, k, l},
                 periods[] = {plan->period_r, plan->period_p, plan->period_q};
    double there[3], back[3];
    for (int axis = 0; axis < 3; axis++) {
        // Multiplied before divided: exact where mask and transform have the same size.
        const double middle = (double)(sides[axis] / 2), off = (double)number[axis] * (double)sides[axis] / (double)periods[axis];
        there[axis] = middle + off;
        back[axis] = middle - off;
    }
    return (sample(d, there) + sample(d, back)) / 2;
}

// Of masks that depend on the distance from frequency 0 alone.
static bool is_radial(mst_filter_kind kind) {
    return kind != MST_FILTER_NOTCH && kind != MST_FILTER_MASK && kind != MST_FILTER_STRIPES && kind != MST_FILTER_WIENER;
}

static double radial_at(const mst_filter_desc *d, double square) {
    const double ratio = square / d->radius / d->radius;
    switch (d->kind) {
    case MST_FILTER_LOW_PASS:
        return rolloff(d, square, d->radius);
    case MST_FILTER_HIGH_PASS:
        return 1 - rolloff(d, square, d->radius);
    case MST_FILTER_BAND_PASS:
        return rolloff(d, square, d->radius2) * (1 - rolloff(d, square, d->radius));
    case MST_FILTER_BAND_STOP:
        return 1 - rolloff(d, square, d->radius2) * (1 - rolloff(d, square, d->radius));
    case MST_FILTER_SHARPEN:
        return 1 + d->amount * (1 - rolloff(d, square, d->radius));
    default:
        return ratio > 1600 ? 0 : exp(1 - ratio / 2) / 2 * ratio; // e^-800 is 0 in double precision
    }
}

static double stripes_at(const mst_filter_desc *d, frequency f) {
    const double square = square_of(f), off = off_direction(d, f);
    return square == 0 ? 1 : 1 - rolloff(d, off * off, d->angle_width) * (1 - rolloff(d, square, d->radius));
}

// At Nyquist's frequency, which is its own opposite, a direction has two sides.
static double opposite(double f) { return f == 0.5 || f == -0.5 ? f : -f; }

static double cycles(size_t k, size_t n) { return mst_mask_around((double)k / (double)n); }

double mst_mask_value(const mst_filter *plan, size_t m, size_t k, size_t l) {
    const mst_filter_desc *d = &plan->desc;
    if (d->kind == MST_FILTER_MASK)
        return own_at(plan, m, k, l);
    const frequency f = {cycles(m, plan->period_r), cycles(k, plan->period_p), cycles(l, plan->period_q)};
    if (is_radial(d->kind))
        return radial_at(d, square_of(f));
    if (d->kind == MST_FILTER_NOTCH) // the same at opposite frequencies, as the others
        return notches_at(d, f);
    return (stripes_at(d, f) + stripes_at(d, (frequency){0, opposite(f.y), opposite(f.x)})) / 2;
}

void mst_mask_fill_row(const mst_filter *plan, size_t row, void *values) {
    const size_t rows = mst_mask_rows(plan), m = row / rows, k = row % rows;
    const bool radial = is_radial(plan->desc.kind);
    frequency f = {cycles(m, plan->period_r), cycles(k, plan->period_p), 0};
    for (size_t l = 0; l < mst_mask_columns(plan); l++) {
        f.x = (double)l / (double)plan->period_q; // up to 1/2
        const double value = radial ? radial_at(&plan->desc, square_of(f)) : mst_mask_value(plan, m, k, l);
        if (plan->is_double)
            ((double *)values)[l] = value;
        else
            ((float *)values)[l] = (float)value;
    }
}

typedef struct table {
    const mst_filter *plan;
    void *values;
} table;

static mst_status fill_row(size_t row, void *user, mst_error *error) {
    const table *t = user;
    (void)error;
    mst_mask_fill_row(t->plan, row, (char *)t->values + row * mst_mask_columns(t->plan) * mst_filter_real_bytes(t->plan));
    return MST_OK;
}

mst_status mst_mask_fill_table(const mst_filter *plan, void *values, mst_error *error) {
    table t = {plan, values};
    return mst_pool_run(plan->context->pool, plan->r * mst_mask_rows(plan), fill_row, &t, error);
}

// ---- The caller's own

static size_t count_own(const mst_filter_desc *d) { return d->mask_depth * d->mask_height * d->mask_width; }

// The name of element i of the caller's mask.
static const char *name_own(const mst_filter_desc *d, size_t i, char text[80]) {
    const size_t row = i / d->mask_width, x = i % d->mask_width;
    if (d->volume)
        snprintf(text, 80, "mask[%zu][%zu][%zu]", row / d->mask_height, row % d->mask_height, x);
    else
        snprintf(text, 80, "mask[%zu][%zu]", row, x);
    return text;
}

mst_status mst_mask_check(const mst_filter_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    char name[80];
    MST_REQUIRE(d->mask && d->mask_height > 0 && d->mask_width > 0, MST_ERROR_ARGUMENT, "the mask has no elements");
    MST_REQUIRE(d->mask_depth <= 1 || d->volume, MST_ERROR_ARGUMENT, "mask_depth is %zu; it is for volumes", d->mask_depth);
    for (size_t i = 0; i < count_own(d); i++)
        MST_REQUIRE(isfinite(d->mask[i]), MST_ERROR_ARGUMENT, "%s is not finite", name_own(d, i, name));
fail:
    return status;
}

mst_status mst_mask_check_range(const mst_filter *plan, mst_error *error) {
    const mst_filter_desc *d = &plan->desc;
    const double pixel = d->input.type == MST_UINT8 ? 255 : 65535,
                 most = FLT_MAX / (4 * pixel * pow((double)plan->r * (double)plan->p * (double)plan->q, 1.5));
    const bool whole = d->input.type == MST_UINT8 || d->input.type == MST_UINT16;
    const size_t n = d->kind == MST_FILTER_MASK && whole && !plan->is_double ? count_own(d) : 0;
    char name[80];
    for (size_t i = 0; i < n; i++)
        if (fabsf(d->mask[i]) > most)
            return mst_fail(error, MST_ERROR_ARGUMENT, "%s is %g; up to %g images of %zu x %zu %s have finite results",
                            name_own(d, i, name), (double)d->mask[i], most, plan->width, plan->height,
                            mst_type_name(d->input.type));
    return MST_OK;
}
