// Between the rows of an image, which lies anywhere, and planes in the host's memory.
#include "panels.h"

#include "stream/transfer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// So many pixels of row y of the image, of all its slices' one after the other, with all channels, in the caller's array.
static mst_transfer part_of(const mst_panels_run *r, int side, size_t y, size_t first, size_t count, mst_layout *part) {
    const mst_layout *own = side ? &r->plan->desc.output : &r->plan->desc.input;
    const int height = own->rank - 3;
    int64_t at = (int64_t)first * own->strides[height + 1];
    size_t left = r->image * mst_filter_image_rows(r->plan) + y;
    for (int k = height; k >= 0; k--) {
        at += (int64_t)(left % own->shape[k]) * own->strides[k];
        left /= own->shape[k];
    }
    at *= (int64_t)mst_type_bytes(own->type);
    *part = (mst_layout){own->type, 2, {count, own->shape[height + 2]}, {own->strides[height + 1], own->strides[height + 2]}};
    mst_transfer t = {*part, r->where[side], side ? "output" : "input", NULL};
    if (t.where.place == MST_PLACE_HOST)
        t.where.host = (unsigned char *)t.where.host + at;
    else
        t.where.offset = (uint64_t)((int64_t)t.where.offset + at);
    return t;
}

static size_t packed_bytes(const mst_layout *row) { return mst_layout_count(row) * mst_type_bytes(row->type); }

mst_status mst_panels_read_part(const mst_panels_run *r, size_t y, size_t first, size_t count, void **packed, mst_error *error) {
    mst_layout part;
    const mst_transfer t = part_of(r, 0, y, first, count, &part);
    *packed = malloc(packed_bytes(&part));
    if (!*packed)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for a row of an image");
    return mst_transfer_read(r->plan->context->pool, &t, 0, packed_bytes(&part), *packed, error);
}

static mst_status read_row(const mst_panels_run *r, size_t y, void **packed, mst_error *error) {
    return mst_panels_read_part(r, y, 0, r->plan->width, packed, error);
}

// The row of the plane that row y of the image goes to.
static void *plane_row(const mst_panels_run *r, size_t y) {
    const mst_filter *plan = r->plan;
    return mst_panels_from(plan, r->plane, (y / plan->height * plan->p + y % plan->height) * plan->q);
}

// The image's row y of the present colour, continued beyond its end.
static mst_status load_row(size_t y, void *user, mst_error *error) {
    mst_status status = MST_OK;
    mst_panels_run *r = user;
    const mst_filter *plan = r->plan;
    const size_t width = plan->width;
    const bool mirrored = plan->desc.edges == MST_FILTER_REFLECT;
    void *to = plane_row(r, y), *packed = NULL;
    MST_TRY(read_row(r, y, &packed, error));
    for (size_t x = 0; x < width; x++)
        mst_panels_put(plan, to, x,
                       mst_panels_rounded(plan, mst_type_number(plan->desc.input.type, packed, x * plan->channels + r->colour)) -
                           r->level);
    for (size_t x = width; x < plan->q; x++)
        mst_panels_put(plan, to, x, mirrored ? mst_panels_get(plan, to, 2 * width - 1 - x) : 0);
fail:
    free(packed);
    return status;
}

// Copies of the `own` parts of so many numbers at the beginning of `values`, mirrored, or zeros, up to `all` parts.
static void continue_parts(const mst_filter *plan, void *values, size_t own, size_t all, size_t numbers) {
    const size_t bytes = numbers * mst_filter_real_bytes(plan);
    for (size_t k = own; k < all; k++) {
        void *to = mst_panels_from(plan, values, k * numbers);
        if (plan->desc.edges == MST_FILTER_REFLECT)
            memcpy(to, mst_panels_from(plan, values, (2 * own - 1 - k) * numbers), bytes);
        else
            memset(to, 0, bytes);
    }
}

// The median of three pixels, as load_planes in filter.cl takes it.
static mst_status find_level(mst_panels_run *r, mst_error *error) {
    mst_status status = MST_OK;
    const mst_filter *plan = r->plan;
    const size_t y[] = {0, plan->depth / 2 * plan->height + plan->height / 2, mst_filter_image_rows(plan) - 1},
                 x[] = {0, plan->width / 2, plan->width - 1};
    double v[3] = {0};
    void *packed = NULL;
    r->level = 0;
    for (int i = 0; i < 3 && mst_filter_levels(plan); i++) {
        MST_TRY(read_row(r, y[i], &packed, error));
        v[i] = mst_panels_rounded(plan, mst_type_number(plan->desc.input.type, packed, x[i] * plan->channels + r->colour));
        free(packed);
        packed = NULL;
    }
    if (mst_filter_levels(plan))
        r->level = fmax(fmin(v[0], v[1]), fmin(fmax(v[0], v[1]), v[2]));
fail:
    free(packed);
    return status;
}

mst_status mst_panels_load(mst_panels_run *r, mst_error *error) {
    mst_status status = MST_OK;
    const mst_filter *plan = r->plan;
    const size_t slice = plan->p * plan->q;
    MST_TRY(find_level(r, error));
    MST_TRY(mst_pool_run(plan->context->pool, mst_filter_image_rows(plan), load_row, r, error));
    for (size_t z = 0; z < plan->depth; z++)
        continue_parts(plan, mst_panels_from(plan, r->plane, z * slice), plan->height, plan->p, plan->q);
    continue_parts(plan, r->plane, plan->depth, plan->r, slice);
fail:
    return status;
}

static void *results_of(const mst_panels_run *r, size_t colour, size_t y) {
    const mst_filter *plan = r->plan;
    if (!r->results)
        return plane_row(r, y);
    return mst_panels_from(plan, r->results, (colour * mst_filter_image_rows(plan) + y) * plan->width);
}

void mst_panels_keep(mst_panels_run *r) {
    const mst_filter *plan = r->plan;
    for (size_t y = 0; y < mst_filter_image_rows(plan); y++) {
        const void *row = plane_row(r, y);
        if (r->results)
            memcpy(results_of(r, r->colour, y), row, plan->width * mst_filter_real_bytes(plan));
        for (size_t x = 0; x < plan->width && mst_filter_ranged(plan); x++)
            mst_panels_add_to_range(r, mst_panels_get(plan, row, x));
    }
}

// ---- Results: what output_of in filter.cl computes

static double scaled(const mst_panels_run *r, double value) {
    const mst_filter *plan = r->plan;
    const double white = mst_panels_rounded(plan, plan->desc.white), most = fmax(-r->range[0], r->range[1]),
                 extent = mst_panels_rounded(plan, r->range[1] - r->range[0]);
    switch (plan->desc.output_as) {
    case MST_FILTER_CLIP:
        return plan->desc.white > 0 ? fmin(fmax(value, 0), white) : value;
    case MST_FILTER_STRETCH:
        return extent > 0 ? mst_panels_rounded(plan, value - r->range[0]) * mst_panels_rounded(plan, white / extent) : 0;
    case MST_FILTER_MAGNITUDE:
        return most > 0 ? fabs(value) * mst_panels_rounded(plan, white / most) : 0;
    default:
        return value;
    }
}

static void put_number(mst_type type, void *values, size_t i, double value) {
    if (type == MST_UINT8)
        ((uint8_t *)values)[i] = value > 0 ? (uint8_t)rint(fmin(value, 255)) : 0;
    else if (type == MST_UINT16)
        ((uint16_t *)values)[i] = value > 0 ? (uint16_t)rint(fmin(value, 65535)) : 0;
    else if (type == MST_FLOAT64)
        ((double *)values)[i] = value;
    else
        ((float *)values)[i] = (float)value;
}

void mst_panels_add_to_range(mst_panels_run *r, double value) {
    r->range[0] = fmin(r->range[0], value);
    r->range[1] = fmax(r->range[1], value);
}

mst_status mst_panels_write_part(const mst_panels_run *r, size_t y, size_t first, size_t count, const void *results,
                                 mst_error *error) {
    mst_status status = MST_OK;
    const mst_filter *plan = r->plan;
    const mst_type from = plan->desc.input.type, to = plan->desc.output.type;
    mst_layout part;
    const mst_transfer t = part_of(r, 1, y, first, count, &part);
    void *packed = malloc(packed_bytes(&part)), *image = NULL;
    MST_REQUIRE(packed, MST_ERROR_HOST_MEMORY, "out of memory for a row of an image");
    if (plan->desc.alpha)
        MST_TRY(mst_panels_read_part(r, y, first, count, &image, error));
    for (size_t x = 0; x < count; x++)
        for (size_t c = 0; c < plan->channels; c++) {
            const size_t i = x * plan->channels + c;
            if (image && c >= plan->colours)
                put_number(to, packed, i, mst_type_number(from, image, i));
            else
                put_number(to, packed, i,
                           mst_panels_rounded(plan, scaled(r, mst_panels_get(plan, results, x * plan->colours + c))));
        }
    MST_TRY(mst_transfer_write(plan->context->pool, &t, 0, packed_bytes(&part), packed, error));
fail:
    free(packed);
    free(image);
    return status;
}

static mst_status store_row(size_t y, void *user, mst_error *error) {
    mst_status status = MST_OK;
    const mst_panels_run *r = user;
    const mst_filter *plan = r->plan;
    void *results = malloc(plan->width * plan->colours * mst_filter_real_bytes(plan));
    MST_REQUIRE(results, MST_ERROR_HOST_MEMORY, "out of memory for a row of an image");
    for (size_t c = 0; c < plan->colours; c++) {
        const void *row = results_of(r, c, y);
        for (size_t x = 0; x < plan->width; x++)
            mst_panels_put(plan, results, x * plan->colours + c, mst_panels_get(plan, row, x));
    }
    MST_TRY(mst_panels_write_part(r, y, 0, plan->width, results, error));
fail:
    free(results);
    return status;
}

mst_status mst_panels_store(mst_panels_run *r, mst_error *error) {
    return mst_pool_run(r->plan->context->pool, mst_filter_image_rows(r->plan), store_row, r, error);
}
