#include "scratch.h"

#include "ram.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// A file without a name, so that nothing is left of it however the process ends; -1 with errno.
static int open_file(const char *directory) {
    static const char name[] = "/mastaba-XXXXXX";
    int file = -1;
#ifdef O_TMPFILE
    file = open(directory, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return file;
#endif
    const size_t length = strlen(directory) + sizeof name;
    char *path = malloc(length);
    if (!path)
        return -1;
    snprintf(path, length, "%s%s", directory, name);
    file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    free(path);
    return file;
}

// The space is there before it is mapped: a full disk is an error here, and no signal later. A signal of the caller's, a timer's
// say, may interrupt a reservation, which starts again then.
static int reserve(int file, uint64_t bytes) {
    int code;
    do
        code = posix_fallocate(file, 0, (off_t)bytes);
    while (code == EINTR);
    return code;
}

static mst_status take_file(const char *directory, uint64_t bytes, const char *what, mst_scratch *s, mst_error *error) {
    mst_status status = MST_OK;
    const int file = open_file(directory);
    MST_REQUIRE(file >= 0, MST_ERROR_IO, "no file for %s can be made in %s (MASTABA_SCRATCH): %s", what, directory,
                strerror(errno));
    const int code = reserve(file, bytes);
    MST_REQUIRE(code == 0, MST_ERROR_IO, "%s has no room for %llu bytes of %s (MASTABA_SCRATCH): %s", directory,
                (unsigned long long)bytes, what, strerror(code));
    void *memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    MST_REQUIRE(memory != MAP_FAILED, MST_ERROR_HOST_MEMORY, "%llu bytes of %s cannot be mapped: %s", (unsigned long long)bytes,
                what, strerror(errno));
    *s = (mst_scratch){memory, bytes, true};
fail:
    if (file >= 0)
        close(file);
    return status;
}

mst_status mst_scratch_take(uint64_t bytes, const char *what, mst_scratch *out, mst_error *error) {
    mst_status status = MST_OK;
    const char *directory = getenv("MASTABA_SCRATCH");
    *out = (mst_scratch){0};
    if (directory && *directory)
        return take_file(directory, bytes, what, out, error);
    MST_REQUIRE(bytes <= mst_ram_bytes(""), MST_ERROR_HOST_MEMORY,
                "%s take %llu bytes, more than the %llu of this machine's RAM; set MASTABA_SCRATCH to a directory with that room",
                what, (unsigned long long)bytes, (unsigned long long)mst_ram_bytes(""));
    out->memory = malloc((size_t)bytes);
    MST_REQUIRE(out->memory, MST_ERROR_HOST_MEMORY,
                "out of memory: %s take %llu bytes of RAM, or with MASTABA_SCRATCH of a directory", what,
                (unsigned long long)bytes);
    out->bytes = bytes;
fail:
    return status;
}

void mst_scratch_release(mst_scratch *s) {
    if (s->is_file)
        munmap(s->memory, (size_t)s->bytes);
    else
        free(s->memory);
    *s = (mst_scratch){0};
}
