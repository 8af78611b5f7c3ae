// Images in files: PNM (P2, P3, P5, P6), PNG, TIFF and JPEG, read and written whole.
#ifndef MASTABA_CLI_IMAGE_H
#define MASTABA_CLI_IMAGE_H

#include "core/whole_file.h"
#include "metadata.h"

typedef enum cli_image_format {
    CLI_NO_IMAGE = 0,
    CLI_PNM = 1,
    CLI_PNG = 2,
    CLI_TIFF = 3,
    CLI_NPY = 4,
    CLI_JPEG = 5
} cli_image_format;

enum { CLI_OPACITY_MULTIPLIED = 1, CLI_OPACITY_APART = 2 };

// Rows of some pages: all, or those that a process reads of an image that several work at.
typedef struct cli_image_part {
    size_t first_page, pages, first_row, rows;
} cli_image_part;

typedef struct cli_image {
    cli_image_format format; // it was read from
    size_t width, height, channels;
    bool alpha;    // the last channel is opacity
    mst_type type; // uint8, uint16, float32, or from and to .npy files float64
    double white;  // the largest value; floating-point numbers: 1
    size_t pages;  // of one kind; the formats' readers set it, and cli_image_allocate to 1 if they do not
    void *pixels;  // [pages][height][width][channels], or of a part that was read
    cli_image_part part;
    uint64_t mapped; // bytes of pixels in a scratch file; 0: malloc'ed
    // What is carried to the output:
    bool plain;        // PNM: numbers as text
    bool channel_axis; // .npy
    bool compressed;   // TIFF
    unsigned opacity;  // the kind, by TIFF's number: the colours are multiplied by it, or not; 0: not said
    int quality;       // JPEG: 1 .. 100; 0: not said
    cli_metadata metadata;
    cli_metadata *later; // of the pages behind the first, malloc'ed; NULL: all pages have the first one's
} cli_image;

// The format that a path's extension means.
cli_image_format cli_image_format_of(const char *path);

// The extension that images of a format get: ".png".
const char *cli_image_extension(cli_image_format format);

// The format of what a file holds; CLI_NO_IMAGE too if it cannot be read.
cli_image_format cli_image_format_in(const char *path);

// Reads an image, told by what the file holds; the path "-" is standard input. A file that claims more than max_bytes of pixels,
// or holds less than it claims, is an error, found before memory is taken where possible. Returns an exit code; with
// CLI_INTERRUPTED it prints no message, since several images may be in work. cli_image_free follows in any case, on an image that
// began as zeros.
int cli_image_read(const char *command, const char *path, uint64_t max_bytes, cli_image *image);
void cli_image_free(cli_image *image);

// The same for a part, image->part, which `choose` sets when it knows what kind of image there is; an exit code of its own ends
// the reading. Of .npy, PNM of bytes and TIFF files only the part is read, or the strips or tiles that it lies in.
typedef int cli_image_chooser(void *user, cli_image *image);
int cli_image_read_part(const char *command, const char *path, uint64_t max_bytes, cli_image_chooser *choose, void *user,
                        cli_image *image);

// What was read as an image of its own, which borrows all from the other and is not freed.
cli_image cli_image_own(const cli_image *image);

// Says whether a format can hold images of such a kind, and its library is there, before any work; prints what is missing.
// Returns an exit code.
int cli_image_check(const char *command, const char *path, cli_image_format format, const cli_image *image);

// Whether values are floating-point numbers.
static inline bool cli_image_is_real(const cli_image *image) { return image->type == MST_FLOAT32 || image->type == MST_FLOAT64; }

// Takes memory for pixels: RAM, or, of large images with MASTABA_SCRATCH, the name of a directory, a file there without a name,
// which is mapped. Says of the image at `path` what is missing: CLI_FAILED for RAM, CLI_INPUT_OUTPUT for room in the directory.
// Free takes none, too.
int cli_pixels_take(const char *command, const char *path, uint64_t bytes, cli_image *image);
void cli_pixels_free(cli_image *image);

// Values of all pages.
size_t cli_image_values(const cli_image *image);

// [height][width][channels], with several pages before them.
mst_layout cli_image_layout(const cli_image *image);
mst_layout cli_npy_layout(const cli_image *image); // as .npy, where a single channel has no axis unless the input has it

// Writes an image to a file in a place (cli_whole_open), where it appears when it is whole, or for the path "-" to standard
// output. The image's values are scaled to 255 or 65535 where the format knows no other white. Returns an exit code.
int cli_image_write(const char *command, const cli_place *place, const char *path, cli_image_format format, bool force,
                    cli_image *image);

#endif
