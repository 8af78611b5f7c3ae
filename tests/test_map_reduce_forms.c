// Reductions by byte code: the same bits as compiled kernels, of all kinds and types, along any axes, whatever the strides and
// the memory allowed, alone and with what is computed from them; taking over.
#include "support.h"

#include <string.h>

enum { ROWS = 37, COLUMNS = 1300, PLANES = 3, RANK = 3 };

typedef struct reduce_case {
    const char *expressions[2]; // the second may be NULL
    mst_type types[2];          // of a and b
    unsigned axes;              // a bit for each
    bool has_code, at_night;
} reduce_case;

static const reduce_case cases[] = {
    {{"sum(a * b)", NULL}, {MST_FLOAT32, MST_FLOAT32}, 7, true, false},
    {{"mean(a - k)", "sum(a) / sum(b * b)"}, {MST_FLOAT32, MST_FLOAT32}, 4, true, false},
    {{"sum(a + b)", NULL}, {MST_FLOAT32, MST_FLOAT32}, 2, true, true},
    {{"std(a * b)", "var(a)"}, {MST_FLOAT64, MST_FLOAT32}, 7, true, true},
    {{"var(a)", "var(a + b)"}, {MST_FLOAT32, MST_FLOAT64}, 7, true, true}, // of two types
    {{"argmax(a - b)", "argmin(a)"}, {MST_FLOAT32, MST_FLOAT32}, 2, true, true},
    {{"max(a * b)", "min(a + b)"}, {MST_INT32, MST_INT16}, 4, true, true},
    {{"any(a > b)", "all(a < 2)"}, {MST_FLOAT32, MST_FLOAT32}, 1, true, true},
    {{"count(a > b)", "sum(a > b) / n1"}, {MST_FLOAT32, MST_FLOAT64}, 6, true, true},
    {{"sum(a * b)", "prod(a)"}, {MST_UINT8, MST_INT8}, 7, true, true},
    {{"sum(a * b)", "conj(sum(a)) * 2"}, {MST_COMPLEX64, MST_FLOAT32}, 5, true, true},
    {{"mean(a)", "max(a) - min(a)"}, {MST_FLOAT16, MST_FLOAT16}, 3, true, true},
    {{"sum(a * i1 + i0)", NULL}, {MST_FLOAT32, MST_FLOAT32}, 7, true, true},
    {{"sum(hypot(a, b))", NULL}, {MST_FLOAT32, MST_FLOAT32}, 7, true, true},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

typedef struct arrays {
    test_array a, b;
} arrays;

static mst_map *made(mst_context *context, const reduce_case *c, const arrays *in, uint64_t compile_from, mst_error *e) {
    const mst_map_input inputs[] = {{"a", in->a.layout}, {"b", in->b.layout}};
    const mst_map_number k = {.name = "k", .value = 1.75};
    const mst_map_more more = {.expression = c->expressions[1]};
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_map *plan = NULL;
    int axes[RANK], n = 0;
    for (int axis = 0; axis < RANK; axis++)
        if (c->axes >> axis & 1)
            axes[n++] = axis;
    desc.expression = c->expressions[0];
    desc.more = &more, desc.n_more = c->expressions[1] ? 1 : 0;
    desc.inputs = inputs, desc.n_inputs = 2;
    desc.numbers = &k, desc.n_numbers = 1;
    desc.axes = axes, desc.n_axes = n;
    desc.compile_from = compile_from;
    e->status = mst_map_create(context, &desc, &plan, e);
    return plan;
}

static void compute(mst_context *context, mst_map *plan, arrays *in, mst_place place, test_array results[2]) {
    mst_error e;
    test_placed a = test_place(context, place, &in->a), b = test_place(context, MST_PLACE_HOST, &in->b);
    const mst_location from[] = {a.at, b.at};
    mst_location to[2];
    for (int k = 0; k < mst_map_n_outputs(plan); k++) {
        results[k] = test_array_new(mst_map_output_of(plan, k));
        to[k] = mst_at_host(test_array_at(&results[k], 0));
    }
    OK(mst_map_execute_all(plan, from, to, NULL, &e));
    test_collect_input(&a, &in->a);
    test_collect_input(&b, &in->b);
}

// Compares the results of two plans, and destroys these.
static void check_same(mst_context *contexts[2], const reduce_case *c, mst_map *plans[2], arrays *in, mst_place place) {
    test_array results[2][2];
    for (int p = 0; p < 2; p++)
        compute(contexts[p], plans[p], in, place, results[p]);
    for (int k = 0; k < mst_map_n_outputs(plans[0]); k++) {
        const size_t bytes = mst_type_bytes(results[0][k].layout.type);
        CHECK(results[0][k].layout.type == results[1][k].layout.type, "%s: other types", c->expressions[k]);
        for (size_t i = 0; i < results[0][k].elements; i++)
            CHECK(memcmp(test_array_at(&results[0][k], i), test_array_at(&results[1][k], i), bytes) == 0,
                  "%s over axes %u: result %zu of %zu is %.17g by byte code, %.17g by compiled kernels", c->expressions[k],
                  c->axes, i, results[0][k].elements, (double)creall(test_array_get(&results[0][k], i)),
                  (double)creall(test_array_get(&results[1][k], i)));
        test_array_free(&results[0][k]);
        test_array_free(&results[1][k]);
    }
    mst_map_destroy(plans[0]);
    mst_map_destroy(plans[1]);
}

static arrays random_arrays(const reduce_case *c, bool has_gaps) {
    const size_t shape[RANK] = {PLANES, ROWS, COLUMNS};
    mst_layout a = mst_layout_dense(c->types[0], RANK, shape), b = mst_layout_dense(c->types[1], RANK, shape);
    if (has_gaps)
        a.strides[2] = 2, a.strides[1] = 2 * COLUMNS + 3, a.strides[0] = a.strides[1] * ROWS;
    if (has_gaps && test_between(0, 1)) // one row for all
        b.strides[0] = b.strides[1] = 0;
    arrays in = {test_array_random(&a), test_array_random(&b)};
    for (size_t i = 0; i < in.a.elements && c->types[0] == MST_FLOAT16; i++) // finite: NaN has any bits
        ((uint8_t *)test_array_at(&in.a, i))[1] &= 0xbf;
    return in;
}

static void release(arrays *in) {
    test_array_free(&in->a);
    test_array_free(&in->b);
}

static void same_bits(void **state) {
    const bool at_night = test_many(1) > 1;
    for (size_t k = 0; k < N_CASES; k++) {
        const reduce_case *c = &cases[k];
        const bool fp64 = c->types[0] == MST_FLOAT64 || c->types[1] == MST_FLOAT64;
        if ((c->at_night && !at_night) || (fp64 && !mst_context_device(*state)->fp64))
            continue;
        mst_error e;
        arrays in = random_arrays(c, k % 2);
        mst_map *code = made(*state, c, &in, UINT64_MAX, &e);
        if (c->has_code) {
            CHECK(e.status == MST_OK, "%s: %s", c->expressions[0], e.message);
            mst_map *compiled = made(*state, c, &in, 1, &e);
            CHECK(e.status == MST_OK, "%s: %s", c->expressions[0], e.message);
            check_same((mst_context *[]){*state, *state}, c, (mst_map *[]){code, compiled}, &in,
                       k % 2 ? MST_PLACE_DEVICE : MST_PLACE_HOST);
        } else {
            CHECK(e.status == MST_ERROR_UNSUPPORTED && strstr(e.message, "byte code"), "%s: %s", c->expressions[0],
                  e.status ? e.message : "taken");
        }
        release(&in);
    }
}

// The array is worked on in parts, and in blocks of few tiles.
static void little_memory(void **state) {
    const reduce_case *c = &cases[2]; // along the second of three axes
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_context *little;
    mst_error e;
    desc.device_memory = desc.host_memory = 400000;
    little = test_context(&desc);
    arrays in = random_arrays(c, false);
    mst_map *code = made(little, c, &in, UINT64_MAX, &e);
    CHECK(e.status == MST_OK, "%s", e.message);
    mst_map *compiled = made(*state, c, &in, 1, &e);
    CHECK(e.status == MST_OK, "%s", e.message);
    check_same((mst_context *[]){little, *state}, c, (mst_map *[]){code, compiled}, &in, MST_PLACE_HOST);
    release(&in);
    mst_context_destroy(little);
}

static void takes_over(void **state) {
    const reduce_case *c = &cases[0];
    test_array before[2], after[2];
    mst_error e;
    arrays in = random_arrays(c, false);
    mst_map *plan = made(*state, c, &in, (uint64_t)PLANES * ROWS * COLUMNS + 1, &e);
    CHECK(e.status == MST_OK, "%s", e.message);
    compute(*state, plan, &in, MST_PLACE_HOST, before);
    compute(*state, plan, &in, MST_PLACE_HOST, after);
    CHECK(memcmp(test_array_at(&before[0], 0), test_array_at(&after[0], 0), sizeof(float)) == 0, "other bits once compiled");
    CHECK(strstr(mst_map_kernel(plan), "tiles"), "no text of the kernel");
    test_array_free(&before[0]);
    test_array_free(&after[0]);
    mst_map_destroy(plan);
    release(&in);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(little_memory),
                                       cmocka_unit_test(takes_over)};
    return cmocka_run_group_tests(tests, test_setup_on_cpu, test_teardown);
}
