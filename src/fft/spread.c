#include "spread.h"

#include "runtime/description.h"
#include "runtime/layout.h"
#include "runtime/numbers.h"

#include <math.h>
#include <stdlib.h>

// ---- What an array is

mst_status mst_spread_check(mst_context *context, mst_type type, int rank, const size_t *shape, mst_error *error) {
    mst_status status = MST_OK;
    size_t bytes = mst_type_bytes(type);
    MST_REQUIRE(type == MST_COMPLEX64 || type == MST_COMPLEX128, MST_ERROR_ARGUMENT,
                "type is %s; spread arrays are of complex64 or complex128", mst_type_name(type));
    MST_REQUIRE(rank >= 1 && rank <= MST_MAX_AXES, MST_ERROR_ARGUMENT, "rank is %d; spread arrays have 1 to %d axes", rank,
                MST_MAX_AXES);
    for (int k = 0; k < rank; k++)
        MST_REQUIRE(shape[k] > 0 && mst_multiply(bytes, shape[k], &bytes) && bytes <= PTRDIFF_MAX, MST_ERROR_ARGUMENT,
                    "shape[%d] is %zu; spread arrays have at least one element and less than 2^63 bytes", k, shape[k]);
    for (size_t k = 0; k < mst_group_size(context) && type == MST_COMPLEX128; k++)
        MST_REQUIRE(mst_group_member(context, k)->device.fp64, MST_ERROR_UNSUPPORTED, "%s has no float64; use complex64",
                    mst_group_member(context, k)->device.name);
fail:
    return status;
}

mst_spread_place mst_spread_natural(int rank, const size_t *shape) {
    mst_spread_place p = {.rows = shape[0], .columns = 1, .unit = rank > 2 ? shape[2] : 1, .grain = 1};
    if (rank == 1)
        return p;
    p.columns = shape[1];
    p.grain = mst_spread_row(&p);
    return p;
}

static size_t largest_divisor_to_root(size_t n) {
    size_t root = (size_t)sqrt((double)n);
    while (root > n / root)
        root--;
    while (n % root != 0)
        root--;
    return root;
}

mst_spread_place mst_spread_transposed(int rank, const size_t *shape, bool behind) {
    mst_spread_place p = mst_spread_natural(rank, shape);
    p.by_columns = true;
    if (rank == 1) {
        const size_t few = largest_divisor_to_root(shape[0]), many = shape[0] / few;
        p.rows = behind ? many : few;
        p.columns = behind ? few : many;
    }
    return p;
}

bool mst_spread_same(const mst_spread_place *a, const mst_spread_place *b) {
    return a->by_columns == b->by_columns && (!a->by_columns || (a->rows == b->rows && a->columns == b->columns));
}

// ---- Making one

static size_t most_elements(const mst_spread_desc *d, size_t k, size_t n) {
    const mst_spread_place places[] = {mst_spread_natural(d->rank, d->shape), mst_spread_transposed(d->rank, d->shape, false),
                                       mst_spread_transposed(d->rank, d->shape, true)};
    size_t most = 1;
    for (size_t i = 0; i < MST_COUNT(places); i++)
        most = mst_larger(most, mst_spread_elements(&places[i], k, n));
    return most;
}

static mst_status take_memory(mst_spread *array, size_t k, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = mst_group_member(array->context, k);
    mst_spread_memory *m = &array->memories[k];
    m->bytes = most_elements(&array->desc, k, array->n) * mst_type_bytes(array->desc.type);
    MST_REQUIRE(m->bytes <= context->device.max_allocation_bytes, MST_ERROR_DEVICE_MEMORY,
                "a part of the array has %llu bytes; %s allows %llu in one piece", (unsigned long long)m->bytes,
                context->device.name, (unsigned long long)context->device.max_allocation_bytes);
    MST_TRY(mst_budget_require(context, &context->device_memory, 2 * m->bytes, "a part of a spread array", error));
    for (int i = 0; i < 2; i++)
        MST_TRY(mst_device_allocate(context, CL_MEM_READ_WRITE, m->bytes, "a part of a spread array", &m->buffers[i], error));
fail:
    return status;
}

mst_status mst_spread_create(mst_context *context, const mst_spread_desc *desc, mst_spread **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_spread *array = NULL;
    mst_spread_desc d;
    if (out)
        *out = NULL;
    MST_REQUIRE(context && desc && out, MST_ERROR_ARGUMENT, "context, desc and out must not be NULL");
    MST_TRY(mst_description_read(MST_DESCRIPTION(mst_spread_desc, MST_SPREAD_DESC_INIT, shape), desc, &d, error));
    MST_TRY(mst_spread_check(context, d.type, d.rank, d.shape, error));
    MST_REQUIRE(array = calloc(1, sizeof *array), MST_ERROR_HOST_MEMORY, "out of memory making a spread array");
    array->context = context;
    array->desc = d;
    array->n = mst_group_size(context);
    array->place = mst_spread_natural(d.rank, d.shape);
    MST_REQUIRE(array->memories = calloc(array->n, sizeof *array->memories), MST_ERROR_HOST_MEMORY,
                "out of memory making a spread array");
    for (size_t k = 0; k < array->n; k++)
        MST_TRY(take_memory(array, k, error));
    *out = array;
    return MST_OK;
fail:
    mst_spread_destroy(array);
    return status;
}

void mst_spread_destroy(mst_spread *array) {
    if (!array)
        return;
    for (size_t k = 0; array->memories && k < array->n; k++)
        for (int i = 0; i < 2; i++)
            if (array->memories[k].buffers[i])
                mst_device_release(mst_group_member(array->context, k), array->memories[k].buffers[i], array->memories[k].bytes);
    free(array->memories);
    free(array);
}

mst_status mst_spread_describe_part(const mst_spread *array, size_t device, mst_spread_part *part, mst_error *error) {
    mst_status status = MST_OK;
    const mst_description *kind = MST_DESCRIPTION(mst_spread_part, MST_SPREAD_PART_INIT, start);
    mst_spread_part full = MST_SPREAD_PART_INIT;
    MST_REQUIRE(array && part, MST_ERROR_ARGUMENT, "array and part must not be NULL");
    MST_TRY(mst_description_check(kind, part, error));
    MST_REQUIRE(device < array->n, MST_ERROR_ARGUMENT, "there is no device %zu; the context has %zu", device, array->n);
    const mst_spread_place *p = &array->place;
    const mst_spread_range has = mst_spread_range_of(p, device, array->n);
    const bool is_matrix = array->desc.rank == 1 && p->by_columns;
    const size_t matrix[] = {p->rows, p->columns}, *shape = is_matrix ? matrix : array->desc.shape;
    const int rank = is_matrix ? 2 : array->desc.rank;
    const size_t each = p->by_columns ? p->unit : p->grain;
    size_t own[MST_MAX_AXES];
    for (int k = 0; k < rank; k++)
        full.whole[k] = own[k] = shape[k];
    full.buffer = array->memories[device].buffers[array->front];
    full.order = p->by_columns ? MST_SPREAD_TRANSPOSED : MST_SPREAD_NATURAL;
    full.axis = p->by_columns ? 1 : 0;
    full.start = has.first / each;
    own[full.axis] = has.count / each;
    full.layout = mst_layout_dense(array->desc.type, rank, own);
    mst_description_write(kind, &full, part);
fail:
    return status;
}

// ---- Copies

mst_status mst_spread_enqueue_copy(mst_queue *queue, const mst_spread_copy *c, bool up, mst_error *error) {
    mst_status status = MST_OK;
    const size_t begin[] = {c->at, 0, 0}, zero[] = {0, 0, 0}, region[] = {c->row_bytes, c->rows, 1};
    const bool is_one = c->rows == 1 || (c->pitch == c->row_bytes && c->host_pitch == c->row_bytes);
    cl_event event = NULL, *own;
    cl_uint n_waits;
    const cl_event *waits;
    cl_int code;
    mst_queue_expect_mark(queue);
    MST_TRY(mst_queue_begin(queue, &n_waits, &waits, &event, &own, error));
    if (is_one)
        code = up ? clEnqueueWriteBuffer(queue->opencl, c->buffer, CL_FALSE, c->at, c->row_bytes * c->rows, c->host, n_waits,
                                         waits, own)
                  : clEnqueueReadBuffer(queue->opencl, c->buffer, CL_FALSE, c->at, c->row_bytes * c->rows, c->host, n_waits,
                                        waits, own);
    else
        code = up ? clEnqueueWriteBufferRect(queue->opencl, c->buffer, CL_FALSE, begin, zero, region, c->pitch, 0, c->host_pitch,
                                             0, c->host, n_waits, waits, own)
                  : clEnqueueReadBufferRect(queue->opencl, c->buffer, CL_FALSE, begin, zero, region, c->pitch, 0, c->host_pitch,
                                            0, c->host, n_waits, waits, own);
    MST_TRY_CL(code, up ? "cannot upload a part of a spread array" : "cannot download a part of a spread array");
    MST_TRY(mst_queue_add(queue, event, "a copy of a spread array", NULL, error));
fail:
    return status;
}

// One device's, of all that move at once.
typedef struct moving {
    const mst_spread *array;
    unsigned char *host;
    bool up;
    mst_status *statuses;
    mst_error *errors;
} moving;

static mst_status move_part(const moving *m, size_t k, mst_error *error) {
    mst_status status = MST_OK;
    const mst_spread *array = m->array;
    mst_context *context = mst_group_member(array->context, k);
    const mst_spread_place *p = &array->place;
    const mst_spread_range has = mst_spread_range_of(p, k, array->n);
    const size_t element = mst_type_bytes(array->desc.type), row = p->by_columns ? mst_spread_row(p) : has.count;
    mst_queue queue = MST_QUEUE(context, m->up ? context->upload : context->download);
    const mst_spread_copy copy = {.buffer = array->memories[k].buffers[array->front],
                                  .pitch = has.count * element,
                                  .row_bytes = has.count * element,
                                  .rows = p->by_columns ? p->rows : 1,
                                  .host = m->host + has.first * element,
                                  .host_pitch = row * element};
    if (has.count == 0)
        return MST_OK;
    MST_TRY(mst_spread_enqueue_copy(&queue, &copy, m->up, error));
    MST_TRY(mst_queue_finish(&queue, error));
fail:
    if (status != MST_OK)
        mst_queue_abandon(&queue);
    mst_queue_release(&queue);
    return status;
}

static void move_one(size_t k, void *user) {
    const moving *m = user;
    m->statuses[k] = move_part(m, k, &m->errors[k]);
}

static mst_status move_all(const mst_spread *array, unsigned char *host, bool up, mst_error *error) {
    mst_status status = MST_OK;
    moving m = {.array = array, .host = host, .up = up};
    m.statuses = calloc(array->n, sizeof *m.statuses);
    m.errors = calloc(array->n, sizeof *m.errors);
    MST_REQUIRE(m.statuses && m.errors, MST_ERROR_HOST_MEMORY, "out of memory copying a spread array");
    MST_TRY(mst_group_run(array->n, move_one, &m, error));
    for (size_t k = 0; k < array->n && status == MST_OK; k++) {
        status = m.statuses[k];
        if (status != MST_OK && error)
            *error = m.errors[k];
    }
fail:
    free(m.statuses);
    free(m.errors);
    return status;
}

mst_status mst_spread_upload(mst_spread *array, const void *from, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(array && from, MST_ERROR_ARGUMENT, "array and from must not be NULL");
    array->place = mst_spread_natural(array->desc.rank, array->desc.shape);
    array->is_lost = true;
    MST_TRY(move_all(array, (unsigned char *)(uintptr_t)from, true, error));
    array->is_lost = false;
fail:
    return status;
}

mst_status mst_spread_download(mst_spread *array, void *to, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(array && to, MST_ERROR_ARGUMENT, "array and to must not be NULL");
    MST_REQUIRE(!array->is_lost, MST_ERROR_ARGUMENT, "the array was lost in a call that failed; upload it again");
    status = move_all(array, to, false, error);
fail:
    return status;
}
