// The options of mastaba filter, from text to a description.
#include "core/standard.h"
#include "filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const cli_choice shapes[] = {
    {"ideal", MST_FILTER_IDEAL}, {"gaussian", MST_FILTER_GAUSSIAN}, {"butterworth", MST_FILTER_BUTTERWORTH}};
static const cli_choice edge_rules[] = {{"reflect", MST_FILTER_REFLECT}, {"wrap", MST_FILTER_WRAP}, {"zero", MST_FILTER_ZERO}};
static const cli_choice outputs[] = {{"auto", MST_FILTER_AUTO_OUTPUT},
                                     {"clip", MST_FILTER_CLIP},
                                     {"stretch", MST_FILTER_STRETCH},
                                     {"magnitude", MST_FILTER_MAGNITUDE},
                                     {"raw", MST_FILTER_RAW}};
static const cli_choice alphas[] = {{"copy", 0}, {"weigh", 1}};
static const cli_choice algorithms[] = {{"auto", MST_FILTER_AUTO}, {"paper", MST_FILTER_PAPER}};

static int wrong(const filter_job *job, const char *option, const char *text, const char *what) {
    return cli_wrong_option(job->command, option, text, what);
}

// `count` frequencies with commas between them: "64", "0.1nyq".
static bool read_frequencies(const char *text, size_t count, cli_frequency *f) {
    for (size_t i = 0; i < count; i++) {
        char *end;
        f[i].value = strtod(text, &end);
        if (end == text || !isfinite(f[i].value))
            return false;
        f[i].nyquist = strncasecmp(end, "nyq", 3) == 0;
        end += f[i].nyquist ? 3 : 0;
        if (*end != (i + 1 < count ? ',' : '\0'))
            return false;
        text = end + (i + 1 < count ? 1 : 0);
    }
    return true;
}

static int read_pass(const char *option, const char *text, mst_filter_kind kind, filter_job *job) {
    size_t count = kind == MST_FILTER_BAND_PASS || kind == MST_FILTER_BAND_STOP ? 2 : 1;
    job->desc.kind = kind;
    if (!read_frequencies(text, count, job->radii) || job->radii[0].value <= 0 || job->radii[count - 1].value <= 0)
        return wrong(job, option, text,
                     count == 2 ? "give two radii above 0, as 20,60 (cycles per image) or 0.1nyq,0.3nyq"
                                : "give a radius above 0, as 64 (cycles per image) or 0.1nyq");
    if (count == 2 && job->radii[0].nyquist == job->radii[1].nyquist && job->radii[1].value <= job->radii[0].value)
        return wrong(job, option, text, "the second radius is to be the larger");
    return CLI_DONE;
}

static int read_sharpen(const char *text, filter_job *job) {
    cli_frequency f[2] = {{0, false}, {0, false}};
    job->desc.kind = MST_FILTER_SHARPEN;
    if (!read_frequencies(text, 2, f) || f[0].value <= 0 || f[1].value <= 0 || f[1].nyquist)
        return wrong(job, "--sharpen", text, "give a radius and an amount above 0, as 40,0.8");
    job->radii[0] = f[0];
    job->desc.amount = f[1].value;
    return CLI_DONE;
}

// Degrees have no unit; the radius within which all is kept is 1 if it is not given.
static int read_stripes(const char *text, filter_job *job) {
    cli_frequency f[3] = {{0, false}, {0, false}, {1, false}};
    bool read = read_frequencies(text, 3, f) || read_frequencies(text, 2, f);
    job->desc.kind = MST_FILTER_STRIPES;
    if (!read || f[0].nyquist || f[1].nyquist || f[1].value <= 0 || f[1].value > 90 || f[2].value <= 0)
        return wrong(job, "--stripes", text, "give the stripes' angle and a width in degrees, up to 90, as 30,5 or 30,5,10");
    job->desc.angle = f[0].value;
    job->desc.angle_width = f[1].value;
    job->radii[0] = f[2];
    return CLI_DONE;
}

static int read_notches(char *const *texts, filter_job *job) {
    const size_t n = job->desc.volume ? 4 : 3;
    job->desc.kind = MST_FILTER_NOTCH;
    for (; *texts; texts++) {
        cli_frequency f[4];
        if (job->n_notches == MST_FILTER_MAX_NOTCHES)
            return wrong(job, "--notch", *texts, "is one too many; 64 are the most");
        if (!read_frequencies(*texts, n, f) || f[n - 1].value <= 0)
            return wrong(job, "--notch", *texts,
                         job->desc.volume ? "give the place of the notch in the volume and a radius above 0, as 40,-12,5,3"
                                          : "give the place of the notch and a radius above 0, as 40,-12,3");
        job->notches[job->n_notches++] = (cli_notch){f[0], f[1], n == 4 ? f[2] : (cli_frequency){0, false}, f[n - 1]};
    }
    return CLI_DONE;
}

static int take_mask(const char *path, const mst_layout *l, const void *values, filter_job *job) {
    const size_t count = (size_t)cli_layout_bytes(l) / mst_type_bytes(l->type);
    for (size_t i = 0; i < count; i++) {
        job->mask[i] = (float)cli_real_at(l->type, values, i);
        if (!isfinite(job->mask[i])) {
            const size_t width = l->shape[l->rank - 1], row = i / width, height = l->shape[l->rank - 2];
            char page[32] = "";
            if (l->rank == 3)
                snprintf(page, sizeof page, "%zu, ", row / height);
            cli_error(job->command, "%s: [%s%zu, %zu] is not a finite number of single precision", path, page, row % height,
                      i % width);
            return CLI_INPUT_OUTPUT;
        }
    }
    return CLI_DONE;
}

static int read_mask(const char *path, filter_job *job) {
    cli_operand operand = {0};
    int code = cli_has_extension(path, ".npy") ? cli_operand_open(job->command, path, &operand) : CLI_USAGE;
    const mst_layout *l = &operand.layout;
    if (code == CLI_USAGE)
        return wrong(job, "--mask-file", path, "is not called .npy");
    if (code != CLI_DONE)
        return code;
    uint64_t bytes = cli_layout_bytes(l);
    bool fits = l->rank == 2 || (l->rank == 3 && job->desc.volume);
    if ((l->type != MST_FLOAT32 && l->type != MST_FLOAT64) || !fits || bytes == 0 || bytes > job->max_bytes) {
        char shape[200];
        cli_error(job->command, "%s: a mask is float32 or float64 of two axes%s, not %s of shape %s", path,
                  job->desc.volume ? " or three" : "", mst_type_name(l->type), cli_shape_text(l, shape));
        cli_operand_close(&operand);
        return CLI_INPUT_OUTPUT;
    }
    void *values = malloc((size_t)bytes);
    job->mask = values ? malloc((size_t)bytes / mst_type_bytes(l->type) * sizeof *job->mask) : NULL;
    if (!job->mask) {
        cli_error(job->command, "%s: out of memory", path);
        code = CLI_FAILED;
    } else if (!cli_read_bytes(&operand.location, 0, values, (size_t)bytes)) {
        code = cli_fail_file(job->command, path, "cannot be read");
    } else {
        code = take_mask(path, l, values, job);
    }
    job->mask_path = path;
    job->desc.kind = MST_FILTER_MASK;
    job->desc.mask = job->mask;
    job->desc.mask_depth = l->rank == 3 ? l->shape[0] : 1;
    job->desc.mask_height = l->shape[l->rank - 2];
    job->desc.mask_width = l->shape[l->rank - 1];
    free(values);
    cli_operand_close(&operand);
    return code;
}

static int read_wiener(const char *text, filter_job *job) {
    char *end;
    job->desc.kind = MST_FILTER_WIENER;
    if (strcmp(text, "auto") == 0)
        return CLI_DONE;
    job->desc.noise = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(job->desc.noise) && job->desc.noise > 0)
        return CLI_DONE;
    return wrong(job, "--wiener", text,
                 "give the noise's standard deviation in values of pixels, as 10, or auto to have it estimated");
}

// --shape is for masks that are made of circles.
static int read_shapeless(const filter_text *text, filter_job *job) {
    if (text->laplacian)
        return text->shape ? wrong(job, "--shape", text->shape, "a Laplacian is of a Gaussian")
                           : read_pass("--laplacian", text->laplacian, MST_FILTER_LAPLACIAN, job);
    if (text->wiener)
        return text->shape ? wrong(job, "--shape", text->shape, "a Wiener filter has the shape of the image's spectrum")
                           : read_wiener(text->wiener, job);
    return text->shape ? wrong(job, "--shape", text->shape, "a mask of your own has its shape") : read_mask(text->mask_file, job);
}

static int read_kind(const filter_text *text, filter_job *job) {
    int given = (text->sharpen != NULL) + (text->laplacian != NULL) + (text->stripes != NULL) + (text->high_pass != NULL) +
                (text->low_pass != NULL) + (text->band_pass != NULL) + (text->band_stop != NULL) + (text->notches != NULL) +
                (text->mask_file != NULL) + (text->wiener != NULL);
    if (given == 0 && job->spectrum && !job->output && !job->dry_run)
        return CLI_DONE;
    if (given > 0 && job->spectrum && !job->output && !job->show_kernels && !job->dry_run) {
        cli_error(job->command, "no output given for the filter; add -o OUT, or leave it out for the spectrum of IN");
        return CLI_USAGE;
    }
    if (given != 1) {
        cli_error(job->command,
                  "give one of --high-pass, --low-pass, --band-pass, --band-stop, --notch, --stripes, --sharpen, --laplacian, "
                  "--wiener and --mask-file");
        return CLI_USAGE;
    }
    if (text->sharpen)
        return read_sharpen(text->sharpen, job);
    if (text->stripes && job->desc.volume)
        return wrong(job, "--stripes", text->stripes, "is for images; leave out --volume");
    if (text->stripes)
        return read_stripes(text->stripes, job);
    if (text->high_pass)
        return read_pass("--high-pass", text->high_pass, MST_FILTER_HIGH_PASS, job);
    if (text->low_pass)
        return read_pass("--low-pass", text->low_pass, MST_FILTER_LOW_PASS, job);
    if (text->band_pass)
        return read_pass("--band-pass", text->band_pass, MST_FILTER_BAND_PASS, job);
    if (text->band_stop)
        return read_pass("--band-stop", text->band_stop, MST_FILTER_BAND_STOP, job);
    if (text->notches)
        return read_notches(text->notches, job);
    return read_shapeless(text, job);
}

// The shape may have an order: "butterworth:4".
static int read_shape(const char *text, filter_job *job) {
    static const char list[] = "choose ideal, gaussian, or butterworth with an order of 1 to 100, as butterworth:4";
    const char *colon = strchr(text, ':');
    char name[16];
    int value;
    snprintf(name, sizeof name, "%.*s", colon ? (int)(colon - text) : 15, text);
    if (cli_choose(job->command, "--shape", name, shapes, CLI_COUNT(shapes), list, &value) != CLI_DONE)
        return CLI_USAGE;
    job->desc.rolloff = (mst_filter_rolloff)value;
    if (!colon)
        return CLI_DONE;
    char *end;
    long order = strtol(colon + 1, &end, 10);
    if (value != MST_FILTER_BUTTERWORTH || end == colon + 1 || *end || order < 1 || order > 100)
        return wrong(job, "--shape", text, list);
    job->desc.order = (int)order;
    return CLI_DONE;
}

static int read_spectrum(const filter_text *text, filter_job *job) {
    if (text->spectrum && job->n_inputs > 1)
        return wrong(job, "--spectrum", text->spectrum,
                     text->spectrum[0] == '-' ? "takes the name of a file, which does not begin with -" : "is for one image");
    if (text->spectrum && (cli_image_format_of(text->spectrum) == CLI_NO_IMAGE || cli_image_format_of(text->spectrum) == CLI_NPY))
        return wrong(job, "--spectrum", text->spectrum, "the name is to end in .pgm, .pnm, .png, .tif, .tiff, .jpg or .jpeg");
    job->spectrum = text->spectrum;
    return CLI_DONE;
}

// "-", or a format's extension before it: "png:-".
static bool read_standard_output(const char *text, filter_job *job) {
    char extension[16];
    const char *colon = strchr(text, ':');
    if (cli_is_standard(text) || (colon && cli_is_standard(colon + 1))) {
        snprintf(extension, sizeof extension, ".%.*s", colon ? (int)(colon - text) : 0, text);
        job->format = cli_image_format_of(extension);
        job->output = "-";
        return !colon || job->format != CLI_NO_IMAGE;
    }
    return false;
}

static int check_standard(const filter_text *text, const filter_job *job) {
    size_t n_standard = 0;
    for (size_t i = 0; i < job->n_inputs; i++)
        n_standard += cli_is_standard(job->inputs[i]);
    bool out = job->output && cli_is_standard(job->output);
    const char *wrong = NULL;
    if (n_standard > 1 || (n_standard == 1 && job->directory))
        wrong = n_standard > 1 ? "standard input is one image; give - once"
                               : "what comes from standard input has no name for -o DIR/";
    else if (out && (job->n_inputs > 1 || text->stages || job->json || job->show_kernels))
        wrong = job->n_inputs > 1 ? "several images need a directory"
                                  : "standard output is the image's; --json, --stages and --show-kernels need -o OUT";
    else if (out && tcgetpgrp(STDOUT_FILENO) >= 0) // a terminal that Open MPI gives a rank is nobody's, and passes all on
        wrong = "standard output is a terminal; write to a file or a pipe";
    if (wrong)
        cli_error(job->command, "%s", wrong);
    return wrong ? CLI_USAGE : CLI_DONE;
}

static int read_output(const filter_text *text, filter_job *job) {
    struct stat info;
    size_t length = text->output ? strlen(text->output) : 0;
    if (!text->output && (job->show_kernels || text->dry_run || text->spectrum))
        return read_spectrum(text, job);
    if (length == 0) {
        cli_error(job->command, "no output given; add -o OUT or -o DIR/, or --spectrum FILE");
        return CLI_USAGE;
    }
    if (read_standard_output(text->output, job))
        return read_spectrum(text, job);
    job->output = text->output;
    job->directory = text->output[length - 1] == '/' || (stat(text->output, &info) == 0 && S_ISDIR(info.st_mode));
    if (job->directory && (stat(text->output, &info) != 0 || !S_ISDIR(info.st_mode))) {
        cli_error(job->command, "%s: there is no such directory", text->output);
        return CLI_INPUT_OUTPUT;
    }
    if (job->n_inputs > 1 && !job->directory)
        return wrong(job, "-o", text->output, "several images need a directory");
    if (!job->directory && cli_image_format_of(text->output) == CLI_NO_IMAGE)
        return wrong(job, "-o", text->output, "the name is to end in .pgm, .ppm, .pnm, .png, .tif, .tiff, .jpg, .jpeg or .npy");
    return read_spectrum(text, job);
}

// Whether a filter keeps what does not change over the image: the frequency 0.
static bool keeps_mean(const filter_job *job) {
    const mst_filter_desc *d = &job->desc;
    if (d->kind == MST_FILTER_MASK)
        return job->mask[(d->mask_depth / 2 * d->mask_height + d->mask_height / 2) * d->mask_width + d->mask_width / 2] != 0;
    return d->kind != MST_FILTER_HIGH_PASS && d->kind != MST_FILTER_BAND_PASS && d->kind != MST_FILTER_LAPLACIAN;
}

// Opacity weighs where the results are known to be colours.
static int read_alpha(const filter_text *text, filter_job *job) {
    int alpha = 0;
    if (text->alpha &&
        cli_choose(job->command, "--alpha", text->alpha, alphas, CLI_COUNT(alphas), "choose weigh or copy", &alpha) != CLI_DONE)
        return CLI_USAGE;
    job->linear = text->linear != 0;
    job->weigh = alpha != 0;
    if (job->desc.type == MST_FLOAT64 && (job->linear || job->weigh))
        return wrong(job, "--precision", text->precision, "--linear and --alpha weigh compute in float32");
    if (job->desc.kind == MST_FILTER_WIENER && (job->weigh || (job->linear && job->desc.noise > 0)))
        return wrong(job, "--wiener", text->wiener,
                     job->weigh ? "has other masks for colours and opacity; leave out --alpha weigh"
                                : "noise is given of the numbers in the file, which --linear does not filter; give auto");
    bool scaled = job->desc.output_as == MST_FILTER_STRETCH || job->desc.output_as == MST_FILTER_MAGNITUDE;
    if (job->weigh && (scaled || !job->output || !keeps_mean(job)))
        return wrong(job, "--alpha", text->alpha, "is for filters that keep the mean, and for results that are clipped or raw");
    return CLI_DONE;
}

static int read_choices(const filter_text *text, filter_job *job) {
    int edges = MST_FILTER_REFLECT, output = MST_FILTER_AUTO_OUTPUT, algorithm = MST_FILTER_AUTO, code = CLI_DONE;
    if (text->algorithm)
        code = cli_choose(job->command, "--algorithm", text->algorithm, algorithms, CLI_COUNT(algorithms), "choose auto or paper",
                          &algorithm);
    if (algorithm == MST_FILTER_PAPER)
        edges = MST_FILTER_WRAP; // as published
    if (code == CLI_DONE && text->edges)
        code = cli_choose(job->command, "--edges", text->edges, edge_rules, CLI_COUNT(edge_rules), "choose reflect, wrap or zero",
                          &edges);
    if (code == CLI_DONE && text->output_as)
        code = cli_choose(job->command, "--output", text->output_as, outputs, CLI_COUNT(outputs),
                          "choose auto, clip, stretch, magnitude or raw", &output);
    if (code == CLI_DONE && text->shape)
        code = read_shape(text->shape, job);
    if (code == CLI_DONE)
        code = cli_precision(job->command, text->precision, "choose float32 or float64", &job->desc.type);
    if (code == CLI_DONE && algorithm == MST_FILTER_PAPER && (text->wiener || text->volume || job->desc.type == MST_FLOAT64))
        code = wrong(job, "--algorithm", text->algorithm, "is for images in float32; not with --volume, --wiener or float64");
    job->desc.volume = text->volume != 0;
    job->desc.tiles = text->tiles;
    if (code == CLI_DONE && (!(text->tiles >= 0) || text->tiles > 1e6)) {
        cli_error(job->command, "--tiles %g: give the most that results may differ by, 0.001 of the largest pixel, say",
                  text->tiles);
        code = CLI_USAGE;
    }
    if (code == CLI_DONE && text->tiles > 0 && (text->wiener || algorithm == MST_FILTER_PAPER)) {
        cli_error(job->command, "--tiles is for masks that are given, and not for --algorithm paper; leave it out");
        code = CLI_USAGE;
    }
    job->desc.edges = (mst_filter_edges)edges;
    job->desc.output_as = (mst_filter_output)output;
    job->desc.algorithm = (mst_filter_algorithm)algorithm;
    job->desc.time_stages = job->stages = text->stages != 0;
    return code;
}

int filter_read_options(const filter_text *text, filter_job *job) {
    job->max_bytes = (uint64_t)2 << 30;
    job->dry_run = text->dry_run != 0;
    if (text->max_image && !cli_size(text->max_image, &job->max_bytes))
        return wrong(job, "--max-image", text->max_image, "not a size; give bytes, or a number and K, M, G, T");
    job->quality = text->quality;
    if (text->quality < 0 || text->quality > 100) {
        cli_error(job->command, "--quality %d: give 1 to 100", text->quality);
        return CLI_USAGE;
    }
    int code = read_output(text, job);
    if (code == CLI_DONE)
        code = check_standard(text, job);
    if (code == CLI_DONE)
        code = read_choices(text, job);
    if (code == CLI_DONE)
        code = read_kind(text, job);
    return code == CLI_DONE ? read_alpha(text, job) : code;
}

void filter_job_free(filter_job *job) {
    mst_filter_destroy(job->plan);
    mst_context_destroy(job->context);
    free(job->mask);
    for (size_t i = 0; job->paths && i < job->n_inputs; i++)
        free(job->paths[i]);
    free(job->paths);
    for (int k = 0; k < 2; k++)
        cli_place_close(&job->places[k]);
}
