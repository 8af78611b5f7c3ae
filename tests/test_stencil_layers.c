// Absorbing layers: schemes with stretches give the bits of the same schemes written out, with memory variables as fields and
// coefficients as coefficient fields, by every schedule; what is one memory variable; and descriptions that are refused.
// (Reflections of the written-out form: in cli_solve_layers. Problem files: in cli_solve_absorb.)
// Long: kernels of absorbing layers, which are the longest.
#include "support_stencil.h"

#include <math.h>
#include <string.h>

enum { ROWS = 33, COLUMNS = 41, MOST_TEXT = 4000 };

#define LAYERS_X                                                                                                                 \
    {.kind = MST_BOUNDARY_ABSORB, .width = 6, .speed = 1.5, .reflection = 1e-4, .order = 2, .kappa = 3, .alpha = 0.1}, {         \
        .kind = MST_BOUNDARY_ABSORB, .width = 4, .alpha = -1                                                                     \
    }
static const mst_stencil_boundary faces[] = {{.kind = MST_BOUNDARY_ABSORB, .width = 5}, {.kind = MST_BOUNDARY_NEUMANN}, LAYERS_X};

// Coefficients b, a and 1/kappa of node i of an axis of n nodes, as Roden and Gedney (2000) have them.
static void coefficients(const mst_stencil_boundary pair[2], int rank, int n, double dt, double shift, int i, float out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int side = 0; side < 2; side++) {
        const mst_stencil_boundary *f = &pair[side];
        const double w = (double)f->width, at = i + shift, d = (w - 0.5 - (side ? n - 1 - at : at)) / w;
        if (f->kind != MST_BOUNDARY_ABSORB || d <= 0)
            continue;
        const double speed = f->speed > 0 ? f->speed : 1 / (dt * sqrt(rank)), m = f->order > 0 ? f->order : 3;
        const double alpha = f->alpha < 0 ? 0 : f->alpha > 0 ? f->alpha : 0.03 * speed;
        const double sigma = -(m + 1) * log(f->reflection > 0 ? f->reflection : fmin(0.01, pow(10, -3 - log2(w / 10)))) * speed /
                             (2 * w) * pow(d, m);
        const double kappa = 1 + ((f->kappa > 0 ? f->kappa : 1) - 1) * pow(d, m);
        const double b = exp(-(sigma / kappa + alpha) * dt);
        out[0] = (float)b;
        out[1] = (float)(sigma * (b - 1) / (kappa * (sigma + kappa * alpha)));
        out[2] = (float)(1 / kappa);
    }
}

// The scheme written out: the fields of *d, then memory variables, then coefficient fields of the grid's shape.
typedef struct written {
    mst_stencil_desc desc;
    mst_stencil_field fields[24];
    mst_stencil_update updates[12];
    float data[12][ROWS * COLUMNS];
} written;

static void add_field(written *w, const char *name) { w->fields[w->desc.n_fields++] = (mst_stencil_field){.name = name}; }

static void add_update(written *w, const char *field, const char *text, size_t substep) {
    w->updates[w->desc.n_updates++] = (mst_stencil_update){field, text, substep};
}

// ba, aa, sa: b, a and 1/kappa of axis a at the nodes; bah, aah, sah: half a node behind them.
static void add_coefficients(written *w) {
    static const char *const names[] = {"by", "ay", "sy", "byh", "ayh", "syh", "bx", "ax", "sx", "bxh", "axh", "sxh"};
    const size_t shape[] = {ROWS, COLUMNS};
    for (int k = 0; k < 12; k++) {
        mst_stencil_field *field = &w->fields[w->desc.n_fields++];
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            float three[3];
            bool x = k >= 6;
            coefficients(faces + (x ? 2 : 0), 2, x ? COLUMNS : ROWS, w->desc.time_step, k / 3 % 2 ? 0.5 : 0,
                         x ? i % COLUMNS : i / COLUMNS, three);
            w->data[k][i] = three[k % 3];
        }
        *field = (mst_stencil_field){.name = names[k], .coefficient = true};
        field->initial.layout = mst_layout_dense(MST_FLOAT32, 2, shape);
        field->initial.data = mst_at_host(w->data[k]);
    }
}

static mst_stencil_desc describe(void) {
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = 2;
    d.grid[0] = ROWS;
    d.grid[1] = COLUMNS;
    d.time_step = 0.6;
    d.boundaries = faces;
    return d;
}

static void begin_written(written *w, const mst_stencil_desc *d) {
    *w = (written){.desc = *d};
    for (size_t k = 0; k < d->n_fields; k++)
        w->fields[k] = d->fields[k];
    w->desc.fields = w->fields;
    w->desc.updates = w->updates;
    w->desc.n_updates = 0;
}

static size_t count_memories(const mst_stencil_desc *d) {
    mst_stencil_memory m = MST_STENCIL_MEMORY_INIT;
    mst_error e;
    OK(mst_stencil_find_memory(d, 0, &m, &e));
    return m.n;
}

static void check(mst_context *context, const char *name, const mst_stencil_desc *d, const written *w, bool cpu, bool gpu) {
    test_scheme reference = test_scheme_run(&w->desc, TEST_SCHEME_STEPS);
    test_scheme_check_all_ways(context, name, *d, &reference, cpu, gpu);
    test_scheme_free(&reference);
}

// A memory variable at the nodes that is made of another between them, which is read at two of them.
#define STRETCHED(e, s, b, m, a) "(" s " != 0 ? " e " * " s " + (" b " * " m " + " a " * " e ") : " e ")"
#define NEXT(e, s, b, m, a) s " != 0 ? " b " * " m " + " a " * " e " : 0"
#define PX STRETCHED("(u[0,1] - u)", "sxh", "bxh", "px", "axh")
#define PX_BEFORE                                                                                                                \
    "(x > 0.5 && sxh[0,-1] != 0 ? (u - u[0,-1]) * sxh[0,-1] + (bxh[0,-1] * px[0,-1] + axh[0,-1] * (u - u[0,-1])) : (u - "        \
    "u[0,-1]))"
#define PY STRETCHED("(u[1,0] - u)", "syh", "byh", "py", "ayh")
#define PY_BEFORE                                                                                                                \
    "(y > 0.5 && syh[-1,0] != 0 ? (u - u[-1,0]) * syh[-1,0] + (byh[-1,0] * py[-1,0] + ayh[-1,0] * (u - u[-1,0])) : (u - "        \
    "u[-1,0]))"
#define DX "(" PX " - " PX_BEFORE ")"
#define DY "(" PY " - " PY_BEFORE ")"

static const mst_stencil_field wave_fields[] = {
    {.name = "u", .levels = 2, .initial = {.expression = "exp(-((x - 20)^2 + (y - 11)^2) / 20)"}}};
static const mst_stencil_update wave_updates[] = {
    {"u",
     "2 * u - u.prev + 0.3 * (stretch_x(stretch_x(u[0,1] - u, 0.5) - stretch_x(u - u[0,-1], -0.5))"
     " + stretch_y(stretch_y(u[1,0] - u, 0.5) - stretch_y(u - u[-1,0], -0.5)))",
     0}};

static void check_wave(mst_context *context, bool cpu, bool gpu) {
    mst_stencil_desc d = describe();
    static written w;
    d.fields = wave_fields;
    d.n_fields = 1;
    d.updates = wave_updates;
    d.n_updates = 1;
    assert_int_equal(count_memories(&d), 4);
    begin_written(&w, &d);
    add_field(&w, "px");
    add_field(&w, "py");
    add_field(&w, "qx");
    add_field(&w, "qy");
    add_coefficients(&w);
    add_update(&w, "u",
               "2 * u - u.prev + 0.3 * (" STRETCHED(DX, "sx", "bx", "qx", "ax") " + " STRETCHED(DY, "sy", "by", "qy", "ay") ")",
               0);
    add_update(&w, "px", NEXT("(u[0,1] - u)", "sxh", "bxh", "px", "axh"), 0);
    add_update(&w, "py", NEXT("(u[1,0] - u)", "syh", "byh", "py", "ayh"), 0);
    add_update(&w, "qx", NEXT(DX, "sx", "bx", "qx", "ax"), 0);
    add_update(&w, "qy", NEXT(DY, "sy", "by", "qy", "ay"), 0);
    check(context, "nested layers", &d, &w, cpu, gpu);
}

static void test_wave_on_cpus(void **state) { check_wave(*state, true, false); }
static void test_wave_on_gpus(void **state) {
    if (test_turn(0, 8)) // these kernels take a minute to compile
        check_wave(*state, false, true);
}

// One memory variable, at the nodes.
static void test_advection_on_gpus(void **state) {
    static const mst_stencil_boundary ends[] = {{.kind = MST_BOUNDARY_PERIODIC}, {.kind = MST_BOUNDARY_PERIODIC}, LAYERS_X};
    static const mst_stencil_update updates[] = {{"u", "u - 0.2 * stretch_x(u[0,1] - u[0,-1]) + 0.1 * (u[1,0] - u)", 0}};
    static const mst_stencil_field fields[] = {{.name = "u", .initial = {.expression = "exp(-((x - 20)^2 + (y - 11)^2) / 20)"}}};
    mst_stencil_desc d = describe();
    static written w;
    if (!test_turn(0, 2))
        return;
    d.fields = fields;
    d.n_fields = 1;
    d.updates = updates;
    d.n_updates = 1;
    begin_written(&w, &d);
    add_field(&w, "q");
    add_coefficients(&w);
    add_update(&w, "u", "u - 0.2 * " STRETCHED("(u[0,1] - u[0,-1])", "sx", "bx", "q", "ax") " + 0.1 * (u[1,0] - u)", 0);
    add_update(&w, "q", NEXT("(u[0,1] - u[0,-1])", "sx", "bx", "q", "ax"), 0);
    w.desc.boundaries = d.boundaries = ends;
    check(*state, "a layer along rows", &d, &w, false, true);
}

// Sub-steps, each of which advances what it uses; a coefficient field; two uses of one memory variable.
static void test_pressure(void **state) {
    static const mst_stencil_field fields[] = {{.name = "p", .initial = {.expression = "exp(-((x - 20)^2 + (y - 11)^2) / 20)"}},
                                               {.name = "v"},
                                               {.name = "w"},
                                               {.name = "c", .coefficient = true, .initial = {.expression = "0.5 + 0.01 * y"}}};
    static const mst_stencil_update updates[] = {
        {"v", "v - 0.6 * stretch_x(p[0,1] - p, 0.5)", 0},
        {"w", "w - 0.6 * stretch_y(p[1,0] - p, 0.5)", 0},
        {"p", "p - c * (stretch_x(v - v[0,-1]) + stretch_y(w - w[-1,0]) * 2 - stretch_y(w - w[-1,0]))", 1}};
    mst_stencil_desc d = describe();
    static written w;
    if (!test_turn(1, 2))
        return;
    d.fields = fields;
    d.n_fields = 4;
    d.updates = updates;
    d.n_updates = 3;
    assert_int_equal(count_memories(&d), 4);
    begin_written(&w, &d);
    add_field(&w, "pv");
    add_field(&w, "pw");
    add_field(&w, "qv");
    add_field(&w, "qw");
    add_coefficients(&w);
    add_update(&w, "v", "v - 0.6 * " STRETCHED("(p[0,1] - p)", "sxh", "bxh", "pv", "axh"), 0);
    add_update(&w, "w", "w - 0.6 * " STRETCHED("(p[1,0] - p)", "syh", "byh", "pw", "ayh"), 0);
    add_update(&w, "pv", NEXT("(p[0,1] - p)", "sxh", "bxh", "pv", "axh"), 0);
    add_update(&w, "pw", NEXT("(p[1,0] - p)", "syh", "byh", "pw", "ayh"), 0);
    add_update(&w, "p",
               "p - c * (" STRETCHED("(v - v[0,-1])", "sx", "bx", "qv", "ax") " + " STRETCHED(
                   "(w - w[-1,0])", "sy", "by", "qw", "ay") " * 2 - " STRETCHED("(w - w[-1,0])", "sy", "by", "qw", "ay") ")",
               1);
    add_update(&w, "qv", NEXT("(v - v[0,-1])", "sx", "bx", "qv", "ax"), 1);
    add_update(&w, "qw", NEXT("(w - w[-1,0])", "sy", "by", "qw", "ay"), 1);
    check(*state, "layers and sub-steps", &d, &w, true, false);
}

// ---- Grids so large that a GPU has kernels of its own for faces, for edges and for the rest, and tiles outside all layers

enum { LONGEST = 1700, MOST_NODES = 250000, LARGE_STEPS = 7 };
static const mst_stencil_boundary large_faces[] = {{.kind = MST_BOUNDARY_ABSORB, .width = 5},
                                                   {.kind = MST_BOUNDARY_ABSORB, .width = 7},
                                                   {.kind = MST_BOUNDARY_ABSORB, .width = 4, .alpha = 0.2},
                                                   {.width = 0},
                                                   LAYERS_X};
typedef struct large {
    int rank, n[3], pitch[3], nodes; // the slowest axis first
    const mst_stencil_boundary *faces;
    float c[3][LONGEST][3]; // coefficients
} large;

// One step of u - 0.2 (stretch_x(u[1] - u[-1]) + ..) in plain C: psi are the memory variables, of whole grids.
static void advance_large(const large *l, const float *u, float *next, float (*psi)[MOST_NODES]) {
    for (int i = 0; i < l->nodes; i++) {
        float sum = 0;
        for (int axis = 0; axis < l->rank; axis++) {
            const int at = i / l->pitch[axis] % l->n[axis];
            const float *k = l->c[axis][at];
            const float d = (at + 1 < l->n[axis] ? u[i + l->pitch[axis]] : 0) - (at > 0 ? u[i - l->pitch[axis]] : 0);
            psi[axis][i] = k[2] != 0 ? k[0] * psi[axis][i] + k[1] * d : 0;
            sum += k[2] != 0 ? d * k[2] + psi[axis][i] : d;
        }
        next[i] = u[i] - 0.2f * sum;
    }
}

static void run_large(mst_context *context, const large *l, const char *text, mst_stencil_schedule schedule, const float *first,
                      float *out) {
    const mst_stencil_update update = {"u", text, 0};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_stencil_field field = {.name = "u", .initial = {.data = mst_at_host((float *)first)}};
    mst_stencil *solver;
    mst_error e;
    d.rank = l->rank;
    for (int axis = 0; axis < l->rank; axis++)
        d.grid[axis] = (size_t)l->n[axis];
    field.initial.layout = mst_layout_dense(MST_FLOAT32, l->rank, d.grid);
    d.time_step = 0.6;
    d.boundaries = l->faces;
    d.fields = &field;
    d.n_fields = 1;
    d.updates = &update;
    d.n_updates = 1;
    d.schedule = schedule;
    d.fuse = schedule == MST_STENCIL_IN_CORE ? 2 : 0;
    d.depth = schedule == MST_STENCIL_SKEWED_SWEEPS ? 3 : 0;
    d.block = schedule == MST_STENCIL_SKEWED_SWEEPS ? 9 : 0;
    d.shape = MST_STENCIL_SHAPE_GPU;
    OK(mst_stencil_create(context, &d, &solver, &e));
    OK(mst_stencil_run(solver, LARGE_STEPS, NULL, NULL, &e));
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(out), &e));
    mst_stencil_destroy(solver);
}

static void check_large(mst_context *context, large *l, const char *update, bool fuses) {
    static float first[MOST_NODES], got[MOST_NODES], other[MOST_NODES], u[2][MOST_NODES], psi[3][MOST_NODES];
    l->nodes = 1;
    for (int axis = l->rank - 1; axis >= 0; axis--) {
        l->pitch[axis] = l->nodes;
        l->nodes *= l->n[axis];
        for (int i = 0; i < l->n[axis]; i++)
            coefficients(l->faces + 2 * axis, l->rank, l->n[axis], 0.6, 0, i, l->c[axis][i]);
    }
    for (int i = 0; i < l->nodes; i++)
        first[i] = u[0][i] = (float)test_between(0, 1000) / 1000;
    memset(psi, 0, sizeof psi);
    for (int step = 0; step < LARGE_STEPS; step++)
        advance_large(l, u[step % 2], u[1 - step % 2], psi);
    run_large(context, l, update, MST_STENCIL_SWEEPS, first, got);
    run_large(context, l, update, MST_STENCIL_SKEWED_SWEEPS, first, other);
    assert_memory_equal(other, got, (size_t)l->nodes * sizeof *got);
    if (fuses)
        run_large(context, l, update, MST_STENCIL_IN_CORE, first, other);
    assert_memory_equal(other, got, (size_t)l->nodes * sizeof *got);
    for (int i = 0; i < l->nodes; i++)
        CHECK(fabsf(got[i] - u[LARGE_STEPS % 2][i]) < 2e-5f, "axes: %d, node %d of rows of %d: %g, not %g", l->rank, i,
              l->n[l->rank - 1], got[i], u[LARGE_STEPS % 2][i]);
}

static void test_large(void **state) {
    static large plane = {.rank = 2, .n = {131, 1687}, .faces = large_faces + 2},
                 space = {.rank = 3, .n = {41, 43, 107}, .faces = large_faces};
    if (test_turn(0, 2))
        check_large(*state, &space,
                    "u - 0.2 * (stretch_z(u[1,0,0] - u[-1,0,0]) + stretch_y(u[0,1,0] - u[0,-1,0])"
                    " + stretch_x(u[0,0,1] - u[0,0,-1]))",
                    false);
    if (test_turn(1, 2))
        check_large(*state, &plane, "u - 0.2 * (stretch_y(u[1,0] - u[-1,0]) + stretch_x(u[0,1] - u[0,-1]))", true);
}

// ---- What is one memory variable

static size_t memories_of(const char *update) {
    mst_stencil_desc d = describe();
    const mst_stencil_update one = {"u", update, 0};
    d.fields = wave_fields;
    d.n_fields = 1;
    d.updates = &one;
    d.n_updates = 1;
    return count_memories(&d);
}

static void test_shared(void **state) {
    (void)state;
#define BOTH(x) "stretch_y(u[1,0] - u) + " x
    assert_int_equal(memories_of(BOTH("stretch_x(u[0,1] - u)")), 2);
    assert_int_equal(memories_of(BOTH("stretch_x(u[0,1] - u) + stretch_x(u[0,1] - u, 0.5)")), 3);
    // The same elsewhere along the axis, with its shift or without; three nodes away; along the other axis; not the same.
    assert_int_equal(memories_of(BOTH("stretch_x(u[0,1] - u, 0.5) + stretch_x(u - u[0,-1], -0.5)")), 2);
    assert_int_equal(memories_of(BOTH("stretch_x(u[0,1] - u, 0.5) + stretch_x(u - u[0,-1], 0.5)")), 2);
    assert_int_equal(memories_of(BOTH("stretch_x(u[0,-1] - u[0,-2], 0.5) + stretch_x(u[0,2] - u[0,1], 0.5)")), 2);
    assert_int_equal(memories_of(BOTH("stretch_x(u[0,1] - u, 0.5) + stretch_x(u[1,1] - u[1,0], 0.5)")), 3);
    assert_int_equal(memories_of(BOTH("stretch_x(u[0,1] - u, 0.5) + stretch_x(u[0,2] - u, 0.5)")), 3);
    // What depends on a coordinate is the same only at the same place.
    assert_int_equal(memories_of(BOTH("stretch_x(x*(u[0,1] - u)) + stretch_x(x*(u[0,1] - u))")), 2);
    assert_int_equal(memories_of(BOTH("stretch_x(x*(u[0,1] - u)) + stretch_x(x*(u - u[0,-1]))")), 3);
}

// ---- What is refused

static void refused(mst_context *context, const char *update, const mst_stencil_boundary *last, const char *message) {
    mst_stencil_desc d = describe();
    const mst_stencil_update one = {"u", update, 0};
    mst_stencil_boundary all[4] = {faces[0], faces[1], faces[2], last ? *last : faces[3]};
    mst_stencil *solver;
    mst_error e;
    d.fields = wave_fields;
    d.n_fields = 1;
    d.updates = &one;
    d.n_updates = 1;
    d.boundaries = all;
    assert_int_equal(mst_stencil_create(context, &d, &solver, &e), MST_ERROR_ARGUMENT);
    CHECK(strstr(e.message, message) != NULL, "'%s' is not in '%s'", message, e.message);
}

static void test_refused(void **state) {
    mst_context *c = *state;
    static const char good[] = "stretch_x(u[0,1] - u) + stretch_y(u[1,0] - u)";
    refused(c, "stretch_x(u[0,1] - u)", NULL, "axis 0 has an absorbing layer, but no update has stretch_y");
    refused(c, "stretch_z(u[0,1] - u)", NULL, "no such axis");
    refused(c, "stretch_x(u, 0.25)", NULL, "expected -0.5, 0 or 0.5");
    refused(c, "stretch_x(u, x)", NULL, "expected -0.5, 0 or 0.5");
    refused(c, "stretch_x(u, 0, 1)", NULL, "expected ')'");
    refused(c, "stretch_x + u", NULL, "expected '('");
#define LAYER(...) &(mst_stencil_boundary){.kind = MST_BOUNDARY_ABSORB, __VA_ARGS__}
    refused(c, good, LAYER(.width = 0), "0 nodes wide");
    refused(c, good, LAYER(.width = 32), "32 nodes wide; the axis has 41");
    refused(c, good, LAYER(.width = 4, .reflection = 1), "must lie between 0 and 1");
    refused(c, good, LAYER(.width = 4, .speed = -1), "must be positive");
    refused(c, good, LAYER(.width = 4, .order = -1), "must be positive");
    refused(c, good, LAYER(.width = 4, .kappa = 0.5), "at least 1");
    refused(c, good, LAYER(.width = 4, .alpha = INFINITY), "finite");
    refused(c, good, &(mst_stencil_boundary){.kind = MST_BOUNDARY_NEUMANN, .kappa = 2}, "but the boundary is none");
}

// ---- What is looked at

// In monitors and spectra, whose nodes may lie in a layer, a stretch is its argument.
static void test_looks(void **state) {
    static const double frequency = 0.05;
    const mst_stencil_monitor monitors[] = {
        {"marked", "stretch_x(stretch_y(u[1,0] - u, 0.5)*k)^2", MST_STENCIL_SUM, 3, {{0}, {0}, {0}}},
        {"plain", "((u[1,0] - u)*k)^2", MST_STENCIL_SUM, 3, {{0}, {0}, {0}}}};
    const mst_stencil_spectrum spectra[] = {{"stretch_x(u[0,1] - u)", 1, &frequency, 1, {{0}, {0}, {0}}},
                                            {"u[0,1] - u", 1, &frequency, 1, {{0}, {0}, {0}}}};
    const mst_stencil_update update = {"u", "u - 0.2*(stretch_x(u[0,1] - u[0,-1]) + stretch_y(u[1,0] - u[-1,0]))", 0};
    const mst_stencil_parameter parameter = {"k", 0.5};
    static float sums[2][2 * ROWS * COLUMNS];
    mst_stencil_desc d = describe();
    mst_stencil *solver;
    mst_error e;
    double rows[2][3];
    d.fields = wave_fields;
    d.n_fields = 1;
    d.updates = &update;
    d.n_updates = 1;
    d.boundaries = faces;
    d.parameters = &parameter;
    d.n_parameters = 1;
    d.monitors = monitors;
    d.n_monitors = 2;
    d.spectra = spectra;
    d.n_spectra = 2;
    OK(mst_stencil_create(*state, &d, &solver, &e));
    OK(mst_stencil_run(solver, 9, NULL, NULL, &e));
    for (size_t k = 0; k < 2; k++) {
        OK(mst_stencil_read_monitor(solver, k, 1, 3, rows[k], &e));
        OK(mst_stencil_read_spectrum(solver, k, mst_at_host(sums[k]), &e));
    }
    CHECK(memcmp(rows[0], rows[1], sizeof rows[0]) == 0 && rows[0][2] > 0, "sums are %g and %g", rows[0][2], rows[1][2]);
    CHECK(memcmp(sums[0], sums[1], sizeof sums[0]) == 0, "spectra differ");
    mst_stencil_destroy(solver);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wave_on_cpus), cmocka_unit_test(test_wave_on_gpus), cmocka_unit_test(test_advection_on_gpus),
        cmocka_unit_test(test_large),        cmocka_unit_test(test_pressure),     cmocka_unit_test(test_shared),
        cmocka_unit_test(test_looks),        cmocka_unit_test(test_refused)};
    test_all_quick_builds = true;
    return cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
