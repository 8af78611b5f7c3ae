#include "cuts.h"

#include "runtime/numbers.h"
#include "stencil/kernels/sweep_around.h"

static bool is_empty(const mst_box *box) {
    bool any = true;
    for (int axis = 0; axis < N_AXES; axis++)
        any = any && box->from[axis] < box->to[axis];
    return !any;
}

mst_box mst_cuts_rest(const mst_cuts *cuts, const mst_cuts_launch *launch) {
    mst_box box;
    for (int axis = 0; axis < N_AXES; axis++) {
        const mst_cuts_axis *c = &cuts->axes[axis];
        box.from[axis] = c->low > 0 ? c->low + launch->beyond[axis] : 0;
        box.to[axis] = c->high < c->nodes ? c->high - launch->beyond[axis] : c->nodes;
    }
    return box;
}

mst_box mst_cuts_wanted(const mst_cuts *cuts, const mst_cuts_launch *launch) {
    mst_box box;
    for (int axis = 0; axis < N_AXES; axis++) {
        const mst_cuts_axis *c = &cuts->axes[axis];
        box.from[axis] = mst_larger(c->from - launch->beyond[axis], (int64_t)0);
        box.to[axis] = mst_smaller(c->to + launch->beyond[axis], c->nodes);
    }
    return box;
}

bool mst_cuts_leave_rest(const mst_cuts *cuts, const mst_cuts_launch *first) {
    const mst_box rest = mst_cuts_rest(cuts, first);
    return !is_empty(&rest);
}

bool mst_cuts_sideways(const mst_cuts *cuts) {
    bool is_cut = false;
    for (int axis = ROWS; axis <= COLUMNS; axis++)
        is_cut = is_cut || cuts->axes[axis].low > 0 || cuts->axes[axis].high < cuts->axes[axis].nodes;
    return is_cut;
}

mst_status mst_cuts_enqueue(const mst_cuts *cuts, const mst_cuts_launch *launches, size_t n, mst_cuts_enqueue_box *enqueue,
                            void *user, mst_cuts_given *given, void *given_user, mst_error *error) {
    mst_status status = MST_OK;
    for (size_t k = 0; k < n; k++) {
        mst_box first[MST_SWEEP_BOXES];
        const mst_box wanted = mst_cuts_wanted(cuts, &launches[k]), rest = mst_cuts_rest(cuts, &launches[k]);
        mst_sweep_boxes(&wanted, &rest, first);
        for (size_t i = 0; i < MST_SWEEP_BOXES; i++)
            if (!is_empty(&first[i]))
                MST_TRY(enqueue(user, k, &first[i], error));
    }
    MST_TRY(given(given_user, error));
    for (size_t k = 0; k < n; k++) {
        const mst_box rest = mst_cuts_rest(cuts, &launches[k]);
        MST_TRY(enqueue(user, k, &rest, error));
    }
fail:
    return status;
}
