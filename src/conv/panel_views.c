// The axis of a plan as two axes of its inner plan, panels and positions; axes of length 1 are left out.
#include "panels.h"

#include <string.h>

typedef struct view {
    mst_layout layout, array; // what the inner plan sees, and the caller's array along the same axes
    int panel;                // axis of panels; that of positions follows
} view;

static void add_axis(view *v, size_t length, size_t array_length, ptrdiff_t stride) {
    int k = v->layout.rank++;
    v->array.rank++;
    v->layout.shape[k] = length;
    v->array.shape[k] = array_length;
    v->layout.strides[k] = v->array.strides[k] = stride;
}

// An array with n_panels panels of `length` positions. One line for all lines of the result keeps its single one where it is
// the kernel, and is repeated where it is cut.
static view view_of(const mst_convolution *plan, int array, size_t n_panels, size_t length) {
    const mst_layout *own = mst_convolution_layout(plan, array), *z = &plan->desc.z;
    bool one = plan->n_lines[array] < plan->n_lines[Z], repeated = one && n_panels > 1;
    view v = {.layout = {.type = own->type}, .array = {.type = own->type}};
    for (int k = 0; k < own->rank; k++)
        if (k == plan->desc.axes[0]) {
            v.panel = v.layout.rank;
            add_axis(&v, n_panels, 1, 0);
            add_axis(&v, length, own->shape[k], own->strides[k]);
        } else if (z->shape[k] > 1) {
            bool single = own->shape[k] == 1;
            size_t n = single && repeated ? z->shape[k] : own->shape[k];
            add_axis(&v, n, n, single ? 0 : own->strides[k]);
        }
    return v;
}

static mst_layout dense(const mst_layout *layout) { return mst_layout_dense(layout->type, layout->rank, layout->shape); }

static void set_window(mst_windows *w, const view *v, int64_t first, int64_t step) {
    *w = (mst_windows){.n_axes = 1, .axes = {{v->panel, v->panel + 1, first, step}}, .array = v->array};
}

// The transforms of a panel are those of so many blocks of the whole.
static mst_geometry geometry_of(const mst_convolution *plan, const mst_panel_cut *cut, size_t length, int axis) {
    mst_geometry g = cut->geometry;
    g.axes[0].axis = axis;
    g.axes[0].extent[cut->longer] = length;
    g.axes[0].extent[!cut->longer] = plan->lengths[!cut->longer];
    g.axes[0].kept = cut->step;
    g.n_blocks = cut->blocks;
    g.blocks[0] = (mst_axis_blocks){cut->blocks, g.blocks[0].step, 0};
    return g;
}

// The first position of the whole result in the full one.
static size_t start_of(const mst_convolution *plan) {
    size_t n = plan->lengths[X], m = plan->lengths[Y];
    switch (plan->desc.mode) {
    case MST_CONVOLUTION_SAME:
        return (m - 1) / 2;
    case MST_CONVOLUTION_VALID:
        return (n < m ? n : m) - 1;
    default:
        return 0;
    }
}

int mst_panel_rank(const mst_convolution *plan) {
    int rank = 1;
    for (int k = 0; k < plan->desc.z.rank; k++)
        rank += k == plan->desc.axes[0] || plan->desc.z.shape[k] > 1;
    return rank;
}

mst_status mst_panel_describe(const mst_convolution *plan, const mst_panel_cut *cut, mst_convolution_desc *desc,
                              mst_convolution_panel *panel, mst_error *error) {
    mst_status status = MST_OK;
    const int longer = cut->longer;
    const size_t shorter = plan->lengths[!longer], length = cut->step + shorter - 1;
    const bool per_line = plan->n_lines[!longer] == plan->n_lines[Z] && plan->n_lines[Z] > 1;
    MST_REQUIRE(mst_panel_rank(plan) <= MST_MAX_RANK, MST_ERROR_UNSUPPORTED,
                "vectors that do not fit the device take arrays of at most %d axes that are longer than 1", MST_MAX_RANK - 1);
    const view cut_view = view_of(plan, longer, cut->n_panels, length), kernel = view_of(plan, !longer, 1, shorter),
               result = view_of(plan, Z, cut->n_panels, cut->step);
    // Results go up the longer operand; of a correlation whose second operand is the longer one, down.
    int64_t start = (int64_t)start_of(plan), step = (int64_t)cut->step;
    bool down = longer == Y && plan->desc.correlate;
    *panel = (mst_convolution_panel){.geometry = {.n_axes = 0}};
    set_window(&panel->windows[longer], &cut_view,
               down ? (int64_t)plan->lengths[Y] - start - step : start - (int64_t)(shorter - 1), down ? -step : step);
    set_window(&panel->windows[Z], &result, 0, step);
    *desc = plan->desc;
    desc->mode = MST_CONVOLUTION_VALID;
    desc->axes[0] = cut_view.panel + 1;
    *(longer == X ? &desc->x : &desc->y) = dense(&cut_view.layout);
    *(longer == X ? &desc->y : &desc->x) = kernel.layout;
    if (per_line) // each panel has its line's kernel
        (longer == X ? &desc->y : &desc->x)->shape[kernel.panel] = cut->n_panels;
    desc->z = dense(&result.layout);
    if (cut->blocks > 0)
        panel->geometry = geometry_of(plan, cut, length, desc->axes[0]);
fail:
    return status;
}
