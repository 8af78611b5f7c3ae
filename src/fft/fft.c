// Transforms: whole items on the device, or panels where one exceeds the budgets, or lines by way of memory where panels do, too.
#include "any.h"
#include "lines.h"
#include "panels_places.h"

#include "runtime/description.h"
#include "runtime/layout.h"
#include "runtime/numbers.h"
#include "runtime/pinned.h"

#include <stdlib.h>

// Says the least budget that panels or lines would take, where they take less than an item at once.
static void refuse_parts(mst_fft *plan, const mst_fft_needs *least, const mst_fft_needs *whole) {
    mst_context *context = plan->context;
    const bool device = least->device_bytes > mst_budget_left(context, &context->device_memory);
    if (device ? least->device_bytes < whole->device_bytes : least->host_bytes < whole->host_bytes)
        mst_budget_require(context, device ? &context->device_memory : &context->host_memory,
                           device ? least->device_bytes : least->host_bytes, "one panel", &plan->refusal);
}

static bool takes_less(const mst_fft *plan, const mst_fft_needs *a, const mst_fft_needs *b) {
    const uint64_t device = mst_budget_left(plan->context, &plan->context->device_memory);
    const bool enough = a->device_bytes <= device && b->device_bytes <= device;
    return enough ? a->host_bytes < b->host_bytes : a->device_bytes < b->device_bytes;
}

// Lines where panels do not do; if neither do, *least is what takes less.
static mst_status make_lines(mst_fft *plan, mst_fft_needs *least, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_lines lines;
    bool fits;
    MST_TRY(mst_fft_lines_plan(plan->context, &plan->desc, &lines, &fits, error));
    if (lines.axis >= 0 && !fits && takes_less(plan, &lines.needs, least))
        *least = lines.needs;
    if (!fits)
        return MST_OK;
    plan->lines_destroy = mst_fft_lines_destroy;
    MST_TRY(mst_fft_lines_create(&lines, &plan->lines, error));
fail:
    return status;
}

// Panels for what exceeds the budgets as a whole, or lines; none if they would not fit, either.
static mst_status make_parts(mst_fft *plan, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_panels_plan planned;
    mst_fft_needs whole = {.device_bytes = UINT64_MAX, .host_bytes = UINT64_MAX}, least = whole;
    bool fits = false;
    if (!plan->only_panels && mst_fft_needs_of_whole(plan, &whole))
        return MST_OK;
    plan->lacks_staging = whole.device_bytes <= mst_budget_left(plan->context, &plan->context->device_memory);
    status = mst_fft_panels_look(plan->context, &plan->desc, MST_FFT_PANELS_STAGED, &planned, &fits, error);
    if (status == MST_OK)
        mst_fft_panels_needs(&plan->desc, &planned, &least);
    if (status != MST_OK && status != MST_ERROR_UNSUPPORTED)
        return status;
    plan->panels_destroy = mst_fft_panels_destroy;
    if (fits)
        return mst_fft_panels_create(plan->context, &plan->desc, &planned, &plan->panels, error);
    MST_TRY(make_lines(plan, &least, error));
    if (!plan->lines)
        refuse_parts(plan, &least, &whole);
fail:
    return status;
}

MST_SHARED_PLAN(fft)

mst_status mst_fft_create(mst_context *context, const mst_fft_desc *desc, mst_fft **out, mst_error *error) {
    return share(out, desc, mst_fft_create_with(context, desc, make_parts, out, error), error);
}

// The plan, and the number there, of a pass that is none of lines; those of panels are one after the other.
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
    if (plan->lines)
        return plan->lines->n_passes;
    for (int pass = 0; owner_of(plan, &pass); pass = n)
        n++;
    return n;
}

const char *mst_fft_pass_kernel(const mst_fft *plan, int pass) {
    if (plan->lines)
        return pass >= 0 && pass < plan->lines->n_passes ? plan->lines->kernels[pass] : NULL;
    if (pass < 0 || !(plan = owner_of(plan, &pass)))
        return NULL;
    return plan->any ? plan->any->text.text : plan->passes[pass].device.kernels[0].text.text;
}

// As an execution is, between arrays in host memory or files.
static mst_status refuse_whole(const mst_fft *plan, const mst_fft_needs *needs, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = plan->context;
    if (plan->refusal.status != MST_OK) {
        if (error)
            *error = plan->refusal;
        return plan->refusal.status;
    }
    MST_TRY(mst_budget_require(context, &context->device_memory, needs->device_bytes, "one block", error));
    MST_TRY(mst_budget_require(context, &context->host_memory, needs->host_bytes, "one block", error));
fail:
    return status;
}

mst_status mst_fft_plan_needs(const mst_fft *plan, mst_fft_needs *needs, mst_error *error) {
    mst_status status = MST_OK;
    const mst_description *kind = MST_DESCRIPTION(mst_fft_needs, MST_FFT_NEEDS_INIT, in_place);
    mst_fft_needs full = {.in_place = 1};
    MST_REQUIRE(plan && needs, MST_ERROR_ARGUMENT, "plan and needs must not be NULL");
    MST_TRY(mst_description_check(kind, needs, error));
    if (plan->panels)
        mst_fft_panels_needs(&plan->desc, mst_fft_panels_planned(plan->panels), &full);
    else if (plan->lines)
        full = plan->lines->needs;
    else if (plan->stream && !mst_fft_needs_of_whole(plan, &full))
        MST_TRY(refuse_whole(plan, &full, error));
    mst_description_write(kind, &full, needs);
fail:
    return status;
}

static bool are_pinned(const mst_fft *plan, mst_location input, mst_location output) {
    return mst_pinned_holds_array(plan->context, &plan->desc.input, input) &&
           mst_pinned_holds_array(plan->context, &plan->desc.output, output);
}

// Not as whole items.
static bool takes_parts(const mst_fft *plan, mst_location input, mst_location output) {
    return (plan->panels || plan->lines) && input.place != MST_PLACE_DEVICE && output.place != MST_PLACE_DEVICE &&
           !(plan->lacks_staging && are_pinned(plan, input, output));
}

// Whether panels serve arrays that pass in another way better than those of the plan do: wider ones, if it is the host's budget
// that bounds those; or, for files, narrower ones of the same passes, beside which there are trays. Those that would cross by
// staging memory are not taken.
static bool serves(const mst_fft *plan, mst_fft_panels_way way, const mst_fft_panels_plan *planned) {
    const mst_fft_panels_plan *own = mst_fft_panels_planned(plan->panels);
    return way == MST_FFT_PANELS_FILED
               ? planned->n_passes == own->n_passes && planned->host_bytes < own->host_bytes
               : mst_fft_panels_cross(planned) && planned->panel_bytes[MST_FROM] > own->panel_bytes[MST_FROM];
}

// Panels for arrays that pass in another way, or those of the plan; these too where there is no room for others by now.
static mst_status make_other(mst_fft *plan, mst_fft_panels_way way, mst_fft_panels **other, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_panels_plan planned;
    mst_error why = {.status = MST_OK};
    bool fits;
    MST_TRY(mst_fft_panels_give_back(plan->panels, error)); // for budgets without the memory of its runs
    MST_TRY(mst_fft_panels_look(plan->context, &plan->desc, way, &planned, &fits, error));
    if (fits && serves(plan, way, &planned))
        status = mst_fft_panels_create(plan->context, &plan->desc, &planned, other, &why);
    if (status == MST_ERROR_BUDGET || status == MST_ERROR_DEVICE_MEMORY)
        status = MST_OK;
    if (status != MST_OK && error)
        *error = why;
    if (status == MST_OK && !*other)
        *other = plan->panels;
fail:
    return status;
}

// Results between the passes of a long axis in place are not pinned.
static bool stays_pinned(const mst_fft *plan, const mst_fft_panels *panels, const mst_location *where) {
    return where[0].host != where[1].host || mst_fft_panels_places_bytes(&plan->desc, mst_fft_panels_planned(panels)) == 0;
}

// Gives back what panels took, but for those that are to run.
static mst_status give_back(mst_fft *plan, const mst_fft_panels *now, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_panels *const all[] = {plan->panels, plan->crossing, plan->filed};
    for (size_t k = 0; k < MST_COUNT(all); k++)
        if (all[k] && all[k] != now)
            MST_TRY(mst_fft_panels_give_back(all[k], error));
fail:
    return status;
}

static mst_status execute_panels(mst_fft *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    const bool pinned = are_pinned(plan, where[0], where[1]),
               filed = where[0].place == MST_PLACE_FILE || where[1].place == MST_PLACE_FILE;
    mst_fft_panels *now = plan->panels;
    if (pinned && !plan->crossing)
        MST_TRY(make_other(plan, MST_FFT_PANELS_CROSSING, &plan->crossing, error));
    if (filed && !plan->filed)
        MST_TRY(make_other(plan, MST_FFT_PANELS_FILED, &plan->filed, error));
    if (filed)
        now = plan->filed;
    else if (pinned && stays_pinned(plan, plan->crossing, where))
        now = plan->crossing;
    MST_TRY(give_back(plan, now, error));
    status = mst_fft_panels_run(now, where[0], where[1], how, error);
fail:
    return status;
}

// What whole items took before is free for panels and lines, and the other way round.
static mst_status execute_parts(mst_fft *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    if (plan->whole && plan->whole->stream)
        MST_TRY(mst_stream_give_back(plan->whole->stream, error));
    status = plan->panels ? execute_panels(plan, where, how, error)
                          : mst_fft_lines_execute(plan->lines, where[0], where[1], how, error);
fail:
    return status;
}

// Each item is on the device as a whole.
static mst_status execute_whole(mst_fft *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    if (!plan->panels && !plan->lines)
        return mst_fft_run(plan, where, how, error);
    MST_TRY(give_back(plan, NULL, error));
    if (plan->lines)
        mst_fft_lines_give_back(plan->lines);
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
    status = (takes_parts(plan, input, output) ? execute_parts : execute_whole)(plan, where, how, error);
    return mst_turn_give(plan->turn, status);
}
