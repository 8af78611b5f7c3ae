// Trays: panels of files whose rows are short are read and written in longer ones, with the same bits, within the budget; files
// that fail, and a caller who cancels. Numbers of system calls, which is what trays are for, are counted.
#include "support.h"

#include "fft/tray.h"
#include "stream/strips.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_WAITS 5000 // of 1 ms, until a call that is held goes on, whatever comes

static struct {
    atomic_ulong calls, writes;          // all calls, and those that write
    atomic_long reads_left, writes_left; // until one fails; negative: none does
    atomic_long reads_held, writes_held; // until all others wait for `told`; negative: none does
    atomic_int told, missed;             // calls of progress; waits for them that were in vain
    atomic_bool cancelled;               // by progress
    atomic_bool for_good;                // the first that fails is not the last
} files;

#define TELLINGS 4 // that a held call waits for

ssize_t __real_pread64(int file, void *data, size_t bytes, off_t offset);
ssize_t __real_pwrite64(int file, const void *data, size_t bytes, off_t offset);
ssize_t __real_preadv64(int file, const struct iovec *parts, int n, off_t offset);
ssize_t __wrap_pread64(int file, void *data, size_t bytes, off_t offset);
ssize_t __wrap_preadv64(int file, const struct iovec *parts, int n, off_t offset);
ssize_t __wrap_pwrite64(int file, const void *data, size_t bytes, off_t offset);

static void hold(atomic_long *left) {
    if (*left < 0 || atomic_fetch_sub(left, 1) > 0)
        return;
    *left = 0;
    int waits = 0;
    for (int begun = files.told; files.told < begun + TELLINGS && !files.cancelled && waits < MOST_WAITS; waits++)
        usleep(1000);
    files.missed += waits == MOST_WAITS;
    *left = -1;
}

static bool fails(atomic_long *left, atomic_long *held) {
    files.calls++;
    hold(held);
    if (files.for_good && *left == 0)
        return true;
    return *left >= 0 && atomic_fetch_sub(left, 1) == 0;
}

ssize_t __wrap_pread64(int file, void *data, size_t bytes, off_t offset) {
    if (!fails(&files.reads_left, &files.reads_held))
        return __real_pread64(file, data, bytes, offset);
    errno = EIO;
    return -1;
}

ssize_t __wrap_preadv64(int file, const struct iovec *parts, int n, off_t offset) {
    if (!fails(&files.reads_left, &files.reads_held))
        return __real_preadv64(file, parts, n, offset);
    errno = EIO;
    return -1;
}

ssize_t __wrap_pwrite64(int file, const void *data, size_t bytes, off_t offset) {
    files.writes++;
    if (!fails(&files.writes_left, &files.writes_held))
        return __real_pwrite64(file, data, bytes, offset);
    errno = ENOSPC;
    return -1;
}

typedef struct transform {
    const char *what;
    bool inverse, real;
    int rank, n_axes, axes[2];
    size_t shape[3]; // of the real numbers
    uint64_t device;
} transform;

static const transform transforms[] = {{"a long axis", false, false, 1, 1, {0}, {65536}, 120000},
                                       {"a long real axis", false, true, 1, 1, {0}, {60060}, 30000},
                                       {"a long axis with real results", true, true, 1, 1, {0}, {60060}, 30000},
                                       {"a plane", false, false, 2, 2, {0, 1}, {250, 243}, 50000},
                                       {"a real plane", false, true, 2, 2, {0, 1}, {250, 242}, 40000},
                                       {"a plane with real results", true, true, 2, 2, {0, 1}, {250, 242}, 30000},
                                       {"columns", false, false, 3, 1, {1}, {3, 500, 90}, 60000}};

static mst_fft_desc describe(const transform *t, bool is_double) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    size_t half[3];
    memcpy(half, t->shape, sizeof half);
    half[t->rank - 1] = half[t->rank - 1] / 2 + 1;
    desc.n_axes = t->n_axes;
    memcpy(desc.axes, t->axes, sizeof t->axes);
    desc.input = mst_layout_dense(t->real && !t->inverse ? (is_double ? MST_FLOAT64 : MST_FLOAT32)
                                                         : (is_double ? MST_COMPLEX128 : MST_COMPLEX64),
                                  t->rank, t->real && t->inverse ? half : t->shape);
    if (t->inverse) {
        desc.direction = MST_FFT_INVERSE;
        desc.output = mst_layout_dense(is_double ? MST_FLOAT64 : MST_FLOAT32, t->rank, t->shape);
    }
    desc.scale = 0.5;
    return desc;
}

// The results, and the calls that it took, from file to file with so much staging (0: more than enough).
static test_array results_of(const mst_fft_desc *desc, uint64_t device, uint64_t host, const test_array *input,
                             unsigned long *calls) {
    mst_context *context = test_context_with_budget(device, host);
    files.calls = 0;
    test_array output = test_fft_run(context, desc, input, MST_PLACE_FILE, MST_PLACE_FILE, NULL);
    *calls = files.calls;
    mst_context_destroy(context);
    return output;
}

static mst_status needs_of(const mst_fft_desc *desc, uint64_t device, uint64_t host, mst_fft_needs *needs, mst_error *error) {
    mst_fft *plan = NULL;
    mst_context *context = test_context_with_budget(device, host);
    mst_status status = mst_fft_create(context, desc, &plan, error);
    if (status == MST_OK)
        status = mst_fft_plan_needs(plan, needs, error);
    mst_fft_destroy(plan);
    mst_context_destroy(context);
    return status;
}

// The staging memory that a refusal names, which leaves nothing for trays.
static uint64_t least_staging(const mst_fft_desc *desc, uint64_t device) {
    mst_error e;
    mst_fft_needs needs = MST_FFT_NEEDS_INIT;
    unsigned long long least = 0;
    REFUSED(MST_ERROR_BUDGET, "at least", needs_of(desc, device, 1, &needs, &e));
    const char *number = strstr(e.message, "at least");
    CHECK(number && sscanf(number, "at least %llu", &least) == 1, "no number: %s", e.message);
    return least;
}

static void fewer_calls_and_the_same_bits(void **state) {
    (void)state;
    mst_error e;
    for (size_t k = 0; k < sizeof transforms / sizeof *transforms; k++) {
        const transform *t = &transforms[k];
        const mst_fft_desc desc = describe(t, k % 2);
        const uint64_t device = t->device << k % 2;
        unsigned long calls[3];
        mst_fft_needs needs = MST_FFT_NEEDS_INIT, least = MST_FFT_NEEDS_INIT;
        const uint64_t least_host = least_staging(&desc, device);
        OK(needs_of(&desc, device, 0, &needs, &e));
        OK(needs_of(&desc, device, least_host, &least, &e));
        const uint64_t staging = needs.host_bytes;
        CHECK(needs.panels >= 24, "%s: %llu panels only", t->what, (unsigned long long)needs.panels);
        test_array input = test_array_random(&desc.input);
        test_array narrow = results_of(&desc, device, least_host, &input, &calls[0]),
                   some = results_of(&desc, device, staging, &input, &calls[1]),
                   trays = results_of(&desc, device, 0, &input, &calls[2]);
        CHECK(least.scratch_bytes > needs.scratch_bytes || 2 * calls[2] < calls[0], "%s: %lu calls with trays, %lu without",
              t->what, calls[2], calls[0]); // with the least staging lines may go by way of memory, in few calls
        CHECK(memcmp(test_array_at(&some, 0), test_array_at(&trays, 0), some.elements * mst_type_bytes(some.layout.type)) == 0,
              "%s: other bits", t->what);
        test_array_free(&input), test_array_free(&narrow), test_array_free(&some), test_array_free(&trays);
        mst_context *context = test_context_with_budget(device, test_between(1, 8) * staging);
        test_fft_check(context, &desc, MST_PLACE_FILE, MST_PLACE_FILE);
        CHECK(mst_context_device_memory_used(context) == 0, "%s: memory is left", t->what);
        mst_context_destroy(context);
    }
}

// A transform from file to file, executed once.
typedef struct between_files {
    mst_context *context;
    mst_fft *plan;
    test_array input, output;
    test_placed in, out;
    size_t calls[2]; // to write or to read, of which an execution has more
} between_files;

// Past the system's cache its trays are of strips.
static const transform strips = {"columns in strips", false, false, 2, 1, {0}, {128, 8192}, 300 << 10};

static void begin(between_files *f, const transform *t) {
    const mst_fft_desc desc = describe(t, false);
    mst_error e;
    f->context = test_context_with_budget(t->device, 0);
    f->input = test_array_random(&desc.input);
    f->output = test_array_new(&desc.input);
    f->in = test_place(f->context, MST_PLACE_FILE, &f->input);
    f->out = test_place(f->context, MST_PLACE_FILE, &f->output);
    OK(mst_fft_create(f->context, &desc, &f->plan, &e));
    files.calls = files.writes = 0;
    OK(mst_fft_execute(f->plan, f->in.at, f->out.at, NULL, &e));
    f->calls[0] = files.writes / 2;
    f->calls[1] = (files.calls - files.writes) / 2;
    files.for_good = t == &strips; // what a direct request does not do is asked for through the cache
}

static void end(between_files *f) {
    files.for_good = false;
    mst_fft_destroy(f->plan);
    test_collect(&f->in, &f->input), test_collect(&f->out, &f->output);
    test_array_free(&f->input), test_array_free(&f->output);
    mst_context_destroy(f->context);
}

static bool stop_in_time(uint64_t done, uint64_t total, void *user) {
    const uint64_t *most = user;
    return done * 8 < total * *most;
}

// Each failure is told once, and the plan works afterwards.
static void failures_of(const transform *t) {
    mst_error e;
    between_files f;
    begin(&f, t);
    for (int k = 0; k < 12; k++) {
        const bool reads = k % 2;
        atomic_long *left = reads ? &files.reads_left : &files.writes_left;
        *left = (long)test_between(0, f.calls[reads] - 1);
        REFUSED(MST_ERROR_IO, reads ? "cannot read" : "cannot write", mst_fft_execute(f.plan, f.in.at, f.out.at, NULL, &e));
        *left = -1;
    }
    for (uint64_t most = 0; most < 16; most += 3) {
        mst_execution how = MST_EXECUTION_INIT;
        how.progress = stop_in_time;
        how.progress_user = &most;
        mst_status status = mst_fft_execute(f.plan, f.in.at, f.out.at, &how, &e);
        CHECK(status == (most > 8 ? MST_OK : MST_ERROR_CANCELLED), "after %llu of 8: status %d", (unsigned long long)most,
              status);
    }
    OK(mst_fft_execute(f.plan, f.in.at, f.out.at, NULL, &e));
    CHECK(mst_context_device_memory_used(f.context) > 0, "%s: the plan has no memory", t->what);
    end(&f);
}

static void failures(void **state) {
    (void)state;
    failures_of(&transforms[0]);
    setenv("MASTABA_DIRECT_IO", "1", 1);
    failures_of(&strips);
    unsetenv("MASTABA_DIRECT_IO");
}

static bool tell(uint64_t done, uint64_t total, void *user) {
    const int *most = user;
    (void)done, (void)total;
    files.cancelled = ++files.told >= *most;
    return !files.cancelled;
}

// Whoever waits for a tray, to be read or written, is asked whether to go on meanwhile.
static void progress_of(const transform *t) {
    mst_error e;
    between_files f;
    begin(&f, t);
    for (int k = 0; k < 8; k++) {
        mst_execution how = MST_EXECUTION_INIT;
        const bool cancels = k % 4 < 2;
        int most = INT_MAX;
        how.progress = tell;
        how.progress_user = &most;
        files.told = 0;
        files.cancelled = false;
        atomic_long *held = k % 2 ? &files.reads_held : &files.writes_held;
        *held = (long)test_between(0, f.calls[k % 2] - 1);
        if (cancels)
            most = (int)test_between(1, TELLINGS);
        mst_status status = mst_fft_execute(f.plan, f.in.at, f.out.at, &how, &e);
        CHECK(status == (cancels ? MST_ERROR_CANCELLED : MST_OK), "%d: status %d", k, status);
        CHECK(files.missed == 0, "%d: nobody is asked while %s", k, k % 2 ? "a tray is read" : "a tray is written");
        *held = -1;
        files.missed = 0;
    }
    end(&f);
}

static void progress_beside_slow_files(void **state) {
    (void)state;
    progress_of(&transforms[0]);
    setenv("MASTABA_DIRECT_IO", "1", 1);
    progress_of(&strips);
    unsetenv("MASTABA_DIRECT_IO");
}

// Trays of random columns of complex numbers that are transformed in place stay within their room, and one is alone only where
// two of its size would not fit.
static void one_tray_only_without_room_for_two(void **state) {
    (void)state;
    int alone = 0, both = 0;
    for (int k = 0; k < 2000; k++) {
        const size_t rows = test_between(2, 600), columns = test_between(16, 8000);
        mst_fft_panel_pass trays[MST_SIDES],
            pass = {.array = {MST_FFT_PANELS_OUTPUT, MST_FFT_PANELS_OUTPUT},
                    .type = {MST_COMPLEX64, MST_COMPLEX64},
                    .n_axes = 2,
                    .axes = {{0, {rows, rows}, {(int64_t)columns, (int64_t)columns}}, {1, {columns, columns}, {1, 1}}},
                    .transformed = 1,
                    .real = -1,
                    .scale = 1};
        CHECK(mst_fft_panel_choose(&pass, 8 * rows * test_between(1, columns / 8)), "%zu x %zu: no panels", rows, columns);
        mst_tray_room room = {.bytes = 8 * rows * test_between(1, 3 * columns), .file = {true, true}};
        if (test_between(0, 4) == 0)
            room.bytes = UINT64_MAX / 2;
        const mst_tray_shape shape = mst_fft_panel_trays(&pass, &room, trays);
        if (shape.items[0] == 0 || !shape.shared)
            continue;
        CHECK(shape.held[0] * shape.bytes[0] <= room.bytes, "%zu x %zu: more than the room", rows, columns);
        CHECK(shape.held[0] > 1 || 2 * shape.bytes[0] > room.bytes, "%zu x %zu in %llu bytes: one tray of %llu alone", rows,
              columns, (unsigned long long)room.bytes, (unsigned long long)shape.bytes[0]);
        alone += shape.held[0] == 1;
        both += shape.held[0] == 2;
    }
    CHECK(alone > 50 && both > 50, "%d alone, %d of two", alone, both);
}

// Trays of strips of random columns stay within their room.
static void strips_within_their_room(void **state) {
    (void)state;
    int some = 0, spared = 0, narrower = 0, shorter = 0;
    for (int k = 0; k < 4000; k++) {
        const size_t rows = test_between(2, 600), columns = k % 3 ? test_between(512, 20000) : test_between(1, 32) * 512;
        mst_fft_panel_pass trays[MST_SIDES], pass = {.array = {MST_FFT_PANELS_INPUT, MST_FFT_PANELS_OUTPUT},
                                                     .type = {MST_COMPLEX64, MST_COMPLEX64},
                                                     .n_axes = 3,
                                                     .axes = {{0, {3, 3}, {(int64_t)(rows * columns), (int64_t)(rows * columns)}},
                                                              {1, {rows, rows}, {(int64_t)columns, (int64_t)columns}},
                                                              {2, {columns, columns}, {1, 1}}},
                                                     .transformed = 2,
                                                     .real = -1,
                                                     .scale = 1};
        CHECK(mst_fft_panel_choose(&pass, 8 * rows * (k % 2 ? 1u << test_between(0, 9) : test_between(1, 100))), "no panels");
        mst_tray_room room = {.bytes = 8 * rows * test_between(1, 3 * columns), .file = {true, true}, .direct = {true, true}};
        const mst_tray_shape shape = mst_fft_panel_trays(&pass, &room, trays);
        uint64_t taken = shape.held[1] * shape.bytes[1];
        if (shape.strips[0] == 0)
            continue;
        taken += mst_strips_bytes(&shape, 0);
        CHECK(taken <= room.bytes + shape.strips[0] * shape.bytes[0] / shape.rows[0], "%zu x %zu: %llu bytes in a room of %llu",
              rows, columns, (unsigned long long)taken, (unsigned long long)room.bytes);
        CHECK(shape.items[0] % shape.strips[0] == 0 && shape.bytes[0] == shape.items[0] * pass.bytes[0],
              "%zu x %zu: %zu panels in %zu strips", rows, columns, shape.items[0], shape.strips[0]);
        CHECK(shape.rows[0] == rows && shape.bytes[0] % (rows * shape.items[0]) == 0, "%zu rows of %llu bytes", shape.rows[0],
              (unsigned long long)(shape.bytes[0] / rows));
        narrower += columns % pass.width != 0;
        shorter += shape.line % (shape.items[0] / shape.strips[0]) != 0;
        some++;
        spared += shape.spare[0] > 0;
    }
    CHECK(some > 100 && spared > 30 && narrower > 50 && shorter > 50,
          "%d of strips, %d with some to spare, %d with a narrower panel, %d with a strip of fewer", some, spared, narrower,
          shorter);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_calls_and_the_same_bits), cmocka_unit_test(failures), cmocka_unit_test(progress_beside_slow_files),
        cmocka_unit_test(one_tray_only_without_room_for_two), cmocka_unit_test(strips_within_their_room)};
    files.reads_left = files.writes_left = files.reads_held = files.writes_held = -1;
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
