// Where the arrays of passes over panels lie: the caller's and, in place, what the first pass of a long axis leaves.
#ifndef MST_FFT_PANELS_PLACES_H
#define MST_FFT_PANELS_PLACES_H

#include "panels.h"
#include "stream/scratch.h"

typedef struct mst_fft_panels_places {
    mst_context *context;
    const mst_fft_desc *desc;
    const mst_fft_panels_plan *plan;
    mst_location arrays[MST_SIDES];
    mst_scratch memory;   // of results that would be where others have not been read, if there are any
    mst_location between; // their element [0]...[0]
} mst_fft_panels_places;

// The items, ports and places of a pass.
mst_stream_desc mst_fft_panels_places_of(const mst_fft_panels_places *places, int pass, mst_location where[MST_SIDES]);

// Checks all passes, before anything is computed, since later ones read what earlier ones only wrote; and takes the memory.
mst_status mst_fft_panels_places_begin(mst_fft_panels_places *places, mst_error *error);
void mst_fft_panels_places_end(mst_fft_panels_places *places);

// Of that memory.
uint64_t mst_fft_panels_places_bytes(const mst_fft_desc *desc, const mst_fft_panels_plan *plan);

#endif
