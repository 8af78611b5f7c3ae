// campaign_soak SECONDS: mixed calls for so long from two threads, and what the process holds when none is under way: memory,
// descriptors, threads, memory of the device. The first third of the time warms up; after it nothing may grow but memory,
// by no more than what drivers are known to keep (docs/reliability.md).
#include "support_jobs.h"

#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { N_THREADS = 2 };
// Samples, and those of them that warm up; what may stay allocated of a call, and beside that, in bytes.
enum { N_SAMPLES = 24, WARM = 8, A_CALL = 100, AT_ALL = 1 << 20 };

typedef struct sample {
    double resident, allocated; // MiB
    int descriptors, threads;
    uint64_t device_bytes, n_done;
} sample;

typedef struct thread {
    pthread_t id;
    job_worker worker;
    double end; // of this part
    unsigned n_failed;
} thread;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int entries_of(const char *folder) {
    DIR *dir = opendir(folder);
    int n = -3; // . and .. and the folder's own descriptor
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

// The threads of the process, those that are ending not counted: the system lists a thread that has been joined for a moment
// longer, so that more of them than `usual` are counted again for up to a second.
static int threads_left(int usual) {
    const double end = now() + 1;
    int n;
    while ((n = entries_of("/proc/self/task") + 1) > usual && now() < end)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return n;
}

static sample take_sample(mst_context *context, const thread *threads, int usual_threads) {
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*d %ld", &pages) != 1)
        pages = -1;
    if (f)
        fclose(f);
    const struct mallinfo2 info = mallinfo2();
    return (sample){.resident = (double)(pages * sysconf(_SC_PAGESIZE)) / 1048576,
                    .allocated = (double)(info.uordblks + info.hblkhd) / 1048576,
                    .descriptors = entries_of("/proc/self/fd"),
                    .threads = threads_left(usual_threads),
                    .device_bytes = mst_context_device_memory_used(context),
                    .n_done = threads[0].worker.n_done + threads[1].worker.n_done};
}

static void *work(void *argument) {
    thread *t = argument;
    mst_error why;
    while (now() < t->end && t->n_failed < 10)
        if (!job_mixed(&t->worker, &why)) {
            printf("%s: %s\n", t->worker.doing, why.message);
            t->n_failed++;
        }
    return NULL;
}

// A part of the run; its threads are joined, so that nothing is under way when a sample is taken.
static bool run_part(thread *threads, double end) {
    for (int t = 0; t < N_THREADS; t++) {
        threads[t].end = end;
        if (pthread_create(&threads[t].id, NULL, work, &threads[t]) != 0)
            return false;
    }
    for (int t = 0; t < N_THREADS; t++)
        pthread_join(threads[t].id, NULL);
    return true;
}

// What a call leaves behind from the end of the warming up on, and whether that is allowed.
static unsigned judge(const sample *s) {
    const sample *a = &s[WARM - 1], *b = &s[N_SAMPLES - 1];
    const double calls = (double)(b->n_done - a->n_done), resident = (b->resident - a->resident) * 1048576 / calls,
                 allocated = (b->allocated - a->allocated) * 1048576 / calls;
    unsigned failed = 0;
    printf("after the warm-up, a call: %.0f bytes resident, %.0f bytes allocated\n", resident, allocated);
    for (int k = WARM; k < N_SAMPLES; k++)
        if (s[k].descriptors > a->descriptors || s[k].threads > a->threads || s[k].device_bytes > 0) {
            printf("sample %d has more descriptors or threads than the last of the warm-up, or device memory\n", k);
            failed++;
        }
    if (allocated * calls > AT_ALL + A_CALL * calls) {
        printf("memory grows by more than %d bytes and %d a call\n", AT_ALL, A_CALL);
        failed++;
    }
    return failed;
}

int main(int argc, char **argv) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_context *context;
    mst_error why;
    thread threads[N_THREADS] = {{.n_failed = 0}};
    sample samples[N_SAMPLES];
    const char *seed = getenv("MASTABA_SEED");
    desc.device = getenv("MASTABA_TEST_DEVICE");
    if (argc != 2 || mst_context_create(&desc, &context, &why) != MST_OK) {
        fprintf(stderr, "campaign_soak: %s\n", argc == 2 ? why.message : "usage: campaign_soak SECONDS");
        return 2;
    }
    for (unsigned t = 0; t < N_THREADS; t++)
        threads[t].worker =
            (job_worker){.context = context, .number = t, .random = 1000 * strtoull(seed ? seed : "1", NULL, 0) + t};
    const int usual_threads = threads_left(0);
    printf("%8s %10s %10s %11s %8s %12s\n", "calls", "resident", "allocated", "descriptors", "threads", "device bytes");
    for (int kind = 0; kind < N_JOBS; kind++) { // all kernels are there before the first part begins
        job *j;
        if (!job_new(context, kind, &j, &why) || !job_run(j, 1, &why))
            printf("%s: %s\n", job_name(kind), why.message), threads[0].n_failed++;
        job_free(j);
    }
    const double start = now();
    for (int k = 0; k < N_SAMPLES; k++) {
        if (!run_part(threads, start + atof(argv[1]) * (k + 1) / N_SAMPLES))
            return 2;
        const sample s = samples[k] = take_sample(context, threads, usual_threads);
        printf("%8llu %6.1f MiB %6.1f MiB %11d %8d %12llu\n", (unsigned long long)s.n_done, s.resident, s.allocated,
               s.descriptors, s.threads, (unsigned long long)s.device_bytes);
        fflush(stdout);
    }
    const unsigned failed = judge(samples) + threads[0].n_failed + threads[1].n_failed;
    mst_context_destroy(context);
    printf("soak: %llu tried, %u failed\n", (unsigned long long)samples[N_SAMPLES - 1].n_done, failed);
    return failed > 0;
}
