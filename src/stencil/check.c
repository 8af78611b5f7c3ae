// Whether the fields are still finite.
#include "solver.h"

static mst_status check_field(mst_stencil *s, const mst_problem_field *field, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t now, before = s->nonfinite[field->array];
    MST_TRY(mst_solver_count(s, field->array, &now, error));
    MST_REQUIRE(now <= before, MST_ERROR_DIVERGED,
                "%s diverged between steps %llu and %llu: %llu of its %llu values are infinite or NaN, %llu when it began",
                field->name, (unsigned long long)s->checked_step, (unsigned long long)s->step, (unsigned long long)now,
                (unsigned long long)s->problem.nodes, (unsigned long long)before);
fail:
    return status;
}

mst_status mst_solver_check(mst_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    for (int f = 0; f < s->problem.n_fields; f++)
        if (!s->problem.fields[f].coefficient)
            MST_TRY(check_field(s, &s->problem.fields[f], error));
    s->checked_step = s->step;
fail:
    return status;
}
