// A second plan beside a plan, on the same device.
#include "plan.h"

#include <stdlib.h>

void mst_integral_destroy_second(mst_integral *second) {
    if (!second)
        return;
    if (second->work)
        second->method->destroy(second);
    mst_queue_release(&second->queue);
    free(second);
}

mst_status mst_integral_create_second(const mst_integral *plan, mst_integral **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_integral *second = malloc(sizeof *second);
    *out = NULL;
    MST_REQUIRE(second, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    *second = *plan;
    second->turn = NULL;
    second->work = NULL;
    second->second = NULL;
    second->twins = NULL;
    second->n_twins = 0;
    MST_TRY(mst_queue_create(plan->context, &second->queue, error));
    MST_TRY(second->method->create(second, error));
    MST_TRY(mst_queue_finish(&second->queue, error));
    *out = second;
    return MST_OK;
fail:
    mst_integral_destroy_second(second);
    return status;
}
