// Lengths with large prime factors: how their convolution goes through passes. The mathematics are in cyclic.c.
#include "axis.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"

// What a transform of a smooth length costs a point, in units of a radix-2 step: a trip through memory counts for more than the
// arithmetic of any.
static double work_of(size_t n) {
    static const struct {
        unsigned prime;
        double work;
    } primes[] = {{2, 1}, {3, 2.2}, {5, 3.6}, {7, 5}};
    double work = 20;
    for (size_t k = 0; k < MST_COUNT(primes); k++)
        for (; n % primes[k].prime == 0; n /= primes[k].prime)
            work += primes[k].work;
    return work;
}

// The length of at least `least` for a cyclic convolution that is the least work: a product of 2, 3, 5 and 7. 0: none has passes.
static size_t cyclic_length(const mst_fft *plan, size_t least) {
    double least_work = 0;
    size_t best = 0;
    for (size_t p7 = 1; p7 < 2 * least; p7 *= 7)
        for (size_t p5 = p7; p5 < 2 * least; p5 *= 5)
            for (size_t m = p5; m < 2 * least; m *= 3) {
                size_t n = m;
                while (n < least)
                    n *= 2;
                int passes = mst_axis_passes(plan, n);
                double work = work_of(n) * (double)n * passes;
                if (passes > 0 && (best == 0 || work < least_work)) {
                    least_work = work;
                    best = n;
                }
            }
    return best;
}

static bool is_prime(size_t n) {
    for (size_t d = 2; d * d <= n; d++)
        if (n % d == 0)
            return false;
    return true;
}

// In one pass: a line goes through local memory to come into Rader's order and out of it, and a quarter of the longest line
// leaves room for more than one work-group.
static bool suits_rader(const mst_fft *plan, size_t n) {
    return !plan->cpu && n <= mst_pass_longest(&plan->context->device, false, plan->is_double) / 4 && is_prime(n) &&
           mst_axis_is_smooth(n - 1);
}

static mst_status plan_rader(mst_fft *plan, const mst_axis_job *job, mst_error *error) {
    mst_status status = MST_OK;
    mst_axis_job whole = *job;
    mst_fft_pass *p;
    whole.n = job->n - 1;
    whole.work_layout = mst_axis_layout(&job->work_layout, job->work_layout.type, job->axis, whole.n);
    whole.convolution = MST_PASS_RADER;
    MST_TRY(mst_axis_plan(plan, &whole, &p, NULL, error));
    p->device.tables.tables[MST_TABLE_ORDER].bytes = whole.n * sizeof(cl_uint);
    p->device.tables.tables[MST_TABLE_SPECTRUM].bytes = whole.n * mst_fft_number_bytes(plan);
    mst_axis_need_factors(plan, job, p, p);
fail:
    return status;
}

// Bluestein's in one pass.
static mst_status plan_fused(mst_fft *plan, const mst_axis_job *job, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_pass *p;
    MST_TRY(mst_axis_plan(plan, job, &p, NULL, error));
    mst_device_table *tables = p->device.tables.tables;
    tables[MST_TABLE_LOAD_FACTORS].bytes = job->load.length * mst_fft_number_bytes(plan);
    tables[MST_TABLE_STORE_FACTORS].bytes = tables[MST_TABLE_LOAD_FACTORS].bytes;
    tables[MST_TABLE_SPECTRUM].bytes = job->n * mst_fft_number_bytes(plan);
fail:
    return status;
}

static size_t longest_chirp(const mst_fft *plan) {
    return plan->long_chirps ? MST_FFT_LONGEST_DEVICE_CHIRP : MST_FFT_LONGEST_CHIRP;
}

bool mst_axis_convolves(const mst_fft *plan, size_t n) { return n > 0 && 2 * n - 1 <= longest_chirp(plan); }

mst_status mst_axis_plan_convolution(mst_fft *plan, const mst_axis_job *job, mst_error *error) {
    mst_status status = MST_OK;
    if (suits_rader(plan, job->n))
        return plan_rader(plan, job, error);
    const size_t longest = longest_chirp(plan);
    size_t m = mst_axis_convolves(plan, job->n) ? cyclic_length(plan, 2 * job->n - 1) : 0;
    MST_REQUIRE(m > 0, MST_ERROR_UNSUPPORTED,
                "length %zu has a prime factor above %d and is longer than %zu, the most for such lengths", job->n,
                MST_PASS_MAX_PRIME, longest / 2);
    mst_axis_job there = *job, back;
    mst_fft_pass *first, *middle, *last;
    there.n = m;
    there.work_layout = mst_axis_layout(&job->work_layout, job->work_layout.type, job->axis, m);
    // The chirps take the direction: no exchange of real and imaginary parts from outside, but of those that splitting has left
    // exchanged (mst_fft_factors).
    there.load.swap = job->half == MST_HALF_PAIRS && job->store.swap;
    there.store.swap = false;
    there.load.multiply = there.store.multiply = true;
    there.load.length = job->n;
    if (there.store.length == 0)
        there.store.length = job->n;
    if (!plan->cpu && m <= mst_pass_longest(&plan->context->device, false, plan->is_double)) {
        there.convolution = MST_PASS_CHIRP;
        return plan_fused(plan, &there, error);
    }
    there.several = plan->any_length && mst_layout_count(&job->work_layout) / job->n < mst_pass_lanes(plan->is_double);
    back = there;
    there.to_layout = back.from_layout = there.work_layout;
    there.to = back.from = PADDED;
    mst_axis_need(plan, PADDED, &there.work_layout);
    there.store = (mst_pass_op){.multiply = true};
    there.scale = false;
    back.load = (mst_pass_op){.swap = true};
    back.store.swap = true;
    MST_TRY(mst_axis_plan(plan, &there, &first, &middle, error));
    MST_TRY(mst_axis_plan(plan, &back, NULL, &last, error));
    first->device.tables.tables[MST_TABLE_LOAD_FACTORS].bytes = job->n * mst_fft_number_bytes(plan);
    last->device.tables.tables[MST_TABLE_STORE_FACTORS].bytes = job->n * mst_fft_number_bytes(plan);
    middle->device.tables.tables[MST_TABLE_STORE_FACTORS].bytes = m * mst_fft_number_bytes(plan);
    middle->chirp_length = job->n;
fail:
    return status;
}
