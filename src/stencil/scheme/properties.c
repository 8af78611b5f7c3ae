// What a checked problem is asked.
#include "problem.h"

#include <string.h>

int mst_problem_find(const mst_problem *problem, const char *name) {
    for (int f = 0; name && f < problem->n_fields; f++)
        if (strcmp(problem->fields[f].name, name) == 0)
            return f;
    return -1;
}

bool mst_problem_is_newer(const mst_problem *problem, int field, int update) {
    for (int u = 0; u < update; u++)
        if (problem->updates[u].field == field)
            return problem->updates[u].substep < problem->updates[update].substep;
    return false;
}
