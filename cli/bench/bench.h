// The benchmarks that `mastaba bench` runs, one file each; argv[0] is the benchmark's name. Each returns an exit code.
#ifndef MASTABA_BENCH_H
#define MASTABA_BENCH_H

#include "core/cli.h"
#include "page.h"

int bench_all(int argc, const char **argv);
int bench_convolution(int argc, const char **argv);
int bench_integration(int argc, const char **argv);
int bench_vector_width(int argc, const char **argv);
int bench_pyramid(int argc, const char **argv);
int bench_filter(int argc, const char **argv);

// What is measured has `until`, a time of cli_now() after which nothing begins but the first measurement; the rest is then left
// out, and `cut_short` set.

// median.c: of times, which are sorted.
double bench_median(double *samples, int n);

// place.c: the host's processor; now in ISO 8601, UTC.
void bench_processor(char text[128]);
void bench_date(char text[32]);

#endif
