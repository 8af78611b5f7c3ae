#include "middle.h"

#include "stencil/kernels/boundary.h"
#include "stencil/scheme/layers.h"

enum {
    LINE_BYTES = 128,  // of a cache
    WIDE = 16,         // a grid is of which so small a part does not matter
    VECTOR_BYTES = 64, // of arguments that are no arrays, of which kernels around a hole take so many:
    VECTORS = 11
};

static bool takes_arguments(const mst_plan_inputs *in, const mst_sweeps *s) {
    const uint64_t arrays = (uint64_t)(in->problem->n_arrays + s->n_spares + in->problem->n_coefficients + 2);
    return arrays * sizeof(void *) + VECTORS * VECTOR_BYTES <= in->tile_limits.argument_bytes;
}

// Along the columns the layers' sweeps end between cache lines, and what lies between one and the middle would be a narrow box,
// which a wide grid rather does without.
static int64_t first_column(const mst_plan_inputs *in, const mst_sweeps *s, const mst_middle *m) {
    const mst_layer_nodes clear = mst_layers_clear(in->problem, COLUMNS);
    const int64_t line = LINE_BYTES / (int64_t)s->element, from = m->box.from[COLUMNS], columns = m->box.to[COLUMNS] - from;
    const int64_t more = mst_round_up(clear.low, line) - (m->sweeps - 1) * m->lag[COLUMNS] - from;
    return clear.low > 0 && more > 0 && more <= columns / WIDE ? from + more : from;
}

bool mst_middle_make(const mst_plan_inputs *in, const mst_sweeps *s, const mst_kernel_pair *outside, mst_middle *out) {
    const mst_problem *p = in->problem;
    const mst_pipeline *pipeline = &outside->pipelines[0];
    const mst_tile *t = &outside->tiles[0];
    mst_middle m = {.m = outside->m, .sweeps = (int)outside->m * s->n, .fused_nodes = 1};
    if (p->rank == 1 || p->n_layers == 0 || p->n_runs > 0 || in->part_steps > 0 || t->shape != MST_STENCIL_SHAPE_GPU ||
        !takes_arguments(in, s))
        return false;
    for (int axis = 0; axis < N_AXES; axis++) {
        const int64_t n = (int64_t)p->grid[axis], low = pipeline->low[axis], high = pipeline->high[axis];
        const int64_t item = axis == PLANES ? 1 : t->item[axis], before = axis == PLANES ? low : t->before[axis];
        const int64_t margin = mst_boundary_margin(p, axis), behind = high + item - 1 + margin;
        const mst_layer_nodes clear = mst_layers_clear(p, axis);
        m.lag[axis] = mst_larger(s->padded.before[axis], s->padded.behind[axis]);
        if (p->rank == 2 && axis == ROWS) { // a plane is a row
            m.box.to[axis] = m.grown.to[axis] = m.held.to[axis] = m.window.to[axis] = 1;
            continue;
        }
        m.box.from[axis] = mst_larger(clear.low + low, before) + margin;
        m.box.to[axis] = mst_smaller(clear.high - high - margin, n - behind);
        if (axis == COLUMNS)
            m.box.from[axis] = first_column(in, s, &m);
        if (m.box.to[axis] <= m.box.from[axis])
            return false;
        m.grown.from[axis] = m.box.from[axis] - low;
        m.grown.to[axis] = m.box.to[axis] + high;
        m.held.from[axis] = m.box.from[axis] - pipeline->fixed_low[axis];
        m.held.to[axis] = m.box.to[axis] + pipeline->fixed_high[axis];
        m.window.from[axis] = m.box.from[axis] - before - margin;
        m.window.to[axis] = m.box.to[axis] + behind;
    }
    const int64_t line = LINE_BYTES / (int64_t)s->element, missing = mst_round_up(t->before[COLUMNS], line) - t->before[COLUMNS];
    m.window.from[COLUMNS] -= missing + mst_round_up(mst_boundary_margin(p, COLUMNS), line) - mst_boundary_margin(p, COLUMNS);
    m.window.to[COLUMNS] = m.window.from[COLUMNS] + mst_round_up(m.window.to[COLUMNS] - m.window.from[COLUMNS], line);
    for (int axis = 0; axis < N_AXES; axis++)
        m.fused_nodes *= (uint64_t)(m.box.to[axis] - m.box.from[axis]);
    *out = m;
    return true;
}

mst_box mst_middle_hole(const mst_middle *m, int following) {
    mst_box hole = m->box;
    for (int axis = 0; axis < N_AXES; axis++) {
        hole.from[axis] += following * m->lag[axis];
        hole.to[axis] -= following * m->lag[axis];
        if (hole.to[axis] <= hole.from[axis])
            return (mst_box){{0}, {0}};
    }
    return hole;
}

uint64_t mst_middle_window_nodes(const mst_middle *m) {
    size_t nodes = 1;
    for (int axis = 0; axis < N_AXES; axis++)
        if (!mst_multiply(nodes, (size_t)(m->window.to[axis] - m->window.from[axis]), &nodes))
            return UINT64_MAX;
    return nodes;
}
