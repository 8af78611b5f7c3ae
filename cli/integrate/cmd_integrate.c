// mastaba integrate: definite integrals of expressions.
#include "integrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "integrate";

static const char details[] = "F is an expression, \"sin(x^2) + a\", of x, of the variables that --var adds and of\n"
                              "parameters. Bounds are expressions of the parameters, or inf and -inf. An F that\n"
                              "begins with - stands in parentheses, or last and behind --. The grammar is in\n"
                              "docs/expressions.md, the rules are in docs/integration.md.\n"
                              "\n"
                              "--rule:\n"
                              "  adaptive    Kronrod, 21 nodes, for one variable, Genz-Malik for 2 to 7, shifted\n"
                              "              lattices for more (the default)\n"
                              "  tanh-sinh   for singularities at the ends; left and right are the distances from\n"
                              "              them: \"1/sqrt(right)\"\n"
                              "  rectangle midpoint trapezoid simpson gauss\n"
                              "              --points nodes, equally spaced (gauss: panels of 8)\n"
                              "Rectangle with --work-items P and --group-size WS is the published kernel.\n"
                              "\n"
                              "Every integral has a value, an estimate of its error, the evaluations it took and a\n"
                              "status: converged, budget (spent), round-off, non-finite. The exit code is 5 if one\n"
                              "has not converged. -o FILE.npy gets them as float64 along a last axis of 4, status as\n"
                              "0 to 3. Several --param ranges form their product, the last one fastest.\n"
                              "\n"
                              "Examples:\n"
                              "  mastaba integrate 'sin(x^2)' --from -5 --to 5\n"
                              "  mastaba integrate 'exp(-a*x)' --from 0 --to inf --param a=0.1:10:1000 -o out.npy\n"
                              "  mastaba integrate 'x*y' --var x=0:1 --var y=0:2\n";

typedef struct texts { // what popt fills; all owned
    char *from, *to, *rule, *precision, *params, *names, *breakpoints, *output;
    char **variables, **parameters;
    double tolerance, absolute;
    char *points, *evaluations;
    int work_items, group_size;
} texts;

typedef struct job {
    mst_integral_desc desc;
    mst_integral_range ranges[MST_INTEGRAL_MAX_VARIABLES];
    const char *breakpoints[64];
    integrate_parameters parameters;
    mst_integral_result *results;
    mst_context *context;
    mst_integral *plan;
} job;

static int usage_error(const char *option, const char *text, const char *hint) {
    cli_error(command, "%s %s: %s", option, text, hint);
    return CLI_USAGE;
}

// A count: digits, or as 1e6, or 2^30.
static int read_count(const char *option, const char *text, uint64_t *count) {
    char *end;
    if (!text)
        return CLI_DONE;
    double value = strtod(text, &end);
    if (end != text && *end == '^') {
        double power = strtod(end + 1, &end);
        value = pow(value, power);
    }
    if (end == text || *end || !(value >= 1 && value <= 0x1p50) || value != (double)(uint64_t)value)
        return usage_error(option, text, "not a count; write 1000000, 1e6 or 2^20");
    *count = (uint64_t)value;
    return CLI_DONE;
}

// "y=0:1" in place; the bounds are split at the first ':' outside parentheses.
static int read_variable(char *text, mst_integral_range *r) {
    char *from = strchr(text, '='), *to = from;
    int depth = 0;
    for (; to && *to && (*to != ':' || depth > 0); to++)
        depth += *to == '(' ? 1 : *to == ')' ? -1 : 0;
    if (!from || !to || !*to)
        return usage_error("--var", text, "not a variable; write NAME=FROM:TO");
    *from = *to = '\0';
    *r = (mst_integral_range){text, from + 1, to + 1};
    return CLI_DONE;
}

static int read_ranges(const texts *t, job *j) {
    int n = 0, code = CLI_DONE;
    if (!t->from != !t->to || (!t->from && !t->variables)) {
        cli_error(command, "no range given; add --from A --to B, or --var x=A:B");
        return CLI_USAGE;
    }
    if (t->from)
        j->ranges[n++] = (mst_integral_range){"x", t->from, t->to};
    for (char **v = t->variables; v && *v && code == CLI_DONE; v++) {
        if (n == MST_INTEGRAL_MAX_VARIABLES)
            return usage_error("--var", *v, "too many variables; 32 are the most");
        code = read_variable(*v, &j->ranges[n++]);
    }
    j->desc.ranges = j->ranges;
    j->desc.n_variables = n;
    return code;
}

static int read_rule(const char *text, mst_integral_rule *rule) {
    for (int r = MST_INTEGRAL_ADAPTIVE; r <= MST_INTEGRAL_GAUSS; r++)
        if (strcmp(text, mst_integral_rule_name((mst_integral_rule)r)) == 0) {
            *rule = (mst_integral_rule)r;
            return CLI_DONE;
        }
    return usage_error("--rule", text, "choose adaptive, tanh-sinh, rectangle, midpoint, trapezoid, simpson or gauss");
}

static int read_breakpoints(char *text, job *j) {
    for (char *at = text; at && *at;) {
        if (j->desc.n_breakpoints == 64)
            return usage_error("--breakpoints", at, "too many; 64 are the most");
        j->breakpoints[j->desc.n_breakpoints++] = at;
        int depth = 0;
        for (; *at && (*at != ',' || depth > 0); at++)
            depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        if (*at)
            *at++ = '\0';
    }
    j->desc.breakpoints = j->breakpoints;
    return CLI_DONE;
}

static int read_texts(texts *t, job *j) {
    mst_integral_desc *d = &j->desc;
    int code = read_ranges(t, j);
    if (code == CLI_DONE)
        code = read_rule(t->rule ? t->rule : "adaptive", &d->rule);
    if (code == CLI_DONE)
        code = read_breakpoints(t->breakpoints, j);
    if (code == CLI_DONE)
        code = read_count("--points", t->points, &d->points);
    if (code == CLI_DONE)
        code = read_count("--max-evaluations", t->evaluations, &d->max_evaluations);
    if (code == CLI_DONE && t->precision && strcmp(t->precision, "float32") != 0 && strcmp(t->precision, "float64") != 0)
        code = usage_error("--precision", t->precision, "choose float32 or float64");
    if (code == CLI_DONE && (t->work_items < 0 || t->group_size < 0))
        code = usage_error("--work-items", "and --group-size", "must not be negative");
    if (code == CLI_DONE)
        code = integrate_parameters_read(command, t->parameters, t->params, t->names, &j->parameters);
    d->type = !t->precision ? (mst_type)0 : strcmp(t->precision, "float32") == 0 ? MST_FLOAT32 : MST_FLOAT64;
    d->relative_tolerance = t->tolerance;
    d->absolute_tolerance = t->absolute;
    d->work_items = (size_t)t->work_items;
    d->group_size = (size_t)t->group_size;
    d->n_parameters = (int)j->parameters.n;
    d->parameters = (const char *const *)j->parameters.names;
    return code;
}

static int compute(const cli_options *options, job *j, integrate_run *run) {
    mst_execution how = MST_EXECUTION_INIT;
    mst_report report;
    mst_error error;
    int code = cli_context(command, options, false, &j->context);
    if (code != CLI_DONE)
        return code;
    if (mst_integral_create(j->context, &j->desc, &j->plan, &error) != MST_OK)
        return cli_fail(command, NULL, &error);
    run->device = mst_context_device(j->context);
    run->type = mst_integral_type(j->plan);
    if (j->desc.type == (mst_type)0 && run->type == MST_FLOAT32)
        fprintf(stderr, "mastaba integrate: note: %s has no float64; computed in float32\n", run->device->name);
    j->results = calloc(j->parameters.n_sets + 1, sizeof *j->results);
    if (!j->results) {
        cli_error(command, "out of memory for %zu results", j->parameters.n_sets);
        return CLI_FAILED;
    }
    cli_progress progress = cli_progress_start(command, 0);
    how.progress = cli_progress_update;
    how.progress_user = &progress;
    how.report = &report;
    mst_status status = mst_integral_execute(j->plan, j->parameters.values, j->parameters.n_sets, j->results, &how, &error);
    cli_progress_end(&progress);
    run->results = j->results;
    run->seconds = status == MST_OK ? report.seconds : 0;
    return status == MST_OK ? CLI_DONE : cli_fail(command, NULL, &error);
}

static int run_job(texts *t, const cli_options *options, job *j) {
    const char *const inputs[] = {t->params, NULL};
    int code = t->output ? cli_output_check(command, t->output, false, options->force, inputs) : CLI_DONE;
    if (code == CLI_DONE)
        code = read_texts(t, j);
    integrate_run run = {.command = command, .desc = j->desc, .parameters = &j->parameters};
    if (code == CLI_DONE)
        code = compute(options, j, &run);
    if (code != CLI_DONE)
        return code;
    return t->output ? integrate_store(&run, t->output, options->force != 0, options->json != 0)
                     : integrate_print(&run, options->json != 0);
}

static void free_list(char **list) {
    for (char **l = list; l && *l; l++)
        free(*l);
    free(list);
}

static void free_texts(texts *t) {
    char *const all[] = {t->from,  t->to,          t->rule,   t->precision, t->params,
                         t->names, t->breakpoints, t->output, t->points,    t->evaluations};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
    free_list(t->variables);
    free_list(t->parameters);
}

int cmd_integrate(int argc, const char **argv) {
    texts t = {0};
    int code;
    const struct poptOption options[] = {
        {"from", 0, POPT_ARG_STRING, &t.from, 0, "lower bound of x", "A"},
        {"to", 0, POPT_ARG_STRING, &t.to, 0, "upper bound of x", "B"},
        {"var", 0, POPT_ARG_ARGV, &t.variables, 0, "one more variable and its bounds; again for more", "y=A:B"},
        {"param", 'p', POPT_ARG_ARGV, &t.parameters, 0, "a parameter: a value, or a range with both ends", "a=FIRST:LAST:COUNT"},
        {"params", 0, POPT_ARG_STRING, &t.params, 0, "parameter sets: an array, the last axis of which is one set", "FILE.npy"},
        {"param-names", 0, POPT_ARG_STRING, &t.names, 0, "the names that go with --params", "a,b"},
        {"tolerance", 't', POPT_ARG_DOUBLE, &t.tolerance, 0,
         "relative (default: 1e-10 in float64, from 2 variables on 1e-6; 1e-4 in float32; none for fixed rules)", "T"},
        {"absolute-tolerance", 0, POPT_ARG_DOUBLE, &t.absolute, 0, "what is met is the larger of the two", "T"},
        {"rule", 'r', POPT_ARG_STRING, &t.rule, 0, "see below (default: adaptive)", "RULE"},
        {"points", 'n', POPT_ARG_STRING, &t.points, 0, "nodes of a fixed rule, as 1000000, 1e6 or 2^20 (the default)", "N"},
        {"breakpoints", 0, POPT_ARG_STRING, &t.breakpoints, 0, "where to cut x at the beginning", "X,..."},
        {"max-evaluations", 0, POPT_ARG_STRING, &t.evaluations, 0, "of one integral (default: 2^22, from 2 variables on 2^28)",
         "N"},
        {"precision", 0, POPT_ARG_STRING, &t.precision, 0, "float32 or float64 (default: float64 where the device has it)",
         "TYPE"},
        {"work-items", 0, POPT_ARG_INT, &t.work_items, 0, "rectangle as published: P of the paper, 2048 there", "P"},
        {"group-size", 0, POPT_ARG_INT, &t.group_size, 0, "rectangle as published: WS of the paper, 128 there", "WS"},
        {"output", 'o', POPT_ARG_STRING, &t.output, 0, "write results there instead of printing them", "FILE.npy"},
        POPT_TABLEEND,
    };
    const cli_usage usage = {.command = command,
                             .synopsis = "F --from A --to B [options]",
                             .summary = "Integrates expressions, one or thousands at a time.",
                             .details = details,
                             .options = options,
                             .min_operands = 1,
                             .max_operands = 1};
    cli_arguments arguments;
    job j = {.desc = MST_INTEGRAL_DESC_INIT};
    if (cli_parse(&usage, argc, argv, &arguments, &code)) {
        cli_catch_interrupts();
        j.desc.integrand = arguments.operands[0];
        code = run_job(&t, &arguments.common, &j);
    }
    mst_integral_destroy(j.plan);
    mst_context_destroy(j.context);
    integrate_parameters_free(&j.parameters);
    free(j.results);
    free_texts(&t);
    cli_free(&arguments);
    return code;
}
