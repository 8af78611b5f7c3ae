// The parameters of a stencil's kernel, in their order. A kernel computes m steps of a box of the grid from windows of the state.
//     u_in..               the state in arrays of window `from`, one a field and level (u_prev_in)
//     u_out..              where the state goes, of window `to`
//     speed_coefficient..  the coefficient fields, of window `coefficients`
//     damping              factors of sponges: of all planes, then rows, then columns; then numbers that differ from run to
//                          run, each of all planes
//     table                a row a step, from the step before the first one on: the time, and what each source adds
//     records              a row a step: what each receiver got
//     points               (plane, row, column, number) of sources, then of receivers, each by field and then by place
//     from, to,            windows. Node (plane, row, column) of an array lies at element
//     coefficients             (((plane - s5) mod s0) s2 + row - s1) s4 + column - s3
//                          so there are s0 planes, the first of number s5; s2 rows from s1 on; and s4 columns from s3 on
//     box                  s0, s1: planes from, to; s2, s3: rows; s4, s5: columns; s6: planes of a strip, of which the last may
//                          have fewer; s7: planes of a shorter strip before them, at a face, or 0
//     launch               s0: planes without those of strips at faces; s1, s2: tiles along rows and columns;
//                          s3: on a GPU the parts in which the boundary kernel does a strip, else 1 for a single step;
//                          s4, s5, s6: planes, rows and columns of the grid; s7: row of the first step in the table
//     sides                for GPUs only. Tiles are the boundary kernel's in columns of tiles before s0 and from s1 on and in
//                          rows of tiles before s2 and from s3 on; s4: 1 if there is a shorter strip behind the others, too
#ifndef MST_STENCIL_ARGUMENTS_H
#define MST_STENCIL_ARGUMENTS_H

#include "runtime/kernel.h"
#include "stencil/scheme/pipeline.h"

// Arguments by the names that the kernel's parameters were given.
typedef struct mst_argument_list {
    mst_argument values[2 * MST_STENCIL_MAX_ARRAYS + MST_STENCIL_MAX_FIELDS + 16];
    size_t n;
} mst_argument_list;

// Begins the signature, which is to be released whether something failed or not.
void mst_arguments_describe(const mst_problem *problem, mst_stencil_shape shape, const char *kernel, mst_signature *out);

#endif
