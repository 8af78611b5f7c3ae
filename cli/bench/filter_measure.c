// Times of the published filter's stages by work-group size, and of the fused filter on the device.
#include "filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 5 };

static mst_filter_desc describe(mst_type type, size_t n) {
    mst_filter_desc d = MST_FILTER_DESC_INIT;
    const size_t shape[] = {n, n, 1};
    d.input = mst_layout_dense(type, 3, shape);
    d.edges = MST_FILTER_WRAP;
    d.radius = 0.125;
    return d;
}

static double stage_seconds(const mst_filter_stage *stages, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(stages[i].name, name) == 0)
            return stages[i].seconds;
    return 0;
}

static void keep_least(filter_table *t, int group, const mst_filter_stage *stages, size_t count, const mst_report *r,
                       bool first) {
    for (int s = 0; s < FILTER_N_ROWS; s++) {
        const char *name = s < PAPER_N_STAGES ? paper_stages[s].ours : s == PAPER_N_STAGES ? "load" : "store";
        double seconds = name ? stage_seconds(stages, count, name) : s == 0 ? r->upload_seconds : r->download_seconds;
        t->paper[s][group] = first ? seconds : fmin(seconds, t->paper[s][group]);
    }
}

// One column of the table: some runs within `seconds`.
static mst_status measure_group(mst_context *context, const uint8_t *image, uint8_t *result, int group, double seconds,
                                filter_table *t, mst_error *error) {
    mst_filter_desc d = describe(MST_UINT8, t->n);
    mst_filter_stage stages[MST_FILTER_MAX_STAGES];
    mst_execution how = MST_EXECUTION_INIT;
    mst_report report = MST_REPORT_INIT;
    mst_filter *plan;
    size_t count;
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
            status = mst_filter_stages(plan, stages, MST_FILTER_MAX_STAGES, &count, error);
        if (status == MST_OK && run > 0)
            keep_least(t, group, stages, count, &report, run == 1);
    }
    mst_filter_destroy(plan);
    const bool unsupported = status == MST_ERROR_UNSUPPORTED; // larger than the device's work-groups
    if (status == MST_OK || unsupported) {
        t->missing[group] = unsupported;
        t->left_out--;
    }
    return unsupported ? MST_OK : status;
}

static mst_status measure_fused(mst_context *context, filter_table *t, mst_error *error) {
    mst_filter_desc d = describe(MST_FLOAT32, t->n);
    size_t bytes = t->n * t->n * sizeof(float);
    mst_filter *plan = NULL;
    cl_mem buffers[2] = {NULL, NULL};
    cl_int code = CL_SUCCESS;
    double least = INFINITY;
    d.output_as = MST_FILTER_RAW;
    mst_status status = mst_filter_create(context, &d, &plan, error);
    for (int k = 0; k < 2 && status == MST_OK && code == CL_SUCCESS; k++)
        buffers[k] = clCreateBuffer(mst_context_opencl(context), CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (status == MST_OK && code == CL_SUCCESS) {
        const cl_float grey = 0.5f;
        code = clEnqueueFillBuffer(mst_context_queue(context), buffers[0], &grey, sizeof grey, 0, bytes, 0, NULL, NULL);
    }
    for (int run = 0; run <= 2 * MOST_RUNS && status == MST_OK && code == CL_SUCCESS; run++) {
        double start = cli_now();
        status = mst_filter_execute(plan, mst_at_device(buffers[0], 0), mst_at_device(buffers[1], 0), NULL, error);
        if (run > 0)
            least = fmin(least, cli_now() - start);
    }
    if (status == MST_OK && code == CL_SUCCESS)
        t->fused = least;
    for (int k = 0; k < 2; k++)
        if (buffers[k])
            clReleaseMemObject(buffers[k]);
    mst_filter_destroy(plan);
    return status;
}

static mst_status measure_size(mst_context *context, filter_bench *bench, filter_table *t, mst_error *error) {
    size_t pixels = t->n * t->n;
    uint8_t *image = malloc(pixels), *result = malloc(pixels);
    mst_status status = image && result ? MST_OK : MST_ERROR_HOST_MEMORY;
    if (status != MST_OK)
        snprintf(error->message, sizeof error->message, "out of memory for %zu pixels", 2 * pixels);
    error->status = status;
    for (size_t i = 0; i < pixels && status == MST_OK; i++)
        image[i] = (uint8_t)(i * 2654435761u >> 13);
    for (int g = 0; g < PAPER_N_GROUPS && status == MST_OK && !cli_interrupted(); g++) {
        const bool late = g > 0 && cli_now() > bench->run.until;
        bench->run.cut_short |= late;
        if (!late)
            status = measure_group(context, image, result, g, bench->seconds, t, error);
    }
    if (status == MST_OK && !cli_interrupted())
        status = measure_fused(context, t, error);
    free(image);
    free(result);
    return status;
}

bool filter_any(const filter_table *t) {
    bool any = false;
    for (int g = 0; g < PAPER_N_GROUPS; g++)
        any = any || !t->missing[g];
    return any;
}

double filter_rate(const filter_table *t) { return 24 * (double)t->n * (double)t->n / t->fused; }

int filter_measure(void *results) {
    filter_bench *bench = results;
    mst_context *context = bench->run.contexts[BENCH_PROFILED];
    const char *command = bench->run.command;
    mst_error error;
    if (mst_context_copy_rate(context, &bench->copy_rate, &error) != MST_OK)
        return cli_fail(command, NULL, &error);
    for (int i = 0; i < bench->n_sizes; i++) {
        filter_table *t = &bench->tables[i];
        if (i > 0 && cli_now() > bench->run.until) {
            bench->run.cut_short = true;
            break;
        }
        *t = (filter_table){.n = bench->sizes[i], .left_out = PAPER_N_GROUPS, .fused = NAN};
        for (int g = 0; g < PAPER_N_GROUPS; g++)
            t->missing[g] = true;
        bench->n_tables++; // what is there of it counts, should the part be stopped
        if (measure_size(context, bench, t, &error) != MST_OK)
            return cli_fail(command, NULL, &error);
        if (cli_interrupted())
            return cli_fail_interrupted(command);
        if (bench->run.print)
            filter_print(t, bench->copy_rate);
        int code = bench->run.print ? cli_flush(command) : CLI_DONE;
        if (code != CLI_DONE)
            return code;
    }
    return CLI_DONE;
}
