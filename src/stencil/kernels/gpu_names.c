#include "write_gpu.h"

#include <stdio.h>

void mst_stencil_gpu_name_register(const mst_stencil_gpu_writer *g, int version, int age, int row, mst_register_name out) {
    mst_name name;
    mst_name_version(g->w->pipeline, version, name);
    int used = snprintf(out, sizeof(mst_register_name), "%s_plane%d", name, age);
    if (g->deep > 1)
        snprintf(out + used, sizeof(mst_register_name) - (size_t)used, "_row%d", row);
}

void mst_stencil_gpu_name_component(int column, mst_component_name out) {
    snprintf(out, sizeof(mst_component_name), "s%x", (unsigned)column & 15);
}
