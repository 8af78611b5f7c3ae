// Plans that keep their word: plans SECONDS [SCHEME [TRIAL]].
//
// Random schemes, each with many budgets and wishes. What mst_stencil_predict accepts mst_stencil_create makes and
// mst_stencil_run runs, and what it refuses they refuse; a least budget in a message is accepted, and one byte less is not; all
// results have the bits of a run in core. Rates are made up at random, other ones for each plan, since plans must hold whatever
// is measured; sometimes they are measured. Kernels are compiled once a scheme: budgets of one context are changed from trial to
// trial.
#include "support.h"

#include "runtime/context.h"
#include "stencil/measure.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

enum { TRIALS = 60, FIELDS = 4, STEPS = 13, MOST_STATE = 1 << 24 };

// ---- random numbers, from the seed, the scheme and the trial

static uint64_t random_state, seed;

static uint64_t random_bits(void) { // splitmix64
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void begin(uint64_t scheme, uint64_t trial) {
    random_state = seed;
    random_state = random_bits() ^ scheme << 32 ^ trial;
    random_bits();
}

static size_t between(size_t low, size_t high) { return low + (size_t)(random_bits() % (high - low + 1)); }
static bool chance(size_t one_in) { return between(1, one_in) == 1; }

// From low to high, small numbers as often as large ones.
static uint64_t spread(double low, double high) {
    return (uint64_t)(low * pow(high / low, (double)between(0, 1 << 20) / (1 << 20)));
}

// ---- rates

mst_status __real_mst_rates_measure(const mst_measurement *m, mst_rates *rates, mst_error *error);
mst_status __wrap_mst_rates_measure(const mst_measurement *m, mst_rates *rates, mst_error *error);
mst_status __real_mst_sweeps_measure(mst_sweeper *sweeper, mst_rates *rates, mst_error *error);
mst_status __wrap_mst_sweeps_measure(mst_sweeper *sweeper, mst_rates *rates, mst_error *error);

static double any_rate(void) { return (double)spread(1e6, 1e11); }

mst_status __wrap_mst_rates_measure(const mst_measurement *m, mst_rates *rates, mst_error *error) {
    if (chance(12))
        return __real_mst_rates_measure(m, rates, error);
    for (int k = 0; k < 2; k++) {
        rates->update[k] = any_rate();
        rates->launch[k] = 1 / any_rate();
        rates->row[k] = 1 / any_rate();
    }
    rates->upload = any_rate();
    rates->download = any_rate();
    rates->host = any_rate();
    return MST_OK;
}

mst_status __wrap_mst_sweeps_measure(mst_sweeper *sweeper, mst_rates *rates, mst_error *error) {
    if (chance(12))
        return __real_mst_sweeps_measure(sweeper, rates, error);
    rates->sweep = any_rate();
    rates->computing = chance(2) ? any_rate() : 0;
    return MST_OK;
}

// ---- schemes

typedef struct scheme {
    mst_stencil_desc desc;
    mst_stencil_boundary boundaries[2 * MST_MAX_AXES];
    mst_stencil_field fields[FIELDS];
    mst_stencil_update updates[FIELDS];
    mst_stencil_source source;
    mst_stencil_receiver receiver;
    size_t point[1][MST_MAX_AXES];
    char texts[FIELDS][1000], initial[FIELDS][100];
    uint64_t array, arrays; // bytes of one, and how many there are
} scheme;

static const char *const names[] = {"a", "b", "c", "d"};

static size_t add_read(const scheme *s, size_t field, char *out, size_t size) {
    const char *previous = s->fields[field].levels == 2 && chance(3) ? ".prev" : "";
    size_t n = (size_t)snprintf(out, size, " + 0.1 * %s%s[", names[field], previous);
    for (int k = 0; k < s->desc.rank; k++) {
        size_t most = s->desc.grid[k] < 4 ? s->desc.grid[k] : 4, offset = chance(2) ? between(0, most) : 0;
        n += (size_t)snprintf(out + n, size - n, "%s%s%zu", k ? "," : "", chance(2) ? "-" : "", offset);
    }
    return n + (size_t)snprintf(out + n, size - n, "]");
}

static void make_fields(scheme *s) {
    mst_stencil_desc *d = &s->desc;
    d->n_fields = between(1, chance(4) ? FIELDS : 2);
    for (size_t f = 0; f < d->n_fields; f++) {
        snprintf(s->initial[f], sizeof s->initial[f], "sin(0.%zu * x + %zu)", between(1, 9), f);
        s->fields[f] = (mst_stencil_field){
            .name = names[f], .levels = 1, .coefficient = f > 0 && chance(3), .initial = {.expression = s->initial[f]}};
        if (!s->fields[f].coefficient && chance(4))
            s->fields[f].levels = 2;
    }
    for (size_t f = 0; f < d->n_fields; f++) {
        size_t n = (size_t)snprintf(s->texts[f], sizeof s->texts[f], "0.5 * %s%s", names[f], chance(6) ? " + t" : "");
        for (size_t reads = between(1, 3); reads > 0; reads--)
            n += add_read(s, between(0, d->n_fields - 1), s->texts[f] + n, sizeof s->texts[f] - n);
        if (!s->fields[f].coefficient)
            s->updates[d->n_updates++] = (mst_stencil_update){.field = names[f], .expression = s->texts[f]};
    }
    if (chance(3))
        for (size_t u = 0; u < d->n_updates; u++)
            s->updates[u].substep = u;
}

static void make_boundaries(scheme *s) {
    static const mst_boundary_kind kinds[] = {MST_BOUNDARY_DIRICHLET, MST_BOUNDARY_NEUMANN, MST_BOUNDARY_SPONGE};
    for (int k = 0; k < s->desc.rank; k++) {
        for (int side = 0; side < 2; side++) {
            s->boundaries[2 * k + side].kind = kinds[between(0, 2)];
            s->boundaries[2 * k + side].width = 1;
        }
        if (chance(4))
            s->boundaries[2 * k].kind = s->boundaries[2 * k + 1].kind = MST_BOUNDARY_PERIODIC;
    }
}

static void make_points(scheme *s) {
    for (int k = 0; k < s->desc.rank; k++)
        s->point[0][k] = between(0, s->desc.grid[k] - 1);
    if (chance(3)) {
        s->source = (mst_stencil_source){.field = "a", .series = "sin(t)"};
        s->desc.sources = &s->source;
        s->desc.n_sources = 1;
    }
    if (chance(3)) {
        s->receiver = (mst_stencil_receiver){.field = "a", .n_points = 1, .points = (const size_t(*)[MST_MAX_AXES])s->point};
        s->desc.receivers = &s->receiver;
        s->desc.n_receivers = 1;
    }
}

static void make_scheme(scheme *s, uint64_t number) {
    static const double most[] = {4e4, 250, 45};
    const mst_stencil_desc empty = MST_STENCIL_DESC_INIT;
    begin(number, 0);
    memset(s, 0, sizeof *s);
    s->desc = empty;
    s->desc.rank = (int)between(1, 3);
    s->array = 1;
    for (int k = 0; k < s->desc.rank; k++) {
        s->desc.grid[k] = spread(1, most[s->desc.rank - 1]);
        s->array *= s->desc.grid[k];
    }
    s->desc.precision = chance(2) ? MST_FLOAT32 : MST_FLOAT64;
    s->array *= mst_type_bytes(s->desc.precision);
    s->desc.shape = chance(3) ? MST_STENCIL_SHAPE_GPU : MST_STENCIL_SHAPE_CPU;
    s->desc.fields = s->fields;
    s->desc.updates = s->updates;
    s->desc.boundaries = s->boundaries;
    make_fields(s);
    make_boundaries(s);
    make_points(s);
    for (size_t f = 0; f < s->desc.n_fields; f++)
        s->arrays += s->fields[f].levels == 2 ? 2 : 1;
    s->desc.fuse = chance(2) ? (unsigned)between(1, 3) : 0;
}

// ---- trials

typedef struct trial {
    mst_context *context;
    const scheme *scheme;
    uint64_t number, of_scheme;
    mst_stencil_desc desc;
    size_t portion; // steps of the first of two runs
    const unsigned char *wanted;
} trial;

static uint64_t bytes_of_result(const scheme *s) { return s->arrays * s->array + STEPS * sizeof(double); }

// The state after the last step, and what was recorded.
static mst_status read_result(const scheme *s, mst_stencil *solver, unsigned char *to, mst_error *error) {
    mst_status status = MST_OK;
    for (size_t f = 0; f < s->desc.n_fields && status == MST_OK; f++)
        for (int level = 0; level < s->fields[f].levels && status == MST_OK; level++, to += s->array)
            status = mst_stencil_read(solver, s->fields[f].name, level, NULL, mst_at_host(to), error);
    memset(to, 0, STEPS * sizeof(double));
    double values[STEPS];
    if (status == MST_OK && s->desc.n_receivers) {
        status = mst_stencil_read_receiver(solver, 0, 1, STEPS, values, error);
        memcpy(to, values, sizeof values);
    }
    return status;
}

static mst_status run(const trial *t, unsigned char *to, mst_error *error) {
    mst_stencil *solver;
    mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
    const uint64_t used = t->context->device_memory.used;
    mst_status status = mst_stencil_create(t->context, &t->desc, &solver, error);
    if (status != MST_OK)
        return status;
    status = mst_stencil_describe(solver, STEPS, &plan, error);
    const uint64_t taken = t->context->device_memory.used - used;
    if (status == MST_OK && taken != plan.device_bytes) {
        status = error->status = MST_ERROR_ARGUMENT;
        snprintf(error->message, sizeof error->message, "takes %llu bytes of the device, not %llu as planned",
                 (unsigned long long)taken, (unsigned long long)plan.device_bytes);
    }
    if (status == MST_OK)
        status = mst_stencil_run(solver, t->portion, NULL, NULL, error);
    if (status == MST_OK)
        status = mst_stencil_run(solver, STEPS - t->portion, NULL, NULL, error);
    if (status == MST_OK)
        status = read_result(t->scheme, solver, to, error);
    mst_stencil_destroy(solver);
    return status;
}

static int report(const trial *t, const char *what, const char *first, const char *second) {
    const mst_stencil_desc *d = &t->desc;
    const mst_context *c = t->context;
    printf(
        "scheme %llu trial %llu of seed %llu: %s: %s | %s\n    %zux%zux%zu %s, %zu fields, schedule %s, m %u, n %zu, b %zu, %s, "
        "store %d, budgets %llu of which %llu are used, %llu, pieces of %llu\n",
        (unsigned long long)t->of_scheme, (unsigned long long)t->number, (unsigned long long)seed, what, first, second,
        d->grid[0], d->grid[1], d->grid[2], mst_type_name(d->precision), d->n_fields, mst_stencil_schedule_name(d->schedule),
        d->fuse, d->depth, d->block, d->shape == MST_STENCIL_SHAPE_GPU ? "gpu" : "cpu", (int)d->store,
        (unsigned long long)c->device_memory.limit, (unsigned long long)c->device_memory.used,
        (unsigned long long)c->host_memory.limit, (unsigned long long)c->device.max_allocation_bytes);
    fflush(stdout);
    return 1;
}

// Whether plan and run agree with these budgets; *accepted, and the plan's message.
static int check_agrees(const trial *t, mst_error *planned, bool *accepted) {
    mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
    mst_error ran = {MST_OK, 0, "", ""};
    const uint64_t used = t->context->device_memory.used, host_used = t->context->host_memory.used;
    unsigned char *got = malloc(bytes_of_result(t->scheme));
    int failed = 0;
    *planned = ran;
    *accepted = mst_stencil_predict(t->context, &t->desc, STEPS, &plan, planned) == MST_OK;
    const mst_status status = got ? run(t, got, &ran) : MST_ERROR_HOST_MEMORY;
    if (*accepted != (status == MST_OK))
        failed = report(t, *accepted ? "the plan is accepted, the run is not" : "the plan is refused, the run is not",
                        planned->message, ran.message);
    else if (!*accepted && planned->status != ran.status)
        failed = report(t, "plan and run are refused for other reasons", planned->message, ran.message);
    else if (status == MST_OK && memcmp(got, t->wanted, bytes_of_result(t->scheme)) != 0)
        failed = report(t, "other bits", mst_stencil_schedule_name(plan.schedule), "");
    if (t->context->device_memory.used != used || t->context->host_memory.used != host_used)
        failed = report(t, "memory is still held", "", "");
    free(got);
    return failed;
}

// With the least budgets of a message; NULL where the device is too small whatever they are.
static int read_least(const char *message, uint64_t *device, uint64_t *host) {
    const char *would_do = strstr(message, "; ");
    unsigned long long first = 0, second = 0;
    int n = would_do ? sscanf(would_do, "; %llu and %llu", &first, &second) : 0;
    if (n == 2 || strstr(message, "of device memory is"))
        *device = first;
    if (n == 2 || strstr(message, "of host memory is"))
        *host = n == 2 ? second : first;
    return n;
}

static int check_least(const trial *t, const char *message) {
    mst_context *c = t->context;
    const uint64_t limits[] = {c->device_memory.limit, c->host_memory.limit};
    uint64_t least[] = {limits[0], limits[1]};
    mst_budget *const budgets[] = {&c->device_memory, &c->host_memory};
    mst_error e;
    bool accepted;
    if (read_least(message, &least[0], &least[1]) == 0)
        return report(t, "no least budget", message, "");
    budgets[0]->limit = least[0];
    budgets[1]->limit = least[1];
    int failed = check_agrees(t, &e, &accepted);
    if (!accepted)
        failed = report(t, "the least budget is refused", message, e.message);
    for (int k = 0; k < 2 && !failed; k++) {
        if (least[k] == limits[k])
            continue;
        budgets[k]->limit--;
        failed = check_agrees(t, &e, &accepted);
        if (accepted || e.status != MST_ERROR_BUDGET)
            failed = report(t, "one byte less than the least budget", message, accepted ? "accepted" : e.message);
        budgets[k]->limit++;
    }
    return failed;
}

static void choose_wishes(trial *t) {
    const mst_stencil_desc *d = &t->scheme->desc;
    t->desc = *d;
    t->desc.schedule = chance(2) ? MST_STENCIL_AUTO : (mst_stencil_schedule)between(1, 6);
    if (t->desc.schedule == MST_STENCIL_SKEWED && (d->rank == 1 || d->boundaries[0].kind == MST_BOUNDARY_PERIODIC))
        t->desc.schedule = MST_STENCIL_PYRAMID_SLABS;
    if (t->desc.schedule == MST_STENCIL_SWEEPS || t->desc.schedule == MST_STENCIL_TRIVIAL)
        t->desc.fuse = 0;
    t->desc.depth = chance(6) ? between(t->desc.fuse ? t->desc.fuse : 1, 20) : 0;
    t->desc.block = chance(6) ? between(1, 20) : 0;
    t->desc.no_overlap = chance(5);
    t->desc.store = (mst_stencil_store)between(0, 3);
    t->desc.expected_steps = chance(2) ? STEPS : 0;
    t->portion = between(1, STEPS - 1);
}

static int check_trial(trial *t) {
    mst_context *c = t->context;
    const mst_device_info device = c->device;
    const mst_budget device_memory = c->device_memory, host_memory = c->host_memory;
    const double array = (double)t->scheme->array, all = array * (double)t->scheme->arrays;
    mst_error e;
    bool accepted;
    begin(t->of_scheme, t->number);
    choose_wishes(t);
    c->device_memory.used += chance(3) ? spread(1, 1e9) : 0;
    c->device_memory.limit = c->device_memory.used + spread(array / 10 + 1, 4 * all + 1000);
    c->host_memory.used += chance(3) ? spread(1, 1e9) : 0;
    c->host_memory.limit = c->host_memory.used + (chance(4) ? spread(array / 10 + 1, 10 * array + 100) : (uint64_t)1 << 30);
    if (chance(6))
        c->device.max_allocation_bytes = spread(array / 20 + 64, array + 65);
    int failed = check_agrees(t, &e, &accepted);
    if (!failed && !accepted && e.status == MST_ERROR_BUDGET)
        failed = check_least(t, e.message);
    c->device = device;
    c->device_memory = device_memory;
    c->host_memory = host_memory;
    return failed;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Trials of a scheme, or one of them; *tried is raised.
static int check_scheme(mst_context *context, int file, uint64_t number, long only, double end, long *tried) {
    static scheme s;
    trial t = {.context = context, .scheme = &s, .of_scheme = number, .portion = STEPS};
    mst_error e;
    int failed = 0;
    make_scheme(&s, number);
    s.desc.file = file;
    if (bytes_of_result(&s) > MOST_STATE)
        return 0;
    unsigned char *wanted = malloc(bytes_of_result(&s));
    t.desc = s.desc;
    t.desc.schedule = MST_STENCIL_IN_CORE;
    if (!wanted || run(&t, wanted, &e) != MST_OK) {
        free(wanted);
        return wanted && e.status == MST_ERROR_UNSUPPORTED ? 0 : report(&t, "no run in core", e.message, "");
    }
    t.wanted = wanted;
    for (t.number = only > 0 ? (uint64_t)only : 1; t.number <= TRIALS && now() < end; t.number++) {
        failed += check_trial(&t);
        ++*tried;
        if (only > 0)
            break;
    }
    free(wanted);
    return failed;
}

int main(int argc, char **argv) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    const double end = now() + (argc > 1 ? strtod(argv[1], NULL) : 20);
    const char *given = getenv("MASTABA_SEED");
    long tried = 0, failed = 0;
    seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    char name[] = "plans-XXXXXX";
    int file = mkstemp(name);
    if (file < 0)
        return 2;
    unlink(name);
    mst_context *context = test_context(&desc);
    if (argc > 2) {
        failed +=
            check_scheme(context, file, strtoull(argv[2], NULL, 10), argc > 3 ? strtol(argv[3], NULL, 10) : 0, INFINITY, &tried);
    } else {
        for (uint64_t number = 1; now() < end; number++)
            failed += check_scheme(context, file, number, 0, end, &tried);
    }
    mst_context_destroy(context);
    close(file);
    printf("plans: %ld tried, %ld failed\n", tried, failed);
    return failed > 0;
}
