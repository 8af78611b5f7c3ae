#include <mastaba/npy.h>

#include "npy_order.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Data of so many bytes begin with a page, so that they can be written past the system's cache.
#define LEAST_LARGE ((size_t)64 << 20)

struct mst_npy {
    mst_layout layout;
    mst_location data;
    mst_scratch reordered; // the data, if those of the file are in another order
    int file;
    bool overwrite;
    char *path;
    char *temporary; // where a created file is until it is committed; NULL if opened or committed
};

const mst_layout *mst_npy_layout(const mst_npy *npy) { return &npy->layout; }

mst_location mst_npy_location(const mst_npy *npy) { return npy->data; }

void mst_npy_close(mst_npy *npy) {
    if (!npy)
        return;
    if (npy->file >= 0)
        close(npy->file);
    if (npy->temporary)
        unlink(npy->temporary);
    mst_scratch_release(&npy->reordered);
    free(npy->temporary);
    free(npy->path);
    free(npy);
}

static mst_status make_npy(const char *path, mst_npy **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_npy *npy = calloc(1, sizeof *npy);

    MST_REQUIRE(npy, MST_ERROR_HOST_MEMORY, "out of memory");
    npy->file = -1;
    MST_REQUIRE(npy->path = strdup(path), MST_ERROR_HOST_MEMORY, "out of memory");
    *out = npy;
    return MST_OK;
fail:
    mst_npy_close(npy);
    return status;
}

// Messages of the functions below do not name the file; its path, or the end of a long one, is put before them here.
static mst_status name_file(const char *path, const mst_error *cause, mst_error *error) {
    enum { SHOWN = 200 };
    size_t length = strlen(path), cut = length > SHOWN ? length - SHOWN : 0;
    return mst_fail(error, cause->status, "%s%s: %s", cut ? "..." : "", path + cut, cause->message);
}

// What is not a regular file has no size, and cannot be read at an offset.
static mst_status check_regular(int file, uint64_t *bytes, mst_error *error) {
    mst_status status = MST_OK;
    struct stat info;

    MST_REQUIRE(fstat(file, &info) == 0, MST_ERROR_IO, "cannot be read: %s", strerror(errno));
    MST_REQUIRE(!S_ISDIR(info.st_mode), MST_ERROR_IO, "is a directory");
    MST_REQUIRE(S_ISREG(info.st_mode), MST_ERROR_IO, "is not a regular file but a pipe or device; copy it into a file first");
    *bytes = (uint64_t)info.st_size;
fail:
    return status;
}

static mst_status read_header(int file, mst_layout *layout, mst_location *data, mst_npy_order *order, mst_error *error) {
    mst_status status = MST_OK;
    unsigned char prefix[MST_NPY_PREFIX_BYTES];
    size_t got, offset, text_bytes, data_bytes;
    uint64_t file_bytes = 0, begin;
    char *text = NULL;
    mst_layout held;

    MST_TRY(check_regular(file, &file_bytes, error));
    MST_TRY(mst_npy_read(file, prefix, sizeof prefix, 0, &got, error));
    MST_TRY(mst_npy_prefix_read(prefix, got, &offset, &text_bytes, error));
    MST_REQUIRE(text = malloc(text_bytes + 1), MST_ERROR_HOST_MEMORY, "out of memory");
    MST_TRY(mst_npy_read(file, text, text_bytes, offset, &got, error));
    MST_REQUIRE(got == text_bytes, MST_ERROR_FORMAT, "truncated .npy file: it ends within the header");
    MST_TRY(mst_npy_text_read(text, text_bytes, &held, &data_bytes, order, error));
    begin = offset + text_bytes;
    MST_REQUIRE(file_bytes >= begin && file_bytes - begin >= data_bytes, MST_ERROR_FORMAT,
                "truncated .npy file: %" PRIu64 " bytes long, but its header needs %" PRIu64, file_bytes, begin + data_bytes);
    *layout = held;
    *data = mst_at_file(file, begin);
fail:
    free(text);
    return status;
}

mst_status mst_npy_read_header(int file, mst_layout *layout, mst_location *data, mst_error *error) {
    mst_status status = MST_OK;
    mst_npy_order order = {0};
    mst_layout held;
    mst_location at;

    MST_REQUIRE(layout && data, MST_ERROR_ARGUMENT, "layout and data must not be NULL");
    MST_TRY(read_header(file, &held, &at, &order, error));
    MST_REQUIRE(!order.fortran, MST_ERROR_FORMAT, "is in Fortran order; convert with numpy.ascontiguousarray(a)");
    MST_REQUIRE(!order.swapped, MST_ERROR_FORMAT,
                "has its bytes in the other order than this machine; convert with a.astype(a.dtype.newbyteorder('='))");
    *layout = held;
    *data = at;
fail:
    return status;
}

mst_status mst_npy_read_layout(int file, mst_layout *layout, mst_error *error) {
    mst_npy_order order = {0};
    mst_location at;
    return layout ? read_header(file, layout, &at, &order, error)
                  : mst_fail(error, MST_ERROR_ARGUMENT, "layout must not be NULL");
}

static mst_status read_array(int file, mst_npy *npy, mst_error *error) {
    mst_status status = MST_OK;
    mst_npy_order order = {0};

    MST_TRY(read_header(file, &npy->layout, &npy->data, &order, error));
    if (order.fortran || order.swapped) {
        MST_TRY(mst_npy_reorder(file, npy->data.offset, &npy->layout, order, &npy->reordered, error));
        npy->data = mst_at_host(npy->reordered.memory);
    }
fail:
    return status;
}

mst_status mst_npy_open_file(int file, mst_npy **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_npy *npy = NULL;

    MST_REQUIRE(out, MST_ERROR_ARGUMENT, "out must not be NULL");
    *out = NULL;
    MST_TRY(make_npy("", &npy, error));
    MST_TRY(read_array(file, npy, error));
    *out = npy;
    return MST_OK;
fail:
    mst_npy_close(npy);
    return status;
}

static mst_status open_npy(const char *path, mst_npy **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_npy *npy = NULL;

    MST_TRY(make_npy(path, &npy, error));
    npy->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); // without waiting for a pipe's other end
    MST_REQUIRE(npy->file >= 0, MST_ERROR_IO, "cannot be opened: %s", strerror(errno));
    MST_TRY(read_array(npy->file, npy, error));
    *out = npy;
    return MST_OK;
fail:
    mst_npy_close(npy);
    return status;
}

mst_status mst_npy_open(const char *path, mst_npy **out, mst_error *error) {
    mst_error cause;
    if (!path || !out)
        return mst_fail(error, MST_ERROR_ARGUMENT, "path and out must not be NULL");
    *out = NULL;
    return open_npy(path, out, &cause) == MST_OK ? MST_OK : name_file(path, &cause, error);
}

static mst_status check_layout(const mst_layout *layout, size_t *data_bytes, mst_error *error) {
    mst_status status = MST_OK;

    MST_REQUIRE(mst_type_bytes(layout->type), MST_ERROR_ARGUMENT, "type %d is not known", (int)layout->type);
    MST_REQUIRE(layout->rank >= 1 && layout->rank <= MST_MAX_RANK, MST_ERROR_ARGUMENT, "rank is %d; 1 to %d are supported",
                layout->rank, MST_MAX_RANK);
    MST_REQUIRE(mst_npy_data_bytes(layout, data_bytes), MST_ERROR_ARGUMENT, "the shape is larger than memory can be");
    mst_layout dense = mst_layout_dense(layout->type, layout->rank, layout->shape);
    for (int k = 0; k < layout->rank; k++)
        MST_REQUIRE(layout->shape[k] <= 1 || layout->strides[k] == dense.strides[k], MST_ERROR_ARGUMENT,
                    "a .npy file is dense in C order, but the stride of axis %d is %td, not %td", k, layout->strides[k],
                    dense.strides[k]);
fail:
    return status;
}

// Finds out now what would make the commit fail, and never lets a rename replace a directory or a device.
static mst_status check_path(const char *path, bool overwrite, mst_error *error) {
    mst_status status = MST_OK;
    struct stat info;
    size_t length = strlen(path);

    MST_REQUIRE(length && path[length - 1] != '/', MST_ERROR_IO, "is not a file name");
    if ((overwrite ? stat(path, &info) : lstat(path, &info)) == 0) {
        MST_REQUIRE(overwrite, MST_ERROR_IO, "exists already, and overwriting was not asked for");
        MST_REQUIRE(S_ISREG(info.st_mode), MST_ERROR_IO, "exists and is not a regular file");
    } else {
        MST_REQUIRE(errno == ENOENT, MST_ERROR_IO, "cannot be created: %s", strerror(errno));
    }
fail:
    return status;
}

// A new file beside `path`, with the permissions that the process gives to new files.
static mst_status make_temporary(mst_npy *npy, mst_error *error) {
    mst_status status = MST_OK;
    const char *slash = strrchr(npy->path, '/');
    int directory = slash ? (int)(slash + 1 - npy->path) : 0;
    size_t bytes = (size_t)directory + sizeof ".mastaba-0123456789abcdef.tmp";
    char *name = malloc(bytes);

    MST_REQUIRE(name, MST_ERROR_HOST_MEMORY, "out of memory");
    do {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        uint64_t unique = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec << 20 ^ (uint64_t)getpid();
        snprintf(name, bytes, "%.*s.mastaba-%016" PRIx64 ".tmp", directory, npy->path, unique);
        npy->file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
    } while (npy->file < 0 && (errno == EEXIST || errno == EINTR));
    MST_REQUIRE(npy->file >= 0, MST_ERROR_IO, "cannot be created: %s", strerror(errno));
    npy->temporary = name;
    return MST_OK;
fail:
    free(name);
    return status;
}

// File systems that cannot reserve space get a sparse file.
static mst_status reserve(int file, size_t bytes, mst_error *error) {
    mst_status status = MST_OK;
    int code = EOPNOTSUPP;

#if _POSIX_ADVISORY_INFO > 0
    do
        code = posix_fallocate(file, 0, (off_t)bytes);
    while (code == EINTR);
#endif
    if (code == EOPNOTSUPP || code == EINVAL || code == ENOSYS)
        code = ftruncate(file, (off_t)bytes) == 0 ? 0 : errno;
    MST_REQUIRE(code == 0, MST_ERROR_IO, "there is no room for its %zu bytes: %s", bytes, strerror(code));
fail:
    return status;
}

mst_status mst_npy_write_header(int file, const mst_layout *layout, mst_location *data, mst_error *error) {
    mst_status status = MST_OK;
    char header[MST_NPY_PAGE];
    size_t length, data_bytes, bytes;

    MST_REQUIRE(layout && data, MST_ERROR_ARGUMENT, "layout and data must not be NULL");
    MST_TRY(check_layout(layout, &data_bytes, error));
    mst_layout dense = mst_layout_dense(layout->type, layout->rank, layout->shape);
    length = mst_npy_header_write(&dense, header);
    if (data_bytes >= LEAST_LARGE)
        length = mst_npy_header_pad(header, length);
    MST_REQUIRE(mst_add(data_bytes, length, &bytes) && bytes <= PTRDIFF_MAX, MST_ERROR_ARGUMENT,
                "the shape is larger than a file can be");
    MST_TRY(reserve(file, bytes, error));
    for (size_t done = 0; done < length;) {
        errno = EIO; // should nothing be written
        ssize_t n = pwrite(file, header + done, length - done, (off_t)done);
        MST_REQUIRE(n > 0 || errno == EINTR, MST_ERROR_IO, "cannot be written: %s", strerror(errno));
        if (n > 0)
            done += (size_t)n;
    }
    *data = mst_at_file(file, length);
fail:
    return status;
}

static mst_status create_npy(const char *path, const mst_layout *layout, bool overwrite, mst_npy **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_npy *npy = NULL;
    size_t data_bytes;

    MST_TRY(check_layout(layout, &data_bytes, error));
    MST_TRY(check_path(path, overwrite, error));
    MST_TRY(make_npy(path, &npy, error));
    npy->layout = mst_layout_dense(layout->type, layout->rank, layout->shape);
    npy->overwrite = overwrite;
    MST_TRY(make_temporary(npy, error));
    MST_TRY(mst_npy_write_header(npy->file, layout, &npy->data, error));
    *out = npy;
    return MST_OK;
fail:
    mst_npy_close(npy);
    return status;
}

mst_status mst_npy_create(const char *path, const mst_layout *layout, bool overwrite, mst_npy **out, mst_error *error) {
    mst_error cause;
    if (!path || !layout || !out)
        return mst_fail(error, MST_ERROR_ARGUMENT, "path, layout and out must not be NULL");
    *out = NULL;
    return create_npy(path, layout, overwrite, out, &cause) == MST_OK ? MST_OK : name_file(path, &cause, error);
}

// Gives `from` the name `to` unless something has that name. Where there are no hard links, an empty file takes the name
// first: creating it fails if the name is taken, and the rename replaces nothing else.
static int rename_no_replace(const char *from, const char *to) {
    if (link(from, to) == 0) {
        (void)unlink(from); // the file is in place; a second name does it no harm
        return 0;
    }
    if (errno == EEXIST)
        return -1;
    int claim = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (claim < 0)
        return -1;
    close(claim);
    if (rename(from, to) == 0)
        return 0;
    int code = errno;
    unlink(to);
    errno = code;
    return -1;
}

static mst_status commit_npy(mst_npy *npy, mst_error *error) {
    mst_status status = MST_OK;
    int file = npy->file;

    MST_REQUIRE(npy->temporary, MST_ERROR_ARGUMENT, "was not created by this process, or is committed already");
    npy->file = -1; // network file systems report failed writes when a file is closed
    MST_REQUIRE(close(file) == 0, MST_ERROR_IO, "cannot be written: %s", strerror(errno));
    int failed = npy->overwrite ? rename(npy->temporary, npy->path) : rename_no_replace(npy->temporary, npy->path);
    MST_REQUIRE(!failed, MST_ERROR_IO, "cannot be put in place: %s", strerror(errno));
    free(npy->temporary);
    npy->temporary = NULL;
fail:
    return status;
}

mst_status mst_npy_commit(mst_npy *npy, mst_error *error) {
    mst_error cause;
    if (!npy)
        return mst_fail(error, MST_ERROR_ARGUMENT, "npy must not be NULL");
    return commit_npy(npy, &cause) == MST_OK ? MST_OK : name_file(npy->path, &cause, error);
}
