// mastaba fft: Fourier transforms of .npy arrays.
#include "commands.h"
#include "fft_plan.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "fft";

#define NOT_GIVEN LLONG_MIN
#define LONGEST (1LL << 48)

typedef struct request {
    char *output; // NULL: only show the kernels
    char *axes, *norm;
    int inverse, real, shift, dry_run; // 0 or 1
    long long length;                  // NOT_GIVEN: NumPy's default
    long long dct, dst;                // types; NOT_GIVEN: another transform
} request;

static const request defaults = {.length = NOT_GIVEN, .dct = NOT_GIVEN, .dst = NOT_GIVEN};

static const cli_option option_table[] = {
    {"output", 'o', CLI_TEXT, offsetof(request, output), "where the result goes, a .npy file", "OUT.npy"},
    {"inverse", 'i', CLI_FLAG, offsetof(request, inverse), "the inverse transform", NULL},
    {"axes", 0, CLI_TEXT, offsetof(request, axes), "the axes to transform, up to three, as NumPy counts them (default: -1)",
     "LIST"},
    {"real", 'r', CLI_FLAG, offsetof(request, real), "real input, half a spectrum; with --inverse, the way back", NULL},
    {"length", 'n', CLI_LONG, offsetof(request, length), "with --inverse --real: of the result along the last of --axes", "N"},
    {"dct", 0, CLI_LONG, offsetof(request, dct), "cosine transforms of real numbers, of type 1, 2, 3 or 4", "TYPE"},
    {"dst", 0, CLI_LONG, offsetof(request, dst), "sine transforms, of type 1, 2, 3 or 4", "TYPE"},
    {"shift", 's', CLI_FLAG, offsetof(request, shift), "frequency 0 in the middle: NumPy's fftshift", NULL},
    {"dry-run", 0, CLI_FLAG, offsetof(request, dry_run), "print passes, bytes moved and memory, and end", NULL},
    {"norm", 0, CLI_TEXT, offsetof(request, norm), "backward, ortho or forward (default: backward)", "NORM"},
};

typedef enum norm { NORM_BACKWARD, NORM_ORTHO, NORM_FORWARD } norm;

typedef struct job {
    const request *request;
    const char *path; // of the input
    norm norm;
    mst_fft_desc desc;
    mst_layout copied; // what IN is copied to before the transform; rank 0: it is read where it lies
    mst_location copy; // in the output or the scratch file
    unsigned shifted;  // a bit for each axis
    cli_operand input;
    cli_output output;
    cli_whole_file scratch; // for `copied` where the output does not do; never gets a name
    mst_context *context;
    mst_fft *plan;
    mst_report report;
} job;

static bool is_complex(mst_type type) { return type == MST_COMPLEX64 || type == MST_COMPLEX128; }

static bool is_even_or_odd(const request *r) { return r->dct != NOT_GIVEN || r->dst != NOT_GIVEN; }

static int open_input(job *j) {
    const request *r = j->request;
    j->input.only_layout = r->dry_run != 0;
    int code = cli_operand_open(command, j->path, &j->input);
    if (code != CLI_DONE)
        return code;
    if (r->real && !r->inverse && is_complex(j->input.layout.type)) {
        cli_error(command, "%s: holds %s, and --real takes real numbers; leave it out", j->path,
                  mst_type_name(j->input.layout.type));
        return CLI_INPUT_OUTPUT;
    }
    if (is_even_or_odd(r) && is_complex(j->input.layout.type)) {
        cli_error(command, "%s: holds %s, and --dct and --dst take real numbers; transform its real and imaginary parts", j->path,
                  mst_type_name(j->input.layout.type));
        return CLI_INPUT_OUTPUT;
    }
    if (j->input.sample_rate && !is_even_or_odd(r) && (!r->real || r->inverse)) {
        cli_error(command, "%s: holds a sound; add --real for its spectrum", j->path);
        return CLI_INPUT_OUTPUT;
    }
    return CLI_DONE;
}

// Turns the axes that were given into axes from 0 on, and sets `shifted`.
static int resolve_axes(job *j) {
    const mst_layout *layout = &j->input.layout;
    unsigned seen = 0;
    for (int i = 0; i < j->desc.n_axes; i++) {
        int given = j->desc.axes[i], axis = given < 0 ? given + layout->rank : given;
        if (axis < 0 || axis >= layout->rank) {
            cli_error(command, "--axes: there is no axis %d; %s has %d", given, j->input.path, layout->rank);
            return CLI_USAGE;
        }
        if (seen & 1u << axis) {
            cli_error(command, "--axes: axis %d is given twice", axis);
            return CLI_USAGE;
        }
        if (layout->shape[axis] == 0) {
            cli_error(command, "%s: has no elements along axis %d to transform", j->input.path, axis);
            return CLI_INPUT_OUTPUT;
        }
        seen |= 1u << axis;
        j->desc.axes[i] = axis;
    }
    if (j->request->shift)
        j->shifted = j->request->real ? seen & ~(1u << j->desc.axes[j->desc.n_axes - 1]) : seen;
    return CLI_DONE;
}

// The real length n of an inverse real transform, which takes the first n/2 + 1 of m elements, and zeros if there are fewer.
static int real_length(const job *j, int axis, size_t *n) {
    const char *path = j->input.path;
    size_t m = j->input.layout.shape[axis];
    if (j->request->length == NOT_GIVEN) {
        *n = 2 * (m - 1);
        if (m > 1)
            return CLI_DONE;
        cli_error(command, "%s: has 1 element along axis %d, the spectrum of 2 (m - 1) = 0; add --length 1", path, axis);
        return CLI_INPUT_OUTPUT;
    }
    *n = (size_t)j->request->length;
    return CLI_DONE;
}

// The result is in single precision where the input is; NumPy has the same rule.
static mst_type transformed_type(mst_type type, bool real) {
    if (type == MST_FLOAT32 || type == MST_COMPLEX64)
        return real ? MST_FLOAT32 : MST_COMPLEX64;
    return real ? MST_FLOAT64 : MST_COMPLEX128;
}

static double scale_of(norm chosen, bool inverse, double n) {
    if (chosen == NORM_ORTHO)
        return 1 / sqrt(n);
    return (chosen == NORM_FORWARD) != inverse ? 1 / n : 1;
}

// The same for cosine and sine transforms: the lengths that count are those of the periods.
static int describe_even_or_odd(job *j) {
    const request *r = j->request;
    mst_fft_desc *d = &j->desc;
    mst_layout in = j->input.layout;
    double n = 1;
    int code = resolve_axes(j);
    d->kind = (mst_fft_kind)(r->dct != NOT_GIVEN ? MST_FFT_DCT1 - 1 + r->dct : MST_FFT_DST1 - 1 + r->dst);
    for (int i = 0; i < d->n_axes && code == CLI_DONE; i++) {
        size_t length = in.shape[d->axes[i]];
        n *= 2 * (d->kind == MST_FFT_DCT1 ? (double)length - 1 : d->kind == MST_FFT_DST1 ? (double)length + 1 : (double)length);
    }
    mst_type type = transformed_type(in.type, true);
    if (in.type != type)
        in = j->copied = mst_layout_dense(type, in.rank, in.shape);
    d->scale = scale_of(j->norm, r->inverse != 0, n);
    d->orthogonal = j->norm == NORM_ORTHO;
    d->direction = r->inverse ? MST_FFT_INVERSE : MST_FFT_FORWARD;
    d->input = in;
    d->output = mst_layout_dense(in.type, in.rank, in.shape);
    return code;
}

// Completes the description from the input, which is known now.
static int describe(job *j) {
    const request *r = j->request;
    if (is_even_or_odd(r))
        return describe_even_or_odd(j);
    mst_fft_desc *d = &j->desc;
    mst_layout in = j->input.layout;
    size_t real = 0, half = 0;
    int code = resolve_axes(j), last = d->axes[d->n_axes - 1];
    if (code == CLI_DONE && r->real && r->inverse)
        code = real_length(j, last, &real);
    if (code != CLI_DONE)
        return code;
    half = real / 2 + 1;
    bool padded = real && half > in.shape[last];
    if (padded)
        in.shape[last] = half;
    mst_type type = transformed_type(in.type, r->real && !r->inverse);
    if (in.type != type || (r->inverse && j->shifted) || padded)
        in = j->copied = mst_layout_dense(type, in.rank, in.shape);
    mst_layout out = mst_layout_dense(transformed_type(type, r->real && r->inverse), in.rank, in.shape);
    if (real) {
        out.shape[last] = real;
        in.shape[last] = half;
    } else if (r->real) {
        out.shape[last] = in.shape[last] / 2 + 1;
    }
    double n = 1;
    for (int i = 0; i < d->n_axes; i++)
        n *= (double)(r->inverse ? out : in).shape[d->axes[i]];
    d->scale = scale_of(j->norm, r->inverse != 0, n);
    d->direction = r->inverse ? MST_FFT_INVERSE : MST_FFT_FORWARD;
    d->input = in;
    d->output = mst_layout_dense(out.type, out.rank, out.shape);
    return code;
}

// Takes the space of a scratch file where the input is copied to one: where the output has another layout, or the plan takes
// as much RAM in place.
static int begin_copy(job *j, const char *path) {
    mst_fft_needs needs = MST_FFT_NEEDS_INIT;
    mst_error error;
    j->copy = j->output.location;
    const bool known = mst_fft_plan_needs(j->plan, &needs, &error) == MST_OK;
    if (!j->copied.rank || (!j->request->real && known && needs.in_place_bytes == 0))
        return CLI_DONE;
    int code = cli_whole_open(command, &j->output.whole.place, path, false, &j->scratch);
    if (code == CLI_DONE && mst_npy_write_header(fileno(j->scratch.file), &j->copied, &j->copy, &error) != MST_OK)
        code = cli_fail(command, path, &error);
    return code;
}

// Copies the input, converted to the type that is transformed, to a place where it may be changed: the output's file, or a
// scratch file where the output has another layout.
static int copy_input(job *j, mst_location *where) {
    *where = j->copy;
    const cli_array from = {command, j->input.path, j->input.layout, j->input.location};
    const cli_array to = {command, j->output.path, j->copied, *where};
    int code = cli_convert(&from, &to);
    return code == CLI_DONE && j->request->inverse ? cli_shift(&to, j->shifted, true) : code;
}

static int execute(job *j, mst_location input) {
    mst_error error;
    cli_progress progress =
        cli_progress_start(command, (double)(cli_layout_bytes(&j->desc.input) + cli_layout_bytes(&j->desc.output)));
    const mst_execution how = cli_execution(&progress, &j->report);
    mst_status status = mst_fft_execute(j->plan, input, j->output.location, &how, &error);
    cli_progress_end(&progress);
    return status == MST_OK ? CLI_DONE : cli_fail_input(command, NULL, &error);
}

static int compute(job *j) {
    double start = cli_now();
    int code = CLI_DONE;
    mst_location input = j->input.location;
    if (j->copied.rank)
        code = copy_input(j, &input);
    if (code == CLI_DONE)
        code = execute(j, input);
    if (code == CLI_DONE && j->shifted && !j->request->inverse) {
        const cli_array result = {command, j->output.path, j->desc.output, j->output.location};
        code = cli_shift(&result, j->shifted, false);
    }
    if (j->copied.rank || j->shifted)
        j->report.seconds = cli_now() - start;
    return code == CLI_DONE && cli_interrupted() ? cli_fail_interrupted(command) : code;
}

static int print_report(const cli_options *options, job *j) {
    cli_work work = {.command = command,
                     .path = j->output.path,
                     .result = &j->desc.output,
                     .bytes = cli_layout_bytes(&j->desc.input) + cli_layout_bytes(&j->desc.output),
                     .report = &j->report};
    mst_fft_destroy(j->plan); // the copy test takes memory of its own
    j->plan = NULL;
    return cli_report_work(&work, options, j->context);
}

static int make_plan(const cli_options *options, job *j) {
    mst_error error;
    int code = cli_context(command, options, true, &j->context);
    if (code == CLI_DONE && mst_fft_create(j->context, &j->desc, &j->plan, &error) != MST_OK)
        code = cli_fail_input(command, j->input.path, &error);
    return code;
}

static int transform(const cli_options *options, job *j) {
    const char *path = j->request->dry_run ? NULL : j->request->output, *const inputs[] = {j->path, NULL};
    int code = path ? cli_output_open(command, path, false, options->force, inputs, &j->output) : CLI_DONE;
    if (code == CLI_DONE)
        code = open_input(j);
    if (code == CLI_DONE)
        code = describe(j);
    if (code == CLI_DONE && path)
        code = cli_output_begin(&j->output, &j->desc.output, 0);
    if (code == CLI_DONE)
        code = make_plan(options, j);
    if (code == CLI_DONE && !path)
        return j->request->dry_run ? fft_print_plan(command, options, j->path, j->plan) : cli_flush(command);
    if (code == CLI_DONE)
        code = begin_copy(j, path);
    if (code == CLI_DONE)
        code = compute(j);
    if (code == CLI_DONE)
        code = cli_output_commit(&j->output);
    return code == CLI_DONE ? print_report(options, j) : code;
}

static int choose_norm(const char *text, norm *chosen) {
    static const cli_choice norms[] = {{"backward", NORM_BACKWARD}, {"ortho", NORM_ORTHO}, {"forward", NORM_FORWARD}};
    int value = NORM_BACKWARD;
    int code =
        cli_choose(command, "--norm", text, norms, CLI_COUNT(norms), "no such norm; choose backward, ortho or forward", &value);
    *chosen = (norm)value;
    return code;
}

static int check_even_or_odd(const request *r) {
    long long type = r->dct != NOT_GIVEN ? r->dct : r->dst;
    const char *option = r->dct != NOT_GIVEN ? "--dct" : "--dst";
    if (r->dct != NOT_GIVEN && r->dst != NOT_GIVEN) {
        cli_error(command, "--dct and --dst are two transforms; choose one");
        return CLI_USAGE;
    }
    if (type < 1 || type > 4) {
        cli_error(command, "%s %lld: no such type; choose 1, 2, 3 or 4", option, type);
        return CLI_USAGE;
    }
    if (r->real || r->shift) {
        cli_error(command, "%s has real results without a frequency in the middle; leave out %s", option,
                  r->real ? "--real" : "--shift");
        return CLI_USAGE;
    }
    return CLI_DONE;
}

static int check_request(const request *r, bool show_kernels, job *j) {
    if (!r->output && !r->dry_run && !show_kernels) {
        cli_error(command, "no output given; add -o OUT.npy");
        return CLI_USAGE;
    }
    int code = r->norm ? choose_norm(r->norm, &j->norm) : CLI_DONE;
    if (code != CLI_DONE)
        return code;
    code = is_even_or_odd(r) ? check_even_or_odd(r) : CLI_DONE;
    if (code != CLI_DONE)
        return code;
    if (r->length != NOT_GIVEN && (!r->inverse || !r->real)) {
        cli_error(command, "--length is for --inverse --real, the only transform whose length the input leaves open");
        return CLI_USAGE;
    }
    if (r->length != NOT_GIVEN && (r->length < 1 || r->length > LONGEST)) {
        cli_error(command, "--length %lld: not a length; give 1 to 2^48", r->length);
        return CLI_USAGE;
    }
    code = cli_axes(command, r->axes ? r->axes : "-1", MST_MAX_AXES, j->desc.axes, &j->desc.n_axes);
    if (code == CLI_DONE && r->shift && r->real && j->desc.n_axes == 1) {
        cli_error(command, "--shift leaves out the axis that --real halves, the last of --axes; there is no other");
        return CLI_USAGE;
    }
    return code;
}

static int run(const cli_arguments *arguments, void *values) {
    job j = {.request = values, .path = arguments->operands[0], .desc = MST_FFT_DESC_INIT, .report = MST_REPORT_INIT};
    int code = check_request(values, arguments->common.show_kernels, &j);
    if (code == CLI_DONE)
        code = transform(&arguments->common, &j);
    mst_fft_destroy(j.plan);
    mst_context_destroy(j.context);
    cli_whole_close(&j.scratch);
    cli_output_close(&j.output);
    cli_operand_close(&j.input);
    return code;
}

const cli_command cmd_fft = {
    .name = command,
    .summary = "Fourier transforms of arrays of any size",
    .title = "Fourier transforms of the vectors, planes or volumes of an array.",
    .synopsis = "IN.npy -o OUT.npy [options]",
    .details = fft_details,
    .min_operands = 1,
    .max_operands = 1,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .defaults = &defaults,
    .run = run,
};
