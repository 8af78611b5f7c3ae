#include "bricks.h"

#include "runtime/numbers.h"

#include <stdlib.h>

#define FIRST_HALO 2.0 // in reaches of the psf
#define WIDER 1.5      // halos, where seams differ by too much
#define SMALLER 0.9    // bricks, where the budgets have no room for them

bool mst_bricks_take(const mst_deconvolution *plan, const mst_location *where) {
    const mst_deconvolution_desc *d = &plan->desc;
    const mst_layout *layouts[N_ARRAYS] = {&d->image, &d->result, &d->start, &d->weights};
    bool takes = true;
    for (int a = 0; a < N_ARRAYS; a++)
        takes = takes && (layouts[a]->rank == 0 || where[a].place != MST_PLACE_DEVICE);
    return takes;
}

// ---- The inner plan

// The axes behind those of the batch.
static void keep_image(const mst_deconvolution_desc *d, mst_layout *layout) {
    const int first = layout->rank - d->n_axes;
    if (layout->rank == 0)
        return;
    for (int k = 0; k < d->n_axes; k++) {
        layout->shape[k] = layout->shape[first + k];
        layout->strides[k] = layout->strides[first + k];
    }
    layout->rank = d->n_axes;
}

static mst_status make_inner(mst_deconvolution *plan, const mst_brick_cut *cut, mst_deconvolution **out, mst_error *error) {
    mst_deconvolution *inner = *out = calloc(1, sizeof *inner);
    if (!inner)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    *inner = (mst_deconvolution){.context = plan->context,
                                 .desc = plan->desc,
                                 .is_double = plan->is_double,
                                 .cpu = plan->cpu,
                                 .n_items = mst_brick_count(cut),
                                 .cut = *cut,
                                 .bricks = plan->bricks,
                                 .psf_sum = plan->psf_sum,
                                 .psf = plan->psf,
                                 .points = 1};
    for (int side = 0; side < N_SIDES; side++) {
        inner->whole[side] = plan->whole[side];
        inner->psf_shape[side] = plan->psf_shape[side];
        inner->psf_centre[side] = plan->psf_centre[side];
        inner->extent[side] = cut->step[side] + 2 * cut->halo[side];
        inner->padded[side] = cut->padded[side];
        inner->points *= cut->padded[side];
    }
    inner->spectrum_points = inner->points / inner->padded[X] * (inner->padded[X] / 2 + 1);
    mst_layout *layouts[] = {&inner->desc.image, &inner->desc.result, &inner->desc.start, &inner->desc.weights};
    for (size_t a = 0; a < MST_COUNT(layouts); a++)
        keep_image(&plan->desc, layouts[a]);
    if (cut->goes_round) // a brick sees a part of the image, whatever is beyond
        inner->desc.edges = MST_DECONVOLUTION_OBSERVED;
    if (plan->desc.exact) {
        inner->desc.start = inner->desc.result; // in mst_brick_windows, the object
        inner->desc.iterations = 1;
        inner->desc.accelerate = 0; // all bricks' together is the host's to do
        inner->desc.tolerance = 0;
        inner->desc.watch = NULL;
    }
    return mst_deconvolution_make(inner, error);
}

static void destroy_inner(struct mst_bricks *b) {
    if (!b->inner)
        return;
    mst_seams_forget(b->inner, b);
    mst_deconvolution_unmake(b->inner);
    free(b->inner);
    free(b->sums);
    free(b->seams);
    b->inner = NULL;
    b->sums = NULL;
    b->seams = NULL;
}

static mst_status make_notes(struct mst_bricks *b, mst_error *error) {
    mst_status status = MST_OK;
    const size_t n = b->inner->n_items;
    b->sums = calloc(n, sizeof *b->sums);
    b->seams = calloc(n, N_SIDES * sizeof *b->seams);
    MST_REQUIRE(b->sums && b->seams, MST_ERROR_HOST_MEMORY, "out of memory for notes on %zu bricks", n);
fail:
    return status;
}

// The largest bricks that fit. If none do, the error of the least ones says what would.
static mst_status make_bricks(mst_deconvolution *plan, double halo, mst_error *error) {
    struct mst_bricks *b = plan->bricks;
    const mst_context *context = plan->context;
    mst_status status = MST_ERROR_BUDGET;
    mst_brick_cut cut, least;
    uint64_t below = mst_smaller(context->device_memory.limit, context->host_memory.limit * 4) + 1;
    if (!mst_brick_cut_find(plan, halo, below, &cut)) {
        for (below = UINT64_MAX; mst_brick_cut_find(plan, halo, below, &least); below = mst_brick_cut_bytes(plan, &least))
            cut = least;
    }
    for (;;) {
        destroy_inner(b);
        status = make_inner(plan, &cut, &b->inner, error);
        below = (uint64_t)(SMALLER * (double)mst_brick_cut_bytes(plan, &cut));
        if (!mst_deconvolution_is_too_small(status) || (!mst_brick_cut_find(plan, halo, below, &cut) &&
                                                        !mst_brick_cut_find(plan, halo, mst_brick_cut_bytes(plan, &cut), &cut)))
            break;
    }
    b->halo = halo;
    return status == MST_OK ? make_notes(b, error) : status;
}

mst_status mst_bricks_make(mst_deconvolution *plan, mst_error *error) {
    plan->bricks = calloc(1, sizeof *plan->bricks);
    if (!plan->bricks)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    return make_bricks(plan, FIRST_HALO, error);
}

void mst_bricks_destroy(struct mst_bricks *bricks) {
    if (!bricks)
        return;
    destroy_inner(bricks);
    free(bricks);
}

// ---- Execution

mst_status mst_bricks_run_stream(mst_brick_run *r, mst_stream *stream, const int *ports, mst_error *error) {
    mst_deconvolution *inner = r->plan->bricks->inner;
    mst_location where[N_ARRAYS] = {r->given[ARRAY_IMAGE], r->given[ARRAY_RESULT]};
    mst_execution e = r->how;
    for (int a = 0; a < N_ARRAYS; a++)
        if (ports[a] >= 0)
            where[ports[a]] = r->given[a];
    r->part = (mst_report)MST_REPORT_INIT;
    e.report = &r->part;
    e.event = NULL;
    e.progress = NULL;
    mst_status status = mst_stream_run(inner->context, stream, where, &e, error);
    mst_report_add(&r->report, &r->part);
    const mst_status released = mst_stream_give_back(stream, NULL);
    return status == MST_OK ? released : status;
}

static mst_status run_once(mst_brick_run *r, mst_error *error) {
    mst_status status = MST_OK;
    struct mst_bricks *b = r->plan->bricks;
    mst_deconvolution *inner = b->inner;
    const mst_location start = r->given[ARRAY_START], result = r->given[ARRAY_RESULT];
    inner->how = r->how;
    inner->done = b->begun;
    inner->total = r->plan->total;
    mst_seams_forget(inner, b);
    b->is_too_far = false;
    b->seam = b->image > 0 ? b->seam : 0;
    MST_TRY(mst_bricks_run_stream(r, inner->look, inner->look_ports, error));
    mst_bricks_add_sums(b);
    if (r->plan->desc.exact)
        MST_TRY(mst_bricks_run_exact(r, error));
    else
        MST_TRY(mst_bricks_run_stream(r, inner->stream, inner->ports, error));
fail:
    r->given[ARRAY_START] = start;
    r->given[ARRAY_RESULT] = result;
    return status;
}

// With wider halos until seams are as near as they are to be.
static mst_status run_image(mst_brick_run *r, mst_error *error) {
    struct mst_bricks *b = r->plan->bricks;
    mst_status status;
    do
        status = run_once(r, error);
    while (b->is_too_far && (status = make_bricks(r->plan, WIDER * b->halo, error)) == MST_OK);
    return status;
}

// Where an array of the image lies.
static mst_location image_of(const mst_deconvolution *plan, const mst_layout *layout, const mst_location *all, size_t image) {
    mst_location where = *all;
    int64_t elements = 0;
    for (int k = layout->rank - plan->desc.n_axes - 1; k >= 0; k--) {
        elements += (int64_t)(image % layout->shape[k]) * layout->strides[k];
        image /= layout->shape[k];
    }
    elements *= layout->rank > 0 ? (int64_t)mst_type_bytes(layout->type) : 0;
    if (where.place == MST_PLACE_HOST && where.host)
        where.host = (unsigned char *)where.host + elements;
    else
        where.offset = (uint64_t)((int64_t)where.offset + elements);
    return where;
}

mst_status mst_bricks_execute(mst_deconvolution *plan, const mst_location *given, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    struct mst_bricks *b = plan->bricks;
    const mst_deconvolution_desc *d = &plan->desc;
    const mst_layout *layouts[N_ARRAYS] = {&d->image, &d->result, &d->start, &d->weights};
    mst_brick_run r = {.plan = plan, .how = *how, .report = MST_REPORT_INIT};
    mst_execution end = *how;
    const double start = mst_now();
    if (!b->inner)
        MST_TRY(make_bricks(plan, b->halo, error));
    b->seam = 0;
    b->begun = 0;
    for (b->image = 0; b->image < plan->n_items; b->image++) {
        plan->total =
            (uint64_t)plan->n_items * b->inner->n_items * (uint64_t)(mst_deconvolution_iterates(plan) ? d->iterations : 1);
        for (int a = 0; a < N_ARRAYS; a++)
            r.given[a] = image_of(plan, layouts[a], &given[a], b->image);
        MST_TRY(run_image(&r, error));
        b->begun = b->inner->done;
    }
    end.report = NULL;
    MST_TRY(mst_stream_run(plan->context, NULL, NULL, &end, error)); // gives how->event
    r.report.seconds = mst_now() - start;
    mst_execution_report(how, &r.report);
fail:
    mst_scratch_release(&b->objects);
    return status;
}
