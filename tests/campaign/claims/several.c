// False claims with several variables: Genz's families (1984) with numbers of their own for every variable, infinite ranges,
// bounds that depend on variables, singular lines and edges, and NaN. At most 1 false claim in 1,000 of a kind is allowed.
#include "claims.h"

#include "support_integral.h"

enum { MOST_VARIABLES = 10, EACH = 500 };
enum {
    THIN = -1,
    EACH_THIN = 100,
    MOST_THIN = 7
}; // families that are far thinner than nodes are apart, which lattices do not look for

static int n; // variables of the kind that is drawn
static int family;

static double *draw_numbers(double *p, double most) { // a for every variable, then a place for each
    for (int k = 0; k < n; k++) {
        p[k] = rounded(0.5 + between(0, most));
        p[n + k] = rounded(between(0, 1));
    }
    return p + n;
}

static long double oscillating(const double *a, const double *u) {
    long double angle = 2 * acosl(-1) * (long double)u[0], size = 1;
    for (int i = 0; i < n; i++) {
        angle += (long double)a[i] / 2;
        size *= 2 * sinl((long double)a[i] / 2) / (long double)a[i];
    }
    return size * cosl(angle);
}

static long double draw_genz(double *p) {
    const double *u = draw_numbers(p, n < 4 ? 8 : n < 6 ? 3 : 1.5);
    long double product = 1;
    for (int i = 0; i < n; i++) {
        long double a = (long double)p[i], l = a * (long double)u[i], r = a * (1 - (long double)u[i]);
        product *= family == 1   ? a * (atanl(l) + atanl(r))
                   : family == 3 ? sqrtl(acosl(-1)) / (2 * a) * (erfl(l) + erfl(r))
                   : family == 4 ? (2 - expl(-l) - expl(-r)) / a
                                 : expm1l(i < 2 ? l : a) / a;
    }
    return family == 0 ? oscillating(p, u) : family == 2 ? test_corner_peak(n, p) : product;
}

static long double draw_tails(double *p) { // (1 + x^2)^-s, the product over the whole line
    long double product = 1;
    for (int k = 0; k < n; k++) {
        p[k] = rounded(0.5 + log_between(0.05, 2));
        product *= expl(0.5L * logl(acosl(-1)) + lgammal((long double)p[k] - 0.5L) - lgammal((long double)p[k]));
    }
    return product;
}

static long double draw_bells(double *p) { // exp(-a |x - c|^2) from 0 on in all
    long double product = 1;
    draw_numbers(p, 4);
    for (int k = 0; k < n; k++) {
        long double a = sqrtl((long double)p[k]);
        product *= sqrtl(acosl(-1)) / (2 * a) * erfcl(-a * (long double)p[n + k]);
    }
    return product;
}

static long double draw_triangle(double *p) { // x^p y^q, y from 0 to x
    p[0] = rounded(between(-0.8, 2));
    p[1] = rounded(between(-0.8, 2));
    return 1 / (((long double)p[1] + 1) * ((long double)p[0] + (long double)p[1] + 2));
}

static long double draw_disc(double *p) { // (1 - r^2)^s over y from -sqrt(1 - x^2) to sqrt(1 - x^2)
    p[0] = rounded(between(-0.5, 2));
    return acosl(-1) / ((long double)p[0] + 1);
}

static long double draw_powers(double *p) { // |x - c|^s, the product
    long double product = 1;
    for (int k = 0; k < n; k++) {
        p[k] = rounded(between(-0.6, 2));
        p[n + k] = rounded(chance(0.3) > 0 ? 0 : between(0, 1));
        long double s = 1 + (long double)p[k], c = (long double)p[n + k];
        product *= (powl(c, s) + powl(1 - c, s)) / s;
    }
    return product;
}

static long double draw_halves(double *p) { // a below the diagonal x + y = c, 1 above
    p[0] = rounded(between(-1, 3));
    p[1] = rounded(between(0.1, 1));
    long double c = (long double)p[1];
    return 1 + ((long double)p[0] - 1) * c * c / 2;
}

static void draw_thin(double *p, double most) { // p[0] on all, p[1] more within p[n + 1]
    p[0] = chance(0.4) > 0 ? 0 : between(-1, 1);
    p[1] = log_between(1, 1000);
    p[n + 1] = most * log_between(1e-4, 0.5);
}

static long double below(long double s) { return s < 0 ? (1 + s) * (1 + s) / 2 : 1 - (1 - s) * (1 - s) / 2; } // x - y < s

static long double draw_strip(double *p) {
    p[n] = between(-0.9, 0.9);
    draw_thin(p, 0.1);
    long double c = (long double)p[n], w = (long double)p[n + 1];
    return (long double)p[0] + (long double)p[1] * (below(c + w) - below(c - w));
}

static long double draw_shell(double *p) { // about the middle, between two radii
    p[n] = between(0.02, 0.2);
    draw_thin(p, fmin(p[n], 0.05));
    long double half = (long double)n / 2, ball = powl(acosl(-1), half) / tgammal(half + 1), c = (long double)p[n],
                w = (long double)p[n + 1];
    return (long double)p[0] + (long double)p[1] * ball * (powl(c + w, half) - powl(c - w, half));
}

static long double draw_box(double *p) {
    long double product = 1;
    for (int k = 0; k < n; k++) {
        p[k] = log_between(1e-4, 0.1);
        p[n + k] = between(0.1, 0.9);
        product *= 2 * (long double)p[k];
    }
    return product;
}

static long double draw_none(double *p) {
    p[0] = rounded(between(0.3, 1.7));
    return NAN;
}

typedef struct form {
    const char *name, *each, *between, *whole; // each variable's part, what joins them, and what that stands in, as $
    const char *from, *to;
    long double (*draw)(double *p);
    int family, n_numbers; // numbers: a, and then u
} form;

static const form forms[] = {
    {"oscillating", "a#*x#", " + ", "cos(2*pi*u0 + $)", "0", "1", draw_genz, 0, 2},
    {"product peaks", "1/(a#^-2 + (x# - u#)^2)", "*", "$", "0", "1", draw_genz, 1, 2},
    {"corner peaks", "a#*x#", " + ", "(1 + $)^(-N)", "0", "1", draw_genz, 2, 2},
    {"Gaussians", "a#^2*(x# - u#)^2", " + ", "exp(-($))", "0", "1", draw_genz, 3, 2},
    {"kinks", "a#*abs(x# - u#)", " + ", "exp(-($))", "0", "1", draw_genz, 4, 2},
    {"jumps", "a#*x#", " + ", "x0 > u0 || x1 > u1 ? 0 : exp($)", "0", "1", draw_genz, 5, 2},
    {"tails", "(1 + x#^2)^(-a#)", "*", "$", "-inf", "inf", draw_tails, 0, 1},
    {"bells", "a#*(x# - u#)^2", " + ", "exp(-($))", "0", "inf", draw_bells, 0, 2},
    {"powers", "abs(x# - u#)^a#", "*", "$", "0", "1", draw_powers, 0, 2},
    {"triangles", NULL, NULL, "x0^a0*x1^a1", "0", "1", draw_triangle, 0, 1},
    {"discs", NULL, NULL, "max(1 - x0^2 - x1^2, 0)^a0", "-1", "1", draw_disc, 0, 1},
    {"diagonals", NULL, NULL, "x0 + x1 < a1 ? a0 : 1", "0", "1", draw_halves, 0, 1},
    {"strips", NULL, NULL, "a0 + (abs(x0 - x1 - u0) < u1 ? a1 : 0)", "0", "1", draw_strip, THIN, 2},
    {"shells", "(x# - 0.5)^2", " + ", "a0 + (abs($ - u0) < u1 ? a1 : 0)", "0", "1", draw_shell, THIN, 2},
    {"boxes", "abs(x# - u#) < a#", " && ", "$ ? 1 : 0", "0", "1", draw_box, THIN, 2},
    {"NaN", NULL, NULL, "sqrt(x0 + x1 - a0)", "0", "1", draw_none, 0, 1},
};
enum { N_FORMS = sizeof forms / sizeof forms[0] };
static const int numbers[] = {2, 3, 2, 5, 2, 4, 3, 8, 2, 6, 3, 10, 2, 7};

// The text of a form with n variables; NULL where it is for two only.
static const char *write_form(const form *f, char *text, size_t bytes) {
    char list[600];
    size_t used = 0;
    if (!f->each)
        return n == 2 ? f->whole : NULL;
    test_join(list, n, f->each, f->between);
    for (const char *c = f->whole; *c; c++)
        used += (size_t)(*c == '$'   ? snprintf(text + used, bytes - used, "%s", list)
                         : *c == 'N' ? snprintf(text + used, bytes - used, "%d", n + 1)
                                     : snprintf(text + used, bytes - used, "%c", *c));
    return text;
}

static mst_status try_form(mst_context *context, const form *f, double tolerance, tally *t, mst_error *error) {
    static char text[1200], names[3 * MOST_VARIABLES][13];
    mst_integral_range ranges[MOST_VARIABLES];
    kind k = {.name = f->name, .draw = f->draw, .n_variables = n, .ranges = ranges};
    batch b = {&k, MST_INTEGRAL_ADAPTIVE, MST_FLOAT64, tolerance, EACH, n < 6 ? 60000 : 240000};
    if (f->family == THIN) {
        b.sets = EACH_THIN;
        b.max_evaluations = 500000;
    }
    k.integrand = f->family == THIN && n > MOST_THIN ? NULL : write_form(f, text, sizeof text);
    if (!k.integrand)
        return MST_OK;
    for (int i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "a%d", i);
        snprintf(names[MOST_VARIABLES + i], sizeof names[i], "u%d", i);
        snprintf(names[2 * MOST_VARIABLES + i], sizeof names[i], "x%d", i);
        k.names[i] = names[i];
        if (f->n_numbers > 1)
            k.names[n + i] = names[MOST_VARIABLES + i];
        ranges[i] = (mst_integral_range){names[2 * MOST_VARIABLES + i], f->from, f->to};
    }
    if (f->draw == draw_triangle) {
        ranges[0].to = "1";
        ranges[1].to = "x0";
    }
    if (f->draw == draw_disc) {
        ranges[1].from = "-sqrt(1 - x0^2)";
        ranges[1].to = "sqrt(1 - x0^2)";
    }
    if (f->draw == draw_disc || f->draw == draw_none)
        k.names[1] = NULL;
    family = f->family;
    return try_batch(context, &b, t, error);
}

static tally tallies[MOST_VARIABLES + 1][N_FORMS];

static mst_status take_turn(mst_context *context, uint64_t turn, const char *only, mst_error *error) {
    static const double tolerances[] = {0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8};
    size_t f = turn % N_FORMS;
    n = numbers[turn / N_FORMS % (sizeof numbers / sizeof numbers[0])];
    double tolerance = tolerances[test_random() % (n < 4 ? 7 : n < 6 ? 5 : 3)];
    return strstr(forms[f].name, only) ? try_form(context, &forms[f], tolerance, &tallies[n][f], error) : MST_OK;
}

static void report_all(size_t *tried, size_t *failed) {
    for (int v = 0; v <= MOST_VARIABLES; v++)
        for (size_t f = 0; f < N_FORMS; f++) {
            char way[32];
            snprintf(way, sizeof way, "%d variables", v);
            report(way, forms[f].name, &tallies[v][f], 1e3, tried, failed);
        }
}

int main(int argc, char **argv) { return run_campaign(&(campaign){"campaign_several", take_turn, report_all}, argc, argv); }
