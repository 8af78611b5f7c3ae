#include "store.h"

#include "nonfinite.h"
#include "runtime/numbers.h"
#include "runtime/pinned.h"
#include "runtime/pool.h"
#include "stencil/scheme/layers.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { PART = 1 << 20 }; // elements that a thread looks at in one go

mst_status mst_store_create(mst_context *context, const mst_problem *problem, const mst_plan *plan, int file,
                            uint64_t file_offset, mst_store *s, mst_error *error) {
    mst_status status = MST_OK;
    *s = (mst_store){.context = context,
                     .problem = problem,
                     .memory = plan->footprint.parts[MST_FOOTPRINT_STORE],
                     .copies = mst_plan_copies(plan),
                     .is_direct = plan->is_direct,
                     .file = file,
                     .file_offset = file_offset,
                     .up = MST_QUEUE(context, context->upload),
                     .down = MST_QUEUE(context, context->download)};
    const mst_allocation *a = &s->memory;
    if (a->memory == MST_MEMORY_FILE)
        return MST_OK;
    MST_REQUIRE(s->arrays = calloc((size_t)a->count, sizeof *s->arrays), MST_ERROR_HOST_MEMORY, "out of memory for a grid");
    for (uint64_t k = 0; k < a->count; k++) {
        // Memory variables of a part that their layers are not in have no nodes.
        const uint64_t nodes = mst_larger(mst_store_nodes(s, (int)k), (uint64_t)1), bytes = nodes * mst_store_element(s, (int)k);
        if (a->memory == MST_MEMORY_PINNED) {
            void *memory;
            MST_TRY(mst_pinned_create(context, (size_t)bytes, &memory, error));
            s->arrays[k] = memory;
        } else {
            s->arrays[k] = malloc((size_t)bytes);
        }
        MST_REQUIRE(s->arrays[k], MST_ERROR_HOST_MEMORY,
                    "out of memory for an array of %llu bytes; the backing store can be a file", (unsigned long long)bytes);
    }
fail:
    return status;
}

void mst_store_release(mst_store *s) {
    for (uint64_t k = 0; s->arrays && k < s->memory.count; k++)
        if (s->memory.memory == MST_MEMORY_PINNED)
            mst_pinned_destroy(s->context, s->arrays[k]);
        else
            free(s->arrays[k]);
    free(s->arrays);
    mst_queue_release(&s->up);
    mst_queue_release(&s->down);
    *s = (mst_store){.context = NULL};
}

int mst_store_array(const mst_store *s, int array) {
    const int n = s->problem->n_arrays, first_coefficient = s->copies * n;
    return array < first_coefficient ? array % n : array - first_coefficient + n;
}

size_t mst_store_element(const mst_store *s, int array) { return s->problem->elements[mst_store_array(s, array)]; }

uint64_t mst_store_nodes(const mst_store *s, int array) { return mst_layers_array_nodes(s->problem, mst_store_array(s, array)); }

// In a file the arrays lie one behind the other.
static uint64_t offset_of(const mst_store *s, int array) {
    uint64_t offset = s->file_offset;
    for (int before = 0; before < array; before++)
        offset += mst_store_nodes(s, before) * mst_store_element(s, before);
    return offset;
}

// A type of so many bytes.
static mst_type type_of(size_t element) { return element == 8 ? MST_FLOAT64 : element == 4 ? MST_FLOAT32 : MST_UINT16; }

mst_transfer mst_store_transfer(const mst_store *s, int array) {
    const size_t shape[] = {(size_t)mst_store_nodes(s, array)};
    const mst_type type = type_of(mst_store_element(s, array));
    mst_transfer t = {.layout = mst_layout_dense(type, 1, shape), .name = "the grid"};
    t.where = s->arrays ? mst_at_host(s->arrays[array]) : mst_at_file(s->file, offset_of(s, array));
    return t;
}

// Of the store's arrays that of the state's copy number `copy`, or of the coefficient fields, which come behind all copies.
static int find_array(const mst_store *s, int copy, int array) {
    int n = s->problem->n_arrays;
    return array < n ? array + copy * n : array + (s->copies - 1) * n;
}

mst_status mst_store_get(mst_store *s, int copy, int array, uint64_t first, uint64_t count, void *to, mst_error *error) {
    const mst_transfer t = mst_store_transfer(s, find_array(s, copy, array));
    size_t element = s->problem->elements[array];
    return mst_transfer_read(s->context->pool, &t, (size_t)first * element, (size_t)(first + count) * element, to, error);
}

mst_status mst_store_put(mst_store *s, int copy, int array, uint64_t first, uint64_t count, const void *from, mst_error *error) {
    const mst_transfer t = mst_store_transfer(s, find_array(s, copy, array));
    size_t element = s->problem->elements[array];
    return mst_transfer_write(s->context->pool, &t, (size_t)first * element, (size_t)(first + count) * element, from, error);
}

const void *mst_store_see(const mst_store *s, int copy, int array, uint64_t first) {
    return s->arrays ? s->arrays[find_array(s, copy, array)] + first * s->problem->elements[array] : NULL;
}

typedef struct counting {
    mst_pool *pool;
    mst_transfer from;
    uint64_t nodes;
    atomic_ullong count;
} counting;

// What lies in memory is read where it is; of a file, each thread reads a part of its own.
static mst_status count_part(size_t part, void *user, mst_error *error) {
    mst_status status = MST_OK;
    counting *c = user;
    const size_t element = mst_type_bytes(c->from.layout.type), first = part * PART;
    const size_t n = (size_t)mst_smaller(c->nodes - first, (uint64_t)PART);
    const unsigned char *values =
        c->from.where.place == MST_PLACE_HOST ? (unsigned char *)c->from.where.host + first * element : NULL;
    void *read = NULL;
    if (!values) {
        MST_REQUIRE(read = malloc(n * element), MST_ERROR_HOST_MEMORY, "out of memory looking at a field");
        MST_TRY(mst_transfer_read(c->pool, &c->from, first * element, (first + n) * element, read, error));
        values = read;
    }
    atomic_fetch_add(&c->count, mst_nonfinite_count(values, n, element));
fail:
    free(read);
    return status;
}

mst_status mst_store_count_nonfinite(const mst_store *s, int copy, int array, uint64_t *count, mst_error *error) {
    counting c = {.pool = s->context->pool,
                  .from = mst_store_transfer(s, find_array(s, copy, array)),
                  .nodes = mst_layers_array_nodes(s->problem, array)};
    mst_status status = mst_pool_run(s->context->pool, (size_t)mst_divide_up(c.nodes, (uint64_t)PART), count_part, &c, error);
    *count = c.count;
    return status;
}
