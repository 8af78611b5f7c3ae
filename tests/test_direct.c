// Files past the system's cache: the same results and bytes as through it, whatever the offsets and lengths; requests that the
// file system refuses, or that fail or end early, go through the cache; the budget for them is kept and given back.
// Long: requests of all offsets and lengths, and each of them failing.
#include "support.h"

#include "stream/direct.h"
#include "stream/strips.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <unistd.h>

static struct {
    atomic_ulong direct;      // requests past the cache,
    atomic_ulong ranges;      // and ranges of trays of strips
    atomic_int code, shorter; // of them: fail so; are cut to a page
} files;

ssize_t __real_pread64(int file, void *data, size_t bytes, off_t offset);
ssize_t __real_pwrite64(int file, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_pread64(int file, void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite64(int file, const void *data, size_t bytes, off_t offset);

static bool is_direct(int file) { return fcntl(file, F_GETFL) & O_DIRECT; }

static bool fails(int file, size_t *bytes) {
    if (!is_direct(file))
        return false;
    files.direct++;
    if (files.shorter && *bytes > 4096)
        *bytes = 4096;
    errno = files.code;
    return files.code != 0;
}

ssize_t __wrap_pread64(int file, void *data, size_t bytes, off_t offset) {
    return fails(file, &bytes) ? -1 : __real_pread64(file, data, bytes, offset);
}

ssize_t __wrap_pwrite64(int file, const void *data, size_t bytes, off_t offset) {
    return fails(file, &bytes) ? -1 : __real_pwrite64(file, data, bytes, offset);
}

ssize_t __real_preadv64(int file, const struct iovec *parts, int n, off_t offset);
ssize_t __wrap_preadv64(int file, const struct iovec *parts, int n, off_t offset);

ssize_t __wrap_preadv64(int file, const struct iovec *parts, int n, off_t offset) {
    size_t bytes = 1 << 20;
    return fails(file, &bytes) ? -1 : __real_preadv64(file, parts, bytes == 4096 ? 1 : n, offset);
}

mst_status __real_mst_strips_read(mst_strips *strips, size_t tray, size_t range, const mst_panel_place *from,
                                  const mst_panel_piece *piece, mst_error *error);
mst_status __wrap_mst_strips_read(mst_strips *strips, size_t tray, size_t range, const mst_panel_place *from,
                                  const mst_panel_piece *piece, mst_error *error);

mst_status __wrap_mst_strips_read(mst_strips *strips, size_t tray, size_t range, const mst_panel_place *from,
                                  const mst_panel_piece *piece, mst_error *error) {
    files.ranges++;
    return __real_mst_strips_read(strips, tray, range, from, piece, error);
}

// Whether the directory's file system takes such files at all.
static bool are_taken(void) {
    char path[] = "probe-XXXXXX";
    int made = mkstemp(path), file = open(path, O_RDWR | O_DIRECT);
    close(made), unlink(path);
    if (file >= 0)
        close(file);
    return file >= 0;
}

static void any_bytes(void **state) {
    (void)state;
    enum { BYTES = 5 << 20 };
    char path[] = "bytes-XXXXXX";
    int file = mkstemp(path);
    unsigned char *expected = malloc(BYTES), *got = malloc(BYTES), *pages = aligned_alloc(4096, BYTES + 4096);
    mst_context *context = test_context_with_budget(0, 0);
    assert_true(file >= 0 && expected && got && pages);
    for (size_t i = 0; i < BYTES; i++)
        expected[i] = (unsigned char)test_between(0, 255);
    assert_int_equal(__real_pwrite64(file, expected, BYTES, 0), BYTES);
    mst_direct_file *d = mst_direct_open(context, mst_at_file(file, 0), true);
    CHECK(!!d == are_taken(), "opened: %d", !!d);
    for (int k = 0; d && k < 60; k++) {
        size_t begin, end, aligned = test_between(0, 2) ? 1 : 4096;
        const size_t offset = test_between(0, BYTES - 1) / aligned * aligned,
                     bytes = test_between(0, BYTES - offset) / aligned * aligned;
        unsigned char *memory = pages + (k % 4 < 2 ? 0 : 8); // in half of the cases it is aligned as the file is
        files.shorter = k % 3 == 2;
        if (k % 2) {
            for (size_t i = 0; i < bytes; i += 1 + test_between(0, 64))
                expected[offset + i] ^= 0x55;
            memcpy(memory, expected, BYTES);
            mst_direct_write(d, offset, memory + offset, bytes, &begin, &end);
            assert_true(begin <= end && end <= bytes);
            CHECK(end > begin || aligned == 1 || bytes == 0, "%zu bytes at %zu are not written", bytes, offset);
            assert_int_equal(__real_pwrite64(file, expected + offset, begin, (off_t)offset), begin);
            assert_int_equal(__real_pwrite64(file, expected + offset + end, bytes - end, (off_t)(offset + end)), bytes - end);
        } else {
            memset(memory, 0, BYTES);
            mst_direct_read(d, offset, memory + offset, bytes, &begin, &end);
            CHECK(begin == 0 && (end == bytes || bytes < 4096), "%zu of %zu bytes at %zu are read", end, bytes, offset);
            assert_memory_equal(memory + offset, expected + offset, end);
            CHECK(offset + end == BYTES || memory[offset + end] == 0, "more than %zu bytes are read", end);
        }
        assert_int_equal(__real_pread64(file, got, BYTES, 0), BYTES);
        assert_memory_equal(got, expected, BYTES);
    }
    files.shorter = 0;
    for (int k = 0; d && k < 40; k++) {
        const bool odd = k % 2;
        const size_t n = test_between(1, 8), each = odd ? test_between(1, 16 << 10) : 4096 * test_between(1, 4),
                     offset = test_between(0, BYTES - n * each) / (odd ? 1 : 4096) * (odd ? 1 : 4096);
        struct iovec parts[8];
        memset(pages, 0, BYTES + 4096);
        for (size_t i = 0; i < n; i++)
            parts[i] = (struct iovec){pages + (2 * i + 1) * each, each};
        assert_true(mst_direct_scatter(d, offset, parts, (int)n));
        for (size_t i = 0; i < n; i++)
            assert_memory_equal(parts[i].iov_base, expected + offset + i * each, each);
        for (size_t i = 0; i < 2 * n * each; i++)
            assert_true(i / each % 2 || pages[i] == 0);
    }
    mst_direct_close(d);
    mst_context_destroy(context);
    close(file), unlink(path), free(expected), free(got), free(pages);
}

// Blocks, and panels in trays and without; each with requests that do what they should, fail, or are cut short.
static void transforms(void **state) {
    (void)state;
    static const struct {
        const char *what;
        size_t shape[3];
        int axis;
        uint64_t device, host;
        bool direct, strips;
    } cases[] = {{"blocks", {1, 300, 4096}, 2, 0, 0, true, false},
                 {"panels in trays", {1, 64, 32768}, 1, 1 << 20, 0, true, true},
                 {"trays of strips", {1, 512, 8192}, 1, 1 << 20, 0, true, true},
                 {"trays of strips, of several lines", {3, 128, 8192}, 1, 300 << 10, 0, true, true},
                 {"trays of strips, the last of fewer panels", {2, 128, 7680}, 1, 300 << 10, 0, true, true},
                 {"trays of strips, the last panel narrower", {2, 128, 8191}, 1, 300 << 10, 0, true, true},
                 {"panels", {1, 8, 131072}, 1, 4 << 20, 0, true, true},
                 {"panels of files, narrower than others", {1, 1, 1 << 20}, 2, 12 << 20, 32 << 20, true, false},
                 {"no room for requests", {1, 300, 4096}, 2, 0, 1 << 20, false, false}};
    static const int codes[] = {0, EINVAL, EIO};
    const bool taken = are_taken();
    setenv("MASTABA_DIRECT_IO", "1", 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int f = 0; f < 4; f++) {
            mst_fft_desc desc = MST_FFT_DESC_INIT;
            desc.input = mst_layout_dense(MST_COMPLEX64, 3, cases[k].shape);
            desc.n_axes = 1, desc.axes[0] = cases[k].axis;
            mst_context *context = test_context_with_budget(cases[k].device, cases[k].host);
            files.direct = files.ranges = 0;
            files.code = f < 3 ? codes[f] : 0;
            files.shorter = f == 3;
            test_fft_check(context, &desc, MST_PLACE_FILE, MST_PLACE_FILE);
            CHECK((files.direct > 0) == (taken && cases[k].direct), "%s: %lu requests past the cache", cases[k].what,
                  files.direct);
            CHECK((files.ranges > 0) == (taken && cases[k].strips), "%s: %lu ranges of strips", cases[k].what, files.ranges);
            mst_context_destroy(context);
        }
    files.code = files.shorter = 0;
    unsetenv("MASTABA_DIRECT_IO");
}

static void threads(void **state) {
    (void)state;
    static const unsigned asked[][2] = {{0, 63}, {1, 1}, {6, 6}, {90, 63}};
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        mst_context_desc how = MST_CONTEXT_DESC_INIT;
        how.copy_threads = asked[k][0];
        mst_context *context = test_context(&how);
        assert_int_equal(mst_direct_threads(context), asked[k][1]);
        mst_context_destroy(context);
    }
}

static void which_files(void **state) {
    (void)state;
    assert_true(!mst_direct_suits(1 << 20) && mst_direct_suits((uint64_t)1 << 60));
    setenv("MASTABA_DIRECT_IO", "0", 1);
    assert_true(!mst_direct_suits((uint64_t)1 << 60));
    setenv("MASTABA_DIRECT_IO", "1", 1);
    assert_true(mst_direct_suits(1));
    unsetenv("MASTABA_DIRECT_IO");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_bytes), cmocka_unit_test(transforms), cmocka_unit_test(threads),
                                       cmocka_unit_test(which_files)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
