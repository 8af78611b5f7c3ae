// The published variants A to E on the device. Each block of pairs goes: load (convert, pad, reverse), the variant's own kernels,
// store (crop, fold, convert). The operand with a vector for every result is `wide`; the other, `narrow`, may have only one.
#include "plan.h"

#include "fft/twiddle.h"
#include "runtime/kernel.h"
#include "runtime/lines.h"
#include "runtime/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Private memory, in complex numbers, that one work-item may use (MAX_NP). The paper goes by vendor (512, 16384, else 256); here
// a GPU gets what an eighth of its memory holds for all work-items it may keep in flight, up to the paper's largest.
#define MAX_NP_GPU 16384
#define MAX_NP_OTHER 256
#define ITEMS_IN_FLIGHT 2048 // a compute unit

enum { TRANSFORM, MULTIPLY, CONVOLVE, REVERSE, BUTTERFLIES, SCALE, MULTIPLY_ELEMENTS, N_KERNELS };

static const char *const kernel_names[N_KERNELS] = {"transform_vector", "multiply_vector", "convolve_vector",  "reverse_elements",
                                                    "butterflies",      "scale_elements",  "multiply_elements"};

typedef struct operand {
    mst_kernel *kernel;         // load_operand or store_result
    cl_mem packed_lines, lines; // tables of mst_lines_create
    size_t lines_an_item;
} operand;

typedef struct mst_paper {
    mst_convolution *plan;
    mst_stream *stream;
    int wide, narrow; // X or Y
    bool one_narrow;  // a single vector of the narrow operand is transformed
    operand operands[N_ARRAYS];
    mst_kernel *kernels[N_KERNELS];
    cl_mem twiddles;
    uint64_t twiddle_bytes;
    cl_mem vectors[2]; // wide, narrow
    uint64_t vector_bytes[2];
    void *bounce; // A and D: the host's copy of what goes back and forth
} mst_paper;

static bool bounces(const mst_convolution *plan) {
    return plan->desc.algorithm == MST_CONVOLUTION_PAPER_A || plan->desc.algorithm == MST_CONVOLUTION_PAPER_D;
}

static bool one_item_a_vector(const mst_convolution *plan) {
    return plan->desc.algorithm != MST_CONVOLUTION_PAPER_D && plan->desc.algorithm != MST_CONVOLUTION_PAPER_E;
}

static size_t max_private(const mst_convolution *plan) {
    const mst_device_info *d = &plan->context->device;
    size_t n = MAX_NP_GPU;
    if (!(d->type & CL_DEVICE_TYPE_GPU))
        return MAX_NP_OTHER;
    while (n > MAX_NP_OTHER &&
           (uint64_t)n * mst_type_bytes(plan->work_type) * ITEMS_IN_FLIGHT * d->compute_units > d->memory_bytes / 8)
        n /= 2;
    return n;
}

static mst_status make_operand(mst_paper *paper, int a, mst_error *error) {
    mst_status status = MST_OK;
    mst_convolution *plan = paper->plan;
    operand *o = &paper->operands[a];
    const mst_layout *layout = mst_convolution_layout(plan, a);
    mst_layout packed = mst_layout_dense(layout->type, layout->rank, layout->shape);
    int precision = plan->work_type == MST_COMPLEX64 ? 32 : 64;
    char options[120];
    const mst_program *program;
    MST_TRY(mst_lines_create(plan->context, &packed, plan->desc.axes[0], &o->packed_lines, error));
    MST_TRY(mst_lines_create(plan->context, layout, plan->desc.axes[0], &o->lines, error));
    snprintf(options, sizeof options, "-D PRECISION=%d -D ELEMENT=%s -D ELEMENT_COMPLEX=%d", precision,
             mst_type_element(layout->type), mst_type_is_complex(layout->type));
    MST_TRY(mst_program_of_file(
        plan->context, a == Z ? "convolution: the result, from padded vectors" : "convolution: operands, to padded vectors",
        "operand.cl", options, &program, error));
    MST_TRY(mst_kernel_create(program, a == Z ? "store_result" : "load_operand", &o->kernel, error));
fail:
    return status;
}

static mst_status make_kernels(mst_paper *paper, mst_error *error) {
    mst_status status = MST_OK;
    mst_convolution *plan = paper->plan;
    char options[120], title[80];
    const mst_program *program;
    snprintf(title, sizeof title, "convolution: the published variants, %zu points", (size_t)1 << plan->log_n);
    snprintf(options, sizeof options, "-D PRECISION=%d -D LOG_N=%u -D MAX_NP=%zu", plan->work_type == MST_COMPLEX64 ? 32 : 64,
             plan->log_n, max_private(plan));
    MST_TRY(mst_program_of_file(plan->context, title, "paper.cl", options, &program, error));
    for (int k = 0; k < N_KERNELS; k++)
        MST_TRY(mst_kernel_create(program, kernel_names[k], &paper->kernels[k], error));
    size_t n = (size_t)1 << plan->log_n;
    MST_TRY(mst_twiddles_create(plan->context, plan->work_type, n, 1, n + 1, &paper->twiddles, &paper->twiddle_bytes, error));
    for (int a = 0; a < N_ARRAYS; a++)
        MST_TRY(make_operand(paper, a, error));
fail:
    return status;
}

static size_t lines_of(const mst_paper *paper, int role, size_t n_items) {
    return role == 1 && paper->one_narrow ? 1 : n_items * paper->operands[Z].lines_an_item;
}

static mst_status prepare(void *user, size_t n_items, mst_error *error) {
    mst_paper *paper = user;
    mst_status status = MST_OK;
    mst_context *context = paper->plan->context;
    for (int role = 0; role < 2; role++) {
        mst_device_release(context, paper->vectors[role], paper->vector_bytes[role]);
        paper->vectors[role] = NULL;
    }
    free(paper->bounce);
    paper->bounce = NULL;
    if (n_items == 0)
        return MST_OK;
    for (int role = 0; role < 2; role++) {
        paper->vector_bytes[role] = lines_of(paper, role, n_items) * mst_type_bytes(paper->plan->work_type) << paper->plan->log_n;
        MST_TRY(mst_device_allocate(context, CL_MEM_READ_WRITE, paper->vector_bytes[role], "the padded vectors",
                                    &paper->vectors[role], error));
    }
    if (bounces(paper->plan))
        MST_REQUIRE(paper->bounce = malloc((size_t)paper->vector_bytes[0]), MST_ERROR_HOST_MEMORY,
                    "out of memory: paper-a and paper-d need %llu bytes for intermediates",
                    (unsigned long long)paper->vector_bytes[0]);
fail:
    return status;
}

static mst_status enqueue(const mst_paper *paper, const mst_block *block, const mst_kernel *kernel, const mst_argument *arguments,
                          size_t n, size_t items, mst_error *error) {
    size_t group = mst_kernel_group(paper->plan->context, kernel, items);
    return mst_kernel_launch(block->queue, kernel, arguments, n, items, group, NULL, error);
}

static mst_status load(const mst_paper *paper, const mst_block *block, int a, cl_mem vectors, size_t n_lines, mst_error *error) {
    const mst_convolution *plan = paper->plan;
    const operand *o = &paper->operands[a];
    const mst_block_port *port = &block->ports[a];
    cl_mem lines = port->packed ? o->packed_lines : o->lines;
    cl_long base = port->base;
    // With one vector for all, line 0 is read for each: its table has no dimensions.
    cl_ulong first_line = port->first_item * o->lines_an_item, count = n_lines;
    cl_uint length = (cl_uint)plan->lengths[a], log_n = plan->log_n;
    cl_int reversal = a == Y ? plan->reversal : 0;
    const mst_argument arguments[] = {MST_BIND(operand, port->buffer), MST_BIND(base, base),     MST_BIND(first_line, first_line),
                                      MST_BIND(lines, lines),          MST_BIND(length, length), MST_BIND(reversal, reversal),
                                      MST_BIND(log_n, log_n),          MST_BIND(n_lines, count), MST_BIND(vectors, vectors)};
    return enqueue(paper, block, o->kernel, arguments, MST_COUNT(arguments), n_lines << plan->log_n, error);
}

static mst_status store(const mst_paper *paper, const mst_block *block, cl_mem vectors, mst_error *error) {
    const mst_convolution *plan = paper->plan;
    const operand *o = &paper->operands[Z];
    const mst_block_port *port = &block->ports[Z];
    cl_mem lines = port->packed ? o->packed_lines : o->lines;
    cl_long base = port->base;
    cl_uint log_n = plan->log_n, start = (cl_uint)plan->start, period = (cl_uint)plan->period, last = (cl_uint)plan->last;
    cl_ulong width = plan->lengths[Z], n_lines = block->count * o->lines_an_item,
             first_line = port->first_item * o->lines_an_item;
    const mst_argument arguments[] = {MST_BIND(vectors, vectors),       MST_BIND(log_n, log_n),         MST_BIND(start, start),
                                      MST_BIND(period, period),         MST_BIND(last, last),           MST_BIND(width, width),
                                      MST_BIND(n_lines, n_lines),       MST_BIND(result, port->buffer), MST_BIND(base, base),
                                      MST_BIND(first_line, first_line), MST_BIND(lines, lines)};
    return enqueue(paper, block, o->kernel, arguments, MST_COUNT(arguments), (size_t)(n_lines * width), error);
}

// A and D take every intermediate result to the host and back.
static mst_status bounce(const mst_paper *paper, const mst_block *block, cl_mem vectors, size_t n_lines, mst_error *error) {
    mst_status status = MST_OK;
    size_t bytes = n_lines * mst_type_bytes(paper->plan->work_type) << paper->plan->log_n;
    if (!paper->bounce)
        return MST_OK;
    MST_TRY(mst_queue_read(block->queue, vectors, 0, bytes, paper->bounce, "an intermediate result", error));
    MST_TRY(mst_queue_write(block->queue, CL_TRUE, vectors, 0, bytes, paper->bounce, "an intermediate result", error));
fail:
    return status;
}

// D and E: a launch for the reordering, for every stage and for the scaling.
static mst_status transform_by_elements(const mst_paper *paper, const mst_block *block, cl_mem vectors, size_t n_lines,
                                        cl_int inverse, mst_error *error) {
    mst_status status = MST_OK;
    cl_ulong elements = (cl_ulong)n_lines << paper->plan->log_n, half = elements / 2;
    const mst_argument whole[] = {MST_BIND(vectors, vectors), MST_BIND(n_elements, elements)};
    MST_TRY(enqueue(paper, block, paper->kernels[REVERSE], whole, MST_COUNT(whole), (size_t)elements, error));
    for (cl_uint stage = 0; stage < paper->plan->log_n; stage++) {
        const mst_argument arguments[] = {MST_BIND(vectors, vectors), MST_BIND(w, paper->twiddles), MST_BIND(n_butterflies, half),
                                          MST_BIND(log_half, stage), MST_BIND(inverse, inverse)};
        MST_TRY(enqueue(paper, block, paper->kernels[BUTTERFLIES], arguments, MST_COUNT(arguments), (size_t)half, error));
    }
    if (inverse)
        MST_TRY(enqueue(paper, block, paper->kernels[SCALE], whole, MST_COUNT(whole), (size_t)elements, error));
fail:
    return status;
}

static mst_status transform(const mst_paper *paper, const mst_block *block, cl_mem vectors, size_t n_lines, cl_int inverse,
                            mst_error *error) {
    cl_ulong count = n_lines;
    const mst_argument arguments[] = {MST_BIND(vectors, vectors), MST_BIND(w, paper->twiddles), MST_BIND(n_vectors, count),
                                      MST_BIND(inverse, inverse)};
    if (!one_item_a_vector(paper->plan))
        return transform_by_elements(paper, block, vectors, n_lines, inverse, error);
    return enqueue(paper, block, paper->kernels[TRANSFORM], arguments, MST_COUNT(arguments), n_lines, error);
}

static mst_status multiply(const mst_paper *paper, const mst_block *block, size_t n_lines, mst_error *error) {
    cl_ulong lines = n_lines, elements = (cl_ulong)n_lines << paper->plan->log_n, n = (cl_ulong)1 << paper->plan->log_n;
    cl_uint step = paper->one_narrow ? 0 : (cl_uint)n;
    cl_ulong mask = paper->one_narrow ? n - 1 : ~(cl_ulong)0;
    const mst_argument by_vector[] = {MST_BIND(x, paper->vectors[0]), MST_BIND(y, paper->vectors[1]), MST_BIND(n_vectors, lines),
                                      MST_BIND(y_step, step)};
    const mst_argument by_element[] = {MST_BIND(x, paper->vectors[0]), MST_BIND(y, paper->vectors[1]),
                                       MST_BIND(n_elements, elements), MST_BIND(y_mask, mask)};
    return one_item_a_vector(paper->plan)
               ? enqueue(paper, block, paper->kernels[MULTIPLY], by_vector, MST_COUNT(by_vector), n_lines, error)
               : enqueue(paper, block, paper->kernels[MULTIPLY_ELEMENTS], by_element, MST_COUNT(by_element), (size_t)elements,
                         error);
}

static mst_status compute(void *user, const mst_block *block, mst_error *error) {
    mst_paper *paper = user;
    mst_status status = MST_OK;
    size_t n_lines[2] = {lines_of(paper, 0, block->count), lines_of(paper, 1, block->count)};
    MST_TRY(load(paper, block, paper->wide, paper->vectors[0], n_lines[0], error));
    MST_TRY(load(paper, block, paper->narrow, paper->vectors[1], n_lines[1], error));
    if (paper->plan->desc.algorithm == MST_CONVOLUTION_PAPER_C) {
        cl_ulong count = n_lines[0];
        const mst_argument arguments[] = {MST_BIND(x, paper->vectors[0]), MST_BIND(y, paper->vectors[1]),
                                          MST_BIND(w, paper->twiddles), MST_BIND(n_vectors, count)};
        MST_TRY(enqueue(paper, block, paper->kernels[CONVOLVE], arguments, MST_COUNT(arguments), n_lines[0], error));
    } else {
        for (int role = 0; role < 2; role++) {
            MST_TRY(transform(paper, block, paper->vectors[role], n_lines[role], 0, error));
            MST_TRY(bounce(paper, block, paper->vectors[role], n_lines[role], error));
        }
        MST_TRY(multiply(paper, block, n_lines[0], error));
        MST_TRY(bounce(paper, block, paper->vectors[0], n_lines[0], error));
        MST_TRY(transform(paper, block, paper->vectors[0], n_lines[0], 1, error));
    }
    MST_TRY(store(paper, block, paper->vectors[0], error));
fail:
    return status;
}

static mst_status make_stream(mst_paper *paper, mst_error *error) {
    const mst_convolution *plan = paper->plan;
    const mst_convolution_desc *d = &plan->desc;
    int split = d->axes[0];
    uint64_t vector = mst_type_bytes(plan->work_type) << plan->log_n, item = paper->operands[Z].lines_an_item * vector;
    mst_stream_desc stream = {
        .context = plan->context,
        .n_items = plan->n_lines[Z] / paper->operands[Z].lines_an_item,
        .n_ports = N_ARRAYS,
        .ports = {{MST_PORT_INPUT, d->x, split, "x"}, {MST_PORT_INPUT, d->y, split, "y"}, {MST_PORT_OUTPUT, d->z, split, "z"}},
        .table_bytes = 2 * N_ARRAYS * MST_LINES_BYTES + vector + mst_type_bytes(plan->work_type),
        .item_work_bytes = paper->one_narrow ? item : 2 * item,
        .item_work_piece = item,
        .fixed_work_bytes = paper->one_narrow ? vector : 0,
        .item_host_bytes = bounces(plan) ? item : 0,
        .prepare = prepare,
        .compute = compute,
        .user = paper};
    if (plan->n_lines[paper->narrow] < plan->n_lines[Z])
        stream.ports[paper->narrow].kind = MST_PORT_FIXED;
    return mst_stream_create(&stream, &paper->stream, error);
}

static mst_status create(mst_convolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    mst_paper *paper = plan->work = calloc(1, sizeof *paper);
    MST_REQUIRE(paper, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    paper->plan = plan;
    paper->wide = plan->n_lines[X] < plan->n_lines[Z] ? Y : X;
    paper->narrow = paper->wide == X ? Y : X;
    // C transforms both vectors of a pair in one kernel, and may overwrite them: each pair needs its own copy.
    paper->one_narrow = plan->n_lines[paper->narrow] == 1 && plan->desc.algorithm != MST_CONVOLUTION_PAPER_C;
    for (int a = 0; a < N_ARRAYS; a++) {
        const mst_layout *layout = mst_convolution_layout(plan, a);
        paper->operands[a].lines_an_item = 1;
        for (int k = plan->desc.axes[0] + 1; k < layout->rank; k++)
            paper->operands[a].lines_an_item *= layout->shape[k];
    }
    MST_TRY(make_stream(paper, error));
    MST_TRY(make_kernels(paper, error));
fail:
    return status;
}

static void destroy(void *work) {
    mst_paper *paper = work;
    if (!paper)
        return;
    mst_context *context = paper->plan->context;
    mst_stream_destroy(paper->stream);
    prepare(paper, 0, NULL);
    mst_device_release(context, paper->twiddles, paper->twiddle_bytes);
    for (int k = 0; k < N_KERNELS; k++)
        mst_kernel_destroy(paper->kernels[k]);
    for (int a = 0; a < N_ARRAYS; a++) {
        mst_kernel_destroy(paper->operands[a].kernel);
        mst_lines_release(context, paper->operands[a].packed_lines);
        mst_lines_release(context, paper->operands[a].lines);
    }
    free(paper);
}

static mst_status execute(mst_convolution *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    const mst_paper *paper = plan->work;
    return mst_stream_run(plan->context, paper->stream, where, how, error);
}

const mst_convolution_method mst_paper_method = {create, destroy, execute, NULL};
