// Checks and arithmetic on layouts.
#ifndef MST_RUNTIME_LAYOUT_H
#define MST_RUNTIME_LAYOUT_H

#include "error.h"

// Checks rank, type, sizes and that every offset in bytes fits 63 bits. With `written`, also that no two elements share
// an address. `name` says in messages which array it is.
mst_status mst_layout_check(const mst_layout *layout, const char *name, bool written, mst_error *error);

static inline bool mst_type_is_complex(mst_type type) { return type == MST_COMPLEX64 || type == MST_COMPLEX128; }
// OpenCL C's name of the real numbers that elements consist of.
const char *mst_type_element(mst_type type);
static inline bool mst_type_is_double(mst_type type) { return type == MST_FLOAT64 || type == MST_COMPLEX128; }

// Number i of real numbers in the host's memory; 0 of complex ones, which are pairs of others, and of float16.
static inline double mst_type_number(mst_type type, const void *values, size_t i) {
    switch (type) {
    case MST_FLOAT32:
        return (double)((const float *)values)[i];
    case MST_FLOAT64:
        return ((const double *)values)[i];
    case MST_INT8:
        return ((const int8_t *)values)[i];
    case MST_UINT8:
    case MST_BOOL:
        return ((const uint8_t *)values)[i];
    case MST_INT16:
        return ((const int16_t *)values)[i];
    case MST_UINT16:
        return ((const uint16_t *)values)[i];
    case MST_INT32:
        return ((const int32_t *)values)[i];
    case MST_UINT32:
        return ((const uint32_t *)values)[i];
    case MST_INT64:
        return (double)((const int64_t *)values)[i];
    case MST_UINT64:
        return (double)((const uint64_t *)values)[i];
    default:
        return 0;
    }
}

// The rest expects a checked layout.
size_t mst_layout_count(const mst_layout *layout); // product of the shape
bool mst_layout_is_dense(const mst_layout *layout);
void mst_layout_print_shape(const mst_layout *layout, char *out, size_t size); // "3,4", for messages
bool mst_layout_same_shape(const mst_layout *a, const mst_layout *b);
bool mst_layout_equal(const mst_layout *a, const mst_layout *b);

// Offsets, in elements from element [0]...[0], of the lowest element and of the one behind the highest; both 0 when empty.
void mst_layout_extent(const mst_layout *layout, int64_t *low, int64_t *high);

// The same array with one axis moved to the end.
mst_layout mst_layout_axis_last(const mst_layout *layout, int axis);

// NumPy's axis number -rank..rank-1 to 0..rank-1; -1 if there is no such axis.
int mst_layout_axis(const mst_layout *layout, int axis);

#endif
