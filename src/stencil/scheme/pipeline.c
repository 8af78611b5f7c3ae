#include "pipeline.h"

#include <stdlib.h>

void mst_reach(const mst_problem *problem, int field, int axis, int offset, int *low, int *high) {
    const int set = problem->fields[field].faces;
    const mst_problem_boundary *lower = mst_problem_face(problem, set, axis, 0), *upper = mst_problem_face(problem, set, axis, 1);
    *low = -offset;
    *high = offset;
    if (lower->mirrors && -offset - lower->shift > *high)
        *high = -offset - lower->shift;
    if (upper->mirrors && offset - upper->shift > *low)
        *low = offset - upper->shift;
}

static int larger(int a, int b) { return a > b ? a : b; }

// Which version each leaf reads, and from when on the version can be computed.
static mst_status add_version(mst_pipeline *p, int update, int step, const int current[], bool delay, mst_error *error) {
    const mst_formula *formula = &p->problem->updates[update].formula;
    mst_field_version *v = &p->versions[p->n_versions];
    *v = (mst_field_version){.update = update, .field = p->problem->updates[update].field, .step = step, .output = -1};
    v->reads = calloc(formula->n_leaves + 1, sizeof *v->reads);
    if (!v->reads)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory planning a kernel");
    p->n_versions++;
    for (size_t i = 0; i < formula->n_leaves; i++) {
        const mst_leaf *leaf = &formula->leaves[i];
        int low, high;
        v->reads[i] = -1;
        if (leaf->kind != MST_VALUE_FIELD || p->problem->fields[leaf->field].coefficient)
            continue;
        v->reads[i] = current[p->problem->fields[leaf->field].array + leaf->level];
        mst_reach(p->problem, leaf->field, PLANES, leaf->offsets[PLANES], &low, &high);
        bool lateral = leaf->offsets[ROWS] != 0 || leaf->offsets[COLUMNS] != 0;
        v->lag = larger(v->lag, p->versions[v->reads[i]].lag + high + (delay && lateral));
    }
    return MST_OK;
}

// From the last version to the first: what each needs of those that it reads.
static void spread_needs(mst_pipeline *p) {
    for (int k = p->n_versions - 1; k >= p->problem->n_arrays; k--) {
        const mst_field_version *v = &p->versions[k];
        const mst_formula *formula = &p->problem->updates[v->update].formula;
        for (size_t i = 0; i < formula->n_leaves; i++) {
            const mst_leaf *leaf = &formula->leaves[i];
            if (leaf->kind != MST_VALUE_FIELD)
                continue;
            bool constant = v->reads[i] < 0;
            mst_field_version *from = constant ? NULL : &p->versions[v->reads[i]];
            for (int axis = 0; axis < N_AXES; axis++) {
                int low, high;
                mst_reach(p->problem, leaf->field, axis, leaf->offsets[axis], &low, &high);
                int *total_low = constant ? &p->fixed_low[axis] : &from->low[axis];
                int *total_high = constant ? &p->fixed_high[axis] : &from->high[axis];
                *total_low = larger(*total_low, v->low[axis] + low);
                *total_high = larger(*total_high, v->high[axis] + high);
                if (constant)
                    continue;
                from->reach[axis][0] = larger(from->reach[axis][0], -leaf->offsets[axis]);
                from->reach[axis][1] = larger(from->reach[axis][1], leaf->offsets[axis]);
                if (axis == PLANES)
                    from->depth = larger(from->depth, v->lag - from->lag + low + 1);
            }
        }
    }
}

mst_status mst_pipeline_make(const mst_problem *problem, int m, bool lateral_delay, mst_pipeline *p, mst_error *error) {
    mst_status status = MST_OK;
    int current[MST_STENCIL_MAX_ARRAYS], next[MST_STENCIL_MAX_ARRAYS];
    *p = (mst_pipeline){.problem = problem, .m = m};
    p->versions = calloc((size_t)(problem->n_arrays + m * problem->n_updates), sizeof *p->versions);
    MST_REQUIRE(p->versions, MST_ERROR_HOST_MEMORY, "out of memory planning a kernel");
    for (int f = 0; f < problem->n_fields; f++)
        for (int level = 0; !problem->fields[f].coefficient && level < problem->fields[f].levels; level++) {
            int a = problem->fields[f].array + level;
            p->versions[a] = (mst_field_version){.update = -1, .field = f, .step = -1 - level, .output = -1};
            current[a] = a;
        }
    p->n_versions = problem->n_arrays;
    for (int step = 0; step < m; step++)
        for (int u = 0; u < problem->n_updates;) {
            int first = u;
            size_t substep = problem->updates[u].substep;
            for (int a = 0; a < problem->n_arrays; a++)
                next[a] = current[a];
            for (; u < problem->n_updates && problem->updates[u].substep == substep; u++) {
                const mst_problem_field *field = &problem->fields[problem->updates[u].field];
                if (field->levels == 2)
                    next[field->array + 1] = current[field->array];
                next[field->array] = p->n_versions + u - first;
            }
            for (u = first; u < problem->n_updates && problem->updates[u].substep == substep; u++)
                MST_TRY(add_version(p, u, step, current, lateral_delay, error));
            for (int a = 0; a < problem->n_arrays; a++)
                current[a] = next[a];
        }
    for (int a = 0; a < problem->n_arrays; a++)
        p->versions[current[a]].output = a;
    spread_needs(p);
    for (int a = 0; a < problem->n_arrays; a++) // an input that is kept for a step as it is
        p->versions[a].depth = larger(p->versions[a].depth, p->versions[a].output >= 0);
    for (int k = 0; k < p->n_versions; k++) // a computed one may be needed further out than what it reads
        for (int axis = 0; axis < N_AXES; axis++) {
            p->low[axis] = larger(p->low[axis], p->versions[k].low[axis]);
            p->high[axis] = larger(p->high[axis], p->versions[k].high[axis]);
        }
fail:
    return status;
}

void mst_pipeline_release(mst_pipeline *pipeline) {
    for (int k = 0; k < pipeline->n_versions; k++)
        free(pipeline->versions[k].reads);
    free(pipeline->versions);
    *pipeline = (mst_pipeline){0};
}
