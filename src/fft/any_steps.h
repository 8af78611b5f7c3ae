// The steps of a transform whose length and radices are arguments, for the kernels of transforms (any.cl), convolutions and
// filters that know no sizes.
#ifndef MST_FFT_ANY_STEPS_H
#define MST_FFT_ANY_STEPS_H

#include "pass.h"
#include "runtime/context.h"
#include "text/text.h"

#define MST_ANY_RADIX 10u // the largest radix with a step of its own; larger ones are primes

// Writes vectors of lanes (any_lanes.cl), and
// void take_step(v, n, radix, apart, table, odd), a step on blocks of radix * apart of n elements (any.cl has their order),
// `back`: and take_step_back, which undoes it but for a factor radix. odd: cosines and sines of a radix above MST_ANY_RADIX.
mst_status mst_any_write_steps(mst_context *context, bool is_double, bool back, mst_text *out, mst_error *error);

// Where the steps of a CPU-shaped pass leave its n results.
void mst_any_fill_places(const mst_pass *pass, cl_uint *places);

// The numbers of the tables for `odd` of a pass, whose steps' ones begin at the real at[k]; and the tables' values.
size_t mst_any_count_odd(const mst_pass *pass, cl_long *at);
void mst_any_fill_odd(const mst_pass *pass, void *table);

#endif
