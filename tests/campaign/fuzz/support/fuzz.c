#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_fail(const char *file, int line, const char *condition) {
    const char *name = strrchr(file, '/');
    printf("%s:%d: not so: %s\n", name ? name + 1 : file, line, condition);
    fflush(stdout);
    abort();
}

const char *fuzz_file(const uint8_t *data, size_t size) {
    static int file = -1;
    static char path[40];
    if (file < 0) {
        file = memfd_create("input", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size)
        fuzz_fail(__FILE__, __LINE__, "a file in memory");
    return path;
}

bool fuzz_is_message(const char *message) {
    bool plain = message[0] != '\0';
    for (const unsigned char *c = (const unsigned char *)message; *c; c++)
        plain = plain && *c >= 0x20 && *c != 0x7f;
    return plain;
}
