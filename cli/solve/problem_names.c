// Expressions in a problem file: which names they may use, and how definitions are put in place of theirs.
#include "problem_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const axis_names[] = {"x", "y", "z"}, *const spacing_names[] = {"dx", "dy", "dz"};

static size_t list_symbols(const problem *p, unsigned scope, bool definitions, mst_symbol symbols[PROBLEM_MOST_SYMBOLS]) {
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
    for (int k = 0; (scope & PROBLEM_SPACE) && k < rank; k++)
        symbols[n++] = (mst_symbol){axis_names[k], 0, 0, 0};
    if (scope & PROBLEM_TIME)
        symbols[n++] = (mst_symbol){"t", 0, 0, 0};
    for (size_t i = 0; (scope & PROBLEM_FIELDS) && i < p->desc.n_fields; i++)
        symbols[n++] = (mst_symbol){p->fields[i].name, rank, p->fields[i].levels, 0};
    for (size_t i = 0; definitions && i < p->n_definitions; i++)
        symbols[n++] = (mst_symbol){p->definitions[i].name, 0, 0, 0};
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

bool problem_value(problem *p, yaml_node_t *node, const char *text, unsigned scope, double *value) {
    mst_symbol symbols[PROBLEM_MOST_SYMBOLS];
    mst_error error;
    const char *varying = varying_name(p, text);
    if (varying)
        return cli_yaml_error(&p->yaml, node, "%s differs from run to run, and this must not", varying);
    if (mst_expression_value(text, "the expression", symbols, list_symbols(p, scope, false, symbols), value, &error) != MST_OK)
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

bool problem_new_name(problem *p, yaml_node_t *node, const char *name) {
    mst_symbol symbols[PROBLEM_MOST_SYMBOLS];
    size_t n = list_symbols(p, PROBLEM_EVERYTHING, true, symbols);
    if (!problem_is_name(name))
        return cli_yaml_error(&p->yaml, node, "'%s' is no name: letters, digits and _, not beginning with a digit", name);
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, symbols[i].name) == 0)
            return cli_yaml_error(&p->yaml, node, "the name '%s' has a meaning already; choose another", name);
    return true;
}

// The definition whose name the text begins with.
static const problem_definition *definition_at(const problem *p, const char *text, size_t length) {
    for (size_t i = 0; i < p->n_definitions; i++)
        if (strlen(p->definitions[i].name) == length && memcmp(p->definitions[i].name, text, length) == 0)
            return &p->definitions[i];
    return NULL;
}

// Copies the text with the text of each definition, in parentheses, in place of the definition's name; false if it gets too long.
// Definitions hold no names of others, whose texts were put in when they were read.
static bool put_in(const problem *p, const char *text, char out[PROBLEM_LONGEST_TEXT]) {
    size_t used = 0;
    while (*text) {
        size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.");
        const problem_definition *found = length ? definition_at(p, text, length) : NULL;
        length = length ? length : 1;
        int n = found ? snprintf(out + used, PROBLEM_LONGEST_TEXT - used, "(%s)", found->text)
                      : snprintf(out + used, PROBLEM_LONGEST_TEXT - used, "%.*s", (int)length, text);
        used += (size_t)n;
        text += length;
        if (used >= PROBLEM_LONGEST_TEXT)
            return false;
    }
    return true;
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

// The text is checked as it stands in the file, so that a message points into that, and then with the definitions in it.
const char *problem_expression(problem *p, yaml_node_t *node, const char *text, unsigned scope) {
    mst_symbol symbols[PROBLEM_MOST_SYMBOLS];
    char expanded[PROBLEM_LONGEST_TEXT];
    mst_error error;
    size_t n = list_symbols(p, scope, true, symbols);
    if (mst_expression_value(text, "the expression", symbols, n, NULL, &error) != MST_OK) {
        expression_error(&p->yaml, node, &error);
        return NULL;
    }
    if (!put_in(p, text, expanded)) {
        cli_yaml_error(&p->yaml, node, "longer than %d letters with the definitions put in", PROBLEM_LONGEST_TEXT - 1);
        return NULL;
    }
    n = list_symbols(p, scope, false, symbols);
    if (mst_expression_value(expanded, "the expression", symbols, n, NULL, &error) != MST_OK) {
        expression_error(&p->yaml, node, &error);
        return NULL;
    }
    return problem_own(p, expanded);
}

bool problem_check_until(problem *p, yaml_node_t *node, const char *text) {
    mst_symbol symbols[PROBLEM_MOST_SYMBOLS + MST_STENCIL_MAX_FIELDS + PROBLEM_MOST_MONITORS + PROBLEM_MOST_REDUCTIONS];
    mst_error error;
    size_t n = list_symbols(p, PROBLEM_STEP | PROBLEM_TIME, false, symbols);
    for (size_t i = 0; i < p->desc.n_monitors; i++)
        symbols[n++] = (mst_symbol){p->monitors[i].name, 0, 0, 0};
    return mst_expression_value(text, "the condition", symbols, n, NULL, &error) == MST_OK ||
           expression_error(&p->yaml, node, &error);
}
