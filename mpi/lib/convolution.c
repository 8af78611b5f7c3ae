// A convolution over ranks: both operands are padded with zeros and transformed, and their product is transformed back. Nothing
// is exchanged but by the transforms: each rank holds what lies in its box of the padded array, of operands and of the result.
#include "copy.h"
#include "fft.h"
#include "frame.h"

#include <stdlib.h>
#include <string.h>

struct mst_mpi_convolution {
    mst_mpi_team team;
    mst_mpi_frame frame;
    mst_mpi_fft *forward, *inverse;
    mst_mpi_part padded;
    mst_mpi_operand operands[3];
    void *values; // of the padded array: an operand, then the result
    void *spectra[2];
    size_t n_products; // numbers of a spectrum
};

// ---- Making a plan

typedef struct request {
    mst_context *context;
    const mst_convolution_desc *desc;
    mst_mpi_cut cut;
    double timeout;
} request;

static mst_status prepare(void *half_made, void *given, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_convolution *c = half_made;
    const request *r = given;
    mst_mpi_part spectrum = MST_MPI_PART_INIT;
    c->padded = (mst_mpi_part)MST_MPI_PART_INIT;
    TRY(mst_mpi_frame_make(r->desc, r->cut, r->timeout, &c->frame, error));
    TRY(mst_mpi_frame_parts(&c->frame, c->team.n_ranks, c->team.rank, &c->padded, &spectrum, c->operands, error));
    if (c->frame.is_empty)
        return MST_OK;
    c->n_products = mst_mpi_layout_elements(&spectrum.layout);
    TRY(mst_mpi_take(mst_mpi_part_bytes(&c->padded), "a padded array", &c->values, error));
    for (int side = 0; side < 2; side++)
        TRY(mst_mpi_take(mst_mpi_part_bytes(&spectrum), "a padded array", &c->spectra[side], error));
fail:
    return status;
}

static mst_status complete(void *half_made, void *given, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_convolution *c = half_made;
    const request *r = given;
    if (c->frame.is_empty)
        return MST_OK;
    TRY(mst_mpi_fft_make(&c->team, r->context, &c->frame.forward, &c->forward, error));
    TRY(mst_mpi_fft_make(&c->team, r->context, &c->frame.inverse, &c->inverse, error));
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
    mst_mpi_fft_drop(&c->team, c->forward);
    mst_mpi_fft_drop(&c->team, c->inverse);
    if (!c->team.broken) {
        free(c->values);
        free(c->spectra[MST_MPI_X]);
        free(c->spectra[MST_MPI_Y]);
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
    const mst_layout *part = &c->operands[side].part.layout, *padded = &c->padded.layout;
    const size_t bytes = mst_type_bytes(part->type);
    size_t count[MST_MAX_RANK];
    ptrdiff_t strides[MST_MAX_RANK], first = 0, at = 0;
    for (int k = 0; k < part->rank; k++) {
        count[k] = mst_mpi_frame_repeats(f, side, k) ? padded->shape[k] : part->shape[k];
        strides[k] = mst_mpi_frame_repeats(f, side, k) ? 0
                     : mst_mpi_frame_turns(f, side, k) ? -part->strides[k]
                                                       : part->strides[k];
        first += mst_mpi_frame_turns(f, side, k) && count[k] > 0 ? (ptrdiff_t)(count[k] - 1) * part->strides[k] : 0;
        at += (ptrdiff_t)c->operands[side].at[k] * padded->strides[k];
    }
    memset(c->values, 0, mst_mpi_part_bytes(&c->padded));
    if (mst_mpi_layout_elements(part) == 0)
        return;
    mst_mpi_copy(part->rank, count, bytes, (char *)c->values + at * (ptrdiff_t)bytes, padded->strides,
                 (const char *)from + first * (ptrdiff_t)bytes, strides);
    if (side == MST_MPI_Y && f->is_backwards)
        conjugate(part->type, c->values, mst_mpi_layout_elements(padded));
}

static void store(const mst_mpi_convolution *c, void *to) {
    const mst_layout *part = &c->operands[MST_MPI_Z].part.layout;
    const size_t bytes = mst_type_bytes(part->type);
    ptrdiff_t at = 0;
    for (int k = 0; k < part->rank; k++)
        at += (ptrdiff_t)c->operands[MST_MPI_Z].at[k] * c->padded.layout.strides[k];
    mst_mpi_copy(part->rank, part->shape, bytes, to, part->strides, (const char *)c->values + at * (ptrdiff_t)bytes,
                 c->padded.layout.strides);
}

#define MULTIPLY(type)                                                                                                           \
    static void multiply_##type(void *to, const void *by, size_t n) {                                                            \
        typedef type number;                                                                                                     \
        number *x = to;                                                                                                          \
        const number *y = by;                                                                                                    \
        for (size_t i = 0; i < 2 * n; i += 2) {                                                                                  \
            const number re = x[i] * y[i] - x[i + 1] * y[i + 1];                                                                 \
            x[i + 1] = x[i] * y[i + 1] + x[i + 1] * y[i];                                                                        \
            x[i] = re;                                                                                                           \
        }                                                                                                                        \
    }
MULTIPLY(float)
MULTIPLY(double)

static void multiply(const mst_mpi_convolution *c) {
    const mst_type type = c->frame.inverse.input;
    if (c->frame.is_conjugated)
        conjugate(type, c->spectra[MST_MPI_Y], c->n_products);
    if (type == MST_COMPLEX64)
        multiply_float(c->spectra[MST_MPI_X], c->spectra[MST_MPI_Y], c->n_products);
    else
        multiply_double(c->spectra[MST_MPI_X], c->spectra[MST_MPI_Y], c->n_products);
}

static mst_status check(const mst_mpi_convolution *c, const void *x, const void *y, const void *z, mst_error *error) {
    const void *const given[] = {x, y, z};
    for (int side = 0; side < 3; side++)
        if (!given[side] && mst_mpi_layout_elements(&c->operands[side].part.layout) > 0)
            return mst_mpi_fail(error, MST_ERROR_ARGUMENT, "x, y and z must not be NULL where this rank has a part of them");
    return MST_OK;
}

mst_status mst_mpi_convolution_execute(mst_mpi_convolution *c, const void *x, const void *y, void *z, mst_error *error) {
    mst_status status = MST_OK;
    const void *const from[] = {x, y};
    REQUIRE(c, MST_ERROR_ARGUMENT, "plan must not be NULL");
    TRY(mst_mpi_check_unbroken(c->team.broken, error));
    TRY(mst_mpi_team_agree(&c->team, check(c, x, y, z, error), error));
    for (int side = 0; side < 2 && !c->frame.is_empty; side++) {
        load(c, side, from[side]);
        TRY(mst_mpi_fft_run(&c->team, c->forward, c->values, c->spectra[side], error));
    }
    if (c->frame.is_empty)
        return MST_OK;
    multiply(c);
    TRY(mst_mpi_fft_run(&c->team, c->inverse, c->spectra[MST_MPI_X], c->values, error));
    store(c, z);
fail:
    return status;
}
