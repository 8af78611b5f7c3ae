#include "sweeper.h"

#include "arguments.h"
#include "runtime/numbers.h"
#include "write_sweep.h"

#include <stdio.h>
#include <string.h>

enum {
    GROUPS_A_UNIT = 16, // work-groups that a compute unit should have, at least
    // Planes that a GPU's work-item goes along: it begins with loading some more, and neighbours far ahead of one another share
    // no cache.
    LEAST_PLANES = 4,
    MOST_PLANES = 32,
    PART_NODES = 1 << 14,   // of a work-group of a CPU, about,
    PART_COLUMNS = 1 << 14, // and of a part of a line, at most
    POINT_GROUP = 64
};

static mst_status build(mst_sweeper *s, mst_text *text, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = s->sweeps.problem;
    const char *options = mst_stepper_build_options(s->context, p);
    const mst_writer writer = {.context = s->context, .problem = p, .out = text};
    char name[20];
    MST_TRY(mst_write_sweeps(&writer, &s->sweeps, error));
    MST_TRY(mst_program_of_text(s->context, "stencil: sweeps", text, options, &s->program, error));
    s->has_key = mst_cache_make_key(s->context, text->text, strlen(text->text), options, &s->key);
    for (int k = 0; k < s->sweeps.n; k++) {
        snprintf(name, sizeof name, "sweep%d", k);
        MST_TRY(mst_kernel_create(s->program, name, &s->sweep[k], error));
    }
    MST_TRY(mst_kernel_create(s->program, "margin", &s->margin, error));
    if (p->n_coefficients > 0)
        MST_TRY(mst_kernel_create(s->program, "coefficient_margin", &s->coefficient_margin, error));
    MST_TRY(mst_kernel_create(s->program, "add_sources", &s->add_sources, error));
    MST_TRY(mst_kernel_create(s->program, "record_receivers", &s->record_receivers, error));
fail:
    return status;
}

mst_status mst_sweeper_create(mst_context *context, const mst_problem *problem, const mst_point_list *points,
                              const mst_stepper_tables *tables, mst_stencil_shape shape, mst_sweeper *s, mst_error *error) {
    mst_status status = MST_OK;
    mst_text text = {0};
    *s = (mst_sweeper){.context = context, .points = points, .tables = tables, .sweeps = mst_sweeps_make(problem, shape)};
    MST_TRY(build(s, &text, error));
fail:
    mst_text_release(&text);
    if (status != MST_OK)
        mst_sweeper_release(s);
    return status;
}

void mst_sweeper_release(mst_sweeper *s) {
    for (int k = 0; k < MST_STENCIL_MAX_FIELDS; k++)
        mst_kernel_destroy(s->sweep[k]);
    mst_kernel_destroy(s->margin);
    mst_kernel_destroy(s->coefficient_margin);
    mst_kernel_destroy(s->add_sources);
    mst_kernel_destroy(s->record_receivers);
    *s = (mst_sweeper){0};
}

cl_long8 mst_sweeps_grid(const mst_sweeps *s) {
    const uint64_t *n = s->problem->grid;
    return (cl_long8){
        {(cl_long)n[PLANES], (cl_long)n[ROWS], (cl_long)n[COLUMNS], s->padded.pitch, s->padded.plane_pitch, s->padded.first}};
}

// ---- Margins

static mst_status fill_margin(const mst_sweeper *s, cl_command_queue queue, const mst_kernel *kernel, cl_mem array, int64_t row,
                              mst_error *error) {
    const size_t nodes = (size_t)mst_sweeps_margin_nodes(&s->sweeps);
    const cl_long8 grid = mst_sweeps_grid(&s->sweeps);
    const cl_long first_step = row;
    const mst_argument arguments[] = {MST_BIND(array, array), MST_BIND(table, s->tables->steps), MST_BIND(grid, grid),
                                      MST_BIND(first_step, first_step)};
    if (nodes == 0)
        return MST_OK;
    return mst_kernel_launch(queue, kernel, arguments, MST_COUNT(arguments), nodes, mst_kernel_group(s->context, kernel, nodes),
                             NULL, error);
}

mst_status mst_sweeper_fill_margins(const mst_sweeper *s, cl_command_queue queue, const mst_sweep_state *state, uint64_t row,
                                    mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = s->sweeps.problem;
    for (int f = 0; f < p->n_fields; f++)
        for (int level = 0; level < p->fields[f].levels && s->sweeps.has_margin[f]; level++) {
            const int array = p->fields[f].array + level;
            if (p->fields[f].coefficient)
                MST_TRY(fill_margin(s, queue, s->coefficient_margin, state->coefficients[array], (int64_t)row, error));
            else
                MST_TRY(fill_margin(s, queue, s->margin, state->arrays[array], (int64_t)row - level, error));
        }
    for (int k = 0; k < s->sweeps.n_spares; k++)
        MST_TRY(fill_margin(s, queue, s->margin, state->spares[k], (int64_t)row, error));
fail:
    return status;
}

// ---- Sweeps

static mst_status launch_points(const mst_sweeper *s, cl_command_queue queue, cl_mem array, int field, uint64_t row,
                                mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = s->sweeps.problem;
    const cl_long8 grid = mst_sweeps_grid(&s->sweeps);
    const size_t *sources = &s->points->sources.first[field], *receivers = &s->points->receivers.first[field];
    const cl_long4 added = {{(cl_long)sources[0], (cl_long)sources[1], (cl_long)((row + 1) * (1 + p->n_sources))}};
    const cl_long4 recorded = {{(cl_long)receivers[0], (cl_long)receivers[1], (cl_long)(row * p->n_points)}};
    const mst_argument adding[] = {MST_BIND(array, array), MST_BIND(table, s->tables->steps), MST_BIND(points, s->tables->points),
                                   MST_BIND(grid, grid), MST_BIND(range, added)};
    const mst_argument recording[] = {MST_BIND(array, array), MST_BIND(records, s->tables->records),
                                      MST_BIND(points, s->tables->points), MST_BIND(grid, grid), MST_BIND(range, recorded)};
    if (sources[1] > sources[0])
        MST_TRY(mst_kernel_launch(queue, s->add_sources, adding, MST_COUNT(adding), sources[1] - sources[0], POINT_GROUP, NULL,
                                  error));
    if (receivers[1] > receivers[0])
        MST_TRY(mst_kernel_launch(queue, s->record_receivers, recording, MST_COUNT(recording), receivers[1] - receivers[0],
                                  POINT_GROUP, NULL, error));
fail:
    return status;
}

// Work-groups of a sweep, and what each does.
static size_t divide_gpu(const mst_sweeper *s, cl_long4 *work) {
    const uint64_t *n = s->sweeps.problem->grid;
    const int64_t items = mst_sweep_items(s->sweeps.problem);
    const int64_t columns = mst_divide_up((int64_t)n[COLUMNS], items * s->sweeps.width);
    const int64_t rows = mst_divide_up((int64_t)n[ROWS], MST_SWEEP_GROUP / items), planes = (int64_t)n[PLANES];
    const int64_t strips = mst_divide_up((int64_t)s->context->device.compute_units * GROUPS_A_UNIT, columns * rows);
    const int64_t fair = mst_larger(mst_divide_up(planes, strips), (int64_t)LEAST_PLANES);
    const int64_t strip = mst_smaller(fair, (int64_t)MOST_PLANES);
    *work = (cl_long4){{strip, columns, rows}};
    return (size_t)(mst_divide_up(planes, strip) * columns * rows) * MST_SWEEP_GROUP;
}

static size_t divide_cpu(const mst_sweeper *s, cl_long4 *work) {
    const uint64_t *n = s->sweeps.problem->grid;
    const int64_t columns = mst_smaller((int64_t)n[COLUMNS], (int64_t)PART_COLUMNS);
    const int64_t parts = (int64_t)(n[PLANES] * n[ROWS]) * mst_divide_up((int64_t)n[COLUMNS], columns);
    const int64_t fair = mst_divide_up(parts, (int64_t)s->context->device.compute_units * 2);
    const int64_t of_group = mst_larger(mst_smaller(PART_NODES / columns, fair), (int64_t)1);
    *work = (cl_long4){{of_group, columns, parts}};
    return (size_t)mst_divide_up(parts, of_group);
}

// The memory that an update's values go to.
static cl_mem *target_of(const mst_sweeper *s, mst_sweep_state *state, int update, int *spare) {
    const int replaced = mst_sweeps_replaced(s->sweeps.problem, update);
    return s->sweeps.in_place[update] ? &state->arrays[replaced] : &state->spares[(*spare)++];
}

// The kernel's parameters tell which arrays it takes.
static void bind_arrays(const mst_sweeper *s, int k, mst_sweep_state *state, mst_argument_list *list) {
    const mst_problem *p = s->sweeps.problem;
    const mst_signature *names = &s->sweep[k]->signature;
    int spare = 0;
    for (int f = 0; f < p->n_fields; f++)
        for (int level = 0; level < p->fields[f].levels; level++) {
            const int array = p->fields[f].array + level;
            const cl_mem *memory = p->fields[f].coefficient ? &state->coefficients[array] : &state->arrays[array];
            if (mst_sweep_reads(&s->sweeps, k, f, level)) {
                list->values[list->n] = MST_BIND_AS(names->parameters[list->n].name, *memory);
                list->n++;
            }
        }
    for (int u = s->sweeps.first[k]; u < s->sweeps.first[k + 1]; u++) {
        const cl_mem *memory = target_of(s, state, u, &spare);
        list->values[list->n] = MST_BIND_AS(names->parameters[list->n].name, *memory);
        list->n++;
    }
}

// New values become the field's newest array, and the others a level older.
static void rotate(const mst_sweeper *s, int k, mst_sweep_state *state) {
    const mst_problem *p = s->sweeps.problem;
    int spare = 0;
    for (int u = s->sweeps.first[k]; u < s->sweeps.first[k + 1]; u++) {
        const mst_problem_field *field = &p->fields[p->updates[u].field];
        const int oldest = field->array + field->levels - 1;
        cl_mem *target = target_of(s, state, u, &spare), newest = *target;
        *target = state->arrays[oldest];
        for (int array = oldest; array > field->array; array--)
            state->arrays[array] = state->arrays[array - 1];
        state->arrays[field->array] = newest;
    }
}

static mst_status launch(const mst_sweeper *s, cl_command_queue queue, int k, mst_sweep_state *state, uint64_t row,
                         mst_error *error) {
    const bool gpu = s->sweeps.shape == MST_STENCIL_SHAPE_GPU;
    const cl_long8 grid = mst_sweeps_grid(&s->sweeps);
    cl_long4 work;
    mst_argument_list list = {.n = 0};
    const size_t items = gpu ? divide_gpu(s, &work) : divide_cpu(s, &work);
    work.s[3] = (cl_long)row;
    bind_arrays(s, k, state, &list);
    list.values[list.n++] = MST_BIND(damping, s->tables->damping);
    list.values[list.n++] = MST_BIND(table, s->tables->steps);
    list.values[list.n++] = MST_BIND(grid, grid);
    list.values[list.n++] = MST_BIND(work, work);
    return mst_kernel_launch(queue, s->sweep[k], list.values, list.n, items, gpu ? MST_SWEEP_GROUP : 1, NULL, error);
}

mst_status mst_sweeper_step(const mst_sweeper *s, cl_command_queue queue, mst_sweep_state *state, uint64_t row,
                            mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = s->sweeps.problem;
    for (int k = 0; k < s->sweeps.n; k++) {
        MST_TRY(launch(s, queue, k, state, row, error));
        rotate(s, k, state);
        for (int u = s->sweeps.first[k]; u < s->sweeps.first[k + 1]; u++) {
            const int field = p->updates[u].field;
            const cl_mem array = state->arrays[p->fields[field].array];
            MST_TRY(launch_points(s, queue, array, field, row, error));
            if (s->sweeps.margins_change && s->sweeps.has_margin[field])
                MST_TRY(fill_margin(s, queue, s->margin, array, (int64_t)row + 1, error));
        }
    }
fail:
    return status;
}
