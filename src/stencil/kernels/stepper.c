#include "stepper.h"

#include "arguments.h"
#include "cutting.h"
#include "expr/elementary.h"
#include "runtime/kernel.h"
#include "runtime/numbers.h"
#include "runtime/program.h"
#include "write.h"

#include <stdio.h>
#include <string.h>

enum { LEAST_VECTOR_BYTES = 32, MOST_VECTOR_BYTES = 64 }; // of a CPU

// Vectors as wide as registers are faster than narrower ones, although unaligned loads of 64 bytes touch two lines of a cache.
// Narrower registers are taken in pairs.
size_t mst_stepper_vector_bytes(const mst_context *context) {
    const size_t native = context->device.native_width[MST_WIDTH_FLOAT] * sizeof(float);
    return mst_smaller(mst_larger(native, (size_t)LEAST_VECTOR_BYTES), (size_t)MOST_VECTOR_BYTES);
}

mst_status mst_stepper_limits(const mst_context *context, const mst_problem *problem, mst_tile_limits *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_device_info *device = &context->device;
    size_t argument_bytes = 0;
    MST_TRY_CL(clGetDeviceInfo(device->device, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof argument_bytes, &argument_bytes, NULL),
               "cannot read how many arguments %s takes", device->name);
    *out = (mst_tile_limits){.device = device->name,
                             .local_bytes = device->local_memory_bytes,
                             .argument_bytes = argument_bytes,
                             .items = device->max_work_group_size,
                             .units = mst_stepper_units(context, problem),
                             .vector_bytes = mst_stepper_vector_bytes(context)};
fail:
    return status;
}

const char *mst_stepper_build_options(const mst_context *context, const mst_problem *problem) {
    if (problem->is_double)
        return problem->is_flushed ? "-D PRECISION=64 -cl-denorms-are-zero" : "-D PRECISION=64";
    if (mst_program_rounds_quotients(context))
        return problem->is_flushed ? "-D PRECISION=32 -cl-fp32-correctly-rounded-divide-sqrt -cl-denorms-are-zero"
                                   : "-D PRECISION=32 -cl-fp32-correctly-rounded-divide-sqrt";
    return problem->is_flushed ? "-D PRECISION=32 -cl-denorms-are-zero" : "-D PRECISION=32";
}

static mst_status describe(mst_stepper *s, mst_error *error) {
    mst_status status = MST_OK;
    mst_arguments_describe(s->tile.problem, s->tile.shape, "any", &s->arguments);
    MST_REQUIRE(!s->arguments.failed, MST_ERROR_HOST_MEMORY, "out of memory making a kernel");
fail:
    return status;
}

static mst_status build(mst_stepper *s, const mst_writer *writer, mst_error *error) {
    mst_status status = MST_OK;
    const bool gpu = s->tile.shape == MST_STENCIL_SHAPE_GPU;
    mst_text *text = writer->out;
    char title[80];
    snprintf(title, sizeof title, "stencil: %d fused step%s%s", s->tile.m, s->tile.m == 1 ? "" : "s",
             gpu ? ", interior and boundary kernel" : "");
    MST_TRY(gpu ? mst_write_gpu(writer, error) : mst_write_cpu(writer, error));
    MST_TRY(mst_elementary_define(s->context, text, error));
    MST_TRY(
        mst_program_of_text(s->context, title, text, mst_stepper_build_options(s->context, s->tile.problem), &s->program, error));
    s->has_key = mst_cache_make_key(s->context, text->text, strlen(text->text),
                                    mst_stepper_build_options(s->context, s->tile.problem), &s->key);
    MST_TRY(mst_kernel_create(s->program, gpu ? "interior" : "advance", &s->interior, error));
    if (gpu)
        MST_TRY(mst_kernel_create(s->program, "boundary", &s->boundary, error));
fail:
    return status;
}

mst_status mst_stepper_create(mst_context *context, const mst_problem *problem, const mst_point_list *points,
                              const mst_stepper_tables *tables, int m, mst_stencil_shape shape, mst_tile_choice choice,
                              mst_stepper *s, mst_error *error) {
    mst_status status = MST_OK;
    mst_tile_limits limits;
    mst_pipeline single = {0};
    mst_text text = {0};
    const bool gpu = shape == MST_STENCIL_SHAPE_GPU;
    *s = (mst_stepper){.points = points, .tables = tables, .context = context};
    MST_TRY(mst_stepper_limits(context, problem, &limits, error));
    MST_TRY(mst_pipeline_make(problem, m, gpu, &s->pipeline, error));
    MST_TRY(mst_pipeline_make(problem, 1, gpu, &single, error));
    MST_TRY(mst_tile_make(&s->pipeline, shape, choice, &limits, &s->tile, error));
    const mst_writer writer = {.context = context,
                               .problem = problem,
                               .pipeline = &s->pipeline,
                               .single = &single,
                               .tile = &s->tile,
                               .sources = points->sources,
                               .receivers = points->receivers,
                               .n_points = points->n,
                               .first_region = points->first_region,
                               .local_bytes = limits.local_bytes,
                               .unroll = !(context->device.type & CL_DEVICE_TYPE_CPU),
                               .out = &text};
    MST_TRY(describe(s, error));
    MST_TRY(build(s, &writer, error));
fail:
    mst_text_release(&text);
    mst_pipeline_release(&single);
    if (status != MST_OK)
        mst_stepper_release(s);
    return status;
}

mst_status mst_stepper_create_single(const mst_stepper *fused, mst_stepper *s, mst_error *error) {
    mst_status status = MST_OK;
    const mst_tile *t = &fused->tile;
    if (t->shape == MST_STENCIL_SHAPE_GPU)
        return mst_stepper_create(fused->context, t->problem, fused->points, fused->tables, 1, t->shape, t->choice, s, error);
    *s = *fused;
    s->is_single = true;
    s->interior = NULL;
    s->pipeline = (mst_pipeline){0};
    s->arguments = (mst_signature){0};
    MST_TRY(describe(s, error));
    MST_TRY(mst_pipeline_make(t->problem, 1, false, &s->pipeline, error));
    s->tile = mst_tile_single(t, &s->pipeline);
    MST_TRY(mst_kernel_create(s->program, "advance", &s->interior, error));
    return MST_OK;
fail:
    mst_stepper_release(s);
    return status;
}

void mst_stepper_release(mst_stepper *s) {
    mst_kernel_destroy(s->interior);
    mst_kernel_destroy(s->boundary);
    mst_signature_release(&s->arguments);
    mst_pipeline_release(&s->pipeline);
    *s = (mst_stepper){0};
}

static cl_long8 window_argument(const mst_window *w) {
    return w ? (cl_long8){{w->planes, w->first_row, w->rows, w->first_column, w->columns, w->first_plane}} : (cl_long8){{0}};
}

static mst_extent extent_of(const mst_window *w) { return (mst_extent){w->first_row, w->rows, w->first_column, w->columns}; }

static mst_cutting cut(const mst_stepper *s, const mst_window *from, const mst_window *held, const mst_box *box, int queues) {
    const mst_extent extents[] = {extent_of(from), held ? extent_of(held) : (mst_extent){0, 0, 0, 0}};
    return mst_cutting_make(&s->tile, box, queues, &extents[0], held ? &extents[1] : NULL);
}

static void add_arrays(mst_argument_list *list, const mst_signature *names, const cl_mem *buffers, int n) {
    for (int a = 0; a < n; a++, list->n++)
        list->values[list->n] = MST_BIND_AS(names->parameters[list->n].name, buffers[a]);
}

#define ADD(parameter, variable) list->values[list->n++] = MST_BIND(parameter, variable)

static void add_tables(mst_argument_list *list, const mst_stepper_tables *t) {
    ADD(damping, t->damping);
    ADD(table, t->steps);
    ADD(records, t->records);
    ADD(points, t->points);
}

static mst_status launch(const mst_stepper *s, mst_queue *queue, const mst_argument_list *list, const mst_cutting *c,
                         mst_error *error) {
    mst_status status = MST_OK;
    const size_t group = (size_t)s->tile.group;
    const size_t boundary = s->boundary ? (size_t)mst_cutting_boundary_groups(c) : 0;
    const size_t interior = (size_t)mst_cutting_interior_groups(c);
    if (boundary > 0)
        MST_TRY(mst_kernel_launch(queue, s->boundary, list->values, list->n, boundary * group, group, NULL, error));
    MST_TRY(mst_kernel_launch(queue, s->interior, list->values, list->n, interior * group, group, NULL, error));
fail:
    return status;
}

mst_status mst_stepper_enqueue(const mst_stepper *s, mst_queue *queue, const mst_window *from, const mst_window *to,
                               const mst_window *held, const mst_box *box, int queues, uint64_t row, mst_error *error) {
    const mst_problem *p = s->tile.problem;
    const bool gpu = s->tile.shape == MST_STENCIL_SHAPE_GPU;
    for (int axis = 0; axis < N_AXES; axis++)
        if (box->to[axis] <= box->from[axis])
            return MST_OK;
    const mst_cutting c = cut(s, from, held, box, queues);
    const cl_long8 from_window = window_argument(from), to_window = window_argument(to), held_window = window_argument(held);
    const cl_long8 area = {{box->from[0], box->to[0], box->from[1], box->to[1], box->from[2], box->to[2], c.length, c.edges[0]}};
    const cl_long8 work = {{c.planes, c.rows, c.columns, gpu ? c.parts : s->is_single, (cl_long)p->grid[0], (cl_long)p->grid[1],
                            (cl_long)p->grid[2], (cl_long)row}};
    const cl_long8 sides = {{c.sides[COLUMNS][0], c.sides[COLUMNS][1], c.sides[ROWS][0], c.sides[ROWS][1], c.edges[1] > 0}};
    mst_argument_list arguments = {.n = 0}, *list = &arguments;
    add_arrays(list, &s->arguments, from->buffers, p->n_arrays);
    add_arrays(list, &s->arguments, to->buffers, p->n_arrays);
    if (held)
        add_arrays(list, &s->arguments, held->buffers, p->n_coefficients);
    add_tables(list, s->tables);
    ADD(from, from_window);
    ADD(to, to_window);
    ADD(coefficients, held_window);
    ADD(box, area);
    ADD(launch, work);
    if (gpu)
        ADD(sides, sides);
    return launch(s, queue, list, &c, error);
}
