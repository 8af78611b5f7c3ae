// Evaluations beside QUADPACK's.
#ifndef BENCH_INTEGRATION_FAMILIES_H
#define BENCH_INTEGRATION_FAMILIES_H

#include <mastaba/integral.h>

// Prints, for each family of QUADPACK's book and their geometric mean, evaluations over those of GSL's QAGS and QAGI at equal
// true error.
mst_status bench_families(mst_context *context, mst_error *error);

#endif
