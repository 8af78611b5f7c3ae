// Making the members of a grid that is shared out, and what planning knows of them.
#include "members.h"

#include "halo.h"
#include "runtime/group.h"

#include <stdlib.h>
#include <string.h>

static mst_stencil_desc member_desc(const mst_stencil_desc *desc, const mst_stencil_part *part, bool beside,
                                    uint64_t file_offset) {
    mst_stencil_desc d = *desc;
    d.part = part;
    d.n_monitors = d.n_spectra = 0;
    d.until = NULL;
    d.file_offset = file_offset;
    d.exchange = beside ? MST_STENCIL_EXCHANGE_BESIDE : MST_STENCIL_EXCHANGE_WAITS;
    return d;
}

typedef mst_status make_fn(mst_context *context, const mst_stencil_desc *desc, uint64_t steps, mst_stencil **out,
                           mst_error *error);

static mst_status make_solver(mst_context *context, const mst_stencil_desc *desc, uint64_t steps, mst_stencil **out,
                              mst_error *error) {
    (void)steps; // the description has them
    return mst_solver_create(context, desc, out, error);
}

static void say_parts(const mst_members *m) {
    mst_log(m->whole->context, MST_LOG_DEBUG, "halos are exchanged every %llu steps, %s", (unsigned long long)m->steps,
            m->beside ? "beside the interior" : "and wait");
    for (size_t k = 0; k < m->n; k++) {
        const mst_stencil *s = m->all[k].solver;
        mst_log(m->whole->context, MST_LOG_DEBUG, "device %zu of %zu, %s: planes %lld to %lld of %llu, %s", k + 1, m->n,
                s->context->device.name, (long long)s->part[PLANES].first,
                (long long)(s->part[PLANES].first + s->part[PLANES].count - 1), (unsigned long long)s->problem.whole[PLANES],
                mst_stencil_schedule_name(s->plan.schedule));
    }
}

// A member for each part that has planes.
static mst_status make_members(mst_members *m, const mst_stencil_desc *desc, const mst_stencil_part *parts, make_fn *make,
                               uint64_t steps, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *lead = m->whole->context;
    const size_t n = mst_group_size(lead);
    uint64_t file_offset = desc->file_offset;
    MST_REQUIRE(m->all = calloc(n, sizeof *m->all), MST_ERROR_HOST_MEMORY, "out of memory sharing out a grid");
    for (size_t k = 0; k < n; k++) {
        if (parts[k].planes == 0)
            continue;
        const mst_stencil_desc d = member_desc(desc, &parts[k], m->beside, file_offset);
        mst_stencil_plan figures = MST_STENCIL_PLAN_INIT;
        MST_TRY(make(mst_group_member(lead, k), &d, steps, &m->all[m->n].solver, error));
        m->all[m->n].device = k;
        m->beside = m->beside && mst_plan_in_core(m->all[m->n].solver->plan.schedule);
        m->n++;
        m->steps = parts[k].steps;
        mst_solver_figures(m->all[m->n - 1].solver, 0, &figures);
        file_offset += figures.state_bytes;
    }
    m->beside = m->beside && m->n > 1;
    m->steps_left = m->steps;
    say_parts(m);
fail:
    return status;
}

enum { MEASURED_STEPS = 1000, MOST_AT_ONCE = 10000 };

// Steps between two reports of progress: about a tenth of a second's, in whole exchanges if that many fit; where the state is in
// a backing store a second's, as the devices wait for copies at the beginning and at the end.
static uint32_t steps_at_once(const mst_members *m) {
    mst_stencil_plan figures = MST_STENCIL_PLAN_INIT;
    mst_solver_figures(m->all[0].solver, MEASURED_STEPS, &figures);
    const double seconds = mst_plan_in_core(m->all[0].solver->plan.schedule) ? 0.1 : 1;
    const double steps = figures.seconds > 0 ? seconds * MEASURED_STEPS / figures.seconds : MOST_AT_ONCE;
    const uint64_t n = steps < 1 ? 1 : steps < MOST_AT_ONCE ? (uint64_t)steps : MOST_AT_ONCE;
    return (uint32_t)(m->steps < n ? n / m->steps * m->steps : n);
}

// The solver of the whole grid, without a state of its own; its members are to be made.
static mst_status make_whole(mst_context *context, const mst_stencil_desc *desc, mst_stencil **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil *s = NULL;
    MST_REQUIRE(s = calloc(1, sizeof *s), MST_ERROR_HOST_MEMORY, "out of memory making a solver");
    *out = s;
    s->context = context;
    s->check_every = desc->check_every;
    MST_TRY(mst_turn_create(&s->turn, error));
    MST_TRY(mst_problem_read(desc, &s->problem, error));
    MST_TRY(mst_solver_inputs(context, &s->problem, desc, &s->inputs, error));
    MST_TRY(mst_members_begin(s, error));
fail:
    return status;
}

// Members whose part fits no device say so as one device does; what lacks something else is no reason to fail if the lead can.
static mst_status make_shared(mst_context *context, const mst_stencil_desc *desc, const mst_stencil_part *parts, bool beside,
                              make_fn *make, uint64_t steps, mst_stencil **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil *s = NULL;
    MST_TRY(make_whole(context, desc, &s, error));
    if (make == make_solver)
        MST_TRY(mst_observer_create(s->schedule, &s->observer, error));
    s->members->beside = beside;
    MST_TRY(make_members(s->members, desc, parts, make, steps, error));
    s->plan.depth = steps_at_once(s->members);
    s->plan.fuse = (unsigned)s->members->steps; // trips are of whole exchanges
    s->plan.schedule = s->members->all[0].solver->plan.schedule;
    if (make == make_solver) {
        MST_TRY(mst_members_take(s->members, error));
        for (int a = 0; a < s->problem.n_arrays && s->check_every; a++)
            MST_TRY(s->schedule->kind->count_nonfinite(s->schedule, a, &s->nonfinite[a], error));
    }
    *out = s;
    return MST_OK;
fail:
    mst_stencil_destroy(s);
    return status;
}

static size_t count_parts(const mst_stencil_part *parts, size_t n) {
    size_t count = 0;
    for (size_t k = 0; k < n; k++)
        count += parts[k].planes > 0;
    return count;
}

// ---- Shares

static mst_status check_shares(const mst_stencil_desc *desc, size_t n, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE((desc->n_shares > 0) == (desc->shares != NULL), MST_ERROR_ARGUMENT, "n_shares is %zu but shares is %s",
                desc->n_shares, desc->shares ? "set" : "NULL");
    MST_REQUIRE(desc->n_shares == 0 || n == 1 || desc->n_shares == n, MST_ERROR_ARGUMENT,
                "there are %zu shares, and the context has %zu devices", desc->n_shares, n);
    if (desc->n_shares > 0)
        MST_TRY(mst_shares_check(desc->shares, desc->n_shares, error));
fail:
    return status;
}

static bool are_alike(mst_context *lead) {
    for (size_t k = 1; k < mst_group_size(lead); k++)
        if (strcmp(mst_group_member(lead, k)->device.name, lead->device.name) != 0)
            return false;
    return true;
}

// Planes a second by the plans of equal parts, whose rates are measured.
static mst_status measure_shares(mst_context *lead, const mst_stencil_desc *desc, mst_stencil_part *parts, double *shares,
                                 mst_error *error) {
    mst_status status = MST_OK;
    const size_t n = mst_group_size(lead);
    MST_TRY(mst_members_divide(lead, desc, NULL, n, desc->exchange_every, parts, NULL, error));
    for (size_t k = 0; k < n; k++) {
        mst_stencil *s = NULL;
        mst_stencil_plan figures = MST_STENCIL_PLAN_INIT;
        const mst_stencil_desc d = member_desc(desc, &parts[k], false, 0);
        shares[k] = 0;
        if (parts[k].planes == 0)
            continue;
        status = mst_solver_plan(mst_group_member(lead, k), &d, MEASURED_STEPS, &s, error);
        if (status == MST_OK)
            mst_solver_figures(s, MEASURED_STEPS, &figures);
        else
            mst_log(lead, MST_LOG_WARNING, "a device of the group takes no part: %s", error ? error->message : "no plan");
        mst_stencil_destroy(s);
        shares[k] = status == MST_OK && figures.seconds > 0 ? (double)parts[k].planes / figures.seconds : 0;
        status = MST_OK;
    }
fail:
    return status;
}

static mst_status choose_shares(mst_context *lead, const mst_stencil_desc *desc, mst_stencil_part *parts, double *shares,
                                mst_error *error) {
    const size_t n = mst_group_size(lead);
    for (size_t k = 0; k < n; k++)
        shares[k] = desc->n_shares > 0 ? desc->shares[k] : mst_group_member(lead, k)->device.compute_units;
    return desc->n_shares > 0 || are_alike(lead) ? MST_OK : measure_shares(lead, desc, parts, shares, error);
}

enum { LEAST_JOINT_NODES = 1 << 17 };

// Whether the lead has the whole grid, whose launches go to all parts of a processor (stepper.h): in three axes, and of several
// arrays unless there are few nodes, parts with halos take up to twice as long (docs/performance-log.md).
static mst_status is_joint(mst_context *lead, const mst_stencil_desc *desc, bool *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_plan_inputs in;
    mst_problem *p = NULL;
    *out = false;
    if ((mst_group_size(lead) > 1 && !lead->joint) || desc->n_shares > 0 || desc->exchange_every > 0 ||
        desc->exchange != MST_STENCIL_EXCHANGE_AUTO || (desc->schedule != MST_STENCIL_AUTO && !mst_plan_in_core(desc->schedule)))
        return MST_OK;
    MST_REQUIRE(p = calloc(1, sizeof *p), MST_ERROR_HOST_MEMORY, "out of memory reading a scheme");
    MST_TRY(mst_problem_read(desc, p, error));
    MST_TRY(mst_solver_inputs(lead, p, desc, &in, error));
    const double bytes = (double)p->nodes * (double)(2 * p->state_node_bytes + p->coefficient_node_bytes);
    *out = p->n_runs == 0 && (p->rank == MST_MAX_AXES || (p->n_arrays > 1 && p->nodes >= LEAST_JOINT_NODES)) &&
           1.125 * bytes < (double)in.device.left; // kernels may want rows that are a little longer
    if (*out)
        mst_log(lead, MST_LOG_DEBUG, "the devices share each launch on the grid");
fail:
    if (p)
        mst_problem_release(p);
    free(p);
    return status;
}

// Where the grid cannot be shared out, the lead has all of it.
static mst_status make_any(mst_context *context, const mst_stencil_desc *desc, make_fn *make, uint64_t steps, mst_stencil **out,
                           mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_part *parts = NULL;
    double *shares = NULL;
    bool beside = false, joint;
    const size_t n = mst_group_size(context);
    *out = NULL;
    MST_TRY(check_shares(desc, n, error));
    if (n == 1 || desc->part || desc->brick || desc->rank < 2 || mst_ensemble_has_grids(desc))
        return make(context, desc, steps, out, error);
    MST_TRY(is_joint(context, desc, &joint, error));
    if (joint)
        return make(context, desc, steps, out, error);
    MST_REQUIRE((parts = calloc(n, sizeof *parts)) && (shares = calloc(n, sizeof *shares)), MST_ERROR_HOST_MEMORY,
                "out of memory sharing out a grid");
    MST_TRY(choose_shares(context, desc, parts, shares, error));
    MST_TRY(mst_members_divide(context, desc, shares, n, desc->exchange_every, parts, &beside, error));
    status = MST_ERROR_UNSUPPORTED;
    if (count_parts(parts, n) > 1)
        status = make_shared(context, desc, parts, beside, make, steps, out, error);
    if (status == MST_ERROR_UNSUPPORTED)
        status = make(context, desc, steps, out, error);
fail:
    free(parts);
    free(shares);
    return status;
}

mst_status mst_members_create(mst_context *context, const mst_stencil_desc *desc, mst_stencil **out, mst_error *error) {
    return make_any(context, desc, make_solver, desc->expected_steps, out, error);
}

mst_status mst_members_plan(mst_context *context, const mst_stencil_desc *desc, uint64_t steps, mst_stencil **out,
                            mst_error *error) {
    return make_any(context, desc, mst_solver_plan, steps, out, error);
}

void mst_members_figures(const mst_stencil *s, uint64_t steps, mst_stencil_plan *plan) {
    const mst_members *m = s->members;
    double held = 0;
    if (!m) {
        mst_solver_figures(s, steps, plan);
        return;
    }
    mst_solver_figures(m->all[0].solver, steps, plan);
    plan->state_bytes = plan->device_bytes = plan->host_bytes = plan->upload_bytes = plan->download_bytes = 0;
    plan->duplicated = 0;
    for (size_t k = 0; k < m->n; k++) {
        const mst_stencil *own = m->all[k].solver;
        mst_stencil_plan one = MST_STENCIL_PLAN_INIT;
        mst_solver_figures(own, steps, &one);
        const uint64_t exchanges = steps / m->steps;
        plan->seconds = one.seconds > plan->seconds ? one.seconds : plan->seconds;
        plan->state_bytes += one.state_bytes;
        plan->device_bytes += one.device_bytes;
        plan->host_bytes += one.host_bytes;
        plan->upload_bytes += one.upload_bytes + exchanges * (mst_halo_bytes(own, 0) + mst_halo_bytes(own, 1));
        plan->download_bytes += one.download_bytes + exchanges * (mst_edge_down_bytes(own, 0) + mst_edge_down_bytes(own, 1));
        plan->duplicated += one.duplicated * (double)own->part[PLANES].held_count / (double)s->problem.whole[PLANES];
        held += (double)own->part[PLANES].held_count;
        if (m->all[k].device < MST_STENCIL_MAX_PARTS)
            plan->part_planes[m->all[k].device] = (size_t)own->part[PLANES].count;
    }
    plan->duplicated += held / (double)s->problem.whole[PLANES] - 1;
    plan->n_parts = m->n;
    plan->part_steps = m->steps;
    plan->part_beside = m->beside;
}
