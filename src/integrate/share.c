// A call's integrals shared out among the devices of a group, a few at a time from one queue of work, so that unlike devices end
// together. Integrals know nothing of one another, so their results have the same bits wherever they are computed.
//
// A thread a device computes parts; one more reads parameters, in their order and ahead of what is taken, and one finishes what
// is computed, so that the host's work on some parts goes on beside the devices' on others. Results stay with their part until
// all parameters are known to be good: only then does anything come to the caller's.
#include "integrand.h"

#include "runtime/numbers.h"

#include <stdlib.h>

enum {
    FIRST_PART = 16, // a device begins with one of so many parts of its share, as nothing is known of it yet,
    NEXT_PART = 2,   // and then takes so small a part of what is left for it by the rates so far,
    LEAST_PART = 64, // but no less than so small a part of an equal share, as each part costs all rounds of a method
    READ_PARTS = 64, // of all integrals are read one after the other
};

struct shared_call;

typedef struct integrator {
    struct shared_call *shared;
    mst_integral *plan;
    mst_report report;
    double seconds; // guarded by the mutex, and so is `done`: integrals
    size_t done;
} integrator;

// What a device has computed.
typedef struct computed_part {
    struct computed_part *next;
    size_t first, count;
    mst_integral_result results[];
} computed_part;

typedef struct shared_call {
    const mst_integral_call *call;
    integrator *members;
    size_t n_members;
    pthread_mutex_t mutex; // guards what follows
    pthread_cond_t changed;
    size_t read, next, done; // integrals whose parameters are read, that are taken, and whose results are the caller's
    computed_part *computed; // to be finished, in no order
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

static mst_status run_part(integrator *m, computed_part *part, mst_error *error) {
    const mst_integral_call *call = m->shared->call;
    mst_execution how = MST_EXECUTION_INIT;
    how.progress = go_on;
    how.progress_user = m;
    const mst_integral_call own = {.n_sets = part->count,
                                   .rows = call->rows + part->first * (size_t)m->plan->n_row,
                                   .cuts = call->cuts + part->first * (size_t)m->plan->n_cuts,
                                   .results = part->results,
                                   .how = &how,
                                   .report = &m->report};
    return m->plan->method->run(m->plan, &own, error);
}

static mst_status run_alone(mst_integral *plan, const mst_integral_call *call, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_integrand_fill_rows(plan, call, 0, call->n_sets, error));
    MST_TRY(plan->method->run(plan, call, error));
    MST_TRY(mst_integral_finish(plan, call, call->results, 0, call->n_sets, error));
fail:
    return status;
}

// The caller's thread waits for the others, reporting progress.
static void await_others(shared_call *s) {
    mst_error error;
    for (bool over = false; !over;) {
        pthread_mutex_lock(&s->mutex);
        if (s->done < s->call->n_sets && !s->stop)
            mst_wait_a_while(&s->changed, &s->mutex);
        over = s->stop || s->done == s->call->n_sets;
        pthread_mutex_unlock(&s->mutex);
        if (!over && !go_on(0, 0, &s->members[0]))
            fail_call(s, mst_fail(&error, MST_ERROR_CANCELLED, "cancelled"), &error);
    }
}

// The next part for a member, when it is read; NULL: there is none, or the call is to stop.
static computed_part *take_part(integrator *m) {
    shared_call *s = m->shared;
    computed_part *part = NULL;
    pthread_mutex_lock(&s->mutex);
    const size_t first = s->next, count = s->stop ? 0 : part_of(s, m);
    s->next += count;
    while (s->read < first + count && !s->stop)
        pthread_cond_wait(&s->changed, &s->mutex);
    const bool goes_on = count > 0 && !s->stop;
    pthread_mutex_unlock(&s->mutex);
    if (!goes_on)
        return NULL;
    if (!(part = malloc(sizeof *part + count * (size_t)m->plan->n_components * sizeof *part->results))) {
        mst_error error;
        fail_call(s, mst_fail(&error, MST_ERROR_HOST_MEMORY, "out of memory for results"), &error);
        return NULL;
    }
    part->first = first;
    part->count = count;
    return part;
}

static void compute(integrator *m) {
    shared_call *s = m->shared;
    mst_error error;
    for (computed_part *part; (part = take_part(m)) != NULL;) {
        const double start = mst_now();
        const mst_status status = run_part(m, part, &error);
        if (status != MST_OK) {
            free(part);
            fail_call(s, status, &error);
            return;
        }
        pthread_mutex_lock(&s->mutex);
        m->seconds += mst_now() - start;
        m->done += part->count;
        part->next = s->computed;
        s->computed = part;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->mutex);
    }
}

static void read_all(shared_call *s) {
    const size_t n = s->call->n_sets, each = mst_larger(n / READ_PARTS, (size_t)MST_INTEGRAL_SETS);
    mst_error error;
    bool goes_on = true;
    for (size_t first = 0; first < n && goes_on; first += each) {
        const size_t count = mst_smaller(each, n - first);
        const mst_status status = mst_integrand_fill_rows(s->members[0].plan, s->call, first, count, &error);
        if (status != MST_OK) {
            fail_call(s, status, &error);
            return;
        }
        pthread_mutex_lock(&s->mutex);
        s->read = first + count;
        goes_on = !s->stop;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->mutex);
    }
}

// Waits until all is read, and something is computed; NULL: all is finished, or the call is to stop.
static computed_part *await_computed(shared_call *s) {
    pthread_mutex_lock(&s->mutex);
    while (!s->stop && s->done < s->call->n_sets && (s->read < s->call->n_sets || !s->computed))
        pthread_cond_wait(&s->changed, &s->mutex);
    computed_part *part = s->stop ? NULL : s->computed;
    if (part)
        s->computed = part->next;
    pthread_mutex_unlock(&s->mutex);
    return part;
}

static void finish_all(shared_call *s) {
    mst_error error;
    for (computed_part *part; (part = await_computed(s)) != NULL;) {
        const size_t count = part->count;
        const mst_status status = mst_integral_finish(s->members[0].plan, s->call, part->results, part->first, count, &error);
        free(part);
        if (status != MST_OK) {
            fail_call(s, status, &error);
            return;
        }
        pthread_mutex_lock(&s->mutex);
        s->done += count;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->mutex);
    }
}

static void work(size_t k, void *user) {
    shared_call *s = user;
    if (k < s->n_members)
        compute(&s->members[k]);
    else if (k == s->n_members)
        read_all(s);
    else
        finish_all(s);
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
    for (computed_part *part; (part = s->computed) != NULL; free(part))
        s->computed = part->next;
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
    if (mst_group_run(s.n_members + 2, work, &s, &threads) != MST_OK && s.status == MST_OK) {
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
