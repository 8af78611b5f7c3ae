// integration-peers: the library's integration beside plain loops and GSL, on one device, in well under a minute. Prints each
// figure with what it is held against.
#ifdef BENCH_CUBATURE
#include <cubature.h>
#endif
#include "core/cli.h"
#include "integration_families.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check(mst_status status, const mst_error *error) {
    if (status == MST_OK)
        return;
    fprintf(stderr, "integration-peers: %s\n", error->message);
    exit(1);
}

static void check_opencl(cl_int code, const char *what) {
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "integration-peers: %s: OpenCL code %d\n", what, (int)code);
    exit(1);
}

// The least seconds of calls during about `budget` seconds, after one to warm up.
static double best_call(mst_integral *plan, const double *parameters, size_t n, mst_integral_result *results, double budget) {
    mst_error error;
    double best = INFINITY, until = 0;
    for (int i = 0; i < 3 || cli_now() < until; i++) {
        double start = cli_now();
        check(mst_integral_execute(plan, parameters, n, results, NULL, &error), &error);
        if (i == 0)
            until = cli_now() + budget;
        else
            best = fmin(best, cli_now() - start);
    }
    return best;
}

// sin(x * x) summed by 2^20 work-items, nothing else: what the device can do. Seconds for 2^30 points (2^26 on a CPU).
static double bare_loop(mst_context *context, bool is_double, cl_ulong points) {
    static const char text[] =
        "__kernel void bare(__global real *out, uint n, real h) { real s = 0, x = (real)get_global_id(0) * h * n;"
        " for (uint k = 0; k < n; k++) { s += sin(x * x); x += h; } out[get_global_id(0)] = s; }";
    const size_t items = (size_t)1 << 20;
    cl_uint n = (cl_uint)(points / items);
    float h_single = (float)(10.0 / (double)points);
    double h = 10.0 / (double)points, best = INFINITY;
    cl_int code;
    char source[600];
    const cl_device_id device = mst_context_device(context)->device;
    snprintf(source, sizeof source, "%s\n%s",
             is_double ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\ntypedef double real;" : "typedef float real;", text);
    const char *sources = source;
    cl_program program = clCreateProgramWithSource(mst_context_opencl(context), 1, &sources, NULL, &code);
    check_opencl(code, "making the bare loop");
    check_opencl(clBuildProgram(program, 1, &device, "", NULL, NULL), "building the bare loop");
    cl_kernel kernel = clCreateKernel(program, "bare", &code);
    check_opencl(code, "making the bare loop");
    cl_mem out = clCreateBuffer(mst_context_opencl(context), CL_MEM_READ_WRITE, items * 8, NULL, &code);
    check_opencl(code, "allocating for the bare loop");
    clSetKernelArg(kernel, 0, sizeof out, &out);
    clSetKernelArg(kernel, 1, sizeof n, &n);
    clSetKernelArg(kernel, 2, is_double ? sizeof h : sizeof h_single, is_double ? (const void *)&h : &h_single);
    for (int i = 0; i < 6; i++) {
        double start = cli_now();
        size_t group = 128;
        check_opencl(clEnqueueNDRangeKernel(mst_context_queue(context), kernel, 1, NULL, &items, &group, 0, NULL, NULL),
                     "running the bare loop");
        check_opencl(clFinish(mst_context_queue(context)), "running the bare loop");
        best = i > 0 ? fmin(best, cli_now() - start) : best;
    }
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return best;
}

static mst_integral *make_plan(mst_context *context, const mst_integral_desc *desc) {
    mst_integral_desc compiled = *desc;
    mst_error error;
    mst_integral *plan;
    compiled.compile_from = 1; // which a plan that runs on comes to
    check(mst_integral_create(context, &compiled, &plan, &error), &error);
    return plan;
}

// One core, the plain loop, in single precision.
static double loop_seconds(uint64_t n) {
    double best = INFINITY;
    volatile float kept;
    for (int i = 0; i < 3; i++) {
        double start = cli_now();
        const float a = -5, h = 10 / (float)n;
        float sum = 0;
        for (uint64_t k = 0; k < n; k++) {
            const float x = a + (float)k * h;
            sum += sinf(x * x);
        }
        kept = sum * h;
        best = fmin(best, cli_now() - start);
    }
    (void)kept;
    return best;
}

static const mst_integral_range five = {"x", "-5", "5"};

static void fixed_rules(mst_context *context) {
    bool gpu = mst_context_device(context)->type & CL_DEVICE_TYPE_GPU;
    uint64_t points = (uint64_t)1 << (gpu ? 30 : 26);
    double per_point = loop_seconds((uint64_t)1 << 24) * 0x1p-24;
    mst_integral_result r;
    for (int is_double = 0; is_double <= (mst_context_device(context)->fp64 ? 1 : 0); is_double++) {
        mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
        d.integrand = "sin(x*x)";
        d.ranges = &five;
        d.rule = MST_INTEGRAL_RECTANGLE;
        d.type = is_double ? MST_FLOAT64 : MST_FLOAT32;
        d.points = points;
        mst_integral *plan = make_plan(context, &d);
        double bare = bare_loop(context, is_double, points), own = best_call(plan, NULL, 1, &r, 1);
        printf("%s, 2^%d points: %.4g Gpoint/s, bare loop %.4g, ratio %.3f (wanted 0.85 on a GPU)\n", mst_type_name(d.type),
               gpu ? 30 : 26, (double)points / own * 1e-9, (double)points / bare * 1e-9, bare / own);
        printf("  value %.12g +- %.2g; one core %.4g Gpoint/s in float32, K1 = %.4g (wanted 3000 on a GPU in float32)\n", r.value,
               r.error, 1e-9 / per_point, per_point * (double)points / own);
        mst_integral_destroy(plan);
        d.points = (uint64_t)1 << 24;
        plan = make_plan(context, &d);
        own = best_call(plan, NULL, 1, &r, 1);
        printf("  2^24 points: %.4g us, K1 = %.4g (wanted 1200 on a GPU in float32)\n", 1e6 * own, per_point * 0x1p24 / own);
        mst_integral_destroy(plan);
    }
}

static double damped(double x, void *user) {
    double a = *(const double *)user;
    return exp(-a * x) * cos(10 * a * x);
}

static void batches(mst_context *context) {
    enum { N = 100000 };
    static const char *const names[] = {"a"};
    const mst_integral_range unit = {"x", "0", "1"};
    mst_error error = {.status = MST_ERROR_HOST_MEMORY, .message = "out of memory"};
    double *a = malloc(N * sizeof *a), worst = 0, gsl = INFINITY;
    mst_integral_result *results = malloc(N * sizeof *results), one;
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(1000);
    check(a && results && space ? MST_OK : MST_ERROR_HOST_MEMORY, &error);
    mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
    d.integrand = "exp(-a*x)*cos(10*a*x)";
    d.ranges = &unit;
    d.n_parameters = 1;
    d.parameters = names;
    for (int i = 0; i < N; i++)
        a[i] = 0.1 + 10.0 * i / N;
    mst_integral *plan = make_plan(context, &d);
    double own = best_call(plan, a, N, results, 1), single = best_call(plan, a, 1, &one, 0.5);
    gsl_set_error_handler_off();
    for (int run = 0; run < 2; run++) {
        double start = cli_now();
        for (int i = 0; i < N; i++) {
            double value, estimate;
            gsl_function f = {damped, &a[i]};
            gsl_integration_qag(&f, 0, 1, 0, 1e-10, 1000, GSL_INTEG_GAUSS21, space, &value, &estimate);
            worst = fmax(worst, fabs(value - results[i].value));
        }
        gsl = fmin(gsl, cli_now() - start);
    }
    printf("100,000 adaptive integrals to 1e-10: %.4g ms, GSL's QAG on one core %.4g ms, %.4g times as fast (wanted 50 on a GPU, "
           "1 on a CPU)\n",
           1e3 * own, 1e3 * gsl, gsl / own);
    printf("  largest difference to GSL %.2g; one integral alone: %.4g ms (wanted below 5)\n", worst, 1e3 * single);
    mst_integral_destroy(plan);
    gsl_integration_workspace_free(space);
    free(a);
    free(results);
}

#ifdef BENCH_CUBATURE
static int gaussian(unsigned n, const double *x, void *user, unsigned n_values, double *value) {
    double sum = 0;
    (void)user, (void)n_values;
    for (unsigned k = 0; k < n; k++)
        sum += (x[k] - 0.4) * (x[k] - 0.4);
    *value = exp(-25 * sum);
    return 0;
}

// A Gaussian in 4 variables to 1e-6 by the same rule on one core.
static void several_variables(mst_context *context) {
    static const mst_integral_range unit[] = {{"x", "0", "1"}, {"y", "0", "1"}, {"z", "0", "1"}, {"u", "0", "1"}};
    const double from[4] = {0}, to[4] = {1, 1, 1, 1}, exact = pow(sqrt(acos(-1)) / 10 * (erf(3) + erf(2)), 4);
    double value = 0, estimate = 0, cubature = INFINITY;
    mst_integral_result r;
    mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
    d.integrand = "exp(-25*((x - 0.4)^2 + (y - 0.4)^2 + (z - 0.4)^2 + (u - 0.4)^2))";
    d.n_variables = 4;
    d.ranges = unit;
    d.relative_tolerance = 1e-6;
    mst_integral *plan = make_plan(context, &d);
    double own = best_call(plan, NULL, 1, &r, 0.5);
    for (int run = 0; run < 2; run++) {
        double start = cli_now();
        hcubature(1, gaussian, NULL, 4, from, to, 0, 0, 1e-6, ERROR_INDIVIDUAL, &value, &estimate);
        cubature = fmin(cubature, cli_now() - start);
    }
    printf("a Gaussian in 4 variables to 1e-6: %.4g ms, off by %.2g +- %.2g; hcubature %.4g ms, %.2g +- %.2g\n", 1e3 * own,
           r.value - exact, r.error, 1e3 * cubature, value - exact, estimate);
    mst_integral_destroy(plan);
}
#endif

typedef struct settings {
    int batches, rounds;
    double tolerance;
    char *json;
} settings;

static int run(const cli_arguments *arguments, void *values) {
    const settings *s = values;
    mst_context *context;
    if (s->rounds < 1 || s->rounds > 99) {
        cli_error(NULL, "--rounds %d: 1 to 99 are taken", s->rounds);
        return CLI_USAGE;
    }
    int code = cli_context(NULL, &arguments->common, false, &context);
    if (code != CLI_DONE)
        return code;
    mst_error error;
    printf("device %s\n", mst_context_device(context)->name);
    if (s->batches) {
        check(bench_batches(context, s->tolerance, s->rounds, s->json, &error), &error);
        mst_context_destroy(context);
        return CLI_DONE;
    }
    check(bench_families(context, &error), &error);
    fixed_rules(context);
    batches(context);
#ifdef BENCH_CUBATURE
    several_variables(context);
#endif
    mst_context_destroy(context);
    return CLI_DONE;
}

static const settings defaults = {.rounds = 5, .tolerance = 1e-10};
static const cli_option options[] = {
    {"batches", 0, CLI_FLAG, offsetof(settings, batches), "only batches of 10,000 of each family of QUADPACK's book, beside GSL",
     NULL},
    {"tolerance", 't', CLI_REAL, offsetof(settings, tolerance), "of these (default: 1e-10)", "T"},
    {"rounds", 0, CLI_INT, offsetof(settings, rounds), "medians of so many, 1 to 99 (default: 5)", "N"},
    {"json", 0, CLI_TEXT, offsetof(settings, json), "write the batches there too", "FILE"},
};
static const cli_command command = {
    .title = "Integrals on the device beside plain loops and GSL.",
    .synopsis = "[options]",
    .details = "Prints each figure with what it is held against, in well under a minute.\n",
    .leave_out = ~(unsigned)CLI_DEVICE,
    .options = options,
    .n_options = CLI_COUNT(options),
    .values_bytes = sizeof(settings),
    .defaults = &defaults,
    .run = run,
};

int main(int argc, const char **argv) {
    cli_set_program("integration-peers");
    return cli_run_command(&command, argc, argv);
}
