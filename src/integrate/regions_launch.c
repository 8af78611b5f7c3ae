// The kernels of a round of the adaptive rule.
#include "buffers.h"
#include "regions.h"

#include "runtime/numbers.h"

// Of how many ends of the range of one variable.
static cl_uint n_infinite(const mst_integral *plan) {
    mst_range_kind kind = plan->kinds[0];
    if (plan->desc.n_variables > 1 || kind == MST_RANGE_FINITE)
        return 0;
    return kind == MST_RANGE_HALVES ? 2 : 1;
}

static cl_uint cut_stride_of(const mst_integral *plan, const mst_regions *r) {
    return r->same_cuts ? 0 : 2 * (cl_uint)plan->n_cuts;
}

// Those of each axis, 8 bits each.
static cl_ulong intervals_of(const mst_integral *plan) {
    cl_ulong intervals = 0;
    for (int k = 0; k < plan->desc.n_variables; k++)
        intervals |= (cl_ulong)mst_regions_intervals(plan, k) << 8 * k;
    return intervals;
}

mst_status mst_regions_begin(mst_integral *plan, cl_uint n_sets, const mst_generation *s, mst_error *error) {
    mst_regions *r = plan->work;
    const cl_uint infinite = n_infinite(plan), first_regions = r->first_regions;
    const cl_uint cut_stride = cut_stride_of(plan, r);
    const cl_ulong intervals = intervals_of(plan);
    const mst_argument arguments[] = {MST_BIND(n_sets, n_sets),         MST_BIND(intervals, intervals),
                                      MST_BIND(cut_stride, cut_stride), MST_BIND(first_regions, first_regions),
                                      MST_BIND(infinite, infinite),     MST_BIND(capacity, s->capacity),
                                      MST_BIND(cuts, r->cuts.memory),   MST_BIND(lo, s->lo.memory),
                                      MST_BIND(len, s->len.memory),     MST_BIND(id, s->id.memory),
                                      MST_BIND(ends, s->ends.memory),   MST_BIND(run, s->run.memory),
                                      MST_BIND(sums, r->sums.memory),   MST_BIND(results, r->results.memory),
                                      MST_BIND(state, r->state.memory), MST_BIND(total, r->total.memory)};
    size_t items = (size_t)n_sets * r->first_regions;
    return mst_kernel_launch(&plan->queue, r->kernels.begin, arguments, MST_COUNT(arguments), items,
                             mst_kernel_group(plan->context, r->kernels.begin, items), NULL, error);
}

// Work-items for n regions, a lane each, and how many tiles of lanes each of them takes.
static size_t share_out(const mst_integral *plan, cl_uint n, cl_uint *tiles_an_item) {
    const size_t tiles = mst_divide_up(n, plan->choice.width);
    *tiles_an_item = plan->cpu ? (cl_uint)mst_divide_up(tiles, mst_integral_cpu_items(plan)) : 1;
    return mst_divide_up(tiles, *tiles_an_item);
}

mst_status mst_regions_evaluate(mst_integral *plan, cl_uint n, const mst_generation *s, mst_error *error) {
    mst_regions *r = plan->work;
    cl_uint tiles_an_item;
    const cl_uint infinite = n_infinite(plan), cut_stride = cut_stride_of(plan, r);
    const cl_ulong intervals = intervals_of(plan);
    size_t items = share_out(plan, n, &tiles_an_item);
    const mst_argument arguments[] = {MST_BIND(n, n),
                                      MST_BIND(infinite, infinite),
                                      MST_BIND(capacity, s->capacity),
                                      MST_BIND(tiles_an_item, tiles_an_item),
                                      MST_BIND(intervals, intervals),
                                      MST_BIND(cut_stride, cut_stride),
                                      MST_BIND(cuts, r->cuts.memory),
                                      MST_BIND(lo, s->lo.memory),
                                      MST_BIND(len, s->len.memory),
                                      MST_BIND(id, s->id.memory),
                                      MST_BIND(ends, s->ends.memory),
                                      MST_BIND(rows, r->rows.memory),
                                      MST_BIND(code, plan->code.memory),
                                      MST_BIND(values, r->values.memory),
                                      MST_BIND(errors, r->errors.memory),
                                      MST_BIND(magnitudes, r->magnitudes.memory),
                                      MST_BIND(marks, r->marks.memory)};
    return mst_kernel_launch(&plan->queue, r->kernels.evaluate, arguments, MST_COUNT(arguments), items, r->evaluate_group, NULL,
                             error);
}

mst_status mst_regions_hidden(mst_integral *plan, cl_uint n, const mst_generation *s, mst_error *error) {
    mst_regions *r = plan->work;
    cl_uint tiles_an_item;
    const cl_uint cut_stride = cut_stride_of(plan, r);
    const cl_ulong intervals = intervals_of(plan);
    size_t items = share_out(plan, n, &tiles_an_item);
    const mst_argument arguments[] = {MST_BIND(n, n),
                                      MST_BIND(capacity, s->capacity),
                                      MST_BIND(tiles_an_item, tiles_an_item),
                                      MST_BIND(intervals, intervals),
                                      MST_BIND(cut_stride, cut_stride),
                                      MST_BIND(cuts, r->cuts.memory),
                                      MST_BIND(lo, s->lo.memory),
                                      MST_BIND(len, s->len.memory),
                                      MST_BIND(id, s->id.memory),
                                      MST_BIND(rows, r->rows.memory),
                                      MST_BIND(code, plan->code.memory),
                                      MST_BIND(magnitudes, r->magnitudes.memory),
                                      MST_BIND(errors, r->errors.memory),
                                      MST_BIND(marks, r->marks.memory)};
    return mst_kernel_launch(&plan->queue, r->kernels.hidden, arguments, MST_COUNT(arguments), items,
                             mst_integral_hidden_group(plan, r->kernels.hidden, items), NULL, error);
}

mst_status mst_regions_compare(mst_integral *plan, cl_uint n, cl_uint round, const mst_generation *s, mst_error *error) {
    mst_regions *r = plan->work;
    const mst_argument arguments[] = {MST_BIND(n, n),
                                      MST_BIND(round, round),
                                      MST_BIND(capacity, s->capacity),
                                      MST_BIND(parents, s->parents.memory),
                                      MST_BIND(ends, s->ends.memory),
                                      MST_BIND(values, r->values.memory),
                                      MST_BIND(errors, r->errors.memory),
                                      MST_BIND(marks, r->marks.memory)};
    return mst_kernel_launch(&plan->queue, r->kernels.compare, arguments, MST_COUNT(arguments), n / 2,
                             mst_kernel_group(plan->context, r->kernels.compare, n / 2), NULL, error);
}

mst_status mst_regions_judge(mst_integral *plan, cl_uint n_sets, cl_uint sets_a_group, cl_uint look, cl_uint round,
                             const mst_generation *s, mst_error *error) {
    mst_regions *r = plan->work;
    const mst_integral_desc *d = &plan->desc;
    uint64_t most = d->max_evaluations / r->n_points;
    cl_uint most_regions = most < UINT32_MAX / 2 ? (cl_uint)most : UINT32_MAX / 2;
    size_t bytes = mst_integral_number_bytes(plan);
    const mst_argument arguments[] = {MST_BIND(n_sets, n_sets),
                                      MST_BIND(sets_a_group, sets_a_group),
                                      MST_BIND(capacity, s->capacity),
                                      MST_BIND(relative, d->relative_tolerance),
                                      MST_BIND(absolute, d->absolute_tolerance),
                                      MST_BIND(most_regions, most_regions),
                                      MST_BIND(least_look, look),
                                      MST_BIND(round, round),
                                      MST_BIND(run, s->run.memory),
                                      MST_BIND(values, r->values.memory),
                                      MST_BIND(errors, r->errors.memory),
                                      MST_BIND(magnitudes, r->magnitudes.memory),
                                      MST_BIND(marks, r->marks.memory),
                                      MST_BIND(sums, r->sums.memory),
                                      MST_BIND(results, r->results.memory),
                                      MST_BIND(state, r->state.memory),
                                      MST_BIND(n_split, r->splits.memory),
                                      MST_BIND(total, r->total.memory),
                                      MST_BIND_LOCAL(scratch, 4 * r->judge_group * bytes),
                                      MST_BIND_LOCAL(counts, r->judge_group * sizeof(cl_uint))};
    size_t groups = mst_divide_up(n_sets, sets_a_group);
    return mst_kernel_launch(&plan->queue, r->kernels.judge, arguments, MST_COUNT(arguments), groups * r->judge_group,
                             r->judge_group, NULL, error);
}

// One work-group on a CPU; on a GPU more of many integrals, whose numbers are added up before.
mst_status mst_regions_place(mst_integral *plan, cl_uint n_sets, cl_uint round, const mst_generation *next, mst_error *error) {
    mst_status status = MST_OK;
    mst_regions *r = plan->work;
    const size_t sets = plan->cpu ? n_sets : MST_REGIONS_PLACED, groups = mst_divide_up((size_t)n_sets, sets);
    const cl_uint sets_a_group = (cl_uint)sets;
    const size_t items = groups * r->place_group, scratch_bytes = r->place_group * sizeof(cl_uint);
    const mst_argument counted[] = {MST_BIND(n_sets, n_sets), MST_BIND(sets_a_group, sets_a_group),
                                    MST_BIND(n_split, r->splits.memory), MST_BIND(tallies, r->tallies.memory),
                                    MST_BIND_LOCAL(scratch, scratch_bytes)};
    const mst_argument placed[] = {MST_BIND(n_sets, n_sets),
                                   MST_BIND(sets_a_group, sets_a_group),
                                   MST_BIND(round, round),
                                   MST_BIND(n_split, r->splits.memory),
                                   MST_BIND(tallies, r->tallies.memory),
                                   MST_BIND(next_run, next->run.memory),
                                   MST_BIND(total, r->total.memory),
                                   MST_BIND_LOCAL(scratch, scratch_bytes)};
    if (groups > 1)
        MST_TRY(
            mst_kernel_launch(&plan->queue, r->kernels.tally, counted, MST_COUNT(counted), items, r->place_group, NULL, error));
    MST_TRY(mst_kernel_launch(&plan->queue, r->kernels.place, placed, MST_COUNT(placed), items, r->place_group, NULL, error));
fail:
    return status;
}

// Places to cut suspects at, which take the room of integrals of |f|: those have been judged.
mst_status mst_regions_locate(mst_integral *plan, cl_uint n, const mst_generation *s, mst_error *error) {
    mst_regions *r = plan->work;
    cl_uint tiles_an_item;
    size_t items = share_out(plan, n, &tiles_an_item);
    const mst_argument arguments[] = {MST_BIND(n, n),
                                      MST_BIND(tiles_an_item, tiles_an_item),
                                      MST_BIND(capacity, s->capacity),
                                      MST_BIND(lo, s->lo.memory),
                                      MST_BIND(len, s->len.memory),
                                      MST_BIND(id, s->id.memory),
                                      MST_BIND(rows, r->rows.memory),
                                      MST_BIND(code, plan->code.memory),
                                      MST_BIND(n_split, r->splits.memory),
                                      MST_BIND(marks, r->marks.memory),
                                      MST_BIND(places, r->magnitudes.memory),
                                      MST_BIND(state, r->state.memory)};
    return mst_kernel_launch(&plan->queue, r->kernels.locate, arguments, MST_COUNT(arguments), items,
                             mst_kernel_group(plan->context, r->kernels.locate, items), NULL, error);
}

mst_status mst_regions_split(mst_integral *plan, cl_uint n_sets, cl_uint sets_a_group, const mst_generation *s,
                             const mst_generation *next, mst_error *error) {
    mst_regions *r = plan->work;
    const mst_argument arguments[] = {MST_BIND(n_sets, n_sets),
                                      MST_BIND(sets_a_group, sets_a_group),
                                      MST_BIND(capacity, s->capacity),
                                      MST_BIND(next_capacity, next->capacity),
                                      MST_BIND(run, s->run.memory),
                                      MST_BIND(next_run, next->run.memory),
                                      MST_BIND(marks, r->marks.memory),
                                      MST_BIND(values, r->values.memory),
                                      MST_BIND(errors, r->errors.memory),
                                      MST_BIND(lo, s->lo.memory),
                                      MST_BIND(len, s->len.memory),
                                      MST_BIND(ends, s->ends.memory),
                                      MST_BIND(places, r->magnitudes.memory),
                                      MST_BIND(next_lo, next->lo.memory),
                                      MST_BIND(next_len, next->len.memory),
                                      MST_BIND(next_id, next->id.memory),
                                      MST_BIND(next_ends, next->ends.memory),
                                      MST_BIND(parents, next->parents.memory),
                                      MST_BIND_LOCAL(scratch, r->split_group * sizeof(cl_uint))};
    size_t groups = mst_divide_up(n_sets, sets_a_group);
    return mst_kernel_launch(&plan->queue, r->kernels.split, arguments, MST_COUNT(arguments), groups * r->split_group,
                             r->split_group, NULL, error);
}
