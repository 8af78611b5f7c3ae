// Finite differences over ranks: the same bits as one solver of the whole grid, over random grids, boundaries, steps between
// exchanges, ways of these and lengths of runs, and as many messages and bytes as planned; so are monitors, of grids with so many
// lines that cuts go through groups of their sums, spectra, and where the condition ends a run. A failure of one rank is
// everybody's, and so is an interrupt.
#include "support.h"

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NODES = 3000 * 12, N_POINTS = 5, MOST_STEPS = 27, N_MONITORS = 2, LINES = 2048 };

static mst_stencil_desc make_desc(size_t turn) {
    static mst_stencil_field field;
    static mst_stencil_update update;
    static mst_stencil_boundary boundaries[4];
    static double positions[N_POINTS][MST_MAX_AXES];
    static mst_stencil_receiver receiver = {.field = "u", .n_points = N_POINTS, .positions = (const void *)positions};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    static const char waves[] = "2*u - u.prev + 0.1*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)";
    static const char heat[] = "u + 0.1*(u[-2,0] + u[1,0] + u[0,-1] + u[0,2] - 4*u)";
    field = (mst_stencil_field){.name = "u", .levels = turn % 2 ? 2 : 1, .initial = {.expression = "sin(3*x) + cos(5*y)*x"}};
    update = (mst_stencil_update){.field = "u", .expression = turn % 2 ? waves : heat};
    for (int k = 0; k < 4; k++)
        boundaries[k] = (mst_stencil_boundary){.kind = test_random(2) ? MST_BOUNDARY_NEUMANN : MST_BOUNDARY_DIRICHLET};
    if (test_random(2))
        boundaries[0].kind = boundaries[1].kind = MST_BOUNDARY_PERIODIC;
    d.rank = 2;
    const bool is_long = turn % 3 == 0;
    d.grid[0] = is_long ? LINES + 1 + test_random(3000 - LINES) : 12 + test_random(48);
    d.grid[1] = 8 + test_random(is_long ? 4 : 16);
    d.spacing[0] = d.spacing[1] = 0.5;
    d.time_step = 0.5;
    d.precision = MST_FLOAT32;
    d.fields = &field;
    d.updates = &update;
    d.n_fields = d.n_updates = 1;
    d.boundaries = boundaries;
    d.check_every = 4;
    for (int i = 0; i < N_POINTS; i++) { // at nodes and between
        positions[i][0] = (double)test_random(2 * d.grid[0] - 1) / 2;
        positions[i][1] = (double)test_random(2 * d.grid[1] - 1) / 2;
    }
    receiver.interpolation = MST_STENCIL_INTERPOLATION_LINEAR;
    d.receivers = &receiver;
    d.n_receivers = 1;
    static mst_stencil_monitor monitors[N_MONITORS];
    static mst_stencil_spectrum spectrum;
    static const double frequencies[] = {0.1, -0.07};
    monitors[0] = (mst_stencil_monitor){"sum", "u[2,0]*u + y*t - u[-1,1]", MST_STENCIL_SUM, 2, {{0}, {0}, {0}}};
    monitors[1] = (mst_stencil_monitor){"most", "abs(u)", MST_STENCIL_MAX, 3, {{d.grid[0] / 3, 1}, {2, 1}, {d.grid[0] / 4, 5}}};
    spectrum = (mst_stencil_spectrum){"u", 2, frequencies, 2, {{0}, {0}, {0}}};
    d.monitors = monitors;
    d.n_monitors = N_MONITORS;
    d.spectra = &spectrum;
    d.n_spectra = 1;
    d.until_every = 2;
    d.until = turn % 2 ? "t > 8.9" : "most < 0"; // dt is 0.5
    return d;
}

// A rank whose field diverges returns sooner than others: all end with its status, and meet again in the runs after it. What
// monitors recorded before is still there.
static void check_divergence(mst_mpi_stencil *ours, const mst_stencil_desc *d, uint64_t steps) {
    double found[MOST_STEPS];
    float values[MOST_NODES] = {0};
    mst_error e;
    mst_status status;
    mst_stencil_halo halo = MST_STENCIL_HALO_INIT;
    mst_stencil_part part;
    mst_stencil *mine = mst_mpi_stencil_solver(ours, &part);
    if (test_rank == 0 && part.planes < d->grid[0])
        OK(mst_stencil_describe_halo(mine, &halo, &e));
    values[(halo.planes[0] + part.planes / 2) * d->grid[1]] = NAN;
    if (test_rank == 0)
        OK(mst_stencil_write(mine, "u", 0, mst_at_host(values), &e));
    status = mst_mpi_stencil_run(ours, 10, &e);
    CHECK(status == MST_ERROR_DIVERGED, "a field that is not finite gives %s: %s", mst_status_name(status), e.message);
    OK(mst_mpi_stencil_read_monitor(ours, 0, 1, steps / d->monitors[0].every, found, &e));
    status = mst_mpi_stencil_measure(ours, 0, found, &e);
    CHECK(status == MST_ERROR_ARGUMENT, "a state that was lost is measured: %s", mst_status_name(status));
    for (int run = 0; run < 3; run++) {
        status = mst_mpi_stencil_run(ours, 5, &e);
        CHECK(status != MST_ERROR_IO, "run %d after it gives %s", run, e.message);
    }
}

// What a rank sends in a run: an edge to each neighbour as often as halos are used up and steps come behind, or were to come
// where the condition ended it.
static void check_messages(mst_stencil *mine, const mst_stencil_part *part, uint64_t steps, bool is_early, uint64_t *left) {
    mst_error e;
    mst_stencil_halo halo = MST_STENCIL_HALO_INIT;
    unsigned long long messages, bytes, exchanges = steps > *left ? (steps - *left + part->steps - 1) / part->steps : 0;
    test_sent(&messages, &bytes);
    if (!mine)
        return;
    *left += exchanges * part->steps - steps;
    OK(mst_stencil_describe_halo(mine, &halo, &e));
    if (is_early && *left == 0 && halo.steps_left == part->steps) {
        exchanges++;
        *left = part->steps;
    }
    unsigned long long sides = 0;
    mst_stencil_neighbour neighbour = MST_STENCIL_NEIGHBOUR_INIT;
    OK(mst_stencil_describe_neighbour(mine, 0, &neighbour, &e));
    for (size_t i = 0; i < neighbour.n; i++) {
        OK(mst_stencil_describe_neighbour(mine, i, &neighbour, &e));
        sides += neighbour.given_bytes > 0;
    }
    CHECK(messages == sides * exchanges, "%llu messages to %llu neighbours in %llu exchanges", messages, sides, exchanges);
    CHECK(bytes == exchanges * (halo.given_bytes[0] + halo.given_bytes[1]), "%llu bytes in %llu exchanges", bytes, exchanges);
}

// Of all points on every rank, the bits of one solver.
static void check_received(mst_mpi_stencil *ours, mst_stencil *one, uint64_t steps) {
    double want[MOST_STEPS * N_POINTS], got[MOST_STEPS * N_POINTS];
    mst_error e;
    if (one)
        OK(mst_stencil_read_receiver(one, 0, 1, steps, want, &e));
    MPI_Bcast(want, MOST_STEPS * N_POINTS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    OK(mst_mpi_stencil_read_receiver(ours, 0, 1, steps, got, &e));
    for (size_t i = 0; i < steps * N_POINTS; i++)
        CHECK(memcmp(&got[i], &want[i], sizeof got[i]) == 0, "point %zu after step %zu: %.17g, not %.17g", i % N_POINTS,
              i / N_POINTS + 1, got[i], want[i]);
    CHECK(mst_mpi_stencil_read_receiver(ours, 1, 1, steps, got, &e) == MST_ERROR_ARGUMENT, "a receiver that is none");
    CHECK(mst_mpi_stencil_read_receiver(ours, 0, 2, steps, got, &e) == MST_ERROR_ARGUMENT, "a step that was not run");
}

// The same of what monitors recorded and measure now, and of a spectrum, of which each rank has a part.
static void check_found(mst_mpi_stencil *ours, mst_stencil *mine, mst_stencil *one, const mst_stencil_desc *d, uint64_t steps) {
    static float want_sums[4 * MOST_NODES], sums[4 * MOST_NODES], all[4 * MOST_NODES];
    double want[MOST_STEPS + 1], got[MOST_STEPS + 1];
    mst_error e;
    for (size_t k = 0; k < N_MONITORS; k++) {
        const uint64_t count = steps / d->monitors[k].every;
        if (one && count > 0)
            OK(mst_stencil_read_monitor(one, k, 1, count, want, &e));
        if (one)
            OK(mst_stencil_measure(one, k, &want[count], &e));
        MPI_Bcast(want, (int)count + 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        OK(mst_mpi_stencil_read_monitor(ours, k, 1, count, got, &e));
        OK(mst_mpi_stencil_measure(ours, k, &got[count], &e));
        for (uint64_t i = 0; i <= count; i++)
            CHECK(memcmp(&got[i], &want[i], sizeof got[i]) == 0, "monitor %zu, look %llu of %llu: %.17g, not %.17g", k,
                  (unsigned long long)i, (unsigned long long)count, got[i], want[i]);
    }
    CHECK(mst_mpi_stencil_measure(ours, N_MONITORS, got, &e) == MST_ERROR_ARGUMENT, "a monitor that is none");
    CHECK(mst_mpi_stencil_read_monitor(ours, 0, 1, steps, got, &e) == MST_ERROR_ARGUMENT || steps < 2, "looks that were not");
    const int n = (int)(4 * d->grid[0] * d->grid[1]); // two numbers of two frequencies
    memset(sums, 0, sizeof sums);
    if (one)
        OK(mst_stencil_read_spectrum(one, 0, mst_at_host(want_sums), &e));
    if (mine)
        OK(mst_stencil_read_spectrum(mine, 0, mst_at_host(sums), &e));
    MPI_Reduce(sums, all, n, MPI_UINT32_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    CHECK(!one || memcmp(all, want_sums, (size_t)n * sizeof *all) == 0, "a spectrum has other bits");
}

// Some rank is interrupted in its first piece.
static bool interrupt(uint64_t done, uint64_t total, void *user) {
    (void)done;
    (void)total;
    return test_rank != *(int *)user;
}

static uint64_t run_some(mst_mpi_stencil *ours, uint64_t steps) {
    mst_error e;
    mst_execution how = MST_EXECUTION_INIT;
    struct { // of a newer program
        mst_stencil_report known;
        size_t more;
    } report = {MST_STENCIL_REPORT_INIT, 7};
    report.known.struct_size += sizeof report.more;
    how.struct_size = offsetof(mst_execution, queued); // of an older one
    how.queued = 1;
    int who = (int)test_random((size_t)test_n_ranks + 1); // the last: nobody
    const uint64_t before = mst_mpi_stencil_step(ours);
    how.progress = interrupt;
    how.progress_user = &who;
    const mst_status status = mst_mpi_stencil_run_with(ours, steps, &how, &report.known, &e);
    CHECK(status == MST_OK || (status == MST_ERROR_CANCELLED && who < test_n_ranks), "%s", e.message);
    const uint64_t done = mst_mpi_stencil_step(ours) - before;
    uint64_t most = done;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    CHECK(done == most && report.known.steps == done && report.more == 7 &&
              (done == steps || status != MST_OK || report.known.ended),
          "%llu, %llu steps of %llu: %s", (unsigned long long)done, (unsigned long long)most, (unsigned long long)steps,
          mst_status_name(status));
    return done;
}

static void run_case(mst_context *context, size_t turn) {
    static float whole[MOST_NODES], own[MOST_NODES];
    mst_error e;
    mst_stencil *one = NULL;
    mst_mpi_stencil *ours = NULL;
    mst_stencil_part part;
    struct { // of a newer program
        mst_stencil_desc known;
        size_t more;
    } newer = {make_desc(turn), 0};
    mst_stencil_desc d = newer.known;
    size_t width = d.grid[1];
    uint64_t between = test_random(4), left;
    d.exchange = (mst_stencil_halo_exchange)test_random(3);
    d.schedule = test_random(2) ? MST_STENCIL_SWEEPS : MST_STENCIL_AUTO;
    if (test_rank == 0) // so that the others need not compile its kernels
        OK(mst_stencil_create(context, &d, &one, &e));
    newer.known = d;
    newer.known.struct_size += sizeof newer.more;
    OK(mst_mpi_stencil_create(MPI_COMM_WORLD, context, &newer.known, between, 60, &ours, &e));
    mst_stencil *mine = mst_mpi_stencil_solver(ours, &part);
    unsigned long long planes = mine ? part.planes : 0, all = 0;
    MPI_Allreduce(&planes, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all == d.grid[0], "the parts have %llu planes of %zu", all, d.grid[0]);
    left = part.steps;
    bool alone = part.planes == d.grid[0];
    check_messages(NULL, &part, 0, false, &left);
    uint64_t all_steps = 0;
    for (int run = 0; run < 3; run++) {
        const uint64_t wanted = 1 + test_random(9), steps = run_some(ours, wanted);
        all_steps += steps;
        check_messages(alone ? NULL : mine, &part, steps, steps < wanted, &left);
        if (one)
            OK(mst_stencil_run(one, steps, NULL, NULL, &e));
        if (one)
            OK(mst_stencil_read(one, "u", 0, NULL, mst_at_host(whole), &e));
        MPI_Bcast(whole, MOST_NODES, MPI_FLOAT, 0, MPI_COMM_WORLD);
        if (!mine)
            continue;
        OK(mst_stencil_read(mine, "u", 0, NULL, mst_at_host(own), &e));
        CHECK(memcmp(own, whole + part.first * width, part.planes * width * sizeof *own) == 0,
              "other bits: grid %zu x %zu, %llu steps between exchanges, planes %zu to %zu", d.grid[0], width,
              (unsigned long long)part.steps, part.first, part.first + part.planes);
    }
    check_received(ours, one, all_steps);
    check_found(ours, mine, one, &d, all_steps);
    int unwritten = !alone && left != part.steps;
    MPI_Bcast(&unwritten, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (unwritten)
        CHECK(mst_mpi_stencil_resume(ours, 0, &e) == MST_ERROR_ARGUMENT && strstr(e.message, "not every array"), "%s", e.message);
    if (turn % 2 == 0) // elsewhere the condition may hold, at which runs end at once
        check_divergence(ours, &d, all_steps);
    mst_mpi_stencil_destroy(ours);
    mst_stencil_destroy(one);
}

static void check_refusal(mst_context *context) {
    mst_error e;
    mst_mpi_stencil *ours = NULL;
    mst_stencil_desc d = make_desc(0);
    if (test_rank == test_n_ranks - 1)
        d.time_step = -1;
    mst_status status = mst_mpi_stencil_create(MPI_COMM_WORLD, context, &d, 1, 60, &ours, &e);
    CHECK(status == MST_ERROR_ARGUMENT && !ours, "a wrong time step gives %s: %s", mst_status_name(status), e.message);
}

// A grid of so few planes that one rank has all.
static mst_mpi_stencil *make_alone(mst_context *context, double timeout) {
    mst_error e;
    mst_mpi_stencil *ours = NULL;
    mst_stencil_desc d = make_desc(0);
    d.grid[0] = 3;
    d.n_receivers = d.n_monitors = d.n_spectra = 0;
    d.until = NULL;
    d.check_every = 0;
    for (int turn = 0; turn < 2; turn++) { // the second time its kernels are there
        mst_mpi_stencil_destroy(ours);
        OK(mst_mpi_stencil_create(MPI_COMM_WORLD, context, &d, 1, turn ? timeout : 60, &ours, &e));
        if (turn == 0) // PoCL compiles when it launches a kernel first
            OK(mst_mpi_stencil_run(ours, 2, &e));
    }
    return ours;
}

// Short runs one behind the other. Then the others wait for the steps of the one that has planes longer than the timeout in all,
// but meet it on the way, and nothing fails.
static void check_idle(mst_context *context) {
    const double timeout = 5;
    mst_error e;
    mst_mpi_stencil *ours = make_alone(context, timeout);
    double seconds = 0;
    for (int run = 0; run < 50; run++)
        OK(mst_mpi_stencil_run(ours, 1, &e));
    for (uint64_t steps = 1000; seconds < 1.5 * timeout; steps *= 2) {
        seconds = MPI_Wtime();
        OK(mst_mpi_stencil_run(ours, steps, &e));
        seconds = MPI_Wtime() - seconds;
        MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    mst_mpi_stencil_destroy(ours);
}

static void hang(int signal) {
    (void)signal;
    for (;;)
        pause();
}

// It hangs amid its steps: one of the others notices, and ends the job.
static void check_hanging(mst_context *context) {
    mst_error e;
    mst_mpi_stencil *ours = make_alone(context, 4);
    if (test_rank == 0) {
        signal(SIGALRM, hang);
        alarm(6);
    }
    mst_status status = mst_mpi_stencil_run(ours, 1ull << 40, &e);
    CHECK(status == MST_ERROR_IO && mst_mpi_stencil_is_broken(ours), "a rank that hangs gives %s", mst_status_name(status));
    printf("noticed: %s\n", e.message);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
    test_quick_builds = true; // each case has kernels of its own, for a few steps
    mst_context *context = test_begin(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "4";
    if (strcmp(what, "hanging") == 0) {
        check_hanging(context);
    } else if (strcmp(what, "idle") == 0) {
        check_idle(context);
    } else {
        check_refusal(context);
        for (int i = 0; i < atoi(what); i++)
            run_case(context, (size_t)i);
    }
    test_end(context);
    return 0;
}
