// Pictures that gnuplot draws through a pipe, as SVG and as PNG.
#ifndef MASTABA_CLI_PLOT_H
#define MASTABA_CLI_PLOT_H

#include "core/cli.h"
#include "core/whole_file.h"

typedef struct cli_plot {
    const char *name;  // "convolution-speedup": of DIR/NAME.svg and DIR/NAME.png
    int width, height; // of the SVG; the PNG is half as large again
    // Writes what comes before all pictures, data and settings; then what draws one. Commands in gnuplot's language. There are
    // line styles 1 to 8, 9 for a grid, 10 for a reference.
    void (*write_data)(FILE *gnuplot, const void *user);
    void (*write_picture)(FILE *gnuplot, const void *user);
    const void *user;
} cli_plot;

// The files of a plot's pictures. Begins as zeros.
enum { CLI_N_PICTURES = 2 };
typedef struct cli_pictures {
    char *paths[CLI_N_PICTURES];
    cli_whole_file files[CLI_N_PICTURES];
} cli_pictures;

// Opens, before anything is measured, the files for pictures in a directory, which is made if need be; then draws them and puts
// them in place. Both return an exit code after printing the error; cli_plot_close follows in any case.
int cli_plot_open(const char *command, const char *directory, const cli_plot *plot, bool overwrite, cli_pictures *pictures);
int cli_plot_draw(const char *command, cli_pictures *pictures, const cli_plot *plot);
void cli_plot_close(cli_pictures *pictures);

// Opens a file in the directory of --plot, which is made if need be. Returns an exit code after printing the error;
// cli_whole_close follows in any case.
int cli_plot_file(const char *command, const char *directory, const char *path, bool overwrite, cli_whole_file *file);

bool cli_plot_available(void); // whether gnuplot can be run

// Writes the SVG to a page in HTML as an element, whose ids no other picture's collide with. The picture is drawn in the page's
// place. False if gnuplot failed; nothing was written then.
bool cli_plot_embed(const cli_plot *plot, const cli_whole_file *page);

// A logarithmic y axis of whole powers of ten, for all panels of a picture: at least low to high, and every value above 0 of n.
void cli_plot_decades(FILE *gnuplot, double low, double high, const double *values, size_t n);

// As much of a device's long name as fits a panel.
enum { CLI_PLOT_NAME = 48 };
void cli_plot_name(const char *name, char out[CLI_PLOT_NAME]);

// A string for gnuplot, in single quotes, between two pieces of a command; ends the line.
void cli_plot_string(FILE *gnuplot, const char *before, const char *value, const char *after);

#endif
