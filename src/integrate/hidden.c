// Kernels that look for what comparisons and steps hide between nodes, by bounds of byte code.
#include "integrand.h"

#include "expr/bounds.h"
#include "runtime/numbers.h"

// Of all integrands with as many variables one program, or two.
mst_status mst_integral_build_hidden(mst_integral *plan, const char *file, mst_kernel **out, mst_error *error) {
    static const char *const files[] = {"marks.cl", "bounds.cl", "bounds_box.cl", "bounds_limits.cl", "bounds_ways.cl"};
    mst_status status = MST_OK;
    mst_text text = {0};
    const mst_program *program;
    bool varies = false;
    for (int k = 0; k < plan->desc.n_variables; k++)
        varies = varies || mst_range_depends(plan, k);
    mst_text_put(&text, "#define LIMITS_VARY $varies\n#define NODES_INSIDE $inside\n", MST_SET(varies, (int)varies),
                 MST_SET(inside, (int)(plan->method == &mst_integral_regions)));
    mst_expr_write_operations(&text);
    MST_TRY(mst_program_add_files(plan->context, files, MST_COUNT(files), &text, error));
    MST_TRY(mst_integrand_build_code(plan, &text, file, &program, error));
    MST_TRY(mst_kernel_create(program, "hidden", out, error));
fail:
    mst_text_release(&text);
    return status;
}
