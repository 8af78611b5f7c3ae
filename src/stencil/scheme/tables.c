#include "tables.h"

#include <stdlib.h>
#include <string.h>

enum { DAMPING, TABLE, RECORDS, POINTS };
enum { MOST_LANES = 16 }; // of a vector

typedef struct point {
    cl_long plane, row, column, number;
} point;

static int compare_points(const void *x, const void *y) {
    const point *a = x, *b = y;
    const cl_long one[] = {a->plane, a->row, a->column, a->number}, other[] = {b->plane, b->row, b->column, b->number};
    for (int k = 0; k < 4; k++)
        if (one[k] != other[k])
            return one[k] < other[k] ? -1 : 1;
    return 0;
}

static point point_of(const uint64_t at[N_AXES], size_t number) {
    return (point){(cl_long)at[PLANES], (cl_long)at[ROWS], (cl_long)at[COLUMNS], (cl_long)number};
}

static mst_status upload(mst_tables *t, int which, const void *data, cl_mem *out, mst_error *error) {
    static const char *const names[] = {"the factors of sponges", "the table of steps", "the receivers", "the points"};
    mst_status status = MST_OK;
    MST_TRY(mst_device_allocate(t->context, CL_MEM_READ_WRITE, t->bytes[which], names[which], out, error));
    if (data)
        MST_TRY_CL(clEnqueueWriteBuffer(t->context->compute, *out, CL_TRUE, 0, (size_t)t->bytes[which], data, 0, NULL, NULL),
                   "cannot upload %s", names[which]);
fail:
    return status;
}

static mst_status make_points(mst_tables *t, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = t->problem;
    size_t n = 0;
    point *points = calloc(p->n_sources + p->n_points + 1, sizeof *points);
    MST_REQUIRE(points, MST_ERROR_HOST_MEMORY, "out of memory for sources and receivers");
    for (int f = 0; f < p->n_fields; f++) {
        t->sources.first[f] = n;
        for (size_t k = 0; k < p->n_sources; k++)
            if (p->sources[k].field == f)
                points[n++] = point_of(p->sources[k].point, k);
        qsort(points + t->sources.first[f], n - t->sources.first[f], sizeof *points, compare_points);
        t->sources.first[f + 1] = n;
    }
    for (int f = 0; f < p->n_fields; f++) {
        t->receivers.first[f] = n;
        for (size_t k = 0; k < p->n_receivers; k++)
            for (size_t i = 0; i < p->receivers[k].n_points && p->receivers[k].field == f; i++)
                points[n++] = point_of(p->receivers[k].points[i], p->receivers[k].first + i);
        qsort(points + t->receivers.first[f], n - t->receivers.first[f], sizeof *points, compare_points);
        t->receivers.first[f + 1] = n;
    }
    t->bytes[POINTS] = (n + 1) * sizeof *points;
    MST_TRY(upload(t, POINTS, points, &t->points, error));
fail:
    free(points);
    return status;
}

static void put(const mst_problem *p, void *to, uint64_t i, double value) {
    if (p->is_double)
        ((double *)to)[i] = value;
    else
        ((float *)to)[i] = (float)value;
}

static mst_status make_damping(mst_tables *t, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = t->problem;
    bool any = false;
    uint64_t n = 0, at = 0;
    void *factors = NULL;
    for (int axis = 0; axis < N_AXES; axis++) {
        any = any || mst_problem_is_damped(p, axis);
        n += p->grid[axis];
    }
    if (!any)
        return MST_OK;
    n += MOST_LANES; // a vector may reach beyond the last column
    MST_REQUIRE(factors = calloc((size_t)n, p->element), MST_ERROR_HOST_MEMORY, "out of memory for a sponge");
    for (int axis = 0; axis < N_AXES; axis++)
        for (uint64_t i = 0; i < p->grid[axis]; i++)
            put(p, factors, at++, mst_problem_damping(p, axis, i));
    t->bytes[DAMPING] = n * p->element;
    MST_TRY(upload(t, DAMPING, factors, &t->damping, error));
fail:
    free(factors);
    return status;
}

mst_status mst_tables_create(mst_context *context, const mst_problem *problem, mst_tables *t, mst_error *error) {
    mst_status status = MST_OK;
    *t = (mst_tables){.context = context, .problem = problem};
    t->needed = problem->uses_time || problem->n_sources > 0 || problem->n_points > 0;
    MST_TRY(make_points(t, error));
    MST_TRY(make_damping(t, error));
fail:
    return status;
}

static void release_steps(mst_tables *t) {
    mst_device_release(t->context, t->table, t->bytes[TABLE]);
    mst_device_release(t->context, t->records, t->bytes[RECORDS]);
    free(t->staging);
    t->table = t->records = NULL;
    t->staging = NULL;
}

mst_status mst_tables_take(mst_tables *t, uint64_t depth, mst_error *error) {
    enum { MOST_STEPS = 4096, MOST_BYTES = 16 << 20 };
    mst_status status = MST_OK;
    const mst_problem *p = t->problem;
    uint64_t row = (2 + p->n_sources + p->n_points) * p->element;
    release_steps(t);
    t->steps = UINT64_MAX;
    if (!t->needed)
        return MST_OK;
    uint64_t room = mst_budget_left(t->context, &t->context->device_memory) / 64; // the rest is for the state
    room = room < MOST_BYTES ? room : MOST_BYTES;
    t->steps = room / row < MOST_STEPS ? room / row : MOST_STEPS;
    t->steps = t->steps < depth ? depth : t->steps / depth * depth;
    t->bytes[TABLE] = (t->steps + 2) * (1 + p->n_sources) * p->element;
    t->bytes[RECORDS] = t->steps * p->n_points * p->element;
    MST_TRY(upload(t, TABLE, NULL, &t->table, error));
    MST_TRY(upload(t, RECORDS, NULL, &t->records, error));
    uint64_t most = t->bytes[TABLE] > t->bytes[RECORDS] ? t->bytes[TABLE] : t->bytes[RECORDS];
    MST_REQUIRE(t->staging = malloc((size_t)most), MST_ERROR_HOST_MEMORY, "out of memory for sources and receivers");
fail:
    return status;
}

void mst_tables_release(mst_tables *t) {
    if (!t->context)
        return;
    release_steps(t);
    mst_device_release(t->context, t->damping, t->bytes[DAMPING]);
    mst_device_release(t->context, t->points, t->bytes[POINTS]);
    free(t->recorded);
    *t = (mst_tables){0};
}

static double source_value(const mst_problem *p, const mst_problem_source *s, uint64_t step) {
    const int64_t nowhere[N_AXES] = {0, 0, 0};
    if (s->samples)
        return step < s->n_samples ? s->samples[step] : 0;
    return mst_formula_value(p, &s->series, nowhere, (double)step * p->time_step);
}

mst_status mst_tables_fill(mst_tables *t, uint64_t first, uint64_t n, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = t->problem;
    size_t stride = 1 + p->n_sources;
    t->first = first;
    t->filled = n;
    if (!t->needed)
        return MST_OK;
    for (uint64_t row = 0; row <= n + 1; row++) { // the first is that of the step before, the last that of the step after
        double step = (double)first + (double)row - 1;
        put(p, t->staging, row * stride, step * p->time_step);
        for (size_t s = 0; s < p->n_sources; s++)
            put(p, t->staging, row * stride + 1 + s, row == 0 ? 0 : source_value(p, &p->sources[s], first + row - 1));
    }
    MST_TRY_CL(clEnqueueWriteBuffer(t->context->compute, t->table, CL_TRUE, 0, (size_t)((n + 2) * stride * p->element),
                                    t->staging, 0, NULL, NULL),
               "cannot upload the table of steps");
fail:
    return status;
}

mst_status mst_tables_collect(mst_tables *t, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = t->problem;
    size_t n = p->n_points;
    if (n == 0 || t->filled == 0)
        return MST_OK;
    if (t->n_recorded + t->filled > t->recorded_capacity) {
        uint64_t capacity = 2 * (t->n_recorded + t->filled);
        double *grown = realloc(t->recorded, (size_t)capacity * n * sizeof *grown);
        MST_REQUIRE(grown, MST_ERROR_HOST_MEMORY, "out of memory for what %zu receivers recorded in %llu steps", n,
                    (unsigned long long)capacity);
        t->recorded = grown;
        t->recorded_capacity = capacity;
    }
    MST_TRY_CL(clEnqueueReadBuffer(t->context->compute, t->records, CL_TRUE, 0, (size_t)t->filled * n * p->element, t->staging, 0,
                                   NULL, NULL),
               "cannot download what receivers recorded");
    for (size_t i = 0; i < t->filled * n; i++)
        t->recorded[t->n_recorded * n + i] = p->is_double ? ((double *)t->staging)[i] : (double)((float *)t->staging)[i];
    t->n_recorded += t->filled;
fail:
    t->filled = 0;
    return status;
}
