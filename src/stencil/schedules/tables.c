#include "tables.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

static void put(const mst_problem *p, void *to, uint64_t i, double value) {
    if (p->is_double)
        ((double *)to)[i] = value;
    else
        ((float *)to)[i] = (float)value;
}

static mst_status upload(mst_tables *t, mst_footprint_part part, const void *data, cl_mem *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_allocation *a = &t->footprint.parts[part];
    MST_TRY(mst_memory_take(t->context, a, a->count, out, error));
    MST_TRY(mst_device_write(t->context, t->context->compute, *out, (size_t)a->bytes, data, a->what, error));
fail:
    return status;
}

static mst_status make_damping(mst_tables *t, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = t->problem;
    const mst_allocation *a = &t->footprint.parts[MST_FOOTPRINT_DAMPING];
    uint64_t at = 0;
    void *factors = NULL;
    if (a->count == 0)
        return MST_OK;
    MST_REQUIRE(factors = calloc(1, (size_t)a->bytes), MST_ERROR_HOST_MEMORY, "out of memory for a sponge");
    for (int axis = 0; axis < N_AXES; axis++)
        for (uint64_t i = 0; i < p->grid[axis]; i++)
            put(p, factors, at++, mst_problem_damping(p, axis, i));
    MST_TRY(upload(t, MST_FOOTPRINT_DAMPING, factors, &t->buffers.damping, error));
fail:
    free(factors);
    return status;
}

mst_status mst_tables_create(mst_context *context, const mst_problem *problem, const mst_point_list *points,
                             const mst_footprint *footprint, mst_tables *t, mst_error *error) {
    mst_status status = MST_OK;
    *t = (mst_tables){.context = context, .problem = problem, .footprint = *footprint};
    MST_TRY(upload(t, MST_FOOTPRINT_POINTS, points->points, &t->buffers.points, error));
    MST_TRY(make_damping(t, error));
fail:
    return status;
}

static void release_rows(mst_tables *t) {
    mst_memory_give(t->context, &t->footprint.parts[MST_FOOTPRINT_STEPS], 1, &t->buffers.steps);
    mst_memory_give(t->context, &t->footprint.parts[MST_FOOTPRINT_RECORDS], 1, &t->buffers.records);
    free(t->staging);
    t->staging = NULL;
}

mst_status mst_tables_take(mst_tables *t, const mst_footprint *footprint, mst_error *error) {
    mst_status status = MST_OK;
    const mst_allocation *steps = &footprint->parts[MST_FOOTPRINT_STEPS], *records = &footprint->parts[MST_FOOTPRINT_RECORDS];
    release_rows(t);
    t->footprint = *footprint;
    if (footprint->rows == UINT64_MAX)
        return MST_OK;
    MST_TRY(mst_memory_take(t->context, steps, steps->count, &t->buffers.steps, error));
    MST_TRY(mst_memory_take(t->context, records, records->count, &t->buffers.records, error));
    MST_REQUIRE(t->staging = malloc((size_t)footprint->parts[MST_FOOTPRINT_ROWS].bytes), MST_ERROR_HOST_MEMORY,
                "out of memory for sources and receivers");
fail:
    return status;
}

void mst_tables_release(mst_tables *t) {
    if (!t->context)
        return;
    release_rows(t);
    mst_memory_give(t->context, &t->footprint.parts[MST_FOOTPRINT_DAMPING], 1, &t->buffers.damping);
    mst_memory_give(t->context, &t->footprint.parts[MST_FOOTPRINT_POINTS], 1, &t->buffers.points);
    free(t->recorded);
    *t = (mst_tables){.context = NULL};
}

mst_status mst_tables_fill(mst_tables *t, uint64_t first, uint64_t n, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = t->problem;
    size_t stride = 1 + p->n_sources;
    t->first = first;
    t->filled = n;
    if (!mst_problem_needs_rows(p))
        return MST_OK;
    for (uint64_t row = 0; row <= n + 1; row++) { // the first is that of the step before, the last that of the step after
        double step = (double)first + (double)row - 1;
        put(p, t->staging, row * stride, step * p->time_step);
        for (size_t s = 0; s < p->n_sources; s++)
            put(p, t->staging, row * stride + 1 + s, row == 0 ? 0 : mst_points_source_value(p, &p->sources[s], first + row - 1));
    }
    MST_TRY(mst_device_write(t->context, t->context->compute, t->buffers.steps, (size_t)((n + 2) * stride * p->element),
                             t->staging, "the table of steps", error));
fail:
    return status;
}

mst_status mst_tables_collect(mst_tables *t, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = t->problem;
    mst_queue queue = MST_QUEUE(t->context, t->context->compute);
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
    MST_TRY(mst_queue_read(&queue, t->buffers.records, 0, (size_t)t->filled * n * p->element, t->staging,
                           "what receivers recorded", error));
    for (size_t i = 0; i < t->filled * n; i++)
        t->recorded[t->n_recorded * n + i] = p->is_double ? ((double *)t->staging)[i] : (double)((float *)t->staging)[i];
    t->n_recorded += t->filled;
fail:
    mst_queue_release(&queue);
    t->filled = 0;
    return status;
}
