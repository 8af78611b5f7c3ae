#include "region.h"

mst_status mst_region_read(int rank, const uint64_t grid[N_AXES], const mst_stencil_region *region, mst_region *out,
                           mst_error *error) {
    mst_status status = MST_OK;
    for (int axis = 0; axis < N_AXES; axis++) {
        out->start[axis] = 0;
        out->step[axis] = 1;
        out->count[axis] = grid[axis];
    }
    for (int k = 0; region && k < rank; k++) {
        const int axis = mst_problem_axis(rank, k);
        const uint64_t length = grid[axis];
        out->start[axis] = region->start[k];
        out->step[axis] = region->step[k];
        out->count[axis] = region->count[k];
        MST_REQUIRE(region->step[k] >= 1 && region->count[k] >= 1 && region->start[k] < length &&
                        (region->count[k] - 1) <= (length - 1 - region->start[k]) / region->step[k],
                    MST_ERROR_ARGUMENT, "%zu nodes from %zu by %zu are not all on axis %d, which has %llu", region->count[k],
                    region->start[k], region->step[k], k, (unsigned long long)length);
    }
    out->nodes = out->count[PLANES] * out->count[ROWS] * out->count[COLUMNS];
fail:
    return status;
}
