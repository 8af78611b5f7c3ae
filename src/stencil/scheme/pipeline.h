// m fused steps as a pipeline along the planes. Every value that an update writes is a version of an array of the state; a kernel
// goes through the planes once, and version v is `lag` planes behind the loading of the input. So a plane of a version is
// computed as soon as what it reads is there, and the few planes that later versions still need are all that is kept.
#ifndef MST_STENCIL_PIPELINE_H
#define MST_STENCIL_PIPELINE_H

#include "problem.h"

enum { MST_STENCIL_MAX_FUSE = 64 };
enum { MST_STENCIL_MAX_DEPTH = 48 }; // planes of a version that a GPU's kernel may keep

typedef struct mst_field_version {
    int update; // that writes it; -1: an input, loaded from the array of the same number
    int field;
    int step;  // of the fused ones that writes it: it is the field at time step + 1. Of an input -1, or -2 of .prev
    int lag;   // planes behind the loading
    int depth; // planes that are kept: 0 if nothing reads it
    int low[N_AXES], high[N_AXES]; // nodes needed before and behind the box that is wanted
    int reach[N_AXES][2];          // offsets at which it is read, largest downwards and upwards
    int output;                    // the array it ends in, -1 if none
    int *reads; // of a computed one, a leaf of its formula: the version, -1 for a coefficient field or a number
} mst_field_version;

typedef struct mst_pipeline {
    const mst_problem *problem;
    int m;
    int n_versions; // the inputs first, one an array
    mst_field_version *versions;
    int low[N_AXES], high[N_AXES];             // the most of all versions
    int fixed_low[N_AXES], fixed_high[N_AXES]; // of the coefficient fields
} mst_pipeline;

// With `lateral_delay` neighbours in the same plane are read one plane after they were computed at the earliest: work-items that
// exchange them then need one barrier a plane.
mst_status mst_pipeline_make(const mst_problem *problem, int m, bool lateral_delay, mst_pipeline *out, mst_error *error);
void mst_pipeline_release(mst_pipeline *pipeline);

// How far a read of a field at an offset reaches along an axis: a mirrored neighbour lies on the other side.
void mst_reach(const mst_problem *problem, int field, int axis, int offset, int *low, int *high);

#endif
