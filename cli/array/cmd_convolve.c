// mastaba convolve: batched convolution and correlation of .npy arrays and sounds.
#include "commands.h"
#include "convolve_first.h"
#include "convolve_together.h"
#include "files.h"
#include "stream.h"

#include "core/json.h"

#include <stdlib.h>
#include <string.h>

static const char command[] = "convolve";

static const char details[] = "X and Y are .npy files (real, complex or integer) or sounds (anything that\n"
                              "libsndfile reads), told apart by what they hold. The last axis is the vector, or\n"
                              "--axes says which one, two for images or three for volumes. All others are batch:\n"
                              "equal in X and Y, or 1 everywhere in one of the two, whose one vector then goes\n"
                              "with each of the other's. The operand with fewer axes gets leading axes of 1. A\n"
                              "sound has the shape (channels, frames).\n"
                              "\n"
                              "With n and m the lengths of X and Y along an axis, Z holds what SciPy's convolve\n"
                              "and correlate return, by --mode:\n"
                              "  full       n + m - 1 values (the default)\n"
                              "  same       n values, the middle of full\n"
                              "  valid      |n - m| + 1 values, those that need no zero padding\n"
                              "  circular   n values, with X and Y periodic; n = m\n"
                              "Z is float32 or complex64 if X and Y are, otherwise float64 or complex128.\n"
                              "\n"
                              "The end of Z's name says what is written: .npy, or a sound if X or Y is one:\n"
                              ".wav .aiff .au .caf .w64 .rf64 (float32, or float64 if the result is), .flac\n"
                              "(24 bits), .ogg .opus (lossy). Z appears only when it is whole.\n"
                              "\n"
                              "--algorithm: auto (direct, overlap-save or fused; --verbose says why), fused\n"
                              "(transforms, in as few passes through memory as can be: one for short vectors),\n"
                              "direct (sums over the shorter operand, for short ones), overlap-save (images by\n"
                              "kernels below 64 x 64, in tiles that go through memory once), reference\n"
                              "(sequential, on the host), or paper-a to paper-e (the published OpenCL variants).\n"
                              "\n"
                              "With - for X and Z, X is a stream: WAV, or raw samples with --raw, comes from\n"
                              "standard input and goes to standard output while it comes, in full, in constant\n"
                              "memory, no sample later than --latency; float64 if Y, a WAV or --float64 is.\n"
                              "\n"
                              "Examples: a recording in a room, from its impulse response; images, blurred\n"
                              "  mastaba convolve speech.wav room.wav -o speech-in-room.wav\n"
                              "  mastaba convolve images.npy blur.npy -o blurred.npy --axes -2,-1 --mode same\n";

typedef struct request {
    char *output; // NULL: only show the kernels
    char *mode, *algorithm, *axes;
    int correlate;    // 0 or 1
    int raw, latency; // of a stream; 0: not given
    int wide;         // 0 or 1
    int dry_run;      // 0 or 1
} request;

static const cli_option option_table[] = {
    {"output", 'o', CLI_TEXT, offsetof(request, output), "where the result goes: .npy, or a sound", "Z"},
    {"mode", 'm', CLI_TEXT, offsetof(request, mode), "what is kept: full, same, valid or circular (default: full)", "MODE"},
    {"correlate", 0, CLI_FLAG, offsetof(request, correlate), "correlate X with Y instead", NULL},
    {"axes", 0, CLI_TEXT, offsetof(request, axes), "the axes that are convolved along, up to three (default: -1)", "LIST"},
    {"algorithm", 'a', CLI_TEXT, offsetof(request, algorithm),
     "auto, direct, overlap-save, fused, reference, or paper-a to paper-e (default: auto)", "NAME"},
    {"dry-run", 0, CLI_FLAG, offsetof(request, dry_run), "print how the data would pass through the device, and end", NULL},
    {"latency", 0, CLI_INT, offsetof(request, latency), "of a stream: samples, a power of two (default: 256)", "N"},
    {"raw", 0, CLI_INT, offsetof(request, raw), "of a stream: raw float32 samples of so many channels, not WAV", "CHANNELS"},
    {"float64", 0, CLI_FLAG, offsetof(request, wide), "of a stream: raw samples and results are float64", NULL},
};

typedef struct job {
    mst_convolution_desc desc;
    cli_operand x, y;
    cli_output z;
    mst_context *context;
    mst_convolution *plan;
    mst_report report;
    cli_share share;  // of the first axis of the result
    mst_layout whole; // the result of all
    mst_location from[2], to;
    bool is_along;        // ranks share an axis that is convolved along
    bool is_together;     // by transforms of the whole
    convolve_first first; // what of it
    bool dry_run;
} job;

static int choose_mode(const char *text, mst_convolution_mode *mode) {
    static const cli_choice modes[] = {{"full", MST_CONVOLUTION_FULL},
                                       {"same", MST_CONVOLUTION_SAME},
                                       {"valid", MST_CONVOLUTION_VALID},
                                       {"circular", MST_CONVOLUTION_CIRCULAR}};
    int value = MST_CONVOLUTION_FULL;
    int code = cli_choose(command, "--mode", text, modes, CLI_COUNT(modes), "no such mode; choose full, same, valid or circular",
                          &value);
    *mode = (mst_convolution_mode)value;
    return code;
}

static int choose_algorithm(const char *text, mst_convolution_algorithm *algorithm) {
    for (int a = MST_CONVOLUTION_AUTO; a <= MST_CONVOLUTION_OVERLAP_SAVE; a++)
        if (strcmp(text, mst_convolution_algorithm_name((mst_convolution_algorithm)a)) == 0) {
            *algorithm = (mst_convolution_algorithm)a;
            return CLI_DONE;
        }
    return cli_wrong_option(command, "--algorithm", text,
                            "no such algorithm; choose auto, direct, overlap-save, fused, reference, or paper-a to paper-e");
}

// The layout with leading axes of length 1 up to `rank`, as NumPy broadcasts.
static mst_layout with_rank(const mst_layout *layout, int rank) {
    mst_layout result = {layout->type, rank, {0}, {0}};
    int more = rank - layout->rank;
    for (int k = 0; k < rank; k++) {
        result.shape[k] = k < more ? 1 : layout->shape[k - more];
        result.strides[k] = k < more ? 0 : layout->strides[k - more];
    }
    return result;
}

static int open_inputs(const char *const *paths, job *j) {
    j->x.only_layout = j->y.only_layout = j->dry_run;
    int code = cli_operand_open(command, paths[0], &j->x);
    if (code == CLI_DONE)
        code = cli_operand_open(command, paths[1], &j->y);
    if (code != CLI_DONE)
        return code;
    if (j->x.sample_rate && j->y.sample_rate && j->x.sample_rate != j->y.sample_rate) {
        cli_error(command, "%s is sampled at %d Hz and %s at %d Hz; resample one of them", paths[0], j->x.sample_rate, paths[1],
                  j->y.sample_rate);
        return CLI_INPUT_OUTPUT;
    }
    int rank = j->x.layout.rank > j->y.layout.rank ? j->x.layout.rank : j->y.layout.rank;
    j->desc.x = with_rank(&j->x.layout, rank);
    j->desc.y = with_rank(&j->y.layout, rank);
    return CLI_DONE;
}

static int begin_output(const char *path, job *j) {
    mst_layout result;
    mst_error error;
    if (mst_convolution_result(&j->desc, &result, &error) != MST_OK)
        return cli_fail_input(command, NULL, &error);
    j->whole = j->desc.z = result;
    if (!path)
        return CLI_DONE;
    int rate = j->x.sample_rate ? j->x.sample_rate : j->y.sample_rate;
    int code = cli_output_begin(&j->z, &result, rate);
    if (code == CLI_DONE)
        j->whole = j->desc.z = j->z.layout;
    return code;
}

// What ranks cannot share is refused before there is an output.
static int check_shared(job *j) {
    const mst_convolution_desc *d = &j->desc;
    const cli_operand both[] = {j->x, j->y};
    if (cli_get_team()->count == 1)
        return CLI_DONE;
    for (int a = 0; a < d->n_axes; a++)
        j->is_along = j->is_along || d->axes[a] == 0 || d->axes[a] == -d->x.rank;
    j->is_together = j->is_along && convolve_is_together(d);
    const bool is_alone = d->x.shape[0] == 0 || d->y.shape[0] == 0 || (d->mode == MST_CONVOLUTION_CIRCULAR && !j->is_together);
    if (j->is_along && is_alone) {
        cli_error(command,
                  "ranks share the first axis, and do not convolve along one that is empty, or the only one in a circle; "
                  "`mastaba convolve` does");
        return CLI_INPUT_OUTPUT;
    }
    return cli_operands_agree(command, both, CLI_COUNT(both));
}

// Cuts operands and result down to this rank's share of the batch.
static int share_batch(job *j) {
    j->from[0] = j->x.location;
    j->from[1] = j->y.location;
    j->to = j->z.location;
    if (cli_get_team()->count == 1)
        return CLI_DONE;
    int code = cli_share_batch(command, j->whole.shape[0], &j->share);
    if (code == CLI_DONE && j->is_along) {
        mst_layout own = j->whole; // where this rank's part of the file begins
        code = cli_share_cut(command, &j->share, &own, &j->to);
        if (code == CLI_DONE)
            code = convolve_first_cut(command, &j->share, &j->desc, &j->from[0], &j->first);
        return cli_agree(command, code);
    }
    if (code == CLI_DONE)
        code = cli_share_cut(command, &j->share, &j->desc.x, &j->from[0]);
    if (code == CLI_DONE)
        code = cli_share_cut(command, &j->share, &j->desc.y, &j->from[1]);
    return code == CLI_DONE ? cli_share_cut(command, &j->share, &j->desc.z, &j->to) : code;
}

static uint64_t all_bytes(const job *j) {
    return cli_layout_bytes(&j->desc.x) + cli_layout_bytes(&j->desc.y) + cli_layout_bytes(&j->desc.z);
}

static int make_plan(const cli_options *options, job *j) {
    mst_error error;
    int code = cli_context(command, options, true, &j->context);
    cli_take_time();
    if (code == CLI_DONE && mst_convolution_create(j->context, &j->desc, &j->plan, &error) != MST_OK)
        code = cli_fail_input(command, NULL, &error);
    return cli_agree(command, code);
}

static int compute(job *j) {
    mst_error error;
    cli_progress progress = cli_progress_start(command, (double)all_bytes(j));
    const mst_execution how = cli_execution(&progress, &j->report);
    const double began = cli_work_begin();
    const mst_location to = j->is_along ? mst_at_host(j->first.values) : j->to;
    const mst_status status = mst_convolution_execute(j->plan, j->from[0], j->from[1], to, &how, &error);
    cli_progress_end(&progress);
    int code = status == MST_OK ? CLI_DONE : cli_fail_input(command, NULL, &error);
    if (code == CLI_DONE && j->is_along)
        code = convolve_first_write(command, j->z.path, &j->first, &j->desc.z, &j->to);
    if (code == CLI_DONE && cli_interrupted())
        code = cli_fail_interrupted(command);
    return cli_work_end(command, code, began, &j->report);
}

// 0: nothing is padded.
static size_t padded_length(const mst_convolution *plan) {
    return mst_convolution_algorithm_used(plan) == MST_CONVOLUTION_DIRECT ? 0 : mst_convolution_padded_length(plan);
}

static int print_report(const cli_options *options, job *j) {
    cli_work work = {.command = command, .path = j->z.path, .result = &j->whole, .bytes = all_bytes(j), .report = &j->report};
    mst_convolution_algorithm used = mst_convolution_algorithm_used(j->plan);
    char why[200]; // which the plan's own goes with
    work.algorithm = mst_convolution_algorithm_name(used);
    snprintf(why, sizeof why, "%s", mst_convolution_explain(j->plan));
    work.why = why;
    work.on_host = used == MST_CONVOLUTION_REFERENCE;
    work.padded_length = padded_length(j->plan);
    mst_convolution_destroy(j->plan); // the copy test takes memory of its own
    j->plan = NULL;
    return cli_report_work(&work, options, j->context);
}

static int print_forecast_json(const job *j, const mst_convolution_forecast *f) {
    json_t *object = json_object(), *panel = json_array();
    const struct {
        const char *name;
        uint64_t value;
    } members[] = {{"padded_length", padded_length(j->plan)}, {"panels", f->panels},
                   {"panel_length", f->panel_length},         {"read_bytes", f->read_bytes},
                   {"written_bytes", f->written_bytes},       {"device_bytes", f->device_bytes},
                   {"spectra_bytes", f->spectra_bytes}};
    int failed = !object || !panel;
    for (int a = 0; a < j->desc.n_axes && f->panels > 0 && f->spectra_bytes == 0; a++)
        failed |= json_array_append_new(panel, json_integer((json_int_t)f->panel_shape[a]));
    failed |= json_object_set_new(object, "shape", cli_json_sizes(j->desc.z.shape, j->desc.z.rank));
    failed |= json_object_set_new(object, "type", json_string(mst_type_name(j->desc.z.type)));
    failed |= json_object_set_new(object, "algorithm",
                                  json_string(mst_convolution_algorithm_name(mst_convolution_algorithm_used(j->plan))));
    for (size_t i = 0; i < CLI_COUNT(members); i++)
        failed |= json_object_set_new(object, members[i].name, json_integer((json_int_t)members[i].value));
    failed |= json_object_set_new(object, "panel_shape", panel);
    return cli_print_json(command, cli_json_complete(object, failed));
}

// "708 x 708"
static const char *panel_text(const job *j, const mst_convolution_forecast *f, char out[80]) {
    int n = 0;
    for (int a = 0; a < j->desc.n_axes; a++)
        n += snprintf(out + n, 80 - (size_t)n, "%s%llu", a ? " x " : "", (unsigned long long)f->panel_shape[a]);
    return out;
}

// What --dry-run prints.
static int print_forecast(const cli_options *options, const job *j) {
    mst_convolution_forecast f = MST_CONVOLUTION_FORECAST_INIT;
    mst_error error;
    char shape[200], read[32], written[32], device[32], spectra[32], panel[80];
    if (mst_convolution_predict(j->plan, &f, &error) != MST_OK)
        return cli_fail_input(command, NULL, &error);
    if (options->json)
        return print_forecast_json(j, &f);
    printf("%s %s by %s", cli_shape_text(&j->desc.z, shape), mst_type_name(j->desc.z.type),
           mst_convolution_algorithm_name(mst_convolution_algorithm_used(j->plan)));
    if (f.spectra_bytes > 0)
        printf(" in %llu panels of its transforms, between which spectra take %s of RAM", (unsigned long long)f.panels,
               cli_size_text(f.spectra_bytes, spectra));
    else if (f.panels > 0)
        printf(" in %llu panels of %s results", (unsigned long long)f.panels, panel_text(j, &f, panel));
    if (padded_length(j->plan) > 0)
        printf(", padded to %zu", padded_length(j->plan));
    printf(": reads %s, writes %s", cli_size_text(f.read_bytes, read), cli_size_text(f.written_bytes, written));
    if (mst_convolution_algorithm_used(j->plan) != MST_CONVOLUTION_REFERENCE)
        printf("; each takes %s of the device", cli_size_text(f.device_bytes, device));
    printf("\n");
    return cli_flush(command);
}

static int convolve_all(const char *path, const cli_options *options, job *j) {
    convolve_together work = {.command = command, .desc = &j->desc, .operands = {&j->x, &j->y}, .output = &j->z};
    work.dry_run = j->dry_run;
    work.report = j->report;
    j->z.path = path;
    const int code = convolve_do_together(&work, &j->z, options);
    j->context = work.context;
    return code;
}

static int convolve(const char *const *inputs, const char *path, const cli_options *options, job *j) {
    int code = path ? cli_output_open(command, path, true, options->force, inputs, &j->z) : CLI_DONE;
    if (code == CLI_DONE)
        code = cli_agree(command, open_inputs(inputs, j));
    if (code == CLI_DONE)
        code = check_shared(j);
    if (code == CLI_DONE)
        code = begin_output(path, j);
    if (code == CLI_DONE && j->is_together)
        return convolve_all(path, options, j);
    if (code == CLI_DONE)
        code = share_batch(j);
    if (code == CLI_DONE)
        code = make_plan(options, j);
    if (code == CLI_DONE && !path)
        return j->dry_run ? print_forecast(options, j) : cli_flush(command);
    if (code == CLI_DONE)
        code = compute(j);
    if (code == CLI_DONE)
        code = cli_output_commit(&j->z);
    return code == CLI_DONE ? print_report(options, j) : code;
}

static int check_request(const request *r, bool show_kernels, mst_convolution_desc *desc) {
    if (!r->output && !show_kernels && !r->dry_run) {
        cli_error(command, "no output given; add -o Z");
        return CLI_USAGE;
    }
    int code = r->mode ? choose_mode(r->mode, &desc->mode) : CLI_DONE;
    if (code == CLI_DONE && r->algorithm)
        code = choose_algorithm(r->algorithm, &desc->algorithm);
    if (code == CLI_DONE)
        code = cli_axes(command, r->axes ? r->axes : "-1", MST_CONVOLUTION_MAX_AXES, desc->axes, &desc->n_axes);
    desc->correlate = r->correlate != 0;
    return code;
}

// Whether the operands are a stream, and the options those of one, or not. *code: whether they go together.
static bool is_stream(const request *r, const cli_arguments *a, int *code) {
    bool in = strcmp(a->operands[0], "-") == 0, out = r->output && strcmp(r->output, "-") == 0;
    const char *wrong = NULL;
    if (in != out)
        wrong = "a stream goes from standard input to standard output; give - for X and for -o";
    else if (!in && (r->raw || r->latency || r->wide))
        wrong = "--raw, --float64 and --latency are for streams: - for X and for -o";
    else if (in && (r->mode || r->correlate || r->axes || r->algorithm || r->dry_run || a->common.json || a->common.show_kernels))
        wrong = "a stream is convolved in full; --mode, --axes, --dry-run, --json and the like are for files";
    else if (in && cli_get_team()->count > 1)
        wrong = "ranks do not share a stream; `mastaba convolve` takes it";
    else if (r->raw < 0 || r->raw > 1024 || r->latency < 0)
        wrong = r->latency < 0 ? "--latency is a power of two" : "--raw is 1 to 1024 channels";
    if (wrong)
        cli_error(command, "%s", wrong);
    *code = wrong ? CLI_USAGE : CLI_DONE;
    return in && out;
}

static int run(const cli_arguments *arguments, void *values) {
    const request *r = values;
    int stream_code;
    bool stream = is_stream(r, arguments, &stream_code);
    if (stream_code != CLI_DONE)
        return stream_code;
    if (stream)
        return cli_convolve_stream(command, arguments->operands[1], r->raw, r->wide != 0, r->latency, &arguments->common);
    job j = {.desc = MST_CONVOLUTION_DESC_INIT, .report = MST_REPORT_INIT, .dry_run = r->dry_run != 0};
    int code = check_request(r, arguments->common.show_kernels, &j.desc);
    if (code == CLI_DONE)
        code = convolve(arguments->operands, r->dry_run ? NULL : r->output, &arguments->common, &j);
    mst_convolution_destroy(j.plan);
    mst_context_destroy(j.context);
    free(j.first.values);
    cli_output_close(&j.z);
    cli_operand_close(&j.x);
    cli_operand_close(&j.y);
    return code;
}

const cli_command cmd_convolve = {
    .name = command,
    .summary = "convolution and correlation of arrays and sounds",
    .title = "Convolves or correlates the vectors of two arrays or sounds.",
    .synopsis = "X Y -o Z [options]",
    .details = details,
    .min_operands = 2,
    .max_operands = 2,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .run = run,
};
