// Tables on the device.
#ifndef MST_FFT_DEVICE_TABLE_H
#define MST_FFT_DEVICE_TABLE_H

#include "runtime/context.h"

typedef struct mst_device_table {
    cl_mem buffer;
    uint64_t bytes;
} mst_device_table;

// Makes a table of t->bytes bytes, and frees `values`. NULL: MST_ERROR_HOST_MEMORY.
mst_status mst_table_upload(mst_context *context, mst_device_table *t, void *values, mst_error *error);
void *mst_table_copy(const void *values, size_t bytes); // for mst_table_upload; NULL: out of memory
void mst_table_release(mst_context *context, mst_device_table *t);

#endif
