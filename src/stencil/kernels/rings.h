// How the planes of a CPU's tile lie in local memory, which is the cache there. Each field has a ring of planes for every array
// of its state and for every fused step; a plane of a version lies in its ring at its number modulo the ring's depth.
#ifndef MST_STENCIL_RINGS_H
#define MST_STENCIL_RINGS_H

#include "stencil/scheme/pipeline.h"

typedef struct mst_field_rings {
    size_t base;          // where the field's rings begin, in elements
    int depth;            // planes of each of them
    int reach[N_AXES][2]; // how far updates read it, downwards and upwards
} mst_field_rings;

typedef struct mst_stencil_rings {
    int left, above;  // columns and rows of a plane before the first that the tile owns
    int pitch, plane; // elements from row to row, and of a plane
    size_t elements;  // of all rings
    mst_field_rings fields[MST_STENCIL_MAX_FIELDS];
} mst_stencil_rings;

// Of tiles that own so many rows and columns, computed in vectors of `width` elements.
mst_stencil_rings mst_rings_make(const mst_pipeline *pipeline, int rows, int columns, int width);

#endif
