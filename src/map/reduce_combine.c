// Partial results to fewer.
#include "boxes.h"
#include "reduce_steps.h"

// One launch of `combine`, from partial results `from` to the other ones.
static mst_status combine(mst_map *plan, const mst_map_span *span, uint64_t n_from, int from, mst_queue *queue,
                          mst_error *error) {
    const mst_kernel *kernel;
    mst_status status = mst_map_reducer_build(plan, MST_MAP_COMBINE, &kernel, error);
    if (status != MST_OK)
        return status;
    const cl_ulong n_parts = n_from, n_results = mst_map_combined(span), length = span->length, inner = span->inner,
                   each = span->each;
    const cl_ulong total = span->total, n = n_results;
    const mst_argument arguments[] = {MST_BIND_AS("parts", plan->reduce->partials[from]),
                                      MST_BIND(n_parts, n_parts),
                                      MST_BIND_AS("results", plan->reduce->partials[1 - from]),
                                      MST_BIND(n_results, n_results),
                                      MST_BIND(length, length),
                                      MST_BIND(inner, inner),
                                      MST_BIND(each, each),
                                      MST_BIND(total, total),
                                      MST_BIND(n, n)};
    return mst_kernel_launch(queue, kernel, arguments, sizeof arguments / sizeof arguments[0], (size_t)n,
                             mst_kernel_group(plan->context, kernel, (size_t)n), NULL, error);
}

mst_status mst_map_combine_all(mst_map *plan, const mst_map_box *box, mst_queue *queue, int *in, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_span span = plan->reduce->span;
    int axis = plan->shape.rank + 1;
    uint64_t n = (uint64_t)span.outer * mst_map_span_tiles(plan, &span) * span.inner;
    *in = 0;
    if (plan->reduce->count == 0) {
        span = (mst_map_span){1, 0, (size_t)mst_map_box_outputs(plan, box), 0, 0};
        MST_TRY(combine(plan, &span, 0, 0, queue, error));
        *in = 1;
        return MST_OK;
    }
    while (mst_map_next_span(plan, box, &span, &axis)) {
        MST_TRY(combine(plan, &span, n, *in, queue, error));
        n = mst_map_combined(&span);
        *in = 1 - *in;
    }
fail:
    return status;
}
