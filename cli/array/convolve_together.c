#include "convolve_together.h"

#include "work.h"

#include "core/team.h"

bool convolve_is_together(const mst_convolution_desc *desc) {
    const bool by_transforms = desc->algorithm == MST_CONVOLUTION_AUTO || desc->algorithm == MST_CONVOLUTION_FUSED;
    mst_layout result;
    size_t columns = 1;
    if (!cli_get_team()->convolve || desc->x.rank < 2 || !by_transforms || mst_convolution_result(desc, &result, NULL) != MST_OK)
        return false;
    for (int k = 1; k < result.rank; k++)
        columns *= result.shape[k];
    const size_t share = cli_share_of(result.shape[0], 0).count;
    const bool has_long_kernel = desc->y.shape[0] > share - share / 4;
    const bool all_have_some = columns >= (size_t)cli_get_team()->count;
    return columns > 0 && (desc->mode == MST_CONVOLUTION_CIRCULAR || (has_long_kernel && all_have_some));
}

int convolve_do_together(convolve_together *work, cli_output *output, const cli_options *options) {
    int code = cli_get_team()->convolve(work, options);
    if (code != CLI_DONE || work->dry_run || !output->path)
        return code;
    code = cli_output_commit(output);
    const cli_work done = {.command = work->command,
                           .path = output->path,
                           .result = &work->desc->z,
                           .algorithm = "distributed-fft",
                           .bytes = work->bytes,
                           .report = &work->report};
    return code == CLI_DONE ? cli_report_work(&done, options, work->context) : code;
}
