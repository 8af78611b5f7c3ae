// Binding the arguments of a map's kernels.
#ifndef MST_MAP_BIND_H
#define MST_MAP_BIND_H

#include "plan.h"

// Arguments of kernels; each returns how many. Of the first n arrays, inputs and outputs, by their ports; `bases` has room for n.
size_t mst_map_bind_arrays(const mst_map *plan, mst_map_form form, int n, const mst_map_operand *ports, cl_long *bases,
                           mst_argument *arguments);

// A number in the type that it takes.
typedef union mst_map_value {
    cl_char i8;
    cl_uchar u8;
    cl_short i16;
    cl_ushort u16;
    cl_int i32;
    cl_uint u32;
    cl_long i64;
    cl_ulong u64;
    float f32;
    double f64;
} mst_map_value;

// The numbers in an expression: a number may be an argument in every type that is held, and a complex one by its parts.
enum { MST_MAP_MOST_BOUND = 12 * MST_MAP_MAX_CONSTANTS };
typedef struct mst_map_number_binding {
    mst_map_value values[MST_MAP_MOST_BOUND];
    char words[MST_MAP_MOST_BOUND][MST_MAP_MAX_NUMBER_WORD];
} mst_map_number_binding;
size_t mst_map_bind_numbers(const mst_map *plan, const mst_expr *expression, mst_map_number_binding *b, mst_argument *arguments);

// Indices in a part of the array of that shape, which begins there (NULL: at 0).
typedef struct mst_map_index_binding {
    cl_ulong stride[MST_MAX_RANK], extent[MST_MAX_RANK], begin[MST_MAX_RANK];
    char words[MST_MAX_RANK][3][24];
} mst_map_index_binding;
size_t mst_map_bind_indices(const mst_map *plan, const size_t *begin, const size_t *shape, mst_map_index_binding *b,
                            mst_argument *arguments);

enum { MST_MAP_MOST_ARGUMENTS = 4 * MST_MAP_MAX_PORTS + MST_MAP_MOST_BOUND + 3 * MST_MAX_RANK + 12 };

#endif
