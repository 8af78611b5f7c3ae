// Where an integrand changes its sign on the way to infinity.
#include "integrand.h"
#include "oscillatory.h"

#include <math.h>

// Steps grow with the distance from the last zero, so that few are taken whatever the scale, and a zero is not passed over but
// where the next wave is an eighth as long. The first step of all has to be shorter than any wave that is looked for.
#define SHARE 0.125
#define FIRST_STEP 1e-9 // of the first wave, in units of the bound or of 1
#define STEP 1e-3       // of later ones, in lengths of the wave before
#define FARTHEST 1e15
#define REGULAR_STEP 0.02 // and where two waves were of one length but for
#define REGULAR 0.03
#define CLOSE 1e-9 // a zero is found to so much of a step
enum { MOST_STEPS = 600, MOST_CUTS = 40 };

typedef struct walk {
    const mst_integral *plan;
    const double *row, *cuts;
    mst_waves *waves;
} walk;

static double value_at(const walk *w, double x) {
    w->waves->evaluations++;
    return mst_integrand_value(w->plan, x, w->row, w->cuts);
}

// Between two places where the integrand has different signs, by the Illinois algorithm (Dowell and Jarratt 1971). Sums tell of
// their limit wherever they are cut near zeros.
static double close_in(const walk *w, double before, double after, double value_before, double value_after) {
    const double enough = CLOSE * fabs(after - before);
    for (int i = 0; i < MOST_CUTS && fabs(after - before) > enough; i++) {
        double at = after - value_after * (after - before) / (value_after - value_before);
        if (!(fabs(at - before) < fabs(after - before) && fabs(at - after) < fabs(after - before)))
            at = before + (after - before) / 2;
        const double value = value_at(w, at), moved = fabs(at - after);
        if (value == 0)
            return at;
        if ((value > 0) != (value_after > 0)) {
            before = after;
            value_before = value_after;
        } else {
            value_before /= 2;
        }
        after = at;
        value_after = value;
        if (moved <= enough)
            break;
    }
    return after;
}

// The next zero after x, by steps from `step` on; NAN: none.
static double next_zero(const walk *w, double x, double step) {
    const double direction = w->waves->direction;
    double before = x, value_before = 0;
    for (int i = 0; i < MOST_STEPS; i++) {
        const double at = before + direction * fmax(step, fabs(before - x) * SHARE);
        if (!(fabs(at) < FARTHEST))
            break;
        const double value = at == before ? NAN : value_at(w, at);
        if (value > 0 || value < 0) {
            if (value_before != 0 && (value > 0) != (value_before > 0))
                return close_in(w, before, at, value_before, value);
            value_before = value;
        }
        before = at == before ? nextafter(before, direction * INFINITY) : at;
    }
    return NAN;
}

bool mst_waves_walk(const mst_integral *plan, const double *row, const double *cuts, mst_waves *waves, unsigned wanted) {
    const walk w = {plan, row, cuts, waves};
    while (waves->n_places < wanted) {
        const unsigned n = waves->n_places;
        const double x = waves->places[n - 1];
        const double length = n > 1 ? fabs(x - waves->places[n - 2]) : 0;
        const bool is_regular = n > 2 && fabs(length - fabs(waves->places[n - 2] - waves->places[n - 3])) <= REGULAR * length;
        const double step = n > 1 ? (is_regular ? REGULAR_STEP : STEP) * length : FIRST_STEP * fmax(1, fabs(x));
        const double zero = next_zero(&w, x, step);
        if (isnan(zero))
            return false;
        waves->places[waves->n_places++] = zero;
    }
    return true;
}
