// The memory variables of a description's absorbing layers.
#include "description.h"
#include "runtime/description.h"
#include "scheme/layers.h"

#include <stdio.h>
#include <stdlib.h>

#define MEMORY MST_DESCRIPTION(mst_stencil_memory, MST_STENCIL_MEMORY_INIT, name)

static void describe(const mst_problem *p, size_t index, mst_stencil_memory *out) {
    uint64_t grid[N_AXES];
    for (int f = 0; f < p->n_fields; f++) {
        const mst_problem_field *field = &p->fields[f];
        if (!field->is_memory || out->n++ != index)
            continue;
        snprintf(out->name, sizeof out->name, "%s", field->name);
        mst_layers_grid(p, field->array, grid);
        for (int k = 0; k < p->rank; k++)
            out->shape[k] = (size_t)grid[mst_problem_axis(p->rank, k)];
    }
}

mst_status mst_stencil_find_memory(const mst_stencil_desc *desc, size_t index, mst_stencil_memory *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_scheme_description given = {.arrays = {NULL}};
    mst_problem *problem = calloc(1, sizeof *problem);
    mst_stencil_memory full = MST_STENCIL_MEMORY_INIT;
    MST_REQUIRE(desc && out, MST_ERROR_ARGUMENT, "desc and out must not be NULL");
    MST_REQUIRE(problem, MST_ERROR_HOST_MEMORY, "out of memory reading a scheme");
    MST_TRY(mst_description_check(MEMORY, out, error));
    MST_TRY(mst_scheme_description_read(desc, &given, error));
    MST_TRY(mst_problem_read(&given.desc, problem, error));
    describe(problem, index, &full);
    mst_description_write(MEMORY, &full, out);
fail:
    if (problem)
        mst_problem_release(problem);
    free(problem);
    mst_scheme_description_release(&given);
    return status;
}
