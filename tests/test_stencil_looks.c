// Parts of a grid that look at their state together: what monitors record and measure, sums of spectra, written to and read from
// one array of all, and the condition `until`, have the bits of one solver of the whole grid, whatever the cuts, the regions, the
// schedule; of ensembles, too. A part that is run beyond a look is refused, and a part that fails does not keep the others.
// Long: monitors and spectra by all schedules; `stencil_monitors` has their values.
#include "support_stencil.h"

#include <math.h>
#include <pthread.h>

enum { MOST_PARTS = 3, MOST_STEPS = 14, MOST_RUNS = 7, N_MONITORS = 5, N_SPECTRA = 2, N_FREQUENCIES = 3 };

// What the parts share of a meeting. What one gives waits until the part above has taken it.
typedef struct table {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_barrier_t all;
    uint64_t *sum;
} table;

typedef struct member {
    mst_stencil *solver;
    mst_stencil_part part;
    table *table;
    struct member *below;
    unsigned char given[4096];
    bool has_given, ended;
    uint64_t *joined;
    uint64_t left;                   // steps for which halos hold
    int good_launches, good_growths; // before one of the part's own work fails; -1: none does
    mst_status status;
    mst_error error;
} member;

// ---- Failures of the thread that looks

static _Thread_local int launches_left = -1, growths_left = -1;

static bool fails(int *left) { return *left >= 0 && (*left)-- == 0; }

cl_int __real_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dim, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint n, const cl_event *wait, cl_event *event);
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dim, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint n, const cl_event *wait, cl_event *event);
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dim, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint n, const cl_event *wait,
                                     cl_event *event) {
    if (fails(&launches_left))
        return CL_OUT_OF_RESOURCES;
    return __real_clEnqueueNDRangeKernel(queue, kernel, dim, offset, global, local, n, wait, event);
}

void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes) { return fails(&growths_left) ? NULL : __real_realloc(memory, bytes); }

// ---- Meetings

static mst_status take(void *user, void *to, size_t bytes, mst_error *error) {
    member *m = user;
    (void)error;
    pthread_mutex_lock(&m->table->mutex);
    while (!m->below->has_given)
        pthread_cond_wait(&m->table->changed, &m->table->mutex);
    memcpy(to, m->below->given, bytes);
    m->below->has_given = false;
    pthread_cond_broadcast(&m->table->changed);
    pthread_mutex_unlock(&m->table->mutex);
    return MST_OK;
}

static mst_status give(void *user, const void *from, size_t bytes, mst_error *error) {
    member *m = user;
    (void)error;
    pthread_mutex_lock(&m->table->mutex);
    assert_true(bytes <= sizeof m->given && !m->has_given);
    memcpy(m->given, from, bytes);
    m->has_given = true;
    pthread_cond_broadcast(&m->table->changed);
    pthread_mutex_unlock(&m->table->mutex);
    return MST_OK;
}

static mst_status join(void *user, void *numbers, size_t n, mst_error *error) {
    table *t = ((member *)user)->table;
    (void)error;
    if (pthread_barrier_wait(&t->all) == PTHREAD_BARRIER_SERIAL_THREAD)
        t->sum = calloc(n, sizeof *t->sum);
    pthread_barrier_wait(&t->all);
    pthread_mutex_lock(&t->mutex);
    for (size_t i = 0; i < n; i++) {
        uint64_t word;
        memcpy(&word, (char *)numbers + 8 * i, 8);
        t->sum[i] ^= word;
    }
    pthread_mutex_unlock(&t->mutex);
    pthread_barrier_wait(&t->all);
    memcpy(numbers, t->sum, 8 * n);
    if (pthread_barrier_wait(&t->all) == PTHREAD_BARRIER_SERIAL_THREAD)
        free(t->sum);
    return MST_OK;
}

static mst_stencil_meeting meeting_of(member *m) {
    mst_stencil_meeting with = MST_STENCIL_MEETING_INIT;
    with.take = take;
    with.give = give;
    with.join = join;
    with.user = m;
    return with;
}

static void *look(void *user) {
    member *m = user;
    const mst_stencil_meeting with = meeting_of(m);
    launches_left = m->good_launches;
    growths_left = m->good_growths;
    m->status = mst_stencil_look_part(m->solver, &with, &m->ended, &m->error);
    return NULL;
}

static void *measure(void *user) {
    member *m = user;
    double value[MOST_RUNS];
    const mst_stencil_meeting with = meeting_of(m);
    m->status = mst_stencil_measure_part(m->solver, 0, &with, value, &m->error);
    memcpy(m->given, value, sizeof value);
    return NULL;
}

static void together(member *members, size_t n, void *(*work)(void *user)) {
    pthread_t threads[MOST_PARTS];
    for (size_t k = 0; k < n; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, work, &members[k]), 0);
    for (size_t k = 0; k < n; k++)
        pthread_join(threads[k], NULL);
}

// ---- A scheme

typedef struct scheme {
    mst_stencil_desc d;
    mst_stencil_field fields[2];
    mst_stencil_update updates[2];
    mst_stencil_boundary faces[4];
    mst_stencil_monitor monitors[N_MONITORS];
    mst_stencil_spectrum spectra[N_SPECTRA];
    double values[MOST_RUNS];
    const char *names[1];
} scheme;

static mst_stencil_region random_region(const mst_stencil_desc *d) {
    mst_stencil_region r = {{0}, {0}, {0}};
    for (int k = 0; k < d->rank; k++) {
        r.start[k] = test_between(0, d->grid[k] - 1);
        r.step[k] = test_between(1, 3);
        r.count[k] = test_between(1, (d->grid[k] - 1 - r.start[k]) / r.step[k] + 1);
    }
    return r;
}

// So many lines that groups have several, and the cuts go through groups; of an ensemble fewer.
static void make(scheme *s, bool runs, bool is_ring) {
    static const double frequencies[N_FREQUENCIES] = {0, 0.07, -0.3};
    static const mst_stencil_region all = {{0}, {0}, {0}};
    *s = (scheme){.d = MST_STENCIL_DESC_INIT, .names = {"a"}};
    mst_stencil_desc *d = &s->d;
    d->rank = 2;
    d->grid[0] = runs ? test_between(5, 40) : test_between(2100, 9000);
    d->grid[1] = test_between(6, runs ? 40 : 12);
    d->precision = MST_FLOAT32;
    d->expected_steps = 1;
    d->check_every = test_between(0, 1) ? 5 : 0;
    for (int k = 0; k < 4; k++)
        s->faces[k] = (mst_stencil_boundary){.kind = k < 2 && is_ring ? MST_BOUNDARY_PERIODIC : MST_BOUNDARY_NEUMANN};
    s->fields[0] = (mst_stencil_field){.name = "u", .levels = 2, .initial = {.expression = "sin(x * x + 3 * y)"}};
    s->fields[1] = (mst_stencil_field){.name = "v", .initial = {.expression = "cos(7 * x - y)"}};
    s->updates[0] = (mst_stencil_update){"u", "1.9*u - u.prev + a*(u[-1,0] + v[2,0] + u[0,-1] + u[0,1] - 4*u)", 0};
    s->updates[1] = (mst_stencil_update){"v", "v + 0.1 * (u[1,0] - u)", 1};
    s->monitors[0] = (mst_stencil_monitor){"beside", "u[3,0]*u - v[-2,1]*y + t", MST_STENCIL_SUM, 2, all};
    s->monitors[1] = (mst_stencil_monitor){"most", "u.prev[1,0] + v", MST_STENCIL_MAX, 3, random_region(d)};
    s->monitors[2] = (mst_stencil_monitor){"norm", "v + y", MST_STENCIL_NORM, 1, random_region(d)};
    s->monitors[3] = (mst_stencil_monitor){"mean", runs ? "u + a" : "u", MST_STENCIL_MEAN, 4, random_region(d)};
    s->monitors[4] = (mst_stencil_monitor){"unseen", "u*u", MST_STENCIL_SUM, 0, all};
    s->spectra[0] = (mst_stencil_spectrum){"u[-2,0] + v", N_FREQUENCIES, frequencies, 2, all};
    s->spectra[1] = (mst_stencil_spectrum){"v", 1, frequencies + 1, 0, random_region(d)};
    static const mst_stencil_parameter parameter = {"a", 0.1};
    d->parameters = &parameter;
    d->n_parameters = 1;
    d->fields = s->fields;
    d->updates = s->updates;
    d->n_fields = d->n_updates = 2;
    d->boundaries = s->faces;
    d->monitors = s->monitors;
    d->n_monitors = N_MONITORS;
    d->spectra = s->spectra;
    d->n_spectra = N_SPECTRA;
    d->until = "unseen < -1 || t > 11"; // dt is 1
    d->until_every = 3;
    if (runs) {
        d->n_runs = test_between(MOST_PARTS, MOST_RUNS);
        for (size_t k = 0; k < d->n_runs; k++)
            s->values[k] = 0.05 + 0.01 * (double)k;
        d->n_run_parameters = 1;
        d->run_parameters = s->names;
        d->run_values = s->values;
    }
}

static size_t begin(mst_context *context, const mst_stencil_desc *whole, size_t n, uint64_t steps, table *t, member *members) {
    mst_error e;
    mst_stencil_part parts[MOST_PARTS];
    OK(mst_stencil_divide(whole, NULL, n, steps, parts, &e));
    while (parts[n - 1].planes == 0)
        n--;
    *t = (table){.sum = NULL};
    pthread_barrier_init(&t->all, NULL, (unsigned)n);
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->changed, NULL);
    for (size_t k = 0; k < n; k++) {
        member *m = &members[k];
        mst_stencil_desc d = *whole;
        *m = (member){.part = parts[k],
                      .table = t,
                      .below = k ? &members[k - 1] : NULL,
                      .left = parts[k].steps,
                      .good_launches = -1,
                      .good_growths = -1};
        d.part = &m->part;
        OK(mst_stencil_create(context, &d, &m->solver, &e));
    }
    return n;
}

static void end(member *members, size_t n) {
    for (size_t k = 0; k < n; k++)
        mst_stencil_destroy(members[k].solver);
    pthread_mutex_destroy(&members[0].table->mutex);
    pthread_barrier_destroy(&members[0].table->all);
    pthread_cond_destroy(&members[0].table->changed);
}

static void exchange(member *members, size_t n) {
    mst_error e;
    unsigned char *given[MOST_PARTS][2];
    for (size_t k = 0; k < n; k++) {
        mst_stencil_halo halo = MST_STENCIL_HALO_INIT;
        OK(mst_stencil_describe_halo(members[k].solver, &halo, &e));
        for (int side = 0; side < 2; side++) {
            given[k][side] = malloc((size_t)halo.given_bytes[side] + 1);
            if (halo.given_bytes[side])
                OK(mst_stencil_read_halo(members[k].solver, side, given[k][side], &e));
        }
    }
    for (size_t k = 0; k < n; k++) {
        mst_stencil_halo halo = MST_STENCIL_HALO_INIT;
        OK(mst_stencil_describe_halo(members[k].solver, &halo, &e));
        for (int side = 0; side < 2; side++)
            if (halo.taken_bytes[side])
                OK(mst_stencil_write_halo(members[k].solver, side, given[side ? (k + 1) % n : (k + n - 1) % n][!side], &e));
        members[k].left = members[k].part.steps;
    }
    for (size_t k = 0; k < n; k++)
        for (int side = 0; side < 2; side++)
            free(given[k][side]);
}

// Steps of all parts, and what is due on the way; true: the condition holds.
static bool advance(member *members, size_t n, uint64_t steps) {
    mst_error e;
    const uint64_t end_step = mst_stencil_step(members[0].solver) + steps;
    for (uint64_t step; (step = mst_stencil_step(members[0].solver)) < end_step;) {
        const uint64_t next = mst_stencil_next_look(members[0].solver);
        uint64_t to = next < end_step ? next : end_step;
        if (members[0].left == 0)
            exchange(members, n);
        to = to - step < members[0].left ? to : step + members[0].left;
        for (size_t k = 0; k < n; k++) {
            OK(mst_stencil_run(members[k].solver, to - step, NULL, NULL, &e));
            members[k].left -= to - step;
        }
        if (to < next)
            continue;
        CHECK(mst_stencil_run(members[0].solver, 1, NULL, NULL, &e) == MST_ERROR_ARGUMENT && strstr(e.message, "look"),
              "a part goes on although something is due: %s", e.message);
        for (int again = 0; again < 2; again++) // what is done is done
            together(members, n, look);
        for (size_t k = 0; k < n; k++)
            CHECK(members[k].status == MST_OK && members[k].ended == members[0].ended, "part %zu: %s", k,
                  members[k].error.message);
        if (members[0].ended)
            return true;
    }
    return false;
}

// ---- Checks

static void check_monitors(const scheme *s, member *members, size_t n, mst_stencil *one, const char *what) {
    mst_error e;
    const size_t runs = s->d.n_runs ? s->d.n_runs : 1;
    const uint64_t steps = mst_stencil_step(one);
    double want[MOST_STEPS * MOST_RUNS], got[MOST_STEPS * MOST_RUNS];
    for (size_t m = 0; m < N_MONITORS; m++) {
        const uint64_t every = s->monitors[m].every, count = every ? steps / every : 0;
        if (count == 0)
            continue;
        OK(mst_stencil_read_monitor(one, m, 1, count, want, &e));
        for (size_t k = 0; k < n; k++) {
            OK(mst_stencil_read_monitor(members[k].solver, m, 1, count, got, &e));
            for (size_t i = 0; i < count * runs; i++)
                CHECK(memcmp(&got[i], &want[i], sizeof got[i]) == 0, "%s, part %zu of %zu, look %zu: %.17g, not %.17g: %s",
                      s->monitors[m].name, k, n, i / runs, got[i], want[i], what);
        }
    }
    together(members, n, measure);
    OK(mst_stencil_measure(one, 0, want, &e));
    for (size_t k = 0; k < n; k++)
        CHECK(members[k].status == MST_OK && memcmp(members[k].given, want, runs * sizeof want[0]) == 0, "part %zu measures %s",
              k, members[k].error.message);
}

static size_t spectrum_bytes(const scheme *s, size_t k) {
    const mst_stencil_region *r = &s->spectra[k].region;
    size_t nodes = s->d.n_runs ? s->d.n_runs : 1;
    for (int axis = 0; axis < 2; axis++)
        nodes *= r->step[0] ? r->count[axis] : s->d.grid[axis];
    return nodes * s->spectra[k].n_frequencies * 2 * sizeof(float);
}

// All parts write to one array, and read it again.
static void check_spectra(const scheme *s, member *members, size_t n, mst_stencil *one, const char *what) {
    mst_error e;
    for (size_t k = 0; k < N_SPECTRA; k++) {
        const size_t bytes = spectrum_bytes(s, k);
        unsigned char *want = malloc(bytes), *got = malloc(bytes);
        OK(mst_stencil_read_spectrum(one, k, mst_at_host(want), &e));
        for (int turn = 0; turn < 2; turn++) {
            memset(got, 0xa5, bytes);
            for (size_t i = 0; i < n; i++)
                OK(mst_stencil_read_spectrum(members[i].solver, k, mst_at_host(got), &e));
            CHECK(memcmp(got, want, bytes) == 0, "spectrum %zu in %zu parts has other bits: %s", k, n, what);
            for (size_t i = 0; i < n; i++)
                OK(mst_stencil_write_spectrum(members[i].solver, k, mst_at_host(got), &e));
        }
        free(want);
        free(got);
    }
}

static void test_bits(void **state) {
    static const struct {
        mst_stencil_schedule schedule;
        size_t depth, block;
        bool runs;
    } ways[] = {{MST_STENCIL_AUTO, 0, 0, false}, {MST_STENCIL_PYRAMID_SLABS, 2, 100, false}, {MST_STENCIL_AUTO, 0, 0, true}};
    for (size_t i = 0; i < 3; i++) {
        mst_error e;
        mst_stencil *one;
        member members[MOST_PARTS];
        table t;
        scheme s;
        char what[100];
        const bool is_ring = test_between(0, 1);
        if (!test_turn(i, 3))
            continue;
        make(&s, ways[i].runs, is_ring && !ways[i].runs);
        s.d.schedule = ways[i].schedule;
        s.d.depth = ways[i].depth;
        s.d.block = ways[i].block;
        OK(mst_stencil_create(*state, &s.d, &one, &e));
        const size_t n = begin(*state, &s.d, test_between(2, MOST_PARTS), test_between(1, 4), &t, members);
        bool ended = false;
        while (!ended) {
            mst_stencil_report report = MST_STENCIL_REPORT_INIT;
            const uint64_t steps = test_between(1, 6);
            OK(mst_stencil_run(one, steps, NULL, &report, &e));
            ended = advance(members, n, steps);
            snprintf(what, sizeof what, "%zu x %zu, %zu runs, %s%s", s.d.grid[0], s.d.grid[1], s.d.n_runs,
                     mst_stencil_schedule_name(s.d.schedule), is_ring ? ", ring" : "");
            CHECK(ended == report.ended && mst_stencil_step(one) == mst_stencil_step(members[0].solver), "ends at %llu, %llu: %s",
                  (unsigned long long)mst_stencil_step(one), (unsigned long long)mst_stencil_step(members[0].solver), what);
            check_monitors(&s, members, n, one, what);
            check_spectra(&s, members, n, one, what);
        }
        end(members, n);
        mst_stencil_destroy(one);
    }
}

// A part that has lost its state meets nobody, so all are to know of it before; a look of the whole grid is none of a part.
static void test_refusals(void **state) {
    mst_error e;
    mst_stencil *one;
    member members[MOST_PARTS];
    table t;
    scheme s;
    double value;
    bool ended;
    make(&s, false, false);
    OK(mst_stencil_create(*state, &s.d, &one, &e));
    const size_t n = begin(*state, &s.d, 2, 1, &t, members);
    mst_stencil_meeting with = meeting_of(&members[0]);
    REFUSED(MST_ERROR_ARGUMENT, "whole grid", mst_stencil_look_part(one, &with, &ended, &e));
    REFUSED(MST_ERROR_ARGUMENT, "all parts look", mst_stencil_measure(members[0].solver, 0, &value, &e));
    REFUSED(MST_ERROR_ARGUMENT, "no monitor 9", mst_stencil_measure_part(members[0].solver, 9, &with, &value, &e));
    with.join = NULL;
    REFUSED(MST_ERROR_ARGUMENT, "functions", mst_stencil_look_part(members[0].solver, &with, &ended, &e));
    end(members, n);
    mst_stencil_destroy(one);
}

// Where a launch or an allocation of one part fails while several things are due, also ones that meet, all parts get through.
static void test_failures(void **state) {
    static const struct {
        uint64_t steps; // three monitors are due after 6, one is read for the condition, and a spectrum; two are after 2
        int launches, growths;
    } cases[] = {{6, 0, -1}, {6, 1, -1}, {6, 2, -1}, {6, 3, -1}, {6, 4, -1}, {2, -1, 0}, {2, -1, 1}};
    scheme s; // one, whose kernels are compiled once
    make(&s, test_between(0, 1), false);
    s.d.check_every = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mst_error e;
        member members[MOST_PARTS];
        table t;
        bool failed = false;
        const size_t n = begin(*state, &s.d, 3, 6, &t, members), who = test_between(0, n - 1);
        for (uint64_t step = 1; step <= cases[i].steps; step++) {
            for (size_t k = 0; k < n; k++)
                OK(mst_stencil_run(members[k].solver, 1, NULL, NULL, &e));
            members[who].good_launches = step == cases[i].steps ? cases[i].launches : -1;
            members[who].good_growths = step == cases[i].steps ? cases[i].growths : -1;
            together(members, n, look);
            failed = members[who].status != MST_OK;
            for (size_t k = 0; k < n; k++)
                CHECK(members[k].status == MST_OK || k == who, "part %zu fails: %s", k, members[k].error.message);
        }
        const mst_status want = cases[i].launches >= 0 ? MST_ERROR_OPENCL : MST_ERROR_HOST_MEMORY;
        CHECK(!failed || (members[who].status == want && !members[who].ended), "part %zu of %zu gives %s: %s", who, n,
              mst_status_name(members[who].status), members[who].error.message);
        CHECK(failed || cases[i].launches >= 3 || cases[i].growths > 0, "case %zu: part %zu of %zu does not fail", i, who, n);
        CHECK(!failed || mst_stencil_run(members[who].solver, 1, NULL, NULL, &e) == MST_ERROR_ARGUMENT, "a lost state goes on");
        end(members, n);
    }
}

int main(void) {
    test_all_quick_builds = true;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_failures),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
