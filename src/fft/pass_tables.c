#include "pass_tables.h"

#include "twiddle.h"

#include <stdlib.h>

static const struct {
    const char *type, *name;
} parameters[MST_N_TABLES] = {[MST_TABLE_STEPS] = {"__global const real2 *", "step_twiddles"},
                              [MST_TABLE_BACK_STEPS] = {"__global const real2 *", "back_step_twiddles"},
                              [MST_TABLE_LOW] = {"__global const real2 *", "low_twiddles"},
                              [MST_TABLE_HIGH] = {"__global const real2 *", "high_twiddles"},
                              [MST_TABLE_LANES] = {"__global const real *", "lane_twiddles"},
                              [MST_TABLE_LOAD_FACTORS] = {"__global const real2 *", "load_factors"},
                              [MST_TABLE_STORE_FACTORS] = {"__global const real2 *", "store_factors"},
                              [MST_TABLE_WEIGHTS] = {"__global const real2 *", "weights"},
                              [MST_TABLE_ORDER] = {"__global const uint *", "order"},
                              [MST_TABLE_SPECTRUM] = {"__global const real2 *", "spectrum"}};

const char *mst_table_name(mst_table_kind kind) { return parameters[kind].name; }
const char *mst_table_type(mst_table_kind kind) { return parameters[kind].type; }

void mst_pass_tables_add_parameters(const mst_pass_tables *t, mst_signature *signature) {
    for (int k = 0; k < MST_N_TABLES; k++)
        if (t->tables[k].bytes > 0)
            mst_signature_add(signature, parameters[k].type, "%s", parameters[k].name);
}

static uint64_t number_bytes(const mst_pass *pass) { return pass->is_double ? 16 : 8; }

static size_t columns_of(const mst_pass *pass) { return pass->twiddle_n / pass->n; }

static unsigned twiddle_radix(const mst_pass *pass) { return pass->radices[pass->twiddle_on_load ? 0 : pass->n_radices - 1]; }

unsigned mst_pass_log_low(const mst_pass *pass) {
    unsigned log_low = 0;
    while (((size_t)1 << 2 * log_low) < pass->twiddle_n)
        log_low++;
    return log_low;
}

void mst_pass_tables_plan(mst_pass_tables *t, const mst_pass *pass, bool back) {
    mst_device_table *tables = t->tables;
    uint64_t size = number_bytes(pass);
    tables[MST_TABLE_STEPS].bytes = mst_pass_table_count(pass) * size;
    if (back && !pass->cpu) { // CPU-shaped steps go back with the same table
        const mst_pass goes_back = mst_pass_back(pass);
        tables[MST_TABLE_BACK_STEPS].bytes = mst_pass_table_count(&goes_back) * size;
    }
    if (pass->twiddle_n > 0 && pass->twiddle_by_column) {
        tables[MST_TABLE_LOW].bytes = pass->n / twiddle_radix(pass) * columns_of(pass) * size;
        tables[MST_TABLE_HIGH].bytes = twiddle_radix(pass) * columns_of(pass) * size;
    } else if (pass->twiddle_n > 0) {
        size_t n_low = (size_t)1 << mst_pass_log_low(pass);
        tables[MST_TABLE_LOW].bytes = n_low * size;
        tables[MST_TABLE_HIGH].bytes = ((pass->twiddle_n - 1) / n_low + 1) * size;
        tables[MST_TABLE_LANES].bytes = pass->cpu ? pass->n * pass->lanes * size : 0;
    }
    t->bytes = 0;
    for (int k = 0; k < MST_N_TABLES; k++)
        t->bytes += tables[k].bytes;
}

bool mst_pass_tables_cover(const mst_pass_tables *there, const mst_pass_tables *wanted) {
    for (int k = 0; k < MST_N_TABLES; k++)
        if (wanted->tables[k].bytes > 0 && wanted->tables[k].bytes != there->tables[k].bytes)
            return false;
    return true;
}

static mst_status make_steps(mst_context *context, mst_device_table *table, const mst_pass *pass, mst_error *error) {
    void *values = calloc(1, (size_t)table->bytes);
    if (values && !mst_pass_fill_table(pass, values)) {
        free(values);
        values = NULL;
    }
    return mst_table_upload(context, table, values, error);
}

// Entry k = exp(-2 pi i k step / n).
static mst_status make_run(mst_context *context, mst_device_table *table, const mst_pass *pass, const mst_roots *roots,
                           size_t step, mst_error *error) {
    void *values = malloc((size_t)table->bytes);
    size_t count = (size_t)(table->bytes / number_bytes(pass));
    for (size_t k = 0; k < count && values; k++)
        mst_table_put(values, pass->is_double, k, mst_roots_get(roots, k * step));
    return mst_table_upload(context, table, values, error);
}

// Entry j columns + c = exp(-2 pi i j c step / n).
static mst_status make_columns(mst_context *context, mst_device_table *table, const mst_pass *pass, const mst_roots *roots,
                               size_t step, mst_error *error) {
    void *values = malloc((size_t)table->bytes);
    size_t columns = columns_of(pass), rows = (size_t)(table->bytes / number_bytes(pass)) / columns;
    for (size_t j = 0; j < rows && values; j++)
        for (size_t c = 0; c < columns; c++)
            mst_table_put(values, pass->is_double, j * columns + c, mst_roots_get(roots, j * c * step));
    return mst_table_upload(context, table, values, error);
}

static mst_status make_lanes(mst_context *context, mst_device_table *table, const mst_pass *pass, const mst_roots *roots,
                             mst_error *error) {
    void *values = malloc((size_t)table->bytes);
    for (size_t k = 0; k < pass->n && values; k++)
        for (size_t l = 0; l < pass->lanes; l++) {
            mst_root w = mst_roots_get(roots, k * l % pass->twiddle_n);
            size_t at = 2 * k * pass->lanes + l;
            mst_table_put_real(values, pass->is_double, at, w.re);
            mst_table_put_real(values, pass->is_double, at + pass->lanes, w.im);
        }
    return mst_table_upload(context, table, values, error);
}

static mst_status make_twiddles(mst_context *context, mst_device_table *tables, const mst_pass *pass, mst_error *error) {
    mst_status status = MST_OK;
    mst_roots roots = {0};
    MST_REQUIRE(mst_roots_create(&roots, pass->twiddle_n), MST_ERROR_HOST_MEMORY, "out of memory for twiddles of %zu points",
                pass->twiddle_n);
    if (pass->twiddle_by_column) {
        MST_TRY(make_columns(context, &tables[MST_TABLE_LOW], pass, &roots, 1, error));
        MST_TRY(make_columns(context, &tables[MST_TABLE_HIGH], pass, &roots, pass->n / twiddle_radix(pass), error));
    } else {
        MST_TRY(make_run(context, &tables[MST_TABLE_LOW], pass, &roots, 1, error));
        MST_TRY(make_run(context, &tables[MST_TABLE_HIGH], pass, &roots, (size_t)1 << mst_pass_log_low(pass), error));
        if (tables[MST_TABLE_LANES].bytes)
            MST_TRY(make_lanes(context, &tables[MST_TABLE_LANES], pass, &roots, error));
    }
fail:
    mst_roots_destroy(&roots);
    return status;
}

mst_status mst_pass_tables_make(mst_context *context, mst_pass_tables *t, const mst_pass *pass, mst_error *error) {
    mst_status status = MST_OK;
    const mst_pass back = mst_pass_back(pass);
    MST_TRY(make_steps(context, &t->tables[MST_TABLE_STEPS], pass, error));
    if (t->tables[MST_TABLE_BACK_STEPS].bytes)
        MST_TRY(make_steps(context, &t->tables[MST_TABLE_BACK_STEPS], &back, error));
    if (pass->twiddle_n)
        MST_TRY(make_twiddles(context, t->tables, pass, error));
fail:
    return status;
}

void mst_pass_tables_release(mst_context *context, mst_pass_tables *t) {
    for (int k = 0; k < MST_N_TABLES; k++)
        mst_table_release(context, &t->tables[k]);
}
