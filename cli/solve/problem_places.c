#include "problem_places.h"

#include "problem_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RADIUS = 10 };

// As near to a whole number of nodes it is one, so that rounding in an expression does not matter.
static const double whole_within = 1e-9;

typedef struct place_reading {
    problem *p;
    problem_place_kind kind;
    problem_place *place;
} place_reading;

// ---- Ranges: "a:b" are the nodes a to b - 1; without a from the first one, without b to the last one

static bool is_range(const char *text) { return strchr(text, ':') && !strchr(text, '?'); }

static bool read_end(place_reading *r, yaml_node_t *node, const char *text, size_t most, size_t *value) {
    yaml_node_t end = *node; // the line stays
    double number;
    end.data.scalar.value = (yaml_char_t *)text;
    end.data.scalar.length = strlen(text);
    if (!problem_number(r->p, &end, PROBLEM_SPACING, &number))
        return false;
    if (!(number >= 0 && number <= (double)most && number == floor(number)))
        return cli_yaml_error(&r->p->yaml, node, "%s is %g; a range has whole numbers from 0 to %zu", text, number, most);
    *value = (size_t)number;
    return true;
}

static bool read_range(place_reading *r, yaml_node_t *node, const char *text, size_t index) {
    const size_t n = r->p->desc.grid[index];
    size_t begin = 0, end = n;
    char *first = problem_own(r->p, text);
    if (!first)
        return false;
    char *second = strchr(first, ':');
    *second++ = '\0';
    if (strspn(first, " ") < strlen(first) && !read_end(r, node, first, n, &begin))
        return false;
    if (strspn(second, " ") < strlen(second) && !read_end(r, node, second, n, &end))
        return false;
    if (begin >= end)
        return cli_yaml_error(&r->p->yaml, node, "the range %s has no nodes; a:b are the nodes a to b - 1, of 0 to %zu", text,
                              n - 1);
    r->place->is_range = true;
    r->place->region.start[index] = begin;
    r->place->region.count[index] = end - begin;
    return true;
}

// ---- Numbers

// How far beyond the last node a place may be, which goes with the face; whether a Dirichlet face's value is 0 the library knows.
static double room_beyond(const problem *p, size_t index, int side) {
    const mst_boundary_kind kind = p->desc.boundaries[2 * index + (size_t)side].kind;
    return kind == MST_BOUNDARY_NEUMANN                 ? 0.5
           : kind == MST_BOUNDARY_DIRICHLET             ? 1 - whole_within
           : kind == MST_BOUNDARY_PERIODIC && side == 1 ? 1 - whole_within
                                                        : 0;
}

static bool read_number(place_reading *r, yaml_node_t *node, size_t index) {
    const problem *p = r->p;
    const double last = (double)p->desc.grid[index] - 1;
    double value;
    if (!problem_number(r->p, node, PROBLEM_SPACING, &value))
        return false;
    if (r->kind == PROBLEM_COORDINATES)
        value /= p->desc.spacing[index];
    const bool whole = fabs(value - nearbyint(value)) < whole_within;
    value = whole ? nearbyint(value) + 0.0 : value;
    if (!(value >= (whole ? 0 : -room_beyond(p, index, 0)) && value <= last + (whole ? 0 : room_beyond(p, index, 1))))
        return cli_yaml_error(&p->yaml, node, "node %g is outside the grid, whose nodes are 0 to %.0f along this axis", value,
                              last);
    r->place->position[index] = value;
    r->place->is_whole &= whole;
    r->place->region.start[index] = value > 0 ? (size_t)value : 0;
    r->place->region.count[index] = 1;
    return true;
}

// ---- Places

static bool read_axis(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    place_reading *r = target;
    const char *text = cli_yaml_text(y, node, r->kind == PROBLEM_COORDINATES ? "a coordinate" : "the number of a node");
    (void)name;
    r->place->region.step[index] = 1;
    if (!text)
        return false;
    if (!is_range(text))
        return read_number(r, node, index);
    if (r->kind != PROBLEM_NODES_OR_RANGES)
        return cli_yaml_error(y, node, "'%s' is a range; only 'at' of a source has these", text);
    return read_range(r, node, text, index);
}

bool problem_read_place(problem *p, yaml_node_t *node, problem_place_kind kind, problem_place *out) {
    place_reading reading = {p, kind, out};
    size_t n;
    const char *expected = kind == PROBLEM_COORDINATES ? "coordinates, as [y, x], slowest axis first"
                                                       : "a node of the grid, as [iy, ix], slowest axis first";
    *out = (problem_place){.is_whole = true};
    if (!cli_yaml_count(&p->yaml, node, YAML_SEQUENCE_NODE, expected, MST_MAX_AXES, &n))
        return false;
    if (n != (size_t)p->desc.rank)
        return cli_yaml_error(&p->yaml, node, "%zu numbers, but the grid has %d axes", n, p->desc.rank);
    if (!cli_yaml_items(&p->yaml, node, read_axis, &reading))
        return false;
    return !out->is_range || out->is_whole ||
           cli_yaml_error(&p->yaml, node, "a range goes with nodes, not with what is between them");
}

bool problem_read_interpolation(cli_yaml *y, yaml_node_t *node, problem_interpolation *out) {
    const char *text = cli_yaml_text(y, node, "sinc, sinc N or linear");
    char word[16] = "", rest[2] = "";
    unsigned radius = 0;
    if (!text)
        return false;
    const int n = sscanf(text, "%15s %u %1s", word, &radius, rest);
    const bool sinc = strcmp(word, "sinc") == 0 && (n == 1 || (n == 2 && radius >= 1 && radius <= MOST_RADIUS));
    const bool linear = strcmp(word, "linear") == 0 && strlen(text) == strlen(word);
    if (!sinc && !linear)
        return cli_yaml_error(y, node, "expected sinc, sinc N with N nodes to either side, 1 to %d, or linear, not '%s'",
                              MOST_RADIUS, text);
    *out = (problem_interpolation){linear ? MST_STENCIL_INTERPOLATION_LINEAR : MST_STENCIL_INTERPOLATION_SINC, radius, true};
    return true;
}
