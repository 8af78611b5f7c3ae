// Random smooth integrands whose integral is known: derivatives of random functions, and products of them in several variables;
// many parameters each. What is reported as converged must be within its error or the tolerance asked for.
#include "support_choices.h"
#include "support_integral.h"

#include <float.h>
#include <math.h>

enum { MAX_TERMS = 14, MAX_VARIABLES = 3, TEXT = 3600, SETS = 60, SAMPLES = 64 };

// A function of one variable and the parameter p; terms stand before those that use them.
typedef enum kind { VARIABLE, CONSTANT, PARAMETER, SUM, PRODUCT, SINE, COSINE, BELL, TANH, ATAN, ROOT } kind;
typedef struct term {
    kind kind;
    int a, b;
    double constant;
} term;

typedef struct smooth {
    const char *name;
    int n;
    term terms[MAX_TERMS];
} smooth;

typedef struct integral_case {
    mst_integral_desc desc;
    int n_variables;
    smooth functions[MAX_VARIABLES];
    char integrand[TEXT + 1];
    mst_integral_range ranges[MAX_VARIABLES];
    double bounds[MAX_VARIABLES][2];
    char bound_texts[MAX_VARIABLES][2][30];
} integral_case;

static smooth choose_function(const char *name, int most) {
    smooth s = {.name = name, .n = (int)test_choose_between(2, (size_t)most)};
    for (int i = 0; i < s.n; i++) {
        term *t = &s.terms[i];
        t->kind = i == 0 ? VARIABLE : (kind)test_choose(ROOT + 1);
        t->a = i > 0 ? i - 1 - (test_choose_rarely(4) ? (int)test_choose((size_t)i) : 0) : 0;
        t->b = i > 0 ? (int)test_choose((size_t)i) : 0;
        t->constant = 0.5 * (double)test_choose_between(1, 6);
    }
    return s;
}

static long double value(const smooth *s, int i, long double x, long double p) {
    const term *t = &s->terms[i];
    if (t->kind == VARIABLE || t->kind == CONSTANT || t->kind == PARAMETER)
        return t->kind == VARIABLE ? x : t->kind == CONSTANT ? (long double)t->constant : p;
    long double a = value(s, t->a, x, p);
    switch (t->kind) {
    case SUM:
        return a + value(s, t->b, x, p);
    case PRODUCT:
        return a * value(s, t->b, x, p);
    case SINE:
        return sinl(a);
    case COSINE:
        return cosl(a);
    case BELL:
        return expl(-a * a);
    case TANH:
        return tanhl(a);
    case ATAN:
        return atanl(a);
    default:
        return sqrtl(1 + a * a);
    }
}

typedef struct writer {
    char *text;
    size_t used;
    bool full;
} writer;

static void add(writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = w->full ? 0 : vsnprintf(w->text + w->used, TEXT - w->used, format, arguments);
    va_end(arguments);
    w->full = w->full || w->used + (size_t)n + 1 >= TEXT;
    w->used += w->full ? 0 : (size_t)n;
}

static void write_value(const smooth *s, int i, writer *w) {
    static const char *const forms[][2] = {[SINE] = {"sin(", ")"},  [COSINE] = {"cos(", ")"}, [BELL] = {"exp(-(", ")^2)"},
                                           [TANH] = {"tanh(", ")"}, [ATAN] = {"atan(", ")"},  [ROOT] = {"sqrt(1 + (", ")^2)"}};
    const term *t = &s->terms[i];
    if (t->kind == VARIABLE || t->kind == PARAMETER) {
        add(w, "%s", t->kind == VARIABLE ? s->name : "p");
    } else if (t->kind == CONSTANT) {
        add(w, "%g", t->constant);
    } else if (t->kind == SUM || t->kind == PRODUCT) {
        add(w, "(");
        write_value(s, t->a, w);
        add(w, t->kind == SUM ? " + " : ")*(");
        write_value(s, t->b, w);
        add(w, ")");
    } else {
        add(w, "%s", forms[t->kind][0]);
        write_value(s, t->a, w);
        add(w, "%s", forms[t->kind][1]);
    }
}

// The derivative.
static void write_slope(const smooth *s, int i, writer *w) {
    const term *t = &s->terms[i];
    if (t->kind == VARIABLE || t->kind == CONSTANT || t->kind == PARAMETER) {
        add(w, t->kind == VARIABLE ? "1" : "0");
        return;
    }
    if (t->kind == SUM || t->kind == PRODUCT) {
        add(w, "(");
        write_slope(s, t->a, w);
        if (t->kind == PRODUCT) {
            add(w, "*");
            write_value(s, t->b, w);
        }
        add(w, " + ");
        if (t->kind == PRODUCT) {
            write_value(s, t->a, w);
            add(w, "*");
        }
        write_slope(s, t->b, w);
        add(w, ")");
        return;
    }
    static const char *const before[] = {[SINE] = "cos(", [COSINE] = "-sin(", [TANH] = "(1 - tanh(", [ATAN] = "1/(1 + ("};
    static const char *const behind[] = {[SINE] = ")*", [COSINE] = ")*", [TANH] = ")^2)*", [ATAN] = ")^2)*"};
    add(w, "(");
    if (t->kind == BELL || t->kind == ROOT) {
        add(w, t->kind == BELL ? "-2*(" : "(");
        write_value(s, t->a, w);
        add(w, t->kind == BELL ? ")*" : ")/");
        write_value(s, i, w);
        add(w, "*");
    } else {
        add(w, "%s", before[t->kind]);
        write_value(s, t->a, w);
        add(w, "%s", behind[t->kind]);
    }
    write_slope(s, t->a, w);
    add(w, ")");
}

static bool write_integrand(integral_case *c) {
    writer w = {.text = c->integrand};
    for (int v = 0; v < c->n_variables; v++) {
        add(&w, v ? "*(" : "(");
        write_slope(&c->functions[v], c->functions[v].n - 1, &w);
        add(&w, ")");
    }
    return !w.full;
}

static void choose_case(integral_case *c, mst_context *context) {
    static const char *const names[] = {"x", "y", "z"}, *const parameter = "p";
    static const char *const *const parameters = &parameter;
    c->n_variables = test_choose_rarely(3) ? (int)test_choose_between(2, MAX_VARIABLES) : 1;
    for (int v = 0; v < c->n_variables; v++) {
        c->functions[v] = choose_function(names[v], c->n_variables == 1 ? MAX_TERMS : 5);
        for (int side = 0; side < 2; side++) {
            c->bounds[v][side] = (double)test_choose(17) / 4 - 2;
            snprintf(c->bound_texts[v][side], sizeof c->bound_texts[v][side], "%g", c->bounds[v][side]);
        }
        c->ranges[v] = (mst_integral_range){names[v], c->bound_texts[v][0], c->bound_texts[v][1]};
    }
    c->desc.n_variables = c->n_variables;
    c->desc.ranges = c->ranges;
    c->desc.n_parameters = 1;
    c->desc.parameters = parameters;
    c->desc.type = test_choose(2) || !mst_context_device(context)->fp64 ? MST_FLOAT32 : MST_FLOAT64;
    c->desc.rule = c->n_variables == 1 && test_choose_rarely(3) ? MST_INTEGRAL_TANH_SINH : MST_INTEGRAL_ADAPTIVE;
    c->desc.shape = (mst_integral_shape)test_choose(3);
    bool is_double = c->desc.type == MST_FLOAT64;
    c->desc.relative_tolerance = pow(10, -(double)test_choose_between(2, !is_double ? 4 : c->n_variables == 1 ? 10 : 6));
    c->desc.absolute_tolerance = c->desc.relative_tolerance * (is_double ? 1e-2 : 1);
    c->desc.max_evaluations = 1 << 20;
}

// The integral, and about that of the absolute value.
static long double exact(const integral_case *c, double p, long double *size) {
    long double product = 1;
    *size = 1;
    for (int v = 0; v < c->n_variables; v++) {
        const smooth *s = &c->functions[v];
        long double from = c->bounds[v][0], to = c->bounds[v][1], varies = 0, before = value(s, s->n - 1, from, p);
        for (int k = 1; k <= SAMPLES; k++) {
            long double here = value(s, s->n - 1, from + (to - from) * k / SAMPLES, p);
            varies += fabsl(here - before);
            before = here;
        }
        product *= before - value(s, s->n - 1, from, p);
        *size *= varies;
    }
    return product;
}

static void check(const integral_case *c, double p, const mst_integral_result *r) {
    long double size, wanted = exact(c, p, &size), error = fabsl((long double)r->value - wanted);
    double epsilon = c->desc.type == MST_FLOAT64 ? DBL_EPSILON : (double)FLT_EPSILON;
    long double asked = fmaxl((long double)c->desc.absolute_tolerance, (long double)c->desc.relative_tolerance * fabsl(wanted));
    long double rounding = 100 * (long double)epsilon * size;
    long double allowed = (r->status == MST_INTEGRAL_CONVERGED ? fmaxl(r->error, asked) : 10 * (long double)r->error) + rounding;
    CHECK(r->status != MST_INTEGRAL_NON_FINITE && error <= allowed, "p = %.17g: %.17g +- %.3g, %s, is off by %.3Lg of %.17Lg", p,
          r->value, r->error, mst_integral_status_name(r->status), error, wanted);
}

// Byte code and compiled kernels give the same bits.
static void compare_forms(integral_case *c, mst_context *context, const double *parameters, size_t sets,
                          const mst_integral_result *results) {
    mst_integral_result other[SETS];
    for (int k = 0; k < 2; k++) {
        c->desc.compile_from = k == 0 ? 1 : UINT64_MAX;
        test_integral_run(context, &c->desc, parameters, sets, other);
        for (size_t i = 0; i < sets; i++)
            CHECK(other[i].value == results[i].value && other[i].error == results[i].error &&
                      other[i].evaluations == results[i].evaluations,
                  "p = %.17g: %.17g +- %.3g, but %.17g +- %.3g with compile_from %d", parameters[i], results[i].value,
                  results[i].error, other[i].value, other[i].error, k == 0);
    }
}

static void make_and_try(mst_context *context) {
    const mst_integral_desc desc = MST_INTEGRAL_DESC_INIT;
    integral_case *c = calloc(1, sizeof *c);
    double parameters[SETS];
    mst_integral_result results[SETS];
    CHECK(c, "no memory");
    c->desc = desc;
    choose_case(c, context);
    bool fits = write_integrand(c);
    size_t sets = !fits ? 0 : c->n_variables == 1 ? SETS : 5;
    test_case_made(sets, "%s from %s to %s, %s, %s, shape %d, to %g, %d variables", fits ? c->integrand : "(too long)",
                   c->bound_texts[0][0], c->bound_texts[0][1], mst_type_name(c->desc.type), mst_integral_rule_name(c->desc.rule),
                   (int)c->desc.shape, c->desc.relative_tolerance, c->n_variables);
    for (size_t i = 0; i < sets; i++)
        parameters[i] = 2 * test_uniform();
    c->desc.integrand = c->integrand;
    if (fits) {
        test_integral_run(context, &c->desc, parameters, sets, results);
        if (test_choose_rarely(3))
            compare_forms(c, context, parameters, sets, results);
        for (size_t i = 0; i < sets; i++)
            check(c, parameters[i], &results[i]);
    }
    free(c);
}

int main(int argc, char **argv) { return test_choices_main(argc, argv, "integrands", make_and_try); }
