// Convolutions of images against direct sums.
#include "support_convolution.h"

#include <math.h>

// Pixel (k, l) of the image `b` by direct sums. ix, iy, iz: arrays of strides to pixels.
static test_wide pixel(const test_image_case *c, const test_wide *x, const size_t sx[2], const test_wide *y, const size_t sy[2],
                       const size_t at[2]) {
    test_wide sum = 0;
    for (size_t i = 0; i < c->n[0]; i++)
        for (size_t j = 0; j < c->n[1]; j++) {
            const size_t p[2] = {i, j};
            size_t q[2];
            bool inside = true;
            for (int a = 0; a < 2; a++) {
                size_t n = c->n[a], m = c->m[a], first = 0;
                if (c->mode == MST_CONVOLUTION_SAME)
                    first = (m - 1) / 2;
                else if (c->mode == MST_CONVOLUTION_VALID)
                    first = (n < m ? n : m) - 1;
                if (c->mode == MST_CONVOLUTION_CIRCULAR)
                    q[a] = c->correlate ? (p[a] + n - at[a]) % n : (at[a] + n - p[a]) % n;
                else
                    q[a] = c->correlate ? p[a] + m - 1 - first - at[a] : at[a] + first - p[a]; // wraps where negative
                inside = inside && q[a] < m;
            }
            if (inside) {
                test_wide v = y[q[0] * sy[0] + q[1] * sy[1]];
                sum += x[i * sx[0] + j * sx[1]] * (c->correlate ? conjl(v) : v);
            }
        }
    return sum;
}

static void strides_of(const mst_layout *l, const test_image_case *c, int batch, size_t s[2], size_t *image) {
    mst_layout dense = mst_layout_dense(l->type, l->rank, l->shape);
    for (int a = 0; a < 2; a++)
        s[a] = (size_t)dense.strides[c->axes[a]];
    *image = l->shape[batch] == 1 ? 0 : (size_t)dense.strides[batch];
}

static void make_products(const test_image_case *c, bool but_the_last, test_array *y) {
    const size_t *shape = y->layout.shape;
    for (size_t k = 0; k < y->elements; k++) {
        const size_t at[3] = {k / shape[2] / shape[1], k / shape[2] % shape[1], k % shape[2]};
        double column = sin(1 + 7 * (double)at[c->axes[0]]), row = cos(2 + 5 * (double)at[c->axes[1]]);
        test_array_set(y, k, k + 1 == y->elements && but_the_last ? 0.1L : (long double)(column * row));
    }
}

enum { RANDOM, PRODUCTS, PRODUCTS_BUT_THE_LAST };

static void check(mst_context *context, const test_image_case *c, mst_convolution_algorithm algorithm, const mst_place places[3],
                  int taps) {
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    int batch = 3 - c->axes[0] - c->axes[1];
    size_t shape[2][3], sx[2], sy[2], sz[2], ix, iy, iz;
    shape[0][batch] = c->bx, shape[1][batch] = c->by;
    for (int a = 0; a < 2; a++)
        shape[0][c->axes[a]] = c->n[a], shape[1][c->axes[a]] = c->m[a];
    desc.x = test_layout_random(c->tx, 3, shape[0], false);
    desc.y = test_layout_random(c->ty, 3, shape[1], false);
    desc.n_axes = 2, desc.axes[0] = c->axes[1] - 3, desc.axes[1] = c->axes[0];
    desc.mode = c->mode, desc.correlate = c->correlate, desc.shape = c->shape;
    desc.algorithm = algorithm;
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
    if (taps != RANDOM)
        make_products(c, taps == PRODUCTS_BUT_THE_LAST, &y);
    test_array z = test_convolution_run(context, &desc, &x, &y, places, NULL);
    test_wide *a = test_array_values(&x), *b = test_array_values(&y);
    strides_of(&desc.x, c, batch, sx, &ix);
    strides_of(&desc.y, c, batch, sy, &iy);
    strides_of(&z.layout, c, batch, sz, &iz);
    size_t images = z.layout.shape[batch];
    for (size_t i = 0; i < images; i++) {
        long double error = 0, xx = 0, yy = 0;
        for (size_t k = 0; k < z.layout.shape[c->axes[0]]; k++)
            for (size_t l = 0; l < z.layout.shape[c->axes[1]]; l++) {
                test_wide want = pixel(c, a + i * ix, sx, b + i * iy, sy, (const size_t[]){k, l});
                error += powl(cabsl(test_array_get(&z, i * iz + k * sz[0] + l * sz[1]) - want), 2);
            }
        for (size_t k = 0; k < c->n[0] * c->n[1]; k++)
            xx += powl(cabsl(a[i * ix + k / c->n[1] * sx[0] + k % c->n[1] * sx[1]]), 2);
        for (size_t k = 0; k < c->m[0] * c->m[1]; k++)
            yy += powl(cabsl(b[i * iy + k / c->m[1] * sy[0] + k % c->m[1] * sy[1]]), 2);
        double relative = (double)sqrtl(error / xx / yy), gate = 2 * test_gate(&z.layout, 4096);
        CHECK(relative <= gate, "%s, image %zu, %s (%zu,%zu) with %s (%zu,%zu), mode %d%s, shape %d: error %.3g is above %.3g",
              mst_convolution_algorithm_name(algorithm), i, mst_type_name(c->tx), c->n[0], c->n[1], mst_type_name(c->ty), c->m[0],
              c->m[1], (int)c->mode, c->correlate ? " correlate" : "", (int)c->shape, relative, gate);
    }
    free(a);
    free(b);
    test_array_free(&x), test_array_free(&y), test_array_free(&z);
}

void test_image_check(mst_context *context, const test_image_case *c, mst_convolution_algorithm algorithm,
                      const mst_place places[3]) {
    check(context, c, algorithm, places, RANDOM);
}

void test_image_check_products(mst_context *context, const test_image_case *c, bool but_the_last, const mst_place places[3]) {
    check(context, c, MST_CONVOLUTION_DIRECT, places, but_the_last ? PRODUCTS_BUT_THE_LAST : PRODUCTS);
}
