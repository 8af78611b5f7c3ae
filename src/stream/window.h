// Items that are windows on an array of the caller's which is longer: panels of one signal, which may overlap, tiles of one
// image. What a window has beyond the array's ends is zero, and is not written.
#ifndef MST_STREAM_WINDOW_H
#define MST_STREAM_WINDOW_H

#include "stream.h"

// A part of an item that the array has: in C order, in rows that begin so far apart in the packed item, from its byte `begin` on.
typedef struct mst_piece {
    mst_layout layout; // of these elements, in the array
    int64_t from;      // bytes from the array's element [0]...[0]
    uint64_t begin, bytes;
    uint64_t row_bytes, pitch_bytes; // one row, if the port has one axis of windows
} mst_piece;

static inline bool mst_port_has_windows(const mst_stream_desc *desc, int port) { return desc->windows[port].n_axes > 0; }

// The array that a port's location is of.
static inline const mst_layout *mst_port_array(const mst_stream_desc *desc, int port) {
    return mst_port_has_windows(desc, port) ? &desc->windows[port].array : &desc->ports[port].layout;
}

// Calls `visit` for the pieces of an item, until it fails.
typedef mst_status (*mst_piece_fn)(const mst_piece *piece, void *user, mst_error *error);
mst_status mst_window_visit(const mst_stream_desc *desc, int port, size_t item, mst_piece_fn visit, void *user, mst_error *error);
bool mst_window_is_whole(const mst_stream_desc *desc, int port, size_t item); // the array has all of it

// Where a piece lies.
mst_location mst_piece_location(const mst_location *array, const mst_piece *piece);

#endif
