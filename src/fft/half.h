// GPU-shaped passes that transform 2 n real numbers as n complex ones (mst_pass_half; write_half.c).
#ifndef MST_FFT_HALF_H
#define MST_FFT_HALF_H

#include "pass.h"

// Whether a pass is one, boxes (write_box_half.c) apart; the step after which it combines results, or before which it splits a
// spectrum: -1: none. Its results, or what it reads, at k and n - k are in the same work-item, which has butterflies j and n / r
// - j: of m = n / r, 0 and m / 2 mirror themselves. And the butterflies of a step for each of so many work-items.
static inline bool mst_pass_halves(const mst_pass *pass) { return !pass->cpu && pass->n_box == 0 && pass->half != MST_HALF_NONE; }
int mst_pass_paired_step(const mst_pass *pass);
size_t mst_pass_rounds(const mst_pass *pass, int step, size_t threads);

#endif
