// mastaba bench all: the benchmarks (all.c), how they are measured within a total time (all_measure.c), and the page that they
// make (all_page.c).
#ifndef MASTABA_BENCH_ALL_H
#define MASTABA_BENCH_ALL_H

#include "bench.h"

#include <stdatomic.h>

enum { ALL_N_PARTS = 6 };
extern const benchmark *const all_benchmarks[ALL_N_PARTS];

typedef struct all_part {
    bench_run *run;    // and the results behind it
    int code;          // the part's exit code
    char message[512]; // why it failed
    double begun, seconds;
    double deadline; // when it is stopped
} all_part;

// In memory that the process which measures and the one which waits for it share, as are the results.
typedef struct all_bench {
    bench_run run; // which those of all parts begin as
    bool quick;
    double budget, seconds; // for all parts; taken
    double end;             // a time of cli_now()
    all_part parts[ALL_N_PARTS];
    mst_device_info device;
    atomic_bool opened;      // the device is there
    atomic_int begun, ended; // parts, each after those before it
    cli_whole_file file;     // the page
} all_bench;

// Zeros, shared as said; NULL: out of memory.
all_bench *all_open(void);
void all_close(all_bench *bench);

// Every part within its share of the time. Stops only where there is no device or the program is interrupted: an exit code after
// printing the error.
int all_measure(all_bench *bench);

// "" or what there was no time for, which all_measure leaves out: ", enough for 3 of 8 measurements".
const char *all_left_out(const all_bench *bench, int part, char text[64]);

void all_page(const page *p, const all_bench *bench);

#endif
