// One file a device in the cache directory. Readers need no lock, since a file is only ever replaced whole by rename; writers
// take one, so that none loses what another added between its reading and its writing.
#include "database.h"

#include "runtime/cache.h"
#include "text/c_locale.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { MOST_BYTES = 16 << 20, MOST_PATH = 4096 };

typedef enum read_result { READ_GOOD, READ_NONE, READ_FOREIGN, READ_DAMAGED, READ_FAILED } read_result;

// A file's name: a hash of what tells devices apart.
static bool path_of(const mst_context *context, const json_t *device, char *path, size_t size) {
    XXH3_state_t *state = XXH3_createState();
    static const char *const keys[] = {"name", "vendor", "platform"};
    json_int_t units = json_integer_value(json_object_get(device, "compute_units"));
    if (!state)
        return false;
    XXH3_64bits_reset(state);
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        const char *value = json_string_value(json_object_get(device, keys[k]));
        XXH3_64bits_update(state, value, strlen(value) + 1);
    }
    XXH3_64bits_update(state, &units, sizeof units);
    unsigned long long hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    int n = snprintf(path, size, "%s/tuning-%016llx.json", context->cache_directory, hash);
    return n > 0 && (size_t)n < size;
}

// The text of a file, NULL with errno.
static char *read_text(int fd, size_t bytes) {
    char *text = malloc(bytes + 1);
    for (size_t done = 0; text && done < bytes;) {
        errno = EIO; // should it be shorter by now
        ssize_t n = pread(fd, text + done, bytes - done, (off_t)done);
        if (n <= 0 && errno != EINTR) {
            int code = errno;
            free(text);
            errno = code;
            return NULL;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return text;
}

static read_result parse(const char *text, size_t bytes, json_t **out) {
    json_error_t why = {0};
    mst_c_locale c; // jansson 2.14 ends the program where the decimal point of the locale has several bytes
    bool entered = mst_c_locale_enter(&c);
    *out = entered ? json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &why) : NULL;
    mst_c_locale_leave(&c);
    if (*out && mst_tuning_is_valid(*out))
        return READ_GOOD;
    bool no_memory = !entered || (!*out && json_error_code(&why) == json_error_out_of_memory);
    json_decref(*out);
    *out = NULL;
    errno = ENOMEM;
    return no_memory ? READ_FAILED : READ_DAMAGED;
}

static read_result read_open(int fd, bool trusted, json_t **out) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        return READ_FAILED;
    if (!S_ISREG(st.st_mode) || st.st_size > MOST_BYTES)
        return READ_DAMAGED;
    if (trusted && (st.st_uid != geteuid() || (st.st_mode & 022)))
        return READ_FOREIGN;
    char *text = read_text(fd, (size_t)st.st_size);
    read_result result = text ? parse(text, (size_t)st.st_size, out) : READ_FAILED;
    free(text);
    return result;
}

// *out is set for READ_GOOD, errno for READ_FAILED: then nothing is known of what the file holds. READ_FOREIGN: a `trusted` file
// that somebody else could have written.
static read_result read_file(const char *path, bool trusted, json_t **out) {
    *out = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? READ_NONE : READ_FAILED;
    read_result result = read_open(fd, trusted, out);
    int code = errno;
    close(fd);
    errno = code;
    return result;
}

mst_status mst_tuning_read(const char *path, json_t **out, mst_error *error) {
    switch (read_file(path, false, out)) {
    case READ_GOOD:
        return MST_OK;
    case READ_DAMAGED:
        return mst_fail(error, MST_ERROR_FORMAT, "%s: not a file of tuning results that this version of the library can read",
                        path);
    default:
        return mst_fail(error, MST_ERROR_IO, "%s: %s", path, strerror(errno));
    }
}

// A file beside another one, under a name of its own, and with the mode that files have; with `locked` under one name and
// private, so that those who die while they write leave one at most.
static int open_beside(const char *path, bool locked, char *name, size_t size) {
    int fd = -1, flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
    snprintf(name, size, "%s.new", path);
    if (locked)
        return open(name, flags | O_TRUNC, 0600);
    for (int k = 0; k < 1000 && fd < 0 && (k == 0 || errno == EEXIST); k++) {
        snprintf(name, size, "%s.%ld-%d", path, (long)getpid(), k);
        fd = open(name, flags | O_EXCL, 0666);
    }
    return fd;
}

mst_status mst_tuning_write(const char *path, const json_t *database, bool locked, mst_error *error) {
    mst_status status = MST_OK;
    char temporary[MOST_PATH + 32];
    mst_c_locale c = {0};
    int fd = -1;
    MST_REQUIRE(mst_c_locale_enter(&c), MST_ERROR_HOST_MEMORY, "out of memory writing %s", path);
    MST_REQUIRE(strlen(path) < MOST_PATH, MST_ERROR_IO, "%s: %s", path, strerror(ENAMETOOLONG));
    fd = open_beside(path, locked, temporary, sizeof temporary);
    MST_REQUIRE(fd >= 0, MST_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
    errno = 0;
    bool good = json_dumpfd(database, fd, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) == 0 && fsync(fd) == 0;
    int code = errno ? errno : EIO;
    good = close(fd) == 0 && good;
    if (!good || rename(temporary, path) != 0) {
        status = mst_fail(error, MST_ERROR_IO, "cannot write %s: %s", path, strerror(good ? errno : code));
        unlink(temporary);
    }
fail:
    mst_c_locale_leave(&c);
    return status;
}

// The lock is on a file of its own, as the database's file is replaced. It ends with the process at the latest.
static int take_lock(const mst_context *context, const char *path) {
    char name[MOST_PATH + 8];
    if (!mst_cache_make_directory(context->cache_directory))
        return -1;
    snprintf(name, sizeof name, "%s.lock", path);
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    while (fd >= 0 && flock(fd, LOCK_EX) != 0)
        if (errno != EINTR) {
            close(fd);
            fd = -1;
        }
    return fd;
}

// Under the lock: the database, or an empty one where there is none; not where it cannot be read, or it would be lost when that
// is written.
static mst_status read_or_new(mst_context *context, const char *path, const json_t *device, json_t **out, mst_error *error) {
    mst_status status = MST_OK;
    char bad[MOST_PATH + 8];
    read_result result = read_file(path, true, out);
    MST_REQUIRE(result != READ_FAILED, MST_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
    if (result == READ_DAMAGED || result == READ_FOREIGN) {
        snprintf(bad, sizeof bad, "%s.bad", path);
        bool moved = rename(path, bad) == 0;
        mst_log(context, MST_LOG_WARNING, "%s is %s; %s", path,
                result == READ_FOREIGN ? "not a file that this user alone can write" : "damaged, or of another version",
                moved ? "it is now named .bad, and tuning begins anew" : "it is left out");
    }
    if (!*out)
        *out = json_pack("{s:i, s:O, s:[]}", "schema", MST_TUNING_SCHEMA, "device", device, "entries");
    MST_REQUIRE(*out, MST_ERROR_HOST_MEMORY, "out of memory for results of tuning");
fail:
    return status;
}

json_t *mst_tuning_load(mst_context *context) {
    char path[MOST_PATH];
    json_t *own = mst_tuning_new(&context->device), *database = NULL;
    const json_t *device = json_object_get(own, "device");
    if (!own || !context->cache_directory || !path_of(context, device, path, sizeof path))
        return own;
    read_result result = read_file(path, true, &database);
    if (result == READ_FOREIGN)
        mst_log(context, MST_LOG_WARNING, "%s is not a file that this user alone can write; it is left out", path);
    if (result == READ_DAMAGED) {
        int lock = take_lock(context, path); // somebody may just have put a good one there
        (void)read_or_new(context, path, device, &database, NULL);
        if (lock >= 0)
            close(lock);
    }
    if (!database)
        return own;
    json_decref(own);
    return database;
}

mst_status mst_tuning_check_store(mst_context *context, mst_error *error) {
    mst_status status = MST_OK;
    char path[MOST_PATH], temporary[MOST_PATH + 32];
    json_t *own = context->cache_directory ? mst_tuning_new(&context->device) : NULL;
    int lock = -1, fd = -1;
    if (!context->cache_directory)
        return MST_OK;
    MST_REQUIRE(own, MST_ERROR_HOST_MEMORY, "out of memory for results of tuning");
    MST_REQUIRE(path_of(context, json_object_get(own, "device"), path, sizeof path), MST_ERROR_IO,
                "the name of the cache directory is too long");
    lock = take_lock(context, path);
    fd = lock >= 0 ? open_beside(path, true, temporary, sizeof temporary) : -1;
    MST_REQUIRE(fd >= 0, MST_ERROR_IO, "what is found cannot be kept in %s: %s", path, strerror(errno));
    unlink(temporary);
fail:
    json_decref(own);
    if (fd >= 0)
        close(fd);
    if (lock >= 0)
        close(lock);
    return status;
}

mst_status mst_tuning_store(mst_context *context, const json_t *database, mst_tuning_change change, mst_error *error) {
    mst_status status = MST_OK;
    char path[MOST_PATH];
    json_t *whole = NULL, *device = json_object_get(database, "device");
    int lock = -1;
    MST_REQUIRE(context->cache_directory, MST_ERROR_ARGUMENT, "there is no cache directory to keep results of tuning in");
    MST_REQUIRE(path_of(context, device, path, sizeof path), MST_ERROR_IO, "the name of the cache directory is too long");
    lock = take_lock(context, path);
    MST_REQUIRE(lock >= 0, MST_ERROR_IO, "cannot lock %s: %s", path, strerror(errno));
    MST_TRY(read_or_new(context, path, device, &whole, error));
    if (change == MST_TUNING_FORGET)
        json_array_clear(json_object_get(whole, "entries"));
    else
        MST_REQUIRE(mst_tuning_merge(whole, json_object_get(database, "entries"), change == MST_TUNING_ADD_FOUND_NOW),
                    MST_ERROR_HOST_MEMORY, "out of memory for results of tuning");
    MST_TRY(mst_tuning_write(path, whole, true, error));
fail:
    json_decref(whole);
    if (lock >= 0)
        close(lock);
    return status;
}
