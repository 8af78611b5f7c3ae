// Filtering of images of which one does not fit the device: real rows and columns forward, back along the columns and back along
// the rows, each by a plan of the FFT engine that takes panels, between planes in the host's memory, where the spectrum is
// multiplied by the mask.
#include "panels.h"

#include "fft/plan.h"
#include "runtime/numbers.h"
#include "stream/places.h"

#define LEAST_PLANE ((uint64_t)64 << 10) // bytes: smaller images fit any device

// The transforms of a plane, in their order.
enum { FORWARD, COLUMNS_BACK, BACK, N_TRANSFORMS };

#define PARTS_OF_PROGRESS 1024u // of a transform

// ---- Transforms

static size_t plane_numbers(const mst_filter *plan) { return plan->r * plan->p * plan->q; }

static size_t spectrum_numbers(const mst_filter *plan) {
    return plan->r * plan->p * mst_filter_spectrum_columns(plan) * mst_panels_parts(plan);
}

// False: cosine transforms go back along all axes at once.
static bool describe(const mst_filter *plan, int which, mst_fft_desc *d) {
    const int rank = plan->desc.volume ? 3 : 2, last = rank - 1, begin = 3 - rank;
    const size_t real[] = {plan->r, plan->p, plan->q}, half[] = {plan->r, plan->p, mst_filter_spectrum_columns(plan)};
    const mst_type type = plan->desc.type, pairs = plan->is_double ? MST_COMPLEX128 : MST_COMPLEX64;
    const mst_layout plane = mst_layout_dense(type, rank, real + begin),
                     spectrum = mst_layout_dense(plan->cosine ? type : pairs, rank, half + begin);
    const double points = (double)plan->r * (double)plan->p * (double)plan->q;
    *d = (mst_fft_desc)MST_FFT_DESC_INIT;
    d->input = which == FORWARD ? plane : spectrum;
    d->output = which == BACK ? plane : spectrum;
    d->direction = which == FORWARD ? MST_FFT_FORWARD : MST_FFT_INVERSE;
    d->n_axes = plan->cosine || which == FORWARD ? rank : which == BACK ? 1 : last;
    for (int axis = 0; axis < d->n_axes; axis++)
        d->axes[axis] = which == BACK && !plan->cosine ? last : axis;
    d->scale = which == BACK ? 1 / (points * (plan->cosine ? 1 << rank : 1)) : 1;
    d->kind = plan->cosine ? MST_FFT_DCT2 : MST_FFT_FOURIER;
    d->shape = plan->desc.shape;
    return which != COLUMNS_BACK || !plan->cosine;
}

static bool show_progress(uint64_t done, uint64_t total, void *user) {
    const mst_panels_run *r = user;
    uint64_t part = total ? (uint64_t)((double)done / (double)total * PARTS_OF_PROGRESS) : 0;
    return r->how.progress(r->done * PARTS_OF_PROGRESS + part, r->total * PARTS_OF_PROGRESS, r->how.progress_user);
}

// One plan at a time: what it took of the budgets is there for the next one.
static mst_status transform(mst_panels_run *r, int which, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_desc d;
    mst_fft *fft = NULL;
    mst_report report = MST_REPORT_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    if (!describe(r->plan, which, &d))
        return MST_OK;
    how.report = &report;
    how.progress = r->how.progress ? show_progress : NULL;
    how.progress_user = r;
    MST_TRY(mst_fft_create(r->plan->context, &d, &fft, error));
    MST_TRY(mst_fft_execute(fft, mst_at_host(which == FORWARD ? r->plane : r->spectrum),
                            mst_at_host(which == BACK ? r->plane : r->spectrum), &how, error));
    r->done++;
    mst_report_add(&r->report, &report);
fail:
    mst_fft_destroy(fft);
    return status;
}

// Whether the budgets have room for each transform alone; else *least is the refusal, with what would do for all.
static bool have_room(const mst_filter *plan, mst_error *least) {
    static const char what[] = "one panel of an image";
    mst_context *context = plan->context;
    mst_fft_needs most = {.passes = 0}, needs;
    mst_fft_desc d;
    bool all_fit = true, fits;
    for (int which = 0; which < N_TRANSFORMS; which++) {
        if (!describe(plan, which, &d))
            continue;
        if (mst_fft_look(context, &d, &needs, &fits, NULL) != MST_OK)
            return false;
        all_fit &= fits;
        most.device_bytes = mst_larger(most.device_bytes, needs.device_bytes);
        most.host_bytes = mst_larger(most.host_bytes, needs.host_bytes);
    }
    if (!all_fit && mst_budget_require(context, &context->device_memory, most.device_bytes, what, least) == MST_OK)
        mst_budget_require(context, &context->host_memory, most.host_bytes, what, least);
    return all_fit;
}

bool mst_filter_panels_can(const mst_filter *plan, mst_error *least) {
    return plan->desc.algorithm == MST_FILTER_AUTO && plane_numbers(plan) * mst_filter_real_bytes(plan) >= LEAST_PLANE &&
           have_room(plan, least);
}

// ---- The run

static mst_status filter_plane(mst_panels_run *r, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_panels_load(r, error));
    MST_TRY(mst_panels_look(r, error));
    MST_TRY(transform(r, FORWARD, error));
    MST_TRY(mst_panels_mask(r, error));
    MST_TRY(transform(r, COLUMNS_BACK, error));
    MST_TRY(transform(r, BACK, error));
    mst_panels_keep(r);
fail:
    return status;
}

static mst_status filter_image(mst_panels_run *r, mst_error *error) {
    mst_status status = MST_OK;
    r->range[0] = r->range[1] = 0;
    for (r->colour = 0; r->colour < r->plan->colours; r->colour++)
        MST_TRY(filter_plane(r, error));
    MST_TRY(mst_panels_store(r, error));
fail:
    return status;
}

static mst_status take_memory(mst_panels_run *r, mst_error *error) {
    mst_status status = MST_OK;
    const mst_filter *plan = r->plan;
    const size_t plane = plane_numbers(plan), spectrum = spectrum_numbers(plan), means = mst_panels_n_means(plan),
                 results = plan->colours > 1 ? plan->colours * mst_filter_image_rows(plan) * plan->width : 0;
    MST_TRY(mst_scratch_take((plane + spectrum + results + means) * mst_filter_real_bytes(plan), "planes of an image by panels",
                             &r->memory, error));
    r->plane = r->memory.memory;
    r->spectrum = mst_panels_from(plan, r->plane, plane);
    r->results = results > 0 ? mst_panels_from(plan, r->spectrum, spectrum) : NULL;
    r->means = means > 0 ? mst_panels_from(plan, r->spectrum, spectrum + results) : NULL;
fail:
    return status;
}

mst_status mst_filter_panels_run(mst_filter *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    const double start = mst_now();
    mst_panels_run r = {.plan = plan, .where = where, .report = MST_REPORT_INIT};
    const mst_stream_desc ports = {
        .context = plan->context,
        .n_ports = 2,
        .ports = {{MST_PORT_INPUT, plan->desc.input, 0, "input"}, {MST_PORT_OUTPUT, plan->desc.output, 0, "output"}}};
    MST_TRY(mst_host_run_begin(&ports, where, how, &r.how, error));
    r.total = (uint64_t)plan->n_images * plan->colours * (plan->cosine ? N_TRANSFORMS - 1 : N_TRANSFORMS);
    MST_TRY(take_memory(&r, error));
    for (r.image = 0; r.image < plan->n_images; r.image++)
        MST_TRY(filter_image(&r, error));
    r.report.seconds = mst_now() - start;
    MST_TRY(mst_host_run_end(plan->context, &r.how, &r.report, error));
fail:
    mst_scratch_release(&r.memory);
    return status;
}
