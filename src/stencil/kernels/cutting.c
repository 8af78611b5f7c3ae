#include "cutting.h"

#include "write_gpu.h"

#include <math.h>

enum { RESIDENT_ITEMS = 512 }; // that a unit of a GPU works on at once, about

// Launches that go on at once fill a device if together they have FULL times as many work-groups as are resident. With fewer they
// take longer by MISSED of what is missing, or, with few, as long as FEW rounds of resident ones (an H200; docs/performance.md).
static const double FULL = 1.4, MISSED = 0.3, FEW = 0.86;

static int64_t ceiling(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

// Planes that a strip goes through beside its own.
static int64_t overlap_of(const mst_stepper *s) { return s->pipeline.low[PLANES] + s->pipeline.high[PLANES]; }

// Work-groups that a GPU has at once, about.
static int64_t resident_groups(const mst_stepper *s) {
    return (int64_t)s->context->device.compute_units * larger(1, RESIDENT_ITEMS / s->group);
}

// When strips of so many planes, of n tiles each, are done, in planes gone through by a work-group. As many as are resident begin
// at once, and each that ends makes room for the next: first all long strips, then the short ones, one of each tile, which fill
// what the last round of the long ones leaves.
static int64_t finish(int64_t resident, int64_t overlap, int64_t n, int64_t planes, int64_t length) {
    int64_t groups = n * (planes / length), rest = planes % length, spare = resident - groups % resident;
    int64_t time = ceiling(groups, resident) * (length + overlap);
    if (rest == 0)
        return time;
    int64_t fill = spare < resident ? spare * ((length + overlap) / (rest + overlap)) : 0;
    return time + ceiling(larger(0, n - fill), resident) * (rest + overlap);
}

// How much longer the work of a launch takes than on a full device, where others go on beside it: each that ends makes room for
// their work-groups.
static double idle_beside(int64_t resident, int lanes, int64_t groups) {
    double rounds = (double)(groups * lanes) / (double)resident;
    return fmax(1 + MISSED * fmax(0, FULL - rounds), FEW / rounds);
}

// Planes of a strip, at most `most`, where others go on beside the launch: of equal strips, as few as fill the device.
static int64_t choose_length_beside(const mst_stepper *s, int lanes, int64_t n, int64_t planes, int64_t most) {
    int64_t first = ceiling(planes, most), best = first;
    double least = INFINITY;
    for (int64_t strips = first; strips <= planes && strips < first + 64; strips++) {
        double time = (double)(planes + strips * overlap_of(s)) * idle_beside(resident_groups(s), lanes, n * strips);
        if (time < least) {
            least = time;
            best = strips;
        }
    }
    return ceiling(planes, best);
}

// Planes of a strip, at most `most`, for which the device is done first: the best of a few, then of those around it, as every
// launch asks.
static int64_t choose_length(const mst_stepper *s, int64_t n, int64_t planes, int64_t most) {
    int64_t resident = resident_groups(s), high = smaller(planes, most), low = 1, best = high, least = INT64_MAX;
    for (int64_t step = 1 + high / 32;; step = 1) {
        for (int64_t length = high; length >= low; length -= step) {
            int64_t time = finish(resident, overlap_of(s), n, planes, length);
            if (time < least) {
                least = time;
                best = length;
            }
        }
        if (step == 1)
            return best;
        high = smaller(high, best + step - 1);
        low = larger(1, best - step + 1);
    }
}

// In how many parts to cut each strip of n tiles.
static int64_t choose_parts(const mst_stepper *s, int64_t n, const mst_cutting *c) {
    int64_t resident = resident_groups(s), strips = mst_cutting_strips(c), best = 1, least = INT64_MAX;
    for (int64_t parts = 1; n > 0 && parts <= smaller(c->length, 64); parts++) {
        int64_t time = ceiling(n * strips * parts, resident) * (ceiling(c->length, parts) + overlap_of(s));
        if (time < least) {
            least = time;
            best = parts;
        }
    }
    return best;
}

// Whether tiles that reach beyond a face, where the box ends, are plain.
static bool is_open(const mst_stepper *s, const mst_box *box, int axis, int side) {
    int64_t n = (int64_t)s->problem->grid[axis], first = box->from[axis] - s->before[axis];
    return mst_gpu_is_open(s->problem, axis, side) && s->tile[axis] % s->item[axis] == 0 &&
           (side ? box->to[axis] == n && (n - first) % s->item[axis] == 0 : box->from[axis] == 0 && first % s->item[axis] == 0);
}

// Where along rows or columns there are nodes, in the grid and in a window.
static void narrow(const mst_stepper *s, int axis, const mst_window *w, int64_t margin, int64_t ends[2]) {
    int64_t n = (int64_t)s->problem->grid[axis], first = !w ? 0 : axis == ROWS ? w->first_row : w->first_column;
    int64_t last = !w ? n : first + (axis == ROWS ? w->rows : w->columns);
    ends[0] = larger(ends[0], larger(first, 0) + margin);
    ends[1] = smaller(ends[1], smaller(last, n) - margin);
}

// Tiles between the sides must be plain for the kernel too (write_gpu_choice.c).
static void find_sides(const mst_stepper *s, const mst_box *box, const int64_t ends[2], int axis, int64_t tiles, bool all,
                       int64_t sides[2]) {
    int64_t tile = s->tile[axis], item = s->item[axis], before = s->before[axis], own = box->to[axis] - box->from[axis];
    int64_t missing = larger(0, ends[0] - box->from[axis] + before), room = ends[1] - box->from[axis] + before;
    int64_t last = ceiling(before + own - (tiles - 1) * tile + s->pipeline.high[axis], item) * item; // nodes that it needs
    bool reaches = (tiles - 1) * tile + last > room && !is_open(s, box, axis, 1);
    sides[0] = all ? tiles : is_open(s, box, axis, 0) ? 0 : smaller(tiles, ceiling(missing, tile));
    sides[1] = reaches ? larger(0, room - s->whole[axis] + tile) / tile : tiles;
    sides[1] = larger(sides[0], smaller(tiles, sides[1]));
}

static int64_t tiles_at_sides(const mst_cutting *c) {
    return c->rows * c->columns - (c->sides[ROWS][1] - c->sides[ROWS][0]) * (c->sides[COLUMNS][1] - c->sides[COLUMNS][0]);
}

static int64_t strips_at_faces(const mst_cutting *c) { return (c->edges[0] > 0) + (c->edges[1] > 0); }

// Strips at the grid's faces are short, as they are slow. For the rest, tiles at the sides are cut into parts.
static void cut_for_gpu(const mst_stepper *s, const mst_box *box, int lanes, const mst_window *from, const mst_window *held,
                        mst_cutting *c) {
    const mst_pipeline *p = &s->pipeline;
    int64_t overlap = overlap_of(s), most = s->choice.planes > 0 ? s->choice.planes : larger(32 * overlap, 128);
    bool all = s->problem->n_sources + s->problem->n_points > 0; // points may be anywhere
    for (int side = 0; side < 2; side++) {
        int64_t edge = (side ? p->high : p->low)[PLANES] + mst_gpu_margin(s->problem, PLANES);
        int64_t beyond = side ? (int64_t)s->problem->grid[PLANES] - box->to[PLANES] : box->from[PLANES];
        c->edges[side] = mst_problem_periodic(s->problem, PLANES) || beyond >= edge ? 0 : edge;
    }
    int64_t inside = c->planes - c->edges[0] - c->edges[1];
    if (inside <= overlap && strips_at_faces(c) > 0) {
        inside = c->planes;
        c->edges[0] = c->edges[1] = 0;
        all = true;
    }
    for (int axis = ROWS; axis <= COLUMNS; axis++) {
        int64_t ends[2] = {INT64_MIN, INT64_MAX};
        narrow(s, axis, from, 0, ends);
        if (s->problem->n_coefficients > 0)
            narrow(s, axis, held, mst_gpu_margin(s->problem, axis), ends);
        find_sides(s, box, ends, axis, axis == ROWS ? c->rows : c->columns, all, c->sides[axis]);
    }
    c->planes = inside;
    int64_t n = c->rows * c->columns;
    c->length = lanes > 1 ? choose_length_beside(s, lanes, n, inside, most) : choose_length(s, n, inside, most);
    c->parts = choose_parts(s, tiles_at_sides(c), c);
}

// Strips of a CPU's tiles: some for each unit, but not so short that they compute too much twice, and as many as leave no unit
// without one at the end.
static int64_t choose_strips(const mst_stepper *s, int64_t n, int64_t planes) {
    int64_t units = s->context->device.compute_units, most = planes / (4 * overlap_of(s) + 1) + 1;
    int64_t wanted = smaller(ceiling(4 * units, n), most);
    for (int64_t strips = wanted; strips > 0; strips--)
        if (n * ceiling(planes, ceiling(planes, strips)) % units == 0)
            return strips;
    return wanted;
}

mst_cutting mst_cutting_make(const mst_stepper *s, const mst_box *box, int lanes, const mst_window *from,
                             const mst_window *held) {
    mst_cutting c = {.planes = box->to[PLANES] - box->from[PLANES],
                     .rows = ceiling(box->to[ROWS] - box->from[ROWS], s->tile[ROWS]),
                     .columns = ceiling(box->to[COLUMNS] - box->from[COLUMNS], s->tile[COLUMNS]),
                     .parts = 1};
    if (s->shape == MST_STENCIL_SHAPE_GPU) {
        cut_for_gpu(s, box, lanes, from, held, &c);
        return c;
    }
    c.length = ceiling(c.planes, s->choice.planes > 0 ? ceiling(c.planes, s->choice.planes)
                                                      : choose_strips(s, c.rows * c.columns, c.planes));
    return c;
}

int mst_cutting_lanes(const mst_stepper *s) {
    int64_t rows = ceiling((int64_t)s->problem->grid[ROWS], s->tile[ROWS]);
    int64_t columns = ceiling((int64_t)s->problem->grid[COLUMNS], s->tile[COLUMNS]);
    if (s->shape == MST_STENCIL_SHAPE_CPU)
        return 1;
    return (int)larger(1, smaller(MST_STENCIL_LANES, resident_groups(s) / (rows * columns)));
}

int64_t mst_cutting_strips(const mst_cutting *c) { return ceiling(c->planes, c->length); }

int64_t mst_cutting_all_strips(const mst_cutting *c) { return mst_cutting_strips(c) + strips_at_faces(c); }

int64_t mst_cutting_careful(const mst_cutting *c) {
    return c->rows * c->columns * strips_at_faces(c) + tiles_at_sides(c) * mst_cutting_strips(c) * c->parts;
}

int64_t mst_cutting_groups(const mst_cutting *c) { return c->rows * c->columns * mst_cutting_all_strips(c); }

double mst_cutting_idle(const mst_stepper *s, const mst_cutting *c, int lanes) {
    int64_t units = s->context->device.compute_units, groups = mst_cutting_groups(c);
    if (s->shape == MST_STENCIL_SHAPE_CPU)
        return (double)(ceiling(groups, units) * units) / (double)groups;
    int64_t n = c->rows * c->columns, resident = resident_groups(s), overlap = overlap_of(s);
    if (lanes > 1)
        return idle_beside(resident, lanes, n * mst_cutting_strips(c));
    double work = (double)n * (double)(c->planes + mst_cutting_strips(c) * overlap);
    return (double)resident * (double)finish(resident, overlap, n, c->planes, c->length) / work;
}
