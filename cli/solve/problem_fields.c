// A problem file's fields with their initial values, what may be beyond a face, and the updates.
#include "problem_parts.h"

#include <stdlib.h>
#include <string.h>

// ---- Fields

typedef struct field_reading {
    problem *p;
    mst_stencil_field *field;
    yaml_node_t **nodes; // where the initial values stand
} field_reading;

static bool read_initial_node(cli_yaml *y, yaml_node_t *node, void *target) {
    ((field_reading *)target)->nodes[0] = node;
    return cli_yaml_text(y, node, "an expression of x, y, z, or a .npy file") != NULL;
}

static bool read_previous_node(cli_yaml *y, yaml_node_t *node, void *target) {
    field_reading *r = target;
    r->nodes[1] = node;
    if (r->field->levels != 2)
        return cli_yaml_error(y, node, "only a field with 'levels: 2' has a value one step earlier");
    return cli_yaml_text(y, node, "an expression of x, y, z, or a .npy file") != NULL;
}

static bool read_levels(cli_yaml *y, yaml_node_t *node, void *target) {
    uint64_t levels;
    if (!cli_yaml_integer(y, node, 1, 2, &levels))
        return false;
    ((field_reading *)target)->field->levels = (int)levels;
    return true;
}

static bool read_coefficient(cli_yaml *y, yaml_node_t *node, void *target) {
    mst_stencil_field *field = ((field_reading *)target)->field;
    return cli_yaml_bool(y, node, &field->coefficient) &&
           (!field->coefficient || field->levels == 1 || cli_yaml_error(y, node, "a coefficient field has one level"));
}

bool problem_read_storage(cli_yaml *y, yaml_node_t *node, const problem *p, size_t *bytes) {
    static const char *const types[] = {"float16", "float32"};
    const mst_type precision = p->overrides.precision ? p->overrides.precision : p->desc.precision;
    const int type = cli_yaml_choice(y, node, types, CLI_COUNT(types), sizeof types[0]);
    if (type >= 0 && precision != MST_FLOAT32)
        return cli_yaml_error(y, node, "%s needs the precision float32, which is %s", types[type], mst_type_name(precision));
    *bytes = type == 0 ? 2 : 0;
    return type >= 0;
}

static bool read_storage(cli_yaml *y, yaml_node_t *node, void *target) {
    const field_reading *r = target;
    return problem_read_storage(y, node, r->p, &r->field->storage_bytes);
}

static const cli_yaml_key field_keys[] = {
    {"levels", read_levels, false},        {"coefficient", read_coefficient, false},
    {"constant", read_coefficient, false}, // the second as in older files
    {"initial", read_initial_node, false}, {"previous", read_previous_node, false},
    {"storage", read_storage, false},
};

static bool read_field(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    problem *p = target;
    mst_stencil_field *field = &p->fields[index];
    field_reading reading = {p, field, p->initial_nodes[index]};
    if (!problem_new_name(p, node, name))
        return false;
    *field = (mst_stencil_field){.name = name, .levels = 1, .storage_bytes = p->storage_bytes};
    p->desc.n_fields = index + 1;
    if (node->type == YAML_SCALAR_NODE) // "u: EXPRESSION"
        return read_initial_node(y, node, &reading);
    return cli_yaml_keys(y, node, field_keys, CLI_COUNT(field_keys), &reading);
}

bool problem_read_fields(cli_yaml *y, yaml_node_t *node, void *target) {
    problem *p = target;
    size_t n;
    if (!cli_yaml_count(y, node, YAML_MAPPING_NODE, "a mapping of names to fields", MST_STENCIL_MAX_FIELDS, &n))
        return false;
    p->desc.fields = p->fields;
    return n > 0 ? cli_yaml_entries(y, node, read_field, p) : cli_yaml_error(y, node, "a problem has at least one field");
}

const mst_stencil_field *problem_field(problem *p, yaml_node_t *node) {
    int index = cli_yaml_choice(&p->yaml, node, p->fields, p->desc.n_fields, sizeof p->fields[0]);
    return index < 0 ? NULL : &p->fields[index];
}

bool problem_open_data(problem *p, yaml_node_t *node, const char *path, mst_npy **npy, mst_stencil_initial *initial) {
    char has[200], needed[200];
    mst_error error;
    if (mst_npy_open(path, npy, &error) != MST_OK)
        return cli_yaml_error(&p->yaml, node, "%s", error.message);
    initial->layout = *mst_npy_layout(*npy);
    initial->data = mst_npy_location(*npy);
    mst_layout grid = mst_layout_dense(initial->layout.type, p->desc.rank, p->desc.grid);
    bool real = grid.type != MST_COMPLEX64 && grid.type != MST_COMPLEX128;
    size_t bytes = (size_t)grid.rank * sizeof grid.shape[0];
    if (initial->layout.rank != grid.rank || memcmp(initial->layout.shape, grid.shape, bytes) != 0)
        return cli_yaml_error(&p->yaml, node, "%s has the shape %s, the grid %s", path, cli_shape_text(&initial->layout, has),
                              cli_shape_text(&grid, needed));
    return real || cli_yaml_error(&p->yaml, node, "%s holds %s; real numbers are taken", path, mst_type_name(grid.type));
}

bool problem_read_initial(problem *p) {
    for (size_t i = 0; i < p->desc.n_fields; i++)
        for (int level = 0; level < 2; level++) {
            yaml_node_t *node = p->initial_nodes[i][level];
            mst_stencil_initial *initial = level ? &p->fields[i].previous : &p->fields[i].initial;
            if (!node)
                continue;
            const char *text = (const char *)node->data.scalar.value;
            snprintf(p->yaml.key, sizeof p->yaml.key, "fields.%s.%s", p->fields[i].name, level ? "previous" : "initial");
            if (cli_has_extension(text, ".npy") ? !problem_open_data(p, node, text, &p->data[i][level], initial)
                                                : !(initial->expression = problem_expression(p, node, text, PROBLEM_INITIAL)))
                return false;
        }
    return problem_read_regions(p);
}

// ---- What is beyond a face: "periodic", "dirichlet EXPRESSION"

static bool read_sponge(cli_yaml *y, const yaml_node_t *node, const char *rest, mst_stencil_boundary *face) {
    char *end;
    unsigned long width = strtoul(rest, &end, 10);
    face->width = width;
    return (*rest >= '0' && *rest <= '9' && !*end && width >= 1 && width <= 1u << 20) ||
           cli_yaml_error(y, node, "expected 'sponge N' with the number of nodes, 'sponge 32' say");
}

// "mirror" or "antimirror", "half" or "node": where it lies.
static bool read_mirror(cli_yaml *y, const yaml_node_t *node, const char *rest, mst_stencil_boundary *face) {
    if (strcmp(rest, "node") == 0)
        face->kind = face->kind == MST_BOUNDARY_NEUMANN ? MST_BOUNDARY_MIRROR_NODE : MST_BOUNDARY_ANTIMIRROR_NODE;
    return !*rest || strcmp(rest, "half") == 0 || strcmp(rest, "node") == 0 ||
           cli_yaml_error(y, node, "a mirror lies at 'half', half a node outside, or on the last 'node', not at '%s'", rest);
}

bool problem_read_face(problem *p, yaml_node_t *node, mst_stencil_boundary *face) {
    static const struct {
        const char *name;
        mst_boundary_kind kind;
    } kinds[] = {{"dirichlet", MST_BOUNDARY_DIRICHLET},   {"neumann", MST_BOUNDARY_NEUMANN},   {"mirror", MST_BOUNDARY_NEUMANN},
                 {"antimirror", MST_BOUNDARY_ANTIMIRROR}, {"periodic", MST_BOUNDARY_PERIODIC}, {"sponge", MST_BOUNDARY_SPONGE},
                 {"absorb", MST_BOUNDARY_ABSORB}};
    const char *text =
        cli_yaml_text(&p->yaml, node, "dirichlet VALUE, neumann, mirror, antimirror, periodic, sponge N or absorb N");
    if (!text)
        return false;
    size_t length = strcspn(text, " \t\n");
    const char *rest = text + length + strspn(text + length, " \t\n");
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    for (size_t i = 0; i < CLI_COUNT(kinds); i++) {
        if (strcmp(word, kinds[i].name) != 0)
            continue;
        *face = (mst_stencil_boundary){.kind = kinds[i].kind};
        if (face->kind == MST_BOUNDARY_SPONGE)
            return read_sponge(&p->yaml, node, rest, face);
        if (strstr(word, "mirror"))
            return read_mirror(&p->yaml, node, rest, face);
        if (face->kind == MST_BOUNDARY_ABSORB)
            return problem_read_absorb(p, node, rest, face);
        if (face->kind == MST_BOUNDARY_DIRICHLET && *rest)
            return (face->value = problem_expression(p, node, rest, PROBLEM_BOUNDARY)) != NULL;
        return !*rest || cli_yaml_error(&p->yaml, node, "'%s' takes nothing behind it, not '%s'", word, rest);
    }
    const char *meant = cli_nearest(word, kinds, CLI_COUNT(kinds), sizeof kinds[0]);
    return cli_yaml_error(&p->yaml, node,
                          "expected dirichlet VALUE, neumann, mirror, antimirror, periodic, sponge N or absorb N, not '%s'%s%s%s",
                          text, meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
}

// ---- Updates: a list of sub-steps, each a mapping of fields to expressions

static bool read_expression(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    problem *p = target;
    mst_stencil_update *update = &p->updates[p->desc.n_updates];
    const mst_stencil_field *field = NULL;
    (void)index;
    for (size_t i = 0; i < p->desc.n_fields; i++)
        field = strcmp(name, p->fields[i].name) == 0 ? &p->fields[i] : field;
    if (!field) {
        const char *meant = cli_nearest(name, p->fields, p->desc.n_fields, sizeof p->fields[0]);
        return cli_yaml_error(y, node, "no such field%s%s%s", meant ? "; did you mean '" : "", meant ? meant : "",
                              meant ? "'?" : "");
    }
    if (field->coefficient)
        return cli_yaml_error(y, node, "a coefficient field, so it has no update");
    for (size_t i = 0; i < p->desc.n_updates; i++)
        if (strcmp(p->updates[i].field, name) == 0)
            return cli_yaml_error(y, node, "the field has an update already; put both into one expression");
    const char *text = cli_yaml_text(y, node, "an expression");
    *update = (mst_stencil_update){field->name, text ? problem_expression(p, node, text, PROBLEM_EVERYTHING) : NULL, p->substep};
    p->desc.n_updates++;
    return update->expression != NULL;
}

static bool read_substep(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    problem *p = target;
    size_t n;
    (void)name;
    p->substep = index;
    return cli_yaml_count(y, node, YAML_MAPPING_NODE, "a mapping of fields to expressions", MST_STENCIL_MAX_FIELDS, &n) &&
           cli_yaml_entries(y, node, read_expression, p);
}

bool problem_read_update(cli_yaml *y, yaml_node_t *node, void *target) {
    problem *p = target;
    size_t n;
    p->desc.updates = p->updates;
    if (!cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "a list of updates, each '- FIELD: EXPRESSION'", MST_STENCIL_MAX_FIELDS,
                        &n) ||
        !cli_yaml_items(y, node, read_substep, p))
        return false;
    for (size_t i = 0; i < p->desc.n_fields; i++) {
        bool updated = p->fields[i].coefficient;
        for (size_t k = 0; k < p->desc.n_updates; k++)
            updated |= p->updates[k].field == p->fields[i].name;
        if (!updated)
            return cli_yaml_error(y, node, "the field %s has no update; add one, or 'coefficient: true' to the field",
                                  p->fields[i].name);
    }
    if (p->desc.n_updates == 0)
        return cli_yaml_error(y, node, "a problem has at least one update");
    return problem_check_layers(p, node);
}
