// From axes to passes, and what each pass needs on the device.
#include "axis.h"

#include "runtime/layout.h"
#include "runtime/program.h"

#include <stdlib.h>

static mst_layout packed_layout(const mst_fft *plan, int buffer, const mst_layout *spectrum) {
    const mst_layout *l = buffer == SOURCE ? &plan->desc.input : buffer == TARGET ? &plan->desc.output : spectrum;
    return mst_layout_dense(l->type, l->rank, l->shape);
}

static void count_tables(mst_fft *plan, mst_fft_pass *p) {
    const mst_pass *pass = &p->pass;
    p->table.bytes = mst_pass_table_count(pass) * mst_fft_number_bytes(plan);
    if (pass->convolution) {
        mst_pass back = mst_pass_back(pass);
        p->back_table.bytes = mst_pass_table_count(&back) * mst_fft_number_bytes(plan);
    }
    plan->table_bytes += p->table.bytes + mst_twiddle_tables_plan(&p->twiddles, pass) + p->load_factors.bytes +
                         p->store_factors.bytes + p->back_table.bytes + p->spectrum.bytes;
}

mst_status mst_fft_plan_passes(mst_fft *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_fft_desc *d = &plan->desc;
    mst_type complex_type = plan->is_double ? MST_COMPLEX128 : MST_COMPLEX64;
    bool real_in = d->input.type != complex_type, real_out = d->output.type != complex_type;
    bool inverse = d->direction == MST_FFT_INVERSE;
    mst_layout spectrum = mst_layout_dense(complex_type, d->input.rank, real_in ? d->output.shape : d->input.shape);
    for (int a = 0; a < d->n_axes; a++) {
        bool first = a == 0, last = a == d->n_axes - 1;
        int axis = d->axes[a];
        mst_axis_job job = {.axis = axis,
                            .from = first      ? SOURCE
                                    : real_out ? SPECTRUM
                                               : TARGET,
                            .to = real_out && !last ? SPECTRUM : TARGET};
        job.n = real_out && last ? d->output.shape[axis] : d->input.shape[axis];
        if (real_in && !first)
            job.n = d->output.shape[axis];
        job.from_layout = packed_layout(plan, job.from, &spectrum);
        job.to_layout = packed_layout(plan, job.to, &spectrum);
        job.work_layout = mst_axis_layout(&spectrum, complex_type, axis, job.n);
        job.load.swap = job.store.swap = inverse;
        if (first && real_in)
            job.load.element = MST_ELEMENT_REAL;
        if (first && real_in)
            job.store.length = d->output.shape[axis];
        job.scale = last && d->scale != 1;
        if (last && real_out) {
            job.load.element = MST_ELEMENT_HERMITIAN;
            job.load.axis_length = job.n;
            job.store.element = MST_ELEMENT_REAL;
        }
        if (job.to == SPECTRUM)
            mst_axis_need(plan, SPECTRUM, &spectrum);
        MST_TRY(mst_axis_is_smooth(job.n) ? mst_axis_plan(plan, &job, NULL, NULL, error)
                                          : mst_axis_plan_convolution(plan, &job, error));
    }
    for (int k = 0; k < plan->n_passes; k++)
        count_tables(plan, &plan->passes[k]);
fail:
    return status;
}

// Bluestein's: the chirp on the way in, its spectrum in the middle, the chirp on the way out. Rader's: the order, and a spectrum.
static mst_status make_factors(mst_fft *plan, mst_fft_pass *p, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = plan->context;
    bool inverse = plan->desc.direction == MST_FFT_INVERSE, wide = plan->is_double;
    size_t n = p->pass.n, size = (size_t)mst_fft_number_bytes(plan), n_in = (size_t)p->load_factors.bytes / size;
    size_t n_out = (size_t)p->store_factors.bytes / size;
    if (p->pass.convolution == MST_PASS_RADER) {
        MST_TRY(mst_table_upload(context, &p->load_factors, mst_rader_order(n + 1), error));
        return mst_table_upload(context, &p->spectrum, mst_rader_spectrum(n + 1, wide), error);
    }
    if (p->pass.convolution == MST_PASS_CHIRP)
        MST_TRY(mst_table_upload(context, &p->spectrum, mst_chirp_spectrum(n_in, n, inverse, wide), error));
    if (n_in)
        MST_TRY(mst_table_upload(context, &p->load_factors, mst_chirp(n_in, inverse, wide), error));
    if (n_out) {
        void *factors =
            p->chirp_length ? mst_chirp_spectrum(p->chirp_length, n_out, inverse, wide) : mst_chirp(n_out, inverse, wide);
        MST_TRY(mst_table_upload(context, &p->store_factors, factors, error));
    }
fail:
    return status;
}

// Shape and text of a kernel: its number is 1 if the source has the caller's layout, plus 2 if the target has.
static mst_status write_kernel(mst_fft *plan, mst_fft_pass *p, int number, mst_error *error) {
    mst_status status = MST_OK;
    mst_pass pass = p->pass;
    mst_text text = {0};
    if (number & 1) {
        pass.source = p->own_source;
        pass.twiddle_dim = p->own_twiddle_dim;
    }
    if (number & 2)
        pass.target = p->own_target;
    if (number)
        MST_TRY(mst_pass_shape(&pass, &plan->context->device, error));
    mst_pass_write(&pass, &text);
    MST_REQUIRE(!text.failed, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    p->shapes[number] = pass;
    p->texts[number] = text.text;
    return MST_OK;
fail:
    mst_text_release(&text);
    return status;
}

mst_status mst_fft_kernel(mst_fft *plan, mst_fft_pass *p, bool own_source, bool own_target, cl_kernel *out, mst_error *error) {
    mst_status status = MST_OK;
    int number = (own_source ? 1 : 0) + (own_target ? 2 : 0);
    cl_program program;
    if (!p->kernels[number]) {
        if (!p->texts[number])
            MST_TRY(write_kernel(plan, p, number, error));
        MST_TRY(mst_program_build(plan->context, p->texts[number], plan->is_double ? "-D PRECISION=64" : "-D PRECISION=32",
                                  &program, error));
        MST_TRY(mst_kernel_create(program, "fft_pass", &p->kernels[number], error));
    }
fail:
    *out = p->kernels[number];
    return status;
}

mst_status mst_fft_make_pass(mst_fft *plan, mst_fft_pass *p, mst_error *error) {
    mst_status status = MST_OK;
    cl_kernel kernel;
    MST_TRY(mst_table_make_steps(plan->context, &p->table, &p->pass, error));
    if (p->pass.convolution) {
        mst_pass back = mst_pass_back(&p->pass);
        MST_TRY(mst_table_make_steps(plan->context, &p->back_table, &back, error));
    }
    MST_TRY(mst_twiddle_tables_make(plan->context, &p->twiddles, error));
    MST_TRY(make_factors(plan, p, error));
    MST_TRY(write_kernel(plan, p, 0, error)); // it may be asked for, compiled or not
    if (!mst_fft_has_gaps(plan, p->from) && !mst_fft_has_gaps(plan, p->to))
        MST_TRY(mst_fft_kernel(plan, p, false, false, &kernel, error));
fail:
    return status;
}

void mst_fft_release_pass(mst_fft *plan, mst_fft_pass *p) {
    mst_device_table *tables[] = {&p->table, &p->load_factors, &p->store_factors, &p->back_table, &p->spectrum};
    for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++)
        mst_table_release(plan->context, tables[k]);
    mst_twiddle_tables_release(plan->context, &p->twiddles);
    for (int v = 0; v < 4; v++) {
        mst_kernel_release(p->kernels[v]);
        free(p->texts[v]);
    }
}
