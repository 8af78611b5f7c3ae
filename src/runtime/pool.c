#include "pool.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct job {
    mst_pool_fn body;
    void *user;
    size_t n, next, running; // iterations in all, begun, and being worked on
    mst_status status;
    mst_error error;
    struct job *following;
} job;

struct mst_pool {
    pthread_mutex_t mutex;
    pthread_cond_t work; // a job was added, or stop
    pthread_cond_t done; // an iteration ended
    job *jobs;           // those with iterations left to begin
    bool stop, cancelled;
    unsigned n_threads, most_threads; // that run, and that are started by the first job
    pthread_t threads[];
};

static void remove_job(mst_pool *pool, job *j) {
    for (job **at = &pool->jobs; *at; at = &(*at)->following)
        if (*at == j) {
            *at = j->following;
            return;
        }
}

// Runs one iteration of a job; called and left with the mutex held.
static void run_one(mst_pool *pool, job *j) {
    mst_error error = {.status = MST_OK};
    size_t i = j->next++;
    if (j->next == j->n)
        remove_job(pool, j);
    j->running++;
    const bool cancelled = pool->cancelled;
    pthread_mutex_unlock(&pool->mutex);
    mst_status status = cancelled ? mst_fail(&error, MST_ERROR_CANCELLED, "cancelled") : j->body(i, j->user, &error);
    pthread_mutex_lock(&pool->mutex);
    j->running--;
    if (status != MST_OK && j->status == MST_OK) {
        j->status = status;
        j->error = error;
        if (j->next < j->n) {
            j->next = j->n;
            remove_job(pool, j);
        }
    }
    pthread_cond_broadcast(&pool->done);
}

static void *worker(void *argument) {
    mst_pool *pool = argument;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->stop) {
        if (pool->jobs)
            run_one(pool, pool->jobs);
        else
            pthread_cond_wait(&pool->work, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

mst_status mst_pool_create(unsigned n_threads, mst_pool **out, mst_error *error) {
    mst_pool *pool = calloc(1, sizeof *pool + n_threads * sizeof pool->threads[0]);
    *out = NULL;
    if (!pool)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory making copy threads");
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->most_threads = n_threads;
    *out = pool;
    return MST_OK;
}

// With those that there are a job is done, too.
static void start_threads(mst_pool *pool) {
    while (pool->n_threads < pool->most_threads && pthread_create(&pool->threads[pool->n_threads], NULL, worker, pool) == 0)
        pool->n_threads++;
    pool->most_threads = pool->n_threads;
}

void mst_pool_destroy(mst_pool *pool) {
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->stop = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
    for (unsigned i = 0; i < pool->n_threads; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->done);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}

void mst_pool_cancel(mst_pool *pool) {
    pthread_mutex_lock(&pool->mutex);
    pool->cancelled = true;
    pthread_mutex_unlock(&pool->mutex);
}

mst_status mst_pool_run(mst_pool *pool, size_t n, mst_pool_fn body, void *user, mst_error *error) {
    job j = {.body = body, .user = user, .n = n};
    if (n == 0)
        return MST_OK;
    if (n == 1)
        return body(0, user, error);
    pthread_mutex_lock(&pool->mutex);
    start_threads(pool);
    j.following = pool->jobs;
    pool->jobs = &j;
    pthread_cond_broadcast(&pool->work);
    while (j.next < j.n)
        run_one(pool, &j);
    while (j.running > 0)
        pthread_cond_wait(&pool->done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
    if (j.status != MST_OK && error)
        *error = j.error;
    return j.status;
}
