// Convolution along the axis that a team shares: each process computes its rows of the result from the rows of x that they reach,
// in full, and writes what the mode keeps of them. Nothing is exchanged, as files are where all see them.
#include "convolve_first.h"

#include "core/file.h"
#include "core/layout.h"
#include "core/report.h"

#include <stdlib.h>
#include <string.h>

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

int convolve_first_cut(const char *command, const cli_share *share, mst_convolution_desc *desc, mst_location *x,
                       convolve_first *out) {
    mst_error error;
    mst_layout full;
    const mst_layout mode = desc->z;
    mst_convolution_desc whole = *desc;
    whole.mode = MST_CONVOLUTION_FULL;
    whole.z = (mst_layout)MST_LAYOUT_INIT;
    if (mst_convolution_result(&whole, &full, &error) != MST_OK)
        return cli_fail_input(command, NULL, &error);
    *out = (convolve_first){.kept = mode};
    for (int k = 0; k < mode.rank; k++)
        out->start[k] = (full.shape[k] - mode.shape[k]) / 2; // as SciPy cuts same and valid
    const size_t from = out->start[0] + share->first, to = from + share->count, taps = desc->y.shape[0];
    const size_t low = from - smaller(from, taps - 1), high = share->count > 0 ? smaller(to, desc->x.shape[0]) : low;
    out->start[0] = from - low;
    out->kept.shape[0] = share->count;
    const uint64_t bytes = low * (uint64_t)desc->x.strides[0] * mst_type_bytes(desc->x.type);
    if (x->place == MST_PLACE_HOST)
        x->host = (char *)x->host + (share->count > 0 ? bytes : 0);
    else
        x->offset += bytes;
    whole.x.shape[0] = high - low;
    if (mst_convolution_result(&whole, &whole.z, &error) != MST_OK)
        return cli_fail_input(command, NULL, &error);
    *desc = whole;
    out->values = malloc((size_t)cli_layout_bytes(&whole.z) + 1);
    return out->values ? CLI_DONE : cli_out_of_memory(command, "this rank's part of the result");
}

static bool next_line(const mst_layout *l, size_t *index) {
    for (int k = l->rank - 2; k >= 0; k--) {
        if (++index[k] < l->shape[k])
            return true;
        index[k] = 0;
    }
    return false;
}

int convolve_first_write(const char *command, const char *path, const convolve_first *c, const mst_layout *full,
                         const mst_location *to) {
    const mst_layout *l = &c->kept;
    const int last = l->rank - 1;
    const size_t bytes = mst_type_bytes(l->type);
    size_t index[MST_MAX_RANK] = {0};
    const mst_layout dense = mst_layout_dense(l->type, l->rank, l->shape);
    if (cli_layout_bytes(l) == 0)
        return CLI_DONE;
    do {
        size_t from = c->start[last], at = 0;
        for (int k = 0; k < last; k++) {
            from += (c->start[k] + index[k]) * (size_t)full->strides[k];
            at += index[k] * (size_t)dense.strides[k];
        }
        if (!cli_write_bytes(to, at * bytes, (const char *)c->values + from * bytes, l->shape[last] * bytes))
            return cli_fail_file(command, path, "cannot be written");
        cli_work_goes_on();
    } while (next_line(l, index));
    return CLI_DONE;
}
