// Maps by byte code: one kernel for all expressions of a type, so that a new one answers without compiling.
#ifndef MST_MAP_BYTE_CODE_H
#define MST_MAP_BYTE_CODE_H

#include "plan.h"

#include "expr/code.h"

// Makes plan->code where that is asked for, or may be worth it: of maps on CPUs. MST_ERROR_UNSUPPORTED where it is asked for and
// not possible.
mst_status mst_map_code_create(mst_map *plan, const mst_map_desc *desc, mst_error *error);
void mst_map_code_destroy(mst_map *plan);

// Counts n elements, and says whether the byte code `computes` them, as what it costs more does not repay compiling yet; then its
// kernels are there.
mst_status mst_map_code_expect(mst_map *plan, uint64_t n, bool *computes, mst_error *error);

// Computes n elements from number `element` of the shape on; the arrays by number of their ports.
mst_status mst_map_code_launch(mst_map *plan, mst_queue *queue, const mst_map_operand *ports, uint64_t element, uint64_t n,
                               mst_error *error);

// Where the values of a reducing plan's root are then, in elements of their type from the beginning of the temporary arrays.
uint64_t mst_map_code_place(const mst_map *plan, int root);

// ---- For the files byte_code*.c

enum {
    MST_MAP_SLOT_BYTES = 1024, // a block of numbers
    MST_MAP_CODE_MAX_STAGES = MST_MAP_MAX_OUTPUTS + MST_EXPR_MAX_STAGES
};

// A kernel's launch: what is of one type. Its value is an output, or a temporary array that others read.
typedef struct mst_map_stage {
    mst_expr_stage made; // its leaves that are stages count from the first of the same output
    int output;          // number, or -1
    int first;           // stage of its output
    mst_type stored;
    int arrays[MST_MAP_MAX_INPUTS], n_arrays; // that it reads: inputs, and behind these numbers stages
    unsigned n_instructions;
    uint64_t bytes;
    cl_mem words;   // see byte_code.cl
    uint64_t place; // of a temporary array in their memory
    mst_kernel *kernel;
} mst_map_stage;

struct mst_map_code {
    mst_map_stage stages[MST_MAP_CODE_MAX_STAGES];
    int n_stages;
    uint64_t chunk; // elements that are computed at once, for which temporary arrays have room
    uint64_t temporary_bytes;
    cl_mem temporaries;
    uint64_t elements, break_even; // computed so far, and from how many on kernels are compiled
};

static inline bool mst_map_is_temporary(const mst_map *plan, const mst_map_stage *stage) {
    return plan->reduce || stage->output < 0;
}

// byte_code_words.c: a stage's table of loads and its code, on the device. MST_ERROR_UNSUPPORTED: it is too long.
mst_status mst_map_stage_write(mst_map *plan, mst_map_stage *stage, mst_error *error);
// byte_code_kernel.c
mst_status mst_map_stage_build(mst_map *plan, mst_map_stage *stage, mst_error *error);

#endif
