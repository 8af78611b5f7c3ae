// Stages of fused convolutions by a kernel that knows no sizes: one program a precision takes every CPU-shaped stage, whose
// lengths, radices, strides and types are its arguments. Lengths that were never seen cost their tables, and no compiling.
#ifndef MST_CONV_ANY_H
#define MST_CONV_ANY_H

#include "fft/any_steps.h"
#include "stage.h"

#include "any_stage.cl"

typedef struct mst_any_stage {
    stage described;
    mst_text text;
    mst_kernel *kernel;
    mst_device_table description, odd, places;
} mst_any_stage;

// Whether the kernel takes the stages of a plan.
bool mst_any_stage_suits(const mst_convolution *plan, const mst_geometry *g);

// Describes a stage that is planned otherwise: no OpenCL call. Sets s->any.
mst_status mst_any_stage_plan(mst_stage *s, mst_error *error);
uint64_t mst_any_stage_table_bytes(const mst_stage *s);

// Makes its kernel, and the tables beside those of the pass; and enqueues it (mst_stage_enqueue).
mst_status mst_any_stage_make(mst_stage *s, mst_error *error);
mst_status mst_any_stage_enqueue(mst_stage *s, mst_queue *queue, const mst_stage_array arrays[N_STAGE_PORTS], size_t vectors,
                                 mst_error *error);
void mst_any_stage_destroy(mst_stage *s); // also a half-built one, or none

// any_describe.c: the stage in the kernel's numbers.
void mst_any_stage_describe(const mst_stage *s, stage *out);

#endif
