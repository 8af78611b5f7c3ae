// Preloaded (LD_PRELOAD): makes one call of the C library fail that the program or libmastaba makes, and not a driver or another
// library, as FAULT says (run has the protocol). Kinds are errno values, and
//     short  fewer bytes are moved than were asked for
//     end    no byte is, as at the end of a file
//     kill   the process ends as by SIGKILL, before the call (for the campaign kills)
#undef _FILE_OFFSET_BITS // else open64 is another name of open
#include "fault.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>

enum { FAULT_NONE, NO_MEMORY, IO, FULL, INTERRUPTED, MANY, DENIED, SHORT, END, KILL };
static const char *const kind_names[] = {"",       "ENOMEM", "EIO", "ENOSPC", "EINTR", "EMFILE",
                                         "EACCES", "short",  "end", "kill",   NULL};
static const int codes[] = {0, ENOMEM, EIO, ENOSPC, EINTR, EMFILE, EACCES, 0, 0, 0};

// Programs that a driver starts, a linker say, are left alone.
__attribute__((constructor)) static void leave_others_alone(void) { unsetenv("LD_PRELOAD"); }

static unsigned begin(entry *e, const char *name, unsigned kinds, const void *caller) {
    if (range_of(caller) < 0)
        return FAULT_NONE;
    pthread_mutex_lock(&mutex);
    unsigned fault = count_call(e, name, kinds);
    pthread_mutex_unlock(&mutex);
    if (fault == KILL)
        raise(SIGKILL);
    if (fault)
        errno = codes[fault];
    return fault;
}

#define BIT(kind) (1u << (kind))

// The next function of this name, and the fault of this call.
#define WRAP(type, name, parameters, kinds)                                                                                      \
    type name parameters {                                                                                                       \
        static entry me;                                                                                                         \
        static type(*next) parameters;                                                                                           \
        if (!next)                                                                                                               \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                                                           \
        const unsigned fault = begin(&me, #name, kinds, __builtin_return_address(0));

// A function that returns `failed` where it fails.
#define FAIL(type, name, parameters, arguments, kinds, failed)                                                                   \
    WRAP(type, name, parameters, kinds) return fault ? (failed) : next arguments;                                                \
    }

// The same of a stream, whose mark of errors (glibc's) is set as by the function that fails: callers may look at that alone.
#define FAIL_STREAM(type, name, parameters, arguments, kinds, failed)                                                            \
    WRAP(type, name, parameters, kinds)                                                                                          \
    if (fault && fault != END)                                                                                                   \
        file->_flags |= 0x20;                                                                                                    \
    return fault ? (failed) : next arguments;                                                                                    \
    }

// ---- memory: dlsym itself takes some, so these go to the C library by other names

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

#define MEMORY(name, parameters, arguments)                                                                                      \
    void *name parameters {                                                                                                      \
        static entry me;                                                                                                         \
        return begin(&me, #name, BIT(NO_MEMORY), __builtin_return_address(0)) ? NULL : __libc_##name arguments;                  \
    }

MEMORY(malloc, (size_t size), (size))
MEMORY(calloc, (size_t n, size_t size), (n, size))
MEMORY(realloc, (void *old, size_t size), (old, size))
FAIL(int, posix_memalign, (void **out, size_t alignment, size_t size), (out, alignment, size), BIT(NO_MEMORY), ENOMEM)
FAIL(char *, strdup, (const char *text), (text), BIT(NO_MEMORY), NULL)
FAIL(char *, strndup, (const char *text, size_t n), (text, n), BIT(NO_MEMORY), NULL)
FAIL(int, vasprintf, (char **out, const char *format, va_list arguments), (out, format, arguments), BIT(NO_MEMORY), -1)
FAIL(FILE *, open_memstream, (char **out, size_t *size), (out, size), BIT(NO_MEMORY), NULL)
FAIL(int, pthread_create, (pthread_t * thread, const pthread_attr_t *how, void *(*work)(void *), void *user),
     (thread, how, work, user), BIT(NO_MEMORY), EAGAIN)

int asprintf(char **out, const char *format, ...) {
    static entry me;
    va_list arguments;
    int length = -1;
    va_start(arguments, format);
    if (!begin(&me, "asprintf", BIT(NO_MEMORY), __builtin_return_address(0)))
        length = vasprintf(out, format, arguments);
    va_end(arguments);
    return length;
}

// ---- opening

#define OPENING (BIT(MANY) | BIT(DENIED) | BIT(INTERRUPTED) | BIT(FULL))

static mode_t mode_of(int flags, va_list arguments) { return flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0; }

WRAP(int, open64, (const char *path, int flags, ...), OPENING)
va_list arguments;
va_start(arguments, flags);
mode_t mode = mode_of(flags, arguments);
va_end(arguments);
return fault ? -1 : next(path, flags, mode);
}

WRAP(int, openat64, (int directory, const char *path, int flags, ...), OPENING)
va_list arguments;
va_start(arguments, flags);
mode_t mode = mode_of(flags, arguments);
va_end(arguments);
return fault ? -1 : next(directory, path, flags, mode);
}

WRAP(int, fcntl64, (int file, int what, ...), BIT(MANY))
va_list arguments;
va_start(arguments, what);
long value = va_arg(arguments, long);
va_end(arguments);
return fault ? -1 : next(file, what, value);
}

FAIL(int, mkostemp64, (char *pattern, int flags), (pattern, flags), BIT(MANY) | BIT(FULL), -1)
FAIL(FILE *, fopen64, (const char *path, const char *mode), (path, mode), BIT(MANY), NULL)
FAIL(FILE *, fdopen, (int file, const char *mode), (file, mode), BIT(NO_MEMORY), NULL)
FAIL(DIR *, opendir, (const char *path), (path), BIT(MANY), NULL)
FAIL(int, stat64, (const char *path, struct stat64 *info), (path, info), BIT(IO), -1)
FAIL(int, lstat64, (const char *path, struct stat64 *info), (path, info), BIT(IO), -1)
FAIL(int, fstat64, (int file, struct stat64 *info), (file, info), BIT(IO), -1)
FAIL(int, fstatvfs64, (int file, struct statvfs64 *info), (file, info), BIT(IO), -1)
FAIL(int, mkdir, (const char *path, mode_t mode), (path, mode), BIT(FULL), -1)
FAIL(int, flock, (int file, int how), (file, how), BIT(INTERRUPTED) | BIT(NO_MEMORY), -1)

// ---- moving bytes

#define READING (BIT(IO) | BIT(INTERRUPTED) | BIT(SHORT) | BIT(END))
#define WRITING (BIT(KILL) | BIT(IO) | BIT(INTERRUPTED) | BIT(SHORT) | BIT(FULL))

#define MOVE(name, parameters, arguments, kinds)                                                                                 \
    WRAP(ssize_t, name, parameters, kinds)                                                                                       \
    if (fault == SHORT && size > 1)                                                                                              \
        size = size / 2;                                                                                                         \
    return fault == END ? 0 : fault && fault != SHORT ? -1 : next arguments;                                                     \
    }

MOVE(read, (int file, void *data, size_t size), (file, data, size), READING)
MOVE(write, (int file, const void *data, size_t size), (file, data, size), WRITING)
MOVE(pread64, (int file, void *data, size_t size, off64_t at), (file, data, size, at), READING)
MOVE(pwrite64, (int file, const void *data, size_t size, off64_t at), (file, data, size, at), WRITING)
FAIL(ssize_t, preadv64, (int file, const struct iovec *parts, int n, off64_t at), (file, parts, n, at),
     BIT(IO) | BIT(INTERRUPTED), -1)
FAIL_STREAM(size_t, fread, (void *data, size_t size, size_t n, FILE *file), (data, size, n, file), BIT(IO) | BIT(END), 0)
FAIL_STREAM(size_t, fwrite, (const void *data, size_t size, size_t n, FILE *file), (data, size, n, file), BIT(FULL) | BIT(KILL),
            0)
FAIL_STREAM(int, fflush, (FILE * file), (file), BIT(FULL) | BIT(KILL), EOF)
FAIL(int, ftruncate64, (int file, off64_t size), (file, size), BIT(FULL) | BIT(INTERRUPTED), -1)
FAIL(int, posix_fallocate64, (int file, off64_t at, off64_t size), (file, at, size), BIT(FULL) | BIT(INTERRUPTED) | BIT(IO),
     codes[fault])
FAIL(int, fsync, (int file), (file), BIT(IO) | BIT(KILL), -1)
FAIL(int, fseeko64, (FILE * file, off64_t at, int whence), (file, at, whence), BIT(IO), -1)
FAIL(off64_t, lseek64, (int file, off64_t at, int whence), (file, at, whence), BIT(IO), -1)

// ---- names, and closing, which ends in any case

FAIL(int, rename, (const char *from, const char *to), (from, to), BIT(IO) | BIT(FULL) | BIT(KILL), -1)
FAIL(int, renameat, (int from_place, const char *from, int to_place, const char *to), (from_place, from, to_place, to),
     BIT(IO) | BIT(FULL) | BIT(KILL), -1)
FAIL(int, link, (const char *from, const char *to), (from, to), BIT(IO) | BIT(FULL) | BIT(KILL), -1)
FAIL(int, linkat, (int from_place, const char *from, int to_place, const char *to, int flags),
     (from_place, from, to_place, to, flags), BIT(IO) | BIT(FULL) | BIT(KILL), -1)

WRAP(int, close, (int file), BIT(IO) | BIT(KILL))
int code = next(file);
errno = fault ? codes[fault] : errno;
return fault ? -1 : code;
}

WRAP(int, fclose, (FILE * file), BIT(IO) | BIT(KILL))
int code = next(file);
errno = fault ? codes[fault] : errno;
return fault ? EOF : code;
}
