#include "copy.h"

#include <string.h>

// A loop of a copy.
typedef struct loop {
    size_t n;
    ptrdiff_t to, from; // strides
} loop;

enum { TILE = 16 }; // elements a side: a tile's lines of cache fit the first level on either side

static ptrdiff_t size_of(ptrdiff_t stride) { return stride < 0 ? -stride : stride; }

// The loops with more than one turn, the longest steps of `to` outside, those that continue one another as one. Returns how many.
static int make_loops(int rank, const size_t *count, const ptrdiff_t *to, const ptrdiff_t *from, loop *loops) {
    int n = 0;
    for (int k = 0; k < rank; k++) {
        if (count[k] == 1)
            continue;
        int at = n++;
        for (; at > 0 && size_of(loops[at - 1].to) < size_of(to[k]); at--)
            loops[at] = loops[at - 1];
        loops[at] = (loop){count[k], to[k], from[k]};
    }
    int merged = 0;
    for (int k = 0; k < n; k++) {
        loop *outer = merged ? &loops[merged - 1] : NULL, *inner = &loops[k];
        if (outer && outer->to == inner->to * (ptrdiff_t)inner->n && outer->from == inner->from * (ptrdiff_t)inner->n)
            *outer = (loop){outer->n * inner->n, inner->to, inner->from};
        else
            loops[merged++] = *inner;
    }
    return merged;
}

typedef struct wide {
    uint64_t halves[2];
} wide;

#define TILES(type)                                                                                                              \
    static void tiles_##type(const loop *a, const loop *b, void *to, const void *from) {                                         \
        typedef type element;                                                                                                    \
        element *t = to;                                                                                                         \
        const element *f = from;                                                                                                 \
        for (size_t i0 = 0; i0 < a->n; i0 += TILE)                                                                               \
            for (size_t j0 = 0; j0 < b->n; j0 += TILE)                                                                           \
                for (size_t i = i0; i < a->n && i < i0 + TILE; i++)                                                              \
                    for (size_t j = j0; j < b->n && j < j0 + TILE; j++)                                                          \
                        t[(ptrdiff_t)i * a->to + (ptrdiff_t)j * b->to] = f[(ptrdiff_t)i * a->from + (ptrdiff_t)j * b->from];     \
    }
TILES(uint32_t)
TILES(uint64_t)
TILES(wide)

static void copy_tiles(const loop *a, const loop *b, size_t bytes, char *to, const char *from) {
    if (bytes == 4)
        tiles_uint32_t(a, b, to, from);
    else if (bytes == 8)
        tiles_uint64_t(a, b, to, from);
    else
        tiles_wide(a, b, to, from);
}

// The last one or two loops are a run of bytes or tiles; the others go around them.
static void copy_loops(const loop *loops, int n, size_t bytes, char *to, const char *from) {
    static const loop once = {1, 0, 0};
    bool run = n > 0 && loops[n - 1].to == 1 && loops[n - 1].from == 1;
    if (n == 0)
        memcpy(to, from, bytes);
    else if (n == 1 && run)
        memcpy(to, from, loops[0].n * bytes);
    else if (n <= 2 && !run)
        copy_tiles(n == 2 ? &loops[0] : &once, &loops[n - 1], bytes, to, from);
    else
        for (size_t i = 0; i < loops[0].n; i++)
            copy_loops(loops + 1, n - 1, bytes, to + (ptrdiff_t)i * loops[0].to * (ptrdiff_t)bytes,
                       from + (ptrdiff_t)i * loops[0].from * (ptrdiff_t)bytes);
}

void mst_mpi_copy(int rank, const size_t *count, size_t bytes, void *to, const ptrdiff_t *to_strides, const void *from,
                  const ptrdiff_t *from_strides) {
    loop loops[MST_MAX_RANK];
    for (int k = 0; k < rank; k++)
        if (!count[k])
            return;
    copy_loops(loops, make_loops(rank, count, to_strides, from_strides, loops), bytes, to, from);
}
