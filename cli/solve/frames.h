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

// Writes dense float32 or float64 values of rank 1 or 2, one pixel each, row 0 on top; NaN is grey. Returns an exit code.
int frame_write_png(const char *command, const char *path, bool force, const mst_layout *layout, const void *values,
                    const frame_style *style);

// ---- frame_vti.c

typedef struct frame_grid {
    mst_layout layout; // of each field: dense, float32 or float64, rank 1 to 3
    double spacing[3], origin[3];
} frame_grid;

// Creates a .vti file for n fields, all but their values: field i belongs at byte *first + i * *step of whole->file. Returns an
// exit code. cli_whole_commit follows when the values are there, cli_whole_close in any case.
int frame_vti_open(const char *command, const char *path, bool force, const frame_grid *grid, const char *const *names, size_t n,
                   cli_whole_file *whole, uint64_t *first, uint64_t *step);

// The files of a series: "PREFIX-00000400.vti". path has room for FRAME_PATH_BYTES; false if the prefix is too long.
enum { FRAME_PATH_BYTES = 4096 };
bool frame_path(const char *prefix, uint64_t step, const char *extension, char *path);

// Writes PREFIX.pvd, replacing an old one: the list of the .vti files at the steps 0, every, ..., last. Returns an exit code.
int frame_write_pvd(const char *command, const char *prefix, uint64_t every, uint64_t last, double time_step);

#endif
