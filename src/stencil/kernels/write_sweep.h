// What the parts of the writer of sweeps share: see write_sweep.c.
#ifndef MST_STENCIL_WRITE_SWEEP_H
#define MST_STENCIL_WRITE_SWEEP_H

#include "names.h"
#include "sweep.h"
#include "text/signature.h"
#include "write.h"

// sweep_arguments.c. A work-group of a GPU has so many work-items along the columns, and in all.
enum { MST_SWEEP_GROUP = 256 };

// What a kernel of a sweep does: all nodes, or on a GPU, where kernels with fewer registers run more work-items at once, what is
// outside all layers and what is not. Which kernels there are of sweep k, which follow one another.
typedef enum mst_sweep_of { MST_SWEEP_ALL, MST_SWEEP_OUTSIDE, MST_SWEEP_LAYERS, MST_SWEEP_PARTS } mst_sweep_of;
bool mst_sweep_has_part(const mst_sweeps *sweeps, int k, mst_sweep_of part);
void mst_sweep_name(int k, mst_sweep_of part, char name[30]);

int mst_sweep_items(const mst_problem *problem, mst_sweep_of part);

// write_sweep.c: the kernels sweep0, sweep1.. and the others that a step needs.
mst_status mst_write_sweeps(const mst_writer *w, const mst_sweeps *sweeps, mst_error *error);

// The parameters of sweep k:
//     u_in, speed_coefficient..  arrays that updates read
//     u_out                      a spare array for new values; u_in_out: the array that they replace, which updates read as well
//     damping, table             as in arguments.h
//     plane_layers, row_layers.. of axes of which memory variables are read: nodes before s0 are in the lower layer, those from
//                                s1 on in the upper one, and lie at s2 less than their number; s3, s4: elements from row to row
//                                and from plane to plane; s5: element of the first node
//     grid                       s0, s1, s2: planes, rows and columns; s3, s4: elements from row to row and from plane to plane;
//                                s5: element of the first node; s6: the first plane of the sweep, s7: on a GPU how many it does,
//                                on a CPU whether nodes beyond the planes' faces are like no others
//     work                       s0: planes of a work-group (GPU), or parts of lines (CPU); s1, s2: work-groups along the columns
//                                and rows, or nodes of a part of a line, and parts; s3: row of the step in the table
void mst_sweep_describe(const mst_sweeps *sweeps, int k, mst_sweep_of part, mst_signature *out);

// Whether an array, which sweep k does not replace, is one of those.
bool mst_sweep_reads(const mst_sweeps *sweeps, int k, int field, int level);

// The names of the arguments that hold an array which sweep k reads, and that take an update's values.
void mst_sweep_name_argument(const mst_sweeps *sweeps, int k, int field, int level, mst_name out);
void mst_sweep_name_target(const mst_sweeps *sweeps, int k, int update, mst_name out);

// write_sweep_layers.c, of kernels that read memory variables. A condition that no node of a CPU's vector is in a layer, or along
// rows and columns none of a GPU's work-group, with its `columns` and `rows` from group_column and group_row on.
void mst_sweep_write_outside(const mst_writer *w, const mst_sweeps *sweeps, int k, int columns, int rows);
// The planes that a GPU's work-group goes through, as far as they have what its kernel is for. Declares what tells for which of
// them that is.
void mst_sweep_write_part(const mst_writer *w, const mst_sweeps *sweeps, int k, mst_sweep_of part);
// Declares the vector that a leaf reads of a memory variable, 0 outside layers, and where the own one lies in the arrays of each
// axis, under the name of mst_sweep_memory_place.
void mst_sweep_write_memory(const mst_writer *w, const mst_sweeps *sweeps, const mst_leaf *leaf, const char *array,
                            const char *name);
void mst_sweep_write_places(const mst_writer *w, const mst_sweeps *sweeps, int k);
const char *mst_sweep_memory_place(int axis);
// A condition that some node of the vector at an offset along the axis is in a layer.
void mst_sweep_write_is_layer(const mst_writer *w, int axis, int offset);
// The name of the argument with the layers of an axis.
const char *mst_sweep_layers_name(int axis);

// sweep_copies.c: the functions that copy a line to margins, one a set of boundaries, and their calls for the line (plane, row)
// that sweep k has computed.
void mst_write_copies(const mst_writer *w, const mst_sweeps *sweeps);
void mst_write_copies_of_line(const mst_writer *w, const mst_sweeps *sweeps, int k);

// sweep_margin.c: the kernels margin0, margin1.., one a set of boundaries, and coefficient_margin, with _half behind it for
// arrays of float16.
void mst_write_margins(const mst_writer *w, const mst_sweeps *sweeps);

#endif
