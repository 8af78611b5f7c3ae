// Maps by byte code: the same bits as compiled kernels, whatever the strides, types in memory and the length, of one output or
// several, the first of which may be in place, and of indices; taking over; refusals.
#include "map/plan.h"
#include "support.h"

#include <string.h>

typedef struct form_case {
    const char *expression;
    mst_type types[2]; // of a and b
    bool has_code, at_night;
} form_case;

#define TERM(k) " + where(a * " #k " > 1, b, 0)" // a step of its own

// The first of every type that is computed in takes seconds to compile.
static const form_case cases[] = {
    {"a + b * 2", {MST_FLOAT32, MST_FLOAT32}, true, false},
    {"a > b || !(b > 0.5 && a < k) && a != 3", {MST_FLOAT32, MST_FLOAT32}, true, true},
    {"where(a > b, a - k, -b / a)", {MST_FLOAT32, MST_FLOAT16}, true, false},
    {"min(a, b) + max(b, 0.25) - abs(a) + floor(b * 0.5) + sqrt(abs(a))", {MST_FLOAT32, MST_FLOAT32}, true, true},
    {"where(b, a, 1 / a)", {MST_FLOAT32, MST_BOOL}, true, false},
    {"real(a) * imag(b) - imag(a) * real(b)", {MST_COMPLEX64, MST_COMPLEX64}, true, false},
    {"a % b + a // b", {MST_FLOAT32, MST_FLOAT32}, true, false},
    {"a * 3 - b", {MST_FLOAT16, MST_FLOAT16}, true, true},
    {"a * b + 2 * a", {MST_COMPLEX64, MST_COMPLEX64}, true, false},
    {"exp(a) + b", {MST_COMPLEX128, MST_FLOAT64}, true, true},
    {"hypot(a, b)", {MST_FLOAT32, MST_FLOAT32}, true, false},
    {"b" TERM(1) TERM(2) TERM(3) TERM(4) TERM(5) TERM(6) TERM(7) TERM(8) TERM(9) TERM(10) TERM(11) TERM(12),
     {MST_FLOAT32, MST_FLOAT64},
     false,
     false}, // too many steps
    {"gamma(a) * lgamma(b)", {MST_FLOAT32, MST_FLOAT32}, true, true},
    {"gamma(a) + lgamma(b) + hypot(a, b)", {MST_FLOAT64, MST_FLOAT64}, true, true},
    {"abs(a) + real(b)", {MST_COMPLEX64, MST_COMPLEX64}, true, true},
    {"a + i0", {MST_FLOAT32, MST_FLOAT32}, true, true}, // float64
    {"where(i0 > 1, 3 * i1 - n1, i1)", {MST_FLOAT32, MST_FLOAT32}, true, true},
    {"(a > 0) + a / b * 2.5", {MST_INT8, MST_INT16}, true, true}, // float32 of integers
    {"a / b - 2 * a", {MST_INT32, MST_INT64}, true, true},        // int64 and float64
    {"where(b * 3 % 5 > 1, a + 1, a * a)", {MST_FLOAT32, MST_INT32}, true, false},
    {"where((a > b) & (b * b > 2), b - a, i1 % 3) * (a < 1)", {MST_FLOAT32, MST_FLOAT64}, true, true},
    {"(a + b * b) * 0.5 + (b << 3)", {MST_FLOAT64, MST_UINT16}, true, true},
    {"a * 3 > b", {MST_UINT32, MST_INT32}, true, true}, // int64
    {"(a ^ 2) * b - b // 2", {MST_UINT64, MST_UINT64}, true, true},
    {"where(a, a * 2, b * b)", {MST_FLOAT16, MST_FLOAT64}, true, true},
    {"where(real(a) > 0, a * b, conj(a)) + (b + 1 > b)", {MST_COMPLEX64, MST_INT16}, true, true},
    {"a * a * b - a / 3", {MST_FLOAT64, MST_UINT32}, true, true},
    {"a * b - (a & 7) + (b << 2) + (a > b)", {MST_INT32, MST_INT32}, true, true},
    {"a // b + a % b + a ** 5", {MST_INT64, MST_INT64}, true, true},
    {"a * 200 + ~b | 3 ^ a", {MST_UINT8, MST_UINT8}, true, true},
    {"sin(a) * exp(-b * b) + pow(abs(a), b)", {MST_FLOAT64, MST_FLOAT64}, true, true},
    {"atan2(a, b) + log1p(abs(a)) - erf(b)", {MST_FLOAT32, MST_FLOAT32}, true, true},
    {"logaddexp(a, b) + square(a) - nan_to_num(deg2rad(b)) + logical_xor(a, b)", {MST_FLOAT32, MST_FLOAT32}, true, true},
    {"nextafter(a, b) + fabs(a)", {MST_FLOAT16, MST_FLOAT16}, true, true},
    {"a * 1j + square(b) - 2.5j", {MST_COMPLEX64, MST_FLOAT32}, true, true},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

typedef struct arrays {
    test_array a, b;
} arrays;

static mst_map *made(mst_context *context, const form_case *c, const arrays *in, uint64_t compile_from, mst_error *e) {
    const mst_map_input inputs[] = {{"a", in->a.layout}, {"b", in->b.layout}};
    const mst_map_number k = {.name = "k", .value = 1.75};
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_map *plan = NULL;
    desc.expression = c->expression;
    desc.inputs = inputs, desc.n_inputs = 2;
    desc.numbers = &k, desc.n_numbers = strstr(c->expression, "k") ? 1 : 0;
    desc.compile_from = compile_from;
    e->status = mst_map_create(context, &desc, &plan, e);
    return plan;
}

static test_array computed(mst_context *context, mst_map *plan, arrays *in, mst_place place, int times) {
    mst_error e;
    test_array output = test_array_new(mst_map_output(plan));
    test_placed a = test_place(context, place, &in->a), b = test_place(context, MST_PLACE_HOST, &in->b),
                out = test_place(context, place, &output);
    const mst_location at[] = {a.at, b.at};
    for (int k = 0; k < times; k++)
        OK(mst_map_execute(plan, at, out.at, NULL, &e));
    test_collect_input(&a, &in->a);
    test_collect_input(&b, &in->b);
    test_collect_output(&out, &output);
    return output;
}

static void check_same(const form_case *c, const test_array *code, const test_array *compiled) {
    const size_t bytes = mst_type_bytes(code->layout.type);
    CHECK(code->layout.type == compiled->layout.type, "%s: other types", c->expression);
    for (size_t i = 0; i < code->elements; i++)
        CHECK(memcmp(test_array_at(code, i), test_array_at(compiled, i), bytes) == 0,
              "%s: element %zu of %zu is %.17g by byte code, %.17g by a compiled kernel", c->expression, i, code->elements,
              (double)creall(test_array_get(code, i)), (double)creall(test_array_get(compiled, i)));
}

static void try_case(mst_context *context, const form_case *c, const arrays *given, mst_place place) {
    mst_error e;
    arrays in = *given;
    mst_map *code = made(context, c, &in, UINT64_MAX, &e);
    if (!c->has_code) {
        CHECK(e.status == MST_ERROR_UNSUPPORTED && strstr(e.message, "byte code"), "%s: %s", c->expression,
              e.status ? e.message : "taken");
        return;
    }
    CHECK(e.status == MST_OK, "%s: %s", c->expression, e.message);
    mst_map *compiled = made(context, c, &in, 1, &e);
    CHECK(e.status == MST_OK, "%s: %s", c->expression, e.message);
    test_array by_code = computed(context, code, &in, place, 1), by_kernel = computed(context, compiled, &in, place, 1);
    check_same(c, &by_code, &by_kernel);
    mst_map_destroy(code);
    mst_map_destroy(compiled);
    test_array_free(&by_code);
    test_array_free(&by_kernel);
}

// Lengths around those of blocks and vectors, gaps, rows that are shorter and longer than a block, one row or column for all.
static void same_bits(void **state) {
    const bool at_night = test_many(1) > 1;
    static const size_t lengths[] = {1, 7, 255, 256, 257, 5000};
    for (size_t k = 0; k < N_CASES; k++) {
        const form_case *c = &cases[k];
        const bool fp64 = c->types[0] == MST_FLOAT64 || c->types[1] == MST_FLOAT64;
        if ((c->at_night && !at_night) || (fp64 && !mst_context_device(*state)->fp64))
            continue;
        const size_t shape[] = {3, lengths[test_between(0, 5)]};
        arrays in;
        mst_layout a = mst_layout_dense(c->types[0], 2, shape), b = mst_layout_dense(c->types[1], 2, shape);
        if (k % 3 == 1) // gaps
            a.strides[1] = 2, a.strides[0] = 2 * (int64_t)shape[1] + 3;
        if (k % 3 == 1 || test_between(0, 1)) { // one row for all, or one column
            const int axis = (int)test_between(0, 1);
            b.strides[axis] = 0, b.strides[1 - axis] = 1;
        }
        in.a = test_array_random(&a);
        in.b = test_array_random(&b);
        try_case(*state, c, &in, k % 2 ? MST_PLACE_DEVICE : MST_PLACE_HOST);
        test_array_free(&in.a);
        test_array_free(&in.b);
    }
}

// Of arrays, indices, a length and a number; every operation has an array within, as others are of int64.
static void write_random(int depth, bool has_array, char *text, size_t size) {
    static const char *const leaves[] = {"a", "b", "i0", "i1", "n1", "7"};
    static const char *const calls[] = {
        "(%s + %s)", "(%s - %s)", "(%s * %s)", "(%s // %s)", "min(%s, %s)", "max(%s, %s)", "where(b > a, %s, %s)", "(%s %% %s)"};
    char x[200], y[200];
    if (depth == 0) {
        snprintf(text, size, "%s", leaves[test_between(0, has_array ? 1 : 5)]);
        return;
    }
    write_random((int)test_between(0, (size_t)depth - 1), false, x, sizeof x);
    write_random(depth - 1, true, y, sizeof y);
    snprintf(text, size, calls[test_between(0, 7)], x, y);
}

enum { ROWS = 7, COLUMNS = 101, N = ROWS * COLUMNS, WORST_BYTES = 8 * N };

// results[0], which holds a, is the first output's. False if there is no byte code.
static bool compute_two(mst_context *context, const mst_map_desc *desc, void *b, unsigned char results[2][WORST_BYTES]) {
    mst_error e;
    mst_map *plan;
    const mst_location from[] = {mst_at_host(results[0]), mst_at_host(b)},
                       to[] = {mst_at_host(results[0]), mst_at_host(results[1])};
    e.status = mst_map_create(context, desc, &plan, &e);
    if (e.status == MST_ERROR_UNSUPPORTED)
        return false;
    CHECK(e.status == MST_OK, "'%s', '%s': %s", desc->expression, desc->more->expression, e.message);
    OK(mst_map_execute_all(plan, from, to, NULL, &e));
    mst_map_destroy(plan);
    return true;
}

static void try_two(mst_context *context, mst_type type) {
    enum { MOST_DRAWS = 50 };
    static unsigned char by_code[2][WORST_BYTES], compiled[2][WORST_BYTES];
    const size_t shape[] = {ROWS, COLUMNS}, bytes = (size_t)N * mst_type_bytes(type);
    const mst_layout layout = mst_layout_dense(type, 2, shape);
    const mst_map_input inputs[] = {{"a", layout}, {"b", layout}};
    char texts[2][1000];
    const mst_map_more more = {.expression = texts[1]};
    test_array a = test_array_random(&layout), b = test_array_random(&layout);
    mst_map_desc desc = MST_MAP_DESC_INIT;
    int draws = 0;
    desc.expression = texts[0];
    desc.inputs = inputs, desc.n_inputs = 2;
    desc.more = &more, desc.n_more = 1;
    desc.type = type;
    desc.compile_from = UINT64_MAX;
    memcpy(by_code[0], test_array_at(&a, 0), bytes);
    memcpy(compiled[0], test_array_at(&a, 0), bytes);
    do // expressions whose parts are of several types have none
        for (int output = 0; output < 2; output++)
            write_random(3, true, texts[output], sizeof texts[output]);
    while (!compute_two(context, &desc, test_array_at(&b, 0), by_code) && ++draws < MOST_DRAWS);
    CHECK(draws < MOST_DRAWS, "no byte code of %d pairs, the last of which is '%s', '%s'", draws, texts[0], texts[1]);
    desc.compile_from = 1;
    compute_two(context, &desc, test_array_at(&b, 0), compiled);
    for (int output = 0; output < 2; output++)
        CHECK(memcmp(by_code[output], compiled[output], bytes) == 0, "'%s', '%s' in %s: output %d has other bits by byte code",
              texts[0], texts[1], mst_type_name(type), output);
    test_array_free(&a);
    test_array_free(&b);
}

static void several_outputs(void **state) {
    static const mst_type types[] = {MST_FLOAT32, MST_INT32, MST_FLOAT64, MST_INT64, MST_UINT8};
    const int n = test_many(1);
    for (int k = 0; k < n; k++)
        if (types[k % 5] != MST_FLOAT64 || mst_context_device(*state)->fp64)
            try_two(*state, types[k % 5]);
}

// Arrays of two types, and what is computed on the way in whatever types these give.
static void mixed_types(void **state) {
    static const mst_type types[] = {MST_FLOAT32, MST_INT32, MST_INT16, MST_UINT8, MST_FLOAT16, MST_UINT32, MST_INT64, MST_BOOL};
    const int n = test_many(1), n_types = n > 1 ? 8 : 2;
    const size_t shape[] = {ROWS, COLUMNS};
    for (int k = 0; k < n; k++) {
        char text[1000];
        const size_t first = test_between(0, (size_t)n_types - 1), second = test_between(0, (size_t)n_types - 1);
        const form_case c = {text, {types[first], types[second]}, true, false};
        const mst_layout a = mst_layout_dense(c.types[0], 2, shape), b = mst_layout_dense(c.types[1], 2, shape);
        arrays in = {test_array_random(&a), test_array_random(&b)};
        write_random(3, true, text, sizeof text);
        try_case(*state, &c, &in, MST_PLACE_HOST);
        test_array_free(&in.a);
        test_array_free(&in.b);
    }
}

static void takes_over(void **state) {
    const form_case c = {"a - 2 * b", {MST_FLOAT32, MST_FLOAT32}, true, false};
    const size_t n = 1000;
    const mst_layout layout = mst_layout_dense(MST_FLOAT32, 1, &n);
    arrays in = {test_array_random(&layout), test_array_random(&layout)};
    mst_error e;
    mst_map *plan = made(*state, &c, &in, 2500, &e);
    CHECK(e.status == MST_OK, "%s", e.message);
    test_array once = computed(*state, plan, &in, MST_PLACE_HOST, 1), after = computed(*state, plan, &in, MST_PLACE_HOST, 3);
    check_same(&c, &once, &after);
    CHECK(strstr(mst_map_kernel(plan), "__kernel"), "no text of the kernel");
    mst_map_destroy(plan);
    test_array_free(&once);
    test_array_free(&after);
    test_array_free(&in.a);
    test_array_free(&in.b);
}

// A plan of so many elements that one execution repays compiling, of which no array is needed to see its kernel.
static void compiled_at_once(void **state) {
    const form_case c = {"a - 3 * b", {MST_FLOAT32, MST_FLOAT32}, true, false};
    for (size_t rows = 1; rows <= 1 << 20; rows <<= 20) {
        const size_t shape[] = {rows, 1 << 16};
        const mst_layout layout = {.type = MST_FLOAT32, .rank = 2, .shape = {shape[0], shape[1]}};
        const arrays in = {{.layout = layout}, {.layout = layout}};
        mst_error e;
        mst_map *plan = made(*state, &c, &in, 0, &e);
        CHECK(e.status == MST_OK, "%s", e.message);
        CHECK((plan->kernels[MST_MAP_ALIGNED] != NULL) == (rows > 1), "%zu elements: compiled when they should not be, or not",
              shape[0] * shape[1]);
        mst_map_destroy(plan);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(several_outputs),
                                       cmocka_unit_test(mixed_types), cmocka_unit_test(takes_over),
                                       cmocka_unit_test(compiled_at_once)};
    return cmocka_run_group_tests(tests, test_setup_on_cpu, test_teardown);
}
