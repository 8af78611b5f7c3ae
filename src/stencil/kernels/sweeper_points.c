// What sources add and receivers get: behind a sweep by launches of their own, in tiles by the work-group of the tile.
#include "sweeper_points.h"

#include "runtime/numbers.h"

enum { POINT_GROUP = 64 };

// The first of a field's points, which are in order, that does not lie before a plane.
static size_t first_point(const mst_sweeper *s, const size_t field[2], int64_t plane) {
    size_t low = field[0], high = field[1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->points->points[middle].plane < plane)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static mst_status launch_points(const mst_sweeper *s, mst_queue *queue, const mst_kernel *kernel, cl_mem array,
                                const size_t field[2], cl_long row, const mst_sweep_part *part, const cl_long8 *grid,
                                mst_error *error) {
    const bool has_grids = s->sweeps.problem->has_grids; // of which a part has all
    const size_t first = has_grids ? field[0] : first_point(s, field, part->from),
                 end = has_grids ? field[1] : first_point(s, field, part->to);
    const cl_long8 of_runs = {{grid->s[0], grid->s[1], grid->s[2], grid->s[3], grid->s[4], grid->s[5], has_grids ? grid->s[0] : 0,
                               mst_sweeps_gap(&s->sweeps)}};
    const cl_long4 range = {{(cl_long)first, (cl_long)end, row}};
    const bool adds = kernel == s->add_sources[0] || kernel == s->add_sources[1];
    const mst_box *b = &part->recorded;
    const cl_long8 others = {{b->from[PLANES], b->to[PLANES], b->from[ROWS], b->to[ROWS], b->from[COLUMNS], b->to[COLUMNS]}};
    const mst_argument arguments[] = {MST_BIND(array, array),
                                      adds ? MST_BIND(table, s->tables->steps) : MST_BIND(records, s->tables->records),
                                      MST_BIND(points, s->tables->points),
                                      MST_BIND(grid, of_runs),
                                      MST_BIND(range, range),
                                      MST_BIND(others, others)};
    if (end == first)
        return MST_OK;
    return mst_kernel_launch(queue, kernel, arguments, MST_COUNT(arguments) - adds, end - first, POINT_GROUP, NULL, error);
}

// What the regions of a field's sources add in some planes.
static mst_status add_regions(const mst_sweeper *s, mst_queue *queue, int field, cl_mem array, uint64_t row,
                              const mst_sweep_part *part, const cl_long8 *grid, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = s->sweeps.problem;
    for (size_t k = 0; k < p->n_regions; k++) {
        const mst_problem_source *source = mst_points_region(p, k);
        const int64_t from = mst_larger((int64_t)source->from[PLANES], part->from);
        const int64_t to = mst_smaller((int64_t)source->to[PLANES], part->to);
        const uint64_t of_plane = (source->to[ROWS] - source->from[ROWS]) * (source->to[COLUMNS] - source->from[COLUMNS]);
        const cl_long4 work = {{from, to, (cl_long)(s->points->first_region + 2 * k), (cl_long)row}};
        const mst_argument arguments[] = {MST_BIND(array, array), MST_BIND(table, s->tables->steps),
                                          MST_BIND(points, s->tables->points), MST_BIND(grid, *grid), MST_BIND(work, work)};
        if (source->field == field && from < to)
            MST_TRY(mst_kernel_launch(queue, s->add_region[k], arguments, MST_COUNT(arguments),
                                      (size_t)((uint64_t)(to - from) * of_plane), POINT_GROUP, NULL, error));
    }
fail:
    return status;
}

mst_status mst_sweeper_points(const mst_sweeper *s, mst_queue *queue, int field, cl_mem array, uint64_t row,
                              const mst_sweep_part *part, const cl_long8 *grid, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = s->sweeps.problem;
    const bool half = p->fields[field].is_half;
    MST_TRY(launch_points(s, queue, s->add_sources[half], array, &s->points->sources.first[field],
                          (cl_long)((row + 1) * (1 + p->n_feeds)), part, grid, error));
    MST_TRY(add_regions(s, queue, field, array, row, part, grid, error));
    MST_TRY(launch_points(s, queue, s->record_receivers[half], array, &s->points->receivers.first[field],
                          (cl_long)(row * p->n_records), part, grid, error));
fail:
    return status;
}

bool mst_sweeper_feeds(const mst_sweeper *s, int field) {
    const mst_problem *p = s->sweeps.problem;
    for (size_t k = 0; k < p->n_sources; k++)
        if (p->sources[k].field == field)
            return true;
    return false;
}

// ---- Tiles

void mst_sweeper_bind_points(const mst_sweeper *s, mst_point_ranges *r, const mst_signature *names, mst_argument_list *list) {
    const mst_problem *p = s->sweeps.problem;
    const size_t *sources = s->points->sources.first, *receivers = s->points->receivers.first;
    bool any = false;
    r->strides = (cl_long4){{1 + (cl_long)p->n_feeds, (cl_long)p->n_records}};
    for (int f = 0; f < p->n_fields; f++) {
        if (!s->sweeps.points_of[f])
            continue;
        if (!any) {
            list->values[list->n++] = MST_BIND_AS("points", s->tables->points);
            list->values[list->n++] = MST_BIND_AS("records", s->tables->records);
            list->values[list->n++] = MST_BIND_AS("strides", r->strides);
        }
        any = true;
        r->fields[f] =
            (cl_long4){{(cl_long)sources[f], (cl_long)sources[f + 1], (cl_long)receivers[f], (cl_long)receivers[f + 1]}};
        list->values[list->n] = MST_BIND_AS(names->parameters[list->n].name, r->fields[f]);
        list->n++;
    }
}
