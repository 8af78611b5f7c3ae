#include "part.h"

#include "layers.h"
#include "observations.h"
#include "problem_points.h"
#include "runtime/numbers.h"

// Where what no part has lies: before all planes.
enum { NOWHERE = -(1 << 30) };

// What is beyond a periodic face comes in with the halos.
static void open_ring(mst_problem *p, int axis) {
    for (int set = 0; set < p->n_sets; set++)
        for (int side = 0; side < 2; side++) {
            mst_problem_boundary *face = set == 0 ? &p->boundaries[axis][side] : &p->own_sets[set - 1][axis][side];
            *face = (mst_problem_boundary){.kind = MST_BOUNDARY_DIRICHLET, .is_own = face->is_own};
        }
}

// Makes a node of the grid that of the part; one that the part does not hold lies nowhere.
static void move_node(const mst_problem *p, uint64_t node[N_AXES]) {
    bool is_held = true;
    for (int axis = 0; axis < N_AXES; axis++) {
        const int64_t n = (int64_t)p->whole[axis], in = (int64_t)node[axis] - p->first[axis];
        const int64_t own = p->is_ring[axis] ? (in % n + n) % n : in;
        is_held = is_held && own >= 0 && own < (int64_t)p->grid[axis];
        node[axis] = (uint64_t)own;
    }
    if (!is_held)
        node[PLANES] = (uint64_t)(int64_t)NOWHERE;
}

static void move_points(mst_problem *p) {
    for (size_t k = 0; k < p->n_sources; k++)
        for (size_t i = 0; i < p->sources[k].list.n; i++)
            move_node(p, p->sources[k].list.nodes[i].node);
    for (size_t k = 0; k < p->n_records; k++)
        move_node(p, p->records[k].node);
}

// The nodes of a region that are among n from `first` on, once around a ring; false: they lie in two pieces.
static bool find_range(const mst_problem_source *s, int axis, int64_t first, int64_t n, int64_t ring, int64_t *from,
                       int64_t *to) {
    *from = *to = 0;
    for (int64_t turn = -ring; turn <= ring; turn += mst_larger(ring, (int64_t)1)) {
        const int64_t low = mst_larger((int64_t)s->from[axis] - first + turn, (int64_t)0);
        const int64_t high = mst_smaller((int64_t)s->to[axis] - first + turn, n);
        if (low >= high)
            continue;
        if (*from < *to && low != *to)
            return false;
        *from = *from == *to ? low : *from;
        *to = high;
    }
    return true;
}

// Two pieces along one axis do not matter where the part has none of the nodes along another.
static mst_status move_region(const mst_problem *p, mst_problem_source *s, mst_error *error) {
    bool is_whole = true, is_there = true;
    for (int axis = 0; axis < N_AXES; axis++) {
        int64_t from, to;
        const int64_t ring = p->is_ring[axis] ? (int64_t)p->whole[axis] : 0;
        is_whole = find_range(s, axis, p->first[axis], (int64_t)p->grid[axis], ring, &from, &to) && is_whole;
        is_there = is_there && from < to;
        s->from[axis] = (uint64_t)from;
        s->to[axis] = (uint64_t)to;
    }
    return is_whole || !is_there ? MST_OK
                                 : mst_fail(error, MST_ERROR_UNSUPPORTED,
                                            "the region of a source lies in two pieces in a part of the periodic grid");
}

bool mst_part_splits(const mst_problem *p, int axis, const mst_part *part) {
    const int64_t ring =
        mst_problem_periodic(p, axis) && part->count < mst_problem_length(p, axis) ? mst_problem_length(p, axis) : 0;
    for (size_t k = 0; k < p->n_sources; k++) {
        int64_t from, to;
        if (p->sources[k].is_region && !find_range(&p->sources[k], axis, part->held_first, part->held_count, ring, &from, &to))
            return true;
    }
    return false;
}

mst_status mst_problem_cut(mst_problem *p, const mst_part part[N_AXES], mst_error *error) {
    mst_status status = MST_OK;
    for (int axis = 0; axis < N_AXES; axis++) {
        const bool is_cut = part[axis].count < (int64_t)p->whole[axis];
        p->is_ring[axis] = is_cut && mst_problem_periodic(p, axis);
        p->first[axis] = part[axis].held_first;
        p->grid[axis] = (uint64_t)part[axis].held_count;
        if (p->is_ring[axis])
            open_ring(p, axis);
    }
    p->plane = p->grid[ROWS] * p->grid[COLUMNS];
    p->nodes = p->plane * p->grid[PLANES];
    move_points(p);
    for (size_t k = 0; k < p->n_sources; k++)
        if (p->sources[k].is_region)
            MST_TRY(move_region(p, &p->sources[k], error));
fail:
    return status;
}

// The elements of an array of the whole grid along an axis before a node, which may lie beyond a ring.
static int64_t elements_before(const mst_problem *p, int array, int axis, int64_t node) {
    if (array >= p->n_arrays || p->layer_axes[array] != axis)
        return node;
    const mst_layer_nodes nodes = mst_layers_all_nodes(p, axis);
    return node < nodes.low ? node : mst_larger(node, nodes.high) - (nodes.high - nodes.low);
}

mst_part_range mst_part_along(const mst_problem *p, int array, int axis, int64_t from, int64_t to) {
    const int64_t first = elements_before(p, array, axis, from);
    return (mst_part_range){(uint64_t)(first - elements_before(p, array, axis, p->first[axis])),
                            (uint64_t)(elements_before(p, array, axis, to) - first)};
}

mst_part_range mst_part_elements(const mst_problem *p, int array, int64_t from, int64_t to) {
    const mst_part_range planes = mst_part_along(p, array, PLANES, from, to);
    uint64_t grid[N_AXES];
    mst_layers_grid(p, array, grid);
    return (mst_part_range){planes.first * grid[ROWS] * grid[COLUMNS], planes.count * grid[ROWS] * grid[COLUMNS]};
}

uint64_t mst_part_whole_elements(const mst_problem *p, int array) {
    uint64_t all = p->grids;
    for (int axis = 0; axis < N_AXES; axis++)
        all *= mst_part_along(p, array, axis, 0, mst_problem_length(p, axis)).count;
    return all;
}

mst_part_piece mst_part_piece_at(const mst_problem *p, int array, uint64_t first) {
    mst_part_piece piece = {.first = first, .count = 1};
    uint64_t grid[N_AXES], stride = 1, left = first;
    bool is_whole = true; // all axes so far
    if (p->has_grids)     // which are not cut
        return (mst_part_piece){first, mst_layers_array_nodes(p, array) - first, first};
    mst_layers_grid(p, array, grid);
    for (int axis = N_AXES - 1; axis >= 0; axis--) {
        const int64_t all = elements_before(p, array, axis, mst_problem_length(p, axis)), i = (int64_t)(left % grid[axis]);
        const int64_t unbounded = elements_before(p, array, axis, p->first[axis]) + i;
        const int64_t at = p->is_ring[axis] ? (unbounded % all + all) % all : unbounded;
        if (is_whole) // as far as the axis goes, here and there
            piece.count = stride * (uint64_t)mst_smaller((int64_t)grid[axis] - i, all - at) - first % stride;
        is_whole = is_whole && !p->is_ring[axis] && (int64_t)grid[axis] == all;
        piece.at += (uint64_t)at * stride;
        stride *= (uint64_t)all;
        left /= grid[axis];
    }
    return piece;
}
