// The processes that do a command's work together: this one alone, or the ranks of an MPI job, by mpi/cli/ranks.c. Each of them
// runs the same command on its share of a batch; the first one speaks for all.
#ifndef MASTABA_CLI_TEAM_H
#define MASTABA_CLI_TEAM_H

#include "options.h"

#include <stdbool.h>

struct convolve_together; // array/convolve_together.h
struct filter_together;   // image/filter.h
struct cli_image_part;    // image/image.h
struct json_t;

typedef struct cli_team {
    int number, count; // of this process, and of all
    int (*agree)(const char *command, int code);
    bool (*same)(uint64_t value);
    void (*tell)(void *data, size_t bytes, int from);
    void (*sum)(uint64_t *values, size_t n);
    mst_status (*create)(const mst_context_desc *desc, mst_context **out, mst_error *error);
    int (*watch)(const char *command, double seconds);
    void (*pause)(void);
    void (*go_on)(void);
    int (*meet)(const char *command, int code);
    int (*convolve)(struct convolve_together *work, const cli_options *options); // NULL: there is nobody to do it with
    int (*filter)(const struct filter_together *work);
    int (*filter_part)(const char *command, const char *path, const mst_filter_desc *desc, struct cli_image_part *part);
    int (*filter_plan)(const char *command, const char *path, const mst_filter_desc *desc, struct json_t *list); // who has what
} cli_team;

void cli_set_team(const cli_team *team); // before any command runs; the caller's
const cli_team *cli_get_team(void);      // of one process, unless another was set

// What follows are calls that all of the team make, in the same order.

// All get the exit code of the lowest one that failed, whose message is printed once.
int cli_agree(const char *command, int code);

// The bytes of the process `from` go to all.
void cli_tell(void *data, size_t bytes, int from);

// The sums of all, number by number, for all.
void cli_sum(uint64_t *values, size_t n);

// Whether all have the same number.
bool cli_same(uint64_t value);

// A context of this process, as mst_context_create makes one.
mst_status cli_create_context(const mst_context_desc *desc, mst_context **out, mst_error *error);

// Until the next agreement this process may take its time; the others, if they are ready before, give it the timeout.
void cli_take_time(void);

// Between these each works by itself and may take its time. It says now and then that it goes on (cli_progress_update does), and
// is waited for as long as it does. All get the exit code of the work, as by cli_agree; the report's seconds become those until
// the last was ready. Returns when the work began.
double cli_work_begin(void);
void cli_work_goes_on(void); // nothing where no such work is under way
int cli_work_end(const char *command, int code, double began, mst_report *report);
// The same within it: all wait for those that say that they go on, and get one exit code.
int cli_work_meet(const char *command, int code);

// ---- Shares

// Indices of the first axis of a batch.
typedef struct cli_share {
    size_t first, count, all;
} cli_share;

// The share of process `number` in `all`: as many for each, rounded up, as long as there are some.
cli_share cli_share_of(size_t all, int number);

// This process's share of the first axis of what a command computes; an exit code, where several have nothing to share.
int cli_share_batch(const char *command, size_t all, cli_share *share);

// Cuts an array down to a share of its first axis, unless that is of length 1, which goes with all of the others'. An exit code,
// where it is of another length.
int cli_share_cut(const char *command, const cli_share *share, mst_layout *layout, mst_location *location);

// The whole result of which this process computes a share.
mst_layout cli_share_whole(const cli_share *share, const mst_layout *own);

// Elements of `bytes` each, of which everybody has its share, for all.
void cli_share_gather(void *data, size_t all, size_t bytes);

#endif
