// mastaba bench integration: what is measured (integration_measure.c) is shown by integration.c.
#ifndef MASTABA_BENCH_INTEGRATION_H
#define MASTABA_BENCH_INTEGRATION_H

#include "bench.h"
#include "published/integration.h"

enum { INTEGRATION_FIRST = 10, INTEGRATION_LAST = 32, INTEGRATION_N_CELLS = 19, INTEGRATION_N_INTEGRALS = 2 };
enum { INTEGRATION_N_RATES = 10, INTEGRATION_N_ADAPTIVE = 3 };

typedef struct integration_cell {
    int log_n;
    double core;           // seconds of the plain loop on one core
    double published, own; // and of whole calls: the published kernel, the rectangle rule of this library
    double kernels[2];     // of the kernels alone, published and own
    bool right;            // within the reported error
} integration_cell;

typedef struct integration_rate {
    mst_type type;
    mst_integral_rule rule;
    double seconds, error, reported;
} integration_rate;

typedef struct integration_adaptive {
    const char *integrand;
    size_t n; // integrals
    double seconds;
    mst_integral_result result; // of the first
} integration_adaptive;

typedef struct integration_bench {
    bench_run run;
    int largest; // tables up to 2^largest points
    int n_cells[INTEGRATION_N_INTEGRALS];
    integration_cell cells[INTEGRATION_N_INTEGRALS][INTEGRATION_N_CELLS];
    int log_points, n_rates; // all rates at 2^log_points
    integration_rate rates[INTEGRATION_N_RATES];
    int n_adaptive;
    integration_adaptive adaptive[INTEGRATION_N_ADAPTIVE];
} integration_bench;

extern const char *const integration_names[INTEGRATION_N_INTEGRALS];

// What was published for a cell; NULL beyond 2^24.
const paper_integration *integration_paper(int which, int log_n);

int integration_next(int log_n); // the size after a size

int integration_measure(void *results); // times of kernels are the profiled context's

void integration_print_heading(int which);
void integration_print_cell(int which, const integration_cell *cell);
void integration_print_rate(const integration_bench *bench, const integration_rate *r);
void integration_print_adaptive(const integration_adaptive *a);

#endif
