#include "exchange.h"

#include "boundary.h"
#include "runtime/numbers.h"

#include <stdlib.h>

// a = quotient * b + remainder, 0 <= remainder < b.
static int floor_divide(int a, int b, int *remainder) {
    *remainder = (a % b + b) % b;
    return (a - *remainder) / b;
}

static bool has_mirrors(const mst_problem *problem, int axis) {
    for (int set = 0; set < problem->n_sets; set++)
        if (mst_problem_face(problem, set, axis, 0)->mirrors || mst_problem_face(problem, set, axis, 1)->mirrors)
            return true;
    return false;
}

// The age, at the beginning of an iteration, of the plane of a version that a leaf reads to the side.
static int age_of(const mst_pipeline *p, const mst_field_version *v, size_t leaf) {
    const mst_leaf *l = &p->problem->updates[v->update].formula.leaves[leaf];
    return v->lag - p->versions[v->reads[leaf]].lag - l->offsets[PLANES] - 1;
}

mst_node_place mst_exchange_place(const mst_tile *tile, const mst_leaf *leaf, int row, int column) {
    mst_node_place n;
    n.items = floor_divide(column + leaf->offsets[COLUMNS], tile->item[COLUMNS], &n.column);
    n.rows_of_items = floor_divide(row + leaf->offsets[ROWS], tile->item[ROWS], &n.row);
    return n;
}

static uint64_t bit_of(const mst_tile *tile, int row, int column) { return (uint64_t)1 << (column * tile->item[ROWS] + row); }

static void add_reads(mst_stencil_exchange *x, const mst_leaf *leaf, mst_shared_plane *plane) {
    const mst_tile *tile = x->tile;
    for (int column = 0; column < tile->item[COLUMNS]; column++)
        for (int row = 0; row < tile->item[ROWS]; row++) {
            mst_node_place n = mst_exchange_place(tile, leaf, row, column);
            bool elsewhere = n.items != 0 || n.rows_of_items != 0;
            if (elsewhere || x->is_mirrored)
                plane->used |= bit_of(tile, n.row, n.column);
            if (elsewhere)
                x->is_near[n.rows_of_items + MST_STENCIL_MAX_RADIUS][n.items + MST_STENCIL_MAX_RADIUS] = true;
            if (x->is_mirrored)
                plane->used |= bit_of(tile, row, column);
            x->ends = mst_larger(x->ends, abs(n.rows_of_items) * tile->items + abs(n.items));
        }
}

static void find_planes(mst_stencil_exchange *x) {
    const mst_pipeline *p = x->pipeline;
    for (int k = p->problem->n_arrays; k < p->n_versions; k++) {
        const mst_field_version *v = &p->versions[k];
        const mst_formula *f = &p->problem->updates[v->update].formula;
        for (size_t i = 0; i < f->n_leaves; i++)
            if (v->reads[i] >= 0 && mst_exchange_is_lateral(&f->leaves[i]))
                add_reads(x, &f->leaves[i], &x->planes[v->reads[i]][age_of(p, v, i)]);
    }
    for (int k = 0; k < p->n_versions; k++)
        for (int age = 0; age < MST_STENCIL_MAX_DEPTH; age++) {
            x->planes[k][age].first_slot = x->n_slots;
            for (uint64_t left = x->planes[k][age].used; left; left &= left - 1)
                x->n_slots++;
        }
}

mst_status mst_exchange_make(const mst_tile *tile, const mst_pipeline *pipeline, bool boundary, uint64_t local_bytes,
                             mst_stencil_exchange *x, mst_error *error) {
    mst_status status = MST_OK;
    *x = (mst_stencil_exchange){.tile = tile, .pipeline = pipeline, .copies = 1};
    x->planes = calloc((size_t)pipeline->n_versions, sizeof *x->planes);
    MST_REQUIRE(x->planes, MST_ERROR_HOST_MEMORY, "out of memory planning a kernel");
    for (int axis = ROWS; axis <= COLUMNS; axis++)
        for (int side = 0; side < 2; side++)
            x->is_open = x->is_open || (!boundary && mst_boundary_is_open(tile->problem, axis, side));
    x->is_mirrored = boundary && (has_mirrors(tile->problem, ROWS) || has_mirrors(tile->problem, COLUMNS));
    x->pitch = tile->group + (x->is_open ? 4 : 0);
    find_planes(x);
    x->copies = 2 * mst_exchange_bytes(x) <= local_bytes ? 2 : 1;
fail:
    return status;
}

void mst_exchange_release(mst_stencil_exchange *x) {
    free(x->planes);
    *x = (mst_stencil_exchange){0};
}

int mst_exchange_copy_elements(const mst_stencil_exchange *x) { return x->n_slots * x->pitch + 2 * x->ends; }

size_t mst_exchange_bytes(const mst_stencil_exchange *x) {
    return (size_t)x->copies * (size_t)mst_exchange_copy_elements(x) * x->tile->problem->element;
}

int mst_exchange_registers(const mst_stencil_exchange *x, int version) {
    int n = mst_larger(x->pipeline->versions[version].depth, 1);
    for (int age = 0; age < MST_STENCIL_MAX_DEPTH; age++)
        if (x->planes[version][age].used)
            n = mst_larger(n, age + 1);
    return n;
}

bool mst_exchange_has(const mst_stencil_exchange *x, int version, int age, int row, int column) {
    return x->planes[version][age].used & bit_of(x->tile, row, column);
}

int mst_exchange_slot(const mst_stencil_exchange *x, int version, int age, int row, int column) {
    const mst_shared_plane *plane = &x->planes[version][age];
    int slot = plane->first_slot;
    for (uint64_t before = plane->used & (bit_of(x->tile, row, column) - 1); before; before &= before - 1)
        slot++;
    return slot * x->pitch;
}
