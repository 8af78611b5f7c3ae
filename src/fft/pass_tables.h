// The tables that the kernels of a pass read beside its arrays. Those that follow from the pass are planned and made here;
// factors and spectra are filled in by whoever plans the pass.
#ifndef MST_FFT_PASS_TABLES_H
#define MST_FFT_PASS_TABLES_H

#include "device_table.h"
#include "pass.h"
#include "text/signature.h"

// Twiddles between passes, exp(-2 pi i t / n), are products of an entry of LOW (t mod 2^log_low) and one of HIGH. For CPU-shaped
// passes of length m there is also LANES: exp(-2 pi i k l / n) for k < m and lane l, the lanes' real parts first.
// By column, for a pass of length m with last radix r and n / m = columns: t = c (j + q m/r) is entry j columns + c of LOW,
// exp(-2 pi i c j / n), times entry q columns + c of HIGH, exp(-2 pi i c q / (columns r)). Where twiddles are taken on load, r is
// the first radix. Split: c is b block + d, and each of the two is a product of entries d and block + b of a row, which has
// `block` entries and one for each block.
typedef enum mst_table_kind {
    MST_TABLE_STEPS,      // twiddles between the steps of the transform,
    MST_TABLE_BACK_STEPS, // and of the transform that goes back
    MST_TABLE_LOW,        // twiddles between passes
    MST_TABLE_HIGH,
    MST_TABLE_HALF_ROOTS, // of GPU-shaped passes that combine or split: exp(-2 pi i k / 2n), k <= n/2, of boxes
                          // k <= n, the length of the last axis
    MST_TABLE_LANES,
    MST_TABLE_LOAD_FACTORS,  // what the element at a position is multiplied by while it is loaded,
    MST_TABLE_STORE_FACTORS, // and while it is stored
    MST_TABLE_WEIGHTS,       // the same for both, of convolutions of real numbers
    MST_TABLE_ORDER,         // Rader's order of elements, cl_uint
    MST_TABLE_SPECTRUM,      // what the transform is multiplied by, element by element
    MST_N_TABLES
} mst_table_kind;

typedef struct mst_pass_tables {
    mst_device_table tables[MST_N_TABLES]; // of 0 bytes where the pass has no such table
    uint64_t bytes;                        // of all
} mst_pass_tables;

// Plans the tables that follow from a pass, beside others whose bytes are set already; `back`: its kernels also go back.
void mst_pass_tables_plan(mst_pass_tables *t, const mst_pass *pass, bool back);

// Whether there is all that is wanted by another pass with the same length, radices and twiddles.
bool mst_pass_tables_cover(const mst_pass_tables *there, const mst_pass_tables *wanted);

// The values of a table that follows from the pass, up to MST_TABLE_LANES, the caller's to free; NULL: out of memory.
void *mst_pass_table_values(const mst_pass *pass, mst_table_kind kind, uint64_t bytes);

// Makes what mst_pass_tables_plan planned.
mst_status mst_pass_tables_make(mst_context *context, mst_pass_tables *t, const mst_pass *pass, mst_error *error);
void mst_pass_tables_release(mst_context *context, mst_pass_tables *t);

// Adds a parameter for each table that there is to the signature of a kernel, in the order of the kinds; and their names, for
// calls of functions, or their parameters, for the functions' heads, each after a comma.
void mst_pass_tables_add_parameters(const mst_pass_tables *t, mst_signature *signature);
const char *mst_table_name(mst_table_kind kind);
const char *mst_table_type(mst_table_kind kind);

// log2 of the entries of LOW of a pass whose twiddles are not by column.
unsigned mst_pass_log_low(const mst_pass *pass);

// Columns of a pass with twiddles: lines that take different ones.
size_t mst_pass_twiddle_columns(const mst_pass *pass);

// Columns of a block where twiddles are split, and entries of a row.
size_t mst_pass_twiddle_block(const mst_pass *pass);
size_t mst_pass_twiddle_row(const mst_pass *pass);

// ---- step_table.c: the twiddles inside a pass.

// Entries of the table, and its values (pairs of float or double; false: out of memory).
size_t mst_pass_table_count(const mst_pass *pass);
bool mst_pass_fill_table(const mst_pass *pass, void *table);

// A step's table has exp(-2 pi i k q / (span r)) for k < span, one row for each of these q in this order: 1 .. low - 1, then low,
// 2 low .. r - low, which with products make all from 1 to r - 1. low = r: all are there.
unsigned mst_pass_low_powers(const mst_pass *pass, unsigned r);
unsigned mst_pass_table_rows(const mst_pass *pass, unsigned r);

#endif
