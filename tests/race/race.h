// The cases of the race gate: each runs kernels on tiny data and checks the results against direct sums.
#ifndef MST_RACE_H
#define MST_RACE_H

#include <mastaba/mastaba.h>

#include <complex.h>

typedef double complex number;

// The cases 0 to n - 1 of a module.
typedef struct race_cases {
    int n;
    void (*run)(mst_context *context, int c);
} race_cases;

extern const race_cases race_stencil, race_filter, race_integral, race_fft, race_convolution, race_map, race_deconvolution;

// ---- values.c: data of the four types that results have

enum { BATCH = 3, MAX_VALUES = 4096 };

// Ends the program with status 1 where a call failed.
void check(mst_status status, const mst_error *error);

// Ends the program with status 1 where a value of that type is wrong.
void expect(const char *what, mst_type type, number got, number want);

// Value i of an array, and n values made from the phase.
number get(const void *data, mst_type type, size_t i);
void fill(void *data, mst_type type, size_t n, double phase);

#endif
