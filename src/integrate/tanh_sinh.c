// The tanh-sinh rule, breadth-first over levels: each level is one kernel for all integrals, after which the number of those
// still running is read back.
#include "buffers.h"
#include "integrand.h"

#include "runtime/numbers.h"

#include <math.h>
#include <stdlib.h>

enum {
    FIRST_LEVEL = 2, // h = 1/4 with the coarser ones in it
    LAST_LEVEL = 9,
    N_LEVELS = LAST_LEVEL - FIRST_LEVEL + 1,
    MOST_NODES = 1 << 13,
    PADDING = 16, // a level begins at a multiple of the widest vector
    PARTS = 12,   // as tanh_sinh.cl has them
    SUMS = PARTS + 5,
    RUNNING = 4,
    MOST_SETS = 1 << 18,
    GPU_GROUP = 32,
    FARTHEST_CELL = 3 // t, from which on nodes are closer to an end than rounding of x
};

typedef struct tanh_sinh {
    mst_kernel *kernel, *hidden; // hidden: of integrands that may jump
    size_t group;
    cl_uint first[N_LEVELS], count[N_LEVELS], last_node, far_nodes[2];
    mst_integral_buffer distances, weights, rows, cuts, sums, state, running;
} tanh_sinh;

// h, between the nodes of a level and those before it, in t.
static double node_distance(int level) { return ldexp(1.0, -(FIRST_LEVEL + level)); }

// With t = j h >= 0: d = 1 / (1 + exp(pi sinh t)), weight = pi cosh t d (1 - d); half of it at t = 0, which both sides have.
// *last_node becomes that of the largest t.
// far_nodes: the first ones beyond the distances where the integrand of an infinite range shows how it falls.
static cl_uint fill_tables(const mst_integral *plan, tanh_sinh *s, double *distances, double *weights, cl_uint *last_node,
                           cl_uint *far_nodes) {
    const double far_distances[] = {plan->is_double ? 1e-80 : 1e-10, plan->is_double ? 1e-120 : 1e-14};
    const long double pi = 3.14159265358979323846264338327950288L;
    const double most = asinh((plan->is_double ? 690.0 : 82.0) / (double)pi); // d is still a normal number there
    cl_uint n = 0;
    for (int level = 0; level < N_LEVELS; level++) {
        double h = node_distance(level);
        s->first[level] = n;
        for (int j = level == 0 ? 0 : 1; j * h <= most; j += level == 0 ? 1 : 2) {
            long double t = (long double)(j * h), d = 1 / (1 + expl(pi * sinhl(t)));
            if (level == 0)
                *last_node = n;
            for (int k = 0; k < 2; k++)
                far_nodes[k] = level == 0 && d >= (long double)far_distances[k] ? n + 1 : far_nodes[k];
            distances[n] = (double)d;
            weights[n++] = (double)((j == 0 ? 0.5L : 1.0L) * pi * coshl(t) * d * (1 - d));
        }
        s->count[level] = n - s->first[level];
        for (; n % PADDING; n++) {
            distances[n] = 0.5;
            weights[n] = 0;
        }
    }
    return n;
}

static mst_status make_tables(mst_integral *plan, tanh_sinh *s, mst_error *error) {
    mst_status status = MST_OK;
    double *distances = malloc(MOST_NODES * sizeof *distances), *weights = malloc(MOST_NODES * sizeof *weights);
    MST_REQUIRE(distances && weights, MST_ERROR_HOST_MEMORY, "out of memory for the nodes");
    cl_uint n = fill_tables(plan, s, distances, weights, &s->last_node, s->far_nodes);
    MST_TRY(mst_integral_upload(plan, &s->distances, distances, n, "the nodes", error));
    MST_TRY(mst_integral_upload(plan, &s->weights, weights, n, "the weights", error));
fail:
    free(distances);
    free(weights);
    return status;
}

static mst_status build(mst_integral *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_program *program;
    mst_text text = {0};
    tanh_sinh *s = plan->work;
    mst_kernel *made = NULL, *hidden = NULL;
    mst_text_add(&text, "#define LAST_NODE %u\n#define NEARER %u\n#define FARTHER %u\n", s->last_node, s->far_nodes[0],
                 s->far_nodes[1]);
    MST_TRY(mst_integrand_build(plan, &text, "tanh_sinh.cl", &program, error));
    MST_TRY(mst_kernel_create(program, "add_level", &made, error));
    s->group = mst_integral_group(plan, made, plan->choice.group);
    if (plan->may_jump)
        MST_TRY(mst_integral_build_hidden(plan, "hidden_tanh_sinh.cl", &hidden, error));
    mst_kernel_replace(&s->kernel, &made);
    mst_kernel_replace(&s->hidden, &hidden);
fail:
    mst_kernel_destroy(made);
    mst_kernel_destroy(hidden);
    mst_text_release(&text);
    return status;
}

static mst_status create(mst_integral *plan, mst_error *error) {
    mst_status status = MST_OK;
    tanh_sinh *s = plan->work = calloc(1, sizeof *s);
    MST_REQUIRE(s, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    MST_TRY(make_tables(plan, s, error));
    MST_TRY(build(plan, error));
fail:
    return status;
}

static void destroy(mst_integral *plan) {
    tanh_sinh *s = plan->work;
    mst_integral_buffer *buffers[] = {&s->distances, &s->weights, &s->rows, &s->cuts, &s->sums, &s->state, &s->running};
    mst_kernel_destroy(s->kernel);
    mst_kernel_destroy(s->hidden);
    for (size_t k = 0; k < MST_COUNT(buffers); k++)
        mst_integral_release(plan, buffers[k]);
    free(s);
}

// Looks for what integrals hide that this level has brought to an end.
static mst_status look_behind(mst_integral *plan, cl_uint n_sets, int level, mst_error *error) {
    tanh_sinh *s = plan->work;
    const mst_integral_desc *d = &plan->desc;
    const double h = node_distance(level);
    cl_uint cells = (cl_uint)(FARTHEST_CELL / h), evaluations = 0;
    for (int k = 0; k <= level; k++)
        evaluations += 2 * s->count[k];
    const mst_argument arguments[] = {MST_BIND(n_sets, n_sets),
                                      MST_BIND(cells, cells),
                                      MST_BIND(h, h),
                                      MST_BIND(evaluations, evaluations),
                                      MST_BIND(relative, d->relative_tolerance),
                                      MST_BIND(absolute, d->absolute_tolerance),
                                      MST_BIND(rows, s->rows.memory),
                                      MST_BIND(code, plan->code.memory),
                                      MST_BIND(cuts, s->cuts.memory),
                                      MST_BIND(sums, s->sums.memory),
                                      MST_BIND(state, s->state.memory),
                                      MST_BIND(running, s->running.memory)};
    return mst_kernel_launch(&plan->queue, s->hidden, arguments, MST_COUNT(arguments), n_sets,
                             mst_integral_hidden_group(plan, s->hidden, n_sets), NULL, error);
}

static mst_status run_level(mst_integral *plan, cl_uint n_sets, int level, cl_uint *running, mst_error *error) {
    mst_status status = MST_OK;
    tanh_sinh *s = plan->work;
    const mst_integral_desc *d = &plan->desc;
    double h = node_distance(level);
    size_t bytes = mst_integral_number_bytes(plan);
    cl_uint sets_a_group = mst_integral_sets_a_group(plan, n_sets);
    cl_uint number = (cl_uint)level, infinite = plan->kinds[0] != MST_RANGE_FINITE;
    const mst_argument arguments[] = {MST_BIND(n_sets, n_sets),
                                      MST_BIND(sets_a_group, sets_a_group),
                                      MST_BIND(first, s->first[level]),
                                      MST_BIND(count, s->count[level]),
                                      MST_BIND(h, h),
                                      MST_BIND(level, number),
                                      MST_BIND(infinite, infinite),
                                      MST_BIND(relative, d->relative_tolerance),
                                      MST_BIND(absolute, d->absolute_tolerance),
                                      MST_BIND(distances, s->distances.memory),
                                      MST_BIND(weights, s->weights.memory),
                                      MST_BIND(rows, s->rows.memory),
                                      MST_BIND(code, plan->code.memory),
                                      MST_BIND(cuts, s->cuts.memory),
                                      MST_BIND(sums, s->sums.memory),
                                      MST_BIND(state, s->state.memory),
                                      MST_BIND(running, s->running.memory),
                                      MST_BIND_LOCAL(scratch, PARTS * s->group * bytes)};
    MST_TRY(mst_queue_fill(&plan->queue, s->running.memory, 0, sizeof(cl_uint), "a counter", error));
    MST_TRY(mst_kernel_launch(&plan->queue, s->kernel, arguments, MST_COUNT(arguments),
                              mst_divide_up(n_sets, sets_a_group) * s->group, s->group, NULL, error));
    if (s->hidden)
        MST_TRY(look_behind(plan, n_sets, level, error));
    MST_TRY(mst_integral_download_counts(plan, s->running.memory, 0, running, 1, error));
fail:
    return status;
}

// The first level is always computed, further ones only while an integral may take so many evaluations.
static bool level_fits(const mst_integral *plan, int level) {
    const tanh_sinh *s = plan->work;
    return level == 0 || 2 * ((uint64_t)s->first[level] + s->count[level]) <= plan->desc.max_evaluations;
}

static mst_status collect(mst_integral *plan, size_t n, mst_integral_result *results, mst_error *error) {
    mst_status status = MST_OK;
    tanh_sinh *s = plan->work;
    double *sums = malloc(n * SUMS * sizeof *sums);
    cl_uint *state = malloc(n * 2 * sizeof *state);
    MST_REQUIRE(sums && state, MST_ERROR_HOST_MEMORY, "out of memory for %zu integrals", n);
    MST_TRY(mst_integral_download(plan, s->sums.memory, 0, sums, SUMS * n, error));
    MST_TRY(mst_integral_download_counts(plan, s->state.memory, 0, state, 2 * n, error));
    for (size_t i = 0; i < n; i++) {
        const double value = sums[SUMS * i + PARTS], estimate = sums[SUMS * i + PARTS + 1];
        mst_integral_status why = state[2 * i] == RUNNING ? MST_INTEGRAL_BUDGET : (mst_integral_status)state[2 * i];
        why = estimate == 0 ? MST_INTEGRAL_CONVERGED : why; // no budget to look further
        results[i] = (mst_integral_result){value, estimate, state[2 * i + 1], why};
    }
fail:
    free(sums);
    free(state);
    return status;
}

static mst_status run(mst_integral *plan, const mst_integral_call *call, mst_error *error) {
    mst_status status = MST_OK;
    tanh_sinh *s = plan->work;
    size_t n_row = (size_t)plan->n_row, bytes = mst_integral_number_bytes(plan);
    for (size_t first = 0; first < call->n_sets; first += MOST_SETS) {
        size_t count = call->n_sets - first < MOST_SETS ? call->n_sets - first : MOST_SETS;
        cl_uint running = 1;
        MST_TRY(mst_integral_upload(plan, &s->rows, call->rows + first * n_row, count * n_row, "parameters", error));
        MST_TRY(mst_integral_upload_pairs(plan, &s->cuts, call->cuts + 2 * first, 2 * count, "bounds", error));
        MST_TRY(mst_integral_reserve(plan, &s->sums, count * SUMS * bytes, "integrals", error));
        MST_TRY(mst_integral_reserve(plan, &s->state, count * 2 * sizeof(cl_uint), "integrals", error));
        MST_TRY(mst_integral_reserve(plan, &s->running, sizeof(cl_uint), "a counter", error));
        for (int level = 0; level < N_LEVELS && running > 0 && level_fits(plan, level); level++) {
            MST_TRY(mst_integral_progress(call, first, error));
            MST_TRY(mst_integral_expect(plan, 2 * (uint64_t)s->count[level] * count, error));
            MST_TRY(run_level(plan, (cl_uint)count, level, &running, error));
        }
        MST_TRY(collect(plan, count, call->results + first, error));
    }
fail:
    return status;
}

const mst_integral_method mst_integral_tanh_sinh = {true, GPU_GROUP, 1, 1, create, build, run, destroy, NULL};
