#include "parts.h"

#include "runtime/numbers.h"
#include "stencil/scheme/observations.h"
#include "stencil/scheme/pipeline.h"
#include "stencil/scheme/problem_points.h"

#include <math.h>

enum { MOST_STEPS = 256, MOST_COUNTED = 1 << 30 }; // between exchanges, by the model and at all

// No halo takes more than this part of what the thinnest part has itself, as all of it is computed twice.
static const double MOST_HALO = 0.5;

static int64_t nodes_between(const mst_problem *p, int axis, uint64_t a, uint64_t b) {
    const int64_t apart = (int64_t)(a > b ? a - b : b - a), n = (int64_t)p->whole[axis];
    return mst_problem_periodic(p, axis) ? mst_smaller(apart, n - apart) : apart;
}

static int64_t find_beside(const mst_problem *p, int axis) {
    int64_t most = 0;
    for (size_t i = 0; i < p->n_points; i++) {
        const uint64_t home = p->records[mst_problem_home(p, i)].node[axis];
        for (size_t k = p->shares_begin[i]; k < p->shares_begin[i + 1]; k++)
            most = mst_larger(most, nodes_between(p, axis, p->records[p->shares[k].record].node[axis], home));
    }
    const mst_observations *all = p->observations;
    for (size_t k = 0; all && k < all->n_monitors; k++)
        most = mst_larger(most, (int64_t)all->monitors[k].what.reach[axis]);
    for (size_t k = 0; all && k < all->n_spectra; k++)
        most = mst_larger(most, (int64_t)all->spectra[k].what.reach[axis]);
    return most;
}

mst_status mst_halo_find(const mst_problem *problem, mst_halo out[N_AXES], mst_error *error) {
    mst_pipeline step = {0};
    mst_status status = mst_pipeline_make(problem, 1, false, &step, error);
    for (int axis = 0; axis < N_AXES; axis++)
        out[axis] = (mst_halo){
            {step.low[axis], step.high[axis]}, {step.fixed_low[axis], step.fixed_high[axis]}, find_beside(problem, axis)};
    mst_pipeline_release(&step);
    return status;
}

int64_t mst_halo_depth(const mst_halo *h, int side, uint64_t steps) {
    const int64_t before = steps > 0 ? (int64_t)mst_smaller(steps - 1, (uint64_t)MOST_COUNTED) : 0;
    return steps == 0 ? 0 : h->beside + before * h->state[side] + mst_larger(h->state[side], h->fixed[side]);
}

int64_t mst_halo_least(const mst_halo *h, bool is_ring, uint64_t steps) {
    const int64_t low = mst_halo_depth(h, 0, steps), high = mst_halo_depth(h, 1, steps);
    return is_ring ? mst_larger(low + high, (int64_t)1) : mst_larger(low, high) + 1;
}

static double share_of(const double *shares, size_t k) { return shares ? shares[k] : 1; }

static double sum_of(const double *shares, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += share_of(shares, k);
    return sum;
}

// Boundaries lie where the sums of the shares do, rounded; parts that would be thinner than the least take from those behind.
static size_t cut_nodes(int64_t n_nodes, int64_t least, const double *shares, size_t n, mst_part *parts) {
    const double sum = sum_of(shares, n);
    double before = 0;
    int64_t first = 0;
    size_t last = 0, count = 0;
    for (size_t k = 0; k < n; k++) {
        before += share_of(shares, k);
        int64_t end = sum > 0 ? (int64_t)((double)n_nodes * (before / sum) + 0.5) : n_nodes;
        const bool any = share_of(shares, k) > 0 && n_nodes - first >= least;
        end = !any ? first : mst_smaller(mst_larger(end, first + least), n_nodes);
        parts[k] = (mst_part){.first = first, .count = end - first};
        if (any) {
            last = k;
            count++;
        }
        first = end;
    }
    parts[last].count += n_nodes - first; // what the last ones have no room for
    for (size_t k = last + 1; k < n; k++)
        parts[k].first = n_nodes;
    return mst_larger(count, (size_t)1);
}

size_t mst_parts_cut(const mst_problem *p, int axis, const mst_halo *halo, uint64_t steps, const double *shares, size_t n,
                     mst_part *parts) {
    const int64_t n_nodes = (int64_t)p->whole[axis];
    const bool is_ring = mst_problem_periodic(p, axis);
    const size_t count = cut_nodes(n_nodes, mst_halo_least(halo, is_ring, steps), shares, n, parts);
    for (size_t k = 0; k < n; k++) {
        mst_part *part = &parts[k];
        int64_t from = part->first - mst_halo_depth(halo, 0, steps);
        int64_t to = part->first + part->count + mst_halo_depth(halo, 1, steps);
        if (!is_ring || count == 1) {
            from = mst_larger(from, (int64_t)0);
            to = mst_smaller(to, n_nodes);
        }
        part->held_first = part->count > 0 ? from : part->first;
        part->held_count = part->count > 0 ? to - from : 0;
    }
    return count;
}

uint64_t mst_parts_bytes(const mst_problem *p, const mst_halo *halo, int side, uint64_t steps) {
    return (uint64_t)mst_halo_depth(halo, side, steps) * p->plane * p->state_node_bytes;
}

static double halo_planes(const mst_halo *halo, uint64_t steps) {
    return (double)(mst_halo_depth(halo, 0, steps) + mst_halo_depth(halo, 1, steps));
}

// What exchanges beside the interior add to a step: work-groups go through more planes than the few beside a cut that they do,
// and there are more launches; and the time by which an exchange takes longer than the rest.
static double seconds_beside(const mst_halo *halo, const mst_parts_rates *rates, uint64_t steps, double planes,
                             double plane_seconds, double exchange) {
    const double again = 2 * halo_planes(halo, mst_smaller(rates->unit, steps));
    const double rest = (planes - 2 * halo_planes(halo, steps)) * plane_seconds * (double)steps;
    return again * plane_seconds + (MST_PARTS_LAUNCHES + fmax(exchange - fmax(rest, 0), 0)) / (double)steps;
}

double mst_parts_seconds(const mst_problem *p, const mst_halo *halo, const mst_parts_rates *rates, uint64_t steps, size_t n) {
    const double halos = halo_planes(halo, steps), planes = (double)p->whole[PLANES] / (double)n;
    const double plane_seconds = (double)p->plane / rates->updates, computing = (planes + halos) * plane_seconds;
    const double bytes = (double)(mst_parts_bytes(p, halo, 0, steps) + mst_parts_bytes(p, halo, 1, steps));
    const double exchange = rates->latency + bytes / rates->exchange;
    return rates->beside ? computing + seconds_beside(halo, rates, steps, planes, plane_seconds, exchange)
                         : computing + (exchange + rates->trip * (1 + halos / planes)) / (double)steps;
}

uint64_t mst_parts_steps(const mst_problem *p, const mst_halo *halo, const mst_parts_rates *rates, size_t n) {
    const uint64_t unit = rates->unit;
    const int64_t planes = (int64_t)(p->whole[PLANES] / n);
    const bool is_ring = mst_problem_periodic(p, PLANES);
    uint64_t best = 0;
    double least = 0;
    if (halo->state[0] + halo->state[1] + halo->fixed[0] + halo->fixed[1] + halo->beside == 0) // nothing is ever exchanged
        return planes > 0 ? UINT32_MAX : 0;
    for (uint64_t steps = 1; steps <= MOST_STEPS && mst_halo_least(halo, is_ring, steps) <= planes; steps++) {
        const double halos = halo_planes(halo, steps), seconds = mst_parts_seconds(p, halo, rates, steps, n);
        const bool is_first = best == 0 || (steps % unit == 0 && best % unit != 0);
        if (best > 0 && (halos > MOST_HALO * (double)planes || (steps % unit != 0 && best % unit == 0)))
            continue;
        if (is_first || seconds < least) {
            best = steps;
            least = seconds;
        }
    }
    return best;
}
