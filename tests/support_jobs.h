// A piece of work of each capability, whose results are compared with what the host computes: for threads, long runs and locales.
// Nothing here is shared between two jobs, and no function ends a test: it says what went wrong.
#ifndef MST_TESTS_SUPPORT_JOBS_H
#define MST_TESTS_SUPPORT_JOBS_H

#include <mastaba/mastaba.h>
#include <stdbool.h>

enum {
    JOB_FFT,
    JOB_REAL_FFT,
    JOB_CONVOLUTION,
    JOB_PAPER,
    JOB_FILTER,
    JOB_MAP,
    JOB_INTEGRAL,
    JOB_FIXED,
    JOB_SOLVER,
    JOB_SLABS,
    N_JOBS
};

typedef struct job job;

// Makes a plan; false and why on failure. *out may be run by several threads at once, but for solvers. job_free accepts NULL.
bool job_new(mst_context *context, int kind, job **out, mst_error *why);
void job_free(job *job);

// Executes the plan on data by `seed`, in the place that it chooses (host, device or file), and compares the results; false and
// why.
bool job_run(const job *job, uint64_t seed, mst_error *why);

bool job_is_solver(int kind);
const char *job_name(int kind);

// A solver's first state, and that of the host after so many steps: job_nodes numbers. For threads that share a solver.
enum { JOB_NODES = 48 };
mst_stencil *job_solver(const job *job);
void job_first_state(uint64_t seed, double u[JOB_NODES]);
void job_step(double u[JOB_NODES], unsigned steps);

// The splitmix64 generator with a state of the caller's: a number in [-1, 1), and one below n.
double job_uniform(uint64_t *state);
unsigned job_below(uint64_t *state, unsigned n);

// What a program may do at a time, chosen at random: a new plan of any capability, executed a few times, on the context that is
// given or on one of its own; a .npy file; results of tuning, exported and imported. False and why on failure.
typedef struct job_worker {
    mst_context *context; // has a directory for its cache
    unsigned number;      // names its files in the working directory
    uint64_t random;      // state
    uint64_t n_done;      // calls whose results were checked
    const char *doing;    // the last piece of work
} job_worker;
bool job_mixed(job_worker *worker, mst_error *why);

#endif
