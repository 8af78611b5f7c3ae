// Reads a description: what is asked for, and how many points are transformed.
#include "plan.h"

#include "runtime/description.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST ((size_t)1 << 30) // that the transforms take
#define MOST_VARIATION 0.1        // beyond a sixth, a step could divide by 0
#define FAST_PRIME 7

static bool is_image(mst_type type) {
    return type == MST_UINT8 || type == MST_UINT16 || type == MST_INT16 || type == MST_FLOAT32 || type == MST_FLOAT64;
}

static bool is_between(double value, double low, double high) { return value >= low && value <= high; }

static mst_status check_options(const mst_deconvolution_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(d->method >= MST_DECONVOLUTION_RICHARDSON_LUCY && d->method <= MST_DECONVOLUTION_TIKHONOV, MST_ERROR_ARGUMENT,
                "there is no method %d", (int)d->method);
    MST_REQUIRE(d->edges >= MST_DECONVOLUTION_OBSERVED && d->edges <= MST_DECONVOLUTION_ZERO, MST_ERROR_ARGUMENT,
                "there is no edge rule %d", (int)d->edges);
    MST_REQUIRE(d->shape >= MST_FFT_SHAPE_AUTO && d->shape <= MST_FFT_SHAPE_CPU, MST_ERROR_ARGUMENT, "there is no shape %d",
                (int)d->shape);
    MST_REQUIRE(d->exact == 0 || d->exact == 1, MST_ERROR_ARGUMENT, "exact is %lld; it is 0 or 1", (long long)d->exact);
    MST_REQUIRE(is_between(d->seam, 0, 1e30), MST_ERROR_ARGUMENT, "seam is %g; it is above 0, or 0 for any", d->seam);
    if (d->method != MST_DECONVOLUTION_RICHARDSON_LUCY) {
        MST_REQUIRE(is_between(d->balance, 0, 1e30), MST_ERROR_ARGUMENT, "balance is %g; it is at least 0", d->balance);
        MST_REQUIRE(d->order >= 0 && d->order <= 2, MST_ERROR_ARGUMENT, "order is %d; it is 0, 1 or 2", d->order);
        MST_REQUIRE(d->start.rank == 0 && d->weights.rank == 0, MST_ERROR_ARGUMENT,
                    "start and weights are for Richardson-Lucy only");
        MST_REQUIRE(!d->exact, MST_ERROR_ARGUMENT, "exact is for Richardson-Lucy only; leave it out");
        return MST_OK;
    }
    MST_REQUIRE(d->iterations >= 1, MST_ERROR_ARGUMENT, "iterations is %d; give 1 or more", d->iterations);
    MST_REQUIRE(is_between(d->tolerance, 0, 1), MST_ERROR_ARGUMENT, "tolerance is %g; it is 0 to 1", d->tolerance);
    MST_REQUIRE(is_between(d->total_variation, 0, MOST_VARIATION), MST_ERROR_ARGUMENT, "total_variation is %g; it is 0 to %g",
                d->total_variation, MOST_VARIATION);
    MST_REQUIRE(is_between(d->background, 0, 1e30), MST_ERROR_ARGUMENT, "background is %g; it is at least 0", d->background);
    MST_REQUIRE(is_between(d->start_value, 0, 1e30), MST_ERROR_ARGUMENT, "start_value is %g; it is above 0, or 0 for the mean",
                d->start_value);
fail:
    return status;
}

static mst_status read_axes(mst_deconvolution_desc *d, int rank, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(d->n_axes >= 1 && d->n_axes <= MST_MAX_AXES, MST_ERROR_ARGUMENT, "n_axes is %d; 1 to %d are supported", d->n_axes,
                MST_MAX_AXES);
    MST_REQUIRE(rank >= d->n_axes, MST_ERROR_ARGUMENT, "the image has rank %d, fewer than the %d axes", rank, d->n_axes);
    for (int a = 0; a < d->n_axes; a++) {
        int axis = d->axes[a] < 0 ? d->axes[a] + rank : d->axes[a];
        MST_REQUIRE(axis >= 0 && axis < rank, MST_ERROR_ARGUMENT, "there is no axis %d in an image of rank %d", d->axes[a], rank);
        MST_REQUIRE(a == 0 || axis > d->axes[a - 1], MST_ERROR_ARGUMENT, "the axes are to ascend, each given once");
        d->axes[a] = axis;
    }
fail:
    return status;
}

// The axes of items last, in their order.
static void put_axes_last(const mst_deconvolution_desc *d, mst_layout *layout) {
    const mst_layout from = *layout;
    int to = 0;
    for (int k = 0, a = 0; k < from.rank; k++) {
        if (a < d->n_axes && d->axes[a] == k) {
            a++;
            continue;
        }
        layout->shape[to] = from.shape[k];
        layout->strides[to++] = from.strides[k];
    }
    for (int a = 0; a < d->n_axes; a++, to++) {
        layout->shape[to] = from.shape[d->axes[a]];
        layout->strides[to] = from.strides[d->axes[a]];
    }
}

static mst_status check_companion(const mst_deconvolution_desc *d, const mst_layout *layout, const char *name, mst_error *error) {
    mst_status status = MST_OK;
    char shapes[2][120];
    if (layout->rank == 0)
        return MST_OK;
    MST_TRY(mst_layout_check(layout, name, false, error));
    MST_REQUIRE(is_image(layout->type) && (layout->type != MST_FLOAT64 || d->result.type == MST_FLOAT64), MST_ERROR_ARGUMENT,
                "%s is %s; uint8, uint16, int16 and float32 are supported, and float64 for results of float64", name,
                mst_type_name(layout->type));
    mst_layout_print_shape(&d->image, shapes[0], sizeof shapes[0]);
    mst_layout_print_shape(layout, shapes[1], sizeof shapes[1]);
    MST_REQUIRE(mst_layout_same_shape(&d->image, layout), MST_ERROR_ARGUMENT, "the image has shape (%s) but %s (%s)", shapes[0],
                name, shapes[1]);
fail:
    return status;
}

static mst_status read_arrays(mst_deconvolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    mst_deconvolution_desc *d = &plan->desc;
    MST_TRY(mst_layout_check(&d->image, "image", false, error));
    MST_REQUIRE(is_image(d->image.type), MST_ERROR_ARGUMENT,
                "the image is %s; uint8, uint16, int16, float32 and float64 are supported", mst_type_name(d->image.type));
    MST_TRY(read_axes(d, d->image.rank, error));
    if (d->result.rank == 0)
        d->result = mst_layout_dense(d->image.type == MST_FLOAT64 ? MST_FLOAT64 : MST_FLOAT32, d->image.rank, d->image.shape);
    MST_TRY(mst_layout_check(&d->result, "result", true, error));
    MST_REQUIRE(d->result.type == MST_FLOAT32 || d->result.type == MST_FLOAT64, MST_ERROR_ARGUMENT,
                "the result is %s; it is to be float32 or float64", mst_type_name(d->result.type));
    plan->is_double = d->result.type == MST_FLOAT64;
    MST_TRY(check_companion(d, &d->image, "image", error));
    MST_TRY(check_companion(d, &d->start, "start", error));
    MST_TRY(check_companion(d, &d->weights, "weights", error));
    MST_REQUIRE(mst_layout_same_shape(&d->image, &d->result), MST_ERROR_ARGUMENT, "image and result have different shapes");
    MST_REQUIRE(!plan->is_double || plan->context->device.fp64, MST_ERROR_UNSUPPORTED,
                "%s has no float64; ask for a result of float32", plan->context->device.name);
    plan->result = mst_layout_dense(d->result.type, d->result.rank, d->result.shape);
    put_axes_last(d, &d->image);
    put_axes_last(d, &d->result);
    if (d->start.rank > 0)
        put_axes_last(d, &d->start);
    if (d->weights.rank > 0)
        put_axes_last(d, &d->weights);
fail:
    return status;
}

static mst_status check_psf(const mst_deconvolution *plan, size_t count, double sum, mst_error *error) {
    const mst_deconvolution_desc *d = &plan->desc;
    mst_status status = MST_OK;
    for (size_t i = 0; i < count; i++) {
        MST_REQUIRE(isfinite(d->psf[i]), MST_ERROR_ARGUMENT, "psf[%zu] is not finite", i);
        MST_REQUIRE(d->psf[i] >= 0 || !mst_deconvolution_iterates(plan), MST_ERROR_ARGUMENT,
                    "psf[%zu] is %g; Richardson-Lucy takes none below 0", i, d->psf[i]);
    }
    MST_REQUIRE(isfinite(sum) && (sum > 0 || (d->keep_sum && !mst_deconvolution_iterates(plan))), MST_ERROR_ARGUMENT,
                "the values of psf add up to %g; their sum is to be above 0", sum);
fail:
    return status;
}

// Copies h, which is the caller's, divided by its sum.
static mst_status read_psf(mst_deconvolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_deconvolution_desc *d = &plan->desc;
    size_t count = 1;
    double sum = 0;
    MST_REQUIRE(d->psf, MST_ERROR_ARGUMENT, "psf must not be NULL");
    for (int a = 0; a < d->n_axes; a++) {
        int side = N_SIDES - d->n_axes + a;
        plan->psf_shape[side] = d->psf_shape[a];
        plan->psf_centre[side] = d->centred ? d->psf_centre[a] : (int64_t)(d->psf_shape[a] / 2);
        MST_REQUIRE(d->psf_shape[a] >= 1 && d->psf_shape[a] <= LONGEST && mst_multiply(count, d->psf_shape[a], &count),
                    MST_ERROR_ARGUMENT, "psf_shape[%d] is %zu; 1 to 2^30 are supported", a, d->psf_shape[a]);
        MST_REQUIRE(plan->psf_centre[side] >= -(int64_t)LONGEST && plan->psf_centre[side] <= (int64_t)LONGEST, MST_ERROR_ARGUMENT,
                    "psf_centre[%d] is %lld; -2^30 to 2^30 are supported", a, (long long)plan->psf_centre[side]);
    }
    for (size_t i = 0; i < count; i++)
        sum += d->psf[i];
    MST_TRY(check_psf(plan, count, sum, error));
    MST_REQUIRE(plan->psf = malloc(count * sizeof *plan->psf), MST_ERROR_HOST_MEMORY, "out of memory for a copy of psf");
    for (size_t i = 0; i < count; i++)
        plan->psf[i] = d->keep_sum ? d->psf[i] : d->psf[i] / sum;
    plan->psf_sum = d->keep_sum ? sum : 1;
fail:
    return status;
}

static bool is_fast(size_t n) {
    for (size_t factor = 2; factor <= FAST_PRIME; factor++)
        while (n % factor == 0)
            n /= factor;
    return n == 1;
}

static size_t fast_multiple(size_t n, size_t of) {
    while (!is_fast(n) || n % of)
        n++;
    return n;
}

// An even one where real numbers are halved, and rather a multiple that is little longer where the passes of rows.c want it.
size_t mst_deconvolution_fast_length(const mst_deconvolution *plan, size_t n, int side) {
    const size_t least = fast_multiple(n, side == X ? 2 : 1);
    if (side != X || !mst_deconvolution_may_join(plan))
        return least;
    const size_t wide = fast_multiple(least, MST_DECONVOLUTION_ROW);
    return wide - least <= least / 32 ? wide : least;
}

size_t mst_deconvolution_reach(const mst_deconvolution *plan, int side) {
    int64_t m = (int64_t)plan->psf_shape[side], c = plan->psf_centre[side], before = m - 1 - c, behind = c;
    return (size_t)((before > 0 ? before : 0) + (behind > 0 ? behind : 0));
}

// Beside the image, along an axis. Where its ends are no neighbours, variation finds nothing seen between them.
static size_t points_around(const mst_deconvolution *plan, int side) {
    const mst_deconvolution_desc *d = &plan->desc;
    const bool varies = d->total_variation > 0 && d->edges != MST_DECONVOLUTION_CIRCULAR && plan->whole[side] > 1;
    return mst_deconvolution_reach(plan, side) + varies;
}

static mst_status choose_extent(mst_deconvolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_deconvolution_desc *d = &plan->desc;
    plan->points = 1;
    for (int side = 0; side < N_SIDES; side++) {
        int axis = d->image.rank - N_SIDES + side;
        bool given = side >= N_SIDES - d->n_axes;
        size_t n = plan->extent[side] = plan->whole[side] = given ? d->image.shape[axis] : 1;
        size_t least = n + (given ? points_around(plan, side) : 0);
        MST_REQUIRE(least <= LONGEST, MST_ERROR_UNSUPPORTED, "a side of %zu points with the psf around it; 2^30 is the most",
                    least);
        if (!given)
            plan->psf_shape[side] = 1;
        plan->padded[side] =
            !given || d->edges == MST_DECONVOLUTION_CIRCULAR || least <= 1 ? n : mst_deconvolution_fast_length(plan, least, side);
        MST_REQUIRE(mst_multiply(plan->points, plan->padded[side], &plan->points) && plan->points <= SIZE_MAX / 64,
                    MST_ERROR_ARGUMENT, "an item has too many points");
    }
    plan->spectrum_points = plan->points / (plan->padded[X] ? plan->padded[X] : 1) * (plan->padded[X] / 2 + 1);
    plan->n_items = 1;
    for (int k = 0; k < d->image.rank - d->n_axes; k++)
        plan->n_items *= d->image.shape[k];
fail:
    return status;
}

mst_status mst_deconvolution_read(mst_deconvolution *plan, const mst_deconvolution_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_description_read(MST_DESCRIPTION(mst_deconvolution_desc, MST_DECONVOLUTION_DESC_INIT, psf_shape), desc,
                                 &plan->desc, error));
    plan->cpu = plan->desc.shape == MST_FFT_SHAPE_AUTO ? mst_pass_suits_cpu(&plan->context->device)
                                                       : plan->desc.shape == MST_FFT_SHAPE_CPU;
    MST_TRY(check_options(&plan->desc, error));
    MST_TRY(read_arrays(plan, error));
    MST_TRY(read_psf(plan, error));
    MST_TRY(choose_extent(plan, error));
    plan->desc.psf = NULL; // the caller's
fail:
    return status;
}
