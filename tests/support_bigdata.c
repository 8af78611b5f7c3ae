// Convolves two .npy files with and without a small budget, each in a process of its own, and compares the results.
#include "support.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ADDRESS_SANITIZER 1 // whose shadow is resident too
#elif defined(__has_feature)
#define WITH_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define WITH_ADDRESS_SANITIZER 0
#endif

extern char **environ;

static const char *const names[] = {"x.npy", "y.npy", "limited.npy", "unlimited.npy"};

static void path_of(int which, char *out, size_t size) { snprintf(out, size, "%s/%s", test_directory(), names[which]); }

// The process's largest resident memory since it began, in bytes.
static uint64_t peak_memory(void) {
    char line[200];
    unsigned long long kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "VmHWM: %llu kB", &kib) != 1)
        continue;
    if (f)
        fclose(f);
    return (uint64_t)kib << 10;
}

// The child: arguments are directory, output, device memory and the most memory that may be resident. Not cmocka's: 0 is success.
static int convolve(char **arguments) {
    char x_path[600], y_path[600], z_path[600];
    mst_error e = {.status = MST_OK};
    mst_context *context = NULL;
    mst_convolution *plan = NULL;
    mst_npy *x = NULL, *y = NULL, *z = NULL;
    mst_layout layout;
    mst_context_desc wanted = MST_CONTEXT_DESC_INIT;
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    mst_report report = MST_REPORT_INIT;
    uint64_t limit = strtoull(arguments[4], NULL, 10);
    snprintf(x_path, sizeof x_path, "%s/%s", arguments[1], names[0]);
    snprintf(y_path, sizeof y_path, "%s/%s", arguments[1], names[1]);
    snprintf(z_path, sizeof z_path, "%s/%s", arguments[1], arguments[2]);
    wanted.device = getenv("MASTABA_TEST_DEVICE");
    wanted.device_memory = strtoull(arguments[3], NULL, 10);
    wanted.cache_directory = arguments[1];
    how.report = &report;
    desc.mode = MST_CONVOLUTION_CIRCULAR;
    bool done = mst_npy_open(x_path, &x, &e) == MST_OK && mst_npy_open(y_path, &y, &e) == MST_OK;
    if (done) {
        desc.x = *mst_npy_layout(x);
        desc.y = *mst_npy_layout(y);
    }
    done = done && mst_context_create(&wanted, &context, &e) == MST_OK && mst_convolution_result(&desc, &layout, &e) == MST_OK &&
           mst_npy_create(z_path, &layout, true, &z, &e) == MST_OK &&
           mst_convolution_create(context, &desc, &plan, &e) == MST_OK &&
           mst_convolution_execute(plan, mst_npy_location(x), mst_npy_location(y), mst_npy_location(z), &how, &e) == MST_OK &&
           mst_npy_commit(z, &e) == MST_OK;
    mst_convolution_destroy(plan);
    mst_context_destroy(context);
    mst_npy_close(x), mst_npy_close(y), mst_npy_close(z);
    uint64_t peak = peak_memory();
    print_message("%s: %.1f s, %llu blocks, at most %llu MiB resident %s\n", arguments[2], report.seconds,
                  (unsigned long long)report.blocks, (unsigned long long)(peak >> 20), e.message);
    return !done ? 1 : limit > 0 && (peak == 0 || peak > limit) ? 2 : limit > 0 && report.blocks < 2 ? 3 : 0;
}

static void make_operand(int which, size_t rows, size_t n) {
    char path[600];
    mst_error e;
    mst_npy *npy = NULL;
    size_t shape[] = {rows, n}, chunk = 1 << 20, total = rows * n;
    const mst_layout layout = mst_layout_dense(MST_FLOAT32, 2, shape);
    float *values = malloc(chunk * sizeof *values);
    assert_non_null(values);
    path_of(which, path, sizeof path);
    OK(mst_npy_create(path, &layout, true, &npy, &e));
    mst_location at = mst_npy_location(npy);
    for (size_t done = 0; done < total; done += chunk) {
        size_t count = total - done < chunk ? total - done : chunk;
        for (size_t i = 0; i < count; i++)
            values[i] = (float)test_uniform();
        ssize_t written = pwrite(at.file, values, count * sizeof *values, (off_t)(at.offset + done * sizeof *values));
        CHECK(written == (ssize_t)(count * sizeof *values), "cannot write %s", path);
    }
    OK(mst_npy_commit(npy, &e));
    mst_npy_close(npy);
    free(values);
}

static void run_child(const char *output, uint64_t device_memory, uint64_t limit) {
    char self[] = "/proc/self/exe", directory[400], name[40], memory[40], most[40];
    char *arguments[] = {self, directory, name, memory, most, NULL};
    pid_t pid;
    int result = -1;
    snprintf(directory, sizeof directory, "%s", test_directory());
    snprintf(name, sizeof name, "%s", output);
    snprintf(memory, sizeof memory, "%llu", (unsigned long long)device_memory);
    snprintf(most, sizeof most, "%llu", (unsigned long long)limit);
    assert_int_equal(posix_spawn(&pid, self, NULL, NULL, arguments, environ), 0);
    assert_int_equal(waitpid(pid, &result, 0), pid);
    CHECK(result == 0, "%s: the process ended with %d (256: an error; 512: too much memory; 768: one block)", output, result);
}

static void compare(void) {
    enum { CHUNK = 1 << 20 };
    static unsigned char data[2][CHUNK];
    char path[600];
    int files[2];
    for (int k = 0; k < 2; k++) {
        path_of(2 + k, path, sizeof path);
        files[k] = open(path, O_RDONLY);
        assert_true(files[k] >= 0);
    }
    for (off_t at = 0;; at += CHUNK) {
        ssize_t n = pread(files[0], data[0], CHUNK, at), m = pread(files[1], data[1], CHUNK, at);
        CHECK(n == m && n >= 0 && memcmp(data[0], data[1], (size_t)n) == 0, "the results differ near byte %lld", (long long)at);
        if (n < CHUNK)
            break;
    }
    close(files[0]), close(files[1]);
}

// One vector of the result, against direct sums.
static void check_vector(size_t row, size_t n) {
    char path[600];
    size_t shape[] = {1, n}, worst;
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    desc.mode = MST_CONVOLUTION_CIRCULAR;
    desc.x = desc.y = desc.z = mst_layout_dense(MST_FLOAT32, 2, shape);
    test_array arrays[3];
    for (int k = 0; k < 3; k++) {
        mst_npy *npy = NULL;
        mst_error e;
        arrays[k] = test_array_new(&desc.x);
        path_of(k, path, sizeof path);
        OK(mst_npy_open(path, &npy, &e));
        mst_location at = mst_npy_location(npy);
        ssize_t got = pread(at.file, arrays[k].image + arrays[k].origin, 4 * n, (off_t)(at.offset + 4 * n * row));
        assert_int_equal(got, 4 * n);
        mst_npy_close(npy);
    }
    long double norm;
    test_wide *reference = test_convolution_reference(&desc, &arrays[0], &arrays[1], &desc.z, &norm);
    double error = test_convolution_error(&arrays[2], -1, reference, &norm, &worst);
    CHECK(error <= 2 * test_gate(&desc.z, n), "vector %zu: error %.3g", row, error);
    free(reference);
    for (int k = 0; k < 3; k++)
        test_array_free(&arrays[k]);
}

bool test_bigdata_child(int argc, char **argv, int *result) {
    if (argc != 5)
        return false;
    *result = convolve(argv);
    return true;
}

void test_bigdata(size_t rows, size_t n, uint64_t device_memory, uint64_t most_resident) {
    make_operand(0, rows, n);
    make_operand(1, rows, n);
    run_child(names[3], 0, 0); // first: it compiles the kernels, and compilers take memory
    run_child(names[2], device_memory, WITH_ADDRESS_SANITIZER ? UINT64_MAX : most_resident);
    compare();
    check_vector(0, n);
    check_vector(rows - 1, n);
    check_vector(test_between(1, rows - 2), n);
}
