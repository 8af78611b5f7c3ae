#include "support_expression.h"

#include <float.h>
#include <math.h>

// In the order in which cases shrink: the simplest first.
enum {
    LEAF,
    NUMBER,
    ADD,
    SUBTRACT,
    MULTIPLY,
    NEGATE,
    CHOOSE,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL,
    EQUAL,
    NOT_EQUAL,
    AND,
    OR,
    NOT,
    PLUS,
    DIVIDE,
    POWER,
    POWER_STARS,
    CALL // and on: the functions
};

// ---- functions ----

static double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? x : 0; }
static float signf(float x) { return (float)sign((double)x); }
static long double signl(long double x) { return (long double)sign((double)x); }
static double divided(double a, double b) { return a / b; }
static float dividedf(float a, float b) { return a / b; }
static long double dividedl(long double a, long double b) { return a / b; }

#define ARGUMENTS_1 (a)
#define ARGUMENTS_2 (a, b)
#define DEFINE(name, c, arity, ulps, ulps_double)                                                                                \
    static double name##_of_double(double a, double b) { return (void)b, c ARGUMENTS_##arity; }                                  \
    static float name##_of_float(float a, float b) { return (void)b, c##f ARGUMENTS_##arity; }                                   \
    static long double name##_precise(long double a, long double b) { return (void)b, c##l ARGUMENTS_##arity; }

// F(name in expressions, name in C, arity, units in the last place that OpenCL 1.2 allows in float and in double). It sets no
// limit for lgamma. Those that integers have come first, then those with no error; division has a sign for a name.
#define FUNCTIONS(F)                                                                                                             \
    F(abs, fabs, 1, 0, 0)                                                                                                        \
    F(min, fmin, 2, 0, 0)                                                                                                        \
    F(max, fmax, 2, 0, 0)                                                                                                        \
    F(sign, sign, 1, 0, 0)                                                                                                       \
    F(floor, floor, 1, 0, 0)                                                                                                     \
    F(ceil, ceil, 1, 0, 0)                                                                                                       \
    F(round, rint, 1, 0, 0)                                                                                                      \
    F(trunc, trunc, 1, 0, 0)                                                                                                     \
    F(mod, fmod, 2, 0, 0)                                                                                                        \
    F(sqrt, sqrt, 1, 3, 0)                                                                                                       \
    F(cbrt, cbrt, 1, 2, 2)                                                                                                       \
    F(exp, exp, 1, 3, 3)                                                                                                         \
    F(exp2, exp2, 1, 3, 3)                                                                                                       \
    F(expm1, expm1, 1, 3, 3)                                                                                                     \
    F(log, log, 1, 3, 3)                                                                                                         \
    F(log2, log2, 1, 3, 3)                                                                                                       \
    F(log10, log10, 1, 3, 3)                                                                                                     \
    F(log1p, log1p, 1, 2, 2)                                                                                                     \
    F(sin, sin, 1, 4, 4)                                                                                                         \
    F(cos, cos, 1, 4, 4)                                                                                                         \
    F(tan, tan, 1, 5, 5)                                                                                                         \
    F(asin, asin, 1, 4, 4)                                                                                                       \
    F(acos, acos, 1, 4, 4)                                                                                                       \
    F(atan, atan, 1, 5, 5)                                                                                                       \
    F(sinh, sinh, 1, 4, 4)                                                                                                       \
    F(cosh, cosh, 1, 4, 4)                                                                                                       \
    F(tanh, tanh, 1, 5, 5)                                                                                                       \
    F(asinh, asinh, 1, 4, 4)                                                                                                     \
    F(acosh, acosh, 1, 4, 4)                                                                                                     \
    F(atanh, atanh, 1, 5, 5)                                                                                                     \
    F(erf, erf, 1, 16, 16)                                                                                                       \
    F(erfc, erfc, 1, 16, 16)                                                                                                     \
    F(gamma, tgamma, 1, 16, 16)                                                                                                  \
    F(lgamma, lgamma, 1, 1e6, 1e6)                                                                                               \
    F(atan2, atan2, 2, 6, 6)                                                                                                     \
    F(hypot, hypot, 2, 4, 4)                                                                                                     \
    F(pow, pow, 2, 16, 16)
FUNCTIONS(DEFINE)
DEFINE(division, divided, 2, 2.5, 0)

#define ENTRY(name, c, arity, ulps, ulps_double)                                                                                 \
    {#name, arity, {ulps, ulps_double}, name##_of_double, name##_of_float, name##_precise},
static const test_function functions[] = {FUNCTIONS(ENTRY)};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0], N_OF_INTEGERS = 3, N_EXACT = 9, SQRT = 9, POW = N_FUNCTIONS - 1 };
static const test_function division = {
    "/", 2, {2.5, 0}, division_of_double, division_of_float, division_precise,
};

// ---- making them ----

static const char *const floats[] = {"0",
                                     "1",
                                     "2",
                                     "0.5",
                                     "3",
                                     "0.1",
                                     "10",
                                     "7",
                                     "16",
                                     "17",
                                     "pi",
                                     "e",
                                     "1e-3",
                                     "1e4",
                                     "1.5",
                                     "1e-30",
                                     "1e30",
                                     "1e-44",
                                     "1e38",
                                     "3.4028236e38",
                                     "1e300",
                                     "1e-310",
                                     "1e308",
                                     "inf",
                                     ".3",
                                     "5.",
                                     "1e-7",
                                     "4e9",
                                     "1e16",
                                     "0.333333333333333333",
                                     "100.5",
                                     "2.5e+3",
                                     "123456789.123456789"};
static const char *const wholes[] = {
    "0",     "1",   "2",     "3",     "7",          "10",         "16",         "100",
    "127",   "128", "255",   "32767", "2147483647", "2147483648", "4294967295", "9007199254740992",
    "65536", "0.5", "32768", "1e3"};
#define CHOOSE_OF(list) list[test_choose(sizeof(list) / sizeof *(list))]

static bool is_condition(int operation) { return operation >= LESS && operation <= NOT; }

static int arity_of(int operation) {
    if (operation >= CALL)
        return functions[operation - CALL].arity;
    return operation <= NUMBER                                            ? 0
           : operation == CHOOSE                                          ? 3
           : operation == NEGATE || operation == NOT || operation == PLUS ? 1
                                                                          : 2;
}

static int choose_operation(const test_expression_kind *kind, bool may_have_operands) {
    size_t k = test_choose(may_have_operands ? 100 : 2);
    if (k < 2)
        return (int)k;
    if (k < 36)
        return LEAF + (int)(k % 5 == 0); // 8 to 2
    if (k < 72)
        return ADD + (int)(k - 36) % (DIVIDE - ADD);
    if (k < 78)
        return POWER + (int)(k % 2);
    if (k < 84)
        return !kind->integers || test_choose_rarely(10) ? DIVIDE : ADD;
    bool few = kind->integers && !test_choose_rarely(20);
    return CALL + (int)test_choose(few ? N_OF_INTEGERS : kind->arithmetic ? N_EXACT : N_FUNCTIONS);
}

// Operands of POWER are mostly small numbers. *room: the nodes that may still be made.
static int choose_node(const test_expression_kind *kind, test_expression *e, int depth, int *room, bool exponent) {
    int index = e->n_nodes++;
    test_node *node = &e->nodes[index];
    *node =
        (test_node){.operation = exponent && !test_choose_rarely(4) ? NUMBER : choose_operation(kind, depth < 9 && *room >= 3)};
    node->n_operands = arity_of(node->operation);
    *room -= node->n_operands;
    if (node->operation == LEAF)
        node->leaf = test_choose(kind->n_leaves);
    else if (node->operation == NUMBER && exponent)
        node->number = (const char *[]){"2", "3", "0.5", "1", "0", "4", "7", "15", "16", "17", "1.5"}[test_choose(11)];
    else if (node->operation == NUMBER)
        node->number = kind->integers ? CHOOSE_OF(wholes) : CHOOSE_OF(floats);
    else
        node->parentheses = test_choose_rarely(8);
    bool power = node->operation == POWER || node->operation == POWER_STARS;
    for (int k = 0; k < e->nodes[index].n_operands; k++) {
        int operand = choose_node(kind, e, depth + 1, room, power && k == 1);
        e->nodes[index].operands[k] = operand;
    }
    return index;
}

static double number_value(const char *text) {
    return strcmp(text, "pi") == 0 ? acos(-1) : strcmp(text, "e") == 0 ? exp(1) : strtod(text, NULL);
}

static bool is_whole_power(double exponent) { return exponent == floor(exponent) && fabs(exponent) <= 16; }

// Numbers alone are computed once, in double; x^0 is one.
static void fold(test_expression *e, int index) {
    test_node *node = &e->nodes[index];
    double v[3] = {0};
    bool all = !is_condition(node->operation) && node->operation != CHOOSE && node->operation != LEAF;
    for (int k = 0; k < node->n_operands; k++) {
        v[k] = e->nodes[node->operands[k]].value;
        all = all && e->nodes[node->operands[k]].constant;
    }
    bool power =
        node->operation == POWER || node->operation == POWER_STARS || (node->operation >= CALL && node->operation - CALL == POW);
    if (power && e->nodes[node->operands[1]].constant && v[1] == 0 && !all) {
        node->constant = true;
        node->value = 1;
        return;
    }
    if (!(node->constant = all))
        return;
    node->value = node->operation == NUMBER     ? number_value(node->number)
                  : node->operation == ADD      ? v[0] + v[1]
                  : node->operation == SUBTRACT ? v[0] - v[1]
                  : node->operation == MULTIPLY ? v[0] * v[1]
                  : node->operation == DIVIDE   ? v[0] / v[1]
                  : node->operation == NEGATE   ? -v[0]
                  : node->operation == PLUS     ? v[0]
                  : power && v[1] == 0.5        ? sqrt(v[0])
                  : power                       ? pow(v[0], v[1])
                                                : functions[node->operation - CALL].of_double(v[0], v[1]);
}

test_expression test_expression_choose(const test_expression_kind *kind) {
    test_expression e = {.leaves = kind->leaves};
    int room = kind->most_nodes < TEST_MAX_NODES ? kind->most_nodes - 1 : TEST_MAX_NODES - 1;
    choose_node(kind, &e, 0, &room, false);
    for (int i = e.n_nodes; i-- > 0;)
        fold(&e, i);
    return e;
}

// ---- text ----

enum { BINDS_CHOICE = 1, BINDS_OR, BINDS_AND, BINDS_COMPARISON, BINDS_SUM, BINDS_PRODUCT, BINDS_SIGN, BINDS_POWER, BINDS_ALL };

static int binds(const test_node *node) {
    static const int table[] = {BINDS_ALL,        BINDS_ALL,        BINDS_SUM,        BINDS_SUM,        BINDS_PRODUCT,
                                BINDS_SIGN,       BINDS_CHOICE,     BINDS_COMPARISON, BINDS_COMPARISON, BINDS_COMPARISON,
                                BINDS_COMPARISON, BINDS_COMPARISON, BINDS_COMPARISON, BINDS_AND,        BINDS_OR,
                                BINDS_SIGN,       BINDS_SIGN,       BINDS_PRODUCT,    BINDS_POWER,      BINDS_POWER};
    return node->operation >= CALL ? BINDS_ALL : table[node->operation];
}

static char *write_node(const test_expression *e, int index, int least, char *out);

static char *write_between(const test_expression *e, const test_node *node, char *out) {
    static const char *const signs[] = {
        [ADD] = "+",       [SUBTRACT] = " - ",     [MULTIPLY] = "*", [LESS] = "<",        [LESS_EQUAL] = "<=",
        [GREATER] = " > ", [GREATER_EQUAL] = ">=", [EQUAL] = "==",   [NOT_EQUAL] = "!=",  [AND] = "&&",
        [OR] = "||",       [DIVIDE] = "/",         [POWER] = "^",    [POWER_STARS] = "**"};
    int own = binds(node), left = own, right = own + 1;
    if (own == BINDS_COMPARISON) // they do not chain
        left = own + 1;
    if (own == BINDS_POWER) { // from the right, and a sign may follow
        left = BINDS_ALL;
        right = BINDS_SIGN;
    }
    out = write_node(e, node->operands[0], left, out);
    out += sprintf(out, "%s", signs[node->operation]);
    return write_node(e, node->operands[1], right, out);
}

static char *write_node(const test_expression *e, int index, int least, char *out) {
    const test_node *node = &e->nodes[index];
    bool enclosed = node->parentheses || binds(node) < least;
    if (enclosed)
        *out++ = '(';
    if (node->operation >= CALL) {
        out += sprintf(out, "%s(", functions[node->operation - CALL].name);
        for (int k = 0; k < node->n_operands; k++) {
            out += sprintf(out, "%s", k ? ", " : "");
            out = write_node(e, node->operands[k], 0, out);
        }
        *out++ = ')';
    } else if (node->operation == LEAF) {
        out += sprintf(out, "%s", e->leaves[node->leaf]);
    } else if (node->operation == NUMBER) {
        out += sprintf(out, "%s", node->number);
    } else if (node->operation == CHOOSE) {
        out = write_node(e, node->operands[0], BINDS_OR, out);
        out += sprintf(out, " ? ");
        out = write_node(e, node->operands[1], 0, out);
        out += sprintf(out, " : ");
        out = write_node(e, node->operands[2], 0, out);
    } else if (node->n_operands == 1) {
        *out++ = node->operation == NEGATE ? '-' : node->operation == NOT ? '!' : '+';
        out = write_node(e, node->operands[0], BINDS_SIGN, out);
    } else {
        out = write_between(e, node, out);
    }
    if (enclosed)
        *out++ = ')';
    *out = '\0';
    return out;
}

void test_expression_write(const test_expression *e, int node, char text[TEST_MAX_EXPRESSION]) { write_node(e, node, 0, text); }

// ---- values ----

bool test_same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool is_power(const test_node *node) {
    return node->operation == POWER || node->operation == POWER_STARS || node->operation == CALL + POW;
}

bool test_expression_calls(const test_expression *e, int index, const test_function **function) {
    const test_node *node = &e->nodes[index];
    *function = NULL;
    if (node->constant)
        return false;
    if (is_power(node)) {
        const test_node *exponent = &e->nodes[node->operands[1]];
        if (exponent->constant && exponent->value == 0.5)
            *function = &functions[SQRT];
        else if (!exponent->constant || !is_whole_power(exponent->value) || e->nodes[node->operands[0]].constant)
            *function = &functions[POW];
        else if (exponent->value < 0)
            *function = &division;
    } else if (node->operation == DIVIDE) {
        *function = &division;
    } else if (node->operation >= CALL) {
        *function = &functions[node->operation - CALL];
    }
    return *function != NULL;
}

static double in_type(const test_evaluation *how, double v) { return how->is_double ? v : (double)(float)v; }

static bool condition(const test_evaluation *how, int index) {
    const test_node *node = &how->expression->nodes[index];
    const int *o = node->operands;
    if (node->operation == AND)
        return condition(how, o[0]) && condition(how, o[1]);
    if (node->operation == OR)
        return condition(how, o[0]) || condition(how, o[1]);
    if (node->operation == NOT)
        return !condition(how, o[0]);
    if (!is_condition(node->operation))
        return test_expression_value(how, index) != 0;
    double a = test_expression_value(how, o[0]), b = test_expression_value(how, o[1]);
    return node->operation == LESS            ? a < b
           : node->operation == LESS_EQUAL    ? a <= b
           : node->operation == GREATER       ? a > b
           : node->operation == GREATER_EQUAL ? a >= b
           : node->operation == EQUAL         ? a == b
                                              : a != b;
}

// Powers of two by squaring, and their product from the lowest on.
static double whole_power(const test_evaluation *how, double base, int n) {
    double result = 1;
    bool begun = false;
    for (; n > 0; n /= 2) {
        if (n % 2)
            result = begun ? in_type(how, result * base) : base;
        begun = begun || n % 2;
        base = in_type(how, base * base);
    }
    return result;
}

static double call(const test_evaluation *how, int index, const test_function *f, double a, double b) {
    bool takes_one = f->of_double == min_of_double || f->of_double == max_of_double;
    if (how->is_open && takes_one && a == 0 && b == 0)
        *how->is_open = true;
    if (how->call)
        return how->call(how->user, index, f, a, b);
    return how->is_double ? f->of_double(a, b) : (double)f->of_float((float)a, (float)b);
}

// Products and sums of floats are exact in double but for one rounding, which is that of float.
double test_expression_value(const test_evaluation *how, int index) {
    const test_expression *e = how->expression;
    const test_node *node = &e->nodes[index];
    const test_function *f;
    double v[3] = {0};
    if (node->constant)
        return in_type(how, node->value);
    if (node->operation == LEAF)
        return in_type(how, how->leaves[node->leaf]);
    if (is_condition(node->operation))
        return condition(how, index);
    if (node->operation == CHOOSE)
        return test_expression_value(how, node->operands[condition(how, node->operands[0]) ? 1 : 2]);
    bool calls = test_expression_calls(e, index, &f);
    for (int k = 0; k < node->n_operands; k++)
        v[k] = test_expression_value(how, node->operands[k]);
    if (is_power(node) && (!calls || f == &division)) {
        double power = whole_power(how, v[0], abs((int)e->nodes[node->operands[1]].value));
        return calls ? call(how, index, f, 1, power) : power;
    }
    if (calls)
        return call(how, index, f, v[0], v[1]);
    return in_type(how, node->operation == ADD        ? v[0] + v[1]
                        : node->operation == SUBTRACT ? v[0] - v[1]
                        : node->operation == MULTIPLY ? v[0] * v[1]
                        : node->operation == NEGATE   ? -v[0]
                                                      : v[0]);
}

// ---- integers ----

static int64_t wrapped(uint64_t v, unsigned bytes) {
    return bytes == 1 ? (int8_t)v : bytes == 2 ? (int16_t)v : bytes == 4 ? (int32_t)v : (int64_t)v;
}

static bool integer_condition(const test_expression *e, unsigned bytes, const int64_t *leaves, int index) {
    const test_node *node = &e->nodes[index];
    const int *o = node->operands;
    if (node->constant) // which may be no integer
        return node->value != 0;
    if (node->operation == AND)
        return integer_condition(e, bytes, leaves, o[0]) && integer_condition(e, bytes, leaves, o[1]);
    if (node->operation == OR)
        return integer_condition(e, bytes, leaves, o[0]) || integer_condition(e, bytes, leaves, o[1]);
    if (node->operation == NOT)
        return !integer_condition(e, bytes, leaves, o[0]);
    if (!is_condition(node->operation))
        return test_expression_integer(e, bytes, leaves, index) != 0;
    int64_t a = test_expression_integer(e, bytes, leaves, o[0]), b = test_expression_integer(e, bytes, leaves, o[1]);
    return node->operation == LESS            ? a < b
           : node->operation == LESS_EQUAL    ? a <= b
           : node->operation == GREATER       ? a > b
           : node->operation == GREATER_EQUAL ? a >= b
           : node->operation == EQUAL         ? a == b
                                              : a != b;
}

int64_t test_expression_integer(const test_expression *e, unsigned bytes, const int64_t *leaves, int index) {
    const test_node *node = &e->nodes[index];
    int64_t v[3] = {0};
    if (node->constant)
        return (int64_t)node->value;
    if (node->operation == LEAF)
        return leaves[node->leaf];
    if (is_condition(node->operation))
        return integer_condition(e, bytes, leaves, index);
    if (node->operation == CHOOSE)
        return test_expression_integer(e, bytes, leaves,
                                       node->operands[integer_condition(e, bytes, leaves, node->operands[0]) ? 1 : 2]);
    for (int k = 0; k < node->n_operands; k++)
        v[k] = test_expression_integer(e, bytes, leaves, node->operands[k]);
    uint64_t a = (uint64_t)v[0], b = (uint64_t)v[1], power = 1;
    for (int k = 0; is_power(node) && k < (int)v[1]; k++)
        power *= a;
    return wrapped(is_power(node)                ? power
                   : node->operation == ADD      ? a + b
                   : node->operation == SUBTRACT ? a - b
                   : node->operation == MULTIPLY ? a * b
                   : node->operation == NEGATE   ? 0 - a
                   : node->operation == CALL     ? (v[0] < 0 ? 0 - a : a)
                   : node->operation == CALL + 1 ? (v[0] < v[1] ? a : b)
                   : node->operation == CALL + 2 ? (v[0] > v[1] ? a : b)
                                                 : a,
                   bytes);
}

// Whether of operand k only counts whether it is 0, and it is a number, which then need not fit the type.
static bool is_truth(const test_expression *e, const test_node *node, int k) {
    bool by_truth =
        node->operation == AND || node->operation == OR || node->operation == NOT || (node->operation == CHOOSE && k == 0);
    return by_truth && e->nodes[node->operands[k]].constant;
}

// Whether a number is computed of integers alone: one with a point or an exponent is a real one, whatever its value. The base of
// x^0, which is 1, is no number, and must be one of the type.
static bool is_of_wholes(const test_expression *e, unsigned bytes, int index) {
    const test_node *node = &e->nodes[index];
    if (!node->constant)
        return test_expression_is_integer(e, bytes, index);
    if (node->operation == NUMBER)
        return strpbrk(node->number, ".ei") == NULL;
    if (node->operation == DIVIDE || node->operation >= CALL + 3)
        return is_power(node) && is_of_wholes(e, bytes, node->operands[0]) && is_of_wholes(e, bytes, node->operands[1]);
    for (int k = 0; k < node->n_operands; k++)
        if (!is_of_wholes(e, bytes, node->operands[k]))
            return false;
    return true;
}

// A whole exponent is no number that is computed with.
bool test_expression_is_integer(const test_expression *e, unsigned bytes, int index) {
    const test_node *node = &e->nodes[index];
    const test_function *f;
    double limit = ldexp(1, (int)(8 * bytes - 1));
    if (node->constant)
        return is_of_wholes(e, bytes, index) && node->value == floor(node->value) && node->value >= -limit &&
               node->value < limit && fabs(node->value) <= 0x1p53;
    if (test_expression_calls(e, index, &f) && f != &functions[0] && f != &functions[1] && f != &functions[2])
        return false;
    if (is_power(node))
        return is_of_wholes(e, bytes, node->operands[1]) && test_expression_is_integer(e, bytes, node->operands[0]);
    for (int k = 0; k < node->n_operands; k++)
        if (!is_truth(e, node, k) && !test_expression_is_integer(e, bytes, node->operands[k]))
            return false;
    return true;
}
