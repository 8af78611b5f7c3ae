// Kernels, and launches whose arguments are checked against the kernel's parameters.
#ifndef MST_RUNTIME_KERNEL_H
#define MST_RUNTIME_KERNEL_H

#include "program.h"
#include "queue.h"
#include "text/signature.h"

// The types that arguments have beside memory. F(type in C, name of the kind, name in OpenCL C)
#define MST_ARGUMENT_TYPES(F)                                                                                                    \
    F(cl_char, CHAR, "char")                                                                                                     \
    F(cl_uchar, UCHAR, "uchar")                                                                                                  \
    F(cl_short, SHORT, "short")                                                                                                  \
    F(cl_ushort, USHORT, "ushort")                                                                                               \
    F(cl_int, INT, "int")                                                                                                        \
    F(cl_uint, UINT, "uint")                                                                                                     \
    F(cl_long, LONG, "long")                                                                                                     \
    F(cl_ulong, ULONG, "ulong")                                                                                                  \
    F(cl_float, FLOAT, "float")                                                                                                  \
    F(cl_double, DOUBLE, "double")                                                                                               \
    F(cl_int4, INT4, "int4")                                                                                                     \
    F(cl_int8, INT8, "int8")                                                                                                     \
    F(cl_long2, LONG2, "long2")                                                                                                  \
    F(cl_long4, LONG4, "long4")                                                                                                  \
    F(cl_long8, LONG8, "long8")                                                                                                  \
    F(cl_long16, LONG16, "long16")

typedef enum mst_argument_kind {
    MST_ARGUMENT_STRUCT, // any other type: only its size is checked, by the driver
    MST_ARGUMENT_MEMORY, // cl_mem, for any pointer to __global or __constant
    MST_ARGUMENT_LOCAL,  // bytes of local memory
    MST_ARGUMENT_REAL,   // a kind of parameters only: `real` takes a double, and a float in programs where it is float
#define MST_ARGUMENT_KIND_(type, kind, name) MST_ARGUMENT_##kind,
    MST_ARGUMENT_TYPES(MST_ARGUMENT_KIND_)
} mst_argument_kind;

// A value for a parameter. Made by MST_BIND.
typedef struct mst_argument {
    size_t bytes;
    const void *value; // NULL: of local memory
    const char *name;  // of the parameter
    mst_argument_kind kind;
} mst_argument;

// What a parameter has been set to, so that the driver is not told again: in a group, the threads of all devices wait for one
// another in its calls. Not of memory that there is, whose handle may have become another one's, nor of what is larger.
typedef struct mst_set_value {
    size_t bytes;             // 0: not known
    unsigned char value[256]; // of local memory the bytes are all
} mst_set_value;

// A kernel and its signature.
typedef struct mst_kernel {
    cl_kernel opencl;
    mst_signature signature;
    mst_argument_kind *kinds; // of its parameters
    mst_set_value *set;       // likewise
    size_t most_items;        // of a work-group
    bool is_double;           // what `real` is
} mst_kernel;

// A kernel of a program, the caller's, freed by mst_kernel_destroy, which accepts NULL. Its signature is read from the program's
// text. Fails with MST_ERROR_BUILD if there is no such kernel.
mst_status mst_kernel_create(const mst_program *program, const char *name, mst_kernel **out, mst_error *error);
void mst_kernel_destroy(mst_kernel *kernel);

// Puts a kernel in place of another, which is freed; *from is NULL then.
static inline void mst_kernel_replace(mst_kernel **kernel, mst_kernel **from) {
    mst_kernel_destroy(*kernel);
    *kernel = *from;
    *from = NULL;
}

// MST_BIND(from, buffer) is the argument for the parameter `from`: the value of the variable `buffer` at the time of the launch.
// MST_BIND_AS takes the parameter's name from a text that must live until the launch. MST_BIND_LOCAL(scratch, bytes) gives a
// __local pointer its bytes.
//     const mst_argument arguments[] = {MST_BIND(from, buffer), MST_BIND(n, n_lines), MST_BIND_LOCAL(scratch, 2 * group * size)};
#define MST_BIND(parameter, variable) MST_BIND_AS(#parameter, variable)
#define MST_BIND_AS(name, variable) mst_argument_bind(name, MST_ARGUMENT_KIND_OF_(variable), sizeof(variable), &(variable))
#define MST_BIND_LOCAL(parameter, bytes) mst_argument_bind(#parameter, MST_ARGUMENT_LOCAL, bytes, NULL)

#define MST_ARGUMENT_ASSOCIATION_(type, kind, name)                                                                              \
    type:                                                                                                                        \
    MST_ARGUMENT_##kind,
#define MST_ARGUMENT_KIND_OF_(variable)                                                                                          \
    _Generic((variable), MST_ARGUMENT_TYPES(MST_ARGUMENT_ASSOCIATION_) cl_mem                                                    \
             : MST_ARGUMENT_MEMORY, default                                                                                      \
             : MST_ARGUMENT_STRUCT)

static inline mst_argument mst_argument_bind(const char *name, mst_argument_kind kind, size_t bytes, const void *value) {
    return (mst_argument){.bytes = bytes, .value = value, .name = name, .kind = kind};
}

// Sets all arguments and enqueues `n_items` work-items, rounded up to work-groups of `group` (the kernel checks its bounds).
// Arguments that do not have the names, the order and the types of the kernel's parameters fail with MST_ERROR_BUILD. `event`
// is the caller's to release; NULL: none. A double for a parameter of type `real` is rounded to float where `real` is that.
mst_status mst_kernel_launch(mst_queue *queue, const mst_kernel *kernel, const mst_argument *arguments, size_t n_arguments,
                             size_t n_items, size_t group, cl_event *event, mst_error *error);
// The same so many times at once, of which a work-item's is get_global_id(1).
mst_status mst_kernel_launch_times(mst_queue *queue, const mst_kernel *kernel, const mst_argument *arguments, size_t n_arguments,
                                   size_t n_items, size_t group, size_t times, cl_event *event, mst_error *error);

// A work-group size for n_items independent items of a kernel: as the device likes it, but small enough that every compute unit
// gets work.
size_t mst_kernel_group(const mst_context *context, const mst_kernel *kernel, size_t n_items);

#endif
