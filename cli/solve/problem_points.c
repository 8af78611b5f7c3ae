// A problem file's sources and receivers.
#include "problem_parts.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_POINTS = 1 << 20, MOST_SAMPLES = 1 << 26 };

// ---- A node of the grid: [iy, ix], each a constant expression

typedef struct point_reading {
    problem *p;
    size_t *point;
} point_reading;

static bool read_coordinate(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    point_reading *r = target;
    double value;
    (void)name;
    if (!problem_number(r->p, node, PROBLEM_SPACING, &value))
        return false;
    value = floor(value + 1e-9);
    if (!(value >= 0 && value < (double)r->p->desc.grid[index]))
        return cli_yaml_error(y, node, "node %.0f is outside the grid, whose nodes are 0 to %zu along this axis", value,
                              r->p->desc.grid[index] - 1);
    r->point[index] = (size_t)value;
    return true;
}

static bool read_point(problem *p, yaml_node_t *node, size_t point[MST_MAX_AXES]) {
    point_reading reading = {p, point};
    size_t n;
    if (!cli_yaml_count(&p->yaml, node, YAML_SEQUENCE_NODE, "a node of the grid, as [iy, ix], slowest axis first", MST_MAX_AXES,
                        &n))
        return false;
    if (n != (size_t)p->desc.rank)
        return cli_yaml_error(&p->yaml, node, "%zu numbers, but the grid has %d axes", n, p->desc.rank);
    return cli_yaml_items(&p->yaml, node, read_coordinate, &reading);
}

// ---- Sources

typedef struct source_reading {
    problem *p;
    mst_stencil_source *source;
    double **samples;
} source_reading;

static bool read_source_field(cli_yaml *y, yaml_node_t *node, void *target) {
    source_reading *r = target;
    const mst_stencil_field *field = problem_field(r->p, node);
    if (!field)
        return false;
    r->source->field = field->name;
    return !field->coefficient || cli_yaml_error(y, node, "a coefficient field, so it takes no source");
}

static bool read_source_at(cli_yaml *y, yaml_node_t *node, void *target) {
    source_reading *r = target;
    (void)y;
    return read_point(r->p, node, r->source->point);
}

static bool read_samples(source_reading *r, yaml_node_t *node, const char *path) {
    mst_npy *npy = NULL;
    mst_error error;
    const cli_yaml *y = &r->p->yaml;
    if (mst_npy_open(path, &npy, &error) != MST_OK)
        return cli_yaml_error(y, node, "%s", error.message);
    const mst_layout *layout = mst_npy_layout(npy);
    mst_location location = mst_npy_location(npy);
    size_t n = layout->shape[0];
    bool good = (layout->type == MST_FLOAT64 || layout->type == MST_FLOAT32) && layout->rank == 1 && n > 0 && n <= MOST_SAMPLES;
    if (!good)
        cli_yaml_error(y, node, "%s: a time series is an array of float32 or float64 with one axis and a value a step", path);
    if (good && !(*r->samples = malloc(n * sizeof(double))))
        good = cli_yaml_error(y, node, "out of memory for the time series");
    if (good && !cli_read_doubles(&location, layout->type, *r->samples, n))
        good = cli_yaml_error(y, node, "%s: cannot be read", path);
    r->source->samples = *r->samples;
    r->source->n_samples = n;
    mst_npy_close(npy);
    return good;
}

static bool read_series(cli_yaml *y, yaml_node_t *node, void *target) {
    source_reading *r = target;
    const char *text = cli_yaml_text(y, node, "an expression of t, or a .npy file with a value a step");
    if (!text)
        return false;
    if (cli_has_extension(text, ".npy"))
        return read_samples(r, node, text);
    return (r->source->series = problem_expression(r->p, node, text, PROBLEM_SERIES)) != NULL;
}

static const cli_yaml_key source_keys[] = {
    {"field", read_source_field, true},
    {"at", read_source_at, true},
    {"series", read_series, true},
};

static bool read_source(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    problem *p = target;
    source_reading reading = {p, &p->sources[index], &p->samples[index]};
    (void)name;
    p->desc.n_sources = index + 1;
    return cli_yaml_keys(y, node, source_keys, CLI_COUNT(source_keys), &reading);
}

bool problem_read_sources(cli_yaml *y, yaml_node_t *node, void *target) {
    problem *p = target;
    size_t n;
    if (!cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "a list of sources", PROBLEM_MOST_SOURCES, &n))
        return false;
    p->sources = calloc(n + 1, sizeof *p->sources);
    p->samples = calloc(n + 1, sizeof *p->samples);
    if (!p->sources || !p->samples)
        return cli_yaml_error(y, node, "out of memory");
    p->desc.sources = p->sources;
    return cli_yaml_items(y, node, read_source, p);
}

// ---- Receivers

typedef struct receiver_reading {
    problem *p;
    mst_stencil_receiver *receiver;
    problem_receiver *trace;
} receiver_reading;

static bool read_receiver_field(cli_yaml *y, yaml_node_t *node, void *target) {
    receiver_reading *r = target;
    const mst_stencil_field *field = problem_field(r->p, node);
    r->receiver->field = field ? field->name : NULL;
    return field && (!field->coefficient || cli_yaml_error(y, node, "a coefficient field, so there is nothing to record"));
}

static bool make_points(cli_yaml *y, yaml_node_t *node, receiver_reading *r, size_t n) {
    if (r->trace->points)
        return cli_yaml_error(y, node, "a receiver has either 'at' or 'line'");
    r->trace->points = calloc(n ? n : 1, sizeof *r->trace->points);
    r->receiver->points = (const size_t(*)[MST_MAX_AXES])r->trace->points;
    r->receiver->n_points = n;
    return r->trace->points || cli_yaml_error(y, node, "out of memory");
}

static bool read_receiver_point(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    receiver_reading *r = target;
    (void)y, (void)name;
    return read_point(r->p, node, r->trace->points[index]);
}

static bool read_receiver_at(cli_yaml *y, yaml_node_t *node, void *target) {
    receiver_reading *r = target;
    size_t n;
    if (!cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "a list of nodes, as [[iy, ix], [iy, ix]]", MOST_POINTS, &n))
        return false;
    return (n > 0 || cli_yaml_error(y, node, "a receiver has at least one node")) && make_points(y, node, r, n) &&
           cli_yaml_items(y, node, read_receiver_point, r);
}

// "line: [[iy, ix], [iy, ix], n]": n nodes from the first to the second, evenly.
typedef struct line_reading {
    receiver_reading *receiver;
    size_t ends[2][MST_MAX_AXES];
    uint64_t n;
} line_reading;

static bool read_line_item(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    line_reading *line = target;
    double n;
    (void)name;
    if (index < 2)
        return read_point(line->receiver->p, node, line->ends[index]);
    if (!problem_number(line->receiver->p, node, PROBLEM_SPACING, &n))
        return false;
    line->n = n >= 2 && n <= MOST_POINTS ? (uint64_t)n : 0;
    return line->n || cli_yaml_error(y, node, "expected the number of nodes, 2 to %d", MOST_POINTS);
}

static bool read_receiver_line(cli_yaml *y, yaml_node_t *node, void *target) {
    receiver_reading *r = target;
    line_reading line = {.receiver = r};
    size_t n;
    if (!cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "[FIRST NODE, LAST NODE, NUMBER]", 3, &n))
        return false;
    if (n != 3)
        return cli_yaml_error(y, node, "expected [FIRST NODE, LAST NODE, NUMBER], as [[iy, ix], [iy, ix], 100]");
    if (!cli_yaml_items(y, node, read_line_item, &line) || !make_points(y, node, r, line.n))
        return false;
    for (uint64_t i = 0; i < line.n; i++)
        for (int k = 0; k < r->p->desc.rank; k++) {
            double from = (double)line.ends[0][k], to = (double)line.ends[1][k];
            r->trace->points[i][k] = (size_t)llround(from + (to - from) * (double)i / (double)(line.n - 1));
        }
    return true;
}

static bool read_receiver_file(cli_yaml *y, yaml_node_t *node, void *target) {
    receiver_reading *r = target;
    const char *text = cli_yaml_text(y, node, "a .npy or .png file");
    r->trace->file = text;
    if (!text || cli_has_extension(text, ".npy") || cli_has_extension(text, ".png"))
        return text != NULL;
    return cli_yaml_error(y, node, "expected a .npy or .png file, not '%s'", text);
}

static bool read_receiver_colors(cli_yaml *y, yaml_node_t *node, void *target) {
    return problem_read_colors(y, node, &((receiver_reading *)target)->trace->style);
}

static bool read_receiver_range(cli_yaml *y, yaml_node_t *node, void *target) {
    return problem_read_range(y, node, &((receiver_reading *)target)->trace->style);
}

static const cli_yaml_key receiver_keys[] = {
    {"field", read_receiver_field, true}, {"at", read_receiver_at, false},         {"line", read_receiver_line, false},
    {"file", read_receiver_file, true},   {"colors", read_receiver_colors, false}, {"range", read_receiver_range, false},
};

static bool read_receiver(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    problem *p = target;
    receiver_reading reading = {p, &p->receivers[index], &p->traces[index]};
    (void)name;
    p->desc.n_receivers = p->n_traces = index + 1;
    if (!cli_yaml_keys(y, node, receiver_keys, CLI_COUNT(receiver_keys), &reading))
        return false;
    return p->traces[index].points || cli_yaml_error(y, node, "the key 'at' or 'line' is missing");
}

bool problem_read_receivers(cli_yaml *y, yaml_node_t *node, void *target) {
    problem *p = target;
    size_t n;
    if (!cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "a list of receivers", PROBLEM_MOST_RECEIVERS, &n))
        return false;
    p->receivers = calloc(n + 1, sizeof *p->receivers);
    p->traces = calloc(n + 1, sizeof *p->traces);
    if (!p->receivers || !p->traces)
        return cli_yaml_error(y, node, "out of memory");
    p->desc.receivers = p->receivers;
    return cli_yaml_items(y, node, read_receiver, p);
}
