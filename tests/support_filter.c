#include "support_filter.h"

#include <fftw3.h>
#include <math.h>

mst_filter_desc test_filter_desc(mst_type type, int rank, const size_t *shape) {
    mst_filter_desc desc = MST_FILTER_DESC_INIT;
    desc.input = mst_layout_dense(type, rank, shape);
    desc.radius = 0.125;
    desc.radius2 = 0.3;
    return desc;
}

test_array test_filter_run(mst_context *context, const mst_filter_desc *desc, const test_array *input, mst_place from,
                           mst_place to) {
    mst_error e;
    mst_filter *plan = NULL;
    OK(mst_filter_create(context, desc, &plan, &e));
    mst_layout layout = desc->output.rank ? desc->output : mst_filter_result(plan);
    test_array output = test_array_new(&layout);
    test_placed in = test_place(context, from, input), out = test_place(context, to, &output);
    OK(mst_filter_execute(plan, in.at, out.at, NULL, &e));
    mst_filter_destroy(plan);
    test_collect_input(&in, input);
    test_collect_output(&out, &output);
    return output;
}

// ---- the mask, by its definition, at the signed frequency (k / p, l / q)

static long double rolloff(const mst_filter_desc *d, long double square, long double radius) {
    long double ratio = square / (radius * radius);
    switch (d->rolloff) {
    case MST_FILTER_IDEAL:
        return ratio < 1 - 1e-12L;
    case MST_FILTER_GAUSSIAN:
        return expl(-ratio / 2);
    case MST_FILTER_BUTTERWORTH:
        break;
    }
    return 1 / (1 + powl(ratio, d->order));
}

static long double around(long double f) { return f - rintl(f); }

static long double snapped(long double v) { return fabsl(v - rintl(v)) < 1e-9L ? rintl(v) : v; }

static long double own_mask(const mst_filter_desc *d, long double fz, long double fy, long double fx) {
    long t = d->mask_depth ? (long)d->mask_depth : 1, h = (long)d->mask_height, w = (long)d->mask_width;
    long double z = snapped(fz * t + t / 2), y = snapped(fy * h + h / 2), x = snapped(fx * w + w / 2), sum = 0;
    for (int corner = 0; corner < 8; corner++) {
        long m = (long)floorl(z) + corner / 4, i = (long)floorl(y) + corner / 2 % 2, j = (long)floorl(x) + corner % 2;
        long double weight = (1 - fabsl(z - m)) * (1 - fabsl(y - i)) * (1 - fabsl(x - j));
        sum += weight * d->mask[(((m % t + t) % t) * h + (i % h + h) % h) * w + (j % w + w) % w];
    }
    return sum;
}

// By the sine of the angle between a frequency and the direction across the stripes, (-sin, -cos) in x and y downwards.
static long double stripes(const mst_filter_desc *d, long double square, long double y, long double x) {
    long double degree = acosl(-1) / 180, angle = d->angle * degree;
    if (square == 0)
        return 1;
    long double sine = fabsl(x * cosl(angle) - y * sinl(angle)) / sqrtl(square), off = asinl(sine > 1 ? 1 : sine) / degree;
    return 1 - rolloff(d, off * off, d->angle_width) * (1 - rolloff(d, square, d->radius));
}

static long double mask(const mst_filter_desc *d, long double fz, long double fy, long double fx) {
    long double square = around(fx) * around(fx) + around(fy) * around(fy) + around(fz) * around(fz), kept = 1;
    switch (d->kind) {
    case MST_FILTER_LOW_PASS:
        return rolloff(d, square, d->radius);
    case MST_FILTER_HIGH_PASS:
        return 1 - rolloff(d, square, d->radius);
    case MST_FILTER_BAND_PASS:
        return rolloff(d, square, d->radius2) * (1 - rolloff(d, square, d->radius));
    case MST_FILTER_BAND_STOP:
        return 1 - rolloff(d, square, d->radius2) * (1 - rolloff(d, square, d->radius));
    case MST_FILTER_MASK:
        return (own_mask(d, fz, fy, fx) + own_mask(d, -fz, -fy, -fx)) / 2;
    case MST_FILTER_SHARPEN:
        return 1 + d->amount * (1 - rolloff(d, square, d->radius));
    case MST_FILTER_LAPLACIAN:
        return expl(1) / 2 * square / ((long double)d->radius * d->radius) *
               expl(-square / (2 * (long double)d->radius * d->radius));
    case MST_FILTER_STRIPES:
        return (stripes(d, square, around(fy), around(fx)) + stripes(d, square, around(-fy), around(-fx))) / 2;
    case MST_FILTER_WIENER:
        return 1; // at frequency 0
    case MST_FILTER_NOTCH:
        break;
    }
    for (size_t i = 0; i < d->n_notches; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            long double x = around(fx - sign * (long double)d->notches[i].x),
                        y = around(fy - sign * (long double)d->notches[i].y),
                        z = d->volume ? around(fz - sign * (long double)d->notches[i].z) : 0;
            kept *= 1 - rolloff(d, x * x + y * y + z * z, d->notches[i].radius);
        }
    return kept;
}

// ---- one volume of n[0] x n[1] x n[2] numbers, in place

static size_t at_of(const size_t n[3], const long i[3]) { return (((size_t)i[0]) * n[1] + (size_t)i[1]) * n[2] + (size_t)i[2]; }

// Where frequency k of n along an axis is found that goes on beyond its ends: around, or mirrored at 0 and at half, the spectrum
// being of an image that was mirrored to twice its length.
static long beyond(long k, long n, bool is_mirrored) {
    if (!is_mirrored)
        return (k % n + n) % n;
    k = labs(k);
    k = k < n / 2 ? k : n - 1 - k;
    return k < 0 ? 0 : k > n / 2 - 1 ? n / 2 - 1 : k;
}

static double power(const fftw_complex *f, const size_t n[3], const long i[3], bool is_mirrored) {
    double value = pow(cabs(f[at_of(n, i)]), 2);
    for (int axis = 0; axis < 3 && is_mirrored; axis++)
        value /= n[axis] > 1 && i[axis] == 0 ? 2 : 1;
    return i[0] == 0 && i[1] == 0 && i[2] == 0 ? 0 : value;
}

// The Wiener filter's mask at a frequency. The image has so many pixels before it is continued.
static double wiener(const mst_filter_desc *d, const fftw_complex *f, const size_t n[3], const long i[3], double pixels) {
    const bool is_mirrored = d->edges == MST_FILTER_REFLECT;
    const long reach[] = {d->volume ? 4 : 0, 4, 4};
    double sum = 0, count = 0, noise = d->noise * d->noise * pixels * (is_mirrored ? (d->volume ? 8 : 4) : 1);
    long k[3], at[3];
    for (int axis = 0; axis < 3; axis++) // the other half is the same
        k[axis] = is_mirrored && i[axis] > (long)n[axis] / 2 ? (long)n[axis] - i[axis] : i[axis];
    for (long z = -reach[0]; z <= reach[0]; z++)
        for (long y = -reach[1]; y <= reach[1]; y++)
            for (long x = -reach[2]; x <= reach[2]; x++, count++) {
                at[0] = d->volume ? beyond(k[0] + z, (long)n[0], is_mirrored) : 0;
                at[1] = beyond(k[1] + y, (long)n[1], is_mirrored);
                at[2] = beyond(k[2] + x, (long)n[2], is_mirrored);
                sum += power(f, n, at, is_mirrored);
            }
    return i[0] == 0 && i[1] == 0 && i[2] == 0 ? 1 : sum / count > noise ? 1 - noise * count / sum : 0;
}

static void filter_plane(const mst_filter_desc *d, const size_t n[3], double pixels, fftw_complex *plane) {
    const size_t count = n[0] * n[1] * n[2];
    fftw_plan there = fftw_plan_dft_3d((int)n[0], (int)n[1], (int)n[2], plane, plane, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_plan back = fftw_plan_dft_3d((int)n[0], (int)n[1], (int)n[2], plane, plane, FFTW_BACKWARD, FFTW_ESTIMATE);
    double *factors = malloc(count * sizeof *factors);
    fftw_execute(there);
    for (size_t i = 0; i < count; i++) {
        const long at[] = {(long)(i / n[2] / n[1]), (long)(i / n[2] % n[1]), (long)(i % n[2])};
        factors[i] = d->kind == MST_FILTER_WIENER
                         ? wiener(d, plane, n, at, pixels)
                         : (double)mask(d, at[0] / (long double)n[0], at[1] / (long double)n[1], at[2] / (long double)n[2]);
    }
    for (size_t i = 0; i < count; i++)
        plane[i] *= factors[i] / (double)count;
    free(factors);
    fftw_execute(back);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
}

static double output_value(const mst_filter_desc *d, double r, double low, double high, double white, bool limited) {
    switch (d->output_as) {
    case MST_FILTER_STRETCH:
        return high > low ? (r - low) * white / (high - low) : 0;
    case MST_FILTER_MAGNITUDE:
        return fmax(-low, high) > 0 ? fabs(r) * white / fmax(-low, high) : 0;
    case MST_FILTER_CLIP:
        return limited ? fmin(fmax(r, 0), white) : r;
    case MST_FILTER_RAW:
    case MST_FILTER_AUTO_OUTPUT:
        break;
    }
    return r;
}

static void filter_image(const mst_filter_desc *d, const test_array *input, size_t first, double *results) {
    int rank = d->input.rank;
    size_t h = d->input.shape[rank - 3], w = d->input.shape[rank - 2], n = d->input.shape[rank - 1];
    size_t depth = d->volume ? d->input.shape[rank - 4] : 1;
    size_t colours = n - (d->alpha ? 1 : 0), twice = d->edges == MST_FILTER_WRAP ? 1 : 2, p = twice * h, q = twice * w;
    const size_t sides[] = {d->volume ? twice * depth : 1, p, q};
    fftw_complex *plane = fftw_malloc(sides[0] * p * q * sizeof *plane);
    double low = 0, high = 0;
    for (size_t c = 0; c < n; c++) {
        for (size_t i = 0; i < sides[0] * p * q; i++) {
            size_t z = i / q / p, y = i / q % p, x = i % q;
            bool inside = z < depth && y < h && x < w;
            z = z < depth ? z : 2 * depth - 1 - z;
            y = y < h ? y : 2 * h - 1 - y;
            x = x < w ? x : 2 * w - 1 - x;
            plane[i] = inside || d->edges == MST_FILTER_REFLECT
                           ? (double)creall(test_array_get(input, first + ((z * h + y) * w + x) * n + c))
                           : 0;
        }
        if (c < colours)
            filter_plane(d, sides, (double)(depth * h * w), plane);
        for (size_t i = 0; i < depth * h * w; i++) {
            double r = results[first + i * n + c] = creal(plane[(i / w / h * p + i / w % h) * q + i % w]);
            if (c < colours) {
                low = fmin(low, r);
                high = fmax(high, r);
            }
        }
    }
    double largest = d->input.type == MST_UINT8 ? 255 : d->input.type == MST_UINT16 ? 65535 : 1;
    for (size_t i = 0; i < depth * h * w * n; i++)
        if (i % n < colours)
            results[first + i] = output_value(d, results[first + i], low, high, d->white > 0 ? d->white : largest,
                                              d->white > 0 || (d->input.type != MST_FLOAT32 && d->input.type != MST_FLOAT64));
    fftw_free(plane);
}

double *test_filter_reference(const mst_filter_desc *desc, const test_array *input) {
    mst_filter_desc d = *desc;
    const size_t *sides = d.input.shape + d.input.rank - 3;
    size_t image = sides[0] * sides[1] * sides[2] * (d.volume ? sides[-1] : 1);
    double *results = calloc(input->elements + 1, sizeof *results);
    if (d.output_as == MST_FILTER_AUTO_OUTPUT)
        d.output_as = mask(&d, 0, 0, 0) != 0 || d.kind == MST_FILTER_NOTCH ? MST_FILTER_CLIP : MST_FILTER_MAGNITUDE;
    for (size_t first = 0; first < input->elements; first += image)
        filter_image(&d, input, first, results);
    return results;
}

test_array test_filter_images(const mst_layout *layout) {
    test_array images = test_array_random(layout);
    for (size_t i = 0; i < images.elements && (layout->type == MST_FLOAT32 || layout->type == MST_FLOAT64); i++)
        test_array_set(&images, i, test_complex((test_uniform() + 1) / 2, 0));
    return images;
}

static const char *describe(const mst_filter_desc *d) {
    static char text[300];
    snprintf(text, sizeof text, "%s%s: kind %d, roll-off %d, edges %d, output %d, algorithm %d, shape %d, radius %.4g, white %g",
             d->volume ? "volume " : "", test_layout_text(&d->input), (int)d->kind, (int)d->rolloff, (int)d->edges,
             (int)d->output_as, (int)d->algorithm, (int)d->shape, d->radius, d->white);
    return text;
}

void test_filter_compare(const mst_filter_desc *desc, const test_array *output, const double *reference) {
    mst_type in = desc->input.type, out = output->layout.type;
    double allowed = out == MST_FLOAT64  ? 1e-12 * (in == MST_UINT8    ? 255
                                                    : in == MST_UINT16 ? 65535
                                                                       : 1)
                     : out == MST_UINT8  ? 0.501
                     : out == MST_UINT16 ? 2
                     : in == MST_UINT8   ? 1e-3
                     : in == MST_UINT16  ? 2
                                         : 2e-6;
    for (size_t i = 0; i < output->elements; i++) {
        double got = (double)creall(test_array_get(output, i));
        CHECK(fabs(got - reference[i]) <= allowed, "%s: element %zu is %.9g, not %.9g", describe(desc), i, got, reference[i]);
    }
}

void test_filter_check(mst_context *context, const mst_filter_desc *desc, mst_place from, mst_place to) {
    test_array images = test_filter_images(&desc->input);
    test_array output = test_filter_run(context, desc, &images, from, to);
    double *reference = test_filter_reference(desc, &images);
    test_filter_compare(desc, &output, reference);
    free(reference);
    test_array_free(&output);
    test_array_free(&images);
}
