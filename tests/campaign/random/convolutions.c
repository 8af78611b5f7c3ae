// Random convolutions and correlations: algorithms, modes, one and two axes, lengths, types, batches, strides, places, little
// memory; beside FFTW and direct sums.
#include "support_choices.h"

#include <math.h>

typedef struct convolution_case {
    mst_convolution_desc desc;
    mst_place places[3];
    uint64_t device_memory; // 0: no limit
} convolution_case;

static int axis_of(const mst_convolution_desc *d, int a) { return (d->axes[a] + d->x.rank) % d->x.rank; }

static bool is_axis(const mst_convolution_desc *d, int k) { return axis_of(d, 0) == k || (d->n_axes == 2 && axis_of(d, 1) == k); }

// ---- making one ----

static void choose_axes(mst_convolution_desc *d, int rank) {
    int first = (int)test_choose((size_t)rank);
    d->x.rank = rank;
    d->n_axes = rank > 1 ? (int)test_choose_between(1, 2) : 1;
    for (int a = 0; a < d->n_axes; a++) {
        int axis = (rank - 1 - first + a) % rank;
        d->axes[a] = test_choose(2) ? axis - rank : axis;
    }
}

static void choose_algorithm(mst_convolution_desc *d) {
    d->algorithm = test_choose(2) ? MST_CONVOLUTION_AUTO : MST_CONVOLUTION_FUSED;
    if (d->n_axes == 1 && test_choose_rarely(3))
        d->algorithm = (mst_convolution_algorithm)test_choose_between(MST_CONVOLUTION_REFERENCE, MST_CONVOLUTION_PAPER_E);
    d->mode = (mst_convolution_mode)test_choose(4);
    d->correlate = test_choose(2) == 1;
    d->shape = (mst_fft_shape)test_choose(3);
}

static void choose_lengths(const mst_convolution_desc *d, int rank, size_t *x, size_t *y) {
    size_t most = d->n_axes == 2 ? 60 : test_choose_rarely(6) ? 40000 : 3000, side = test_choose(4);
    bool x_longer = test_choose(2) == 0;
    for (int k = 0; k < rank; k++) {
        x[k] = y[k] = test_choose_between(1, d->n_axes == 2 ? 4 : 9);
        if (!is_axis(d, k)) {
            x[k] = side == 1 ? 1 : x[k];
            y[k] = side == 2 ? 1 : y[k];
            continue;
        }
        x[k] = test_choose_length(most);
        y[k] = d->mode == MST_CONVOLUTION_CIRCULAR ? x[k] : test_choose_length(most);
        if (d->n_axes == 2 && d->mode == MST_CONVOLUTION_VALID && x_longer != (x[k] >= y[k])) { // neither may be within the other
            size_t swapped = x[k];
            x[k] = y[k];
            y[k] = swapped;
        }
        most = most / (x[k] + y[k]) + 20;
    }
}

// The gate is for data that are not all of one sign on both sides: so integers only on one side, no operand constant along an
// axis.
static mst_type choose_type(bool fp64, bool integer) {
    static const mst_type types[] = {MST_FLOAT32, MST_COMPLEX64, MST_FLOAT64, MST_COMPLEX128};
    return integer ? (mst_type)test_choose_between(MST_INT8, MST_BOOL) : types[test_choose(fp64 ? 4 : 2)];
}

static mst_layout choose_operand(const mst_convolution_desc *d, mst_type type, int rank, const size_t *shape) {
    mst_layout layout = test_choose_layout(type, rank, shape, true);
    for (int k = 0; k < rank; k++)
        if (is_axis(d, k) && layout.strides[k] == 0)
            return mst_layout_dense(type, rank, shape);
    return layout;
}

static void choose_layouts(mst_convolution_desc *d, mst_context *context, const size_t *x, const size_t *y, int rank) {
    bool fp64 = mst_context_device(context)->fp64;
    size_t integer = fp64 ? test_choose(6) : 0;
    mst_error e;
    mst_layout operand = choose_operand(d, choose_type(fp64, integer == 4), rank, x);
    d->y = choose_operand(d, choose_type(fp64, integer == 5), rank, y);
    d->x = operand;
    if (test_choose(2)) {
        OK(mst_convolution_result(d, &d->z, &e));
        d->z = test_choose_layout(d->z.type, rank, d->z.shape, false);
    }
}

static void describe(const convolution_case *c) {
    const mst_convolution_desc *d = &c->desc;
    test_case_made(1, "%s, mode %d%s, shape %d, %d axes (%d %d), x %s in %s, y %s in %s -> z %s in %s, memory %llu",
                   mst_convolution_algorithm_name(d->algorithm), (int)d->mode, d->correlate ? " correlate" : "", (int)d->shape,
                   d->n_axes, d->axes[0], d->axes[1], test_layout_text(&d->x), test_place_name(c->places[0]),
                   test_layout_text(&d->y), test_place_name(c->places[1]), d->z.rank ? test_layout_text(&d->z) : "dense",
                   test_place_name(c->places[2]), (unsigned long long)c->device_memory);
}

// ---- two axes, by direct sums ----

typedef struct image {
    test_wide *values;
    size_t strides[2], shape[2];
} image;

// Whether index i of x and index j of y meet in element k of the result along an axis of lengths n and m; sets j.
static bool partner(const mst_convolution_desc *d, size_t n, size_t m, size_t k, size_t i, size_t *j) {
    if (d->mode == MST_CONVOLUTION_CIRCULAR) {
        *j = d->correlate ? (i + n - k) % n : (k + n - i) % n;
        return true;
    }
    size_t first = d->mode == MST_CONVOLUTION_SAME ? (m - 1) / 2 : d->mode == MST_CONVOLUTION_VALID ? (n < m ? n : m) - 1 : 0;
    size_t lag = first + k; // of the full one
    *j = d->correlate ? i + m - 1 - lag : lag - i;
    return *j < m;
}

static test_wide sum_at(const mst_convolution_desc *d, const image *x, const image *y, size_t k, size_t l) {
    long double re = 0, im = 0;
    for (size_t i0 = 0, j0; i0 < x->shape[0]; i0++) {
        if (!partner(d, x->shape[0], y->shape[0], k, i0, &j0))
            continue;
        for (size_t i1 = 0, j1; i1 < x->shape[1]; i1++) {
            if (!partner(d, x->shape[1], y->shape[1], l, i1, &j1))
                continue;
            test_wide a = x->values[i0 * x->strides[0] + i1 * x->strides[1]],
                      b = y->values[j0 * y->strides[0] + j1 * y->strides[1]];
            long double sign = d->correlate ? -1 : 1;
            re += creall(a) * creall(b) - sign * cimagl(a) * cimagl(b);
            im += cimagl(a) * creall(b) + sign * creall(a) * cimagl(b);
        }
    }
    return test_complex(re, im);
}

// Where image number b of an array begins, of which one stands for all if it is alone; and its shape.
static image image_of(const mst_convolution_desc *d, const mst_layout *layout, test_wide *values, const mst_layout *z, size_t b) {
    image result = {.values = values};
    size_t stride = 1;
    for (int k = layout->rank - 1; k >= 0; k--) {
        for (int a = 0; a < 2; a++)
            if (axis_of(d, a) == k) {
                result.strides[a] = stride;
                result.shape[a] = layout->shape[k];
            }
        if (!is_axis(d, k)) {
            result.values += b % z->shape[k] % layout->shape[k] * stride;
            b /= z->shape[k];
        }
        stride *= layout->shape[k];
    }
    return result;
}

static long double energy(const image *x) {
    long double sum = 0;
    for (size_t i = 0; i < x->shape[0]; i++)
        for (size_t k = 0; k < x->shape[1]; k++) {
            test_wide v = x->values[i * x->strides[0] + k * x->strides[1]];
            sum += creall(v) * creall(v) + cimagl(v) * cimagl(v);
        }
    return sum;
}

// As the root of the mean square over the images, relative to ||x|| ||y||.
static double images_error(const mst_convolution_desc *d, const test_array *x, const test_array *y, const test_array *z) {
    test_wide *all[] = {test_array_values(x), test_array_values(y), test_array_values(z)};
    size_t n = 1;
    long double total = 0;
    for (int k = 0; k < z->layout.rank; k++)
        n *= is_axis(d, k) ? 1 : z->layout.shape[k];
    for (size_t b = 0; b < n; b++) {
        image ix = image_of(d, &x->layout, all[0], &z->layout, b), iy = image_of(d, &y->layout, all[1], &z->layout, b);
        image iz = image_of(d, &z->layout, all[2], &z->layout, b);
        long double error = 0;
        for (size_t k = 0; k < iz.shape[0]; k++)
            for (size_t l = 0; l < iz.shape[1]; l++) {
                test_wide off = iz.values[k * iz.strides[0] + l * iz.strides[1]] - sum_at(d, &ix, &iy, k, l);
                error += creall(off) * creall(off) + cimagl(off) * cimagl(off);
            }
        total += error == 0 ? 0 : error / energy(&ix) / energy(&iy);
    }
    for (int i = 0; i < 3; i++)
        free(all[i]);
    return (double)sqrtl(total / (long double)n);
}

// ---- trying it ----

static void check(const mst_convolution_desc *d, const test_array *x, const test_array *y, const test_array *z, size_t padded) {
    size_t n = padded, worst = 0;
    double error;
    if (d->n_axes == 2) {
        error = images_error(d, x, y, z);
    } else {
        long double *norms = malloc((z->elements + 1) * sizeof *norms);
        CHECK(norms, "no memory");
        test_wide *reference = test_convolution_reference(d, x, y, &z->layout, norms);
        error = test_convolution_error(z, d->axes[0], reference, norms, &worst);
        free(reference);
        free(norms);
    }
    double gate = 2 * test_gate(&z->layout, n);
    if (z->elements < 256) // single errors scatter
        gate *= 2;
    CHECK(error <= gate, "N = %zu: error %.3g is above %.3g, worst vector %zu", n, error, gate, worst);
}

static void try_convolution(const convolution_case *c, mst_context *context) {
    mst_error e;
    const mst_convolution_desc *d = &c->desc;
    mst_convolution *plan = NULL;
    mst_layout layout = d->z;
    size_t padded = 0;
    if (layout.rank == 0)
        OK(mst_convolution_result(d, &layout, &e));
    test_array x = test_array_random(&d->x), y = test_array_random(&d->y), z = test_array_new(&layout);
    test_placed px = test_place(context, c->places[0], &x), py = test_place(context, c->places[1], &y);
    test_placed pz = test_place(context, c->places[2], &z);
    mst_status status = mst_convolution_create(context, d, &plan, &e);
    if (status == MST_OK) {
        padded = mst_convolution_padded_length(plan);
        status = mst_convolution_execute(plan, px.at, py.at, pz.at, NULL, &e);
    }
    CHECK(status == MST_OK || (status == MST_ERROR_BUDGET && c->device_memory), "%s", e.message);
    mst_convolution_destroy(plan);
    test_collect_input(&px, &x);
    test_collect_input(&py, &y);
    test_collect_output(&pz, &z);
    if (status == MST_OK)
        check(d, &x, &y, &z, padded);
    test_array_free(&x);
    test_array_free(&y);
    test_array_free(&z);
}

static void make_and_try(mst_context *shared) {
    const mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    convolution_case c = {.desc = desc};
    size_t x[MST_MAX_RANK] = {0}, y[MST_MAX_RANK] = {0};
    int rank = (int)test_choose_between(1, 3);
    choose_axes(&c.desc, rank);
    choose_algorithm(&c.desc);
    choose_lengths(&c.desc, rank, x, y);
    choose_layouts(&c.desc, shared, x, y, rank);
    for (int p = 0; p < 3; p++)
        c.places[p] = test_choose_place();
    c.device_memory = test_choose_rarely(5) ? 4096 + 1000 * test_choose(2000) : 0;
    describe(&c);
    mst_context *context = c.device_memory ? test_context_with_budget(c.device_memory, 0) : shared;
    try_convolution(&c, context);
    if (context != shared) {
        CHECK(mst_context_device_memory_used(context) == 0, "device memory is still held");
        mst_context_destroy(context);
    }
}

int main(int argc, char **argv) { return test_choices_main(argc, argv, "convolutions", make_and_try); }
