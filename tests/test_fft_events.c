// FFT: wait lists and events.
#include "support.h"

static mst_fft_desc describe(mst_type type, size_t rows, size_t n) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    size_t shape[] = {rows, n};
    desc.input = mst_layout_dense(type, 2, shape);
    return desc;
}

static cl_int status_of(cl_event event) {
    cl_int status = CL_QUEUED;
    assert_int_equal(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), CL_SUCCESS);
    return status;
}

static void check_event(cl_event done, size_t n) {
    assert_non_null(done);
    cl_command_type type; // a call enqueues its kernels and nothing behind them
    assert_int_equal(clGetEventInfo(done, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL), CL_SUCCESS);
    CHECK(type == CL_COMMAND_NDRANGE_KERNEL, "n = %zu: the event is that of a command of type 0x%x", n, (unsigned)type);
    CHECK(status_of(done) > CL_COMPLETE, "the event is complete before its wait list is");
}

// The data arrive only after a user event, long after the call returned: the plan must wait for its wait list. What is waited for
// is the event that it gave, or every other time the queue in which it left its commands.
static void device_work_waits_and_gives_an_event(void **state) {
    mst_error e;
    cl_int code;
    cl_command_queue mine = clCreateCommandQueue(mst_context_opencl(*state), mst_context_device(*state)->device, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    for (size_t n = 16; n <= 32768; n *= 8) {
        mst_fft *plan = NULL;
        mst_fft_desc desc = describe(MST_COMPLEX64, 4, n);
        test_array input = test_array_random(&desc.input), output = test_array_new(&desc.input);
        test_placed in = test_place(*state, MST_PLACE_DEVICE, &output), out = test_place(*state, MST_PLACE_DEVICE, &output);
        cl_event start = clCreateUserEvent(mst_context_opencl(*state), &code), written, done = NULL;
        assert_int_equal(clEnqueueWriteBuffer(mine, in.at.buffer, CL_FALSE, 0, input.bytes, input.image, 1, &start, &written), 0);
        assert_int_equal(clFlush(mine), CL_SUCCESS);
        mst_execution how = MST_EXECUTION_INIT;
        const bool queued = n == 128 || n == 8192; // every other time
        how.n_wait = 1, how.wait_list = &written, how.event = queued ? NULL : &done, how.queued = queued;
        OK(mst_fft_create(*state, &desc, &plan, &e));
        OK(mst_fft_execute(plan, in.at, out.at, &how, &e));
        if (!queued)
            check_event(done, n);
        assert_int_equal(clSetUserEventStatus(start, CL_COMPLETE), CL_SUCCESS);
        assert_int_equal(queued ? clFinish(mst_context_queue(*state)) : clWaitForEvents(1, &done), CL_SUCCESS);
        mst_fft_destroy(plan);
        test_collect(&in, &input);
        test_collect(&out, &output);
        test_wide *reference = test_fft_reference(&desc, &input);
        double error = test_fft_error(&desc, &output, reference);
        CHECK(error <= test_gate(&desc.input, n), "n = %zu after a wait list: error %.3g", n, error);
        clReleaseEvent(start), clReleaseEvent(written);
        if (done)
            clReleaseEvent(done);
        free(reference);
        test_array_free(&input);
        test_array_free(&output);
    }
    clReleaseCommandQueue(mine);
}

// A plan may be destroyed while its last asynchronous execution still waits.
static void destroying_a_plan_in_flight(void **state) {
    mst_error e;
    cl_int code;
    mst_fft *plan = NULL;
    mst_fft_desc desc = describe(MST_COMPLEX64, 4, 4096);
    test_array input = test_array_random(&desc.input), output = test_array_new(&desc.input);
    test_placed in = test_place(*state, MST_PLACE_DEVICE, &input), out = test_place(*state, MST_PLACE_DEVICE, &output);
    cl_event done = NULL, marker;
    mst_execution how = MST_EXECUTION_INIT;
    assert_int_equal(code = clEnqueueMarkerWithWaitList(mst_context_queue(*state), 0, NULL, &marker), CL_SUCCESS);
    how.n_wait = 1, how.wait_list = &marker, how.event = &done;
    OK(mst_fft_create(*state, &desc, &plan, &e));
    OK(mst_fft_execute(plan, in.at, out.at, &how, &e));
    mst_fft_destroy(plan);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done), clReleaseEvent(marker);
    test_collect(&in, &input);
    test_collect(&out, &output);
    test_wide *reference = test_fft_reference(&desc, &input);
    assert_true(test_fft_error(&desc, &output, reference) <= test_gate(&desc.input, 4096));
    free(reference);
    test_array_free(&input);
    test_array_free(&output);
}

static void blocking_gives_a_completed_event(void **state) {
    static const mst_place mixes[][2] = {{MST_PLACE_HOST, MST_PLACE_HOST},
                                         {MST_PLACE_DEVICE, MST_PLACE_HOST},
                                         {MST_PLACE_FILE, MST_PLACE_DEVICE},
                                         {MST_PLACE_DEVICE, MST_PLACE_DEVICE}};
    for (size_t rows = 0; rows <= 3; rows += 3)
        for (size_t m = 0; m < 4; m++) {
            mst_fft_desc desc = describe(MST_COMPLEX64, rows, 128);
            cl_event done = NULL;
            mst_execution how = MST_EXECUTION_INIT;
            how.event = &done;
            test_array input = test_array_random(&desc.input);
            test_array output = test_fft_run(*state, &desc, &input, mixes[m][0], mixes[m][1], &how);
            CHECK(done, "no event for %zu rows, %s to %s", rows, test_place_name(mixes[m][0]), test_place_name(mixes[m][1]));
            CHECK(m == 3 || status_of(done) == CL_COMPLETE, "the event of a blocking call is not complete");
            assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
            clReleaseEvent(done);
            test_array_free(&output);
            test_array_free(&input);
        }
}

// A wait list that fails, fails a blocking call; the plan is as good as before.
static void failed_wait_list(void **state) {
    mst_error e;
    cl_int code;
    mst_fft *plan = NULL;
    mst_fft_desc desc = describe(MST_COMPLEX64, 4, 256);
    mst_execution how = MST_EXECUTION_INIT;
    test_array input = test_array_random(&desc.input), output = test_array_new(&desc.input);
    const mst_location from = mst_at_host(input.image + input.origin), to = mst_at_host(output.image + output.origin);
    cl_event failed = clCreateUserEvent(mst_context_opencl(*state), &code);
    assert_int_equal(clSetUserEventStatus(failed, -1), CL_SUCCESS);
    how.n_wait = 1, how.wait_list = &failed;
    OK(mst_fft_create(*state, &desc, &plan, &e));
    REFUSED(MST_ERROR_OPENCL, "wait", mst_fft_execute(plan, from, to, &how, &e));
    assert_int_not_equal(e.opencl_code, CL_SUCCESS);
    OK(mst_fft_execute(plan, from, to, NULL, &e));
    mst_fft_destroy(plan);
    test_wide *reference = test_fft_reference(&desc, &input);
    assert_true(test_fft_error(&desc, &output, reference) <= test_gate(&desc.input, 256));
    clReleaseEvent(failed);
    free(reference);
    test_array_free(&input);
    test_array_free(&output);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_work_waits_and_gives_an_event),
        cmocka_unit_test(destroying_a_plan_in_flight),
        cmocka_unit_test(blocking_gives_a_completed_event),
        cmocka_unit_test(failed_wait_list),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
