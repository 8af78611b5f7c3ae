// What the results of a description are, without a device.
#include "description.h"
#include "mask.h"

#include "runtime/description.h"

#include <stddef.h>
#include <stdlib.h>

// The description as a plan that has no context.
static mst_status read(const mst_filter_desc *desc, mst_filter **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_filter *plan = *out = calloc(1, sizeof *plan);
    MST_REQUIRE(plan, MST_ERROR_HOST_MEMORY, "out of memory reading a description");
    MST_REQUIRE(desc, MST_ERROR_ARGUMENT, "desc must not be NULL");
    MST_TRY(mst_filter_read(plan, desc, error));
    mst_filter_define_extent(plan);
fail:
    return status;
}

mst_status mst_filter_describe(const mst_filter_desc *desc, mst_filter_frame *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_description *kind = MST_DESCRIPTION(mst_filter_frame, MST_FILTER_FRAME_INIT, white);
    mst_filter *plan = NULL;
    MST_REQUIRE(out, MST_ERROR_ARGUMENT, "out must not be NULL");
    MST_TRY(mst_description_check(kind, out, error));
    MST_TRY(read(desc, &plan, error));
    const mst_filter_frame frame = {.cosine = plan->cosine,
                                    .points = {plan->r, plan->p, plan->q},
                                    .periods = {plan->period_r, plan->period_p, plan->period_q},
                                    .output_as = plan->desc.output_as,
                                    .type = plan->desc.type,
                                    .output = plan->desc.output.type,
                                    .white = plan->desc.white,
                                    .is_levelled = mst_filter_levels(plan)};
    mst_description_write(kind, &frame, out);
fail:
    free(plan);
    return status;
}

static void put(const mst_filter *plan, void *values, size_t i, double value) {
    if (plan->is_double)
        ((double *)values)[i] = value;
    else
        ((float *)values)[i] = (float)value;
}

mst_status mst_filter_mask_values(const mst_filter_desc *desc, const size_t first[3], const size_t count[3], void *values,
                                  mst_error *error) {
    mst_status status = MST_OK;
    mst_filter *plan = NULL;
    MST_TRY(read(desc, &plan, error));
    MST_REQUIRE(plan->desc.kind != MST_FILTER_WIENER, MST_ERROR_UNSUPPORTED,
                "a Wiener filter has no mask before there is an image");
    for (size_t i = 0, m = 0; m < count[0]; m++)
        for (size_t k = 0; k < count[1]; k++)
            for (size_t l = 0; l < count[2]; l++, i++)
                put(plan, values, i, mst_mask_value(plan, first[0] + m, first[1] + k, first[2] + l));
fail:
    free(plan);
    return status;
}
