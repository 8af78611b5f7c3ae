#include "direct.h"

#include "ram.h"
#include "runtime/numbers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE ((size_t)4096)                       // what requests begin and end with; no device asks for more
#define REQUEST_BYTES ((size_t)1 << 20)           // of one at most,
#define COPIED_BYTES ((size_t)128 << 10)          // and where it is copied
#define LEAST_READ PAGE                           // smaller ones would read more around them than themselves
#define LEAST_UNALIGNED_WRITE ((size_t)256 << 10) // whose first and last page go through the cache, which reads them before
#define ROOM (COPIED_BYTES + 2 * PAGE)

struct mst_direct_file {
    mst_context *context;
    int file;
    uint64_t bytes;      // taken of the budget
    atomic_bool refused; // by the file system
    pthread_mutex_t mutex;
    pthread_cond_t given_back;
    int n_free;
    void *memory, *free[MST_DIRECT_REQUESTS]; // aligned, for one request each
};

unsigned mst_direct_threads(const mst_context *context) {
    const unsigned most = MST_DIRECT_REQUESTS - 1;
    return context->copy_threads && context->copy_threads < most ? context->copy_threads : most;
}

bool mst_direct_suits(uint64_t bytes) {
    const char *asked = getenv("MASTABA_DIRECT_IO");
    if (asked && *asked)
        return strcmp(asked, "0") != 0;
    return bytes > mst_ram_available("") / 2;
}

mst_direct_file *mst_direct_open(mst_context *context, mst_location where, bool writes) {
#ifdef O_DIRECT
    char path[64];
    mst_direct_file *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    *d = (mst_direct_file){.context = context, .file = -1};
    pthread_mutex_init(&d->mutex, NULL);
    pthread_cond_init(&d->given_back, NULL);
    snprintf(path, sizeof path, "/proc/self/fd/%d", where.file);
    const uint64_t bytes = MST_DIRECT_REQUESTS * ROOM;
    if (mst_budget_take(context, &context->host_memory, bytes)) {
        d->bytes = bytes;
        d->file = open(path, (writes ? O_RDWR : O_RDONLY) | O_DIRECT | O_CLOEXEC);
    }
    if (d->file < 0 || posix_memalign(&d->memory, PAGE, bytes) != 0) {
        d->memory = NULL;
        mst_direct_close(d);
        return NULL;
    }
    for (; d->n_free < MST_DIRECT_REQUESTS; d->n_free++)
        d->free[d->n_free] = (char *)d->memory + (size_t)d->n_free * ROOM;
    return d;
#else
    (void)context, (void)where, (void)writes;
    return NULL;
#endif
}

void mst_direct_close(mst_direct_file *d) {
    if (!d)
        return;
    if (d->file >= 0)
        close(d->file);
    free(d->memory);
    mst_budget_give(d->context, &d->context->host_memory, d->bytes);
    pthread_cond_destroy(&d->given_back);
    pthread_mutex_destroy(&d->mutex);
    free(d);
}

static void *take_memory(mst_direct_file *d) {
    pthread_mutex_lock(&d->mutex);
    while (d->n_free == 0)
        pthread_cond_wait(&d->given_back, &d->mutex);
    void *memory = d->free[--d->n_free];
    pthread_mutex_unlock(&d->mutex);
    return memory;
}

static void give_memory(mst_direct_file *d, void *memory) {
    pthread_mutex_lock(&d->mutex);
    d->free[d->n_free++] = memory;
    pthread_cond_signal(&d->given_back);
    pthread_mutex_unlock(&d->mutex);
}

// One request of whole pages; how many bytes of it were moved, a multiple of pages unless the file ends.
static size_t request(mst_direct_file *d, bool write, uint64_t offset, void *memory, size_t bytes) {
    size_t done = 0;
    while (done < bytes && done % PAGE == 0) {
        char *at = (char *)memory + done;
        ssize_t n = write ? pwrite(d->file, at, bytes - done, (off_t)(offset + done))
                          : pread(d->file, at, bytes - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EINVAL)
            d->refused = true;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

// As many whole pages of memory that is aligned as the file, from a page's beginning on, without a copy; how many bytes were
// moved.
static size_t move_aligned(mst_direct_file *d, bool write, uint64_t offset, void *memory, size_t bytes) {
    size_t done = 0;
    if (offset % PAGE != 0 || (uintptr_t)memory % PAGE != 0)
        return 0;
    for (const size_t whole = bytes / PAGE * PAGE; done < whole;) {
        const size_t wanted = mst_smaller(whole - done, REQUEST_BYTES);
        const size_t moved = request(d, write, offset + done, (char *)memory + done, wanted);
        done += moved;
        if (moved < wanted)
            break;
    }
    return done;
}

void mst_direct_read(mst_direct_file *d, uint64_t offset, void *to, size_t bytes, size_t *begin, size_t *end) {
    *begin = *end = 0;
    if (d->refused || bytes < LEAST_READ)
        return;
    *end = move_aligned(d, false, offset, to, bytes);
    if (*end == bytes)
        return;
    void *memory = take_memory(d);
    while (*end < bytes) {
        const uint64_t at = offset + *end, first = at / PAGE * PAGE;
        const size_t skip = (size_t)(at - first), wanted = mst_smaller(bytes - *end, COPIED_BYTES);
        const size_t moved = request(d, false, first, memory, mst_divide_up(skip + wanted, PAGE) * PAGE);
        const size_t got = moved > skip ? mst_smaller(moved - skip, wanted) : 0;
        memcpy((char *)to + *end, (char *)memory + skip, got);
        *end += got;
        if (got < wanted)
            break;
    }
    give_memory(d, memory);
}

// The same of parts that are not whole pages: through memory that is.
static bool scatter_copied(mst_direct_file *d, uint64_t offset, const struct iovec *to, int n_parts, size_t bytes) {
    const size_t skip = (size_t)(offset % PAGE), wanted = mst_divide_up(skip + bytes, PAGE) * PAGE;
    char *memory = take_memory(d), *from = memory + skip;
    const bool done = request(d, false, offset - skip, memory, wanted) >= skip + bytes;
    for (int k = 0; k < n_parts && done; from += to[k].iov_len, k++)
        memcpy(to[k].iov_base, from, to[k].iov_len);
    give_memory(d, memory);
    return done;
}

bool mst_direct_scatter(mst_direct_file *d, uint64_t offset, const struct iovec *to, int n_parts) {
    size_t bytes = 0, odd = (size_t)(offset % PAGE);
    ssize_t n;
    for (int k = 0; k < n_parts; k++) {
        bytes += to[k].iov_len;
        odd |= ((uintptr_t)to[k].iov_base | to[k].iov_len) % PAGE;
    }
    if (!d || d->refused || bytes > COPIED_BYTES)
        return false;
    if (odd)
        return scatter_copied(d, offset, to, n_parts, bytes);
    do
        n = preadv(d->file, to, n_parts, (off_t)offset);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EINVAL)
        d->refused = true;
    return n == (ssize_t)bytes;
}

void mst_direct_write(mst_direct_file *d, uint64_t offset, const void *from, size_t bytes, size_t *begin, size_t *end) {
    const size_t head = (size_t)(PAGE - offset % PAGE) % PAGE, tail = (size_t)((offset + bytes) % PAGE);
    *begin = *end = 0;
    if (d->refused || head + tail >= bytes || (head + tail > 0 && bytes < LEAST_UNALIGNED_WRITE))
        return;
    *begin = head;
    *end = head + move_aligned(d, true, offset + head, (char *)(uintptr_t)from + head, bytes - head - tail);
    if (*end == bytes - tail)
        return;
    void *memory = take_memory(d);
    while (*end < bytes - tail) {
        const size_t wanted = mst_smaller(bytes - tail - *end, COPIED_BYTES);
        memcpy(memory, (const char *)from + *end, wanted);
        const size_t moved = request(d, true, offset + *end, memory, wanted);
        *end += moved;
        if (moved < wanted)
            break;
    }
    give_memory(d, memory);
}
