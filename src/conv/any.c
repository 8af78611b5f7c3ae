// Plans by the kernel that knows no sizes.
#include "any.h"

#include "runtime/numbers.h"

#include <stdlib.h>

bool mst_any_stage_suits(const mst_convolution *plan, const mst_geometry *g) {
    const mst_convolution_choice *c = &plan->choice;
    return g->cpu && !c->specialised && (c->pass.radix == 0 || c->pass.radix == 8) &&
           g->lanes == mst_pass_lanes(plan->work_type == MST_COMPLEX128);
}

mst_status mst_any_stage_plan(mst_stage *s, mst_error *error) {
    mst_status status = mst_any_allow(&s->plan->context->device, "fused convolutions", error);
    if (status != MST_OK)
        return status;
    mst_any_stage *any = s->any = calloc(1, sizeof *any);
    if (!any)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    mst_any_stage_describe(s, &any->described);
    any->description.bytes = sizeof any->described;
    any->places.bytes = s->device.pass.n * sizeof(cl_uint);
    any->odd.bytes = mst_any_count_odd(&s->device.pass) * mst_type_bytes(s->plan->work_type);
    return MST_OK;
}

uint64_t mst_any_stage_table_bytes(const mst_stage *s) {
    return s->any ? s->any->description.bytes + s->any->odd.bytes + s->any->places.bytes : 0;
}

static mst_status write_text(mst_context *context, bool is_double, mst_text *out, mst_error *error) {
    static const char *const files[] = {"any_stage.cl", "any_stage_ports.cl", "any_stage_rows.cl", "any_stage_columns.cl",
                                        "convolve_any.cl"};
    mst_status status = MST_OK;
    mst_text_add(out, "// Stages of fused convolutions whose sizes, radices, strides and types are arguments.\n");
    MST_TRY(mst_any_write_transforms(context, is_double, out, error));
    MST_TRY(mst_program_add_files(context, files, MST_COUNT(files), out, error));
fail:
    return status;
}

mst_status mst_any_stage_make(mst_stage *s, mst_error *error) {
    mst_status status = MST_OK;
    mst_any_stage *any = s->any;
    mst_context *context = s->plan->context;
    const mst_pass *pass = &s->device.pass;
    const mst_program *program;
    MST_TRY(mst_table_upload(context, &any->description, mst_table_copy(&any->described, sizeof any->described), error));
    MST_TRY(mst_table_upload(context, &any->places, mst_any_place_values(pass), error));
    if (any->odd.bytes)
        MST_TRY(mst_table_upload(context, &any->odd, mst_any_odd_values(pass), error));
    MST_TRY(write_text(context, pass->is_double, &any->text, error));
    MST_TRY(mst_program_of_text(context,
                                pass->is_double ? "convolution: any lengths, in double" : "convolution: any lengths, in float",
                                &any->text, mst_program_precision(context, pass->is_double), &program, error));
    MST_TRY(mst_kernel_create(program, "convolve_any", &any->kernel, error));
fail:
    return status;
}

mst_status mst_any_stage_enqueue(mst_stage *s, mst_queue *queue, const mst_stage_array arrays[N_STAGE_PORTS], size_t vectors,
                                 mst_error *error) {
    const mst_any_stage *any = s->any;
    const mst_device_table *tables = (s->device.shared ? s->device.shared : &s->device)->tables.tables;
    const mst_stage_array *x = &arrays[FROM], *y = &arrays[WITH], *z = &arrays[TO];
    cl_ulong n_lines = (uint64_t)vectors * mst_stage_lines(s);
    const mst_pass_launch launch = mst_pass_share_out(&s->device.pass, &s->plan->context->device, n_lines);
    const stage_call call = {.own = (x->own ? 1 : 0) | (y->own ? 2 : 0) | (z->own ? 4 : 0),
                             .base = {x->base, y->base, z->base},
                             .first = {(cell)x->first_line, (cell)y->first_line, (cell)z->first_line},
                             .n_lines = (cell)n_lines,
                             .tiles = launch.tiles_an_item};
    const mst_argument arguments[] = {MST_BIND_AS("s", any->description.buffer),
                                      MST_BIND_AS("step_twiddles", tables[MST_TABLE_STEPS].buffer),
                                      MST_BIND_AS("low_twiddles", tables[MST_TABLE_LOW].buffer),
                                      MST_BIND_AS("high_twiddles", tables[MST_TABLE_HIGH].buffer),
                                      MST_BIND_AS("lane_twiddles", tables[MST_TABLE_LANES].buffer),
                                      MST_BIND_AS("weights", tables[MST_TABLE_WEIGHTS].buffer),
                                      MST_BIND_AS("odd", any->odd.buffer),
                                      MST_BIND_AS("places", any->places.buffer),
                                      MST_BIND(x, x->buffer),
                                      MST_BIND(y, y->buffer),
                                      MST_BIND(z, z->buffer),
                                      MST_BIND(call, call)};
    return mst_kernel_launch(queue, any->kernel, arguments, MST_COUNT(arguments), launch.items, 1, NULL, error);
}

void mst_any_stage_destroy(mst_stage *s) {
    mst_any_stage *any = s->any;
    if (!any)
        return;
    mst_context *context = s->plan->context;
    mst_kernel_destroy(any->kernel);
    mst_text_release(&any->text);
    mst_table_release(context, &any->description);
    mst_table_release(context, &any->odd);
    mst_table_release(context, &any->places);
    free(any);
    s->any = NULL;
}
