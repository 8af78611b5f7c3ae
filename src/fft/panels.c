// Passes over panels on a device: their transforms, twiddles and runs.
#include "panels_places.h"

#include "plan.h"
#include "runtime/kernel.h"
#include "runtime/layout.h"
#include "runtime/numbers.h"
#include "tray.h"
#include "twiddle_panel.h"

#include <stdlib.h>

// Bytes of a panel that keep a device busy while the next one moves, and of one that stays in a processor's cache.
#define PANEL_BYTES ((uint64_t)32 << 20)
#define UNIFIED_PANEL_BYTES ((uint64_t)2 << 20)
#define MOST_PANEL_BYTES ((uint64_t)512 << 20)
// Rows that move at full rate: between arrays in memory, and over a link (rectangles on an H100: 27 GB/s by rows of 1 KiB, 33 by
// 4 KiB, 46 by 8 KiB, 48 by 16 KiB).
#define UNIFIED_ROW_BYTES ((uint64_t)1 << 10)
#define ROW_BYTES ((uint64_t)8 << 10)
#define TRAY_ROW_BYTES ((uint64_t)128) // between slots and trays
#define TRAYS_SHARE 4                  // of the host's budget slots have one part, the rest is for trays
#define CROSSING_ROW ((uint64_t)256)   // bytes side by side that a device copies from and to pinned memory at the link's rate

typedef struct pass_work {
    mst_fft *transform;
    size_t n_items; // of it in a panel
    mst_device_table roots, mirror_roots;
} pass_work;

struct mst_fft_panels {
    mst_context *context;
    mst_fft_desc desc;
    mst_fft_panels_plan plan;
    pass_work work[MST_FFT_PANELS_MAX_PASSES];
    mst_kernel *twiddles, *mirrors, *folds; // NULL: no pass has any
    mst_stream *stream;
    int pass;                            // that runs
    const struct mst_fft_panels *lead;   // whose pass runs: itself, or that of a group's first device
    mst_fft_panel_pass trays[MST_SIDES]; // of the pass that runs, if its panels have any
    int prepared;                        // the pass whose work memory is there; -1: none
};

static const mst_fft_panel_pass *running(const mst_fft_panels *panels) { return &panels->plan.passes[panels->lead->pass]; }

// ---- Making.

static mst_status make_pass(mst_fft_panels *panels, int number, mst_error *error) {
    mst_status status = MST_OK;
    const mst_fft_panel_pass *p = &panels->plan.passes[number];
    pass_work *w = &panels->work[number];
    const bool is_double = mst_type_is_double(panels->desc.input.type);
    mst_fft_desc d;
    mst_fft_panel_describe(p, &panels->desc, &d);
    MST_TRY(mst_fft_create_with(panels->context, &d, NULL, &w->transform, error));
    w->n_items = mst_fft_items(w->transform);
    if (p->twiddle_n) {
        MST_TRY(mst_panel_roots(panels->context, is_double, p->twiddle_n, &w->roots, error));
        MST_TRY(mst_panel_kernel(panels->context, is_double, "twiddle_panel", &panels->twiddles, error));
    }
    if (p->mirror) {
        MST_TRY(mst_panel_roots(panels->context, is_double, mst_fft_panel_mirrored(p), &w->mirror_roots, error));
        MST_TRY(mst_panel_kernel(panels->context, is_double, "mirror_panel", &panels->mirrors, error));
    }
    if (p->fold && !panels->folds)
        MST_TRY(mst_panel_kernel(panels->context, is_double, "fold_panel", &panels->folds, error));
fail:
    return status;
}

static int panel_pieces(const void *user, mst_panel_view view, int port, size_t item, mst_panel_piece *pieces) {
    const mst_fft_panels *panels = user;
    const mst_fft_panel_pass *p = running(panels), *tray = &panels->lead->trays[port];
    switch (view) {
    case MST_PANEL_IN_ARRAY:
        return mst_fft_panel_place(p, port, item, pieces);
    case MST_PANEL_IN_TRAY:
        return mst_fft_panel_place_in_tray(p, tray, port, item, pieces);
    case MST_TRAY_IN_ARRAY:
        return mst_fft_panel_place_tray(p, tray, port, item, pieces);
    }
    return 0;
}

static mst_tray_shape choose_trays(void *user, const mst_tray_room *room) {
    mst_fft_panels *panels = user;
    return mst_fft_panel_trays(running(panels), room, panels->trays);
}

// Indices j2 of the twiddles.
static size_t column_length(const mst_fft_panel_pass *p) { return p->mirror ? p->n_columns : p->axes[p->column].n[MST_TO]; }

// Of a panel's columns or, in the part behind them, of their mirrors.
static mst_status twiddle(mst_fft_panels *panels, const mst_block *block, bool mirrors, mst_error *error) {
    const mst_fft_panel_pass *p = running(panels);
    const bool column_inside = p->inside & 1u << p->column;
    const cl_ulong n = p->bytes[MST_TO] / mst_type_bytes(p->type[MST_TO]) / (p->mirror ? 2 : 1);
    const cl_long begin = (cl_long)mst_fft_panel_begin(p, block->first, p->column), end = (cl_long)column_length(p);
    const mst_panel_twiddles of = {.panel = block->ports[1].buffer,
                                   .roots = panels->work[panels->lead->pass].roots.buffer,
                                   .length = p->twiddle_n,
                                   .inverse = panels->desc.direction == MST_FFT_INVERSE,
                                   .first = mirrors ? n : 0,
                                   .n = n,
                                   .row_stride = mst_fft_panel_stride(p, MST_TO, p->row),
                                   .row_count = p->axes[p->row].n[MST_TO],
                                   .column_stride = column_inside ? mst_fft_panel_stride(p, MST_TO, p->column) : 1,
                                   .column_count = !column_inside        ? 1
                                                   : p->cut == p->column ? p->width
                                                                         : p->axes[p->column].n[MST_TO],
                                   .column_first = mirrors ? end - begin - (cl_long)p->width + 1 : begin,
                                   .column_end = end};
    return mst_panel_twiddle(block->queue, panels->twiddles, &of, error);
}

static mst_status mirror(mst_fft_panels *panels, const mst_block *block, cl_mem panel, mst_error *error) {
    const mst_fft_panel_pass *p = running(panels);
    cl_ulong n_columns = p->n_columns, n_rows = mst_fft_panel_mirrored(p) / 2 / n_columns, width = p->width;
    cl_ulong first = mst_fft_panel_begin(p, block->first, p->cut);
    cl_int split = p->mirror == MST_FFT_MIRROR_SPLIT;
    cl_uint shift = mst_fft_panel_twiddle_shift(mst_fft_panel_mirrored(p));
    const mst_argument arguments[] = {MST_BIND(panel, panel),
                                      MST_BIND(n_rows, n_rows),
                                      MST_BIND(width, width),
                                      MST_BIND(first, first),
                                      MST_BIND(n_columns, n_columns),
                                      MST_BIND(split, split),
                                      MST_BIND_AS("roots", panels->work[panels->lead->pass].mirror_roots.buffer),
                                      MST_BIND(shift, shift)};
    size_t n_items = (size_t)(n_rows * width);
    return mst_kernel_launch(block->queue, panels->mirrors, arguments, MST_COUNT(arguments), n_items,
                             mst_kernel_group(panels->context, panels->mirrors, n_items), NULL, error);
}

static mst_status fold(mst_fft_panels *panels, const mst_block *block, int side, mst_error *error) {
    const mst_fft_panel_pass *p = running(panels);
    cl_ulong stride = mst_fft_panel_stride(p, side, p->folded), count = mst_fft_panel_indices(p, side, p->folded);
    cl_ulong n = p->bytes[side] / mst_type_bytes(p->type[side]) / count;
    cl_int apart = p->fold == MST_FFT_FOLD_APART;
    const mst_argument arguments[] = {MST_BIND_AS("panel", block->ports[side].buffer), MST_BIND(n, n), MST_BIND(stride, stride),
                                      MST_BIND(count, count), MST_BIND(apart, apart)};
    return mst_kernel_launch(block->queue, panels->folds, arguments, MST_COUNT(arguments), (size_t)n,
                             mst_kernel_group(panels->context, panels->folds, (size_t)n), NULL, error);
}

static mst_status compute(void *user, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_panels *panels = user;
    pass_work *w = &panels->work[panels->lead->pass];
    const mst_fft_panel_pass *p = running(panels);
    const mst_block panel = {.count = w->n_items,
                             .queue = block->queue,
                             .ports = {{.buffer = block->ports[0].buffer}, {.buffer = block->ports[1].buffer}}};
    if (p->mirror == MST_FFT_MIRROR_SPLIT)
        MST_TRY(mirror(panels, block, block->ports[0].buffer, error));
    if (p->fold == MST_FFT_FOLD_APART)
        MST_TRY(fold(panels, block, MST_FROM, error));
    MST_TRY(mst_fft_compute(w->transform, &panel, error));
    for (int k = 0; k < (p->twiddle_n == 0 ? 0 : p->mirror ? 2 : 1); k++) {
        mst_queue_expect_mark(block->queue); // each of these launches may be the last one
        MST_TRY(twiddle(panels, block, k == 1, error));
    }
    if (p->mirror == MST_FFT_MIRROR_COMBINE) {
        mst_queue_expect_mark(block->queue);
        MST_TRY(mirror(panels, block, block->ports[1].buffer, error));
    }
    if (p->fold == MST_FFT_FOLD_TOGETHER && mst_fft_panel_begin(p, block->first, p->folded) == 0) {
        mst_queue_expect_mark(block->queue);
        MST_TRY(fold(panels, block, MST_TO, error));
    }
fail:
    return status;
}

// Work memory is that of the pass that runs.
static mst_status prepare(void *user, size_t n_items, mst_error *error) {
    mst_fft_panels *panels = user;
    (void)n_items;
    if (panels->prepared < 0)
        return MST_OK;
    mst_status status = mst_fft_prepare(panels->work[panels->prepared].transform, 0, error);
    panels->prepared = -1;
    return status;
}

static mst_status begin(void *user, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_panels *panels = user;
    const int pass = panels->lead->pass;
    if (panels->prepared == pass)
        return MST_OK;
    MST_TRY(prepare(panels, 0, error));
    panels->prepared = pass;
    status = mst_fft_prepare(panels->work[pass].transform, panels->work[pass].n_items, error);
fail:
    return status;
}

bool mst_fft_panels_cross(const mst_fft_panels_plan *plan) {
    bool cross = true;
    for (int k = 0; k < plan->n_passes; k++)
        cross = cross && mst_fft_panel_shortest_run(&plan->passes[k]) >= CROSSING_ROW;
    return cross;
}

static mst_status make_stream(mst_fft_panels *panels, mst_error *error) {
    mst_stream_desc stream = {
        .context = panels->context,
        .n_items = 1,
        .n_ports = 2,
        .ports = {{MST_PORT_INPUT, panels->desc.input, 0, "input"}, {MST_PORT_OUTPUT, panels->desc.output, 0, "output"}},
        .panel = panel_pieces,
        .panel_bytes = {panels->plan.panel_bytes[MST_FROM], panels->plan.panel_bytes[MST_TO]},
        .panels_cross = mst_fft_panels_cross(&panels->plan),
        .trays = choose_trays,
        .prepare = prepare,
        .compute = compute,
        .begin = begin,
        .user = panels};
    for (int k = 0; k < panels->plan.n_passes; k++) {
        const pass_work *w = &panels->work[k];
        stream.n_items = mst_larger(stream.n_items, panels->plan.passes[k].n_panels);
        stream.item_work_bytes = mst_larger(stream.item_work_bytes, w->n_items * mst_fft_item_work(w->transform));
    }
    stream.most_items = stream.n_items;
    return mst_stream_create(&stream, &panels->stream, error);
}

// The passes of a plan on one device; lead: NULL, or those of the group's first device.
static mst_status make(mst_context *context, const mst_fft_desc *desc, const mst_fft_panels_plan *plan,
                       const mst_fft_panels *lead, mst_fft_panels **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_panels *panels = NULL;
    MST_REQUIRE(panels = calloc(1, sizeof *panels), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    panels->context = context;
    panels->desc = *desc;
    panels->plan = *plan;
    panels->lead = lead ? lead : panels;
    panels->prepared = -1;
    for (int k = 0; k < plan->n_passes; k++)
        MST_TRY(make_pass(panels, k, error));
    MST_TRY(make_stream(panels, error));
    *out = panels;
    return MST_OK;
fail:
    mst_fft_panels_destroy(panels);
    return status;
}

// A group's devices take panels of the same passes, which the first one's budgets shaped.
static mst_status make_twin(mst_context *peer, const void *user, void **out, mst_error *error) {
    const mst_fft_panels *lead = user;
    mst_fft_panels *made = NULL;
    mst_status status = make(peer, &lead->desc, &lead->plan, lead, &made, error);
    *out = made;
    return status;
}

static void destroy_twin(void *plan) { mst_fft_panels_destroy(plan); }
static mst_stream *stream_of(void *plan) { return ((mst_fft_panels *)plan)->stream; }
static const mst_share_kind shares = {{make_twin, destroy_twin}, stream_of};

mst_status mst_fft_panels_look(mst_context *context, const mst_fft_desc *desc, mst_fft_panels_way way, mst_fft_panels_plan *out,
                               bool *fits, mst_error *error) {
    const bool unified = context->device.unified_memory, filed = way == MST_FFT_PANELS_FILED;
    const uint64_t host = mst_budget_left(context, &context->host_memory) / (filed ? TRAYS_SHARE : 1);
    mst_fft_panels_coster c = {.context = context, .desc = desc};
    const mst_fft_panels_problem problem = {.desc = desc,
                                            .device = mst_budget_left(context, &context->device_memory),
                                            .host = way == MST_FFT_PANELS_CROSSING ? UINT64_MAX : host,
                                            .largest = context->device.max_allocation_bytes,
                                            .wanted = unified ? UNIFIED_PANEL_BYTES : PANEL_BYTES,
                                            .most = MOST_PANEL_BYTES,
                                            .row = filed     ? TRAY_ROW_BYTES
                                                   : unified ? UNIFIED_ROW_BYTES
                                                             : ROW_BYTES,
                                            .cost = mst_fft_panels_cost,
                                            .user = &c};
    return mst_fft_panels_choose(&problem, out, fits, error);
}

mst_status mst_fft_panels_create(mst_context *context, const mst_fft_desc *desc, const mst_fft_panels_plan *plan,
                                 mst_fft_panels **out, mst_error *error) {
    mst_status status = MST_OK;
    *out = NULL;
    MST_TRY(make(context, desc, plan, NULL, out, error));
    status = mst_stream_share((*out)->stream, &shares, *out, error);
fail:
    if (status != MST_OK) {
        mst_fft_panels_destroy(*out);
        *out = NULL;
    }
    return status;
}

void mst_fft_panels_destroy(mst_fft_panels *panels) {
    if (!panels)
        return;
    mst_stream_destroy(panels->stream);
    for (int k = 0; k < MST_FFT_PANELS_MAX_PASSES; k++) {
        mst_fft_destroy(panels->work[k].transform);
        mst_table_release(panels->context, &panels->work[k].roots);
        mst_table_release(panels->context, &panels->work[k].mirror_roots);
    }
    mst_kernel_destroy(panels->twiddles);
    mst_kernel_destroy(panels->mirrors);
    mst_kernel_destroy(panels->folds);
    free(panels);
}

mst_status mst_fft_panels_give_back(mst_fft_panels *panels, mst_error *error) {
    return mst_stream_give_back(panels->stream, error);
}

const mst_fft *mst_fft_panels_transform(const mst_fft_panels *panels, int pass) {
    return pass < panels->plan.n_passes ? panels->work[pass].transform : NULL;
}

const mst_fft_panels_plan *mst_fft_panels_planned(const mst_fft_panels *panels) { return &panels->plan; }

// ---- Running.

typedef struct panels_watch {
    mst_progress_fn call;
    void *user;
    uint64_t done, total; // panels, of all passes
} panels_watch;

static bool pass_progress(uint64_t done, uint64_t total, void *user) {
    const panels_watch *p = user;
    (void)total;
    return p->call(p->done + done, p->total, p->user);
}

static mst_status run_pass(mst_fft_panels *panels, const mst_fft_panels_places *places, const mst_execution *how,
                           mst_error *error) {
    mst_location where[MST_SIDES];
    const mst_stream_desc d = mst_fft_panels_places_of(places, panels->pass, where);
    mst_stream_turn_to(panels->stream, d.n_items, d.ports, d.in_place);
    return mst_stream_run(panels->context, panels->stream, where, how, error);
}

mst_status mst_fft_panels_run(mst_fft_panels *panels, mst_location input, mst_location output, const mst_execution *how,
                              mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_panels_places places = {
        .context = panels->context, .desc = &panels->desc, .plan = &panels->plan, .arrays = {input, output}};
    mst_execution whole;
    mst_report sum = {.seconds = 0};
    MST_TRY(mst_execution_read(how, &whole, error));
    MST_TRY(mst_fft_panels_places_begin(&places, error));
    panels_watch watch = {whole.progress, whole.progress_user, 0, 0};
    int last = panels->plan.n_passes - 1;
    for (int k = 0; k <= last; k++)
        watch.total += panels->plan.passes[k].n_panels;
    for (panels->pass = 0; panels->pass <= last; panels->pass++) {
        mst_report report = MST_REPORT_INIT;
        mst_execution one = MST_EXECUTION_INIT;
        one.progress = whole.progress ? pass_progress : NULL;
        one.progress_user = &watch;
        one.n_wait = panels->pass == 0 ? whole.n_wait : 0;
        one.wait_list = panels->pass == 0 ? whole.wait_list : NULL;
        one.event = panels->pass == last ? whole.event : NULL;
        one.report = one.event ? NULL : &report; // an execution gives the one or the other
        MST_TRY(run_pass(panels, &places, &one, error));
        mst_report_add(&sum, &report);
        watch.done += panels->plan.passes[panels->pass].n_panels;
    }
    mst_execution_report(&whole, &sum);
fail:
    mst_fft_panels_places_end(&places);
    return status;
}
