// What two bricks make of the same points: those that are the one's first own ones, and the other's first that are not its own.
#include "bricks.h"

#include "runtime/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void mst_seams_forget(const mst_deconvolution *inner, struct mst_bricks *bricks) {
    for (size_t k = 0; bricks->seams && k < N_SIDES * inner->n_items; k++) {
        free(bricks->seams[k].face);
        bricks->seams[k].face = NULL;
    }
}

static mst_status take_face(mst_deconvolution *inner, const mst_block *block, int which, int axis, bool behind, size_t offset,
                            mst_error *error) {
    cl_ulong first_item = block->first, n = mst_brick_face(inner, axis), n_items = block->count, pitch = mst_brick_faces(inner);
    cl_ulong at = offset;
    cl_int axis_number = axis, is_behind = behind;
    cl_uint padded_z = (cl_uint)inner->padded[Z], padded_y = (cl_uint)inner->padded[Y], padded_x = (cl_uint)inner->padded[X];
    const mst_argument arguments[] = {MST_BIND_AS("from", inner->work[which].buffer),
                                      MST_BIND_AS("frame", inner->frame.buffer),
                                      MST_BIND(first_item, first_item),
                                      MST_BIND_AS("axis", axis_number),
                                      MST_BIND_AS("behind", is_behind),
                                      MST_BIND(padded_z, padded_z),
                                      MST_BIND(padded_y, padded_y),
                                      MST_BIND(padded_x, padded_x),
                                      MST_BIND(n, n),
                                      MST_BIND(n_items, n_items),
                                      MST_BIND(pitch, pitch),
                                      MST_BIND_AS("offset", at),
                                      MST_BIND_AS("face", inner->work[WORK_FACES].buffer)};
    return mst_deconvolution_launch(inner, block->queue, KERNEL_FACE, arguments, MST_COUNT(arguments), (size_t)(n * n_items),
                                    error);
}

static double value_at(const mst_deconvolution *inner, const void *values, size_t at) {
    return inner->is_double ? ((const double *)values)[at] : (double)((const float *)values)[at];
}

// The root of the mean square of two faces' differences, in those of the image; points beyond the whole are 0 in both.
static double difference(const mst_deconvolution *inner, const void *a, const void *b, size_t n) {
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        const double d = value_at(inner, a, i) - value_at(inner, b, i);
        squares += d * d;
    }
    return inner->bricks->rms > 0 ? sqrt(squares / (double)n) / inner->bricks->rms : 0;
}

// A face comes to a seam, where the other one waits, or not.
static mst_status meet(mst_deconvolution *inner, mst_seam *seam, const void *face, size_t n, mst_error *error) {
    mst_status status = MST_OK;
    struct mst_bricks *b = inner->bricks;
    const size_t bytes = n * mst_deconvolution_real_bytes(inner);
    if (!seam->face) {
        MST_REQUIRE(seam->face = malloc(bytes), MST_ERROR_HOST_MEMORY, "out of memory for a seam of %zu points", n);
        memcpy(seam->face, face, bytes);
        return MST_OK;
    }
    const double apart = difference(inner, seam->face, face, n);
    free(seam->face);
    seam->face = NULL;
    b->seam = apart > b->seam || isnan(apart) ? apart : b->seam;
    b->is_too_far = inner->desc.seam > 0 && !(apart <= inner->desc.seam);
    MST_REQUIRE(!b->is_too_far, MST_ERROR_UNSUPPORTED, "the seams of bricks differ by %.3g of the image; %.3g is allowed", apart,
                inner->desc.seam);
fail:
    return status;
}

// Of one brick, whose faces stand in the order in which they were taken.
static mst_status meet_all(mst_deconvolution *inner, size_t item, const unsigned char *faces, mst_error *error) {
    mst_status status = MST_OK;
    const size_t bytes = mst_deconvolution_real_bytes(inner);
    size_t place = item, stride = 1, places[N_SIDES], strides[N_SIDES];
    for (int side = X; side >= Z; side--) {
        places[side] = place % inner->cut.n[side];
        strides[side] = stride;
        place /= inner->cut.n[side];
        stride *= inner->cut.n[side];
    }
    for (int side = Z; side < N_SIDES; side++) {
        const size_t n = mst_brick_face(inner, side);
        mst_seam *seams = inner->bricks->seams + (size_t)side * inner->n_items;
        const size_t last = inner->cut.n[side] - 1, first = item - places[side] * strides[side];
        const bool goes_round = inner->cut.goes_round; // the first brick is behind the last one
        if (n > 0 && (goes_round || places[side] > 0))
            MST_TRY(meet(inner, &seams[places[side] > 0 ? item - strides[side] : first + last * strides[side]], faces, n, error));
        if (n > 0 && (goes_round || places[side] < last))
            MST_TRY(meet(inner, &seams[item], faces + n * bytes, n, error));
        faces += 2 * n * bytes;
    }
fail:
    return status;
}

mst_status mst_bricks_compare(mst_deconvolution *inner, const mst_block *block, int which, mst_error *error) {
    mst_status status = MST_OK;
    const size_t all = mst_brick_faces(inner) * mst_deconvolution_real_bytes(inner);
    unsigned char *faces = malloc(all ? all : 1);
    size_t offset = 0;
    MST_REQUIRE(faces, MST_ERROR_HOST_MEMORY, "out of memory for the faces of a brick");
    for (int side = Z; side < N_SIDES; side++)
        for (int behind = 0; behind < 2 && mst_brick_face(inner, side) > 0; behind++) {
            MST_TRY(take_face(inner, block, which, side, behind, offset, error));
            offset += mst_brick_face(inner, side);
        }
    for (size_t k = 0; k < block->count && all > 0; k++) {
        MST_TRY(mst_queue_read(block->queue, inner->work[WORK_FACES].buffer, k * all, all, faces, "the faces of a brick", error));
        MST_TRY(meet_all(inner, block->first + k, faces, error));
    }
fail:
    free(faces);
    return status;
}
