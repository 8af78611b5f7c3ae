// Places in a problem file: nodes, positions between nodes, and ranges of nodes.
#ifndef MASTABA_CLI_PROBLEM_PLACES_H
#define MASTABA_CLI_PROBLEM_PLACES_H

#include "problem.h"

// How a place is given: `at` by nodes, `position` by coordinates; only nodes may be ranges, as "a:b" or ":".
typedef enum problem_place_kind { PROBLEM_NODES, PROBLEM_NODES_OR_RANGES, PROBLEM_COORDINATES } problem_place_kind;

bool problem_read_place(problem *p, yaml_node_t *node, problem_place_kind kind, problem_place *out);

// "sinc", "sinc 6" or "linear".
typedef struct problem_interpolation {
    mst_stencil_interpolation kind;
    unsigned radius;
    bool is_given;
} problem_interpolation;
bool problem_read_interpolation(cli_yaml *y, yaml_node_t *node, problem_interpolation *out);

#endif
