// mastaba-mpi solve: one grid by all ranks, each of which has a part of it and writes that to one file.
#include "files.h"

#include "core/layout.h"
#include "core/team.h"
#include "solve/digest.h"
#include "solve/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "solve";

static const char details[] =
    "As `mastaba solve`, by all ranks of the job: each has some planes of the slowest axis,\n"
    "or a brick (--layout), and the halos that --exchange-every steps read, exchanges them\n"
    "with its neighbours, and writes its part to OUT, which appears only when all have written. The result has the\n"
    "same bits for any number of ranks on devices of one kind, and so have outputs, traces of\n"
    "receivers, monitors and spectra. PROBLEM is a file or a built-in problem of two or three\n"
    "axes.\n"
    "A checkpoint is one file, written by all and whole or not at all, that any number of\n"
    "ranks resumes from, and `mastaba solve`; one is written at an interrupt, too. mpiexec of\n"
    "Open MPI gives ranks a second for that; `--mca odls_base_sigkill_timeout 600` more.\n"
    "--timeout is to exceed what writing a file takes, and the steps between two exchanges.\n"
    "\n"
    "Example: four ranks\n"
    "  mpiexec -n 4 mastaba-mpi solve heat2d --grid 8192x8192 --steps 1000 -o u.npy\n";

typedef struct request {
    char *grid, **set, *precision, *subnormals, *output, *output_type, *exchange; // set: NULL-ended, or NULL
    char *checkpoint, *every, *layout;
    long long steps, exchange_every; // -1: those of the file; 0: chosen
    double time_step;                // 0: the file's
    int no_check, dry_run, resume;
} request;

static const request defaults = {.steps = -1};

static const cli_option option_table[] = {
    {"grid", 0, CLI_TEXT, offsetof(request, grid), "nodes an axis, slowest first, as 8192x8192", "NxN"},
    {"steps", 'n', CLI_LONG, offsetof(request, steps), "time steps", "K"},
    {"time-step", 0, CLI_REAL, offsetof(request, time_step), "in place of the problem's", "DT"},
    {"set", 0, CLI_TEXTS, offsetof(request, set), "another value for a parameter; any number of times", "NAME=VALUE"},
    {"precision", 0, CLI_TEXT, offsetof(request, precision), "float32 or float64", "TYPE"},
    {"subnormals", 0, CLI_TEXT, offsetof(request, subnormals), "keep, or flush: numbers too small for a CPU become 0", "HOW"},
    {"output", 'o', CLI_TEXT, offsetof(request, output), "the last state, as .npy", "OUT.npy"},
    {"output-type", 0, CLI_TEXT, offsetof(request, output_type), "float16 for fields stored so (default: the precision)", "TYPE"},
    {"layout", 0, CLI_TEXT, offsetof(request, layout), "ranks an axis as 2x2x1, or slabs, pencils, bricks (default: by a model)",
     "PxPxP"},
    {"exchange", 0, CLI_TEXT, offsetof(request, exchange), "of halos: waits, or beside the interior (default: beside on GPUs)",
     "HOW"},
    {"exchange-every", 0, CLI_LONG, offsetof(request, exchange_every), "steps between two exchanges (default: by a model)", "K"},
    {"checkpoint", 0, CLI_TEXT, offsetof(request, checkpoint), "write the state here now and then", "FILE"},
    {"checkpoint-every", 0, CLI_TEXT, offsetof(request, every), "steps, or a time as 30s, 10m, 2h (default: 10m)", "K"},
    {"resume", 0, CLI_FLAG, offsetof(request, resume), "continue from the checkpoint", NULL},
    {"no-check", 0, CLI_FLAG, offsetof(request, no_check), "go on although a field has become infinite or NaN", NULL},
    {"dry-run", 0, CLI_FLAG, offsetof(request, dry_run), "print who has what, and end", NULL},
};

typedef struct job {
    const request *request;
    problem_overrides overrides;
    solve_options options;
    mst_stencil_halo_exchange exchange;
    mst_stencil_brick layout; // how many bricks along each axis; 0: chosen
    solve_run run;
    solve_shared shared;
    mst_mpi_stencil *solver;
} job;

static int check_request(const request *r, job *j) {
    if (r->steps < -1 || r->exchange_every < 0 || r->exchange_every > 1 << 20 || !(r->time_step >= 0 && isfinite(r->time_step))) {
        cli_error(command, "--steps, --exchange-every, --time-step: expected numbers above 0, of --exchange-every up to 2^20");
        return CLI_USAGE;
    }
    if (!r->checkpoint && (r->resume || r->every)) {
        cli_error(command, "--%s: expected --checkpoint FILE with it", r->resume ? "resume" : "checkpoint-every");
        return CLI_USAGE;
    }
    if (r->output_type && strcmp(r->output_type, "float16") != 0) {
        cli_error(command, "--output-type %s: expected float16; without it, the result has the precision of the problem",
                  r->output_type);
        return CLI_USAGE;
    }
    j->options = (solve_options){.output = r->output,
                                 .output_type = r->output_type ? MST_FLOAT16 : (mst_type)0,
                                 .checkpoint = r->checkpoint,
                                 .resume = r->resume,
                                 .every_seconds = 600};
    int code = r->exchange ? solve_take_exchange(r->exchange, &j->exchange) : CLI_DONE;
    if (code == CLI_DONE && r->every)
        code = solve_take_every(r->every, &j->options);
    if (code == CLI_DONE && r->grid)
        code = solve_take_grid(r->grid, &j->overrides);
    if (code == CLI_DONE)
        code = solve_take_set(r->set, &j->overrides);
    if (code == CLI_DONE)
        code = cli_precision(command, r->precision, "expected float32 or float64", &j->overrides.precision);
    if (code == CLI_DONE)
        code = solve_take_subnormals(r->subnormals, &j->overrides);
    j->overrides.steps = r->steps;
    j->overrides.time_step = r->time_step;
    return code;
}

// As near to a cube as the number allows, of which the slowest axes have the most.
static void share(size_t n, int axes, size_t *bricks) {
    for (int k = 0; k < axes; k++) {
        size_t best = n;
        for (size_t p = 1; p <= n; p++) // the least number that leaves no more for the others than it is itself
            if (n % p == 0 && pow((double)p, axes - k) >= (double)n * (1 - 1e-12) && p < best)
                best = p;
        bricks[k] = best;
        n /= best;
    }
}

// Slabs are cut along the slowest axis, pencils along two, bricks along all.
static int take_layout(job *j) {
    const char *text = j->request->layout;
    size_t shape[MST_MAX_AXES], *bricks = j->layout.bricks, n = (size_t)ranks_count();
    const int rank = problem_region_shape(&j->run.problem.desc, shape);
    const int axes = strcmp(text, "slabs") == 0 ? 1 : strcmp(text, "pencils") == 0 ? 2 : strcmp(text, "bricks") == 0 ? rank : 0;
    for (int k = 0; k < MST_MAX_AXES; k++)
        bricks[k] = 1;
    if (axes > rank) {
        cli_error(command, "--layout %s: is of grids of two axes at least; this one has %d", text, rank);
        return CLI_USAGE;
    }
    if (axes > 0) {
        share(n, axes, bricks);
        return CLI_DONE;
    }
    int n_axes = 0;
    size_t product = 1;
    if (!solve_read_sizes(text, bricks, &n_axes)) {
        cli_error(command, "--layout %s: expected slabs, pencils, bricks, or ranks an axis as 2x2", text);
        return CLI_USAGE;
    }
    for (int k = 0; k < n_axes; k++)
        product *= bricks[k] <= n ? bricks[k] : n + 1;
    if (n_axes != rank) {
        cli_error(command, "--layout %s: names %d ax%s, and the grid has %d", text, n_axes, n_axes == 1 ? "is" : "es", rank);
        return CLI_USAGE;
    }
    if (product != n) {
        cli_error(command, "--layout %s: is of another number of ranks than the %zu of this job", text, n);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

// What ranks do not do is refused before any work.
static int check_problem(const job *j) {
    const problem *p = &j->run.problem;
    const bool writes = j->options.output || j->options.checkpoint || p->n_outputs || p->desc.n_receivers || p->n_logs ||
                        p->desc.n_spectra || j->request->dry_run;
    if (!writes) {
        cli_error(command, "no output given; add -o OUT.npy");
        return CLI_USAGE;
    }
    const int code = solve_check_output_type(&j->run);
    return code == CLI_DONE ? solve_check_stability(&j->run) : code;
}

// Parts of ranks fit together only if all have the same problem, of files with values at least the first chunk.
static int compare_problems(const job *j) {
    const problem *p = &j->run.problem;
    XXH3_state_t *state = XXH3_createState();
    char *buffer = malloc(SOLVE_CHUNK_BYTES);
    uint64_t found[2] = {0, 0};
    int code = state && buffer ? solve_digest_problem(p, SOLVE_CHUNK_BYTES, state, buffer, found)
                               : cli_out_of_memory(command, "a digest of the problem");
    XXH3_freeState(state);
    free(buffer);
    code = cli_agree(command, code);
    if (code != CLI_DONE || (cli_same(found[0]) && cli_same(found[1]) && cli_same(p->steps)))
        return code;
    cli_error(command, "%s: is not the same problem for all ranks; put its files where all hosts see them", j->options.name);
    return CLI_INPUT_OUTPUT;
}

static int open_problem(job *j, const char *name, const cli_options *common) {
    j->options.name = name;
    j->run = (solve_run){.common = common, .options = &j->options, .plan = MST_STENCIL_PLAN_INIT, .scratch = -1};
    int code = problem_open(command, name, &j->overrides, &j->run.problem);
    if (code == CLI_DONE)
        code = check_problem(j);
    j->run.problem.desc.check_every = j->request->no_check ? 0 : UINT64_MAX;
    j->run.problem.desc.expected_steps = j->run.problem.steps;
    j->run.problem.desc.exchange = j->exchange;
    j->layout = (mst_stencil_brick)MST_STENCIL_BRICK_INIT;
    if (code == CLI_DONE && j->request->layout)
        code = take_layout(j);
    j->run.problem.desc.brick = &j->layout;
    code = cli_agree(command, code);
    return code == CLI_DONE ? compare_problems(j) : code;
}

// ---- Who has what

static void print_nodes(const mst_stencil_brick *b, int rank) {
    for (int k = 0; k < rank; k++)
        printf("%s%zu:%zu", k ? "," : "", b->first[k], b->first[k] + b->count[k]);
}

// `cut`: the axes that are.
static void print_brick(int number, const mst_stencil_brick *b, int rank, bool sideways) {
    printf("rank %d: ", number);
    if (b->count[0] == 0) {
        printf("nothing\n");
        return;
    }
    if (sideways) {
        printf("nodes [");
        print_nodes(b, rank);
        printf("]");
    } else {
        printf("planes %zu to %zu", b->first[0], b->first[0] + b->count[0] - 1);
    }
    if (b->messages == 0)
        printf(", no halos\n");
    else
        printf(", halos every %llu steps, each time %llu message%s of %llu bytes\n", (unsigned long long)b->steps,
               (unsigned long long)b->messages, b->messages == 1 ? "" : "s", (unsigned long long)b->bytes);
}

static json_t *json_of(const mst_stencil_brick *b, int rank) {
    size_t end[MST_MAX_AXES];
    for (int k = 0; k < rank; k++)
        end[k] = b->first[k] + b->count[k];
    return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:I}", "from", cli_json_sizes(b->first, rank), "to",
                     cli_json_sizes(end, rank), "first", (json_int_t)b->first[0], "planes", (json_int_t)b->count[0], "steps",
                     (json_int_t)b->steps, "messages", (json_int_t)b->messages, "bytes", (json_int_t)b->bytes);
}

static int print_plan(const job *j, bool json) {
    mst_error error;
    const mst_stencil_desc *desc = &j->run.problem.desc;
    size_t shape[MST_MAX_AXES];
    const int n = ranks_count(), rank = problem_region_shape(desc, shape);
    json_t *list = json ? json_array() : NULL;
    int code = CLI_DONE, failed = 0;
    for (int number = 0; number < n && code == CLI_DONE; number++) {
        mst_stencil_brick b = MST_STENCIL_BRICK_INIT;
        if (mst_stencil_brick_of(desc, j->layout.bricks, (size_t)n, (size_t)number, (uint64_t)j->request->exchange_every, &b,
                                 &error) != MST_OK)
            code = cli_fail_input(command, j->options.name, &error);
        else if (json)
            failed |= json_array_append_new(list, json_of(&b, rank));
        else
            print_brick(number, &b, rank, b.bricks[0] < (size_t)n);
    }
    if (code != CLI_DONE) {
        json_decref(list);
        return code;
    }
    return json ? cli_print_json(command, cli_json_complete(list, failed || !list)) : cli_flush(command);
}

// ---- The work: what run.c asks of a solver that ranks share

static mst_status broken(mst_mpi_stencil *s, mst_status status) {
    if (mst_mpi_stencil_is_broken(s))
        ranks_give_up();
    return status;
}

static mst_status run_shared(void *s, uint64_t steps, const mst_execution *how, mst_stencil_report *report, mst_error *error) {
    ranks_pause_watch(); // what follows has the timeout itself
    return broken(s, mst_mpi_stencil_run_with(s, steps, how, report, error));
}

static uint64_t step_of(const void *s) { return mst_mpi_stencil_step(s); }

static mst_status measure(void *s, size_t monitor, double *values, mst_error *error) {
    ranks_pause_watch();
    return broken(s, mst_mpi_stencil_measure(s, monitor, values, error));
}

static mst_status read_monitor(void *s, size_t monitor, uint64_t first, uint64_t count, double *values, mst_error *error) {
    return broken(s, mst_mpi_stencil_read_monitor(s, monitor, first, count, values, error));
}

static mst_status read_receiver(void *s, size_t receiver, uint64_t first, uint64_t count, double *values, mst_error *error) {
    return broken(s, mst_mpi_stencil_read_receiver(s, receiver, first, count, values, error));
}

static int resume(job *j) {
    mst_error error;
    cli_take_time();
    int code = cli_agree(command, solve_take_checkpoint(&j->run));
    if (code == CLI_DONE && broken(j->solver, mst_mpi_stencil_resume(j->solver, j->run.resumed_step, &error)) != MST_OK)
        code = cli_fail(command, j->options.checkpoint, &error);
    return cli_agree(command, code);
}

static int prepare(const cli_options *options, job *j) {
    mst_error error;
    solve_run *run = &j->run;
    int code = cli_context(command, options, false, &run->context);
    if (code != CLI_DONE)
        return code;
    ranks_pause_watch(); // compiling takes its time; what follows has the timeout itself
    if (mst_mpi_stencil_create(MPI_COMM_WORLD, run->context, &run->problem.desc, (uint64_t)j->request->exchange_every,
                               options->timeout, &j->solver, &error) != MST_OK)
        code = cli_fail_input(command, j->options.name, &error);
    code = cli_agree(command, code);
    if (code != CLI_DONE)
        return code;
    j->shared = (solve_shared){.solver = j->solver,
                               .run = run_shared,
                               .step = step_of,
                               .measure = measure,
                               .read_monitor = read_monitor,
                               .read_receiver = read_receiver};
    run->solver = mst_mpi_stencil_solver(j->solver, NULL);
    run->shared = &j->shared;
    j->shared.brick = (mst_stencil_brick)MST_STENCIL_BRICK_INIT;
    if (mst_mpi_stencil_brick(j->solver, &j->shared.brick, &error) != MST_OK)
        return cli_fail(command, j->options.name, &error);
    code = solve_make_traces(run);
    if (code == CLI_DONE && j->options.resume)
        code = resume(j);
    run->first = solve_step(run);
    run->last_checkpoint = cli_now();
    return code;
}

static int print_report(const job *j, bool json) {
    char shape[200], time[32], device[320];
    const solve_run *run = &j->run;
    const problem *p = &run->problem;
    const mst_layout grid = problem_layout(&p->desc);
    const double nodes = (double)(cli_layout_bytes(&grid) / mst_type_bytes(grid.type));
    const double rate = nodes * (double)run->done.steps / fmax(run->done.seconds, 1e-9);
    if (json) {
        json_t *object =
            json_pack("{s:o, s:o, s:s, s:I, s:I, s:i, s:I, s:o, s:f, s:f}", "problem", cli_json_text(j->options.name), "shape",
                      cli_json_sizes(grid.shape, grid.rank), "type", mst_type_name(grid.type), "steps", (json_int_t)p->steps,
                      "first_step", (json_int_t)run->first, "ranks", ranks_count(), "steps_between_exchanges",
                      (json_int_t)j->shared.brick.steps, "device", cli_json_text(cli_device_text(run->context, device)),
                      "seconds", run->done.seconds, "node_steps_per_second", rate);
        return cli_print_json(command, cli_json_complete(object, solve_add_monitors(run, object)));
    }
    printf("%s: %s %s, %llu steps by %d rank%s on %s in %s, %.3g node steps/s\n",
           j->options.output ? j->options.output : j->options.name, cli_shape_text(&grid, shape), mst_type_name(grid.type),
           (unsigned long long)p->steps, ranks_count(), ranks_count() == 1 ? "" : "s", cli_device_text(run->context, device),
           cli_time_text(run->done.seconds, time), rate);
    solve_print_found(run);
    return cli_flush(command);
}

static int solve(const cli_options *options, const char *name, job *j) {
    int code = open_problem(j, name, options);
    if (code == CLI_DONE && j->request->dry_run)
        return print_plan(j, options->json != 0);
    if (code == CLI_DONE && j->options.checkpoint)
        code = cli_agree(command, solve_list_state(&j->run));
    if (code == CLI_DONE)
        code = solve_open_outputs(&j->run);
    if (code == CLI_DONE && j->options.resume)
        code = solve_open_shared_checkpoint(&j->run);
    if (code == CLI_DONE)
        code = prepare(options, j);
    if (code == CLI_DONE)
        code = solve_steps(&j->run);
    return code == CLI_DONE && ranks_number() == 0 ? print_report(j, options->json != 0) : code;
}

static int run(const cli_arguments *arguments, void *values) {
    job j = {.request = values};
    int code = check_request(values, &j);
    if (code == CLI_DONE)
        code = solve(&arguments->common, arguments->operands[0], &j);
    j.run.solver = NULL; // it is of the shared one
    mst_mpi_stencil_destroy(j.solver);
    solve_free(&j.run);
    return code;
}

const cli_command mpi_solve = {
    .name = command,
    .summary = "an explicit finite-difference scheme on one grid by all ranks",
    .title = "Solves an explicit finite-difference scheme on a grid that several ranks share.",
    .synopsis = "PROBLEM [-o OUT.npy] [options]",
    .details = details,
    .min_operands = 1,
    .max_operands = 1,
    .leave_out = CLI_KERNELS,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .defaults = &defaults,
    .run = run,
};
