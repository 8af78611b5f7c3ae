// Copies between pinned memory of the caller's, where an array's elements lie in strides, and packed memory of the device, which
// the device makes by itself: as few rectangles (clEnqueueReadBufferRect) as can be, of rows of bytes that lie side by side.
#ifndef MST_STREAM_RECTANGLES_H
#define MST_STREAM_RECTANGLES_H

#include "runtime/context.h"

#include <mastaba/array.h>

typedef struct mst_crossing {
    const mst_layout *layout; // of the elements that move, in C order as they are packed; their strides are positive
    unsigned char *host;      // the first of them
    cl_mem device;
    uint64_t at;                     // byte of the device's buffer, where it goes
    uint64_t row_bytes, pitch_bytes; // packed rows of so many bytes begin so far apart; 0: without gaps
    cl_event wait;                   // before the first byte moves; may be NULL
} mst_crossing;

// Enqueues the copies, on the context's queue of downloads or of uploads. *event is that of the last one, or NULL after a
// failure, when copies may be under way; what it was before is not looked at.
cl_int mst_rectangles_download(const mst_context *context, const mst_crossing *crossing, cl_event *event);
cl_int mst_rectangles_upload(const mst_context *context, const mst_crossing *crossing, cl_event *event);

#endif
