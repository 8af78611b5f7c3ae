#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define MAX_PAYLOAD ((uint64_t)256 << 20)

// A file begins with this header, and the payload follows. Numbers are in native byte order, as a cache belongs to one machine.
typedef struct header {
    char magic[8];
    mst_cache_key key;
    uint64_t size;
    mst_cache_key digest;
} header;

static const char magic[8] = "MSTBIN1";

static mst_cache_key hash(const void *data, size_t size) {
    XXH128_hash_t h = XXH3_128bits(data, size);
    return (mst_cache_key){h.low64, h.high64};
}

static bool same_key(mst_cache_key a, mst_cache_key b) { return a.low == b.low && a.high == b.high; }

mst_status mst_cache_directory(const char *wanted, char **out, mst_error *error) {
    const char *base = wanted, *rest = "";
    *out = NULL;
    if (!base) {
        base = getenv("XDG_CACHE_HOME");
        rest = "/mastaba";
        if (!base || base[0] != '/') { // the XDG specification ignores relative paths
            base = getenv("HOME");
            rest = "/.cache/mastaba";
        }
    }
    if (!base || !*base)
        return MST_OK;
    if (asprintf(out, "%s%s", base, rest) < 0) {
        *out = NULL;
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory making a context");
    }
    return MST_OK;
}

// Root's, and nobody else's to write; above the directory itself others may make entries that cannot take the place of root's.
static bool is_roots(int directory, bool above) {
    struct stat st;
    if (fstat(directory, &st) != 0)
        return false;
    errno = EPERM;
    return st.st_uid == 0 && (!(st.st_mode & 022) || (above && (st.st_mode & S_ISVTX)));
}

// What is at the start of the path, in a directory, which is closed. -1, and errno.
static int step_down(int directory, const char *path, size_t length) {
    char name[NAME_MAX + 1];
    int next = -1;
    if (length > NAME_MAX) {
        errno = ENAMETOOLONG;
    } else if (is_roots(directory, true)) {
        memcpy(name, path, length);
        name[length] = '\0';
        next = openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    const int code = errno;
    close(directory);
    errno = code;
    return next;
}

static const char *system_path(void) {
    const char *named = secure_getenv("MASTABA_SYSTEM_CACHE");
    return named && *named ? named : MST_SYSTEM_CACHE;
}

// -1, and errno: EPERM where it is not root's alone, EINVAL where the path is not absolute, ENOTDIR where it leads by a link.
static int open_system(void) {
    const char *path = system_path();
    size_t length;
    errno = EINVAL;
    int directory = path[0] == '/' ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    for (const char *at = path; directory >= 0 && *(at += strspn(at, "/")); at += length)
        directory = step_down(directory, at, length = strcspn(at, "/"));
    if (directory < 0 || is_roots(directory, false))
        return directory;
    close(directory);
    errno = EPERM;
    return -1;
}

static const char *why_not_used(int code) {
    return code == EPERM     ? "others than root can write in it or above it"
           : code == EINVAL  ? "its path is not absolute"
           : code == ENOTDIR ? "a part of its path is a link, or no directory"
                             : strerror(code);
}

int mst_cache_system_directory(mst_context *context) {
    const int directory = open_system();
    if (directory < 0 && errno != ENOENT)
        mst_log(context, MST_LOG_INFO, "cache: %s is not used: %s", system_path(), why_not_used(errno));
    return directory;
}

mst_status mst_system_cache(char *path, size_t size, mst_error *error) {
    mst_status status = MST_OK;
    int directory = -1;
    MST_REQUIRE(path && strlen(system_path()) < size, MST_ERROR_ARGUMENT, "%s: path must not be NULL and size be larger than it",
                system_path());
    strcpy(path, system_path());
    directory = open_system();
    MST_REQUIRE(directory >= 0, errno == ENOENT ? MST_ERROR_IO : MST_ERROR_UNSUPPORTED, "%s is not used: %s", path,
                why_not_used(errno));
fail:
    if (directory >= 0)
        close(directory);
    return status;
}

bool mst_cache_make_key(const mst_context *context, const char *source, size_t length, const char *options, mst_cache_key *key) {
    const mst_device_info *d = &context->device;
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        return false;
    const char *strings[] = {MST_VERSION_STRING, options, d->name, d->platform_name, d->driver_version, d->device_version};
    XXH3_128bits_reset(state);
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++)
        XXH3_128bits_update(state, strings[i], strlen(strings[i]) + 1);
    XXH3_128bits_update(state, source, length);
    XXH128_hash_t h = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    *key = (mst_cache_key){h.low64, h.high64};
    return true;
}

// ---- In memory

typedef struct mst_kept {
    struct mst_kept *next;
    mst_cache_key key;
    size_t size;
    unsigned char payload[];
} mst_kept;

static unsigned char *load_kept(mst_context *context, mst_cache_key key, size_t *size) {
    unsigned char *payload = NULL;
    pthread_mutex_lock(&context->mutex);
    const mst_kept *k = context->kept;
    while (k && !same_key(k->key, key))
        k = k->next;
    if (k && (payload = malloc(k->size)))
        memcpy(payload, k->payload, *size = k->size);
    pthread_mutex_unlock(&context->mutex);
    return payload;
}

static void keep(mst_context *context, mst_cache_key key, const unsigned char *payload, size_t size) {
    mst_kept *k = malloc(sizeof *k + size);
    if (!k)
        return;
    k->key = key;
    k->size = size;
    memcpy(k->payload, payload, size);
    pthread_mutex_lock(&context->mutex);
    mst_kept **at = &context->kept;
    while (*at && !same_key((*at)->key, key))
        at = &(*at)->next;
    mst_kept *before = *at;
    k->next = before ? before->next : NULL;
    *at = k;
    pthread_mutex_unlock(&context->mutex);
    free(before);
}

void mst_cache_destroy(mst_kept *kept) {
    while (kept) {
        mst_kept *next = kept->next;
        free(kept);
        kept = next;
    }
}

// ---- On disk

static bool file_path(const char *directory, mst_cache_key key, char *path, size_t size) {
    int n = snprintf(path, size, "%s/%016llx%016llx.bin", directory, (unsigned long long)key.high, (unsigned long long)key.low);
    if (n > 0 && (size_t)n < size)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

static bool read_all(int fd, void *data, size_t size) {
    unsigned char *at = data;
    while (size > 0) {
        ssize_t n = read(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool write_all(int fd, const void *data, size_t size) {
    const unsigned char *at = data;
    while (size > 0) {
        errno = EIO; // should nothing be written
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

// The payload behind a verified header, or NULL and why not. Only files that nobody but their owner could have written are
// trusted.
static unsigned char *read_verified(int fd, uid_t owner, mst_cache_key key, size_t *size, const char **why) {
    struct stat st;
    header head;
    unsigned char *payload = NULL;
    *why = "not a private regular file";
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != owner || (st.st_mode & 022))
        return NULL;
    *why = "damaged";
    if (!read_all(fd, &head, sizeof head) || memcmp(head.magic, magic, sizeof magic) != 0 || !same_key(head.key, key) ||
        head.size == 0 || head.size > MAX_PAYLOAD || (uint64_t)st.st_size != sizeof head + head.size)
        return NULL;
    payload = malloc((size_t)head.size);
    if (!payload || !read_all(fd, payload, (size_t)head.size) || !same_key(hash(payload, (size_t)head.size), head.digest)) {
        free(payload);
        return NULL;
    }
    *size = (size_t)head.size;
    return payload;
}

// The path is relative to the directory, a descriptor, unless it is absolute.
static unsigned char *load_file(mst_context *context, int directory, const char *path, uid_t owner, mst_cache_key key,
                                size_t *size) {
    const char *why = NULL;
    int fd = openat(directory, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    unsigned char *payload = read_verified(fd, owner, key, size, &why);
    close(fd);
    if (!payload)
        mst_log(context, MST_LOG_INFO, "cache: %s is %s; building from source", path, why);
    return payload;
}

unsigned char *mst_cache_load(mst_context *context, mst_cache_key key, size_t *size) {
    char path[4096];
    if (!context->cache_directory)
        return load_kept(context, key, size);
    return file_path(context->cache_directory, key, path, sizeof path) ? load_file(context, AT_FDCWD, path, geteuid(), key, size)
                                                                       : NULL;
}

unsigned char *mst_cache_load_program(mst_context *context, mst_cache_key key, size_t *size) {
    char path[64];
    unsigned char *payload = NULL;
    if (context->system_cache >= 0 && file_path(".", key, path, sizeof path))
        payload = load_file(context, context->system_cache, path, 0, key, size);
    return payload ? payload : mst_cache_load(context, key, size);
}

bool mst_cache_make_directory(const char *path) {
    char part[4096];
    size_t length = strlen(path);
    errno = ENAMETOOLONG;
    if (length >= sizeof part)
        return false;
    memcpy(part, path, length + 1);
    for (size_t i = 1; i <= length; i++)
        if (part[i] == '/' || part[i] == '\0') {
            char kept = part[i];
            part[i] = '\0';
            if (mkdir(part, 0700) != 0 && errno != EEXIST)
                return false;
            part[i] = kept;
        }
    return true;
}

// All users may read what is kept for them.
static mode_t mode_of_files(const mst_context *context) {
    struct stat own, system;
    return context->system_cache >= 0 && fstat(context->system_cache, &system) == 0 &&
                   stat(context->cache_directory, &own) == 0 && own.st_dev == system.st_dev && own.st_ino == system.st_ino
               ? 0644
               : 0600;
}

// Names of files that are not whole yet tell the process, so that whoever ends it knows which ones to remove.
static bool write_file(const mst_context *context, const char *path, const header *head, const unsigned char *payload) {
    char temporary[4096 + 40];
    snprintf(temporary, sizeof temporary, "%s.%ld-XXXXXX", path, (long)getpid());
    int fd = mst_cache_make_directory(context->cache_directory) ? mkostemp(temporary, O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    bool good = write_all(fd, head, sizeof *head) && write_all(fd, payload, (size_t)head->size) &&
                fchmod(fd, mode_of_files(context)) == 0;
    int code = good ? 0 : errno;
    if (close(fd) != 0 && !code)
        code = errno;
    if (!code && rename(temporary, path) == 0)
        return true;
    code = code ? code : errno;
    unlink(temporary);
    errno = code;
    return false;
}

void mst_cache_store(mst_context *context, mst_cache_key key, const unsigned char *payload, size_t size) {
    char path[4096];
    if (!context->cache_directory) {
        keep(context, key, payload, size);
        return;
    }
    header head = {.key = key, .size = size, .digest = hash(payload, size)};
    memcpy(head.magic, magic, sizeof magic);
    if (!file_path(context->cache_directory, key, path, sizeof path) || !write_file(context, path, &head, payload))
        mst_log(context, MST_LOG_INFO, "cache: cannot write in %s: %s", context->cache_directory, strerror(errno));
}

int mst_cache_lock(const mst_context *context) {
    int lock = context->cache_directory && mst_cache_make_directory(context->cache_directory)
                   ? open(context->cache_directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                   : -1;
    while (lock >= 0 && flock(lock, LOCK_EX) != 0 && errno == EINTR)
        continue;
    return lock;
}

void mst_cache_unlock(int lock) {
    if (lock >= 0)
        close(lock);
}
