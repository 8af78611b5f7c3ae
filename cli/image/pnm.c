// PNM: P2 and P3 (text), P5 and P6 (binary, most significant byte first).
#include "core/file.h"
#include "core/report.h"
#include "format.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

// Skips blanks and comments and reads a number of digits; -1 if there is none below 2^31.
static long read_number(FILE *file) {
    int c = getc(file);
    long number = -1;
    while (isspace(c) || c == '#') {
        if (c == '#') // a comment, to the end of its line
            do
                c = getc(file);
            while (c != '\n' && c != EOF);
        c = getc(file);
    }
    for (; isdigit(c); c = getc(file)) {
        number = (number < 0 ? 0 : number) * 10 + (c - '0');
        if (number > INT32_MAX)
            return -1;
    }
    ungetc(c, file);
    return number;
}

static int read_header(const cli_image_file *f, cli_image *image) {
    int kind = getc(f->file) == 'P' ? getc(f->file) : 0;
    if (kind != '2' && kind != '3' && kind != '5' && kind != '6')
        return cli_image_damaged(f, "is a PNM file of another kind than P2, P3, P5 and P6");
    long width = read_number(f->file), height = read_number(f->file), white = read_number(f->file);
    if (width < 1 || height < 1 || white < 1 || white > 65535)
        return cli_image_damaged(f, "its header is damaged: width and height above 0, and a white of 1 to 65535, are needed");
    if (!isspace(getc(f->file)))
        return cli_image_damaged(f, "its header does not end in a blank");
    image->plain = kind == '2' || kind == '3';
    image->width = (size_t)width;
    image->height = (size_t)height;
    image->channels = kind == '3' || kind == '6' ? 3 : 1;
    image->white = (double)white;
    image->type = white < 256 ? MST_UINT8 : MST_UINT16;
    return CLI_DONE;
}

static int read_values(const cli_image_file *f, cli_image *image, size_t count, void *to) {
    for (size_t i = 0; i < count; i++) {
        long value;
        if (image->plain) {
            value = read_number(f->file);
        } else {
            value = getc_unlocked(f->file);
            if (image->type == MST_UINT16 && value != EOF) {
                int low = getc_unlocked(f->file);
                value = low == EOF ? -1 : value * 256 + low;
            }
        }
        if (value < 0)
            return cli_image_damaged(f, "ends before its pixels do, or they are no numbers");
        if ((double)value > image->white)
            return cli_image_damaged(f, "has a pixel above the white that its header gives");
        if (image->type == MST_UINT8)
            ((uint8_t *)to)[i] = (uint8_t)value;
        else
            ((uint16_t *)to)[i] = (uint16_t)value;
    }
    return CLI_DONE;
}

// The part's rows, of a file that need not be read up to where they are; `here` is where the pixels begin.
static int read_binary(const cli_image_file *f, cli_image *image, off_t here) {
    const size_t row = image->width * image->channels;
    const off_t bytes = (off_t)(row * mst_type_bytes(image->type));
    if (fseeko(f->file, here + (off_t)image->part.first_row * bytes, SEEK_SET) != 0)
        return cli_fail_file(f->command, f->path, "cannot be read");
    const int code = read_values(f, image, image->part.rows * row, image->pixels);
    return code == CLI_DONE && fseeko(f->file, here + (off_t)image->height * bytes, SEEK_SET) != 0
               ? cli_fail_file(f->command, f->path, "cannot be read")
               : code;
}

// Numbers as text have no known places, and those of other rows are read, too.
static int read_plain(const cli_image_file *f, cli_image *image) {
    const size_t row = image->width * image->channels;
    void *others = malloc(row * mst_type_bytes(image->type));
    int code = others ? CLI_DONE : cli_out_of_memory(f->command, f->path);
    for (size_t y = 0; y < image->height && code == CLI_DONE; y++) {
        void *own = cli_image_row(image, 0, y);
        code = read_values(f, image, row, own ? own : others);
    }
    free(others);
    return code;
}

// A PNM file may hold several pictures, one behind the other.
static int read_end(const cli_image_file *f) {
    int c;
    do
        c = getc(f->file);
    while (isspace(c));
    return c == EOF ? CLI_DONE : cli_image_damaged(f, "has more behind its pixels; if these are several pictures, part them");
}

static int read_pnm(const cli_image_file *f, cli_image *image) {
    int code = read_header(f, image);
    if (code != CLI_DONE)
        return code;
    // The length of the file limits what its header can claim: each value takes at least a digit and a blank as text.
    const off_t here = ftello(f->file);
    uint64_t left = here < 0 || (uint64_t)here > f->bytes ? 0 : f->bytes - (uint64_t)here, values;
    uint64_t each = image->plain ? 2 : mst_type_bytes(image->type);
    if (__builtin_mul_overflow((uint64_t)image->width * image->height, image->channels, &values) ||
        (left + (image->plain ? 1 : 0)) / each < values)
        return cli_image_damaged(f, "is shorter than its header says");
    code = cli_image_allocate(f, image);
    if (code == CLI_DONE)
        code = image->plain ? read_plain(f, image) : read_binary(f, image, here);
    return code == CLI_DONE ? read_end(f) : code;
}

static void write_text(FILE *file, const cli_image *image) {
    size_t row = image->width * image->channels;
    for (size_t i = 0; i < row * image->height; i++) {
        unsigned value = image->type == MST_UINT8 ? ((uint8_t *)image->pixels)[i] : ((uint16_t *)image->pixels)[i];
        fprintf(file, "%u%c", value, i % row % 12 == 11 || i % row == row - 1 ? '\n' : ' '); // lines below 70 letters
    }
}

static void write_binary(FILE *file, const cli_image *image) {
    size_t count = image->width * image->height * image->channels;
    if (image->type == MST_UINT8)
        fwrite(image->pixels, 1, count, file);
    for (size_t i = 0; i < count && image->type == MST_UINT16; i++) {
        unsigned value = ((uint16_t *)image->pixels)[i];
        putc_unlocked((int)(value >> 8), file);
        putc_unlocked((int)(value & 255), file);
    }
}

static int write_pnm(const cli_whole_file *w, const cli_image *image) {
    int kind = (image->channels == 3 ? 3 : 2) + (image->plain ? 0 : 3);
    errno = 0;
    fprintf(w->file, "P%d\n%zu %zu\n%.0f\n", kind, image->width, image->height, image->white);
    if (image->plain)
        write_text(w->file, image);
    else
        write_binary(w->file, image);
    return fflush(w->file) == 0 && !ferror(w->file) ? CLI_DONE : cli_whole_failed(w, errno ? errno : EIO);
}

static bool begins_pnm(const unsigned char magic[8]) { return magic[0] == 'P' && magic[1] >= '1' && magic[1] <= '7'; }

static const char *cannot_hold(const cli_image *image) {
    if (image->type == MST_FLOAT32)
        return "the result is float32; write .tif or .npy";
    return image->alpha ? "PNM has no opacity; write .png or .tif" : NULL;
}

const cli_image_codec cli_pnm = {
    .extensions = {".pnm", ".pgm", ".ppm"},
    .begins = begins_pnm,
    .read = read_pnm,
    .by_parts = true,
    .cannot_hold = cannot_hold,
    .write = write_pnm,
};
