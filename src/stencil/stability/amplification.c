#include "amplification.h"

#include <math.h>
#include <string.h>

_Static_assert(2 * MST_STENCIL_MAX_FIELDS <= MST_EIGEN_MAX_ORDER, "a row for every level of every field");

static void freeze(mst_amplification *a, const mst_frozen *frozen, double time_step) {
    double leaves[MST_STENCIL_MAX_LEAVES];
    bool varying[MST_STENCIL_MAX_LEAVES];
    if (a->frozen == frozen && a->time_step == time_step)
        return;
    for (int u = 0; u < a->scheme->problem.n_updates; u++) {
        const mst_formula *f = &a->scheme->problem.updates[u].formula;
        mst_open_varying(a->scheme, f, varying);
        mst_open_leaves(a->scheme, f, frozen, time_step, leaves);
        mst_expr_derivatives(f->expr, leaves, varying, a->factors[u]);
    }
    a->frozen = frozen;
    a->time_step = time_step;
}

// Every array of the state as a row: what it is made of, of the arrays as the step found them.
typedef double complex rows[MST_EIGEN_MAX_ORDER][MST_EIGEN_MAX_ORDER];

static void update(const mst_amplification *a, int number, const double wave[N_AXES], rows found, double complex *out) {
    const mst_problem *p = &a->scheme->problem;
    const mst_formula *f = &p->updates[number].formula;
    memset(out, 0, (size_t)p->n_arrays * sizeof *out);
    for (size_t i = 0; i < f->n_leaves; i++) {
        const mst_leaf *leaf = &f->leaves[i];
        double phase = 0;
        if (leaf->kind != MST_VALUE_FIELD || p->fields[leaf->field].coefficient)
            continue;
        for (int axis = 0; axis < N_AXES; axis++)
            phase += wave[axis] * leaf->offsets[axis];
        const double complex factor = a->factors[number][i] * (cos(phase) + I * sin(phase));
        const double complex *from = found[p->fields[leaf->field].array + leaf->level];
        for (int k = 0; k < p->n_arrays; k++)
            out[k] += factor * from[k];
    }
}

// As the kernels do it: updates of a sub-step read what it found, and a field's value goes to its .prev when it gets a new one.
static void step(const mst_amplification *a, const double wave[N_AXES], rows state) {
    const mst_problem *p = &a->scheme->problem;
    rows next;
    for (int u = 0; u < p->n_updates;) {
        const size_t substep = p->updates[u].substep;
        memcpy(next, state, (size_t)p->n_arrays * sizeof next[0]);
        for (; u < p->n_updates && p->updates[u].substep == substep; u++) {
            const mst_problem_field *field = &p->fields[p->updates[u].field];
            update(a, u, wave, state, next[field->array]);
            if (field->levels == 2)
                memcpy(next[field->array + 1], state[field->array], sizeof next[0]);
        }
        memcpy(state, next, (size_t)p->n_arrays * sizeof next[0]);
    }
}

bool mst_amplification_largest(mst_amplification *a, const mst_frozen *frozen, double time_step, const double wave[N_AXES],
                               double complex *largest) {
    const int n = a->scheme->problem.n_arrays;
    rows state;
    double complex matrix[MST_EIGEN_MAX_ORDER * MST_EIGEN_MAX_ORDER];
    memset(state, 0, (size_t)n * sizeof state[0]);
    for (int i = 0; i < n; i++)
        state[i][i] = 1;
    freeze(a, frozen, time_step);
    step(a, wave, state);
    for (int i = 0; i < n; i++)
        memcpy(matrix + i * n, state[i], (size_t)n * sizeof *matrix);
    return mst_eigen_largest(n, matrix, largest);
}
