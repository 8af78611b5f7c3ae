#include "lines.h"

#include "axis.h"
#include "even.h"
#include "panels.h"
#include "runtime/layout.h"
#include "runtime/numbers.h"
#include "stream/places.h"
#include "twiddle.h"

#include <stdlib.h>
#include <string.h>

#define ROW ((size_t)64)                   // bytes of lines that lie side by side
#define LONGEST ((size_t)1 << 48)          // numbers along an axis
#define PARTS_OF_PROGRESS ((uint64_t)1024) // of a transform

// ---- Numbers

static bool is_real(const mst_layout *layout) { return !mst_type_is_complex(layout->type); }

static size_t length_along(const mst_fft_desc *d, int axis) { return mst_larger(d->input.shape[axis], d->output.shape[axis]); }

static int real_axis(const mst_fft_desc *d) {
    return is_real(&d->input) ? d->axes[0] : is_real(&d->output) ? d->axes[d->n_axes - 1] : -1;
}

// Of a cosine or sine transform the longest axis. Else the longest one with a large prime factor; else the real axis; else none
// (-1).
static int choose_axis(const mst_fft_desc *d) {
    int best = -1;
    for (int a = 0; a < d->n_axes; a++) {
        const size_t n = length_along(d, d->axes[a]);
        if ((d->kind != MST_FFT_FOURIER || !mst_axis_is_smooth(n)) && (best < 0 || n > length_along(d, best)))
            best = d->axes[a];
    }
    return best >= 0 ? best : real_axis(d);
}

static mst_type complex_type(const mst_fft_desc *d) { return mst_type_is_double(d->input.type) ? MST_COMPLEX128 : MST_COMPLEX64; }

// The axis of the lines that lie closest together, if those are closer than the numbers of one.
static void choose_width(mst_fft_lines *l) {
    const mst_layout *to = &l->sides[1];
    ptrdiff_t closest = labs(to->strides[l->axis]);
    l->beside = -1;
    l->width = l->groups = 1;
    for (int k = 0; k < to->rank; k++)
        if (k != l->axis && to->shape[k] > 1 && labs(to->strides[k]) < closest) {
            closest = labs(to->strides[k]);
            l->beside = k;
        }
    if (l->beside >= 0)
        l->width = mst_smaller(to->shape[l->beside], ROW / mst_type_bytes(complex_type(&l->desc)));
    for (int k = 0; k < to->rank; k++)
        if (k != l->axis)
            l->groups *= k == l->beside ? mst_divide_up(to->shape[k], l->width) : to->shape[k];
}

// Real results are no store for a spectrum, which then lies in memory between the two parts.
static void choose_order(mst_fft_lines *l) {
    const mst_fft_desc *d = &l->desc;
    const bool real_in = !l->even && is_real(&d->input), real_out = !l->even && is_real(&d->output),
               itself = l->axis == real_axis(d);
    l->has_rest = d->n_axes > 1;
    l->rest_first = l->has_rest && (real_out ? itself : !(real_in && itself));
    l->has_middle = l->has_rest && real_out;
    l->middle = l->has_middle ? mst_layout_dense(complex_type(d), d->input.rank, d->input.shape) : d->output;
    l->sides[0] = l->rest_first ? l->middle : d->input;
    l->sides[1] = !l->has_rest || l->rest_first ? d->output : l->middle;
    l->rest = *d;
    l->rest.input = l->rest_first ? d->input : l->middle;
    l->rest.output = l->rest_first ? l->middle : d->output;
    l->rest.scale = 1;
    if (l->even) // the kind is that of its inverse already
        l->rest.direction = MST_FFT_FORWARD;
    l->rest.n_axes = 0;
    for (int a = 0; a < d->n_axes; a++) { // the real axis is the last one in a description
        const int axis = d->axes[real_in ? (a + 1) % d->n_axes : a];
        if (axis != l->axis)
            l->rest.axes[l->rest.n_axes++] = axis;
    }
}

static void describe_line(mst_fft_lines *l) {
    const size_t shape[] = {l->m, l->width};
    mst_fft_desc d = MST_FFT_DESC_INIT;
    d.input = mst_layout_dense(complex_type(&l->desc), 2, shape);
    d.axes[0] = 0;
    d.shape = l->desc.shape;
    d.direction = l->chirped ? MST_FFT_FORWARD : l->desc.direction;
    d.scale = l->chirped ? 1 : l->desc.scale;
    l->line = d;
}

static uint64_t line_bytes(const mst_fft_lines *l) { return l->m * mst_type_bytes(l->line.input.type); }

static uint64_t middle_bytes(const mst_fft_lines *l) {
    return l->has_middle ? mst_layout_count(&l->middle) * mst_type_bytes(l->middle.type) : 0;
}

static uint64_t chirp_bytes(const mst_fft_lines *l) { return l->chirped ? line_bytes(l) : 0; }

static uint64_t run_bytes(const mst_fft_lines *l) { return middle_bytes(l) + line_bytes(l) * 2 * l->width; }

// Those of a plan's first execution.
static uint64_t n_transforms(const mst_fft_lines *l) { return l->chirped ? 2 * l->groups + 1 : l->groups; }

static bool takes_less(const mst_fft_needs *a, const mst_fft_needs *b) {
    return a->device_bytes != b->device_bytes ? a->device_bytes < b->device_bytes : a->host_bytes < b->host_bytes;
}

mst_status mst_fft_look(mst_context *context, const mst_fft_desc *desc, mst_fft_needs *out, bool *fits, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_desc d;
    mst_fft *whole = NULL;
    mst_fft_panels_plan planned;
    mst_fft_needs needs;
    mst_fft_lines lines;
    mst_error why;
    *fits = false;
    *out = (mst_fft_needs){.device_bytes = UINT64_MAX};
    if (mst_fft_create_planned(context, desc, &whole, &why) == MST_OK)
        *fits = mst_fft_needs_of_whole(whole, out);
    mst_fft_destroy(whole);
    MST_TRY(mst_fft_read(desc, &d, error));
    if (!*fits && mst_fft_panels_look(context, &d, MST_FFT_PANELS_STAGED, &planned, fits, &why) == MST_OK) {
        mst_fft_panels_needs(&d, &planned, &needs);
        if (*fits || takes_less(&needs, out))
            *out = needs;
    }
    if (!*fits) {
        MST_TRY(mst_fft_lines_plan(context, &d, &lines, fits, error));
        if (lines.axis >= 0 && (*fits || takes_less(&lines.needs, out)))
            *out = lines.needs;
    }
fail:
    return status;
}

static void add_needs(mst_fft_needs *all, const mst_fft_needs *one, uint64_t passes, uint64_t times) {
    all->passes += one->passes * passes;
    all->panels += mst_larger(one->panels, (uint64_t)1) * times;
    all->upload_bytes += one->upload_bytes * times;
    all->download_bytes += one->download_bytes * times;
    all->device_bytes = mst_larger(all->device_bytes, one->device_bytes);
    all->host_bytes = mst_larger(all->host_bytes, one->host_bytes);
    all->scratch_bytes = mst_larger(all->scratch_bytes, one->scratch_bytes);
}

mst_status mst_fft_lines_plan(mst_context *context, const mst_fft_desc *desc, mst_fft_lines *l, bool *fits, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_needs needs;
    bool rest_fits = true;
    *fits = false;
    *l = (mst_fft_lines){.context = context, .desc = *desc};
    l->even = desc->kind != MST_FFT_FOURIER;
    l->axis = choose_axis(desc);
    if (l->axis < 0)
        return MST_OK;
    l->n = l->m = length_along(desc, l->axis);
    l->chirped = !l->even && !mst_axis_is_smooth(l->n);
    if (l->n > LONGEST) {
        l->axis = -1;
        return MST_OK;
    }
    if (l->even)
        l->m = mst_even_length(desc->kind, l->n);
    else if (l->chirped)
        l->m = mst_axis_quick_length(2 * l->n - 1);
    choose_order(l);
    choose_width(l);
    describe_line(l);
    MST_TRY(mst_fft_look(context, &l->line, &needs, fits, error));
    add_needs(&l->needs, &needs, l->chirped ? 2 : 1, n_transforms(l));
    if (l->has_rest) {
        MST_TRY(mst_fft_look(context, &l->rest, &needs, &rest_fits, error));
        if (!l->rest_first && !l->has_middle)
            needs.scratch_bytes = mst_larger(needs.scratch_bytes, needs.in_place_bytes);
        add_needs(&l->needs, &needs, 1, 1);
        l->needs.in_place_bytes =
            l->rest_first && needs.in_place_bytes ? needs.in_place_bytes + run_bytes(l) + chirp_bytes(l) : 0;
    }
    *fits = *fits && rest_fits;
    l->needs.scratch_bytes += run_bytes(l) + chirp_bytes(l);
    l->needs.in_place = 1;
fail:
    return status;
}

// ---- The plan

// The passes of one of its transforms, so many times after those before it. That is destroyed, since the other one takes the
// same memory.
static mst_status add_passes(mst_fft_lines *l, const mst_fft_desc *desc, int times, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft *fft = NULL;
    char **kernels;
    MST_TRY(mst_fft_create(l->context, desc, &fft, error));
    const int n = mst_fft_n_passes(fft);
    kernels = realloc(l->kernels, (size_t)(l->n_passes + times * n) * sizeof *kernels);
    MST_REQUIRE(kernels, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    l->kernels = kernels;
    for (int k = 0; k < times * n; k++) {
        char *text = strdup(mst_fft_pass_kernel(fft, k % n));
        MST_REQUIRE(text, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
        l->kernels[l->n_passes++] = text;
    }
fail:
    mst_fft_destroy(fft);
    return status;
}

mst_status mst_fft_lines_create(const mst_fft_lines *looked_at, mst_fft_lines **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_lines *l = NULL;
    MST_REQUIRE(l = malloc(sizeof *l), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    *l = *looked_at;
    if (l->rest_first)
        MST_TRY(add_passes(l, &l->rest, 1, error));
    MST_TRY(add_passes(l, &l->line, l->chirped ? 2 : 1, error));
    if (l->has_rest && !l->rest_first)
        MST_TRY(add_passes(l, &l->rest, 1, error));
    *out = l;
    return MST_OK;
fail:
    mst_fft_lines_destroy(l);
    return status;
}

void mst_fft_lines_destroy(mst_fft_lines *l) {
    if (!l)
        return;
    for (int k = 0; k < l->n_passes; k++)
        free(l->kernels[k]);
    free(l->kernels);
    mst_scratch_release(&l->chirp);
    mst_fft_lines_give_back(l);
    free(l);
}

void mst_fft_lines_give_back(mst_fft_lines *l) {
    mst_fft_destroy(l->held);
    l->held = NULL;
}

// The plan of one of its transforms, kept for the next execution. The other one goes, since both take the same memory.
static mst_status hold(mst_fft_lines *l, const mst_fft_desc *desc, mst_error *error) {
    if (l->held && l->held_of == desc)
        return MST_OK;
    mst_fft_lines_give_back(l);
    l->held_of = desc;
    return mst_fft_create(l->context, desc, &l->held, error);
}

// ---- The run

typedef struct lines_execution {
    mst_fft_lines_run run;
    mst_execution how;
    mst_report report;
    uint64_t done, total; // transforms
    mst_location arrays[2], middle;
    mst_scratch memory;
    mst_roots roots;
} lines_execution;

static bool show_progress(uint64_t done, uint64_t total, void *user) {
    const lines_execution *e = user;
    const uint64_t part = total ? (uint64_t)((double)done / (double)total * (double)PARTS_OF_PROGRESS) : 0;
    return e->how.progress(e->done * PARTS_OF_PROGRESS + part, e->total * PARTS_OF_PROGRESS, e->how.progress_user);
}

// By the plan that is held.
static mst_status transform(lines_execution *e, mst_location from, mst_location to, mst_error *error) {
    mst_status status = MST_OK;
    mst_report report = MST_REPORT_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    how.report = &report;
    how.progress = e->how.progress ? show_progress : NULL;
    how.progress_user = e;
    MST_TRY(mst_fft_execute(e->run.lines->held, from, to, &how, error));
    e->done++;
    mst_report_add(&e->report, &report);
fail:
    return status;
}

static mst_status transform_rest(lines_execution *e, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_lines *l = e->run.lines;
    MST_TRY(hold(l, &l->rest, error));
    MST_TRY(transform(e, l->rest_first ? e->arrays[0] : e->middle, l->rest_first ? e->middle : e->arrays[1], error));
fail:
    return status;
}

static mst_status run_group(lines_execution *e, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_lines_run *r = &e->run;
    const mst_location values = mst_at_host(r->values), spectrum = mst_at_host(r->transform);
    const bool even = r->lines->even;
    MST_TRY((even ? mst_fft_lines_load_even : mst_fft_lines_load)(r, error));
    MST_TRY(transform(e, values, spectrum, error));
    if (r->lines->chirped) {
        MST_TRY(mst_fft_lines_multiply(r, error));
        MST_TRY(transform(e, spectrum, values, error));
    }
    r->results = r->lines->chirped ? r->values : r->transform;
    MST_TRY((even ? mst_fft_lines_store_even : mst_fft_lines_store)(r, error));
fail:
    return status;
}

static mst_status make_chirp(lines_execution *e, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_lines_run *r = &e->run;
    MST_TRY(mst_fft_lines_put_chirp(r, error));
    MST_TRY(transform(e, mst_at_host(r->values), mst_at_host(r->transform), error));
    MST_TRY(mst_scratch_take(chirp_bytes(r->lines), "a transform's chirp", &r->lines->chirp, error));
    MST_TRY(mst_fft_lines_get_multiplier(r, error));
    return MST_OK;
fail:
    mst_scratch_release(&r->lines->chirp);
    r->lines->chirp = (mst_scratch){0};
    return status;
}

static mst_status transform_lines(lines_execution *e, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_lines_run *r = &e->run;
    mst_fft_lines *l = r->lines;
    r->where[0] = l->rest_first ? e->middle : e->arrays[0];
    r->where[1] = !l->has_rest || l->rest_first ? e->arrays[1] : e->middle;
    MST_TRY(hold(l, &l->line, error));
    if (l->chirped && !l->chirp.memory)
        MST_TRY(make_chirp(e, error));
    for (r->group = 0; r->group < l->groups; r->group++)
        MST_TRY(run_group(e, error));
fail:
    return status;
}

static size_t n_roots(const mst_fft_lines *l) {
    if (!l->even)
        return 2 * l->n;
    const mst_pass_op op = mst_even_op(&l->desc, l->n, true);
    return mst_even_roots(&op);
}

static mst_status begin(lines_execution *e, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    const mst_fft_lines *l = e->run.lines;
    const mst_stream_desc ports = {
        .context = l->context,
        .n_ports = 2,
        .ports = {{MST_PORT_INPUT, l->desc.input, 0, "input"}, {MST_PORT_OUTPUT, l->desc.output, 0, "output"}},
        .in_place = true};
    const mst_stream_desc store = {.context = l->context, .n_ports = 1, .ports = {{MST_PORT_INPUT, l->desc.output, 0, "output"}}};
    MST_TRY(mst_host_run_begin(&ports, e->arrays, how, &e->how, error));
    if (l->has_rest && !l->has_middle) // which the second part reads
        MST_TRY(mst_places_check(&store, &e->arrays[1], error));
    e->total = n_transforms(l) + l->has_rest - (l->chirp.memory ? 1 : 0);
    MST_REQUIRE(!(l->chirped || l->even) || mst_roots_create(&e->roots, n_roots(l)), MST_ERROR_HOST_MEMORY,
                "out of memory for the roots of unity of a transform");
    MST_TRY(mst_scratch_take(run_bytes(l), "lines of a transform", &e->memory, error));
    unsigned char *at = e->memory.memory;
    e->middle = l->has_middle ? mst_at_host(at) : e->arrays[1];
    at += middle_bytes(l);
    e->run.roots = &e->roots;
    e->run.values = at;
    e->run.transform = at + line_bytes(l) * l->width;
fail:
    return status;
}

mst_status mst_fft_lines_execute(mst_fft_lines *lines, mst_location input, mst_location output, const mst_execution *how,
                                 mst_error *error) {
    mst_status status = MST_OK;
    const double start = mst_now();
    lines_execution e = {.run = {.lines = lines}, .report = MST_REPORT_INIT, .arrays = {input, output}};
    MST_TRY(begin(&e, how, error));
    if (lines->rest_first)
        MST_TRY(transform_rest(&e, error));
    MST_TRY(transform_lines(&e, error));
    if (lines->has_rest && !lines->rest_first)
        MST_TRY(transform_rest(&e, error));
    e.report.seconds = mst_now() - start;
    MST_TRY(mst_host_run_end(lines->context, &e.how, &e.report, error));
fail:
    mst_scratch_release(&e.memory);
    mst_roots_destroy(&e.roots);
    return status;
}
