// Runs that differ in parameters: a list of them, or a table in a file.
#include "problem_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 1 << 20 };

typedef struct runs_reading {
    problem *p;
    size_t n, run;
    size_t n_names, columns[PROBLEM_MOST_PARAMETERS]; // of a table: parameters
    double *given;                                    // [run][parameter]; NaN where a run does not say
    const char *file;
} runs_reading;

// The index of a parameter of the file; SIZE_MAX after printing the error.
static size_t find_parameter(const problem *p, const yaml_node_t *node, const char *name) {
    for (size_t k = (size_t)p->desc.rank; k < p->desc.n_parameters; k++)
        if (strcmp(p->parameters[k].name, name) == 0)
            return k;
    const char *meant =
        cli_nearest(name, p->parameters + p->desc.rank, p->desc.n_parameters - (size_t)p->desc.rank, sizeof p->parameters[0]);
    cli_yaml_error(&p->yaml, node, "the problem has no parameter '%s'%s%s%s", name, meant ? "; did you mean '" : "",
                   meant ? meant : "", meant ? "'?" : "");
    return SIZE_MAX;
}

static bool make_runs(runs_reading *r, yaml_node_t *node, size_t n) {
    if (n < 1 || n > MOST_RUNS)
        return cli_yaml_error(&r->p->yaml, node, "%zu runs; 1 to %d are supported", n, MOST_RUNS);
    r->n = n;
    r->given = malloc(n * r->p->desc.n_parameters * sizeof *r->given);
    for (size_t i = 0; r->given && i < n * r->p->desc.n_parameters; i++)
        r->given[i] = NAN;
    return r->given || cli_yaml_error(&r->p->yaml, node, "out of memory for %zu runs", n);
}

// ---- A list

static bool read_value(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    runs_reading *r = target;
    const size_t k = find_parameter(r->p, node, name);
    (void)y, (void)index;
    return k != SIZE_MAX && problem_number(r->p, node, 0, &r->given[r->run * r->p->desc.n_parameters + k]);
}

static bool read_run(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    runs_reading *r = target;
    size_t n;
    (void)name;
    r->run = index;
    return cli_yaml_count(y, node, YAML_MAPPING_NODE, "a mapping of parameters to numbers", PROBLEM_MOST_PARAMETERS, &n) &&
           cli_yaml_entries(y, node, read_value, r);
}

// ---- A table

static bool read_table_file(cli_yaml *y, yaml_node_t *node, void *target) {
    return (((runs_reading *)target)->file = cli_yaml_text(y, node, "a .npy file with a row a run")) != NULL;
}

static bool read_column(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    runs_reading *r = target;
    const char *text = cli_yaml_text(y, node, "the name of a parameter");
    (void)name;
    r->n_names = index + 1;
    return text && (r->columns[index] = find_parameter(r->p, node, text)) != SIZE_MAX;
}

static bool read_columns(cli_yaml *y, yaml_node_t *node, void *target) {
    size_t n;
    return cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "a list of parameters, one a column", PROBLEM_MOST_PARAMETERS, &n) &&
           cli_yaml_items(y, node, read_column, target);
}

static bool take_rows(runs_reading *r, yaml_node_t *node, const mst_layout *layout, const mst_location *from) {
    const bool real = layout->type == MST_FLOAT64 || layout->type == MST_FLOAT32;
    const size_t n = layout->shape[0], width = layout->rank == 2 ? layout->shape[1] : 1;
    if (!real || layout->rank > 2 || width != r->n_names)
        return cli_yaml_error(&r->p->yaml, node, "%s: expected float32 or float64 of shape (runs, %zu), a column a parameter",
                              r->file, r->n_names);
    if (!make_runs(r, node, n))
        return false;
    double *rows = malloc(n * width * sizeof *rows + 1);
    const bool good = rows && cli_read_doubles(from, layout->type, rows, n * width);
    bool finite = true;
    for (size_t i = 0; good && i < n * width; i++) {
        r->given[i / width * r->p->desc.n_parameters + r->columns[i % width]] = rows[i];
        finite = finite && isfinite(rows[i]);
    }
    free(rows);
    if (!good)
        return cli_yaml_error(&r->p->yaml, node, "%s: cannot be read", r->file);
    return finite || cli_yaml_error(&r->p->yaml, node, "%s: has values that are not finite", r->file);
}

static bool read_table(cli_yaml *y, yaml_node_t *node, runs_reading *r) {
    static const cli_yaml_key keys[] = {{"file", read_table_file, true}, {"parameters", read_columns, true}};
    mst_npy *npy = NULL;
    mst_error error;
    if (!cli_yaml_keys(y, node, keys, CLI_COUNT(keys), r))
        return false;
    if (mst_npy_open(r->file, &npy, &error) != MST_OK)
        return cli_yaml_error(y, node, "%s", error.message);
    const mst_location from = mst_npy_location(npy);
    const bool good = take_rows(r, node, mst_npy_layout(npy), &from);
    mst_npy_close(npy);
    return good;
}

// ---- All parameters in every run, of which those that differ go to the library

static bool evaluate(runs_reading *r, size_t run) {
    problem *p = r->p;
    const size_t n = p->desc.n_parameters;
    double *values = r->given + run * n;
    bool good = true;
    for (size_t k = (size_t)p->desc.rank; k < n && good; k++) {
        p->desc.n_parameters = k; // a parameter knows those before it
        bool set = !isnan(values[k]);
        for (size_t i = 0; i < p->overrides.n_set && !set; i++)
            if ((set = strcmp(p->overrides.set[i].name, p->parameters[k].name) == 0))
                values[k] = p->overrides.set[i].value;
        good = set || problem_number(p, p->parameter_nodes[k], 0, &values[k]);
        p->parameters[k].value = values[k];
    }
    p->desc.n_parameters = n;
    return good;
}

static bool take_varying(runs_reading *r) {
    problem *p = r->p;
    const size_t n = p->desc.n_parameters;
    size_t columns[PROBLEM_MOST_PARAMETERS], m = 0;
    for (size_t k = (size_t)p->desc.rank; k < n; k++) {
        bool differs = false;
        for (size_t run = 1; run < r->n; run++)
            differs = differs || memcmp(&r->given[k], &r->given[run * n + k], sizeof r->given[k]) != 0;
        if (!differs)
            continue;
        columns[m] = k;
        p->run_parameters[m++] = p->parameters[k].name;
    }
    if (!(p->run_values = malloc(r->n * m * sizeof *p->run_values + 1)))
        return false;
    for (size_t i = 0; i < r->n * m; i++)
        p->run_values[i] = r->given[i / m * n + columns[i % m]];
    p->desc.n_runs = r->n;
    p->desc.n_run_parameters = m;
    p->desc.run_parameters = p->run_parameters;
    p->desc.run_values = p->run_values;
    return true;
}

bool problem_read_runs(cli_yaml *y, yaml_node_t *node, void *target) {
    runs_reading r = {.p = target};
    size_t n;
    bool good = node->type == YAML_MAPPING_NODE
                    ? read_table(y, node, &r)
                    : cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "a list of runs, or {file: TABLE.npy, parameters: [NAMES]}",
                                     MOST_RUNS, &n) &&
                          make_runs(&r, node, n) && cli_yaml_items(y, node, read_run, &r);
    for (size_t run = 0; run < r.n && good; run++)
        good = evaluate(&r, run);
    if (good && !take_varying(&r))
        good = cli_yaml_error(y, node, "out of memory for %zu runs", r.n);
    free(r.given);
    return good;
}
