// What nodes beyond faces are, node by node.
#ifndef MST_STENCIL_BEYOND_H
#define MST_STENCIL_BEYOND_H

#include "write.h"

// For a node (plane, row, column) that may lie beyond the faces of an axis: where the face has a value for it, stores that
// between the texts `before` and `behind`, which must end all; else makes the node's number on that axis that of the node in the
// grid that it is like. Axis by axis, the slowest first, gives any node's value for the fields of a set of boundaries, times a
// sign: what begins gives the text of that factor, or an empty one, and stands before all axes.
const char *mst_begin_beyond(const mst_writer *w, int set);
void mst_write_beyond(const mst_writer *w, int set, int axis, const char *before, const char *behind);

#endif
