// What the work-items of a GPU's work-group give one another through local memory. A work-item keeps the planes of its own nodes
// in registers. Of the planes that neighbours read to the side, those of its nodes that they read go to local memory once the
// plane is a plane old: each such node has a *slot*, an array with one place for every work-item of the group.
#ifndef MST_STENCIL_EXCHANGE_H
#define MST_STENCIL_EXCHANGE_H

#include "tile.h"

// A plane of a version that is exchanged. Of a work-item's nodes others read those in `used`, bit column x rows + row.
typedef struct mst_shared_plane {
    uint64_t used;
    int first_slot;
} mst_shared_plane;

typedef struct mst_stencil_exchange {
    const mst_tile *tile;
    const mst_pipeline *pipeline;
    bool is_open;                                      // tiles may reach beyond some faces, whose values have places of their own
    bool is_mirrored;                                  // nodes beyond faces take their values from local memory
    mst_shared_plane (*planes)[MST_STENCIL_MAX_DEPTH]; // of a version, by age
    int n_slots;
    int pitch;  // places of a slot: of all work-items and then, if open, of what lies before and behind the columns and the rows
    int ends;   // places before and behind all slots: work-items at the tile's edge read them and drop what comes of it
    int copies; // two of all slots, which take turns from plane to plane, where local memory holds them; else one
    // Which work-items others read from, counted along rows and columns from -MST_STENCIL_MAX_RADIUS.
    bool is_near[2 * MST_STENCIL_MAX_RADIUS + 1][2 * MST_STENCIL_MAX_RADIUS + 1];
} mst_stencil_exchange;

// Whether a leaf reads nodes to the side of the own one.
static inline bool mst_exchange_is_lateral(const mst_leaf *leaf) {
    return leaf->offsets[ROWS] != 0 || leaf->offsets[COLUMNS] != 0;
}

// Of the interior or the boundary kernel, with two copies if they take at most so many bytes of local memory.
mst_status mst_exchange_make(const mst_tile *tile, const mst_pipeline *pipeline, bool boundary, uint64_t local_bytes,
                             mst_stencil_exchange *out, mst_error *error);
void mst_exchange_release(mst_stencil_exchange *exchange);

// Elements of one copy of all slots, with its ends, and bytes of all copies.
int mst_exchange_copy_elements(const mst_stencil_exchange *exchange);
size_t mst_exchange_bytes(const mst_stencil_exchange *exchange);

// Planes of a version in registers: those that updates read, and those that are exchanged.
int mst_exchange_registers(const mst_stencil_exchange *exchange, int version);

// Where a node that a leaf reads for a work-item's own node lies: so many work-items further along rows and columns, and which of
// that one's nodes it is.
typedef struct mst_node_place {
    int rows_of_items, items, row, column;
} mst_node_place;
mst_node_place mst_exchange_place(const mst_tile *tile, const mst_leaf *leaf, int row, int column);

// Whether a work-item's node in a shared plane is exchanged; the first place of its slot in a copy.
bool mst_exchange_has(const mst_stencil_exchange *exchange, int version, int age, int row, int column);
int mst_exchange_slot(const mst_stencil_exchange *exchange, int version, int age, int row, int column);

#endif
