#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mst_name_array(const mst_problem *problem, int field, int level, mst_name out) {
    snprintf(out, MST_NAME_SIZE, "%s%s", problem->fields[field].name, level > 0 ? "_prev" : "");
    while (level > 0 && mst_problem_find(problem, out) >= 0) // a field has that name
        strcat(out, "_");
}

void mst_name_state(const mst_problem *problem, int array, mst_name out) {
    int field = 0;
    while (problem->fields[field].coefficient || array >= problem->fields[field].array + problem->fields[field].levels)
        field++;
    mst_name_array(problem, field, array - problem->fields[field].array, out);
}

void mst_name_version(const mst_pipeline *pipeline, int version, mst_name out) {
    const mst_field_version *v = &pipeline->versions[version];
    const bool is_input = v->update < 0;
    mst_name array;
    mst_name_array(pipeline->problem, v->field, is_input ? -1 - v->step : 0, array);
    snprintf(out, MST_NAME_SIZE, "%.*s_step%d", MST_NAME_SIZE - 20, array, is_input ? 0 : v->step + 1);
}

void mst_name_leaf(const mst_problem *problem, const mst_leaf *leaf, mst_name out) {
    mst_name array;
    mst_name_array(problem, leaf->field, leaf->level, array);
    int used = snprintf(out, MST_NAME_SIZE, "%s_at", array);
    for (int k = 0; k < problem->rank; k++) {
        int offset = leaf->offsets[mst_problem_axis(problem->rank, k)];
        const char *sign = offset < 0 ? "m" : offset > 0 ? "p" : "";
        used += snprintf(out + used, MST_NAME_SIZE - (size_t)used, "_%s%d", sign, abs(offset));
    }
}
