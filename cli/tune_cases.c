// The fixed list of problems: every capability, in sizes between which the nearest one serves.
#include "tune.h"

// The expression of the vector widths' paper.
static mst_status make_map(const tune_case *c, mst_context *context, mst_error *error) {
    const mst_layout layout = mst_layout_dense(c->type, 1, &c->size);
    const mst_map_input inputs[] = {{"b", layout}, {"c", layout}, {"d", layout}};
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_map *plan = NULL;
    desc.expression = "(b - c) * d";
    desc.n_inputs = 3;
    desc.inputs = inputs;
    mst_status status = mst_map_create(context, &desc, &plan, error);
    mst_map_destroy(plan);
    return status;
}

#define MAP_SIZE ((size_t)1 << 23)

const tune_case tune_cases[] = {
    {"map", MAP_SIZE, make_map, MST_INT8, NULL},    {"map", MAP_SIZE, make_map, MST_INT16, NULL},
    {"map", MAP_SIZE, make_map, MST_INT32, NULL},   {"map", MAP_SIZE, make_map, MST_INT64, NULL},
    {"map", MAP_SIZE, make_map, MST_FLOAT32, NULL}, {"map", MAP_SIZE, make_map, MST_FLOAT64, NULL},
};
const size_t tune_n_cases = sizeof tune_cases / sizeof tune_cases[0];
