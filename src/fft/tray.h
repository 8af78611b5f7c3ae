// Trays of panels that lie beside each other in files (stream/trays.h), in numbers.
#ifndef MST_FFT_TRAY_H
#define MST_FFT_TRAY_H

#include "panels.h"

// Trays for files, in which rows are long that are short in panels, or which past the system's cache are large enough to keep it
// busy, and for each side the pass by panels as wide as these; where the tray that a panel is in lies, as `place` says it, and
// where the panel lies in that.
mst_tray_shape mst_fft_panel_trays(const mst_fft_panel_pass *pass, const mst_tray_room *room,
                                   mst_fft_panel_pass trays[MST_SIDES]);
int mst_fft_panel_place_tray(const mst_fft_panel_pass *pass, const mst_fft_panel_pass *tray, int side, size_t item,
                             mst_panel_piece *pieces);
int mst_fft_panel_place_in_tray(const mst_fft_panel_pass *pass, const mst_fft_panel_pass *tray, int side, size_t item,
                                mst_panel_piece *pieces);

#endif
