#include "lines.h"

#include "queue.h"

// { axis stride, number of dimensions, their counts, their strides }, as prelude.cl reads it.
#define TABLE_LONGS (MST_LINES_BYTES / sizeof(int64_t))

static void fill_table(const mst_layout *layout, int axis, int64_t lines[TABLE_LONGS]) {
    int64_t counts[MST_MAX_RANK], strides[MST_MAX_RANK];
    int n = 0;
    for (int k = 0; k < layout->rank; k++) {
        if (k == axis || layout->shape[k] == 1)
            continue;
        int64_t count = (int64_t)layout->shape[k], stride = layout->strides[k];
        if (n > 0 && strides[n - 1] == count * stride) {
            counts[n - 1] *= count;
            strides[n - 1] = stride;
        } else {
            counts[n] = count;
            strides[n++] = stride;
        }
    }
    lines[0] = layout->strides[axis];
    lines[1] = n;
    for (int k = 0; k < n; k++) {
        lines[2 + k] = counts[k];
        lines[2 + MST_MAX_RANK + k] = strides[k];
    }
    for (int k = n; k < MST_MAX_RANK; k++)
        lines[2 + k] = lines[2 + MST_MAX_RANK + k] = 0;
}

mst_status mst_lines_create(mst_context *context, const mst_layout *layout, int axis, cl_mem *out, mst_error *error) {
    mst_status status = MST_OK;
    int64_t lines[TABLE_LONGS];
    fill_table(layout, axis, lines);
    MST_TRY(mst_device_allocate(context, CL_MEM_READ_ONLY, MST_LINES_BYTES, "a layout", out, error));
    MST_TRY(mst_device_write(context, context->upload, *out, MST_LINES_BYTES, lines, "a layout", error));
    return MST_OK;
fail:
    mst_lines_release(context, *out);
    *out = NULL;
    return status;
}

void mst_lines_release(mst_context *context, cl_mem lines) { mst_device_release(context, lines, MST_LINES_BYTES); }
