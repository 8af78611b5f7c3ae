// From axes to passes, and what each pass needs on the device.
#include "axis.h"
#include "box.h"
#include "even.h"
#include "write.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"

#include <stdio.h>

#define GPU_SECTOR_BYTES 32u // the least that memory moves
#define LONG_COLUMNS ((size_t)512)
#define LEAST_ROW ((size_t)64)

bool mst_fft_has_gaps(const mst_fft *plan, int buffer) {
    return buffer <= TARGET && !mst_layout_is_dense(buffer == SOURCE ? &plan->desc.input : &plan->desc.output);
}

static mst_layout packed_layout(const mst_fft *plan, int buffer, const mst_layout *spectrum) {
    const mst_layout *l = buffer == SOURCE ? &plan->desc.input : &plan->desc.output;
    return buffer == SPECTRUM ? *spectrum : mst_layout_dense(l->type, l->rank, l->shape);
}

static void add_side(mst_signature *s, const char *side, const char *access, mst_element element) {
    char type[40];
    snprintf(type, sizeof type, "__global %s%s *", access, mst_element_type(element));
    mst_signature_add(s, type, "%s", side);
    mst_signature_add(s, "long", "%s_base", side);
    mst_signature_add(s, "ulong", "%s_first", side);
}

static mst_status write_kernel(void *owner, unsigned ports, mst_pass *pass, mst_text *out, mst_error *error) {
    const mst_fft_pass *p = owner;
    mst_signature signature;
    if (ports & MST_FFT_SOURCE) {
        pass->source = p->own_source;
        pass->twiddle_dim = p->own_twiddle_dim;
    }
    if (ports & MST_FFT_TARGET)
        pass->target = p->own_target;
    mst_status status = ports ? mst_pass_shape(pass, &p->device.context->device, error) : MST_OK;
    if (status != MST_OK)
        return status;
    mst_signature_begin(&signature, p->device.name);
    add_side(&signature, "source", "const ", pass->load.element);
    add_side(&signature, "target", "", pass->store.element);
    if (pass->scale)
        mst_signature_add(&signature, "real", "scale");
    mst_device_pass_add_parameters(&p->device, &signature);
    status = mst_pass_write(p->device.context, pass, &signature, out, error);
    mst_signature_release(&signature);
    return status;
}

void mst_fft_name_pass(mst_fft *plan, int number) {
    static const char *const names[] = {
        [MST_PASS_TRANSFORM] = "fft_%zu", [MST_PASS_CHIRP] = "bluestein_%zu", [MST_PASS_RADER] = "rader_%zu"};
    mst_device_pass *d = &plan->passes[number].device;
    const mst_pass *pass = &d->pass;
    char radices[100];
    size_t n = pass->n + (pass->convolution == MST_PASS_RADER);
    mst_pass_radices_text(pass, radices, sizeof radices);
    snprintf(d->name, sizeof d->name, names[pass->convolution], n);
    if (pass->n_box > 0)
        snprintf(d->title, sizeof d->title, "fft: pass %d of %d, radix %.60s, boxes of %zu points in the last %d axes",
                 number + 1, plan->n_passes, radices, n, pass->n_box);
    else
        snprintf(d->title, sizeof d->title, "fft: pass %d of %d, radix %s, %zu points along axis %d", number + 1, plan->n_passes,
                 radices, n, plan->passes[number].axis);
}

// What is known when all passes are planned: names, tables.
static void complete_pass(mst_fft *plan, int number) {
    mst_device_pass *d = &plan->passes[number].device;
    const mst_pass *pass = &d->pass;
    mst_fft_name_pass(plan, number);
    d->context = plan->context;
    d->owner = &plan->passes[number];
    d->write = write_kernel;
    mst_pass_tables_plan(&d->tables, pass, pass->convolution != MST_PASS_TRANSFORM);
    plan->table_bytes += mst_device_pass_table_bytes(d);
}

bool mst_fft_transforms(const mst_fft_desc *d, int axis) {
    for (int a = 0; a < d->n_axes; a++)
        if (d->axes[a] == axis)
            return true;
    return false;
}

// Boxes of the last axis as half as many complex numbers, where that is the axis of real ones.
static bool halve_box(const mst_fft *plan, mst_pass *pass) {
    const mst_fft_desc *d = &plan->desc;
    const bool in = !mst_type_is_complex(d->input.type), out = !mst_type_is_complex(d->output.type);
    size_t *last = &pass->box[pass->n_box - 1];
    if (!in && !out)
        return true;
    if (d->axes[in ? 0 : d->n_axes - 1] != d->input.rank - 1 || *last % 2 != 0 || in != (d->direction == MST_FFT_FORWARD))
        return false;
    *last /= 2;
    pass->half = in ? MST_HALF_COMBINE : MST_HALF_SPLIT;
    *(in ? &pass->load.element : &pass->store.element) = MST_ELEMENT_REAL;
    return true;
}

static mst_view view_of_boxes(const mst_layout *layout, int n_box) {
    size_t n = 1;
    for (int k = layout->rank - n_box; k < layout->rank; k++)
        n *= layout->shape[k];
    return (mst_view){.n_dims = 1, .counts = {mst_layout_count(layout) / n}, .outer = {(int64_t)n}, .axis_stride = 1, .step = 1};
}

static bool shape_box(const mst_fft *plan, int count, mst_pass *pass) {
    const mst_fft_desc *d = &plan->desc;
    const mst_layout *all = mst_type_is_complex(d->output.type) ? &d->input : &d->output;
    *pass = (mst_pass){.is_double = plan->is_double, .n_box = count, .n = 1};
    for (int k = 0; k < count; k++)
        pass->box[k] = all->shape[all->rank - count + k];
    if (!halve_box(plan, pass))
        return false;
    for (int k = 0; k < count; k++)
        pass->n *= pass->box[k];
    return mst_box_shape(pass, &plan->context->device);
}

// Shapes a pass over as many of the last axes as local memory holds together, two or more, if there is such a number of them that
// are all transformed. Returns that number.
static int choose_box(const mst_fft *plan, mst_pass *pass) {
    const mst_fft_desc *d = &plan->desc;
    int most = 0;
    if (plan->cpu || !mst_layout_is_dense(&d->input) || !mst_layout_is_dense(&d->output))
        return 0;
    while (most < d->n_axes && mst_fft_transforms(d, d->input.rank - 1 - most))
        most++;
    for (int count = most; count >= 2; count--)
        if (shape_box(plan, count, pass))
            return count;
    return 0;
}

// The pass of a box, before those of other axes or, to real numbers, behind them.
static void add_box(mst_fft *plan, const mst_pass *pass, int count) {
    const mst_fft_desc *d = &plan->desc;
    mst_fft_pass *p = &plan->passes[plan->n_passes++];
    const bool ends = count == d->n_axes || pass->half == MST_HALF_SPLIT;
    p->device.pass = *pass;
    p->device.pass.source = view_of_boxes(&d->input, count);
    p->device.pass.target = view_of_boxes(&d->output, count);
    if (pass->half == MST_HALF_NONE)
        p->device.pass.load.swap = p->device.pass.store.swap = d->direction == MST_FFT_INVERSE;
    p->device.pass.scale = ends && d->scale != 1;
    p->from = plan->n_passes == 1 ? SOURCE : SPECTRUM;
    p->to = TARGET;
    p->axis = d->input.rank - 1;
    p->lines_an_item = p->device.pass.source.counts[0];
    for (int k = 0; k < plan->split; k++)
        p->lines_an_item /= d->input.shape[k];
}

// Whether rows of a spectrum on its way to real numbers begin at whole sectors of memory: each pass over long columns then writes
// whole ones, where it has room for so few side by side that it would write mostly parts.
static bool pads_rows(const mst_fft *plan) {
    const mst_fft_desc *d = &plan->desc;
    size_t longest = 0;
    for (int a = 0; a + 1 < d->n_axes; a++)
        longest = mst_larger(longest, d->input.shape[d->axes[a]]);
    return !plan->cpu && d->axes[d->n_axes - 1] == d->input.rank - 1 && d->output.shape[d->output.rank - 1] >= LEAST_ROW &&
           longest >= LONG_COLUMNS;
}

static mst_status plan_fourier(mst_fft *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_fft_desc *d = &plan->desc;
    mst_type complex_type = plan->is_double ? MST_COMPLEX128 : MST_COMPLEX64;
    bool real_in = d->input.type != complex_type, real_out = d->output.type != complex_type;
    bool inverse = d->direction == MST_FFT_INVERSE;
    mst_layout spectrum = mst_layout_dense(complex_type, d->input.rank, real_in ? d->output.shape : d->input.shape);
    mst_pass box;
    const int n_box = choose_box(plan, &box), n_jobs = d->n_axes - n_box, last_axis = d->input.rank - 1;
    const size_t row_there = spectrum.shape[last_axis];
    if (n_box > 0 && !real_out)
        add_box(plan, &box, n_box);
    if (real_out && n_box == 0 && pads_rows(plan))
        spectrum.shape[last_axis] = mst_round_up(row_there, GPU_SECTOR_BYTES / (size_t)mst_fft_number_bytes(plan));
    spectrum = mst_layout_dense(complex_type, spectrum.rank, spectrum.shape);
    for (int a = 0, number = 0; a < d->n_axes; a++) {
        int axis = d->axes[a];
        if (axis >= d->input.rank - n_box)
            continue;
        bool first = plan->n_passes == 0, last = ++number == n_jobs && !(real_out && n_box > 0);
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
        if (real_out && axis != last_axis && spectrum.shape[last_axis] > row_there) {
            job.from_layout.shape[last_axis] = job.row = spectrum.shape[last_axis];
            job.row_there = row_there;
        }
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
        bool done = false;
        if ((first && real_in) || (last && real_out))
            MST_TRY(mst_axis_plan_real(plan, &job, &spectrum, &done, error));
        if (!done)
            MST_TRY(mst_axis_takes(plan, job.n) ? mst_axis_plan(plan, &job, NULL, NULL, error)
                                                : mst_axis_plan_convolution(plan, &job, error));
    }
    if (n_box > 0 && real_out)
        add_box(plan, &box, n_box);
fail:
    return status;
}

mst_status mst_fft_plan_passes(mst_fft *plan, mst_error *error) {
    mst_status status = plan->desc.kind == MST_FFT_FOURIER ? plan_fourier(plan, error) : mst_even_plan_passes(plan, error);
    for (int k = 0; k < plan->n_passes && status == MST_OK; k++)
        complete_pass(plan, k);
    return status;
}

static size_t numbers_of(const mst_fft *plan, const mst_device_table *table) {
    return (size_t)(table->bytes / mst_fft_number_bytes(plan));
}

// Rader's: the order, and a spectrum. Bluestein's: the chirp on the way in, its spectrum in the middle, the chirp on the way out.
void *mst_fft_factors(const mst_fft *plan, const mst_fft_pass *p, mst_table_kind kind) {
    const mst_device_table *tables = p->device.tables.tables;
    bool inverse = plan->desc.direction == MST_FFT_INVERSE, wide = plan->is_double;
    size_t n = p->device.pass.n, count = numbers_of(plan, &tables[kind]);
    if ((kind == MST_TABLE_LOAD_FACTORS && p->device.pass.load.even) ||
        (kind == MST_TABLE_STORE_FACTORS && p->device.pass.store.even))
        return mst_even_factors(plan, p, kind);
    if (p->device.pass.convolution == MST_PASS_RADER)
        return kind == MST_TABLE_ORDER ? (void *)mst_rader_order(n + 1) : mst_rader_spectrum(n + 1, wide);
    if (kind == MST_TABLE_SPECTRUM)
        return mst_chirp_spectrum(numbers_of(plan, &tables[MST_TABLE_LOAD_FACTORS]), n, inverse, wide);
    if (kind == MST_TABLE_STORE_FACTORS && p->long_spectrum)
        return mst_table_copy(p->long_spectrum, (size_t)tables[kind].bytes);
    if (kind == MST_TABLE_STORE_FACTORS && p->chirp_length)
        return mst_chirp_spectrum(p->chirp_length, count, inverse, wide);
    if (kind == MST_TABLE_LOAD_FACTORS && p->device.pass.load.swap) // behind the factor, which is that of the other parts
        inverse = !inverse;
    return mst_chirp(count, inverse, wide);
}

static mst_status make_factors(mst_fft *plan, mst_fft_pass *p, mst_error *error) {
    mst_status status = MST_OK;
    for (mst_table_kind kind = MST_TABLE_LOAD_FACTORS; kind < MST_N_TABLES; kind++) {
        mst_device_table *table = &p->device.tables.tables[kind];
        if (table->bytes)
            MST_TRY(mst_table_upload(plan->context, table, mst_fft_factors(plan, p, kind), error));
    }
fail:
    return status;
}

mst_status mst_fft_make_pass(mst_fft *plan, mst_fft_pass *p, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_device_pass_make_tables(&p->device, error));
    MST_TRY(make_factors(plan, p, error));
    MST_TRY(mst_device_pass_write(&p->device, 0, error)); // it may be asked for, compiled or not
    if (!mst_fft_has_gaps(plan, p->from) && !mst_fft_has_gaps(plan, p->to))
        MST_TRY(mst_device_pass_make(&p->device, 0, error));
fail:
    return status;
}
