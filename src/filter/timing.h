// How long the parts of the work take on the device, where that is wanted. (Transfers are in mst_report.)
#ifndef MST_FILTER_TIMING_H
#define MST_FILTER_TIMING_H

#include "runtime/queue.h"

#include <mastaba/filter.h>

typedef enum mst_filter_part {
    MST_PART_LOAD,
    MST_PART_SPIN,
    MST_PART_FORWARD,
    MST_PART_REVERSE,
    MST_PART_BUTTERFLY,
    MST_PART_NORMALISE,
    MST_PART_TRANSPOSE,
    MST_PART_MASK,
    MST_PART_INVERSE,
    MST_PART_STORE,
    MST_N_PARTS
} mst_filter_part;

// A command that belongs to a part; with `before`, all that ran between the two.
typedef struct mst_filter_event {
    mst_filter_part part;
    cl_event before, event;
} mst_filter_event;

typedef struct mst_filter_times {
    mst_filter_event *events;
    size_t n_events, most_events;
    cl_event last; // the stamp before what comes
} mst_filter_times;

// The place for a command's event, NULL if it is not wanted; what follows belongs to `part`.
cl_event *mst_filter_timing_command(mst_filter *plan, mst_filter_part part);
// Marks where a part of several commands begins in a queue, and where it ends.
mst_status mst_filter_timing_begin(mst_filter *plan, mst_queue *queue, mst_error *error);
mst_status mst_filter_timing_end(mst_filter *plan, mst_queue *queue, mst_filter_part part, mst_error *error);
void mst_filter_timing_clear(mst_filter *plan);
void mst_filter_timing_release(mst_filter *plan);
// Whether the caller's mst_filter_stage has a size that is known.
mst_status mst_filter_timing_check(const mst_filter_desc *desc, mst_error *error);

#endif
