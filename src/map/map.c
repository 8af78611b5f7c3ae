// The plan's life, and execution.
#include "boxes.h"
#include "byte_code.h"
#include "reduce_apart.h"
#include "reduce_steps.h"
#include "scan.h"

#include "runtime/description.h"
#include "runtime/layout.h"
#include "runtime/lines.h"

#include <stdlib.h>
#include <string.h>

static mst_status choose_width(mst_map *plan, const mst_map_desc *desc, mst_tune_chain *chain, mst_error *error) {
    unsigned w = desc->vector_width;
    if (w != 0 && w != 1 && w != 2 && w != 4 && w != 8 && w != 16)
        return mst_fail(error, MST_ERROR_ARGUMENT, "vector_width is %u; 1, 2, 4, 8 and 16 are supported, and 0 for a choice", w);
    if (w == 16 && plan->has_parts)
        return mst_fail(error, MST_ERROR_ARGUMENT, "vector_width is 16; complex numbers lie in vectors of 8 at most");
    if (desc->measure && (plan->reduce || plan->n_outputs > 1))
        return mst_fail(error, MST_ERROR_ARGUMENT, "measure is for maps of one output; leave it out, or give vector_width");
    plan->width = w ? w : mst_map_safe_width(plan);
    return w || plan->reduce || plan->n_outputs > 1 ? MST_OK : mst_map_tune(plan, desc, chain, error);
}

// ---- execution ----

// The kernel of a form for n more elements; NULL: byte code computes them. It is in the cache, or compiling it is repaid.
static mst_status kernel_of(mst_map *plan, mst_map_form form, uint64_t n, const mst_kernel **out, mst_error *error) {
    mst_status status = MST_OK;
    bool by_code = false;
    if (!plan->texts[form].text) {
        MST_TRY(mst_map_write(plan, form, plan->width, &plan->texts[form], error));
        if (plan->code)
            MST_TRY(mst_map_build(plan, form, true, &plan->kernels[form], error));
    }
    if (!plan->kernels[form] && plan->code)
        MST_TRY(mst_map_code_expect(plan, n, &by_code, error));
    if (!plan->kernels[form] && !by_code)
        MST_TRY(mst_map_build(plan, form, false, &plan->kernels[form], error));
    *out = plan->kernels[form];
fail:
    return status;
}

static mst_status compute(void *user, const mst_block *block, mst_error *error) {
    mst_map *plan = user;
    mst_map_operand ports[MST_MAP_MAX_PORTS];
    mst_map_form form = MST_MAP_ALIGNED;
    const mst_kernel *kernel;
    if (plan->reduce)
        return plan->reduce->apart && plan->reduce->apart->computes ? mst_map_apart_compute(plan, block, error)
                                                                    : mst_map_reduce_compute(plan, block, error);
    for (int p = 0; p < mst_map_n_ports(plan); p++) {
        const mst_block_port *port = &block->ports[p];
        bool gaps = !port->packed && !mst_layout_is_dense(&plan->layouts[p]);
        ports[p] = (mst_map_operand){port->buffer, plan->lines[gaps ? p : MST_MAP_MAX_PORTS], port->base, port->first_item};
        if (gaps)
            form = MST_MAP_STRIDED;
        else if (form == MST_MAP_ALIGNED && (port->base + (int64_t)port->first_item) % (int64_t)plan->width != 0)
            form = MST_MAP_PACKED;
    }
    mst_status status = kernel_of(plan, form, block->count, &kernel, error);
    if (status != MST_OK)
        return status;
    if (kernel && !plan->scan)
        mst_queue_expect_mark(block->queue);
    status = kernel ? mst_map_launch(plan, kernel, form, plan->width, block->queue, ports, block->first, block->count, error)
                    : mst_map_code_launch(plan, block->queue, ports, block->first, block->count, error);
    return status == MST_OK && plan->scan ? mst_map_scan_compute(plan, block, error) : status;
}

static mst_status prepare(void *user, size_t n_items, mst_error *error) {
    mst_map *plan = user;
    return plan->scan ? mst_map_scan_prepare(plan, n_items, error) : MST_OK; // there is no other work memory
}

static mst_status make_lines(mst_map *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_layout *output = &plan->outputs[0];
    mst_layout dense = mst_layout_dense(output->type, output->rank, output->shape);
    bool gaps = false;
    for (int p = 0; p < mst_map_n_ports(plan); p++)
        if (!mst_layout_is_dense(&plan->layouts[p])) {
            gaps = true;
            MST_TRY(mst_lines_create(plan->context, &plan->layouts[p], output->rank - 1, &plan->lines[p], error));
        }
    if (gaps)
        MST_TRY(mst_lines_create(plan->context, &dense, output->rank - 1, &plan->lines[MST_MAP_MAX_PORTS], error));
fail:
    return status;
}

static mst_status make_stream(mst_map *plan, mst_error *error) {
    mst_layout shape = plan->shape;
    if (plan->reduce)
        memcpy(shape.shape, plan->reduce->box, sizeof shape.shape);
    mst_stream_desc stream = {.context = plan->context,
                              .n_items = mst_layout_count(&shape),
                              .n_ports = mst_map_n_ports(plan),
                              .in_place = !plan->reduce,
                              .prepare = prepare,
                              .compute = compute,
                              .user = plan};
    if (plan->reduce) {
        stream.cut = mst_map_reduce_cut;
        stream.least_items = mst_map_reduce_least(plan);
        stream.fixed_work_bytes = mst_map_reduce_bytes(plan);
    }
    if (plan->scan) {
        stream.item_work_bytes = mst_map_scan_item_bytes(plan);
        stream.fixed_work_bytes = mst_map_scan_fixed_bytes(plan);
    }
    for (int p = 0; p < stream.n_ports; p++) {
        const bool is_output = p > 0 && p <= mst_map_n_stored(plan);
        const char *name = is_output ? "output" : p == 0 ? "the first input" : "an input";
        stream.ports[p] = (mst_port){is_output ? MST_PORT_OUTPUT : MST_PORT_INPUT, plan->layouts[p], plan->layouts[p].rank, name};
        if (plan->reduce)
            memcpy(stream.ports[p].layout.shape, shape.shape, sizeof shape.shape);
    }
    return mst_stream_create(&stream, &plan->stream, error);
}

static mst_status create(mst_context *context, const mst_map_desc *desc, mst_tune_chain *chain, mst_map **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_map *plan = NULL;
    const mst_kernel *kernel;
    *out = NULL;
    MST_REQUIRE(plan = calloc(1, sizeof *plan), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    plan->context = context;
    MST_TRY(mst_turn_create(&plan->turn, error));
    MST_TRY(mst_map_read(plan, desc, error));
    mst_map_name(plan, desc);
    MST_TRY(choose_width(plan, desc, chain, error));
    if (plan->reduce) {
        MST_TRY(mst_map_reduce_prepare(plan, error));
        MST_TRY(mst_map_apart_prepare(plan, desc, error));
    } else {
        MST_TRY(mst_map_code_create(plan, desc, error));
        MST_TRY(kernel_of(plan, MST_MAP_ALIGNED, 0, &kernel, error));
    }
    if (mst_layout_count(&plan->shape) > 0) {
        if (!plan->reduce)
            MST_TRY(make_lines(plan, error));
        if (plan->scan)
            MST_TRY(mst_map_scan_create(plan, error));
        MST_TRY(make_stream(plan, error));
    }
    *out = plan;
    return MST_OK;
fail:
    mst_map_destroy(plan);
    return status;
}

// The caller's description in full, with the elements of its arrays.
typedef struct full_desc {
    mst_map_desc desc;
    mst_map_input inputs[MST_MAP_MAX_INPUTS];
    mst_map_number numbers[MST_MAP_MAX_NUMBERS];
    mst_map_more more[MST_MAP_MAX_OUTPUTS];
} full_desc;

static mst_status read_desc(const mst_map_desc *desc, full_desc *full, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_desc *d = &full->desc;
    MST_TRY(mst_description_read(MST_DESCRIPTION(mst_map_desc, MST_MAP_DESC_INIT, n_numbers), desc, d, error));
    if (d->inputs && d->n_inputs >= 0 && d->n_inputs <= MST_MAP_MAX_INPUTS) {
        MST_TRY(mst_elements_read(MST_ELEMENTS(mst_map_input, input_size, MST_MAP_DESC_INIT, sizeof(mst_map_input)), d->inputs,
                                  (size_t)d->n_inputs, d->input_size, full->inputs, error));
        d->inputs = full->inputs;
        d->input_size = sizeof *d->inputs;
    }
    if (d->numbers && d->n_numbers >= 0 && d->n_numbers <= MST_MAP_MAX_NUMBERS) {
        MST_TRY(
            mst_elements_read(MST_ELEMENTS(mst_map_number, number_size, MST_MAP_DESC_INIT, offsetof(mst_map_number, imaginary)),
                              d->numbers, (size_t)d->n_numbers, d->number_size, full->numbers, error));
        d->numbers = full->numbers;
        d->number_size = sizeof *d->numbers;
    }
    if (d->more && d->n_more >= 0 && d->n_more < MST_MAP_MAX_OUTPUTS) {
        MST_TRY(mst_elements_read(MST_ELEMENTS(mst_map_more, more_size, MST_MAP_DESC_INIT, sizeof(mst_map_more)), d->more,
                                  (size_t)d->n_more, d->more_size, full->more, error));
        d->more = full->more;
        d->more_size = sizeof *d->more;
    }
fail:
    return status;
}

mst_status mst_map_create_alone(mst_context *context, const mst_map_desc *desc, mst_map **out, mst_error *error) {
    mst_tune_chain chain = {.used = 0};
    full_desc full;
    mst_status status;
    if (out)
        *out = NULL;
    MST_REQUIRE(context && desc && out, MST_ERROR_ARGUMENT, "context, desc and out must not be NULL");
    MST_TRY(read_desc(desc, &full, error));
    do
        status = create(context, &full.desc, &chain, out, &chain.why);
    while (mst_tune_goes_on(context, &chain, status, error));
fail:
    return status;
}

MST_SHARED_PLAN(map)

mst_status mst_map_create(mst_context *context, const mst_map_desc *desc, mst_map **out, mst_error *error) {
    mst_status status = mst_map_create_alone(context, desc, out, error);
    return status == MST_OK && (*out)->scan ? MST_OK : share(out, desc, status, error); // scans take one block after the other
}

void mst_map_destroy(mst_map *plan) {
    if (!plan)
        return;
    mst_turn_destroy(plan->turn);
    mst_stream_destroy(plan->stream);
    for (int p = 0; p <= MST_MAP_MAX_PORTS; p++)
        mst_lines_release(plan->context, plan->lines[p]);
    for (int f = 0; f < MST_MAP_N_FORMS; f++) {
        mst_kernel_destroy(plan->kernels[f]);
        mst_text_release(&plan->texts[f]);
    }
    mst_map_apart_destroy(plan);
    mst_map_reduce_destroy(plan);
    mst_map_scan_destroy(plan);
    mst_map_code_destroy(plan);
    mst_expr_destroy(plan->expression);
    free(plan);
}

unsigned mst_map_vector_width(const mst_map *plan) { return plan->width; }
mst_type mst_map_wanted(const mst_map *plan) { return plan->wanted; }
const mst_layout *mst_map_output(const mst_map *plan) { return &plan->outputs[0]; }
int mst_map_n_outputs(const mst_map *plan) { return plan->n_outputs; }
const mst_layout *mst_map_output_of(const mst_map *plan, int k) {
    return k >= 0 && k < plan->n_outputs ? &plan->outputs[k] : NULL;
}
bool mst_map_reduces(const mst_map *plan) { return plan->reduce != NULL; }
const char *mst_map_kernel(const mst_map *plan) {
    return plan->reduce ? plan->reduce->texts[MST_MAP_TILES].text : plan->texts[MST_MAP_ALIGNED].text;
}

void mst_map_measured(const mst_map *plan, double seconds[MST_MAP_N_WIDTHS]) {
    memcpy(seconds, plan->measured, sizeof plan->measured);
}

static mst_status execute(mst_map *plan, const mst_location *inputs, const mst_location *outputs, const mst_execution *how,
                          mst_error *error) {
    mst_location where[MST_MAP_MAX_PORTS];
    if (plan->reduce)
        return mst_map_reduce_execute(plan, inputs, outputs, how, error);
    for (int k = 0; k < plan->n_inputs; k++)
        where[mst_map_port(plan, k)] = inputs[k];
    memcpy(&where[1], outputs, (size_t)plan->n_outputs * sizeof *outputs);
    return mst_stream_run(plan->context, plan->stream, where, how, error);
}

mst_status mst_map_execute_all(mst_map *plan, const mst_location *inputs, const mst_location *outputs, const mst_execution *how,
                               mst_error *error) {
    if (!plan || !inputs || !outputs)
        return mst_fail(error, MST_ERROR_ARGUMENT, "plan, inputs and outputs must not be NULL");
    mst_status status = mst_turn_take(plan->turn, error);
    return status == MST_OK ? mst_turn_give(plan->turn, execute(plan, inputs, outputs, how, error)) : status;
}

mst_status mst_map_execute(mst_map *plan, const mst_location *inputs, mst_location output, const mst_execution *how,
                           mst_error *error) {
    if (plan && plan->n_outputs > 1)
        return mst_fail(error, MST_ERROR_ARGUMENT, "the plan has %d outputs; mst_map_execute_all takes them", plan->n_outputs);
    return mst_map_execute_all(plan, inputs, &output, how, error);
}
