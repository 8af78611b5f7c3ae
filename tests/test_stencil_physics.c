// What schemes must do exactly, or to their order: eigenmodes of the discrete heat equation, convergence on manufactured
// solutions, advection that returns, the energy of Yee's scheme, symmetry.
#include "support.h"

#include <math.h>

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static const double pi = 3.14159265358979323846;

// One step a kernel, which compiles soonest: results do not depend on it.
static mst_stencil *solver_of(void **state, const mst_stencil_desc *desc) {
    mst_stencil_desc single = *desc;
    mst_stencil *solver;
    mst_error e;
    single.fuse = 1;
    OK(mst_stencil_create(*state, &single, &solver, &e));
    return solver;
}

static void run(mst_stencil *solver, uint64_t steps) {
    mst_error e;
    OK(mst_stencil_run(solver, steps, NULL, NULL, &e));
}

static double *values_of(mst_stencil *solver, const char *field, size_t n) {
    double *values = malloc(n * sizeof *values);
    mst_error e;
    memset(values, 0xff, n * sizeof *values);
    OK(mst_stencil_read(solver, field, 0, NULL, mst_at_host(values), &e));
    return values;
}

// ---- Heat: a mode that the scheme multiplies by the same factor in every step (any textbook on von Neumann's analysis)

// Between Dirichlet faces sin(pi p (i + 1) / (n + 1)), between mirrors cos(pi p (i + 1/2) / n), on a ring cos(2 pi p i / n).
typedef struct mode {
    mst_boundary_kind kind;
    size_t n, p;
} mode;

static double mode_at(const mode *m, size_t i) {
    double p = (double)m->p, k = (double)i, n = (double)m->n;
    return m->kind == MST_BOUNDARY_DIRICHLET ? sin(pi * p * (k + 1) / (n + 1))
           : m->kind == MST_BOUNDARY_NEUMANN ? cos(pi * p * (k + 0.5) / n)
                                             : cos(2 * pi * p * k / n);
}

// What u[-1] - 2 u + u[1] multiplies it by.
static double mode_factor(const mode *m) {
    double half = pi * (double)m->p /
                  (m->kind == MST_BOUNDARY_DIRICHLET ? 2 * (double)(m->n + 1)
                   : m->kind == MST_BOUNDARY_NEUMANN ? 2 * (double)m->n
                                                     : (double)m->n);
    return -4 * sin(half) * sin(half);
}

static void check_mode(void **state, int rank, const mode *modes, const char *update) {
    enum { STEPS = 40 };
    mst_stencil_desc desc = MST_STENCIL_DESC_INIT;
    mst_stencil_field field = {.name = "u"};
    mst_stencil_update updates[] = {{"u", update, 0}};
    mst_stencil_boundary ends[2 * MST_MAX_AXES] = {{.kind = MST_BOUNDARY_DIRICHLET}};
    size_t n = 1;
    double factor = 1;
    desc.rank = rank;
    desc.boundaries = ends;
    desc.precision = MST_FLOAT64;
    for (int k = 0; k < rank; k++) {
        desc.grid[k] = modes[k].n;
        ends[2 * k].kind = ends[2 * k + 1].kind = modes[k].kind;
        factor += 0.15 * mode_factor(&modes[k]);
        n *= modes[k].n;
    }
    double *initial = malloc(n * sizeof *initial), worst = 0;
    for (size_t i = 0; i < n; i++) {
        initial[i] = 1;
        for (size_t k = (size_t)rank, rest = i; k-- > 0; rest /= modes[k].n)
            initial[i] *= mode_at(&modes[k], rest % modes[k].n);
    }
    field.initial.layout = mst_layout_dense(MST_FLOAT64, rank, desc.grid);
    field.initial.data = mst_at_host(initial);
    desc.fields = &field;
    desc.updates = updates;
    desc.n_fields = desc.n_updates = 1;
    mst_stencil *solver = solver_of(state, &desc);
    run(solver, STEPS);
    double *found = values_of(solver, "u", n);
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fabs(found[i] - pow(factor, STEPS) * initial[i]));
    CHECK(pow(factor, STEPS) > 0.01, "the mode decays to %g: the test says nothing", pow(factor, STEPS));
    CHECK(worst < 1e-13, "%d axes: the mode is off by %g after %d steps", rank, worst, STEPS);
    free(found);
    free(initial);
    mst_stencil_destroy(solver);
}

static void test_heat_modes(void **state) {
    const mode line[] = {{MST_BOUNDARY_DIRICHLET, 257, 5}};
    const mode plane[] = {{MST_BOUNDARY_NEUMANN, 33, 2}, {MST_BOUNDARY_DIRICHLET, 50, 3}};
    const mode block[] = {{MST_BOUNDARY_PERIODIC, 12, 1}, {MST_BOUNDARY_NEUMANN, 17, 1}, {MST_BOUNDARY_DIRICHLET, 23, 2}};
    check_mode(state, 1, line, "u + 0.15*(u[-1] - 2*u + u[1])");
    check_mode(state, 2, plane, "u + 0.15*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)");
    check_mode(state, 3, block, "u + 0.15*(u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1] - 6*u)");
}

// ---- Manufactured solutions: any function solves the equation with the right-hand side that it leaves. Halving spacing and time
// step must quarter the error.

typedef double (*exact_fn)(double x, double y, double t);

// The error after the time 0.5 on n x n nodes, root mean square. `sides` are the values beyond x-, x+, y- and y+.
static double error_of(void **state, size_t n, const mst_stencil_field *fields, size_t n_fields,
                       const mst_stencil_update *updates, const char *const sides[4], exact_fn exact) {
    mst_stencil_desc desc = MST_STENCIL_DESC_INIT;
    double h = 1.0 / (double)n, sum = 0;
    uint64_t steps = n; // 0.5 / (h / 2)
    desc.rank = 2;
    desc.grid[0] = desc.grid[1] = n;
    desc.spacing[0] = desc.spacing[1] = h;
    desc.time_step = h / 2;
    desc.precision = MST_FLOAT64;
    desc.fields = fields;
    desc.updates = updates;
    desc.n_fields = desc.n_updates = n_fields;
    const mst_stencil_boundary ends[4] = {{.value = sides[2]}, {.value = sides[3]}, {.value = sides[0]}, {.value = sides[1]}};
    desc.boundaries = ends;
    mst_stencil *solver = solver_of(state, &desc);
    run(solver, steps);
    double *found = values_of(solver, fields[0].name, n * n);
    for (size_t i = 0; i < n * n; i++) {
        double off = found[i] - exact((double)(i % n) * h, (double)(i / n) * h, (double)steps * desc.time_step);
        sum += off * off;
    }
    free(found);
    mst_stencil_destroy(solver);
    return sqrt(sum) * h;
}

static void check_order(const double errors[2], const char *what) {
    double order = log2(errors[0] / errors[1]);
    CHECK(fabs(order - 2) < 0.15, "%s converges to the order %.3f: errors %g %g", what, order, errors[0], errors[1]);
    CHECK(errors[0] < 0.05, "%s: the error on the coarsest grid is %g", what, errors[0]);
}

static double wave_exact(double x, double y, double t) { return sin(2 * x + y) * cos(3 * t); }

static void test_wave_order(void **state) {
    const mst_stencil_field fields[] = {
        {.name = "u", .levels = 2, .initial.expression = "sin(2*x + y)", .previous.expression = "sin(2*x + y)*cos(3*dt)"}};
    // u_tt = (1 + x y / 2) (u_xx + u_yy) + f
    const mst_stencil_update updates[] = {
        {"u",
         "2*u - u.prev + dt^2*((1 + x*y/2)*((u[0,-1] - 2*u + u[0,1])/dx^2 + (u[-1,0] - 2*u + u[1,0])/dy^2)"
         " + (5*(1 + x*y/2) - 9)*sin(2*x + y)*cos(3*t))",
         0}};
    const char *const side = "sin(2*x + y)*cos(3*t)", *const sides[] = {side, side, side, side};
    double errors[2];
    for (int k = 0; k < 2; k++)
        errors[k] = error_of(state, (size_t)40 << k, fields, 1, updates, sides, wave_exact);
    check_order(errors, "the wave equation");
}

static double yee_exact(double x, double y, double t) { return cos(3 * x - 2 * y - 4 * t); }

// ez = cos(a), hx = -1/2 cos(a), hy = -3/4 cos(a) with a = 3 x - 2 y - 4 t solve Maxwell's equations with a current of
// (4 - 13/4) sin(a). hx lies half a spacing further in y, hy in x, both half a step earlier. Beyond the faces ez is read at t, hx
// and hy, which the sub-step before has updated, at t + dt: that is their t - dt/2.
static void test_yee_order(void **state) {
    const mst_stencil_field fields[] = {{.name = "ez", .initial.expression = "cos(3*x - 2*y)"},
                                        {.name = "hx", .initial.expression = "-0.5*cos(3*x - 2*(y + dy/2) + 2*dt)"},
                                        {.name = "hy", .initial.expression = "-0.75*cos(3*(x + dx/2) - 2*y + 2*dt)"}};
    const mst_stencil_update updates[] = {
        {"hx", "hx - dt/dy*(ez[1,0] - ez)", 0},
        {"hy", "hy + dt/dx*(ez[0,1] - ez)", 0},
        {"ez", "ez + dt*((hy - hy[0,-1])/dx - (hx - hx[-1,0])/dy + 0.75*sin(3*x - 2*y - 4*(t + dt/2)))", 1}};
    const char *const sides[] = {"-0.75*cos(3*(x + dx/2) - 2*y - 4*(t - dt/2))", "cos(3*x - 2*y - 4*t)",
                                 "-0.5*cos(3*x - 2*(y + dy/2) - 4*(t - dt/2))", "cos(3*x - 2*y - 4*t)"};
    double errors[2];
    for (int k = 0; k < 2; k++)
        errors[k] = error_of(state, (size_t)40 << k, fields, 3, updates, sides, yee_exact);
    check_order(errors, "Yee's scheme");
}

static const mst_stencil_boundary torus[] = {{.kind = MST_BOUNDARY_PERIODIC}, {.kind = MST_BOUNDARY_PERIODIC},
                                             {.kind = MST_BOUNDARY_PERIODIC}, {.kind = MST_BOUNDARY_PERIODIC},
                                             {.kind = MST_BOUNDARY_PERIODIC}, {.kind = MST_BOUNDARY_PERIODIC}};

// ---- Advection by one node a step on a torus is back, in every bit, after the least common multiple of the sides

static void test_advection(void **state) {
    enum { NY = 12, NX = 18, BACK = 36 };
    mst_stencil_desc desc = MST_STENCIL_DESC_INIT;
    mst_stencil_field field = {.name = "u"};
    mst_stencil_update update = {"u", "u[-1,-1]", 0};
    float initial[NY * NX], found[NY * NX];
    mst_error e;
    for (size_t i = 0; i < COUNT(initial); i++)
        initial[i] = (float)test_uniform();
    desc.rank = 2;
    desc.grid[0] = NY;
    desc.grid[1] = NX;
    desc.boundaries = torus;
    field.initial.layout = mst_layout_dense(MST_FLOAT32, 2, desc.grid);
    field.initial.data = mst_at_host(initial);
    desc.fields = &field;
    desc.updates = &update;
    desc.n_fields = desc.n_updates = 1;
    mst_stencil *solver = solver_of(state, &desc);
    run(solver, BACK - 1);
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(found), &e));
    assert_true(found[0] == initial[NX + 1] && memcmp(found, initial, sizeof initial) != 0);
    run(solver, 1);
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(found), &e));
    assert_memory_equal(found, initial, sizeof initial);
    mst_stencil_destroy(solver);
}

// ---- Yee in three dimensions on a torus keeps E(k) . E(k) + H(k - 1/2) . H(k + 1/2)

static void fill(mst_stencil *solver, const char *field, size_t n) {
    double *values = malloc(n * sizeof *values);
    mst_error e;
    for (size_t i = 0; i < n; i++)
        values[i] = test_uniform();
    OK(mst_stencil_write(solver, field, 0, mst_at_host(values), &e));
    free(values);
}

// Advances by a step. The energy is that of the electric field before it.
static double step_energy(mst_stencil *solver, const mst_stencil_field *fields, size_t n) {
    double *before[6], energy = 0;
    for (int f = 0; f < 6; f++)
        before[f] = values_of(solver, fields[f].name, n);
    run(solver, 1);
    for (int f = 0; f < 6; f++) {
        double *other = f < 3 ? before[f] : values_of(solver, fields[f].name, n);
        for (size_t i = 0; i < n; i++)
            energy += before[f][i] * other[i];
        if (f >= 3)
            free(other);
    }
    for (int f = 0; f < 6; f++)
        free(before[f]);
    return energy;
}

static void test_yee_energy(void **state) {
    enum { N = 7 * 8 * 9 };
    const mst_stencil_field fields[] = {{.name = "ex"}, {.name = "ey"}, {.name = "ez"},
                                        {.name = "hx"}, {.name = "hy"}, {.name = "hz"}};
    const mst_stencil_update updates[] = {
        {"hx", "hx - dt*(ez[0,1,0] - ez - (ey[1,0,0] - ey))", 0},   {"hy", "hy - dt*(ex[1,0,0] - ex - (ez[0,0,1] - ez))", 0},
        {"hz", "hz - dt*(ey[0,0,1] - ey - (ex[0,1,0] - ex))", 0},   {"ex", "ex + dt*(hz - hz[0,-1,0] - (hy - hy[-1,0,0]))", 1},
        {"ey", "ey + dt*(hx - hx[-1,0,0] - (hz - hz[0,0,-1]))", 1}, {"ez", "ez + dt*(hy - hy[0,0,-1] - (hx - hx[0,-1,0]))", 1}};
    mst_stencil_desc desc = MST_STENCIL_DESC_INIT;
    desc.rank = 3;
    for (int k = 0; k < 3; k++)
        desc.grid[k] = (size_t)(7 + k);
    desc.boundaries = torus;
    desc.time_step = 0.57; // 1 / sqrt(3) is the limit
    desc.precision = MST_FLOAT64;
    desc.fields = fields;
    desc.updates = updates;
    desc.n_fields = desc.n_updates = 6;
    mst_stencil *solver = solver_of(state, &desc);
    for (int f = 0; f < 6; f++)
        fill(solver, fields[f].name, N);
    double first = step_energy(solver, fields, N);
    for (int part = 0; part < 5; part++) {
        run(solver, 200);
        double energy = step_energy(solver, fields, N);
        CHECK(fabs(energy / first - 1) < 1e-11, "the energy was %.17g and is %.17g", first, energy);
    }
    double *ez = values_of(solver, "ez", N), most = 0;
    for (size_t i = 0; i < N; i++)
        most = fmax(most, fabs(ez[i]));
    CHECK(most > 0.1 && most < 30, "the greatest ez is %g", most);
    free(ez);
    mst_stencil_destroy(solver);
}

// ---- A scheme without a preferred direction keeps the eight symmetries of a square in every bit

static void test_symmetry(void **state) {
    enum { N = 33 };
    mst_stencil_desc desc = MST_STENCIL_DESC_INIT;
    mst_stencil_field field = {.name = "u",
                               .initial.expression = "exp(-((x - 16)^2 + (y - 16)^2)/20)*(1 + 0.01*(x - 16)^2*(y - 16)^2)"};
    mst_stencil_update update = {"u", "u + 0.2*(((u[0,-1] + u[0,1]) + (u[-1,0] + u[1,0])) - 4*u) + 0.01*u*(1 - u)*u", 0};
    float u[N][N];
    mst_error e;
    desc.rank = 2;
    desc.grid[0] = desc.grid[1] = N;
    desc.fields = &field;
    desc.updates = &update;
    desc.n_fields = desc.n_updates = 1;
    mst_stencil *solver = solver_of(state, &desc);
    run(solver, 50);
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(u), &e));
    assert_true(u[16][16] > 0.01f && u[16][16] != u[15][16]);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            CHECK(u[i][j] == u[j][i] && u[i][j] == u[N - 1 - i][j] && u[i][j] == u[i][N - 1 - j],
                  "node %d, %d has lost its mirror", i, j);
    mst_stencil_destroy(solver);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heat_modes), cmocka_unit_test(test_wave_order), cmocka_unit_test(test_yee_order),
        cmocka_unit_test(test_advection),  cmocka_unit_test(test_yee_energy), cmocka_unit_test(test_symmetry),
    };
    test_all_quick_builds = true;
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
