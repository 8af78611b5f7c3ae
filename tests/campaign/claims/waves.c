// False claims to infinity: integrands that oscillate for ever, with a known integral or without one, by the rule oscillatory. At
// most 1 false claim in 10,000 of a kind is allowed.
#include "claims.h"

static const long double pi = 3.14159265358979323846264338327950288L;
static const long double gamma_0 = 0.57721566490153286060651209008240243L;

static long double draw_powers(double *p) { // x^(s - 1) cos or sin(w x)
    p[2] = chance(0.5);
    p[0] = rounded(p[2] > 0 ? between(-0.9, 0.9) : between(0.08, 0.9));
    p[1] = rounded(log_between(1e-3, 1e3));
    if (fabs(p[0]) < 0.02)
        p[0] = 0.02;
    long double s = (long double)p[0], angle = pi * s / 2;
    return tgammal(s) * (p[2] > 0 ? sinl(angle) : cosl(angle)) * powl((long double)p[1], -s);
}

static long double draw_poles(double *p) { // cos(w x) / (x^2 + b^2), x sin(w x) / (x^2 + b^2)
    p[0] = rounded(log_between(0.1, 10));
    p[1] = rounded(log_between(0.05, 4) / p[0]);
    p[2] = chance(0.5);
    long double b = (long double)p[0], fall = expl(-b * (long double)p[1]);
    return p[2] > 0 ? pi / 2 * fall : pi / (2 * b) * fall;
}

static long double draw_damped(double *p) { // exp(-a x) cos(w x), exp(-a x) sin(w x) / x
    p[0] = rounded(log_between(1e-3, 1));
    p[1] = rounded(log_between(0.3, 30));
    p[2] = chance(0.5);
    long double a = (long double)p[0], w = (long double)p[1];
    return p[2] > 0 ? atanl(w / a) : a / (a * a + w * w);
}

static long double draw_chirps(double *p) { // cos or sin(w x^s), s from 1.2 on
    p[0] = rounded(between(1.2, 4));
    p[1] = rounded(log_between(0.05, 20));
    p[2] = chance(0.5);
    long double s = (long double)p[0], angle = pi / (2 * s);
    return tgammal(1 + 1 / s) * (p[2] > 0 ? sinl(angle) : cosl(angle)) * powl((long double)p[1], -1 / s);
}

static long double draw_bessel(double *p) { // j0(w x), j1(w x), x j0(w x) / (x^2 + b^2)^1.5
    p[0] = floor(between(0, 3));
    p[1] = rounded(log_between(0.05, 20));
    p[2] = rounded(log_between(0.05, 3) / p[1]);
    long double w = (long double)p[1], b = (long double)p[2];
    return p[0] < 2 ? 1 / w : expl(-b * w) / b;
}

static long double draw_logarithms(double *p) { // log(x) sin(w x) / x
    p[0] = rounded(log_between(0.01, 100));
    return -pi / 2 * (gamma_0 + logl((long double)p[0]));
}

static long double draw_later(double *p) { // cos(w (x - c)) / sqrt(x - c) from c
    p[0] = rounded(between(-50, 500));
    p[1] = rounded(log_between(0.1, 10));
    return sqrtl(pi / (2 * (long double)p[1]));
}

static long double draw_two(double *p) { // sin(a x) cos(b x) / x
    p[0] = rounded(log_between(0.3, 3));
    p[1] = rounded(log_between(0.3, 3));
    return p[0] > p[1] ? pi / 2 : p[0] < p[1] ? 0 : pi / 4;
}

static long double draw_squares(double *p) { // sin(w x)^2 / x^2, which has no change of sign
    p[0] = rounded(log_between(0.1, 10));
    return pi / 2 * (long double)p[0];
}

static long double draw_divergent(double *p) { // (1 + b (1 + x)^-s) cos(w x), x^s sin(w x), tan(w x) / (1 + x)
    p[0] = floor(between(0, 3));
    p[1] = rounded(log_between(0.1, 2));
    p[2] = rounded(log_between(0.1, 10));
    p[3] = rounded(between(-3, 3));
    return NAN;
}

static long double draw_whole(double *p) { // cos(w (x - c)) / (x^2 + b^2) over the whole line
    p[0] = rounded(log_between(0.1, 10));
    p[1] = rounded(log_between(0.05, 4) / p[0]);
    p[2] = rounded(between(-3, 3));
    long double b = (long double)p[0], w = (long double)p[1];
    return pi / b * expl(-b * w) * cosl(w * (long double)p[2]);
}

static const kind kinds[] = {
    {"powers", "x^(s - 1)*(k > 0 ? sin(w*x) : cos(w*x))", "0", "inf", {"s", "w", "k"}, draw_powers, 0, NULL},
    {"poles", "(k > 0 ? x*sin(w*x) : cos(w*x))/(x^2 + b^2)", "0", "inf", {"b", "w", "k"}, draw_poles, 0, NULL},
    {"damped", "exp(-a*x)*(k > 0 ? sin(w*x)/x : cos(w*x))", "0", "inf", {"a", "w", "k"}, draw_damped, 0, NULL},
    {"chirps", "k > 0 ? sin(w*x^s) : cos(w*x^s)", "0", "inf", {"s", "w", "k"}, draw_chirps, 0, NULL},
    {"Bessel",
     "k == 0 ? j0(w*x) : k == 1 ? j1(w*x) : x*j0(w*x)/(x^2 + b^2)^1.5",
     "0",
     "inf",
     {"k", "w", "b"},
     draw_bessel,
     0,
     NULL},
    {"logarithms", "log(x)*sin(w*x)/x", "0", "inf", {"w"}, draw_logarithms, 0, NULL},
    {"later", "cos(w*(x - c))/sqrt(x - c)", "c", "inf", {"c", "w"}, draw_later, 0, NULL},
    {"two waves", "sin(a*x)*cos(b*x)/x", "0", "inf", {"a", "b"}, draw_two, 0, NULL},
    {"squares", "(sin(w*x)/x)^2", "0", "inf", {"w"}, draw_squares, 0, NULL},
    {"divergent",
     "k == 0 ? (1 + b*(1 + x)^(-s))*cos(w*x) : k == 1 ? x^s*sin(w*x) : tan(w*x)/(1 + x)",
     "0",
     "inf",
     {"k", "s", "w", "b"},
     draw_divergent,
     0,
     NULL},
    {"whole line", "cos(w*(x - c))/(x^2 + b^2)", "-inf", "inf", {"b", "w", "c"}, draw_whole, 0, NULL},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

enum { ROWS = 2, EACH = 500 };
static const mst_type types[ROWS] = {MST_FLOAT64, MST_FLOAT32};
static const double tolerances[ROWS][6] = {{0.1, 1e-3, 1e-6, 1e-8, 1e-10, 1e-11}, {0.1, 1e-2, 1e-3, 1e-3, 1e-4, 1e-5}};

static tally tallies[ROWS][N_KINDS];

static mst_status take_turn(mst_context *context, uint64_t turn, const char *only, mst_error *error) {
    size_t k = turn % N_KINDS, row = turn / N_KINDS % (ROWS + 1) / ROWS; // two of double precision in three
    const batch b = {&kinds[k], MST_INTEGRAL_OSCILLATORY, types[row], tolerances[row][test_random() % 6], EACH, 1 << 18};
    return strstr(kinds[k].name, only) ? try_batch(context, &b, &tallies[row][k], error) : MST_OK;
}

static void report_all(size_t *tried, size_t *failed) {
    for (size_t row = 0; row < ROWS; row++)
        for (size_t k = 0; k < N_KINDS; k++)
            report(row ? "waves, float32" : "waves, float64", kinds[k].name, &tallies[row][k], 1e4, tried, failed);
}

int main(int argc, char **argv) { return run_campaign(&(campaign){"campaign_waves", take_turn, report_all}, argc, argv); }
