// mastaba bench convolution: what is measured (convolution_measure.c) and how it is shown (_table.c, _json.c, _plot.c, _page.c).
#ifndef MASTABA_BENCH_CONVOLUTION_H
#define MASTABA_BENCH_CONVOLUTION_H

#include "bench.h"
#include "paper_convolution.h"

typedef enum bench_outcome {
    BENCH_NOT_RUN = 0,
    BENCH_DONE,   // and right
    BENCH_WRONG,  // farther from the reference than the gate
    BENCH_SLOW,   // predicted to exceed the time limit, so not run
    BENCH_MEMORY, // does not fit the device or the host
    BENCH_FAILED
} bench_outcome;

typedef struct bench_timing {
    bench_outcome outcome;
    double seconds; // median of `runs`
    int runs;
    double error;      // the worst over the vectors of ||z - reference|| / (||x|| ||y||)
    char message[500]; // of BENCH_FAILED and BENCH_MEMORY
} bench_timing;

typedef struct bench_cell {
    const paper_cell *paper;
    char skipped[128];        // why; "" if it was measured
    bench_timing reference;   // of `reference_vectors` vectors
    size_t reference_vectors; // fewer than n_vectors if not all fit into the time limit
    size_t n_vectors;         // M * J
    double gate;
    bench_timing variants[PAPER_N_VARIANTS];
    double speedups[PAPER_N_VARIANTS]; // K; 0 where there is no right result
} bench_cell;

typedef struct bench_run {
    const mst_device_info *device;
    char processor[128]; // which the reference ran on
    char date[32];       // ISO 8601, UTC
    double cell_seconds;
    double until; // of cli_now(): no cell begins later
    bool interrupted, cut_short;
    int n_cells, n_wanted;
    bench_cell cells[PAPER_N_CELLS];
} bench_run;

// Measures one cell in about so many seconds. MST_ERROR_CANCELLED if the program was interrupted, or the error that stopped the
// reference; what goes wrong with a variant is its outcome.
mst_status bench_measure(mst_context *context, const paper_cell *paper, double seconds, bench_cell *cell, mst_error *error);

// Measures all cells, or with `quick` eight of them, into a run that has its device, cell_seconds and until. `print`: shows each
// when it is done. Returns an exit code; interrupted, CLI_DONE and what there is.
int bench_measure_all(const char *command, mst_context *context, bool quick, bool print, bench_run *run);

void bench_print_heading(const bench_run *run);
void bench_print_cell(const bench_cell *cell, bool new_length);
void bench_print_summary(const bench_run *run);

json_t *bench_json(const bench_run *run); // NULL: out of memory

// How often each variant was the best, and of how many cells, for lengths below PAPER_SPLIT ([0]) and from it on ([1]). platform:
// an index into paper_platforms, or -1 for this run.
typedef struct bench_count {
    int cells[2], best[2][PAPER_N_VARIANTS];
} bench_count;
bench_count bench_count_best(const bench_run *run, int platform);

// The highest speed-up and its cell and variant; cell NULL if there is none.
typedef struct bench_peak {
    double speedup;
    const paper_cell *cell;
    int variant;
} bench_peak;
bench_peak bench_highest(const bench_run *run, int platform);

// The speed-ups by length beside the paper's, and the section of a page.
cli_plot bench_plot(const bench_run *run);
void bench_page(const page *p, const bench_run *run);

#endif
