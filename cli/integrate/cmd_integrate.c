// mastaba integrate: definite integrals of expressions.
#include "integrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "integrate";

static const char details[] = "F is an expression, \"sin(x^2) + a\", of x, of the variables that --var adds and of\n"
                              "parameters. Bounds are expressions of the parameters and of the variables before\n"
                              "theirs, or inf and -inf. An F that begins with - stands in parentheses, or last and\n"
                              "behind --. The grammar is in docs/expressions.md, the rules are in\n"
                              "docs/integration.md.\n"
                              "\n"
                              "--rule:\n"
                              "  adaptive    Kronrod, 21 nodes, for one variable, Genz-Malik for 2 to 7, shifted\n"
                              "              lattices for more (the default)\n"
                              "  tanh-sinh   for singularities at the ends; left and right are the distances from\n"
                              "              them: \"1/sqrt(right)\"\n"
                              "  oscillatory to infinity, for what oscillates for ever, sin(x)/x: between zeros,\n"
                              "              the sums extrapolated\n"
                              "  rectangle midpoint trapezoid simpson gauss\n"
                              "              --points nodes, equally spaced (gauss: panels of 8)\n"
                              "Rectangle with --work-items P and --group-size WS is the published kernel.\n"
                              "\n"
                              "Several F are the components of a vector-valued integrand: all are evaluated at the\n"
                              "same places, what they have in common once, and each has a line of results.\n"
                              "\n"
                              "Every integral has a value, an estimate of its error, the evaluations it took and a\n"
                              "status: converged, budget (spent), round-off, non-finite. The exit code is 5 if one\n"
                              "has not converged. -o FILE.npy gets them as float64 along a last axis of 4, status as\n"
                              "0 to 3, behind one of the components if there are several. Several --param ranges\n"
                              "form their product, the last one fastest.\n"
                              "\n"
                              "Examples:\n"
                              "  mastaba integrate 'sin(x^2)' --from -5 --to 5\n"
                              "  mastaba integrate 'exp(-a*x)' --from 0 --to inf --param a=0.1:10:1000 -o out.npy\n"
                              "  mastaba integrate 'x*y' --var x=0:1 --var y=0:x\n"
                              "  mastaba integrate 'exp(-x^2)' 'x^2*exp(-x^2)' --from 0 --to inf\n";

typedef struct request {
    char *from, *to, *rule, *precision, *params, *names, *output;
    char **variables, **parameters, **breakpoints; // NULL-ended, or NULL
    double tolerance, absolute;
    char *points, *evaluations, *compile_from;
    int work_items, group_size;
} request;

static const cli_option option_table[] = {
    {"from", 0, CLI_TEXT, offsetof(request, from), "lower bound of x", "A"},
    {"to", 0, CLI_TEXT, offsetof(request, to), "upper bound of x", "B"},
    {"var", 0, CLI_TEXTS, offsetof(request, variables), "one more variable and its bounds, y=0:x; again for more", "y=A:B"},
    {"param", 'p', CLI_TEXTS, offsetof(request, parameters), "a parameter: a value, a list a=1,2,5, or a range with both ends",
     "a=FIRST:LAST:COUNT"},
    {"params", 0, CLI_TEXT, offsetof(request, params), "parameter sets: an array, the last axis of which is one set", "FILE.npy"},
    {"param-names", 0, CLI_TEXT, offsetof(request, names), "the names that go with --params", "a,b"},
    {"tolerance", 't', CLI_REAL, offsetof(request, tolerance),
     "relative (default: 1e-10 in float64, from 2 variables on 1e-6; 1e-4 in float32; none for fixed rules)", "T"},
    {"absolute-tolerance", 0, CLI_REAL, offsetof(request, absolute), "what is met is the larger of the two", "T"},
    {"rule", 'r', CLI_TEXT, offsetof(request, rule), "see below (default: adaptive)", "RULE"},
    {"points", 'n', CLI_TEXT, offsetof(request, points), "nodes of a fixed rule, as 1000000, 1e6 or 2^20 (the default)", "N"},
    {"breakpoints", 0, CLI_TEXTS, offsetof(request, breakpoints),
     "where to cut the first variable, or y=Y,... another one, at the beginning", "X,..."},
    {"max-evaluations", 0, CLI_TEXT, offsetof(request, evaluations), "of one integral (default: 2^22, from 2 variables on 2^28)",
     "N"},
    {"precision", 0, CLI_TEXT, offsetof(request, precision), "float32 or float64 (default: float64 where the device has it)",
     "TYPE"},
    {"compile-from", 0, CLI_TEXT, offsetof(request, compile_from),
     "evaluations from which on kernels are compiled for F: 1 always, inf never (default: when it is repaid)", "N"},
    {"work-items", 0, CLI_INT, offsetof(request, work_items), "rectangle as published: P of the paper, 2048 there", "P"},
    {"group-size", 0, CLI_INT, offsetof(request, group_size), "rectangle as published: WS of the paper, 128 there", "WS"},
    {"output", 'o', CLI_TEXT, offsetof(request, output), "write results there instead of printing them", "FILE.npy"},
};

typedef struct job {
    mst_integral_desc desc;
    mst_integral_range ranges[MST_INTEGRAL_MAX_VARIABLES];
    const char *breakpoints[64];
    int breakpoint_variables[64];
    integrate_parameters parameters;
    mst_integral_result *results;
    mst_context *context;
    mst_integral *plan;
    cli_output output;
} job;

static int wrong(const char *option, const char *text, const char *message) {
    return cli_wrong_option(command, option, text, message);
}

// Takes "y=0:1" apart in place; the bounds are split at the first ':' outside parentheses.
static int read_variable(char *text, mst_integral_range *range) {
    char *from = strchr(text, '='), *to = from;
    int depth = 0;
    for (; to && *to && (*to != ':' || depth > 0); to++)
        depth += *to == '(' ? 1 : *to == ')' ? -1 : 0;
    if (!from || !to || !*to)
        return wrong("--var", text, "not a variable; write NAME=FROM:TO");
    *from = *to = '\0';
    *range = (mst_integral_range){text, from + 1, to + 1};
    return CLI_DONE;
}

static int read_ranges(const request *r, job *j) {
    int n = 0, code = CLI_DONE;
    if (!r->from != !r->to || (!r->from && !r->variables)) {
        cli_error(command, "no range given; add --from A --to B, or --var x=A:B");
        return CLI_USAGE;
    }
    if (r->from)
        j->ranges[n++] = (mst_integral_range){"x", r->from, r->to};
    for (char **v = r->variables; v && *v && code == CLI_DONE; v++) {
        if (n == MST_INTEGRAL_MAX_VARIABLES)
            return wrong("--var", *v, "too many variables; 32 are the most");
        code = read_variable(*v, &j->ranges[n++]);
    }
    j->desc.ranges = j->ranges;
    j->desc.n_variables = n;
    return code;
}

static int read_rule(const char *text, mst_integral_rule *rule) {
    for (int r = MST_INTEGRAL_ADAPTIVE; r <= MST_INTEGRAL_OSCILLATORY; r++)
        if (strcmp(text, mst_integral_rule_name((mst_integral_rule)r)) == 0) {
            *rule = (mst_integral_rule)r;
            return CLI_DONE;
        }
    return wrong("--rule", text, "choose adaptive, tanh-sinh, oscillatory, rectangle, midpoint, trapezoid, simpson or gauss");
}

// Of "y=0.2,0.5" the list and which variable it is of. A comparison, y==0.2, begins with no name of one.
static int find_variable(char *text, const job *j, char **list, int *variable) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    char *equals = text + strspn(text, letters);
    *list = text;
    *variable = 0;
    if (equals[0] != '=' || equals[1] == '=')
        return CLI_DONE;
    *list = equals + 1;
    for (int k = 0; k < j->desc.n_variables; k++)
        if (strlen(j->ranges[k].name) == (size_t)(equals - text) &&
            strncmp(j->ranges[k].name, text, (size_t)(equals - text)) == 0) {
            *variable = k;
            return CLI_DONE;
        }
    return wrong("--breakpoints", text, "there is no variable of this name; write VARIABLE=PLACE,... or PLACE,...");
}

static int read_breakpoints(char *text, job *j) {
    int variable;
    const int code = find_variable(text, j, &text, &variable);
    if (code != CLI_DONE)
        return code;
    for (char *at = text; *at;) {
        if (j->desc.n_breakpoints == 64)
            return wrong("--breakpoints", at, "too many; 64 are the most");
        j->breakpoint_variables[j->desc.n_breakpoints] = variable;
        j->breakpoints[j->desc.n_breakpoints++] = at;
        int depth = 0;
        for (; *at && (*at != ',' || depth > 0); at++)
            depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        if (*at)
            *at++ = '\0';
    }
    return CLI_DONE;
}

static int read_request(request *r, job *j) {
    mst_integral_desc *d = &j->desc;
    int code = read_ranges(r, j);
    if (code == CLI_DONE)
        code = read_rule(r->rule ? r->rule : "adaptive", &d->rule);
    for (char **b = r->breakpoints; b && *b && code == CLI_DONE; b++)
        code = read_breakpoints(*b, j);
    d->breakpoints = j->breakpoints;
    d->breakpoint_variables = j->breakpoint_variables;
    if (code == CLI_DONE)
        code = cli_number(command, "--points", r->points, &d->points);
    if (code == CLI_DONE)
        code = cli_number(command, "--max-evaluations", r->evaluations, &d->max_evaluations);
    if (code == CLI_DONE)
        code = cli_precision(command, r->precision, "choose float32 or float64", &d->type);
    if (code == CLI_DONE)
        code = cli_compile_from(command, r->compile_from, &d->compile_from);
    if (code == CLI_DONE && (r->work_items < 0 || r->group_size < 0))
        code = wrong("--work-items", "and --group-size", "must not be negative");
    if (code == CLI_DONE)
        code = integrate_parameters_read(command, r->parameters, r->params, r->names, &j->parameters);
    d->relative_tolerance = r->tolerance;
    d->absolute_tolerance = r->absolute;
    d->work_items = (size_t)r->work_items;
    d->group_size = (size_t)r->group_size;
    d->n_parameters = (int)j->parameters.n;
    d->parameters = (const char *const *)j->parameters.names;
    return code;
}

static int make_plan(const cli_options *options, job *j, integrate_run *run) {
    mst_error error;
    int code = cli_context(command, options, false, &j->context);
    if (code != CLI_DONE)
        return code;
    cli_take_time();
    if (mst_integral_create(j->context, &j->desc, &j->plan, &error) != MST_OK)
        code = cli_fail(command, NULL, &error);
    code = cli_agree(command, code);
    if (code != CLI_DONE)
        return code;
    run->context = j->context;
    run->type = mst_integral_type(j->plan);
    if (j->desc.type == (mst_type)0 && run->type == MST_FLOAT32)
        fprintf(stderr, "%s integrate: note: %s has no float64; computed in float32\n", cli_program(),
                mst_context_device(j->context)->name);
    return CLI_DONE;
}

static size_t n_components(const job *j) { return j->desc.n_components > 0 ? (size_t)j->desc.n_components : 1; }

static int compute(job *j, integrate_run *run) {
    mst_report report = MST_REPORT_INIT;
    mst_error error;
    const size_t each = run->n_components;
    j->results = calloc(j->parameters.n_sets * each + 1, sizeof *j->results);
    if (!j->results) {
        cli_error(command, "out of memory for %zu results", j->parameters.n_sets * each);
        return CLI_FAILED;
    }
    cli_progress progress = cli_progress_start(command, 0);
    const mst_execution how = cli_execution(&progress, &report);
    const double began = cli_work_begin();
    const size_t n = j->parameters.n_sets;
    const cli_share share = cli_share_of(n, cli_get_team()->number);
    mst_status status = MST_OK;
    if (share.count > 0)
        status = mst_integral_execute(j->plan, j->parameters.values + share.first * j->parameters.n, share.count,
                                      j->results + share.first * each, &how, &error);
    cli_progress_end(&progress);
    int code = status == MST_OK ? CLI_DONE : cli_fail(command, NULL, &error);
    code = cli_work_end(command, code, began, &report);
    if (code == CLI_DONE)
        cli_share_gather(j->results, n, each * sizeof *j->results);
    run->results = j->results;
    run->seconds = code == CLI_DONE ? report.seconds : 0;
    return code;
}

static int integrate(request *r, const cli_options *options, job *j) {
    const char *const inputs[] = {r->params, NULL};
    int code = r->output ? cli_output_open(command, r->output, false, options->force, inputs, &j->output) : CLI_DONE;
    if (code == CLI_DONE)
        code = cli_agree(command, read_request(r, j));
    integrate_run run = {.command = command, .desc = j->desc, .parameters = &j->parameters, .n_components = n_components(j)};
    if (code == CLI_DONE && r->output)
        code = integrate_begin(&run, &j->output);
    if (code == CLI_DONE)
        code = make_plan(options, j, &run);
    if (code == CLI_DONE && options->show_kernels && !r->output)
        return cli_flush(command);
    if (code == CLI_DONE)
        code = compute(j, &run);
    if (code != CLI_DONE)
        return code;
    return r->output ? integrate_store(&run, &j->output, options->json != 0) : integrate_print(&run, options->json != 0);
}

static int run(const cli_arguments *arguments, void *values) {
    job j = {.desc = MST_INTEGRAL_DESC_INIT};
    if (arguments->n_operands > 1) {
        j.desc.n_components = arguments->n_operands;
        j.desc.components = arguments->operands;
    } else {
        j.desc.integrand = arguments->operands[0];
    }
    int code = integrate(values, &arguments->common, &j);
    mst_integral_destroy(j.plan);
    mst_context_destroy(j.context);
    cli_output_close(&j.output);
    integrate_parameters_free(&j.parameters);
    free(j.results);
    return code;
}

const cli_command cmd_integrate = {
    .name = command,
    .summary = "definite integrals of expressions, with an error estimate",
    .title = "Integrates expressions, one or thousands at a time.",
    .synopsis = "F... --from A --to B [options]",
    .details = details,
    .min_operands = 1,
    .max_operands = MST_INTEGRAL_MAX_COMPONENTS,
    .of_expressions = true,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .run = run,
};
