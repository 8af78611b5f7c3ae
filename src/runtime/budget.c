// Device memory under the budget.
#include "context.h"
#include "large_pages.h"

// The host's memory is one budget for all devices of a group: the lead's.
static mst_budget *find(mst_context **context, const mst_budget *budget) {
    const bool is_host = budget == &(*context)->host_memory;
    if (is_host)
        *context = (*context)->lead;
    return is_host ? &(*context)->host_memory : &(*context)->device_memory;
}

uint64_t mst_budget_left(mst_context *context, const mst_budget *of) {
    const mst_budget *budget = find(&context, of);
    pthread_mutex_lock(&context->mutex);
    uint64_t left = budget->used < budget->limit ? budget->limit - budget->used : 0;
    pthread_mutex_unlock(&context->mutex);
    return left;
}

bool mst_budget_take(mst_context *context, mst_budget *of, uint64_t bytes) {
    mst_budget *budget = find(&context, of);
    pthread_mutex_lock(&context->mutex);
    bool fits = bytes <= budget->limit && budget->used <= budget->limit - bytes;
    if (fits)
        budget->used += bytes;
    pthread_mutex_unlock(&context->mutex);
    return fits;
}

void mst_budget_give(mst_context *context, mst_budget *of, uint64_t bytes) {
    mst_budget *budget = find(&context, of);
    pthread_mutex_lock(&context->mutex);
    budget->used -= bytes;
    pthread_mutex_unlock(&context->mutex);
}

mst_status mst_budget_require(mst_context *context, const mst_budget *budget, uint64_t bytes, const char *what,
                              mst_error *error) {
    const uint64_t left = mst_budget_left(context, budget);
    if (bytes <= left)
        return MST_OK;
    return mst_fail(error, MST_ERROR_BUDGET, "the %s memory budget of %llu bytes is too small for %s; it takes at least %llu",
                    budget == &context->device_memory ? "device" : "host", (unsigned long long)budget->limit, what,
                    (unsigned long long)(budget->limit - left + bytes));
}

mst_status mst_device_allocate(mst_context *context, cl_mem_flags flags, uint64_t bytes, const char *what, cl_mem *out,
                               mst_error *error) {
    cl_int code;
    *out = NULL;
    if (bytes > context->device.max_allocation_bytes)
        return mst_fail(error, MST_ERROR_DEVICE_MEMORY, "%s needs %llu bytes in one piece; %s allows %llu", what,
                        (unsigned long long)bytes, context->device.name,
                        (unsigned long long)context->device.max_allocation_bytes);
    if (!mst_budget_take(context, &context->device_memory, bytes))
        return mst_fail(error, MST_ERROR_BUDGET, "%s needs %llu bytes of device memory; %llu of the budget of %llu are left",
                        what, (unsigned long long)bytes, (unsigned long long)mst_budget_left(context, &context->device_memory),
                        (unsigned long long)context->device_memory.limit);
    code = CL_SUCCESS;
    *out = context->device.type & CL_DEVICE_TYPE_CPU ? mst_large_pages_create(context->opencl, flags, bytes) : NULL;
    if (!*out)
        *out = clCreateBuffer(context->opencl, flags, bytes ? (size_t)bytes : 1, NULL, &code);
    if (code != CL_SUCCESS) {
        *out = NULL;
        mst_budget_give(context, &context->device_memory, bytes);
        return mst_fail_opencl(error, code, "cannot take %llu bytes of device memory for %s", (unsigned long long)bytes, what);
    }
    return MST_OK;
}

void mst_device_release(mst_context *context, cl_mem buffer, uint64_t bytes) {
    if (!buffer)
        return;
    clReleaseMemObject(buffer);
    mst_budget_give(context, &context->device_memory, bytes);
}
