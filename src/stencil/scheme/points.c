#include "points.h"

#include "runtime/numbers.h"

#include <stdlib.h>

static int compare(const void *x, const void *y) {
    const mst_point *a = x, *b = y;
    const int64_t one[] = {a->plane, a->row, a->column, a->number}, other[] = {b->plane, b->row, b->column, b->number};
    for (int k = 0; k < 4; k++)
        if (one[k] != other[k])
            return one[k] < other[k] ? -1 : 1;
    return 0;
}

static mst_point point_at(const uint64_t at[N_AXES], size_t number) {
    return (mst_point){(int64_t)at[PLANES], (int64_t)at[ROWS], (int64_t)at[COLUMNS], (int64_t)number};
}

static void add_sources(const mst_problem *p, int field, mst_point_list *list) {
    for (size_t k = 0; k < p->n_sources; k++)
        for (size_t i = 0; i < p->sources[k].list.n && p->sources[k].field == field; i++)
            list->points[list->n++] = point_at(p->sources[k].list.nodes[i].node, p->sources[k].first + i);
}

static void add_receivers(const mst_problem *p, int field, mst_point_list *list) {
    for (size_t k = 0; k < p->n_records; k++)
        if (p->records[k].field == field)
            list->points[list->n++] = point_at(p->records[k].node, k);
}

static void add_fields(const mst_problem *p, void (*add_points)(const mst_problem *, int, mst_point_list *), mst_points *of,
                       mst_point_list *list) {
    for (int f = 0; f < p->n_fields; f++) {
        of->first[f] = list->n;
        add_points(p, f, list);
        qsort(list->points + of->first[f], list->n - of->first[f], sizeof *list->points, compare);
        of->first[f + 1] = list->n;
    }
}

static void add_group(size_t first, mst_point_list *list) {
    mst_point low = list->points[first], high = low;
    for (size_t k = first; k < mst_smaller(first + MST_POINTS_GROUP, list->n); k++) {
        const mst_point *at = &list->points[k];
        low =
            (mst_point){mst_smaller(low.plane, at->plane), mst_smaller(low.row, at->row), mst_smaller(low.column, at->column), 0};
        high =
            (mst_point){mst_larger(high.plane, at->plane), mst_larger(high.row, at->row), mst_larger(high.column, at->column), 0};
    }
    list->points[list->n_all++] = low;
    list->points[list->n_all++] = (mst_point){high.plane + 1, high.row + 1, high.column + 1, 0};
}

static void add_region(const mst_problem_source *s, mst_point_list *list) {
    list->points[list->n_all++] = point_at(s->from, s->first);
    list->points[list->n_all++] = point_at(s->to, 0);
}

uint64_t mst_points_count(const mst_problem *p) {
    const uint64_t n = p->n_feeds - p->n_regions + p->n_records;
    return n + 2 * mst_divide_up(n, (uint64_t)MST_POINTS_GROUP) + 2 * p->n_regions;
}

mst_status mst_points_make(const mst_problem *p, mst_point_list *list, mst_error *error) {
    *list = (mst_point_list){.n = 0};
    list->points = calloc(mst_points_count(p) + 1, sizeof *list->points);
    if (!list->points)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for sources and receivers");
    add_fields(p, add_sources, &list->sources, list);
    add_fields(p, add_receivers, &list->receivers, list);
    list->n_all = list->n;
    for (size_t k = 0; k < list->n; k += MST_POINTS_GROUP)
        add_group(k, list);
    list->first_region = list->n_all;
    for (size_t k = 0; k < p->n_regions; k++)
        add_region(mst_points_region(p, k), list);
    return MST_OK;
}

void mst_points_release(mst_point_list *list) {
    free(list->points);
    *list = (mst_point_list){.n = 0};
}

const mst_problem_source *mst_points_region(const mst_problem *p, size_t box) {
    const mst_problem_source *s = p->sources;
    for (; !s->is_region || box-- > 0; s++)
        ;
    return s;
}

double mst_points_source_value(const mst_problem *p, const mst_problem_source *s, uint64_t step) {
    const int64_t at[N_AXES] = {s->list.n > 0 ? (int64_t)s->list.nodes[0].node[PLANES] : 0}; // its run, of an ensemble
    if (s->samples)
        return step < s->n_samples ? s->samples[step] : 0;
    return mst_formula_value(p, &s->series, at, (double)step * p->time_step);
}
