// How a grid is shared out in parts.
#include "description.h"
#include "members.h"
#include "plan/bricks.h"
#include "runtime/description.h"
#include "scheme/layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Seconds of an exchange of next to nothing, as a message through pinned memory takes between two H100 by OpenCL (41 us), and
// bytes a second through the host's memory, as of messages between ranks of a host (4.4 to 9.2 GB/s: docs/scaling.md).
static const double LATENCY = 4e-5, EXCHANGE = 8e9;

// Nodes a second of a GPU, whose copies go on beside its kernels: the geometric mean of 21 rates of twelve schemes on an H100
// (bench/results/scheme-rates-h100.json).
static const double GPU_UPDATES = 2.2e11;
static const double AS_GOOD = 1.1;

// Rates of no particular device, where none is at hand.
static mst_parts_rates rates_of(const mst_problem *p, const mst_plan_inputs *in, size_t n) {
    mst_parts_rates r = {.updates = 1e9, .exchange = EXCHANGE, .latency = LATENCY, .unit = 1};
    if (!in)
        return r;
    const mst_rates assumed = mst_rates_assumed(in);
    const double bytes = (double)(p->nodes * (p->state_node_bytes + p->coefficient_node_bytes)) / (double)n;
    r.updates = assumed.update[0];
    r.unit = mst_kernel_pair_rule(p, mst_plan_shape(in));
    if (bytes > (double)in->device.left) // it goes through the device
        r.trip = 2 * bytes / assumed.upload;
    return r;
}

// Whether exchanges may go on beside the interior: where copies are not the work of the processors that compute.
static bool may_go_beside(const mst_stencil_desc *desc, const mst_plan_inputs *in) {
    const bool apart = in->limits.is_gpu && !in->limits.unified_memory && !desc->no_overlap;
    return desc->exchange == MST_STENCIL_EXCHANGE_AUTO ? apart : desc->exchange == MST_STENCIL_EXCHANGE_BESIDE;
}

// The steps between exchanges of as many parts as there can be, at most n, and whether these go on beside the interior.
static uint64_t choose_steps(const mst_problem *p, const mst_halo *halo, mst_parts_rates rates, bool may_wait, size_t n,
                             bool *beside) {
    const bool may_go = *beside && rates.trip == 0;
    *beside = false;
    for (; n > 0; n--) {
        rates.beside = false;
        const uint64_t waiting = mst_parts_steps(p, halo, &rates, n);
        const double seconds = mst_parts_seconds(p, halo, &rates, waiting, n);
        rates.beside = true;
        const uint64_t going = may_go && waiting > 0 ? mst_parts_steps(p, halo, &rates, n) : 0;
        *beside = going > 0 && going < UINT32_MAX && (!may_wait || mst_parts_seconds(p, halo, &rates, going, n) < seconds);
        if (waiting > 0)
            return *beside ? going : waiting;
    }
    return 0;
}

static mst_status divide(const mst_problem *p, const mst_stencil_desc *desc, const mst_plan_inputs *in, const double *shares,
                         size_t n, uint64_t steps, mst_stencil_part *parts, bool *beside, mst_error *error) {
    mst_status status = MST_OK;
    mst_halo halos[N_AXES];
    mst_part *cut = NULL;
    bool goes = in && beside && may_go_beside(desc, in);
    MST_TRY(mst_halo_find(p, halos, error));
    MST_REQUIRE(cut = calloc(n, sizeof *cut), MST_ERROR_HOST_MEMORY, "out of memory sharing out a grid");
    const bool may_wait = desc->exchange != MST_STENCIL_EXCHANGE_BESIDE;
    const uint64_t best = steps > 0 && !goes ? steps : choose_steps(p, &halos[PLANES], rates_of(p, in, n), may_wait, n, &goes);
    steps = steps > 0 ? steps : best;
    mst_parts_cut(p, PLANES, &halos[PLANES], steps > 0 ? steps : 1, shares, n, cut);
    for (size_t k = 0; k < n; k++)
        parts[k] = (mst_stencil_part){(size_t)cut[k].first, (size_t)cut[k].count, steps > 0 ? steps : 1};
    if (beside)
        *beside = goes;
fail:
    free(cut);
    return status;
}

mst_status mst_shares_check(const double *shares, size_t n, mst_error *error) {
    mst_status status = MST_OK;
    bool all_none = true;
    for (size_t k = 0; k < n; k++) {
        MST_REQUIRE(isfinite(shares[k]) && shares[k] >= 0, MST_ERROR_ARGUMENT, "share %zu is %g; it must not be negative", k,
                    shares[k]);
        all_none = all_none && shares[k] == 0;
    }
    MST_REQUIRE(!all_none, MST_ERROR_ARGUMENT, "all shares are 0");
fail:
    return status;
}

mst_status mst_members_divide(mst_context *context, const mst_stencil_desc *desc, const double *shares, size_t n, uint64_t steps,
                              mst_stencil_part *parts, bool *beside, mst_error *error) {
    mst_status status = MST_OK;
    mst_plan_inputs in;
    mst_problem *p = calloc(1, sizeof *p);
    MST_REQUIRE(p, MST_ERROR_HOST_MEMORY, "out of memory reading a scheme");
    MST_TRY(mst_problem_read(desc, p, error));
    MST_REQUIRE(!p->has_grids, MST_ERROR_UNSUPPORTED, "an ensemble of grids of three axes is not cut into parts");
    if (context)
        MST_TRY(mst_solver_inputs(context, p, desc, &in, error));
    MST_TRY(divide(p, desc, context ? &in : NULL, shares, n, steps, parts, beside, error));
fail:
    if (p)
        mst_problem_release(p);
    free(p);
    return status;
}

// A single row of nodes is not cut: the first with a share has all.
static void give_whole(size_t nodes, const double *shares, size_t n, mst_stencil_part *parts) {
    size_t owner = 0;
    while (shares && owner + 1 < n && shares[owner] == 0)
        owner++;
    for (size_t k = 0; k < n; k++)
        parts[k] = (mst_stencil_part){k > owner ? nodes : 0, k == owner ? nodes : 0, UINT32_MAX};
}

mst_status mst_stencil_divide(const mst_stencil_desc *desc, const double *shares, size_t n, uint64_t steps,
                              mst_stencil_part *parts, mst_error *error) {
    mst_status status = MST_OK;
    mst_scheme_description given = {.arrays = {NULL}};
    MST_REQUIRE(desc && parts && n > 0, MST_ERROR_ARGUMENT, "desc and parts must not be NULL, and n at least 1");
    if (shares)
        MST_TRY(mst_shares_check(shares, n, error));
    MST_TRY(mst_scheme_description_read(desc, &given, error));
    MST_TRY(mst_members_divide(NULL, &given.desc, shares, n, steps, parts, NULL, error)); // which checks it, too
    if (given.desc.rank == 1)
        give_whole(given.desc.grid[0], shares, n, parts);
fail:
    mst_scheme_description_release(&given);
    return status;
}

// ---- Bricks

// How many of them along each axis of the problem: as the caller wants it, or chosen.
static mst_status take_bricks(const mst_problem *p, const mst_halo halos[N_AXES], const size_t *given, size_t n, uint64_t steps,
                              size_t bricks[N_AXES], mst_error *error) {
    mst_status status = MST_OK;
    const mst_parts_rates rates = rates_of(p, NULL, n);
    size_t all = 1, any = 0;
    for (int axis = 0; axis < N_AXES; axis++)
        bricks[axis] = 1;
    for (int k = 0; k < MST_MAX_AXES && given; k++)
        any += given[k];
    if (any == 0) {
        mst_bricks_choose(p, halos, &rates, n, steps, bricks);
        return MST_OK;
    }
    for (int k = 0; k < MST_MAX_AXES; k++) {
        MST_REQUIRE(k < p->rank || given[k] <= 1, MST_ERROR_ARGUMENT,
                    "%zu bricks are wanted along axis %d; the grid has %d ax%s, from 0 on", given[k], k, p->rank,
                    p->rank == 1 ? "is" : "es");
        MST_REQUIRE(k >= p->rank || (given[k] >= 1 && given[k] <= n), MST_ERROR_ARGUMENT,
                    "%zu bricks are wanted along axis %d of %zu in all", given[k], k, n);
        if (k < p->rank)
            bricks[mst_problem_axis(p->rank, k)] = given[k];
        all *= k < p->rank ? given[k] : 1;
    }
    MST_REQUIRE(all == n, MST_ERROR_ARGUMENT, "%zu bricks are wanted along the axes, and there are to be %zu", all, n);
fail:
    return status;
}

static mst_status check_bricks(const mst_problem *p, const mst_halo halos[N_AXES], const size_t bricks[N_AXES], uint64_t steps,
                               mst_error *error) {
    int axis;
    int64_t least;
    if (mst_bricks_fit(p, halos, bricks, steps, &axis, &least))
        return MST_OK;
    return mst_fail(error, MST_ERROR_ARGUMENT,
                    "%zu bricks are too many for the %llu nodes of axis %d: for halos of %llu step%s each needs %lld",
                    bricks[axis], (unsigned long long)p->whole[axis],
                    p->rank == 2   ? axis / 2
                    : p->rank == 1 ? 0
                                   : axis,
                    (unsigned long long)steps, steps == 1 ? "" : "s", (long long)least);
}

typedef struct laid_out {
    mst_halo halos[N_AXES];
    size_t bricks[N_AXES];
    uint64_t steps;
    bool is_slabs; // chosen, so that the last ones may have nothing
} laid_out;

// The part of an axis in a place, or all of it.
static mst_status part_of(const mst_problem *p, int axis, const laid_out *l, size_t place, mst_part *out, mst_error *error) {
    mst_status status = MST_OK;
    const size_t n = l->bricks[axis];
    mst_part *parts = NULL;
    *out = (mst_part){0, (int64_t)p->whole[axis], 0, (int64_t)p->whole[axis]};
    if (n == 1)
        return MST_OK;
    MST_REQUIRE(parts = calloc(n, sizeof *parts), MST_ERROR_HOST_MEMORY, "out of memory sharing out a grid");
    mst_parts_cut(p, axis, &l->halos[axis], l->steps, NULL, n, parts);
    *out = parts[place];
fail:
    free(parts);
    return status;
}

// Whether some brick has the region of a source in two pieces, which solvers do not take.
static mst_status find_split(const mst_problem *p, const laid_out *l, bool *is_split, mst_error *error) {
    mst_status status = MST_OK;
    mst_part part;
    *is_split = false;
    for (int axis = 0; axis < N_AXES && p->n_regions > 0; axis++)
        for (size_t place = 0; place < l->bricks[axis]; place++) {
            MST_TRY(part_of(p, axis, l, place, &part, error));
            *is_split = *is_split || mst_part_splits(p, axis, &part);
        }
fail:
    return status;
}

static uint64_t steps_of(const mst_problem *p, const laid_out *l, size_t n) {
    bool beside = false;
    const mst_parts_rates rates = rates_of(p, NULL, n);
    const uint64_t steps = l->is_slabs ? choose_steps(p, &l->halos[PLANES], rates, true, n, &beside)
                                       : mst_bricks_steps(p, l->halos, &rates, l->bricks);
    return mst_larger(steps, (uint64_t)1);
}

// Whether GPUs, whose exchanges go on beside the interior, are about as fast with slabs as with bricks, which need more kernels
// and copies than the model counts. What a grid is cut into does not depend on the devices, which may differ from rank to rank.
static bool slabs_overlap(const mst_problem *p, const laid_out *bricks, const laid_out *slabs, size_t n) {
    int axis;
    int64_t least;
    mst_parts_rates rates = rates_of(p, NULL, n);
    rates.updates = GPU_UPDATES;
    rates.beside = true;
    return mst_bricks_fit(p, slabs->halos, slabs->bricks, slabs->steps, &axis, &least) &&
           mst_parts_seconds(p, &slabs->halos[PLANES], &rates, slabs->steps, n) <=
               AS_GOOD * mst_bricks_seconds(p, bricks->halos, &rates, bricks->bricks, bricks->steps);
}

// Slabs in place of bricks that the model of exchanges that wait has chosen.
static mst_status prefer_slabs(const mst_problem *p, const mst_stencil_desc *desc, size_t n, uint64_t steps, laid_out *l,
                               mst_error *error) {
    mst_status status = MST_OK;
    bool is_split;
    laid_out slabs = {.bricks = {n, 1, 1}, .is_slabs = true};
    memcpy(slabs.halos, l->halos, sizeof slabs.halos);
    slabs.steps = steps > 0 ? steps : steps_of(p, &slabs, n);
    MST_TRY(find_split(p, l, &is_split, error));
    const bool may_overlap = desc->exchange != MST_STENCIL_EXCHANGE_WAITS && !desc->no_overlap;
    if (is_split || (may_overlap && slabs_overlap(p, l, &slabs, n)))
        *l = slabs;
fail:
    return status;
}

static mst_status lay_out(const mst_problem *p, const mst_stencil_desc *desc, const size_t *given, size_t n, uint64_t steps,
                          laid_out *out, mst_error *error) {
    mst_status status = MST_OK;
    const bool is_wanted = given && given[0] + given[1] + given[2] > 0;
    MST_TRY(mst_halo_find(p, out->halos, error));
    MST_TRY(take_bricks(p, out->halos, given, n, steps, out->bricks, error));
    out->is_slabs = out->bricks[PLANES] == n;
    MST_REQUIRE(p->n_runs == 0 || out->is_slabs, MST_ERROR_UNSUPPORTED,
                "an ensemble is cut into parts with some of its runs each, not into bricks");
    out->steps = steps > 0 ? steps : steps_of(p, out, n);
    if (!is_wanted && !out->is_slabs)
        MST_TRY(prefer_slabs(p, desc, n, steps, out, error));
    if (n > 1 && (is_wanted || !out->is_slabs))
        MST_TRY(check_bricks(p, out->halos, out->bricks, out->steps, error));
fail:
    return status;
}

static mst_status make_brick(const mst_problem *p, const laid_out *l, size_t number, mst_stencil_brick *brick, mst_error *error) {
    mst_status status = MST_OK;
    mst_part part[N_AXES];
    mst_link links[MST_MOST_LINKS];
    brick->steps = l->steps;
    for (int axis = N_AXES - 1; axis >= 0; axis--) {
        MST_TRY(part_of(p, axis, l, number % l->bricks[axis], &part[axis], error));
        number /= l->bricks[axis];
    }
    for (int k = 0; k < p->rank; k++) {
        const int axis = mst_problem_axis(p->rank, k);
        brick->bricks[k] = l->bricks[axis];
        if (part[PLANES].count == 0) // too many of them
            continue;
        brick->first[k] = (size_t)part[axis].first;
        brick->count[k] = (size_t)part[axis].count;
    }
    if (p->rank == 1 && l->bricks[COLUMNS] == 1) // a single row that is not cut: the first has all
        brick->bricks[0] = l->bricks[PLANES];
    if (part[PLANES].count == 0)
        return MST_OK;
    const int n = mst_links_find(p, part, l->halos, l->steps, false, links);
    for (int k = 0; k < n; k++) {
        brick->messages += links[k].given_bytes > 0;
        brick->bytes += links[k].given_bytes;
    }
fail:
    return status;
}

static mst_status find_brick(const mst_stencil_desc *desc, const size_t *bricks, size_t n, size_t number, uint64_t steps,
                             mst_stencil_brick *brick, mst_error *error) {
    mst_status status = MST_OK;
    laid_out l;
    mst_problem *p = calloc(1, sizeof *p);
    MST_REQUIRE(p, MST_ERROR_HOST_MEMORY, "out of memory reading a scheme");
    MST_TRY(mst_problem_read(desc, p, error));
    MST_REQUIRE(!p->has_grids, MST_ERROR_UNSUPPORTED, "an ensemble of grids of three axes is not cut into parts");
    MST_TRY(lay_out(p, desc, bricks, n, steps, &l, error));
    MST_TRY(make_brick(p, &l, number, brick, error));
fail:
    if (p)
        mst_problem_release(p);
    free(p);
    return status;
}

#define BRICK MST_DESCRIPTION(mst_stencil_brick, MST_STENCIL_BRICK_INIT, bricks)

mst_status mst_stencil_brick_of(const mst_stencil_desc *desc, const size_t bricks[MST_MAX_AXES], size_t n, size_t number,
                                uint64_t steps, mst_stencil_brick *brick, mst_error *error) {
    mst_status status = MST_OK;
    mst_scheme_description given = {.arrays = {NULL}};
    mst_stencil_brick full = MST_STENCIL_BRICK_INIT;
    MST_REQUIRE(desc && brick && number < n, MST_ERROR_ARGUMENT, "desc and brick must not be NULL, and number below n");
    MST_TRY(mst_description_check(BRICK, brick, error));
    MST_TRY(mst_scheme_description_read(desc, &given, error));
    MST_TRY(find_brick(&given.desc, bricks, n, number, steps, &full, error));
    mst_description_write(BRICK, &full, brick);
fail:
    mst_scheme_description_release(&given);
    return status;
}
