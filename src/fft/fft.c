// The description, the plan's life, and execution.
#include "any.h"
#include "even.h"

#include "runtime/description.h"
#include "runtime/layout.h"
#include "runtime/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST ((size_t)1 << 30)

typedef struct side {
    cl_mem buffer;
    cl_long base;
    cl_ulong first_line;
    bool own; // the caller's layout
} side;

static side side_of(const mst_fft *plan, const mst_fft_pass *p, const mst_block *block, int buffer) {
    if (buffer != SOURCE && buffer != TARGET)
        return (side){plan->buffers[buffer], 0, 0, false};
    const mst_block_port *port = &block->ports[buffer == SOURCE ? 0 : 1];
    return (side){port->buffer, port->base, port->first_item * p->lines_an_item, !port->packed && mst_fft_has_gaps(plan, buffer)};
}

static mst_status run_pass(mst_fft *plan, mst_fft_pass *p, const mst_block *block, mst_error *error) {
    side from = side_of(plan, p, block, p->from), to = side_of(plan, p, block, p->to);
    unsigned ports = (from.own ? MST_FFT_SOURCE : 0) | (to.own ? MST_FFT_TARGET : 0);
    const mst_argument arguments[] = {MST_BIND(source, from.buffer),           MST_BIND(source_base, from.base),
                                      MST_BIND(source_first, from.first_line), MST_BIND(target, to.buffer),
                                      MST_BIND(target_base, to.base),          MST_BIND(target_first, to.first_line),
                                      MST_BIND(scale, plan->desc.scale)};
    size_t n_arguments = MST_COUNT(arguments) - (p->device.pass.scale ? 0 : 1);
    return mst_device_pass_enqueue(&p->device, ports, block->queue, arguments, n_arguments, block->count * p->lines_an_item, NULL,
                                   error);
}

mst_status mst_fft_compute(void *user, const mst_block *block, mst_error *error) {
    mst_fft *plan = user;
    if (plan->any)
        return mst_any_compute(plan, block, error);
    for (int k = 0; k < plan->n_passes; k++) {
        if (k + 1 == plan->n_passes)
            mst_queue_expect_mark(block->queue);
        mst_status status = run_pass(plan, &plan->passes[k], block, error);
        if (status != MST_OK)
            return status;
    }
    return MST_OK;
}

mst_status mst_fft_prepare(void *user, size_t n_items, mst_error *error) {
    mst_fft *plan = user;
    for (int b = WORK; b < N_BUFFERS; b++) {
        mst_device_release(plan->context, plan->buffers[b], plan->buffer_bytes[b]);
        plan->buffers[b] = NULL;
    }
    for (int b = WORK; b < N_BUFFERS && n_items > 0; b++) {
        plan->buffer_bytes[b] = n_items * plan->item_bytes[b];
        if (plan->buffer_bytes[b] == 0)
            continue;
        mst_status status =
            mst_device_allocate(plan->context, CL_MEM_READ_WRITE, plan->buffer_bytes[b], "work memory", &plan->buffers[b], error);
        if (status != MST_OK)
            return status;
    }
    return MST_OK;
}

static bool is_transformable(mst_type type) { return mst_type_is_complex(type) || type == MST_FLOAT32 || type == MST_FLOAT64; }

// 0-based axes in the order in which they are transformed: a real axis comes first on the way in and last on the way out.
static mst_status read_axes(mst_fft_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(d->n_axes >= 1 && d->n_axes <= MST_MAX_AXES, MST_ERROR_ARGUMENT, "n_axes is %d; 1 to %d are supported", d->n_axes,
                MST_MAX_AXES);
    for (int a = 0; a < d->n_axes; a++) {
        int axis = mst_layout_axis(&d->input, d->axes[a]);
        MST_REQUIRE(axis >= 0, MST_ERROR_ARGUMENT, "there is no axis %d in an array of rank %d", d->axes[a], d->input.rank);
        d->axes[a] = axis;
        for (int b = 0; b < a; b++)
            MST_REQUIRE(d->axes[b] != axis, MST_ERROR_ARGUMENT, "axis %d is given twice", axis);
    }
    if (!mst_type_is_complex(d->input.type) && d->kind == MST_FFT_FOURIER) {
        int real_axis = d->axes[d->n_axes - 1];
        for (int a = d->n_axes - 1; a > 0; a--)
            d->axes[a] = d->axes[a - 1];
        d->axes[0] = real_axis;
    }
fail:
    return status;
}

// The shapes must be equal but for the axis that is real on one side: n there, n/2 + 1 on the complex side.
static mst_status check_shapes(const mst_fft_desc *d, mst_error *error) {
    mst_layout complex_side = mst_type_is_complex(d->input.type) ? d->input : d->output;
    mst_layout expected = mst_type_is_complex(d->input.type) ? d->output : d->input;
    char shapes[2][120];
    if (mst_type_is_complex(d->input.type) != mst_type_is_complex(d->output.type)) {
        int axis = d->axes[mst_type_is_complex(d->input.type) ? d->n_axes - 1 : 0];
        if (axis < expected.rank)
            expected.shape[axis] = expected.shape[axis] / 2 + 1;
    }
    if (mst_layout_same_shape(&complex_side, &expected))
        return MST_OK;
    mst_layout_print_shape(&d->input, shapes[0], sizeof shapes[0]);
    mst_layout_print_shape(&d->output, shapes[1], sizeof shapes[1]);
    return mst_fail(error, MST_ERROR_ARGUMENT, "input has shape (%s) but output (%s)%s", shapes[0], shapes[1],
                    mst_type_is_complex(d->input.type) == mst_type_is_complex(d->output.type)
                        ? ""
                        : "; the complex side has n/2 + 1 elements along the last axis of `axes`, where the real one has n");
}

// What is particular to Fourier transforms.
static mst_status read_fourier(mst_fft_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    if (d->output.rank == 0) {
        mst_type type = mst_type_is_double(d->input.type) ? MST_COMPLEX128 : MST_COMPLEX64;
        size_t shape[MST_MAX_RANK];
        memcpy(shape, d->input.shape, sizeof shape);
        if (!mst_type_is_complex(d->input.type))
            shape[d->axes[0]] = shape[d->axes[0]] / 2 + 1;
        d->output = mst_layout_dense(type, d->input.rank, shape);
    }
    MST_REQUIRE(is_transformable(d->output.type) && mst_type_is_double(d->output.type) == mst_type_is_double(d->input.type) &&
                    (mst_type_is_complex(d->input.type) || mst_type_is_complex(d->output.type)),
                MST_ERROR_ARGUMENT, "output is %s but input is %s; they are complex or one is real, of the same precision",
                mst_type_name(d->output.type), mst_type_name(d->input.type));
    MST_REQUIRE(mst_type_is_complex(d->input.type) || d->direction == MST_FFT_FORWARD, MST_ERROR_ARGUMENT,
                "input is real: only the forward transform is supported");
    MST_REQUIRE(mst_type_is_complex(d->output.type) || d->direction == MST_FFT_INVERSE, MST_ERROR_ARGUMENT,
                "output is real: only the inverse transform is supported");
    MST_TRY(check_shapes(d, error));
    for (int a = 0; a < d->n_axes; a++) {
        const mst_layout *longer = mst_type_is_complex(d->output.type) ? &d->input : &d->output;
        MST_REQUIRE(longer->shape[d->axes[a]] <= LONGEST, MST_ERROR_ARGUMENT, "axis %d has length %zu; 2^30 is the most",
                    d->axes[a], longer->shape[d->axes[a]]);
    }
fail:
    return status;
}

static mst_status read_desc(const mst_fft_desc *desc, mst_fft_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_description_read(MST_DESCRIPTION(mst_fft_desc, MST_FFT_DESC_INIT, direction), desc, d, error));
    MST_TRY(mst_layout_check(&d->input, "input", false, error));
    if (d->output.rank != 0)
        MST_TRY(mst_layout_check(&d->output, "output", true, error));
    MST_REQUIRE(is_transformable(d->input.type), MST_ERROR_ARGUMENT,
                "input is %s; float32, float64, complex64 and complex128 are supported", mst_type_name(d->input.type));
    MST_REQUIRE(d->kind >= MST_FFT_FOURIER && d->kind <= MST_FFT_DST4, MST_ERROR_ARGUMENT, "there is no kind %d", (int)d->kind);
    MST_REQUIRE(d->orthogonal == 0 || (d->orthogonal == 1 && d->kind != MST_FFT_FOURIER), MST_ERROR_ARGUMENT,
                "orthogonal is %d; it is 0, or 1 for cosine and sine transforms", d->orthogonal);
    MST_TRY(read_axes(d, error));
    MST_REQUIRE(d->direction == MST_FFT_FORWARD || d->direction == MST_FFT_INVERSE, MST_ERROR_ARGUMENT,
                "direction is %d; it is MST_FFT_FORWARD or MST_FFT_INVERSE", (int)d->direction);
    MST_REQUIRE(d->shape >= MST_FFT_SHAPE_AUTO && d->shape <= MST_FFT_SHAPE_CPU, MST_ERROR_ARGUMENT, "there is no shape %d",
                (int)d->shape);
    MST_TRY(d->kind == MST_FFT_FOURIER ? read_fourier(d, error) : mst_even_read(d, error));
    MST_REQUIRE(isfinite(d->scale), MST_ERROR_ARGUMENT, "scale is not finite");
fail:
    return status;
}

static mst_status make_stream(mst_fft *plan, mst_error *error) {
    const mst_fft_desc *d = &plan->desc;
    mst_stream_desc stream = {
        .context = plan->context,
        .n_items = 1,
        .n_ports = 2,
        .ports = {{MST_PORT_INPUT, d->input, plan->split, "input"}, {MST_PORT_OUTPUT, d->output, plan->split, "output"}},
        .in_place = true,
        .table_bytes = plan->table_bytes,
        .prepare = mst_fft_prepare,
        .compute = mst_fft_compute,
        .user = plan};
    for (int k = 0; k < plan->split; k++)
        stream.n_items *= d->input.shape[k];
    for (int b = WORK; b < N_BUFFERS; b++) {
        stream.item_work_bytes += plan->item_bytes[b];
        if (plan->item_bytes[b] > stream.item_work_piece)
            stream.item_work_piece = plan->item_bytes[b];
    }
    return mst_stream_create(&stream, &plan->stream, error);
}

// With a choice (chain is NULL), or with what tuning and rules choose (choice is NULL).
static mst_status create(mst_context *context, const mst_fft_desc *desc, const mst_fft_choice *choice, mst_tune_chain *chain,
                         mst_fft **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft *plan = NULL;
    if (out)
        *out = NULL;
    MST_REQUIRE(context && desc && out, MST_ERROR_ARGUMENT, "context, desc and out must not be NULL");
    MST_REQUIRE(plan = calloc(1, sizeof *plan), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    plan->context = context;
    MST_TRY(mst_turn_create(&plan->turn, error));
    MST_TRY(read_desc(desc, &plan->desc, error));
    plan->is_double = mst_type_is_double(plan->desc.input.type);
    MST_REQUIRE(!plan->is_double || context->device.fp64, MST_ERROR_UNSUPPORTED, "%s has no float64; use complex64 or float32",
                context->device.name);
    plan->cpu =
        plan->desc.shape == MST_FFT_SHAPE_AUTO ? mst_pass_suits_cpu(&context->device) : plan->desc.shape == MST_FFT_SHAPE_CPU;
    plan->split = plan->desc.axes[0];
    for (int a = 1; a < plan->desc.n_axes; a++)
        plan->split = plan->desc.axes[a] < plan->split ? plan->desc.axes[a] : plan->split;
    if (mst_layout_count(&plan->desc.input) > 0 && mst_layout_count(&plan->desc.output) > 0) {
        if (choice) {
            plan->cpu = choice->cpu;
            plan->choice = choice->pass;
            plan->kernels = choice->kernels;
        } else if (plan->desc.kind == MST_FFT_FOURIER) {
            MST_TRY(mst_fft_tune(plan, chain, error));
        }
        plan->any_length = mst_any_suits(plan);
        if (plan->any_length)
            mst_any_order_axes(plan);
        MST_TRY(mst_fft_plan_passes(plan, error));
        if (plan->any_length)
            MST_TRY(mst_any_plan(plan, error));
        MST_TRY(make_stream(plan, error));
        if (plan->any)
            MST_TRY(mst_any_make(plan, error));
        for (int k = 0; k < plan->n_passes && !plan->any; k++)
            MST_TRY(mst_fft_make_pass(plan, &plan->passes[k], error));
    }
    *out = plan;
    return MST_OK;
fail:
    mst_fft_destroy(plan);
    return status;
}

mst_status mst_fft_create_as(mst_context *context, const mst_fft_desc *desc, const mst_fft_choice *choice, mst_fft **out,
                             mst_error *error) {
    return create(context, desc, choice, NULL, out, error);
}

mst_status mst_fft_create(mst_context *context, const mst_fft_desc *desc, mst_fft **out, mst_error *error) {
    mst_tune_chain chain = {.used = 0};
    mst_status status;
    do
        status = create(context, desc, NULL, &chain, out, &chain.why);
    while (mst_tune_goes_on(context, &chain, status, error));
    return status;
}

void mst_fft_destroy(mst_fft *plan) {
    if (!plan)
        return;
    mst_turn_destroy(plan->turn);
    mst_stream_destroy(plan->stream);
    mst_fft_prepare(plan, 0, NULL);
    mst_any_destroy(plan);
    for (int k = 0; k < plan->n_passes; k++)
        mst_device_pass_release(&plan->passes[k].device);
    free(plan);
}

int mst_fft_n_passes(const mst_fft *plan) { return plan->n_passes; }

const char *mst_fft_pass_kernel(const mst_fft *plan, int pass) {
    if (pass < 0 || pass >= plan->n_passes)
        return NULL;
    return plan->any ? plan->any->text.text : plan->passes[pass].device.kernels[0].text.text;
}

mst_status mst_fft_execute(mst_fft *plan, mst_location input, mst_location output, const mst_execution *how, mst_error *error) {
    const mst_location where[] = {input, output};
    if (!plan)
        return mst_fail(error, MST_ERROR_ARGUMENT, "plan must not be NULL");
    mst_status status = mst_turn_take(plan->turn, error);
    if (status != MST_OK)
        return status;
    return mst_turn_give(plan->turn, mst_stream_run(plan->context, plan->stream, where, how, error));
}
