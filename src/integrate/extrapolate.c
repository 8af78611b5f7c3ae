// What alternating integrals between zeros add up to.
//
// Two ways that share nothing: Sidi's mW transformation (Math. Comp. 51, 1988), made for such integrals, gives the value; Wynn's
// epsilon algorithm (MTAC 10, 1956), as QUADPACK's QAWF has it, has to agree. Both go by how terms behave at the end, and both
// would give Abel's sum where there is no integral, cos(x) say. So terms have to be those of one wave, and to fall like a power
// of the distance, which is found as well as they tell, or exponentially.
#include "oscillatory.h"

#include <float.h>
#include <math.h>

enum { MOST_SUMS = 33, LEAST_TERMS = 12, TAIL = 3 };

#define LEAST_POWER 0.1 // of the distance, as which terms fall,
#define SURE 0.002      // found so surely, as a share of it, or
#define SURE_STEEP 0.02 // so surely where it is more than
#define STEEP 0.5
#define REGULAR 0.03 // second differences of neighbours' lengths, as shares of them,
#define EVEN 0.1     // and of the logarithms of terms
#define STRAIGHT 0.7 // how much of an exponential's rate is left in the second half,
#define DECAY 3.0    // and the exponent that it comes to

typedef struct sums {
    unsigned n;                                               // of partial sums at hand
    double sum[MOST_SUMS], next[MOST_SUMS], place[MOST_SUMS]; // up to a zero, the term that follows, and how far it is
} sums;

// ---- The mW transformation of the first n sums. *spread: what it makes of errors, at most.
static double sidi(const sums *s, unsigned n, double *spread) {
    double m[MOST_SUMS] = {0}, weight[MOST_SUMS] = {0}, size[MOST_SUMS] = {0};
    for (unsigned k = 0; k < n; k++) {
        m[k] = s->sum[k] / s->next[k];
        weight[k] = 1 / s->next[k];
        size[k] = fabs(weight[k]);
    }
    for (unsigned p = 1; p < n; p++)
        for (unsigned k = 0; k + p < n; k++) {
            const double step = 1 / s->place[k] - 1 / s->place[k + p];
            m[k] = (m[k] - m[k + 1]) / step;
            weight[k] = (weight[k] - weight[k + 1]) / step;
            size[k] = (size[k] + size[k + 1]) / fabs(step);
        }
    *spread = size[0] / fabs(weight[0]);
    return m[0] / weight[0];
}

// ---- The epsilon algorithm of the first n sums: the last entry of an even column of its table.
static double wynn(const sums *s, unsigned n) {
    double table[MOST_SUMS] = {0};
    for (unsigned k = 0; k < n; k++) {
        double above = 0; // one column to the left, and one to the left of that
        table[k] = s->sum[k];
        for (unsigned j = k; j > 0; j--) {
            const double kept = table[j - 1], difference = table[j] - kept;
            table[j - 1] = difference == 0 ? (above == 0 ? kept : above) : above + 1 / difference;
            above = kept;
        }
    }
    return table[(n - 1) % 2];
}

// ---- Whether terms are those of one wave that falls

static double middle_of(const mst_waves *w, unsigned term) { return w->places[term] / 2 + w->places[term + 1] / 2; }

static double length_of(const mst_waves *w, unsigned term) { return fabs(w->places[term + 1] - w->places[term]); }

static double size_of(const mst_waves *w, unsigned term) { return log(fabs(w->terms[term])); }

static bool is_one_wave(const mst_waves *w) {
    for (unsigned k = w->n_terms / 2; k + 1 < w->n_terms; k++) {
        const double bend = length_of(w, k + 1) - 2 * length_of(w, k) + length_of(w, k - 1);
        if (!(fabs(bend) <= REGULAR * length_of(w, k)) || !(w->terms[k] * w->terms[k + 1] < 0) ||
            !(fabs(size_of(w, k + 1) - 2 * size_of(w, k) + size_of(w, k - 1)) <= EVEN))
            return false;
    }
    return true;
}

// The power of the distance from `origin` that terms fall by, far out: what it is between neighbours, at four distances, goes on
// as a polynomial of their inverses (Neville). NAN where it is not sure.
static double power_from(const mst_waves *w, double origin) {
    enum { STATIONS = 4 };
    const double shares[STATIONS] = {1, 0.7, 0.5, 0.35};
    double power[STATIONS], inverse[STATIONS];
    for (int i = 0; i < STATIONS; i++) {
        const unsigned k = (unsigned)(shares[i] * (w->n_terms - 2));
        const double before = w->direction * (middle_of(w, k - 1) - origin),
                     after = w->direction * (middle_of(w, k + 1) - origin);
        if (before <= 0)
            return NAN;
        power[i] = (size_of(w, k - 1) - size_of(w, k + 1)) / log(after / before);
        inverse[i] = 1 / sqrt(before * after);
    }
    double without_last = NAN;
    for (int span = 1; span < STATIONS; span++) {
        for (int i = 0; i + span < STATIONS; i++)
            power[i] = (inverse[i + span] * power[i] - inverse[i] * power[i + 1]) / (inverse[i + span] - inverse[i]);
        without_last = span == STATIONS - 2 ? power[0] : without_last;
    }
    const double off = fabs(power[0] - without_last), least = fmin(power[0], without_last);
    return off <= (least > STEEP ? SURE_STEEP : SURE) * least ? least : NAN;
}

// Straight or bent upwards over the distance, as sums of exponentials are and powers times them.
static bool decays(const mst_waves *w) {
    const unsigned n = w->n_terms - 1;
    const double x[] = {middle_of(w, n / 4), middle_of(w, 5 * n / 8), middle_of(w, n)};
    const double earlier = (size_of(w, n / 4) - size_of(w, 5 * n / 8)) / fabs(x[1] - x[0]),
                 later = (size_of(w, 5 * n / 8) - size_of(w, n)) / fabs(x[2] - x[1]);
    return later > STRAIGHT * earlier && later <= earlier * (1 + 1e-3) && later * fabs(x[2] - w->places[0]) >= DECAY;
}

static bool terms_fall(const mst_waves *w) {
    return power_from(w, w->places[0]) >= LEAST_POWER || power_from(w, 0) >= LEAST_POWER || decays(w);
}

static sums take_sums(const mst_waves *w) {
    sums s = {.n = 0};
    const unsigned last = w->n_terms - 1, first = last > MOST_SUMS ? last - MOST_SUMS : 0;
    double sum = 0;
    for (unsigned k = 0; k < last; k++) {
        sum += w->terms[k];
        if (k < first)
            continue;
        s.sum[s.n] = sum;
        s.next[s.n] = w->terms[k + 1];
        s.place[s.n++] = fabs(w->places[k + 1] - w->places[0]);
    }
    return s;
}

void mst_waves_extrapolate(const mst_waves *w, double *value, double *error, double *least) {
    double size = 0, errors = 0, sum = 0, tail = 0, spread;
    for (unsigned k = 0; k < w->n_terms; k++) {
        sum += w->terms[k];
        size += fabs(w->terms[k]);
        errors += w->errors[k];
        tail = k + TAIL >= w->n_terms ? tail + fabs(w->terms[k]) : 0;
    }
    *value = sum;
    *error = INFINITY;
    *least = errors += 4 * DBL_EPSILON * size;
    if (tail <= DBL_EPSILON * size && w->n_terms > TAIL) { // nothing is left
        *error = errors + tail;
        return;
    }
    if (w->n_terms < LEAST_TERMS || !is_one_wave(w) || !terms_fall(w))
        return;
    const sums s = take_sums(w);
    const double best = sidi(&s, s.n, &spread);
    double unused, apart = fabs(best - wynn(&s, s.n));
    for (unsigned fewer = 1; fewer <= 2; fewer++)
        apart = fmax(apart, 2 * fabs(best - sidi(&s, s.n - fewer, &unused)));
    if (!isfinite(best + apart + spread))
        return;
    *value = best;
    *error = apart + spread * errors;
}
