// Fields on a regular grid as pictures and as files for ParaView.
#ifndef MASTABA_CLI_FRAMES_H
#define MASTABA_CLI_FRAMES_H

#include "array/files.h"

// ---- colors.c

enum { FRAME_N_COLORS = 255 };

// The colours from the least to the greatest value. Diverging ones go from blue through near white to red, for values around 0;
// the others go from violet to yellow and get lighter all the way.
void frame_colors(bool diverging, uint8_t table[FRAME_N_COLORS][3]);

// ---- frame_png.c

typedef struct frame_style {
    bool diverging;
    double range[2]; // the values of the first and last colour; equal: the least and greatest value of the picture
} frame_style;

// Whether a picture can hold rows and columns of such an array, and libpng is there; prints the error. Returns an exit code.
// Before frame_draw_png.
int frame_check_png(const char *command, const char *path, const mst_layout *layout);

// Draws dense float32 or float64 values of rank 1 or 2, one pixel each, row 0 on top; NaN is grey. Returns an exit code.
// cli_whole_commit follows.
int frame_draw_png(const cli_whole_file *whole, const mst_layout *layout, const void *values, const frame_style *style);

// ---- frame_vti.c

typedef struct frame_grid {
    mst_layout layout; // of each field: dense, float32 or float64, rank 1 to 4
    double spacing[4], origin[4];
} frame_grid;

// Makes of an open file a .vti file of n fields of up to three axes, all but their values: field i belongs at byte *first + i *
// *step of it. Returns an exit code. cli_whole_commit follows when the values are there.
int frame_begin_vti(const cli_whole_file *whole, const frame_grid *grid, const char *const *names, size_t n, uint64_t *first,
                    uint64_t *step);

// The files of a series: "PREFIX-00000400.vti". path has room for FRAME_PATH_BYTES; false if the prefix is too long.
enum { FRAME_PATH_BYTES = 4096 };
bool frame_path(const char *prefix, uint64_t step, const char *extension, char *path);

// The list of the .vti files "PREFIX-00000000.vti" and so on, at the steps 0, every, ..., last, for "PREFIX.pvd".
void frame_write_pvd(FILE *file, const char *prefix, uint64_t every, uint64_t last, double time_step);

#endif
