// The public functions that make solvers, and plans without them.
#include "description.h"
#include "members.h"
#include "runtime/description.h"

#define PLAN MST_DESCRIPTION(mst_stencil_plan, MST_STENCIL_PLAN_INIT, shape)

static void write_figures(const mst_stencil *s, uint64_t steps, mst_stencil_plan *plan) {
    mst_stencil_plan full = MST_STENCIL_PLAN_INIT;
    mst_members_figures(s, steps, &full);
    mst_description_write(PLAN, &full, plan);
}

mst_status mst_stencil_predict(mst_context *context, const mst_stencil_desc *desc, uint64_t steps, mst_stencil_plan *plan,
                               mst_error *error) {
    mst_status status = MST_OK;
    mst_scheme_description given = {.arrays = {NULL}};
    mst_stencil *s = NULL;
    MST_REQUIRE(context && desc && plan, MST_ERROR_ARGUMENT, "context, desc and plan must not be NULL");
    MST_TRY(mst_description_check(PLAN, plan, error));
    MST_TRY(mst_scheme_description_read(desc, &given, error));
    MST_TRY(mst_members_plan(context, &given.desc, steps, &s, error));
    write_figures(s, steps, plan);
fail:
    mst_stencil_destroy(s);
    mst_scheme_description_release(&given);
    return status;
}

mst_status mst_stencil_create(mst_context *context, const mst_stencil_desc *desc, mst_stencil **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_scheme_description given = {.arrays = {NULL}};
    if (out)
        *out = NULL;
    MST_REQUIRE(context && desc && out, MST_ERROR_ARGUMENT, "context, desc and out must not be NULL");
    MST_TRY(mst_scheme_description_read(desc, &given, error));
    MST_TRY(mst_members_create(context, &given.desc, out, error));
fail:
    mst_scheme_description_release(&given);
    return status;
}

mst_status mst_stencil_describe(const mst_stencil *s, uint64_t steps, mst_stencil_plan *plan, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(s && plan, MST_ERROR_ARGUMENT, "solver and plan must not be NULL");
    MST_TRY(mst_description_check(PLAN, plan, error));
    write_figures(s, steps, plan);
fail:
    return status;
}
