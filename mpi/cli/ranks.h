// The ranks of mastaba-mpi: one of them, the first, speaks for all.
#ifndef MASTABA_MPI_RANKS_H
#define MASTABA_MPI_RANKS_H

#include "core/cli.h"

#include <mastaba/mpi.h>

// MPI_Init_thread; from here on what other ranks than the first print goes nowhere. False: MPI cannot be used.
bool ranks_begin(int *argc, char ***argv);
void ranks_end(void);

int ranks_number(void); // of this rank
int ranks_count(void);

// From here on the rank ends, and with it the job, when it has waited for others for so many seconds; 0: never. Between
// agreements only waiting may take so long; work that does is put between a pause and the next agreement.
void ranks_watch(const char *command, double seconds);
int ranks_check_timeout(const char *command, double seconds); // whether it can be counted: an exit code
void ranks_pause_watch(void);
void ranks_give_up(void); // at once, with the same words

// All ranks call it with their exit codes, and all get that of the lowest one that failed, whose message the first rank prints.
int ranks_agree(const char *command, int code);

// The first rank's bytes go to all.
void ranks_share(void *data, size_t bytes);

// Whether all ranks have the same number.
bool ranks_same(uint64_t value);

// A context for this rank, as the options ask. Collective.
int ranks_context(const char *command, const cli_options *options, mst_context **out);

extern const cli_command mpi_fft, mpi_solve;

#endif
