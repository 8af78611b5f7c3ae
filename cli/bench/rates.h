// mastaba bench rates: what is measured (rates_measure.c) is shown by rates.c.
#ifndef MASTABA_BENCH_RATES_H
#define MASTABA_BENCH_RATES_H

#include "bench.h"

enum { RATES_N_CASES = 15 };

typedef enum rates_kind { RATES_TRANSFORM, RATES_CONVOLUTION, RATES_SCHEME } rates_kind;

typedef struct rates_case {
    rates_kind kind;
    const char *name, *problem; // of a scheme the built-in problem
    int n_axes;                 // the last ones of an array are transformed, the first is batch; of a scheme those of the grid
    size_t shape[MST_MAX_AXES]; // of the transformed axes
    size_t kernel;              // of a convolution: its length along each axis
    mst_type type;
    bool larger; // also in a quarter of the memory that it needs, and on all devices
} rates_case;
extern const rates_case rates_cases[RATES_N_CASES];

// Seconds that an execution or a step takes; 0: not measured.
typedef struct rates_result {
    double device; // the data are on the device; grids within its memory
    double whole, quarter,
        all;          // through a budget that holds everything, a quarter of that, and on all devices; arrays in host memory
    double bytes;     // those of the operands and the result; of a scheme those that each step has to read and to write
    double nodes;     // of a grid
    char failed[300]; // why something was not measured
    bool wrong;       // because the result was
} rates_result;

typedef struct rates_bench {
    bench_run run;
    bench_arrays arrays; // an operand or a field
    double copy_rate;    // bytes a second of a plain copy on the device
    size_t n_devices;    // of this machine
    rates_result results[RATES_N_CASES];
} rates_bench;

int rates_measure(void *results);

// Bytes a second, and the share of a plain copy's: of a scheme, that is how many passes through memory a step would take.
double rates_rate(const rates_bench *bench, int row);
double rates_share(const rates_bench *bench, int row);

void rates_print(const rates_bench *bench, int row);

#endif
