// Convolutions of images against direct sums (support_image_sums.c).
#ifndef TEST_SUPPORT_CONVOLUTION_H
#define TEST_SUPPORT_CONVOLUTION_H

#include "support.h"

typedef struct test_image_case {
    mst_fft_shape shape;
    mst_type tx, ty;
    size_t bx, n[2], by, m[2];
    mst_convolution_mode mode;
    bool correlate;
    int axes[2]; // the third axis is the batch
} test_image_case;

void test_image_check(mst_context *context, const test_image_case *c, mst_convolution_algorithm algorithm,
                      const mst_place places[3]);

// The same with taps that are products of one of a column and one of a row, all of them or all but the last.
void test_image_check_products(mst_context *context, const test_image_case *c, bool but_the_last, const mst_place places[3]);

#endif
