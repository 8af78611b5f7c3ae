// Integrals of one variable with jumps, kinks and roots at random places, and of large oscillating values that cancel: true
// errors lie within those reported, and what rounding puts out of reach has a status that says so. Singularities, narrow peaks.
// The same by tanh-sinh.
// Long: random integrands by the thousand, by two rules.
#include "support_integral.h"

#include <math.h>

enum { KINDS = 14, EACH = 200, N = KINDS * EACH, FIRST_CANCELLING = 12 };

static const char rough[] = "k == 0 ? floor(a*x)"
                            ": k == 1 ? (x < c ? 1 : 2)"
                            ": k == 2 ? abs(x - c)"
                            ": k == 3 ? (x < c ? exp(a*x) : cos(a*x))"
                            ": k == 4 ? sqrt(abs(x - c))"
                            ": k == 5 ? (x < c ? 0 : (x - c)^2)"
                            ": k == 6 ? (sin(a*x) > 0 ? 1 : -1)"
                            ": k == 7 ? abs(sin(a*x))"
                            ": k == 8 ? a*x - floor(a*x)"
                            ": k == 9 ? sin(3*x) + (x < c ? 0 : w)" // jumps and kinks that hardly show
                            ": k == 10 ? exp(x) + w*abs(x - c)"
                            ": k == 11 ? cos(10*a*x)*exp(-a*x)"
                            ": k == 12 ? 1000000*sin(a*(x - 1/2))"
                            ": k == 13 ? 1000000*(abs(x - 1/2) - 1/4)"
                            ": 1/((x - c)^2 + w^2)";

static double exact(int k, double a, double c, double w) {
    const double pi = acos(-1);
    double n, rest;
    switch (k) {
    case 0:
        n = floor(a);
        return n - n * (n + 1) / (2 * a);
    case 1:
        return 2 - c;
    case 2:
        return (c * c + (1 - c) * (1 - c)) / 2;
    case 3:
        return expm1(a * c) / a + (sin(a) - sin(a * c)) / a;
    case 4:
        return 2 * (pow(c, 1.5) + pow(1 - c, 1.5)) / 3;
    case 5:
        return pow(1 - c, 3) / 3;
    case 6: // n whole half-periods, and a rest
        n = floor(a / pi), rest = a - n * pi;
        return fmod(n, 2) > 0 ? (pi - rest) / a : rest / a;
    case 7:
        n = floor(a / pi);
        return (2 * n + 1 - cos(a - n * pi)) / a;
    case 8:
        n = floor(a);
        return (n + (a - n) * (a - n)) / (2 * a);
    case 9:
        return (1 - cos(3)) / 3 + w * (1 - c);
    case 10:
        return expm1(1) + w * (c * c + (1 - c) * (1 - c)) / 2;
    case 11:
        return (a + exp(-a) * (10 * a * sin(10 * a) - a * cos(10 * a))) / (101 * a * a);
    case 14:
        return (atan((1 - c) / w) + atan(c / w)) / w;
    default:
        return 0;
    }
}

static void draw(double *p, int k) {
    static const double lows[KINDS] = {1, 0, 0, 0.2, 0, 0, 1, 1, 1, 0, 0, 0.1, 1, 0},
                        highs[KINDS] = {30, 1, 1, 4.2, 1, 1, 60, 60, 30, 1, 1, 10, 300, 1};
    const double values[] = {k, lows[k] + (highs[k] - lows[k]) * fabs(test_uniform()), fabs(test_uniform()),
                             pow(10, -12 * fabs(test_uniform()))};
    for (int i = 0; i < 4; i++)
        p[i] = (double)(float)values[i]; // the same in float32
}

static void check(mst_context *context, mst_type type, double tolerance) {
    static const char *const names[] = {"k", "a", "c", "w"};
    static double parameters[N][4];
    static mst_integral_result r[N];
    const mst_integral_range range = {"x", "0", "1"};
    mst_integral_desc d = test_integral_desc(rough, &range, 4, names);
    int within = 0, converged = 0, noughts = 0;
    d.type = type;
    d.relative_tolerance = tolerance;
    for (int i = 0; i < N; i++)
        draw(parameters[i], i % KINDS);
    test_integral_run(context, &d, &parameters[0][0], N, r);
    for (int i = 0; i < N; i++) {
        const double *p = parameters[i], wanted = exact(i % KINDS, p[1], p[2], p[3]), error = fabs(r[i].value - wanted);
        within += error <= r[i].error + 1e-15 * fabs(wanted);
        converged += i % KINDS < FIRST_CANCELLING && r[i].status == MST_INTEGRAL_CONVERGED;
        noughts += i % KINDS == FIRST_CANCELLING && r[i].status == MST_INTEGRAL_CONVERGED && fabs(r[i].value) <= r[i].error;
        CHECK(i % KINDS < FIRST_CANCELLING || error <= r[i].error, "kind %d, a = %.17g: %.17g +- %.3g", i % KINDS, p[1],
              r[i].value, r[i].error);
    }
    print_message("%s, tolerance %g: %.2f %% of the true errors within those reported\n", mst_type_name(type), tolerance,
                  100.0 * within / N);
    CHECK(within >= 0.99 * N, "only %d of %d true errors are within those reported", within, N);
    CHECK(converged >= (type == MST_FLOAT64 ? 0.99 : 0.8) * FIRST_CANCELLING * EACH, "only %d converged", converged);
    CHECK(noughts >= (type == MST_FLOAT64 ? 0.99 : 0.95) * EACH, "only %d of %d that cancel are 0 within rounding", noughts,
          EACH);
}

// tanh-sinh, for which all of this lies where it should not: it need not converge, but has to say so.
static void test_tanh_sinh(void **state) {
    enum { HERE = 11, M = 100 * HERE };
    static const char *const names[] = {"k", "a", "c", "w"};
    static double parameters[M][4];
    static mst_integral_result r[M];
    const mst_integral_range range = {"x", "0", "1"};
    for (int i = 0; i < M; i++) {
        draw(parameters[i], i % HERE < 10 ? 1 + i % HERE : 6); // all but what hardly shows, then peaks
        parameters[i][0] = i % HERE < 10 ? 1 + i % HERE : 14;
        parameters[i][3] = (double)(float)pow(10, (i % HERE < 10 ? -3 : -6) * fabs(test_uniform()));
    }
    for (int kind = 0; kind < 2; kind++) { // CPU shape at a loose tolerance, GPU shape at a tight one
        mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
        int within = 0;
        d.integrand = rough;
        d.ranges = &range;
        d.n_parameters = 4;
        d.parameters = names;
        d.rule = MST_INTEGRAL_TANH_SINH;
        d.shape = kind ? MST_INTEGRAL_SHAPE_GPU : MST_INTEGRAL_SHAPE_CPU;
        d.relative_tolerance = kind ? 1e-9 : 1e-4;
        test_integral_run(*state, &d, &parameters[0][0], M, r);
        for (int i = 0; i < M; i++) {
            const double *p = parameters[i], error = fabs(r[i].value - exact((int)p[0], p[1], p[2], p[3]));
            within += error <= r[i].error + 1e-15 * fabs(r[i].value);
        }
        print_message("tanh-sinh, tolerance %g: %.2f %% of the true errors within those reported\n", d.relative_tolerance,
                      100.0 * within / M);
        CHECK(within >= 0.99 * M, "only %d of %d true errors are within those reported", within, M);
    }
}

static void test_rough(void **state) {
    check(*state, MST_FLOAT64, 1e-3);
    check(*state, MST_FLOAT64, 1e-6);
    check(*state, MST_FLOAT64, 1e-10);
    check(*state, MST_FLOAT32, 1e-4);
}

// ---- what nodes cannot come close to, and what the first ones do not see

enum { PLACES = 5, N_PLACES = PLACES * 100 };

static const char places[] = "k == 0 ? abs(x - c)^s : k == 1 ? x^s : k == 2 ? (1 - x)^s"
                             ": k == 3 ? (abs(x - c) < w ? 1 : 0) : exp(-((x - c)/w)^2)";

static double place_exact(const double *p) {
    const double s = p[1], c = p[2], w = p[3];
    switch ((int)p[0]) {
    case 0:
        return (pow(c, s + 1) + pow(1 - c, s + 1)) / (s + 1);
    case 1:
    case 2:
        return 1 / (s + 1);
    case 3:
        return fmin(c + w, 1) - fmax(c - w, 0);
    default:
        return sqrt(acos(-1)) / 2 * w * (erf((1 - c) / w) + erf(c / w));
    }
}

static void draw_places(double (*parameters)[4], mst_type type) {
    for (int i = 0; i < N_PLACES; i++) {
        const double least = i % PLACES == 0 ? 0.95 : 0.9;
        const double values[] = {i % PLACES, -least * fabs(test_uniform()), fabs(test_uniform()),
                                 pow(10, -2.9 + 2 * fabs(test_uniform()))};
        for (int k = 0; k < 4; k++)
            parameters[i][k] = type == MST_FLOAT32 ? (double)(float)values[k] : values[k];
    }
}

static void test_places(void **state) {
    static const struct {
        mst_type type;
        double tolerance;
    } cases[] = {{MST_FLOAT32, 1e-4}, {MST_FLOAT64, 1e-4}, {MST_FLOAT64, 0.1}};
    static const char *const names[] = {"k", "s", "c", "w"};
    static double parameters[N_PLACES][4];
    static mst_integral_result r[N_PLACES];
    const mst_integral_range range = {"x", "0", "1"};
    const int n_cases = sizeof cases / sizeof cases[0];
    int within = 0;
    for (int n = 0; n < n_cases; n++) {
        mst_integral_desc d = test_integral_desc(places, &range, 4, names);
        d.type = cases[n].type;
        d.relative_tolerance = cases[n].tolerance;
        draw_places(parameters, d.type);
        test_integral_run(*state, &d, &parameters[0][0], N_PLACES, r);
        for (int i = 0; i < N_PLACES; i++) {
            const double *p = parameters[i], wanted = place_exact(p), error = fabs(r[i].value - wanted);
            within += error <= r[i].error;
            // In float32 the outermost nodes are 2^-11 of a region from its ends, and a box may reach less into it.
            CHECK(p[0] < 3 || d.type == MST_FLOAT32 || error <= 2 * d.relative_tolerance * wanted,
                  "kind %g, c = %.9g, w = %.9g: %.9g +- %g, should be %.9g", p[0], p[2], p[3], r[i].value, r[i].error, wanted);
        }
    }
    print_message("singular and narrow places: %.2f %% within\n", 100.0 * within / N_PLACES / n_cases);
    CHECK(within >= 0.99 * N_PLACES * n_cases, "only %d of %d true errors are within those reported", within, N_PLACES * n_cases);
}

// Singularities, jumps and kinks at places that nobody named, in what they are found with, and beside a smooth integrand:
// anywhere, where halving makes an end of a region, and there at 0, next to which numbers are densest.
static void test_found(void **state) {
    enum { FOUND = 6, EACH_FOUND = 50 };
    static const char *const names[] = {"k", "c", "s", "b", "down"};
    const mst_integral_range range = {"x", "b + down", "b + 1 - down"};
    static double sets[FOUND * EACH_FOUND][5];
    static mst_integral_result r[FOUND * EACH_FOUND];
    mst_integral_desc d =
        test_integral_desc("k == 0 ? abs(x - c)^(-0.6) : k == 1 ? log(abs(x - c)) : k == 2 ? (x < c ? 1 : exp(x))"
                           " : k == 3 ? 2 + sqrt(abs(x - c)) : k == 4 ? abs(x - c)^s : abs(x - c)",
                           &range, 5, names);
    int within = 0;
    d.relative_tolerance = 1e-6;
    for (int i = 0; i < FOUND * EACH_FOUND; i++) {
        sets[i][0] = i % FOUND;
        const double part = fabs(test_uniform());
        sets[i][1] = i / FOUND % 3 == 0 ? 0.05 + 0.9 * part : i / FOUND % 3 == 1 ? (1 + floor(15 * part)) / 16 : 0;
        sets[i][2] = -0.8 + 0.5 * fabs(test_uniform());
        sets[i][4] = i / FOUND % 2;
        sets[i][3] = i / FOUND % 3 == 2 ? -(1 + floor(15 * part)) / 16 : 0;
    }
    test_integral_run(*state, &d, sets[0], FOUND * EACH_FOUND, r);
    for (int i = 0; i < FOUND * EACH_FOUND; i++) {
        const int k = i % FOUND;
        const double b = sets[i][3], c = sets[i][1] - b, l = 1 - c,
                     s = 1 + (k == 0   ? -0.6
                              : k == 3 ? 0.5
                              : k == 5 ? 1
                                       : sets[i][2]);
        const double up = k == 1   ? c * log(c) + l * log(l) - 1
                          : k == 2 ? c + exp(b + 1) - exp(b + c)
                                   : (k == 3 ? 2 : 0) + (pow(c, s) + pow(l, s)) / s,
                     wanted = sets[i][4] == 1 ? -up : up;
        within += fabs(r[i].value - wanted) <= r[i].error;
        CHECK(r[i].status == MST_INTEGRAL_CONVERGED && r[i].evaluations < 1500 &&
                  fabs(r[i].value - wanted) <= 1e-6 * fabs(wanted),
              "kind %d, c %.17g, s %.17g: %.12g +- %.2g after %llu, should be %.12g", k, b + c, s - 1, r[i].value, r[i].error,
              (unsigned long long)r[i].evaluations, wanted);
    }
    CHECK(within >= 0.99 * FOUND * EACH_FOUND, "only %d of %d true errors are within those reported", within, FOUND * EACH_FOUND);
}

// Powers at both ends beside a factor that is not constant: the beta function, and (1 - x^2)^s, whose ends are not 0.
static void test_powers_at_ends(void **state) {
    enum { POWERS = 300 };
    static const char *const names[] = {"k", "s", "t"};
    const mst_integral_range range = {"x", "k == 0 ? 0 : -1", "1"};
    static double sets[POWERS][3];
    static mst_integral_result r[POWERS];
    mst_integral_desc d = test_integral_desc("k == 0 ? x^s*(1 - x)^t : (1 - x^2)^s", &range, 3, names);
    int within = 0;
    for (int i = 0; i < POWERS; i++) {
        sets[i][0] = i % 2;
        sets[i][1] = -0.8 + 1.6 * fabs(test_uniform());
        sets[i][2] = -0.8 + 1.6 * fabs(test_uniform());
    }
    sets[1][1] = -0.5; // pi
    test_integral_run(*state, &d, sets[0], POWERS, r);
    for (int i = 0; i < POWERS; i++) {
        const double s = sets[i][1], t = sets[i][2];
        const double wanted =
            i % 2 ? sqrt(acos(-1)) * tgamma(s + 1) / tgamma(s + 1.5) : tgamma(s + 1) * tgamma(t + 1) / tgamma(s + t + 2);
        within += fabs(r[i].value - wanted) <= r[i].error + 1e-15 * wanted;
        CHECK(r[i].status == MST_INTEGRAL_CONVERGED && r[i].evaluations <= 5000 && fabs(r[i].value - wanted) <= 1e-10 * wanted,
              "kind %d, s %.17g, t %.17g: %.17g +- %.2g after %llu, should be %.17g", i % 2, s, t, r[i].value, r[i].error,
              (unsigned long long)r[i].evaluations, wanted);
    }
    CHECK(within == POWERS, "only %d of %d true errors are within those reported", within, POWERS);
}

// Powers times logarithms, x^s (a + b log(x) + c x log(x)). Where they are a multiple of x^s (k - log(x)), a few regions do in
// float64; in float32 each claim is true, near s = -0.88 too, where it was not. In float64 it is whatever the factors are: a
// logarithm small beside a can hardly be told from another s. The last set once had 1.8 times the error that is allowed, and
// claimed 8e-13.
static void test_logarithms(void **state) {
    enum { LOGARITHMS = 900 };
    static const char *const names[] = {"s", "a", "b", "c"};
    const mst_integral_range range = {"x", "0", "1"};
    static double sets[LOGARITHMS][4];
    static mst_integral_result r[LOGARITHMS];
    mst_integral_desc d = test_integral_desc("x^s*(a + b*log(x) + c*x*log(x))", &range, 4, names);
    for (int single = 0; single < 2; single++) {
        const int n = single ? LOGARITHMS / 3 : LOGARITHMS;
        d.type = single ? MST_FLOAT32 : MST_FLOAT64;
        d.relative_tolerance = single ? 1e-4 : 1e-10;
        for (int i = 0; i < n; i++) {
            const double any = fabs(test_uniform()), sign = test_uniform() < 0 ? -1 : 1;
            const bool is_simple = i < LOGARITHMS / 3;
            sets[i][0] = (double)(float)(single ? -0.9 + 0.06 * any : is_simple ? -0.75 + 2.75 * any : -0.95 + 3.45 * any);
            sets[i][1] = is_simple ? i % 2 ? 0 : sign * (double)(float)(3 * fabs(test_uniform())) : 3 * test_uniform();
            sets[i][2] = is_simple ? -sign : test_uniform() * (i % 2 ? 3 : 0.1);
            sets[i][3] = is_simple || i % 4 == 0 ? 0 : 2 * test_uniform();
        }
        if (!single)
            memcpy(sets[n - 1],
                   (const double[]){0.8851529128916037, -2.6117111224140174, 0.05513923520829023, -1.3108012960961468},
                   sizeof sets[0]);
        test_integral_run(*state, &d, sets[0], (size_t)n, r);
        for (int i = 0; i < n; i++) {
            const double q = 1 + sets[i][0], *f = &sets[i][1];
            const double wanted = f[0] / q - f[1] / (q * q) - f[2] / ((q + 1) * (q + 1)), off = fabs(r[i].value - wanted);
            const double rounding = 1e-15 * (fabs(f[0] / q) + fabs(f[1] / (q * q)) + fabs(f[2]));
            const bool claims = r[i].status == MST_INTEGRAL_CONVERGED, is_quick = !single && i < LOGARITHMS / 3;
            CHECK((!claims || off <= fmax(r[i].error, d.relative_tolerance * fabs(wanted)) + rounding) &&
                      (!is_quick || (claims && r[i].evaluations <= 230)),
                  "%s, s %.17g, a %.17g, b %.17g, c %.17g: %.17g +- %.2g after %llu, should be %.17g", mst_type_name(d.type),
                  sets[i][0], f[0], f[1], f[2], r[i].value, r[i].error, (unsigned long long)r[i].evaluations, wanted);
        }
    }
}

// Many steps in a region, which no rule resolves: null rules that fall by chance must not let it pass for smooth. Each of these
// sets was claimed with up to 100 times the error that is allowed, in float64 or in float32.
static void test_steps(void **state) {
    static const char *const names[] = {"u", "v", "c", "a"};
    static const double sets[][4] = {{-2.28015161, -2.16475773, -2.2576282, 694.870972},
                                     {2.12870693, 6.0741601, 5.92865372, 20.4127331},
                                     {0, 1.94777691, 1.80217838, 82.4630737},
                                     {0, 0.368923455, 0.0674534068, 436.429993},
                                     {0, 0.437577188, 0.162256271, 564.864746},
                                     {0, 1.35263586, 0.834545314, 182.994232},
                                     {0, 0.10214708, 0.0134795718, 790.137878},
                                     {0, 4.77490759, 0.925712466, 33.6500359},
                                     {0.470376253, 6.44131613, 2.05102944, 27.021347},
                                     {1.61540949, 2.85007, 1.92363095, 190.924911}};
    enum { STEPS = sizeof sets / sizeof sets[0] };
    const mst_integral_range range = {"x", "u", "v"};
    mst_integral_result r[STEPS];
    mst_integral_desc d = test_integral_desc("floor(a*(x - c)) + 0.5", &range, 4, names);
    d.relative_tolerance = 1e-4;
    for (int single = 0; single < 2; single++) {
        d.type = single ? MST_FLOAT32 : MST_FLOAT64;
        test_integral_run(*state, &d, sets[0], STEPS, r);
        for (int i = 0; i < STEPS; i++) {
            double wanted = 0;
            for (int k = 0; k < 2; k++) {
                const double y = sets[i][3] * (sets[i][k] - sets[i][2]), n = floor(y);
                wanted += (k ? 1 : -1) * (n * n / 2 + (y - n) * (n + 0.5)) / sets[i][3];
            }
            CHECK((single && r[i].status != MST_INTEGRAL_CONVERGED) ||
                      fabs(r[i].value - wanted) <= fmax(r[i].error, d.relative_tolerance * fabs(wanted)),
                  "%s, set %d: %.9g +- %.2g, should be %.9g", mst_type_name(d.type), i, r[i].value, r[i].error, wanted);
        }
    }
}

// Zeros beside what cannot be made more exact are not looked at for ever; and no more of the memory than there is goes to
// integrals that are 0.
static void test_zeros(void **state) {
    enum { MANY = 20000 };
    const mst_integral_range range = {"x", "-1", "1"};
    static double sets[MANY];
    static mst_integral_result r[MANY];
    const char *const k = "k";
    mst_context_desc small = MST_CONTEXT_DESC_INIT;
    mst_integral_desc d = test_integral_desc("abs(x) < 0.3 ? x : 0", &range, 0, NULL);
    test_integral_run(*state, &d, NULL, 1, r);
    CHECK(r->status != MST_INTEGRAL_BUDGET && r->evaluations < 1000000 && fabs(r->value) <= r->error && r->error < 1e-9,
          "%.9g +- %g, status %d, %llu evaluations", r->value, r->error, (int)r->status, (unsigned long long)r->evaluations);
    small.device_memory = 16 << 20;
    mst_context *context = test_context(&small);
    d.integrand = "k * x";
    d.n_parameters = 1;
    d.parameters = &k;
    test_integral_run(context, &d, sets, MANY, r);
    for (int i = 0; i < MANY; i++)
        CHECK(r[i].status == MST_INTEGRAL_CONVERGED && r[i].value == 0 && r[i].error == 0, "%d: %g +- %g, status %d", i,
              r[i].value, r[i].error, (int)r[i].status);
    mst_context_destroy(context);
}

// A narrow peak with two variables, and with eight; nothing at all.
static void test_unseen(void **state) {
    mst_integral_range ranges[8];
    static const char *const names[] = {"a", "b", "c", "d", "x", "f", "g", "h"}, *const k = "k";
    const double sets[] = {0, 1}, pi = acos(-1);
    mst_integral_result r[2];
    for (int i = 0; i < 8; i++)
        ranges[i] = (mst_integral_range){names[i], "0", "1"};
    mst_integral_desc d = test_integral_desc("k == 0 ? 0 : exp(-10000*((a - 0.43)^2 + (b - 0.77)^2))", ranges, 1, &k);
    d.relative_tolerance = 0.1;
    d.n_variables = 2;
    test_integral_run(*state, &d, sets, 2, r);
    CHECK(fabs(r[1].value - pi * 1e-4) <= r[1].error && r[1].error <= 0.1 * r[1].value, "%g +- %g", r[1].value, r[1].error);
    CHECK(r[0].value == 0 && r[0].error == 0 && r[0].status == MST_INTEGRAL_CONVERGED && r[0].evaluations > 2000,
          "%g +- %g after %llu", r[0].value, r[0].error, (unsigned long long)r[0].evaluations);
    d.n_variables = 8;
    d.integrand = "k == 0 ? 0 : a < 0.2 && b < 0.2 && c < 0.2 && d < 0.2 && x < 0.2 && f < 0.5 ? 1 : 0";
    d.max_evaluations = 1 << 18;
    test_integral_run(*state, &d, sets, 2, r);
    CHECK(r[1].value > 0 && fabs(r[1].value - 1.6e-4) <= r[1].error, "%g +- %g", r[1].value, r[1].error);
    CHECK(r[0].value == 0 && r[0].status == MST_INTEGRAL_CONVERGED && r[0].evaluations == 1 << 18, "%llu evaluations",
          (unsigned long long)r[0].evaluations);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rough),          cmocka_unit_test(test_tanh_sinh),  cmocka_unit_test(test_places),
        cmocka_unit_test(test_found),          cmocka_unit_test(test_zeros),      cmocka_unit_test(test_unseen),
        cmocka_unit_test(test_powers_at_ends), cmocka_unit_test(test_logarithms), cmocka_unit_test(test_steps)};
    return cmocka_run_group_tests_name("integral_rough", tests, test_setup, test_teardown);
}
