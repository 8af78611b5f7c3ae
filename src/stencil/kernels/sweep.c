#include "sweep.h"

#include "boundary.h"
#include "runtime/numbers.h"
#include "stencil/scheme/problem_points.h"

#include <stdlib.h>

enum { MOST_COLUMNS = 1 << 14 };                    // of a line whose margins are filled by whoever computed it
enum { LINE_BYTES_GPU = 128, LINE_BYTES_CPU = 64 }; // of a cache
enum { SHORT_COLUMNS = 128 };                       // a CPU's lines of up to so many are padded to vectors

// Bytes of a vector. On a GPU short ones, so that the registers of the planes that a work-item keeps allow more work-items at
// once: measured for order 8 in space, two columns are 1.4 times as fast as four, and never slower.
// Of a field of which a GPU's work-item keeps more planes in registers, it takes as few columns as it can.
enum { VECTOR_BYTES_GPU = 8, LEAST_WIDTH = 2, MOST_WIDE_PLANES = 5 };

// Of a grid with so many nodes a GPU's kernels have the pitch as a number, so that the places of the rows around are offsets in
// instructions, and take no registers and additions: for order 8 in space 58 registers instead of 88, float16 40 % faster.
// On a CPU these places are displacements, too, and where the last vector of a line is whole nothing asks for it. In three axes,
// which an ensemble of grids of two has as well, grids with lines of a few vectors are 1.2 to 1.7 times as fast, larger ones up
// to 1.2; in two, order 8 gains a twentieth and five points lose half. Building takes half a second, so there must be as many
// node-steps as take two, if it is known how many there are.
// Smaller grids are not worth a program of their own.
enum { LEAST_FIXED = 1 << 20 };
static const double LEAST_FIXED_STEPS = 0x1p33;

int mst_sweeps_replaced(const mst_problem *p, int update) {
    const mst_problem_field *field = &p->fields[p->updates[update].field];
    return field->array + field->levels - 1;
}

static bool is_own_node(const mst_leaf *leaf) {
    return leaf->offsets[PLANES] == 0 && leaf->offsets[ROWS] == 0 && leaf->offsets[COLUMNS] == 0;
}

// Whether any update of a sweep reads an array beyond the node itself.
static bool reads_neighbours(const mst_problem *p, int first, int end, int array) {
    for (int u = first; u < end; u++) {
        const mst_formula *f = &p->updates[u].formula;
        for (size_t i = 0; i < f->n_leaves; i++) {
            const mst_leaf *leaf = &f->leaves[i];
            if (leaf->kind == MST_VALUE_FIELD && !p->fields[leaf->field].coefficient &&
                p->fields[leaf->field].array + leaf->level == array && !is_own_node(leaf))
                return true;
        }
    }
    return false;
}

static void divide(mst_sweeps *s) {
    const mst_problem *p = s->problem;
    for (int u = 0; u < p->n_updates; u++)
        if (u == 0 || p->updates[u].substep != p->updates[u - 1].substep)
            s->first[s->n++] = u;
    s->first[s->n] = p->n_updates;
    for (int u = 0, k = 0; u < p->n_updates; u++) {
        k += u == s->first[k + 1];
        s->in_place[u] = !reads_neighbours(p, s->first[k], s->first[k + 1], mst_sweeps_replaced(p, u));
    }
}

mst_sweeps_kind mst_sweeps_kind_of(const mst_sweeps *s, int field) {
    const mst_problem_field *f = &s->problem->fields[field];
    return f->is_memory ? MST_SWEEPS_LAYERS + (mst_sweeps_kind)f->layer_axis : f->is_half ? MST_SWEEPS_HALF : MST_SWEEPS_WHOLE;
}

// As many spare arrays of a kind as a sweep takes at most.
static void count_spares(mst_sweeps *s) {
    for (mst_sweeps_kind kind = MST_SWEEPS_WHOLE; kind < MST_SWEEPS_KINDS; kind++) {
        int most = 0;
        for (int k = 0; k < s->n; k++) {
            int taken = 0;
            for (int u = s->first[k]; u < s->first[k + 1]; u++)
                taken += !s->in_place[u] && mst_sweeps_kind_of(s, s->problem->updates[u].field) == kind;
            most = mst_larger(most, taken);
        }
        for (; most > 0; most--)
            s->spare_kinds[s->n_spares++] = kind;
    }
}

int mst_sweeps_next_spare(const mst_sweeps *s, int update, mst_spare_turn *turn) {
    const mst_sweeps_kind kind = mst_sweeps_kind_of(s, s->problem->updates[update].field);
    int first = 0;
    while (s->spare_kinds[first] != kind)
        first++;
    return first + turn->taken[kind]++;
}

static void find_margins(mst_sweeps *s) {
    const mst_problem *p = s->problem;
    for (int u = 0; u < p->n_updates; u++) {
        const mst_formula *f = &p->updates[u].formula;
        for (size_t i = 0; i < f->n_leaves; i++) {
            const mst_leaf *leaf = &f->leaves[i];
            if (leaf->kind != MST_VALUE_FIELD)
                continue;
            s->has_margin[leaf->field] =
                s->has_margin[leaf->field] || (!is_own_node(leaf) && !s->problem->fields[leaf->field].is_memory);
            for (int axis = 0; axis < N_AXES; axis++) {
                s->padded.before[axis] = mst_larger(s->padded.before[axis], (int64_t)-leaf->offsets[axis]);
                s->padded.behind[axis] = mst_larger(s->padded.behind[axis], (int64_t)leaf->offsets[axis]);
            }
        }
    }
}

static bool uses_time(const mst_formula *f) {
    for (size_t i = 0; i < f->n_leaves; i++)
        if (f->leaves[i].kind == MST_VALUE_TIME)
            return true;
    return false;
}

// Whether spare arrays, which go from field to field, would bring margins with values of another's faces.
static bool spares_differ(const mst_sweeps *s) {
    const mst_problem *p = s->problem;
    for (int i = 0; i < 2 * N_AXES * (s->n_spares > 0 ? p->n_sets : 1); i++) {
        const mst_problem_boundary *face = mst_problem_face(p, i / (2 * N_AXES), i / 2 % N_AXES, i % 2);
        if (face->is_own && (mst_boundary_is_valued(face) || mst_boundary_is_valued(&p->boundaries[i / 2 % N_AXES][i % 2])))
            return true;
    }
    return false;
}

static bool margins_change(const mst_sweeps *s) {
    const mst_problem *p = s->problem;
    for (int i = 0; i < 2 * N_AXES * p->n_sets; i++) {
        const int axis = i / 2 % N_AXES, side = i % 2;
        const mst_problem_boundary *face = mst_problem_face(p, i / (2 * N_AXES), axis, side);
        const bool reaches = (side ? s->padded.behind : s->padded.before)[axis] > 0;
        if (reaches && (!mst_boundary_is_valued(face) || uses_time(&face->value)))
            return true;
    }
    return spares_differ(s);
}

static void find_points(mst_sweeps *s) {
    const mst_problem *p = s->problem;
    for (size_t k = 0; k < p->n_sources; k++)
        s->points_of[p->sources[k].field] = s->points_of[p->sources[k].field] || !p->sources[k].is_region;
    for (size_t k = 0; k < p->n_records; k++)
        s->points_of[p->records[k].field] = true;
}

// Whether a CPU's sweeps can fill margins as they go. A grid that is narrower than updates reach has margins that are like
// margins.
static bool can_copy(const mst_sweeps *s) {
    const mst_problem *p = s->problem;
    if (s->shape != MST_STENCIL_SHAPE_CPU || !s->margins_change || p->rank == 1 || p->grid[COLUMNS] > MOST_COLUMNS ||
        spares_differ(s))
        return false;
    for (int i = 0; i < 2 * N_AXES * p->n_sets; i++) {
        const int axis = i / 2 % N_AXES, side = i % 2;
        const mst_problem_boundary *face = mst_problem_face(p, i / (2 * N_AXES), axis, side);
        const int64_t reach = (side ? s->padded.behind : s->padded.before)[axis];
        if (mst_boundary_is_valued(face) ? uses_time(&face->value) : reach > (int64_t)p->grid[axis])
            return false;
    }
    return true;
}

static int64_t line_of(const mst_sweeps *s) {
    if (s->shape == MST_STENCIL_SHAPE_CPU && s->problem->grid[COLUMNS] <= SHORT_COLUMNS)
        return s->width;
    return (s->shape == MST_STENCIL_SHAPE_GPU ? LINE_BYTES_GPU : LINE_BYTES_CPU) / (int64_t)s->element;
}

uint64_t mst_sweeps_elements(const mst_sweeps *s, uint64_t planes) {
    const mst_padded *a = &s->padded;
    const int64_t line = line_of(s);
    size_t all = 0;
    if (a->plane_pitch > 0 &&
        mst_multiply((uint64_t)a->plane_pitch, planes + (uint64_t)(a->before[PLANES] + a->behind[PLANES]), &all) &&
        mst_multiply(all, s->problem->grids, &all) && mst_add(all, (uint64_t)((a->before[COLUMNS] / line + 4) * line), &all))
        return all;
    return UINT64_MAX;
}

int64_t mst_sweeps_gap(const mst_sweeps *s) { return s->padded.before[PLANES] + s->padded.behind[PLANES]; }

int64_t mst_sweeps_of_run(const mst_sweeps *s) {
    return ((int64_t)s->problem->grid[PLANES] + mst_sweeps_gap(s)) * s->padded.plane_pitch;
}

int64_t mst_sweeps_lag(const mst_sweeps *s) { return mst_larger(s->padded.before[PLANES], s->padded.behind[PLANES]); }

int64_t mst_sweeps_row_lag(const mst_sweeps *s) { return mst_larger(s->padded.before[ROWS], s->padded.behind[ROWS]); }

// Rows are a whole number of cache lines (short ones on a CPU of vectors: three lines for 16 nodes are twice what a core's first
// cache holds of a run of 16 x 16 x 16, three vectors are not), and an odd one, so that the rows that an update reads do not meet
// in one set of a cache. So a CPU's last vector of a row reaches no node of the next one but such beyond its face, and not even
// these where sweeps fill margins as they go, since another processor may just be writing them.
static void lay_out(mst_sweeps *s) {
    const mst_problem *p = s->problem;
    mst_padded *a = &s->padded;
    const int64_t line = line_of(s);
    size_t plane = 0;
    const uint64_t behind = p->grid[COLUMNS] + (uint64_t)a->behind[COLUMNS];
    const uint64_t vectors = s->copies_margins ? mst_round_up(p->grid[COLUMNS], (uint64_t)s->width) : behind;
    const int64_t lines = (int64_t)mst_divide_up(mst_larger(behind, vectors) + (uint64_t)a->before[COLUMNS], (uint64_t)line);
    a->pitch = (lines | 1) * line;
    a->elements = UINT64_MAX;
    if (!mst_multiply((uint64_t)a->pitch, p->grid[ROWS] + (uint64_t)(a->before[ROWS] + a->behind[ROWS]), &plane))
        return;
    a->plane_pitch = (int64_t)plane;
    a->first = a->before[PLANES] * a->plane_pitch + a->before[ROWS] * a->pitch + (a->before[COLUMNS] / line + 2) * line;
    a->elements = mst_sweeps_elements(s, p->grid[PLANES]);
}

bool mst_sweeps_has(const mst_sweeps *s, bool half, bool coefficient) {
    for (int f = 0; f < s->problem->n_fields; f++)
        if (s->problem->fields[f].is_half == half && s->problem->fields[f].coefficient == coefficient)
            return true;
    return false;
}

static size_t least_element(const mst_problem *p) {
    size_t least = p->element;
    for (int a = 0; a < p->n_arrays + p->n_coefficients; a++)
        least = mst_smaller(least, p->elements[a]);
    return least;
}

// The most planes of a field that an update reads, those between counted.
static int planes_read(const mst_problem *p) {
    int reach[2] = {0, 0};
    for (int u = 0; u < p->n_updates; u++)
        for (size_t i = 0; i < p->updates[u].formula.n_leaves; i++) {
            const mst_leaf *leaf = &p->updates[u].formula.leaves[i];
            const int offset = leaf->kind == MST_VALUE_FIELD ? leaf->offsets[PLANES] : 0;
            reach[offset > 0] = mst_larger(reach[offset > 0], abs(offset));
        }
    return 1 + reach[0] + reach[1];
}

mst_sweeps mst_sweeps_make(const mst_problem *problem, mst_stencil_shape shape, size_t vector_bytes) {
    const size_t bytes = shape == MST_STENCIL_SHAPE_GPU ? VECTOR_BYTES_GPU : vector_bytes;
    mst_sweeps s = {.problem = problem, .shape = shape, .element = least_element(problem), .vector_bytes = vector_bytes};
    // A CPU's vectors are of what it computes with, a GPU's of what it loads.
    const size_t element = shape == MST_STENCIL_SHAPE_GPU && mst_problem_has_half_state(problem) ? s.element : problem->element;
    s.width = mst_larger((int)(bytes / element), (int)LEAST_WIDTH);
    if (shape == MST_STENCIL_SHAPE_GPU && planes_read(problem) > MOST_WIDE_PLANES)
        s.width = LEAST_WIDTH;
    divide(&s);
    count_spares(&s);
    find_margins(&s);
    s.margins_change = margins_change(&s);
    s.copies_margins = can_copy(&s);
    find_points(&s);
    lay_out(&s);
    s.has_fixed_pitch =
        shape == MST_STENCIL_SHAPE_GPU && s.padded.before[ROWS] + s.padded.behind[ROWS] > 0 && problem->nodes >= LEAST_FIXED;
    mst_sweeps_fold(&s);
    return s;
}

void mst_sweeps_fix_lines(mst_sweeps *s, uint64_t steps) {
    const mst_problem *p = s->problem;
    s->has_fixed_lines = s->shape == MST_STENCIL_SHAPE_CPU && p->rank == 3 &&
                         (steps == 0 ? p->nodes >= LEAST_FIXED : (double)p->nodes * (double)steps >= LEAST_FIXED_STEPS);
}
