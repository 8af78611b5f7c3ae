// mastaba bench vector-width: what is measured (vector_width_measure.c) is shown by vector_width.c.
#ifndef MASTABA_BENCH_VECTOR_WIDTH_H
#define MASTABA_BENCH_VECTOR_WIDTH_H

#include "bench.h"

enum { N_WIDTH_TYPES = 6, N_WIDTH_LENGTHS = 2 };

typedef struct width_type {
    const char *name; // in OpenCL C
    mst_type type;
    int claim; // index into a device's preferred_width
    int paper; // the width that is native, and best, on the ATI GPUs of the paper; 0: not said
} width_type;
extern const width_type width_types[N_WIDTH_TYPES];

typedef struct width_bench {
    bench_run run;
    bench_arrays arrays;
    // Seconds for each type; lengths that all widths divide, and one less; width 2^w. 0: not supported.
    double seconds[N_WIDTH_TYPES][N_WIDTH_LENGTHS][MST_MAP_N_WIDTHS];
    bool measured[N_WIDTH_TYPES];
} width_bench;

// Bytes that all four arrays move, over the time; and the best width, 1 to 16.
double width_rate(const width_bench *bench, int type, int length, int width);
int width_best(const width_bench *bench, int type, int length);

int width_measure(void *results);

// A line of a type at a length.
void width_print(const width_bench *bench, int t, int length);

#endif
