// The text of the kernels for any length: any.cl around the steps of all radices.
#include "any.h"
#include "even.h"

#include "runtime/program.h"

mst_status mst_any_write(mst_context *context, bool is_double, bool even, mst_text *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_text_add(out, "// Transforms of any length: sizes, radices and strides are arguments.\ntypedef long cell;\n");
    MST_TRY(mst_program_add_file(context, "any_pass.cl", out, error));
    MST_TRY(mst_any_write_steps(context, is_double, false, out, error));
    if (even) {
        mst_text_add(out, "#define EVEN_DATA\n");
        MST_TRY(mst_even_write(context, out, error));
    }
    MST_TRY(mst_program_add_file(context, "any.cl", out, error));
    if (even)
        MST_TRY(mst_program_add_file(context, "any_even.cl", out, error));
fail:
    return status;
}
