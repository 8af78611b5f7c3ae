// What the two kinds of CPU-shaped tiles share: rows, which lie apart, and columns, which lie side by side.
#ifndef MST_CONV_STAGE_CPU_H
#define MST_CONV_STAGE_CPU_H

#include "stage.h"

// Parameters of the functions that load and store tiles.
extern const char *const mst_tile_parameters;

// void X_tile(v, array, parameters) for a port that is loaded, and to_tile(v, array, parameters).
void mst_tile_write_rows(const mst_stage *s, int port, bool own, mst_text *out);
void mst_tile_write_columns(const mst_stage *s, int port, bool own, mst_text *out);

// The type of a port's numbers in memory, and whether two make an element; whether elements follow one another there, in order.
const char *mst_tile_memory_type(const mst_stage *s, int port, bool *pairs);
bool mst_tile_is_contiguous(const mst_stage *s, int port, bool own);
const char *mst_tile_real(const mst_stage *s);

// The element of v for number k of memory: a forward transform leaves its results in place(k).
const char *mst_tile_index(const mst_stage *s, int port);
// x + i y times wr + i wi, or its conjugate.
void mst_tile_write_product(bool conjugate, mst_text *out);

#endif
