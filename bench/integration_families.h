// The families of QUADPACK's book (Piessens et al. 1983, section 4.2), by this library and by GSL's QAGS and QAGI.
#ifndef BENCH_INTEGRATION_FAMILIES_H
#define BENCH_INTEGRATION_FAMILIES_H

#include <mastaba/integral.h>

enum { BENCH_FAMILIES = 12 };

typedef struct bench_family {
    const char *integrand, *from, *to;
    double first, last; // of a
    double (*f)(double x, double a);
    double (*exact)(double a);
    double low, high;
} bench_family;

extern const bench_family bench_family_table[BENCH_FAMILIES];

// Prints, for each family and their geometric mean, evaluations over those of QUADPACK's at equal true error.
mst_status bench_families(mst_context *context, mst_error *error);

// Prints, for each family and their geometric mean, the time that GSL takes with two threads over this library's, for batches of
// 10,000 parameters to the same tolerance, and writes them to `json` if that is not NULL.
mst_status bench_batches(mst_context *context, double tolerance, int rounds, const char *json, mst_error *error);

#endif
