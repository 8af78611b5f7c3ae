#include "sweeper.h"

#include "arguments.h"
#include "expr/elementary.h"
#include "runtime/numbers.h"
#include "sweep_around.h"
#include "sweeper_points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_UNDIVIDED = 1 << 14,    // nodes a compute unit: launches of several kernels take longer than one with all stretches
    PART_NODES = 1 << 14,        // of a work-group of a CPU, about,
    PART_COLUMNS = 1 << 14,      // and of a part of a line, at most
    LEAST_TILED_BYTES = 1 << 22, // of a state that repays building a kernel for tiles and measuring it
    // Work-groups a tile, of which but one are empty: schedulers that hand out the first n/2 + 1 of n groups at once divide tiles
    // between two processors evenly.
    GROUPS_A_TILE = 8,
};

// Those beside the sweeps, for arrays of one kind of elements.
static mst_status make_kernels(mst_sweeper *s, bool half, mst_error *error) {
    mst_status status = MST_OK;
    char name[40];
    if (mst_sweeps_has(&s->sweeps, half, false)) {
        for (int set = 0; set < s->sweeps.problem->n_sets; set++) {
            snprintf(name, sizeof name, half ? "margin%d_half" : "margin%d", set);
            MST_TRY(mst_kernel_create(s->program, name, &s->margin[set][half], error));
        }
    }
    if (mst_sweeps_has(&s->sweeps, half, false) && mst_sweeps_has_points(&s->sweeps)) {
        MST_TRY(mst_kernel_create(s->program, half ? "add_sources_half" : "add_sources", &s->add_sources[half], error));
        MST_TRY(mst_kernel_create(s->program, half ? "record_receivers_half" : "record_receivers", &s->record_receivers[half],
                                  error));
    }
    if (s->sweeps.around && (mst_sweeps_has(&s->sweeps, half, false) || mst_sweeps_has(&s->sweeps, half, true)))
        MST_TRY(mst_kernel_create(s->program, half ? "copy_around_half" : "copy_around", &s->copy_around[half], error));
    if (mst_sweeps_has(&s->sweeps, half, true))
        MST_TRY(mst_kernel_create(s->program, half ? "coefficient_margin_half" : "coefficient_margin",
                                  &s->coefficient_margin[half], error));
fail:
    return status;
}

static mst_status build(mst_sweeper *s, mst_text *text, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = s->sweeps.problem;
    const char *options = mst_stepper_build_options(s->context, p);
    const mst_writer writer = {.context = s->context, .problem = p, .within = true, .out = text};
    char name[40];
    MST_TRY(mst_write_sweeps(&writer, &s->sweeps, error));
    MST_TRY(mst_elementary_define(s->context, text, error));
    MST_TRY(mst_program_of_text(s->context, "stencil: sweeps", text, options, &s->program, error));
    s->has_key = mst_cache_make_key(s->context, text->text, strlen(text->text), options, &s->key);
    for (int k = 0; k < s->sweeps.n; k++) {
        for (int of = 0; of < MST_SWEEP_PARTS; of++) {
            mst_sweep_name(k, (mst_sweep_of)of, name);
            if (mst_sweep_has_part(&s->sweeps, k, (mst_sweep_of)of))
                MST_TRY(mst_kernel_create(s->program, name, &s->sweep[k][of], error));
        }
    }
    if (s->sweeps.in_tiles)
        MST_TRY(mst_kernel_create(s->program, "time_tiles", &s->time_tiles, error));
    for (int half = 0; half < 2; half++)
        MST_TRY(make_kernels(s, half, error));
    MST_REQUIRE(s->add_region = calloc(p->n_regions + 1, sizeof *s->add_region), MST_ERROR_HOST_MEMORY,
                "out of memory making kernels");
    for (size_t k = 0; k < p->n_regions; k++) {
        snprintf(name, sizeof name, "add_region%zu", k);
        MST_TRY(mst_kernel_create(s->program, name, &s->add_region[k], error));
    }
fail:
    return status;
}

mst_status mst_sweeper_create(mst_context *context, const mst_problem *problem, const mst_point_list *points,
                              const mst_stepper_tables *tables, mst_stencil_shape shape, mst_sweeper_use use, uint64_t steps,
                              mst_sweeper *s, mst_error *error) {
    mst_status status = MST_OK;
    mst_text text = {0};
    *s = (mst_sweeper){.context = context,
                       .points = points,
                       .tables = tables,
                       .shares = mst_stepper_shares(context, problem),
                       .sweeps = mst_sweeps_make(problem, shape, mst_stepper_vector_bytes(context))};
    mst_sweeps_fix_lines(&s->sweeps, steps);
    s->sweeps.around = use == MST_SWEEPER_AROUND;
    s->sweeps.undivided = !s->sweeps.around && problem->nodes <= (uint64_t)mst_sweeper_units(s) * MOST_UNDIVIDED;
    s->sweeps.in_parts = use == MST_SWEEPER_PARTS;
    s->sweeps.in_tiles =
        mst_sweeps_can_tile(&s->sweeps) && (use == MST_SWEEPER_TILES || mst_sweeps_all_bytes(&s->sweeps) > LEAST_TILED_BYTES);
    MST_TRY(mst_sweeper_find_ways(s, error));
    MST_TRY(build(s, &text, error));
fail:
    mst_text_release(&text);
    if (status != MST_OK)
        mst_sweeper_release(s);
    return status;
}

void mst_sweeper_release(mst_sweeper *s) {
    for (int k = 0; k < MST_STENCIL_MAX_FIELDS; k++)
        for (int of = 0; of < MST_SWEEP_PARTS; of++)
            mst_kernel_destroy(s->sweep[k][of]);
    mst_kernel_destroy(s->time_tiles);
    for (int half = 0; half < 2; half++) {
        for (int set = 0; set <= MST_STENCIL_MAX_FIELDS; set++)
            mst_kernel_destroy(s->margin[set][half]);
        mst_kernel_destroy(s->copy_around[half]);
        mst_kernel_destroy(s->coefficient_margin[half]);
        mst_kernel_destroy(s->add_sources[half]);
        mst_kernel_destroy(s->record_receivers[half]);
    }
    for (size_t k = 0; s->add_region && k < s->sweeps.problem->n_regions; k++)
        mst_kernel_destroy(s->add_region[k]);
    free(s->add_region);
    *s = (mst_sweeper){0};
}

cl_long8 mst_sweeps_grid(const mst_sweeps *s) {
    const uint64_t *n = s->problem->grid;
    return (cl_long8){
        {(cl_long)n[PLANES], (cl_long)n[ROWS], (cl_long)n[COLUMNS], s->padded.pitch, s->padded.plane_pitch, s->padded.first}};
}

mst_sweep_part mst_sweeps_whole(const mst_sweeps *s) {
    return (mst_sweep_part){.to = (int64_t)s->problem->grid[PLANES], .first = s->padded.first};
}

int64_t mst_sweeps_reach(const mst_sweeps *s, int side) {
    return mst_smaller((int64_t)s->problem->grid[PLANES], (side ? s->padded.behind : s->padded.before)[PLANES] + 1);
}

bool mst_sweep_part_ends(const mst_sweeps *s, const mst_sweep_part *part, int side) {
    const int64_t n = (int64_t)s->problem->grid[PLANES], reach = mst_sweeps_reach(s, 0);
    return !part->inner && (side ? part->to == n : part->from < reach && part->to >= reach);
}

cl_long8 mst_sweeps_runs(const mst_sweeps *s) {
    cl_long8 runs = {{0, (cl_long)s->problem->grids, mst_sweeps_of_run(s)}};
    for (int axis = 0; axis < N_AXES; axis++)
        runs.s[3 + axis] = s->folded[axis].lengths[PLANES] * s->folded[axis].array.plane_pitch;
    runs.s[6] = mst_sweeps_gap(s);
    return runs;
}

static cl_long8 grid_of(const mst_sweeper *s, const mst_sweep_part *part) {
    cl_long8 grid = mst_sweeps_grid(&s->sweeps);
    grid.s[5] = part->first;
    return grid;
}

// ---- Margins

static mst_status fill_margin(const mst_sweeper *s, mst_queue *queue, const mst_kernel *kernel, cl_mem array, int64_t row,
                              const mst_sweep_part *part, mst_error *error) {
    const mst_padded *a = &s->sweeps.padded;
    const uint64_t *n = s->sweeps.problem->grid;
    const cl_long4 planes = {{part->from, part->to, mst_sweep_part_ends(&s->sweeps, part, 0) ? -a->before[PLANES] : 0,
                              mst_sweep_part_ends(&s->sweeps, part, 1) ? a->behind[PLANES] : 0}};
    const uint64_t beyond = (uint64_t)(planes.s[3] - planes.s[2]), inside = (uint64_t)(part->to - part->from);
    const uint64_t rows = (uint64_t)(a->before[ROWS] + a->behind[ROWS]),
                   columns = (uint64_t)(a->before[COLUMNS] + a->behind[COLUMNS]);
    const size_t nodes = (size_t)(beyond * (n[ROWS] + rows) * (n[COLUMNS] + columns) +
                                  inside * (rows * (n[COLUMNS] + columns) + n[ROWS] * columns));
    const cl_long8 grid = grid_of(s, part);
    const cl_long8 runs = mst_sweeps_runs(&s->sweeps);
    const cl_long first_step = row;
    const mst_argument arguments[] = {MST_BIND(array, array),
                                      MST_BIND(damping, s->tables->damping),
                                      MST_BIND(table, s->tables->steps),
                                      MST_BIND(grid, grid),
                                      MST_BIND(part, planes),
                                      MST_BIND(first_step, first_step),
                                      MST_BIND(runs, runs)};
    if (nodes == 0)
        return MST_OK;
    const bool shares = queue->shares;
    queue->shares = shares && s->sweeps.problem->has_grids; // to share out those of one grid takes longer
    const mst_status status = mst_kernel_launch_times(
        queue, kernel, arguments, MST_COUNT(arguments) - !s->sweeps.problem->has_grids, nodes,
        mst_kernel_group(s->context, kernel, nodes * s->sweeps.problem->grids), (size_t)s->sweeps.problem->grids, NULL, error);
    queue->shares = shares;
    return status;
}

mst_status mst_sweeper_fill_margins(const mst_sweeper *s, mst_queue *queue, const mst_sweep_state *state, uint64_t row,
                                    const mst_sweep_part *part, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = s->sweeps.problem;
    for (int f = 0; f < p->n_fields; f++)
        for (int level = 0; level < p->fields[f].levels && s->sweeps.has_margin[f]; level++) {
            const int array = p->fields[f].array + level;
            const bool half = p->fields[f].is_half;
            if (p->fields[f].coefficient)
                MST_TRY(
                    fill_margin(s, queue, s->coefficient_margin[half], state->coefficients[array], (int64_t)row, part, error));
            else
                MST_TRY(fill_margin(s, queue, s->margin[p->fields[f].faces][half], state->arrays[array], (int64_t)row - level,
                                    part, error));
        }
    for (int k = 0; k < s->sweeps.n_spares && s->sweeps.spare_kinds[k] < MST_SWEEPS_LAYERS; k++)
        MST_TRY(fill_margin(s, queue, s->margin[0][s->sweeps.spare_kinds[k]], state->spares[k], (int64_t)row, part, error));
fail:
    return status;
}

// ---- Sweeps

// Work-groups of a sweep, and what each does.
static size_t divide_cpu(const mst_sweeper *s, const mst_sweep_part *part, cl_long8 *work) {
    const uint64_t *n = s->sweeps.problem->grid;
    const int64_t columns = mst_smaller((int64_t)n[COLUMNS], (int64_t)PART_COLUMNS);
    const int64_t parts = (part->to - part->from) * (int64_t)n[ROWS] * mst_divide_up((int64_t)n[COLUMNS], columns);
    const int64_t fair = mst_divide_up(parts, mst_sweeper_units(s) * 2);
    const int64_t of_group = mst_larger(mst_smaller(PART_NODES / columns, fair), (int64_t)1);
    *work = (cl_long8){{of_group, columns, parts}};
    return (size_t)mst_divide_up(parts, of_group);
}

static cl_mem *slot_of(const mst_sweeper *s, mst_sweep_state *state, int slot) {
    const int n = s->sweeps.problem->n_arrays, all = n + s->sweeps.problem->n_coefficients;
    return slot < n ? &state->arrays[slot] : slot < all ? &state->coefficients[slot - n] : &state->spares[slot - all];
}

// The kernel's parameters tell which arrays it takes.
static void bind_arrays(const mst_sweeper *s, const mst_signature *names, int k, mst_sweep_state *state,
                        mst_argument_list *list) {
    int slots[MST_SWEEPS_SLOTS];
    const int n = mst_sweep_slots(&s->sweeps, k, slots);
    for (; list->n < (size_t)n; list->n++)
        list->values[list->n] = MST_BIND_AS(names->parameters[list->n].name, *slot_of(s, state, slots[list->n]));
}

void mst_sweeper_rotate(const mst_sweeper *s, int k, mst_sweep_state *state) {
    int arrays[MST_SWEEPS_SLOTS];
    mst_sweep_state before = *state;
    const int n = mst_sweeps_n_slots(&s->sweeps);
    for (int slot = 0; slot < n; slot++)
        arrays[slot] = slot;
    mst_sweeps_rotate(&s->sweeps, k, arrays);
    for (int slot = 0; slot < n; slot++)
        *slot_of(s, state, slot) = *slot_of(s, &before, arrays[slot]);
}

static cl_long8 layers_argument(const mst_sweeper *s, int k, int axis, const mst_sweep_part *part) {
    const mst_folded *f = &s->sweeps.folded[axis];
    const bool planes = axis == PLANES;
    int64_t cuts[2];
    mst_sweep_cut(&s->sweeps, k, axis, planes ? part->from : 0, planes ? part->to : (int64_t)s->sweeps.problem->grid[axis], cuts);
    return (cl_long8){{f->low, f->high, f->skipped, f->array.pitch, f->array.plane_pitch, f->array.first, cuts[0], cuts[1]}};
}

static mst_status launch_part(const mst_sweeper *s, mst_queue *queue, int k, mst_sweep_of of, mst_sweep_state *state,
                              uint64_t row, const mst_sweep_part *part, mst_error *error) {
    const mst_kernel *kernel = s->sweep[k][of];
    const bool gpu = s->sweeps.shape == MST_STENCIL_SHAPE_GPU;
    cl_long8 grid = grid_of(s, part);
    cl_long8 work, layers[N_AXES], boxes[MST_SWEEP_BOXES];
    mst_argument_list list = {.n = 0};
    const int64_t units = mst_sweeper_units(s);
    const size_t group = gpu ? (size_t)mst_sweep_group(of) : 1;
    const bool around = s->sweeps.around && of == MST_SWEEP_OUTSIDE;
    const size_t groups = around ? (size_t)mst_sweep_divide_around(&s->sweeps, k, part, units, &work, boxes)
                          : gpu  ? (size_t)mst_sweep_divide(&s->sweeps, k, of, part->from, part->to, units, &work)
                                 : divide_cpu(s, part, &work);
    if (groups == 0)
        return MST_OK;
    work.s[3] = (cl_long)row;
    grid.s[6] = part->from;
    grid.s[7] = gpu ? part->to - part->from : part->inner;
    bind_arrays(s, &kernel->signature, k, state, &list);
    list.values[list.n++] = MST_BIND(damping, s->tables->damping);
    list.values[list.n++] = MST_BIND(table, s->tables->steps);
    for (int axis = 0; axis < N_AXES; axis++)
        if (mst_sweeps_layer_reach(&s->sweeps, k, axis, (int[2]){0})) {
            layers[axis] = layers_argument(s, k, axis, part);
            list.values[list.n++] = MST_BIND_AS(mst_sweep_layers_name(axis), layers[axis]);
        }
    list.values[list.n++] = MST_BIND(grid, grid);
    list.values[list.n++] = MST_BIND(work, work);
    const cl_long8 runs = mst_sweeps_runs(&s->sweeps);
    if (s->sweeps.problem->has_grids)
        list.values[list.n++] = MST_BIND(runs, runs);
    for (int box = 0; box < MST_SWEEP_BOXES && around; box++)
        list.values[list.n++] = MST_BIND_AS(mst_sweep_box_name(box), boxes[box]);
    return mst_kernel_launch_times(queue, kernel, list.values, list.n, groups * group, group, (size_t)s->sweeps.problem->grids,
                                   NULL, error);
}

static mst_status launch_tiles(const mst_sweeper *s, mst_queue *queue, mst_sweep_state *state, const cl_long8 *tiles,
                               mst_error *error) {
    const mst_sweep_part all = mst_sweeps_whole(&s->sweeps);
    const cl_long8 grid = grid_of(s, &all);
    const mst_signature *names = &s->time_tiles->signature;
    const bool is_ring = mst_problem_periodic(s->sweeps.problem, PLANES);
    const size_t groups = (size_t)(tiles->s[0] - (is_ring ? 0 : tiles->s[2]));
    cl_long8 layers[N_AXES];
    mst_point_ranges ranges;
    mst_argument_list list = {.n = 0};
    for (int slot = 0; slot < mst_sweeps_n_slots(&s->sweeps); slot++, list.n++)
        list.values[list.n] = MST_BIND_AS(names->parameters[list.n].name, *slot_of(s, state, slot));
    list.values[list.n++] = MST_BIND(damping, s->tables->damping);
    list.values[list.n++] = MST_BIND(table, s->tables->steps);
    for (int axis = 0; axis < N_AXES; axis++)
        for (int k = 0; k < s->sweeps.n; k++)
            if (mst_sweeps_layer_reach(&s->sweeps, k, axis, (int[2]){0})) {
                layers[axis] = layers_argument(s, k, axis, &all);
                list.values[list.n++] = MST_BIND_AS(mst_sweep_layers_name(axis), layers[axis]);
                break;
            }
    list.values[list.n++] = MST_BIND(grid, grid);
    list.values[list.n++] = MST_BIND(tiles, *tiles);
    const cl_long8 runs = mst_sweeps_runs(&s->sweeps);
    if (s->sweeps.problem->has_grids)
        list.values[list.n++] = MST_BIND(runs, runs);
    mst_sweeper_bind_points(s, &ranges, names, &list);
    if (groups == 0) // a tile has all planes, and no gap
        return MST_OK;
    return mst_kernel_launch_times(queue, s->time_tiles, list.values, list.n, groups * GROUPS_A_TILE, 1,
                                   (size_t)s->sweeps.problem->grids, NULL, error);
}

mst_status mst_sweeper_time_tiles(const mst_sweeper *s, mst_queue *queue, mst_sweep_state *state, int n_sweeps, uint64_t row,
                                  mst_error *error) {
    mst_status status = MST_OK;
    const cl_long first = (cl_long)row, n = (cl_long)s->stagger.tiles;
    const cl_long n_rows = (cl_long)s->sweeps.problem->grid[ROWS];
    const cl_long shrunk = n_sweeps * mst_sweeps_row_lag(&s->sweeps), block = (cl_long)s->stagger.rows;
    const bool in_blocks = !mst_problem_periodic(s->sweeps.problem, ROWS) ||
                           (mst_sweeps_split_rows(&s->sweeps) && n_rows >= 2 * shrunk && n_rows > block);
    const cl_long rows = in_blocks ? block : n_rows + shrunk;
    const cl_long planes = (cl_long)s->stagger.planes, columns = (cl_long)s->stagger.columns;
    const bool has_gaps = n_sweeps > 1 && s->stagger.lag > 0;
    for (int gaps = 0; gaps < (has_gaps ? 2 : 1); gaps++)
        MST_TRY(
            launch_tiles(s, queue, state, &(cl_long8){{n, n_sweeps, gaps, first, rows, GROUPS_A_TILE, planes, columns}}, error));
    for (int k = 0; k < n_sweeps; k++)
        mst_sweeper_rotate(s, k % s->sweeps.n, state);
fail:
    return status;
}

static mst_status launch(const mst_sweeper *s, mst_queue *queue, int k, mst_sweep_state *state, uint64_t row,
                         const mst_sweep_part *part, mst_error *error) {
    mst_status status = MST_OK;
    for (int of = 0; of < MST_SWEEP_PARTS; of++)
        if (s->sweep[k][of])
            MST_TRY(launch_part(s, queue, k, (mst_sweep_of)of, state, row, part, error));
fail:
    return status;
}

mst_status mst_sweeper_sweep(const mst_sweeper *s, mst_queue *queue, int k, mst_sweep_state *state, const mst_sweep_state *after,
                             uint64_t row, const mst_sweep_part *part, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = s->sweeps.problem;
    const cl_long8 grid = grid_of(s, part);
    MST_TRY(launch(s, queue, k, state, row, part, error));
    for (int u = s->sweeps.first[k]; u < s->sweeps.first[k + 1]; u++) {
        const int field = p->updates[u].field;
        const bool half = p->fields[field].is_half;
        cl_mem array = after->arrays[p->fields[field].array];
        MST_TRY(mst_sweeper_points(s, queue, field, array, row, part, &grid, error));
        if (s->sweeps.margins_change && s->sweeps.has_margin[field] && (!s->sweeps.copies_margins || mst_sweeper_feeds(s, field)))
            MST_TRY(fill_margin(s, queue, s->margin[p->fields[field].faces][half], array, (int64_t)row + 1, part, error));
    }
fail:
    return status;
}
