// mastaba solve: one run of a problem. cmd_solve.c reads the command line, run.c advances the state, the others write.
#ifndef MASTABA_CLI_SOLVE_H
#define MASTABA_CLI_SOLVE_H

#include "problem.h"

typedef struct solve_options {
    const char *name;       // of the problem
    const char *output;     // -o; NULL: none
    const char *checkpoint; // NULL: none
    uint64_t every_steps;   // between checkpoints; 0: by time
    double every_seconds;
    const char *scratch; // directory of the backing store, if that is a file
    bool resume, dry_run;
} solve_options;

typedef struct solve_run {
    const cli_options *common;
    const solve_options *options;
    problem problem;
    mst_context *context;
    mst_stencil *solver;
    int scratch;             // descriptor; -1: none
    uint64_t first;          // the step that this run began with
    double **traces;         // what each receiver recorded after steps 1, 2, ...; NULL: no receivers
    uint64_t traced;         // steps in them
    double last_checkpoint;  // cli_now()
    double predicted;        // seconds, for the steps done
    mst_stencil_plan plan;   // of the whole run
    mst_stencil_report done; // sums over the parts of the run
} solve_run;

static const char solve_command[] = "solve";
extern const cli_command cmd_solve;

// ---- run.c. All return an exit code after printing the error.

// Whether the whole state stays on the device.
static inline bool solve_in_core(const mst_stencil_plan *plan) {
    return plan->schedule == MST_STENCIL_IN_CORE || plan->schedule == MST_STENCIL_SWEEPS;
}

int solve_prepare(solve_run *run); // context, plan, solver, and the state of the checkpoint with --resume
int solve_steps(solve_run *run);   // to the last one, with all that is written on the way
void solve_free(solve_run *run);

// ---- output.c

bool solve_may_replace(const solve_run *run); // files that exist

// Refuses, before any work, what stands in the way of an output; makes directories.
int solve_check_outputs(const solve_run *run);

uint64_t solve_next_frame(const solve_run *run, uint64_t step); // the first step after this one that has a frame, or the last
int solve_write_frames(solve_run *run, uint64_t step);          // those that this step has
int solve_write_result(solve_run *run);                         // -o
int solve_write_state(solve_run *run, const char *path, bool may_replace);

// ---- diverged.c

// Prints the error and a hint, and writes the state for a look at it. Returns CLI_DIVERGED.
int solve_fail_diverged(solve_run *run, const mst_error *error);

// ---- traces.c

int solve_make_traces(solve_run *run);
int solve_take_traces(solve_run *run); // from the solver, up to its step
int solve_write_traces(const solve_run *run);

// ---- checkpoint.c

int solve_write_checkpoint(solve_run *run);
int solve_check_checkpoint(const solve_run *run); // before anything else is made
int solve_take_checkpoint(solve_run *run);        // a checked one, into the solver

// ---- report.c

int solve_print_plan(const solve_run *run); // --dry-run
int solve_print_report(const solve_run *run);

#endif
