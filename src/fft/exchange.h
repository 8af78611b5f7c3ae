// Where the numbers of a line lie in local memory between two steps of a GPU-shaped pass.
#ifndef MST_FFT_EXCHANGE_H
#define MST_FFT_EXCHANGE_H

#include "pass.h"

// Reals of local memory that one transform of a pass takes in each of its areas, and how many of them the real (or imaginary)
// parts that are there at a time take, unless the exchange is whole. Element i is number i + (i >> pad shift) of them.
size_t mst_pass_own_reals(const mst_pass *pass);
size_t mst_pass_padded_reals(const mst_pass *pass);

// From one line to the next in local memory, where work-items hold whole lines: an odd number of elements, so that work-items
// that read theirs use different banks.
size_t mst_pass_staged_pitch(const mst_pass *pass);
unsigned mst_pass_pad_shift(const mst_pass *pass);

// In the whole exchange after a step, element i of a line is complex number i + i / block * gap of so many that the line takes,
// so that work-items that are neighbours use different banks of local memory.
typedef struct mst_exchange {
    size_t block, gap;
} mst_exchange;
mst_exchange mst_pass_exchange(const mst_pass *pass, int step);

#endif
