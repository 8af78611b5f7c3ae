// A stage: one kernel of the fused algorithm. It goes over all lines of one digit: forward for one operand, or both operands
// forward, their product and back, or back. A plan is a list of stages; with one digit it is a single one.
#ifndef MST_CONV_STAGE_H
#define MST_CONV_STAGE_H

#include "fft/device_pass.h"
#include "geometry.h"
#include "runtime/error.h"
#include "text/text.h"

typedef enum mst_stage_kind { MST_STAGE_FORWARD, MST_STAGE_FUSED, MST_STAGE_BACKWARD } mst_stage_kind;

// Where values come from or go to: an array of the caller's, or work memory of g->points complex numbers a vector.
typedef struct mst_stage_port {
    int array;    // X, Y or Z
    bool work;    // memory for it,
    bool kept;    // whose spectrum serves several vectors
    bool forward; // to be transformed
} mst_stage_port;

enum { FROM, WITH, TO, N_STAGE_PORTS }; // the first operand, the second, the result

typedef struct mst_stage {
    const mst_convolution *plan;
    const mst_geometry *g;
    mst_stage_kind kind;
    int digit;
    mst_stage_port ports[N_STAGE_PORTS];
    size_t inner;               // elements of a line are this far apart in work memory, and so many lines lie side by side;
    size_t column;              // so many of them belong to one element of the digit's axis
    size_t rows;                // of the axis before, in a plan of two or three: so many are there,
    size_t first_row;           // from this one of the result's
    size_t planes, first_plane; // the same of the first axis, for the last of three
    size_t before;              // lines of the digit's axis above one another: the product of its earlier digits
    mst_device_pass device;     // its ports are the stage's
    struct mst_any_stage *any;  // any.h: launched in its place; NULL: not
} mst_stage;

// Where a port's array lies for one launch.
typedef struct mst_stage_array {
    cl_mem buffer;
    cl_long base;
    cl_ulong first_line;
    bool own; // the caller's layout, not packed
} mst_stage_array;

// Plans the stage from plan, geometry, kind, digit and ports, without OpenCL. It uses the tables of an earlier stage that has
// them all, if there is one.
mst_status mst_stage_plan(mst_stage *stage, const mst_stage *earlier, int n_earlier, mst_error *error);
uint64_t mst_stage_table_bytes(const mst_stage *stage);
// Makes tables, and the kernel where it is one for any sizes.
mst_status mst_stage_make_tables(mst_stage *stage, mst_error *error);
mst_status mst_stage_enqueue(mst_stage *stage, mst_queue *queue, const mst_stage_array arrays[N_STAGE_PORTS], size_t vectors,
                             mst_error *error);

void mst_stage_destroy(mst_stage *stage); // also a half-built one

// Vectors of an array for each of its lines, and lines of one vector in the stage.
size_t mst_stage_blocks(const mst_geometry *g, int array);
size_t mst_stage_lines(const mst_stage *stage);
static inline bool mst_stage_one(const mst_convolution *plan, int array) { return plan->n_lines[array] < plan->n_lines[Z]; }

// The kernel's text (stage_text.c). `own`: bits of ports whose arrays have the caller's layout.
void mst_stage_print_title(const mst_stage *stage, char *out, size_t size);
mst_status mst_stage_write(void *stage, unsigned own, mst_pass *pass, mst_text *out, mst_error *error);

#endif
