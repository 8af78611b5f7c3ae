// EXIF in TIFF files: directories of fields, of which the page's own has the places. A block of EXIF, as JPEG and PNG hold it, is
// a TIFF file of such directories that has no pixels.
#ifndef MASTABA_CLI_TIFF_EXIF_H
#define MASTABA_CLI_TIFF_EXIF_H

#include "metadata.h"

#include <tiffio.h>

// Makes the block of the page's texts and of its directories of EXIF and of positions (GPS), if there are any.
void cli_tiff_keep_exif(TIFF *tiff, cli_metadata *m);

// Writes the block's directories of EXIF and of positions behind what the file has so far, and sets the page's fields that say
// where. False where they cannot be written.
bool cli_tiff_set_exif(TIFF *tiff, const cli_metadata *m);

// The text of a tag that the block has, malloc'ed; NULL: none.
char *cli_exif_text(const cli_block *exif, uint32_t tag);

#endif
