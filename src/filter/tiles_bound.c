// The bound of tiles. A tile has its own response t, of which the halo h takes in a part. Let c be t cut off at some distance,
// and C its transform, at any frequency. What filters the whole is c and a rest, whose transform at the whole's frequencies is
// the mask less C. So results differ, for pixels of up to 1, by no more than the sum of |t| beyond h, where windows hold other
// pixels, and of |c - t| within, and by the sum of |rest|. By Cauchy and Schwarz, and Parseval, that is at most
//     sqrt(N sum |rest|^2) = sqrt(sum |mask - C|^2)
// with both sums over the N points or frequencies of the whole. It is summed over every one of them, so no part of a mask is
// missed, however fine; t needs not be exact, nor near the whole's response.
#include "tiles_bound.h"

#include "mask.h"
#include "panels.h"

#include "fft/plan.h"
#include "runtime/numbers.h"
#include "runtime/pool.h"

#include <math.h>
#include <stdlib.h>

enum { Z, Y, X, N_SIDES };

#define MOST_CUT 400u // pixels that are summed to either side, for each frequency
#define CUT_SHARE 8   // of the bound that is wanted: one in so many parts may be what the cut takes off
#define AT_ONCE 8u    // frequencies

// ---- A tile's response

// A mask's response on a grid of frequencies, which is periodic.
typedef struct response {
    mst_filter grid; // what masks are filled by
    void *values;
} response;

// The whole's frequencies along each axis.
static void count_whole(const mst_filter *plan, size_t n[N_SIDES]) {
    n[Z] = plan->desc.volume ? plan->period_r : 1;
    n[Y] = plan->period_p;
    n[X] = plan->period_q;
}

// The plan's mask at all frequencies of n, in double precision where there is that, as rounding is summed, too.
static mst_filter grid_of(const mst_filter *plan, const size_t n[N_SIDES], bool is_double) {
    mst_filter g = *plan;
    g.cosine = false;
    g.is_double = is_double;
    g.r = g.period_r = n[Z], g.p = g.period_p = n[Y], g.q = g.period_q = n[X];
    return g;
}

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

static mst_status respond(const mst_filter *plan, const size_t n[N_SIDES], response *r, mst_error *error) {
    mst_status status = MST_OK;
    mst_filter *g = &r->grid;
    mst_fft *fft = NULL;
    void *spectrum = NULL;
    *g = grid_of(plan, n, plan->context->device.fp64);
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

// Sums beyond each distance from 0, the largest along the axes: of absolute values, and of squares.
typedef struct beyond {
    size_t n; // distances
    double (*sum)[2];
} beyond;

static mst_status sum_beyond(const response *r, beyond *all, mst_error *error) {
    const mst_filter *g = &r->grid;
    all->n = mst_larger(g->r, mst_larger(g->p, g->q)) / 2 + 1;
    all->sum = calloc(all->n, sizeof *all->sum);
    if (!all->sum)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for the response of a mask");
    for (size_t i = 0; i < g->r * g->p * g->q; i++) {
        const size_t z = i / g->q / g->p, y = i / g->q % g->p, x = i % g->q,
                     at = mst_larger(mst_larger(away(z, g->r), away(y, g->p)), away(x, g->q));
        const double value = mst_panels_get(g, r->values, i);
        if (at > 0) {
            all->sum[at - 1][0] += fabs(value);
            all->sum[at - 1][1] += value * value;
        }
    }
    for (size_t k = all->n - 1; k-- > 0;)
        for (int i = 0; i < 2; i++)
            all->sum[k][i] += all->sum[k + 1][i];
    return MST_OK;
}

// ---- The transform of what is within the cut, at the whole's frequencies

typedef struct rest {
    mst_filter grid;
    size_t cut[N_SIDES];
    size_t m;             // along the depth: the frequency of which a slice is made
    double *box;          // within the cut: [2 cut + 1][2 cut + 1][cut + 1], as opposite values are the same
    double (*slice)[2];   // its transform along the depth, complex
    double *twice, *sine; // 2 cos and sin of the frequencies along the width
    double *squares;      // of differences, summed by the row
} rest;

static size_t box_rows(const rest *r) { return 2 * r->cut[Y] + 1; }
static size_t box_columns(const rest *r) { return r->cut[X] + 1; }

static void fill_box(rest *r, const response *tile) {
    const mst_filter *g = &tile->grid;
    for (size_t z = 0; z <= 2 * r->cut[Z]; z++)
        for (size_t y = 0; y <= 2 * r->cut[Y]; y++)
            for (size_t x = 0; x <= r->cut[X]; x++)
                r->box[(z * box_rows(r) + y) * box_columns(r) + x] = mst_panels_get(
                    g, tile->values, ((z + g->r - r->cut[Z]) % g->r * g->p + (y + g->p - r->cut[Y]) % g->p) * g->q + x);
}

// exp(-2 pi i k (j - cut) / n)
static void turn_by(size_t k, size_t j, size_t cut, size_t n, double turn[2]) {
    const size_t off = j < cut ? cut - j : j - cut;
    const double angle = 2 * acos(-1) * (double)(k * off % n) / (double)n;
    turn[0] = cos(angle);
    turn[1] = j < cut ? sin(angle) : -sin(angle);
}

static void fill_slice(rest *r) {
    const size_t numbers = box_rows(r) * box_columns(r);
    double turn[2];
    for (size_t i = 0; i < numbers; i++)
        r->slice[i][0] = r->slice[i][1] = 0;
    for (size_t z = 0; z <= 2 * r->cut[Z]; z++) {
        turn_by(r->m, z, r->cut[Z], r->grid.r, turn);
        for (size_t i = 0; i < numbers; i++)
            for (int part = 0; part < 2; part++)
                r->slice[i][part] += r->box[z * numbers + i] * turn[part];
    }
}

// Of row k of frequencies: sum_y slice[y][x] exp(-2 pi i k y / p), the real parts in [0], the imaginary ones in [1].
static void transform_columns(const rest *r, size_t k, double *sums[2]) {
    double turn[2];
    for (size_t x = 0; x < box_columns(r); x++)
        sums[0][x] = sums[1][x] = 0;
    for (size_t y = 0; y < box_rows(r); y++) {
        turn_by(k, y, r->cut[Y], r->grid.p, turn);
        for (size_t x = 0; x < box_columns(r); x++) {
            const double *value = r->slice[y * box_columns(r) + x];
            sums[0][x] += value[0] * turn[0] - value[1] * turn[1];
            sums[1][x] += value[0] * turn[1] + value[1] * turn[0];
        }
    }
}

// From frequency l on: sums[0][0] + 2 sum_x sums[0][x] cos(2 pi l x / q) + sums[1][x] sin(2 pi l x / q), by Clenshaw's
// recurrence.
static void transform_row(const rest *r, double *const sums[2], size_t l, double out[AT_ONCE]) {
    double next[2][AT_ONCE] = {{0}}, last[2][AT_ONCE] = {{0}};
    const double *twice = r->twice + l, *sine = r->sine + l;
    for (size_t x = r->cut[X]; x > 0; x--)
        for (int part = 0; part < 2; part++)
            for (unsigned i = 0; i < AT_ONCE; i++) {
                const double value = sums[part][x] + twice[i] * next[part][i] - last[part][i];
                last[part][i] = next[part][i];
                next[part][i] = value;
            }
    for (unsigned i = 0; i < AT_ONCE; i++)
        out[i] = sums[0][0] + next[0][i] * twice[i] - 2 * last[0][i] + 2 * next[1][i] * sine[i];
}

// How many frequencies of an axis have the same mask as number k of its first half.
static double times(size_t k, size_t n) { return k == 0 || 2 * k == n ? 1 : 2; }

static mst_status sum_row(size_t k, void *user, mst_error *error) {
    mst_status status = MST_OK;
    rest *r = user;
    const size_t columns = mst_mask_columns(&r->grid), width = box_columns(r);
    double *mask = malloc((columns + 2 * width) * sizeof *mask), *sums[2], values[AT_ONCE], sum = 0;
    MST_REQUIRE(mask, MST_ERROR_HOST_MEMORY, "out of memory for a row of a mask");
    sums[0] = mask + columns, sums[1] = sums[0] + width;
    mst_mask_fill_row(&r->grid, r->m * r->grid.p + k, mask);
    transform_columns(r, k, sums);
    for (size_t l = 0; l < columns; l += AT_ONCE) {
        transform_row(r, sums, l, values);
        for (size_t i = 0; i < AT_ONCE && l + i < columns; i++)
            sum += times(l + i, r->grid.q) * (mask[l + i] - values[i]) * (mask[l + i] - values[i]);
    }
    r->squares[k] = sum;
fail:
    free(mask);
    return status;
}

// Over all frequencies; where the mask is even along all axes, over half of each.
static mst_status sum_squares(const mst_filter *plan, rest *r, double *sum, mst_error *error) {
    mst_status status = MST_OK;
    const bool is_even = plan->cosine;
    const size_t depth = is_even ? r->grid.r / 2 + 1 : r->grid.r, rows = is_even ? r->grid.p / 2 + 1 : r->grid.p;
    *sum = 0;
    for (r->m = 0; r->m < depth; r->m++) {
        double slice = 0;
        fill_slice(r);
        MST_TRY(mst_pool_run(plan->context->pool, rows, sum_row, r, error));
        for (size_t k = 0; k < rows; k++)
            slice += r->squares[k] * (is_even ? times(k, r->grid.p) : 1);
        *sum += slice * (is_even ? times(r->m, r->grid.r) : 1);
    }
fail:
    return status;
}

// sqrt(sum |mask - C|^2)
static mst_status sum_rest(const mst_filter *plan, const response *tile, size_t cut, double *out, mst_error *error) {
    mst_status status = MST_OK;
    size_t whole[N_SIDES];
    count_whole(plan, whole);
    const size_t columns = whole[X] / 2 + 1 + AT_ONCE;
    rest r = {.grid = grid_of(plan, whole, true), .cut = {plan->desc.volume ? cut : 0, cut, cut}};
    const size_t numbers = box_rows(&r) * box_columns(&r);
    r.box = malloc((2 * r.cut[Z] + 1) * numbers * sizeof *r.box);
    r.slice = malloc(numbers * sizeof *r.slice);
    r.twice = malloc(columns * sizeof *r.twice), r.sine = malloc(columns * sizeof *r.sine);
    r.squares = malloc(whole[Y] * sizeof *r.squares);
    MST_REQUIRE(r.box && r.slice && r.twice && r.sine && r.squares, MST_ERROR_HOST_MEMORY,
                "out of memory for the response of a mask");
    for (size_t l = 0; l < columns; l++) {
        const double angle = 2 * acos(-1) * (double)l / (double)whole[X];
        r.twice[l] = 2 * cos(angle), r.sine[l] = sin(angle);
    }
    fill_box(&r, tile);
    MST_TRY(sum_squares(plan, &r, out, error));
    *out = sqrt(*out);
fail:
    free(r.box), free(r.slice), free(r.twice), free(r.sine), free(r.squares);
    return status;
}

// ---- The bound

// The least cut that takes off little.
static size_t cut_of(const mst_filter *plan, const beyond *all, size_t most) {
    size_t whole[N_SIDES], cut = 0;
    count_whole(plan, whole);
    const double points = (double)whole[Z] * (double)whole[Y] * (double)whole[X];
    while (cut < most && sqrt(points * all->sum[cut][1]) > plan->desc.tiles / CUT_SHARE)
        cut++;
    return cut;
}

static double beyond_halo(const beyond *all, size_t halo, size_t cut) {
    return all->sum[halo][0] + fabs(all->sum[halo][0] - all->sum[cut][0]);
}

mst_status mst_tiles_bound(const mst_filter *plan, const size_t window[3], size_t most, size_t *halo, double *bound,
                           mst_error *error) {
    mst_status status = MST_OK;
    response tile = {.values = NULL};
    beyond all = {.sum = NULL};
    double other = 0;
    size_t cut = MOST_CUT;
    MST_TRY(respond(plan, window, &tile, error));
    MST_TRY(sum_beyond(&tile, &all, error));
    for (int k = plan->desc.volume ? Z : Y; k < N_SIDES; k++)
        cut = mst_smaller(cut, (window[k] - 1) / 2);
    cut = cut_of(plan, &all, cut);
    *halo = most;
    *bound = beyond_halo(&all, most, cut);
    if (*bound <= plan->desc.tiles) { // else the frequencies of the whole, which take longer, can only add to it
        MST_TRY(sum_rest(plan, &tile, cut, &other, error));
        for (*halo = 0; *halo < most && other + beyond_halo(&all, *halo, cut) > plan->desc.tiles;)
            ++*halo;
        *bound = other + beyond_halo(&all, *halo, cut);
    }
fail:
    free(tile.values);
    free(all.sum);
    return status;
}
