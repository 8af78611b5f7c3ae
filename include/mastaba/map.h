// Mastaba: element-wise expressions over arrays, one kernel source for vector and scalar devices.
//
//     output[i0][i1]... = expression(a[i0][i1]..., b[i0][i1]..., numbers)
//
// The expression is in the language of docs/map.md: arithmetic, comparisons, c ? a : b, bits, functions. Every operation takes
// place in NumPy's type of its operands (or all in one that is named): bool, integers of 8 to 64 bits, which wrap around and
// whose quotients by 0 are 0, float32, float64, complex numbers of these. float16 is computed in float32 and rounded at the end.
//
// The kernel works on vectors of 1, 2, 4, 8 or 16 elements; which is fastest depends on the device and the expression (Burtsev,
// parallel templates for vector and scalar devices: test runs of the kernel's own operations decide). Results do not depend on
// it, but for the last bits of functions on devices that compute them in vectors in another way than alone.
//
// A device may lack float64. Arrays of float64 are then converted from their bits, correctly rounded, and what would be computed
// in float64 is refused, unless `fallback` names the type that takes its place.
#ifndef MASTABA_MAP_H
#define MASTABA_MAP_H

#include <mastaba/context.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MST_MAP_MAX_INPUTS = 7, MST_MAP_MAX_NUMBERS = 32, MST_MAP_N_WIDTHS = 5, MST_MAP_MAX_OUTPUTS = 8 };

// A plan: how expressions of arrays of given layouts are computed.
typedef struct mst_map mst_map;

// An array or a number and its name in the expression: a letter or underscore, then letters, digits, underscores.
typedef struct mst_map_input {
    const char *name;
    mst_layout layout; // of any type; any strides, 0 too
} mst_map_input;

// Numbers take the type of what they meet, as Python's do in NumPy (NEP 50): with an integer array one that is MST_INT64 is such
// an integer, and must fit, while MST_FLOAT64 makes float64 of it; with a float32 array both are float32.
typedef struct mst_map_number {
    const char *name;
    double value;
    double imaginary; // with MST_COMPLEX128
    int64_t type;     // MST_INT64, MST_FLOAT64 or MST_COMPLEX128; 0: an integer where the value is whole, else a float
} mst_map_number;

// A further output of the same pass over the inputs.
typedef struct mst_map_more {
    const char *expression;
    mst_layout output; // as mst_map_desc.output
    int64_t out_type;  // as mst_map_desc.out_type
} mst_map_more;

// What mst_map_create makes a plan of.
typedef struct mst_map_desc {
    size_t struct_size;
    const char *expression;
    int n_inputs; // 1..MST_MAP_MAX_INPUTS, of shapes that NumPy broadcasts against one another
    const mst_map_input *inputs;
    size_t input_size; // sizeof(mst_map_input)
    int n_numbers;     // 0..MST_MAP_MAX_NUMBERS
    const mst_map_number *numbers;
    size_t number_size;    // sizeof(mst_map_number)
    mst_type type;         // in which all is computed, and of the output; 0: each operation in NumPy's type of its operands.
                           // float to integer is refused
    mst_type fallback;     // 0, or MST_FLOAT32: what takes the place of float64 as the output's type on a device that lacks it
    mst_layout output;     // of the result's type and the common shape, strides of its own; rank 0: dense
    bool measure;          // with vector_width 0: make test runs of every width, on the device, when the plan is made
    unsigned vector_width; // 1, 2, 4, 8 or 16 (8 at most with complex numbers); 0: what is known of the device (tune.h), or
                           // `measure`
    int64_t out_type; // 0, or an mst_type that the result is converted to: floats to integers towards 0, saturating, NaN to 0;
                      // integers to narrower ones by their low bits. Complex to real is refused
    int n_more;       // 0..MST_MAP_MAX_OUTPUTS - 1 further outputs: all of them maps, or all reduced along the same axes
    const mst_map_more *more;
    size_t more_size; // sizeof(mst_map_more)
    int n_axes;       // of expressions with sum() and the like: along these axes, negative ones from the end; 0: along all. Of
                      // cumsum(x) and cumprod(x), which are all of an expression, one; 0: there is but one
    const int *axes;
    int64_t keep_axes; // other than 0: the result has them, with the length 1; if none is left it has one of length 1 in any case
    int64_t ddof;      // var and std divide by the number of elements less this
    // A kernel runs any expression as byte code, or is compiled for this one, which takes half a processor second and more and
    // gives the same bits. From how many elements on it is compiled, of all executions together, which happens in the execution
    // that asks for them. 1: at once; UINT64_MAX: never; 0: on CPUs if it is in the cache, or when compiling is repaid, at once
    // where a single execution repays it; elsewhere at once, as with vector_width or measure, and as are reductions and maps with
    // an output whose operations are of several types.
    uint64_t compile_from;
} mst_map_desc;

#define MST_MAP_DESC_INIT                                                                                                        \
    {                                                                                                                            \
        sizeof(mst_map_desc), NULL, 0, NULL, sizeof(mst_map_input), 0, NULL, sizeof(mst_map_number), (mst_type)0, (mst_type)0,   \
            MST_LAYOUT_INIT, false, 0, 0, 0, NULL, sizeof(mst_map_more), 0, NULL, 0, 0, 0                                        \
    }

// Makes a plan. Everything in desc is copied. *out is the caller's, freed by mst_map_destroy before the context; NULL on failure.
// MST_ERROR_ARGUMENT: the expression (error->excerpt shows where), names, layouts, types; MST_ERROR_UNSUPPORTED: float64 as the
// output's type on a device that lacks it, without a fallback, or byte code
// where compile_from asks for it and there is none, as on GPUs; MST_ERROR_BUDGET; MST_ERROR_BUILD; MST_ERROR_OPENCL;
// MST_ERROR_HOST_MEMORY. Blocks while the kernel compiles, and with `measure` for five kernels and their test runs (on at most 64
// MiB an array). Thread-safe on one context.
MST_API mst_status mst_map_create(mst_context *context, const mst_map_desc *desc, mst_map **out, mst_error *error);
MST_API void mst_map_destroy(mst_map *plan);

// The vector width of the plan, its output's layout, and its kernel's text. Valid as long as the plan. Thread-safe.
// mst_map_wanted: the type that the result has where there is float64; not the output's if the fallback took its place.
MST_API unsigned mst_map_vector_width(const mst_map *plan);
MST_API mst_type mst_map_wanted(const mst_map *plan);
MST_API const mst_layout *mst_map_output(const mst_map *plan);
MST_API const char *mst_map_kernel(const mst_map *plan);

// How many outputs there are, the layout of number k, which is NULL if there is none, and whether they are reduced. Thread-safe.
MST_API int mst_map_n_outputs(const mst_map *plan);
MST_API const mst_layout *mst_map_output_of(const mst_map *plan, int k);
MST_API bool mst_map_reduces(const mst_map *plan);

// Seconds that a test run of each width (1, 2, 4, 8, 16) took for each element; 0 where none was made. Thread-safe.
MST_API void mst_map_measured(const mst_map *plan, double seconds[MST_MAP_N_WIDTHS]);

// Computes. inputs[k] is where desc.inputs[k] lies; any mix of host, device and file. The output may be at the place of the first
// input when their layouts are equal, otherwise it must overlap nothing. Host and file arrays pass through the device in blocks.
// On failure the inputs are intact (but for one that is the output) and the output's content is undefined. Blocks unless
// how->event is set and all data are on the device. Errors as mst_fft_execute. Threads take turns.
MST_API mst_status mst_map_execute(mst_map *plan, const mst_location *inputs, mst_location output, const mst_execution *how,
                                   mst_error *error);

// The same for all outputs of a plan, the first one of the description's before those of `more`. Outputs overlap nothing, but for
// the first one as above. Of reductions no output may be at the place of an input, and the call blocks in any case.
MST_API mst_status mst_map_execute_all(mst_map *plan, const mst_location *inputs, const mst_location *outputs,
                                       const mst_execution *how, mst_error *error);

#ifdef __cplusplus
}
#endif
#endif
