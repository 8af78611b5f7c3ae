// mastaba integrate: the table of parameters (parameters.c), what is computed (cmd_integrate.c), and how results are
// shown and stored (report.c).
#ifndef MASTABA_INTEGRATE_H
#define MASTABA_INTEGRATE_H

#include "array/files.h"

extern const cli_command cmd_integrate;

enum { INTEGRATE_MAX_PARAMETERS = 64 };

// Parameter sets: row i of `values` has a value for each name.
typedef struct integrate_parameters {
    size_t n;
    char *names[INTEGRATE_MAX_PARAMETERS]; // owned
    size_t n_sets;
    double *values;
    int rank; // of the sets, in NumPy's order: several --param ranges form their product
    size_t shape[MST_MAX_RANK];
} integrate_parameters;

// From --param texts (NULL-ended, "a=0.1:10:1000" or "a=2", or NULL), or from a .npy file and its names "a,b". Returns an exit
// code. integrate_parameters_free follows in any case, on a table that began as zeros.
int integrate_parameters_read(const char *command, char *const *texts, const char *file, const char *names,
                              integrate_parameters *p);
void integrate_parameters_free(integrate_parameters *p);

typedef struct integrate_run {
    const char *command;
    mst_integral_desc desc;
    const integrate_parameters *parameters;
    size_t n_components;                // of the integrand
    const mst_integral_result *results; // so many a parameter set
    const mst_context *context;
    mst_type type;
    double seconds;
} integrate_run;

// Prints the results on stdout. Returns an exit code: CLI_TOLERANCE if a result has not converged.
int integrate_print(const integrate_run *run, bool json);

// The file for value, error, evaluations and status as float64 along a last axis of 4, behind those of the parameter sets and, if
// there are several, of the components: takes its space, then writes it and puts it in place. Both return an exit code.
int integrate_begin(const integrate_run *run, cli_output *out);
int integrate_store(const integrate_run *run, cli_output *out, bool json);

#endif
