#include "points.h"

#include <stdlib.h>

static int compare(const void *x, const void *y) {
    const mst_point *a = x, *b = y;
    const int64_t one[] = {a->plane, a->row, a->column, a->number}, other[] = {b->plane, b->row, b->column, b->number};
    for (int k = 0; k < 4; k++)
        if (one[k] != other[k])
            return one[k] < other[k] ? -1 : 1;
    return 0;
}

static void add(mst_point_list *list, const uint64_t at[N_AXES], size_t number) {
    list->points[list->n++] = (mst_point){(int64_t)at[PLANES], (int64_t)at[ROWS], (int64_t)at[COLUMNS], (int64_t)number};
}

static void add_sources(const mst_problem *p, int field, mst_point_list *list) {
    for (size_t k = 0; k < p->n_sources; k++)
        if (p->sources[k].field == field)
            add(list, p->sources[k].point, k);
}

static void add_receivers(const mst_problem *p, int field, mst_point_list *list) {
    for (size_t k = 0; k < p->n_receivers; k++)
        for (size_t i = 0; i < p->receivers[k].n_points && p->receivers[k].field == field; i++)
            add(list, p->receivers[k].points[i], p->receivers[k].first + i);
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

mst_status mst_points_make(const mst_problem *p, mst_point_list *list, mst_error *error) {
    *list = (mst_point_list){.n = 0};
    list->points = calloc(p->n_sources + p->n_points + 1, sizeof *list->points);
    if (!list->points)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for sources and receivers");
    add_fields(p, add_sources, &list->sources, list);
    add_fields(p, add_receivers, &list->receivers, list);
    return MST_OK;
}

void mst_points_release(mst_point_list *list) {
    free(list->points);
    *list = (mst_point_list){.n = 0};
}

double mst_points_source_value(const mst_problem *p, const mst_problem_source *s, uint64_t step) {
    const int64_t nowhere[N_AXES] = {0, 0, 0};
    if (s->samples)
        return step < s->n_samples ? s->samples[step] : 0;
    return mst_formula_value(p, &s->series, nowhere, (double)step * p->time_step);
}
