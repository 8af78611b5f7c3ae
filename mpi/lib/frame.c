#include "frame.h"

#include "description.h"
#include "part.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>

// ---- What is transformed

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }
static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static const size_t longest = (size_t)1 << 48; // transform, so that lengths and their small multiples are numbers of 64 bits

// The least length from n on, at most the longest one, that has no prime factor above 7.
static size_t smooth_length(size_t n) {
    size_t least = longest;
    for (size_t sevens = 1; sevens < least; sevens *= 7)
        for (size_t fives = sevens; fives < least; fives *= 5)
            for (size_t threes = fives; threes < least; threes *= 3) {
                size_t all = threes;
                while (all < n)
                    all *= 2;
                least = smaller(least, all);
            }
    return least;
}

// Along one axis: how long transforms are, so that nothing comes round to what is kept, and where that begins.
static mst_status choose_length(mst_convolution_mode mode, int axis, size_t n, size_t m, size_t result, size_t *length,
                                size_t *kept, mst_error *error) {
    mst_status status = MST_OK;
    const size_t full = n + m - 1;
    *kept = mode == MST_CONVOLUTION_CIRCULAR ? 0 : (full - result) / 2; // as SciPy cuts same and valid
    *length = mode == MST_CONVOLUTION_CIRCULAR ? n : larger(larger(full - *kept, *kept + result), larger(n, m));
    REQUIRE(*length <= longest, MST_ERROR_UNSUPPORTED, "along axis %d transforms would be of %zu elements; at most of %zu", axis,
            *length, longest);
    if (mode != MST_CONVOLUTION_CIRCULAR)
        *length = smooth_length(*length);
fail:
    return status;
}

static mst_type complex_of(mst_type type) {
    return type == MST_FLOAT32 ? MST_COMPLEX64 : type == MST_FLOAT64 ? MST_COMPLEX128 : type;
}

static mst_status describe_transforms(const mst_convolution_desc *d, mst_mpi_frame *f, mst_error *error) {
    mst_status status = MST_OK;
    const bool is_real = complex_of(f->whole[MST_MPI_Z].type) != f->whole[MST_MPI_Z].type;
    mst_mpi_fft_desc *to = &f->forward;
    double points = 1;
    to->input = f->whole[MST_MPI_Z].type;
    to->rank = d->x.rank;
    to->n_axes = d->n_axes;
    for (int a = 0; a < d->n_axes; a++) {
        to->axes[a] = d->axes[a] < 0 ? d->axes[a] + to->rank : d->axes[a];
        f->is_along[to->axes[a]] = true;
    }
    for (int k = 0; k < to->rank; k++) {
        const size_t n = d->x.shape[k], m = d->y.shape[k];
        to->shape[k] = larger(n, m);
        if (f->is_along[k])
            TRY(choose_length(d->mode, k, n, m, f->whole[MST_MPI_Z].shape[k], &to->shape[k], &f->kept[k], error));
        points *= f->is_along[k] ? (double)to->shape[k] : 1;
    }
    to->transposed_input = MST_MPI_AS_IT_IS;
    to->transposed_output = 1;
    f->inverse = *to;
    f->inverse.direction = MST_FFT_INVERSE;
    f->inverse.scale = 1 / points;
    f->inverse.input = complex_of(to->input);
    f->inverse.output = is_real ? to->input : (mst_type)0;
    f->inverse.transposed_input = 1;
    f->inverse.transposed_output = MST_MPI_AS_IT_IS;
fail:
    return status;
}

mst_status mst_mpi_frame_make(const mst_convolution_desc *given, mst_mpi_cut cut, double timeout, mst_mpi_frame *f,
                              mst_error *error) {
    mst_status status = MST_OK;
    mst_convolution_desc d = MST_CONVOLUTION_DESC_INIT;
    mst_layout result;
    *f = (mst_mpi_frame){.forward = MST_MPI_FFT_DESC_INIT};
    REQUIRE(given, MST_ERROR_ARGUMENT, "desc must not be NULL");
    TRY(mst_convolution_result(given, &result, error)); // which checks it
    TRY(mst_mpi_check_timeout(timeout, error));
    memcpy(&d, given, smaller(given->struct_size, sizeof d));
    f->whole[MST_MPI_X] = mst_layout_dense(result.type, result.rank, d.x.shape);
    f->whole[MST_MPI_Y] = mst_layout_dense(result.type, result.rank, d.y.shape);
    f->whole[MST_MPI_Z] = result;
    for (int k = 0; k < result.rank; k++)
        f->is_empty = f->is_empty || result.shape[k] == 0;
    if (f->is_empty)
        return MST_OK;
    f->forward.cut = cut;
    f->forward.timeout = timeout;
    TRY(describe_transforms(&d, f, error));
    f->is_backwards = d.correlate && d.mode != MST_CONVOLUTION_CIRCULAR;
    f->is_conjugated = d.correlate && d.mode == MST_CONVOLUTION_CIRCULAR;
fail:
    return status;
}

// ---- Who has what

// This rank's padded array, and its spectrum, which both transforms have in one order.
static mst_status find_padded(mst_mpi_frame *f, int n_ranks, int rank, mst_mpi_part *padded, mst_mpi_part *spectrum,
                              mst_error *error) {
    mst_status status = mst_mpi_fft_parts(&f->forward, n_ranks, rank, padded, spectrum, error);
    if (status != MST_OK)
        return status;
    const mst_layout dense = mst_layout_dense(padded->layout.type, padded->layout.rank, padded->layout.shape);
    padded->layout = dense;
    memcpy(f->forward.input_strides, dense.strides, sizeof dense.strides);
    memcpy(f->inverse.output_strides, dense.strides, sizeof dense.strides);
    memcpy(f->inverse.input_strides, spectrum->layout.strides, sizeof spectrum->layout.strides);
    return MST_OK;
}

bool mst_mpi_frame_repeats(const mst_mpi_frame *f, int side, int axis) {
    return !f->is_along[axis] && side != MST_MPI_Z && f->whole[side].shape[axis] != f->forward.shape[axis];
}

bool mst_mpi_frame_turns(const mst_mpi_frame *f, int side, int axis) {
    return side == MST_MPI_Y && f->is_backwards && f->is_along[axis];
}

// What lies in the padded array of one side, and where it begins there, from its own first element on or, turned round, its last.
static void find_part(const mst_mpi_frame *f, int side, const mst_mpi_part *padded, mst_mpi_operand *out) {
    const mst_layout *whole = &f->whole[side];
    mst_mpi_part *part = &out->part;
    *part = *padded;
    for (int k = 0; k < whole->rank; k++) {
        const size_t n = whole->shape[k], from = padded->start[k], to = from + padded->layout.shape[k];
        const size_t shift = side == MST_MPI_Z ? f->kept[k] : 0, low = smaller(larger(from, shift), n + shift);
        const size_t high = larger(smaller(to, n + shift), low);
        part->start[k] = mst_mpi_frame_repeats(f, side, k) ? 0 : mst_mpi_frame_turns(f, side, k) ? n - high : low - shift;
        part->layout.shape[k] = mst_mpi_frame_repeats(f, side, k) ? to > from : high - low;
        out->at[k] = mst_mpi_frame_repeats(f, side, k) || high == low ? 0 : low - from;
    }
    part->layout = mst_layout_dense(whole->type, whole->rank, part->layout.shape);
    part->on_host = 1;
}

// Of an empty result the first rank has the operands.
static mst_mpi_part first_has_all(const mst_mpi_frame *f, int side, int n_ranks, int rank) {
    mst_mpi_part part = MST_MPI_PART_INIT;
    part.layout = f->whole[side];
    for (int k = 0; k < part.layout.rank; k++)
        part.layout.shape[k] = rank == 0 ? part.layout.shape[k] : 0;
    part.layout = mst_layout_dense(part.layout.type, part.layout.rank, part.layout.shape);
    part.cut_ranks[0] = n_ranks;
    part.cut_ranks[1] = part.on_host = 1;
    return part;
}

mst_status mst_mpi_frame_parts(mst_mpi_frame *f, int n_ranks, int rank, mst_mpi_part *padded, mst_mpi_part *spectrum,
                               mst_mpi_operand *operands, mst_error *error) {
    mst_status status = MST_OK;
    if (f->is_empty)
        for (int side = 0; side < 3; side++)
            operands[side].part = first_has_all(f, side, n_ranks, rank);
    if (f->is_empty)
        return MST_OK;
    TRY(find_padded(f, n_ranks, rank, padded, spectrum, error));
    for (int side = 0; side < 3; side++)
        find_part(f, side, padded, &operands[side]);
fail:
    return status;
}

mst_status mst_mpi_convolution_parts(const mst_convolution_desc *desc, mst_mpi_cut cut, int n_ranks, int rank, mst_mpi_part *x,
                                     mst_mpi_part *y, mst_mpi_part *z, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_frame f;
    mst_mpi_operand operands[3];
    mst_mpi_part *const given[] = {x, y, z};
    mst_mpi_part padded = MST_MPI_PART_INIT, spectrum = MST_MPI_PART_INIT;
    for (int side = 0; side < 3; side++)
        TRY(mst_mpi_part_check(given[side], error));
    TRY(mst_mpi_frame_make(desc, cut, 0, &f, error));
    TRY(mst_mpi_frame_parts(&f, n_ranks, rank, &padded, &spectrum, operands, error));
    for (int side = 0; side < 3; side++)
        mst_mpi_part_write(&operands[side].part, given[side]);
fail:
    return status;
}

size_t mst_mpi_layout_elements(const mst_layout *l) {
    size_t n = 1;
    for (int k = 0; k < l->rank; k++)
        n *= l->shape[k];
    return n;
}

size_t mst_mpi_part_bytes(const mst_mpi_part *p) { return mst_mpi_layout_elements(&p->layout) * mst_type_bytes(p->layout.type); }

mst_status mst_mpi_convolution_needs(const mst_convolution_desc *desc, mst_mpi_cut cut, int n_ranks, int rank,
                                     mst_mpi_needs *needs, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_frame f;
    mst_mpi_operand operands[3];
    mst_mpi_part padded = MST_MPI_PART_INIT, spectrum = MST_MPI_PART_INIT;
    mst_mpi_needs forward = MST_MPI_NEEDS_INIT, back = MST_MPI_NEEDS_INIT, all = MST_MPI_NEEDS_INIT;
    TRY(mst_mpi_needs_check(needs, error));
    TRY(mst_mpi_frame_make(desc, cut, 0, &f, error));
    TRY(mst_mpi_frame_parts(&f, n_ranks, rank, &padded, &spectrum, operands, error));
    if (!f.is_empty) {
        TRY(mst_mpi_fft_needs(&f.forward, n_ranks, rank, &forward, error));
        TRY(mst_mpi_fft_needs(&f.inverse, n_ranks, rank, &back, error));
        all.exchanges = 2 * forward.exchanges + back.exchanges;
        all.messages = 2 * forward.messages + back.messages;
        all.sent_bytes = 2 * forward.sent_bytes + back.sent_bytes;
        all.host_bytes = forward.host_bytes + back.host_bytes + mst_mpi_part_bytes(&padded) + 2 * mst_mpi_part_bytes(&spectrum);
    }
    mst_mpi_needs_write(&all, needs);
fail:
    return status;
}
