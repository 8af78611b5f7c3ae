// Elements of an array that lies on the device with gaps, from and to packed memory.
#ifndef MST_STENCIL_BOXES_H
#define MST_STENCIL_BOXES_H

#include "runtime/queue.h"
#include "stencil/kernels/sweep.h"

// Where element (plane, row, column) of lengths[0] x lengths[1] x lengths[2] lies, of which those from `low` of an axis on come
// `skipped` later along it.
typedef struct mst_boxes {
    mst_padded array;
    uint64_t lengths[N_AXES];
    int axis;
    uint64_t low, skipped;
    uint64_t run_planes,
        gap;        // of an array of several runs' grids: so many planes lie between one's last and the next one's first
    size_t element; // bytes
} mst_boxes;

// Of an array with all nodes of the grid; or of a memory variable of absorbing layers, of which those of nodes in its layers are
// moved, and lie where the nodes of the whole axis do, less `folded` nodes between the layers.
mst_boxes mst_boxes_make(const mst_problem *problem, int array, const mst_padded *layout, int64_t folded);

// Of an array that lies as sweeps have it on the device.
mst_boxes mst_boxes_of(const mst_sweeps *sweeps, int array);

// Elements first .. first + count - 1, to the device if `up`. Blocks; after a failure the queue is abandoned.
mst_status mst_boxes_copy(const mst_boxes *boxes, mst_queue *queue, cl_mem buffer, uint64_t first, uint64_t count, bool up,
                          void *host, mst_error *error);
// A box of elements, without waiting: the host's memory has to stay as it is until the queue is finished.
mst_status mst_boxes_enqueue(const mst_boxes *boxes, mst_queue *queue, cl_mem buffer, const uint64_t from[N_AXES],
                             const uint64_t count[N_AXES], bool up, void *host, mst_error *error);

#endif
