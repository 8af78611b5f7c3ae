// Plans by kernels that know no sizes: their groups of passes, and their launches.
#include "any.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mst_any_suits(const mst_fft *plan) {
    const mst_pass_choice *c = &plan->choice;
    return plan->cpu && plan->kernels != MST_FFT_KERNELS_SPECIALISED && (c->radix == 0 || c->radix == 8) &&
           (c->lanes == 0 || c->lanes == mst_pass_lanes(plan->is_double));
}

// ---- Planning.

// Which of the caller's arrays a side is, as a bit of the layouts, or 0.
static unsigned port_of(int buffer) { return buffer == SOURCE ? MST_FFT_SOURCE : buffer == TARGET ? MST_FFT_TARGET : 0; }

static unsigned gaps_of(const mst_fft *plan) {
    return (mst_fft_has_gaps(plan, SOURCE) ? MST_FFT_SOURCE : 0u) | (mst_fft_has_gaps(plan, TARGET) ? MST_FFT_TARGET : 0u);
}

// Each pass for each set of arrays that may not be packed. The tables are the same.
static void describe_passes(mst_fft *plan) {
    mst_any *any = plan->any;
    unsigned gaps = gaps_of(plan);
    for (int k = 0; k < plan->n_passes; k++) {
        const mst_fft_pass *p = &plan->passes[k];
        any_pass tables;
        if (any->box.count > 0 && k == any->box.at) {
            mst_any_describe_box(plan, &any->described[0][k]);
            continue;
        }
        mst_any_describe(p, false, false, &tables);
        mst_any_add_tables(plan, p, &tables);
        for (unsigned own = 0; own < MST_ANY_LAYOUTS; own++) {
            any_pass *out = &any->described[own][k];
            if (own & ~gaps)
                continue;
            *out = tables;
            any_pass views;
            mst_any_describe(p, own & port_of(p->from), own & port_of(p->to), &views);
            views.source.factors = tables.source.factors;
            views.target.factors = tables.target.factors;
            out->source = views.source;
            out->target = views.target;
            out->column_dim = views.column_dim;
            out->run = views.run;
            out->several = views.several;
            out->strip = views.strip;
            out->columns = views.columns;
            out->from_memory = views.from_memory;
            out->to_memory = views.to_memory;
            out->joins = views.joins;
            out->wide = views.wide;
        }
    }
}

static void count_bytes(mst_fft *plan) {
    mst_any *any = plan->any;
    unsigned gaps = gaps_of(plan);
    size_t real_bytes = plan->is_double ? sizeof(double) : sizeof(float);
    any->places_at = mst_round_up(any->number_values.length, sizeof(cell));
    any->tables.bytes = mst_round_up(any->places_at + any->place_values.length, sizeof(cell));
    for (int g = 0; g < any->n_groups; g++) {
        mst_any_group *group = &any->groups[g];
        any->scratch.bytes = mst_larger(any->scratch.bytes, group->scratch_reals * real_bytes * group->work_items);
        for (unsigned own = 0; own < MST_ANY_LAYOUTS; own++)
            if ((own & ~gaps) == 0) {
                group->passes_at[own] = (size_t)any->tables.bytes;
                any->tables.bytes += (uint64_t)group->count * sizeof(any_pass);
            }
    }
    plan->table_bytes = any->tables.bytes + any->scratch.bytes;
}

mst_status mst_any_plan(mst_fft *plan, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(plan->any = calloc(1, sizeof *plan->any), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    mst_any_join_box(plan);
    describe_passes(plan);
    MST_REQUIRE(!plan->any->number_values.failed && !plan->any->place_values.failed, MST_ERROR_HOST_MEMORY,
                "out of memory for tables of twiddles");
    mst_any_group_passes(plan);
    count_bytes(plan);
fail:
    return status;
}

// ---- On the device.

static void put(unsigned char *to, const mst_any_values *values) {
    if (values->length > 0)
        memcpy(to, values->bytes, values->length);
}

// All tables as they lie in one buffer; NULL: out of memory.
static void *join_tables(const mst_fft *plan) {
    const mst_any *any = plan->any;
    unsigned char *all = calloc(1, (size_t)any->tables.bytes);
    if (!all)
        return NULL;
    put(all, &any->number_values);
    put(all + any->places_at, &any->place_values);
    for (int g = 0; g < any->n_groups; g++)
        for (unsigned own = 0; own < MST_ANY_LAYOUTS; own++)
            if ((own & ~gaps_of(plan)) == 0)
                memcpy(all + any->groups[g].passes_at[own], &any->described[own][any->groups[g].first],
                       (size_t)any->groups[g].count * sizeof(any_pass));
    return all;
}

mst_status mst_any_make(mst_fft *plan, mst_error *error) {
    mst_status status = MST_OK;
    mst_any *any = plan->any;
    mst_context *context = plan->context;
    const mst_program *program;
    char title[64];
    MST_TRY(mst_table_upload(context, &any->tables, join_tables(plan), error));
    mst_any_values_release(&any->number_values);
    mst_any_values_release(&any->place_values);
    if (any->scratch.bytes)
        MST_TRY(
            mst_device_allocate(context, CL_MEM_READ_WRITE, any->scratch.bytes, "scratch memory", &any->scratch.buffer, error));
    bool even = plan->desc.kind != MST_FFT_FOURIER;
    for (int k = 0; k < plan->n_passes; k++)
        mst_log(context, MST_LOG_DEBUG, "%s", plan->passes[k].device.title);
    MST_TRY(mst_any_write(context, plan->is_double, even, &any->text, error));
    snprintf(title, sizeof title, "fft: any length%s, in %s", even ? ", even and odd data" : "",
             plan->is_double ? "double" : "float");
    MST_TRY(mst_program_of_text(context, title, &any->text, mst_program_precision(context, plan->is_double), &program, error));
    MST_TRY(mst_kernel_create(program, "fft_any", &any->kernel, error));
fail:
    return status;
}

void mst_any_destroy(mst_fft *plan) {
    mst_any *any = plan->any;
    if (!any)
        return;
    mst_kernel_destroy(any->kernel);
    mst_text_release(&any->text);
    mst_any_values_release(&any->number_values);
    mst_any_values_release(&any->place_values);
    mst_table_release(plan->context, &any->tables);
    mst_table_release(plan->context, &any->scratch);
    free(any);
    plan->any = NULL;
}

// ---- Execution.

// Where the kernel finds one of the caller's arrays.
typedef struct any_port {
    cl_mem buffer;
    cl_long base;
    cl_ulong item;
} any_port;

static any_port port_in(const mst_block_port *port, const mst_layout *layout, size_t item) {
    cl_long reals = mst_type_is_complex(layout->type) ? 2 : 1;
    return (any_port){port->buffer, port->base * reals, port->first_item + item};
}

// The tiles of a single pass over so many lines, at most (count_tiles of any_tiles.cl).
static uint64_t tiles_of(const any_pass *p, uint64_t first, uint64_t n_lines, unsigned lanes) {
    uint64_t run = (uint64_t)p->run;
    if (run == 0)
        return mst_divide_up(n_lines, (uint64_t)lanes);
    return mst_divide_up(first % run + n_lines, run) * mst_divide_up(run, (uint64_t)lanes);
}

static mst_status run_group(mst_fft *plan, const mst_any_group *g, const mst_block *block, size_t item, size_t count,
                            mst_error *error) {
    mst_any *any = plan->any;
    any_port source = port_in(&block->ports[0], &plan->desc.input, item);
    any_port target = port_in(&block->ports[1], &plan->desc.output, item);
    unsigned own = (block->ports[0].packed ? 0 : MST_FFT_SOURCE) | (block->ports[1].packed ? 0 : MST_FFT_TARGET);
    own &= gaps_of(plan);
    const any_pass *first = &any->described[own][g->first];
    const cl_mem *buffers = plan->buffers;
    uint64_t n_pieces = (uint64_t)count * g->pieces_an_item, n_lines = 0, units = mst_divide_up(n_pieces, (uint64_t)g->joint);
    if (g->count == 1) {
        uint64_t first_line = (first->source.buffer == SOURCE   ? source.item
                               : first->source.buffer == TARGET ? target.item
                                                                : item) *
                              (uint64_t)first->source.lines_an_item;
        n_lines = (uint64_t)count * (uint64_t)first->source.lines_an_item;
        units = tiles_of(first, first_line, n_lines, mst_pass_lanes(plan->is_double));
    }
    const size_t n_items = (size_t)mst_smaller(units, (uint64_t)g->work_items);
    const any_call call = {.passes_at = (cell)g->passes_at[own],
                           .n_passes = g->count,
                           .places_at = (cell)any->places_at,
                           .source_base = source.base,
                           .target_base = target.base,
                           .source_item = (cell)source.item,
                           .target_item = (cell)target.item,
                           .work_item = (cell)item,
                           .scratch_reals = (cell)g->scratch_reals,
                           .n_pieces = (cell)n_pieces,
                           .joint = (cell)g->joint,
                           .n_lines = (cell)n_lines,
                           .n_items = (cell)n_items};
    const mst_argument arguments[] = {MST_BIND_AS("tables", any->tables.buffer),   MST_BIND_AS("source", source.buffer),
                                      MST_BIND_AS("target", target.buffer),        MST_BIND(work, buffers[WORK]),
                                      MST_BIND(padded, buffers[PADDED]),           MST_BIND(spectrum, buffers[SPECTRUM]),
                                      MST_BIND_AS("scratch", any->scratch.buffer), MST_BIND(call, call)};
    return mst_kernel_launch(block->queue, any->kernel, arguments, MST_COUNT(arguments), n_items, 1, NULL, error);
}

mst_status mst_any_compute(mst_fft *plan, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    size_t step = plan->any->n_groups == 1 ? block->count : mst_any_items_at_once(plan);
    for (size_t item = 0; item < block->count; item += step)
        for (int g = 0; g < plan->any->n_groups; g++) {
            if (g + 1 == plan->any->n_groups && block->count - item <= step)
                mst_queue_expect_mark(block->queue);
            MST_TRY(run_group(plan, &plan->any->groups[g], block, item, mst_smaller(step, block->count - item), error));
        }
fail:
    return status;
}
