// Expressions of a description that is not complete yet.
#include "description.h"
#include "runtime/description.h"
#include "stencil/scheme/expressions.h"

// What expressions need of a description, with a copy of its arrays, and its problem.
static mst_status begin(const mst_stencil_desc *desc, mst_scheme_description *given, mst_problem *problem, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_desc part;
    MST_TRY(mst_description_read(MST_DESCRIPTION(mst_stencil_desc, MST_STENCIL_DESC_INIT, schedule), desc, &part, error));
    part.n_updates = part.n_sources = part.n_receivers = part.n_monitors = part.n_spectra = 0;
    part.boundaries = NULL;
    part.until = NULL;
    MST_TRY(mst_scheme_description_read(&part, given, error));
    MST_TRY(mst_problem_begin(&given->desc, problem, error));
fail:
    return status;
}

mst_status mst_stencil_check_expression(const mst_stencil_desc *desc, const char *text, const char *what, unsigned reads,
                                        mst_error *error) {
    mst_status status = MST_OK;
    mst_scheme_description given = {.arrays = {NULL}};
    mst_formula formula = {0};
    mst_problem problem = {0};
    mst_names names;
    MST_REQUIRE(desc && text && what, MST_ERROR_ARGUMENT, "desc, text and what must not be NULL");
    MST_REQUIRE(reads <= MST_STENCIL_READS_ALL, MST_ERROR_ARGUMENT, "reads is %u, which has bits that mean nothing", reads);
    MST_TRY(begin(desc, &given, &problem, error));
    mst_names_list(&problem, &given.desc, reads, &names);
    MST_TRY(mst_formula_parse(&problem, &names, text, what, &formula, error));
fail:
    mst_formula_release(&formula);
    mst_scheme_description_release(&given);
    return status;
}

mst_status mst_stencil_check_definition(const mst_stencil_desc *desc, size_t number, mst_error *error) {
    mst_status status = MST_OK;
    mst_scheme_description given = {.arrays = {NULL}};
    mst_problem problem = {0};
    MST_REQUIRE(desc, MST_ERROR_ARGUMENT, "desc must not be NULL");
    MST_TRY(begin(desc, &given, &problem, error));
    MST_REQUIRE(number < given.desc.n_definitions, MST_ERROR_ARGUMENT, "there are %zu definitions, so there is no number %zu",
                given.desc.n_definitions, number);
    MST_TRY(mst_problem_check_definitions(&problem, &given.desc, number, number + 1, error));
fail:
    mst_scheme_description_release(&given);
    return status;
}
