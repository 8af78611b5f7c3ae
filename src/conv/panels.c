#include "panels.h"

#include <stdlib.h>

mst_status mst_panels_plan(mst_convolution *plan, mst_error *error) {
    mst_panel_cut cut;
    bool suits;
    if (!mst_panel_cut_first(plan, &cut, &suits))
        return MST_OK;
    plan->panels = calloc(1, sizeof *plan->panels);
    if (!plan->panels)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    plan->panels->first = plan->panels->cut = cut;
    plan->panels->suits = suits;
    return MST_OK;
}

bool mst_is_too_small(mst_status status) { return status == MST_ERROR_BUDGET || status == MST_ERROR_DEVICE_MEMORY; }

static mst_status make_inner(mst_convolution *plan, mst_error *error) {
    struct mst_panels *p = plan->panels;
    mst_convolution_desc desc;
    mst_status status = mst_panel_describe(plan, &p->cut, &desc, &p->panel, error);
    return status == MST_OK ? mst_convolution_create_panel(plan->context, &desc, &plan->choice, &p->panel, &p->inner, error)
                            : status;
}

// The least cut's error tells what would do.
mst_status mst_panels_make(mst_convolution *plan, mst_error *error) {
    struct mst_panels *p = plan->panels;
    mst_status status;
    if (p->inner)
        return MST_OK;
    mst_panel_cut_fit(plan, &p->cut);
    do
        status = make_inner(plan, error);
    while (mst_is_too_small(status) && mst_panel_cut_smaller(plan, &p->cut));
    return status;
}

void mst_panels_drop(struct mst_panels *panels) {
    mst_convolution_destroy(panels->inner);
    panels->inner = NULL;
}

mst_status mst_panels_execute(mst_convolution *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    struct mst_panels *p = plan->panels;
    // There may be more room than there was when shorter blocks were taken, which give other bits.
    if (!p->inner || p->cut.geometry.points < p->first.geometry.points) {
        mst_panels_drop(p);
        p->cut = p->first;
    }
    for (;;) {
        mst_status status = mst_panels_make(plan, error);
        if (status == MST_OK)
            status = mst_convolution_execute(p->inner, where[X], where[Y], where[Z], how, error);
        // Nothing has been read or written when a budget is found to be too small.
        if (!mst_is_too_small(status) || !p->inner || !mst_panel_cut_smaller(plan, &p->cut))
            return status;
        mst_panels_drop(p);
    }
}

void mst_panels_destroy(struct mst_panels *panels) {
    if (!panels)
        return;
    mst_convolution_destroy(panels->inner);
    free(panels);
}
