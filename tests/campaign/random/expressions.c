// Random expressions, many in a kernel, of every type and width: the device and the library's interpreter beside that of the
// tests. What a device computes for a function is held against long double within the error that OpenCL allows it, and taken
// over: all else must agree in every bit.
#include "support_expression.h"

#include "expr/types.h"
#include "runtime/kernel.h"

#include <float.h>
#include <math.h>

enum { N_LEAVES = 4, N_VALUES = 64, MAX_OUTPUTS = 400, MAX_BATCH = 40 };

static const char *const leaf_names[N_LEAVES] = {"x", "y", "z", "w"};
static const mst_expr_symbol symbols[N_LEAVES] = {{"x", 0, 0}, {"y", 0, 0}, {"z", 0, 0}, {"w", 0, 0}};

// What the kernel writes: an expression, or a function within one.
typedef struct output {
    int expression, node;
    mst_expr *expr;
} output;

typedef struct batch {
    mst_context *context;
    bool integers, is_double;
    unsigned bytes, width;
    int n_expressions, n_outputs;
    test_expression expressions[MAX_BATCH];
    output outputs[MAX_OUTPUTS];
    union {
        double d[N_LEAVES * N_VALUES];
        float f[N_LEAVES * N_VALUES];
        int64_t i64[N_LEAVES * N_VALUES];
        int32_t i32[N_LEAVES * N_VALUES];
        int16_t i16[N_LEAVES * N_VALUES];
        int8_t i8[N_LEAVES * N_VALUES];
    } input;
    unsigned char *results;
} batch;

// ---- values ----

static double special_value(const batch *b, size_t k) {
    const double tiny = b->is_double ? DBL_MIN : (double)FLT_MIN, most = b->is_double ? DBL_MAX : (double)FLT_MAX;
    const double values[] = {0,   -0.0, 1,     -1,   0.5,   2,        -2, INFINITY, -INFINITY,
                             NAN, most, -most, tiny, -tiny, tiny / 8, 3,  1e5,      -1e-5};
    return values[k % (sizeof values / sizeof values[0])];
}

static int64_t special_integer(const batch *b, size_t k) {
    const int64_t least = INT64_MIN >> (64 - 8 * b->bytes);
    const int64_t values[] = {0, 1, -1, 2, 3, 5, -7, least, least + 1, -(least + 1), 10, 100};
    return values[k % (sizeof values / sizeof values[0])];
}

static void make_values(batch *b) {
    for (size_t i = 0; i < N_LEAVES * N_VALUES; i++) {
        size_t kind = test_between(0, 3);
        double v = kind == 0 ? special_value(b, test_between(0, 17)) : test_uniform() * (kind == 1 ? 1 : kind == 2 ? 8 : 1000);
        int64_t whole = kind == 0 ? special_integer(b, test_between(0, 11)) : (int64_t)test_random() >> test_between(0, 63);
        if (!b->integers && b->is_double)
            b->input.d[i] = v;
        else if (!b->integers)
            b->input.f[i] = (float)v;
        else if (b->bytes == 8)
            b->input.i64[i] = whole;
        else if (b->bytes == 4)
            b->input.i32[i] = (int32_t)whole;
        else if (b->bytes == 2)
            b->input.i16[i] = (int16_t)whole;
        else
            b->input.i8[i] = (int8_t)whole;
    }
}

static double real_at(const batch *b, const void *from, size_t i) {
    return b->is_double ? ((const double *)from)[i] : (double)((const float *)from)[i];
}

static int64_t whole_at(const batch *b, const void *from, size_t i) {
    return b->bytes == 8   ? ((const int64_t *)from)[i]
           : b->bytes == 4 ? ((const int32_t *)from)[i]
           : b->bytes == 2 ? ((const int16_t *)from)[i]
                           : ((const int8_t *)from)[i];
}

// ---- making a batch ----

static mst_expr *parsed(const test_expression *e, int node) {
    char text[TEST_MAX_EXPRESSION];
    mst_expr *expr;
    mst_error error;
    test_expression_write(e, node, text);
    CHECK(mst_expr_parse(text, "f", symbols, N_LEAVES, &expr, &error) == MST_OK, "%s is refused: %s", text, error.message);
    return expr;
}

static const char *type_name(const batch *b) {
    return !b->integers    ? b->is_double ? "double" : "float"
           : b->bytes == 8 ? "long"
           : b->bytes == 4 ? "int"
           : b->bytes == 2 ? "short"
                           : "char";
}

static void describe(const batch *b) {
    static char text[MAX_BATCH * TEST_MAX_EXPRESSION];
    size_t used = (size_t)sprintf(text, "%s, width %u", type_name(b), b->width);
    for (int k = 0; k < b->n_expressions; k++) {
        used += (size_t)sprintf(text + used, ", ");
        test_expression_write(&b->expressions[k], 0, text + used);
        used += strlen(text + used);
    }
    test_case_made((size_t)b->n_expressions, "%s", text);
}

static void choose_batch(batch *b) {
    test_expression_kind kind = {.leaves = leaf_names, .n_leaves = N_LEAVES};
    b->integers = test_choose(3) == 2;
    b->is_double = test_choose(2) == 1 && mst_context_device(b->context)->fp64;
    b->bytes = b->integers ? 1u << test_choose(4) : b->is_double ? 8 : 4;
    b->width = 1u << test_choose(5);
    b->n_expressions = (int)test_choose_between(1, MAX_BATCH);
    kind.integers = b->integers;
    kind.arithmetic = test_choose(3) > 0; // functions take most of the time in which kernels compile
    int room = kind.integers || kind.arithmetic ? 600 : 250;
    for (int k = 0; k < b->n_expressions; k++) {
        kind.most_nodes = (int)test_choose_between(1, 40);
        if (kind.most_nodes > room)
            kind.most_nodes = room > 0 ? room : 1;
        b->expressions[k] = test_expression_choose(&kind);
        room -= b->expressions[k].n_nodes;
    }
}

static void add_output(batch *b, int expression, int node) {
    CHECK(b->n_outputs < MAX_OUTPUTS, "too many functions");
    b->outputs[b->n_outputs++] = (output){expression, node, parsed(&b->expressions[expression], node)};
}

static void choose_outputs(batch *b) {
    for (int k = 0; k < b->n_expressions; k++) {
        const test_expression *e = &b->expressions[k];
        const test_function *f;
        for (int i = 1; i < e->n_nodes && !b->integers; i++)
            if (test_expression_calls(e, i, &f))
                add_output(b, k, i);
        add_output(b, k, 0);
    }
}

// ---- the device ----

// Leaves of the lowered tree are the same symbols, perhaps in another order.
static mst_status write_integer(const batch *b, const output *o, const char *const *slots, const char *name, mst_text *out,
                                mst_error *error) {
    mst_status status;
    mst_expr *from = NULL, *lowered = mst_expr_create_lowered();
    mst_expr_root root;
    const char *leaves[N_LEAVES];
    char text[TEST_MAX_EXPRESSION];
    const mst_type type = b->bytes == 8 ? MST_INT64 : b->bytes == 4 ? MST_INT32 : b->bytes == 2 ? MST_INT16 : MST_INT8;
    mst_expr_kind kinds[N_LEAVES];
    for (int l = 0; l < N_LEAVES; l++)
        kinds[l] = (mst_expr_kind){.type = type};
    const mst_expr_typing typing = {.symbols = kinds, .common = type, .computed = type};
    assert_non_null(lowered);
    test_expression_write(&b->expressions[o->expression], o->node, text);
    MST_TRY(mst_expr_parse_map(text, "f", symbols, N_LEAVES, &from, error));
    MST_TRY(mst_expr_lower(from, &typing, lowered, &root, error));
    for (size_t l = 0; l < mst_expr_n_leaves(lowered); l++)
        leaves[l] = slots[mst_expr_leaves(lowered)[l].symbol];
    MST_TRY(mst_expr_write_lowered(lowered, NULL, root.nodes, &name, 1, b->width, leaves, out, error));
fail:
    mst_expr_destroy(from);
    mst_expr_destroy(lowered);
    return status;
}

static void write_value(const batch *b, const output *o, const char *name, mst_text *out) {
    static const char *const slots[] = {"in[i]", "in[n + i]", "in[2 * n + i]", "in[3 * n + i]"};
    const char *leaves[N_LEAVES];
    mst_error error = {.status = MST_OK};
    for (size_t l = 0; l < mst_expr_n_leaves(o->expr); l++)
        leaves[l] = slots[mst_expr_leaves(o->expr)[l].symbol];
    if (!b->integers) {
        mst_expr_write(o->expr, NULL, b->is_double, b->width, leaves, name, out);
        return;
    }
    bool taken = write_integer(b, o, slots, name, out, &error) == MST_OK;
    bool expected = test_expression_is_integer(&b->expressions[o->expression], b->bytes, o->node);
    char text[TEST_MAX_EXPRESSION];
    test_expression_write(&b->expressions[o->expression], 0, text);
    CHECK(taken || !expected, "%s of %u bytes is refused: %s", text, b->bytes, error.message);
}

static bool is_written(const batch *b, const output *o) {
    return !b->integers || test_expression_is_integer(&b->expressions[o->expression], b->bytes, 0);
}

static void write_kernel(const batch *b, mst_text *out) {
    char vector[16];
    snprintf(vector, sizeof vector, b->width > 1 ? "%s%u" : "%s", type_name(b), b->width);
    mst_text_add(out,
                 "#pragma OPENCL FP_CONTRACT OFF\n"
                 "__kernel void f(__global const %s *in, __global %s *out, uint n) {\nuint i = get_global_id(0);\n",
                 vector, vector);
    for (int k = 0; k < b->n_outputs; k++) {
        char name[16];
        mst_text text = {0};
        snprintf(name, sizeof name, "e%d", k);
        write_value(b, &b->outputs[k], name, &text);
        if (is_written(b, &b->outputs[k]))
            mst_text_add(out, "{\n%sout[%d * n + i] = %s;\n}\n", text.text, k, name); // names of parts are of this value alone
        mst_text_release(&text);
    }
    mst_text_add(out, "}\n");
}

static void run(const batch *b) {
    mst_error e;
    mst_kernel *kernel;
    const mst_program *program;
    mst_text text = {0};
    cl_mem in, out;
    const size_t bytes = (size_t)b->n_outputs * N_VALUES * b->bytes;
    mst_queue queue = MST_QUEUE(b->context, mst_context_queue(b->context));
    write_kernel(b, &text);
    OK(mst_program_of_text(b->context, "test", &text, b->is_double ? "-D PRECISION=64" : "-D PRECISION=32", &program, &e));
    mst_text_release(&text);
    OK(mst_kernel_create(program, "f", &kernel, &e));
    OK(mst_device_allocate(b->context, CL_MEM_READ_WRITE, sizeof b->input, "input", &in, &e));
    OK(mst_device_allocate(b->context, CL_MEM_READ_WRITE, bytes, "output", &out, &e));
    OK(mst_queue_write(&queue, CL_TRUE, in, 0, (size_t)N_LEAVES * N_VALUES * b->bytes, &b->input, "the input", &e));
    cl_uint n = N_VALUES / b->width;
    const mst_argument arguments[] = {MST_BIND(in, in), MST_BIND(out, out), MST_BIND(n, n)};
    OK(mst_kernel_launch(&queue, kernel, arguments, 3, n, 1, NULL, &e));
    OK(mst_queue_read(&queue, out, 0, bytes, b->results, "the results", &e));
    mst_queue_release(&queue);
    mst_kernel_destroy(kernel);
    mst_device_release(b->context, in, sizeof b->input);
    mst_device_release(b->context, out, bytes);
}

// ---- comparing ----

typedef struct seen {
    const batch *b;
    int expression;
    size_t value;
} seen;

static double result_of(const seen *s, int node) {
    int k = 0;
    while (s->b->outputs[k].expression != s->expression || s->b->outputs[k].node != node)
        k++;
    return real_at(s->b, s->b->results, (size_t)k * N_VALUES + s->value);
}

// `own` is what the host has, which is to the last bit where that is wanted.
static bool is_near(const batch *b, double got, double own, long double wanted, double ulps) {
    long double most = b->is_double ? (long double)DBL_MAX : (long double)FLT_MAX;
    long double epsilon = b->is_double ? (long double)DBL_EPSILON : (long double)FLT_EPSILON;
    long double least = b->is_double ? 0x1p-1074L : 0x1p-149L;
    double rounded = b->is_double ? (double)wanted : (double)(float)wanted;
    if (test_same(got, rounded) || (ulps == 0 && test_same(got, own)))
        return true;
    long double allowed = (ulps + 0.5L) * fmaxl(fabsl(wanted) * epsilon, least);
    if (isinf(got)) // too large by no more than the error
        return fabsl(wanted) + allowed >= most && (got > 0) == (wanted > 0);
    return ulps > 0 && fabsl((long double)got - wanted) <= allowed;
}

// What the device has for a function's node, if that is near enough.
static double device_call(void *user, int node, const test_function *f, double a, double b) {
    const seen *s = user;
    double got = result_of(s, node), ulps = f->ulps[s->b->is_double];
    double own = s->b->is_double ? f->of_double(a, b) : (double)f->of_float((float)a, (float)b);
    long double wanted = f->precise(a, b);
    CHECK(is_near(s->b, got, own, wanted, ulps), "%s(%.17g, %.17g) in %s, width %u, is %.17g, not %.17Lg", f->name, a, b,
          type_name(s->b), s->b->width, got, wanted);
    return got;
}

static void check_real(const batch *b, int k, size_t i, const double *leaves) {
    const test_expression *e = &b->expressions[k];
    seen s = {b, k, i};
    test_evaluation how = {e, b->is_double, leaves, device_call, &s, NULL};
    char text[TEST_MAX_EXPRESSION];
    const test_function *f;
    test_expression_write(e, 0, text);
    double got = result_of(&s, 0), wanted = test_expression_value(&how, 0);
    CHECK(test_expression_calls(e, 0, &f) || test_same(got, wanted),
          "%s at %.17g, %.17g, %.17g, %.17g in %s, width %u, is %.17g, not %.17g", text, leaves[0], leaves[1], leaves[2],
          leaves[3], type_name(b), b->width, got, wanted);
}

static void check_interpreter(const batch *b, const output *o, const double *leaves) {
    const test_expression *e = &b->expressions[o->expression];
    bool is_open = false;
    test_evaluation how = {e, b->is_double, leaves, NULL, NULL, &is_open};
    double own[N_LEAVES], got;
    float singles[N_LEAVES];
    char text[TEST_MAX_EXPRESSION];
    for (size_t l = 0; l < mst_expr_n_leaves(o->expr); l++) {
        own[l] = leaves[mst_expr_leaves(o->expr)[l].symbol];
        singles[l] = (float)own[l];
    }
    got = b->is_double ? mst_expr_evaluate(o->expr, own) : (double)mst_expr_evaluate_float(o->expr, singles);
    double wanted = test_expression_value(&how, o->node);
    test_expression_write(e, o->node, text);
    CHECK(is_open || test_same(got, wanted), "%s at %.17g, %.17g, %.17g, %.17g in %s: the interpreter gives %.17g, not %.17g",
          text, leaves[0], leaves[1], leaves[2], leaves[3], type_name(b), got, wanted);
}

static void check_integer(const batch *b, const output *o, int k, size_t i) {
    const test_expression *e = &b->expressions[o->expression];
    int64_t leaves[N_LEAVES];
    char text[TEST_MAX_EXPRESSION];
    for (size_t l = 0; l < N_LEAVES; l++)
        leaves[l] = whole_at(b, &b->input, l * N_VALUES + i);
    int64_t got = whole_at(b, b->results, (size_t)k * N_VALUES + i), wanted = test_expression_integer(e, b->bytes, leaves, 0);
    test_expression_write(e, 0, text);
    CHECK(got == wanted, "%s at %lld, %lld, %lld, %lld in %s, width %u, is %lld, not %lld", text, (long long)leaves[0],
          (long long)leaves[1], (long long)leaves[2], (long long)leaves[3], type_name(b), b->width, (long long)got,
          (long long)wanted);
}

static void check(const batch *b) {
    for (size_t i = 0; i < N_VALUES; i++) {
        double leaves[N_LEAVES];
        for (size_t l = 0; l < N_LEAVES && !b->integers; l++)
            leaves[l] = real_at(b, &b->input, l * N_VALUES + i);
        for (int k = 0; k < b->n_outputs; k++) {
            const output *o = &b->outputs[k];
            if (!is_written(b, o))
                continue;
            if (b->integers)
                check_integer(b, o, k, i);
            else
                check_interpreter(b, o, leaves);
            if (!b->integers && o->node == 0)
                check_real(b, o->expression, i, leaves);
        }
    }
}

static void make_and_try(mst_context *context) {
    batch *b = calloc(1, sizeof *b);
    CHECK(b, "no memory");
    b->context = context;
    choose_batch(b);
    describe(b);
    make_values(b);
    choose_outputs(b);
    b->results = malloc((size_t)b->n_outputs * N_VALUES * b->bytes);
    CHECK(b->results, "no memory");
    memset(b->results, 0xff, (size_t)b->n_outputs * N_VALUES * b->bytes);
    run(b);
    check(b);
    for (int k = 0; k < b->n_outputs; k++)
        mst_expr_destroy(b->outputs[k].expr);
    free(b->results);
    free(b);
}

int main(int argc, char **argv) { return test_choices_main(argc, argv, "expressions", make_and_try); }
