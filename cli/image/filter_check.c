// What images and results have to be for a filter: of a type that it takes, and finite.
#include "filter.h"

#include <math.h>

int filter_check_kind(const filter_job *job, const char *path, const cli_image *image) {
    if (image->type != MST_FLOAT64 || (!filter_is_toned(job) && job->desc.type != MST_FLOAT32))
        return CLI_DONE;
    cli_error(job->command, "%s: is float64; leave out %s", path,
              job->desc.type == MST_FLOAT32 ? "--precision float32" : "--linear and --alpha weigh");
    return CLI_INPUT_OUTPUT;
}

// Finds the first pixel of a floating-point image that has an infinite value, or one that is not a number, in its first channels.
static bool find_unfinite(const cli_image *image, size_t channels, size_t *y, size_t *x) {
    for (*y = 0; *y < image->pages * image->height && cli_image_is_real(image); ++*y)
        for (*x = 0; *x < image->width; ++*x)
            for (size_t c = 0; c < channels; c++)
                if (!isfinite(cli_real_at(image->type, image->pixels, (*y * image->width + *x) * image->channels + c)))
                    return true;
    return false;
}

// A single value that is no number would spread to all of its channel. Opacity that is only copied may be anything.
int filter_check_input(const filter_job *job, const char *path, const cli_image *image) {
    const cli_image own = cli_image_own(image);
    size_t y, x, copied = image->alpha && !filter_is_toned(job) ? 1 : 0;
    const int code = filter_check_kind(job, path, image);
    if (code != CLI_DONE || !find_unfinite(&own, image->channels - copied, &y, &x))
        return code;
    char page[40] = "";
    if (image->pages > 1)
        snprintf(page, sizeof page, "page %zu, ", image->part.first_page + y / own.height);
    cli_error(job->command, "%s: the pixel in %srow %zu, column %zu (from 0) is not a finite number; replace it", path, page,
              image->part.first_row + y % own.height, x);
    return CLI_INPUT_OUTPUT;
}

// Sums of large pixels may leave the range of single precision.
int filter_check_result(const char *command, const char *path, const cli_image *image) {
    size_t y, x;
    if (!find_unfinite(image, image->channels - (image->alpha ? 1 : 0), &y, &x))
        return CLI_DONE;
    cli_error(command, "%s: its results are too large for %s precision; divide its pixels, or the mask", path,
              image->type == MST_FLOAT64 ? "double" : "single");
    return CLI_FAILED;
}
