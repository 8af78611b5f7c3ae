// Staggered schemes of order 4 between mirrors: standing waves of cavities, whose frequency in the discrete scheme is known in
// closed form. A sum of exponentials obeys the scheme in the whole plane and has the symmetry of the mirrors, so it must stay, to
// rounding; a face that is wrong by one node, or in its sign, shows at once. And the speed of Rayleigh's wave along a free
// surface.
#include "support.h"

#include <math.h>

enum { NY = 21, NX = 30, STEPS = 60 };

static const double pi = 3.14159265358979323846;

// Levander's operator of order 4 (Geophysics 53, 1988) turns exp(i k x) into 2 i s(k) exp(i k x), with nodes at a distance of 1.
static double symbol(double k) { return 9.0 / 8 * sin(k / 2) - 1.0 / 24 * sin(3 * k / 2); }

static double largest_error(mst_stencil *solver, const char *field, double (*want)(void *user, int j, int i), void *user) {
    static double values[NY][NX];
    double most = 0;
    mst_error e;
    OK(mst_stencil_read(solver, field, 0, NULL, mst_at_host(values), &e));
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++)
            most = fmax(most, fabs(values[j][i] - want(user, j, i)));
    return most;
}

static mst_stencil_desc describe(const mst_stencil_parameter *parameters, size_t n_parameters, const mst_stencil_field *fields,
                                 size_t n_fields, const mst_stencil_update *updates) {
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = 2;
    d.grid[0] = NY;
    d.grid[1] = NX;
    d.precision = MST_FLOAT64;
    d.parameters = parameters;
    d.n_parameters = n_parameters;
    d.fields = fields;
    d.n_fields = n_fields;
    d.updates = updates;
    d.n_updates = n_fields;
    return d;
}

#define EVEN                                                                                                                     \
    { .kind = MST_BOUNDARY_NEUMANN }
#define ODD                                                                                                                      \
    { .kind = MST_BOUNDARY_ANTIMIRROR }
#define EVEN_NODE                                                                                                                \
    { .kind = MST_BOUNDARY_MIRROR_NODE }
#define ODD_NODE                                                                                                                 \
    { .kind = MST_BOUNDARY_ANTIMIRROR_NODE }
#define AROUND                                                                                                                   \
    { .kind = MST_BOUNDARY_PERIODIC }

// ---- Light in a box of perfect conductors: ez on nodes, hx half a node further along y, hy along x. The upper faces lie half a
// node behind the last ez.

typedef struct box_mode {
    double kx, ky, amplitude;
} box_mode;

static double box_ez(void *user, int j, int i) {
    const box_mode *m = user;
    return m->amplitude * sin(m->kx * i) * sin(m->ky * j);
}

static void check_box(void **state, mst_stencil_schedule schedule, mst_stencil_shape shape) {
    static const mst_stencil_boundary of_ez[] = {ODD_NODE, ODD, ODD_NODE, ODD}, of_hx[] = {EVEN, EVEN_NODE, ODD_NODE, ODD},
                                      of_hy[] = {ODD_NODE, ODD, EVEN, EVEN_NODE};
    static const mst_stencil_field fields[] = {
        {.name = "ez", .boundaries = of_ez, .initial = {.expression = "sin(kx*x) * sin(ky*y)"}},
        {.name = "hx", .boundaries = of_hx, .initial = {.expression = "dt*sy * sin(kx*x) * cos(ky*(y + 0.5))"}},
        {.name = "hy", .boundaries = of_hy, .initial = {.expression = "-dt*sx * cos(kx*(x + 0.5)) * sin(ky*y)"}}};
    static const mst_stencil_update updates[] = {
        {"hx", "hx - dt*(9/8*(ez[1,0] - ez) - 1/24*(ez[2,0] - ez[-1,0]))", 0},
        {"hy", "hy + dt*(9/8*(ez[0,1] - ez) - 1/24*(ez[0,2] - ez[0,-1]))", 0},
        {"ez", "ez + dt*(9/8*(hy - hy[0,-1]) - 1/24*(hy[0,1] - hy[0,-2]) - 9/8*(hx - hx[-1,0]) + 1/24*(hx[1,0] - hx[-2,0]))", 1}};
    box_mode mode = {.kx = 3 * pi / (NX - 0.5), .ky = 2 * pi / (NY - 0.5)};
    const mst_stencil_parameter parameters[] = {
        {"kx", mode.kx}, {"ky", mode.ky}, {"sx", symbol(mode.kx)}, {"sy", symbol(mode.ky)}};
    mst_stencil_desc d = describe(parameters, 4, fields, 3, updates);
    mst_stencil *solver;
    mst_error e;
    d.time_step = 0.5;
    d.schedule = schedule;
    d.fuse = 1;
    d.shape = shape;
    const double half_turn = asin(d.time_step * hypot(symbol(mode.kx), symbol(mode.ky))); // omega dt / 2
    mode.amplitude = cos(2 * half_turn * STEPS);
    OK(mst_stencil_create(*state, &d, &solver, &e));
    OK(mst_stencil_run(solver, STEPS, NULL, NULL, &e));
    const double error = largest_error(solver, "ez", box_ez, &mode);
    CHECK(error < 1e-12, "ez of the box is wrong by %g", error);
    mst_stencil_destroy(solver);
}

static void test_box_sweeps(void **state) { check_box(state, MST_STENCIL_SWEEPS, MST_STENCIL_SHAPE_CPU); }
static void test_box_slabs(void **state) { check_box(state, MST_STENCIL_PYRAMID_SLABS, MST_STENCIL_SHAPE_CPU); }

// ---- An elastic layer with free surfaces: vy and sxy on nodes, vx, sxx and syy half a node further along y, vx and sxy along x,
// too. P and S waves up and down between the surfaces, through the first vy and half a node behind the last. Stresses that are 0
// there are odd (stress imaging), velocities even.

typedef struct layer_mode {
    double k, amplitude, shift;
} layer_mode;

static double layer_velocity(void *user, int j, int i) {
    const layer_mode *m = user;
    (void)i;
    return m->amplitude * cos(m->k * (j + m->shift));
}

static void test_free_surfaces(void **state) {
    static const mst_stencil_boundary even[] = {EVEN, EVEN_NODE, AROUND, AROUND}, odd[] = {ODD, ODD_NODE, AROUND, AROUND},
                                      even_on_it[] = {EVEN_NODE, EVEN, AROUND, AROUND},
                                      odd_on_it[] = {ODD_NODE, ODD, AROUND, AROUND};
    static const mst_stencil_field fields[] = {
        {.name = "sxx", .boundaries = odd, .initial = {.expression = "dt*la*sp * sin(kp*(y + 0.5))"}},
        {.name = "syy", .boundaries = odd, .initial = {.expression = "dt*(la + 2*mu)*sp * sin(kp*(y + 0.5))"}},
        {.name = "sxy", .boundaries = odd_on_it, .initial = {.expression = "dt*mu*ss * sin(ks*y)"}},
        {.name = "vx", .boundaries = even, .initial = {.expression = "cos(ks*(y + 0.5))"}},
        {.name = "vy", .boundaries = even_on_it, .initial = {.expression = "cos(kp*y)"}}};
#define DX_VX "(9/8*(vx - vx[0,-1]) - 1/24*(vx[0,1] - vx[0,-2]))"
#define DY_VY "(9/8*(vy[1,0] - vy) - 1/24*(vy[2,0] - vy[-1,0]))"
    static const mst_stencil_update updates[] = {
        {"sxx", "sxx + dt*((la + 2*mu)*" DX_VX " + la*" DY_VY ")", 0},
        {"syy", "syy + dt*(la*" DX_VX " + (la + 2*mu)*" DY_VY ")", 0},
        {"sxy",
         "y > 0 ? sxy + dt*mu*(9/8*(vx - vx[-1,0]) - 1/24*(vx[1,0] - vx[-2,0])"
         " + 9/8*(vy[0,1] - vy) - 1/24*(vy[0,2] - vy[0,-1])) : 0",
         0},
        {"vx",
         "vx + dt*(9/8*(sxx[0,1] - sxx) - 1/24*(sxx[0,2] - sxx[0,-1]) + 9/8*(sxy[1,0] - sxy) - 1/24*(sxy[2,0] - sxy[-1,0]))", 1},
        {"vy",
         "vy + dt*(9/8*(sxy - sxy[0,-1]) - 1/24*(sxy[0,1] - sxy[0,-2]) + 9/8*(syy - syy[-1,0]) - 1/24*(syy[1,0] - syy[-2,0]))",
         1}};
    layer_mode p = {.k = 2 * pi / (NY - 0.5)}, s = {.k = 3 * pi / (NY - 0.5), .shift = 0.5};
    const double la = 1.5, mu = 1;
    const mst_stencil_parameter parameters[] = {{"la", la},  {"mu", mu},          {"kp", p.k},
                                                {"ks", s.k}, {"sp", symbol(p.k)}, {"ss", symbol(s.k)}};
    mst_stencil_desc d = describe(parameters, 6, fields, 5, updates);
    mst_stencil *solver;
    mst_error e;
    d.boundaries = even;
    d.time_step = 0.25;
    d.schedule = MST_STENCIL_SWEEPS;
    p.amplitude = cos(2 * STEPS * asin(d.time_step * sqrt(la + 2 * mu) * symbol(p.k)));
    s.amplitude = cos(2 * STEPS * asin(d.time_step * sqrt(mu) * symbol(s.k)));
    OK(mst_stencil_create(*state, &d, &solver, &e));
    OK(mst_stencil_run(solver, STEPS, NULL, NULL, &e));
    const double of_vy = largest_error(solver, "vy", layer_velocity, &p), of_vx = largest_error(solver, "vx", layer_velocity, &s);
    CHECK(of_vy < 1e-12, "vy of the layer is wrong by %g", of_vy);
    CHECK(of_vx < 1e-12, "vx of the layer is wrong by %g", of_vx);
    mst_stencil_destroy(solver);
}

// ---- Rayleigh's wave along a free surface: an exact wave of the continuous medium (lambda = mu = rho = 1) to begin with, which
// keeps its form and travels at the root of Rayleigh's equation, as far as the surface is free. The images of velocities beyond
// it are exact for waves straight up alone, so that the speed's error says what they are worth.

static double rayleigh_equation(double c) { return pow(2 - c * c, 2) - 4 * sqrt(1 - c * c / 3) * sqrt(1 - c * c); }

static double rayleigh_speed(void) {
    double low = 0.5, high = 0.99;
    for (int k = 0; k < 100; k++) {
        const double middle = (low + high) / 2;
        *(rayleigh_equation(low) * rayleigh_equation(middle) > 0 ? &low : &high) = middle;
    }
    return low;
}

// How much of its speed a wave of n nodes lacks after four periods, by the phase of vy along the surface.
static double rayleigh_error(void **state, int n) {
    static const mst_stencil_boundary even[] = {EVEN, {0}, AROUND, AROUND}, even_on_it[] = {EVEN_NODE, {0}, AROUND, AROUND},
                                      odd[] = {ODD, {0}, AROUND, AROUND}, odd_on_it[] = {ODD_NODE, {0}, AROUND, AROUND};
#define DEEP "exp(-q*(y + 0.5))"
#define SHALLOW "exp(-s*(y + 0.5))"
    static const mst_stencil_field fields[] = {
        {.name = "vx",
         .boundaries = even,
         .initial = {.expression = "-w*k*(" DEEP " - b*" SHALLOW ")*cos(k*(x + 0.5) + w*dt/2)"}},
        {.name = "vy", .boundaries = even_on_it, .initial = {.expression = "w*q*(exp(-q*y) - d*exp(-s*y))*sin(k*x + w*dt/2)"}},
        {.name = "sxx",
         .boundaries = even,
         .initial = {.expression = "(3*k^2*(" DEEP " - b*" SHALLOW ") + q*(s*d*" SHALLOW " - q*" DEEP "))*cos(k*x)"}},
        {.name = "syy",
         .boundaries = odd,
         .initial = {.expression = "(k^2*(" DEEP " - b*" SHALLOW ") + 3*q*(s*d*" SHALLOW " - q*" DEEP "))*cos(k*x)"}},
        {.name = "sxy",
         .boundaries = odd_on_it,
         .initial = {.expression = "k*(b*s*exp(-s*y) - 2*q*exp(-q*y) + q*d*exp(-s*y))*sin(k*(x + 0.5))"}}};
    static const mst_stencil_update updates[] = {{"vx", "vx + dt*(dx_plus(sxx, 4) + dy_plus(sxy, 4))", 0},
                                                 {"vy", "vy + dt*(dx_minus(sxy, 4) + dy_minus(syy, 4))", 0},
                                                 {"sxx", "sxx + dt*(3*dx_minus(vx, 4) + dy_plus(vy, 4))", 1},
                                                 {"syy", "syy + dt*(dx_minus(vx, 4) + 3*dy_plus(vy, 4))", 1},
                                                 {"sxy", "y > 0 ? sxy + dt*(dy_minus(vx, 4) + dx_plus(vy, 4)) : 0", 1}};
    const double c = rayleigh_speed(), k = 2 * pi / n, w = c * k, q = k * sqrt(1 - c * c / 3), s = k * sqrt(1 - c * c);
    const double b = 2 * q * s / (s * s + k * k), d = 2 * k * k / (s * s + k * k);
    const mst_stencil_parameter parameters[] = {{"k", k}, {"w", w}, {"q", q}, {"s", s}, {"b", b}, {"d", d}};
    mst_stencil_desc desc = describe(parameters, 6, fields, 5, updates);
    mst_stencil *solver;
    mst_error e;
    double row[40], cosine = 0, sine = 0;
    desc.boundaries = even;
    desc.grid[0] = (size_t)n * 9 / 2; // where the wave is 1e-5 of that at the surface
    desc.grid[1] = (size_t)n;
    desc.time_step = 0.3;
    desc.schedule = MST_STENCIL_SWEEPS;
    const double steps = round(8 * pi / w / desc.time_step);
    OK(mst_stencil_create(*state, &desc, &solver, &e));
    OK(mst_stencil_run(solver, (uint64_t)steps, NULL, NULL, &e));
    const mst_stencil_region surface = {{0, 0}, {1, 1}, {1, (size_t)n}};
    OK(mst_stencil_read(solver, "vy", 0, &surface, mst_at_host(row), &e));
    mst_stencil_destroy(solver);
    for (int i = 0; i < n; i++) {
        cosine += row[i] * cos(k * i) * 2 / n;
        sine += row[i] * sin(k * i) * 2 / n;
    }
    // vy is w q (1 - d) sin(k x - angle).
    const double size = w * q * (1 - d), angle = w * (steps - 0.5) * desc.time_step, got = atan2(-cosine / size, sine / size);
    CHECK(fabs(hypot(cosine, sine) / fabs(size) - 1) < 0.05, "Rayleigh's wave became %g of itself",
          hypot(cosine, sine) / fabs(size));
    return remainder(angle - got, 2 * pi) / angle;
}

static void test_rayleigh(void **state) {
    const double coarse = rayleigh_error(state, 10), fine = rayleigh_error(state, 20);
    CHECK(fabs(rayleigh_speed() - 0.919402) < 1e-6, "Rayleigh's speed is %g", rayleigh_speed());
    CHECK(fine > 0 && fine < 0.003 && coarse < 0.012, "Rayleigh's wave is slower by %g and %g", coarse, fine);
    CHECK(log2(coarse / fine) > 1.8, "the speed of Rayleigh's wave is of order %g", log2(coarse / fine));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_box_sweeps), cmocka_unit_test(test_box_slabs),
                                       cmocka_unit_test(test_free_surfaces), cmocka_unit_test(test_rayleigh)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
