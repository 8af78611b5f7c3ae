// Pixels as numbers of which sums mean something: in linear light, and weighed by their opacity.
#ifndef MASTABA_CLI_TONE_H
#define MASTABA_CLI_TONE_H

#include "curve.h"

typedef struct cli_tone {
    bool weigh, linear;
    double white; // of the image
    cli_curve curves[CLI_MOST_COLOURS];
} cli_tone;

// What cli_tone_begin makes of an image, without its pixels.
cli_image cli_tone_kind(const cli_tone *tone, const cli_image *image);

// Makes of an image, or of what was read of it, the float32 image that is to be filtered, whose white is 1: in linear light if
// tone->linear, each colour times the opacity, which is then a channel like the others, if tone->weigh. Returns an exit code
// after printing the error. cli_image_free(light) and cli_tone_free follow in any case.
int cli_tone_begin(const char *command, const char *path, const cli_image *image, cli_tone *tone, cli_image *light);

// Makes of what was filtered, float32 in result->pixels, pixels of result's type in the same place, which are limited to 0 ..
// white if they are integers. `raw`: they stay light and float32, in units in which the image's white is.
void cli_tone_end(const cli_tone *tone, bool raw, cli_image *result);
void cli_tone_free(cli_tone *tone);

#endif
