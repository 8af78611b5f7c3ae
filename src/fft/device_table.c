#include "device_table.h"

#include "pass_tables.h"
#include "twiddle.h"

#include <stdlib.h>

mst_status mst_table_upload(mst_context *context, mst_device_table *t, void *values, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(values, MST_ERROR_HOST_MEMORY, "out of memory for a table of %llu bytes", (unsigned long long)t->bytes);
    MST_TRY(mst_device_allocate(context, CL_MEM_READ_ONLY, t->bytes, "a table of twiddles", &t->buffer, error));
    MST_TRY_CL(clEnqueueWriteBuffer(context->upload, t->buffer, CL_TRUE, 0, (size_t)t->bytes, values, 0, NULL, NULL),
               "cannot upload a table of twiddles");
fail:
    free(values);
    return status;
}

void mst_table_release(mst_context *context, mst_device_table *t) {
    mst_device_release(context, t->buffer, t->bytes);
    t->buffer = NULL;
}

mst_status mst_table_make_steps(mst_context *context, mst_device_table *t, const mst_pass *pass, mst_error *error) {
    void *values = calloc(1, (size_t)t->bytes);
    if (values && !mst_pass_fill_table(pass, values)) {
        free(values);
        values = NULL;
    }
    return mst_table_upload(context, t, values, error);
}

uint64_t mst_twiddle_tables_plan(mst_twiddle_tables *t, const mst_pass *pass) {
    uint64_t size = pass->is_double ? 16 : 8;
    t->n = pass->twiddle_n;
    t->length = pass->n;
    t->is_double = pass->is_double;
    t->n_lanes = pass->cpu ? pass->lanes : 0;
    if (t->n == 0)
        return 0;
    if (pass->twiddle_by_column) {
        unsigned r = pass->radices[pass->n_radices - 1];
        t->columns = t->n / t->length;
        t->low.bytes = t->length / r * t->columns * size;
        t->high.bytes = r * t->columns * size;
        return t->low.bytes + t->high.bytes;
    }
    while (((size_t)1 << 2 * t->log_low) < t->n)
        t->log_low++;
    t->low.bytes = ((uint64_t)1 << t->log_low) * size;
    t->high.bytes = ((t->n - 1) / ((size_t)1 << t->log_low) + 1) * size;
    t->lanes.bytes = t->length * t->n_lanes * size;
    return t->low.bytes + t->high.bytes + t->lanes.bytes;
}

static size_t numbers_of(const mst_twiddle_tables *t, const mst_device_table *table) {
    return (size_t)(table->bytes / (t->is_double ? 16 : 8));
}

// Entry k = exp(-2 pi i k step / n).
static mst_status make_run(mst_context *context, const mst_twiddle_tables *t, const mst_roots *roots, size_t step,
                           mst_device_table *table, mst_error *error) {
    void *values = malloc((size_t)table->bytes);
    for (size_t k = 0; k < numbers_of(t, table) && values; k++)
        mst_table_put(values, t->is_double, k, mst_roots_get(roots, k * step));
    return mst_table_upload(context, table, values, error);
}

// Entry j columns + c = exp(-2 pi i j c apart / n).
static mst_status make_columns(mst_context *context, const mst_twiddle_tables *t, const mst_roots *roots, size_t apart,
                               mst_device_table *table, mst_error *error) {
    size_t rows = numbers_of(t, table) / t->columns;
    void *values = malloc((size_t)table->bytes);
    for (size_t j = 0; j < rows && values; j++)
        for (size_t c = 0; c < t->columns; c++)
            mst_table_put(values, t->is_double, j * t->columns + c, mst_roots_get(roots, j * c * apart));
    return mst_table_upload(context, table, values, error);
}

static mst_status make_lanes(mst_context *context, mst_twiddle_tables *t, const mst_roots *roots, mst_error *error) {
    void *values = malloc((size_t)t->lanes.bytes);
    for (size_t k = 0; k < t->length && values; k++)
        for (size_t l = 0; l < t->n_lanes; l++) {
            mst_root w = mst_roots_get(roots, k * l % t->n);
            size_t at = 2 * k * t->n_lanes + l;
            mst_table_put_real(values, t->is_double, at, w.re);
            mst_table_put_real(values, t->is_double, at + t->n_lanes, w.im);
        }
    return mst_table_upload(context, &t->lanes, values, error);
}

mst_status mst_twiddle_tables_make(mst_context *context, mst_twiddle_tables *t, mst_error *error) {
    mst_status status = MST_OK;
    mst_roots roots = {0};
    if (t->n == 0)
        return MST_OK;
    MST_REQUIRE(mst_roots_create(&roots, t->n), MST_ERROR_HOST_MEMORY, "out of memory for twiddles of %zu points", t->n);
    if (t->columns) {
        MST_TRY(make_columns(context, t, &roots, 1, &t->low, error));
        MST_TRY(make_columns(context, t, &roots, t->length / (numbers_of(t, &t->high) / t->columns), &t->high, error));
    } else {
        MST_TRY(make_run(context, t, &roots, 1, &t->low, error));
        MST_TRY(make_run(context, t, &roots, (size_t)1 << t->log_low, &t->high, error));
        if (t->n_lanes)
            MST_TRY(make_lanes(context, t, &roots, error));
    }
fail:
    mst_roots_destroy(&roots);
    return status;
}

void mst_twiddle_tables_release(mst_context *context, mst_twiddle_tables *t) {
    mst_table_release(context, &t->low);
    mst_table_release(context, &t->high);
    mst_table_release(context, &t->lanes);
}
