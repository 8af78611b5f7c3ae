// Checks of the locations that a caller passes, and what else stands at both ends of an execution.
#ifndef MST_STREAM_PLACES_H
#define MST_STREAM_PLACES_H

#include "stream.h"

// Every port's location must hold its layout; outputs must not overlap anything, but for `in_place`.
mst_status mst_places_check(const mst_stream_desc *desc, const mst_location *where, mst_error *error);

// What an execution begins and ends with whose capability moves the arrays of `ports` by itself: the locations are checked, and
// how->wait_list has been waited for; afterwards it is answered as `how`, now in full, asks.
mst_status mst_host_run_begin(const mst_stream_desc *ports, const mst_location *where, const mst_execution *how,
                              mst_execution *full, mst_error *error);
mst_status mst_host_run_end(mst_context *context, const mst_execution *full, const mst_report *report, mst_error *error);

#endif
