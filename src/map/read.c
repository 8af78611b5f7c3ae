// What a description asks for: shapes, types, and the expression in these types.
#include "scan.h"

#include "runtime/layout.h"

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

static mst_status read_inputs(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(desc->n_inputs >= 1 && desc->n_inputs <= MST_MAP_MAX_INPUTS && desc->inputs, MST_ERROR_ARGUMENT,
                "n_inputs is %d; 1 to %d arrays are supported", desc->n_inputs, MST_MAP_MAX_INPUTS);
    plan->n_inputs = desc->n_inputs;
    plan->shape = (mst_layout){.rank = 1, .shape = {1}};
    for (int k = 0; k < desc->n_inputs; k++) {
        const mst_map_input *input = &desc->inputs[k];
        MST_REQUIRE(input->name, MST_ERROR_ARGUMENT, "inputs[%d] has no name", k);
        MST_TRY(mst_layout_check(&input->layout, input->name, false, error));
        plan->types[k] = input->layout.type;
        plan->has_parts = plan->has_parts || mst_type_has_parts(input->layout.type);
        MST_TRY(broadcast(&plan->shape, &input->layout, input->name, error));
    }
    for (int k = 0; k < desc->n_inputs; k++)
        plan->layouts[mst_map_port(plan, k)] = in_shape(&desc->inputs[k].layout, &plan->shape);
fail:
    return status;
}

static mst_status read_output(mst_map *plan, int k, const mst_layout *given, const mst_layout *shape, mst_error *error) {
    mst_status status = MST_OK;
    mst_layout *output = &plan->outputs[k];
    const mst_layout dense = mst_layout_dense(shape->type, shape->rank, shape->shape);
    *output = given->rank ? *given : dense;
    MST_TRY(mst_layout_check(output, "output", true, error));
    MST_REQUIRE(output->type == shape->type, MST_ERROR_ARGUMENT, "output is %s, but the result %s", mst_type_name(output->type),
                mst_type_name(shape->type));
    MST_REQUIRE(mst_layout_same_shape(&dense, output), MST_ERROR_ARGUMENT, "output has not the %s shape",
                plan->reduce ? "reduced" : "inputs'");
fail:
    return status;
}

static mst_status lower_outputs(mst_map *plan, const mst_map_desc *desc, mst_map_symbols *s, mst_error *error) {
    mst_status status = MST_OK;
    mst_expr *parsed = NULL;
    mst_expr_destroy(plan->expression);
    MST_REQUIRE(plan->expression = mst_expr_create_lowered(), MST_ERROR_HOST_MEMORY, "out of memory reading the expression");
    plan->n_roots = plan->n_outputs;
    for (int k = 0; k < plan->n_outputs; k++) {
        if (plan->scan && plan->scan->outputs[k].scanned) {
            MST_TRY(mst_map_scan_lower(plan, desc, s, k, error));
            continue;
        }
        s->typing.converted = mst_map_out_type(desc, k);
        MST_TRY(mst_expr_parse_map(mst_map_expression(desc, k), "the expression", s->symbols, s->n, &parsed, error));
        MST_TRY(mst_expr_lower(parsed, &s->typing, plan->expression, &plan->roots[k], error));
        mst_expr_destroy(parsed);
        parsed = NULL;
    }
fail:
    mst_expr_destroy(parsed);
    return status;
}

static mst_status check_types(const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(!desc->type || is_known(desc->type), MST_ERROR_ARGUMENT, "type is %d, which is none", (int)desc->type);
    MST_REQUIRE(!desc->fallback || desc->fallback == MST_FLOAT32, MST_ERROR_ARGUMENT,
                "fallback is %s; only float32 takes the place of float64, the one type that devices may lack",
                mst_type_name(desc->fallback));
    MST_REQUIRE(desc->n_more >= 0 && desc->n_more < MST_MAP_MAX_OUTPUTS && (desc->n_more == 0 || desc->more), MST_ERROR_ARGUMENT,
                "n_more is %d; a map has up to %d outputs", desc->n_more, MST_MAP_MAX_OUTPUTS);
    for (int k = 0; k <= desc->n_more; k++) {
        const mst_type type = mst_map_out_type(desc, k);
        MST_REQUIRE(mst_map_expression(desc, k), MST_ERROR_ARGUMENT, "the expression of output %d must not be NULL", k);
        MST_REQUIRE(!type || is_known(type), MST_ERROR_ARGUMENT, "out_type is %d, which is no type", (int)type);
    }
fail:
    return status;
}

static mst_status read_map(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_map_lower_for_device(plan, desc, lower_outputs, error));
    for (int k = 0; k < plan->n_outputs; k++) {
        mst_layout shape = plan->shape;
        shape.type = plan->roots[k].type;
        MST_TRY(read_output(plan, k, k == 0 ? &desc->output : &desc->more[k - 1].output, &shape, error));
        plan->layouts[1 + k] = plan->outputs[k];
        plan->has_parts = plan->has_parts || mst_type_has_parts(shape.type);
    }
    MST_REQUIRE((desc->n_axes == 0 || plan->scan) && !desc->keep_axes && desc->ddof == 0, MST_ERROR_ARGUMENT,
                "axes, keep_axes and ddof are of reductions: sum(), mean() and the like, none of which is in the expression");
    if (plan->scan)
        MST_TRY(mst_map_scan_axis(plan, desc, error));
fail:
    return status;
}

static mst_status read_reduced(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_map_reduce_read(plan, desc, error));
    for (int k = 0; k < plan->n_outputs; k++) {
        const mst_layout shape = mst_map_reduced_shape(plan, k);
        MST_TRY(read_output(plan, k, k == 0 ? &desc->output : &desc->more[k - 1].output, &shape, error));
        plan->has_parts = plan->has_parts || mst_type_has_parts(shape.type);
    }
fail:
    return status;
}

mst_status mst_map_read(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(check_types(desc, error));
    plan->n_outputs = 1 + desc->n_more;
    MST_TRY(mst_map_scan_find(plan, desc, error));
    MST_TRY(mst_map_reduce_find(plan, desc, error));
    MST_TRY(read_inputs(plan, desc, error));
    MST_TRY(mst_map_read_numbers(plan, desc, error));
    MST_TRY(plan->reduce ? read_reduced(plan, desc, error) : read_map(plan, desc, error));
fail:
    return status;
}
