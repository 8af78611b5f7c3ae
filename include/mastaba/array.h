// Mastaba: what the data are (element type, shape, strides) and where they lie.
//
// A plan owns the layout; execution takes only locations. Element [i0][i1]...[ir-1] of an array lies at
//     address = location + element_bytes * sum_k i_k * strides[k].
#ifndef MASTABA_ARRAY_H
#define MASTABA_ARRAY_H

#include <mastaba/status.h>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifdef __APPLE__
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The most axes of an array, and the most that one transform or convolution goes along.
#define MST_MAX_RANK 8
#define MST_MAX_AXES 3

// NumPy's element types. Complex numbers are interleaved (re, im). Native byte order.
typedef enum mst_type {
    MST_FLOAT32 = 1,
    MST_FLOAT64 = 2,
    MST_COMPLEX64 = 3,
    MST_COMPLEX128 = 4,
    MST_INT8 = 5,
    MST_UINT8 = 6,
    MST_INT16 = 7,
    MST_UINT16 = 8,
    MST_INT32 = 9,
    MST_UINT32 = 10,
    MST_INT64 = 11,
    MST_UINT64 = 12,
    MST_BOOL = 13,   // one byte, zero or one
    MST_FLOAT16 = 14 // IEEE 754 binary16; of files, and of fields of schemes
} mst_type;

// Bytes of one element; 0 for a value that is no type. Thread-safe.
MST_API size_t mst_type_bytes(mst_type type);

// NumPy's name, "complex64" say; "unknown type" for a value that is none. Static storage. Thread-safe.
MST_API const char *mst_type_name(mst_type type);

// The type, shape and strides of an array.
typedef struct mst_layout {
    mst_type type;
    int rank; // 1..MST_MAX_RANK; where a description allows it, 0 means "not given"
    size_t shape[MST_MAX_RANK];
    ptrdiff_t strides[MST_MAX_RANK]; // in elements; may be negative, and 0 (broadcast) where the array is only read
} mst_layout;

#define MST_LAYOUT_INIT                                                                                                          \
    {                                                                                                                            \
        (mst_type)0, 0, {0}, { 0 }                                                                                               \
    }

// The dense C-order layout of a shape: strides[rank-1] = 1, strides[k] = strides[k+1] * shape[k+1]. An invalid rank, type
// or size is passed through and refused, with a message, by whatever takes the layout. Thread-safe.
MST_API mst_layout mst_layout_dense(mst_type type, int rank, const size_t *shape);

// Where an array lies: in host memory, in an OpenCL buffer, in a file.
typedef enum mst_place { MST_PLACE_HOST = 1, MST_PLACE_DEVICE = 2, MST_PLACE_FILE = 3 } mst_place;

// Where element [0][0]...[0] of an array lies. Host and file data of any size pass through the device in blocks; device
// data are worked on where they lie and must belong to the context of the plan. Files are read by pread and written by
// pwrite: the descriptor's own offset is neither used nor moved. A location owns nothing.
typedef struct mst_location {
    mst_place place;
    void *host;      // MST_PLACE_HOST; aligned to the element's real type
    cl_mem buffer;   // MST_PLACE_DEVICE
    int file;        // MST_PLACE_FILE: a descriptor of a regular file
    uint64_t offset; // bytes, MST_PLACE_DEVICE (a multiple of the element's size) and MST_PLACE_FILE
} mst_location;

// Inputs given by mst_at_host are only read.
static inline mst_location mst_at_host(const void *data) {
    mst_location l = {MST_PLACE_HOST, (void *)(uintptr_t)data, NULL, -1, 0};
    return l;
}

static inline mst_location mst_at_device(cl_mem buffer, uint64_t byte_offset) {
    mst_location l = {MST_PLACE_DEVICE, NULL, buffer, -1, byte_offset};
    return l;
}

static inline mst_location mst_at_file(int descriptor, uint64_t byte_offset) {
    mst_location l = {MST_PLACE_FILE, NULL, NULL, descriptor, byte_offset};
    return l;
}

#ifdef __cplusplus
}
#endif
#endif
