#include "nonfinite.h"

#include <float.h>
#include <math.h>

static uint64_t count_floats(const float *values, uint64_t n) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++)
        count += !(fabsf(values[i]) <= FLT_MAX);
    return count;
}

static uint64_t count_doubles(const double *values, uint64_t n) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++)
        count += !(fabs(values[i]) <= DBL_MAX);
    return count;
}

uint64_t mst_nonfinite_count(const void *values, uint64_t n, bool is_double) {
    return is_double ? count_doubles(values, n) : count_floats(values, n);
}
