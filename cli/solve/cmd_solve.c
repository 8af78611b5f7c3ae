// mastaba solve: explicit finite-difference schemes on grids of any size.
#include "solve.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char details[] = "PROBLEM is a YAML file with grid, fields, updates and all else (docs/stencils.md),\n"
                              "or the name of a built-in problem, the file of that name in examples/ without its\n"
                              "output: heat1d, heat2d, heat3d, wave2d, wave3d, gray-scott, yee2d, yee3d.\n"
                              "\n"
                              "A grid that does not fit --device-memory goes through the device in blocks, many\n"
                              "steps a trip; --schedule, --depth, --fuse and --block overrule the model, which\n"
                              "chooses the fastest: auto, in-core, trivial, pyramid-slabs, pyramid-tiles, skewed.\n"
                              "The result is the same in every bit. A state that is larger than --host-memory is\n"
                              "kept in a file without a name in the directory --scratch.\n"
                              "\n"
                              "The time step is refused if it is beyond the problem's time_step_limit, where errors\n"
                              "grow without bound; --force runs it. --force also replaces outputs that exist.\n"
                              "\n"
                              "A checkpoint is written every ten minutes, or as --checkpoint-every says (steps, or\n"
                              "seconds, minutes, hours as 30s, 10m, 2h), at an interrupt and at the end. --resume\n"
                              "continues from it to the same bits; more --steps than before are allowed.\n"
                              "\n"
                              "Example: a grid of 4 GiB through 1 GiB of the device\n"
                              "  mastaba solve heat2d --grid 32768x32768 --steps 3000 --device-memory 1GiB -o u.npy\n";

// Options as text and numbers, before they are checked.
typedef struct raw_options {
    char *grid, *schedule, *shape, *precision, *output, *checkpoint, *every, *scratch;
    char **set;
    long long steps, depth, fuse, block;
    double time_step;
    int no_overlap, resume, dry_run;
} raw_options;

static int usage_error(const char *option, const char *value, const char *expected) {
    cli_error(solve_command, "%s %s: expected %s", option, value, expected);
    return CLI_USAGE;
}

// "512x1024": slowest axis first.
static int take_grid(const char *text, problem_overrides *overrides) {
    const char *rest = text;
    for (int k = 0; k < MST_MAX_AXES; k++) {
        char *end;
        errno = 0;
        unsigned long long nodes = strtoull(rest, &end, 10);
        if (*rest < '0' || *rest > '9' || errno || nodes < 1 || nodes > 1ull << 40 || (*end && *end != 'x'))
            break;
        overrides->grid[k] = (size_t)nodes;
        overrides->rank = k + 1;
        if (!*end)
            return CLI_DONE;
        rest = end + 1;
    }
    return usage_error("--grid", text, "one to three numbers of nodes, slowest axis first, as 8192x8192");
}

static int take_set(char **set, problem_overrides *overrides) {
    for (; set && *set; set++) {
        char *equals = strchr(*set, '='), *end = NULL;
        double value = equals ? strtod(equals + 1, &end) : 0;
        if (!equals || equals == *set || end == equals + 1 || *end || !isfinite(value) ||
            overrides->n_set == PROBLEM_MOST_PARAMETERS)
            return usage_error("--set", *set, "NAME=NUMBER with the name of a parameter");
        *equals = '\0';
        overrides->set[overrides->n_set++] = (mst_stencil_parameter){*set, value};
    }
    return CLI_DONE;
}

// "500" steps, or "30s", "10m", "2h".
static int take_every(const char *text, solve_options *options) {
    char *end;
    double value = strtod(text, &end);
    double unit = strcmp(end, "s") == 0 ? 1 : strcmp(end, "m") == 0 ? 60 : strcmp(end, "h") == 0 ? 3600 : 0;
    bool steps = *end == '\0' && value == floor(value);
    if (end == text || text[strspn(text, "0123456789.smh")] || (!steps && unit == 0) || !(value > 0 && value < 0x1p53))
        return usage_error("--checkpoint-every", text, "a number of steps, or a time as 30s, 10m or 2h");
    options->every_steps = steps ? (uint64_t)value : 0;
    options->every_seconds = value * unit;
    return CLI_DONE;
}

static int take_schedule(const char *text, mst_stencil_schedule *schedule) {
    for (int s = MST_STENCIL_AUTO; s <= MST_STENCIL_SKEWED; s++)
        if (strcmp(text, mst_stencil_schedule_name((mst_stencil_schedule)s)) == 0) {
            *schedule = (mst_stencil_schedule)s;
            return CLI_DONE;
        }
    return usage_error("--schedule", text, "auto, in-core, trivial, pyramid-slabs, pyramid-tiles or skewed");
}

static int take_words(const raw_options *raw, mst_stencil_desc *desc, problem_overrides *overrides) {
    if (raw->shape && strcmp(raw->shape, "gpu") != 0 && strcmp(raw->shape, "cpu") != 0)
        return usage_error("--shape", raw->shape, "gpu or cpu");
    if (raw->precision && strcmp(raw->precision, "float32") != 0 && strcmp(raw->precision, "float64") != 0)
        return usage_error("--precision", raw->precision, "float32 or float64");
    if (raw->shape)
        desc->shape = raw->shape[0] == 'g' ? MST_STENCIL_SHAPE_GPU : MST_STENCIL_SHAPE_CPU;
    if (raw->precision)
        overrides->precision = strcmp(raw->precision, "float32") == 0 ? MST_FLOAT32 : MST_FLOAT64;
    return raw->schedule ? take_schedule(raw->schedule, &desc->schedule) : CLI_DONE;
}

static int take_numbers(const raw_options *raw, mst_stencil_desc *desc, problem_overrides *overrides) {
    const struct {
        const char *option;
        long long value, most;
    } counts[] = {{"--depth", raw->depth, 1 << 24}, {"--fuse", raw->fuse, 1 << 10}, {"--block", raw->block, (long long)1 << 40}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i].value < 0 || counts[i].value > counts[i].most) {
            cli_error(solve_command, "%s %lld: expected 1 to %lld, or 0 to let the model choose", counts[i].option,
                      counts[i].value, counts[i].most);
            return CLI_USAGE;
        }
    if (raw->steps < -1 || !(raw->time_step >= 0 && isfinite(raw->time_step))) {
        cli_error(solve_command, "--%s: expected a number above 0", raw->steps < -1 ? "steps" : "time-step");
        return CLI_USAGE;
    }
    desc->depth = (size_t)raw->depth;
    desc->fuse = (unsigned)raw->fuse;
    desc->block = (size_t)raw->block;
    desc->no_overlap = raw->no_overlap != 0;
    overrides->steps = raw->steps;
    overrides->time_step = raw->time_step;
    return CLI_DONE;
}

static int take_options(const raw_options *raw, mst_stencil_desc *desc, problem_overrides *overrides, solve_options *options) {
    int code = raw->grid ? take_grid(raw->grid, overrides) : CLI_DONE;
    if (code == CLI_DONE)
        code = take_set(raw->set, overrides);
    if (code == CLI_DONE)
        code = take_words(raw, desc, overrides);
    if (code == CLI_DONE)
        code = take_numbers(raw, desc, overrides);
    options->every_seconds = 600;
    if (code == CLI_DONE && raw->every)
        code = take_every(raw->every, options);
    options->output = raw->output;
    options->checkpoint = raw->checkpoint;
    options->scratch = raw->scratch ? raw->scratch : ".";
    options->resume = raw->resume != 0;
    options->dry_run = raw->dry_run != 0;
    if (code == CLI_DONE && !raw->checkpoint && (raw->resume || raw->every))
        return usage_error(raw->resume ? "--resume" : "--checkpoint-every", "", "--checkpoint FILE with it");
    return code;
}

static int check_stability(const solve_run *run) {
    const problem *p = &run->problem;
    if (p->step_limit == 0 || p->desc.time_step <= p->step_limit * (1 + 1e-12) || run->common->force)
        return CLI_DONE;
    cli_error(solve_command, "%s: the time step %.6g is unstable: the Courant limit is %.6g; take a smaller one, or --force",
              run->options->name, p->desc.time_step, p->step_limit);
    return CLI_INPUT_OUTPUT;
}

// The command line goes before the file.
static void set_schedule(mst_stencil_desc *desc, const mst_stencil_desc *chosen) {
    desc->schedule = chosen->schedule;
    desc->shape = chosen->shape;
    desc->depth = chosen->depth;
    desc->fuse = chosen->fuse;
    desc->block = chosen->block;
    desc->no_overlap = chosen->no_overlap;
}

static int run_problem(const cli_options *common, const solve_options *options, const problem_overrides *overrides,
                       const mst_stencil_desc *chosen) {
    solve_run run = {.common = common, .options = options, .scratch = -1};
    int code = problem_open(solve_command, options->name, overrides, &run.problem);
    set_schedule(&run.problem.desc, chosen);
    if (code == CLI_DONE)
        code = check_stability(&run);
    if (code == CLI_DONE && !options->dry_run)
        code = solve_check_outputs(&run);
    if (code == CLI_DONE && options->resume)
        code = solve_check_checkpoint(&run);
    if (code == CLI_DONE)
        code = solve_prepare(&run);
    if (code == CLI_DONE && options->dry_run)
        code = solve_print_plan(&run);
    else if (code == CLI_DONE)
        code = solve_steps(&run);
    if (code == CLI_DONE && !options->dry_run)
        code = solve_print_report(&run);
    solve_free(&run);
    return code;
}

static void free_options(raw_options *raw) {
    char *const texts[] = {raw->grid,   raw->schedule,   raw->shape, raw->precision,
                           raw->output, raw->checkpoint, raw->every, raw->scratch};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        free(texts[i]);
    for (char **set = raw->set; set && *set; set++)
        free(*set);
    free(raw->set);
}

int cmd_solve(int argc, const char **argv) {
    raw_options raw = {.steps = -1};
    const struct poptOption table[] = {
        {"grid", 0, POPT_ARG_STRING, &raw.grid, 0, "nodes an axis, slowest first, as 8192x8192", "NxN"},
        {"steps", 'n', POPT_ARG_LONGLONG, &raw.steps, 0, "time steps", "K"},
        {"time-step", 0, POPT_ARG_DOUBLE, &raw.time_step, 0, "in place of the problem's", "DT"},
        {"set", 0, POPT_ARG_ARGV, &raw.set, 0, "another value for a parameter; any number of times", "NAME=VALUE"},
        {"precision", 0, POPT_ARG_STRING, &raw.precision, 0, "float32 or float64", "TYPE"},
        {"output", 'o', POPT_ARG_STRING, &raw.output, 0, "the last state, as .npy", "OUT"},
        {"schedule", 0, POPT_ARG_STRING, &raw.schedule, 0, "how a large grid goes through the device (default: auto)", "NAME"},
        {"depth", 0, POPT_ARG_LONGLONG, &raw.depth, 0, "steps a trip through the device", "N"},
        {"height", 0, POPT_ARG_LONGLONG | POPT_ARGFLAG_DOC_HIDDEN, &raw.depth, 0, NULL, NULL}, // its former name
        {"fuse", 0, POPT_ARG_LONGLONG, &raw.fuse, 0, "steps a kernel", "M"},
        {"block", 0, POPT_ARG_LONGLONG, &raw.block, 0, "nodes of a block along the slowest axis", "B"},
        {"no-overlap", 0, POPT_ARG_NONE, &raw.no_overlap, 0, "transfers and kernels one after the other", NULL},
        {"shape", 0, POPT_ARG_STRING, &raw.shape, 0, "of kernels: gpu or cpu (default: by the device)", "SHAPE"},
        {"dry-run", 0, POPT_ARG_NONE, &raw.dry_run, 0, "print the plan with time and memory, and end", NULL},
        {"checkpoint", 0, POPT_ARG_STRING, &raw.checkpoint, 0, "write the state here now and then", "FILE"},
        {"checkpoint-every", 0, POPT_ARG_STRING, &raw.every, 0, "steps, or a time as 30s, 10m, 2h (default: 10m)", "K"},
        {"resume", 0, POPT_ARG_NONE, &raw.resume, 0, "continue from the checkpoint", NULL},
        {"scratch", 0, POPT_ARG_STRING, &raw.scratch, 0, "directory for a state larger than --host-memory (default: .)", "DIR"},
        POPT_TABLEEND};
    const cli_usage usage = {.command = solve_command,
                             .synopsis = "PROBLEM [-o OUT.npy] [options]",
                             .summary = "Solves an explicit finite-difference scheme on a grid of any size.",
                             .details = details,
                             .options = table,
                             .min_operands = 1,
                             .max_operands = 1};
    mst_stencil_desc chosen = MST_STENCIL_DESC_INIT;
    problem_overrides overrides = {0};
    solve_options options = {0};
    cli_arguments arguments;
    int code;
    if (cli_parse(&usage, argc, argv, &arguments, &code)) {
        code = take_options(&raw, &chosen, &overrides, &options);
        if (code == CLI_DONE) {
            cli_catch_interrupts();
            options.name = arguments.operands[0];
            code = run_problem(&arguments.common, &options, &overrides, &chosen);
        }
    }
    free_options(&raw);
    cli_free(&arguments);
    return code;
}
