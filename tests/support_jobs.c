#include "support_jobs.h"

#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef union plan {
    mst_fft *fft;
    mst_convolution *convolution;
    mst_filter *filter;
    mst_map *map;
    mst_integral *integral;
    mst_stencil *solver;
} plan;

struct job {
    mst_context *context;
    int kind;
    plan plan;
};

double job_uniform(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)(int64_t)(z ^ (z >> 31)) / 9223372036854775808.0;
}

unsigned job_below(uint64_t *state, unsigned n) {
    unsigned k = (unsigned)((job_uniform(state) + 1) / 2 * n);
    return k < n ? k : n - 1;
}

__attribute__((format(printf, 2, 3))) static bool wrong(mst_error *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    why->status = MST_OK;
    vsnprintf(why->message, sizeof why->message, format, arguments);
    va_end(arguments);
    return false;
}

// ---- arrays somewhere

typedef struct held {
    mst_location at;
    size_t bytes;
    void *host;
} held;

static bool hold_array(mst_context *context, mst_place place, void *data, size_t bytes, held *h, mst_error *why) {
    cl_int code = CL_SUCCESS;
    *h = (held){.at = mst_at_host(data), .bytes = bytes, .host = data};
    if (place == MST_PLACE_DEVICE) {
        cl_mem buffer = clCreateBuffer(mst_context_opencl(context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, data, &code);
        h->at = code == CL_SUCCESS ? mst_at_device(buffer, 0) : h->at;
        return code == CL_SUCCESS || wrong(why, "no buffer: %d", code);
    }
    if (place == MST_PLACE_FILE) {
        int file = memfd_create("job", MFD_CLOEXEC);
        h->at = file >= 0 ? mst_at_file(file, 0) : h->at;
        return (file >= 0 && pwrite(file, data, bytes, 0) == (ssize_t)bytes) || wrong(why, "no file");
    }
    return true;
}

// Copies the array back if it is a result, and lets it go.
static bool let_go(mst_context *context, held *h, bool is_result, mst_error *why) {
    bool good = true;
    if (h->at.place == MST_PLACE_DEVICE) {
        good = !is_result || clEnqueueReadBuffer(mst_context_queue(context), h->at.buffer, CL_TRUE, 0, h->bytes, h->host, 0, NULL,
                                                 NULL) == CL_SUCCESS;
        clReleaseMemObject(h->at.buffer);
    } else if (h->at.place == MST_PLACE_FILE) {
        good = !is_result || pread(h->at.file, h->host, h->bytes, 0) == (ssize_t)h->bytes;
        close(h->at.file);
    }
    *h = (held){.bytes = 0};
    return good || wrong(why, "cannot read the result");
}

// Runs `execute` on up to two inputs and an output, in places by the seed; with all on the device now and then without waiting.
typedef struct arrays {
    int n_inputs;
    void *data[3]; // the inputs, then the output
    size_t bytes[3];
} arrays;

typedef mst_status executing(const job *j, const mst_location *at, const mst_execution *how, mst_error *error);

static bool execute_at(const job *j, const arrays *a, uint64_t seed, executing *execute, mst_error *why) {
    held kept[3] = {{.bytes = 0}};
    cl_event event = NULL;
    mst_location at[3];
    mst_execution how = MST_EXECUTION_INIT;
    bool good = true, on_device = job_below(&seed, 3) == 0;
    for (int k = 0; k <= a->n_inputs && good; k++) {
        static const mst_place places[] = {MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_DEVICE, MST_PLACE_FILE};
        good = hold_array(j->context, on_device ? MST_PLACE_DEVICE : places[job_below(&seed, 4)], a->data[k], a->bytes[k],
                          &kept[k], why);
        at[k] = kept[k].at;
    }
    if (on_device && job_below(&seed, 2))
        how.event = &event;
    good = good && execute(j, at, &how, why) == MST_OK;
    if (event) {
        good = (clWaitForEvents(1, &event) == CL_SUCCESS || wrong(why, "waiting failed")) && good;
        clReleaseEvent(event);
    }
    for (int k = 0; k <= a->n_inputs; k++)
        good = let_go(j->context, &kept[k], good && k == a->n_inputs, why) && good;
    return good;
}

// ---- Fourier transforms

enum { LINES = 5, LENGTH = 60 };

static mst_status make_fft(mst_context *context, int kind, plan *p, mst_error *error) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = mst_layout_dense(kind == JOB_FFT ? MST_COMPLEX64 : MST_FLOAT32, 2, (const size_t[]){LINES, LENGTH});
    return mst_fft_create(context, &desc, &p->fft, error);
}

static mst_status execute_fft(const job *j, const mst_location *at, const mst_execution *how, mst_error *error) {
    return mst_fft_execute(j->plan.fft, at[0], at[1], how, error);
}

static bool run_fft(const job *j, uint64_t seed, mst_error *why) {
    float x[LINES * LENGTH * 2];
    float complex y[LINES * LENGTH];
    bool real = j->kind == JOB_REAL_FFT;
    size_t n_out = real ? LENGTH / 2 + 1 : LENGTH;
    for (size_t i = 0; i < LINES * LENGTH * 2; i++)
        x[i] = (float)job_uniform(&seed);
    const arrays a = {1, {x, y}, {LINES * LENGTH * (real ? sizeof(float) : sizeof(float complex)), LINES * n_out * sizeof *y}};
    if (!execute_at(j, &a, seed, execute_fft, why))
        return false;
    for (size_t k = 0; k < LINES * n_out; k++) {
        double complex sum = 0;
        for (size_t i = 0, first = k / n_out * LENGTH; i < LENGTH; i++) {
            double complex value = real ? (double)x[first + i] : (double)x[2 * (first + i)] + I * (double)x[2 * (first + i) + 1];
            sum += value * cexp(I * (-2 * M_PI * (double)(i * (k % n_out) % LENGTH) / LENGTH));
        }
        if (!(cabs(sum - (double complex)y[k]) < 1e-4))
            return wrong(why, "element %zu is (%g, %g), not (%g, %g)", k, (double)crealf(y[k]), (double)cimagf(y[k]), creal(sum),
                         cimag(sum));
    }
    return true;
}

static void free_fft(plan p) { mst_fft_destroy(p.fft); }

// ---- convolutions

enum { PAIRS = 3, LONG = 50, SHORT = 19 };

static mst_status make_convolution(mst_context *context, int kind, plan *p, mst_error *error) {
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    desc.x = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){PAIRS, LONG});
    desc.y = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){PAIRS, SHORT});
    desc.algorithm = kind == JOB_PAPER ? MST_CONVOLUTION_PAPER_C : MST_CONVOLUTION_AUTO;
    return mst_convolution_create(context, &desc, &p->convolution, error);
}

static mst_status execute_convolution(const job *j, const mst_location *at, const mst_execution *how, mst_error *error) {
    return mst_convolution_execute(j->plan.convolution, at[0], at[1], at[2], how, error);
}

static bool run_convolution(const job *j, uint64_t seed, mst_error *why) {
    enum { FULL = LONG + SHORT - 1 };
    float x[PAIRS * LONG], y[PAIRS * SHORT], z[PAIRS * FULL];
    for (size_t i = 0; i < PAIRS * LONG; i++)
        x[i] = (float)job_uniform(&seed);
    for (size_t i = 0; i < PAIRS * SHORT; i++)
        y[i] = (float)job_uniform(&seed);
    const arrays a = {2, {x, y, z}, {sizeof x, sizeof y, sizeof z}};
    if (!execute_at(j, &a, seed, execute_convolution, why))
        return false;
    for (size_t k = 0; k < PAIRS * FULL; k++) {
        double sum = 0;
        for (size_t i = 0; i < SHORT; i++)
            if (k % FULL >= i && k % FULL - i < LONG)
                sum += (double)x[k / FULL * LONG + k % FULL - i] * (double)y[k / FULL * SHORT + i];
        if (!(fabs(sum - (double)z[k]) < 1e-4))
            return wrong(why, "element %zu is %g, not %g", k, (double)z[k], sum);
    }
    return true;
}

static void free_convolution(plan p) { mst_convolution_destroy(p.convolution); }

// ---- filters: a wave on a level, which a Gaussian low pass leaves smaller

enum { HEIGHT = 12, WIDTH = 20 };
#define RADIUS 0.125

static mst_status make_filter(mst_context *context, int kind, plan *p, mst_error *error) {
    mst_filter_desc desc = MST_FILTER_DESC_INIT;
    (void)kind;
    desc.input = mst_layout_dense(MST_FLOAT32, 3, (const size_t[]){HEIGHT, WIDTH, 1});
    desc.radius = RADIUS;
    desc.edges = MST_FILTER_WRAP;
    desc.output_as = MST_FILTER_RAW;
    return mst_filter_create(context, &desc, &p->filter, error);
}

static mst_status execute_filter(const job *j, const mst_location *at, const mst_execution *how, mst_error *error) {
    return mst_filter_execute(j->plan.filter, at[0], at[1], how, error);
}

static bool run_filter(const job *j, uint64_t seed, mst_error *why) {
    float in[HEIGHT * WIDTH], out[HEIGHT * WIDTH];
    double level = job_uniform(&seed), size = job_uniform(&seed);
    unsigned down = job_below(&seed, 4), right = 1 + job_below(&seed, 5); // periods in an image
    double fy = (double)down / HEIGHT, fx = (double)right / WIDTH, kept = exp(-(fx * fx + fy * fy) / (2 * RADIUS * RADIUS));
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        in[i] = (float)(level + size * cos(2 * M_PI * (fy * (i / WIDTH) + fx * (i % WIDTH))));
    const arrays a = {1, {in, out}, {sizeof in, sizeof out}};
    if (!execute_at(j, &a, seed, execute_filter, why))
        return false;
    for (int i = 0; i < HEIGHT * WIDTH; i++) {
        double right_one = level + kept * ((double)in[i] - level);
        if (!(fabs(right_one - (double)out[i]) < 1e-5))
            return wrong(why, "pixel %d is %g, not %g", i, (double)out[i], right_one);
    }
    return true;
}

static void free_filter(plan p) { mst_filter_destroy(p.filter); }

// ---- maps

enum { ELEMENTS = 1000 };

static mst_status make_map(mst_context *context, int kind, plan *p, mst_error *error) {
    mst_map_desc desc = MST_MAP_DESC_INIT;
    const mst_layout line = mst_layout_dense(MST_FLOAT32, 1, (const size_t[]){ELEMENTS});
    const mst_map_input inputs[] = {{"a", line}, {"b", line}};
    const mst_map_number number = {.name = "c", .value = 0.375};
    (void)kind;
    desc.expression = "1.25*a*b + c - 3.5e-1*abs(b)";
    desc.inputs = inputs;
    desc.n_inputs = 2;
    desc.numbers = &number;
    desc.n_numbers = 1;
    return mst_map_create(context, &desc, &p->map, error);
}

static mst_status execute_map(const job *j, const mst_location *at, const mst_execution *how, mst_error *error) {
    return mst_map_execute(j->plan.map, at, at[2], how, error);
}

static bool run_map(const job *j, uint64_t seed, mst_error *why) {
    float a[ELEMENTS], b[ELEMENTS], c[ELEMENTS];
    for (size_t i = 0; i < ELEMENTS; i++) {
        a[i] = (float)job_uniform(&seed);
        b[i] = (float)job_uniform(&seed);
    }
    const arrays all = {2, {a, b, c}, {sizeof a, sizeof b, sizeof c}};
    if (!execute_at(j, &all, seed, execute_map, why))
        return false;
    for (size_t i = 0; i < ELEMENTS; i++) {
        double value = 1.25 * (double)a[i] * (double)b[i] + 0.375 - 0.35 * fabs((double)b[i]);
        if (!(fabs(value - (double)c[i]) < 1e-6))
            return wrong(why, "element %zu is %g, not %g", i, (double)c[i], value);
    }
    return true;
}

static void free_map(plan p) { mst_map_destroy(p.map); }

// ---- integrals

static mst_status make_integral(mst_context *context, int kind, plan *p, mst_error *error) {
    static const char *const parameters[] = {"a"};
    static const mst_integral_range range = {"x", "0.25", "a"};
    mst_integral_desc desc = MST_INTEGRAL_DESC_INIT;
    desc.integrand = "1.5*exp(-0.5*x)";
    desc.ranges = &range;
    desc.parameters = parameters;
    desc.n_parameters = 1;
    desc.rule = kind == JOB_FIXED ? MST_INTEGRAL_SIMPSON : MST_INTEGRAL_ADAPTIVE;
    desc.points = kind == JOB_FIXED ? 1000 : 0;
    return mst_integral_create(context, &desc, &p->integral, error);
}

static bool run_integral(const job *j, uint64_t seed, mst_error *why) {
    enum { SETS = 7 };
    double ends[SETS];
    mst_integral_result results[SETS];
    for (int i = 0; i < SETS; i++)
        ends[i] = 3 + 2 * job_uniform(&seed);
    if (mst_integral_execute(j->plan.integral, ends, SETS, results, NULL, why) != MST_OK)
        return false;
    for (int i = 0; i < SETS; i++) {
        double value = 3 * (exp(-0.125) - exp(-0.5 * ends[i])),
               gate = mst_integral_type(j->plan.integral) == MST_FLOAT64 ? 1e-9 : 1e-4;
        if (!(fabs(value - results[i].value) < gate))
            return wrong(why, "the integral to %g is %.15g, not %.15g", ends[i], results[i].value, value);
    }
    return true;
}

static void free_integral(plan p) { mst_integral_destroy(p.integral); }

// ---- solvers: heat in a rod between cold ends

static mst_status make_solver(mst_context *context, int kind, plan *p, mst_error *error) {
    const mst_stencil_field field = {.name = "u"};
    const mst_stencil_update update = {"u", "u + 0.25*(u[-1] - 2*u + u[1])", 0};
    mst_stencil_desc desc = MST_STENCIL_DESC_INIT;
    desc.rank = 1;
    desc.grid[0] = JOB_NODES;
    desc.fields = &field;
    desc.n_fields = 1;
    desc.updates = &update;
    desc.n_updates = 1;
    desc.schedule = kind == JOB_SLABS ? MST_STENCIL_TRIVIAL : MST_STENCIL_IN_CORE;
    desc.block = kind == JOB_SLABS ? 20 : 0;
    desc.depth = desc.fuse = 1;
    return mst_stencil_create(context, &desc, &p->solver, error);
}

void job_first_state(uint64_t seed, double u[JOB_NODES]) {
    for (int i = 0; i < JOB_NODES; i++)
        u[i] = (double)(float)job_uniform(&seed);
}

void job_step(double u[JOB_NODES], unsigned steps) {
    for (unsigned s = 0; s < steps; s++) {
        double before = 0;
        for (int i = 0; i < JOB_NODES; i++) {
            double here = u[i];
            u[i] += 0.25 * (before - 2 * here + (i + 1 < JOB_NODES ? u[i + 1] : 0));
            before = here;
        }
    }
}

static bool run_solver(const job *j, uint64_t seed, mst_error *why) {
    mst_stencil *solver = j->plan.solver;
    double u[JOB_NODES];
    float got[JOB_NODES];
    unsigned steps = 1 + job_below(&seed, 9);
    job_first_state(seed, u);
    for (int i = 0; i < JOB_NODES; i++)
        got[i] = (float)u[i];
    if (mst_stencil_write(solver, "u", 0, mst_at_host(got), why) != MST_OK || mst_stencil_set_step(solver, 0, why) != MST_OK ||
        mst_stencil_run(solver, steps, NULL, NULL, why) != MST_OK ||
        mst_stencil_read(solver, "u", 0, NULL, mst_at_host(got), why) != MST_OK)
        return false;
    job_step(u, steps);
    for (int i = 0; i < JOB_NODES; i++)
        if (!(fabs(u[i] - (double)got[i]) < 1e-5))
            return wrong(why, "node %d after %u steps is %g, not %g", i, steps, (double)got[i], u[i]);
    return true;
}

static void free_solver(plan p) { mst_stencil_destroy(p.solver); }

// ---- jobs

static const struct {
    const char *name;
    mst_status (*make)(mst_context *context, int kind, plan *p, mst_error *error);
    bool (*run)(const job *j, uint64_t seed, mst_error *why);
    void (*free)(plan p);
} kinds[N_JOBS] = {
    [JOB_FFT] = {"fft", make_fft, run_fft, free_fft},
    [JOB_REAL_FFT] = {"real fft", make_fft, run_fft, free_fft},
    [JOB_CONVOLUTION] = {"convolution", make_convolution, run_convolution, free_convolution},
    [JOB_PAPER] = {"published convolution", make_convolution, run_convolution, free_convolution},
    [JOB_FILTER] = {"filter", make_filter, run_filter, free_filter},
    [JOB_MAP] = {"map", make_map, run_map, free_map},
    [JOB_INTEGRAL] = {"integral", make_integral, run_integral, free_integral},
    [JOB_FIXED] = {"integral by a fixed rule", make_integral, run_integral, free_integral},
    [JOB_SOLVER] = {"solver", make_solver, run_solver, free_solver},
    [JOB_SLABS] = {"solver in slabs", make_solver, run_solver, free_solver},
};

bool job_new(mst_context *context, int kind, job **out, mst_error *why) {
    *out = calloc(1, sizeof **out);
    if (!*out)
        return wrong(why, "out of memory");
    **out = (job){.context = context, .kind = kind};
    if (kinds[kind].make(context, kind, &(*out)->plan, why) == MST_OK)
        return true;
    free(*out);
    *out = NULL;
    return false;
}

void job_free(job *j) {
    if (j)
        kinds[j->kind].free(j->plan);
    free(j);
}

bool job_run(const job *j, uint64_t seed, mst_error *why) { return kinds[j->kind].run(j, seed, why); }

bool job_is_solver(int kind) { return kind == JOB_SOLVER || kind == JOB_SLABS; }
const char *job_name(int kind) { return kinds[kind].name; }
mst_stencil *job_solver(const job *j) { return j->plan.solver; }

// ---- mixed work

static bool make_and_run(mst_context *context, job_worker *w, mst_error *why) {
    job *j;
    int kind = (int)job_below(&w->random, N_JOBS);
    w->doing = job_name(kind);
    bool good = job_new(context, kind, &j, why);
    for (unsigned k = 1 + job_below(&w->random, 4); k > 0 && good; k--) {
        job_uniform(&w->random);
        good = job_run(j, w->random, why);
        w->n_done++;
    }
    job_free(j);
    return good;
}

static bool use_own_context(job_worker *w, mst_error *why) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_context *context;
    desc.device = getenv("MASTABA_TEST_DEVICE");
    desc.no_cache = true;
    desc.profile = job_below(&w->random, 2);
    desc.copy_threads = job_below(&w->random, 3);
    w->doing = "a context";
    if (mst_context_create(&desc, &context, why) != MST_OK)
        return false;
    bool good = make_and_run(context, w, why);
    uint64_t left = good ? mst_context_device_memory_used(context) : 0;
    mst_context_destroy(context);
    return good && (left == 0 || wrong(why, "%llu bytes of device memory are still held", (unsigned long long)left));
}

static bool write_npy(job_worker *w, mst_error *why) {
    char name[40];
    const size_t shape[] = {1 + job_below(&w->random, 200), 3};
    const mst_layout layout = mst_layout_dense(MST_FLOAT32, 2, shape);
    mst_npy *file = NULL;
    w->doing = "a .npy file";
    snprintf(name, sizeof name, "job-%u.npy", w->number);
    bool good = mst_npy_create(name, &layout, true, &file, why) == MST_OK && mst_npy_commit(file, why) == MST_OK;
    mst_npy_close(file);
    file = NULL;
    good = good && mst_npy_open(name, &file, why) == MST_OK;
    good = good && (mst_npy_layout(file)->shape[0] == shape[0] || wrong(why, "another shape"));
    mst_npy_close(file);
    w->n_done++;
    return good;
}

static void count_result(const mst_tuning_result *result, void *user) { *(double *)user += result->seconds; }

static bool use_tuning(job_worker *w, mst_error *why) {
    char name[40];
    double seconds = 0;
    w->doing = "results of tuning";
    snprintf(name, sizeof name, "job-%u.json", w->number);
    w->n_done++;
    return mst_tuning_export(w->context, name, why) == MST_OK && mst_tuning_import(w->context, name, NULL, why) == MST_OK &&
           mst_tuning_list(w->context, count_result, &seconds, why) == MST_OK;
}

bool job_mixed(job_worker *w, mst_error *why) {
    unsigned which = job_below(&w->random, 40);
    if (which == 0)
        return use_own_context(w, why);
    if (which == 1)
        return use_tuning(w, why);
    return which < 5 ? write_npy(w, why) : make_and_run(w->context, w, why);
}
