// How long axes are split, where the lines of each pass lie, and the passes of an axis.
#include "axis.h"
#include "prime.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"

#include <math.h>
#include <string.h>

#define GPU_SECTOR_BYTES 32u // the least that memory moves: columns that are read together should fill it
#define CPU_LEAST_ALONE ((size_t)96)
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
// significant. Real axes keep half of a digit's numbers (axis_real.c): `f` counts those of each digit that are there, `places`
// those that an array has places for.
mst_view mst_axis_view(const mst_layout *layout, int axis, const mst_digits *digits, int i, bool result, bool whole,
                       int *column_dim) {
    mst_view v = {.axis_stride = layout->strides[axis]};
    const size_t *kept = digits->kept, *places = whole ? digits->f : digits->kept;
    int last = digits->n - 1;
    bool mirrored_rows = i == last && !result && kept[last] < digits->f[last]; // each is mirrored in itself
    for (int k = 0; k < axis; k++)
        add_dim(&v, layout->shape[k], layout->strides[k], 0);
    if (i < last) {
        bool apart = kept[last] < digits->f[last];
        add_dim(&v, product(kept, 0, i), 0, product(places, i, last + 1));
        if (apart) // columns are not counted one after the other
            add_dim(&v, product(kept, i + 1, last), 0, places[last]);
        *column_dim = v.n_dims;
        add_dim(&v, apart ? kept[last] : product(kept, i + 1, last + 1), 0, 1);
        v.step = product(places, i + 1, last + 1);
    } else {
        for (int k = i - 1; k >= 0; k--) {
            size_t place = result ? product(places, 0, k) : product(places, k + 1, last + 1);
            add_dim(&v, kept[k], mirrored_rows ? (int64_t)place * v.axis_stride : 0, mirrored_rows ? 0 : place);
        }
        v.step = result ? product(places, 0, i) : 1;
    }
    for (int k = axis + 1; k < layout->rank; k++)
        add_dim(&v, layout->shape[k], layout->strides[k], 0);
    return v;
}

// Whether a pass has radices for a length that is not too long for it.
static bool has_radices(const mst_fft *plan, size_t n) {
    mst_prime way;
    return !plan->any_length || mst_axis_is_smooth(n) || mst_prime_find(n, &way);
}

// n as a product of nf factors of at most `limit`, as equal as can be.
static bool split_length(const mst_fft *plan, size_t n, int nf, size_t limit, size_t *f) {
    if (nf == 1) {
        f[0] = n;
        return n <= limit && has_radices(plan, n);
    }
    size_t middle = (size_t)(pow((double)n, 1.0 / nf) + 0.5);
    for (size_t away = 0; away <= limit; away++)
        for (int side = 0; side < 2; side++) {
            size_t d = side ? middle - away : middle + away; // wraps to a huge number below 0
            if (d >= 1 && d <= limit && n % d == 0 && has_radices(plan, d) && split_length(plan, n / d, nf - 1, limit, f + 1)) {
                f[0] = d;
                return true;
            }
        }
    return false;
}

// CPUs: one line fills one lane of a tile in one pass, and in two all of them, with its own columns and rows.
static bool is_alone(const mst_fft *plan, size_t n) {
    const mst_fft_desc *d = &plan->desc;
    return plan->cpu && n >= CPU_LEAST_ALONE && d->kind == MST_FFT_FOURIER && d->n_axes == 1 &&
           mst_layout_count(&d->input) == d->input.shape[d->axes[0]];
}

// At least `least` factors.
static int choose_factors(const mst_fft *plan, size_t n, int least, size_t *f) {
    const mst_device_info *device = &plan->context->device;
    if (least == 1 && is_alone(plan, n))
        least = 2;
    if (least == 1 && mst_pass_takes(device, plan->cpu, plan->is_double, n) && has_radices(plan, n)) {
        f[0] = n;
        return 1;
    }
    // Passes of long transforms go over many lines side by side, which leaves each less room.
    size_t limit = plan->cpu ? mst_pass_longest(device, true, plan->is_double) : 1024;
    for (int nf = 2; nf <= MST_AXIS_DIGITS; nf++)
        if (split_length(plan, n, nf, limit, f))
            return nf;
    return 0;
}

int mst_axis_passes(const mst_fft *plan, size_t n) {
    size_t f[MST_AXIS_DIGITS];
    return choose_factors(plan, n, 1, f);
}

bool mst_axis_takes(const mst_fft *plan, size_t n) {
    return mst_axis_is_smooth(n) || (plan->any_length && mst_axis_passes(plan, n) > 0);
}

size_t mst_axis_quick_length(size_t least) {
    size_t best = SIZE_MAX;
    for (size_t odd = 1; odd <= 5; odd += 2) {
        size_t n = odd;
        while (n < least && n <= SIZE_MAX / 2)
            n *= 2;
        best = mst_smaller(best, n);
    }
    return best;
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

// Work memory of the axis: the numbers that are kept.
static mst_layout work_layout(const mst_axis_job *job, const mst_digits *digits) {
    return mst_axis_layout(&job->work_layout, job->work_layout.type, job->axis, product(digits->kept, 0, digits->n));
}

// Pass i of an axis: between which buffers, and where its lines lie in them.
static void place_pass(mst_fft *plan, const mst_axis_job *job, const mst_digits *digits, int i, mst_fft_pass *p) {
    bool first = i == 0, last = i == digits->n - 1;
    mst_pass *pass = &p->device.pass;
    int column = -1, unused;
    const mst_layout work = work_layout(job, digits);
    const mst_layout *from = first ? &job->from_layout : &work, *to = last ? &job->to_layout : &work;
    p->from = first ? job->from : WORK;
    p->to = last ? job->to : WORK;
    p->lines_an_item = item_count(&work, plan->split) / digits->kept[i];
    mst_layout own = p->from == SOURCE ? plan->desc.input : plan->desc.output;
    if (job->row)
        own.shape[own.rank - 1] = job->row;
    pass->row = job->row;
    pass->row_there = job->row_there;
    pass->source = mst_axis_view(from, job->axis, digits, i, false, first, &column);
    pass->target = mst_axis_view(to, job->axis, digits, i, true, last, &unused);
    p->own_source = mst_axis_view(&own, job->axis, digits, i, false, first, &unused);
    p->own_target = mst_axis_view(&plan->desc.output, job->axis, digits, i, true, last, &unused);
    pass->twiddle_dim = p->own_twiddle_dim = column;
    mst_view_merge(&pass->source, last ? NULL : &pass->twiddle_dim);
    mst_view_merge(&pass->target, NULL);
    mst_view_merge(&p->own_source, last ? NULL : &p->own_twiddle_dim);
    mst_view_merge(&p->own_target, NULL);
}

// Makes a pass transform real lines as complex ones of half their length, if that has radices.
static bool takes_half(mst_pass *pass, mst_pass_half half) {
    mst_pass halved = *pass;
    halved.half = half;
    halved.n = pass->n / 2;
    if (pass->n % 2 != 0 || !mst_pass_choose_radices(&halved))
        return false;
    *pass = halved;
    return true;
}

// Real numbers, or even or odd ones that stand for them, are transformed; else they come out.
static bool comes_in_real(const mst_axis_job *job) {
    return job->load.element == MST_ELEMENT_REAL && job->load.even != EVEN_ROTATED;
}

// Of a real axis in several passes. The results of real columns mirror one another, so those up to f / 2 are kept; in the end
// each line has results whose mirrors are wanted, and not the others. The other way, the first pass reads mirrors of what is
// there for the columns up to f / 2 of the last digit, and the last pass for its rows. Real columns and rows of even length are
// transformed as complex ones of half the length.
static void fold(const mst_axis_job *job, const mst_digits *digits, int i, mst_pass *pass) {
    int last = digits->n - 1;
    bool in = comes_in_real(job), inverse = job->load.swap;
    bool halved = i == (in ? 0 : last) && takes_half(pass, in ? MST_HALF_COMBINE : MST_HALF_SPLIT);
    if (in && i == 0 && !halved)
        pass->store.length = product(digits->kept, 0, last + 1);
    if (in && i == last) {
        pass->store.length = 0;
        pass->store.mirror_length = job->n;
        pass->store.residues = digits->f[0];
    }
    if (!in && i < last)
        pass->twiddle_outer = i + 1 < last ? digits->f[last] : 0;
    if (!in && i == last - 1) // mirrors are those of numbers whose parts are where they belong
        pass->store.swap = inverse;
    if (!in && i == last && halved)
        pass->load = (mst_pass_op){.element = MST_ELEMENT_COMPLEX};
    else if (!in && i == last)
        pass->load = (mst_pass_op){.element = MST_ELEMENT_HERMITIAN, .axis_length = digits->f[last], .swap = inverse};
}

static mst_status plan_pass(mst_fft *plan, const mst_axis_job *job, const mst_digits *digits, int i, mst_fft_pass *p,
                            mst_error *error) {
    mst_status status = MST_OK;
    bool first = i == 0, last = i == digits->n - 1;
    mst_pass *pass = &p->device.pass;
    p->axis = job->axis;
    place_pass(plan, job, digits, i, p);
    pass->choice = plan->choice;
    pass->is_double = plan->is_double;
    pass->cpu = plan->cpu;
    pass->primes = plan->any_length;
    pass->n = digits->f[i];
    pass->convolution = job->convolution;
    pass->half = job->half;
    pass->fused = job->convolution != MST_PASS_TRANSFORM;
    pass->twiddle_n = last ? 0 : product(digits->f, i, digits->n);
    pass->twiddle_by_column = !plan->cpu && pass->twiddle_n <= GPU_COLUMN_TWIDDLES;
    pass->twiddle_split = !plan->cpu && pass->twiddle_n > GPU_COLUMN_TWIDDLES;
    if (first)
        pass->load = job->load;
    if (last) {
        pass->store = job->store;
        pass->scale = job->scale;
    }
    if (job->folded)
        fold(job, digits, i, pass);
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

bool mst_axis_takes_one(mst_fft *plan, const mst_axis_job *job) {
    mst_fft_pass scratch = {.axis = 0};
    const mst_digits digits = {.n = 1, .f = {job->n}, .kept = {job->n}};
    return mst_pass_takes(&plan->context->device, false, plan->is_double, job->n) &&
           plan_pass(plan, job, &digits, 0, &scratch, NULL) == MST_OK && !is_narrow(&scratch.device.pass);
}

// The digit of real lines is an even one, if there is any.
static void put_even(mst_digits *digits, int digit) {
    for (int k = 0; k < digits->n && digits->f[digit] % 2 != 0; k++)
        if (digits->f[k] % 2 == 0) {
            size_t even = digits->f[k];
            digits->f[k] = digits->f[digit];
            digits->f[digit] = even;
        }
}

static mst_digits choose_digits(const mst_fft *plan, const mst_axis_job *job, int least) {
    mst_digits digits = {.n = 0};
    digits.n = choose_factors(plan, job->n, least, digits.f);
    int kept_by_half = comes_in_real(job) ? 0 : digits.n - 1;
    if (job->folded && digits.n > 0)
        put_even(&digits, kept_by_half);
    memcpy(digits.kept, digits.f, sizeof digits.f);
    if (job->folded && digits.n > 0)
        digits.kept[kept_by_half] = digits.f[kept_by_half] / 2 + 1;
    return digits;
}

mst_status mst_axis_plan(mst_fft *plan, const mst_axis_job *job, mst_fft_pass **first_pass, mst_fft_pass **last_pass,
                         mst_error *error) {
    mst_status status = MST_OK;
    mst_digits digits = choose_digits(plan, job, job->folded || job->several ? 2 : 1);
    mst_fft_pass *passes = &plan->passes[plan->n_passes];
    MST_REQUIRE(digits.n > 0, MST_ERROR_UNSUPPORTED, "transforms of %zu points are too long for %s", job->n,
                plan->context->device.name);
    if (digits.n == 1 && job->half == MST_HALF_NONE) {
        MST_TRY(plan_pass(plan, job, &digits, 0, &passes[0], error));
        const mst_digits several = is_narrow(&passes[0].device.pass) ? choose_digits(plan, job, 2) : (mst_digits){.n = 0};
        passes[0] = (mst_fft_pass){.axis = 0};
        if (several.n > 0)
            digits = several;
    }
    if (digits.n > 1) {
        const mst_layout work = work_layout(job, &digits);
        mst_axis_need(plan, WORK, &work);
    }
    for (int i = 0; i < digits.n; i++) {
        plan->n_passes++;
        MST_TRY(plan_pass(plan, job, &digits, i, &passes[i], error));
    }
    if (first_pass)
        *first_pass = &passes[0];
    if (last_pass)
        *last_pass = &passes[digits.n - 1];
fail:
    return status;
}
