#include "boundary.h"

bool mst_boundary_is_valued(const mst_problem_boundary *face) {
    return face->kind == MST_BOUNDARY_DIRICHLET || face->kind == MST_BOUNDARY_SPONGE || face->kind == MST_BOUNDARY_ABSORB;
}

int mst_boundary_margin(const mst_problem *problem, int axis) {
    bool exists = axis == COLUMNS || problem->rank == 3 || (axis == PLANES && problem->rank == 2);
    return exists ? problem->coefficient_reach : 0;
}

static bool is_mixed(const mst_problem *p) {
    for (int a = 1; a < p->n_arrays; a++)
        if (p->elements[a] != p->elements[0])
            return true;
    return false;
}

bool mst_boundary_is_open(const mst_problem *problem, int axis, int side) {
    const mst_problem_boundary *face = &problem->boundaries[axis][side];
    bool lateral = axis == COLUMNS || (axis == ROWS && problem->rank == 3);
    for (int set = 1; set < problem->n_sets; set++)
        lateral = lateral && !mst_problem_face(problem, set, axis, side)->is_own;
    return lateral && problem->coefficient_reach == 0 && mst_boundary_is_valued(face) && face->value.n_leaves == 0 &&
           face->kind != MST_BOUNDARY_ABSORB && (!face->value.expr || !is_mixed(problem));
}
