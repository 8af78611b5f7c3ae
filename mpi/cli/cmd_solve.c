// mastaba-mpi solve: one grid by all ranks, each of which has some planes of it and writes them to one file.
#include "files.h"

#include "solve/digest.h"
#include "solve/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "solve";

static const char details[] = "As `mastaba solve`, by all ranks of the job: each has some planes of the slowest axis\n"
                              "and the halos that --exchange-every steps read, exchanges them with its neighbours,\n"
                              "and writes its planes to OUT, which appears only when all have written. The result has the\n"
                              "same bits for any number of ranks on devices of one kind. PROBLEM is a file or a\n"
                              "built-in problem of two or three axes; files with outputs, receivers, monitors,\n"
                              "spectra or a condition are refused, since ranks write none of these.\n"
                              "A checkpoint is one file, written by all and whole or not at all, that any number of\n"
                              "ranks resumes from, and `mastaba solve`. An interrupted job writes no other one.\n"
                              "--timeout is to exceed what writing it takes, and the steps between two exchanges.\n"
                              "\n"
                              "Example: four ranks\n"
                              "  mpiexec -n 4 mastaba-mpi solve heat2d --grid 8192x8192 --steps 1000 -o u.npy\n";

typedef struct request {
    char *grid, **set, *precision, *output, *exchange; // set: NULL-ended, or NULL
    char *checkpoint, *every;
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
    {"output", 'o', CLI_TEXT, offsetof(request, output), "the last state, as .npy", "OUT.npy"},
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
    solve_run run; // of which ranks use the problem
    cli_output output;
    mst_context *context;
    mst_mpi_stencil *solver;
    uint64_t trip; // steps of a pass over the state of the first rank
} job;

static int check_request(const request *r, job *j) {
    if (!r->output && !r->dry_run) {
        cli_error(command, "no output given; add -o OUT.npy");
        return CLI_USAGE;
    }
    if (r->steps < -1 || r->exchange_every < 0 || r->exchange_every > 1 << 20 || !(r->time_step >= 0 && isfinite(r->time_step))) {
        cli_error(command, "--steps, --exchange-every, --time-step: expected numbers above 0, of --exchange-every up to 2^20");
        return CLI_USAGE;
    }
    if (!r->checkpoint && (r->resume || r->every)) {
        cli_error(command, "--%s: expected --checkpoint FILE with it", r->resume ? "resume" : "checkpoint-every");
        return CLI_USAGE;
    }
    if (r->checkpoint && r->output && strcmp(r->checkpoint, r->output) == 0) {
        cli_error(command, "%s: is the name of two outputs; give one of them another", r->output);
        return CLI_INPUT_OUTPUT;
    }
    j->options = (solve_options){.output = r->output, .checkpoint = r->checkpoint, .resume = r->resume, .every_seconds = 600};
    int code = r->exchange ? solve_take_exchange(r->exchange, &j->exchange) : CLI_DONE;
    if (code == CLI_DONE && r->every)
        code = solve_take_every(r->every, &j->options);
    if (code == CLI_DONE && r->grid)
        code = solve_take_grid(r->grid, &j->overrides);
    if (code == CLI_DONE)
        code = solve_take_set(r->set, &j->overrides);
    if (code == CLI_DONE)
        code = cli_precision(command, r->precision, "expected float32 or float64", &j->overrides.precision);
    j->overrides.steps = r->steps;
    j->overrides.time_step = r->time_step;
    return code;
}

// What ranks do not do is refused before any work.
static int check_problem(const job *j) {
    const problem *p = &j->run.problem;
    const mst_stencil_desc *d = &p->desc;
    const char *has = p->n_outputs                                      ? "outputs"
                      : d->n_receivers                                  ? "receivers"
                      : d->n_monitors                                   ? "monitors"
                      : d->n_spectra                                    ? "spectra"
                      : d->until                                        ? "a condition"
                      : problem_shape(d, (size_t[MST_MAX_AXES]){0}) < 2 ? "one axis"
                                                                        : NULL;
    if (has) {
        cli_error(command, "%s: has %s, which ranks cannot do; `mastaba solve` can", j->options.name, has);
        return CLI_INPUT_OUTPUT;
    }
    return solve_check_stability(&j->run);
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
    code = cli_agree(command, code);
    return code == CLI_DONE ? compare_problems(j) : code;
}

// ---- Who has what

static int print_plan(const job *j, bool json) {
    mst_error error;
    mst_stencil_part *parts = calloc((size_t)ranks_count(), sizeof *parts);
    json_t *list = json ? json_array() : NULL;
    int code = CLI_DONE, failed = 0;
    if (!parts)
        code = cli_out_of_memory(command, "the parts");
    else if (mst_stencil_divide(&j->run.problem.desc, NULL, (size_t)ranks_count(), (uint64_t)j->request->exchange_every, parts,
                                &error) != MST_OK)
        code = cli_fail_input(command, j->options.name, &error);
    bool exchanged = j->run.problem.desc.n_runs == 0 && ranks_count() > 1 && parts && parts[1].planes > 0;
    for (int rank = 0; parts && rank < ranks_count() && code == CLI_DONE; rank++) {
        const mst_stencil_part *p = &parts[rank];
        if (json)
            failed |= json_array_append_new(list, json_pack("{s:I, s:I, s:I}", "first", (json_int_t)p->first, "planes",
                                                            (json_int_t)p->planes, "steps", (json_int_t)p->steps));
        else if (p->planes && (!exchanged || p->steps == UINT32_MAX))
            printf("rank %d: planes %zu to %zu, no halos\n", rank, p->first, p->first + p->planes - 1);
        else if (p->planes)
            printf("rank %d: planes %zu to %zu, halos every %llu steps\n", rank, p->first, p->first + p->planes - 1,
                   (unsigned long long)p->steps);
        else
            printf("rank %d: nothing\n", rank);
    }
    free(parts);
    if (code != CLI_DONE) {
        json_decref(list);
        return code;
    }
    return json ? cli_print_json(command, cli_json_complete(list, failed || !list)) : cli_flush(command);
}

// ---- The work

// This rank's planes of every field, to where they belong in the file of all.
static int write_planes(job *j) {
    const mst_stencil_desc *d = &j->run.problem.desc;
    const mst_layout whole = solve_result_layout(&j->run);
    const uint64_t bytes = cli_layout_bytes(&whole) / d->n_updates;
    mst_stencil_part part;
    mst_stencil *mine = mst_mpi_stencil_solver(j->solver, &part);
    size_t shape[MST_MAX_AXES], written = 0;
    mst_error error;
    problem_shape(d, shape);
    for (size_t i = 0; mine && i < d->n_fields; i++) {
        if (d->fields[i].coefficient)
            continue;
        uint64_t at = j->output.location.offset + written++ * bytes + part.first * (bytes / shape[0]);
        if (mst_stencil_read(mine, d->fields[i].name, 0, NULL, mst_at_file(j->output.location.file, at), &error) != MST_OK)
            return cli_fail(command, j->request->output, &error);
    }
    return CLI_DONE;
}

static int resume(job *j) {
    mst_error error;
    int code = cli_agree(command, solve_take_checkpoint(&j->run));
    if (code == CLI_DONE && mst_mpi_stencil_resume(j->solver, j->run.resumed_step, &error) != MST_OK)
        code = cli_fail(command, j->options.checkpoint, &error);
    j->run.first = j->run.resumed_step;
    return cli_agree(command, code);
}

// What the first rank decides for all, by its clock: how many steps come next, and whether a checkpoint is due.
typedef struct decision {
    uint64_t steps, due;
} decision;

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

// Fewer steps at once take the time of as many: they stream the same state, or use halos in part.
static int find_trip(job *j) {
    mst_error error;
    mst_stencil_part part;
    mst_stencil *mine = mst_mpi_stencil_solver(j->solver, &part);
    const bool exchanges = part.planes < j->run.problem.desc.grid[0] && part.steps < UINT32_MAX;
    if (mine && mst_stencil_describe(mine, j->run.problem.steps, &j->run.plan, &error) != MST_OK)
        return cli_fail_input(command, j->options.name, &error);
    j->trip = exchanges ? part.steps : j->run.plan.depth > 1 ? j->run.plan.depth : 1;
    return CLI_DONE;
}

// Up to where a checkpoint is due by its step; by time, whole trips for half of what is left of it, since fields are read behind
// all of them.
static uint64_t next_steps(const job *j, uint64_t step, double seconds_a_step) {
    const solve_options *o = &j->options;
    const uint64_t left = j->run.problem.steps - step;
    if (!o->checkpoint)
        return left;
    if (o->every_steps)
        return least(left, o->every_steps - step % o->every_steps);
    const double trips = (o->every_seconds - (cli_now() - j->run.last_checkpoint)) / (2 * seconds_a_step * (double)j->trip);
    return trips < 2 ? least(left, j->trip) : trips < (double)left / (double)j->trip ? (uint64_t)trips * j->trip : left;
}

static bool is_due(const job *j, uint64_t step) {
    const solve_options *o = &j->options;
    return o->checkpoint &&
           (step == j->run.problem.steps ||
            (o->every_steps ? step % o->every_steps == 0 : cli_now() - j->run.last_checkpoint > o->every_seconds));
}

static int run_steps(job *j, uint64_t steps) {
    mst_error error;
    ranks_pause_watch();
    if (mst_mpi_stencil_run(j->solver, steps, &error) != MST_OK) {
        if (mst_mpi_stencil_is_broken(j->solver))
            ranks_give_up();
        return cli_agree(command, cli_fail_input(command, NULL, &error));
    }
    return cli_agree(command, cli_interrupted() ? cli_fail_interrupted(command) : CLI_DONE);
}

static int advance(job *j) {
    decision d;
    double seconds_a_step = INFINITY;
    int code = CLI_DONE;
    j->run.last_checkpoint = cli_now();
    for (uint64_t step = j->run.first; step < j->run.problem.steps && code == CLI_DONE;) {
        d = (decision){.steps = next_steps(j, step, seconds_a_step)};
        cli_tell(&d, sizeof d, 0);
        const double start = cli_now();
        code = run_steps(j, d.steps);
        seconds_a_step = fmax(cli_now() - start, 1e-9) / (double)d.steps;
        step += d.steps;
        d.due = is_due(j, step);
        if (code == CLI_DONE)
            cli_tell(&d, sizeof d, 0);
        if (code == CLI_DONE && d.due) {
            code = solve_write_shared_checkpoint(&j->run);
            j->run.last_checkpoint = cli_now();
        }
    }
    return code;
}

static int compute(const cli_options *options, job *j, double *seconds) {
    mst_error error;
    const problem *p = &j->run.problem;
    int code = cli_context(command, options, false, &j->context);
    if (code != CLI_DONE)
        return code;
    ranks_pause_watch(); // compiling takes its time; what follows has the timeout itself
    if (mst_mpi_stencil_create(MPI_COMM_WORLD, j->context, &p->desc, (uint64_t)j->request->exchange_every, options->timeout,
                               &j->solver, &error) != MST_OK)
        code = cli_fail_input(command, j->options.name, &error);
    else
        code = find_trip(j);
    code = cli_agree(command, code);
    if (code != CLI_DONE)
        return code;
    j->run.solver = mst_mpi_stencil_solver(j->solver, NULL);
    if (j->options.resume)
        code = resume(j);
    double start = cli_now();
    if (code == CLI_DONE)
        code = advance(j);
    *seconds = cli_now() - start;
    if (code == CLI_DONE)
        code = write_planes(j);
    return cli_agree(command, code);
}

static int print_report(const job *j, bool json, double seconds) {
    char shape[200], time[32], device[320];
    const problem *p = &j->run.problem;
    const mst_layout whole = solve_result_layout(&j->run);
    mst_stencil_part part = {0};
    double nodes = (double)problem_runs(&p->desc);
    mst_mpi_stencil_solver(j->solver, &part);
    for (int k = 0; k < p->desc.rank; k++)
        nodes *= (double)p->desc.grid[k];
    double rate = nodes * (double)(p->steps - j->run.first) / seconds;
    if (json) {
        json_t *names = cli_json_text(cli_device_text(j->context, device));
        return cli_print_json(
            command, json_pack("{s:o, s:o, s:s, s:I, s:i, s:I, s:o, s:f, s:f}", "output", cli_json_text(j->request->output),
                               "shape", cli_json_sizes(whole.shape, whole.rank), "type", mst_type_name(whole.type), "steps",
                               (json_int_t)p->steps, "ranks", ranks_count(), "steps_between_exchanges", (json_int_t)part.steps,
                               "device", names, "seconds", seconds, "node_steps_per_second", rate));
    }
    printf("%s: %s %s, %llu steps by %d rank%s on %s in %s, %.3g node steps/s\n", j->request->output,
           cli_shape_text(&whole, shape), mst_type_name(whole.type), (unsigned long long)p->steps, ranks_count(),
           ranks_count() == 1 ? "" : "s", cli_device_text(j->context, device), cli_time_text(seconds, time), rate);
    return cli_flush(command);
}

static int open_checkpoint(job *j) {
    int code = solve_list_state(&j->run);
    if (code == CLI_DONE && ranks_number() == 0)
        code = solve_place_checkpoint(&j->run);
    code = cli_agree(command, code);
    return code == CLI_DONE && j->options.resume ? solve_open_shared_checkpoint(&j->run) : code;
}

static int solve(const cli_options *options, const char *name, job *j) {
    const char *const inputs[] = {name, NULL};
    double seconds = 0;
    int code = open_problem(j, name, options);
    if (code == CLI_DONE && j->request->dry_run)
        return print_plan(j, options->json != 0);
    const mst_layout whole = code == CLI_DONE ? solve_result_layout(&j->run) : (mst_layout)MST_LAYOUT_INIT;
    if (code == CLI_DONE)
        code = cli_output_open(command, j->request->output, false, options->force || j->options.resume, inputs, &j->output);
    if (code == CLI_DONE)
        code = cli_output_begin(&j->output, &whole, 0);
    if (code == CLI_DONE && j->options.checkpoint)
        code = open_checkpoint(j);
    if (code == CLI_DONE)
        code = compute(options, j, &seconds);
    if (code == CLI_DONE)
        code = cli_output_commit(&j->output);
    return code == CLI_DONE && ranks_number() == 0 ? print_report(j, options->json != 0, seconds) : code;
}

static int run(const cli_arguments *arguments, void *values) {
    job j = {.request = values};
    int code = check_request(values, &j);
    if (code == CLI_DONE)
        code = solve(&arguments->common, arguments->operands[0], &j);
    mst_mpi_stencil_destroy(j.solver);
    mst_context_destroy(j.context);
    cli_output_close(&j.output);
    cli_place_close(&j.run.checkpoint_place);
    if (j.run.resumed)
        fclose(j.run.resumed);
    free(j.run.state);
    problem_free(&j.run.problem);
    return code;
}

const cli_command mpi_solve = {
    .name = command,
    .summary = "an explicit finite-difference scheme on one grid by all ranks",
    .title = "Solves an explicit finite-difference scheme on a grid that several ranks share.",
    .synopsis = "PROBLEM -o OUT.npy [options]",
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
