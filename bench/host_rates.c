// host-rates: how near convolutions of host arrays come to the rate of the link between host and device.
//
// The link's own rate is measured with plain OpenCL: two pinned arrays up and one down at once, in pieces, on two queues. Then
// z = x * y, circular, one pair of vectors after the other, from arrays pinned by the library and from ordinary ones, in turns
// with the link. A rate counts the bytes of all three arrays.
#include "core/cli.h"
#include "say.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ROUNDS = 99, N_WAYS = 3 };
#define PIECE ((size_t)16 << 20)

typedef struct settings {
    char *json;
    int length, mebibytes, rounds;
} settings;

typedef struct rates {
    const settings *settings;
    mst_context *context;
    mst_convolution *plans[2]; // for pinned and for ordinary arrays: a plan keeps its staging memory
    cl_command_queue up, down;
    cl_mem device[2];
    void *pinned[3], *ordinary[3]; // x, y, z
    size_t bytes;                  // of each
    double seconds[N_WAYS][MOST_ROUNDS], median[N_WAYS];
} rates;

static const char *const names[N_WAYS] = {"link", "pinned", "ordinary"};

// Two arrays up and one down at once.
static bool use_link(rates *r) {
    for (size_t at = 0; at < r->bytes; at += PIECE) {
        size_t n = r->bytes - at < PIECE ? r->bytes - at : PIECE;
        for (int k = 0; k < 2; k++)
            if (!bench_opencl(clEnqueueWriteBuffer(r->up, r->device[0], CL_FALSE, 0, n, (char *)r->pinned[k] + at, 0, NULL, NULL),
                              "uploading"))
                return false;
        if (!bench_opencl(clEnqueueReadBuffer(r->down, r->device[1], CL_FALSE, 0, n, (char *)r->pinned[2] + at, 0, NULL, NULL),
                          "downloading"))
            return false;
        clFlush(r->up);
        clFlush(r->down);
    }
    return bench_opencl(clFinish(r->up), "uploading") && bench_opencl(clFinish(r->down), "downloading");
}

static bool convolve(mst_convolution *plan, void *const *arrays) {
    mst_error e;
    return mst_convolution_execute(plan, mst_at_host(arrays[0]), mst_at_host(arrays[1]), mst_at_host(arrays[2]), NULL, &e) ==
               MST_OK ||
           bench_say(NULL, &e);
}

static bool run(rates *r, int way) {
    if (way == 0)
        return use_link(r);
    return convolve(r->plans[way - 1], way == 1 ? r->pinned : r->ordinary);
}

static bool make_plans(rates *r) {
    mst_error e;
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    size_t length = (size_t)r->settings->length, vectors = ((size_t)r->settings->mebibytes << 20) / (length * sizeof(float[2]));
    size_t shape[] = {vectors, length};
    desc.x = desc.y = mst_layout_dense(MST_COMPLEX64, 2, shape);
    desc.mode = MST_CONVOLUTION_CIRCULAR;
    r->bytes = vectors * length * sizeof(float[2]);
    for (int k = 0; k < 2; k++)
        if (mst_convolution_create(r->context, &desc, &r->plans[k], &e) != MST_OK)
            return bench_say(NULL, &e);
    return true;
}

static bool make_arrays(rates *r) {
    mst_error e;
    cl_int code;
    cl_context opencl_context = mst_context_opencl(r->context);
    cl_device_id device = mst_context_device(r->context)->device;
    for (int k = 0; k < 3; k++) {
        r->ordinary[k] = malloc(r->bytes);
        if (!r->ordinary[k] || mst_pinned_create(r->context, r->bytes, &r->pinned[k], &e) != MST_OK) {
            fprintf(stderr, "host-rates: no memory for three arrays of %zu bytes twice; --mebibytes takes less\n", r->bytes);
            return false;
        }
        float *values = r->ordinary[k];
        for (size_t i = 0; i < r->bytes / sizeof *values; i++)
            values[i] = (float)(i * 2654435761u % 1024) / 1024 - 0.5f;
        memcpy(r->pinned[k], values, r->bytes);
    }
    r->up = clCreateCommandQueue(opencl_context, device, 0, &code);
    if (bench_opencl(code, "making a queue"))
        r->down = clCreateCommandQueue(opencl_context, device, 0, &code);
    for (int k = 0; k < 2 && code == CL_SUCCESS; k++)
        r->device[k] = clCreateBuffer(opencl_context, CL_MEM_READ_WRITE, PIECE, NULL, &code);
    return bench_opencl(code, "making queues and buffers");
}

static void release(rates *r) {
    for (int k = 0; k < 2; k++)
        if (r->device[k])
            clReleaseMemObject(r->device[k]);
    if (r->up)
        clReleaseCommandQueue(r->up);
    if (r->down)
        clReleaseCommandQueue(r->down);
    for (int k = 0; k < 2; k++)
        mst_convolution_destroy(r->plans[k]);
    for (int k = 0; k < 3; k++) {
        mst_pinned_destroy(r->context, r->pinned[k]);
        free(r->ordinary[k]);
    }
    mst_context_destroy(r->context);
}

static bool measure(rates *r) {
    int rounds = r->settings->rounds;
    for (int round = -1; round < rounds; round++) // one to warm up
        for (int way = 0; way < N_WAYS; way++) {
            memset(way == 2 ? r->ordinary[2] : r->pinned[2], 0xff, r->bytes); // results of before must not pass
            double start = cli_now();
            if (!run(r, way))
                return false;
            if (round >= 0)
                r->seconds[way][round] = cli_now() - start;
        }
    for (int way = 0; way < N_WAYS; way++)
        r->median[way] = cli_median(r->seconds[way], rounds);
    if (memcmp(r->pinned[2], r->ordinary[2], r->bytes) == 0)
        return true;
    fprintf(stderr, "host-rates: pinned and ordinary arrays gave different results\n");
    return false;
}

static bool report(const rates *r) {
    const mst_device_info *d = mst_context_device(r->context);
    const settings *s = r->settings;
    char date[32];
    time_t t = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&t));
    json_t *all = json_pack("{s:s, s:{s:s, s:s, s:s}, s:s, s:i, s:i, s:i}", "benchmark", "host-rates", "device", "name", d->name,
                            "platform", d->platform_name, "driver", d->driver_version, "date", date, "length", s->length,
                            "mebibytes", s->mebibytes, "rounds", s->rounds);
    printf("%s, driver %s: 3 arrays of %zu bytes, complex64 vectors of %d\n\n%-10s %10s %8s %8s\n", d->name, d->driver_version,
           r->bytes, s->length, "arrays", "ms", "GB/s", "of link");
    for (int way = 0; way < N_WAYS; way++) {
        double seconds = r->median[way], share = r->median[0] / seconds;
        double rate = 3e-9 * (double)r->bytes / seconds;
        printf("%-10s %10.3f %8.2f %8.3f\n", names[way], 1e3 * seconds, rate, share);
        json_object_set_new(all, names[way],
                            json_pack("{s:f, s:f, s:f, s:f, s:f}", "seconds", seconds, "least", r->seconds[way][0], "most",
                                      r->seconds[way][s->rounds - 1], "gb_per_s", rate, "of_link", share));
    }
    bool written = !s->json || json_dump_file(all, s->json, JSON_INDENT(2)) == 0;
    if (!written)
        fprintf(stderr, "host-rates: cannot write %s\n", s->json);
    json_decref(all);
    return written;
}

static int check_settings(const settings *s) {
    if (s->rounds < 1 || s->rounds > MOST_ROUNDS)
        cli_error(NULL, "--rounds %d: 1 to %d are taken", s->rounds, MOST_ROUNDS);
    else if (s->length < 1 || s->mebibytes < 1 || ((size_t)s->mebibytes << 20) / sizeof(float[2]) < (size_t)s->length)
        cli_error(NULL, "--length %d, --mebibytes %d: an array holds one vector at least", s->length, s->mebibytes);
    else
        return CLI_DONE;
    return CLI_USAGE;
}

static int run_command(const cli_arguments *arguments, void *values) {
    const settings *s = values;
    static rates r;
    int code = check_settings(s);
    r.settings = s;
    if (code == CLI_DONE)
        code = cli_context(NULL, &arguments->common, false, &r.context);
    if (code == CLI_DONE && !(make_plans(&r) && make_arrays(&r) && measure(&r) && report(&r)))
        code = CLI_FAILED;
    release(&r);
    return code;
}

static const cli_option options[] = {
    {"length", 'n', CLI_INT, offsetof(settings, length), "points of a vector (default: 4096)", "N"},
    {"mebibytes", 'm', CLI_INT, offsetof(settings, mebibytes), "MiB of each array (default: 512)", "M"},
    {"rounds", 'r', CLI_INT, offsetof(settings, rounds), "measured rounds, 1 to 99 (default: 11)", "N"},
    {"json", 0, CLI_TEXT, offsetof(settings, json), "write the results there too", "FILE"},
};
static const settings defaults = {.length = 4096, .mebibytes = 512, .rounds = 11};
static const cli_command command = {
    .title = "How near convolutions of arrays in host memory come to the rate of the link between host and device.",
    .synopsis = "[options]",
    .details =
        "Arrays that the library pinned and ordinary ones, in turns with plain copies of two arrays up and\none down at once.\n",
    .leave_out = ~(unsigned)CLI_DEVICE,
    .options = options,
    .n_options = CLI_COUNT(options),
    .values_bytes = sizeof(settings),
    .defaults = &defaults,
    .run = run_command,
};

int main(int argc, const char **argv) {
    cli_set_program("host-rates");
    return cli_run_command(&command, argc, argv);
}
