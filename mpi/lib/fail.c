#include "fail.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep_one_line(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = ' ';
}

mst_status mst_mpi_fail(mst_error *error, mst_status status, const char *format, ...) {
    if (error) {
        va_list arguments;
        *error = (mst_error){.status = status};
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        keep_one_line(error->message);
    }
    return status;
}

mst_status mst_mpi_fail_code(mst_error *error, int code, const char *what) {
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return mst_mpi_fail(error, MST_ERROR_IO, "%s: MPI says: %s", what, text);
}

mst_status mst_mpi_take(size_t bytes, const char *what, void *memory, mst_error *error) {
    void **at = memory;
    *at = aligned_alloc(4096, (bytes / 4096 + 1) * 4096);
    return *at ? MST_OK : mst_mpi_fail(error, MST_ERROR_HOST_MEMORY, "no memory for %zu bytes of %s", bytes, what);
}

mst_status mst_mpi_check_timeout(double timeout, mst_error *error) {
    if (timeout >= 0 && isfinite(timeout))
        return MST_OK;
    return mst_mpi_fail(error, MST_ERROR_ARGUMENT, "timeout is %g; give seconds, or 0 for none", timeout);
}

mst_status mst_mpi_check_unbroken(bool broken, mst_error *error) {
    return broken ? mst_mpi_fail(error, MST_ERROR_IO, "ranks were lost in an earlier call; end the job by MPI_Abort") : MST_OK;
}
