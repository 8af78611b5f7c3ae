// The ranks of mastaba-mpi: one of them, the first, speaks for all.
#ifndef MASTABA_MPI_RANKS_H
#define MASTABA_MPI_RANKS_H

#include "core/cli.h"

#include <mastaba/mpi.h>

// MPI_Init_thread, and the ranks are the team of core/team.h; from here on what other ranks than the first print goes nowhere.
// False: MPI cannot be used.
bool ranks_begin(int *argc, char ***argv);
void ranks_end(void);

// Commands have the options of ranks, and MPI is not begun: for what only describes them.
void ranks_describe(void);

int ranks_number(void); // of this rank
int ranks_count(void);

// From here on the rank ends, and with it the job, when it has waited for others for so many seconds; 0: never. Between
// agreements only waiting may take so long; work that does is put between a pause and the next agreement.
void ranks_watch(const char *command, double seconds);
void ranks_pause_watch(void);
void ranks_give_up(void); // at once, with the same words

// A convolution by transforms that the ranks share (array/convolve_together.h).
struct convolve_together;
int ranks_convolve(struct convolve_together *work, const cli_options *options);

extern const cli_command mpi_fft, mpi_solve;

#endif
