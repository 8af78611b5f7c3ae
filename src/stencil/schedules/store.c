#include "store.h"

#include "runtime/pinned.h"
#include "runtime/pool.h"
#include "stream/transfer.h"

#include <stdlib.h>
#include <string.h>

static uint64_t array_bytes(const mst_problem *p) { return p->nodes * p->element; }

uint64_t mst_store_bytes(const mst_problem *p, int copies) {
    return (uint64_t)(copies * p->n_arrays + p->n_coefficients) * array_bytes(p);
}

bool mst_store_is_direct(const mst_context *context, mst_stencil_store kind) {
    return kind == MST_STENCIL_STORE_PINNED || (kind == MST_STENCIL_STORE_MEMORY && context->device.unified_memory);
}

mst_status mst_store_create(mst_context *context, const mst_problem *problem, mst_stencil_store kind, int copies, int file,
                            uint64_t file_offset, mst_store *h, mst_error *error) {
    mst_status status = MST_OK;
    *h = (mst_store){.context = context, .problem = problem, .kind = kind, .copies = copies};
    h->n_arrays = copies * problem->n_arrays + problem->n_coefficients;
    h->file = file;
    h->file_offset = file_offset;
    h->direct = mst_store_is_direct(context, kind);
    if (kind == MST_STENCIL_STORE_FILE)
        return MST_OK;
    MST_REQUIRE(h->arrays = calloc((size_t)h->n_arrays, sizeof *h->arrays), MST_ERROR_HOST_MEMORY, "out of memory for a grid");
    for (int a = 0; a < h->n_arrays; a++) {
        if (kind == MST_STENCIL_STORE_PINNED) {
            void *memory;
            MST_TRY(mst_pinned_create(context, array_bytes(problem), &memory, error));
            h->arrays[a] = memory;
        } else {
            h->arrays[a] = malloc((size_t)array_bytes(problem));
        }
        MST_REQUIRE(h->arrays[a], MST_ERROR_HOST_MEMORY,
                    "out of memory for an array of %llu bytes; the working copy can be a file",
                    (unsigned long long)array_bytes(problem));
    }
fail:
    return status;
}

void mst_store_release(mst_store *h) {
    for (int a = 0; h->arrays && a < h->n_arrays; a++)
        if (h->kind == MST_STENCIL_STORE_PINNED)
            mst_pinned_destroy(h->context, h->arrays[a]);
        else
            free(h->arrays[a]);
    free(h->arrays);
    *h = (mst_store){0};
}

static mst_transfer transfer_of(const mst_store *h, int array) {
    const size_t shape[] = {(size_t)h->problem->nodes};
    mst_transfer t = {.layout = mst_layout_dense(h->problem->is_double ? MST_FLOAT64 : MST_FLOAT32, 1, shape),
                      .name = "the grid"};
    t.where = h->arrays ? mst_at_host(h->arrays[array])
                        : mst_at_file(h->file, h->file_offset + (uint64_t)array * array_bytes(h->problem));
    return t;
}

mst_status mst_store_get(mst_store *h, int array, uint64_t first, uint64_t count, void *to, mst_error *error) {
    const mst_transfer t = transfer_of(h, array);
    size_t element = h->problem->element;
    return mst_transfer_read(h->context->pool, &t, (size_t)first * element, (size_t)(first + count) * element, to, error);
}

mst_status mst_store_put(mst_store *h, int array, uint64_t first, uint64_t count, const void *from, mst_error *error) {
    const mst_transfer t = transfer_of(h, array);
    size_t element = h->problem->element;
    return mst_transfer_write(h->context->pool, &t, (size_t)first * element, (size_t)(first + count) * element, from, error);
}

mst_status mst_slot_create(const mst_store *h, uint64_t bytes, mst_slot_memory *slot, mst_error *error) {
    mst_status status = MST_OK;
    void *mapped;
    *slot = (mst_slot_memory){0};
    if (h->direct)
        return MST_OK;
    MST_REQUIRE(mst_budget_take(h->context, &h->context->host_memory, bytes), MST_ERROR_BUDGET,
                "staging needs %llu bytes of host memory; %llu of the budget are left", (unsigned long long)bytes,
                (unsigned long long)mst_budget_left(h->context, &h->context->host_memory));
    slot->bytes = bytes;
    MST_TRY(mst_pinned_map(h->context, bytes, "staging", &slot->buffer, &mapped, error));
    slot->mapped = mapped;
fail:
    return status;
}

void mst_slot_release(const mst_store *h, mst_slot_memory *slot) {
    if (slot->moved) {
        clWaitForEvents(1, &slot->moved);
        clReleaseEvent(slot->moved);
    }
    if (slot->buffer)
        mst_pinned_unmap(h->context, slot->buffer, slot->mapped);
    if (slot->bytes)
        mst_budget_give(h->context, &h->context->host_memory, slot->bytes);
    *slot = (mst_slot_memory){0};
}

// A rectangular part that is in one piece both in the store and in a window.
typedef struct piece {
    size_t count[N_AXES]; // planes, rows, columns
    uint64_t store;       // its first element in the array
    uint64_t window;      // and in the window
} piece;

static int64_t wrapped(int64_t i, int64_t n) { return (i % n + n) % n; }

// How far from i on a box's axis stays in one piece.
static int64_t run_length(int64_t i, int64_t end, int64_t length, int64_t slot, int64_t slots) {
    int64_t n = end - i, in_store = length - wrapped(i, length), in_window = slots - slot;
    n = n < in_store ? n : in_store;
    return n < in_window ? n : in_window;
}

typedef mst_status (*piece_fn)(const piece *part, void *user, mst_error *error);

static mst_status each_piece(const mst_problem *p, const mst_box *box, const mst_window *w, piece_fn call, void *user,
                             mst_error *error) {
    mst_status status = MST_OK;
    const int64_t *n = (const int64_t *)p->grid;
    const int64_t slots[] = {w->planes, w->rows, w->columns}, first[] = {w->first_plane, w->first_row, w->first_column};
    int64_t at[N_AXES], length[N_AXES], slot[N_AXES];
    for (at[0] = box->from[0]; at[0] < box->to[0]; at[0] += length[0]) {
        slot[0] = wrapped(at[0] - first[0], slots[0]);
        length[0] = run_length(at[0], box->to[0], n[0], slot[0], slots[0]);
        for (at[1] = box->from[1]; at[1] < box->to[1]; at[1] += length[1]) {
            slot[1] = wrapped(at[1] - first[1], slots[1]);
            length[1] = run_length(at[1], box->to[1], n[1], slot[1], slots[1]);
            for (at[2] = box->from[2]; at[2] < box->to[2]; at[2] += length[2]) {
                slot[2] = wrapped(at[2] - first[2], slots[2]);
                length[2] = run_length(at[2], box->to[2], n[2], slot[2], slots[2]);
                piece part = {.window = (uint64_t)((slot[0] * slots[1] + slot[1]) * slots[2] + slot[2])};
                for (int k = 0; k < N_AXES; k++) {
                    part.count[k] = (size_t)length[k];
                    part.store = part.store * p->grid[k] + (uint64_t)wrapped(at[k], n[k]);
                }
                MST_TRY(call(&part, user, error));
            }
        }
    }
fail:
    return status;
}

typedef struct mover {
    mst_store *store;
    const mst_window *window;
    mst_slot_memory *slot;
    int array, target; // of the store and of the window
    bool up;
    const cl_event *wait;
    uint64_t staged; // bytes of the staging used so far
    const mst_box *box;
    uint64_t bytes;
} mover;

static mst_status remember(mover *m, cl_event event) {
    if (m->slot->moved)
        clReleaseEvent(m->slot->moved);
    m->slot->moved = event;
    return MST_OK;
}

static bool has_whole_rows(const piece *part, const mst_problem *p, const mst_window *w) {
    return part->count[2] == p->grid[COLUMNS] && (size_t)w->columns == part->count[2];
}

// In one piece in the store as well as in the window.
static bool is_contiguous(const piece *part, const mst_problem *p, const mst_window *w) {
    bool whole_planes = part->count[1] == p->grid[ROWS] && (size_t)w->rows == part->count[1];
    if (has_whole_rows(part, p, w))
        return part->count[0] == 1 || whole_planes;
    return part->count[0] == 1 && part->count[1] == 1;
}

// A piece as a rectangular copy sees it: whole rows of both sides are one row a plane, as copies of short rows are slow, unless
// these would be farther apart than drivers let rows be.
typedef struct rectangle {
    size_t region[3], in_store[3], at_window[3], store_pitch[2], window_pitch[2];
} rectangle;

static rectangle rectangle_of(const piece *part, const mst_problem *p, const mst_window *w) {
    size_t e = p->element, columns = (size_t)p->grid[COLUMNS], rows = (size_t)p->grid[ROWS];
    size_t w_columns = (size_t)w->columns, w_rows = (size_t)w->rows, most = rows > w_rows ? rows : w_rows;
    if (has_whole_rows(part, p, w) && most * columns * e <= INT32_MAX)
        return (rectangle){
            .region = {part->count[1] * columns * e, part->count[0], 1},
            .in_store = {(size_t)part->store % (rows * columns) * e, (size_t)part->store / columns / rows, 0},
            .at_window = {(size_t)part->window % (w_rows * columns) * e, (size_t)part->window / columns / w_rows, 0},
            .store_pitch = {rows * columns * e, 0},
            .window_pitch = {w_rows * columns * e, 0}};
    return (rectangle){.region = {part->count[2] * e, part->count[1], part->count[0]},
                       .in_store = {(size_t)part->store % columns * e, (size_t)part->store / columns % rows,
                                    (size_t)part->store / columns / rows},
                       .at_window = {(size_t)part->window % w_columns * e, (size_t)part->window / w_columns % w_rows,
                                     (size_t)part->window / w_columns / w_rows},
                       .store_pitch = {columns * e, rows * columns * e},
                       .window_pitch = {w_columns * e, w_rows * w_columns * e}};
}

// One piece, by the device's own copy between the store's memory and the window.
static mst_status move_direct(const piece *part, void *user, mst_error *error) {
    mst_status status = MST_OK;
    mover *m = user;
    const rectangle r = rectangle_of(part, m->store->problem, m->window);
    size_t e = m->store->problem->element, bytes = r.region[0] * r.region[1] * r.region[2];
    cl_command_queue queue = m->up ? m->store->context->upload : m->store->context->download;
    cl_mem buffer = m->window->buffers[m->target];
    unsigned char *host = m->store->arrays[m->array];
    cl_event event = NULL;
    cl_uint n_wait = m->wait ? 1 : 0;
    bool contiguous = is_contiguous(part, m->store->problem, m->window);
    if (contiguous && m->up)
        MST_TRY_CL(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, (size_t)part->window * e, bytes, host + part->store * e, n_wait,
                                        m->wait, &event),
                   "cannot upload a block");
    else if (contiguous)
        MST_TRY_CL(clEnqueueReadBuffer(queue, buffer, CL_FALSE, (size_t)part->window * e, bytes, host + part->store * e, n_wait,
                                       m->wait, &event),
                   "cannot download a block");
    else if (m->up)
        MST_TRY_CL(clEnqueueWriteBufferRect(queue, buffer, CL_FALSE, r.at_window, r.in_store, r.region, r.window_pitch[0],
                                            r.window_pitch[1], r.store_pitch[0], r.store_pitch[1], host, n_wait, m->wait, &event),
                   "cannot upload a block");
    else
        MST_TRY_CL(clEnqueueReadBufferRect(queue, buffer, CL_FALSE, r.at_window, r.in_store, r.region, r.window_pitch[0],
                                           r.window_pitch[1], r.store_pitch[0], r.store_pitch[1], host, n_wait, m->wait, &event),
                   "cannot download a block");
    m->bytes += bytes;
    return remember(m, event);
fail:
    return status;
}

// One piece between the store and the staging, where pieces lie one behind the other. Blocks.
static mst_status move_staged(const piece *part, void *user, mst_error *error) {
    mst_status status = MST_OK;
    mover *m = user;
    const mst_problem *p = m->store->problem;
    mst_transfer t = transfer_of(m->store, m->array);
    const size_t shape[] = {part->count[0], part->count[1], part->count[2]};
    size_t bytes = shape[0] * shape[1] * shape[2] * p->element;
    t.layout = mst_layout_dense(t.layout.type, N_AXES, shape);
    t.layout.strides[ROWS] = (ptrdiff_t)p->grid[COLUMNS];
    t.layout.strides[PLANES] = (ptrdiff_t)p->plane;
    if (t.where.place == MST_PLACE_HOST)
        t.where.host = (unsigned char *)t.where.host + part->store * p->element;
    else
        t.where.offset += part->store * p->element;
    unsigned char *staging = m->slot->mapped + m->staged;
    MST_TRY(m->up ? mst_transfer_read(m->store->context->pool, &t, 0, bytes, staging, error)
                  : mst_transfer_write(m->store->context->pool, &t, 0, bytes, staging, error));
    m->staged += bytes;
fail:
    return status;
}

// One piece between the staging and the window.
static mst_status move_device(const piece *part, void *user, mst_error *error) {
    mst_status status = MST_OK;
    mover *m = user;
    const rectangle r = rectangle_of(part, m->store->problem, m->window);
    const size_t zero[] = {0, 0, 0};
    size_t bytes = r.region[0] * r.region[1] * r.region[2];
    cl_command_queue queue = m->up ? m->store->context->upload : m->store->context->download;
    cl_event event = NULL;
    if (m->up)
        MST_TRY_CL(clEnqueueWriteBufferRect(queue, m->window->buffers[m->target], CL_FALSE, r.at_window, zero, r.region,
                                            r.window_pitch[0], r.window_pitch[1], r.region[0], r.region[0] * r.region[1],
                                            m->slot->mapped + m->staged, m->wait ? 1 : 0, m->wait, &event),
                   "cannot upload a block");
    else
        MST_TRY_CL(clEnqueueReadBufferRect(queue, m->window->buffers[m->target], CL_FALSE, r.at_window, zero, r.region,
                                           r.window_pitch[0], r.window_pitch[1], r.region[0], r.region[0] * r.region[1],
                                           m->slot->mapped + m->staged, m->wait ? 1 : 0, m->wait, &event),
                   "cannot download a block");
    m->staged += bytes;
    m->bytes += bytes;
    return remember(m, event);
fail:
    return status;
}

static mst_status each_array(mover *m, int first, int n, piece_fn call, mst_error *error) {
    mst_status status = MST_OK;
    m->staged = 0;
    for (int a = 0; a < n; a++) {
        m->array = first + a;
        m->target = a;
        MST_TRY(each_piece(m->store->problem, m->box, m->window, call, m, error));
    }
fail:
    return status;
}

static bool is_empty(const mst_box *box) {
    for (int axis = 0; axis < N_AXES; axis++)
        if (box->to[axis] <= box->from[axis])
            return true;
    return false;
}

mst_status mst_store_upload(mst_store *h, int first, int n, const mst_box *box, const mst_window *window, mst_slot_memory *slot,
                            const cl_event *wait, mst_error *error, uint64_t *bytes) {
    mst_status status = MST_OK;
    mover m = {.store = h, .window = window, .slot = slot, .up = true, .wait = wait && *wait ? wait : NULL, .box = box};
    if (n == 0 || is_empty(box))
        return MST_OK;
    if (!h->direct)
        MST_TRY(each_array(&m, first, n, move_staged, error));
    MST_TRY(each_array(&m, first, n, h->direct ? move_direct : move_device, error));
    MST_TRY_CL(clFlush(h->context->upload), "cannot upload a block");
    *bytes += m.bytes;
fail:
    return status;
}

mst_status mst_store_download(mst_store *h, int first, int n, const mst_box *box, const mst_window *window, mst_slot_memory *slot,
                              const cl_event *wait, mst_error *error, uint64_t *bytes) {
    mst_status status = MST_OK;
    mover m = {.store = h, .window = window, .slot = slot, .wait = wait && *wait ? wait : NULL, .box = box};
    if (n == 0 || is_empty(box))
        return MST_OK;
    MST_TRY(each_array(&m, first, n, h->direct ? move_direct : move_device, error));
    MST_TRY_CL(clFlush(h->context->download), "cannot download a block");
    *bytes += m.bytes;
    slot->pending = !h->direct;
    slot->failures = h->failures;
    slot->box = *box;
    slot->window = *window;
    slot->first_array = first;
    slot->n_arrays = n;
fail:
    return status;
}

mst_status mst_store_settle(mst_store *h, mst_slot_memory *slot, mst_error *error) {
    mst_status status = MST_OK;
    if (slot->moved) {
        MST_TRY_CL(clWaitForEvents(1, &slot->moved), "a copy between host and device failed");
        clReleaseEvent(slot->moved);
        slot->moved = NULL;
    }
    if (slot->pending) {
        mover m = {.store = h, .window = &slot->window, .slot = slot, .box = &slot->box};
        slot->pending = false;
        if (slot->failures == h->failures)
            MST_TRY(each_array(&m, slot->first_array, slot->n_arrays, move_staged, error));
    }
fail:
    return status;
}
