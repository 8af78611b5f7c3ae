// Expressions: what they mean, what is refused and where, the same bits on host and device, and no input that breaks the parser.
#include "support.h"

#include "expr/expr.h"
#include "runtime/kernel.h"

#include <float.h>
#include <math.h>

static const mst_expr_symbol symbols[] = {{"x", 0, 0}, {"y", 0, 0}, {"alpha", 0, 0}, {"u", 2, 2}, {"v", 1, 1}, {"w", 3, 1}};
enum { N_SYMBOLS = sizeof symbols / sizeof symbols[0] };

static mst_expr *parsed(const char *text) {
    mst_error e;
    mst_expr *expr;
    OK(mst_expr_parse(text, "f", symbols, N_SYMBOLS, &expr, &e));
    return expr;
}

// The value with x = 3, y = -2, alpha = 0.5, everywhere in fields 10 + 100 level + the sum of the offsets.
static double value_of(const char *text) {
    mst_expr *expr = parsed(text);
    double leaves[64];
    static const double values[] = {3, -2, 0.5};
    const mst_expr_leaf *leaf = mst_expr_leaves(expr);
    for (size_t i = 0; i < mst_expr_n_leaves(expr); i++, leaf++)
        leaves[i] = leaf->symbol < 3 ? values[leaf->symbol]
                                     : 10 + 100 * leaf->level + leaf->offsets[0] + leaf->offsets[1] + leaf->offsets[2];
    double value = mst_expr_evaluate(expr, leaves);
    mst_expr_destroy(expr);
    return value;
}

static void test_meaning(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } table[] = {
        {"1 + 2*3", 7},
        {"(1 + 2)*3", 9},
        {"2^3^2", 512},
        {"2**3", 8},
        {"-x^2", -9},
        {"-2^2", -4},
        {"(-2)^2", 4},
        {"2^-1", 0.5},
        {"2^-x*4", 0.5},
        {"x^-2*18", 2},
        {"2*-x", -6},
        {"1 - 2 - 3", -4},
        {"16/4/2", 2},
        {"16/(4/2)", 8},
        {"1--1", 2},
        {"+x", 3},
        {"x < y", 0},
        {"y < x", 1},
        {"(x > 0) + (x >= 3) + (x != 3) + (x == 3) + (x <= 2)", 3},
        {"x > 0 && y > 0 || 1", 1},
        {"0 && 1 || 1", 1},
        {"1 || 0 && 0", 1},
        {"!x", 0},
        {"!x + 1", 1},
        {"!(x < y) * 4", 4},
        {"x ? 5 : 6", 5},
        {"x < 0 ? 1 : y < 0 ? 2 : 3", 2},
        {"1 + x ? 2 : 3", 2},
        {"x > 0 ? y > 0 ? 1 : 2 : 3", 2},
        {"x^0", 1},
        {"x^1", 3},
        {"x^7", 2187},
        {"x^16", 43046721},
        {"x^17", 129140163},
        {"(x>0)^2", 1},
        {"pow(x, 2)", 9},
        {"1.5e2 + .5 + 2.", 152.5},
        {"1e-3*1e+3", 1},
        {"min(x, y) + max(x, y)*10", 28},
        {"atan2(0, 1) + abs(y) + sign(y)", 1},
        {"mod(7, 4) + floor(2.7) + ceil(2.2) + round(2.5) + trunc(-2.7)", 8},
        {"exp(0) + log(e) + sqrt(4) + cos(0) + hypot(x, 4)", 10},
        {"1/inf", 0},
        {"square(x) + reciprocal(4) + fabs(-2) + negative(1) + fix(-1.5)", 9.25},
        {"logical_xor(x, 0) + logical_and(1, 0)*10 + equal(x, 3)*100 + isneginf(-inf)*1000", 1101},
        {"logaddexp(inf, 1) == inf && logaddexp(-inf, -inf) == -inf", 1},
        {"nan_to_num(nan) + nan_to_num(2.5) + (nan_to_num(inf) > 1e300)", 3.5},
        {"degrees(pi/2) + (radians(180) == pi)", 91},
        {"u + u[1,-1] + u.prev + u.prev[0,2]", 10 + 10 + 110 + 112},
        {"v[-1] - v[+1]", -2},
        {"w[1,2,3] + w", 26},
        {" x\t+\n1 ", 4},
        {"alpha", 0.5},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        double value = value_of(table[i].text);
        CHECK(value == table[i].value, "%s is %.17g, not %.17g", table[i].text, value, table[i].value);
    }
    assert_true(fabs(value_of("pi") - acos(-1)) == 0 && fabs(value_of("e") - exp(1)) < 1e-15);
    const mst_expr_symbol energy[] = {{"e", 0, 0}};
    mst_expr *expr;
    mst_error e;
    OK(mst_expr_parse("2*e", "f", energy, 1, &expr, &e)); // a symbol comes before a constant
    assert_true(mst_expr_evaluate(expr, (double[]){21}) == 42);
    mst_expr_destroy(expr);
}

static void test_leaves(void **state) {
    (void)state;
    mst_expr *expr = parsed("x*x + u[0,0] - u + u.prev[0,-1] + u[1,0]*x");
    const mst_expr_leaf expected[] = {{0, 0, {0, 0, 0}}, {3, 0, {0, 0, 0}}, {3, 1, {0, -1, 0}}, {3, 0, {1, 0, 0}}};
    assert_int_equal(mst_expr_n_leaves(expr), 4);
    for (int i = 0; i < 4; i++)
        assert_memory_equal(&mst_expr_leaves(expr)[i], &expected[i], sizeof expected[i]);
    mst_expr_destroy(expr);
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int column;
        const char *part;
    } table[] = {
        {"", 1, "expected a number, a name or '('"},
        {"1 +", 4, "expected a number"},
        {"1 + * 2", 5, "expected a number"},
        {"(1 + 2", 7, "expected ')'"},
        {"1 + 2)", 6, "expected an operator or the end"},
        {"2x", 2, "expected an operator"},
        {"2 e", 3, "expected an operator"},
        {"x y", 3, "expected an operator"},
        {"sn(x)", 1, "did you mean 'sin'"},
        {"1 + alpa", 5, "did you mean 'alpha'"},
        {"qwertyuiop", 1, "'qwertyuiop' is not known"},
        {"sin x", 5, "expected '('"},
        {"sin()", 5, "expected a number"},
        {"sin(x, y)", 6, "sin takes 1 argument"},
        {"atan2(x)", 8, "atan2 takes 2 arguments"},
        {"atan2(x, y, x)", 11, "atan2 takes 2 arguments"},
        {"x(2)", 2, "x is a number"},
        {"x[1]", 2, "x is a number"},
        {"x.prev", 2, "x is a number"},
        {"u[1]", 4, "u has 2 axes, as in u[0,0]"},
        {"u[1,2,3]", 6, "expected ']' after 2 offsets"},
        {"u[1.5,0]", 3, "whole number"},
        {"u[x,0]", 3, "whole number"},
        {"u[128,0]", 3, "whole number"},
        {"u[-128,0]", 4, "whole number"},
        {"u.next", 3, "expected 'prev'"},
        {"v.prev", 3, "no value of the step before"},
        {"u[0,0][0,0]", 7, "u is a field"},
        {"0 < x < 1", 7, "do not chain"},
        {"x == y == 1", 8, "do not chain"},
        {"x ? 1", 6, "expected ':'"},
        {"x = 1", 3, "expected an operator"},
        {"x & y", 3, "expected an operator"},
        {"0x10", 2, "expected an operator"},
        {"2(x)", 2, "a product is written x*y"},
        {"(x and y)", 4, "write &&"},
        {"x if y", 3, "write c ? x : y"},
        {"x = 1", 3, "write == to compare"},
        {"x % y", 3, "write mod(x, y)"},
        {"1 + 2j", 6, "complex numbers are for maps"},
        {"ln(x)", 1, "the natural logarithm is log"},
        {"np.sin(x)", 1, "functions stand alone, without np."},
        {"x; y", 2, "expected an operator"},
        {"1 + \xc3\xa9", 5, "expected a number"},
        {"\"x\"", 1, "expected a number"},
        {"#include", 1, "expected a number"},
    };
    mst_error e;
    mst_expr *expr;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char column[32];
        snprintf(column, sizeof column, "f, column %d: ", table[i].column);
        REFUSED(MST_ERROR_ARGUMENT, table[i].part, mst_expr_parse(table[i].text, "f", symbols, N_SYMBOLS, &expr, &e));
        CHECK(strncmp(e.message, column, strlen(column)) == 0, "%s: '%s' is not at %s", table[i].text, e.message, column);
        const char *caret = strchr(e.excerpt, '\n');
        CHECK(caret && (int)strlen(caret + 1) == table[i].column && !expr, "%s: excerpt '%s'", table[i].text, e.excerpt);
    }
    // A caret far along a long line stands under its letter.
    char text[5000];
    memset(text, ' ', sizeof text);
    text[300] = '$';
    text[400] = '\0';
    REFUSED(MST_ERROR_ARGUMENT, "column 301", mst_expr_parse(text, "f", symbols, N_SYMBOLS, &expr, &e));
    const char *line = strchr(e.excerpt, '$'), *caret = strchr(e.excerpt, '^');
    assert_true(line && caret && line - e.excerpt == caret - strchr(e.excerpt, '\n') - 1);
    // Limits.
    memset(text, '1', 4097);
    text[4097] = '\0';
    REFUSED(MST_ERROR_ARGUMENT, "4096", mst_expr_parse(text, "f", symbols, N_SYMBOLS, &expr, &e));
    assert_true(e.excerpt[0] == '\0');
    memset(text, '(', 4096);
    text[4096] = '\0';
    REFUSED(MST_ERROR_ARGUMENT, "nested too deeply", mst_expr_parse(text, "f", symbols, N_SYMBOLS, &expr, &e));
    memset(text, '-', 4096);
    REFUSED(MST_ERROR_ARGUMENT, "nested too deeply", mst_expr_parse(text, "f", symbols, N_SYMBOLS, &expr, &e));
    // Operators multiply operations.
    static const mst_expr_symbol fields[] = {{"u", 2, 1}, {"k", 2, 1}};
    const mst_expr_scheme scheme = {.n_axes = 2, .spacings = {1, 1}, .coordinates = {SIZE_MAX, SIZE_MAX}};
    OK(mst_expr_parse_scheme("dx(dy(k*u, 16), 16)", "f", fields, 2, &scheme, &expr, &e));
    mst_expr_destroy(expr);
    REFUSED(MST_ERROR_ARGUMENT, "6000",
            mst_expr_parse_scheme("dx(dy(k*dx(dy(k*u, 16), 16), 16), 16)", "f", fields, 2, &scheme, &expr, &e));
}

static void test_symbols(void **state) {
    (void)state;
    mst_error e;
    mst_expr *expr;
    static const char *const names[] = {"", "1a", "a b", "a-b", "\xc3\xa9", "sin", "x"};
    static const char *const parts[] = {"is no name", "is no name",    "is no name", "is no name",
                                        "is no name", "is a function", "twice"};
    for (int i = 0; i < 7; i++) {
        const mst_expr_symbol wrong[] = {{"x", 0, 0}, {names[i], 0, 0}};
        REFUSED(MST_ERROR_ARGUMENT, parts[i], mst_expr_parse("1", "f", wrong, 2, &expr, &e));
    }
}

// ---- against the device ----

// Operations that must give the same bits.
static const char *const exact[] = {
    "x + y*alpha - x/y",
    "x^7 - y^5 + x^-3",
    "x < y ? x*y : x/y",
    "(x > alpha && y > alpha || !(x < y)) * x + 1e-3",
    "min(x, y)*max(x, alpha)",
    "0.1*x + 1e-30*y - 1/3",
    "floor(x*100) + abs(y) - sign(alpha) + mod(x*10, 3)",
    "x ? x : alpha",
    "x > inf ? y : sqrt(x*x) + (y ? 1 : 2)^0.5",
    "-x*(x != y) - trunc(y*3) + round(x*4.2)",
    "x - (y - (alpha - x)) - -(x*y - alpha) - (-(-y))", // parentheses
    "x*(y*(alpha*x)) + y/(alpha/(3/(y*2))) - (x*y)/(y/alpha)",
    "(x < y) - (y < alpha) + ((x < y) == (y < alpha)) - 2*!(x < alpha || y < alpha && x)",
    "alpha ? mod(x*1000, alpha) : y",
};
enum { N_EXACT = sizeof exact / sizeof exact[0], N_VALUES = 64 };

// Functions of arguments that are exact in float too, with the worst error in units in the last place that is let pass
// (OpenCL 1.2 allows up to 16).
static const struct {
    const char *text;
    double ulps;
} functions[] = {
    {"sin(x*8)", 4},    {"cos(x*8)", 4},          {"tan(x)", 5},         {"exp(x*8)", 3},      {"exp2(x*8)", 3},
    {"expm1(x)", 3},    {"log(abs(x))", 4},       {"log2(abs(x))", 4},   {"log10(abs(x))", 4}, {"log1p(x)", 4},
    {"asin(x)", 4},     {"acos(x)", 4},           {"atan(x*8)", 5},      {"sinh(x*4)", 4},     {"cosh(x*4)", 4},
    {"tanh(x*4)", 5},   {"asinh(x*8)", 4},        {"acosh(2+x)", 8},     {"atanh(x)", 5},      {"erf(x*2)", 16},
    {"erfc(x*2)", 16},  {"gamma(3+x)", 16},       {"lgamma(5+2*x)", 64}, {"cbrt(x)", 2},       {"atan2(y, x)", 6},
    {"hypot(x, y)", 4}, {"pow(abs(x), 4*y)", 16}, {"ceil(x*8)", 0},
};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0], N_ALL = N_EXACT + N_FUNCTIONS };

static const char *text_of(int k) { return k < N_EXACT ? exact[k] : functions[k - N_EXACT].text; }

// Kernel f<width>: out[k * n + i] = expression k of values in[i], in[n + i], in[2 n + i].
static void write_kernel(mst_expr **all, int from, int to, bool is_double, unsigned width, mst_text *out) {
    const char *type = is_double ? "double" : "float";
    char vector[16], name[16];
    snprintf(vector, sizeof vector, width > 1 ? "%s%u" : "%s", type, width);
    mst_text_add(out, "__kernel void f%u_%d(__global const %s *in, __global %s *out, uint n) {\nuint i = get_global_id(0);\n",
                 width, from, vector, vector);
    for (int k = from; k < to; k++) {
        const char *const slots[] = {"in[i]", "in[n + i]", "in[2 * n + i]"};
        const char *leaves[3];
        for (size_t l = 0; l < mst_expr_n_leaves(all[k]); l++)
            leaves[l] = slots[mst_expr_leaves(all[k])[l].symbol];
        snprintf(name, sizeof name, "e%d", k);
        mst_expr_write(all[k], NULL, is_double, width, leaves, name, out);
        mst_text_add(out, "out[%d * n + i] = %s;\n", k, name);
    }
    mst_text_add(out, "}\n");
}

static double reference(const mst_expr *expr, bool is_double, bool precise, const double *values) {
    double leaves[3];
    float leaves_float[3];
    for (size_t l = 0; l < mst_expr_n_leaves(expr); l++) {
        leaves[l] = values[mst_expr_leaves(expr)[l].symbol * N_VALUES];
        leaves_float[l] = (float)leaves[l];
    }
    return is_double || precise ? mst_expr_evaluate(expr, leaves) : (double)mst_expr_evaluate_float(expr, leaves_float);
}

// Quotients and roots of float are correctly rounded if that is asked for when kernels are built, on devices that know how.
// Maps do not ask, as it makes quotients a third to a half slower on a GPU; this test does, to see that nothing else differs.
static bool has_quotient(const char *text) { return strpbrk(text, "/") || strstr(text, "^-") || strstr(text, "sqrt"); }

static void run_device(mst_context *context, mst_expr **all, bool is_double, unsigned width, int from, int to,
                       const mst_program *program, const double *values) {
    mst_error e;
    mst_kernel *kernel;
    cl_mem in, out;
    char name[32];
    const size_t bytes = is_double ? 8 : 4;
    static union {
        double d[N_ALL * N_VALUES];
        float f[N_ALL * N_VALUES];
    } input, output;
    for (int i = 0; i < 3 * N_VALUES; i++)
        if (is_double)
            input.d[i] = values[i];
        else
            input.f[i] = (float)values[i];
    memset(&output, 0xff, sizeof output);
    OK(mst_device_allocate(context, CL_MEM_READ_WRITE, sizeof input, "input", &in, &e));
    OK(mst_device_allocate(context, CL_MEM_READ_WRITE, sizeof output, "output", &out, &e));
    mst_queue queue = MST_QUEUE(context, mst_context_queue(context));
    OK(mst_queue_write(&queue, CL_TRUE, in, 0, 3 * N_VALUES * bytes, &input, "in", &e));
    snprintf(name, sizeof name, "f%u_%d", width, from);
    OK(mst_kernel_create(program, name, &kernel, &e));
    cl_uint n = N_VALUES / width;
    const mst_argument arguments[] = {MST_BIND(in, in), MST_BIND(out, out), MST_BIND(n, n)};
    OK(mst_kernel_launch(&queue, kernel, arguments, 3, n, 1, NULL, &e));
    OK(mst_queue_read(&queue, out, 0, N_ALL * N_VALUES * bytes, &output, "out", &e));
    mst_queue_release(&queue);
    bool is_open = !is_double && !mst_program_rounds_quotients(context);
    for (int k = from; k < to; k++)
        for (int i = 0; i < N_VALUES && !(is_open && has_quotient(text_of(k))); i++) {
            double got = is_double ? output.d[k * N_VALUES + i] : (double)output.f[k * N_VALUES + i];
            double wanted = reference(all[k], is_double, k >= N_EXACT, values + i);
            double ulp = is_double ? DBL_EPSILON : (double)FLT_EPSILON;
            double allowed = k < N_EXACT ? 0 : (functions[k - N_EXACT].ulps + 1) * ulp * fmax(fabs(wanted), 0x1p-20);
            CHECK(got == wanted || fabs(got - wanted) <= allowed,
                  "%s, %s%u: %.17g, the host has %.17g (x, y, alpha = %.17g, %.17g, %.17g)", text_of(k),
                  is_double ? "double" : "float", width, got, wanted, values[i], values[N_VALUES + i], values[2 * N_VALUES + i]);
        }
    mst_kernel_destroy(kernel);
    mst_device_release(context, in, sizeof input);
    mst_device_release(context, out, sizeof output);
}

static void test_device(void **state) {
    mst_context *context = *state;
    mst_expr *all[N_ALL];
    double values[3 * N_VALUES];
    mst_error e;
    for (int k = 0; k < N_ALL; k++)
        all[k] = parsed(text_of(k));
    for (int i = 0; i < 3 * N_VALUES; i++)
        values[i] = ldexp(floor(ldexp(test_uniform(), 20)), -20);
    values[0] = values[N_VALUES]; // equal x and y, and zeros
    values[1] = values[2 * N_VALUES + 2] = values[2 * N_VALUES + 6] = 0;
    for (int is_double = 0; is_double <= (mst_context_device(context)->fp64 ? 1 : 0); is_double++) {
        mst_text text = {0};
        const mst_program *program;
        mst_text_add(&text, "#pragma OPENCL FP_CONTRACT OFF\n");
        for (unsigned width = 1; width <= 16; width *= 2)
            write_kernel(all, 0, N_EXACT, is_double, width, &text);
        const unsigned few = is_double ? 4 : 1; // functions compile slowly
        write_kernel(all, N_EXACT, N_ALL, is_double, few, &text);
        const char *options = is_double                               ? "-D PRECISION=64"
                              : mst_program_rounds_quotients(context) ? "-D PRECISION=32 -cl-fp32-correctly-rounded-divide-sqrt"
                                                                      : "-D PRECISION=32";
        OK(mst_program_of_text(context, "test", &text, options, &program, &e));
        mst_text_release(&text);
        for (unsigned width = 1; width <= 16; width *= 2)
            run_device(context, all, is_double, width, 0, N_EXACT, program, values);
        run_device(context, all, is_double, few, N_EXACT, N_ALL, program, values);
    }
    for (int k = 0; k < N_ALL; k++)
        mst_expr_destroy(all[k]);
}

// Names that stand for numbers are folded, and fields' quotients by numbers become products, but for those without a reciprocal.
static void test_scheme(void **state) {
    static const mst_expr_symbol names[] = {{"u", 1, 1}, {"x", 0, 0}, {"a", 0, 0}, {"b", 0, 0}};
    const double a = 0.3, b = 1e-40, *const numbers[] = {NULL, NULL, &a, &b};
    static const char *const texts[] = {"u / (a * a)", "u / b",        "u / 0", "a / u", "u / a ^ 2 > 2 ? u / a : a",
                                        "x / (a * a)", "floor(x / 49)"};
    (void)state;
    for (size_t k = 0; k < 7; k++)
        for (double v = -49; v < 50; v += 0.5) {
            const double expected[] = {v * (1 / (a * a)), v / b,        v / 0.0, a / v, v * (1 / pow(a, 2)) > 2 ? v * (1 / a) : a,
                                       v / (a * a),       floor(v / 49)};
            mst_expr *expr;
            mst_error e;
            OK(mst_expr_parse_scheme(texts[k], "f", names, 4, &(mst_expr_scheme){.numbers = numbers}, &expr, &e));
            assert_int_equal(mst_expr_n_leaves(expr), 1);
            double value = mst_expr_evaluate(expr, &v);
            if (!(value == expected[k] || (isnan(value) && isnan(expected[k]))))
                fail_msg("%s at %g is %.17g, not %.17g", texts[k], v, value, expected[k]);
            mst_expr_destroy(expr);
        }
}

static void test_numbers(void **state) {
    (void)state;
    for (int i = 0; i < 2000; i++) {
        uint64_t bits = test_random();
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        mst_text text = {0};
        mst_expr_write_number(value, true, &text);
        CHECK(strtod(text.text, NULL) == value, "%s is not %.17g", text.text, value);
        mst_text_release(&text);
        mst_expr_write_number(value, false, &text);
        if (isfinite((float)value))
            CHECK(strtof(text.text, NULL) == (float)value, "%s is not %.9g", text.text, (double)(float)value);
        mst_text_release(&text);
    }
}

// ---- fuzz ----

// Mutations of valid text: whatever comes out is parsed and evaluated, or refused with a caret inside the text.
// Many values of a leaf at once are those of one at a time.
static void check_many(const mst_expr *expr, double leaves[64]) {
    enum { N = 70 };
    size_t varying = (size_t)(test_random() % (mst_expr_n_leaves(expr) + 1));
    double x[N], out[N];
    for (int k = 0; k < 64; k++)
        leaves[k] = test_uniform();
    for (int k = 0; k < N; k++)
        out[k] = x[k] = 3 * test_uniform();
    assert_true(mst_expr_evaluate_many(expr, leaves, varying, out, N, out));
    for (int k = 0; k < N; k++) {
        if (varying < mst_expr_n_leaves(expr))
            leaves[varying] = x[k];
        double one = mst_expr_evaluate(expr, leaves);
        CHECK(one == out[k] || (isnan(one) && isnan(out[k])), "value %d of leaf %zu: %g, alone %g", k, varying, out[k], one);
    }
}

static void test_fuzz(void **state) {
    (void)state;
    static const char *const pieces[] = {"x", "u[0,1]", "u.prev", "sin(", "pow(", "(", ")",  "^",   "**", "?",
                                         ":", "<",      "&&",     "||",   "!",    "-", "1e", "1e9", ".5", "[",
                                         "]", ",",      "\xff",   " ",    "inf",  "*", "/",  "+",   "==", "w[1,2,3]"};
    for (int round = 0; round < 60000; round++) {
        char text[400];
        mst_error e;
        mst_expr *expr;
        snprintf(text, 200, "%s", text_of((int)test_between(0, N_ALL - 1)));
        for (size_t m = test_between(0, 6); m > 0; m--) {
            size_t length = strlen(text), at = test_between(0, length);
            const char *piece = pieces[test_between(0, sizeof pieces / sizeof pieces[0] - 1)];
            size_t cut = test_between(0, 3) < length - at ? test_between(0, 1) : 0, n = strlen(piece);
            if (length + n + 1 > sizeof text)
                break;
            memmove(text + at + n, text + at + cut, length - at - cut + 1);
            memcpy(text + at, piece, n);
        }
        mst_status status = mst_expr_parse(text, "f", symbols, N_SYMBOLS, &expr, &e);
        if (status == MST_OK) {
            double values[64] = {0};
            float values_float[64] = {0};
            mst_text out = {0};
            const char *leaves[64];
            for (int i = 0; i < 64; i++)
                leaves[i] = "leaf";
            assert_true(mst_expr_n_leaves(expr) <= 64);
            check_many(expr, values);
            mst_expr_evaluate_float(expr, values_float);
            mst_expr_write(expr, NULL, round % 2, 1u << round % 5, leaves, "f", &out);
            CHECK(!strchr(out.text, '\xff') && !strstr(out.text, "prev"), "user text in the kernel: %s", out.text);
            mst_text_release(&out);
            mst_expr_destroy(expr);
        } else {
            CHECK(status == MST_ERROR_ARGUMENT && !expr && strchr(e.excerpt, '^'), "%s: %s", text, e.message);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meaning), cmocka_unit_test(test_leaves), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_symbols), cmocka_unit_test(test_device), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_scheme),  cmocka_unit_test(test_fuzz),
    };
    return cmocka_run_group_tests_name("expr", tests, test_setup, test_teardown);
}
