// Materials and masks of a problem file. A material's parameters are coefficient fields: of a file of integers with a table, or
// of expressions by regions. A mask goes in front of the updates of its fields: where it holds, they have its value.
#include "problem_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MATERIALS = 1 << 16 };

typedef struct materials_reading {
    problem *p;
    const char *file;
    yaml_node_t *table, *regions;
    size_t storage_bytes, n_rows;
    size_t first, n; // of the fields that are parameters
    double *rows;    // [parameter][row]
    size_t row;
    bool given[MST_STENCIL_MAX_FIELDS]; // of the parameters, in the entry that is being read
    const char *where;                  // of a region
    const char *texts[MST_STENCIL_MAX_FIELDS];
} materials_reading;

// ---- Their names, which are known before the updates are read

static bool new_field(problem *p, yaml_node_t *node, const char *name, size_t storage_bytes) {
    if (p->desc.n_fields == MST_STENCIL_MAX_FIELDS)
        return cli_yaml_error(&p->yaml, node,
                              "the problem has %d fields already, which are as many as are taken; this is one more",
                              MST_STENCIL_MAX_FIELDS);
    if (!problem_new_name(p, node, name))
        return false;
    p->fields[p->desc.n_fields++] =
        (mst_stencil_field){.name = name, .levels = 1, .coefficient = true, .storage_bytes = storage_bytes};
    return true;
}

static bool name_parameter(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    const materials_reading *r = target;
    (void)index;
    if (r->regions && strcmp(name, "where") == 0)
        return cli_yaml_error(y, node, "the first region is everywhere, so it has no 'where'");
    return new_field(r->p, node, name, r->storage_bytes);
}

// Of the first material, which has all.
static bool name_parameters(materials_reading *r, yaml_node_t *first) {
    problem *p = r->p;
    size_t n;
    r->first = p->desc.n_fields;
    if (!cli_yaml_count(&p->yaml, first, YAML_MAPPING_NODE, "a mapping of parameters to their values", MST_STENCIL_MAX_FIELDS,
                        &n))
        return false;
    if (n == 0)
        return cli_yaml_error(&p->yaml, first, "a material has at least one parameter");
    if (!cli_yaml_entries(&p->yaml, first, name_parameter, r))
        return false;
    r->n = p->desc.n_fields - r->first;
    return true;
}

// The parameter of that name; SIZE_MAX after printing the error.
static size_t find_parameter(materials_reading *r, yaml_node_t *node, const char *name, const char *first) {
    const mst_stencil_field *fields = r->p->fields + r->first;
    for (size_t k = 0; k < r->n; k++)
        if (strcmp(fields[k].name, name) == 0)
            return k;
    const char *meant = cli_nearest(name, fields, r->n, sizeof fields[0]);
    cli_yaml_error(&r->p->yaml, node, "the first %s has no '%s', so no other has%s%s%s", first, name,
                   meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    return SIZE_MAX;
}

// ---- A file of integers with a table

static bool read_row_value(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    materials_reading *r = target;
    const size_t k = find_parameter(r, node, name, "material");
    (void)y, (void)index;
    if (k == SIZE_MAX)
        return false;
    r->given[k] = true;
    return problem_number(r->p, node, PROBLEM_SPACING, &r->rows[k * r->n_rows + r->row]);
}

static bool read_row(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    materials_reading *r = target;
    size_t n;
    (void)index;
    r->row = (size_t)strtoul(name, NULL, 10);
    memset(r->given, 0, sizeof r->given);
    if (!cli_yaml_count(y, node, YAML_MAPPING_NODE, "a mapping of parameters to numbers", MST_STENCIL_MAX_FIELDS, &n) ||
        !cli_yaml_entries(y, node, read_row_value, r))
        return false;
    for (size_t k = 0; k < r->n; k++)
        if (!r->given[k])
            return cli_yaml_error(y, node, "the parameter %s is missing; every material has those of the first",
                                  r->p->fields[r->first + k].name);
    return true;
}

static bool count_rows(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    materials_reading *r = target;
    (void)index;
    if (name[strspn(name, "0123456789")] || strlen(name) > 5 || strtoul(name, NULL, 10) >= MOST_MATERIALS)
        return cli_yaml_error(y, node, "expected the number of a material, from 0 to %d, as key, not '%s'", MOST_MATERIALS - 1,
                              name);
    r->row = (size_t)strtoul(name, NULL, 10);
    r->n_rows = r->row >= r->n_rows ? r->row + 1 : r->n_rows;
    return true;
}

// Whether all numbers are rows of the table, so that a mistake is said with its place in the problem file.
static bool check_numbers(const materials_reading *r, const yaml_node_t *node) {
    enum { CHUNK_BYTES = 1 << 16 };
    const mst_layout *layout = mst_npy_layout(r->p->materials);
    const mst_location from = mst_npy_location(r->p->materials);
    const size_t bytes = mst_type_bytes(layout->type);
    const uint64_t all = cli_layout_bytes(layout);
    _Alignas(8) char numbers[CHUNK_BYTES];
    for (uint64_t done = 0, n; done < all; done += n) {
        n = all - done < CHUNK_BYTES ? all - done : CHUNK_BYTES;
        if (!cli_read_bytes(&from, done, numbers, (size_t)n))
            return cli_yaml_error(&r->p->yaml, node, "%s: cannot be read", r->file);
        for (size_t i = 0; i < n / bytes; i++) {
            const double k = cli_real_at(layout->type, numbers, i);
            if (!(k >= 0 && k < (double)r->n_rows) || isnan(r->rows[(size_t)k]))
                return cli_yaml_error(&r->p->yaml, node, "%s has the number %.0f, of which the table has no material", r->file,
                                      k);
        }
    }
    return true;
}

static bool open_index(materials_reading *r, yaml_node_t *node) {
    problem *p = r->p;
    mst_stencil_initial initial = {0};
    if (!problem_open_data(p, node, r->file, &p->materials, &initial))
        return false;
    const mst_type type = initial.layout.type;
    if (type < MST_INT8 || type > MST_BOOL)
        return cli_yaml_error(&p->yaml, node, "%s holds %s; the numbers of materials are integers", r->file, mst_type_name(type));
    if (!check_numbers(r, node))
        return false;
    for (size_t k = 0; k < r->n; k++) {
        p->fields[r->first + k].initial = initial;
        p->fields[r->first + k].table = r->rows + k * r->n_rows;
        p->fields[r->first + k].n_table = r->n_rows;
    }
    return true;
}

static bool read_by_index(materials_reading *r, yaml_node_t *node) {
    problem *p = r->p;
    size_t n;
    if (!cli_yaml_count(&p->yaml, r->table, YAML_MAPPING_NODE, "a mapping of the numbers of materials to their parameters",
                        MOST_MATERIALS, &n))
        return false;
    if (n == 0)
        return cli_yaml_error(&p->yaml, r->table, "a table has at least one material");
    if (!cli_yaml_entries(&p->yaml, r->table, count_rows, r) ||
        !name_parameters(r, cli_yaml_node(&p->yaml, r->table->data.mapping.pairs.start->value)))
        return false;
    r->rows = p->material_rows = malloc(r->n * r->n_rows * sizeof *r->rows);
    for (size_t i = 0; r->rows && i < r->n * r->n_rows; i++)
        r->rows[i] = NAN;
    if (!r->rows)
        return cli_yaml_error(&p->yaml, node, "out of memory for %zu materials", r->n_rows);
    return cli_yaml_entries(&p->yaml, r->table, read_row, r) && open_index(r, node);
}

// ---- Regions, of which later ones lie over earlier ones

static bool read_region_value(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    materials_reading *r = target;
    const char *text = cli_yaml_text(y, node, "an expression of x, y, z");
    const bool is_where = strcmp(name, "where") == 0;
    (void)index;
    const size_t k = is_where ? 0 : find_parameter(r, node, name, "region");
    if (!text || k == SIZE_MAX || !problem_expression(r->p, node, text, PROBLEM_INITIAL))
        return false;
    *(is_where ? &r->where : &r->texts[k]) = text;
    r->given[k] = r->given[k] || !is_where;
    return true;
}

// "(WHERE) != 0 ? (VALUE) : LESS", or "(VALUE)".
static const char *lay_over(problem *p, const char *where, const char *value, const char *less) {
    const size_t bytes = strlen(where) + strlen(value) + strlen(less) + 16;
    char *text = malloc(bytes);
    if (text)
        snprintf(text, bytes, "(%s) != 0 ? (%s) : %s", where, value, less);
    const char *kept = text ? problem_own(p, text) : NULL;
    free(text);
    return kept;
}

static bool read_region(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    materials_reading *r = target;
    problem *p = r->p;
    size_t n;
    (void)name;
    memset(r->given, 0, sizeof r->given);
    r->where = NULL;
    if (!cli_yaml_count(y, node, YAML_MAPPING_NODE, "a mapping of 'where' and parameters to expressions",
                        MST_STENCIL_MAX_FIELDS + 1, &n) ||
        !cli_yaml_entries(y, node, read_region_value, r))
        return false;
    if (index > 0 && !r->where)
        return cli_yaml_error(y, node, "the key 'where' is missing, which only the first region does without");
    for (size_t k = 0; k < r->n; k++) {
        const char **all = &p->fields[r->first + k].initial.expression;
        if (r->given[k] && !(*all = index ? lay_over(p, r->where, r->texts[k], *all) : problem_own(p, r->texts[k])))
            return false;
    }
    return true;
}

// Once definitions are known.
bool problem_read_regions(problem *p) {
    materials_reading r = {.p = p, .first = p->first_material, .n = p->n_materials, .regions = p->regions};
    if (!p->regions)
        return true;
    snprintf(p->yaml.key, sizeof p->yaml.key, "materials");
    if (!cli_yaml_items(&p->yaml, p->regions, read_region, &r))
        return false;
    for (size_t k = 0; k < r.n; k++)
        if (!problem_expression(p, p->regions, p->fields[r.first + k].initial.expression, PROBLEM_INITIAL))
            return false;
    return true;
}

// ---- The key

static bool read_file(cli_yaml *y, yaml_node_t *node, void *target) {
    return (((materials_reading *)target)->file = cli_yaml_text(y, node, "a .npy file of integers")) != NULL;
}

static bool read_table(cli_yaml *y, yaml_node_t *node, void *target) {
    (void)y;
    ((materials_reading *)target)->table = node;
    return true;
}

static bool read_regions(cli_yaml *y, yaml_node_t *node, void *target) {
    size_t n;
    if (!cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "a list of regions", PROBLEM_MOST_SOURCES, &n))
        return false;
    ((materials_reading *)target)->regions = node;
    return n > 0 || cli_yaml_error(y, node, "there is at least one region, which is everywhere");
}

static bool read_storage(cli_yaml *y, yaml_node_t *node, void *target) {
    materials_reading *r = target;
    return problem_read_storage(y, node, r->p, &r->storage_bytes);
}

static const cli_yaml_key materials_keys[] = {
    {"file", read_file, false}, {"table", read_table, false}, {"regions", read_regions, false}, {"storage", read_storage, false}};

bool problem_read_materials(cli_yaml *y, yaml_node_t *node, void *target) {
    materials_reading r = {.p = target, .storage_bytes = ((problem *)target)->storage_bytes};
    if (node->type == YAML_SEQUENCE_NODE ? !read_regions(y, node, &r)
                                         : !cli_yaml_keys(y, node, materials_keys, CLI_COUNT(materials_keys), &r))
        return false;
    if ((r.file == NULL) != (r.table == NULL) || (r.file == NULL) == (r.regions == NULL))
        return cli_yaml_error(y, node, "expected a list of regions, or {file: NUMBERS.npy, table: {0: {PARAMETER: VALUE}}}");
    if (r.file)
        return read_by_index(&r, node);
    if (!name_parameters(&r, cli_yaml_node(y, *r.regions->data.sequence.items.start)))
        return false;
    r.p->regions = r.regions;
    r.p->first_material = r.first;
    r.p->n_materials = r.n;
    return true;
}

// ---- Masks

typedef struct mask_reading {
    problem *p;
    const char *where, *value; // expressions
    bool holds[MST_STENCIL_MAX_FIELDS];
} mask_reading;

static bool read_held(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    mask_reading *r = target;
    const mst_stencil_field *field = problem_field(r->p, node);
    (void)name, (void)index;
    if (field)
        r->holds[field - r->p->fields] = true;
    return field && (!field->coefficient || cli_yaml_error(y, node, "a coefficient field, which no update changes"));
}

static bool read_held_fields(cli_yaml *y, yaml_node_t *node, void *target) {
    size_t n;
    return cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "a list of fields", MST_STENCIL_MAX_FIELDS, &n) &&
           (n > 0 || cli_yaml_error(y, node, "a mask is of at least one field")) && cli_yaml_items(y, node, read_held, target);
}

static bool read_held_value(cli_yaml *y, yaml_node_t *node, void *target) {
    mask_reading *r = target;
    const char *text = cli_yaml_text(y, node, "an expression");
    return text && (r->value = problem_expression(r->p, node, text, PROBLEM_EVERYTHING)) != NULL;
}

// A mask in a file is a coefficient field, of float16 where that holds its numbers. NULL after printing the error.
static const char *open_mask(problem *p, yaml_node_t *node, const char *file) {
    char name[32] = "mask";
    const size_t f = p->desc.n_fields;
    if (p->n_mask_files++)
        snprintf(name, sizeof name, "mask_%zu", p->n_mask_files);
    const char *kept = problem_own(p, name);
    if (!kept || !new_field(p, node, kept, 0) || !problem_open_data(p, node, file, &p->data[f][0], &p->fields[f].initial))
        return NULL;
    const mst_type precision = p->overrides.precision ? p->overrides.precision : p->desc.precision;
    if (mst_type_bytes(p->fields[f].initial.layout.type) == 1 && precision == MST_FLOAT32)
        p->fields[f].storage_bytes = 2;
    return kept;
}

static bool read_where(cli_yaml *y, yaml_node_t *node, void *target) {
    mask_reading *r = target;
    const char *text = cli_yaml_text(y, node, "an expression, or a .npy file");
    if (text)
        r->where = cli_has_extension(text, ".npy") ? open_mask(r->p, node, text)
                                                   : problem_expression(r->p, node, text, PROBLEM_EVERYTHING);
    return text && r->where;
}

static const cli_yaml_key mask_keys[] = {
    {"fields", read_held_fields, false}, {"value", read_held_value, false}, {"where", read_where, true}};

static bool hold(const mask_reading *r, yaml_node_t *node) {
    problem *p = r->p;
    bool any = false;
    for (size_t f = 0; f < p->desc.n_fields; f++)
        any = any || r->holds[f];
    for (size_t i = 0; i < p->desc.n_updates; i++) {
        size_t f = 0;
        while (p->fields[f].name != p->updates[i].field)
            f++;
        if (any && !r->holds[f])
            continue;
        const char *text = lay_over(p, r->where, r->value ? r->value : "0", p->updates[i].expression);
        if (!text || !(p->updates[i].expression = problem_expression(p, node, text, PROBLEM_EVERYTHING)))
            return false;
    }
    return true;
}

static bool read_mask(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    mask_reading r = {.p = target};
    (void)name, (void)index;
    return cli_yaml_keys(y, node, mask_keys, CLI_COUNT(mask_keys), &r) && hold(&r, node);
}

bool problem_read_masks(cli_yaml *y, yaml_node_t *node, void *target) {
    size_t n;
    if (node->type == YAML_MAPPING_NODE)
        return read_mask(y, NULL, node, 0, target);
    return cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "a mask, {where: EXPRESSION, fields: [..], value: 0}, or a list of these",
                          MST_STENCIL_MAX_FIELDS, &n) &&
           cli_yaml_items(y, node, read_mask, target);
}
