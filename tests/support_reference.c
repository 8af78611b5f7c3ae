// References in higher precision, and the measures that results are held against.
#include "support.h"

#include <fftw3.h>
#include <math.h>

double test_gate(const mst_layout *layout, size_t n) {
    double levels = n > 2 ? log2((double)n) : 1;
    return (test_layout_is_double(layout) ? 1.2e-16 : 6e-8) * sqrt(levels);
}

static int axis_number(const mst_layout *layout, int axis) { return axis < 0 ? axis + layout->rank : axis; }

// ---- FFT ----

// Dense, in place; `which` marks the transformed axes.
#define DEFINE_DENSE_FFT(name, prefix)                                                                                           \
    static void name(prefix##_complex *data, const mst_layout *layout, const bool *which, int sign) {                            \
        prefix##_iodim64 axes[MST_MAX_RANK], batch[MST_MAX_RANK];                                                                \
        int n_axes = 0, n_batch = 0;                                                                                             \
        ptrdiff_t stride = 1;                                                                                                    \
        for (int k = layout->rank - 1; k >= 0; k--) {                                                                            \
            prefix##_iodim64 d = {(ptrdiff_t)layout->shape[k], stride, stride};                                                  \
            stride *= d.n;                                                                                                       \
            if (which[k])                                                                                                        \
                axes[n_axes++] = d;                                                                                              \
            else                                                                                                                 \
                batch[n_batch++] = d;                                                                                            \
        }                                                                                                                        \
        prefix##_plan plan = prefix##_plan_guru64_dft(n_axes, axes, n_batch, batch, data, data, sign, FFTW_ESTIMATE);            \
        CHECK(plan, "FFTW takes no such transform");                                                                             \
        prefix##_execute(plan);                                                                                                  \
        prefix##_destroy_plan(plan);                                                                                             \
    }
DEFINE_DENSE_FFT(dense_fft, fftw)
DEFINE_DENSE_FFT(dense_fft_wide, fftwl)

// Transforms dense values in place, in double or in long double.
static void transform(test_wide *values, size_t count, const mst_layout *layout, const bool *which, int sign, bool wide) {
    if (count == 0)
        return;
    if (wide) {
        fftwl_complex *data = fftwl_malloc(count * sizeof *data);
        CHECK(data, "no memory for %zu values", count);
        memcpy(data, values, count * sizeof *data);
        dense_fft_wide(data, layout, which, sign);
        memcpy(values, data, count * sizeof *data);
        fftwl_free(data);
    } else {
        fftw_complex *data = fftw_malloc(count * sizeof *data);
        CHECK(data, "no memory for %zu values", count);
        for (size_t i = 0; i < count; i++)
            data[i] = (double complex)values[i];
        dense_fft(data, layout, which, sign);
        for (size_t i = 0; i < count; i++)
            values[i] = data[i];
        fftw_free(data);
    }
}

static void marked_axes(const mst_fft_desc *desc, bool *which) {
    memset(which, 0, MST_MAX_RANK * sizeof *which);
    for (int k = 0; k < desc->n_axes; k++)
        which[axis_number(&desc->input, desc->axes[k])] = true;
}

static bool is_real(const mst_layout *layout) { return layout->type == MST_FLOAT32 || layout->type == MST_FLOAT64; }

// Of a real axis of length n, between all n values and the n/2 + 1 that determine them: drops the others, or fills them in.
static test_wide *change_length(test_wide *values, const mst_layout *layout, int axis, size_t length) {
    test_lines from = test_lines_of(layout, axis), to = from;
    to.length = length;
    test_wide *result = malloc((to.length * to.count + 1) * sizeof *result);
    CHECK(result, "no memory");
    for (size_t b = 0; b < to.count; b++)
        for (size_t k = 0; k < to.length; k++) {
            bool mirrored = k >= from.length;
            test_wide v = values[test_line(&from, b, mirrored ? length - k : k)];
            if (length > from.length && (k == 0 || 2 * k == length)) // as NumPy's irfft: their imaginary parts do not count
                v = creall(v);
            result[test_line(&to, b, k)] = mirrored ? conjl(v) : v;
        }
    free(values);
    return result;
}

// Cosine and sine transforms, dense, in place.
#define DEFINE_DENSE_EVEN(name, prefix, real)                                                                                    \
    static void name(test_wide *values, size_t count, const mst_layout *layout, const bool *which, int kind) {                   \
        prefix##_iodim64 axes[MST_MAX_RANK], batch[MST_MAX_RANK];                                                                \
        prefix##_r2r_kind kinds[MST_MAX_RANK];                                                                                   \
        int n_axes = 0, n_batch = 0;                                                                                             \
        ptrdiff_t stride = 1;                                                                                                    \
        real *data = prefix##_malloc((count + 1) * sizeof *data);                                                                \
        CHECK(data, "no memory for %zu values", count);                                                                          \
        for (size_t i = 0; i < count; i++)                                                                                       \
            data[i] = (real)creall(values[i]);                                                                                   \
        for (int k = layout->rank - 1; k >= 0; k--) {                                                                            \
            prefix##_iodim64 d = {(ptrdiff_t)layout->shape[k], stride, stride};                                                  \
            stride *= d.n;                                                                                                       \
            kinds[n_axes] = (prefix##_r2r_kind)kind;                                                                             \
            *(which[k] ? &axes[n_axes++] : &batch[n_batch++]) = d;                                                               \
        }                                                                                                                        \
        prefix##_plan plan = prefix##_plan_guru64_r2r(n_axes, axes, n_batch, batch, data, data, kinds, FFTW_ESTIMATE);           \
        CHECK(plan, "FFTW takes no such transform");                                                                             \
        prefix##_execute(plan);                                                                                                  \
        prefix##_destroy_plan(plan);                                                                                             \
        for (size_t i = 0; i < count; i++)                                                                                       \
            values[i] = data[i];                                                                                                 \
        prefix##_free(data);                                                                                                     \
    }
DEFINE_DENSE_EVEN(dense_even, fftw, double)
DEFINE_DENSE_EVEN(dense_even_wide, fftwl, long double)

// The index of a value along an axis.
static size_t index_along(const mst_layout *layout, size_t i, int axis) {
    for (int k = layout->rank - 1; k > axis; k--)
        i /= layout->shape[k];
    return i % layout->shape[axis];
}

// What a value weighs so that the transform is orthogonal: as SciPy's documentation has it.
static long double even_weight(int kind, bool before, size_t i, size_t n) {
    bool sine = kind >= MST_FFT_DST1;
    int type = sine ? kind - MST_FFT_DST1 + 1 : kind;
    size_t end = sine ? n - 1 : 0;
    if (type == 1 && !sine && (i == 0 || i == n - 1))
        return before ? sqrtl(2) : 1 / sqrtl(2);
    if ((type == 2 && !before && i == end) || (type == 3 && before && i == end))
        return before ? sqrtl(2) : 1 / sqrtl(2);
    return 1;
}

static void weigh(test_wide *values, size_t count, const mst_fft_desc *desc, const bool *which, int kind, bool before) {
    for (int axis = 0; axis < desc->input.rank && desc->orthogonal; axis++)
        for (size_t i = 0; i < count && which[axis]; i++)
            values[i] *= even_weight(kind, before, index_along(&desc->input, i, axis), desc->input.shape[axis]);
}

static void transform_even(test_wide *values, size_t count, const mst_fft_desc *desc, const bool *which, bool wide) {
    static const int kinds[] = {
        0, FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11, FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11};
    static const int inverses[] = {
        0, MST_FFT_DCT1, MST_FFT_DCT3, MST_FFT_DCT2, MST_FFT_DCT4, MST_FFT_DST1, MST_FFT_DST3, MST_FFT_DST2, MST_FFT_DST4};
    int kind = desc->direction == MST_FFT_INVERSE ? inverses[desc->kind] : (int)desc->kind;
    if (count == 0)
        return;
    weigh(values, count, desc, which, kind, true);
    if (wide)
        dense_even_wide(values, count, &desc->input, which, kinds[kind]);
    else
        dense_even(values, count, &desc->input, which, kinds[kind]);
    weigh(values, count, desc, which, kind, false);
    for (size_t i = 0; i < count; i++)
        values[i] *= desc->scale;
}

test_wide *test_fft_reference(const mst_fft_desc *desc, const test_array *input) {
    bool which[MST_MAX_RANK], alone[MST_MAX_RANK] = {false};
    const mst_layout *layout = &desc->input;
    bool wide = test_layout_is_double(layout), real_output = desc->output.rank > 0 && is_real(&desc->output);
    int sign = desc->direction == MST_FFT_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD;
    int last = axis_number(layout, desc->axes[desc->n_axes - 1]);
    test_wide *values = test_array_values(input);
    size_t count = input->elements;
    marked_axes(desc, which);
    if (desc->kind != MST_FFT_FOURIER) {
        transform_even(values, count, desc, which, wide);
        return values;
    }
    if (real_output) // the others first; NumPy's irfftn
        which[last] = false;
    transform(values, count, layout, which, sign, wide);
    if (real_output) {
        values = change_length(values, layout, last, desc->output.shape[last]);
        count = count / layout->shape[last] * desc->output.shape[last];
        alone[last] = true;
        transform(values, count, &desc->output, alone, sign, wide);
    } else if (is_real(layout)) {
        values = change_length(values, layout, last, layout->shape[last] / 2 + 1);
        count = count / layout->shape[last] * (layout->shape[last] / 2 + 1);
    }
    for (size_t i = 0; i < count; i++)
        values[i] = test_complex(creall(values[i]) * desc->scale, real_output ? 0 : cimagl(values[i]) * desc->scale);
    return values;
}

static long double square(test_wide v) { return creall(v) * creall(v) + cimagl(v) * cimagl(v); }

double test_fft_error(const mst_fft_desc *desc, const test_array *output, const test_wide *reference) {
    bool which[MST_MAX_RANK];
    const mst_layout *layout = &output->layout;
    long double total = 0;
    marked_axes(desc, which);
    long double *sums = calloc(2 * output->elements + 2, sizeof *sums); // (error, norm) of each transform
    CHECK(sums, "no memory");
    for (size_t i = 0; i < output->elements; i++) {
        size_t rest = i, batch = 0, weight = 1;
        for (int k = layout->rank - 1; k >= 0; k--) {
            size_t index = rest % layout->shape[k];
            rest /= layout->shape[k];
            if (!which[k]) {
                batch += index * weight;
                weight *= layout->shape[k];
            }
        }
        sums[2 * batch] += square(test_array_get(output, i) - reference[i]);
        sums[2 * batch + 1] += square(reference[i]);
    }
    size_t count = 0;
    for (size_t b = 0; b < output->elements; b++)
        if (sums[2 * b + 1] != 0) { // a NaN goes in
            total += sums[2 * b] / sums[2 * b + 1];
            count++;
        } else if (sums[2 * b] != 0) {
            total = (long double)INFINITY; // zeros must stay zeros
        }
    free(sums);
    return (double)sqrtl(total / (long double)(count ? count : 1));
}

// ---- convolution ----

test_lines test_lines_of(const mst_layout *layout, int axis) {
    int a = axis_number(layout, axis);
    test_lines l = {.length = layout->shape[a], .inner = 1, .count = 1};
    for (int k = 0; k < layout->rank; k++) {
        if (k > a)
            l.inner *= layout->shape[k];
        if (k != a)
            l.count *= layout->shape[k];
    }
    return l;
}

static void full_direct(const test_wide *x, size_t n, const test_wide *y, size_t m, test_wide *full) {
    for (size_t k = 0; k < n + m - 1; k++) {
        long double re = 0, im = 0;
        for (size_t i = k < m ? 0 : k - m + 1; i < n && i <= k; i++) {
            long double a = creall(x[i]), b = cimagl(x[i]), c = creall(y[k - i]), d = cimagl(y[k - i]);
            re += a * c - b * d;
            im += a * d + b * c;
        }
        full[k] = test_complex(re, im);
    }
}

static void full_by_fft(const test_wide *x, size_t n, const test_wide *y, size_t m, test_wide *full, bool wide) {
    size_t length = 1;
    const bool which[MST_MAX_RANK] = {true};
    while (length < n + m - 1)
        length *= 2;
    mst_layout layout = mst_layout_dense(MST_COMPLEX128, 1, &length);
    test_wide *a = calloc(2 * length, sizeof *a);
    CHECK(a, "no memory");
    test_wide *b = a + length;
    memcpy(a, x, n * sizeof *a);
    memcpy(b, y, m * sizeof *b);
    transform(a, length, &layout, which, FFTW_FORWARD, wide);
    transform(b, length, &layout, which, FFTW_FORWARD, wide);
    for (size_t i = 0; i < length; i++)
        a[i] = a[i] * b[i] / (long double)length;
    transform(a, length, &layout, which, FFTW_BACKWARD, wide);
    memcpy(full, a, (n + m - 1) * sizeof *full);
    free(a);
}

// One vector: z[0..count) from x and y, in the terms of convolution.h.
static void one_vector(const mst_convolution_desc *desc, const test_wide *x, size_t n, test_wide *y, size_t m, test_wide *z,
                       size_t count, bool wide) {
    bool circular = desc->mode == MST_CONVOLUTION_CIRCULAR;
    test_wide *full = malloc((n + m) * sizeof *full);
    test_wide *kernel = malloc(m * sizeof *kernel);
    CHECK(full && kernel, "no memory");
    for (size_t j = 0; j < m; j++) // correlation is convolution with the conjugate of y, reversed about 0 or about its end
        kernel[j] = !desc->correlate ? y[j] : conjl(circular ? y[(m - j) % m] : y[m - 1 - j]);
    if ((double)n * (double)m <= 65536)
        full_direct(x, n, kernel, m, full);
    else
        full_by_fft(x, n, kernel, m, full, wide);
    size_t first = desc->mode == MST_CONVOLUTION_SAME    ? (m - 1) / 2
                   : desc->mode == MST_CONVOLUTION_VALID ? (n < m ? n : m) - 1
                                                         : 0;
    for (size_t k = 0; k < count; k++)
        z[k] = full[first + k] + (circular && k + n < n + m - 1 ? full[k + n] : 0);
    free(kernel);
    free(full);
}

test_wide *test_convolution_reference(const mst_convolution_desc *desc, const test_array *x, const test_array *y,
                                      const mst_layout *z, long double *norms) {
    test_lines lx = test_lines_of(&x->layout, desc->axes[0]), ly = test_lines_of(&y->layout, desc->axes[0]);
    test_lines lz = test_lines_of(z, desc->axes[0]);
    test_wide *a = test_array_values(x), *b = test_array_values(y);
    test_wide *result = malloc((lz.length * lz.count + 1) * sizeof *result);
    test_wide *buffer = malloc((lx.length + ly.length + lz.length + 1) * sizeof *buffer);
    CHECK(result && buffer, "no memory");
    test_wide *u = buffer, *v = u + lx.length, *w = v + ly.length;
    for (size_t i = 0; i < lz.count && lz.length > 0; i++) {
        long double xx = 0, yy = 0;
        for (size_t k = 0; k < lx.length; k++)
            xx += square(u[k] = a[test_line(&lx, lx.count == 1 ? 0 : i, k)]);
        for (size_t k = 0; k < ly.length; k++)
            yy += square(v[k] = b[test_line(&ly, ly.count == 1 ? 0 : i, k)]);
        one_vector(desc, u, lx.length, v, ly.length, w, lz.length, test_layout_is_double(z));
        for (size_t k = 0; k < lz.length; k++)
            result[test_line(&lz, i, k)] = w[k];
        if (norms)
            norms[i] = sqrtl(xx) * sqrtl(yy);
    }
    free(buffer);
    free(a);
    free(b);
    return result;
}

double test_convolution_error(const test_array *z, int axis, const test_wide *reference, const long double *norms,
                              size_t *worst) {
    test_lines l = test_lines_of(&z->layout, axis);
    long double total = 0, most = 0;
    *worst = 0;
    for (size_t b = 0; b < l.count; b++) {
        long double sum = 0;
        for (size_t k = 0; k < l.length; k++)
            sum += square(test_array_get(z, test_line(&l, b, k)) - reference[test_line(&l, b, k)]);
        long double relative = sum == 0 ? 0 : sum / (norms[b] * norms[b]);
        total += relative;
        if (!(relative <= most)) {
            most = relative;
            *worst = b;
        }
    }
    return (double)sqrtl(total / (long double)(l.count ? l.count : 1));
}
