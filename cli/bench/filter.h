// mastaba bench filter: what is measured (filter_measure.c) and how it is shown (_table.c, _plot.c, _page.c).
#ifndef MASTABA_BENCH_FILTER_H
#define MASTABA_BENCH_FILTER_H

#include "bench.h"
#include "paper_filter.h"

enum { FILTER_MOST_SIZES = 8, FILTER_N_ROWS = PAPER_N_STAGES + 2 }; // the last two: conversion to and from complex numbers

typedef struct filter_table {
    size_t n;
    double paper[FILTER_N_ROWS][PAPER_N_GROUPS]; // seconds
    bool missing[PAPER_N_GROUPS];                // work-groups larger than the device's, or out of time
    double fused;                                // seconds of a run on the device
} filter_table;

typedef struct filter_bench {
    double seconds, until; // for one column; no column begins after that time of cli_now()
    bool print, cut_short; // print: shows each size when it is done
    size_t sizes[FILTER_MOST_SIZES];
    int n_sizes, n_tables; // wanted, measured
    const mst_device_info *device;
    double copy_rate;
    filter_table tables[FILTER_MOST_SIZES];
} filter_bench;

// On a context that profiles. Returns an exit code after printing the error.
int filter_measure(const char *command, mst_context *context, filter_bench *bench);

bool filter_any(const filter_table *t);    // whether any column was measured
double filter_rate(const filter_table *t); // of the fused filter, bytes a second at 24 a point
const char *filter_row_name(int row);

void filter_print(const filter_table *t, double copy_rate);
json_t *filter_json(const filter_bench *bench); // NULL: out of memory
cli_plot filter_plot(const filter_bench *bench);
void filter_page(const page *p, const filter_bench *bench);

#endif
