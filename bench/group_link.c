// The links between the host and several devices at once, by plain OpenCL: a thread, a context and two queues a device, pinned
// arrays, in pieces.
#include "group_rates.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PIECE ((size_t)4 << 20)
enum { ARRAYS = 3, PIECES = 32, TIMES = 3 };

typedef struct lane {
    cl_context context;
    cl_command_queue queue[2]; // up, down
    cl_mem device[ARRAYS], pinned[ARRAYS];
    char *host[ARRAYS];
    int ups, downs;
    pthread_barrier_t *barrier;
    bool failed;
} lane;

static bool open_lane(lane *l, cl_device_id device) {
    cl_int code;
    l->context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    for (int k = 0; k < 2 && code == CL_SUCCESS; k++)
        l->queue[k] = clCreateCommandQueue(l->context, device, 0, &code);
    for (int k = 0; k < ARRAYS && code == CL_SUCCESS; k++) {
        l->device[k] = clCreateBuffer(l->context, CL_MEM_READ_WRITE, PIECE, NULL, &code);
        if (code == CL_SUCCESS)
            l->pinned[k] = clCreateBuffer(l->context, CL_MEM_ALLOC_HOST_PTR, PIECE * PIECES, NULL, &code);
        if (code == CL_SUCCESS)
            l->host[k] = clEnqueueMapBuffer(l->queue[0], l->pinned[k], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, PIECE * PIECES, 0,
                                            NULL, NULL, &code);
        if (code == CL_SUCCESS)
            memset(l->host[k], 1, PIECE * PIECES);
    }
    return code == CL_SUCCESS;
}

static void close_lane(lane *l) {
    for (int k = 0; k < ARRAYS; k++) {
        if (l->host[k])
            clEnqueueUnmapMemObject(l->queue[0], l->pinned[k], l->host[k], 0, NULL, NULL);
        if (l->queue[0])
            clFinish(l->queue[0]);
        if (l->pinned[k])
            clReleaseMemObject(l->pinned[k]);
        if (l->device[k])
            clReleaseMemObject(l->device[k]);
    }
    for (int k = 0; k < 2; k++)
        if (l->queue[k])
            clReleaseCommandQueue(l->queue[k]);
    if (l->context)
        clReleaseContext(l->context);
}

static bool copy_once(lane *l) {
    cl_int code = CL_SUCCESS;
    for (size_t at = 0; at < PIECE * PIECES; at += PIECE) {
        for (int k = 0; k < l->ups; k++)
            code |= clEnqueueWriteBuffer(l->queue[0], l->device[k], CL_FALSE, 0, PIECE, l->host[k] + at, 0, NULL, NULL);
        for (int k = 0; k < l->downs; k++)
            code |= clEnqueueReadBuffer(l->queue[1], l->device[2], CL_FALSE, 0, PIECE, l->host[2] + at, 0, NULL, NULL);
        clFlush(l->queue[0]);
        clFlush(l->queue[1]);
    }
    return (code | clFinish(l->queue[0]) | clFinish(l->queue[1])) == CL_SUCCESS;
}

static void *copy(void *user) {
    lane *l = user;
    l->failed = !copy_once(l);
    for (int round = 0; round < GROUP_ROUNDS; round++) {
        pthread_barrier_wait(l->barrier);
        for (int k = 0; k < TIMES && !l->failed; k++)
            l->failed = !copy_once(l);
        pthread_barrier_wait(l->barrier);
    }
    return NULL;
}

// Bytes a second of the first n lanes; 0: it failed.
static double rate_of(lane *lanes, int n, int ups, int downs) {
    pthread_t threads[GROUP_MOST_DEVICES];
    pthread_barrier_t barrier;
    double best = 0;
    bool failed = false;
    pthread_barrier_init(&barrier, NULL, (unsigned)n + 1);
    for (int i = 0; i < n; i++) {
        lanes[i].ups = ups;
        lanes[i].downs = downs;
        lanes[i].barrier = &barrier;
        if (pthread_create(&threads[i], NULL, copy, &lanes[i]) != 0)
            abort(); // the others wait for it
    }
    for (int round = 0; round < GROUP_ROUNDS; round++) {
        pthread_barrier_wait(&barrier);
        double start = cli_now();
        pthread_barrier_wait(&barrier);
        double rate = (double)n * (ups + downs) * TIMES * (double)(PIECE * PIECES) / (cli_now() - start);
        best = rate > best ? rate : best;
    }
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        failed |= lanes[i].failed;
    }
    pthread_barrier_destroy(&barrier);
    return failed ? 0 : best;
}

bool group_measure_links(group_run *run) {
    static const int ways[N_LINKS][2] = {{1, 0}, {0, 1}, {1, 1}, {2, 1}};
    static const char *const names[N_LINKS] = {"up", "down", "one up, one down", "two up, one down"};
    lane lanes[GROUP_MOST_DEVICES] = {0};
    bool done = true;
    for (int i = 0; i < run->n && done; i++)
        done = open_lane(&lanes[i], mst_context_device_at(run->group, (size_t)i)->device);
    for (int n = 1; n <= run->n && done; n++) {
        printf("links of %d device%s, GB/s:", n, n == 1 ? "" : "s");
        for (int way = 0; way < N_LINKS && done; way++) {
            run->link[n][way] = rate_of(lanes, n, ways[way][0], ways[way][1]);
            done = run->link[n][way] > 0;
            printf("  %s %.1f", names[way], 1e-9 * run->link[n][way]);
        }
        printf("\n");
    }
    for (int i = 0; i < run->n; i++)
        close_lane(&lanes[i]);
    if (!done)
        group_failed(run, "links", "a copy failed");
    return done;
}
