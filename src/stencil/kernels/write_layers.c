// Coefficients of absorbing layers, which stand behind the factors of sponges: see scheme/layers.h.
#include "stencil/scheme/layers.h"
#include "write.h"

#include <stdio.h>
#include <stdlib.h>

void mst_name_layer(const mst_leaf *leaf, char out[MST_LAYER_NAME_SIZE]) {
    static const char *const coefficients[] = {"decay", "gain", "scale"};
    const int offset = leaf->offsets[leaf->axis];
    snprintf(out, MST_LAYER_NAME_SIZE, "%s%d_%s%d", coefficients[leaf->table % MST_LAYER_COEFFICIENTS],
             leaf->table / MST_LAYER_COEFFICIENTS,
             offset < 0   ? "m"
             : offset > 0 ? "p"
                          : "",
             abs(offset));
}

void mst_write_layers(const mst_writer *w, const mst_formula *formula, int axis, const char *number, int width) {
    static const char *const lengths[] = {"n_planes", "n_rows", "n_columns"};
    char name[MST_LAYER_NAME_SIZE];
    for (size_t i = 0; i < formula->n_leaves; i++) {
        const mst_leaf *leaf = &formula->leaves[i];
        if (leaf->kind != MST_VALUE_LAYER || leaf->axis != axis)
            continue;
        const mst_layer_place place = mst_layers_place(w->problem, leaf->table);
        mst_name_layer(leaf, name);
        mst_text_put(w->out, width > 1 ? "const vreal $name = LOAD_GLOBAL(damping" : "const real $name = *(damping",
                     MST_SET(name, name));
        for (int other = 0; other < N_AXES; other++)
            mst_text_put(w->out, " + $times * $length", MST_SET(times, place.lengths[other] + 1),
                         MST_SET(length, lengths[other]));
        if (w->problem->has_grids && w->problem->n_varying > 0)
            mst_text_put(w->out, " + $n * runs.s1", MST_SET(n, (uint64_t)w->problem->n_varying));
        mst_text_put(w->out,
                     w->within ? " + $more + $number);\n" : " + $more + clamp($number, (long)-$margin, $length + $reach));\n",
                     MST_SET(more, place.more + MST_LAYER_TABLE_BEGIN + MST_LAYER_TABLE_MARGIN),
                     MST_SET(number, MST_SUM(number, leaf->offsets[axis])), MST_SET(margin, MST_LAYER_TABLE_MARGIN),
                     MST_SET(length, lengths[axis]), MST_SET(reach, MST_STENCIL_MAX_RADIUS));
    }
}
