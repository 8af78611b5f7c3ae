#include "support.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>

int test_rank, test_n_ranks;
static uint64_t state;
static unsigned long long n_messages, n_bytes;
static int hosts_apart, windows_closed, windows_lost, n_communicators;

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

size_t test_random(size_t n) {
    state += 0x9e3779b97f4a7c15;
    return (size_t)(mix(state) % n);
}

double test_value(size_t index) { return (double)(mix(index + 12345) >> 11) / (double)(1ull << 52) - 1; }

size_t test_place_of(const mst_mpi_part *p, const mst_layout *whole, size_t n) {
    size_t at = 0, outer = 1;
    for (int k = whole->rank - 1; k >= 0; k--) {
        at += (p->start[k] + n % p->layout.shape[k]) * outer;
        n /= p->layout.shape[k];
        outer *= whole->shape[k];
    }
    return at;
}

mst_context *test_begin(int *argc, char ***argv) {
    int provided;
    mst_context *context = NULL;
    mst_error e;
    const char *given = getenv("MASTABA_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", 0);
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &test_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &test_n_ranks);
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (test_rank == 0)
        printf("MASTABA_SEED=%llu\n", (unsigned long long)seed);
    state = seed;
    OK(mst_mpi_context_create(MPI_COMM_WORLD, NULL, &context, &e));
    return context;
}

void test_end(mst_context *context) {
    mst_context_destroy(context);
    MPI_Finalize();
}

// What the libraries call passes here, as it is visible to them.
#define PASSES __attribute__((visibility("default")))

bool test_quick_builds;

PASSES cl_int clBuildProgram(cl_program program, cl_uint n_devices, const cl_device_id *devices, const char *options,
                             void(CL_CALLBACK *notify)(cl_program, void *), void *user) {
    __typeof__(&clBuildProgram) build;
    char line[1100];
    *(void **)&build = dlsym(RTLD_NEXT, "clBuildProgram");
    snprintf(line, sizeof line, "%s%s", options ? options : "", test_quick_builds ? " -cl-opt-disable" : "");
    return build(program, n_devices, devices, line, notify, user);
}

// The buffers that are now, whose memory is the host's.
static struct {
    cl_mem buffer;
    const char *begin, *end;
} lent[64];
static int n_lent, n_watched;
static const char *watched;
static pthread_mutex_t lending = PTHREAD_MUTEX_INITIALIZER; // threads of the library release buffers, too

PASSES cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code) {
    __typeof__(&clCreateBuffer) create;
    *(void **)&create = dlsym(RTLD_NEXT, "clCreateBuffer");
    const char *const begin = host, *const end = begin + bytes;
    cl_mem buffer = create(context, flags, bytes, host, code);
    if (!buffer || !(flags & CL_MEM_USE_HOST_PTR))
        return buffer;
    pthread_mutex_lock(&lending);
    for (int i = 0; i < n_lent; i++)
        CHECK(end <= lent[i].begin || begin >= lent[i].end, "two buffers share memory of the host");
    CHECK(n_lent < (int)(sizeof lent / sizeof lent[0]), "too many buffers are of the host's memory");
    lent[n_lent].buffer = buffer;
    lent[n_lent].begin = begin;
    lent[n_lent++].end = end;
    n_watched += begin <= watched && watched < end;
    pthread_mutex_unlock(&lending);
    return buffer;
}

PASSES cl_int clReleaseMemObject(cl_mem buffer) {
    __typeof__(&clReleaseMemObject) release;
    *(void **)&release = dlsym(RTLD_NEXT, "clReleaseMemObject");
    pthread_mutex_lock(&lending);
    for (int i = 0; i < n_lent; i++)
        if (lent[i].buffer == buffer)
            lent[i] = lent[--n_lent];
    pthread_mutex_unlock(&lending);
    return release(buffer);
}

int test_lent(const void *memory) {
    const int n = n_watched;
    n_watched = 0;
    watched = memory;
    return n;
}

// MPI's own profiling interface, which MPICH's header does not make visible.
static unsigned long long bytes_of(int count, MPI_Datatype type) {
    int size;
    MPI_Type_size(type, &size);
    return (unsigned long long)count * (unsigned long long)size;
}

PASSES int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
                     MPI_Request *request) {
    const bool counts = count > 0 && tag != TEST_LOOK;
    n_messages += counts;
    n_bytes += counts ? bytes_of(count, type) : 0;
    return PMPI_Isend(data, count, type, to, tag, communicator, request);
}

// Persistent requests that send, and the bytes of each.
static struct {
    MPI_Request request;
    unsigned long long bytes;
} persistent[64];
static int n_persistent;

PASSES int MPI_Send_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
                         MPI_Request *request) {
    int code = PMPI_Send_init(data, count, type, to, tag, communicator, request);
    CHECK(n_persistent < (int)(sizeof persistent / sizeof persistent[0]), "too many persistent requests");
    persistent[n_persistent].request = *request;
    persistent[n_persistent++].bytes = bytes_of(count, type);
    return code;
}

PASSES int MPI_Request_free(MPI_Request *request) {
    for (int i = 0; i < n_persistent; i++)
        if (persistent[i].request == *request)
            persistent[i] = persistent[--n_persistent];
    return PMPI_Request_free(request);
}

PASSES int MPI_Startall(int n, MPI_Request *requests) {
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n_persistent; i++)
            if (persistent[i].request == requests[k]) {
                n_messages++;
                n_bytes += persistent[i].bytes;
            }
    return PMPI_Startall(n, requests);
}

// A request that is active still may not be started: MPICH refuses it, Open MPI goes on. One that is not has an empty status.
PASSES int MPI_Start(MPI_Request *request) {
    MPI_Status status;
    int done = 0;
    PMPI_Request_get_status(*request, &done, &status);
    CHECK(done && status.MPI_SOURCE == MPI_ANY_SOURCE, "a persistent request is started that is active");
    return PMPI_Start(request);
}

PASSES int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm communicator, void *base, MPI_Win *window) {
    const int code = hosts_apart ? MPI_ERR_NO_MEM : PMPI_Win_allocate_shared(bytes, unit, info, communicator, base, window);
    return windows_lost ? MPI_ERR_NO_MEM : code;
}

PASSES int MPI_Win_shared_query(MPI_Win window, int rank, MPI_Aint *bytes, int *unit, void *base) {
    return windows_closed ? MPI_ERR_OTHER : PMPI_Win_shared_query(window, rank, bytes, unit, base);
}

PASSES int MPI_Comm_idup(MPI_Comm communicator, MPI_Comm *out, MPI_Request *request) {
    n_communicators++;
    return PMPI_Comm_idup(communicator, out, request);
}

PASSES int MPI_Comm_split_type(MPI_Comm communicator, int type, int key, MPI_Info info, MPI_Comm *out) {
    n_communicators++;
    return PMPI_Comm_split_type(communicator, type, key, info, out);
}

PASSES int MPI_Comm_free(MPI_Comm *communicator) {
    n_communicators--;
    return PMPI_Comm_free(communicator);
}

int test_communicators(void) { return n_communicators; }

void test_close_windows(int closed) { windows_closed = closed; }

void test_lose_windows(int lost) { windows_lost = lost; }

void test_part_hosts(int apart) { hosts_apart = apart; }

void test_sent(unsigned long long *messages, unsigned long long *bytes) {
    *messages = n_messages;
    *bytes = n_bytes;
    n_messages = n_bytes = 0;
}
