// How numbers in an image's file stand for light: sRGB's curve, a power, or the curves of a colour profile.
#ifndef MASTABA_CLI_CURVE_H
#define MASTABA_CLI_CURVE_H

#include "image.h"

// Light from 0 to 1 at 65536 values from 0 to 1, which include those of pixels of 8 and of 16 bits.
typedef struct cli_curve {
    float *light; // malloc'ed
} cli_curve;

enum { CLI_MOST_COLOURS = 4 };

// The curves of an image's colours, from its profile, PNG's gamma, or sRGB's (IEC 61966-2-1) where it says nothing;
// floating-point pixels without a profile are light already. A profile without curves is an error. Returns an exit code after
// printing the error; cli_curves_free follows in any case, on curves that began as zeros.
int cli_curves_of(const char *command, const char *path, const cli_image *image, cli_curve curves[CLI_MOST_COLOURS]);
void cli_curves_free(cli_curve curves[CLI_MOST_COLOURS]);

// Light of a value, and the value of a light. Beyond 0 and 1 a curve goes on straight with its mean slope, 1.
double cli_curve_light(const cli_curve *curve, double value);
double cli_curve_value(const cli_curve *curve, double light);

#endif
