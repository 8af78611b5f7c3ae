// Transforms: whole items on the device, or panels where one exceeds the budgets.
#include "any.h"
#include "panels.h"

#include "runtime/description.h"
#include "runtime/layout.h"
#include "runtime/pinned.h"

// Says the least budget that panels would take, where they take less than an item at once (device, host).
static void refuse_panels(mst_fft *plan, const mst_fft_panels_plan *least, uint64_t device, uint64_t host) {
    mst_context *context = plan->context;
    uint64_t left = mst_budget_left(context, &context->device_memory), limit = context->device_memory.limit;
    const char *name = "device";
    uint64_t takes = least->device_bytes;
    if (takes <= left) {
        left = mst_budget_left(context, &context->host_memory);
        limit = context->host_memory.limit;
        name = "host";
        takes = least->host_bytes;
        device = host;
    }
    if (takes > left && takes < device)
        mst_fail(&plan->refusal, MST_ERROR_BUDGET,
                 "the %s memory budget of %llu bytes is too small for one panel; it takes at least %llu", name,
                 (unsigned long long)limit, (unsigned long long)(limit - left + takes));
}

// Panels for what exceeds the budgets as a whole; none if they would not fit, either.
static mst_status make_panels(mst_fft *plan, mst_error *error) {
    mst_fft_panels_plan planned;
    uint64_t device = UINT64_MAX, host = UINT64_MAX;
    bool fits;
    if (!plan->only_panels) {
        const mst_stream_desc stream = mst_fft_describe_stream(plan);
        if (mst_stream_fits(&stream, &device, &host))
            return MST_OK;
    }
    plan->lacks_staging = device <= mst_budget_left(plan->context, &plan->context->device_memory);
    mst_status status = mst_fft_panels_create(plan->context, &plan->desc, &plan->panels, &planned, &fits, error);
    plan->panels_destroy = mst_fft_panels_destroy;
    if (status == MST_OK && !fits)
        refuse_panels(plan, &planned, device, host);
    return status == MST_ERROR_UNSUPPORTED ? MST_OK : status;
}

MST_SHARED_PLAN(fft)

mst_status mst_fft_create(mst_context *context, const mst_fft_desc *desc, mst_fft **out, mst_error *error) {
    return share(out, desc, mst_fft_create_with(context, desc, make_panels, out, error), error);
}

// The plan, and the number there, of a pass; those of panels are one after the other.
static const mst_fft *owner_of(const mst_fft *plan, int *pass) {
    const mst_fft *owner = plan;
    if (!plan->panels)
        return *pass < plan->n_passes ? plan : NULL;
    for (int k = 0; (owner = mst_fft_panels_transform(plan->panels, k)) && *pass >= owner->n_passes; k++)
        *pass -= owner->n_passes;
    return owner;
}

int mst_fft_n_passes(const mst_fft *plan) {
    int n = 0;
    for (int pass = 0; owner_of(plan, &pass); pass = n)
        n++;
    return n;
}

const char *mst_fft_pass_kernel(const mst_fft *plan, int pass) {
    if (pass < 0 || !(plan = owner_of(plan, &pass)))
        return NULL;
    return plan->any ? plan->any->text.text : plan->passes[pass].device.kernels[0].text.text;
}

static void whole_needs(const mst_fft *plan, mst_fft_needs *out) {
    const mst_stream_desc stream = mst_fft_describe_stream(plan);
    const mst_layout *layouts[] = {&plan->desc.input, &plan->desc.output};
    uint64_t *moved[] = {&out->upload_bytes, &out->download_bytes};
    out->passes = 1;
    mst_stream_fits(&stream, &out->device_bytes, &out->host_bytes);
    for (int side = 0; side < 2; side++)
        *moved[side] = mst_layout_count(layouts[side]) * mst_type_bytes(layouts[side]->type);
}

mst_status mst_fft_plan_needs(const mst_fft *plan, mst_fft_needs *needs, mst_error *error) {
    mst_status status = MST_OK;
    const mst_description *kind = MST_DESCRIPTION(mst_fft_needs, MST_FFT_NEEDS_INIT, in_place);
    mst_fft_needs full = {.in_place = 1};
    MST_REQUIRE(plan && needs, MST_ERROR_ARGUMENT, "plan and needs must not be NULL");
    MST_TRY(mst_description_check(kind, needs, error));
    if (plan->panels)
        mst_fft_panels_needs(plan->panels, &full);
    else if (plan->stream)
        whole_needs(plan, &full);
    mst_description_write(kind, &full, needs);
fail:
    return status;
}

static bool is_pinned(const mst_fft *plan, const mst_layout *layout, mst_location where) {
    return where.place == MST_PLACE_HOST && mst_layout_is_dense(layout) &&
           mst_pinned_holds(plan->context, where.host, mst_layout_count(layout) * mst_type_bytes(layout->type));
}

static bool takes_panels(const mst_fft *plan, mst_location input, mst_location output) {
    return plan->panels && input.place != MST_PLACE_DEVICE && output.place != MST_PLACE_DEVICE &&
           !(plan->lacks_staging && is_pinned(plan, &plan->desc.input, input) && is_pinned(plan, &plan->desc.output, output));
}

// Arrays go by panels: what whole items took before is free for them, and the other way round.
static mst_status execute_panels(mst_fft *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    if (plan->whole && plan->whole->stream)
        MST_TRY(mst_stream_give_back(plan->whole->stream, error));
    status = mst_fft_panels_run(plan->panels, where[0], where[1], how, error);
fail:
    return status;
}

// Each item is on the device as a whole.
static mst_status execute_whole(mst_fft *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    if (!plan->panels)
        return mst_fft_run(plan, where, how, error);
    MST_TRY(mst_fft_panels_give_back(plan->panels, error));
    mst_fft_desc d = plan->desc;
    if (d.kind != MST_FFT_FOURIER) // a plan's kind is that of its inverse already
        d.direction = MST_FFT_FORWARD;
    for (int a = 0; a < d.n_axes && !mst_type_is_complex(d.input.type) && d.kind == MST_FFT_FOURIER; a++)
        d.axes[a] = plan->desc.axes[(a + 1) % d.n_axes]; // the real axis is the last one in a description
    if (!plan->whole)
        MST_TRY(mst_fft_create_with(plan->context, &d, NULL, &plan->whole, error));
    status = mst_fft_run(plan->whole, where, how, error);
fail:
    return status;
}

mst_status mst_fft_execute(mst_fft *plan, mst_location input, mst_location output, const mst_execution *how, mst_error *error) {
    const mst_location where[] = {input, output};
    if (!plan)
        return mst_fail(error, MST_ERROR_ARGUMENT, "plan must not be NULL");
    mst_status status = mst_turn_take(plan->turn, error);
    if (status != MST_OK)
        return status;
    status = (takes_panels(plan, input, output) ? execute_panels : execute_whole)(plan, where, how, error);
    return mst_turn_give(plan->turn, status);
}
