#include "resident.h"

#include "boxes.h"
#include "nonfinite.h"
#include "runtime/context.h"
#include "runtime/numbers.h"
#include "stencil/scheme/layers.h"

#include <stdlib.h>

enum { COUNTED = 1 << 16 }; // values that are fetched to be counted, at a time

int mst_moved_spares(const mst_sweeps *s) {
    int n = 0;
    while (n < s->n_spares && s->spare_kinds[n] < MST_SWEEPS_LAYERS)
        n++;
    return n;
}

// Nothing is put to what lies between layers.
static mst_status take_cleared(mst_context *context, mst_queue *queue, const char *what, uint64_t bytes, cl_mem *buffer,
                               mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_device_allocate(context, CL_MEM_READ_WRITE, (size_t)bytes, what, buffer, error));
    MST_TRY(mst_queue_fill(queue, *buffer, 0, (size_t)bytes, "a memory variable", error));
fail:
    return status;
}

mst_status mst_resident_take(mst_context *context, const mst_sweeps *s, mst_queue *queue, const char *what,
                             mst_sweep_state *state, mst_error *error) {
    mst_status status = MST_OK;
    for (int a = mst_moved_arrays(s->problem); a < s->problem->n_arrays; a++)
        MST_TRY(take_cleared(context, queue, what, mst_sweeps_bytes(s, a), &state->arrays[a], error));
    for (int i = mst_moved_spares(s); i < s->n_spares; i++)
        MST_TRY(take_cleared(context, queue, what, mst_sweeps_spare_bytes(s, i), &state->spares[i], error));
fail:
    return status;
}

static void give(mst_context *context, uint64_t bytes, cl_mem *buffer) {
    if (*buffer)
        mst_device_release(context, *buffer, (size_t)bytes);
    *buffer = NULL;
}

void mst_resident_give(mst_context *context, const mst_sweeps *s, mst_sweep_state *state) {
    for (int a = mst_moved_arrays(s->problem); a < s->problem->n_arrays; a++)
        give(context, mst_sweeps_bytes(s, a), &state->arrays[a]);
    for (int i = mst_moved_spares(s); i < s->n_spares; i++)
        give(context, mst_sweeps_spare_bytes(s, i), &state->spares[i]);
}

void mst_resident_keep(const mst_sweeps *s, mst_sweep_state *state, const mst_sweep_state *last) {
    for (int a = mst_moved_arrays(s->problem); a < s->problem->n_arrays; a++)
        state->arrays[a] = last->arrays[a];
    for (int i = mst_moved_spares(s); i < s->n_spares; i++)
        state->spares[i] = last->spares[i];
}

mst_status mst_resident_copy(const mst_sweeps *s, mst_queue *queue, const mst_sweep_state *state, int array, uint64_t first,
                             uint64_t count, bool up, void *host, mst_error *error) {
    const mst_boxes boxes = mst_boxes_of(s, array);
    return mst_boxes_copy(&boxes, queue, state->arrays[array], first, count, up, host, error);
}

mst_status mst_resident_count_nonfinite(const mst_sweeps *s, mst_queue *queue, const mst_sweep_state *state, int array,
                                        uint64_t *count, mst_error *error) {
    mst_status status = MST_OK;
    const size_t element = s->problem->elements[array];
    const uint64_t nodes = mst_layers_array_nodes(s->problem, array);
    void *values;
    *count = 0;
    MST_REQUIRE(values = malloc(COUNTED * element), MST_ERROR_HOST_MEMORY, "out of memory counting values");
    for (uint64_t first = 0; first < nodes; first += COUNTED) {
        const uint64_t n = mst_smaller(nodes - first, (uint64_t)COUNTED);
        MST_TRY(mst_resident_copy(s, queue, state, array, first, n, false, values, error));
        *count += mst_nonfinite_count(values, n, element);
    }
fail:
    free(values);
    return status;
}
