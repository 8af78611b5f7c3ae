// Grids that are cut along several axes, one brick a rank: the same bits as one solver of the whole grid, over random grids of
// one to three axes, schemes that read across corners, absorbing layers, periodic and other faces, coefficients, sources and
// receivers at nodes, between them and in regions, spectra, layouts, steps between exchanges and runs; as many messages and bytes
// as the plan says; and a state that one layout wrote, with which another goes on. What does not fit is refused by all.
#include "support.h"

#include <stdbool.h>
#include <string.h>

enum { MOST_NODES = 1 << 16, N_POINTS = 4, N_MONITORS = 3, MOST_STEPS = 40, MOST_TEXT = 400, PATIENCE = 240 };

// A scheme that random parts make: what does not belong to its axes is left out.
typedef struct scheme {
    mst_stencil_desc desc;
    mst_stencil_field fields[3];
    mst_stencil_update updates[2];
    mst_stencil_boundary faces[2 * MST_MAX_AXES];
    double positions[N_POINTS][MST_MAX_AXES], place[MST_MAX_AXES];
    mst_stencil_receiver receiver;
    mst_stencil_source sources[2];
    mst_stencil_region region;
    mst_stencil_spectrum spectrum;
    mst_stencil_monitor monitors[N_MONITORS];
    char wave[MOST_TEXT];
    size_t layout[MST_MAX_AXES];
} scheme;

// u at a neighbour, by so many nodes along an axis and along the next one.
static const char *at(int rank, int axis, int by, int aside) {
    static char text[8][40];
    static int turn;
    char *out = text[turn++ % 8];
    int offsets[MST_MAX_AXES] = {0};
    offsets[axis] = by;
    if (rank > 1)
        offsets[(axis + 1) % rank] = aside;
    const char *form = rank == 1 ? "u[%d]" : rank == 2 ? "u[%d,%d]" : "u[%d,%d,%d]";
    snprintf(out, sizeof text[0], form, offsets[0], offsets[1], offsets[2]);
    return out;
}

static void make_wave(scheme *s, bool absorbs) {
    const int rank = s->desc.rank;
    static const char axes[] = "xyz";
    size_t used = (size_t)snprintf(s->wave, sizeof s->wave, "u + c*v");
    for (int k = 0; k < rank; k++) {
        const int reach = 1 + (int)test_random(2), aside = (int)test_random(3) - 1;
        const int one = (int)test_random(4) - 2; // upwind, from one side or the other, in half of them
        used += (size_t)snprintf(s->wave + used, sizeof s->wave - used, " + 0.05*(%s + %s - 2*u)",
                                 one == 1 ? "u" : at(rank, k, -reach, aside), one == -1 ? "u" : at(rank, k, reach, -aside));
        if (absorbs)
            used += (size_t)snprintf(s->wave + used, sizeof s->wave - used, " + 0.03*stretch_%c(%s - u)", axes[rank - 1 - k],
                                     at(rank, k, 1, 0));
    }
}

static mst_boundary_kind any_face(void) {
    static const mst_boundary_kind kinds[] = {MST_BOUNDARY_DIRICHLET, MST_BOUNDARY_NEUMANN, MST_BOUNDARY_SPONGE,
                                              MST_BOUNDARY_MIRROR_NODE};
    return kinds[test_random(sizeof kinds / sizeof kinds[0])];
}

static void make_faces(scheme *s, bool absorbs) {
    for (int k = 0; k < s->desc.rank; k++) {
        const bool is_ring = !absorbs && test_random(2);
        for (int side = 0; side < 2; side++) {
            mst_stencil_boundary *face = &s->faces[2 * k + side];
            face->kind = absorbs ? MST_BOUNDARY_ABSORB : is_ring ? MST_BOUNDARY_PERIODIC : any_face();
            face->width = face->kind == MST_BOUNDARY_ABSORB ? 3 : face->kind == MST_BOUNDARY_SPONGE ? 4 : 0;
        }
    }
}

static void make_points(scheme *s) {
    mst_stencil_desc *d = &s->desc;
    for (int k = 0; k < d->rank; k++) {
        for (int i = 0; i < N_POINTS; i++) // at nodes and between
            s->positions[i][k] = (double)test_random(2 * d->grid[k] - 1) / 2;
        s->place[k] = (double)test_random(2 * d->grid[k] - 1) / 2;
        s->region.start[k] = test_random(d->grid[k] / 2);
        s->region.count[k] = 1 + test_random(d->grid[k] / 2);
        s->region.step[k] = 1;
    }
    s->receiver = (mst_stencil_receiver){.field = "u",
                                         .n_points = N_POINTS,
                                         .positions = (const void *)s->positions,
                                         .interpolation = MST_STENCIL_INTERPOLATION_LINEAR};
    s->sources[0] = (mst_stencil_source){
        .field = "u", .series = "sin(3*t)", .position = s->place, .interpolation = MST_STENCIL_INTERPOLATION_LINEAR};
    s->sources[1] = (mst_stencil_source){.field = "v", .series = "cos(t)", .region = &s->region, .amplitude = "0.1*x"};
    d->receivers = &s->receiver;
    d->sources = s->sources;
    d->n_receivers = 1;
    d->n_sources = 2;
}

// As even a cut as there is, along axes at random.
static void make_layout(scheme *s) {
    int left = test_n_ranks;
    for (int k = 0; k < MST_MAX_AXES; k++)
        s->layout[k] = 1;
    for (int prime = 2; left > 1; prime++)
        for (; left % prime == 0; left /= prime)
            s->layout[test_random((size_t)s->desc.rank)] *= (size_t)prime;
}

static void make_scheme(scheme *s, size_t turn) {
    static const double frequencies[] = {0.1, -0.07};
    mst_stencil_desc *d = &s->desc;
    memset(s, 0, sizeof *s);
    *d = (mst_stencil_desc)MST_STENCIL_DESC_INIT;
    d->rank = turn % 4 == 3 ? 1 : turn % 2 ? 3 : 2;
    make_layout(s);
    const bool is_beside = turn == 0 || test_random(3) == 0; // so large that something is computed beside exchanges
    const bool absorbs = !is_beside && test_random(2), is_wide = is_beside || (!absorbs && test_random(2));
    const size_t side = d->rank == 3 ? (is_wide ? 16 : 10) : is_wide ? 40 : 14;
    for (int k = 0; k < d->rank; k++) {
        d->grid[k] = side * (s->layout[k] == 1 ? 1 + (size_t)absorbs : s->layout[k]) + test_random(7);
        d->spacing[k] = 0.5;
    }
    make_wave(s, absorbs);
    make_faces(s, absorbs);
    make_points(s);
    s->fields[0] = (mst_stencil_field){.name = "u", .levels = 1, .initial = {.expression = "sin(3*x) + cos(5*y)*x - z"}};
    s->fields[1] = (mst_stencil_field){.name = "v", .levels = 1, .initial = {.expression = "cos(x)"}};
    s->fields[2] = (mst_stencil_field){.name = "c", .coefficient = true, .initial = {.expression = "0.1 + 0.01*sin(x + 2*y)"}};
    if (d->rank == 1)
        s->fields[0].initial.expression = "sin(3*x)", s->fields[2].initial.expression = "0.1 + 0.01*sin(x)";
    else if (d->rank == 2)
        s->fields[0].initial.expression = "sin(3*x) + cos(5*y)*x";
    s->updates[0] = (mst_stencil_update){.field = "u", .expression = s->wave};
    s->updates[1] = (mst_stencil_update){.field = "v", .expression = "0.9*v + 0.05*u + 0.001*x*t", .substep = 1};
    d->time_step = 0.1;
    d->precision = test_random(2) ? MST_FLOAT64 : MST_FLOAT32;
    d->fields = s->fields;
    d->updates = s->updates;
    d->n_fields = 3;
    d->n_updates = 2;
    d->boundaries = s->faces;
    d->check_every = 4;
    s->spectrum = (mst_stencil_spectrum){"u", 2, frequencies, 2, {{0}, {0}, {0}}};
    d->spectra = &s->spectrum;
    d->n_spectra = 1;
    static const mst_stencil_reduction kinds[] = {MST_STENCIL_SUM, MST_STENCIL_NORM, MST_STENCIL_MIN};
    for (int k = 0; k < N_MONITORS; k++) {
        s->monitors[k] = (mst_stencil_monitor){
            (const char *[]){"m", "n", "o"}[k], k == 1 ? "u*v" : "u + x*t", kinds[k], (uint64_t)k, {{0}, {0}, {0}}};
        if (k == 0)
            s->monitors[k].region = s->region;
    }
    d->monitors = s->monitors;
    d->n_monitors = N_MONITORS;
    d->schedule = test_random(2) ? MST_STENCIL_SWEEPS : test_random(2) ? MST_STENCIL_IN_CORE : MST_STENCIL_AUTO;
    if (is_beside || (test_random(6) == 0 && d->rank > 1))
        d->schedule = is_beside ? MST_STENCIL_IN_CORE : MST_STENCIL_PYRAMID_SLABS;
    d->exchange = is_beside ? MST_STENCIL_EXCHANGE_BESIDE : (mst_stencil_halo_exchange)test_random(3);
    d->shape = test_random(2) ? MST_STENCIL_SHAPE_GPU : MST_STENCIL_SHAPE_CPU;
}

static size_t nodes_of(const mst_stencil_desc *d) {
    size_t n = 1;
    for (int k = 0; k < d->rank; k++)
        n *= d->grid[k];
    return n;
}

// Whole arrays, of which each rank has its own nodes: all of them on every rank.
static void gather(mst_stencil *mine, const mst_stencil_desc *d, const char *field, void *all) {
    static uint64_t own[MOST_NODES];
    mst_error e;
    const size_t bytes = nodes_of(d) * mst_type_bytes(d->precision);
    memset(own, 0, sizeof own);
    OK(mst_stencil_read_whole(mine, field, 0, (mst_type)0, mst_at_host(own), &e));
    MPI_Allreduce(own, all, (int)((bytes + 7) / 8), MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
}

static void check_field(mst_stencil *mine, mst_stencil *one, const scheme *s, const char *field, const char *when) {
    static uint64_t want[MOST_NODES], got[MOST_NODES];
    mst_error e;
    const mst_stencil_desc *d = &s->desc;
    gather(mine, d, field, got);
    if (!one)
        return;
    OK(mst_stencil_read(one, field, 0, NULL, mst_at_host(want), &e));
    CHECK(memcmp(got, want, nodes_of(d) * mst_type_bytes(d->precision)) == 0,
          "%s has other bits %s: grid %zu x %zu x %zu, layout %zu x %zu x %zu, %s, %s", field, when, d->grid[0], d->grid[1],
          d->grid[2], s->layout[0], s->layout[1], s->layout[2], s->wave, mst_stencil_schedule_name(d->schedule));
}

// A region that lies in this rank's own nodes is read by these alone.
static void check_region(mst_stencil *mine, const scheme *s, const mst_stencil_brick *brick) {
    static uint64_t all[MOST_NODES], own[MOST_NODES];
    mst_error e;
    mst_stencil_region region = {{0}, {0}, {0}};
    const size_t element = mst_type_bytes(s->desc.precision);
    size_t n = 1;
    gather(mine, &s->desc, "u", all);
    for (int k = 0; k < s->desc.rank; k++) {
        region.start[k] = brick->first[k];
        region.step[k] = 2;
        region.count[k] = (brick->count[k] + 1) / 2;
        n *= region.count[k];
    }
    OK(mst_stencil_read(mine, "u", 0, &region, mst_at_host(own), &e));
    for (size_t i = 0; i < n; i++) {
        size_t left = i, node = 0, stride = 1;
        for (int k = s->desc.rank - 1; k >= 0; k--) {
            node += (region.start[k] + 2 * (left % region.count[k])) * stride;
            stride *= s->desc.grid[k];
            left /= region.count[k];
        }
        CHECK(memcmp((char *)own + i * element, (char *)all + node * element, element) == 0, "node %zu of a region", i);
    }
    region.start[0] += brick->count[0];
    if (brick->count[0] < s->desc.grid[0])
        CHECK(mst_stencil_read(mine, "u", 0, &region, mst_at_host(own), &e) == MST_ERROR_ARGUMENT, "a region of another's");
}

static void check_spectrum(mst_stencil *mine, mst_stencil *one, const scheme *s) {
    static uint64_t want[4 * MOST_NODES], got[4 * MOST_NODES], all[4 * MOST_NODES];
    mst_error e;
    const size_t bytes = 4 * nodes_of(&s->desc) * mst_type_bytes(s->desc.precision);
    memset(got, 0, sizeof got);
    OK(mst_stencil_read_spectrum(mine, 0, mst_at_host(got), &e));
    MPI_Reduce(got, all, (int)(bytes / 8), MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    if (one)
        OK(mst_stencil_read_spectrum(one, 0, mst_at_host(want), &e));
    CHECK(!one || memcmp(all, want, bytes) == 0, "a spectrum has other bits");
}

static void check_received(mst_mpi_stencil *ours, mst_stencil *one, uint64_t steps) {
    double want[MOST_STEPS * N_POINTS], got[MOST_STEPS * N_POINTS];
    mst_error e;
    OK(mst_mpi_stencil_read_receiver(ours, 0, 1, steps, got, &e));
    if (one)
        OK(mst_stencil_read_receiver(one, 0, 1, steps, want, &e));
    for (size_t i = 0; one && i < steps * N_POINTS; i++)
        CHECK(memcmp(&got[i], &want[i], sizeof got[i]) == 0, "point %zu after step %zu: %.17g, not %.17g", i % N_POINTS,
              i / N_POINTS + 1, got[i], want[i]);
}

// What monitors see now, on every rank.
static void check_measured(mst_mpi_stencil *ours, mst_stencil *one) {
    double want, got;
    mst_error e;
    for (size_t k = 0; k < N_MONITORS; k++) {
        OK(mst_mpi_stencil_measure(ours, k, &got, &e));
        want = got;
        if (one)
            OK(mst_stencil_measure(one, k, &want, &e));
        MPI_Bcast(&want, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        CHECK(memcmp(&got, &want, sizeof got) == 0, "monitor %zu is %.17g, not %.17g", k, got, want);
    }
}

// As many messages and bytes as the plan says, as often as halos are used up.
static void check_messages(const mst_stencil_brick *brick, uint64_t steps, uint64_t *left) {
    unsigned long long messages, bytes;
    const uint64_t exchanges = steps > *left ? (steps - *left + brick->steps - 1) / brick->steps : 0;
    test_sent(&messages, &bytes);
    *left += exchanges * brick->steps - steps;
    CHECK(messages == exchanges * brick->messages && bytes == exchanges * brick->bytes,
          "%llu messages of %llu bytes in %llu exchanges of %llu messages and %llu bytes", messages, bytes,
          (unsigned long long)exchanges, (unsigned long long)brick->messages, (unsigned long long)brick->bytes);
}

static mst_mpi_stencil *make(mst_context *context, const scheme *s, uint64_t between, mst_stencil_brick *brick) {
    mst_error e;
    mst_mpi_stencil *ours = NULL;
    mst_stencil_brick wanted = MST_STENCIL_BRICK_INIT;
    mst_stencil_desc d = s->desc;
    memcpy(wanted.bricks, s->layout, sizeof s->layout);
    d.brick = &wanted;
    d.part = &(const mst_stencil_part){0, 1, 1}; // which is not taken
    OK(mst_mpi_stencil_create(MPI_COMM_WORLD, context, &d, between, PATIENCE, &ours, &e));
    *brick = (mst_stencil_brick)MST_STENCIL_BRICK_INIT;
    OK(mst_mpi_stencil_brick(ours, brick, &e));
    for (int k = 0; k < d.rank; k++)
        CHECK(brick->bricks[k] == s->layout[k] && brick->count[k] > 0, "%zu bricks along axis %d", brick->bricks[k], k);
    return ours;
}

// Every array of the state of one layout, with which another goes on.
static void check_other_layout(mst_context *context, mst_mpi_stencil *ours, mst_stencil *one, scheme *s) {
    static uint64_t fields[2][MOST_NODES];
    static const char *const names[] = {"u", "v"};
    mst_error e;
    mst_stencil_brick brick;
    mst_stencil_memory memory = MST_STENCIL_MEMORY_INIT;
    OK(mst_stencil_find_memory(&s->desc, 0, &memory, &e));
    void *memories[16];
    mst_stencil *mine = mst_mpi_stencil_solver(ours, NULL);
    for (int k = 0; k < 2; k++)
        gather(mine, &s->desc, names[k], fields[k]);
    for (size_t i = 0; i < memory.n; i++) {
        mst_stencil_memory m = MST_STENCIL_MEMORY_INIT;
        static uint64_t own[MOST_NODES];
        memset(own, 0, sizeof own);
        OK(mst_stencil_find_memory(&s->desc, i, &m, &e));
        OK(mst_stencil_read_whole(mine, m.name, 0, (mst_type)0, mst_at_host(own), &e));
        CHECK(i < 16 && (memories[i] = malloc(sizeof own)), "no memory");
        MPI_Allreduce(own, memories[i], MOST_NODES, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
    }
    make_layout(s);
    for (int k = 0; k < s->desc.rank; k++)
        if (s->desc.grid[k] / s->layout[k] < 8) {
            for (size_t i = 0; i < memory.n; i++)
                free(memories[i]);
            return;
        }
    mst_mpi_stencil *other = make(context, s, 1, &brick);
    mst_stencil *theirs = mst_mpi_stencil_solver(other, NULL);
    for (int k = 0; k < 2; k++)
        OK(mst_stencil_write_whole(theirs, names[k], 0, (mst_type)0, mst_at_host(fields[k]), &e));
    for (size_t i = 0; i < memory.n; i++) {
        mst_stencil_memory m = MST_STENCIL_MEMORY_INIT;
        OK(mst_stencil_find_memory(&s->desc, i, &m, &e));
        OK(mst_stencil_write_whole(theirs, m.name, 0, (mst_type)0, mst_at_host(memories[i]), &e));
        free(memories[i]);
    }
    OK(mst_mpi_stencil_resume(other, mst_mpi_stencil_step(ours), &e));
    OK(mst_mpi_stencil_run(other, 5, &e));
    if (one)
        OK(mst_stencil_run(one, 5, NULL, NULL, &e));
    check_field(theirs, one, s, "u", "after another layout went on");
    mst_mpi_stencil_destroy(other);
}

static void run_case(mst_context *context, size_t turn) {
    static scheme s;
    mst_error e;
    mst_stencil *one = NULL;
    mst_stencil_brick brick;
    unsigned long long sent[2];
    make_scheme(&s, turn);
    if (test_rank == 0) // so that the others need not compile its kernels
        OK(mst_stencil_create(context, &s.desc, &one, &e));
    mst_mpi_stencil *ours = make(context, &s, test_random(3), &brick);
    mst_stencil *mine = mst_mpi_stencil_solver(ours, NULL);
    uint64_t left = brick.steps, steps = 0;
    test_sent(&sent[0], &sent[1]);
    for (int run = 0; run < 3; run++) {
        const uint64_t n = 1 + test_random(9);
        OK(mst_mpi_stencil_run(ours, n, &e));
        check_messages(&brick, n, &left);
        if (one)
            OK(mst_stencil_run(one, n, NULL, NULL, &e));
        steps += n;
        check_field(mine, one, &s, "u", "after a run");
        check_field(mine, one, &s, "v", "after a run");
    }
    check_region(mine, &s, &brick);
    check_received(ours, one, steps);
    check_spectrum(mine, one, &s);
    check_measured(ours, one);
    check_other_layout(context, ours, one, &s);
    mst_mpi_stencil_destroy(ours);
    mst_stencil_destroy(one);
}

static void expect_refusal(mst_context *context, const scheme *s, uint64_t between, const char *why) {
    mst_error e;
    mst_mpi_stencil *ours = NULL;
    mst_stencil_brick wanted = MST_STENCIL_BRICK_INIT;
    mst_stencil_desc d = s->desc;
    memcpy(wanted.bricks, s->layout, sizeof s->layout);
    d.brick = &wanted;
    const mst_status status = mst_mpi_stencil_create(MPI_COMM_WORLD, context, &d, between, PATIENCE, &ours, &e);
    CHECK(status == MST_ERROR_ARGUMENT && !ours && strstr(e.message, why), "%s: %s", mst_status_name(status), e.message);
}

static void check_refusals(mst_context *context) {
    static scheme s;
    make_scheme(&s, 0);
    s.layout[0] = (size_t)test_n_ranks + 1;
    s.layout[1] = 1;
    expect_refusal(context, &s, 1, "of");
    s.layout[0] = s.layout[2] = (size_t)test_n_ranks;
    expect_refusal(context, &s, 1, "the grid has 2 axes");
    s.layout[1] = s.layout[2] = 0;
    expect_refusal(context, &s, 1, "0 bricks are wanted along axis 1");
    s.layout[0] = 1;
    s.layout[1] = (size_t)test_n_ranks;
    expect_refusal(context, &s, 1000, "too many for");
}

int main(int argc, char **argv) {
    test_quick_builds = true; // each case has kernels of its own, for a few steps
    mst_context *context = test_begin(&argc, &argv);
    const int n = argc > 1 ? atoi(argv[1]) : 3;
    if (test_n_ranks > 1)
        check_refusals(context);
    for (int i = 0; i < n; i++)
        run_case(context, (size_t)i);
    test_end(context);
    return 0;
}
