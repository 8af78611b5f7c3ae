#include "any.h"
#include "mask.h"

#include "runtime/numbers.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

// A tile of long lines is a program's own, as private memory lies in the stack of a device's thread, and much of it is taken for
// any size: 1 MiB of LONG points in place of 512 KiB.
enum { LONG = 16384, STACK_BESIDE = 256 << 10 };

// The stack of threads for which no other is asked, as drivers' are, which follows the limit of the process.
static size_t stack_bytes(void) {
    pthread_attr_t attributes;
    size_t bytes = 0;
    if (pthread_attr_init(&attributes) != 0)
        return 0;
    if (pthread_attr_getstacksize(&attributes, &bytes) != 0)
        bytes = 0;
    pthread_attr_destroy(&attributes);
    return bytes;
}

size_t mst_any_filter_longest(void) {
    const size_t tile = LONG * mst_pass_lanes(false) * sizeof(cl_float2);
    return stack_bytes() >= tile + STACK_BESIDE ? LONG : ANY_LENGTH;
}

static cell type_of(mst_type type) { return type == MST_UINT8 ? ANY_UCHAR : type == MST_UINT16 ? ANY_USHORT : ANY_FLOAT; }

static const mst_pass *pass_along(const mst_filter_pass *passes, int axis) {
    return &passes[axis ? FILTER_COLUMNS : FILTER_ROWS].device.pass;
}

static void describe(const mst_filter *plan, const mst_filter_pass *passes, filter_sizes *out) {
    const mst_filter_desc *d = &plan->desc;
    *out = (filter_sizes){.height = (cell)plan->height,
                          .width = (cell)plan->width,
                          .channels = (cell)plan->channels,
                          .colours = (cell)plan->colours,
                          .q = (cell)plan->q,
                          .j = (cell)mst_fused_filter_rows(plan),
                          .columns = (cell)(plan->q / 2 + 1),
                          .pitch = (cell)mst_fused_filter_pitch(plan),
                          .mirror = d->edges == MST_FILTER_REFLECT,
                          .levels = mst_filter_levels(plan),
                          .ranged = mst_filter_ranged(plan),
                          .clips = d->output_as == MST_FILTER_CLIP && d->white > 0,
                          .cosine = plan->cosine,
                          .input = type_of(d->input.type),
                          .output = type_of(d->output.type),
                          .kind = mst_mask_kernel_kind(plan),
                          .rolloff = d->rolloff,
                          .order = d->order,
                          .n_discs = (cell)plan->mask.n_discs,
                          .disc_size = (cell)(mst_mask_columns(plan) + mst_mask_rows(plan)),
                          .mask_columns = (cell)mst_mask_columns(plan)};
    size_t odd = 0, places = 0;
    for (int axis = 0; axis < 2; axis++) {
        const mst_pass *pass = pass_along(passes, axis);
        mst_any_describe_steps(pass, odd, &out->along[axis]);
        out->along[axis].places = (cell)places;
        odd += mst_any_count_odd(pass);
        places += pass->n;
    }
}

static void *place_values(const mst_filter_pass *passes) {
    size_t q = pass_along(passes, 0)->n, p = pass_along(passes, 1)->n;
    cl_uint *places = malloc((q + p) * sizeof *places);
    for (int axis = 0; axis < 2 && places; axis++)
        mst_any_fill_places(pass_along(passes, axis), places + (axis ? q : 0));
    return places;
}

static void *odd_values(const mst_filter_pass *passes, uint64_t bytes) {
    void *values = malloc((size_t)bytes);
    size_t at = 0;
    for (int axis = 0; axis < 2 && values; axis++) {
        mst_any_fill_odd(pass_along(passes, axis), at, values);
        at += mst_any_count_odd(pass_along(passes, axis));
    }
    return values;
}

static void put_rotations(size_t n, cl_float2 *to) {
    const double pi = acos(-1);
    for (size_t k = 0; k <= n / 2; k++) {
        double angle = pi / 2 * (double)k / (double)n;
        to[k] = (cl_float2){{(float)cos(angle), (float)sin(angle)}};
    }
}

// Cosine and sine of 2 pi k / 4n: along the height for k up to half of it, and then along the width.
static void *rotation_values(const mst_filter *plan, uint64_t bytes) {
    cl_float2 *values = malloc((size_t)bytes);
    if (values) {
        put_rotations(plan->p, values);
        put_rotations(plan->q, values + plan->p / 2 + 1);
    }
    return values;
}

static void size_tables(const mst_filter *plan, const mst_filter_pass *passes, mst_any_filter *any) {
    any->sizes.bytes = sizeof(filter_sizes);
    any->places.bytes = (pass_along(passes, 0)->n + pass_along(passes, 1)->n) * sizeof(cl_uint);
    any->odd.bytes = (mst_any_count_odd(pass_along(passes, 0)) + mst_any_count_odd(pass_along(passes, 1))) * sizeof(cl_float2);
    any->rotations.bytes = plan->cosine ? (plan->p / 2 + plan->q / 2 + 2) * sizeof(cl_float2) : 0;
}

uint64_t mst_any_filter_table_bytes(const mst_filter *plan, const mst_filter_pass passes[N_FILTER_PASSES]) {
    mst_any_filter any = {0};
    size_tables(plan, passes, &any);
    return any.sizes.bytes + any.places.bytes + any.odd.bytes + any.rotations.bytes;
}

static mst_status make_tables(const mst_filter *plan, const mst_filter_pass *passes, mst_any_filter *any, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = plan->context;
    size_tables(plan, passes, any);
    MST_TRY(mst_table_upload(context, &any->places, place_values(passes), error));
    if (any->odd.bytes)
        MST_TRY(mst_table_upload(context, &any->odd, odd_values(passes, any->odd.bytes), error));
    if (plan->cosine)
        MST_TRY(mst_table_upload(context, &any->rotations, rotation_values(plan, any->rotations.bytes), error));
fail:
    return status;
}

static mst_status make_kernel(const mst_filter *plan, mst_any_filter *any, mst_error *error) {
    static const char *const files[] = {"any_mask.cl", "any_filter.cl", "any_images.cl", "any_columns.cl", "filter_any.cl"};
    mst_status status = MST_OK;
    mst_context *context = plan->context;
    const mst_program *program;
    const size_t points = plan->p > ANY_LENGTH || plan->q > ANY_LENGTH ? LONG : ANY_LENGTH;
    mst_text_put(&any->text,
                 "// Fused filters whose sizes, masks and types of pixels are arguments.\n"
                 "enum { FILTER_POINTS = $points }; // a side, at most\n",
                 MST_SET(points, points));
    MST_TRY(mst_any_write_transforms(context, false, &any->text, error));
    MST_TRY(mst_program_add_files(context, files, MST_COUNT(files), &any->text, error));
    MST_TRY(
        mst_program_of_text(context, "filter: any sizes", &any->text, mst_program_precision(context, false), &program, error));
    MST_TRY(mst_kernel_create(program, "filter_any", &any->kernel, error));
fail:
    return status;
}

mst_status mst_any_filter_make(const mst_filter *plan, const mst_filter_pass passes[N_FILTER_PASSES], mst_any_filter **out,
                               mst_error *error) {
    filter_sizes sizes;
    mst_status status = mst_any_allow(&plan->context->device, "fused filters", error);
    if (status != MST_OK)
        return status;
    mst_any_filter *any = *out = calloc(1, sizeof *any);
    MST_REQUIRE(any, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    describe(plan, passes, &sizes);
    MST_TRY(make_tables(plan, passes, any, error));
    MST_TRY(mst_table_upload(plan->context, &any->sizes, mst_table_copy(&sizes, sizeof sizes), error));
    MST_TRY(make_kernel(plan, any, error));
fail:
    return status;
}

void mst_any_filter_destroy(const mst_filter *plan, mst_any_filter *any) {
    if (!any)
        return;
    mst_kernel_destroy(any->kernel);
    mst_text_release(&any->text);
    mst_table_release(plan->context, &any->sizes);
    mst_table_release(plan->context, &any->odd);
    mst_table_release(plan->context, &any->places);
    mst_table_release(plan->context, &any->rotations);
    free(any);
}

mst_status mst_any_filter_enqueue(mst_filter *plan, const mst_filter_fused *f, int which, const mst_block *block,
                                  const mst_image_side *side, cl_mem image, uint64_t n_lines, cl_event *event, mst_error *error) {
    static const cl_int passes[N_FILTER_PASSES] = {ANY_ROWS, ANY_COLUMNS, ANY_BACK};
    const mst_any_filter *any = f->any;
    const mst_device_pass *d = &f->passes[which].device;
    const mst_pass_launch launch = mst_pass_share_out(&d->pass, &plan->context->device, n_lines);
    cl_int pass = passes[which];
    cl_ulong lines = n_lines;
    double scale = 0.5 / ((double)plan->p * (double)plan->q); // both rows' spectra are loaded twice as large
    const mst_argument arguments[] = {
        MST_BIND_AS("s", any->sizes.buffer),
        MST_BIND(pass, pass),
        MST_BIND_AS("step_twiddles", (d->shared ? d->shared : d)->tables.tables[MST_TABLE_STEPS].buffer),
        MST_BIND_AS("odd", any->odd.buffer),
        MST_BIND_AS("places", any->places.buffer),
        MST_BIND_AS("rotations", any->rotations.buffer),
        MST_BIND(image, image),
        MST_BIND_AS("base", side->base),
        MST_BIND_AS("first_line", side->first_line),
        MST_BIND_AS("lines", side->lines),
        MST_BIND_AS("half_planes", f->half_planes),
        MST_BIND_AS("mask", plan->mask.table),
        MST_BIND(scale, scale),
        MST_BIND_AS("white", plan->desc.white),
        MST_BIND(n_lines, lines),
        MST_BIND(tiles, launch.tiles_an_item)};
    return mst_kernel_launch(block->queue, any->kernel, arguments, MST_COUNT(arguments), launch.items, 1, event, error);
}
