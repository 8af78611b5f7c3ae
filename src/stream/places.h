// Checks of the locations that a caller passes.
#ifndef MST_STREAM_PLACES_H
#define MST_STREAM_PLACES_H

#include "stream.h"

// Every port's location must hold its layout; outputs must not overlap anything, but for `in_place`.
mst_status mst_places_check(const mst_stream_desc *desc, const mst_location *where, mst_error *error);

#endif
