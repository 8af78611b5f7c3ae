// Pictures that gnuplot draws through a pipe, as SVG and as PNG.
#ifndef MASTABA_CLI_PLOT_H
#define MASTABA_CLI_PLOT_H

#include "cli.h"

typedef struct cli_plot {
    const char *command, *directory; // made if need be
    const char *name;                // "convolution-speedup": of DIR/NAME.svg and DIR/NAME.png
    int width, height;               // of the SVG; the PNG is half as large again
    // Writes what comes before all pictures, data and settings; then what draws one. Commands in gnuplot's language. There are
    // line styles 1 to 5, 9 for a grid, 10 for a reference.
    void (*write_data)(FILE *gnuplot, const void *user);
    void (*write_picture)(FILE *gnuplot, const void *user);
    const void *user;
} cli_plot;

// Says, before anything is measured, what would stand in the way. Both return an exit code after printing the error.
int cli_plot_check(const cli_plot *plot, bool overwrite);
int cli_plot_draw(const cli_plot *plot);

// A string for gnuplot, in single quotes, between two pieces of a command; ends the line.
void cli_plot_string(FILE *gnuplot, const char *before, const char *value, const char *after);

#endif
