// What the parts of the writer of CPU-shaped kernels share: see write_cpu.c.
#ifndef MST_STENCIL_WRITE_CPU_H
#define MST_STENCIL_WRITE_CPU_H

#include "names.h"
#include "rings.h"
#include "write.h"

typedef struct mst_stencil_cpu_writer {
    const mst_writer *w;
    const mst_problem *problem;
    mst_text *out;
    int width;
    int n_half; // arrays of the state with elements of float16; if there are any, is_half tells whether the version's are
    mst_stencil_rings rings;
} mst_stencil_cpu_writer;

// write_cpu.c: writes what differs between elements of float16 and others, of the version's arrays.
void mst_stencil_cpu_write_kinds(const mst_stencil_cpu_writer *c, void (*write)(const mst_stencil_cpu_writer *c, bool half));

// cpu_ranges.c: the first and the one behind the last number that the version needs along an axis. `outside`: with the neighbours
// beyond the faces, else only nodes of the grid.
typedef struct mst_stencil_cpu_range {
    mst_number_text low, high;
} mst_stencil_cpu_range;
mst_stencil_cpu_range mst_stencil_cpu_range_of(const mst_stencil_cpu_writer *c, int axis, bool outside);

// Declares ring_row: the row with number `row` of the plane, by column less column_begin.
void mst_stencil_cpu_write_row(const mst_stencil_cpu_writer *c);

// cpu_tables.c: the constant tables of versions, fields and points. The numbers of versions of m steps and of one.
void mst_stencil_cpu_write_tables(const mst_stencil_cpu_writer *c, int n_versions[2]);

// cpu_rows.c: the version's nodes in the grid, loaded or updated row by row.
void mst_stencil_cpu_write_rows(const mst_stencil_cpu_writer *c);

// cpu_faces.c: its nodes beyond faces, before and behind the columns and the rows of the plane, and where the plane itself lies
// there; what sources add to the plane, and what receivers get of it.
void mst_stencil_cpu_write_side_columns(const mst_stencil_cpu_writer *c);
void mst_stencil_cpu_write_side_rows(const mst_stencil_cpu_writer *c);
void mst_stencil_cpu_write_side_planes(const mst_stencil_cpu_writer *c);
void mst_stencil_cpu_write_points(const mst_stencil_cpu_writer *c);

#endif
