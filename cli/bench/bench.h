// `mastaba bench` and the benchmarks that it runs.
#ifndef MASTABA_BENCH_H
#define MASTABA_BENCH_H

#include "core/cli.h"
#include "page.h"

extern const cli_command cmd_bench, bench_all, bench_convolution, bench_integration, bench_vector_width, bench_pyramid,
    bench_filter;

// What is measured has `until`, a time of cli_now() after which nothing begins but the first measurement; the rest is then left
// out, and `cut_short` set.

// median.c: of times, which are sorted.
double bench_median(double *samples, int n);

// place.c: the host's processor; now in ISO 8601, UTC.
void bench_processor(char text[128]);
void bench_date(char text[32]);

#endif
