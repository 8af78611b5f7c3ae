// How long axes are split, where the lines of each pass lie, and the passes of an axis.
#include "axis.h"

#include "runtime/numbers.h"

#include <math.h>
#include <string.h>

#define MAX_FACTORS 4
#define GPU_SECTOR_BYTES 32u                  // the least that memory moves: columns that are read together should fill it
#define GPU_COLUMN_TWIDDLES ((size_t)1 << 19) // the longest transforms with twiddles by column; of longer ones they are too large

mst_layout mst_axis_layout(const mst_layout *layout, mst_type type, int axis, size_t n) {
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
mst_view mst_axis_view(const mst_layout *layout, int axis, const size_t *f, int nf, int i, bool result, int *column_dim) {
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

// At least `least` factors.
static int choose_factors(const mst_fft *plan, size_t n, int least, size_t *f) {
    const mst_device_info *device = &plan->context->device;
    if (least == 1 && mst_pass_takes(device, plan->cpu, plan->is_double, n)) {
        f[0] = n;
        return 1;
    }
    // Passes of long transforms go over many lines side by side, which leaves each less room.
    size_t limit = plan->cpu ? mst_pass_longest(device, true, plan->is_double) : 1024;
    for (int nf = 2; nf <= MAX_FACTORS; nf++)
        if (split_length(n, nf, limit, f))
            return nf;
    return 0;
}

int mst_axis_passes(const mst_fft *plan, size_t n) {
    size_t f[MAX_FACTORS];
    return choose_factors(plan, n, 1, f);
}

bool mst_axis_is_smooth(size_t n) {
    unsigned radices[MST_PASS_RADICES];
    int count;
    // A whole axis may have more factors than one pass has room for, although each of its passes has few. Dividing it by primes
    // that passes take does not change the answer.
    static const unsigned primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31};
    for (size_t k = 0; k < MST_COUNT(primes); k++)
        while (n > 4096 && n % primes[k] == 0)
            n /= primes[k];
    return mst_pass_factor(n, true, 0, radices, &count);
}

static size_t item_count(const mst_layout *layout, int split) {
    size_t count = 1;
    for (int k = split; k < layout->rank; k++)
        count *= layout->shape[k];
    return count;
}

void mst_axis_need(mst_fft *plan, int buffer, const mst_layout *layout) {
    uint64_t bytes = (uint64_t)item_count(layout, plan->split) * mst_type_bytes(layout->type);
    plan->item_bytes[buffer] = mst_larger(plan->item_bytes[buffer], bytes);
}

void mst_axis_need_factors(const mst_fft *plan, const mst_axis_job *job, mst_fft_pass *first, mst_fft_pass *last) {
    uint64_t bytes = job->n * mst_fft_number_bytes(plan);
    first->device.tables.tables[MST_TABLE_LOAD_FACTORS].bytes = job->load.multiply ? bytes : 0;
    last->device.tables.tables[MST_TABLE_STORE_FACTORS].bytes = job->store.multiply ? bytes : 0;
}

// Pass i of an axis of factors f: between which buffers, and where its lines lie in them.
static void place_pass(mst_fft *plan, const mst_axis_job *job, const size_t *f, int nf, int i, mst_fft_pass *p) {
    bool first = i == 0, last = i == nf - 1;
    mst_pass *pass = &p->device.pass;
    int column = -1, unused;
    const mst_layout *from = first ? &job->from_layout : &job->work_layout, *to = last ? &job->to_layout : &job->work_layout;
    p->from = first ? job->from : WORK;
    p->to = last ? job->to : WORK;
    p->lines_an_item = item_count(&job->work_layout, plan->split) / f[i];
    pass->source = mst_axis_view(from, job->axis, f, nf, i, false, &column);
    pass->target = mst_axis_view(to, job->axis, f, nf, i, true, &unused);
    p->own_source =
        mst_axis_view(p->from == SOURCE ? &plan->desc.input : &plan->desc.output, job->axis, f, nf, i, false, &unused);
    p->own_target = mst_axis_view(&plan->desc.output, job->axis, f, nf, i, true, &unused);
    pass->twiddle_dim = p->own_twiddle_dim = column;
    mst_view_merge(&pass->source, last ? NULL : &pass->twiddle_dim);
    mst_view_merge(&pass->target, NULL);
    mst_view_merge(&p->own_source, last ? NULL : &p->own_twiddle_dim);
    mst_view_merge(&p->own_target, NULL);
}

static mst_status plan_pass(mst_fft *plan, const mst_axis_job *job, const size_t *f, int nf, int i, mst_fft_pass *p,
                            mst_error *error) {
    mst_status status = MST_OK;
    bool first = i == 0, last = i == nf - 1;
    mst_pass *pass = &p->device.pass;
    p->axis = job->axis;
    place_pass(plan, job, f, nf, i, p);
    pass->choice = plan->choice;
    pass->is_double = plan->is_double;
    pass->cpu = plan->cpu;
    pass->n = f[i];
    pass->convolution = job->convolution;
    pass->half = job->half;
    pass->fused = job->convolution != MST_PASS_TRANSFORM;
    pass->twiddle_n = last ? 0 : product(f, i, nf);
    pass->twiddle_by_column = !plan->cpu && pass->twiddle_n <= GPU_COLUMN_TWIDDLES;
    if (first)
        pass->load = job->load;
    if (last) {
        pass->store = job->store;
        pass->scale = job->scale;
    }
    MST_REQUIRE(mst_pass_choose_radices(pass), MST_ERROR_UNSUPPORTED, "length %zu has a prime factor above %d", pass->n,
                MST_PASS_MAX_PRIME);
    MST_TRY(mst_pass_shape(pass, &plan->context->device, error));
fail:
    return status;
}

// Long columns: a work-group has room for so few of them that memory moves mostly what nobody wants. Two passes over shorter ones
// are faster.
static bool is_narrow(const mst_pass *pass) {
    return !pass->cpu && !pass->fused && pass->source.axis_stride != 1 &&
           pass->lines * (pass->is_double ? 16 : 8) < GPU_SECTOR_BYTES;
}

mst_status mst_axis_plan(mst_fft *plan, const mst_axis_job *job, mst_fft_pass **first_pass, mst_fft_pass **last_pass,
                         mst_error *error) {
    mst_status status = MST_OK;
    size_t f[MAX_FACTORS];
    int nf = choose_factors(plan, job->n, 1, f);
    mst_fft_pass *passes = &plan->passes[plan->n_passes];
    MST_REQUIRE(nf > 0, MST_ERROR_UNSUPPORTED, "transforms of %zu points are too long for %s", job->n,
                plan->context->device.name);
    if (nf == 1) {
        size_t several[MAX_FACTORS];
        MST_TRY(plan_pass(plan, job, f, 1, 0, &passes[0], error));
        int n_several = is_narrow(&passes[0].device.pass) ? choose_factors(plan, job->n, 2, several) : 0;
        passes[0] = (mst_fft_pass){.axis = 0};
        if (n_several > 0) {
            nf = n_several;
            memcpy(f, several, sizeof f);
        }
    }
    if (nf > 1)
        mst_axis_need(plan, WORK, &job->work_layout);
    for (int i = 0; i < nf; i++) {
        plan->n_passes++;
        MST_TRY(plan_pass(plan, job, f, nf, i, &passes[i], error));
    }
    if (first_pass)
        *first_pass = &passes[0];
    if (last_pass)
        *last_pass = &passes[nf - 1];
fail:
    return status;
}
