// Pictures that gnuplot draws through a pipe, as SVG and as PNG.
#ifndef MASTABA_CLI_PLOT_H
#define MASTABA_CLI_PLOT_H

#include "core/cli.h"

typedef struct cli_plot {
    const char *name;  // "convolution-speedup": of DIR/NAME.svg and DIR/NAME.png
    int width, height; // of the SVG; the PNG is half as large again
    // Writes what comes before all pictures, data and settings; then what draws one. Commands in gnuplot's language. There are
    // line styles 1 to 8, 9 for a grid, 10 for a reference.
    void (*write_data)(FILE *gnuplot, const void *user);
    void (*write_picture)(FILE *gnuplot, const void *user);
    const void *user;
} cli_plot;

// Says, before anything is measured, what would stand in the way of pictures in a directory, which is made if need be; then draws
// them. Both return an exit code after printing the error.
int cli_plot_check(const char *command, const char *directory, const cli_plot *plot, bool overwrite);
int cli_plot_draw(const char *command, const char *directory, const cli_plot *plot);

// Makes a directory for --plot if need be and checks that it can be written to. Returns an exit code after printing the error.
int cli_plot_directory(const char *command, const char *directory);

bool cli_plot_available(void); // whether gnuplot can be run

// Writes the SVG to `out` as an element for a page in HTML, whose ids no other picture's collide with. A temporary file lies in
// the directory meanwhile. False if gnuplot failed; nothing was written then.
bool cli_plot_embed(const cli_plot *plot, const char *directory, FILE *out);

// A logarithmic y axis of whole powers of ten, for all panels of a picture: at least low to high, and every value above 0 of n.
void cli_plot_decades(FILE *gnuplot, double low, double high, const double *values, size_t n);

// As much of a device's long name as fits a panel.
enum { CLI_PLOT_NAME = 48 };
void cli_plot_name(const char *name, char out[CLI_PLOT_NAME]);

// A string for gnuplot, in single quotes, between two pieces of a command; ends the line.
void cli_plot_string(FILE *gnuplot, const char *before, const char *value, const char *after);

#endif
