// Deconvolution against the definition: sums over the point spread function in double precision for Richardson-Lucy, FFTW for the
// inverse filters; over random shapes, types, edges and centres. And when iterations stop, what is conserved and what is refused.
#include "support.h"

#include "deconv/plan.h"

#include <fftw3.h>
#include <float.h>
#include <math.h>

enum { MOST_PSF = 512 };

// A case: what the plan is made of, and what it works on.
typedef struct problem {
    mst_deconvolution_desc d;
    double psf[MOST_PSF];
    test_array image, start, weights, result;
    size_t extent[3], padded[3], psf_shape[3]; // as in the plan
    bool by_rows;                              // likewise
    int64_t centre[3];
    size_t behind; // the length of a batch axis behind those of items; 0: batch axes stand before
} problem;

static size_t at_of(const size_t *shape, size_t z, size_t y, size_t x) { return (z * shape[1] + y) * shape[2] + x; }

static size_t count_of(const size_t *shape) { return shape[0] * shape[1] * shape[2]; }

// to[k] = sum_i h[i] from[k - i + c] on the periodic array; mirrored: h[i] from[k + i - c].
static void convolve(const problem *p, const double *from, bool mirrored, double *to) {
    for (size_t k = 0; k < count_of(p->padded); k++) {
        int64_t place[3] = {(int64_t)(k / p->padded[2] / p->padded[1]), (int64_t)(k / p->padded[2] % p->padded[1]),
                            (int64_t)(k % p->padded[2])};
        double sum = 0;
        for (size_t i = 0; i < count_of(p->psf_shape); i++) {
            int64_t tap[3] = {(int64_t)(i / p->psf_shape[2] / p->psf_shape[1]), (int64_t)(i / p->psf_shape[2] % p->psf_shape[1]),
                              (int64_t)(i % p->psf_shape[2])};
            size_t source[3];
            for (int a = 0; a < 3; a++) {
                int64_t n = (int64_t)p->padded[a], off = mirrored ? tap[a] - p->centre[a] : p->centre[a] - tap[a];
                source[a] = (size_t)(((place[a] + off) % n + n) % n);
            }
            sum += p->psf[i] * from[at_of(p->padded, source[0], source[1], source[2])];
        }
        to[k] = sum;
    }
}

// div(grad x / |grad x|) at a point.
static double divergence(const problem *p, const double *x, size_t z, size_t y, size_t i, double least) {
    const size_t place[3] = {z, y, i};
    double sum = 0;
    for (int back = 0; back <= 3; back++) { // at the point, then one before it along each axis
        size_t q[3] = {z, y, i};
        double d[3], norm = least * least;
        if (back > 0)
            q[back - 1] = (place[back - 1] + p->padded[back - 1] - 1) % p->padded[back - 1];
        for (int a = 0; a < 3; a++) {
            size_t r[3] = {q[0], q[1], q[2]};
            r[a] = (r[a] + 1) % p->padded[a];
            d[a] = x[at_of(p->padded, r[0], r[1], r[2])] - x[at_of(p->padded, q[0], q[1], q[2])];
            norm += d[a] * d[a];
        }
        sum += back == 0 ? (d[0] + d[1] + d[2]) / sqrt(norm) : -d[back - 1] / sqrt(norm);
    }
    return sum;
}

typedef struct estimate {
    double *seen, *weights, *gain, *x, *before, *begun, *step, *model;
    double mean, least, alpha; // least: of the model that counts
} estimate;

static bool inside(const problem *p, size_t k) {
    return k / p->padded[2] / p->padded[1] < p->extent[0] && k / p->padded[2] % p->padded[1] < p->extent[1] &&
           k % p->padded[2] < p->extent[2];
}

// The number of a value of an item among those of the caller's array.
static size_t number_of(const problem *p, size_t item, size_t z, size_t y, size_t x) {
    size_t at = at_of(p->extent, z, y, x);
    return p->behind ? at * p->behind + item : item * count_of(p->extent) + at;
}

// The same for a point of the padded array.
static size_t in_item(const problem *p, size_t item, size_t k) {
    return number_of(p, item, k / p->padded[2] / p->padded[1], k / p->padded[2] % p->padded[1], k % p->padded[2]);
}

static void begin(const problem *p, size_t item, estimate *e) {
    size_t n = count_of(p->padded);
    double sum = 0, count = 0, total = 0, squares = 0;
    for (size_t i = 0; i < count_of(p->psf_shape); i++)
        total += p->psf[i];
    for (size_t k = 0; k < n; k++) {
        e->weights[k] = !inside(p, k)       ? 0
                        : !p->weights.image ? 1
                                            : (double)creall(test_array_get(&p->weights, in_item(p, item, k)));
        e->seen[k] = e->weights[k] > 0 ? (double)creall(test_array_get(&p->image, in_item(p, item, k))) : 0;
        sum += e->seen[k];
        squares += e->seen[k] * e->seen[k];
        count += e->weights[k] > 0;
    }
    e->mean = count > 0 ? sum / count : 0;
    e->least = 16 * (p->d.result.type == MST_FLOAT64 ? DBL_EPSILON : FLT_EPSILON) * (count > 0 ? sqrt(squares / count) : 0);
    convolve(p, e->weights, true, e->gain);
    for (size_t k = 0; k < n; k++) {
        bool zero = p->d.edges == MST_DECONVOLUTION_ZERO;
        if (zero && !p->weights.image)
            e->gain[k] = inside(p, k);
        else
            e->gain[k] = e->gain[k] >= 0.01 * total && (inside(p, k) || !zero) ? 1 / e->gain[k] : 0;
        double first = p->d.start_value > 0 ? p->d.start_value : e->mean;
        if (p->start.image && inside(p, k))
            first = (double)creall(test_array_get(&p->start, in_item(p, item, k)));
        e->x[k] = e->before[k] = e->gain[k] > 0 ? first : 0;
        e->step[k] = 0;
    }
}

static void iterate(const problem *p, estimate *e) {
    size_t n = count_of(p->padded);
    double product = 0, square = 0;
    for (size_t k = 0; k < n; k++)
        e->begun[k] = p->d.accelerate ? fmax(e->x[k] + e->alpha * (e->x[k] - e->before[k]), 0) : e->x[k];
    convolve(p, e->begun, false, e->model);
    for (size_t k = 0; k < n; k++) {
        double v = e->model[k] + p->d.background;
        e->model[k] = e->weights[k] > 0 && e->seen[k] > 0 && v > e->least ? e->weights[k] * e->seen[k] / v : 0;
    }
    memcpy(e->before, e->x, n * sizeof *e->x);
    convolve(p, e->model, true, e->x);
    for (size_t k = 0; k < n; k++) {
        double factor = e->x[k] * e->gain[k];
        if (p->d.total_variation > 0)
            factor /= 1 - p->d.total_variation * divergence(p, e->begun, k / p->padded[2] / p->padded[1],
                                                            k / p->padded[2] % p->padded[1], k % p->padded[2], 1e-4 * e->mean);
        e->x[k] = e->begun[k] * factor;
    }
    for (size_t k = 0; k < n; k++) {
        double step = e->x[k] - e->begun[k];
        product += step * e->step[k];
        square += e->step[k] * e->step[k];
        e->step[k] = step;
    }
    e->alpha = square > 0 ? fmin(fmax(product / square, 0), 1) : 0;
}

static double *richardson_lucy(const problem *p, size_t item) {
    size_t n = count_of(p->padded);
    double *memory = malloc(8 * n * sizeof *memory);
    estimate e = {
        memory, memory + n, memory + 2 * n, memory + 3 * n, memory + 4 * n, memory + 5 * n, memory + 6 * n, memory + 7 * n, 0,
        0,      0};
    begin(p, item, &e);
    for (int k = 0; k < p->d.iterations; k++)
        iterate(p, &e);
    memmove(memory, e.x, n * sizeof *memory);
    return memory;
}

// The image going on along one axis: see "goes on" in mastaba/deconvolution.h.
static void continued(size_t at, size_t n, size_t padded, size_t place[2], double share[2]) {
    double t = ((double)at - (double)n + 0.5) / ((double)padded - (double)n);
    place[0] = at < n ? at : at - n < n ? 2 * n - 1 - at : 0;
    place[1] = at < n ? at : padded - 1 - at < n ? padded - 1 - at : n - 1;
    share[1] = at < n ? 0 : t * t * (3 - 2 * t);
    share[0] = 1 - share[1];
}

static double go_on(const problem *p, size_t item, size_t k) {
    const size_t at[3] = {k / p->padded[2] / p->padded[1], k / p->padded[2] % p->padded[1], k % p->padded[2]};
    size_t place[3][2];
    double share[3][2], sum = 0;
    if (p->d.edges != MST_DECONVOLUTION_OBSERVED)
        return inside(p, k) ? (double)creall(test_array_get(&p->image, in_item(p, item, k))) : 0;
    for (int a = 0; a < 3; a++)
        continued(at[a], p->extent[a], p->padded[a], place[a], share[a]);
    for (int c = 0; c < 8; c++)
        sum += share[0][c >> 2] * share[1][c >> 1 & 1] * share[2][c & 1] *
               (double)creall(
                   test_array_get(&p->image, number_of(p, item, place[0][c >> 2], place[1][c >> 1 & 1], place[2][c & 1])));
    return sum;
}

static void fourier(const problem *p, fftw_complex *values, int direction) {
    fftw_plan plan =
        fftw_plan_dft_3d((int)p->padded[0], (int)p->padded[1], (int)p->padded[2], values, values, direction, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
}

static double roughness(size_t k, size_t n) { return 2 - 2 * cos(2 * acos(-1) * (double)k / (double)n); }

static double *inverse_filter(const problem *p, size_t item) {
    size_t n = count_of(p->padded);
    double *result = malloc(n * sizeof *result);
    double *delta = calloc(n, sizeof *delta), *h = malloc(n * sizeof *h);
    fftw_complex *image = fftw_malloc(n * sizeof *image), *transfer = fftw_malloc(n * sizeof *transfer);
    delta[0] = 1;
    convolve(p, delta, false, h);
    for (size_t k = 0; k < n; k++) {
        image[k] = go_on(p, item, k);
        transfer[k] = h[k];
    }
    fourier(p, image, FFTW_FORWARD);
    fourier(p, transfer, FFTW_FORWARD);
    for (size_t k = 0; k < n; k++) {
        double l = roughness(k / p->padded[2] / p->padded[1], p->padded[0]) +
                   roughness(k / p->padded[2] % p->padded[1], p->padded[1]) + roughness(k % p->padded[2], p->padded[2]);
        int order = p->d.method == MST_DECONVOLUTION_WIENER ? 0 : p->d.order;
        image[k] *= conj(transfer[k]) / (creal(transfer[k] * conj(transfer[k])) + p->d.balance * pow(l, order));
    }
    fourier(p, image, FFTW_BACKWARD);
    for (size_t k = 0; k < n; k++)
        result[k] = creal(image[k]) / (double)n;
    fftw_free(image);
    fftw_free(transfer);
    free(delta);
    free(h);
    return result;
}

// The largest difference to the reference, relative to the greatest value of the item.
static double error_of(const problem *p, size_t item) {
    double *reference = p->d.method == MST_DECONVOLUTION_RICHARDSON_LUCY ? richardson_lucy(p, item) : inverse_filter(p, item);
    double worst = 0, largest = 0;
    for (size_t k = 0; k < count_of(p->padded); k++) {
        if (!inside(p, k))
            continue;
        double got = (double)creall(test_array_get(&p->result, in_item(p, item, k)));
        worst = fmax(worst, isfinite(got) ? fabs(got - reference[k]) : INFINITY);
        largest = fmax(largest, fabs(reference[k]));
    }
    free(reference);
    return largest > 0 ? worst / largest : worst; // 0 where nothing was seen
}

// ---- Problems

static test_array positive(const mst_layout *layout, double low, double high) {
    test_array array = test_array_new(layout);
    for (size_t i = 0; i < array.elements; i++) {
        double value = low + (high - low) * (test_uniform() + 1) / 2;
        void *at = test_array_at(&array, i);
        if (layout->type == MST_UINT8)
            *(uint8_t *)at = (uint8_t)(100 * value);
        else if (layout->type == MST_UINT16 || layout->type == MST_INT16)
            *(uint16_t *)at = (uint16_t)(100 * value);
        else
            test_array_set(&array, i, value);
    }
    return array;
}

// A bright middle, so that the centre matters, and a few zeros.
static void make_psf(problem *p) {
    size_t count = 1;
    for (int a = 0; a < p->d.n_axes; a++)
        count *= p->d.psf_shape[a];
    assert_true(count <= MOST_PSF);
    for (size_t i = 0; i < count; i++)
        p->psf[i] = i == count / 2 ? 3 : i % 7 == 5 ? 0 : (test_uniform() + 1) / 2;
    p->d.psf = p->psf;
}

static void take_plan(problem *p, const mst_deconvolution *plan) {
    double sum = 0;
    p->by_rows = plan->by_rows;
    memcpy(p->extent, plan->extent, sizeof p->extent);
    memcpy(p->padded, plan->padded, sizeof p->padded);
    memcpy(p->psf_shape, plan->psf_shape, sizeof p->psf_shape);
    memcpy(p->centre, plan->psf_centre, sizeof p->centre);
    for (size_t i = 0; i < count_of(p->psf_shape); i++)
        sum += p->psf[i];
    for (size_t i = 0; i < count_of(p->psf_shape) && !p->d.keep_sum; i++)
        p->psf[i] /= sum;
}

static void release(problem *p) {
    test_array_free(&p->image);
    test_array_free(&p->result);
    if (p->start.image)
        test_array_free(&p->start);
    if (p->weights.image)
        test_array_free(&p->weights);
}

static void execute(mst_context *context, mst_deconvolution *plan, problem *p, const mst_place places[4]) {
    mst_error e;
    mst_deconvolution_arrays arrays = MST_DECONVOLUTION_ARRAYS_INIT;
    test_placed image = test_place(context, places[0], &p->image), result = test_place(context, places[1], &p->result), start,
                weights;
    arrays.image = image.at;
    arrays.result = result.at;
    if (p->start.image) {
        start = test_place(context, places[2], &p->start);
        arrays.start = start.at;
    }
    if (p->weights.image) {
        weights = test_place(context, places[3], &p->weights);
        arrays.weights = weights.at;
    }
    OK(mst_deconvolution_execute(plan, &arrays, NULL, &e));
    test_collect_input(&image, &p->image);
    test_collect_output(&result, &p->result);
    if (p->start.image)
        test_collect_input(&start, &p->start);
    if (p->weights.image)
        test_collect_input(&weights, &p->weights);
}

// Runs a problem whose description, psf and arrays but the result are there.
static void check(mst_context *context, problem *p, const mst_place places[4], double gate) {
    mst_error e;
    mst_deconvolution *plan;
    OK(mst_deconvolution_create(context, &p->d, &plan, &e));
    take_plan(p, plan);
    p->result = test_array_new(&p->d.result);
    execute(context, plan, p, places);
    for (size_t item = 0; item < plan->n_items; item++) {
        double error = error_of(p, item);
        CHECK(error <= gate, "method %d edges %d image %s psf %zu,%zu,%zu: item %zu is %g off, %g is allowed", (int)p->d.method,
              (int)p->d.edges, test_layout_text(&p->d.image), p->psf_shape[0], p->psf_shape[1], p->psf_shape[2], item, error,
              gate);
    }
    mst_deconvolution_destroy(plan);
    release(p);
}

static void random_problem(mst_context *context, bool is_double) {
    static const mst_type types[] = {MST_UINT8, MST_UINT16, MST_INT16, MST_FLOAT32};
    static const mst_place places[] = {MST_PLACE_HOST, MST_PLACE_DEVICE, MST_PLACE_FILE};
    mst_place where[4];
    problem p = {.d = MST_DECONVOLUTION_DESC_INIT};
    int rank = (int)test_between(2, 4);
    size_t shape[4];
    p.d.n_axes = (int)test_between(2, rank < 3 ? 2 : 3);
    for (int k = 0; k < rank; k++)
        shape[k] = k < rank - p.d.n_axes ? test_between(1, 3) : test_between(1, p.d.n_axes == 3 ? 9 : 20);
    for (int a = 0; a < p.d.n_axes; a++) {
        p.d.axes[a] = a - p.d.n_axes;
        p.d.psf_shape[a] = test_between(1, p.d.n_axes == 3 ? 4 : 7);
        p.d.psf_centre[a] = (int64_t)test_between(0, p.d.psf_shape[a] - 1);
    }
    if (rank == p.d.n_axes + 1 && test_between(0, 1)) { // the batch behind
        size_t last = shape[0];
        memmove(shape, shape + 1, (size_t)(rank - 1) * sizeof *shape);
        shape[rank - 1] = last;
        p.behind = last;
        for (int a = 0; a < p.d.n_axes; a++)
            p.d.axes[a]--;
    }
    p.d.centred = (int)test_between(0, 1);
    p.d.edges = (mst_deconvolution_edges)test_between(0, 2);
    p.d.method = test_between(0, 2)
                     ? MST_DECONVOLUTION_RICHARDSON_LUCY
                     : (mst_deconvolution_method)test_between(MST_DECONVOLUTION_WIENER, MST_DECONVOLUTION_TIKHONOV);
    p.d.order = (int)test_between(0, 2);
    p.d.balance = 0.05;
    p.d.keep_sum = test_between(0, 3) == 0;
    p.d.image = test_layout_random(is_double ? MST_FLOAT64 : types[test_between(0, 3)], rank, shape, false);
    p.d.result = test_layout_random(is_double ? MST_FLOAT64 : MST_FLOAT32, rank, shape, false);
    make_psf(&p);
    p.image = positive(&p.d.image, 0.1, 2);
    if (p.d.method == MST_DECONVOLUTION_RICHARDSON_LUCY) {
        p.d.iterations = (int)test_between(1, 6);
        p.d.accelerate = (int)test_between(0, 1);
        p.d.total_variation = test_between(0, 1) ? 0.01 : 0;
        p.d.background = test_between(0, 1) ? 0.3 : 0;
        p.d.start_value = test_between(0, 1) ? 0.5 : 0;
        if (test_between(0, 2) == 0) {
            p.d.start = test_layout_random(MST_FLOAT32, rank, shape, true);
            p.start = positive(&p.d.start, 0.5, 1);
        }
        // With total variation the direction of tiny differences counts, which rounding in single precision turns where little is
        // seen.
        if ((is_double || p.d.total_variation == 0) && test_between(0, 2) == 0) {
            p.d.weights = test_layout_random(MST_UINT8, rank, shape, true);
            p.weights = positive(&p.d.weights, 0.008, 0.018); // 0 and 1
        }
    }
    for (int k = 0; k < 4; k++)
        where[k] = places[test_between(0, 2)];
    check(context, &p, where, is_double ? 1e-9 : 2e-4);
}

static void random_problems(void **state) {
    for (int k = 0; k < test_many(12); k++)
        random_problem(*state, mst_context_device(*state)->fp64 && k % 4 == 3);
}

// GPU-shaped, where one kernel convolves along the slowest axis: volumes and images, one and several, both directions (iterations
// and gains take the mirrored one), the inverse filter; and an axis of one point, which leaves nothing for it. Where rows have a
// multiple of 16 points, iterations are joined by passes along them, of one step or more, with weights and background or without.
static void gpu_shaped(void **state) {
    static const struct {
        int rank, n_axes;
        size_t shape[4], psf[3];
        mst_deconvolution_method method;
        mst_deconvolution_edges edges;
        bool weighted, by_rows;
    } cases[] = {
        {4, 3, {2, 6, 5, 7}, {3, 2, 3}, MST_DECONVOLUTION_RICHARDSON_LUCY, MST_DECONVOLUTION_OBSERVED, false, false},
        {3, 2, {2, 12, 15}, {3, 4}, MST_DECONVOLUTION_RICHARDSON_LUCY, MST_DECONVOLUTION_CIRCULAR, false, false},
        {2, 2, {12, 15}, {3, 4}, MST_DECONVOLUTION_WIENER, MST_DECONVOLUTION_CIRCULAR, false, false},
        {2, 2, {1, 15}, {1, 4}, MST_DECONVOLUTION_RICHARDSON_LUCY, MST_DECONVOLUTION_CIRCULAR, false, false},
        {3, 2, {3, 4, 16}, {3, 2}, MST_DECONVOLUTION_RICHARDSON_LUCY, MST_DECONVOLUTION_CIRCULAR, false, true},
        {3, 2, {2, 5, 96}, {2, 4}, MST_DECONVOLUTION_RICHARDSON_LUCY, MST_DECONVOLUTION_CIRCULAR, true, true},
        {4, 3, {2, 3, 2, 240}, {2, 2, 9}, MST_DECONVOLUTION_RICHARDSON_LUCY, MST_DECONVOLUTION_OBSERVED, true, true},
        {2, 2, {3, 1024}, {1, 9}, MST_DECONVOLUTION_RICHARDSON_LUCY, MST_DECONVOLUTION_CIRCULAR, false, true},
    };
    const mst_place where[4] = {MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_HOST};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int is_double = 0; is_double < (mst_context_device(*state)->fp64 ? 2 : 1); is_double++) {
            problem p = {.d = MST_DECONVOLUTION_DESC_INIT};
            if (test_spared(k + (size_t)is_double, 4))
                continue;
            p.d.shape = MST_FFT_SHAPE_GPU;
            p.d.n_axes = cases[k].n_axes;
            for (int a = 0; a < p.d.n_axes; a++) {
                p.d.axes[a] = a - p.d.n_axes;
                p.d.psf_shape[a] = cases[k].psf[a];
            }
            p.d.edges = cases[k].edges;
            p.d.method = cases[k].method;
            p.d.balance = 0.05;
            p.d.iterations = p.d.method == MST_DECONVOLUTION_RICHARDSON_LUCY ? 3 : 0;
            p.d.image = mst_layout_dense(is_double ? MST_FLOAT64 : MST_FLOAT32, cases[k].rank, cases[k].shape);
            p.d.result = p.d.image;
            make_psf(&p);
            p.image = positive(&p.d.image, 0.1, 2);
            if (cases[k].weighted) {
                p.d.background = 0.3;
                p.d.weights = mst_layout_dense(MST_FLOAT32, cases[k].rank, cases[k].shape);
                p.weights = positive(&p.d.weights, 0.5, 1);
            }
            check(*state, &p, where, is_double ? 1e-9 : 2e-4);
            CHECK(p.by_rows == cases[k].by_rows, "case %zu is %sdone by rows", k, p.by_rows ? "" : "not ");
        }
}

// ---- What iterations tell, and when they stop

typedef struct told {
    int calls, stop_at;
    mst_deconvolution_state last[2]; // of items
} told;

static bool watch(const mst_deconvolution_state *state, void *user) {
    told *t = user;
    assert_true(state->struct_size == sizeof *state && state->item < 2 && state->iteration == t->last[state->item].iteration + 1);
    t->last[state->item] = *state;
    return ++t->calls != t->stop_at;
}

static bool progress(uint64_t done, uint64_t total, void *user) {
    uint64_t *last = user;
    assert_true(done > *last && done <= total);
    *last = done;
    return true;
}

enum { SIDE = 24, POINTS = SIDE * SIDE };

static mst_deconvolution_desc two_images(const double *psf, told *t) {
    static const size_t shape[] = {2, SIDE, SIDE};
    mst_deconvolution_desc d = MST_DECONVOLUTION_DESC_INIT;
    d.image = mst_layout_dense(MST_FLOAT32, 3, shape);
    d.psf = psf;
    d.psf_shape[0] = d.psf_shape[1] = 3;
    d.watch = watch;
    d.watch_user = t;
    return d;
}

static mst_status deconvolve(mst_context *context, const mst_deconvolution_desc *d, const float *image, float *result,
                             const mst_execution *how, mst_error *e) {
    mst_deconvolution *plan;
    mst_deconvolution_arrays arrays = MST_DECONVOLUTION_ARRAYS_INIT;
    arrays.image = mst_at_host(image);
    arrays.result = mst_at_host(result);
    mst_status status = mst_deconvolution_create(context, d, &plan, e);
    if (status == MST_OK)
        status = mst_deconvolution_execute(plan, &arrays, how, e);
    mst_deconvolution_destroy(plan);
    return status;
}

static const double smooth[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};

// Each image stops by itself and has the values that it has alone; light is neither lost nor made where none crosses the edges.
static void tolerance_and_flux(void **state) {
    mst_error e;
    static float image[2 * POINTS], result[2 * POINTS], alone[POINTS];
    told t = {0}, single = {0};
    uint64_t done = 0;
    mst_execution how = MST_EXECUTION_INIT;
    double light = 0, after = 0;
    for (int k = 0; k < 2 * POINTS; k++)
        image[k] = k < POINTS ? 4 : (float)(2 + test_uniform());
    mst_deconvolution_desc d = two_images(smooth, &t);
    d.edges = MST_DECONVOLUTION_CIRCULAR;
    d.tolerance = 0.01;
    d.iterations = 60;
    how.progress = progress;
    how.progress_user = &done;
    OK(deconvolve(*state, &d, image, result, &how, &e));
    assert_int_equal(done, 2 * 60);
    assert_true(t.last[0].iteration == 1 && t.last[1].iteration > 2 && t.last[1].iteration < 60); // a flat image is done at once
    assert_true(t.last[1].change < 0.01 && t.last[1].residual > 0 && t.last[1].residual < 0.3 && t.last[0].residual < 1e-6);
    for (int k = POINTS; k < 2 * POINTS; k++) {
        light += (double)image[k];
        after += (double)result[k];
        assert_true(result[k] >= 0);
    }
    assert_true(fabs(after / light - 1) < 1e-5);
    d.image.shape[0] = 1;
    d.watch_user = &single;
    OK(deconvolve(*state, &d, image + POINTS, alone, NULL, &e));
    assert_memory_equal(alone, result + POINTS, sizeof alone);
    assert_int_equal(single.calls, t.last[1].iteration);
}

// Units do not matter: an image in another power of two has the result in it.
static void units(void **state) {
    static const int powers[] = {70, -80};
    static float image[2 * POINTS], result[2 * POINTS], scaled[2 * POINTS];
    mst_error e;
    told t = {0};
    mst_deconvolution_desc d = two_images(smooth, &t);
    d.accelerate = 1;
    d.total_variation = 0.01;
    d.iterations = 8;
    for (int k = 0; k < 2 * POINTS; k++)
        image[k] = (float)(2 + test_uniform());
    OK(deconvolve(*state, &d, image, result, NULL, &e));
    const mst_deconvolution_state last = t.last[1];
    for (int p = 0; p < 2; p++) {
        t = (told){0};
        for (int k = 0; k < 2 * POINTS; k++)
            image[k] = ldexpf(image[k], p > 0 ? powers[1] - powers[0] : powers[0]);
        OK(deconvolve(*state, &d, image, scaled, NULL, &e));
        for (int k = 0; k < 2 * POINTS; k++)
            assert_true(fabsf(ldexpf(scaled[k], -powers[p]) - result[k]) < 1e-4F);
        CHECK(fabs(t.last[1].residual - last.residual) < 1e-4 && fabs(t.last[1].change - last.change) < 1e-4,
              "in units of 2^%d residual %g, change %g, not %g, %g", -powers[p], t.last[1].residual, t.last[1].change,
              last.residual, last.change);
    }
}

// The most memory that a plan was seen to hold.
typedef struct held {
    mst_context *context;
    uint64_t most;
} held;

static bool look(const mst_deconvolution_state *state, void *user) {
    held *h = user;
    uint64_t now = mst_context_device_memory_used(h->context);
    (void)state;
    h->most = now > h->most ? now : h->most;
    return true;
}

// Batches of any size pass through a budget, which is not exceeded, with the same results; what does not fit is refused.
static void budgets(void **state) {
    enum { ITEMS = 12 };
    static float image[ITEMS * POINTS], at_once[ITEMS * POINTS], result[ITEMS * POINTS];
    mst_error e;
    held h = {.context = *state};
    mst_deconvolution_desc d = two_images(smooth, NULL);
    d.image.shape[0] = ITEMS;
    d.watch = look;
    d.watch_user = &h;
    d.accelerate = 1;
    d.iterations = 3;
    for (int k = 0; k < ITEMS * POINTS; k++)
        image[k] = (float)(2 + test_uniform());
    OK(deconvolve(*state, &d, image, at_once, NULL, &e));
    const uint64_t all = h.most, shares[] = {2, 4, 100};
    for (int k = 0; k < 3; k++) {
        h = (held){.context = test_context_with_budget(all / shares[k], 0)};
        mst_status status = deconvolve(h.context, &d, image, result, NULL, &e);
        CHECK(h.most <= all / shares[k], "%llu bytes were held of %llu", (unsigned long long)h.most,
              (unsigned long long)(all / shares[k]));
        assert_true(mst_context_device_memory_used(h.context) == 0);
        if (shares[k] == 100) {
            assert_true(status == MST_ERROR_BUDGET && strstr(e.message, "budget"));
        } else {
            OK(status);
            // A device with memory of its own takes small blocks, of which several are on their way.
            const uint64_t least = mst_context_device(h.context)->unified_memory ? all / shares[k] / 3 : all / ITEMS;
            CHECK(h.most > least, "%llu bytes were held of %llu, of %llu at once", (unsigned long long)h.most,
                  (unsigned long long)(all / shares[k]), (unsigned long long)all);
            assert_memory_equal(result, at_once, sizeof result);
        }
        mst_context_destroy(h.context);
    }
}

// Images without points have a result without any.
static void nothing(void **state) {
    static float image, result;
    mst_error e;
    mst_deconvolution_desc d = two_images(smooth, NULL);
    d.watch = NULL;
    d.psf_shape[0] = d.psf_shape[1] = 1;
    for (int k = 0; k < 3; k++) {
        d.image = mst_layout_dense(MST_FLOAT32, 3, (const size_t[]){k == 0 ? 0 : 2, k == 1 ? 0 : SIDE, k == 2 ? 0 : SIDE});
        OK(deconvolve(*state, &d, &image, &result, NULL, &e));
    }
}

// What the mask leaves out is not read, and is filled in from what is around it.
static void masked_pixels(void **state) {
    mst_error e;
    static float image[POINTS], result[POINTS];
    static uint8_t mask[POINTS];
    told t = {0};
    mst_deconvolution *plan;
    mst_deconvolution_arrays arrays = MST_DECONVOLUTION_ARRAYS_INIT;
    mst_deconvolution_desc d = two_images(smooth, &t);
    d.image.shape[0] = 1;
    d.weights = d.image;
    d.weights.type = MST_UINT8;
    for (int k = 0; k < POINTS; k++) {
        mask[k] = k % 29 != 7;
        image[k] = mask[k] ? 5 : k % 2 ? NAN : -1000;
    }
    arrays.image = mst_at_host(image);
    arrays.weights = mst_at_host(mask);
    arrays.result = mst_at_host(result);
    OK(mst_deconvolution_create(*state, &d, &plan, &e));
    OK(mst_deconvolution_execute(plan, &arrays, NULL, &e));
    mst_deconvolution_destroy(plan);
    for (int k = 0; k < POINTS; k++)
        assert_true(fabsf(result[k] - 5) < 1e-3F);
}

static void refusals(void **state) {
    mst_error e;
    static float image[2 * POINTS], result[2 * POINTS];
    double psf[9];
    told t = {.stop_at = 3};
    mst_deconvolution_desc d = two_images(smooth, &t), wrong;
    for (int k = 0; k < 2 * POINTS; k++)
        image[k] = 1;
    REFUSED(MST_ERROR_CANCELLED, "cancelled", deconvolve(*state, &d, image, result, NULL, &e));
    d.watch = NULL;
    image[POINTS + 2 * SIDE + 5] = NAN;
    REFUSED(MST_ERROR_ARGUMENT, "not finite: at [2, 5] of item 1", deconvolve(*state, &d, image, result, NULL, &e));
    image[POINTS + 2 * SIDE + 5] = -1;
    REFUSED(MST_ERROR_ARGUMENT, "below 0 at [2, 5] of item 1; ", deconvolve(*state, &d, image, result, NULL, &e));
    wrong = d;
    wrong.method = MST_DECONVOLUTION_WIENER;
    OK(deconvolve(*state, &wrong, image, result, NULL, &e));
#define WRONG(part, setting)                                                                                                     \
    wrong = d;                                                                                                                   \
    setting;                                                                                                                     \
    REFUSED(MST_ERROR_ARGUMENT, part, deconvolve(*state, &wrong, image, result, NULL, &e))
    memcpy(psf, smooth, sizeof psf);
    psf[4] = -1;
    WRONG("psf[4] is -1", wrong.psf = psf);
    psf[4] = INFINITY;
    WRONG("psf[4] is not finite", wrong.psf = psf);
    memset(psf, 0, sizeof psf);
    WRONG("add up to 0", wrong.psf = psf);
    WRONG("psf must not be NULL", wrong.psf = NULL);
    WRONG("psf_shape[1] is 0", wrong.psf_shape[1] = 0);
    WRONG("no axis 3", wrong.axes[1] = 3);
    WRONG("ascend", wrong.axes[1] = -2);
    WRONG("iterations is 0", wrong.iterations = 0);
    WRONG("total_variation is 0.2", wrong.total_variation = 0.2);
    WRONG("tolerance is nan", wrong.tolerance = NAN);
    WRONG("background is -1", wrong.background = -1);
    WRONG("complex64", wrong.image.type = MST_COMPLEX64);
    WRONG("start and weights", (wrong.method = MST_DECONVOLUTION_WIENER, wrong.start = d.image));
    WRONG("balance is -1", (wrong.method = MST_DECONVOLUTION_WIENER, wrong.balance = -1));
    WRONG("order is 3", (wrong.method = MST_DECONVOLUTION_TIKHONOV, wrong.order = 3));
    wrong = d;
    wrong.weights = d.image;
    wrong.weights.shape[1]--;
    REFUSED(MST_ERROR_ARGUMENT, "but weights", deconvolve(*state, &wrong, image, result, NULL, &e));
}

// ---- Point spread functions by formula

// In focus an Airy pattern, (2 J1(v) / v)^2; on the axis (sin(u/4) / (u/4))^2 with u as in the header.
static void formulas(void **state) {
    enum { N = 33 };
    static double psf[9 * N * N];
    static const size_t shape[] = {9, N, N}, odd[] = {4, 6};
    const double sigma[] = {1.5, 2};
    const double pi = acos(-1);
    mst_born_wolf o = MST_BORN_WOLF_INIT, wrong;
    mst_error e;
    double sum = 0;
    (void)state;
    o.aperture = 0.9, o.wavelength = 0.5, o.index = 1.33, o.pixel = 0.07, o.step = 0.3;
    OK(mst_psf_born_wolf(&o, 3, shape, psf, &e));
    const double *middle = psf + 4 * N * N + (N / 2) * N + N / 2;
    for (size_t i = 0; i < 9 * N * N; i++)
        sum += psf[i];
    assert_true(fabs(sum - 1) < 1e-12);
    for (int x = 1; x <= N / 2; x++) {
        double v = 2 * pi / o.wavelength * o.aperture * o.pixel * x, airy = 2 * j1(v) / v;
        CHECK(fabs(middle[x] / middle[0] - airy * airy) < 1e-6, "Airy at %d: %g, not %g", x, middle[x] / middle[0], airy * airy);
        assert_true(middle[-x] == middle[x] && middle[x * N] == middle[x] && middle[-x * N] == middle[x]);
    }
    for (int z = 1; z <= 4; z++) {
        double u = 2 * pi / o.wavelength * z * o.step * o.aperture * o.aperture / o.index, axial = sin(u / 4) / (u / 4);
        CHECK(fabs(middle[z * N * N] / middle[0] - axial * axial) < 1e-6, "axial at %d", z);
        assert_true(middle[-z * N * N] == middle[z * N * N]);
    }
    OK(mst_psf_gaussian(2, sigma, odd, psf, &e));
    assert_true(fabs(psf[3] / psf[2 * 6 + 3] - exp(-4 / (2 * 1.5 * 1.5))) < 1e-12); // [0, 3] and the centre [2, 3]
    wrong = o;
    wrong.aperture = 1.4;
    REFUSED(MST_ERROR_ARGUMENT, "below the index of refraction, 1.33", mst_psf_born_wolf(&wrong, 3, shape, psf, &e));
    REFUSED(MST_ERROR_ARGUMENT, "n_axes is 2 or 3, not 1", mst_psf_born_wolf(&o, 1, shape, psf, &e));
    REFUSED(MST_ERROR_ARGUMENT, "sigma is 0", mst_psf_gaussian(1, (double[]){0}, odd, psf, &e));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems), cmocka_unit_test(gpu_shaped), cmocka_unit_test(tolerance_and_flux),
        cmocka_unit_test(units),           cmocka_unit_test(nothing),    cmocka_unit_test(budgets),
        cmocka_unit_test(masked_pixels),   cmocka_unit_test(refusals),   cmocka_unit_test(formulas),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
