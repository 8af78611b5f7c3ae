// Where tests of kernels for CPUs, and of parts of devices, run if the device under test is none that has them.
#include "support.h"

static mst_context *on_cpu; // of test_cpu, beside the group's context

static bool is_cpu(const mst_context *context) { return mst_context_device(context)->type & CL_DEVICE_TYPE_CPU; }

// The first CPU's index as a text, good until the next call; NULL: there is none, which is said.
static const char *find_cpu(void) {
    static char index[24];
    mst_device_info **list = NULL;
    size_t count = 0;
    mst_error e;
    index[0] = '\0';
    OK(mst_devices_list(&list, &count, &e));
    for (size_t i = 0; i < count && !index[0]; i++)
        if (list[i]->available && list[i]->type & CL_DEVICE_TYPE_CPU)
            snprintf(index, sizeof index, "%zu", list[i]->index);
    mst_devices_free(list);
    if (!index[0])
        print_message("skipped: no device here is a CPU\n");
    return index[0] ? index : NULL;
}

int test_setup_on_cpu(void **state) {
    mst_context *context = test_context(NULL);
    const bool suits = is_cpu(context);
    mst_context_destroy(context);
    if (!suits) {
        const char *index = find_cpu();
        if (!index)
            exit(0);
        setenv("MASTABA_DEVICE", index, 1);
        unsetenv("MASTABA_TEST_DEVICE");
    }
    return test_setup(state);
}

mst_context *test_cpu(void **state) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    if (is_cpu(*state))
        return *state;
    if (!on_cpu) {
        desc.device = find_cpu();
        if (!desc.device)
            skip();
        on_cpu = test_context(&desc);
    }
    return on_cpu;
}

uint64_t test_close_cpu(void) {
    uint64_t left = on_cpu ? mst_context_device_memory_used(on_cpu) : 0;
    mst_context_destroy(on_cpu);
    on_cpu = NULL;
    return left;
}

const char *test_in_parts(const mst_context *context, unsigned n) {
    static char texts[2][32];
    static unsigned turn;
    char *text = texts[turn++ % 2];
    cl_device_partition_property ways[16] = {0};
    const mst_device_info *device = mst_context_device(context);
    bool can = false;
    if (clGetDeviceInfo(device->device, CL_DEVICE_PARTITION_PROPERTIES, sizeof ways, ways, NULL) == CL_SUCCESS)
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
            can = can || ways[i] == CL_DEVICE_PARTITION_BY_COUNTS;
    snprintf(text, sizeof texts[0], "%zu/%u", device->index, n);
    return can ? text : NULL;
}
