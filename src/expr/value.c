#include <mastaba/expression.h>

#include "expr.h"
#include "runtime/error.h"
#include <stdlib.h>

mst_status mst_expression_value(const char *text, const char *what, const mst_symbol *symbols, size_t n_symbols, double *value,
                                mst_error *error) {
    mst_status status = MST_OK;
    mst_expr *expr = NULL;
    double *leaves = NULL;
    mst_expr_symbol *known = calloc(n_symbols ? n_symbols : 1, sizeof *known);

    MST_REQUIRE(known, MST_ERROR_HOST_MEMORY, "out of memory");
    for (size_t i = 0; i < n_symbols; i++)
        known[i] = (mst_expr_symbol){symbols[i].name, symbols[i].n_axes, symbols[i].n_levels};
    MST_TRY(mst_expr_parse(text, what, known, n_symbols, &expr, error));
    if (!value)
        goto fail;
    size_t n = mst_expr_n_leaves(expr);
    MST_REQUIRE(leaves = calloc(n ? n : 1, sizeof *leaves), MST_ERROR_HOST_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++) {
        const mst_symbol *symbol = &symbols[mst_expr_leaves(expr)[i].symbol];
        MST_REQUIRE(symbol->n_axes == 0, MST_ERROR_ARGUMENT, "%s reads the field %s, which has no single value", what,
                    symbol->name);
        leaves[i] = symbol->value;
    }
    *value = mst_expr_evaluate(expr, leaves);
fail:
    mst_expr_destroy(expr);
    free(leaves);
    free(known);
    return status;
}
