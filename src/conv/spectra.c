#include "spectra.h"

#include "fft/axis.h"
#include "runtime/numbers.h"
#include "runtime/pool.h"
#include "stream/places.h"
#include "stream/scratch.h"

#include <stdlib.h>

#define CHUNK ((size_t)1 << 15)            // products that one thread takes at a time
#define LEAST_OPERAND ((uint64_t)64 << 10) // bytes
#define PARTS_OF_PROGRESS 1024u            // of a transform
#define MOST_BYTES ((uint64_t)1 << 56)

// ---- Numbers

bool mst_spectra_suit(const mst_convolution *plan) {
    uint64_t bytes[2];
    for (int operand = X; operand <= Y; operand++) {
        const mst_layout *layout = mst_convolution_layout(plan, operand);
        bytes[operand] = mst_layout_count(layout) / plan->n_lines[operand] * mst_type_bytes(layout->type);
    }
    return plan->method == &mst_fused_method && mst_smaller(bytes[X], bytes[Y]) >= LEAST_OPERAND;
}

// `halves`: real numbers are transformed as half as many complex ones.
static void choose_axis(const mst_convolution *plan, mst_padded_axis *a, bool halves) {
    const size_t n = plan->desc.z.shape[a->axis];
    const bool cyclic = plan->desc.mode == MST_CONVOLUTION_CIRCULAR && mst_axis_is_smooth(n) && !(halves && n % 2);
    mst_geometry_measure_axis(plan, a, cyclic);
    a->n = n;
    if (!cyclic) {
        const size_t needed = mst_geometry_needed_length(a);
        a->n = halves ? 2 * mst_axis_quick_length(mst_divide_up(needed, (size_t)2)) : mst_axis_quick_length(needed);
    }
}

static mst_status choose_lengths(const mst_convolution *plan, struct mst_spectra *s, mst_error *error) {
    mst_status status = MST_OK;
    const bool is_real = !mst_type_is_complex(plan->desc.z.type);
    const int last = plan->desc.n_axes - 1;
    uint64_t rows = 1, bytes = mst_type_bytes(plan->work_type); // rows: along the last axis
    for (int a = 0; a <= last; a++) {
        s->axes[a].axis = plan->desc.axes[a];
        choose_axis(plan, &s->axes[a], is_real && a == last);
        MST_REQUIRE(!__builtin_mul_overflow(bytes, (uint64_t)s->axes[a].n, &bytes) && bytes <= MOST_BYTES, MST_ERROR_UNSUPPORTED,
                    "the lengths are too large for transforms of the whole");
        if (a < last)
            rows *= s->axes[a].n;
    }
    s->numbers = (size_t)rows * s->axes[last].n;
    s->products = is_real ? (size_t)rows * (s->axes[last].n / 2 + 1) : s->numbers;
    s->bytes = s->products * mst_type_bytes(plan->work_type);
fail:
    return status;
}

uint64_t mst_spectra_host_bytes(const struct mst_spectra *s) { return 3 * s->bytes; }

// ---- Transforms

static mst_fft_desc describe(const mst_convolution *plan, const struct mst_spectra *s, mst_fft_direction direction) {
    const int n_axes = plan->desc.n_axes, last = n_axes - 1;
    const bool forward = direction == MST_FFT_FORWARD;
    size_t shape[MST_CONVOLUTION_MAX_AXES], half[MST_CONVOLUTION_MAX_AXES];
    mst_fft_desc d = MST_FFT_DESC_INIT;
    for (int a = 0; a < n_axes; a++)
        shape[a] = half[a] = s->axes[a].n;
    half[last] = mst_type_is_complex(plan->desc.z.type) ? shape[last] : shape[last] / 2 + 1;
    const mst_layout padded = mst_layout_dense(plan->desc.z.type, n_axes, shape),
                     spectrum = mst_layout_dense(plan->work_type, n_axes, half);
    d.input = forward ? padded : spectrum;
    d.output = forward ? spectrum : padded;
    d.direction = direction;
    d.n_axes = n_axes;
    for (int a = 0; a < n_axes; a++)
        d.axes[a] = a;
    d.scale = forward ? 1 : 1 / (double)s->numbers;
    d.shape = plan->desc.shape;
    return d;
}

static mst_status look_at(const mst_convolution *plan, struct mst_spectra *s, mst_fft_direction direction, mst_error *error) {
    mst_status status = MST_OK;
    const mst_fft_desc d = describe(plan, s, direction);
    mst_fft *fft = NULL;
    mst_fft_needs needs = MST_FFT_NEEDS_INIT;
    MST_TRY(mst_fft_create(plan->context, &d, &fft, error));
    MST_TRY(mst_fft_plan_needs(fft, &needs, error));
    s->staging_bytes = mst_larger(s->staging_bytes, needs.host_bytes);
    s->panels += mst_larger(needs.panels, (uint64_t)1) * (direction == MST_FFT_FORWARD ? 2 : 1);
    s->device_bytes = mst_larger(s->device_bytes, needs.device_bytes);
fail:
    mst_fft_destroy(fft);
    return status;
}

mst_status mst_spectra_plan(mst_convolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    static const char whole[] = "transforms of the whole";
    struct mst_spectra *s = calloc(1, sizeof *s);
    MST_REQUIRE(s, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    MST_TRY(choose_lengths(plan, s, error));
    MST_TRY(look_at(plan, s, MST_FFT_FORWARD, error));
    MST_TRY(look_at(plan, s, MST_FFT_INVERSE, error));
    MST_TRY(mst_budget_require(plan->context, &plan->context->device_memory, s->device_bytes, whole, error));
    MST_TRY(mst_budget_require(plan->context, &plan->context->host_memory, s->staging_bytes, whole, error));
    plan->spectra = s;
    return MST_OK;
fail:
    mst_spectra_destroy(s);
    return status;
}

void mst_spectra_destroy(struct mst_spectra *spectra) { free(spectra); }

// ---- The run

typedef struct spectra_run {
    const mst_convolution *plan;
    mst_spectra_line line;
    mst_execution how;
    mst_report report;
    uint64_t done, total; // transforms
    mst_scratch memory;   // of all three:
    void *spectra[2];     // of x and y
    void *spare;          // a padded operand, or the result
    int into;             // the spectrum that products are put into
} spectra_run;

static bool show_progress(uint64_t done, uint64_t total, void *user) {
    const spectra_run *r = user;
    const uint64_t part = total ? (uint64_t)((double)done / (double)total * PARTS_OF_PROGRESS) : 0;
    return r->how.progress(r->done * PARTS_OF_PROGRESS + part, r->total * PARTS_OF_PROGRESS, r->how.progress_user);
}

// One plan at a time: what it took of the budgets is there for the next one.
static mst_status transform(spectra_run *r, mst_fft_direction direction, const void *from, void *to, mst_error *error) {
    mst_status status = MST_OK;
    const mst_fft_desc d = describe(r->plan, r->plan->spectra, direction);
    mst_fft *fft = NULL;
    mst_report report = MST_REPORT_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    how.report = &report;
    how.progress = r->how.progress ? show_progress : NULL;
    how.progress_user = r;
    MST_TRY(mst_fft_create(r->plan->context, &d, &fft, error));
    MST_TRY(mst_fft_execute(fft, mst_at_host(from), mst_at_host(to), &how, error));
    r->done++;
    mst_report_add(&r->report, &report);
fail:
    mst_fft_destroy(fft);
    return status;
}

static void multiply_single(float *into, const float *by, size_t n) {
    for (size_t i = 0; i < 2 * n; i += 2) {
        const float re = into[i] * by[i] - into[i + 1] * by[i + 1];
        into[i + 1] = into[i] * by[i + 1] + into[i + 1] * by[i];
        into[i] = re;
    }
}

static void multiply_double(double *into, const double *by, size_t n) {
    for (size_t i = 0; i < 2 * n; i += 2) {
        const double re = into[i] * by[i] - into[i + 1] * by[i + 1];
        into[i + 1] = into[i] * by[i + 1] + into[i + 1] * by[i];
        into[i] = re;
    }
}

static mst_status multiply_chunk(size_t chunk, void *user, mst_error *error) {
    const spectra_run *r = user;
    const size_t at = chunk * CHUNK, n = mst_smaller(CHUNK, r->plan->spectra->products - at);
    (void)error;
    if (r->plan->work_type == MST_COMPLEX64)
        multiply_single((float *)r->spectra[r->into] + 2 * at, (const float *)r->spectra[!r->into] + 2 * at, n);
    else
        multiply_double((double *)r->spectra[r->into] + 2 * at, (const double *)r->spectra[!r->into] + 2 * at, n);
    return MST_OK;
}

static bool serves_all(const mst_convolution *plan, int operand) { return plan->n_lines[operand] < plan->n_lines[Z]; }

static mst_status convolve_line(spectra_run *r, mst_error *error) {
    mst_status status = MST_OK;
    for (int operand = X; operand <= Y; operand++) {
        if (r->line.number > 0 && serves_all(r->plan, operand))
            continue;
        r->line.array = operand;
        r->line.padded = r->spare;
        MST_TRY(mst_spectra_load(&r->line, error));
        MST_TRY(transform(r, MST_FFT_FORWARD, r->spare, r->spectra[operand], error));
    }
    MST_TRY(mst_pool_run(r->plan->context->pool, mst_divide_up(r->plan->spectra->products, CHUNK), multiply_chunk, r, error));
    MST_TRY(transform(r, MST_FFT_INVERSE, r->spectra[r->into], r->spare, error));
    r->line.array = Z;
    r->line.padded = r->spare;
    MST_TRY(mst_spectra_store(&r->line, error));
fail:
    return status;
}

static mst_status take_memory(spectra_run *r, mst_error *error) {
    const struct mst_spectra *s = r->plan->spectra;
    mst_status status = MST_OK;
    MST_TRY(mst_scratch_take(mst_spectra_host_bytes(s), "spectra of two long operands", &r->memory, error));
    r->spectra[X] = r->memory.memory;
    r->spectra[Y] = (unsigned char *)r->memory.memory + s->bytes;
    r->spare = (unsigned char *)r->memory.memory + 2 * s->bytes;
fail:
    return status;
}

mst_status mst_spectra_execute(const mst_convolution *plan, const mst_location *where, const mst_execution *how,
                               mst_error *error) {
    mst_status status = MST_OK;
    const double start = mst_now();
    const size_t lines = plan->n_lines[Z];
    spectra_run r = {.plan = plan, .line = {.plan = plan, .where = where}, .report = MST_REPORT_INIT};
    const mst_stream_desc ports = {.context = plan->context,
                                   .n_ports = N_ARRAYS,
                                   .ports = {{MST_PORT_INPUT, plan->desc.x, 0, "x"},
                                             {MST_PORT_INPUT, plan->desc.y, 0, "y"},
                                             {MST_PORT_OUTPUT, plan->desc.z, 0, "z"}}};
    MST_TRY(mst_host_run_begin(&ports, where, how, &r.how, error));
    r.into = serves_all(plan, X) ? Y : X;
    r.total = lines;
    for (int operand = X; operand <= Y; operand++)
        r.total += plan->n_lines[operand];
    MST_TRY(take_memory(&r, error));
    for (r.line.number = 0; r.line.number < lines; r.line.number++)
        MST_TRY(convolve_line(&r, error));
    r.report.seconds = mst_now() - start;
    MST_TRY(mst_host_run_end(plan->context, &r.how, &r.report, error));
fail:
    mst_scratch_release(&r.memory);
    return status;
}
