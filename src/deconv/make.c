// What a plan works with once it is read: transforms, streams, kernels, tables. A cut plan's items are bricks.
#include "bricks.h"
#include "passes.h"

#include "runtime/lines.h"

#define FRAME_BYTES (sizeof(cl_int[7][N_SIDES])) // of deconv.cl's `frame`

// ---- The transforms of an item

static bool is_wanted(const mst_deconvolution *plan, int which) {
    return which == ALL_THERE || which == ALL_BACK || (plan->by_rows && mst_deconvolution_has_columns(plan));
}

static mst_fft_desc describe_fft(const mst_deconvolution *plan, int which) {
    mst_fft_desc d = MST_FFT_DESC_INIT;
    const size_t real[] = {plan->n_items, plan->padded[Z], plan->padded[Y], plan->padded[X]};
    const size_t half[] = {real[0], real[1], real[2], plan->padded[X] / 2 + 1};
    const mst_layout numbers = mst_layout_dense(plan->is_double ? MST_FLOAT64 : MST_FLOAT32, 4, real);
    const mst_layout spectra = mst_layout_dense(plan->is_double ? MST_COMPLEX128 : MST_COMPLEX64, 4, half);
    const bool all = which == ALL_THERE || which == ALL_BACK, there = which == ALL_THERE || which == COLUMNS_THERE;
    d.input = which == ALL_THERE ? numbers : spectra;
    d.output = which == ALL_BACK ? numbers : spectra;
    d.n_axes = 0;
    for (int side = Z; side < N_SIDES; side++)
        if (all ? side == X || (plan->padded[side] > 1 && side != plan->product_side) : side == Y)
            d.axes[d.n_axes++] = 1 + side;
    d.direction = there ? MST_FFT_FORWARD : MST_FFT_INVERSE;
    d.scale = which == ALL_BACK ? 1 / (double)plan->points : 1;
    d.shape = plan->desc.shape;
    return d;
}

static mst_status make_transforms(mst_deconvolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    for (int which = 0; which < N_TRANSFORMS; which++) {
        const mst_fft_desc d = describe_fft(plan, which);
        if (is_wanted(plan, which))
            MST_TRY(mst_fft_create_with(plan->context, &d, NULL, &plan->transforms[which], error));
    }
fail:
    return status;
}

// ---- The stream

static mst_status compute(void *user, const mst_block *block, mst_error *error) {
    mst_deconvolution *plan = user;
    mst_status status = MST_OK;
    int which = WORK_REAL;
    MST_TRY(mst_deconvolution_load(plan, block, false, error));
    if (mst_deconvolution_iterates(plan)) {
        MST_TRY(mst_deconvolution_iterate(plan, block, &which, error));
    } else {
        MST_TRY(mst_deconvolution_convolve(plan, block->queue, plan->work[WORK_REAL].buffer, false, block->count, error));
    }
    if (plan->cut.is_cut)
        MST_TRY(mst_bricks_compare(plan, block, which, error));
    MST_TRY(mst_deconvolution_store(plan, block, which, error));
    if (plan->cut.is_cut && !mst_deconvolution_iterates(plan))
        MST_TRY(mst_bricks_report(plan, block->count, error));
fail:
    return status;
}

// Ports are numbered as they are given; `ports` says which number an array has.
static mst_stream_desc describe_stream(mst_deconvolution *plan, mst_fft *const transforms[N_TRANSFORMS]) {
    static const char *const names[N_ARRAYS] = {"image", "result", "start", "weights"};
    const mst_deconvolution_desc *d = &plan->desc;
    const mst_layout *layouts[N_ARRAYS] = {&d->image, &d->result, &d->start, &d->weights};
    mst_stream_desc stream = {.context = plan->context,
                              .n_items = plan->n_items,
                              .table_bytes =
                                  plan->transfer.bytes + plan->gain.bytes + FRAME_BYTES + 2 * N_ARRAYS * MST_LINES_BYTES,
                              .prepare = mst_deconvolution_prepare,
                              .compute = compute,
                              .user = plan};
    for (int a = 0; a < N_ARRAYS; a++) {
        plan->ports[a] = layouts[a]->rank > 0 ? stream.n_ports : -1;
        if (layouts[a]->rank == 0)
            continue;
        mst_port *port = &stream.ports[stream.n_ports++];
        *port =
            (mst_port){a == ARRAY_RESULT ? MST_PORT_OUTPUT : MST_PORT_INPUT, *layouts[a], d->image.rank - d->n_axes, names[a]};
        if (plan->cut.is_cut)
            mst_brick_windows(plan, a, false, port, &stream.windows[plan->ports[a]]);
    }
    for (int w = 0; w < N_WORK; w++) {
        uint64_t bytes = mst_deconvolution_work_bytes(plan, w);
        stream.item_work_bytes += bytes;
        if (bytes > stream.item_work_piece)
            stream.item_work_piece = bytes;
    }
    for (int t = 0; t < N_TRANSFORMS; t++)
        if (transforms[t])
            stream.item_work_bytes += mst_deconvolution_transforms(plan) * mst_fft_work_bytes(transforms[t]);
    return stream;
}

// Refuses, in numbers alone, what the budgets have no room for, with all that it takes: a part that is made first would only say
// what it takes itself.
static mst_status check_room(mst_deconvolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft *planned[N_TRANSFORMS] = {NULL};
    uint64_t tables = mst_device_pass_table_bytes(&plan->product) + mst_deconvolution_row_table_bytes(plan), item, host;
    for (int which = 0; which < N_TRANSFORMS; which++) {
        const mst_fft_desc d = describe_fft(plan, which);
        if (!is_wanted(plan, which))
            continue;
        MST_TRY(mst_fft_create_planned(plan->context, &d, &planned[which], error));
        tables += planned[which]->table_bytes;
    }
    const mst_stream_desc stream = describe_stream(plan, planned);
    const uint64_t left = mst_budget_left(plan->context, &plan->context->device_memory),
                   resident = tables + stream.table_bytes + stream.item_work_bytes;
    mst_stream_fits(&stream, &item, &host);
    if (plan->cut.is_cut || resident > left)
        MST_TRY(mst_budget_require(plan->context, &plan->context->device_memory, tables + item,
                                   plan->cut.is_cut ? "one brick with its halo" : "one block", error));
fail:
    for (int which = 0; which < N_TRANSFORMS; which++)
        mst_fft_destroy(planned[which]);
    return status;
}

static mst_status make_stream(mst_deconvolution *plan, mst_error *error) {
    uint64_t host;
    const mst_stream_desc stream = describe_stream(plan, plan->transforms);
    plan->fits = mst_stream_fits(&stream, &plan->item_bytes, &host);
    if (!plan->cut.is_cut)
        return mst_stream_create(&stream, &plan->stream, error);
    if (!plan->fits)
        return mst_bricks_say_least(plan, host, error);
    return mst_bricks_make_streams(plan, &stream, error);
}

// ---- Making and unmaking

static mst_status make_lines(mst_deconvolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_deconvolution_desc *d = &plan->desc;
    const mst_layout *layouts[N_ARRAYS] = {&d->image, &d->result, &d->start, &d->weights};
    for (int a = 0; a < N_ARRAYS; a++) {
        if (layouts[a]->rank == 0)
            continue;
        mst_port port = {.layout = *layouts[a]};
        mst_windows windows;
        if (plan->cut.is_cut)
            mst_brick_windows(plan, a, false, &port, &windows);
        const mst_layout packed = mst_layout_dense(port.layout.type, port.layout.rank, port.layout.shape);
        MST_TRY(mst_lines_create(plan->context, &packed, packed.rank - 1, &plan->lines[a][0], error));
        MST_TRY(mst_lines_create(plan->context, &port.layout, packed.rank - 1, &plan->lines[a][1], error));
    }
fail:
    return status;
}

static mst_status make_frame(mst_deconvolution *plan, mst_error *error) {
    const mst_brick_cut *cut = &plan->cut;
    cl_int values[7][N_SIDES];
    plan->frame.bytes = FRAME_BYTES;
    for (int side = 0; side < N_SIDES; side++) {
        values[0][side] = (cl_int)mst_brick_origin(plan, 0, side);
        values[1][side] = (cl_int)(cut->is_cut ? cut->step[side] : plan->extent[side]);
        values[2][side] = (cl_int)(cut->is_cut ? cut->n[side] : 1);
        values[3][side] = (cl_int)plan->whole[side];
        values[4][side] = (cl_int)cut->halo[side];
        values[5][side] = values[2][side] > 1;
        values[6][side] = cut->goes_round;
    }
    return mst_table_upload(plan->context, &plan->frame, mst_table_copy(values, sizeof values), error);
}

mst_status mst_deconvolution_make(mst_deconvolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    plan->transfer.bytes = plan->spectrum_points * 2 * mst_deconvolution_real_bytes(plan);
    if (mst_deconvolution_iterates(plan) && !mst_deconvolution_has_gains(plan))
        plan->gain.bytes = plan->points * mst_deconvolution_real_bytes(plan);
    mst_deconvolution_plan_product(plan);
    mst_deconvolution_plan_rows(plan);
    MST_TRY(check_room(plan, error));
    MST_TRY(mst_deconvolution_make_product(plan, error));
    MST_TRY(mst_deconvolution_make_rows(plan, error));
    MST_TRY(make_transforms(plan, error));
    MST_TRY(make_stream(plan, error));
    MST_TRY(mst_deconvolution_make_kernels(plan, error));
    MST_TRY(make_lines(plan, error));
    MST_TRY(make_frame(plan, error));
    MST_TRY(mst_deconvolution_make_transfer(plan, error));
fail:
    return status;
}

void mst_deconvolution_unmake(mst_deconvolution *plan) {
    mst_stream_destroy(plan->stream);
    mst_stream_destroy(plan->look);
    mst_deconvolution_prepare(plan, 0, NULL);
    for (int which = 0; which < N_TRANSFORMS; which++) {
        mst_fft_destroy(plan->transforms[which]);
        plan->transforms[which] = NULL;
    }
    mst_deconvolution_unmake_product(plan);
    mst_deconvolution_unmake_rows(plan);
    plan->stream = plan->look = NULL;
    mst_device_release(plan->context, plan->transfer.buffer, plan->transfer.bytes);
    mst_device_release(plan->context, plan->gain.buffer, plan->gain.bytes);
    plan->transfer = plan->gain = (mst_work){NULL, 0};
    mst_table_release(plan->context, &plan->frame);
    for (int k = 0; k < N_KERNELS; k++) {
        mst_kernel_destroy(plan->kernels[k]);
        plan->kernels[k] = NULL;
    }
    for (int a = 0; a < N_ARRAYS; a++)
        for (int own = 0; own < 2; own++) {
            mst_lines_release(plan->context, plan->lines[a][own]);
            plan->lines[a][own] = NULL;
        }
}

bool mst_deconvolution_is_too_small(mst_status status) { return status == MST_ERROR_BUDGET || status == MST_ERROR_DEVICE_MEMORY; }
