// Runs: trips of the schedule, in segments as long as the tables, with a look at the fields now and then.
#include "neighbours.h"
#include "runtime/description.h"
#include "runtime/numbers.h"

#include <mastaba/stencil.h>

// What a run asks on the way, and counts.
typedef struct run_state {
    mst_execution how;
    uint64_t done, total; // steps
    uint64_t at_once;     // trips between two reports
    double reported;      // when the last one was
    mst_traffic traffic;
    bool ended;         // the condition `until` holds
    mst_part_run *part; // of a part of a grid that exchanges halos on the way; else NULL
} run_state;

static const double BETWEEN_REPORTS = 0.1; // seconds

// Trips are queued while those before go on; schedules limit how many blocks, in core it is about a tenth of a second's work.
static uint64_t trips_at_once(const mst_stencil *s) {
    const uint64_t most = 10000;
    mst_forecast_boxes boxes = {.boxes = {{.work = 0}}};
    if (s->members || !mst_plan_in_core(s->plan.schedule))
        return 1;
    if (s->is_trial) // there are no rates, and it is not to wait where others do not
        return most;
    double seconds = mst_model_forecast(&s->inputs, &s->pair, &s->plan, s->plan.depth, &boxes).seconds;
    return seconds > 1e-5 ? 1 + (uint64_t)(BETWEEN_REPORTS / seconds) : most;
}

// With fewer trips until the next one if this one was late: the model does not know what else the device does.
static mst_status report_progress(run_state *run, mst_error *error) {
    const double now = mst_now();
    if (now - run->reported > 3 * BETWEEN_REPORTS && run->at_once > 1)
        run->at_once /= 2;
    run->reported = now;
    if (run->how.progress && !run->how.progress(run->done, run->total, run->how.progress_user))
        return mst_fail(error, MST_ERROR_CANCELLED, "cancelled after %llu of %llu steps", (unsigned long long)run->done,
                        (unsigned long long)run->total);
    return MST_OK;
}

// A trip of at most so many steps: *n of them.
static mst_status advance(mst_stencil *s, uint64_t row, uint64_t most, run_state *run, uint64_t *n, mst_error *error) {
    if (run->part)
        return mst_part_run_advance(run->part, row, most, run->total - run->done, n, &run->traffic, error);
    *n = mst_plan_trip(&s->plan, most);
    return s->schedule->kind->advance(s->schedule, *n, row, &run->traffic, error);
}

// As many steps as the tables on the device hold, trip by trip.
static mst_status run_segment(mst_stencil *s, uint64_t steps, run_state *run, mst_error *error) {
    mst_status status = MST_OK, cancelled = MST_OK;
    mst_schedule *schedule = s->schedule;
    uint64_t row = 0, since = 0;
    if (!s->members)
        MST_TRY(mst_tables_fill(&s->tables, s->step, steps, error));
    while (row < steps && cancelled == MST_OK) {
        uint64_t n;
        MST_TRY(advance(s, row, steps - row, run, &n, error));
        row += n;
        run->done += n;
        if (++since < run->at_once)
            continue;
        since = 0;
        if (mst_plan_in_core(s->plan.schedule)) // waits, and does not make the state whole
            MST_TRY((s->members ? schedule->kind->settle : mst_in_core_settle)(schedule, &run->traffic, error));
        cancelled = report_progress(run, error);
    }
    MST_TRY(schedule->kind->settle(schedule, &run->traffic, error));
    if (run->part)
        MST_TRY(mst_part_run_settle(run->part, error));
    s->tables.filled = row;
    MST_TRY(schedule->kind->collect ? schedule->kind->collect(schedule, error) : mst_tables_collect(&s->tables, error));
    s->step += row;
    if (cancelled == MST_OK && mst_now() - run->reported > BETWEEN_REPORTS && run->done < run->total) // segments may be short
        cancelled = report_progress(run, error);
    return cancelled;
fail:
    schedule->kind->abandon(schedule);
    if (run->part)
        mst_part_run_abandon(run->part);
    s->missing = mst_solver_all_arrays(s);
    return status;
}

mst_status mst_solver_advance(mst_stencil *s, uint64_t n, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    run_state run = {.how = MST_EXECUTION_INIT, .total = n, .at_once = trips_at_once(s), .reported = mst_now()};
    while (run.done < n)
        MST_TRY(run_segment(s, mst_smaller(n - run.done, s->tables.footprint.rows), &run, error));
    traffic->upload_bytes += run.traffic.upload_bytes;
    traffic->download_bytes += run.traffic.download_bytes;
fail:
    return status;
}

// Until the tables end, or the next look at the fields.
static uint64_t segment_steps(const mst_stencil *s, uint64_t left) {
    const uint64_t next = mst_observations_next(s->problem.observations, s->step) - s->step;
    const uint64_t most = mst_smaller(mst_smaller(left, s->tables.footprint.rows), next);
    return s->check_every ? mst_smaller(most, s->check_every - (s->step - s->checked_step) % s->check_every) : most;
}

// Behind a segment: at what is due, and whether the fields are finite if the run ends there or it is time.
static mst_status look(mst_stencil *s, run_state *run, bool ends, mst_error *error) {
    mst_status status = s->halo_steps > 0 ? MST_OK : mst_observer_look(&s->observer, s->step, &run->ended, error);
    if (status != MST_OK) { // what is recorded would have a gap
        s->missing = mst_solver_all_arrays(s);
        return status;
    }
    ends = ends && !(run->part && run->part->with.goes_on);
    if (s->check_every && (ends || run->ended || (s->step - s->checked_step) % s->check_every == 0))
        MST_TRY(mst_solver_check(s, error));
fail:
    return status;
}

#define REPORT MST_DESCRIPTION(mst_stencil_report, MST_STENCIL_REPORT_INIT, seconds)

static void write_report(const mst_stencil *s, const run_state *run, double seconds, mst_stencil_report *report) {
    const mst_stencil_report full = {.steps = run->done,
                                     .seconds = seconds,
                                     .node_steps_a_second = (double)s->problem.nodes * (double)run->done / seconds,
                                     .upload_bytes = run->traffic.upload_bytes,
                                     .download_bytes = run->traffic.download_bytes,
                                     .ended = run->ended};
    mst_description_write(REPORT, &full, report);
}

static mst_status check_halos(const mst_stencil *s, const run_state *run, mst_error *error) {
    mst_status status = MST_OK;
    const uint64_t steps = run->part ? mst_smaller(run->part->left, run->total) : run->total;
    const uint64_t next = mst_observer_next(&s->observer, s->step);
    MST_REQUIRE(s->is_trial || s->halo_steps == 0 || run->total <= next - s->step, MST_ERROR_ARGUMENT,
                "the parts of the grid are to look at what is due after step %llu (mst_stencil_look_part) before they go on",
                (unsigned long long)next);
    MST_REQUIRE(s->is_trial || mst_part_may_run(s, steps), MST_ERROR_ARGUMENT,
                "the halos of the part hold for %llu steps more; %llu are asked for, so write them first",
                (unsigned long long)s->steps_left, (unsigned long long)steps);
fail:
    return status;
}

static mst_status run_steps(mst_stencil *s, uint64_t steps, mst_part_run *part, const mst_execution *how,
                            mst_stencil_report *report, mst_error *error) {
    mst_status status = MST_OK;
    const double start = mst_now();
    run_state run = {.total = steps, .at_once = trips_at_once(s), .reported = start, .part = part};
    MST_TRY(mst_execution_read(how, &run.how, error));
    if (report)
        MST_TRY(mst_description_check(REPORT, report, error));
    MST_REQUIRE(!run.how.event && run.how.n_wait == 0 && !run.how.report, MST_ERROR_ARGUMENT,
                "a run takes no events and no mst_report");
    MST_REQUIRE(!s->missing, MST_ERROR_ARGUMENT, "the state was lost in a run that failed; write every field again");
    MST_TRY(check_halos(s, &run, error));
    s->written = s->filled = 0;
    if (s->halo_steps == 0)
        MST_TRY(mst_observer_until(&s->observer, s->step, &run.ended, error));
    while (run.done < steps && !run.ended) {
        const mst_status ran = run_segment(s, segment_steps(s, steps - run.done), &run, error);
        if (ran == MST_OK || ran == MST_ERROR_CANCELLED)
            MST_TRY(look(s, &run, ran != MST_OK || run.done == steps, error));
        MST_TRY(ran);
    }
    if (report)
        write_report(s, &run, mst_now() - start, report);
fail:
    if (!part)
        s->steps_left -= mst_smaller(run.done, s->steps_left);
    return status;
}

mst_status mst_stencil_run(mst_stencil *s, uint64_t steps, const mst_execution *how, mst_stencil_report *report,
                           mst_error *error) {
    if (!s)
        return mst_fail(error, MST_ERROR_ARGUMENT, "solver must not be NULL");
    mst_status status = mst_turn_take(s->turn, error);
    if (status != MST_OK)
        return status;
    return mst_turn_give(s->turn, run_steps(s, steps, NULL, how, report, error));
}

mst_status mst_stencil_run_part(mst_stencil *s, uint64_t steps, const mst_stencil_neighbours *neighbours,
                                const mst_execution *how, mst_stencil_report *report, mst_error *error) {
    mst_part_run part = {.solver = NULL};
    if (!s || !neighbours)
        return mst_fail(error, MST_ERROR_ARGUMENT, "solver and neighbours must not be NULL");
    mst_status status = mst_turn_take(s->turn, error);
    if (status != MST_OK)
        return status;
    status = mst_part_run_begin(s, neighbours, &part, error);
    if (status == MST_OK)
        status = run_steps(s, steps, &part, how, report, error);
    mst_part_run_release(&part);
    return mst_turn_give(s->turn, status);
}
