// Mastaba: element-wise expressions over arrays, one kernel source for vector and scalar devices.
//
//     output[i0][i1]... = expression(a[i0][i1]..., b[i0][i1]..., numbers)
//
// The expression is in the language of docs/map.md: + - * / ^, comparisons, c ? a : b, functions. It is computed in the type of
// the output, into which inputs are converted first: float32 or float64, or int8 to int64, which wrap around in two's complement
// (integers have + - *, comparisons, choices, abs, min, max and whole powers; no division, which would round).
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

enum { MST_MAP_MAX_INPUTS = 7, MST_MAP_MAX_NUMBERS = 32, MST_MAP_N_WIDTHS = 5 };

typedef struct mst_map mst_map;

// An array or a number and its name in the expression: a letter or underscore, then letters, digits, underscores.
typedef struct mst_map_input {
    const char *name;
    mst_layout layout; // int8, int16, int32, int64, float32 or float64; any strides, 0 too
} mst_map_input;

typedef struct mst_map_number {
    const char *name;
    double value;
} mst_map_number;

typedef struct mst_map_desc {
    size_t struct_size;
    const char *expression;
    int n_inputs; // 1..MST_MAP_MAX_INPUTS, all of one shape
    const mst_map_input *inputs;
    size_t input_size; // sizeof(mst_map_input)
    int n_numbers;     // 0..MST_MAP_MAX_NUMBERS
    const mst_map_number *numbers;
    size_t number_size;    // sizeof(mst_map_number)
    mst_type type;         // of the output; 0: NumPy's common type of the inputs. float to integer is refused
    mst_type fallback;     // 0, or MST_FLOAT32: what takes the place of float64 as the output's type on a device that lacks it
    mst_layout output;     // of that type and the inputs' shape, strides of its own; rank 0: dense
    bool measure;          // with vector_width 0: make test runs of every width, on the device, when the plan is made
    unsigned vector_width; // 1, 2, 4, 8 or 16; 0: what is known of the device (tune.h), or `measure`
} mst_map_desc;

#define MST_MAP_DESC_INIT                                                                                                        \
    {                                                                                                                            \
        sizeof(mst_map_desc), NULL, 0, NULL, sizeof(mst_map_input), 0, NULL, sizeof(mst_map_number), (mst_type)0, (mst_type)0,   \
            MST_LAYOUT_INIT, false, 0                                                                                            \
    }

// Makes a plan. Everything in desc is copied. *out is the caller's, freed by mst_map_destroy before the context; NULL on failure.
// MST_ERROR_ARGUMENT: the expression (error->excerpt shows where), names, layouts, types; MST_ERROR_UNSUPPORTED: float64 as the
// output's type on a device that lacks it, without a fallback; MST_ERROR_BUDGET; MST_ERROR_BUILD; MST_ERROR_OPENCL;
// MST_ERROR_HOST_MEMORY. Blocks while the kernel compiles, and with `measure` for five kernels and their test runs (on at most 64
// MiB an array). Thread-safe on one context.
MST_API mst_status mst_map_create(mst_context *context, const mst_map_desc *desc, mst_map **out, mst_error *error);
MST_API void mst_map_destroy(mst_map *plan);

// The vector width of the plan, its output's layout, and its kernel's text. Valid as long as the plan. Thread-safe.
// mst_map_wanted: the type that was asked for, or NumPy's common one; not the output's if the fallback took its place.
MST_API unsigned mst_map_vector_width(const mst_map *plan);
MST_API mst_type mst_map_wanted(const mst_map *plan);
MST_API const mst_layout *mst_map_output(const mst_map *plan);
MST_API const char *mst_map_kernel(const mst_map *plan);

// Seconds that a test run of each width (1, 2, 4, 8, 16) took for each element; 0 where none was made. Thread-safe.
MST_API void mst_map_measured(const mst_map *plan, double seconds[MST_MAP_N_WIDTHS]);

// Computes. inputs[k] is where desc.inputs[k] lies; any mix of host, device and file. The output may be at the place of the first
// input when their layouts are equal, otherwise it must overlap nothing. Host and file arrays pass through the device in blocks.
// On failure the inputs are intact (but for one that is the output) and the output's content is undefined. Blocks unless
// how->event is set and all data are on the device. Errors as mst_fft_execute. Threads take turns.
MST_API mst_status mst_map_execute(mst_map *plan, const mst_location *inputs, mst_location output, const mst_execution *how,
                                   mst_error *error);

#ifdef __cplusplus
}
#endif
#endif
