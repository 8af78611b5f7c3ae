#include "frame.h"

#include "description.h"
#include "numbers.h"
#include "part.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>

// ---- What is transformed

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
                least = mst_mpi_smaller(least, all);
            }
    return least;
}

// Along one axis: how long transforms are, so that nothing comes round to what is kept, and where that begins.
static mst_status choose_length(mst_convolution_mode mode, int axis, size_t n, size_t m, size_t result, size_t *length,
                                size_t *kept, mst_error *error) {
    mst_status status = MST_OK;
    const size_t full = n + m - 1;
    *kept = mode == MST_CONVOLUTION_CIRCULAR ? 0 : (full - result) / 2; // as SciPy cuts same and valid
    *length =
        mode == MST_CONVOLUTION_CIRCULAR ? n : mst_mpi_larger(mst_mpi_larger(full - *kept, *kept + result), mst_mpi_larger(n, m));
    REQUIRE(*length <= longest, MST_ERROR_UNSUPPORTED, "along axis %d transforms would be of %zu elements; at most of %zu", axis,
            *length, longest);
    if (mode != MST_CONVOLUTION_CIRCULAR)
        *length = smooth_length(*length);
fail:
    return status;
}

// How the whole would be transformed, padded along all axes.
static mst_status describe_whole(const mst_convolution_desc *d, mst_mpi_frame *f, mst_mpi_fft_desc *to, mst_error *error) {
    mst_status status = MST_OK;
    to->input = f->whole[MST_MPI_Z].type;
    to->rank = d->x.rank;
    to->n_axes = d->n_axes;
    for (int a = 0; a < d->n_axes; a++) {
        to->axes[a] = d->axes[a] < 0 ? d->axes[a] + to->rank : d->axes[a];
        f->is_along[to->axes[a]] = true;
    }
    for (int k = 0; k < to->rank; k++) {
        const size_t n = d->x.shape[k], m = d->y.shape[k];
        to->shape[k] = mst_mpi_larger(n, m);
        if (f->is_along[k])
            TRY(choose_length(d->mode, k, n, m, f->whole[MST_MPI_Z].shape[k], &to->shape[k], &f->kept[k], error));
    }
    to->transposed_input = MST_MPI_AS_IT_IS;
    to->transposed_output = 1;
fail:
    return status;
}

// The axes that the last step of the whole's transform would go along are the middle's, where nothing is padded for it, so that
// neither transforms nor exchanges work on zeros. All sides are cut alike.
static void leave_middle(mst_mpi_frame *f, const mst_mpi_steps *s, mst_mpi_fft_desc *whole) {
    const mst_mpi_step *last = &s->step[s->n - 1];
    for (int a = 0; a < last->n_axes; a++) {
        f->is_middle[last->axes[a]] = true;
        f->kept[last->axes[a]] = 0;
    }
    f->is_local = s->n == 1;
    memcpy(whole->ranks, last->grid.ranks, sizeof whole->ranks);
    whole->cut = last->grid.ranks[1] > 1 ? MST_MPI_CUT_PENCILS : MST_MPI_CUT_SLABS;
}

static void describe_transforms(mst_mpi_frame *f, const mst_mpi_fft_desc *whole) {
    mst_mpi_fft_desc *back = &f->transforms[MST_MPI_Z];
    const mst_type type = whole->input;
    double points = 1;
    for (int side = 0; side < MST_MPI_OPERANDS; side++) {
        f->transforms[side] = *whole;
        for (int k = 0; k < whole->rank; k++)
            if (f->is_middle[k])
                f->transforms[side].shape[k] = f->whole[side].shape[k];
    }
    for (int k = 0; k < whole->rank; k++)
        points *= f->is_along[k] && !f->is_middle[k] ? (double)whole->shape[k] : 1;
    back->direction = MST_FFT_INVERSE;
    back->scale = 1 / points;
    back->input = mst_mpi_complex_of(type);
    back->output = mst_mpi_complex_of(type) == type ? (mst_type)0 : type;
    back->transposed_input = 1;
    back->transposed_output = MST_MPI_AS_IT_IS;
}

static void describe_middle(mst_mpi_frame *f, const mst_convolution_desc *d) {
    mst_convolution_desc *middle = &f->middle;
    const bool turns = d->correlate && d->mode != MST_CONVOLUTION_CIRCULAR && !f->is_local;
    *middle = (mst_convolution_desc)MST_CONVOLUTION_DESC_INIT;
    middle->n_axes = 0;
    for (int k = 0; k < f->whole[MST_MPI_X].rank; k++)
        if (f->is_middle[k])
            middle->axes[middle->n_axes++] = k;
    middle->mode = d->mode;
    middle->correlate = d->correlate && !turns;
    f->is_backwards = turns;
}

// ---- Who has what

// This rank's padded array of a side, which has no gaps, and its spectrum.
static mst_status find_spectrum(mst_mpi_frame *f, int side, mst_error *error) {
    mst_mpi_fft_desc *d = &f->transforms[side];
    mst_mpi_operand *o = &f->operands[side];
    mst_mpi_part *const ends[] = {side == MST_MPI_Z ? &o->spectrum : &o->padded, side == MST_MPI_Z ? &o->padded : &o->spectrum};
    const mst_status status = mst_mpi_fft_parts_of(d, true, f->n_ranks, f->rank, ends[0], ends[1], error);
    mst_layout *padded = &o->padded.layout;
    *padded = mst_layout_dense(padded->type, padded->rank, padded->shape);
    memcpy(side == MST_MPI_Z ? d->output_strides : d->input_strides, padded->strides, sizeof padded->strides);
    return status;
}

bool mst_mpi_frame_repeats(const mst_mpi_frame *f, int side, int axis) {
    return !f->is_along[axis] && side != MST_MPI_Z && f->whole[side].shape[axis] != f->transforms[side].shape[axis];
}

bool mst_mpi_frame_turns(const mst_mpi_frame *f, int side, int axis) {
    return side == MST_MPI_Y && f->is_backwards && f->is_along[axis];
}

// What lies in the padded array of one side, and where it begins there, from its own first element on or, turned round, its last.
static void find_part(mst_mpi_frame *f, int side) {
    const mst_layout *whole = &f->whole[side];
    mst_mpi_operand *out = &f->operands[side];
    mst_mpi_part *part = &out->part;
    const mst_mpi_part *padded = &out->padded;
    *part = *padded;
    for (int k = 0; k < whole->rank; k++) {
        const size_t n = whole->shape[k], from = padded->start[k], to = from + padded->layout.shape[k];
        const size_t shift = side == MST_MPI_Z ? f->kept[k] : 0, low = mst_mpi_smaller(mst_mpi_larger(from, shift), n + shift);
        const size_t high = mst_mpi_larger(mst_mpi_smaller(to, n + shift), low);
        part->start[k] = mst_mpi_frame_repeats(f, side, k) ? 0 : mst_mpi_frame_turns(f, side, k) ? n - high : low - shift;
        part->layout.shape[k] = mst_mpi_frame_repeats(f, side, k) ? to > from : high - low;
        out->at[k] = mst_mpi_frame_repeats(f, side, k) || high == low ? 0 : low - from;
    }
    part->layout = mst_layout_dense(whole->type, whole->rank, part->layout.shape);
    part->on_host = 1;
}

// Of an empty result the first rank has the operands.
static void give_first(mst_mpi_frame *f) {
    for (int side = 0; side < MST_MPI_OPERANDS; side++) {
        mst_mpi_part *part = &f->operands[side].part;
        part->layout = f->whole[side];
        for (int k = 0; k < part->layout.rank; k++)
            part->layout.shape[k] = f->rank == 0 ? part->layout.shape[k] : 0;
        part->layout = mst_layout_dense(part->layout.type, part->layout.rank, part->layout.shape);
        part->cut_ranks[0] = f->n_ranks;
        part->cut_ranks[1] = part->on_host = 1;
    }
}

static mst_status find_parts(mst_mpi_frame *f, mst_error *error) {
    mst_status status = MST_OK;
    for (int side = 0; side < MST_MPI_OPERANDS; side++) {
        mst_layout *const of[] = {&f->middle.x, &f->middle.y, &f->middle.z};
        TRY(find_spectrum(f, side, error));
        find_part(f, side);
        *of[side] = f->is_local ? f->operands[side].part.layout : f->operands[side].spectrum.layout;
    }
fail:
    return status;
}

mst_status mst_mpi_frame_make(const mst_convolution_desc *given, mst_mpi_cut cut, double timeout, int n_ranks, int rank,
                              mst_mpi_frame *f, mst_error *error) {
    mst_status status = MST_OK;
    mst_convolution_desc d = MST_CONVOLUTION_DESC_INIT;
    mst_mpi_fft_desc whole = MST_MPI_FFT_DESC_INIT;
    mst_mpi_steps steps;
    mst_layout result;
    *f = (mst_mpi_frame){.n_ranks = n_ranks, .rank = rank};
    for (int side = 0; side < MST_MPI_OPERANDS; side++)
        f->operands[side].part = f->operands[side].padded = f->operands[side].spectrum = (mst_mpi_part)MST_MPI_PART_INIT;
    REQUIRE(given, MST_ERROR_ARGUMENT, "desc must not be NULL");
    REQUIRE(n_ranks >= 1 && rank >= 0 && rank < n_ranks, MST_ERROR_ARGUMENT, "there is no rank %d of %d", rank, n_ranks);
    TRY(mst_convolution_result(given, &result, error)); // which checks it
    TRY(mst_mpi_check_timeout(timeout, error));
    memcpy(&d, given, mst_mpi_smaller(given->struct_size, sizeof d));
    f->whole[MST_MPI_X] = mst_layout_dense(result.type, result.rank, d.x.shape);
    f->whole[MST_MPI_Y] = mst_layout_dense(result.type, result.rank, d.y.shape);
    f->whole[MST_MPI_Z] = result;
    for (int k = 0; k < result.rank; k++)
        f->is_empty = f->is_empty || result.shape[k] == 0;
    if (f->is_empty) {
        give_first(f);
        return MST_OK;
    }
    whole.cut = cut;
    whole.timeout = timeout;
    TRY(describe_whole(&d, f, &whole, error));
    TRY(mst_mpi_steps_make(&whole, false, n_ranks, &steps, error));
    leave_middle(f, &steps, &whole);
    describe_transforms(f, &whole);
    describe_middle(f, &d);
    TRY(find_parts(f, error));
fail:
    return status;
}

mst_status mst_mpi_convolution_parts(const mst_convolution_desc *desc, mst_mpi_cut cut, int n_ranks, int rank, mst_mpi_part *x,
                                     mst_mpi_part *y, mst_mpi_part *z, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_frame f;
    mst_mpi_part *const given[] = {x, y, z};
    for (int side = 0; side < MST_MPI_OPERANDS; side++)
        TRY(mst_mpi_part_check(given[side], error));
    TRY(mst_mpi_frame_make(desc, cut, 0, n_ranks, rank, &f, error));
    for (int side = 0; side < MST_MPI_OPERANDS; side++)
        mst_mpi_part_write(&f.operands[side].part, given[side]);
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

static size_t largest_padded(const mst_mpi_frame *f) {
    size_t most = 0;
    for (int side = 0; side < MST_MPI_OPERANDS; side++)
        most = mst_mpi_larger(most, mst_mpi_part_bytes(&f->operands[side].padded));
    return most;
}

size_t mst_mpi_frame_second(const mst_mpi_frame *f) {
    const size_t page = 4096;
    return (mst_mpi_part_bytes(&f->operands[MST_MPI_X].spectrum) + page - 1) / page * page;
}

mst_status mst_mpi_frame_needs(const mst_mpi_frame *f, mst_mpi_needs *needs, size_t there[MST_MPI_WORK],
                               size_t back[MST_MPI_WORK], mst_error *error) {
    mst_status status = MST_OK;
    if (f->is_empty || f->is_local)
        return MST_OK;
    for (int side = 0; side < 2; side++)
        TRY(mst_mpi_fft_needs_of(&f->transforms[side], true, f->n_ranks, f->rank, needs, there, error));
    memcpy(back, there, MST_MPI_WORK * sizeof *back);
    back[MST_MPI_BEFORE] = mst_mpi_frame_second(f) + mst_mpi_part_bytes(&f->operands[MST_MPI_Y].spectrum);
    TRY(mst_mpi_fft_needs_of(&f->transforms[MST_MPI_Z], true, f->n_ranks, f->rank, needs, back, error));
    needs->host_bytes =
        there[MST_MPI_BEFORE] + back[MST_MPI_BEFORE] + back[MST_MPI_BEHIND] + back[MST_MPI_PACKED] + largest_padded(f);
fail:
    return status;
}

mst_status mst_mpi_convolution_needs(const mst_convolution_desc *desc, mst_mpi_cut cut, int n_ranks, int rank,
                                     mst_mpi_needs *needs, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_frame f;
    mst_mpi_needs all = MST_MPI_NEEDS_INIT;
    size_t there[MST_MPI_WORK] = {0}, back[MST_MPI_WORK] = {0};
    TRY(mst_mpi_needs_check(needs, error));
    TRY(mst_mpi_frame_make(desc, cut, 0, n_ranks, rank, &f, error));
    TRY(mst_mpi_frame_needs(&f, &all, there, back, error));
    mst_mpi_needs_write(&all, needs);
fail:
    return status;
}
