#include "transfer.h"

#include "runtime/numbers.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define CHUNK ((size_t)1 << 20)            // packed bytes that one thread moves at a time
#define STREAMING_THRESHOLD ((size_t)4096) // below, ordinary stores
#define RUNS_AHEAD 16                      // that a row of runs asks for
#define ASKED_BYTES ((size_t)256)          // of each; the rest follows by itself
#if defined(__has_builtin)
#if __has_builtin(__builtin_prefetch)
#define ASK(at) __builtin_prefetch(at)
#endif
#endif
#ifndef ASK
#define ASK(at) ((void)(at))
#endif

// An array as nested loops around contiguous runs of bytes; neighbouring axes that continue one another are merged.
typedef struct runs {
    size_t run_bytes;
    int n_dims; // of runs, fastest last
    size_t count[MST_MAX_RANK];
    int64_t stride[MST_MAX_RANK]; // bytes
} runs;

static runs runs_of(const mst_layout *layout) {
    runs r = {.run_bytes = mst_type_bytes(layout->type)};
    int64_t element = (int64_t)r.run_bytes;
    size_t count[MST_MAX_RANK];
    int64_t stride[MST_MAX_RANK];
    int n = 0; // here fastest first
    for (int k = layout->rank - 1; k >= 0; k--) {
        size_t c = layout->shape[k];
        int64_t s = layout->strides[k] * element;
        if (c == 1)
            continue;
        if (n == 0 && s == (int64_t)r.run_bytes)
            r.run_bytes *= c;
        else if (n > 0 && s == stride[n - 1] * (int64_t)count[n - 1])
            count[n - 1] *= c;
        else {
            count[n] = c;
            stride[n++] = s;
        }
    }
    r.n_dims = n;
    for (int k = 0; k < n; k++) {
        r.count[k] = count[n - 1 - k];
        r.stride[k] = stride[n - 1 - k];
    }
    return r;
}

// memcpy that writes around the cache: the data are read next by a device, or not at all.
static void stream_copy(void *to, const void *from, size_t bytes) {
#if defined(__SSE2__)
    unsigned char *d = to;
    const unsigned char *s = from;
    if (bytes >= STREAMING_THRESHOLD) {
        size_t head = (16 - (uintptr_t)d % 16) % 16;
        memcpy(d, s, head);
        d += head;
        s += head;
        bytes -= head;
        for (; bytes >= 64; bytes -= 64, d += 64, s += 64) {
            __m128i a = _mm_loadu_si128((const __m128i *)(const void *)s);
            __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(s + 16));
            __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(s + 32));
            __m128i e = _mm_loadu_si128((const __m128i *)(const void *)(s + 48));
            _mm_stream_si128((__m128i *)(void *)d, a);
            _mm_stream_si128((__m128i *)(void *)(d + 16), b);
            _mm_stream_si128((__m128i *)(void *)(d + 32), c);
            _mm_stream_si128((__m128i *)(void *)(d + 48), e);
        }
        _mm_sfence();
    }
    memcpy(d, s, bytes);
#else
    memcpy(to, from, bytes);
#endif
}

static mst_status file_error(const char *name, const char *verb, mst_error *error) {
    return mst_fail(error, MST_ERROR_IO, "cannot %s %s: %s", verb, name, strerror(errno));
}

static mst_status cached_read(const mst_transfer *t, int64_t offset, unsigned char *to, size_t bytes, mst_error *error) {
    while (bytes > 0) {
        ssize_t n = pread(t->where.file, to, bytes, (off_t)((int64_t)t->where.offset + offset));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return file_error(t->name, "read", error);
        if (n == 0)
            return mst_fail(error, MST_ERROR_IO, "the file of %s ends %zu bytes too early", t->name, bytes);
        to += n;
        offset += n;
        bytes -= (size_t)n;
    }
    return MST_OK;
}

static mst_status cached_write(const mst_transfer *t, int64_t offset, const unsigned char *from, size_t bytes, mst_error *error) {
    while (bytes > 0) {
        ssize_t n = pwrite(t->where.file, from, bytes, (off_t)((int64_t)t->where.offset + offset));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return file_error(t->name, "write", error);
        from += n;
        offset += n;
        bytes -= (size_t)n;
    }
    return MST_OK;
}

mst_status mst_transfer_read_bytes(const mst_transfer *t, int64_t offset, void *packed, size_t bytes, mst_error *error) {
    unsigned char *to = packed;
    size_t begin = 0, end = 0;
    if (t->direct)
        mst_direct_read(t->direct, t->where.offset + (uint64_t)offset, to, bytes, &begin, &end);
    mst_status status = cached_read(t, offset, to, begin, error);
    return status == MST_OK ? cached_read(t, offset + (int64_t)end, to + end, bytes - end, error) : status;
}

static mst_status file_write(const mst_transfer *t, int64_t offset, const unsigned char *from, size_t bytes, mst_error *error) {
    size_t begin = 0, end = 0;
    if (t->direct)
        mst_direct_write(t->direct, t->where.offset + (uint64_t)offset, from, bytes, &begin, &end);
    mst_status status = cached_write(t, offset, from, begin, error);
    return status == MST_OK ? cached_write(t, offset + (int64_t)end, from + end, bytes - end, error) : status;
}

typedef struct task {
    const mst_transfer *transfer;
    runs runs;
    size_t begin, end;
    unsigned char *packed;
    uint64_t row_bytes, pitch_bytes; // of packed memory; 0: without gaps
    bool write;
} task;

static mst_status move_run(const task *t, int64_t offset, unsigned char *packed, size_t bytes, mst_error *error) {
    const mst_transfer *a = t->transfer;
    if (a->where.place == MST_PLACE_FILE)
        return t->write ? file_write(a, offset, packed, bytes, error) : mst_transfer_read_bytes(a, offset, packed, bytes, error);
    unsigned char *host = (unsigned char *)a->where.host + offset;
    stream_copy(t->write ? host : packed, t->write ? packed : host, bytes);
    return MST_OK;
}

// A row of single elements in host memory: the inner loop of arrays with gaps (one channel of interleaved sound, say).
#define MOVE_ELEMENTS(T)                                                                                                         \
    for (size_t i = 0; i < n; i++) {                                                                                             \
        if (write)                                                                                                               \
            memcpy(host + (int64_t)i * stride, packed + i * sizeof(T), sizeof(T));                                               \
        else                                                                                                                     \
            memcpy(packed + i * sizeof(T), host + (int64_t)i * stride, sizeof(T));                                               \
    }

static void move_elements(unsigned char *host, unsigned char *packed, size_t bytes, size_t n, int64_t stride, bool write) {
    switch (bytes) {
    case 1:
        MOVE_ELEMENTS(uint8_t)
        break;
    case 2:
        MOVE_ELEMENTS(uint16_t)
        break;
    case 4:
        MOVE_ELEMENTS(uint32_t)
        break;
    case 8:
        MOVE_ELEMENTS(uint64_t)
        break;
    default:
        for (size_t i = 0; i < n; i++)
            memcpy(write ? host + (int64_t)i * stride : packed + i * bytes,
                   write ? packed + i * bytes : host + (int64_t)i * stride, bytes);
    }
}

void mst_transfer_move_runs(unsigned char *host, unsigned char *packed, size_t bytes, size_t n, int64_t stride, bool write) {
    for (size_t i = 0; i < n; i++, host += stride, packed += bytes) {
        for (size_t at = 0; i + RUNS_AHEAD < n && at < mst_smaller(bytes, ASKED_BYTES); at += 64)
            ASK(host + RUNS_AHEAD * stride + at);
        memcpy(write ? host : packed, write ? packed : host, bytes);
    }
}

// Where byte `at` of the array lies in packed memory, and how many bytes follow it there without a gap.
static uint64_t packed_place(const task *t, uint64_t at, uint64_t *together) {
    if (!t->row_bytes) {
        *together = UINT64_MAX;
        return at;
    }
    *together = t->row_bytes - at % t->row_bytes;
    return at / t->row_bytes * t->pitch_bytes + at % t->row_bytes;
}

// Moves packed bytes begin..end-1, walking the runs like an odometer.
static mst_status move_range(const task *t, size_t begin, size_t end, mst_error *error) {
    const runs *r = &t->runs;
    size_t at[MST_MAX_RANK] = {0}, run = begin / r->run_bytes, skip = begin % r->run_bytes;
    int64_t offset = 0;
    int last = r->n_dims - 1;
    for (int k = last; k >= 0; k--) {
        at[k] = run % r->count[k];
        run /= r->count[k];
        offset += (int64_t)at[k] * r->stride[k];
    }
    bool rows = last >= 0 && t->transfer->where.place == MST_PLACE_HOST && r->run_bytes < STREAMING_THRESHOLD;
    while (begin < end) {
        uint64_t together;
        unsigned char *packed = t->packed + packed_place(t, begin - t->begin, &together);
        size_t bytes = r->run_bytes - skip, n = 1;
        together = mst_smaller(together, (uint64_t)(end - begin));
        if (rows && skip == 0 && together >= r->run_bytes) {
            size_t row = r->count[last] - at[last], left = together / r->run_bytes;
            unsigned char *host = (unsigned char *)t->transfer->where.host + offset;
            n = mst_smaller(row, left);
            bytes = n * r->run_bytes;
            if (r->run_bytes <= 64)
                move_elements(host, packed, r->run_bytes, n, r->stride[last], t->write);
            else
                mst_transfer_move_runs(host, packed, r->run_bytes, n, r->stride[last], t->write);
        } else {
            bytes = mst_smaller(bytes, together);
            mst_status status = move_run(t, offset + (int64_t)skip, packed, bytes, error);
            if (status != MST_OK)
                return status;
        }
        begin += bytes;
        skip = (skip + bytes) % r->run_bytes;
        if (last < 0 || skip > 0)
            continue;
        at[last] += n;
        offset += (int64_t)n * r->stride[last];
        for (int k = last; k > 0 && at[k] == r->count[k]; k--) {
            at[k] = 0;
            at[k - 1]++;
            offset += r->stride[k - 1] - (int64_t)r->count[k] * r->stride[k];
        }
    }
    return MST_OK;
}

static mst_status move_chunk(size_t i, void *user, mst_error *error) {
    const task *t = user;
    size_t begin = t->begin + i * CHUNK;
    return move_range(t, begin, t->end - begin < CHUNK ? t->end : begin + CHUNK, error);
}

static mst_status transfer(mst_pool *pool, const task *work, mst_error *error) {
    task own = *work;
    own.runs = runs_of(&own.transfer->layout);
    return mst_pool_run(pool, mst_divide_up(own.end - own.begin, CHUNK), move_chunk, &own, error);
}

mst_status mst_transfer_read(mst_pool *pool, const mst_transfer *t, size_t begin, size_t end, void *packed, mst_error *error) {
    return transfer(pool, &(task){.transfer = t, .begin = begin, .end = end, .packed = packed}, error);
}

mst_status mst_transfer_write(mst_pool *pool, const mst_transfer *t, size_t begin, size_t end, const void *packed,
                              mst_error *error) {
    return transfer(
        pool, &(task){.transfer = t, .begin = begin, .end = end, .packed = (unsigned char *)(uintptr_t)packed, .write = true},
        error);
}

static mst_status transfer_rows(mst_pool *pool, const mst_transfer *t, uint64_t row_bytes, uint64_t pitch_bytes, void *packed,
                                bool write, mst_error *error) {
    const task work = {.transfer = t,
                       .end = mst_layout_count(&t->layout) * mst_type_bytes(t->layout.type),
                       .packed = packed,
                       .row_bytes = row_bytes,
                       .pitch_bytes = pitch_bytes,
                       .write = write};
    return transfer(pool, &work, error);
}

mst_status mst_transfer_read_rows(mst_pool *pool, const mst_transfer *t, uint64_t row_bytes, uint64_t pitch_bytes, void *packed,
                                  mst_error *error) {
    return transfer_rows(pool, t, row_bytes, pitch_bytes, packed, false, error);
}

mst_status mst_transfer_write_rows(mst_pool *pool, const mst_transfer *t, uint64_t row_bytes, uint64_t pitch_bytes,
                                   const void *packed, mst_error *error) {
    return transfer_rows(pool, t, row_bytes, pitch_bytes, (unsigned char *)(uintptr_t)packed, true, error);
}
