// brick-rates: a brick in the middle of a larger grid on one device, which exchanges halos with itself through the host's memory
// as it would with its neighbours; for several ways to cut a grid, with exchanges that wait and exchanges beside the interior.
// All faces of the grid are periodic, so that the brick has neighbours on all sides of the axes that are cut. Beside them the
// same nodes without any halos.
#include "core/cli.h"
#include "json.h"

#include <string.h>

enum { ROUNDS = 5, MOST_LINKS = 26, AXES = 3 };

typedef struct brick_case {
    const char *name;
    size_t bricks[AXES];
} brick_case;

static const brick_case cases[] = {
    {"slabs", {4, 1, 1}}, {"rows", {1, 4, 1}}, {"columns", {1, 1, 4}}, {"pencils", {3, 3, 1}}, {"bricks", {3, 3, 3}}};

static const char heat[] = "u + 0.1*(u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1] - 6*u)";
static const char wave[] = "2*u - u.prev + 0.1*(dxx(u, 8) + dyy(u, 8) + dzz(u, 8))";

typedef struct run {
    mst_context *context;
    size_t side;
    uint64_t steps;
    json_t *rows;
} run;

typedef struct links {
    mst_stencil_neighbour of[MOST_LINKS];
    size_t n, opposite[MOST_LINKS];
    char *given, *taken;
} links;

// What goes out at one side comes in at the other.
static mst_status exchange(void *user, mst_error *error) {
    links *l = user;
    (void)error;
    for (size_t i = 0; i < l->n; i++)
        memcpy(l->taken + l->of[i].taken_at, l->given + l->of[l->opposite[i]].given_at, (size_t)l->of[i].taken_bytes);
    return MST_OK;
}

static mst_status take_links(mst_context *context, mst_stencil *solver, links *l, mst_error *error) {
    mst_stencil_halo halo = MST_STENCIL_HALO_INIT;
    mst_stencil_neighbour n = MST_STENCIL_NEIGHBOUR_INIT;
    void *given, *taken;
    mst_status status = mst_stencil_describe_halo(solver, &halo, error);
    if (status == MST_OK)
        status = mst_stencil_describe_neighbour(solver, 0, &n, error);
    l->n = n.n;
    for (size_t i = 0; i < l->n && status == MST_OK; i++) {
        l->of[i] = (mst_stencil_neighbour)MST_STENCIL_NEIGHBOUR_INIT;
        status = mst_stencil_describe_neighbour(solver, i, &l->of[i], error);
        l->opposite[i] = l->n - 1 - i; // in the order of their sides
    }
    if (status == MST_OK)
        status = mst_pinned_create(context, (size_t)halo.given_bytes[0], &given, error);
    if (status != MST_OK)
        return status;
    l->given = given;
    status = mst_pinned_create(context, (size_t)halo.taken_bytes[0], &taken, error);
    l->taken = status == MST_OK ? taken : NULL;
    return status;
}

// The least seconds of a step; `l` NULL: without halos.
static mst_status time_steps(const run *r, mst_stencil *solver, links *l, const mst_stencil_brick *brick, double *seconds,
                             mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_neighbours with = MST_STENCIL_NEIGHBOURS_INIT;
    const uint64_t steps = l ? (r->steps + brick->steps - 1) / brick->steps * brick->steps : r->steps;
    with.first = brick->steps;
    with.exchange = exchange;
    with.user = l;
    with.goes_on = 1;
    if (l) {
        with.given[0] = l->given;
        with.taken[0] = l->taken;
    }
    *seconds = 1e9;
    for (int round = 0; round <= ROUNDS && status == MST_OK; round++) { // the first one builds and warms up
        const double start = cli_now();
        status =
            l ? mst_stencil_run_part(solver, steps, &with, NULL, NULL, error) : mst_stencil_run(solver, steps, NULL, NULL, error);
        const double each = (cli_now() - start) / (double)steps;
        *seconds = round > 0 && each < *seconds ? each : *seconds;
    }
    return status;
}

static mst_status run_case(const run *r, const char *scheme, mst_stencil_desc d, const brick_case *c,
                           mst_stencil_halo_exchange how, double alone, mst_error *error) {
    mst_stencil_brick brick = MST_STENCIL_BRICK_INIT;
    mst_stencil *solver = NULL;
    links l = {.n = 0};
    double seconds = 0;
    size_t n = 1;
    for (int k = 0; k < AXES; k++) {
        d.grid[k] = r->side * c->bricks[k];
        n *= c->bricks[k];
    }
    d.exchange = how;
    mst_status status = mst_stencil_brick_of(&d, c->bricks, n, n / 2, 0, &brick, error);
    d.brick = &brick;
    if (status == MST_OK)
        status = mst_stencil_create(r->context, &d, &solver, error);
    if (status == MST_OK)
        status = take_links(r->context, solver, &l, error);
    if (status == MST_OK)
        status = time_steps(r, solver, &l, &brick, &seconds, error);
    if (status == MST_OK) {
        const char *name = how == MST_STENCIL_EXCHANGE_BESIDE ? "beside" : "waits";
        printf("%-5s %-8s %-6s every %2llu: %8.3f ms a step, %.3f of one without halos, %llu messages of %.3g MB\n", scheme,
               c->name, name, (unsigned long long)brick.steps, 1e3 * seconds, alone / seconds, (unsigned long long)brick.messages,
               1e-6 * (double)brick.bytes);
        json_array_append_new(r->rows, json_pack("{s:s, s:s, s:s, s:I, s:f, s:f, s:I, s:I}", "scheme", scheme, "cut", c->name,
                                                 "exchange", name, "steps_between_exchanges", (json_int_t)brick.steps,
                                                 "seconds_a_step", seconds, "alone_seconds_a_step", alone, "messages",
                                                 (json_int_t)brick.messages, "bytes", (json_int_t)brick.bytes));
    }
    mst_stencil_destroy(solver);
    mst_pinned_destroy(r->context, l.given);
    mst_pinned_destroy(r->context, l.taken);
    return status;
}

static mst_status run_scheme(const run *r, const char *scheme, const char *expression, int levels, mst_error *error) {
    const mst_stencil_field field = {.name = "u", .levels = levels, .initial = {.expression = "sin(x) + cos(3*y)*z"}};
    const mst_stencil_update update = {"u", expression, 0};
    mst_stencil_boundary faces[2 * AXES];
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_stencil *solver = NULL;
    const mst_stencil_brick none = MST_STENCIL_BRICK_INIT;
    double alone = 0;
    for (int k = 0; k < 2 * AXES; k++)
        faces[k] = (mst_stencil_boundary){.kind = MST_BOUNDARY_PERIODIC};
    d.rank = AXES;
    for (int k = 0; k < AXES; k++) {
        d.grid[k] = r->side;
        d.spacing[k] = 1;
    }
    d.time_step = 0.1;
    d.precision = MST_FLOAT32;
    d.fields = &field;
    d.updates = &update;
    d.boundaries = faces;
    d.n_fields = d.n_updates = 1;
    d.schedule = MST_STENCIL_IN_CORE;
    mst_status status = mst_stencil_create(r->context, &d, &solver, error);
    if (status == MST_OK)
        status = time_steps(r, solver, NULL, &none, &alone, error);
    mst_stencil_destroy(solver);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && status == MST_OK; i++)
        for (int how = MST_STENCIL_EXCHANGE_WAITS; how <= MST_STENCIL_EXCHANGE_BESIDE && status == MST_OK; how++)
            status = run_case(r, scheme, d, &cases[i], (mst_stencil_halo_exchange)how, alone, error);
    return status;
}

typedef struct settings {
    int side, steps;
    char *json;
} settings;

static int measure(run *r, const char *json) {
    mst_error error;
    mst_status status = run_scheme(r, "heat", heat, 1, &error);
    if (status == MST_OK)
        status = run_scheme(r, "wave8", wave, 2, &error);
    if (status != MST_OK)
        return cli_fail(NULL, NULL, &error);
    return !json || bench_write_json(r->context, "brick-rates",
                                     json_pack("{s:I, s:O}", "side", (json_int_t)r->side, "rows", r->rows), json)
               ? CLI_DONE
               : CLI_FAILED;
}

static int run_command(const cli_arguments *arguments, void *values) {
    const settings *s = values;
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_error error;
    if (s->side < 1 || s->steps < 1) {
        cli_error(NULL, "--grid %d, --steps %d: at least 1", s->side, s->steps);
        return CLI_USAGE;
    }
    run r = {.side = (size_t)s->side, .steps = (uint64_t)s->steps, .rows = json_array()};
    desc.device = arguments->common.device;
    if (!r.rows)
        return cli_out_of_memory(NULL, NULL);
    int code = mst_context_create(&desc, &r.context, &error) == MST_OK ? measure(&r, s->json) : cli_fail(NULL, NULL, &error);
    json_decref(r.rows);
    mst_context_destroy(r.context);
    return code;
}

static const cli_option options[] = {
    {"grid", 0, CLI_INT, offsetof(settings, side), "side of the brick, in nodes (default: 512)", "N"},
    {"steps", 0, CLI_INT, offsetof(settings, steps), "steps of a run (default: 48)", "K"},
    {"json", 0, CLI_TEXT, offsetof(settings, json), "write the table there too", "FILE"},
};
static const settings defaults = {.side = 512, .steps = 48};
static const cli_command command = {
    .title = "A brick of a grid that exchanges halos with itself.",
    .synopsis = "[options]",
    .details = "For several ways to cut a grid, exchanges that wait and exchanges beside the interior, beside the same\n"
               "nodes without halos.\n",
    .leave_out = ~(unsigned)CLI_DEVICE,
    .options = options,
    .n_options = CLI_COUNT(options),
    .values_bytes = sizeof(settings),
    .defaults = &defaults,
    .run = run_command,
};

int main(int argc, const char **argv) {
    cli_set_program("brick-rates");
    return cli_run_command(&command, argc, argv);
}
