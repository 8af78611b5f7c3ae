// integration-several: integrals in several variables beside Cuba's Cuhre and Vegas (Hahn 2005), with as many processes as
// CUBACORES says, by default none of their own, as these cost more than they gain here, and cubature's hcubature (Johnson):
// families that PAGANI published (Sakiotis et al. 2021), at its tolerances, until one is not met. Each has as many evaluations as
// it does in about a second there. Time against true error; JSON, which bench/plot_several.py draws.
#include "core/cli.h"
#include "json.h"

#ifdef BENCH_CUBA
#include <cuba.h>
#endif
#ifdef BENCH_CUBATURE
#include <cubature.h>
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VARIABLES = 8, TEXT = 500 };

typedef struct family {
    const char *name, *item, *between,
        *around; // the integrand: `item` of each variable, # its number from 1, joined, in `around`
    int n;
    double (*f)(const double *x, int n);
    double exact;
} family;

static double waves(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (i + 1) * x[i];
    return cos(sum);
}

static double product_peak(const double *x, int n) {
    double product = 1;
    for (int i = 0; i < n; i++)
        product *= 1 / (1.0 / 2500 + (x[i] - 0.5) * (x[i] - 0.5));
    return product;
}

static double corner_peak(const double *x, int n) {
    double sum = 1;
    for (int i = 0; i < n; i++)
        sum += (i + 1) * x[i];
    return pow(sum, -n - 1);
}

static double gaussian(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (x[i] - 0.5) * (x[i] - 0.5);
    return exp(-625 * sum);
}

static double ridge(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs(x[i] - 0.5);
    return exp(-10 * sum);
}

static double steps(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] >= (4 + i) / 10.0)
            return 0;
        sum += (i + 5) * x[i];
    }
    return exp(sum);
}

// Values in closed form, by 40 digits.
static const family families[] = {
    {"f1", "#*x#", "+", "cos(%s)", 8, waves, 3.439557952183252e-05},
    {"f2", "1/(1/2500 + (x# - 1/2)^2)", "*", "%s", 6, product_peak, 12868879901109.87754},
    {"f3", "#*x#", "+", "1/(1 + %s)^4", 3, corner_peak, 0.01084656084656084735},
    {"f4", "(x# - 1/2)^2", "+", "exp(-625*(%s))", 5, gaussian, 1.791326036748785955e-06},
    {"f5", "abs(x# - 1/2)", "+", "exp(-10*(%s))", 5, ridge, 3.093635889826792521e-04},
    {"f6", "(x# < (3 + #)/10 ? exp((4 + #)*x#) : 0)", "*", "%s", 6, steps, 154773678.8509120741},
};
enum { FAMILIES = sizeof families / sizeof families[0] };
static const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
enum { TOLERANCES = sizeof tolerances / sizeof tolerances[0] };

typedef struct outcome {
    double value, error, seconds, evaluations;
    bool converged;
} outcome;

typedef struct job {
    mst_context *context;
    const family *family;
    double tolerance, most; // evaluations
} job;

enum { OWN, CUHRE, VEGAS, CUBATURE, PEERS };
static const struct {
    const char *name;
    double most; // evaluations in about a second on two cores of 2.5 GHz with vectors of 8
} peers[PEERS] = {{"mastaba", 2e8}, {"Cuhre", 1e7}, {"Vegas", 1.6e7}, {"cubature", 2.4e7}};

// `item` for each variable, with its number in place of #.
static void write_integrand(const family *f, char *text) {
    char list[TEXT] = "";
    size_t at = 0;
    for (int i = 1; i <= f->n; i++) {
        for (const char *c = i > 1 ? f->between : ""; *c; c++)
            list[at++] = *c;
        for (const char *c = f->item; *c; c++)
            list[at++] = *c == '#' ? (char)('0' + i) : *c;
    }
    list[at] = '\0';
    const char *hole = strstr(f->around, "%s");
    snprintf(text, 2 * TEXT, "%.*s%s%s", (int)(hole - f->around), f->around, list, hole + 2);
}

static mst_status run_own(const job *j, outcome *o, mst_error *error) {
    char text[2 * TEXT], names[MOST_VARIABLES][4];
    mst_integral_range ranges[MOST_VARIABLES];
    mst_integral_result r = {0};
    mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
    mst_integral *plan = NULL;
    for (int i = 0; i < j->family->n; i++) {
        snprintf(names[i], sizeof names[i], "x%d", i + 1);
        ranges[i] = (mst_integral_range){names[i], "0", "1"};
    }
    write_integrand(j->family, text);
    d.integrand = text;
    d.ranges = ranges;
    d.n_variables = j->family->n;
    d.relative_tolerance = j->tolerance;
    d.max_evaluations = (uint64_t)j->most;
    d.compile_from = 1;
    mst_status status = mst_integral_create(j->context, &d, &plan, error);
    for (int run = 0; run < 2 && status == MST_OK; run++) { // the first warms up
        const double start = cli_now();
        status = mst_integral_execute(plan, NULL, 1, &r, NULL, error);
        o->seconds = cli_now() - start;
    }
    mst_integral_destroy(plan);
    o->value = r.value;
    o->error = r.error;
    o->evaluations = (double)r.evaluations;
    o->converged = r.status == MST_INTEGRAL_CONVERGED;
    return status;
}

#ifdef BENCH_CUBA
static int cuba_integrand(const int *n, const double *x, const int *components, double *f, void *user) {
    (void)components;
    f[0] = ((const family *)user)->f(x, *n);
    return 0;
}

static void run_cuba(const job *j, bool vegas, outcome *o) {
    int regions, evaluations, fail;
    double value, error, probability;
    const int most = (int)j->most;
    const double start = cli_now();
    if (vegas)
        Vegas(j->family->n, 1, cuba_integrand, (void *)j->family, 1, j->tolerance, 0, 0, 1, 0, most, 10000, 5000, 10000, 0, NULL,
              NULL, &evaluations, &fail, &value, &error, &probability);
    else
        Cuhre(j->family->n, 1, cuba_integrand, (void *)j->family, 1, j->tolerance, 0, 0, 0, most, 0, NULL, NULL, &regions,
              &evaluations, &fail, &value, &error, &probability);
    *o = (outcome){value, error, cli_now() - start, evaluations, fail == 0};
}
#endif

#ifdef BENCH_CUBATURE
typedef struct counted {
    const family *family;
    double evaluations;
} counted;

static int cubature_integrand(unsigned n, const double *x, void *user, unsigned components, double *f) {
    counted *c = user;
    (void)components;
    c->evaluations++;
    f[0] = c->family->f(x, (int)n);
    return 0;
}

static void run_cubature(const job *j, outcome *o) {
    const double from[MOST_VARIABLES] = {0}, to[MOST_VARIABLES] = {1, 1, 1, 1, 1, 1, 1, 1};
    counted c = {j->family, 0};
    double value, error;
    const double start = cli_now();
    hcubature(1, cubature_integrand, &c, (unsigned)j->family->n, from, to, (size_t)j->most, 0, j->tolerance, ERROR_INDIVIDUAL,
              &value, &error);
    *o = (outcome){value, error, cli_now() - start, c.evaluations, error <= j->tolerance * fabs(value)};
}
#endif

static void report(const job *j, const char *peer, const outcome *o, json_t *rows) {
    const double exact = j->family->exact, off = fabs(o->value - exact) / fabs(exact), claimed = o->error / fabs(o->value);
    printf("%s %d-D, %-8s %.0e: %9.3f ms, %10.0f evaluations, off by %.1e, says %.1e%s\n", j->family->name, j->family->n, peer,
           j->tolerance, 1e3 * o->seconds, o->evaluations, off, claimed,
           !o->converged                       ? ", not converged"
           : off > fmax(claimed, j->tolerance) ? ", FALSE"
                                               : "");
    fflush(stdout);
    json_array_append_new(rows,
                          json_pack("{s:s, s:i, s:s, s:f, s:f, s:f, s:f, s:f, s:b}", "family", j->family->name, "variables",
                                    j->family->n, "peer", peer, "tolerance", j->tolerance, "seconds", o->seconds, "evaluations",
                                    o->evaluations, "relative_error", off, "claimed_error", claimed, "converged", o->converged));
}

// Integrates by one of them; *there: whether it was built in.
static mst_status run_peer(const job *j, int peer, outcome *o, bool *there, mst_error *error) {
    *there = true;
    if (peer == OWN)
        return run_own(j, o, error);
#ifdef BENCH_CUBA
    if (peer == CUHRE || peer == VEGAS) {
        run_cuba(j, peer == VEGAS, o);
        return MST_OK;
    }
#endif
#ifdef BENCH_CUBATURE
    if (peer == CUBATURE) {
        run_cubature(j, o);
        return MST_OK;
    }
#endif
    *there = false;
    return MST_OK;
}

static mst_status run_family(mst_context *context, const family *f, double share, json_t *rows, mst_error *error) {
    for (int peer = 0; peer < PEERS; peer++)
        for (int k = 0; k < TOLERANCES; k++) {
            const job j = {context, f, tolerances[k], share * peers[peer].most};
            outcome o = {0};
            bool there;
            const mst_status status = run_peer(&j, peer, &o, &there, error);
            if (status != MST_OK)
                return status;
            if (there)
                report(&j, peers[peer].name, &o, rows);
            if (!there || !o.converged)
                break;
        }
    return MST_OK;
}

typedef struct settings {
    double seconds;
    char *json;
} settings;

static int run(const cli_arguments *arguments, void *values) {
    const settings *s = values;
    mst_context *context;
    mst_error error;
    if (!(s->seconds >= 1e-3 && s->seconds <= 100)) {
        cli_error(NULL, "--seconds %g: 0.001 to 100 are taken", s->seconds);
        return CLI_USAGE;
    }
    int code = cli_context(NULL, &arguments->common, false, &context);
    if (code != CLI_DONE)
        return code;
    setenv("CUBACORES", "0", 0); // no processes but this one; the argument of cubacores is a number or a pointer, by version
    json_t *rows = json_array();
    printf("%s\n", mst_context_device(context)->name);
    for (int k = 0; k < FAMILIES && code == CLI_DONE; k++)
        if (run_family(context, &families[k], s->seconds, rows, &error) != MST_OK) {
            cli_error(NULL, "%s", error.message);
            code = CLI_FAILED;
        }
    if (code == CLI_DONE && s->json &&
        !bench_write_json(context, "integration-several", json_pack("{s:f, s:O}", "seconds_each", s->seconds, "rows", rows),
                          s->json))
        code = CLI_INPUT_OUTPUT;
    json_decref(rows);
    mst_context_destroy(context);
    return code;
}

static const settings defaults = {.seconds = 1};
static const cli_option options[] = {
    {"seconds", 0, CLI_REAL, offsetof(settings, seconds), "evaluations are those of about so long (default: 1)", "S"},
    {"json", 0, CLI_TEXT, offsetof(settings, json), "write the results there too", "FILE"},
};
static const cli_command command = {
    .title = "Integrals in several variables beside Cuba and cubature.",
    .synopsis = "[options]",
    .details = "PAGANI's families f1 to f6 to 1e-3 ... 1e-8. A false claim is marked.\n",
    .leave_out = ~(unsigned)CLI_DEVICE,
    .options = options,
    .n_options = CLI_COUNT(options),
    .values_bytes = sizeof(settings),
    .defaults = &defaults,
    .run = run,
};

int main(int argc, const char **argv) {
    cli_set_program("integration-several");
    return cli_run_command(&command, argc, argv);
}
