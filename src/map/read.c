// What a description asks for: shapes, types, and the expression in these types.
#include "plan.h"

#include "runtime/layout.h"

#include <math.h>
#include <string.h>

static bool is_known(mst_type type) { return type >= MST_FLOAT32 && type <= MST_FLOAT16; }

// ---- Shapes

// Arrays are aligned at their last axes; one that lacks an axis, or has one element along it, is the same all along.
static mst_status broadcast(mst_layout *shape, const mst_layout *layout, const char *name, mst_error *error) {
    mst_status status = MST_OK;
    const int rank = shape->rank > layout->rank ? shape->rank : layout->rank;
    mst_layout common = {.rank = rank};
    char shapes[2][120];
    for (int axis = 0; axis < rank; axis++) {
        const int a = axis - (rank - shape->rank), b = axis - (rank - layout->rank);
        const size_t m = a < 0 ? 1 : shape->shape[a], n = b < 0 ? 1 : layout->shape[b];
        if (m != n && m != 1 && n != 1) {
            mst_layout_print_shape(layout, shapes[0], sizeof shapes[0]);
            mst_layout_print_shape(shape, shapes[1], sizeof shapes[1]);
            MST_REQUIRE(false, MST_ERROR_ARGUMENT, "%s has shape (%s), which does not go with (%s)", name, shapes[0], shapes[1]);
        }
        common.shape[axis] = m == 1 ? n : m;
    }
    *shape = common;
fail:
    return status;
}

// The same array in the common shape, by strides of 0.
static mst_layout in_shape(const mst_layout *layout, const mst_layout *shape) {
    mst_layout result = *shape;
    result.type = layout->type;
    for (int axis = 0; axis < shape->rank; axis++) {
        const int own = axis - (shape->rank - layout->rank);
        result.strides[axis] = own < 0 || (layout->shape[own] == 1 && shape->shape[axis] != 1) ? 0 : layout->strides[own];
    }
    return result;
}

static mst_status read_inputs(mst_map *plan, const mst_map_desc *desc, mst_layout *shape, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(desc->n_inputs >= 1 && desc->n_inputs <= MST_MAP_MAX_INPUTS && desc->inputs, MST_ERROR_ARGUMENT,
                "n_inputs is %d; 1 to %d arrays are supported", desc->n_inputs, MST_MAP_MAX_INPUTS);
    plan->n_inputs = desc->n_inputs;
    *shape = (mst_layout){.rank = 1, .shape = {1}};
    for (int k = 0; k < desc->n_inputs; k++) {
        const mst_map_input *input = &desc->inputs[k];
        MST_REQUIRE(input->name, MST_ERROR_ARGUMENT, "inputs[%d] has no name", k);
        MST_TRY(mst_layout_check(&input->layout, input->name, false, error));
        plan->types[k] = input->layout.type;
        plan->has_parts = plan->has_parts || mst_type_has_parts(input->layout.type);
        MST_TRY(broadcast(shape, &input->layout, input->name, error));
    }
    for (int k = 0; k < desc->n_inputs; k++)
        plan->layouts[mst_map_port(k)] = in_shape(&desc->inputs[k].layout, shape);
fail:
    return status;
}

static mst_status read_output(mst_map *plan, const mst_map_desc *desc, const mst_layout *shape, mst_error *error) {
    mst_status status = MST_OK;
    mst_layout *output = &plan->layouts[1];
    const mst_layout dense = mst_layout_dense(mst_map_type(plan), shape->rank, shape->shape);
    *output = desc->output.rank ? desc->output : dense;
    MST_TRY(mst_layout_check(output, "output", true, error));
    MST_REQUIRE(output->type == mst_map_type(plan), MST_ERROR_ARGUMENT, "output is %s, but the result %s",
                mst_type_name(output->type), mst_type_name(mst_map_type(plan)));
    MST_REQUIRE(mst_layout_same_shape(&dense, output), MST_ERROR_ARGUMENT, "output has not the inputs' shape");
    plan->has_parts = plan->has_parts || mst_type_has_parts(output->type);
fail:
    return status;
}

// ---- Types

static mst_status read_number(const mst_map_number *number, mst_expr_kind *kind, mst_error *error) {
    mst_status status = MST_OK;
    const bool whole = number->value == floor(number->value) && fabs(number->value) <= 0x1p53;
    MST_REQUIRE(!number->type || number->type == MST_INT64 || number->type == MST_FLOAT64 || number->type == MST_COMPLEX128,
                MST_ERROR_ARGUMENT, "%s is of type %s; numbers are int64, float64 or complex128", number->name,
                number->type > 0 && number->type <= MST_FLOAT16 ? mst_type_name((mst_type)number->type) : "none");
    MST_REQUIRE(number->type != MST_INT64 || whole, MST_ERROR_ARGUMENT, "%s is %.17g, which is no integer up to 2^53",
                number->name, number->value);
    *kind = (mst_expr_kind){.type = number->type ? (mst_type)number->type
                                    : whole      ? MST_INT64
                                                 : MST_FLOAT64,
                            .weak = true,
                            .value = number->value};
fail:
    return status;
}

// Arrays are converted to the type that is named, so that everything takes place in it.
static mst_status read_kinds(const mst_map *plan, const mst_map_desc *desc, mst_expr_kind *kinds, mst_error *error) {
    mst_status status = MST_OK;
    const mst_type type = desc->type;
    for (int k = 0; k < plan->n_inputs; k++) {
        const bool loses = (mst_type_is_float(plan->types[k]) && (mst_type_is_integer(type) || type == MST_BOOL)) ||
                           (mst_type_has_parts(plan->types[k]) && type && !mst_type_has_parts(type));
        MST_REQUIRE(!loses, MST_ERROR_ARGUMENT, "%s is %s, which is not converted to %s", desc->inputs[k].name,
                    mst_type_name(plan->types[k]), mst_type_name(type));
        kinds[k] = (mst_expr_kind){.type = type ? type : plan->types[k]};
    }
    for (int k = 0; k < plan->n_numbers; k++)
        MST_TRY(read_number(&plan->numbers[k], &kinds[plan->n_inputs + k], error));
fail:
    return status;
}

static mst_status lower(mst_map *plan, const mst_expr *parsed, const mst_expr_typing *typing, mst_error *error) {
    mst_status status = MST_OK;
    mst_expr_destroy(plan->expression);
    MST_REQUIRE(plan->expression = mst_expr_create_lowered(), MST_ERROR_HOST_MEMORY, "out of memory reading the expression");
    MST_TRY(mst_expr_lower(parsed, typing, plan->expression, &plan->root, error));
fail:
    return status;
}

// Every device has the integers and float32; nothing is wider than float64, so only float32 can take its place.
static mst_status lower_for_device(mst_map *plan, const mst_map_desc *desc, const mst_expr *parsed, mst_expr_typing *typing,
                                   mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(!desc->fallback || desc->fallback == MST_FLOAT32, MST_ERROR_ARGUMENT,
                "fallback is %s; only float32 takes the place of float64, the one type that devices may lack",
                mst_type_name(desc->fallback));
    MST_TRY(lower(plan, parsed, typing, error));
    plan->wanted = mst_map_type(plan);
    if (plan->context->device.fp64 || !mst_expr_has_double(plan->expression))
        return MST_OK;
    MST_REQUIRE(desc->fallback, MST_ERROR_UNSUPPORTED,
                "%s has no float64, in which this is computed; float32 can be named as the type or the fallback",
                plan->context->device.name);
    typing->narrow = true;
    MST_TRY(lower(plan, parsed, typing, error));
fail:
    return status;
}

static mst_status read_expression(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    mst_expr_symbol symbols[MST_MAP_MAX_INPUTS + MST_MAP_MAX_NUMBERS] = {{NULL, 0, 0}};
    mst_expr_kind kinds[MST_MAP_MAX_INPUTS + MST_MAP_MAX_NUMBERS];
    mst_expr_typing typing = {
        .symbols = kinds, .common = plan->types[0], .computed = desc->type, .converted = (mst_type)desc->out_type};
    mst_expr *parsed = NULL;
    MST_REQUIRE(desc->expression, MST_ERROR_ARGUMENT, "desc->expression must not be NULL");
    MST_REQUIRE(desc->n_numbers >= 0 && desc->n_numbers <= MST_MAP_MAX_NUMBERS && (desc->n_numbers == 0 || desc->numbers),
                MST_ERROR_ARGUMENT, "n_numbers is %d; up to %d are supported", desc->n_numbers, MST_MAP_MAX_NUMBERS);
    MST_REQUIRE(!desc->type || is_known(desc->type), MST_ERROR_ARGUMENT, "type is %d, which is none", (int)desc->type);
    MST_REQUIRE(!desc->out_type || (desc->out_type > 0 && desc->out_type <= MST_FLOAT16), MST_ERROR_ARGUMENT,
                "out_type is %d, which is no type", (int)desc->out_type);
    plan->n_numbers = desc->n_numbers;
    for (int k = 0; k < plan->n_inputs; k++) {
        symbols[k].name = desc->inputs[k].name;
        typing.common = mst_type_common(typing.common, plan->types[k]);
    }
    for (int k = 0; k < plan->n_numbers; k++) {
        MST_REQUIRE(desc->numbers[k].name, MST_ERROR_ARGUMENT, "numbers[%d] has no name", k);
        symbols[plan->n_inputs + k].name = desc->numbers[k].name;
        plan->numbers[k] = desc->numbers[k];
    }
    MST_TRY(read_kinds(plan, desc, kinds, error));
    MST_TRY(mst_expr_parse_map(desc->expression, "the expression", symbols, (size_t)(plan->n_inputs + plan->n_numbers), &parsed,
                               error));
    MST_TRY(lower_for_device(plan, desc, parsed, &typing, error));
fail:
    mst_expr_destroy(parsed);
    return status;
}

mst_status mst_map_read(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    mst_layout shape;
    MST_TRY(read_inputs(plan, desc, &shape, error));
    MST_TRY(read_expression(plan, desc, error));
    MST_TRY(read_output(plan, desc, &shape, error));
fail:
    return status;
}
