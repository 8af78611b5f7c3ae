// The largest stable time step of schemes, by closed forms, by running random linear schemes below and above it in a plain loop,
// and the reasons for which it is not known.
#include "support.h"

#include <mastaba/stencil.h>
#include <math.h>

static const double pi = 3.14159265358979323846;

// A scheme of one axis and one field, to be changed.
typedef struct scheme {
    mst_stencil_desc desc;
    mst_stencil_field fields[8];
    mst_stencil_update updates[8];
    char texts[8][2000];
} scheme;

static void begin(scheme *s, int rank) {
    memset(s, 0, sizeof *s);
    s->desc = (mst_stencil_desc)MST_STENCIL_DESC_INIT;
    s->desc.rank = rank;
    for (int k = 0; k < rank; k++) {
        s->desc.grid[k] = 20 + (size_t)k;
        s->desc.spacing[k] = 1;
    }
    s->desc.fields = s->fields;
    s->desc.updates = s->updates;
}

static void add(scheme *s, const char *name, int levels, size_t substep, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static void add(scheme *s, const char *name, int levels, size_t substep, const char *format, ...) {
    va_list arguments;
    char *text = s->texts[s->desc.n_updates];
    va_start(arguments, format);
    vsnprintf(text, sizeof s->texts[0], format, arguments);
    va_end(arguments);
    s->fields[s->desc.n_fields++] = (mst_stencil_field){.name = name, .levels = levels};
    s->updates[s->desc.n_updates++] = (mst_stencil_update){name, text, substep};
}

static mst_stencil_stability find(const scheme *s) {
    mst_stencil_stability found = MST_STENCIL_STABILITY_INIT;
    mst_error e;
    OK(mst_stencil_time_step_limit(&s->desc, &found, &e));
    return found;
}

static void expect(const scheme *s, double want, const char *what) {
    const mst_stencil_stability found = find(s);
    const bool same = isinf(want) || want == 0 ? found.time_step_limit == want : fabs(found.time_step_limit - want) < 1e-6 * want;
    CHECK(same, "%s: the limit is %.12g, not %.12g", what, found.time_step_limit, want);
}

// "(u[0,-1] - 2*u + u[0,1])/dx^2 + ...", with weights[r] of the neighbours r nodes away.
static void write_laplacian(char *out, size_t bytes, int rank, int radius, const double *weights) {
    static const char *const squares[] = {"dx^2", "dy^2", "dz^2"};
    size_t used = 0;
    for (int axis = 0; axis < rank; axis++)
        for (int o = -radius; o <= radius; o++) {
            int offsets[3] = {0};
            offsets[axis] = o;
            used += (size_t)snprintf(out + used, bytes - used, "%s%.17g*u[%d", used ? " + " : "", weights[abs(o)], offsets[0]);
            for (int k = 1; k < rank; k++)
                used += (size_t)snprintf(out + used, bytes - used, ",%d", offsets[k]);
            used += (size_t)snprintf(out + used, bytes - used, "]/%s", squares[rank - 1 - axis]);
        }
}

static const double weights[][5] = {{-2, 1},
                                    {-5.0 / 2, 4.0 / 3, -1.0 / 12},
                                    {-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90},
                                    {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560}};

// Forward Euler: 2 / (a sum of |weights| / h^2). Leapfrog: 2 / (c sqrt of that sum). Both at the highest frequency.
static void test_heat_and_waves(void **state) {
    char laplacian[1500];
    (void)state;
    for (int rank = 1; rank <= 3; rank++)
        for (int radius = 1; radius <= 4; radius++) {
            double sum = fabs(weights[radius - 1][0]), over = 0;
            scheme s;
            for (int r = 1; r <= radius; r++)
                sum += 2 * fabs(weights[radius - 1][r]);
            write_laplacian(laplacian, sizeof laplacian, rank, radius, weights[radius - 1]);
            begin(&s, rank);
            for (int k = 0; k < rank; k++) {
                s.desc.spacing[k] = 0.3 + 0.2 * k;
                over += sum / pow(s.desc.spacing[k], 2);
            }
            add(&s, "u", 1, 0, "u + 0.7*dt*(%s)", laplacian);
            expect(&s, 2 / (0.7 * over), "heat");
            for (int k = 0; k < rank; k++)
                CHECK(fabs(fabs(find(&s).wave[k]) - pi) < 1e-4, "heat: axis %d of the wave is %g", k, find(&s).wave[k]);
            begin(&s, rank);
            for (int k = 0; k < rank; k++)
                s.desc.spacing[k] = 0.3 + 0.2 * k;
            s.desc.time_step = radius == 2 ? 1e12 : radius == 3 ? 1e-12 : 1; // where the search begins
            add(&s, "u", 2, 0, "2*u - u.prev + (1.3*dt)^2*(%s)", laplacian);
            expect(&s, 2 / (1.3 * sqrt(over)), "wave");
        }
}

static void test_yee(void **state) {
    scheme s;
    (void)state;
    begin(&s, 2);
    s.desc.spacing[0] = 3e-8; // in metres, seconds, and so on
    s.desc.spacing[1] = 5e-8;
    add(&s, "hx", 1, 0, "hx - dt/1.25663706e-6*(ez[1,0] - ez)/dy");
    add(&s, "hy", 1, 0, "hy + dt/1.25663706e-6*(ez[0,1] - ez)/dx");
    add(&s, "ez", 1, 1, "ez + dt/8.8541878e-12*((hy - hy[0,-1])/dx - (hx - hx[-1,0])/dy)");
    const double c = 1 / sqrt(1.25663706e-6 * 8.8541878e-12);
    expect(&s, 1 / (c * sqrt(1 / 9e-16 + 1 / 25e-16)), "Yee in two dimensions");
    begin(&s, 3);
    s.desc.spacing[0] = 2;
    s.desc.spacing[1] = 0.5;
    add(&s, "hx", 1, 0, "hx - dt*((ez[0,1,0] - ez)/dy - (ey[1,0,0] - ey)/dz)");
    add(&s, "hy", 1, 0, "hy - dt*((ex[1,0,0] - ex)/dz - (ez[0,0,1] - ez)/dx)");
    add(&s, "hz", 1, 0, "hz - dt*((ey[0,0,1] - ey)/dx - (ex[0,1,0] - ex)/dy)");
    add(&s, "ex", 1, 1, "ex + dt*((hz - hz[0,-1,0])/dy - (hy - hy[-1,0,0])/dz)");
    add(&s, "ey", 1, 1, "ey + dt*((hx - hx[-1,0,0])/dz - (hz - hz[0,0,-1])/dx)");
    add(&s, "ez", 1, 1, "ez + dt*((hy - hy[0,0,-1])/dx - (hx - hx[0,-1,0])/dy)");
    expect(&s, 1 / sqrt(1 / 4.0 + 1 / 0.25 + 1), "Yee in three dimensions");
}

static void one(const char *what, int levels, double want, const char *text) {
    scheme s;
    begin(&s, 1);
    s.desc.spacing[0] = 0.5;
    add(&s, "u", levels, 0, "%s", text);
    expect(&s, want, what);
}

static void test_transport(void **state) {
    scheme s;
    (void)state;
    one("upwind", 1, 0.25, "u - 2*dt/dx*(u - u[-1])");
    one("downwind", 1, 0, "u - 2*dt/dx*(u[1] - u)");
    one("Lax and Wendroff", 1, 0.25, "u - dt/dx*(u[1] - u[-1]) + 2*(dt/dx)^2*(u[1] - 2*u + u[-1])");
    one("Lax and Friedrichs", 1, 0.25, "0.5*(u[1] + u[-1]) - dt/dx*(u[1] - u[-1])");
    one("forward in time, centred in space", 1, 0, "u - dt/dx*(u[1] - u[-1])");
    one("leapfrog", 2, 0.25, "u.prev - 2*dt/dx*(u[1] - u[-1])");
    one("leapfrog with diffusion", 2, 0, "u.prev + 2*dt*0.3/dx^2*(u[1] - 2*u + u[-1])");
    one("Du Fort and Frankel", 2, INFINITY, "(u.prev*(1 - 2*dt/dx^2) + 2*dt/dx^2*(u[1] + u[-1]))/(1 + 2*dt/dx^2)");
    one("with diffusion, slow", 1, 0.5 * 0.25 / 0.5, "u - dt/dx*0.1*(u[1] - u[-1]) + 0.5*dt/dx^2*(u[1] - 2*u + u[-1])");
    begin(&s, 1); // the longest waves grow first, least of all
    add(&s, "u", 1, 0, "u - 0.5*dt*(u[1] - u[-1]) + 0.05*dt*(u[1] - 2*u + u[-1])");
    CHECK(fabs(find(&s).time_step_limit - 0.1) < 1e-5, "with diffusion, fast: the limit is %.12g", find(&s).time_step_limit);
    begin(&s, 2); // only along the second axis, and to the left
    add(&s, "u", 1, 0, "u + 4*dt*(u[0,1] - u)");
    expect(&s, 0.25, "upwind to the left");
    begin(&s, 2);
    add(&s, "u", 1, 0, "u - dt*(u - u[-1,0]) + 2*dt*(u[0,1] - u)");
    expect(&s, 1.0 / 3, "upwind in two dimensions");
}

static void test_others(void **state) {
    scheme s;
    mst_stencil_stability found;
    (void)state;
    one("damped wave", 2, 0.25, "(2*u - (1 - 3*dt)*u.prev + (2*dt/dx)^2*(u[1] - 2*u + u[-1]))/(1 + 3*dt)");
    one("decay", 1, 0.5, "u - 4*dt*u");
    one("implicit decay", 1, INFINITY, "u/(1 + 4*dt)");
    one("exact decay", 1, INFINITY, "u*exp(-4*dt)");
    one("nothing", 1, INFINITY, "u");
    one("with a source", 1, 0.125, "u + dt*(u[1] - 2*u + u[-1])/dx^2 + dt*sin(t)*exp(-x^2)");
    one("growth without a time step", 1, 0, "1.01*u");
    begin(&s, 1); // oscillators: symplectic Euler, limit 2/w
    add(&s, "p", 1, 0, "p - dt*9*q");
    add(&s, "q", 1, 1, "q + dt*p");
    expect(&s, 2.0 / 3, "symplectic Euler");
    begin(&s, 1);
    add(&s, "p", 1, 0, "p - dt*9*q");
    add(&s, "q", 1, 0, "q + dt*p");
    expect(&s, 0, "Euler's method with an oscillator");
    begin(&s, 1); // Heun's method in two sub-steps: limit that of Euler's for real eigenvalues
    add(&s, "k", 1, 0, "u + dt*(u[1] - 2*u + u[-1])");
    add(&s, "u", 1, 1, "0.5*(u + k + dt*(k[1] - 2*k + k[-1]))");
    expect(&s, 0.5, "Heun's method");
    begin(&s, 1); // the equation itself grows: 1 + (a - 4) dt >= -exp(1.05 a dt)
    add(&s, "u", 1, 0, "u + dt*(u[1] - 2*u + u[-1] + 0.1*u)");
    found = find(&s);
    const double dt = found.time_step_limit;
    CHECK(fabs(found.growth_rate - 0.1) < 1e-5, "growth at the rate %g", found.growth_rate);
    CHECK(fabs(3.9 * dt - 1 - exp(0.105 * dt)) < 1e-5, "growth: the limit is %g", dt);
    begin(&s, 1); // but not where the shortest wave grows most
    add(&s, "u", 1, 0, "u - dt*(u[1] - 2*u + u[-1])");
    expect(&s, 0, "heat backwards");
}

// Coefficients at their extremes, wherever they are and however they combine.
static void test_coefficients(void **state) {
    static float data[20];
    static double more[20];
    scheme s;
    (void)state;
    for (int i = 0; i < 20; i++) {
        data[i] = i == 13 ? 3.0f : 1.0f;
        more[i] = i == 2 ? 0.5 : i == 17 ? NAN : 1.0;
    }
    begin(&s, 1);
    add(&s, "u", 2, 0, "2*u - u.prev + (dt*speed[-1])^2/density*(u[1] - 2*u + u[-1])");
    s.fields[1] = (mst_stencil_field){.name = "speed", .coefficient = true, .initial = {.expression = "x == 13 ? 3 : 1"}};
    s.fields[2] = (mst_stencil_field){.name = "density", .coefficient = true, .initial = {.expression = "1"}};
    s.desc.n_fields = 3;
    expect(&s, 1.0 / 3, "an expression");
    s.fields[1].initial =
        (mst_stencil_initial){.layout = mst_layout_dense(MST_FLOAT32, 1, s.desc.grid), .data = mst_at_host(data)};
    s.fields[2].initial =
        (mst_stencil_initial){.layout = mst_layout_dense(MST_FLOAT64, 1, s.desc.grid), .data = mst_at_host(more)};
    expect(&s, sqrt(0.5) / 3, "data");
    s.fields[1].initial = (mst_stencil_initial){.expression = "exp(-((x - 7)/3)^2)*(1 + 0*dt)"};
    s.fields[2].initial = (mst_stencil_initial){.expression = "1 + 0.1*(x - 9)^2"};
    double most = 0;
    for (int i = 0; i < 20; i++)
        most = fmax(most, exp(-2 * pow((i - 7) / 3.0, 2)) / (1 + 0.1 * pow(i - 9, 2)));
    expect(&s, 1 / sqrt(most), "what is worst between the extremes");
    begin(&s, 3);
    add(&s, "u", 1, 0, "u + dt*(x < 5 ? 1 : y > 3 && z == 4 ? 7 : 2)*(u[0,0,1] - 2*u + u[0,0,-1])");
    expect(&s, 1.0 / 14, "a condition");
}

static void refused(const char *pattern, int levels, const char *text) {
    mst_stencil_stability found = MST_STENCIL_STABILITY_INIT;
    scheme s;
    mst_error e;
    begin(&s, 1);
    add(&s, "u", levels, 0, "%s", text);
    add(&s, "v", 1, 0, "v");
    REFUSED(MST_ERROR_UNSUPPORTED, pattern, mst_stencil_time_step_limit(&s.desc, &found, &e));
}

static void test_refusals(void **state) {
    mst_stencil_stability none = {0};
    scheme s;
    mst_error e;
    (void)state;
    refused("the update of u is not linear, it multiplies u by v", 1, "u + dt*u[1]*v");
    refused("the update of u is not linear, it multiplies u by u", 1, "u + dt*u^2");
    refused("the update of u is not linear, it divides by what depends on v", 1, "u/(1 + v)");
    refused("the update of u is not linear, it takes sqrt of u", 1, "sqrt(u)");
    refused("the update of u is not linear, it compares what depends on u", 1, "u > 0 ? u : 0");
    refused("the update of u is not linear, it takes max of v", 1, "max(0, v)");
    refused("in the update of u what multiplies a field depends on t", 2, "u + dt*cos(t)*u.prev");
    begin(&s, 1);
    add(&s, "u", 1, 0, "u + w");
    REFUSED(MST_ERROR_ARGUMENT, "w",
            mst_stencil_time_step_limit(&s.desc, &(mst_stencil_stability)MST_STENCIL_STABILITY_INIT, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_stencil_time_step_limit(NULL, &none, &e));
    REFUSED(MST_ERROR_ARGUMENT, "MST_STENCIL_STABILITY_INIT", mst_stencil_time_step_limit(&s.desc, &none, &e));
}

// ---- Random schemes of two fields, on a ring of nodes: a[i][j][o] is what field j at offset o - 2 adds to the rate of field i.

enum { NODES = 48, OFFSETS = 5, STEPS = 3000 };

typedef struct random_scheme {
    double a[2][2][OFFSETS];
    bool second; // u'' instead of u'
} random_scheme;

// Diffusive: what comes in from elsewhere is less than what leaves; of second order in time also symmetric.
static random_scheme make_random(bool second) {
    random_scheme r = {.second = second};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int o = 0; o < OFFSETS; o++) {
                const bool mirrored = second && (i > j || (i == j && o > 2));
                r.a[i][j][o] = mirrored ? r.a[j][i][4 - o] : test_uniform();
            }
    for (int i = 0; i < 2; i++) {
        r.a[i][i][2] = 0;
        double sum = 0;
        for (int j = 0; j < 2; j++)
            for (int o = 0; o < OFFSETS; o++)
                sum += fabs(r.a[i][j][o]);
        r.a[i][i][2] = -sum - 0.1;
    }
    return r;
}

static double limit_of(const random_scheme *r) {
    static const char *const names[] = {"u", "v"};
    scheme s;
    begin(&s, 1);
    for (int i = 0; i < 2; i++) {
        char text[1500];
        size_t used = 0;
        for (int j = 0; j < 2; j++)
            for (int o = 0; o < OFFSETS; o++)
                used += (size_t)snprintf(text + used, sizeof text - used, "%+.17g*%s[%d]", r->a[i][j][o], names[j], o - 2);
        if (r->second)
            add(&s, names[i], 2, 0, "2*%s - %s.prev + dt^2*(%s)", names[i], names[i], text);
        else
            add(&s, names[i], 1, 0, "%s + dt*(%s)", names[i], text);
    }
    return find(&s).time_step_limit;
}

// The largest value after some steps from random values.
static double largest_after(const random_scheme *r, double dt) {
    static double now[2][NODES], before[2][NODES], next[2][NODES];
    double most = 0;
    for (int i = 0; i < 2; i++)
        for (int x = 0; x < NODES; x++)
            before[i][x] = now[i][x] = test_uniform();
    for (int k = 0; k < STEPS && most < 1e12; k++) {
        most = 0;
        for (int i = 0; i < 2; i++)
            for (int x = 0; x < NODES; x++) {
                double rate = 0;
                for (int j = 0; j < 2; j++)
                    for (int o = 0; o < OFFSETS; o++)
                        rate += r->a[i][j][o] * now[j][(x + o - 2 + NODES) % NODES];
                next[i][x] = r->second ? 2 * now[i][x] - before[i][x] + dt * dt * rate : now[i][x] + dt * rate;
                most = fmax(most, fabs(next[i][x]));
            }
        memcpy(before, now, sizeof now);
        memcpy(now, next, sizeof now);
    }
    return most;
}

static void test_random_schemes(void **state) {
    (void)state;
    for (int k = 0; k < test_many(40); k++) {
        const random_scheme r = make_random(k % 2);
        const double limit = limit_of(&r);
        CHECK(limit > 0.01 && limit < 10, "scheme %d has the limit %g", k, limit);
        const double below = largest_after(&r, 0.999 * limit), above = largest_after(&r, 1.02 * limit);
        CHECK(below < 1e4, "scheme %d grows to %g below its limit %g", k, below, limit);
        CHECK(above > 1e6, "scheme %d stays within %g above its limit %g", k, above, limit);
    }
}

// The rows of a table that are in the data, not combinations of their columns: air is no rock of air's density. Tables of other
// data are combined.
static void test_tables(void **state) {
    static const double moduli[] = {1500, 2, 3000, 1e6}, densities[] = {1000, 0.002, 1500, 1e-6};
    uint8_t numbers[20], others[20];
    scheme s;
    (void)state;
    for (int i = 0; i < 20; i++) {
        numbers[i] = (uint8_t)(i % 3);
        others[i] = (uint8_t)(2 - i % 3);
    }
    begin(&s, 1);
    add(&s, "u", 2, 0, "2*u - u.prev + dt^2*k/rho*laplace(u)");
    for (int c = 0; c < 2; c++) {
        mst_stencil_field *f = &s.fields[s.desc.n_fields++];
        *f = (mst_stencil_field){.name = c ? "rho" : "k", .coefficient = true, .table = c ? densities : moduli, .n_table = 4};
        f->initial.layout = mst_layout_dense(MST_UINT8, 1, s.desc.grid);
        f->initial.data = mst_at_host(numbers);
    }
    expect(&s, 1 / sqrt(2 / 0.002), "materials"); // the fourth is not in the data
    s.fields[2].initial.data = mst_at_host(others);
    expect(&s, 1 / sqrt(3000 / 0.002), "tables by other data");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heat_and_waves), cmocka_unit_test(test_yee),          cmocka_unit_test(test_transport),
        cmocka_unit_test(test_others),         cmocka_unit_test(test_coefficients), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_random_schemes), cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, test_enter_directory, test_leave_directory);
}
