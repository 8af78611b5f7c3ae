#include "types.h"

typedef struct facts {
    enum { NONE, TRUTH, UNSIGNED, SIGNED, REAL, PARTS } kind;
    unsigned bytes;
    mst_type part, held;
    const char *opencl;
} facts;

static const facts all[] = {
    [0] = {NONE, 0, (mst_type)0, (mst_type)0, ""},
    [MST_BOOL] = {TRUTH, 1, MST_BOOL, MST_UINT8, "uchar"},
    [MST_INT8] = {SIGNED, 1, MST_INT8, MST_INT8, "char"},
    [MST_INT16] = {SIGNED, 2, MST_INT16, MST_INT16, "short"},
    [MST_INT32] = {SIGNED, 4, MST_INT32, MST_INT32, "int"},
    [MST_INT64] = {SIGNED, 8, MST_INT64, MST_INT64, "long"},
    [MST_UINT8] = {UNSIGNED, 1, MST_UINT8, MST_UINT8, "uchar"},
    [MST_UINT16] = {UNSIGNED, 2, MST_UINT16, MST_UINT16, "ushort"},
    [MST_UINT32] = {UNSIGNED, 4, MST_UINT32, MST_UINT32, "uint"},
    [MST_UINT64] = {UNSIGNED, 8, MST_UINT64, MST_UINT64, "ulong"},
    [MST_FLOAT16] = {REAL, 2, MST_FLOAT16, MST_FLOAT32, "float"},
    [MST_FLOAT32] = {REAL, 4, MST_FLOAT32, MST_FLOAT32, "float"},
    [MST_FLOAT64] = {REAL, 8, MST_FLOAT64, MST_FLOAT64, "double"},
    [MST_COMPLEX64] = {PARTS, 4, MST_FLOAT32, MST_FLOAT32, "float"},
    [MST_COMPLEX128] = {PARTS, 8, MST_FLOAT64, MST_FLOAT64, "double"},
};

mst_type mst_type_part(mst_type type) { return all[type].part; }
mst_type mst_type_held(mst_type type) { return all[type].held; }
const char *mst_type_opencl(mst_type type) { return all[type].opencl; }

// The least real type that holds integers of so many bytes; NumPy takes float64 to hold those of eight.
static mst_type real_for(unsigned bytes) { return bytes == 1 ? MST_FLOAT16 : bytes == 2 ? MST_FLOAT32 : MST_FLOAT64; }

static mst_type common_real(mst_type a, mst_type b) {
    a = all[a].kind == REAL ? a : real_for(all[a].bytes);
    b = all[b].kind == REAL ? b : real_for(all[b].bytes);
    return all[a].bytes >= all[b].bytes ? a : b;
}

// Of a signed and an unsigned type.
static mst_type common_signed(mst_type with_sign, mst_type without) {
    const unsigned bytes = all[without].bytes;
    if (all[with_sign].bytes > bytes)
        return with_sign;
    return bytes == 1 ? MST_INT16 : bytes == 2 ? MST_INT32 : bytes == 4 ? MST_INT64 : MST_FLOAT64;
}

mst_type mst_type_common(mst_type a, mst_type b) {
    if (all[a].kind < all[b].kind)
        return mst_type_common(b, a);
    if (a == b || all[b].kind == TRUTH)
        return a;
    if (all[a].kind == PARTS)
        return common_real(all[a].part, all[b].part) == MST_FLOAT64 ? MST_COMPLEX128 : MST_COMPLEX64;
    if (all[a].kind == REAL)
        return common_real(a, b);
    if (all[a].kind == SIGNED && all[b].kind == UNSIGNED)
        return common_signed(a, b);
    return all[a].bytes >= all[b].bytes ? a : b;
}
