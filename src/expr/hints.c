#include "hints.h"

typedef struct hint {
    const char *written, *here;
} hint;

static const hint names[] = {
    {"ln", "the natural logarithm is log"},
    {"lg", "it is log10 or log2"},
    {"tg", "it is tan"},
    {"arctg", "it is atan"},
    {"cot", "write 1/tan(x)"},
    {"ctg", "write 1/tan(x)"},
    {"sec", "write 1/cos(x)"},
    {"csc", "write 1/sin(x)"},
    {"factorial", "write gamma(x + 1)"},
    {"float_power", "it is pow, or ^"},
    {"ldexp", "write x*exp2(n)"},
    {"spacing", "write nextafter(x, copysign(inf, x)) - x"},
    {"expit", "write 1/(1 + exp(-x))"},
    {"logit", "write log(x/(1 - x))"},
    {"relu", "write maximum(x, 0)"},
    {"select", "write where(c, x, y)"},
    {"fdim", "write maximum(x - y, 0)"},
    {"isclose", "write abs(x - y) <= 1e-8 + 1e-5*abs(y)"},
    {"Inf", "infinity is inf"},
    {"INF", "infinity is inf"},
    {"oo", "infinity is inf"},
    {"infinity", "it is inf"},
    {"Infinity", "it is inf"},
    {"NaN", "it is nan"},
    {"Pi", "it is pi"},
    {"PI", "it is pi"},
    {"not", "write !"},
    {"True", "conditions count as 1 and 0"},
    {"False", "conditions count as 1 and 0"},
    {"None", "every argument is needed"},
    {"np", "functions stand alone, without np."},
    {"numpy", "functions stand alone, without numpy."},
    {"math", "functions stand alone, without math."},
    {NULL, NULL},
};

static const hint names_of_maps[] = {
    {"i", "the imaginary unit is 1j"},
    {"j", "the imaginary unit is 1j"},
    {"divmod", "write x // y and x % y"},
    {"int", "trunc(x) rounds towards 0, out_type (--out-type int64) converts"},
    {"float", "type (--type float64) and out_type convert"},
    {"astype", "type (--type float64) and out_type convert"},
    {"nansum", "write sum(where(isnan(x), 0, x))"},
    {"nanmean", "write sum(where(isnan(x), 0, x)) / count(!isnan(x))"},
    {"nanmin", "write min(where(isnan(x), inf, x))"},
    {"nanmax", "write max(where(isnan(x), -inf, x))"},
    {"average", "it is mean, or sum(w*x)/sum(w)"},
    {"ptp", "write max(x) - min(x)"},
    {"dot", "write sum(x*y)"},
    {"norm", "write sqrt(sum(x^2))"},
    {NULL, NULL},
};

static const hint operators[] = {
    {"and", "write &&"},
    {"or", "write ||"},
    {"if", "write c ? x : y"},
    {"is", "write =="},
    {"=", "write == to compare"},
    {"@", "all goes element by element, products of matrices do not"},
    {"!", "write gamma(x + 1) for a factorial, != to compare"},
    {NULL, NULL},
};

// Operators that are of maps alone.
static const hint operators_of_maps[] = {
    {"&", "write &&"},          {"|", "write ||"}, {"%", "write mod(x, y), which has the sign of x"},
    {"//", "write floor(x/y)"}, {NULL, NULL},
};

static const char *find(const hint *hints, const mst_tokens *token) {
    for (; hints->written; hints++)
        if (mst_token_is(token, hints->written))
            return hints->here;
    return NULL;
}

const char *mst_hint_for_name(const mst_tokens *name, bool of_map) {
    const char *here = find(names, name);
    return here || !of_map ? here : find(names_of_maps, name);
}

const char *mst_hint_for_operator(const mst_tokens *token, bool of_map) {
    const char *here = find(operators, token);
    if (!here && !of_map)
        here = find(operators_of_maps, token);
    if (!here && (token->kind == MST_TOKEN_NAME || token->kind == MST_TOKEN_NUMBER || mst_token_is(token, "(")))
        here = "a product is written x*y";
    return here;
}
