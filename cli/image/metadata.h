// What is in an image's file beside its pixels, carried from the input to the output as far as the output's format can hold it.
#ifndef MASTABA_CLI_METADATA_H
#define MASTABA_CLI_METADATA_H

#include <stdbool.h>
#include <stddef.h>

#define CLI_INCHES_A_METRE 39.37007874

typedef enum cli_block_kind {
    CLI_PROFILE,   // ICC
    CLI_EXIF,      // from its byte order on
    CLI_XMP,       // a packet
    CLI_PHOTOSHOP, // image resources, which have IPTC's records in JPEG files
    CLI_IPTC,      // records as TIFF files have them
    CLI_N_BLOCKS
} cli_block_kind;

typedef struct cli_block {
    unsigned char *bytes; // malloc'ed; NULL: none
    size_t size;
} cli_block;

// A remark with a name, in UTF-8.
typedef struct cli_remark {
    char *key, *value;            // malloc'ed
    char *language, *translation; // of PNG's international text; malloc'ed, NULL: not given
} cli_remark;

// What the numbers mean, as PNG says it; 0: not given.
typedef struct cli_colours {
    bool srgb;
    int intent;
    double gamma;
    double chromaticities[8]; // of white, red, green, blue
} cli_colours;

typedef struct cli_metadata {
    cli_block blocks[CLI_N_BLOCKS];
    cli_remark *remarks;
    size_t n_remarks;
    cli_colours colours;
    double across, down;  // pixels per metre; 0: not given
    unsigned orientation; // TIFF's; 0: not given
} cli_metadata;

void cli_metadata_free(cli_metadata *m);

// Adds bytes behind those that a block has; what there is no memory for is left out, here and below.
void cli_metadata_add(cli_metadata *m, cli_block_kind kind, const void *bytes, size_t size);

// Adds a remark; `latin`: key and value are Latin-1. At most `length` characters of the value. `language` and `translation` may
// be NULL.
void cli_metadata_remark(cli_metadata *m, bool latin, const char *key, const char *value, size_t length, const char *language,
                         const char *translation);

// The value of the first remark of a name; NULL: there is none.
const char *cli_metadata_find(const cli_metadata *m, const char *key);

// UTF-8 as Latin-1, malloc'ed; NULL where it has other letters, is no UTF-8, or there is no memory.
char *cli_latin_of(const char *text);

// Orientation is in EXIF, or a field of its own. cli_metadata_read_orientation takes it from the one to the other;
// cli_metadata_write_orientation makes a minimal EXIF where there is none and the orientation is not the usual one.
void cli_metadata_read_orientation(cli_metadata *m);
void cli_metadata_write_orientation(cli_metadata *m);

#endif
