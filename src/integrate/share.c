// A call's integrals shared out among the devices of a group, a few at a time from one queue of work, so that unlike devices end
// together. Integrals know nothing of one another, so their results have the same bits wherever they are computed.
//
// A worker computes parts, a thread each. A GPU that gets many integrals has two of them: the kernels of one run while the host
// reads a round's counts, copies, and makes results for the other, so that the device is never without work. They share its
// memory: if it is not enough for both, one leaves its part and its memory to the other.
#include "integrand.h"

#include "runtime/numbers.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_PART = 16,    // a worker begins with one of so many parts of its share, as nothing is known of it yet,
    NEXT_PART = 2,      // and then takes so small a part of what is left for it by the rates so far,
    LEAST_PART = 32,    // but no less than so small a part of an equal share, as each part costs all rounds of a method.
    FIRST_ALIKE = 2,    // The same of devices of one make. They take few parts, as all threads wait for one another in calls
    NEXT_ALIKE = 1,     // of NVIDIA's driver (580), some 70 a round.
    LEAST_ALIKE = 8,    //
    MOST_PART = 1 << 18 // integrals, at most
};

struct shared_call;

typedef struct worker {
    struct shared_call *shared;
    mst_integral *plan;
    struct worker *other; // of the same device; NULL: there is none
    mst_report report;
    // Guarded by the mutex:
    double seconds;
    size_t done, n_parts; // integrals, parts
    size_t first, left;   // the part that it left to the other one
    bool is_over;
} worker;

typedef struct shared_call {
    const mst_integral_call *call;
    worker *workers;
    size_t n_workers, share; // of integrals: an equal one
    bool alike;              // the devices
    pthread_mutex_t mutex;   // guards what follows
    pthread_cond_t changed;
    size_t next, done; // integrals that are taken, and whose results are the caller's
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
    const worker *w = user;
    shared_call *s = w->shared;
    const mst_execution *how = s->call->how;
    (void)total;
    pthread_mutex_lock(&s->mutex);
    bool goes_on = !s->stop;
    size_t all = s->done + (size_t)done;
    pthread_mutex_unlock(&s->mutex);
    if (goes_on && w == s->workers && how->progress)
        goes_on = how->progress(mst_smaller(all, s->call->n_sets), s->call->n_sets, how->progress_user);
    return goes_on;
}

// How many integrals a worker takes next; called with the mutex held.
static size_t part_of(const shared_call *s, const worker *w) {
    const size_t left = s->call->n_sets - s->next;
    double own = w->done > 0 && w->seconds > 0 ? (double)w->done / w->seconds : 0, all = 0;
    for (size_t k = 0; k < s->n_workers; k++) {
        const worker *o = &s->workers[k];
        all += o->is_over ? 0 : o->done > 0 && o->seconds > 0 ? (double)o->done / o->seconds : own;
    }
    const size_t first = s->share / (s->alike ? FIRST_ALIKE : FIRST_PART);
    const size_t least = mst_larger(s->share / (s->alike ? LEAST_ALIKE : LEAST_PART), (size_t)1);
    const size_t part = own > 0 ? (size_t)((double)left * own / all / (s->alike ? NEXT_ALIKE : NEXT_PART)) : first;
    return mst_smaller(mst_smaller(mst_larger(part, least), (size_t)MOST_PART), left);
}

static mst_status run(mst_integral *plan, const mst_integral_call *call, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(plan->method->run(plan, call, error));
    if (!plan->method->shrink)
        MST_TRY(mst_integral_finish(plan, call, error));
fail:
    return status;
}

static bool lacks_memory(mst_status status) { return status == MST_ERROR_BUDGET || status == MST_ERROR_DEVICE_MEMORY; }

// The same where nobody else works on the device: if memory is not enough to begin, halves are done one after the other.
static mst_status run_alone(mst_integral *plan, const mst_integral_call *call, mst_error *error) {
    mst_status status = run(plan, call, error);
    if (!lacks_memory(status) || !plan->method->shrink)
        return status;
    mst_queue_abandon(&plan->queue);
    plan->method->shrink(plan);
    if (call->n_sets == 1)
        return run(plan, call, error);
    const size_t half = call->n_sets / 2;
    const mst_integral_call halves[] = {mst_integral_part(plan, call, 0, half),
                                        mst_integral_part(plan, call, half, call->n_sets - half)};
    status = run_alone(plan, &halves[0], error);
    return status == MST_OK ? run_alone(plan, &halves[1], error) : status;
}

static mst_status run_part(worker *w, size_t first, size_t count, bool shares_memory, mst_error *error) {
    mst_execution how = MST_EXECUTION_INIT;
    mst_integral_call part = mst_integral_part(w->plan, w->shared->call, first, count);
    how.progress = go_on;
    how.progress_user = w;
    part.how = &how;
    part.report = &w->report;
    part.shares_memory = shares_memory;
    return shares_memory ? run(w->plan, &part, error) : run_alone(w->plan, &part, error);
}

// The next part for a worker; none: it is over.
static size_t take_part(worker *w, size_t *first, bool *shares_memory) {
    shared_call *s = w->shared;
    worker *other = w->other;
    size_t count = 0;
    pthread_mutex_lock(&s->mutex);
    *shares_memory = other && !other->is_over;
    if (!s->stop && other && other->left > 0) {
        *first = other->first;
        count = other->left;
        other->left = 0;
    } else if (!s->stop) {
        *first = s->next;
        count = part_of(s, w);
        s->next += count;
    }
    w->is_over = count == 0;
    pthread_mutex_unlock(&s->mutex);
    return count;
}

// Where two have not memory enough: whether this one ends, and leaves its part to the other. If not, the other has ended.
static bool gives_way(worker *w, size_t first, size_t count) {
    worker *other = w->other;
    pthread_mutex_lock(&w->shared->mutex);
    const bool over = !other->is_over;
    if (over) { // memory first: the other may look at once
        w->plan->method->shrink(w->plan);
        w->first = first;
        w->left = count;
        w->is_over = true;
    }
    pthread_mutex_unlock(&w->shared->mutex);
    if (!over)
        other->plan->method->shrink(other->plan);
    return over;
}

static void compute(worker *w) {
    shared_call *s = w->shared;
    mst_error error;
    size_t first, count;
    bool shares_memory;
    while ((count = take_part(w, &first, &shares_memory)) > 0) {
        const double start = mst_now();
        mst_status status = run_part(w, first, count, shares_memory, &error);
        if (shares_memory && lacks_memory(status)) {
            mst_queue_abandon(&w->plan->queue);
            if (gives_way(w, first, count))
                return;
            status = run_part(w, first, count, false, &error);
        }
        if (status != MST_OK) {
            fail_call(s, status, &error);
            return;
        }
        pthread_mutex_lock(&s->mutex);
        w->seconds += mst_now() - start;
        w->done += count;
        w->n_parts++;
        s->done += count;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->mutex);
    }
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
        if (!over && !go_on(0, 0, &s->workers[0]))
            fail_call(s, mst_fail(&error, MST_ERROR_CANCELLED, "cancelled"), &error);
    }
}

static void work(size_t k, void *user) {
    shared_call *s = user;
    compute(&s->workers[k]);
    if (k == 0)
        await_others(s);
}

static bool is_twice(const mst_integral *plan, size_t n_sets) {
    return plan->method->shrink && !plan->cpu && n_sets >= plan->twice_from;
}

// The second worker of the device of worker k, one of n devices. Where it gets none, a plan of earlier calls gives its memory
// back; where none can be made, the first does the work of both.
static mst_status add_second(shared_call *s, size_t k, size_t n, mst_error *error) {
    mst_integral *own = s->workers[k].plan;
    mst_error why;
    if (!is_twice(own, s->call->n_sets / n)) {
        if (own->second)
            own->second->method->shrink(own->second);
        return MST_OK;
    }
    const mst_status status = own->second ? MST_OK : mst_integral_create_second(own, &own->second, &why);
    if (status == MST_ERROR_CANCELLED) {
        if (error)
            *error = why;
        return status;
    }
    if (status != MST_OK) {
        mst_log(own->context, MST_LOG_INFO, "one worker on %s, as a second cannot be made: %s", own->context->device.name,
                why.message);
        return MST_OK;
    }
    s->workers[k].other = &s->workers[s->n_workers];
    s->workers[s->n_workers++] = (worker){.shared = s, .plan = own->second, .other = &s->workers[k]};
    return MST_OK;
}

// The first ones of all devices, then the second ones.
static mst_status make_workers(mst_integral *plan, shared_call *s, mst_error *error) {
    mst_status status = MST_OK;
    const size_t n = plan->n_twins + 1;
    MST_REQUIRE(s->workers = calloc(2 * n, sizeof *s->workers), MST_ERROR_HOST_MEMORY, "out of memory sharing out integrals");
    s->alike = true;
    for (size_t k = 0; k < n; k++) {
        mst_integral *own = k == 0 ? plan : plan->twins[k - 1];
        s->workers[s->n_workers++] = (worker){.shared = s, .plan = own};
        s->alike = s->alike && strcmp(own->context->device.name, plan->context->device.name) == 0;
    }
    for (size_t k = 0; k < n; k++)
        MST_TRY(add_second(s, k, n, error));
    s->share = s->call->n_sets / s->n_workers;
fail:
    return status;
}

static void end(shared_call *s) {
    for (size_t k = 0; k < s->n_workers; k++) {
        const worker *w = &s->workers[k];
        if (s->status != MST_OK)
            mst_queue_abandon(&w->plan->queue);
        s->call->report->compute_seconds += w->report.compute_seconds;
        mst_log(w->plan->context, MST_LOG_DEBUG, "worker %zu of %zu, %s: %zu of %zu integrals in %zu parts, %.1f ms", k + 1,
                s->n_workers, w->plan->context->device.name, w->done, s->call->n_sets, w->n_parts, 1e3 * w->seconds);
    }
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->mutex);
}

static mst_status run_one(mst_integral *plan, const mst_integral_call *call, mst_error *error) {
    if (plan->second)
        plan->second->method->shrink(plan->second);
    return run_alone(plan, call, error);
}

mst_status mst_integral_run(mst_integral *plan, const mst_integral_call *call, mst_error *error) {
    mst_status status = MST_OK;
    shared_call s = {.call = call};
    if (call->n_sets == 1 || (plan->n_twins == 0 && !is_twice(plan, call->n_sets)))
        return run_one(plan, call, error);
    MST_TRY(make_workers(plan, &s, error));
    pthread_mutex_init(&s.mutex, NULL);
    pthread_cond_init(&s.changed, NULL);
    mst_error threads;
    if (mst_group_run(s.n_workers, work, &s, &threads) != MST_OK && s.status == MST_OK) {
        s.status = threads.status;
        s.error = threads;
    }
    end(&s);
    status = s.status;
    if (status != MST_OK && error)
        *error = s.error;
fail:
    free(s.workers);
    return status;
}
