// A format of images as a table of functions, and what the formats share.
#ifndef MASTABA_CLI_FORMAT_H
#define MASTABA_CLI_FORMAT_H

#include "core/library.h"
#include "core/whole_file.h"
#include "image.h"

// A file being read.
typedef struct cli_image_file {
    const char *command, *path;
    FILE *file;
    uint64_t bytes;            // of the file
    uint64_t max_bytes;        // of pixels
    cli_image_chooser *choose; // NULL: all is read
    void *user;                // of it
} cli_image_file;

typedef struct cli_image_codec {
    const char *extensions[4];                        // NULL-ended; the first is the one that outputs get
    bool (*begins)(const unsigned char magic[8]);     // whether a file that begins so is of this format; NULL: none is
    int (*read)(const cli_image_file *, cli_image *); // returns an exit code after printing the error, as write does
    const char *(*cannot_hold)(const cli_image *);    // what of an image the format cannot hold; NULL where it can, or always can
    bool several_pages;                               // in a file
    bool any_channels;                                // up to four, without being told that the last is opacity
    bool full_range;                                  // white is the largest value of the type
    bool lossy;                                       // what is read is not quite what was written
    bool by_parts;                                    // reads image->part, as cli_image_allocate sets it; others read all
    cli_format_library needs;                         // what reading and writing call
    int (*write)(const cli_whole_file *, const cli_image *);
} cli_image_codec;

extern const cli_image_codec cli_pnm, cli_png, cli_tiff, cli_npy, cli_jpeg; // the last where it was built

// Takes memory for the pixels of an image whose sides, channels and type are set, or of the part of it that is chosen then.
// Returns an exit code.
int cli_image_allocate(const cli_image_file *f, cli_image *image);

// Where the pixels of a row are; NULL: in no part that is read.
void *cli_image_row(const cli_image *image, size_t page, size_t row);

// Prints that a file is damaged, or not of a kind that is read. Returns an exit code.
int cli_image_damaged(const cli_image_file *f, const char *what);

#endif
