// Sweeps around a hole: of the nodes outside layers those of a box are left out, which others do. Outside layers a GPU's kernel
// then does up to MST_SWEEP_BOXES boxes, and there are kernels that copy what lies around a hole.
#ifndef MST_STENCIL_SWEEP_AROUND_H
#define MST_STENCIL_SWEEP_AROUND_H

#include "sweeper.h"
#include "write_sweep.h"

enum { MST_SWEEP_BOXES = 6 };

// The boxes that a box without a hole is, some of them empty; all of it if the hole is.
void mst_sweep_boxes(const mst_box *box, const mst_box *hole, mst_box out[MST_SWEEP_BOXES]);

// The parameters by which a kernel knows them: s0 to s5: of each axis the first node and the one behind the last; s6: behind the
// work-groups (or work-items) of the box, s7: the first. And the choice of a box, `around`, by a work-group's number.
void mst_sweep_describe_boxes(mst_signature *signature);
void mst_sweep_write_box(const mst_writer *w, const char *number);
const char *mst_sweep_box_name(int k);
void mst_sweep_write_first(const mst_writer *w, const mst_sweeps *sweeps); // the same in place of all that is outside layers

// As mst_sweep_divide, for the part outside layers.
int64_t mst_sweep_divide_around(const mst_sweeps *sweeps, int k, const mst_sweep_part *part, int64_t units, cl_long8 *work,
                                cl_long8 boxes[MST_SWEEP_BOXES]);

// Arrays that are copied together, in which node (plane, row, column) lies at element s2 + plane s0 + row s1 + column of their
// layout.
enum { MST_SWEEP_COPIED = 6 };
typedef struct mst_sweep_copy {
    cl_mem from[MST_SWEEP_COPIED], to[MST_SWEEP_COPIED];
    int n;
    cl_long4 from_layout, to_layout;
} mst_sweep_copy;

// The kernels copy_around and copy_around_half, and their launch.
void mst_sweep_write_copies_around(const mst_writer *w, const mst_sweeps *sweeps);
mst_status mst_sweeper_copy(const mst_sweeper *sweeper, mst_queue *queue, bool half, const mst_sweep_copy *copy,
                            const mst_box *box, const mst_box *hole, mst_error *error);

#endif
