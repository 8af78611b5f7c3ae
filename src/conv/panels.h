// Large operands in panels: overlap-save over windows on the larger operand, each of which an inner plan convolves with the other
// operand, as it does items of any batch. Operands in host memory or files may then be larger than the device's memory. Panels of
// signals consist of the blocks that a plan for the whole would transform, so that the results are the same bit for bit, where
// the whole goes by blocks and the budget has room for them. Panels of images and volumes (tiles) are transformed each as a
// whole.
#ifndef MST_CONV_PANELS_H
#define MST_CONV_PANELS_H

#include "geometry.h"

// How the result is cut along the axes of the plan: numbers only.
typedef struct mst_panel_cut {
    int longer;                                // X or Y
    size_t step[MST_CONVOLUTION_MAX_AXES];     // results of a panel,
    size_t n_panels[MST_CONVOLUTION_MAX_AXES]; // panels of a line, image or volume
    size_t blocks;                             // of a panel of a line that is transformed; 0: direct sums, or a tile
    mst_geometry geometry;                     // of the transforms of the whole line
} mst_panel_cut;

size_t mst_panel_count(const mst_convolution *plan, const mst_panel_cut *cut); // of all axes

// What an inner plan is made with.
struct mst_convolution_panel {
    mst_geometry geometry;         // n_axes 0: its own
    mst_windows windows[N_ARRAYS]; // n_axes 0: none
};

struct mst_panels {
    mst_panel_cut first, cut; // the quickest, and that of `inner`
    bool suits;               // also where the whole fits the budgets
    mst_convolution_panel panel;
    mst_convolution *inner; // NULL: to be made
};

// ---- panel_cut.c
// The cut that budgets aside is quickest; false if there is none. *suits: it is quicker than the whole, with equal results.
bool mst_panel_cut_first(const mst_convolution *plan, mst_panel_cut *cut, bool *suits);
// The next one that takes less memory; false if there is none.
bool mst_panel_cut_smaller(const mst_convolution *plan, mst_panel_cut *cut);
// The first from there on that the budgets have room for.
void mst_panel_cut_fit(const mst_convolution *plan, mst_panel_cut *cut);
// About so much device memory goes for one panel at a time.
uint64_t mst_panel_cut_bytes(const mst_convolution *plan, const mst_panel_cut *cut);

// ---- tile_cut.c: the same of images and volumes, called by the functions above. mst_tile_cut_fit takes the cheapest tile of
// which three have room in `left` bytes, or one.
void mst_tile_cut_first(const mst_convolution *plan, mst_panel_cut *cut);
bool mst_tile_cut_smaller(const mst_convolution *plan, mst_panel_cut *cut);
void mst_tile_cut_fit(const mst_convolution *plan, mst_panel_cut *cut, uint64_t left);
uint64_t mst_tile_cut_bytes(const mst_convolution *plan, const mst_panel_cut *cut);

// ---- panel_views.c: the inner plan's description and windows.
int mst_panel_rank(const mst_convolution *plan); // of its arrays; above MST_MAX_RANK there is no such plan
mst_status mst_panel_describe(const mst_convolution *plan, const mst_panel_cut *cut, mst_convolution_desc *desc,
                              mst_convolution_panel *panel, mst_error *error);

// ---- panels.c
void mst_panels_destroy(struct mst_panels *panels);

// What the stream of an inner plan has besides.
static inline void mst_panel_put_windows(const mst_convolution *plan, mst_stream_desc *stream) {
    for (int a = 0; a < N_ARRAYS && plan->panel; a++)
        stream->windows[a] = plan->panel->windows[a];
}

#endif
