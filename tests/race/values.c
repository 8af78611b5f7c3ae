#include "race.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void check(mst_status status, const mst_error *error) {
    if (status != MST_OK) {
        fprintf(stderr, "%s: %s\n", mst_status_name(status), error->message);
        exit(1);
    }
}

static void put(void *data, mst_type type, size_t i, number value) {
    switch (type) {
    case MST_FLOAT32:
        ((float *)data)[i] = (float)creal(value);
        break;
    case MST_FLOAT64:
        ((double *)data)[i] = creal(value);
        break;
    case MST_COMPLEX64:
        ((float complex *)data)[i] = (float complex)value;
        break;
    default:
        ((double complex *)data)[i] = value;
    }
}

number get(const void *data, mst_type type, size_t i) {
    switch (type) {
    case MST_FLOAT32:
        return ((const float *)data)[i];
    case MST_FLOAT64:
        return ((const double *)data)[i];
    case MST_COMPLEX64:
        return ((const float complex *)data)[i];
    default:
        return ((const double complex *)data)[i];
    }
}

void fill(void *data, mst_type type, size_t n, double phase) {
    for (size_t i = 0; i < n; i++)
        put(data, type, i, cos((double)(i * i) + phase) + I * sin(3.0 * (double)i + phase));
}

void expect(const char *what, mst_type type, number got, number want) {
    double tolerance = type == MST_FLOAT32 || type == MST_COMPLEX64 ? 1e-4 : 1e-11;
    if (!(cabs(got - want) <= tolerance)) {
        fprintf(stderr, "%s: got %g%+gi, expected %g%+gi\n", what, creal(got), cimag(got), creal(want), cimag(want));
        exit(1);
    }
}
