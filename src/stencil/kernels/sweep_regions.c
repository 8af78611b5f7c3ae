// Which nodes the kernels of a GPU's sweeps do where there are absorbing layers: see write_sweep.h.
#include "runtime/numbers.h"
#include "stencil/scheme/layers.h"
#include "write_sweep.h"

enum {
    GROUP = 256,
    EDGES_GROUP = 64, // a kernel with so many registers that a compute unit holds one work-group of 256, but seven of these
    LINE_BYTES = 128, // of a cache, which two kernels do not share: half ones take an H100 twice as long
    // Planes that a GPU's work-item goes along: it begins with loading some more, and neighbours far ahead of one another share
    // no cache. Where these more planes of an array take so many bytes, the cache does not hold them until the next strip needs
    // them, and strips are longer.
    LEAST_PLANES = 4,
    MOST_PLANES = 8,
    MOST_PLANES_APART = 32,
    MOST_CACHED = 1 << 24,
    ROW_ITEMS = 32, // along the columns, in three dimensions; and of layers, those at both ends of a row counted as one
};

int mst_sweep_group(mst_sweep_of part) { return part == MST_SWEEP_EDGES ? EDGES_GROUP : GROUP; }

// Boxes around a hole may be narrow.
int mst_sweep_items(const mst_sweeps *s, mst_sweep_of part, bool in_layers) {
    return in_layers || s->around || s->problem->rank == MST_MAX_AXES ? ROW_ITEMS : mst_sweep_group(part);
}

unsigned mst_sweep_region(mst_sweep_of part, int region) {
    enum { P = 1 << PLANES, R = 1 << ROWS, C = 1 << COLUMNS };
    static const unsigned regions[MST_SWEEP_PARTS][MST_SWEEP_REGIONS] = {
        [MST_SWEEP_FACES] = {P, R, C}, [MST_SWEEP_EDGES] = {P | R, P | C, R | C, P | R | C}};
    return regions[part][region];
}

void mst_sweep_cut(const mst_sweeps *s, int k, int axis, int64_t from, int64_t to, int64_t cuts[2]) {
    const int64_t length = (int64_t)s->problem->grid[axis], unit = axis == COLUMNS ? LINE_BYTES / (int64_t)s->element : 1;
    int reach[2];
    cuts[0] = from;
    cuts[1] = to;
    if (!mst_sweeps_layer_reach(s, k, axis, reach))
        return;
    const mst_layer_nodes nodes = mst_layers_nodes(s->problem, axis);
    const int64_t low = nodes.low > 0 ? mst_round_up(nodes.low - reach[0], unit) : 0;
    const int64_t high = nodes.high < length ? (nodes.high - reach[1]) / unit * unit : length;
    cuts[0] = mst_smaller(mst_larger(low, from), to);
    cuts[1] = mst_larger(mst_smaller(high, to), cuts[0]);
}

// Work-items' planes of a region, one behind the other in strips of so many; and the work-groups beside one another.
static int64_t strips_of(const mst_sweeps *s, int k, bool in_layers, int64_t from, int64_t to, int64_t length) {
    int64_t cuts[2];
    mst_sweep_cut(s, k, PLANES, from, to, cuts);
    return in_layers ? mst_divide_up(cuts[0] - from, length) + mst_divide_up(to - cuts[1], length)
                     : mst_divide_up(cuts[1] - cuts[0], length);
}

static int64_t nodes_of(const mst_sweeps *s, int k, int axis, unsigned region) {
    const int64_t length = (int64_t)s->problem->grid[axis];
    int64_t cuts[2];
    mst_sweep_cut(s, k, axis, 0, length, cuts);
    return region >> axis & 1 ? length - (cuts[1] - cuts[0]) : cuts[1] - cuts[0];
}

static int64_t groups_of(const mst_sweeps *s, int k, mst_sweep_of part, unsigned region, int64_t from, int64_t to,
                         int64_t length) {
    const mst_problem *p = s->problem;
    const int64_t items = mst_sweep_items(s, part, region >> COLUMNS & 1), across = mst_sweep_group(part) / items;
    const int64_t columns = mst_divide_up(nodes_of(s, k, COLUMNS, region), items * s->width);
    const int64_t rows = nodes_of(s, k, ROWS, region), strips = strips_of(s, k, region >> PLANES & 1, from, to, length);
    return p->rank == MST_MAX_AXES ? columns * mst_divide_up(rows, across) * strips
                                   : columns * rows * mst_divide_up(strips, across);
}

int64_t mst_sweep_strip(const mst_sweeps *s, int64_t fair) {
    const mst_padded *a = &s->padded;
    const double more = (double)((a->before[PLANES] + a->behind[PLANES]) * a->plane_pitch) * (double)s->element;
    const int64_t most = more > MOST_CACHED ? MOST_PLANES_APART : MOST_PLANES;
    return mst_smaller(mst_larger(fair, (int64_t)LEAST_PLANES), most);
}

static int64_t divide_all(const mst_sweeps *s, int64_t planes, int64_t units, cl_long8 *work) {
    const uint64_t *n = s->problem->grid;
    const int64_t items = mst_sweep_items(s, MST_SWEEP_ALL, false);
    const int64_t columns = mst_divide_up((int64_t)n[COLUMNS], items * s->width);
    const int64_t rows = mst_divide_up((int64_t)n[ROWS], GROUP / items);
    const int64_t fair = mst_divide_up(planes, mst_divide_up(units * MST_SWEEP_GROUPS_A_UNIT, columns * rows));
    const int64_t strip = mst_sweep_strip(s, fair);
    *work = (cl_long8){{strip, columns, rows}};
    return mst_divide_up(planes, strip) * columns * rows;
}

int64_t mst_sweep_divide(const mst_sweeps *s, int k, mst_sweep_of part, int64_t from, int64_t to, int64_t units, cl_long8 *work) {
    int64_t planes = 0, groups = 0;
    if (part == MST_SWEEP_ALL)
        return divide_all(s, to - from, units, work);
    *work = (cl_long8){{0}};
    for (int i = 0; i < MST_SWEEP_REGIONS; i++)
        if (i == 0 || mst_sweep_region(part, i) != 0)
            planes += groups_of(s, k, part, mst_sweep_region(part, i), from, to, 1);
    const int64_t fair = mst_divide_up(planes, units * MST_SWEEP_GROUPS_A_UNIT);
    work->s[0] = mst_sweep_strip(s, fair);
    for (int i = 0; i < MST_SWEEP_REGIONS; i++) {
        if (i == 0 || mst_sweep_region(part, i) != 0)
            groups += groups_of(s, k, part, mst_sweep_region(part, i), from, to, work->s[0]);
        work->s[4 + i] = groups;
    }
    return groups;
}
