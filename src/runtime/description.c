#include "runtime/description.h"

#include "runtime/numbers.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 14 }; // of any struct: more is no size, but memory that nobody set

// Every struct here begins with a size or a pointer, and so is a multiple of them.
static bool is_size(size_t size, size_t least) { return size >= least && size <= MOST_BYTES && size % sizeof(size_t) == 0; }

// Members that are new to this library count as long as they are unset.
static mst_status check_tail(const unsigned char *from, size_t known, size_t size, const char *member, const char *init,
                             mst_error *error) {
    for (size_t i = known; i < size; i++)
        if (from[i] != 0)
            return mst_fail(error, MST_ERROR_ARGUMENT,
                            "%s is %zu and byte %zu is set, but mastaba %s knows %zu bytes of %s; use a newer library", member,
                            size, i, mst_version(), known, init);
    return MST_OK;
}

mst_status mst_description_check(const mst_description *kind, const void *given, mst_error *error) {
    size_t size;
    memcpy(&size, given, sizeof size);
    if (is_size(size, kind->least))
        return MST_OK;
    return mst_fail(error, MST_ERROR_ARGUMENT, "struct_size is %zu, not %zu; start from %s", size, kind->size, kind->init);
}

mst_status mst_description_read(const mst_description *kind, const void *from, void *to, mst_error *error) {
    mst_status status = MST_OK;
    size_t size;
    MST_TRY(mst_description_check(kind, from, error));
    memcpy(&size, from, sizeof size);
    MST_TRY(check_tail(from, kind->size, size, "struct_size", kind->init, error));
    memcpy(to, kind->defaults, kind->size);
    memcpy((unsigned char *)to + sizeof size, (const unsigned char *)from + sizeof size,
           mst_smaller(size, kind->size) - sizeof size);
fail:
    return status;
}

void mst_description_write(const mst_description *kind, const void *from, void *to) {
    size_t size;
    memcpy(&size, to, sizeof size);
    memcpy((unsigned char *)to + sizeof size, (const unsigned char *)from + sizeof size,
           mst_smaller(size, kind->size) - sizeof size);
}

mst_status mst_elements_check(const mst_elements *kind, size_t stride, mst_error *error) {
    if (is_size(stride, kind->least))
        return MST_OK;
    return mst_fail(error, MST_ERROR_ARGUMENT, "%s is %zu, not %zu; start from %s", kind->member, stride, kind->size, kind->init);
}

mst_status mst_elements_read(const mst_elements *kind, const void *from, size_t n, size_t stride, void *to, mst_error *error) {
    mst_status status = MST_OK;
    const unsigned char *in = from;
    unsigned char *out = to;
    if (n == 0)
        return MST_OK;
    MST_TRY(mst_elements_check(kind, stride, error));
    memset(out, 0, n * kind->size);
    for (size_t i = 0; i < n; i++) {
        MST_TRY(check_tail(in + i * stride, kind->size, stride, kind->member, kind->init, error));
        memcpy(out + i * kind->size, in + i * stride, mst_smaller(stride, kind->size));
    }
fail:
    return status;
}

mst_status mst_elements_copy(const mst_elements *kind, const void *from, size_t n, size_t stride, void **to, mst_error *error) {
    *to = NULL;
    if (n == 0)
        return MST_OK;
    *to = calloc(n, kind->size);
    if (!*to)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for a description");
    return mst_elements_read(kind, from, n, stride, *to, error);
}

void mst_elements_write(const mst_elements *kind, const void *from, size_t i, size_t stride, void *to) {
    memcpy((unsigned char *)to + i * stride, from, mst_smaller(stride, kind->size));
}
