// The bound of tiles. A tile has its own response t, of which the halo h takes in a part. Let c be t cut off at some distance,
// and C its transform, at any frequency. What filters the whole is c and a rest, whose transform at the whole's frequencies is
// the mask less C. So results differ, for pixels of up to 1, by no more than the sum of |t| beyond h, where windows hold other
// pixels, and of |c - t| within, and by the sum of |rest|. By Cauchy and Schwarz, and Parseval, that is at most
//     sqrt(N sum |rest|^2) = sqrt(sum |mask - C|^2)
// with both sums over the N points or frequencies of the whole. It is summed over every one of them, so no part of a mask is
// missed, however fine; t needs not be exact, nor near the whole's response.
#include "tiles_bound.h"

#include "description.h"
#include "mask.h"
#include "panels.h"

#include "fft/plan.h"
#include "runtime/numbers.h"
#include "runtime/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    for (size_t row = 0; row < g->r * g->p; row++) {
        const size_t off = mst_larger(away(row / g->p, g->r), away(row % g->p, g->p));
        for (size_t x = 0; x < g->q; x++) {
            const size_t at = mst_larger(off, away(x, g->q));
            const double value = mst_panels_get(g, r->values, row * g->q + x);
            if (at > 0) {
                all->sum[at - 1][0] += fabs(value);
                all->sum[at - 1][1] += value * value;
            }
        }
    }
    for (size_t k = all->n - 1; k-- > 0;)
        for (int i = 0; i < 2; i++)
            all->sum[k][i] += all->sum[k + 1][i];
    return MST_OK;
}

// ---- The transform of what is within the cut, at the whole's frequencies
//
// C is real, as c is the same at opposite places. So it is a sum of parts of c that are even or odd along each axis, odd along
// two or none, each transformed by cosines along the ones and by sines along the others. A mask that is even along each axis has
// the first part only.

#define MOST_PARTS 4

static const bool is_odd[MOST_PARTS][N_SIDES] = {
    {false, false, false}, {false, true, true}, {true, false, true}, {true, true, false}};

// Of frequencies l along the width, by the angle 2 pi l / q.
enum { COS, SIN, TWICE_COS_2, SIN_2, N_TURNS };

typedef struct rest {
    mst_filter grid;
    size_t cut[N_SIDES];
    bool is_even;
    size_t n_parts;
    size_t m;                  // along the depth: the frequency of which slices are made
    double *box[MOST_PARTS];   // within the cut, from 0 on: [cut + 1][cut + 1][cut + 1]
    double *slice[MOST_PARTS]; // transformed along the depth
    double *turns[N_TURNS];    // of the frequencies along the width
    double *squares;           // of differences, summed by the row
} rest;

static size_t box_rows(const rest *r) { return r->cut[Y] + 1; }
static size_t box_columns(const rest *r) { return r->cut[X] + 1; }

// A part at a place: the mean over the signs that its coordinates may have, as often as there are such places.
static double part_at(const response *tile, const bool *odd, size_t z, size_t y, size_t x) {
    const mst_filter *g = &tile->grid;
    double sum = 0;
    for (int back = 0; back < (z > 0 ? 2 : 1); back++)
        for (int up = 0; up < (y > 0 ? 2 : 1); up++) {
            const size_t row = (back ? g->r - z : z) * g->p + (up ? g->p - y : y);
            const double value = mst_panels_get(g, tile->values, row * g->q + x);
            sum += (back && odd[Z]) != (up && odd[Y]) ? -value : value;
        }
    return (x > 0 ? 2 : 1) * (odd[X] || odd[Y] ? -sum : sum);
}

static void fill_boxes(rest *r, const response *tile) {
    for (size_t part = 0; part < r->n_parts; part++)
        for (size_t i = 0, z = 0; z <= r->cut[Z]; z++)
            for (size_t y = 0; y <= r->cut[Y]; y++)
                for (size_t x = 0; x <= r->cut[X]; x++)
                    r->box[part][i++] = part_at(tile, is_odd[part], z, y, x);
}

// cos or sin of 2 pi k j / n
static double turn_by(size_t k, size_t j, size_t n, bool odd) {
    const double angle = 2 * acos(-1) * (double)(k * j % n) / (double)n;
    return odd ? sin(angle) : cos(angle);
}

// Adds up `rows` rows of so many numbers, turned by frequency k of n.
static void transform_rows(const double *from, size_t rows, size_t numbers, size_t k, size_t n, bool odd, double *to) {
    memset(to, 0, numbers * sizeof *to);
    for (size_t j = 0; j < rows; j++) {
        const double turn = turn_by(k, j, n, odd);
        for (size_t i = 0; i < numbers; i++)
            to[i] += from[j * numbers + i] * turn;
    }
}
// From frequency l on, what number j of numbers j = first, first + 2, .. of a row adds to the series by Clenshaw's recurrence.
static void recur(const rest *r, const double *row, size_t first, size_t l, double b[2][AT_ONCE]) {
    const double *twice = r->turns[TWICE_COS_2] + l;
    memset(b, 0, 2 * sizeof *b);
    for (size_t x = r->cut[X] - (r->cut[X] - first) % 2; x >= first && x <= r->cut[X]; x -= 2)
        for (unsigned i = 0; i < AT_ONCE; i++) {
            const double value = row[x] + twice[i] * b[0][i] - b[1][i];
            b[1][i] = b[0][i];
            b[0][i] = value;
        }
}

// Frequencies along the width that are summed; of an even number also half of it less each.
static size_t summed_columns(const rest *r) { return r->grid.q % 2 ? r->grid.q / 2 + 1 : r->grid.q / 4 + 1; }

// sum_x row[x] cos(2 pi l x / q), or with sines, at all frequencies: even x and odd ones apart, whose sums at q / 2 - l differ in
// sign only.
static void transform_row(const rest *r, const double *row, bool odd, double *values) {
    double two[2][AT_ONCE], one[2][AT_ONCE];
    const size_t n = summed_columns(r), half = r->grid.q / 2;
    for (size_t l = 0; l < n; l += AT_ONCE) {
        recur(r, row, 2, l, two);
        recur(r, row, 1, l, one);
        for (size_t i = l; i < mst_smaller(l + AT_ONCE, n); i++) {
            const double *b[] = {two[0] + i - l, two[1] + i - l, one[0] + i - l, one[1] + i - l};
            const double even = odd ? r->turns[SIN_2][i] * *b[0] : row[0] + r->turns[TWICE_COS_2][i] / 2 * *b[0] - *b[1],
                         other = odd ? r->turns[SIN][i] * (*b[2] + *b[3]) : r->turns[COS][i] * (*b[2] - *b[3]);
            values[i] = even + other;
            if (r->grid.q % 2 == 0)
                values[half - i] = odd ? other - even : even - other;
        }
    }
}

// How many frequencies of an axis have the same mask as number k of its first half.
static double times(size_t k, size_t n) { return k == 0 || 2 * k == n ? 1 : 2; }

// The squares of a row of frequencies of the mask, at m or its opposite, and k or its opposite.
static double squares_at(const rest *r, size_t k, bool back, bool up, double *const values[MOST_PARTS], double *mask) {
    const mst_filter *g = &r->grid;
    const size_t row = (back ? g->r - r->m : r->m) * g->p + (up ? g->p - k : k), columns = mst_mask_columns(g);
    double sum = 0;
    mst_mask_fill_row(g, row, mask);
    for (size_t part = 0; part < r->n_parts; part++) {
        const double sign = (back && is_odd[part][Z]) != (up && is_odd[part][Y]) ? -1 : 1;
        for (size_t l = 0; l < columns; l++)
            mask[l] -= sign * values[part][l];
    }
    for (size_t l = 0; l < columns; l++)
        sum += times(l, g->q) * mask[l] * mask[l];
    return sum;
}

static mst_status sum_row(size_t k, void *user, mst_error *error) {
    mst_status status = MST_OK;
    rest *r = user;
    const mst_filter *g = &r->grid;
    const size_t columns = mst_mask_columns(g), width = box_columns(r);
    double *mask = malloc((columns * (1 + r->n_parts) + width) * sizeof *mask), *values[MOST_PARTS];
    MST_REQUIRE(mask, MST_ERROR_HOST_MEMORY, "out of memory for a row of a mask");
    for (size_t part = 0; part < r->n_parts; part++) {
        double *row = mask + columns * (1 + r->n_parts);
        values[part] = mask + columns * (1 + part);
        transform_rows(r->slice[part], box_rows(r), width, k, g->p, is_odd[part][Y], row);
        transform_row(r, row, is_odd[part][X], values[part]);
    }
    const double backs = times(r->m, g->r), ups = times(k, g->p);
    r->squares[k] = 0;
    if (r->is_even)
        r->squares[k] = backs * ups * squares_at(r, k, false, false, values, mask);
    else
        for (int back = 0; back < (int)backs; back++)
            for (int up = 0; up < (int)ups; up++)
                r->squares[k] += squares_at(r, k, back, up, values, mask);
fail:
    free(mask);
    return status;
}

// Over all frequencies.
static mst_status sum_squares(const mst_filter *plan, rest *r, double *sum, mst_error *error) {
    mst_status status = MST_OK;
    const size_t rows = r->grid.p / 2 + 1;
    *sum = 0;
    for (r->m = 0; r->m <= r->grid.r / 2; r->m++) {
        for (size_t part = 0; part < r->n_parts; part++)
            transform_rows(r->box[part], r->cut[Z] + 1, box_rows(r) * box_columns(r), r->m, r->grid.r, is_odd[part][Z],
                           r->slice[part]);
        MST_TRY(mst_pool_run(plan->context->pool, rows, sum_row, r, error));
        for (size_t k = 0; k < rows; k++)
            *sum += r->squares[k];
    }
fail:
    return status;
}

static bool make_rest(rest *r) {
    const size_t slice = box_rows(r) * box_columns(r), n = summed_columns(r) + AT_ONCE;
    bool made = (r->squares = malloc((r->grid.p / 2 + 1) * sizeof *r->squares)) != NULL;
    for (size_t part = 0; part < r->n_parts; part++)
        made = made && (r->box[part] = malloc((r->cut[Z] + 1) * slice * sizeof(double))) &&
               (r->slice[part] = malloc(slice * sizeof(double)));
    for (int turn = 0; turn < N_TURNS; turn++)
        made = made && (r->turns[turn] = malloc(n * sizeof(double)));
    for (size_t l = 0; l < n && made; l++) {
        const double angle = 2 * acos(-1) * (double)l / (double)r->grid.q;
        r->turns[COS][l] = cos(angle), r->turns[SIN][l] = sin(angle);
        r->turns[TWICE_COS_2][l] = 2 * cos(2 * angle), r->turns[SIN_2][l] = sin(2 * angle);
    }
    return made;
}

static void unmake_rest(rest *r) {
    free(r->squares);
    for (size_t part = 0; part < r->n_parts; part++)
        free(r->box[part]), free(r->slice[part]);
    for (int turn = 0; turn < N_TURNS; turn++)
        free(r->turns[turn]);
}

// sqrt(sum |mask - C|^2)
static mst_status sum_rest(const mst_filter *plan, const response *tile, size_t cut, double *out, mst_error *error) {
    mst_status status = MST_OK;
    size_t whole[N_SIDES];
    count_whole(plan, whole);
    const bool is_even = mst_filter_mask_is_even(&plan->desc);
    rest r = {.grid = grid_of(plan, whole, true),
              .cut = {plan->desc.volume ? cut : 0, cut, cut},
              .is_even = is_even,
              .n_parts = is_even             ? 1
                         : plan->desc.volume ? MOST_PARTS
                                             : 2};
    MST_REQUIRE(make_rest(&r), MST_ERROR_HOST_MEMORY, "out of memory for the response of a mask");
    fill_boxes(&r, tile);
    MST_TRY(sum_squares(plan, &r, out, error));
    *out = sqrt(*out);
fail:
    unmake_rest(&r);
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
