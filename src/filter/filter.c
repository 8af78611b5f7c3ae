// The plan's life, and execution.
#include "composed.h"
#include "description.h"
#include "mask.h"

#include "runtime/lines.h"

#include <stdlib.h>
#include <string.h>

// ---- The stream

static mst_status prepare(void *user, size_t n_images, mst_error *error) {
    mst_filter *plan = user;
    mst_status status = MST_OK;
    MST_TRY(mst_planes_prepare(plan, n_images, error));
    MST_TRY(plan->method->prepare(plan, n_images, error));
fail:
    return status;
}

static mst_status compute(void *user, const mst_block *block, mst_error *error) {
    mst_filter *plan = user;
    mst_status status = MST_OK;
    if (!plan->method->takes_images)
        MST_TRY(mst_planes_load(plan, block, error));
    MST_TRY(plan->method->run(plan, block, error));
    if (mst_filter_has_planes(plan))
        MST_TRY(mst_planes_store(plan, block, error));
    if (plan->desc.alpha)
        MST_TRY(mst_planes_copy_alpha(plan, block, error));
fail:
    return status;
}

static mst_stream_desc describe_stream(mst_filter *plan) {
    const mst_filter_desc *d = &plan->desc;
    int split = d->input.rank - (d->volume ? 4 : 3);
    mst_stream_desc stream = {
        .context = plan->context,
        .n_items = plan->n_images,
        .n_ports = 2,
        .ports = {{MST_PORT_INPUT, d->input, split, "input"}, {MST_PORT_OUTPUT, d->output, split, "output"}},
        .table_bytes = plan->mask.table_bytes + 4 * MST_LINES_BYTES,
        .item_work_bytes = mst_planes_image_bytes(plan),
        .item_work_piece =
            (uint64_t)plan->colours * plan->r * plan->p * (plan->q / 2 + 1) * 2 * mst_filter_real_bytes(plan), // spectra
        .prepare = prepare,
        .compute = compute,
        .user = plan};
    plan->method->count_work(plan, &stream);
    return stream;
}

// *fits: the budgets have room for an image that comes from elsewhere.
static mst_status make_stream(mst_filter *plan, bool *fits, mst_error *error) {
    const mst_stream_desc stream = describe_stream(plan);
    uint64_t device, host;
    *fits = mst_stream_fits(&stream, &device, &host);
    mst_budget_require(plan->context, &plan->context->device_memory, device, "one block", &plan->refusal);
    return mst_stream_create(&stream, &plan->stream, error);
}

// ---- The plan's life

static const mst_filter_method *method_of(const mst_filter *plan) {
    if (plan->desc.algorithm == MST_FILTER_PAPER)
        return &mst_paper_filter_method;
    return mst_fused_filter_can(plan, plan->cpu) ? &mst_fused_filter_method : &mst_composed_filter_method;
}

static mst_status make_on_device(mst_filter *plan, bool *fits, mst_error *error) {
    mst_status status = MST_OK;
    plan->method = method_of(plan);
    plan->planes.pitch = plan->method->takes_images ? plan->width : plan->q;
    plan->planes.rows = plan->method->takes_images ? plan->height : plan->p;
    plan->planes.slices = plan->r;
    MST_TRY(plan->method->create(plan, error));
    MST_TRY(make_stream(plan, fits, error));
    MST_TRY(mst_mask_upload(plan, error));
    MST_TRY(mst_planes_create(plan, error));
fail:
    return status;
}

static void drop_from_device(mst_filter *plan) {
    mst_stream_destroy(plan->stream);
    plan->stream = NULL;
    if (plan->method) {
        plan->method->destroy(plan);
        mst_planes_destroy(plan);
    }
    plan->method = NULL;
    plan->work = NULL;
    mst_device_release(plan->context, plan->mask.table, plan->mask.table_bytes);
    plan->mask.table = NULL;
}

// What a method's tables had no room for, dropped by now: the least budget that has.
static void refuse_on_device(mst_filter *plan, const mst_filter_method *method) {
    uint64_t tables, device, host;
    if (!method || !method->plan)
        return;
    plan->method = method;
    if (method->plan(plan, &tables, NULL) == MST_OK) {
        const mst_stream_desc stream = describe_stream(plan);
        mst_stream_fits(&stream, &device, &host);
        mst_budget_require(plan->context, &plan->context->device_memory, tables + device, "one block", &plan->refusal);
    }
    method->destroy(plan);
    plan->work = NULL;
    plan->method = NULL;
}

// The caller's own mask, which panels read as they go.
static mst_status keep_own_mask(mst_filter *plan, mst_error *error) {
    const mst_filter_desc *d = &plan->desc;
    const size_t bytes = d->mask_depth * d->mask_height * d->mask_width * sizeof *d->mask;
    if (d->kind != MST_FILTER_MASK)
        return MST_OK;
    if (!(plan->own_mask = malloc(bytes)))
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for a mask");
    memcpy(plan->own_mask, d->mask, bytes);
    return MST_OK;
}

// Panels in place of an image that has no room. Where they, too, have none beside what is there for images on the device, which
// have no room, either, that is dropped.
static mst_status make_panels(mst_filter *plan, mst_status whole, mst_error *error) {
    plan->panels = mst_filter_panels_can(plan, &plan->least);
    if (!plan->panels && plan->stream && plan->refusal.status != MST_OK && plan->least.status != MST_OK) {
        drop_from_device(plan);
        whole = MST_ERROR_BUDGET;
        plan->least.status = MST_OK;
        plan->panels = mst_filter_panels_can(plan, &plan->least);
    }
    if (plan->panels)
        return keep_own_mask(plan, error);
    if (whole != MST_OK && error)
        *error = plan->least.status != MST_OK ? plan->least : plan->refusal;
    return whole;
}

// The host's copy of a mask of discs is kept for panels. Beside tiles nothing of the whole stays on the device, which they need.
static mst_status make_method(mst_filter *plan, mst_filter_chooser *choose, void *user, mst_error *error) {
    mst_status status = MST_OK;
    bool fits = false;
    MST_TRY(choose(plan, user, error));
    status = make_on_device(plan, &fits, &plan->refusal);
    const bool no_plan = status == MST_ERROR_BUDGET || status == MST_ERROR_DEVICE_MEMORY,
               too_small = no_plan || (status == MST_OK && !fits), tiled = too_small && plan->desc.tiles > 0;
    const mst_filter_method *method = plan->method;
    if (no_plan || tiled)
        drop_from_device(plan);
    if (no_plan)
        refuse_on_device(plan, method);
    if (tiled && !no_plan)
        mst_fail(&plan->refusal, MST_ERROR_BUDGET, "images on the device have no room beside tiles; leave out tiles");
    if (tiled)
        status = mst_tiles_make(plan, error);
    else if (too_small)
        status = make_panels(plan, status, error);
    else if (status != MST_OK && error)
        *error = plan->refusal;
    if (plan->panels && !mst_mask_is_table(plan))
        return status;
    free(plan->mask.values);
    plan->mask.values = NULL;
fail:
    return status;
}

mst_status mst_filter_make(mst_context *context, const mst_filter_desc *desc, mst_filter_chooser *choose, void *user,
                           mst_filter **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_filter *plan = NULL;
    if (out)
        *out = NULL;
    MST_REQUIRE(context && desc && out, MST_ERROR_ARGUMENT, "context, desc and out must not be NULL");
    MST_REQUIRE(plan = calloc(1, sizeof *plan), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    plan->context = context;
    MST_TRY(mst_turn_create(&plan->turn, error));
    MST_TRY(mst_filter_read(plan, desc, error));
    MST_REQUIRE(!plan->is_double || context->device.fp64, MST_ERROR_UNSUPPORTED, "%s has no float64; use float32",
                context->device.name);
    plan->cpu =
        plan->desc.shape == MST_FFT_SHAPE_AUTO ? mst_pass_suits_cpu(&context->device) : plan->desc.shape == MST_FFT_SHAPE_CPU;
    MST_TRY(mst_mask_check_range(plan, error));
    if (mst_layout_count(&plan->desc.input) > 0)
        MST_TRY(mst_mask_make(plan, error));
    if (mst_layout_count(&plan->desc.input) > 0)
        MST_TRY(make_method(plan, choose, user, error));
    plan->desc.mask = plan->own_mask; // not the caller's
    *out = plan;
    return MST_OK;
fail:
    mst_filter_destroy(plan);
    return status;
}

static mst_status take_choice(mst_filter *plan, void *choice, mst_error *error) {
    const mst_filter_choice *c = choice;
    (void)error;
    plan->cpu = c->cpu;
    plan->choice = c->pass;
    return MST_OK;
}

mst_status mst_filter_create_as(mst_context *context, const mst_filter_desc *desc, const mst_filter_choice *choice,
                                mst_filter **out, mst_error *error) {
    mst_filter_choice copy = *choice;
    return mst_filter_make(context, desc, take_choice, &copy, out, error);
}

void mst_filter_destroy(mst_filter *plan) {
    if (!plan)
        return;
    mst_turn_destroy(plan->turn);
    drop_from_device(plan);
    mst_tiles_destroy(plan->tiles);
    mst_filter_timing_release(plan);
    mst_mask_release(plan);
    free(plan->own_mask);
    free(plan);
}

mst_filter_output mst_filter_output_used(const mst_filter *plan) { return plan->desc.output_as; }

mst_layout mst_filter_result(const mst_filter *plan) {
    return mst_layout_dense(plan->desc.output.type, plan->desc.output.rank, plan->desc.output.shape);
}

static mst_status execute(mst_filter *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    const bool on_device = where[0].place == MST_PLACE_DEVICE || where[1].place == MST_PLACE_DEVICE;
    if (plan->tiles && !on_device)
        return mst_tiles_run(plan, where, how, error);
    if (plan->panels && !on_device)
        return mst_filter_panels_run(plan, where, how, error);
    if (!plan->stream && plan->refusal.status != MST_OK) {
        if (error)
            *error = plan->refusal;
        return plan->refusal.status;
    }
    const mst_status status = mst_stream_run(plan->context, plan->stream, where, how, error);
    if (status == MST_ERROR_BUDGET && !on_device && plan->least.status != MST_OK && error)
        *error = plan->least;
    return status;
}

mst_status mst_filter_execute(mst_filter *plan, mst_location input, mst_location output, const mst_execution *how,
                              mst_error *error) {
    const mst_location where[] = {input, output};
    if (!plan)
        return mst_fail(error, MST_ERROR_ARGUMENT, "plan must not be NULL");
    mst_status status = mst_turn_take(plan->turn, error);
    if (status != MST_OK)
        return status;
    mst_filter_timing_clear(plan);
    return mst_turn_give(plan->turn, execute(plan, where, how, error));
}
