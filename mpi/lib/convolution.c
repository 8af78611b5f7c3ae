// A convolution over ranks: both operands are padded with zeros and transformed along all axes but those that a rank gets whole
// in the end; it convolves along these, and what it has then is transformed back. Nothing is exchanged but by the transforms.
#include "copy.h"
#include "fft.h"
#include "frame.h"
#include "numbers.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>

struct mst_mpi_convolution {
    mst_mpi_team team;
    mst_mpi_frame frame;
    mst_mpi_work work;
    mst_mpi_fft *transforms[MST_MPI_OPERANDS]; // that of y may be that of x
    mst_convolution *middle;                   // NULL: this rank has nothing there
    mst_mpi_view view;                         // of it
    void *values;                              // a padded operand, then the padded result
    void *block;                               // spectra of the operands; then what the transform back reads
    void *spectra[2];
};

// ---- Making a plan

typedef struct request {
    mst_context *context;
    const mst_convolution_desc *desc;
    mst_mpi_cut cut;
    double timeout;
} request;

static mst_status prepare(void *half_made, void *given, mst_error *error) {
    mst_mpi_convolution *c = half_made;
    const request *r = given;
    return mst_mpi_frame_make(r->desc, r->cut, r->timeout, c->team.n_ranks, c->team.rank, &c->frame, error);
}

// What no other rank has to do with.
static mst_status take_own(mst_mpi_convolution *c, mst_context *context, size_t block, mst_error *error) {
    mst_status status = MST_OK;
    const mst_mpi_operand *o = c->frame.operands;
    size_t padded = 0;
    REQUIRE(context, MST_ERROR_ARGUMENT, "context must not be NULL");
    if (mst_mpi_layout_elements(&c->frame.middle.z) > 0) {
        TRY(mst_convolution_create(context, &c->frame.middle, &c->middle, error));
        c->view = mst_mpi_view_convolution(context, c->middle, &c->frame.middle);
    }
    if (c->frame.is_local)
        return MST_OK;
    for (int side = 0; side < MST_MPI_OPERANDS; side++)
        padded = mst_mpi_larger(padded, mst_mpi_part_bytes(&o[side].padded));
    TRY(mst_mpi_take(padded, "a padded array", &c->values, error));
    TRY(mst_mpi_take(block, "spectra", &c->block, error));
    c->spectra[MST_MPI_X] = c->block;
    c->spectra[MST_MPI_Y] = (char *)c->block + mst_mpi_frame_second(&c->frame);
fail:
    return status;
}

static mst_status make_transforms(mst_mpi_convolution *c, mst_context *context, mst_error *error) {
    mst_status status = MST_OK;
    const mst_mpi_fft_desc *d = c->frame.transforms;
    mst_mpi_work back = c->work;
    back.memory[MST_MPI_BEFORE] = c->block;
    TRY(mst_mpi_fft_make(&c->team, context, &d[MST_MPI_X], true, &c->work, &c->transforms[MST_MPI_X], error));
    if (memcmp(d[MST_MPI_X].shape, d[MST_MPI_Y].shape, sizeof d->shape) == 0)
        c->transforms[MST_MPI_Y] = c->transforms[MST_MPI_X];
    else
        TRY(mst_mpi_fft_make(&c->team, context, &d[MST_MPI_Y], true, &c->work, &c->transforms[MST_MPI_Y], error));
    TRY(mst_mpi_fft_make(&c->team, context, &d[MST_MPI_Z], true, &back, &c->transforms[MST_MPI_Z], error));
fail:
    return status;
}

static mst_status complete(void *half_made, void *given, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_convolution *c = half_made;
    const request *r = given;
    mst_mpi_needs needs = MST_MPI_NEEDS_INIT;
    size_t there[MST_MPI_WORK] = {0}, back[MST_MPI_WORK] = {0};
    if (c->frame.is_empty)
        return MST_OK;
    TRY(mst_mpi_frame_needs(&c->frame, &needs, there, back, error));
    TRY(mst_mpi_team_agree(&c->team, take_own(c, r->context, back[MST_MPI_BEFORE], error), error));
    if (c->frame.is_local)
        return MST_OK;
    back[MST_MPI_BEFORE] = there[MST_MPI_BEFORE];
    TRY(mst_mpi_work_make(&c->team, back, &c->work, error));
    TRY(make_transforms(c, r->context, error));
fail:
    return status;
}

static void destroy(void *half_made) { mst_mpi_convolution_destroy(half_made); }

mst_status mst_mpi_convolution_create(MPI_Comm communicator, mst_context *context, const mst_convolution_desc *desc,
                                      mst_mpi_cut cut, double timeout, mst_mpi_convolution **out, mst_error *error) {
    static const mst_mpi_kind convolution = {sizeof(mst_mpi_convolution), prepare, complete, destroy};
    request r = {context, desc, cut, timeout};
    return mst_mpi_make(communicator, timeout, &convolution, &r, out, NULL, error);
}

int mst_mpi_convolution_is_broken(const mst_mpi_convolution *c) { return c && c->team.broken; }

void mst_mpi_convolution_destroy(mst_mpi_convolution *c) {
    if (!c)
        return;
    for (int side = 0; side < MST_MPI_OPERANDS; side++)
        if (side != MST_MPI_Y || c->transforms[side] != c->transforms[MST_MPI_X])
            mst_mpi_fft_drop(&c->team, c->transforms[side]);
    mst_convolution_destroy(c->middle);
    if (!c->team.broken) {
        mst_mpi_work_free(&c->work);
        free(c->values);
        free(c->block);
        MPI_Comm_free(&c->team.communicator);
    }
    free(c);
}

// ---- Executing it

static void conjugate(mst_type type, void *values, size_t n) {
    float *narrow = values;
    double *wide = values;
    for (size_t i = 1; i < 2 * n && type == MST_COMPLEX64; i += 2)
        narrow[i] = -narrow[i];
    for (size_t i = 1; i < 2 * n && type == MST_COMPLEX128; i += 2)
        wide[i] = -wide[i];
}

// An operand where the padded array has it, with zeros about it.
static void load(const mst_mpi_convolution *c, int side, const void *from) {
    const mst_mpi_frame *f = &c->frame;
    const mst_mpi_operand *o = &f->operands[side];
    const mst_layout *part = &o->part.layout, *padded = &o->padded.layout;
    const size_t bytes = mst_type_bytes(part->type);
    size_t count[MST_MAX_RANK];
    ptrdiff_t strides[MST_MAX_RANK], first = 0, at = 0;
    for (int k = 0; k < part->rank; k++) {
        count[k] = mst_mpi_frame_repeats(f, side, k) ? padded->shape[k] : part->shape[k];
        strides[k] = mst_mpi_frame_repeats(f, side, k) ? 0
                     : mst_mpi_frame_turns(f, side, k) ? -part->strides[k]
                                                       : part->strides[k];
        first += mst_mpi_frame_turns(f, side, k) && count[k] > 0 ? (ptrdiff_t)(count[k] - 1) * part->strides[k] : 0;
        at += (ptrdiff_t)o->at[k] * padded->strides[k];
    }
    memset(c->values, 0, mst_mpi_part_bytes(&o->padded));
    if (mst_mpi_layout_elements(part) == 0)
        return;
    mst_mpi_copy(part->rank, count, bytes, (char *)c->values + at * (ptrdiff_t)bytes, padded->strides,
                 (const char *)from + first * (ptrdiff_t)bytes, strides);
    if (side == MST_MPI_Y && f->is_backwards)
        conjugate(part->type, c->values, mst_mpi_layout_elements(padded));
}

static void store(const mst_mpi_convolution *c, void *to) {
    const mst_mpi_operand *o = &c->frame.operands[MST_MPI_Z];
    const mst_layout *part = &o->part.layout;
    const size_t bytes = mst_type_bytes(part->type);
    ptrdiff_t at = 0;
    for (int k = 0; k < part->rank; k++)
        at += (ptrdiff_t)o->at[k] * o->padded.layout.strides[k];
    mst_mpi_copy(part->rank, part->shape, bytes, to, part->strides, (const char *)c->values + at * (ptrdiff_t)bytes,
                 o->padded.layout.strides);
}

static mst_status check(const mst_mpi_convolution *c, const void *x, const void *y, const void *z, mst_error *error) {
    const void *const given[] = {x, y, z};
    for (int side = 0; side < 3; side++)
        if (!given[side] && mst_mpi_layout_elements(&c->frame.operands[side].part.layout) > 0)
            return mst_mpi_fail(error, MST_ERROR_ARGUMENT, "x, y and z must not be NULL where this rank has a part of them");
    return MST_OK;
}

static mst_status convolve(const mst_mpi_convolution *c, const void *x, const void *y, void *z, mst_error *error) {
    const mst_location at[] = {mst_at_host((void *)(uintptr_t)x), mst_at_host((void *)(uintptr_t)y), mst_at_host(z)};
    return c->middle ? mst_mpi_view_execute(&c->view, at, error) : MST_OK;
}

// Where no rank needs what another has. In place of an operand the result comes there by way of memory for it.
static mst_status convolve_own(const mst_mpi_convolution *c, const void *x, const void *y, void *z, mst_error *error) {
    mst_status status = MST_OK;
    const size_t bytes = mst_mpi_part_bytes(&c->frame.operands[MST_MPI_Z].part);
    void *beside = NULL;
    if (z != x && z != y)
        return convolve(c, x, y, z, error);
    TRY(mst_mpi_take(bytes, "a result", &beside, error));
    TRY(convolve(c, x, y, beside, error));
    if (c->middle)
        memcpy(z, beside, bytes);
fail:
    free(beside);
    return status;
}

mst_status mst_mpi_convolution_execute(mst_mpi_convolution *c, const void *x, const void *y, void *z, mst_error *error) {
    mst_status status = MST_OK;
    const void *const from[] = {x, y};
    REQUIRE(c, MST_ERROR_ARGUMENT, "plan must not be NULL");
    TRY(mst_mpi_check_unbroken(c->team.broken, error));
    TRY(mst_mpi_team_agree(&c->team, check(c, x, y, z, error), error));
    if (c->frame.is_empty)
        return MST_OK;
    if (c->frame.is_local)
        return mst_mpi_team_agree(&c->team, convolve_own(c, x, y, z, error), error);
    for (int side = 0; side < 2; side++) {
        load(c, side, from[side]);
        TRY(mst_mpi_fft_run(&c->team, c->transforms[side], c->values, c->spectra[side], error));
    }
    void *const product = c->work.memory[MST_MPI_BEHIND];
    TRY(mst_mpi_team_agree(&c->team, convolve(c, c->spectra[MST_MPI_X], c->spectra[MST_MPI_Y], product, error), error));
    TRY(mst_mpi_fft_run(&c->team, c->transforms[MST_MPI_Z], product, c->values, error));
    store(c, z);
fail:
    return status;
}
