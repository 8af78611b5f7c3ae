// mastaba bench all: the benchmarks (all.c) and the page that they make (all_page.c).
#ifndef MASTABA_BENCH_ALL_H
#define MASTABA_BENCH_ALL_H

#include "bench.h"

enum { ALL_N_PARTS = 6 };
extern const benchmark *const all_benchmarks[ALL_N_PARTS];

typedef struct all_part {
    bench_run *run;    // and the results behind it
    int code;          // the part's exit code
    char message[512]; // why it failed
    double seconds;
} all_part;

typedef struct all_bench {
    bench_run run; // whose contexts are those of all parts
    bool quick;
    double budget, seconds; // for all parts; taken
    all_part parts[ALL_N_PARTS];
    cli_whole_file file; // the page
} all_bench;

void all_page(const page *p, const all_bench *bench);

#endif
