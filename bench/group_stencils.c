// Grids on a group of devices beside one of them: as large for each device (weak), and as large in all (strong); in core, and
// through the devices; and ensembles.
#include "group_rates.h"

#include "solve/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_STEPS = 24, MOST_PLANES = 4 * GROUP_MOST_DEVICES, LEAST_STEPS = 16, MOST_UNIT = 1 << 16 };

typedef struct timing {
    double seconds; // a step; negative: failed
    double bytes;   // over the links, a step
    mst_stencil_plan plan;
} timing;

// The planes on both sides of cuts into n equal parts, and the outermost ones.
static size_t choose_planes(size_t n_planes, int n, size_t planes[MOST_PLANES]) {
    size_t count = 0;
    planes[count++] = 0;
    planes[count++] = n_planes - 1;
    for (int part = 1; part < n; part++)
        for (size_t side = 0; side < 2; side++)
            planes[count++] = n_planes * (size_t)part / (size_t)n - side;
    return count;
}

static size_t plane_bytes(const mst_stencil_desc *d) {
    size_t bytes = mst_type_bytes(d->precision);
    for (int k = 1; k < d->rank; k++)
        bytes *= d->grid[k];
    return bytes;
}

static mst_status read_planes(mst_stencil *s, const mst_stencil_desc *d, int n, char *to, mst_error *error) {
    size_t planes[MOST_PLANES], count = choose_planes(d->grid[0], n, planes);
    mst_status status = MST_OK;
    for (size_t i = 0; i < count && status == MST_OK; i++) {
        mst_stencil_region region = {{planes[i]}, {1, 1, 1}, {1, d->grid[1], d->rank > 2 ? d->grid[2] : 0}};
        status = mst_stencil_read(s, d->fields[0].name, 0, &region, mst_at_host(to + i * plane_bytes(d)), error);
    }
    return status;
}

// Runs for about sample_seconds, GROUP_ROUNDS times. Those of a group begin and end with an exchange, as long ones mostly do.
static mst_status take_time(const group_run *run, mst_stencil *s, timing *t, mst_error *error) {
    mst_stencil_report report = MST_STENCIL_REPORT_INIT;
    const uint64_t unit = t->plan.part_steps > 0 && t->plan.part_steps < MOST_UNIT ? t->plan.part_steps : 1;
    const uint64_t least = t->plan.depth > LEAST_STEPS ? t->plan.depth : LEAST_STEPS;
    uint64_t steps = (least + unit - 1) / unit * unit;
    double seconds[GROUP_ROUNDS];
    mst_status status = mst_stencil_run(s, unit - CHECK_STEPS % unit, NULL, NULL, error);
    if (status == MST_OK)
        status = mst_stencil_run(s, steps, NULL, NULL, error);
    if (status == MST_OK)
        status = mst_stencil_run(s, steps, NULL, &report, error);
    if (status == MST_OK && report.seconds > 0)
        steps *= (uint64_t)fmin(ceil(run->sizes->sample_seconds / report.seconds), 1e4);
    for (int round = 0; round < GROUP_ROUNDS && status == MST_OK; round++) {
        report = (mst_stencil_report)MST_STENCIL_REPORT_INIT;
        status = mst_stencil_run(s, steps, NULL, &report, error);
        seconds[round] = report.seconds;
        t->bytes = ((double)report.upload_bytes + (double)report.download_bytes) / (double)steps;
    }
    if (status == MST_OK)
        t->seconds = cli_median(seconds, GROUP_ROUNDS) / (double)steps;
    return status;
}

// A solver of the problem; *planes, unless it is NULL, gets planes of its state after CHECK_STEPS steps.
static timing run_solver(const group_run *run, mst_context *context, const mst_stencil_desc *d, char *planes, mst_error *error) {
    timing t = {.seconds = -1, .plan = MST_STENCIL_PLAN_INIT};
    mst_stencil *s = NULL;
    mst_status status = mst_stencil_create(context, d, &s, error);
    if (status == MST_OK)
        status = mst_stencil_run(s, CHECK_STEPS, NULL, NULL, error);
    if (status == MST_OK && planes)
        status = read_planes(s, d, run->n, planes, error);
    if (status == MST_OK)
        status = mst_stencil_describe(s, CHECK_STEPS, &t.plan, error);
    if (status == MST_OK)
        take_time(run, s, &t, error);
    mst_stencil_destroy(s);
    return t;
}

typedef struct stencil_case {
    const char *name, *problem;
    size_t side;
    int rank;
    double weak, strong; // goals
    bool beyond;         // a quarter of the grid fits the devices
} stencil_case;

static int open_problem(const stencil_case *c, size_t planes, problem *p) {
    problem_overrides overrides = {.rank = c->rank, .steps = -1};
    for (int k = 0; k < c->rank; k++)
        overrides.grid[k] = c->side;
    overrides.grid[0] = planes;
    return problem_open("group-rates", c->problem, &overrides, p);
}

static json_t *plan_json(const timing *t, double nodes) {
    return json_pack("{s:s, s:b, s:I, s:I, s:I, s:f, s:f}", "schedule", mst_stencil_schedule_name(t->plan.schedule), "beside",
                     (int)t->plan.part_beside, "fuse", (json_int_t)t->plan.fuse, "depth", (json_int_t)t->plan.depth,
                     "steps_between_exchanges", (json_int_t)t->plan.part_steps, "node_steps_a_second", nodes / t->seconds,
                     "bytes_a_step", t->bytes);
}

// What exchanging halos adds to a step of so many seconds (docs/scaling.md): what goes down goes up again on the other side.
// Where it goes on beside the interior, pieces go both ways at once, and what it takes longer is added.
static double exchange_seconds(const group_run *run, const timing *t, double seconds) {
    const double *rates = run->link[run->n], latency = 4e-5;
    double messages = t->plan.part_steps ? 2 / (double)t->plan.part_steps : 0;
    if (t->plan.part_beside)
        return fmax(0, t->bytes / rates[LINK_ONE_EACH] + messages * latency - seconds);
    return t->bytes / 2 / rates[LINK_DOWN] + t->bytes / 2 / rates[LINK_UP] + messages * latency;
}

static json_t *with_model(json_t *more, double ratio) {
    if (more)
        json_object_set_new(more, "model_ratio", json_real(ratio));
    return more;
}

static void add_rows(group_run *run, const stencil_case *c, const timing *group, const timing *whole, const timing *part) {
    double nodes = 1, n = run->n / run->worth;
    char name[80];
    for (int k = 0; k < c->rank; k++)
        nodes *= (double)c->side;
    if (c->beyond) {
        double by_link = group->bytes / run->link[run->n][LINK_ONE_EACH], by_devices = whole->seconds / n;
        group_row(run, c->name, by_link > by_devices ? "the links" : "in core, a device's share", group->seconds,
                  fmax(by_link, by_devices), c->weak, plan_json(group, nodes));
        return;
    }
    snprintf(name, sizeof name, "%s, weak", c->name);
    group_row(run, name, "one device, its share of the grid", group->seconds, part->seconds, c->weak,
              with_model(plan_json(group, nodes), part->seconds / (part->seconds + exchange_seconds(run, group, part->seconds))));
    const double strong = whole->seconds / n;
    snprintf(name, sizeof name, "%s, strong", c->name);
    group_row(run, name, "one device, the same grid", group->seconds, strong, c->strong,
              with_model(plan_json(group, nodes), strong / (strong + exchange_seconds(run, group, strong))));
}

// The planes of as much of the grid as `one` is worth.
static size_t share_of(const group_run *run, size_t planes) { return (size_t)((double)planes * run->worth / run->n); }

// Through the devices, the group's devices have a quarter of what the state takes; what one does in core is the same in both.
static void measure_case(group_run *run, const stencil_case *c) {
    problem whole = {0}, part = {0};
    mst_error error = {0};
    mst_context *group = run->group;
    timing all = {.seconds = -1}, one = {.seconds = -1}, share = {.seconds = -1};
    char *planes[2] = {NULL, NULL};
    size_t bytes = 0, count = 2 + 2 * ((size_t)run->n - 1);
    if (!group_wants(run, c->name))
        return;
    bool opened = open_problem(c, c->side, &whole) == CLI_DONE && open_problem(c, share_of(run, c->side), &part) == CLI_DONE;
    for (int k = 0; k < 2 && opened; k++) {
        bytes = count * plane_bytes(&whole.desc);
        planes[k] = calloc(1, bytes);
        opened = planes[k] != NULL;
    }
    if (opened)
        one = run_solver(run, run->one, &whole.desc, planes[0], &error);
    if (one.seconds > 0 && !c->beyond)
        share = run_solver(run, run->one, &part.desc, NULL, &error);
    if (one.seconds > 0 && c->beyond &&
        group_context(run, true, one.plan.state_bytes / (4 * (uint64_t)run->n), &group, &error) != MST_OK)
        group = NULL;
    if (group && one.seconds > 0 && (c->beyond || share.seconds > 0))
        all = run_solver(run, group, &whole.desc, planes[1], &error);
    if (all.seconds > 0 && memcmp(planes[0], planes[1], bytes) != 0)
        group_failed(run, c->name, "other bits than on one device");
    else if (all.seconds > 0)
        add_rows(run, c, &all, &one, &share);
    else
        group_failed(run, c->name, opened ? error.message : "no such problem, or no memory");
    if (group != run->group)
        mst_context_destroy(group);
    free(planes[0]);
    free(planes[1]);
    problem_free(&whole);
    problem_free(&part);
}

// Diffusion of different speeds.
static void measure_ensemble(group_run *run) {
    static const char *const names[] = {"a"};
    const mst_stencil_field field = {.name = "u", .initial = {.expression = "sin(0.01*x)*cos(0.02*y)"}};
    const mst_stencil_update update = {.field = "u", .expression = "u + a*(u[0,-1] + u[0,1] + u[-1,0] + u[1,0] - 4*u)"};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_error error = {0};
    size_t runs = run->sizes->runs;
    double *values = calloc(runs, sizeof *values);
    if (!group_wants(run, "ensemble") || !values) {
        free(values);
        return;
    }
    for (size_t i = 0; i < runs; i++)
        values[i] = 0.2 * (double)(i + 1) / (double)runs;
    d.rank = 2;
    d.grid[0] = d.grid[1] = run->sizes->layers;
    d.time_step = 1;
    d.n_fields = d.n_updates = d.n_run_parameters = 1;
    d.fields = &field;
    d.updates = &update;
    d.run_parameters = names;
    d.run_values = values;
    d.n_runs = runs;
    timing one = run_solver(run, run->one, &d, NULL, &error), all = {.seconds = -1};
    if (one.seconds > 0)
        all = run_solver(run, run->group, &d, NULL, &error);
    if (all.seconds > 0)
        group_row(run, "ensemble", "as many runs on one device", all.seconds, one.seconds * run->worth / run->n, 0.95,
                  plan_json(&all, (double)(runs * d.grid[0] * d.grid[1])));
    else
        group_failed(run, "ensemble", error.message);
    free(values);
}

void group_measure_in_core(group_run *run) {
    static const char acoustic[] = SCHEMES_DIR "/acoustic-3d.yaml";
    const group_sizes *s = run->sizes;
    const stencil_case cases[] = {
        {"yee3d with layers", "yee3d", s->layers, 3, 0.9, 0.85, false},
        {"heat3d", "heat3d", s->cube, 3, 0.8, 0.8, false},
        {"wave order 8", acoustic, s->cube, 3, 0.8, 0.8, false},
        {"heat2d", "heat2d", s->plane, 2, 0.97, 0.95, false},
    };
    for (size_t i = 0; i < CLI_COUNT(cases); i++)
        measure_case(run, &cases[i]);
}

void group_measure_beyond(group_run *run) {
    static const char acoustic[] = SCHEMES_DIR "/acoustic-3d.yaml";
    const group_sizes *s = run->sizes;
    const stencil_case cases[] = {
        {"yee3d beyond", "yee3d", s->layers, 3, 0.9, 0, true},
        {"heat2d beyond", "heat2d", s->plane, 2, 0.9, 0, true},
        {"heat3d beyond", "heat3d", s->cube, 3, 0.9, 0, true},
        {"wave order 8 beyond", acoustic, s->cube, 3, 0.9, 0, true},
    };
    for (size_t i = 0; i < CLI_COUNT(cases); i++)
        measure_case(run, &cases[i]);
    measure_ensemble(run);
}
