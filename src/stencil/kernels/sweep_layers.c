// Where the memory variables of absorbing layers lie: see sweep.h.
#include "runtime/numbers.h"
#include "stencil/scheme/layers.h"
#include "sweep.h"

enum { LINE = 32 }; // elements around an array, and of which its rows have a whole number if they are not of layers alone

// Layers are widened to whole vectors along the columns, and a vector is between them. Rows follow one another without a gap:
// what is read there beyond faces is never used, since the coefficients there are 0.
static void find_nodes(const mst_sweeps *s, int axis, mst_folded *f) {
    const int64_t length = (int64_t)s->problem->grid[axis], unit = axis == COLUMNS ? s->width : 1;
    const mst_layer_nodes nodes = mst_layers_nodes(s->problem, axis);
    const int64_t end = mst_round_up(length, unit);
    f->low = mst_round_up(nodes.low, unit);
    f->high = nodes.high < length ? nodes.high / unit * unit : end;
    const bool is_one = f->high - f->low < unit; // a vector would reach both layers
    if (is_one)
        f->low = f->high = end;
    f->skipped = is_one ? 0 : f->high - f->low - (axis == COLUMNS ? unit : 0);
    f->lengths[axis] = mst_larger(length, f->high) - f->skipped;
    f->high = f->high < end ? f->high : INT64_MAX / 2; // vectors may reach beyond the end
}

static void fold(const mst_sweeps *s, int axis, mst_folded *f) {
    mst_padded *a = &f->array;
    size_t plane = 0, all = 0;
    for (int other = 0; other < N_AXES; other++)
        f->lengths[other] = (int64_t)s->problem->grid[other];
    find_nodes(s, axis, f);
    a->first = LINE;
    a->pitch = mst_round_up(f->lengths[COLUMNS], axis == COLUMNS ? (int64_t)s->width : (int64_t)LINE);
    a->elements = UINT64_MAX;
    if (!mst_multiply((uint64_t)a->pitch, (uint64_t)f->lengths[ROWS], &plane))
        return;
    a->plane_pitch = (int64_t)plane;
    if (mst_multiply(plane, (uint64_t)f->lengths[PLANES], &all) && mst_multiply(all, s->problem->grids, &all) &&
        mst_add(all, 2 * LINE, &all))
        a->elements = all;
}

void mst_sweeps_fold(mst_sweeps *s) {
    for (int axis = 0; axis < N_AXES; axis++)
        fold(s, axis, &s->folded[axis]);
}

static uint64_t bytes_of(const mst_padded *array, size_t element) {
    size_t bytes;
    return mst_multiply(array->elements, element, &bytes) ? bytes : UINT64_MAX;
}

const mst_padded *mst_sweeps_layout(const mst_sweeps *s, int array) {
    const mst_problem *p = s->problem;
    return array < p->n_arrays && p->layer_axes[array] >= 0 ? &s->folded[p->layer_axes[array]].array : &s->padded;
}

uint64_t mst_sweeps_bytes(const mst_sweeps *s, int array) {
    return bytes_of(mst_sweeps_layout(s, array), s->problem->elements[array]);
}

size_t mst_sweeps_spare_element(const mst_sweeps *s, int k) {
    return s->spare_kinds[k] == MST_SWEEPS_HALF ? 2 : s->problem->element;
}

uint64_t mst_sweeps_spare_bytes(const mst_sweeps *s, int k) {
    const mst_sweeps_kind kind = s->spare_kinds[k];
    return kind >= MST_SWEEPS_LAYERS ? bytes_of(&s->folded[kind - MST_SWEEPS_LAYERS].array, s->problem->element)
                                     : bytes_of(&s->padded, mst_sweeps_spare_element(s, k));
}

uint64_t mst_sweeps_all_bytes(const mst_sweeps *s) {
    size_t all = 0;
    bool countable = true;
    for (int a = 0; a < s->problem->n_arrays + s->problem->n_coefficients; a++)
        countable = countable && mst_add(all, mst_sweeps_bytes(s, a), &all);
    for (int k = 0; k < s->n_spares; k++)
        countable = countable && mst_add(all, mst_sweeps_spare_bytes(s, k), &all);
    return countable ? all : UINT64_MAX;
}

bool mst_sweeps_layer_reach(const mst_sweeps *s, int k, int axis, int reach[2]) {
    const mst_problem *p = s->problem;
    bool any = false;
    reach[0] = reach[1] = 0;
    for (int u = s->first[k]; u < s->first[k + 1]; u++) {
        const mst_formula *f = &p->updates[u].formula;
        for (size_t i = 0; i < f->n_leaves; i++) {
            const mst_leaf *leaf = &f->leaves[i];
            if (leaf->kind != MST_VALUE_FIELD || !p->fields[leaf->field].is_memory || p->fields[leaf->field].layer_axis != axis)
                continue;
            any = true;
            reach[0] = mst_smaller(reach[0], leaf->offsets[axis]);
            reach[1] = mst_larger(reach[1], leaf->offsets[axis]);
        }
    }
    return any;
}

unsigned mst_sweeps_layer_axes(const mst_sweeps *s, int k) {
    unsigned axes = 0;
    for (int axis = 0; axis < N_AXES; axis++)
        axes |= mst_sweeps_layer_reach(s, k, axis, (int[2]){0}) ? 1u << axis : 0;
    return axes;
}
