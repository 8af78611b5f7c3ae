// What a reducing description asks for: the types are NumPy's.
#include "reduce.h"

#include "runtime/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 24 };

static bool is_arg(const mst_map_reduction *r) { return r->kind == MST_MAP_WHERE_LEAST || r->kind == MST_MAP_WHERE_LARGEST; }
static bool is_extreme(const mst_map_reduction *r) { return is_arg(r) || r->kind == MST_MAP_LEAST || r->kind == MST_MAP_LARGEST; }

// ---- Types

mst_type mst_map_taken_type(mst_map_reduction_kind kind, mst_type type, mst_type named) {
    const bool counts = mst_type_is_integer(type) || type == MST_BOOL;
    switch (kind) {
    case MST_MAP_SUM:
    case MST_MAP_PRODUCT:
        if (!counts || (named && type != MST_BOOL))
            return type;
        return type == MST_BOOL || mst_type_is_signed(type) ? MST_INT64 : MST_UINT64;
    case MST_MAP_MEAN:
    case MST_MAP_VARIANCE:
    case MST_MAP_DEVIATION:
        return counts ? MST_FLOAT64 : type;
    case MST_MAP_ANY:
    case MST_MAP_ALL:
    case MST_MAP_COUNT:
        return MST_BOOL;
    default:
        return type;
    }
}

static mst_type result_type(const mst_map_reduction *r) {
    switch (r->kind) {
    case MST_MAP_WHERE_LEAST:
    case MST_MAP_WHERE_LARGEST:
    case MST_MAP_COUNT:
        return MST_INT64;
    case MST_MAP_VARIANCE:
    case MST_MAP_DEVIATION:
        return mst_type_part(r->type);
    default:
        return r->type;
    }
}

mst_status mst_map_type_of(const mst_expr *parsed, const mst_expr_typing *typing, mst_type *type, mst_error *error) {
    mst_status status = MST_OK;
    mst_expr_root root;
    mst_expr *scratch = mst_expr_create_lowered();
    MST_REQUIRE(scratch, MST_ERROR_HOST_MEMORY, "out of memory reading the expression");
    MST_TRY(mst_expr_lower(parsed, typing, scratch, &root, error));
    *type = root.type;
fail:
    mst_expr_destroy(scratch);
    return status;
}

// ---- Reductions in a text, and the text around them

mst_status mst_map_refuse_at(const char *text, size_t at, const char *message, mst_error *error) {
    mst_fail(error, MST_ERROR_ARGUMENT, "the expression, column %zu: %s", at + 1, message);
    mst_error_point(error, text, at);
    return MST_ERROR_ARGUMENT;
}

static mst_status check_argument(const char *text, const mst_map_call *call, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_call inner;
    char *argument = strndup(text + call->inside, call->length);
    MST_REQUIRE(argument, MST_ERROR_HOST_MEMORY, "out of memory reading the expression");
    int commas;
    mst_map_find_end(text, call->inside, &commas);
    if (call->begin > 0 && text[call->begin - 1] == '.')
        status = mst_map_refuse_at(text, call->begin, "reductions stand alone, before what they reduce: sum(a)", error);
    else if (commas > 0)
        status = mst_map_refuse_at(text, call->inside,
                                   "a reduction takes one argument; axes are given beside the expression (--axes, "
                                   "axes)",
                                   error);
    else if (call->end == 0)
        status = mst_map_refuse_at(text, call->inside - 1, "expected ')' to close '('", error);
    else if (mst_map_next_reduction(argument, 0, &inner))
        status =
            mst_map_refuse_at(text, call->inside + inner.begin, "reductions do not nest; compute the inner one first", error);
fail:
    free(argument);
    return status;
}

static mst_status lower_argument(mst_map *plan, const mst_map_desc *desc, mst_map_symbols *s, const char *argument,
                                 mst_map_reduction *r, mst_error *error) {
    mst_status status = MST_OK;
    mst_expr *parsed = NULL;
    mst_type type = (mst_type)0;
    s->typing.converted = (mst_type)0;
    MST_TRY(mst_expr_parse_map(argument, "what is reduced", s->symbols, s->n, &parsed, error));
    MST_TRY(mst_map_type_of(parsed, &s->typing, &type, error));
    MST_REQUIRE(!is_extreme(r) || !mst_type_has_parts(type), MST_ERROR_ARGUMENT,
                "complex numbers have no order; reduce abs(), real() or imag()");
    const mst_type taken = mst_map_taken_type(r->kind, type, desc->type);
    s->typing.converted = taken == type ? (mst_type)0 : taken;
    MST_TRY(mst_expr_lower(parsed, &s->typing, plan->expression, &plan->roots[r->root], error));
    r->type = plan->roots[r->root].type;
    r->result = result_type(r);
fail:
    mst_expr_destroy(parsed);
    return status;
}

// The number of the reduction, which is a new one or has stood before.
static mst_status find_or_add(mst_map *plan, const mst_map_desc *desc, mst_map_symbols *s, const char *text,
                              const mst_map_call *call, int *number, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_reduce *reduce = plan->reduce;
    char *argument = NULL;
    MST_TRY(check_argument(text, call, error));
    MST_REQUIRE(argument = strndup(text + call->inside, call->length), MST_ERROR_HOST_MEMORY,
                "out of memory reading the expression");
    mst_map_reduction *r = &reduce->reductions[reduce->n];
    *r = (mst_map_reduction){.kind = call->kind, .root = reduce->n};
    MST_REQUIRE(!is_arg(r) || desc->n_axes <= 1, MST_ERROR_ARGUMENT, "argmin and argmax take one axis, or all");
    MST_TRY(lower_argument(plan, desc, s, argument, r, error));
    for (*number = 0; *number < reduce->n; ++*number) { // equal operations are one node
        const mst_map_reduction *o = &reduce->reductions[*number];
        if (o->kind == r->kind && o->type == r->type && plan->roots[o->root].nodes[0] == plan->roots[r->root].nodes[0] &&
            plan->roots[o->root].nodes[1] == plan->roots[r->root].nodes[1])
            break;
    }
    MST_REQUIRE(*number < MST_MAP_MAX_REDUCTIONS, MST_ERROR_ARGUMENT, "more than %d different reductions in one pass",
                MST_MAP_MAX_REDUCTIONS);
    if (*number == reduce->n)
        plan->n_roots = ++reduce->n;
fail:
    free(argument);
    return status;
}

// The text with names in place of the reductions.
static mst_status take_apart(mst_map *plan, const mst_map_desc *desc, mst_map_symbols *s, const char *text, char **out,
                             mst_error *error) {
    mst_status status = MST_OK;
    mst_map_call call;
    size_t from = 0, n = 0;
    // A name is longer than what it stands for by less than its room.
    size_t room = strlen(text) + NAME_ROOM * (strlen(text) / 4 + 1) + 1;
    char *rest = NULL;
    int number = 0;
    MST_REQUIRE(rest = calloc(room, 1), MST_ERROR_HOST_MEMORY, "out of memory reading the expression");
    while (mst_map_next_reduction(text, from, &call)) {
        MST_TRY(find_or_add(plan, desc, s, text, &call, &number, error));
        n += (size_t)snprintf(rest + n, room - n, "%.*s_reduction_%d_", (int)(call.begin - from), text + from, number);
        from = call.end;
    }
    snprintf(rest + n, room - n, "%s", text + from);
    *out = rest;
    return MST_OK;
fail:
    free(rest);
    return status;
}

// ---- What is computed from the results

static mst_status check_leaves(const mst_map *plan, const mst_map_desc *desc, const mst_expr *finish, mst_error *error) {
    mst_status status = MST_OK;
    for (size_t i = 0; i < mst_expr_n_leaves(finish); i++) {
        const mst_expr_leaf *leaf = &mst_expr_leaves(finish)[i];
        MST_REQUIRE(!mst_map_is_array(plan, leaf), MST_ERROR_ARGUMENT,
                    "%s is an array, and stands outside of %s; compute the reduction first, then a map with its result",
                    desc->inputs[leaf->symbol].name, "sum(), mean() and the like");
    }
fail:
    return status;
}

static mst_status lower_finish(mst_map *plan, const mst_map_desc *desc, const mst_map_symbols *of_elements, const char *text,
                               int output, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_reduce *reduce = plan->reduce;
    mst_map_symbols s = *of_elements;
    char names[MST_MAP_MAX_REDUCTIONS][NAME_ROOM];
    mst_expr *parsed = NULL;
    s.n = (size_t)(plan->n_inputs + plan->n_numbers);
    for (int r = 0; r < reduce->n; r++) {
        snprintf(names[r], sizeof names[r], "_reduction_%d_", r);
        s.kinds[s.n] = (mst_expr_kind){.type = reduce->reductions[r].result};
        s.symbols[s.n++] = (mst_expr_symbol){.name = names[r]};
    }
    s.typing.symbols = s.kinds;
    s.typing.common = reduce->reductions[0].result;
    s.typing.converted = mst_map_out_type(desc, output);
    MST_TRY(mst_expr_parse_map(text, "the expression", s.symbols, s.n, &parsed, error));
    MST_TRY(mst_expr_lower(parsed, &s.typing, reduce->finish, &reduce->results[output], error));
    MST_TRY(check_leaves(plan, desc, reduce->finish, error));
fail:
    mst_expr_destroy(parsed);
    return status;
}

static mst_status lower(mst_map *plan, const mst_map_desc *desc, mst_map_symbols *s, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_reduce *reduce = plan->reduce;
    char *texts[MST_MAP_MAX_OUTPUTS] = {NULL};
    mst_expr_destroy(plan->expression);
    mst_expr_destroy(reduce->finish);
    reduce->finish = NULL;
    MST_REQUIRE((plan->expression = mst_expr_create_lowered()) && (reduce->finish = mst_expr_create_lowered()),
                MST_ERROR_HOST_MEMORY, "out of memory reading the expression");
    reduce->n = 0;
    for (int k = 0; k < plan->n_outputs; k++)
        MST_TRY(take_apart(plan, desc, s, mst_map_expression(desc, k), &texts[k], error));
    for (int k = 0; k < plan->n_outputs; k++)
        MST_TRY(lower_finish(plan, desc, s, texts[k], k, error));
fail:
    for (int k = 0; k < plan->n_outputs; k++)
        free(texts[k]);
    return status;
}

// ---- Axes

static mst_status read_axes(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_reduce *reduce = plan->reduce;
    MST_REQUIRE(desc->n_axes >= 0 && desc->n_axes <= MST_MAX_RANK && (desc->n_axes == 0 || desc->axes), MST_ERROR_ARGUMENT,
                "n_axes is %d; 0 to %d axes are supported", desc->n_axes, MST_MAX_RANK);
    for (int k = 0; k < desc->n_axes; k++) {
        const int axis = mst_layout_axis(&plan->shape, desc->axes[k]);
        MST_REQUIRE(axis >= 0, MST_ERROR_ARGUMENT, "axis %d of arrays of %d ax%s", desc->axes[k], plan->shape.rank,
                    plan->shape.rank == 1 ? "is" : "es");
        MST_REQUIRE(!reduce->reduced[axis], MST_ERROR_ARGUMENT, "axis %d is named twice", axis);
        reduce->reduced[axis] = true;
    }
    reduce->all = true;
    reduce->count = 1;
    for (int axis = 0; axis < plan->shape.rank; axis++) {
        reduce->reduced[axis] = reduce->reduced[axis] || desc->n_axes == 0;
        reduce->all = reduce->all && reduce->reduced[axis];
        reduce->count *= reduce->reduced[axis] ? plan->shape.shape[axis] : 1;
        if (plan->shape.shape[axis] > 1)
            reduce->columns = !reduce->reduced[axis];
    }
    reduce->keep_axes = desc->keep_axes != 0;
    reduce->ddof = desc->ddof;
fail:
    return status;
}

mst_layout mst_map_reduced_shape(const mst_map *plan, int output) {
    mst_layout shape = {.type = plan->reduce->results[output].type};
    for (int axis = 0; axis < plan->shape.rank; axis++)
        if (!plan->reduce->reduced[axis])
            shape.shape[shape.rank++] = plan->shape.shape[axis];
        else if (plan->reduce->keep_axes)
            shape.shape[shape.rank++] = 1;
    if (shape.rank == 0)
        shape.shape[shape.rank++] = 1;
    return shape;
}

static mst_status check_count(const mst_map *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_layout shape = mst_map_reduced_shape(plan, 0);
    for (int r = 0; r < plan->reduce->n && plan->reduce->count == 0; r++)
        MST_REQUIRE(!is_extreme(&plan->reduce->reductions[r]) || mst_layout_count(&shape) == 0, MST_ERROR_ARGUMENT,
                    "no elements along the axes that are reduced: the least or largest of none has no value");
fail:
    return status;
}

mst_status mst_map_reduce_read(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(read_axes(plan, desc, error));
    MST_TRY(mst_map_lower_for_device(plan, desc, lower, error));
    MST_TRY(check_count(plan, error));
fail:
    return status;
}
