#include "view.h"

#include "fail.h"

enum { ALIGNMENT = 64 }; // what devices ask of memory that is not their own

// Bytes up to the last element; 0: there is none, or it does not begin with the first.
static size_t extent(const mst_layout *l) {
    size_t last = 0;
    for (int k = 0; k < l->rank; k++) {
        if (l->shape[k] == 0 || l->strides[k] < 0)
            return 0;
        last += (l->shape[k] - 1) * (size_t)l->strides[k];
    }
    return (last + 1) * mst_type_bytes(l->type);
}

mst_mpi_view mst_mpi_view_make(mst_context *context, mst_fft *fft, const mst_layout *input, const mst_layout *output) {
    mst_mpi_view v = {context, fft, {extent(input), extent(output)}};
    const mst_device_info *device = mst_context_device(context);
    mst_fft_needs needs = MST_FFT_NEEDS_INIT;
    bool whole = mst_context_n_devices(context) == 1 && mst_fft_plan_needs(fft, &needs, NULL) == MST_OK && needs.panels == 0;
    if (!whole || !device->unified_memory || v.bytes[0] == 0 || v.bytes[1] == 0 || v.bytes[0] > device->max_allocation_bytes ||
        v.bytes[1] > device->max_allocation_bytes)
        v.bytes[0] = v.bytes[1] = 0;
    return v;
}

// NULL: the device does not take it.
static cl_mem create(const mst_mpi_view *v, int side, mst_location at) {
    cl_int code;
    if (at.place != MST_PLACE_HOST || (uintptr_t)at.host % ALIGNMENT || v->bytes[side] == 0)
        return NULL;
    cl_mem buffer =
        clCreateBuffer(mst_context_opencl(v->context), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, v->bytes[side], at.host, &code);
    return code == CL_SUCCESS ? buffer : NULL;
}

// What the device wrote is in the host's memory once it has been mapped.
static mst_status take_back(const mst_mpi_view *v, cl_mem buffer, mst_error *error) {
    mst_status status = MST_OK;
    cl_command_queue queue = mst_context_queue(v->context);
    cl_int code;
    void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, v->bytes[1], 0, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        code = clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clFinish(queue);
    REQUIRE(code == CL_SUCCESS, MST_ERROR_OPENCL, "the result of a local transform cannot be mapped: OpenCL error %d", code);
fail:
    return status;
}

mst_status mst_mpi_view_execute(const mst_mpi_view *v, mst_location input, mst_location output, mst_error *error) {
    cl_mem from = create(v, 0, input), to = from ? create(v, 1, output) : NULL;
    mst_status status = MST_ERROR_BUDGET;
    if (to)
        status = mst_fft_execute(v->fft, mst_at_device(from, 0), mst_at_device(to, 0), NULL, error);
    if (to && status == MST_OK)
        status = take_back(v, to, error);
    if (to)
        clReleaseMemObject(to);
    if (from)
        clReleaseMemObject(from);
    if (status == MST_ERROR_BUDGET || status == MST_ERROR_DEVICE_MEMORY) // blocks take less
        status = mst_fft_execute(v->fft, input, output, NULL, error);
    return status;
}
