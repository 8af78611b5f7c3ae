// Preloaded in tests: as soon as the file named $EXCHANGE has been opened for the first time, $EXCHANGE.other takes its name. A
// program that opens a name twice then reads two files.
#undef _FILE_OFFSET_BITS // else open64 is another name of open
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void exchange(const char *path) {
    static int done;
    const char *wanted = getenv("EXCHANGE");
    char other[4096];
    if (done || !wanted || strcmp(path, wanted) != 0)
        return;
    done = 1;
    snprintf(other, sizeof other, "%s.other", path);
    if (rename(other, path) != 0)
        abort();
}

typedef int open_function(const char *, int, ...);
typedef FILE *fopen_function(const char *, const char *);

static int open_by(const char *name, const char *path, int flags, mode_t mode) {
    open_function *next;
    *(void **)&next = dlsym(RTLD_NEXT, name);
    int file = next(path, flags, mode);
    exchange(path);
    return file;
}

static FILE *fopen_by(const char *name, const char *path, const char *mode) {
    fopen_function *next;
    *(void **)&next = dlsym(RTLD_NEXT, name);
    FILE *file = next(path, mode);
    exchange(path);
    return file;
}

static mode_t mode_of(int flags, va_list arguments) { return flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0; }

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_by("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_by("open64", path, flags, mode);
}

FILE *fopen(const char *path, const char *mode) { return fopen_by("fopen", path, mode); }
FILE *fopen64(const char *path, const char *mode) { return fopen_by("fopen64", path, mode); }
