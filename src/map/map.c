// The plan's life, and execution.
#include "plan.h"

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
    plan->width = w;
    return w ? MST_OK : mst_map_tune(plan, desc, chain, error);
}

// ---- execution ----

static mst_status kernel_of(mst_map *plan, mst_map_form form, const mst_kernel **out, mst_error *error) {
    mst_status status = MST_OK;
    if (!plan->texts[form].text)
        MST_TRY(mst_map_write(plan, form, plan->width, &plan->texts[form], error));
    if (!plan->kernels[form])
        MST_TRY(mst_map_build(plan, form, &plan->kernels[form], error));
    *out = plan->kernels[form];
fail:
    return status;
}

static mst_status compute(void *user, const mst_block *block, mst_error *error) {
    mst_map *plan = user;
    mst_map_operand ports[MST_MAP_MAX_PORTS];
    mst_map_form form = MST_MAP_ALIGNED;
    const mst_kernel *kernel;
    for (int p = 0; p <= plan->n_inputs; p++) {
        const mst_block_port *port = &block->ports[p];
        bool gaps = !port->packed && !mst_layout_is_dense(&plan->layouts[p]);
        ports[p] = (mst_map_operand){port->buffer, plan->lines[gaps ? p : MST_MAP_MAX_PORTS], port->base, port->first_item};
        if (gaps)
            form = MST_MAP_STRIDED;
        else if (form == MST_MAP_ALIGNED && (port->base + (int64_t)port->first_item) % (int64_t)plan->width != 0)
            form = MST_MAP_PACKED;
    }
    mst_status status = kernel_of(plan, form, &kernel, error);
    mst_queue_expect_mark(block->queue);
    return status == MST_OK ? mst_map_launch(plan, kernel, form, plan->width, block->queue, ports, block->count, error) : status;
}

static mst_status prepare(void *user, size_t n_items, mst_error *error) {
    (void)user, (void)n_items, (void)error; // no work memory
    return MST_OK;
}

static mst_status make_lines(mst_map *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_layout *output = &plan->layouts[1];
    mst_layout dense = mst_layout_dense(mst_map_type(plan), output->rank, output->shape);
    bool gaps = false;
    for (int p = 0; p <= plan->n_inputs; p++)
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
    mst_stream_desc stream = {.context = plan->context,
                              .n_items = mst_layout_count(&plan->layouts[1]),
                              .n_ports = plan->n_inputs + 1,
                              .in_place = true,
                              .prepare = prepare,
                              .compute = compute,
                              .user = plan};
    for (int p = 0; p <= plan->n_inputs; p++) {
        const char *name = p == 1 ? "output" : p == 0 ? "the first input" : "an input";
        stream.ports[p] = (mst_port){p == 1 ? MST_PORT_OUTPUT : MST_PORT_INPUT, plan->layouts[p], plan->layouts[p].rank, name};
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
    MST_TRY(kernel_of(plan, MST_MAP_ALIGNED, &kernel, error));
    if (mst_layout_count(&plan->layouts[1]) > 0) {
        MST_TRY(make_lines(plan, error));
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
    return share(out, desc, mst_map_create_alone(context, desc, out, error), error);
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
    mst_expr_destroy(plan->expression);
    free(plan);
}

unsigned mst_map_vector_width(const mst_map *plan) { return plan->width; }
mst_type mst_map_wanted(const mst_map *plan) { return plan->wanted; }
const mst_layout *mst_map_output(const mst_map *plan) { return &plan->layouts[1]; }
const char *mst_map_kernel(const mst_map *plan) { return plan->texts[MST_MAP_ALIGNED].text; }

void mst_map_measured(const mst_map *plan, double seconds[MST_MAP_N_WIDTHS]) {
    memcpy(seconds, plan->measured, sizeof plan->measured);
}

mst_status mst_map_execute(mst_map *plan, const mst_location *inputs, mst_location output, const mst_execution *how,
                           mst_error *error) {
    mst_location where[MST_MAP_MAX_PORTS];
    if (!plan || !inputs)
        return mst_fail(error, MST_ERROR_ARGUMENT, "plan and inputs must not be NULL");
    for (int k = 0; k < plan->n_inputs; k++)
        where[mst_map_port(k)] = inputs[k];
    where[1] = output;
    mst_status status = mst_turn_take(plan->turn, error);
    if (status != MST_OK)
        return status;
    return mst_turn_give(plan->turn, mst_stream_run(plan->context, plan->stream, where, how, error));
}
