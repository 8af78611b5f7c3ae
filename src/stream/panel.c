#include "panel.h"

#include "transfer.h"
#include "window.h"

mst_status mst_panel_move(const mst_panel_place *place, const mst_panel_piece *piece, void *panel, bool write, mst_error *error) {
    const mst_piece lies = {.layout = piece->layout, .from = piece->offset * (int64_t)mst_type_bytes(piece->layout.type)};
    const mst_transfer t = {piece->layout, mst_piece_location(&place->where, &lies), place->name, place->direct};
    unsigned char *packed = (unsigned char *)panel + piece->at;
    return write ? mst_transfer_write_rows(place->pool, &t, piece->row_bytes, piece->pitch_bytes, packed, error)
                 : mst_transfer_read_rows(place->pool, &t, piece->row_bytes, piece->pitch_bytes, packed, error);
}
