#include "fused.h"

#include "runtime/program.h"

#include <stdlib.h>

bool mst_fused_filter_can(const mst_filter *plan, bool cpu) {
    unsigned radices[MST_PASS_RADICES];
    int count;
    size_t longest = mst_pass_longest(&plan->context->device, cpu, false);
    return plan->p % 2 == 0 && plan->p <= longest && plan->q <= longest && mst_pass_factor(plan->p, cpu, 0, radices, &count) &&
           mst_pass_factor(plan->q, cpu, 0, radices, &count);
}

// Lines of n elements: neighbours in memory along them (rows) or across.
static mst_status plan_pass(const mst_filter *plan, fused_pass *f, size_t n, bool rows, mst_error *error) {
    mst_status status = MST_OK;
    mst_pass *pass = &f->there;
    int64_t pitch = (int64_t)mst_fused_filter_pitch(plan);
    pass->n = n;
    pass->wide_elements = !rows;
    pass->cpu = plan->cpu;
    pass->choice = plan->choice;
    pass->fused = true;
    pass->source = pass->target =
        (mst_view){.n_dims = 1, .counts = {1}, .outer = {rows ? pitch : 2}, .axis_stride = rows ? 1 : pitch, .step = 1};
    MST_REQUIRE(mst_pass_choose_radices(pass), MST_ERROR_UNSUPPORTED, "there are no radices for length %zu", n);
    for (int k = 1; k < pass->n_radices && pass->radices[0] % 2 != 0; k++) { // an even one first, for pairs
        unsigned first = pass->radices[0];
        pass->radices[0] = pass->radices[k];
        pass->radices[k] = first;
    }
    MST_TRY(mst_pass_shape(pass, &plan->context->device, error));
    f->back = mst_pass_back(pass);
    f->table.bytes = mst_pass_table_count(pass) * sizeof(cl_float2);
    f->back_table.bytes = mst_pass_table_count(&f->back) * sizeof(cl_float2);
fail:
    return status;
}

mst_status mst_fused_filter_create(mst_filter *plan, mst_error *error) {
    mst_status status = MST_OK;
    mst_filter_fused *f = plan->fused = calloc(1, sizeof *f);
    mst_text text = {0};
    cl_program program;
    MST_REQUIRE(f, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    MST_TRY(plan_pass(plan, &f->rows, plan->q, true, error));
    MST_TRY(plan_pass(plan, &f->columns, plan->p, false, error));
    for (int k = 0; k < N_FUSED; k++) {
        MST_TRY(mst_fused_filter_write(plan, f, k, &text, error));
        MST_REQUIRE(!text.failed, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
        MST_TRY(mst_program_build(plan->context, text.text, "-D PRECISION=32", &program, error));
        MST_TRY(mst_kernel_create(program, "fused", &f->kernels[k], error));
        mst_text_release(&text);
        text = (mst_text){0};
    }
    for (int k = 0; k < 2; k++) {
        fused_pass *pass = k ? &f->columns : &f->rows;
        MST_TRY(mst_table_make_steps(plan->context, &pass->table, &pass->there, error));
        MST_TRY(mst_table_make_steps(plan->context, &pass->back_table, &pass->back, error));
    }
fail:
    mst_text_release(&text);
    return status;
}

void mst_fused_filter_destroy(mst_filter *plan) {
    mst_filter_fused *f = plan->fused;
    if (!f)
        return;
    mst_fused_filter_prepare(plan, 0, NULL);
    for (int k = 0; k < N_FUSED; k++)
        mst_kernel_release(f->kernels[k]);
    for (int k = 0; k < 2; k++) {
        mst_table_release(plan->context, k ? &f->columns.table : &f->rows.table);
        mst_table_release(plan->context, k ? &f->columns.back_table : &f->rows.back_table);
    }
    free(f);
}

// A multiple of 32 bytes, the least that GPUs' memory moves.
size_t mst_fused_filter_pitch(const mst_filter *plan) { return (2 * (plan->q / 2 + 1) + 3) / 4 * 4; }

uint64_t mst_fused_filter_plane_bytes(const mst_filter *plan) {
    return (uint64_t)plan->p / 2 * mst_fused_filter_pitch(plan) * sizeof(cl_float2);
}

mst_status mst_fused_filter_prepare(mst_filter *plan, size_t n_planes, mst_error *error) {
    mst_filter_fused *f = plan->fused;
    mst_device_release(plan->context, f->half_planes, f->bytes);
    f->half_planes = NULL;
    f->bytes = n_planes * mst_fused_filter_plane_bytes(plan);
    if (n_planes == 0)
        return MST_OK;
    return mst_device_allocate(plan->context, CL_MEM_READ_WRITE, f->bytes, "half planes", &f->half_planes, error);
}

// Enqueues a kernel on so many lines. The arguments have room for one more.
static mst_status enqueue(mst_filter *plan, const mst_block *block, int which, int stage, const mst_pass *pass,
                          mst_argument *arguments, size_t n_arguments, cl_ulong n_lines, mst_error *error) {
    const mst_pass_launch launch = mst_pass_share_out(pass, &plan->context->device, n_lines);
    if (plan->cpu)
        arguments[n_arguments++] = (mst_argument)MST_ARGUMENT(launch.tiles_an_item);
    return mst_kernel_enqueue_event(block->queue, plan->fused->kernels[which], arguments, n_arguments, launch.items, launch.group,
                                    mst_stage_command(plan, stage), error);
}

mst_status mst_fused_filter_run(mst_filter *plan, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    mst_filter_fused *f = plan->fused;
    mst_image_side in = mst_image_side_of(plan, block, 0), out = mst_image_side_of(plan, block, 1);
    cl_ulong n_planes = (cl_ulong)block->count * plan->colours, n_rows = n_planes * (plan->p / 2);
    cl_ulong n_columns = n_planes * (plan->q / 2 + 1);
    cl_float white = (cl_float)plan->desc.white;
    cl_mem to = mst_filter_ranged(plan) ? plan->planes.buffer : out.buffer;
    mst_argument rows[] = {MST_ARGUMENT(in.buffer),
                           MST_ARGUMENT(in.base),
                           MST_ARGUMENT(in.first_line),
                           MST_ARGUMENT(in.lines),
                           MST_ARGUMENT(f->half_planes),
                           MST_ARGUMENT(n_rows),
                           MST_ARGUMENT(f->rows.table.buffer),
                           MST_ARGUMENT(f->rows.back_table.buffer),
                           {.bytes = 0}};
    mst_argument columns[] = {MST_ARGUMENT(f->half_planes),
                              MST_ARGUMENT(plan->mask.table),
                              MST_ARGUMENT(n_columns),
                              MST_ARGUMENT(f->columns.table.buffer),
                              MST_ARGUMENT(f->columns.back_table.buffer),
                              {.bytes = 0}};
    mst_argument back[] = {MST_ARGUMENT(to),
                           MST_ARGUMENT(out.base),
                           MST_ARGUMENT(out.first_line),
                           MST_ARGUMENT(out.lines),
                           MST_ARGUMENT(f->half_planes),
                           MST_ARGUMENT(n_rows),
                           MST_ARGUMENT(f->rows.table.buffer),
                           MST_ARGUMENT(f->rows.back_table.buffer),
                           MST_ARGUMENT(white),
                           {.bytes = 0}};
    MST_TRY(enqueue(plan, block, ROWS, STAGE_FORWARD, &f->rows.there, rows, 8, n_rows, error));
    MST_TRY(enqueue(plan, block, COLUMNS, STAGE_MASK, &f->columns.there, columns, 5, n_columns, error));
    MST_TRY(enqueue(plan, block, BACK, STAGE_INVERSE, &f->rows.there, back, 9, n_rows, error));
fail:
    return status;
}
