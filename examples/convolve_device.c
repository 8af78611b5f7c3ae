// Convolves data that are on the device already, between the caller's own OpenCL commands: the context is made from the caller's
// objects, the work starts after the caller's events, and an event tells when the result is there. Nothing waits in between.
#include <mastaba/mastaba.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIGNAL = 4096, DELAY = 100, KERNEL = 2 * DELAY + 1, FULL = SIGNAL + KERNEL - 1 };

// The caller's side: an OpenCL program that knows nothing of Mastaba.
typedef struct application {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem x, y, z;
} application;

static int start_application(application *app, cl_device_id device) {
    cl_int code = CL_SUCCESS;
    app->device = device;
    app->context = clCreateContext(NULL, 1, &app->device, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        app->queue = clCreateCommandQueue(app->context, app->device, 0, &code);
    if (code == CL_SUCCESS)
        app->x = clCreateBuffer(app->context, CL_MEM_READ_ONLY, SIGNAL * sizeof(float), NULL, &code);
    if (code == CL_SUCCESS)
        app->y = clCreateBuffer(app->context, CL_MEM_READ_ONLY, KERNEL * sizeof(float), NULL, &code);
    if (code == CL_SUCCESS)
        app->z = clCreateBuffer(app->context, CL_MEM_READ_WRITE, FULL * sizeof(float), NULL, &code);
    return code == CL_SUCCESS;
}

static void stop_application(application *app) {
    cl_mem buffers[] = {app->x, app->y, app->z};
    for (int i = 0; i < 3; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    if (app->queue)
        clReleaseCommandQueue(app->queue);
    if (app->context)
        clReleaseContext(app->context);
}

static mst_status make_plan(const application *app, mst_context **context, mst_convolution **plan, mst_error *error) {
    mst_context_desc context_desc = MST_CONTEXT_DESC_INIT;
    context_desc.opencl_context = app->context;
    context_desc.opencl_device = app->device;
    context_desc.opencl_queue = app->queue;

    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    desc.x = mst_layout_dense(MST_FLOAT32, 1, (const size_t[]){SIGNAL});
    desc.y = mst_layout_dense(MST_FLOAT32, 1, (const size_t[]){KERNEL});
    mst_status status = mst_context_create(&context_desc, context, error);
    if (status == MST_OK)
        status = mst_convolution_create(*context, &desc, plan, error);
    return status;
}

// Waits for an event, if there is one, and releases it. Its status tells of a command that failed on the device, of which neither
// the call that queued it nor clFinish knows.
static cl_int finish(cl_event event) {
    cl_int ended = CL_COMPLETE;
    if (!event)
        return CL_SUCCESS;
    clWaitForEvents(1, &event);
    cl_int code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof ended, &ended, NULL);
    clReleaseEvent(event);
    return code != CL_SUCCESS ? code : ended < 0 ? ended : CL_SUCCESS;
}

// Upload, convolve, download: three commands in a chain of events, and one wait at the end.
static int run(const application *app, mst_convolution *plan, const float *x, const float *y, float *z, mst_error *error) {
    cl_event ready[2] = {NULL, NULL}, convolved = NULL, read = NULL;
    cl_int code = clEnqueueWriteBuffer(app->queue, app->x, CL_FALSE, 0, SIGNAL * sizeof *x, x, 0, NULL, &ready[0]);
    if (code == CL_SUCCESS)
        code = clEnqueueWriteBuffer(app->queue, app->y, CL_FALSE, 0, KERNEL * sizeof *y, y, 0, NULL, &ready[1]);

    mst_status status = MST_OK;
    if (code == CL_SUCCESS) {
        mst_execution how = MST_EXECUTION_INIT;
        how.n_wait = 2;
        how.wait_list = ready;
        how.event = &convolved;
        status = mst_convolution_execute(plan, mst_at_device(app->x, 0), mst_at_device(app->y, 0), mst_at_device(app->z, 0), &how,
                                         error);
    }
    if (code == CL_SUCCESS && status == MST_OK)
        code = clEnqueueReadBuffer(app->queue, app->z, CL_FALSE, 0, FULL * sizeof *z, z, 1, &convolved, &read);

    cl_event events[] = {ready[0], ready[1], convolved, read};
    for (int i = 0; i < 4; i++) { // also after a failure: x, y and z must outlive the commands
        cl_int ended = finish(events[i]);
        code = code != CL_SUCCESS ? code : ended;
    }
    if (status != MST_OK)
        fprintf(stderr, "%s\n", error->message);
    else if (code != CL_SUCCESS)
        fprintf(stderr, "OpenCL error %d\n", code);
    return status == MST_OK && code == CL_SUCCESS;
}

// The kernel holds two echoes, so the result is the signal, plus half of it DELAY later, plus a quarter 2 DELAY later.
static int check(const float *x, const float *z) {
    double largest = 0;
    for (int k = 0; k < FULL; k++) {
        double expected = 0;
        for (int echo = 0; echo <= 2; echo++) {
            int i = k - echo * DELAY;
            if (i >= 0 && i < SIGNAL)
                expected += x[i] / (double)(1 << echo);
        }
        largest = fmax(largest, fabs(z[k] - expected));
    }
    printf("two echoes on a signal of %d samples: largest error %.1e\n", SIGNAL, largest);
    if (largest >= 1e-5)
        fprintf(stderr, "the result is wrong\n");
    return largest < 1e-5;
}

int main(void) {
    static float x[SIGNAL], y[KERNEL], z[FULL];
    for (int i = 0; i < SIGNAL; i++)
        x[i] = sinf(0.001f * (float)i * (float)i / 4);
    for (int echo = 0; echo <= 2; echo++)
        y[echo * DELAY] = 1.0f / (float)(1 << echo);

    mst_error error;
    mst_device_info **devices = NULL;
    size_t n_devices = 0;
    if (mst_devices_list(&devices, &n_devices, &error) != MST_OK) {
        fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }
    size_t chosen = 0;
    while (chosen + 1 < n_devices && !devices[chosen]->is_default)
        chosen++;

    application app = {0};
    mst_context *context = NULL;
    mst_convolution *plan = NULL;
    int passed = start_application(&app, devices[chosen]->device);
    if (!passed)
        fprintf(stderr, "cannot set up OpenCL on %s\n", devices[chosen]->name);
    if (passed && make_plan(&app, &context, &plan, &error) != MST_OK) {
        fprintf(stderr, "%s\n", error.message);
        passed = 0;
    }
    passed = passed && run(&app, plan, x, y, z, &error) && check(x, z);

    mst_convolution_destroy(plan);
    mst_context_destroy(context);
    stop_application(&app);
    mst_devices_free(devices);
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
