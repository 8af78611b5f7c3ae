// What fft-peers and convolution-peers share: the command line, the rounds, the table and the JSON.
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include "core/cli.h"
#include "peers.h"

#include <jansson.h>

enum { MOST_PEERS = 8, MOST_CASES = 96, MOST_ROUNDS = 99, CASE_TEXT = 80 };

struct bench_options;

typedef struct peer_entry {
    const char *name;
    const char *package;    // where it comes from
    const bench_peer *peer; // NULL: not built in
    bool on_cpu, on_gpu;    // in the comparison by default
} peer_entry;

typedef struct bench_program {
    const char *name, *what;
    operation operation;
    const char *lengths_cpu, *lengths_gpu;
    bool (*suite)(struct bench_options *o, bool is_gpu); // adds the cases to take where none is asked for; NULL: these lengths
    const peer_entry *entries;                           // Mastaba first; ends with a NULL name
} bench_program;

typedef struct bench_options {
    const bench_program *bench;
    char *lengths, *shape, *peers, *json;
    char *points; // as given
    size_t n_points;
    int is_double, out_of_place, is_real, inverse, columns, single;
    int rounds;
    int sample_ms;
    int n_threads; // FFTW's
    bench_case cases[MOST_CASES];
    int n_cases;
} bench_options;

// What one peer did in one case.
typedef struct bench_result {
    bool done;
    bool wrong;                  // an error beyond any rounding
    double seconds, least, most; // median of the rounds, and their extremes
    double error;
    double create_seconds;
    char why[PEER_TEXT]; // not done
} bench_result;

// One comparison: the peers that take part, and how each did.
typedef struct comparison {
    const bench_program *bench;
    const bench_options *options;
    mst_context *context;
    bool is_gpu;
    double copy_rate;
    double launch_seconds; // of an empty kernel, one after the other
    char date[32];
    char processor[128]; // the host's, FFTW's
    const bench_peer *peers[MOST_PEERS];
    int n_peers;
    int n_done; // cases
    bench_result results[MOST_CASES][MOST_PEERS];
} comparison;

// options.c. These return CLI_USAGE and false after printing the error.
int options_check(bench_options *o, const bench_program *bench);
bool options_cases(bench_options *o, bool is_gpu);   // makes the cases, when n_points is known
bool options_shape(bench_case *w, const char *text); // "1000" or "512,2^9": the first member
bool options_add(bench_options *o, const bench_case *w);
bool options_has(const char *list, const char *name); // "a,b,c"

// fft_suite.c
bool fft_suite(bench_options *o, bool is_gpu);

// rounds.c: fills results[number] of every peer. False: out of memory.
typedef struct bench_arrays {
    cl_mem x, y, output;
    void *host_x, *host_y;
} bench_arrays;
bool measure_case(comparison *c, const bench_arrays *arrays, int number);

// report.c
void report_heading(const comparison *c);
void report_case(const comparison *c, int number);
void report_summary(const comparison *c);
bool report_json(const comparison *c, const char *path);

// harness.c: all of main.
int bench_main(const bench_program *bench, int argc, const char **argv);

#endif
