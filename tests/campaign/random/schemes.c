// Random schemes on random grids: fields, levels, float16, coefficients by expressions and tables, masks, sub-steps, offsets,
// boundaries, some of one field, absorbing layers, sources and receivers at nodes and between them; by random schedules, shapes,
// depths, blocks and stores. Of arithmetic alone, every value is held against the reference of the tests; with functions, which
// devices compute in ways of their own, and with layers, against another schedule; in every bit.
#include "support_expression.h"
#include "support_stencil.h"

#include <unistd.h>

enum { MAX_DEVICES = 3, MAX_LEAVES = 14, MAX_FIELDS = 3, MAX_WAYS = 4, LEAF_TEXT = 40, STEPS = 11, MORE_TEXT = 200 };

typedef struct scheme_case {
    mst_stencil_desc desc;
    mst_stencil_field fields[MAX_FIELDS + 1];
    mst_stencil_update updates[MAX_FIELDS];
    mst_stencil_boundary boundaries[2 * MST_MAX_AXES], own_boundaries[MAX_FIELDS][2 * MST_MAX_AXES];
    uint8_t *numbers; // of the coefficient's table
    mst_stencil_source sources[2];
    mst_stencil_receiver receiver;
    size_t points[3][MST_MAX_AXES];
    double positions[2 + 3][MST_MAX_AXES];
    char leaf_texts[MAX_LEAVES][LEAF_TEXT];
    const char *leaves[MAX_LEAVES];
    size_t n_leaves;
    char expressions[MAX_FIELDS][TEST_MAX_EXPRESSION + MORE_TEXT];
    bool functions, layers;
    int n_ways;
    mst_stencil_desc ways[MAX_WAYS];
    size_t devices[MAX_WAYS]; // among which a way shares the grid out
} scheme_case;

static const char *const field_names[] = {"u", "v", "w", "k"};
static const mst_stencil_parameter parameters[] = {{"a", 0.1875}, {"c", 0.37}};
static const double samples[] = {0.5, -0.25, 0.125, 0.3};

// ---- making a scheme ----

static void choose_grid(mst_stencil_desc *d) {
    static const size_t most[3][3] = {{700, 0, 0}, {60, 300, 0}, {14, 24, 90}};
    d->rank = (int)test_choose_between(1, 3);
    for (int k = 0; k < d->rank; k++) {
        d->grid[k] = test_choose_between(4, most[d->rank - 1][k]);
        d->spacing[k] = 1 + 0.25 * (double)test_choose(3);
    }
    d->precision = test_choose(2) ? MST_FLOAT64 : MST_FLOAT32;
    d->time_step = 0.3;
}

// A face as a field of its own may have it.
static mst_stencil_boundary choose_own_boundary(void) {
    static const char *const values[] = {NULL, "0.5", "0.01*x", "t > 1 ? 0.25 : x/100", "a - 0.125*t"};
    static const mst_boundary_kind kinds[] = {MST_BOUNDARY_DIRICHLET,  MST_BOUNDARY_DIRICHLET,   MST_BOUNDARY_NEUMANN,
                                              MST_BOUNDARY_ANTIMIRROR, MST_BOUNDARY_MIRROR_NODE, MST_BOUNDARY_ANTIMIRROR_NODE};
    mst_stencil_boundary b = {.kind = kinds[test_choose(6)]};
    if (b.kind == MST_BOUNDARY_DIRICHLET)
        b.value = values[test_choose(5)];
    return b;
}

static mst_stencil_boundary choose_boundary(size_t length, bool layers) {
    if (layers && length >= 10 && test_choose(2))
        return (mst_stencil_boundary){.kind = MST_BOUNDARY_ABSORB, .width = test_choose_between(1, (length - 8) / 2)};
    if (test_choose_rarely(3))
        return (mst_stencil_boundary){.kind = MST_BOUNDARY_SPONGE, .width = test_choose_between(1, length < 9 ? length : 9)};
    return choose_own_boundary();
}

static bool is_of_all(const mst_stencil_boundary *b) {
    return b->kind == MST_BOUNDARY_PERIODIC || b->kind == MST_BOUNDARY_SPONGE || b->kind == MST_BOUNDARY_ABSORB;
}

static void choose_own_boundaries(scheme_case *c, size_t f) {
    for (int i = 0; i < 2 * c->desc.rank; i++)
        c->own_boundaries[f][i] = is_of_all(&c->boundaries[i]) ? c->boundaries[i] : choose_own_boundary();
    c->fields[f].boundaries = c->own_boundaries[f];
}

static void choose_boundaries(scheme_case *c) {
    c->layers = test_choose_rarely(4);
    for (int k = 0; k < c->desc.rank; k++) {
        bool periodic = test_choose_rarely(3);
        for (int side = 0; side < 2; side++)
            c->boundaries[2 * k + side] =
                periodic ? (mst_stencil_boundary){.kind = MST_BOUNDARY_PERIODIC} : choose_boundary(c->desc.grid[k], c->layers);
    }
    c->desc.boundaries = c->boundaries;
}

static void choose_coefficient(scheme_case *c, mst_stencil_field *k) {
    static const double table[] = {0.1, 0.25, -0.3, 7};
    size_t nodes = 1;
    *k = (mst_stencil_field){
        .name = field_names[MAX_FIELDS], .levels = 1, .coefficient = true, .initial.expression = "0.1 + x/1000"};
    for (int axis = 0; axis < c->desc.rank; axis++)
        nodes *= c->desc.grid[axis];
    if (test_choose(2) || !(c->numbers = malloc(nodes)))
        return;
    for (size_t i = 0; i < nodes; i++)
        c->numbers[i] = (uint8_t)(i * 2654435761u >> 13 & 3);
    k->table = table;
    k->n_table = 4;
    k->initial =
        (mst_stencil_initial){.layout = mst_layout_dense(MST_UINT8, c->desc.rank, c->desc.grid), .data = mst_at_host(c->numbers)};
}

static void choose_fields(scheme_case *c) {
    static const char *const initials[] = {"sin(0.3*x) + 0.01*x", "cos(0.2*x + 1)*a", NULL, "x > 5 && x < 20",
                                           "exp(-(x - 9)^2/30)"};
    size_t n = test_choose_between(1, MAX_FIELDS);
    for (size_t f = 0; f < n; f++) {
        c->fields[f] = (mst_stencil_field){.name = field_names[f], .levels = 1 + (int)test_choose(2)};
        c->fields[f].initial.expression = initials[test_choose(5)];
        if (c->fields[f].levels == 2 && test_choose(2))
            c->fields[f].previous.expression = "0.1 + x/50";
        if (test_choose_rarely(3))
            choose_own_boundaries(c, f);
    }
    c->desc.n_updates = n;
    if (test_choose(2))
        choose_coefficient(c, &c->fields[n++]);
    const bool halves = c->desc.precision == MST_FLOAT32 && test_choose_rarely(3);
    for (size_t f = 0; f < n && halves; f++)
        c->fields[f].storage_bytes = test_choose(2) ? 2 : 0;
    c->desc.n_fields = n;
    c->desc.fields = c->fields;
}

// Values that updates read: fields at offsets, coordinates, numbers.
static void choose_leaf(scheme_case *c) {
    static const char *const numbers[] = {"a", "c", "x", "t", "dt", "dx"};
    char *text = c->leaf_texts[c->n_leaves];
    c->leaves[c->n_leaves++] = text;
    if (test_choose_rarely(5)) {
        snprintf(text, LEAF_TEXT, "%s", numbers[test_choose(6)]);
        return;
    }
    const mst_stencil_field *field = &c->fields[test_choose(c->desc.n_fields)];
    bool previous = field->levels == 2 && test_choose(2);
    size_t used = (size_t)snprintf(text, LEAF_TEXT, "%s%s[", field->name, previous ? ".prev" : "");
    size_t reach = test_choose_rarely(3) ? MST_STENCIL_MAX_RADIUS : 1;
    for (int k = 0; k < c->desc.rank; k++) {
        int offset = (int)test_choose((reach < c->desc.grid[k] ? reach : c->desc.grid[k]) + 1);
        offset = test_choose(2) ? -offset : offset;
        used += (size_t)snprintf(text + used, LEAF_TEXT - used, "%s%d", k ? "," : "", offset);
    }
    snprintf(text + used, LEAF_TEXT - used, "]");
}

// Updates mark derivatives along all axes that have layers, in a sub-step of the fields' own.
static size_t put_stretches(const scheme_case *c, char *text, size_t bytes) {
    static const char *const shifts[] = {"", ", -0.5", ", 0.5"};
    const int rank = c->desc.rank;
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < rank; k++) {
        const bool any = c->boundaries[2 * k].kind == MST_BOUNDARY_ABSORB || c->boundaries[2 * k + 1].kind == MST_BOUNDARY_ABSORB;
        if (any)
            used += (size_t)snprintf(text + used, bytes - used, " + 0.1*stretch_%c(u - u[%s%s%s]%s)", 'x' + rank - 1 - k,
                                     k == 0 ? "-1" : "0", rank > 1 ? k == 1 ? ",-1" : ",0" : "",
                                     rank > 2 ? k == 2 ? ",-1" : ",0" : "", shifts[test_choose(3)]);
    }
    return used;
}

// Nodes that are held.
static const char *choose_mask(const scheme_case *c) {
    static const char *const masks[] = {"x > 5 && x < 9 ? 0 : ", "(x - 7)^2 < 20 ? a - 0.1*t : ", "k > 0.2 ? 0.25 : "};
    const bool has_coefficient = c->desc.n_fields > c->desc.n_updates;
    return test_choose_rarely(3) ? masks[test_choose(has_coefficient ? 3 : 2)] : "";
}

// Values stay between -2 and 2.
static void choose_updates(scheme_case *c) {
    test_expression_kind kind = {.leaves = c->leaves};
    size_t substep = 0, n = test_choose_between(1, MAX_LEAVES);
    while (c->n_leaves < n)
        choose_leaf(c);
    kind.n_leaves = c->n_leaves;
    c->functions = test_choose_rarely(4);
    kind.arithmetic = !c->functions;
    for (size_t u = 0; u < c->desc.n_updates; u++) {
        char text[TEST_MAX_EXPRESSION], stretches[MORE_TEXT - 60] = "";
        kind.most_nodes = (int)test_choose_between(1, 30);
        test_expression e = test_expression_choose(&kind);
        test_expression_write(&e, 0, text);
        if (u == 0)
            put_stretches(c, stretches, sizeof stretches);
        snprintf(c->expressions[u], sizeof c->expressions[u], "%smax(-2, min(2, 0.5*%s + 0.3*(%s)%s))", choose_mask(c),
                 field_names[u], text, stretches);
        substep += u > 0 && test_choose(2);
        c->updates[u] = (mst_stencil_update){field_names[u], c->expressions[u], substep};
    }
    c->desc.updates = c->updates;
}

// A position between nodes, of which some coordinates are whole.
static const double *choose_position(const scheme_case *c, double position[MST_MAX_AXES]) {
    for (int k = 0; k < c->desc.rank; k++)
        position[k] = (double)test_choose(c->desc.grid[k] - 1) + 0.25 * (double)test_choose(4);
    return position;
}

static void choose_points(scheme_case *c) {
    c->desc.n_sources = test_choose(3);
    for (size_t s = 0; s < c->desc.n_sources; s++) {
        mst_stencil_source *source = &c->sources[s];
        source->field = field_names[test_choose(c->desc.n_updates)];
        for (int k = 0; k < c->desc.rank; k++)
            source->point[k] = test_choose(c->desc.grid[k]);
        if (test_choose_rarely(3)) {
            source->position = choose_position(c, c->positions[s]);
            source->interpolation = (mst_stencil_interpolation)test_choose(2);
            source->radius = (unsigned)test_choose(6);
        }
        if (test_choose(2)) {
            source->samples = samples;
            source->n_samples = 4;
        } else {
            source->series = "a*t - 0.25";
        }
    }
    c->desc.sources = c->sources;
    c->desc.n_receivers = test_choose(2);
    c->receiver = (mst_stencil_receiver){.field = field_names[test_choose(c->desc.n_updates)],
                                         .n_points = test_choose_between(1, 3),
                                         .points = (const size_t(*)[MST_MAX_AXES])c->points};
    for (size_t p = 0; p < c->receiver.n_points && c->desc.n_receivers; p++)
        for (int k = 0; k < c->desc.rank; k++)
            c->points[p][k] = test_choose(c->desc.grid[k]);
    if (test_choose_rarely(3)) {
        for (size_t p = 0; p < c->receiver.n_points; p++)
            choose_position(c, c->positions[2 + p]);
        c->receiver.points = NULL;
        c->receiver.positions = (const double(*)[MST_MAX_AXES])c->positions + 2;
        c->receiver.radius = (unsigned)test_choose(6);
    }
    c->desc.receivers = &c->receiver;
}

static void choose_way(const scheme_case *c, mst_stencil_desc *d) {
    bool may_skew = c->desc.rank > 1 && c->boundaries[0].kind != MST_BOUNDARY_PERIODIC;
    *d = c->desc;
    d->schedule = (mst_stencil_schedule)test_choose(MST_STENCIL_SWEEPS + 1);
    if (d->schedule == MST_STENCIL_SKEWED && !may_skew)
        d->schedule = MST_STENCIL_PYRAMID_TILES;
    d->shape = (mst_stencil_shape)test_choose(3);
    if (d->schedule != MST_STENCIL_AUTO) {
        d->fuse =
            d->schedule == MST_STENCIL_SWEEPS || d->schedule == MST_STENCIL_TRIVIAL ? 1 : (unsigned)test_choose_between(1, 3);
        d->depth = d->schedule == MST_STENCIL_TRIVIAL ? 1 : d->fuse + test_choose(8);
        d->block = test_choose_between(1, 70);
    }
    d->no_overlap = test_choose_rarely(4);
    d->store = (mst_stencil_store)test_choose(4);
}

static void describe(const scheme_case *c) {
    static const char *const kinds[] = {"dirichlet", "neumann",    "periodic",    "sponge",
                                        "absorb",    "antimirror", "mirror node", "antimirror node"};
    const mst_stencil_desc *d = &c->desc;
    static char text[4 * TEST_MAX_EXPRESSION];
    size_t used = 0, size = sizeof text;
#define ADD(...) used += used < size ? (size_t)snprintf(text + used, size - used, __VA_ARGS__) : 0
    ADD("%s, grid", mst_type_name(d->precision));
    for (int k = 0; k < d->rank; k++)
        ADD(" %zu (%s %s | %s %s)", d->grid[k], kinds[c->boundaries[2 * k].kind],
            c->boundaries[2 * k].value ? c->boundaries[2 * k].value : "", kinds[c->boundaries[2 * k + 1].kind],
            c->boundaries[2 * k + 1].value ? c->boundaries[2 * k + 1].value : "");
    for (size_t f = 0; f < d->n_fields; f++)
        ADD(", %s of %d levels%s%s%s", c->fields[f].name, c->fields[f].levels, c->fields[f].storage_bytes ? ", float16" : "",
            c->fields[f].boundaries ? ", faces of its own" : "", c->fields[f].n_table ? ", a table" : "");
    for (size_t u = 0; u < d->n_updates; u++)
        ADD(", %zu: %s = %s", c->updates[u].substep, c->updates[u].field, c->updates[u].expression);
    ADD(", %zu sources, %zu receivers; ", d->n_sources, d->n_receivers);
    for (int w = 0; w < c->n_ways; w++)
        ADD("%zu device%s %s shape %d n %zu m %u b %zu store %d%s, ", c->devices[w], c->devices[w] == 1 ? "" : "s",
            mst_stencil_schedule_name(c->ways[w].schedule), (int)c->ways[w].shape, c->ways[w].depth, c->ways[w].fuse,
            c->ways[w].block, (int)c->ways[w].store, c->ways[w].no_overlap ? " alone" : "");
#undef ADD
    test_case_made((size_t)c->n_ways, "%s", text);
}

// ---- trying it ----

static double *read_level(const mst_stencil_desc *d, mst_stencil *solver, size_t field, int level, size_t nodes) {
    mst_error e;
    double *values = malloc(nodes * sizeof *values);
    float *singles = (float *)values;
    CHECK(values, "no memory");
    OK(mst_stencil_read(solver, d->fields[field].name, level, NULL, mst_at_host(values), &e));
    for (size_t i = nodes; d->precision == MST_FLOAT32 && i-- > 0;) {
        float v = singles[i];
        values[i] = (double)v;
    }
    return values;
}

// Steps that were told to be fused may need more local memory than the device has, or more planes or rows than a GPU's kernels
// keep.
static bool is_possible(mst_context *context, const mst_stencil_desc *way) {
    mst_stencil *solver;
    mst_error e;
    bool made = mst_stencil_create(context, way, &solver, &e) == MST_OK;
    mst_stencil_destroy(solver);
    return made || (!strstr(e.message, "bytes of local memory") && !strstr(e.message, "leave nothing of a work-group") &&
                    !strstr(e.message, "kernels of a GPU's shape keep at most"));
}

// The state and the records of a plain run, as the reference has them.
static test_scheme run_plainly(mst_context *context, const mst_stencil_desc *desc) {
    mst_stencil_desc d = *desc;
    test_scheme s = {.nodes = 1};
    mst_stencil *solver;
    mst_error e;
    d.schedule = MST_STENCIL_TRIVIAL;
    d.depth = d.fuse = 1;
    OK(mst_stencil_create(context, &d, &solver, &e));
    OK(mst_stencil_run(solver, STEPS, NULL, NULL, &e));
    for (int k = 0; k < d.rank; k++)
        s.nodes *= d.grid[k];
    for (size_t f = 0; f < d.n_fields; f++)
        for (int level = 0; level < d.fields[f].levels; level++)
            s.levels[f][level] = read_level(&d, solver, f, level, s.nodes);
    s.n_points = d.n_receivers ? d.receivers[0].n_points : 0;
    s.recorded = calloc(s.n_points * STEPS + 1, sizeof *s.recorded);
    CHECK(s.recorded, "no memory");
    if (d.n_receivers)
        OK(mst_stencil_read_receiver(solver, 0, 1, STEPS, s.recorded, &e));
    mst_stencil_destroy(solver);
    return s;
}

// Parts of the CPU, made once in a process.
static mst_context *group_of(size_t n) {
    static mst_context *groups[MAX_DEVICES + 1];
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    char device[30];
    snprintf(device, sizeof device, "0/%zu", n);
    desc.device = device;
    if (!groups[n])
        groups[n] = test_context(&desc);
    return groups[n];
}

static void make_and_try(mst_context *context) {
    const mst_stencil_desc desc = MST_STENCIL_DESC_INIT;
    const size_t portions[] = {1, 7, 3};
    scheme_case *c = calloc(1, sizeof *c);
    CHECK(c, "no memory");
    c->desc = desc;
    c->desc.parameters = parameters;
    c->desc.n_parameters = 2;
    choose_grid(&c->desc);
    if (!mst_context_device(context)->fp64)
        c->desc.precision = MST_FLOAT32;
    choose_boundaries(c);
    choose_fields(c);
    choose_updates(c);
    choose_points(c);
    c->n_ways = (int)test_choose_between(1, MAX_WAYS);
    for (int w = 0; w < c->n_ways; w++) {
        choose_way(c, &c->ways[w]);
        c->devices[w] = test_choose_rarely(2) ? test_choose_between(2, MAX_DEVICES) : 1;
    }
    describe(c);
    test_scheme reference = c->functions || c->layers ? run_plainly(context, &c->desc) : test_scheme_run(&c->desc, STEPS);
    for (int w = 0; w < c->n_ways; w++) {
        char text[40];
        snprintf(text, sizeof text, "way %d", w + 1);
        c->ways[w].file = c->ways[w].store == MST_STENCIL_STORE_FILE ? test_file(1) : -1;
        mst_context *on = c->devices[w] > 1 ? group_of(c->devices[w]) : context;
        if (is_possible(on, &c->ways[w]))
            test_scheme_check(on, &c->ways[w], portions, 3, &reference, text);
        if (c->ways[w].file >= 0)
            close(c->ways[w].file);
    }
    test_scheme_free(&reference);
    free(c->numbers);
    free(c);
}

int main(int argc, char **argv) {
    setenv("POCL_MAX_PTHREAD_COUNT", "6", 1); // so that there are parts, whatever the machine has
    return test_choices_main(argc, argv, "schemes", make_and_try);
}
