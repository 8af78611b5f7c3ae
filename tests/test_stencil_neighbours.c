// Parts of a grid that exchange halos on the way of a run, each in a thread of its own: beside the interior and waiting, by every
// schedule that has another way of it, around a ring or not, over runs that end between exchanges. Whatever they are, the state
// has the bits of one solver. What the function of the caller's returns ends the run, and a field that diverges the last one.
#include "support_stencil.h"

#include <math.h>
#include <pthread.h>

enum { MOST_PARTS = 4, ROWS_OF_GRID = 61, COLUMNS_OF_GRID = 18, RUNS = 3 };

typedef struct member {
    mst_stencil *solver;
    mst_stencil_part part;
    mst_stencil_halo halo;
    void *given[2], *taken[2];
    struct member *others[2];
    pthread_barrier_t *all;
    uint64_t steps, first, exchanges, goes_on, fails_at; // fails_at: 0: never
    mst_status status;
    mst_error error;
} member;

static mst_status meet(void *user, mst_error *error) {
    member *m = user;
    pthread_barrier_wait(m->all);
    for (int side = 0; side < 2; side++)
        memcpy(m->taken[side], m->others[side]->given[!side], (size_t)m->halo.taken_bytes[side]);
    pthread_barrier_wait(m->all);
    if (++m->exchanges != m->fails_at)
        return MST_OK;
    error->status = MST_ERROR_IO;
    strcpy(error->message, "nobody is there");
    return MST_ERROR_IO;
}

static mst_stencil_neighbours neighbours_of(member *m) {
    mst_stencil_neighbours n = MST_STENCIL_NEIGHBOURS_INIT;
    for (int side = 0; side < 2; side++) {
        n.given[side] = m->given[side];
        n.taken[side] = m->taken[side];
    }
    n.first = m->first;
    n.exchange = meet;
    n.goes_on = m->goes_on;
    n.user = m;
    return n;
}

static void *work(void *user) {
    member *m = user;
    const mst_stencil_neighbours n = neighbours_of(m);
    m->status = mst_stencil_run_part(m->solver, m->steps, &n, NULL, NULL, &m->error);
    return NULL;
}

static mst_stencil_desc describe(bool is_ring) {
    static mst_stencil_boundary faces[4];
    static const mst_stencil_field fields[] = {{.name = "u", .levels = 2, .initial = {.expression = "sin(x * x + 3 * y)"}},
                                               {.name = "v", .initial = {.expression = "cos(7 * x - y)"}}};
    static const mst_stencil_update updates[] = {{"u", "1.9*u - u.prev + 0.1*(u[-1,0] + v[2,0] + u[0,-1] + u[0,1] - 4*u)", 0},
                                                 {"v", "v + 0.1 * (u[1,0] - u)", 1}};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    for (int k = 0; k < 4; k++)
        faces[k] = (mst_stencil_boundary){.kind = k < 2 && is_ring ? MST_BOUNDARY_PERIODIC : MST_BOUNDARY_NEUMANN};
    d.rank = 2;
    d.grid[0] = ROWS_OF_GRID;
    d.grid[1] = COLUMNS_OF_GRID;
    d.precision = MST_FLOAT32;
    d.expected_steps = 1; // so that little is measured
    d.fields = fields;
    d.updates = updates;
    d.n_fields = d.n_updates = 2;
    d.boundaries = faces;
    return d;
}

static size_t begin(mst_context *context, const mst_stencil_desc *whole, size_t n, uint64_t steps, pthread_barrier_t *all,
                    member *members) {
    mst_error e;
    mst_stencil_part parts[MOST_PARTS];
    OK(mst_stencil_divide(whole, NULL, n, steps, parts, &e));
    while (parts[n - 1].planes == 0)
        n--;
    pthread_barrier_init(all, NULL, (unsigned)n);
    for (size_t k = 0; k < n; k++) {
        member *m = &members[k];
        mst_stencil_desc d = *whole;
        *m = (member){.part = parts[k], .all = all, .halo = MST_STENCIL_HALO_INIT, .first = parts[k].steps};
        d.part = &m->part;
        OK(mst_stencil_create(context, &d, &m->solver, &e));
        OK(mst_stencil_describe_halo(m->solver, &m->halo, &e));
        for (int side = 0; side < 2; side++) {
            m->others[side] = &members[side ? (k + 1) % n : (k + n - 1) % n];
            m->given[side] = malloc((size_t)m->halo.given_bytes[side] + 1);
            m->taken[side] = malloc((size_t)m->halo.taken_bytes[side] + 1);
            memset(m->taken[side], 0xff, (size_t)m->halo.taken_bytes[side]); // NaN
        }
    }
    return n;
}

static void end(member *members, size_t n) {
    for (size_t k = 0; k < n; k++) {
        mst_stencil_destroy(members[k].solver);
        for (int side = 0; side < 2; side++) {
            free(members[k].given[side]);
            free(members[k].taken[side]);
        }
    }
    pthread_barrier_destroy(members[0].all);
}

static void run_all(member *members, size_t n, uint64_t steps, bool goes_on) {
    pthread_t threads[MOST_PARTS];
    for (size_t k = 0; k < n; k++) {
        members[k].steps = steps;
        members[k].goes_on = goes_on;
        members[k].exchanges = 0;
        assert_int_equal(pthread_create(&threads[k], NULL, work, &members[k]), 0);
    }
    for (size_t k = 0; k < n; k++)
        pthread_join(threads[k], NULL);
}

// As many exchanges as steps come behind halos that are used up, or another run; and what is left of the last.
static void check_exchanges(member *m, uint64_t steps) {
    mst_error e;
    const uint64_t between = m->part.steps, used = m->goes_on ? steps : steps - 1;
    const uint64_t due = used >= m->first ? (used - m->first) / between + 1 : 0;
    OK(mst_stencil_describe_halo(m->solver, &m->halo, &e));
    assert_int_equal(m->exchanges, due);
    m->first += due * between - steps;
    assert_int_equal(m->halo.steps_left, m->first);
}

static void check_state(const member *members, size_t n, mst_stencil *one, const char *what) {
    static float want[ROWS_OF_GRID * COLUMNS_OF_GRID], got[ROWS_OF_GRID * COLUMNS_OF_GRID];
    static const struct {
        const char *field;
        int level;
    } arrays[] = {{"u", 0}, {"u", 1}, {"v", 0}};
    mst_error e;
    for (size_t a = 0; a < sizeof arrays / sizeof arrays[0]; a++) {
        OK(mst_stencil_read(one, arrays[a].field, arrays[a].level, NULL, mst_at_host(want), &e));
        for (size_t k = 0; k < n; k++)
            OK(mst_stencil_read(members[k].solver, arrays[a].field, arrays[a].level, NULL,
                                mst_at_host(got + members[k].part.first * COLUMNS_OF_GRID), &e));
        CHECK(memcmp(got, want, sizeof want) == 0, "%s %d in %zu parts has other bits: %s", arrays[a].field, arrays[a].level, n,
              what);
    }
}

// Only the parts below give, and only those above take.
static const mst_stencil_update upwind[] = {{"u", "1.8*u - 0.8*u.prev + 0.1*(v[-2,0] + u[0,-1] - 2*u)", 0},
                                            {"v", "v + 0.1 * (u[-1,0] - v)", 1}};

static void test_bits(void **state) {
    static const struct {
        mst_stencil_schedule schedule;
        size_t depth, block;
        unsigned fuse;
        mst_stencil_halo_exchange exchange;
        bool is_upwind;
    } ways[] = {{MST_STENCIL_SWEEPS, 0, 0, 0, MST_STENCIL_EXCHANGE_BESIDE, false},
                {MST_STENCIL_IN_CORE, 0, 0, 2, MST_STENCIL_EXCHANGE_BESIDE, false},
                {MST_STENCIL_SWEEPS, 0, 0, 0, MST_STENCIL_EXCHANGE_WAITS, false},
                {MST_STENCIL_SKEWED_SWEEPS, 4, 5, 0, MST_STENCIL_EXCHANGE_BESIDE, false},
                {MST_STENCIL_PYRAMID_SLABS, 2, 6, 1, MST_STENCIL_EXCHANGE_WAITS, false},
                {MST_STENCIL_SWEEPS, 0, 0, 0, MST_STENCIL_EXCHANGE_BESIDE, true},
                {MST_STENCIL_IN_CORE, 0, 0, 1, MST_STENCIL_EXCHANGE_BESIDE, true}};
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        mst_error e;
        mst_stencil *one;
        member members[MOST_PARTS];
        pthread_barrier_t all;
        char what[100];
        if (!test_turn(k, 7))
            continue;
        mst_stencil_desc d = describe(test_between(0, 1));
        d.updates = ways[k].is_upwind ? upwind : d.updates;
        d.schedule = ways[k].schedule;
        d.depth = ways[k].depth;
        d.block = ways[k].block;
        d.fuse = ways[k].fuse;
        d.exchange = ways[k].exchange;
        OK(mst_stencil_create(*state, &d, &one, &e));
        const size_t n = begin(*state, &d, test_between(2, MOST_PARTS), test_between(1, 5), &all, members);
        for (int run = 0; run < RUNS; run++) {
            const uint64_t steps = test_between(1, 13);
            OK(mst_stencil_run(one, steps, NULL, NULL, &e));
            run_all(members, n, steps, test_between(0, 1));
            snprintf(what, sizeof what, "%s, exchange %d every %llu steps, run %d%s", mst_stencil_schedule_name(d.schedule),
                     (int)d.exchange, (unsigned long long)members[0].part.steps, run,
                     members[0].goes_on ? ", which goes on" : "");
            for (size_t i = 0; i < n; i++) {
                CHECK(members[i].status == MST_OK, "part %zu: %s", i, members[i].error.message);
                check_exchanges(&members[i], steps);
            }
            check_state(members, n, one, what);
        }
        end(members, n);
        mst_stencil_destroy(one);
    }
}

// ---- Arrays of the whole grid that parts write and read

enum { MOST_STATE = 12, STATE_BYTES = ROWS_OF_GRID * COLUMNS_OF_GRID * sizeof(float) };

typedef struct whole_state {
    const char *names[MOST_STATE];
    int levels[MOST_STATE];
    mst_stencil_memory memories[MOST_STATE];
    size_t n;
    unsigned char values[MOST_STATE][STATE_BYTES];
} whole_state;

static void list_state(const mst_stencil_desc *d, whole_state *s) {
    mst_error e;
    *s = (whole_state){.names = {"u", "u", "v"}, .levels = {0, 1, 0}, .n = 3};
    for (size_t k = 0, n = 1; k < n; k++) {
        mst_stencil_memory *memory = &s->memories[k];
        *memory = (mst_stencil_memory)MST_STENCIL_MEMORY_INIT;
        OK(mst_stencil_find_memory(d, k, memory, &e));
        n = memory->n;
        assert_true(s->n + n < MOST_STATE);
        if (k < n)
            s->names[s->n++] = memory->name;
    }
}

static void collect(mst_stencil *solver, whole_state *s) {
    mst_error e;
    for (size_t k = 0; k < s->n; k++)
        OK(mst_stencil_read_whole(solver, s->names[k], s->levels[k], (mst_type)0, mst_at_host(s->values[k]), &e));
}

// What some parts write, others take, and go on to the bits of one solver.
static void test_whole_arrays(void **state) {
    mst_error e;
    mst_stencil *one;
    member members[MOST_PARTS];
    pthread_barrier_t all;
    static whole_state want, got;
    static const mst_stencil_update layered[] = {{"u", "u + 0.3 * stretch_y(v - v[-1,0]) + 0.01 * u.prev", 0},
                                                 {"v", "v + 0.3 * (stretch_y(u[1,0] - u) + stretch_x(u[0,1] - u))", 1}};
    for (size_t way = 0; way < 3; way++) {
        mst_stencil_desc d = describe(way == 1);
        mst_stencil_boundary absorbing[4];
        if (!test_turn(way, 3))
            continue;
        for (size_t k = 0; k < 4; k++)
            absorbing[k] = (mst_stencil_boundary){.kind = MST_BOUNDARY_ABSORB, .width = 4 + k / 2};
        d.boundaries = way == 2 ? absorbing : d.boundaries;
        d.updates = way == 2 ? layered : d.updates;
        d.schedule = MST_STENCIL_SWEEPS;
        list_state(&d, &want);
        list_state(&d, &got);
        OK(mst_stencil_create(*state, &d, &one, &e));
        for (size_t turn = 0; turn < 2; turn++) {
            const size_t n = begin(*state, &d, 2 + test_between(0, 1) + turn, test_between(1, 3), &all, members);
            for (size_t k = 0; k < n && turn == 1; k++)
                for (size_t i = 0; i < want.n; i++)
                    OK(mst_stencil_write_whole(members[k].solver, want.names[i], want.levels[i], (mst_type)0,
                                               mst_at_host(want.values[i]), &e));
            run_all(members, n, 7, false);
            OK(mst_stencil_run(one, 7, NULL, NULL, &e));
            for (size_t k = 0; k < n; k++)
                collect(members[k].solver, &got);
            collect(one, &want);
            for (size_t i = 0; i < want.n; i++)
                CHECK(memcmp(want.values[i], got.values[i], STATE_BYTES) == 0, "way %zu: %zu parts give another %s", way, n,
                      want.names[i]);
            end(members, n);
        }
        mst_stencil_destroy(one);
    }
}

// A field that diverges in one part, far from the others: where another run follows it is not looked at, and at the end of the
// last one that part alone says so. Its state can be read.
static void test_divergence(void **state) {
    mst_error e;
    member members[MOST_PARTS];
    pthread_barrier_t all;
    static float field[ROWS_OF_GRID * COLUMNS_OF_GRID] = {NAN};
    mst_stencil_desc d = describe(false);
    d.schedule = MST_STENCIL_SWEEPS;
    d.check_every = 100;
    const size_t n = begin(*state, &d, 2, 2, &all, members);
    OK(mst_stencil_write(members[0].solver, "u", 0, mst_at_host(field), &e));
    run_all(members, n, 4, true);
    for (size_t k = 0; k < n; k++)
        CHECK(members[k].status == MST_OK, "part %zu goes on: %s", k, members[k].error.message);
    run_all(members, n, 3, false);
    assert_int_equal(members[0].status, MST_ERROR_DIVERGED);
    CHECK(members[1].status == MST_OK, "the other part: %s", members[1].error.message);
    field[0] = 0;
    OK(mst_stencil_read(members[0].solver, "u", 0, NULL, mst_at_host(field), &e));
    assert_true(isnan(field[0]));
    end(members, n);
}

static void test_failures(void **state) {
    mst_error e;
    member members[MOST_PARTS];
    pthread_barrier_t all;
    mst_stencil *one;
    mst_stencil_desc d = describe(false);
    d.schedule = MST_STENCIL_SWEEPS;
    d.exchange = MST_STENCIL_EXCHANGE_BESIDE;
    const size_t n = begin(*state, &d, 2, 2, &all, members);
    mst_stencil_neighbours with = neighbours_of(&members[0]);
    with.first = 3;
    REFUSED(MST_ERROR_ARGUMENT, "hold for 2 steps", mst_stencil_run_part(members[0].solver, 9, &with, NULL, NULL, &e));
    with.first = 2;
    with.given[1] = NULL;
    REFUSED(MST_ERROR_ARGUMENT, "given[1]", mst_stencil_run_part(members[0].solver, 9, &with, NULL, NULL, &e));
    with.given[1] = members[0].given[1];
    with.exchange = NULL;
    REFUSED(MST_ERROR_ARGUMENT, "exchange", mst_stencil_run_part(members[0].solver, 9, &with, NULL, NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_stencil_run_part(members[0].solver, 9, NULL, NULL, NULL, &e));
    with.struct_size = 8;
    REFUSED(MST_ERROR_ARGUMENT, "MST_STENCIL_NEIGHBOURS_INIT", mst_stencil_run_part(members[0].solver, 9, &with, NULL, NULL, &e));
    d.part = NULL;
    OK(mst_stencil_create(*state, &d, &one, &e));
    with = neighbours_of(&members[0]);
    REFUSED(MST_ERROR_ARGUMENT, "whole grid", mst_stencil_run_part(one, 9, &with, NULL, NULL, &e));
    mst_stencil_destroy(one);
    for (size_t k = 0; k < n; k++)
        members[k].fails_at = 2;
    run_all(members, n, 20, false);
    for (size_t k = 0; k < n; k++) {
        assert_int_equal(members[k].status, MST_ERROR_IO);
        assert_string_equal(members[k].error.message, "nobody is there");
        assert_int_equal(members[k].exchanges, 2);
        REFUSED(MST_ERROR_ARGUMENT, "lost", mst_stencil_run(members[k].solver, 1, NULL, NULL, &e));
    }
    end(members, n);
}

// A brick whose halos are packed: the least memory that is asked for is enough, for these, too.
static void test_least_memory(void **state) {
    mst_error e;
    mst_stencil *solver = NULL;
    mst_stencil_desc d = describe(false);
    mst_stencil_brick brick = MST_STENCIL_BRICK_INIT;
    (void)state;
    OK(mst_stencil_brick_of(&d, (const size_t[]){1, 2, 1}, 2, 0, 3, &brick, &e));
    d.brick = &brick;
    d.schedule = MST_STENCIL_IN_CORE;
    d.shape = MST_STENCIL_SHAPE_GPU;
    d.fuse = 1;
    mst_context *small = test_context_with_budget(1000, 1 << 20);
    REFUSED(MST_ERROR_BUDGET, "would do", mst_stencil_create(small, &d, &solver, &e));
    mst_context_destroy(small);
    mst_context *least = test_context_with_budget(strtoull(strchr(e.message, ';') + 1, NULL, 10), 1 << 20);
    OK(mst_stencil_create(least, &d, &solver, &e));
    mst_stencil_destroy(solver);
    mst_context_destroy(least);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_whole_arrays),
                                       cmocka_unit_test(test_divergence), cmocka_unit_test(test_failures),
                                       cmocka_unit_test(test_least_memory)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
