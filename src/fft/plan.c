// From axes to passes, and what each pass needs on the device.
#include "plan.h"

#include "runtime/layout.h"
#include "runtime/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FACTORS 4
#define GPU_COLUMN_TWIDDLES ((size_t)1 << 19) // the longest transforms with twiddles by column; of longer ones they are too large
#define LONGEST_CHIRP ((size_t)1 << 22)       // its spectrum is computed on the host, in long double

// The transform along one axis: from one buffer to another.
typedef struct axis_job {
    int axis;
    size_t n; // length, of transforms as they are done
    int from, to;
    mst_layout from_layout, to_layout, work_layout; // packed; work: complex, n along the axis
    mst_pass_op load, store;                        // at the first and the last pass
    bool scale;
} axis_job;

static mst_layout dense_like(const mst_layout *layout, mst_type type, int axis, size_t n) {
    size_t shape[MST_MAX_RANK];
    memcpy(shape, layout->shape, sizeof shape);
    shape[axis] = n;
    return mst_layout_dense(type, layout->rank, shape);
}

static void add_dim(mst_view *v, size_t count, int64_t outer, size_t position) {
    v->counts[v->n_dims] = count;
    v->outer[v->n_dims] = outer;
    v->position[v->n_dims++] = position;
}

static size_t product(const size_t *f, int from, int to) {
    size_t p = 1;
    for (int k = from; k < to; k++)
        p *= f[k];
    return p;
}

// Lines of pass i of an axis of length f[0] f[1] ... f[nf-1]. Digit k of the index n is transformed into digit k of the
// result by pass k. Up to the last pass everything stays in place: the position of digits (k_0 .. k_(i-1), n_i .. n_(nf-1)) is
// that of the mixed-radix number with k_0 the most significant. The last pass puts results where they belong: k_0 the least
// significant.
static mst_view axis_view(const mst_layout *layout, int axis, const size_t *f, int nf, int i, bool result, int *column_dim) {
    mst_view v = {.axis_stride = layout->strides[axis]};
    bool last = i == nf - 1;
    for (int k = 0; k < axis; k++)
        add_dim(&v, layout->shape[k], layout->strides[k], 0);
    if (!last) {
        size_t rest = product(f, i + 1, nf);
        add_dim(&v, product(f, 0, i), 0, product(f, i, nf));
        *column_dim = v.n_dims;
        add_dim(&v, rest, 0, 1);
        v.step = rest;
    } else {
        for (int k = i - 1; k >= 0; k--)
            add_dim(&v, f[k], 0, result ? product(f, 0, k) : product(f, k + 1, nf));
        v.step = result ? product(f, 0, i) : 1;
    }
    for (int k = axis + 1; k < layout->rank; k++)
        add_dim(&v, layout->shape[k], layout->strides[k], 0);
    return v;
}

// n as a product of nf factors of at most `limit`, as equal as can be.
static bool split_length(size_t n, int nf, size_t limit, size_t *f) {
    if (nf == 1) {
        f[0] = n;
        return n <= limit;
    }
    size_t middle = (size_t)(pow((double)n, 1.0 / nf) + 0.5);
    for (size_t away = 0; away <= limit; away++)
        for (int side = 0; side < 2; side++) {
            size_t d = side ? middle - away : middle + away; // wraps to a huge number below 0
            if (d >= 1 && d <= limit && n % d == 0 && split_length(n / d, nf - 1, limit, f + 1)) {
                f[0] = d;
                return true;
            }
        }
    return false;
}

static bool choose_factors(const mst_fft *plan, size_t n, size_t *f, int *nf) {
    const mst_device_info *device = &plan->context->device;
    size_t longest = mst_pass_longest(device, plan->cpu, plan->is_double);
    if (n <= longest) {
        f[0] = n;
        *nf = 1;
        return true;
    }
    // Passes of long transforms go over many lines side by side, which leaves each less room.
    size_t limit = plan->cpu ? longest : 1024;
    for (*nf = 2; *nf <= MAX_FACTORS; ++*nf)
        if (split_length(n, *nf, limit, f))
            return true;
    return false;
}

static bool is_smooth(size_t n) {
    unsigned radices[MST_PASS_RADICES];
    int count;
    // Powers of a small prime could have more factors than a pass has room for: those of passes are far shorter.
    static const unsigned primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31};
    for (size_t k = 0; k < sizeof primes / sizeof primes[0]; k++)
        while (n > 4096 && n % primes[k] == 0)
            n /= primes[k];
    return mst_pass_factor(n, true, radices, &count);
}

static size_t item_count(const mst_layout *layout, int split) {
    size_t count = 1;
    for (int k = split; k < layout->rank; k++)
        count *= layout->shape[k];
    return count;
}

static void need_buffer(mst_fft *plan, int buffer, const mst_layout *layout) {
    uint64_t bytes = (uint64_t)item_count(layout, plan->split) * mst_type_bytes(layout->type);
    plan->item_bytes[buffer] = bytes > plan->item_bytes[buffer] ? bytes : plan->item_bytes[buffer];
}

static mst_status add_axis(mst_fft *plan, const axis_job *job, mst_fft_pass **first_pass, mst_fft_pass **last_pass,
                           mst_error *error) {
    mst_status status = MST_OK;
    size_t f[MAX_FACTORS];
    int nf = 0;
    MST_REQUIRE(choose_factors(plan, job->n, f, &nf), MST_ERROR_UNSUPPORTED, "transforms of %zu points are too long for %s",
                job->n, plan->context->device.name);
    if (nf > 1)
        need_buffer(plan, WORK, &job->work_layout);
    for (int i = 0; i < nf; i++) {
        bool first = i == 0, last = i == nf - 1;
        mst_fft_pass *p = &plan->passes[plan->n_passes++];
        mst_pass *pass = &p->pass;
        int column = -1, unused;
        p->from = first ? job->from : WORK;
        p->to = last ? job->to : WORK;
        const mst_layout *from = first ? &job->from_layout : &job->work_layout, *to = last ? &job->to_layout : &job->work_layout;
        pass->is_double = plan->is_double;
        pass->cpu = plan->cpu;
        pass->n = f[i];
        pass->source = axis_view(from, job->axis, f, nf, i, false, &column);
        pass->target = axis_view(to, job->axis, f, nf, i, true, &unused);
        p->own_source =
            axis_view(p->from == SOURCE ? &plan->desc.input : &plan->desc.output, job->axis, f, nf, i, false, &unused);
        p->own_target = axis_view(&plan->desc.output, job->axis, f, nf, i, true, &unused);
        p->own_twiddle_dim = column;
        pass->twiddle_n = last ? 0 : product(f, i, nf);
        pass->twiddle_dim = column;
        pass->twiddle_by_column = !plan->cpu && pass->twiddle_n <= GPU_COLUMN_TWIDDLES;
        mst_view_merge(&pass->source, last ? NULL : &pass->twiddle_dim);
        mst_view_merge(&pass->target, NULL);
        mst_view_merge(&p->own_source, last ? NULL : &p->own_twiddle_dim);
        mst_view_merge(&p->own_target, NULL);
        if (first)
            pass->load = job->load;
        if (last) {
            pass->store = job->store;
            pass->scale = job->scale;
        }
        p->lines_an_item = item_count(&job->work_layout, plan->split) / f[i];
        MST_REQUIRE(mst_pass_choose_radices(pass), MST_ERROR_UNSUPPORTED, "length %zu has a prime factor above %d", pass->n,
                    MST_PASS_MAX_PRIME);
        MST_TRY(mst_pass_shape(pass, &plan->context->device, error));
        if (first && first_pass)
            *first_pass = p;
        if (last && last_pass)
            *last_pass = p;
    }
fail:
    return status;
}

static mst_layout packed_layout(const mst_fft *plan, int buffer, const mst_layout *spectrum) {
    const mst_layout *l = buffer == SOURCE ? &plan->desc.input : buffer == TARGET ? &plan->desc.output : spectrum;
    return mst_layout_dense(l->type, l->rank, l->shape);
}

static size_t next_power_of_two(size_t n) {
    size_t m = 1;
    while (m < n)
        m *= 2;
    return m;
}

static uint64_t complex_bytes(const mst_fft *plan) { return plan->is_double ? 16 : 8; }

static mst_status add_bluestein(mst_fft *plan, const axis_job *job, mst_error *error) {
    mst_status status = MST_OK;
    size_t m = next_power_of_two(2 * job->n - 1);
    MST_REQUIRE(m <= LONGEST_CHIRP, MST_ERROR_UNSUPPORTED,
                "length %zu has a prime factor above %d and is longer than %zu, the most for such lengths", job->n,
                MST_PASS_MAX_PRIME, LONGEST_CHIRP / 2);
    axis_job there = *job, back = *job;
    mst_fft_pass *first, *middle, *last;
    mst_type type = job->work_layout.type;
    there.n = back.n = m;
    there.work_layout = back.work_layout = dense_like(&job->work_layout, type, job->axis, m);
    there.to_layout = back.from_layout = there.work_layout;
    there.to = back.from = PADDED;
    need_buffer(plan, PADDED, &there.work_layout);
    // The chirps take the direction: no exchange of real and imaginary parts from outside.
    there.load.swap = false;
    there.load.multiply = true;
    if (there.load.length == 0 || there.load.length > job->n)
        there.load.length = job->n;
    there.store = (mst_pass_op){.multiply = true};
    there.scale = false;
    back.load = (mst_pass_op){.swap = true};
    back.store.swap = true;
    back.store.multiply = true;
    if (back.store.length == 0)
        back.store.length = job->n;
    MST_TRY(add_axis(plan, &there, &first, &middle, error));
    MST_TRY(add_axis(plan, &back, NULL, &last, error));
    first->load_factors.bytes = last->store_factors.bytes = job->n * complex_bytes(plan);
    middle->store_factors.bytes = m * complex_bytes(plan);
    middle->chirp_length = job->n;
fail:
    return status;
}

static void count_tables(mst_fft *plan, mst_fft_pass *p) {
    const mst_pass *pass = &p->pass;
    p->table.bytes = mst_pass_table_count(pass) * complex_bytes(plan);
    plan->table_bytes +=
        p->table.bytes + mst_twiddle_tables_plan(&p->twiddles, pass) + p->load_factors.bytes + p->store_factors.bytes;
}

mst_status mst_fft_plan_passes(mst_fft *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_fft_desc *d = &plan->desc;
    mst_type complex_type = plan->is_double ? MST_COMPLEX128 : MST_COMPLEX64;
    bool real_in = d->input.type != complex_type, real_out = d->output.type != complex_type;
    bool inverse = d->direction == MST_FFT_INVERSE;
    mst_layout spectrum = mst_layout_dense(complex_type, d->input.rank, real_in ? d->output.shape : d->input.shape);
    for (int a = 0; a < d->n_axes; a++) {
        bool first = a == 0, last = a == d->n_axes - 1;
        int axis = d->axes[a];
        axis_job job = {.axis = axis,
                        .from = first      ? SOURCE
                                : real_out ? SPECTRUM
                                           : TARGET,
                        .to = real_out && !last ? SPECTRUM : TARGET};
        job.n = real_out && last ? d->output.shape[axis] : d->input.shape[axis];
        if (real_in && !first)
            job.n = d->output.shape[axis];
        job.from_layout = packed_layout(plan, job.from, &spectrum);
        job.to_layout = packed_layout(plan, job.to, &spectrum);
        job.work_layout = dense_like(&spectrum, complex_type, axis, job.n);
        job.load.swap = job.store.swap = inverse;
        if (first && real_in)
            job.load.element = MST_ELEMENT_REAL;
        if (first && real_in)
            job.store.length = d->output.shape[axis];
        job.scale = last && d->scale != 1;
        if (last && real_out) {
            job.load.element = MST_ELEMENT_HERMITIAN;
            job.load.axis_length = job.n;
            job.store.element = MST_ELEMENT_REAL;
        }
        if (job.to == SPECTRUM)
            need_buffer(plan, SPECTRUM, &spectrum);
        MST_TRY(is_smooth(job.n) ? add_axis(plan, &job, NULL, NULL, error) : add_bluestein(plan, &job, error));
    }
    for (int k = 0; k < plan->n_passes; k++)
        count_tables(plan, &plan->passes[k]);
fail:
    return status;
}

// Bluestein's: the chirp on the way in, its spectrum in the middle, the chirp on the way out.
static mst_status make_factors(mst_fft *plan, mst_fft_pass *p, mst_error *error) {
    mst_status status = MST_OK;
    bool inverse = plan->desc.direction == MST_FFT_INVERSE;
    size_t size = (size_t)complex_bytes(plan);
    void *values = NULL;
    if (p->load_factors.bytes) {
        values = mst_chirp((size_t)p->load_factors.bytes / size, inverse, plan->is_double);
        MST_TRY(mst_table_upload(plan->context, &p->load_factors, values, error));
    }
    if (p->store_factors.bytes) {
        free(values);
        values = p->chirp_length
                     ? mst_chirp_spectrum(p->chirp_length, (size_t)p->store_factors.bytes / size, inverse, plan->is_double)
                     : mst_chirp((size_t)p->store_factors.bytes / size, inverse, plan->is_double);
        MST_TRY(mst_table_upload(plan->context, &p->store_factors, values, error));
    }
fail:
    free(values);
    return status;
}

mst_status mst_fft_kernel(mst_fft *plan, mst_fft_pass *p, bool own_source, bool own_target, cl_kernel *out, mst_error *error) {
    mst_status status = MST_OK;
    int variant = (own_source ? 1 : 0) + (own_target ? 2 : 0);
    mst_pass pass = p->pass;
    mst_text text = {0};
    cl_program program;
    *out = p->kernels[variant];
    if (*out)
        return MST_OK;
    if (own_source) {
        pass.source = p->own_source;
        pass.twiddle_dim = p->own_twiddle_dim;
    }
    if (own_target)
        pass.target = p->own_target;
    if (own_source || own_target)
        MST_TRY(mst_pass_shape(&pass, &plan->context->device, error));
    mst_pass_write(&pass, &text);
    MST_REQUIRE(!text.failed, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    MST_TRY(
        mst_program_build(plan->context, text.text, plan->is_double ? "-D PRECISION=64" : "-D PRECISION=32", &program, error));
    MST_TRY(mst_kernel_create(program, "fft_pass", &p->kernels[variant], error));
    p->shapes[variant] = pass;
    p->texts[variant] = text.text;
    *out = p->kernels[variant];
    return MST_OK;
fail:
    mst_text_release(&text);
    return status;
}

mst_status mst_fft_make_pass(mst_fft *plan, mst_fft_pass *p, mst_error *error) {
    mst_status status = MST_OK;
    cl_kernel kernel;
    MST_TRY(mst_table_make_steps(plan->context, &p->table, &p->pass, error));
    MST_TRY(mst_twiddle_tables_make(plan->context, &p->twiddles, error));
    MST_TRY(make_factors(plan, p, error));
    MST_TRY(mst_fft_kernel(plan, p, false, false, &kernel, error));
    if ((p->from == SOURCE && !mst_layout_is_dense(&plan->desc.input)) ||
        (p->to == TARGET && !mst_layout_is_dense(&plan->desc.output)))
        MST_TRY(mst_fft_kernel(plan, p, p->from <= TARGET, p->to <= TARGET, &kernel, error));
fail:
    return status;
}

void mst_fft_release_pass(mst_fft *plan, mst_fft_pass *p) {
    mst_device_table *tables[] = {&p->table, &p->load_factors, &p->store_factors};
    for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++)
        mst_table_release(plan->context, tables[k]);
    mst_twiddle_tables_release(plan->context, &p->twiddles);
    for (int v = 0; v < 4; v++) {
        mst_kernel_release(p->kernels[v]);
        free(p->texts[v]);
    }
}
