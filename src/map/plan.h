// What a map's plan holds, for the files of this folder.
#ifndef MST_MAP_PLAN_H
#define MST_MAP_PLAN_H

#include "expr/types.h"
#include "runtime/kernel.h"
#include "runtime/turn.h"
#include "stream/stream.h"
#include "tune/tune.h"

#include <mastaba/map.h>

enum {
    MST_MAP_MAX_PORTS = MST_MAP_MAX_INPUTS + MST_MAP_MAX_OUTPUTS,
    MST_MAP_MAX_CONSTANTS = MST_MAP_MAX_NUMBERS + MST_MAX_RANK, // with the lengths of axes, n0, n1 ...
    MST_MAP_MAX_REDUCTIONS = MST_MAP_MAX_OUTPUTS,
    MST_MAP_MAX_SYMBOLS = MST_MAP_MAX_INPUTS + MST_MAP_MAX_CONSTANTS + MST_MAX_RANK + MST_MAP_MAX_REDUCTIONS,
    MST_MAP_MAX_WORD = MST_EXPR_MAX_NAME + 16,
    MST_MAP_MAX_NUMBER_WORD = MST_EXPR_MAX_NAME + 24
};

// The forms of kernel: arrays without gaps are computed vector by vector, aligned to vectors or not; arrays of any strides, as
// they may lie on the device, element by element.
typedef enum mst_map_form { MST_MAP_ALIGNED, MST_MAP_PACKED, MST_MAP_STRIDED, MST_MAP_N_FORMS } mst_map_form;

// The kernels' names for an array: of an input NAME they are NAME_in, NAME_i and so on, as no word of OpenCL C ends that way.
typedef struct mst_map_words {
    char array[MST_MAP_MAX_WORD], value[MST_MAP_MAX_WORD]; // the array and its element,
    char imaginary[MST_MAP_MAX_WORD];                      // of a complex one the real part and this
    char base[MST_MAP_MAX_WORD];                           // where the array begins
    char lines[MST_MAP_MAX_WORD], first[MST_MAP_MAX_WORD]; // of strided ones: the table of lines, and the block's first element
} mst_map_words;

struct mst_map_reduce;
struct mst_map_code;
struct mst_map_scan;

struct mst_map {
    mst_context *context;
    mst_turn *turn;
    mst_expr *expression; // lowered
    int n_outputs, n_roots;
    mst_expr_root roots[MST_MAP_MAX_REDUCTIONS + 1]; // the outputs; of a reducing plan what is reduced, and room to try one more
    int n_inputs, n_numbers;                         // numbers of the caller's and, behind them, the lengths of axes
    mst_type types[MST_MAP_MAX_INPUTS];
    bool has_parts;                                                  // arrays of complex numbers
    mst_type wanted;                                                 // the first output's, but where the fallback took its place
    mst_layout shape;                                                // the common one of the inputs
    mst_layout layouts[MST_MAP_MAX_PORTS];                           // of ports; inputs in the common shape
    mst_layout outputs[MST_MAP_MAX_OUTPUTS];                         // as the caller has them
    mst_map_number numbers[MST_MAP_MAX_CONSTANTS];                   // their names are:
    char number_names[MST_MAP_MAX_CONSTANTS][MST_EXPR_MAX_NAME + 2]; // longer ones are refused as too long
    struct mst_map_reduce *reduce;                                   // NULL: each output has an element for each of the inputs
    struct mst_map_scan *scan;                                       // NULL: no output runs along an axis
    unsigned width;
    double measured[MST_MAP_N_WIDTHS];      // seconds an element
    mst_map_words words[MST_MAP_MAX_PORTS]; // of the inputs, then of the output
    mst_text texts[MST_MAP_N_FORMS];
    mst_kernel *kernels[MST_MAP_N_FORMS];
    struct mst_map_code *code;           // NULL: kernels are compiled for the expression
    cl_mem lines[MST_MAP_MAX_PORTS + 1]; // of strided arrays, and last of the same shape without gaps
    mst_stream *stream;
};

// Ports are the first input, the outputs but for those of reductions, and the other inputs: the stream lets port 1 be at the
// place of port 0.
static inline int mst_map_n_stored(const mst_map *plan) { return plan->reduce ? 0 : plan->n_outputs; }
static inline int mst_map_n_ports(const mst_map *plan) { return plan->n_inputs + mst_map_n_stored(plan); }
static inline int mst_map_port(const mst_map *plan, int input) { return input == 0 ? 0 : input + mst_map_n_stored(plan); }

// The leaves behind the inputs and the numbers are indices of elements: i0, i1 ...
static inline bool mst_map_is_array(const mst_map *plan, const mst_expr_leaf *leaf) {
    return leaf->symbol < (size_t)plan->n_inputs;
}
static inline bool mst_map_is_number(const mst_map *plan, const mst_expr_leaf *leaf) {
    return !mst_map_is_array(plan, leaf) && leaf->symbol < (size_t)(plan->n_inputs + plan->n_numbers);
}
static inline int mst_map_index_axis(const mst_map *plan, const mst_expr_leaf *leaf) {
    return (int)leaf->symbol - plan->n_inputs - plan->n_numbers;
}
bool mst_map_has_indices(const mst_map *plan);

// Whether input k is an array of float64, or of complex numbers of it, on a device that lacks it: its bits are read as integers
// and rounded to float32.
static inline bool mst_map_narrows(const mst_map *plan, int k) {
    return mst_type_part(plan->types[k]) == MST_FLOAT64 && !plan->context->device.fp64;
}

// read.c: what a description asks for, but for the vector width.
mst_status mst_map_read(mst_map *plan, const mst_map_desc *desc, mst_error *error);

// symbols.c: numbers with the lengths of axes behind them; what the names of an expression stand for, and the types that its
// parts take.
mst_status mst_map_read_numbers(mst_map *plan, const mst_map_desc *desc, mst_error *error);
typedef struct mst_map_symbols {
    mst_expr_symbol symbols[MST_MAP_MAX_SYMBOLS];
    mst_expr_kind kinds[MST_MAP_MAX_SYMBOLS];
    size_t n;
    char indices[MST_MAX_RANK][24]; // names
    mst_expr_typing typing;
} mst_map_symbols;
mst_status mst_map_symbols_read(const mst_map *plan, const mst_map_desc *desc, mst_map_symbols *symbols, mst_error *error);

// Makes a plan's expressions by the function, and once more without float64 where the device lacks it and the description allows
// it.
typedef mst_status mst_map_lower_fn(mst_map *plan, const mst_map_desc *desc, mst_map_symbols *symbols, mst_error *error);
mst_status mst_map_lower_for_device(mst_map *plan, const mst_map_desc *desc, mst_map_lower_fn *lower, mst_error *error);

// Of one of the outputs, the first of which stands apart in the description.
const char *mst_map_expression(const mst_map_desc *desc, int output);
mst_type mst_map_out_type(const mst_map_desc *desc, int output);

// The word of a leaf that is a number: NAME_as_float, NAME_as_float_imaginary and so on, which no word of OpenCL C or of an array
// is, whatever the names.
void mst_map_number_word(const mst_map *plan, const mst_expr_leaf *leaf, char word[MST_MAP_MAX_NUMBER_WORD]);

// write.c: the plan's words; and the kernel `map` of a form, on vectors of `width`.
void mst_map_name(mst_map *plan, const mst_map_desc *desc);
mst_status mst_map_write(const mst_map *plan, mst_map_form form, unsigned width, mst_text *out, mst_error *error);

// launch.c: the kernel of a form's text, which is NULL if that must be compiled but is to be `cached`; and launching it on n
// elements. Ports by number; `first` and `lines` for MST_MAP_STRIDED.
typedef struct mst_map_operand {
    cl_mem buffer, lines;
    cl_long base;
    cl_ulong first;
} mst_map_operand;
bool mst_map_is_double(const mst_map *plan);      // whether its kernels have float64
unsigned mst_map_safe_width(const mst_map *plan); // of vectors where nothing is known
mst_status mst_map_build(const mst_map *plan, mst_map_form form, bool cached, mst_kernel **out, mst_error *error);
mst_status mst_map_launch(const mst_map *plan, const mst_kernel *kernel, mst_map_form form, unsigned width, mst_queue *queue,
                          const mst_map_operand *ports, uint64_t element, uint64_t n, mst_error *error);

// map.c: the public function, but for the lead of a group alone.
mst_status mst_map_create_alone(mst_context *context, const mst_map_desc *desc, mst_map **out, mst_error *error);

// tune.c: the width of a plan whose description leaves it open.
mst_status mst_map_tune(mst_map *plan, const mst_map_desc *desc, mst_tune_chain *chain, mst_error *error);

#endif
