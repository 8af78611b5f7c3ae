// Images in files: which format a file has, reading it, and writing one that appears when it is whole.
#include "core/cli.h"
#include "core/file.h"
#include "core/standard.h"
#include "format.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_image_codec *const codecs[] = {
    [CLI_PNM] = &cli_pnm,   [CLI_PNG] = &cli_png, [CLI_TIFF] = &cli_tiff, [CLI_NPY] = &cli_npy,
#ifdef CLI_HAS_JPEG
    [CLI_JPEG] = &cli_jpeg,
#endif
};
enum { N_FORMATS = CLI_COUNT(codecs) }; // with CLI_NO_IMAGE

cli_image_format cli_image_format_of(const char *path) {
    for (int f = CLI_PNM; f < N_FORMATS; f++)
        for (const char *const *extension = codecs[f]->extensions; *extension; extension++)
            if (cli_has_extension(path, *extension))
                return (cli_image_format)f;
    return CLI_NO_IMAGE;
}

const char *cli_image_extension(cli_image_format format) { return codecs[format]->extensions[0]; }

static cli_image_format format_by_magic(FILE *file) {
    unsigned char magic[8] = {0};
    if (fread(magic, 1, sizeof magic, file) == 0) // a shorter file than a name of a format ends with zeros
        return CLI_NO_IMAGE;
    for (int f = CLI_PNM; f < N_FORMATS; f++)
        if (codecs[f]->begins && codecs[f]->begins(magic))
            return (cli_image_format)f;
    return CLI_NO_IMAGE;
}

cli_image_format cli_image_format_in(const char *path) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    cli_image_format format = file ? format_by_magic(file) : CLI_NO_IMAGE;
    if (file)
        fclose(file);
    else if (descriptor >= 0)
        close(descriptor);
    return format;
}

static int open_file(cli_image_file *f) {
    struct stat info;
    int file = cli_open_input(f->command, f->path, &info);
    if (file < 0)
        return CLI_INPUT_OUTPUT;
    f->bytes = (uint64_t)info.st_size;
    if (S_ISREG(info.st_mode) && (f->file = fdopen(file, "rb")))
        return CLI_DONE;
    close(file);
    return cli_image_damaged(f, S_ISDIR(info.st_mode) ? "is a directory; give an image" : "is not a file that can be read");
}

// Numbers as text are a few times as long as the pixels that they become; what is before them is seldom longer than that, too.
static int open_standard(cli_image_file *f) {
    uint64_t most = f->max_bytes < INT64_MAX / 16 ? 8 * f->max_bytes + ((uint64_t)1 << 20) : INT64_MAX;
    int code = cli_standard_input(f->command, most, &f->file);
    struct stat info;
    if (code == CLI_DONE && fstat(fileno(f->file), &info) == 0)
        f->bytes = (uint64_t)info.st_size;
    return code;
}

// Keeps a part of what was read whole.
static int keep_part(const cli_image_file *f, cli_image_chooser *choose, cli_image *image) {
    const cli_image all = *image;
    const int code = choose(f->user, image);
    const size_t bytes = image->width * image->channels * mst_type_bytes(image->type);
    for (size_t p = 0; p < image->part.pages && code == CLI_DONE; p++)
        for (size_t y = 0; y < image->part.rows; y++)
            memmove(cli_image_row(image, image->part.first_page + p, image->part.first_row + y),
                    cli_image_row(&all, image->part.first_page + p, image->part.first_row + y), bytes);
    return code;
}

static int read_by_content(cli_image_file *f, cli_image *image) {
    cli_image_chooser *const choose = f->choose;
    image->format = format_by_magic(f->file);
    rewind(f->file);
    if (image->format != CLI_NO_IMAGE) {
        const cli_image_codec *codec = codecs[image->format];
        int code = cli_library_open(f->command, f->path, codec->needs);
        f->choose = codec->by_parts ? choose : NULL;
        if (code == CLI_DONE)
            code = codec->read(f, image);
        return code == CLI_DONE && choose && !codec->by_parts ? keep_part(f, choose, image) : code;
    }
    return cli_image_damaged(
        f, "is neither PNM (P2, P3, P5, P6) nor PNG, TIFF, JPEG or .npy; convert it, by 'magick IN OUT.png', say");
}

int cli_image_read(const char *command, const char *path, uint64_t max_bytes, cli_image *image) {
    return cli_image_read_part(command, path, max_bytes, NULL, NULL, image);
}

int cli_image_read_part(const char *command, const char *path, uint64_t max_bytes, cli_image_chooser *choose, void *user,
                        cli_image *image) {
    cli_image_file f = {.command = command, .path = cli_input_name(path), .max_bytes = max_bytes, .choose = choose, .user = user};
    int code = cli_is_standard(path) ? open_standard(&f) : open_file(&f);
    if (code == CLI_DONE)
        code = read_by_content(&f, image);
    if (f.file)
        fclose(f.file);
    return code;
}

int cli_image_check(const char *command, const char *path, cli_image_format format, const cli_image *image) {
    const char *cannot = codecs[format]->cannot_hold ? codecs[format]->cannot_hold(image) : NULL;
    if (image->type == MST_FLOAT64 && format != CLI_NPY && format != CLI_TIFF)
        cannot = "the result is float64; write .tif or .npy";
    if (!cannot && image->pages > 1 && !codecs[format]->several_pages)
        cannot = "the result has several pages; write .tif or .npy";
    if (!cannot && !image->alpha && image->channels != 1 && image->channels != 3 && !codecs[format]->any_channels)
        cannot = "the result has other channels than grey or RGB and opacity; write .png or .npy";
    if (!cannot)
        return cli_library_open(command, path, codecs[format]->needs);
    cli_error(command, "%s: %s", path, cannot);
    return CLI_INPUT_OUTPUT;
}

// Scales values so that white is the largest value of the type, as PNG and TIFF take for granted.
static void scale_to_full(cli_image *image) {
    double full = image->type == MST_UINT8 ? 255 : 65535;
    if (cli_image_is_real(image) || image->white == full)
        return;
    size_t count = cli_image_values(image);
    for (size_t i = 0; i < count; i++) {
        if (image->type == MST_UINT8)
            ((uint8_t *)image->pixels)[i] = (uint8_t)rint(((uint8_t *)image->pixels)[i] * (full / image->white));
        else
            ((uint16_t *)image->pixels)[i] = (uint16_t)rint(((uint16_t *)image->pixels)[i] * (full / image->white));
    }
    image->white = full;
}

int cli_image_write(const char *command, const cli_place *place, const char *path, cli_image_format format, bool force,
                    cli_image *image) {
    cli_whole_file w = {0};
    int code = cli_image_check(command, path, format, image);
    if (code == CLI_DONE)
        code = cli_is_standard(path) ? cli_whole_open_standard(command, &w) : cli_whole_open(command, place, path, force, &w);
    if (code == CLI_DONE && codecs[format]->full_range)
        scale_to_full(image);
    cli_metadata_write_orientation(&image->metadata);
    if (code == CLI_DONE)
        code = codecs[format]->write(&w, image);
    if (code == CLI_DONE)
        code = cli_whole_commit(&w, false);
    cli_whole_close(&w);
    return code;
}
