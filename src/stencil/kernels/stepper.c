#include "stepper.h"

#include "cutting.h"
#include "runtime/program.h"
#include "write.h"

#include <string.h>

// What the device offers, as far as tiles go by it.
static mst_status read_limits(const mst_context *context, mst_tile_limits *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_device_info *device = &context->device;
    size_t argument_bytes = 0;
    MST_TRY_CL(clGetDeviceInfo(device->device, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof argument_bytes, &argument_bytes, NULL),
               "cannot read how many arguments %s takes", device->name);
    *out = (mst_tile_limits){.device = device->name,
                             .local_bytes = device->local_memory_bytes,
                             .argument_bytes = argument_bytes,
                             .items = device->max_work_group_size,
                             .units = device->compute_units};
fail:
    return status;
}

// A float32 quotient may be 2.5 ulp off by default (OpenCL C 1.2, 7.4), and then differs from that of other kernels and devices.
static const char *build_options(const mst_stepper *s) {
    cl_device_fp_config config = 0;
    if (s->tile.problem->is_double)
        return "-D PRECISION=64";
    if (clGetDeviceInfo(s->context->device.device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL) != CL_SUCCESS)
        config = 0;
    return config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ? "-D PRECISION=32 -cl-fp32-correctly-rounded-divide-sqrt"
                                                        : "-D PRECISION=32";
}

static mst_status build(mst_stepper *s, const mst_writer *writer, mst_error *error) {
    mst_status status = MST_OK;
    const bool gpu = s->tile.shape == MST_STENCIL_SHAPE_GPU;
    if (gpu)
        MST_TRY(mst_write_gpu(writer, error));
    else
        mst_write_cpu(writer);
    const mst_text *text = writer->out;
    MST_REQUIRE(!text->failed, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    s->has_key = mst_cache_make_key(s->context, text->text, strlen(text->text), build_options(s), &s->key);
    MST_TRY(mst_program_build(s->context, text->text, build_options(s), &s->program, error));
    MST_TRY(mst_kernel_create(s->program, gpu ? "interior" : "advance", &s->interior, error));
    if (gpu)
        MST_TRY(mst_kernel_create(s->program, "boundary", &s->boundary, error));
fail:
    return status;
}

mst_status mst_stepper_create(mst_context *context, const mst_problem *problem, const mst_tables *tables, int m,
                              mst_stencil_shape shape, mst_tile_choice choice, mst_stepper *s, mst_error *error) {
    mst_status status = MST_OK;
    mst_tile_limits limits;
    mst_pipeline single = {0};
    mst_text text = {0};
    const bool gpu = shape == MST_STENCIL_SHAPE_GPU;
    *s = (mst_stepper){.tables = tables, .context = context};
    MST_TRY(read_limits(context, &limits, error));
    MST_TRY(mst_pipeline_make(problem, m, gpu, &s->pipeline, error));
    MST_TRY(mst_pipeline_make(problem, 1, gpu, &single, error));
    MST_TRY(mst_tile_make(&s->pipeline, shape, choice, &limits, &s->tile, error));
    const mst_writer writer = {.problem = problem,
                               .pipeline = &s->pipeline,
                               .single = &single,
                               .tile = &s->tile,
                               .sources = tables->sources,
                               .receivers = tables->receivers,
                               .local_bytes = limits.local_bytes,
                               .unroll = !(context->device.type & CL_DEVICE_TYPE_CPU),
                               .out = &text};
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
        return mst_stepper_create(fused->context, t->problem, fused->tables, 1, t->shape, t->choice, s, error);
    *s = *fused;
    s->is_single = true;
    s->interior = NULL;
    s->pipeline = (mst_pipeline){0};
    MST_TRY(mst_pipeline_make(t->problem, 1, false, &s->pipeline, error));
    s->tile = mst_tile_single(t, &s->pipeline);
    MST_TRY(mst_kernel_create(s->program, "advance", &s->interior, error));
    return MST_OK;
fail:
    mst_stepper_release(s);
    return status;
}

void mst_stepper_release(mst_stepper *s) {
    mst_kernel_release(s->interior);
    mst_kernel_release(s->boundary);
    mst_pipeline_release(&s->pipeline);
    *s = (mst_stepper){0};
}

static cl_long8 window_argument(const mst_window *w) {
    return (cl_long8){.s = {w->planes, w->first_row, w->rows, w->first_column, w->columns, w->first_plane}};
}

static mst_extent extent_of(const mst_window *w) { return (mst_extent){w->first_row, w->rows, w->first_column, w->columns}; }

mst_status mst_stepper_enqueue(const mst_stepper *s, cl_command_queue queue, const mst_window *from, const mst_window *to,
                               const mst_window *held, const mst_box *box, int queues, uint64_t row, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = s->tile.problem;
    const bool gpu = s->tile.shape == MST_STENCIL_SHAPE_GPU;
    mst_argument arguments[2 * MST_STENCIL_MAX_ARRAYS + MST_STENCIL_MAX_FIELDS + 10];
    size_t n = 0;
    for (int axis = 0; axis < N_AXES; axis++)
        if (box->to[axis] <= box->from[axis])
            return MST_OK;
    const mst_extent from_extent = extent_of(from), held_extent = held ? extent_of(held) : (mst_extent){0, 0, 0, 0};
    const mst_cutting c = mst_cutting_make(&s->tile, box, queues, &from_extent, held ? &held_extent : NULL);
    const cl_long8 windows[] = {window_argument(from), window_argument(to), held ? window_argument(held) : (cl_long8){{0}}};
    const cl_long8 area = {{box->from[0], box->to[0], box->from[1], box->to[1], box->from[2], box->to[2], c.length, c.edges[0]}};
    const cl_long8 more = {{c.planes, c.rows, c.columns, gpu ? c.parts : s->is_single, (cl_long)p->grid[0], (cl_long)p->grid[1],
                            (cl_long)p->grid[2], (cl_long)row}};
    const cl_long8 sides = {{c.sides[COLUMNS][0], c.sides[COLUMNS][1], c.sides[ROWS][0], c.sides[ROWS][1], c.edges[1] > 0}};
    for (int a = 0; a < p->n_arrays; a++)
        arguments[n++] = (mst_argument)MST_ARGUMENT(from->buffers[a]);
    for (int a = 0; a < p->n_arrays; a++)
        arguments[n++] = (mst_argument)MST_ARGUMENT(to->buffers[a]);
    for (int a = 0; a < p->n_coefficients; a++)
        arguments[n++] = (mst_argument)MST_ARGUMENT(held->buffers[a]);
    const cl_mem *tables[] = {&s->tables->damping, &s->tables->table, &s->tables->records, &s->tables->points};
    for (int k = 0; k < 4; k++)
        arguments[n++] = (mst_argument){.bytes = sizeof(cl_mem), .value = tables[k]};
    for (int k = 0; k < 3; k++)
        arguments[n++] = (mst_argument)MST_ARGUMENT(windows[k]);
    arguments[n++] = (mst_argument)MST_ARGUMENT(area);
    arguments[n++] = (mst_argument)MST_ARGUMENT(more);
    if (gpu)
        arguments[n++] = (mst_argument)MST_ARGUMENT(sides);
    size_t group = (size_t)s->tile.group;
    int64_t boundary = gpu ? mst_cutting_boundary_groups(&c) : 0;
    if (boundary > 0)
        MST_TRY(mst_kernel_enqueue(queue, s->boundary, arguments, n, (size_t)boundary * group, group, error));
    MST_TRY(mst_kernel_enqueue(queue, s->interior, arguments, n, (size_t)mst_cutting_interior_groups(&c) * group, group, error));
fail:
    return status;
}
