// mastaba bench filter: what is measured (filter_measure.c) is shown by filter.c.
#ifndef MASTABA_BENCH_FILTER_H
#define MASTABA_BENCH_FILTER_H

#include "bench.h"
#include "published/filter.h"

enum { FILTER_MOST_SIZES = 8, FILTER_N_ROWS = PAPER_N_STAGES + 2 }; // the last two: conversion to and from complex numbers

typedef struct filter_table {
    size_t n;
    double paper[FILTER_N_ROWS][PAPER_N_GROUPS]; // seconds
    bool missing[PAPER_N_GROUPS];                // work-groups larger than the device's, or not measured
    int left_out;                                // of these the ones that were not measured
    double fused;                                // seconds of a run on the device; NaN: not measured
} filter_table;

typedef struct filter_bench {
    bench_run run;
    double seconds; // for one column
    size_t sizes[FILTER_MOST_SIZES];
    int n_sizes, n_tables; // wanted, measured
    double copy_rate;
    filter_table tables[FILTER_MOST_SIZES];
} filter_bench;

int filter_measure(void *results);

bool filter_any(const filter_table *t);    // whether any column was measured
double filter_rate(const filter_table *t); // of the fused filter, bytes a second at 24 a point

void filter_print(const filter_table *t, double copy_rate);

#endif
