// Where kernels that go over the signal once, direct sums and overlapping tiles, find lines (images) of operands and result.
#ifndef MST_CONV_PORTS_H
#define MST_CONV_PORTS_H

#include "plan.h"

typedef struct mst_port_lines {
    cl_mem packed, gaps; // tables of mst_lines_create; the second only where there are gaps
    bool has_gaps;
    cl_long row, column, packed_row, packed_column; // strides
} mst_port_lines;

typedef struct mst_ports {
    const mst_convolution *plan;
    size_t lines_an_item; // of a stream
    mst_port_lines arrays[N_ARRAYS];
} mst_ports;

// What a kernel gets of an array: `at` are the base, the first line, and the strides of rows and columns.
typedef struct mst_port_place {
    cl_mem buffer, lines;
    cl_long4 at;
} mst_port_place;

void mst_ports_plan(const mst_convolution *plan, mst_ports *ports);
mst_stream_desc mst_ports_stream(const mst_ports *ports);        // without work memory, functions and user
mst_status mst_ports_create(mst_ports *ports, mst_error *error); // makes the tables, after the stream
void mst_ports_release(mst_ports *ports);                        // also half-built
mst_port_place mst_port_place_of(const mst_ports *ports, const mst_block *block, int array);

#endif
