// The direct algorithm in both shapes of its kernels, against sums in higher precision: roles of the operands, modes, types,
// sizes on either side of tiles and blocks of taps, any strides. Its programs know types but no sizes, so each of them takes
// many; a run takes one program in five, and of those that know sizes (windows) every other one. Also overlap-save.
#include "support_convolution.h"

#include "conv/direct.h"

#include <math.h>

static const mst_place places[][3] = {{MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_HOST},
                                      {MST_PLACE_DEVICE, MST_PLACE_DEVICE, MST_PLACE_DEVICE},
                                      {MST_PLACE_FILE, MST_PLACE_HOST, MST_PLACE_DEVICE}};

typedef struct program_case {
    mst_fft_shape shape;
    mst_type tx, ty;
    mst_convolution_mode mode;
    bool correlate, swapped; // the kernel comes first
} program_case;

#define GPU MST_FFT_SHAPE_GPU
#define CPU MST_FFT_SHAPE_CPU

static const program_case programs[] = {
    {CPU, MST_FLOAT32, MST_FLOAT32, MST_CONVOLUTION_SAME, false, false},
    {GPU, MST_FLOAT32, MST_FLOAT32, MST_CONVOLUTION_FULL, false, false},
    {CPU, MST_COMPLEX64, MST_COMPLEX64, MST_CONVOLUTION_FULL, true, true},
    {GPU, MST_COMPLEX128, MST_FLOAT32, MST_CONVOLUTION_SAME, true, false},
    {CPU, MST_INT16, MST_COMPLEX128, MST_CONVOLUTION_VALID, false, false},
    {GPU, MST_FLOAT32, MST_COMPLEX64, MST_CONVOLUTION_VALID, true, true},
    {CPU, MST_COMPLEX64, MST_FLOAT32, MST_CONVOLUTION_CIRCULAR, true, false},
    {GPU, MST_FLOAT64, MST_COMPLEX128, MST_CONVOLUTION_CIRCULAR, false, false},
    {GPU, MST_COMPLEX64, MST_COMPLEX64, MST_CONVOLUTION_CIRCULAR, true, false},
};
enum { N_PROGRAMS = sizeof programs / sizeof programs[0] };

static void check_lines(mst_context *context, const program_case *p, size_t bs, size_t n, size_t bk, size_t m, size_t turn) {
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    int axis = turn % 3 == 2 ? 0 : 1; // also down the columns
    size_t x[2], y[2];
    if (p->mode == MST_CONVOLUTION_CIRCULAR)
        m = n = n < 400 ? n : 400;
    x[axis] = p->swapped ? m : n, x[1 - axis] = p->swapped ? bk : bs;
    y[axis] = p->swapped ? n : m, y[1 - axis] = p->swapped ? bs : bk;
    desc.x = test_layout_random(p->tx, 2, x, false);
    desc.y = test_layout_random(p->ty, 2, y, false);
    desc.axes[0] = axis;
    desc.mode = p->mode, desc.correlate = p->correlate, desc.shape = p->shape, desc.algorithm = MST_CONVOLUTION_DIRECT;
    test_array a = test_array_random(&desc.x), b = test_array_random(&desc.y);
    test_convolution_check(context, &desc, &a, &b, places[turn % 3]);
    test_array_free(&a);
    test_array_free(&b);
}

static void lines(void **state) {
    static const size_t sizes[][4] = {// signals of a length, kernels of a length
                                      {9, 40, 9, 40},   {2, 4133, 1, 70}, {1, 2400, 5, 9}, {40, 33, 40, 3},
                                      {1, 700, 3, 130}, {3, 1157, 3, 12}, {70, 64, 1, 31}, {1, 20011, 1, 5}};
    for (size_t i = 0; i < N_PROGRAMS; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && test_turn(i, 5); k++) {
            bool window = programs[i].shape == GPU && programs[i].ty == MST_FLOAT32; // a program for what divides the lengths
            if (!window || test_turn(k, 2))
                check_lines(*state, &programs[i], sizes[k][0], sizes[k][1], sizes[k][2], sizes[k][3], i + k);
        }
}

static void images(void **state) {
    static const size_t sizes[][6] = {// images, rows, columns; kernels, rows, columns
                                      {2, 40, 70, 2, 9, 11}, {3, 17, 270, 1, 3, 3}, {1, 9, 5, 4, 2, 4},
                                      {1, 70, 36, 1, 1, 33}, {1, 36, 34, 1, 35, 1}, {2, 30, 33, 2, 13, 3}};
    static const int axes[][2] = {{1, 2}, {0, 2}, {0, 1}};
    for (size_t i = 0; i < N_PROGRAMS; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && test_turn(i + 2, 5); k++) {
            const program_case *p = &programs[i];
            const size_t *s = sizes[k], *t = sizes[k] + 3, *x = p->swapped ? t : s, *y = p->swapped ? s : t;
            bool window = p->shape == GPU && p->ty == MST_FLOAT32; // a program for each size
            if (window && !test_turn(k, 2))
                continue;
            test_image_case c = {p->shape, p->tx,        p->ty,   x[0],         {x[1], x[2]},
                                 y[0],     {y[1], y[2]}, p->mode, p->correlate, {axes[k % 3][0], axes[k % 3][1]}};
            if (p->mode == MST_CONVOLUTION_CIRCULAR)
                c.n[0] = c.m[0] = 12 + k, c.n[1] = c.m[1] = 17 - k;
            test_image_check(*state, &c, MST_CONVOLUTION_DIRECT, places[(i + k) % 3]);
        }
}

// Kernels that are products of a column and a row, which go along one axis after the other, and one that is but for a tap. In
// the programs of `images`; the taps are rounded, so that products of theirs are near them only.
static void products(void **state) {
    static const struct {
        test_image_case image;
        bool but_the_last;
    } cases[] = {{{CPU, MST_FLOAT32, MST_FLOAT32, 2, {37, 300}, 1, {7, 7}, MST_CONVOLUTION_SAME, false, {1, 2}}, false},
                 {{CPU, MST_FLOAT32, MST_FLOAT32, 1, {19, 41}, 1, {9, 8}, MST_CONVOLUTION_SAME, false, {1, 2}}, true},
                 {{CPU, MST_FLOAT32, MST_FLOAT32, 3, {40, 290}, 3, {31, 4}, MST_CONVOLUTION_SAME, false, {1, 2}}, false},
                 {{CPU, MST_COMPLEX64, MST_FLOAT32, 1, {12, 11}, 1, {12, 11}, MST_CONVOLUTION_CIRCULAR, true, {1, 2}}, false},
                 {{CPU, MST_FLOAT64, MST_FLOAT64, 1, {33, 70}, 1, {5, 11}, MST_CONVOLUTION_FULL, false, {0, 2}}, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (i < 3 || test_turn(i, 2))
            test_image_check_products(*state, &cases[i].image, cases[i].but_the_last, places[0]);
}

// The mean of values near the largest number is finite: no sum on the way is larger.
static void large_values(void **state) {
    const size_t n[] = {12, 20}, m[] = {5, 5};
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    desc.x = mst_layout_dense(MST_FLOAT32, 2, n), desc.y = mst_layout_dense(MST_FLOAT32, 2, m);
    desc.n_axes = 2, desc.axes[0] = 0, desc.axes[1] = 1;
    desc.mode = MST_CONVOLUTION_VALID, desc.algorithm = MST_CONVOLUTION_DIRECT, desc.shape = CPU;
    test_array x = test_array_new(&desc.x), y = test_array_new(&desc.y);
    for (size_t i = 0; i < x.elements; i++)
        test_array_set(&x, i, 0x1.8p127);
    for (size_t i = 0; i < y.elements; i++)
        test_array_set(&y, i, 1.0 / 25);
    test_array z = test_convolution_run(*state, &desc, &x, &y, places[0], NULL);
    for (size_t i = 0; i < z.elements; i++)
        CHECK(fabs((double)creall(test_array_get(&z, i)) / 0x1.8p127 - 1) < 1e-5, "the mean of 25 times %g is %g", 0x1.8p127,
              (double)creall(test_array_get(&z, i)));
    test_array_free(&x), test_array_free(&y), test_array_free(&z);
}

// Local memory of the shape for GPUs, of which some have 48 KiB: of lines of all lengths, with one kernel or one for each.
static void local_memory(void **state) {
    for (size_t n = 2; n < 3000; n += n / 7 + 1)
        for (size_t m = 1; m <= 64 && m <= n; m++)
            for (int k = 0; k < 4; k++) {
                const size_t x[] = {500, n}, y[] = {k % 2 ? 500 : 1, m};
                mst_convolution plan = {.context = *state, .work_type = k < 2 ? MST_COMPLEX64 : MST_COMPLEX128};
                mst_direct_tiling tiling;
                plan.desc = (mst_convolution_desc)MST_CONVOLUTION_DESC_INIT;
                plan.desc.x = mst_layout_dense(plan.work_type, 2, x);
                plan.desc.y = mst_layout_dense(k < 2 ? MST_FLOAT32 : MST_FLOAT64, 2, y);
                plan.desc.z = plan.desc.x;
                plan.desc.axes[0] = 1, plan.desc.n_axes = 1;
                plan.desc.mode = MST_CONVOLUTION_SAME, plan.desc.shape = GPU;
                plan.n_lines[0] = 500, plan.n_lines[1] = y[0];
                mst_direct_plan(&plan, &tiling);
                CHECK(tiling.values_bytes + tiling.weights_bytes <= (size_t)48 << 10, "%zu by %zu, %s: %zu + %zu bytes", n, m,
                      mst_type_name(plan.work_type), tiling.values_bytes, tiling.weights_bytes);
            }
}

// Overlapping tiles: one tile, several, an odd number of them, a kernel for each image, the largest kernel. A program for all
// sizes of a row of the table.
static void tiles(void **state) {
    static const program_case cases[] = {{GPU, MST_FLOAT32, MST_FLOAT32, MST_CONVOLUTION_SAME, false, false},
                                         {GPU, MST_COMPLEX64, MST_COMPLEX64, MST_CONVOLUTION_FULL, true, true},
                                         {GPU, MST_FLOAT64, MST_INT16, MST_CONVOLUTION_VALID, true, false},
                                         {GPU, MST_FLOAT32, MST_COMPLEX64, MST_CONVOLUTION_CIRCULAR, false, false},
                                         {GPU, MST_FLOAT32, MST_FLOAT32, MST_CONVOLUTION_FULL, true, true}};
    static const size_t sizes[][6] = {
        {2, 70, 140, 1, 9, 12}, {1, 30, 20, 3, 5, 2}, {2, 66, 68, 2, 63, 40}, {1, 130, 65, 1, 1, 63}};
    static const int axes[][2] = {{1, 2}, {0, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && test_turn(i + 1, 5); k++) {
            const program_case *p = &cases[i];
            const size_t *s = sizes[k], *t = sizes[k] + 3, *x = p->swapped ? t : s, *y = p->swapped ? s : t;
            test_image_case c = {p->shape, p->tx,        p->ty,   x[0],         {x[1], x[2]},
                                 y[0],     {y[1], y[2]}, p->mode, p->correlate, {axes[k % 2][0], axes[k % 2][1]}};
            if (p->mode == MST_CONVOLUTION_CIRCULAR)
                c.n[0] = c.m[0] = 12 + k, c.n[1] = c.m[1] = 40 + 7 * k;
            test_image_check(*state, &c, MST_CONVOLUTION_OVERLAP_SAVE, places[(i + k) % 3]);
        }
}

// Sums of integers below 2^53 are exact, whatever their order.
static void integers(void **state) {
    mst_convolution_desc desc = test_convolution_desc(MST_INT16, 3, 500, MST_INT16, 1, 80);
    desc.algorithm = MST_CONVOLUTION_DIRECT;
    desc.shape = test_turn(0, 2) ? CPU : GPU;
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
    test_array z = test_convolution_run(*state, &desc, &x, &y, places[0], NULL);
    test_wide *expected = test_convolution_reference(&desc, &x, &y, &z.layout, NULL);
    for (size_t k = 0; k < z.elements; k++)
        CHECK(test_array_get(&z, k) == expected[k], "element %zu: %.17Lg, not %.17Lg", k, creall(test_array_get(&z, k)),
              creall(expected[k]));
    free(expected);
    test_array_free(&x), test_array_free(&y), test_array_free(&z);
}

// Blocks of a small budget: the same bits as in one.
static void blocks(void **state) {
    mst_convolution_desc desc = test_convolution_desc(MST_FLOAT32, 90, 300, MST_FLOAT32, 90, 40);
    mst_report report = MST_REPORT_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    how.report = &report;
    desc.algorithm = MST_CONVOLUTION_DIRECT;
    mst_context *small = test_context_with_budget(100000, 0);
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
    test_array whole = test_convolution_run(*state, &desc, &x, &y, places[0], NULL);
    test_array parts = test_convolution_run(small, &desc, &x, &y, places[0], &how);
    CHECK(report.blocks > 1, "%llu blocks", (unsigned long long)report.blocks);
    CHECK(test_array_same(&whole, &parts), "blocks differ from one");
    mst_context_destroy(small);
    test_array_free(&whole), test_array_free(&parts), test_array_free(&x), test_array_free(&y);
}

// Auto takes sums for short kernels whose elements are neighbours, and says why; what was asked for needs no reason.
static void choice(void **state) {
    static const struct {
        size_t n, m;
        int axis;
        mst_fft_shape shape; // whose limits these are, on any device
        mst_convolution_algorithm asked, used;
        const char *why;
    } table[] = {{100000, 5, 1, CPU, MST_CONVOLUTION_AUTO, MST_CONVOLUTION_DIRECT, "5 products a number"},
                 {100000, 2001, 1, CPU, MST_CONVOLUTION_AUTO, MST_CONVOLUTION_FUSED, "2001 products a number"},
                 {100000, 5, 0, CPU, MST_CONVOLUTION_AUTO, MST_CONVOLUTION_FUSED, "not neighbours"},
                 {100, 60, 1, CPU, MST_CONVOLUTION_AUTO, MST_CONVOLUTION_DIRECT, "products in all"},
                 {100000, 5, 1, CPU, MST_CONVOLUTION_FUSED, MST_CONVOLUTION_FUSED, ""},
                 {512, 33, 1, GPU, MST_CONVOLUTION_AUTO, MST_CONVOLUTION_DIRECT, "33 products a number"},
                 {600, 33, 1, GPU, MST_CONVOLUTION_AUTO, MST_CONVOLUTION_FUSED, "33 products a number"},
                 {100000, 25, 1, GPU, MST_CONVOLUTION_AUTO, MST_CONVOLUTION_DIRECT, "25 products a number"},
                 {100000, 33, 1, GPU, MST_CONVOLUTION_AUTO, MST_CONVOLUTION_FUSED, "33 products a number"}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
        mst_convolution *plan = NULL;
        mst_error e;
        size_t x[2] = {40, 40}, y[2] = {1, 1};
        if (table[i].shape == CPU && table[i].used == MST_CONVOLUTION_FUSED &&
            mst_context_device(*state)->type != CL_DEVICE_TYPE_CPU)
            continue; // GPUs refuse these in the shape for CPUs
        x[table[i].axis] = table[i].n, y[table[i].axis] = table[i].m;
        desc.x = mst_layout_dense(MST_FLOAT32, 2, x);
        desc.y = mst_layout_dense(MST_FLOAT32, 2, y);
        desc.axes[0] = table[i].axis, desc.algorithm = table[i].asked;
        desc.shape = table[i].shape;
        OK(mst_convolution_create(*state, &desc, &plan, &e));
        const char *why = mst_convolution_explain(plan);
        CHECK(mst_convolution_algorithm_used(plan) == table[i].used &&
                  (*table[i].why ? strstr(why, table[i].why) != NULL : !*why),
              "case %zu: %s, because '%s'", i, mst_convolution_algorithm_name(mst_convolution_algorithm_used(plan)), why);
        mst_convolution_destroy(plan);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines),        cmocka_unit_test(images),       cmocka_unit_test(products),
                                       cmocka_unit_test(large_values), cmocka_unit_test(local_memory), cmocka_unit_test(tiles),
                                       cmocka_unit_test(integers),     cmocka_unit_test(blocks),       cmocka_unit_test(choice)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
