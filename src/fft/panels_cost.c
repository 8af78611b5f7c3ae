// What passes over panels take on the device.
#include "panels_places.h"

#include "plan.h"
#include "runtime/layout.h"

#include <string.h>

uint64_t mst_fft_item_work(const mst_fft *fft) {
    uint64_t bytes = 0;
    for (int b = WORK; b < N_BUFFERS; b++)
        bytes += fft->item_bytes[b];
    return bytes;
}

size_t mst_fft_items(const mst_fft *fft) {
    size_t n = 1;
    for (int k = 0; k < fft->split; k++)
        n *= fft->desc.input.shape[k];
    return n;
}

mst_status mst_fft_panels_cost(void *user, const mst_fft_panel_pass *p, uint64_t *work, uint64_t *tables, mst_error *error) {
    mst_fft_panels_coster *c = user;
    mst_fft_desc d;
    mst_fft *fft = NULL;
    mst_fft_panel_describe(p, c->desc, &d);
    if (memcmp(&d, &c->last, sizeof d) != 0) {
        mst_status status = mst_fft_create_planned(c->context, &d, &fft, error);
        if (status != MST_OK)
            return status;
        c->last = d;
        c->work = mst_fft_items(fft) * mst_fft_item_work(fft);
        c->tables = fft->table_bytes;
        mst_fft_destroy(fft);
    }
    *work = c->work;
    *tables = c->tables;
    return MST_OK;
}

void mst_fft_panels_needs(const mst_fft_desc *desc, const mst_fft_panels_plan *plan, mst_fft_needs *out) {
    const mst_layout *layouts[] = {&desc->input, &desc->output};
    *out = (mst_fft_needs){.struct_size = sizeof *out,
                           .passes = (uint64_t)plan->n_passes,
                           .device_bytes = plan->device_bytes,
                           .host_bytes = plan->host_bytes,
                           .in_place = 1,
                           .in_place_bytes = mst_fft_panels_places_bytes(desc, plan)};
    for (int k = 0; k < plan->n_passes; k++) {
        const mst_fft_panel_pass *p = &plan->passes[k];
        const mst_layout *from = layouts[p->array[MST_FROM]], *to = layouts[p->array[MST_TO]];
        out->panels += p->n_panels;
        out->upload_bytes += mst_layout_count(from) * mst_type_bytes(from->type);
        out->download_bytes += mst_layout_count(to) * mst_type_bytes(to->type);
    }
}
