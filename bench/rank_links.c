// Messages between ranks by their size, the bytes that go to a device and back, and what a word takes that all agree on.
#include "rank_rates.h"

#include "agree.h"

#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_BYTES = 8, MOST_BYTES = 32 << 20 }; // sizes: 8, 32, .. 32 MiB

// A message between two ranks of a communicator, one after the other or at once.
typedef struct link {
    MPI_Comm communicator;
    int peer; // -1: this rank has none, and looks on
    bool first, both;
    int bytes;
    char *sent, *received;
} link;

static mst_status pass(void *user, mst_error *error) {
    link *l = user;
    (void)error;
    if (l->peer < 0)
        return MST_OK;
    if (l->both) {
        MPI_Request requests[2];
        MPI_Irecv(l->received, l->bytes, MPI_BYTE, l->peer, 0, l->communicator, &requests[0]);
        MPI_Isend(l->sent, l->bytes, MPI_BYTE, l->peer, 0, l->communicator, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else if (l->first) {
        MPI_Send(l->sent, l->bytes, MPI_BYTE, l->peer, 0, l->communicator);
        MPI_Recv(l->received, l->bytes, MPI_BYTE, l->peer, 0, l->communicator, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(l->received, l->bytes, MPI_BYTE, l->peer, 0, l->communicator, MPI_STATUS_IGNORE);
        MPI_Send(l->sent, l->bytes, MPI_BYTE, l->peer, 0, l->communicator);
    }
    return MST_OK;
}

// Seconds of a message one way, of each size; of both ways at once those of the two together.
static mst_status measure_sizes(rank_run *run, link *l, json_t *to, mst_error *error) {
    mst_status status = MST_OK;
    json_t *sizes = json_array(), *seconds = json_array();
    for (l->bytes = LEAST_BYTES; l->bytes <= MOST_BYTES && status == MST_OK; l->bytes *= 4) {
        rank_timing timing = {.n = 0};
        for (int i = 0; i < run->rounds && status == MST_OK; i++)
            status = rank_time(l->communicator, pass, l, &timing, error);
        json_array_append_new(sizes, json_integer(l->bytes));
        json_array_append_new(seconds, json_real(rank_median(&timing) / (l->both ? 1 : 2)));
    }
    json_object_set_new(to, "bytes", sizes);
    json_object_set_new(to, "seconds", seconds);
    return status;
}

// Of the first rank and each other one, alone.
static mst_status measure_pairs(rank_run *run, link *l, json_t *to, mst_error *error) {
    mst_status status = MST_OK;
    json_t *pairs = json_array();
    char(*hosts)[MPI_MAX_PROCESSOR_NAME] = calloc((size_t)run->count, sizeof *hosts), own[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    MPI_Get_processor_name(own, &length);
    MPI_Allgather(own, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, hosts, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, MPI_COMM_WORLD);
    for (int other = 1; other < run->count && status == MST_OK; other++) {
        MPI_Comm two;
        json_t *pair = json_pack("{s:i, s:b}", "rank", other, "one_host", strcmp(hosts[0], hosts[other]) == 0);
        bool takes_part = run->number == 0 || run->number == other;
        MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, 0, &two);
        if (takes_part) {
            l->communicator = two;
            l->first = run->number == 0;
            l->peer = l->first;
            status = measure_sizes(run, l, pair, error);
            MPI_Comm_free(&two);
        }
        rank_sleep();
        json_array_append_new(pairs, pair);
    }
    free(hosts);
    json_object_set_new(to, "links", pairs);
    return status;
}

// Of all active ranks in pairs, both ways at once.
static mst_status measure_together(rank_run *run, link *l, json_t *to, mst_error *error) {
    mst_status status = MST_OK;
    json_t *both = json_object();
    if (run->active != MPI_COMM_NULL) {
        l->communicator = run->active;
        l->both = true;
        l->peer = (run->number ^ 1) < run->n_active ? run->number ^ 1 : -1;
        status = measure_sizes(run, l, both, error);
    }
    rank_sleep();
    json_object_set_new(to, "both_ways", both);
    return status;
}

// ---- Words of all ranks

static mst_status agree(void *user, mst_error *error) {
    (void)user;
    return mst_mpi_agree(MPI_COMM_WORLD, MST_OK, 0, NULL, error);
}

// So many bytes to the ranks before and behind this one, and theirs, as parts of a grid exchange them.
typedef struct neighbours {
    const rank_run *run;
    char *given, *taken; // of two sides each
    int bytes;
} neighbours;

static mst_status exchange(void *user, mst_error *error) {
    const neighbours *n = user;
    MPI_Request requests[4];
    int count = 0;
    for (int side = 0; side < 2; side++) {
        const int peer = n->run->number + (side ? 1 : -1);
        const size_t at = (size_t)side * (size_t)n->bytes;
        if (peer < 0 || peer >= n->run->count)
            continue;
        MPI_Irecv(n->taken + at, n->bytes, MPI_BYTE, peer, 1 - side, MPI_COMM_WORLD, &requests[count++]);
        MPI_Isend(n->given + at, n->bytes, MPI_BYTE, peer, side, MPI_COMM_WORLD, &requests[count++]);
    }
    return mst_mpi_wait(count, requests, 0, error);
}

mst_status rank_tell_neighbours(void *user, mst_error *error) {
    char words[4] = {0};
    neighbours n = {user, words, words + 2, 1};
    return exchange(&n, error);
}

// Exchanges of all ranks at once, by the bytes of a message.
static mst_status measure_exchanges(rank_run *run, json_t *to, mst_error *error) {
    enum { LEAST = 8, MOST = 8 << 20 };
    mst_status status = MST_OK;
    json_t *sizes = json_array(), *seconds = json_array();
    char *memory = calloc(4, MOST);
    if (!memory)
        return rank_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for messages");
    neighbours n = {run, memory, memory + 2 * (size_t)MOST, LEAST};
    for (; n.bytes <= MOST && status == MST_OK; n.bytes *= 8) {
        rank_timing timing = {.n = 0};
        for (int i = 0; i < run->rounds && status == MST_OK; i++)
            status = rank_time(MPI_COMM_WORLD, exchange, &n, &timing, error);
        json_array_append_new(sizes, json_integer(n.bytes));
        json_array_append_new(seconds, json_real(rank_median(&timing)));
    }
    free(memory);
    json_object_set_new(to, "exchanges", json_pack("{s:o, s:o}", "bytes", sizes, "seconds", seconds));
    return status;
}

mst_status rank_tell_all(void *user, mst_error *error) {
    const rank_run *run = user;
    MPI_Request *requests = calloc(2 * (size_t)run->count, sizeof *requests);
    int n = 0;
    if (!requests)
        return rank_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for words");
    for (int i = 1; i < run->count; i++)
        MPI_Irecv(NULL, 0, MPI_BYTE, (run->number + run->count - i) % run->count, 0, MPI_COMM_WORLD, &requests[n++]);
    for (int i = 1; i < run->count; i++)
        MPI_Isend(NULL, 0, MPI_BYTE, (run->number + i) % run->count, 0, MPI_COMM_WORLD, &requests[n++]);
    mst_status status = mst_mpi_wait(n, requests, 0, error);
    free(requests);
    return status;
}

mst_status rank_measure_words(rank_run *run, json_t *to, mst_error *error) {
    static mst_status (*const works[])(void *, mst_error *) = {agree, rank_tell_neighbours, rank_tell_all};
    static const char *const names[] = {"agreement_seconds", "neighbours_word_seconds", "word_of_all_seconds"};
    mst_status status = MST_OK;
    for (size_t k = 0; k < CLI_COUNT(works) && status == MST_OK; k++) {
        rank_timing timing = {.n = 0};
        for (int i = 0; i < run->rounds && status == MST_OK; i++)
            status = rank_time(MPI_COMM_WORLD, works[k], run, &timing, error);
        json_object_set_new(to, names[k], json_real(rank_median(&timing)));
    }
    return status == MST_OK ? measure_exchanges(run, to, error) : status;
}

// ---- Copies to the device

typedef struct staging {
    cl_command_queue queue;
    cl_mem buffer;
    char *host;
    size_t bytes;
    bool up;
} staging;

static mst_status copy(void *user, mst_error *error) {
    staging *s = user;
    cl_int code = s->up ? clEnqueueWriteBuffer(s->queue, s->buffer, CL_TRUE, 0, s->bytes, s->host, 0, NULL, NULL)
                        : clEnqueueReadBuffer(s->queue, s->buffer, CL_TRUE, 0, s->bytes, s->host, 0, NULL, NULL);
    return code == CL_SUCCESS ? MST_OK : rank_fail(error, MST_ERROR_OPENCL, "a copy to the device or back failed");
}

static mst_status measure_staging(rank_run *run, char *host, json_t *to, mst_error *error) {
    mst_status status = MST_OK;
    cl_int code;
    staging s = {.queue = mst_context_queue(run->context), .host = host};
    json_t *found = json_object(), *sizes = json_array(), *seconds[2] = {json_array(), json_array()};
    s.buffer = clCreateBuffer(mst_context_opencl(run->context), CL_MEM_READ_WRITE, MOST_BYTES, NULL, &code);
    if (code != CL_SUCCESS)
        return rank_fail(error, MST_ERROR_OPENCL, "no buffer for copies to the device");
    for (s.bytes = LEAST_BYTES; s.bytes <= MOST_BYTES && run->active != MPI_COMM_NULL && status == MST_OK; s.bytes *= 4) {
        rank_timing timing[2] = {{.n = 0}, {.n = 0}};
        for (int i = 0; i < 2 * run->rounds && status == MST_OK; i++) {
            s.up = i % 2;
            status = rank_time(run->active, copy, &s, &timing[s.up], error);
        }
        json_array_append_new(sizes, json_integer((json_int_t)s.bytes));
        for (int up = 0; up < 2; up++)
            json_array_append_new(seconds[up], json_real(rank_median(&timing[up])));
    }
    rank_sleep();
    clReleaseMemObject(s.buffer);
    json_object_set_new(found, "bytes", sizes);
    json_object_set_new(found, "down_seconds", seconds[0]);
    json_object_set_new(found, "up_seconds", seconds[1]);
    json_object_set_new(to, "staging", found);
    return status;
}

mst_status rank_measure_links(rank_run *run, json_t *to, mst_error *error) {
    char *memory = aligned_alloc(4096, 2 * (size_t)MOST_BYTES);
    if (!memory)
        return rank_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for messages");
    memset(memory, 1, 2 * (size_t)MOST_BYTES);
    link l = {.sent = memory, .received = memory + MOST_BYTES};
    mst_status status = measure_pairs(run, &l, to, error);
    if (status == MST_OK)
        status = measure_together(run, &l, to, error);
    if (status == MST_OK)
        status = measure_staging(run, memory, to, error);
    free(memory);
    return status;
}
