// group-rates: what a group of devices does in the time of one of them.
#ifndef BENCH_GROUP_RATES_H
#define BENCH_GROUP_RATES_H

#include "core/cli.h"

#include <jansson.h>

enum { GROUP_MOST_DEVICES = 16, GROUP_ROUNDS = 3 };

// How much is computed. Grids are of that many nodes an axis.
typedef struct group_sizes {
    size_t plane, cube, layers; // nodes along an axis
    size_t batch_bytes, map_bytes, integrals, runs, fft_line, fft_cube;
    double sample_seconds;
} group_sizes;

// What a group and one device do through their links at once: bytes a second, all together.
typedef enum group_link { LINK_UP, LINK_DOWN, LINK_ONE_EACH, LINK_TWO_UP, N_LINKS } group_link;

typedef struct group_run {
    const cli_options *options;
    const group_sizes *sizes;
    const char *only;
    mst_context *group, *one; // `one` has the first device of the group alone, or the device that they are parts of
    double worth;             // how many of the group's devices `one` is as large as
    int n;
    double began, end;                            // nothing begins after the latter
    double link[GROUP_MOST_DEVICES + 1][N_LINKS]; // of the first so many devices at once
    const char *json;                             // where the results are after each row
    json_t *rows, *failures, *peers, *left_out;   // the last: names of cases that did not begin
} group_run;

// False: what was not asked for, or the time is over, which is noted.
bool group_wants(group_run *run, const char *name);

// A row: seconds of the group, what they should be, and the least ratio of the second to the first that is wanted. The rest is a
// json_pack'ed object of what else is known, which this takes.
void group_row(group_run *run, const char *name, const char *against, double seconds, double ideal, double goal, json_t *more);

// A case that could not be run, or that was wrong.
void group_failed(group_run *run, const char *name, const char *why);

// A context like `one` or `group`, with a budget of device memory.
mst_status group_context(const group_run *run, bool group, uint64_t device_memory, mst_context **out, mst_error *error);

// The median of GROUP_ROUNDS calls after one to warm up; negative: it failed.
double group_median(mst_status (*work)(void *user, mst_error *error), void *user, mst_error *error);

// Another library's transform of that shape on the same devices, for the record: group_peer.c.
void group_peer(group_run *run, int rank, size_t length);

bool group_measure_links(group_run *run);     // group_link.c
void group_measure_in_core(group_run *run);   // group_stencils.c
void group_measure_beyond(group_run *run);    // and ensembles
void group_measure_integrals(group_run *run); // group_batches.c
void group_measure_arrays(group_run *run);
void group_measure_spread(group_run *run); // group_spread.c

#endif
