// A problem file's sources and receivers.
#include "problem_parts.h"
#include "problem_places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 1 << 20, MOST_SAMPLES = 1 << 26 };

// ---- Sources

typedef struct source_reading {
    problem *p;
    mst_stencil_source *source;
    double **samples;
    problem_place *place;
    yaml_node_t *where; // of the place; NULL: there is none
} source_reading;

static bool read_source_field(cli_yaml *y, yaml_node_t *node, void *target) {
    source_reading *r = target;
    const mst_stencil_field *field = problem_field(r->p, node);
    if (!field)
        return false;
    r->source->field = field->name;
    return !field->coefficient || cli_yaml_error(y, node, "a coefficient field, so it takes no source");
}

static bool read_source_place(source_reading *r, yaml_node_t *node, problem_place_kind kind) {
    if (r->where)
        return cli_yaml_error(&r->p->yaml, node, "a source has either 'at' or 'position'");
    r->where = node;
    return problem_read_place(r->p, node, kind, r->place);
}

static bool read_source_at(cli_yaml *y, yaml_node_t *node, void *target) {
    (void)y;
    return read_source_place(target, node, PROBLEM_NODES_OR_RANGES);
}

static bool read_source_position(cli_yaml *y, yaml_node_t *node, void *target) {
    (void)y;
    return read_source_place(target, node, PROBLEM_COORDINATES);
}

static bool read_source_interpolation(cli_yaml *y, yaml_node_t *node, void *target) {
    problem_interpolation how;
    source_reading *r = target;
    if (!problem_read_interpolation(y, node, &how))
        return false;
    r->source->interpolation = how.kind;
    r->source->radius = how.radius;
    return true;
}

// The amplitude and the delay make a region of the place, if it is none.
static bool read_of_place(source_reading *r, yaml_node_t *node, const char **expression) {
    const cli_yaml *y = &r->p->yaml;
    const char *text = cli_yaml_text(y, node, "an expression of x, y and z");
    if (!text || !(*expression = problem_expression(r->p, node, text, PROBLEM_INITIAL)))
        return false;
    r->place->is_range = true;
    return r->place->is_whole || cli_yaml_error(y, node, "goes with nodes and ranges of them, not with a place between nodes");
}

static bool read_amplitude(cli_yaml *y, yaml_node_t *node, void *target) {
    source_reading *r = target;
    (void)y;
    return read_of_place(r, node, &r->source->amplitude);
}

static bool read_delay(cli_yaml *y, yaml_node_t *node, void *target) {
    source_reading *r = target;
    if (!read_of_place(r, node, &r->source->delay))
        return false;
    return r->source->series || cli_yaml_error(y, node, "goes with a series that is an expression, not a file");
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
    // In the order of reading.
    {"field", read_source_field, true},
    {"at", read_source_at, false},
    {"position", read_source_position, false},
    {"interpolation", read_source_interpolation, false},
    {"series", read_series, true},
    {"amplitude", read_amplitude, false},
    {"delay", read_delay, false},
};

static bool read_source(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    problem *p = target;
    mst_stencil_source *source = &p->sources[index];
    problem_place *place = &p->places[index];
    source_reading reading = {.p = p, .source = source, .samples = &p->samples[index], .place = place};
    (void)name;
    p->desc.n_sources = index + 1;
    if (!cli_yaml_keys(y, node, source_keys, CLI_COUNT(source_keys), &reading))
        return false;
    if (!reading.where)
        return cli_yaml_error(y, node, "the key 'at' or 'position' is missing");
    if (place->is_range)
        source->region = &place->region;
    else if (!place->is_whole)
        source->position = place->position;
    else
        memcpy(source->point, place->region.start, sizeof source->point);
    return true;
}

bool problem_read_sources(cli_yaml *y, yaml_node_t *node, void *target) {
    problem *p = target;
    size_t n;
    if (!cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "a list of sources", PROBLEM_MOST_SOURCES, &n))
        return false;
    p->sources = calloc(n + 1, sizeof *p->sources);
    p->samples = calloc(n + 1, sizeof *p->samples);
    p->places = calloc(n + 1, sizeof *p->places);
    if (!p->sources || !p->samples || !p->places)
        return cli_yaml_error(y, node, "out of memory");
    p->desc.sources = p->sources;
    return cli_yaml_items(y, node, read_source, p);
}

// ---- Receivers

typedef struct receiver_reading {
    problem *p;
    mst_stencil_receiver *receiver;
    problem_receiver *trace;
    problem_place_kind kind; // of the places being read
    problem_interpolation how;
    bool is_between; // some place is no node
} receiver_reading;

static bool read_receiver_field(cli_yaml *y, yaml_node_t *node, void *target) {
    receiver_reading *r = target;
    const mst_stencil_field *field = problem_field(r->p, node);
    r->receiver->field = field ? field->name : NULL;
    return field && (!field->coefficient || cli_yaml_error(y, node, "a coefficient field, so there is nothing to record"));
}

static bool make_positions(cli_yaml *y, yaml_node_t *node, receiver_reading *r, size_t n) {
    if (r->trace->positions)
        return cli_yaml_error(y, node, "a receiver has either 'at', 'position' or 'line'");
    r->trace->positions = calloc(n ? n : 1, sizeof *r->trace->positions);
    r->receiver->n_points = n;
    return r->trace->positions || cli_yaml_error(y, node, "out of memory");
}

static bool read_receiver_place(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    receiver_reading *r = target;
    problem_place place;
    (void)y, (void)name;
    if (!problem_read_place(r->p, node, r->kind, &place))
        return false;
    memcpy(r->trace->positions[index], place.position, sizeof place.position);
    r->is_between |= !place.is_whole;
    return true;
}

static bool read_receiver_places(cli_yaml *y, yaml_node_t *node, receiver_reading *r, const char *expected) {
    size_t n;
    if (!cli_yaml_count(y, node, YAML_SEQUENCE_NODE, expected, MOST_POINTS, &n))
        return false;
    return (n > 0 || cli_yaml_error(y, node, "a receiver has at least one node")) && make_positions(y, node, r, n) &&
           cli_yaml_items(y, node, read_receiver_place, r);
}

static bool read_receiver_at(cli_yaml *y, yaml_node_t *node, void *target) {
    receiver_reading *r = target;
    r->kind = PROBLEM_NODES;
    return read_receiver_places(y, node, r, "a list of nodes, as [[iy, ix], [iy, ix]]");
}

static bool read_receiver_position(cli_yaml *y, yaml_node_t *node, void *target) {
    receiver_reading *r = target;
    r->kind = PROBLEM_COORDINATES;
    return read_receiver_places(y, node, r, "a list of coordinates, as [[y, x], [y, x]]");
}

// "line: [[iy, ix], [iy, ix], n]": n places from the first to the second, evenly; the nearest nodes without an interpolation.
typedef struct line_reading {
    receiver_reading *receiver;
    double ends[2][MST_MAX_AXES];
    uint64_t n;
} line_reading;

static bool read_line_item(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    line_reading *line = target;
    receiver_reading *r = line->receiver;
    problem_place place;
    double n;
    (void)name;
    if (index < 2) {
        if (!problem_read_place(r->p, node, PROBLEM_NODES, &place))
            return false;
        for (int k = 0; k < r->p->desc.rank; k++)
            line->ends[index][k] = r->how.is_given ? place.position[k] : (double)place.region.start[k];
        return true;
    }
    if (!problem_number(r->p, node, PROBLEM_SPACING, &n))
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
    if (!cli_yaml_items(y, node, read_line_item, &line) || !make_positions(y, node, r, line.n))
        return false;
    for (uint64_t i = 0; i < line.n; i++)
        for (int k = 0; k < r->p->desc.rank; k++) {
            const double from = line.ends[0][k], to = line.ends[1][k];
            const double place = from + (to - from) * (double)i / (double)(line.n - 1);
            r->trace->positions[i][k] = r->how.is_given ? place : (double)llround(place);
        }
    r->is_between = r->how.is_given;
    return true;
}

static bool read_receiver_interpolation(cli_yaml *y, yaml_node_t *node, void *target) {
    receiver_reading *r = target;
    return problem_read_interpolation(y, node, &r->how);
}

// Receivers at nodes are given to the library as such.
static bool place_receiver(cli_yaml *y, yaml_node_t *node, receiver_reading *r) {
    const size_t n = r->receiver->n_points;
    if (!r->trace->positions)
        return cli_yaml_error(y, node, "the key 'at', 'position' or 'line' is missing");
    if (r->is_between) {
        r->receiver->positions = (const double(*)[MST_MAX_AXES])r->trace->positions;
        r->receiver->interpolation = r->how.kind;
        r->receiver->radius = r->how.radius;
        return true;
    }
    if (!(r->trace->points = calloc(n, sizeof *r->trace->points)))
        return cli_yaml_error(y, node, "out of memory");
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < r->p->desc.rank; k++)
            r->trace->points[i][k] = (size_t)r->trace->positions[i][k];
    r->receiver->points = (const size_t(*)[MST_MAX_AXES])r->trace->points;
    return true;
}

static bool read_receiver_file(cli_yaml *y, yaml_node_t *node, void *target) {
    receiver_reading *r = target;
    const char *text = cli_yaml_text(y, node, "a .npy or .png file");
    r->trace->file = text;
    if (text && r->p->desc.n_runs > 0 && cli_has_extension(text, ".png"))
        return cli_yaml_error(y, node, "what several runs record makes no picture; a .npy file takes it");
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

static bool read_receiver_spectrum(cli_yaml *y, yaml_node_t *node, void *target) {
    receiver_reading *r = target;
    (void)y;
    return problem_read_trace_spectrum(r->p, node, r->trace);
}

static const cli_yaml_key receiver_keys[] = {
    // In the order of reading.
    {"field", read_receiver_field, true},
    {"interpolation", read_receiver_interpolation, false},
    {"at", read_receiver_at, false},
    {"position", read_receiver_position, false},
    {"line", read_receiver_line, false},
    {"file", read_receiver_file, true},
    {"colors", read_receiver_colors, false},
    {"range", read_receiver_range, false},
    {"spectrum", read_receiver_spectrum, false},
};

static bool read_receiver(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    problem *p = target;
    receiver_reading reading = {.p = p, .receiver = &p->receivers[index], .trace = &p->traces[index]};
    (void)name;
    p->desc.n_receivers = p->n_traces = index + 1;
    return cli_yaml_keys(y, node, receiver_keys, CLI_COUNT(receiver_keys), &reading) && place_receiver(y, node, &reading);
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
