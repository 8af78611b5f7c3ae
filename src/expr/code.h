// Expressions as byte code, for kernels that run any of them: compiling a kernel for one takes a processor seconds.
#ifndef MST_EXPR_CODE_H
#define MST_EXPR_CODE_H

#include "expr.h"

#include <stdint.h>

// Numbers that a run of the code holds: what it is given, the constants, and values on the way.
enum { MST_EXPR_CODE_SLOTS = 256 };

// As interpret.cl has it: inputs, constants, instructions, the slot of the value; then the instructions, an operation and the
// slots of its result and of three operands each; then the bits of the constants.
typedef struct mst_expr_code {
    int32_t *words; // the caller's to free
    size_t n_words;
    unsigned n_instructions;
} mst_expr_code;

// Leaf i is in slot leaves[i] < n_inputs. MST_ERROR_UNSUPPORTED: more slots would be needed than there are;
// MST_ERROR_HOST_MEMORY.
mst_status mst_expr_code_make(const mst_expr *expr, bool is_double, const unsigned *leaves, unsigned n_inputs, mst_expr_code *out,
                              mst_error *error);

// Adds what interpret.cl calls, `realv apply(uint operation, realv a, realv b, realv c)`, every operation of the byte code as
// mst_expr_write writes it for vectors of that width, so that both give the same bits. realv is the type of such a vector.
void mst_expr_write_apply(const struct mst_elementary *own, bool is_double, unsigned width, mst_text *out);

#endif
