// Blocks of several devices: the thread of each is told within a block that all has stopped, and only the caller's asks the
// caller.
#include "support.h"

#include "stream/stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { ITEMS = 37, WIDTH = 3000, MOST_WAITS = 20000 }; // of a millisecond

typedef enum ending { WHOLE, CANCELLED, FAILED } ending;

// Of a run on the caller's device, 0, and a further one, 1.
typedef struct meeting {
    ending ends;
    pthread_t caller;
    atomic_bool inside; // the further device's first block has begun, or where that is to fail, the caller's
    atomic_bool told;   // that all has stopped: a device which waits for it in a block
    atomic_int blocks[2], unwatched, asked_elsewhere;
} meeting;

typedef struct part {
    meeting *all;
    int device;
    mst_stream *stream;
} part;

static mst_status prepare(void *user, size_t n_items, mst_error *error) {
    (void)user, (void)n_items, (void)error;
    return MST_OK;
}

static void wait_to_be_told(meeting *m, const mst_stream_watch *watch) {
    m->inside = true;
    for (int k = 0; watch && !m->told && k < MOST_WAITS; k++) {
        m->told = !watch->goes_on(watch->user);
        usleep(1000);
    }
}

static mst_status compute(void *user, const mst_block *block, mst_error *error) {
    const part *p = user;
    meeting *m = p->all;
    m->blocks[p->device]++;
    m->unwatched += !block->watch;
    if (p->device == (m->ends == CANCELLED ? 1 : 0) && m->ends != WHOLE) {
        wait_to_be_told(m, block->watch);
        return mst_fail(error, MST_ERROR_CANCELLED, "cancelled");
    }
    if (m->ends == WHOLE && p->device == 1)
        m->inside = true;
    for (int k = 0; !m->inside && k < MOST_WAITS; k++)
        usleep(1000);
    if (m->ends == FAILED)
        return mst_fail(error, MST_ERROR_FORMAT, "the further device");
    if (m->ends == WHOLE && block->watch && !block->watch->goes_on(block->watch->user))
        return mst_fail(error, MST_ERROR_CANCELLED, "a run that goes on");
    const cl_int code = clEnqueueCopyBuffer(block->queue->opencl, block->ports[0].buffer, block->ports[1].buffer, 0, 0,
                                            block->count * WIDTH * sizeof(float), 0, NULL, NULL);
    return code == CL_SUCCESS ? MST_OK : mst_fail_opencl(error, code, "cannot copy");
}

static bool progress(uint64_t done, uint64_t total, void *user) {
    meeting *m = user;
    (void)done, (void)total;
    m->asked_elsewhere += !pthread_equal(pthread_self(), m->caller);
    return m->ends != CANCELLED || !m->inside;
}

static mst_status make(mst_context *context, const void *user, void **plan, mst_error *error) {
    const size_t shape[] = {ITEMS, WIDTH};
    const mst_layout x = mst_layout_dense(MST_FLOAT32, 2, shape);
    part *p = malloc(sizeof *p);
    assert_non_null(p);
    *p = *(const part *)user;
    const mst_stream_desc desc = {.context = context,
                                  .n_items = ITEMS,
                                  .n_ports = 2,
                                  .ports = {{MST_PORT_INPUT, x, 1, "x"}, {MST_PORT_OUTPUT, x, 1, "z"}},
                                  .prepare = prepare,
                                  .compute = compute,
                                  .user = p};
    *plan = p;
    return mst_stream_create(&desc, &p->stream, error);
}

static void destroy(void *plan) {
    mst_stream_destroy(((part *)plan)->stream);
    free(plan);
}

static mst_stream *stream_of(void *plan) { return ((part *)plan)->stream; }

static void whom_blocks_ask(void **state) {
    static const mst_share_kind kind = {{make, destroy}, stream_of};
    static const mst_status wanted[] = {[WHOLE] = MST_OK, [CANCELLED] = MST_ERROR_CANCELLED, [FAILED] = MST_ERROR_FORMAT};
    static float x[ITEMS * WIDTH], z[ITEMS * WIDTH];
    mst_context_desc in_parts = MST_CONTEXT_DESC_INIT;
    in_parts.device = test_in_parts(*state, 2), in_parts.device_memory = 100000;
    mst_context *two = test_context(&in_parts);
    const mst_location where[] = {mst_at_host(x), mst_at_host(z)};
    for (size_t i = 0; i < ITEMS * WIDTH; i++)
        x[i] = (float)i;
    for (ending ends = WHOLE; ends <= FAILED; ends++) {
        mst_error e;
        void *lead = NULL;
        meeting m = {.ends = ends, .caller = pthread_self()};
        const part first = {&m, 0, NULL}, second = {&m, 1, NULL};
        mst_execution how = MST_EXECUTION_INIT;
        how.progress = progress, how.progress_user = &m;
        memset(z, 0xff, sizeof z);
        OK(make(two, &first, &lead, &e));
        OK(mst_stream_share(stream_of(lead), &kind, &second, &e));
        mst_status status = mst_stream_run(two, stream_of(lead), where, &how, &e);
        CHECK(status == wanted[ends], "case %d: %s (%s)", ends, mst_status_name(status), e.message);
        CHECK(m.blocks[0] > 0 && m.blocks[1] > 0, "case %d: %d and %d blocks", ends, m.blocks[0], m.blocks[1]);
        CHECK(m.unwatched == 0 && m.asked_elsewhere == 0,
              "case %d: %d blocks with nobody to ask, the caller asked %d times elsewhere", ends, m.unwatched, m.asked_elsewhere);
        CHECK(m.told == (ends != WHOLE), "case %d: a block was%s told to stop", ends, m.told ? "" : " not");
        assert_true(ends != WHOLE || memcmp(x, z, sizeof x) == 0);
        destroy(lead);
    }
    mst_context_destroy(two);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(whom_blocks_ask)};
    setenv("POCL_MAX_PTHREAD_COUNT", "4", 1); // whatever the machine has
    return cmocka_run_group_tests(tests, test_setup_on_cpu, test_teardown);
}
