// What members of a group do together: steps, exchanges of halos, and access to the state.
#include "halo.h"
#include "members.h"
#include "runtime/group.h"
#include "runtime/numbers.h"
#include "schedules/memory.h"
#include "scheme/layers.h"

#include <stdlib.h>
#include <string.h>

static mst_members *members_of(const mst_schedule *schedule) { return (mst_members *)schedule; }

// ---- Steps

// Steps up to the next exchange or the wanted ones, after one if it is due.
static mst_status advance_waiting(mst_members *m, size_t k, uint64_t *done, bool *met, mst_error *error) {
    mst_status status = MST_OK;
    mst_member *own = &m->all[k];
    const double start = mst_now();
    if (own->steps_left == 0) {
        MST_TRY(mst_members_exchange(m, k, own->exchange++, NULL, met, error));
        own->exchanging += mst_now() - start;
        if (!*met)
            return MST_OK;
        own->steps_left = m->steps;
    }
    const uint64_t n = mst_smaller(own->steps_left, m->wanted - *done);
    const double exchanged = mst_now();
    MST_TRY(mst_solver_advance(own->solver, n, &own->traffic, error));
    own->computing += mst_now() - exchanged;
    own->steps_left -= n;
    *done += n;
fail:
    return status;
}

typedef struct given_mark {
    mst_queue *queue;
    cl_event event;
} given_mark;

static mst_status mark_given(void *user, mst_error *error) {
    given_mark *mark = user;
    return mst_event_mark(mark->queue, &mark->event, error);
}

// Queues n steps behind which halos are exchanged, and the exchange beside most of them.
static mst_status advance_and_exchange(mst_members *m, size_t k, uint64_t n, uint64_t row, bool *met, mst_error *error) {
    mst_status status = MST_OK;
    mst_member *own = &m->all[k];
    mst_schedule *schedule = own->solver->schedule;
    given_mark given = {&schedule->queue, NULL};
    MST_TRY(schedule->kind->advance_cuts(schedule, n, row, &own->cuts, mark_given, &given, error));
    // A wait for the event alone leaves what is queued behind it with NVIDIA's driver until later.
    MST_TRY_CL(clFlush(schedule->queue.opencl), "cannot queue steps");
    const double start = mst_now();
    MST_TRY(mst_members_exchange(m, k, own->exchange++, &given.event, met, error));
    own->exchanging += mst_now() - start;
    own->steps_left = m->steps;
fail:
    mst_event_drop(&given.event);
    return status;
}

// As many steps as the tables on the device hold. An exchange is over when the steps behind it begin, so halos hold for as many
// as there are between exchanges when it ends with one.
static mst_status advance_beside(mst_members *m, size_t k, uint64_t *done, bool *met, mst_error *error) {
    mst_status status = MST_OK;
    mst_member *own = &m->all[k];
    mst_stencil *s = own->solver;
    mst_schedule *schedule = s->schedule;
    const uint64_t wanted = mst_smaller(m->wanted - *done, s->tables.footprint.rows);
    const double start = mst_now(), exchanging = own->exchanging;
    MST_TRY(mst_tables_fill(&s->tables, s->step, wanted, error));
    for (uint64_t row = 0, n; row < wanted && *met; row += n) {
        n = mst_smaller(own->steps_left, wanted - row);
        if (n == own->steps_left) {
            MST_TRY(advance_and_exchange(m, k, n, row, met, error));
            continue;
        }
        MST_TRY(schedule->kind->advance(schedule, n, row, &own->traffic, error));
        own->steps_left -= n;
    }
    if (!*met) {
        schedule->kind->abandon(schedule);
        return MST_OK;
    }
    MST_TRY(schedule->kind->settle(schedule, &own->traffic, error));
    MST_TRY(mst_queue_finish(&own->up, error));
    s->tables.filled = wanted;
    MST_TRY(mst_tables_collect(&s->tables, error));
    s->step += wanted;
    *done += wanted;
    own->computing += mst_now() - start - (own->exchanging - exchanging);
    return MST_OK;
fail:
    schedule->kind->abandon(schedule);
    mst_queue_abandon(&own->up);
    return status;
}

static void work(size_t k, void *user) {
    mst_members *m = user;
    mst_error error = {.status = MST_OK};
    bool met = true;
    for (uint64_t done = 0; done < m->wanted && met;) {
        const bool beside = m->beside && m->all[k].steps_left > 0;
        const mst_status status = beside ? advance_beside(m, k, &done, &met, &error) : advance_waiting(m, k, &done, &met, &error);
        if (status != MST_OK) {
            mst_members_fail(m, status, &error);
            return;
        }
    }
}

// Lets all members do something at once, and gives the first failure.
static mst_status run_all(mst_members *m, void (*work_of)(size_t k, void *user), void *user, mst_error *error) {
    mst_error threads = {.status = MST_OK};
    m->here = 0;
    m->status = MST_OK;
    mst_status status = mst_group_run(m->n, work_of, user, &threads);
    if (status != MST_OK && m->status == MST_OK)
        m->error = threads;
    status = m->status != MST_OK ? m->status : status;
    if (status != MST_OK && error)
        *error = m->error;
    return status;
}

static mst_status advance(mst_schedule *schedule, uint64_t n, uint64_t row, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    mst_members *m = members_of(schedule);
    m->wanted = n;
    for (size_t k = 0; k < m->n; k++) {
        m->all[k].solver->step = m->whole->step + row;
        m->all[k].traffic = (mst_traffic){0, 0};
        m->all[k].steps_left = m->steps_left;
        m->all[k].exchange = m->exchange;
        for (int side = 0; side < 2; side++) // all exchanges so far, though one may have failed on the way
            m->all[k].given[side] = m->exchange * m->all[k].gives[side].n;
    }
    MST_TRY(run_all(m, work, m, error));
    m->steps_left = m->all[0].steps_left; // as all others'
    m->exchange = m->all[0].exchange;
    for (size_t k = 0; k < m->n; k++) {
        traffic->upload_bytes += m->all[k].traffic.upload_bytes;
        traffic->download_bytes += m->all[k].traffic.download_bytes;
    }
fail:
    return status;
}

static mst_status settle(mst_schedule *schedule, mst_traffic *traffic, mst_error *error) {
    (void)schedule; // members are whole when they have advanced
    (void)traffic;
    (void)error;
    return MST_OK;
}

// Members that were waiting for one that failed have gone less far than others.
static void abandon(mst_schedule *schedule) {
    mst_members *m = members_of(schedule);
    m->steps_left = 0;
    for (size_t k = 0; k < m->n; k++)
        m->all[k].solver->tables.n_recorded = 0;
}

static mst_status collect(mst_schedule *schedule, mst_error *error) {
    mst_status status = MST_OK;
    mst_members *m = members_of(schedule);
    mst_stencil *s = m->whole;
    const mst_problem *p = &s->problem;
    const uint64_t rows = s->tables.filled;
    if (p->n_points == 0 || rows == 0)
        return MST_OK;
    MST_TRY(mst_tables_make_room(&s->tables, rows, error));
    for (uint64_t row = 0; row < rows; row++)
        for (size_t i = 0; i < p->n_points; i++) {
            const mst_stencil *own = m->all[m->owners[i]].solver;
            s->tables.recorded[(s->tables.n_recorded + row) * p->n_points + i] =
                mst_tables_received(&own->problem, own->tables.recorded + row * p->n_records, i);
        }
    s->tables.n_recorded += rows;
fail:
    for (size_t k = 0; k < m->n; k++)
        m->all[k].solver->tables.n_recorded = 0;
    s->tables.filled = 0;
    return status;
}

// ---- The state

typedef struct overlap {
    uint64_t first, count; // of the member's own array
    uint64_t at;           // from the first element that the caller means
} overlap;

// What elements first .. first + count - 1 of the whole array have in common with a run of them, which begins at element `begin`
// of a member's own array.
static overlap overlap_of(uint64_t first, uint64_t count, uint64_t whole, uint64_t n, uint64_t begin) {
    const uint64_t from = mst_larger(first, whole), to = mst_smaller(first + count, whole + n);
    return from < to ? (overlap){begin + (from - whole), to - from, from - first} : (overlap){0, 0, 0};
}

static mst_status get(mst_schedule *schedule, int array, uint64_t first, uint64_t count, void *to, mst_error *error) {
    mst_status status = MST_OK;
    const mst_members *m = members_of(schedule);
    const size_t element = m->whole->problem.elements[array];
    for (size_t k = 0; k < m->n; k++) {
        mst_stencil *s = m->all[k].solver;
        const int64_t from = s->part[PLANES].first, end = from + s->part[PLANES].count;
        const mst_part_range whole = mst_part_elements(&m->whole->problem, array, from, end);
        const mst_part_range own = mst_part_elements(&s->problem, array, from, end);
        const overlap o = overlap_of(first, count, whole.first, whole.count, own.first);
        if (o.count > 0)
            MST_TRY(s->schedule->kind->get(s->schedule, array, o.first, o.count, (unsigned char *)to + o.at * element, error));
    }
fail:
    return status;
}

// With the halos.
static mst_status put(mst_schedule *schedule, int array, uint64_t first, uint64_t count, const void *from, mst_error *error) {
    mst_status status = MST_OK;
    const mst_members *m = members_of(schedule);
    const size_t element = m->whole->problem.elements[array];
    for (size_t k = 0; k < m->n; k++) {
        mst_stencil *s = m->all[k].solver;
        const uint64_t n = mst_layers_array_nodes(&s->problem, array);
        mst_part_piece piece;
        for (uint64_t i = 0; i < n; i += piece.count) {
            piece = mst_part_piece_at(&s->problem, array, i);
            const overlap o = overlap_of(first, count, piece.at, piece.count, piece.first);
            if (o.count > 0)
                MST_TRY(s->schedule->kind->put(s->schedule, array, o.first, o.count, (const unsigned char *)from + o.at * element,
                                               error));
        }
    }
fail:
    return status;
}

typedef struct nonfinite_count {
    mst_members *members;
    int array;
} nonfinite_count;

static void count_own(size_t k, void *user) {
    const nonfinite_count *c = user;
    mst_members *m = c->members;
    mst_error error = {.status = MST_OK};
    const mst_status status = mst_solver_count(m->all[k].solver, c->array, &m->all[k].counted, &error);
    if (status != MST_OK)
        mst_members_fail(m, status, &error);
}

static mst_status count_nonfinite(mst_schedule *schedule, int array, uint64_t *count, mst_error *error) {
    mst_members *m = members_of(schedule);
    nonfinite_count c = {m, array};
    *count = 0;
    const mst_status status = run_all(m, count_own, &c, error);
    for (size_t k = 0; k < m->n; k++)
        *count += m->all[k].counted;
    return status;
}

// ---- Making and releasing

static void destroy(mst_schedule *schedule) {
    mst_members *m = members_of(schedule);
    for (size_t k = 0; m->all && k < m->n; k++) {
        if (m->exchange > 0)
            mst_log(m->whole->context, MST_LOG_DEBUG, "device %zu of %zu: %.1f ms of steps, %.1f ms of %llu exchanges%s", k + 1,
                    m->n, 1e3 * m->all[k].computing, 1e3 * m->all[k].exchanging, (unsigned long long)m->exchange,
                    m->beside ? " beside them" : "");
        mst_member_release(&m->all[k]);
        mst_stencil_destroy(m->all[k].solver);
    }
    free(m->all);
    free(m->owners);
    pthread_mutex_destroy(&m->mutex);
    pthread_cond_destroy(&m->changed);
    free(m);
}

// Nothing is lent, as members make their initial values themselves.
static const mst_schedule_kind kind = {destroy, advance, settle,  abandon, get,  put,  count_nonfinite,
                                       NULL,    NULL,    collect, NULL,    NULL, NULL, NULL};

static mst_status find_owners(mst_members *m, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = &m->whole->problem;
    MST_REQUIRE(m->owners = calloc(p->n_points + 1, sizeof *m->owners), MST_ERROR_HOST_MEMORY, "out of memory for receivers");
    for (size_t i = 0; i < p->n_points; i++)
        for (size_t k = 0; k < m->n; k++)
            if (mst_part_has_point(m->all[k].solver, i))
                m->owners[i] = k;
fail:
    return status;
}

mst_status mst_members_take(mst_members *m, mst_error *error) {
    mst_status status = MST_OK;
    for (size_t k = 0; k < m->n; k++)
        m->hosted = m->hosted || !m->all[k].solver->schedule->kind->move;
    for (size_t k = 0; k < m->n; k++)
        MST_TRY(mst_member_take(&m->all[k], m->hosted ? MST_HOST_PIECE : MST_HALO_PIECE, error));
    MST_TRY(find_owners(m, error));
fail:
    return status;
}

mst_status mst_members_begin(mst_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    mst_members *m = calloc(1, sizeof *m);
    MST_REQUIRE(m, MST_ERROR_HOST_MEMORY, "out of memory sharing out a grid");
    m->base = (mst_schedule){.kind = &kind, .with = {.context = s->context, .problem = &s->problem, .plan = &s->plan}};
    m->whole = s;
    pthread_mutex_init(&m->mutex, NULL);
    pthread_cond_init(&m->changed, NULL);
    s->members = m;
    s->schedule = &m->base;
    mst_footprint_observe(&s->inputs, &s->plan);
    s->plan.footprint.rows = UINT64_MAX;
    s->tables.problem = &s->problem;
    s->tables.footprint.rows = UINT64_MAX;
fail:
    return status;
}
