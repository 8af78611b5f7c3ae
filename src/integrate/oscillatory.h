// Integrals to infinity of integrands that oscillate for ever: between their zeros, and the sums extrapolated.
#ifndef MST_INTEGRATE_OSCILLATORY_H
#define MST_INTEGRATE_OSCILLATORY_H

#include "plan.h"

// What the rule's plan has two plans for: the integrals between zeros, whose last parameters are their ends, and integrals
// without zeros.
enum { MST_PART_BETWEEN, MST_PART_PLAIN };

// A part's description, and what it points to.
typedef struct mst_oscillatory_part {
    mst_integral_desc desc;
    mst_integral_range range;
    const char *parameters[MST_INTEGRAL_MAX_PARAMETERS];
    char ends[2][16];
} mst_oscillatory_part;

// ---- oscillatory.c: describes a part of a plan whose ranges are known.
mst_status mst_oscillatory_describe(const mst_integral *plan, const mst_integral_desc *desc, int part, mst_oscillatory_part *out,
                                    mst_error *error);

enum { MST_WAVES_MOST = 128 }; // intervals between zeros

// From a bound towards infinity: places[0] is the bound, then come zeros of the integrand; the integrals between neighbours, and
// their errors.
typedef struct mst_waves {
    double direction; // 1, or -1 towards -inf
    double places[MST_WAVES_MOST + 1], terms[MST_WAVES_MOST], errors[MST_WAVES_MOST];
    unsigned n_places, n_terms;
    uint64_t evaluations; // of looking for zeros
} mst_waves;

// ---- zeros.c: walks on to more zeros, up to `wanted` places. False: there are none to be found.
bool mst_waves_walk(const mst_integral *plan, const double *row, const double *cuts, mst_waves *w, unsigned wanted);

// ---- extrapolate.c: the integral to infinity that the terms tell of. *error is infinite where they tell of none; *least is what
// no further terms can mend of it.
void mst_waves_extrapolate(const mst_waves *w, double *value, double *error, double *least);

#endif
