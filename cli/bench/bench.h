// `mastaba bench`: every benchmark is one description, which benchmark.c runs as a command of its own and all.c in a share of a
// total time. What it measures is in NAME_measure.c, what was published in published/.
#ifndef MASTABA_BENCH_H
#define MASTABA_BENCH_H

#include "core/cli.h"
#include "page.h"

enum { BENCH_PLAIN, BENCH_PROFILED, BENCH_N_CONTEXTS }; // contexts; the second one keeps the times of commands

// What the results of every benchmark begin with. What is measured has `until`, a time of cli_now() after which nothing begins
// but the first measurement; the rest is then left out, and `cut_short` set.
typedef struct bench_run {
    const char *command; // for messages: "bench filter"
    const cli_options *options;
    mst_context *contexts[BENCH_N_CONTEXTS]; // those that the benchmark asks for
    const mst_device_info *device;           // theirs; NULL without
    char processor[128];                     // the host's
    char date[32];                           // ISO 8601, UTC
    double until;
    bool print; // each result when it is there
    bool cut_short, interrupted;
} bench_run;

// What the values of a benchmark's options begin with.
typedef struct bench_request {
    char *plot; // a directory; NULL: no picture
} bench_request;

// The options of benchmarks that repeat a measurement of arrays of one size, and what they choose.
typedef struct bench_arrays_request {
    bench_request shared;
    int mebibytes, rounds;
} bench_arrays_request;

typedef struct bench_arrays {
    size_t bytes; // of each
    int rounds;   // of which the median is taken
} bench_arrays;

enum { BENCH_MOST_MEBIBYTES = 1 << 16, BENCH_MOST_ROUNDS = 99 };

// `results` points to result_bytes that begin with a bench_run and are zero before the cases are chosen.
typedef struct benchmark {
    cli_command command;     // its run calls bench_run_alone
    const char *name, *part; // "filter"; the heading of its part of the page
    double weight;           // its share of the time of all
    unsigned contexts;       // bits 1 << BENCH_PLAIN and 1 << BENCH_PROFILED; 0: it makes its own
    size_t result_bytes;

    // The cases, by options of the command or by run.until. Returns an exit code after printing the error.
    int (*choose)(const void *request, void *results);
    void (*choose_within)(bool quick, void *results);
    // Measures and checks them. Returns an exit code after printing the error; an interrupted run may end well with
    // `interrupted`.
    int (*measure)(void *results);
    // The exit code for what came out; NULL: done.
    int (*check)(const void *results);

    // How many measurements there are, and how many were wanted.
    void (*count)(const void *results, int *done, int *wanted);

    // How results are shown: as text before and after measuring (NULL: all is printed on the way), as JSON (NULL: out of memory),
    // as a picture, as a part of the page, and by the figure that the benchmark is known by, "" where there is none.
    void (*heading)(const void *results);
    void (*table)(const void *results);
    json_t *(*json)(const void *results);
    cli_plot (*plot)(const void *results);
    void (*page)(const page *p, const void *results);
    void (*headline)(const void *results, char published[200], char here[200]);
} benchmark;

extern const benchmark bench_convolution, bench_filter, bench_integration, bench_pyramid, bench_rates, bench_vector_width;
extern const cli_command cmd_bench, bench_all;

// Runs a benchmark as its command says. Returns an exit code.
int bench_run_alone(const benchmark *b, const cli_arguments *arguments, const void *request);

// Opens the contexts of the bits, and fills in what a run says of where and when it took place. Returns an exit code after
// printing the error. What was opened is closed by the second, in any case.
int bench_open(unsigned contexts, bench_run *run);
void bench_close(bench_run *run);

// As --mebibytes and --rounds say; returns an exit code after printing the error. The second: for a part of all benchmarks, in
// which `n_arrays` of the arrays are to fit the device memory allowed.
int bench_choose_arrays(const bench_run *run, const bench_arrays_request *request, bench_arrays *arrays);
void bench_choose_arrays_within(const bench_run *run, bool quick, size_t n_arrays, bench_arrays *arrays);

// Whether --NAME is a time of up to an hour; prints the error otherwise.
bool bench_is_time(const bench_run *run, const char *name, double seconds);

double bench_between(double low, double value, double high);

#endif
