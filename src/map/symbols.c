// What the names in expressions stand for, and the types that these take on a device.
#include "reduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

// What the names in an expression stand for: inputs, numbers, and behind them indices i0, i1 ... A name that the caller gives
// hides one of these.
static void name_symbols(const mst_map *plan, const mst_map_desc *desc, mst_map_symbols *s) {
    for (int k = 0; k < plan->n_inputs; k++)
        s->symbols[s->n++].name = desc->inputs[k].name;
    for (int k = 0; k < plan->n_numbers; k++)
        s->symbols[s->n++].name = plan->number_names[k];
}

static bool is_taken(const mst_map_symbols *s, const char *name) {
    for (size_t k = 0; k < s->n; k++)
        if (strcmp(s->symbols[k].name, name) == 0)
            return true;
    return false;
}

static void add_indices(const mst_map *plan, mst_map_symbols *s) {
    for (int axis = 0; axis < plan->shape.rank; axis++) {
        char *name = s->indices[axis];
        snprintf(name, sizeof s->indices[axis], "i%d", axis);
        if (is_taken(s, name))
            snprintf(name, sizeof s->indices[axis], "_index_%d_", axis);
        s->kinds[s->n] = (mst_expr_kind){.type = MST_INT64};
        s->symbols[s->n++].name = name;
    }
}

// Adds the lengths of axes, n0, n1 ..., which are whole numbers without a type.
mst_status mst_map_read_numbers(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(desc->n_numbers >= 0 && desc->n_numbers <= MST_MAP_MAX_NUMBERS && (desc->n_numbers == 0 || desc->numbers),
                MST_ERROR_ARGUMENT, "n_numbers is %d; up to %d are supported", desc->n_numbers, MST_MAP_MAX_NUMBERS);
    for (int k = 0; k < desc->n_numbers; k++) {
        MST_REQUIRE(desc->numbers[k].name, MST_ERROR_ARGUMENT, "numbers[%d] has no name", k);
        plan->numbers[k] = desc->numbers[k];
        snprintf(plan->number_names[k], sizeof plan->number_names[k], "%s", desc->numbers[k].name);
    }
    plan->n_numbers = desc->n_numbers;
    for (int axis = 0; axis < plan->shape.rank; axis++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", axis);
        mst_map_symbols s = {.n = 0};
        name_symbols(plan, desc, &s);
        if (is_taken(&s, name))
            continue;
        memcpy(plan->number_names[plan->n_numbers], name, sizeof name);
        plan->numbers[plan->n_numbers++] =
            (mst_map_number){.name = "n", .value = (double)plan->shape.shape[axis], .type = MST_INT64};
    }
fail:
    return status;
}

mst_status mst_map_symbols_read(const mst_map *plan, const mst_map_desc *desc, mst_map_symbols *s, mst_error *error) {
    mst_status status = MST_OK;
    *s = (mst_map_symbols){.typing = {.symbols = s->kinds, .common = plan->types[0], .computed = desc->type}};
    name_symbols(plan, desc, s);
    MST_TRY(read_kinds(plan, desc, s->kinds, error));
    add_indices(plan, s);
    for (int k = 0; k < plan->n_inputs; k++)
        s->typing.common = mst_type_common(s->typing.common, plan->types[k]);
fail:
    return status;
}

bool mst_map_has_indices(const mst_map *plan) {
    for (size_t i = 0; i < mst_expr_n_leaves(plan->expression); i++) {
        const mst_expr_leaf *leaf = &mst_expr_leaves(plan->expression)[i];
        if (!mst_map_is_array(plan, leaf) && !mst_map_is_number(plan, leaf))
            return true;
    }
    return false;
}

const char *mst_map_expression(const mst_map_desc *desc, int output) {
    return output == 0 ? desc->expression : desc->more[output - 1].expression;
}

mst_type mst_map_out_type(const mst_map_desc *desc, int output) {
    return (mst_type)(output == 0 ? desc->out_type : desc->more[output - 1].out_type);
}

bool mst_map_computes_double(const mst_map *plan) {
    bool any = mst_expr_has_double(plan->expression);
    for (int r = 0; plan->reduce && r < plan->reduce->n; r++)
        any = any || mst_type_part(plan->reduce->reductions[r].type) == MST_FLOAT64;
    return any || (plan->reduce && (plan->reduce->wide || mst_expr_has_double(plan->reduce->finish)));
}

// Every device has the integers and float32; nothing is wider than float64, so only float32 can take its place.
mst_status mst_map_lower_for_device(mst_map *plan, const mst_map_desc *desc, mst_map_lower_fn *lower, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_symbols s;
    MST_TRY(mst_map_symbols_read(plan, desc, &s, error));
    MST_TRY(lower(plan, desc, &s, error));
    plan->wanted = mst_map_result(plan, 0);
    if (plan->context->device.fp64 || !mst_map_computes_double(plan))
        return MST_OK;
    MST_REQUIRE(desc->fallback, MST_ERROR_UNSUPPORTED,
                "%s has no float64, in which this is computed; float32 can be named as the type or the fallback",
                plan->context->device.name);
    s.typing.narrow = true;
    MST_TRY(lower(plan, desc, &s, error));
fail:
    return status;
}
