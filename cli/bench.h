// The benchmarks that `mastaba bench` runs, one file each; argv[0] is the benchmark's name. Each returns an exit code.
#ifndef MASTABA_BENCH_H
#define MASTABA_BENCH_H

#include "cli.h"

int bench_convolution(int argc, const char **argv);
int bench_integration(int argc, const char **argv);
int bench_vector_width(int argc, const char **argv);
int bench_pyramid(int argc, const char **argv);
int bench_filter(int argc, const char **argv);

#endif
