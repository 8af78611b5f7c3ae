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

// With `whole` false, arrays go in blocks.
static mst_mpi_view make(mst_mpi_view v, bool whole, const mst_layout *const *layouts) {
    const mst_device_info *device = mst_context_device(v.context);
    whole = whole && mst_context_n_devices(v.context) == 1 && device->unified_memory;
    for (int i = 0; i < v.n; i++) {
        v.bytes[i] = extent(layouts[i]);
        whole = whole && v.bytes[i] > 0 && v.bytes[i] <= device->max_allocation_bytes;
    }
    for (int i = 0; i < v.n; i++)
        v.bytes[i] = whole ? v.bytes[i] : 0;
    return v;
}

mst_mpi_view mst_mpi_view_make(mst_context *context, mst_fft *fft, const mst_layout *input, const mst_layout *output) {
    const mst_layout *const layouts[] = {input, output};
    mst_fft_needs needs = MST_FFT_NEEDS_INIT;
    const bool whole = mst_fft_plan_needs(fft, &needs, NULL) == MST_OK && needs.panels == 0;
    return make((mst_mpi_view){.context = context, .fft = fft, .n = 2}, whole, layouts);
}

mst_mpi_view mst_mpi_view_convolution(mst_context *context, mst_convolution *convolution, const mst_convolution_desc *desc) {
    const mst_layout *const layouts[] = {&desc->x, &desc->y, &desc->z};
    mst_convolution_forecast f = MST_CONVOLUTION_FORECAST_INIT;
    const bool whole = mst_convolution_predict(convolution, &f, NULL) == MST_OK && f.panels == 0;
    return make((mst_mpi_view){.context = context, .convolution = convolution, .n = 3}, whole, layouts);
}

// OpenCL leaves undefined what buffers of memory that they share hold. Such arrays are the plan's as they are on the host.
static bool share_memory(const mst_mpi_view *v, const mst_location *at) {
    for (int i = 0; i < v->n; i++)
        for (int k = 0; k < i; k++) {
            const uintptr_t a = (uintptr_t)at[i].host, b = (uintptr_t)at[k].host;
            if (at[i].place == MST_PLACE_HOST && at[k].place == MST_PLACE_HOST && a < b + v->bytes[k] && b < a + v->bytes[i])
                return true;
        }
    return false;
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
    void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, v->bytes[v->n - 1], 0, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        code = clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clFinish(queue);
    REQUIRE(code == CL_SUCCESS, MST_ERROR_OPENCL, "a local result cannot be mapped: OpenCL error %d", code);
fail:
    return status;
}

static mst_status run(const mst_mpi_view *v, const mst_location *at, mst_error *error) {
    return v->fft ? mst_fft_execute(v->fft, at[0], at[1], NULL, error)
                  : mst_convolution_execute(v->convolution, at[0], at[1], at[2], NULL, error);
}

mst_status mst_mpi_view_execute(const mst_mpi_view *v, const mst_location *at, mst_error *error) {
    mst_location on_device[MST_MPI_MOST_VIEWED];
    cl_mem buffers[MST_MPI_MOST_VIEWED] = {NULL};
    mst_status status = MST_ERROR_BUDGET;
    int n = 0;
    for (bool taken = !share_memory(v, at); taken && n < v->n; n += taken) {
        buffers[n] = create(v, n, at[n]);
        on_device[n] = mst_at_device(buffers[n], 0);
        taken = buffers[n] != NULL;
    }
    if (n == v->n)
        status = run(v, on_device, error);
    if (n == v->n && status == MST_OK)
        status = take_back(v, buffers[n - 1], error);
    while (n > 0)
        clReleaseMemObject(buffers[--n]);
    if (status == MST_ERROR_BUDGET || status == MST_ERROR_DEVICE_MEMORY) // blocks take less
        status = run(v, at, error);
    return status;
}
