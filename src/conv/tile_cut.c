// Tiles of images and bricks of volumes: how large windows on the larger operand should be. What is moved and what is transformed
// both grow with the sum of the tiles' windows, in which neighbours share as much as the other operand is long. So the least sum
// is sought among lengths that transform quickly, with rows that are not too short, while a tile stays in the cache (on a CPU) or
// is some part of what a device has.
#include "panels.h"

#include "runtime/numbers.h"

#include <math.h>

#define CPU_POINTS ((double)(1 << 20)) // real numbers of a tile, above which each pass goes through memory
#define GPU_POINTS ((double)(1 << 26))
#define BEYOND 1.4  // times the time, above
#define PASSES 16.0 // moving a number takes as long as so many levels of butterflies,
#define ROW 64.0    // and finding a row of the arrays as moving so many numbers
#define MOST_LENGTHS 96

// The windows to choose from along each axis: ascending, no two with as many tiles.
typedef struct lengths {
    int n;
    size_t step[MOST_LENGTHS], n_tiles[MOST_LENGTHS], window[MOST_LENGTHS];
} lengths;

typedef struct tiling {
    const mst_convolution *plan;
    int larger;
    int n_axes;
    lengths axes[MST_CONVOLUTION_MAX_AXES];
} tiling;

static size_t shape_of(const mst_convolution *plan, int array, int a) {
    return mst_convolution_layout(plan, array)->shape[plan->desc.axes[a]];
}

static void add_length(lengths *l, size_t window, size_t kernel, size_t results) {
    size_t step = mst_smaller(window - (kernel - 1), results), n_tiles = mst_divide_up(results, step);
    if (l->n == MOST_LENGTHS || (l->n > 0 && l->n_tiles[l->n - 1] == n_tiles))
        return;
    l->step[l->n] = step;
    l->n_tiles[l->n] = n_tiles;
    l->window[l->n] = step + kernel - 1;
    l->n++;
}

// The next length from `least` on that transforms quickly: a power of two, three or five times one.
static size_t quick_length(size_t least) {
    size_t best = SIZE_MAX;
    for (size_t odd = 1; odd <= 5; odd += 2) {
        size_t n = odd;
        while (n < least)
            n *= 2;
        best = mst_smaller(best, n);
    }
    return best;
}

// From twice the kernel's length on; and all as one.
static void list_lengths(const mst_convolution *plan, int larger, int a, lengths *l) {
    size_t kernel = shape_of(plan, !larger, a), results = shape_of(plan, Z, a), whole = results + kernel - 1;
    size_t window = kernel > 8 ? 2 * kernel : 16;
    l->n = 0;
    for (; window < whole && window < SIZE_MAX / 8; window++) {
        window = quick_length(window);
        if (window < whole)
            add_length(l, window, kernel, results);
    }
    add_length(l, whole, kernel, results);
}

static void list_all(const mst_convolution *plan, int larger, tiling *t) {
    t->plan = plan;
    t->larger = larger;
    t->n_axes = plan->desc.n_axes;
    for (int a = 0; a < t->n_axes; a++)
        list_lengths(plan, larger, a, &t->axes[a]);
}

static void take(const tiling *t, const int *index, mst_panel_cut *cut) {
    for (int a = 0; a < t->n_axes; a++) {
        cut->step[a] = t->axes[a].step[index[a]];
        cut->n_panels[a] = t->axes[a].n_tiles[index[a]];
    }
}

// About the time that the whole takes, of an unknown unit.
static double time_of(const tiling *t, const mst_panel_cut *cut) {
    bool cpu = t->plan->context->device.unified_memory, direct = t->plan->desc.algorithm == MST_CONVOLUTION_DIRECT;
    double points = 1, tiles = 1, rows = 1;
    for (int a = 0; a < t->n_axes; a++) {
        rows = cut->n_panels[t->n_axes - 1] > 1 ? points : 1; // without the last axis
        points *= (double)(cut->step[a] + shape_of(t->plan, !t->larger, a) - 1);
        tiles *= (double)cut->n_panels[a];
    }
    double time = tiles * (points * (PASSES + (direct ? 0 : log2(points))) + rows * ROW * PASSES);
    return points > (cpu ? CPU_POINTS : GPU_POINTS) ? time * BEYOND : time;
}

static uint64_t multiply(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

// Items have all lines that lie between and behind the axes.
static uint64_t lines_of(const mst_convolution *plan) {
    uint64_t lines = 1;
    for (int k = plan->desc.axes[0] + 1; k < plan->desc.z.rank; k++)
        if (!mst_convolution_is_along(plan, k))
            lines *= plan->desc.z.shape[k];
    return lines;
}

uint64_t mst_tile_cut_bytes(const mst_convolution *plan, const mst_panel_cut *cut) {
    uint64_t lines = lines_of(plan), window = lines, result = lines, kernel = plan->n_lines[!cut->longer] > 1 ? lines : 1;
    for (int a = 0; a < plan->desc.n_axes; a++) {
        window = multiply(window, cut->step[a] + shape_of(plan, !cut->longer, a) - 1);
        result = multiply(result, cut->step[a]);
        kernel = multiply(kernel, shape_of(plan, !cut->longer, a));
    }
    // The spectrum of the kernel and that of a tile: of real numbers as large as these.
    uint64_t spectrum = mst_type_bytes(plan->work_type) / (mst_type_is_complex(plan->desc.z.type) ? 1 : 2);
    uint64_t spectra = plan->desc.algorithm == MST_CONVOLUTION_FUSED ? multiply(2 * spectrum, window) : 0;
    uint64_t arrays = multiply(mst_type_bytes(mst_convolution_layout(plan, cut->longer)->type), window) / 2 +
                      multiply(mst_type_bytes(mst_convolution_layout(plan, !cut->longer)->type), kernel) / 2 +
                      multiply(mst_type_bytes(plan->desc.z.type), result) / 2;
    return mst_smaller(spectra / 2 + arrays, UINT64_MAX / 4) * 2;
}

// The quickest tiles of which each takes at most so many bytes; false if there are none.
static bool find(const tiling *t, uint64_t most, mst_panel_cut *cut) {
    int index[MST_CONVOLUTION_MAX_AXES] = {0};
    double best = INFINITY;
    bool found = false;
    for (;;) {
        mst_panel_cut tried = *cut;
        take(t, index, &tried);
        double time = time_of(t, &tried);
        if (time < best && mst_tile_cut_bytes(t->plan, &tried) <= most) {
            best = time;
            *cut = tried;
            found = true;
        }
        int a = 0;
        while (a < t->n_axes && ++index[a] == t->axes[a].n)
            index[a++] = 0;
        if (a == t->n_axes)
            return found;
    }
}

void mst_tile_cut_first(const mst_convolution *plan, mst_panel_cut *cut) {
    uint64_t x = 1, y = 1;
    tiling t;
    for (int a = 0; a < plan->desc.n_axes; a++) {
        x = multiply(x, shape_of(plan, X, a));
        y = multiply(y, shape_of(plan, Y, a));
    }
    *cut = (mst_panel_cut){.longer = x >= y ? X : Y};
    list_all(plan, cut->longer, &t);
    find(&t, UINT64_MAX, cut);
}

bool mst_tile_cut_smaller(const mst_convolution *plan, mst_panel_cut *cut) {
    tiling t;
    list_all(plan, cut->longer, &t);
    uint64_t bytes = mst_tile_cut_bytes(plan, cut);
    return bytes > 0 && find(&t, bytes - 1, cut);
}

void mst_tile_cut_fit(const mst_convolution *plan, mst_panel_cut *cut, uint64_t left) {
    tiling t;
    uint64_t bytes = mst_tile_cut_bytes(plan, cut);
    list_all(plan, cut->longer, &t);
    if (bytes <= left / 3 || find(&t, mst_smaller(left / 3, bytes), cut) || find(&t, mst_smaller(left, bytes), cut))
        return;
    while (mst_tile_cut_smaller(plan, cut)) {
    }
}
