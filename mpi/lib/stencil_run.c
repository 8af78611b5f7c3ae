// A run, in pieces of a fraction of a second, between which all ranks meet: so they stop at one step when one of them is
// interrupted, know of failures, and wait for no rank longer than a piece takes, whatever planes it has.
#include "description.h"
#include "stencil.h"

#include <math.h>
#include <string.h>

// ---- A piece

static mst_status exchange(void *user, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_stencil *s = user;
    s->exchanges++;
    if (s->n_requests > 0)
        TRY_MPI(MPI_Startall(s->n_requests, s->requests), "exchanging halos");
    TRY(mst_mpi_wait(s->n_requests, s->requests, s->team.timeout, error));
    return MST_OK;
fail:
    s->team.broken = true;
    return status;
}

// Steps with the exchanges between them, as many of these as on all other ranks.
static mst_status advance_part(mst_mpi_stencil *s, uint64_t steps, bool goes_on, mst_stencil_report *report, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_neighbours with = MST_STENCIL_NEIGHBOURS_INIT;
    const uint64_t between = s->brick.steps, used = goes_on ? steps : steps - 1; // behind which halos have to hold
    const uint64_t due = used >= s->left ? (used - s->left) / between + 1 : 0;
    with.given[0] = s->given;
    with.taken[0] = s->taken;
    with.first = s->left;
    with.exchange = exchange;
    with.user = s;
    with.goes_on = goes_on;
    s->exchanges = 0;
    s->left += due * between - steps;
    status = mst_stencil_run_part(s->solver, steps, &with, NULL, report, error);
    while (s->exchanges < due && !s->team.broken) // a rank that failed lets the others go on
        exchange(s, &s->lost);
    return status;
}

static void add(const mst_stencil_report *piece, mst_stencil_report *all) {
    all->upload_bytes += piece->upload_bytes;
    all->download_bytes += piece->download_bytes;
}

// By as many steps as all others. A solver of the whole grid may end earlier, and looks at what is due itself.
static mst_status advance(mst_mpi_stencil *s, uint64_t steps, bool goes_on, mst_stencil_report *report, mst_error *error) {
    mst_stencil_report piece = MST_STENCIL_REPORT_INIT;
    mst_status status = MST_OK;
    if (s->is_part)
        status = advance_part(s, steps, goes_on, &piece, error);
    else if (s->solver)
        status = mst_stencil_run(s->solver, steps, NULL, &piece, error);
    s->ended = piece.ended;
    add(&piece, report);
    return status;
}

// ---- Looks

static mst_status pass(mst_mpi_stencil *s, MPI_Request *request, int code, mst_error *error) {
    mst_status status = MST_OK;
    TRY_MPI(code, "what monitors find at a cut");
    TRY(mst_mpi_wait(1, request, s->team.timeout, error));
    return MST_OK;
fail:
    s->team.broken = true; // MPI may still read or write `bits`
    return status;
}

static mst_status take(void *user, void *to, size_t bytes, mst_error *error) {
    mst_mpi_stencil *s = user;
    MPI_Request request;
    const int code = MPI_Irecv(s->bits, (int)bytes, MPI_BYTE, s->beside[0], MST_MPI_TAG_LOOK, s->team.communicator, &request);
    const mst_status status = pass(s, &request, code, error);
    if (status == MST_OK)
        memcpy(to, s->bits, bytes);
    return status;
}

static mst_status give(void *user, const void *from, size_t bytes, mst_error *error) {
    mst_mpi_stencil *s = user;
    MPI_Request request;
    memcpy(s->bits, from, bytes);
    const int code = MPI_Isend(s->bits, (int)bytes, MPI_BYTE, s->beside[1], MST_MPI_TAG_LOOK, s->team.communicator, &request);
    return pass(s, &request, code, error);
}

static mst_status join(void *user, void *numbers, size_t n, mst_error *error) {
    mst_mpi_stencil *s = user;
    return mst_mpi_stencil_share(s, s->parts, false, numbers, n, error);
}

mst_stencil_meeting mst_mpi_stencil_meeting(mst_mpi_stencil *s) {
    mst_stencil_meeting with = MST_STENCIL_MEETING_INIT;
    with.take = take;
    with.give = give;
    with.join = join;
    with.user = s;
    return with;
}

static mst_status look(mst_mpi_stencil *s, mst_error *error) {
    const mst_stencil_meeting with = mst_mpi_stencil_meeting(s);
    return s->is_part ? mst_stencil_look_part(s->solver, &with, &s->ended, error) : MST_OK;
}

// ---- A run

static const double PIECE = 0.2; // seconds

typedef struct run {
    uint64_t from, to; // steps
    bool checked;      // whether fields are finite, after the last piece
    bool stop;         // this rank's progress asks for it
    double began;
    mst_execution how;
    mst_stencil_report report;
} run;

// The first rank's choice: whole trips, from one exchange to the next, as far as to what is due.
static void choose(mst_mpi_stencil *s, const run *r) {
    const uint64_t left = r->to - s->step, next = s->is_part ? mst_stencil_next_look(s->solver) : UINT64_MAX;
    const double trips = s->step_seconds > 0 && !r->stop ? PIECE / (s->step_seconds * (double)s->trip) : 1;
    uint64_t n = trips < 2 ? s->trip : trips < (double)left / (double)s->trip ? (uint64_t)trips * s->trip : left;
    n = n < left ? n : left;
    s->mine[MST_MPI_LOOK] = next == s->step;
    s->mine[MST_MPI_NEXT] = n < next - s->step ? n : next - s->step;
    s->mine[MST_MPI_STEP] = s->step;
}

static mst_status meet(mst_mpi_stencil *s, const run *r, mst_status own, mst_error *error) {
    mst_status status = MST_OK;
    MPI_Request request;
    memset(s->mine, 0, sizeof s->mine);
    if (s->team.rank == 0)
        choose(s, r);
    s->mine[MST_MPI_FAILED] = own != MST_OK;
    s->mine[MST_MPI_STOP] = r->stop;
    s->mine[MST_MPI_ENDED] = s->ended;
    TRY_MPI(MPI_Iallreduce(s->mine, s->all, MST_MPI_WORDS, MPI_UINT64_T, MPI_MAX, s->team.communicator, &request),
            "ranks that meet");
    TRY(mst_mpi_wait(1, &request, s->team.timeout, error));
    s->step = s->all[MST_MPI_STEP];
    s->ended = s->all[MST_MPI_ENDED] > 0;
    return MST_OK;
fail:
    s->team.broken = true;
    return status;
}

static mst_status run_piece(mst_mpi_stencil *s, run *r, mst_error *error) {
    const uint64_t n = s->all[MST_MPI_NEXT];
    const double start = MPI_Wtime();
    r->checked = s->all[MST_MPI_STOP] > 0 || s->step + n == r->to;
    r->stop = s->all[MST_MPI_STOP] > 0;
    const mst_status status = advance(s, n, !r->checked, &r->report, error);
    s->step = s->is_part ? s->step + n : s->solver ? mst_stencil_step(s->solver) : s->step;
    s->step_seconds = (MPI_Wtime() - start) / (double)n;
    r->stop |= r->how.progress && !r->how.progress(s->step - r->from, r->to - r->from, r->how.progress_user);
    return status;
}

static mst_status run_pieces(mst_mpi_stencil *s, run *r, mst_error *error) {
    mst_status status = MST_OK;
    s->ended = false;
    if (s->until_every > 0 && s->step > 0 && s->step % s->until_every == 0) // a run may begin where it ends
        status = look(s, error);
    while (!s->team.broken) {
        mst_status met = meet(s, r, status, error);
        if (met != MST_OK)
            return met;
        if (s->all[MST_MPI_FAILED])
            return status;
        if (s->all[MST_MPI_LOOK])
            status = look(s, error);
        else if (s->ended || s->step == r->to)
            return MST_OK;
        else if (s->all[MST_MPI_STOP] && r->checked)
            return mst_mpi_fail(error, MST_ERROR_CANCELLED, "cancelled after %llu of %llu steps",
                                (unsigned long long)(s->step - r->from), (unsigned long long)(r->to - r->from));
        else
            status = run_piece(s, r, error);
    }
    return status;
}

#define EXECUTION MST_MPI_DESCRIPTION(mst_execution, "how", MST_EXECUTION_INIT, n_wait)
#define REPORT MST_MPI_DESCRIPTION(mst_stencil_report, "report", MST_STENCIL_REPORT_INIT, seconds)

static mst_status read_how(const mst_mpi_stencil *s, const mst_execution *given, const mst_stencil_report *report,
                           mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    if (given)
        TRY(mst_mpi_description_read(EXECUTION, given, how, error));
    REQUIRE(!how->event && how->n_wait == 0 && !how->report && !how->queued, MST_ERROR_ARGUMENT,
            "of an execution a run takes `progress` alone");
    if (report)
        TRY(mst_mpi_description_check(REPORT, report, error));
    REQUIRE(!s->is_lost, MST_ERROR_ARGUMENT, "the state was lost in a run that failed; write every field, and resume");
fail:
    return status;
}

static void finish(const mst_mpi_stencil *s, const run *r, mst_stencil_report *report) {
    mst_stencil_report own = r->report;
    own.steps = s->step - r->from;
    own.seconds = MPI_Wtime() - r->began;
    own.node_steps_a_second = (double)s->nodes * (double)own.steps / fmax(own.seconds, 1e-9);
    own.ended = s->ended;
    mst_mpi_description_write(REPORT, &own, report);
}

// Where a field diverged, ranks may be at several steps.
static bool loses(mst_status status) { return status != MST_OK && status != MST_ERROR_CANCELLED; }

static mst_status run_alone(mst_mpi_stencil *s, uint64_t steps, const mst_execution *how, mst_stencil_report *report,
                            mst_error *error) {
    mst_stencil_report own = MST_STENCIL_REPORT_INIT;
    mst_execution read = MST_EXECUTION_INIT;
    mst_status status = MST_OK;
    TRY(read_how(s, how, report, &read, error));
    status = mst_stencil_run(s->solver, steps, how, report ? report : &own, error);
    s->step = mst_stencil_step(s->solver);
    s->is_lost = loses(status);
fail:
    return status;
}

mst_status mst_mpi_stencil_run_with(mst_mpi_stencil *s, uint64_t steps, const mst_execution *how, mst_stencil_report *report,
                                    mst_error *error) {
    run r = {.how = MST_EXECUTION_INIT, .report = MST_STENCIL_REPORT_INIT, .began = MPI_Wtime()};
    mst_status status = mst_mpi_stencil_check(s, error);
    if (status != MST_OK)
        return status;
    if (!s->is_part && !s->idle) // of one rank
        return run_alone(s, steps, how, report, error);
    status = mst_mpi_team_agree(&s->team, read_how(s, how, report, &r.how, error), error);
    if (status != MST_OK)
        return status;
    r.from = s->step;
    r.to = steps < UINT64_MAX - s->step ? s->step + steps : UINT64_MAX;
    status = run_pieces(s, &r, error);
    if (s->lost.status != MST_OK) {
        if (error)
            *error = s->lost;
        return s->lost.status;
    }
    if (!s->team.broken)
        status = mst_mpi_team_agree(&s->team, status, error);
    s->is_lost = loses(status);
    if (report)
        finish(s, &r, report);
    return status;
}

mst_status mst_mpi_stencil_run(mst_mpi_stencil *s, uint64_t steps, mst_error *error) {
    return mst_mpi_stencil_run_with(s, steps, NULL, NULL, error);
}
