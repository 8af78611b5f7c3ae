// deconvolution-rates: Richardson-Lucy of one volume, or image, that lies on the device, beside what the copy rate gives for ten
// passes over its points, 80 bytes of each, and beside a composition of VkFFT's transforms and plain kernels.
//
// Edges are circular, so that a shape is what is transformed. Both start from the image's mean, and their results are compared.
// An iteration is the difference of two runs, of few and of many of them. With --part N also between arrays in pinned host
// memory, copies included: all iterations with all of the device's memory, and in bricks with an N-th of what that takes.
#include "core/cli.h"
#include "deconvolution_peer.h"
#include "json.h"
#include "say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 99, FEW = 5, MANY = 25, N_WAYS = 2, WHOLE = 0, PART = 1 };
#define PASSES_BYTES 80.0

typedef struct settings {
    char *shape, *json;
    int psf, rounds, part;
} settings;

typedef struct rates {
    const settings *settings;
    const char *device;
    mst_context *context;
    size_t shape[3], points;
    mst_deconvolution *plans[2]; // of few iterations and of many
    deconvolution_peer *peer;
    cl_mem image, results[N_WAYS];
    float mean;
    double copy_rate, seconds[N_WAYS][MOST_ROUNDS], median[N_WAYS], difference; // of an iteration; of the results, relative
    json_t *part; // what the device's memory in parts came to; NULL: not asked for
} rates;

static bool has_memory(const void *memory) {
    if (!memory)
        fprintf(stderr, "deconvolution-rates: out of memory\n");
    return memory != NULL;
}

// ---- What is deconvolved: bright points in some light, blurred by nothing; what iterations make of it does not matter here.
static bool make_arrays(rates *r) {
    cl_int code;
    double sum = 0;
    const size_t bytes = r->points * sizeof(float);
    float *image = malloc(bytes);
    if (!has_memory(image))
        return false;
    for (size_t i = 0; i < r->points; i++) {
        image[i] = (i * 2654435761u >> 7) % 1021 == 0 ? 50.0f : 1 + (float)(i * 2654435761u % 1024) / 1024;
        sum += (double)image[i];
    }
    r->mean = (float)(sum / (double)r->points);
    r->image = clCreateBuffer(mst_context_opencl(r->context), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, image, &code);
    for (int way = 0; way < N_WAYS && code == CL_SUCCESS; way++)
        r->results[way] = clCreateBuffer(mst_context_opencl(r->context), CL_MEM_READ_WRITE, bytes, NULL, &code);
    free(image);
    return bench_opencl(code, "making buffers");
}

// A Gaussian; `origin`: with its centre at the origin of a volume, else as the library takes it.
static bool make_psf(const rates *r, double **psf, size_t shape[3], float **origin) {
    size_t n = 1;
    double sigma[3];
    mst_error e;
    for (int a = 0; a < 3; a++) {
        shape[a] = (size_t)r->settings->psf < r->shape[a] ? (size_t)r->settings->psf : r->shape[a];
        sigma[a] = (double)shape[a] / 8 + 0.1;
        n *= shape[a];
    }
    *psf = malloc(n * sizeof **psf);
    *origin = calloc(r->points, sizeof **origin);
    if (!has_memory(*psf) || !has_memory(*origin))
        return false;
    if (mst_psf_gaussian(3, sigma, shape, *psf, &e) != MST_OK)
        return bench_say(NULL, &e);
    for (size_t i = 0; i < n; i++) {
        const size_t at[3] = {i / shape[2] / shape[1], i / shape[2] % shape[1], i % shape[2]};
        size_t place = 0;
        for (int a = 0; a < 3; a++)
            place = place * r->shape[a] + (at[a] + r->shape[a] - shape[a] / 2) % r->shape[a];
        (*origin)[place] = (float)(*psf)[i];
    }
    return true;
}

// A plan of so many iterations.
static bool make_plan(const rates *r, mst_context *context, mst_deconvolution_desc *d, int iterations, mst_deconvolution **out) {
    mst_error e;
    d->image = d->result = mst_layout_dense(MST_FLOAT32, 3, r->shape);
    d->n_axes = 3;
    for (int a = 0; a < 3; a++)
        d->axes[a] = a - 3;
    d->edges = MST_DECONVOLUTION_CIRCULAR;
    d->start_value = (double)r->mean;
    d->iterations = iterations;
    return mst_deconvolution_create(context, d, out, &e) == MST_OK || bench_say(NULL, &e);
}

static bool make_plans(rates *r) {
    double *psf = NULL;
    float *origin = NULL;
    mst_deconvolution_desc d = MST_DECONVOLUTION_DESC_INIT;
    bool made = make_psf(r, &psf, d.psf_shape, &origin);
    d.psf = psf;
    for (int k = 0; k < 2 && made; k++)
        made = make_plan(r, r->context, &d, k == 0 ? FEW : MANY, &r->plans[k]);
#ifdef BENCH_VKFFT
    if (made)
        r->peer = deconvolution_peer_create(r->context, r->shape, origin);
#endif
    free(psf);
    free(origin);
    return made;
}

// ---- Rounds

static bool run(rates *r, int way, int many, double *seconds) {
    mst_error e;
    const double start = cli_now();
    if (way == 0) {
        mst_deconvolution_arrays arrays = MST_DECONVOLUTION_ARRAYS_INIT;
        arrays.image = mst_at_device(r->image, 0);
        arrays.result = mst_at_device(r->results[0], 0);
        if (mst_deconvolution_execute(r->plans[many], &arrays, NULL, &e) != MST_OK)
            return bench_say(NULL, &e);
    }
#ifdef BENCH_VKFFT
    if (way == 1 && !deconvolution_peer_run(r->peer, r->image, r->results[1], r->mean, many ? MANY : FEW))
        return false;
#endif
    *seconds = cli_now() - start;
    return true;
}

static bool measure(rates *r) {
    const int rounds = r->settings->rounds, n_ways = r->peer ? N_WAYS : 1;
    for (int round = -1; round < rounds; round++) // one to warm up
        for (int way = 0; way < n_ways; way++) {
            double few = 0, many = 0;
            if (!run(r, way, 0, &few) || !run(r, way, 1, &many))
                return false;
            if (round >= 0)
                r->seconds[way][round] = (many - few) / (MANY - FEW);
        }
    for (int way = 0; way < n_ways; way++)
        r->median[way] = cli_median(r->seconds[way], rounds);
    return true;
}

static bool compare(rates *r) {
    const size_t bytes = r->points * sizeof(float);
    float *values[N_WAYS] = {malloc(bytes), malloc(bytes)};
    double square = 0, all = 0;
    bool read = has_memory(values[0]) && has_memory(values[1]);
    for (int way = 0; way < N_WAYS && read; way++)
        read = bench_opencl(
            clEnqueueReadBuffer(mst_context_queue(r->context), r->results[way], CL_TRUE, 0, bytes, values[way], 0, NULL, NULL),
            "reading results");
    for (size_t i = 0; i < r->points && read; i++) {
        const double a = (double)values[0][i], d = a - (double)values[1][i];
        square += d * d;
        all += a * a;
    }
    r->difference = sqrt(square / all);
    free(values[0]);
    free(values[1]);
    if (read && !(r->difference < 1e-3))
        fprintf(stderr, "deconvolution-rates: results differ by %g\n", r->difference);
    return read && r->difference < 1e-3;
}

// ---- Between arrays in host memory, whole and in bricks

typedef struct hosted {
    mst_context *context; // with less memory
    mst_deconvolution *plans[2];
    void *arrays[2]; // image and result
    double seconds[2][MOST_ROUNDS];
} hosted;

static bool make_hosted(rates *r, hosted *h, mst_deconvolution_forecast *f) {
    mst_error e;
    double *psf = NULL;
    float *origin = NULL;
    const size_t bytes = r->points * sizeof(float);
    mst_context_desc less = MST_CONTEXT_DESC_INIT;
    mst_deconvolution_desc d = MST_DECONVOLUTION_DESC_INIT;
    if (mst_deconvolution_predict(r->plans[1], f, &e) != MST_OK)
        return bench_say(NULL, &e);
    less.device = r->device;
    less.device_memory = f->device_bytes / (uint64_t)r->settings->part;
    if (mst_context_create(&less, &h->context, &e) != MST_OK)
        return bench_say(NULL, &e);
    for (int k = 0; k < 2; k++)
        if (mst_pinned_create(r->context, bytes, &h->arrays[k], &e) != MST_OK)
            return bench_say(NULL, &e);
    bool made =
        bench_opencl(clEnqueueReadBuffer(mst_context_queue(r->context), r->image, CL_TRUE, 0, bytes, h->arrays[0], 0, NULL, NULL),
                     "reading the image");
    made = made && make_psf(r, &psf, d.psf_shape, &origin);
    d.psf = psf;
    made = made && make_plan(r, h->context, &d, MANY, &h->plans[PART]);
    h->plans[WHOLE] = r->plans[1];
    free(psf);
    free(origin);
    if (made && mst_deconvolution_predict(h->plans[PART], f, &e) != MST_OK)
        return bench_say(NULL, &e);
    return made;
}

static bool run_hosted(hosted *h, int which, double *seconds) {
    mst_error e;
    mst_deconvolution_arrays arrays = MST_DECONVOLUTION_ARRAYS_INIT;
    arrays.image = mst_at_host(h->arrays[0]);
    arrays.result = mst_at_host(h->arrays[1]);
    const double start = cli_now();
    if (mst_deconvolution_execute(h->plans[which], &arrays, NULL, &e) != MST_OK)
        return bench_say(NULL, &e);
    *seconds = cli_now() - start;
    return true;
}

static bool measure_part(rates *r) {
    hosted h = {.context = NULL};
    mst_deconvolution_forecast f = MST_DECONVOLUTION_FORECAST_INIT;
    bool done = make_hosted(r, &h, &f);
    const int rounds = r->settings->rounds;
    for (int round = -1; round < rounds && done; round++) // one to warm up
        for (int which = 0; which < 2 && done; which++)
            done = run_hosted(&h, which, &h.seconds[which][round < 0 ? 0 : round]);
    if (done) {
        const double whole = cli_median(h.seconds[WHOLE], rounds), part = cli_median(h.seconds[PART], rounds);
        const double seam = mst_deconvolution_seam(h.plans[PART]);
        r->part = json_pack("{s:i, s:I, s:I, s:[I,I,I], s:f, s:f, s:f, s:f}", "part", r->settings->part, "device_memory",
                            (json_int_t)mst_context_device_memory_budget(h.context), "bricks", (json_int_t)f.bricks, "brick",
                            (json_int_t)f.brick_shape[0], (json_int_t)f.brick_shape[1], (json_int_t)f.brick_shape[2],
                            "whole_seconds", whole, "part_seconds", part, "of_whole", whole / part, "seam", seam);
        printf("host to host, %d iterations: %.3f s whole, %.3f s in %llu bricks under %.2f GiB (%.3f), seam %.1e\n", MANY, whole,
               part, (unsigned long long)f.bricks, (double)mst_context_device_memory_budget(h.context) / 0x1p30, whole / part,
               seam);
    }
    mst_deconvolution_destroy(h.plans[PART]);
    for (int k = 0; k < 2; k++)
        mst_pinned_destroy(r->context, h.arrays[k]);
    mst_context_destroy(h.context);
    return done && r->part;
}

static bool report(const rates *r) {
    const mst_device_info *d = mst_context_device(r->context);
    const settings *s = r->settings;
    const double own = r->median[0], peer = r->median[1];
    const double ideal = PASSES_BYTES * (double)r->points / r->copy_rate;
    printf("%s, driver %s: Richardson-Lucy, %zu x %zu x %zu, ms an iteration\n\n%-30s %10.3f\n%-30s %10.3f %6.3f\n", d->name,
           d->driver_version, r->shape[0], r->shape[1], r->shape[2], "80 bytes a point, copied", 1e3 * ideal, "mastaba",
           1e3 * own, ideal / own);
    if (r->peer)
        printf("%-30s %10.3f %6.3f  %.2f times as long; results differ by %.1e\n", "VkFFT and plain kernels", 1e3 * peer,
               ideal / peer, peer / own, r->difference);
    return !s->json ||
           bench_write_json(r->context, "deconvolution-rates",
                            json_pack("{s:[i,i,i], s:i, s:i, s:f, s:f, s:f, s:f, s:O*}", "shape", (int)r->shape[0],
                                      (int)r->shape[1], (int)r->shape[2], "psf", s->psf, "rounds", s->rounds, "copy_rate",
                                      r->copy_rate, "seconds_an_iteration", own, "of_the_copy_rate_over_80_bytes", ideal / own,
                                      "vkfft_seconds_an_iteration", r->peer ? peer : -1.0, "host_to_host", r->part),
                            s->json);
}

static void release(rates *r) {
#ifdef BENCH_VKFFT
    deconvolution_peer_destroy(r->peer);
#endif
    for (int k = 0; k < 2; k++) {
        mst_deconvolution_destroy(r->plans[k]);
        if (r->results[k])
            clReleaseMemObject(r->results[k]);
    }
    if (r->image)
        clReleaseMemObject(r->image);
    json_decref(r->part);
    mst_context_destroy(r->context);
}

static int check_settings(const settings *s, size_t shape[3], size_t *points) {
    const char *text = s->shape ? s->shape : "512x1024x1024";
    char *end = (char *)text;
    *points = 1;
    for (int a = 0; a < 3; a++) {
        shape[a] = strtoull(end + (a > 0), &end, 10);
        *points *= shape[a];
        if (shape[a] == 0 || shape[a] > 1 << 20 || *end != (a < 2 ? 'x' : '\0'))
            return cli_wrong_option(NULL, "--shape", text, "not three lengths, as 512x1024x1024");
    }
    if (shape[2] % 2 != 0)
        return cli_wrong_option(NULL, "--shape", text, "the last length must be even");
    if (s->rounds < 1 || s->rounds > MOST_ROUNDS || s->psf < 1 || s->part < 0) {
        cli_error(NULL, "--rounds %d, --psf %d, --part %d: 1 to %d rounds, a side of 1 and a part of 0 at least are taken",
                  s->rounds, s->psf, s->part, MOST_ROUNDS);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

static int run_command(const cli_arguments *arguments, void *values) {
    const settings *s = values;
    static rates r;
    mst_error e;
    int code = check_settings(s, r.shape, &r.points);
    r.settings = s;
    r.device = arguments->common.device;
    if (code == CLI_DONE)
        code = cli_context(NULL, &arguments->common, false, &r.context);
    if (code == CLI_DONE && mst_context_copy_rate(r.context, &r.copy_rate, &e) != MST_OK)
        code = cli_fail(NULL, NULL, &e);
    if (code == CLI_DONE && !(make_arrays(&r) && make_plans(&r) && measure(&r) && (!r.peer || compare(&r)) &&
                              (s->part == 0 || measure_part(&r)) && report(&r)))
        code = CLI_FAILED;
    release(&r);
    return code;
}

static const cli_option options[] = {
    {"shape", 's', CLI_TEXT, offsetof(settings, shape), "of the volume (default: 512x1024x1024); an image is 1x4096x4096",
     "SHAPE"},
    {"psf", 'p', CLI_INT, offsetof(settings, psf), "side of the function that it is deconvolved by (default: 64)", "N"},
    {"rounds", 'r', CLI_INT, offsetof(settings, rounds), "measured rounds, 1 to 99 (default: 5)", "N"},
    {"part", 0, CLI_INT, offsetof(settings, part), "also between arrays in host memory, whole and in an N-th of its memory", "N"},
    {"json", 0, CLI_TEXT, offsetof(settings, json), "write the results there too", "FILE"},
};
static const settings defaults = {.psf = 64, .rounds = 5};
static const cli_command command = {
    .title = "Iterations of Richardson-Lucy beside the copy rate and beside VkFFT's transforms with plain kernels.",
    .synopsis = "[options]",
    .details = "Of one volume or image with circular edges that lies on the device.\n",
    .leave_out = ~(unsigned)CLI_DEVICE,
    .options = options,
    .n_options = CLI_COUNT(options),
    .values_bytes = sizeof(settings),
    .defaults = &defaults,
    .run = run_command,
};

int main(int argc, const char **argv) {
    cli_set_program("deconvolution-rates");
    return cli_run_command(&command, argc, argv);
}
