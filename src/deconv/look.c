// A cut plan's look at the whole before the work: what bricks begin with follows from sums over all of them.
#include "bricks.h"

#include "runtime/numbers.h"

#include <float.h>
#include <math.h>

#define ROUNDING 16 // of a convolution, in units of the last place: deconv.cl

// Points of a brick that are its own and in the whole.
static double own_points(const mst_deconvolution *inner, size_t item) {
    double points = 1;
    for (int side = 0; side < N_SIDES; side++) {
        const int64_t first = mst_brick_origin(inner, item, side) + (int64_t)inner->cut.halo[side],
                      end = mst_smaller(first + (int64_t)inner->cut.step[side], (int64_t)inner->whole[side]);
        points *= (double)(end - mst_larger(first, (int64_t)0));
    }
    return points;
}

mst_status mst_bricks_report(mst_deconvolution *inner, size_t done, mst_error *error) {
    const mst_execution *how = &inner->how;
    inner->done += done;
    if (!how->progress || how->progress(inner->done, inner->total, how->progress_user))
        return MST_OK;
    return mst_fail(error, MST_ERROR_CANCELLED, "cancelled");
}

static double number_at(const mst_deconvolution *inner, const void *values, size_t at) {
    return inner->is_double ? ((const double *)values)[at] : (double)((const float *)values)[at];
}

static mst_status look(void *user, const mst_block *block, mst_error *error) {
    enum { N = MST_DECONVOLUTION_NUMBERS, PARTS = MST_DECONVOLUTION_PARTS };
    mst_deconvolution *inner = user;
    mst_status status = MST_OK;
    double parts[PARTS * N], scalars[N]; // room for numbers of either type
    const size_t bytes = mst_deconvolution_real_bytes(inner);
    MST_TRY(mst_deconvolution_load(inner, block, true, error));
    MST_TRY(mst_deconvolution_sum(inner, block, error));
    for (size_t k = 0; k < block->count; k++) {
        double *sums = inner->bricks->sums[block->first + k];
        MST_TRY(mst_queue_read(block->queue, inner->work[WORK_SUMS_2].buffer, k * PARTS * N * bytes, PARTS * N * bytes, parts,
                               "the sums of a brick", error));
        MST_TRY(mst_queue_read(block->queue, inner->work[WORK_SCALARS].buffer, k * N * bytes, N * bytes, scalars,
                               "the sums of a brick", error));
        const double unit = number_at(inner, scalars, 7);
        sums[0] = sums[1] = sums[2] = 0;
        for (size_t part = 0; part < PARTS; part++)
            for (int s = 0; s < 3; s++)
                sums[s] += number_at(inner, parts, part * N + (size_t)s);
        sums[2] = sums[2] / unit / unit;
        if (!mst_deconvolution_iterates(inner))
            sums[1] = own_points(inner, block->first + k);
    }
    MST_TRY(mst_bricks_report(inner, 0, error));
fail:
    return status;
}

// As the kernel `judge` begins.
void mst_bricks_add_sums(struct mst_bricks *b) {
    const int most = b->inner->is_double ? 1000 : 120;
    double sum = 0, count = 0, squares = 0;
    for (size_t k = 0; k < b->inner->n_items; k++) {
        sum += b->sums[k][0];
        count += b->sums[k][1];
        squares += b->sums[k][2];
    }
    b->mean = count > 0 ? sum / count : 0;
    b->rms = count > 0 ? sqrt(squares / count) : 0;
    const int exponent = b->mean > 0 ? ilogb(b->mean) : 0;
    b->unit = ldexp(1, -mst_larger(mst_smaller(exponent, most), -most));
}

mst_status mst_bricks_begin(mst_deconvolution *inner, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    const struct mst_bricks *b = inner->bricks;
    const double least = ROUNDING * (inner->is_double ? DBL_EPSILON : (double)FLT_EPSILON) * b->rms;
    const double numbers[MST_DECONVOLUTION_NUMBERS] = {b->mean, 0, 1, 1, 0, 0, least, b->unit};
    float singles[MST_DECONVOLUTION_NUMBERS];
    const size_t bytes = MST_DECONVOLUTION_NUMBERS * mst_deconvolution_real_bytes(inner);
    for (size_t k = 0; k < MST_DECONVOLUTION_NUMBERS; k++)
        singles[k] = (float)numbers[k];
    for (size_t k = 0; k < block->count; k++)
        MST_TRY(mst_queue_write(block->queue, CL_TRUE, inner->work[WORK_SCALARS].buffer, k * bytes, bytes,
                                inner->is_double ? (const void *)numbers : singles, "what iterations begin with", error));
fail:
    return status;
}

// ---- Streams

mst_status mst_bricks_say_least(const mst_deconvolution *inner, uint64_t host, mst_error *error) {
    mst_context *context = inner->context;
    mst_status status = MST_OK;
    static const char brick[] = "one brick with its halo";
    MST_TRY(mst_budget_require(context, &context->device_memory, inner->item_bytes, brick, error));
    MST_TRY(mst_budget_require(context, &context->host_memory, host, brick, error));
    status = mst_fail(error, MST_ERROR_DEVICE_MEMORY, "one brick needs more bytes in one piece than %s allows, %llu",
                      context->device.name, (unsigned long long)context->device.max_allocation_bytes);
fail:
    return status;
}

mst_status mst_bricks_make_streams(mst_deconvolution *inner, const mst_stream_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    mst_stream_desc d = *desc;
    d.n_ports = 0;
    d.compute = look;
    for (int a = 0; a < N_ARRAYS; a++) {
        inner->look_ports[a] = (a == ARRAY_IMAGE || a == ARRAY_WEIGHTS) && inner->ports[a] >= 0 ? d.n_ports : -1;
        if (inner->look_ports[a] < 0)
            continue;
        d.ports[d.n_ports] = desc->ports[inner->ports[a]];
        d.windows[d.n_ports++] = desc->windows[inner->ports[a]];
    }
    MST_TRY(mst_stream_create(&d, &inner->look, error));
    d = *desc;
    if (inner->desc.exact) { // the object is written, from which the host takes the result
        const int result = inner->ports[ARRAY_RESULT];
        d.ports[result].layout = inner->desc.result;
        mst_brick_windows(inner, ARRAY_RESULT, true, &d.ports[result], &d.windows[result]);
    }
    MST_TRY(mst_stream_create(&d, &inner->stream, error));
fail:
    return status;
}
