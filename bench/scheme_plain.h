// Schemes as loops that one would write by hand, made from a problem file: for a compiler of C with OpenMP, and as kernels in
// OpenCL with a node a work-item. One pass over the grid a sub-step, over arrays whose margins hold the nodes beyond faces.
#ifndef BENCH_SCHEME_PLAIN_H
#define BENCH_SCHEME_PLAIN_H

#include "solve/problem.h"

enum { PLAIN_AXES = 3, PLAIN_SLOTS = 3, PLAIN_TEXT = 200 }; // slots of a field: newest, one step earlier, what an update makes

typedef struct plain_scheme {
    const problem *problem;
    size_t n[PLAIN_AXES]; // planes, rows, columns
    int64_t reach[PLAIN_AXES];
    int64_t pitch, plane, first, elements;
    int n_substeps, begin[MST_STENCIL_MAX_FIELDS + 1]; // updates of each
    int field_of[MST_STENCIL_MAX_FIELDS];              // of an update
    bool in_place[MST_STENCIL_MAX_FIELDS];             // of an update: into the field's oldest array
    bool has_margin[MST_STENCIL_MAX_FIELDS];           // of a field: read at neighbours, and beyond some face there is not 0
    bool reads[MST_STENCIL_MAX_FIELDS][MST_STENCIL_MAX_FIELDS][2]; // substep, field, level
    double bytes_a_node;                                           // of arrays read and written once a step
} plain_scheme;

typedef enum plain_language { PLAIN_C, PLAIN_OPENCL } plain_language;

// False, with the reason in why: what the problem says has no plain form here.
bool plain_scheme_make(const problem *p, plain_scheme *s, char why[PLAIN_TEXT]);

// The text: functions or kernels substep0, substep1, ... and margin0.. of each axis. NULL: out of memory, or see why.
char *plain_scheme_write(const plain_scheme *s, plain_language language, bool guarded, char why[PLAIN_TEXT]);

// Whether a sub-step takes an array of a field, and whether it writes to it.
bool plain_scheme_takes(const plain_scheme *s, int substep, int field, int slot, bool *writes);

// One that can be run: memory, kernels or functions.
typedef struct plain_run plain_run;
struct plain_run {
    const plain_scheme *scheme;
    void (*put)(plain_run *r, int field, int level, size_t plane, const float *values); // a plane without margins
    void (*get)(plain_run *r, int field, int level, size_t plane, float *values);
    bool (*steps)(plain_run *r, int n); // done when it returns; false: failed
    void (*margins)(plain_run *r);      // of all fields, behind put
    void (*destroy)(plain_run *r);
    int slot[MST_STENCIL_MAX_FIELDS][PLAIN_SLOTS]; // which array of the field stands there
};

// Each NULL with the reason in why.
plain_run *plain_run_c(const plain_scheme *s, unsigned threads, char why[PLAIN_TEXT]);
plain_run *plain_run_opencl(const plain_scheme *s, mst_context *context, char why[PLAIN_TEXT]);

void plain_run_rotate(plain_run *r, int substep); // behind a sub-step

#endif
