// Names and expressions in a problem file.
#include "problem_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const axis_names[] = {"x", "y", "z"}, *const spacing_names[] = {"dx", "dy", "dz"};

static size_t list_symbols(const problem *p, unsigned scope, mst_symbol symbols[PROBLEM_MOST_SYMBOLS]) {
    int rank = p->desc.rank;
    size_t n = 0;
    for (size_t i = 0; i < p->desc.n_parameters; i++)
        symbols[n++] = (mst_symbol){p->parameters[i].name, 0, 0, p->parameters[i].value};
    for (int k = 0; (scope & PROBLEM_SPACING) && k < rank; k++)
        symbols[n++] = (mst_symbol){spacing_names[k], 0, 0, p->desc.spacing[rank - 1 - k]};
    if (scope & PROBLEM_STEP)
        symbols[n++] = (mst_symbol){"dt", 0, 0, p->desc.time_step};
    if (scope & PROBLEM_LIMIT && p->step_limit > 0)
        symbols[n++] = (mst_symbol){"time_step_limit", 0, 0, p->step_limit};
    if (scope & PROBLEM_TIME)
        symbols[n++] = (mst_symbol){"t", 0, 0, 0};
    return n;
}

static bool expression_error(const cli_yaml *y, const yaml_node_t *node, const mst_error *error) {
    cli_yaml_error(y, node, "%s", error->message);
    if (error->excerpt[0])
        fprintf(stderr, "%s\n", error->excerpt);
    return false;
}

bool problem_number(problem *p, yaml_node_t *node, unsigned scope, double *value) {
    const char *text = cli_yaml_text(&p->yaml, node, "a number or an expression");
    return text && problem_value(p, node, text, scope, value);
}

// A name in the text that stands for another number in every run; NULL: none.
static const char *varying_name(const problem *p, const char *text) {
    while (*text) {
        const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.");
        for (size_t i = 0; i < p->desc.n_run_parameters; i++)
            if (strlen(p->run_parameters[i]) == length && memcmp(p->run_parameters[i], text, length) == 0)
                return p->run_parameters[i];
        text += length ? length : 1;
    }
    return NULL;
}

bool problem_value(problem *p, const yaml_node_t *node, const char *text, unsigned scope, double *value) {
    mst_symbol symbols[PROBLEM_MOST_SYMBOLS];
    mst_error error;
    const char *varying = varying_name(p, text);
    if (varying)
        return cli_yaml_error(&p->yaml, node, "%s differs from run to run, and this must not", varying);
    if (mst_expression_value(text, "the expression", symbols, list_symbols(p, scope, symbols), value, &error) != MST_OK)
        return expression_error(&p->yaml, node, &error);
    return isfinite(*value) || cli_yaml_error(&p->yaml, node, "%s is %g, not a finite number", text, *value);
}

bool problem_is_name(const char *text) {
    if (!isalpha((unsigned char)text[0]) && text[0] != '_')
        return false;
    size_t n = 1;
    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return text[n] == '\0' && n < 64;
}

// Whether a name of a text of so many letters is that of something.
static bool is_taken(const problem *p, const char *name, size_t length) {
    mst_symbol symbols[PROBLEM_MOST_SYMBOLS];
    size_t n = list_symbols(p, PROBLEM_SPACING | PROBLEM_STEP | PROBLEM_TIME, symbols);
    bool taken = false;
    for (size_t i = 0; i < n; i++)
        taken = taken || (strlen(symbols[i].name) == length && memcmp(symbols[i].name, name, length) == 0);
    for (int k = 0; k < p->desc.rank; k++)
        taken = taken || (length == 1 && *name == *axis_names[k]);
    for (size_t i = 0; i < p->desc.n_fields; i++)
        taken = taken || (strlen(p->fields[i].name) == length && memcmp(p->fields[i].name, name, length) == 0);
    return taken;
}

bool problem_new_name(problem *p, yaml_node_t *node, const char *name) {
    if (!problem_is_name(name))
        return cli_yaml_error(&p->yaml, node, "'%s' is no name: letters, digits and _, not beginning with a digit", name);
    return !is_taken(p, name, strlen(name)) ||
           cli_yaml_error(&p->yaml, node, "the name '%s' has a meaning already; choose another", name);
}

bool problem_check_definition(problem *p, yaml_node_t *node, size_t number) {
    mst_error error;
    const char *name = p->definitions[number].name;
    size_t length = strcspn(name, "( ");
    if (is_taken(p, name, length))
        return cli_yaml_error(&p->yaml, node, "the name '%.*s' has a meaning already; choose another", (int)length, name);
    return mst_stencil_check_definition(&p->desc, number, &error) == MST_OK || expression_error(&p->yaml, node, &error);
}

char *problem_own(problem *p, const char *text) {
    char **more = realloc(p->owned, (p->n_owned + 1) * sizeof *more), *copy = more ? strdup(text) : NULL;
    if (more)
        p->owned = more;
    if (copy)
        p->owned[p->n_owned++] = copy;
    else
        cli_error(p->yaml.command, "out of memory");
    return copy;
}

const char *problem_expression(problem *p, yaml_node_t *node, const char *text, unsigned scope) {
    mst_error error;
    unsigned reads = (scope & PROBLEM_SPACE ? MST_STENCIL_READS_PLACES : 0u) |
                     (scope & PROBLEM_TIME ? MST_STENCIL_READS_TIME : 0u) |
                     (scope & PROBLEM_FIELDS ? MST_STENCIL_READS_FIELDS : 0u);
    if (mst_stencil_check_expression(&p->desc, text, "the expression", reads, &error) == MST_OK)
        return problem_own(p, text);
    expression_error(&p->yaml, node, &error);
    return NULL;
}

bool problem_check_until(problem *p, yaml_node_t *node, const char *text) {
    mst_symbol symbols[PROBLEM_MOST_SYMBOLS + PROBLEM_MOST_MONITORS + PROBLEM_MOST_REDUCTIONS];
    mst_error error;
    size_t n = list_symbols(p, PROBLEM_STEP | PROBLEM_TIME, symbols);
    for (size_t i = 0; i < p->desc.n_monitors; i++)
        symbols[n++] = (mst_symbol){p->monitors[i].name, 0, 0, 0};
    return mst_expression_value(text, "the condition", symbols, n, NULL, &error) == MST_OK ||
           expression_error(&p->yaml, node, &error);
}
