// A problem from its parts: the scheme, what feeds and records it, and what is observed of it.
#include "observations.h"
#include "problem_points.h"

static mst_status read_fed(const mst_stencil_desc *desc, mst_problem *p, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_problem_read_scheme(desc, p, error));
    MST_TRY(mst_problem_read_points(desc, p, error));
fail:
    return status;
}

mst_status mst_problem_read(const mst_stencil_desc *desc, mst_problem *p, mst_error *error) {
    mst_status status = MST_OK;
    *p = (mst_problem){0};
    MST_TRY(read_fed(desc, p, error));
    MST_TRY(mst_observations_read(p, desc, &p->observations, error));
fail:
    return status;
}

mst_status mst_problem_read_open(const mst_stencil_desc *desc, mst_problem *p, mst_error *error) {
    *p = (mst_problem){.is_open = true};
    return read_fed(desc, p, error);
}

void mst_problem_release(mst_problem *p) {
    mst_problem_release_scheme(p);
    mst_problem_release_points(p);
    mst_observations_release(p->observations);
    *p = (mst_problem){0};
}
