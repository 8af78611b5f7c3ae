// Convolutions of what a block works in, by transforms and by passes that do more than transform.
#ifndef MST_DECONV_PASSES_H
#define MST_DECONV_PASSES_H

#include "plan.h"

// ---- product.c
// Decides whether an axis is transformed, multiplied and transformed back by one kernel; makes what that takes, and unmakes it.
void mst_deconvolution_plan_product(mst_deconvolution *plan);
mst_status mst_deconvolution_make_product(mst_deconvolution *plan, mst_error *error);
void mst_deconvolution_unmake_product(mst_deconvolution *plan);
// Half spectra in WORK_SPECTRA from the real numbers of n items in `from`; or to WORK_REAL; or, of columns, in place.
mst_status mst_deconvolution_transform(mst_deconvolution *plan, mst_queue *queue, int which, cl_mem from, size_t n_items,
                                       mst_error *error);
// `product`, in place.
mst_status mst_deconvolution_filter(mst_deconvolution *plan, mst_queue *queue, bool conjugate, size_t n_items, mst_error *error);
// The real numbers of n items in `from`, convolved with what the transfer is the spectrum of, or with that mirrored, into
// WORK_REAL, by way of WORK_SPECTRA.
mst_status mst_deconvolution_convolve(mst_deconvolution *plan, mst_queue *queue, cl_mem from, bool mirrored, size_t n_items,
                                      mst_error *error);

// ---- rows.c
// Decides whether iterations are joined by passes along rows; makes what that takes, and unmakes it.
void mst_deconvolution_plan_rows(mst_deconvolution *plan);
uint64_t mst_deconvolution_row_table_bytes(const mst_deconvolution *plan);
mst_status mst_deconvolution_make_rows(mst_deconvolution *plan, mst_error *error);
void mst_deconvolution_unmake_rows(mst_deconvolution *plan);
// Of the model in WORK_SPECTRA, transformed along rows only: of w y / (h * x + b) in its place.
mst_status mst_deconvolution_rows_ratio(mst_deconvolution *plan, mst_queue *queue, size_t n_items, mst_error *error);
// Of factors likewise: of the next x, which is also written in place of x.
mst_status mst_deconvolution_rows_scale(mst_deconvolution *plan, mst_queue *queue, cl_mem x, cl_mem gain, cl_ulong gain_pitch,
                                        size_t n_items, mst_error *error);

#endif
