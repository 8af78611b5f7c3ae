// The picture of an image's spectrum.
#include "filter.h"

#include <math.h>
#include <stdlib.h>

// Takes the mean over the colours of every pixel, less that of the first pixel, which is returned. So an image of one brightness
// becomes all zeros, and leaves no rounding errors at frequencies other than 0.
static double take_mean(const cli_image *image, float *grey) {
    size_t colours = image->channels - (image->alpha ? 1 : 0);
    double first = 0;
    for (size_t i = 0; i < image->width * image->height; i++) {
        double sum = 0;
        for (size_t c = 0; c < colours; c++)
            sum += cli_real_at(image->type, image->pixels, i * image->channels + c);
        first = i == 0 ? sum / (double)colours : first;
        grey[i] = (float)(sum / (double)colours - first);
    }
    return first;
}

static mst_status transform(mst_context *context, size_t height, size_t width, const float *grey, float *half, mst_error *error) {
    const size_t shape[] = {height, width};
    mst_fft_desc d = MST_FFT_DESC_INIT;
    mst_fft *plan = NULL;
    d.input = mst_layout_dense(MST_FLOAT32, 2, shape);
    d.n_axes = 2;
    d.axes[0] = 0;
    d.axes[1] = 1;
    mst_status status = mst_fft_create(context, &d, &plan, error);
    if (status == MST_OK)
        status = mst_fft_execute(plan, mst_at_host(grey), mst_at_host(half), NULL, error);
    mst_fft_destroy(plan);
    return status;
}

// log(1 + |F|) at row k, column l of the whole spectrum, whose second half is the first one's mirror image.
static double logarithm(const float *half, size_t height, size_t width, size_t k, size_t l) {
    if (l > width / 2) {
        k = (height - k) % height;
        l = width - l;
    }
    const float *f = half + 2 * (k * (width / 2 + 1) + l);
    return log1p(hypot((double)f[0], (double)f[1]));
}

static void draw(const float *half, cli_image *picture) {
    size_t height = picture->height, width = picture->width;
    double least = INFINITY, most = 0;
    for (size_t i = 1; i < height * width; i++) { // not the mean, which outshines all
        double value = logarithm(half, height, width, i / width, i % width);
        least = fmin(least, value);
        most = fmax(most, value);
    }
    if (!(most > least)) { // nothing but the mean
        least = 0;
        most = logarithm(half, height, width, 0, 0);
    }
    double scale = most > least ? 255 / (most - least) : 0;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            size_t k = (y + height - height / 2) % height, l = (x + width - width / 2) % width;
            double value = (logarithm(half, height, width, k, l) - least) * scale;
            ((uint8_t *)picture->pixels)[y * width + x] = (uint8_t)rint(fmin(fmax(value, 0), 255));
        }
}

int cli_spectrum_write(const filter_job *job, const cli_image *image) {
    const char *command = job->command, *path = job->spectrum;
    cli_image picture = {
        .width = image->width, .height = image->height, .channels = 1, .pages = 1, .type = MST_UINT8, .white = 255};
    size_t points = image->width * image->height;
    float *grey = malloc(points * sizeof *grey), *half = malloc(image->height * (image->width / 2 + 1) * 2 * sizeof *half);
    mst_error error;
    int code = CLI_DONE;
    picture.pixels = malloc(points);
    if (!grey || !half || !picture.pixels) {
        cli_error(command, "%s: out of memory", path);
        code = CLI_FAILED;
    } else {
        double first = take_mean(image, grey);
        if (transform(job->context, image->height, image->width, grey, half, &error) != MST_OK)
            code = cli_fail_input(command, path, &error);
        else
            half[0] += (float)(first * (double)points);
    }
    if (code == CLI_DONE) {
        draw(half, &picture);
        code = cli_image_write(command, &job->places[1], path, cli_image_format_of(path), job->force, &picture);
    }
    free(grey);
    free(half);
    cli_image_free(&picture);
    return code;
}
