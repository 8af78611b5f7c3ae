// A field's values as a picture: an indexed PNG, one pixel a value, the first row on top.
#include "frames.h"

#include "core/library.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

// The range of the finite values; for the diverging map, whose middle is 0, it is symmetric.
static void find_range(const void *values, mst_type type, size_t n, bool diverging, double range[2]) {
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        double v = cli_real_at(type, values, i);
        if (isfinite(v)) {
            range[0] = fmin(range[0], v);
            range[1] = fmax(range[1], v);
        }
    }
    if (range[0] > range[1])
        range[0] = range[1] = 0;
    if (diverging) {
        range[1] = fmax(-range[0], range[1]);
        range[0] = -range[1];
    }
}

static void set_pixels(const void *values, mst_type type, size_t n, const double range[2], uint8_t *pixels) {
    double scale = range[1] > range[0] ? (FRAME_N_COLORS - 1) / (range[1] - range[0]) : 0;
    for (size_t i = 0; i < n; i++) {
        double color = (cli_real_at(type, values, i) - range[0]) * scale;
        pixels[i] = isnan(color) ? FRAME_N_COLORS : (uint8_t)lround(fmin(fmax(color, 0), FRAME_N_COLORS - 1));
    }
}

int frame_check_png(const char *command, const char *path, const mst_layout *layout) {
    enum { MOST = 1000000 }; // libpng's own limit
    for (int k = 0; k < layout->rank; k++)
        if (layout->shape[k] > MOST) {
            cli_error(command, "%s: a picture has at most %d rows and columns, not %zu; write a .npy file", path, MOST,
                      layout->shape[k]);
            return CLI_INPUT_OUTPUT;
        }
    return cli_library_open(command, path, CLI_LIBPNG);
}

int frame_draw_png(const cli_whole_file *whole, const mst_layout *layout, const void *values, const frame_style *style) {
    uint8_t table[FRAME_N_COLORS + 1][3] = {{0}}; // the last is for NaN
    size_t height = layout->rank > 1 ? layout->shape[0] : 1, width = layout->shape[layout->rank - 1], n = height * width;
    double range[2] = {style->range[0], style->range[1]};
    int code = CLI_DONE;
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_RGB_COLORMAP,
                       .colormap_entries = FRAME_N_COLORS + 1};
    uint8_t *pixels = malloc(n);
    if (!pixels) {
        cli_error(whole->command, "%s: out of memory for a picture of %zu x %zu", whole->path, width, height);
        return CLI_FAILED;
    }
    if (!(range[0] < range[1]))
        find_range(values, layout->type, n, style->diverging, range);
    set_pixels(values, layout->type, n, range, pixels);
    frame_colors(style->diverging, table);
    memset(table[FRAME_N_COLORS], 128, 3);
    if (!png_image_write_to_stdio(&image, whole->file, 0, pixels, (png_int_32)width, table)) {
        cli_error(whole->command, "%s: cannot be written: %s", whole->path,
                  ferror(whole->file) ? strerror(errno) : image.message);
        code = CLI_INPUT_OUTPUT;
    }
    free(pixels);
    return code;
}
