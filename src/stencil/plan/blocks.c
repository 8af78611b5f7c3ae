#include "blocks.h"

#include "runtime/numbers.h"

mst_blocks mst_blocks_make(const mst_kernel_pair *f, mst_stencil_schedule schedule, uint64_t block) {
    const mst_problem *p = f->pipelines[0].problem;
    mst_blocks b = {.coefficient_reach = p->coefficient_reach};
    for (int axis = 0; axis < N_AXES; axis++) {
        b.grid[axis] = b.sides[axis] = (int64_t)p->grid[axis];
        b.counts[axis] = 1;
        b.periodic[axis] = mst_problem_periodic(p, axis);
        b.item[axis] = mst_larger(1, mst_larger(f->tiles[0].item[axis], f->tiles[1].item[axis]));
        for (int k = 0; k < 2; k++) {
            b.low[k][axis] = f->pipelines[k].low[axis];
            b.high[k][axis] = f->pipelines[k].high[axis];
        }
    }
    b.item[PLANES] = 1; // work-items go through planes one by one
    for (int k = 0; k < (schedule == MST_STENCIL_PYRAMID_TILES ? 2 : 1) && k < p->rank; k++) {
        int axis = mst_problem_axis(p->rank, k);
        b.sides[axis] = (int64_t)mst_smaller(block, p->grid[axis]);
        b.counts[axis] = mst_divide_up(b.grid[axis], b.sides[axis]);
    }
    return b;
}

static bool is_cut(const mst_blocks *b, int axis) { return b->counts[axis] > 1; }

int64_t mst_blocks_count(const mst_blocks *b) { return b->counts[PLANES] * b->counts[ROWS] * b->counts[COLUMNS]; }

mst_box mst_blocks_box(const mst_blocks *b, int64_t number) {
    mst_box box;
    for (int axis = N_AXES - 1; axis >= 0; axis--) {
        box.from[axis] = number % b->counts[axis] * b->sides[axis];
        box.to[axis] = mst_smaller(box.from[axis] + b->sides[axis], b->grid[axis]);
        number /= b->counts[axis];
    }
    return box;
}

// How many nodes are needed below and above a box along an axis.
static void halo_of(const mst_blocks *b, int axis, uint64_t full, uint64_t single, bool coefficients, int64_t *low,
                    int64_t *high) {
    int64_t beside = coefficients ? b->coefficient_reach : 0;
    *low = (int64_t)full * b->low[0][axis] + (int64_t)single * b->low[1][axis] + beside;
    *high = (int64_t)full * b->high[0][axis] + (int64_t)single * b->high[1][axis] + beside;
}

// Adds so many nodes on either side of a box, as far as the grid has them.
static void extend(const mst_blocks *b, int axis, int64_t low, int64_t high, mst_box *box) {
    box->from[axis] -= low;
    box->to[axis] += high;
    if (b->periodic[axis])
        return;
    box->from[axis] = mst_larger(box->from[axis], (int64_t)0);
    box->to[axis] = mst_smaller(box->to[axis], b->grid[axis]);
}

mst_box mst_blocks_grown(const mst_blocks *b, const mst_box *box, uint64_t full, uint64_t single, bool coefficients) {
    mst_box out = *box;
    for (int axis = 0; axis < N_AXES; axis++) {
        int64_t low, high;
        halo_of(b, axis, full, single, coefficients, &low, &high);
        if (is_cut(b, axis))
            extend(b, axis, low, high, &out);
    }
    return out;
}

mst_box mst_blocks_aligned(const mst_blocks *b, const mst_box *box) {
    mst_box out = *box;
    int64_t item = b->item[COLUMNS], from = box->from[COLUMNS], to = box->to[COLUMNS];
    if (is_cut(b, COLUMNS))
        extend(b, COLUMNS, (from % item + item) % item, (item - to % item) % item, &out);
    return out;
}

mst_box mst_blocks_padded(const mst_blocks *b, const mst_box *box) {
    mst_box out = mst_blocks_aligned(b, box);
    if (is_cut(b, ROWS) && b->item[ROWS] > 1)
        extend(b, ROWS, 0, b->item[ROWS], &out);
    if (is_cut(b, COLUMNS) && b->item[COLUMNS] > 1)
        extend(b, COLUMNS, b->item[COLUMNS], b->item[COLUMNS], &out);
    return out;
}

// The most nodes that mst_blocks_padded adds along an axis.
static int64_t most_padding(const mst_blocks *b, int axis) {
    int64_t item = b->item[axis];
    return item == 1 ? 0 : axis == COLUMNS ? 4 * item : item;
}

// The halo of the deepest trip, or of the shorter one that has the most launches of one step, which may reach further: m steps
// reach less far than m times one where what a step reads at a neighbour, another step makes without reading any.
static int64_t most_halo(const mst_blocks *b, int axis, uint64_t depth, uint64_t m, bool coefficients) {
    const uint64_t trips[2] = {depth, depth < m ? depth : depth - depth % m - 1};
    int64_t most[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        int64_t low, high;
        halo_of(b, axis, trips[k] / m, trips[k] % m, coefficients, &low, &high);
        most[0] = mst_larger(most[0], low);
        most[1] = mst_larger(most[1], high);
    }
    return most[0] + most[1];
}

uint64_t mst_blocks_most_nodes(const mst_blocks *b, uint64_t depth, uint64_t m, bool coefficients) {
    size_t nodes = 1;
    for (int axis = 0; axis < N_AXES; axis++) {
        int64_t side = b->sides[axis];
        if (is_cut(b, axis) && depth > 0)
            side += most_halo(b, axis, depth, m, coefficients) + most_padding(b, axis);
        if (!b->periodic[axis])
            side = mst_smaller(side, b->grid[axis]);
        if (!mst_multiply(nodes, (size_t)side, &nodes))
            return UINT64_MAX;
    }
    return nodes;
}
