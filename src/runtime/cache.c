#include "cache.h"

#include <errno.h>
#include <fcntl.h>
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

mst_status mst_cache_system_directory(mst_context *context, char **out, mst_error *error) {
    const char *named = getenv("MASTABA_SYSTEM_CACHE"), *path = named && *named ? named : MST_SYSTEM_CACHE;
    struct stat st;
    *out = NULL;
    if (stat(path, &st) != 0)
        return MST_OK;
    if (!S_ISDIR(st.st_mode) || st.st_uid != 0 || (st.st_mode & 022)) {
        mst_log(context, MST_LOG_INFO, "cache: %s is not used, as others than root can write in it", path);
        return MST_OK;
    }
    return (*out = strdup(path)) ? MST_OK : mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory making a context");
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
    return n > 0 && (size_t)n < size;
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

static unsigned char *load_file(mst_context *context, const char *directory, uid_t owner, mst_cache_key key, size_t *size) {
    char path[4096];
    const char *why = NULL;
    if (!file_path(directory, key, path, sizeof path))
        return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    unsigned char *payload = read_verified(fd, owner, key, size, &why);
    close(fd);
    if (!payload)
        mst_log(context, MST_LOG_INFO, "cache: %s is %s; building from source", path, why);
    return payload;
}

unsigned char *mst_cache_load(mst_context *context, mst_cache_key key, size_t *size) {
    unsigned char *payload = context->system_cache ? load_file(context, context->system_cache, 0, key, size) : NULL;
    if (payload)
        return payload;
    return context->cache_directory ? load_file(context, context->cache_directory, geteuid(), key, size)
                                    : load_kept(context, key, size);
}

bool mst_cache_make_directory(const char *path) {
    char part[4096];
    size_t length = strlen(path);
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

void mst_cache_store(mst_context *context, mst_cache_key key, const unsigned char *payload, size_t size) {
    char path[4096], temporary[4096 + 8];
    if (!context->cache_directory) {
        keep(context, key, payload, size);
        return;
    }
    header head = {.key = key, .size = size, .digest = hash(payload, size)};
    memcpy(head.magic, magic, sizeof magic);
    if (!file_path(context->cache_directory, key, path, sizeof path))
        return;
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int fd = mst_cache_make_directory(context->cache_directory) ? mkostemp(temporary, O_CLOEXEC) : -1;
    if (fd < 0) {
        mst_log(context, MST_LOG_INFO, "cache: cannot write in %s: %s", context->cache_directory, strerror(errno));
        return;
    }
    bool good = write_all(fd, &head, sizeof head) && write_all(fd, payload, size);
    good = close(fd) == 0 && good;
    if (!good || rename(temporary, path) != 0) {
        mst_log(context, MST_LOG_INFO, "cache: cannot write %s: %s", path, strerror(errno));
        unlink(temporary);
    }
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
