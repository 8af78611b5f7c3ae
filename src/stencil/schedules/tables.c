#include "tables.h"

#include "memory.h"
#include "stencil/scheme/layers.h"
#include "stencil/scheme/part.h"

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
    MST_TRY(mst_memory_take(t->context, a, NULL, a->count, out, error));
    MST_TRY(mst_device_write(t->context, t->context->compute, *out, (size_t)a->bytes, data, a->what, error));
fail:
    return status;
}

static void put_varying(const mst_problem *p, void *factors, uint64_t at) {
    const mst_formula *f;
    for (int k = 0; (f = mst_problem_formula(p, k)); k++)
        for (size_t column = 0; column < f->n_varying; column++)
            for (uint64_t i = 0; i < mst_problem_runs(p); i++)
                put(p, factors, at++, mst_formula_varying(p, f, column, (int64_t)i));
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
    put_varying(p, factors, at);
    at += MST_LAYER_TABLE_BEGIN + p->n_varying * mst_problem_runs(p);
    for (int k = 0; k < mst_layers_count(p); k++) {
        const int64_t end = (int64_t)p->grid[p->layers[k / MST_LAYER_COEFFICIENTS].axis] + MST_LAYER_TABLE_MARGIN;
        for (int64_t i = -MST_LAYER_TABLE_MARGIN; i < end; i++)
            put(p, factors, at++, mst_layers_value(p, k, i));
    }
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
    mst_memory_give(t->context, &t->footprint.parts[MST_FOOTPRINT_STEPS], NULL, 1, &t->buffers.steps);
    mst_memory_give(t->context, &t->footprint.parts[MST_FOOTPRINT_RECORDS], NULL, 1, &t->buffers.records);
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
    MST_TRY(mst_memory_take(t->context, steps, NULL, steps->count, &t->buffers.steps, error));
    MST_TRY(mst_memory_take(t->context, records, NULL, records->count, &t->buffers.records, error));
    MST_REQUIRE(t->staging = malloc((size_t)footprint->parts[MST_FOOTPRINT_ROWS].bytes), MST_ERROR_HOST_MEMORY,
                "out of memory for sources and receivers");
fail:
    return status;
}

void mst_tables_release(mst_tables *t) {
    free(t->recorded);
    t->recorded = NULL;
    if (!t->context)
        return;
    release_rows(t);
    mst_memory_give(t->context, &t->footprint.parts[MST_FOOTPRINT_DAMPING], NULL, 1, &t->buffers.damping);
    mst_memory_give(t->context, &t->footprint.parts[MST_FOOTPRINT_POINTS], NULL, 1, &t->buffers.points);
    *t = (mst_tables){.context = NULL};
}

// A source's columns of a row. Before the first step there is none; a series with delays is the kernels' to compute.
static void fill_source(mst_tables *t, const mst_problem_source *s, uint64_t at, uint64_t step, bool is_before) {
    const bool is_zero = is_before || s->delay.expr;
    const double value = is_zero ? 0 : mst_points_source_value(t->problem, s, step);
    if (s->is_region)
        put(t->problem, t->staging, at + s->first, value);
    for (size_t i = 0; i < s->list.n; i++)
        put(t->problem, t->staging, at + s->first + i, is_zero ? 0 : s->list.nodes[i].weight * value);
}

mst_status mst_tables_fill(mst_tables *t, uint64_t first, uint64_t n, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = t->problem;
    size_t stride = 1 + p->n_feeds;
    t->first = first;
    t->filled = n;
    if (!mst_problem_needs_rows(p))
        return MST_OK;
    for (uint64_t row = 0; row <= n + 1; row++) { // the first is that of the step before, the last that of the step after
        double step = (double)first + (double)row - 1;
        put(p, t->staging, row * stride, step * p->time_step);
        for (size_t s = 0; s < p->n_sources; s++)
            fill_source(t, &p->sources[s], row * stride + 1, first + row - 1, row == 0);
    }
    MST_TRY(mst_device_write(t->context, t->context->compute, t->buffers.steps, (size_t)((n + 2) * stride * p->element),
                             t->staging, "the table of steps", error));
fail:
    return status;
}

// What a receiver's point gets of the records of a step. A lone node's weight is 1.
double mst_tables_received(const mst_problem *p, const double *records, size_t point) {
    const size_t begin = p->shares_begin[point], end = p->shares_begin[point + 1];
    double sum = p->shares[begin].weight * records[p->shares[begin].record];
    for (size_t k = begin + 1; k < end; k++)
        sum += p->shares[k].weight * records[p->shares[k].record];
    return sum;
}

size_t mst_tables_width(const mst_tables *t) { return t->is_part ? t->problem->n_records : t->problem->n_points; }

mst_status mst_tables_make_room(mst_tables *t, uint64_t rows, mst_error *error) {
    mst_status status = MST_OK;
    const size_t n = mst_tables_width(t);
    if (t->n_recorded + rows > t->recorded_capacity) {
        uint64_t capacity = 2 * (t->n_recorded + rows);
        double *grown = realloc(t->recorded, (size_t)capacity * n * sizeof *grown);
        MST_REQUIRE(grown, MST_ERROR_HOST_MEMORY, "out of memory for what %zu receivers recorded in %llu steps", n,
                    (unsigned long long)capacity);
        t->recorded = grown;
        t->recorded_capacity = capacity;
    }
fail:
    return status;
}

static void widen(const mst_tables *t, uint64_t row, double *records) {
    const size_t n = t->problem->n_records;
    for (size_t k = 0; k < n; k++)
        records[k] =
            t->problem->is_double ? ((const double *)t->staging)[row * n + k] : (double)((const float *)t->staging)[row * n + k];
}

mst_status mst_tables_collect(mst_tables *t, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = t->problem;
    mst_queue queue = MST_QUEUE(t->context, t->context->compute);
    double *records = NULL;
    if (p->n_points == 0 || t->filled == 0)
        return MST_OK;
    MST_TRY(mst_tables_make_room(t, t->filled, error));
    MST_REQUIRE(records = malloc(p->n_records * sizeof *records), MST_ERROR_HOST_MEMORY, "out of memory for receivers");
    MST_TRY(mst_queue_read(&queue, t->buffers.records, 0, (size_t)t->filled * p->n_records * p->element, t->staging,
                           "what receivers recorded", error));
    for (uint64_t row = 0; row < t->filled; row++) {
        double *to = t->recorded + (t->n_recorded + row) * mst_tables_width(t);
        widen(t, row, t->is_part ? to : records);
        for (size_t i = 0; i < p->n_points && !t->is_part; i++)
            to[i] = mst_tables_received(p, records, i);
    }
    t->n_recorded += t->filled;
fail:
    mst_queue_release(&queue);
    free(records);
    t->filled = 0;
    return status;
}
