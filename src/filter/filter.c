// The description, the plan's life, and execution.
#include "composed.h"
#include "mask.h"

#include "runtime/description.h"
#include "runtime/lines.h"

#include <math.h>
#include <stdlib.h>
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
    MST_REQUIRE(!plan->is_double || plan->context->device.fp64, MST_ERROR_UNSUPPORTED, "%s has no float64; use float32",
                plan->context->device.name);
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

static mst_status read_output(mst_filter *plan, mst_error *error) {
    mst_status status = MST_OK;
    mst_filter_desc *d = &plan->desc;
    char shapes[2][120];
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

// ---- The stream

static mst_status prepare(void *user, size_t n_images, mst_error *error) {
    mst_filter *plan = user;
    mst_status status = MST_OK;
    MST_TRY(mst_planes_prepare(plan, n_images, error));
    MST_TRY(plan->method->prepare(plan, n_images, error));
fail:
    return status;
}

static mst_status compute(void *user, const mst_block *block, mst_error *error) {
    mst_filter *plan = user;
    mst_status status = MST_OK;
    if (!plan->method->takes_images)
        MST_TRY(mst_planes_load(plan, block, error));
    MST_TRY(plan->method->run(plan, block, error));
    if (mst_filter_has_planes(plan))
        MST_TRY(mst_planes_store(plan, block, error));
    if (plan->desc.alpha)
        MST_TRY(mst_planes_copy_alpha(plan, block, error));
fail:
    return status;
}

// *fits: the budgets have room for an image that comes from elsewhere.
static mst_status make_stream(mst_filter *plan, bool *fits, mst_error *error) {
    const mst_filter_desc *d = &plan->desc;
    int split = d->input.rank - (d->volume ? 4 : 3);
    mst_stream_desc stream = {
        .context = plan->context,
        .n_items = plan->n_images,
        .n_ports = 2,
        .ports = {{MST_PORT_INPUT, d->input, split, "input"}, {MST_PORT_OUTPUT, d->output, split, "output"}},
        .table_bytes = plan->mask.table_bytes + 4 * MST_LINES_BYTES,
        .item_work_bytes = mst_planes_image_bytes(plan),
        .item_work_piece =
            (uint64_t)plan->colours * plan->r * plan->p * (plan->q / 2 + 1) * 2 * mst_filter_real_bytes(plan), // spectra
        .prepare = prepare,
        .compute = compute,
        .user = plan};
    plan->method->count_work(plan, &stream);
    uint64_t device, host;
    *fits = mst_stream_fits(&stream, &device, &host);
    return mst_stream_create(&stream, &plan->stream, error);
}

// ---- The plan's life

static const mst_filter_method *method_of(const mst_filter *plan) {
    if (plan->desc.algorithm == MST_FILTER_PAPER)
        return &mst_paper_filter_method;
    return mst_fused_filter_can(plan, plan->cpu) ? &mst_fused_filter_method : &mst_composed_filter_method;
}

static mst_status make_on_device(mst_filter *plan, bool *fits, mst_error *error) {
    mst_status status = MST_OK;
    plan->method = method_of(plan);
    plan->planes.pitch = plan->method->takes_images ? plan->width : plan->q;
    plan->planes.rows = plan->method->takes_images ? plan->height : plan->p;
    plan->planes.slices = plan->r;
    MST_TRY(plan->method->create(plan, error));
    MST_TRY(make_stream(plan, fits, error));
    MST_TRY(mst_mask_upload(plan, error));
    MST_TRY(mst_planes_create(plan, error));
fail:
    return status;
}

static void drop_from_device(mst_filter *plan) {
    mst_stream_destroy(plan->stream);
    plan->stream = NULL;
    if (plan->method) {
        plan->method->destroy(plan);
        mst_planes_destroy(plan);
    }
    plan->method = NULL;
    plan->work = NULL;
    mst_device_release(plan->context, plan->mask.table, plan->mask.table_bytes);
    plan->mask.table = NULL;
}

// The caller's own mask, which panels read as they go.
static mst_status keep_own_mask(mst_filter *plan, mst_error *error) {
    const mst_filter_desc *d = &plan->desc;
    const size_t bytes = d->mask_depth * d->mask_height * d->mask_width * sizeof *d->mask;
    if (d->kind != MST_FILTER_MASK)
        return MST_OK;
    if (!(plan->own_mask = malloc(bytes)))
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for a mask");
    memcpy(plan->own_mask, d->mask, bytes);
    return MST_OK;
}

// The host's copy of a mask of discs is kept for panels. Beside tiles nothing of the whole stays on the device, which they need.
static mst_status make_method(mst_filter *plan, mst_filter_chooser *choose, void *user, mst_error *error) {
    mst_status status = MST_OK;
    bool fits = false;
    MST_TRY(choose(plan, user, error));
    status = make_on_device(plan, &fits, &plan->refusal);
    const bool no_plan = status == MST_ERROR_BUDGET || status == MST_ERROR_DEVICE_MEMORY,
               too_small = no_plan || (status == MST_OK && !fits), tiled = too_small && plan->desc.tiles > 0;
    if (no_plan || tiled)
        drop_from_device(plan);
    if (tiled && !no_plan)
        mst_fail(&plan->refusal, MST_ERROR_BUDGET, "images on the device have no room beside tiles; leave out tiles");
    plan->panels = too_small && !tiled && mst_filter_panels_can(plan);
    if (tiled)
        status = mst_tiles_make(plan, error);
    else if (status != MST_OK && !plan->panels && error)
        *error = plan->refusal;
    if (plan->panels)
        MST_TRY(keep_own_mask(plan, error));
    if (plan->panels && !mst_mask_is_table(plan))
        return status;
    free(plan->mask.values);
    plan->mask.values = NULL;
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

mst_status mst_filter_make(mst_context *context, const mst_filter_desc *desc, mst_filter_chooser *choose, void *user,
                           mst_filter **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_filter *plan = NULL;
    if (out)
        *out = NULL;
    MST_REQUIRE(context && desc && out, MST_ERROR_ARGUMENT, "context, desc and out must not be NULL");
    MST_REQUIRE(plan = calloc(1, sizeof *plan), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    plan->context = context;
    MST_TRY(mst_turn_create(&plan->turn, error));
    MST_TRY(read_desc(desc, &plan->desc, plan->notches, error));
    plan->cpu =
        plan->desc.shape == MST_FFT_SHAPE_AUTO ? mst_pass_suits_cpu(&context->device) : plan->desc.shape == MST_FFT_SHAPE_CPU;
    MST_TRY(check_mask(&plan->desc, error));
    MST_TRY(check_options(&plan->desc, error));
    MST_TRY(read_input(plan, error));
    MST_TRY(mst_mask_check_range(plan, error));
    if (mst_layout_count(&plan->desc.input) > 0)
        MST_TRY(mst_mask_make(plan, error));
    MST_TRY(read_output(plan, error));
    if (mst_layout_count(&plan->desc.input) > 0)
        MST_TRY(make_method(plan, choose, user, error));
    plan->desc.mask = plan->own_mask; // not the caller's
    *out = plan;
    return MST_OK;
fail:
    mst_filter_destroy(plan);
    return status;
}

static mst_status take_choice(mst_filter *plan, void *choice, mst_error *error) {
    const mst_filter_choice *c = choice;
    (void)error;
    plan->cpu = c->cpu;
    plan->choice = c->pass;
    return MST_OK;
}

mst_status mst_filter_create_as(mst_context *context, const mst_filter_desc *desc, const mst_filter_choice *choice,
                                mst_filter **out, mst_error *error) {
    mst_filter_choice copy = *choice;
    return mst_filter_make(context, desc, take_choice, &copy, out, error);
}

void mst_filter_destroy(mst_filter *plan) {
    if (!plan)
        return;
    mst_turn_destroy(plan->turn);
    drop_from_device(plan);
    mst_tiles_destroy(plan->tiles);
    mst_filter_timing_release(plan);
    mst_mask_release(plan);
    free(plan->own_mask);
    free(plan);
}

mst_filter_output mst_filter_output_used(const mst_filter *plan) { return plan->desc.output_as; }

mst_layout mst_filter_result(const mst_filter *plan) {
    return mst_layout_dense(plan->desc.output.type, plan->desc.output.rank, plan->desc.output.shape);
}

static mst_status execute(mst_filter *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    const bool on_device = where[0].place == MST_PLACE_DEVICE || where[1].place == MST_PLACE_DEVICE;
    if (plan->tiles && !on_device)
        return mst_tiles_run(plan, where, how, error);
    if (plan->panels && !on_device)
        return mst_filter_panels_run(plan, where, how, error);
    if (!plan->stream && plan->refusal.status != MST_OK) {
        if (error)
            *error = plan->refusal;
        return plan->refusal.status;
    }
    return mst_stream_run(plan->context, plan->stream, where, how, error);
}

mst_status mst_filter_execute(mst_filter *plan, mst_location input, mst_location output, const mst_execution *how,
                              mst_error *error) {
    const mst_location where[] = {input, output};
    if (!plan)
        return mst_fail(error, MST_ERROR_ARGUMENT, "plan must not be NULL");
    mst_status status = mst_turn_take(plan->turn, error);
    if (status != MST_OK)
        return status;
    mst_filter_timing_clear(plan);
    return mst_turn_give(plan->turn, execute(plan, where, how, error));
}
