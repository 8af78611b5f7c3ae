// Expressions as byte code, for kernels that run any of them: compiling a kernel for one takes a processor seconds.
#ifndef MST_EXPR_CODE_H
#define MST_EXPR_CODE_H

#include "types.h"

#include <stdint.h>

// Numbers that a run of the code holds: what it is given, the constants, and values on the way.
enum { MST_EXPR_CODE_SLOTS = 256 };

// As interpret.cl has it: inputs, constants, instructions, the number of values; then the instructions, an operation and the
// slots of its result and of three operands each; then the bits of the constants; then the slots of the values.
typedef struct mst_expr_code {
    int32_t *words; // the caller's to free
    size_t n_words;
    unsigned n_instructions, n_slots;
    const int32_t *slots; // of the values, in `words`
} mst_expr_code;

// Leaf i is in slot leaves[i] < n_inputs. The values are those of n_values nodes, which may be the same. Constants of `type` take
// a word, or two. MST_ERROR_UNSUPPORTED: more slots would be needed than there are; MST_ERROR_HOST_MEMORY.
mst_status mst_expr_code_make(const mst_expr *expr, mst_type type, const unsigned *leaves, unsigned n_inputs,
                              const unsigned *values, unsigned n_values, mst_expr_code *out, mst_error *error);

// Adds what interpret.cl calls, `realv apply(uint operation, realv a, realv b, realv c)`, every operation of the byte code as
// mst_expr_write writes it for vectors of that width, so that both give the same bits. realv is the type of such a vector.
void mst_expr_write_apply(const struct mst_elementary *own, bool is_double, unsigned width, mst_text *out);

// A lowered expression in stages, each of which computes in one type and reads leaves, or values of stages before it, that are
// converted to it. The last stage is the value, of a complex one either part, node values[k]; its own type is `type`, bool (as 1
// and 0), or a float type that it is to be rounded to. Conditions are numbers, 1 and 0, as in byte code; as the value of a stage
// before the last one they are `stored` as bool. Leaf MST_EXPR_STAGE + k is the value of stage k.
typedef struct mst_expr_stage {
    mst_expr *expression;
    mst_type type, stored;
    unsigned values[2];
    unsigned node; // of the lowered expression
} mst_expr_stage;
enum { MST_EXPR_MAX_STAGES = 12, MST_EXPR_STAGE = 1 << 20 };

// Fills stages[MST_EXPR_MAX_STAGES], as few as are found, the caller's to free by mst_expr_stages_release; *n is 0 if there are
// none. numbers[i] is NULL, or the number that leaf i stands for; the other leaves are as in `lowered`. MST_ERROR_HOST_MEMORY.
mst_status mst_expr_in_stages(const mst_expr *lowered, const mst_expr_root *root, const double *const *numbers,
                              mst_expr_stage *stages, unsigned *n, mst_error *error);
void mst_expr_stages_release(mst_expr_stage *stages, unsigned n);

// Adds `void apply(uint operation, const numbers *x, const numbers *y, const numbers *z, numbers *result)`, every operation that
// the type has, on blocks of VECTORS vectors (numbers, of `width`), as mst_expr_write_lowered writes it, so that both give the
// same bits; of those that devices compute with an error only what `calls` says.
mst_status mst_expr_write_block(const struct mst_elementary *own, mst_type type, mst_expr_calls calls, unsigned width,
                                mst_text *out, mst_error *error);

#endif
