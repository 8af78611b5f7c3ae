// Writing kernels of maps, for the files of this folder.
#ifndef MST_MAP_WRITE_H
#define MST_MAP_WRITE_H

#include "plan.h"

#include "text/signature.h"

enum { MST_MAP_LEAF_TEXT = MST_MAP_MAX_NUMBER_WORD + 24 };

// The digits behind a vector type's name.
const char *mst_map_lanes(unsigned width);

// A leaf's value as it is written: a variable, or a vector of a number.
void mst_map_leaf_text(const mst_map *plan, const mst_expr_leaf *leaf, unsigned width, char out[MST_MAP_LEAF_TEXT]);

// What array k in memory consists of: an input or, behind these, an output.
const char *mst_map_stored_type(const mst_map *plan, int k);
void mst_map_write_store(const mst_map *plan, mst_map_form form, int output, unsigned width, const char *index, mst_text *t);

// What stands before a kernel: the functions that its expression calls.
void mst_map_write_start(const mst_map *plan, mst_map_form form, unsigned width, mst_text *out);

// Parameters: of the first n arrays (inputs, then outputs), of an expression's numbers, and for indices.
void mst_map_add_arrays(const mst_map *plan, mst_map_form form, int n, mst_signature *s);
void mst_map_add_numbers(const mst_map *plan, const mst_expr *expression, mst_signature *s);
void mst_map_add_indices(const mst_map *plan, mst_signature *s);

// Indices: the functions, and variables index_0 .. of elements from number `element` on.
void mst_map_write_index_functions(unsigned width, mst_text *t);
void mst_map_write_indices(const mst_map *plan, unsigned width, const char *element, mst_text *t);

// Moves the pointers of the first n arrays to where these begin; that of array k of any strides to an element of the block.
void mst_map_write_bases(const mst_map *plan, int n, mst_text *t);
void mst_map_write_address(const mst_map *plan, int k, const char *element, mst_text *t);

// Loads a vector of every input, number `index` of those that begin at its pointer, and computes every root from it. `element` is
// the number of its first element in C order, where indices are counted from.
mst_status mst_map_write_values(const mst_map *plan, mst_map_form form, unsigned width, const char *index, const char *element,
                                mst_text *t, mst_error *error);

#endif
