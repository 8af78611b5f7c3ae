// Panels: items that are rectangles of larger arrays; and trays of such panels.
#ifndef MST_STREAM_PANEL_H
#define MST_STREAM_PANEL_H

#include "direct.h"

#include "runtime/pool.h"

#include <mastaba/array.h>

#define MST_STREAM_MAX_PORTS 15
#define MST_PANEL_PIECES 4

// What pieces are asked for: of a panel in the caller's array, or in the tray that it is in; or of the whole of that tray in the
// caller's array.
typedef enum mst_panel_view { MST_PANEL_IN_ARRAY, MST_PANEL_IN_TRAY, MST_TRAY_IN_ARRAY } mst_panel_view;

// A part of a panel: elements of the array that lie as `layout` says, which gives their number along each axis, from `offset` on.
// In the packed panel they stand in C order from byte `at` on, in rows of row_bytes that begin pitch_bytes apart.
typedef struct mst_panel_piece {
    mst_layout layout;
    int64_t offset; // elements
    uint64_t at, row_bytes, pitch_bytes;
} mst_panel_piece;

// What trays may take, and which ports are files; and past the system's cache, which many requests in flight keep busy.
typedef struct mst_tray_room {
    uint64_t bytes; // of all trays
    bool file[MST_STREAM_MAX_PORTS], direct[MST_STREAM_MAX_PORTS];
} mst_tray_room;
#define MST_TRAYS_A_PORT 2 // at most
#define MST_TRAY_STRIPS 16

// Panels that follow one another and lie beside each other in the caller's arrays share a tray. Panels come in lines, of which
// the last tray may have fewer. Where results take the places of what they are made of, one tray serves ports 0 and 1: results
// are put where their panel was taken from.
typedef struct mst_tray_shape {
    bool shared;                          // ports 0 and 1, whose items and bytes are equal, have the same trays
    size_t line;                          // panels
    size_t items[MST_STREAM_MAX_PORTS];   // of a tray; 0: this port's panels move by themselves
    uint64_t bytes[MST_STREAM_MAX_PORTS]; // of a tray
    size_t held[MST_STREAM_MAX_PORTS];    // trays at a time: two, so that one moves beside the other's panels, or one
    // Inputs whose trays are read while panels of the one before are taken (strips.h): the strips of a tray, 0 if it is none
    // such, which has memory for so many more; and its rows, each of which has a part of every panel. The last panel of a line
    // may be narrower.
    size_t strips[MST_STREAM_MAX_PORTS], spare[MST_STREAM_MAX_PORTS], rows[MST_STREAM_MAX_PORTS];
} mst_tray_shape;

// Where pieces of one array come from or go to, and which threads move them.
typedef struct mst_panel_place {
    mst_pool *pool;
    mst_location where;
    const char *name;        // for messages
    mst_direct_file *direct; // as in mst_transfer
} mst_panel_place;

// Moves a piece to the packed panel, or from there. Blocks. Errors are those of mst_transfer_read_rows.
mst_status mst_panel_move(const mst_panel_place *place, const mst_panel_piece *piece, void *panel, bool write, mst_error *error);

#endif
