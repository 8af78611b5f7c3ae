// Tiles with halos: windows on an image, continued beyond its edges, each of which a plan of its own filters as if it were
// repeated. A pixel's result then misses what the mask's response reaches beyond the halo, has in its place what lies in the
// window, and sees a response that is sampled from fewer frequencies. The sum of all three, of absolute values, bounds the
// difference.
#include "mask.h"
#include "panels.h"

#include "fft/plan.h"
#include "runtime/description.h"
#include "runtime/numbers.h"
#include "stream/places.h"
#include "stream/transfer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { Z, Y, X, N_SIDES };

#define MOST_SIDE 2048u // of windows on images: responses of twice as many are summed
#define MOST_DEPTH 128u // of windows on volumes
#define LEAST_SIDE 16u
#define MOST_HALO 3 / 8 // of a window

struct mst_filter_tiles {
    mst_filter *inner; // of a window's colours, to raw results
    size_t image[N_SIDES], window[N_SIDES], halo[N_SIDES], step[N_SIDES], n[N_SIDES];
    double bound;
};

// ---- Responses

// A mask's response on a grid of frequencies, which is periodic.
typedef struct response {
    mst_filter grid; // what masks are filled by
    void *values;
} response;

static mst_status fill_row(size_t row, void *user, mst_error *error) {
    mst_status status = MST_OK;
    const response *r = user;
    const mst_filter *g = &r->grid;
    const size_t columns = mst_mask_columns(g);
    void *values = malloc(columns * mst_filter_real_bytes(g));
    MST_REQUIRE(values, MST_ERROR_HOST_MEMORY, "out of memory for a row of a mask");
    mst_mask_fill_row(g, row, values);
    for (size_t l = 0; l < columns; l++) {
        const size_t at = 2 * (row * columns + l);
        mst_panels_put(g, r->values, at, mst_panels_get(g, values, l));
        mst_panels_put(g, r->values, at + 1, 0);
    }
fail:
    free(values);
    return status;
}

// In double precision where there is that, as rounding is summed, too.
static mst_status respond(const mst_filter *plan, const size_t n[N_SIDES], response *r, mst_error *error) {
    mst_status status = MST_OK;
    mst_filter *g = &r->grid;
    mst_fft *fft = NULL;
    void *spectrum = NULL;
    *g = *plan;
    g->cosine = false;
    g->is_double = plan->context->device.fp64;
    g->r = g->period_r = n[Z], g->p = g->period_p = n[Y], g->q = g->period_q = n[X];
    const size_t rows = n[Z] * n[Y], half[] = {n[Z], n[Y], mst_mask_columns(g)};
    mst_fft_desc d = MST_FFT_DESC_INIT;
    d.input = mst_layout_dense(g->is_double ? MST_COMPLEX128 : MST_COMPLEX64, N_SIDES, half);
    d.output = mst_layout_dense(g->is_double ? MST_FLOAT64 : MST_FLOAT32, N_SIDES, n);
    d.n_axes = N_SIDES;
    for (int side = 0; side < N_SIDES; side++)
        d.axes[side] = side;
    d.direction = MST_FFT_INVERSE;
    d.scale = 1 / ((double)n[Z] * (double)n[Y] * (double)n[X]);
    r->values = spectrum = malloc(rows * half[X] * 2 * mst_filter_real_bytes(g));
    MST_REQUIRE(spectrum, MST_ERROR_HOST_MEMORY, "out of memory for the response of a mask");
    MST_TRY(mst_pool_run(plan->context->pool, rows, fill_row, r, error));
    r->values = malloc(rows * n[X] * mst_filter_real_bytes(g));
    MST_REQUIRE(r->values, MST_ERROR_HOST_MEMORY, "out of memory for the response of a mask");
    MST_TRY(mst_fft_create(plan->context, &d, &fft, error));
    MST_TRY(mst_fft_execute(fft, mst_at_host(spectrum), mst_at_host(r->values), NULL, error));
fail:
    if (r->values != spectrum)
        free(spectrum);
    mst_fft_destroy(fft);
    return status;
}

static size_t away(size_t k, size_t n) { return mst_smaller(k, n - k); }

// Sums of absolute values by the distance from 0, the largest along the axes: of a tile's response, of the whole's, and of their
// difference where there are both. One axis of an image has one point.
typedef struct reaches {
    size_t n; // distances
    double (*at)[3];
} reaches;

static mst_status sum_reaches(const response *tile, const response *whole, reaches *all, mst_error *error) {
    const mst_filter *t = &tile->grid, *w = &whole->grid;
    const size_t small[] = {t->r, t->p, t->q};
    all->n = mst_larger(mst_larger(w->r, w->p), mst_larger(w->q, mst_larger(t->p, t->q))) / 2 + 1;
    all->at = calloc(all->n, sizeof *all->at);
    if (!all->at)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for the response of a mask");
    for (size_t z = 0; z < w->r; z++)
        for (size_t y = 0; y < w->p; y++)
            for (size_t x = 0; x < w->q; x++) {
                const size_t far[] = {away(z, w->r), away(y, w->p), away(x, w->q)},
                             at = mst_larger(mst_larger(far[Z], far[Y]), far[X]);
                const double value = mst_panels_get(w, whole->values, (z * w->p + y) * w->q + x);
                all->at[at][1] += fabs(value);
                if (far[Z] > (small[Z] - 1) / 2 || far[Y] > (small[Y] - 1) / 2 || far[X] > (small[X] - 1) / 2)
                    continue;
                const size_t k[] = {2 * z > w->r ? small[Z] - far[Z] : far[Z], 2 * y > w->p ? small[Y] - far[Y] : far[Y],
                                    2 * x > w->q ? small[X] - far[X] : far[X]};
                all->at[at][2] += fabs(value - mst_panels_get(t, tile->values, (k[Z] * t->p + k[Y]) * t->q + k[X]));
            }
    for (size_t z = 0; z < t->r; z++)
        for (size_t y = 0; y < t->p; y++)
            for (size_t x = 0; x < t->q; x++) {
                const size_t at = mst_larger(mst_larger(away(z, t->r), away(y, t->p)), away(x, t->q));
                all->at[at][0] += fabs(mst_panels_get(t, tile->values, (z * t->p + y) * t->q + x));
            }
    return MST_OK;
}

// The least halo whose bound is near enough, or the largest one.
static size_t halo_of(const reaches *all, size_t most, double wanted, double *bound) {
    double outside = 0, inside = 0;
    for (size_t k = 0; k < all->n; k++)
        outside += all->at[k][0] + all->at[k][1];
    for (size_t halo = 0;; halo++) {
        outside -= all->at[halo][0] + all->at[halo][1];
        inside += all->at[halo][2];
        *bound = fmax(outside, 0) + inside;
        if (*bound <= wanted || halo + 1 > most || halo + 1 >= all->n)
            return halo;
    }
}

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

// The largest windows that have room.
static mst_status find_windows(mst_filter *plan, struct mst_filter_tiles *t, mst_error *error) {
    mst_status status = MST_ERROR_BUDGET;
    const size_t most = plan->desc.volume ? MOST_DEPTH : MOST_SIDE;
    for (size_t side = most; side >= LEAST_SIDE; side = side % 3 ? side / 4 * 3 : side / 3 * 2) { // 2^k and 3 2^k
        for (int k = 0; k < N_SIDES; k++)
            t->window[k] = k == Z && !plan->desc.volume ? 1 : mst_smaller(side, power_from(2 * t->image[k] + LEAST_SIDE));
        status = make_inner(plan, t->window, &t->inner, error);
        if (status != MST_ERROR_BUDGET && status != MST_ERROR_DEVICE_MEMORY)
            break;
    }
    return status;
}

static mst_status find_halo(mst_filter *plan, struct mst_filter_tiles *t, mst_error *error) {
    mst_status status = MST_OK;
    response tile = {.values = NULL}, whole = {.values = NULL};
    reaches all = {.at = NULL};
    const size_t periods[] = {plan->period_r, plan->period_p, plan->period_q};
    size_t n[N_SIDES], most = SIZE_MAX, halo;
    for (int k = plan->desc.volume ? Z : Y; k < N_SIDES; k++)
        most = mst_smaller(most, t->window[k] * MOST_HALO);
    for (int k = 0; k < N_SIDES; k++)
        n[k] = mst_smaller(periods[k], k == Z && !plan->desc.volume ? 1 : 2 * t->window[k]);
    MST_TRY(respond(plan, t->window, &tile, error));
    MST_TRY(respond(plan, n, &whole, error));
    MST_TRY(sum_reaches(&tile, &whole, &all, error));
    halo = halo_of(&all, most, plan->desc.tiles, &t->bound);
    MST_REQUIRE(
        t->bound <= plan->desc.tiles, MST_ERROR_BUDGET,
        "tiles of %zu x %zu pixels differ by up to %.3g of the largest pixel, and %.3g is allowed; allow more, or memory for "
        "larger ones, or leave out tiles",
        t->window[X], t->window[Y], t->bound, plan->desc.tiles);
    for (int k = 0; k < N_SIDES; k++) {
        t->halo[k] = k == Z && !plan->desc.volume ? 0 : halo;
        t->step[k] = mst_smaller(t->window[k] - 2 * t->halo[k], t->image[k]);
        t->n[k] = mst_divide_up(t->image[k], t->step[k]);
    }
fail:
    free(tile.values);
    free(whole.values);
    free(all.at);
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
    void *window, *results;
} tiles_run;

// The pixel that is at a place, or *beyond: there is none.
static size_t pixel_at(const mst_filter *plan, ptrdiff_t place, size_t n, bool *beyond) {
    const ptrdiff_t length = (ptrdiff_t)n, period = plan->desc.edges == MST_FILTER_REFLECT ? 2 * length : length;
    *beyond = plan->desc.edges == MST_FILTER_ZERO && (place < 0 || place >= length);
    place = (place % period + period) % period;
    return (size_t)(place < length ? place : period - 1 - place);
}

static ptrdiff_t place_of(const tiles_run *r, int side, size_t k) {
    return (ptrdiff_t)(r->first[side] + k) - (ptrdiff_t)r->tiles->halo[side];
}

// A row of the window: the pixels from the first to the last one that it needs are read.
static mst_status load_row(size_t row, void *user, mst_error *error) {
    mst_status status = MST_OK;
    const tiles_run *r = user;
    const struct mst_filter_tiles *t = r->tiles;
    const mst_filter *plan = r->image.plan;
    const size_t width = t->window[X], element = mst_type_bytes(plan->desc.input.type), pixel = plan->colours * element;
    char *to = (char *)r->window + row * width * pixel;
    bool beyond[N_SIDES];
    const size_t z = pixel_at(plan, place_of(r, Z, row / t->window[Y]), plan->depth, &beyond[Z]),
                 y = pixel_at(plan, place_of(r, Y, row % t->window[Y]), plan->height, &beyond[Y]);
    size_t low = plan->width, high = 0;
    void *packed = NULL;
    memset(to, 0, width * pixel);
    for (size_t k = 0; k < width; k++) {
        const size_t x = pixel_at(plan, place_of(r, X, k), plan->width, &beyond[X]);
        low = beyond[X] ? low : mst_smaller(low, x);
        high = beyond[X] ? high : mst_larger(high, x);
    }
    if (beyond[Z] || beyond[Y] || low > high)
        return MST_OK;
    MST_TRY(mst_panels_read_part(&r->image, z * plan->height + y, low, high - low + 1, &packed, error));
    for (size_t k = 0; k < width; k++) {
        const size_t x = pixel_at(plan, place_of(r, X, k), plan->width, &beyond[X]);
        if (!beyond[X])
            memcpy(to + k * pixel, (const char *)packed + (x - low) * plan->channels * element, pixel);
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
    MST_REQUIRE(r.window && r.results, MST_ERROR_HOST_MEMORY, "out of memory for a tile of an image");
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
    return status;
}
