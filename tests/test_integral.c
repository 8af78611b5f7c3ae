// Integrals against closed forms and QUADPACK's book, in both kernel shapes and both precisions; what is refused; statuses.
#include "support_integral.h"

#include <math.h>

typedef struct one {
    const char *f, *from, *to;
    double value;
} one;

static mst_integral_result integrate(mst_context *context, const mst_integral_desc *desc, const char *f, const char *from,
                                     const char *to) {
    mst_integral_desc d = *desc;
    const mst_integral_range range = {"x", from, to};
    mst_integral_result r;
    d.integrand = f;
    d.ranges = &range;
    test_integral_run(context, &d, NULL, 1, &r);
    return r;
}

// One kernel for all closed forms: the parameter k chooses the integrand, a its parameter.
static const char book[] = "k == 0 ? x^a*log(1/x)"
                           ": k == 1 ? 4^(-a)/((x - pi/4)^2 + 16^(-a))"
                           ": k == 2 ? cos(2^a*sin(x))"
                           ": k == 3 ? abs(x - 1/3)^a"
                           ": k == 4 ? exp(20*(x - 1))*sin(2^a*x)"
                           ": k == 5 ? (x < 0.3 ? 0 : exp(a*x))"
                           ": k == 6 ? a*x^2"
                           ": k == 7 ? 1/(1 + a*x^2)"
                           ": 0*x";
static double range_of(int k) { return k == 2 ? acos(-1) : 1; }

static double exact(int k, double a) {
    const double pi = acos(-1);
    switch (k) {
    case 0:
        return 1 / ((1 + a) * (1 + a));
    case 1:
        return atan((4 - pi) * pow(4, a - 1)) + atan(pi * pow(4, a - 1));
    case 2:
        return pi * j0(pow(2, a));
    case 3:
        return (pow(2.0 / 3, a + 1) + pow(1.0 / 3, a + 1)) / (a + 1);
    case 4:
        return (20 * sin(pow(2, a)) - pow(2, a) * cos(pow(2, a)) + pow(2, a) * exp(-20)) / (400 + pow(4, a));
    case 5:
        return (exp(a) - exp(0.3 * a)) / a;
    case 6:
        return a / 3;
    case 7:
        return atan(sqrt(a)) / sqrt(a);
    default:
        return 0;
    }
}

// Random parameters of every kind, in one batch: the share of true errors within those reported.
static void test_book(void **state) {
    mst_context *context = *state;
    enum { N = 9 * 300 };
    static const double lows[] = {0, 0, 0, 0.1, 0, 0.1, -5, 0.1, 0}, highs[] = {3, 5, 6, 3, 7, 5, 5, 50, 1};
    static double parameters[N][3];
    static mst_integral_result results[2][N];
    static const char *const names[] = {"k", "a", "b"};
    const mst_integral_range range = {"x", "0", "b"};
    for (int i = 0; i < N; i++) {
        int k = i % 9;
        parameters[i][0] = k;
        parameters[i][1] = lows[k] + (highs[k] - lows[k]) * (0.5 + 0.5 * test_uniform());
        parameters[i][2] = range_of(k);
    }
    for (int type = MST_FLOAT32; type <= MST_FLOAT64; type++)
        for (int shape = MST_INTEGRAL_SHAPE_GPU; shape <= MST_INTEGRAL_SHAPE_CPU; shape++) {
            mst_error e;
            mst_integral *plan;
            mst_integral_desc d = test_integral_desc(book, &range, 3, names);
            d.type = (mst_type)type;
            d.shape = (mst_integral_shape)shape;
            d.relative_tolerance = type == MST_FLOAT64 ? 1e-9 : 1e-4;
            d.absolute_tolerance = type == MST_FLOAT64 ? 1e-12 : 1e-5;
            if (type == MST_FLOAT32 && shape == MST_INTEGRAL_SHAPE_GPU)
                continue; // what is left to see there is in the others
            OK(mst_integral_create(context, &d, &plan, &e));
            memset(results, 0xff, sizeof results);
            for (int run = 0; run < 2; run++)
                OK(mst_integral_execute(plan, &parameters[0][0], N, results[run], NULL, &e));
            assert_memory_equal(results[0], results[1], sizeof results[0]); // reproducible bit by bit
            int within = 0, converged = 0;
            for (int i = 0; i < N; i++) {
                const mst_integral_result *r = &results[0][i];
                double wanted = exact(i % 9, parameters[i][1]), error = fabs(r->value - wanted);
                within += error <= r->error + 1e-15 * fabs(wanted);
                converged += r->status == MST_INTEGRAL_CONVERGED;
                double asked = fmax(d.absolute_tolerance, d.relative_tolerance * fabs(wanted)); // the few others at least meet it
                CHECK(error <= fmax(100 * r->error + 1e-15, asked), "%s: kind %d, a = %.17g: %.17g +- %.3g, should be %.17g",
                      mst_type_name(d.type), i % 9, parameters[i][1], r->value, r->error, wanted);
            }
            print_message("%s, shape %d: %.2f %% of the true errors within those reported, %.2f %% converged\n",
                          mst_type_name(d.type), shape, 100.0 * within / N, 100.0 * converged / N);
            CHECK(within >= 0.99 * N, "only %d of %d true errors are within those reported", within, N);
            CHECK(converged >= (type == MST_FLOAT64 ? 0.99 : 0.98) * N, "only %d of %d converged", converged, N);
            mst_integral_destroy(plan);
        }
}

static void test_ranges(void **state) {
    mst_context *context = *state;
    mst_error e;
    mst_integral *plan;
    // One parameterised plan for finite ranges, forwards, backwards and empty.
    static const char *const names[] = {"a", "b"};
    const mst_integral_range range = {"x", "a", "b"};
    const double sets[][2] = {{0, 1}, {1, 0}, {0.5, 0.5}, {-2, 3}, {1e3, 1e3 + 1}};
    mst_integral_result r[5];
    mst_integral_desc d = test_integral_desc("3*x^2", &range, 2, names);
    OK(mst_integral_create(context, &d, &plan, &e));
    OK(mst_integral_execute(plan, &sets[0][0], 5, r, NULL, &e));
    for (int i = 0; i < 5; i++) {
        double wanted = pow(sets[i][1], 3) - pow(sets[i][0], 3);
        CHECK(fabs(r[i].value - wanted) <= 1e-12 * fabs(wanted) + 1e-15 && r[i].status == MST_INTEGRAL_CONVERGED,
              "from %g to %g: %.17g", sets[i][0], sets[i][1], r[i].value);
    }
    assert_true(fabs(r[0].value + r[1].value) < 1e-15 && r[2].value == 0 && r[2].error == 0);
    const double bad[] = {0, NAN, 0, INFINITY};
    REFUSED(MST_ERROR_ARGUMENT, "NaN for parameter set 0", mst_integral_execute(plan, bad, 1, r, NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "written as inf", mst_integral_execute(plan, bad + 2, 1, r, NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "parameters is NULL", mst_integral_execute(plan, NULL, 1, r, NULL, &e));
    OK(mst_integral_execute(plan, NULL, 0, NULL, NULL, &e));
    mst_integral_destroy(plan);
    // Infinite ranges.
    const double root_pi = sqrt(acos(-1));
    const one infinite[] = {{"exp(-x^2)", "-inf", "inf", root_pi},
                            {"exp(-x^2)", "inf", "0", -root_pi / 2},
                            {"1/(1 + x^2)", "-inf", "1", 0.75 * acos(-1)},
                            {"log(x)/(1 + 100*x^2)", "0", "inf", -acos(-1) / 20 * log(10)}}; // QUADPACK's book, for qagi
    const mst_integral_desc plain = MST_INTEGRAL_DESC_INIT;
    for (size_t i = 0; i < sizeof infinite / sizeof infinite[0]; i++) {
        const one *o = &infinite[i];
        mst_integral_result result = integrate(context, &plain, o->f, o->from, o->to);
        CHECK(fabs(result.value - o->value) <= fmin(result.error, 1e-9) && result.status == MST_INTEGRAL_CONVERGED,
              "%s from %s to %s: %.17g +- %g, should be %.17g", o->f, o->from, o->to, result.value, result.error, o->value);
    }
}

static void test_statuses(void **state) {
    mst_context *context = *state;
    mst_error e;
    mst_integral *plan;
    // One kernel: a NaN inside, a divergent integral, a tolerance below rounding, too few evaluations, a singularity hit exactly.
    static const char *const names[] = {"k"};
    const mst_integral_range range = {"x", "-1", "3"};
    const double sets[] = {0, 1, 2, 3};
    static const mst_integral_status wanted[] = {MST_INTEGRAL_NON_FINITE, MST_INTEGRAL_ROUND_OFF, MST_INTEGRAL_ROUND_OFF,
                                                 MST_INTEGRAL_CONVERGED};
    mst_integral_result r[4];
    mst_integral_desc d = test_integral_desc(
        "k == 0 ? log(x - 0.1) : k == 1 ? 1/abs(x - 1) : k == 2 ? exp(x) : (x == 0 ? 1 : sin(x)/x)", &range, 1, names);
    d.relative_tolerance = 1e-16;
    OK(mst_integral_create(context, &d, &plan, &e));
    OK(mst_integral_execute(plan, sets, 3, r, NULL, &e));
    for (int i = 0; i < 3; i++)
        CHECK(r[i].status == wanted[i] || (i == 1 && r[i].status == MST_INTEGRAL_BUDGET),
              "integrand %d: status %s, value %g +- %g", i, mst_integral_status_name(r[i].status), r[i].value, r[i].error);
    assert_true(isnan(r[0].value) && isinf(r[0].error));
    assert_true(fabs(r[2].value - (exp(3) - exp(-1))) <= r[2].error && r[2].error < 1e-12);
    mst_integral_destroy(plan);
    d.relative_tolerance = 1e-10;
    d.max_evaluations = 300;
    d.integrand = "k == 3 ? (x == 0 ? 1 : sin(x)/x) : sin(1000*x)";
    OK(mst_integral_create(context, &d, &plan, &e));
    OK(mst_integral_execute(plan, sets + 2, 2, r, NULL, &e));
    CHECK(r[0].status == MST_INTEGRAL_BUDGET && r[0].evaluations <= 300, "%s after %llu", mst_integral_status_name(r[0].status),
          (unsigned long long)r[0].evaluations);
    CHECK(r[1].status == MST_INTEGRAL_CONVERGED && fabs(r[1].value - 2.794735598366651) < 1e-10, "sinc: %.12g",
          r[1].value); // Si(1) + Si(3)
    mst_integral_destroy(plan);
}

// Large values, singularities on ends, in the interior and at breakpoints, ranges of no width.
static void test_hard_places(void **state) {
    mst_context *context = *state;
    mst_error e;
    mst_integral *plan;
    static const char *const names[] = {"k", "a", "b"}, *const points[] = {"-1", "1/2", "1/2", "0"};
    const mst_integral_range range = {"x", "a", "b"};
    const double sets[][3] = {{0, 0, 1}, {1, 0, 1}, {2, 0, 0}, {3, 0, 1}, {1, 1, 0}}, log_3 = log(3);
    const double wanted[] = {5e49, 2, 0, 2 * (sqrt(0.3) + sqrt(0.7)), -2};
    mst_integral_result r[5];
    mst_integral_desc d =
        test_integral_desc("k == 0 ? 1e50*x : k == 1 ? 1/sqrt(x) : k == 2 ? 1/x : abs(x - 0.3)^(-0.5)", &range, 3, names);
    d.breakpoints = points;
    d.n_breakpoints = 4;
    OK(mst_integral_create(context, &d, &plan, &e));
    OK(mst_integral_execute(plan, &sets[0][0], 5, r, NULL, &e));
    mst_integral_destroy(plan);
    for (int i = 0; i < 5; i++)
        CHECK(fabs(r[i].value - wanted[i]) <= r[i].error && r[i].error <= 1e-5 * fabs(wanted[i]) &&
                  (r[i].status == MST_INTEGRAL_CONVERGED || (i == 3 && r[i].status == MST_INTEGRAL_ROUND_OFF)),
              "integral %d: %.17g +- %g, %s", i, r[i].value, r[i].error, mst_integral_status_name(r[i].status));
    // In float32: bounds that are no floats, a divergent integral, one whose mapped integrand is large.
    mst_integral_desc narrow = MST_INTEGRAL_DESC_INIT;
    narrow.type = MST_FLOAT32;
    r[0] = integrate(context, &narrow, "1", "1000", "1000.1");
    CHECK(fabs(r[0].value - 0.1) <= r[0].error && r[0].error < 1e-5, "%.9g +- %g", r[0].value, r[0].error);
    r[0] = integrate(context, &narrow, "1/x", "1", "inf");
    CHECK(r[0].status != MST_INTEGRAL_CONVERGED && !(r[0].error < 1), "%.9g +- %g", r[0].value, r[0].error);
    // Distances from the ends are positive in both directions.
    mst_integral_desc ends = MST_INTEGRAL_DESC_INIT;
    for (ends.rule = MST_INTEGRAL_ADAPTIVE; ends.rule <= MST_INTEGRAL_TANH_SINH; ends.rule++) {
        r[0] = integrate(context, &ends, "1/(1 + 2*left)", "1", "0");
        CHECK(fabs(r[0].value + log_3 / 2) <= 1e-10, "%.17g", r[0].value);
    }
}

// Singular ends by their exponents: few evaluations; tails on the whole line, of which s = 0.5 has no integral; 0 by symmetry.
static void test_exponents(void **state) {
    static const char *const names[] = {"k", "s"};
    const mst_integral_range finite = {"x", "k == 2 ? -1 : 0", "1"}, whole = {"x", "-inf", "inf"};
    const double pi = acos(-1), ends[][2] = {{0, -0.9}, {0, -0.5}, {1, -0.9}, {1, 0.3}, {2, 3}},
                 tails[][2] = {{0, 0.51}, {0, 0.7}, {0, 0.5}, {0, 0.45}};
    double wanted[] = {0, 0, 10, 1 / 1.3, 0};
    mst_integral_desc d = test_integral_desc("k == 0 ? x^s*exp(x) : k == 1 ? (1 - x)^s : x^s", &finite, 2, names);
    mst_integral_result r[5];
    for (int i = 0; i < 2; i++) // of x^s exp(x), by its power series
        for (double n = 0, factor = 1; n < 30; factor /= ++n)
            wanted[i] += factor / (n + ends[i][1] + 1);
    test_integral_run(*state, &d, &ends[0][0], 5, r);
    for (int i = 0; i < 5; i++)
        CHECK(fabs(r[i].value - wanted[i]) <= r[i].error + 1e-15 && r[i].error <= (i == 2 ? 1e-7 : 1e-10) * fmax(wanted[i], 1) &&
                  (r[i].status == MST_INTEGRAL_CONVERGED || i == 2) && r[i].evaluations <= (i < 2 ? 200 : 1000),
              "end %d: %.17g +- %g after %llu, should be %.17g", i, r[i].value, r[i].error, (unsigned long long)r[i].evaluations,
              wanted[i]); // what rounding x next to 1 leaves of (1 - x)^-0.9 is no better
    d.integrand = "k + (1 + x^2)^(-s)";
    d.ranges = &whole;
    test_integral_run(*state, &d, &tails[0][0], 4, r);
    for (int i = 0; i < 4; i++) {
        double s = tails[i][1], value = sqrt(pi) * tgamma(s - 0.5) / tgamma(s);
        CHECK(i < 2 ? r[i].status == MST_INTEGRAL_CONVERGED && fabs(r[i].value - value) <= fmin(r[i].error, 1e-10 * value)
                    : r[i].status != MST_INTEGRAL_CONVERGED && r[i].error > fabs(r[i].value),
              "tail with s = %g: %.17g +- %g, %s, should be %.17g", s, r[i].value, r[i].error,
              mst_integral_status_name(r[i].status), value);
    }
}

static void test_breakpoints(void **state) {
    mst_context *context = *state;
    const char *const points[] = {"2", "3/10", "0.7"}; // not in order, one outside
    mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
    d.breakpoints = points;
    d.n_breakpoints = 3;
    static const char f[] = "x < 0.3 ? 1 : x < 0.7 ? 3 : -2";
    mst_integral_result r = integrate(context, &d, f, "0", "1"), back = integrate(context, &d, f, "1", "0");
    CHECK(fabs(r.value - 0.9) < 1e-15 && r.evaluations == 8 * 23, "%.17g after %llu", r.value, (unsigned long long)r.evaluations);
    assert_true(fabs(back.value + r.value) < 1e-15);
    d.n_breakpoints = 0;
    r = integrate(context, &d, f, "0", "1");
    CHECK(fabs(r.value - 0.9) <= r.error && r.evaluations > 8 * 23, "%.17g without breakpoints", r.value);
}

// The fixed rules against their sums in long double.
static void test_fixed(void **state) {
    mst_context *context = *state;
    static const mst_integral_rule rules[] = {MST_INTEGRAL_RECTANGLE, MST_INTEGRAL_MIDPOINT, MST_INTEGRAL_TRAPEZOID,
                                              MST_INTEGRAL_SIMPSON};
    const uint64_t counts[] = {1, 7, 1000, 100003};
    for (int type = MST_FLOAT32; type <= MST_FLOAT64; type++)
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 4; c++) {
                mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
                if (!test_turn((size_t)(4 * (type - MST_FLOAT32) + k), 3)) // a kernel a rule and type: of the pairs a third a run
                    continue;
                d.rule = rules[k];
                d.points = counts[c];
                d.type = (mst_type)type;
                d.shape = c == 3 ? MST_INTEGRAL_SHAPE_GPU : MST_INTEGRAL_SHAPE_CPU;
                mst_integral_result r = integrate(context, &d, "sin(x^2)", "-4", "5");
                uint64_t n = rules[k] == MST_INTEGRAL_SIMPSON ? (counts[c] + 1) / 2 : counts[c];
                long double h = 9.0L / (long double)n, sum = 0;
                for (uint64_t i = 0; i < n; i++) {
                    long double x = -4 + h * (long double)i, left = sinl(x * x), right = sinl((x + h) * (x + h)),
                                middle = sinl((x + h / 2) * (x + h / 2));
                    sum += rules[k] == MST_INTEGRAL_RECTANGLE   ? left
                           : rules[k] == MST_INTEGRAL_MIDPOINT  ? middle
                           : rules[k] == MST_INTEGRAL_TRAPEZOID ? (left + right) / 2
                                                                : (left + 4 * middle + right) / 6;
                }
                double off = fabs(r.value - (double)(sum * h)),
                       gate = type == MST_FLOAT64 ? 2e-14 : 2e-5 / sqrt((double)n) + 1e-7;
                CHECK(off <= gate, "%s, %s, %llu points: %.17g, should be %.17Lg", mst_integral_rule_name(rules[k]),
                      mst_type_name(d.type), (unsigned long long)counts[c], r.value, sum * h);
            }
}

static void test_fixed_more(void **state) {
    mst_context *context = *state;
    const double fresnel = 1.05583456233; // of sin(x^2) over [-5, 5]
    mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
    d.rule = MST_INTEGRAL_GAUSS;
    d.points = 801; // not a multiple of 8
    mst_integral_result r = integrate(context, &d, "sin(x^2)", "-5", "5");
    CHECK(fabs(r.value - fresnel) < 1e-11 && fabs(r.value - fresnel) <= r.error && r.evaluations >= 801, "%.17g +- %g", r.value,
          r.error);
    d.relative_tolerance = 1e-13;
    d.points = 80;
    r = integrate(context, &d, "sin(x^2)", "-5", "5");
    assert_int_equal(r.status, MST_INTEGRAL_BUDGET);
    // As published: any number of work-items, also such that the last ones have nothing to do.
    for (int type = MST_FLOAT32; type <= MST_FLOAT64; type++) {
        mst_integral_desc published = MST_INTEGRAL_DESC_INIT, own = MST_INTEGRAL_DESC_INIT;
        published.rule = own.rule = MST_INTEGRAL_RECTANGLE;
        published.points = own.points = 5000;
        published.type = own.type = (mst_type)type;
        published.work_items = 2048;
        published.group_size = 128;
        mst_integral_result p = integrate(context, &published, "sin(x^2)", "-5", "5"),
                            o = integrate(context, &own, "sin(x^2)", "-5", "5");
        CHECK(fabs(p.value - o.value) < (type == MST_FLOAT64 ? 1e-13 : 1e-5) && isnan(p.error) &&
                  fabs(o.value - fresnel) <= o.error,
              "published %.9g +- %g, own %.9g +- %g", p.value, p.error, o.value, o.error);
    }
    // Singular at an end: the estimate holds where the rule converges slowly.
    mst_integral_desc slow = MST_INTEGRAL_DESC_INIT;
    slow.rule = MST_INTEGRAL_MIDPOINT;
    slow.points = 1 << 16;
    r = integrate(context, &slow, "1/sqrt(x)", "0", "1");
    CHECK(fabs(r.value - 2) <= 1.1 * r.error && r.error < 0.01, "%.9g +- %g", r.value, r.error);
}

static bool stop_at_second(uint64_t done, uint64_t total, void *user) {
    int *calls = user;
    assert_true(done == 0 && total == 1);
    return ++*calls < 2;
}

// Sums of several launches: their value, and cancelling between them.
static void test_launches(void **state) {
    const mst_integral_range range = {"x", "-5", "5"};
    mst_integral_desc d = test_integral_desc("sin(x^2)", &range, 0, NULL);
    d.rule = MST_INTEGRAL_RECTANGLE;
    d.shape = MST_INTEGRAL_SHAPE_CPU;
    d.type = MST_FLOAT32;
    for (int published = 0; published < 2; published++) {
        mst_error e;
        mst_integral *plan;
        mst_integral_result r;
        mst_execution how = MST_EXECUTION_INIT;
        int calls = 0;
        d.points = published ? ((uint64_t)1 << 25) + 3000 : ((uint64_t)1 << 24) + 5;
        d.work_items = published ? 2048 : 0;
        d.group_size = published ? 128 : 0;
        OK(mst_integral_create(*state, &d, &plan, &e));
        OK(mst_integral_execute(plan, NULL, 1, &r, NULL, &e));
        CHECK(fabs(r.value - 1.05583456233) < (published ? 1e-3 : 1e-6), "%.9g, %d", r.value, published);
        how.progress = stop_at_second;
        how.progress_user = &calls;
        REFUSED(MST_ERROR_CANCELLED, "cancelled after 0 of 1", mst_integral_execute(plan, NULL, 1, &r, &how, &e));
        assert_int_equal(calls, 2);
        mst_integral_destroy(plan);
    }
}

// Sine and cosine of kernels with plain numbers, one value an integral: of any size, and next to where they are 0.
static void test_sine(void **state) {
    enum { N = 20000 };
    static const char *const names[] = {"a", "c", "w"};
    static double parameters[N][3];
    static mst_integral_result r[N];
    const mst_integral_range range = {"x", "a", "a + w"};
    const long double pi = acosl(-1);
    for (int type = MST_FLOAT32; type <= MST_FLOAT64; type++) {
        mst_error e;
        mst_integral *plan;
        mst_integral_desc d = test_integral_desc("c*cos(x) + (1 - c)*sin(x)", &range, 3, names);
        double worst = 0;
        d.rule = MST_INTEGRAL_RECTANGLE;
        d.points = 1;
        d.type = (mst_type)type;
        d.shape = MST_INTEGRAL_SHAPE_GPU;
        for (int i = 0; i < N; i++) {
            long double near = pi / 2 * (long double)test_between(0, 63000);
            double a = i % 4 < 2 ? (double)near : pow(10, 0.5 + 6 * test_uniform());
            a = test_uniform() < 0 ? -a : a;
            // So many bits, and a width w that is a power of 2, that neither a + w nor the product with w is rounded.
            int exponent, bits = type == MST_FLOAT32 ? 24 : 50;
            double mantissa = frexp(a, &exponent);
            parameters[i][0] = ldexp(rint(ldexp(mantissa, bits)), exponent - bits);
            parameters[i][1] = i % 2;
            parameters[i][2] = copysign(ldexp(1, exponent), a);
        }
        OK(mst_integral_create(*state, &d, &plan, &e));
        OK(mst_integral_execute(plan, &parameters[0][0], N, r, NULL, &e));
        mst_integral_destroy(plan);
        for (int i = 0; i < N; i++) {
            long double a = parameters[i][0], wanted = i % 2 ? cosl(a) : sinl(a);
            int exponent;
            frexpl(wanted, &exponent);
            double off =
                (double)ldexpl(fabsl(r[i].value / parameters[i][2] - wanted), (type == MST_FLOAT32 ? 24 : 53) - exponent);
            worst = fabsl(a) < 1e5L ? fmax(worst, off) : worst;
            CHECK(off <= (fabsl(a) >= 1e5L      ? 4
                          : type == MST_FLOAT32 ? 2
                                                : 3),
                  "%s(%.17Lg) in %s: %.17g, %g ulp off", i % 2 ? "cos" : "sin", a, mst_type_name(d.type),
                  r[i].value / parameters[i][2], off);
        }
        print_message("%s: sine and cosine within %.2f ulp\n", mst_type_name(d.type), worst);
    }
}

static void test_refusals(void **state) {
    mst_context *context = *state;
    mst_error e;
    mst_integral *plan;
    const mst_integral_range range = {"x", "0", "inf"}, two[] = {{"x", "0", "1"}, {"y", "0", "1"}};
    const mst_integral_desc good = MST_INTEGRAL_DESC_INIT;
#define SIZES .struct_size = sizeof good, .range_size = sizeof range, .result_size = sizeof(mst_integral_result)
    const struct {
        const char *part;
        mst_integral_desc desc;
    } cases[] = {
        {"struct_size", {0}},
        {"NULL", {SIZES, .n_variables = 1, .ranges = &range}},
        {"the integrand, column 1", {SIZES, .integrand = "sn(x)", .n_variables = 1, .ranges = &range}},
        {"ranges must not be NULL", {SIZES, .integrand = "1", .n_variables = 1}},
        {"parameters must not be NULL", {SIZES, .integrand = "1", .n_variables = 1, .ranges = &range, .n_parameters = 1}},
        {"breakpoints must not be NULL", {SIZES, .integrand = "1", .n_variables = 1, .ranges = &range, .n_breakpoints = 1}},
        {"n_variables is 0", {SIZES, .integrand = "1"}},
        {"needs finite bounds", {SIZES, .integrand = "1", .n_variables = 1, .ranges = &range, .rule = MST_INTEGRAL_SIMPSON}},
        {"for one variable", {SIZES, .integrand = "1", .n_variables = 2, .ranges = two, .rule = MST_INTEGRAL_SIMPSON}},
        {"int8", {SIZES, .integrand = "1", .n_variables = 1, .ranges = &range, .type = MST_INT8}},
        {"tolerances", {SIZES, .integrand = "1", .n_variables = 1, .ranges = &range, .relative_tolerance = -1}},
        {"work_items", {SIZES, .integrand = "1", .n_variables = 1, .ranges = &range, .work_items = 8}},
        {"no error estimate",
         {SIZES, .integrand = "1", .n_variables = 1, .ranges = two, .rule = MST_INTEGRAL_RECTANGLE, .work_items = 8,
          .absolute_tolerance = 1}},
        {"points are", {SIZES, .integrand = "1", .n_variables = 1, .ranges = two, .points = 8}},
        {"takes points",
         {SIZES, .integrand = "1", .n_variables = 1, .ranges = two, .rule = MST_INTEGRAL_SIMPSON, .max_evaluations = 8}},
        {"no rule", {SIZES, .integrand = "1", .n_variables = 1, .ranges = &range, .rule = (mst_integral_rule)9}},
        {"no shape", {SIZES, .integrand = "1", .n_variables = 1, .ranges = &range, .shape = (mst_integral_shape)9}},
        {"'left' is not known", {SIZES, .integrand = "left", .n_variables = 1, .ranges = &range}},
    };
#undef SIZES
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        REFUSED(MST_ERROR_ARGUMENT, cases[i].part, mst_integral_create(context, &cases[i].desc, &plan, &e));
        assert_null(plan);
    }
    const mst_integral_range same = {"x", "inf", "inf"}, bad = {"x", "0", "y"};
    mst_integral_desc d = good;
    d.integrand = "x";
    d.ranges = &same;
    REFUSED(MST_ERROR_ARGUMENT, "both bounds", mst_integral_create(context, &d, &plan, &e));
    d.ranges = &bad;
    REFUSED(MST_ERROR_ARGUMENT, "the upper bound of x, column 1", mst_integral_create(context, &d, &plan, &e));
    d.ranges = two;
    d.rule = MST_INTEGRAL_RECTANGLE;
    d.work_items = 10;
    d.group_size = 4;
    REFUSED(MST_ERROR_ARGUMENT, "multiple of group_size", mst_integral_create(context, &d, &plan, &e));
    mst_integral_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_book),        cmocka_unit_test(test_ranges),      cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_breakpoints), cmocka_unit_test(test_fixed),       cmocka_unit_test(test_fixed_more),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_hard_places), cmocka_unit_test(test_launches),
        cmocka_unit_test(test_sine),        cmocka_unit_test(test_exponents),
    };
    return cmocka_run_group_tests_name("integral", tests, test_setup, test_teardown);
}
