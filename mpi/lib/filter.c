// A filter over ranks: each colour of each image is transformed, multiplied by the mask, and transformed back. Nothing is
// exchanged but by the transforms, the range of an image's results, and three of its pixels (frame.is_levelled).
#include "copy.h"
#include "fft.h"
#include "frame.h"
#include "image.h"
#include "pixels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct mst_mpi_filter {
    mst_mpi_team team;
    mst_mpi_image image;
    mst_mpi_region region;
    mst_mpi_work work;
    mst_mpi_fft *forward, *inverse;
    char *values; // planes of this rank's points: a colour, then its results
    void *spectrum, *mask;
    double *numbers; // three pixels of each colour, or a range, on their way
    size_t plane_bytes;
};

// ---- Making a plan

// The mask at this rank's part of the spectrum, in its order.
static mst_status fill_mask(mst_mpi_filter *p, const mst_filter_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    const mst_layout *spectrum = &p->region.spectrum.layout;
    const size_t bytes = mst_type_bytes(p->image.frame.type);
    size_t first[MST_MPI_SIDES] = {0}, count[MST_MPI_SIDES] = {1, 1, 1};
    void *dense = NULL;
    for (int a = 0; a < spectrum->rank; a++) {
        first[MST_MPI_SIDES - spectrum->rank + a] = p->region.spectrum.start[a];
        count[MST_MPI_SIDES - spectrum->rank + a] = spectrum->shape[a];
    }
    TRY(mst_mpi_take(mst_mpi_layout_elements(spectrum) * bytes, "an image", &dense, error));
    TRY(mst_filter_mask_values(desc, first, count, dense, error));
    mst_mpi_copy(spectrum->rank, spectrum->shape, bytes, p->mask, spectrum->strides, dense,
                 mst_layout_dense(p->image.frame.type, spectrum->rank, spectrum->shape).strides);
fail:
    free(dense);
    return status;
}

typedef struct request {
    mst_context *context;
    const mst_filter_desc *desc;
    mst_mpi_cut cut;
    double timeout;
} request;

static mst_status prepare(void *half_made, void *given, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_filter *p = half_made;
    const request *r = given;
    TRY(mst_mpi_image_make(r->desc, r->cut, r->timeout, &p->image, error));
    TRY(mst_mpi_image_region(&p->image, p->team.n_ranks, p->team.rank, &p->region, error));
    if (p->image.is_empty)
        return MST_OK;
    p->plane_bytes = mst_mpi_part_bytes(&p->region.points);
    TRY(mst_mpi_take((p->image.is_scaled ? p->image.colours : 1) * p->plane_bytes, "an image", &p->values, error));
    TRY(mst_mpi_take(mst_mpi_part_bytes(&p->region.spectrum), "an image", &p->spectrum, error));
    TRY(mst_mpi_take(mst_mpi_layout_elements(&p->region.spectrum.layout) * mst_type_bytes(p->image.frame.type), "an image",
                     &p->mask, error));
    TRY(mst_mpi_take((3 * p->image.colours + 2) * sizeof *p->numbers, "an image", &p->numbers, error));
    TRY(fill_mask(p, r->desc, error));
fail:
    return status;
}

static mst_status complete(void *half_made, void *given, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_filter *p = half_made;
    const request *r = given;
    mst_mpi_needs needs = MST_MPI_NEEDS_INIT;
    size_t bytes[MST_MPI_WORK] = {0};
    if (p->image.is_empty)
        return MST_OK;
    TRY(mst_mpi_image_needs(&p->image, p->team.n_ranks, p->team.rank, &needs, bytes, error));
    TRY(mst_mpi_work_make(&p->team, bytes, &p->work, error));
    TRY(mst_mpi_fft_make(&p->team, r->context, &p->image.forward, false, &p->work, &p->forward, error));
    TRY(mst_mpi_fft_make(&p->team, r->context, &p->image.inverse, false, &p->work, &p->inverse, error));
fail:
    return status;
}

static void destroy(void *half_made) { mst_mpi_filter_destroy(half_made); }

mst_status mst_mpi_filter_create(MPI_Comm communicator, mst_context *context, const mst_filter_desc *desc, mst_mpi_cut cut,
                                 double timeout, mst_mpi_filter **out, mst_error *error) {
    static const mst_mpi_kind filter = {sizeof(mst_mpi_filter), prepare, complete, destroy};
    request r = {context, desc, cut, timeout};
    return mst_mpi_make(communicator, timeout, &filter, &r, out, NULL, error);
}

int mst_mpi_filter_is_broken(const mst_mpi_filter *p) { return p && p->team.broken; }

void mst_mpi_filter_destroy(mst_mpi_filter *p) {
    if (!p)
        return;
    mst_mpi_fft_drop(&p->team, p->forward);
    mst_mpi_fft_drop(&p->team, p->inverse);
    if (!p->team.broken) { // else MPI may still write there
        mst_mpi_work_free(&p->work);
        free(p->values);
        free(p->spectrum);
        free(p->mask);
        free(p->numbers);
        MPI_Comm_free(&p->team.communicator);
    }
    free(p);
}

// ---- Executing it

// An image on its way.
typedef struct run {
    mst_mpi_filter *plan;
    const char *from; // this rank's part of the image
    char *to;
    double range[2];
} run;

// Where pixel z, y, x of this rank's part of the image or its result lies, with all channels.
static size_t pixel_at(const size_t *pixels, size_t channels, size_t z, size_t y, size_t x) {
    return ((z * pixels[1] + y) * pixels[2] + x) * channels;
}

static size_t channels_of(const mst_mpi_filter *p) { return p->image.whole.shape[p->image.whole.rank - 1]; }

static mst_status combine(mst_mpi_filter *p, size_t n, MPI_Op how, mst_error *error) {
    mst_status status = MST_OK;
    MPI_Request sent;
    TRY_MPI(MPI_Iallreduce(MPI_IN_PLACE, p->numbers, (int)n, MPI_DOUBLE, how, p->team.communicator, &sent), "an image of ranks");
    TRY(mst_mpi_wait(1, &sent, p->team.timeout, error));
    return MST_OK;
fail:
    p->team.broken = true;
    return status;
}

// The first, the middle and the last pixel of the image go to all, of each colour, from the ranks whose results they belong to.
static mst_status find_levels(const run *r, mst_error *error) {
    mst_mpi_filter *p = r->plan;
    const mst_mpi_region *g = &p->region;
    const size_t *n = p->image.pixels,
                 places[3][MST_MPI_SIDES] = {{0, 0, 0}, {n[0] / 2, n[1] / 2, n[2] / 2}, {n[0] - 1, n[1] - 1, n[2] - 1}};
    for (int i = 0; i < 3; i++) {
        bool is_own = true;
        size_t at[MST_MPI_SIDES];
        for (int side = 0; side < MST_MPI_SIDES; side++) {
            is_own = is_own && places[i][side] >= g->start[side] && places[i][side] - g->start[side] < g->own[side];
            at[side] = places[i][side] - g->first_pixel[side];
        }
        for (size_t c = 0; c < p->image.colours; c++)
            p->numbers[3 * c + (size_t)i] = is_own
                                                ? mst_mpi_pixel_get(p->image.whole.type, r->from,
                                                                    pixel_at(g->pixels, channels_of(p), at[0], at[1], at[2]) + c)
                                                : 0;
    }
    return combine(p, 3 * p->image.colours, MPI_SUM, error);
}

static double level_of(const mst_mpi_filter *p, size_t colour) {
    const double *v = p->numbers + 3 * colour;
    return p->image.frame.is_levelled ? fmax(fmin(v[0], v[1]), fmin(fmax(v[0], v[1]), v[2])) : 0;
}

// One colour of this rank's part of the image, continued beyond its edges.
static void load(const run *r, size_t colour, double level, void *values) {
    const mst_mpi_filter *p = r->plan;
    const mst_mpi_region *g = &p->region;
    const mst_type real = p->image.frame.type;
    size_t i = 0, z, y, x;
    for (size_t m = 0; m < g->count[0]; m++)
        for (size_t k = 0; k < g->count[1]; k++) {
            const bool row = mst_mpi_image_pixel(&p->image, g, 0, m, &z) && mst_mpi_image_pixel(&p->image, g, 1, k, &y);
            for (size_t l = 0; l < g->count[2]; l++, i++) {
                const bool is_inside = row && mst_mpi_image_pixel(&p->image, g, 2, l, &x);
                const size_t at = is_inside ? pixel_at(g->pixels, channels_of(p), z, y, x) + colour : 0;
                mst_mpi_pixel_put(real, values, i, is_inside ? mst_mpi_pixel_get(p->image.whole.type, r->from, at) - level : 0);
            }
        }
}

static void multiply(const mst_mpi_filter *p) {
    const mst_layout *l = &p->region.spectrum.layout;
    const size_t n = mst_mpi_layout_elements(l), parts = mst_type_bytes(l->type) / mst_type_bytes(p->image.frame.type);
    if (p->image.frame.type == MST_FLOAT32)
        for (size_t i = 0; i < n * parts; i++)
            ((float *)p->spectrum)[i] *= ((const float *)p->mask)[i / parts];
    else
        for (size_t i = 0; i < n * parts; i++)
            ((double *)p->spectrum)[i] *= ((const double *)p->mask)[i / parts];
}

typedef void result_function(run *r, size_t colour, const void *values, size_t point, size_t pixel);

// All results of a colour that this rank has.
static void each_result(run *r, size_t colour, const void *values, result_function *of) {
    const mst_mpi_region *g = &r->plan->region;
    for (size_t z = 0; z < g->own[0]; z++)
        for (size_t y = 0; y < g->own[1]; y++)
            for (size_t x = 0; x < g->own[2]; x++)
                of(r, colour, values, (z * g->count[1] + y) * g->count[2] + x, pixel_at(g->own, channels_of(r->plan), z, y, x));
}

static void add_to_range(run *r, size_t colour, const void *values, size_t point, size_t pixel) {
    const double value = mst_mpi_pixel_get(r->plan->image.frame.type, values, point);
    (void)colour, (void)pixel;
    r->range[0] = fmin(r->range[0], value);
    r->range[1] = fmax(r->range[1], value);
}

static void store(run *r, size_t colour, const void *values, size_t point, size_t pixel) {
    const mst_filter_frame *f = &r->plan->image.frame;
    const double value = mst_mpi_pixel_get(f->type, values, point);
    mst_mpi_pixel_put(f->output, r->to, pixel + colour, mst_mpi_pixel_scale(f, r->range, value));
}

// Of an opacity channel, which begins with the first point of this rank's part of the result.
static void copy_opacity(run *r, size_t colour, const void *values, size_t point, size_t pixel) {
    const mst_mpi_filter *p = r->plan;
    const mst_mpi_region *g = &p->region;
    size_t z, y, x;
    (void)values;
    mst_mpi_image_pixel(&p->image, g, 0, point / g->count[2] / g->count[1], &z);
    mst_mpi_image_pixel(&p->image, g, 1, point / g->count[2] % g->count[1], &y);
    mst_mpi_image_pixel(&p->image, g, 2, point % g->count[2], &x);
    mst_mpi_pixel_put(p->image.frame.output, r->to, pixel + colour,
                      mst_mpi_pixel_get(p->image.whole.type, r->from, pixel_at(g->pixels, channels_of(p), z, y, x) + colour));
}

static mst_status filter_colour(run *r, size_t colour, void *values, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_filter *p = r->plan;
    load(r, colour, level_of(p, colour), values);
    TRY(mst_mpi_fft_run(&p->team, p->forward, values, p->spectrum, error));
    multiply(p);
    TRY(mst_mpi_fft_run(&p->team, p->inverse, p->spectrum, values, error));
fail:
    return status;
}

static mst_status find_range(run *r, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_filter *p = r->plan;
    for (size_t c = 0; c < p->image.colours; c++)
        each_result(r, c, p->values + c * p->plane_bytes, add_to_range);
    p->numbers[0] = -r->range[0];
    p->numbers[1] = r->range[1];
    TRY(combine(p, 2, MPI_MAX, error));
    r->range[0] = -p->numbers[0];
    r->range[1] = p->numbers[1];
    for (size_t c = 0; c < p->image.colours; c++)
        each_result(r, c, p->values + c * p->plane_bytes, store);
fail:
    return status;
}

static mst_status filter_image(run *r, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_filter *p = r->plan;
    if (p->image.frame.is_levelled)
        TRY(find_levels(r, error));
    for (size_t c = 0; c < p->image.colours; c++) {
        char *values = p->values + (p->image.is_scaled ? c * p->plane_bytes : 0);
        TRY(filter_colour(r, c, values, error));
        if (!p->image.is_scaled)
            each_result(r, c, values, store);
    }
    if (p->image.is_scaled)
        TRY(find_range(r, error));
    if (channels_of(p) > p->image.colours)
        each_result(r, p->image.colours, NULL, copy_opacity);
fail:
    return status;
}

static mst_status check(const mst_mpi_filter *p, const void *input, const void *output, mst_error *error) {
    const bool has_both = (input || mst_mpi_layout_elements(&p->region.input.layout) == 0) &&
                          (output || mst_mpi_layout_elements(&p->region.output.layout) == 0);
    return has_both
               ? MST_OK
               : mst_mpi_fail(error, MST_ERROR_ARGUMENT, "input and output must not be NULL where this rank has a part of them");
}

mst_status mst_mpi_filter_execute(mst_mpi_filter *p, const void *input, void *output, mst_error *error) {
    mst_status status = MST_OK;
    REQUIRE(p, MST_ERROR_ARGUMENT, "plan must not be NULL");
    TRY(mst_mpi_check_unbroken(p->team.broken, error));
    TRY(mst_mpi_team_agree(&p->team, check(p, input, output, error), error));
    for (size_t i = 0; i < p->image.n_images && !p->image.is_empty; i++) {
        const size_t from = i * (mst_mpi_part_bytes(&p->region.input) / p->image.n_images),
                     to = i * (mst_mpi_part_bytes(&p->region.output) / p->image.n_images);
        run r = {p, input ? (const char *)input + from : NULL, output ? (char *)output + to : NULL, {0, 0}};
        TRY(filter_image(&r, error));
    }
fail:
    return status;
}
