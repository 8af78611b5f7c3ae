// What the formats share: telling them apart, limits, and files that appear when whole.
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_SIDE ((size_t)1 << 23)

static const struct {
    const char *extension;
    cli_image_format format;
} extensions[] = {{".pgm", CLI_PNM},  {".ppm", CLI_PNM},   {".pnm", CLI_PNM}, {".png", CLI_PNG},
                  {".tif", CLI_TIFF}, {".tiff", CLI_TIFF}, {".npy", CLI_NPY}};

cli_image_format cli_image_format_of(const char *path) {
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++)
        if (cli_has_extension(path, extensions[i].extension))
            return extensions[i].format;
    return CLI_NO_IMAGE;
}

int cli_image_damaged(const cli_image_file *f, const char *what) {
    cli_error(f->command, "%s: %s", f->path, what);
    return CLI_INPUT_OUTPUT;
}

int cli_image_allocate(const cli_image_file *f, cli_image *image) {
    uint64_t bytes = image->width, parts[] = {image->height, image->channels, mst_type_bytes(image->type)};
    char needed[32], most[32];
    if (image->width == 0 || image->height == 0)
        return cli_image_damaged(f, "has no pixels");
    bool overflow = image->width > MOST_SIDE || image->height > MOST_SIDE;
    for (int i = 0; i < 3 && !overflow; i++)
        overflow = __builtin_mul_overflow(bytes, parts[i], &bytes);
    if (overflow || bytes > f->max_bytes) {
        cli_error(f->command, "%s: claims %zu x %zu pixels, %s; the most is %s (--max-image) and 2^23 a side", f->path,
                  image->width, image->height, overflow ? "too many to count" : cli_size_text(bytes, needed),
                  cli_size_text(f->max_bytes, most));
        return CLI_INPUT_OUTPUT;
    }
    image->pixels = malloc((size_t)bytes);
    if (image->pixels)
        return CLI_DONE;
    cli_error(f->command, "%s: out of memory for %s of pixels", f->path, cli_size_text(bytes, needed));
    return CLI_FAILED;
}

static int open_file(cli_image_file *f) {
    struct stat info;
    int file = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); // a pipe without a writer must not hang us
    if (file < 0 || fstat(file, &info) != 0) {
        cli_error(f->command, "%s: %s", f->path, strerror(errno));
        if (file >= 0)
            close(file);
        return CLI_INPUT_OUTPUT;
    }
    f->bytes = (uint64_t)info.st_size;
    if (S_ISREG(info.st_mode) && (f->file = fdopen(file, "rb")))
        return CLI_DONE;
    close(file);
    return cli_image_damaged(f, S_ISDIR(info.st_mode) ? "is a directory; give an image" : "is not a file that can be read");
}

static cli_image_format format_by_magic(FILE *file) {
    unsigned char magic[8] = {0};
    size_t got = fread(magic, 1, sizeof magic, file);
    if (got == 8 && memcmp(magic, "\x89PNG\r\n\x1a\n", 8) == 0)
        return CLI_PNG;
    if (memcmp(magic, "II*\0", 4) == 0 || memcmp(magic, "MM\0*", 4) == 0 || memcmp(magic, "II+\0", 4) == 0 ||
        memcmp(magic, "MM\0+", 4) == 0)
        return CLI_TIFF;
    return magic[0] == 'P' && magic[1] >= '1' && magic[1] <= '7' ? CLI_PNM : CLI_NO_IMAGE;
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

static int read_by_content(cli_image_file *f, cli_image *image) {
    image->format = format_by_magic(f->file);
    rewind(f->file);
    switch (image->format) {
    case CLI_PNG:
        return cli_png_read(f, image);
    case CLI_TIFF:
        return cli_tiff_read(f, image);
    case CLI_PNM:
        return cli_pnm_read(f, image);
    case CLI_NPY:
    case CLI_NO_IMAGE:
        break;
    }
    return cli_image_damaged(f, "is neither PNM (P2, P3, P5, P6) nor PNG nor TIFF");
}

int cli_image_read(const char *command, const char *path, uint64_t max_bytes, cli_image *image) {
    cli_image_file f = {.command = command, .path = path, .max_bytes = max_bytes};
    int code = open_file(&f);
    if (code == CLI_DONE)
        code = read_by_content(&f, image);
    if (f.file)
        fclose(f.file);
    return code;
}

void cli_image_free(cli_image *image) {
    free(image->pixels);
    free(image->profile);
    memset(image, 0, sizeof *image);
}

int cli_image_check(const char *command, const char *path, cli_image_format format, const cli_image *image) {
    const char *cannot = NULL;
    if (format == CLI_PNG && image->channels > 4)
        cannot = "PNG holds up to 4 channels";
    else if (format == CLI_PNG && image->alpha && image->opacity == CLI_OPACITY_MULTIPLIED)
        cannot = "PNG has no colours multiplied by the opacity; write .tif";
    else if ((format == CLI_PNM || format == CLI_PNG) && image->type == MST_FLOAT32)
        cannot = "the result is float32; write .tif or .npy";
    else if (format == CLI_PNM && image->alpha)
        cannot = "PNM has no opacity; write .png or .tif";
    if (!cannot)
        return CLI_DONE;
    cli_error(command, "%s: %s", path, cannot);
    return CLI_INPUT_OUTPUT;
}

// To the white that PNG and TIFF take for granted.
static void scale_to_full(cli_image *image) {
    double full = image->type == MST_UINT8 ? 255 : 65535;
    if (image->type == MST_FLOAT32 || image->white == full)
        return;
    size_t count = image->width * image->height * image->channels;
    for (size_t i = 0; i < count; i++) {
        if (image->type == MST_UINT8)
            ((uint8_t *)image->pixels)[i] = (uint8_t)rint(((uint8_t *)image->pixels)[i] * (full / image->white));
        else
            ((uint16_t *)image->pixels)[i] = (uint16_t)rint(((uint16_t *)image->pixels)[i] * (full / image->white));
    }
    image->white = full;
}

static int write_npy(const char *command, const char *path, bool force, const cli_image *image) {
    const size_t shape[] = {image->height, image->width, image->channels};
    mst_layout layout = mst_layout_dense(image->type, image->channels > 1 ? 3 : 2, shape);
    mst_npy *npy = NULL;
    mst_error error;
    int code = CLI_DONE;
    if (mst_npy_create(path, &layout, force, &npy, &error) != MST_OK)
        return cli_fail(command, NULL, &error);
    mst_location at = mst_npy_location(npy);
    uint64_t bytes = cli_layout_bytes(&layout), done = 0;
    while (done < bytes) {
        ssize_t n = pwrite(at.file, (const char *)image->pixels + done, bytes - done, (off_t)(at.offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            cli_error(command, "%s: cannot be written: %s", path, strerror(n < 0 ? errno : EIO));
            code = CLI_INPUT_OUTPUT;
            break;
        }
        done += (uint64_t)n;
    }
    if (code == CLI_DONE && mst_npy_commit(npy, &error) != MST_OK)
        code = cli_fail(command, NULL, &error);
    mst_npy_close(npy);
    return code;
}

int cli_image_write(const char *command, const char *path, cli_image_format format, bool force, cli_image *image) {
    cli_whole_file w = {0};
    int code = cli_image_check(command, path, format, image);
    if (code != CLI_DONE || format == CLI_NPY)
        return code == CLI_DONE ? write_npy(command, path, force, image) : code;
    code = cli_whole_open(command, path, force, &w);
    if (code == CLI_DONE && format != CLI_PNM)
        scale_to_full(image);
    if (code == CLI_DONE)
        code = format == CLI_PNG    ? cli_png_write(&w, image)
               : format == CLI_TIFF ? cli_tiff_write(&w, image)
                                    : cli_pnm_write(&w, image);
    if (code == CLI_DONE)
        code = cli_whole_commit(&w, false);
    cli_whole_close(&w);
    return code;
}
