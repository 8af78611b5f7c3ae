// Values that are infinite or NaN.
#ifndef MST_STENCIL_NONFINITE_H
#define MST_STENCIL_NONFINITE_H

#include <stdbool.h>
#include <stdint.h>

// How many of n values of float, or of double, are.
uint64_t mst_nonfinite_count(const void *values, uint64_t n, bool is_double);

#endif
