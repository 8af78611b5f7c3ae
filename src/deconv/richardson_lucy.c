// Richardson-Lucy iterations of a block, on the device from the first to the last.
#include "bricks.h"
#include "passes.h"

#include "runtime/numbers.h"

#include <stdlib.h>

typedef struct iteration {
    mst_deconvolution *plan;
    mst_queue *queue;
    size_t first, count; // items
    int number;          // from 1
    cl_mem x, before;    // which take turns where an iteration writes beside what it reads
    cl_mem gain;
    cl_ulong gain_pitch, n, chunks, n_items;
    cl_int weighted, judges;
} iteration;

static cl_mem buffer_of(const iteration *it, int which) { return it->plan->work[which].buffer; }

static mst_status launch_chunks(iteration *it, int which, const mst_argument *arguments, size_t n_arguments, mst_error *error) {
    return mst_deconvolution_launch(it->plan, it->queue, which, arguments, n_arguments, (size_t)(it->chunks * it->n_items),
                                    error);
}

static double number_of(const iteration *it, const void *numbers, size_t item, int which) {
    size_t at = item * MST_DECONVOLUTION_NUMBERS + (size_t)which;
    return it->plan->is_double ? ((const double *)numbers)[at] : (double)((const float *)numbers)[at];
}

// The sums of all chunks to those of a few parts.
static mst_status reduce(iteration *it, mst_error *error) {
    cl_mem sums = buffer_of(it, WORK_SUMS), parts = buffer_of(it, WORK_SUMS_2);
    cl_ulong n_from = it->chunks, n_to = MST_DECONVOLUTION_PARTS, n = n_to * it->n_items;
    const mst_argument reduction[] = {MST_BIND_AS("from", sums), MST_BIND(n_from, n_from), MST_BIND(n_to, n_to), MST_BIND(n, n),
                                      MST_BIND_AS("to", parts)};
    return mst_deconvolution_launch(it->plan, it->queue, KERNEL_REDUCE, reduction, MST_COUNT(reduction), (size_t)n, error);
}

// What follows from the sums of all chunks.
static mst_status judge(iteration *it, mst_error *error) {
    mst_status status = MST_OK;
    cl_mem parts = buffer_of(it, WORK_SUMS_2);
    cl_ulong n_to = MST_DECONVOLUTION_PARTS, n = it->n_items;
    cl_int number = it->number;
    MST_TRY(reduce(it, error));
    const mst_argument arguments[] = {MST_BIND_AS("sums", parts),
                                      MST_BIND_AS("n_from", n_to),
                                      MST_BIND_AS("iteration", number),
                                      MST_BIND_AS("tolerance", it->plan->desc.tolerance),
                                      MST_BIND(n, n),
                                      MST_BIND_AS("scalars", it->plan->work[WORK_SCALARS].buffer)};
    MST_TRY(mst_deconvolution_launch(it->plan, it->queue, KERNEL_JUDGE, arguments, MST_COUNT(arguments), (size_t)n, error));
fail:
    return status;
}

// Twice: what squares are counted in is known by the mean.
static mst_status find_mean(iteration *it, bool again, mst_error *error) {
    mst_status status = MST_OK;
    cl_int unit_known = again, any = !mst_deconvolution_iterates(it->plan);
    const mst_argument arguments[] = {MST_BIND_AS("seen", it->plan->work[any ? WORK_REAL : WORK_SEEN].buffer),
                                      MST_BIND(any, any),
                                      MST_BIND(unit_known, unit_known),
                                      MST_BIND_AS("scalars", it->plan->work[WORK_SCALARS].buffer),
                                      MST_BIND_AS("n", it->n),
                                      MST_BIND_AS("chunks", it->chunks),
                                      MST_BIND_AS("n_items", it->n_items),
                                      MST_BIND_AS("sums", it->plan->work[WORK_SUMS].buffer)};
    MST_TRY(launch_chunks(it, KERNEL_SEEN, arguments, MST_COUNT(arguments), error));
    MST_TRY(judge(it, error));
fail:
    return status;
}

static mst_status start(iteration *it, mst_error *error) {
    const mst_deconvolution_desc *d = &it->plan->desc;
    cl_int given = d->start.rank > 0, both = mst_deconvolution_alternates(it->plan), steps = d->accelerate != 0;
    cl_int checked = it->plan->cut.is_cut && d->exact && d->iterations > 0; // by a pass of no iteration
    const mst_argument arguments[] = {MST_BIND_AS("scalars", it->plan->work[WORK_SCALARS].buffer),
                                      MST_BIND_AS("value", d->start_value),
                                      MST_BIND(given, given),
                                      MST_BIND(checked, checked),
                                      MST_BIND_AS("gain", it->gain),
                                      MST_BIND_AS("gain_pitch", it->gain_pitch),
                                      MST_BIND_AS("n", it->n),
                                      MST_BIND_AS("n_items", it->n_items),
                                      MST_BIND_AS("x", it->x),
                                      MST_BIND(both, both),
                                      MST_BIND_AS("before", it->before),
                                      MST_BIND(steps, steps),
                                      MST_BIND_AS("step", it->plan->work[WORK_STEP].buffer)};
    return mst_deconvolution_launch(it->plan, it->queue, KERNEL_FLAT, arguments, MST_COUNT(arguments),
                                    (size_t)(it->n * it->n_items), error);
}

static mst_status predict(iteration *it, mst_error *error) {
    const mst_argument arguments[] = {MST_BIND_AS("x", it->x),
                                      MST_BIND_AS("before", it->before),
                                      MST_BIND_AS("to", it->plan->work[WORK_PREDICTED].buffer),
                                      MST_BIND_AS("scalars", it->plan->work[WORK_SCALARS].buffer),
                                      MST_BIND_AS("n", it->n),
                                      MST_BIND_AS("chunks", it->chunks),
                                      MST_BIND_AS("n_items", it->n_items)};
    return launch_chunks(it, KERNEL_PREDICT, arguments, MST_COUNT(arguments), error);
}

static mst_status take_ratio(iteration *it, mst_error *error) {
    const mst_argument arguments[] = {MST_BIND_AS("model", it->plan->work[WORK_REAL].buffer),
                                      MST_BIND_AS("seen", it->plan->work[WORK_SEEN].buffer),
                                      MST_BIND_AS("weighted", it->weighted),
                                      MST_BIND_AS("weights", it->plan->work[WORK_WEIGHTS].buffer),
                                      MST_BIND_AS("background", it->plan->desc.background),
                                      MST_BIND_AS("scalars", it->plan->work[WORK_SCALARS].buffer),
                                      MST_BIND_AS("judges", it->judges),
                                      MST_BIND_AS("n", it->n),
                                      MST_BIND_AS("chunks", it->chunks),
                                      MST_BIND_AS("n_items", it->n_items),
                                      MST_BIND_AS("sums", it->plan->work[WORK_SUMS].buffer)};
    return launch_chunks(it, KERNEL_RATIO, arguments, MST_COUNT(arguments), error);
}

// Adds to what bricks miss of the image.
static mst_status measure(iteration *it, mst_error *error) {
    mst_status status = MST_OK;
    enum { N = MST_DECONVOLUTION_NUMBERS, PARTS = MST_DECONVOLUTION_PARTS };
    const mst_deconvolution *plan = it->plan;
    const size_t bytes = mst_deconvolution_real_bytes(plan);
    double parts[PARTS * N]; // room for numbers of either type
    cl_ulong first_item = it->first;
    cl_uint padded_y = (cl_uint)plan->padded[Y], padded_x = (cl_uint)plan->padded[X];
    const mst_argument arguments[] = {MST_BIND_AS("model", plan->work[WORK_REAL].buffer),
                                      MST_BIND_AS("seen", plan->work[WORK_SEEN].buffer),
                                      MST_BIND_AS("weighted", it->weighted),
                                      MST_BIND_AS("weights", plan->work[WORK_WEIGHTS].buffer),
                                      MST_BIND_AS("background", plan->desc.background),
                                      MST_BIND_AS("scalars", plan->work[WORK_SCALARS].buffer),
                                      MST_BIND_AS("frame", plan->frame.buffer),
                                      MST_BIND(first_item, first_item),
                                      MST_BIND(padded_y, padded_y),
                                      MST_BIND(padded_x, padded_x),
                                      MST_BIND_AS("n", it->n),
                                      MST_BIND_AS("chunks", it->chunks),
                                      MST_BIND_AS("n_items", it->n_items),
                                      MST_BIND_AS("sums", plan->work[WORK_SUMS].buffer)};
    MST_TRY(launch_chunks(it, KERNEL_MISS, arguments, MST_COUNT(arguments), error));
    MST_TRY(reduce(it, error));
    for (size_t k = 0; k < it->count; k++) {
        MST_TRY(mst_queue_read(it->queue, buffer_of(it, WORK_SUMS_2), k * PARTS * N * bytes, PARTS * N * bytes, parts,
                               "what a brick misses", error));
        for (size_t part = 0; part < PARTS; part++)
            for (int s = 0; s < 2; s++)
                plan->bricks->missed[s] += number_of(it, parts, part, s);
    }
fail:
    return status;
}

static mst_status vary(iteration *it, cl_mem x, mst_error *error) {
    const mst_deconvolution *plan = it->plan;
    cl_uint padded_z = (cl_uint)plan->padded[Z], padded_y = (cl_uint)plan->padded[Y], padded_x = (cl_uint)plan->padded[X];
    cl_ulong n = it->n_items * padded_z * padded_y;
    const mst_argument arguments[] = {MST_BIND(x, x),
                                      MST_BIND_AS("to", plan->work[WORK_REAL].buffer),
                                      MST_BIND_AS("lambda", plan->desc.total_variation),
                                      MST_BIND_AS("scalars", plan->work[WORK_SCALARS].buffer),
                                      MST_BIND(padded_z, padded_z),
                                      MST_BIND(padded_y, padded_y),
                                      MST_BIND(padded_x, padded_x),
                                      MST_BIND(n, n)};
    return mst_deconvolution_launch(it->plan, it->queue, KERNEL_VARY, arguments, MST_COUNT(arguments),
                                    mst_deconvolution_row_items(plan, (size_t)n), error);
}

static mst_status scale(iteration *it, mst_error *error) {
    const mst_argument arguments[] = {MST_BIND_AS("x", it->x),
                                      MST_BIND_AS("factor", it->plan->work[WORK_REAL].buffer),
                                      MST_BIND_AS("gain", it->gain),
                                      MST_BIND_AS("gain_pitch", it->gain_pitch),
                                      MST_BIND_AS("n", it->n),
                                      MST_BIND_AS("chunks", it->chunks),
                                      MST_BIND_AS("n_items", it->n_items)};
    return launch_chunks(it, KERNEL_SCALE, arguments, MST_COUNT(arguments), error);
}

// The next x takes the place of the one before.
static mst_status update(iteration *it, cl_mem begun, mst_error *error) {
    cl_int accelerated = it->plan->desc.accelerate != 0;
    cl_mem x = it->x, to = it->before;
    const mst_argument arguments[] = {MST_BIND(x, x),
                                      MST_BIND(begun, begun),
                                      MST_BIND_AS("factor", it->plan->work[WORK_REAL].buffer),
                                      MST_BIND_AS("gain", it->gain),
                                      MST_BIND_AS("gain_pitch", it->gain_pitch),
                                      MST_BIND(to, to),
                                      MST_BIND(accelerated, accelerated),
                                      MST_BIND_AS("step", it->plan->work[WORK_STEP].buffer),
                                      MST_BIND_AS("scalars", it->plan->work[WORK_SCALARS].buffer),
                                      MST_BIND_AS("n", it->n),
                                      MST_BIND_AS("chunks", it->chunks),
                                      MST_BIND_AS("n_items", it->n_items),
                                      MST_BIND_AS("sums", it->plan->work[WORK_SUMS].buffer)};
    it->x = to;
    it->before = x;
    return launch_chunks(it, KERNEL_UPDATE, arguments, MST_COUNT(arguments), error);
}

static mst_status iterate(iteration *it, mst_error *error) {
    mst_status status = MST_OK;
    const mst_deconvolution_desc *d = &it->plan->desc;
    cl_mem begun = d->accelerate ? buffer_of(it, WORK_PREDICTED) : it->x;
    if (d->accelerate)
        MST_TRY(predict(it, error));
    MST_TRY(mst_deconvolution_convolve(it->plan, it->queue, begun, false, it->count, error));
    if (it->plan->cut.is_cut && it->plan->bricks->measures)
        MST_TRY(measure(it, error));
    MST_TRY(take_ratio(it, error));
    MST_TRY(mst_deconvolution_convolve(it->plan, it->queue, buffer_of(it, WORK_REAL), true, it->count, error));
    if (d->total_variation > 0)
        MST_TRY(vary(it, begun, error));
    if (mst_deconvolution_alternates(it->plan))
        MST_TRY(update(it, begun, error));
    else
        MST_TRY(scale(it, error));
    if (it->judges)
        MST_TRY(judge(it, error));
fail:
    return status;
}

// The same where iterations are joined by rows: between them x is in WORK_SPECTRA, too, transformed along rows.
static mst_status iterate_by_rows(iteration *it, mst_error *error) {
    mst_status status = MST_OK;
    mst_deconvolution *plan = it->plan;
    const bool first = it->number == 1, last = it->number == plan->desc.iterations;
    MST_TRY(mst_deconvolution_transform(plan, it->queue, first ? ALL_THERE : COLUMNS_THERE, it->x, it->count, error));
    MST_TRY(mst_deconvolution_filter(plan, it->queue, false, it->count, error));
    MST_TRY(mst_deconvolution_transform(plan, it->queue, COLUMNS_BACK, NULL, it->count, error));
    MST_TRY(mst_deconvolution_rows_ratio(plan, it->queue, it->count, error));
    MST_TRY(mst_deconvolution_transform(plan, it->queue, COLUMNS_THERE, NULL, it->count, error));
    MST_TRY(mst_deconvolution_filter(plan, it->queue, true, it->count, error));
    MST_TRY(mst_deconvolution_transform(plan, it->queue, last ? ALL_BACK : COLUMNS_BACK, NULL, it->count, error));
    if (last)
        MST_TRY(scale(it, error));
    else
        MST_TRY(mst_deconvolution_rows_scale(plan, it->queue, it->x, it->gain, it->gain_pitch, it->count, error));
fail:
    return status;
}

// Tells how far the items have come, and finds out whether all are done.
static mst_status tell(iteration *it, void *scalars, bool *all_done, mst_error *error) {
    mst_status status = MST_OK;
    const mst_deconvolution_desc *d = &it->plan->desc;
    MST_TRY(mst_queue_read(it->queue, buffer_of(it, WORK_SCALARS), 0, (size_t)it->plan->work[WORK_SCALARS].bytes, scalars,
                           "how far iterations have come", error));
    *all_done = true;
    for (size_t k = 0; k < it->count; k++) {
        const mst_deconvolution_state state = {.struct_size = sizeof state,
                                               .item = it->first + k,
                                               .iteration = it->number,
                                               .iterations = d->iterations,
                                               .residual = number_of(it, scalars, k, S_RESIDUAL),
                                               .change = number_of(it, scalars, k, S_CHANGE)};
        const bool new = number_of(it, scalars, k, S_COUNT) == it->number;
        *all_done &= number_of(it, scalars, k, S_DONE) > 0;
        MST_REQUIRE(!d->watch || !new || d->watch(&state, d->watch_user), MST_ERROR_CANCELLED, "cancelled");
    }
fail:
    return status;
}

// After each iteration, as far as somebody wants to know.
static mst_status report(iteration *it, void *scalars, bool *all_done, mst_error *error) {
    mst_status status = MST_OK;
    mst_deconvolution *plan = it->plan;
    if (plan->desc.watch || plan->desc.tolerance > 0)
        MST_TRY(tell(it, scalars, all_done, error));
    else if (plan->how.progress)
        MST_TRY(mst_queue_finish(it->queue, error));
    plan->done += it->count * (uint64_t)(*all_done ? 1 + plan->desc.iterations - it->number : 1);
    MST_REQUIRE(!plan->how.progress || plan->how.progress(plan->done, plan->total, plan->how.progress_user), MST_ERROR_CANCELLED,
                "cancelled");
fail:
    return status;
}

static iteration iteration_of(mst_deconvolution *plan, const mst_block *block) {
    const bool own_gains = mst_deconvolution_has_gains(plan);
    return (iteration){.plan = plan,
                       .queue = block->queue,
                       .first = block->first,
                       .count = block->count,
                       .x = plan->work[WORK_X].buffer,
                       .before = plan->work[WORK_BEFORE].buffer,
                       .gain = own_gains ? plan->work[WORK_GAIN].buffer : plan->gain.buffer,
                       .gain_pitch = own_gains ? plan->points : 0,
                       .n = plan->points,
                       .chunks = mst_deconvolution_chunks(plan, plan->points),
                       .n_items = block->count,
                       .weighted = plan->desc.weights.rank > 0,
                       .judges = mst_deconvolution_judges(plan)};
}

mst_status mst_deconvolution_sum(mst_deconvolution *plan, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    iteration it = iteration_of(plan, block);
    MST_TRY(find_mean(&it, false, error));
    MST_TRY(find_mean(&it, true, error));
fail:
    return status;
}

mst_status mst_deconvolution_iterate(mst_deconvolution *plan, const mst_block *block, int *which, mst_error *error) {
    mst_status status = MST_OK;
    iteration it = iteration_of(plan, block);
    bool all_done = false;
    void *scalars = malloc((size_t)plan->work[WORK_SCALARS].bytes);
    MST_REQUIRE(scalars, MST_ERROR_HOST_MEMORY, "out of memory for what iterations come to");
    if (mst_deconvolution_has_gains(plan))
        MST_TRY(mst_deconvolution_make_gain(plan, block->queue, block->first, block->count, it.gain, error));
    if (plan->cut.is_cut)
        MST_TRY(mst_bricks_begin(plan, block, error));
    else
        MST_TRY(mst_deconvolution_sum(plan, block, error));
    MST_TRY(start(&it, error));
    for (it.number = 1; it.number <= plan->desc.iterations && !all_done; it.number++) {
        MST_TRY(plan->by_rows ? iterate_by_rows(&it, error) : iterate(&it, error));
        MST_TRY(report(&it, scalars, &all_done, error));
    }
    *which = it.x == plan->work[WORK_X].buffer ? WORK_X : WORK_BEFORE;
fail:
    free(scalars);
    return status;
}
