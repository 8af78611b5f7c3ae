// The filter in double precision, by FFTW and the formulas of filter.h.
#ifndef MST_TESTS_SUPPORT_FILTER_H
#define MST_TESTS_SUPPORT_FILTER_H

#include "support.h"

// A description of images [shape...] of a type, with defaults for the rest.
mst_filter_desc test_filter_desc(mst_type type, int rank, const size_t *shape);

// Executes a plan on an image between places, checking that the input and the bytes around the output are intact. The result is
// the caller's.
test_array test_filter_run(mst_context *context, const mst_filter_desc *desc, const test_array *input, mst_place from,
                           mst_place to);

// What a plan is to write, not rounded, dense; the caller's.
double *test_filter_reference(const mst_filter_desc *desc, const test_array *input);

// Random images (float32: 0 .. 1), filtered and compared: within 0.501 of a level for uint8, 2 for uint16, 2e-5 of white for
// float32.
void test_filter_check(mst_context *context, const mst_filter_desc *desc, mst_place from, mst_place to);
test_array test_filter_images(const mst_layout *layout);
void test_filter_compare(const mst_filter_desc *desc, const test_array *output, const double *reference);

#endif
