// The time step, which a file gives or leaves to the analysis of its scheme.
#include "problem_parts.h"

#include <math.h>
#include <string.h>

// Boundaries, and coefficients that change from node to node, are not in the analysis; rounding lets a wave on the very limit
// grow as the steps; and little is gained by the last twentieth.
static const double SAFETY = 0.95;

bool problem_read_step_limit(cli_yaml *y, yaml_node_t *node, void *target) {
    problem *p = target;
    if (!problem_number(p, node, PROBLEM_SPACING, &p->step_limit))
        return false;
    return p->step_limit > 0 || cli_yaml_error(y, node, "%g; a time step is greater than 0", p->step_limit);
}

// "auto" and "auto 0.8"; the expressions that use dt until all is read see a 1.
static bool read_auto(problem *p, yaml_node_t *node, const char *rest) {
    p->safety = SAFETY;
    p->step_node = node;
    if (*rest && !problem_value(p, node, rest, 0, &p->safety))
        return false;
    return (p->safety > 0 && p->safety <= 1) ||
           cli_yaml_error(&p->yaml, node, "%g; the part of the largest stable time step is above 0 and at most 1", p->safety);
}

bool problem_read_time_step(cli_yaml *y, yaml_node_t *node, void *target) {
    static const char word[] = "auto";
    problem *p = target;
    const char *text = cli_yaml_text(y, node, "a number, an expression, or auto");
    const size_t length = text ? strcspn(text, " \t\n") : 0;
    if (!text)
        return false;
    if (length == sizeof word - 1 && memcmp(text, word, length) == 0)
        return read_auto(p, node, text + length + strspn(text + length, " \t\n"));
    if (!problem_number(p, node, PROBLEM_SPACING | PROBLEM_LIMIT, &p->desc.time_step))
        return false;
    return p->desc.time_step > 0 || cli_yaml_error(y, node, "%g; a time step is greater than 0", p->desc.time_step);
}

bool problem_choose_step(problem *p) {
    mst_stencil_stability stability = MST_STENCIL_STABILITY_INIT;
    mst_error error;
    if (p->overrides.time_step > 0)
        p->desc.time_step = p->overrides.time_step;
    if (p->safety == 0 || p->overrides.time_step > 0)
        return true;
    snprintf(p->yaml.key, sizeof p->yaml.key, "time_step");
    if (mst_stencil_time_step_limit(&p->desc, &stability, &error) != MST_OK)
        return cli_yaml_error(&p->yaml, p->step_node, "auto: %s", error.message);
    if (stability.time_step_limit == 0)
        return cli_yaml_error(&p->yaml, p->step_node, "auto: the scheme is stable at no time step");
    if (isinf(stability.time_step_limit))
        return cli_yaml_error(&p->yaml, p->step_node, "auto: the scheme is stable at any time step; give one that is accurate");
    p->desc.time_step = p->safety * stability.time_step_limit;
    return true;
}
