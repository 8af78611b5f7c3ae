// What fft-peers and convolution-peers share: the command line, the rounds, the table and the JSON.
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include "core/cli.h"
#include "peers.h"

#include <jansson.h>

enum { MOST_PEERS = 8, MOST_LENGTHS = 64, MOST_ROUNDS = 99 };

typedef struct peer_entry {
    const char *name;
    const char *package;    // where it comes from
    const bench_peer *peer; // NULL: not built in
    bool on_cpu, on_gpu;    // in the comparison by default
} peer_entry;

typedef struct bench_program {
    const char *name, *what;
    operation operation;
    int arrays; // that the least possible work reads and writes
    const char *lengths_cpu, *lengths_gpu;
    const peer_entry *entries; // Mastaba first; ends with a NULL name
} bench_program;

typedef struct bench_options {
    const bench_program *bench;
    char *lengths, *peers, *json;
    char *points; // as given
    size_t n_points;
    int is_double, in_place, out_of_place;
    int rounds;
    int sample_ms;
    int n_threads; // FFTW's
    size_t n[MOST_LENGTHS];
    int n_lengths;
} bench_options;

// What one peer did at one length.
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
    char date[32];
    char processor[128]; // the host's, FFTW's
    const bench_peer *peers[MOST_PEERS];
    int n_peers;
    int n_done; // lengths
    size_t n_vectors[MOST_LENGTHS];
    bench_result results[MOST_LENGTHS][MOST_PEERS];
} comparison;

// options.c. These return CLI_USAGE and false after printing the error.
int options_check(bench_options *o, const bench_program *bench);
bool options_lengths(bench_options *o, const char *text); // "16,2^5..2^20,mixed"
bool options_has(const char *list, const char *name);     // "a,b,c"

// rounds.c: fills results[length] of every peer. False: out of memory.
typedef struct bench_arrays {
    cl_mem x, y, output;
    void *host_x, *host_y;
} bench_arrays;
bool measure_length(comparison *c, const bench_arrays *arrays, int length);

// report.c
void report_heading(const comparison *c);
void report_length(const comparison *c, int length);
void report_summary(const comparison *c);
bool report_json(const comparison *c, const char *path);

// harness.c: all of main.
int bench_main(const bench_program *bench, int argc, const char **argv);

#endif
