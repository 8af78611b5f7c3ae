// Passes over a whole file, in 64 MiB of memory, with a progress bar.
#ifndef MASTABA_CLI_REWRITE_H
#define MASTABA_CLI_REWRITE_H

#include <mastaba/mastaba.h>

typedef struct cli_array {
    const char *command, *path; // for messages
    mst_layout layout;          // dense
    mst_location location;      // a file
} cli_array;

// Copies an array to another of the same type, or from real numbers to float64 or complex; of the same shape, or longer along one
// axis, padded with zeros. Returns an exit code.
int cli_convert(const cli_array *from, const cli_array *to);

// Does NumPy's fftshift in place along each axis k with bit k in `axes`: what was at 0 comes to n / 2. With `back` it is NumPy's
// ifftshift. Returns an exit code.
int cli_shift(const cli_array *array, unsigned axes, bool back);

#endif
