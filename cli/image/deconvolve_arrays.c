// What mastaba deconvolve works on: arrays in .npy files, which pass through the device, or images, which are read whole.
#include "deconvolve.h"

#include "core/context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *input_of(const deconvolve_job *job) { return job->paths[0]; }

// The last axes, as many as the point spread function has.
static int choose_axes(deconvolve_job *job, int rank) {
    char count[16];
    for (int a = 0; a < job->desc.n_axes; a++)
        job->desc.axes[a] = a - job->desc.n_axes;
    if (rank >= job->desc.n_axes)
        return CLI_DONE;
    snprintf(count, sizeof count, "%d", job->desc.n_axes);
    cli_error(job->command, "%s: has %d axes, the point spread function %s", input_of(job), rank, count);
    return CLI_INPUT_OUTPUT;
}

// Weights, or a start. One of fewer axes is for all items.
static int open_companion(deconvolve_job *job, const char *path, cli_operand *operand, mst_layout *w) {
    operand->only_layout = job->text->dry_run != 0;
    int code = path ? cli_operand_open(job->command, path, operand) : CLI_DONE;
    if (code != CLI_DONE || !path)
        return code;
    const mst_layout *image = &job->desc.image;
    *w = operand->layout;
    int lacking = image->rank - w->rank;
    for (int k = image->rank - 1; lacking > 0 && k >= 0; k--) {
        w->shape[k] = k < lacking ? image->shape[k] : w->shape[k - lacking];
        w->strides[k] = k < lacking ? 0 : w->strides[k - lacking];
    }
    w->rank = lacking > 0 ? image->rank : w->rank;
    return CLI_DONE;
}

static int open_array(deconvolve_job *job) {
    job->array.only_layout = job->text->dry_run != 0;
    int code = cli_operand_open(job->command, input_of(job), &job->array);
    job->desc.image = job->array.layout;
    if (code == CLI_DONE && job->array.sample_rate) {
        cli_error(job->command, "%s: is a sound; give an image or an array of two axes or three", input_of(job));
        code = CLI_INPUT_OUTPUT;
    }
    if (code == CLI_DONE)
        code = choose_axes(job, job->desc.image.rank);
    if (code == CLI_DONE && job->type)
        job->desc.result = mst_layout_dense(job->type, job->desc.image.rank, job->desc.image.shape);
    if (code != CLI_DONE || !deconvolve_output(job))
        return code;
    return cli_output_open(job->command, deconvolve_output(job), false, job->options->force, job->paths, &job->output);
}

// Colours, then pages, are batch; opacity is left as it is.
static mst_layout layout_of(const cli_image *image, mst_type type) {
    const size_t colours = image->channels - (image->alpha ? 1 : 0);
    const size_t shape[] = {colours, image->pages, image->height, image->width};
    mst_layout layout = mst_layout_dense(type, 4, shape);
    for (int k = 1; k < 4; k++)
        layout.strides[k] = layout.strides[k] * (ptrdiff_t)image->channels;
    layout.strides[0] = 1;
    return layout;
}

static int open_image_output(deconvolve_job *job) {
    const char *path = deconvolve_output(job);
    int code = CLI_DONE;
    if (cli_image_format_of(path) == CLI_NO_IMAGE)
        code = cli_wrong_option(job->command, "-o", path, "no image's extension; give .png, .tif, .jpg, .pgm, .ppm or .npy");
    if (code == CLI_DONE)
        code = cli_output_available(job->command, path, job->options->force, job->paths);
    return code == CLI_DONE ? cli_place_open(job->command, path, &job->place) : code;
}

static int open_image(deconvolve_job *job) {
    if (job->type == MST_FLOAT64)
        return cli_wrong_option(job->command, "--type", job->text->type, "is for arrays in .npy files");
    int code = deconvolve_output(job) ? open_image_output(job) : CLI_DONE;
    if (code == CLI_DONE)
        code = cli_image_read(job->command, input_of(job), job->max_bytes, &job->image);
    if (code == CLI_DONE && job->image.type == MST_FLOAT64) {
        cli_error(job->command, "%s: is an array of float64; write .npy", input_of(job));
        code = CLI_INPUT_OUTPUT;
    }
    if (code != CLI_DONE)
        return code == CLI_INTERRUPTED ? cli_fail_interrupted(job->command) : code;
    // Whether the output holds it is known before anything is computed.
    cli_image kind = job->image;
    if (job->text->raw) {
        kind.type = MST_FLOAT32;
        kind.white = 1;
    }
    if (deconvolve_output(job))
        code = cli_image_check(job->command, deconvolve_output(job), cli_image_format_of(deconvolve_output(job)), &kind);
    if (code != CLI_DONE)
        return code;
    job->desc.image = layout_of(&job->image, job->image.type);
    job->desc.result = layout_of(&job->image, MST_FLOAT32);
    job->pixels = calloc(cli_image_values(&job->image), sizeof *job->pixels);
    return job->pixels ? choose_axes(job, job->image.pages > 1 ? 3 : 2) : cli_out_of_memory(job->command, "the result");
}

int deconvolve_open(deconvolve_job *job) {
    const char *output = job->text->output;
    job->is_array = cli_image_format_in(input_of(job)) == CLI_NPY && (!output || cli_has_extension(output, ".npy"));
    int code = job->is_array ? open_array(job) : open_image(job);
    if (code == CLI_DONE)
        code = open_companion(job, job->text->weights, &job->weights, &job->desc.weights);
    return code == CLI_DONE ? open_companion(job, job->text->start, &job->start, &job->desc.start) : code;
}

// ---- Work

static double in_range(double value, double white) { return value < 0 ? 0 : value > white ? white : value; }

// The result's numbers in the image's type, or with --raw as they are; opacity as it was.
static int put_pixels(deconvolve_job *job) {
    cli_image *image = &job->image;
    const size_t n = cli_image_values(image);
    const bool raw = job->text->raw != 0;
    for (size_t i = 0; i < n; i++) {
        const bool alpha = image->alpha && i % image->channels == image->channels - 1;
        if (raw && alpha)
            job->pixels[i] = (float)(cli_real_at(image->type, image->pixels, i) / image->white);
        if (raw || alpha)
            continue;
        if (image->type == MST_UINT8)
            ((uint8_t *)image->pixels)[i] = (uint8_t)rint(in_range((double)job->pixels[i], image->white));
        else if (image->type == MST_UINT16)
            ((uint16_t *)image->pixels)[i] = (uint16_t)rint(in_range((double)job->pixels[i], image->white));
        else
            ((float *)image->pixels)[i] = job->pixels[i];
    }
    if (raw) {
        cli_pixels_free(image);
        image->pixels = job->pixels;
        job->pixels = NULL;
        image->type = MST_FLOAT32;
        image->white = 1;
    }
    return cli_image_write(job->command, &job->place, deconvolve_output(job), cli_image_format_of(deconvolve_output(job)),
                           job->options->force, image);
}

static bool note(const mst_deconvolution_state *state, void *user) {
    deconvolve_job *job = user;
    if (state->iteration >= job->last.iteration) // images, and bricks, end one after the other
        job->last = *state;
    snprintf(job->progress.note, sizeof job->progress.note, "  residual %.3g, change %.2g", state->residual, state->change);
    return !cli_interrupted();
}

static int run_plan(deconvolve_job *job) {
    mst_error error;
    mst_deconvolution_arrays arrays = MST_DECONVOLUTION_ARRAYS_INIT;
    arrays.image = job->is_array ? job->array.location : mst_at_host(job->image.pixels);
    arrays.result = job->is_array ? job->output.location : mst_at_host(job->pixels);
    arrays.weights = job->weights.location;
    arrays.start = job->start.location;
    const mst_execution how = cli_execution(&job->progress, &job->report);
    mst_status status = mst_deconvolution_execute(job->plan, &arrays, &how, &error);
    cli_progress_end(&job->progress);
    if (status != MST_OK)
        return cli_fail_input(job->command, error.status == MST_ERROR_ARGUMENT ? input_of(job) : NULL, &error);
    return cli_interrupted() ? cli_fail_interrupted(job->command) : CLI_DONE;
}

static int predict(deconvolve_job *job, mst_deconvolution_forecast *f) {
    mst_error error;
    return mst_deconvolution_predict(job->plan, f, &error) == MST_OK ? CLI_DONE : cli_fail_input(job->command, NULL, &error);
}

// Of the images at hand, in the end: there may be others than were planned.
static int count_bricks(deconvolve_job *job) {
    mst_deconvolution_forecast f = MST_DECONVOLUTION_FORECAST_INIT;
    int code = predict(job, &f);
    job->bricks = f.bricks;
    return code;
}

static const char *sides_text(const deconvolve_job *job, const uint64_t *sides, char out[80]) {
    int n = 0;
    for (int a = 0; a < job->desc.n_axes; a++)
        n += snprintf(out + n, 80 - (size_t)n, "%s%llu", a ? " x " : "", (unsigned long long)sides[a]);
    return out;
}

static json_t *sides_json(const deconvolve_job *job, const uint64_t *sides) {
    json_t *array = json_array();
    for (int a = 0; array && a < job->desc.n_axes; a++)
        json_array_append_new(array, json_integer((json_int_t)sides[a]));
    return array;
}

// What --dry-run prints.
static int print_forecast(deconvolve_job *job) {
    mst_deconvolution_forecast f = MST_DECONVOLUTION_FORECAST_INIT;
    char own[80], halo[80], read[32], written[32], device[32];
    int code = predict(job, &f);
    if (code != CLI_DONE)
        return code;
    if (job->options->json) {
        json_t *object =
            json_pack("{s:I, s:o, s:o, s:I, s:I, s:I}", "bricks", (json_int_t)f.bricks, "brick_shape",
                      sides_json(job, f.brick_shape), "halo", sides_json(job, f.halo), "read_bytes", (json_int_t)f.read_bytes,
                      "written_bytes", (json_int_t)f.written_bytes, "device_bytes", (json_int_t)f.device_bytes);
        return cli_print_json(job->command, cli_json_complete(object, !object));
    }
    printf("%s: ", input_of(job));
    if (f.bricks > 0)
        printf("in %llu bricks of %s with halos of %s", (unsigned long long)f.bricks, sides_text(job, f.brick_shape, own),
               sides_text(job, f.halo, halo));
    else
        printf("images pass whole");
    printf(": reads %s, writes %s; each takes %s of the device\n", cli_size_text(f.read_bytes, read),
           cli_size_text(f.written_bytes, written), cli_size_text(f.device_bytes, device));
    return CLI_DONE;
}

int deconvolve_execute(deconvolve_job *job) {
    mst_error error;
    job->progress = cli_progress_start(job->command, 0);
    // What iterations come to costs sums; so it is asked for only where somebody sees it.
    if (job->progress.visible || job->options->verbose || job->options->json || job->desc.tolerance > 0) {
        job->desc.watch = note;
        job->desc.watch_user = job;
    }
    if (mst_deconvolution_create(job->context, &job->desc, &job->plan, &error) != MST_OK)
        return cli_fail_input(job->command, NULL, &error);
    if (job->text->dry_run)
        return print_forecast(job);
    if (!deconvolve_output(job))
        return CLI_DONE;
    const mst_layout result = mst_deconvolution_result(job->plan);
    int code = job->is_array ? cli_output_begin(&job->output, &result, 0) : CLI_DONE;
    if (code == CLI_DONE)
        code = run_plan(job);
    if (code == CLI_DONE)
        code = count_bricks(job);
    if (code == CLI_DONE)
        code = job->is_array ? cli_output_commit(&job->output) : put_pixels(job);
    return code;
}
