// Arrays that are spread over the devices of a group (mastaba/spread.h). spread_place.h says in numbers which elements a device
// has, and what devices give one another; spread_exchange.h moves that, and spread_fft.c transforms.
#ifndef MST_FFT_SPREAD_H
#define MST_FFT_SPREAD_H

#include "runtime/group.h"
#include "runtime/queue.h"
#include "spread_place.h"

#include <mastaba/spread.h>

// One device's: an exchange, or a transform that leaves another order, goes from one buffer to the other.
typedef struct mst_spread_memory {
    cl_mem buffers[2];
    uint64_t bytes; // of each
} mst_spread_memory;

struct mst_spread {
    mst_context *context;
    mst_spread_desc desc;
    size_t n; // devices
    mst_spread_memory *memories;
    int front; // the buffer that holds the part
    mst_spread_place place;
    bool is_lost;
};

// Checks what a spread array is, by what the descriptions of arrays and of transforms have in common.
mst_status mst_spread_check(mst_context *context, mst_type type, int rank, const size_t *shape, mst_error *error);

// The places of an array: in natural order and in transposed order, before a forward transform or behind one (which matters to
// arrays of one axis only).
mst_spread_place mst_spread_natural(int rank, const size_t *shape);
mst_spread_place mst_spread_transposed(int rank, const size_t *shape, bool behind);
bool mst_spread_same(const mst_spread_place *a, const mst_spread_place *b);

// A copy between a rectangle of a buffer, `rows` of row_bytes that begin `pitch` apart from byte `at` on, and the host's, whose
// rows begin host_pitch apart. It does not block.
typedef struct mst_spread_copy {
    cl_mem buffer;
    size_t at, pitch, row_bytes, rows;
    unsigned char *host;
    size_t host_pitch;
} mst_spread_copy;
mst_status mst_spread_enqueue_copy(mst_queue *queue, const mst_spread_copy *copy, bool up, mst_error *error);

#endif
