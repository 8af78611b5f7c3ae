// A call's integrals shared out among the devices of a group, a few at a time from one queue of work, so that unlike devices end
// together. Integrals know nothing of one another, so their results have the same bits wherever they are computed.
#include "integrand.h"

#include "runtime/numbers.h"

#include <stdlib.h>
#include <time.h>

enum {
    FIRST_PART = 16, // a device begins with one of so many parts of its share, as nothing is known of it yet,
    NEXT_PART = 2,   // and then takes so small a part of what is left for it by the rates so far,
    LEAST_PART = 64, // but no less than so small a part of an equal share, as each part costs all rounds of a method
};
#define PROGRESS_INTERVAL_NS 50000000L

struct shared_call;

typedef struct integrator {
    struct shared_call *shared;
    mst_integral *plan;
    mst_report report;
    double seconds; // guarded by the mutex, and so is `done`: integrals
    size_t done;
} integrator;

typedef struct shared_call {
    const mst_integral_call *call;
    integrator *members;
    size_t n_members;
    pthread_mutex_t mutex; // guards what follows
    pthread_cond_t changed;
    size_t next, done;
    bool stop;
    mst_status status;
    mst_error error;
} shared_call;

static void fail_call(shared_call *s, mst_status status, const mst_error *error) {
    pthread_mutex_lock(&s->mutex);
    if (s->status == MST_OK) {
        s->status = status;
        s->error = *error;
    }
    s->stop = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
}

// Called by methods now and then. The caller's progress function is asked in its own thread only.
static bool go_on(uint64_t done, uint64_t total, void *user) {
    const integrator *m = user;
    shared_call *s = m->shared;
    const mst_execution *how = s->call->how;
    (void)total;
    pthread_mutex_lock(&s->mutex);
    bool goes_on = !s->stop;
    size_t all = s->done + (size_t)done;
    pthread_mutex_unlock(&s->mutex);
    if (goes_on && m == s->members && how->progress)
        goes_on = how->progress(mst_smaller(all, s->call->n_sets), s->call->n_sets, how->progress_user);
    return goes_on;
}

// How many integrals a member takes next; called with the mutex held.
static size_t part_of(const shared_call *s, const integrator *m) {
    const size_t left = s->call->n_sets - s->next;
    double own = m->done > 0 && m->seconds > 0 ? (double)m->done / m->seconds : 0, all = 0;
    for (size_t k = 0; k < s->n_members; k++) {
        const integrator *o = &s->members[k];
        all += o->done > 0 && o->seconds > 0 ? (double)o->done / o->seconds : own;
    }
    const size_t share = s->call->n_sets / s->n_members, least = mst_larger(share / LEAST_PART, (size_t)1);
    const size_t part = own > 0 ? (size_t)((double)left * own / all / NEXT_PART) : share / FIRST_PART;
    return mst_smaller(mst_larger(part, least), left);
}

// What the host does before and behind a part goes on beside other devices' parts, by all its threads.
static mst_status run_part(integrator *m, size_t first, size_t count, mst_error *error) {
    mst_status status = MST_OK;
    const mst_integral_call *call = m->shared->call;
    const mst_integral *lead = m->shared->members[0].plan;
    mst_execution how = MST_EXECUTION_INIT;
    how.progress = go_on;
    how.progress_user = m;
    const mst_integral_call part = {.n_sets = count,
                                    .rows = call->rows + first * (size_t)m->plan->n_row,
                                    .cuts = call->cuts + first * (size_t)m->plan->n_cuts,
                                    .results = call->results + first,
                                    .how = &how,
                                    .report = &m->report};
    MST_TRY(mst_integrand_fill_rows(lead, call, first, count, error));
    MST_TRY(m->plan->method->run(m->plan, &part, error));
    MST_TRY(mst_integral_finish(lead, call, first, count, error));
fail:
    return status;
}

static mst_status run_alone(mst_integral *plan, const mst_integral_call *call, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_integrand_fill_rows(plan, call, 0, call->n_sets, error));
    MST_TRY(plan->method->run(plan, call, error));
    MST_TRY(mst_integral_finish(plan, call, 0, call->n_sets, error));
fail:
    return status;
}

// The caller's thread waits for the others, reporting progress.
static void await_others(shared_call *s) {
    mst_error error;
    for (bool over = false; !over;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PROGRESS_INTERVAL_NS;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_mutex_lock(&s->mutex);
        if (s->done < s->call->n_sets && !s->stop)
            pthread_cond_timedwait(&s->changed, &s->mutex, &until);
        over = s->stop || s->done == s->call->n_sets;
        pthread_mutex_unlock(&s->mutex);
        if (!over && !go_on(0, 0, &s->members[0]))
            fail_call(s, mst_fail(&error, MST_ERROR_CANCELLED, "cancelled"), &error);
    }
}

static void work(size_t k, void *user) {
    shared_call *s = user;
    integrator *m = &s->members[k];
    mst_error error;
    for (;;) {
        pthread_mutex_lock(&s->mutex);
        const size_t first = s->next, count = s->stop ? 0 : part_of(s, m);
        s->next += count;
        pthread_mutex_unlock(&s->mutex);
        if (count == 0)
            break;
        const double start = mst_now();
        mst_status status = run_part(m, first, count, &error);
        if (status != MST_OK) {
            fail_call(s, status, &error);
            break;
        }
        pthread_mutex_lock(&s->mutex);
        m->seconds += mst_now() - start;
        m->done += count;
        s->done += count;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->mutex);
    }
    if (k == 0)
        await_others(s);
}

static void end(shared_call *s) {
    for (size_t k = 0; k < s->n_members; k++) {
        const integrator *m = &s->members[k];
        if (s->status != MST_OK)
            mst_queue_abandon(&m->plan->queue);
        s->call->report->compute_seconds += m->report.compute_seconds;
        mst_log(m->plan->context, MST_LOG_DEBUG, "device %zu of %zu, %s: %zu of %zu integrals, %.1f ms", k + 1, s->n_members,
                m->plan->context->device.name, m->done, s->call->n_sets, 1e3 * m->seconds);
    }
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->mutex);
}

mst_status mst_integral_run(mst_integral *plan, const mst_integral_call *call, mst_error *error) {
    mst_status status = MST_OK;
    shared_call s = {.call = call, .n_members = plan->n_twins + 1};
    if (plan->n_twins == 0 || call->n_sets == 1)
        return run_alone(plan, call, error);
    MST_REQUIRE(s.members = calloc(s.n_members, sizeof *s.members), MST_ERROR_HOST_MEMORY, "out of memory sharing out integrals");
    pthread_mutex_init(&s.mutex, NULL);
    pthread_cond_init(&s.changed, NULL);
    for (size_t k = 0; k < s.n_members; k++)
        s.members[k] = (integrator){.shared = &s, .plan = k == 0 ? plan : plan->twins[k - 1]};
    mst_error threads;
    if (mst_group_run(s.n_members, work, &s, &threads) != MST_OK && s.status == MST_OK) {
        s.status = threads.status;
        s.error = threads;
    }
    end(&s);
    status = s.status;
    if (status != MST_OK && error)
        *error = s.error;
fail:
    free(s.members);
    return status;
}
