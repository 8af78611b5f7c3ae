// The trays of a pass are the panels of the same pass by wider ones.
#include "tray.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"

#define PAGE ((uint64_t)4096)
#define ROW_BYTES ((uint64_t)64 << 10)  // of a file that are read and written at full rate
#define BUSY_BYTES ((uint64_t)16 << 20) // of a tray whose rows are long, so that enough requests are in flight,
#define LEAST_ROW ((uint64_t)16 << 10)  // shorter ones are so slow that a tray of longer ones is better than two
#define BUSY_PART 16                    // which is at most such a part of the room
#define SPARED_FROM 4                   // strips of a tray, one more has memory beside them
#define LEAST_TRAYS 4                   // of a pass, so that one is read while another is computed

static mst_fft_panel_pass widen(const mst_fft_panel_pass *p, size_t panels) {
    mst_fft_panel_pass tray = *p;
    tray.width = mst_smaller(p->width * panels, p->axes[p->cut].n[MST_FROM]);
    mst_fft_panel_count(&tray);
    return tray;
}

// So many panels, or a few less, of which rows that continue one another are whole pages.
static size_t whole_pages(uint64_t run, size_t panels) {
    size_t unit = 1;
    while (unit < PAGE && unit * run % PAGE != 0)
        unit *= 2;
    return unit * run % PAGE == 0 && panels >= unit ? panels / unit * unit : panels;
}

// The panels of a tray, of so many that a side holds in so many bytes; less than two: there are none.
static size_t panels_that_fit(const mst_fft_panel_pass *p, int side, bool is_short, uint64_t bytes, size_t held) {
    const uint64_t run = mst_fft_panel_run(p, side),
                   wanted = is_short ? mst_divide_up(ROW_BYTES, run) : BUSY_BYTES / p->bytes[side],
                   most = mst_smaller(bytes / held / p->bytes[side], (uint64_t)mst_smaller(p->n_cuts, p->n_panels / LEAST_TRAYS));
    return whole_pages(run, (size_t)mst_smaller(wanted, most));
}

// The panels of a strip, of which rows are whole pages, or about one, so that there are not too many strips, nor ranges of rows.
static size_t panels_of_strip(uint64_t run, uint64_t rows, size_t panels) {
    size_t unit = 1;
    while (unit * run < PAGE || (unit * run % PAGE != 0 && unit < PAGE))
        unit *= 2;
    if (unit * run % PAGE != 0)
        unit = (size_t)mst_divide_up(PAGE, run);
    while (panels / unit > MST_TRAY_STRIPS || (uint64_t)(panels / unit) * (panels / unit) > rows)
        unit *= 2;
    return unit;
}

// One tray that is read in strips, with memory for one more where it has several; false: there is none.
static bool choose_strips(const mst_fft_panel_pass *p, int side, uint64_t bytes, mst_tray_shape *shape,
                          mst_fft_panel_pass *tray) {
    const uint64_t run = mst_fft_panel_run(p, side), rows = p->bytes[side] / run;
    const size_t most = panels_that_fit(p, side, true, bytes, 1), unit = panels_of_strip(run, rows, most);
    size_t strips = most / unit, spare = 0;
    if (strips >= SPARED_FROM) {
        strips -= (strips + 1) * unit * p->bytes[side] > bytes;
        spare = 1;
    }
    if (p->mirror || p->fold || strips < 2)
        return false;
    *tray = widen(p, strips * unit);
    if (mst_fft_panel_run(tray, side) * p->width != run * tray->width) // rows of several panels do not lie side by side
        return false;
    shape->items[side] = strips * unit;
    shape->bytes[side] = strips * unit * p->bytes[side];
    shape->held[side] = MST_TRAYS_A_PORT;
    shape->strips[side] = strips;
    shape->spare[side] = spare;
    shape->rows[side] = (size_t)rows;
    return true;
}

// Trays of up to so many bytes in all on one side.
static void choose_side(const mst_fft_panel_pass *p, int side, bool is_short, uint64_t bytes, mst_tray_shape *shape,
                        mst_fft_panel_pass *tray) {
    const uint64_t run = mst_fft_panel_run(p, side);
    size_t held = MST_TRAYS_A_PORT, panels = panels_that_fit(p, side, is_short, bytes, held);
    const size_t alone = panels_that_fit(p, side, is_short, bytes, 1);
    if (is_short && panels * run < LEAST_ROW && alone > panels) {
        panels = alone;
        held = 1;
    }
    if (panels < 2)
        return;
    *tray = widen(p, panels);
    if (is_short && mst_fft_panel_run(tray, side) == run)
        return;
    shape->items[side] = panels;
    shape->bytes[side] = tray->bytes[side];
    shape->held[side] = held;
}

// Whether results are as many numbers as what they are made of, at the same places of one array.
static bool takes_place(const mst_fft_panel_pass *p) {
    bool same = p->array[MST_FROM] == p->array[MST_TO] && p->type[MST_FROM] == p->type[MST_TO] && !p->mirror && !p->fold;
    for (int a = 0; a < p->n_axes; a++)
        same = same && p->axes[a].n[MST_FROM] == p->axes[a].n[MST_TO] && p->axes[a].stride[MST_FROM] == p->axes[a].stride[MST_TO];
    return same;
}

mst_tray_shape mst_fft_panel_trays(const mst_fft_panel_pass *p, const mst_tray_room *room, mst_fft_panel_pass trays[MST_SIDES]) {
    mst_tray_shape shape = {.line = p->n_cuts};
    bool is_short[MST_SIDES];
    uint64_t n_short = 0, left = room->bytes;
    const bool shares = takes_place(p) && room->file[MST_FROM] && room->file[MST_TO] && mst_fft_panel_run(p, MST_TO) < ROW_BYTES;
    for (int side = 0; side < MST_SIDES && p->cut >= 0; side++) {
        is_short[side] = mst_fft_panel_run(p, side) < ROW_BYTES;
        n_short += room->file[side] && is_short[side];
        if (room->direct[side] && !is_short[side]) {
            choose_side(p, side, false, room->bytes / BUSY_PART, &shape, &trays[side]);
            left -= shape.held[side] * shape.bytes[side];
        }
    }
    for (int side = 0; side < MST_SIDES && p->cut >= 0; side++)
        if (room->file[side] && is_short[side] &&
            !(side == MST_FROM && !shares && room->direct[side] && choose_strips(p, side, left / n_short, &shape, &trays[side])))
            choose_side(p, side, true, shares ? left : left / n_short, &shape, &trays[side]);
    shape.shared = shares && shape.items[MST_TO] > 0;
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
