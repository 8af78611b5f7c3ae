// Boxes: two or three axes that one pass transforms, because local memory holds all of their points.
#include "box.h"

#include "runtime/numbers.h"

#include <string.h>

#define LARGEST_RADIX 25u // of an axis in one step
#define HELD 8u           // numbers that a work-item holds, or as many as the largest radix
#define LEAST_GROUP 128u  // work-items of a work-group
#define RUN_BYTES 32u     // neighbours that the last step writes, if its radices can be chosen so
#define MOST_STEPS 10
#define LEAST_POINTS 64u
#define FIRST_SHIFT 2u
#define LAST_SHIFT 8u

// The last axis in steps of which the last one has runs of neighbours: its span, n / r.
static int split_last(size_t n, size_t run, unsigned *radices) {
    for (size_t r = n / run; r >= 2; r--)
        if (n % r == 0 && r <= 16 && n / r <= 16) {
            radices[0] = (unsigned)(n / r);
            radices[1] = (unsigned)r;
            return 2;
        }
    return 0;
}

static int radices_of(const mst_pass *pass, int axis, unsigned *radices) {
    size_t n = pass->box[axis], run = RUN_BYTES / (pass->is_double ? 16 : 8);
    int count = axis == pass->n_box - 1 ? split_last(n, run, radices) : 0;
    if (count == 0 && n <= LARGEST_RADIX && axis < pass->n_box - 1 && n != 25) {
        radices[0] = (unsigned)n;
        return 1;
    }
    return count > 0 || mst_pass_factor(n, false, 0, radices, &count) ? count : 0;
}

static bool choose_radices(mst_pass *pass) {
    pass->n_radices = 0;
    for (int a = 0; a < pass->n_box; a++) {
        unsigned radices[MST_PASS_RADICES];
        int count = radices_of(pass, a, radices);
        if (count == 0 || pass->n_radices + count > MOST_STEPS)
            return false;
        memcpy(pass->radices + pass->n_radices, radices, (size_t)count * sizeof *radices);
        pass->n_radices += count;
    }
    return true;
}

mst_box_step mst_box_step_at(const mst_pass *pass, int number) {
    mst_box_step step = {.number = number, .inner = pass->n, .span = 1};
    int axis = -1;
    size_t span = 1;
    for (int s = 0; s <= number; s++) {
        if (s == 0 || span == pass->box[axis]) {
            step.inner /= pass->box[++axis];
            span = 1;
        }
        step.axis = axis;
        step.span = span;
        step.radix = pass->radices[s];
        if (s < number && span > 1)
            step.table_at += span * (step.radix - 1);
        span *= step.radix;
    }
    step.n = pass->box[axis];
    return step;
}

size_t mst_box_from(const mst_box_step *step, size_t j) {
    size_t inner = j % step->inner, along = j / step->inner % (step->n / step->radix),
           outer = j / step->inner / (step->n / step->radix);
    return outer * step->n * step->inner + along * step->inner + inner;
}

size_t mst_box_to(const mst_box_step *step, size_t j) {
    size_t inner = j % step->inner, along = j / step->inner % (step->n / step->radix),
           outer = j / step->inner / (step->n / step->radix);
    size_t k = along % step->span;
    return outer * step->n * step->inner + ((along - k) * step->radix + k) * step->inner + inner;
}

// Accesses that meet in a bank of local memory while neighbouring work-items go through the exchanges: those of the first and the
// last number of each butterfly stand for all.
static unsigned collisions(const mst_pass *pass, unsigned shift) {
    enum { MOST_BANKS = 32, WARPS = 4 };
    const unsigned banks = pass->is_double ? 16 : 32;
    unsigned sum = 0;
    for (int s = 0; s < pass->n_radices; s++) {
        const mst_box_step step = mst_box_step_at(pass, s);
        for (unsigned warp = 0; warp < WARPS; warp++)
            for (int way = 0; way < 4; way++) { // put or get, first or last
                unsigned count[MOST_BANKS] = {0}, most = 0;
                size_t q = way % 2 ? step.radix - 1 : 0;
                if (way < 2 ? s == 0 : s + 1 == pass->n_radices)
                    continue;
                for (size_t j = warp * banks; j < (warp + 1) * banks && j < pass->n / step.radix; j++) {
                    size_t at = way < 2 ? mst_box_from(&step, j) + q * (step.n / step.radix) * step.inner
                                        : mst_box_to(&step, j) + q * step.span * step.inner;
                    unsigned *met = &count[(at + (at >> shift)) % banks];
                    most = mst_larger(most, ++*met);
                }
                sum += most;
            }
    }
    return sum;
}

static unsigned choose_shift(const mst_pass *pass) {
    unsigned best = LAST_SHIFT, least = collisions(pass, LAST_SHIFT);
    for (unsigned shift = LAST_SHIFT - 1; shift >= FIRST_SHIFT; shift--) {
        unsigned found = collisions(pass, shift);
        if (found < least) {
            least = found;
            best = shift;
        }
    }
    return best;
}

bool mst_box_shape(mst_pass *pass, const mst_device_info *device) {
    size_t limit = mst_pass_local_limit(device), real = pass->is_double ? sizeof(double) : sizeof(float);
    const size_t items = mst_smaller(device->max_work_group_size, (size_t)1024);
    if (pass->n < LEAST_POINTS || pass->n * real > limit)
        return false;
    if (!choose_radices(pass) || (pass->threads = mst_pass_choose_threads(pass, HELD, 4 * HELD, items)) == 0)
        return false;
    pass->pad_shift = choose_shift(pass);
    pass->load_run = pass->run = pass->threads;
    pass->areas = 1;
    pass->exchange_parts = 1;
    if (mst_pass_own_reals(pass) * real > limit)
        pass->exchange_parts = 2;
    if (pass->half == MST_HALF_COMBINE && (pass->exchange_parts > 1 || pass->n_radices < 2)) // all results are in local memory
        return false;
    for (pass->lines = 1;
         pass->lines * pass->threads < LEAST_GROUP && 2 * pass->lines * mst_pass_own_reals(pass) * real <= limit;)
        pass->lines *= 2;
    return mst_pass_own_reals(pass) * real <= limit && pass->lines * pass->threads <= device->max_work_group_size;
}
