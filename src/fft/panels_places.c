#include "panels_places.h"

#include "runtime/layout.h"
#include "stream/places.h"

uint64_t mst_fft_panels_places_bytes(const mst_fft_desc *desc, const mst_fft_panels_plan *plan) {
    int64_t low, high;
    mst_layout_extent(&desc->output, &low, &high);
    return plan->passes[0].twiddle_n ? (uint64_t)(high - low) * mst_type_bytes(desc->output.type) : 0;
}

mst_stream_desc mst_fft_panels_places_of(const mst_fft_panels_places *places, int pass, mst_location where[MST_SIDES]) {
    static const char *const names[] = {"input", "output"};
    const mst_fft_panel_pass *p = &places->plan->passes[pass];
    const mst_layout *layouts[] = {&places->desc->input, &places->desc->output};
    for (int side = 0; side < MST_SIDES; side++)
        where[side] = places->arrays[p->array[side]];
    if (places->memory.memory && pass < 2)
        where[pass == 0 ? MST_TO : MST_FROM] = places->between;
    return (mst_stream_desc){.context = places->context,
                             .n_items = p->n_panels,
                             .n_ports = MST_SIDES,
                             .ports = {{MST_PORT_INPUT, *layouts[p->array[MST_FROM]], 0, names[p->array[MST_FROM]]},
                                       {MST_PORT_OUTPUT, *layouts[p->array[MST_TO]], 0, names[p->array[MST_TO]]}},
                             .in_place = true};
}

// The first pass of a long axis, from an array to itself.
static bool needs_memory(const mst_fft_panels_places *places) {
    mst_location where[MST_SIDES];
    mst_stream_desc apart = mst_fft_panels_places_of(places, 0, where);
    apart.in_place = false;
    return places->plan->passes[0].twiddle_n && mst_places_check(&apart, where, NULL) != MST_OK;
}

static mst_status take_memory(mst_fft_panels_places *places, mst_error *error) {
    int64_t low, high;
    const uint64_t bytes = mst_fft_panels_places_bytes(places->desc, places->plan);
    mst_status status = mst_scratch_take(bytes, "results between the passes of a transform in place", &places->memory, error);
    if (status != MST_OK)
        return status;
    mst_layout_extent(&places->desc->output, &low, &high);
    const uint64_t before = (uint64_t)-low * mst_type_bytes(places->desc->output.type);
    places->between = mst_at_host((unsigned char *)places->memory.memory + before);
    return MST_OK;
}

mst_status mst_fft_panels_places_begin(mst_fft_panels_places *places, mst_error *error) {
    mst_status status = MST_OK;
    for (int k = 0; k < places->plan->n_passes; k++) {
        mst_location where[MST_SIDES];
        const mst_stream_desc d = mst_fft_panels_places_of(places, k, where);
        MST_TRY(mst_places_check(&d, where, error));
    }
    if (needs_memory(places))
        MST_TRY(take_memory(places, error));
fail:
    return status;
}

void mst_fft_panels_places_end(mst_fft_panels_places *places) { mst_scratch_release(&places->memory); }
