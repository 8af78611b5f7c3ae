// A problem file's boundary: "x: periodic", "y-: dirichlet EXPRESSION", "y-: {u: mirror, v: antimirror}". What a face has goes
// before what both faces of its axis have, and what is a field's before what is of all fields.
#include "problem_parts.h"

#include <string.h>

// An entry of a face, or of an axis.
typedef struct face_entry {
    bool is_given, is_of_field[MST_STENCIL_MAX_FIELDS];
    mst_stencil_boundary all, of_field[MST_STENCIL_MAX_FIELDS];
} face_entry;

typedef struct boundary_reading {
    problem *p;
    face_entry *entry;                   // that is being read
    face_entry entries[MST_MAX_AXES][3]; // of an axis: the lower face's, the upper one's, both's
} boundary_reading;

static bool is_of_all(const mst_stencil_boundary *face) {
    return face->kind == MST_BOUNDARY_PERIODIC || face->kind == MST_BOUNDARY_SPONGE || face->kind == MST_BOUNDARY_ABSORB;
}

static bool read_field_face(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    boundary_reading *r = target;
    const mst_stencil_field *fields = r->p->fields;
    const size_t n = r->p->desc.n_fields;
    size_t f = 0;
    (void)index;
    while (f < n && strcmp(fields[f].name, name) != 0)
        f++;
    if (f == n) {
        const char *meant = cli_nearest(name, fields, n, sizeof fields[0]);
        return cli_yaml_error(y, node, "no such field%s%s%s", meant ? "; did you mean '" : "", meant ? meant : "",
                              meant ? "'?" : "");
    }
    if (fields[f].coefficient)
        return cli_yaml_error(y, node, "a coefficient field, which is mirrored at all faces");
    mst_stencil_boundary *face = &r->entry->of_field[f];
    r->entry->is_of_field[f] = true;
    if (!problem_read_face(r->p, node, face))
        return false;
    return !is_of_all(face) ||
           cli_yaml_error(y, node, "periodic faces, sponges and absorbing layers are the same for all fields");
}

static bool read_entry(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    boundary_reading *r = target;
    size_t n;
    int rank = r->p->desc.rank, axis = rank - 1 - (name[0] - 'x');
    bool both = name[1] == '\0', one = (name[1] == '-' || name[1] == '+') && name[2] == '\0';
    (void)index;
    if (name[0] < 'x' || name[0] > 'z' || (!both && !one))
        return cli_yaml_error(y, node, "no such face; expected x, y, z for both faces of an axis, or x-, x+, y-, y+, z-, z+");
    if (axis < 0)
        return cli_yaml_error(y, node, "the grid has %d ax%s, so no %c", rank, rank == 1 ? "is" : "es", name[0]);
    r->entry = &r->entries[axis][both ? 2 : name[1] == '+'];
    if (problem_is_layer(y, node)) {
        r->entry->is_given = true;
        return problem_read_layer(r->p, node, &r->entry->all);
    }
    if (node->type == YAML_MAPPING_NODE)
        return cli_yaml_count(y, node, YAML_MAPPING_NODE, "a mapping of fields to boundaries", MST_STENCIL_MAX_FIELDS, &n) &&
               cli_yaml_entries(y, node, read_field_face, r);
    r->entry->is_given = true;
    return problem_read_face(r->p, node, &r->entry->all);
}

// What a face of a field is, as far as the file says.
static const mst_stencil_boundary *find_own(const face_entry entries[3], int side, size_t field) {
    const int order[] = {side, 2};
    for (int i = 0; i < 2; i++)
        if (entries[order[i]].is_of_field[field])
            return &entries[order[i]].of_field[field];
        else if (entries[order[i]].is_given)
            return NULL;
    return NULL;
}

static bool set_field(boundary_reading *r, yaml_node_t *node, size_t f, int k, int side) {
    problem *p = r->p;
    const mst_stencil_boundary *all = &p->boundaries[2 * k + side], *own = find_own(r->entries[k], side, f);
    p->field_boundaries[f][2 * k + side] = own ? *own : *all;
    if (!own)
        return true;
    p->fields[f].boundaries = p->field_boundaries[f];
    return !is_of_all(all) ||
           cli_yaml_error(&p->yaml, node, "the %s face of the %c axis is periodic or a layer for all fields, so for %s, too",
                          side ? "upper" : "lower", 'x' + p->desc.rank - 1 - k, p->fields[f].name);
}

static size_t width_of(const mst_stencil_boundary *face, mst_boundary_kind kind) { return face->kind == kind ? face->width : 0; }

static bool check_widths(const problem *p, const yaml_node_t *node, int axis) {
    const mst_stencil_boundary *low = &p->boundaries[2 * axis], *high = low + 1;
    const size_t length = p->desc.grid[axis];
    const size_t absorb[] = {width_of(low, MST_BOUNDARY_ABSORB), width_of(high, MST_BOUNDARY_ABSORB)};
    const size_t sponge[] = {width_of(low, MST_BOUNDARY_SPONGE), width_of(high, MST_BOUNDARY_SPONGE)};
    const char name = (char)('x' + p->desc.rank - 1 - axis);
    if (absorb[0] + absorb[1] > 0 && absorb[0] + absorb[1] + MST_STENCIL_MAX_RADIUS > length)
        return cli_yaml_error(&p->yaml, node,
                              "the absorbing layers of the %c axis are %zu and %zu nodes wide; the axis has %zu, and %d must lie "
                              "outside layers",
                              name, absorb[0], absorb[1], length, MST_STENCIL_MAX_RADIUS);
    return (sponge[0] <= length && sponge[1] <= length) ||
           cli_yaml_error(&p->yaml, node, "the sponges of the %c axis are %zu and %zu nodes wide; the axis has %zu", name,
                          sponge[0], sponge[1], length);
}

bool problem_read_boundary(cli_yaml *y, yaml_node_t *node, void *target) {
    boundary_reading reading = {.p = target};
    problem *p = target;
    size_t n;
    if (!cli_yaml_count(y, node, YAML_MAPPING_NODE, "a mapping of faces to boundaries", 9, &n) ||
        !cli_yaml_entries(y, node, read_entry, &reading))
        return false;
    for (int i = 0; i < 2 * p->desc.rank; i++) {
        const face_entry *one = &reading.entries[i / 2][i % 2], *both = &reading.entries[i / 2][2];
        p->boundaries[i] = one->is_given ? one->all : both->all;
    }
    for (int axis = 0; axis < p->desc.rank; axis++) {
        if ((p->boundaries[2 * axis].kind == MST_BOUNDARY_PERIODIC) !=
            (p->boundaries[2 * axis + 1].kind == MST_BOUNDARY_PERIODIC))
            return cli_yaml_error(y, node, "the %c axis is periodic at one face only", 'x' + p->desc.rank - 1 - axis);
        if (!check_widths(p, node, axis))
            return false;
    }
    for (size_t f = 0; f < p->desc.n_fields; f++)
        for (int i = 0; i < 2 * p->desc.rank; i++)
            if (!set_field(&reading, node, f, i / 2, i % 2))
                return false;
    return true;
}
