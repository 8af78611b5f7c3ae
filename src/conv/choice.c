// Which algorithm a plan takes. The limits of direct sums were measured, with bench/short-kernels, on two cores of an AMD EPYC by
// way of PoCL and on an NVIDIA H100 (docs/performance.md).
#include "direct.h"
#include "geometry.h"

#include "fft/pass.h"

#include "runtime/numbers.h"

#include <stdio.h>

// The most products a number of the result that direct sums take, where the fused algorithm could be taken.
typedef struct direct_limit {
    size_t signals, short_signals, images;
    size_t short_columns;       // signals of up to so many numbers are short
    size_t total, total_images; // of all numbers: calls so small that launches count, whatever the kernel's size
} direct_limit;

static const direct_limit cpu_limit = {48, 20, 225, 511, (size_t)1 << 19, (size_t)1 << 19},
                          gpu_limit = {2, 8, 256, 511, (size_t)1 << 18, (size_t)1 << 26},
                          line_limit = {25, 64, 0, 512, (size_t)1 << 18, 0}; // gpu, by direct_line.cl

// Of GPUs: images whose results are at least this share of what overlapping tiles transform take these in place of transforms,
// and in place of sums from so many products a number on. Integers, whose sums are exact, take sums as long as they may.
#define TILES_SHARE 0.25
#define TILES_PRODUCTS 64u

// Sums over neighbours are quick where neighbours are, too.
static bool lies_well(const mst_convolution *plan, const mst_direct_tiling *t) {
    int column = plan->desc.axes[plan->desc.n_axes - 1];
    const mst_layout *signal = mst_convolution_layout(plan, t->signal), *z = mst_convolution_layout(plan, Z);
    return (signal->strides[column] == 1 || t->signal_columns == 1) && (z->strides[column] == 1 || t->result_columns == 1);
}

// The share of the points of its tiles that overlap-save keeps; 0 where it is not for these arrays.
static double share_of_tiles(const mst_convolution *plan, const mst_direct_tiling *t) {
    if (t->cpu || !lies_well(plan, t) || !mst_overlap_save_fits(plan, t))
        return 0;
    return mst_overlap_save_share(t);
}

static bool sums_exactly(const mst_convolution *plan) { return plan->desc.x.type >= MST_INT8 && plan->desc.y.type >= MST_INT8; }

static bool suits_direct(mst_convolution *plan, const mst_direct_tiling *t, bool tiles) {
    const direct_limit *limit = t->cpu ? &cpu_limit : t->line ? &line_limit : &gpu_limit;
    size_t most = t->n_axes > 1                               ? limit->images
                  : t->signal_columns <= limit->short_columns ? limit->short_signals
                                                              : limit->signals;
    const mst_layout *taps = mst_convolution_layout(plan, t->taps);
    size_t planes = mst_type_is_complex(taps->type) ? 2 : 1, products = t->n_taps * planes;
    size_t numbers = mst_layout_count(&plan->desc.z) * t->parts;
    if (!t->one_kernel) // each of them is read, so that transforms lose less time to memory
        most /= 2;
    if (tiles && !sums_exactly(plan))
        most = mst_smaller(most, (size_t)TILES_PRODUCTS);
    size_t total = t->n_axes > 1 ? limit->total_images : limit->total;
    bool is_small = products <= total && numbers <= total / mst_larger(products, (size_t)1);
    bool direct = lies_well(plan, t) && (products <= most || is_small);
    if (!lies_well(plan, t))
        snprintf(plan->why, sizeof plan->why, "elements along the last axis are not neighbours in memory");
    else if (direct && products > most)
        snprintf(plan->why, sizeof plan->why, "%zu products in all, sums take up to %zu", products * numbers, total);
    else
        snprintf(plan->why, sizeof plan->why, "%zu products a number, sums take up to %zu", products, most);
    return direct;
}

mst_convolution_algorithm mst_convolution_choose(mst_convolution *plan) {
    mst_direct_tiling t;
    if (plan->desc.n_axes > 2) {
        snprintf(plan->why, sizeof plan->why, "volumes are transformed");
        return MST_CONVOLUTION_FUSED;
    }
    mst_direct_plan(plan, &t);
    double share = share_of_tiles(plan, &t);
    if (suits_direct(plan, &t, share >= TILES_SHARE))
        return MST_CONVOLUTION_DIRECT;
    if (share >= TILES_SHARE) {
        snprintf(plan->why, sizeof plan->why, "%zu products a number; tiles of 64 x 64 keep %.0f %% of their points", t.n_taps,
                 100 * share);
        return MST_CONVOLUTION_OVERLAP_SAVE;
    }
    mst_geometry blocks;
    if (plan->desc.n_axes > 1 || mst_geometry_exists(plan) || mst_geometry_choose_blocks(plan, SIZE_MAX, &blocks))
        return MST_CONVOLUTION_FUSED;
    snprintf(plan->why, sizeof plan->why, "too long for one plan of transforms");
    return MST_CONVOLUTION_AUTO;
}
