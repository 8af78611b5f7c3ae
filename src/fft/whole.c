// Plans whose items are on the device as a whole.
#include "any.h"
#include "even.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"

#include <stdlib.h>

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

#define LONGEST ((size_t)1 << 30)

mst_stream_desc mst_fft_describe_stream(const mst_fft *plan) {
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
        .user = (void *)(uintptr_t)plan};
    for (int k = 0; k < plan->split; k++)
        stream.n_items *= d->input.shape[k];
    for (int b = WORK; b < N_BUFFERS; b++) {
        stream.item_work_bytes += plan->item_bytes[b];
        if (plan->item_bytes[b] > stream.item_work_piece)
            stream.item_work_piece = plan->item_bytes[b];
    }
    return stream;
}

bool mst_fft_needs_of_whole(const mst_fft *plan, mst_fft_needs *out) {
    const mst_stream_desc stream = mst_fft_describe_stream(plan);
    const mst_layout *layouts[] = {&plan->desc.input, &plan->desc.output};
    uint64_t *moved[] = {&out->upload_bytes, &out->download_bytes};
    *out = (mst_fft_needs){.struct_size = sizeof *out, .passes = 1, .in_place = 1};
    for (int k = 0; k < 2; k++)
        *moved[k] = mst_layout_count(layouts[k]) * mst_type_bytes(layouts[k]->type);
    return mst_stream_fits(&stream, &out->device_bytes, &out->host_bytes);
}

static bool is_empty(const mst_fft *plan) {
    return mst_layout_count(&plan->desc.input) == 0 || mst_layout_count(&plan->desc.output) == 0;
}

static mst_status read(mst_context *context, const mst_fft_desc *desc, mst_fft **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft *plan = NULL;
    MST_REQUIRE(context && desc, MST_ERROR_ARGUMENT, "context, desc and out must not be NULL");
    MST_REQUIRE(plan = *out = calloc(1, sizeof *plan), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    plan->context = context;
    MST_TRY(mst_turn_create(&plan->turn, error));
    MST_TRY(mst_fft_read(desc, &plan->desc, error));
    plan->is_double = mst_type_is_double(plan->desc.input.type);
    MST_REQUIRE(!plan->is_double || context->device.fp64, MST_ERROR_UNSUPPORTED, "%s has no float64; use complex64 or float32",
                context->device.name);
    plan->cpu =
        plan->desc.shape == MST_FFT_SHAPE_AUTO ? mst_pass_suits_cpu(&context->device) : plan->desc.shape == MST_FFT_SHAPE_CPU;
    plan->split = plan->desc.axes[0];
    for (int a = 1; a < plan->desc.n_axes; a++)
        plan->split = plan->desc.axes[a] < plan->split ? plan->desc.axes[a] : plan->split;
fail:
    return status;
}

// The spectrum of a chirp that is too long to transform it on the host in long double: by a plan of the same precision.
static mst_status transform_chirp(const mst_fft *plan, mst_fft_pass *p, mst_error *error) {
    mst_status status = MST_OK;
    const size_t m = (size_t)(p->device.tables.tables[MST_TABLE_STORE_FACTORS].bytes / mst_fft_number_bytes(plan));
    mst_fft *fft = NULL;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    void *chirp = mst_chirp_around(p->chirp_length, m, plan->desc.direction == MST_FFT_INVERSE, plan->is_double);
    p->long_spectrum = malloc(m * (size_t)mst_fft_number_bytes(plan));
    MST_REQUIRE(chirp && p->long_spectrum, MST_ERROR_HOST_MEMORY, "out of memory for a chirp of %zu numbers", m);
    desc.input = mst_layout_dense(plan->is_double ? MST_COMPLEX128 : MST_COMPLEX64, 1, &m);
    desc.scale = 1 / (double)m;
    MST_TRY(mst_fft_create_with(plan->context, &desc, NULL, &fft, error));
    const mst_location where[] = {mst_at_host(chirp), mst_at_host(p->long_spectrum)};
    MST_TRY(mst_fft_run(fft, where, NULL, error));
fail:
    mst_fft_destroy(fft);
    free(chirp);
    return status;
}

// Decides the passes, by a choice or by rule: no OpenCL call, but for the chirps of long lengths.
static mst_status plan_passes(mst_fft *plan, const mst_fft_choice *choice, mst_error *error) {
    mst_status status = MST_OK;
    const mst_layout *longer = mst_type_is_complex(plan->desc.output.type) ? &plan->desc.input : &plan->desc.output;
    for (int a = 0; a < plan->desc.n_axes; a++) {
        int axis = plan->desc.axes[a];
        MST_REQUIRE(
            longer->shape[axis] <= LONGEST, MST_ERROR_ARGUMENT,
            "axis %d has length %zu; 2^30 is the most on a device, of which only arrays in host memory or files may have more",
            axis, longer->shape[axis]);
    }
    if (choice) {
        plan->cpu = choice->cpu;
        plan->choice = choice->pass;
        plan->kernels = choice->kernels;
    }
    plan->any_length = mst_any_suits(plan);
    if (plan->any_length) {
        MST_TRY(mst_any_allow(&plan->context->device, "transforms", error));
        mst_any_order_axes(plan);
    }
    MST_TRY(mst_fft_plan_passes(plan, error));
    for (int k = 0; k < plan->n_passes; k++) {
        mst_fft_pass *p = &plan->passes[k];
        if (p->chirp_length && 2 * p->chirp_length - 1 > MST_FFT_LONGEST_CHIRP)
            MST_TRY(transform_chirp(plan, p, error));
    }
    if (plan->any_length)
        MST_TRY(mst_any_plan(plan, error));
fail:
    return status;
}

static void release_spectra(mst_fft *plan) {
    for (int k = 0; k < plan->n_passes; k++) {
        free(plan->passes[k].long_spectrum);
        plan->passes[k].long_spectrum = NULL;
    }
}

static mst_status make(mst_fft *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_stream_desc stream = mst_fft_describe_stream(plan);
    MST_TRY(mst_stream_create(&stream, &plan->stream, error));
    if (plan->any)
        MST_TRY(mst_any_make(plan, error));
    for (int k = 0; k < plan->n_passes && !plan->any; k++)
        MST_TRY(mst_fft_make_pass(plan, &plan->passes[k], error));
    release_spectra(plan); // they are in tables on the device now
fail:
    return status;
}

// Where panels, too, are too large for the budgets, they say what the least is.
static mst_status refuse_if(const mst_fft *plan, mst_status status, mst_error *error) {
    if (status != MST_ERROR_BUDGET || plan->refusal.status == MST_OK)
        return status;
    if (error)
        *error = plan->refusal;
    return status;
}

// With a choice (chain is NULL), or with what tuning and rules choose (choice is NULL).
static mst_status create(mst_context *context, const mst_fft_desc *desc, const mst_fft_choice *choice, mst_tune_chain *chain,
                         mst_fft_hook before, mst_fft **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft *plan = NULL;
    if (out)
        *out = NULL;
    MST_REQUIRE(out, MST_ERROR_ARGUMENT, "context, desc and out must not be NULL");
    MST_TRY(read(context, desc, &plan, error));
    plan->long_chirps = !before; // there are no lines to take them
    if (!is_empty(plan)) {
        if (!choice && plan->desc.kind == MST_FFT_FOURIER)
            MST_TRY(mst_fft_tune(plan, chain, error));
        mst_error why = {.status = MST_OK};
        mst_status possible = plan_passes(plan, choice, &why);
        plan->only_panels = possible == MST_ERROR_ARGUMENT || possible == MST_ERROR_UNSUPPORTED;
        if (before && (possible == MST_OK || plan->only_panels))
            MST_TRY(before(plan, error));
        if (!plan->panels && !plan->lines &&
            possible != MST_OK) { // what panels of smaller budgets lack says more than that there are only those
            status = plan->refusal.status != MST_OK ? plan->refusal.status : possible;
            if (error)
                *error = plan->refusal.status != MST_OK ? plan->refusal : why;
            goto fail;
        }
        if (!plan->panels && !plan->lines)
            MST_TRY(refuse_if(plan, make(plan, error), error));
    }
    *out = plan;
    return MST_OK;
fail:
    mst_fft_destroy(plan);
    return status;
}

mst_status mst_fft_create_planned(mst_context *context, const mst_fft_desc *desc, mst_fft **out, mst_error *error) {
    mst_fft *plan = NULL;
    mst_status status = read(context, desc, &plan, error);
    if (status == MST_OK && !is_empty(plan))
        status = plan_passes(plan, NULL, error);
    if (status != MST_OK) {
        mst_fft_destroy(plan);
        plan = NULL;
    }
    *out = plan;
    return status;
}

mst_status mst_fft_create_as(mst_context *context, const mst_fft_desc *desc, const mst_fft_choice *choice, mst_fft **out,
                             mst_error *error) {
    return create(context, desc, choice, NULL, NULL, out, error);
}

mst_status mst_fft_create_with(mst_context *context, const mst_fft_desc *desc, mst_fft_hook before, mst_fft **out,
                               mst_error *error) {
    mst_tune_chain chain = {.used = 0};
    mst_status status;
    do
        status = create(context, desc, NULL, &chain, before, out, &chain.why);
    while (mst_tune_goes_on(context, &chain, status, error));
    return status;
}

void mst_fft_destroy(mst_fft *plan) {
    if (!plan)
        return;
    mst_turn_destroy(plan->turn);
    if (plan->crossing && plan->crossing != plan->panels)
        plan->panels_destroy(plan->crossing);
    if (plan->filed && plan->filed != plan->panels)
        plan->panels_destroy(plan->filed);
    if (plan->panels)
        plan->panels_destroy(plan->panels);
    if (plan->lines)
        plan->lines_destroy(plan->lines);
    mst_fft_destroy(plan->whole);
    mst_stream_destroy(plan->stream);
    mst_fft_prepare(plan, 0, NULL);
    mst_any_destroy(plan);
    release_spectra(plan);
    for (int k = 0; k < plan->n_passes; k++)
        mst_device_pass_release(&plan->passes[k].device);
    free(plan);
}

mst_status mst_fft_run(mst_fft *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    return refuse_if(plan, mst_stream_run(plan->context, plan->stream, where, how, error), error);
}
