// The trays of a pass are the panels of the same pass by wider ones.
#include "tray.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"

#define ROW_BYTES ((uint64_t)32 << 10) // of a file that are read and written at full rate
#define LEAST_TRAYS 4                  // of a pass, so that one is read while another is computed

static mst_fft_panel_pass widen(const mst_fft_panel_pass *p, size_t panels) {
    mst_fft_panel_pass tray = *p;
    tray.width = mst_smaller(p->width * panels, p->axes[p->cut].n[MST_FROM]);
    mst_fft_panel_count(&tray);
    return tray;
}

mst_tray_shape mst_fft_panel_trays(const mst_fft_panel_pass *p, uint64_t most_bytes, mst_fft_panel_pass *tray) {
    uint64_t wanted = 1, most = mst_smaller(most_bytes / mst_larger(p->bytes[MST_FROM], p->bytes[MST_TO]),
                                            (uint64_t)mst_smaller(p->n_cuts, p->n_panels / LEAST_TRAYS));
    mst_tray_shape shape = {.items = 0};
    for (int side = 0; side < MST_SIDES && p->cut >= 0; side++)
        wanted = mst_larger(wanted, mst_divide_up(ROW_BYTES, mst_fft_panel_run(p, side)));
    wanted = mst_smaller(wanted, most);
    if (wanted < 2)
        return shape;
    *tray = widen(p, (size_t)wanted);
    for (int side = 0; side < MST_SIDES; side++) {
        const uint64_t run = mst_fft_panel_run(p, side);
        if (run < ROW_BYTES && mst_fft_panel_run(tray, side) > run)
            shape.bytes[side] = tray->bytes[side];
    }
    if (shape.bytes[MST_FROM] || shape.bytes[MST_TO])
        shape.items = (size_t)wanted, shape.line = p->n_cuts;
    return shape;
}

static size_t tray_of(const mst_fft_panel_pass *p, const mst_fft_panel_pass *tray, size_t item) {
    return item / p->n_cuts * tray->n_cuts + item % p->n_cuts * p->width / tray->width;
}

int mst_fft_panel_place_tray(const mst_fft_panel_pass *p, const mst_fft_panel_pass *tray, int side, size_t item,
                             mst_panel_piece *pieces) {
    return mst_fft_panel_place(tray, side, tray_of(p, tray, item), pieces);
}

// Where the elements of a piece of a panel are in this piece of its tray; false if that has others.
static bool find_in(const mst_fft_panel_pass *tray, int side, const mst_panel_piece *whole, mst_panel_piece *piece) {
    const int64_t stride = tray->axes[tray->cut].stride[side], apart = piece->offset - whole->offset;
    int64_t columns = 1;
    for (int i = 0; i < whole->layout.rank; i++)
        if (whole->layout.rank == tray->n_inside && tray->order[side][i] == tray->cut)
            columns = (int64_t)whole->layout.shape[i];
    if (apart % stride != 0 || apart / stride < 0 || apart / stride >= columns)
        return false;
    for (int i = 0; i < piece->layout.rank; i++)
        piece->layout.strides[i] = (ptrdiff_t)mst_fft_panel_stride(tray, side, tray->order[side][i]);
    piece->offset = (int64_t)(whole->at / mst_type_bytes(tray->type[side])) +
                    apart / stride * (int64_t)mst_fft_panel_stride(tray, side, tray->cut);
    return true;
}

int mst_fft_panel_place_in_tray(const mst_fft_panel_pass *p, const mst_fft_panel_pass *tray, int side, size_t item,
                                mst_panel_piece *pieces) {
    mst_panel_piece wholes[MST_PANEL_PIECES];
    const int n_wholes = mst_fft_panel_place_tray(p, tray, side, item, wholes), n = mst_fft_panel_place(p, side, item, pieces);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n_wholes && !find_in(tray, side, &wholes[k], &pieces[i]); k++)
            ;
    return n;
}
