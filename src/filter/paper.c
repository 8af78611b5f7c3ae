// The published algorithm: each step a kernel of its own, plane after plane.
#include "plan.h"

#include "runtime/numbers.h"

#include <stdio.h>
#include <stdlib.h>

enum { SPIN, TO_COMPLEX, REVERSE, BUTTERFLY, NORMALISE, TRANSPOSE, TO_REAL, MASK, N_KERNELS };

static const char *const kernel_names[N_KERNELS] = {"spin_factors", "to_complex", "bit_reverse", "butterfly",
                                                    "normalise",    "transpose",  "to_real",     "multiply_by_mask"};
static const mst_filter_part kernel_parts[N_KERNELS] = {MST_PART_SPIN,      MST_PART_LOAD,      MST_PART_REVERSE,
                                                        MST_PART_BUTTERFLY, MST_PART_NORMALISE, MST_PART_TRANSPOSE,
                                                        MST_PART_STORE,     MST_PART_MASK};

typedef struct mst_filter_paper {
    mst_kernel *kernels[N_KERNELS];
    cl_uint log_n;
    cl_mem spin, images[2]; // the second takes what cannot be done in place
} paper;

static uint64_t image_bytes(const mst_filter *plan) { return (uint64_t)plan->p * plan->q * sizeof(cl_float2); }
static uint64_t spin_bytes(const mst_filter *plan) { return (plan->p / 2 + 1) * sizeof(cl_float2); }

static void count_work(const mst_filter *plan, mst_stream_desc *stream) {
    stream->fixed_work_bytes = 2 * image_bytes(plan) + spin_bytes(plan);
}

static mst_status create(mst_filter *plan, mst_error *error) {
    mst_status status = MST_OK;
    paper *w = plan->work = calloc(1, sizeof *w);
    mst_text text = {0};
    char options[80];
    const mst_program *program;
    MST_REQUIRE(w, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    while ((size_t)1 << w->log_n < plan->p)
        w->log_n++;
    mst_text_add(&text, "%s", plan->mask.text);
    MST_TRY(mst_program_add_file(plan->context, "filter_paper.cl", &text, error));
    // Only the device's limit is asked: for kernels that fix their own work-group, some drivers report the limit of kernels that
    // do not.
    MST_REQUIRE(plan->desc.work_group <= plan->context->device.max_work_group_size, MST_ERROR_UNSUPPORTED,
                "work_group is %zu; %s takes up to %zu", plan->desc.work_group, plan->context->device.name,
                plan->context->device.max_work_group_size);
    int used = snprintf(options, sizeof options, "-D PRECISION=32 -D LOG_N=%u", w->log_n);
    if (plan->desc.work_group)
        snprintf(options + used, sizeof options - (size_t)used, " -D GROUP=%zu", plan->desc.work_group);
    MST_TRY(mst_program_of_text(plan->context, "filter: the published steps", &text, options, &program, error));
    for (int k = 0; k < N_KERNELS; k++)
        MST_TRY(mst_kernel_create(program, kernel_names[k], &w->kernels[k], error));
fail:
    mst_text_release(&text);
    return status;
}

static mst_status prepare(mst_filter *plan, size_t n_images, mst_error *error) {
    mst_status status = MST_OK;
    paper *w = plan->work;
    mst_device_release(plan->context, w->spin, spin_bytes(plan));
    w->spin = NULL;
    for (int i = 0; i < 2; i++) {
        mst_device_release(plan->context, w->images[i], image_bytes(plan));
        w->images[i] = NULL;
    }
    if (n_images == 0)
        return MST_OK;
    MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_WRITE, spin_bytes(plan), "spin factors", &w->spin, error));
    for (int i = 0; i < 2; i++)
        MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_WRITE, image_bytes(plan), "an image", &w->images[i], error));
fail:
    return status;
}

static void destroy(mst_filter *plan) {
    paper *w = plan->work;
    if (!w)
        return;
    prepare(plan, 0, NULL);
    for (int k = 0; k < N_KERNELS; k++)
        mst_kernel_destroy(w->kernels[k]);
    free(w);
}

static mst_status enqueue(mst_filter *plan, const mst_block *block, int which, const mst_argument *arguments, size_t n_arguments,
                          size_t items, mst_error *error) {
    const paper *w = plan->work;
    const mst_kernel *kernel = w->kernels[which];
    size_t group = plan->desc.work_group ? plan->desc.work_group : mst_kernel_group(plan->context, kernel, items);
    return mst_kernel_launch(block->queue, kernel, arguments, n_arguments, items, group,
                             mst_filter_timing_command(plan, kernel_parts[which]), error);
}

// A step from the first image into the second, which change places.
static mst_status move(mst_filter *plan, const mst_block *block, int which, mst_error *error) {
    paper *w = plan->work;
    cl_mem from = w->images[0], to = w->images[1];
    const mst_argument arguments[] = {MST_BIND(from, from), MST_BIND(to, to)};
    w->images[0] = to;
    w->images[1] = from;
    return enqueue(plan, block, which, arguments, MST_COUNT(arguments), plan->p * plan->q, error);
}

// All rows.
static mst_status transform(mst_filter *plan, const mst_block *block, cl_int inverse, mst_error *error) {
    mst_status status = MST_OK;
    paper *w = plan->work;
    size_t points = plan->p * plan->q;
    MST_TRY(move(plan, block, REVERSE, error));
    cl_mem image = w->images[0];
    for (cl_uint stage = 0; stage < w->log_n; stage++) {
        const mst_argument arguments[] = {MST_BIND(image, image), MST_BIND(w, w->spin), MST_BIND(log_half, stage),
                                          MST_BIND(inverse, inverse)};
        MST_TRY(enqueue(plan, block, BUTTERFLY, arguments, MST_COUNT(arguments), points / 2, error));
    }
    const mst_argument whole[] = {MST_BIND(image, image)};
    if (inverse)
        MST_TRY(enqueue(plan, block, NORMALISE, whole, MST_COUNT(whole), points, error));
fail:
    return status;
}

static mst_status filter_plane(mst_filter *plan, const mst_block *block, cl_ulong plane, mst_error *error) {
    mst_status status = MST_OK;
    paper *w = plan->work;
    size_t points = plan->p * plan->q;
    cl_ulong first = plane * points;
    const mst_argument load[] = {MST_BIND(plane, plan->planes.buffer), MST_BIND(first, first), MST_BIND(image, w->images[0])};
    MST_TRY(enqueue(plan, block, TO_COMPLEX, load, MST_COUNT(load), points, error));
    MST_TRY(transform(plan, block, 0, error));
    MST_TRY(move(plan, block, TRANSPOSE, error));
    MST_TRY(transform(plan, block, 0, error));
    const mst_argument mask[] = {MST_BIND(image, w->images[0]), MST_BIND(mask, plan->mask.table)};
    MST_TRY(enqueue(plan, block, MASK, mask, MST_COUNT(mask), points, error));
    MST_TRY(transform(plan, block, 1, error));
    MST_TRY(move(plan, block, TRANSPOSE, error));
    MST_TRY(transform(plan, block, 1, error));
    const mst_argument store[] = {MST_BIND(image, w->images[0]), MST_BIND(plane, plan->planes.buffer), MST_BIND(first, first)};
    MST_TRY(enqueue(plan, block, TO_REAL, store, MST_COUNT(store), points, error));
fail:
    return status;
}

static mst_status run(mst_filter *plan, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    const paper *w = plan->work;
    const mst_argument spin[] = {MST_BIND(w, w->spin)};
    MST_TRY(enqueue(plan, block, SPIN, spin, MST_COUNT(spin), plan->p / 2 + 1, error));
    for (size_t plane = 0; plane < block->count * plan->colours; plane++)
        MST_TRY(filter_plane(plan, block, plane, error));
fail:
    return status;
}

const mst_filter_method mst_paper_filter_method = {NULL, create, destroy, count_work, prepare, run, .takes_images = false};
