// What is looked at while a scheme runs: monitors, spectra, and the condition at which a run ends.
#ifndef MST_STENCIL_OBSERVATIONS_H
#define MST_STENCIL_OBSERVATIONS_H

#include "part.h"
#include "region.h"

enum { MST_STENCIL_MAX_MONITORS = 64, MST_STENCIL_MAX_SPECTRA = 64, MST_STENCIL_MAX_FREQUENCIES = 4096 };

// An array of the state that an expression reads.
typedef struct mst_array_read {
    int field, level;
    int array;          // of the state, then the coefficient fields
    bool at_neighbours; // at an offset, not only at the node
} mst_array_read;

// An expression at the nodes of a region.
typedef struct mst_observation {
    mst_formula formula;
    mst_region region;                 // of the whole grid
    uint64_t from[N_AXES], to[N_AXES]; // the nodes of the region, an axis, that are the problem's own: of a part, its part's
    uint64_t every;                    // after so many steps; 0: only when asked
    int reach[N_AXES];                 // the largest offset, either way
    size_t n_reads;
    mst_array_read reads[MST_STENCIL_MAX_LEAVES];
} mst_observation;

typedef struct mst_problem_monitor {
    char name[MST_EXPR_MAX_NAME + 1];
    mst_observation what;
    mst_stencil_reduction reduction;
} mst_problem_monitor;

typedef struct mst_problem_spectrum {
    mst_observation what;
    size_t n_frequencies;
    double *frequencies;
    uint64_t first; // of its complex sums, at its own nodes, among those of all spectra
} mst_problem_spectrum;

typedef struct mst_observations {
    size_t n_monitors, n_spectra;
    mst_problem_monitor *monitors;
    mst_problem_spectrum *spectra;
    uint64_t n_sums;       // complex numbers, of all spectra
    size_t n_varying;      // numbers that differ from run to run: the problem's, then those in these formulas
    mst_expr *until;       // NULL: there is none
    int *until_reads;      // of each of its leaves: the monitor; -1: t; -2 - k: the number k that differs from run to run
    double *until_varying; // [number][run]
    uint64_t until_every;
} mst_observations;

// Checks them. The problem is read but for these. Release accepts NULL.
mst_status mst_observations_read(const mst_problem *problem, const mst_stencil_desc *desc, mst_observations **out,
                                 mst_error *error);
void mst_observations_release(mst_observations *observations);

// Leaves of the regions the part's own nodes. (Monitors of an ensemble look at whole runs.)
void mst_observations_cut(mst_observations *observations, bool of_runs, const mst_part part[N_AXES]);

// The nodes of a region along an axis that are the problem's own, and those of all axes.
static inline uint64_t mst_observation_own(const mst_observation *o, int axis) { return o->to[axis] - o->from[axis]; }
static inline uint64_t mst_spectrum_nodes(const mst_problem_spectrum *s) {
    return mst_observation_own(&s->what, PLANES) * mst_observation_own(&s->what, ROWS) * mst_observation_own(&s->what, COLUMNS);
}

// Whether something is looked at after this step; the next such step behind it, UINT64_MAX if there is none; and the least
// number of steps between two looks at the same thing.
bool mst_observations_due(const mst_observations *observations, uint64_t step);
uint64_t mst_observations_next(const mst_observations *observations, uint64_t step);
uint64_t mst_observations_interval(const mst_observations *observations);

// Of the condition, by the values of the monitors that it names: whether it reads one, and whether it holds in a run of so many.
bool mst_observations_until_reads(const mst_observations *observations, size_t monitor);
bool mst_observations_until_holds(const mst_observations *observations, const double *values, double time, size_t run,
                                  size_t n_runs);

#endif
