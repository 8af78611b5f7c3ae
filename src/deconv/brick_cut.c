// How large bricks are: what is computed grows with the sum of their windows, in which neighbours share their halos. So the least
// sum is sought among lengths of which transforms are fast, whose arrays the budgets have room for.
#include "bricks.h"

#include "runtime/numbers.h"

#include <math.h>

#define MOST_LENGTHS 96
#define SPARSE 1.03     // lengths to choose from are so much apart
#define PASSES 12.0     // over memory in an iteration, in levels of butterflies
#define FFT_SPECTRA 1.0 // what transforms work in, in spectra, until they are made

// What to choose from along a side: ascending windows, each with fewer bricks than the one before.
typedef struct brick_lengths {
    int n;
    size_t bricks[MOST_LENGTHS], step[MOST_LENGTHS], halo[MOST_LENGTHS], padded[MOST_LENGTHS];
} brick_lengths;

size_t mst_brick_count(const mst_brick_cut *cut) { return cut->n[Z] * cut->n[Y] * cut->n[X]; }

int64_t mst_brick_origin(const mst_deconvolution *plan, size_t item, int side) {
    const mst_brick_cut *cut = &plan->cut;
    if (!cut->is_cut)
        return 0;
    for (int k = X; k > side; k--)
        item /= cut->n[k];
    return (int64_t)(item % cut->n[side] * cut->step[side]) - (int64_t)cut->halo[side] - (int64_t)cut->pad[side];
}

size_t mst_brick_face(const mst_deconvolution *plan, int side) {
    const mst_brick_cut *cut = &plan->cut;
    size_t points = 1;
    for (int k = 0; k < N_SIDES; k++)
        points *= k == side ? 1 : cut->step[k];
    return cut->n[side] > 1 ? points : 0;
}

size_t mst_brick_faces(const mst_deconvolution *plan) {
    size_t points = 0;
    for (int side = 0; side < N_SIDES; side++)
        points += 2 * mst_brick_face(plan, side);
    return points;
}

size_t mst_brick_object(const mst_deconvolution *plan, int side) {
    const bool goes_on =
        plan->desc.exact && plan->desc.edges == MST_DECONVOLUTION_OBSERVED && !plan->cut.goes_round && plan->psf_shape[side] > 0;
    return plan->whole[side] + (goes_on ? mst_deconvolution_reach(plan, side) : 0);
}

// Axes of a port: numbers of bricks, then points of one. The image's first point is the object's number `pad`.
void mst_brick_windows(const mst_deconvolution *plan, int array, bool state, mst_port *port, mst_windows *windows) {
    const int n = plan->desc.n_axes;
    const bool own = array == ARRAY_RESULT, of_object = state || (plan->desc.exact && array == ARRAY_START);
    const mst_layout given = port->layout;
    size_t shape[2 * MST_MAX_AXES], object[2 * MST_MAX_AXES] = {0};
    for (int a = 0; a < n; a++) {
        const int side = N_SIDES - n + a;
        shape[a] = plan->cut.n[side];
        shape[n + a] = own ? plan->cut.step[side] : plan->extent[side];
        object[a] = 1;
        object[n + a] = of_object ? mst_brick_object(plan, side) : given.shape[a];
    }
    *windows = (mst_windows){.n_axes = n, .array = mst_layout_dense(given.type, 2 * n, object)};
    for (int a = 0; a < n; a++) {
        const int side = N_SIDES - n + a;
        const int64_t before = (int64_t)(own ? 0 : plan->cut.halo[side]) + (int64_t)(of_object ? 0 : plan->cut.pad[side]);
        if (!of_object)
            windows->array.strides[n + a] = given.strides[a];
        windows->axes[a] = (mst_windows_axis){a, n + a, -before, (int64_t)plan->cut.step[side], plan->cut.goes_round && !own};
    }
    port->layout = mst_layout_dense(given.type, 2 * n, shape);
    port->split = n;
}

// ---- Choosing

// Exact, one point more, which is a neighbour's and as exact: so seams differ by rounding.
static size_t halo_of(const mst_deconvolution *plan, int side, double reaches) {
    const int64_t m = (int64_t)plan->psf_shape[side], c = plan->psf_centre[side], before = m - 1 - c;
    const int64_t farther = before > c ? before : c;
    return (size_t)ceil(reaches * (double)(farther > 1 ? farther : 1)) + (plan->desc.exact != 0);
}

static void add(brick_lengths *l, size_t bricks, size_t step, size_t halo, size_t padded) {
    const int k = l->n > 0 && l->bricks[l->n - 1] == bricks ? l->n - 1 : l->n;
    if (k == l->n && l->n == MOST_LENGTHS)
        return;
    l->bricks[k] = bricks;
    l->step[k] = step;
    l->halo[k] = halo;
    if (k == l->n)
        l->padded[l->n++] = padded;
}

static void list_lengths(const mst_deconvolution *plan, int side, double reaches, brick_lengths *l) {
    const size_t whole = mst_brick_object(plan, side), halo = halo_of(plan, side, reaches),
                 around = mst_deconvolution_reach(plan, side) + 2 * halo;
    size_t padded = around;
    l->n = 0;
    while (whole > 1) {
        padded = mst_deconvolution_fast_length(plan, mst_larger(padded + 1, (size_t)((double)padded * SPARSE)), side);
        const size_t step = padded - around, bricks = mst_divide_up(whole, step);
        if (bricks == 1 || padded >= plan->padded[side])
            break;
        if (l->n == 0 || bricks < l->bricks[l->n - 1])
            add(l, bricks, step, halo, padded);
    }
    if (l->n == MOST_LENGTHS)
        l->n--; // for the whole, which is never left out
    add(l, 1, whole, 0, plan->padded[side]);
}

// A plan whose items are such bricks, as far as its memory goes.
static mst_deconvolution sized(const mst_deconvolution *plan, const mst_brick_cut *cut) {
    mst_deconvolution tried = *plan;
    tried.points = 1;
    tried.cut = *cut;
    tried.cut.is_cut = true;
    for (int side = 0; side < N_SIDES; side++) {
        tried.points *= cut->padded[side];
        tried.extent[side] = cut->step[side] + 2 * cut->halo[side];
    }
    tried.spectrum_points = tried.points / cut->padded[X] * (cut->padded[X] / 2 + 1);
    return tried;
}

static uint64_t staged_bytes(const mst_deconvolution *plan) {
    const mst_deconvolution_desc *d = &plan->desc;
    const mst_layout *layouts[N_ARRAYS] = {&d->image, &d->result, &d->start, &d->weights};
    uint64_t bytes = 0, points = (uint64_t)plan->extent[Z] * plan->extent[Y] * plan->extent[X];
    for (int a = 0; a < N_ARRAYS; a++)
        bytes += layouts[a]->rank > 0 ? points * mst_type_bytes(layouts[a]->type) : 0;
    return bytes;
}

static uint64_t bytes_of(const mst_deconvolution *plan, double spectra) {
    const uint64_t spectrum = plan->spectrum_points * 2 * mst_deconvolution_real_bytes(plan);
    uint64_t bytes = staged_bytes(plan) + spectrum + (uint64_t)(spectra * (double)spectrum);
    for (int w = 0; w < N_WORK; w++)
        bytes += mst_deconvolution_work_bytes(plan, w);
    return bytes;
}

uint64_t mst_brick_cut_bytes(const mst_deconvolution *plan, const mst_brick_cut *cut) {
    const mst_deconvolution tried = sized(plan, cut);
    return bytes_of(&tried, FFT_SPECTRA);
}

bool mst_bricks_may_whole(const mst_deconvolution *plan) {
    return bytes_of(plan, 0) - staged_bytes(plan) <= plan->context->device_memory.limit;
}

// About the time that all bricks take, of an unknown unit.
static double time_of(const mst_brick_cut *cut) {
    const double points = (double)cut->padded[Z] * (double)cut->padded[Y] * (double)cut->padded[X];
    return (double)mst_brick_count(cut) * points * (PASSES + log2(points));
}

// What h reaches before the image.
static size_t pad_of(const mst_deconvolution *plan, int side) {
    const int64_t before = (int64_t)plan->psf_shape[side] - 1 - plan->psf_centre[side];
    return mst_brick_object(plan, side) > plan->whole[side] && before > 0 ? (size_t)before : 0;
}

bool mst_brick_cut_find(const mst_deconvolution *plan, double halo, uint64_t below, mst_brick_cut *cut) {
    brick_lengths l[N_SIDES];
    double best = INFINITY;
    for (int side = 0; side < N_SIDES; side++)
        list_lengths(plan, side, halo, &l[side]);
    for (int z = 0; z < l[Z].n; z++)
        for (int y = 0; y < l[Y].n; y++)
            for (int x = 0; x < l[X].n; x++) {
                const int index[N_SIDES] = {z, y, x};
                mst_brick_cut tried = {.is_cut = true, .goes_round = plan->desc.edges == MST_DECONVOLUTION_CIRCULAR};
                for (int side = 0; side < N_SIDES; side++) {
                    tried.n[side] = l[side].bricks[index[side]];
                    tried.step[side] = l[side].step[index[side]];
                    tried.halo[side] = l[side].halo[index[side]];
                    tried.padded[side] = l[side].padded[index[side]];
                    tried.pad[side] = pad_of(plan, side);
                }
                const double time = time_of(&tried);
                if (time < best && mst_brick_cut_bytes(plan, &tried) < below) {
                    best = time;
                    *cut = tried;
                }
            }
    return best < INFINITY;
}
