#include "stepper.h"

#include "cutting.h"
#include "runtime/program.h"

#include <string.h>

enum { ITEM_REGISTERS = 128 }; // of a work-item of a GPU for planes of versions

static size_t ring_bytes(const mst_stepper *s, int rows, int columns, int width) {
    size_t planes = 0, high = 0, across = 0, depths[MST_STENCIL_MAX_FIELDS] = {0};
    for (int k = 0; k < s->pipeline.n_versions; k++) {
        const mst_stage *v = &s->pipeline.versions[k];
        size_t depth = v->depth > 0 ? (size_t)v->depth : 1;
        depths[v->field] = depth > depths[v->field] ? depth : depths[v->field];
        size_t r = (size_t)(v->low[ROWS] + v->high[ROWS]), c = (size_t)(v->low[COLUMNS] + v->high[COLUMNS]);
        high = r > high ? r : high;
        across = c > across ? c : across;
    }
    for (int f = 0; f < s->problem->n_fields; f++)
        planes += depths[f] * (size_t)(s->problem->fields[f].levels + s->pipeline.m);
    return planes * ((size_t)rows + high) * ((size_t)columns + across + 4 * (size_t)width) * s->problem->element;
}

mst_stepper_choice mst_stepper_rule(const mst_problem *problem, mst_stencil_shape shape) {
    static const int cpu_columns[] = {8192, 1024, 256}, cpu_rows[] = {1, 1, 64};
    static const int gpu_columns[] = {128, 128, 16}, gpu_rows[] = {1, 1, 24};
    int k = problem->rank - 1;
    return shape == MST_STENCIL_SHAPE_CPU ? (mst_stepper_choice){cpu_columns[k], cpu_rows[k], 0}
                                          : (mst_stepper_choice){gpu_columns[k], gpu_rows[k], 0};
}

// As wide a tile as fits the cache, which local memory stands for: half of it, at most 512 KiB.
static void choose_cpu_tile(mst_stepper *s, int width) {
    size_t room = (size_t)s->context->device.local_memory_bytes / 2;
    room = room > (size_t)512 << 10 ? (size_t)512 << 10 : room;
    int columns = s->choice.columns, rows = s->choice.rows;
    while (ring_bytes(s, rows, columns, width) > room && (columns > width || rows > 1)) {
        if (rows > 1 && (rows * 4 >= columns || columns <= width))
            rows /= 2;
        else
            columns /= 2;
    }
    s->tile[ROWS] = rows;
    s->tile[COLUMNS] = columns;
}

// Rows of a GPU's work-item, of which its neighbours need fewer the more there are, as far as registers hold them.
static int rows_of_item(const mst_stepper *s, int width) {
    int values = s->problem->n_arrays; // and what is read ahead
    for (int k = 0; k < s->pipeline.n_versions; k++)
        values += s->pipeline.versions[k].depth;
    int rows = ITEM_REGISTERS / (values * width * (int)s->problem->element / 4 + 1);
    return s->problem->rank < 3 || rows < 1 ? 1 : rows > 3 ? 3 : rows;
}

// Work-groups of a few warps; what they compute beyond the tile that they own is lost.
static mst_status choose_gpu_tile(mst_stepper *s, int width, int deep, mst_error *error) {
    mst_status status = MST_OK;
    const mst_pipeline *p = &s->pipeline;
    int items = s->choice.columns, stack = (s->choice.rows + deep - 1) / deep;
    size_t most = s->context->device.max_work_group_size;
    while ((size_t)(items * stack) > most && items * stack > 1)
        stack > 1 ? (stack /= 2) : (items /= 2);
    int beside = (p->low[COLUMNS] + width - 1) / width + (p->high[COLUMNS] + width - 1) / width;
    int around = p->low[ROWS] + p->high[ROWS];
    while (p->m == 1 && stack * deep <= 2 * around && (size_t)(items * (stack + 1)) <= most)
        stack++; // for sub-steps that reach far, as fewer than one step cannot be fused
    int rows = stack * deep;
    MST_REQUIRE(items > beside && rows > around, MST_ERROR_UNSUPPORTED, "%d fused steps leave nothing of a work-group of %d x %d",
                p->m, rows, items);
    for (int k = 0; k < p->n_versions; k++)
        MST_REQUIRE(p->versions[k].depth < MST_STENCIL_MAX_DEPTH, MST_ERROR_UNSUPPORTED,
                    "the scheme reads too many planes of a field for a GPU's registers");
    s->tile[ROWS] = rows - around;
    s->tile[COLUMNS] = (items - beside) * width;
    s->before[ROWS] = p->low[ROWS];
    s->before[COLUMNS] = (p->low[COLUMNS] + width - 1) / width * width;
    s->item[ROWS] = deep;
    s->item[COLUMNS] = width;
    s->whole[ROWS] = rows;
    s->whole[COLUMNS] = items * width;
    s->group = items * stack;
fail:
    return status;
}

// Devices limit what all arguments of a kernel take together: OpenCL 1.2 promises 1024 bytes.
static mst_status check_arguments(const mst_stepper *s, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = s->problem;
    size_t most = 0, windows = (size_t)(5 + (s->shape == MST_STENCIL_SHAPE_GPU)) * sizeof(cl_long8);
    size_t bytes = (size_t)(2 * p->n_arrays + p->n_coefficients + 4) * sizeof(cl_mem);
    bytes = (bytes + sizeof(cl_long8) - 1) / sizeof(cl_long8) * sizeof(cl_long8) + windows;
    MST_TRY_CL(clGetDeviceInfo(s->context->device.device, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof most, &most, NULL),
               "cannot read how many arguments %s takes", s->context->device.name);
    MST_REQUIRE(bytes <= most, MST_ERROR_UNSUPPORTED,
                "a scheme of %d arrays that change and %d coefficient fields needs %zu bytes of arguments; %s takes %zu",
                p->n_arrays, p->n_coefficients, bytes, s->context->device.name, most);
fail:
    return status;
}

// A float32 quotient may be 2.5 ulp off by default (OpenCL C 1.2, 7.4), and then differs from that of other kernels and devices.
static const char *build_options(const mst_stepper *s) {
    cl_device_fp_config config = 0;
    if (s->problem->is_double)
        return "-D PRECISION=64";
    if (clGetDeviceInfo(s->context->device.device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL) != CL_SUCCESS)
        config = 0;
    return config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ? "-D PRECISION=32 -cl-fp32-correctly-rounded-divide-sqrt"
                                                        : "-D PRECISION=32";
}

static mst_status build(mst_stepper *s, mst_writer *writer, mst_error *error) {
    mst_status status = MST_OK;
    mst_text text = {0};
    writer->out = &text;
    writer->local_bytes = (size_t)s->context->device.local_memory_bytes;
    if (s->shape == MST_STENCIL_SHAPE_GPU)
        mst_write_gpu(writer);
    else
        mst_write_cpu(writer);
    MST_REQUIRE(!text.failed, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    s->local_bytes = writer->local_bytes;
    MST_REQUIRE(writer->local_bytes <= s->context->device.local_memory_bytes, MST_ERROR_UNSUPPORTED,
                "%d fused steps need %zu bytes of local memory; %s has %llu", s->pipeline.m, writer->local_bytes,
                s->context->device.name, (unsigned long long)s->context->device.local_memory_bytes);
    s->has_key = mst_cache_make_key(s->context, text.text, strlen(text.text), build_options(s), &s->key);
    MST_TRY(mst_program_build(s->context, text.text, build_options(s), &s->program, error));
    MST_TRY(mst_kernel_create(s->program, "advance", &s->kernels[0], error));
    if (s->shape == MST_STENCIL_SHAPE_GPU)
        MST_TRY(mst_kernel_create(s->program, "inner", &s->kernels[1], error));
fail:
    mst_text_release(&text);
    return status;
}

mst_status mst_stepper_create(mst_context *context, const mst_problem *problem, const mst_tables *tables, int m,
                              mst_stencil_shape shape, mst_stepper_choice choice, mst_stepper *s, mst_error *error) {
    mst_status status = MST_OK;
    mst_pipeline single = {0};
    *s = (mst_stepper){.problem = problem, .tables = tables, .context = context, .shape = shape, .choice = choice, .group = 1};
    MST_TRY(check_arguments(s, error));
    MST_TRY(mst_pipeline_make(problem, m, shape == MST_STENCIL_SHAPE_GPU, &s->pipeline, error));
    MST_TRY(mst_pipeline_make(problem, 1, shape == MST_STENCIL_SHAPE_GPU, &single, error));
    mst_writer writer = {.problem = problem,
                         .pipeline = &s->pipeline,
                         .single = &single,
                         .sources = tables->sources,
                         .receivers = tables->receivers,
                         .unroll = !(context->device.type & CL_DEVICE_TYPE_CPU),
                         .width = (shape == MST_STENCIL_SHAPE_GPU ? 16 : 32) / (int)problem->element};
    writer.deep = shape == MST_STENCIL_SHAPE_GPU ? rows_of_item(s, writer.width) : 0;
    if (shape == MST_STENCIL_SHAPE_GPU)
        MST_TRY(choose_gpu_tile(s, writer.width, writer.deep, error));
    else
        choose_cpu_tile(s, writer.width);
    memcpy(writer.tile, s->tile, sizeof s->tile);
    MST_TRY(build(s, &writer, error));
fail:
    mst_pipeline_release(&single);
    if (status != MST_OK)
        mst_stepper_release(s);
    return status;
}

mst_status mst_stepper_create_single(const mst_stepper *fused, mst_stepper *s, mst_error *error) {
    mst_status status = MST_OK;
    if (fused->shape == MST_STENCIL_SHAPE_GPU)
        return mst_stepper_create(fused->context, fused->problem, fused->tables, 1, fused->shape, fused->choice, s, error);
    *s = *fused;
    s->single = true;
    s->kernels[0] = NULL;
    s->pipeline = (mst_pipeline){0};
    MST_TRY(mst_pipeline_make(s->problem, 1, false, &s->pipeline, error));
    MST_TRY(mst_kernel_create(s->program, "advance", &s->kernels[0], error));
    return MST_OK;
fail:
    mst_stepper_release(s);
    return status;
}

void mst_stepper_release(mst_stepper *s) {
    for (int k = 0; k < 2; k++)
        mst_kernel_release(s->kernels[k]);
    mst_pipeline_release(&s->pipeline);
    *s = (mst_stepper){0};
}

// A GPU's work-items go through all versions of all nodes of their tile, in all planes of a strip and those around it.
static double gpu_updates(const mst_stepper *s, const mst_cutting *c) {
    double planes = (double)(c->planes + c->edges[0] + c->edges[1]);
    double around = (double)((s->pipeline.low[PLANES] + s->pipeline.high[PLANES]) * mst_cutting_all_strips(c));
    double versions = s->pipeline.n_versions - s->problem->n_arrays;
    return (planes + around) * (double)(c->rows * s->whole[ROWS] * c->columns * s->whole[COLUMNS]) * versions;
}

double mst_stepper_work(const mst_stepper *s, const mst_box *box, int lanes, double *longer) {
    const mst_cutting c = mst_cutting_make(s, box, lanes, NULL, NULL);
    double nodes = 1, work = 0;
    const int64_t strips = mst_cutting_strips(&c),
                  tile[N_AXES] = {(c.planes + strips - 1) / strips, s->tile[ROWS], s->tile[COLUMNS]};
    for (int axis = 0; axis < N_AXES; axis++)
        nodes *= (double)(box->to[axis] - box->from[axis]);
    for (int k = s->problem->n_arrays; k < s->pipeline.n_versions; k++) {
        const mst_stage *v = &s->pipeline.versions[k];
        double grown = 1;
        for (int axis = 0; axis < N_AXES; axis++) {
            int64_t n = box->to[axis] - box->from[axis], side = tile[axis] < n ? tile[axis] : n;
            grown *= (double)(side + v->low[axis] + v->high[axis]) / (double)side;
        }
        work += grown;
    }
    *longer = mst_cutting_idle(s, &c, lanes);
    if (s->shape == MST_STENCIL_SHAPE_GPU)
        *longer *= gpu_updates(s, &c) / (nodes * work);
    return nodes * work / s->problem->n_updates;
}

static cl_long8 window_argument(const mst_window *w) {
    return (cl_long8){.s = {w->planes, w->first_row, w->rows, w->first_column, w->columns, w->first_plane}};
}

mst_status mst_stepper_enqueue(const mst_stepper *s, cl_command_queue queue, const mst_window *from, const mst_window *to,
                               const mst_window *held, const mst_box *box, int lanes, uint64_t row, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = s->problem;
    mst_argument arguments[2 * MST_STENCIL_MAX_ARRAYS + MST_STENCIL_MAX_FIELDS + 10];
    size_t n = 0;
    for (int axis = 0; axis < N_AXES; axis++)
        if (box->to[axis] <= box->from[axis])
            return MST_OK;
    const mst_cutting c = mst_cutting_make(s, box, lanes, from, held);
    const cl_long8 windows[] = {window_argument(from), window_argument(to), held ? window_argument(held) : (cl_long8){{0}}};
    const cl_long8 area = {{box->from[0], box->to[0], box->from[1], box->to[1], box->from[2], box->to[2], c.length, c.edges[0]}};
    const cl_long8 more = {{c.planes, c.rows, c.columns, s->shape == MST_STENCIL_SHAPE_GPU ? c.parts : s->single,
                            (cl_long)p->grid[0], (cl_long)p->grid[1], (cl_long)p->grid[2], (cl_long)row}};
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
    if (s->shape == MST_STENCIL_SHAPE_GPU)
        arguments[n++] = (mst_argument)MST_ARGUMENT(sides);
    size_t group = (size_t)s->group;
    int64_t groups = mst_cutting_groups(&c), careful = mst_cutting_careful(&c);
    if (s->shape == MST_STENCIL_SHAPE_CPU)
        return mst_kernel_enqueue(queue, s->kernels[0], arguments, n, (size_t)groups * group, group, error);
    if (careful > 0)
        MST_TRY(mst_kernel_enqueue(queue, s->kernels[0], arguments, n, (size_t)careful * group, group, error));
    MST_TRY(mst_kernel_enqueue(queue, s->kernels[1], arguments, n, (size_t)groups * group, group, error));
fail:
    return status;
}
