// What the writers of passes have from one another.
#ifndef MST_FFT_WRITE_PARTS_H
#define MST_FFT_WRITE_PARTS_H

#include "exchange.h"
#include "half.h"
#include "pass_tables.h"
#include "write.h"

// ---- write_values.c: the functions load_value(source, outer, position LOAD_ARGUMENTS), store_value(target, outer, position
// STORE_ARGUMENTS, value), source_outer, source_position, target_outer and target_position (mst_view_write); for passes that
// multiply by twiddles also source_column(line) and, if these are not by column, twiddle (mst_twiddle_write).
void mst_pass_write_values(const mst_pass *pass, mst_text *out);
const char *mst_load_arguments(const mst_pass *pass);
const char *mst_store_arguments(const mst_pass *pass);

// A factor behind a name: " * 5u", or nothing for 1.
typedef struct mst_times {
    char text[32];
} mst_times;
mst_times mst_pass_times(size_t factor);
mst_times mst_view_stride(const mst_view *view); // of a position along the axis, to give elements in memory

// Whether there is also load_pair, which loads the same where PAIRS is true.
bool mst_pass_loads_pairs(const mst_pass *pass);

// Whether values of a side are pairs of real numbers that have a position each, and the step from one value to the next, in
// positions.
bool mst_pass_takes_pairs(const mst_pass *pass, const mst_pass_op *op);
mst_times mst_pass_value_step(const mst_pass *pass, const mst_view *view, const mst_pass_op *op);

// ---- The kernels of whole passes.
void mst_pass_write_gpu(const mst_pass *pass, const mst_signature *signature, mst_text *out);
void mst_pass_write_box(const mst_pass *pass, const mst_signature *signature, mst_text *out);
void mst_pass_write_convolution(const mst_pass *pass, const mst_signature *signature, mst_text *out);
void mst_pass_write_cpu(const mst_pass *pass, const mst_signature *signature, mst_text *out);

// ---- write_cpu_moves.c: functions that the next two use; loading and storing a tile.
void mst_pass_cpu_write_rows(const mst_pass *pass, mst_text *out);
void mst_pass_cpu_write_load(const mst_pass *pass, mst_text *out);
void mst_pass_cpu_write_store(const mst_pass *pass, mst_text *out);

// ---- write_registers.c: what a work-item of a GPU-shaped kernel keeps, and the loops in which it works on its butterflies.

// The arrays of registers and the table of a transform.
typedef struct mst_pass_gpu_names {
    const char *re, *im, *table;
} mst_pass_gpu_names;

// write_box_half.c: what kernels have for boxes of real numbers: functions, and how results become the spectrum.
void mst_box_write_half_functions(const mst_pass *pass, mst_text *out);
void mst_box_write_combined(const mst_pass *pass, mst_text *out);

void mst_pass_gpu_write_pad(const mst_pass *pass, mst_text *out); // of boxes, before their functions: the head has it else
void mst_pass_gpu_write_head(const mst_pass *pass, const mst_signature *signature, mst_text *out);
void mst_pass_gpu_write_barrier(mst_text *out);

// Sets the line of a work-item and its number in it, where `run` neighbours share a line.
void mst_pass_gpu_write_place(const mst_pass *pass, unsigned run, mst_text *out);

// Butterflies that a work-item computes in a step, and whether some work-items have fewer.
unsigned mst_pass_gpu_butterflies(const mst_pass *pass, int step);
bool mst_pass_gpu_is_ragged(const mst_pass *pass, int step);

// Opens a loop over them, in which j is the number of one, and returns how many braces have to be closed. In the paired step of
// real transforms a work-item has butterflies j and n / r - j, one behind the other.
unsigned mst_pass_gpu_open_butterflies(const mst_pass *pass, int step, mst_text *out);
void mst_pass_gpu_close(unsigned braces, mst_text *out);

// Where a butterfly's numbers are in the registers: number q is register `<first>q`. Empty where a work-item has one butterfly.
typedef struct mst_pass_gpu_first {
    char text[32]; // "i * 8u + "
} mst_pass_gpu_first;
mst_pass_gpu_first mst_pass_gpu_first_register(const mst_pass *pass, int step);

// The most numbers that a work-item holds.
unsigned mst_pass_gpu_registers(const mst_pass *pass);

// Loads an operand where `load` gives element e, in the places that the first step of `pass` reads, or the last one leaves.
void mst_pass_gpu_write_operand(const mst_pass *pass, const char *load, bool for_first_step, mst_pass_gpu_names n, mst_text *out);

// ---- write_half.c: transforms of 2 n real numbers as n complex ones (mst_pass_half): functions for that, and what happens in
// registers behind the last step, or before the first one. `last` is the real number at position n of the spectrum, in the
// work-item with t = 0.
// mst_pass_gpu_write_mirrors changes results k and n - k in a way of others.
void mst_pass_gpu_write_mirrors(const mst_pass *pass, const mst_mirrors *mirrors, mst_text *out);
void mst_pass_gpu_write_half_functions(const mst_pass *pass, mst_text *out);
void mst_pass_gpu_write_combine(const mst_pass *pass, mst_text *out);
void mst_pass_gpu_write_split(const mst_pass *pass, mst_text *out);

// ---- write_staging.c: loading and storing by way of local memory.
void mst_pass_gpu_write_mirror(const mst_pass *pass, mst_text *out); // a function for it
void mst_pass_gpu_write_staged_loading(const mst_pass *pass, mst_text *out);
void mst_pass_gpu_write_staged_storing(const mst_pass *pass, mst_text *out);

// ---- write_steps.c: all steps of one or two transforms: elements j + q n/r of the first radix in, j + q n/r of the last one
// out.

// Local memory while a kernel is written: whether it is in use, and how many exchanges there were.
typedef struct mst_pass_gpu_local {
    bool used;
    unsigned exchanges;
} mst_pass_gpu_local;

void mst_pass_gpu_write_steps(const mst_pass *pass, mst_pass_gpu_local *local, const mst_pass_gpu_names *n, int count,
                              mst_text *out);

// ---- write_exchange.c: from the places where step s leaves its results to those that step s + 1 reads.
void mst_pass_gpu_write_exchange(const mst_pass *pass, int s, mst_pass_gpu_local *local, mst_pass_gpu_names n, mst_text *out);

#endif
