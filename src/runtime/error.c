#include "error.h"

#include "text/c_locale.h"

#include <stdio.h>
#include <string.h>

const char *mst_version(void) { return MST_VERSION_STRING; }

const char *mst_status_name(mst_status status) {
    switch (status) {
    case MST_OK:
        return "MST_OK";
    case MST_ERROR_ARGUMENT:
        return "MST_ERROR_ARGUMENT";
    case MST_ERROR_NO_DEVICE:
        return "MST_ERROR_NO_DEVICE";
    case MST_ERROR_UNSUPPORTED:
        return "MST_ERROR_UNSUPPORTED";
    case MST_ERROR_HOST_MEMORY:
        return "MST_ERROR_HOST_MEMORY";
    case MST_ERROR_DEVICE_MEMORY:
        return "MST_ERROR_DEVICE_MEMORY";
    case MST_ERROR_BUDGET:
        return "MST_ERROR_BUDGET";
    case MST_ERROR_OPENCL:
        return "MST_ERROR_OPENCL";
    case MST_ERROR_BUILD:
        return "MST_ERROR_BUILD";
    case MST_ERROR_IO:
        return "MST_ERROR_IO";
    case MST_ERROR_FORMAT:
        return "MST_ERROR_FORMAT";
    case MST_ERROR_CANCELLED:
        return "MST_ERROR_CANCELLED";
    case MST_ERROR_DIVERGED:
        return "MST_ERROR_DIVERGED";
    }
    return "unknown status";
}

// Messages are one line whatever a driver or a file name puts into them.
static void keep_one_line(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = ' ';
}

mst_status mst_fail(mst_error *error, mst_status status, const char *format, ...) {
    if (error) {
        va_list arguments;
        error->status = status;
        error->opencl_code = 0;
        error->excerpt[0] = '\0';
        va_start(arguments, format);
        mst_vprint(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        keep_one_line(error->message);
    }
    return status;
}

static mst_status status_of_code(cl_int code) {
    switch (code) {
    case CL_OUT_OF_HOST_MEMORY:
        return MST_ERROR_HOST_MEMORY;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_INVALID_BUFFER_SIZE:
        return MST_ERROR_DEVICE_MEMORY;
    case CL_DEVICE_NOT_FOUND:
        return MST_ERROR_NO_DEVICE;
    default:
        return MST_ERROR_OPENCL;
    }
}

mst_status mst_fail_opencl(mst_error *error, cl_int code, const char *format, ...) {
    mst_status status = status_of_code(code);
    if (error) {
        va_list arguments;
        error->status = status;
        error->opencl_code = code;
        error->excerpt[0] = '\0';
        va_start(arguments, format);
        mst_vprint(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        size_t used = strlen(error->message);
        snprintf(error->message + used, sizeof error->message - used, ": %s (%d)", mst_opencl_code_name(code), (int)code);
        keep_one_line(error->message);
    }
    return status;
}

void mst_error_point(mst_error *error, const char *text, size_t at) {
    enum { SHOWN = 70, BEFORE = 50 };
    if (!error)
        return;
    size_t first = at > BEFORE ? at - BEFORE : 0;
    char part[SHOWN + 1];
    size_t n = strnlen(text + first, SHOWN);
    for (size_t i = 0; i < n; i++)
        part[i] = text[first + i] >= ' ' && text[first + i] <= '~' ? text[first + i] : '?';
    part[n] = '\0';
    snprintf(error->excerpt, sizeof error->excerpt, "%s\n%*s", part, (int)(at - first) + 1, "^");
}

const char *mst_opencl_code_name(cl_int code) {
    static const struct {
        cl_int code;
        const char *name;
    } names[] = {
#define NAME(c) {c, #c}
        NAME(CL_SUCCESS),
        NAME(CL_DEVICE_NOT_FOUND),
        NAME(CL_DEVICE_NOT_AVAILABLE),
        NAME(CL_COMPILER_NOT_AVAILABLE),
        NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
        NAME(CL_OUT_OF_RESOURCES),
        NAME(CL_OUT_OF_HOST_MEMORY),
        NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
        NAME(CL_MEM_COPY_OVERLAP),
        NAME(CL_BUILD_PROGRAM_FAILURE),
        NAME(CL_MAP_FAILURE),
        NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
        NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        NAME(CL_COMPILE_PROGRAM_FAILURE),
        NAME(CL_LINKER_NOT_AVAILABLE),
        NAME(CL_LINK_PROGRAM_FAILURE),
        NAME(CL_INVALID_VALUE),
        NAME(CL_INVALID_DEVICE_TYPE),
        NAME(CL_INVALID_PLATFORM),
        NAME(CL_INVALID_DEVICE),
        NAME(CL_INVALID_CONTEXT),
        NAME(CL_INVALID_QUEUE_PROPERTIES),
        NAME(CL_INVALID_COMMAND_QUEUE),
        NAME(CL_INVALID_HOST_PTR),
        NAME(CL_INVALID_MEM_OBJECT),
        NAME(CL_INVALID_BINARY),
        NAME(CL_INVALID_BUILD_OPTIONS),
        NAME(CL_INVALID_PROGRAM),
        NAME(CL_INVALID_PROGRAM_EXECUTABLE),
        NAME(CL_INVALID_KERNEL_NAME),
        NAME(CL_INVALID_KERNEL),
        NAME(CL_INVALID_ARG_INDEX),
        NAME(CL_INVALID_ARG_VALUE),
        NAME(CL_INVALID_ARG_SIZE),
        NAME(CL_INVALID_KERNEL_ARGS),
        NAME(CL_INVALID_WORK_DIMENSION),
        NAME(CL_INVALID_WORK_GROUP_SIZE),
        NAME(CL_INVALID_WORK_ITEM_SIZE),
        NAME(CL_INVALID_GLOBAL_OFFSET),
        NAME(CL_INVALID_EVENT_WAIT_LIST),
        NAME(CL_INVALID_EVENT),
        NAME(CL_INVALID_OPERATION),
        NAME(CL_INVALID_BUFFER_SIZE),
        NAME(CL_INVALID_GLOBAL_WORK_SIZE),
        NAME(CL_INVALID_PROPERTY),
#undef NAME
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
        {-9999, "illegal read or write to a buffer"}, // NVIDIA's own
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].code == code)
            return names[i].name;
    return "unknown OpenCL code";
}
