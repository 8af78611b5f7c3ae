// What the formats share: pixels in memory, limits, and what is wrong with a file.
#include "core/cli.h"
#include "format.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SIDE ((size_t)1 << 23)

int cli_image_damaged(const cli_image_file *f, const char *what) {
    cli_error(f->command, "%s: %s", f->path, what);
    return CLI_INPUT_OUTPUT;
}

int cli_image_allocate(const cli_image_file *f, cli_image *image) {
    image->pages = image->pages > 0 ? image->pages : 1;
    uint64_t bytes = image->width, parts[] = {image->height, image->channels, mst_type_bytes(image->type), image->pages};
    char needed[32], most[32];
    if (image->width == 0 || image->height == 0)
        return cli_image_damaged(f, "has no pixels");
    bool overflow = image->width > MOST_SIDE || image->height > MOST_SIDE;
    for (int i = 0; i < 4 && !overflow; i++)
        overflow = __builtin_mul_overflow(bytes, parts[i], &bytes);
    if (overflow || bytes > f->max_bytes) {
        cli_error(f->command, "%s: claims %zu x %zu pixels, %s; the most is %s (--max-image) and 2^23 a side", f->path,
                  image->width, image->height, overflow ? "too many to count" : cli_size_text(bytes, needed),
                  cli_size_text(f->max_bytes, most));
        return CLI_INPUT_OUTPUT;
    }
    image->part = (cli_image_part){.pages = image->pages, .rows = image->height};
    const int code = f->choose ? f->choose(f->user, image) : CLI_DONE;
    const uint64_t row = bytes / image->pages / image->height;
    return code == CLI_DONE ? cli_pixels_take(f->command, f->path, row * image->part.rows * image->part.pages, image) : code;
}

cli_image cli_image_own(const cli_image *image) {
    cli_image own = *image;
    own.pages = image->part.pages;
    own.height = image->part.rows;
    return own;
}

void *cli_image_row(const cli_image *image, size_t page, size_t row) {
    const cli_image_part *p = &image->part;
    const size_t bytes = image->width * image->channels * mst_type_bytes(image->type);
    if (page < p->first_page || page - p->first_page >= p->pages || row < p->first_row || row - p->first_row >= p->rows)
        return NULL;
    return (char *)image->pixels + ((page - p->first_page) * p->rows + row - p->first_row) * bytes;
}

size_t cli_image_values(const cli_image *image) { return image->pages * image->height * image->width * image->channels; }

mst_layout cli_image_layout(const cli_image *image) {
    const size_t shape[] = {image->pages, image->height, image->width, image->channels};
    int first = image->pages > 1 ? 0 : 1;
    return mst_layout_dense(image->type, 4 - first, shape + first);
}

void cli_image_free(cli_image *image) {
    cli_pixels_free(image);
    cli_metadata_free(&image->metadata);
    for (size_t n = 0; image->later && n + 1 < image->pages; n++)
        cli_metadata_free(&image->later[n]);
    free(image->later);
    memset(image, 0, sizeof *image);
}
