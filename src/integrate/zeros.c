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
enum { MOST_STEPS = 600, MOST_HALVINGS = 80 };

typedef struct walk {
    const mst_integral *plan;
    const double *row, *cuts;
    mst_waves *waves;
} walk;

static double value_at(const walk *w, double x) {
    w->waves->evaluations++;
    return mst_integrand_value(w->plan, x, w->row, w->cuts);
}

// Between two places where the integrand has different signs.
static double close_in(const walk *w, double before, double after, bool rises) {
    for (int i = 0; i < MOST_HALVINGS; i++) {
        const double middle = before + (after - before) / 2;
        if (middle == before || middle == after)
            break;
        const double value = value_at(w, middle);
        if (value == 0)
            return middle;
        if ((value > 0) == rises)
            after = middle;
        else
            before = middle;
    }
    return after;
}

// The next zero after x, by steps from `step` on; NAN: none.
static double next_zero(const walk *w, double x, double step) {
    const double direction = w->waves->direction;
    double before = x, sign = 0;
    for (int i = 0; i < MOST_STEPS; i++) {
        const double at = before + direction * fmax(step, fabs(before - x) * SHARE);
        if (!(fabs(at) < FARTHEST))
            break;
        const double value = at == before ? NAN : value_at(w, at);
        if (value > 0 || value < 0) {
            if (sign != 0 && (value > 0) != (sign > 0))
                return close_in(w, before, at, value > 0);
            sign = value;
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
        const double step = n > 1 ? STEP * fabs(x - waves->places[n - 2]) : FIRST_STEP * fmax(1, fabs(x));
        const double zero = next_zero(&w, x, step);
        if (isnan(zero))
            return false;
        waves->places[waves->n_places++] = zero;
    }
    return true;
}
