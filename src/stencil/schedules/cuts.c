#include "cuts.h"

#include "memory.h"

mst_status mst_cuts_enqueue(const mst_cuts *cuts, const int64_t *beyond, size_t n, mst_cuts_launch *launch, void *user,
                            mst_queue *queue, cl_event *given, mst_error *error) {
    mst_status status = MST_OK;
    static const mst_cuts_turn turns[] = {MST_CUTS_LOW, MST_CUTS_HIGH, MST_CUTS_REST};
    for (size_t i = 0; i < MST_COUNT(turns); i++) {
        if (turns[i] == MST_CUTS_REST)
            MST_TRY(mst_event_mark(queue, given, error));
        for (size_t k = 0; k < n; k++) {
            const mst_cuts_range range = mst_cuts_planes(cuts, turns[i], beyond[k]);
            if (range.from < range.to)
                MST_TRY(launch(user, k, range, error));
        }
    }
fail:
    return status;
}
