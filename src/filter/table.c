// Masks that are not made of discs, frequency by frequency.
#include "plan.h"

#include <math.h>

static double rolloff(const mst_filter_desc *d, double distance, double radius) {
    double ratio = distance / radius;
    switch (d->rolloff) {
    case MST_FILTER_IDEAL:
        return ratio * ratio < 1 - 1e-12;
    case MST_FILTER_GAUSSIAN:
        return exp(-ratio * ratio / 2);
    case MST_FILTER_BUTTERWORTH:
        break;
    }
    return 1 / (1 + pow(ratio, 2 * d->order));
}

// Degrees between the direction of a frequency and that of the stripes' own, which is across them; up to 90.
static double off_direction(const mst_filter_desc *d, double y, double x) {
    double degrees = atan2(-y, x) * (180 / acos(-1)) - (d->angle + 90);
    return fabs(degrees - 180 * rint(degrees / 180));
}

static double value_at(const mst_filter_desc *d, double y, double x) {
    double distance = hypot(y, x), ratio = distance / d->radius;
    switch (d->kind) {
    case MST_FILTER_SHARPEN:
        return 1 + d->amount * (1 - rolloff(d, distance, d->radius));
    case MST_FILTER_LAPLACIAN:
        return ratio > 40 ? 0 : exp(1.0 - ratio * ratio / 2) / 2 * ratio * ratio; // e^-800 is 0 in double precision
    default:
        return distance == 0 ? 1 : 1 - rolloff(d, off_direction(d, y, x), d->angle_width) * (1 - rolloff(d, distance, d->radius));
    }
}

bool mst_mask_is_table(mst_filter_kind kind) { return kind >= MST_FILTER_MASK; }

void mst_mask_fill_table(const mst_filter *plan, float *values) {
    const mst_filter_desc *d = &plan->desc;
    for (size_t k = 0; k < mst_mask_rows(plan); k++)
        for (size_t l = 0; l < mst_mask_columns(plan); l++) {
            double y = mst_mask_around((double)k / (double)plan->period_p),
                   x = mst_mask_around((double)l / (double)plan->period_q);
            // At Nyquist's frequency, which is its own opposite, a direction has two sides.
            double there = value_at(d, y, x), back = value_at(d, y == 0.5 || y == -0.5 ? y : -y, x == 0.5 || x == -0.5 ? x : -x);
            values[k * mst_mask_columns(plan) + l] = (float)((there + back) / 2);
        }
}
