// The readers of a problem file's parts; each prints its error and returns false. target is the problem.
#ifndef MASTABA_CLI_PROBLEM_PARTS_H
#define MASTABA_CLI_PROBLEM_PARTS_H

#include "problem.h"

// ---- problem_names.c

// What an expression may use besides parameters and nx, ny, nz; these values are added.
enum {
    PROBLEM_SPACING = 1, // dx, dy, dz
    PROBLEM_STEP = 2,    // dt
    PROBLEM_SPACE = 4,   // x, y, z
    PROBLEM_TIME = 8,    // t
    PROBLEM_FIELDS = 16, // u[-1,0]
    PROBLEM_LIMIT = 32,  // time_step_limit
    PROBLEM_INITIAL = PROBLEM_SPACING | PROBLEM_STEP | PROBLEM_SPACE,
    PROBLEM_BOUNDARY = PROBLEM_INITIAL | PROBLEM_TIME,
    PROBLEM_SERIES = PROBLEM_SPACING | PROBLEM_STEP | PROBLEM_TIME,
    PROBLEM_EVERYTHING = PROBLEM_BOUNDARY | PROBLEM_FIELDS
};

enum { PROBLEM_LONGEST_TEXT = 4096 };
enum { PROBLEM_MOST_SYMBOLS = PROBLEM_MOST_PARAMETERS + 16 };

// The value of a constant expression, which has to be finite.
bool problem_number(problem *p, yaml_node_t *node, unsigned scope, double *value);
bool problem_value(problem *p, const yaml_node_t *node, const char *text, unsigned scope, double *value); // of a part of its text

// A copy of the text, an expression that may use definitions, if the library takes it; NULL after printing the error. It lives as
// long as the problem.
const char *problem_expression(problem *p, yaml_node_t *node, const char *text, unsigned scope);

// A name has letters, digits and _, and no digit first.
bool problem_is_name(const char *text);

// Whether a name can be given a meaning: it is one, and has none yet.
bool problem_new_name(problem *p, yaml_node_t *node, const char *name);

// A copy that lives as long as the problem; NULL after printing the error.
char *problem_own(problem *p, const char *text);

// Checks a definition, once all are read.
bool problem_check_definition(problem *p, yaml_node_t *node, size_t number);

// ---- problem_fields.c

bool problem_read_fields(cli_yaml *y, yaml_node_t *node, void *target);            // all but the initial values
bool problem_read_initial(problem *p);                                             // which may use the definitions
bool problem_read_face(problem *p, yaml_node_t *node, mst_stencil_boundary *face); // what is beyond it
bool problem_read_update(cli_yaml *y, yaml_node_t *node, void *target);

// Opens a .npy file of the grid's shape as initial values, with real numbers.
bool problem_open_data(problem *p, yaml_node_t *node, const char *path, mst_npy **npy, mst_stencil_initial *initial);

// "float16" or "float32": the bytes of values in memory, as in mst_stencil_field.
bool problem_read_storage(cli_yaml *y, yaml_node_t *node, const problem *p, size_t *bytes);

// The field that a node names; NULL after printing the error.
const mst_stencil_field *problem_field(problem *p, yaml_node_t *node);

// ---- problem_materials.c

bool problem_read_materials(cli_yaml *y, yaml_node_t *node, void *target); // the names of regions' parameters
bool problem_read_regions(problem *p);                                     // and their values, which may use the definitions
bool problem_read_masks(cli_yaml *y, yaml_node_t *node, void *target);     // into the updates, which are read

// ---- problem_runs.c

bool problem_read_runs(cli_yaml *y, yaml_node_t *node, void *target);

// ---- problem_step.c

bool problem_read_step_limit(cli_yaml *y, yaml_node_t *node, void *target);
bool problem_read_time_step(cli_yaml *y, yaml_node_t *node, void *target);
bool problem_choose_step(problem *p); // where the file leaves it to the program; all else is read

// ---- problem_faces.c

bool problem_read_boundary(cli_yaml *y, yaml_node_t *node, void *target);

// ---- problem_layers.c

// An absorbing layer: of "absorb N" what stands behind the word, or a mapping with that key. And whether the updates stretch
// along the axes that have some.
bool problem_read_absorb(problem *p, const yaml_node_t *node, const char *width, mst_stencil_boundary *face);
bool problem_is_layer(cli_yaml *y, const yaml_node_t *node);
bool problem_read_layer(problem *p, yaml_node_t *node, mst_stencil_boundary *face);
bool problem_check_layers(problem *p, const yaml_node_t *node);

// ---- problem_points.c

bool problem_read_sources(cli_yaml *y, yaml_node_t *node, void *target);
bool problem_read_receivers(cli_yaml *y, yaml_node_t *node, void *target);

// ---- problem_monitors.c

bool problem_read_monitors(cli_yaml *y, yaml_node_t *node, void *target);
bool problem_read_until(cli_yaml *y, yaml_node_t *node, void *target);
bool problem_read_spectra(cli_yaml *y, yaml_node_t *node, void *target);

// `spectrum` of a receiver.
bool problem_read_trace_spectrum(problem *p, yaml_node_t *node, problem_receiver *receiver);

// Checks a condition of the names of monitors (problem_names.c).
bool problem_check_until(problem *p, yaml_node_t *node, const char *text);

// How often spectra take a sample, where the file does not say it, by the time step; warns where that is too seldom.
void problem_choose_sampling(problem *p);

// ---- problem_output.c

bool problem_read_output(cli_yaml *y, yaml_node_t *node, void *target);

// "sequential" or "diverging", and "[low, high]", into a frame_style, target.
bool problem_read_colors(cli_yaml *y, yaml_node_t *node, void *target);
bool problem_read_range(cli_yaml *y, yaml_node_t *node, void *target);

#endif
