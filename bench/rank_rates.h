// rank-rates: what ranks of an MPI job take, and what the parts take that a model puts together (bench/scaling).
#ifndef BENCH_RANK_RATES_H
#define BENCH_RANK_RATES_H

#include "core/cli.h"

#include <jansson.h>
#include <mastaba/mpi.h>

enum { RANK_MOST_ROUNDS = 51 };

// Links are measured by as many ranks at once as there are cores, the active ones, while the others sleep; parts in turns, in
// each of which all ranks do theirs once, and then wait for one another's word.
typedef struct rank_run {
    mst_context *context;
    MPI_Comm active; // MPI_COMM_NULL: this rank is none of them
    int number, count, n_active, rounds;
    int peer;  // 1: FFTW's plans are measured, too
    int apart; // 1: ranks are as if on hosts of their own
} rank_run;

// One of the things that are measured in turns: the seconds of each round.
typedef struct rank_timing {
    double seconds[RANK_MOST_ROUNDS];
    int n;
} rank_timing;

// Seconds of `work`, repeated for some milliseconds at least, between barriers of the communicator. Collective there.
mst_status rank_time(MPI_Comm communicator, mst_status (*work)(void *user, mst_error *error), void *user, rank_timing *timing,
                     mst_error *error);

// A word to both neighbours, or to each of the others, and theirs; user: the run.
mst_status rank_tell_neighbours(void *user, mst_error *error);
mst_status rank_tell_all(void *user, mst_error *error);

// A barrier of all ranks that leaves the processor to others.
void rank_sleep(void);

double rank_median(const rank_timing *timing);
json_t *rank_seconds(const rank_timing *timing); // of all rounds

// Each adds what it found to the object, on the first rank. NULL of the peer: there is none.
mst_status rank_measure_words(rank_run *run, json_t *to, mst_error *error);                     // rank_links.c
mst_status rank_measure_links(rank_run *run, json_t *to, mst_error *error);                     // rank_links.c
mst_status rank_measure_fft(rank_run *run, const char *text, json_t *to, mst_error *error);     // rank_fft.c
mst_status rank_measure_stencil(rank_run *run, const char *text, json_t *to, mst_error *error); // rank_stencil.c

// What the plan of a transform by so many ranks has the first of them send; nothing is measured.
mst_status rank_plan_fft(int n_ranks, const char *text, json_t *to, mst_error *error);

// The same transform by FFTW-MPI (rank_peer.c), where it is built with it: `out` is NULL otherwise.
typedef struct rank_peer rank_peer;
mst_status rank_peer_create(const size_t shape[3], rank_peer **out, mst_error *error);
mst_status rank_peer_run(void *peer, mst_error *error);
double rank_peer_compare(rank_peer *peer, const float *input, const float *output, size_t n); // the relative difference, of all
void rank_peer_destroy(rank_peer *peer);

// mst_error with a message of this program's.
mst_status rank_fail(mst_error *error, mst_status status, const char *message);

// "256x256x256": up to three numbers, until a colon or the end. Returns how many, 0: none of these.
int rank_parse_shape(const char *text, size_t shape[3]);

#endif
