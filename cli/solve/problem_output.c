// A problem file's output: which fields are written when, where and how.
#include "problem_parts.h"

#include <string.h>

typedef struct output_reading {
    problem *p;
    problem_output *output;
} output_reading;

static bool read_every(cli_yaml *y, yaml_node_t *node, void *target) {
    return cli_yaml_integer(y, node, 1, UINT64_MAX / 2, &((output_reading *)target)->output->every);
}

static bool read_output_field(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    output_reading *r = target;
    const mst_stencil_field *field = problem_field(r->p, node);
    (void)y, (void)name;
    if (!field)
        return false;
    r->output->fields[index] = field->name;
    r->output->n_fields = index + 1;
    return true;
}

static bool read_output_fields(cli_yaml *y, yaml_node_t *node, void *target) {
    size_t n;
    return cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "a list of fields, as [u, v]", MST_STENCIL_MAX_FIELDS, &n) &&
           (n > 0 || cli_yaml_error(y, node, "an output has at least one field")) &&
           cli_yaml_items(y, node, read_output_field, target);
}

static bool read_format(cli_yaml *y, yaml_node_t *node, void *target) {
    static const char *const formats[] = {[PROBLEM_NPY] = "npy", [PROBLEM_VTI] = "vti", [PROBLEM_PNG] = "png"};
    int format = cli_yaml_choice(y, node, formats, CLI_COUNT(formats), sizeof formats[0]);
    if (format >= 0)
        ((output_reading *)target)->output->format = (problem_format)format;
    return format >= 0;
}

static bool read_type(cli_yaml *y, yaml_node_t *node, void *target) {
    static const char *const types[] = {"float16", "float32", "float64"};
    static const mst_type values[] = {MST_FLOAT16, MST_FLOAT32, MST_FLOAT64};
    const int type = cli_yaml_choice(y, node, types, CLI_COUNT(types), sizeof types[0]);
    if (type >= 0)
        ((output_reading *)target)->output->type = values[type];
    return type >= 0;
}

// A file holds values as they are, which float16 does if they are stored so.
static bool check_type(const output_reading *r, const yaml_node_t *node) {
    const problem_output *o = r->output;
    const mst_type precision = r->p->overrides.precision ? r->p->overrides.precision : r->p->desc.precision;
    if (o->type == 0 || o->type == precision)
        return true;
    if (o->type != MST_FLOAT16)
        return cli_yaml_error(&r->p->yaml, node, "the type is %s, the precision %s", mst_type_name(o->type),
                              mst_type_name(precision));
    for (size_t i = 0; i < o->n_fields; i++)
        for (size_t f = 0; f < r->p->desc.n_fields; f++)
            if (o->fields[i] == r->p->fields[f].name && r->p->fields[f].storage_bytes != 2)
                return cli_yaml_error(&r->p->yaml, node, "%s is not stored as float16, and would be rounded", o->fields[i]);
    return o->format == PROBLEM_NPY || cli_yaml_error(&r->p->yaml, node, "only .npy files hold float16");
}

static bool read_file(cli_yaml *y, yaml_node_t *node, void *target) {
    const char *text = cli_yaml_text(y, node, "what the files' names begin with, as frames/u");
    ((output_reading *)target)->output->file = text;
    return text && (strlen(text) < FRAME_PATH_BYTES - 200 || cli_yaml_error(y, node, "the name is too long"));
}

static bool read_slice_axis(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    output_reading *r = target;
    int rank = r->p->desc.rank, axis = name[0] >= 'x' && name[0] <= 'z' && !name[1] ? rank - 1 - (name[0] - 'x') : -1;
    double value;
    (void)index;
    if (r->p->desc.n_runs > 0 && strcmp(name, "run") == 0) {
        uint64_t number = 0;
        r->output->of_one_run = cli_yaml_integer(y, node, 0, r->p->desc.n_runs - 1, &number);
        r->output->first_run = (size_t)number;
        r->output->n_runs = 1;
        return r->output->of_one_run;
    }
    if (axis < 0)
        return cli_yaml_error(y, node, "no such axis of the grid; expected one of x, y, z, as slice: {z: 32}");
    if (!problem_number(r->p, node, PROBLEM_SPACING, &value))
        return false;
    if (!(value >= 0 && value < (double)r->p->desc.grid[axis]))
        return cli_yaml_error(y, node, "node %g is outside the grid, whose nodes are 0 to %zu along %c", value,
                              r->p->desc.grid[axis] - 1, name[0]);
    r->output->sliced[axis] = true;
    r->output->region.start[axis] = (size_t)value;
    r->output->region.count[axis] = 1;
    return true;
}

static bool read_slice(cli_yaml *y, yaml_node_t *node, void *target) {
    size_t n;
    return cli_yaml_count(y, node, YAML_MAPPING_NODE, "a mapping of axes to nodes, as {z: 32}", MST_MAX_AXES, &n) &&
           cli_yaml_entries(y, node, read_slice_axis, target);
}

static bool read_decimate(cli_yaml *y, yaml_node_t *node, void *target) {
    output_reading *r = target;
    uint64_t step;
    if (!cli_yaml_integer(y, node, 1, 1u << 20, &step))
        return false;
    for (int k = 0; k < r->p->desc.rank; k++)
        if (!r->output->sliced[k]) {
            r->output->region.step[k] = (size_t)step;
            r->output->region.count[k] = (r->p->desc.grid[k] - 1) / (size_t)step + 1;
        }
    return true;
}

bool problem_read_colors(cli_yaml *y, yaml_node_t *node, void *target) {
    static const char *const maps[] = {"sequential", "diverging"};
    int map = cli_yaml_choice(y, node, maps, CLI_COUNT(maps), sizeof maps[0]);
    ((frame_style *)target)->diverging = map == 1;
    return map >= 0;
}

static bool read_range_end(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    (void)name;
    return cli_yaml_number(y, node, &((frame_style *)target)->range[index]);
}

bool problem_read_range(cli_yaml *y, yaml_node_t *node, void *target) {
    frame_style *style = target;
    size_t n;
    if (!cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "[LOW, HIGH]", 2, &n) || !cli_yaml_items(y, node, read_range_end, style))
        return false;
    return (n == 2 && style->range[0] < style->range[1]) || cli_yaml_error(y, node, "expected [LOW, HIGH] with LOW < HIGH");
}

static bool read_output_colors(cli_yaml *y, yaml_node_t *node, void *target) {
    return problem_read_colors(y, node, &((output_reading *)target)->output->style);
}

static bool read_output_range(cli_yaml *y, yaml_node_t *node, void *target) {
    return problem_read_range(y, node, &((output_reading *)target)->output->style);
}

static const cli_yaml_key output_keys[] = {
    {"every", read_every, true},           {"file", read_file, true},           {"fields", read_output_fields, false},
    {"format", read_format, false},        {"slice", read_slice, false},        {"decimate", read_decimate, false},
    {"colors", read_output_colors, false}, {"range", read_output_range, false}, {"type", read_type, false},
};

static bool read_output(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    problem *p = target;
    problem_output *output = &p->outputs[index];
    output_reading reading = {.p = p, .output = output};
    int axes = 0;
    (void)name;
    p->n_outputs = index + 1;
    *output = (problem_output){.n_fields = 1, .fields = {p->updates[0].field}, .n_runs = p->desc.n_runs};
    for (int k = 0; k < p->desc.rank; k++) {
        output->region.step[k] = 1;
        output->region.count[k] = p->desc.grid[k];
    }
    if (!cli_yaml_keys(y, node, output_keys, CLI_COUNT(output_keys), &reading))
        return false;
    if (!check_type(&reading, node))
        return false;
    axes += p->desc.n_runs > 0 && !output->of_one_run;
    for (int k = 0; k < p->desc.rank; k++)
        axes += !output->sliced[k];
    if (axes == 0)
        return cli_yaml_error(y, node, "a slice leaves at least one axis; receivers record single nodes");
    if (axes > MST_MAX_AXES && output->format == PROBLEM_VTI)
        return cli_yaml_error(y, node, "a .vti file has up to three axes, this output %d; add a slice, as slice: {run: 0}", axes);
    return axes == 2 || output->format != PROBLEM_PNG ||
           cli_yaml_error(y, node, "a picture has two axes, this output %d; %s", axes,
                          axes > 2 ? p->desc.n_runs > 0 ? "add a slice, as slice: {run: 0}" : "add a slice, as slice: {z: 32}"
                                   : "a receiver with a line and a .png file draws one axis over time");
}

bool problem_read_output(cli_yaml *y, yaml_node_t *node, void *target) {
    problem *p = target;
    size_t n;
    if (node->type == YAML_MAPPING_NODE)
        return read_output(y, NULL, node, 0, p);
    return cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "an output or a list of them", PROBLEM_MOST_OUTPUTS, &n) &&
           cli_yaml_items(y, node, read_output, p);
}
