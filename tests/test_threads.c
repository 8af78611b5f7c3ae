// Threads: contexts made at once as the first calls of a process, plans made and executed at once on one context, one plan
// executed by several threads, and calls from a plan's own progress function. The campaigns threads and soak do the same for
// long.
#include "support.h"
#include "support_jobs.h"

#include <math.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_THREADS = 4 };

// Runs `body` in N_THREADS threads, which begin together, on one array of workers.
typedef struct worker {
    pthread_barrier_t *begin;
    mst_context *context;
    const job *job; // that all of them share
    int number, kind;
    bool good;
    mst_error why;
} worker;

static void run_threads(worker workers[N_THREADS], void *(*body)(void *)) {
    pthread_t threads[N_THREADS];
    pthread_barrier_t begin;
    assert_int_equal(pthread_barrier_init(&begin, NULL, N_THREADS), 0);
    for (int t = 0; t < N_THREADS; t++) {
        workers[t].begin = &begin;
        workers[t].number = t;
        assert_int_equal(pthread_create(&threads[t], NULL, body, &workers[t]), 0);
    }
    for (int t = 0; t < N_THREADS; t++)
        pthread_join(threads[t], NULL);
    pthread_barrier_destroy(&begin);
}

static void check_all(const worker workers[N_THREADS], const char *what) {
    for (int t = 0; t < N_THREADS; t++)
        CHECK(workers[t].good, "%s, thread %d: %s", what, t, workers[t].why.message);
}

static void *make_context(void *argument) {
    worker *w = argument;
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.device = getenv("MASTABA_TEST_DEVICE");
    desc.no_cache = true;
    pthread_barrier_wait(w->begin);
    w->good = mst_context_create(&desc, &w->context, &w->why) == MST_OK;
    mst_context_destroy(w->context);
    return NULL;
}

// Of a process that has not called OpenCL yet: what this program does when it is called with an argument.
static int make_first_contexts(void) {
    worker workers[N_THREADS] = {{.good = false}};
    run_threads(workers, make_context);
    for (int t = 0; t < N_THREADS; t++)
        if (!workers[t].good)
            return 1;
    return 0;
}

static void test_first_contexts(void **state) {
    (void)state;
    for (int k = 0; k < 5; k++) {
        int ended = -1;
        pid_t child = fork();
        if (child == 0) {
            execl("/proc/self/exe", "threads", "first contexts", (char *)NULL);
            _exit(2);
        }
        assert_int_equal(waitpid(child, &ended, 0), child);
        CHECK(WIFEXITED(ended) && WEXITSTATUS(ended) == 0, "%d threads made the first contexts: wait status %d", N_THREADS,
              ended);
    }
}

static void *make_and_run(void *argument) {
    worker *w = argument;
    w->good = true;
    pthread_barrier_wait(w->begin);
    for (int k = 0; k < N_JOBS && w->good; k++) {
        job *j = NULL;
        w->kind = (k + 3 * w->number) % N_JOBS;
        w->good = job_new(w->context, w->kind, &j, &w->why);
        for (uint64_t i = 0; i < 6 && w->good; i++)
            w->good = job_run(j, 100 * (uint64_t)w->number + i, &w->why);
        job_free(j);
    }
    return NULL;
}

static void test_one_context(void **state) {
    worker workers[N_THREADS];
    memset(workers, 0, sizeof workers);
    for (int t = 0; t < N_THREADS; t++)
        workers[t].context = *state;
    run_threads(workers, make_and_run);
    for (int t = 0; t < N_THREADS; t++)
        CHECK(workers[t].good, "%s, thread %d: %s", job_name(workers[t].kind), t, workers[t].why.message);
}

static void *run_shared(void *argument) {
    worker *w = argument;
    w->good = true;
    pthread_barrier_wait(w->begin);
    for (uint64_t i = 0; i < 20 && w->good; i++)
        w->good = job_run(w->job, 100 * (uint64_t)w->number + i, &w->why);
    return NULL;
}

static void test_one_plan(void **state) {
    for (int kind = 0; kind < N_JOBS; kind++) {
        worker workers[N_THREADS] = {{.good = false}};
        mst_error e;
        job *j;
        if (job_is_solver(kind))
            continue;
        CHECK(job_new(*state, kind, &j, &e), "%s: %s", job_name(kind), e.message);
        for (int t = 0; t < N_THREADS; t++)
            workers[t].job = j;
        run_threads(workers, run_shared);
        check_all(workers, job_name(kind));
        job_free(j);
    }
}

static void *run_steps(void *argument) {
    worker *w = argument;
    float u[JOB_NODES];
    mst_stencil *solver = job_solver(w->job);
    pthread_barrier_wait(w->begin);
    w->good = true;
    for (unsigned i = 0; i < 10 && w->good; i++) {
        uint64_t before = mst_stencil_step(solver);
        w->good = mst_stencil_run(solver, i % 3, NULL, NULL, &w->why) == MST_OK &&
                  mst_stencil_read(solver, "u", 0, NULL, mst_at_host(u), &w->why) == MST_OK &&
                  mst_stencil_step(solver) >= before + i % 3;
    }
    return NULL;
}

// The state is that of all the steps together, in whatever order the threads had their turns.
static void test_one_solver(void **state) {
    for (int kind = JOB_SOLVER; kind <= JOB_SLABS; kind++) {
        enum { STEPS = N_THREADS * (0 + 1 + 2 + 0 + 1 + 2 + 0 + 1 + 2 + 0) };
        worker workers[N_THREADS] = {{.good = false}};
        mst_error e;
        job *j;
        double u[JOB_NODES];
        float got[JOB_NODES];
        CHECK(job_new(*state, kind, &j, &e), "%s: %s", job_name(kind), e.message);
        job_first_state(7, u);
        for (int i = 0; i < JOB_NODES; i++)
            got[i] = (float)u[i];
        OK(mst_stencil_write(job_solver(j), "u", 0, mst_at_host(got), &e));
        for (int t = 0; t < N_THREADS; t++)
            workers[t].job = j;
        run_threads(workers, run_steps);
        check_all(workers, job_name(kind));
        assert_int_equal(mst_stencil_step(job_solver(j)), STEPS);
        OK(mst_stencil_read(job_solver(j), "u", 0, NULL, mst_at_host(got), &e));
        job_step(u, STEPS);
        for (int i = 0; i < JOB_NODES; i++)
            CHECK(fabs(u[i] - (double)got[i]) < 1e-5, "node %d is %g, not %g", i, (double)got[i], u[i]);
        job_free(j);
    }
}

// Executes its own plan from within.
typedef struct nested {
    mst_map *map;
    mst_stencil *solver;
    float data[8];
    mst_status status;
    uint64_t step;
    mst_error why;
} nested;

static bool execute_again(uint64_t done, uint64_t total, void *user) {
    nested *n = user;
    (void)done, (void)total;
    const mst_location at = mst_at_host(n->data);
    if (n->map)
        n->status = mst_map_execute(n->map, &at, at, NULL, &n->why);
    else
        n->status = mst_stencil_run(n->solver, 1, NULL, NULL, &n->why);
    n->step = n->solver ? mst_stencil_step(n->solver) : 0;
    return true;
}

static void test_own_progress(void **state) {
    mst_error e;
    nested n = {.data = {1, 2, 3}};
    const mst_map_input input = {"a", mst_layout_dense(MST_FLOAT32, 1, (const size_t[]){8})};
    const mst_location at = mst_at_host(n.data);
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    job *j;
    how.progress = execute_again;
    how.progress_user = &n;
    desc.expression = "a + 1";
    desc.inputs = &input;
    desc.n_inputs = 1;
    OK(mst_map_create(*state, &desc, &n.map, &e));
    OK(mst_map_execute(n.map, &at, at, &how, &e));
    assert_int_equal(n.status, MST_ERROR_ARGUMENT);
    assert_non_null(strstr(n.why.message, "progress function"));
    OK(mst_map_execute(n.map, &at, at, NULL, &e)); // the turn was given back
    assert_true(n.data[0] == 3 && n.data[7] == 2);
    mst_map_destroy(n.map);
    n.map = NULL;
    CHECK(job_new(*state, JOB_SLABS, &j, &e), "%s", e.message);
    n.solver = job_solver(j);
    n.status = MST_OK;
    OK(mst_stencil_run(n.solver, 3, &how, NULL, &e));
    assert_int_equal(n.status, MST_ERROR_ARGUMENT);
    assert_int_equal(mst_stencil_step(n.solver), 3);
    job_free(j);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_contexts), cmocka_unit_test(test_one_context),  cmocka_unit_test(test_one_plan),
        cmocka_unit_test(test_one_solver),     cmocka_unit_test(test_own_progress),
    };
    (void)argv;
    if (argc > 1)
        return make_first_contexts();
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
