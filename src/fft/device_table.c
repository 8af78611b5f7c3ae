#include "device_table.h"

#include "runtime/queue.h"

#include <stdlib.h>
#include <string.h>

mst_status mst_table_upload(mst_context *context, mst_device_table *t, void *values, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(values, MST_ERROR_HOST_MEMORY, "out of memory for a table of %llu bytes", (unsigned long long)t->bytes);
    MST_TRY(mst_device_allocate(context, CL_MEM_READ_ONLY, t->bytes, "a table of twiddles", &t->buffer, error));
    MST_TRY(mst_device_write(context, context->upload, t->buffer, (size_t)t->bytes, values, "a table of twiddles", error));
fail:
    free(values);
    return status;
}

void *mst_table_copy(const void *values, size_t bytes) {
    void *copy = malloc(bytes);
    return copy ? memcpy(copy, values, bytes) : NULL;
}

void mst_table_release(mst_context *context, mst_device_table *t) {
    mst_device_release(context, t->buffer, t->bytes);
    t->buffer = NULL;
}
