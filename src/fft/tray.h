// Trays of panels that lie beside each other in files (stream/trays.h), in numbers.
#ifndef MST_FFT_TRAY_H
#define MST_FFT_TRAY_H

#include "panels.h"

// Trays of up to so many bytes, where rows of files are long that are short in panels, and the pass by panels as wide as
// these; where the tray that a panel is in lies, as `place` says it, and where the panel lies in that.
mst_tray_shape mst_fft_panel_trays(const mst_fft_panel_pass *pass, uint64_t most_bytes, mst_fft_panel_pass *tray);
int mst_fft_panel_place_tray(const mst_fft_panel_pass *pass, const mst_fft_panel_pass *tray, int side, size_t item,
                             mst_panel_piece *pieces);
int mst_fft_panel_place_in_tray(const mst_fft_panel_pass *pass, const mst_fft_panel_pass *tray, int side, size_t item,
                                mst_panel_piece *pieces);

#endif
