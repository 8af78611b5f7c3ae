// The model of a run's time: how a schedule adds up the rates that were measured.
#ifndef MST_STENCIL_PLAN_MODEL_H
#define MST_STENCIL_PLAN_MODEL_H

#include "footprint.h"
#include "stencil/scheme/observations.h"

// What the model says of so many steps.
typedef struct mst_forecast {
    double seconds;
    double upload_bytes, download_bytes;
    double duplicated; // updates computed / updates needed - 1
} mst_forecast;

// What kernels compute of boxes, kept from one forecast to the next of the same kernels. Empty at first: {0}.
enum { MST_FORECAST_BOXES = 1024 };
typedef struct mst_forecast_boxes {
    struct {
        int64_t key[N_AXES + 1];
        double work, longer;
    } boxes[MST_FORECAST_BOXES];
} mst_forecast_boxes;

// Rates of no particular device, for plans before any are measured.
mst_rates mst_rates_assumed(const mst_plan_inputs *in);

// The steps of the next trip of so many that are left. Trips of overlapped tiling have the plan's depth as long as they can, as
// published; those of time skewing, each of which takes as long as its copies do, share the steps evenly.
uint64_t mst_plan_trip(const mst_plan *plan, uint64_t steps);

mst_forecast mst_model_forecast(const mst_plan_inputs *in, const mst_kernel_pair *pair, const mst_plan *plan, uint64_t steps,
                                mst_forecast_boxes *boxes);

#endif
