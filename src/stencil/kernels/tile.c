#include "tile.h"

#include "exchange.h"
#include "rings.h"
#include "runtime/numbers.h"

enum {
    ITEM_REGISTERS = 128,        // of a work-item of a GPU for planes of versions
    HEAVY_GROUP = 256,           // work-items, at most, where they need more: of more, GPUs keep registers in memory
    MOST_ROWS_OF_ITEM = 3,       // of a GPU
    MOST_RING_BYTES = 512 << 10, // of a CPU's tile
    GPU_VECTOR = 16,             // bytes
    ARGUMENT_BYTES = 64          // of one that is no buffer, a long8
};

mst_tile_choice mst_tile_rule(const mst_problem *problem, mst_stencil_shape shape) {
    static const int cpu_columns[] = {8192, 1024, 256}, cpu_rows[] = {1, 1, 64};
    static const int gpu_columns[] = {128, 128, 16}, gpu_rows[] = {1, 1, 24};
    int k = problem->rank - 1;
    return shape == MST_STENCIL_SHAPE_CPU ? (mst_tile_choice){cpu_columns[k], cpu_rows[k], 0}
                                          : (mst_tile_choice){gpu_columns[k], gpu_rows[k], 0};
}

// Devices limit what all arguments of a kernel take together: OpenCL 1.2 promises 1024 bytes.
static mst_status check_arguments(const mst_problem *p, mst_stencil_shape shape, const mst_tile_limits *limits,
                                  mst_error *error) {
    mst_status status = MST_OK;
    size_t vectors = shape == MST_STENCIL_SHAPE_GPU ? 6 : 5;
    size_t bytes = (size_t)(2 * p->n_arrays + p->n_coefficients + 4) * sizeof(void *);
    bytes = (bytes + ARGUMENT_BYTES - 1) / ARGUMENT_BYTES * ARGUMENT_BYTES + vectors * ARGUMENT_BYTES;
    MST_REQUIRE(bytes <= limits->argument_bytes, MST_ERROR_UNSUPPORTED,
                "a scheme of %d arrays that change and %d coefficient fields needs %zu bytes of arguments; %s takes %llu",
                p->n_arrays, p->n_coefficients, bytes, limits->device, (unsigned long long)limits->argument_bytes);
fail:
    return status;
}

// As wide a tile as half the cache holds, at most MOST_RING_BYTES.
static void choose_for_cpu(const mst_pipeline *p, const mst_tile_limits *limits, mst_tile *t) {
    uint64_t room = limits->local_bytes / 2 < MOST_RING_BYTES ? limits->local_bytes / 2 : MOST_RING_BYTES;
    int columns = t->choice.columns, rows = t->choice.rows;
    for (;;) {
        t->local_bytes = mst_rings_make(p, rows, columns, t->width).elements * t->problem->element;
        if (t->local_bytes <= room || (columns <= t->width && rows <= 1))
            break;
        if (rows > 1 && (rows * 4 >= columns || columns <= t->width))
            rows /= 2;
        else
            columns /= 2;
    }
    t->own[ROWS] = rows;
    t->own[COLUMNS] = columns;
    t->items = t->group = 1;
}

// Registers that a row of a GPU's work-item takes, for planes of versions and what is read ahead.
static int registers_of_row(const mst_pipeline *p, int width) {
    int values = p->problem->n_arrays;
    for (int k = 0; k < p->n_versions; k++)
        values += p->versions[k].depth;
    return values * width * (int)p->problem->element / 4;
}

// Rows of a GPU's work-item: the more there are, the fewer nodes of neighbours it needs, as far as registers hold them.
static int rows_of_item(const mst_pipeline *p, int width) {
    int rows = ITEM_REGISTERS / (registers_of_row(p, width) + 1);
    return p->problem->rank < 3 || rows < 1 ? 1 : rows > MOST_ROWS_OF_ITEM ? MOST_ROWS_OF_ITEM : rows;
}

// The larger one of the two kernels' demands counts.
static mst_status find_local_bytes(const mst_pipeline *p, const mst_tile_limits *limits, mst_tile *t, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_exchange x = {.planes = NULL};
    for (int boundary = 0; boundary < 2; boundary++) {
        MST_TRY(mst_exchange_make(t, p, boundary, limits->local_bytes, &x, error));
        t->local_bytes = mst_exchange_bytes(&x) > t->local_bytes ? mst_exchange_bytes(&x) : t->local_bytes;
        mst_exchange_release(&x);
    }
fail:
    return status;
}

// Work-groups of a few warps.
static mst_status choose_for_gpu(const mst_pipeline *p, const mst_tile_limits *limits, mst_tile *t, mst_error *error) {
    mst_status status = MST_OK;
    const int width = t->width, deep = rows_of_item(p, width);
    int items = t->choice.columns, stack = (t->choice.rows + deep - 1) / deep;
    const bool is_heavy = deep * registers_of_row(p, width) > ITEM_REGISTERS;
    const uint64_t most = is_heavy ? mst_smaller(limits->items, (uint64_t)HEAVY_GROUP) : limits->items;
    stack = mst_smaller(stack, mst_larger((int)most / items, 1));
    while ((uint64_t)(items * stack) > most && items > 1)
        items /= 2;
    int left = mst_round_up(p->low[COLUMNS], width), beside = (left + mst_round_up(p->high[COLUMNS], width)) / width;
    int around = p->low[ROWS] + p->high[ROWS];
    while (p->m == 1 && stack * deep <= 2 * around && (uint64_t)(items * (stack + 1)) <= most)
        stack++; // for sub-steps that reach far, as fewer than one step cannot be fused
    int rows = stack * deep;
    MST_REQUIRE(items > beside && rows > around, MST_ERROR_UNSUPPORTED, "%d fused steps leave nothing of a work-group of %d x %d",
                p->m, rows, items);
    for (int k = 0; k < p->n_versions; k++)
        MST_REQUIRE(p->versions[k].depth < MST_STENCIL_MAX_DEPTH, MST_ERROR_UNSUPPORTED,
                    "the scheme reads %d planes of a field; kernels of a GPU's shape keep at most %d, so use sweeps or the CPU's",
                    p->versions[k].depth, MST_STENCIL_MAX_DEPTH - 1);
    t->own[ROWS] = rows - around;
    t->own[COLUMNS] = (items - beside) * width;
    t->before[ROWS] = p->low[ROWS];
    t->before[COLUMNS] = left;
    t->item[ROWS] = deep;
    t->item[COLUMNS] = width;
    t->whole[ROWS] = rows;
    t->whole[COLUMNS] = items * width;
    t->items = items;
    t->group = items * stack;
    MST_TRY(find_local_bytes(p, limits, t, error));
fail:
    return status;
}

static void set_halo(mst_tile *t, const mst_pipeline *p) {
    t->m = p->m;
    t->n_computed = p->n_versions - p->problem->n_arrays;
    for (int axis = 0; axis < N_AXES; axis++) {
        t->low[axis] = p->low[axis];
        t->high[axis] = p->high[axis];
    }
}

mst_status mst_tile_make(const mst_pipeline *pipeline, mst_stencil_shape shape, mst_tile_choice choice,
                         const mst_tile_limits *limits, mst_tile *t, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *problem = pipeline->problem;
    const bool gpu = shape == MST_STENCIL_SHAPE_GPU;
    *t = (mst_tile){.problem = problem, .shape = shape, .choice = choice, .units = limits->units};
    t->width = (gpu ? GPU_VECTOR : (int)limits->vector_bytes) / (int)problem->element;
    set_halo(t, pipeline);
    MST_TRY(check_arguments(problem, shape, limits, error));
    if (gpu)
        MST_TRY(choose_for_gpu(pipeline, limits, t, error));
    else
        choose_for_cpu(pipeline, limits, t);
    MST_REQUIRE(t->local_bytes <= limits->local_bytes, MST_ERROR_UNSUPPORTED,
                "%d fused steps need %zu bytes of local memory; %s has %llu", t->m, t->local_bytes, limits->device,
                (unsigned long long)limits->local_bytes);
fail:
    return status;
}

mst_tile mst_tile_single(const mst_tile *fused, const mst_pipeline *single) {
    mst_tile t = *fused;
    set_halo(&t, single);
    return t;
}

void mst_tile_iterations(const mst_pipeline *p, int *first, int *last) {
    *first = *last = 0;
    for (int k = 0; k < p->n_versions; k++) {
        const mst_field_version *v = &p->versions[k];
        *first = v->lag - v->low[PLANES] < *first ? v->lag - v->low[PLANES] : *first;
        *last = v->lag + v->high[PLANES] > *last ? v->lag + v->high[PLANES] : *last;
    }
}
