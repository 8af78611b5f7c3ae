// mastaba filter: images through masks in the frequency domain.
#include "filter.h"

#include "core/context.h"
#include "core/standard.h"

#include <stdlib.h>
#include <string.h>

static const char command[] = "filter";

static const char details[] = "IN are images, told apart by what they hold: PNM (P2, P3, P5, P6), PNG, TIFF\n"
                              "(grey or RGB of 8 or 16 bits, float32 or float64, grey of 1, 2 or 4 bits,\n"
                              "palettes; stacks of pages too), JPEG, .npy. An opacity channel is kept (--alpha),\n"
                              "and so are texts, EXIF, XMP, IPTC, colour profile and resolution.\n"
                              "The end of OUT's name says what is written: .pgm .ppm .pnm .png .tif .tiff\n"
                              ".jpg .jpeg, in the depth of IN, or .npy. With -o DIR/ every output has the name\n"
                              "of its input, with .tif for numbers that its format cannot hold (--output raw);\n"
                              "a name without an image's extension gets that of what it holds.\n"
                              "An output appears only when it is whole. IN may be -, standard input, and OUT -,\n"
                              "standard output, in the format of IN or a given one: png:-.\n"
                              "\n"
                              "R is a frequency: cycles along the shorter side of the image (64), or a fraction\n"
                              "of Nyquist's, half a cycle per pixel (0.25nyq). One of these says what is kept:\n"
                              "  --high-pass R      what is above R: edges\n"
                              "  --low-pass R       what is below R: a blurred image\n"
                              "  --band-pass R1,R2  what is between, and --band-stop R1,R2 what is not\n"
                              "  --notch X,Y,R      all but what is within R of the frequencies (X, Y) and\n"
                              "                     (-X, -Y): stripes and screens. May be given many times\n"
                              "  --stripes A,W[,R]  all but stripes at A degrees (0: horizontal, anticlockwise),\n"
                              "                     within W degrees; what is below R is kept (1)\n"
                              "  --sharpen R,AMOUNT the image and AMOUNT times what is above R\n"
                              "  --laplacian R      edges by the Laplacian of the Gaussian low pass R\n"
                              "  --mask-file M.npy  as much of every frequency as M (float, 2 axes) says; 0 is in\n"
                              "                     the middle of M, as in the picture of --spectrum\n"
                              "  --wiener NOISE     all but white noise of that standard deviation, in values of\n"
                              "                     pixels (10 of 255); auto estimates it. For every frequency\n"
                              "                     the image's power about it decides\n"
                              "\n"
                              "--shape: gaussian (the default) keeps 0.61 of the frequency R of a low pass,\n"
                              "butterworth[:ORDER] a half (order 2 if not given), ideal cuts sharply and rings.\n"
                              "\n"
                              "--volume: the pages of a stack are a volume, and masks are balls in three axes:\n"
                              "R is cycles along the shortest of them, a notch is X,Y,Z,R, M may have 3 axes.\n"
                              "\n"
                              "--edges: how the image goes on beyond its edges: reflect (mirrored, the default),\n"
                              "wrap (repeated), zero.\n"
                              "\n"
                              "--output: clip limits results to what the format holds, stretch maps the range of\n"
                              "the results and 0 to all of it, magnitude does so with their absolute values,\n"
                              "raw writes them as they are, float32 or, with --precision float64, float64 (.tif\n"
                              "or .npy). The default, auto, is magnitude for filters that remove the mean (high\n"
                              "and band pass), else clip.\n"
                              "\n"
                              "--linear filters what pixels are as light, by the curves of the image's colour\n"
                              "profile, PNG's gamma, or sRGB; raw results stay light.\n"
                              "--alpha weigh: each pixel counts by its opacity, which is filtered as the colours\n"
                              "are, so that what is transparent has no colour to give; for filters that keep\n"
                              "the mean.\n"
                              "\n"
                              "--algorithm paper: a kernel a step, as published (The OpenCL Programming Book);\n"
                              "for square images with a power of two a side, wrapped if --edges is not given.\n"
                              "\n"
                              "--tiles E: an image larger than the device goes in tiles with halos, so wide that\n"
                              "results differ from those of the whole by no more than E of the largest pixel;\n"
                              "the bound that they have is printed. Without it nothing differs, which takes longer\n"
                              "and memory, or disk, for the spectrum.\n"
                              "\n"
                              "Examples: the edges of a photograph, and its spectrum\n"
                              "  mastaba filter photographer.png --high-pass 64 -o edges.png\n"
                              "  mastaba filter photographer.png --spectrum spectrum.png\n";

static const cli_option option_table[] = {
    {NULL, 'o', CLI_TEXT, offsetof(filter_text, output), "where the result goes, or the directory for all", "OUT|DIR/"},
    {"high-pass", 0, CLI_TEXT, offsetof(filter_text, high_pass), "keep frequencies above R", "R"},
    {"low-pass", 0, CLI_TEXT, offsetof(filter_text, low_pass), "keep frequencies below R", "R"},
    {"band-pass", 0, CLI_TEXT, offsetof(filter_text, band_pass), "keep frequencies between two", "R1,R2"},
    {"band-stop", 0, CLI_TEXT, offsetof(filter_text, band_stop), "remove frequencies between two", "R1,R2"},
    {"notch", 0, CLI_TEXTS, offsetof(filter_text, notches), "remove frequencies around one and its opposite", "X,Y,R"},
    {"stripes", 0, CLI_TEXT, offsetof(filter_text, stripes), "remove stripes of one direction", "ANGLE,WIDTH[,R]"},
    {"sharpen", 0, CLI_TEXT, offsetof(filter_text, sharpen), "add what is above R", "R,AMOUNT"},
    {"laplacian", 0, CLI_TEXT, offsetof(filter_text, laplacian), "the Laplacian of a Gaussian", "R"},
    {"mask-file", 0, CLI_TEXT, offsetof(filter_text, mask_file), "a mask of your own", "M.npy"},
    {"wiener", 0, CLI_TEXT, offsetof(filter_text, wiener), "remove white noise, by its standard deviation or estimated",
     "NOISE|auto"},
    {"volume", 0, CLI_FLAG, offsetof(filter_text, volume), "filter a stack along all three axes, not page by page", NULL},
    {"tiles", 0, CLI_REAL, offsetof(filter_text, tiles), "what does not fit goes in tiles, which may differ by E (0.001, say)",
     "E"},
    {"shape", 's', CLI_TEXT, offsetof(filter_text, shape), "ideal, gaussian or butterworth[:ORDER] (default: gaussian)", "SHAPE"},
    {"edges", 'e', CLI_TEXT, offsetof(filter_text, edges), "reflect, wrap or zero (default: reflect)", "RULE"},
    {"output", 0, CLI_TEXT, offsetof(filter_text, output_as), "auto, clip, stretch, magnitude or raw (default: auto)", "RULE"},
    {"linear", 0, CLI_FLAG, offsetof(filter_text, linear), "filter light, by the colour profile or sRGB", NULL},
    {"alpha", 0, CLI_TEXT, offsetof(filter_text, alpha), "copy the opacity, or let it weigh colours (default: copy)", "RULE"},
    {"precision", 0, CLI_TEXT, offsetof(filter_text, precision),
     "float32 or float64 (default: float64 for images of it, else float32)", "TYPE"},
    {"algorithm", 'a', CLI_TEXT, offsetof(filter_text, algorithm), "auto or paper (default: auto)", "NAME"},
    {"spectrum", 0, CLI_TEXT, offsetof(filter_text, spectrum), "draw the spectrum of IN, 0 in the middle, logarithmic", "FILE"},
    {"quality", 0, CLI_INT, offsetof(filter_text, quality), "of JPEG files, 1 to 100 (default: 92)", "Q"},
    {"dry-run", 0, CLI_FLAG, offsetof(filter_text, dry_run), "print what of each image is transformed, by whom, and end", NULL},
    {"stages", 0, CLI_FLAG, offsetof(filter_text, stages), "print the time of each stage on the device", NULL},
    {"max-image", 0, CLI_TEXT, offsetof(filter_text, max_image), "the most memory that an image may take (default: 2GiB)",
     "SIZE"},
};

// An output, and the input that it is made of.
typedef struct output {
    const char *path, *input;
} output;

static int by_path(const void *a, const void *b) { return strcmp(((const output *)a)->path, ((const output *)b)->path); }

static int check_output(const filter_job *job, const char *path) {
    const char *const mask[] = {job->mask_path, NULL};
    if (cli_is_standard(path))
        return CLI_DONE;
    int code = cli_output_available(command, path, job->force, job->inputs);
    return code == CLI_DONE ? cli_output_available(command, path, job->force, mask) : code;
}

// The spectrum may not go to the output's place, even by another name.
static int check_spectrum(const filter_job *job, const char *path) {
    char *real[] = {realpath(job->spectrum, NULL), realpath(path, NULL)};
    bool same = strcmp(job->spectrum, path) == 0 || (real[0] && real[1] && strcmp(real[0], real[1]) == 0);
    free(real[0]);
    free(real[1]);
    if (!same)
        return check_output(job, job->spectrum);
    cli_error(command, "--spectrum and -o are both %s; give another name", path);
    return CLI_USAGE;
}

static int check_different(const filter_job *job) {
    int code = CLI_DONE;
    output *outputs = malloc(job->n_inputs * sizeof *outputs);
    if (!outputs)
        return cli_out_of_memory(command, NULL);
    for (size_t i = 0; i < job->n_inputs; i++)
        outputs[i] = (output){job->paths[i], job->inputs[i]};
    qsort(outputs, job->n_inputs, sizeof *outputs, by_path);
    for (size_t i = 1; i < job->n_inputs && code == CLI_DONE; i++)
        if (by_path(&outputs[i - 1], &outputs[i]) == 0) {
            cli_error(command, "%s and %s would both become %s", outputs[i - 1].input, outputs[i].input, outputs[i].path);
            code = CLI_USAGE;
        }
    free(outputs);
    return code;
}

static int open_spectrum(filter_job *job) {
    int code = job->output ? check_spectrum(job, job->paths[0]) : check_output(job, job->spectrum);
    return code == CLI_DONE ? cli_place_open(command, job->spectrum, &job->places[1]) : code;
}

// Finds the outputs' paths, and sees before any work that every one can be written and that no two have the same place.
static int open_outputs(filter_job *job) {
    int code = CLI_DONE;
    job->paths = calloc(job->n_inputs, sizeof *job->paths);
    if (!job->paths)
        return cli_out_of_memory(command, NULL);
    for (size_t i = 0; i < job->n_inputs && code == CLI_DONE; i++) {
        job->paths[i] = filter_output_path(job, i);
        code = job->paths[i] ? check_output(job, job->paths[i]) : cli_out_of_memory(command, NULL);
    }
    if (code == CLI_DONE)
        code = check_different(job);
    if (code == CLI_DONE && !cli_is_standard(job->paths[0]))
        code = cli_place_open(command, job->paths[0], &job->places[0]);
    return code;
}

static json_t *stages_json(const filter_job *job) {
    json_t *list = json_array();
    bool failed = !list;
    for (int i = 0; i < job->n_stages; i++) {
        json_t *stage = json_pack("{s:s, s:I, s:f}", "name", job->stage_sums[i].name, "launches",
                                  (json_int_t)job->stage_sums[i].launches, "seconds", job->stage_sums[i].seconds);
        failed |= json_array_append_new(list, stage) != 0;
    }
    return cli_json_complete(list, failed);
}

static int print_json(const filter_job *job) {
    const mst_report *r = &job->report;
    char names[320];
    json_t *device = cli_json_text(cli_device_text(job->context, names));
    json_t *object = json_pack("{s:I, s:I, s:I, s:o, s:f, s:f, s:f, s:f, s:I, s:I}", "images", (json_int_t)job->n_done, "pages",
                               (json_int_t)job->pages, "pixels", (json_int_t)job->pixels, "device", device, "seconds", r->seconds,
                               "upload_seconds", r->upload_seconds, "compute_seconds", r->compute_seconds, "download_seconds",
                               r->download_seconds, "upload_bytes", (json_int_t)r->upload_bytes, "download_bytes",
                               (json_int_t)r->download_bytes);
    bool failed = object && job->n_tiles > 0 &&
                  (json_object_set_new(object, "tiles", json_integer((json_int_t)job->n_tiles)) != 0 ||
                   json_object_set_new(object, "tile_bound", cli_json_real(job->bound)) != 0);
    failed |= object && job->together && json_object_set_new(object, "ranks", json_integer(cli_get_team()->count)) != 0;
    failed |= object && job->stages && json_object_set_new(object, "stages", stages_json(job)) != 0;
    return cli_print_json(command, cli_json_complete(object, failed));
}

static void print_stage(const char *name, uint64_t launches, double seconds) {
    if (launches > 0)
        printf("%-18s %8llu %10.3f\n", name, (unsigned long long)launches, 1e3 * seconds);
    else
        printf("%-18s %8s %10.3f\n", name, "", 1e3 * seconds);
}

static int print_text(const filter_job *job) {
    char time[32], names[320];
    if (job->output && cli_is_standard(job->output))
        return CLI_DONE;
    if (!job->output) {
        printf("%s: the spectrum of %s\n", job->spectrum, cli_input_name(job->inputs[0]));
        return cli_flush(command);
    }
    char how[80] = "", pages[40] = "";
    if (job->pages > job->n_done)
        snprintf(pages, sizeof pages, " with %llu pages", (unsigned long long)job->pages);
    if (job->n_tiles > 0)
        snprintf(how, sizeof how, ", in %llu tiles within %.2g of the largest pixel", (unsigned long long)job->n_tiles,
                 job->bound);
    if (job->together)
        snprintf(how, sizeof how, ", each by %d ranks together", cli_get_team()->count);
    printf("%s: %zu image%s%s, %.3g megapixels, filtered on %s in %s%s\n", job->output, job->n_done, job->n_done == 1 ? "" : "s",
           pages, 1e-6 * (double)job->pixels, cli_device_text(job->context, names), cli_time_text(job->report.seconds, time),
           how);
    if (job->stages) {
        printf("\n%-18s %8s %10s\n", "stage", "launches", "ms");
        print_stage("write buffer", 0, job->report.upload_seconds);
        for (int i = 0; i < job->n_stages; i++)
            print_stage(job->stage_sums[i].name, job->stage_sums[i].launches, job->stage_sums[i].seconds);
        print_stage("read buffer", 0, job->report.download_seconds);
    }
    return cli_flush(command);
}

// Filters this process's share of the images, or with the others all of them, and counts those of all.
static int run_share(filter_job *job) {
    const cli_share share = cli_share_of(job->n_inputs, cli_get_team()->number);
    const double began = cli_work_begin();
    job->begin = job->together ? 0 : share.first;
    job->end = job->together ? job->n_inputs : share.first + share.count;
    int code = cli_work_end(command, filter_run_files(job), began, &job->report);
    uint64_t done[] = {job->n_done, job->pixels, job->pages};
    cli_sum(done, CLI_COUNT(done));
    job->n_done = (size_t)done[0];
    job->pixels = done[1];
    job->pages = done[2];
    return code;
}

static int filter(const filter_text *text, const cli_options *options, filter_job *job) {
    int code = cli_agree(command, filter_read_options(text, job));
    filter_choose_team(job);
    if (code == CLI_DONE && job->output && !job->dry_run)
        code = open_outputs(job);
    if (code == CLI_DONE && job->spectrum && !job->dry_run)
        code = open_spectrum(job);
    code = cli_agree(command, code);
    if (code == CLI_DONE)
        code = cli_context(command, options, true, &job->context);
    if (code == CLI_DONE && (job->dry_run || (!job->output && !job->spectrum)))
        return cli_agree(command, filter_plan_files(job));
    if (code == CLI_DONE)
        code = run_share(job);
    if (job->n_done == 0 || code == CLI_INTERRUPTED)
        return code;
    int printed = options->json ? print_json(job) : print_text(job);
    return code == CLI_DONE ? printed : code;
}

static int run(const cli_arguments *arguments, void *values) {
    filter_job job = {.command = command, .desc = MST_FILTER_DESC_INIT};
    job.inputs = arguments->operands;
    job.n_inputs = (size_t)arguments->n_operands;
    job.force = arguments->common.force != 0;
    job.json = arguments->common.json != 0;
    job.timeout = arguments->common.timeout;
    job.show_kernels = arguments->common.show_kernels != 0;
    int code = filter(values, &arguments->common, &job);
    filter_job_free(&job);
    return code;
}

const cli_command cmd_filter = {
    .name = command,
    .summary = "images filtered in the frequency domain",
    .title = "Filters images by frequency: edges, blurring, bands, stripes.",
    .synopsis = "IN... -o OUT|DIR/ --high-pass R [options]",
    .details = details,
    .min_operands = 1,
    .max_operands = CLI_MANY,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(filter_text),
    .run = run,
};
