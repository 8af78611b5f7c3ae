// The plan's life, and execution.
#include "bricks.h"

#include "runtime/description.h"

#include <stdlib.h>

// ---- The plan's life

static mst_status turn_to_bricks(mst_deconvolution *plan, mst_error *error) {
    mst_deconvolution_unmake(plan);
    return mst_bricks_make(plan, error);
}

// For arrays on the device, which take no room beside what the whole works in.
static mst_status turn_to_whole(mst_deconvolution *plan, mst_error *error) {
    mst_bricks_destroy(plan->bricks);
    plan->bricks = NULL;
    mst_status status = mst_deconvolution_make(plan, error);
    if (status != MST_OK) {
        mst_deconvolution_unmake(plan);
        mst_bricks_make(plan, NULL); // or it is made when it is needed
    }
    return status;
}

static mst_status make_whole_or_bricks(mst_deconvolution *plan, mst_error *error) {
    mst_status status = MST_ERROR_BUDGET;
    if (mst_bricks_may_whole(plan))
        status = mst_deconvolution_make(plan, error);
    if ((status == MST_OK && plan->fits) || (status != MST_OK && !mst_deconvolution_is_too_small(status)))
        return status;
    const bool whole = status == MST_OK;
    mst_error why;
    status = turn_to_bricks(plan, &why);
    if (whole && mst_deconvolution_is_too_small(status)) {
        plan->lacks = why;
        return turn_to_whole(plan, error);
    }
    if (status != MST_OK && error)
        *error = why;
    return status;
}

mst_status mst_deconvolution_create(mst_context *context, const mst_deconvolution_desc *desc, mst_deconvolution **out,
                                    mst_error *error) {
    mst_status status = MST_OK;
    mst_deconvolution *plan = NULL;
    if (out)
        *out = NULL;
    MST_REQUIRE(context && desc && out, MST_ERROR_ARGUMENT, "context, desc and out must not be NULL");
    MST_REQUIRE(plan = calloc(1, sizeof *plan), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    plan->context = context;
    MST_TRY(mst_turn_create(&plan->turn, error));
    MST_TRY(mst_deconvolution_read(plan, desc, error));
    if (mst_layout_count(&plan->desc.image) > 0)
        MST_TRY(make_whole_or_bricks(plan, error));
    *out = plan;
    return MST_OK;
fail:
    mst_deconvolution_destroy(plan);
    return status;
}

void mst_deconvolution_destroy(mst_deconvolution *plan) {
    if (!plan)
        return;
    mst_turn_destroy(plan->turn);
    mst_bricks_destroy(plan->bricks);
    mst_deconvolution_unmake(plan);
    free(plan->psf);
    free(plan);
}

double mst_deconvolution_seam(const mst_deconvolution *plan) { return plan && plan->bricks ? plan->bricks->seam : 0; }

mst_layout mst_deconvolution_result(const mst_deconvolution *plan) { return plan->result; }

// ---- Execution

static mst_status execute(mst_deconvolution *plan, const mst_deconvolution_arrays *arrays, const mst_execution *how,
                          mst_error *error) {
    mst_status status = MST_OK;
    const mst_location given[N_ARRAYS] = {arrays->image, arrays->result, arrays->start, arrays->weights};
    mst_location where[N_ARRAYS] = {arrays->image, arrays->result};
    mst_execution e;
    MST_TRY(mst_execution_read(how, &plan->how, error));
    if (plan->bricks && !mst_bricks_take(plan, given))
        MST_TRY(turn_to_whole(plan, error));
    if (plan->bricks)
        return mst_bricks_execute(plan, given, &plan->how, error);
    e = plan->how;
    for (int a = 0; a < N_ARRAYS && plan->stream; a++)
        if (plan->ports[a] >= 0)
            where[plan->ports[a]] = given[a];
    plan->done = 0;
    plan->total = (uint64_t)plan->n_items * (uint64_t)plan->desc.iterations;
    if (mst_deconvolution_iterates(plan))
        e.progress = NULL; // iterations report
    status = mst_stream_run(plan->context, plan->stream, where, &e, error);
    if (!mst_deconvolution_is_too_small(status) || !mst_bricks_take(plan, given))
        return status;
    MST_TRY(turn_to_bricks(plan, error));
    status = mst_bricks_execute(plan, given, &plan->how, error);
fail:
    return status;
}

mst_status mst_deconvolution_execute(mst_deconvolution *plan, const mst_deconvolution_arrays *arrays, const mst_execution *how,
                                     mst_error *error) {
    mst_status status = MST_OK;
    mst_deconvolution_arrays full;
    MST_REQUIRE(plan && arrays, MST_ERROR_ARGUMENT, "plan and arrays must not be NULL");
    MST_TRY(mst_description_read(MST_DESCRIPTION(mst_deconvolution_arrays, MST_DECONVOLUTION_ARRAYS_INIT, start), arrays, &full,
                                 error));
    MST_TRY(mst_turn_take(plan->turn, error));
    status = mst_turn_give(plan->turn, execute(plan, &full, how, error));
fail:
    return status;
}
