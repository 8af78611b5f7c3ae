// mastaba map: element-wise expressions over .npy arrays, and reductions.
#include "commands.h"
#include "map_outputs.h"

#include "core/values.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OPERANDS = MST_MAP_MAX_OUTPUTS + MST_MAP_MAX_INPUTS + MST_MAP_MAX_NUMBERS };

static const char command[] = "map";

static const char details[] = "Computes an expression for every element of arrays, as NumPy would, each given as\n"
                              "NAME=FILE.npy; NAME=NUMBER gives a number. `A = ` before the expression may name\n"
                              "the result. Shapes are broadcast. The arrays may be larger than the device and\n"
                              "than RAM. OUT appears only when it is whole. More operands `B = EXPRESSION`, with\n"
                              "blanks around the =, and more -o, give more results of the same pass.\n"
                              "\n"
                              "sum prod mean min max any all argmin argmax var std count of one argument reduce\n"
                              "it, along --axes or to one number, which is printed where there is no -o; what is\n"
                              "around them is computed from the results: `sum(a * b) / sum(b)`. `cumsum(a * b)` and\n"
                              "`cumprod(a)`, with nothing around them, are running sums and products along the one\n"
                              "axis of --axes. i0, i1 ... are the indices of an element, n0, n1 ... the lengths of\n"
                              "the axes.\n"
                              "\n"
                              "Expressions have + - * / // % ^, comparisons, && || !, & | ~ << >>, c ? a : b,\n"
                              "pi, e, inf, nan, and the functions abs sign floor ceil round trunc sqrt cbrt exp\n"
                              "exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh\n"
                              "acosh atanh erf erfc gamma lgamma sinc isnan isinf isfinite signbit ones_like step\n"
                              "heaviside atan2 hypot min max minimum maximum mod pow copysign nextafter xor where\n"
                              "clip complex real imag conj arg. Integers wrap around.\n"
                              "\n"
                              "Arrays hold bool, int8 to int64, uint8 to uint64, float16 to float64, complex64 or\n"
                              "complex128. Every operation takes place in NumPy's type of its operands, or all of\n"
                              "them in --type; --out-type converts the result. A device that lacks float64\n"
                              "refuses to compute in it, unless --fallback float32 names what takes its place; a\n"
                              "line on stderr and `fallback` in --json say so if it did.\n"
                              "\n"
                              "The kernel works on vectors of 1 to 16 elements. --measure makes test runs of this\n"
                              "very expression at every width and takes the fastest; it prints them with\n"
                              "--verbose.\n"
                              "\n"
                              "Example: the difference of two arrays, weighted\n"
                              "  mastaba map 'A = (B - C) * D' B=b.npy C=c.npy D=d.npy -o a.npy\n";

typedef struct request {
    char **outputs; // NULL: only show the kernels, or print what is one number
    char *type, *out_type, *fallback, *axes;
    char *compile_from;
    int vector_width, measure, show_kernel, keep_axes, ddof;
} request;

static const cli_option option_table[] = {
    {"output", 'o', CLI_TEXTS, offsetof(request, outputs), "where the result goes, a .npy file; again for more", "OUT.npy"},
    {"axes", 'a', CLI_TEXT, offsetof(request, axes), "reduce along these axes, 0,2 say (default: all); cumsum: one", "AXES"},
    {"keep-axes", 0, CLI_FLAG, offsetof(request, keep_axes), "leave the axes that were reduced, with the length 1", NULL},
    {"ddof", 0, CLI_INT, offsetof(request, ddof), "var and std divide by so many less than there are elements", "N"},
    {"type", 't', CLI_TEXT, offsetof(request, type), "compute everything in this type (default: as NumPy would)", "TYPE"},
    {"out-type", 0, CLI_TEXT, offsetof(request, out_type), "the type that the result is converted to; integers saturate", "TYPE"},
    {"fallback", 0, CLI_TEXT, offsetof(request, fallback), "float32: compute in it where the device lacks float64", "TYPE"},
    {"vector-width", 'w', CLI_INT, offsetof(request, vector_width),
     "1, 2, 4, 8 or 16 elements (default: what was tuned, else 32 bytes on a CPU, 16 elsewhere)", "W"},
    {"compile-from", 0, CLI_TEXT, offsetof(request, compile_from),
     "elements from which on a kernel is compiled: 1 always, inf never (default: on CPUs when it is repaid)", "N"},
    {"measure", 'm', CLI_FLAG, offsetof(request, measure), "make test runs of every width and take the fastest", NULL},
    {"show-kernel", 0, CLI_FLAG, offsetof(request, show_kernel), "the same as --show-kernels", NULL},
};

typedef struct job {
    const request *request;
    const cli_arguments *arguments;
    cli_options options;
    mst_map_desc desc;
    mst_map_input inputs[MST_MAP_MAX_INPUTS];
    mst_map_number numbers[MST_MAP_MAX_NUMBERS];
    cli_operand files[MST_MAP_MAX_INPUTS];
    cli_share share; // of the first axis of the result
    char *names[MOST_OPERANDS];
    mst_map_more more[MST_MAP_MAX_OUTPUTS];
    int axes[MST_MAX_RANK];
    map_outputs outputs;
    mst_context *context;
    mst_map *plan;
    mst_report report;
} job;

// Operands before the first NAME=FILE: expressions. All but the first one have blanks before their =, which files have not.
static int read_expressions(job *j, int *n) {
    const char **operands = j->arguments->operands;
    int code = map_outputs_add(command, operands[0], &j->outputs);
    for (*n = 1; *n < j->arguments->n_operands && map_is_expression(operands[*n]) && code == CLI_DONE; ++*n)
        code = map_outputs_add(command, operands[*n], &j->outputs);
    j->desc.expression = j->outputs.all[0].expression;
    j->desc.n_more = j->outputs.n - 1;
    j->desc.more = j->more;
    return code;
}

// 2, 0.5, 1e3 or, of complex numbers, 1j or 1+2j; false if it is none.
static bool read_number(const char *text, mst_map_number *number) {
    char *end;
    number->value = strtod(text, &end);
    const bool is_imaginary = end > text && (*end == 'j' || *end == 'J');
    const bool has_parts = is_imaginary || (end > text && (*end == '+' || *end == '-'));
    if (is_imaginary) {
        number->imaginary = number->value;
        number->value = 0;
    } else if (has_parts) {
        number->imaginary = strtod(end, &end);
    }
    const bool whole = strpbrk(text, ".eEnN") == NULL; // no point, exponent, inf or nan
    number->type = has_parts ? MST_COMPLEX128 : whole ? MST_INT64 : MST_FLOAT64;
    return has_parts ? strcmp(end, "j") == 0 || strcmp(end, "J") == 0 : *end == '\0';
}

// Whether a text that is no number was to be one: it begins as one, and is no file.
static bool is_no_file(const char *text) {
    const char *digit = text + strspn(text, "+-.");
    return *digit >= '0' && *digit <= '9' && !strchr(text, '/') && access(text, F_OK) != 0;
}

// NAME=FILE or NAME=NUMBER.
static int read_operand(job *j, int k) {
    const char *text = j->arguments->operands[k], *equals = strchr(text, '=');
    mst_map_number number = {.name = NULL};
    if (!equals || equals == text || !equals[1]) {
        cli_error(command, "%s: not NAME=FILE.npy or NAME=NUMBER", text);
        return CLI_USAGE;
    }
    char *name = j->names[k] = strndup(text, (size_t)(equals - text));
    if (!name)
        return cli_out_of_memory(command, NULL);
    if (read_number(equals + 1, &number)) {
        if (j->desc.n_numbers == MST_MAP_MAX_NUMBERS) {
            cli_error(command, "%s: more than %d numbers", text, MST_MAP_MAX_NUMBERS);
            return CLI_USAGE;
        }
        number.name = name;
        j->numbers[j->desc.n_numbers++] = number;
        return CLI_DONE;
    }
    if (is_no_file(equals + 1)) {
        cli_error(command, "%s: neither a file nor a number; numbers are 2, 0.5, 1e3 and of complex ones 1j, 1+2j", text);
        return CLI_INPUT_OUTPUT;
    }
    if (j->desc.n_inputs == MST_MAP_MAX_INPUTS) {
        cli_error(command, "%s: more than %d arrays", text, MST_MAP_MAX_INPUTS);
        return CLI_USAGE;
    }
    cli_operand *file = &j->files[j->desc.n_inputs];
    file->takes_float16 = true;
    int code = cli_operand_open(command, equals + 1, file);
    if (code == CLI_DONE)
        j->inputs[j->desc.n_inputs++] = (mst_map_input){name, file->layout};
    return code;
}

static int read_type(const char *option, const char *text, mst_type *type) {
    for (int t = MST_FLOAT32; text && t <= MST_FLOAT16; t++)
        if (strcmp(text, mst_type_name((mst_type)t)) == 0)
            *type = (mst_type)t;
    if (!text || *type)
        return CLI_DONE;
    return cli_wrong_option(
        command, option, text,
        "no such type; choose bool, int8 to int64, uint8 to uint64, float16 to float64, complex64 or complex128");
}

static int read_fallback(const char *text, mst_type *type) {
    if (text && strcmp(text, mst_type_name(MST_FLOAT32)) != 0)
        return cli_wrong_option(command, "--fallback", text,
                                "float64 is the only type that devices may lack, and float32 what can take its place");
    *type = text ? MST_FLOAT32 : (mst_type)0;
    return CLI_DONE;
}

static int read_request(job *j) {
    const request *r = j->request;
    mst_type converted = (mst_type)0;
    int code = CLI_DONE, first = 0;
    if (r->measure && r->vector_width) {
        cli_error(command, "--measure chooses what --vector-width gives; leave out one of them");
        return CLI_USAGE;
    }
    if (r->vector_width < 0) {
        cli_error(command, "--vector-width %d: give 1, 2, 4, 8 or 16", r->vector_width);
        return CLI_USAGE;
    }
    code = read_expressions(j, &first);
    for (int k = first; k < j->arguments->n_operands && code == CLI_DONE; k++)
        code = read_operand(j, k);
    if (code == CLI_DONE && r->axes)
        code = cli_axes(command, r->axes, MST_MAX_RANK, j->axes, &j->desc.n_axes);
    if (code == CLI_DONE)
        code = read_type("--type", r->type, &j->desc.type);
    if (code == CLI_DONE)
        code = read_type("--out-type", r->out_type, &converted);
    j->desc.out_type = converted;
    for (int k = 0; k < j->desc.n_more; k++)
        j->more[k] = (mst_map_more){.expression = j->outputs.all[k + 1].expression, .out_type = converted};
    j->desc.axes = j->axes;
    j->desc.keep_axes = r->keep_axes;
    j->desc.ddof = r->ddof;
    if (code == CLI_DONE)
        code = read_fallback(r->fallback, &j->desc.fallback);
    if (code == CLI_DONE)
        code = cli_compile_from(command, r->compile_from, &j->desc.compile_from);
    j->desc.inputs = j->inputs;
    j->desc.numbers = j->numbers;
    j->desc.vector_width = (unsigned)r->vector_width;
    j->desc.measure = r->measure != 0;
    return code;
}

// Whether an expression reads an index or the length of the first axis, of which a rank knows its share only.
static bool reads_first_index(const char *text) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.";
    for (size_t n; *text; text += n ? n : 1) {
        n = strspn(text, letters);
        if (n == 2 && (memcmp(text, "i0", 2) == 0 || memcmp(text, "n0", 2) == 0))
            return true;
    }
    return false;
}

static int refuse_shared(const char *what) {
    cli_error(command, "ranks share the first axis, so they do not compute %s; `mastaba map` does", what);
    return CLI_USAGE;
}

// Whether an expression runs along the first of `rank` axes.
static bool runs_along_first(const job *j, const char *text, int rank) {
    return rank == 1 && j->desc.n_axes == 0 && (strstr(text, "cumsum") || strstr(text, "cumprod") || strstr(text, "cumulative_"));
}

// What ranks cannot compute from their shares of the first axis.
static int check_shared(const job *j, int rank) {
    const char *why = j->desc.n_axes > 0 || rank > 0 ? NULL : "numbers";
    for (int k = 0; k < j->desc.n_axes; k++)
        if (j->axes[k] == 0 || j->axes[k] == -rank)
            why = "a reduction or a running sum along the first axis";
    for (int k = 0; k < j->outputs.n; k++)
        if (reads_first_index(j->outputs.all[k].expression))
            why = "i0 or n0";
    for (int k = 0; k < j->outputs.n; k++)
        if (runs_along_first(j, j->outputs.all[k].expression, rank))
            why = "a running sum along the first axis";
    return why ? refuse_shared(why) : CLI_DONE;
}

// Cuts the inputs down to this rank's share of the first axis, where they have it.
static int share_inputs(job *j) {
    int rank = 0;
    size_t all = 1;
    if (cli_get_team()->count == 1)
        return CLI_DONE;
    for (int k = 0; k < j->desc.n_inputs; k++)
        rank = j->files[k].layout.rank > rank ? j->files[k].layout.rank : rank;
    for (int k = 0; k < j->desc.n_inputs; k++)
        if (j->files[k].layout.rank == rank && rank > 0 && j->files[k].layout.shape[0] != 1)
            all = j->files[k].layout.shape[0];
    int code = cli_operands_agree(command, j->files, (size_t)j->desc.n_inputs);
    if (code == CLI_DONE)
        code = check_shared(j, rank);
    if (code == CLI_DONE)
        code = cli_share_batch(command, all, &j->share);
    for (int k = 0; k < j->desc.n_inputs && code == CLI_DONE; k++) {
        cli_operand *file = &j->files[k];
        if (file->layout.rank < rank || file->layout.shape[0] == 1)
            continue;
        code = cli_share_cut(command, &j->share, &file->layout, &file->location);
        j->inputs[k].layout = file->layout;
    }
    return code;
}

static int open_outputs(job *j) {
    const char *inputs[MST_MAP_MAX_INPUTS + 1] = {NULL};
    for (int k = 0; k < j->desc.n_inputs; k++)
        inputs[k] = j->files[k].path;
    return map_outputs_open(command, j->request->outputs, j->options.force, inputs, &j->outputs);
}

static int execute(job *j) {
    mst_error error;
    mst_location at[MST_MAP_MAX_INPUTS], to[MST_MAP_MAX_OUTPUTS];
    uint64_t bytes = 0;
    const double work = cli_work_begin();
    for (int k = 0; k < j->outputs.n; k++) {
        to[k] = j->outputs.all[k].location;
        bytes += cli_layout_bytes(mst_map_output_of(j->plan, k));
    }
    for (int k = 0; k < j->desc.n_inputs; k++) {
        at[k] = j->files[k].location;
        bytes += cli_layout_bytes(&j->files[k].layout);
    }
    cli_progress progress = cli_progress_start(command, (double)bytes);
    const mst_execution how = cli_execution(&progress, &j->report);
    mst_status status = mst_map_execute_all(j->plan, at, to, &how, &error);
    cli_progress_end(&progress);
    int code = status == MST_OK ? CLI_DONE : cli_fail_input(command, NULL, &error);
    if (code == CLI_DONE && cli_interrupted())
        code = cli_fail_interrupted(command);
    return cli_work_end(command, code, work, &j->report);
}

// Prints on stderr, since results are on stdout.
static void print_widths(const job *j) {
    double seconds[MST_MAP_N_WIDTHS];
    mst_map_measured(j->plan, seconds);
    fprintf(stderr, "%s map: vectors of %u elements", cli_program(), mst_map_vector_width(j->plan));
    for (int w = 0; w < MST_MAP_N_WIDTHS && j->request->measure; w++)
        fprintf(stderr, "%s%d: %.4g ns", w == 0 ? "; an element takes, by width, " : ", ", 1 << w, 1e9 * seconds[w]);
    fputc('\n', stderr);
}

static int print_report(job *j) {
    mst_layout result = cli_share_whole(&j->share, mst_map_output(j->plan));
    cli_work work = {
        .command = command, .path = j->outputs.all[0].file.path, .result = &result, .bytes = 0, .report = &j->report};
    if (mst_map_wanted(j->plan) != result.type)
        work.fallback_from = mst_type_name(mst_map_wanted(j->plan));
    for (int k = 0; k < j->outputs.n; k++)
        work.bytes += cli_layout_bytes(mst_map_output_of(j->plan, k));
    for (int k = 0; k < j->desc.n_inputs; k++)
        work.bytes += cli_layout_bytes(&j->files[k].layout);
    if (j->options.verbose)
        print_widths(j);
    if (!j->request->outputs)
        return map_outputs_print(command, &j->outputs, j->plan, j->options.json);
    mst_map_destroy(j->plan); // the copy test takes memory of its own
    j->plan = NULL;
    return cli_report_work(&work, &j->options, j->context);
}

static int compute(job *j) {
    mst_error error;
    const request *r = j->request;
    int code = cli_agree(command, read_request(j));
    if (code == CLI_DONE)
        code = share_inputs(j);
    if (code == CLI_DONE && r->outputs)
        code = open_outputs(j);
    if (code == CLI_DONE)
        code = cli_context(command, &j->options, true, &j->context);
    if (code != CLI_DONE)
        return code;
    cli_take_time();
    if (mst_map_create(j->context, &j->desc, &j->plan, &error) != MST_OK)
        code = cli_fail(command, NULL, &error);
    code = cli_agree(command, code);
    if (code == CLI_DONE && cli_get_team()->count > 1 && mst_map_reduces(j->plan) && j->desc.n_axes == 0)
        code = refuse_shared("a reduction along the first axis");
    if (code == CLI_DONE && mst_map_wanted(j->plan) != mst_map_output(j->plan)->type)
        fprintf(stderr, "%s map: %s has no %s: computed in %s\n", cli_program(), mst_context_device(j->context)->name,
                mst_type_name(mst_map_wanted(j->plan)), mst_type_name(mst_map_output(j->plan)->type));
    if (code != CLI_DONE || (!r->outputs && j->options.show_kernels))
        return code == CLI_DONE ? cli_flush(command) : code;
    code = map_outputs_begin(command, &j->outputs, j->plan, &j->share);
    if (code == CLI_DONE)
        code = execute(j);
    if (code == CLI_DONE)
        code = map_outputs_commit(&j->outputs);
    return code == CLI_DONE ? print_report(j) : code;
}

static int run(const cli_arguments *arguments, void *values) {
    job j = {.request = values,
             .arguments = arguments,
             .options = arguments->common,
             .desc = MST_MAP_DESC_INIT,
             .report = MST_REPORT_INIT};
    j.options.show_kernels |= j.request->show_kernel;
    int code = compute(&j);
    mst_map_destroy(j.plan);
    mst_context_destroy(j.context);
    map_outputs_close(&j.outputs);
    for (int k = 0; k < MST_MAP_MAX_INPUTS; k++)
        cli_operand_close(&j.files[k]);
    for (int k = 0; k < MOST_OPERANDS; k++)
        free(j.names[k]);
    return code;
}

const cli_command cmd_map = {
    .name = command,
    .summary = "an expression for every element of arrays, or reduced",
    .title = "An expression for every element of arrays, or reduced.",
    .synopsis = "EXPRESSION NAME=FILE.npy... -o OUT.npy [options]",
    .details = details,
    .min_operands = 2,
    .max_operands = MOST_OPERANDS,
    .of_expressions = true,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .run = run,
};
