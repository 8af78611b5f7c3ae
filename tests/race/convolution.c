#include "race.h"

// Element k of the full convolution or correlation of x[n] with y[m], as convolution.h defines them.
static number direct(const mst_convolution_desc *desc, const void *x, size_t n, const void *y, size_t m, size_t k) {
    number sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const size_t j = desc->correlate ? i + m - 1 - k : k - i; // wraps to a huge number where negative
        if (j < m) {
            const number v = get(y, desc->y.type, j);
            sum += get(x, desc->x.type, i) * (desc->correlate ? conj(v) : v);
        }
    }
    return sum;
}

static number direct_circular(const mst_convolution_desc *desc, const void *x, const void *y, size_t n, size_t k) {
    number sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += desc->correlate ? get(x, desc->x.type, (i + k) % n) * conj(get(y, desc->y.type, i))
                               : get(x, desc->x.type, i) * get(y, desc->y.type, (k + n - i) % n);
    return sum;
}

static void vectors(mst_context *context, const mst_convolution_desc *desc) {
    static double complex x[MAX_VALUES], y[MAX_VALUES], z[MAX_VALUES];
    mst_error error;
    mst_convolution *plan;
    mst_layout result;
    const size_t n = desc->x.shape[1], m = desc->y.shape[1], batch = desc->x.shape[0];
    fill(x, desc->x.type, batch * n, 0.2);
    fill(y, desc->y.type, desc->y.shape[0] * m, 0.3);
    check(mst_convolution_result(desc, &result, &error), &error);
    check(mst_convolution_create(context, desc, &plan, &error), &error);
    check(mst_convolution_execute(plan, mst_at_host(x), mst_at_host(y), mst_at_host(z), NULL, &error), &error);
    mst_convolution_destroy(plan);

    size_t first = 0;
    if (desc->mode == MST_CONVOLUTION_SAME)
        first = (m - 1) / 2;
    else if (desc->mode == MST_CONVOLUTION_VALID)
        first = (n < m ? n : m) - 1;
    for (size_t b = 0; b < batch; b++) {
        const char *xb = (const char *)x + b * n * mst_type_bytes(desc->x.type);
        const char *yb = (const char *)y + (desc->y.shape[0] == 1 ? 0 : b * m * mst_type_bytes(desc->y.type));
        for (size_t k = 0; k < result.shape[1]; k++)
            expect(mst_convolution_algorithm_name(desc->algorithm), result.type, get(z, result.type, b * result.shape[1] + k),
                   desc->mode == MST_CONVOLUTION_CIRCULAR ? direct_circular(desc, xb, yb, n, k)
                                                          : direct(desc, xb, n, yb, m, first + k));
    }
}

// Images [2][5][4] with one kernel [3][2] for both, or, circular, one [5][4] each.
static void images(mst_context *context, mst_convolution_desc *desc, mst_type type) {
    static double complex x[MAX_VALUES], y[MAX_VALUES], z[MAX_VALUES];
    const bool circular = desc->mode == MST_CONVOLUTION_CIRCULAR;
    const size_t n[] = {5, 4}, m[] = {circular ? 5 : 3, circular ? 4 : 2}, n_kernels = circular ? 2 : 1;
    mst_error error;
    mst_convolution *plan;
    mst_layout result;
    desc->x = mst_layout_dense(type, 3, (const size_t[]){2, n[0], n[1]});
    desc->y = mst_layout_dense(type, 3, (const size_t[]){n_kernels, m[0], m[1]});
    desc->n_axes = 2, desc->axes[0] = 1, desc->axes[1] = 2;
    fill(x, type, 2 * n[0] * n[1], 0.2);
    fill(y, type, n_kernels * m[0] * m[1], 0.3);
    check(mst_convolution_result(desc, &result, &error), &error);
    check(mst_convolution_create(context, desc, &plan, &error), &error);
    check(mst_convolution_execute(plan, mst_at_host(x), mst_at_host(y), mst_at_host(z), NULL, &error), &error);
    mst_convolution_destroy(plan);
    for (size_t i = 0; i < result.shape[0] * result.shape[1] * result.shape[2]; i++) {
        size_t at[] = {i / result.shape[2] % result.shape[1], i % result.shape[2]}, image = i / result.shape[2] / result.shape[1];
        number sum = 0.0;
        for (size_t p = 0; p < n[0] * n[1]; p++) {
            const size_t from[] = {p / n[1], p % n[1]};
            size_t q[2];
            for (int a = 0; a < 2; a++) {
                const size_t first = desc->mode == MST_CONVOLUTION_SAME    ? (m[a] - 1) / 2
                                     : desc->mode == MST_CONVOLUTION_VALID ? m[a] - 1
                                                                           : 0;
                if (circular)
                    q[a] = (desc->correlate ? from[a] + n[a] - at[a] : at[a] + n[a] - from[a]) % n[a];
                else
                    q[a] = desc->correlate ? from[a] + m[a] - 1 - first - at[a] : at[a] + first - from[a];
            }
            if (q[0] >= m[0] || q[1] >= m[1]) // also what wrapped below 0
                continue;
            const number v = get(y, type, (n_kernels == 1 ? 0 : image) * m[0] * m[1] + q[0] * m[1] + q[1]);
            sum += get(x, type, image * n[0] * n[1] + p) * (desc->correlate ? conj(v) : v);
        }
        expect("images", result.type, get(z, result.type, i), sum);
    }
}

enum {
    N_MODES = 4,
    N_TYPES = 4,
    N_ALGORITHMS = 7, // the published ones, and fused in either shape
    N_VECTORS = N_ALGORITHMS * N_MODES * N_TYPES,
    N_IMAGES = 2 * N_MODES * 2
};

// Fused, GPU-shaped, with exchanges through local memory: of two operands in two areas; of one whose spectrum is kept, in one; in
// overlapping blocks; and with columns before the rows, since a vector does not fit local memory.
static const struct {
    size_t batch, n, n_kernels, m;
    mst_type type;
} exchanges[] = {{2, 200, 2, 40, MST_COMPLEX64},
                 {2, 100, 1, 20, MST_FLOAT32},
                 {1, 3000, 1, 9, MST_COMPLEX64},
                 {1, 1990, 1, 1980, MST_COMPLEX128}};
enum { N_EXCHANGES = sizeof exchanges / sizeof exchanges[0] };

static void exchange(mst_context *context, int c) {
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    desc.algorithm = MST_CONVOLUTION_FUSED;
    desc.shape = MST_FFT_SHAPE_GPU;
    desc.mode = c < 2 ? MST_CONVOLUTION_SAME : MST_CONVOLUTION_FULL;
    desc.x = mst_layout_dense(exchanges[c].type, 2, (const size_t[]){exchanges[c].batch, exchanges[c].n});
    desc.y = mst_layout_dense(exchanges[c].type, 2, (const size_t[]){exchanges[c].n_kernels, exchanges[c].m});
    vectors(context, &desc);
}

static void run(mst_context *context, int c) {
    static const mst_type types[] = {MST_FLOAT32, MST_FLOAT64, MST_COMPLEX64, MST_COMPLEX128};
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    if (c >= N_VECTORS + N_IMAGES) {
        exchange(context, c - N_VECTORS - N_IMAGES);
        return;
    }
    if (c >= N_VECTORS) {
        c -= N_VECTORS;
        desc.mode = (mst_convolution_mode)(c % N_MODES);
        desc.shape = c / N_MODES % 2 ? MST_FFT_SHAPE_CPU : MST_FFT_SHAPE_GPU;
        desc.correlate = c % 2;
        images(context, &desc, c < N_IMAGES / 2 ? MST_FLOAT32 : MST_COMPLEX64);
        return;
    }
    const int t = c % N_TYPES, a = c / N_TYPES / N_MODES;
    desc.algorithm = (mst_convolution_algorithm)(MST_CONVOLUTION_PAPER_A + (a < N_ALGORITHMS - 1 ? a : a - 1));
    desc.shape = a < N_ALGORITHMS - 1 ? MST_FFT_SHAPE_GPU : MST_FFT_SHAPE_CPU;
    desc.mode = (mst_convolution_mode)(c / N_TYPES % N_MODES);
    desc.correlate = t == 1 || t == 2;
    const size_t n = 5, m = desc.mode == MST_CONVOLUTION_CIRCULAR ? 5 : 4, n_kernels = t % 2 ? 1 : 2;
    desc.x = mst_layout_dense(types[t], 2, (const size_t[]){2, n});
    desc.y = mst_layout_dense(types[t], 2, (const size_t[]){n_kernels, m});
    vectors(context, &desc);
}

const race_cases race_convolution = {N_VECTORS + N_IMAGES + N_EXCHANGES, run};
