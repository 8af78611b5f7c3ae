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
    unsigned n_instructions;
    const int32_t *slots; // of the values, in `words`
} mst_expr_code;

// Leaf i is in slot leaves[i] < n_inputs. The values are those of n_values nodes, which may be the same. Constants of `type` take
// a word, or two. MST_ERROR_UNSUPPORTED: more slots would be needed than there are; MST_ERROR_HOST_MEMORY.
mst_status mst_expr_code_make(const mst_expr *expr, mst_type type, const unsigned *leaves, unsigned n_inputs,
                              const unsigned *values, unsigned n_values, mst_expr_code *out, mst_error *error);

// Adds what interpret.cl calls, `realv apply(uint operation, realv a, realv b, realv c)`, every operation of the byte code as
// mst_expr_write writes it for vectors of that width, so that both give the same bits. realv is the type of such a vector.
void mst_expr_write_apply(const struct mst_elementary *own, bool is_double, unsigned width, mst_text *out);

// A lowered expression all of whose operations are of one type, with leaves converted to it where they are read: `*out`, of which
// *type is the type, or NULL if there is none. In it conditions are numbers, 1 and 0, as in byte code. The value, of a complex
// one either part, is node values[k]; its own type is *type, bool (as 1 and 0), or a float type that it is to be rounded to.
// numbers[i] is NULL, or the number that leaf i stands for; the other leaves are as in `lowered`. The caller's, freed by
// mst_expr_destroy. MST_ERROR_HOST_MEMORY.
mst_status mst_expr_in_one_type(const mst_expr *lowered, const mst_expr_root *root, const double *const *numbers, mst_expr **out,
                                unsigned values[2], mst_type *type, mst_error *error);

// Adds `void apply(uint operation, const numbers *x, const numbers *y, const numbers *z, numbers *result)`, every operation that
// the type has, on blocks of VECTORS vectors (numbers, of `width`), as mst_expr_write_lowered writes it, so that both give the
// same bits; those that devices compute with an error only with `functions`.
mst_status mst_expr_write_block(const struct mst_elementary *own, mst_type type, bool functions, unsigned width, mst_text *out,
                                mst_error *error);

#endif
