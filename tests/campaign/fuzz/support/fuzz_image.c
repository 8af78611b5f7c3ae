#include "fuzz_image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PIXELS = 1 << 22 }; // bytes

static int read_image(const cli_image_codec *codec, const char *path, cli_image *image) {
    cli_image_file f = {.command = "fuzz", .path = "input", .file = fopen(path, "rb"), .max_bytes = MOST_PIXELS};
    struct stat info;
    FUZZ_CHECK(f.file && fstat(fileno(f.file), &info) == 0);
    f.bytes = (uint64_t)info.st_size;
    FUZZ_CHECK(cli_library_open("fuzz", "an image", codec->needs) == CLI_DONE);
    int code = codec->read(&f, image);
    fclose(f.file);
    return code;
}

static size_t pixel_bytes(const cli_image *image) { return cli_image_values(image) * mst_type_bytes(image->type); }

static void check_image(const cli_image *image) {
    FUZZ_CHECK(image->pixels && image->pages > 0 && image->width > 0 && image->height > 0 && image->channels >= 1 &&
               image->channels <= 4);
    FUZZ_CHECK(image->type == MST_UINT8 || image->type == MST_UINT16 || image->type == MST_FLOAT32);
    FUZZ_CHECK(pixel_bytes(image) <= MOST_PIXELS && image->white >= 1);
    for (int k = 0; k < CLI_N_BLOCKS; k++)
        FUZZ_CHECK(!image->metadata.blocks[k].bytes == !image->metadata.blocks[k].size);
}

// The formats whose white is the largest value of the type scale values that have another one, which is left out here.
static void write_and_read(const cli_image_codec *codec, const cli_image *image) {
    cli_image again = {0};
    char path[40];
    cli_whole_file w = {.command = "fuzz", .path = "copy", .file = fdopen(memfd_create("copy", MFD_CLOEXEC), "w+")};
    FUZZ_CHECK(w.file && codec->write(&w, image) == CLI_DONE);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(w.file));
    FUZZ_CHECK(fflush(w.file) == 0 && read_image(codec, path, &again) == CLI_DONE);
    FUZZ_CHECK(again.pages == image->pages && again.width == image->width && again.height == image->height &&
               again.channels == image->channels);
    FUZZ_CHECK(again.type == image->type && again.alpha == image->alpha && again.white == image->white);
    FUZZ_CHECK(codec->lossy || memcmp(again.pixels, image->pixels, pixel_bytes(image)) == 0);
    cli_image_free(&again);
    fclose(w.file);
}

void fuzz_image(const cli_image_codec *codec, const uint8_t *data, size_t size) {
    cli_image image = {0};
    int code = read_image(codec, fuzz_file(data, size), &image);
    FUZZ_CHECK(code == CLI_DONE || code == CLI_INPUT_OUTPUT);
    if (code == CLI_DONE) {
        check_image(&image);
        if (!codec->cannot_hold || !codec->cannot_hold(&image))
            write_and_read(codec, &image);
    }
    cli_image_free(&image);
}
