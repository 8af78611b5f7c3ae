#include "look.h"

#include "kernels/arguments.h"
#include "kernels/write_observation.h"
#include "plan/held.h"
#include "runtime/numbers.h"

static cl_long16 region_of(const mst_region *r) {
    cl_long16 out = {{0}};
    for (int axis = 0; axis < N_AXES; axis++) {
        out.s[axis] = (cl_long)r->start[axis];
        out.s[3 + axis] = (cl_long)r->step[axis];
        out.s[6 + axis] = (cl_long)r->count[axis];
    }
    return out;
}

// What is looked at of the lines first .. end - 1 of the region, which lie in these arrays.
static mst_status launch(const mst_look *l, const cl_mem *arrays, const cl_long8 *grid, const cl_long8 *held, uint64_t first,
                         uint64_t end, mst_error *error) {
    const mst_problem *p = l->o->problem;
    const uint64_t from = mst_larger(first * l->of_line, l->from), to = mst_smaller(end * l->of_line, l->to);
    const cl_long16 region = region_of(&l->region);
    const uint64_t groups = mst_observation_groups(&l->region);
    const cl_long4 range = {{(cl_long)from, (cl_long)to, l->is_values ? (cl_long)l->from : (cl_long)groups, (cl_long)l->runs}};
    const size_t items = (size_t)(l->is_spectrum || l->is_values ? to - from : l->runs * groups * MST_OBSERVATION_LANES);
    const double now = (double)l->step * p->time_step, before = ((double)l->step - 1) * p->time_step;
    const float now_float = (float)now, before_float = (float)before;
    mst_argument_list list = {.n = 0};
    for (size_t k = 0; k < l->what->n_reads; k++, list.n++)
        list.values[list.n] = MST_BIND_AS(l->kernel->signature.parameters[k].name, arrays[k]);
    list.values[list.n++] = MST_BIND_AS(l->is_spectrum ? "sums" : "partials", *l->result);
    if (l->is_spectrum)
        list.values[list.n++] = MST_BIND(phases, l->o->phases);
    if (p->observations->n_varying > 0)
        list.values[list.n++] = MST_BIND(numbers, l->o->numbers);
    list.values[list.n++] = MST_BIND(grid, *grid);
    list.values[list.n++] = MST_BIND(held, *held);
    list.values[list.n++] = MST_BIND(region, region);
    list.values[list.n++] = MST_BIND(range, range);
    list.values[list.n++] = p->is_double ? MST_BIND(now, now) : MST_BIND_AS("now", now_float);
    list.values[list.n++] = p->is_double ? MST_BIND(before, before) : MST_BIND_AS("before", before_float);
    return mst_kernel_launch(&l->o->queue, l->kernel, list.values, list.n, items,
                             mst_kernel_group(l->o->context, l->kernel, items), NULL, error);
}

// `held` has, behind what is held, for the work-item's run: how many there are, elements from one to the next, and the first one.
static mst_status look_in_core(const mst_look *l, mst_error *error) {
    const mst_problem *p = l->o->problem;
    const mst_region *r = &l->region;
    cl_long8 held = {{0, (cl_long)p->grid[PLANES], 0, (cl_long)p->grid[ROWS], 0, (cl_long)p->grids, 0, (cl_long)l->first_run}};
    cl_mem arrays[MST_STENCIL_MAX_LEAVES];
    mst_loan loan = {.grid = {{(cl_long)p->grid[PLANES], (cl_long)p->grid[ROWS], (cl_long)p->grid[COLUMNS]}}};
    for (size_t k = 0; k < l->what->n_reads; k++) {
        l->o->schedule->kind->view(l->o->schedule, l->what->reads[k].array, &loan);
        arrays[k] = loan.buffer;
        held.s[6] = (loan.grid.s[6] + loan.grid.s[7]) * loan.grid.s[4];
    }
    return launch(l, arrays, &loan.grid, &held, 0, r->count[PLANES] * r->count[ROWS], error);
}

// ---- The same of a state in a backing store, box by box

// The first number and how many of an axis; those beyond faces are of the other side where it is periodic, else there are none.
typedef struct part_of_axis {
    int64_t first;
    uint64_t count;
} part_of_axis;

static part_of_axis part_for(const mst_look *l, int axis, uint64_t first_line, uint64_t lines) {
    const mst_region *r = &l->region;
    const uint64_t whole = l->o->problem->grid[axis], reach = (uint64_t)l->what->reach[axis];
    const uint64_t count = (lines - 1) * r->step[axis] + 1 + 2 * reach;
    if (count >= whole)
        return (part_of_axis){0, whole};
    return (part_of_axis){(int64_t)(r->start[axis] + first_line * r->step[axis]) - (int64_t)reach, count};
}

// Numbers k.. of a part that are one behind the other in the grid: where they begin there, and how many; *inside: they exist.
static uint64_t run_of(const mst_problem *p, int axis, part_of_axis part, uint64_t k, uint64_t *at, bool *inside) {
    const int64_t n = (int64_t)p->grid[axis], i = part.first + (int64_t)k;
    const int64_t end = part.first + (int64_t)part.count, next = i < 0 ? 0 : i < n ? n : end;
    *inside = (i >= 0 && i < n) || mst_problem_periodic(p, axis);
    *at = (uint64_t)(i < 0 ? i + n : i < n ? i : i - n);
    return (uint64_t)(mst_smaller(next, end) - i);
}

static mst_status get(const mst_look *l, int array, uint64_t element, uint64_t n, uint64_t to, mst_error *error) {
    mst_schedule *s = l->o->schedule;
    return s->kind->get(s, array, element, n, (unsigned char *)l->o->staging + to * l->o->problem->elements[array], error);
}

static mst_status fill_plane(const mst_look *l, int array, uint64_t plane, part_of_axis rows, uint64_t to, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = l->o->problem;
    const uint64_t columns = p->grid[COLUMNS];
    for (uint64_t k = 0, n, at; k < rows.count; k += n) {
        bool inside;
        n = run_of(p, ROWS, rows, k, &at, &inside);
        if (inside)
            MST_TRY(get(l, array, plane * p->plane + at * columns, n * columns, to + k * columns, error));
    }
fail:
    return status;
}

// Whole planes that lie one behind the other go at once.
static mst_status fill(const mst_look *l, size_t read, part_of_axis planes, part_of_axis rows, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = l->o->problem;
    const int array = l->what->reads[read].array;
    const uint64_t plane = rows.count * p->grid[COLUMNS];
    for (uint64_t k = 0, n, at; k < planes.count; k += n) {
        bool inside;
        n = run_of(p, PLANES, planes, k, &at, &inside);
        if (inside && plane == p->plane)
            MST_TRY(get(l, array, at * plane, n * plane, k * plane, error));
        for (uint64_t i = 0; i < n && inside && plane < p->plane; i++)
            MST_TRY(fill_plane(l, array, at + i, rows, (k + i) * plane, error));
    }
    MST_TRY(mst_queue_write(&l->o->queue, CL_TRUE, l->o->held[read], 0, (size_t)(planes.count * plane * p->elements[array]),
                            l->o->staging, "what monitors and spectra read", error));
fail:
    return status;
}

static mst_status look_at_box(const mst_look *l, const uint64_t first[2], const uint64_t lines[2], mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = l->o->problem;
    const part_of_axis planes = part_for(l, PLANES, first[PLANES], lines[PLANES]),
                       rows = part_for(l, ROWS, first[ROWS], lines[ROWS]);
    const cl_long8 grid = {{(cl_long)p->grid[PLANES], (cl_long)p->grid[ROWS], (cl_long)p->grid[COLUMNS],
                            (cl_long)p->grid[COLUMNS], (cl_long)(rows.count * p->grid[COLUMNS]), 0}};
    const cl_long8 held = {{planes.first, (cl_long)planes.count, rows.first, (cl_long)rows.count}};
    const uint64_t from = first[PLANES] * l->region.count[ROWS] + first[ROWS];
    if (from * l->of_line >= l->to || (from + lines[PLANES] * lines[ROWS]) * l->of_line <= l->from)
        return MST_OK;
    for (size_t k = 0; k < l->what->n_reads; k++)
        MST_TRY(fill(l, k, planes, rows, error));
    MST_TRY(launch(l, l->o->held, &grid, &held, from, from + lines[PLANES] * lines[ROWS], error));
fail:
    return status;
}

static mst_status look_at_store(const mst_look *l, mst_error *error) {
    mst_status status = MST_OK;
    const mst_region *r = &l->region;
    const mst_held held = mst_held_make(l->o->problem, l->what, l->o->footprint->parts[MST_FOOTPRINT_HELD].bytes);
    const uint64_t plane = r->count[ROWS] * l->of_line, end = mst_divide_up(l->to, plane);
    uint64_t first[2], lines[2];
    for (first[PLANES] = l->from / plane; first[PLANES] < end; first[PLANES] += lines[PLANES]) {
        lines[PLANES] = mst_smaller(held.lines[PLANES], end - first[PLANES]);
        for (first[ROWS] = 0; first[ROWS] < r->count[ROWS]; first[ROWS] += lines[ROWS]) {
            lines[ROWS] = mst_smaller(held.lines[ROWS], r->count[ROWS] - first[ROWS]);
            MST_TRY(look_at_box(l, first, lines, error));
        }
    }
fail:
    return status;
}

mst_status mst_look_at(const mst_look *l, mst_error *error) {
    mst_status status = MST_OK;
    if (l->from >= l->to)
        return MST_OK;
    MST_TRY(l->o->schedule->kind->view ? look_in_core(l, error) : look_at_store(l, error));
    return MST_OK;
fail:
    mst_queue_abandon(&l->o->queue);
    return status;
}
