// The kernel of a pass.
#include "even.h"
#include "write_parts.h"

static void write_heading(const mst_pass *pass, mst_text *out) {
    static const char *const what[] = {[MST_PASS_TRANSFORM] = "Transforms of $n points",
                                       [MST_PASS_CHIRP] = "Bluestein's convolutions of $n points",
                                       [MST_PASS_RADER] = "Rader's convolutions of $n points"};
    char radices[100];
    mst_pass_radices_text(pass, radices, sizeof radices);
    mst_text_put(out, "// ", {0});
    mst_text_put(out, what[pass->convolution], MST_SET(n, pass->n));
    mst_text_put(out, ", radix $radices", MST_SET(radices, radices));
    if (pass->cpu)
        mst_text_put(out, ": $lanes at once, one in each lane of vectors.\n\n", MST_SET(lanes, pass->lanes));
    else
        mst_text_put(out, ": $threads work-items a transform, $lines transforms a work-group.\n\n",
                     MST_SET(threads, pass->threads), MST_SET(lines, pass->lines));
}

mst_status mst_pass_write(mst_context *context, const mst_pass *pass, const mst_signature *signature, mst_text *out,
                          mst_error *error) {
    write_heading(pass, out);
    mst_status status = mst_butterflies_write(context, pass, out, error);
    if (status == MST_OK && (pass->load.even || pass->store.even))
        status = mst_even_write(context, out, error);
    if (status != MST_OK)
        return status;
    mst_pass_write_values(pass, out);
    if (mst_pass_halves(pass))
        mst_pass_gpu_write_half_functions(pass, out);
    if (pass->convolution)
        mst_pass_write_convolution(pass, signature, out);
    else if (pass->cpu)
        mst_pass_write_cpu(pass, signature, out);
    else if (pass->n_box > 0)
        mst_pass_write_box(pass, signature, out);
    else
        mst_pass_write_gpu(pass, signature, out);
    return MST_OK;
}
