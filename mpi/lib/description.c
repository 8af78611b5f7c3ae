#include "description.h"

#include "numbers.h"

#include <string.h>

enum { MOST_BYTES = 1 << 14 }; // of any struct: more is no size, but memory that nobody set

mst_status mst_mpi_description_check(const mst_mpi_description *kind, const void *given, mst_error *error) {
    mst_status status = MST_OK;
    size_t size;
    REQUIRE(given, MST_ERROR_ARGUMENT, "%s must not be NULL", kind->what);
    memcpy(&size, given, sizeof size);
    REQUIRE(size >= kind->least && size <= MOST_BYTES && size % sizeof size == 0, MST_ERROR_ARGUMENT,
            "%s's struct_size is %zu, not %zu; begin with %s", kind->what, size, kind->size, kind->init);
fail:
    return status;
}

mst_status mst_mpi_description_read(const mst_mpi_description *kind, const void *from, void *to, mst_error *error) {
    mst_status status = MST_OK;
    const char *given = from;
    size_t size;
    TRY(mst_mpi_description_check(kind, from, error));
    memcpy(&size, from, sizeof size);
    for (size_t i = kind->size; i < size; i++)
        REQUIRE(given[i] == 0, MST_ERROR_ARGUMENT,
                "%s's struct_size is %zu and byte %zu is set, but mastaba %s knows %zu bytes of %s; use a newer library",
                kind->what, size, i, mst_version(), kind->size, kind->init);
    memcpy(to, kind->defaults, kind->size);
    memcpy((char *)to + sizeof size, given + sizeof size, mst_mpi_smaller(size, kind->size) - sizeof size);
fail:
    return status;
}

void mst_mpi_description_write(const mst_mpi_description *kind, const void *from, void *to) {
    size_t size;
    memcpy(&size, to, sizeof size);
    memcpy((char *)to + sizeof size, (const char *)from + sizeof size, mst_mpi_smaller(size, kind->size) - sizeof size);
}
