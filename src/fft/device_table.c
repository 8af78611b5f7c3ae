#include "device_table.h"

#include "twiddle.h"

#include <stdlib.h>

mst_status mst_table_upload(mst_context *context, mst_device_table *t, const void *values, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(values, MST_ERROR_HOST_MEMORY, "out of memory for a table of %llu bytes", (unsigned long long)t->bytes);
    MST_TRY(mst_device_allocate(context, CL_MEM_READ_ONLY, t->bytes, "a table of twiddles", &t->buffer, error));
    MST_TRY_CL(clEnqueueWriteBuffer(context->upload, t->buffer, CL_TRUE, 0, (size_t)t->bytes, values, 0, NULL, NULL),
               "cannot upload a table of twiddles");
fail:
    return status;
}

void mst_table_release(mst_context *context, mst_device_table *t) {
    mst_device_release(context, t->buffer, t->bytes);
    t->buffer = NULL;
}

mst_status mst_table_make_steps(mst_context *context, mst_device_table *t, const mst_pass *pass, mst_error *error) {
    void *values = calloc(1, (size_t)t->bytes);
    if (values)
        mst_pass_fill_table(pass, values);
    mst_status status = mst_table_upload(context, t, values, error);
    free(values);
    return status;
}

static void put(void *table, bool is_double, size_t at_re, size_t at_im, long double re, long double im) {
    if (is_double) {
        ((double *)table)[at_re] = (double)re;
        ((double *)table)[at_im] = (double)im;
    } else {
        ((float *)table)[at_re] = (float)re;
        ((float *)table)[at_im] = (float)im;
    }
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

// Entry j columns + c = exp(-2 pi i j c / n).
static mst_status make_columns(mst_context *context, const mst_twiddle_tables *t, size_t n, mst_device_table *table,
                               mst_error *error) {
    size_t count = (size_t)table->bytes / (t->is_double ? 16 : 8);
    void *values = malloc((size_t)table->bytes);
    for (size_t k = 0; k < count && values; k++) {
        long double re, im;
        mst_twiddle(k / t->columns * (k % t->columns) % n, n, &re, &im);
        put(values, t->is_double, 2 * k, 2 * k + 1, re, im);
    }
    mst_status status = mst_table_upload(context, table, values, error);
    free(values);
    return status;
}

static void fill_lanes(const mst_twiddle_tables *t, void *table) {
    for (size_t k = 0; k < t->length; k++)
        for (size_t l = 0; l < t->n_lanes; l++) {
            long double re, im;
            size_t at = 2 * k * t->n_lanes + l;
            mst_twiddle(k * l % t->n, t->n, &re, &im);
            put(table, t->is_double, at, at + t->n_lanes, re, im);
        }
}

mst_status mst_twiddle_tables_make(mst_context *context, mst_twiddle_tables *t, mst_error *error) {
    mst_status status = MST_OK;
    mst_type type = t->is_double ? MST_COMPLEX128 : MST_COMPLEX64;
    size_t size = mst_type_bytes(type);
    void *values = NULL;
    if (t->n == 0)
        return MST_OK;
    if (t->columns) {
        MST_TRY(make_columns(context, t, t->n, &t->low, error));
        return make_columns(context, t, (size_t)(t->high.bytes / size), &t->high, error);
    }
    MST_TRY(mst_twiddles_create(context, type, t->n, 1, (size_t)(t->low.bytes / size), &t->low.buffer, &t->low.bytes, error));
    MST_TRY(mst_twiddles_create(context, type, t->n, (size_t)1 << t->log_low, (size_t)(t->high.bytes / size), &t->high.buffer,
                                &t->high.bytes, error));
    if (t->n_lanes) {
        values = malloc((size_t)t->lanes.bytes);
        if (values)
            fill_lanes(t, values);
        MST_TRY(mst_table_upload(context, &t->lanes, values, error));
    }
fail:
    free(values);
    return status;
}

void mst_twiddle_tables_release(mst_context *context, mst_twiddle_tables *t) {
    mst_table_release(context, &t->low);
    mst_table_release(context, &t->high);
    mst_table_release(context, &t->lanes);
}
