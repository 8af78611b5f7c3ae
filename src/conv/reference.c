// The sequential reference (section 1 of the paper's comparison): plain C, one thread, one pair of vectors at a time.
#include "plan.h"

#include "fft/twiddle.h"
#include "runtime/numbers.h"
#include "stream/places.h"
#include "stream/transfer.h"

#include <stdlib.h>
#include <string.h>

#define REAL float
#define NAME(x) x##_single
#include "reference.h"
#undef REAL
#undef NAME
#define REAL double
#define NAME(x) x##_double
#include "reference.h"

// Made with the plan.
typedef struct mst_reference {
    mst_pool *pool;                // without threads of its own: the reference is sequential
    void *x, *y, *scratch, *table; // vectors of 2^log_n complex numbers, and the twiddles
    void *line;                    // one vector of an array, packed
} mst_reference;

// One execution.
typedef struct call {
    const mst_convolution *plan;
    mst_transfer arrays[N_ARRAYS]; // with the axis last, in the host's reach
    void *mirror[N_ARRAYS];        // host copies of what lies on the device
    mst_location device[N_ARRAYS]; // where those came from
} call;

// Copies the bytes that a device array spans to the host, or back.
static mst_status mirror_device(call *r, int a, bool back, mst_error *error) {
    mst_status status = MST_OK;
    const mst_layout *layout = mst_convolution_layout(r->plan, a);
    int64_t low, high, element = (int64_t)mst_type_bytes(layout->type);
    mst_layout_extent(layout, &low, &high);
    size_t bytes = (size_t)((high - low) * element), at = (size_t)((int64_t)r->device[a].offset + low * element);
    mst_queue queue = MST_QUEUE(r->plan->context, r->plan->context->compute);
    if (!back) {
        MST_REQUIRE(r->mirror[a] = malloc(bytes), MST_ERROR_HOST_MEMORY, "out of memory for a host copy of %zu bytes", bytes);
        r->arrays[a].where = mst_at_host((char *)r->mirror[a] - low * element);
        MST_TRY(mst_queue_read(&queue, r->device[a].buffer, at, bytes, r->mirror[a], r->arrays[a].name, error));
    } else {
        MST_TRY(mst_queue_write(&queue, CL_TRUE, r->device[a].buffer, at, bytes, r->mirror[a], r->arrays[a].name, error));
        MST_TRY(mst_queue_finish(&queue, error));
    }
fail:
    mst_queue_release(&queue);
    return status;
}

static mst_status create(mst_convolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    size_t n = (size_t)1 << plan->log_n, vector = n * mst_type_bytes(plan->work_type), longest = 0;
    mst_reference *r = plan->work = calloc(1, sizeof *r);
    MST_REQUIRE(r, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    MST_TRY(mst_pool_create(0, &r->pool, error));
    for (int a = 0; a < N_ARRAYS; a++) {
        size_t bytes = plan->lengths[a] * mst_type_bytes(mst_convolution_layout(plan, a)->type);
        longest = mst_larger(bytes, longest);
    }
    r->x = malloc(vector);
    r->y = malloc(vector);
    r->scratch = malloc(vector);
    r->table = malloc(vector + mst_type_bytes(plan->work_type));
    r->line = malloc(longest);
    MST_REQUIRE(r->x && r->y && r->scratch && r->table && r->line, MST_ERROR_HOST_MEMORY,
                "out of memory for vectors of %zu bytes", vector);
    if (plan->work_type == MST_COMPLEX64)
        fill_table_single(r->table, n);
    else
        fill_table_double(r->table, n);
fail:
    return status;
}

static void destroy(void *work) {
    mst_reference *r = work;
    if (!r)
        return;
    mst_pool_destroy(r->pool);
    free(r->x);
    free(r->y);
    free(r->scratch);
    free(r->table);
    free(r->line);
    free(r);
}

static mst_status find_arrays(call *r, const mst_location *where, mst_error *error) {
    static const char *const names[N_ARRAYS] = {"x", "y", "z"};
    for (int a = 0; a < N_ARRAYS; a++) {
        const mst_layout *layout = mst_convolution_layout(r->plan, a);
        r->arrays[a] = (mst_transfer){mst_layout_axis_last(layout, r->plan->desc.axes[0]), where[a], names[a], NULL};
        r->device[a] = where[a];
        mst_status status = where[a].place == MST_PLACE_DEVICE ? mirror_device(r, a, false, error) : MST_OK;
        if (status != MST_OK)
            return status;
    }
    return MST_OK;
}

static mst_status load(const call *r, int a, size_t line, void *vector, mst_error *error) {
    const mst_convolution *plan = r->plan;
    const mst_reference *work = plan->work;
    mst_type type = mst_convolution_layout(plan, a)->type;
    size_t bytes = plan->lengths[a] * mst_type_bytes(type), n = (size_t)1 << plan->log_n;
    size_t begin = plan->n_lines[a] == 1 ? 0 : line * bytes;
    int reversal = a == Y ? plan->reversal : 0;
    mst_status status = mst_transfer_read(work->pool, &r->arrays[a], begin, begin + bytes, work->line, error);
    if (status != MST_OK)
        return status;
    if (plan->work_type == MST_COMPLEX64)
        load_single(work->line, type, plan->lengths[a], reversal, vector, n);
    else
        load_double(work->line, type, plan->lengths[a], reversal, vector, n);
    return MST_OK;
}

static mst_status convolve_line(const call *r, size_t line, mst_error *error) {
    mst_status status = MST_OK;
    const mst_convolution *plan = r->plan;
    const mst_reference *work = plan->work;
    size_t bytes = plan->lengths[Z] * mst_type_bytes(plan->desc.z.type);
    MST_TRY(load(r, X, line, work->x, error));
    MST_TRY(load(r, Y, line, work->y, error));
    if (plan->work_type == MST_COMPLEX64) {
        convolve_single(work->x, work->y, work->scratch, work->table, plan->log_n);
        store_single(plan, work->y, work->line);
    } else {
        convolve_double(work->x, work->y, work->scratch, work->table, plan->log_n);
        store_double(plan, work->y, work->line);
    }
    MST_TRY(mst_transfer_write(work->pool, &r->arrays[Z], line * bytes, (line + 1) * bytes, work->line, error));
fail:
    return status;
}

static mst_status execute(mst_convolution *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    call r = {.plan = plan};
    mst_execution e;
    double start = mst_now();
    const mst_stream_desc ports = {.context = plan->context,
                                   .n_ports = N_ARRAYS,
                                   .ports = {{MST_PORT_INPUT, plan->desc.x, 0, "x"},
                                             {MST_PORT_INPUT, plan->desc.y, 0, "y"},
                                             {MST_PORT_OUTPUT, plan->desc.z, 0, "z"}}};
    MST_TRY(mst_host_run_begin(&ports, where, how, &e, error));
    MST_TRY(find_arrays(&r, where, error));
    for (size_t line = 0; line < plan->n_lines[Z]; line++) {
        MST_REQUIRE(!e.progress || e.progress(line, plan->n_lines[Z], e.progress_user), MST_ERROR_CANCELLED, "cancelled");
        MST_TRY(convolve_line(&r, line, error));
    }
    if (where[Z].place == MST_PLACE_DEVICE)
        MST_TRY(mirror_device(&r, Z, true, error));
    MST_REQUIRE(!e.progress || e.progress(plan->n_lines[Z], plan->n_lines[Z], e.progress_user), MST_ERROR_CANCELLED, "cancelled");
    const mst_report report = {.seconds = mst_now() - start, .blocks = plan->n_lines[Z]};
    MST_TRY(mst_host_run_end(plan->context, &e, &report, error));
fail:
    for (int a = 0; a < N_ARRAYS; a++)
        free(r.mirror[a]);
    return status;
}

const mst_convolution_method mst_reference_method = {create, destroy, execute, NULL};
