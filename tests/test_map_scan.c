// Running sums and products beside those in long double, over types, axes, lengths of one to three levels and gaps on the device;
// the same bits wherever the data lie, whatever the blocks and the devices; and what is refused. NumPy's types are beside NumPy
// in python/tests/test_reductions.py.
#include "support.h"

#include <math.h>

static const struct {
    int rank;
    size_t shape[3];
    int axis;
} cases[] = {{1, {1}, 0},        {1, {257}, 0},        {1, {200001}, 0},      {2, {700, 301}, 0},
             {2, {301, 700}, 1}, {2, {70001, 3}, 0},   {3, {3, 66000, 2}, 1}, {3, {40, 300, 21}, 1},
             {3, {9, 1, 33}, 1}, {3, {2, 2, 5001}, 0}, {3, {5, 31, 1000}, 2}};
enum { N_CASES = sizeof cases / sizeof cases[0] };

typedef struct job {
    mst_map_desc desc;
    mst_map_input input;
    mst_map_more more[2];
    test_array x, outputs[3];
} job;

static void begin(job *j, size_t c, mst_type type) {
    *j = (job){.desc = MST_MAP_DESC_INIT, .input = {"x", mst_layout_dense(type, cases[c].rank, cases[c].shape)}};
    j->x = test_array_random(&j->input.layout);
    j->more[0].expression = "cumulative_prod(1 + x / 10000) ";
    j->more[1].expression = "x + i0";
    j->desc.expression = " cumsum (x * 2)";
    j->desc.n_inputs = 1;
    j->desc.inputs = &j->input;
    j->desc.n_axes = 1;
    j->desc.axes = &cases[c].axis;
    j->desc.n_more = 2;
    j->desc.more = j->more;
}

static void end(job *j) {
    test_array_free(&j->x);
    for (int k = 0; k < 3; k++)
        test_array_free(&j->outputs[k]);
}

static void run(mst_context *context, job *j, mst_place from, mst_place to) {
    mst_error e;
    mst_map *plan = NULL;
    test_placed out[3], in = test_place(context, from, &j->x);
    mst_location there[3];
    OK(mst_map_create(context, &j->desc, &plan, &e));
    assert_false(mst_map_reduces(plan));
    for (int k = 0; k < 3; k++) {
        j->outputs[k] = test_array_new(mst_map_output_of(plan, k));
        out[k] = test_place(context, to, &j->outputs[k]);
        there[k] = out[k].at;
    }
    OK(mst_map_execute_all(plan, &in.at, there, NULL, &e));
    test_collect_input(&in, &j->x);
    for (int k = 0; k < 3; k++)
        test_collect_output(&out[k], &j->outputs[k]);
    mst_map_destroy(plan);
}

static void check(const job *j, size_t c) {
    const bool is_double = j->x.layout.type == MST_FLOAT64 || j->x.layout.type == MST_COMPLEX128;
    const long double eps = is_double ? 0x1p-52L : 0x1p-23L;
    const size_t length = cases[c].shape[cases[c].axis];
    size_t inner = 1;
    for (int axis = cases[c].axis + 1; axis < cases[c].rank; axis++)
        inner *= cases[c].shape[axis];
    for (size_t o = 0; o < j->x.elements / length; o++) {
        test_wide sum = 0, product = 1;
        long double size = 0;
        for (size_t r = 0; r < length; r++) {
            const size_t i = (o / inner * length + r) * inner + o % inner;
            const test_wide x = test_array_get(&j->x, i), got = test_array_get(&j->outputs[0], i);
            const test_wide of_products = test_array_get(&j->outputs[1], i);
            sum += 2 * x;
            size += 2 * cabsl(x);
            product *= 1 + x / 10000;
            // A tile adds 256 numbers one after the other, a group 256 tiles.
            CHECK(cabsl(got - sum) <= 300 * eps * size, "the sum of %s to %zu is %.20Lg, not %.20Lg",
                  test_layout_text(&j->x.layout), r, creall(got), creall(sum));
            CHECK(cabsl(of_products - product) <= (3 * (long double)r + 4) * eps * cabsl(product),
                  "the product of %s to %zu is %.20Lg, not %.20Lg", test_layout_text(&j->x.layout), r, creall(of_products),
                  creall(product));
            const long double first =
                cases[c].axis == 0 ? (long double)r : (long double)(i / (j->x.elements / cases[c].shape[0]));
            CHECK(cabsl(test_array_get(&j->outputs[2], i) - x - first) <= 2 * eps * (first + 1), "the map beside it differs");
        }
    }
}

static void values(void **state) {
    static const mst_type types[] = {MST_FLOAT32, MST_FLOAT64, MST_COMPLEX64, MST_COMPLEX128};
    for (size_t c = 0; c < N_CASES; c++)
        for (size_t t = 0; t < 4; t++) {
            job j;
            if (t > 0 && !test_turn(c + t, 3))
                continue;
            begin(&j, c, types[t]);
            run(*state, &j, c % 2 ? MST_PLACE_HOST : MST_PLACE_DEVICE, c % 3 ? MST_PLACE_HOST : MST_PLACE_DEVICE);
            check(&j, c);
            end(&j);
        }
}

static void check_same(job *j, mst_context *context, mst_place from, mst_place to, const char *what) {
    test_array before[3];
    memcpy(before, j->outputs, sizeof before);
    run(context, j, from, to);
    for (int k = 0; k < 3; k++) {
        CHECK(test_array_same(&before[k], &j->outputs[k]), "output %d of %s differs: %s", k, test_layout_text(&j->x.layout),
              what);
        test_array_free(&before[k]);
    }
}

// Blocks that end in the middle of rows and tiles; several devices; files; the device's own memory, with gaps, too.
static void same_bits(void **state) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.device = test_in_parts(*state, 2);
    desc.cache_directory = test_directory();
    mst_context *two = desc.device ? test_context(&desc) : NULL;
    desc.device = NULL;
    desc.device_memory = desc.host_memory = 300000;
    mst_context *little = test_context(&desc);
    for (size_t c = 0; c < N_CASES; c++) {
        job j;
        if (!test_turn(c, 2))
            continue;
        begin(&j, c, MST_FLOAT32);
        run(*state, &j, MST_PLACE_HOST, MST_PLACE_HOST);
        if (cases[c].shape[2] < 5000)
            check_same(&j, little, MST_PLACE_HOST, MST_PLACE_FILE, "a small budget");
        if (two)
            check_same(&j, two, MST_PLACE_FILE, MST_PLACE_HOST, "two devices");
        check_same(&j, *state, MST_PLACE_DEVICE, MST_PLACE_DEVICE, "on the device");
        j.desc.output = test_layout_random(MST_FLOAT32, cases[c].rank, cases[c].shape, false);
        j.more[0].output = test_layout_random(MST_FLOAT32, cases[c].rank, cases[c].shape, false);
        check_same(&j, *state, MST_PLACE_DEVICE, MST_PLACE_DEVICE, "with gaps");
        end(&j);
    }
    mst_context_destroy(little);
    mst_context_destroy(two);
}

// A sum in the place of its input; integers wrap around; the sign of zero is kept; nothing comes of no elements.
static void particular(void **state) {
    mst_error e;
    mst_map *plan = NULL;
    int64_t x[3] = {INT64_MAX, 1, 5};
    float zeros[3] = {-0.0F, -0.0F, -0.0F};
    const size_t three = 3, none = 0;
    mst_map_input input = {"x", mst_layout_dense(MST_INT64, 1, &three)};
    mst_map_desc desc = MST_MAP_DESC_INIT;
    desc.expression = "cumsum(x)";
    desc.n_inputs = 1;
    desc.inputs = &input;
    OK(mst_map_create(*state, &desc, &plan, &e));
    OK(mst_map_execute(plan, (mst_location[]){mst_at_host(x)}, mst_at_host(x), NULL, &e));
    assert_true(x[0] == INT64_MAX && x[1] == INT64_MIN && x[2] == INT64_MIN + 5);
    mst_map_destroy(plan);
    input.layout.type = MST_FLOAT32;
    OK(mst_map_create(*state, &desc, &plan, &e));
    OK(mst_map_execute(plan, (mst_location[]){mst_at_host(zeros)}, mst_at_host(zeros), NULL, &e));
    assert_true(signbit(zeros[0]) && signbit(zeros[2]));
    mst_map_destroy(plan);
    input.layout = mst_layout_dense(MST_FLOAT32, 1, &none);
    OK(mst_map_create(*state, &desc, &plan, &e));
    OK(mst_map_execute(plan, (mst_location[]){mst_at_host(zeros)}, mst_at_host(zeros), NULL, &e));
    mst_map_destroy(plan);
}

static void refused(void **state) {
    static const struct {
        const char *text, *part;
        int n_axes, axes[2];
        mst_type out;
    } wrong[] = {{"1 + cumsum(x)", "column 5: cumsum and cumprod have nothing around", 1, {0}, 0},
                 {"cumsum(x) + 1", "nothing around", 1, {0}, 0},
                 {"cumsum(cumprod(x))", "column 8: cumsum and cumprod do not nest", 1, {0}, 0},
                 {"cumsum(max(x))", "column 8: reductions do not stand", 1, {0}, 0},
                 {"sum(cumsum(x))", "nothing around", 1, {0}, 0},
                 {"cumsum(x", "column 7: expected ')'", 1, {0}, 0},
                 {"cumsum(x + y)", "column 12: 'y' is not known", 1, {0}, 0},
                 {"cumsum()", "column 8", 1, {0}, 0},
                 {"cumsum(x)", "0 of 2 are named", 0, {0}, 0},
                 {"cumsum(x)", "2 of 2 are named", 2, {0, 1}, 0},
                 {"cumsum(x)", "axis 2", 1, {2}, 0},
                 {"cumsum(x)", "not of bool", 1, {1}, MST_BOOL}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        mst_error e;
        mst_map *plan = NULL;
        mst_map_desc desc = MST_MAP_DESC_INIT;
        const mst_map_input input = {"x", mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){3, 4})};
        desc.expression = wrong[k].text;
        desc.n_inputs = 1;
        desc.inputs = &input;
        desc.n_axes = wrong[k].n_axes;
        desc.axes = wrong[k].axes;
        desc.out_type = wrong[k].out;
        REFUSED(MST_ERROR_ARGUMENT, wrong[k].part, mst_map_create(*state, &desc, &plan, &e));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(same_bits), cmocka_unit_test(particular),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
