#include "plan.h"

#include "runtime/lines.h"
#include "runtime/numbers.h"

#include <stdio.h>

#define RANGE_LANES_GPU 64u // work-items that read a row side by side
#define RANGE_ROWS 64u      // rows at the same time

static cl_uint lanes_of(const mst_filter *plan) {
    if (plan->cpu)
        return 1;
    return plan->width < RANGE_LANES_GPU ? (cl_uint)plan->width : RANGE_LANES_GPU;
}

// Work-items that find the range of an image.
static cl_uint range_parts(const mst_filter *plan) {
    size_t rows = plan->colours * mst_filter_image_rows(plan);
    return lanes_of(plan) * (rows < RANGE_ROWS ? (cl_uint)rows : RANGE_ROWS);
}

static mst_status make_lines(mst_filter *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_layout *layouts[] = {&plan->desc.input, &plan->desc.output};
    for (int side = 0; side < 2; side++) {
        mst_layout packed = mst_layout_dense(layouts[side]->type, layouts[side]->rank, layouts[side]->shape);
        int along = packed.rank - 2;
        MST_TRY(mst_lines_create(plan->context, &packed, along, &plan->lines[side][0], error));
        MST_TRY(mst_lines_create(plan->context, layouts[side], along, &plan->lines[side][1], error));
    }
fail:
    return status;
}

mst_status mst_planes_create(mst_filter *plan, mst_error *error) {
    mst_status status = MST_OK;
    static const char *const names[N_PLANE_KERNELS] = {"load_planes", "range_of_planes", "reduce_ranges", "store_planes",
                                                       "copy_alpha"};
    const mst_filter_desc *d = &plan->desc;
    const bool loads = !plan->method->takes_images, stores = mst_filter_has_planes(plan), ranged = mst_filter_ranged(plan);
    const bool wanted[N_PLANE_KERNELS] = {[KERNEL_LOAD] = loads,
                                          [KERNEL_RANGE] = ranged,
                                          [KERNEL_REDUCE] = ranged,
                                          [KERNEL_STORE] = stores,
                                          [KERNEL_ALPHA] = d->alpha};
    char options[340];
    const mst_program *program;
    MST_TRY(make_lines(plan, error));
    if (!loads && !stores && !d->alpha)
        return MST_OK;
    snprintf(options, sizeof options,
             "%s -D IN=%s -D OUT=%s -D TO_OUT=%s -D OUTPUT=%d -D CLIPS=%d -D LOADS=%d -D RANGED=%d -D STORES=%d "
             "-D ALPHA=%d",
             mst_program_precision(plan->context, plan->is_double), mst_type_element(d->input.type),
             mst_type_element(d->output.type), mst_filter_conversion(d->output.type), (int)d->output_as, d->white > 0, loads,
             ranged, stores, d->alpha);
    MST_TRY(mst_program_of_file(plan->context, "filter: between images and planes", "filter.cl", options, &program, error));
    for (int k = 0; k < N_PLANE_KERNELS; k++)
        if (wanted[k])
            MST_TRY(mst_kernel_create(program, names[k], &plan->kernels[k], error));
fail:
    return status;
}

void mst_planes_destroy(mst_filter *plan) {
    mst_planes_prepare(plan, 0, NULL);
    for (int side = 0; side < 2; side++)
        for (int own = 0; own < 2; own++)
            mst_lines_release(plan->context, plan->lines[side][own]);
    for (int k = 0; k < N_PLANE_KERNELS; k++)
        mst_kernel_destroy(plan->kernels[k]);
}

static uint64_t planes_bytes(const mst_filter *plan) {
    if (!mst_filter_has_planes(plan))
        return 0;
    return (uint64_t)plan->colours * plan->planes.pitch * plan->planes.rows * plan->planes.slices * mst_filter_real_bytes(plan);
}

static uint64_t ranges_bytes(const mst_filter *plan) {
    return mst_filter_ranged(plan) ? range_parts(plan) * 2 * mst_filter_real_bytes(plan) : 0;
}

uint64_t mst_planes_image_bytes(const mst_filter *plan) { return planes_bytes(plan) + 2 * ranges_bytes(plan); }

mst_status mst_planes_prepare(mst_filter *plan, size_t n_images, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = plan->context;
    mst_device_release(context, plan->planes.buffer, plan->planes_bytes);
    plan->planes.buffer = NULL;
    for (int r = 0; r < 2; r++) {
        mst_device_release(context, plan->ranges[r], plan->range_bytes[r]);
        plan->ranges[r] = NULL;
    }
    if (n_images == 0)
        return MST_OK;
    plan->planes_bytes = n_images * planes_bytes(plan);
    MST_TRY(mst_device_allocate(context, CL_MEM_READ_WRITE, plan->planes_bytes, "planes", &plan->planes.buffer, error));
    for (int r = 0; r < 2; r++) {
        plan->range_bytes[r] = n_images * ranges_bytes(plan);
        MST_TRY(mst_device_allocate(context, CL_MEM_READ_WRITE, plan->range_bytes[r], "ranges", &plan->ranges[r], error));
    }
fail:
    return status;
}

static mst_status enqueue(mst_filter *plan, const mst_block *block, mst_filter_part part, int which,
                          const mst_argument *arguments, size_t n_arguments, size_t items, mst_error *error) {
    const mst_kernel *kernel = plan->kernels[which];
    return mst_kernel_launch(block->queue, kernel, arguments, n_arguments, items, mst_kernel_group(plan->context, kernel, items),
                             mst_filter_timing_command(plan, part), error);
}

mst_image_side mst_image_side_of(const mst_filter *plan, const mst_block *block, int side) {
    const mst_block_port *port = &block->ports[side];
    return (mst_image_side){port->buffer, plan->lines[side][port->packed ? 0 : 1], port->base,
                            (cl_ulong)port->first_item * mst_filter_image_rows(plan) * plan->channels};
}

mst_status mst_planes_load(mst_filter *plan, const mst_block *block, mst_error *error) {
    mst_image_side in = mst_image_side_of(plan, block, 0);
    cl_uint height = (cl_uint)plan->height, width = (cl_uint)plan->width, channels = (cl_uint)plan->channels;
    cl_uint colours = (cl_uint)plan->colours, r = (cl_uint)plan->r, p = (cl_uint)plan->p, q = (cl_uint)plan->q;
    cl_uint depth = (cl_uint)plan->depth;
    cl_int mirror = plan->desc.edges == MST_FILTER_REFLECT, levels = mst_filter_levels(plan);
    cl_ulong n = (cl_ulong)block->count * colours * r * p * q;
    const mst_argument arguments[] = {MST_BIND(image, in.buffer),
                                      MST_BIND(base, in.base),
                                      MST_BIND(first_line, in.first_line),
                                      MST_BIND(lines, in.lines),
                                      MST_BIND(depth, depth),
                                      MST_BIND(height, height),
                                      MST_BIND(width, width),
                                      MST_BIND(channels, channels),
                                      MST_BIND(colours, colours),
                                      MST_BIND(r, r),
                                      MST_BIND(p, p),
                                      MST_BIND(q, q),
                                      MST_BIND(mirror, mirror),
                                      MST_BIND(levels, levels),
                                      MST_BIND(n, n),
                                      MST_BIND(planes, plan->planes.buffer)};
    return enqueue(plan, block, MST_PART_LOAD, KERNEL_LOAD, arguments, MST_COUNT(arguments), (size_t)n, error);
}

// The range of every image, at last in ranges[*which].
static mst_status find_ranges(mst_filter *plan, const mst_block *block, int *which, mst_error *error) {
    mst_status status = MST_OK;
    const mst_planes *planes = &plan->planes;
    cl_uint height = (cl_uint)plan->height, width = (cl_uint)plan->width, colours = (cl_uint)plan->colours;
    cl_uint pitch = (cl_uint)planes->pitch, rows = (cl_uint)planes->rows, parts = range_parts(plan);
    cl_uint lanes = lanes_of(plan), slices = (cl_uint)planes->slices, depth = (cl_uint)plan->depth;
    cl_ulong n = (cl_ulong)block->count * parts;
    const mst_argument arguments[] = {MST_BIND(planes, planes->buffer),
                                      MST_BIND(pitch, pitch),
                                      MST_BIND(plane_rows, rows),
                                      MST_BIND(slices, slices),
                                      MST_BIND(depth, depth),
                                      MST_BIND(height, height),
                                      MST_BIND(width, width),
                                      MST_BIND(colours, colours),
                                      MST_BIND(parts, parts),
                                      MST_BIND(lanes, lanes),
                                      MST_BIND(n, n),
                                      MST_BIND(ranges, plan->ranges[0])};
    MST_TRY(enqueue(plan, block, MST_PART_STORE, KERNEL_RANGE, arguments, MST_COUNT(arguments), (size_t)n, error));
    *which = 0;
    for (cl_uint from = parts; from > 1; *which ^= 1) {
        cl_uint to = from > RANGE_ROWS ? RANGE_ROWS : 1;
        n = (cl_ulong)block->count * to;
        const mst_argument reduction[] = {MST_BIND(from, plan->ranges[*which]), MST_BIND(n_from, from),
                                          MST_BIND(to, plan->ranges[*which ^ 1]), MST_BIND(n_to, to), MST_BIND(n, n)};
        MST_TRY(enqueue(plan, block, MST_PART_STORE, KERNEL_REDUCE, reduction, MST_COUNT(reduction), (size_t)n, error));
        from = to;
    }
fail:
    return status;
}

mst_status mst_planes_copy_alpha(mst_filter *plan, const mst_block *block, mst_error *error) {
    mst_image_side in = mst_image_side_of(plan, block, 0), out = mst_image_side_of(plan, block, 1);
    cl_uint rows = (cl_uint)mst_filter_image_rows(plan), width = (cl_uint)plan->width, channels = (cl_uint)plan->channels;
    cl_ulong n = (cl_ulong)block->count * rows * width;
    const mst_argument arguments[] = {MST_BIND(from, in.buffer),
                                      MST_BIND(from_base, in.base),
                                      MST_BIND(from_line, in.first_line),
                                      MST_BIND(from_lines, in.lines),
                                      MST_BIND(rows, rows),
                                      MST_BIND(width, width),
                                      MST_BIND(channels, channels),
                                      MST_BIND(n, n),
                                      MST_BIND(to, out.buffer),
                                      MST_BIND(to_base, out.base),
                                      MST_BIND(to_line, out.first_line),
                                      MST_BIND(to_lines, out.lines)};
    mst_queue_expect_mark(block->queue);
    return enqueue(plan, block, MST_PART_STORE, KERNEL_ALPHA, arguments, MST_COUNT(arguments), (size_t)n, error);
}

mst_status mst_planes_store(mst_filter *plan, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    const mst_planes *planes = &plan->planes;
    mst_image_side out = mst_image_side_of(plan, block, 1);
    cl_uint height = (cl_uint)plan->height, width = (cl_uint)plan->width, channels = (cl_uint)plan->channels;
    cl_uint colours = (cl_uint)plan->colours, pitch = (cl_uint)planes->pitch, rows = (cl_uint)planes->rows;
    cl_uint slices = (cl_uint)planes->slices, depth = (cl_uint)plan->depth;
    double white = plan->desc.white;
    cl_ulong n = (cl_ulong)block->count * depth * height * width * colours;
    int which = 0;
    if (mst_filter_ranged(plan))
        MST_TRY(find_ranges(plan, block, &which, error));
    const mst_argument arguments[] = {MST_BIND(planes, planes->buffer),
                                      MST_BIND(pitch, pitch),
                                      MST_BIND(plane_rows, rows),
                                      MST_BIND(slices, slices),
                                      MST_BIND(depth, depth),
                                      MST_BIND(height, height),
                                      MST_BIND(width, width),
                                      MST_BIND(channels, channels),
                                      MST_BIND(colours, colours),
                                      MST_BIND(ranges, plan->ranges[which]),
                                      MST_BIND(white, white),
                                      MST_BIND(n, n),
                                      MST_BIND(image, out.buffer),
                                      MST_BIND(base, out.base),
                                      MST_BIND(first_line, out.first_line),
                                      MST_BIND(lines, out.lines)};
    if (!plan->desc.alpha)
        mst_queue_expect_mark(block->queue);
    MST_TRY(enqueue(plan, block, MST_PART_STORE, KERNEL_STORE, arguments, MST_COUNT(arguments), (size_t)n, error));
fail:
    return status;
}
