// False claims with one variable: integrals of which a closed form is known, or that have no value, drawn at random. Thousands of
// parameter sets are one call, so that a kind costs one compilation. At most 1 false claim in 10,000 of a kind is allowed.
#include "claims.h"

// ---- kinds

// A range of any length, and a place in it; or, as users write them, whole ends, and a place where halving makes an end.
static void draw_range(double *p) {
    if (chance(0.25) > 0) {
        const double length = ldexp(1, (int)floor(between(0, 4)));
        p[0] = floor(between(-5, 2));
        p[1] = p[0] + length;
        p[2] = p[0] + length * floor(between(0, 16)) / 16;
        return;
    }
    double length = log_between(0.1, 10), from = chance(0.5) > 0 ? 0 : between(-5, 5);
    p[0] = rounded(from);
    p[1] = rounded(from + length);
    p[2] = rounded(between(p[0], p[1]));
    if (p[2] >= p[1])
        p[2] = p[0];
}

static const long double pi = 3.14159265358979323846264338327950288L;

static long double whole_tail(long double s) { return expl(0.5L * logl(pi) + lgammal(s - 0.5L) - lgammal(s)); }

static long double draw_bell_tail(double *p) { // s, c, w
    p[0] = rounded(0.5 + log_between(1e-3, 0.3));
    p[1] = rounded(between(-2, 2));
    p[2] = rounded(log_between(0.2, 5));
    return (long double)p[2] * whole_tail((long double)p[0]);
}

static long double draw_cusp_tail(double *p) {
    p[0] = rounded(1 + log_between(2e-3, 0.6));
    p[1] = rounded(between(-2, 2));
    p[2] = rounded(log_between(0.2, 5));
    return 2 * (long double)p[2] / ((long double)p[0] - 1);
}

static long double draw_half_tail(double *p) { // k, s, w: (1 + x/w)^-s, or (1 + (x/w)^2)^-s
    p[0] = chance(0.5);
    p[1] = rounded(p[0] > 0 ? 1 + log_between(2e-3, 0.6) : 0.5 + log_between(1e-3, 0.3));
    p[2] = rounded(log_between(0.2, 5));
    return (long double)p[2] * (p[0] > 0 ? 1 / ((long double)p[1] - 1) : whole_tail((long double)p[1]) / 2);
}

static long double draw_log_tail(double *p) { // s: 1 / (x log(x)^s) from 2
    p[0] = rounded(1 + log_between(0.05, 2));
    return powl(logl(2), 1 - (long double)p[0]) / ((long double)p[0] - 1);
}

static long double draw_fast_tail(double *p) { // k, a, w: exp(-a x), 1 / (1 + x^2), x^3 exp(-x), each in x / w
    p[0] = floor(between(0, 3));
    p[1] = rounded(log_between(0.3, 3));
    p[2] = rounded(log_between(0.1, 10));
    return (long double)p[2] * (p[0] == 0 ? 1 / (long double)p[1] : p[0] == 1 ? pi / 2 : 6);
}

static long double draw_divergent_whole(double *p) {
    p[0] = rounded(chance(0.3) > 0 ? 0.5 : 0.5 - log_between(1e-3, 0.5));
    p[1] = rounded(between(-2, 2));
    p[2] = rounded(log_between(0.2, 5));
    return NAN;
}

static long double draw_divergent_half(double *p) { // k, s, w
    p[0] = floor(between(0, 4));
    p[1] = rounded(1 - (chance(0.3) > 0 ? 0 : log_between(1e-3, 0.5)));
    p[2] = rounded(log_between(0.2, 5));
    return NAN;
}

static long double draw_divergent(double *p) { // u, v, c, s, r: r |x - c|^s left of c, |x - c|^s right of it
    draw_range(p);
    p[2] = chance(0.3) > 0 ? p[0] : p[2];
    p[3] = rounded(-1 - (chance(0.3) > 0 ? 0 : log_between(1e-3, 1)));
    p[4] = rounded(chance(0.5) > 0 ? 1 : chance(0.5) > 0 ? -1 : between(-1, 1));
    return NAN;
}

static long double draw_power(double *p) { // u, v, c, s, r
    draw_range(p);
    p[2] = chance(0.2) > 0 ? p[0] : p[2];
    p[3] = rounded(between(-0.95, 2));
    p[4] = rounded(chance(0.5) > 0 ? 1 : chance(0.5) > 0 ? 0 : between(-1, 1));
    long double s = 1 + (long double)p[3], c = (long double)p[2];
    return ((long double)p[4] * powl(c - (long double)p[0], s) + powl((long double)p[1] - c, s)) / s;
}

static long double beta(long double a, long double b) { return expl(lgammal(a) + lgammal(b) - lgammal(a + b)); }

static long double draw_two_powers(double *p) { // u, v, s, t: a power of the distance from either end
    draw_range(p);
    p[2] = rounded(between(-0.9, 2));
    p[3] = rounded(between(-0.9, 2));
    const long double s = (long double)p[2], t = (long double)p[3];
    return powl((long double)p[1] - (long double)p[0], s + t + 1) * beta(s + 1, t + 1);
}

static long double draw_log_power(double *p) { // s, w, a, b, c, d, m: v^s ((a + b log v) (1 + c v^2) + d v log v + m log(v)^2)
    p[0] = rounded(between(-0.95, 2.5));       // of v = x/w up to 1
    p[1] = rounded(log_between(0.1, 10));
    p[2] = rounded(chance(0.3) > 0 ? 0 : between(-3, 3));
    p[3] = rounded(between(-3, 3) * (chance(0.5) > 0 ? 1 : log_between(1e-4, 1)));
    p[4] = rounded(chance(0.5) > 0 ? 0 : between(-1, 3));
    p[5] = rounded(chance(0.5) > 0 ? 0 : between(-2, 2));
    p[6] = rounded(chance(0.7) > 0 ? 0 : between(-1, 1));
    const long double q = (long double)p[0] + 1, a = (long double)p[2], b = (long double)p[3], c = (long double)p[4];
    return (long double)p[1] * (a / q - b / (q * q) + c * (a / (q + 2) - b / ((q + 2) * (q + 2))) -
                                (long double)p[5] / ((q + 1) * (q + 1)) + 2 * (long double)p[6] / (q * q * q));
}

static long double draw_half_power(double *p) { // s, t, w: (x/w)^s / (1 + x/w)^t
    p[0] = rounded(between(-0.9, 1));
    p[1] = rounded(p[0] + 1 + log_between(2e-2, 2));
    p[2] = rounded(log_between(0.2, 5));
    return (long double)p[2] * beta((long double)p[0] + 1, (long double)p[1] - (long double)p[0] - 1);
}

static long double draw_logarithm(double *p) { // u, v, c, a: a log|x - c| + cos(x - c)
    draw_range(p);
    p[3] = rounded(between(-2, 2));
    long double l = (long double)p[2] - (long double)p[0], r = (long double)p[1] - (long double)p[2];
    return (long double)p[3] * ((l > 0 ? l * logl(l) - l : 0) + (r > 0 ? r * logl(r) - r : 0)) + sinl(l) + sinl(r);
}

static long double draw_jump(double *p) { // u, v, c, a, b: a + exp(-x) left of c, b + exp(-x) right of it
    draw_range(p);
    p[3] = rounded(between(-1, 1));
    p[4] = rounded(p[3] + between(-1, 1) * (chance(0.5) > 0 ? 1 : log_between(1e-6, 1)));
    long double u = (long double)p[0], v = (long double)p[1], c = (long double)p[2];
    return (long double)p[3] * (c - u) + (long double)p[4] * (v - c) + expl(-u) - expl(-v);
}

static long double draw_narrow(double *p) { // u, v, c, w, a, b: a, and b more where x is closer to c than w
    draw_range(p);
    p[3] = (p[1] - p[0]) * log_between(1e-9, 0.1);
    p[4] = chance(0.3) > 0 ? 0 : between(-1, 1);
    p[5] = log_between(1, 1e6) * (chance(0.5) > 0 ? 1 : -1);
    long double u = (long double)p[0], v = (long double)p[1], c = (long double)p[2], w = (long double)p[3];
    return (long double)p[4] * (v - u) + (long double)p[5] * (fminl(c + w, v) - fmaxl(c - w, u));
}

static long double draw_steps(double *p) { // u, v, c, a: floor(a (x - c)) + 1/2
    draw_range(p);
    p[3] = rounded(log_between(1, 300) / (p[1] - p[0]));
    long double a = (long double)p[3], sum = 0,
                ends[2] = {((long double)p[0] - (long double)p[2]) * a, ((long double)p[1] - (long double)p[2]) * a};
    for (int k = 0; k < 2; k++) { // the integral of floor(y) + 1/2 from 0 to y
        long double n = floorl(ends[k]), rest = ends[k] - n;
        sum += (k ? 1 : -1) * (n * n / 2 + rest * (n + 0.5L));
    }
    return sum / a;
}

static long double draw_peak(double *p) { // u, v, c, w, k: a Gaussian, or a Lorentzian
    draw_range(p);
    p[3] = rounded((p[1] - p[0]) * log_between(1e-3, 1));
    p[4] = chance(0.5);
    long double w = (long double)p[3], l = ((long double)p[2] - (long double)p[0]) / w,
                r = ((long double)p[1] - (long double)p[2]) / w;
    return p[4] > 0 ? w * (atanl(l) + atanl(r)) : w * sqrtl(pi) / 2 * (erfl(l) + erfl(r));
}

static long double draw_wave(double *p) { // u, v, c, n, a: a + cos(n (x - c))
    draw_range(p);
    p[3] = rounded((double)(2 * pi) * log_between(0.1, 1000) / (p[1] - p[0]));
    p[4] = rounded(chance(0.5) > 0 ? 0 : between(-1, 1));
    long double n = (long double)p[3], u = (long double)p[0], v = (long double)p[1], c = (long double)p[2];
    return (long double)p[4] * (v - u) + (sinl(n * (v - c)) - sinl(n * (u - c))) / n;
}

static long double draw_nan(double *p) { // u, v, c, w, k: NaN below c, or between c and w; sqrt and log of x - c
    draw_range(p);
    double length = p[1] - p[0];
    p[3] = rounded(length * log_between(0.06, 0.5));
    p[2] = rounded(between(p[0], p[1] - p[3]));
    p[4] = floor(between(0, 4));
    if (p[4] < 2)
        p[2] = rounded(p[0] + p[3]);
    return NAN;
}

static long double draw_smooth(double *p) { // u, v, c, a: exp(a (x - c)) cos(x)
    draw_range(p);
    p[3] = rounded(between(-2, 2));
    long double a = (long double)p[3], c = (long double)p[2], ends[2];
    for (int k = 0; k < 2; k++)
        ends[k] = expl(a * ((long double)p[k] - c)) * (a * cosl((long double)p[k]) + sinl((long double)p[k]));
    return (ends[1] - ends[0]) / (1 + a * a);
}

#define RANGE "u", "v"
static const kind kinds[] = {
    {"bell tails", "(1 + ((x - c)/w)^2)^(-s)", "-inf", "inf", {"s", "c", "w"}, draw_bell_tail, 0, NULL},
    {"cusp tails", "(1 + abs(x - c)/w)^(-s)", "-inf", "inf", {"s", "c", "w"}, draw_cusp_tail, 0, NULL},
    {"half tails", "(1 + (k > 0 ? x/w : (x/w)^2))^(-s)", "0", "inf", {"k", "s", "w"}, draw_half_tail, 0, NULL},
    {"log tails", "1/(x*log(x)^s)", "2", "inf", {"s"}, draw_log_tail, 0, NULL},
    {"fast tails",
     "k == 0 ? exp(-a*x/w) : k == 1 ? 1/(1 + (x/w)^2) : (x/w)^3*exp(-x/w)",
     "0",
     "inf",
     {"k", "a", "w"},
     draw_fast_tail,
     0,
     NULL},
    {"divergent whole", "(1 + ((x - c)/w)^2)^(-s)", "-inf", "inf", {"s", "c", "w"}, draw_divergent_whole, 0, NULL},
    {"divergent half",
     "k == 0 ? (1 + x/w)^(-s) : k == 1 ? sin(x/w) : k == 2 ? x*cos(x/w) : 1/((x + 2)*log(x + 2))",
     "0",
     "inf",
     {"k", "s", "w"},
     draw_divergent_half,
     0,
     NULL},
    {"divergent inside", "(x < c ? r : 1)*abs(x - c)^s", "u", "v", {RANGE, "c", "s", "r"}, draw_divergent, 0, NULL},
    {"powers", "(x < c ? r : 1)*abs(x - c)^s", "u", "v", {RANGE, "c", "s", "r"}, draw_power, 0, NULL},
    {"two powers", "(x - u)^s*(v - x)^t", "u", "v", {RANGE, "s", "t"}, draw_two_powers, 0, NULL},
    {"log powers",
     "(x/w)^s*((a + b*log(x/w))*(1 + c*(x/w)^2) + d*(x/w)*log(x/w) + m*log(x/w)^2)",
     "0",
     "w",
     {"s", "w", "a", "b", "c", "d", "m"},
     draw_log_power,
     0,
     NULL},
    {"half powers", "(x/w)^s/(1 + x/w)^t", "0", "inf", {"s", "t", "w"}, draw_half_power, 0, NULL},
    {"logarithms", "a*log(abs(x - c)) + cos(x - c)", "u", "v", {RANGE, "c", "a"}, draw_logarithm, 0, NULL},
    {"jumps", "(x < c ? a : b) + exp(-x)", "u", "v", {RANGE, "c", "a", "b"}, draw_jump, 0, NULL},
    {"narrow steps", "a + (abs(x - c) < w ? b : 0)", "u", "v", {RANGE, "c", "w", "a", "b"}, draw_narrow, 0, NULL},
    {"steps", "floor(a*(x - c)) + 0.5", "u", "v", {RANGE, "c", "a"}, draw_steps, 0, NULL},
    {"peaks", "k > 0 ? 1/(1 + ((x - c)/w)^2) : exp(-((x - c)/w)^2)", "u", "v", {RANGE, "c", "w", "k"}, draw_peak, 0, NULL},
    {"waves", "a + cos(n*(x - c))", "u", "v", {RANGE, "c", "n", "a"}, draw_wave, 0, NULL},
    {"NaN",
     "k == 0 ? sqrt(x - c) : k == 1 ? log(x - c) : x > c && x < c + w ? sqrt(-1 - x^2) : k == 2 ? cos(x) : 1",
     "u",
     "v",
     {RANGE, "c", "w", "k"},
     draw_nan,
     0,
     NULL},
    {"smooth", "exp(a*(x - c))*cos(x)", "u", "v", {RANGE, "c", "a"}, draw_smooth, 0, NULL},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

enum { ROWS = 3 };
static const struct {
    mst_integral_rule rule;
    mst_type type;
    const char *name;
} ways[ROWS] = {{MST_INTEGRAL_ADAPTIVE, MST_FLOAT64, "adaptive, float64"},
                {MST_INTEGRAL_ADAPTIVE, MST_FLOAT32, "adaptive, float32"},
                {MST_INTEGRAL_TANH_SINH, MST_FLOAT64, "tanh-sinh, float64"}};
static const double tolerances[ROWS][6] = {
    {0.1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10}, {0.1, 1e-2, 1e-2, 1e-3, 1e-4, 1e-5}, {0.1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10}};

static tally tallies[ROWS][N_KINDS];

static mst_status take_turn(mst_context *context, uint64_t turn, const char *only, mst_error *error) {
    size_t k = turn % N_KINDS, way = turn / N_KINDS % ROWS;
    if (kinds[k].draw == draw_narrow && ways[way].type == MST_FLOAT32) // rounds their widths away
        return MST_OK;
    const batch b = {&kinds[k], ways[way].rule, ways[way].type, tolerances[way][test_random() % 6], SETS, 1 << 18};
    return strstr(kinds[k].name, only) ? try_batch(context, &b, &tallies[way][k], error) : MST_OK;
}

static void report_all(size_t *tried, size_t *failed) {
    for (size_t way = 0; way < ROWS; way++)
        for (size_t k = 0; k < N_KINDS; k++)
            report(ways[way].name, kinds[k].name, &tallies[way][k], 1e4, tried, failed);
}

int main(int argc, char **argv) { return run_campaign(&(campaign){"campaign_claims", take_turn, report_all}, argc, argv); }
