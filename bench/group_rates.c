// group-rates: what a group of devices does in the time of one of them, beside the goals that bench/scaling-gpus holds it to.
#include "group_rates.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct request {
    char *size, *json, *only;
    double seconds;
    int start; // only make a context, in the library's way or by plain OpenCL
    int bare;
} request;

static const group_sizes small = {.plane = 1024,
                                  .cube = 96,
                                  .layers = 64,
                                  .batch_bytes = (size_t)16 << 20,
                                  .map_bytes = (size_t)4 << 20,
                                  .integrals = 4000,
                                  .runs = 16,
                                  .fft_line = (size_t)1 << 18,
                                  .fft_cube = 64,
                                  .sample_seconds = 0.1};
static const group_sizes full = {.plane = 65536,
                                 .cube = 1536,
                                 .layers = 768,
                                 .batch_bytes = (size_t)2 << 30,
                                 .map_bytes = (size_t)2 << 30,
                                 .integrals = 2000000,
                                 .runs = 256,
                                 .fft_line = (size_t)1 << 30,
                                 .fft_cube = 1024,
                                 .sample_seconds = 0.4};

// ---- What the measurements share

static bool is_asked_for(const group_run *run, const char *name) {
    for (const char *at = run->only; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strncmp(name, at, strcspn(at, ",")) == 0)
            return true;
    return !run->only;
}

bool group_wants(group_run *run, const char *name) {
    if (!is_asked_for(run, name))
        return false;
    if (cli_now() <= run->end)
        return true;
    printf("%-26s left out: the time is over\n", name);
    json_array_append_new(run->left_out, json_string(name));
    return false;
}

static bool write_json(const group_run *run);

void group_row(group_run *run, const char *name, const char *against, double seconds, double ideal, double goal, json_t *more) {
    double ratio = ideal / seconds;
    printf("%-26s %11.4g ms %11.4g ms %7.3f %5.2f %s  of %s; after %.0f s\n", name, 1e3 * seconds, 1e3 * ideal, ratio, goal,
           ratio >= goal ? "yes" : "no ", against, cli_now() - run->began);
    fflush(stdout);
    json_t *row = json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:o}", "case", name, "against", against, "seconds", seconds,
                            "ideal_seconds", ideal, "ratio", ratio, "goal", goal, "more", more ? more : json_null());
    if (!row || json_array_append_new(run->rows, row) != 0)
        fprintf(stderr, "group-rates: out of memory: %s is not in the JSON\n", name);
    write_json(run);
}

void group_failed(group_run *run, const char *name, const char *why) {
    printf("%-26s FAILED: %s\n", name, why);
    fflush(stdout);
    json_array_append_new(run->failures, json_pack("{s:s, s:o}", "case", name, "why", cli_json_text(why)));
    write_json(run);
}

double group_median(mst_status (*work)(void *user, mst_error *error), void *user, mst_error *error) {
    double seconds[GROUP_ROUNDS];
    for (int round = -1; round < GROUP_ROUNDS; round++) {
        double start = cli_now();
        if (work(user, error) != MST_OK)
            return -1;
        if (round >= 0)
            seconds[round] = cli_now() - start;
    }
    return cli_median(seconds, GROUP_ROUNDS);
}

static void log_line(mst_log_level level, const char *text, void *user) {
    (void)level, (void)user;
    fprintf(stderr, "%s\n", text);
}

// Parts of a device have no names of their own: `one` is then the whole of it.
mst_status group_context(const group_run *run, bool group, uint64_t device_memory, mst_context **out, mst_error *error) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    char index[24];
    desc.device = run->options->device;
    desc.device_memory = device_memory;
    desc.host_memory = (uint64_t)64 << 30;
    desc.log = run->options->verbose ? log_line : NULL;
    snprintf(index, sizeof index, "%zu", mst_context_device(run->group)->index);
    if (!group)
        desc.device = index;
    return mst_context_create(&desc, out, error);
}

// ---- Starting

// The first device's context and queue by plain OpenCL, as the shortest program there is.
static int start_bare(void) {
    cl_platform_id platforms[16];
    cl_uint n = 0, found = 0;
    cl_int code = clGetPlatformIDs(16, platforms, &n);
    for (cl_uint i = 0; i < n && i < 16 && code == CL_SUCCESS; i++) {
        cl_device_id device;
        for (int gpu = 1; gpu >= 0 && !found; gpu--)
            if (clGetDeviceIDs(platforms[i], gpu ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_ALL, 1, &device, &found) == CL_SUCCESS &&
                found && (gpu || i + 1 == n)) {
                cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
                cl_command_queue queue = code == CL_SUCCESS ? clCreateCommandQueue(context, device, 0, &code) : NULL;
                if (queue)
                    clReleaseCommandQueue(queue);
                if (context)
                    clReleaseContext(context);
            } else {
                found = 0;
            }
    }
    return code == CL_SUCCESS && found ? CLI_DONE : CLI_NO_DEVICE;
}

// ---- The whole

// After each row, so that whoever ends the program has what was measured; whole or not at all.
static bool write_json(const group_run *run) {
    char date[32], part[4096];
    time_t now = time(NULL);
    if (!run->json)
        return true;
    snprintf(part, sizeof part, "%s.part", run->json);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    json_t *links = json_array(), *devices = json_array();
    for (int n = 1; n <= run->n; n++)
        json_array_append_new(links, json_pack("{s:i, s:f, s:f, s:f, s:f}", "devices", n, "up", run->link[n][LINK_UP], "down",
                                               run->link[n][LINK_DOWN], "one_each", run->link[n][LINK_ONE_EACH], "two_up",
                                               run->link[n][LINK_TWO_UP]));
    for (int i = 0; i < run->n; i++) {
        const mst_device_info *d = mst_context_device_at(run->group, (size_t)i);
        json_array_append_new(devices, json_pack("{s:o, s:s}", "name", cli_json_text(d->name), "driver", d->driver_version));
    }
    json_t *all = json_pack("{s:s, s:f, s:s, s:o, s:o, s:O, s:O, s:O, s:O}", "benchmark", "group-rates", "one_is_worth",
                            run->worth, "date", date, "devices", devices, "links_bytes_a_second", links, "rows", run->rows,
                            "failures", run->failures, "peers", run->peers, "left_out", run->left_out);
    bool written = all && json_dump_file(all, part, JSON_INDENT(2)) == 0 && rename(part, run->json) == 0;
    if (!written)
        fprintf(stderr, "group-rates: cannot write %s\n", run->json);
    json_decref(all);
    return written;
}

// What matters most comes first.
static int measure(group_run *run) {
    printf("%d devices, %s; the one beside them is as large as %g of them\n", run->n, mst_context_device(run->group)->name,
           run->worth);
    if (!group_measure_links(run))
        return CLI_FAILED;
    printf("\n%-26s %14s %14s %7s %5s\n", "case", "group", "ideal", "ratio", "goal");
    group_measure_in_core(run);
    group_measure_integrals(run);
    group_measure_beyond(run);
    group_measure_arrays(run);
    group_measure_spread(run);
    return write_json(run) && json_array_size(run->failures) == 0 ? CLI_DONE : CLI_FAILED;
}

static int run_command(const cli_arguments *arguments, void *values) {
    static const cli_choice names[] = {{"small", 0}, {"full", 1}};
    const request *r = values;
    mst_error error;
    group_run run = {.options = &arguments->common, .only = r->only, .json = r->json, .began = cli_now()};
    int size = 1, code = CLI_DONE;
    if (r->bare)
        return start_bare();
    if (r->size)
        code = cli_choose(NULL, "--size", r->size, names, CLI_COUNT(names), "no such size; choose small or full", &size);
    run.end = run.began + r->seconds;
    run.sizes = size ? &full : &small;
    run.rows = json_array();
    run.failures = json_array();
    run.peers = json_array();
    run.left_out = json_array();
    if (code == CLI_DONE)
        code = cli_context(NULL, &arguments->common, false, &run.group);
    run.n = run.group ? (int)mst_context_n_devices(run.group) : 0;
    if (code == CLI_DONE && run.n > GROUP_MOST_DEVICES) {
        cli_error(NULL, "%d devices; %d at most are taken", run.n, GROUP_MOST_DEVICES);
        code = CLI_USAGE;
    }
    if (code == CLI_DONE && !r->start && group_context(&run, false, 0, &run.one, &error) != MST_OK)
        code = cli_fail(NULL, NULL, &error);
    if (run.one)
        run.worth = (double)mst_context_device(run.one)->compute_units / mst_context_device(run.group)->compute_units;
    if (code == CLI_DONE && !r->start)
        code = measure(&run);
    mst_context_destroy(run.one);
    mst_context_destroy(run.group);
    json_decref(run.rows);
    json_decref(run.failures);
    json_decref(run.peers);
    json_decref(run.left_out);
    return code;
}

static const cli_option options[] = {
    {"size", 0, CLI_TEXT, offsetof(request, size), "small, for a processor, or full (default)", "SIZE"},
    {"only", 0, CLI_TEXT, offsetof(request, only), "cases whose names begin with one of these, separated by commas", "NAMES"},
    {"seconds", 0, CLI_REAL, offsetof(request, seconds), "no case begins later than that (default: 400)", "S"},
    {"start", 0, CLI_FLAG, offsetof(request, start), "only make a context", NULL},
    {"bare", 0, CLI_FLAG, offsetof(request, bare), "only make an OpenCL context, without the library", NULL},
    {"json", 0, CLI_TEXT, offsetof(request, json), "write the results there too", "FILE"},
};
static const request defaults = {.seconds = 400};
static const cli_command command = {
    .title = "What a group of devices does in the time of one of them.",
    .synopsis = "--device LIST [options]",
    .details =
        "Every case is checked: planes beside cuts and whole results have the bits of one device. Ideal is what one device\n"
        "needs, divided by their number, or what the links allow, measured by plain OpenCL on all devices at once.\n"
        "\nExample: parts of a processor\n  group-rates --device 0/2 --size small\n",
    .leave_out = ~(unsigned)(CLI_DEVICE | CLI_VERBOSE),
    .options = options,
    .n_options = CLI_COUNT(options),
    .values_bytes = sizeof(request),
    .defaults = &defaults,
    .run = run_command,
};

int main(int argc, const char **argv) {
    cli_set_program("group-rates");
    return cli_run_command(&command, argc, argv);
}
