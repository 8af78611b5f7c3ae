// Real axes of even length n as n / 2 complex numbers: in GPU-shaped passes, and in those that know no sizes (any.h).
#include "axis.h"

#include "runtime/numbers.h"

// A pass that combines or splits, in place or not; the lines of a side are runs of MST_PASS_HALF_RUN results.
static mst_view runs_of(const mst_layout *layout, const mst_axis_job *job) {
    int unused;
    const mst_digits whole = {.n = 1, .f = {job->n}, .kept = {job->n}};
    mst_view v = mst_axis_view(layout, job->axis, &whole, 0, false, true, &unused);
    v.counts[v.n_dims] = mst_divide_up(job->n / 2 + 1, (size_t)MST_PASS_HALF_RUN);
    v.outer[v.n_dims] = 0;
    v.position[v.n_dims++] = MST_PASS_HALF_RUN;
    return v;
}

mst_fft_pass *mst_axis_add_alone(mst_fft *plan, const mst_axis_job *job, int from, int to, const mst_layout *from_layout,
                                 const mst_layout *to_layout, mst_pass_half half) {
    mst_fft_pass *p = &plan->passes[plan->n_passes++];
    mst_pass *pass = &p->device.pass;
    size_t lines = 1;
    p->axis = job->axis;
    p->from = from;
    p->to = to;
    pass->source = runs_of(from_layout, job);
    pass->target = runs_of(to_layout, job);
    p->own_source = runs_of(from == SOURCE ? &plan->desc.input : &plan->desc.output, job);
    p->own_target = runs_of(&plan->desc.output, job);
    for (int k = plan->split; k < job->work_layout.rank; k++)
        lines *= k == job->axis ? 1 : job->work_layout.shape[k];
    p->lines_an_item = lines * pass->source.counts[pass->source.n_dims - 1];
    pass->cpu = true;
    pass->is_double = plan->is_double;
    pass->n = job->n;
    pass->half = half;
    pass->lanes = mst_pass_lanes(plan->is_double);
    return p;
}

// A real axis of length n as n / 2 complex numbers, which a pass transforms and combines, or splits and transforms.
static mst_axis_job half_of(const mst_axis_job *job, bool in) {
    mst_axis_job half = *job;
    half.n = job->n / 2;
    half.work_layout = mst_axis_layout(&job->work_layout, job->work_layout.type, job->axis, half.n);
    half.store.length = 0;
    half.half = in ? MST_HALF_COMBINE : MST_HALF_SPLIT;
    if (!in) {
        half.load.element = MST_ELEMENT_COMPLEX;
        half.load.swap = false; // splitting exchanges the parts
    }
    return half;
}

static bool plan_gpu(mst_fft *plan, const mst_axis_job *job, bool in, mst_status *status, mst_error *error) {
    mst_axis_job half = half_of(job, in), folded = *job;
    folded.folded = true;
    if (job->n % 2 == 0 && mst_axis_takes_one(plan, &half))
        *status = mst_axis_plan(plan, &half, NULL, NULL, error);
    else if (mst_axis_is_smooth(job->n) && mst_axis_passes(plan, job->n) > 1)
        *status = mst_axis_plan(plan, &folded, NULL, NULL, error);
    else
        return false;
    return true;
}

mst_status mst_axis_plan_real(mst_fft *plan, const mst_axis_job *job, const mst_layout *spectrum, bool *done, mst_error *error) {
    mst_status status = MST_OK;
    bool in = job->load.element == MST_ELEMENT_REAL;
    mst_axis_job half = half_of(job, in);
    const bool takes = half.n > 0 && mst_axis_takes(plan, half.n), convolves = !takes && mst_axis_convolves(plan, half.n);
    bool alone = half.n > 0 && mst_axis_passes(plan, half.n) != 1;
    bool apart = !in || plan->desc.input.strides[job->axis] != 0; // without a distance between them, any_side takes no pairs
    *done = plan->cpu ? plan->any_length && job->n % 2 == 0 && (takes || convolves) && apart
                      : plan_gpu(plan, job, in, &status, error);
    if (!*done || !plan->cpu)
        return status;
    if (alone)
        half.half = MST_HALF_PAIRS;
    if (alone && !in) {
        mst_axis_add_alone(plan, &half, job->from, SPECTRUM, &job->from_layout, spectrum, MST_HALF_SPLIT_ALONE);
        mst_axis_need(plan, SPECTRUM, spectrum);
        half.from = SPECTRUM;
        half.from_layout = *spectrum;
    }
    MST_TRY(takes ? mst_axis_plan(plan, &half, NULL, NULL, error) : mst_axis_plan_convolution(plan, &half, error));
    if (alone && in)
        mst_axis_add_alone(plan, &half, half.to, half.to, &half.to_layout, &half.to_layout, MST_HALF_COMBINE_ALONE);
fail:
    return status;
}
