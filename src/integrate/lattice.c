// Eight variables and more: lattices of 2^m points under random shifts, m growing until the standard error is small enough.
// Lattices are nested, so that each step adds the odd points only.
#include "buffers.h"
#include "integrand.h"

#include "runtime/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    N_SHIFTS = 16,
    FIRST_LOG = 10,
    LOOK_LOG = 14,
    LAST_LOG = 40,
    MOST_SETS = 1024,
    GPU_GROUP = 64,
    GPU_ITEMS = 1 << 18,
    CPU_ITEMS = 64
};

// The best of 400 random ones by the figure of merit P_2 (Sloan and Joe 1994), over 2^10 to 2^17 points in 8 to 20 dimensions.
#define GENERATOR 1575456565u

// The error that is reported, in standard errors. Student's t with 15 degrees of freedom has 99 % below 2.9; but points are added
// until the standard error is small, which stops where it is small by chance.
#define STANDARD_ERRORS 6.0

// Where the largest values have a tail like Pareto's, P(|f| > y) ~ y^(-1/g), as at x^(-g) and at infinity, what no point saw of
// it is not in the standard error. A lattice's points are equally spaced along every axis, so the largest value of a shift is a
// constant times u^(-g), its distance from the next place where f is infinite being u spacings. Then log u is distributed
// exponentially, and 16 shifts tell g to a quarter: so much more is taken for it. Bounded integrands have a g near 0 once points
// resolve their peaks; until then, or where g is 1, nothing bounds what was not seen, and the error is infinite.
#define G_MARGIN 1.5
// Where that is so in ENDLESS steps in a row, from 2^PATIENT_LOG points on, it has no integral, or none that can be had.
#define ENDLESS 4
#define PATIENT_LOG 18
#define SIDES 2 // the largest value is at one side; others may have as much

typedef struct lattice {
    mst_kernel *kernel, *hidden; // hidden: of integrands that may jump
    size_t group;
    mst_integral_buffer generators, shifts, active, rows, cuts, partials, hidden_errors;
} lattice;

// What is known so far of the integrals of a chunk.
typedef struct progress {
    double *sums;      // a row of N_SHIFTS for each component
    double *largest;   // and another one: the largest |f| of each shift
    double *sizes;     // sums of |f|, of all shifts
    double *pairs;     // as they come from the device
    double *hidden;    // of active integrals: what may be hidden between points
    unsigned *endless; // steps in a row in which nothing bounded what no point saw
    bool *settled;     // components that have their result
    cl_uint *active;   // those that go on
    size_t n_active;
} progress;

static uint64_t next_random(uint64_t *state) { // splitmix64 (Steele, Lea, Flood 2014)
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static mst_status upload_bytes(mst_integral *plan, mst_integral_buffer *buffer, const void *data, size_t bytes,
                               mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_integral_reserve(plan, buffer, bytes, "the lattice", error));
    MST_TRY(mst_queue_write(&plan->queue, CL_TRUE, buffer->memory, 0, bytes, data, "the lattice", error));
fail:
    return status;
}

static mst_status build(mst_integral *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_program *program;
    lattice *s = plan->work;
    mst_kernel *made = NULL, *hidden = NULL;
    MST_TRY(mst_integrand_build(plan, NULL, "lattice.cl", &program, error));
    MST_TRY(mst_kernel_create(program, "add_points", &made, error));
    s->group = mst_integral_group(plan, made, plan->choice.group);
    if (plan->may_jump)
        MST_TRY(mst_integral_build_hidden(plan, "hidden_lattice.cl", &hidden, error));
    mst_kernel_replace(&s->kernel, &made);
    mst_kernel_replace(&s->hidden, &hidden);
fail:
    mst_kernel_destroy(made);
    mst_kernel_destroy(hidden);
    return status;
}

static mst_status create(mst_integral *plan, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t shifts[N_SHIFTS * MST_INTEGRAL_MAX_VARIABLES], seed = 1;
    lattice *s = plan->work = calloc(1, sizeof *s);
    MST_REQUIRE(s, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    MST_TRY(build(plan, error));
    for (int i = 0; i < N_SHIFTS * plan->desc.n_variables; i++)
        shifts[i] = next_random(&seed);
    MST_TRY(upload_bytes(plan, &s->shifts, shifts, (size_t)(N_SHIFTS * plan->desc.n_variables) * sizeof *shifts, error));
fail:
    return status;
}

static void destroy(mst_integral *plan) {
    lattice *s = plan->work;
    mst_integral_buffer *buffers[] = {&s->generators, &s->shifts,   &s->active,       &s->rows,
                                      &s->cuts,       &s->partials, &s->hidden_errors};
    mst_kernel_destroy(s->kernel);
    mst_kernel_destroy(s->hidden);
    for (size_t k = 0; k < MST_COUNT(buffers); k++)
        mst_integral_release(plan, buffers[k]);
    free(s);
}

// Adds the points that the lattice of 2^m points has beyond that of 2^(m - 1) (at the beginning all) to the active integrals'
// sums.
static mst_status add_points(mst_integral *plan, progress *p, int m, mst_error *error) {
    mst_status status = MST_OK;
    lattice *s = plan->work;
    bool all = m == FIRST_LOG;
    cl_ulong start = all ? 0 : 1, stride = all ? 1 : 2, count = (cl_ulong)1 << (all ? m : m - 1);
    cl_ulong generators[MST_INTEGRAL_MAX_VARIABLES], power = 1;
    cl_uint n_shifts = N_SHIFTS;
    size_t bytes = mst_integral_number_bytes(plan), sums = p->n_active * N_SHIFTS, n_components = (size_t)plan->n_components;
    size_t items = (plan->cpu ? CPU_ITEMS : GPU_ITEMS) / sums, most = (size_t)count / (16 * s->group);
    size_t wanted = items / s->group < most ? items / s->group : most;
    cl_uint groups = wanted < 1 ? 1 : (cl_uint)wanted;
    for (int j = 0; j < plan->desc.n_variables; j++, power *= GENERATOR)
        generators[j] = power << (64 - m);
    MST_TRY(upload_bytes(plan, &s->generators, generators, (size_t)plan->desc.n_variables * sizeof *generators, error));
    MST_TRY(upload_bytes(plan, &s->active, p->active, p->n_active * sizeof *p->active, error));
    MST_TRY(mst_integral_reserve(plan, &s->partials, 4 * sums * n_components * groups * bytes, "partial sums", error));
    const mst_argument arguments[] = {MST_BIND(start, start),
                                      MST_BIND(stride, stride),
                                      MST_BIND(count, count),
                                      MST_BIND(groups, groups),
                                      MST_BIND(n_shifts, n_shifts),
                                      MST_BIND(generators, s->generators.memory),
                                      MST_BIND(shifts, s->shifts.memory),
                                      MST_BIND(active, s->active.memory),
                                      MST_BIND(rows, s->rows.memory),
                                      MST_BIND(code, plan->code.memory),
                                      MST_BIND(cuts, s->cuts.memory),
                                      MST_BIND(partials, s->partials.memory),
                                      MST_BIND_LOCAL(scratch, 2 * s->group * bytes)};
    MST_TRY(mst_kernel_launch(&plan->queue, s->kernel, arguments, MST_COUNT(arguments), sums * groups * s->group, s->group, NULL,
                              error));
    MST_TRY(mst_integral_download(plan, s->partials.memory, 0, p->pairs, 4 * sums * n_components * groups, error));
    for (size_t i = 0; i < sums * n_components; i++) {
        const size_t k = p->active[i % sums / N_SHIFTS] * n_components + i / sums; // component i / sums of a set
        p->sums[k * N_SHIFTS + i % N_SHIFTS] += mst_integral_sum(p->pairs + 2 * groups * i, 2 * (size_t)groups);
        p->sizes[k] += mst_integral_sum(p->pairs + groups * (2 * sums * n_components + i), groups);
        for (size_t g = 0; g < groups; g++)
            p->largest[k * N_SHIFTS + i % N_SHIFTS] =
                fmax(p->largest[k * N_SHIFTS + i % N_SHIFTS], p->pairs[groups * (3 * sums * n_components + i) + g]);
    }
fail:
    return status;
}

// What may be hidden between the 2^m points of all shifts.
static mst_status look_behind(mst_integral *plan, progress *p, int m, mst_error *error) {
    mst_status status = MST_OK;
    lattice *s = plan->work;
    const size_t n = p->n_active * (size_t)plan->n_components;
    const double points = ldexp(N_SHIFTS, m);
    const cl_uint n_active = (cl_uint)p->n_active;
    if (!s->hidden) {
        memset(p->hidden, 0, n * sizeof *p->hidden);
        return MST_OK;
    }
    MST_TRY(mst_integral_reserve(plan, &s->hidden_errors, n * mst_integral_number_bytes(plan), "integrals", error));
    const mst_argument arguments[] = {MST_BIND(n_active, n_active),
                                      MST_BIND(points, points),
                                      MST_BIND(active, s->active.memory),
                                      MST_BIND(rows, s->rows.memory),
                                      MST_BIND(code, plan->code.memory),
                                      MST_BIND(cuts, s->cuts.memory),
                                      MST_BIND(errors, s->hidden_errors.memory)};
    MST_TRY(mst_kernel_launch(&plan->queue, s->hidden, arguments, MST_COUNT(arguments), p->n_active,
                              mst_integral_hidden_group(plan, s->hidden, p->n_active), NULL, error));
    MST_TRY(mst_integral_download(plan, s->hidden_errors.memory, 0, p->hidden, n, error));
fail:
    return status;
}

// The mean of what u < 1 / N_SHIFTS has, of the largest values of all shifts of n points: the integral of u^(-g) up to there.
static double unseen_tail(const double *largest, double n) {
    double mean = 0, least = INFINITY, size = 0;
    for (int k = 0; k < N_SHIFTS; k++) {
        if (!(largest[k] > 0) || isinf(largest[k]))
            return 0;
        mean += log(largest[k]) / N_SHIFTS;
        least = fmin(least, log(largest[k]));
        size += largest[k] / N_SHIFTS;
    }
    double g = G_MARGIN * (mean - least) * N_SHIFTS / (N_SHIFTS - 1);
    return g < 1 ? SIDES * size / n * pow(N_SHIFTS, g - 1) * g / (1 - g) : INFINITY;
}

// Sets the result so far, and returns whether to go on: until the error is small enough or, where every value was 0, until so
// many points were looked at that little can hide. `size` is the sum of |f| over all shifts, `hidden` may be between points.
static bool judge(const mst_integral *plan, const double *sums, const double *largest, double size, double hidden, int m,
                  unsigned *endless, mst_integral_result *r) {
    const mst_integral_desc *d = &plan->desc;
    double n = ldexp(1.0, m), mean = mst_integral_sum(sums, N_SHIFTS) / (N_SHIFTS * n), scatter = 0;
    double epsilon = plan->is_double ? 0x1p-52 : 0x1p-23;
    for (int k = 0; k < N_SHIFTS; k++)
        scatter += (sums[k] / n - mean) * (sums[k] / n - mean);
    double rounding = 8 * epsilon * size / (N_SHIFTS * n);
    r->value = mean;
    r->error = STANDARD_ERRORS * sqrt(scatter / (N_SHIFTS * (N_SHIFTS - 1))) + rounding + unseen_tail(largest, n) + hidden;
    r->evaluations = (uint64_t)N_SHIFTS << m;
    r->status = MST_INTEGRAL_BUDGET;
    *endless = isinf(r->error) ? *endless + 1 : 0;
    if (!isfinite(mean))
        r->status = MST_INTEGRAL_NON_FINITE;
    else if (r->error <= fmax(d->absolute_tolerance, d->relative_tolerance * fabs(mean)))
        r->status = MST_INTEGRAL_CONVERGED;
    else if (r->error <= 2 * rounding || (*endless >= ENDLESS && m >= PATIENT_LOG))
        r->status = MST_INTEGRAL_ROUND_OFF;
    bool unseen = size == 0 && m < LOOK_LOG;
    return (r->status == MST_INTEGRAL_BUDGET || unseen) && 2 * r->evaluations <= d->max_evaluations && m < LAST_LOG;
}

// Of the components of an active set that have no result yet; whether one goes on.
static bool judge_components(const mst_integral *plan, progress *p, size_t i, int m, mst_integral_result *results) {
    const size_t n = (size_t)plan->n_components, set = p->active[i];
    bool goes_on = false;
    for (size_t k = set * n; k < (set + 1) * n; k++) {
        p->settled[k] = p->settled[k] || !judge(plan, p->sums + k * N_SHIFTS, p->largest + k * N_SHIFTS, p->sizes[k],
                                                p->hidden[i * n + k - set * n], m, &p->endless[k], &results[k]);
        goes_on = goes_on || !p->settled[k];
        results[k].evaluations = (uint64_t)N_SHIFTS << m;
    }
    return goes_on;
}

static mst_status run_chunk(mst_integral *plan, const mst_integral_call *call, size_t first, size_t count, progress *p,
                            mst_error *error) {
    mst_status status = MST_OK;
    lattice *s = plan->work;
    size_t n_row = (size_t)plan->n_row, n_cuts = (size_t)plan->n_cuts, n_components = (size_t)plan->n_components;
    MST_TRY(mst_integral_upload(plan, &s->rows, call->rows + first * n_row, count * n_row, "parameters", error));
    MST_TRY(mst_integral_upload_pairs(plan, &s->cuts, call->cuts + first * n_cuts, count * n_cuts, "bounds", error));
    memset(p->sums, 0, count * n_components * N_SHIFTS * sizeof *p->sums);
    memset(p->largest, 0, count * n_components * N_SHIFTS * sizeof *p->largest);
    memset(p->sizes, 0, count * n_components * sizeof *p->sizes);
    memset(p->endless, 0, count * n_components * sizeof *p->endless);
    memset(p->settled, 0, count * n_components * sizeof *p->settled);
    p->n_active = count;
    for (size_t i = 0; i < count; i++)
        p->active[i] = (cl_uint)i;
    for (int m = FIRST_LOG; p->n_active > 0; m++) {
        size_t left = 0;
        MST_TRY(mst_integral_progress(call, first, error));
        MST_TRY(mst_integral_expect(plan, ((uint64_t)N_SHIFTS << (m > FIRST_LOG ? m - 1 : m)) * p->n_active, error));
        MST_TRY(add_points(plan, p, m, error));
        MST_TRY(look_behind(plan, p, m, error));
        for (size_t i = 0; i < p->n_active; i++) {
            const cl_uint set = p->active[i];
            if (judge_components(plan, p, i, m, call->results + first * n_components))
                p->active[left++] = set;
        }
        p->n_active = left;
    }
fail:
    return status;
}

static mst_status run(mst_integral *plan, const mst_integral_call *call, mst_error *error) {
    mst_status status = MST_OK;
    size_t most = call->n_sets < MOST_SETS ? call->n_sets : MOST_SETS, most_pairs = GPU_ITEMS + MOST_SETS * N_SHIFTS;
    const size_t n_components = (size_t)plan->n_components, all = most * n_components;
    progress p = {malloc(all * N_SHIFTS * sizeof *p.sums),
                  malloc(all * N_SHIFTS * sizeof *p.largest),
                  malloc(all * sizeof *p.sizes),
                  malloc(4 * most_pairs * n_components * sizeof *p.pairs),
                  malloc(all * sizeof *p.hidden),
                  malloc(all * sizeof *p.endless),
                  malloc(all * sizeof *p.settled),
                  malloc(most * sizeof *p.active),
                  0};
    MST_REQUIRE(p.sums && p.largest && p.sizes && p.pairs && p.hidden && p.endless && p.settled && p.active,
                MST_ERROR_HOST_MEMORY, "out of memory for %zu integrals", call->n_sets);
    for (size_t first = 0; first < call->n_sets; first += most)
        MST_TRY(run_chunk(plan, call, first, call->n_sets - first < most ? call->n_sets - first : most, &p, error));
fail:
    free(p.sums);
    free(p.largest);
    free(p.sizes);
    free(p.pairs);
    free(p.hidden);
    free(p.endless);
    free(p.settled);
    free(p.active);
    return status;
}

const mst_integral_method mst_integral_lattice = {false, GPU_GROUP, 1, 1, create, build, run, destroy, NULL};
