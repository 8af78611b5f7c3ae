// Filtering of images of which one does not fit the device: real rows and columns forward, back along the columns and back along
// the rows, each by a plan of the FFT engine that takes panels, between planes in the host's memory, where the spectrum is
// multiplied by the mask.
#include "composed.h"
#include "mask.h"

#include "fft/plan.h"
#include "runtime/numbers.h"
#include "stream/places.h"
#include "stream/scratch.h"
#include "stream/transfer.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_PLANE ((uint64_t)64 << 10) // bytes: smaller images fit any device

// The transforms of a plane, in their order.
enum { FORWARD, COLUMNS_BACK, BACK, N_TRANSFORMS };

#define PARTS_OF_PROGRESS 1024u // of a transform

typedef struct panels_run {
    mst_filter *plan;
    const mst_location *where;
    mst_execution how;
    mst_report report;
    uint64_t done, total; // transforms
    mst_scratch memory;   // of all three:
    float *plane;         // p x q
    float *spectrum;
    float *results; // colours x height x width, not scaled; NULL where one colour stays in the plane
    size_t image;   // that is worked on,
    size_t colour;  // and its channel
    float level;    // taken off it
    float range[2]; // the least and the greatest of 0 and an image's results
} panels_run;

// ---- Transforms

static size_t spectrum_numbers(const mst_filter *plan) {
    return plan->p * mst_filter_spectrum_columns(plan) * (plan->cosine ? 1 : 2);
}

// False: cosine transforms go back along both axes at once.
static bool describe(const mst_filter *plan, int which, mst_fft_desc *d) {
    const size_t real[] = {plan->p, plan->q}, half[] = {plan->p, mst_filter_spectrum_columns(plan)};
    const mst_layout plane = mst_layout_dense(MST_FLOAT32, 2, real),
                     spectrum = mst_layout_dense(plan->cosine ? MST_FLOAT32 : MST_COMPLEX64, 2, half);
    *d = (mst_fft_desc)MST_FFT_DESC_INIT;
    d->input = which == FORWARD ? plane : spectrum;
    d->output = which == BACK ? plane : spectrum;
    d->direction = which == FORWARD ? MST_FFT_FORWARD : MST_FFT_INVERSE;
    d->n_axes = plan->cosine || which == FORWARD ? 2 : 1;
    d->axes[0] = which == BACK && !plan->cosine ? 1 : 0;
    d->axes[1] = 1;
    d->scale = which == BACK ? 1 / ((double)plan->p * (double)plan->q * (plan->cosine ? 4 : 1)) : 1;
    d->kind = plan->cosine ? MST_FFT_DCT2 : MST_FFT_FOURIER;
    d->shape = plan->desc.shape;
    return which != COLUMNS_BACK || !plan->cosine;
}

static bool show_progress(uint64_t done, uint64_t total, void *user) {
    const panels_run *r = user;
    uint64_t part = total ? (uint64_t)((double)done / (double)total * PARTS_OF_PROGRESS) : 0;
    return r->how.progress(r->done * PARTS_OF_PROGRESS + part, r->total * PARTS_OF_PROGRESS, r->how.progress_user);
}

// One plan at a time: what it took of the budgets is there for the next one.
static mst_status transform(panels_run *r, int which, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_desc d;
    mst_fft *fft = NULL;
    mst_report report = MST_REPORT_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    if (!describe(r->plan, which, &d))
        return MST_OK;
    how.report = &report;
    how.progress = r->how.progress ? show_progress : NULL;
    how.progress_user = r;
    MST_TRY(mst_fft_create(r->plan->context, &d, &fft, error));
    MST_TRY(mst_fft_execute(fft, mst_at_host(which == FORWARD ? r->plane : r->spectrum),
                            mst_at_host(which == BACK ? r->plane : r->spectrum), &how, error));
    r->done++;
    mst_report_add(&r->report, &report);
fail:
    mst_fft_destroy(fft);
    return status;
}

// Whether the budgets have room for each transform alone.
static bool have_room(const mst_filter *plan) {
    for (int which = 0; which < N_TRANSFORMS; which++) {
        mst_fft_desc d;
        mst_fft *fft = NULL;
        if (describe(plan, which, &d) && mst_fft_create(plan->context, &d, &fft, NULL) != MST_OK)
            return false;
        mst_fft_destroy(fft);
    }
    return true;
}

bool mst_filter_panels_can(const mst_filter *plan) {
    return plan->desc.algorithm == MST_FILTER_AUTO && !mst_filter_is_general(plan) &&
           (uint64_t)plan->p * plan->q * sizeof(float) >= LEAST_PLANE && have_room(plan);
}

// ---- The mask: what composed.cl computes

static float disc(const mst_filter *plan, const float *mask, size_t k, size_t l) {
    const float column = mask[l], row = mask[mst_mask_columns(plan) + k];
    if (plan->desc.rolloff == MST_FILTER_IDEAL)
        return column < row ? 1 : 0;
    return plan->desc.rolloff == MST_FILTER_GAUSSIAN ? column * row : 1 / (1 + powf(column + row, (float)plan->desc.order));
}

static float mask_at(const mst_filter *plan, size_t k, size_t l) {
    const float *mask = plan->mask.values;
    const size_t size = mst_mask_columns(plan) + mst_mask_rows(plan);
    float kept = 1;
    switch (mst_mask_kernel_kind(plan)) {
    case MST_FILTER_LOW_PASS:
        return disc(plan, mask, k, l);
    case MST_FILTER_HIGH_PASS:
        return 1 - disc(plan, mask, k, l);
    case MST_FILTER_BAND_PASS:
        return disc(plan, mask + size, k, l) * (1 - disc(plan, mask, k, l));
    case MST_FILTER_BAND_STOP:
        return 1 - disc(plan, mask + size, k, l) * (1 - disc(plan, mask, k, l));
    case MST_FILTER_NOTCH:
        for (size_t i = 0; i < plan->mask.n_discs; i++)
            kept *= 1 - disc(plan, mask + i * size, k, l);
        return kept;
    default:
        return mask[k * mst_mask_columns(plan) + l];
    }
}

static mst_status mask_row(size_t k, void *user, mst_error *error) {
    panels_run *r = user;
    const size_t columns = mst_filter_spectrum_columns(r->plan), parts = r->plan->cosine ? 1 : 2;
    float *row = r->spectrum + k * columns * parts;
    (void)error;
    for (size_t l = 0; l < columns; l++) {
        const float kept = mask_at(r->plan, k, l);
        for (size_t part = 0; part < parts; part++)
            row[parts * l + part] *= kept;
    }
    return MST_OK;
}

// ---- Rows of the image, and planes

// Row y of the image, all channels of it, in the caller's array.
static mst_transfer row_of(const panels_run *r, int side, size_t y, mst_layout *row) {
    const mst_layout *own = side ? &r->plan->desc.output : &r->plan->desc.input;
    const int height = own->rank - 3;
    int64_t at = (int64_t)y * own->strides[height];
    size_t image = r->image;
    for (int k = height - 1; k >= 0; k--) {
        at += (int64_t)(image % own->shape[k]) * own->strides[k];
        image /= own->shape[k];
    }
    at *= (int64_t)mst_type_bytes(own->type);
    *row = (mst_layout){
        own->type, 2, {own->shape[height + 1], own->shape[height + 2]}, {own->strides[height + 1], own->strides[height + 2]}};
    mst_transfer t = {*row, r->where[side], side ? "output" : "input", NULL};
    if (t.where.place == MST_PLACE_HOST)
        t.where.host = (unsigned char *)t.where.host + at;
    else
        t.where.offset = (uint64_t)((int64_t)t.where.offset + at);
    return t;
}

static size_t packed_bytes(const mst_layout *row) { return mst_layout_count(row) * mst_type_bytes(row->type); }

static float number_of(mst_type type, const void *values, size_t i) {
    if (type == MST_UINT8)
        return ((const uint8_t *)values)[i];
    if (type == MST_UINT16)
        return ((const uint16_t *)values)[i];
    return ((const float *)values)[i];
}

static mst_status read_row(const panels_run *r, size_t y, void **packed, mst_error *error) {
    mst_layout row;
    const mst_transfer t = row_of(r, 0, y, &row);
    *packed = malloc(packed_bytes(&row));
    if (!*packed)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for a row of an image");
    return mst_transfer_read(r->plan->context->pool, &t, 0, packed_bytes(&row), *packed, error);
}

// The image's row y of the present colour, continued beyond its end.
static mst_status load_row(size_t y, void *user, mst_error *error) {
    mst_status status = MST_OK;
    panels_run *r = user;
    const mst_filter *plan = r->plan;
    const size_t width = plan->width;
    float *to = r->plane + y * plan->q;
    void *packed = NULL;
    MST_TRY(read_row(r, y, &packed, error));
    for (size_t x = 0; x < width; x++)
        to[x] = number_of(plan->desc.input.type, packed, x * plan->channels + r->colour) - r->level;
    for (size_t x = width; x < plan->q; x++)
        to[x] = plan->desc.edges == MST_FILTER_REFLECT ? to[2 * width - 1 - x] : 0;
fail:
    free(packed);
    return status;
}

// The median of three pixels, as load_planes in filter.cl takes it.
static mst_status find_level(panels_run *r, mst_error *error) {
    mst_status status = MST_OK;
    const mst_filter *plan = r->plan;
    const size_t y[] = {0, plan->height / 2, plan->height - 1}, x[] = {0, plan->width / 2, plan->width - 1};
    float v[3] = {0};
    void *packed = NULL;
    r->level = 0;
    for (int i = 0; i < 3 && mst_filter_levels(plan); i++) {
        MST_TRY(read_row(r, y[i], &packed, error));
        v[i] = number_of(plan->desc.input.type, packed, x[i] * plan->channels + r->colour);
        free(packed);
        packed = NULL;
    }
    if (mst_filter_levels(plan))
        r->level = fmaxf(fminf(v[0], v[1]), fminf(fmaxf(v[0], v[1]), v[2]));
fail:
    free(packed);
    return status;
}

static mst_status load_plane(panels_run *r, mst_error *error) {
    mst_status status = MST_OK;
    const mst_filter *plan = r->plan;
    MST_TRY(find_level(r, error));
    MST_TRY(mst_pool_run(plan->context->pool, plan->height, load_row, r, error));
    for (size_t y = plan->height; y < plan->p; y++) {
        float *row = r->plane + y * plan->q;
        if (plan->desc.edges == MST_FILTER_REFLECT)
            memcpy(row, r->plane + (2 * plan->height - 1 - y) * plan->q, plan->q * sizeof *row);
        else
            memset(row, 0, plan->q * sizeof *row);
    }
fail:
    return status;
}

static float *results_of(const panels_run *r, size_t colour, size_t y) {
    return r->results ? r->results + (colour * r->plan->height + y) * r->plan->width : r->plane + y * r->plan->q;
}

static void keep_results(panels_run *r) {
    const mst_filter *plan = r->plan;
    for (size_t y = 0; y < plan->height; y++) {
        const float *row = r->plane + y * plan->q;
        if (r->results)
            memcpy(results_of(r, r->colour, y), row, plan->width * sizeof *row);
        for (size_t x = 0; x < plan->width && mst_filter_ranged(plan); x++) {
            r->range[0] = fminf(r->range[0], row[x]);
            r->range[1] = fmaxf(r->range[1], row[x]);
        }
    }
}

// ---- Results: what output_of in filter.cl computes

static float scaled(const panels_run *r, float value) {
    const mst_filter *plan = r->plan;
    const float white = (float)plan->desc.white, most = fmaxf(-r->range[0], r->range[1]);
    switch (plan->desc.output_as) {
    case MST_FILTER_CLIP:
        return plan->desc.white > 0 ? fminf(fmaxf(value, 0), white) : value;
    case MST_FILTER_STRETCH:
        return r->range[1] > r->range[0] ? (value - r->range[0]) * (white / (r->range[1] - r->range[0])) : 0;
    case MST_FILTER_MAGNITUDE:
        return most > 0 ? fabsf(value) * (white / most) : 0;
    default:
        return value;
    }
}

static void put_number(mst_type type, void *values, size_t i, float value) {
    if (type == MST_UINT8)
        ((uint8_t *)values)[i] = value > 0 ? (uint8_t)rintf(fminf(value, 255)) : 0;
    else if (type == MST_UINT16)
        ((uint16_t *)values)[i] = value > 0 ? (uint16_t)rintf(fminf(value, 65535)) : 0;
    else
        ((float *)values)[i] = value;
}

static mst_status store_row(size_t y, void *user, mst_error *error) {
    mst_status status = MST_OK;
    panels_run *r = user;
    const mst_filter *plan = r->plan;
    const mst_type from = plan->desc.input.type, to = plan->desc.output.type;
    mst_layout row;
    const mst_transfer t = row_of(r, 1, y, &row);
    void *packed = malloc(packed_bytes(&row)), *image = NULL;
    MST_REQUIRE(packed, MST_ERROR_HOST_MEMORY, "out of memory for a row of an image");
    if (plan->desc.alpha)
        MST_TRY(read_row(r, y, &image, error));
    for (size_t c = 0; c < plan->channels; c++)
        for (size_t x = 0; x < plan->width; x++) {
            const size_t i = x * plan->channels + c;
            put_number(to, packed, i,
                       image && c >= plan->colours ? number_of(from, image, i) : scaled(r, results_of(r, c, y)[x]));
        }
    MST_TRY(mst_transfer_write(plan->context->pool, &t, 0, packed_bytes(&row), packed, error));
fail:
    free(packed);
    free(image);
    return status;
}

// ---- The run

static mst_status filter_plane(panels_run *r, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(load_plane(r, error));
    MST_TRY(transform(r, FORWARD, error));
    MST_TRY(mst_pool_run(r->plan->context->pool, r->plan->p, mask_row, r, error));
    MST_TRY(transform(r, COLUMNS_BACK, error));
    MST_TRY(transform(r, BACK, error));
    keep_results(r);
fail:
    return status;
}

static mst_status filter_image(panels_run *r, mst_error *error) {
    mst_status status = MST_OK;
    r->range[0] = r->range[1] = 0;
    for (r->colour = 0; r->colour < r->plan->colours; r->colour++)
        MST_TRY(filter_plane(r, error));
    MST_TRY(mst_pool_run(r->plan->context->pool, r->plan->height, store_row, r, error));
fail:
    return status;
}

static mst_status take_memory(panels_run *r, mst_error *error) {
    mst_status status = MST_OK;
    const mst_filter *plan = r->plan;
    const size_t plane = plan->p * plan->q, spectrum = spectrum_numbers(plan),
                 results = plan->colours > 1 ? plan->colours * plan->height * plan->width : 0;
    MST_TRY(mst_scratch_take((plane + spectrum + results) * sizeof(float), "planes of an image by panels", &r->memory, error));
    r->plane = r->memory.memory;
    r->spectrum = r->plane + plane;
    r->results = results > 0 ? r->spectrum + spectrum : NULL;
fail:
    return status;
}

mst_status mst_filter_panels_run(mst_filter *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    const double start = mst_now();
    panels_run r = {.plan = plan, .where = where, .report = MST_REPORT_INIT};
    const mst_stream_desc ports = {
        .context = plan->context,
        .n_ports = 2,
        .ports = {{MST_PORT_INPUT, plan->desc.input, 0, "input"}, {MST_PORT_OUTPUT, plan->desc.output, 0, "output"}}};
    MST_TRY(mst_host_run_begin(&ports, where, how, &r.how, error));
    r.total = (uint64_t)plan->n_images * plan->colours * (plan->cosine ? N_TRANSFORMS - 1 : N_TRANSFORMS);
    MST_TRY(take_memory(&r, error));
    for (r.image = 0; r.image < plan->n_images; r.image++)
        MST_TRY(filter_image(&r, error));
    r.report.seconds = mst_now() - start;
    MST_TRY(mst_host_run_end(plan->context, &r.how, &r.report, error));
fail:
    mst_scratch_release(&r.memory);
    return status;
}
