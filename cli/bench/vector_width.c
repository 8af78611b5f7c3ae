// mastaba bench vector-width: the experiment of the templates paper, A[i] = (B[i] - C[i]) * D[i] in every type and vector width.
#include "vector_width.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "bench vector-width";

static const char details[] = "Computes A[i] = (B[i] - C[i]) * D[i] for char, short, int, long, float and double\n"
                              "on vectors of 1, 2, 4, 8 and 16 elements, arrays on the device, and prints the\n"
                              "rate at which the four arrays are moved, beside the width that the device claims\n"
                              "to prefer (`claims`, 0: the type is not supported), the one that wins, and its\n"
                              "time. The second line of a type has one element less, which no width divides.\n"
                              "Times are medians, all of them with --json; every result is checked.\n"
                              "\n"
                              "--plot DIR draws vector-width.svg and .png there, by gnuplot.\n";

const width_type width_types[N_WIDTH_TYPES] = {
    {"char", MST_INT8, MST_WIDTH_CHAR, 16},     {"short", MST_INT16, MST_WIDTH_SHORT, 8},
    {"int", MST_INT32, MST_WIDTH_INT, 4},       {"long", MST_INT64, MST_WIDTH_LONG, 2},
    {"float", MST_FLOAT32, MST_WIDTH_FLOAT, 4}, {"double", MST_FLOAT64, MST_WIDTH_DOUBLE, 0}};

enum { MOST_ROUNDS = 99, LEAST_MS = 2 };

// One type at one length: four arrays on the device.
typedef struct experiment {
    width_bench *bench;
    mst_context *context;
    mst_type type;
    size_t n;
    cl_mem arrays[4]; // A, B, C, D
    mst_map *plan;
} experiment;

double width_rate(const width_bench *bench, int type, int length, int width) {
    double seconds = bench->seconds[type][length][width];
    return seconds > 0 ? 4.0 * (double)bench->bytes / seconds : 0;
}

int width_best(const width_bench *bench, int type, int length) {
    int best = 0;
    for (int w = 1; w < MST_MAP_N_WIDTHS; w++)
        best = width_rate(bench, type, length, w) > width_rate(bench, type, length, best) ? w : best;
    return 1 << best;
}

// Small whole numbers, whose results every type holds; D is never 0, for the sake of the zero's sign.
static int pattern(int array, size_t i) {
    static const size_t periods[] = {1, 40, 7, 3};
    return (int)(i % periods[array]) + (array == 3);
}

static void put(void *data, mst_type type, size_t i, int value) {
    if (type == MST_FLOAT32)
        ((float *)data)[i] = (float)value;
    else if (type == MST_FLOAT64)
        ((double *)data)[i] = value;
    else if (type == MST_INT8)
        ((int8_t *)data)[i] = (int8_t)value;
    else if (type == MST_INT16)
        ((int16_t *)data)[i] = (int16_t)value;
    else if (type == MST_INT32)
        ((int32_t *)data)[i] = value;
    else
        ((int64_t *)data)[i] = value;
}

static int opencl(cl_int code, const char *what) {
    if (code == CL_SUCCESS)
        return CLI_DONE;
    cli_error(command, "%s: OpenCL error %d", what, (int)code);
    return CLI_FAILED;
}

static int make_arrays(experiment *x) {
    cl_int code = CL_SUCCESS;
    void *data = malloc(x->bench->bytes);
    if (!data) {
        cli_error(command, "out of memory for an array of %zu bytes; --mebibytes takes less", x->bench->bytes);
        return CLI_FAILED;
    }
    for (int a = 0; a < 4 && code == CL_SUCCESS; a++) {
        for (size_t i = 0; i < x->bench->bytes / mst_type_bytes(x->type); i++)
            put(data, x->type, i, a == 0 ? -1 : pattern(a, i));
        x->arrays[a] = clCreateBuffer(mst_context_opencl(x->context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, x->bench->bytes,
                                      data, &code);
    }
    free(data);
    return opencl(code, "making arrays");
}

static void free_arrays(experiment *x) {
    for (int a = 0; a < 4; a++)
        if (x->arrays[a])
            clReleaseMemObject(x->arrays[a]);
    memset(x->arrays, 0, sizeof x->arrays);
}

// So many times back to back.
static int launch(const experiment *x, int times, double *seconds) {
    mst_error error;
    const mst_location in[] = {mst_at_device(x->arrays[1], 0), mst_at_device(x->arrays[2], 0), mst_at_device(x->arrays[3], 0)};
    double start = cli_now();
    for (int k = 0; k < times; k++) {
        cl_event done = NULL;
        mst_execution how = MST_EXECUTION_INIT;
        how.event = &done;
        if (mst_map_execute(x->plan, in, mst_at_device(x->arrays[0], 0), &how, &error) != MST_OK)
            return cli_fail(command, NULL, &error);
        int code = k + 1 == times ? opencl(clWaitForEvents(1, &done), "waiting for a map") : CLI_DONE;
        clReleaseEvent(done);
        if (code != CLI_DONE)
            return code;
    }
    *seconds = (cli_now() - start) / times;
    return CLI_DONE;
}

static int check(const experiment *x) {
    size_t width = mst_type_bytes(x->type);
    unsigned char *got = malloc(x->n * width), expected[8];
    size_t wrong = 0;
    int code = got ? opencl(clEnqueueReadBuffer(mst_context_queue(x->context), x->arrays[0], CL_TRUE, 0, x->n * width, got, 0,
                                                NULL, NULL),
                            "reading a result")
                   : CLI_FAILED;
    for (size_t i = 0; code == CLI_DONE && i < x->n; i++) {
        put(expected, x->type, 0, (pattern(1, i) - pattern(2, i)) * pattern(3, i));
        wrong += memcmp(got + i * width, expected, width) != 0;
    }
    free(got);
    if (code == CLI_DONE && wrong == 0)
        return CLI_DONE;
    cli_error(command, "%s, vectors of %u: %zu of %zu elements are wrong", mst_type_name(x->type), mst_map_vector_width(x->plan),
              wrong, x->n);
    return CLI_FAILED;
}

static int time_width(experiment *x, unsigned width, double *seconds) {
    static const mst_map_input names[] = {{.name = "B"}, {.name = "C"}, {.name = "D"}};
    mst_map_input inputs[3];
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_error error;
    double samples[MOST_ROUNDS], once = 0;
    for (int k = 0; k < 3; k++) {
        inputs[k] = names[k];
        inputs[k].layout = mst_layout_dense(x->type, 1, &x->n);
    }
    desc.expression = "(B - C) * D";
    desc.n_inputs = 3;
    desc.inputs = inputs;
    desc.vector_width = width;
    if (mst_map_create(x->context, &desc, &x->plan, &error) != MST_OK)
        return cli_fail(command, NULL, &error);
    int code = launch(x, 1, &once);
    if (code == CLI_DONE)
        code = check(x);
    if (code == CLI_DONE)
        code = launch(x, 1, &once);
    int times = once > LEAST_MS * 1e-3 ? 1 : 1 + (int)(LEAST_MS * 1e-3 / (once + 1e-7));
    for (int k = 0; k < x->bench->rounds && code == CLI_DONE; k++)
        code = cli_interrupted() ? cli_fail_interrupted(command) : launch(x, times, &samples[k]);
    *seconds = code == CLI_DONE ? bench_median(samples, x->bench->rounds) : 0;
    mst_map_destroy(x->plan);
    x->plan = NULL;
    return code;
}

static void print_line(const width_bench *bench, int t, int length) {
    char claims[16] = "";
    if (length == 0)
        snprintf(claims, sizeof claims, "%u", (unsigned)bench->device->preferred_width[width_types[t].claim]);
    printf("%-7s %6s %5s", length == 0 ? width_types[t].name : "", claims, length == 0 ? "n" : "n - 1");
    for (int w = 0; w < MST_MAP_N_WIDTHS; w++)
        printf(" %8.1f", 1e-9 * width_rate(bench, t, length, w));
    double least = bench->seconds[t][length][0];
    for (int w = 1; w < MST_MAP_N_WIDTHS; w++)
        least = fmin(least, bench->seconds[t][length][w]);
    printf(" %5d %8.3f\n", width_best(bench, t, length), 1e3 * least);
}

static int measure_type(width_bench *bench, mst_context *context, int t, bool print) {
    experiment x = {.bench = bench, .context = context, .type = width_types[t].type};
    if (bench->device->preferred_width[width_types[t].claim] == 0) {
        if (print)
            printf("%-7s %6d  not supported by the device\n", width_types[t].name, 0);
        return CLI_DONE;
    }
    int code = make_arrays(&x);
    for (int length = 0; length < N_WIDTH_LENGTHS && code == CLI_DONE; length++) {
        x.n = bench->bytes / mst_type_bytes(x.type) - (size_t)length;
        for (int w = 0; w < MST_MAP_N_WIDTHS && code == CLI_DONE; w++)
            code = time_width(&x, 1u << w, &bench->seconds[t][length][w]);
        if (print && code == CLI_DONE) {
            print_line(bench, t, length);
            code = cli_flush(command);
        }
    }
    bench->measured[t] = code == CLI_DONE;
    free_arrays(&x);
    return code;
}

json_t *width_json(const width_bench *bench) {
    json_t *types = json_array();
    for (int t = 0; t < N_WIDTH_TYPES; t++) {
        int claims = (int)bench->device->preferred_width[width_types[t].claim];
        json_t *object = json_pack("{s:s, s:i, s:b, s:b}", "type", width_types[t].name, "claims", claims, "supported", claims > 0,
                                   "measured", bench->measured[t]);
        for (int length = 0; length < N_WIDTH_LENGTHS && bench->measured[t]; length++) {
            json_t *rates = json_object();
            char width[8];
            for (int w = 0; w < MST_MAP_N_WIDTHS; w++) {
                snprintf(width, sizeof width, "%d", 1 << w);
                json_object_set_new(rates, width,
                                    json_pack("{s:o, s:o}", "seconds", cli_json_real(bench->seconds[t][length][w]),
                                              "bytes_per_second", cli_json_real(width_rate(bench, t, length, w))));
            }
            json_object_set_new(object, length == 0 ? "n" : "n_less_one",
                                json_pack("{s:i, s:o}", "best", width_best(bench, t, length), "widths", rates));
        }
        json_array_append_new(types, object);
    }
    return json_pack("{s:s, s:o, s:s, s:o, s:I, s:i, s:o}", "benchmark", command, "device", cli_json_text(bench->device->name),
                     "date", bench->date, "driver", cli_json_text(bench->device->driver_version), "array_bytes",
                     (json_int_t)bench->bytes, "rounds", bench->rounds, "types", types);
}

int width_measure(mst_context *context, bool print, width_bench *bench) {
    int code = CLI_DONE;
    bench->device = mst_context_device(context);
    bench_date(bench->date);
    if (print)
        printf("%s, driver %s: A = (B - C) * D, GB/s by vector width, arrays of %zu bytes\n\n%-7s %6s %5s %8d %8d %8d %8d %8d "
               "%5s %8s\n",
               bench->device->name, bench->device->driver_version, bench->bytes, "type", "claims", "", 1, 2, 4, 8, 16, "best",
               "in ms");
    for (int t = 0; t < N_WIDTH_TYPES && code == CLI_DONE; t++) {
        bench->cut_short = t > 0 && cli_now() > bench->until;
        if (bench->cut_short)
            break;
        code = measure_type(bench, context, t, print);
    }
    return code;
}

static int run_benchmark(const cli_options *options, const char *plot, width_bench *bench) {
    mst_context *context = NULL;
    cli_plot picture = width_plot(bench);
    int code = plot ? cli_plot_check(command, plot, &picture, options->force) : CLI_DONE;
    if (code == CLI_DONE)
        code = cli_context(command, options, false, &context);
    if (code == CLI_DONE)
        code = width_measure(context, !options->json, bench);
    if (code == CLI_DONE && options->json)
        code = cli_print_json(command, width_json(bench));
    if (code == CLI_DONE && plot)
        code = cli_plot_draw(command, plot, &picture);
    mst_context_destroy(context);
    return code == CLI_DONE ? cli_flush(command) : code;
}

typedef struct request {
    int mebibytes, rounds;
    char *plot; // NULL: no picture
} request;

static const request defaults = {.mebibytes = 64, .rounds = 11};

static const cli_option option_table[] = {
    {"mebibytes", 0, CLI_INT, offsetof(request, mebibytes), "of each array, in MiB (default: 64)", "M"},
    {"rounds", 0, CLI_INT, offsetof(request, rounds), "measured runs, 1 to 99 (default: 11)", "N"},
    {"plot", 0, CLI_TEXT, offsetof(request, plot), "draw the rates into this directory", "DIR"},
};

static int run(const cli_arguments *arguments, void *values) {
    const request *r = values;
    if (r->mebibytes < 1 || r->mebibytes > 1 << 16) {
        cli_error(command, "--mebibytes %d: give 1 to 65536", r->mebibytes);
        return CLI_USAGE;
    }
    if (r->rounds < 1 || r->rounds > MOST_ROUNDS) {
        cli_error(command, "--rounds %d: give 1 to %d", r->rounds, MOST_ROUNDS);
        return CLI_USAGE;
    }
    width_bench bench = {.bytes = (size_t)r->mebibytes << 20, .rounds = r->rounds, .until = INFINITY};
    cli_catch_interrupts();
    return run_benchmark(&arguments->common, r->plot, &bench);
}

const cli_command bench_vector_width = {
    .name = command,
    .summary = "one kernel on vectors of 1 to 16 elements, in every type",
    .title = "Compare vector widths of one kernel in every type.",
    .synopsis = "[options]",
    .details = details,
    .leave_out = CLI_MEMORY | CLI_VERBOSE | CLI_KERNELS,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .defaults = &defaults,
    .run = run,
};
