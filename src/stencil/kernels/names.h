// Names in printed kernels. What is named after a field has the field's name and one of these behind it, with which no name of
// the writers' own ends, no word of OpenCL C, and no other field's name:
//     _in, _out, _coefficient   arrays                       u_in, u_prev_in, speed_coefficient
//     _at_m1_0_p2               the value at an offset       u_at_m1_0_p2 is u[-1,0,2]
//     _step2_plane1_row0        registers                    of u after two fused steps, the last plane but one
//     _next_row0, _vectors, _target, _room                   of loading and storing
#ifndef MST_STENCIL_NAMES_H
#define MST_STENCIL_NAMES_H

#include "stencil/scheme/pipeline.h"

enum { MST_NAME_SIZE = MST_EXPR_MAX_NAME + 64 };
typedef char mst_name[MST_NAME_SIZE];

// The field's name, for its level of a step before with _prev behind it.
void mst_name_array(const mst_problem *problem, int field, int level, mst_name out);
// That of array number `array` of the state.
void mst_name_state(const mst_problem *problem, int array, mst_name out);
// The array that an input comes from, or the field that an update writes, and the fused step after which it is.
void mst_name_version(const mst_pipeline *pipeline, int version, mst_name out);
// What an expression reads.
void mst_name_leaf(const mst_problem *problem, const mst_leaf *leaf, mst_name out);

#endif
