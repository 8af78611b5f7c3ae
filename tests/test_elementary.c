// Elementary functions of our own, where the device takes them: their errors beside libm's functions of long double (of double
// for those of float), special values, the same bits whatever the width, those of the device in vectors of 8, too, and at night
// one float in 16.
#include "support.h"

#include "expr/elementary.h"
#include "expr/expr.h"
#include "runtime/kernel.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct function {
    mst_expr_operation operation;
    const char *name; // in OpenCL C
    long double (*one)(long double), (*two)(long double, long double);
    double (*narrow_one)(double), (*narrow_two)(double, double);
    double from, to; // where it is interesting
} function;

#define ONE(id, name, from, to)                                                                                                  \
    { MST_EXPR_##id, #name, name##l, NULL, name, NULL, from, to }
#define TWO(id, name)                                                                                                            \
    { MST_EXPR_##id, #name, NULL, name##l, NULL, name, -20, 20 }
// The device's own, of which only the bits are compared.
#define OF_DEVICE(id, name)                                                                                                      \
    { MST_EXPR_##id, #name, NULL, NULL, NULL, NULL, -200, 200 }
static const function functions[] = {
    ONE(EXP, exp, -750, 720),   ONE(EXP2, exp2, -1080, 1030), ONE(EXPM1, expm1, -50, 720), ONE(LOG, log, 0, 3),
    ONE(LOG2, log2, 0, 3),      ONE(LOG10, log10, 0, 3),      ONE(LOG1P, log1p, -1, 3),    ONE(SIN, sin, -1e3, 1e3),
    ONE(COS, cos, -1e3, 1e3),   ONE(TAN, tan, -1e3, 1e3),     ONE(ASIN, asin, -1, 1),      ONE(ACOS, acos, -1, 1),
    ONE(ATAN, atan, -4, 4),     ONE(SINH, sinh, -720, 720),   ONE(COSH, cosh, -720, 720),  ONE(TANH, tanh, -25, 25),
    ONE(ASINH, asinh, -10, 10), ONE(ACOSH, acosh, 1, 10),     ONE(ATANH, atanh, -1, 1),    ONE(ERF, erf, -7, 7),
    ONE(ERFC, erfc, -7, 28),    ONE(CBRT, cbrt, -30, 30),     TWO(ATAN2, atan2),           TWO(POW, pow),
    TWO(HYPOT, hypot),          OF_DEVICE(GAMMA, tgamma),     OF_DEVICE(LGAMMA, lgamma),
};
static bool has_reference(const function *f) { return f->one || f->two; }
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0], N_VALUES = 1 << 15 };

// The kernel `evaluate`: out[i] = function `number` of a[i] and b[i], in vectors.
static const mst_program *build(mst_context *context, const mst_elementary *own, bool is_double, unsigned width) {
    mst_text text = {0};
    mst_error e;
    const mst_program *program;
    char type[16], title[40];
    snprintf(type, sizeof type, width > 1 ? "%s%u" : "%s", is_double ? "double" : "float", width);
    snprintf(title, sizeof title, "elementary functions, %s", type);
    mst_text_put(&text,
                 "__kernel void evaluate(__global const $type *a, __global const $type *b, __global $type *out, uint number) {\n"
                 "const size_t i = get_global_id(0);\nswitch (number) {\n",
                 MST_SET(type, (const char *)type));
    for (int k = 0; k < N_FUNCTIONS; k++)
        if (mst_elementary_has(own, functions[k].operation))
            mst_text_put(&text, "case $k:\nout[i] = own_${name}_$type(a[i]$b);\nbreak;\n", MST_SET(k, k),
                         MST_SET(name, functions[k].name), MST_SET(type, (const char *)type),
                         MST_SET(b, functions[k].two ? ", b[i]" : ""));
    mst_text_put(&text, "}\n}\n");
    OK(mst_elementary_define(context, &text, &e));
    OK(mst_program_of_text(context, title, &text, is_double ? "-D PRECISION=64" : "-D PRECISION=32", &program, &e));
    mst_text_release(&text);
    return program;
}

// ---- Values on the host

typedef union values {
    double d[N_VALUES];
    float f[N_VALUES];
} values;

static const double special[] = {0.0,      1.0,       INFINITY, NAN,     0.5,    2.0,    3.0,         0x1p-1074,
                                 0x1p-149, 0x1p-1022, DBL_MAX,  FLT_MAX, 0x1p53, 1e22,   16367173e72, 0x1p-30,
                                 0.75,     1.5,       710.0,    746.0,   88.8,   104.0,  1e-20,       1e-5,
                                 0.3,      0x1.8p52,  1e300,    20.0,    33.0,   0x1p28, 1e15,        0x1.921fb54442d18p+0};
enum { N_SPECIAL = sizeof special / sizeof special[0], N_SIGNED = 2 * N_SPECIAL };

// Between two numbers.
static double between(double from, double to) { return from + (to - from) * (test_uniform() + 1) / 2; }

static double special_value(int k) { return k % 2 ? -special[k / 2 % N_SPECIAL] : special[k / 2 % N_SPECIAL]; }

static double any_bits(bool is_double) {
    const uint64_t bits = test_random();
    double wide;
    float narrow;
    const uint32_t half = (uint32_t)bits;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &half, sizeof narrow);
    return is_double ? wide : (double)narrow;
}

// By turns: specials, each with each; any bits; of any size near 1; where the function is interesting.
static double draw(const function *f, bool is_double, int i, int argument) {
    if (i < N_SIGNED * N_SIGNED)
        return special_value(argument ? i / N_SIGNED : i % N_SIGNED);
    if (i % 4 == 0)
        return any_bits(is_double);
    if (i % 4 == 1)
        return copysign(exp2(between(-60, 60)), f->from >= 0 ? 1.0 : test_uniform());
    if (i % 4 == 2)
        return 1 + copysign(exp2(between(-50, 0)), test_uniform());
    return between(f->from, f->to);
}

static double value_of(const values *v, bool is_double, int i) { return is_double ? v->d[i] : (double)v->f[i]; }

static void put(values *v, bool is_double, int i, double value) {
    if (is_double)
        v->d[i] = value;
    else
        v->f[i] = (float)value;
}

// The distance in units in the last place that the exact value has in the type; 0 for the same special value, else INFINITY.
static double distance(bool is_double, double got, long double exact) {
    const int digits = is_double ? DBL_MANT_DIG : FLT_MANT_DIG, least = is_double ? DBL_MIN_EXP : FLT_MIN_EXP;
    const double rounded = is_double ? (double)exact : (double)(float)exact;
    int exponent;
    if (isnan(exact))
        return isnan(got) ? 0 : INFINITY;
    if (exact == 0)
        return got == 0 && !signbit(got) == !signbit(exact) ? 0 : INFINITY;
    if (isinf(rounded) || isinf(got))
        return got == rounded || fabsl(exact) > (is_double ? (long double)DBL_MAX : (long double)FLT_MAX) * (1 - 0x1p-20L)
                   ? 0
                   : INFINITY;
    frexpl(exact, &exponent);
    return (double)(fabsl((long double)got - exact) / ldexpl(1, (exponent < least ? least : exponent) - digits));
}

static long double exactly(const function *f, bool is_double, double a, double b) {
    if (is_double)
        return f->two ? f->two(a, b) : f->one(a);
    return f->two ? f->narrow_two(a, b) : f->narrow_one(a);
}

typedef struct device {
    mst_context *context;
    mst_queue queue;
    cl_mem a, b, out;
} device;

static void run(device *d, const mst_kernel *kernel, unsigned width, cl_uint number, const values *a, const values *b,
                values *out) {
    mst_error e;
    const mst_argument arguments[] = {MST_BIND(a, d->a), MST_BIND(b, d->b), MST_BIND(out, d->out), MST_BIND(number, number)};
    OK(mst_queue_write(&d->queue, CL_TRUE, d->a, 0, sizeof *a, a, "a", &e));
    OK(mst_queue_write(&d->queue, CL_TRUE, d->b, 0, sizeof *b, b, "b", &e));
    OK(mst_kernel_launch(&d->queue, kernel, arguments, 4, N_VALUES / width, 1, NULL, &e));
    OK(mst_queue_read(&d->queue, d->out, 0, sizeof *out, out, "out", &e));
}

static void check(const function *f, bool is_double, const values *a, const values *b, const values *got) {
    double worst = 0, at[2] = {0};
    for (int i = 0; i < N_VALUES; i++) {
        const double x = value_of(a, is_double, i), y = value_of(b, is_double, i), z = value_of(got, is_double, i);
        const double away = distance(is_double, z, exactly(f, is_double, x, y));
        if (away > worst) {
            worst = away;
            at[0] = x;
            at[1] = y;
        }
    }
    CHECK(worst <= (is_double ? 2 : 1), "%s of %s: %g units in the last place away at %.17g, %.17g", f->name,
          is_double ? "double" : "float", worst, at[0], at[1]);
}

static void test_precision(device *d, const mst_elementary *own, bool is_double) {
    static const unsigned widths[] = {8, 1};
    static values a, b, out[2];
    mst_kernel *kernels[2] = {NULL};
    mst_error e;
    const int n_widths = test_turn(0, 4) ? 2 : 1; // alone costs a kernel
    for (int w = 0; w < n_widths; w++)
        OK(mst_kernel_create(build(d->context, own, is_double, widths[w]), "evaluate", &kernels[w], &e));
    for (int k = 0; k < N_FUNCTIONS; k++)
        for (int round = 0; round < test_many(1) && mst_elementary_has(own, functions[k].operation); round++) {
            memset(&a, 0, sizeof a);
            memset(&b, 0, sizeof b);
            for (int i = 0; i < N_VALUES; i++) {
                put(&a, is_double, i, draw(&functions[k], is_double, i, 0));
                put(&b, is_double, i, draw(&functions[k], is_double, i, 1));
            }
            for (int w = 0; w < n_widths; w++)
                run(d, kernels[w], widths[w], (cl_uint)k, &a, &b, &out[w]);
            if (has_reference(&functions[k]))
                check(&functions[k], is_double, &a, &b, &out[0]);
            for (int i = 0; i < N_VALUES && n_widths == 2; i++) {
                const double x = value_of(&out[0], is_double, i), y = value_of(&out[1], is_double, i);
                CHECK(memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y)), "%s: %.17g in vectors, %.17g alone",
                      functions[k].name, x, y);
            }
        }
    mst_kernel_destroy(kernels[0]);
    mst_kernel_destroy(kernels[1]);
}

// At night one float in 16, every 16th from a random one on; and of functions of two numbers as many random pairs of any bits. A
// value takes 42 ns with its check, so that these 6.4 * 10^9 take five minutes of an idle machine.
static void test_floats(device *d, const mst_elementary *own) {
    static values a, b, out;
    mst_kernel *kernel;
    mst_error e;
    const uint64_t first = test_random() % 16;
    OK(mst_kernel_create(build(d->context, own, false, 8), "evaluate", &kernel, &e));
    for (int k = 0; k < N_FUNCTIONS; k++)
        for (uint64_t at = 0; at < (1 << 28) && mst_elementary_has(own, functions[k].operation) && has_reference(&functions[k]);
             at += N_VALUES) {
            for (uint64_t i = 0; i < N_VALUES; i++) {
                const uint32_t bits = functions[k].two ? (uint32_t)test_random() : (uint32_t)(16 * (at + i) + first);
                memcpy(&a.f[i], &bits, sizeof bits);
                b.f[i] = functions[k].two ? (float)any_bits(false) : 0;
            }
            run(d, kernel, 8, (cl_uint)k, &a, &b, &out);
            check(&functions[k], false, &a, &b, &out);
        }
    mst_kernel_destroy(kernel);
}

static void test_functions(void **state) {
    mst_context *context = *state;
    device d = {.context = context, .queue = MST_QUEUE(context, mst_context_queue(context))};
    mst_error e;
    const mst_elementary *own = mst_elementary_of(&context->device);
    if (!own)
        skip();
    OK(mst_device_allocate(d.context, CL_MEM_READ_WRITE, sizeof(values), "a", &d.a, &e));
    OK(mst_device_allocate(d.context, CL_MEM_READ_WRITE, sizeof(values), "b", &d.b, &e));
    OK(mst_device_allocate(d.context, CL_MEM_READ_WRITE, sizeof(values), "out", &d.out, &e));
    test_precision(&d, own, false);
    test_precision(&d, own, true);
    if (test_many(1) > 1)
        test_floats(&d, own);
    mst_queue_release(&d.queue);
    mst_device_release(d.context, d.a, sizeof(values));
    mst_device_release(d.context, d.b, sizeof(values));
    mst_device_release(d.context, d.out, sizeof(values));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions)};
    return cmocka_run_group_tests_name("elementary", tests, test_setup, test_teardown);
}
