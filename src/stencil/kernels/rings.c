#include "rings.h"

#include "runtime/numbers.h"

mst_stencil_rings mst_rings_make(const mst_pipeline *p, int rows, int columns, int width) {
    mst_stencil_rings r = {.left = 0};
    int right = 0, below = 0;
    for (int k = 0; k < p->n_versions; k++) {
        const mst_field_version *v = &p->versions[k];
        mst_field_rings *field = &r.fields[v->field];
        field->depth = mst_larger(field->depth, mst_larger(v->depth, 1));
        for (int i = 0; i < 2 * N_AXES; i++)
            field->reach[i / 2][i % 2] = mst_larger(field->reach[i / 2][i % 2], v->reach[i / 2][i % 2]);
        r.left = mst_larger(r.left, v->low[COLUMNS]);
        right = mst_larger(right, v->high[COLUMNS]);
        r.above = mst_larger(r.above, v->low[ROWS]);
        below = mst_larger(below, v->high[ROWS]);
    }
    r.left = mst_round_up(r.left, width);
    r.pitch = mst_round_up(r.left + columns + right, width) + width; // the last vector of a row may reach beyond its end
    r.plane = r.pitch * (r.above + rows + below);
    for (int f = 0; f < p->problem->n_fields; f++) {
        r.fields[f].base = r.elements;
        r.elements += (size_t)r.fields[f].depth * (size_t)r.plane * (size_t)(p->problem->fields[f].levels + p->m);
    }
    return r;
}
