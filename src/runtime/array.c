#include "layout.h"

static const struct {
    const char *name, *element; // "float" for complex64, too
    size_t bytes;
} types[] = {
    [MST_FLOAT32] = {"float32", "float", 4},
    [MST_FLOAT64] = {"float64", "double", 8},
    [MST_COMPLEX64] = {"complex64", "float", 8},
    [MST_INT8] = {"int8", "char", 1},
    [MST_COMPLEX128] = {"complex128", "double", 16},
    [MST_UINT8] = {"uint8", "uchar", 1},
    [MST_INT16] = {"int16", "short", 2},
    [MST_UINT16] = {"uint16", "ushort", 2},
    [MST_INT32] = {"int32", "int", 4},
    [MST_UINT32] = {"uint32", "uint", 4},
    [MST_INT64] = {"int64", "long", 8},
    [MST_UINT64] = {"uint64", "ulong", 8},
    [MST_BOOL] = {"bool", "uchar", 1},
    [MST_FLOAT16] = {"float16", "half", 2},
};

static int is_type(mst_type type) { return (int)type >= MST_FLOAT32 && (int)type <= MST_FLOAT16; }

size_t mst_type_bytes(mst_type type) { return is_type(type) ? types[type].bytes : 0; }

const char *mst_type_name(mst_type type) { return is_type(type) ? types[type].name : "unknown type"; }

const char *mst_type_element(mst_type type) { return is_type(type) ? types[type].element : "unknown"; }

mst_layout mst_layout_dense(mst_type type, int rank, const size_t *shape) {
    mst_layout layout = {type, rank, {0}, {0}};
    int n = rank < 0 ? 0 : rank > MST_MAX_RANK ? MST_MAX_RANK : rank;
    size_t stride = 1;
    for (int k = n - 1; k >= 0; k--) {
        layout.shape[k] = shape[k];
        layout.strides[k] = (ptrdiff_t)stride;
        stride *= shape[k]; // may wrap for a size that is refused later; unsigned, so defined
    }
    return layout;
}
