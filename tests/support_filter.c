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

static long double own_mask(const mst_filter_desc *d, long double fy, long double fx) {
    long h = (long)d->mask_height, w = (long)d->mask_width;
    long double y = fy * h + h / 2, x = fx * w + w / 2, sum = 0;
    if (fabsl(y - rintl(y)) < 1e-9L)
        y = rintl(y);
    if (fabsl(x - rintl(x)) < 1e-9L)
        x = rintl(x);
    for (int corner = 0; corner < 4; corner++) {
        long i = (long)floorl(y) + corner / 2, j = (long)floorl(x) + corner % 2;
        long double weight = (1 - fabsl(y - i)) * (1 - fabsl(x - j));
        sum += weight * d->mask[((i % h + h) % h) * w + (j % w + w) % w];
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

static long double mask(const mst_filter_desc *d, long double fy, long double fx) {
    long double square = around(fx) * around(fx) + around(fy) * around(fy), kept = 1;
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
        return (own_mask(d, fy, fx) + own_mask(d, -fy, -fx)) / 2;
    case MST_FILTER_SHARPEN:
        return 1 + d->amount * (1 - rolloff(d, square, d->radius));
    case MST_FILTER_LAPLACIAN:
        return expl(1) / 2 * square / ((long double)d->radius * d->radius) *
               expl(-square / (2 * (long double)d->radius * d->radius));
    case MST_FILTER_STRIPES:
        return (stripes(d, square, around(fy), around(fx)) + stripes(d, square, around(-fy), around(-fx))) / 2;
    case MST_FILTER_NOTCH:
        break;
    }
    for (size_t i = 0; i < d->n_notches; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            long double x = around(fx - sign * (long double)d->notches[i].x),
                        y = around(fy - sign * (long double)d->notches[i].y);
            kept *= 1 - rolloff(d, x * x + y * y, d->notches[i].radius);
        }
    return kept;
}

// ---- one plane of p x q numbers, in place

static void filter_plane(const mst_filter_desc *d, size_t p, size_t q, fftw_complex *plane) {
    fftw_plan there = fftw_plan_dft_2d((int)p, (int)q, plane, plane, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_plan back = fftw_plan_dft_2d((int)p, (int)q, plane, plane, FFTW_BACKWARD, FFTW_ESTIMATE);
    fftw_execute(there);
    for (size_t k = 0; k < p; k++)
        for (size_t l = 0; l < q; l++) {
            double factor = (double)(mask(d, (long double)k / (long double)p, (long double)l / (long double)q) / (p * q));
            plane[k * q + l] *= factor;
        }
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
    size_t colours = n - (d->alpha ? 1 : 0), twice = d->edges == MST_FILTER_WRAP ? 1 : 2, p = twice * h, q = twice * w;
    fftw_complex *plane = fftw_malloc(p * q * sizeof *plane);
    double low = 0, high = 0;
    for (size_t c = 0; c < n; c++) {
        for (size_t i = 0; i < p * q; i++) {
            size_t y = i / q, x = i % q;
            bool inside = y < h && x < w;
            y = y < h ? y : 2 * h - 1 - y;
            x = x < w ? x : 2 * w - 1 - x;
            plane[i] =
                inside || d->edges == MST_FILTER_REFLECT ? (double)creall(test_array_get(input, first + (y * w + x) * n + c)) : 0;
        }
        if (c < colours)
            filter_plane(d, p, q, plane);
        for (size_t i = 0; i < h * w; i++) {
            double r = results[first + i * n + c] = creal(plane[i / w * q + i % w]);
            if (c < colours) {
                low = fmin(low, r);
                high = fmax(high, r);
            }
        }
    }
    double largest = d->input.type == MST_UINT8 ? 255 : d->input.type == MST_UINT16 ? 65535 : 1;
    for (size_t i = 0; i < h * w * n; i++)
        if (i % n < colours)
            results[first + i] = output_value(d, results[first + i], low, high, d->white > 0 ? d->white : largest,
                                              d->white > 0 || d->input.type != MST_FLOAT32);
    fftw_free(plane);
}

double *test_filter_reference(const mst_filter_desc *desc, const test_array *input) {
    mst_filter_desc d = *desc;
    const size_t *sides = d.input.shape + d.input.rank - 3;
    size_t image = sides[0] * sides[1] * sides[2];
    double *results = calloc(input->elements + 1, sizeof *results);
    if (d.output_as == MST_FILTER_AUTO_OUTPUT)
        d.output_as = mask(&d, 0, 0) != 0 || d.kind == MST_FILTER_NOTCH ? MST_FILTER_CLIP : MST_FILTER_MAGNITUDE;
    for (size_t first = 0; first < input->elements; first += image)
        filter_image(&d, input, first, results);
    return results;
}

test_array test_filter_images(const mst_layout *layout) {
    test_array images = test_array_random(layout);
    for (size_t i = 0; i < images.elements && layout->type == MST_FLOAT32; i++)
        test_array_set(&images, i, test_complex((test_uniform() + 1) / 2, 0));
    return images;
}

static const char *describe(const mst_filter_desc *d) {
    static char text[300];
    snprintf(text, sizeof text, "%s: kind %d, roll-off %d, edges %d, output %d, algorithm %d, shape %d, radius %.4g, white %g",
             test_layout_text(&d->input), (int)d->kind, (int)d->rolloff, (int)d->edges, (int)d->output_as, (int)d->algorithm,
             (int)d->shape, d->radius, d->white);
    return text;
}

void test_filter_compare(const mst_filter_desc *desc, const test_array *output, const double *reference) {
    mst_type in = desc->input.type, out = output->layout.type;
    double allowed = out == MST_UINT8 ? 0.501 : out == MST_UINT16 ? 2 : in == MST_UINT8 ? 1e-3 : in == MST_UINT16 ? 2 : 2e-5;
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
