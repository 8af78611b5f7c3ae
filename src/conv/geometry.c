#include "panels.h"

#include "fft/pass.h"
#include "runtime/numbers.h"

#include <math.h>
#include <string.h>

#define LONGEST ((size_t)1 << 30)
#define GPU_COLUMN 1024u       // passes over columns go over many side by side, which leaves each less room,
#define GPU_FUSED_COLUMN 2048u // but one that is fused saves two passes
#define GPU_FUSED_ROW 2048u    // as long as rows are quick; for each, memory is read and written once, for columns twice:
#define GPU_LEAST_COLUMN 16u   // the shorter these, the quicker, within limits
#define GPU_BEST_COLUMN 128u
#define GPU_LEAST_BLOCK 512u // complex points of overlapping blocks: below, work-groups are too small for the memory's rate

#define GPU_LEAST_SIDE 64u // of blocks of images,
#define BLOCKS_GAIN 0.85   // which must be foreseen to take so much of the time

// What is being decided, and for what.
typedef struct choice {
    const mst_convolution *plan;
    mst_geometry *g;
    size_t longest; // of one pass
    size_t vectors; // of the result
} choice;

void mst_geometry_measure_axis(const mst_convolution *plan, mst_padded_axis *a, bool cyclic) {
    const mst_convolution_desc *d = &plan->desc;
    size_t n = d->x.shape[a->axis], m = d->y.shape[a->axis];
    bool circular = d->mode == MST_CONVOLUTION_CIRCULAR;
    a->periodic = circular && !cyclic;
    a->extent[X] = a->periodic ? 2 * n - 1 : n;
    a->extent[Y] = m;
    a->kept = d->z.shape[a->axis];
    a->reversal = !d->correlate ? 0 : circular ? 2 : 1;
    a->start = 0;
    if (d->mode == MST_CONVOLUTION_SAME)
        a->start = (m - 1) / 2;
    else if (d->mode == MST_CONVOLUTION_VALID)
        a->start = mst_smaller(n, m) - 1;
    else if (a->periodic)
        a->start = n - 1;
}

// Wrap-around spoils the first full - N values of the padded result, so N has to cover what is kept and no more.
size_t mst_geometry_needed_length(const mst_padded_axis *a) {
    size_t full = a->extent[X] + a->extent[Y] - 1, longest = mst_larger(a->extent[X], a->extent[Y]);
    return mst_larger(mst_larger(full - a->start, a->start + a->kept), longest);
}

// What a digit with `later` ones after it should be. On CPUs all are equal.
static size_t best_digit(const choice *c, size_t n, int later) {
    if (c->g->cpu)
        return (size_t)(pow((double)n, 1.0 / (later + 1)) + 0.5);
    size_t d = (size_t)(pow((double)n / GPU_FUSED_ROW, 1.0 / later) + 0.5);
    return d < GPU_LEAST_COLUMN ? GPU_LEAST_COLUMN : d > GPU_BEST_COLUMN ? GPU_BEST_COLUMN : d;
}

// n as `count` digits, as good as can be. On CPUs columns are worked on a vector at once, `after` elements of
// later axes for each.
static bool split(const choice *c, size_t n, int count, size_t after, size_t *digits) {
    size_t limit = c->longest;
    if (!c->g->cpu && (count > 1 || after > 1))
        limit = count > 1 ? GPU_COLUMN : GPU_FUSED_COLUMN;
    limit = mst_smaller(limit, c->longest);
    unsigned radices[MST_PASS_RADICES];
    int n_radices;
    if (count == 1) {
        digits[0] = n;
        return n <= limit && mst_pass_factor(n, c->g->cpu, 0, radices, &n_radices);
    }
    size_t best = best_digit(c, n, count - 1);
    for (size_t away = 0; away < limit; away++)
        for (int side = 0; side < 2; side++) {
            size_t d = side ? best - away : best + away; // wraps to a huge number below 0
            if (d < 2 || d > limit || n % d != 0 || n / d * after % c->g->lanes != 0 ||
                !mst_pass_factor(d, c->g->cpu, 0, radices, &n_radices))
                continue;
            if (split(c, n / d, count - 1, after, digits + 1)) {
                digits[0] = d;
                return true;
            }
        }
    return false;
}

// Picoseconds of an H100 for a complex64 point of lines that one kernel transforms, multiplies and transforms back, by the bytes
// of a line: the fewer of them a compute unit holds at a time, the longer each point takes. Measured for blocks of signals
// (docs/performance-log.md, "Blocks of signals on GPUs").
static const struct {
    size_t bytes;
    double power_of_two, other;
} gpu_points[] = {{4096, 5.6, 6.9},    {8192, 6.2, 6.9},    {16384, 6.7, 8.4},     {32768, 8.2, 9.1},
                  {49152, 12.8, 12.8}, {65536, 14.5, 15.7}, {SIZE_MAX, 19.5, 19.5}};
#define GPU_DIGIT_TIME 10 // of each further pass

static double gpu_point_time(const choice *c, size_t n, int digits) {
    size_t bytes = n * mst_type_bytes(c->plan->work_type);
    int row = 0;
    while (bytes > gpu_points[row].bytes)
        row++;
    bool power = (n & (n - 1)) == 0;
    return (power ? gpu_points[row].power_of_two : gpu_points[row].other) + (digits - 1) * GPU_DIGIT_TIME;
}

// Time of n points for each of so many vectors; `digits` passes that each go through memory. Vectors that leave lanes empty take
// as long as full ones. But for signals on GPUs it is counted in butterflies' levels, powers of two being quicker: on GPUs, where
// padding costs no memory in a single pass, little else counts.
static double time_of(const choice *c, size_t n, size_t vectors, int digits) {
    double lanes = c->g->lanes, groups = ceil((double)vectors / lanes) * lanes;
    double points = (digits == 1 ? groups : (double)vectors) * (double)n;
    if (!c->g->cpu && c->g->n_axes == 1)
        return points * gpu_point_time(c, n, digits);
    bool power = (n & (n - 1)) == 0;
    return points * (log2((double)n) + 6 + (digits - 1) * 10) * (power ? 1 : c->g->cpu ? 1.1 : 1.25);
}

// The digits of a length that take the least time; their number, or 0 if there are none.
static int best_digits(const choice *c, size_t n, size_t after, size_t vectors, size_t *digits, double *time) {
    int best = 0;
    *time = INFINITY;
    for (int count = 1; count <= MST_CONV_DIGITS / MST_CONVOLUTION_MAX_AXES; count++) {
        size_t tried[MST_CONV_DIGITS];
        double t = time_of(c, n, vectors, count);
        bool alone = count == 1 && (after == 1 || after % c->g->lanes == 0);
        if (t >= *time || (count == 1 && !alone) || !split(c, n, count, after, tried))
            continue;
        best = count;
        *time = t;
        memcpy(digits, tried, sizeof tried[0] * (size_t)count);
    }
    return best;
}

static void add_digits(mst_geometry *g, int axis, const size_t *digits, int count) {
    size_t rest = g->axes[axis].n;
    for (int k = 0; k < count; k++) {
        rest /= digits[k];
        g->digits[g->n_digits++] = (mst_digit){axis, digits[k], rest};
    }
}

// Lengths to try, in no order: powers of two times small odd numbers, at least `least`.
static size_t next_candidate(size_t least, unsigned odd) {
    size_t n = odd;
    while (n < least)
        n *= 2;
    return n;
}

static const unsigned odd_factors[] = {1, 3, 5, 7, 9, 15};
enum { N_ODD = MST_COUNT(odd_factors) };

// The complex points of one axis, without blocks.
static double choose_points(const choice *c, int axis, size_t after, size_t vectors, size_t *digits, int *count, size_t *n) {
    const mst_padded_axis *a = &c->g->axes[axis];
    bool last = axis == c->g->n_axes - 1, half = c->g->right_angle && last, vectors_later = last && c->g->n_axes > 1;
    size_t needed = mst_geometry_needed_length(a), least = half ? (needed + 1) / 2 : needed;
    double best = INFINITY;
    *count = 0;
    for (int k = 0; k < N_ODD; k++) {
        size_t tried[MST_CONV_DIGITS], candidate = next_candidate(least, odd_factors[k]);
        double time;
        while (vectors_later && candidate % c->g->lanes != 0)
            candidate *= 2;
        int found = candidate <= LONGEST ? best_digits(c, candidate, after, vectors, tried, &time) : 0;
        if (found && time < best) {
            best = time;
            *count = found;
            *n = candidate;
            memcpy(digits, tried, sizeof tried);
        }
    }
    return best;
}

// Overlap-save, by at least so many blocks of at most so many complex points, takes over where it needs less time than one
// transform of all.
static double choose_blocks(const choice *c, size_t fewest, size_t most, double best, size_t *digits, int *count, size_t *n) {
    mst_geometry *g = c->g;
    const mst_padded_axis *a = &g->axes[0];
    int longer = a->extent[X] >= a->extent[Y] ? X : Y;
    size_t s = a->extent[!longer], least = g->cpu ? s : mst_larger(s, (size_t)GPU_LEAST_BLOCK);
    for (int k = 0; k < N_ODD; k++)
        for (size_t h = next_candidate(least, odd_factors[k]); h <= most; h *= 2) {
            size_t tried[MST_CONV_DIGITS], whole = g->right_angle ? 2 * h : h;
            size_t step = whole - (s - 1), blocks = mst_divide_up(a->kept, step);
            double time;
            if (whole < 2 * s || blocks < fewest)
                continue;
            int found = best_digits(c, h, 1, c->vectors * blocks, tried, &time);
            if (!found || time >= best)
                continue;
            best = time;
            *n = h;
            *count = found;
            memcpy(digits, tried, sizeof tried);
            g->blocked = longer;
            g->n_blocks = blocks;
            g->blocks[0] = (mst_axis_blocks){blocks, step, (int64_t)a->start - (int64_t)(s - 1)};
        }
    return best;
}

// A length of one axis of an image's blocks, h complex points, which gives so many blocks; false if the kernel is too long for
// it.
static bool cut_axis(const choice *c, int axis, int longer, size_t h, mst_axis_blocks *blocks) {
    const mst_padded_axis *a = &c->g->axes[axis];
    size_t s = a->extent[!longer], whole = c->g->right_angle && axis > 0 ? 2 * h : h;
    if (whole < 2 * s)
        return false;
    blocks->step = whole - (s - 1);
    blocks->count = mst_divide_up(a->kept, blocks->step);
    blocks->offset = (int64_t)a->start - (int64_t)(s - 1);
    return true;
}

// Images in blocks, each axis of which one pass transforms: rows and columns, in three passes. True if they take less than
// `most`.
static bool choose_image_blocks(const choice *c, double most, size_t lengths[2]) {
    mst_geometry *g = c->g;
    const mst_padded_axis *a = g->axes;
    int longer = a[0].extent[X] >= a[0].extent[Y] ? X : Y;
    bool found = false;
    if (g->cpu || a[1].extent[longer] < a[1].extent[!longer])
        return false;
    for (int k = 0; k < N_ODD * N_ODD; k++)
        for (size_t h = next_candidate(GPU_LEAST_SIDE, odd_factors[k / N_ODD]); h <= c->longest; h *= 2)
            for (size_t n = next_candidate(GPU_LEAST_SIDE, odd_factors[k % N_ODD]); n <= GPU_FUSED_COLUMN; n *= 2) {
                mst_axis_blocks rows, columns;
                size_t digit;
                if (!cut_axis(c, 0, longer, n, &rows) || !cut_axis(c, 1, longer, h, &columns) || rows.count * columns.count < 2 ||
                    !split(c, h, 1, 1, &digit) || !split(c, n, 1, h, &digit))
                    continue;
                size_t all = c->vectors * rows.count * columns.count;
                double time = time_of(c, h, all * n, 1) + time_of(c, n, all * h, 1);
                if (time >= most)
                    continue;
                most = time;
                found = true;
                g->blocked = longer;
                g->n_blocks = rows.count * columns.count;
                g->blocks[0] = rows, g->blocks[1] = columns;
                lengths[0] = n, lengths[1] = h;
            }
    return found;
}

static void take_image_blocks(mst_geometry *g, const size_t lengths[2]) {
    g->n_digits = 0;
    for (int a = 1; a >= 0; a--) {
        g->axes[a].n = lengths[a];
        g->axes[a].start = g->axes[a].extent[!g->blocked] - 1;
        add_digits(g, a, &lengths[a], 1);
    }
    g->axes[0].extent[g->blocked] = lengths[0];
    g->axes[0].kept = g->blocks[0].step;
    g->points = lengths[0] * lengths[1];
}

static bool choose_all(const choice *c, bool cyclic) {
    mst_geometry *g = c->g;
    size_t after = 1, lengths[2];
    double all = 0;
    g->n_digits = 0;
    g->blocked = -1;
    g->n_blocks = 1;
    g->right_angle = !mst_type_is_complex(c->plan->desc.z.type) && !cyclic;
    for (int a = 0; a < g->n_axes; a++)
        mst_geometry_measure_axis(c->plan, &g->axes[a], cyclic);
    for (int a = g->n_axes - 1; a >= 0; a--) {
        size_t digits[MST_CONV_DIGITS], n = g->axes[a].extent[X];
        size_t vectors = c->vectors * after;
        for (int before = 0; before < a; before++)
            vectors *= g->axes[before].extent[X];
        int count;
        double time;
        if (cyclic) {
            bool whole = a == 0 || a < g->n_axes - 1 || n % g->lanes == 0;
            count = whole ? best_digits(c, n, after, vectors, digits, &time) : 0;
        } else {
            time = choose_points(c, a, after, vectors, digits, &count, &n);
            if (g->n_axes == 1)
                time = choose_blocks(c, 2, mst_smaller(LONGEST / 2, 16 * c->longest), time, digits, &count, &n);
        }
        if (count == 0)
            return false;
        g->axes[a].n = n;
        if (g->blocked >= 0)
            g->axes[a].start = g->axes[a].extent[!g->blocked] - 1;
        add_digits(g, a, digits, count);
        after *= n;
        all += time;
    }
    g->points = after;
    if (g->n_axes == 2 && !cyclic && !g->axes[0].periodic && choose_image_blocks(c, BLOCKS_GAIN * all, lengths))
        take_image_blocks(g, lengths);
    return true;
}

// The shape of the kernels, and what is to be decided for them.
static mst_status begin(const mst_convolution *plan, mst_geometry *g, choice *c, mst_error *error) {
    const mst_convolution_desc *d = &plan->desc;
    const mst_device_info *device = &plan->context->device;
    bool is_double = plan->work_type == MST_COMPLEX128;
    memset(g, 0, sizeof *g);
    mst_fft_shape shape = d->shape == MST_FFT_SHAPE_AUTO ? plan->choice.shape : d->shape;
    g->cpu = shape == MST_FFT_SHAPE_AUTO ? mst_pass_suits_cpu(device) : shape == MST_FFT_SHAPE_CPU;
    mst_pass pass = {.choice = plan->choice.pass, .cpu = g->cpu, .is_double = is_double};
    g->lanes = 1;
    if (g->cpu) {
        mst_status status = mst_pass_shape(&pass, device, error);
        if (status != MST_OK)
            return status;
        g->lanes = pass.lanes;
    }
    g->n_axes = d->n_axes;
    for (int a = 0; a < d->n_axes; a++)
        g->axes[a].axis = d->axes[a];
    *c = (choice){plan, g, mst_pass_longest(device, g->cpu, is_double), plan->n_lines[Z]};
    return MST_OK;
}

mst_status mst_geometry_choose(const mst_convolution *plan, mst_geometry *g, mst_error *error) {
    const mst_convolution_desc *d = &plan->desc;
    choice c;
    if (plan->panel && plan->panel->geometry.n_axes > 0) {
        *g = plan->panel->geometry;
        return MST_OK;
    }
    mst_status status = begin(plan, g, &c, error);
    if (status != MST_OK)
        return status;
    if (d->mode == MST_CONVOLUTION_CIRCULAR && choose_all(&c, true))
        return MST_OK;
    if (choose_all(&c, false))
        return MST_OK;
    return mst_fail(error, MST_ERROR_UNSUPPORTED, "lengths %zu and %zu are too long for the fused algorithm on %s",
                    d->x.shape[d->axes[0]], d->y.shape[d->axes[0]], plan->context->device.name);
}

bool mst_geometry_choose_blocks(const mst_convolution *plan, size_t most, mst_geometry *g) {
    choice c;
    size_t digits[MST_CONV_DIGITS];
    int count = 0;
    if (plan->desc.n_axes > 1 || plan->desc.mode == MST_CONVOLUTION_CIRCULAR || begin(plan, g, &c, NULL) != MST_OK)
        return false;
    g->blocked = -1;
    g->right_angle = !mst_type_is_complex(plan->desc.z.type);
    mst_geometry_measure_axis(plan, &g->axes[0], false);
    choose_blocks(&c, 1, mst_smaller(most, LONGEST / 2), INFINITY, digits, &count, &g->axes[0].n);
    if (g->blocked < 0)
        return false;
    g->points = g->axes[0].n;
    g->axes[0].start = g->axes[0].extent[!g->blocked] - 1;
    add_digits(g, 0, digits, count);
    return true;
}

bool mst_geometry_exists(const mst_convolution *plan) {
    mst_geometry geometry;
    return mst_geometry_choose(plan, &geometry, NULL) == MST_OK;
}
