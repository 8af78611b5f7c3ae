// Parts of a grid for several devices or ranks, planned without a device: random grids, reaches, shares. Parts follow one
// another, are as thick as shares say where halos allow it, and hold what so many steps read.
#include "support.h"

#include "runtime/numbers.h"
#include "stencil/halo.h"
#include "stencil/schedules/cuts.h"

#include <math.h>

enum { MOST_PARTS = 9 };

static mst_problem problem_of(uint64_t planes, bool is_ring) {
    mst_problem p = {
        .rank = 3, .grids = 1, .grid = {planes, 7, 11}, .whole = {planes, 7, 11}, .plane = 77, .state_node_bytes = 8};
    p.boundaries[PLANES][0].kind = p.boundaries[PLANES][1].kind = is_ring ? MST_BOUNDARY_PERIODIC : MST_BOUNDARY_NEUMANN;
    return p;
}

static mst_halo random_halo(void) {
    mst_halo h = {.beside = test_random() % 3 ? 0 : (int64_t)test_between(1, 5)};
    for (int side = 0; side < 2; side++) {
        h.state[side] = (int64_t)test_between(0, 4);
        h.fixed[side] = (int64_t)test_between(0, 9) - 4;
        h.fixed[side] = h.fixed[side] < 0 ? 0 : h.fixed[side];
    }
    return h;
}

// Nodes before and behind a plane that n steps read: a step reads the state so far, and coefficients; and behind the last one
// receivers read beside the plane.
static int64_t reach_of(const mst_halo *h, int side, uint64_t steps) {
    int64_t most = 0;
    for (uint64_t k = 0; k < steps; k++) {
        const int64_t state = (int64_t)k * h->state[side] + h->state[side], fixed = (int64_t)k * h->state[side] + h->fixed[side];
        most = state > most ? state : most;
        most = fixed > most ? fixed : most;
    }
    return most + h->beside;
}

static void check_parts(const mst_problem *p, const mst_halo *h, uint64_t steps, size_t n, const mst_part *parts, size_t count) {
    const int64_t planes = (int64_t)p->whole[PLANES];
    const bool is_ring = mst_problem_periodic(p, PLANES);
    int64_t next = 0;
    size_t with_planes = 0;
    for (size_t k = 0; k < n; k++) {
        const mst_part *part = &parts[k];
        int64_t low = part->first - reach_of(h, 0, steps), high = part->first + part->count + reach_of(h, 1, steps);
        if (part->count == 0)
            continue;
        with_planes++;
        CHECK(part->first == next, "part %zu begins at %lld, not at %lld", k, (long long)part->first, (long long)next);
        next += part->count;
        if (count == 1 || !is_ring) {
            low = low < 0 ? 0 : low;
            high = high > planes ? planes : high;
        }
        CHECK(part->held_first == low && part->held_first + part->held_count == high, "part %zu holds %lld from %lld on", k,
              (long long)part->held_count, (long long)part->held_first);
        for (int side = 0; side < 2; side++)
            CHECK(count == 1 || is_ring || part->held_count > reach_of(h, side, 1), "part %zu is too thin for a mirror", k);
        CHECK(part->held_count <= planes, "part %zu holds planes twice", k);
        CHECK(count == 1 || part->count >= reach_of(h, 0, steps), "the halo of the part above %zu reaches beyond it", k);
        CHECK(count == 1 || part->count >= reach_of(h, 1, steps), "the halo of the part below %zu reaches beyond it", k);
    }
    CHECK(next == planes, "the parts have %lld of %lld planes", (long long)next, (long long)planes);
    CHECK(with_planes == count, "%zu parts have planes, not %zu", with_planes, count);
}

static void parts_hold_what_steps_read(void **state) {
    (void)state;
    for (int i = 0; i < test_many(2000); i++) {
        const mst_problem p = problem_of(test_between(1, i % 2 ? 40 : 1000), test_random() % 2);
        const mst_halo h = random_halo();
        const uint64_t steps = test_between(1, 12);
        const size_t n = test_between(1, MOST_PARTS);
        double shares[MOST_PARTS], sum = 0;
        mst_part parts[MOST_PARTS];
        for (size_t k = 0; k < n; k++)
            sum += shares[k] = (double)test_between(0, 5);
        const bool equal = sum == 0 || test_random() % 3 == 0;
        const size_t count = mst_parts_cut(&p, PLANES, &h, steps, equal ? NULL : shares, n, parts);
        check_parts(&p, &h, steps, n, parts, count);
        const int64_t least = mst_halo_least(&h, mst_problem_periodic(&p, PLANES), steps);
        for (size_t k = 0; k < n && (int64_t)p.whole[PLANES] >= (int64_t)(n * n) * 40 && least < 40; k++) {
            const double wanted = (double)p.whole[PLANES] * (equal ? 1.0 / (double)n : shares[k] / sum);
            CHECK(wanted < 2 * (double)least || fabs((double)parts[k].count - wanted) <= 1 + 2 * (double)(n * (size_t)least),
                  "part %zu has %lld planes, %.1f are its share", k, (long long)parts[k].count, wanted);
        }
    }
}

static void steps_fit_the_parts(void **state) {
    (void)state;
    for (int i = 0; i < test_many(2000); i++) {
        const mst_problem p = problem_of(test_between(1, 500), test_random() % 2);
        const mst_halo h = random_halo();
        const size_t n = test_between(2, MOST_PARTS);
        const uint64_t unit = test_between(1, 8);
        mst_parts_rates rates = {1e8, 1e10, 1e-5, 0, unit, false};
        mst_part parts[MOST_PARTS];
        const uint64_t steps = mst_parts_steps(&p, &h, &rates, n);
        const bool is_ring = mst_problem_periodic(&p, PLANES);
        const bool fits = mst_halo_least(&h, is_ring, 1) <= (int64_t)(p.whole[PLANES] / n);
        CHECK((steps > 0) == fits, "%llu steps, although one step %s", (unsigned long long)steps, fits ? "fits" : "does not");
        if (steps == 0 || steps == UINT32_MAX)
            continue;
        CHECK(mst_parts_cut(&p, PLANES, &h, steps, NULL, n, parts) == n, "%llu steps are too many", (unsigned long long)steps);
        rates.unit = 1;
        rates.latency *= 1000;
        const uint64_t rarer = mst_parts_steps(&p, &h, &rates, n);
        rates.latency /= 1000;
        CHECK(rarer >= mst_parts_steps(&p, &h, &rates, n), "a slower exchange is done more often");
    }
    const mst_problem p = problem_of(1000, false);
    const mst_halo none = {{0, 0}, {0, 0}, 0}, one = {{1, 1}, {0, 0}, 0};
    const mst_parts_rates rates = {1e8, 1e10, 1e-5, 0, 1, false}, trips = {1e8, 1e10, 1e-5, 0.01, 1, false};
    mst_parts_rates way = trips;
    mst_part two[2];
    assert_int_equal(mst_parts_cut(&p, PLANES, &one, UINT64_MAX, NULL, 2, two), 1);
    assert_int_equal(mst_parts_steps(&p, &none, &rates, 3), UINT32_MAX);
    assert_true(mst_parts_steps(&p, &one, &trips, 2) > 4 * mst_parts_steps(&p, &one, &rates, 2));
    way.unit = 8;
    assert_int_equal(mst_parts_steps(&p, &one, &way, 2) % 8, 0);
    // Beside the interior an exchange that takes half as long as a step costs little; one of next to nothing is not worth
    // launches.
    way = rates;
    way.latency = 0.5 * (double)p.plane * 500 / way.updates;
    const double waits = mst_parts_seconds(&p, &one, &way, 1, 2);
    way.beside = true;
    assert_true(mst_parts_seconds(&p, &one, &way, 1, 2) < waits);
    way.updates = 1e15;
    way.latency = 1e-5;
    const double beside = mst_parts_seconds(&p, &one, &way, 1, 2);
    way.beside = false;
    assert_true(beside > mst_parts_seconds(&p, &one, &way, 1, 2));
}

// ---- Bricks

static mst_stencil_desc cube_of(size_t side) {
    static const mst_stencil_field field = {.name = "u"};
    static const mst_stencil_update heat = {
        "u", "u + 0.1*(u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1] - 6*u)", 0};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = 3;
    d.grid[0] = d.grid[1] = d.grid[2] = side;
    d.precision = MST_FLOAT32;
    d.fields = &field;
    d.updates = &heat;
    d.n_fields = d.n_updates = 1;
    return d;
}

static mst_stencil_brick brick_of(const mst_stencil_desc *d, const size_t *bricks, size_t n, size_t number, uint64_t steps) {
    mst_error e;
    mst_stencil_brick b = MST_STENCIL_BRICK_INIT;
    OK(mst_stencil_brick_of(d, bricks, n, number, steps, &b, &e));
    return b;
}

// What bench/scaling says of 4096 ranks: a layer around the brick as deep as the steps, or two planes.
static void bricks_of_many_ranks(void **state) {
    (void)state;
    enum { RANKS = 4096 };
    static const size_t sides[] = {4096, 8192, 24576}, cube[] = {16, 16, 16}, slabs[] = {RANKS, 1, 1};
    for (size_t i = 0; i < 3; i++) {
        const mst_stencil_desc d = cube_of(sides[i]);
        for (uint64_t steps = 1; steps < 4; steps++) {
            const uint64_t edge = sides[i] / 16, held = edge + 2 * steps;
            const mst_stencil_brick b = brick_of(&d, cube, RANKS, (8 * 16 + 8) * 16 + 8, steps);
            CHECK(b.messages == 26 && b.bytes == 4 * (held * held * held - edge * edge * edge) && b.first[2] == 8 * edge,
                  "%llu messages of %llu bytes", (unsigned long long)b.messages, (unsigned long long)b.bytes);
        }
        if (i == 0) // one plane each, and two are needed
            continue;
        const mst_stencil_brick b = brick_of(&d, slabs, RANKS, 2000, 1), corner = brick_of(&d, cube, RANKS, 0, 1);
        CHECK(b.messages == 2 && b.bytes == 8 * sides[i] * sides[i], "%llu messages of %llu bytes",
              (unsigned long long)b.messages, (unsigned long long)b.bytes);
        CHECK(corner.messages == 7, "a brick in a corner has %llu neighbours", (unsigned long long)corner.messages);
    }
}

// Random numbers of bricks cover the grid once; those that the model chooses are slabs where these are as good.
static void bricks_cover_the_grid(void **state) {
    (void)state;
    for (int i = 0; i < test_many(200); i++) {
        size_t wanted[3], n = 1, nodes = 0;
        mst_stencil_desc d = cube_of(1);
        for (int k = 0; k < 3; k++) {
            n *= wanted[k] = test_between(1, 4);
            d.grid[k] = wanted[k] * 8 + test_between(0, 30);
        }
        const uint64_t steps = test_between(0, 4);
        for (size_t k = 0; k < n; k++) {
            const mst_stencil_brick b = brick_of(&d, wanted, n, k, steps);
            nodes += b.count[0] * b.count[1] * b.count[2];
            CHECK(b.steps == steps || steps == 0, "%llu steps", (unsigned long long)b.steps);
        }
        CHECK(nodes == d.grid[0] * d.grid[1] * d.grid[2], "%zu bricks have %zu nodes", n, nodes);
    }
    const mst_stencil_desc thick = cube_of(1024);
    mst_stencil_desc rod = cube_of(32);
    rod.grid[0] = 100000;
    assert_int_equal(brick_of(&thick, NULL, 2, 0, 1).bricks[0], 2);
    assert_int_equal(brick_of(&rod, NULL, 64, 0, 0).bricks[0], 64);
    assert_true(brick_of(&thick, NULL, 512, 0, 0).bricks[0] < 512);
}

// Where exchanges go on beside the interior, as they may on GPUs, slabs are as good as bricks for longer.
static void bricks_may_wait(void **state) {
    (void)state;
    const size_t cube[] = {8, 8, 8};
    mst_stencil_desc d = cube_of(4096);
    d.exchange = MST_STENCIL_EXCHANGE_BESIDE;
    assert_int_equal(brick_of(&d, NULL, 8, 0, 0).bricks[0], 8);
    assert_true(brick_of(&d, NULL, 512, 0, 0).bricks[0] < 512);
    assert_int_equal(brick_of(&d, cube, 512, 0, 0).bricks[0], 8);
    d.exchange = MST_STENCIL_EXCHANGE_WAITS;
    assert_true(brick_of(&d, NULL, 8, 0, 0).bricks[0] < 8);
    d.exchange = MST_STENCIL_EXCHANGE_AUTO;
    assert_int_equal(brick_of(&d, NULL, 8, 0, 0).bricks[0], 8);
    assert_true(brick_of(&d, NULL, 512, 0, 0).bricks[0] < 512);
    assert_int_equal(brick_of(&d, cube, 512, 0, 0).bricks[0], 8);
}

// A region that goes nearly once around: the nodes beside the gap are both in one brick along that axis.
static void regions_stay_whole(void **state) {
    (void)state;
    static const mst_stencil_field field = {.name = "u"};
    static const mst_stencil_update heat = {"u", "u + 0.1*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)", 0};
    static const mst_stencil_boundary faces[4] = {{.kind = MST_BOUNDARY_PERIODIC},
                                                  {.kind = MST_BOUNDARY_PERIODIC},
                                                  {.kind = MST_BOUNDARY_PERIODIC},
                                                  {.kind = MST_BOUNDARY_PERIODIC}};
    mst_stencil_region region = {{0, 4}, {1, 1}, {64, 4092}};
    const mst_stencil_source source = {.field = "u", .series = "t", .region = &region};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_error e;
    d.rank = 2;
    d.grid[0] = 64;
    d.grid[1] = 4096;
    d.fields = &field;
    d.updates = &heat;
    d.n_fields = d.n_updates = 1;
    d.boundaries = faces;
    assert_true(brick_of(&d, NULL, 4, 0, 0).bricks[1] > 1);
    d.sources = &source;
    d.n_sources = 1;
    assert_int_equal(brick_of(&d, NULL, 4, 0, 0).bricks[0], 4);
    // The first of two brick rows has the region, in two pieces along columns; the other has nothing of it.
    const mst_part first[N_AXES] = {{0, 32, -1, 34}, {0, 1, 0, 1}, {0, 2048, -1, 2050}};
    const mst_part second[N_AXES] = {{32, 32, 31, 34}, {0, 1, 0, 1}, {0, 2048, -1, 2050}};
    region.start[0] = region.count[0] = 8;
    for (int k = 0; k < 2; k++) {
        mst_problem p = {0};
        OK(mst_problem_read(&d, &p, &e));
        if (k == 0)
            REFUSED(MST_ERROR_UNSUPPORTED, "in two pieces", mst_problem_cut(&p, first, &e));
        else
            OK(mst_problem_cut(&p, second, &e));
        mst_problem_release(&p);
    }
}

// Launches over boxes, from one of two copies to the other, with what neighbours are given first, and halos put there before the
// rest: what is wanted has the values of whole launches.
enum { SIDE = 14, MOST_LAUNCHES = 4 };

typedef struct copies {
    uint64_t nodes[2][SIDE][SIDE][SIDE];
    mst_cuts cuts;
    int64_t reach, n;
} copies;

static uint64_t node_of(const copies *c, size_t from, int64_t i, int64_t j, int64_t k) {
    const mst_cuts_axis *a = c->cuts.axes;
    const bool inside = i >= 0 && j >= 0 && k >= 0 && i < a[0].nodes && j < a[1].nodes && k < a[2].nodes;
    return inside ? c->nodes[from][i][j][k] : 7;
}

static mst_status launch_box(void *user, size_t launch, const mst_box *box, mst_error *error) {
    copies *c = user;
    const size_t from = launch % 2;
    (void)error;
    for (int64_t i = box->from[0]; i < box->to[0]; i++)
        for (int64_t j = box->from[1]; j < box->to[1]; j++)
            for (int64_t k = box->from[2]; k < box->to[2]; k++) {
                uint64_t sum = node_of(c, from, i, j, k);
                for (int64_t by = -c->reach; by <= c->reach; by++)
                    sum = sum * 31 + 3 * node_of(c, from, i + by, j, k) + 5 * node_of(c, from, i, j + by, k) +
                          7 * node_of(c, from, i, j, k + by) + 11 * node_of(c, from, i + by, j - by, k + by);
                c->nodes[!from][i][j][k] = sum;
            }
    return MST_OK;
}

static bool is_halo(const copies *c, int64_t i, int64_t j, int64_t k) {
    const mst_cuts_axis *a = c->cuts.axes;
    return i < a[0].from || i >= a[0].to || j < a[1].from || j >= a[1].to || k < a[2].from || k >= a[2].to;
}

static mst_status halos_arrive(void *user, mst_error *error) {
    copies *c = user;
    (void)error;
    for (int64_t i = 0; i < c->cuts.axes[0].nodes; i++)
        for (int64_t j = 0; j < c->cuts.axes[1].nodes; j++)
            for (int64_t k = 0; k < c->cuts.axes[2].nodes; k++)
                if (is_halo(c, i, j, k))
                    c->nodes[c->n % 2][i][j][k] = 1;
    return MST_OK;
}

static void make_cuts(copies *c) {
    const int64_t deep = c->reach * c->n;
    for (int axis = 0; axis < N_AXES; axis++) {
        const bool low = test_random() % 2 > 0, high = test_random() % 2 > 0;
        mst_cuts_axis *a = &c->cuts.axes[axis];
        *a = (mst_cuts_axis){.nodes = (int64_t)test_between(2, SIDE)};
        a->from = low ? deep : 0;
        a->low = a->from + (low && test_random() % 4 ? deep : 0); // or nothing is given there
        a->to = a->nodes - (high ? deep : 0);
        a->high = a->to - (high && test_random() % 4 ? deep : 0);
    }
}

static void cuts_are_computed_first(void **state) {
    (void)state;
    static copies whole, cut;
    mst_error e;
    int n_cut = 0;
    for (int i = 0; i < test_many(3000); i++) {
        mst_cuts_launch launches[MOST_LAUNCHES] = {{{0}}};
        cut.reach = (int64_t)test_between(0, 2);
        cut.n = (int64_t)test_between(1, MOST_LAUNCHES);
        make_cuts(&cut);
        for (int64_t k = 0; k < cut.n; k++)
            for (int axis = 0; axis < N_AXES; axis++)
                launches[k].beyond[axis] = (cut.n - 1 - k) * cut.reach;
        if (!mst_cuts_leave_rest(&cut.cuts, &launches[0]))
            continue;
        n_cut += mst_cuts_sideways(&cut.cuts) && cut.reach > 0;
        for (uint64_t *node = &cut.nodes[0][0][0][0]; node < &cut.nodes[1][0][0][0]; node++)
            *node = test_random();
        whole = cut;
        const mst_box all = {{0, 0, 0}, {cut.cuts.axes[0].nodes, cut.cuts.axes[1].nodes, cut.cuts.axes[2].nodes}};
        for (int64_t k = 0; k < cut.n; k++)
            launch_box(&whole, (size_t)k, &all, NULL);
        OK(mst_cuts_enqueue(&cut.cuts, launches, (size_t)cut.n, launch_box, &cut, halos_arrive, &cut, &e));
        for (int64_t k = 0; k < SIDE * SIDE * SIDE; k++) {
            const int64_t at[] = {k / SIDE / SIDE, k / SIDE % SIDE, k % SIDE};
            const bool inside = at[0] < all.to[0] && at[1] < all.to[1] && at[2] < all.to[2];
            if (inside && !is_halo(&cut, at[0], at[1], at[2]))
                CHECK(node_of(&whole, (size_t)cut.n % 2, at[0], at[1], at[2]) ==
                          node_of(&cut, (size_t)cut.n % 2, at[0], at[1], at[2]),
                      "node (%lld, %lld, %lld): %lld launches that reach %lld", (long long)at[0], (long long)at[1],
                      (long long)at[2], (long long)cut.n, (long long)cut.reach);
        }
    }
    assert_true(n_cut > 10);
}

// Schemes of two axes that read to any side, as far as it comes: also to one alone, across which nothing is given.
static void make_update(char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "u");
    for (int k = 0; k < 4; k++) {
        const int by = (int)test_between(0, 2) * (k % 2 ? 1 : -1);
        used += (size_t)snprintf(text + used, size - used, " + 0.1*u[%d,%d]", k < 2 ? by : 0, k < 2 ? 0 : by);
    }
}

static bool is_common(const mst_stencil *s, const mst_link_box *box, const mst_box *rest) {
    bool is = true;
    for (int axis = 0; axis < N_AXES; axis++) {
        const int64_t held = s->part[axis].held_first;
        is = is && mst_larger(box->from[axis] - held, rest->from[axis]) < mst_smaller(box->to[axis] - held, rest->to[axis]);
    }
    return is;
}

// While the rest of the last launch is computed, what was given is read, and what is taken is written: in the array that it
// writes, as those before do that write the same one over less. What lies in the part is computed first or last.
static void check_cuts(const mst_stencil *s, const char *update) {
    const mst_cuts cuts = mst_part_cuts(s);
    const mst_cuts_launch last = {{0}};
    const mst_box rest = mst_cuts_rest(&cuts, &last), wanted = mst_cuts_wanted(&cuts, &last);
    for (int k = 0; k < s->n_links; k++) {
        CHECK(s->links[k].taken_bytes == 0 || !is_common(s, &s->links[k].taken, &rest), "%s: link %d is taken into the rest",
              update, k);
        CHECK(s->links[k].given_bytes == 0 || !is_common(s, &s->links[k].given, &rest), "%s: link %d gives of the rest", update,
              k);
    }
    for (int axis = 0; axis < N_AXES; axis++) {
        const int64_t first = s->part[axis].first - s->part[axis].held_first;
        CHECK(wanted.from[axis] <= first && wanted.to[axis] >= first + s->part[axis].count, "%s: too few nodes", update);
        CHECK(rest.from[axis] >= wanted.from[axis] && rest.to[axis] <= wanted.to[axis], "%s: too much rest", update);
    }
}

static void halos_lie_beside_the_rest(void **state) {
    (void)state;
    int one_sided = 0;
    for (int i = 0; i < test_many(1000); i++) {
        char text[100];
        mst_error e;
        const mst_stencil_field field = {.name = "u"};
        const mst_stencil_update update = {.field = "u", .expression = text};
        const mst_boundary_kind kind = test_random() % 2 ? MST_BOUNDARY_PERIODIC : MST_BOUNDARY_DIRICHLET;
        const mst_stencil_boundary faces[4] = {{.kind = kind}, {.kind = kind}, {.kind = kind}, {.kind = kind}};
        const uint64_t steps = test_between(1, 4);
        mst_stencil_desc d = MST_STENCIL_DESC_INIT;
        mst_stencil_brick brick = MST_STENCIL_BRICK_INIT;
        mst_stencil_part parts[3];
        mst_stencil s = {.n_links = 0};
        make_update(text, sizeof text);
        d.rank = 2;
        d.grid[0] = test_between(60, 90);
        d.grid[1] = test_between(60, 90);
        d.precision = MST_FLOAT32;
        d.fields = &field;
        d.updates = &update;
        d.n_fields = d.n_updates = 1;
        d.boundaries = faces;
        if (i % 2) {
            OK(mst_stencil_divide(&d, NULL, 3, steps, parts, &e));
            d.part = &parts[test_between(0, 2)];
        } else {
            brick = brick_of(&d, (const size_t[]){3, 2, 1}, 6, test_between(0, 5), steps);
            d.brick = &brick;
        }
        OK(mst_problem_read(&d, &s.problem, &e));
        OK(mst_part_take(&s, &d, &e));
        check_cuts(&s, text);
        for (int k = 0; k < s.n_links; k++)
            one_sided += (s.links[k].taken_bytes > 0) != (s.links[k].given_bytes > 0);
        mst_problem_release(&s.problem);
    }
    assert_true(one_sided > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bricks_of_many_ranks),
                                       cmocka_unit_test(bricks_cover_the_grid),
                                       cmocka_unit_test(bricks_may_wait),
                                       cmocka_unit_test(regions_stay_whole),
                                       cmocka_unit_test(parts_hold_what_steps_read),
                                       cmocka_unit_test(steps_fit_the_parts),
                                       cmocka_unit_test(cuts_are_computed_first),
                                       cmocka_unit_test(halos_lie_beside_the_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
