// Writing kernels. A kernel `advance` computes m steps of a box of the grid from windows of the state:
//     advance(in_0.., out_0.., fixed_0.., damping, table, records, points, from, to, held, box, more, sides)
// A window holds planes, rows and columns of an array: node (p, r, c) lies at element (((p - s5) mod s0) s2 + r - s1) s4 + c - s3
// of it; s0 planes, that of number s5 first, rows from s1, s2 of them, columns from s3, s4 of them. `from` is the window of all
// inputs, `to` of all outputs, `held` of the coefficient fields. box = (planes from, to, rows from, to, columns from, to, planes
// of a strip, of which the last may have fewer, planes of another before them or 0; behind them there may be another); more =
// (planes of all strips but those two, tiles along the rows, along the columns, 1 for a single step or for a GPU the work-groups
// that share a strip, the grid's planes, rows, columns, row of the table of the first step). sides = (columns of tiles up to
// here, from here, rows up to here, from here are at the sides, 1 for a last strip); for GPUs only.
//     damping[planes + rows + columns]   factors of sponges, axis by axis
//     table[step + 1][1 + n_sources]     the time, then what the sources add, from the step before the first
//     records[step][n_points]            what receivers get
//     points[]                           (plane, row, column, number) of sources, then of receivers, of each field by place
#ifndef MST_STENCIL_WRITE_H
#define MST_STENCIL_WRITE_H

#include "stencil/scheme/tables.h"
#include "tile.h"

typedef struct mst_writer {
    const mst_problem *problem;
    const mst_pipeline *pipeline;
    const mst_pipeline *single;    // of one step, for CPU kernels, which do either
    mst_points sources, receivers; // receivers follow the sources in the list
    const mst_tile *tile;
    uint64_t local_bytes; // of local memory that there are
    bool unroll;          // the loop over a single plane's versions
    mst_text *out;
} mst_writer;

// The two shapes.
void mst_write_cpu(const mst_writer *w);
mst_status mst_write_gpu(const mst_writer *w, mst_error *error);

// Common parts: what stands before kernels; a kernel's arguments and its first lines, which find tile and strip by the number
// that `tile` is.
void mst_write_helpers(const mst_writer *w);
void mst_write_start(const mst_writer *w, const char *name, int group, const char *tile);

// The declarations of formula's value under `name`, as a vector or (width 1) a scalar. fields[i] is the text of leaf i where it
// is a field. Coordinates are the variables `at_0` (plane), `at_1` (row), both real, and `at_2` (column); the time is `time`,
// real.
void mst_write_formula(const mst_writer *w, const mst_formula *formula, int width, char (*fields)[96], const char *name);

// Declares those of at_0, at_1 and time that the formula uses, for texts of the node's numbers and of the time's step.
void mst_write_place(const mst_writer *w, const mst_formula *formula, const char *plane, const char *row, const char *step);
// Declares at_2.
void mst_write_column(const mst_writer *w, const mst_formula *formula, const char *column, int width);

bool mst_formula_uses(const mst_formula *formula, mst_value_kind kind, int axis);

// Text that maps a node number that may lie outside the grid: mirrored or wrapped, or the same.
void mst_map_text(const mst_problem *problem, int axis, bool constant, const char *number, char *out, size_t size);

#endif
