// The memory of trays that are read while panels of the one before are still taken from it, though together they have little more
// memory than one. A tray's rows are cut into strips, and the rows into as many ranges: blocks of memory, which any tray may
// have. Panels go by strips, each of which leaves a column of blocks; a file is read by ranges of whole rows, each of which wants
// a row of blocks, filled by one request a row of the file.
#ifndef MST_STREAM_STRIPS_H
#define MST_STREAM_STRIPS_H

#include "panel.h"

typedef struct mst_strips mst_strips;

// What mst_strips_create takes for the trays of a port.
uint64_t mst_strips_bytes(const mst_tray_shape *shape, int port);

// *out is NULL, and nothing fails, where the system has no such memory. MST_ERROR_HOST_MEMORY.
mst_status mst_strips_create(const mst_tray_shape *shape, int port, mst_strips **out, mst_error *error);
void mst_strips_destroy(mst_strips *strips); // accepts NULL

// Not thread-safe: blocks for a range of a tray of so many panels, false where there are too few; and back from a panel's strip,
// when all of its panels are taken. Trays are told apart by their numbers modulo 2.
bool mst_strips_take(mst_strips *strips, size_t tray, size_t panels, size_t range);
bool mst_strips_give(mst_strips *strips, size_t tray, size_t panel);
size_t mst_strips_ranges(const mst_strips *strips);

// Reads a range of rows of a tray, which lies in the array as `piece` says. Errors are those of mst_transfer_read.
mst_status mst_strips_read(mst_strips *strips, size_t tray, size_t range, const mst_panel_place *from,
                           const mst_panel_piece *piece, mst_error *error);

// Copies a panel out of its tray.
mst_status mst_strips_copy(const mst_strips *strips, size_t tray, size_t panel, mst_pool *pool, void *to, mst_error *error);

#endif
