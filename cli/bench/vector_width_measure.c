// The rates of one kernel by vector width, in every type.
#include "vector_width.h"

#include <stdlib.h>
#include <string.h>

const width_type width_types[N_WIDTH_TYPES] = {
    {"char", MST_INT8, MST_WIDTH_CHAR, 16},     {"short", MST_INT16, MST_WIDTH_SHORT, 8},
    {"int", MST_INT32, MST_WIDTH_INT, 4},       {"long", MST_INT64, MST_WIDTH_LONG, 2},
    {"float", MST_FLOAT32, MST_WIDTH_FLOAT, 4}, {"double", MST_FLOAT64, MST_WIDTH_DOUBLE, 0}};

enum { LEAST_MS = 2 };

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
    return seconds > 0 ? 4.0 * (double)bench->arrays.bytes / seconds : 0;
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

static int opencl(const experiment *x, cl_int code, const char *what) {
    if (code == CL_SUCCESS)
        return CLI_DONE;
    cli_error(x->bench->run.command, "%s: OpenCL error %d", what, (int)code);
    return CLI_FAILED;
}

static int make_arrays(experiment *x) {
    cl_int code = CL_SUCCESS;
    void *data = malloc(x->bench->arrays.bytes);
    if (!data) {
        cli_error(x->bench->run.command, "out of memory for an array of %zu bytes; --mebibytes takes less",
                  x->bench->arrays.bytes);
        return CLI_FAILED;
    }
    for (int a = 0; a < 4 && code == CL_SUCCESS; a++) {
        for (size_t i = 0; i < x->bench->arrays.bytes / mst_type_bytes(x->type); i++)
            put(data, x->type, i, a == 0 ? -1 : pattern(a, i));
        x->arrays[a] = clCreateBuffer(mst_context_opencl(x->context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                      x->bench->arrays.bytes, data, &code);
    }
    free(data);
    return opencl(x, code, "making arrays");
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
            return cli_fail(x->bench->run.command, NULL, &error);
        int code = k + 1 == times ? opencl(x, clWaitForEvents(1, &done), "waiting for a map") : CLI_DONE;
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
    int code = got ? opencl(x,
                            clEnqueueReadBuffer(mst_context_queue(x->context), x->arrays[0], CL_TRUE, 0, x->n * width, got, 0,
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
    cli_error(x->bench->run.command, "%s, vectors of %u: %zu of %zu elements are wrong", mst_type_name(x->type),
              mst_map_vector_width(x->plan), wrong, x->n);
    return CLI_FAILED;
}

static int time_width(experiment *x, unsigned width, double *seconds) {
    static const mst_map_input names[] = {{.name = "B"}, {.name = "C"}, {.name = "D"}};
    mst_map_input inputs[3];
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_error error;
    double samples[BENCH_MOST_ROUNDS], once = 0;
    for (int k = 0; k < 3; k++) {
        inputs[k] = names[k];
        inputs[k].layout = mst_layout_dense(x->type, 1, &x->n);
    }
    desc.expression = "(B - C) * D";
    desc.n_inputs = 3;
    desc.inputs = inputs;
    desc.vector_width = width;
    if (mst_map_create(x->context, &desc, &x->plan, &error) != MST_OK)
        return cli_fail(x->bench->run.command, NULL, &error);
    int code = launch(x, 1, &once);
    if (code == CLI_DONE)
        code = check(x);
    if (code == CLI_DONE)
        code = launch(x, 1, &once);
    int times = once > LEAST_MS * 1e-3 ? 1 : 1 + (int)(LEAST_MS * 1e-3 / (once + 1e-7));
    for (int k = 0; k < x->bench->arrays.rounds && code == CLI_DONE; k++)
        code = cli_interrupted() ? cli_fail_interrupted(x->bench->run.command) : launch(x, times, &samples[k]);
    *seconds = code == CLI_DONE ? cli_median(samples, x->bench->arrays.rounds) : 0;
    mst_map_destroy(x->plan);
    x->plan = NULL;
    return code;
}

static int measure_type(width_bench *bench, int t) {
    const bool print = bench->run.print;
    experiment x = {.bench = bench, .context = bench->run.contexts[BENCH_PLAIN], .type = width_types[t].type};
    if (bench->run.device->preferred_width[width_types[t].claim] == 0) {
        if (print)
            printf("%-7s %6d  not supported by the device\n", width_types[t].name, 0);
        return CLI_DONE;
    }
    int code = make_arrays(&x);
    for (int length = 0; length < N_WIDTH_LENGTHS && code == CLI_DONE; length++) {
        x.n = bench->arrays.bytes / mst_type_bytes(x.type) - (size_t)length;
        for (int w = 0; w < MST_MAP_N_WIDTHS && code == CLI_DONE; w++)
            code = time_width(&x, 1u << w, &bench->seconds[t][length][w]);
        if (print && code == CLI_DONE) {
            width_print(bench, t, length);
            code = cli_flush(bench->run.command);
        }
    }
    bench->measured[t] = code == CLI_DONE;
    free_arrays(&x);
    return code;
}

int width_measure(void *results) {
    width_bench *bench = results;
    int code = CLI_DONE;
    for (int t = 0; t < N_WIDTH_TYPES && code == CLI_DONE; t++) {
        bench->run.cut_short = t > 0 && cli_now() > bench->run.until;
        if (bench->run.cut_short)
            break;
        code = measure_type(bench, t);
    }
    return code;
}
