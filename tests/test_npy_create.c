// Writing .npy files: what NumPy would write, whole or not at all, over nothing that was not meant. Needs no OpenCL device.
#include "support.h"

#include "runtime/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- failures that a test machine does not have: these stand before the C library's functions

static int fail_link, fail_fallocate; // errno values

int link(const char *from, const char *to) {
    if (fail_link) {
        errno = fail_link;
        return -1;
    }
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int posix_fallocate(int file, off_t offset, off_t length) {
    if (fail_fallocate)
        return fail_fallocate;
    return fallocate(file, 0, offset, length) == 0 ? 0 : errno;
}

// ---- helpers

static void write_bytes(const char *path, const void *bytes, size_t length) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}

static size_t read_bytes(const char *path, void *bytes, size_t most) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t length = fread(bytes, 1, most, f);
    fclose(f);
    return length;
}

static size_t count(const mst_layout *l) {
    size_t n = 1;
    for (int k = 0; k < l->rank; k++)
        n *= l->shape[k];
    return n;
}

static int files_here(void) {
    FILE *f = popen("ls -A | wc -l", "r");
    int n = -1;
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%d", &n), 1);
    pclose(f);
    return n;
}

static int enter_directory(void **state) {
    signal(SIGXFSZ, SIG_IGN);
    return test_enter_directory(state);
}

// ---- tests

static void round_trips(void **state) {
    (void)state;
    mst_error e;
    for (int type = MST_FLOAT32; type <= MST_FLOAT16; type++)
        for (int rank = 1; rank <= MST_MAX_RANK; rank++)
            for (int zero = 0; zero < 2; zero++) {
                static const size_t shape[] = {3, 1, 4, 2, 1, 5, 2, 3};
                mst_layout layout = mst_layout_dense((mst_type)type, rank, shape + MST_MAX_RANK - rank);
                if (zero)
                    layout.shape[rank / 2] = 0;
                layout = mst_layout_dense(layout.type, rank, layout.shape);
                size_t bytes = count(&layout) * mst_type_bytes(layout.type);
                unsigned char *data = malloc(bytes + 1), *back = calloc(1, bytes + 1);
                for (size_t i = 0; i < bytes; i++)
                    data[i] = (unsigned char)(i * 7 + 1);
                mst_npy *out, *in;
                OK(mst_npy_create("r.npy", &layout, true, &out, &e));
                mst_location at = mst_npy_location(out);
                assert_int_equal(at.place, MST_PLACE_FILE);
                assert_int_equal(pwrite(at.file, data, bytes, (off_t)at.offset), bytes);
                OK(mst_npy_commit(out, &e));
                mst_npy_close(out);
                OK(mst_npy_open("r.npy", &in, &e));
                assert_memory_equal(mst_npy_layout(in), &layout, sizeof layout);
                at = mst_npy_location(in);
                assert_int_equal(at.offset % 64, 0);
                assert_int_equal(pread(at.file, back, bytes + 1, (off_t)at.offset), bytes);
                assert_memory_equal(data, back, bytes);
                mst_npy_close(in);
                free(data);
                free(back);
            }
    assert_int_equal(files_here(), 1);
}

// The bytes are from numpy 1.24.2: numpy.save of numpy.zeros(shape, type).
static void headers_are_numpys(void **state) {
    (void)state;
    static const struct {
        mst_type type;
        int rank;
        size_t shape[MST_MAX_RANK];
        const char *text;
    } known[] = {
        {MST_FLOAT32, 2, {3, 4}, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"},
        {MST_COMPLEX128, 1, {2}, "{'descr': '<c16', 'fortran_order': False, 'shape': (2,), }"},
        {MST_INT8, 1, {1}, "{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }"},
        {MST_BOOL, 2, {0, 5}, "{'descr': '|b1', 'fortran_order': False, 'shape': (0, 5), }"},
        {MST_FLOAT64,
         8,
         {2, 1, 3, 1, 2, 1, 1, 2},
         "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1, 3, 1, 2, 1, 1, 2), }"},
        {MST_UINT64, 1, {1000000}, "{'descr': '<u8', 'fortran_order': False, 'shape': (1000000,), }"},
    };
    mst_error e;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char expected[128], got[128];
        memset(expected, ' ', sizeof expected);
        memcpy(expected, "\x93NUMPY\x01\x00v\x00", 10);
        memcpy(expected + 10, known[i].text, strlen(known[i].text));
        expected[127] = '\n';
        mst_layout layout = mst_layout_dense(known[i].type, known[i].rank, known[i].shape);
        mst_npy *out;
        OK(mst_npy_create("h.npy", &layout, true, &out, &e));
        assert_int_equal(mst_npy_location(out).offset, 128);
        OK(mst_npy_commit(out, &e));
        mst_npy_close(out);
        read_bytes("h.npy", got, sizeof got);
        assert_memory_equal(expected, got, sizeof got);
    }
    unlink("h.npy");
}

// Data of 64 MiB and more begin with a page.
static void headers_of_large_data(void **state) {
    (void)state;
    for (size_t less = 0; less < 2; less++) {
        const size_t n = ((size_t)16 << 20) - less, begin = less ? 128 : 4096;
        const mst_layout layout = mst_layout_dense(MST_FLOAT32, 1, &n);
        char got[4096];
        mst_error e;
        mst_npy *npy;
        OK(mst_npy_create("large.npy", &layout, false, &npy, &e));
        assert_int_equal(mst_npy_location(npy).offset, begin);
        OK(mst_npy_commit(npy, &e));
        mst_npy_close(npy);
        read_bytes("large.npy", got, begin);
        assert_int_equal(got[begin - 1], '\n');
        OK(mst_npy_open("large.npy", &npy, &e));
        assert_true(mst_npy_location(npy).offset == begin && mst_layout_equal(mst_npy_layout(npy), &layout));
        mst_npy_close(npy);
        unlink("large.npy");
    }
}

static void creating_refused(void **state) {
    (void)state;
    static const size_t shape[] = {2, 3};
    mst_layout layout = mst_layout_dense(MST_FLOAT32, 2, shape), bad = layout;
    mst_error e;
    mst_npy *npy;
    char path[600];
    int before = files_here();

    bad.strides[0] = 4;
    REFUSED(MST_ERROR_ARGUMENT, "stride of axis 0 is 4, not 3", mst_npy_create("c.npy", &bad, false, &npy, &e));
    bad = layout;
    bad.rank = 0;
    REFUSED(MST_ERROR_ARGUMENT, "rank is 0", mst_npy_create("c.npy", &bad, false, &npy, &e));
    bad.rank = 9;
    REFUSED(MST_ERROR_ARGUMENT, "rank is 9", mst_npy_create("c.npy", &bad, false, &npy, &e));
    bad = layout;
    bad.type = (mst_type)0;
    REFUSED(MST_ERROR_ARGUMENT, "type 0", mst_npy_create("c.npy", &bad, false, &npy, &e));
    bad = mst_layout_dense(MST_FLOAT64, 2, (size_t[]){SIZE_MAX, 3});
    REFUSED(MST_ERROR_ARGUMENT, "larger than memory", mst_npy_create("c.npy", &bad, false, &npy, &e));
    bad = mst_layout_dense(MST_INT8, 1, (size_t[]){PTRDIFF_MAX});
    REFUSED(MST_ERROR_ARGUMENT, "larger than a file", mst_npy_create("c.npy", &bad, false, &npy, &e));

    write_bytes("c.npy", "old", 3);
    REFUSED(MST_ERROR_IO, "c.npy: exists already", mst_npy_create("c.npy", &layout, false, &npy, &e));
    unlink("c.npy");
    REFUSED(MST_ERROR_IO, "not a regular file", mst_npy_create(".", &layout, true, &npy, &e));
    REFUSED(MST_ERROR_IO, "not a regular file", mst_npy_create("/dev/null", &layout, true, &npy, &e));
    REFUSED(MST_ERROR_IO, "is not a file name", mst_npy_create("", &layout, false, &npy, &e));
    REFUSED(MST_ERROR_IO, "is not a file name", mst_npy_create("d/", &layout, true, &npy, &e));
    REFUSED(MST_ERROR_IO, "No such file or directory", mst_npy_create("none/c.npy", &layout, false, &npy, &e));
    REFUSED(MST_ERROR_IO, "cannot be created", mst_npy_create("/proc/c.npy", &layout, false, &npy, &e));
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    REFUSED(MST_ERROR_IO, "File name too long", mst_npy_create(path, &layout, false, &npy, &e));
    assert_null(npy);
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_npy_create(NULL, &layout, false, &npy, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_npy_create("c.npy", NULL, false, &npy, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_npy_create("c.npy", &layout, false, NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_npy_open(NULL, &npy, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_npy_open("c.npy", NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_npy_commit(NULL, &e));
    assert_int_equal(files_here(), before);
}

static void no_room(void **state) {
    (void)state;
    mst_layout layout = mst_layout_dense(MST_FLOAT32, 1, (size_t[]){1000});
    mst_error e;
    mst_npy *npy;
    int before = files_here();

    fail_fallocate = ENOSPC;
    REFUSED(MST_ERROR_IO, "no room for its 4128 bytes: No space left", mst_npy_create("n.npy", &layout, false, &npy, &e));
    fail_fallocate = EOPNOTSUPP;
    struct rlimit old, small = {4000, 4000};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    REFUSED(MST_ERROR_IO, "no room for its 4128 bytes: File too large", mst_npy_create("n.npy", &layout, false, &npy, &e));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    OK(mst_npy_create("n.npy", &layout, false, &npy, &e)); // by ftruncate
    struct stat info;
    assert_int_equal(fstat(mst_npy_location(npy).file, &info), 0);
    assert_int_equal(info.st_size, 4128);
    mst_npy_close(npy);
    fail_fallocate = 0;
    assert_int_equal(files_here(), before);
}

static mst_npy *create_one(const char *path, bool overwrite) {
    mst_layout layout = mst_layout_dense(MST_INT8, 1, (size_t[]){1});
    mst_error e;
    mst_npy *npy;
    OK(mst_npy_create(path, &layout, overwrite, &npy, &e));
    return npy;
}

static void committing(void **state) {
    (void)state;
    mst_error e;
    char content[4] = "";
    struct stat info;
    int before = files_here();

    // Nothing is seen before the commit, and nothing is left without one.
    mst_npy *npy = create_one("w.npy", false);
    assert_int_equal(access("w.npy", F_OK), -1);
    mst_npy_close(npy);
    assert_int_equal(files_here(), before);

    // As any new file: umask honoured, not inherited by children, in the directory of its path.
    mode_t old = umask(027);
    assert_int_equal(mkdir("sub", 0700), 0);
    npy = create_one("sub/w.npy", false);
    assert_int_equal(fcntl(mst_npy_location(npy).file, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(files_here(), before + 1);
    OK(mst_npy_commit(npy, &e));
    REFUSED(MST_ERROR_ARGUMENT, "committed already", mst_npy_commit(npy, &e));
    mst_npy_close(npy);
    umask(old);
    assert_int_equal(stat("sub/w.npy", &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(info.st_nlink, 1);
    OK(mst_npy_open("sub/w.npy", &npy, &e));
    REFUSED(MST_ERROR_ARGUMENT, "committed already", mst_npy_commit(npy, &e));
    mst_npy_close(npy);

    // A file that appears meanwhile is not overwritten, with hard links or without; asked for, it is.
    for (fail_link = 0;; fail_link = EPERM) {
        npy = create_one("w.npy", false);
        write_bytes("w.npy", "new", 3);
        REFUSED(MST_ERROR_IO, "w.npy: cannot be put in place: File exists", mst_npy_commit(npy, &e));
        mst_npy_close(npy);
        assert_int_equal(read_bytes("w.npy", content, 4), 3);
        assert_memory_equal(content, "new", 3);
        npy = create_one("w.npy", true);
        OK(mst_npy_commit(npy, &e));
        mst_npy_close(npy);
        unlink("w.npy");
        npy = create_one("w.npy", false);
        OK(mst_npy_commit(npy, &e));
        mst_npy_close(npy);
        OK(mst_npy_open("w.npy", &npy, &e));
        mst_npy_close(npy);
        unlink("w.npy");
        if (fail_link)
            break;
    }
    // A failed rename leaves nothing: the temporary file is gone.
    npy = create_one("sub/x.npy", false);
    assert_int_equal(system("rm sub/.mastaba-*"), 0);
    REFUSED(MST_ERROR_IO, "cannot be put in place: No such file", mst_npy_commit(npy, &e));
    mst_npy_close(npy);
    assert_int_equal(access("sub/x.npy", F_OK), -1);
    fail_link = 0;
    test_remove_tree("sub");
    assert_int_equal(files_here(), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),
        cmocka_unit_test(headers_are_numpys),
        cmocka_unit_test(headers_of_large_data),
        cmocka_unit_test(creating_refused),
        cmocka_unit_test(no_room),
        cmocka_unit_test(committing),
    };
    return cmocka_run_group_tests(tests, enter_directory, test_leave_directory);
}
