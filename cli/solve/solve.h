// mastaba solve: one run of a problem. cmd_solve.c reads the command line, run.c advances the state, the others write.
#ifndef MASTABA_CLI_SOLVE_H
#define MASTABA_CLI_SOLVE_H

#include "problem.h"

typedef struct solve_options {
    const char *name;       // of the problem
    const char *output;     // -o; NULL: none
    mst_type output_type;   // of it; 0: the precision
    const char *checkpoint; // NULL: none
    uint64_t every_steps;   // between checkpoints; 0: by time
    double every_seconds;
    const char *scratch; // directory of the backing store, if that is a file; NULL: the current one
    bool resume, dry_run, only_stability;
} solve_options;

// What a monitor found at the steps 0, every, 2 every, ..: n looks, of each a value a run.
typedef struct solve_rows {
    double *values;
    size_t n, capacity;
} solve_rows;

typedef struct solve_array solve_array; // one of the state

// A solver of the whole grid that all of a team (core/team.h) share: its functions are as those of mst_stencil_* of these names,
// called by all, with one status and one result.
typedef struct solve_shared {
    void *solver;
    mst_stencil_brick brick; // of this process
    mst_status (*run)(void *solver, uint64_t steps, const mst_execution *how, mst_stencil_report *report, mst_error *error);
    uint64_t (*step)(const void *solver);
    mst_status (*measure)(void *solver, size_t monitor, double *values, mst_error *error);
    mst_status (*read_monitor)(void *solver, size_t monitor, uint64_t first, uint64_t count, double *values, mst_error *error);
    mst_status (*read_receiver)(void *solver, size_t receiver, uint64_t first, uint64_t count, double *values, mst_error *error);
} solve_shared;

typedef struct solve_run {
    const cli_options *common;
    const solve_options *options;
    problem problem;
    mst_context *context;
    mst_stencil *solver;        // of a team this process's own, NULL if it has no planes
    const solve_shared *shared; // of a team; NULL: `solver` has the whole grid
    int scratch;                // descriptor; -1: none
    cli_output result;          // -o
    cli_output *trace_files;    // one a receiver
    cli_output trace_spectra[PROBLEM_MOST_RECEIVERS];
    cli_place frame_places[PROBLEM_MOST_OUTPUTS], checkpoint_place;
    FILE *resumed;         // the checkpoint that was found good; NULL: none
    uint64_t resumed_step; // what it is of
    uint64_t first;        // the step that this run began with
    double **traces;       // what each receiver recorded after steps 1, 2, ...; NULL: no receivers
    uint64_t traced;       // steps in them
    solve_rows rows[PROBLEM_MOST_MONITORS];
    double *latest; // room for a value a run
    cli_output row_files[PROBLEM_MOST_MONITORS], spectrum_files[PROBLEM_MOST_SPECTRA];
    bool ended;              // the condition `until` holds
    solve_array *state;      // what a checkpoint holds of fields and layers
    size_t n_state;          // arrays in it
    double last_checkpoint;  // cli_now()
    bool first_checkpoint;   // the next one is the first of this run, and may not replace another's
    double predicted;        // seconds, for the steps done
    mst_stencil_plan plan;   // of the whole run
    mst_stencil_report done; // sums over the parts of the run
} solve_run;

static const char solve_command[] = "solve";
extern const cli_command cmd_solve;

// Of the command line, for mastaba-mpi too: "512x1024", a NULL-ended list of "NAME=NUMBER", which are cut at the '=', "waits" or
// "beside", and "500" steps or a time. These return an exit code after printing the error.
bool solve_read_sizes(const char *text, size_t *sizes, int *n); // of the first; false: it is none, and nothing is printed
int solve_take_grid(const char *text, problem_overrides *overrides);
int solve_take_set(char **set, problem_overrides *overrides);
int solve_take_subnormals(const char *text, problem_overrides *overrides);
int solve_take_exchange(const char *text, mst_stencil_halo_exchange *exchange);
int solve_check_output_type(const solve_run *run);              // of --output-type
int solve_take_every(const char *text, solve_options *options); // of --checkpoint-every

// ---- shared.c. What differs where a team has the state together. All of it call these in the same order.

bool solve_is_first(void);                 // of the team: the one that opens and names files
uint64_t solve_step(const solve_run *run); // that the state has reached

// A field's region, with numbers of the type (0: the precision), to that offset of the first process's file. Returns an exit
// code.
int solve_put(solve_run *run, const cli_whole_file *whole, uint64_t offset, const char *field, const mst_stencil_region *region,
              mst_type type);
// The same by this process alone of what it has, to a file that it has open.
int solve_put_own(solve_run *run, const char *path, int file, uint64_t offset, const char *field,
                  const mst_stencil_region *region, mst_type type);

// ---- run.c. All return an exit code after printing the error.

// Whether the whole state stays on the device.
static inline bool solve_in_core(const mst_stencil_plan *plan) {
    return plan->schedule == MST_STENCIL_IN_CORE || plan->schedule == MST_STENCIL_SWEEPS;
}

int solve_prepare(solve_run *run); // context, plan, solver, and the state of the checkpoint with --resume
int solve_steps(solve_run *run);   // to the last one, with all that is written on the way
void solve_free(solve_run *run);

// ---- places.c

bool solve_may_replace(const solve_run *run); // files that exist

// Opens, before any work, all that is to be written, or the directory for it where that comes in several files, and makes these
// directories; refuses what stands in the way. Takes the space of -o and of the traces, and warns where there is none for the
// rest.
int solve_open_outputs(solve_run *run);
void solve_close_outputs(solve_run *run);

// ---- output.c

// The name of a frame's file: "FILE-00000100.npy", with "-FIELD" behind FILE if each of several fields has a file of its own; and
// of the list of an output's .vti files. False if it is too long.
bool solve_frame_path(const problem_output *output, size_t field, uint64_t step, char path[FRAME_PATH_BYTES]);
bool solve_list_path(const problem_output *output, char path[FRAME_PATH_BYTES]);
size_t solve_files_a_frame(const problem_output *output);
void solve_frame_grid(const solve_run *run, const problem_output *output, frame_grid *grid);
mst_layout solve_result_layout(const solve_run *run);

uint64_t solve_next_frame(const solve_run *run, uint64_t step); // the first step after this one that has a frame, or the last
int solve_write_frames(solve_run *run, uint64_t step);          // those that this step has
int solve_write_result(solve_run *run);                         // -o

// The last state under another name in the directory of -o, of the checkpoint or of the frames.
int solve_write_elsewhere(solve_run *run, const char *path);

// ---- stability.c

int solve_check_stability(const solve_run *run); // refuses a time step that is too large
int solve_print_stability(const solve_run *run); // --check-stability

// ---- diverged.c

// Prints the error and a hint, and writes the state for a look at it. Returns CLI_DIVERGED.
int solve_fail_diverged(solve_run *run, const mst_error *error);

// ---- traces.c

int solve_make_traces(solve_run *run);
int solve_take_traces(solve_run *run); // from the solver, up to its step
mst_layout solve_trace_layout(const solve_run *run, size_t receiver);
int solve_write_traces(solve_run *run);
mst_layout solve_trace_spectrum_layout(const solve_run *run, size_t receiver);
int solve_write_trace_spectra(solve_run *run);

// ---- monitors.c

int solve_begin_rows(solve_run *run); // room for them, and the values at step 0
int solve_take_rows(solve_run *run);  // from the solver, up to its step
void solve_free_rows(solve_run *run);
const double *solve_last_values(const solve_run *run, size_t monitor); // of all runs; NULL: it has not looked yet
void solve_note_monitors(const solve_run *run, char *note, size_t size);
void solve_print_monitors(const solve_run *run); // the last values, for the report
int solve_write_rows(solve_run *run);
mst_layout solve_spectrum_layout(const problem *p, size_t spectrum);
int solve_write_spectra(solve_run *run);

// Of a checkpoint: what was found up to a step, to memory, and from a file for the step that is resumed.
uint64_t solve_found_bytes(const problem *p, uint64_t step);
size_t solve_rows_bytes(const solve_run *run);
size_t solve_copy_rows(const solve_run *run, void *to);  // of monitors; returns their bytes
int solve_read_spectra(solve_run *run, mst_location to); // behind them; of a team, this process's part
int solve_take_found(solve_run *run, int file, uint64_t offset);

// ---- checkpoint.c

int solve_list_state(solve_run *run); // the arrays that a checkpoint holds, before any other of these
int solve_write_checkpoint(solve_run *run);
uint64_t solve_checkpoint_bytes(const solve_run *run, uint64_t step);

// Opens the checkpoint and reads all of it once to see that it is a good one, before anything else is made; then takes the state
// from the same open file into the solver.
int solve_open_checkpoint(solve_run *run);
int solve_place_checkpoint(solve_run *run); // refuses what may not be replaced, and opens its directory
int solve_take_checkpoint(solve_run *run);

// The same by a team (core/team.h), of which each has a solver of a part of the grid, or none. The file is as one process's.
int solve_open_shared_checkpoint(solve_run *run);
int solve_write_shared_checkpoint(solve_run *run);

// ---- report.c

int solve_print_plan(const solve_run *run); // --dry-run
int solve_print_report(const solve_run *run);
void solve_print_found(const solve_run *run);                 // by monitors, and whether the condition ended the run
int solve_add_monitors(const solve_run *run, json_t *object); // the same; 0, or as jansson's functions fail

#endif
