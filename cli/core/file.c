#include "file.h"

#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool cli_can_make(const char *directory) {
    char path[4096];
    snprintf(path, sizeof path, "%s", directory);
    while (faccessat(AT_FDCWD, path, F_OK, AT_EACCESS) != 0) {
        char *slash = strrchr(path, '/');
        if (!slash || strcmp(path, "/") == 0)
            return false;
        slash[slash == path] = '\0';
    }
    return faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0;
}

// A call that a signal interrupted is made again.
static bool goes_on(ssize_t moved, size_t *done) {
    if (moved <= 0 && errno != EINTR)
        return false;
    *done += moved > 0 ? (size_t)moved : 0;
    return true;
}

size_t cli_read_some(int file, uint64_t offset, void *data, size_t bytes) {
    size_t done = 0;
    do
        errno = 0; // should the file end here
    while (done < bytes && goes_on(pread(file, (char *)data + done, bytes - done, (off_t)(offset + done)), &done));
    return done;
}

bool cli_read_bytes(const mst_location *from, uint64_t offset, void *data, size_t bytes) {
    if (from->place != MST_PLACE_HOST)
        return cli_read_some(from->file, from->offset + offset, data, bytes) == bytes;
    memcpy(data, (const char *)from->host + offset, bytes);
    return true;
}

bool cli_write_bytes(const mst_location *to, uint64_t offset, const void *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        errno = EIO; // should nothing be written
        off_t at = (off_t)(to->offset + offset + done);
        if (!goes_on(pwrite(to->file, (const char *)data + done, bytes - done, at), &done))
            return false;
    }
    return true;
}

static double value_of(const char *at, mst_type type) {
    float single;
    int32_t narrow;
    int64_t wide;
    if (type == MST_FLOAT32)
        return (double)*(float *)memcpy(&single, at, sizeof single);
    if (type == MST_INT32)
        return (double)*(int32_t *)memcpy(&narrow, at, sizeof narrow);
    return (double)*(int64_t *)memcpy(&wide, at, sizeof wide);
}

bool cli_read_doubles(const mst_location *from, mst_type type, double *values, size_t n) {
    if (!cli_read_bytes(from, 0, values, n * mst_type_bytes(type)))
        return false;
    for (size_t i = type == MST_FLOAT64 ? 0 : n; i-- > 0;) // from the end, since they become wider where they are
        values[i] = value_of((const char *)values + i * mst_type_bytes(type), type);
    return true;
}

int cli_fail_file(const char *command, const char *path, const char *what) {
    cli_error(command, "%s: %s: %s", path, what, errno ? strerror(errno) : "it ends too early");
    return CLI_INPUT_OUTPUT;
}

int cli_open_input(const char *command, const char *path, struct stat *info) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file >= 0 && fstat(file, info) == 0)
        return file;
    cli_error(command, "%s: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    return -1;
}
