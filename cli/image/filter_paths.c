// Where outputs of mastaba filter go, and in which format.
#include "core/standard.h"
#include "filter.h"

#include <stdlib.h>
#include <string.h>

// "DIR/name.png"; "DIR/name.tif" for floating-point numbers that the input's format cannot hold; and where the input's name has
// no extension of an image, the extension of the format that the input has.
char *filter_output_path(const filter_job *job, size_t input) {
    const char *in = job->inputs[input], *slash = strrchr(in, '/'), *name = slash ? slash + 1 : in, *more = "";
    if (!job->directory)
        return strdup(job->output);
    const char *dot = strrchr(name, '.');
    cli_image_format format = cli_image_format_of(name);
    size_t stem = strlen(name), length = strlen(job->output) + stem + 8;
    bool known = format != CLI_NO_IMAGE;
    bool raw = job->desc.output_as == MST_FILTER_RAW && format != CLI_TIFF && format != CLI_NPY;
    if (known && raw)
        stem = dot > name ? (size_t)(dot - name) : stem;
    if (raw || !known) {
        cli_image_format held = raw ? CLI_TIFF : cli_image_format_in(in);
        more = cli_image_extension(held == CLI_NO_IMAGE ? CLI_TIFF : held);
    }
    char *path = malloc(length);
    if (!path)
        return NULL;
    const char *between = job->output[strlen(job->output) - 1] == '/' ? "" : "/";
    snprintf(path, length, "%s%s%.*s%s", job->output, between, (int)stem, name, more);
    return path;
}

cli_image_format filter_output_format(const filter_job *job, const char *path, const cli_image *image) {
    if (!cli_is_standard(path))
        return cli_image_format_of(path);
    bool raw = job->desc.output_as == MST_FILTER_RAW && image->format != CLI_NPY;
    return job->format != CLI_NO_IMAGE ? job->format : raw ? CLI_TIFF : image->format;
}
