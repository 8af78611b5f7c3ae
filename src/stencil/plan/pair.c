#include "pair.h"

#include "runtime/numbers.h"
#include "stencil/kernels/cutting.h"

// What reading and writing a node costs, and what a launch costs, in node-steps. Both are rather too high, so that more steps are
// fused.
static const double MEMORY_COST = 8, LAUNCH_COST = 500000;

mst_stencil_shape mst_plan_shape(const mst_plan_inputs *in) {
    if (in->wishes.shape)
        return in->wishes.shape;
    return in->limits.is_gpu ? MST_STENCIL_SHAPE_GPU : MST_STENCIL_SHAPE_CPU;
}

// As many steps as a CPU's cache or a GPU's registers can keep the planes of; fewer for schemes with many arrays.
unsigned mst_kernel_pair_rule(const mst_problem *problem, mst_stencil_shape shape) {
    static const unsigned cpu[] = {32, 16, 4}, gpu[] = {16, 8, 3}, least_on_gpu[] = {1, 2, 1};
    const int axes = problem->rank - 1;
    const unsigned all = (unsigned)(problem->n_arrays + problem->n_updates);
    unsigned weight = mst_larger(all / 2, 1U);
    if (shape == MST_STENCIL_SHAPE_CPU)
        return mst_larger(cpu[axes] / weight, 1U);
    weight = mst_larger((all - (unsigned)problem->n_memories) / 2, 1U); // which most tiles of a GPU do not have
    return mst_larger(mst_divide_up(gpu[axes], weight), least_on_gpu[axes]);
}

double mst_kernel_pair_cost(const mst_kernel_pair *f) {
    const mst_problem *p = f->pipelines[0].problem;
    const mst_box grid = mst_plan_grid(p);
    double longer, work = mst_cutting_work(&f->tiles[0], &f->pipelines[0], &grid, 1, &longer);
    return (work * longer + MEMORY_COST * (double)p->nodes + LAUNCH_COST) / f->m;
}

static mst_status make(const mst_plan_inputs *in, mst_stencil_shape shape, mst_tile_choice tile, const mst_tile_limits *limits,
                       unsigned m, mst_kernel_pair *f, mst_error *error) {
    mst_status status = MST_OK;
    const bool is_gpu = shape == MST_STENCIL_SHAPE_GPU;
    *f = (mst_kernel_pair){.m = m, .sweeps = mst_sweeps_make(in->problem, mst_plan_shape(in), in->tile_limits.vector_bytes)};
    MST_TRY(mst_pipeline_make(in->problem, (int)m, is_gpu, &f->pipelines[0], error));
    MST_TRY(mst_pipeline_make(in->problem, 1, is_gpu, &f->pipelines[1], error));
    MST_TRY(mst_tile_make(&f->pipelines[0], shape, tile, limits, &f->tiles[0], error));
    if (is_gpu)
        MST_TRY(mst_tile_make(&f->pipelines[1], shape, tile, limits, &f->tiles[1], error));
    else
        f->tiles[1] = mst_tile_single(&f->tiles[0], &f->pipelines[1]);
fail:
    if (status != MST_OK)
        mst_kernel_pair_release(f);
    return status;
}

// Sweeps have kernels of their own: where they are wished, it does not matter if those beside them cannot be built.
mst_status mst_kernel_pair_make(const mst_plan_inputs *in, unsigned m, mst_kernel_pair *f, mst_error *error) {
    const mst_stencil_shape cpu = MST_STENCIL_SHAPE_CPU;
    mst_status status = make(in, mst_plan_shape(in), in->tile, &in->tile_limits, m, f, error);
    if (status != MST_ERROR_UNSUPPORTED || !mst_plan_sweeps(in->wishes.schedule))
        return status;
    mst_tile_limits limits = in->tile_limits;
    limits.local_bytes = UINT64_MAX;
    return make(in, cpu, mst_tile_rule(in->problem, cpu), &limits, m, f, error);
}

void mst_kernel_pair_release(mst_kernel_pair *f) {
    for (int k = 0; k < 2; k++)
        mst_pipeline_release(&f->pipelines[k]);
    *f = (mst_kernel_pair){0};
}
