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

// For work that takes some ranks much longer than others, as reading parts of unlike sizes: it begins with a pause, says again
// and again that it goes on, in steps that each take less than the timeout, and ends when all ranks meet, which none may leave
// out, whatever its exit code; they get one, as by cli_agree. Those that wait end the job only if a rank is silent for so long.
void ranks_go_on(void);
int ranks_meet(const char *command, int code);

void ranks_give_up(void); // at once, with the same words

// A convolution by transforms that the ranks share (array/convolve_together.h).
struct convolve_together;
int ranks_convolve(struct convolve_together *work, const cli_options *options);

// An image filtered by all ranks (image/filter.h).
struct filter_together;
struct cli_image_part;
struct json_t;
int ranks_filter(const struct filter_together *work);
int ranks_filter_part(const char *command, const char *path, const mst_filter_desc *desc, struct cli_image_part *part);
int ranks_filter_plan(const char *command, const char *path, const mst_filter_desc *desc, struct json_t *list);

// Bytes of that rank go to the first one; the others do nothing.
void ranks_collect(void *data, size_t bytes, int from);

extern const cli_command mpi_fft, mpi_solve;

#endif
