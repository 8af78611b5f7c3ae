#include "cutting.h"

#include "boundary.h"
#include "runtime/numbers.h"
#include "stencil/scheme/layers.h"

#include <math.h>

enum { RESIDENT_ITEMS = 512 }; // that a unit of a GPU works on at once, about

// Launches that go on at once fill a device if together they have FULL times as many work-groups as are resident. With fewer they
// take longer by MISSED of what is missing, or, with few, as long as FEW rounds of resident ones (an H200; docs/performance.md).
static const double FULL = 1.4, MISSED = 0.3, FEW = 0.86;

// Work-groups that have nothing to do and end, for each resident one, while others go through a plane.
static const double EMPTY = 2;

// The planes that a work-group goes through for a strip beside those of the strip.
static int64_t overlap_of(const mst_tile *t) { return t->low[PLANES] + t->high[PLANES]; }

// About how many work-groups a GPU works on at once.
static int64_t resident_groups(const mst_tile *t) { return t->units * mst_larger(1, RESIDENT_ITEMS / t->group); }

// When all strips of n tiles are done, measured in planes that a work-group goes through. A tile's strips have `length` planes,
// but for the last, which has the rest. As many work-groups as are resident begin at once, and each that ends makes room for the
// next: first those of the long strips, then those of the short ones, which fill what the last round of the long ones leaves
// idle.
static int64_t finish(int64_t resident, int64_t overlap, int64_t n, int64_t planes, int64_t length) {
    int64_t groups = n * (planes / length), rest = planes % length, spare = resident - groups % resident;
    int64_t time = mst_divide_up(groups, resident) * (length + overlap);
    if (rest == 0)
        return time;
    int64_t fill = spare < resident ? spare * ((length + overlap) / (rest + overlap)) : 0;
    return time + mst_divide_up(mst_larger(0, n - fill), resident) * (rest + overlap);
}

// How many times as long the work of a launch takes as on a full device, where other launches go on beside it, whose work-groups
// take the room of those that end.
static double idle_beside(int64_t resident, int queues, int64_t groups) {
    double rounds = (double)(groups * queues) / (double)resident;
    return fmax(1 + MISSED * fmax(0, FULL - rounds), FEW / rounds);
}

// The planes of a strip, at most `most`, where other launches go on beside this one: strips are equal, and as few as fill the
// device.
static int64_t choose_length_beside(const mst_tile *t, int queues, int64_t n, int64_t planes, int64_t most) {
    int64_t first = mst_divide_up(planes, most), best = first;
    double least = INFINITY;
    for (int64_t strips = first; strips <= planes && strips < first + 64; strips++) {
        double time = (double)(planes + strips * overlap_of(t)) * idle_beside(resident_groups(t), queues, n * strips);
        if (time < least) {
            least = time;
            best = strips;
        }
    }
    return mst_divide_up(planes, best);
}

// The planes of a strip, at most `most`, with which the device is done first. Every launch asks for it, so only a few lengths are
// tried, and then those around the best of them.
static int64_t choose_length(const mst_tile *t, int64_t n, int64_t planes, int64_t most) {
    int64_t resident = resident_groups(t), high = mst_smaller(planes, most), low = 1, best = high, least = INT64_MAX;
    for (int64_t step = 1 + high / 32;; step = 1) {
        for (int64_t length = high; length >= low; length -= step) {
            int64_t time = finish(resident, overlap_of(t), n, planes, length);
            if (time < least) {
                least = time;
                best = length;
            }
        }
        if (step == 1)
            return best;
        high = mst_smaller(high, best + step - 1);
        low = mst_larger(1, best - step + 1);
    }
}

static int64_t strips_of(const mst_cutting *c) { return mst_divide_up(c->planes, c->length); }
static int64_t strips_at_faces(const mst_cutting *c) { return (c->edges[0] > 0) + (c->edges[1] > 0); }
static int64_t all_strips_of(const mst_cutting *c) { return strips_of(c) + strips_at_faces(c); }

// In how many parts to cut each of the strips that the boundary kernel does, if it is launched for n tiles and has something to
// do in so many strips of all. Others of its work-groups end at once.
static int64_t choose_parts(const mst_tile *t, int64_t n, int64_t strips, const mst_cutting *c) {
    int64_t resident = resident_groups(t), best = 1;
    double least = INFINITY;
    for (int64_t parts = 1; strips > 0 && parts <= mst_smaller(c->length, 64); parts++) {
        double empty = (double)((n * strips_of(c) - strips) * parts) / (EMPTY * (double)resident);
        double time = (double)(mst_divide_up(strips * parts, resident) * (mst_divide_up(c->length, parts) + overlap_of(t)));
        if (time + empty < least) {
            least = time + empty;
            best = parts;
        }
    }
    return best;
}

// Whether tiles that reach beyond a face, where the box ends, are the interior kernel's.
static bool is_open(const mst_tile *t, const mst_box *box, int axis, int side) {
    int64_t n = (int64_t)t->problem->grid[axis], first = box->from[axis] - t->before[axis];
    return mst_boundary_is_open(t->problem, axis, side) && t->own[axis] % t->item[axis] == 0 &&
           (side ? box->to[axis] == n && (n - first) % t->item[axis] == 0 : box->from[axis] == 0 && first % t->item[axis] == 0);
}

int64_t mst_cutting_edge(const mst_tile *t, int side) {
    const mst_layer_nodes clear = mst_layers_clear(t->problem, PLANES);
    const int64_t margin = mst_boundary_margin(t->problem, PLANES);
    return side ? t->high[PLANES] + mst_larger(margin, (int64_t)t->problem->grid[PLANES] - clear.high)
                : t->low[PLANES] + mst_larger(margin, clear.low);
}

// Narrows `ends` to where there are nodes along rows or columns, both in the grid and in a window.
static void narrow(const mst_tile *t, int axis, const mst_extent *w, int64_t margin, int64_t ends[2]) {
    int64_t n = (int64_t)t->problem->grid[axis], first = !w ? 0 : axis == ROWS ? w->first_row : w->first_column;
    int64_t last = !w ? n : first + (axis == ROWS ? w->rows : w->columns);
    ends[0] = mst_larger(ends[0], mst_larger(first, 0) + margin);
    ends[1] = mst_smaller(ends[1], mst_smaller(last, n) - margin);
}

// Tiles between the sides must be interior ones by the kernel's own condition, too (gpu_choice.c).
static void find_sides(const mst_tile *t, const mst_box *box, const int64_t ends[2], int axis, int64_t tiles, int64_t sides[2]) {
    int64_t tile = t->own[axis], item = t->item[axis], before = t->before[axis], own = box->to[axis] - box->from[axis];
    int64_t missing = mst_larger(0, ends[0] - box->from[axis] + before), room = ends[1] - box->from[axis] + before;
    int64_t last = mst_divide_up(before + own - (tiles - 1) * tile + t->high[axis], item) * item; // nodes that it needs
    bool reaches = (tiles - 1) * tile + last > room && !is_open(t, box, axis, 1);
    sides[0] = is_open(t, box, axis, 0) ? 0 : mst_smaller(tiles, mst_divide_up(missing, tile));
    sides[1] = reaches ? mst_larger(0, room - t->whole[axis] + tile) / tile : tiles;
    sides[1] = mst_larger(sides[0], mst_smaller(tiles, sides[1]));
}

static int64_t tiles_at_sides(const mst_cutting *c) {
    return c->rows * c->columns - (c->sides[ROWS][1] - c->sides[ROWS][0]) * (c->sides[COLUMNS][1] - c->sides[COLUMNS][0]);
}

// Strips at the grid's faces are short, as they are slow. For the rest, tiles at the sides are cut into parts.
static void cut_for_gpu(const mst_tile *t, const mst_box *box, int queues, const mst_extent *from, const mst_extent *held,
                        mst_cutting *c) {
    int64_t overlap = overlap_of(t), most = t->choice.planes > 0 ? t->choice.planes : mst_larger(32 * overlap, 128);
    const int64_t points = (int64_t)(t->problem->n_feeds + t->problem->n_records);
    bool all = false;
    for (int side = 0; side < 2; side++) {
        int64_t edge = mst_cutting_edge(t, side);
        int64_t beyond = side ? (int64_t)t->problem->grid[PLANES] - box->to[PLANES] : box->from[PLANES];
        c->edges[side] = mst_problem_periodic(t->problem, PLANES) || beyond >= edge ? 0 : edge;
    }
    int64_t inside = c->planes - c->edges[0] - c->edges[1];
    if (inside <= overlap && strips_at_faces(c) > 0) {
        inside = c->planes;
        c->edges[0] = c->edges[1] = 0;
        all = true;
    }
    for (int axis = ROWS; axis <= COLUMNS; axis++) {
        int64_t ends[2] = {INT64_MIN, INT64_MAX};
        const mst_layer_nodes clear = mst_layers_clear(t->problem, axis);
        if (clear.low > 0)
            ends[0] = clear.low;
        if (clear.high < (int64_t)t->problem->grid[axis])
            ends[1] = clear.high;
        narrow(t, axis, from, 0, ends);
        if (t->problem->n_coefficients > 0)
            narrow(t, axis, held, mst_boundary_margin(t->problem, axis), ends);
        find_sides(t, box, ends, axis, axis == ROWS ? c->rows : c->columns, c->sides[axis]);
    }
    c->planes = inside;
    int64_t n = c->rows * c->columns;
    c->length = queues > 1 ? choose_length_beside(t, queues, n, inside, most) : choose_length(t, n, inside, most);
    int64_t at_sides = all ? n : tiles_at_sides(c);
    if (points > 0 || all) // points may be anywhere, but mostly they are in a strip of each tile at most
        for (int axis = ROWS; axis <= COLUMNS; axis++)
            c->sides[axis][0] = c->sides[axis][1] = axis == ROWS ? c->rows : c->columns;
    c->parts = choose_parts(t, tiles_at_sides(c), at_sides * strips_of(c) + mst_smaller(points, n - at_sides), c);
}

// Strips of a CPU's tiles: some for each unit, but not so short that they compute too much twice, and as many as leave no unit
// without one at the end.
static int64_t choose_strips(const mst_tile *t, int64_t n, int64_t planes) {
    int64_t units = t->units, most = planes / (4 * overlap_of(t) + 1) + 1;
    int64_t wanted = mst_smaller(mst_divide_up(4 * units, n), most);
    for (int64_t strips = wanted; strips > 0; strips--)
        if (n * mst_divide_up(planes, mst_divide_up(planes, strips)) % units == 0)
            return strips;
    return wanted;
}

mst_cutting mst_cutting_make(const mst_tile *t, const mst_box *box, int queues, const mst_extent *from, const mst_extent *held) {
    mst_cutting c = {.planes = box->to[PLANES] - box->from[PLANES],
                     .rows = mst_divide_up(box->to[ROWS] - box->from[ROWS], t->own[ROWS]),
                     .columns = mst_divide_up(box->to[COLUMNS] - box->from[COLUMNS], t->own[COLUMNS]),
                     .parts = 1};
    if (t->shape == MST_STENCIL_SHAPE_GPU) {
        cut_for_gpu(t, box, queues, from, held, &c);
        return c;
    }
    c.length = mst_divide_up(c.planes, t->choice.planes > 0 ? mst_divide_up(c.planes, t->choice.planes)
                                                            : choose_strips(t, c.rows * c.columns, c.planes));
    return c;
}

int mst_cutting_queues(const mst_tile *t) {
    int64_t rows = mst_divide_up((int64_t)t->problem->grid[ROWS], t->own[ROWS]);
    int64_t columns = mst_divide_up((int64_t)t->problem->grid[COLUMNS], t->own[COLUMNS]);
    if (t->shape == MST_STENCIL_SHAPE_CPU)
        return 1;
    return (int)mst_larger(1, mst_smaller(MST_STENCIL_QUEUES, resident_groups(t) / (rows * columns)));
}

int64_t mst_cutting_boundary_groups(const mst_cutting *c) {
    return c->rows * c->columns * strips_at_faces(c) + tiles_at_sides(c) * strips_of(c) * c->parts;
}

int64_t mst_cutting_interior_groups(const mst_cutting *c) { return c->rows * c->columns * all_strips_of(c); }

// How many times as long the work takes because it does not fill the device to the end.
static double idle_of(const mst_tile *t, const mst_cutting *c, int queues) {
    int64_t groups = mst_cutting_interior_groups(c);
    if (t->shape == MST_STENCIL_SHAPE_CPU)
        return (double)(mst_divide_up(groups, t->units) * t->units) / (double)groups;
    int64_t n = c->rows * c->columns, resident = resident_groups(t), overlap = overlap_of(t);
    if (queues > 1)
        return idle_beside(resident, queues, n * strips_of(c));
    double work = (double)n * (double)(c->planes + strips_of(c) * overlap);
    return (double)resident * (double)finish(resident, overlap, n, c->planes, c->length) / work;
}

// A GPU's work-items go through all versions of all nodes of their tile, in all planes of a strip and those around it.
static double gpu_updates(const mst_tile *t, const mst_cutting *c) {
    double planes = (double)(c->planes + c->edges[0] + c->edges[1]);
    double around = (double)(overlap_of(t) * all_strips_of(c));
    return (planes + around) * (double)(c->rows * t->whole[ROWS] * c->columns * t->whole[COLUMNS]) * t->n_computed;
}

double mst_cutting_work(const mst_tile *t, const mst_pipeline *pipeline, const mst_box *box, int queues, double *longer) {
    const mst_cutting c = mst_cutting_make(t, box, queues, NULL, NULL);
    const int64_t own[N_AXES] = {mst_divide_up(c.planes, strips_of(&c)), t->own[ROWS], t->own[COLUMNS]};
    double nodes = 1, work = 0;
    for (int axis = 0; axis < N_AXES; axis++)
        nodes *= (double)(box->to[axis] - box->from[axis]);
    for (int k = t->problem->n_arrays; k < pipeline->n_versions; k++) {
        const mst_field_version *v = &pipeline->versions[k];
        double grown = 1;
        for (int axis = 0; axis < N_AXES; axis++) {
            int64_t side = mst_smaller(own[axis], box->to[axis] - box->from[axis]);
            grown *= (double)(side + v->low[axis] + v->high[axis]) / (double)side;
        }
        work += grown;
    }
    *longer = idle_of(t, &c, queues);
    if (t->shape == MST_STENCIL_SHAPE_GPU)
        *longer *= gpu_updates(t, &c) / (nodes * work);
    return nodes * work / t->problem->n_updates;
}
