// How a grid is shared out in parts.
#include "description.h"
#include "members.h"
#include "scheme/layers.h"

#include <math.h>
#include <stdlib.h>

// Seconds of an exchange of next to nothing, and bytes a second through the host's memory.
static const double LATENCY = 4e-5, EXCHANGE = 8e9;

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
    mst_halo halo;
    mst_part *cut = NULL;
    bool goes = in && beside && may_go_beside(desc, in);
    MST_TRY(mst_halo_find(p, &halo, error));
    MST_REQUIRE(cut = calloc(n, sizeof *cut), MST_ERROR_HOST_MEMORY, "out of memory sharing out a grid");
    const bool may_wait = desc->exchange != MST_STENCIL_EXCHANGE_BESIDE;
    const uint64_t best = steps > 0 && !goes ? steps : choose_steps(p, &halo, rates_of(p, in, n), may_wait, n, &goes);
    steps = steps > 0 ? steps : best;
    mst_parts_cut(p, &halo, steps > 0 ? steps : 1, shares, n, cut);
    for (size_t k = 0; k < n; k++)
        parts[k] = (mst_stencil_part){(size_t)cut[k].first, (size_t)cut[k].planes, steps > 0 ? steps : 1};
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
