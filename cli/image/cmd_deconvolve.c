// mastaba deconvolve: images and volumes without the blur of the instrument.
#include "deconvolve.h"

#include "core/context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "deconvolve";

static const char details[] = "IMAGE is an image (PNM, PNG, TIFF, JPEG; stacks of pages, too) or an array in a .npy\n"
                              "file, PSF the image of a point: of as many axes, two or three, as are deconvolved,\n"
                              "the last ones of IMAGE. It is divided by its sum; its centre is in the middle (sample\n"
                              "n / 2, rounded down). Arrays in .npy files may be larger than RAM; an image, or\n"
                              "volume, larger than the device goes in bricks (--seam). OUT appears only when it is\n"
                              "whole; an image keeps its type, limited to what that holds, or is float32 with --raw.\n"
                              "\n"
                              "In place of PSF, --psf gives one by formula: gaussian:SIGMA, in pixels, or one for\n"
                              "each axis (gaussian:4,2,2); born-wolf:na=..,wavelength=..,pixel=.. of a microscope in\n"
                              "focus, and of volumes with step=.. between their planes; index=.. of refraction (1),\n"
                              "lengths in any one unit.\n"
                              "\n"
                              "--method: richardson-lucy (the default), for counts of light; nothing below 0 goes in\n"
                              "or comes out. --accelerate: 20 iterations come as far as 80 without.\n"
                              "--total-variation 0.002 keeps noise down and edges sharp. wiener and tikhonov take one\n"
                              "step, with --balance: the more the smoother.\n"
                              "\n"
                              "--edges: observed (the default): the object goes on beyond the image, as far as its\n"
                              "light reaches it; circular: the image is repeated; zero: nothing is beyond it.\n"
                              "\n"
                              "Example: a photograph that was out of focus\n"
                              "  mastaba deconvolve blurred.png --psf gaussian:2.5 --accelerate -o sharp.png\n";

static const deconvolve_text defaults = {.iterations = 25, .order = 1, .balance = 0.001};

static const cli_option option_table[] = {
    {"output", 'o', CLI_TEXT, offsetof(deconvolve_text, output), "where the result goes", "OUT"},
    {"psf", 'p', CLI_TEXT, offsetof(deconvolve_text, psf), "the image of a point by formula, in place of PSF", "FORMULA"},
    {"method", 'm', CLI_TEXT, offsetof(deconvolve_text, method), "richardson-lucy, wiener or tikhonov (richardson-lucy)", "NAME"},
    {"iterations", 'n', CLI_INT, offsetof(deconvolve_text, iterations), "of Richardson-Lucy, at most (default: 25)", "N"},
    {"tolerance", 0, CLI_REAL, offsetof(deconvolve_text, tolerance),
     "stop when an iteration changes less: 0.001 of the result, say", "T"},
    {"accelerate", 0, CLI_FLAG, offsetof(deconvolve_text, accelerate), "steps after Biggs and Andrews", NULL},
    {"total-variation", 0, CLI_REAL, offsetof(deconvolve_text, variation), "how much it counts, 0 to 0.1 (default: 0)", "LAMBDA"},
    {"background", 0, CLI_REAL, offsetof(deconvolve_text, background), "light that is everywhere, in the image's units", "B"},
    {"weights", 0, CLI_TEXT, offsetof(deconvolve_text, weights), "0 where the image is not to be trusted, up to 1 elsewhere",
     "W.npy"},
    {"start", 0, CLI_TEXT, offsetof(deconvolve_text, start), "what Richardson-Lucy starts from (default: the mean)", "X.npy"},
    {"balance", 0, CLI_REAL, offsetof(deconvolve_text, balance), "of Wiener and Tikhonov (default: 0.001)", "B"},
    {"order", 0, CLI_INT, offsetof(deconvolve_text, order), "of the differences that Tikhonov keeps small: 0, 1, 2 (1)", "N"},
    {"edges", 'e', CLI_TEXT, offsetof(deconvolve_text, edges), "observed, circular or zero (default: observed)", "RULE"},
    {"seam", 0, CLI_REAL, offsetof(deconvolve_text, seam), "the most that bricks may differ by where they meet: 0.001, say (any)",
     "E"},
    {"exact", 0, CLI_FLAG, offsetof(deconvolve_text, exact), "bricks that meet after each iteration, not at the end only", NULL},
    {"dry-run", 0, CLI_FLAG, offsetof(deconvolve_text, dry_run), "print how the data would pass through the device, and end",
     NULL},
    {"axes", 0, CLI_TEXT, offsetof(deconvolve_text, axes), "-2,-1 or -3,-2,-1 (default: as many as the PSF has)", "LIST"},
    {"type", 't', CLI_TEXT, offsetof(deconvolve_text, type), "float32 or float64, of arrays (default: by the array)", "TYPE"},
    {"keep-sum", 0, CLI_FLAG, offsetof(deconvolve_text, keep_sum), "do not divide the PSF by its sum", NULL},
    {"raw", 0, CLI_FLAG, offsetof(deconvolve_text, raw), "write images as they are computed, float32 (.tif or .npy)", NULL},
    {"max-image", 0, CLI_TEXT, offsetof(deconvolve_text, max_image), "the most memory that an image may take (default: 2GiB)",
     "SIZE"},
};

static const cli_choice methods[] = {{"richardson-lucy", MST_DECONVOLUTION_RICHARDSON_LUCY},
                                     {"wiener", MST_DECONVOLUTION_WIENER},
                                     {"tikhonov", MST_DECONVOLUTION_TIKHONOV}};
static const cli_choice edges[] = {
    {"observed", MST_DECONVOLUTION_OBSERVED}, {"circular", MST_DECONVOLUTION_CIRCULAR}, {"zero", MST_DECONVOLUTION_ZERO}};

static int choose(const char *option, const char *text, const cli_choice *choices, const char *expected, int *value) {
    return text ? cli_choose(command, option, text, choices, 3, expected, value) : CLI_DONE;
}

static int read_axes(deconvolve_job *job) {
    int axes[MST_MAX_AXES], code = CLI_DONE;
    if (job->text->axes)
        code = cli_axes(command, job->text->axes, MST_MAX_AXES, axes, &job->n_axes);
    for (int a = 0; code == CLI_DONE && a < job->n_axes; a++)
        if (axes[a] != a - job->n_axes)
            code = cli_wrong_option(command, "--axes", job->text->axes, "give -2,-1 for images or -3,-2,-1 for volumes");
    return code;
}

static int check_operands(const deconvolve_job *job) {
    const deconvolve_text *text = job->text;
    const char *wrong = NULL;
    if (!text->output && !job->options->show_kernels && !text->dry_run)
        wrong = "no output given; add -o OUT";
    else if (!text->psf && !job->paths[1])
        wrong = "no point spread function given; name its file, or add --psf gaussian:SIGMA";
    else if (text->psf && job->paths[1])
        wrong = "--psf stands in place of the file of a point spread function; leave out one of them";
    if (wrong)
        cli_error(command, "%s", wrong);
    return wrong ? CLI_USAGE : CLI_DONE;
}

int deconvolve_read_options(deconvolve_job *job) {
    const deconvolve_text *text = job->text;
    mst_deconvolution_desc *d = &job->desc;
    int method = (int)d->method, edge = (int)d->edges, code = check_operands(job);
    if (code == CLI_DONE)
        code = choose("--method", text->method, methods, "choose richardson-lucy, wiener or tikhonov", &method);
    if (code == CLI_DONE)
        code = choose("--edges", text->edges, edges, "choose observed, circular or zero", &edge);
    if (code == CLI_DONE)
        code = cli_precision(command, text->type, "choose float32 or float64", &job->type);
    if (code == CLI_DONE)
        code = read_axes(job);
    if (code == CLI_DONE && text->max_image && !cli_size(text->max_image, &job->max_bytes))
        code = cli_wrong_option(command, "--max-image", text->max_image, "not a size; give bytes, or a number and K, M, G, T");
    d->method = (mst_deconvolution_method)method;
    d->edges = (mst_deconvolution_edges)edge;
    d->iterations = text->iterations;
    d->tolerance = text->tolerance;
    d->accelerate = text->accelerate;
    d->total_variation = text->variation;
    d->background = text->background;
    d->seam = text->seam;
    d->exact = text->exact;
    d->balance = text->balance;
    d->order = text->order;
    d->keep_sum = text->keep_sum;
    return code;
}

static const char *method_text(const deconvolve_job *job) { return methods[job->desc.method - 1].name; }

static int print_json(const deconvolve_job *job) {
    char names[320];
    json_t *device = cli_json_text(cli_device_text(job->context, names));
    json_t *object =
        json_pack("{s:o, s:s, s:o, s:f, s:f, s:I, s:I}", "output", cli_json_text(job->text->output), "method", method_text(job),
                  "device", device, "seconds", job->report.seconds, "compute_seconds", job->report.compute_seconds,
                  "upload_bytes", (json_int_t)job->report.upload_bytes, "download_bytes", (json_int_t)job->report.download_bytes);
    bool failed = !object;
    if (job->last.iteration > 0) {
        failed |= json_object_set_new(object, "iterations", json_integer(job->last.iteration)) != 0;
        failed |= json_object_set_new(object, "residual", cli_json_real(job->last.residual)) != 0;
        failed |= json_object_set_new(object, "change", cli_json_real(job->last.change)) != 0;
    }
    if (job->bricks > 0) {
        failed |= json_object_set_new(object, "bricks", json_integer((json_int_t)job->bricks)) != 0;
        failed |= json_object_set_new(object, "seam", cli_json_real(mst_deconvolution_seam(job->plan))) != 0;
    }
    return cli_print_json(command, cli_json_complete(object, failed));
}

static int print_text(const deconvolve_job *job) {
    char time[32], names[320], shape[200];
    mst_layout result = mst_deconvolution_result(job->plan);
    if (!job->is_array) { // colours and pages, of which there may be one
        const int first = result.shape[0] > 1 ? 0 : result.shape[1] > 1 ? 1 : 2;
        result = mst_layout_dense(result.type, result.rank - first, result.shape + first);
    }
    printf("%s: %s by %s on %s in %s", job->text->output, cli_shape_text(&result, shape), method_text(job),
           cli_device_text(job->context, names), cli_time_text(job->report.seconds, time));
    if (job->last.iteration > 0)
        printf(", %d iterations, residual %.4g, change %.3g", job->last.iteration, job->last.residual, job->last.change);
    if (job->bricks > 0)
        printf(", in %llu bricks that differ by %.2g at their seams", (unsigned long long)job->bricks,
               mst_deconvolution_seam(job->plan));
    putchar('\n');
    return cli_flush(command);
}

static int deconvolve(deconvolve_job *job) {
    int code = deconvolve_read_options(job);
    if (code == CLI_DONE)
        code = deconvolve_read_psf(job);
    if (code == CLI_DONE)
        code = deconvolve_open(job);
    if (code == CLI_DONE)
        code = cli_context(command, job->options, true, &job->context);
    if (code == CLI_DONE)
        code = deconvolve_execute(job);
    if (code != CLI_DONE || !deconvolve_output(job))
        return code == CLI_DONE ? cli_flush(command) : code;
    return job->options->json ? print_json(job) : print_text(job);
}

static int run(const cli_arguments *arguments, void *values) {
    deconvolve_job job = {.command = command,
                          .text = values,
                          .options = &arguments->common,
                          .desc = MST_DECONVOLUTION_DESC_INIT,
                          .max_bytes = (uint64_t)2 << 30,
                          .report = MST_REPORT_INIT};
    for (int k = 0; k < arguments->n_operands; k++)
        job.paths[k] = arguments->operands[k];
    int code = deconvolve(&job);
    mst_deconvolution_destroy(job.plan);
    mst_context_destroy(job.context);
    cli_output_close(&job.output);
    cli_place_close(&job.place);
    cli_operand_close(&job.array);
    cli_operand_close(&job.weights);
    cli_operand_close(&job.start);
    cli_image_free(&job.image);
    free(job.pixels);
    free(job.psf);
    return code;
}

const cli_command cmd_deconvolve = {
    .name = command,
    .summary = "images and volumes without an instrument's blur",
    .title = "Takes an instrument's blur from images and volumes.",
    .synopsis = "IMAGE PSF|--psf FORMULA -o OUT [options]",
    .details = details,
    .min_operands = 1,
    .max_operands = 2,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(deconvolve_text),
    .defaults = &defaults,
    .run = run,
};
