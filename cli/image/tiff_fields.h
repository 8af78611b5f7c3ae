// Fields of TIFF files that are carried from one to another file: profile, XMP, IPTC, image resources, texts.
#ifndef MASTABA_CLI_TIFF_FIELDS_H
#define MASTABA_CLI_TIFF_FIELDS_H

#include "metadata.h"

#include <tiffio.h>

// Takes what the page has.
void cli_tiff_keep_fields(TIFF *tiff, cli_metadata *m);

// Sets these, the orientation and the resolution of the page; false where libtiff refuses.
bool cli_tiff_set_fields(TIFF *tiff, const cli_metadata *m);

#endif
