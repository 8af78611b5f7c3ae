// What the parts of the writer of sweeps share: see write_sweep.c.
#ifndef MST_STENCIL_WRITE_SWEEP_H
#define MST_STENCIL_WRITE_SWEEP_H

#include "names.h"
#include "sweep.h"
#include "text/signature.h"
#include "write.h"

// sweep_arguments.c. What a kernel of a sweep does: all nodes, or on a GPU, where kernels with fewer registers run more
// work-items at once, what is outside all layers, in those of one axis, and in those of several. Which kernels there are of sweep
// k, which follow one another.
typedef enum mst_sweep_of { MST_SWEEP_ALL, MST_SWEEP_OUTSIDE, MST_SWEEP_FACES, MST_SWEEP_EDGES, MST_SWEEP_PARTS } mst_sweep_of;
bool mst_sweep_has_part(const mst_sweeps *sweeps, int k, mst_sweep_of part);
void mst_sweep_name(int k, mst_sweep_of part, char name[30]);

// Of a GPU's work-items those that are along the columns, where these are in layers, or elsewhere; in three dimensions the others
// are along the rows, else each goes through planes of its own.
int mst_sweep_items(const mst_sweeps *sweeps, mst_sweep_of part, bool in_layers);

// Work-items of a GPU's work-group.
int mst_sweep_group(mst_sweep_of part);
enum { MST_SWEEP_GROUPS_A_UNIT = 16 }; // work-groups that a compute unit should have, at least

// What work-groups of a GPU do of sweep k over planes from..to - 1, whose number is returned: `work` and `layers` as below but
// for what all kernels have. A part has up to MST_SWEEP_REGIONS regions, by the axes in whose layers they are, a bit each.
enum { MST_SWEEP_REGIONS = 4 };
unsigned mst_sweep_region(mst_sweep_of part, int region);
int64_t mst_sweep_divide(const mst_sweeps *sweeps, int k, mst_sweep_of part, int64_t from, int64_t to, int64_t units,
                         cl_long8 *work);
void mst_sweep_cut(const mst_sweeps *sweeps, int k, int axis, int64_t from, int64_t to, int64_t cuts[2]);
int64_t mst_sweep_strip(const mst_sweeps *sweeps, int64_t fair); // planes of a work-item where so many fill the device

// sweep_vectors.c: the aligned vectors of fields, but memory variables, that a GPU's work-item of sweep k has while it goes along
// the planes. What is written before the loop over the planes, at the beginning of one and at its end, and the vector that a leaf
// reads, under that name.
typedef struct mst_sweep_vectors {
    const mst_sweeps *sweeps;
    mst_text *out;
    int k;
    struct mst_sweep_vector *vectors;
    size_t n;
} mst_sweep_vectors;
mst_status mst_sweep_vectors_find(mst_sweep_vectors *vectors, mst_error *error); // of what is 0 but for the first three
void mst_sweep_vectors_release(mst_sweep_vectors *vectors);
void mst_sweep_vectors_write_kept(const mst_sweep_vectors *vectors);
void mst_sweep_vectors_write_loads(const mst_sweep_vectors *vectors);
void mst_sweep_vectors_write_shifts(const mst_sweep_vectors *vectors);
void mst_sweep_vectors_write_leaf(const mst_sweep_vectors *vectors, const mst_leaf *leaf, const char *name);

// write_sweep.c: the kernels sweep0, sweep1.. and the others that a step needs.
mst_status mst_write_sweeps(const mst_writer *w, const mst_sweeps *sweeps, mst_error *error);

// The parameters of sweep k:
//     u_in, speed_coefficient..  arrays that updates read
//     u_out                      a spare array for new values; u_in_out: the array that they replace, which updates read as well
//     damping, table             as in arguments.h
//     plane_layers, row_layers.. of axes of which memory variables are read: nodes before s0 are in the lower layer, those from
//                                s1 on in the upper one, and lie at s2 less than their number; s3, s4: elements from row to row
//                                and from plane to plane; s5: element of the first node. On a GPU s6, s7: nodes between are done
//                                as outside layers
//     grid                       s0, s1, s2: planes, rows and columns; s3, s4: elements from row to row and from plane to plane;
//                                s5: element of the first node; s6: the first plane of the sweep, s7: on a GPU how many it does,
//                                on a CPU whether nodes beyond the planes' faces are like no others
//     work                       s0: planes of a work-group (GPU), or parts of lines (CPU); s1, s2: work-groups along the columns
//                                and rows, or nodes of a part of a line, and parts; s3: row of the step in the table; s4 to s7:
//                                behind the work-groups of each region
//     runs                       of ensembles whose arrays have the grids of several runs: s0: the work-item's run, which the
//                                kernel finds; s1: how many there are; s2: elements from run to run; s3, s4, s5: the same of
//                                memory variables of each axis; s6: planes between two runs
//     around0..                  of sweeps around a hole, outside layers: sweep_around.h
void mst_sweep_describe(const mst_sweeps *sweeps, int k, mst_sweep_of part, mst_signature *out);
void mst_sweep_describe_runs(const mst_sweeps *sweeps, mst_signature *out);
// What stands first in a kernel with these parameters: finds the run, and lets `grid` and the layers be its own.
void mst_sweep_write_run(const mst_writer *w, const mst_sweeps *sweeps, const mst_signature *signature);
void mst_sweep_write_pitches(const mst_writer *w, const mst_sweeps *sweeps); // and the names of what `grid` and `work` hold

// Whether an array, which sweep k does not replace, is one of those.
bool mst_sweep_reads(const mst_sweeps *sweeps, int k, int field, int level);

// The names of the arguments that hold an array which sweep k reads, and that take an update's values.
void mst_sweep_name_argument(const mst_sweeps *sweeps, int k, int field, int level, mst_name out);
void mst_sweep_name_target(const mst_sweeps *sweeps, int k, int update, mst_name out);

// write_sweep_layers.c, of kernels that read memory variables. A condition that no node of a CPU's vector is in a layer of some
// axes, a bit each.
void mst_sweep_write_outside(const mst_writer *w, const mst_sweeps *sweeps, int k, unsigned axes);
// Declares what a GPU's kernel is not told of axes without layers; and the column, row and planes of a work-item in a region
// whose first work-group is the one with that number, by whether it is in the layers of each axis.
void mst_sweep_write_axes(const mst_writer *w, const mst_sweeps *sweeps, int k);
void mst_sweep_write_tile(const mst_writer *w, const mst_sweeps *sweeps, mst_sweep_of part, const char *first,
                          const char *const in[N_AXES]);
// Gives a variable the vector that a leaf reads of a memory variable, 0 outside layers. Declares where the own one lies in the
// arrays of each axis of some, under the name of mst_sweep_memory_place.
void mst_sweep_write_memory(const mst_writer *w, const mst_sweeps *sweeps, const mst_leaf *leaf, const char *array,
                            const char *name);
void mst_sweep_write_places(const mst_writer *w, const mst_sweeps *sweeps, int k, unsigned axes);
const char *mst_sweep_memory_place(int axis);
// A condition that some node of the vector at an offset along the axis is in a layer.
void mst_sweep_write_is_layer(const mst_writer *w, int axis, int offset);
// The name of the argument with the layers of an axis.
const char *mst_sweep_layers_name(int axis);

// sweep_copies.c: the functions that copy a line to margins, one a set of boundaries, whether sweep k needs any, and their calls
// for the line (plane, row) that it has computed.
void mst_write_copies(const mst_writer *w, const mst_sweeps *sweeps);
bool mst_sweep_copies(const mst_sweeps *sweeps, int k);
void mst_write_copies_of_line(const mst_writer *w, const mst_sweeps *sweeps, int k);

// write_time_tiles.c: the kernel time_tiles, in which a work-group does several steps of its planes. Its parameters: all arrays,
// by their slots (mst_sweeps_n_slots) as they are before the first sweep; damping, table, layers and grid as above; and
//     tiles                      s0: tiles that the planes are divided into; s1: sweeps; s2: whether to do what lies between the
//                                tiles, which shrink from sweep to sweep; s3: row of the first step in the table; s4: rows
//                                at a time; s5: work-groups a tile, of which the last one does something
// and if there are sources or receivers at nodes
//     points, records            the list of points, and what receivers get, whose planes are those of all runs
//     strides                    s0, s1: of a row of the table, and of the records
//     points_of_u..              s0, s1: the field's sources, the first and the one behind the last; s2, s3: its receivers
void mst_write_time_tiles(const mst_writer *w, const mst_sweeps *sweeps);
void mst_time_tiles_describe(const mst_sweeps *sweeps, mst_signature *out);

// The slots of the arrays that sweep k takes as parameters, in their order, and how many these are.
int mst_sweep_slots(const mst_sweeps *sweeps, int k, int slots[MST_SWEEPS_SLOTS]);

// sweep_margin.c: the kernels margin0, margin1.., one a set of boundaries, and coefficient_margin, with _half behind it for
// arrays of float16.
void mst_write_margins(const mst_writer *w, const mst_sweeps *sweeps);

// ---- sweep_stores.c

// Whether an update is computed at nodes in the layers of some axes, a bit each: a memory variable is there in those of its axis
// only. Elsewhere stretches along that axis are not computed either.
bool mst_sweep_computes(const mst_sweeps *sweeps, int update, unsigned axes);
// Of the new values of all updates of sweep k there.
void mst_sweep_write_stores(const mst_writer *writer, const mst_sweeps *sweeps, int k, unsigned axes);

#endif
