// mastaba bench convolution: what is measured (convolution_measure.c) is shown as text and JSON by
// convolution.c, and as a picture and a part of the page by convolution_page.c.
#ifndef MASTABA_BENCH_CONVOLUTION_H
#define MASTABA_BENCH_CONVOLUTION_H

#include "bench.h"
#include "published/convolution.h"

typedef enum convolution_outcome {
    CELL_NOT_RUN = 0,
    CELL_DONE,   // and right
    CELL_WRONG,  // farther from the reference than the gate
    CELL_SLOW,   // predicted to exceed the time limit, so not run
    CELL_MEMORY, // does not fit the device or the host
    CELL_FAILED
} convolution_outcome;

typedef struct convolution_timing {
    convolution_outcome outcome;
    double seconds; // median of `runs`
    int runs;
    double error;      // the worst over the vectors of ||z - reference|| / (||x|| ||y||)
    char message[500]; // of CELL_FAILED and CELL_MEMORY
} convolution_timing;

typedef struct convolution_cell {
    const paper_cell *paper;
    char skipped[128];            // why; "" if it was measured
    convolution_timing reference; // of `reference_vectors` vectors
    size_t reference_vectors;     // fewer than n_vectors if not all fit into the time limit
    size_t n_vectors;             // M * J
    double gate;
    convolution_timing variants[PAPER_N_VARIANTS];
    double speedups[PAPER_N_VARIANTS]; // K; 0 where there is no right result
} convolution_cell;

typedef struct convolution_bench {
    bench_run run; // the reference runs on its processor
    bool quick;    // n_wanted cells, else all
    double cell_seconds;
    void (*print_cell)(const convolution_cell *cell, bool new_length); // each when it is done; NULL: not
    int n_cells, n_wanted;
    convolution_cell cells[PAPER_N_CELLS];
} convolution_bench;

// What goes wrong with a variant is its outcome. Interrupted, a run ends well with the cells that there are.
int convolution_measure(void *results);

// How often each variant was the best, and of how many cells, for lengths below PAPER_SPLIT ([0]) and from it on ([1]). platform:
// an index into paper_platforms, or -1 for this run.
typedef struct convolution_count {
    int cells[2], best[2][PAPER_N_VARIANTS];
} convolution_count;
convolution_count convolution_count_best(const convolution_bench *bench, int platform);

// The highest speed-up and its cell and variant; cell NULL if there is none.
typedef struct convolution_peak {
    double speedup;
    const paper_cell *cell;
    int variant;
} convolution_peak;
convolution_peak convolution_highest(const convolution_bench *bench, int platform);

// The speed-ups by length beside the paper's, the part of a page, and its headline.
cli_plot convolution_plot(const void *results);
void convolution_page(const page *p, const void *results);
void convolution_headline(const void *results, char published[200], char here[200]);

#endif
