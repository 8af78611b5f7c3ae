// The fused algorithm in both shapes: padded lengths of one digit and of several, overlapping blocks, spectra that are kept, two
// axes, against direct sums and FFTW. Every case has kernels of its own, each of which takes a while to build: a run takes one
// case in two of every table.
#include "support.h"

#include <math.h>

static const mst_place host[3] = {MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_HOST};
static const mst_place device[3] = {MST_PLACE_DEVICE, MST_PLACE_DEVICE, MST_PLACE_DEVICE};
static const mst_place file[3] = {MST_PLACE_FILE, MST_PLACE_FILE, MST_PLACE_FILE};

typedef struct fused_case {
    mst_fft_shape shape;
    mst_type tx, ty;
    size_t bx, n, by, m;
    mst_convolution_mode mode;
    bool correlate;
} fused_case;

#define GPU MST_FFT_SHAPE_GPU
#define CPU MST_FFT_SHAPE_CPU
#define FULL MST_CONVOLUTION_FULL
#define SAME MST_CONVOLUTION_SAME
#define VALID MST_CONVOLUTION_VALID
#define CIRCULAR MST_CONVOLUTION_CIRCULAR

static mst_convolution_desc describe(const fused_case *c) {
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    desc.x = mst_layout_dense(c->tx, 2, (const size_t[]){c->bx, c->n});
    desc.y = mst_layout_dense(c->ty, 2, (const size_t[]){c->by, c->m});
    desc.mode = c->mode, desc.correlate = c->correlate, desc.shape = c->shape, desc.algorithm = MST_CONVOLUTION_FUSED;
    return desc;
}

static void run(mst_context *context, const fused_case *cases, size_t n_cases, const mst_place places[3]) {
    for (size_t i = 0; i < n_cases; i++) {
        if (!test_turn(i, 2))
            continue;
        mst_convolution_desc desc = describe(&cases[i]);
        test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
        test_convolution_check(context, &desc, &x, &y, places);
        test_array_free(&x);
        test_array_free(&y);
    }
}

static void one_kernel(void **state) {
    static const fused_case cases[] = {
        {GPU, MST_FLOAT32, MST_FLOAT32, 5, 19, 5, 12, FULL, false},
        {GPU, MST_COMPLEX64, MST_COMPLEX64, 3, 27, 1, 27, CIRCULAR, true},
        {GPU, MST_FLOAT64, MST_UINT8, 2, 37, 2, 37, CIRCULAR, true}, // a prime: goes round
        {GPU, MST_FLOAT32, MST_COMPLEX64, 1, 20, 4, 13, SAME, true},
        {CPU, MST_FLOAT32, MST_FLOAT32, 21, 100, 21, 30, SAME, true},
        {CPU, MST_COMPLEX128, MST_FLOAT64, 9, 40, 1, 50, VALID, false},
        {CPU, MST_FLOAT32, MST_FLOAT32, 11, 45, 11, 45, CIRCULAR, true},
        {CPU, MST_INT16, MST_FLOAT32, 3, 41, 3, 41, CIRCULAR, false},
        {CPU, MST_FLOAT32, MST_COMPLEX64, 17, 3, 17, 2, FULL, true},
    };
    run(*state, cases, sizeof cases / sizeof cases[0], device);
}

// Long signals with short kernels, either way round.
static void overlapping_blocks(void **state) {
    static const fused_case cases[] = {
        {GPU, MST_FLOAT32, MST_FLOAT32, 2, 5000, 1, 7, SAME, true},
        {GPU, MST_COMPLEX64, MST_FLOAT32, 3, 9, 3, 3001, FULL, false},
        {CPU, MST_FLOAT32, MST_FLOAT32, 2, 100003, 2, 33, FULL, false},
        {CPU, MST_FLOAT64, MST_COMPLEX128, 1, 30, 3, 20011, VALID, true},
        {CPU, MST_FLOAT32, MST_FLOAT32, 1, 40009, 4, 50, SAME, false},
    };
    run(*state, cases, sizeof cases / sizeof cases[0], file);
}

// Several digits: columns, fused rows, columns back.
static void long_vectors(void **state) {
    static const fused_case cases[] = {
        {GPU, MST_COMPLEX64, MST_COMPLEX64, 2, 9000, 2, 8500, FULL, false},
        {GPU, MST_FLOAT64, MST_FLOAT64, 1, 6100, 2, 5000, SAME, true},
        {CPU, MST_FLOAT32, MST_FLOAT32, 3, 20011, 3, 15000, FULL, true},
        {CPU, MST_COMPLEX128, MST_COMPLEX128, 1, 30000, 2, 30000, CIRCULAR, false},
        {CPU, MST_FLOAT32, MST_COMPLEX64, 1, 1500, 1, 1200, SAME, false}, // a single vector: lanes are columns
    };
    run(*state, cases, sizeof cases / sizeof cases[0], host);
}

// ---- two axes ----

typedef struct image_case {
    mst_fft_shape shape;
    mst_type tx, ty;
    size_t bx, n[2], by, m[2];
    mst_convolution_mode mode;
    bool correlate;
    int axes[2]; // the third axis is the batch
} image_case;

// Pixel (k, l) of the image `b` by direct sums. ix, iy, iz: arrays of strides to pixels.
static test_wide pixel(const image_case *c, const test_wide *x, const size_t sx[2], const test_wide *y, const size_t sy[2],
                       const size_t at[2]) {
    test_wide sum = 0;
    for (size_t i = 0; i < c->n[0]; i++)
        for (size_t j = 0; j < c->n[1]; j++) {
            const size_t p[2] = {i, j};
            size_t q[2];
            bool inside = true;
            for (int a = 0; a < 2; a++) {
                size_t n = c->n[a], m = c->m[a], first = 0;
                if (c->mode == SAME)
                    first = (m - 1) / 2;
                else if (c->mode == VALID)
                    first = (n < m ? n : m) - 1;
                if (c->mode == CIRCULAR)
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

static void strides_of(const mst_layout *l, const image_case *c, int batch, size_t s[2], size_t *image) {
    mst_layout dense = mst_layout_dense(l->type, l->rank, l->shape);
    for (int a = 0; a < 2; a++)
        s[a] = (size_t)dense.strides[c->axes[a]];
    *image = l->shape[batch] == 1 ? 0 : (size_t)dense.strides[batch];
}

static void check_image(mst_context *context, const image_case *c, const mst_place places[3]) {
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
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
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
        CHECK(relative <= gate, "image %zu, %s (%zu,%zu) with %s (%zu,%zu), mode %d%s, shape %d: error %.3g is above %.3g", i,
              mst_type_name(c->tx), c->n[0], c->n[1], mst_type_name(c->ty), c->m[0], c->m[1], (int)c->mode,
              c->correlate ? " correlate" : "", (int)c->shape, relative, gate);
    }
    free(a);
    free(b);
    test_array_free(&x), test_array_free(&y), test_array_free(&z);
}

static void images(void **state) {
    static const image_case cases[] = {
        {GPU, MST_FLOAT32, MST_FLOAT32, 2, {9, 11}, 2, {4, 5}, FULL, true, {1, 2}},
        {GPU, MST_COMPLEX64, MST_FLOAT32, 2, {7, 6}, 1, {7, 6}, CIRCULAR, true, {0, 2}},
        {CPU, MST_FLOAT32, MST_FLOAT32, 3, {21, 33}, 1, {5, 7}, SAME, false, {1, 2}},
        {CPU, MST_FLOAT64, MST_FLOAT64, 2, {18, 17}, 2, {18, 17}, CIRCULAR, true, {0, 1}},
        {CPU, MST_FLOAT32, MST_FLOAT32, 1, {5, 4}, 2, {13, 22}, VALID, true, {0, 2}},
        {CPU, MST_COMPLEX64, MST_COMPLEX64, 2, {12, 16}, 2, {12, 16}, CIRCULAR, false, {1, 2}},
    };
    static const mst_place *const places[] = {host, device, file};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (test_turn(i, 2))
            check_image(*state, &cases[i], places[i % 3]);
}

// Blocks of a small budget leave spectra that are kept where they are: the same bits as in one block.
static void kept_spectra_in_blocks(void **state) {
    const fused_case c = {CPU, MST_FLOAT32, MST_FLOAT32, 90, 300, 1, 40, FULL, true};
    mst_convolution_desc desc = describe(&c);
    mst_context_desc budget = MST_CONTEXT_DESC_INIT;
    mst_report report = MST_REPORT_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    how.report = &report;
    budget.device_memory = 150000;
    mst_context *small = test_context(&budget);
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
    test_array whole = test_convolution_run(*state, &desc, &x, &y, host, NULL);
    test_array parts = test_convolution_run(small, &desc, &x, &y, host, &how);
    CHECK(report.blocks > 1, "%llu blocks", (unsigned long long)report.blocks);
    CHECK(test_array_same(&whole, &parts), "blocks differ from one");
    mst_context_destroy(small);
    test_array_free(&whole), test_array_free(&parts), test_array_free(&x), test_array_free(&y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_kernel), cmocka_unit_test(overlapping_blocks),     cmocka_unit_test(long_vectors),
        cmocka_unit_test(images),     cmocka_unit_test(kept_spectra_in_blocks),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
