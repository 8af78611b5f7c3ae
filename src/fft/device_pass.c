#include "device_pass.h"

void mst_device_pass_share(mst_device_pass *d, const mst_device_pass *with) {
    if (!with->shared && mst_pass_tables_cover(&with->tables, &d->tables))
        d->shared = with;
}

uint64_t mst_device_pass_table_bytes(const mst_device_pass *d) { return d->shared ? 0 : d->tables.bytes; }

mst_status mst_device_pass_make_tables(mst_device_pass *d, mst_error *error) {
    return d->shared ? MST_OK : mst_pass_tables_make(d->context, &d->tables, &d->pass, error);
}

mst_status mst_device_pass_write(mst_device_pass *d, unsigned ports, mst_error *error) {
    mst_pass_kernel *k = &d->kernels[ports];
    if (k->text.text)
        return MST_OK;
    k->pass = d->pass;
    mst_status status = d->write(d->owner, ports, &k->pass, &k->text, error);
    if (status != MST_OK)
        mst_text_release(&k->text);
    return status;
}

mst_status mst_device_pass_make(mst_device_pass *d, unsigned ports, mst_error *error) {
    mst_status status = MST_OK;
    mst_pass_kernel *k = &d->kernels[ports];
    const mst_program *program;
    if (k->kernel)
        return MST_OK;
    MST_TRY(mst_device_pass_write(d, ports, error));
    MST_TRY(mst_program_of_text(d->context, d->title, &k->text, mst_program_precision(d->context, d->pass.is_double), &program,
                                error));
    MST_TRY(mst_kernel_create(program, d->name, &k->kernel, error));
fail:
    return status;
}

void mst_device_pass_release(mst_device_pass *d) {
    mst_pass_tables_release(d->context, &d->tables);
    for (int k = 0; k < MST_PASS_LAYOUTS; k++) {
        mst_kernel_destroy(d->kernels[k].kernel);
        mst_text_release(&d->kernels[k].text);
    }
}

void mst_device_pass_add_parameters(const mst_device_pass *d, mst_signature *signature) {
    mst_signature_add(signature, "ulong", "n_lines");
    mst_pass_tables_add_parameters(&d->tables, signature);
    if (d->pass.cpu)
        mst_signature_add(signature, "uint", "tiles");
}

mst_status mst_device_pass_enqueue(mst_device_pass *d, unsigned ports, mst_queue *queue, const mst_argument *arguments,
                                   size_t n_arguments, uint64_t n_lines, cl_event *event, mst_error *error) {
    mst_status status = MST_OK;
    mst_argument all[MST_PASS_MAX_ARGUMENTS];
    const mst_device_table *tables = (d->shared ? d->shared : d)->tables.tables;
    cl_ulong lines = n_lines;
    size_t n = 0;
    MST_TRY(mst_device_pass_make(d, ports, error));
    const mst_pass_kernel *k = &d->kernels[ports];
    const mst_pass_launch launch = mst_pass_share_out(&k->pass, &d->context->device, n_lines);
    for (; n < n_arguments; n++)
        all[n] = arguments[n];
    all[n++] = MST_BIND(n_lines, lines);
    for (int t = 0; t < MST_N_TABLES; t++)
        if (d->tables.tables[t].bytes > 0)
            all[n++] = MST_BIND_AS(mst_table_name((mst_table_kind)t), tables[t].buffer);
    if (d->pass.cpu)
        all[n++] = MST_BIND(tiles, launch.tiles_an_item);
    MST_TRY(mst_kernel_launch(queue, k->kernel, all, n, launch.items, launch.group, event, error));
fail:
    return status;
}
