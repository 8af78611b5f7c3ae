// The steps of a transform whose length and radices are arguments, for the kernels of transforms (any.cl), convolutions and
// filters that know no sizes.
#ifndef MST_FFT_ANY_STEPS_H
#define MST_FFT_ANY_STEPS_H

#include "pass.h"
#include "runtime/context.h"
#include "text/text.h"

typedef cl_long cell;
#include "any_steps.cl"

#define MST_ANY_RADIX 10u // the largest radix with a step of its own; larger ones are primes

// The radices whose steps columns may have from memory or to it, as the first and the last of several: of columns of up to 32
// numbers all but primes above MST_ANY_RADIX, as the larger ones come first.
enum { MST_ANY_FIRST_LEAST = 4, MST_ANY_FIRST_MOST = 9, MST_ANY_LAST_MOST = 5 };

// Writes vectors of lanes (any_lanes.cl), and
// void take_step(v, n, radix, apart, table, odd), a step on blocks of radix * apart of n elements (any.cl has their order),
// `back`: and take_step_back, which undoes it but for a factor radix. odd: cosines and sines of a radix above MST_ANY_RADIX.
mst_status mst_any_write_steps(mst_context *context, bool is_double, bool back, mst_text *out, mst_error *error);

// The same for those who go forward and back by any_steps (any_transform.cl).
mst_status mst_any_write_transforms(mst_context *context, bool is_double, mst_text *out, mst_error *error);

// The steps of a CPU-shaped pass; its table for `odd` begins at the number odd_at of a buffer.
void mst_any_describe_steps(const mst_pass *pass, size_t odd_at, any_steps *out);

// Where the steps leave result k of a pass; of all n of them; and the values of a buffer of them, the caller's to free, NULL: out
// of memory.
size_t mst_any_place(const mst_pass *pass, size_t k);
void mst_any_fill_places(const mst_pass *pass, cl_uint *places);
void *mst_any_place_values(const mst_pass *pass);

// The complex numbers of the tables for `odd` of a pass, and their values.
size_t mst_any_count_odd(const mst_pass *pass);
void mst_any_fill_odd(const mst_pass *pass, size_t at, void *table); // from number `at` on
void *mst_any_odd_values(const mst_pass *pass);

// Refuses the kernels that know no sizes, of `what` of the CPU's shape, where a work-item has too little private memory for
// them.
mst_status mst_any_allow(const mst_device_info *device, const char *what, mst_error *error);

// Steps of columns that read or write memory, behind any_short.cl.
void mst_any_write_columns(mst_text *out);

#endif
