// Cosine and sine transforms by Fourier transforms. With w = exp(-2 pi i / 4n):
//     II   X[k] - i X[n-k] = 2 w^k V[k] for v = x[0], x[2], .., x[3], x[1]  (Makhoul, IEEE Trans. ASSP 28, 1980)
//     III  the way back: V[k] = w^-k (X[k] - i X[n-k]), X[n] = 0
//     IV   even n: y[2k] - i y[n-1-2k] = 2 u[k] T[k] for t[p] = u[p] (x[2p] + i x[n-1-2p]) of length n/2, with
//          u[p] = exp(-2 pi i (8p+1) / 16n); odd n: a permutation of the indices of 4n mirrored numbers (Chan and Ho, Electronics
//          Letters 26, 1990), as FFTW has it
//     I    a period of the mirrored numbers: every way by recurrences over n loses accuracy with sqrt n
// Sine transforms are those of the cosine, of x in reverse order or with every other sign changed.
#include "even.h"
#include "twiddle.h"

#include "runtime/layout.h"
#include "runtime/program.h"

#include <math.h>
#include <stdlib.h>

#define LONGEST ((size_t)1 << 48)   // of the transforms; on the device 2^30
#define LEAST_HALVED ((size_t)2048) // rows on GPUs: in shorter ones reading every other number takes longer than the work saved

size_t mst_even_length(mst_fft_kind kind, size_t n) {
    switch (mst_even_type(kind)) {
    case 1:
        return mst_even_is_sine(kind) ? 2 * (n + 1) : 2 * (n - 1);
    case 4:
        return n % 2 == 0 ? n / 2 : n;
    default:
        return n;
    }
}

// ---- Descriptions.

static mst_status check_types(const mst_fft_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(d->input.type == MST_FLOAT32 || d->input.type == MST_FLOAT64, MST_ERROR_ARGUMENT,
                "input is %s; cosine and sine transforms take float32 and float64", mst_type_name(d->input.type));
    MST_REQUIRE(d->output.type == d->input.type, MST_ERROR_ARGUMENT,
                "output is %s but input is %s; those of cosine and sine transforms are of one type",
                mst_type_name(d->output.type), mst_type_name(d->input.type));
    MST_REQUIRE(mst_layout_same_shape(&d->input, &d->output), MST_ERROR_ARGUMENT,
                "input and output of a cosine or sine transform have the same shape");
fail:
    return status;
}

mst_status mst_even_read(mst_fft_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    if (d->output.rank == 0)
        d->output = mst_layout_dense(d->input.type, d->input.rank, d->input.shape);
    MST_TRY(check_types(d, error));
    bool sine = mst_even_is_sine(d->kind);
    int type = mst_even_type(d->kind);
    for (int a = 0; a < d->n_axes; a++) {
        size_t n = d->input.shape[d->axes[a]];
        MST_REQUIRE(type != 1 || sine || n != 1, MST_ERROR_ARGUMENT,
                    "axis %d has length 1; a cosine transform of type I needs 2 or more", d->axes[a]);
        MST_REQUIRE(n <= LONGEST / 2 - 1, MST_ERROR_ARGUMENT,
                    "axis %d has length %zu; 2^47 - 1 is the most of cosine and sine transforms", d->axes[a], n);
    }
    if (d->direction == MST_FFT_INVERSE && (type == 2 || type == 3))
        type = 5 - type;
    d->kind = (mst_fft_kind)(type + (sine ? MST_FFT_DST1 - 1 : 0));
    d->direction = type == 3 ? MST_FFT_INVERSE : MST_FFT_FORWARD;
fail:
    return status;
}

// ---- Factors.

static mst_root times(long double factor, mst_root a) { return (mst_root){factor * a.re, factor * a.im}; }

// Whether values are multiplied by anything on a side.
static bool has_factors(const mst_fft_desc *d, int map, bool load) {
    switch (map) {
    case EVEN_SPREAD:
        return false;
    case EVEN_MIRRORED:
        return d->orthogonal && !mst_even_is_sine(d->kind);
    default:
        return map != EVEN_PAIRED && (map != EVEN_STRIDED || !load);
    }
}

size_t mst_even_roots(const mst_pass_op *op) { return op->axis_length * (op->even == EVEN_FOLDED ? 16 : 4); }

// For unit rows and columns, ends weigh sqrt 2 or its inverse.
mst_root mst_even_factor(const mst_fft_desc *d, const mst_pass_op *op, bool load, const mst_roots *roots, size_t p) {
    const long double root2 = sqrtl(2), weight = d->orthogonal ? (load ? root2 : 1 / root2) : 1;
    size_t n = op->axis_length;
    switch (op->even) {
    case EVEN_ROTATED:
        return times((load ? 1 : 2) * (p == 0 ? weight : 1), mst_root_conjugate_if(load, mst_roots_get(roots, p)));
    case EVEN_FOLDED:
        return times(load ? 1 : 2, mst_roots_get(roots, 8 * p + 1));
    case EVEN_STRIDED:
        return (mst_root){load ? 1 : root2, 0};
    case EVEN_MIRRORED:
        return (mst_root){p == 0 || p == n - 1 ? (has_factors(d, EVEN_MIRRORED, load) ? weight : 1) : 1, 0};
    default:
        return (mst_root){1, 0};
    }
}

void *mst_even_factors(const mst_fft *plan, const mst_fft_pass *p, mst_table_kind kind) {
    const mst_fft_desc *d = &plan->desc;
    bool load = kind == MST_TABLE_LOAD_FACTORS;
    const mst_pass_op *op = load ? &p->device.pass.load : &p->device.pass.store;
    size_t m = mst_even_length(d->kind, op->axis_length), count = (size_t)p->device.tables.tables[kind].bytes;
    mst_roots roots = {0}, chirp = {0};
    bool by_chirp = op->length > 0; // of a convolution (axis_convolution.c)
    bool made = mst_roots_create(&roots, mst_even_roots(op)) && (!by_chirp || mst_roots_create(&chirp, 2 * m));
    void *table = made ? malloc(count) : NULL;
    for (size_t k = 0, square = 0; k < m && table; square = (square + 2 * k + 1) % (2 * m), k++) {
        mst_root value = mst_even_factor(d, op, load, &roots, k);
        if (by_chirp)
            value =
                mst_root_multiply(value, mst_root_conjugate_if(d->direction == MST_FFT_INVERSE, mst_roots_get(&chirp, square)));
        mst_table_put(table, plan->is_double, k, value);
    }
    mst_roots_destroy(&roots);
    mst_roots_destroy(&chirp);
    return table;
}

void *mst_even_end_weights(const mst_fft *plan, const mst_pass *pass) {
    const long double root2 = sqrtl(2);
    bool orthogonal = plan->desc.orthogonal != 0, going = pass->store.even != EVEN_NONE;
    void *pair = malloc((size_t)mst_fft_number_bytes(plan));
    if (pair)
        mst_table_put(pair, plan->is_double, 0, (mst_root){going ? (orthogonal ? root2 : 2) : orthogonal ? root2 : 1, root2});
    return pair;
}

mst_status mst_even_write(mst_context *context, mst_text *out, mst_error *error) {
    mst_status status = mst_program_add_file(context, "even_maps.cl", out, error);
    return status == MST_OK ? mst_program_add_file(context, "even.cl", out, error) : status;
}

// ---- Lines that a tile holds.

// Where a number is that is spread.
static size_t spread_place(size_t n, size_t i) { return i % 2 == 0 ? i / 2 : n - (i + 1) / 2; }

static size_t slot_in(const mst_pass_op *op, size_t n, size_t j) {
    bool sine = op->sine, odd = n % 2 != 0;
    size_t i = sine && op->even != EVEN_SPREAD && op->even != EVEN_MIRRORED ? n - 1 - j : j;
    switch (op->even) {
    case EVEN_SPREAD:
        return odd ? 2 * spread_place(n, i) : spread_place(n, i);
    case EVEN_ROTATED:
        return i == n / 2 && !odd ? 1 : i <= n / 2 ? 2 * i : 2 * (n - i) + 1;
    case EVEN_MIRRORED:
        return sine ? j + 1 : j;
    default:
        return i % 2 == 0 ? i : n - i;
    }
}

static size_t slot_out(const mst_pass_op *op, const cl_uint *places, size_t n, size_t j) {
    bool sine = op->sine;
    bool odd = n % 2 != 0;
    size_t i = sine && op->even == EVEN_ROTATED ? n - 1 - j : j, u;
    switch (op->even) {
    case EVEN_ROTATED:
        return i == n / 2 && !odd ? 1 : i <= n / 2 ? 2 * (size_t)places[i] : 2 * (size_t)places[n - i] + 1;
    case EVEN_SPREAD: // of the inverse, which leaves its parts exchanged
        u = spread_place(n, i);
        return odd ? 2 * (size_t)places[u] + 1 : 2 * (size_t)places[u / 2] + 1 - u % 2;
    case EVEN_MIRRORED:
        return sine ? 2 * (size_t)places[j + 1] + 1 : 2 * (size_t)places[j];
    default:
        return i % 2 == 0 ? 2 * (size_t)places[i / 2] : 2 * (size_t)places[(n - 1 - i) / 2] + 1;
    }
}

// Every fourth number of four mirrored copies; results k and others of those up to n / 2 (even_store_strided).
static void strided_slots(const mst_pass_op *op, const cl_uint *places, size_t n, cl_uint *slots) {
    for (size_t p = 0; p < n; p++) {
        size_t m = (n / 2 + 4 * p) % (4 * n), i = m / n % 2 ? n - 1 - m % n : m % n;
        slots[op->sine ? n - 1 - i : i] = (cl_uint)(2 * p);
    }
    for (size_t k = 0; k <= n / 2; k++) {
        size_t i = k % 2 ? k / 2 : n / 2 - k / 2;
        slots[n + n - 1 - i] = 2 * places[k] + 1;
        slots[n + i] = 2 * places[k];
    }
}

void mst_even_slots(const mst_pass *pass, const cl_uint *places, cl_uint *slots) {
    size_t n = pass->load.axis_length;
    if (pass->load.even == EVEN_STRIDED) {
        strided_slots(&pass->load, places, n, slots);
        return;
    }
    for (size_t j = 0; j < n; j++) {
        slots[j] = (cl_uint)slot_in(&pass->load, n, j);
        slots[n + j] = (cl_uint)slot_out(&pass->store, places, n, j);
    }
}

// ---- Passes.

static int load_map(const mst_fft_desc *d, size_t n) {
    static const int maps[] = {EVEN_MIRRORED, EVEN_SPREAD, EVEN_ROTATED, EVEN_FOLDED};
    int type = mst_even_type(d->kind);
    return type == 4 && n % 2 == 1 ? EVEN_STRIDED : maps[type - 1];
}

static int store_map(const mst_fft_desc *d, size_t n) {
    int map = load_map(d, n);
    return map == EVEN_SPREAD ? EVEN_ROTATED : map == EVEN_ROTATED ? EVEN_SPREAD : map;
}

mst_pass_op mst_even_op(const mst_fft_desc *d, size_t n, bool load) {
    int map = load ? load_map(d, n) : store_map(d, n);
    return (mst_pass_op){.element = MST_ELEMENT_REAL,
                         .axis_length = n,
                         .even = map,
                         .sine = mst_even_is_sine(d->kind),
                         .multiply = has_factors(d, map, load),
                         .swap = d->direction == MST_FFT_INVERSE};
}

// Real numbers as the parts of half as many, as they are folded, or, if their number is odd, as so many complex ones, in one
// tile: how many these are; 0: not so.
static size_t length_of_tile(const mst_fft *plan, const mst_axis_job *job) {
    size_t n = job->load.even == EVEN_FOLDED || job->n % 2 ? job->n : job->n / 2;
    return plan->any_length && mst_axis_takes(plan, n) && mst_axis_passes(plan, n) == 1 ? n : 0;
}

static mst_status plan_tile(mst_fft *plan, const mst_axis_job *job, size_t h, mst_error *error) {
    mst_status status = MST_OK;
    mst_axis_job half = *job;
    mst_fft_pass *p;
    half.n = h;
    half.half = MST_HALF_EVEN;
    half.work_layout = mst_axis_layout(&job->work_layout, job->work_layout.type, job->axis, h);
    MST_TRY(mst_axis_plan(plan, &half, &p, NULL, error));
    mst_axis_need_factors(plan, job, p, p);
fail:
    return status;
}

// Types II and III of even lengths whose half takes several passes, and one more that combines or splits.
static bool goes_by_runs(const mst_fft *plan, const mst_axis_job *job) {
    return plan->any_length && job->n % 2 == 0 && (job->load.even == EVEN_SPREAD || job->load.even == EVEN_ROTATED) &&
           mst_axis_takes(plan, job->n / 2) && mst_axis_passes(plan, job->n / 2) > 1;
}

static mst_status plan_runs(mst_fft *plan, const mst_axis_job *job, mst_error *error) {
    mst_status status = MST_OK;
    mst_axis_job half = *job;
    mst_fft_pass *p;
    bool combines = job->load.even == EVEN_SPREAD;
    half.n = job->n / 2;
    half.work_layout = mst_axis_layout(&job->work_layout, job->work_layout.type, job->axis, half.n);
    mst_axis_need(plan, SPECTRUM, &half.work_layout);
    if (combines) {
        half.to = SPECTRUM;
        half.to_layout = half.work_layout;
        half.load.even = EVEN_PAIRED;
        half.store = (mst_pass_op){.element = MST_ELEMENT_COMPLEX};
        half.scale = false;
        MST_TRY(mst_axis_plan(plan, &half, NULL, NULL, error));
        p = mst_axis_add_alone(plan, &half, SPECTRUM, job->to, &half.work_layout, &job->to_layout, MST_HALF_EVEN_COMBINE_ALONE);
        p->device.pass.store = job->store;
        p->device.pass.scale = job->scale;
    } else {
        p = mst_axis_add_alone(plan, &half, job->from, SPECTRUM, &job->from_layout, &half.work_layout, MST_HALF_EVEN_SPLIT_ALONE);
        p->device.pass.load = job->load;
        half.from = SPECTRUM;
        half.from_layout = half.work_layout;
        half.load = (mst_pass_op){.element = MST_ELEMENT_COMPLEX};
        half.store.even = EVEN_PAIRED;
        MST_TRY(mst_axis_plan(plan, &half, NULL, NULL, error));
    }
fail:
    return status;
}

// GPU-shaped: real numbers as the parts of half as many, in one pass, or with half of a digit of the index through several.
static mst_status plan_half(mst_fft *plan, const mst_axis_job *job, bool *done, mst_error *error) {
    mst_status status = MST_OK;
    mst_axis_job half = *job;
    mst_fft_pass *first, *last;
    bool back = job->load.even == EVEN_ROTATED;
    *done = false;
    if (plan->cpu || job->n % 2 != 0 || !(back || job->load.even == EVEN_SPREAD || job->load.even == EVEN_MIRRORED))
        return MST_OK;
    if (job->load.even != EVEN_MIRRORED && job->n < LEAST_HALVED && job->from_layout.strides[job->axis] == 1)
        return MST_OK;
    half.n = job->n / 2;
    half.half = back ? MST_HALF_SPLIT : MST_HALF_COMBINE;
    half.work_layout = mst_axis_layout(&job->work_layout, job->work_layout.type, job->axis, half.n);
    if (job->load.even == EVEN_SPREAD)
        half.load.even = EVEN_PAIRED;
    if (back) {
        half.store.even = EVEN_PAIRED;
        half.load.swap = false; // splitting exchanges the parts
    }
    if (!mst_axis_is_smooth(half.n) || !mst_axis_takes_one(plan, &half)) {
        half = *job;
        half.folded = true;
    }
    if (half.folded && (!mst_axis_is_smooth(job->n) || mst_axis_passes(plan, job->n) < 2))
        return MST_OK;
    MST_TRY(mst_axis_plan(plan, &half, &first, &last, error));
    mst_axis_need_factors(plan, job, first, last);
    *done = true;
fail:
    return status;
}

static mst_status plan_axis(mst_fft *plan, const mst_axis_job *job, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_pass *first, *last;
    bool done;
    size_t h = length_of_tile(plan, job);
    if (h > 0)
        return plan_tile(plan, job, h, error);
    if (goes_by_runs(plan, job))
        return plan_runs(plan, job, error);
    MST_TRY(plan_half(plan, job, &done, error));
    if (done)
        return MST_OK;
    if (!mst_axis_takes(plan, job->n))
        return mst_axis_plan_convolution(plan, job, error);
    MST_TRY(mst_axis_plan(plan, job, &first, &last, error));
    mst_axis_need_factors(plan, job, first, last);
fail:
    return status;
}

mst_status mst_even_plan_passes(mst_fft *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_fft_desc *d = &plan->desc;
    mst_type complex_type = plan->is_double ? MST_COMPLEX128 : MST_COMPLEX64;
    mst_layout packed = mst_layout_dense(d->input.type, d->input.rank, d->input.shape);
    for (int a = 0; a < d->n_axes; a++) {
        int axis = d->axes[a];
        size_t n = d->input.shape[axis];
        mst_axis_job job = {.axis = axis, .from = a == 0 ? SOURCE : TARGET, .to = TARGET, .from_layout = packed};
        job.n = mst_even_length(d->kind, n);
        job.to_layout = packed;
        job.work_layout = mst_axis_layout(&packed, complex_type, axis, job.n);
        job.load = mst_even_op(d, n, true);
        job.store = mst_even_op(d, n, false);
        job.scale = a + 1 == d->n_axes && d->scale != 1;
        MST_TRY(plan_axis(plan, &job, error));
    }
fail:
    return status;
}
