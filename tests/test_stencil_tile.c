// The geometry of tiles and the cutting of boxes, without a device: what a tile takes keeps within the limits, its parts add up,
// a box is covered once, and the interior kernel gets no tile that it cannot do.
#include "support.h"

#include "stencil/kernels/cutting.h"

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static const mst_tile_limits usual = {"a device", 48 << 10, 4096, 1024, 100, 32};

typedef struct scheme {
    mst_problem problem;
    mst_pipeline pipeline;
} scheme;

static void make(const mst_stencil_desc *desc, int m, scheme *s) {
    mst_error e;
    OK(mst_problem_read(desc, &s->problem, &e));
    OK(mst_pipeline_make(&s->problem, m, desc->shape == MST_STENCIL_SHAPE_GPU, &s->pipeline, &e));
}

static void release(scheme *s) {
    mst_pipeline_release(&s->pipeline);
    mst_problem_release(&s->problem);
}

// By the condition in the kernel, but for open faces: all nodes of the work-items that compute something of the tile are there.
static bool is_inside(const mst_tile *t, const mst_box *box, int axis, int64_t tile, int64_t first, int64_t end) {
    int64_t from = box->from[axis] + tile * t->own[axis], to = least(from + t->own[axis], box->to[axis]);
    int64_t begin = from - t->before[axis], item = t->item[axis];
    int64_t behind = begin + (to - begin + t->high[axis] + item - 1) / item * item;
    return begin >= most(first, 0) && behind <= least(end, (int64_t)t->problem->grid[axis]);
}

// Whatever the window, no tile is left to the interior kernel that is not inside; in windows as blocks have them, all are.
static void test_sides(void **state) {
    static const char *const updates[] = {"u + 0.1 * (u[-1,0,0] + u[0,1,0] - u[0,0,-1] + u[0,0,1] - 2 * u)",
                                          "u + 0.1 * (u[-1,0,0] + u[0,-4,0] - u[0,0,-3] + u[0,2,4] - 2 * u)"};
    static const mst_stencil_field field = {.name = "u"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const mst_stencil_update update = {"u", updates[k], 0};
        mst_stencil_desc d = MST_STENCIL_DESC_INIT;
        mst_error e;
        mst_tile t;
        scheme s;
        d.rank = 3;
        d.precision = MST_FLOAT32;
        d.fields = &field;
        d.updates = &update;
        d.n_fields = d.n_updates = 1;
        d.grid[0] = d.grid[1] = d.grid[2] = 400;
        d.shape = MST_STENCIL_SHAPE_GPU;
        make(&d, 1, &s);
        OK(mst_tile_make(&s.pipeline, d.shape, mst_tile_rule(&s.problem, d.shape), &usual, &t, &e));
        int inside = 0;
        for (int i = 0; i < 3000; i++) {
            mst_box box = {{100, 0, 0}, {150, 0, 0}};
            int64_t ends[N_AXES][2];
            bool padded = i % 3 == 0;
            for (int axis = ROWS; axis <= COLUMNS; axis++) {
                int64_t size = (int64_t)test_between(1, 200), pad = padded ? 2 * t.item[axis] : (int64_t)test_between(0, 12);
                box.from[axis] = (int64_t)test_between(0, 400 - (size_t)size);
                box.to[axis] = box.from[axis] + size;
                ends[axis][0] = most(0, box.from[axis] - t.low[axis] - pad);
                ends[axis][1] = least(400, box.to[axis] + t.high[axis] + pad);
            }
            const mst_extent window = {ends[ROWS][0], ends[ROWS][1] - ends[ROWS][0], ends[COLUMNS][0],
                                       ends[COLUMNS][1] - ends[COLUMNS][0]};
            const mst_cutting c = mst_cutting_make(&t, &box, 1, &window, NULL);
            for (int axis = ROWS; axis <= COLUMNS; axis++) {
                int64_t tiles = axis == ROWS ? c.rows : c.columns;
                bool amid = box.from[axis] >= 20 && box.to[axis] <= 380;
                for (int64_t tile = c.sides[axis][0]; tile < c.sides[axis][1]; tile++, inside++)
                    CHECK(is_inside(&t, &box, axis, tile, ends[axis][0], ends[axis][1]) || (box.from[axis] == 0 && tile == 0) ||
                              (box.to[axis] == 400 && tile + 1 == tiles),
                          "axis %d: tile %lld of %lld from %lld reaches out of the window", axis, (long long)tile,
                          (long long)tiles, (long long)box.from[axis]);
                CHECK(!padded || !amid || (c.sides[axis][0] == 0 && c.sides[axis][1] == tiles),
                      "axis %d: tiles from %lld to %lld of %lld are the interior kernel's in a padded window", axis,
                      (long long)c.sides[axis][0], (long long)c.sides[axis][1], (long long)tiles);
            }
        }
        CHECK(inside > 1000, "only %d tiles were the interior kernel's", inside);
        release(&s);
    }
}

// A scheme of one or two fields that read one another at random offsets.
typedef struct random_scheme {
    char texts[2][200];
    mst_stencil_field fields[3];
    mst_stencil_update updates[2];
    mst_stencil_boundary boundaries[2 * MST_MAX_AXES];
    mst_stencil_desc desc;
} random_scheme;

static void add_leaf(char text[200], const char *field, int rank) {
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, 200 - used, " + 0.1 * %s[", field);
    for (int k = 0; k < rank; k++)
        used += (size_t)snprintf(text + used, 200 - used, k ? ",%d" : "%d", (int)test_between(0, 8) - 4);
    snprintf(text + used, 200 - used, "]");
}

static void make_random(random_scheme *r) {
    static const char *const names[] = {"u", "v", "c"};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    const bool coefficients = test_between(0, 1);
    const int n = (int)test_between(1, 2);
    memset(r, 0, sizeof *r);
    d.boundaries = r->boundaries;
    d.rank = (int)test_between(1, 3);
    for (int k = 0; k < d.rank; k++) {
        d.grid[k] = test_between(4, 3000);
        bool periodic = test_between(0, 2) == 0;
        for (int side = 0; side < 2; side++)
            r->boundaries[2 * k + side].kind = periodic ? MST_BOUNDARY_PERIODIC : (mst_boundary_kind)test_between(0, 1);
    }
    for (int f = 0; f < n; f++) {
        r->fields[f] = (mst_stencil_field){.name = names[f], .levels = (int)test_between(1, 2)};
        snprintf(r->texts[f], sizeof r->texts[f], "%s", names[f]);
        for (size_t i = test_between(0, 5); i > 0; i--)
            add_leaf(r->texts[f], names[coefficients && i == 1 ? 2 : test_between(0, (size_t)n - 1)], d.rank);
        r->updates[f] = (mst_stencil_update){names[f], r->texts[f], test_between(0, 1)};
    }
    r->fields[n] = (mst_stencil_field){.name = "c", .coefficient = true};
    if (n == 2 && r->updates[1].substep < r->updates[0].substep)
        r->updates[1].substep = r->updates[0].substep;
    d.precision = test_between(0, 1) ? MST_FLOAT64 : MST_FLOAT32;
    d.fields = r->fields;
    d.n_fields = (size_t)n + coefficients;
    d.updates = r->updates;
    d.n_updates = (size_t)n;
    d.shape = test_between(0, 1) ? MST_STENCIL_SHAPE_GPU : MST_STENCIL_SHAPE_CPU;
    r->desc = d;
}

static void check_tile(const mst_tile *t, const mst_tile_limits *limits) {
    CHECK(t->local_bytes <= limits->local_bytes && (uint64_t)t->group <= limits->items, "a tile is beyond the limits");
    CHECK(t->own[ROWS] > 0 && t->own[COLUMNS] > 0, "a tile owns nothing");
    if (t->shape == MST_STENCIL_SHAPE_CPU)
        return;
    for (int axis = ROWS; axis <= COLUMNS; axis++)
        CHECK(t->before[axis] >= t->low[axis] && t->whole[axis] >= t->before[axis] + t->own[axis] + t->high[axis] &&
                  t->whole[axis] % t->item[axis] == 0,
              "axis %d: %d of %d nodes are owned, with %d before them", axis, t->own[axis], t->whole[axis], t->before[axis]);
    CHECK(t->group == t->whole[ROWS] / t->item[ROWS] * (t->whole[COLUMNS] / t->item[COLUMNS]), "%d work-items", t->group);
}

// All nodes are in a tile and a strip, and none of these is empty.
static void check_cutting(const mst_tile *t, const mst_pipeline *pipeline) {
    mst_box box;
    double longer, nodes = 1;
    for (int axis = 0; axis < N_AXES; axis++) {
        box.from[axis] = (int64_t)test_between(0, (size_t)t->problem->grid[axis] - 1);
        box.to[axis] = (int64_t)test_between((size_t)box.from[axis] + 1, (size_t)t->problem->grid[axis]);
        nodes *= (double)(box.to[axis] - box.from[axis]);
    }
    const int queues = (int)test_between(1, (size_t)mst_cutting_queues(t));
    const mst_cutting c = mst_cutting_make(t, &box, queues, NULL, NULL);
    const int64_t n[] = {c.planes + c.edges[0] + c.edges[1], c.rows * t->own[ROWS], c.columns * t->own[COLUMNS]};
    CHECK(n[PLANES] == box.to[PLANES] - box.from[PLANES] && c.length > 0 && c.length <= c.planes, "strips leave planes out");
    for (int axis = ROWS; axis <= COLUMNS; axis++)
        CHECK(n[axis] >= box.to[axis] - box.from[axis] && n[axis] - t->own[axis] < box.to[axis] - box.from[axis],
              "axis %d: tiles of %d nodes for %lld", axis, t->own[axis], (long long)(box.to[axis] - box.from[axis]));
    int64_t interior = mst_cutting_interior_groups(&c), tiles = c.rows * c.columns;
    CHECK(interior % tiles == 0 && interior / tiles * c.length >= c.planes, "%lld work-groups for %lld tiles",
          (long long)interior, (long long)tiles);
    double work = mst_cutting_work(t, pipeline, &box, queues, &longer);
    CHECK(work >= 0.999 * nodes * t->m && longer > 0, "%g node-steps, %g times as long, for %d steps of %g nodes", work, longer,
          t->m, nodes);
}

static void test_random_tiles(void **state) {
    int made = 0;
    (void)state;
    for (int i = 0; i < 4000; i++) {
        random_scheme r;
        scheme s;
        mst_tile t;
        mst_error e;
        make_random(&r);
        make(&r.desc, (int)test_between(1, 8), &s);
        const mst_tile_limits limits = {"a device",
                                        test_between(1, 200) << 10,
                                        1024,
                                        (uint64_t)1 << test_between(5, 10),
                                        (int64_t)test_between(1, 140),
                                        (size_t)32 << test_between(0, 1)};
        mst_tile_choice choice = mst_tile_rule(&s.problem, r.desc.shape);
        choice.columns = test_between(0, 1) ? choice.columns * 2 : choice.columns / 2;
        choice.planes = (int)test_between(0, 100);
        mst_status status = mst_tile_make(&s.pipeline, r.desc.shape, choice, &limits, &t, &e);
        CHECK(status == MST_OK || status == MST_ERROR_UNSUPPORTED, "%s", e.message);
        made += status == MST_OK;
        if (status == MST_OK) {
            check_tile(&t, &limits);
            check_cutting(&t, &s.pipeline);
        }
        release(&s);
    }
    CHECK(made > 1000, "only %d tiles were made", made);
}

// A source anywhere has a strip go through the boundary kernel, alone: by many work-groups, each of which does a short part of
// it, and others follow. Far from faces nothing else does.
static void test_points(void **state) {
    static const mst_stencil_field field = {.name = "u", .levels = 2};
    static const mst_stencil_update update = {"u", "2*u - u.prev + 0.2*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)", 0};
    static const mst_stencil_source source = {.field = "u", .point = {5000, 5000}, .series = "t"};
    static const mst_box box = {{20, 0, 20}, {16364, 1, 16360}};
    (void)state;
    for (size_t n = 0; n < 2; n++) {
        mst_stencil_desc d = MST_STENCIL_DESC_INIT;
        mst_error e;
        mst_tile t;
        scheme s;
        d.rank = 2;
        d.grid[0] = d.grid[1] = 16384;
        d.fields = &field;
        d.updates = &update;
        d.n_fields = d.n_updates = 1;
        d.sources = &source;
        d.n_sources = n;
        d.shape = MST_STENCIL_SHAPE_GPU;
        make(&d, 6, &s);
        OK(mst_tile_make(&s.pipeline, d.shape, mst_tile_rule(&s.problem, d.shape), &usual, &t, &e));
        const mst_cutting c = mst_cutting_make(&t, &box, 1, NULL, NULL);
        CHECK((mst_cutting_boundary_groups(&c) > 0) == (n > 0), "%zu sources: %lld work-groups of the boundary kernel", n,
              (long long)mst_cutting_boundary_groups(&c));
        CHECK(n == 0 || c.length < 64 * c.parts, "one work-group does %lld planes of %lld of a strip",
              (long long)(c.length / c.parts), (long long)c.length);
        release(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sides), cmocka_unit_test(test_points),
                                       cmocka_unit_test(test_random_tiles)};
    return cmocka_run_group_tests(tests, test_enter_directory, test_leave_directory);
}
