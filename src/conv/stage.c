// What a stage needs on the device.
#include "any.h"
#include "stage_text.h"

#include "fft/twiddle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_BY_COLUMN ((size_t)1 << 21) // transforms with twiddles by column; of longer ones they are too large

static void place_rows(const mst_stage *s, const mst_padded_axis *a, size_t *count, size_t *first) {
    *count = s->kind == MST_STAGE_BACKWARD ? a->kept : a->extent[s->ports[FROM].array];
    *first = s->kind == MST_STAGE_BACKWARD ? a->start : 0;
}

static void place_lines(mst_stage *s) {
    const mst_geometry *g = s->g;
    const mst_digit *d = &g->digits[s->digit];
    s->column = 1;
    for (int a = d->axis + 1; a < g->n_axes; a++)
        s->column *= g->axes[a].n;
    s->inner = d->rest * s->column;
    s->before = g->axes[d->axis].n / d->n / d->rest;
    s->rows = s->planes = 1;
    s->first_row = s->first_plane = 0;
    if (d->axis > 0)
        place_rows(s, &g->axes[d->axis - 1], &s->rows, &s->first_row);
    if (d->axis > 1)
        place_rows(s, &g->axes[0], &s->planes, &s->first_plane);
}

static int64_t element_stride(const mst_stage *s, int port) {
    return s->ports[port].work ? (int64_t)s->inner : mst_stage_view(s, s->ports[port].array, true).axis_stride;
}

static mst_status plan_pass(mst_stage *s, mst_error *error) {
    mst_status status = MST_OK;
    const mst_digit *d = &s->g->digits[s->digit];
    mst_pass *pass = &s->device.pass;
    pass->choice = s->plan->choice.pass;
    pass->cpu = s->g->cpu;
    pass->fused = true;
    pass->two_operands = s->kind == MST_STAGE_FUSED && s->ports[FROM].forward && s->ports[WITH].forward;
    pass->is_double = s->plan->work_type == MST_COMPLEX128;
    pass->n = d->n;
    pass->source = (mst_view){.axis_stride = element_stride(s, FROM), .step = 1};
    pass->target = (mst_view){.axis_stride = element_stride(s, TO), .step = 1};
    pass->twiddle_n = d->rest > 1 ? d->n * d->rest : 0;
    pass->twiddle_by_column = !pass->cpu && pass->twiddle_n <= LONGEST_BY_COLUMN;
    pass->twiddle_on_load = s->kind == MST_STAGE_BACKWARD;
    MST_REQUIRE(mst_pass_choose_radices(pass), MST_ERROR_UNSUPPORTED, "the fused algorithm has no radices for length %zu", d->n);
    MST_TRY(mst_pass_shape(pass, &s->plan->context->device, error));
fail:
    return status;
}

static void plan_tables(mst_stage *s) {
    bool fused = s->kind == MST_STAGE_FUSED;
    bool caller = !s->ports[FROM].work || !s->ports[TO].work || (fused && !s->ports[WITH].work);
    mst_pass_tables *tables = &s->device.tables;
    if (s->g->right_angle && caller)
        tables->tables[MST_TABLE_WEIGHTS].bytes = s->g->axes[s->g->n_axes - 1].n * mst_type_bytes(s->plan->work_type);
    mst_pass_tables_plan(tables, &s->device.pass, fused);
}

// Stages of one digit differ in radices where their elements lie differently.
static bool has_same_radices(const mst_stage *s, const mst_stage *other) {
    const mst_pass *a = &s->device.pass, *b = &other->device.pass;
    return s->digit == other->digit && a->n_radices == b->n_radices && memcmp(a->radices, b->radices, sizeof a->radices) == 0;
}

mst_status mst_stage_plan(mst_stage *s, const mst_stage *earlier, int n_earlier, mst_error *error) {
    static const char *const names[] = {"forward", "convolve", "back"};
    mst_device_pass *d = &s->device;
    d->context = s->plan->context;
    d->owner = s;
    d->write = mst_stage_write;
    place_lines(s);
    mst_status status = plan_pass(s, error);
    if (status != MST_OK)
        return status;
    plan_tables(s);
    snprintf(d->name, sizeof d->name, "%s_%zu", names[s->kind], d->pass.n);
    mst_stage_print_title(s, d->title, sizeof d->title);
    for (int k = 0; k < n_earlier && !d->shared; k++)
        if (has_same_radices(s, &earlier[k]))
            mst_device_pass_share(d, &earlier[k].device);
    return mst_any_stage_suits(s->plan, s->g) ? mst_any_stage_plan(s, error) : MST_OK;
}

// exp(i pi p / 2h) for p < h.
static mst_status make_weights(mst_stage *s, mst_error *error) {
    size_t h = s->g->axes[s->g->n_axes - 1].n;
    mst_device_table *table = &s->device.tables.tables[MST_TABLE_WEIGHTS];
    mst_roots roots;
    void *values = mst_roots_create(&roots, 4 * h) ? malloc((size_t)table->bytes) : NULL;
    for (size_t p = 0; p < h && values; p++) {
        mst_root w = mst_roots_get(&roots, p);
        mst_table_put(values, s->device.pass.is_double, p, (mst_root){w.re, -w.im});
    }
    mst_roots_destroy(&roots);
    return mst_table_upload(s->plan->context, table, values, error);
}

mst_status mst_stage_make_tables(mst_stage *s, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_device_pass_make_tables(&s->device, error));
    if (!s->device.shared && s->device.tables.tables[MST_TABLE_WEIGHTS].bytes)
        MST_TRY(make_weights(s, error));
    if (s->any)
        MST_TRY(mst_any_stage_make(s, error));
fail:
    return status;
}

mst_status mst_stage_enqueue(mst_stage *s, mst_queue *queue, const mst_stage_array arrays[N_STAGE_PORTS], size_t vectors,
                             mst_error *error) {
    mst_argument arguments[3 * N_STAGE_PORTS];
    size_t n = 0;
    unsigned own = 0;
    if (s->any)
        return mst_any_stage_enqueue(s, queue, arrays, vectors, error);
    for (int port = 0; port < N_STAGE_PORTS; port++) {
        const mst_stage_array *a = &arrays[port];
        if (!mst_stage_has_port(s, port))
            continue;
        own |= a->own ? 1u << port : 0;
        arguments[n++] = MST_BIND_AS(mst_stage_parameter(s, port, STAGE_BUFFER), a->buffer);
        arguments[n++] = MST_BIND_AS(mst_stage_parameter(s, port, STAGE_BASE), a->base);
        arguments[n++] = MST_BIND_AS(mst_stage_parameter(s, port, STAGE_FIRST), a->first_line);
    }
    return mst_device_pass_enqueue(&s->device, own, queue, arguments, n, (uint64_t)vectors * mst_stage_lines(s), NULL, error);
}

uint64_t mst_stage_table_bytes(const mst_stage *s) {
    return mst_device_pass_table_bytes(&s->device) + mst_any_stage_table_bytes(s);
}

void mst_stage_destroy(mst_stage *s) {
    mst_any_stage_destroy(s);
    mst_device_pass_release(&s->device);
}
