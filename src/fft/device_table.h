// Tables on the device.
#ifndef MST_FFT_DEVICE_TABLE_H
#define MST_FFT_DEVICE_TABLE_H

#include "pass.h"
#include "runtime/context.h"

typedef struct mst_device_table {
    cl_mem buffer;
    uint64_t bytes;
} mst_device_table;

// Makes a table of t->bytes bytes, and frees `values`. NULL: MST_ERROR_HOST_MEMORY.
mst_status mst_table_upload(mst_context *context, mst_device_table *t, void *values, mst_error *error);
void mst_table_release(mst_context *context, mst_device_table *t);

// The twiddles inside a pass: t->bytes is mst_pass_table_count numbers.
mst_status mst_table_make_steps(mst_context *context, mst_device_table *t, const mst_pass *pass, mst_error *error);

// Twiddles between passes, exp(-2 pi i t / n), as products of an entry of `low` (t mod 2^log_low) and one of `high`. For
// CPU-shaped passes of length m also `lanes`: exp(-2 pi i k l / n) for k < m and lane l, the lanes' real parts first.
// By column, for a pass of length m with last radix r and n / m = `columns`: t = c (j + q m/r) is entry j columns + c of `low`,
// exp(-2 pi i c j / n), times entry q columns + c of `high`, exp(-2 pi i c q / (columns r)).
typedef struct mst_twiddle_tables {
    size_t n, length, columns; // columns: 0 if not by column
    unsigned log_low, n_lanes;
    bool is_double;
    mst_device_table low, high, lanes;
} mst_twiddle_tables;

// Sets the sizes from the pass's twiddle_n, n, lanes; returns the bytes of all.
uint64_t mst_twiddle_tables_plan(mst_twiddle_tables *t, const mst_pass *pass);
mst_status mst_twiddle_tables_make(mst_context *context, mst_twiddle_tables *t, mst_error *error);
void mst_twiddle_tables_release(mst_context *context, mst_twiddle_tables *t);

#endif
