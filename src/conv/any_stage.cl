// A stage of a fused convolution as the kernel for any sizes reads it: in OpenCL C, where `cell` is long, and in C
// (any.h), where it is cl_long. stage_values.c has what the numbers mean.
enum { STAGE_DIMS = 11 }; // of vectors

enum { STAGE_FORWARD, STAGE_FUSED, STAGE_BACKWARD };

// An array of the caller's, or work memory: pairs of the numbers that the kernel computes with.
typedef struct stage_port {
    cell work;
    cell type,
        parts;     // of the caller's numbers: an mst_type, 0: those that the kernel computes with; numbers an element
    cell spectrum; // its elements lie in the order of results, which the steps leave in `places`
    cell divide, modulo; // vector v of the stage is vector v / divide, modulo this (0: as it is), of the array
    cell n_dims, counts[STAGE_DIMS], outer[STAGE_DIMS]; // vectors of the caller's (mst_view)
    cell blocks, block_step, block_offset;              // overlap-save: vector v begins at v % blocks step + offset
    cell axis_stride, contiguous;                       // contiguous: elements follow one another, in order
    cell extent;                                        // positions in [0, extent) are there
    cell length, periodic, reversal;                    // along the axis, and along the axis of rows
    cell row_stride, row_length, row_periodic, row_reversal, first_row;
    cell plane_stride, plane_length, plane_periodic, plane_reversal, first_plane; // of volumes
    cell next, every; // from a line to the next one, whose number is no multiple of `every`
    cell limit;       // of work memory: positions from here on hold nothing,
    cell from, end;   // and those outside are not stored
    cell start, kept; // of the caller's result: what is kept
} stage_port;

typedef struct stage {
    cell kind;
    any_steps steps;
    cell points, lines, row_lines, row_points, before, span, inner, column, rest; // stage_text.c
    cell rows, plane_rows; // of volumes, else 0: a plane's rows that are there, and all of work memory
    cell angle;            // of the right angle: values p and p + angle are one number; or 0
    cell twiddled, lanes_differ, low_mask, low_shift; // twiddles between digits
    stage_port ports[6];                              // of FROM, WITH, TO: packed, and as the caller says
} stage;

// What a launch is told beside its buffers: one argument, since drivers copy each of them anew.
typedef struct stage_call {
    cell own;               // bits of arrays that lie as the caller says
    cell base[3], first[3]; // of FROM, WITH, TO: the array, and the first line in it
    cell n_lines, tiles;    // tiles of a work-item
} stage_call;
