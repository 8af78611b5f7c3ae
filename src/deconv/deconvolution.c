// The plan's life, and execution.
#include "plan.h"

#include "runtime/description.h"
#include "runtime/lines.h"

#include <stdlib.h>

// ---- The transforms of an item

static mst_status make_fft(mst_deconvolution *plan, bool forward, mst_fft **out, mst_error *error) {
    mst_fft_desc d = MST_FFT_DESC_INIT;
    const size_t real[] = {plan->n_items, plan->padded[Z], plan->padded[Y], plan->padded[X]};
    const size_t half[] = {real[0], real[1], real[2], plan->padded[X] / 2 + 1};
    const mst_layout numbers = mst_layout_dense(plan->is_double ? MST_FLOAT64 : MST_FLOAT32, 4, real);
    const mst_layout spectra = mst_layout_dense(plan->is_double ? MST_COMPLEX128 : MST_COMPLEX64, 4, half);
    d.input = forward ? numbers : spectra;
    d.output = forward ? spectra : numbers;
    d.n_axes = 0;
    for (int side = Z; side < N_SIDES; side++)
        if (side == X || plan->padded[side] > 1)
            d.axes[d.n_axes++] = 1 + side;
    d.direction = forward ? MST_FFT_FORWARD : MST_FFT_INVERSE;
    d.scale = forward ? 1 : 1 / (double)plan->points;
    d.shape = plan->desc.shape;
    return mst_fft_create_with(plan->context, &d, NULL, out, error);
}

// ---- The stream

static mst_status compute(void *user, const mst_block *block, mst_error *error) {
    mst_deconvolution *plan = user;
    mst_status status = MST_OK;
    cl_mem spectra = plan->work[WORK_SPECTRA].buffer;
    MST_TRY(mst_deconvolution_load(plan, block, error));
    if (mst_deconvolution_iterates(plan))
        return mst_deconvolution_iterate(plan, block, error);
    MST_TRY(mst_deconvolution_transform(plan, block->queue, plan->work[WORK_REAL].buffer, block->count, error));
    MST_TRY(mst_deconvolution_multiply(plan, block->queue, false, block->count, error));
    MST_TRY(mst_deconvolution_transform(plan, block->queue, spectra, block->count, error));
    MST_TRY(mst_deconvolution_store(plan, block, WORK_REAL, error));
fail:
    return status;
}

// Ports are numbered as they are given; `ports` says which number an array has.
static mst_status make_stream(mst_deconvolution *plan, mst_error *error) {
    static const char *const names[N_ARRAYS] = {"image", "result", "start", "weights"};
    const mst_deconvolution_desc *d = &plan->desc;
    const mst_layout *layouts[N_ARRAYS] = {&d->image, &d->result, &d->start, &d->weights};
    mst_stream_desc stream = {.context = plan->context,
                              .n_items = plan->n_items,
                              .table_bytes = plan->transfer.bytes + plan->gain.bytes + 2 * N_ARRAYS * MST_LINES_BYTES,
                              .prepare = mst_deconvolution_prepare,
                              .compute = compute,
                              .user = plan};
    for (int a = 0; a < N_ARRAYS; a++) {
        plan->ports[a] = layouts[a]->rank > 0 ? stream.n_ports : -1;
        if (layouts[a]->rank > 0)
            stream.ports[stream.n_ports++] = (mst_port){a == ARRAY_RESULT ? MST_PORT_OUTPUT : MST_PORT_INPUT, *layouts[a],
                                                        d->image.rank - d->n_axes, names[a]};
    }
    for (int w = 0; w < N_WORK; w++) {
        uint64_t bytes = mst_deconvolution_work_bytes(plan, w);
        stream.item_work_bytes += bytes;
        if (bytes > stream.item_work_piece)
            stream.item_work_piece = bytes;
    }
    stream.item_work_bytes += mst_fft_work_bytes(plan->forward) + mst_fft_work_bytes(plan->inverse);
    return mst_stream_create(&stream, &plan->stream, error);
}

// ---- The plan's life

static mst_status make_lines(mst_deconvolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_deconvolution_desc *d = &plan->desc;
    const mst_layout *layouts[N_ARRAYS] = {&d->image, &d->result, &d->start, &d->weights};
    for (int a = 0; a < N_ARRAYS; a++) {
        if (layouts[a]->rank == 0)
            continue;
        const mst_layout packed = mst_layout_dense(layouts[a]->type, layouts[a]->rank, layouts[a]->shape);
        MST_TRY(mst_lines_create(plan->context, &packed, packed.rank - 1, &plan->lines[a][0], error));
        MST_TRY(mst_lines_create(plan->context, layouts[a], packed.rank - 1, &plan->lines[a][1], error));
    }
fail:
    return status;
}

static mst_status make(mst_deconvolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    plan->transfer.bytes = plan->spectrum_points * 2 * mst_deconvolution_real_bytes(plan);
    if (mst_deconvolution_iterates(plan) && plan->desc.weights.rank == 0)
        plan->gain.bytes = plan->points * mst_deconvolution_real_bytes(plan);
    MST_TRY(make_fft(plan, true, &plan->forward, error));
    MST_TRY(make_fft(plan, false, &plan->inverse, error));
    MST_TRY(make_stream(plan, error));
    MST_TRY(mst_deconvolution_make_kernels(plan, error));
    MST_TRY(make_lines(plan, error));
    MST_TRY(mst_deconvolution_make_transfer(plan, error));
fail:
    return status;
}

mst_status mst_deconvolution_create(mst_context *context, const mst_deconvolution_desc *desc, mst_deconvolution **out,
                                    mst_error *error) {
    mst_status status = MST_OK;
    mst_deconvolution *plan = NULL;
    if (out)
        *out = NULL;
    MST_REQUIRE(context && desc && out, MST_ERROR_ARGUMENT, "context, desc and out must not be NULL");
    MST_REQUIRE(plan = calloc(1, sizeof *plan), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    plan->context = context;
    MST_TRY(mst_turn_create(&plan->turn, error));
    MST_TRY(mst_deconvolution_read(plan, desc, error));
    if (mst_layout_count(&plan->desc.image) > 0)
        MST_TRY(make(plan, error));
    free(plan->psf);
    plan->psf = NULL;
    *out = plan;
    return MST_OK;
fail:
    mst_deconvolution_destroy(plan);
    return status;
}

void mst_deconvolution_destroy(mst_deconvolution *plan) {
    if (!plan)
        return;
    mst_turn_destroy(plan->turn);
    mst_stream_destroy(plan->stream);
    mst_deconvolution_prepare(plan, 0, NULL);
    mst_fft_destroy(plan->forward);
    mst_fft_destroy(plan->inverse);
    mst_device_release(plan->context, plan->transfer.buffer, plan->transfer.bytes);
    mst_device_release(plan->context, plan->gain.buffer, plan->gain.bytes);
    for (int k = 0; k < N_KERNELS; k++)
        mst_kernel_destroy(plan->kernels[k]);
    for (int a = 0; a < N_ARRAYS; a++)
        for (int own = 0; own < 2; own++)
            mst_lines_release(plan->context, plan->lines[a][own]);
    free(plan->psf);
    free(plan);
}

mst_layout mst_deconvolution_result(const mst_deconvolution *plan) { return plan->result; }

// ---- Execution

static mst_status execute(mst_deconvolution *plan, const mst_deconvolution_arrays *arrays, const mst_execution *how,
                          mst_error *error) {
    mst_status status = MST_OK;
    const mst_location given[N_ARRAYS] = {arrays->image, arrays->result, arrays->start, arrays->weights};
    mst_location where[N_ARRAYS] = {arrays->image, arrays->result};
    mst_execution e;
    MST_TRY(mst_execution_read(how, &plan->how, error));
    e = plan->how;
    for (int a = 0; a < N_ARRAYS && plan->stream; a++)
        if (plan->ports[a] >= 0)
            where[plan->ports[a]] = given[a];
    plan->done = 0;
    if (mst_deconvolution_iterates(plan))
        e.progress = NULL; // iterations report
    status = mst_stream_run(plan->context, plan->stream, where, &e, error);
fail:
    return status;
}

mst_status mst_deconvolution_execute(mst_deconvolution *plan, const mst_deconvolution_arrays *arrays, const mst_execution *how,
                                     mst_error *error) {
    mst_status status = MST_OK;
    mst_deconvolution_arrays full;
    MST_REQUIRE(plan && arrays, MST_ERROR_ARGUMENT, "plan and arrays must not be NULL");
    MST_TRY(mst_description_read(MST_DESCRIPTION(mst_deconvolution_arrays, MST_DECONVOLUTION_ARRAYS_INIT, start), arrays, &full,
                                 error));
    MST_TRY(mst_turn_take(plan->turn, error));
    status = mst_turn_give(plan->turn, execute(plan, &full, how, error));
fail:
    return status;
}
