#include "pass_tables.h"

#include "half.h"

#include "runtime/numbers.h"
#include "twiddle.h"

#include <stdlib.h>

static const struct {
    const char *type, *name;
} parameters[MST_N_TABLES] = {[MST_TABLE_STEPS] = {"__global const real2 *", "step_twiddles"},
                              [MST_TABLE_BACK_STEPS] = {"__global const real2 *", "back_step_twiddles"},
                              [MST_TABLE_LOW] = {"__global const real2 *", "low_twiddles"},
                              [MST_TABLE_HIGH] = {"__global const real2 *", "high_twiddles"},
                              [MST_TABLE_HALF_ROOTS] = {"__global const real2 *", "half_roots"},
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

// Complex numbers that stand for twice as many real ones along the axis of those.
static size_t half_length(const mst_pass *pass) { return pass->n_box > 0 ? pass->box[pass->n_box - 1] : pass->n; }

// Elements of a line that leave a pass, but for one more of spectra that are combined.
static size_t length_of(const mst_pass *pass) { return mst_pass_halves(pass) ? 2 * pass->n : pass->n; }

size_t mst_pass_twiddle_columns(const mst_pass *pass) { return pass->twiddle_n / length_of(pass); }

static unsigned twiddle_radix(const mst_pass *pass) { return pass->radices[pass->twiddle_on_load ? 0 : pass->n_radices - 1]; }

unsigned mst_pass_log_low(const mst_pass *pass) {
    unsigned log_low = 0;
    while (((size_t)1 << 2 * log_low) < pass->twiddle_n)
        log_low++;
    return log_low;
}

size_t mst_pass_twiddle_block(const mst_pass *pass) {
    size_t block = 1;
    while (block * block < mst_pass_twiddle_columns(pass))
        block *= 2;
    return block;
}

size_t mst_pass_twiddle_row(const mst_pass *pass) {
    size_t block = mst_pass_twiddle_block(pass);
    return block + mst_divide_up(mst_pass_twiddle_columns(pass), block);
}

void mst_pass_tables_plan(mst_pass_tables *t, const mst_pass *pass, bool back) {
    mst_device_table *tables = t->tables;
    uint64_t size = number_bytes(pass);
    tables[MST_TABLE_STEPS].bytes = mst_pass_table_count(pass) * size;
    if (back && !pass->cpu) { // CPU-shaped steps go back with the same table
        const mst_pass goes_back = mst_pass_back(pass);
        tables[MST_TABLE_BACK_STEPS].bytes = mst_pass_table_count(&goes_back) * size;
    }
    if (pass->twiddle_n > 0 && (pass->twiddle_by_column || pass->twiddle_split)) {
        size_t row = pass->twiddle_split ? mst_pass_twiddle_row(pass) : mst_pass_twiddle_columns(pass);
        tables[MST_TABLE_LOW].bytes = pass->n / twiddle_radix(pass) * row * size;
        tables[MST_TABLE_HIGH].bytes = (twiddle_radix(pass) + mst_pass_halves(pass)) * row * size;
    } else if (pass->twiddle_n > 0) {
        size_t n_low = (size_t)1 << mst_pass_log_low(pass);
        tables[MST_TABLE_LOW].bytes = n_low * size;
        tables[MST_TABLE_HIGH].bytes = ((pass->twiddle_n - 1) / n_low + 1) * size;
        tables[MST_TABLE_LANES].bytes = pass->cpu ? pass->n * pass->lanes * size : 0;
    }
    if (mst_pass_halves(pass))
        tables[MST_TABLE_HALF_ROOTS].bytes = (pass->n / 2 + 1) * size;
    else if (pass->n_box > 0 && pass->half != MST_HALF_NONE)
        tables[MST_TABLE_HALF_ROOTS].bytes = (half_length(pass) + 1) * size;
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

// NULL: out of memory. `values` are kept if they could be made, else freed.
static void *keep(void *values, bool made) {
    if (!made)
        free(values);
    return made ? values : NULL;
}

static void *step_values(const mst_pass *pass, uint64_t bytes) {
    void *values = calloc(1, (size_t)bytes);
    return keep(values, values && mst_pass_fill_table(pass, values));
}

// Entry k = exp(-2 pi i k step / n).
static void put_run(void *values, size_t count, const mst_pass *pass, const mst_roots *roots, size_t step) {
    for (size_t k = 0; k < count; k++)
        mst_table_put(values, pass->is_double, k, mst_roots_get(roots, k * step));
}

// Entry j columns + c = exp(-2 pi i j c step / n).
static void put_columns(void *values, size_t count, const mst_pass *pass, const mst_roots *roots, size_t step) {
    size_t columns = mst_pass_twiddle_columns(pass), rows = count / columns;
    for (size_t j = 0; j < rows; j++)
        for (size_t c = 0; c < columns; c++)
            mst_table_put(values, pass->is_double, j * columns + c, mst_roots_get(roots, j * c * step));
}

// Row j: exp(-2 pi i j d step / n) for the columns d of a block, exp(-2 pi i j b block step / n) for the blocks b.
static void put_split(void *values, size_t count, const mst_pass *pass, const mst_roots *roots, size_t step) {
    size_t block = mst_pass_twiddle_block(pass), row = mst_pass_twiddle_row(pass);
    for (size_t e = 0; e < count; e++) {
        size_t j = e / row, at = e % row;
        mst_table_put(values, pass->is_double, e, mst_roots_get(roots, j * step * (at < block ? at : (at - block) * block)));
    }
}

static void put_lanes(void *values, const mst_pass *pass, const mst_roots *roots) {
    for (size_t k = 0; k < pass->n; k++)
        for (size_t l = 0; l < pass->lanes; l++) {
            mst_root w = mst_roots_get(roots, k * l % pass->twiddle_n);
            size_t at = 2 * k * pass->lanes + l;
            mst_table_put_real(values, pass->is_double, at, w.re);
            mst_table_put_real(values, pass->is_double, at + pass->lanes, w.im);
        }
}

static void *twiddle_values(const mst_pass *pass, mst_table_kind kind, uint64_t bytes) {
    mst_roots roots;
    void *values = malloc((size_t)bytes);
    size_t count = (size_t)(bytes / number_bytes(pass)), step = 1;
    bool halves = kind == MST_TABLE_HALF_ROOTS;
    if (!values || !mst_roots_create(&roots, halves ? 2 * half_length(pass) : pass->twiddle_n))
        return keep(values, false);
    if (kind == MST_TABLE_HIGH)
        step =
            pass->twiddle_by_column || pass->twiddle_split ? pass->n / twiddle_radix(pass) : (size_t)1 << mst_pass_log_low(pass);
    if (kind == MST_TABLE_LANES)
        put_lanes(values, pass, &roots);
    else if (pass->twiddle_by_column && !halves)
        put_columns(values, count, pass, &roots, step);
    else if (pass->twiddle_split && !halves)
        put_split(values, count, pass, &roots, step);
    else
        put_run(values, count, pass, &roots, step);
    mst_roots_destroy(&roots);
    return values;
}

void *mst_pass_table_values(const mst_pass *pass, mst_table_kind kind, uint64_t bytes) {
    const mst_pass back = mst_pass_back(pass);
    if (kind == MST_TABLE_STEPS || kind == MST_TABLE_BACK_STEPS)
        return step_values(kind == MST_TABLE_STEPS ? pass : &back, bytes);
    return twiddle_values(pass, kind, bytes);
}

mst_status mst_pass_tables_make(mst_context *context, mst_pass_tables *t, const mst_pass *pass, mst_error *error) {
    mst_status status = MST_OK;
    for (mst_table_kind kind = MST_TABLE_STEPS; kind <= MST_TABLE_LANES; kind++) {
        mst_device_table *table = &t->tables[kind];
        if (table->bytes)
            MST_TRY(mst_table_upload(context, table, mst_pass_table_values(pass, kind, table->bytes), error));
    }
fail:
    return status;
}

void mst_pass_tables_release(mst_context *context, mst_pass_tables *t) {
    for (int k = 0; k < MST_N_TABLES; k++)
        mst_table_release(context, &t->tables[k]);
}
