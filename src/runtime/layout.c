#include "layout.h"

#include <stdio.h>
#include <stdlib.h>

static bool multiply_signed(int64_t a, int64_t b, int64_t *result) { return !__builtin_mul_overflow(a, b, result); }

// No two elements share an address if, with axes sorted by stride, each stride steps over all that the smaller ones span.
static bool is_injective(const mst_layout *layout) {
    int order[MST_MAX_RANK], n = 0;
    for (int k = 0; k < layout->rank; k++) {
        if (layout->shape[k] == 1)
            continue;
        int at = n++;
        for (; at > 0 && llabs(layout->strides[order[at - 1]]) > llabs(layout->strides[k]); at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
    int64_t span = 1;
    for (int i = 0; i < n; i++) {
        int64_t stride = llabs(layout->strides[order[i]]);
        if (stride < span)
            return false;
        span += stride * (int64_t)(layout->shape[order[i]] - 1);
    }
    return true;
}

mst_status mst_layout_check(const mst_layout *layout, const char *name, bool written, mst_error *error) {
    size_t bytes = mst_type_bytes(layout->type), count = 1;
    bool empty = false;
    if (bytes == 0)
        return mst_fail(error, MST_ERROR_ARGUMENT, "%s has no valid element type (%d)", name, (int)layout->type);
    if (layout->rank < 1 || layout->rank > MST_MAX_RANK)
        return mst_fail(error, MST_ERROR_ARGUMENT, "%s has rank %d; 1 to %d are supported", name, layout->rank, MST_MAX_RANK);
    for (int k = 0; k < layout->rank; k++)
        empty = empty || layout->shape[k] == 0;
    int64_t low = 0, high = 1;
    for (int k = 0; k < layout->rank && !empty; k++) {
        int64_t reach;
        if (layout->strides[k] == INT64_MIN || !mst_multiply(count, layout->shape[k], &count) || count > INT64_MAX / bytes ||
            !multiply_signed(layout->strides[k], (int64_t)layout->shape[k] - 1, &reach) ||
            __builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high) || low < INT64_MIN / (int64_t)bytes ||
            high > INT64_MAX / (int64_t)bytes)
            return mst_fail(error, MST_ERROR_ARGUMENT, "%s is too large: its size in bytes does not fit 63 bits", name);
    }
    if (written && !empty && !is_injective(layout))
        return mst_fail(error, MST_ERROR_ARGUMENT, "%s is written but its strides may give two elements the same address", name);
    return MST_OK;
}

size_t mst_layout_count(const mst_layout *layout) {
    size_t count = 1;
    for (int k = 0; k < layout->rank; k++)
        if (layout->shape[k] == 0)
            return 0;
    for (int k = 0; k < layout->rank; k++)
        count *= layout->shape[k];
    return count;
}

bool mst_layout_is_dense(const mst_layout *layout) {
    int64_t stride = 1;
    for (int k = layout->rank - 1; k >= 0; k--) {
        if (layout->shape[k] != 1 && layout->strides[k] != stride)
            return false;
        stride *= (int64_t)layout->shape[k];
    }
    return true;
}

void mst_layout_print_shape(const mst_layout *layout, char *out, size_t size) {
    size_t used = 0;
    for (int k = 0; k < layout->rank && used < size; k++)
        used += (size_t)snprintf(out + used, size - used, "%s%zu", k ? "," : "", layout->shape[k]);
}

bool mst_layout_same_shape(const mst_layout *a, const mst_layout *b) {
    for (int k = 0; k < a->rank; k++)
        if (a->rank != b->rank || a->shape[k] != b->shape[k])
            return false;
    return a->rank == b->rank;
}

bool mst_layout_equal(const mst_layout *a, const mst_layout *b) {
    if (a->type != b->type || !mst_layout_same_shape(a, b))
        return false;
    for (int k = 0; k < a->rank; k++)
        if (a->shape[k] > 1 && a->strides[k] != b->strides[k])
            return false;
    return true;
}

void mst_layout_extent(const mst_layout *layout, int64_t *low, int64_t *high) {
    *low = *high = 0;
    if (mst_layout_count(layout) == 0)
        return;
    for (int k = 0; k < layout->rank; k++) {
        int64_t reach = (int64_t)(layout->shape[k] - 1) * layout->strides[k];
        *(reach < 0 ? low : high) += reach;
    }
    *high += 1;
}

mst_layout mst_layout_axis_last(const mst_layout *layout, int axis) {
    mst_layout moved = *layout;
    for (int k = axis; k + 1 < layout->rank; k++) {
        moved.shape[k] = layout->shape[k + 1];
        moved.strides[k] = layout->strides[k + 1];
    }
    moved.shape[layout->rank - 1] = layout->shape[axis];
    moved.strides[layout->rank - 1] = layout->strides[axis];
    return moved;
}

int mst_layout_axis(const mst_layout *layout, int axis) {
    if (axis < -layout->rank || axis >= layout->rank)
        return -1;
    return axis < 0 ? axis + layout->rank : axis;
}
