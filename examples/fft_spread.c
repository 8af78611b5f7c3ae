// One volume on several devices: its spectrum is multiplied on each of them by phases that move the volume, by kernels of the
// program's own, and stays in transposed order meanwhile, so that each way takes one exchange. Give a list of devices, "0,1" say.
#include <complex.h>
#include <mastaba/mastaba.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLANES = 24, ROWS = 40, COLUMNS = 36, NODES = PLANES * ROWS * COLUMNS, SHIFT = 5 };

// Of a part of the spectrum that begins at index `start` of axis 1: rows moved by SHIFT.
static const char source[] =
    "__kernel void turn(__global float2 *z, uint rows, uint columns, uint start, uint length, uint shift) {\n"
    "    const uint i = get_global_id(0), row = start + i / columns % rows;\n"
    "    const float angle = -6.2831853f * (row * shift % length) / length;\n"
    "    const float c = cos(angle), s = sin(angle);\n"
    "    z[i] = (float2)(z[i].x * c - z[i].y * s, z[i].x * s + z[i].y * c);\n"
    "}\n";

// On the device that has the part, in its own OpenCL context.
static cl_int turn_part(const mst_spread_part *part) {
    const cl_uint rows = (cl_uint)part->layout.shape[1], columns = COLUMNS, start = (cl_uint)part->start, length = ROWS,
                  shift = SHIFT;
    const size_t n = part->layout.shape[0] * part->layout.shape[1] * part->layout.shape[2];
    const char *text = source;
    cl_context context;
    cl_device_id device;
    cl_command_queue queue = NULL;
    cl_program program = NULL;
    cl_kernel kernel = NULL;
    cl_int code = clGetMemObjectInfo(part->buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (n == 0)
        return CL_SUCCESS;
    if (code == CL_SUCCESS)
        code = clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL);
    if (code == CL_SUCCESS)
        queue = clCreateCommandQueue(context, device, 0, &code);
    if (code == CL_SUCCESS)
        program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    if (code == CL_SUCCESS)
        code = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (code == CL_SUCCESS)
        kernel = clCreateKernel(program, "turn", &code);
    const struct {
        size_t bytes;
        const void *value;
    } arguments[] = {{sizeof part->buffer, &part->buffer},
                     {sizeof rows, &rows},
                     {sizeof columns, &columns},
                     {sizeof start, &start},
                     {sizeof length, &length},
                     {sizeof shift, &shift}};
    for (cl_uint k = 0; k < 6 && code == CL_SUCCESS; k++)
        code = clSetKernelArg(kernel, k, arguments[k].bytes, arguments[k].value);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clFinish(queue); // before the array is transformed again
    if (kernel)
        clReleaseKernel(kernel);
    if (program)
        clReleaseProgram(program);
    if (queue)
        clReleaseCommandQueue(queue);
    return code;
}

static mst_status turn(mst_context *context, const mst_spread *array, mst_error *error) {
    mst_status status = MST_OK;
    for (size_t k = 0; k < mst_context_n_devices(context) && status == MST_OK; k++) {
        mst_spread_part part = MST_SPREAD_PART_INIT;
        status = mst_spread_describe_part(array, k, &part, error);
        if (status == MST_OK && turn_part(&part) != CL_SUCCESS) {
            snprintf(error->message, sizeof error->message, "the kernel of device %zu failed", k);
            status = MST_ERROR_OPENCL;
        }
    }
    return status;
}

static mst_status transform(mst_context *context, mst_spread *array, mst_fft_direction direction, double scale,
                            mst_error *error) {
    mst_spread_fft_desc desc = MST_SPREAD_FFT_DESC_INIT;
    const size_t shape[] = {PLANES, ROWS, COLUMNS};
    desc.type = MST_COMPLEX64;
    desc.rank = 3;
    for (int k = 0; k < desc.rank; k++)
        desc.shape[k] = shape[k];
    desc.direction = direction;
    desc.scale = scale;
    desc.input = direction == MST_FFT_FORWARD ? MST_SPREAD_NATURAL : MST_SPREAD_TRANSPOSED;
    desc.output = direction == MST_FFT_FORWARD ? MST_SPREAD_TRANSPOSED : MST_SPREAD_NATURAL;

    mst_spread_fft *plan = NULL;
    mst_status status = mst_spread_fft_create(context, &desc, &plan, error);
    if (status == MST_OK)
        status = mst_spread_fft_execute(plan, array, NULL, error);
    mst_spread_fft_destroy(plan);
    return status;
}

int main(int argc, char **argv) {
    static float complex before[NODES], after[NODES];
    mst_context_desc context_desc = MST_CONTEXT_DESC_INIT;
    mst_spread_desc desc = MST_SPREAD_DESC_INIT;
    mst_context *context = NULL;
    mst_spread *array = NULL;
    mst_error error;
    context_desc.device = argc > 1 ? argv[1] : NULL;
    desc.type = MST_COMPLEX64;
    desc.rank = 3;
    desc.shape[0] = PLANES;
    desc.shape[1] = ROWS;
    desc.shape[2] = COLUMNS;
    for (int i = 0; i < NODES; i++)
        before[i] = (float)(i % 101) - (float)(i % 37) * I;

    mst_status status = mst_context_create(&context_desc, &context, &error);
    if (status == MST_OK)
        status = mst_spread_create(context, &desc, &array, &error);
    if (status == MST_OK)
        status = mst_spread_upload(array, before, &error);
    if (status == MST_OK)
        status = transform(context, array, MST_FFT_FORWARD, 1, &error);
    if (status == MST_OK)
        status = turn(context, array, &error);
    if (status == MST_OK)
        status = transform(context, array, MST_FFT_INVERSE, 1.0 / NODES, &error);
    if (status == MST_OK)
        status = mst_spread_download(array, after, &error);
    const size_t n_devices = status == MST_OK ? mst_context_n_devices(context) : 0;
    mst_spread_destroy(array);
    mst_context_destroy(context);
    if (status != MST_OK) {
        fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }

    double worst = 0;
    for (int i = 0; i < NODES; i++) {
        const int plane = i / (ROWS * COLUMNS), row = i / COLUMNS % ROWS, column = i % COLUMNS;
        const int to = (plane * ROWS + (row + SHIFT) % ROWS) * COLUMNS + column;
        worst = fmax(worst, cabs((double complex)after[to] - (double complex)before[i]));
    }
    printf("moved by %d of %d rows on %zu device(s): error %.1e\n", SHIFT, ROWS, n_devices, worst / 100);
    return worst / 100 < 1e-5 ? EXIT_SUCCESS : EXIT_FAILURE;
}
