// mastaba bench integration: the published tables, larger N, and rates of the rules on this machine.
#include "bench.h"

#include "paper_integration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "bench integration";

static const char details[] =
    "For sin(x^2) and exp(-x^2) over [-5, 5] in float32: one core running the plain loop\n"
    "with sinf and expf, the published kernel (2048 work-items in groups of 128), and the\n"
    "rectangle rule in as many work-items as fill the device. K1 is the ratio of the times\n"
    "of whole calls, plans made beforehand, beside the best that was published. Loops\n"
    "longer than 2^24 are scaled from there. A time is the least of several calls.\n"
    "Then the rates at 2^30 points (2^26 on a CPU) and the time of adaptive integrals, one and 100,000.\n"
    "\n"
    "Example\n"
    "  mastaba bench integration --largest 32\n";

static const struct {
    const char *integrand;
    double exact; // over [-5, 5]
} integrals[] = {{"sin(x^2)", 1.0558345623306454}, {"exp(-x^2)", 1.7724538509027912}};

// The sequential rule, in single precision throughout but for the sum, as a plain loop.
static float loop(int which, uint64_t n) {
    const float a = -5, h = 10 / (float)n;
    float sum = 0;
    for (uint64_t k = 0; k < n; k++) {
        const float x = a + (float)k * h;
        sum += which == 0 ? sinf(x * x) : expf(-x * x);
    }
    return sum * h;
}

static double time_loop(int which, uint64_t n, volatile float *kept) {
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        double start = cli_now();
        *kept = loop(which, n);
        best = fmin(best, cli_now() - start);
    }
    return best;
}

// Makes a plan, calls it once to warm up and then for about a fifth of a second.
static mst_status measure(mst_context *context, const mst_integral_desc *desc, const double *parameters, size_t n,
                          mst_integral_result *results, double *best, mst_error *error) {
    mst_integral *plan = NULL;
    mst_status status = mst_integral_create(context, desc, &plan, error);
    double until = 0;
    *best = INFINITY;
    for (int i = 0; status == MST_OK && (i < 3 || cli_now() < until) && !cli_interrupted(); i++) {
        double start = cli_now();
        status = mst_integral_execute(plan, parameters, n, results, NULL, error);
        if (i == 0)
            until = cli_now() + 0.2;
        else
            *best = fmin(*best, cli_now() - start);
    }
    mst_integral_destroy(plan);
    return status;
}

static mst_integral_desc describe(const char *integrand, const mst_integral_range *range) {
    mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
    d.integrand = integrand;
    d.ranges = range;
    return d;
}

static const mst_integral_range five = {"x", "-5", "5"};

static int print_cells(mst_context *context, int which, int largest) {
    volatile float kept;
    double published_best[2], per_point = 0;
    mst_error error;
    mst_integral_result r;
    printf("\n%s over [-5, 5], float32\n%5s %11s %11s %9s %11s %9s %9s %9s\n", integrals[which].integrand, "N", "one core",
           "published", "K1", "own", "K1", "paper K1", "paper K2");
    for (int log_n = 10; log_n <= largest && !cli_interrupted(); log_n += log_n < 24 ? 1 : 2) {
        uint64_t n = (uint64_t)1 << log_n;
        double cpu = log_n <= 24 ? time_loop(which, n, &kept) : per_point * (double)n;
        per_point = cpu / (double)n;
        mst_integral_desc d = describe(integrals[which].integrand, &five);
        d.rule = MST_INTEGRAL_RECTANGLE;
        d.type = MST_FLOAT32;
        d.points = n;
        d.work_items = 2048;
        d.group_size = 128;
        if (measure(context, &d, NULL, 1, &r, &published_best[0], &error) != MST_OK)
            return cli_fail(command, NULL, &error);
        d.work_items = d.group_size = 0;
        if (measure(context, &d, NULL, 1, &r, &published_best[1], &error) != MST_OK)
            return cli_fail(command, NULL, &error);
        char texts[3][32];
        printf("2^%-3d %11s %11s %9.4g %11s %9.4g", log_n, cli_time_text(cpu, texts[0]),
               cli_time_text(published_best[0], texts[1]), cpu / published_best[0], cli_time_text(published_best[1], texts[2]),
               cpu / published_best[1]);
        const paper_integration *p = log_n <= 24 ? &paper_integrations[which][log_n - 10] : NULL;
        if (p)
            printf(" %9.4g %9.4g", p->k1, p->k2);
        printf(fabs(r.value - integrals[which].exact) <= r.error ? "\n" : "   WRONG\n");
        fflush(stdout);
    }
    return cli_interrupted() ? cli_fail_interrupted(command) : cli_flush(command);
}

static int print_rates(mst_context *context) {
    bool fp64 = mst_context_device(context)->fp64;
    mst_error error;
    mst_integral_result r;
    double best;
    int log_n = mst_context_device(context)->type & CL_DEVICE_TYPE_GPU ? 30 : 26;
    printf("\nRates at 2^%d points of sin(x^2), billions a second\n", log_n);
    for (int type = MST_FLOAT32; type <= (fp64 ? MST_FLOAT64 : MST_FLOAT32); type++)
        for (int rule = MST_INTEGRAL_RECTANGLE; rule <= MST_INTEGRAL_GAUSS; rule++) {
            mst_integral_desc d = describe("sin(x^2)", &five);
            d.rule = (mst_integral_rule)rule;
            d.type = (mst_type)type;
            d.points = (uint64_t)1 << log_n;
            if (measure(context, &d, NULL, 1, &r, &best, &error) != MST_OK)
                return cli_fail(command, NULL, &error);
            printf("  %-8s %-10s %8.4g   error %.2g, reported %.2g\n", mst_type_name(d.type), mst_integral_rule_name(d.rule),
                   (double)d.points / best * 1e-9, fabs(r.value - integrals[0].exact), r.error);
            fflush(stdout);
        }
    return cli_flush(command);
}

static int print_adaptive(mst_context *context) {
    enum { N = 100000 };
    static const char *const names[] = {"a"};
    const mst_integral_range unit = {"x", "0", "1"};
    const mst_integral_range cube[] = {{"x", "0", "1"}, {"y", "0", "1"}, {"z", "0", "1"}, {"u", "0", "1"}, {"v", "0", "1"}};
    double *parameters = malloc(N * sizeof *parameters), best;
    mst_integral_result *results = malloc(N * sizeof *results);
    mst_error error = {.status = MST_ERROR_HOST_MEMORY, .message = "out of memory"};
    mst_status status = parameters && results ? MST_OK : MST_ERROR_HOST_MEMORY;
    char text[32];
    for (size_t i = 0; i < N && status == MST_OK; i++)
        parameters[i] = 0.1 + 10.0 * (double)i / N;
    printf("\nAdaptive\n");
    mst_integral_desc d = describe("sin(x^2)", &five);
    if (status == MST_OK)
        status = measure(context, &d, NULL, 1, results, &best, &error);
    if (status == MST_OK)
        printf("  one, sin(x^2) over [-5, 5], default tolerance: %s, %llu evaluations\n", cli_time_text(best, text),
               (unsigned long long)results[0].evaluations);
    d = describe("exp(-a*x)*cos(10*a*x)", &unit);
    d.n_parameters = 1;
    d.parameters = names;
    if (status == MST_OK)
        status = measure(context, &d, parameters, N, results, &best, &error);
    if (status == MST_OK)
        printf("  100,000, exp(-a*x)*cos(10*a*x) over [0, 1]:    %s, %.3g integrals a second\n", cli_time_text(best, text),
               N / best);
    d = describe("exp(-25*((x-.5)^2 + (y-.5)^2 + (z-.5)^2 + (u-.5)^2 + (v-.5)^2))", cube);
    d.n_variables = 5;
    d.relative_tolerance = 1e-5;
    if (status == MST_OK)
        status = measure(context, &d, NULL, 1, results, &best, &error);
    if (status == MST_OK)
        printf("  a Gaussian in 5 variables to 1e-5:             %s, %.3g evaluations a second, %s\n", cli_time_text(best, text),
               (double)results[0].evaluations / best, mst_integral_status_name(results[0].status));
    free(parameters);
    free(results);
    return status == MST_OK ? cli_flush(command) : cli_fail(command, NULL, &error);
}

int bench_integration(int argc, const char **argv) {
    int largest = 24, exit_code;
    const struct poptOption options[] = {
        {"largest", 0, POPT_ARG_INT, &largest, 0, "the tables go to 2^L points, 10 to 32 (default: 24)", "L"}, POPT_TABLEEND};
    const cli_usage usage = {.command = command,
                             .synopsis = "[options]",
                             .summary = "Compare the rectangle rule as published with one core and with the library's own.",
                             .details = details,
                             .leave_out = CLI_JSON | CLI_FORCE,
                             .options = options};
    cli_arguments arguments;
    mst_context *context = NULL;
    if (cli_parse(&usage, argc, argv, &arguments, &exit_code)) {
        exit_code = CLI_USAGE;
        cli_catch_interrupts();
        if (largest < 10 || largest > 32)
            cli_error(command, "--largest %d: not from 10 to 32", largest);
        else
            exit_code = cli_context(command, &arguments.common, false, &context);
        if (exit_code == CLI_DONE)
            printf("device %s\n", mst_context_device(context)->name);
        for (int which = 0; which < 2 && exit_code == CLI_DONE; which++)
            exit_code = print_cells(context, which, largest);
        if (exit_code == CLI_DONE)
            exit_code = print_rates(context);
        if (exit_code == CLI_DONE)
            exit_code = print_adaptive(context);
    }
    mst_context_destroy(context);
    cli_free(&arguments);
    return exit_code;
}
