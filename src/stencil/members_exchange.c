// How members of a group exchange halos. Edges come down to pinned memory of the host in pieces, and as soon as one is there, the
// neighbour takes it up while the next one comes down, so that both directions of the links are in use. Copies have queues of
// their own, so that they go on beside kernels. What lies in the host's memory is copied once, from one backing store to the
// other, by many threads.
#include "members.h"
#include "runtime/numbers.h"
#include "schedules/memory.h"

#include <stdlib.h>

void mst_members_fail(mst_members *m, mst_status status, const mst_error *error) {
    pthread_mutex_lock(&m->mutex);
    if (m->status == MST_OK) {
        m->status = status;
        m->error = *error;
    }
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->mutex);
}

// Waits for all members; false if one of them has failed.
static bool meet(mst_members *m) {
    pthread_mutex_lock(&m->mutex);
    const uint64_t meeting = m->meetings;
    if (++m->here == m->n) {
        m->here = 0;
        m->meetings++;
        pthread_cond_broadcast(&m->changed);
    }
    while (m->meetings == meeting && m->status == MST_OK)
        pthread_cond_wait(&m->changed, &m->mutex);
    const bool met = m->status == MST_OK;
    pthread_mutex_unlock(&m->mutex);
    return met;
}

// ---- Edges

// Where a piece lies in the host's memory; NULL: it does not.
static const void *see(const mst_member *own, const mst_halo_piece *p) {
    const mst_schedule *schedule = own->solver->schedule;
    return schedule->kind->see ? schedule->kind->see(schedule, p->array, mst_piece_first(own->solver, p)) : NULL;
}

static mst_status enqueue_edge(mst_member *own, int side, size_t i, mst_error *error) {
    mst_status status = MST_OK;
    mst_schedule *schedule = own->solver->schedule;
    const mst_halo_piece *p = &own->gives[side].pieces[i];
    if (see(own, p))
        return MST_OK;
    unsigned char *to = own->edges[side] + p->at;
    MST_TRY(mst_piece_move(own->solver, &own->down, p, false, to, error));
    if (!schedule->kind->move)
        return MST_OK;
    MST_TRY(mst_queue_mark(&own->down, false, &own->gives[side].marks[i], error));
    MST_TRY_CL(clFlush(own->down.opencl), "cannot download halos");
fail:
    return status;
}

// Waits until the piece has come down, and says so.
static mst_status give(mst_members *m, mst_member *own, int side, size_t i, mst_error *error) {
    mst_status status = MST_OK;
    cl_event *mark = &own->gives[side].marks[i];
    if (*mark)
        MST_TRY_CL(mst_wait_for_events(1, mark), "cannot download halos");
    mst_event_drop(mark);
    pthread_mutex_lock(&m->mutex);
    own->given[side]++;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->mutex);
fail:
    return status;
}

// ---- Halos

// Waits for a piece of a neighbour's; false if a member has failed.
static bool await(mst_members *m, const uint64_t *given, uint64_t wanted) {
    pthread_mutex_lock(&m->mutex);
    while (*given < wanted && m->status == MST_OK)
        pthread_cond_wait(&m->changed, &m->mutex);
    const bool is_there = m->status == MST_OK;
    pthread_mutex_unlock(&m->mutex);
    return is_there;
}

static mst_status take(mst_members *m, size_t k, int side, size_t i, uint64_t number, bool *met, mst_error *error) {
    mst_status status = MST_OK;
    mst_member *own = &m->all[k], *other = &m->all[side ? (k + 1) % m->n : (k + m->n - 1) % m->n];
    mst_schedule *schedule = own->solver->schedule;
    const mst_halo_piece *p = &own->takes[side].pieces[i];
    const void *seen = see(other, &other->gives[!side].pieces[i]), *from = seen ? seen : other->edges[!side] + p->at;
    if (!(*met = await(m, &other->given[!side], number * other->gives[!side].n + i + 1)))
        return MST_OK;
    MST_TRY(mst_piece_move(own->solver, &own->up, p, true, (void *)from, error));
    if (schedule->kind->move)
        MST_TRY_CL(clFlush(own->up.opencl), "cannot upload halos");
fail:
    return status;
}

// ---- Both

static size_t most_pieces(const mst_member *own) {
    return mst_larger(mst_larger(own->gives[0].n, own->gives[1].n), mst_larger(own->takes[0].n, own->takes[1].n));
}

// Kernels that are queued later find what is on its way up.
static mst_status put_behind(mst_member *own, mst_error *error) {
    mst_status status = MST_OK;
    cl_event halos = NULL;
    MST_TRY(mst_event_mark(&own->up, &halos, error));
    MST_TRY(mst_queue_barrier(&own->solver->schedule->queue, 1, &halos, "halos", error));
fail:
    mst_event_drop(&halos);
    return status;
}

// Those of both sides in turn, as they are given.
static mst_status pass_pieces(mst_members *m, size_t k, uint64_t number, bool beside, bool *met, mst_error *error) {
    mst_status status = MST_OK;
    mst_member *own = &m->all[k];
    const size_t most = most_pieces(own);
    for (size_t i = 0; i < most; i++)
        for (int side = 0; side < 2; side++)
            if (i < own->gives[side].n)
                MST_TRY(enqueue_edge(own, side, i, error));
    for (size_t i = 0; i < most; i++) {
        for (int side = 0; side < 2; side++)
            if (i < own->gives[side].n)
                MST_TRY(give(m, own, side, i, error));
        for (int side = 0; side < 2 && *met; side++)
            if (i < own->takes[side].n)
                MST_TRY(take(m, k, side, i, number, met, error));
    }
    if (*met)
        MST_TRY(mst_queue_finish(&own->down, error));
    if (*met)
        MST_TRY(beside ? put_behind(own, error) : mst_queue_finish(&own->up, error));
    if (*met && m->hosted) // what others read of this one's store is its own again
        *met = meet(m);
fail:
    return status;
}

// All have taken what was given the last time when they meet: edges are computed behind the halos before.
mst_status mst_members_exchange(mst_members *m, size_t k, uint64_t number, const cl_event *given, bool *met, mst_error *error) {
    mst_status status = MST_OK;
    mst_member *own = &m->all[k];
    *met = false;
    if (given)
        MST_TRY_CL(mst_wait_for_events(1, given), "cannot compute edges");
    if (!(*met = meet(m)))
        return MST_OK;
    status = pass_pieces(m, k, number, given != NULL, met, error);
fail:
    if (status != MST_OK || !*met) {
        mst_queue_abandon(&own->down);
        mst_queue_abandon(&own->up);
    }
    for (int side = 0; side < 2; side++) {
        mst_events_drop(own->gives[side].marks, own->gives[side].n);
        own->traffic.download_bytes += mst_edge_down_bytes(own->solver, side);
        own->traffic.upload_bytes += mst_halo_bytes(own->solver, side);
    }
    return status;
}

// ---- Memory

mst_status mst_member_take(mst_member *own, uint64_t piece_bytes, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = own->solver->context;
    own->down = (mst_queue)MST_QUEUE(context, context->download);
    own->up = (mst_queue)MST_QUEUE(context, context->upload);
    for (int side = 0; side < 2; side++) {
        void *edge;
        mst_member_side *gives = &own->gives[side], *takes = &own->takes[side];
        MST_TRY(mst_halo_cut(own->solver, side, true, piece_bytes, &gives->pieces, &gives->n, error));
        MST_TRY(mst_halo_cut(own->solver, side, false, piece_bytes, &takes->pieces, &takes->n, error));
        MST_REQUIRE(gives->marks = calloc(gives->n + 1, sizeof(cl_event)), MST_ERROR_HOST_MEMORY, "out of memory for halos");
        if (mst_edge_down_bytes(own->solver, side) == 0)
            continue;
        MST_TRY(mst_pinned_create(context, mst_edge_bytes(own->solver, side), &edge, error));
        own->edges[side] = edge;
    }
    own->cuts = mst_part_cuts(own->solver);
fail:
    return status;
}

void mst_member_release(mst_member *own) {
    for (int side = 0; side < 2; side++) {
        if (own->edges[side])
            mst_pinned_destroy(own->solver->context, own->edges[side]);
        free(own->gives[side].pieces);
        free(own->gives[side].marks);
        free(own->takes[side].pieces);
    }
    mst_queue_release(&own->down);
    mst_queue_release(&own->up);
}
