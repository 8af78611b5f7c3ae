// Adaptive integration, breadth-first: each round runs kernels over all regions of all integrals (regions.cl) and reads a few
// numbers back. The rule is Kronrod's with one variable, Genz and Malik's with 2 to 7.
#include "regions.h"
#include "buffers.h"
#include "integrand.h"
#include "nodes.h"

#include "runtime/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GPU_EVALUATE_GROUP = 128,
    GPU_SET_GROUP = 64,     // work-items for the regions of one integral where there are many integrals,
    GPU_SINGLE_GROUP = 256, // and where there are few, which have many regions
    GPU_PLACE_GROUP = 256,
    MOST_FIRST_REGIONS = 1 << 20,
    MOST_REGIONS = 1 << 30,
    LEAST_LOOK = 64,              // regions of an integral that seems to be 0 all over,
    LEAST_LOOK_SEVERAL = 1 << 14, // with several variables, where
    MOST_LOOKS = 1 << 18,         // all of a call have so many at most, unless 64 each are more
    REGION_BYTES = 128            // of a region with one variable, about, before a round and after it
};

static mst_status build_program(mst_integral *plan, const mst_program **out, mst_error *error) {
    static const char *const files[] = {"marks.cl", "regions.cl", "judge.cl", "compare.cl"};
    static const char *const of_one[] = {"locate.cl", "kronrod_ends.cl"};
    mst_status status = MST_OK;
    mst_text text = {0};
    const mst_regions *r = plan->work;
    mst_text_put(&text, "#define N_POINTS $points\n", MST_SET(points, r->n_points));
    if (plan->desc.n_variables == 1)
        mst_integral_write_kronrod(plan, &text);
    else
        mst_integral_write_genz_malik(plan, r->n_points, &text);
    MST_TRY(mst_program_add_files(plan->context, files, MST_COUNT(files), &text, error));
    if (plan->desc.n_variables == 1)
        MST_TRY(mst_program_add_files(plan->context, of_one, MST_COUNT(of_one), &text, error));
    MST_TRY(mst_integrand_build(plan, &text, plan->desc.n_variables == 1 ? "kronrod.cl" : "genz_malik.cl", out, error));
fail:
    mst_text_release(&text);
    return status;
}

static void destroy_kernels(mst_regions_kernels *k) {
    mst_kernel *all[] = {k->begin, k->evaluate, k->compare, k->judge, k->tally, k->place, k->split, k->locate, k->hidden};
    for (size_t i = 0; i < MST_COUNT(all); i++)
        mst_kernel_destroy(all[i]);
    *k = (mst_regions_kernels){0};
}

static mst_status build(mst_integral *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_program *program;
    mst_regions *r = plan->work;
    mst_regions_kernels made = {0}, before = r->kernels;
    size_t set_group = plan->desc.n_variables == 1 ? GPU_SET_GROUP : GPU_SINGLE_GROUP;
    MST_TRY(build_program(plan, &program, error));
    MST_TRY(mst_kernel_create(program, "begin", &made.begin, error));
    MST_TRY(mst_kernel_create(program, "evaluate", &made.evaluate, error));
    MST_TRY(mst_kernel_create(program, "compare", &made.compare, error));
    MST_TRY(mst_kernel_create(program, "judge", &made.judge, error));
    MST_TRY(mst_kernel_create(program, "tally", &made.tally, error));
    MST_TRY(mst_kernel_create(program, "place", &made.place, error));
    MST_TRY(mst_kernel_create(program, "split", &made.split, error));
    if (plan->desc.n_variables == 1)
        MST_TRY(mst_kernel_create(program, "locate", &made.locate, error));
    if (plan->may_jump)
        MST_TRY(mst_integral_build_hidden(plan, "hidden.cl", &made.hidden, error));
    r->evaluate_group = mst_integral_group(plan, made.evaluate, plan->choice.group);
    r->judge_group = mst_integral_group(plan, made.judge, set_group);
    r->split_group = mst_integral_group(plan, made.split, set_group);
    r->place_group = mst_integral_group(plan, made.place, GPU_PLACE_GROUP);
    r->kernels = made;
    made = before;
fail:
    destroy_kernels(&made);
    return status;
}

static mst_status create(mst_integral *plan, mst_error *error) {
    mst_status status = MST_OK;
    unsigned d = (unsigned)plan->desc.n_variables;
    mst_regions *r = plan->work = calloc(1, sizeof *r);
    MST_REQUIRE(r, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    r->first_regions = 1;
    for (int k = 0; k < plan->desc.n_variables; k++) {
        r->first_regions *= 2 * mst_regions_intervals(plan, k);
        MST_REQUIRE(r->first_regions <= MOST_FIRST_REGIONS / MST_INTEGRAL_MAX_COMPONENTS, MST_ERROR_ARGUMENT,
                    "breakpoints cut the range into more than %d boxes, of which the rule takes halves along every axis",
                    MOST_FIRST_REGIONS / MST_INTEGRAL_MAX_COMPONENTS >> plan->desc.n_variables);
    }
    r->n_points = d > 1             ? mst_genz_malik_points(d)
                  : plan->is_double ? MST_KRONROD_POINTS
                                    : MST_KRONROD_POINTS + MST_KRONROD_SENTINELS;
    MST_TRY(build(plan, error));
fail:
    return status;
}

static void shrink(mst_integral *plan) {
    mst_regions *r = plan->work;
    for (int s = 0; s < 2; s++) {
        mst_integral_release(plan, &r->generations[s].lo);
        mst_integral_release(plan, &r->generations[s].len);
        mst_integral_release(plan, &r->generations[s].id);
        mst_integral_release(plan, &r->generations[s].ends);
        mst_integral_release(plan, &r->generations[s].run);
        mst_integral_release(plan, &r->generations[s].parents);
        r->generations[s].capacity = 0;
    }
    mst_integral_buffer *buffers[] = {&r->values, &r->errors,  &r->magnitudes, &r->marks,  &r->rows,  &r->cuts,
                                      &r->sums,   &r->results, &r->state,      &r->splits, &r->total, &r->tallies};
    for (size_t k = 0; k < MST_COUNT(buffers); k++)
        mst_integral_release(plan, buffers[k]);
}

static void destroy(mst_integral *plan) {
    mst_regions *r = plan->work;
    shrink(plan);
    destroy_kernels(&r->kernels);
    mst_collected_release(plan->context, &r->collected);
    mst_collected_release(plan->context, &r->counts);
    free(r);
}

static size_t n_components(const mst_integral *plan) { return (size_t)plan->n_components; }

// Numbers of a component of an integral, as regions.cl has them.
static size_t n_sums(const mst_integral *plan) { return 5 + 2 * (size_t)plan->desc.n_variables; }

// Makes room for n regions in a generation.
static mst_status reserve_generation(mst_integral *plan, mst_generation *s, cl_uint n, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t real_bytes = mst_integral_number_bytes(plan), d = (uint64_t)plan->desc.n_variables;
    if (s->capacity < n) {
        uint64_t room = n < (cl_uint)1 << 30 ? (uint64_t)n + n / 2 : n;
        s->capacity = 0;
        MST_TRY(mst_integral_reserve(plan, &s->lo, room * d * real_bytes, "regions", error));
        MST_TRY(mst_integral_reserve(plan, &s->len, room * d * real_bytes, "regions", error));
        MST_TRY(mst_integral_reserve(plan, &s->id, room * sizeof(cl_uint), "regions", error));
        MST_TRY(mst_integral_reserve(plan, &s->ends, room, "regions", error));
        MST_TRY(mst_integral_reserve(plan, &s->parents, 3 * n_components(plan) * (room / 2 + 1) * real_bytes, "regions", error));
        s->capacity = (cl_uint)room;
    }
fail:
    return status;
}

// Makes room for what is computed of a generation's regions.
static mst_status reserve_estimates(mst_integral *plan, const mst_generation *s, mst_error *error) {
    mst_status status = MST_OK;
    mst_regions *r = plan->work;
    uint64_t real_bytes = mst_integral_number_bytes(plan), n = n_components(plan) * s->capacity;
    MST_TRY(mst_integral_reserve(plan, &r->values, n * real_bytes, "regions", error));
    MST_TRY(mst_integral_reserve(plan, &r->errors, n * real_bytes, "regions", error));
    MST_TRY(mst_integral_reserve(plan, &r->magnitudes, n * real_bytes, "regions", error));
    MST_TRY(mst_integral_reserve(plan, &r->marks, n, "regions", error));
fail:
    return status;
}

static mst_status reserve_sets(mst_integral *plan, size_t n, mst_error *error) {
    mst_status status = MST_OK;
    mst_regions *r = plan->work;
    uint64_t real_bytes = mst_integral_number_bytes(plan);
    for (int s = 0; s < 2; s++)
        MST_TRY(mst_integral_reserve(plan, &r->generations[s].run, n * 2 * sizeof(cl_uint), "integrals", error));
    MST_TRY(mst_integral_reserve(plan, &r->sums, n * n_components(plan) * n_sums(plan) * real_bytes, "integrals", error));
    MST_TRY(
        mst_integral_reserve(plan, &r->results, n * n_components(plan) * MST_REGIONS_RESULTS * real_bytes, "integrals", error));
    MST_TRY(mst_integral_reserve(plan, &r->state, n * (n_components(plan) + 1) * sizeof(cl_uint), "integrals", error));
    MST_TRY(mst_integral_reserve(plan, &r->splits, n * sizeof(cl_uint), "integrals", error));
    MST_TRY(mst_integral_reserve(plan, &r->tallies, mst_divide_up(n, MST_REGIONS_PLACED) * sizeof(cl_uint), "counters", error));
    MST_TRY(mst_integral_reserve(plan, &r->total, MST_REGIONS_COUNTS * sizeof(cl_uint), "counters", error));
fail:
    return status;
}

// How many regions an integral is halved into at least where it seems to be 0. All of those at once may seem so, and together
// they must not take more than a small part of the memory, nor many zeros much time. What others leave of it, and how a call is
// shared out, do not count: results must not depend on them.
static cl_uint least_look(const mst_integral *plan, size_t n_sets) {
    const mst_context *lead = plan->context->lead;
    uint64_t memory = lead->device_memory.limit;
    for (size_t k = 0; k < lead->n_peers; k++)
        memory = mst_smaller(memory, lead->peers[k]->device_memory.limit);
    uint64_t each = memory / 8 / REGION_BYTES / (uint64_t)plan->desc.n_variables / n_components(plan) / n_sets;
    size_t more = mst_smaller(LEAST_LOOK_SEVERAL, MOST_LOOKS / n_components(plan) / n_sets);
    size_t wanted = plan->desc.n_variables > 1 && more > LEAST_LOOK ? more : LEAST_LOOK;
    return (cl_uint)mst_smaller(each, wanted);
}

// Whether a round could not begin for lack of memory. That is no failure; any other error is.
static bool is_full(mst_status status) { return status == MST_ERROR_BUDGET || status == MST_ERROR_DEVICE_MEMORY; }

// Runs rounds until nothing is left to split, or no memory to split it: then integrals that are still running have spent their
// budget, unless the memory is others'.
static mst_status refine(mst_integral *plan, cl_uint n_sets, cl_uint look, const mst_integral_call *call, size_t done,
                         mst_error *error) {
    mst_status status = MST_OK, room = MST_OK;
    mst_error full = {0};
    mst_regions *r = plan->work;
    cl_uint n = n_sets * r->first_regions, *counts = r->counts.memory;
    cl_uint sets_a_group = mst_integral_sets_a_group(plan, n_sets);
    for (cl_uint round = 0; n > 0; round++) {
        mst_generation *now = &r->generations[round % 2], *next = &r->generations[1 - round % 2];
        room = reserve_estimates(plan, now, &full);
        if (room != MST_OK)
            break;
        MST_TRY(mst_integral_progress(call, done, error));
        MST_TRY(mst_integral_expect(plan, (uint64_t)n * r->n_points, error));
        MST_TRY(mst_regions_evaluate(plan, n, now, error));
        if (r->kernels.hidden)
            MST_TRY(mst_regions_hidden(plan, n, now, error));
        if (round > 0)
            MST_TRY(mst_regions_compare(plan, n, round, now, error));
        MST_TRY(mst_regions_judge(plan, n_sets, sets_a_group, look, round, now, error));
        MST_TRY(mst_regions_place(plan, n_sets, round, next, error));
        MST_TRY(mst_integral_download_counts(plan, r->total.memory, 0, counts, MST_REGIONS_COUNTS, error));
        if (counts[1 + round % 2] > 0)
            MST_TRY(mst_regions_locate(plan, n, now, error));
        n = counts[0];
        room = n > MOST_REGIONS ? MST_ERROR_BUDGET : n > 0 ? reserve_generation(plan, next, n, &full) : MST_OK;
        if (room != MST_OK)
            break;
        if (n > 0)
            MST_TRY(mst_regions_split(plan, n_sets, sets_a_group, now, next, error));
    }
    if (room != MST_OK && (call->shares_memory || !is_full(room))) {
        status = room;
        if (error)
            *error = full;
    }
fail:
    return status;
}

// Bounds are often the same for all.
static mst_status upload_cuts(mst_integral *plan, const double *cuts, size_t n, mst_error *error) {
    mst_regions *r = plan->work;
    const size_t n_cuts = (size_t)plan->n_cuts;
    r->same_cuts = plan->same_bounds || memcmp(cuts, cuts + n_cuts, (n - 1) * n_cuts * sizeof *cuts) == 0;
    return mst_integral_upload_pairs(plan, &r->cuts, cuts, (r->same_cuts ? 1 : n) * n_cuts, "bounds", error);
}

static mst_status run(mst_integral *plan, const mst_integral_call *call, mst_error *error) {
    mst_status status = MST_OK;
    mst_regions *r = plan->work;
    size_t at_once = MOST_FIRST_REGIONS / r->first_regions / n_components(plan);
    const cl_uint look = least_look(plan, mst_smaller(at_once, call->n_all));
    for (size_t first = 0; first < call->n_sets; first += at_once) {
        const size_t count = mst_smaller(at_once, call->n_sets - first);
        const mst_integral_call part = mst_integral_part(plan, call, first, count);
        cl_uint n_sets = (cl_uint)count;
        MST_TRY(reserve_sets(plan, count, error));
        MST_TRY(reserve_generation(plan, &r->generations[0], n_sets * r->first_regions, error));
        MST_TRY(reserve_estimates(plan, &r->generations[0], error));
        MST_TRY(mst_collected_reserve(plan, count, error));
        MST_TRY(mst_regions_upload_rows(plan, &part, error));
        MST_TRY(upload_cuts(plan, part.cuts, count, error));
        MST_TRY(mst_regions_begin(plan, n_sets, &r->generations[0], error));
        MST_TRY(refine(plan, n_sets, look, call, first, error));
        MST_TRY(mst_regions_collect(plan, &part, error));
    }
fail:
    return status;
}

const mst_integral_method mst_integral_regions = {false, GPU_EVALUATE_GROUP, 1, 1, create, build, run, destroy, shrink};
