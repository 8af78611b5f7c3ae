#ifndef FUZZ_IMAGE_H
#define FUZZ_IMAGE_H

#include "fuzz.h"
#include "image/format.h"

// Reads the bytes as an image; one that is accepted is written in the same format and read again, and must be the same.
void fuzz_image(const cli_image_codec *codec, const uint8_t *data, size_t size);

#endif
