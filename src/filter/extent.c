// How many points are transformed.
#include "description.h"
#include "mask.h"

#include <math.h>

#define FAST_PRIME 7   // the largest factor of lengths that are chosen
#define TAIL 2e-7      // of the sum of a response's absolute values, which may be left out
#define DEVIATIONS 5.2 // erfc(DEVIATIONS / sqrt(2)) = TAIL

// ---- Mirrored images. Their spectrum is the cosine transform of the image, and a mask that is even along all axes multiplies
// that: so nothing has to be doubled.

static bool same_place(const mst_filter_notch *a, const mst_filter_notch *b, double sign) {
    return mst_mask_around(a->x - sign * b->x) == 0 && mst_mask_around(a->y - sign * b->y) == 0 &&
           mst_mask_around(a->z - sign * b->z) == 0 && a->radius == b->radius;
}

// A notch counts at its place and at the opposite one.
static size_t count_notches(const mst_filter_desc *d, const mst_filter_notch *like) {
    size_t count = 0;
    for (size_t i = 0; i < d->n_notches; i++)
        count += same_place(&d->notches[i], like, 1) + same_place(&d->notches[i], like, -1);
    return count;
}

static bool notches_are_even(const mst_filter_desc *d) {
    for (size_t i = 0; i < d->n_notches; i++) {
        const mst_filter_notch *n = &d->notches[i];
        const mst_filter_notch mirrored[] = {{-n->x, n->y, n->radius, n->z}, {n->x, -n->y, n->radius, n->z}};
        for (int axis = 0; axis < 2; axis++) // and that of the third, as that of both is opposite
            if (count_notches(d, n) != count_notches(d, &mirrored[axis]))
                return false;
    }
    return true;
}

// The place in the mask of frequency k of n along an axis, or of its opposite.
static size_t own_place(size_t k, size_t n, bool back) { return ((back ? n - k : k) + n / 2) % n; }

// The values at a frequency, mirrored along some axes, and at its opposite, the mean of which is what counts.
static float own_sum(const mst_filter_desc *d, const size_t *k, const bool *mirrored) {
    const size_t n[] = {d->mask_depth, d->mask_height, d->mask_width};
    float sum = 0;
    for (int back = 0; back < 2; back++) {
        size_t at = 0;
        for (int axis = 0; axis < 3; axis++)
            at = at * n[axis] + own_place(k[axis], n[axis], mirrored[axis] != (back != 0));
        sum += d->mask[at];
    }
    return sum;
}

static bool own_mask_is_even(const mst_filter_desc *d) {
    static const bool as_is[3], mirrored[][3] = {{false, false, true}, {false, true, false}};
    for (size_t m = 0; m < d->mask_depth; m++)
        for (size_t k = 0; k < d->mask_height; k++)
            for (size_t l = 0; l < d->mask_width; l++) {
                const size_t at[] = {m, k, l};
                const float here = own_sum(d, at, as_is);
                if (here != own_sum(d, at, mirrored[0]) || here != own_sum(d, at, mirrored[1]))
                    return false;
            }
    return true;
}

bool mst_filter_mask_is_even(const mst_filter_desc *d) {
    if (d->kind == MST_FILTER_STRIPES)
        return fmod(d->angle, 90) == 0;
    return d->kind == MST_FILTER_NOTCH ? notches_are_even(d) : d->kind != MST_FILTER_MASK || own_mask_is_even(d);
}

// ---- Padding. Pixels are not to reach round to the other side: zeros as far as the mask's response reaches are enough.

// Beyond how many pixels a Gaussian mask's response can be left out. The response is a Gaussian of standard deviation
// 1 / (2 pi radius), but where the mask is cut off at Nyquist's frequency its slope jumps, by J, which leaves a tail of
// J / (4 pi^2 x^2).
static double reach_of(double radius, double *variance) {
    const double pi = acos(-1), deviation = 1 / (2 * pi * radius), nyquist = 0.5;
    double jump = 2 * nyquist / (radius * radius) * exp(-nyquist * nyquist / (2 * radius * radius));
    *variance += deviation * deviation;
    return 2 * jump / (4 * pi * pi) / TAIL;
}

// Of the whole mask; infinite where it is not known, or what is left out would be seen.
static double mask_reach(const mst_filter_desc *d) {
    double variance = 0, tail;
    if (d->rolloff != MST_FILTER_GAUSSIAN || d->kind > MST_FILTER_BAND_STOP || d->type == MST_FLOAT64)
        return INFINITY;
    tail = reach_of(d->radius, &variance);
    if (d->kind == MST_FILTER_BAND_PASS || d->kind == MST_FILTER_BAND_STOP)
        tail = fmax(tail, reach_of(d->radius2, &variance));
    return fmax(DEVIATIONS * sqrt(variance) + 1, tail);
}

static bool is_smooth(size_t n, size_t most) {
    for (size_t factor = 2; factor <= most && n > 0; factor += factor == 2 ? 1 : 2)
        while (n % factor == 0)
            n /= factor;
    return n <= 1;
}

// The least even number of points, from so many on, of which transforms are fast, if it is below `most`; else `most`.
static size_t next_fast(double least, size_t most) {
    if (!(least < (double)most))
        return most;
    size_t n = (size_t)least / 2 * 2 + 2;
    while (n < most && !is_smooth(n, FAST_PRIME))
        n += 2;
    return n < most ? n : most;
}

// A mirrored image goes on at its end as far as the mask's response reaches if that makes the length a fast one.
static size_t cosine_length(size_t n, double reach) {
    if (is_smooth(n, MST_PASS_MAX_PRIME))
        return n;
    size_t longer = next_fast((double)n + reach, 2 * n);
    return longer < 2 * n ? longer : n;
}

static size_t padded_length(const mst_filter *plan, size_t n, double reach) {
    if (plan->cosine)
        return cosine_length(n, reach);
    return plan->desc.edges == MST_FILTER_WRAP ? n : next_fast((double)n + reach, 2 * n);
}

static void set_extent(mst_filter *plan, double reach) {
    plan->p = padded_length(plan, plan->height, reach);
    plan->q = padded_length(plan, plan->width, reach);
    plan->r = plan->desc.volume ? padded_length(plan, plan->depth, reach) : 1;
    plan->period_r = plan->cosine ? 2 * plan->r : plan->r;
    plan->period_p = plan->cosine ? 2 * plan->p : plan->p;
    plan->period_q = plan->cosine ? 2 * plan->q : plan->q;
}

void mst_filter_choose_extent(mst_filter *plan) {
    const mst_filter_desc *d = &plan->desc;
    bool published = d->algorithm == MST_FILTER_PAPER;
    plan->cosine = d->edges == MST_FILTER_REFLECT && !published && mst_filter_mask_is_even(d);
    set_extent(plan, plan->cosine || (d->edges == MST_FILTER_ZERO && !published) ? mask_reach(d) : INFINITY);
}

void mst_filter_define_extent(mst_filter *plan) { set_extent(plan, INFINITY); }
