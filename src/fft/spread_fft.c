// Plans of transforms of spread arrays, and their executions, step by step.
#include "spread_exchange.h"
#include "spread_steps.h"

#include "panels.h"
#include "plan.h"
#include "runtime/description.h"
#include "runtime/layout.h"
#include "runtime/numbers.h"
#include "twiddle_panel.h"

#include <stdlib.h>

enum { CHUNKS = 8 }; // of what a device transforms beside its exchange

// One device's.
typedef struct spread_work {
    mst_fft *transforms[MST_SPREAD_STEPS]; // NULL: nothing to transform
    mst_device_table roots;
    mst_kernel *twiddles;
} spread_work;

struct mst_spread_fft {
    mst_context *context;
    mst_turn *turn;
    mst_spread_fft_desc desc;
    size_t n, element;
    int n_steps;
    mst_spread_step steps[MST_SPREAD_STEPS];
    spread_work *work;
    mst_spread_team team;
};

// ---- Making

// What device k transforms of its part at a step; false: nothing.
static bool describe(const mst_spread_fft *plan, const mst_spread_step *s, size_t k, mst_fft_desc *out) {
    const mst_spread_fft_desc *d = &plan->desc;
    const mst_spread_range has = mst_spread_range_of(&s->from, k, plan->n);
    *out = (mst_fft_desc)MST_FFT_DESC_INIT;
    out->direction = d->direction;
    if (s->local == MST_SPREAD_NOTHING || has.count == 0)
        return false;
    if (s->local == MST_SPREAD_ROWS) {
        const size_t shape[] = {has.count / s->from.grain, d->shape[1], d->shape[2]};
        out->input = mst_layout_dense(d->type, d->rank, shape);
        out->n_axes = d->rank - 1;
        for (int a = 0; a < out->n_axes; a++)
            out->axes[a] = a + 1;
    } else if (s->local == MST_SPREAD_TURNED) {
        const size_t shape[] = {has.count, s->from.rows};
        out->input = out->output = mst_layout_dense(d->type, 2, shape);
        out->input.strides[0] = 1;
        out->input.strides[1] = (ptrdiff_t)has.count;
        return true;
    } else {
        const size_t shape[] = {s->from.rows, has.count};
        out->input = mst_layout_dense(d->type, 2, shape);
        out->axes[0] = 0;
        out->scale = d->scale;
    }
    out->output = out->input;
    return true;
}

static size_t chunk_of(const mst_fft *transform) { return mst_divide_up(mst_fft_items(transform), (size_t)CHUNKS); }

static mst_status make_work(mst_spread_fft *plan, size_t k, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = mst_group_member(plan->context, k);
    spread_work *w = &plan->work[k];
    const bool is_double = plan->desc.type == MST_COMPLEX128;
    for (int i = 0; i < plan->n_steps; i++) {
        mst_fft_desc d;
        if (!describe(plan, &plan->steps[i], k, &d))
            continue;
        MST_TRY(mst_fft_create_with(context, &d, NULL, &w->transforms[i], error));
        MST_TRY(mst_fft_prepare(w->transforms[i], chunk_of(w->transforms[i]), error));
    }
    if (plan->desc.rank == 1) {
        MST_TRY(mst_panel_roots(context, is_double, plan->desc.shape[0], &w->roots, error));
        MST_TRY(mst_panel_kernel(context, is_double, "twiddle_panel", &w->twiddles, error));
    }
fail:
    return status;
}

static mst_status check(mst_context *context, const mst_spread_fft_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_spread_check(context, d->type, d->rank, d->shape, error));
    MST_REQUIRE(d->direction == MST_FFT_FORWARD || d->direction == MST_FFT_INVERSE, MST_ERROR_ARGUMENT,
                "there is no direction %d", (int)d->direction);
    MST_REQUIRE(d->input == MST_SPREAD_NATURAL || d->input == MST_SPREAD_TRANSPOSED, MST_ERROR_ARGUMENT,
                "input is %d; natural or transposed order is wanted", (int)d->input);
    MST_REQUIRE(d->output == MST_SPREAD_NATURAL || d->output == MST_SPREAD_TRANSPOSED, MST_ERROR_ARGUMENT,
                "output is %d; natural or transposed order is wanted", (int)d->output);
fail:
    return status;
}

mst_status mst_spread_fft_create(mst_context *context, const mst_spread_fft_desc *desc, mst_spread_fft **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_spread_fft *plan = NULL;
    mst_spread_fft_desc d;
    if (out)
        *out = NULL;
    MST_REQUIRE(context && desc && out, MST_ERROR_ARGUMENT, "context, desc and out must not be NULL");
    MST_TRY(mst_description_read(MST_DESCRIPTION(mst_spread_fft_desc, MST_SPREAD_FFT_DESC_INIT, output), desc, &d, error));
    MST_TRY(check(context, &d, error));
    MST_REQUIRE(plan = calloc(1, sizeof *plan), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    plan->context = context;
    plan->desc = d;
    plan->n = mst_group_size(context);
    plan->element = mst_type_bytes(d.type);
    MST_TRY(mst_turn_create(&plan->turn, error));
    plan->n_steps = mst_spread_plan(&d, plan->n, plan->steps);
    MST_TRY(mst_spread_team_make(context, mst_spread_plan_pieces(plan->steps, plan->n_steps, plan->n, plan->element), &plan->team,
                                 error));
    MST_REQUIRE(plan->work = calloc(plan->n, sizeof *plan->work), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    for (size_t k = 0; k < plan->n; k++)
        MST_TRY(make_work(plan, k, error));
    *out = plan;
    return MST_OK;
fail:
    mst_spread_fft_destroy(plan);
    return status;
}

void mst_spread_fft_destroy(mst_spread_fft *plan) {
    if (!plan)
        return;
    for (size_t k = 0; plan->work && k < plan->n; k++) {
        spread_work *w = &plan->work[k];
        for (int i = 0; i < MST_SPREAD_STEPS; i++)
            mst_fft_destroy(w->transforms[i]);
        mst_table_release(mst_group_member(plan->context, k), &w->roots);
        mst_kernel_destroy(w->twiddles);
    }
    free(plan->work);
    mst_spread_team_release(&plan->team);
    mst_turn_destroy(plan->turn);
    free(plan);
}

mst_status mst_spread_fft_plan_needs(const mst_spread_fft *plan, mst_spread_fft_needs *needs, mst_error *error) {
    mst_status status = MST_OK;
    const mst_description *kind = MST_DESCRIPTION(mst_spread_fft_needs, MST_SPREAD_FFT_NEEDS_INIT, upload_bytes);
    mst_spread_fft_needs full = MST_SPREAD_FFT_NEEDS_INIT;
    MST_REQUIRE(plan && needs, MST_ERROR_ARGUMENT, "plan and needs must not be NULL");
    MST_TRY(mst_description_check(kind, needs, error));
    for (int i = 0; i < plan->n_steps; i++)
        if (plan->steps[i].exchanges) {
            full.exchanges++;
            full.upload_bytes += mst_spread_exchanged(&plan->steps[i].exchange) * plan->element;
        }
    mst_description_write(kind, &full, needs);
fail:
    return status;
}

// ---- Executing

typedef struct spread_run {
    mst_spread_fft *plan;
    mst_spread *array;
    const mst_spread_step *step;
} spread_run;

// One member's transform at a step, in chunks.
typedef struct spread_compute {
    mst_spread_fft *plan;
    const mst_spread_step *step;
    size_t k;
    cl_mem from, to;
    size_t items, chunk, done;
    size_t first_row; // of flat order, or column, that item 0 is
} spread_compute;

static mst_status twiddle(const spread_compute *c, size_t count, mst_error *error) {
    const mst_spread_fft *plan = c->plan;
    const spread_work *w = &plan->work[c->k];
    const size_t row = c->step->from.rows;
    mst_queue_expect_mark(&plan->team.all[c->k].compute);
    const mst_panel_twiddles of = {.panel = c->to,
                                   .roots = w->roots.buffer,
                                   .length = plan->desc.shape[0],
                                   .inverse = plan->desc.direction == MST_FFT_INVERSE,
                                   .first = c->done * row,
                                   .n = count * row,
                                   .row_stride = 1,
                                   .row_count = row,
                                   .column_stride = row,
                                   .column_count = count,
                                   .column_first = (cl_long)(c->first_row + c->done),
                                   .column_end = (cl_long)c->step->from.columns};
    return mst_panel_twiddle(&plan->team.all[c->k].compute, w->twiddles, &of, error);
}

static mst_status compute_chunk(spread_compute *c, mst_error *error) {
    mst_status status = MST_OK;
    mst_queue *queue = &c->plan->team.all[c->k].compute;
    const size_t count = mst_smaller(c->chunk, c->items - c->done);
    const size_t elements = mst_spread_elements(&c->step->from, c->k, c->plan->n) / c->items;
    const bool turns = c->step->local == MST_SPREAD_TURNED;
    const mst_block block = {.count = count,
                             .queue = queue,
                             .ports = {{.buffer = c->from, .base = (int64_t)(c->done * (turns ? 1 : elements))},
                                       {.buffer = c->to, .base = (int64_t)(c->done * elements)}}};
    MST_TRY(mst_fft_compute(c->plan->work[c->k].transforms[c->step - c->plan->steps], &block, error));
    if (turns)
        MST_TRY(twiddle(c, count, error));
    c->done += count;
fail:
    return status;
}

static mst_status compute_to(void *user, size_t row, cl_event *computed, mst_error *error) {
    mst_status status = MST_OK;
    spread_compute *c = user;
    mst_queue *queue = &c->plan->team.all[c->k].compute;
    bool computes = false;
    for (; c->done < c->items && c->first_row + c->done < row; computes = true)
        MST_TRY(compute_chunk(c, error));
    if (computes)
        MST_TRY(mst_queue_mark(queue, false, computed, error));
    MST_TRY_CL(clFlush(queue->opencl), "cannot begin a transform");
fail:
    return status;
}

static mst_status run_step(const spread_run *r, size_t k, mst_error *error) {
    mst_status status = MST_OK;
    mst_spread_fft *plan = r->plan;
    const mst_spread_step *s = r->step;
    const mst_fft *transform = plan->work[k].transforms[s - plan->steps];
    cl_mem *buffers = r->array->memories[k].buffers;
    const int from = r->array->front, between = s->local == MST_SPREAD_TURNED ? !from : from;
    spread_compute c = {.plan = plan, .step = s, .k = k, .from = buffers[from], .to = buffers[between]};
    if (transform) {
        c.items = mst_fft_items(transform);
        c.chunk = chunk_of(transform);
        c.first_row = mst_spread_range_of(&s->from, k, plan->n).first / (s->local == MST_SPREAD_ROWS ? s->from.grain : 1);
    }
    // The other buffer is what columns are read from, so nothing may come to it before they are all turned.
    const bool beside = s->exchanges && s->local == MST_SPREAD_ROWS && transform;
    while (!beside && c.done < c.items)
        MST_TRY(compute_chunk(&c, error));
    MST_TRY(mst_queue_finish(&plan->team.all[k].compute, error));
    if (s->exchanges) {
        const mst_spread_call call = {.plan = &s->exchange,
                                      .to_columns = s->to.by_columns,
                                      .element = plan->element,
                                      .from = buffers[between],
                                      .to = buffers[!between],
                                      .compute = beside ? compute_to : NULL,
                                      .user = &c};
        MST_TRY(mst_spread_pass(&plan->team, k, &call, error));
    }
fail:
    return status;
}

static void work(size_t k, void *user) {
    const spread_run *r = user;
    mst_error error;
    const mst_status status = run_step(r, k, &error);
    if (status != MST_OK)
        mst_spread_team_fail(&r->plan->team, status, &error);
}

static mst_status begin(const mst_spread_fft *plan, const mst_spread *array, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    const mst_spread_desc *d = &array->desc;
    bool same = d->type == plan->desc.type && d->rank == plan->desc.rank;
    for (int k = 0; k < d->rank && same; k++)
        same = d->shape[k] == plan->desc.shape[k];
    MST_REQUIRE(array->context == plan->context, MST_ERROR_ARGUMENT, "the array is of another context than the plan");
    MST_REQUIRE(same, MST_ERROR_ARGUMENT, "the array has another type or shape than the plan");
    MST_REQUIRE(!array->is_lost, MST_ERROR_ARGUMENT, "the array was lost in a call that failed; upload it again");
    MST_REQUIRE(mst_spread_same(&array->place, &plan->steps[0].from), MST_ERROR_ARGUMENT,
                "the array is in %s order%s; the plan takes %s order", array->place.by_columns ? "transposed" : "natural",
                array->place.by_columns && plan->steps[0].from.by_columns ? " of the other direction" : "",
                plan->steps[0].from.by_columns ? "transposed" : "natural");
    MST_REQUIRE(!how->event && !how->queued, MST_ERROR_ARGUMENT, "a transform of a spread array blocks: it gives no event");
    if (how->n_wait > 0)
        MST_TRY_CL(mst_wait_for_events(how->n_wait, how->wait_list), "waiting for how->wait_list failed");
fail:
    return status;
}

static mst_status report_progress(const mst_spread_fft *plan, const mst_execution *how, int done, mst_error *error) {
    if (how->progress && !how->progress((uint64_t)done, (uint64_t)plan->n_steps, how->progress_user))
        return mst_fail(error, MST_ERROR_CANCELLED, "cancelled");
    return MST_OK;
}

static mst_status run(mst_spread_fft *plan, mst_spread *array, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    const double start = mst_now();
    mst_execution full;
    mst_report report = {0};
    MST_TRY(mst_execution_read(how, &full, error));
    MST_TRY(begin(plan, array, &full, error));
    for (int i = 0; i < plan->n_steps; i++) {
        spread_run r = {plan, array, &plan->steps[i]};
        MST_TRY(report_progress(plan, &full, i, error));
        array->is_lost = true;
        MST_TRY(mst_spread_team_run(&plan->team, work, &r, error));
        if ((r.step->local == MST_SPREAD_TURNED) != r.step->exchanges)
            array->front = !array->front;
        array->place = r.step->to;
        if (r.step->exchanges)
            report.upload_bytes += mst_spread_exchanged(&r.step->exchange) * plan->element;
    }
    array->is_lost = false;
    report_progress(plan, &full, plan->n_steps, NULL); // too late to cancel
    report.download_bytes = report.upload_bytes;
    report.blocks = (uint64_t)plan->n_steps;
    report.seconds = mst_now() - start;
    mst_execution_report(&full, &report);
fail:
    return status;
}

mst_status mst_spread_fft_execute(mst_spread_fft *plan, mst_spread *array, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(plan && array, MST_ERROR_ARGUMENT, "plan and array must not be NULL");
    MST_TRY(mst_turn_take(plan->turn, error));
    return mst_turn_give(plan->turn, run(plan, array, how, error));
fail:
    return status;
}
