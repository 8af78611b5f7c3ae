// Planning without a device: random schemes, devices, budgets and wishes. What a plan allocates fits the budgets and is what the
// schedule needs, a least budget that is reported is accepted and one byte less is not, a larger budget never makes a run slower
// than the model can tell, and the work is bounded. MASTABA_PLANS is the number of schemes; nightly it is larger.
#include "support.h"

#include "stencil/plan/plan.h"

#include <math.h>

enum { PLANS = 500, MOST_CANDIDATES = 400000 };

// A scheme, with the texts that its description points to.
typedef struct scheme {
    mst_stencil_desc desc;
    mst_stencil_boundary boundaries[2 * MST_MAX_AXES];
    mst_stencil_field fields[6];
    mst_stencil_update updates[6];
    mst_stencil_source source;
    mst_stencil_receiver receiver;
    size_t point[1][MST_MAX_AXES];
    char texts[6][2000];
    mst_problem problem;
    mst_plan_inputs in;
} scheme;

static const char *const names[] = {"a", "b", "c", "d", "e", "f"};

static bool chance(size_t one_in) { return test_between(1, one_in) == 1; }

// From low to high, small numbers as often as large ones.
static uint64_t spread(double low, double high) {
    double part = (double)test_between(0, 1 << 20) / (1 << 20);
    return (uint64_t)(low * pow(high / low, part));
}

static size_t add_read(const scheme *s, int field, char *out, size_t size) {
    size_t n =
        (size_t)snprintf(out, size, " + 0.1 * %s%s[", names[field], s->fields[field].levels == 2 && chance(3) ? ".prev" : "");
    for (int k = 0; k < s->desc.rank; k++) {
        size_t most = s->desc.grid[k] < 4 ? s->desc.grid[k] : 4, offset = chance(2) ? test_between(0, most) : 0;
        n += (size_t)snprintf(out + n, size - n, "%s%s%zu", k ? "," : "", chance(2) ? "-" : "", offset);
    }
    return n + (size_t)snprintf(out + n, size - n, "]");
}

static void make_fields(scheme *s) {
    mst_stencil_desc *d = &s->desc;
    d->fields = s->fields;
    d->updates = s->updates;
    d->n_fields = test_between(1, chance(4) ? 6 : 2);
    for (size_t f = 0; f < d->n_fields; f++) {
        s->fields[f] = (mst_stencil_field){.name = names[f], .levels = 1, .coefficient = f > 0 && chance(3)};
        if (!s->fields[f].coefficient && chance(4))
            s->fields[f].levels = 2;
    }
    for (size_t f = 0; f < d->n_fields; f++) {
        char *text = s->texts[f];
        size_t n = (size_t)snprintf(text, sizeof s->texts[f], "0.5 * %s%s", names[f], chance(6) ? " + t" : "");
        for (size_t reads = test_between(1, 5); reads > 0; reads--)
            n += add_read(s, (int)test_between(0, d->n_fields - 1), text + n, sizeof s->texts[f] - n);
        if (!s->fields[f].coefficient)
            s->updates[d->n_updates++] = (mst_stencil_update){.field = names[f], .expression = text};
    }
    if (chance(3))
        for (size_t u = 0; u < d->n_updates; u++)
            s->updates[u].substep = u; // each reads what those before it wrote
}

static void make_boundaries(scheme *s) {
    s->desc.boundaries = s->boundaries;
    for (int k = 0; k < s->desc.rank; k++) {
        mst_boundary_kind kinds[] = {MST_BOUNDARY_DIRICHLET, MST_BOUNDARY_NEUMANN, MST_BOUNDARY_SPONGE};
        for (int side = 0; side < 2; side++) {
            s->boundaries[2 * k + side].kind = kinds[test_between(0, 2)];
            s->boundaries[2 * k + side].width = 1;
        }
        if (chance(4))
            s->boundaries[2 * k].kind = s->boundaries[2 * k + 1].kind = MST_BOUNDARY_PERIODIC;
    }
}

static void make_points(scheme *s) {
    if (chance(5)) {
        s->source = (mst_stencil_source){.field = "a", .series = "sin(t)"};
        s->desc.sources = &s->source;
        s->desc.n_sources = 1;
    }
    if (chance(5)) {
        s->receiver = (mst_stencil_receiver){.field = "a", .n_points = 1, .points = (const size_t(*)[MST_MAX_AXES])s->point};
        s->desc.receivers = &s->receiver;
        s->desc.n_receivers = 1;
    }
}

static double rate(double low, double high) { return (double)spread(low, high); }

static void make_inputs(scheme *s) {
    mst_plan_inputs *in = &s->in;
    const uint64_t array = s->problem.nodes * s->problem.element,
                   arrays = (uint64_t)(s->problem.n_arrays + s->problem.n_coefficients);
    const bool is_gpu = chance(2);
    *in = (mst_plan_inputs){.problem = &s->problem};
    in->limits = (mst_plan_limits){.max_allocation_bytes =
                                       chance(6) ? spread((double)array / 20 + 64, (double)array + 65) : (uint64_t)1 << 60,
                                   .is_gpu = is_gpu,
                                   .unified_memory = !is_gpu || chance(4)};
    in->tile_limits = (mst_tile_limits){.device = "a device",
                                        .local_bytes = is_gpu ? 48 << 10 : 512 << 10,
                                        .argument_bytes = 4096,
                                        .items = 1024,
                                        .units = is_gpu ? (int64_t)test_between(1, 150) : (int64_t)test_between(1, 64),
                                        .vector_bytes = chance(2) ? 32 : 64};
    in->device =
        (mst_plan_budget){spread((double)array / 10 + 1, 4 * (double)(array * arrays) + 1000), chance(2) ? 0 : spread(1, 1e9)};
    in->host = (mst_plan_budget){chance(6) ? spread((double)array / 10 + 1, 10 * (double)array + 100) : (uint64_t)1 << 60,
                                 chance(2) ? 0 : spread(1, 1e9)};
    in->rates = (mst_rates){.upload = rate(1e8, 1e11),
                            .download = rate(1e8, 1e11),
                            .host = rate(1e8, 1e11),
                            .row = {1 / rate(1e6, 1e9), 1 / rate(1e6, 1e9)},
                            .beside = {1 / rate(1, 100), 1 / rate(1, 100)},
                            .copy = 1 / rate(1e3, 1e6),
                            .update = {rate(1e6, 1e11), rate(1e6, 1e11)},
                            .launch = {1 / rate(1e3, 1e6), 1 / rate(1e3, 1e6)},
                            .wait = 1 / rate(1e3, 1e6),
                            .sweep = chance(2) ? rate(1e6, 1e11) : 0};
    in->wishes.overlap = !chance(5);
    in->wishes.store = (mst_stencil_store)test_between(0, 3);
    in->wishes.schedule = chance(2) ? MST_STENCIL_AUTO : (mst_stencil_schedule)test_between(1, 7);
    if (in->wishes.schedule == MST_STENCIL_SKEWED && !mst_plan_can_skew(&s->problem))
        in->wishes.schedule = MST_STENCIL_PYRAMID_SLABS;
    if (in->wishes.schedule == MST_STENCIL_SKEWED_SWEEPS && !mst_plan_can_skew_sweeps(&s->problem))
        in->wishes.schedule = MST_STENCIL_PYRAMID_SLABS;
    in->wishes.fuse = chance(4) && !mst_plan_sweeps(in->wishes.schedule) ? (unsigned)test_between(1, 6) : 0;
    in->wishes.depth = chance(6) ? test_between(in->wishes.fuse ? in->wishes.fuse : 1, 40) : 0;
    in->wishes.block = chance(6) ? test_between(1, 20) : 0;
    in->tile = mst_tile_rule(&s->problem, mst_plan_shape(in));
}

static void make_scheme(scheme *s) {
    const double nodes[] = {4e4, 300, 50};
    mst_error e;
    const mst_stencil_desc empty = MST_STENCIL_DESC_INIT;
    memset(s, 0, sizeof *s);
    s->desc = empty;
    s->desc.rank = (int)test_between(1, 3);
    for (int k = 0; k < s->desc.rank; k++)
        s->desc.grid[k] = spread(1, chance(20) ? 3000 : nodes[s->desc.rank - 1]);
    s->desc.precision = chance(2) ? MST_FLOAT32 : MST_FLOAT64;
    make_fields(s);
    make_boundaries(s);
    make_points(s);
    OK(mst_problem_read(&s->desc, &s->problem, &e));
    make_inputs(s);
    OK(mst_plan_check(&s->in, &e));
}

// ---- the properties

// Of a part: all its bytes; too many fail the test that the plan fits.
static double bytes_of(const mst_plan *plan, mst_footprint_part part) {
    return (double)plan->footprint.parts[part].bytes * (double)plan->footprint.parts[part].count;
}

static void check_fits(const scheme *s, const mst_plan *plan) {
    double device = 0, staging = 0;
    for (int part = 0; part < MST_FOOTPRINT_PARTS; part++) {
        const mst_allocation *a = &plan->footprint.parts[part];
        device += a->memory == MST_MEMORY_DEVICE ? bytes_of(plan, (mst_footprint_part)part) : 0;
        staging += a->memory == MST_MEMORY_STAGING ? bytes_of(plan, (mst_footprint_part)part) : 0;
        CHECK(a->memory > MST_MEMORY_PINNED || a->count == 0 || a->bytes <= s->in.limits.max_allocation_bytes,
              "part %d has a piece of %llu bytes", part, (unsigned long long)a->bytes);
    }
    CHECK(device <= (double)s->in.device.left, "%g bytes of device memory of %llu", device,
          (unsigned long long)s->in.device.left);
    CHECK(staging <= (double)s->in.host.left, "%g bytes of staging of %llu", staging, (unsigned long long)s->in.host.left);
}

// By the description of the schedules alone: enough for the blocks, and the backing store holds what it must.
static void check_enough(const scheme *s, const mst_kernel_pair *pair, const mst_plan *plan) {
    const mst_problem *p = &s->problem;
    const double array = (double)(p->nodes * p->element), plane = (double)(p->plane * p->element);
    const double arrays = p->n_arrays, state = bytes_of(plan, MST_FOOTPRINT_STATE) + bytes_of(plan, MST_FOOTPRINT_LEVELS);
    if (plan->schedule == MST_STENCIL_IN_CORE) {
        CHECK(state == 2 * arrays * array, "%g bytes for a state of %g", state, arrays * array);
        CHECK(bytes_of(plan, MST_FOOTPRINT_COEFFICIENTS) == p->n_coefficients * array, "coefficient fields");
        CHECK(bytes_of(plan, MST_FOOTPRINT_STORE) == 0, "an in-core run has a backing store");
        return;
    }
    if (plan->schedule == MST_STENCIL_SWEEPS) { // margins are small beside anything but a small grid
        CHECK(state >= arrays * array && bytes_of(plan, MST_FOOTPRINT_COEFFICIENTS) >= p->n_coefficients * array,
              "%g bytes for a state of %g", state, arrays * array);
        CHECK(plan->footprint.parts[MST_FOOTPRINT_STATE].count <= 2 * (uint64_t)p->n_arrays, "more spare arrays than others");
        CHECK(bytes_of(plan, MST_FOOTPRINT_STORE) == 0, "sweeps have a backing store");
        return;
    }
    const bool periodic = mst_problem_periodic(p, PLANES);
    const double copies =
        plan->schedule == MST_STENCIL_SKEWED || (plan->schedule == MST_STENCIL_SKEWED_SWEEPS && !periodic) ? 1 : 2;
    CHECK(bytes_of(plan, MST_FOOTPRINT_STORE) == (copies * arrays + p->n_coefficients) * array, "the backing store");
    CHECK((bytes_of(plan, MST_FOOTPRINT_STAGING_UP) > 0) != plan->is_direct, "staging");
    if (plan->schedule == MST_STENCIL_SKEWED_SWEEPS) {
        // Three slabs, and the planes by which the sweeps of a trip lie behind one another.
        const double reach = (double)plan->ring.lag * (double)pair->sweeps.n * (double)plan->depth;
        CHECK(state >= arrays * plane * (3 * (double)plan->block + reach), "a ring of %g bytes", state);
        return;
    }
    if (plan->schedule == MST_STENCIL_SKEWED) {
        // A slab for each queue and the next one, twice but for that, and the planes by which m steps reach back.
        double reach = pair->pipelines[0].low[PLANES], least = (2 * plan->queues + 1) * (double)plan->block + 2 * reach;
        CHECK(state >= arrays * plane * least, "rings of %g bytes for %g planes", state, least);
        return;
    }
    double nodes = 1;
    for (int axis = 0; axis < N_AXES; axis++)
        nodes *= (double)plan->blocks.sides[axis];
    CHECK(state >= 3 * arrays * nodes * (double)p->element, "%g bytes for blocks of %g nodes", state, nodes);
    CHECK(bytes_of(plan, MST_FOOTPRINT_RESULT) == 2 * arrays * nodes * (double)p->element, "blocks of %g nodes", nodes);
}

// With the least budgets that the message has; false if the device is too small whatever they are.
static bool read_least(const mst_plan_inputs *in, const char *message, mst_plan_budget *device, mst_plan_budget *host) {
    unsigned long long first = 0, second = 0;
    const char *would_do = strstr(message, "; ");
    *device = in->device;
    *host = in->host;
    if (!would_do)
        return false;
    int n = sscanf(would_do, "; %llu and %llu", &first, &second);
    CHECK(n >= 1, "no budget in '%s'", message);
    if (n == 2 || strstr(message, "of device memory is"))
        device->left = first - in->device.used;
    if (n == 2)
        host->left = second - in->host.used;
    else if (strstr(message, "of host memory is"))
        host->left = first - in->host.used;
    return true;
}

static mst_status choose(const scheme *s, mst_plan_budget device, mst_plan_budget host, mst_plan *plan, mst_error *error) {
    mst_plan_inputs in = s->in;
    mst_kernel_pair pair;
    in.device = device;
    in.host = host;
    mst_status status = mst_plan_choose_fused(&in, mst_kernel_pair_rule(&s->problem, mst_plan_shape(&in)), &pair, plan, error);
    mst_kernel_pair_release(&pair);
    return status;
}

static void check_least(const scheme *s, const char *message) {
    mst_error e;
    mst_plan plan;
    mst_plan_budget device, host;
    if (!read_least(&s->in, message, &device, &host))
        return;
    CHECK(choose(s, device, host, &plan, &e) == MST_OK, "'%s', but: %s", message, e.message);
    if (device.left != s->in.device.left)
        CHECK(choose(s, (mst_plan_budget){device.left - 1, device.used}, host, &plan, &e) == MST_ERROR_BUDGET,
              "'%s', but a byte less does", message);
    if (host.left != s->in.host.left)
        CHECK(choose(s, device, (mst_plan_budget){host.left - 1, host.used}, &plan, &e) == MST_ERROR_BUDGET,
              "'%s', but a byte less does", message);
}

// The same kernels. In core is taken wherever it fits, as the model does not tell what copies cost others.
static void check_more(const scheme *s, const mst_kernel_pair *pair, const mst_plan *plan) {
    mst_plan_inputs in = s->in;
    mst_plan more;
    mst_error e;
    for (int k = 0; k < 3; k++) {
        in.device.left += spread(1, 2 * (double)in.device.left + 2);
        in.host.left += in.host.left >> 62 ? 0 : spread(1, 1000);
        OK(mst_plan_choose(&in, pair, &more, &e));
        CHECK(more.seconds <= (1 + MST_PLAN_TOLERANCE) * plan->seconds || mst_plan_in_core(more.schedule),
              "%llu bytes more make %g s of %g s (%s, n = %llu, b = %llu; %s, n = %llu, b = %llu)",
              (unsigned long long)(in.device.left - s->in.device.left), more.seconds, plan->seconds,
              mst_stencil_schedule_name(plan->schedule), (unsigned long long)plan->depth, (unsigned long long)plan->block,
              mst_stencil_schedule_name(more.schedule), (unsigned long long)more.depth, (unsigned long long)more.block);
    }
}

// Fused kernels compute as much as sweeps at least, and a step more saves what is read and written for it at most.
static void check_bounds_of_fusing(const scheme *s, const mst_kernel_pair *pair) {
    mst_plan_inputs in = s->in;
    in.rates.sweep = 1e9;
    in.rates.computing = 0;
    assert_false(mst_plan_computes_too_much(&in, pair));
    in.rates.computing = 0.8e9;
    assert_true(mst_plan_computes_too_much(&in, pair));
    in.rates.computing = 1e30;
    assert_false(mst_plan_computes_too_much(&in, pair));
    in.rates.update[0] = 1e9 * pair->m / (pair->m + 1.0) * 0.99;
    assert_false(mst_plan_may_overtake(&in, pair));
    in.rates.update[0] = 1e30;
    assert_true(mst_plan_may_overtake(&in, pair));
}

static void count(const mst_candidates *candidates, void *user) {
    (void)candidates;
    ++*(size_t *)user;
}

static void check_bounded(const scheme *s, const mst_kernel_pair *pair) {
    mst_candidates c = mst_candidates_make(&s->in, pair);
    size_t n = 0;
    mst_candidates_visit_all(&c, count, &n);
    CHECK(n >= 1 && n <= MOST_CANDIDATES, "%zu candidates for a grid of %llu nodes", n, (unsigned long long)s->problem.nodes);
}

static void test_plans(void **state) {
    const char *given = getenv("MASTABA_PLANS");
    const long plans = given ? strtol(given, NULL, 10) : PLANS;
    int found[MST_STENCIL_SKEWED_SWEEPS + 1] = {0}, refused = 0;
    static scheme s;
    (void)state;
    for (long k = 0; k < plans; k++) {
        mst_error e = {MST_OK, 0, "", ""};
        mst_kernel_pair pair;
        mst_plan plan;
        make_scheme(&s);
        mst_status status =
            mst_plan_choose_fused(&s.in, mst_kernel_pair_rule(&s.problem, mst_plan_shape(&s.in)), &pair, &plan, &e);
        if (status == MST_OK) {
            found[plan.schedule]++;
            check_fits(&s, &plan);
            check_enough(&s, &pair, &plan);
            check_more(&s, &pair, &plan);
            check_bounded(&s, &pair);
            check_bounds_of_fusing(&s, &pair);
        } else {
            refused++;
            CHECK(status == MST_ERROR_BUDGET || status == MST_ERROR_DEVICE_MEMORY || status == MST_ERROR_UNSUPPORTED, "%s",
                  e.message);
            if (status == MST_ERROR_BUDGET)
                check_least(&s, e.message);
        }
        mst_kernel_pair_release(&pair);
        mst_problem_release(&s.problem);
    }
    print_message("%ld schemes: %d refused; in core %d, trivial %d, slabs %d, tiles %d, skewed %d, sweeps %d, skewed %d\n", plans,
                  refused, found[MST_STENCIL_IN_CORE], found[MST_STENCIL_TRIVIAL], found[MST_STENCIL_PYRAMID_SLABS],
                  found[MST_STENCIL_PYRAMID_TILES], found[MST_STENCIL_SKEWED], found[MST_STENCIL_SWEEPS],
                  found[MST_STENCIL_SKEWED_SWEEPS]);
    for (int schedule = MST_STENCIL_IN_CORE; schedule <= MST_STENCIL_SKEWED_SWEEPS; schedule++)
        CHECK(found[schedule] > 0 || plans < PLANS, "no plan is %s", mst_stencil_schedule_name((mst_stencil_schedule)schedule));
}

// A grid of 10^12 nodes along one axis has no more candidates than one may look at in a moment.
static void test_bounded(void **state) {
    static scheme s;
    mst_error e;
    mst_kernel_pair pair;
    mst_plan plan;
    const mst_stencil_desc empty = MST_STENCIL_DESC_INIT;
    (void)state;
    s.desc = empty;
    s.desc.rank = 1;
    s.desc.grid[0] = 1000000000000;
    s.fields[0] = (mst_stencil_field){.name = "a"};
    s.updates[0] = (mst_stencil_update){.field = "a", .expression = "a[1] - 2 * a + a[-1]"};
    s.desc.fields = s.fields;
    s.desc.updates = s.updates;
    s.desc.n_fields = s.desc.n_updates = 1;
    OK(mst_problem_read(&s.desc, &s.problem, &e));
    make_inputs(&s);
    s.in.wishes = (mst_plan_wishes){.overlap = true};
    s.in.limits.max_allocation_bytes = (uint64_t)1 << 60;
    s.in.device.left = s.in.host.left = (uint64_t)16 << 30;
    OK(mst_plan_choose_fused(&s.in, 32, &pair, &plan, &e));
    check_fits(&s, &plan);
    check_bounded(&s, &pair);
    mst_kernel_pair_release(&pair);
    mst_problem_release(&s.problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plans), cmocka_unit_test(test_bounded)};
    return cmocka_run_group_tests(tests, test_enter_directory, test_leave_directory);
}
