// As where there are so many integrals that a GPU gets two workers (src/integrate/share.c), here by kernels of its shape: the
// bits of calls of few, on one device and on two; where memory is enough for one worker only, or for a part of its part, the
// other leaves; and bounds that depend on parameters.
// Long: a hundred thousand integrals a call, again and again.
#include "support_integral.h"

#include "integrate/plan.h"

#include <math.h>

enum { N = 66000, FEW = 30000 };

static const char *const parameters[] = {"a"};
static double a[N];
static mst_integral_result expected[N], results[N];

static mst_integral_desc describe_of(const char *integrand, const mst_integral_range *range) {
    mst_integral_desc d = test_integral_desc(integrand, range, 1, parameters);
    d.shape = MST_INTEGRAL_SHAPE_GPU;
    d.compile_from = 1;
    return d;
}

static mst_integral_desc describe(const mst_integral_range *range) { return describe_of("exp(-a*x)", range); }

// A plan, which gets two workers a device.
static mst_integral *create(mst_context *context, const mst_integral_desc *d) {
    mst_error e;
    mst_integral *plan;
    OK(mst_integral_create(context, d, &plan, &e));
    plan->twice_from = FEW;
    for (size_t k = 0; k < plan->n_twins; k++)
        ((mst_integral *)plan->twins[k])->twice_from = FEW;
    return plan;
}

static void execute_all(mst_context *context, const mst_integral_desc *d) {
    mst_error e;
    mst_integral *plan = create(context, d);
    OK(mst_integral_execute(plan, a, N, results, NULL, &e));
    CHECK(plan->second, "there was one worker%s", "");
    mst_integral_destroy(plan);
}

static void execute_few(mst_context *context, const mst_integral_desc *d) {
    mst_error e;
    mst_integral *plan;
    OK(mst_integral_create(context, d, &plan, &e));
    for (size_t first = 0; first < N; first += FEW)
        OK(mst_integral_execute(plan, a + first, first + FEW < N ? FEW : N - first, expected + first, NULL, &e));
    mst_integral_destroy(plan);
}

static void check_same(const char *what) {
    for (size_t i = 0; i < N; i++) {
        CHECK(memcmp(&results[i].value, &expected[i].value, sizeof(double)) == 0 &&
                  memcmp(&results[i].error, &expected[i].error, sizeof(double)) == 0 &&
                  results[i].evaluations == expected[i].evaluations && results[i].status == expected[i].status,
              "%s: integral %zu is %.17g, not %.17g", what, i, results[i].value, expected[i].value);
        memset(&results[i], 0xff, sizeof results[i]);
    }
}

static void take_parameters(void) {
    for (size_t i = 0; i < N; i++)
        a[i] = 0.1 + 20 * (double)((i * 7919) % N) / N;
}

static void same_bits(void **state) {
    const mst_integral_range ranges[] = {{"x", "0", "1"}, {"x", "0", "1 + a/a"}};
    mst_context_desc two = MST_CONTEXT_DESC_INIT;
    two.device = test_in_parts(*state, 2);
    mst_context *group = two.device ? test_context(&two) : NULL;
    take_parameters();
    for (int k = 0; k < 2; k++) {
        const mst_integral_desc d = describe(&ranges[k]);
        execute_few(*state, &d);
        const double last = a[N - 1], to = k ? 2 : 1;
        CHECK(fabs(expected[N - 1].value - -expm1(-last * to) / last) < 1e-12, "%.17g", expected[N - 1].value);
        execute_all(*state, &d);
        check_same(k ? "other bounds" : "the same bounds");
        if (!group)
            continue;
        execute_all(group, &d);
        check_same(k ? "other bounds, two devices" : "the same bounds, two devices");
    }
    mst_context_destroy(group);
}

// The least that a worker is said to have done.
static void count_integrals(mst_log_level level, const char *line, void *user) {
    size_t *least = user, done;
    const char *at = strstr(line, "worker ");
    (void)level;
    if (at && (at = strstr(at, ": ")) && sscanf(at, ": %zu of", &done) == 1 && done < *least)
        *least = done;
}

static void little_memory(void **state) {
    const mst_integral_range range = {"x", "0", "1"};
    const mst_integral_desc d = describe(&range);
    mst_error e;
    take_parameters();
    execute_few(*state, &d);
    bool left = false;
    for (uint64_t bytes = (uint64_t)4 << 20; bytes >= 1 << 20; bytes /= 4) {
        size_t least = N;
        mst_context_desc c = MST_CONTEXT_DESC_INIT;
        c.device_memory = bytes;
        c.log = count_integrals;
        c.log_user = &least;
        mst_context *small = test_context(&c);
        mst_integral *plan = create(small, &d);
        for (int call = 0; call < 2; call++) {
            OK(mst_integral_execute(plan, a, N, results, NULL, &e));
            check_same("little memory");
            left = left || least == 0;
        }
        OK(mst_integral_execute(plan, a, 1, results, NULL, &e));
        mst_integral_destroy(plan);
        mst_context_destroy(small);
    }
    CHECK(left, "no worker left%s", "");
}

// How far integrals that seem to be 0 are halved depends on the memory, but not on what two workers take of it and of the call:
// that differs from run to run.
static void mostly_zero(void **state) {
    const mst_integral_range range = {"x", "0", "1"};
    const mst_integral_desc d = describe_of("exp(-((x - a/21)/0.0000011)^2)", &range);
    mst_context_desc c = MST_CONTEXT_DESC_INIT;
    mst_error e;
    size_t found = 0, halved = 0;
    (void)state;
    c.device_memory = (uint64_t)512 << 20; // for 8 regions of each
    mst_context *small = test_context(&c);
    take_parameters();
    mst_integral *plan = create(small, &d);
    OK(mst_integral_execute(plan, a, N, expected, NULL, &e));
    for (size_t i = 0; i < N; i++) {
        found += expected[i].value != 0;
        halved += expected[i].evaluations == (2 + 4 + 8) * 23;
    }
    CHECK(found > 0 && halved > N / 10 * 9, "%zu of %d are not 0, %zu were looked at by 8 regions", found, N, halved);
    OK(mst_integral_execute(plan, a, N, results, NULL, &e));
    check_same("mostly 0");
    mst_integral_destroy(plan);
    mst_context_destroy(small);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(little_memory),
                                       cmocka_unit_test(mostly_zero)};
    return cmocka_run_group_tests_name("integral_many", tests, test_setup, test_teardown);
}
