// The memory that a block works in.
#include "bricks.h"

uint64_t mst_deconvolution_work_bytes(const mst_deconvolution *plan, int which) {
    const uint64_t real = mst_deconvolution_real_bytes(plan), array = plan->points * real;
    const bool iterates = mst_deconvolution_iterates(plan), accelerated = iterates && plan->desc.accelerate;
    const bool weighted = plan->desc.weights.rank > 0, sums = iterates || plan->cut.is_cut;
    switch (which) {
    case WORK_REAL:
        return array;
    case WORK_SPECTRA:
        return plan->spectrum_points * 2 * real;
    case WORK_SEEN:
    case WORK_X:
        return iterates ? array : 0;
    case WORK_BEFORE:
        return iterates && mst_deconvolution_alternates(plan) ? array : 0;
    case WORK_PREDICTED:
    case WORK_STEP:
        return accelerated ? array : 0;
    case WORK_WEIGHTS:
        return weighted ? array : 0;
    case WORK_GAIN:
        return mst_deconvolution_has_gains(plan) ? array : 0;
    case WORK_FACES:
        return plan->cut.is_cut ? mst_brick_faces(plan) * real : 0;
    case WORK_SUMS:
        return sums ? mst_deconvolution_chunks(plan, plan->points) * MST_DECONVOLUTION_NUMBERS * real : 0;
    case WORK_SUMS_2:
        return sums ? MST_DECONVOLUTION_PARTS * MST_DECONVOLUTION_NUMBERS * real : 0;
    case WORK_SCALARS:
        return sums ? MST_DECONVOLUTION_NUMBERS * real : 0;
    case WORK_FAULTS:
        return MST_DECONVOLUTION_FAULTS * sizeof(cl_uint);
    default:
        return 0;
    }
}

mst_status mst_deconvolution_prepare(void *user, size_t n_items, mst_error *error) {
    mst_deconvolution *plan = user;
    mst_status status = MST_OK;
    plan->block_items = n_items;
    for (int w = 0; w < N_WORK; w++) {
        mst_device_release(plan->context, plan->work[w].buffer, plan->work[w].bytes);
        plan->work[w] = (mst_work){NULL, 0};
    }
    for (int t = 0; t < N_TRANSFORMS; t++)
        if (plan->transforms[t])
            MST_TRY(mst_fft_prepare(plan->transforms[t], n_items * mst_deconvolution_transforms(plan), error));
    for (int w = 0; w < N_WORK && n_items > 0; w++) {
        plan->work[w].bytes = n_items * mst_deconvolution_work_bytes(plan, w);
        MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_WRITE, plan->work[w].bytes, "work memory", &plan->work[w].buffer,
                                    error));
    }
fail:
    return status;
}
