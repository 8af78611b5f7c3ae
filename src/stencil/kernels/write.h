// Writing kernels as text, one of the two shapes. What both have in common is in write.c: their beginning, and expressions.
#ifndef MST_STENCIL_WRITE_H
#define MST_STENCIL_WRITE_H

#include "stencil/scheme/points.h"
#include "tile.h"

typedef struct mst_writer {
    mst_context *context;
    const mst_problem *problem;
    const mst_pipeline *pipeline;
    const mst_pipeline *single; // of one step, for CPU kernels, which do either
    const mst_tile *tile;
    mst_points sources, receivers; // receivers follow the sources in the list
    size_t n_points, first_region; // points of both, and the first one of the regions' boxes
    uint64_t local_bytes;          // of local memory that there are
    bool within;                   // kernels are of nodes of the grid alone, none beyond its faces
    bool unroll;                   // the loop over a single plane's versions
    const char *time;              // a text for t; NULL: it stands in the table
    const char *numbers;           // where those that differ from run to run begin; NULL: behind the factors of sponges
    mst_text *out;
} mst_writer;

// CPU-shaped: one kernel, `advance`. GPU-shaped: the kernels `interior` and `boundary`.
mst_status mst_write_cpu(const mst_writer *w, mst_error *error);
mst_status mst_write_gpu(const mst_writer *w, mst_error *error);

// What stands before kernels, for vectors of so many elements; a kernel's head, the names of what its arguments hold, and the
// tile and the strip that are its work-group's by the number that `tile` is: rows row_begin to row_end - 1, and so on.
mst_status mst_write_helpers(const mst_writer *w, int width, mst_error *error);
void mst_write_head(const mst_writer *w, const char *kernel, const char *tile);

// The element type of arrays in memory: float16 or the scheme's. And what the names of macros end with that load and store
// vectors of them (stencil.cl, stencil_half.cl).
static inline const char *mst_element_type(bool half) { return half ? "half" : "real"; }
static inline const char *mst_element_suffix(bool half) { return half ? "_HALF" : ""; }

// A text of OpenCL C for a number.
typedef char mst_number_text[160];

// "row - 2", say, or "row" where nothing is added. MST_SUM is the text for as long as the block around it runs.
const char *mst_sum_text(const char *base, int offset, mst_number_text out);
#define MST_SUM(base, offset) mst_sum_text(base, offset, (mst_number_text){0})

// Maps the number of a node that may lie outside the grid: mirrored, or the same, as for the fields of a set of boundaries. And a
// factor for its value, "(row < 0 ? -1 : 1) * ", where mirrors have another sign; else nothing.
void mst_map_text(const mst_problem *problem, int set, int axis, const char *number, mst_number_text out);
void mst_sign_text(const mst_problem *problem, int set, int axis, const char *number, mst_number_text out);

// Declares the formula's value under `name`, as a vector of the tile's width or (width 1) as a scalar. values[i] is the text of
// leaf i where that is a field. Coordinates and the time are the variables that the next two declare, as far as the formula uses
// them: of a plane and a row by the texts of their numbers and t by that of the fused step; of a column or, as a vector, of so
// many.
void mst_write_formula(const mst_writer *w, const mst_formula *formula, int width, const mst_number_text *values,
                       const char *name);
void mst_write_place(const mst_writer *w, const mst_formula *formula, const char *plane, const char *row, const char *step);
void mst_write_column(const mst_writer *w, const mst_formula *formula, const char *column, int width);

// write_layers.c: declares the coefficients of absorbing layers along an axis that a formula uses, at a node by the text of its
// number, of so many columns from it on. And what such a leaf is called.
enum { MST_LAYER_NAME_SIZE = 24 };
void mst_write_layers(const mst_writer *w, const mst_formula *formula, int axis, const char *number, int width);
void mst_name_layer(const mst_leaf *leaf, char out[MST_LAYER_NAME_SIZE]);

#endif
