// Kernels, and their launches.
#include "plan.h"

#include "runtime/numbers.h"

#include <stdio.h>

// A lane's points of an item, and lanes side by side.
#define CPU_RUN 2048
#define GPU_RUN 16
#define GPU_LANES 64

static size_t lanes_of(const mst_deconvolution *plan) { return plan->cpu ? 1 : GPU_LANES; }
static size_t run_of(const mst_deconvolution *plan) { return plan->cpu ? CPU_RUN : GPU_RUN; }

static bool is_wanted(const mst_deconvolution *plan, int kernel) {
    const bool iterates = mst_deconvolution_iterates(plan);
    switch (kernel) {
    case KERNEL_FACE:
        return plan->cut.is_cut;
    case KERNEL_SEEN:
    case KERNEL_REDUCE:
    case KERNEL_JUDGE:
        return iterates || plan->cut.is_cut;
    case KERNEL_PSF:
    case KERNEL_LOAD:
    case KERNEL_STORE:
        return true;
    case KERNEL_PRODUCT:
        return plan->product_side == N_SIDES;
    case KERNEL_INVERSE:
        return !iterates;
    case KERNEL_MISS:
        return iterates && plan->cut.is_cut && plan->desc.exact;
    case KERNEL_PREDICT:
        return iterates && plan->desc.accelerate;
    case KERNEL_VARY:
        return iterates && plan->desc.total_variation > 0;
    case KERNEL_SCALE:
        return iterates && !mst_deconvolution_alternates(plan);
    case KERNEL_UPDATE:
        return iterates && mst_deconvolution_alternates(plan);
    default:
        return iterates;
    }
}

mst_status mst_deconvolution_make_kernels(mst_deconvolution *plan, mst_error *error) {
    static const char *const names[N_KERNELS] = {
        "place_psf",   "load_array", "store_result", "multiply_spectra",    "invert_transfer", "make_gain", "start_from",
        "predict",     "take_ratio", "miss_of_own",  "divide_by_variation", "scale_x",         "update_x",  "sum_seen",
        "reduce_sums", "judge",      "take_face"};
    static const char *const files[] = {"deconv.cl", "richardson_lucy.cl"};
    mst_status status = MST_OK;
    const mst_program *program;
    mst_text text = {0};
    char options[120];
    snprintf(options, sizeof options, "%s -D LANES=%zu -D RUN=%zu", mst_program_precision(plan->context, plan->is_double),
             lanes_of(plan), run_of(plan));
    MST_TRY(mst_program_add_files(plan->context, files, MST_COUNT(files), &text, error));
    MST_TRY(mst_program_of_text(plan->context, "deconvolution: between transforms", &text, options, &program, error));
    for (int k = 0; k < N_KERNELS; k++)
        if (is_wanted(plan, k))
            MST_TRY(mst_kernel_create(program, names[k], &plan->kernels[k], error));
fail:
    mst_text_release(&text);
    return status;
}

size_t mst_deconvolution_chunks(const mst_deconvolution *plan, size_t points) {
    return mst_divide_up(points, lanes_of(plan) * run_of(plan)) * lanes_of(plan);
}

size_t mst_deconvolution_row_items(const mst_deconvolution *plan, size_t rows) { return rows * lanes_of(plan); }

mst_status mst_deconvolution_launch(mst_deconvolution *plan, mst_queue *queue, int which, const mst_argument *arguments,
                                    size_t n_arguments, size_t items, mst_error *error) {
    const mst_kernel *kernel = plan->kernels[which];
    size_t group = plan->cpu ? 1 : mst_kernel_group(plan->context, kernel, items);
    return mst_kernel_launch(queue, kernel, arguments, n_arguments, items, group, NULL, error);
}
