#include "part.h"

#include "layers.h"
#include "observations.h"
#include "problem_points.h"
#include "runtime/numbers.h"

// Where what no part has lies: before all planes.
enum { NOWHERE = -(1 << 30) };

// What is beyond a periodic face comes in with the halos.
static void open_ring(mst_problem *p) {
    for (int set = 0; set < p->n_sets; set++)
        for (int side = 0; side < 2; side++) {
            mst_problem_boundary *face = set == 0 ? &p->boundaries[PLANES][side] : &p->own_sets[set - 1][PLANES][side];
            *face = (mst_problem_boundary){.kind = MST_BOUNDARY_DIRICHLET, .is_own = face->is_own};
        }
}

// The plane of the part that a plane of the grid is.
static int64_t plane_in_part(const mst_problem *p, int64_t plane) {
    int64_t in = plane - p->first_plane;
    const int64_t n = (int64_t)p->all_planes;
    if (p->is_ring)
        in = (in % n + n) % n;
    return in >= 0 && in < (int64_t)p->grid[PLANES] ? in : NOWHERE;
}

static void move_points(mst_problem *p) {
    for (size_t k = 0; k < p->n_sources; k++)
        for (size_t i = 0; i < p->sources[k].list.n; i++) {
            uint64_t *plane = &p->sources[k].list.nodes[i].node[PLANES];
            *plane = (uint64_t)plane_in_part(p, (int64_t)*plane);
        }
    for (size_t k = 0; k < p->n_records; k++)
        p->records[k].node[PLANES] = (uint64_t)plane_in_part(p, (int64_t)p->records[k].node[PLANES]);
}

// The planes of a region that are in the part, once around a ring.
static mst_status move_region(const mst_problem *p, mst_problem_source *s, mst_error *error) {
    mst_status status = MST_OK;
    const int64_t n = (int64_t)p->grid[PLANES], ring = p->is_ring ? (int64_t)p->all_planes : 0;
    int64_t from = 0, to = 0;
    for (int64_t turn = -ring; turn <= ring; turn += mst_larger(ring, (int64_t)1)) {
        const int64_t low = mst_larger((int64_t)s->from[PLANES] - p->first_plane + turn, (int64_t)0);
        const int64_t high = mst_smaller((int64_t)s->to[PLANES] - p->first_plane + turn, n);
        if (low >= high)
            continue;
        MST_REQUIRE(from == to || low == to, MST_ERROR_UNSUPPORTED,
                    "the region of a source lies in two pieces in a part of the periodic grid");
        from = from == to ? low : from;
        to = high;
    }
    s->from[PLANES] = (uint64_t)from;
    s->to[PLANES] = (uint64_t)to;
fail:
    return status;
}

mst_status mst_problem_cut(mst_problem *p, const mst_part *part, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(p->rank > 1, MST_ERROR_UNSUPPORTED, "a grid of one axis is not cut into parts");
    p->is_ring = mst_problem_periodic(p, PLANES);
    p->first_plane = part->held_first;
    p->grid[PLANES] = (uint64_t)part->held_planes;
    p->nodes = p->plane * p->grid[PLANES];
    if (p->is_ring)
        open_ring(p);
    move_points(p);
    for (size_t k = 0; k < p->n_sources; k++)
        if (p->sources[k].is_region)
            MST_TRY(move_region(p, &p->sources[k], error));
fail:
    return status;
}

// The elements of an array of the whole grid before a plane, which may lie beyond a ring.
static int64_t elements_before(const mst_problem *p, int array, int64_t plane) {
    uint64_t grid[N_AXES];
    mst_layers_grid(p, array, grid);
    if (array < p->n_arrays && p->layer_axes[array] == PLANES) {
        const mst_layer_nodes nodes = mst_layers_all_nodes(p, PLANES);
        plane = plane < nodes.low ? plane : mst_larger(plane, nodes.high) - (nodes.high - nodes.low);
    }
    return plane * (int64_t)(grid[ROWS] * grid[COLUMNS]);
}

mst_part_range mst_part_elements(const mst_problem *p, int array, int64_t from, int64_t to) {
    const int64_t first = elements_before(p, array, from);
    return (mst_part_range){(uint64_t)(first - elements_before(p, array, p->first_plane)),
                            (uint64_t)(elements_before(p, array, to) - first)};
}

int mst_part_pieces(const mst_problem *p, int array, mst_part_piece pieces[MST_PART_PIECES]) {
    const int64_t n = (int64_t)p->all_planes, end = p->first_plane + (int64_t)p->grid[PLANES];
    int count = 0;
    for (int64_t turn = -n; turn <= n; turn += n) {
        const int64_t from = mst_larger(p->first_plane, turn), to = mst_smaller(end, turn + n);
        if (from >= to)
            continue;
        const mst_part_range range = mst_part_elements(p, array, from, to);
        pieces[count++] = (mst_part_piece){range.first, range.count, (uint64_t)elements_before(p, array, from - turn)};
    }
    return count;
}
