#include "any.h"

#include "runtime/numbers.h"

#include <stdio.h>
#include <stdlib.h>

bool mst_fused_filter_can(const mst_filter *plan, bool cpu) {
    unsigned radices[MST_PASS_RADICES];
    int count;
    size_t longest = cpu ? mst_any_filter_longest() : mst_pass_longest(&plan->context->device, cpu, false);
    if (mst_filter_is_general(plan) || (plan->p % 2 != 0 && !(plan->cosine && cpu)))
        return false;
    return plan->p <= longest && plan->q <= longest && mst_pass_factor(plan->p, cpu, 0, radices, &count) &&
           mst_pass_factor(plan->q, cpu, 0, radices, &count);
}

// Lines of n elements: neighbours in memory along them (rows) or across.
static mst_status plan_pass(const mst_filter *plan, int which, mst_filter_pass *p, mst_error *error) {
    static const char *const names[N_FILTER_PASSES] = {"filter_rows", "filter_columns", "filter_back"};
    static const char *const what[N_FILTER_PASSES] = {"rows forward", "columns forward, the mask, and back", "rows back"};
    mst_status status = MST_OK;
    mst_device_pass *d = &p->device;
    mst_pass *pass = &d->pass;
    bool rows = which != FILTER_COLUMNS;
    int64_t pitch = (int64_t)mst_fused_filter_pitch(plan);
    p->plan = plan;
    p->which = which;
    d->context = plan->context;
    d->owner = p;
    d->write = mst_fused_filter_write;
    pass->n = rows ? plan->q : plan->p;
    pass->wide_elements = !rows;
    pass->cpu = plan->cpu;
    pass->choice = plan->choice;
    pass->fused = true;
    pass->half = plan->cosine && !rows ? MST_HALF_COMBINE : MST_HALF_NONE; // numbers k and P - k go together
    pass->source = pass->target =
        (mst_view){.n_dims = 1, .counts = {1}, .outer = {rows ? pitch : 2}, .axis_stride = rows ? 1 : pitch, .step = 1};
    MST_REQUIRE(mst_pass_choose_radices(pass), MST_ERROR_UNSUPPORTED, "there are no radices for length %zu", pass->n);
    for (int k = 1; k < pass->n_radices && pass->radices[0] % 2 != 0; k++) { // an even one first, for pairs
        unsigned first = pass->radices[0];
        pass->radices[0] = pass->radices[k];
        pass->radices[k] = first;
    }
    MST_TRY(mst_pass_shape(pass, &plan->context->device, error));
    mst_pass_tables_plan(&d->tables, pass, which != FILTER_ROWS);
    snprintf(d->name, sizeof d->name, "%s_%zu", names[which], pass->n);
    snprintf(d->title, sizeof d->title, "filter: %s, %zu points", what[which], pass->n);
fail:
    return status;
}

static mst_status plan_passes(mst_filter *plan, uint64_t *table_bytes, mst_error *error) {
    mst_status status = MST_OK;
    mst_filter_fused *f = plan->work = calloc(1, sizeof *f);
    MST_REQUIRE(f, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    for (int k = 0; k < N_FILTER_PASSES; k++)
        MST_TRY(plan_pass(plan, k, &f->passes[k], error));
    mst_device_pass_share(&f->passes[FILTER_ROWS].device, &f->passes[FILTER_BACK].device);
    *table_bytes = plan->cpu ? mst_any_filter_table_bytes(plan, f->passes) : 0;
    for (int k = 0; k < N_FILTER_PASSES; k++)
        *table_bytes += mst_device_pass_table_bytes(&f->passes[k].device);
fail:
    return status;
}

static mst_status create(mst_filter *plan, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t table_bytes;
    MST_TRY(plan_passes(plan, &table_bytes, error));
    mst_filter_fused *f = plan->work;
    for (int k = 0; k < N_FILTER_PASSES; k++) {
        if (!plan->cpu)
            MST_TRY(mst_device_pass_make(&f->passes[k].device, 0, error));
        MST_TRY(mst_device_pass_make_tables(&f->passes[k].device, error));
    }
    if (plan->cpu)
        MST_TRY(mst_any_filter_make(plan, f->passes, &f->any, error));
fail:
    return status;
}

static uint64_t plane_bytes(const mst_filter *plan) {
    return (uint64_t)mst_fused_filter_rows(plan) * mst_fused_filter_pitch(plan) * sizeof(cl_float2);
}

static void count_work(const mst_filter *plan, mst_stream_desc *stream) {
    stream->item_work_piece = plan->colours * plane_bytes(plan);
    stream->item_work_bytes += stream->item_work_piece;
}

static mst_status prepare(mst_filter *plan, size_t n_images, mst_error *error) {
    mst_filter_fused *f = plan->work;
    mst_device_release(plan->context, f->half_planes, f->bytes);
    f->half_planes = NULL;
    f->bytes = n_images * plan->colours * plane_bytes(plan);
    if (n_images == 0)
        return MST_OK;
    return mst_device_allocate(plan->context, CL_MEM_READ_WRITE, f->bytes, "half planes", &f->half_planes, error);
}

static void destroy(mst_filter *plan) {
    mst_filter_fused *f = plan->work;
    if (!f)
        return;
    prepare(plan, 0, NULL);
    mst_any_filter_destroy(plan, f->any);
    for (int k = 0; k < N_FILTER_PASSES; k++)
        mst_device_pass_release(&f->passes[k].device);
    free(f);
}

static mst_status enqueue(mst_filter *plan, const mst_block *block, int which, const mst_argument *arguments, size_t n_arguments,
                          uint64_t n_lines, mst_error *error) {
    static const mst_filter_part filter_parts[N_FILTER_PASSES] = {MST_PART_FORWARD, MST_PART_MASK, MST_PART_INVERSE};
    mst_filter_fused *f = plan->work;
    return mst_device_pass_enqueue(&f->passes[which].device, 0, block->queue, arguments, n_arguments, n_lines,
                                   mst_filter_timing_command(plan, filter_parts[which]), error);
}

static mst_status run_any(mst_filter *plan, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    const mst_filter_fused *f = plan->work;
    mst_image_side in = mst_image_side_of(plan, block, 0), out = mst_image_side_of(plan, block, 1);
    uint64_t n_planes = (uint64_t)block->count * plan->colours, n_rows = n_planes * mst_fused_filter_rows(plan);
    cl_mem to = mst_filter_ranged(plan) ? plan->planes.buffer : out.buffer;
    MST_TRY(mst_any_filter_enqueue(plan, f, FILTER_ROWS, block, &in, in.buffer, n_rows,
                                   mst_filter_timing_command(plan, MST_PART_FORWARD), error));
    MST_TRY(mst_any_filter_enqueue(plan, f, FILTER_COLUMNS, block, &in, in.buffer, n_planes * (plan->q / 2 + 1),
                                   mst_filter_timing_command(plan, MST_PART_MASK), error));
    MST_TRY(mst_any_filter_enqueue(plan, f, FILTER_BACK, block, &out, to, n_rows,
                                   mst_filter_timing_command(plan, MST_PART_INVERSE), error));
fail:
    return status;
}

static mst_status run(mst_filter *plan, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    const mst_filter_fused *f = plan->work;
    if (f->any)
        return run_any(plan, block, error);
    cl_mem half_planes = f->half_planes;
    mst_image_side in = mst_image_side_of(plan, block, 0), out = mst_image_side_of(plan, block, 1);
    uint64_t n_planes = (uint64_t)block->count * plan->colours, n_rows = n_planes * (plan->p / 2);
    cl_mem to = mst_filter_ranged(plan) ? plan->planes.buffer : out.buffer;
    const mst_argument rows[] = {MST_BIND(image, in.buffer), MST_BIND(base, in.base), MST_BIND(first_line, in.first_line),
                                 MST_BIND(lines, in.lines), MST_BIND(half_planes, half_planes)};
    const mst_argument columns[] = {MST_BIND(half_planes, half_planes), MST_BIND(mask, plan->mask.table)};
    const mst_argument back[] = {
        MST_BIND(image, to),        MST_BIND(base, out.base),           MST_BIND(first_line, out.first_line),
        MST_BIND(lines, out.lines), MST_BIND(half_planes, half_planes), MST_BIND(white, plan->desc.white)};
    MST_TRY(enqueue(plan, block, FILTER_ROWS, rows, MST_COUNT(rows), n_rows, error));
    MST_TRY(enqueue(plan, block, FILTER_COLUMNS, columns, MST_COUNT(columns), n_planes * (plan->q / 2 + 1), error));
    if (!mst_filter_ranged(plan) && !plan->desc.alpha)
        mst_queue_expect_mark(block->queue);
    MST_TRY(enqueue(plan, block, FILTER_BACK, back, MST_COUNT(back), n_rows, error));
fail:
    return status;
}

const mst_filter_method mst_fused_filter_method = {plan_passes, create, destroy, count_work, prepare, run, .takes_images = true};
