#include "panels.h"
#include "spectra.h"

#include "runtime/description.h"
#include "runtime/numbers.h"

// A panel is long beside what it shares with its neighbour, which is read and moved twice, and beside what a launch takes; on a
// CPU its spectra stay in the cache between passes.
#define LEAST_OVERLAPS 8u
#define CPU_PANEL ((uint64_t)1 << 20)
#define GPU_PANEL ((uint64_t)16 << 20)
#define FEW_PANELS 4u // fewer are not worth it where the whole fits

static const mst_layout *layout_of(const mst_convolution *plan, int array) { return mst_convolution_layout(plan, array); }

static bool is_cpu(const mst_convolution *plan) { return plan->context->device.unified_memory; }

// Whether the longer operand has one line for all lines of the result, for each of which its panels are read again.
static bool is_repeated(const mst_convolution *plan, const mst_panel_cut *cut) {
    return plan->n_lines[cut->longer] < plan->n_lines[Z];
}

static size_t shorter_length(const mst_convolution *plan, const mst_panel_cut *cut) { return plan->lengths[!cut->longer]; }

// Bytes of one position along the axis, of all lines that lie behind it.
static uint64_t position_bytes(const mst_convolution *plan, int array) {
    const mst_layout *z = layout_of(plan, Z);
    uint64_t bytes = mst_type_bytes(layout_of(plan, array)->type);
    for (int k = plan->desc.axes[0] + 1; k < z->rank; k++)
        bytes *= z->shape[k];
    return bytes;
}

static void set_step(const mst_convolution *plan, mst_panel_cut *cut, size_t step) {
    cut->step[0] = step;
    cut->n_panels[0] = mst_divide_up(plan->lengths[Z], step);
}

// So many blocks that the last panel is about as full as the others.
static void set_blocks(const mst_convolution *plan, mst_panel_cut *cut, size_t blocks) {
    size_t all = cut->geometry.n_blocks, panels = mst_divide_up(all, blocks);
    cut->blocks = mst_divide_up(all, panels);
    set_step(plan, cut, cut->blocks * cut->geometry.blocks[0].step);
}

static size_t wanted_step(const mst_convolution *plan, const mst_panel_cut *cut) {
    uint64_t position = mst_larger(position_bytes(plan, cut->longer), position_bytes(plan, Z));
    uint64_t panel = is_cpu(plan) ? CPU_PANEL : GPU_PANEL;
    return mst_larger(panel / position, LEAST_OVERLAPS * shorter_length(plan, cut)) + 1;
}

static size_t wanted_blocks(const mst_convolution *plan, const mst_panel_cut *cut) {
    const mst_geometry *g = &cut->geometry;
    size_t blocks = mst_divide_up(wanted_step(plan, cut), g->blocks[0].step);
    uint64_t block = g->points * mst_type_bytes(plan->work_type) * (position_bytes(plan, Z) / mst_type_bytes(plan->desc.z.type));
    if (g->cpu && g->n_digits > 1)
        blocks = mst_fused_work(true) / block;
    return blocks ? blocks : 1;
}

bool mst_panel_cut_first(const mst_convolution *plan, mst_panel_cut *cut, bool *suits) {
    const mst_convolution_desc *d = &plan->desc;
    mst_convolution_algorithm a = d->algorithm;
    *cut = (mst_panel_cut){.longer = plan->lengths[X] >= plan->lengths[Y] ? X : Y};
    *suits = false;
    if (d->mode == MST_CONVOLUTION_CIRCULAR || a < MST_CONVOLUTION_FUSED)
        return false;
    if (d->n_axes > 1) {
        mst_tile_cut_first(plan, cut);
        return true;
    }
    bool whole = true; // the whole is computed in the same way
    if (a == MST_CONVOLUTION_DIRECT) {
        set_step(plan, cut, wanted_step(plan, cut));
    } else {
        whole = mst_geometry_choose(plan, &cut->geometry, NULL) == MST_OK && cut->geometry.blocked >= 0;
        if (!whole && !mst_geometry_choose_blocks(plan, SIZE_MAX, &cut->geometry))
            return false;
        cut->longer = cut->geometry.blocked;
        set_blocks(plan, cut, wanted_blocks(plan, cut));
    }
    *suits = whole && cut->n_panels[0] >= FEW_PANELS && mst_panel_rank(plan) <= MST_MAX_RANK;
    return true;
}

bool mst_panel_cut_smaller(const mst_convolution *plan, mst_panel_cut *cut) {
    if (plan->desc.n_axes > 1)
        return mst_tile_cut_smaller(plan, cut);
    if (cut->blocks == 0) {
        if (cut->step[0] / 2 < shorter_length(plan, cut))
            return false;
        set_step(plan, cut, cut->step[0] / 2);
    } else if (cut->blocks > 1) {
        set_blocks(plan, cut, cut->blocks / 2);
    } else {
        mst_geometry smaller;
        if (!mst_geometry_choose_blocks(plan, cut->geometry.points - 1, &smaller))
            return false;
        cut->geometry = smaller;
        set_blocks(plan, cut, 1);
    }
    return true;
}

uint64_t mst_panel_cut_bytes(const mst_convolution *plan, const mst_panel_cut *cut) {
    if (plan->desc.n_axes > 1)
        return mst_tile_cut_bytes(plan, cut);
    uint64_t bytes = position_bytes(plan, cut->longer) * (cut->step[0] + shorter_length(plan, cut) - 1) +
                     position_bytes(plan, !cut->longer) * shorter_length(plan, cut) + position_bytes(plan, Z) * cut->step[0];
    if (cut->blocks > 0) // the spectrum of the shorter operand, and those between passes
        bytes += cut->geometry.points * mst_type_bytes(plan->work_type) * (1 + (cut->geometry.n_digits > 1 ? cut->blocks : 0));
    return bytes;
}

// Three panels at a time keep reading, computing and writing busy. Where the budget is too small even for one, fewer blocks, and
// shorter ones, may do.
void mst_panel_cut_fit(const mst_convolution *plan, mst_panel_cut *cut) {
    mst_context *context = plan->context;
    uint64_t left =
        mst_smaller(mst_budget_left(context, &context->device_memory), mst_budget_left(context, &context->host_memory));
    if (plan->desc.n_axes > 1) {
        mst_tile_cut_fit(plan, cut, left);
        return;
    }
    while (cut->blocks != 1 && 3 * mst_panel_cut_bytes(plan, cut) > left && mst_panel_cut_smaller(plan, cut)) {
    }
    while (mst_panel_cut_bytes(plan, cut) > left && mst_panel_cut_smaller(plan, cut)) {
    }
}

static uint64_t bytes_of(const mst_layout *layout) { return mst_layout_count(layout) * mst_type_bytes(layout->type); }

size_t mst_panel_count(const mst_convolution *plan, const mst_panel_cut *cut) {
    size_t count = 1;
    for (int a = 0; a < plan->desc.n_axes; a++)
        count *= cut->n_panels[a];
    return count;
}

// Elements along an axis that panels read of the larger operand. Neighbours share one position less than the other operand has.
static uint64_t read_along(const mst_convolution *plan, const mst_panel_cut *cut, int a) {
    int axis = plan->desc.axes[a];
    size_t shorter = layout_of(plan, !cut->longer)->shape[axis];
    return layout_of(plan, cut->longer)->shape[axis] + (cut->n_panels[a] - 1) * (shorter - 1);
}

static void predict_panels(const mst_convolution *plan, mst_convolution_forecast *f) {
    mst_panel_cut fit = plan->panels->inner ? plan->panels->cut : plan->panels->first, *cut = &fit;
    if (!plan->panels->inner)
        mst_panel_cut_fit(plan, cut);
    const mst_layout *layout = layout_of(plan, cut->longer);
    uint64_t lines = is_repeated(plan, cut) && mst_panel_count(plan, cut) > 1 ? plan->n_lines[Z] : plan->n_lines[cut->longer];
    uint64_t whole = bytes_of(layout), read = lines * mst_type_bytes(layout->type), line = 1;
    f->panel_length = 1;
    for (int a = 0; a < plan->desc.n_axes; a++) {
        read *= read_along(plan, cut, a);
        f->panel_length *= f->panel_shape[a] = cut->step[a];
    }
    for (int k = plan->desc.axes[0] + 1; k < plan->desc.z.rank; k++)
        if (!mst_convolution_is_along(plan, k))
            line *= plan->desc.z.shape[k];
    f->panels = plan->n_lines[Z] / line * mst_panel_count(plan, cut);
    f->read_bytes += read - whole;
    f->device_bytes = mst_panel_cut_bytes(plan, cut);
}

// Execution of arrays on the host tries the whole first where that suits.
static bool takes_panels(const mst_convolution *plan) {
    const bool whole = plan->work && !plan->panels->suits && (!plan->stream || mst_stream_has_room(plan->stream));
    return !whole;
}

static void predict_spectra(const mst_convolution *plan, mst_convolution_forecast *f) {
    f->panels = plan->n_lines[Z] * plan->spectra->panels;
    f->device_bytes = plan->spectra->device_bytes;
    f->spectra_bytes = mst_spectra_host_bytes(plan->spectra);
}

mst_status mst_convolution_predict(const mst_convolution *plan, mst_convolution_forecast *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_description *kind = MST_DESCRIPTION(mst_convolution_forecast, MST_CONVOLUTION_FORECAST_INIT, device_bytes);
    mst_convolution_forecast f = MST_CONVOLUTION_FORECAST_INIT;
    MST_REQUIRE(plan && out, MST_ERROR_ARGUMENT, "plan and out must not be NULL");
    MST_TRY(mst_description_check(kind, out, error));
    const mst_convolution_desc *d = &plan->desc;
    f.read_bytes = bytes_of(&d->x) + bytes_of(&d->y);
    f.written_bytes = bytes_of(&d->z);
    size_t items = 1;
    for (int k = 0; k < d->axes[0]; k++)
        items *= d->z.shape[k];
    if (f.written_bytes > 0)
        f.device_bytes = (f.read_bytes + f.written_bytes) / items;
    mst_error ignored;
    bool taken = mst_turn_take(plan->turn, &ignored) == MST_OK; // an execution may make other panels
    if (plan->spectra)
        predict_spectra(plan, &f);
    else if (f.written_bytes > 0 && plan->panels && takes_panels(plan))
        predict_panels(plan, &f);
    if (taken)
        mst_turn_give(plan->turn, MST_OK);
    mst_description_write(kind, &f, out);
fail:
    return status;
}
