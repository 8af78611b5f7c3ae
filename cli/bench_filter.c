// mastaba bench filter: the published stage table, measured here, and the whole filter on the device.
#include "bench.h"

#include "paper_filter.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "bench filter";

static const char details[] = "A high pass of radius n/8 on n x n grey pixels (8 bits, wrapped edges, ideal), in\n"
                              "host memory, by the published algorithm (--algorithm paper): milliseconds of each\n"
                              "stage on the device, from events, for work-groups of 1 to 512, beside those of the\n"
                              "paper (512 x 512). The least of up to five runs after one to warm up.\n"
                              "\n"
                              "Then the fused filter on n x n float32 pixels that lie on the device, with a\n"
                              "Gaussian low pass: time, and the rate at 24 bytes a point (every value read and\n"
                              "written three times) beside that of a plain copy on the device. bench/filter-peers\n"
                              "sets it beside other libraries.\n"
                              "\n"
                              "Example: the paper's size only\n"
                              "  mastaba bench filter --sizes 512\n";

enum { MOST_SIZES = 8, MOST_RUNS = 5 };

typedef struct table {
    size_t n;
    double paper[PAPER_N_STAGES + 2][PAPER_N_GROUPS]; // seconds; the last two: conversion to and from complex numbers
    bool missing[PAPER_N_GROUPS];
    double fused; // seconds of a run on the device
} table;

static mst_filter_desc describe(mst_type type, size_t n) {
    mst_filter_desc d = MST_FILTER_DESC_INIT;
    const size_t shape[] = {n, n, 1};
    d.input = mst_layout_dense(type, 3, shape);
    d.edges = MST_FILTER_WRAP;
    d.radius = 0.125;
    return d;
}

static double stage_seconds(const mst_filter_stage *stages, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(stages[i].name, name) == 0)
            return stages[i].seconds;
    return 0;
}

static void keep_least(table *t, int group, const mst_filter_stage *stages, int count, const mst_report *r, bool first) {
    for (int s = 0; s < PAPER_N_STAGES + 2; s++) {
        const char *name = s < PAPER_N_STAGES ? paper_stages[s].ours : s == PAPER_N_STAGES ? "load" : "store";
        double seconds = name ? stage_seconds(stages, count, name) : s == 0 ? r->upload_seconds : r->download_seconds;
        t->paper[s][group] = first ? seconds : fmin(seconds, t->paper[s][group]);
    }
}

// One column of the table: some runs within `seconds`.
static mst_status measure_group(mst_context *context, const uint8_t *image, uint8_t *result, int group, double seconds, table *t,
                                mst_error *error) {
    mst_filter_desc d = describe(MST_UINT8, t->n);
    mst_filter_stage stages[MST_FILTER_MAX_STAGES];
    mst_execution how = MST_EXECUTION_INIT;
    mst_report report;
    mst_filter *plan;
    int count;
    d.kind = MST_FILTER_HIGH_PASS;
    d.rolloff = MST_FILTER_IDEAL;
    d.algorithm = MST_FILTER_PAPER;
    d.work_group = paper_groups[group];
    d.time_stages = true;
    how.report = &report;
    mst_status status = mst_filter_create(context, &d, &plan, error);
    double start = cli_now();
    for (int run = 0; run <= MOST_RUNS && status == MST_OK && !cli_interrupted(); run++) {
        if (run > 1 && cli_now() - start > seconds)
            break;
        status = mst_filter_execute(plan, mst_at_host(image), mst_at_host(result), &how, error);
        if (status == MST_OK)
            status = mst_filter_stages(plan, stages, &count, error);
        if (status == MST_OK && run > 0)
            keep_least(t, group, stages, count, &report, run == 1);
    }
    mst_filter_destroy(plan);
    t->missing[group] = status == MST_ERROR_UNSUPPORTED; // larger than the device's work-groups
    return t->missing[group] ? MST_OK : status;
}

static mst_status measure_fused(mst_context *context, table *t, mst_error *error) {
    mst_filter_desc d = describe(MST_FLOAT32, t->n);
    size_t bytes = t->n * t->n * sizeof(float);
    mst_filter *plan = NULL;
    cl_mem buffers[2] = {NULL, NULL};
    cl_int code = CL_SUCCESS;
    d.output_as = MST_FILTER_RAW;
    mst_status status = mst_filter_create(context, &d, &plan, error);
    for (int k = 0; k < 2 && status == MST_OK && code == CL_SUCCESS; k++)
        buffers[k] = clCreateBuffer(mst_context_opencl(context), CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (status == MST_OK && code == CL_SUCCESS) {
        const cl_float grey = 0.5f;
        code = clEnqueueFillBuffer(mst_context_queue(context), buffers[0], &grey, sizeof grey, 0, bytes, 0, NULL, NULL);
    }
    t->fused = code == CL_SUCCESS ? INFINITY : NAN;
    for (int run = 0; run <= 2 * MOST_RUNS && status == MST_OK && code == CL_SUCCESS; run++) {
        double start = cli_now();
        status = mst_filter_execute(plan, mst_at_device(buffers[0], 0), mst_at_device(buffers[1], 0), NULL, error);
        if (run > 0)
            t->fused = fmin(t->fused, cli_now() - start);
    }
    for (int k = 0; k < 2; k++)
        if (buffers[k])
            clReleaseMemObject(buffers[k]);
    mst_filter_destroy(plan);
    return status;
}

static void print_row(const char *name, const double *seconds, const bool *missing, double factor) {
    printf("%-18s", name);
    for (int g = 0; g < PAPER_N_GROUPS; g++) {
        if (missing && missing[g])
            printf("%9s", "-");
        else
            printf("%9.3f", seconds[g] * factor);
    }
    putchar('\n');
}

static void print_table(const table *t) {
    printf("\n%zu x %zu, ms by work-group size\n%-18s", t->n, t->n, "");
    for (int g = 0; g < PAPER_N_GROUPS; g++)
        printf("%9zu", paper_groups[g]);
    putchar('\n');
    for (int s = 0; s < PAPER_N_STAGES; s++) {
        print_row(paper_stages[s].name, t->paper[s], t->missing, 1e3);
        if (t->n == 512)
            print_row("  paper", paper_stages[s].milliseconds, NULL, 1);
    }
    print_row("(to complex)", t->paper[PAPER_N_STAGES], t->missing, 1e3);
    print_row("(from complex)", t->paper[PAPER_N_STAGES + 1], t->missing, 1e3);
}

static void print_fused(const table *t, double copy_rate) {
    double rate = 24 * (double)t->n * (double)t->n / t->fused;
    printf("fused, on the device: %.3f ms, %.1f GB/s at 24 bytes a point, %.2f of a copy (%.1f GB/s)\n", 1e3 * t->fused,
           1e-9 * rate, rate / copy_rate, 1e-9 * copy_rate);
}

static json_t *table_json(const table *t, double copy_rate) {
    json_t *object =
        json_pack("{s:I, s:f, s:f}", "n", (json_int_t)t->n, "fused_seconds", t->fused, "copy_bytes_per_second", copy_rate);
    json_t *groups = json_array();
    int failed = !object || !groups;
    for (int g = 0; g < PAPER_N_GROUPS && !failed; g++) {
        json_t *column = json_pack("{s:I}", "work_group", (json_int_t)paper_groups[g]);
        for (int s = 0; s < PAPER_N_STAGES && !t->missing[g]; s++)
            failed |= json_object_set_new(column, paper_stages[s].name, cli_json_real(t->paper[s][g]));
        failed |= json_array_append_new(groups, column);
    }
    failed |= json_object_set_new(object, "paper_algorithm", groups);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static mst_status measure(mst_context *context, double seconds, table *t, mst_error *error) {
    size_t pixels = t->n * t->n;
    uint8_t *image = malloc(pixels), *result = malloc(pixels);
    mst_status status = image && result ? MST_OK : MST_ERROR_HOST_MEMORY;
    if (status != MST_OK)
        snprintf(error->message, sizeof error->message, "out of memory for %zu pixels", 2 * pixels);
    error->status = status;
    for (size_t i = 0; i < pixels && status == MST_OK; i++)
        image[i] = (uint8_t)(i * 2654435761u >> 13);
    for (int g = 0; g < PAPER_N_GROUPS && status == MST_OK && !cli_interrupted(); g++)
        status = measure_group(context, image, result, g, seconds, t, error);
    if (status == MST_OK && !cli_interrupted())
        status = measure_fused(context, t, error);
    free(image);
    free(result);
    return status;
}

static int run(const cli_options *options, const size_t *sizes, int n_sizes, double seconds) {
    mst_context *context = NULL;
    mst_error error;
    double copy_rate = NAN;
    json_t *list = json_array();
    int code = cli_context(command, options, true, &context);
    if (code == CLI_DONE && mst_context_copy_rate(context, &copy_rate, &error) != MST_OK)
        code = cli_fail(command, NULL, &error);
    if (code == CLI_DONE && !options->json)
        printf("%s\n", mst_context_device(context)->name);
    for (int i = 0; i < n_sizes && code == CLI_DONE; i++) {
        table t = {.n = sizes[i]};
        if (measure(context, seconds, &t, &error) != MST_OK)
            code = cli_fail(command, NULL, &error);
        else if (cli_interrupted())
            code = cli_fail_interrupted(command);
        else if (options->json)
            json_array_append_new(list, table_json(&t, copy_rate));
        else {
            print_table(&t);
            print_fused(&t, copy_rate);
            code = cli_flush(command);
        }
    }
    if (code == CLI_DONE && options->json)
        code = cli_print_json(command, json_pack("{s:s, s:O}", "device", mst_context_device(context)->name, "sizes", list));
    json_decref(list);
    mst_context_destroy(context);
    return code;
}

// "512,4096"
static int read_sizes(const char *text, size_t *sizes) {
    int count = 0;
    for (char *end; count < MOST_SIZES; text = end + 1) {
        unsigned long n = strtoul(text, &end, 10);
        if (end == text || n < 2 || n > 32768 || (n & (n - 1)) != 0 || (*end != ',' && *end != '\0'))
            return 0;
        sizes[count++] = n;
        if (*end == '\0')
            return count;
    }
    return 0;
}

int bench_filter(int argc, const char **argv) {
    char *sizes_text = NULL;
    double seconds = 1;
    size_t sizes[MOST_SIZES];
    int code;
    const struct poptOption options[] = {
        {"sizes", 0, POPT_ARG_STRING, &sizes_text, 0, "sides, powers of two (default: 512,4096)", "N,..."},
        {"cell-seconds", 0, POPT_ARG_DOUBLE, &seconds, 0, "time for one work-group size (default: 1)", "S"},
        POPT_TABLEEND};
    const cli_usage usage = {.command = command,
                             .synopsis = "[options]",
                             .summary = "Measure the stages of the published image filter, and the fused one.",
                             .details = details,
                             .leave_out = CLI_FORCE,
                             .options = options};
    cli_arguments arguments;
    if (cli_parse(&usage, argc, argv, &arguments, &code)) {
        int n_sizes = read_sizes(sizes_text ? sizes_text : "512,4096", sizes);
        code = CLI_USAGE;
        if (n_sizes == 0)
            cli_error(command, "--sizes %s: give up to %d powers of two from 2 to 32768", sizes_text, MOST_SIZES);
        else if (!(seconds > 0 && seconds <= 3600))
            cli_error(command, "--cell-seconds %g: not a time; give up to 3600 seconds", seconds);
        else {
            cli_catch_interrupts();
            code = run(&arguments.common, sizes, n_sizes, seconds);
        }
    }
    cli_free(&arguments);
    free(sizes_text);
    return code;
}
