#include "panels.h"
#include "spectra.h"

#include "runtime/lines.h"

#include <stdlib.h>

// Arrays no larger than the tables of lines of views of all three: panels would take more.
static bool is_tiny(const mst_convolution *plan) {
    const mst_layout *layouts[N_ARRAYS] = {&plan->desc.x, &plan->desc.y, &plan->desc.z};
    uint64_t bytes = 0;
    for (int a = 0; a < N_ARRAYS; a++)
        bytes += mst_layout_count(layouts[a]) * mst_type_bytes(layouts[a]->type);
    return bytes <= 2 * N_ARRAYS * MST_LINES_BYTES;
}

static mst_status plan_panels(mst_convolution *plan, mst_error *error) {
    mst_panel_cut cut;
    bool suits;
    if (is_tiny(plan) || !mst_panel_cut_first(plan, &cut, &suits))
        return MST_OK;
    plan->panels = calloc(1, sizeof *plan->panels);
    if (!plan->panels)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    plan->panels->first = plan->panels->cut = cut;
    plan->panels->suits = suits;
    return MST_OK;
}

static bool is_too_small(mst_status status) { return status == MST_ERROR_BUDGET || status == MST_ERROR_DEVICE_MEMORY; }

// What the inner plans of a group's devices are made of.
typedef struct inner_parts {
    mst_convolution_desc desc;
    const mst_convolution_choice *choice;
    const mst_convolution_panel *panel;
} inner_parts;

static mst_status make_on(mst_context *context, const void *user, void **out, mst_error *error) {
    const inner_parts *parts = user;
    mst_convolution *made = NULL;
    mst_status status = mst_convolution_create_panel(context, &parts->desc, parts->choice, parts->panel, &made, error);
    *out = made;
    return status;
}

static void destroy_inner(void *plan) { mst_convolution_destroy(plan); }
static mst_stream *stream_of(void *plan) { return ((mst_convolution *)plan)->stream; }

static mst_status make_inner(mst_convolution *plan, mst_error *error) {
    static const mst_share_kind kind = {{make_on, destroy_inner}, stream_of};
    mst_status status = MST_OK;
    struct mst_panels *p = plan->panels;
    inner_parts parts = {.choice = &plan->choice, .panel = &p->panel};
    void *inner = NULL;
    MST_TRY(mst_panel_describe(plan, &p->cut, &parts.desc, &p->panel, error));
    MST_TRY(make_on(plan->context, &parts, &inner, error));
    MST_TRY(mst_stream_share(stream_of(inner), &kind, &parts, error));
    p->inner = inner;
    inner = NULL;
fail:
    destroy_inner(inner);
    return status;
}

// The least cut's error tells what would do.
static mst_status make_panels(mst_convolution *plan, mst_error *error) {
    struct mst_panels *p = plan->panels;
    mst_status status;
    if (p->inner)
        return MST_OK;
    mst_panel_cut_fit(plan, &p->cut);
    do
        status = make_inner(plan, error);
    while (is_too_small(status) && mst_panel_cut_smaller(plan, &p->cut));
    return status;
}

static void drop_panels(struct mst_panels *panels) {
    mst_convolution_destroy(panels->inner);
    panels->inner = NULL;
}

static mst_status execute_panels(mst_convolution *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    struct mst_panels *p = plan->panels;
    // There may be more room than there was when shorter blocks were taken, which give other bits.
    if (!p->inner || p->cut.geometry.points < p->first.geometry.points) {
        drop_panels(p);
        p->cut = p->first;
    }
    for (;;) {
        mst_status status = make_panels(plan, error);
        if (status == MST_OK)
            status = mst_convolution_execute(p->inner, where[X], where[Y], where[Z], how, error);
        // Nothing has been read or written when a budget is found to be too small.
        if (!is_too_small(status) || !p->inner || !mst_panel_cut_smaller(plan, &p->cut))
            return status;
        drop_panels(p);
    }
}

void mst_panels_destroy(struct mst_panels *panels) {
    if (!panels)
        return;
    mst_convolution_destroy(panels->inner);
    free(panels);
}

// ---- The ways that arrays go, and which of them an execution takes: whole, by the plan's method; in panels; or by transforms of
// the whole in panels, with spectra in the host's memory.

static void drop_whole(mst_convolution *plan) {
    plan->method->destroy(plan->work);
    plan->work = NULL;
    plan->stream = NULL;
}

static bool cannot_be(mst_status status) { return is_too_small(status) || status == MST_ERROR_UNSUPPORTED; }

// Whether there is another way than the whole one: all start out with it but inner plans of panels.
static bool has_others(const mst_convolution *plan) { return !plan->panel && (plan->panels || mst_spectra_suit(plan)); }

static mst_status turn_to_spectra(mst_convolution *plan, mst_error *error) {
    if (plan->panels)
        drop_panels(plan->panels);
    return mst_spectra_plan(plan, error);
}

mst_status mst_ways_make(mst_convolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    if (!plan->panel)
        MST_TRY(plan_panels(plan, error));
    status = plan->method->create(plan, error);
    if (!has_others(plan) || !cannot_be(status))
        return status;
    const bool lacks_room = is_too_small(status) || !mst_geometry_exists(plan);
    drop_whole(plan);
    if (plan->panels)
        status = make_panels(plan, error);
    if (cannot_be(status) && lacks_room && mst_spectra_suit(plan))
        status = turn_to_spectra(plan, error);
fail:
    return status;
}

// Host arrays and files. Once there was no room for panels, it is by spectra.
static mst_status execute_staged(mst_convolution *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    mst_status status = MST_ERROR_BUDGET;
    if (plan->work) {
        const bool panels = plan->panels && plan->panels->suits;
        status = panels ? execute_panels(plan, where, how, error) : plan->method->execute(plan, where, how, error);
        if (!is_too_small(status))
            return status;
        drop_whole(plan); // what it held may be what panels need
    }
    if (plan->panels && !plan->spectra)
        status = execute_panels(plan, where, how, error);
    if (!plan->spectra && cannot_be(status) && mst_spectra_suit(plan))
        status = turn_to_spectra(plan, error);
    return plan->spectra ? mst_spectra_execute(plan, where, how, error) : status;
}

static mst_status execute_whole(mst_convolution *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    if (!plan->work) {
        if (plan->panels)
            drop_panels(plan->panels);
        status = plan->method->create(plan, error);
        if (status != MST_OK)
            drop_whole(plan);
    }
    return status == MST_OK ? plan->method->execute(plan, where, how, error) : status;
}

static bool is_staged(const mst_location *where) {
    for (int a = 0; a < N_ARRAYS; a++)
        if (where[a].place == MST_PLACE_DEVICE)
            return false;
    return true;
}

mst_status mst_ways_execute(mst_convolution *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    return (has_others(plan) && is_staged(where) ? execute_staged : execute_whole)(plan, where, how, error);
}
