// Fixed rules with one variable. They differ in the nodes and weights of a panel only, so one kernel serves all; beside it stands
// the rectangle rule as published.
#include "buffers.h"
#include "integrand.h"
#include "nodes.h"

#include "runtime/numbers.h"

#include <math.h>
#include <stdlib.h>

enum {
    MAX_NODES = 8,
    CPU_ITEMS = 64,
    GPU_ITEMS = 1 << 20,
    GPU_GROUP = 256,
    LONGEST_CHAIN = 256,
    SHORTEST_CHAIN = 16,
    COARSER = 16
};

// Evaluations in the first launch. A call can be cancelled between launches, so later ones are chosen to take about a quarter of
// a second.
static const uint64_t cpu_launch = (uint64_t)1 << 23, gpu_launch = (uint64_t)1 << 32, published_launch = (uint64_t)1 << 25;

typedef struct fixed {
    int n_nodes;
    double nodes[MAX_NODES], weights[MAX_NODES]; // of a panel [0, 1)
    double end_weight;                           // this times (f(b) - f(a)) h is added to the sum
    mst_kernel *kernel, *group_kernel;
    size_t group;
    uint64_t panels, coarse_panels;
    cl_uint block;
    mst_integral_buffer rows, grids, carried, partials, sum;
} fixed;

static void choose_nodes(fixed *f, mst_integral_rule rule) {
    f->n_nodes = rule == MST_INTEGRAL_SIMPSON ? 2 : rule == MST_INTEGRAL_GAUSS ? MAX_NODES : 1;
    f->nodes[0] = rule == MST_INTEGRAL_MIDPOINT ? 0.5 : 0;
    f->weights[0] = 1;
    if (rule == MST_INTEGRAL_TRAPEZOID)
        f->end_weight = 0.5;
    if (rule == MST_INTEGRAL_SIMPSON) {
        f->nodes[1] = 0.5;
        f->weights[0] = 1.0 / 3;
        f->weights[1] = 2.0 / 3;
        f->end_weight = 1.0 / 6;
    }
    if (rule == MST_INTEGRAL_GAUSS)
        mst_gauss_legendre(MAX_NODES, f->nodes, f->weights);
}

static mst_status build(mst_integral *plan, mst_error *error) {
    mst_status status = MST_OK;
    bool published = plan->desc.work_items > 0;
    mst_text tables = {0};
    const mst_program *program;
    fixed *f = plan->work;
    mst_kernel *made = NULL, *made_group = NULL;
    mst_text_put(&tables, "#define NODES $n\n", MST_SET(n, f->n_nodes));
    mst_integral_write_table(plan, "WEIGHTS", f->weights, (unsigned)f->n_nodes, &tables);
    MST_TRY(mst_integrand_build(plan, &tables, published ? "published.cl" : "fixed.cl", &program, error));
    MST_TRY(mst_kernel_create(program, published ? "published_points" : "sum_panels", &made, error));
    if (published)
        MST_TRY(mst_kernel_create(program, "published_groups", &made_group, error));
    f->group = mst_integral_group(plan, made, plan->choice.group);
    mst_kernel_replace(&f->kernel, &made);
    mst_kernel_replace(&f->group_kernel, &made_group);
fail:
    mst_kernel_destroy(made);
    mst_kernel_destroy(made_group);
    mst_text_release(&tables);
    return status;
}

static mst_status create(mst_integral *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_integral_desc *d = &plan->desc;
    bool closed = d->rule != MST_INTEGRAL_MIDPOINT && d->rule != MST_INTEGRAL_GAUSS;
    fixed *f = plan->work = calloc(1, sizeof *f);
    MST_REQUIRE(f, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    MST_REQUIRE(!closed || plan->kinds[0] == MST_RANGE_FINITE, MST_ERROR_ARGUMENT,
                "the rule %s needs finite bounds; use adaptive, tanh-sinh, midpoint or gauss", mst_integral_rule_name(d->rule));
    choose_nodes(f, d->rule);
    f->panels = mst_divide_up(d->points, (uint64_t)f->n_nodes);
    f->coarse_panels = f->panels < COARSER ? 1 : f->panels / COARSER;
    MST_TRY(build(plan, error));
    uint64_t chain = f->panels >> 18;
    chain = chain < SHORTEST_CHAIN ? SHORTEST_CHAIN : chain > LONGEST_CHAIN ? LONGEST_CHAIN : chain;
    f->block = plan->cpu ? LONGEST_CHAIN * plan->choice.width : (cl_uint)chain;
    size_t most = plan->context->device.max_work_group_size;
    MST_REQUIRE(d->group_size <= most, MST_ERROR_ARGUMENT, "group_size is %zu; this device takes %zu", d->group_size, most);
fail:
    return status;
}

static void destroy(mst_integral *plan) {
    fixed *f = plan->work;
    mst_kernel_destroy(f->kernel);
    mst_kernel_destroy(f->group_kernel);
    mst_integral_release(plan, &f->rows);
    mst_integral_release(plan, &f->grids);
    mst_integral_release(plan, &f->carried);
    mst_integral_release(plan, &f->partials);
    mst_integral_release(plan, &f->sum);
    free(f);
}

// ---- time of kernels

// Before and behind what is to be timed, if the context profiles.
static mst_status mark(const mst_integral *plan, cl_event *event, mst_error *error) {
    if (!plan->context->profile)
        return MST_OK;
    cl_int code = mst_stamp(plan->context, plan->queue.opencl, 0, NULL, event);
    return code == CL_SUCCESS ? MST_OK : mst_fail_opencl(error, code, "cannot mark the time of an integral");
}

// Adds the time between two marks that have passed to the report, and releases them. Without both marks it adds nothing.
static void add_time(const mst_integral *plan, cl_event marks[2], mst_report *report) {
    report->compute_seconds += mst_seconds_between(plan->context, marks[0], marks[1]);
    for (int k = 0; k < 2; k++)
        if (marks[k])
            clReleaseEvent(marks[k]);
}

// ---- launches

// Work that is divided among launches: every work-item has `steps` steps, and the next launch takes those from begin to end.
typedef struct launches {
    uint64_t steps, each, begin, end;
    double started;
} launches;

// The first launch takes at most `most` evaluations, where one step of all work-items makes `a_step` of them.
static launches first_launch(uint64_t steps, uint64_t a_step, uint64_t most) {
    uint64_t each = most / a_step < 1 ? 1 : most / a_step;
    return (launches){steps, each, 0, each < steps ? each : steps, mst_now()};
}

// Waits for a launch, asks whether to go on, and chooses the next one by how long this one took.
static mst_status next_launch(mst_integral *plan, const mst_integral_call *call, size_t done, launches *l, mst_error *error) {
    mst_status status = MST_OK;
    if (l->end < l->steps) {
        MST_TRY(mst_queue_finish(&plan->queue, error));
        double now = mst_now(), seconds = now - l->started;
        l->each = seconds < 0.125 ? 2 * l->each : seconds > 0.5 && l->each > 1 ? l->each / 2 : l->each;
        l->started = now;
        MST_TRY(mst_integral_progress(call, done, error));
    }
    l->begin = l->end;
    l->end = l->steps - l->end < l->each ? l->steps : l->end + l->each;
fail:
    return status;
}

// ---- as published

static mst_status run_published(mst_integral *plan, const mst_integral_call *call, size_t set, mst_error *error) {
    mst_status status = MST_OK;
    fixed *f = plan->work;
    const mst_integral_desc *d = &plan->desc;
    size_t group = d->group_size > 0 ? d->group_size : 1;
    const double *cuts = call->cuts + 2 * set;
    cl_event marks[2] = {NULL, NULL};
    double value, h = (cuts[1] - cuts[0]) / (double)d->points;
    cl_uint n_groups = (cl_uint)(d->work_items / group);
    cl_ulong points = d->points, points_an_item = mst_divide_up(d->points, d->work_items);
    size_t bytes = mst_integral_number_bytes(plan);
    MST_TRY(
        mst_integral_upload(plan, &f->rows, call->rows + set * (size_t)plan->n_row, (size_t)plan->n_row, "parameters", error));
    MST_TRY(mst_integral_reserve(plan, &f->partials, n_groups * bytes, "the sums of groups", error));
    MST_TRY(mst_integral_reserve(plan, &f->sum, bytes, "the sum", error));
    launches l = first_launch(points_an_item, d->work_items, published_launch);
    if (l.end < l.steps)
        MST_TRY(mst_integral_reserve(plan, &f->carried, d->work_items * bytes, "the sums of work-items", error));
    cl_mem carried = l.end < l.steps ? f->carried.memory : f->partials.memory; // there has to be one
    MST_TRY(mark(plan, &marks[0], error));
    while (l.begin < l.steps) {
        cl_ulong begin_point = l.begin, end_point = l.end;
        const mst_argument first[] = {MST_BIND(points, points),
                                      MST_BIND(points_an_item, points_an_item),
                                      MST_BIND(begin_point, begin_point),
                                      MST_BIND(end_point, end_point),
                                      MST_BIND(a, cuts[0]),
                                      MST_BIND(h, h),
                                      MST_BIND(rows, f->rows.memory),
                                      MST_BIND(code, plan->code.memory),
                                      MST_BIND(carried, carried),
                                      MST_BIND(group_sums, f->partials.memory),
                                      MST_BIND_LOCAL(scratch, group * bytes)};
        MST_TRY(mst_kernel_launch(&plan->queue, f->kernel, first, MST_COUNT(first), d->work_items, group, NULL, error));
        MST_TRY(next_launch(plan, call, set, &l, error));
    }
    const mst_argument second[] = {MST_BIND(n_groups, n_groups), MST_BIND(group_sums, f->partials.memory),
                                   MST_BIND(sum, f->sum.memory)};
    MST_TRY(mst_kernel_launch(&plan->queue, f->group_kernel, second, MST_COUNT(second), 1, 1, NULL, error));
    MST_TRY(mark(plan, &marks[1], error));
    MST_TRY(mst_integral_download(plan, f->sum.memory, 0, &value, 1, error));
    call->results[set] = (mst_integral_result){value, NAN, points, MST_INTEGRAL_CONVERGED};
fail:
    add_time(plan, marks, call->report);
    return status;
}

// ---- in a fixed tree

// A number as a pair of the plan's type.
static void put_pair(const mst_integral *plan, long double v, double *out) {
    out[0] = plan->is_double ? (double)v : (double)(float)v;
    out[1] = (double)(v - (long double)out[0]);
}

// What fixed.cl reads of an integral: a, and for the fine and the coarse rule h and the offsets of the nodes.
static void fill_grid(const mst_integral *plan, const fixed *f, const double *cuts, double *grid) {
    put_pair(plan, cuts[0], grid);
    grid += 2;
    for (int level = 0; level < 2; level++, grid += 2 + f->n_nodes) {
        long double n = (long double)(level == 0 ? f->panels : f->coarse_panels);
        long double h = ((long double)cuts[1] - (long double)cuts[0]) / n;
        put_pair(plan, h, grid);
        for (int i = 0; i < f->n_nodes; i++)
            grid[2 + i] = (double)(h * (long double)f->nodes[i]);
    }
}

// The error of the fine rule, from the difference to the coarse one: exact where the rule converges with the root of the number
// of panels, as at an integrable singularity, and too large where it converges faster; and what rounding may add.
static double estimate(const mst_integral *plan, const fixed *f, double value, double coarse) {
    double epsilon = plan->is_double ? 0x1p-52 : 0x1p-23;
    if (f->panels == f->coarse_panels)
        return NAN;
    return fabs(value - coarse) / (sqrt((double)f->panels / (double)f->coarse_panels) - 1) + 4 * epsilon * fabs(value);
}

static void finish(const mst_integral *plan, const mst_integral_call *call, size_t set, const double *sums) {
    const fixed *f = plan->work;
    const double *cuts = call->cuts + 2 * set, *row = call->rows + set * (size_t)plan->n_row;
    double values[2], ends = 0;
    if (f->end_weight != 0)
        ends = f->end_weight * (mst_integrand_value(plan, cuts[1], row, cuts) - mst_integrand_value(plan, cuts[0], row, cuts));
    for (int level = 0; level < 2; level++)
        values[level] = (sums[level] + ends) * ((cuts[1] - cuts[0]) / (double)(level == 0 ? f->panels : f->coarse_panels));
    mst_integral_result *r = &call->results[set];
    const mst_integral_desc *d = &plan->desc;
    r->value = values[0];
    r->error = estimate(plan, f, values[0], values[1]);
    r->evaluations = (f->panels + f->coarse_panels) * (uint64_t)f->n_nodes + (f->end_weight != 0 ? 2 : 0);
    double tolerance = fmax(d->absolute_tolerance, d->relative_tolerance * fabs(r->value));
    bool asked = d->absolute_tolerance > 0 || d->relative_tolerance > 0;
    r->status = asked && !(r->error <= tolerance) ? MST_INTEGRAL_BUDGET : MST_INTEGRAL_CONVERGED;
}

// How a rule of n panels is shared out to the work-items of one integral.
static cl_uint groups_for(const fixed *f, uint64_t n, cl_uint blocks_an_item) {
    uint64_t blocks = mst_divide_up(n, f->block), a_group = (uint64_t)blocks_an_item * f->group;
    return (cl_uint)(mst_divide_up(blocks, a_group));
}

static mst_status enqueue_sums(mst_integral *plan, const mst_integral_call *call, size_t done, cl_uint n_groups, cl_uint groups,
                               cl_uint coarse, cl_uint blocks_an_item, mst_error *error) {
    mst_status status = MST_OK;
    fixed *f = plan->work;
    size_t bytes = mst_integral_number_bytes(plan), items = n_groups * f->group;
    cl_ulong panels = f->panels, coarse_panels = f->coarse_panels;
    launches l =
        first_launch(blocks_an_item, (uint64_t)items * f->block * (uint64_t)f->n_nodes, plan->cpu ? cpu_launch : gpu_launch);
    if (l.end < l.steps)
        MST_TRY(mst_integral_reserve(plan, &f->carried, 2 * items * bytes, "the sums of work-items", error));
    cl_mem carried = l.end < l.steps ? f->carried.memory : f->partials.memory; // there has to be one
    while (l.begin < l.steps) {
        cl_uint begin_block = (cl_uint)l.begin, end_block = (cl_uint)l.end;
        const mst_argument arguments[] = {MST_BIND(panels, panels),
                                          MST_BIND(coarse_panels, coarse_panels),
                                          MST_BIND(groups, groups),
                                          MST_BIND(coarse_groups, coarse),
                                          MST_BIND(block, f->block),
                                          MST_BIND(blocks_an_item, blocks_an_item),
                                          MST_BIND(begin_block, begin_block),
                                          MST_BIND(end_block, end_block),
                                          MST_BIND(grids, f->grids.memory),
                                          MST_BIND(rows, f->rows.memory),
                                          MST_BIND(code, plan->code.memory),
                                          MST_BIND(carried, carried),
                                          MST_BIND(partials, f->partials.memory),
                                          MST_BIND_LOCAL(scratch, 2 * f->group * bytes)};
        MST_TRY(mst_kernel_launch(&plan->queue, f->kernel, arguments, MST_COUNT(arguments), items, f->group, NULL, error));
        MST_TRY(next_launch(plan, call, done, &l, error));
    }
fail:
    return status;
}

static mst_status run_chunk(mst_integral *plan, const mst_integral_call *call, size_t first, size_t count, cl_uint blocks_an_item,
                            mst_error *error) {
    mst_status status = MST_OK;
    fixed *f = plan->work;
    size_t bytes = mst_integral_number_bytes(plan), n_row = (size_t)plan->n_row;
    size_t n_grid = 2 + 2 * (2 + (size_t)f->n_nodes);
    cl_event marks[2] = {NULL, NULL};
    cl_uint groups = groups_for(f, f->panels, blocks_an_item), coarse = groups_for(f, f->coarse_panels, blocks_an_item);
    size_t n_groups = count * ((size_t)groups + coarse);
    double *grids = malloc(count * n_grid * sizeof *grids), *pairs = malloc(2 * n_groups * sizeof *pairs);
    MST_REQUIRE(grids && pairs, MST_ERROR_HOST_MEMORY, "out of memory for %zu integrals", count);
    for (size_t i = 0; i < count; i++)
        fill_grid(plan, f, call->cuts + 2 * (first + i), grids + i * n_grid);
    MST_TRY(mst_integral_send(plan, &f->grids, grids, count * n_grid, "the grids", error));
    MST_TRY(mst_integral_upload(plan, &f->rows, call->rows + first * n_row, count * n_row, "parameters", error));
    MST_TRY(mst_integral_reserve(plan, &f->partials, 2 * n_groups * bytes, "partial sums", error));
    MST_TRY(mark(plan, &marks[0], error));
    MST_TRY(enqueue_sums(plan, call, first, (cl_uint)n_groups, groups, coarse, blocks_an_item, error));
    MST_TRY(mark(plan, &marks[1], error));
    MST_TRY(mst_integral_download(plan, f->partials.memory, 0, pairs, 2 * n_groups, error));
    for (size_t i = 0; i < count; i++) {
        const double *own = pairs + 2 * i * ((size_t)groups + coarse);
        const double sums[] = {mst_integral_sum(own, 2 * (size_t)groups), mst_integral_sum(own + 2 * groups, 2 * (size_t)coarse)};
        finish(plan, call, first + i, sums);
    }
fail:
    if (status != MST_OK)
        mst_queue_abandon(&plan->queue); // the grids may be on their way
    add_time(plan, marks, call->report);
    free(grids);
    free(pairs);
    return status;
}

static mst_status run(mst_integral *plan, const mst_integral_call *call, mst_error *error) {
    mst_status status = MST_OK;
    const fixed *f = plan->work;
    uint64_t most_items = plan->choice.items, blocks = mst_divide_up(f->panels, f->block);
    uint64_t items = most_items / call->n_sets < f->group ? f->group : most_items / call->n_sets;
    cl_uint blocks_an_item = (cl_uint)(mst_divide_up(blocks, items));
    uint64_t most = (plan->cpu ? cpu_launch : gpu_launch) / (f->panels * (uint64_t)f->n_nodes); // integrals of a launch
    size_t at_once = (size_t)GPU_ITEMS / groups_for(f, f->panels, blocks_an_item);
    at_once = most < 1 ? 1 : most < at_once ? (size_t)most : at_once;
    if (plan->desc.work_items > 0)
        at_once = 1;
    MST_TRY(mst_integral_expect(plan, (f->panels + f->coarse_panels) * (uint64_t)f->n_nodes * call->n_sets, error));
    for (size_t first = 0; first < call->n_sets; first += at_once) {
        size_t count = call->n_sets - first < at_once ? call->n_sets - first : at_once;
        MST_TRY(mst_integral_progress(call, first, error));
        MST_TRY(plan->desc.work_items > 0 ? run_published(plan, call, first, error)
                                          : run_chunk(plan, call, first, count, blocks_an_item, error));
    }
fail:
    return status;
}

const mst_integral_method mst_integral_fixed = {false, GPU_GROUP, GPU_ITEMS, CPU_ITEMS, create, build, run, destroy, NULL};
