// The text of the kernels for any length: any.cl and what it is made of around the steps of all radices.
#include "any.h"
#include "even.h"

#include "runtime/numbers.h"
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
    if (context->device.type == CL_DEVICE_TYPE_CPU) // simulators, which are of several types, know no such instruction
        mst_text_add(out, "#define PREFETCHES\n");
    MST_TRY(mst_program_add_file(context, "any_moves.cl", out, error));
    MST_TRY(mst_program_add_file(context, "any_short.cl", out, error));
    mst_any_write_columns(out);
    static const char *const files[] = {"any_prime.cl", "any_ends.cl", "any_box.cl",   "any.cl",
                                        "any_tiles.cl", "any_wide.cl", "any_apart.cl", "any_kernel.cl"};
    MST_TRY(mst_program_add_files(context, files, MST_COUNT(files), out, error));
    static const char *const of_even[] = {"any_even_odd.cl", "any_even.cl", "any_even_lanes.cl"};
    if (even)
        MST_TRY(mst_program_add_files(context, of_even, MST_COUNT(of_even), out, error));
fail:
    return status;
}
