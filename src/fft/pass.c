#include "half.h"

#include "runtime/numbers.h"

#define CPU_ITEMS_A_UNIT 8u // work-items of a launch for each compute unit

mst_pass mst_pass_back(const mst_pass *pass) {
    mst_pass back = *pass;
    for (int k = 0; k < pass->n_radices; k++)
        back.radices[k] = pass->radices[pass->n_radices - 1 - k];
    if (mst_pass_halves(pass))
        back.half = pass->half == MST_HALF_COMBINE ? MST_HALF_SPLIT : MST_HALF_COMBINE;
    return back;
}

int mst_pass_paired_step(const mst_pass *pass) {
    if (!mst_pass_halves(pass))
        return -1;
    return pass->half == MST_HALF_COMBINE ? pass->n_radices - 1 : 0;
}

size_t mst_pass_rounds(const mst_pass *pass, int step, size_t threads) {
    size_t count = pass->n / pass->radices[step];
    if (step == mst_pass_paired_step(pass) && count > 1)
        return 2 * mst_divide_up((count + 1) / 2, threads);
    return mst_divide_up(count, threads);
}

void mst_view_merge(mst_view *v, int *keep_dim) {
    int n = 0, keep = -1;
    for (int k = 0; k < v->n_dims; k++) {
        bool is_kept = keep_dim && *keep_dim == k;
        if (v->counts[k] == 1 && !is_kept)
            continue;
        bool joins = n > 0 && !is_kept && keep != n - 1 && v->outer[n - 1] == v->outer[k] * (int64_t)v->counts[k] &&
                     v->position[n - 1] == v->position[k] * v->counts[k];
        if (!joins)
            n++;
        v->counts[n - 1] = joins ? v->counts[n - 1] * v->counts[k] : v->counts[k];
        v->outer[n - 1] = v->outer[k];
        v->position[n - 1] = v->position[k];
        if (is_kept)
            keep = n - 1;
    }
    v->n_dims = n;
    if (keep_dim)
        *keep_dim = keep;
}

mst_pass_launch mst_pass_share_out(const mst_pass *pass, const mst_device_info *device, uint64_t n_lines) {
    if (!pass->cpu) {
        size_t group = (size_t)pass->threads * pass->lines;
        return (mst_pass_launch){(size_t)mst_divide_up(n_lines, pass->lines) * group, group, 1};
    }
    size_t tiles = (size_t)mst_divide_up(n_lines, pass->lanes), units = mst_larger(device->compute_units, 1u);
    size_t tiles_an_item = mst_divide_up(tiles, units * CPU_ITEMS_A_UNIT);
    return (mst_pass_launch){mst_divide_up(tiles, tiles_an_item), 1, (cl_uint)tiles_an_item};
}
