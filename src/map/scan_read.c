// Running sums as they stand in an expression's text, and what a description asks of them.
#include "scan.h"

#include "runtime/layout.h"
#include "text/letters.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    mst_map_reduction_kind kind;
} names[] = {
    {"cumsum", MST_MAP_SUM},
    {"cumulative_sum", MST_MAP_SUM},
    {"cumprod", MST_MAP_PRODUCT},
    {"cumulative_prod", MST_MAP_PRODUCT},
};
enum { N_NAMES = sizeof names / sizeof names[0] };

typedef struct scan_call {
    mst_map_reduction_kind kind;
    size_t begin, open; // of its name, and its parenthesis
} scan_call;

static bool find_call(const char *text, scan_call *call) {
    for (size_t at = 0; text[at];) {
        size_t end = at;
        while (mst_is_in_name(text[end]))
            end++;
        const size_t open = end + strspn(text + end, " \t\r\n");
        for (int k = 0; k < N_NAMES && text[open] == '('; k++)
            if (strlen(names[k].name) == end - at && memcmp(names[k].name, text + at, end - at) == 0) {
                *call = (scan_call){names[k].kind, at, open};
                return true;
            }
        at = end > at ? end : at + 1;
    }
    return false;
}

// It is all of the expression.
static mst_status check_call(const char *text, const scan_call *call, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_call reduction;
    scan_call inner;
    int commas;
    const size_t close = mst_map_find_end(text, call->open + 1, &commas), blanks = strspn(text, " \t\r\n");
    const size_t behind = text[close] ? close + 1 + strspn(text + close + 1, " \t\r\n") : close;
    if (!text[close])
        status = mst_map_refuse_at(text, call->open, "expected ')' to close '('", error);
    else if (call->begin != blanks || text[behind])
        status = mst_map_refuse_at(text, call->begin,
                                   "cumsum and cumprod have nothing around them; compute that from their result", error);
    else if (find_call(text + call->open, &inner))
        status = mst_map_refuse_at(text, call->open + inner.begin, "cumsum and cumprod do not nest; compute the inner one first",
                                   error);
    else if (mst_map_next_reduction(text, call->open, &reduction))
        status =
            mst_map_refuse_at(text, reduction.begin, "reductions do not stand in cumsum and cumprod; compute it first", error);
    return status;
}

mst_status mst_map_scan_find(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    for (int k = 0; k < plan->n_outputs; k++) {
        scan_call call;
        if (!find_call(mst_map_expression(desc, k), &call))
            continue;
        MST_TRY(check_call(mst_map_expression(desc, k), &call, error));
        if (!plan->scan)
            MST_REQUIRE(plan->scan = calloc(1, sizeof *plan->scan), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
        plan->scan->outputs[k].scanned = true;
        plan->scan->outputs[k].kind = call.kind;
    }
fail:
    return status;
}

// The expression without the name, in whose place there are blanks, so that columns stay what they are.
static char *text_of(const mst_map_desc *desc, int output) {
    scan_call call;
    char *text = strdup(mst_map_expression(desc, output));
    if (text && find_call(text, &call))
        memset(text + call.begin, ' ', call.open - call.begin);
    return text;
}

// A mistake is shown in the expression as it was given.
static void show_name(const mst_map_desc *desc, int output, mst_error *error) {
    enum { UNCUT = 50 }; // columns, see mst_error_point
    const char *caret = error ? strchr(error->excerpt, '\n') : NULL;
    if (caret && strlen(caret + 1) <= UNCUT)
        mst_error_point(error, mst_map_expression(desc, output), strlen(caret + 1) - 1);
}

mst_status mst_map_scan_lower(mst_map *plan, const mst_map_desc *desc, mst_map_symbols *s, int output, mst_error *error) {
    mst_status status = MST_OK;
    mst_expr *parsed = NULL;
    mst_type type;
    char *text = text_of(desc, output);
    MST_REQUIRE(text, MST_ERROR_HOST_MEMORY, "out of memory reading the expression");
    s->typing.converted = mst_map_out_type(desc, output);
    MST_REQUIRE(s->typing.converted != MST_BOOL, MST_ERROR_ARGUMENT, "cumsum and cumprod are not of bool; choose another type");
    status = mst_expr_parse_map(text, "the expression", s->symbols, s->n, &parsed, error);
    if (status == MST_ERROR_ARGUMENT)
        show_name(desc, output, error);
    MST_TRY(status);
    if (!s->typing.converted) {
        MST_TRY(mst_map_type_of(parsed, &s->typing, &type, error));
        s->typing.converted = mst_map_taken_type(MST_MAP_SUM, type, desc->type);
    }
    MST_TRY(mst_expr_lower(parsed, &s->typing, plan->expression, &plan->roots[output], error));
fail:
    mst_expr_destroy(parsed);
    free(text);
    return status;
}

mst_status mst_map_scan_axis(mst_map *plan, const mst_map_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_scan *scan = plan->scan;
    const mst_layout *shape = &plan->shape;
    MST_REQUIRE(desc->n_axes == 1 || (desc->n_axes == 0 && shape->rank == 1), MST_ERROR_ARGUMENT,
                "cumsum and cumprod go along one axis, but %d of %d are named", desc->n_axes, shape->rank);
    MST_REQUIRE(desc->n_axes == 0 || desc->axes, MST_ERROR_ARGUMENT, "axes must not be NULL");
    const int axis = desc->n_axes == 0 ? 0 : mst_layout_axis(shape, desc->axes[0]);
    MST_REQUIRE(axis >= 0, MST_ERROR_ARGUMENT, "axis %d of arrays of %d ax%s", desc->axes[0], shape->rank,
                shape->rank == 1 ? "is" : "es");
    scan->length = shape->shape[axis];
    scan->inner = 1;
    for (int k = axis + 1; k < shape->rank; k++)
        scan->inner *= shape->shape[k];
    scan->levels = scan->length <= MST_MAP_SCAN_TILE ? 1 : scan->length <= MST_MAP_SCAN_TILE * MST_MAP_SCAN_SPAN ? 2 : 3;
fail:
    return status;
}
