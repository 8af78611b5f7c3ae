// Times of the published rectangle rule, of one core, of this library's rules, and of adaptive integrals.
#include "integration.h"

#include <math.h>
#include <stdlib.h>

const char *const integration_names[INTEGRATION_N_INTEGRALS] = {"sin(x^2)", "exp(-x^2)"};
static const double exact[INTEGRATION_N_INTEGRALS] = {1.0558345623306454, 1.7724538509027912}; // over [-5, 5]
static const mst_integral_range five = {"x", "-5", "5"};

const paper_integration *integration_paper(int which, int log_n) {
    return log_n < INTEGRATION_FIRST + PAPER_N_SIZES ? &paper_integrations[which][log_n - INTEGRATION_FIRST] : NULL;
}

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

static double time_loop(int which, uint64_t n) {
    volatile float kept;
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        double start = cli_now();
        kept = loop(which, n);
        best = fmin(best, cli_now() - start);
    }
    (void)kept;
    return best;
}

// Makes a plan, calls it once to warm up and then for about a fifth of a second. *best: of whole calls, or, on a context that
// profiles, of their kernels.
static mst_status measure(mst_context *context, bool kernels, const mst_integral_desc *desc, const double *parameters, size_t n,
                          mst_integral_result *results, double *best, mst_error *error) {
    mst_integral *plan = NULL;
    mst_execution how = MST_EXECUTION_INIT;
    mst_report report = MST_REPORT_INIT;
    how.report = &report;
    mst_status status = mst_integral_create(context, desc, &plan, error);
    double until = 0;
    *best = INFINITY;
    for (int i = 0; status == MST_OK && (i < 3 || cli_now() < until) && !cli_interrupted(); i++) {
        double start = cli_now();
        status = mst_integral_execute(plan, parameters, n, results, &how, error);
        if (i == 0)
            until = cli_now() + 0.2;
        else
            *best = fmin(*best, kernels ? report.compute_seconds : cli_now() - start);
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

static mst_status measure_cell(mst_context *const *contexts, int which, integration_cell *cell, mst_error *error) {
    mst_integral_result r = {0};
    mst_integral_desc d = describe(integration_names[which], &five);
    d.rule = MST_INTEGRAL_RECTANGLE;
    d.type = MST_FLOAT32;
    d.points = (uint64_t)1 << cell->log_n;
    mst_status status = MST_OK;
    for (int own = 0; own < 2 && status == MST_OK; own++) {
        d.work_items = own ? 0 : 2048;
        d.group_size = own ? 0 : 128;
        status = measure(contexts[BENCH_PLAIN], false, &d, NULL, 1, &r, own ? &cell->own : &cell->published, error);
        if (status == MST_OK)
            status = measure(contexts[BENCH_PROFILED], true, &d, NULL, 1, &r, &cell->kernels[own], error);
    }
    cell->right = fabs(r.value - exact[which]) <= r.error;
    return status;
}

// Whether the time is up, or the program interrupted.
static bool stops(integration_bench *bench) {
    bool late = bench->n_cells[0] > 0 && cli_now() > bench->run.until;
    bench->run.cut_short |= late;
    return late || cli_interrupted();
}

int integration_next(int log_n) { return log_n < 24 ? log_n + 1 : log_n + 2; }

static mst_status measure_cells(mst_context *const *contexts, int which, integration_bench *bench, mst_error *error) {
    double per_point = 0;
    mst_status status = MST_OK;
    if (bench->run.print)
        integration_print_heading(which);
    for (int log_n = INTEGRATION_FIRST; log_n <= bench->largest && status == MST_OK; log_n = integration_next(log_n)) {
        integration_cell *cell = &bench->cells[which][bench->n_cells[which]];
        uint64_t n = (uint64_t)1 << log_n;
        if (stops(bench))
            break;
        cell->log_n = log_n;
        cell->core = log_n <= 24 ? time_loop(which, n) : per_point * (double)n;
        per_point = cell->core / (double)n;
        status = measure_cell(contexts, which, cell, error);
        if (status != MST_OK || cli_interrupted())
            break;
        bench->n_cells[which]++;
        if (bench->run.print)
            integration_print_cell(which, cell);
    }
    return status;
}

static mst_status measure_rates(mst_context *context, integration_bench *bench, mst_error *error) {
    mst_integral_result result;
    mst_status status = MST_OK;
    bench->log_points = bench->run.device->type & CL_DEVICE_TYPE_GPU ? 30 : 26;
    if (bench->run.print)
        printf("\nRates at 2^%d points of sin(x^2), billions a second\n", bench->log_points);
    for (int type = MST_FLOAT32; type <= (bench->run.device->fp64 ? MST_FLOAT64 : MST_FLOAT32); type++)
        for (int rule = MST_INTEGRAL_RECTANGLE; rule <= MST_INTEGRAL_GAUSS && status == MST_OK && !stops(bench); rule++) {
            integration_rate *r = &bench->rates[bench->n_rates];
            mst_integral_desc d = describe(integration_names[0], &five);
            d.rule = r->rule = (mst_integral_rule)rule;
            d.type = r->type = (mst_type)type;
            d.points = (uint64_t)1 << bench->log_points;
            status = measure(context, false, &d, NULL, 1, &result, &r->seconds, error);
            if (status != MST_OK || cli_interrupted())
                return status;
            r->error = fabs(result.value - exact[0]);
            r->reported = result.error;
            bench->n_rates++;
            if (bench->run.print)
                integration_print_rate(bench, r);
        }
    return status;
}

static mst_status measure_adaptive(mst_context *context, integration_bench *bench, mst_error *error) {
    enum { N = 100000 };
    static const char *const names[] = {"a"};
    const mst_integral_range unit = {"x", "0", "1"};
    const mst_integral_range cube[] = {{"x", "0", "1"}, {"y", "0", "1"}, {"z", "0", "1"}, {"u", "0", "1"}, {"v", "0", "1"}};
    double *parameters = malloc(N * sizeof *parameters);
    mst_integral_result *results = malloc(N * sizeof *results);
    mst_status status = parameters && results ? MST_OK : MST_ERROR_HOST_MEMORY;
    if (status != MST_OK)
        *error = (mst_error){.status = status, .message = "out of memory"};
    for (size_t i = 0; i < N && status == MST_OK; i++)
        parameters[i] = 0.1 + 10.0 * (double)i / N;
    mst_integral_desc d[INTEGRATION_N_ADAPTIVE] = {
        describe(integration_names[0], &five), describe("exp(-a*x)*cos(10*a*x)", &unit),
        describe("exp(-25*((x-.5)^2 + (y-.5)^2 + (z-.5)^2 + (u-.5)^2 + (v-.5)^2))", cube)};
    d[1].n_parameters = 1;
    d[1].parameters = names;
    d[2].n_variables = 5;
    d[2].relative_tolerance = 1e-5;
    if (bench->run.print)
        printf("\nAdaptive\n");
    for (int k = 0; k < INTEGRATION_N_ADAPTIVE && status == MST_OK && !stops(bench); k++) {
        integration_adaptive *a = &bench->adaptive[k];
        *a = (integration_adaptive){.integrand = d[k].integrand, .n = k == 1 ? N : 1};
        status = measure(context, false, &d[k], k == 1 ? parameters : NULL, a->n, results, &a->seconds, error);
        if (status != MST_OK || cli_interrupted())
            break;
        a->result = results[0];
        bench->n_adaptive++;
        if (bench->run.print)
            integration_print_adaptive(a);
    }
    free(parameters);
    free(results);
    return status;
}

int integration_measure(void *results) {
    integration_bench *bench = results;
    mst_context *const *contexts = bench->run.contexts;
    const char *command = bench->run.command;
    mst_error error;
    mst_status status = MST_OK;
    const double until = bench->run.until;
    for (int which = 0; which < INTEGRATION_N_INTEGRALS && status == MST_OK; which++) {
        // The rates are worth some of the time, too.
        bench->run.until = cli_now() + 0.4 * (until - cli_now());
        status = measure_cells(contexts, which, bench, &error);
    }
    bench->run.until = until;
    if (status == MST_OK && !cli_interrupted())
        status = measure_rates(contexts[BENCH_PLAIN], bench, &error);
    if (status == MST_OK && !cli_interrupted())
        status = measure_adaptive(contexts[BENCH_PLAIN], bench, &error);
    if (status != MST_OK)
        return cli_fail(command, NULL, &error);
    if (cli_interrupted())
        return cli_fail_interrupted(command);
    return bench->run.print ? cli_flush(command) : CLI_DONE;
}
