// How a capability declares what can be tuned. Every plan asks mst_tune_choose for its values; whether they are looked up or
// searched for is none of the capability's business.
#ifndef MST_TUNE_TUNE_H
#define MST_TUNE_TUNE_H

#include "runtime/context.h"

#include <mastaba/tune.h>

enum { MST_TUNE_VALUES = 16, MST_TUNE_VARIANT = 96 };

typedef struct mst_tune_parameter {
    const char *name;                // in the database
    int n;                           // legal values for this device and problem
    int64_t values[MST_TUNE_VALUES]; // different ones
    int64_t safe;                    // one of them, right where nothing is known
} mst_tune_parameter;

// The work to time. A candidate is what `build` makes of values, a plan say.
typedef struct mst_tune_work {
    // Before and after a search: data and where results go. finish comes even after a prepare that failed or was not reached.
    mst_status (*prepare)(void *user, uint64_t seed, mst_error *error);
    void (*finish)(void *user);
    // From several threads at once, but never during a run.
    mst_status (*build)(void *user, const int64_t *values, void **candidate, mst_error *error);
    // Called before a candidate's first run, so that what it fails to write is not taken from another one's. May be NULL.
    mst_status (*clear)(void *user, mst_error *error);
    void (*discard)(void *user, void *candidate);
    // Does the work `times` times, and waits for it. What may take long asks how->progress whether to go on.
    mst_status (*run)(void *user, void *candidate, int times, const mst_execution *how, mst_error *error);
    // Whether what the last run left is right. The first call is for the safe values, whose results are right by definition.
    mst_status (*check)(void *user, void *candidate, bool *right, mst_error *error);
    void (*timed)(void *user, const int64_t *values, double seconds); // what was found for a right candidate; may be NULL
    double (*clock)(void *user);                                      // seconds, for the times of runs; NULL: the host's
} mst_tune_work;

// How far the making of a plan has gone through the sources of values (mst_tuning_source). Values that were found or shipped once
// may not work any more, which must not keep anybody from having a plan: then the next source is tried. All zero at first.
typedef struct mst_tune_chain {
    mst_tuning_source used;   // of the values of this attempt; 0: it did not get that far
    mst_tuning_source failed; // nothing up to here comes into question
    bool searched;            // once is enough
    mst_error why;            // of this attempt
} mst_tune_chain;

// After an attempt that gave `status` and chain->why: whether to make another one, with values from the next place, which is
// logged. If not, an error goes to *error.
bool mst_tune_goes_on(mst_context *context, mst_tune_chain *chain, mst_status status, mst_error *error);

typedef struct mst_tune_problem {
    const char *capability;
    char variant[MST_TUNE_VARIANT]; // results count for the same variant only
    uint64_t size;                  // without an entry of this size, that of the nearest one counts,
    uint64_t most_times;            // if it is at most so many times as large or as small; 0: however far away
    uint64_t kernel;                // results for other kernels are no better than those for other sizes
    uint64_t elements;              // of the arrays of test runs; 0: not said
    int n_parameters;
    mst_tune_parameter parameters[MST_TUNING_MAX_VALUES];
    // An estimate of the time, in any unit; INFINITY: these values do not go together. NULL: all do, and nothing is known.
    double (*cost)(const void *user, const int64_t *values);
    const mst_tune_work *work; // NULL: too large for test runs; values are only looked up
    void *user;
    mst_tune_chain *chain; // of the plan that is being made; NULL: it takes whatever there is
} mst_tune_problem;

// Adds a parameter of n legal values, to which more may be added.
mst_tune_parameter *mst_tune_add(mst_tune_problem *problem, const char *name, int64_t safe, int n, const int64_t *values);

// Whether plans of the context may be searched for now. If not, `work` and what only test runs need may be left out.
bool mst_tune_is_on(mst_context *context);

// The values of a problem, one a parameter: looked up, or searched for if the context tunes and there is no exact result, or if
// `forced` asks for it. MST_ERROR_CANCELLED; what building the safe candidate gives; never fails without a search.
mst_status mst_tune_choose(mst_context *context, const mst_tune_problem *problem, bool forced, int64_t *values, mst_error *error);

// Searches (search.c). `before` are the values that the problem has without a search. Only values that beat both them and the
// safe ones, run in turns, take their place. `untuned` are those of a device where nothing was tuned; they are tried however
// little time there is.
typedef struct mst_tune_found {
    int64_t values[MST_TUNING_MAX_VALUES];
    double seconds, before_seconds, safe_seconds;
    unsigned tried, candidates, wrong;
    double search_seconds;
} mst_tune_found;
mst_status mst_tune_search(const mst_tune_problem *problem, const mst_tuning *how, const int64_t *before, const int64_t *untuned,
                           mst_tune_found *found, mst_error *error);
// The times of some values beside those of a device where nothing was tuned, for how->seconds; found->before_seconds is of these.
// MST_ERROR_UNSUPPORTED: either do not work.
mst_status mst_tune_compare(const mst_tune_problem *problem, const mst_tuning *how, const int64_t *untuned, const int64_t *values,
                            mst_tune_found *found, mst_error *error);

#endif
