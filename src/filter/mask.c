// Masks. They are made of discs, circles in the periodic plane of frequencies, and each disc of two short tables, one along
// either axis: with an exponential or a sum of squares the roll-off separates, and for the ideal one the distances along the
// width are ranked, so that the comparison on the device is one of whole numbers and as exact as the host's.
#include "mask.h"

#include "runtime/queue.h"

#include <math.h>
#include <stdlib.h>

#define ON_CIRCLE 1e-12 // squares of distances this near, relatively, count as equal

typedef struct disc {
    double x, y, radius;
} disc;

static size_t half(const mst_filter *plan) { return mst_mask_columns(plan); }

// |k / n - centre|, the shorter way round.
static double distance(size_t k, size_t n, double centre) {
    double d = (double)k / (double)n - centre;
    return fabs(d - rint(d));
}

static int by_distance(const void *a, const void *b) {
    double x = **(const double *const *)a, y = **(const double *const *)b;
    return (x > y) - (x < y);
}

// columns[l]: the rank of the distance along the width; rows[k]: how many ranks lie inside.
static mst_status fill_ideal(const mst_filter *plan, const disc *d, float *columns, float *rows, mst_error *error) {
    mst_status status = MST_OK;
    size_t n = half(plan);
    double limit = d->radius * d->radius * (1 - ON_CIRCLE), *distances = malloc(n * sizeof *distances);
    const double **ranked = malloc(n * sizeof *ranked);
    MST_REQUIRE(distances && ranked, MST_ERROR_HOST_MEMORY, "out of memory for a mask");
    for (size_t l = 0; l < n; l++) {
        distances[l] = distance(l, plan->period_q, d->x);
        ranked[l] = &distances[l];
    }
    qsort(ranked, n, sizeof *ranked, by_distance);
    for (size_t r = 0; r < n; r++)
        columns[ranked[r] - distances] = (float)r;
    for (size_t k = 0; k < mst_mask_rows(plan); k++) {
        double y = distance(k, plan->period_p, d->y), left = limit - y * y;
        size_t low = 0, high = n; // the first rank outside
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (*ranked[middle] * *ranked[middle] < left)
                low = middle + 1;
            else
                high = middle;
        }
        rows[k] = (float)low;
    }
fail:
    free(distances);
    free(ranked);
    return status;
}

static float smooth(const mst_filter *plan, double distance_in_radii) {
    double square = distance_in_radii * distance_in_radii;
    return (float)(plan->desc.rolloff == MST_FILTER_GAUSSIAN ? exp(-square / 2) : square);
}

static mst_status fill_disc(const mst_filter *plan, const disc *d, float *columns, mst_error *error) {
    float *rows = columns + half(plan);
    if (plan->desc.rolloff == MST_FILTER_IDEAL)
        return fill_ideal(plan, d, columns, rows, error);
    for (size_t l = 0; l < half(plan); l++)
        columns[l] = smooth(plan, distance(l, plan->period_q, d->x) / d->radius);
    for (size_t k = 0; k < mst_mask_rows(plan); k++)
        rows[k] = smooth(plan, distance(k, plan->period_p, d->y) / d->radius);
    return MST_OK;
}

// A disc's roll-off at a frequency, from its two tables.
static void write_disc(const mst_filter *plan, mst_text *out) {
    const char *value = "mask[l] < mask[${half}u + k] ? 1 : 0";
    if (plan->desc.rolloff == MST_FILTER_GAUSSIAN)
        value = "mask[l] * mask[${half}u + k]";
    else if (plan->desc.rolloff == MST_FILTER_BUTTERWORTH)
        value = "1 / (1 + pown(mask[l] + mask[${half}u + k], $order))";
    const mst_text_value values[] = {MST_SET(half, half(plan)), MST_SET(order, plan->desc.order), {0}};
    mst_text_put(out, "// How much of the frequency k along the height, l along the width a disc holds.\n"
                      "real disc(__global const real *mask, uint k, uint l) { return ");
    mst_text_put_values(out, value, values);
    mst_text_put(out, "; }\n\n");
}

static const char *mask_value(mst_filter_kind kind) {
    switch (kind) {
    case MST_FILTER_LOW_PASS:
        return "return disc(mask, k, l);\n";
    case MST_FILTER_HIGH_PASS:
        return "return 1 - disc(mask, k, l);\n";
    case MST_FILTER_BAND_PASS:
        return "return disc(mask + ${size}u, k, l) * (1 - disc(mask, k, l));\n";
    case MST_FILTER_BAND_STOP:
        return "const real kept = disc(mask + ${size}u, k, l) * (1 - disc(mask, k, l));\n"
               "return 1 - kept;\n";
    case MST_FILTER_NOTCH:
        return "real kept = 1;\n"
               "for (uint i = 0; i < ${discs}u; i++)\n"
               "kept *= 1 - disc(mask + i * ${size}u, k, l);\n"
               "return kept;\n";
    case MST_FILTER_MASK:
    case MST_FILTER_SHARPEN:
    case MST_FILTER_LAPLACIAN:
    case MST_FILTER_STRIPES:
    case MST_FILTER_WIENER:
        return "return mask[(ulong)k * ${half}u + l];\n";
    }
    return "";
}

static void write_mask(const mst_filter *plan, size_t n_discs, mst_text *out) {
    const mst_text_value values[] = {MST_SET(half, half(plan)),
                                     MST_SET(size, half(plan) + mst_mask_rows(plan)), // of one disc's tables
                                     MST_SET(discs, n_discs),
                                     {0}};
    if (!mst_mask_is_table(plan))
        write_disc(plan, out);
    mst_text_put(out, "// How much of it the filter keeps.\n"
                      "real mask_at(__global const real *mask, uint k, uint l) {\n");
    mst_text_put_values(out, mask_value(plan->desc.kind), values);
    mst_text_put(out, "}\n\n");
}

static size_t discs_of(const mst_filter *plan, disc *discs) {
    const mst_filter_desc *d = &plan->desc;
    discs[0] = (disc){0, 0, d->radius};
    if (d->kind == MST_FILTER_HIGH_PASS || d->kind == MST_FILTER_LOW_PASS)
        return 1;
    discs[1] = (disc){0, 0, d->radius2};
    if (d->kind != MST_FILTER_NOTCH)
        return 2;
    for (size_t i = 0; i < d->n_notches; i++) {
        discs[2 * i] = (disc){d->notches[i].x, d->notches[i].y, d->notches[i].radius};
        discs[2 * i + 1] = (disc){-d->notches[i].x, -d->notches[i].y, d->notches[i].radius};
    }
    return 2 * d->n_notches;
}

mst_status mst_mask_make(mst_filter *plan, mst_error *error) {
    mst_status status = MST_OK;
    mst_mask *m = &plan->mask;
    mst_text text = {0};
    disc discs[2 * MST_FILTER_MAX_NOTCHES];
    size_t rows = mst_mask_rows(plan), n_discs = 0, count = 0, bytes;
    bool wiener = plan->desc.kind == MST_FILTER_WIENER, table = mst_mask_is_table(plan);
    n_discs = table ? 1 : discs_of(plan, discs);
    if (wiener) // it has none before there is an image
        count = 1;
    MST_REQUIRE((wiener || (table ? mst_multiply(rows, half(plan), &count) && mst_multiply(count, plan->r, &count)
                                  : mst_multiply(rows + half(plan), n_discs, &count))) &&
                    mst_multiply(count, mst_filter_real_bytes(plan), &bytes) &&
                    ((table && !wiener) || (m->values = calloc(1, bytes))),
                MST_ERROR_HOST_MEMORY, "out of memory for a mask of %zu x %zu x %zu frequencies", plan->period_r, plan->period_p,
                plan->period_q);
    m->table_bytes = bytes;
    m->n_discs = n_discs;
    for (size_t i = 0; i < n_discs && !table; i++)
        MST_TRY(fill_disc(plan, &discs[i], (float *)m->values + i * (rows + half(plan)), error));
    write_mask(plan, n_discs, &text);
    MST_REQUIRE(!text.failed, MST_ERROR_HOST_MEMORY, "out of memory writing a mask");
    m->text = text.text;
    text.text = NULL;
fail:
    mst_text_release(&text);
    return status;
}

mst_status mst_mask_upload(mst_filter *plan, mst_error *error) {
    mst_status status = MST_OK;
    mst_mask *m = &plan->mask;
    if (!m->values) {
        MST_REQUIRE(m->values = malloc((size_t)m->table_bytes), MST_ERROR_HOST_MEMORY,
                    "out of memory for a mask of %zu x %zu x %zu frequencies", plan->period_r, plan->period_p, plan->period_q);
        MST_TRY(mst_mask_fill_table(plan, m->values, error));
    }
    MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_ONLY, m->table_bytes, "the mask", &m->table, error));
    MST_TRY(
        mst_device_write(plan->context, plan->context->upload, m->table, (size_t)m->table_bytes, m->values, "the mask", error));
fail:
    return status;
}

void mst_mask_release(mst_filter *plan) {
    mst_device_release(plan->context, plan->mask.table, plan->mask.table_bytes);
    free(plan->mask.values);
    free(plan->mask.text);
}
