// Filtering by plans of the FFT engine: on the device (composed.c), and of images of which one does not fit it (panels.c).
#ifndef MST_FILTER_COMPOSED_H
#define MST_FILTER_COMPOSED_H

#include "plan.h"

// composed.c: a kernel for the mask between the transforms, along two axes or three, in single or double precision.
extern const mst_filter_method mst_composed_filter_method;

// panels.c: whether the budgets have room for it, or, in *least, the refusal that says what would do; and mst_filter_execute of
// arrays of which none is on the device.
bool mst_filter_panels_can(const mst_filter *plan, mst_error *least);
mst_status mst_filter_panels_run(mst_filter *plan, const mst_location *where, const mst_execution *how, mst_error *error);

// tiles.c: images of which one does not fit, in windows with halos that do, as desc.tiles asks for.
mst_status mst_tiles_make(mst_filter *plan, mst_error *error); // plan->tiles
void mst_tiles_destroy(struct mst_filter_tiles *tiles);
mst_status mst_tiles_run(mst_filter *plan, const mst_location *where, const mst_execution *how, mst_error *error);

// Complex numbers of half a spectrum, or real ones of a cosine transform.
static inline size_t mst_filter_spectrum_columns(const mst_filter *plan) { return plan->cosine ? plan->q : plan->q / 2 + 1; }

// What is known of noise: it is found from so many samples of a plane, to 2 %; power is the mean over so many frequencies on
// either side.
enum { MST_WIENER_SAMPLES = 4096, MST_WIENER_REACH = 4, MST_WIENER_MEANT = 2 * MST_WIENER_REACH + 1 };

// What noise of standard deviation 1 has at a frequency, 0 along any axis apart: the root of the sum over the pixels that have
// noise of the squares of what they are multiplied by.
double mst_wiener_root(const mst_filter *plan);

// wiener.c: what the composed filter does to spectra in place of a given mask.
typedef struct mst_wiener mst_wiener;
mst_status mst_wiener_create(const mst_filter *plan, mst_wiener **out, mst_error *error); // *out may be half-built
void mst_wiener_destroy(const mst_filter *plan, mst_wiener *w);
uint64_t mst_wiener_bytes(const mst_filter *plan); // device memory that a plane needs
mst_status mst_wiener_prepare(const mst_filter *plan, mst_wiener *w, size_t n_planes, mst_error *error); // 0: releases
// Estimates the noise of real planes, if it is not given, and takes it off their spectra.
mst_status mst_wiener_look(mst_filter *plan, const mst_wiener *w, mst_queue *queue, size_t n_planes, mst_error *error);
mst_status mst_wiener_apply(mst_filter *plan, const mst_wiener *w, mst_queue *queue, size_t n_planes, cl_mem spectra,
                            mst_error *error);

#endif
