// mastaba-mpi fft: one array's transform by all ranks, which read and write their parts of one file each.
#include "files.h"

#include "core/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "fft";

static const char details[] = "As `mastaba fft`, by all ranks of the job: each reads its part of IN, transforms whole\n"
                              "axes, exchanges parts with the others, and writes its part of OUT. OUT appears only\n"
                              "when all have written. Without axis 0 in --axes nothing is exchanged.\n"
                              "\n"
                              "--layout: slabs (along axis 0, one exchange) or pencils (along axes 0 and 1, two).\n"
                              "By default slabs, or pencils where ranks would be left without. --dry-run prints who\n"
                              "has what, and what is sent.\n"
                              "\n"
                              "With n the product of the transformed lengths, results are multiplied by\n"
                              "  --norm     backward     ortho       forward\n"
                              "  forward    1            1/sqrt(n)   1/n\n"
                              "  inverse    1/n          1/sqrt(n)   1\n"
                              "\n"
                              "Example: the spectrum of a volume, by four ranks\n"
                              "  mpiexec -n 4 mastaba-mpi fft volume.npy -o spectrum.npy --axes 0,1,2 --real\n";

typedef struct request {
    char *output, *axes, *norm, *layout;
    int inverse, real, dry_run; // 0 or 1
    long long length;           // 0: not given
} request;

static const cli_option option_table[] = {
    {"output", 'o', CLI_TEXT, offsetof(request, output), "where the result goes, a .npy file", "OUT.npy"},
    {"inverse", 'i', CLI_FLAG, offsetof(request, inverse), "the inverse transform", NULL},
    {"axes", 0, CLI_TEXT, offsetof(request, axes), "the axes to transform, up to three, as NumPy counts them (default: -1)",
     "LIST"},
    {"real", 'r', CLI_FLAG, offsetof(request, real), "real input, half a spectrum; with --inverse, the way back", NULL},
    {"length", 'n', CLI_LONG, offsetof(request, length), "with --inverse --real: of the result along the last of --axes", "N"},
    {"norm", 0, CLI_TEXT, offsetof(request, norm), "backward, ortho or forward (default: backward)", "NORM"},
    {"layout", 0, CLI_TEXT, offsetof(request, layout), "slabs or pencils (default: by the number of ranks)", "LAYOUT"},
    {"dry-run", 0, CLI_FLAG, offsetof(request, dry_run), "print who has what and what is sent, and end", NULL},
};

enum { BACKWARD, ORTHO, FORWARD };

typedef struct job {
    const request *request;
    int norm;
    mst_mpi_fft_desc desc;
    mst_layout result;
    cli_operand input;
    cli_output output;
    mst_mpi_part in, out;
    void *read; // this rank's part of the input, where it cannot be read by the transform
    mst_location from;
    mst_context *context;
    mst_mpi_fft *plan;
} job;

static int check_request(const request *r, job *j) {
    static const cli_choice norms[] = {{"backward", BACKWARD}, {"ortho", ORTHO}, {"forward", FORWARD}};
    static const cli_choice layouts[] = {{"slabs", MST_MPI_CUT_SLABS}, {"pencils", MST_MPI_CUT_PENCILS}};
    int cut = MST_MPI_CUT_AUTO, code = CLI_DONE;
    if (!r->output && !r->dry_run) {
        cli_error(command, "no output given; add -o OUT.npy");
        return CLI_USAGE;
    }
    if (r->length && (!r->inverse || !r->real || r->length < 0 || r->length > 1LL << 30)) {
        cli_error(command, "--length %lld: give 1 to 2^30, with --inverse --real", r->length);
        return CLI_USAGE;
    }
    if (r->norm)
        code = cli_choose(command, "--norm", r->norm, norms, CLI_COUNT(norms), "no such norm; choose backward, ortho or forward",
                          &j->norm);
    if (code == CLI_DONE && r->layout)
        code = cli_choose(command, "--layout", r->layout, layouts, CLI_COUNT(layouts), "no such layout; choose slabs or pencils",
                          &cut);
    j->desc.cut = (mst_mpi_cut)cut;
    return code == CLI_DONE ? cli_axes(command, r->axes ? r->axes : "-1", MST_MAX_AXES, j->desc.axes, &j->desc.n_axes) : code;
}

static bool is_complex(mst_type type) { return type == MST_COMPLEX64 || type == MST_COMPLEX128; }

static mst_type transformed(mst_type type, bool real) {
    if (type == MST_FLOAT32 || type == MST_COMPLEX64)
        return real ? MST_FLOAT32 : MST_COMPLEX64;
    return real ? MST_FLOAT64 : MST_COMPLEX128;
}

// The length of the real side along the axis that is halved.
static int real_length(const job *j, int axis, size_t *n) {
    size_t m = j->input.layout.shape[axis];
    *n = j->request->length ? (size_t)j->request->length : 2 * (m - 1);
    if (*n > 0 && m > 0)
        return CLI_DONE;
    cli_error(command, "%s: has %zu element%s along axis %d, too few; add --length", j->input.path, m, m == 1 ? "" : "s", axis);
    return CLI_INPUT_OUTPUT;
}

// Completes the description from the input.
static int describe(job *j) {
    const request *r = j->request;
    mst_mpi_fft_desc *d = &j->desc;
    const mst_layout *in = &j->input.layout;
    int last = d->axes[d->n_axes - 1], code = CLI_DONE;
    double n = 1;
    last += last < 0 ? in->rank : 0;
    if (r->real && !r->inverse && is_complex(in->type)) {
        cli_error(command, "%s: holds %s, and --real takes real numbers; leave it out", j->input.path, mst_type_name(in->type));
        return CLI_INPUT_OUTPUT;
    }
    d->rank = in->rank;
    memcpy(d->shape, in->shape, sizeof d->shape);
    d->input = transformed(in->type, r->real && !r->inverse);
    d->output = r->real && r->inverse ? transformed(in->type, true) : (mst_type)0;
    d->direction = r->inverse ? MST_FFT_INVERSE : MST_FFT_FORWARD;
    if (d->output && last >= 0 && last < in->rank)
        code = real_length(j, last, &d->shape[last]);
    for (int i = 0; i < d->n_axes && code == CLI_DONE; i++) {
        int axis = d->axes[i] + (d->axes[i] < 0 ? in->rank : 0);
        if (axis >= 0 && axis < in->rank)
            n *= (double)d->shape[axis];
    }
    d->scale = j->norm == ORTHO ? 1 / sqrt(n) : (j->norm == FORWARD) != (r->inverse != 0) ? 1 / n : 1;
    // Parts are read and written where they are, and files know no order of ranks: neither end is exchanged.
    d->transposed_input = d->transposed_output = MST_MPI_AS_IT_IS;
    j->result = mst_layout_dense(d->output ? d->output : transformed(d->input, false), d->rank, d->shape);
    if (r->real && !r->inverse && last >= 0 && last < in->rank) {
        d->shape[last] = d->shape[last] / 2 + 1;
        j->result = mst_layout_dense(j->result.type, d->rank, d->shape);
        d->shape[last] = in->shape[last];
    }
    return code;
}

// What this rank has. The file's own strides do where the transform can read the file as it is.
static int find_parts(job *j) {
    mst_error error;
    const mst_layout *in = &j->input.layout;
    memcpy(j->desc.output_strides, j->result.strides, sizeof j->desc.output_strides);
    if (mst_mpi_fft_parts(&j->desc, ranks_count(), ranks_number(), &j->in, &j->out, &error) != MST_OK)
        return cli_fail_input(command, j->input.path, &error);
    bool same = in->type == j->in.layout.type;
    for (int k = 0; k < in->rank; k++)
        same &= (j->desc.output && k == (j->desc.axes[j->desc.n_axes - 1] + in->rank) % in->rank)
                    ? in->shape[k] == j->desc.shape[k] / 2 + 1
                    : true;
    const mst_layout own = mst_layout_dense(j->in.layout.type, in->rank, j->in.layout.shape);
    memcpy(j->desc.input_strides, same ? in->strides : own.strides, sizeof in->strides);
    j->from = ranks_part_location(j->input.location, in, &j->in);
    ranks_pause_watch(); // the last ranks may have less to read
    return same ? CLI_DONE : ranks_read_part(command, &j->input, &j->in, &j->read);
}

// ---- Who has what

static const ranks_array_name array_names[] = {{"in", "input"}, {"out", "output"}};

static int print_plan(const job *j, bool json) {
    json_t *list = json ? json_array() : NULL;
    mst_error error;
    int failed = 0;
    for (int rank = 0; rank < ranks_count(); rank++) {
        mst_mpi_part parts[] = {MST_MPI_PART_INIT, MST_MPI_PART_INIT};
        mst_mpi_needs needs = MST_MPI_NEEDS_INIT;
        if (mst_mpi_fft_parts(&j->desc, ranks_count(), rank, &parts[0], &parts[1], &error) != MST_OK ||
            mst_mpi_fft_needs(&j->desc, ranks_count(), rank, &needs, &error) != MST_OK)
            return cli_fail(command, NULL, &error);
        failed |= ranks_add_plan(list, rank, 2, array_names, parts, &needs);
    }
    return json ? cli_print_json(command, cli_json_complete(list, failed || !list)) : cli_flush(command);
}

// ---- The work

static int compute(const cli_options *options, job *j, double *seconds) {
    mst_error error;
    int code = cli_context(command, options, false, &j->context);
    if (code == CLI_DONE && mst_mpi_fft_create(MPI_COMM_WORLD, j->context, &j->desc, &j->plan, &error) != MST_OK)
        code = cli_fail_input(command, j->input.path, &error);
    code = cli_agree(command, code);
    if (code != CLI_DONE)
        return code;
    double start = cli_now();
    mst_location to = ranks_part_location(j->output.location, &j->result, &j->out);
    ranks_pause_watch();
    if (mst_mpi_fft_execute(j->plan, j->read ? mst_at_host(j->read) : j->from, to, &error) != MST_OK) {
        if (mst_mpi_fft_is_broken(j->plan))
            ranks_give_up();
        code = cli_fail_input(command, NULL, &error);
    }
    *seconds = cli_now() - start;
    if (code == CLI_DONE && cli_interrupted())
        code = cli_fail_interrupted(command);
    return cli_agree(command, code);
}

static int print_report(const job *j, bool json, double seconds) {
    char shape[200], time[32], device[320];
    const int *cut = j->in.cut_ranks;
    bool pencils = cut[1] > 1;
    double bytes = (double)(cli_layout_bytes(&j->input.layout) + cli_layout_bytes(&j->result));
    if (json) {
        json_t *names = cli_json_text(cli_device_text(j->context, device));
        return cli_print_json(
            command, json_pack("{s:o, s:o, s:s, s:i, s:s, s:o, s:f}", "output", cli_json_text(j->request->output), "shape",
                               cli_json_sizes(j->result.shape, j->result.rank), "type", mst_type_name(j->result.type), "ranks",
                               ranks_count(), "layout", pencils ? "pencils" : "slabs", "device", names, "seconds", seconds));
    }
    printf("%s: %s %s by %d rank%s in %s on %s in %s, %.2f GB/s\n", j->request->output, cli_shape_text(&j->result, shape),
           mst_type_name(j->result.type), ranks_count(), ranks_count() == 1 ? "" : "s", pencils ? "pencils" : "slabs",
           cli_device_text(j->context, device), cli_time_text(seconds, time), 1e-9 * bytes / seconds);
    return cli_flush(command);
}

static int transform(const cli_options *options, const char *path, job *j) {
    const char *const inputs[] = {path, NULL};
    const request *r = j->request;
    double seconds = 0;
    int code = r->dry_run ? CLI_DONE : cli_output_open(command, r->output, false, options->force, inputs, &j->output);
    if (code == CLI_DONE)
        code = ranks_open_input(command, path, &j->input);
    if (code == CLI_DONE)
        code = cli_agree(command, describe(j));
    if (code == CLI_DONE && r->dry_run)
        return print_plan(j, options->json != 0);
    if (code == CLI_DONE)
        code = ranks_meet(command, find_parts(j));
    if (code == CLI_DONE)
        code = cli_output_begin(&j->output, &j->result, 0);
    if (code == CLI_DONE)
        code = compute(options, j, &seconds);
    if (code == CLI_DONE)
        code = cli_output_commit(&j->output);
    return code == CLI_DONE && ranks_number() == 0 ? print_report(j, options->json != 0, seconds) : code;
}

static int run(const cli_arguments *arguments, void *values) {
    job j = {.request = values, .desc = MST_MPI_FFT_DESC_INIT, .in = MST_MPI_PART_INIT, .out = MST_MPI_PART_INIT};
    j.desc.timeout = arguments->common.timeout;
    int code = check_request(values, &j);
    if (code == CLI_DONE)
        code = transform(&arguments->common, arguments->operands[0], &j);
    mst_mpi_fft_destroy(j.plan);
    mst_context_destroy(j.context);
    free(j.read);
    cli_output_close(&j.output);
    cli_operand_close(&j.input);
    return code;
}

const cli_command mpi_fft = {
    .name = command,
    .summary = "the Fourier transform of one array by all ranks",
    .title = "Fourier transforms of an array that several ranks share.",
    .synopsis = "IN.npy -o OUT.npy [options]",
    .details = details,
    .min_operands = 1,
    .max_operands = 1,
    .leave_out = CLI_KERNELS,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .run = run,
};
