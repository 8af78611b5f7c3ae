// Expressions of maps, whose parts have NumPy's types: what mst_expr_parse_map read becomes a tree of operations on real numbers
// and integers with every conversion written out, which is what kernels are made of.
#ifndef MST_EXPR_TYPES_H
#define MST_EXPR_TYPES_H

#include "expr.h"

#include <mastaba/array.h>

// NumPy's common type of two (numpy.promote_types).
mst_type mst_type_common(mst_type a, mst_type b);
static inline bool mst_type_is_float(mst_type t) { return t == MST_FLOAT16 || t == MST_FLOAT32 || t == MST_FLOAT64; }
static inline bool mst_type_has_parts(mst_type t) { return t == MST_COMPLEX64 || t == MST_COMPLEX128; }
static inline bool mst_type_is_integer(mst_type t) { return t >= MST_INT8 && t <= MST_UINT64; }
static inline bool mst_type_is_signed(mst_type t) { return t == MST_INT8 || t == MST_INT16 || t == MST_INT32 || t == MST_INT64; }
// The real type of a complex one's parts, which others are themselves.
mst_type mst_type_part(mst_type type);
// In which type numbers of a type are computed and lie in registers: float16 in float32, bool in uint8, complex ones by their
// parts.
mst_type mst_type_held(mst_type type);
// "uint", "float": OpenCL C's name of what mst_type_held gives.
const char *mst_type_opencl(mst_type type);

// What a symbol stands for: an array's element, or a number without a type of its own, which takes that of what it meets, as
// Python's numbers do in NumPy: an integer (MST_INT64), a real number (MST_FLOAT64) or a complex one (MST_COMPLEX128).
typedef struct mst_expr_kind {
    mst_type type;
    bool weak;
    double value; // of one without a type: an integer must fit the type that it takes
} mst_expr_kind;

typedef struct mst_expr_typing {
    const mst_expr_kind *symbols;
    mst_type common;    // that a value takes which reads no array
    mst_type computed;  // 0, or the type of the value, which takes no other than this on the way
    mst_type converted; // 0, or the type that the value is converted to: floats to integers too, towards 0, saturating
    bool narrow;        // float64 is computed in float32
} mst_expr_typing;

// The value of an expression: of a complex one two nodes. The leaves of a tree have a level, 1 for imaginary parts, and as
// offsets[0] the type that they have: that of the array, or the one in which a number is held here, of which each is a leaf of
// its own.
typedef struct mst_expr_root {
    mst_type type;
    unsigned nodes[2];
} mst_expr_root;

// An empty tree for mst_expr_lower, freed by mst_expr_destroy; NULL when out of memory.
mst_expr *mst_expr_create_lowered(void);
// Adds the operations of `from` to a tree, equal ones once. MST_ERROR_ARGUMENT: an operation that its types do not have, a number
// that does not fit its type; MST_ERROR_HOST_MEMORY.
mst_status mst_expr_lower(const mst_expr *from, const mst_expr_typing *typing, mst_expr *to, mst_expr_root *root,
                          mst_error *error);
// Whether it computes in float64; the size in bytes of the largest type.
bool mst_expr_has_double(const mst_expr *lowered);
unsigned mst_expr_largest(const mst_expr *lowered);
// Which functions of real numbers it calls for which mst_expr_has_error: none, others than gamma and lgamma, or these, too, which
// compilers take long for.
typedef enum mst_expr_calls { MST_EXPR_NO_CALLS, MST_EXPR_ELEMENTARY_CALLS, MST_EXPR_GAMMA_CALLS } mst_expr_calls;
mst_expr_calls mst_expr_calls_of(const mst_expr *lowered);

// Writes declarations in OpenCL C, in the way of mst_expr_write, `const TYPE NAME = ...;` for the node of every root.
mst_status mst_expr_write_lowered(const mst_expr *lowered, const struct mst_elementary *own, const unsigned *roots,
                                  const char *const *names, int n_roots, unsigned width, const char *const *leaves, mst_text *out,
                                  mst_error *error);
// The functions that those declarations call, for vectors of `width`.
void mst_expr_write_functions(const mst_expr *lowered, unsigned width, mst_text *out);

#endif
