// The fused filter: three kernels, each of which reads and writes every point once.
//     rows      rows j and j + P/2 of the image, continued beyond its edges, as one complex row: forward
//     columns   columns l and Q - l of that hold the spectra of both rows: forward, mask, inverse, and joined again
//     back      inverse: real parts are rows j, imaginary ones rows j + P/2
// Half a plane of complex numbers is all that lies between, without an odd end in its rows, and every transform is complex. It
// needs no more of the mask than that it is real and the same at opposite frequencies. P has to be even.
// Elements l and Q - l of a row lie side by side there, at 2 l and 2 l + 1, so that a column and its opposite are one of float4.
#ifndef MST_FILTER_FUSED_H
#define MST_FILTER_FUSED_H

#include "plan.h"

#include "fft/device_pass.h"
#include "fft/write.h"

enum { FILTER_ROWS, FILTER_COLUMNS, FILTER_BACK, N_FILTER_PASSES };

typedef struct mst_filter_pass {
    const mst_filter *plan;
    int which;
    mst_device_pass device; // without ports: arrays are found by tables of their lines
} mst_filter_pass;

typedef struct mst_filter_fused {
    mst_filter_pass passes[N_FILTER_PASSES]; // rows forward and back share their tables
    struct mst_any_filter *any;              // any.h: the kernel for any sizes, in place of the passes' own; NULL: none
    cl_mem half_planes;                      // complex
    uint64_t bytes;
} mst_filter_fused;

// Complex numbers from a row of the half planes to the next: a multiple of 32 bytes, the least that GPUs' memory moves.
static inline size_t mst_fused_filter_pitch(const mst_filter *plan) { return (2 * (plan->q / 2 + 1) + 3) / 4 * 4; }

// The text of a pass's kernel (fused_write.c).
mst_status mst_fused_filter_write(void *filter_pass, unsigned ports, mst_pass *pass, mst_text *out, mst_error *error);

#endif
