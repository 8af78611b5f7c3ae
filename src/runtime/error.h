// The error idiom of the whole library. A function that can fail declares `mst_status status = MST_OK;`, takes
// `mst_error *error` last, and cleans up under one label `fail:`; destroy functions accept NULL and half-built objects.
#ifndef MST_RUNTIME_ERROR_H
#define MST_RUNTIME_ERROR_H

#include <mastaba/array.h>
#include <stdbool.h>

// Fills *error (if not NULL) and returns the status, for `return mst_fail(...)`. The first failure is the one to keep:
// clean-up code passes NULL.
mst_status mst_fail(mst_error *error, mst_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

// The same for a failed OpenCL call: chooses the status by the code and appends the code's name to the message.
mst_status mst_fail_opencl(mst_error *error, cl_int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Adds the excerpt of a text around the letter at `at`, with a caret below it. error may be NULL.
void mst_error_point(mst_error *error, const char *text, size_t at);

// "CL_OUT_OF_RESOURCES"; "unknown OpenCL code".
const char *mst_opencl_code_name(cl_int code);

#define MST_REQUIRE(condition, code, ...)                                                                                        \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            status = mst_fail(error, (code), __VA_ARGS__);                                                                       \
            goto fail;                                                                                                           \
        }                                                                                                                        \
    } while (0)

#define MST_TRY(call)                                                                                                            \
    do {                                                                                                                         \
        status = (call);                                                                                                         \
        if (status != MST_OK)                                                                                                    \
            goto fail;                                                                                                           \
    } while (0)

// For calls that return a cl_int; the rest says, in printf's terms, what could not be done.
#define MST_TRY_CL(call, ...)                                                                                                    \
    do {                                                                                                                         \
        cl_int mst_code_ = (call);                                                                                               \
        if (mst_code_ != CL_SUCCESS) {                                                                                           \
            status = mst_fail_opencl(error, mst_code_, __VA_ARGS__);                                                             \
            goto fail;                                                                                                           \
        }                                                                                                                        \
    } while (0)

// a * b and a + b into *result; false on overflow.
static inline bool mst_multiply(size_t a, size_t b, size_t *result) { return !__builtin_mul_overflow(a, b, result); }
static inline bool mst_add(size_t a, size_t b, size_t *result) { return !__builtin_add_overflow(a, b, result); }

#endif
