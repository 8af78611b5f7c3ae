// The description, the plan's life, and execution.
#include "plan.h"

#include "runtime/description.h"
#include "runtime/layout.h"
#include "runtime/lines.h"

#include <stdlib.h>
#include <string.h>

static bool is_float(mst_type type) { return type == MST_FLOAT32 || type == MST_FLOAT64; }

static bool is_mappable(mst_type type) {
    return is_float(type) || type == MST_INT8 || type == MST_INT16 || type == MST_INT32 || type == MST_INT64;
}

// NumPy's result type of two.
static mst_type common_type(mst_type a, mst_type b) {
    if (is_float(a) == is_float(b))
        return mst_type_bytes(a) >= mst_type_bytes(b) ? a : b;
    mst_type real = is_float(a) ? a : b, integer = is_float(a) ? b : a;
    return real == MST_FLOAT32 && mst_type_bytes(integer) <= 2 ? MST_FLOAT32 : MST_FLOAT64;
}

static mst_status check_input(const mst_map_desc *desc, int k, mst_error *error) {
    mst_status status = MST_OK;
    const mst_map_input *input = &desc->inputs[k];
    char shapes[2][120];
    MST_REQUIRE(input->name, MST_ERROR_ARGUMENT, "inputs[%d] has no name", k);
    MST_TRY(mst_layout_check(&input->layout, input->name, false, error));
    MST_REQUIRE(is_mappable(input->layout.type), MST_ERROR_ARGUMENT,
                "%s is %s; int8, int16, int32, int64, float32 and float64 are supported", input->name,
                mst_type_name(input->layout.type));
    if (!mst_layout_same_shape(&input->layout, &desc->inputs[0].layout)) {
        mst_layout_print_shape(&input->layout, shapes[0], sizeof shapes[0]);
        mst_layout_print_shape(&desc->inputs[0].layout, shapes[1], sizeof shapes[1]);
        MST_REQUIRE(false, MST_ERROR_ARGUMENT, "%s has shape (%s) but %s (%s)", input->name, shapes[0], desc->inputs[0].name,
                    shapes[1]);
    }
fail:
    return status;
}

// Every device has the integers and float32; nothing is wider than float64, so only float32 can take its place.
static mst_status choose_type(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    plan->wanted = plan->type;
    MST_REQUIRE(!desc->fallback || desc->fallback == MST_FLOAT32, MST_ERROR_ARGUMENT,
                "fallback is %s; only float32 takes the place of float64, the one type that devices may lack",
                mst_type_name(desc->fallback));
    if (plan->type != MST_FLOAT64 || plan->context->device.fp64)
        return MST_OK;
    MST_REQUIRE(desc->fallback, MST_ERROR_UNSUPPORTED,
                "%s has no float64, in which this is computed; float32 can be named as the type or the fallback",
                plan->context->device.name);
    plan->type = desc->fallback;
fail:
    return status;
}

static mst_status read_inputs(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(desc->n_inputs >= 1 && desc->n_inputs <= MST_MAP_MAX_INPUTS && desc->inputs, MST_ERROR_ARGUMENT,
                "n_inputs is %d; 1 to %d arrays are supported", desc->n_inputs, MST_MAP_MAX_INPUTS);
    plan->n_inputs = desc->n_inputs;
    plan->type = desc->inputs[0].layout.type;
    for (int k = 0; k < desc->n_inputs; k++) {
        MST_TRY(check_input(desc, k, error));
        plan->layouts[mst_map_port(k)] = desc->inputs[k].layout;
        plan->types[k] = desc->inputs[k].layout.type;
        plan->type = common_type(plan->type, plan->types[k]);
    }
    if (desc->type)
        plan->type = desc->type;
    MST_REQUIRE(is_mappable(plan->type), MST_ERROR_ARGUMENT, "%s cannot be computed in; int8 to int64, float32 and float64 can",
                mst_type_name(plan->type));
    for (int k = 0; k < desc->n_inputs; k++) {
        MST_REQUIRE(is_float(plan->type) || !is_float(plan->types[k]), MST_ERROR_ARGUMENT,
                    "%s is %s, which is not converted to %s", desc->inputs[k].name, mst_type_name(plan->types[k]),
                    mst_type_name(plan->type));
    }
    MST_TRY(choose_type(plan, desc, error));
fail:
    return status;
}

static mst_status read_output(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    const mst_layout *input = &plan->layouts[0];
    mst_layout *output = &plan->layouts[1];
    *output = desc->output.rank ? desc->output : mst_layout_dense(plan->type, input->rank, input->shape);
    MST_TRY(mst_layout_check(output, "output", true, error));
    MST_REQUIRE(output->type == plan->type, MST_ERROR_ARGUMENT, "output is %s, but the expression is computed in %s",
                mst_type_name(output->type), mst_type_name(plan->type));
    MST_REQUIRE(mst_layout_same_shape(input, output), MST_ERROR_ARGUMENT, "output has not the inputs' shape");
fail:
    return status;
}

static mst_status read_expression(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    mst_expr_symbol symbols[MST_MAP_MAX_INPUTS + MST_MAP_MAX_NUMBERS] = {{NULL, 0, 0}};
    MST_REQUIRE(desc->expression, MST_ERROR_ARGUMENT, "desc->expression must not be NULL");
    MST_REQUIRE(desc->n_numbers >= 0 && desc->n_numbers <= MST_MAP_MAX_NUMBERS && (desc->n_numbers == 0 || desc->numbers),
                MST_ERROR_ARGUMENT, "n_numbers is %d; up to %d are supported", desc->n_numbers, MST_MAP_MAX_NUMBERS);
    plan->n_numbers = desc->n_numbers;
    for (int k = 0; k < plan->n_inputs; k++)
        symbols[k].name = desc->inputs[k].name;
    for (int k = 0; k < plan->n_numbers; k++) {
        const mst_map_number *number = &desc->numbers[k];
        MST_REQUIRE(number->name, MST_ERROR_ARGUMENT, "numbers[%d] has no name", k);
        MST_REQUIRE(is_float(plan->type) || mst_expr_is_integer(number->value, (unsigned)mst_type_bytes(plan->type)),
                    MST_ERROR_ARGUMENT, "%s is %.17g, no integer that %s holds, or beyond 2^53; compute in a float type",
                    number->name, number->value, mst_type_name(plan->type));
        symbols[plan->n_inputs + k].name = number->name;
        plan->numbers[k] = number->value;
    }
    MST_TRY(mst_expr_parse(desc->expression, "the expression", symbols, (size_t)(plan->n_inputs + plan->n_numbers),
                           &plan->expression, error));
fail:
    return status;
}

static mst_status choose_width(mst_map *plan, const mst_map_desc *desc, mst_tune_chain *chain, mst_error *error) {
    unsigned w = desc->vector_width;
    if (w != 0 && w != 1 && w != 2 && w != 4 && w != 8 && w != 16)
        return mst_fail(error, MST_ERROR_ARGUMENT, "vector_width is %u; 1, 2, 4, 8 and 16 are supported, and 0 for a choice", w);
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
    mst_layout dense = mst_layout_dense(plan->type, output->rank, output->shape);
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
    MST_TRY(read_inputs(plan, desc, error));
    MST_TRY(read_output(plan, desc, error));
    MST_TRY(read_expression(plan, desc, error));
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
        MST_TRY(mst_elements_read(MST_ELEMENTS(mst_map_number, number_size, MST_MAP_DESC_INIT, sizeof(mst_map_number)),
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
