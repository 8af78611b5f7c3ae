#include "stencil.h"

#include "description.h"
#include "piece.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// The rank that has the brick at a side of this one's. Where the slowest axis alone is cut, the last ranks may have none.
static int find_neighbour(const mst_mpi_stencil *s, int rank, const int side[MST_MAX_AXES]) {
    int place[MST_MAX_AXES] = {0}, left = rank, found = 0;
    for (int k = s->rank - 1; k >= 0; k--) {
        place[k] = left % (int)s->brick.bricks[k];
        left /= (int)s->brick.bricks[k];
    }
    for (int k = 0; k < s->rank; k++) {
        const int n = k == 0 ? s->n_slowest : (int)s->brick.bricks[k];
        found = found * (int)s->brick.bricks[k] + (place[k] + side[k] + n) % n;
    }
    return found;
}

static mst_status make_requests(mst_mpi_stencil *s, int rank, int tag, void *at, uint64_t bytes, bool send, mst_error *error) {
    mst_status status = MST_OK;
    for (uint64_t begin = 0; begin < bytes; begin += MST_MPI_MOST_BYTES) {
        const int n = (int)(bytes - begin < MST_MPI_MOST_BYTES ? bytes - begin : MST_MPI_MOST_BYTES);
        MPI_Request *request = &s->requests[s->n_requests];
        if (send)
            TRY_MPI(MPI_Send_init((char *)at + begin, n, MPI_BYTE, rank, tag, s->team.communicator, request), "sending a halo");
        else
            TRY_MPI(MPI_Recv_init((char *)at + begin, n, MPI_BYTE, rank, tag, s->team.communicator, request), "receiving a halo");
        s->n_requests++;
    }
fail:
    return status;
}

static mst_status take_memory(mst_mpi_stencil *s, uint64_t bytes, void **memory, mst_error *error) {
    return bytes ? mst_pinned_create(s->context, bytes, memory, error) : MST_OK;
}

// A message has the number of the side that it leaves by; the one from a side has left by the opposite one.
static mst_status link_neighbour(mst_mpi_stencil *s, int own, size_t index, bool send, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_neighbour n = MST_STENCIL_NEIGHBOUR_INIT;
    TRY(mst_stencil_describe_neighbour(s->solver, index, &n, error));
    const int rank = find_neighbour(s, own, n.side), side = ((n.side[0] + 1) * 3 + n.side[1] + 1) * 3 + n.side[2] + 1;
    TRY(send ? make_requests(s, rank, side, (char *)s->given + n.given_at, n.given_bytes, true, error)
             : make_requests(s, rank, MST_MPI_SIDES - 1 - side, (char *)s->taken + n.taken_at, n.taken_bytes, false, error));
fail:
    return status;
}

static mst_status take_halos(mst_mpi_stencil *s, int own, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_halo halo = MST_STENCIL_HALO_INIT;
    mst_stencil_neighbour all = MST_STENCIL_NEIGHBOUR_INIT;
    TRY(mst_stencil_describe_halo(s->solver, &halo, error));
    TRY(mst_stencil_describe_neighbour(s->solver, 0, &all, error));
    TRY(take_memory(s, halo.given_bytes[0], &s->given, error));
    TRY(take_memory(s, halo.taken_bytes[0], &s->taken, error));
    const uint64_t pieces = (halo.given_bytes[0] + halo.taken_bytes[0]) / MST_MPI_MOST_BYTES;
    s->requests = calloc((size_t)pieces + 2 * all.n + 1, sizeof(MPI_Request));
    REQUIRE(s->requests, MST_ERROR_HOST_MEMORY, "out of memory for halos");
    for (size_t i = 0; i < 2 * all.n; i++) // the receiving ones first
        TRY(link_neighbour(s, own, i % all.n, i >= all.n, error));
fail:
    return status;
}

// Exchanges go on beside the interior where copies are not the work of the processors that compute.
static mst_stencil_halo_exchange choose_exchange(mst_context *context, const mst_stencil_desc *desc) {
    const mst_device_info *device = mst_context_device(context);
    const bool apart = device->type == CL_DEVICE_TYPE_GPU && !device->unified_memory && !desc->no_overlap;
    return desc->exchange != MST_STENCIL_EXCHANGE_AUTO ? desc->exchange
           : apart                                     ? MST_STENCIL_EXCHANGE_BESIDE
                                                       : MST_STENCIL_EXCHANGE_WAITS;
}

// What ranks without planes are to know of the description, too.
static mst_status count_found(mst_mpi_stencil *s, const mst_stencil_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    s->n_runs = d->n_runs > 0 ? d->n_runs : 1;
    s->n_monitors = d->n_monitors;
    s->nodes = s->n_runs;
    for (int k = 0; k < d->rank; k++)
        s->nodes *= d->grid[k];
    s->until_every = !d->until ? 0 : d->until_every > 0 ? d->until_every : 1;
    s->bits = malloc(MST_MPI_AT_ONCE * sizeof *s->bits);
    s->points = calloc(d->n_receivers + 1, sizeof *s->points);
    REQUIRE(s->points && s->bits, MST_ERROR_HOST_MEMORY, "out of memory for receivers");
    for (size_t i = 0; i < d->n_receivers; i++) {
        const char *at = (const char *)d->receivers + i * d->receiver_size;
        memcpy(&s->points[i], at + offsetof(mst_stencil_receiver, n_points), sizeof s->points[i]);
        s->points[i] *= s->n_runs;
    }
    s->n_receivers = d->n_receivers;
fail:
    return status;
}

static mst_status find_trip(mst_mpi_stencil *s, uint64_t steps, mst_error *error) {
    mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
    const mst_status status = mst_stencil_describe(s->solver, steps > 0 ? steps : 1, &plan, error);
    const uint64_t depth = plan.depth > 0 ? plan.depth : 1;
    s->trip = s->is_part && s->brick.steps < UINT32_MAX ? s->brick.steps : depth;
    return status;
}

typedef struct request {
    mst_context *context;
    const mst_stencil_desc *desc;
    uint64_t steps;
} request;

#define BRICK MST_MPI_DESCRIPTION(mst_stencil_brick, "brick", MST_STENCIL_BRICK_INIT, bricks)

// What this rank has, and how many along the slowest axis have anything.
static mst_status find_brick(mst_mpi_stencil *s, const mst_stencil_desc *desc, uint64_t steps, int own, int n, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_brick other = MST_STENCIL_BRICK_INIT, wanted = other;
    const size_t *bricks = desc->brick ? wanted.bricks : NULL;
    if (desc->brick)
        TRY(mst_mpi_description_read(BRICK, desc->brick, &wanted, error));
    s->brick = other;
    s->rank = desc->rank + (desc->n_runs > 0);
    TRY(mst_stencil_brick_of(desc, bricks, (size_t)n, (size_t)own, steps, &s->brick, error));
    for (s->n_slowest = (int)s->brick.bricks[0]; s->n_slowest > 1; s->n_slowest--) {
        TRY(mst_stencil_brick_of(desc, s->brick.bricks[0] == (size_t)n ? bricks : s->brick.bricks, (size_t)n,
                                 (size_t)(n / (int)s->brick.bricks[0] * (s->n_slowest - 1)), steps, &other, error));
        if (other.count[0] > 0)
            break;
    }
    s->idle = s->n_slowest < (int)s->brick.bricks[0];
    for (int side = 0; side < 2; side++)
        s->beside[side] = find_neighbour(s, own, (const int[MST_MAX_AXES]){side ? 1 : -1, 0, 0});
fail:
    return status;
}

static mst_status prepare(void *half_made, void *given, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_stencil *s = half_made;
    const request *r = given;
    mst_stencil_desc desc = MST_STENCIL_DESC_INIT;
    const int own = s->team.rank, n_ranks = s->team.n_ranks;
    s->parts = MPI_COMM_NULL;
    s->context = r->context;
    REQUIRE(s->context, MST_ERROR_ARGUMENT, "context must not be NULL");
    TRY(mst_mpi_description_read(MST_MPI_DESCRIPTION(mst_stencil_desc, "desc", MST_STENCIL_DESC_INIT, schedule), r->desc, &desc,
                                 error));
    TRY(find_brick(s, &desc, r->steps, own, n_ranks, error));
    TRY(count_found(s, &desc, error)); // the description is a good one
    const bool alone = n_ranks / (int)s->brick.bricks[0] * s->n_slowest == 1, has_any = s->brick.count[0] > 0;
    s->left = s->brick.steps;
    s->is_part = !alone && has_any;
    if (!has_any)
        goto fail;
    desc.part = NULL;
    desc.brick = alone ? NULL : &s->brick;
    desc.exchange = choose_exchange(s->context, &desc);
    TRY(mst_stencil_create(s->context, &desc, &s->solver, error));
    TRY(find_trip(s, r->steps, error));
    if (!alone)
        TRY(take_halos(s, own, error));
fail:
    return status;
}

// All ranks are there, as they have just agreed.
static mst_status complete(void *half_made, void *given, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_stencil *s = half_made;
    (void)given;
    TRY_MPI(MPI_Comm_split(s->team.communicator, s->solver ? 0 : MPI_UNDEFINED, 0, &s->parts), "finding the ranks with planes");
    if (s->parts != MPI_COMM_NULL)
        MPI_Comm_set_errhandler(s->parts, MPI_ERRORS_RETURN);
fail:
    return mst_mpi_team_agree(&s->team, status, error);
}

static void destroy(void *half_made) { mst_mpi_stencil_destroy(half_made); }

mst_status mst_mpi_stencil_create(MPI_Comm communicator, mst_context *context, const mst_stencil_desc *desc, uint64_t steps,
                                  double timeout, mst_mpi_stencil **out, mst_error *error) {
    static const mst_mpi_kind solver = {sizeof(mst_mpi_stencil), prepare, complete, destroy};
    request r = {context, desc, steps};
    return mst_mpi_make(communicator, timeout, &solver, &r, out, NULL, error);
}

void mst_mpi_stencil_destroy(mst_mpi_stencil *s) {
    if (!s)
        return;
    mst_stencil_destroy(s->solver);
    for (int i = 0; i < s->n_requests && !s->team.broken; i++)
        MPI_Request_free(&s->requests[i]);
    if (s->team.broken) // MPI may still write there
        return;
    mst_pinned_destroy(s->context, s->given);
    mst_pinned_destroy(s->context, s->taken);
    free(s->requests);
    free(s->points);
    free(s->bits);
    if (s->parts != MPI_COMM_NULL)
        MPI_Comm_free(&s->parts);
    MPI_Comm_free(&s->team.communicator);
    free(s);
}

mst_status mst_mpi_stencil_check(const mst_mpi_stencil *s, mst_error *error) {
    return s ? mst_mpi_check_unbroken(s->team.broken, error) : mst_mpi_fail(error, MST_ERROR_ARGUMENT, "there is no solver");
}

// Halos hold when all arrays were written.
static mst_status resume(mst_mpi_stencil *s, uint64_t step, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_halo halo = MST_STENCIL_HALO_INIT;
    if (!s->solver)
        return MST_OK;
    if (s->is_part) {
        TRY(mst_stencil_describe_halo(s->solver, &halo, error));
        REQUIRE(halo.steps_left == s->brick.steps, MST_ERROR_ARGUMENT,
                "not every array of the state was written since it ran (mst_stencil_write_whole)");
        s->left = s->brick.steps;
    }
    TRY(mst_stencil_set_step(s->solver, step, error));
fail:
    return status;
}

mst_status mst_mpi_stencil_resume(mst_mpi_stencil *s, uint64_t step, mst_error *error) {
    if (mst_mpi_stencil_check(s, error) != MST_OK)
        return s ? MST_ERROR_IO : MST_ERROR_ARGUMENT;
    const mst_status status = mst_mpi_team_agree(&s->team, resume(s, step, error), error);
    s->is_lost = s->is_lost && status != MST_OK;
    s->step = status == MST_OK ? step : s->step;
    return status;
}

mst_stencil *mst_mpi_stencil_solver(const mst_mpi_stencil *s, mst_stencil_part *part) {
    if (part && s)
        *part = (mst_stencil_part){s->brick.first[0], s->brick.count[0], s->brick.steps};
    return s ? s->solver : NULL;
}

mst_status mst_mpi_stencil_brick(const mst_mpi_stencil *s, mst_stencil_brick *brick, mst_error *error) {
    mst_status status = MST_OK;
    REQUIRE(s && brick, MST_ERROR_ARGUMENT, "solver and brick must not be NULL");
    TRY(mst_mpi_description_check(BRICK, brick, error));
    mst_mpi_description_write(BRICK, &s->brick, brick);
fail:
    return status;
}

uint64_t mst_mpi_stencil_step(const mst_mpi_stencil *s) { return s ? s->step : 0; }

int mst_mpi_stencil_is_broken(const mst_mpi_stencil *s) { return s && s->team.broken; }
