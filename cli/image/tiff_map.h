// Pixels of a TIFF file that are numbers of colours: palettes, and grey of 1, 2 and 4 bits.
#ifndef MASTABA_CLI_TIFF_MAP_H
#define MASTABA_CLI_TIFF_MAP_H

#include "image.h"

#include <tiffio.h>

typedef struct cli_tiff_map {
    unsigned bits; // of a pixel in the file, 1 to 8; 0: pixels are no numbers of colours
    uint16_t colours[256][3];
} cli_tiff_map;

// Whether pixels are such numbers; if so sets the image's channels and type, which those of the colours are: 8 bits where they
// say it all.
bool cli_tiff_map_read(TIFF *tiff, cli_image *image, cli_tiff_map *map);

// Makes colours of a row of numbers; `columns` of them, from where `from` begins.
void cli_tiff_map_row(const cli_tiff_map *map, const cli_image *image, const void *from, size_t columns, void *to);

#endif
