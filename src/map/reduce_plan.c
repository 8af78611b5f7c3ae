// A reducing plan's life.
#include "boxes.h"

#include "runtime/layout.h"
#include "runtime/lines.h"
#include "runtime/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The text of a kernel, and the kernel; if it need be compiled and is to be `cached` there is none.
static mst_status make_reducer(mst_map *plan, mst_map_reducer which, bool cached, mst_error *error) {
    static const char *const names[] = {"tiles", "tiles", "combine", "finish"};
    static const char *const titles[] = {"elements to partial results", "elements with gaps to partial results",
                                         "partial results to fewer", "results"};
    mst_status status = MST_OK;
    mst_map_reduce *r = plan->reduce;
    const char *options = mst_map_is_double(plan) ? "-D PRECISION=64" : "-D PRECISION=32";
    const mst_program *program;
    char title[100];
    if (!r->texts[which].text)
        MST_TRY(mst_map_reduce_write(plan, which, &r->texts[which], error));
    if (r->kernels[which])
        return MST_OK;
    snprintf(title, sizeof title, "map: %s, vectors of %u", titles[which], which == MST_MAP_TILES ? plan->width : 1);
    MST_TRY(cached ? mst_program_find_text(plan->context, title, &r->texts[which], options, &program, error)
                   : mst_program_of_text(plan->context, title, &r->texts[which], options, &program, error));
    if (program)
        MST_TRY(mst_kernel_create(program, names[which], &r->kernels[which], error));
fail:
    return status;
}

mst_status mst_map_reducer_build(mst_map *plan, mst_map_reducer which, const mst_kernel **out, mst_error *error) {
    mst_status status = make_reducer(plan, which, false, error);
    *out = plan->reduce->kernels[which];
    return status;
}

uint64_t mst_map_box_outputs(const mst_map *plan, const mst_map_box *box) {
    uint64_t n = 1;
    for (int axis = 0; axis < plan->shape.rank; axis++)
        n *= plan->reduce->reduced[axis] ? 1 : box->shape[axis];
    return n;
}

// Partial results that a combination makes.
uint64_t mst_map_combined(const mst_map_span *span) {
    return (uint64_t)span->outer * mst_larger(mst_divide_up(span->length, (size_t)MST_MAP_COLUMN_TILE), (size_t)1) * span->inner;
}

mst_status mst_map_make_partials(mst_map *plan, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_reduce *r = plan->reduce;
    mst_map_partial_bytes(plan, r->partial_bytes);
    for (int k = 0; k < 2; k++)
        MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_WRITE, r->partial_bytes[k], "partial results", &r->partials[k],
                                    error));
fail:
    return status;
}

mst_status mst_map_reducer_find(mst_map *plan, mst_map_reducer which, mst_error *error) {
    return make_reducer(plan, which, true, error);
}

// A refusal, where what stays on the device does not fit, names what suffices for blocks of arrays that lie elsewhere, too.
static mst_status choose_box(mst_map *plan, mst_error *error) {
    mst_context *context = plan->context;
    uint64_t partials[2];
    mst_map_choose_box(plan);
    mst_map_partial_bytes(plan, partials);
    return partials[0] + partials[1] + mst_map_reduce_bytes(plan) <= mst_budget_left(context, &context->device_memory)
               ? MST_OK
               : mst_budget_require(context, &context->device_memory, mst_map_reduce_needs(plan), "a reduction", error);
}

mst_status mst_map_reduce_prepare(mst_map *plan, mst_error *error) {
    mst_status status = MST_OK;
    if (mst_layout_count(&plan->outputs[0]) == 0)
        memcpy(plan->reduce->box, plan->shape.shape, sizeof plan->reduce->box);
    else
        MST_TRY(choose_box(plan, error));
    MST_TRY(mst_map_make_partials(plan, error));
fail:
    return status;
}

void mst_map_reduce_release_lines(mst_map *plan) {
    for (int p = 0; p <= MST_MAP_MAX_PORTS; p++) {
        mst_lines_release(plan->context, plan->reduce->lines[p]);
        plan->reduce->lines[p] = NULL;
    }
}

void mst_map_reduce_destroy(mst_map *plan) {
    mst_map_reduce *r = plan->reduce;
    if (!r)
        return;
    mst_map_reduce_release_lines(plan);
    for (int k = 0; k < 2; k++)
        mst_device_release(plan->context, r->partials[k], r->partial_bytes[k]);
    for (int k = 0; k < MST_MAP_N_REDUCERS; k++) {
        mst_kernel_destroy(r->kernels[k]);
        mst_text_release(&r->texts[k]);
    }
    mst_expr_destroy(r->finish);
    free(r->done);
    free(r);
}
