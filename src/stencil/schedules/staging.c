#include "staging.h"

#include "memory.h"
#include "runtime/numbers.h"
#include "runtime/pinned.h"
#include "runtime/pool.h"
#include "stencil/scheme/layers.h"

mst_status mst_staging_create(const mst_store *store, const mst_allocation *part, mst_staging *slot, mst_error *error) {
    mst_status status = MST_OK;
    void *mapped;
    *slot = (mst_staging){.buffer = NULL};
    if (part->count == 0)
        return MST_OK;
    MST_REQUIRE(mst_budget_take(store->context, &store->context->host_memory, part->bytes), MST_ERROR_BUDGET,
                "%s needs %llu bytes of host memory; %llu of the budget are left", part->what, (unsigned long long)part->bytes,
                (unsigned long long)mst_budget_left(store->context, &store->context->host_memory));
    slot->bytes = part->bytes;
    MST_TRY(mst_pinned_map(store->context, part->bytes, part->what, &slot->buffer, &mapped, error));
    slot->mapped = mapped;
fail:
    return status;
}

void mst_staging_release(const mst_store *store, mst_staging *slot) {
    if (slot->moved) {
        clWaitForEvents(1, &slot->moved);
        clReleaseEvent(slot->moved);
    }
    if (slot->buffer)
        mst_pinned_unmap(store->context, slot->buffer, slot->mapped);
    if (slot->bytes)
        mst_budget_give(store->context, &store->context->host_memory, slot->bytes);
    *slot = (mst_staging){.buffer = NULL};
}

void mst_staging_abandon(mst_staging *slot) {
    mst_event_drop(&slot->moved);
    slot->pending = false;
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

// The store's array has so many nodes along the axes, and node i of an axis at i - skipped[axis].
typedef struct store_shape {
    uint64_t lengths[N_AXES];
    int64_t skipped[N_AXES];
} store_shape;

static mst_status each_piece(const mst_problem *p, const store_shape *of, const mst_box *box, const mst_window *w, piece_fn call,
                             void *user, mst_error *error) {
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
                piece part = {.window = (uint64_t)(w->begin + (slot[0] * slots[1] + slot[1]) * slots[2] + slot[2])};
                for (int k = 0; k < N_AXES; k++) {
                    part.count[k] = (size_t)length[k];
                    part.store = part.store * of->lengths[k] + (uint64_t)(wrapped(at[k], n[k]) - of->skipped[k]);
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
    mst_staging *slot;
    int array, target; // of the store and of the window
    bool up;
    const cl_event *wait;
    store_shape shape; // of the array
    uint64_t staged;   // bytes of the staging used so far
    const mst_box *box;
    uint64_t bytes;
} mover;

static mst_queue *queue_of(const mover *m) { return m->up ? &m->store->up : &m->store->down; }

static mst_status remember(const mover *m, cl_event event, mst_error *error) {
    mst_event_drop(&m->slot->moved);
    return mst_queue_add(queue_of(m), event, m->up ? "an upload" : "a download", &m->slot->moved, error);
}

static bool has_whole_rows(const piece *part, const store_shape *of, const mst_window *w) {
    return part->count[2] == of->lengths[COLUMNS] && (size_t)w->columns == part->count[2];
}

// In one piece in the store as well as in the window.
static bool is_contiguous(const piece *part, const store_shape *of, const mst_window *w) {
    bool whole_planes = part->count[1] == of->lengths[ROWS] && (size_t)w->rows == part->count[1];
    if (has_whole_rows(part, of, w))
        return part->count[0] == 1 || whole_planes;
    return part->count[0] == 1 && part->count[1] == 1;
}

// A piece as a rectangular copy sees it: whole rows of both sides are one row a plane, as copies of short rows are slow, unless
// these would be farther apart than drivers let rows be.
typedef struct rectangle {
    size_t region[3], in_store[3], at_window[3], store_pitch[2], window_pitch[2];
} rectangle;

static rectangle rectangle_of(const piece *part, const store_shape *of, const mst_window *w, size_t e) {
    size_t columns = (size_t)of->lengths[COLUMNS], rows = (size_t)of->lengths[ROWS];
    size_t w_columns = (size_t)w->columns, w_rows = (size_t)w->rows, most = rows > w_rows ? rows : w_rows;
    if (has_whole_rows(part, of, w) && most * columns * e <= INT32_MAX)
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
    size_t e = mst_store_element(m->store, m->array);
    const rectangle r = rectangle_of(part, &m->shape, m->window, e);
    size_t bytes = r.region[0] * r.region[1] * r.region[2];
    cl_command_queue queue = queue_of(m)->opencl;
    cl_mem buffer = m->window->buffers[m->target];
    unsigned char *host = m->store->arrays[m->array];
    cl_event event = NULL;
    cl_uint n_wait = m->wait ? 1 : 0;
    bool contiguous = is_contiguous(part, &m->shape, m->window);
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
    MST_TRY(remember(m, event, error));
fail:
    return status;
}

// One piece between the store and the staging, where pieces lie one behind the other. Blocks.
static mst_status move_staged(const piece *part, void *user, mst_error *error) {
    mst_status status = MST_OK;
    mover *m = user;
    mst_transfer t = mst_store_transfer(m->store, m->array);
    const size_t shape[] = {part->count[0], part->count[1], part->count[2]};
    size_t e = mst_store_element(m->store, m->array), bytes = shape[0] * shape[1] * shape[2] * e;
    t.layout = mst_layout_dense(t.layout.type, N_AXES, shape);
    t.layout.strides[ROWS] = (ptrdiff_t)m->shape.lengths[COLUMNS];
    t.layout.strides[PLANES] = (ptrdiff_t)(m->shape.lengths[ROWS] * m->shape.lengths[COLUMNS]);
    if (t.where.place == MST_PLACE_HOST)
        t.where.host = (unsigned char *)t.where.host + part->store * e;
    else
        t.where.offset += part->store * e;
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
    const rectangle r = rectangle_of(part, &m->shape, m->window, mst_store_element(m->store, m->array));
    const size_t zero[] = {0, 0, 0};
    size_t bytes = r.region[0] * r.region[1] * r.region[2];
    cl_command_queue queue = queue_of(m)->opencl;
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
    MST_TRY(remember(m, event, error));
fail:
    return status;
}

// The layers of a memory variable's axis, one after the other. Where it is periodic there are none.
static mst_status each_layer(mover *m, int axis, piece_fn call, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = m->store->problem;
    const mst_layer_nodes nodes = mst_layers_nodes(p, axis);
    const int64_t ends[2][2] = {{0, nodes.low}, {nodes.high, (int64_t)p->grid[axis]}};
    for (int side = 0; side < 2; side++) {
        mst_box box = *m->box;
        box.from[axis] = mst_larger(box.from[axis], ends[side][0]);
        box.to[axis] = mst_smaller(box.to[axis], ends[side][1]);
        m->shape.skipped[axis] = side ? nodes.high - nodes.low : 0;
        if (box.from[axis] < box.to[axis])
            MST_TRY(each_piece(p, &m->shape, &box, m->window, call, m, error));
    }
fail:
    return status;
}

static mst_status move_array(mover *m, piece_fn call, mst_error *error) {
    const mst_problem *p = m->store->problem;
    const int array = mst_store_array(m->store, m->array);
    m->shape = (store_shape){.skipped = {0}};
    mst_layers_grid(p, array, m->shape.lengths);
    return array < p->n_arrays && p->layer_axes[array] >= 0 ? each_layer(m, p->layer_axes[array], call, error)
                                                            : each_piece(p, &m->shape, m->box, m->window, call, m, error);
}

static mst_status each_array(mover *m, int first, int n, piece_fn call, mst_error *error) {
    mst_status status = MST_OK;
    m->staged = 0;
    for (int a = 0; a < n; a++) {
        m->array = first + a;
        m->target = a;
        MST_TRY(move_array(m, call, error));
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

mst_status mst_store_upload(mst_store *store, int first, int n, const mst_box *box, const mst_window *window, mst_staging *slot,
                            const cl_event *wait, mst_error *error, uint64_t *bytes) {
    mst_status status = MST_OK;
    mover m = {.store = store, .window = window, .slot = slot, .up = true, .wait = wait && *wait ? wait : NULL, .box = box};
    if (n == 0 || is_empty(box))
        return MST_OK;
    if (!store->is_direct)
        MST_TRY(each_array(&m, first, n, move_staged, error));
    MST_TRY(each_array(&m, first, n, store->is_direct ? move_direct : move_device, error));
    MST_TRY_CL(clFlush(store->context->upload), "cannot upload a block");
    *bytes += m.bytes;
fail:
    return status;
}

mst_status mst_store_download(mst_store *store, int first, int n, const mst_box *box, const mst_window *window, mst_staging *slot,
                              const cl_event *wait, mst_error *error, uint64_t *bytes) {
    mst_status status = MST_OK;
    mover m = {.store = store, .window = window, .slot = slot, .wait = wait && *wait ? wait : NULL, .box = box};
    if (n == 0 || is_empty(box))
        return MST_OK;
    MST_TRY(each_array(&m, first, n, store->is_direct ? move_direct : move_device, error));
    MST_TRY_CL(clFlush(store->context->download), "cannot download a block");
    *bytes += m.bytes;
    slot->pending = !store->is_direct;
    slot->box = *box;
    slot->window = *window;
    slot->first_array = first;
    slot->n_arrays = n;
fail:
    return status;
}

mst_status mst_store_settle(mst_store *store, mst_staging *slot, mst_error *error) {
    mst_status status = MST_OK;
    if (slot->moved) {
        MST_TRY_CL(clWaitForEvents(1, &slot->moved), "a copy between host and device failed");
        clReleaseEvent(slot->moved);
        slot->moved = NULL;
    }
    if (slot->pending) {
        mover m = {.store = store, .window = &slot->window, .slot = slot, .box = &slot->box};
        slot->pending = false;
        MST_TRY(each_array(&m, slot->first_array, slot->n_arrays, move_staged, error));
    }
fail:
    return status;
}
