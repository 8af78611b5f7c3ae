// campaign_threads SECONDS: eight threads make, execute and destroy plans of all capabilities, on one context and on others of
// their own, and execute plans that all of them share. Their random numbers are those of MASTABA_SEED, but not how the threads
// meet.
#include "support_jobs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N_THREADS = 8 };

typedef struct thread {
    pthread_t id;
    job_worker worker;
    job *const *shared; // plans; NULL where there is none
    time_t end;
    unsigned n_failed;
} thread;

static bool run_shared(thread *t, mst_error *why) {
    const int kind = (int)job_below(&t->worker.random, N_JOBS);
    if (!t->shared[kind])
        return true;
    t->worker.doing = "a shared plan";
    t->worker.n_done++;
    return job_run(t->shared[kind], t->worker.random, why);
}

static void *work(void *argument) {
    thread *t = argument;
    mst_error why;
    while (time(NULL) < t->end && t->n_failed < 10) {
        bool shared = job_below(&t->worker.random, 4) == 0;
        if (shared ? run_shared(t, &why) : job_mixed(&t->worker, &why))
            continue;
        printf("thread %u: %s: %s\n", t->worker.number, t->worker.doing, why.message);
        t->n_failed++;
    }
    return NULL;
}

int main(int argc, char **argv) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_context *context;
    mst_error why;
    thread threads[N_THREADS] = {{.n_failed = 0}};
    job *shared[N_JOBS] = {NULL};
    unsigned long long n_done = 0, n_failed = 0;
    const char *seed = getenv("MASTABA_SEED");
    desc.device = getenv("MASTABA_TEST_DEVICE");
    if (argc != 2 || mst_context_create(&desc, &context, &why) != MST_OK) {
        fprintf(stderr, "campaign_threads: %s\n", argc == 2 ? why.message : "usage: campaign_threads SECONDS");
        return 2;
    }
    for (int kind = 0; kind < N_JOBS; kind++)
        if (!job_is_solver(kind) && !job_new(context, kind, &shared[kind], &why))
            printf("%s: %s\n", job_name(kind), why.message), n_failed++;
    for (unsigned t = 0; t < N_THREADS; t++) {
        threads[t].worker =
            (job_worker){.context = context, .number = t, .random = 1000 * strtoull(seed ? seed : "1", NULL, 0) + t};
        threads[t].shared = shared;
        threads[t].end = time(NULL) + atoi(argv[1]);
        if (pthread_create(&threads[t].id, NULL, work, &threads[t]) != 0)
            return 2;
    }
    for (unsigned t = 0; t < N_THREADS; t++) {
        pthread_join(threads[t].id, NULL);
        n_done += threads[t].worker.n_done;
        n_failed += threads[t].n_failed;
    }
    for (int kind = 0; kind < N_JOBS; kind++)
        job_free(shared[kind]);
    if (mst_context_device_memory_used(context) > 0)
        printf("device memory is still held\n"), n_failed++;
    mst_context_destroy(context);
    printf("%llu executions, %llu failed\n", n_done, n_failed);
    return n_failed > 0;
}
