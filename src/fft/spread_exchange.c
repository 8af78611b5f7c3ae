#include "spread_exchange.h"

#include "runtime/numbers.h"
#include "runtime/pinned.h"

#include <stdlib.h>

// ---- The team

mst_status mst_spread_team_make(mst_context *context, uint64_t slot_bytes, mst_spread_team *team, mst_error *error) {
    mst_status status = MST_OK;
    team->n = mst_group_size(context);
    team->slot_bytes = slot_bytes;
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->changed, NULL);
    MST_REQUIRE(team->all = calloc(team->n, sizeof *team->all), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    for (size_t k = 0; k < team->n; k++) {
        mst_spread_member *m = &team->all[k];
        m->context = mst_group_member(context, k);
        m->compute = (mst_queue)MST_QUEUE(m->context, m->context->compute);
        m->up = (mst_queue)MST_QUEUE(m->context, m->context->upload);
        m->down = (mst_queue)MST_QUEUE(m->context, m->context->download);
        for (int i = 0; i < MST_SPREAD_SLOTS && slot_bytes > 0; i++)
            MST_TRY(mst_pinned_map(m->context, slot_bytes, "an exchange", &m->pinned[i], &m->slots[i], error));
    }
fail:
    return status;
}

void mst_spread_team_release(mst_spread_team *team) {
    if (team->n == 0)
        return;
    for (size_t k = 0; team->all && k < team->n; k++) {
        mst_spread_member *m = &team->all[k];
        for (int i = 0; i < MST_SPREAD_SLOTS; i++)
            if (m->context)
                mst_pinned_unmap(m->context, m->pinned[i], m->slots[i]);
        mst_queue_release(&m->compute);
        mst_queue_release(&m->up);
        mst_queue_release(&m->down);
    }
    free(team->all);
    pthread_mutex_destroy(&team->mutex);
    pthread_cond_destroy(&team->changed);
    *team = (mst_spread_team){.n = 0};
}

void mst_spread_team_fail(mst_spread_team *team, mst_status status, const mst_error *error) {
    pthread_mutex_lock(&team->mutex);
    if (team->status == MST_OK) {
        team->status = status;
        team->error = *error;
    }
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->mutex);
}

static void end(mst_spread_member *m, bool failed) {
    mst_queue *queues[] = {&m->compute, &m->down, &m->up};
    for (size_t i = 0; i < MST_COUNT(queues) && failed; i++)
        mst_queue_abandon(queues[i]);
    for (int i = 0; i < MST_SPREAD_SLOTS; i++) {
        mst_event_drop(&m->downs[i]);
        mst_event_drop(&m->ups[i]);
    }
    m->given = m->taken = 0;
}

mst_status mst_spread_team_run(mst_spread_team *team, void (*work)(size_t k, void *user), void *user, mst_error *error) {
    mst_error threads;
    team->status = MST_OK;
    const mst_status status = mst_group_run(team->n, work, user, &threads);
    if (status != MST_OK)
        mst_spread_team_fail(team, status, &threads);
    for (size_t k = 0; k < team->n; k++)
        end(&team->all[k], team->status != MST_OK);
    if (team->status != MST_OK && error)
        *error = team->error;
    return team->status;
}

// ---- An exchange

typedef struct passing {
    mst_spread_team *team;
    const mst_spread_call *call;
    size_t k;
    mst_spread_member *own;
} passing;

// Waits until a count of a member's is so large; false if a member has failed.
static bool await(mst_spread_team *team, const uint64_t *count, uint64_t wanted) {
    pthread_mutex_lock(&team->mutex);
    while (*count < wanted && team->status == MST_OK)
        pthread_cond_wait(&team->changed, &team->mutex);
    const bool is_there = team->status == MST_OK;
    pthread_mutex_unlock(&team->mutex);
    return is_there;
}

static void tell(mst_spread_team *team, uint64_t *count) {
    pthread_mutex_lock(&team->mutex);
    (*count)++;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->mutex);
}

static bool is_empty(const mst_spread_piece *piece) { return piece->rows == 0 || piece->count == 0; }
static size_t slot_of(size_t turn) { return turn % MST_SPREAD_SLOTS; }

static mst_spread_copy copy_of(const passing *p, const mst_spread_piece *piece, bool by_columns, cl_mem buffer, void *slot) {
    const size_t e = p->call->element;
    const mst_spread_spot spot = mst_spread_spot_of(p->call->plan, piece, by_columns);
    return (mst_spread_copy){.buffer = buffer,
                             .at = spot.at * e,
                             .pitch = spot.pitch * e,
                             .row_bytes = piece->count * e,
                             .rows = piece->rows,
                             .host = slot,
                             .host_pitch = piece->count * e};
}

// What is downloaded from now on is behind what the rows before `row` need to be computed.
static mst_status compute_to(const passing *p, size_t row, mst_error *error) {
    mst_status status = MST_OK;
    const mst_spread_call *call = p->call;
    cl_event computed = NULL;
    if (!call->compute)
        return MST_OK;
    MST_TRY(call->compute(call->user, row, &computed, error));
    if (computed)
        MST_TRY(mst_queue_barrier(&p->own->down, 1, &computed, "a transform", error));
fail:
    mst_event_drop(&computed);
    return status;
}

// Begins to bring a piece down, when its slot is free.
static mst_status begin_giving(const passing *p, size_t turn, bool *goes_on, mst_error *error) {
    mst_status status = MST_OK;
    const mst_spread_call *call = p->call;
    const mst_spread_piece piece = mst_spread_given(call->plan, call->to_columns, p->k, turn);
    if (turn >= MST_SPREAD_SLOTS) {
        const mst_spread_piece before = mst_spread_given(call->plan, call->to_columns, p->k, turn - MST_SPREAD_SLOTS);
        const size_t taker = call->to_columns ? before.to : before.from;
        if (!(*goes_on = await(p->team, &p->team->all[taker].taken, turn - MST_SPREAD_SLOTS + 1)))
            return MST_OK;
    }
    if (is_empty(&piece))
        return MST_OK;
    MST_TRY(compute_to(p, piece.row + piece.rows, error));
    const mst_spread_copy copy = copy_of(p, &piece, !call->to_columns, call->from, p->own->slots[slot_of(turn)]);
    MST_TRY(mst_spread_enqueue_copy(&p->own->down, &copy, false, error));
    MST_TRY(mst_queue_mark(&p->own->down, false, &p->own->downs[slot_of(turn)], error));
    MST_TRY_CL(clFlush(p->own->down.opencl), "cannot begin an exchange");
fail:
    return status;
}

// Waits for a copy of one's own, and tells the others.
static mst_status finish_copy(const passing *p, cl_event *copied, uint64_t *count, mst_error *error) {
    mst_status status = MST_OK;
    if (*copied)
        MST_TRY_CL(mst_wait_for_events(1, copied), "cannot exchange parts of a spread array");
    mst_event_drop(copied);
    tell(p->team, count);
fail:
    return status;
}

// Begins to bring up what another one has given at a turn.
static mst_status begin_taking(const passing *p, size_t turn, bool *goes_on, mst_error *error) {
    mst_status status = MST_OK;
    const mst_spread_call *call = p->call;
    const mst_spread_piece piece = mst_spread_taken(call->plan, call->to_columns, p->k, turn);
    mst_spread_member *giver = &p->team->all[call->to_columns ? piece.from : piece.to];
    if (is_empty(&piece))
        return MST_OK;
    if (!(*goes_on = await(p->team, &giver->given, turn + 1)))
        return MST_OK;
    const mst_spread_copy copy = copy_of(p, &piece, call->to_columns, call->to, giver->slots[slot_of(turn)]);
    MST_TRY(mst_spread_enqueue_copy(&p->own->up, &copy, true, error));
    MST_TRY(mst_queue_mark(&p->own->up, false, &p->own->ups[slot_of(turn)], error));
    MST_TRY_CL(clFlush(p->own->up.opencl), "cannot begin an exchange");
fail:
    return status;
}

// What the device keeps goes from one of its buffers to the other.
static mst_status keep(const passing *p, mst_error *error) {
    mst_status status = MST_OK;
    const mst_spread_call *call = p->call;
    const size_t e = call->element;
    mst_queue *queue = &p->own->compute;
    for (int i = 0; i < MST_SPREAD_KEPT; i++) {
        const mst_spread_piece piece = mst_spread_kept(call->plan, p->k, i);
        const mst_spread_spot from = mst_spread_spot_of(call->plan, &piece, !call->to_columns),
                              to = mst_spread_spot_of(call->plan, &piece, call->to_columns);
        const size_t begin[] = {from.at * e, 0, 0}, target[] = {to.at * e, 0, 0}, region[] = {piece.count * e, piece.rows, 1};
        cl_event event = NULL, *own;
        cl_uint n_waits;
        const cl_event *waits;
        if (is_empty(&piece))
            continue;
        MST_TRY(mst_queue_begin(queue, &n_waits, &waits, &event, &own, error));
        MST_TRY_CL(clEnqueueCopyBufferRect(queue->opencl, call->from, call->to, begin, target, region, from.pitch * e, 0,
                                           to.pitch * e, 0, n_waits, waits, own),
                   "cannot copy a part of a spread array");
        MST_TRY(mst_queue_add(queue, event, "a copy of a spread array", NULL, error));
    }
    MST_TRY_CL(clFlush(queue->opencl), "cannot copy a part of a spread array");
fail:
    return status;
}

// No member waits for what another one does at a later round than its own, so none waits for ever: a slot is free when the piece
// of MST_SPREAD_SLOTS turns before is up, which its taker has seen some rounds before.
static mst_status pass_pieces(const passing *p, mst_error *error) {
    mst_status status = MST_OK;
    const size_t turns = mst_spread_turns(p->call->plan);
    mst_spread_member *own = p->own;
    bool goes_on = true;
    for (size_t round = 0; round < turns + MST_SPREAD_AHEAD + MST_SPREAD_BEHIND && goes_on; round++) {
        if (round < turns)
            MST_TRY(begin_giving(p, round, &goes_on, error));
        if (round + 1 == turns) {
            MST_TRY(compute_to(p, p->call->plan->flat.rows, error));
            MST_TRY(keep(p, error));
        }
        const size_t given = round - MST_SPREAD_AHEAD, taken = given - MST_SPREAD_BEHIND; // wrong where there are none yet
        if (goes_on && round >= MST_SPREAD_AHEAD && given < turns) {
            MST_TRY(finish_copy(p, &own->downs[slot_of(given)], &own->given, error));
            MST_TRY(begin_taking(p, given, &goes_on, error));
        }
        if (goes_on && round >= MST_SPREAD_AHEAD + MST_SPREAD_BEHIND)
            MST_TRY(finish_copy(p, &own->ups[slot_of(taken)], &own->taken, error));
    }
    if (!goes_on)
        return MST_OK;
    MST_TRY(mst_queue_finish(&own->compute, error));
    MST_TRY(mst_queue_finish(&own->down, error));
    MST_TRY(mst_queue_finish(&own->up, error));
fail:
    return status;
}

mst_status mst_spread_pass(mst_spread_team *team, size_t k, const mst_spread_call *call, mst_error *error) {
    const passing p = {team, call, k, &team->all[k]};
    return pass_pieces(&p, error);
}
