#include "pyramid.h"

#include <math.h>
#include <string.h>

static const size_t depths[] = {1, 2, 4, 8, 16, 32, 64, 128};
enum { N_DEPTHS = sizeof depths / sizeof depths[0] };

uint64_t pyramid_budget(const pyramid_bench *bench, const char *name) {
    bool plane = strcmp(name, "heat2d") == 0;
    if (bench->run.options->device_memory)
        return bench->run.options->device_memory;
    uint64_t side = bench->sides[plane ? 0 : 1], nodes = plane ? side * side : side * side * side;
    return nodes * sizeof(float) / (plane ? 8 : 4);
}

static void add(pyramid_bench *bench, const char *name, mst_stencil_schedule schedule, size_t depth, bool published) {
    bench->points[bench->n_points++] = (pyramid_point){
        .plan = MST_STENCIL_PLAN_INIT, .problem = name, .schedule = schedule, .depth = depth, .published = published};
}

void pyramid_list(pyramid_bench *bench) {
    for (int plane = 1; plane >= 0; plane--)
        for (int s = MST_STENCIL_TRIVIAL; s <= MST_STENCIL_SKEWED; s++)
            add(bench, plane ? "heat2d" : "heat3d", (mst_stencil_schedule)s, 0, false);
    add(bench, "heat2d", MST_STENCIL_TRIVIAL, 0, true);
    for (int s = MST_STENCIL_PYRAMID_SLABS; s <= MST_STENCIL_PYRAMID_TILES; s++)
        for (int i = 0; i < N_DEPTHS; i += bench->quick ? 3 : 1)
            add(bench, "heat2d", (mst_stencil_schedule)s, depths[i], true);
    add(bench, "heat3d", MST_STENCIL_TRIVIAL, 0, true);
    for (int i = 0; i < 5; i += bench->quick ? 2 : 1)
        add(bench, "heat3d", MST_STENCIL_PYRAMID_SLABS, depths[i], true);
}

// One trip to warm up, then as many as fill the time.
static mst_status measure_solver(mst_stencil *solver, double nodes, double seconds, pyramid_point *point, mst_error *error) {
    mst_stencil_report report = MST_STENCIL_REPORT_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    cli_progress silent = {0};
    how.progress = cli_progress_update;
    how.progress_user = &silent;
    mst_status status = mst_stencil_describe(solver, 1, &point->plan, error);
    size_t depth = point->plan.depth ? point->plan.depth : 1;
    if (status == MST_OK)
        status = mst_stencil_run(solver, depth, &how, &report, error);
    if (status == MST_OK) {
        double trips = fmin(fmax(floor(seconds / report.seconds), 1), 1e6);
        status = mst_stencil_run(solver, depth * (uint64_t)trips, &how, &report, error);
    }
    if (status == MST_OK)
        status = mst_stencil_describe(solver, report.steps, &point->plan, error);
    if (status == MST_OK) {
        double samples[PYRAMID_ROUNDS], steps = (double)report.steps;
        point->samples[point->n_samples++] = report.seconds / (nodes * steps);
        memcpy(samples, point->samples, sizeof samples);
        point->measured = cli_median(samples, point->n_samples);
        point->predicted = point->plan.seconds / (nodes * steps);
    }
    return status;
}

static mst_status measure(const pyramid_bench *bench, mst_context *context, const problem *p, pyramid_point *point,
                          mst_error *error) {
    mst_stencil_desc desc = p->desc;
    mst_stencil_field field = p->fields[0];
    mst_stencil *solver = NULL;
    double nodes = 1;
    field.initial.expression = NULL; // zeros: the time does not depend on the values
    desc.fields = &field;
    desc.schedule = point->schedule;
    desc.depth = point->schedule == MST_STENCIL_TRIVIAL ? 0 : point->depth;
    desc.fuse = point->published ? 1 : 0;
    desc.no_overlap = point->published;
    for (int k = 0; k < desc.rank; k++)
        nodes *= (double)desc.grid[k];
    mst_status status = mst_stencil_create(context, &desc, &solver, error);
    if (status == MST_OK)
        status = measure_solver(solver, nodes, bench->seconds / PYRAMID_ROUNDS, point, error);
    mst_stencil_destroy(solver);
    return status;
}

// Points of one problem, with a context whose budget is the problem's.
static int measure_problem(const char *command, pyramid_bench *bench, const char *name, cli_progress *progress) {
    problem_overrides overrides = {.rank = strcmp(name, "heat2d") == 0 ? 2 : 3, .steps = -1};
    cli_options options = *bench->run.options;
    problem p = {0};
    mst_context *context = NULL;
    for (int k = 0; k < overrides.rank; k++)
        overrides.grid[k] = bench->sides[overrides.rank - 2];
    options.device_memory = pyramid_budget(bench, name);
    int code = problem_open(command, name, &overrides, &p);
    if (code == CLI_DONE)
        code = cli_context(command, &options, false, &context);
    if (code == CLI_DONE)
        snprintf(bench->device, sizeof bench->device, "%s", mst_context_device(context)->name);
    // In rounds, so that what else a machine does for a while spoils one of a point's times only.
    for (int k = 0; k < PYRAMID_ROUNDS * bench->n_points && code == CLI_DONE; k++) {
        pyramid_point *point = &bench->points[k % bench->n_points];
        mst_error error;
        if (strcmp(point->problem, name) != 0 || point->failed[0])
            continue;
        if (k > 0 && cli_now() > bench->run.until)
            bench->run.cut_short |= point->n_samples == 0;
        else if (measure(bench, context, &p, point, &error) != MST_OK && point->n_samples == 0)
            snprintf(point->failed, sizeof point->failed, "%s", error.message);
        if (!cli_progress_update((uint64_t)k, (uint64_t)(PYRAMID_ROUNDS * bench->n_points), progress)) {
            cli_progress_end(progress);
            code = cli_fail_interrupted(command);
        }
    }
    mst_context_destroy(context);
    problem_free(&p);
    return code;
}

// On a GPU the grids are those of the paper.
static int choose_sides(const char *command, pyramid_bench *bench) {
    mst_context *context = NULL;
    int code = cli_context(command, bench->run.options, false, &context);
    bool gpu = code == CLI_DONE && mst_context_device(context)->type & CL_DEVICE_TYPE_GPU;
    bench->sides[0] = gpu ? 16384 : 4096;
    bench->sides[1] = gpu ? 640 : 256;
    mst_context_destroy(context);
    return code;
}

int pyramid_measure(void *results) {
    pyramid_bench *bench = results;
    const char *command = bench->run.command;
    cli_progress progress = cli_progress_start(command, 0);
    int code = choose_sides(command, bench);
    const double until = bench->run.until;
    bench->run.until = cli_now() + 0.7 * (until - cli_now()); // the rest is for the second problem
    if (code == CLI_DONE)
        code = measure_problem(command, bench, "heat2d", &progress);
    bench->run.until = until;
    if (code == CLI_DONE)
        code = measure_problem(command, bench, "heat3d", &progress);
    cli_progress_end(&progress);
    return code;
}

const char *pyramid_lack(const pyramid_point *point) {
    return point->failed[0] || point->measured > 0 ? point->failed : "not measured: the time was up";
}

const pyramid_point *pyramid_best(const pyramid_bench *bench, const char *name, mst_stencil_schedule schedule, bool published) {
    const pyramid_point *best = NULL;
    for (int i = 0; i < bench->n_points; i++) {
        const pyramid_point *p = &bench->points[i];
        if (strcmp(p->problem, name) == 0 && p->schedule == schedule && p->published == published && p->measured > 0 &&
            (!best || p->measured < best->measured))
            best = p;
    }
    return best;
}

void pyramid_errors(const pyramid_bench *bench, double *rms, double *worst) {
    double sum = 0;
    int n = 0;
    *worst = 0;
    for (int i = 0; i < bench->n_points; i++) {
        const pyramid_point *p = &bench->points[i];
        if (!(p->measured > 0))
            continue;
        double error = p->predicted / p->measured - 1;
        sum += error * error;
        *worst = fabs(error) > fabs(*worst) ? error : *worst;
        n++;
    }
    *rms = n ? sqrt(sum / n) : NAN;
}

// Times of the trivial way over those of another, both run in the same manner; 0 if one is missing.
static double speedup(const pyramid_bench *bench, const char *name, mst_stencil_schedule schedule, bool published) {
    const pyramid_point *trivial = pyramid_best(bench, name, MST_STENCIL_TRIVIAL, published);
    const pyramid_point *other = pyramid_best(bench, name, schedule, published);
    return trivial && other ? trivial->measured / other->measured : 0;
}

static const pyramid_speedups rows[PYRAMID_N_SPEEDUPS] = {
    {.problem = "heat2d", .schedule = MST_STENCIL_PYRAMID_SLABS, .paper = 8.03},
    {.problem = "heat2d", .schedule = MST_STENCIL_PYRAMID_TILES, .paper = 7.66},
    {.problem = "heat2d", .schedule = MST_STENCIL_SKEWED},
    {.problem = "heat3d", .schedule = MST_STENCIL_PYRAMID_SLABS, .paper = 3.54},
    {.problem = "heat3d", .schedule = MST_STENCIL_PYRAMID_TILES},
    {.problem = "heat3d", .schedule = MST_STENCIL_SKEWED},
};

pyramid_speedups pyramid_compare(const pyramid_bench *bench, int row) {
    pyramid_speedups r = rows[row];
    r.published = speedup(bench, r.problem, r.schedule, true);
    r.own = speedup(bench, r.problem, r.schedule, false);
    return r;
}
