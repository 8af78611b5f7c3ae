#include "solve.h"

#include "core/team.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

// ---- Before the first step

static const char *scratch_directory(const solve_run *run) { return run->options->scratch ? run->options->scratch : "."; }

static int no_scratch(const solve_run *run, int code) {
    cli_error(solve_command, "%s: no file for the state: %s; --scratch names another directory", scratch_directory(run),
              strerror(code));
    return CLI_INPUT_OUTPUT;
}

// A file without a name as the backing store of the state, which then takes no memory.
static int open_scratch(solve_run *run) {
    char path[FRAME_PATH_BYTES];
    if (run->scratch >= 0)
        return CLI_DONE;
    if (snprintf(path, sizeof path, "%s/.mastaba-XXXXXX", scratch_directory(run)) >= (int)sizeof path)
        return no_scratch(run, ENAMETOOLONG);
    run->scratch = mkostemp(path, O_CLOEXEC);
    if (run->scratch < 0)
        return no_scratch(run, errno);
    unlink(path);
    return CLI_DONE;
}

static int fill_scratch(solve_run *run, uint64_t bytes) {
    char size[32];
    int code;
    do
        code = posix_fallocate(run->scratch, 0, (off_t)bytes);
    while (code == EINTR);
    if (code == 0)
        return CLI_DONE;
    cli_error(solve_command, "%s: no room for the %s of the state: %s; --scratch names another directory", scratch_directory(run),
              cli_size_text(bytes, size), strerror(code));
    return CLI_INPUT_OUTPUT;
}

// *fits, unless it is NULL: whether the state is no larger than RAM, or else there is no plan.
static int predict(solve_run *run, bool *fits) {
    mst_error error;
    const mst_status status = mst_stencil_predict(run->context, &run->problem.desc, run->problem.steps, &run->plan, &error);
    if (fits)
        *fits = status != MST_ERROR_HOST_MEMORY;
    return status == MST_OK || (fits && !*fits) ? CLI_DONE : cli_fail_input(solve_command, NULL, &error);
}

// A state that does not stay on the device keeps the schedule of this plan, by which it has its place and as many copies.
static int choose_plan(solve_run *run) {
    mst_stencil_desc *desc = &run->problem.desc;
    uint64_t limit = run->common->host_memory;
    bool fits;
    desc->expected_steps = run->problem.steps;
    int code = predict(run, &fits);
    if (code != CLI_DONE || (fits && solve_in_core(&run->plan)))
        return code;
    if (fits)
        desc->schedule = run->plan.schedule;
    if (fits && (limit == 0 || run->plan.state_bytes <= limit))
        return CLI_DONE;
    desc->store = MST_STENCIL_STORE_FILE;
    code = predict(run, NULL);
    desc->schedule = run->plan.schedule;
    if (code != CLI_DONE || run->options->dry_run)
        return code;
    code = open_scratch(run);
    desc->file = run->scratch;
    return code == CLI_DONE ? fill_scratch(run, run->plan.state_bytes) : code;
}

int solve_prepare(solve_run *run) {
    mst_error error;
    int code = run->options->scratch && !run->options->dry_run ? open_scratch(run) : CLI_DONE; // one that is asked for
    if (code == CLI_DONE)
        code = cli_context(solve_command, run->common, false, &run->context);
    if (code == CLI_DONE)
        code = choose_plan(run);
    if (code != CLI_DONE || run->options->dry_run)
        return code;
    if (mst_stencil_create(run->context, &run->problem.desc, &run->solver, &error) != MST_OK)
        return cli_fail_input(solve_command, NULL, &error);
    code = solve_make_traces(run);
    if (code == CLI_DONE && run->options->resume)
        code = solve_take_checkpoint(run);
    run->first = mst_stencil_step(run->solver);
    run->last_checkpoint = cli_now();
    return code;
}

// ---- Steps

typedef struct part_progress {
    const solve_run *run;
    cli_progress *bar;
    uint64_t before; // steps of this run before this part
} part_progress;

static bool checkpoint_due(const solve_run *run) {
    const solve_options *o = run->options;
    return o->checkpoint && !o->every_steps && solve_is_first() && cli_now() - run->last_checkpoint > o->every_seconds;
}

// Where this returns false, for an interrupt or because a checkpoint is due, the library stops at a step that it has reached.
static bool update_progress(uint64_t done, uint64_t total, void *user) {
    part_progress *part = user;
    (void)total;
    if (part->bar->visible && !part->run->shared)
        solve_note_monitors(part->run, part->bar->note, sizeof part->bar->note);
    return cli_progress_update(part->before + done, part->run->problem.steps - part->run->first, part->bar) &&
           !checkpoint_due(part->run);
}

static int save(solve_run *run) {
    int code = !run->options->checkpoint ? CLI_DONE
               : run->shared             ? solve_write_shared_checkpoint(run)
                                         : solve_write_checkpoint(run);
    run->last_checkpoint = cli_now();
    return code;
}

// A run that keeps checkpoints ends its trip first.
static void hold_interrupts(const solve_run *run) {
    static char promise[FRAME_PATH_BYTES + 120];
    if (!run->options->checkpoint)
        return;
    snprintf(promise, sizeof promise, "ending this trip to write %s; a second interrupt ends at once, and leaves it as it was",
             run->options->checkpoint);
    cli_hold_interrupts(promise, false);
}

static int interrupted(solve_run *run) {
    uint64_t step = solve_step(run);
    int code = save(run);
    if (code != CLI_DONE)
        return code;
    cli_error(solve_command, "interrupted at step %llu of %llu; %s%s", (unsigned long long)step,
              (unsigned long long)run->problem.steps, run->options->checkpoint ? "--resume continues from " : "the state is lost",
              run->options->checkpoint ? run->options->checkpoint : "");
    return CLI_INTERRUPTED;
}

// Advances to a step, or to one before it where a checkpoint is due.
static int advance(solve_run *run, uint64_t to, cli_progress *bar) {
    uint64_t from = solve_step(run);
    part_progress part = {run, bar, from - run->first};
    mst_execution how = MST_EXECUTION_INIT;
    mst_stencil_report report = MST_STENCIL_REPORT_INIT;
    mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
    mst_error error;
    double start = cli_now();
    how.progress = update_progress;
    how.progress_user = &part;
    mst_status status = run->shared ? run->shared->run(run->shared->solver, to - from, &how, &report, &error)
                                    : mst_stencil_run(run->solver, to - from, &how, &report, &error);
    if (status == MST_OK && !run->shared)
        status = mst_stencil_describe(run->solver, to - from, &plan, &error);
    if (status != MST_OK && status != MST_ERROR_CANCELLED) {
        cli_progress_end(bar);
        if (status == MST_ERROR_DIVERGED)
            return solve_fail_diverged(run, &error);
        return cli_fail_input(solve_command, NULL, &error);
    }
    uint64_t steps = solve_step(run) - from;
    run->predicted += plan.seconds * (double)steps / (double)(to - from);
    run->done.steps += steps;
    run->done.seconds += cli_now() - start;
    run->done.upload_bytes += report.upload_bytes;
    run->done.download_bytes += report.download_bytes;
    run->ended = report.ended;
    const int code = solve_take_rows(run);
    return code == CLI_DONE ? solve_take_traces(run) : code;
}

// The next step at which something is written.
static uint64_t next_stop(const solve_run *run, uint64_t step) {
    uint64_t next = solve_next_frame(run, step), every = run->options->checkpoint ? run->options->every_steps : 0;
    return every ? least(next, (step / every + 1) * every) : next;
}

// What one of a team wants all of it do.
typedef struct wishes {
    uint64_t interrupted, checkpoint;
} wishes;

static wishes wishes_of(const solve_run *run, uint64_t step) {
    const uint64_t every = run->options->checkpoint ? run->options->every_steps : 0;
    wishes all = {cli_interrupted(), checkpoint_due(run) || (every && step % every == 0)};
    cli_sum(&all.interrupted, sizeof all / sizeof all.interrupted);
    return all;
}

int solve_steps(solve_run *run) {
    cli_progress bar = cli_progress_start(solve_command, 0);
    uint64_t step = run->first, steps = run->problem.steps;
    int code = cli_agree(solve_command, cli_interrupted() ? cli_fail_interrupted(solve_command) : CLI_DONE);
    if (code != CLI_DONE)
        return code;
    hold_interrupts(run);
    code = solve_begin_rows(run);
    if (code == CLI_DONE && step == 0)
        code = solve_write_frames(run, 0);
    while (code == CLI_DONE && step < steps) {
        uint64_t stop = next_stop(run, step);
        code = advance(run, stop, &bar);
        step = solve_step(run);
        if (code == CLI_DONE && run->ended)
            steps = run->problem.steps = step;
        if (code == CLI_DONE && step == stop)
            code = solve_write_frames(run, step);
        if (code != CLI_DONE)
            break;
        const wishes wanted = wishes_of(run, step);
        if (step < steps && wanted.interrupted) { // a run that is done goes on to its results
            cli_progress_end(&bar);
            code = interrupted(run);
        } else if (wanted.checkpoint || step == steps) {
            code = save(run);
        }
    }
    cli_progress_end(&bar);
    cli_release_interrupts();
    if (code == CLI_DONE)
        code = solve_write_trace_spectra(run);
    if (code == CLI_DONE)
        code = solve_write_traces(run);
    if (code == CLI_DONE)
        code = solve_write_rows(run);
    if (code == CLI_DONE)
        code = solve_write_spectra(run);
    return code == CLI_DONE ? solve_write_result(run) : code;
}

void solve_free(solve_run *run) {
    mst_stencil_destroy(run->solver);
    mst_context_destroy(run->context);
    if (run->scratch >= 0)
        close(run->scratch);
    for (size_t i = 0; run->traces && i < run->problem.desc.n_receivers; i++)
        free(run->traces[i]);
    free(run->traces);
    free(run->state);
    solve_free_rows(run);
    solve_close_outputs(run);
    problem_free(&run->problem);
}
