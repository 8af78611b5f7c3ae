// Element-wise maps beside the same expressions in C. Every type and every width of vectors in each run; of their combinations,
// each of which is a kernel, a third.
#include "support.h"

#include "expr/types.h"

#include <math.h>

static const mst_type types[] = {MST_INT8, MST_INT16, MST_INT32, MST_INT64, MST_FLOAT32, MST_FLOAT64};
enum { N_TYPES = sizeof types / sizeof types[0] };
static const unsigned widths[] = {1, 2, 4, 8, 16};

typedef struct job {
    mst_map_desc desc;
    mst_map_input inputs[3];
    test_array arrays[3];
} job;

static const mst_map_number numbers[] = {{.name = "k", .value = 3}, {.name = "half", .value = -7}};

static job job_of(const char *expression, int n_inputs, const mst_layout *layouts) {
    static const char *const names[] = {"B", "C", "D"};
    const mst_map_desc desc = MST_MAP_DESC_INIT;
    job j = {.desc = desc};
    j.desc.expression = expression;
    j.desc.compile_from = 1; // test_map_forms.c has byte code
    j.desc.n_inputs = n_inputs;
    j.desc.numbers = numbers, j.desc.n_numbers = 2;
    for (int k = 0; k < n_inputs; k++) {
        j.inputs[k] = (mst_map_input){names[k], layouts[k]};
        j.arrays[k] = test_array_random(&layouts[k]);
    }
    return j;
}

static void free_job(job *j) {
    for (int k = 0; k < j->desc.n_inputs; k++)
        test_array_free(&j->arrays[k]);
}

static test_array run(mst_context *context, job *j, const mst_place *from, mst_place to) {
    mst_error e;
    mst_map *plan = NULL;
    test_placed in[3], out;
    mst_location at[3];
    j->desc.inputs = j->inputs;
    OK(mst_map_create(context, &j->desc, &plan, &e));
    test_array output = test_array_new(mst_map_output(plan));
    for (int k = 0; k < j->desc.n_inputs; k++) {
        in[k] = test_place(context, from[k], &j->arrays[k]);
        at[k] = in[k].at;
    }
    out = test_place(context, to, &output);
    OK(mst_map_execute(plan, at, out.at, NULL, &e));
    for (int k = 0; k < j->desc.n_inputs; k++)
        test_collect_input(&in[k], &j->arrays[k]);
    test_collect_output(&out, &output);
    CHECK(!j->desc.vector_width || mst_map_vector_width(plan) == j->desc.vector_width, "width %u, not %u",
          mst_map_vector_width(plan), j->desc.vector_width);
    mst_map_destroy(plan);
    return output;
}

static int64_t wrapped(mst_type type, uint64_t value) {
    switch (type) {
    case MST_INT8:
        return (int8_t)value;
    case MST_INT16:
        return (int16_t)value;
    case MST_INT32:
        return (int32_t)value;
    default:
        return (int64_t)value;
    }
}

static bool is_integer(mst_type type) { return type != MST_FLOAT32 && type != MST_FLOAT64; }

// (B - C) * D in that type.
static long double paper_value(mst_type type, const long double *v) {
    if (is_integer(type))
        return wrapped(type,
                       (uint64_t)wrapped(type, (uint64_t)(int64_t)v[0] - (uint64_t)(int64_t)v[1]) * (uint64_t)(int64_t)v[2]);
    if (type == MST_FLOAT32) {
        volatile float difference = (float)v[0] - (float)v[1];
        return difference * (float)v[2];
    }
    volatile double difference = (double)v[0] - (double)v[1];
    return difference * (double)v[2];
}

// Whole: test_array_get rounds int64 to double.
static long double exact(const test_array *array, size_t i) {
    return array->layout.type == MST_INT64 ? *(const int64_t *)test_array_at(array, i) : creall(test_array_get(array, i));
}

static void check(const job *j, const test_array *output, long double (*value)(mst_type, const long double *)) {
    for (size_t i = 0; i < output->elements; i++) {
        long double v[3] = {0}, got = exact(output, i);
        for (int k = 0; k < j->desc.n_inputs; k++)
            v[k] = exact(&j->arrays[k], i);
        long double expected = value(output->layout.type, v);
        CHECK(got == expected, "%s of %s, width %u: element %zu of %zu is %.20Lg, not %.20Lg", j->desc.expression,
              mst_type_name(output->layout.type), j->desc.vector_width, i, output->elements, got, expected);
    }
}

static void every_type_and_width(void **state) {
    static const mst_place places[] = {MST_PLACE_HOST, MST_PLACE_DEVICE, MST_PLACE_FILE};
    for (int t = 0; t < N_TYPES; t++)
        for (int w = 0; w < 5; w++) {
            if (!test_turn((size_t)(t + w), 3))
                continue;
            size_t shape[] = {test_between(1, 5), test_between(1, 70)};
            mst_layout layouts[3];
            for (int k = 0; k < 3; k++)
                layouts[k] = mst_layout_dense(types[t], 2, shape);
            job j = job_of("(B - C) * D", 3, layouts);
            j.desc.vector_width = widths[w];
            const mst_place from[] = {places[(t + w) % 3], places[w % 3], places[t % 3]};
            test_array output = run(*state, &j, from, places[(t + 2 * w) % 3]);
            assert_int_equal(output.layout.type, types[t]);
            check(&j, &output, paper_value);
            test_array_free(&output), free_job(&j);
        }
}

// Any strides, on the device where they lie and packed on the way there; with gaps or not, in one call.
static void any_strides(void **state) {
    for (int round = 0; round < test_many(3); round++) {
        size_t shape[] = {test_between(1, 4), test_between(1, 9), test_between(1, 9)};
        mst_layout layouts[3];
        for (int k = 0; k < 3; k++)
            layouts[k] =
                test_between(0, 2) ? test_layout_random(MST_INT16, 3, shape, true) : mst_layout_dense(MST_INT16, 3, shape);
        job j = job_of("(B - C) * D", 3, layouts);
        if (round % 3)
            j.desc.output = test_layout_random(MST_INT16, 3, shape, false);
        const mst_place from[] = {MST_PLACE_DEVICE, round % 2 ? MST_PLACE_DEVICE : MST_PLACE_HOST, MST_PLACE_DEVICE};
        test_array output = run(*state, &j, from, round % 4 ? MST_PLACE_DEVICE : MST_PLACE_FILE);
        check(&j, &output, paper_value);
        test_array_free(&output), free_job(&j);
    }
}

// B < C ? abs(B) * k : max(C, half) - B, and the rest of what integers have.
static long double choice_value(mst_type type, const long double *v) {
    int64_t b = (int64_t)v[0], c = (int64_t)v[1];
    uint64_t magnitude = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    if (b < c && !(c == 5))
        return wrapped(type, (uint64_t)wrapped(type, magnitude) * 3u);
    return wrapped(type, (uint64_t)(c > -7 ? c : -7) - (uint64_t)b);
}

static void integers_choose(void **state) {
    for (int t = 0; t < 4; t++)
        for (int w = 0; w < 5; w += 2) {
            if (!test_turn((size_t)(t + w / 2), 3))
                continue;
            size_t shape[] = {300};
            mst_layout layouts[2] = {mst_layout_dense(types[t], 1, shape), mst_layout_dense(types[t], 1, shape)};
            job j = job_of("B < C && !(C == 5) ? abs(B) * k : max(C, half) + -B", 2, layouts);
            size_t bytes = mst_type_bytes(types[t]);
            for (size_t i = 0; i < 40; i++) { // some equal ones, and the ends of the range; the low bytes come first
                const int64_t value = i % 3 ? 5 : INT64_MIN >> (64 - 8 * bytes);
                memcpy(test_array_at(&j.arrays[i % 2], i), &value, bytes);
            }
            j.desc.vector_width = widths[w];
            const mst_place from[] = {MST_PLACE_HOST, MST_PLACE_HOST};
            test_array output = run(*state, &j, from, MST_PLACE_HOST);
            check(&j, &output, choice_value);
            test_array_free(&output), free_job(&j);
        }
}

// The ends of a type's range, in literals and in products, on scalars and on vectors.
static long double ends_value(mst_type type, const long double *v) {
    int64_t b = (int64_t)v[0], c = (int64_t)v[1];
    return wrapped(type, (uint64_t)wrapped(type, (uint64_t)b * (uint64_t)c) + (uint64_t)-128 + (uint64_t)3);
}

static void ends_of_ranges(void **state) {
    for (int t = 0; t < 4; t++)
        for (int w = 0; w < 2; w++) {
            if (!test_turn((size_t)(t + w), 3))
                continue;
            size_t shape[] = {33};
            mst_layout layouts[2] = {mst_layout_dense(types[t], 1, shape), mst_layout_dense(types[t], 1, shape)};
            job j = job_of("B * C + -128 + (303 - 300)", 2, layouts);
            size_t bytes = mst_type_bytes(types[t]);
            const int64_t ones = -1;
            memcpy(test_array_at(&j.arrays[0], 0), &ones, bytes), memcpy(test_array_at(&j.arrays[1], 0), &ones, bytes);
            j.desc.vector_width = w ? 8 : 1;
            const mst_place from[] = {MST_PLACE_HOST, MST_PLACE_HOST};
            test_array output = run(*state, &j, from, MST_PLACE_HOST);
            check(&j, &output, ends_value);
            test_array_free(&output), free_job(&j);
        }
}

// Parentheses that sums and products within one another need, also where their sign is turned.
static long double nested_value(mst_type type, const long double *v) {
    uint64_t b = (uint64_t)(int64_t)v[0], c = (uint64_t)(int64_t)v[1];
    return wrapped(type, (0 - (b - c)) * (b - (c - b)) - (0 - c * (b + c * ((int64_t)b < (int64_t)c))) - (0 - (b - c)));
}

static void nested_integers(void **state) {
    for (int t = 0; t < 4; t++)
        for (int w = 0; w < 2; w++) {
            size_t shape[] = {33};
            mst_layout layouts[2] = {mst_layout_dense(types[t], 1, shape), mst_layout_dense(types[t], 1, shape)};
            job j = job_of("-(B - C) * (B - (C - B)) - -(C * (B + C * (B < C))) - -(B - C)", 2, layouts);
            j.desc.vector_width = w ? 4 : 1;
            const mst_place from[] = {MST_PLACE_HOST, MST_PLACE_HOST};
            test_array output = run(*state, &j, from, MST_PLACE_HOST);
            check(&j, &output, nested_value);
            test_array_free(&output), free_job(&j);
        }
}

static long double angle_value(mst_type type, const long double *v) {
    (void)type;
    return v[1] < 0 ? sinl(v[0]) : v[1] > 0 ? cosl(v[0]) : tanl(v[0]);
}

// Of a component of a vector whatever is in the others, as a library's vectors have it wrong beside large angles.
static void angles_of_any_size(void **state) {
    static const float angles[] = {1e-6f, 0.5f, -3, 100, 1e5f, -3e6f, 1e7f, 1e9f, 3e38f, INFINITY, -INFINITY, NAN, 0, -0.001f};
    for (int w = 1; w < 5; w++) {
        size_t shape[] = {3000};
        mst_layout layouts[2] = {mst_layout_dense(MST_FLOAT32, 1, shape), mst_layout_dense(MST_FLOAT32, 1, shape)};
        job j = job_of("C < 0 ? sin(B) : C > 0 ? cos(B) : tan(B)", 2, layouts);
        for (size_t i = 0; i < 3000; i++) {
            *(float *)test_array_at(&j.arrays[0], i) = angles[test_between(0, i % 2 ? 3 : 13)];
            *(float *)test_array_at(&j.arrays[1], i) = (float)test_between(0, 2) - 1;
        }
        j.desc.vector_width = widths[w];
        const mst_place from[] = {MST_PLACE_HOST, MST_PLACE_HOST};
        test_array output = run(*state, &j, from, MST_PLACE_HOST);
        for (size_t i = 0; i < 3000; i++) {
            const long double v[] = {exact(&j.arrays[0], i), exact(&j.arrays[1], i)};
            long double got = exact(&output, i), wanted = angle_value(MST_FLOAT32, v);
            CHECK((isnan(got) && isnan(wanted)) || fabsl(got - wanted) <= 6 * 0x1p-23L * fabsl(wanted),
                  "width %u: angle %.9Lg, function %.1Lg: %.9Lg, not %.9Lg", widths[w], v[0], v[1], got, wanted);
        }
        test_array_free(&output), free_job(&j);
    }
}

static long double mixed_value(mst_type type, const long double *v) {
    if (type == MST_FLOAT32) {
        volatile float product = (float)v[0] * (float)v[1];
        return product + 3.0f;
    }
    volatile double product = (double)v[0] * (double)v[1];
    return product + 3.0;
}

// NumPy's types of a result: an integer with a float.
static void mixed_types(void **state) {
    static const struct {
        mst_type a, b, asked, result;
    } cases[] = {{MST_INT16, MST_FLOAT32, 0, MST_FLOAT32},
                 {MST_INT32, MST_FLOAT32, 0, MST_FLOAT64},
                 {MST_FLOAT64, MST_FLOAT32, 0, MST_FLOAT64},
                 {MST_INT8, MST_INT64, MST_FLOAT64, MST_FLOAT64},
                 {MST_FLOAT64, MST_INT8, MST_FLOAT32, MST_FLOAT32}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        size_t shape[] = {101};
        mst_layout layouts[2] = {mst_layout_dense(cases[c].a, 1, shape), mst_layout_dense(cases[c].b, 1, shape)};
        job j = job_of("B * C + k", 2, layouts);
        j.desc.type = cases[c].asked;
        const mst_place from[] = {MST_PLACE_HOST, MST_PLACE_FILE};
        test_array output = run(*state, &j, from, MST_PLACE_DEVICE);
        assert_int_equal(output.layout.type, cases[c].result);
        check(&j, &output, mixed_value);
        test_array_free(&output), free_job(&j);
    }
}

// Blocks cut anywhere, and results where the first input was.
static void blocks_and_in_place(void **state) {
    (void)state;
    mst_error e;
    size_t shape[] = {300001};
    mst_layout layouts[3];
    mst_context_desc small = MST_CONTEXT_DESC_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    mst_report report = MST_REPORT_INIT;
    mst_map *plan = NULL;
    small.device_memory = 600000;
    how.report = &report;
    mst_context *context = test_context(&small);
    for (int k = 0; k < 3; k++)
        layouts[k] = mst_layout_dense(MST_FLOAT32, 1, shape);
    job j = job_of("(B - C) * D", 3, layouts);
    j.desc.inputs = j.inputs;
    OK(mst_map_create(context, &j.desc, &plan, &e));
    test_array copy = test_array_new(&layouts[0]);
    memcpy(copy.image, j.arrays[0].image, copy.bytes);
    mst_location at[3] = {mst_at_host(test_array_at(&copy, 0)), mst_at_host(test_array_at(&j.arrays[1], 0)),
                          mst_at_host(test_array_at(&j.arrays[2], 0))};
    OK(mst_map_execute(plan, at, at[0], &how, &e));
    CHECK(report.blocks > 7, "%llu blocks", (unsigned long long)report.blocks);
    assert_true(test_array_gaps_intact(&copy));
    check(&j, &copy, paper_value);
    REFUSED(MST_ERROR_ARGUMENT, "overlaps", mst_map_execute(plan, at, at[1], NULL, &e));
    mst_map_destroy(plan);
    test_array_free(&copy), free_job(&j);
    assert_int_equal(mst_context_device_memory_used(context), 0);
    mst_context_destroy(context);
}

static void measured_widths(void **state) {
    mst_error e;
    mst_map *plan = NULL;
    size_t shape[] = {5000};
    mst_layout layout = mst_layout_dense(MST_FLOAT32, 1, shape);
    double seconds[MST_MAP_N_WIDTHS];
    job j = job_of("B + 1", 1, &layout);
    j.desc.inputs = j.inputs;
    OK(mst_map_create(*state, &j.desc, &plan, &e));
    mst_map_measured(plan, seconds);
    for (int w = 0; w < MST_MAP_N_WIDTHS; w++)
        assert_true(seconds[w] == 0);
    mst_map_destroy(plan);
    j.desc.measure = true;
    OK(mst_map_create(*state, &j.desc, &plan, &e));
    mst_map_measured(plan, seconds);
    for (int w = 0; w < MST_MAP_N_WIDTHS; w++)
        assert_true(seconds[w] > 0);
    unsigned found = mst_map_vector_width(plan);
    assert_true(found >= 1 && found <= 16 && (found & (found - 1)) == 0);
    assert_non_null(strstr(mst_map_kernel(plan), "__kernel void map("));
    mst_map_destroy(plan);
    j.desc.measure = false; // what was found is remembered
    OK(mst_map_create(*state, &j.desc, &plan, &e));
    assert_int_equal(mst_map_vector_width(plan), found);
    mst_map_destroy(plan);
    free_job(&j);
}

// numpy.promote_types (NumPy 2.4): rows and columns in this order, a letter a type.
static const mst_type all[] = {MST_BOOL,  MST_INT8,   MST_UINT8,   MST_INT16,   MST_UINT16,  MST_INT32,     MST_UINT32,
                               MST_INT64, MST_UINT64, MST_FLOAT16, MST_FLOAT32, MST_FLOAT64, MST_COMPLEX64, MST_COMPLEX128};
static const char numpy_letters[] = "?bBhHiIlLefdFD";
static const char *const numpy_common[] = {
    "?bBhHiIlLefdFD", // bool
    "bbhhiilldefdFD", // int8
    "BhBhHiIlLefdFD", // uint8
    "hhhhiilldffdFD", // int16
    "HiHiHiIlLffdFD", // uint16
    "iiiiiillddddDD", // int32
    "IlIlIlIlLdddDD", // uint32
    "llllllllddddDD", // int64
    "LdLdLdLdLdddDD", // uint64
    "eeeffddddefdFD", // float16
    "fffffddddffdFD", // float32
    "ddddddddddddDD", // float64
    "FFFFFDDDDFFDFD", // complex64
    "DDDDDDDDDDDDDD", // complex128
};

static void common_types(void **state) {
    (void)state;
    for (int a = 0; a < 14; a++)
        for (int b = 0; b < 14; b++) {
            const mst_type expected = all[strchr(numpy_letters, numpy_common[a][b]) - numpy_letters];
            CHECK(mst_type_common(all[a], all[b]) == expected, "%s with %s is %s, not %s", mst_type_name(all[a]),
                  mst_type_name(all[b]), mst_type_name(mst_type_common(all[a], all[b])), mst_type_name(expected));
        }
}

typedef struct typed_case {
    const char *expression;
    mst_type types[3], result;
    mst_type asked, converted;
} typed_case;

// What an expression makes of its arrays' types, without a kernel.
static void result_types(void **state) {
    static const typed_case cases[] = {
        {"B + C", {MST_INT8, MST_UINT8}, MST_INT16, 0, 0},
        {"B + 1", {MST_UINT8}, MST_UINT8, 0, 0},
        {"B + 1.0", {MST_UINT8}, MST_FLOAT64, 0, 0},
        {"B + 1.5", {MST_FLOAT32}, MST_FLOAT32, 0, 0},
        {"B + half", {MST_FLOAT32}, MST_FLOAT32, 0, 0},
        {"B / 2", {MST_INT16}, MST_FLOAT64, 0, 0},
        {"B // 2", {MST_INT16}, MST_INT16, 0, 0},
        {"sqrt(B)", {MST_INT8}, MST_FLOAT16, 0, 0},
        {"sqrt(B)", {MST_UINT16}, MST_FLOAT32, 0, 0},
        {"sqrt(B)", {MST_INT64}, MST_FLOAT64, 0, 0},
        {"abs(B) + C", {MST_COMPLEX64, MST_FLOAT32}, MST_FLOAT32, 0, 0},
        {"B * C", {MST_COMPLEX64, MST_FLOAT64}, MST_COMPLEX128, 0, 0},
        {"B < C", {MST_INT8, MST_FLOAT64}, MST_BOOL, 0, 0},
        {"(B < C) + (B > C)", {MST_INT8, MST_INT8}, MST_BOOL, 0, 0},
        {"(B < C) * 2", {MST_INT8, MST_INT8}, MST_INT64, 0, 0},
        {"where(B, C, D)", {MST_BOOL, MST_INT8, MST_FLOAT16}, MST_FLOAT16, 0, 0},
        {"(B < C) + (B > C)", {MST_INT8, MST_INT8}, MST_FLOAT32, MST_FLOAT32, 0},
        {"B / 2", {MST_INT16}, MST_UINT8, 0, MST_UINT8},
        {"3 + 0 * B", {MST_FLOAT32}, MST_FLOAT32, 0, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const typed_case *t = &cases[c];
        mst_error e;
        mst_expr *from, *lowered = mst_expr_create_lowered();
        const mst_expr_symbol symbols[] = {{"B", 0, 0}, {"C", 0, 0}, {"D", 0, 0}, {"half", 0, 0}};
        mst_expr_kind kinds[4] = {[3] = {MST_FLOAT64, true, 0.5}};
        for (int k = 0; k < 3; k++)
            kinds[k].type = t->asked ? t->asked : t->types[k] ? t->types[k] : t->types[0];
        const mst_expr_typing typing = {.symbols = kinds, .common = t->types[0], .computed = t->asked, .converted = t->converted};
        mst_expr_root root;
        (void)state;
        OK(mst_expr_parse_map(t->expression, "f", symbols, 4, &from, &e));
        OK(mst_expr_lower(from, &typing, lowered, &root, &e));
        CHECK(root.type == t->result, "%s is %s, not %s", t->expression, mst_type_name(root.type), mst_type_name(t->result));
        mst_expr_destroy(from);
        mst_expr_destroy(lowered);
    }
}

// Quotients, remainders and shifts at their ends, of int8 in vectors and alone: all pairs of int8 in one run.
static int whole_quotient(int a, int b, bool remainder) {
    if (b == 0)
        return 0;
    int quotient = a / b, left = a % b;
    if (left != 0 && (left < 0) != (b < 0))
        quotient--, left += b;
    return remainder ? left : (int8_t)quotient;
}

static void integer_ends(void **state) {
    size_t row[] = {256}, column[] = {256, 1};
    mst_layout layouts[2] = {mst_layout_dense(MST_INT8, 2, column), mst_layout_dense(MST_INT8, 1, row)};
    for (int w = 0; w < 2; w++) {
        job j = job_of("D ? C == 0 ? B // C : B // C * 7 + (B << C) : (B % C) * 5 + mod(B, C) + (B >> C) + B**C", 2, layouts);
        mst_layout one = mst_layout_dense(MST_BOOL, 1, (size_t[]){1});
        j.desc.n_inputs = 3;
        j.inputs[2] = (mst_map_input){"D", one};
        j.arrays[2] = test_array_random(&one);
        *(uint8_t *)test_array_at(&j.arrays[2], 0) = (uint8_t)w;
        for (int k = 0; k < 256; k++)
            *(int8_t *)test_array_at(&j.arrays[0], (size_t)k) = *(int8_t *)test_array_at(&j.arrays[1], (size_t)k) =
                (int8_t)(k - 128);
        j.desc.vector_width = 8;
        const mst_place from[] = {MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_HOST};
        test_array output = run(*state, &j, from, MST_PLACE_HOST);
        assert_int_equal(output.layout.type, MST_INT8);
        for (int a = -128; a < 128; a++)
            for (int b = -128; b < 128; b++) {
                uint8_t power = 1;
                for (int k = 0; k < b; k++)
                    power = (uint8_t)(power * (uint8_t)a);
                const bool inside = b >= 0 && b < 8;
                const int left = inside ? (int8_t)((uint8_t)a << b) : 0, right = inside ? a >> b : a < 0 ? -1 : 0;
                const int fmod = b ? a % b : 0;
                int expected = w ? b == 0 ? 0 : whole_quotient(a, b, false) * 7 + left
                                 : whole_quotient(a, b, true) * 5 + fmod + right + (b < 0 ? 0 : power);
                const int got = *(int8_t *)test_array_at(&output, (size_t)((a + 128) * 256 + b + 128));
                CHECK(got == (int8_t)expected, "%d and %d, %s: %d, not %d", a, b, w ? "quotient" : "remainder", got,
                      (int8_t)expected);
            }
        test_array_free(&output), free_job(&j);
    }
}

typedef struct small_case {
    const char *expression;
    mst_type types[2], asked;
    const char *names[2], *number;
    double complex b[3], c[3], k, expected[3];
} small_case;

static void set_element(test_array *array, size_t i, double complex value) {
    const mst_type type = array->layout.type;
    const int64_t whole = (int64_t)creal(value); // the low bytes come first
    if (type == MST_FLOAT32 || type == MST_COMPLEX64)
        test_array_set(array, i, value);
    else
        memcpy(test_array_at(array, i), &whole, mst_type_bytes(type));
}

static test_array run_small(mst_context *context, const small_case *s) {
    size_t shape[] = {3};
    const int n_inputs = s->types[1] ? 2 : 1;
    const mst_map_number k = {.name = s->number ? s->number : "k",
                              .value = creal(s->k),
                              .imaginary = cimag(s->k),
                              .type = cimag(s->k) != 0 ? MST_COMPLEX128 : 0};
    mst_layout layouts[2];
    for (int i = 0; i < n_inputs; i++)
        layouts[i] = mst_layout_dense(s->types[i], 1, shape);
    job j = job_of(s->expression, n_inputs, layouts);
    j.desc.numbers = &k, j.desc.n_numbers = 1, j.desc.vector_width = 2, j.desc.type = s->asked;
    for (int i = 0; i < n_inputs; i++) {
        j.inputs[i].name = s->names[i] ? s->names[i] : j.inputs[i].name;
        for (size_t e = 0; e < 3; e++)
            set_element(&j.arrays[i], e, i ? s->c[e] : s->b[e]);
    }
    const mst_place from[] = {MST_PLACE_HOST, MST_PLACE_HOST};
    test_array output = run(context, &j, from, MST_PLACE_HOST);
    free_job(&j);
    return output;
}

// Numbers in several types, names that words of kernels resemble, and ends of types, in vectors and alone.
static void small_cases(void **state) {
    static const small_case cases[] = {
        {"(B + k) + (C + k)", {MST_COMPLEX64, MST_FLOAT32}, 0, {0}, 0, {1, 2, 3}, {1, 2, 3}, 2.5, {7, 9, 11}},
        {"B**power", {MST_INT32}, 0, {0}, "power", {1, 2, 3}, {0}, 3, {1, 8, 27}},
        {"a_float * a", {MST_COMPLEX64}, 0, {"a_float"}, "a", {1 + 2 * I, 3, 4}, {0}, 2 * I, {-4 + 2 * I, 6 * I, 8 * I}},
        {"imag(B)", {MST_BOOL}, 0, {0}, 0, {1, 0, 1}, {0}, 0, {0, 0, 0}},
        {"B", {MST_INT32}, MST_BOOL, {0}, 0, {256, 0, 65536}, {0}, 0, {1, 0, 1}},
        {"isinf(B) + 2 * isfinite(B)", {MST_COMPLEX64}, 0, {0}, 0, {3e38 + 3e38 * I, 1, INFINITY}, {0}, 0, {2, 2, 1}},
        {"ones_like(B)", {MST_COMPLEX64}, 0, {0}, 0, {3 + 2 * I, 0, NAN}, {0}, 0, {1, 1, 1}},
        {"ones_like(B) + ones_like(C)", {MST_BOOL, MST_BOOL}, 0, {0}, 0, {1, 0, 1}, {0, 0, 1}, 0, {1, 1, 1}}, // of bool: true
        {"signbit(B) + 2 * signbit(-B)", {MST_FLOAT32}, 0, {0}, 0, {-0.0, 0, -INFINITY}, {0}, 0, {1, 2, 1}},
        {"B < -k", {MST_UINT8}, 0, {0}, 0, {1, 2, 255}, {0}, 3, {0, 0, 0}},
        {"k", {MST_FLOAT32}, MST_FLOAT64, {0}, 0, {1, 2, 3}, {0}, 0.1, {0.1, 0.1, 0.1}},
        {"complex(B, 0) * complex(C, 0)", {MST_FLOAT32, MST_FLOAT32}, 0, {0}, 0, {1, 2, -3}, {4, 5, 6}, 0, {4, 10, -18}},
        {"B + !2147483647^2", {MST_INT32}, 0, {0}, 0, {1, 2, 3}, {0}, 0, {1, 2, 3}}, // only whether it is 0 counts
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        test_array output = run_small(*state, &cases[c]);
        for (size_t e = 0; e < 3; e++) {
            const double complex got = (double complex)test_array_get(&output, e), expected = cases[c].expected[e];
            CHECK(got == expected, "%s: element %zu is %g + %gi, not %g + %gi", cases[c].expression, e, creal(got), cimag(got),
                  creal(expected), cimag(expected));
        }
        test_array_free(&output);
    }
}

static void refusals(void **state) {
    mst_error e;
    mst_map *plan = NULL;
    size_t shape[] = {4, 5}, other[] = {5, 4}, empty[] = {0, 5};
    mst_layout layouts[2] = {mst_layout_dense(MST_INT32, 2, shape), mst_layout_dense(MST_INT32, 2, shape)};
    job j = job_of("B + C", 2, layouts);
    const mst_map_desc right = j.desc;
    mst_map_desc d = right;
#define WRONG(part, change)                                                                                                      \
    do {                                                                                                                         \
        d = right, d.inputs = j.inputs;                                                                                          \
        change;                                                                                                                  \
        REFUSED(MST_ERROR_ARGUMENT, part, mst_map_create(*state, &d, &plan, &e));                                                \
        assert_null(plan);                                                                                                       \
    } while (0)
    WRONG("struct_size", d.struct_size = 8);
    WRONG("expression", d.expression = NULL);
    WRONG("no integer", d.expression = "B + 3000000000");
    WRONG("no integer", (j.inputs[0].layout.type = j.inputs[1].layout.type = MST_INT64, d.expression = "B + 9007199254740994"));
    const mst_map_number large = {.name = "large", .value = 300};
    WRONG("no integer that int8", (j.inputs[0].layout.type = j.inputs[1].layout.type = MST_INT8, d.numbers = &large,
                                   d.n_numbers = 1, d.expression = "B + large"));
    j.inputs[0].layout.type = j.inputs[1].layout.type = MST_INT32;
    WRONG("not converted to int32", (d.type = MST_INT32, d.expression = "B / C"));
    WRONG("not converted to int32", (d.type = MST_INT32, d.expression = "sin(B)"));
    WRONG("no bits", d.expression = "B / C & 1");
    WRONG("no order", (j.inputs[0].layout.type = MST_COMPLEX64, d.expression = "B < C"));
    WRONG("no order", (j.inputs[0].layout.type = MST_COMPLEX64, d.expression = "j0(B)"));
    WRONG("take real()", (j.inputs[0].layout.type = MST_COMPLEX64, d.out_type = MST_FLOAT32));
    WRONG("cbrt() of complex", (j.inputs[0].layout.type = MST_COMPLEX64, d.expression = "cbrt(B)"));
    WRONG("8 at most", (j.inputs[0].layout.type = MST_COMPLEX64, d.vector_width = 16));
    j.inputs[0].layout.type = MST_INT32;
    WRONG("no power -2", d.expression = "B^-2");
    WRONG("no power -7", d.expression = "B^half");
    WRONG("'E' is not known", d.expression = "B + E");
    WRONG("n_inputs", d.n_inputs = 0);
    WRONG("n_inputs", d.n_inputs = 8);
    WRONG("n_numbers", d.n_numbers = 33);
    WRONG("vector_width", d.vector_width = 3);
    WRONG("shape", d.output = mst_layout_dense(MST_INT32, 2, other));
    WRONG("int16", d.output = mst_layout_dense(MST_INT16, 2, shape));
    WRONG("C has shape (5,4), which does not go with (4,5)", j.inputs[1].layout = mst_layout_dense(MST_INT32, 2, other));
    j.inputs[1].layout = mst_layout_dense(MST_FLOAT32, 2, shape);
    WRONG("not converted", d.type = MST_INT32);
    j.inputs[1].layout = layouts[1];
    WRONG("twice", (d.numbers = &(mst_map_number){.name = "B", .value = 1}, d.n_numbers = 1));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_map_create(*state, NULL, &plan, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_map_execute(NULL, NULL, mst_at_host(&e), NULL, &e));
    mst_map_destroy(NULL);
    d = right, d.inputs = j.inputs; // nothing to do
    j.inputs[0].layout = j.inputs[1].layout = mst_layout_dense(MST_INT32, 2, empty);
    OK(mst_map_create(*state, &d, &plan, &e));
    const mst_location at[] = {mst_at_host(&e), mst_at_host(&e)};
    OK(mst_map_execute(plan, at, mst_at_host(&d), NULL, &e));
    mst_map_destroy(plan);
    free_job(&j);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_width), cmocka_unit_test(any_strides),
        cmocka_unit_test(integers_choose),      cmocka_unit_test(ends_of_ranges),
        cmocka_unit_test(nested_integers),      cmocka_unit_test(mixed_types),
        cmocka_unit_test(angles_of_any_size),   cmocka_unit_test(blocks_and_in_place),
        cmocka_unit_test(measured_widths),      cmocka_unit_test(common_types),
        cmocka_unit_test(result_types),         cmocka_unit_test(integer_ends),
        cmocka_unit_test(small_cases),          cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
