// The integrand of the variables t, over whose finite ranges kernels integrate, as one expression.
#include "integrand.h"

#include "expr/build.h"

// What is known of the variables while the expression is built; nodes of it.
typedef struct mapping {
    const mst_integral *plan;
    mst_expr *expr;
    unsigned t[MST_INTEGRAL_MAX_VARIABLES], x[MST_INTEGRAL_MAX_VARIABLES];
    unsigned scales[MST_INTEGRAL_MAX_VARIABLES]; // MST_RANGE_WHOLE: 1 - t^2; MST_RANGE_BETWEEN: the range's width
    unsigned left, right;                        // the one variable's distances from the ends of its range
} mapping;

static unsigned leaf(mapping *m, size_t symbol) { return mst_expr_add_leaf(m->expr, &(mst_expr_leaf){.symbol = symbol}, false); }

static unsigned number(mapping *m, double value) { return mst_expr_add_number(m->expr, value); }

static unsigned unary(mapping *m, mst_expr_operation operation, unsigned a) { return mst_expr_add(m->expr, operation, &a, 1); }

static unsigned binary(mapping *m, mst_expr_operation operation, unsigned a, unsigned b) {
    return mst_expr_add(m->expr, operation, (unsigned[]){a, b}, 2);
}

static unsigned choose(mapping *m, unsigned condition, unsigned a, unsigned b) {
    return mst_expr_add(m->expr, MST_EXPR_CHOOSE, (unsigned[]){condition, a, b}, 3);
}

static unsigned column(mapping *m, int k) { return leaf(m, (size_t)(m->plan->desc.n_variables + 2 + k)); }

// tanh-sinh knows the distances without cancellation. Elsewhere, of half-infinite ranges, either is the one from t = 1.
static void add_ends(mapping *m) {
    const mst_integral *plan = m->plan;
    size_t d = (size_t)plan->desc.n_variables;
    unsigned one = number(m, 1), t = m->t[0];
    if (plan->method->gives_ends) {
        m->left = leaf(m, d);
        m->right = leaf(m, d + 1);
    } else if (plan->uses_ends) {
        m->left = unary(m, MST_EXPR_ABS, binary(m, MST_EXPR_SUBTRACT, t, column(m, plan->n_row - 2)));
        m->right = unary(m, MST_EXPR_ABS, binary(m, MST_EXPR_SUBTRACT, column(m, plan->n_row - 1), t));
    } else {
        m->left = binary(m, plan->kinds[0] == MST_RANGE_WHOLE ? MST_EXPR_ADD : MST_EXPR_SUBTRACT, one, t);
        m->right = binary(m, MST_EXPR_SUBTRACT, one, t);
    }
}

// A bound of the parameters and the variables before it.
static unsigned add_bound(mapping *m, const mst_expr *bound) {
    unsigned leaves[MST_INTEGRAL_MAX_SYMBOLS];
    size_t n = (size_t)m->plan->desc.n_parameters;
    for (size_t i = 0; i < mst_expr_n_leaves(bound); i++) {
        size_t s = mst_expr_leaves(bound)[i].symbol;
        leaves[i] = s < n ? column(m, (int)s) : m->x[s - n];
    }
    return mst_expr_add_tree(m->expr, bound, leaves);
}

// x = its finite bound +- (1 - t) / t
static unsigned add_half_infinite(mapping *m, int k) {
    const mst_integral *plan = m->plan;
    unsigned anchor =
        plan->anchors[k] < 0 ? add_bound(m, plan->bounds[2 * k + (plan->from_infinity[k] ? 1 : 0)]) : column(m, plan->anchors[k]);
    unsigned rest = plan->desc.n_variables == 1 ? unary(m, MST_EXPR_ABS, plan->from_infinity[0] ? m->right : m->left)
                                                : binary(m, MST_EXPR_SUBTRACT, number(m, 1), m->t[k]);
    return binary(m, plan->kinds[k] == MST_RANGE_UPPER ? MST_EXPR_ADD : MST_EXPR_SUBTRACT, anchor,
                  binary(m, MST_EXPR_DIVIDE, rest, m->t[k]));
}

static unsigned add_variable(mapping *m, int k) {
    const mst_integral *plan = m->plan;
    unsigned t = m->t[k], one = number(m, 1);
    switch (plan->kinds[k]) {
    case MST_RANGE_UPPER:
    case MST_RANGE_LOWER:
        return add_half_infinite(m, k);
    case MST_RANGE_WHOLE: // x = t / (1 - t^2)
        m->scales[k] = plan->desc.n_variables == 1
                           ? binary(m, MST_EXPR_MULTIPLY, m->left, m->right)
                           : binary(m, MST_EXPR_MULTIPLY, binary(m, MST_EXPR_SUBTRACT, one, t), binary(m, MST_EXPR_ADD, one, t));
        return binary(m, MST_EXPR_DIVIDE, t, m->scales[k]);
    case MST_RANGE_HALVES: // x = (1 - |t|) / t
        return binary(m, MST_EXPR_DIVIDE, binary(m, MST_EXPR_SUBTRACT, one, unary(m, MST_EXPR_ABS, t)), t);
    case MST_RANGE_BETWEEN: { // x = from + (to - from) t
        unsigned from = add_bound(m, plan->bounds[2 * k]), to = add_bound(m, plan->bounds[2 * k + 1]);
        m->scales[k] = binary(m, MST_EXPR_SUBTRACT, to, from);
        return binary(m, MST_EXPR_ADD, from, binary(m, MST_EXPR_MULTIPLY, m->scales[k], t));
    }
    case MST_RANGE_FINITE:
        break;
    }
    return t;
}

static unsigned add_component(mapping *m, const mst_expr *integrand) {
    unsigned leaves[MST_INTEGRAL_MAX_SYMBOLS];
    size_t d = (size_t)m->plan->desc.n_variables, first_end = d + (size_t)m->plan->desc.n_parameters;
    for (size_t i = 0; i < mst_expr_n_leaves(integrand); i++) {
        size_t s = mst_expr_leaves(integrand)[i].symbol;
        leaves[i] = s < d ? m->x[s] : s < first_end ? column(m, (int)(s - d)) : s == first_end ? m->left : m->right;
    }
    return mst_expr_add_tree(m->expr, integrand, leaves);
}

// f times dx_k/dt_k, by divisions that overflow only where the product does. *far becomes the least of what is 0 at infinity.
static unsigned add_scale(mapping *m, int k, unsigned f, unsigned *far) {
    mst_range_kind kind = m->plan->kinds[k];
    unsigned t = m->t[k], scale = m->scales[k], divisor = kind == MST_RANGE_WHOLE ? scale : t;
    if (kind == MST_RANGE_FINITE)
        return f;
    if (kind == MST_RANGE_BETWEEN)
        return choose(m, binary(m, MST_EXPR_EQUAL, scale, number(m, 0)), number(m, 0), binary(m, MST_EXPR_MULTIPLY, f, scale));
    if (kind == MST_RANGE_WHOLE)
        f = binary(m, MST_EXPR_MULTIPLY, f, binary(m, MST_EXPR_ADD, number(m, 1), binary(m, MST_EXPR_MULTIPLY, t, t)));
    else if (kind == MST_RANGE_UPPER)
        f = unary(m, MST_EXPR_NEGATE, f);
    *far = binary(m, MST_EXPR_MIN, *far, unary(m, MST_EXPR_ABS, divisor));
    return binary(m, MST_EXPR_DIVIDE, binary(m, MST_EXPR_DIVIDE, f, divisor), divisor);
}

// Far out, where x^10 (in float x^3) overflows, f may be a product of 0 and infinity.
static unsigned add_scaled(mapping *m, unsigned f) {
    const mst_integral *plan = m->plan;
    unsigned scaled = f, zero = number(m, 0), far = number(m, 1), limit = number(m, plan->is_double ? 1e-30 : 1e-12);
    bool is_mapped = false;
    for (int k = 0; k < plan->desc.n_variables; k++) {
        scaled = add_scale(m, k, scaled, &far);
        is_mapped = is_mapped || plan->kinds[k] != MST_RANGE_FINITE;
    }
    if (!is_mapped)
        return f;
    unsigned is_lost = binary(m, MST_EXPR_AND, binary(m, MST_EXPR_NOT_EQUAL, f, f), binary(m, MST_EXPR_LESS, far, limit));
    return choose(m, binary(m, MST_EXPR_OR, binary(m, MST_EXPR_EQUAL, f, zero), is_lost), zero, scaled);
}

mst_status mst_integrand_map(mst_integral *plan, mst_error *error) {
    mst_status status = MST_OK;
    int d = plan->desc.n_variables;
    mapping m = {.plan = plan, .expr = mst_expr_create(false, false)};
    MST_REQUIRE(plan->mapped = m.expr, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    for (int k = 0; k < d; k++)
        m.t[k] = leaf(&m, (size_t)k);
    add_ends(&m);
    for (int k = 0; k < d; k++)
        m.x[k] = add_variable(&m, k);
    for (int c = 0; c < plan->n_components; c++) { // nodes that they share are there once
        plan->values[c] = mst_expr_add_as_number(m.expr, add_scaled(&m, add_component(&m, plan->components[c])));
        MST_REQUIRE(plan->values[c] != MST_EXPR_FULL, MST_ERROR_ARGUMENT,
                    "the integrand and what maps its ranges have more than %d operations", MST_EXPR_MAX_NODES);
    }
fail:
    return status;
}
