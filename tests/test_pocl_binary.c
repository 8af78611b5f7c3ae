// PoCL's binaries without the LLVM code: what is taken out of which, that they are what the cache loads, and that their kernels
// run.
#include "support.h"

#include "runtime/kernel.h"
#include "runtime/pocl_binary.h"

#include <ftw.h>
#include <unistd.h>

enum { HEADER = 77, CONTENT = 200, KERNELS = 30 };

static size_t put(unsigned char *to, uint64_t value, size_t bytes) {
    memcpy(to, &value, bytes);
    return bytes;
}

// A binary as PoCL writes it, with bytes in place of code and kernels.
static size_t write_binary(unsigned char *out, unsigned version, uint64_t flags, unsigned n_files, const char *file) {
    size_t n = strlen(file), at = 0;
    memcpy(out, "poclbin", 8), at += 8;
    at += put(out + at, 0x1234567, 8);
    at += put(out + at, version, 4);
    at += put(out + at, 3, 4);
    at += put(out + at, flags, 8);
    at += put(out + at, n_files, 4);
    memcpy(out + at, "PD/MFLJEGNNLFMKIBGNDIICOKCKHJEHJFGKCMGMK", 41), at += 41;
    if (flags & 2)
        at += put(out + at, flags >> 2 & 1, 8); // bytes of variables
    at += put(out + at, 8 + n + CONTENT, 8);
    at += put(out + at, n, 4);
    memcpy(out + at, file, n), at += n;
    at += put(out + at, CONTENT, 4);
    for (size_t i = 0; i < CONTENT + KERNELS; i++)
        out[at++] = (unsigned char)(i < CONTENT ? 7 : i);
    return at;
}

static void known_ones(void **state) {
    (void)state;
    unsigned char whole[600], cut[600];
    for (unsigned flags = 0; flags <= 3; flags++) {
        size_t size = write_binary(whole, flags & 2 ? 11 : 9, flags, 1, "/program.bc"), files = HEADER + (flags & 2 ? 8 : 0);
        memcpy(cut, whole, size);
        size_t left = mst_pocl_drop_code(cut, size);
        assert_int_equal(left, size - CONTENT + 1);
        assert_memory_equal(cut, whole, 36);
        assert_memory_equal(cut + 36, "AM/DKEGLJCCEKDFHOJCMHHNBFNFIGLIGKJFNDJDF", 41);
        assert_true(cut[files] == 8 + 11 + 1 && memcmp(cut + files + 12, "/no-bitcode\1\0\0\0", 15) == 0);
        assert_memory_equal(cut + left - KERNELS, whole + size - KERNELS, KERNELS);
        assert_int_equal(mst_pocl_drop_code(cut, left), left);
    }
}

static void others_stay(void **state) {
    (void)state;
    static const struct {
        unsigned version;
        uint64_t flags;
        unsigned n_files;
        const char *file;
    } others[] = {{8, 0, 1, "/program.bc"},  {12, 2, 1, "/program.bc"}, {9, 0, 2, "/program.bc"},
                  {11, 6, 1, "/program.bc"}, {9, 0, 1, "/program.sp"},  {9, 0, 1, "/program.bcd"}};
    unsigned char whole[600], same[600];
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        size_t size = write_binary(whole, others[k].version, others[k].flags, others[k].n_files, others[k].file);
        memcpy(same, whole, size);
        CHECK(mst_pocl_drop_code(same, size) == size && memcmp(same, whole, size) == 0, "case %zu was changed", k);
    }
    size_t size = write_binary(whole, 9, 0, 1, "/program.bc");
    for (size_t cut = 0; cut < size - KERNELS; cut++) {
        unsigned char *exact = malloc(cut + 1);
        assert_non_null(exact);
        memcpy(exact, whole, cut);
        CHECK(mst_pocl_drop_code(exact, cut) == cut && memcmp(exact, whole, cut) == 0, "the first %zu bytes were changed", cut);
        free(exact);
    }
    memcpy(same, whole, size);
    memset(same + 36, '?', 40); // no directory that is known
    assert_int_equal(mst_pocl_drop_code(same, size), size);
}

// Copies numbers with the kernel of a program from this context.
static void copy_numbers(mst_context *context) {
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
    OK(mst_program_of_file(context, "test", "copy.cl", "-D PRECISION=32", &program, &e));
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
        copy_numbers(context);
        mst_context_destroy(context);
        n_without_code = 0;
        assert_int_equal(nftw("pocl", count, 10, FTW_PHYS), 0);
        assert_int_equal(n_without_code, k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_ones), cmocka_unit_test(others_stay),
                                       cmocka_unit_test(the_cache_loads_them)};
    char own_cache[4096]; // into which PoCL unpacks binaries
    if (!getcwd(own_cache, sizeof own_cache - 5))
        return 1;
    setenv("POCL_CACHE_DIR", strcat(own_cache, "/pocl"), 1);
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
