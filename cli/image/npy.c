// Arrays of NumPy's as images: [height][width], [height][width][up to 4 channels], and several of one of these.
#include "core/file.h"
#include "core/layout.h"
#include "core/report.h"
#include "core/text.h"
#include "format.h"

#include <string.h>

#define MOST_CHANNELS 4

static int describe(const cli_image_file *f, const mst_layout *l, cli_image *image) {
    bool channels = l->rank == 4 || (l->rank == 3 && l->shape[2] <= MOST_CHANNELS);
    int height = l->rank - (channels ? 3 : 2);
    char shape[200];
    if (l->rank < 2 || l->rank > 4 || height > 1 || (channels && l->shape[l->rank - 1] > MOST_CHANNELS)) {
        cli_error(f->command,
                  "%s: an image has axes height and width, after them up to 4 channels, before them pages, not the shape %s",
                  f->path, cli_shape_text(l, shape));
        return CLI_INPUT_OUTPUT;
    }
    if (l->type != MST_UINT8 && l->type != MST_UINT16 && l->type != MST_FLOAT32 && l->type != MST_FLOAT64) {
        cli_error(f->command, "%s: is %s; images are uint8, uint16, float32 or float64", f->path, mst_type_name(l->type));
        return CLI_INPUT_OUTPUT;
    }
    image->pages = height == 1 ? l->shape[0] : 1;
    image->height = l->shape[height];
    image->width = l->shape[height + 1];
    image->channel_axis = channels;
    image->channels = channels ? l->shape[height + 2] : 1;
    image->type = l->type;
    image->white = l->type == MST_UINT8 ? 255 : l->type == MST_UINT16 ? 65535 : 1;
    if (cli_layout_bytes(l) == 0)
        return cli_image_damaged(f, "has no pixels");
    return cli_image_allocate(f, image);
}

// The part's rows of a page lie one behind the other.
static bool read_part(const mst_location *location, const cli_image *image) {
    const cli_image_part *p = &image->part;
    const size_t row = image->width * image->channels * mst_type_bytes(image->type), bytes = p->rows * row;
    bool good = true;
    for (size_t n = 0; n < p->pages && good; n++)
        good = cli_read_bytes(location, ((p->first_page + n) * image->height + p->first_row) * row,
                              (char *)image->pixels + n * bytes, bytes);
    return good;
}

static int read_npy(const cli_image_file *f, cli_image *image) {
    mst_npy *npy;
    mst_error error;
    if (mst_npy_open_file(fileno(f->file), &npy, &error) != MST_OK)
        return cli_fail_input(f->command, f->path, &error);
    const mst_layout *layout = mst_npy_layout(npy);
    mst_location location = mst_npy_location(npy);
    int code = describe(f, layout, image);
    if (code == CLI_DONE && !read_part(&location, image))
        code = cli_fail_file(f->command, f->path, "cannot be read");
    mst_npy_close(npy);
    return code;
}

// Pages that are so narrow that their width would be read as a number of channels keep an axis for the one that they have.
mst_layout cli_npy_layout(const cli_image *image) {
    mst_layout l = cli_image_layout(image);
    bool axis = image->channels > 1 || image->channel_axis || (image->pages > 1 && image->width <= MOST_CHANNELS);
    return axis ? l : mst_layout_dense(l.type, l.rank - 1, l.shape);
}

static int write_npy(const cli_whole_file *w, const cli_image *image) {
    mst_layout layout = cli_npy_layout(image);
    mst_location location;
    mst_error error;
    if (mst_npy_write_header(fileno(w->file), &layout, &location, &error) != MST_OK)
        return cli_fail(w->command, w->path, &error);
    if (!cli_write_bytes(&location, 0, image->pixels, (size_t)cli_layout_bytes(&layout)))
        return cli_fail_file(w->command, w->path, "cannot be written");
    return CLI_DONE;
}

static bool begins_npy(const unsigned char magic[8]) { return memcmp(magic, "\x93NUMPY", 6) == 0; }

const cli_image_codec cli_npy = {.extensions = {".npy"},
                                 .begins = begins_npy,
                                 .read = read_npy,
                                 .several_pages = true,
                                 .any_channels = true,
                                 .by_parts = true,
                                 .write = write_npy};
