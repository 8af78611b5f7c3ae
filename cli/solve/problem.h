// A problem file: what `mastaba solve` solves, as the library's description and what the program does besides. docs/stencils.md
// has the format.
#ifndef MASTABA_CLI_PROBLEM_H
#define MASTABA_CLI_PROBLEM_H

#include "frames.h"
#include "yaml_file.h"

enum {
    PROBLEM_MOST_PARAMETERS = 64,
    PROBLEM_MOST_OUTPUTS = 8,
    PROBLEM_MOST_SOURCES = 1024,
    PROBLEM_MOST_RECEIVERS = 64,
    PROBLEM_MOST_SHARES = 64
};

typedef enum problem_format { PROBLEM_NPY, PROBLEM_VTI, PROBLEM_PNG } problem_format;

typedef struct problem_output {
    uint64_t every;
    const char *file; // "frames/u": what the names begin with
    problem_format format;
    size_t n_fields;
    const char *fields[MST_STENCIL_MAX_FIELDS];
    mst_stencil_region region; // of the grid; of an ensemble, of the grid of each of these runs
    size_t first_run, n_runs;
    bool of_one_run, sliced[MST_MAX_AXES]; // the runs, or axes, that a slice fixes, and frames do not have
    mst_type type;                         // of .npy files; 0: the precision
    frame_style style;
} problem_output;

// A place in nodes: a position, which is whole or not, or a region, of one node if nothing is a range.
typedef struct problem_place {
    double position[MST_MAX_AXES];
    mst_stencil_region region;
    bool is_whole, is_range;
} problem_place;

typedef struct problem_receiver {
    const char *file;
    size_t (*points)[MST_MAX_AXES]; // of the library's receiver of the same index, where all are nodes
    double (*positions)[MST_MAX_AXES];
    frame_style style;
    const char *spectrum_file; // of what is recorded; NULL: none
    double *frequencies;
    size_t n_frequencies;
} problem_receiver;

enum {
    PROBLEM_MOST_MONITORS = 32,
    PROBLEM_MOST_REDUCTIONS = 16, // in `until`
    PROBLEM_MOST_SPECTRA = 32,
    PROBLEM_MOST_FREQUENCIES = 4096
};

typedef struct problem_spectrum {
    const char *file;
    double *frequencies;
    bool fixed[MST_MAX_AXES]; // axes that the region has one node of, and the file does not have
} problem_spectrum;

// What the command line sets in place of the file.
typedef struct problem_overrides {
    int rank; // of grid; 0: not given
    size_t grid[MST_MAX_AXES];
    double time_step;   // 0: not given
    mst_type precision; // 0: not given
    int subnormals;     // one more than a mst_stencil_subnormals; 0: not given
    int64_t steps;      // < 0: not given
    size_t n_set;
    mst_stencil_parameter set[PROBLEM_MOST_PARAMETERS];
    double shares[PROBLEM_MOST_SHARES]; // to which the description points
} problem_overrides;

typedef struct problem {
    cli_yaml yaml; // owns the strings
    problem_overrides overrides;
    mst_stencil_desc desc; // its tables are those below
    uint64_t steps;
    size_t storage_bytes;   // of fields that do not say it
    double step_limit;      // the largest stable time step; 0: not given
    double safety;          // time_step: auto, so much of the largest stable one; 0: it is given
    yaml_node_t *step_node; // where that stands
    size_t n_outputs;
    mst_stencil_parameter parameters[PROBLEM_MOST_PARAMETERS]; // nx, ny, nz, then the file's
    yaml_node_t *parameter_nodes[PROBLEM_MOST_PARAMETERS];     // where their values stand
    const char *run_parameters[PROBLEM_MOST_PARAMETERS];       // those that differ from run to run
    double *run_values;                                        // [run][parameter]
    mst_stencil_definition definitions[MST_STENCIL_MAX_DEFINITIONS];
    mst_stencil_field fields[MST_STENCIL_MAX_FIELDS];
    yaml_node_t *initial_nodes[MST_STENCIL_MAX_FIELDS][2]; // where the initial values of the levels stand; NULL: nowhere
    mst_npy *data[MST_STENCIL_MAX_FIELDS][2];              // files of initial values
    mst_npy *materials;                                    // the numbers of materials, and their tables
    double *material_rows;
    yaml_node_t *regions; // of materials; their parameters are these fields
    size_t first_material, n_materials;
    size_t n_mask_files;
    mst_stencil_update updates[MST_STENCIL_MAX_FIELDS];
    mst_stencil_boundary boundaries[2 * MST_MAX_AXES];
    mst_stencil_boundary field_boundaries[MST_STENCIL_MAX_FIELDS][2 * MST_MAX_AXES];
    size_t substep; // of the updates being read
    mst_stencil_source *sources;
    double **samples; // of sources
    problem_place *places;
    mst_stencil_receiver *receivers;
    problem_receiver *traces;
    size_t n_traces; // those read; the solver has fewer receivers where they are left out
    mst_stencil_monitor monitors[PROBLEM_MOST_MONITORS + PROBLEM_MOST_REDUCTIONS]; // the file's, then those of `until`
    const char *monitor_files[PROBLEM_MOST_MONITORS];                              // NULL: none
    size_t n_logs;                                                                 // the file's monitors
    mst_stencil_spectrum spectra[PROBLEM_MOST_SPECTRA];
    problem_spectrum spectrum_files[PROBLEM_MOST_SPECTRA];
    size_t n_spectra; // those read
    problem_output outputs[PROBLEM_MOST_OUTPUTS];
    char **owned; // texts of expressions
    size_t n_owned;
} problem;

static inline size_t problem_runs(const mst_stencil_desc *desc) { return desc->n_runs > 0 ? desc->n_runs : 1; }

// The shape of a field's array: the runs, if there are several, then the grid. Returns its rank.
static inline int problem_shape(const mst_stencil_desc *desc, size_t shape[MST_MAX_AXES + 1]) {
    const int runs = desc->n_runs > 0;
    shape[0] = desc->n_runs;
    for (int k = 0; k < desc->rank; k++)
        shape[k + runs] = desc->grid[k];
    return desc->rank + runs;
}

// The same as the library takes regions of it: the planes of runs of a grid of three axes lie one behind the other.
static inline int problem_region_shape(const mst_stencil_desc *desc, size_t shape[MST_MAX_AXES]) {
    size_t all[MST_MAX_AXES + 1];
    const int rank = problem_shape(desc, all), joined = rank > MST_MAX_AXES;
    for (int k = joined; k < rank; k++)
        shape[k - joined] = all[k];
    if (joined)
        shape[0] *= all[0];
    return rank - joined;
}

static inline mst_layout problem_layout(const mst_stencil_desc *desc) {
    size_t shape[MST_MAX_AXES + 1];
    const int rank = problem_shape(desc, shape);
    return mst_layout_dense(desc->precision, rank, shape);
}

// Values that a receiver records after a step.
static inline size_t problem_recorded(const mst_stencil_desc *desc, size_t receiver) {
    return desc->receivers[receiver].n_points * problem_runs(desc);
}

// Reads and checks a problem: a file, or the name of a built-in problem, which is the file of that name in examples/ without its
// output and receivers. Returns an exit code after printing the error. problem_free follows in any case, on a problem that
// began as zeros.
int problem_open(const char *command, const char *name, const problem_overrides *overrides, problem *p);
void problem_free(problem *p);

// The built-in problems, embedded when building.
typedef struct problem_builtin {
    const char *file; // "heat2d.yaml"
    const char *text;
    size_t bytes;
} problem_builtin;

extern const problem_builtin problem_builtins[];
extern const size_t problem_n_builtins;

#endif
