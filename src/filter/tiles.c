// Tiles with halos: windows on an image, continued beyond its edges, each of which a plan of its own filters as if it were
// repeated. A pixel's result then misses what the mask's response reaches beyond the halo, has in its place what lies in the
// window, and sees a response that is sampled from fewer frequencies (tiles_bound.c).
#include "panels.h"
#include "tiles_bound.h"

#include "runtime/description.h"
#include "runtime/numbers.h"
#include "stream/places.h"
#include "stream/transfer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { Z, Y, X, N_SIDES };

#define MOST_SIDE 2048u // of windows on images
#define MOST_DEPTH 128u // of windows on volumes
#define LEAST_SIDE 16u
#define MOST_HALO_EIGHTHS 3 // of a window

struct mst_filter_tiles {
    mst_filter *inner; // of a window's colours, to raw results
    size_t image[N_SIDES], window[N_SIDES], halo[N_SIDES], step[N_SIDES], n[N_SIDES];
    double bound;
};

// ---- Making

static size_t power_from(size_t least) {
    size_t n = 1;
    while (n < least)
        n *= 2;
    return n;
}

static mst_status make_inner(const mst_filter *plan, const size_t window[N_SIDES], mst_filter **out, mst_error *error) {
    mst_filter_desc d = plan->desc;
    const mst_filter_choice choice = {plan->cpu, plan->choice};
    const size_t shape[] = {window[Z], window[Y], window[X], plan->colours};
    const int first = d.volume ? 0 : 1;
    d.input = mst_layout_dense(d.input.type, 4 - first, shape + first);
    d.output = mst_layout_dense(d.type, 4 - first, shape + first);
    d.alpha = false;
    d.edges = MST_FILTER_WRAP;
    d.output_as = MST_FILTER_RAW;
    d.white = 0;
    d.tiles = 0;
    d.time_stages = false;
    mst_status status = mst_filter_create_as(plan->context, &d, &choice, out, error);
    if (status != MST_OK || !(*out)->panels)
        return status;
    mst_filter_destroy(*out); // it does not fit
    *out = NULL;
    return mst_fail(error, MST_ERROR_BUDGET, "no tile of an image has room");
}

// Whether a window's spectrum alone is more than the device may hold: no kernels are built to learn that.
static bool is_too_large(const mst_filter *plan, const size_t window[N_SIDES]) {
    const size_t bytes = window[Z] * window[Y] * window[X] * mst_filter_real_bytes(plan);
    return bytes > plan->context->device_memory.limit;
}

// The largest windows that have room.
static mst_status find_windows(mst_filter *plan, struct mst_filter_tiles *t, mst_error *error) {
    mst_status status = mst_fail(error, MST_ERROR_BUDGET, "no tile of an image has room");
    const size_t most = plan->desc.volume ? MOST_DEPTH : MOST_SIDE;
    for (size_t side = most; side >= LEAST_SIDE; side = side % 3 ? side / 4 * 3 : side / 3 * 2) { // 2^k and 3 2^k
        for (int k = 0; k < N_SIDES; k++)
            t->window[k] = k == Z && !plan->desc.volume ? 1 : mst_smaller(side, power_from(2 * t->image[k] + LEAST_SIDE));
        if (is_too_large(plan, t->window))
            continue;
        status = make_inner(plan, t->window, &t->inner, error);
        if (status != MST_ERROR_BUDGET && status != MST_ERROR_DEVICE_MEMORY)
            break;
    }
    return status;
}

// How far a pixel sees the same beyond the edges, however far those go on. The whole comes round to its other end where it was
// padded with zeros, or mirrored to a length that is a faster one.
static size_t same_beyond(size_t transformed, size_t pixels, mst_filter_edges edges) {
    const bool goes_on = edges == MST_FILTER_WRAP || (edges == MST_FILTER_REFLECT && transformed % pixels == 0);
    return goes_on ? SIZE_MAX : transformed - pixels;
}

static mst_status find_halo(mst_filter *plan, struct mst_filter_tiles *t, mst_error *error) {
    mst_status status = MST_OK;
    const size_t transformed[] = {plan->r, plan->p, plan->q};
    size_t most = SIZE_MAX, halo;
    for (int k = plan->desc.volume ? Z : Y; k < N_SIDES; k++)
        most = mst_smaller(mst_smaller(most, t->window[k] * MOST_HALO_EIGHTHS / 8),
                           same_beyond(transformed[k], t->image[k], plan->desc.edges));
    MST_TRY(mst_tiles_bound(plan, t->window, most, &halo, &t->bound, error));
    MST_REQUIRE(
        t->bound <= plan->desc.tiles, MST_ERROR_BUDGET,
        "tiles of %zu x %zu pixels may differ by %.3g of the largest pixel or more, and %.3g is allowed; allow more, or memory "
        "for larger ones, or leave out tiles",
        t->window[X], t->window[Y], t->bound, plan->desc.tiles);
    for (int k = 0; k < N_SIDES; k++) {
        t->halo[k] = k == Z && !plan->desc.volume ? 0 : halo;
        t->step[k] = mst_smaller(t->window[k] - 2 * t->halo[k], t->image[k]);
        t->n[k] = mst_divide_up(t->image[k], t->step[k]);
    }
fail:
    return status;
}

mst_status mst_tiles_make(mst_filter *plan, mst_error *error) {
    mst_status status = MST_OK;
    struct mst_filter_tiles *t = plan->tiles = calloc(1, sizeof *t);
    MST_REQUIRE(t, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    t->image[Z] = plan->depth, t->image[Y] = plan->height, t->image[X] = plan->width;
    MST_TRY(find_windows(plan, t, error));
    MST_TRY(find_halo(plan, t, error));
fail:
    return status;
}

void mst_tiles_destroy(struct mst_filter_tiles *tiles) {
    if (!tiles)
        return;
    mst_filter_destroy(tiles->inner);
    free(tiles);
}

mst_status mst_filter_predict(const mst_filter *plan, mst_filter_forecast *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_description *kind = MST_DESCRIPTION(mst_filter_forecast, MST_FILTER_FORECAST_INIT, bound);
    mst_filter_forecast f = MST_FILTER_FORECAST_INIT;
    MST_REQUIRE(plan && out, MST_ERROR_ARGUMENT, "plan and out must not be NULL");
    MST_TRY(mst_description_check(kind, out, error));
    if (plan->tiles) {
        const struct mst_filter_tiles *t = plan->tiles;
        f.tiles = t->n[Z] * t->n[Y] * t->n[X];
        for (int k = 0; k < N_SIDES; k++) {
            f.tile_shape[k] = t->step[k];
            f.halo[k] = t->halo[k];
        }
        f.bound = t->bound;
    }
    mst_description_write(kind, &f, out);
fail:
    return status;
}

// ---- The run

typedef struct tiles_run {
    mst_panels_run image;
    const struct mst_filter_tiles *tiles;
    size_t first[N_SIDES]; // of the tile's own pixels
    size_t *columns;       // of the image, that the window's are; BEYOND: none
    size_t low, high;      // of these
    void *window, *results;
} tiles_run;

#define BEYOND SIZE_MAX

// The pixel that is at place number k of a window, or BEYOND.
static size_t pixel_at(const tiles_run *r, int side, size_t k) {
    const mst_filter_edges edges = r->image.plan->desc.edges;
    const ptrdiff_t length = (ptrdiff_t)r->tiles->image[side], period = edges == MST_FILTER_REFLECT ? 2 * length : length;
    ptrdiff_t place = (ptrdiff_t)(r->first[side] + k) - (ptrdiff_t)r->tiles->halo[side];
    if (edges == MST_FILTER_ZERO && (place < 0 || place >= length))
        return BEYOND;
    place = (place % period + period) % period;
    return (size_t)(place < length ? place : period - 1 - place);
}

static void find_columns(tiles_run *r) {
    r->low = BEYOND, r->high = 0;
    for (size_t k = 0; k < r->tiles->window[X]; k++) {
        const size_t x = r->columns[k] = pixel_at(r, X, k);
        r->low = mst_smaller(r->low, x);
        r->high = x == BEYOND ? r->high : mst_larger(r->high, x);
    }
}

// A row of the window: the pixels from the first to the last one that it needs are read.
static mst_status load_row(size_t row, void *user, mst_error *error) {
    mst_status status = MST_OK;
    const tiles_run *r = user;
    const struct mst_filter_tiles *t = r->tiles;
    const mst_filter *plan = r->image.plan;
    const size_t width = t->window[X], element = mst_type_bytes(plan->desc.input.type), pixel = plan->colours * element;
    char *to = (char *)r->window + row * width * pixel;
    const size_t z = pixel_at(r, Z, row / t->window[Y]), y = pixel_at(r, Y, row % t->window[Y]);
    void *packed = NULL;
    memset(to, 0, width * pixel);
    if (z == BEYOND || y == BEYOND || r->low == BEYOND)
        return MST_OK;
    MST_TRY(mst_panels_read_part(&r->image, z * plan->height + y, r->low, r->high - r->low + 1, &packed, error));
    for (size_t k = 0, run; k < width; k += run) {
        const size_t x = r->columns[k];
        for (run = 1; x != BEYOND && plan->channels == plan->colours && k + run < width && r->columns[k + run] == x + run;)
            run++;
        if (x != BEYOND)
            memcpy(to + k * pixel, (const char *)packed + (x - r->low) * plan->channels * element, run * pixel);
    }
fail:
    free(packed);
    return status;
}

static size_t own_pixels(const tiles_run *r, int side) {
    return mst_smaller(r->tiles->step[side], r->tiles->image[side] - r->first[side]);
}

// The results of a tile's own row.
static void *results_of(const tiles_run *r, size_t row) {
    const struct mst_filter_tiles *t = r->tiles;
    const size_t rows = own_pixels(r, Y), z = row / rows + t->halo[Z], y = row % rows + t->halo[Y];
    return mst_panels_from(r->image.plan, r->results,
                           ((z * t->window[Y] + y) * t->window[X] + t->halo[X]) * r->image.plan->colours);
}

static mst_status store_row(size_t row, void *user, mst_error *error) {
    const tiles_run *r = user;
    const size_t rows = own_pixels(r, Y), z = row / rows + r->first[Z], y = row % rows + r->first[Y];
    return mst_panels_write_part(&r->image, z * r->image.plan->height + y, r->first[X], own_pixels(r, X), results_of(r, row),
                                 error);
}

static mst_status filter_tile(tiles_run *r, bool stores, mst_error *error) {
    mst_status status = MST_OK;
    const mst_filter *plan = r->image.plan;
    mst_pool *pool = plan->context->pool;
    const size_t rows = own_pixels(r, Z) * own_pixels(r, Y);
    mst_report report = MST_REPORT_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    how.report = &report;
    find_columns(r);
    MST_TRY(mst_pool_run(pool, r->tiles->window[Z] * r->tiles->window[Y], load_row, r, error));
    MST_TRY(mst_filter_execute(r->tiles->inner, mst_at_host(r->window), mst_at_host(r->results), &how, error));
    mst_report_add(&r->image.report, &report);
    if (stores)
        MST_TRY(mst_pool_run(pool, rows, store_row, r, error));
    for (size_t row = 0; row < rows && !stores; row++)
        for (size_t k = 0; k < own_pixels(r, X) * plan->colours; k++)
            mst_panels_add_to_range(&r->image, mst_panels_get(plan, results_of(r, row), k));
    r->image.done++;
    const mst_execution *e = &r->image.how;
    MST_REQUIRE(!e->progress || e->progress(r->image.done, r->image.total, e->progress_user), MST_ERROR_CANCELLED, "cancelled");
fail:
    return status;
}

static mst_status filter_tiles(tiles_run *r, bool stores, mst_error *error) {
    mst_status status = MST_OK;
    const struct mst_filter_tiles *t = r->tiles;
    for (size_t k = 0; k < t->n[Z] * t->n[Y] * t->n[X]; k++) {
        r->first[X] = k % t->n[X] * t->step[X];
        r->first[Y] = k / t->n[X] % t->n[Y] * t->step[Y];
        r->first[Z] = k / t->n[X] / t->n[Y] * t->step[Z];
        MST_TRY(filter_tile(r, stores, error));
    }
fail:
    return status;
}

mst_status mst_tiles_run(mst_filter *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    const double start = mst_now();
    const struct mst_filter_tiles *t = plan->tiles;
    const size_t numbers = t->window[Z] * t->window[Y] * t->window[X] * plan->colours;
    tiles_run r = {.image = {.plan = plan, .where = where, .report = MST_REPORT_INIT}, .tiles = t};
    const bool ranged = mst_filter_ranged(plan);
    const mst_stream_desc ports = {
        .context = plan->context,
        .n_ports = 2,
        .ports = {{MST_PORT_INPUT, plan->desc.input, 0, "input"}, {MST_PORT_OUTPUT, plan->desc.output, 0, "output"}}};
    MST_TRY(mst_host_run_begin(&ports, where, how, &r.image.how, error));
    r.image.total = (uint64_t)plan->n_images * t->n[Z] * t->n[Y] * t->n[X] * (ranged ? 2 : 1);
    r.window = malloc(numbers * mst_type_bytes(plan->desc.input.type));
    r.results = malloc(numbers * mst_filter_real_bytes(plan));
    r.columns = malloc(t->window[X] * sizeof *r.columns);
    MST_REQUIRE(r.window && r.results && r.columns, MST_ERROR_HOST_MEMORY, "out of memory for a tile of an image");
    for (r.image.image = 0; r.image.image < plan->n_images; r.image.image++) {
        r.image.range[0] = r.image.range[1] = 0;
        if (ranged) // which all tiles say before the first is written
            MST_TRY(filter_tiles(&r, false, error));
        MST_TRY(filter_tiles(&r, true, error));
    }
    r.image.report.seconds = mst_now() - start;
    MST_TRY(mst_host_run_end(plan->context, &r.image.how, &r.image.report, error));
fail:
    free(r.window);
    free(r.results);
    free(r.columns);
    return status;
}
