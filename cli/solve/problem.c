#include "problem_parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- The grid

static bool read_grid_axis(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    problem *p = target;
    uint64_t nodes;
    (void)name;
    if (!cli_yaml_integer(y, node, 1, (uint64_t)1 << 40, &nodes))
        return false;
    p->desc.grid[index] = (size_t)nodes;
    p->desc.rank = (int)index + 1;
    return true;
}

static bool read_grid(cli_yaml *y, yaml_node_t *node, void *target) {
    static const char *const counts[] = {"nx", "ny", "nz"};
    problem *p = target;
    size_t n;
    if (!cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "the numbers of nodes, as [ny, nx], slowest axis first", MST_MAX_AXES, &n) ||
        !cli_yaml_items(y, node, read_grid_axis, p))
        return false;
    if (n == 0)
        return cli_yaml_error(y, node, "a grid has 1 to %d axes", MST_MAX_AXES);
    if (p->overrides.rank && p->overrides.rank != p->desc.rank)
        return cli_yaml_error(y, node, "the grid has %d axes here and %d by --grid", p->desc.rank, p->overrides.rank);
    for (int k = 0; k < p->desc.rank; k++) {
        if (p->overrides.rank)
            p->desc.grid[k] = p->overrides.grid[k];
        p->parameters[p->desc.rank - 1 - k] = (mst_stencil_parameter){counts[p->desc.rank - 1 - k], (double)p->desc.grid[k]};
    }
    p->desc.n_parameters = (size_t)p->desc.rank;
    p->desc.parameters = p->parameters;
    return true;
}

static bool read_spacing_axis(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    problem *p = target;
    (void)name;
    if (!problem_number(p, node, 0, &p->desc.spacing[index]))
        return false;
    return p->desc.spacing[index] > 0 || cli_yaml_error(y, node, "%g; a spacing is greater than 0", p->desc.spacing[index]);
}

static bool read_spacing(cli_yaml *y, yaml_node_t *node, void *target) {
    problem *p = target;
    size_t n;
    if (node->type == YAML_SCALAR_NODE) { // one for all axes
        for (int k = 0; k < p->desc.rank; k++)
            if (!read_spacing_axis(y, NULL, node, (size_t)k, p))
                return false;
        return true;
    }
    if (!cli_yaml_count(y, node, YAML_SEQUENCE_NODE, "a number, or one an axis, as [dy, dx]", MST_MAX_AXES, &n))
        return false;
    if (n != (size_t)p->desc.rank)
        return cli_yaml_error(y, node, "%zu numbers, but the grid has %d axes", n, p->desc.rank);
    return cli_yaml_items(y, node, read_spacing_axis, p);
}

// ---- Names

static const double *value_set(const problem *p, const char *name) {
    for (size_t i = 0; i < p->overrides.n_set; i++)
        if (strcmp(p->overrides.set[i].name, name) == 0)
            return &p->overrides.set[i].value;
    return NULL;
}

static bool read_parameter(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    problem *p = target;
    const double *set = value_set(p, name);
    double value, nothing;
    (void)y, (void)index;
    if (!problem_new_name(p, node, name) || !problem_number(p, node, 0, &value))
        return false;
    value = set ? *set : value;
    p->parameter_nodes[p->desc.n_parameters] = node;
    p->parameters[p->desc.n_parameters++] = (mst_stencil_parameter){name, value};
    return problem_value(p, node, "0", 0, &nothing); // a name that is a function's, say, is not taken
}

static bool read_parameters(cli_yaml *y, yaml_node_t *node, void *target) {
    size_t n;
    return cli_yaml_count(y, node, YAML_MAPPING_NODE, "a mapping of names to numbers", PROBLEM_MOST_PARAMETERS - MST_MAX_AXES,
                          &n) &&
           cli_yaml_entries(y, node, read_parameter, target);
}

static bool read_definition(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    problem *p = target;
    p->definitions[index] = (mst_stencil_definition){name, cli_yaml_text(y, node, "an expression")};
    p->desc.n_definitions = index + 1;
    return p->definitions[index].expression != NULL;
}

static bool check_definition(cli_yaml *y, const char *name, yaml_node_t *node, size_t index, void *target) {
    (void)y, (void)name;
    return problem_check_definition(target, node, index);
}

static bool read_definitions(cli_yaml *y, yaml_node_t *node, void *target) {
    problem *p = target;
    size_t n;
    p->desc.definitions = p->definitions;
    return cli_yaml_count(y, node, YAML_MAPPING_NODE, "a mapping of names to expressions", MST_STENCIL_MAX_DEFINITIONS, &n) &&
           cli_yaml_entries(y, node, read_definition, p) && cli_yaml_entries(y, node, check_definition, p);
}

// ---- All else

static bool read_precision(cli_yaml *y, yaml_node_t *node, void *target) {
    static const char *const types[] = {"float32", "float64"};
    int type = cli_yaml_choice(y, node, types, CLI_COUNT(types), sizeof types[0]);
    ((problem *)target)->desc.precision = type == 1 ? MST_FLOAT64 : MST_FLOAT32;
    return type >= 0;
}

static bool read_subnormals(cli_yaml *y, yaml_node_t *node, void *target) {
    static const char *const ways[] = {"keep", "flush"};
    const int chosen = cli_yaml_choice(y, node, ways, CLI_COUNT(ways), sizeof ways[0]);
    ((problem *)target)->desc.subnormals = chosen == 1 ? MST_STENCIL_SUBNORMALS_FLUSH : MST_STENCIL_SUBNORMALS_KEEP;
    return chosen >= 0;
}

static bool read_storage(cli_yaml *y, yaml_node_t *node, void *target) {
    problem *p = target;
    return problem_read_storage(y, node, p, &p->storage_bytes);
}

#define NOT_GIVEN UINT64_MAX // steps

static bool read_steps(cli_yaml *y, yaml_node_t *node, void *target) {
    return cli_yaml_integer(y, node, 0, (uint64_t)1 << 62, &((problem *)target)->steps);
}

static const cli_yaml_key problem_keys[] = {
    // In the order of reading: what comes later may use what came before.
    {"grid", read_grid, true},
    {"precision", read_precision, false},
    {"storage", read_storage, false},
    {"subnormals", read_subnormals, false},
    {"parameters", read_parameters, false},
    {"runs", problem_read_runs, false},
    {"spacing", read_spacing, false},
    {"time_step_limit", problem_read_step_limit, false},
    {"time_step", problem_read_time_step, false},
    {"fields", problem_read_fields, true},
    {"materials", problem_read_materials, false},
    {"let", read_definitions, false},
    {"boundary", problem_read_boundary, false},
    {"update", problem_read_update, true},
    {"mask", problem_read_masks, false},
    {"sources", problem_read_sources, false},
    {"receivers", problem_read_receivers, false},
    {"monitors", problem_read_monitors, false},
    {"until", problem_read_until, false},
    {"spectra", problem_read_spectra, false},
    {"output", problem_read_output, false},
    {"steps", read_steps, false},
};

// ---- What the command line sets

static int override(problem *p) {
    const problem_overrides *o = &p->overrides;
    if (o->precision)
        p->desc.precision = o->precision;
    if (o->subnormals)
        p->desc.subnormals = (uint64_t)o->subnormals - 1;
    if (o->steps >= 0)
        p->steps = (uint64_t)o->steps;
    for (size_t i = 0; i < o->n_set; i++) {
        bool known = false;
        for (size_t k = (size_t)p->desc.rank; k < p->desc.n_parameters; k++)
            known |= strcmp(o->set[i].name, p->parameters[k].name) == 0;
        if (!known) {
            cli_error(p->yaml.command, "--set %s: %s has no such parameter", o->set[i].name, p->yaml.path);
            return CLI_USAGE;
        }
    }
    return CLI_DONE;
}

// ---- All of it

static const problem_builtin *find_builtin(const char *name) {
    for (size_t i = 0; i < problem_n_builtins; i++) {
        size_t length = strlen(problem_builtins[i].file) - strlen(".yaml");
        if (strlen(name) == length && memcmp(name, problem_builtins[i].file, length) == 0)
            return &problem_builtins[i];
    }
    return NULL;
}

static int read_text(const char *command, const char *name, const problem_builtin *builtin, problem *p) {
    if (builtin)
        return cli_yaml_parse(command, builtin->file, builtin->text, builtin->bytes, &p->yaml);
    if (access(name, F_OK) != 0 && !strchr(name, '/') && !strchr(name, '.')) {
        char names[400] = "";
        for (size_t i = 0, used = 0; i < problem_n_builtins && used < sizeof names; i++)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.*s", i ? ", " : "",
                                     (int)strcspn(problem_builtins[i].file, "."), problem_builtins[i].file);
        cli_error(command, "%s: neither a file nor a built-in problem; these are %s", name, names);
        return CLI_INPUT_OUTPUT;
    }
    return cli_yaml_open(command, name, &p->yaml);
}

int problem_open(const char *command, const char *name, const problem_overrides *overrides, problem *p) {
    const problem_builtin *builtin = find_builtin(name);
    p->desc = (mst_stencil_desc)MST_STENCIL_DESC_INIT;
    p->desc.boundaries = p->boundaries;
    p->overrides = *overrides;
    p->steps = NOT_GIVEN;
    int code = read_text(command, name, builtin, p);
    if (code != CLI_DONE)
        return code;
    yaml_node_t *root = cli_yaml_root(&p->yaml);
    if (!cli_yaml_keys(&p->yaml, root, problem_keys, CLI_COUNT(problem_keys), p))
        return CLI_INPUT_OUTPUT;
    if (p->steps == NOT_GIVEN && overrides->steps < 0) {
        cli_yaml_error(&p->yaml, root, "the key 'steps' is missing, and no --steps is given");
        return CLI_INPUT_OUTPUT;
    }
    if (!problem_read_initial(p))
        return CLI_INPUT_OUTPUT;
    if (builtin)
        p->n_outputs = p->desc.n_receivers = p->desc.n_spectra = 0;
    code = override(p);
    if (code == CLI_DONE && !problem_choose_step(p))
        return CLI_INPUT_OUTPUT;
    problem_choose_sampling(p);
    return code;
}

void problem_free(problem *p) {
    for (size_t i = 0; i < MST_STENCIL_MAX_FIELDS; i++)
        for (int level = 0; level < 2; level++)
            mst_npy_close(p->data[i][level]);
    for (size_t i = 0; p->samples && i < p->desc.n_sources; i++)
        free(p->samples[i]);
    for (size_t i = 0; i < p->n_traces; i++) {
        free(p->traces[i].points);
        free(p->traces[i].frequencies);
        free(p->traces[i].positions);
    }
    for (size_t i = 0; i < p->n_spectra; i++)
        free(p->spectrum_files[i].frequencies);
    for (size_t i = 0; i < p->n_owned; i++)
        free(p->owned[i]);
    mst_npy_close(p->materials);
    free(p->material_rows);
    free(p->samples);
    free(p->places);
    free(p->sources);
    free(p->receivers);
    free(p->traces);
    free(p->owned);
    free(p->run_values);
    cli_yaml_close(&p->yaml);
    memset(p, 0, sizeof *p);
}
