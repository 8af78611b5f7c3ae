// Absorbing layers: "x: absorb 12", or "x: {absorb: 12, reflection: 1e-5}".
#include "problem_parts.h"

#include <math.h>
#include <string.h>

enum { SCOPE = PROBLEM_SPACING | PROBLEM_STEP | PROBLEM_LIMIT, MOST = 1 << 20 };

bool problem_read_absorb(problem *p, const yaml_node_t *node, const char *width, mst_stencil_boundary *face) {
    double value;
    if (!*width)
        return cli_yaml_error(&p->yaml, node, "expected 'absorb N' with the number of nodes, 'absorb 12' say");
    if (!problem_value(p, node, width, SCOPE, &value))
        return false;
    if (!(value >= 1 && value <= MOST && value == floor(value)))
        return cli_yaml_error(&p->yaml, node, "expected a whole number of nodes, 1 to %d, not %g", MOST, value);
    face->kind = MST_BOUNDARY_ABSORB;
    face->width = (size_t)value;
    return true;
}

typedef struct layer_reading {
    problem *p;
    mst_stencil_boundary *face;
} layer_reading;

static bool read_width(cli_yaml *y, yaml_node_t *node, void *target) {
    layer_reading *r = target;
    const char *text = cli_yaml_text(y, node, "a number of nodes");
    return text && problem_read_absorb(r->p, node, text, r->face);
}

static bool read_speed(cli_yaml *y, yaml_node_t *node, void *target) {
    layer_reading *r = target;
    return problem_number(r->p, node, SCOPE, &r->face->speed) &&
           (r->face->speed > 0 || cli_yaml_error(y, node, "expected a speed above 0, not %g", r->face->speed));
}

static bool read_reflection(cli_yaml *y, yaml_node_t *node, void *target) {
    layer_reading *r = target;
    const double *value = &r->face->reflection;
    return problem_number(r->p, node, SCOPE, &r->face->reflection) &&
           ((*value > 0 && *value < 1) || cli_yaml_error(y, node, "expected a part above 0 and below 1, not %g", *value));
}

static bool read_order(cli_yaml *y, yaml_node_t *node, void *target) {
    layer_reading *r = target;
    return problem_number(r->p, node, SCOPE, &r->face->order) &&
           (r->face->order > 0 || cli_yaml_error(y, node, "expected an order above 0, not %g", r->face->order));
}

static bool read_kappa(cli_yaml *y, yaml_node_t *node, void *target) {
    layer_reading *r = target;
    return problem_number(r->p, node, SCOPE, &r->face->kappa) &&
           (r->face->kappa >= 1 || cli_yaml_error(y, node, "expected a number from 1 on, not %g", r->face->kappa));
}

static bool read_alpha(cli_yaml *y, yaml_node_t *node, void *target) {
    layer_reading *r = target;
    double *value = &r->face->alpha;
    if (!problem_number(r->p, node, SCOPE, value))
        return false;
    if (*value < 0)
        return cli_yaml_error(y, node, "expected a number from 0 on, not %g", *value);
    *value = *value > 0 ? *value : -1; // where 0 is the default
    return true;
}

static const cli_yaml_key layer_keys[] = {
    {"absorb", read_width, true}, {"speed", read_speed, false}, {"reflection", read_reflection, false},
    {"order", read_order, false}, {"kappa", read_kappa, false}, {"alpha", read_alpha, false},
};

bool problem_is_layer(cli_yaml *y, const yaml_node_t *node) {
    if (node->type != YAML_MAPPING_NODE)
        return false;
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = cli_yaml_node(y, pair->key);
        if (key->type == YAML_SCALAR_NODE && strcmp((const char *)key->data.scalar.value, "absorb") == 0)
            return true;
    }
    return false;
}

bool problem_read_layer(problem *p, yaml_node_t *node, mst_stencil_boundary *face) {
    layer_reading reading = {p, face};
    *face = (mst_stencil_boundary){.kind = MST_BOUNDARY_ABSORB};
    return cli_yaml_keys(&p->yaml, node, layer_keys, CLI_COUNT(layer_keys), &reading);
}

bool problem_check_layers(problem *p, const yaml_node_t *node) {
    for (int axis = 0; axis < p->desc.rank; axis++) {
        char marker[] = "stretch_x";
        bool absorbs =
                 p->boundaries[2 * axis].kind == MST_BOUNDARY_ABSORB || p->boundaries[2 * axis + 1].kind == MST_BOUNDARY_ABSORB,
             any = false;
        marker[8] = (char)('x' + p->desc.rank - 1 - axis);
        for (size_t i = 0; i < p->desc.n_updates; i++)
            any = any || strstr(p->updates[i].expression, marker) != NULL;
        for (size_t i = 0; i < p->desc.n_definitions; i++)
            any = any || strstr(p->definitions[i].expression, marker) != NULL;
        if (absorbs && !any)
            return cli_yaml_error(&p->yaml, node,
                                  "the %c axis has an absorbing layer, so expected %s(DERIVATIVE) in some expression", marker[8],
                                  marker);
    }
    return true;
}
