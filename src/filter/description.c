// The caller's description, read and checked, and what it says without a device.
#include "description.h"

#include "mask.h"

#include "runtime/description.h"

#include <math.h>
#include <string.h>

#define LONGEST ((size_t)1 << 23) // pixels a side: ranks of twice as many are exact in single precision
#define MOST_CHANNELS 64
#define MOST_ORDER 100
#define MOST_AMOUNT 1e6 // the largest image of 16 bits stays within single precision

static bool is_real(mst_type type) { return type == MST_FLOAT32 || type == MST_FLOAT64; }
static bool is_pixel(mst_type type) { return type == MST_UINT8 || type == MST_UINT16 || is_real(type); }

static mst_status check_radius(double radius, const char *name, mst_error *error) {
    if (isfinite(radius) && radius > 0)
        return MST_OK;
    return mst_fail(error, MST_ERROR_ARGUMENT, "%s is %g; it is a number of cycles per pixel above 0", name, radius);
}

static mst_status check_mask(const mst_filter_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(d->kind >= MST_FILTER_HIGH_PASS && d->kind <= MST_FILTER_WIENER, MST_ERROR_ARGUMENT, "there is no filter kind %d",
                (int)d->kind);
    if (d->kind == MST_FILTER_MASK)
        return mst_mask_check(d, error);
    MST_REQUIRE(d->kind != MST_FILTER_WIENER || (isfinite(d->noise) && d->noise >= 0), MST_ERROR_ARGUMENT,
                "noise is %g; it is a standard deviation above 0, or 0 to have it estimated", d->noise);
    if (d->kind == MST_FILTER_WIENER)
        return MST_OK;
    MST_REQUIRE(d->rolloff >= MST_FILTER_IDEAL && d->rolloff <= MST_FILTER_BUTTERWORTH, MST_ERROR_ARGUMENT,
                "there is no roll-off %d", (int)d->rolloff);
    MST_REQUIRE(d->rolloff != MST_FILTER_BUTTERWORTH || (d->order >= 1 && d->order <= MOST_ORDER), MST_ERROR_ARGUMENT,
                "order is %d; 1 to %d are supported", d->order, MOST_ORDER);
    if (d->kind == MST_FILTER_NOTCH) {
        MST_REQUIRE(d->notches && d->n_notches >= 1 && d->n_notches <= MST_FILTER_MAX_NOTCHES, MST_ERROR_ARGUMENT,
                    "n_notches is %zu; 1 to %d are supported", d->n_notches, MST_FILTER_MAX_NOTCHES);
        for (size_t i = 0; i < d->n_notches; i++) {
            MST_REQUIRE(isfinite(d->notches[i].x) && isfinite(d->notches[i].y) && isfinite(d->notches[i].z), MST_ERROR_ARGUMENT,
                        "the place of notch %zu is not finite", i);
            MST_TRY(check_radius(d->notches[i].radius, "the radius of a notch", error));
        }
        return MST_OK;
    }
    MST_TRY(check_radius(d->radius, "radius", error));
    MST_REQUIRE(d->kind != MST_FILTER_SHARPEN || (d->amount > 0 && d->amount <= MOST_AMOUNT), MST_ERROR_ARGUMENT,
                "amount is %g; it is above 0, up to %g", d->amount, MOST_AMOUNT);
    MST_REQUIRE(d->kind != MST_FILTER_STRIPES || isfinite(d->angle), MST_ERROR_ARGUMENT, "angle is not finite");
    MST_REQUIRE(d->kind != MST_FILTER_STRIPES || (d->angle_width > 0 && d->angle_width <= 90), MST_ERROR_ARGUMENT,
                "angle_width is %g; it is a number of degrees above 0, up to 90", d->angle_width);
    if (d->kind == MST_FILTER_BAND_PASS || d->kind == MST_FILTER_BAND_STOP) {
        MST_TRY(check_radius(d->radius2, "radius2", error));
        MST_REQUIRE(d->radius2 > d->radius, MST_ERROR_ARGUMENT, "radius2, %g, is not above radius, %g", d->radius2, d->radius);
    }
fail:
    return status;
}

static mst_status check_options(const mst_filter_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(d->edges >= MST_FILTER_REFLECT && d->edges <= MST_FILTER_ZERO, MST_ERROR_ARGUMENT, "there is no edge rule %d",
                (int)d->edges);
    MST_REQUIRE(d->output_as >= MST_FILTER_AUTO_OUTPUT && d->output_as <= MST_FILTER_RAW, MST_ERROR_ARGUMENT,
                "there is no output rule %d", (int)d->output_as);
    MST_REQUIRE(isfinite(d->white) && d->white >= 0, MST_ERROR_ARGUMENT, "white is %g; it is above 0, or 0 for the default",
                d->white);
    MST_REQUIRE(d->algorithm == MST_FILTER_AUTO || d->algorithm == MST_FILTER_PAPER, MST_ERROR_ARGUMENT,
                "there is no algorithm %d", (int)d->algorithm);
    MST_REQUIRE(d->shape >= MST_FFT_SHAPE_AUTO && d->shape <= MST_FFT_SHAPE_CPU, MST_ERROR_ARGUMENT, "there is no shape %d",
                (int)d->shape);
    MST_REQUIRE(d->work_group == 0 || d->algorithm == MST_FILTER_PAPER, MST_ERROR_ARGUMENT,
                "work_group is for the paper's algorithm");
    MST_REQUIRE(d->type == (mst_type)0 || is_real(d->type), MST_ERROR_ARGUMENT,
                "type is %s; filters compute in float32 or float64", mst_type_name(d->type));
    MST_REQUIRE(isfinite(d->tiles) && d->tiles >= 0, MST_ERROR_ARGUMENT, "tiles is %g; it is above 0, or 0 for none", d->tiles);
    MST_REQUIRE(d->tiles == 0 || (d->kind != MST_FILTER_WIENER && d->algorithm == MST_FILTER_AUTO), MST_ERROR_ARGUMENT,
                "tiles are for masks that are given, and not for the paper's algorithm; leave them out");
    MST_REQUIRE(!d->volume || d->kind != MST_FILTER_STRIPES, MST_ERROR_ARGUMENT,
                "stripes are filtered in images, not in volumes");
fail:
    return status;
}

// In what the plan computes, after the type of its pixels is known.
static mst_status choose_type(mst_filter *plan, mst_error *error) {
    mst_status status = MST_OK;
    mst_filter_desc *d = &plan->desc;
    MST_REQUIRE(is_pixel(d->input.type), MST_ERROR_ARGUMENT, "input is %s; uint8, uint16, float32 and float64 are supported",
                mst_type_name(d->input.type));
    MST_REQUIRE(d->input.type != MST_FLOAT64 || d->type != MST_FLOAT32, MST_ERROR_ARGUMENT,
                "input is float64, but type is float32; leave it 0");
    if (d->type == (mst_type)0)
        d->type = d->input.type == MST_FLOAT64 ? MST_FLOAT64 : MST_FLOAT32;
    plan->is_double = d->type == MST_FLOAT64;
    MST_REQUIRE(d->algorithm == MST_FILTER_AUTO || !mst_filter_is_general(plan), MST_ERROR_ARGUMENT,
                "the paper's algorithm is for images in float32, and not for Wiener filters");
fail:
    return status;
}

static mst_status read_input(mst_filter *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_layout *in = &plan->desc.input;
    const int n_axes = plan->desc.volume ? 4 : 3;
    MST_TRY(mst_layout_check(in, "input", false, error));
    MST_REQUIRE(in->rank >= n_axes, MST_ERROR_ARGUMENT, "input has rank %d; its last axes are %sheight, width and channels",
                in->rank, plan->desc.volume ? "depth, " : "");
    MST_TRY(choose_type(plan, error));
    plan->depth = plan->desc.volume ? in->shape[in->rank - 4] : 1;
    plan->height = in->shape[in->rank - 3];
    plan->width = in->shape[in->rank - 2];
    plan->channels = in->shape[in->rank - 1];
    plan->n_images = 1;
    for (int k = 0; k < in->rank - n_axes; k++)
        plan->n_images *= in->shape[k];
    MST_REQUIRE(plan->height <= LONGEST && plan->width <= LONGEST && plan->depth <= LONGEST, MST_ERROR_ARGUMENT,
                "images of %zu x %zu; 2^23 a side is the most", plan->width, plan->height);
    MST_REQUIRE(mst_filter_image_rows(plan) <= UINT32_MAX, MST_ERROR_ARGUMENT, "volumes of %zu x %zu rows; 2^32 are the most",
                plan->depth, plan->height);
    MST_REQUIRE(plan->channels <= MOST_CHANNELS, MST_ERROR_ARGUMENT, "%zu channels; %d are the most", plan->channels,
                MOST_CHANNELS);
    MST_REQUIRE(!plan->desc.alpha || plan->channels >= 2, MST_ERROR_ARGUMENT, "alpha is set, but there is no channel beside it");
    plan->colours = plan->channels - (plan->desc.alpha ? 1 : 0);
    MST_REQUIRE(plan->desc.kind != MST_FILTER_WIENER || plan->desc.noise > 0 || (plan->height > 1 && plan->width > 1),
                MST_ERROR_ARGUMENT, "images of %zu x %zu are too small for their noise to be estimated; give noise", plan->width,
                plan->height);
    mst_filter_choose_extent(plan);
    MST_REQUIRE(plan->desc.algorithm == MST_FILTER_AUTO || (plan->p == plan->q && (plan->p & (plan->p - 1)) == 0),
                MST_ERROR_ARGUMENT, "the paper's algorithm takes square images with a power of two a side, not %zu x %zu",
                plan->width, plan->height);
fail:
    return status;
}

static bool keeps_mean(const mst_filter *plan) {
    const mst_filter_desc *d = &plan->desc;
    switch (d->kind) {
    case MST_FILTER_HIGH_PASS:
    case MST_FILTER_BAND_PASS:
    case MST_FILTER_LAPLACIAN:
        return false;
    case MST_FILTER_MASK:
        return d->mask[(d->mask_depth / 2 * d->mask_height + d->mask_height / 2) * d->mask_width + d->mask_width / 2] != 0;
    case MST_FILTER_LOW_PASS:
    case MST_FILTER_BAND_STOP:
    case MST_FILTER_NOTCH:
    case MST_FILTER_SHARPEN:
    case MST_FILTER_STRIPES:
    case MST_FILTER_WIENER:
        break;
    }
    return true;
}

static mst_status read_output(mst_filter *plan, mst_error *error) {
    mst_status status = MST_OK;
    mst_filter_desc *d = &plan->desc;
    char shapes[2][120];
    plan->mask.keeps_mean = keeps_mean(plan);
    if (d->output_as == MST_FILTER_AUTO_OUTPUT)
        d->output_as = plan->mask.keeps_mean ? MST_FILTER_CLIP : MST_FILTER_MAGNITUDE;
    mst_type type = d->output_as == MST_FILTER_RAW ? d->type : d->input.type;
    if (d->output.rank == 0)
        d->output = mst_layout_dense(type, d->input.rank, d->input.shape);
    MST_TRY(mst_layout_check(&d->output, "output", true, error));
    MST_REQUIRE(d->output.type == type, MST_ERROR_ARGUMENT, "output is %s; it is to be %s", mst_type_name(d->output.type),
                mst_type_name(type));
    mst_layout_print_shape(&d->input, shapes[0], sizeof shapes[0]);
    mst_layout_print_shape(&d->output, shapes[1], sizeof shapes[1]);
    MST_REQUIRE(mst_layout_same_shape(&d->input, &d->output), MST_ERROR_ARGUMENT, "input has shape (%s) but output (%s)",
                shapes[0], shapes[1]);
    double largest = type == MST_UINT8 ? 255 : type == MST_UINT16 ? 65535 : 1;
    MST_REQUIRE(is_real(type) || d->white <= largest, MST_ERROR_ARGUMENT, "white is %g; %s holds up to %g", d->white,
                mst_type_name(type), largest);
    if (d->white == 0 && (!is_real(type) || d->output_as != MST_FILTER_CLIP))
        d->white = largest;
fail:
    return status;
}

// The caller's description in full; its notches are copied into `notches`.
static mst_status read_desc(const mst_filter_desc *desc, mst_filter_desc *d, mst_filter_notch notches[MST_FILTER_MAX_NOTCHES],
                            mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_description_read(MST_DESCRIPTION(mst_filter_desc, MST_FILTER_DESC_INIT, notches), desc, d, error));
    MST_TRY(mst_filter_timing_check(d, error));
    if (d->kind == MST_FILTER_NOTCH && d->notches && d->n_notches <= MST_FILTER_MAX_NOTCHES) {
        MST_TRY(mst_elements_read(MST_ELEMENTS(mst_filter_notch, notch_size, MST_FILTER_DESC_INIT, offsetof(mst_filter_notch, z)),
                                  d->notches, d->n_notches, d->notch_size, notches, error));
        d->notches = notches;
        for (size_t i = 0; i < d->n_notches && !d->volume; i++)
            notches[i].z = 0;
        d->notch_size = sizeof *notches;
    }
    d->mask_depth = d->mask_depth > 0 ? d->mask_depth : 1;
fail:
    return status;
}

mst_status mst_filter_read(mst_filter *plan, const mst_filter_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(read_desc(desc, &plan->desc, plan->notches, error));
    MST_TRY(check_mask(&plan->desc, error));
    MST_TRY(check_options(&plan->desc, error));
    MST_TRY(read_input(plan, error));
    MST_TRY(read_output(plan, error));
fail:
    return status;
}
