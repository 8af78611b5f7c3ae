// Mastaba: status codes, errors and the version.
//
// Every function that can fail returns an mst_status and takes a caller-owned mst_error last, which may be NULL. On
// failure it is filled with the status, the OpenCL code if there is one, and one sentence that says what was wrong and
// what to do; on success it is left alone. Nothing is kept anywhere else, so errors of two threads never mix.
#ifndef MASTABA_STATUS_H
#define MASTABA_STATUS_H

#if defined __SIZEOF_POINTER__ && __SIZEOF_POINTER__ < 8
#error Mastaba needs a system with 64-bit addresses: build without -m32, with a 64-bit compiler
#endif

#include <stdint.h>

// The version of these headers; mst_version says that of the library.
#define MST_VERSION_MAJOR 0
#define MST_VERSION_MINOR 1
#define MST_VERSION_PATCH 0
#define MST_VERSION_STRING "0.1.0"

#if defined(_WIN32)
#define MST_API
#elif defined(__GNUC__)
#define MST_API __attribute__((visibility("default")))
#else
#define MST_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The values are part of the ABI: new ones are added at the end.
typedef enum mst_status {
    MST_OK = 0,
    MST_ERROR_ARGUMENT = 1,      // a value, or a combination of values, that the call does not take
    MST_ERROR_NO_DEVICE = 2,     // no OpenCL platform, no device, or none that matches
    MST_ERROR_UNSUPPORTED = 3,   // the device lacks a feature that the work needs (float64, say)
    MST_ERROR_HOST_MEMORY = 4,   // the host is out of memory
    MST_ERROR_DEVICE_MEMORY = 5, // the device is out of memory, or an allocation is larger than it allows
    MST_ERROR_BUDGET = 6,        // a memory budget is too small for one block; the message gives the least that works
    MST_ERROR_OPENCL = 7,        // any other OpenCL failure; opencl_code says which
    MST_ERROR_BUILD = 8,         // a kernel did not build; the message holds the build log's first error line
    MST_ERROR_IO = 9,            // reading or writing a file failed
    MST_ERROR_FORMAT = 10,       // a file is not what it claims to be
    MST_ERROR_CANCELLED = 11,    // the progress callback asked to stop
    MST_ERROR_DIVERGED = 12      // a stencil's field has become infinite or NaN, where its description asks to look
} mst_status;

// What a failed call leaves behind.
typedef struct mst_error {
    mst_status status;
    int32_t opencl_code; // the OpenCL code behind the failure, 0 if none
    char message[500];   // one line, no full stop, no newline, always terminated
    char excerpt[160];   // of a mistake in an expression: two lines to print below, a part of its text and a caret; else ""
} mst_error;

// "MST_ERROR_ARGUMENT" and so on; "unknown status" for a value that is none. Static storage. Thread-safe.
MST_API const char *mst_status_name(mst_status status);

// The version of the library that runs (MST_VERSION_STRING is that of the header). Static storage. Thread-safe.
MST_API const char *mst_version(void);

#ifdef __cplusplus
}
#endif
#endif
