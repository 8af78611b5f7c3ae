// The axis of a plan as two axes of its inner plan, panels and positions; axes of length 1 are left out.
#include "panels.h"

#include <string.h>

typedef struct view {
    mst_layout layout, array;                // what the inner plan sees, and the caller's array along the same axes
    int panels[MST_CONVOLUTION_MAX_AXES];    // axes of panels, for each of the plan's axes,
    int positions[MST_CONVOLUTION_MAX_AXES]; // and of positions in a panel
} view;

static int add_axis(view *v, size_t length, size_t array_length, ptrdiff_t stride) {
    int k = v->layout.rank++;
    v->array.rank++;
    v->layout.shape[k] = length;
    v->array.shape[k] = array_length;
    v->layout.strides[k] = v->array.strides[k] = stride;
    return k;
}

// An array with n_panels panels of `length` positions along each axis, or with one. One line for all lines of the result keeps
// its single one where it is the kernel, and is repeated where it is cut.
static view view_of(const mst_convolution *plan, int array, const size_t *n_panels, const size_t *lengths) {
    const mst_convolution_desc *d = &plan->desc;
    const mst_layout *own = mst_convolution_layout(plan, array), *z = &d->z;
    bool one = plan->n_lines[array] < plan->n_lines[Z], repeated = false;
    view v = {.layout = {.type = own->type}, .array = {.type = own->type}};
    for (int a = 0; a < d->n_axes; a++)
        repeated = repeated || (one && n_panels[a] > 1);
    for (int k = 0, next = 0; k < own->rank; k++) {
        for (int a = 0; k == d->axes[0] && a < d->n_axes; a++)
            v.panels[a] = add_axis(&v, n_panels[a], 1, 0);
        if (next < d->n_axes && k == d->axes[next]) {
            v.positions[next] = add_axis(&v, lengths[next], own->shape[k], own->strides[k]);
            next++;
        } else if (z->shape[k] > 1) {
            bool single = own->shape[k] == 1;
            size_t n = single && repeated ? z->shape[k] : own->shape[k];
            add_axis(&v, n, n, single ? 0 : own->strides[k]);
        }
    }
    return v;
}

static mst_layout dense(const mst_layout *layout) { return mst_layout_dense(layout->type, layout->rank, layout->shape); }

// The transforms of a panel are those of so many blocks of the whole.
static mst_geometry geometry_of(const mst_convolution *plan, const mst_panel_cut *cut, size_t length, int axis) {
    mst_geometry g = cut->geometry;
    g.axes[0].axis = axis;
    g.axes[0].extent[cut->longer] = length;
    g.axes[0].extent[!cut->longer] = plan->lengths[!cut->longer];
    g.axes[0].kept = cut->step[0];
    g.n_blocks = cut->blocks;
    g.blocks[0] = (mst_axis_blocks){cut->blocks, g.blocks[0].step, 0};
    return g;
}

// The first position of the whole result in the full one.
static size_t start_of(const mst_convolution *plan, int axis) {
    size_t n = plan->desc.x.shape[axis], m = plan->desc.y.shape[axis];
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
    int rank = plan->desc.n_axes;
    for (int k = 0; k < plan->desc.z.rank; k++)
        rank += mst_convolution_is_along(plan, k) || plan->desc.z.shape[k] > 1;
    return rank;
}

static void add_window(mst_windows *w, const view *v, int a, int64_t first, int64_t step) {
    w->axes[w->n_axes++] = (mst_windows_axis){v->panels[a], v->positions[a], first, step, false};
    w->array = v->array;
}

// Results go up the larger operand; of a correlation whose second operand is the larger one, down.
static void add_windows(const mst_convolution *plan, const mst_panel_cut *cut, const view *larger, const view *result,
                        mst_convolution_panel *panel) {
    bool down = cut->longer == Y && plan->desc.correlate;
    for (int a = 0; a < plan->desc.n_axes; a++) {
        int axis = plan->desc.axes[a];
        int64_t start = (int64_t)start_of(plan, axis), step = (int64_t)cut->step[a],
                before = (int64_t)mst_convolution_layout(plan, !cut->longer)->shape[axis] - 1;
        add_window(&panel->windows[cut->longer], larger, a,
                   down ? (int64_t)plan->desc.y.shape[axis] - start - step : start - before, down ? -step : step);
        add_window(&panel->windows[Z], result, a, 0, step);
    }
}

mst_status mst_panel_describe(const mst_convolution *plan, const mst_panel_cut *cut, mst_convolution_desc *desc,
                              mst_convolution_panel *panel, mst_error *error) {
    mst_status status = MST_OK;
    const int longer = cut->longer, n_axes = plan->desc.n_axes;
    const bool per_line = plan->n_lines[!longer] == plan->n_lines[Z] && plan->n_lines[Z] > 1;
    const size_t ones[MST_CONVOLUTION_MAX_AXES] = {1, 1, 1};
    size_t lengths[MST_CONVOLUTION_MAX_AXES] = {0}, shorter[MST_CONVOLUTION_MAX_AXES] = {0};
    MST_REQUIRE(mst_panel_rank(plan) <= MST_MAX_RANK, MST_ERROR_UNSUPPORTED,
                "what does not fit the device takes arrays of at most %d axes that are longer than 1", MST_MAX_RANK - n_axes);
    for (int a = 0; a < n_axes; a++) {
        shorter[a] = mst_convolution_layout(plan, !longer)->shape[plan->desc.axes[a]];
        lengths[a] = cut->step[a] + shorter[a] - 1;
    }
    view cut_view = view_of(plan, longer, cut->n_panels, lengths), kernel = view_of(plan, !longer, ones, shorter),
         result = view_of(plan, Z, cut->n_panels, cut->step);
    *panel = (mst_convolution_panel){.geometry = {.n_axes = 0}};
    add_windows(plan, cut, &cut_view, &result, panel);
    *desc = plan->desc;
    desc->mode = MST_CONVOLUTION_VALID;
    for (int a = 0; a < n_axes; a++) {
        desc->axes[a] = cut_view.positions[a];
        if (per_line) // each panel has its line's kernel
            kernel.layout.shape[kernel.panels[a]] = cut->n_panels[a];
    }
    *(longer == X ? &desc->x : &desc->y) = dense(&cut_view.layout);
    *(longer == X ? &desc->y : &desc->x) = kernel.layout;
    desc->z = dense(&result.layout);
    if (cut->blocks > 0)
        panel->geometry = geometry_of(plan, cut, lengths[0], desc->axes[0]);
fail:
    return status;
}
