// mastaba solve: explicit finite-difference schemes on grids of any size.
#include "solve.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char details[] = "PROBLEM is a YAML file with grid, fields, updates and all else (docs/stencils.md),\n"
                              "or the name of a built-in problem, the file of that name in examples/ without its\n"
                              "output: heat1d, heat2d, heat3d, wave2d, wave3d, gray-scott, yee2d, yee3d,\n"
                              "cylinder.\n"
                              "\n"
                              "A grid that does not fit --device-memory goes through the device in blocks, many\n"
                              "steps a trip; --schedule, --depth, --fuse and --block overrule the model, which\n"
                              "chooses the fastest: auto, in-core, trivial, pyramid-slabs, pyramid-tiles, skewed,\n"
                              "sweeps, skewed-sweeps. The result is the same in every bit. A state that is larger\n"
                              "than --host-memory is kept in a file without a name in the directory --scratch.\n"
                              "\n"
                              "The time step is refused if it is beyond the problem's time_step_limit, where errors\n"
                              "grow without bound, or, without one, if the scheme is linear and a wave grows;\n"
                              "--force runs it. --force also replaces outputs that exist.\n"
                              "\n"
                              "A checkpoint is written every ten minutes, or as --checkpoint-every says (steps, or\n"
                              "seconds, minutes, hours as 30s, 10m, 2h), at an interrupt and at the end. --resume\n"
                              "continues from it to the same bits; more --steps than before are allowed.\n"
                              "\n"
                              "At each frame and checkpoint and at the end, a field that has more infinite values\n"
                              "and NaN than it began with ends the run: exit code 6, the state in OUT.diverged.npy,\n"
                              "the last checkpoint as it was. --no-check leaves that out.\n"
                              "\n"
                              "Example: a grid of 4 GiB through 1 GiB of the device\n"
                              "  mastaba solve heat2d --grid 32768x32768 --steps 3000 --device-memory 1GiB -o u.npy\n";

// Options as text and numbers, before they are checked.
typedef struct request {
    char *grid, *schedule, *shape, *shares, *exchange, *precision, *output, *output_type, *checkpoint, *every, *scratch;
    char *subnormals;
    char **set; // NULL-ended, or NULL
    long long steps, depth, fuse, block, exchange_every;
    double time_step;
    int no_overlap, resume, dry_run, no_check, check_stability;
} request;

static const request defaults = {.steps = -1};

static const cli_option option_table[] = {
    {"grid", 0, CLI_TEXT, offsetof(request, grid), "nodes an axis, slowest first, as 8192x8192", "NxN"},
    {"steps", 'n', CLI_LONG, offsetof(request, steps), "time steps", "K"},
    {"time-step", 0, CLI_REAL, offsetof(request, time_step), "in place of the problem's", "DT"},
    {"set", 0, CLI_TEXTS, offsetof(request, set), "another value for a parameter; any number of times", "NAME=VALUE"},
    {"precision", 0, CLI_TEXT, offsetof(request, precision), "float32 or float64", "TYPE"},
    {"subnormals", 0, CLI_TEXT, offsetof(request, subnormals), "keep, or flush: numbers too small for a CPU become 0", "HOW"},
    {"output", 'o', CLI_TEXT, offsetof(request, output), "the last state, as .npy", "OUT"},
    {"output-type", 0, CLI_TEXT, offsetof(request, output_type), "float16 for fields stored so (default: the precision)", "TYPE"},
    {"schedule", 0, CLI_TEXT, offsetof(request, schedule), "how a large grid goes through the device (default: auto)", "NAME"},
    {"depth", 0, CLI_LONG, offsetof(request, depth), "steps a trip through the device", "N"},
    {"height", 0, CLI_LONG, offsetof(request, depth), NULL, NULL}, // what --depth was called
    {"fuse", 0, CLI_LONG, offsetof(request, fuse), "steps a kernel", "M"},
    {"block", 0, CLI_LONG, offsetof(request, block), "nodes of a block along the slowest axis", "B"},
    {"no-overlap", 0, CLI_FLAG, offsetof(request, no_overlap), "transfers and kernels one after the other", NULL},
    {"shape", 0, CLI_TEXT, offsetof(request, shape), "of kernels: gpu or cpu (default: by the device)", "SHAPE"},
    {"shares", 0, CLI_TEXT, offsetof(request, shares), "of the grid for each device, as 3,1 (default: as fast as they are)",
     "S,S"},
    {"exchange", 0, CLI_TEXT, offsetof(request, exchange),
     "of halos between devices: waits, or beside the interior (default: as is faster)", "HOW"},
    {"exchange-every", 0, CLI_LONG, offsetof(request, exchange_every), "steps between two exchanges (default: chosen)", "K"},
    {"dry-run", 0, CLI_FLAG, offsetof(request, dry_run), "print the plan with time and memory, and end", NULL},
    {"check-stability", 0, CLI_FLAG, offsetof(request, check_stability), "print the largest stable time step, and end", NULL},
    {"no-check", 0, CLI_FLAG, offsetof(request, no_check), "go on although a field has become infinite or NaN", NULL},
    {"checkpoint", 0, CLI_TEXT, offsetof(request, checkpoint), "write the state here now and then", "FILE"},
    {"checkpoint-every", 0, CLI_TEXT, offsetof(request, every), "steps, or a time as 30s, 10m, 2h (default: 10m)", "K"},
    {"resume", 0, CLI_FLAG, offsetof(request, resume), "continue from the checkpoint", NULL},
    {"scratch", 0, CLI_TEXT, offsetof(request, scratch), "for a state larger than --host-memory or RAM (default: .)", "DIR"},
};

static int wrong(const char *option, const char *text, const char *expected) {
    cli_error(solve_command, "%s %s: expected %s", option, text, expected);
    return CLI_USAGE;
}

// "512x1024": slowest axis first.
bool solve_read_sizes(const char *text, size_t *sizes, int *n) {
    for (int k = 0; k < MST_MAX_AXES; k++) {
        char *end;
        errno = 0;
        unsigned long long size = strtoull(text, &end, 10);
        if (*text < '0' || *text > '9' || errno || size < 1 || size > 1ull << 40 || (*end && *end != 'x'))
            return false;
        sizes[k] = (size_t)size;
        *n = k + 1;
        if (!*end)
            return true;
        text = end + 1;
    }
    return false;
}

int solve_take_grid(const char *text, problem_overrides *overrides) {
    if (solve_read_sizes(text, overrides->grid, &overrides->rank))
        return CLI_DONE;
    return wrong("--grid", text, "one to three numbers of nodes, slowest axis first, as 8192x8192");
}

int solve_take_set(char **set, problem_overrides *overrides) {
    for (; set && *set; set++) {
        char *equals = strchr(*set, '='), *end = NULL;
        double value = equals ? strtod(equals + 1, &end) : 0;
        if (!equals || equals == *set || end == equals + 1 || *end || !isfinite(value) ||
            overrides->n_set == PROBLEM_MOST_PARAMETERS)
            return wrong("--set", *set, "NAME=NUMBER with the name of a parameter");
        *equals = '\0';
        overrides->set[overrides->n_set++] = (mst_stencil_parameter){*set, value};
    }
    return CLI_DONE;
}

// "500" steps, or "30s", "10m", "2h".
int solve_take_every(const char *text, solve_options *options) {
    char *end;
    double value = strtod(text, &end);
    double unit = strcmp(end, "s") == 0 ? 1 : strcmp(end, "m") == 0 ? 60 : strcmp(end, "h") == 0 ? 3600 : 0;
    bool steps = *end == '\0' && value == floor(value);
    if (end == text || text[strspn(text, "0123456789.smh")] || (!steps && unit == 0) || !(value > 0 && value < 0x1p53))
        return wrong("--checkpoint-every", text, "a number of steps, or a time as 30s, 10m or 2h");
    options->every_steps = steps ? (uint64_t)value : 0;
    options->every_seconds = value * unit;
    return CLI_DONE;
}

static int take_schedule(const char *text, mst_stencil_schedule *schedule) {
    for (int s = MST_STENCIL_AUTO; s <= MST_STENCIL_SKEWED_SWEEPS; s++)
        if (strcmp(text, mst_stencil_schedule_name((mst_stencil_schedule)s)) == 0) {
            *schedule = (mst_stencil_schedule)s;
            return CLI_DONE;
        }
    return wrong("--schedule", text, "auto, in-core, trivial, pyramid-slabs, pyramid-tiles, skewed, sweeps or skewed-sweeps");
}

int solve_take_exchange(const char *text, mst_stencil_halo_exchange *exchange) {
    const bool waits = strcmp(text, "waits") == 0;
    if (!waits && strcmp(text, "beside") != 0)
        return wrong("--exchange", text, "waits or beside");
    *exchange = waits ? MST_STENCIL_EXCHANGE_WAITS : MST_STENCIL_EXCHANGE_BESIDE;
    return CLI_DONE;
}

int solve_take_subnormals(const char *text, problem_overrides *overrides) {
    static const cli_choice ways[] = {{"keep", 1 + MST_STENCIL_SUBNORMALS_KEEP}, {"flush", 1 + MST_STENCIL_SUBNORMALS_FLUSH}};
    return text ? cli_choose(solve_command, "--subnormals", text, ways, CLI_COUNT(ways), "expected keep or flush",
                             &overrides->subnormals)
                : CLI_DONE;
}

// "3,1"
static int take_shares(const char *text, mst_stencil_desc *desc, problem_overrides *overrides) {
    const char *rest = text;
    while (desc->n_shares < PROBLEM_MOST_SHARES) {
        char *end;
        const double share = strtod(rest, &end);
        if (end == rest || !(share >= 0) || !isfinite(share) || (*end && *end != ','))
            break;
        overrides->shares[desc->n_shares++] = share;
        desc->shares = overrides->shares;
        if (!*end)
            return CLI_DONE;
        rest = end + 1;
    }
    return wrong("--shares", text, "a number for each device, as 3,1");
}

static int take_words(const request *r, mst_stencil_desc *desc, problem_overrides *overrides) {
    if (r->shape && strcmp(r->shape, "gpu") != 0 && strcmp(r->shape, "cpu") != 0)
        return wrong("--shape", r->shape, "gpu or cpu");
    int code = cli_precision(solve_command, r->precision, "expected float32 or float64", &overrides->precision);
    if (code == CLI_DONE)
        code = solve_take_subnormals(r->subnormals, overrides);
    if (r->shape)
        desc->shape = r->shape[0] == 'g' ? MST_STENCIL_SHAPE_GPU : MST_STENCIL_SHAPE_CPU;
    if (code == CLI_DONE && r->exchange)
        code = solve_take_exchange(r->exchange, &desc->exchange);
    return code == CLI_DONE && r->schedule ? take_schedule(r->schedule, &desc->schedule) : code;
}

static int take_numbers(const request *r, mst_stencil_desc *desc, problem_overrides *overrides) {
    const struct {
        const char *option;
        long long value, most;
    } counts[] = {{"--depth", r->depth, 1 << 24},
                  {"--fuse", r->fuse, 1 << 10},
                  {"--block", r->block, (long long)1 << 40},
                  {"--exchange-every", r->exchange_every, 1 << 20}};
    for (size_t i = 0; i < CLI_COUNT(counts); i++)
        if (counts[i].value < 0 || counts[i].value > counts[i].most) {
            cli_error(solve_command, "%s %lld: expected 1 to %lld, or 0 to let the model choose", counts[i].option,
                      counts[i].value, counts[i].most);
            return CLI_USAGE;
        }
    if (r->steps < -1 || !(r->time_step >= 0 && isfinite(r->time_step))) {
        cli_error(solve_command, "--%s: expected a number above 0", r->steps < -1 ? "steps" : "time-step");
        return CLI_USAGE;
    }
    desc->depth = (size_t)r->depth;
    desc->fuse = (unsigned)r->fuse;
    desc->block = (size_t)r->block;
    desc->exchange_every = (uint32_t)r->exchange_every;
    desc->no_overlap = r->no_overlap != 0;
    desc->check_every = r->no_check ? 0 : UINT64_MAX; // whenever a run ends, at frames and checkpoints
    overrides->steps = r->steps;
    overrides->time_step = r->time_step;
    return CLI_DONE;
}

static int take_options(const request *r, mst_stencil_desc *desc, problem_overrides *overrides, solve_options *options) {
    int code = r->grid ? solve_take_grid(r->grid, overrides) : CLI_DONE;
    if (code == CLI_DONE)
        code = solve_take_set(r->set, overrides);
    if (code == CLI_DONE)
        code = take_words(r, desc, overrides);
    if (code == CLI_DONE)
        code = take_numbers(r, desc, overrides);
    if (code == CLI_DONE && r->shares)
        code = take_shares(r->shares, desc, overrides);
    options->every_seconds = 600;
    if (code == CLI_DONE && r->every)
        code = solve_take_every(r->every, options);
    options->output = r->output;
    options->output_type = r->output_type ? MST_FLOAT16 : (mst_type)0;
    options->checkpoint = r->checkpoint;
    options->scratch = r->scratch;
    options->resume = r->resume != 0;
    options->dry_run = r->dry_run != 0;
    options->only_stability = r->check_stability != 0;
    if (code == CLI_DONE && r->output_type && strcmp(r->output_type, "float16") != 0)
        return wrong("--output-type", r->output_type, "float16; without it, the result has the precision of the problem");
    if (code == CLI_DONE && !r->checkpoint && (r->resume || r->every))
        return wrong(r->resume ? "--resume" : "--checkpoint-every", "", "--checkpoint FILE with it");
    return code;
}

// What the command line says takes precedence over the file.
static void set_schedule(mst_stencil_desc *desc, const mst_stencil_desc *chosen) {
    desc->schedule = chosen->schedule;
    desc->shape = chosen->shape;
    desc->depth = chosen->depth;
    desc->fuse = chosen->fuse;
    desc->block = chosen->block;
    desc->no_overlap = chosen->no_overlap;
    desc->check_every = chosen->check_every;
    desc->exchange = chosen->exchange;
    desc->exchange_every = chosen->exchange_every;
    desc->n_shares = chosen->n_shares;
    desc->shares = chosen->shares;
}

// Before any work, as the library would refuse it at the end.
int solve_check_output_type(const solve_run *run) {
    const mst_stencil_desc *desc = &run->problem.desc;
    for (size_t i = 0; i < desc->n_fields && run->options->output_type; i++)
        if (!desc->fields[i].coefficient && desc->fields[i].storage_bytes != 2) {
            cli_error(solve_command, "--output-type float16: %s is not stored as float16, and would be rounded",
                      desc->fields[i].name);
            return CLI_USAGE;
        }
    return CLI_DONE;
}

static int advance(solve_run *run) {
    int code = solve_steps(run);
    return code == CLI_DONE ? solve_print_report(run) : code;
}

static int run_problem(const cli_options *common, const solve_options *options, const problem_overrides *overrides,
                       const mst_stencil_desc *chosen) {
    solve_run run = {.common = common, .options = options, .plan = MST_STENCIL_PLAN_INIT, .scratch = -1};
    int code = problem_open(solve_command, options->name, overrides, &run.problem);
    set_schedule(&run.problem.desc, chosen);
    if (code == CLI_DONE && options->only_stability) {
        code = solve_print_stability(&run);
        solve_free(&run);
        return code;
    }
    if (code == CLI_DONE)
        code = solve_check_output_type(&run);
    if (code == CLI_DONE)
        code = solve_check_stability(&run);
    if (code == CLI_DONE && options->checkpoint)
        code = solve_list_state(&run);
    bool only_kernels = common->show_kernels && !options->output && !options->dry_run;
    if (code == CLI_DONE && !options->dry_run && !only_kernels)
        code = solve_open_outputs(&run);
    if (code == CLI_DONE && options->resume)
        code = solve_open_checkpoint(&run);
    if (code == CLI_DONE)
        code = solve_prepare(&run);
    if (code == CLI_DONE)
        code = only_kernels ? cli_flush(solve_command) : options->dry_run ? solve_print_plan(&run) : advance(&run);
    solve_free(&run);
    return code;
}

static int run(const cli_arguments *arguments, void *values) {
    mst_stencil_desc chosen = MST_STENCIL_DESC_INIT;
    problem_overrides overrides = {0};
    solve_options options = {0};
    int code = take_options(values, &chosen, &overrides, &options);
    if (code != CLI_DONE)
        return code;
    options.name = arguments->operands[0];
    return run_problem(&arguments->common, &options, &overrides, &chosen);
}

const cli_command cmd_solve = {
    .name = solve_command,
    .summary = "explicit finite-difference schemes on grids of any size",
    .title = "Solves an explicit finite-difference scheme on a grid of any size.",
    .synopsis = "PROBLEM [-o OUT.npy] [options]",
    .details = details,
    .min_operands = 1,
    .max_operands = 1,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .defaults = &defaults,
    .run = run,
};
