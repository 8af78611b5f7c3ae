// PoCL's binaries without the LLVM code: what is taken out of which, that they are what the cache loads, and that their kernels
// run.
#include "support.h"

#include "runtime/cache.h"
#include "runtime/kernel.h"
#include "runtime/pocl_binary.h"

#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { HEADER = 77, CONTENT = 200, KERNEL_INFO = 10 };

#define CODE "/program.bc"
#define GENERAL "/sum/0-0-0/sum.so"
#define DIRECTORY "PD/MFLJEGNNLFMKIBGNDIICOKCKHJEHJFGKCMGMK"

typedef struct binary {
    unsigned version;
    uint64_t flags;
    unsigned n_files;
    const char *directory, *file;
    const char *machine_code; // of the second of two kernels
} binary;

static size_t put(unsigned char *to, uint64_t value, size_t bytes) {
    memcpy(to, &value, bytes);
    return bytes;
}

static size_t put_file(unsigned char *to, const char *name, size_t bytes) {
    size_t at = put(to, strlen(name), 4);
    memcpy(to + at, name, strlen(name)), at += strlen(name);
    at += put(to + at, bytes, 4);
    memset(to + at, 7, bytes);
    return at + bytes;
}

// With bytes in place of what PoCL knows of its arguments.
static size_t put_kernel(unsigned char *to, const char *machine_code) {
    unsigned char files[200];
    size_t at = 0, n_files = put_file(files, "/sum/notes", 5);
    n_files += put_file(files + n_files, machine_code, 9);
    at += put(to, 24 + 3 + KERNEL_INFO + n_files, 8);
    at += put(to + at, n_files, 8);
    at += put(to + at, KERNEL_INFO, 4);
    at += put(to + at, 3, 4);
    memcpy(to + at, "sum", 3), at += 3;
    memset(to + at, 5, KERNEL_INFO), at += KERNEL_INFO;
    memcpy(to + at, files, n_files);
    return at + n_files;
}

// A binary as PoCL writes it; *kernels is where they begin.
static size_t write_binary(unsigned char *out, binary b, size_t *kernels) {
    size_t at = 0;
    memcpy(out, "poclbin", 8), at += 8;
    at += put(out + at, 0x1234567, 8);
    at += put(out + at, b.version, 4);
    at += put(out + at, 2, 4);
    at += put(out + at, b.flags, 8);
    at += put(out + at, b.n_files, 4);
    memcpy(out + at, b.directory, 41), at += 41;
    if (b.flags & 2)
        at += put(out + at, b.flags >> 2 & 1, 8); // bytes of variables
    at += put(out + at, 8 + strlen(b.file) + CONTENT, 8);
    at += put_file(out + at, b.file, CONTENT);
    *kernels = at;
    at += put_kernel(out + at, GENERAL);
    return at + put_kernel(out + at, b.machine_code);
}

static void known_ones(void **state) {
    (void)state;
    unsigned char whole[900], same[900];
    for (unsigned flags = 0; flags <= 3; flags++) {
        size_t length, kernels;
        const binary known = {flags & 2 ? 11 : 9, flags, 1, DIRECTORY, CODE, GENERAL};
        const size_t size = write_binary(whole, known, &kernels);
        const size_t files = HEADER + (flags & 2 ? 8 : 0);
        memcpy(same, whole, size);
        unsigned char *cut = mst_pocl_without_code(whole, size, &length);
        assert_non_null(cut);
        assert_memory_equal(same, whole, size);
        assert_int_equal(length, size - CONTENT + 1);
        assert_memory_equal(cut, whole, 36);
        assert_memory_equal(cut + 36, "AM/DKEGLJCCEKDFHOJCMHHNBFNFIGLIGKJFNDJDF", 41);
        assert_memory_equal(cut + HEADER, whole + HEADER, files - HEADER);
        assert_memory_equal(cut + files, "\24\0\0\0\0\0\0\0\v\0\0\0/no-bitcode\1\0\0\0\0", 28);
        assert_memory_equal(cut + files + 28, whole + kernels, size - kernels);
        assert_null(mst_pocl_without_code(cut, length, &length));
        free(cut);
    }
}

static void others_stay(void **state) {
    (void)state;
    static const binary known = {11, 2, 1, DIRECTORY, CODE, GENERAL};
    static const binary others[] = {
        {8, 0, 1, DIRECTORY, CODE, GENERAL},
        {12, 2, 1, DIRECTORY, CODE, GENERAL},
        {9, 0, 2, DIRECTORY, CODE, GENERAL},
        {11, 6, 1, DIRECTORY, CODE, GENERAL},
        {9, 0, 1, DIRECTORY, "/program.sp", GENERAL},
        {9, 0, 1, DIRECTORY, "/program.bcd", GENERAL},
        {9, 0, 1, "????????????????????????????????????????", CODE, GENERAL},
        // kernels whose machine code takes one work-group, or is not there
        {9, 0, 1, DIRECTORY, CODE, "/sum/8-1-1-goffs0/sum.so"},
        {9, 0, 1, DIRECTORY, CODE, "/sum/0-0-0/sum.so.o"},
        {9, 0, 1, DIRECTORY, CODE, "/sun/0-0-0/sun.so"},
        {9, 0, 1, DIRECTORY, CODE, "/sum/parallel.bc"},
    };
    unsigned char whole[900];
    size_t kernels, length;
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        size_t size = write_binary(whole, others[k], &kernels);
        CHECK(!mst_pocl_without_code(whole, size, &length), "case %zu was changed", k);
    }
    size_t size = write_binary(whole, known, &kernels);
    for (size_t cut = 0; cut <= size + 1; cut++) {
        unsigned char *exact = malloc(cut + 1), *changed;
        assert_non_null(exact);
        memcpy(exact + 1, whole, cut <= size ? cut : size);
        changed = mst_pocl_without_code(exact + 1, cut, &length);
        CHECK(!changed == (cut != size), "%zu of %zu bytes: %s", cut, size, changed ? "changed" : "not changed");
        free(changed);
        free(exact);
    }
}

// Copies numbers with the kernel of a program from this context.
static void copy_numbers(mst_context *context, const char *options) {
    mst_error e;
    const mst_program *program;
    mst_kernel *kernel;
    float from[40], to[40] = {0};
    for (size_t i = 0; i < 40; i++)
        from[i] = (float)test_uniform();
    mst_queue queue = MST_QUEUE(context, NULL);
    queue.opencl = context->compute;
    cl_mem buffers[2];
    for (int k = 0; k < 2; k++)
        OK(mst_device_allocate(context, CL_MEM_READ_WRITE, sizeof from, "a test", &buffers[k], &e));
    assert_int_equal(clEnqueueWriteBuffer(queue.opencl, buffers[0], CL_TRUE, 0, sizeof from, from, 0, NULL, NULL), CL_SUCCESS);
    OK(mst_program_of_file(context, "test", "copy.cl", options, &program, &e));
    OK(mst_kernel_create(program, "copy", &kernel, &e));
    const cl_ulong n = 10;
    const mst_argument arguments[] = {MST_BIND_AS("from", buffers[0]), MST_BIND_AS("to", buffers[1]), MST_BIND(n, n)};
    OK(mst_kernel_launch(&queue, kernel, arguments, 3, 10, 2, NULL, &e));
    OK(mst_queue_finish(&queue, &e));
    assert_int_equal(clEnqueueReadBuffer(queue.opencl, buffers[1], CL_TRUE, 0, sizeof to, to, 0, NULL, NULL), CL_SUCCESS);
    assert_memory_equal(from, to, sizeof from);
    mst_queue_release(&queue);
    mst_kernel_destroy(kernel);
    for (int k = 0; k < 2; k++)
        mst_device_release(context, buffers[k], sizeof from);
}

static int n_without_code;

static int count(const char *path, const struct stat *st, int kind, struct FTW *where) {
    (void)st, (void)kind;
    n_without_code += strcmp(path + where->base, "no-bitcode") == 0;
    return 0;
}

static void the_cache_loads_them(void **state) {
    if (!strstr((*(mst_context **)state)->device.platform_name, "Portable Computing Language"))
        skip();
    for (int k = 0; k < 2; k++) { // from source, and from the cache
        mst_context *context = test_context_cached();
        copy_numbers(context, "-D PRECISION=32");
        mst_context_destroy(context);
        n_without_code = 0;
        assert_int_equal(nftw("pocl", count, 10, FTW_PHYS), 0);
        assert_int_equal(n_without_code, k);
    }
}

static void count_from_cache(mst_log_level level, const char *line, void *user) {
    (void)level;
    *(int *)user += strstr(line, "UNWRITABLE] from the cache in ") != NULL;
}

// Files where directories would be stand for a cache of PoCL's in which no more can be written.
static void what_cannot_be_unpacked_keeps_its_code(void **state) {
    if (!strstr((*(mst_context **)state)->device.platform_name, "Portable Computing Language"))
        skip();
    for (int k = 0; k < 2; k++) { // from source, and from the cache
        int n_from_cache = 0;
        mst_context_desc desc = MST_CONTEXT_DESC_INIT;
        desc.cache_directory = test_directory();
        desc.log = count_from_cache, desc.log_user = &n_from_cache;
        mst_context *context = test_context(&desc);
        copy_numbers(context, "-D PRECISION=32 -D UNWRITABLE");
        mst_context_destroy(context);
        assert_int_equal(n_from_cache, k);
        for (int d = 0; d < 256; d++) {
            const char path[] = {'p', 'o', 'c', 'l', '/', (char)('A' + d / 16), (char)('A' + d % 16), '\0'};
            const int file = k == 0 ? open(path, O_CREAT | O_EXCL | O_WRONLY, 0600) : -1;
            if (file >= 0)
                close(file);
            else if (k == 1)
                unlink(path);
        }
    }
}

static void *load(void *user) {
    mst_error e;
    const mst_program *program;
    mst_context *context = test_context_cached();
    OK(mst_program_of_file(context, "test", "copy.cl", "-D PRECISION=32", &program, &e));
    mst_context_destroy(context);
    atomic_store((atomic_bool *)user, true);
    return NULL;
}

// PoCL takes a file away that two unpack at the same time, and ends a process that launches its kernel just then.
static void one_loads_at_a_time(void **state) {
    mst_context *context = *state;
    if (!strstr(context->device.platform_name, "Portable Computing Language"))
        skip();
    atomic_bool loaded = false;
    pthread_t thread;
    mst_context *cached = test_context_cached();
    const int lock = mst_cache_lock(cached);
    assert_true(lock >= 0);
    assert_int_equal(pthread_create(&thread, NULL, load, &loaded), 0);
    nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
    const bool early = atomic_load(&loaded);
    mst_cache_unlock(lock);
    pthread_join(thread, NULL);
    mst_context_destroy(cached);
    assert_true(!early && atomic_load(&loaded));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_ones), cmocka_unit_test(others_stay), cmocka_unit_test(the_cache_loads_them),
        cmocka_unit_test(what_cannot_be_unpacked_keeps_its_code), cmocka_unit_test(one_loads_at_a_time)};
    char own_cache[4096]; // into which PoCL unpacks binaries
    if (!getcwd(own_cache, sizeof own_cache - 5))
        return 1;
    setenv("POCL_CACHE_DIR", strcat(own_cache, "/pocl"), 1);
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
