#include "pinned.h"

#include "layout.h"

#include <stdlib.h>

#define ALIGNMENT 4096 // where there is nothing to pin

struct mst_pinned {
    struct mst_pinned *next;
    cl_mem buffer; // NULL: from the C library
    unsigned char *memory;
    uint64_t bytes;
};

mst_status mst_pinned_map(mst_context *context, uint64_t bytes, const char *what, cl_mem *buffer, void **mapped,
                          mst_error *error) {
    cl_int code;
    *mapped = NULL;
    *buffer = clCreateBuffer(context->opencl, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, (size_t)bytes, NULL, &code);
    if (code != CL_SUCCESS) {
        *buffer = NULL;
        return mst_fail_opencl(error, code, "cannot pin %llu bytes of host memory for %s", (unsigned long long)bytes, what);
    }
    *mapped =
        clEnqueueMapBuffer(context->upload, *buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, (size_t)bytes, 0, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        return MST_OK;
    *mapped = NULL;
    return mst_fail_opencl(error, code, "cannot map the staging memory of %s", what);
}

void mst_pinned_unmap(mst_context *context, cl_mem buffer, void *mapped) {
    if (mapped) {
        clEnqueueUnmapMemObject(context->upload, buffer, mapped, 0, NULL, NULL);
        clFinish(context->upload);
    }
    if (buffer)
        clReleaseMemObject(buffer);
}

static void release(mst_context *context, struct mst_pinned *p) {
    if (p->buffer)
        mst_pinned_unmap(context, p->buffer, p->memory);
    else
        free(p->memory);
    free(p);
}

mst_status mst_pinned_create(mst_context *context, uint64_t bytes, void **out, mst_error *error) {
    mst_status status = MST_OK;
    struct mst_pinned *p = NULL;
    MST_REQUIRE(context && out, MST_ERROR_ARGUMENT, "context and out must not be NULL");
    *out = NULL;
    MST_REQUIRE(bytes > 0 && bytes <= context->device.max_allocation_bytes, MST_ERROR_ARGUMENT,
                "cannot pin %llu bytes in one piece; %s allows 1 to %llu", (unsigned long long)bytes, context->device.name,
                (unsigned long long)context->device.max_allocation_bytes);
    MST_REQUIRE(p = calloc(1, sizeof *p), MST_ERROR_HOST_MEMORY, "out of memory pinning an array");
    p->bytes = bytes;
    if (context->device.unified_memory) {
        MST_REQUIRE(bytes <= SIZE_MAX - ALIGNMENT && posix_memalign((void **)&p->memory, ALIGNMENT, (size_t)bytes) == 0,
                    MST_ERROR_HOST_MEMORY, "no %llu bytes of memory are left for an array", (unsigned long long)bytes);
    } else {
        void *mapped;
        status = mst_pinned_map(context, bytes, "an array", &p->buffer, &mapped, error);
        p->memory = mapped;
        MST_TRY(status);
    }
    pthread_mutex_lock(&context->mutex);
    p->next = context->pinned;
    context->pinned = p;
    pthread_mutex_unlock(&context->mutex);
    *out = p->memory;
    return MST_OK;
fail:
    if (p)
        release(context, p);
    return status;
}

void mst_pinned_destroy(mst_context *context, void *memory) {
    struct mst_pinned *found = NULL;
    if (!context || !memory)
        return;
    pthread_mutex_lock(&context->mutex);
    for (struct mst_pinned **p = &context->pinned; *p; p = &(*p)->next)
        if ((*p)->memory == memory) {
            found = *p;
            *p = found->next;
            break;
        }
    pthread_mutex_unlock(&context->mutex);
    if (found)
        release(context, found);
}

static bool is_among(mst_context *context, const void *memory, uint64_t bytes) {
    uintptr_t begin = (uintptr_t)memory;
    bool holds = false;
    pthread_mutex_lock(&context->mutex);
    for (const struct mst_pinned *p = context->pinned; p && !holds; p = p->next) {
        uintptr_t first = (uintptr_t)p->memory;
        holds = p->buffer && begin >= first && begin - first <= p->bytes && bytes <= p->bytes - (begin - first);
    }
    pthread_mutex_unlock(&context->mutex);
    return holds;
}

// What the lead of a group pinned is pinned for its peers, too: an H100 copies at 54.5 GB/s from and to memory that another one's
// context pinned, as from its own (NVIDIA 580).
bool mst_pinned_holds(mst_context *context, const void *memory, uint64_t bytes) {
    if (context->device.unified_memory)
        return false;
    return is_among(context, memory, bytes) || (context->lead != context && is_among(context->lead, memory, bytes));
}

bool mst_pinned_holds_array(mst_context *context, const mst_layout *layout, mst_location where) {
    return where.place == MST_PLACE_HOST && mst_layout_is_dense(layout) &&
           mst_pinned_holds(context, where.host, mst_layout_count(layout) * mst_type_bytes(layout->type));
}
