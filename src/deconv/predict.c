// What an execution would move, in numbers.
#include "bricks.h"

#include "runtime/description.h"
#include "runtime/numbers.h"

// Points of all windows of an image that the image has.
static uint64_t points_read(const mst_deconvolution *inner) {
    uint64_t points = 1;
    for (int side = 0; side < N_SIDES; side++) {
        uint64_t along = 0;
        for (size_t k = 0; k < inner->cut.n[side]; k++) {
            const int64_t first =
                (int64_t)(k * inner->cut.step[side]) - (int64_t)inner->cut.halo[side] - (int64_t)inner->cut.pad[side];
            if (inner->cut.goes_round) {
                along += inner->extent[side];
                continue;
            }
            const int64_t end = mst_smaller(first + (int64_t)inner->extent[side], (int64_t)inner->whole[side]);
            along += (uint64_t)mst_larger(end - mst_larger(first, (int64_t)0), (int64_t)0);
        }
        points *= along;
    }
    return points;
}

static uint64_t bytes_of(const mst_layout *layout) {
    return layout->rank > 0 ? mst_layout_count(layout) * mst_type_bytes(layout->type) : 0;
}

static void predict_bricks(const mst_deconvolution *plan, mst_deconvolution_forecast *f) {
    const mst_deconvolution *inner = plan->bricks->inner;
    const mst_deconvolution_desc *d = &plan->desc;
    const mst_layout *inputs[] = {&d->image, &d->weights, &d->start};
    const uint64_t points = points_read(inner) * plan->n_items;
    const uint64_t trips = d->exact ? (uint64_t)d->iterations + 1 : 1; // bricks pass once more before the first iteration
    f->bricks = plan->n_items * inner->n_items;
    f->read_bytes = 0;
    for (size_t a = 0; a < MST_COUNT(inputs); a++)
        if (inputs[a]->rank > 0)
            f->read_bytes += (inputs[a] == &d->start ? 1 : 1 + trips) * points * mst_type_bytes(inputs[a]->type);
    if (d->exact && d->start.rank > 0) // by the host
        f->read_bytes -= (points - mst_layout_count(&d->image)) * mst_type_bytes(d->start.type);
    for (int a = 0; a < d->n_axes; a++) {
        f->brick_shape[a] = inner->cut.step[N_SIDES - d->n_axes + a];
        f->halo[a] = inner->cut.halo[N_SIDES - d->n_axes + a];
    }
    f->device_bytes = inner->item_bytes;
}

mst_status mst_deconvolution_predict(const mst_deconvolution *plan, mst_deconvolution_forecast *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_description *kind = MST_DESCRIPTION(mst_deconvolution_forecast, MST_DECONVOLUTION_FORECAST_INIT, device_bytes);
    mst_deconvolution_forecast f = MST_DECONVOLUTION_FORECAST_INIT;
    bool taken = false;
    MST_REQUIRE(plan && out, MST_ERROR_ARGUMENT, "plan and out must not be NULL");
    MST_TRY(mst_description_check(kind, out, error));
    const mst_deconvolution_desc *d = &plan->desc;
    MST_REQUIRE(plan->lacks.status == MST_OK, plan->lacks.status, "%s", plan->lacks.message);
    MST_TRY(mst_turn_take(plan->turn, error)); // an execution may make other bricks
    taken = true;
    f.read_bytes = bytes_of(&d->image) + bytes_of(&d->weights) + bytes_of(&d->start);
    f.written_bytes = bytes_of(&d->result);
    f.device_bytes = plan->item_bytes;
    if (plan->bricks && plan->bricks->inner)
        predict_bricks(plan, &f);
    mst_description_write(kind, &f, out);
fail:
    return taken ? mst_turn_give(plan->turn, status) : status;
}
