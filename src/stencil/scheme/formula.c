// Values on the host: of formulas, and of sponges.
#include "part.h"

#include <math.h>

const mst_formula *mst_problem_formula(const mst_problem *p, int number) {
    const int face = number - p->n_updates;
    if (face < 0)
        return &p->updates[number].formula;
    const int set = face / (2 * N_AXES);
    return set < p->n_sets ? &mst_problem_face(p, set, face / 2 % N_AXES, face % 2)->value : NULL;
}

double mst_formula_varying(const mst_problem *p, const mst_formula *f, size_t column, int64_t run) {
    const int64_t last = (int64_t)p->n_runs - 1;
    run = p->has_run_planes ? mst_problem_node(p, PLANES, run) : run;
    return f->varying[column * p->n_runs + (size_t)(run < 0 ? 0 : run > last ? last : run)];
}

static void leaf_values(const mst_problem *problem, const mst_formula *formula, const int64_t at[N_AXES], double time,
                        double values[MST_STENCIL_MAX_LEAVES]) {
    const bool has_grids = problem->has_grids;
    const int64_t planes = (int64_t)problem->grid[PLANES], run = has_grids ? at[PLANES] / planes : at[PLANES];
    for (size_t i = 0; i < formula->n_leaves; i++) {
        const mst_leaf *leaf = &formula->leaves[i];
        const int64_t node = at[leaf->axis] - (has_grids && leaf->axis == PLANES ? run * planes : 0);
        values[i] = leaf->kind == MST_VALUE_COORDINATE
                        ? (double)mst_problem_node(problem, leaf->axis, node) * problem->spacing[leaf->axis]
                    : leaf->kind == MST_VALUE_RUN ? mst_formula_varying(problem, formula, leaf->column, run)
                                                  : time;
    }
}

double mst_formula_value(const mst_problem *problem, const mst_formula *formula, const int64_t at[N_AXES], double time) {
    double values[MST_STENCIL_MAX_LEAVES];
    leaf_values(problem, formula, at, time, values);
    return mst_expr_evaluate(formula->expr, values);
}

mst_status mst_formula_row(const mst_problem *problem, const mst_formula *formula, const int64_t at[N_AXES], size_t n,
                           double *out, mst_error *error) {
    double values[MST_STENCIL_MAX_LEAVES];
    size_t varying = 0;
    leaf_values(problem, formula, at, 0, values);
    while (varying < formula->n_leaves &&
           !(formula->leaves[varying].kind == MST_VALUE_COORDINATE && formula->leaves[varying].axis == COLUMNS))
        varying++;
    for (size_t k = 0; k < n; k++)
        out[k] = (double)mst_problem_node(problem, COLUMNS, at[COLUMNS] + (int64_t)k) * problem->spacing[COLUMNS];
    if (!mst_expr_evaluate_many(formula->expr, values, varying, out, n, out))
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for initial values");
    return MST_OK;
}

bool mst_problem_is_damped(const mst_problem *p, int axis) {
    return p->boundaries[axis][0].kind == MST_BOUNDARY_SPONGE || p->boundaries[axis][1].kind == MST_BOUNDARY_SPONGE;
}

double mst_problem_damping(const mst_problem *p, int axis, uint64_t i) {
    const int64_t node = mst_problem_node(p, axis, (int64_t)i);
    double factor = 1;
    for (int side = 0; side < 2; side++) {
        const mst_problem_boundary *face = &p->boundaries[axis][side];
        const uint64_t distance = (uint64_t)(side ? mst_problem_length(p, axis) - 1 - node : node);
        if (face->kind == MST_BOUNDARY_SPONGE && distance < face->width) {
            double depth = 0.3 * (double)(face->width - distance) / (double)face->width;
            factor *= exp(-depth * depth);
        }
    }
    return factor;
}
