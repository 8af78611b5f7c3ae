// The error idiom of src/runtime/error.h, for a library that sees the public headers of Mastaba only.
#ifndef MST_MPI_FAIL_H
#define MST_MPI_FAIL_H

#include <mastaba/mpi.h>

#include <stdbool.h>

mst_status mst_mpi_fail(mst_error *error, mst_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

// The same for what an MPI function returned; its text is appended.
mst_status mst_mpi_fail_code(mst_error *error, int code, const char *what);

// MST_ERROR_IO of a plan that is broken: its requests may still be active.
mst_status mst_mpi_check_unbroken(bool broken, mst_error *error);

// So many bytes of what ("an image"), or a page where there are none, into *memory, a pointer of any type, for the caller to
// free.
mst_status mst_mpi_take(size_t bytes, const char *what, void *memory, mst_error *error);

// What a rank that knows no timeout, as its own is refused, gives the others to hear of it, seconds.
#define MST_MPI_DEFAULT_TIMEOUT 600.0

// Timeouts are finite numbers from 0 on; 0: never.
mst_status mst_mpi_check_timeout(double timeout, mst_error *error);

#define REQUIRE(condition, code, ...)                                                                                            \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            status = mst_mpi_fail(error, (code), __VA_ARGS__);                                                                   \
            goto fail;                                                                                                           \
        }                                                                                                                        \
    } while (0)

#define TRY(call)                                                                                                                \
    do {                                                                                                                         \
        status = (call);                                                                                                         \
        if (status != MST_OK)                                                                                                    \
            goto fail;                                                                                                           \
    } while (0)

#define TRY_MPI(call, what)                                                                                                      \
    do {                                                                                                                         \
        int code_ = (call);                                                                                                      \
        if (code_ != MPI_SUCCESS) {                                                                                              \
            status = mst_mpi_fail_code(error, code_, (what));                                                                    \
            goto fail;                                                                                                           \
        }                                                                                                                        \
    } while (0)

#endif
