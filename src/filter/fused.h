// The fused filter: three kernels, each of which reads and writes every point once.
//     rows      rows j and j + P/2 of the image, continued beyond its edges, as one complex row: forward
//     columns   columns l and Q - l of that hold the spectra of both rows: forward, mask, inverse, and joined again
//     back      inverse: real parts are rows j, imaginary ones rows j + P/2
// Half a plane of complex numbers is all that lies between, without an odd end in its rows, and every transform is complex. It
// needs no more of the mask than that it is real and the same at opposite frequencies. P has to be even.
//
// Cosine transforms (plan->cosine; any P on CPUs) go the same way: with w = exp(-2 pi i / 4n), number k and number n - k of the
// cosine transform of n numbers x are the parts of X[k] - i X[n-k] = 2 w^k V[k], where V is the Fourier transform of x[0], x[2],
// .., x[3], x[1] (Makhoul, IEEE Trans. ASSP 28, 1980). Rows and columns come and go in that order. A column l, rotated by w_Q^l,
// is columns l and Q - l of the rows' cosine transforms; its results k and P - k are four numbers of the plane's cosine
// transform. Elements l and Q - l of a row lie side by side there, at 2 l and 2 l + 1, so that a column and its opposite are one
// of float4.
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

// Rows of the half planes.
static inline size_t mst_fused_filter_rows(const mst_filter *plan) { return (plan->p + 1) / 2; }

// Complex numbers from a row of the half planes to the next: a multiple of 32 bytes, the least that GPUs' memory moves.
static inline size_t mst_fused_filter_pitch(const mst_filter *plan) { return (2 * (plan->q / 2 + 1) + 3) / 4 * 4; }

// The text of a pass's kernel (fused_write.c).
mst_status mst_fused_filter_write(void *filter_pass, unsigned ports, mst_pass *pass, mst_text *out, mst_error *error);

#endif
