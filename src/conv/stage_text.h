// What the parts of a stage's text share. Kernels are written in stage_text.c, CPU-shaped ones in stage_cpu.c; how single values
// are loaded and stored, in stage_values.c, tiles of them in stage_rows.c and stage_columns.c.
#ifndef MST_CONV_STAGE_TEXT_H
#define MST_CONV_STAGE_TEXT_H

#include "stage.h"

#include "fft/write.h"

// ---- stage_lines.c

// What the kernel calls a port's array: x, y and z where it convolves, else source and target. Its type there: real numbers of
// the caller's, also where two make an element; real2 in work memory.
const char *mst_stage_port_name(const mst_stage *s, int port);
const char *mst_stage_port_type(const mst_stage *s, int port);
const char *mst_stage_real(const mst_stage *s); // "float" or "double"
bool mst_stage_has_port(const mst_stage *s, int port);

// The parameters of a port, in this order: its array, where its data begin in it, and its first line.
enum { STAGE_BUFFER, STAGE_BASE, STAGE_FIRST, N_STAGE_PARAMETERS };
const char *mst_stage_parameter(const mst_stage *s, int port, int which);

// Along an axis before the last, positions from here on (0: no limit) hold nothing; only those that are kept are stored.
size_t mst_stage_load_limit(const mst_stage *s, int port);
bool mst_stage_store_limited(const mst_stage *s);
mst_view mst_stage_view(const mst_stage *s, int array, bool own);

// ---- stage_values.c and stage_cpu.c

// For each port NAME_at(line, first) and NAME_begin(line), and NAME_load or NAME_store; for the caller's arrays NAME_fetch or
// NAME_put, too. `own`: bits of ports whose arrays have the caller's layout.
void mst_stage_write_ports(const mst_stage *s, unsigned own, mst_text *out);

void mst_stage_write_cpu(const mst_stage *s, unsigned own, const mst_signature *signature, mst_text *out);

// ---- Tiles of CPU-shaped kernels: stage_tile.c, stage_rows.c, stage_columns.c

// NAME_tile(v, array, ...), which loads a tile, or for the target stores it: of lines that lie apart (stage_rows.c), and of lines
// side by side (stage_columns.c). They have the parameters, and are called with the arguments, that these write.
void mst_stage_tile_write_rows(const mst_stage *s, int port, bool own, mst_text *out);
void mst_stage_tile_write_columns(const mst_stage *s, int port, bool own, mst_text *out);
void mst_stage_tile_write_head(const mst_stage *s, int port, mst_text *out);
// The tables that a tile's values are multiplied by, as parameters or as arguments, each after a comma.
void mst_stage_tile_write_tables(const mst_stage *s, int port, bool declared, mst_text *out);

// The type of a port's numbers in memory, and whether two make an element; whether elements follow one another there, in order.
const char *mst_stage_tile_memory_type(const mst_stage *s, int port, bool *pairs);
bool mst_stage_tile_is_contiguous(const mst_stage *s, int port, bool own);

// The element of v for number k of memory: a forward transform leaves its results in place(k).
const char *mst_stage_tile_index(const mst_stage *s, int port);
// re + i im times wr + i wi, or its conjugate.
void mst_stage_tile_write_product(bool conjugate, mst_text *out);

#endif
