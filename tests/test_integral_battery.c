// Integrals of textbooks (integral_battery.h), by every rule that takes them, in both precisions: none is claimed falsely, and
// the adaptive rule has a value of what it can have one of.
#include "support_integral.h"

#include <math.h>

typedef struct battery_entry {
    const char *kind;
    int n_components, n_variables;
    const char *components[4];
    mst_integral_range ranges[8];
    long double values[4];
} battery_entry;

#include "integral_battery.h"

enum { N_ENTRIES = sizeof battery / sizeof battery[0], ONE_IN = 6 };

// Whether the rule is to come to a value, to 1e-3 in float64: not of what oscillates for ever or has a logarithm for a tail,
// which are there under these kinds.
static bool is_had(const battery_entry *b, const mst_integral_desc *d) {
    return d->rule == MST_INTEGRAL_ADAPTIVE && d->type == MST_FLOAT64 && d->relative_tolerance > 1e-4 &&
           strcmp(b->kind, "hard") != 0;
}

static void try_entry(mst_context *context, const battery_entry *b, mst_integral_desc d) {
    mst_integral_result r[4];
    if (b->n_components > 1) {
        d.components = b->components;
        d.n_components = b->n_components;
        d.integrand = NULL;
    }
    d.n_variables = b->n_variables;
    d.max_evaluations = b->n_variables > 1 ? 4000000 : 400000;
    memset(r, 0xff, sizeof r);
    mst_error e;
    mst_integral *plan;
    OK(mst_integral_create(context, &d, &plan, &e));
    OK(mst_integral_execute(plan, NULL, 1, r, NULL, &e));
    mst_integral_destroy(plan);
    for (int c = 0; c < b->n_components; c++) {
        const bool claims = r[c].status == MST_INTEGRAL_CONVERGED, exists = !isnan((double)b->values[c]);
        const long double off = fabsl((long double)r[c].value - b->values[c]);
        CHECK(!claims ||
                  (exists && (off <= (long double)r[c].error || off <= (long double)d.relative_tolerance * fabsl(b->values[c]))),
              "%s, rule %d, %s, to %g: claimed to be %.17g +- %g, is %.17Lg", b->components[c], (int)d.rule,
              mst_type_name(d.type), d.relative_tolerance, r[c].value, r[c].error, b->values[c]);
        CHECK(claims || !exists || !is_had(b, &d), "%s, to %g: %.17g +- %g, is %.17Lg; %s after %llu", b->components[c],
              d.relative_tolerance, r[c].value, r[c].error, b->values[c], mst_integral_status_name(r[c].status),
              (unsigned long long)r[c].evaluations);
    }
}

static void test_battery(void **state) {
    static const mst_integral_rule rules[] = {MST_INTEGRAL_ADAPTIVE, MST_INTEGRAL_TANH_SINH, MST_INTEGRAL_OSCILLATORY};
    static const struct {
        mst_type type;
        double tolerance;
    } ways[] = {{MST_FLOAT64, 1e-3}, {MST_FLOAT64, 1e-6}, {MST_FLOAT64, 1e-10}, {MST_FLOAT32, 1e-3}, {MST_FLOAT32, 1e-5}};
    for (size_t i = 0; i < N_ENTRIES; i++) {
        const battery_entry *b = &battery[i];
        const bool is_infinite = strstr(b->ranges[0].from, "inf") || strstr(b->ranges[0].to, "inf");
        const bool is_extreme = strcmp(b->kind, "extreme") == 0; // beyond float32
        if (!test_turn(i, ONE_IN))
            continue;
        for (size_t k = 0; k < (b->n_variables > 1 || b->n_components > 1 ? 1 : is_infinite ? 3 : 2); k++)
            for (size_t w = 0; w < (is_extreme ? 3 : 5); w++) {
                mst_integral_desc d = test_integral_desc(b->components[0], b->ranges, 0, NULL);
                d.rule = rules[k];
                d.type = ways[w].type;
                d.relative_tolerance = ways[w].tolerance;
                try_entry(*state, b, d);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_battery)};
    return cmocka_run_group_tests_name("integral_battery", tests, test_setup, test_teardown);
}
