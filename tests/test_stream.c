// The block pipeline and its parts: copy threads, gathering and scattering, files that misbehave.
#include "support.h"

#include "stream/ring.h"
#include "stream/stream.h"
#include "stream/transfer.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <unistd.h>

// ---- files that misbehave: every read and write of the library passes here ----

static struct {
    atomic_bool short_counts, interrupted;
    atomic_int fail_reads_after, fail_writes_after, code; // calls; negative: never
} fault;

static void no_faults(void) {
    fault.short_counts = fault.interrupted = false;
    fault.fail_reads_after = fault.fail_writes_after = -1;
    fault.code = EIO;
}

static bool refused(atomic_int *left) { return *left >= 0 && atomic_fetch_sub(left, 1) <= 0; }

static size_t cut(size_t bytes) {
    static atomic_uint turn;
    return fault.short_counts && bytes > 1 ? 1 + (turn++ * 7919u) % (bytes - 1) : bytes;
}

static bool interrupted(void) {
    static atomic_uint turn;
    return fault.interrupted && turn++ % 2 == 0;
}

ssize_t __real_pread64(int file, void *data, size_t bytes, off_t offset);
ssize_t __real_pwrite64(int file, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_pread64(int file, void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite64(int file, const void *data, size_t bytes, off_t offset);

ssize_t __wrap_pread64(int file, void *data, size_t bytes, off_t offset) {
    bool fails = refused(&fault.fail_reads_after);
    if (fails || interrupted()) {
        errno = fails ? fault.code : EINTR;
        return -1;
    }
    return __real_pread64(file, data, cut(bytes), offset);
}

ssize_t __wrap_pwrite64(int file, const void *data, size_t bytes, off_t offset) {
    bool fails = refused(&fault.fail_writes_after);
    if (fails || interrupted()) {
        errno = fails ? fault.code : EINTR;
        return -1;
    }
    return __real_pwrite64(file, data, cut(bytes), offset);
}

// ---- copy threads ----

typedef struct counting {
    atomic_int seen[1000];
    size_t fail_at;
} counting;

static mst_status count_one(size_t i, void *user, mst_error *error) {
    counting *c = user;
    c->seen[i]++;
    return i == c->fail_at ? mst_fail(error, MST_ERROR_FORMAT, "number %zu", i) : MST_OK;
}

static void *run_many(void *argument) {
    static counting each[3];
    static atomic_int turn;
    counting *mine = &each[turn++ % 3];
    mine->fail_at = SIZE_MAX;
    for (int i = 0; i < 50; i++)
        if (mst_pool_run(argument, 1000, count_one, mine, NULL) != MST_OK)
            return "failed";
    for (size_t i = 0; i < 1000; i++)
        if (mine->seen[i] != 50)
            return "an index ran the wrong number of times";
    return NULL;
}

static void copy_threads(void **state) {
    (void)state;
    static counting c;
    mst_error e;
    mst_pool *pool = NULL;
    OK(mst_pool_create(3, &pool, &e));
    for (size_t n = 0; n <= 1000; n += n < 4 ? 1 : 249) {
        memset(&c, 0, sizeof c);
        c.fail_at = SIZE_MAX;
        OK(mst_pool_run(pool, n, count_one, &c, &e));
        for (size_t i = 0; i < 1000; i++)
            assert_int_equal(c.seen[i], i < n);
    }
    c.fail_at = 17;
    REFUSED(MST_ERROR_FORMAT, "number 17", mst_pool_run(pool, 1000, count_one, &c, &e));
    assert_int_equal(mst_pool_run(pool, 1000, count_one, &c, NULL), MST_ERROR_FORMAT);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_many, pool), 0);
    for (int i = 0; i < 3; i++) {
        void *trouble;
        pthread_join(threads[i], &trouble);
        CHECK(!trouble, "%s", (const char *)trouble);
    }
    mst_pool_destroy(pool);
    mst_pool_destroy(NULL);
}

// ---- gathering and scattering ----

static void check_transfer(mst_pool *pool, const mst_layout *layout, mst_place place, size_t begin, size_t end, int faults) {
    mst_error e;
    size_t width = mst_type_bytes(layout->type);
    test_array array = test_array_random(layout), back = test_array_new(layout);
    unsigned char *packed = malloc(array.elements * width + 2), *all = malloc(array.elements * width + 1);
    assert_true(packed && all);
    for (size_t i = 0; i < array.elements; i++)
        memcpy(all + i * width, test_array_at(&array, i), width);
    memset(packed, 0xee, array.elements * width + 2);
    test_placed from = test_place(NULL, place, &array), to = test_place(NULL, place, &back);
    const mst_transfer read = {*layout, from.at, "x", NULL}, write = {*layout, to.at, "z", NULL};
    fault.short_counts = faults >= 1;
    fault.interrupted = faults == 2;
    OK(mst_transfer_read(pool, &read, begin * width, end * width, packed + 1, &e));
    CHECK(memcmp(packed + 1, all + begin * width, (end - begin) * width) == 0 && packed[0] == 0xee &&
              packed[1 + (end - begin) * width] == 0xee,
          "elements %zu to %zu of %s in %s were not gathered", begin, end, test_layout_text(layout), test_place_name(place));
    OK(mst_transfer_write(pool, &write, begin * width, end * width, packed + 1, &e));
    no_faults();
    test_collect_input(&from, &array);
    test_collect(&to, &back);
    for (size_t i = begin; i < end; i++) {
        CHECK(memcmp(test_array_at(&back, i), test_array_at(&array, i), width) == 0, "element %zu of %s in %s was not scattered",
              i, test_layout_text(layout), test_place_name(place));
        memset(test_array_at(&back, i), 0xff, width);
    }
    for (size_t i = 0; i < back.bytes; i++)
        CHECK(back.image[i] == 0xff, "scattering %s in %s wrote elsewhere", test_layout_text(layout), test_place_name(place));
    free(packed);
    free(all);
    test_array_free(&array);
    test_array_free(&back);
}

static void transfers(void **state) {
    mst_error e;
    mst_pool *pool = NULL;
    (void)state;
    no_faults();
    OK(mst_pool_create(2, &pool, &e));
    for (int i = 0; i < 400; i++) {
        int rank = (int)test_between(1, 5);
        size_t shape[5], count = 1;
        for (int k = 0; k < rank; k++) {
            shape[k] = test_between(1, 9);
            count *= shape[k];
        }
        mst_layout layout = test_layout_random((mst_type)test_between(MST_FLOAT32, MST_BOOL), rank, shape, false);
        if (i % 4 == 0)
            layout = mst_layout_dense(layout.type, rank, shape);
        size_t begin = test_between(0, count - 1), end = test_between(begin, count);
        check_transfer(pool, &layout, i % 2 ? MST_PLACE_FILE : MST_PLACE_HOST, begin, end, i % 3);
    }
    size_t large[] = {3, 70000, 3}; // more than one chunk a thread, and chunks that split rows
    mst_layout dense = mst_layout_dense(MST_COMPLEX128, 3, large), strided = dense;
    strided.strides[0] = -210001, strided.strides[1] = 3;
    check_transfer(pool, &dense, MST_PLACE_HOST, 1, 629999, 0);
    check_transfer(pool, &dense, MST_PLACE_FILE, 0, 630000, 0);
    check_transfer(pool, &strided, MST_PLACE_HOST, 2, 629998, 0);
    strided.strides[1] = 4; // single elements to run over
    strided.shape[0] = 1;
    check_transfer(pool, &strided, MST_PLACE_HOST, 5, 200000, 0);
    mst_pool_destroy(pool);
}

// ---- the pipeline ----

enum { ITEMS = 37, WIDTH = 3000 };

// A capability that copies its input to its output, and puts what the fixed array holds into the first values of an item.
typedef struct copier {
    mst_context *context;
    int blocks, fail_at, truncate;
    size_t next, prepared;
    bool wrong, fail_prepare;
} copier;

static mst_status prepare(void *user, size_t n_items, mst_error *error) {
    copier *c = user;
    c->prepared = n_items;
    return c->fail_prepare && n_items ? mst_fail(error, MST_ERROR_DEVICE_MEMORY, "nothing to prepare with") : MST_OK;
}

static size_t byte_of(const mst_block_port *port, size_t item) {
    return ((size_t)port->base + (port->first_item + item) * WIDTH) * sizeof(float);
}

static mst_status compute(void *user, const mst_block *block, mst_error *error) {
    copier *c = user;
    c->wrong = c->wrong || block->first != c->next || block->count == 0 || block->count > c->prepared;
    c->next = block->first + block->count;
    if (c->blocks++ == c->fail_at)
        return mst_fail(error, MST_ERROR_FORMAT, "block %d was not to be computed", c->fail_at);
    if (c->truncate >= 0 && c->blocks == 2 && ftruncate(c->truncate, 100) != 0)
        return mst_fail(error, MST_ERROR_IO, "cannot truncate");
    cl_int code =
        clEnqueueCopyBuffer(block->queue->opencl, block->ports[0].buffer, block->ports[1].buffer, byte_of(&block->ports[0], 0),
                            byte_of(&block->ports[1], 0), block->count * WIDTH * sizeof(float), 0, NULL, NULL);
    for (size_t i = 0; i < block->count && code == CL_SUCCESS; i++)
        code = clEnqueueCopyBuffer(block->queue->opencl, block->ports[2].buffer, block->ports[1].buffer,
                                   (size_t)block->ports[2].base * sizeof(float), byte_of(&block->ports[1], i), 4 * sizeof(float),
                                   0, NULL, NULL);
    return code == CL_SUCCESS ? MST_OK : mst_fail_opencl(error, code, "cannot copy");
}

typedef struct trial {
    copier c;
    mst_context *context;
    mst_stream *stream;
    test_array x, z, fixed;
    test_placed at[3];
    mst_location where[3];
} trial;

static void begin(trial *t, const mst_place places[3], uint64_t device_memory) {
    mst_error e;
    mst_context_desc wanted = MST_CONTEXT_DESC_INIT;
    size_t shape[] = {ITEMS, WIDTH}, four = 4;
    const mst_layout x = mst_layout_dense(MST_FLOAT32, 2, shape), fixed = mst_layout_dense(MST_FLOAT32, 1, &four);
    no_faults();
    memset(t, 0, sizeof *t);
    wanted.device_memory = device_memory;
    t->context = test_context(&wanted);
    t->c = (copier){.context = t->context, .fail_at = -1, .truncate = -1};
    t->x = test_array_random(&x), t->z = test_array_new(&x), t->fixed = test_array_random(&fixed);
    test_array *const arrays[] = {&t->x, &t->z, &t->fixed};
    for (int p = 0; p < 3; p++) {
        t->at[p] = test_place(t->context, places[p], arrays[p]);
        t->where[p] = t->at[p].at;
    }
    const mst_stream_desc desc = {
        .context = t->context,
        .n_items = ITEMS,
        .n_ports = 3,
        .ports = {{MST_PORT_INPUT, x, 1, "x"}, {MST_PORT_OUTPUT, x, 1, "z"}, {MST_PORT_FIXED, fixed, 0, "k"}},
        .prepare = prepare,
        .compute = compute,
        .user = &t->c};
    OK(mst_stream_create(&desc, &t->stream, &e));
}

static void release(trial *t) {
    mst_stream_destroy(t->stream);
    CHECK(mst_context_device_memory_used(t->context) == 0, "the stream kept device memory");
    CHECK(mst_budget_left(t->context, &t->context->host_memory) == t->context->host_memory.limit, "the stream kept host memory");
    mst_context_destroy(t->context);
    test_array_free(&t->x);
    test_array_free(&t->z);
    test_array_free(&t->fixed);
}

// The inputs must be intact; with `whole`, the result right.
static void end(trial *t, bool whole) {
    no_faults();
    test_collect_input(&t->at[0], &t->x);
    test_collect_input(&t->at[2], &t->fixed);
    test_collect_output(&t->at[1], &t->z);
    for (size_t i = 0; i < t->x.elements && whole; i++) {
        test_wide expected = i % WIDTH < 4 ? test_array_get(&t->fixed, i % WIDTH) : test_array_get(&t->x, i);
        CHECK(test_array_get(&t->z, i) == expected, "value %zu of item %zu is wrong", i % WIDTH, i / WIDTH);
    }
    release(t);
}

static const mst_place all_places[] = {MST_PLACE_HOST, MST_PLACE_DEVICE, MST_PLACE_FILE};
static const mst_place files[3] = {MST_PLACE_FILE, MST_PLACE_FILE, MST_PLACE_FILE};

static void every_mix_of_places(void **state) {
    (void)state;
    for (int p = 0; p < 54; p++) {
        const mst_place places[3] = {all_places[p % 3], all_places[p / 3 % 3], all_places[p / 9 % 3]};
        mst_error e;
        trial t;
        begin(&t, places, p < 27 ? 0 : 100000);
        fault.short_counts = fault.interrupted = p % 2;
        for (int twice = 0; twice < 2; twice++) {
            t.c.next = 0, t.c.blocks = 0;
            OK(mst_stream_run(t.context, t.stream, t.where, NULL, &e));
            CHECK(!t.c.wrong && t.c.next == ITEMS, "blocks came out of order");
        }
        bool staged = places[0] != MST_PLACE_DEVICE || places[1] != MST_PLACE_DEVICE;
        CHECK(p < 27 || !staged || t.c.blocks > 1, "%d blocks", t.c.blocks);
        end(&t, true);
    }
}

static void failing_compute(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        mst_error e;
        trial t;
        begin(&t, files, 100000);
        t.c.fail_at = k;
        REFUSED(MST_ERROR_FORMAT, "was not to be computed", mst_stream_run(t.context, t.stream, t.where, NULL, &e));
        assert_int_equal(t.c.blocks, k + 1); // none after the failure
        t.c.fail_at = -1, t.c.next = 0;
        OK(mst_stream_run(t.context, t.stream, t.where, NULL, &e)); // and the stream still works
        end(&t, true);
    }
}

static void failing_prepare(void **state) {
    (void)state;
    mst_error e;
    trial t;
    begin(&t, files, 0);
    t.c.fail_prepare = true;
    REFUSED(MST_ERROR_DEVICE_MEMORY, "prepare", mst_stream_run(t.context, t.stream, t.where, NULL, &e));
    assert_int_equal(t.c.blocks, 0);
    t.c.fail_prepare = false;
    OK(mst_stream_run(t.context, t.stream, t.where, NULL, &e));
    end(&t, true);
}

static void failing_files(void **state) {
    (void)state;
    static const int codes[] = {EIO, ENOSPC};
    for (int k = 0; k < 12; k++) {
        mst_error e;
        trial t;
        begin(&t, files, 100000);
        *(k % 2 ? &fault.fail_reads_after : &fault.fail_writes_after) = k / 2;
        fault.code = codes[k % 2 ? 0 : 1];
        REFUSED(MST_ERROR_IO, strerror(fault.code), mst_stream_run(t.context, t.stream, t.where, NULL, &e));
        CHECK(strstr(e.message, k % 2 ? "read" : "write"), "'%s' does not say what failed", e.message);
        end(&t, false);
    }
}

static void file_truncated_under_way(void **state) {
    (void)state;
    mst_error e;
    trial t;
    begin(&t, files, 100000);
    t.c.truncate = t.where[0].file;
    REFUSED(MST_ERROR_IO, "x", mst_stream_run(t.context, t.stream, t.where, NULL, &e));
    CHECK(strstr(e.message, "ends"), "'%s' does not say that the file is short", e.message);
    test_collect_output(&t.at[1], &t.z); // what was written is in its place
    test_collect_input(&t.at[2], &t.fixed);
    close(t.at[0].at.file);
    release(&t);
}

static bool stop_at_third(uint64_t done, uint64_t total, void *user) {
    int *calls = user;
    (void)done, (void)total;
    return ++*calls < 3;
}

static void cancelled(void **state) {
    (void)state;
    for (int p = 0; p < 3; p++) {
        const mst_place places[3] = {all_places[p], all_places[p], all_places[p]};
        int calls = 0;
        mst_error e;
        trial t;
        mst_execution how = MST_EXECUTION_INIT;
        how.progress = stop_at_third, how.progress_user = &calls;
        begin(&t, places, 100000);
        mst_status status = mst_stream_run(t.context, t.stream, t.where, &how, &e);
        CHECK(status == MST_ERROR_CANCELLED || (places[0] == MST_PLACE_DEVICE && calls < 3), "%s after %d calls",
              mst_status_name(status), calls);
        assert_true(calls <= 3);
        end(&t, false);
    }
}

static mst_status prepare_nothing(void *user, size_t n_items, mst_error *error) {
    (void)user, (void)n_items, (void)error;
    return MST_OK;
}

static int no_pieces(const void *user, mst_panel_view view, int port, size_t item, mst_panel_piece *pieces) {
    (void)user, (void)view, (void)port, (void)item, (void)pieces;
    return 0;
}

// Slots are for the run with the most panels, which need not be the first.
static void slots_for_all_runs(void **state) {
    const size_t n = 64;
    float array[64];
    for (size_t most = 0; most < 9; most++) {
        mst_error e;
        mst_ring ring = {.configured = false};
        const mst_location where = mst_at_host(array);
        const mst_stream_desc desc = {.context = *state,
                                      .n_items = 1,
                                      .most_items = most,
                                      .n_ports = 1,
                                      .ports = {{MST_PORT_INPUT, mst_layout_dense(MST_FLOAT32, 1, &n), 0, "array"}},
                                      .panel = no_pieces,
                                      .panel_bytes = {sizeof array},
                                      .prepare = prepare_nothing};
        OK(mst_ring_configure(&ring, &desc, &where, &e));
        assert_int_equal(ring.n_slots, most < 1 ? 1 : most < MST_RING_SLOTS ? (int)most : MST_RING_SLOTS);
        mst_ring_release(&ring, *state);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_for_all_runs), cmocka_unit_test(copy_threads),
        cmocka_unit_test(transfers),          cmocka_unit_test(every_mix_of_places),
        cmocka_unit_test(failing_compute),    cmocka_unit_test(failing_prepare),
        cmocka_unit_test(failing_files),      cmocka_unit_test(file_truncated_under_way),
        cmocka_unit_test(cancelled),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
