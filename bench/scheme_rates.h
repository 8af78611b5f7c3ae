// scheme-rates: what is measured of each scheme.
#ifndef BENCH_SCHEME_RATES_H
#define BENCH_SCHEME_RATES_H

#include "bench/bench.h"
#include "scheme_plain.h"

// Ways to do the same steps: the library with the whole grid on the device; plain kernels; plain C; the library with a quarter of
// the memory.
typedef enum rates_way { RATES_OURS, RATES_KERNELS, RATES_C, RATES_BEYOND, RATES_N_WAYS } rates_way;

static const double RATES_WRONG = 2e-4; // an error

enum { RATES_MOST_CELLS = 64, RATES_MOST_ROUNDS = 31, RATES_NAME = 40 };

typedef struct rates_cell {
    char name[RATES_NAME]; // of the scheme
    char path[300];
    int rank;
    size_t grid[MST_MAX_AXES];
    bool measured;
    size_t n_arrays; // of the state, coefficient fields included
    double bytes_a_node, limit;
    mst_stencil_plan plan[2]; // in core, and with a quarter of the memory
    double create_seconds[RATES_N_WAYS];
    double samples[RATES_N_WAYS][RATES_MOST_ROUNDS]; // node-steps a second
    int n_samples;
    double rate[RATES_N_WAYS];          // medians; 0: not measured
    double error[RATES_N_WAYS];         // largest difference from the plain kernels, of the largest value
    char why[RATES_N_WAYS][PLAIN_TEXT]; // not measured
} rates_cell;

typedef struct rates_bench {
    bench_run run;
    int rounds;
    double sample_seconds, seconds, end; // of a sample; of all; after which nothing begins
    bool beyond;
    mst_stencil_schedule schedule;
    const char *only, *directory;
    int rank; // of the grid that was asked for; 0: none was
    size_t grid[MST_MAX_AXES];
    double copy_rate;
    int n_cells;
    rates_cell cells[RATES_MOST_CELLS];
} rates_bench;

int rates_measure(void *results);

// The schemes and grids that suit the device. Returns an exit code after printing the error.
int rates_choose_cells(rates_bench *bench);
void rates_print(const rates_bench *bench, const rates_cell *cell);

// Median over the rounds of ours over another way's; 0: not measured.
double rates_ratio(const rates_cell *cell, rates_way way, rates_way other);

#endif
