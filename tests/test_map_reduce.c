// Reductions beside sums in long double, and the same bits wherever the data lie, whatever the budget, the shape of the blocks
// and the number of devices; several outputs of one pass; indices and lengths in expressions. Every type of NumPy's is beside
// NumPy in python/tests/test_reductions.py.
#include "support.h"

#include <math.h>

typedef struct job {
    mst_map_desc desc;
    mst_map_input inputs[2];
    mst_map_more more[3];
    int axes[MST_MAX_RANK];
    test_array arrays[2];
    test_array outputs[4];
} job;

static const char *const texts[] = {"sum(x * y)", "var(x)", "(max(x) - min(y)) / 2 + k", "mean(x + y) * n0"};
enum { N_TEXTS = 4 };
static const mst_map_number number = {.name = "k", .value = 0.25};

// x and y of one shape, reduced along the axes of a mask; 0: along all.
static void begin(job *j, mst_type type, int rank, const size_t *shape, unsigned mask) {
    static const char *const names[] = {"x", "y"};
    const mst_map_desc desc = MST_MAP_DESC_INIT;
    *j = (job){.desc = desc};
    for (int k = 0; k < 2; k++) {
        j->inputs[k] = (mst_map_input){names[k], mst_layout_dense(type, rank, shape)};
        j->arrays[k] = test_array_random(&j->inputs[k].layout);
    }
    for (int axis = 0; axis < rank; axis++)
        if (mask >> axis & 1)
            j->axes[j->desc.n_axes++] = axis;
    for (int k = 1; k < N_TEXTS; k++)
        j->more[k - 1] = (mst_map_more){.expression = texts[k]};
    j->desc.expression = texts[0];
    j->desc.n_inputs = 2;
    j->desc.inputs = j->inputs;
    j->desc.n_numbers = 1;
    j->desc.numbers = &number;
    j->desc.axes = j->axes;
    j->desc.n_more = N_TEXTS - 1;
    j->desc.more = j->more;
    j->desc.compile_from = test_between(0, 1); // by byte code, where there is one, or compiled
}

static void end(job *j) {
    for (int k = 0; k < 2; k++)
        test_array_free(&j->arrays[k]);
    for (int k = 0; k <= j->desc.n_more; k++)
        test_array_free(&j->outputs[k]);
}

static void run(mst_context *context, job *j, mst_place from, mst_place to) {
    mst_error e;
    mst_map *plan = NULL;
    test_placed in[2], out[4];
    mst_location at[2], there[4];
    OK(mst_map_create(context, &j->desc, &plan, &e));
    assert_true(mst_map_reduces(plan));
    assert_int_equal(mst_map_n_outputs(plan), j->desc.n_more + 1);
    for (int k = 0; k < 2; k++) {
        in[k] = test_place(context, from, &j->arrays[k]);
        at[k] = in[k].at;
    }
    for (int k = 0; k <= j->desc.n_more; k++) {
        test_array_free(&j->outputs[k]);
        j->outputs[k] = test_array_new(mst_map_output_of(plan, k));
        out[k] = test_place(context, to, &j->outputs[k]);
        there[k] = out[k].at;
    }
    OK(mst_map_execute_all(plan, at, there, NULL, &e));
    for (int k = 0; k < 2; k++)
        test_collect_input(&in[k], &j->arrays[k]);
    for (int k = 0; k <= j->desc.n_more; k++)
        test_collect_output(&out[k], &j->outputs[k]);
    mst_map_destroy(plan);
}

static bool is_reduced(const job *j, int axis) {
    bool any = j->desc.n_axes == 0;
    for (int k = 0; k < j->desc.n_axes; k++)
        any = any || j->axes[k] == axis;
    return any;
}

// The number of the output that an element goes into.
static size_t output_of(const job *j, size_t i) {
    const mst_layout *layout = &j->arrays[0].layout;
    size_t output = 0, step = 1;
    for (int axis = layout->rank - 1; axis >= 0; axis--) {
        const size_t at = i % layout->shape[axis];
        i /= layout->shape[axis];
        if (is_reduced(j, axis))
            continue;
        output += at * step;
        step *= layout->shape[axis];
    }
    return output;
}

typedef struct sums {
    long double product, x, x2, y, n, largest, least, size;
} sums;

static void check(const job *j) {
    const size_t n = j->outputs[0].elements;
    sums *all = calloc(n, sizeof *all);
    const bool is_double = j->arrays[0].layout.type == MST_FLOAT64;
    const long double eps = is_double ? 0x1p-52L : 0x1p-23L;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < j->arrays[0].elements; i++) {
            const long double x = creall(test_array_get(&j->arrays[0], i)), y = creall(test_array_get(&j->arrays[1], i));
            sums *s = &all[output_of(j, i)];
            if (pass == 1) {
                s->x2 += (x - s->x / s->n) * (x - s->x / s->n);
                continue;
            }
            s->largest = s->n == 0 || x > s->largest ? x : s->largest;
            s->least = s->n == 0 || y < s->least ? y : s->least;
            s->product += x * y;
            s->size += fabsl(x * y);
            s->x += x, s->y += y, s->n++;
        }
    for (size_t i = 0; i < n; i++) {
        const sums *s = &all[i];
        const long double expected[N_TEXTS] = {s->product, s->x2 / s->n, (s->largest - s->least) / 2 + 0.25L,
                                               (s->x + s->y) / s->n * (long double)j->arrays[0].layout.shape[0]};
        // A tile's sums have 36 roundings at most, each further level 32.
        const long double sizes[N_TEXTS] = {s->size, 1, 1, 2 * (long double)j->arrays[0].layout.shape[0]};
        for (int k = 0; k < N_TEXTS; k++) {
            const long double got = creall(test_array_get(&j->outputs[k], i)), most = (k == 2 ? 2 : 40) * eps * sizes[k];
            CHECK(fabsl(got - expected[k]) <= most, "%s of %s, output %zu of %zu: %.20Lg, not %.20Lg", texts[k],
                  test_layout_text(&j->arrays[0].layout), i, n, got, expected[k]);
        }
    }
    free(all);
}

static void check_same(job *j, mst_context *context, mst_place from, mst_place to, const char *what) {
    test_array before[N_TEXTS];
    memcpy(before, j->outputs, sizeof before);
    memset(j->outputs, 0, sizeof j->outputs);
    run(context, j, from, to);
    for (int k = 0; k < N_TEXTS; k++) {
        CHECK(test_array_same(&before[k], &j->outputs[k]), "%s of %s differs: %s", texts[k],
              test_layout_text(&j->arrays[0].layout), what);
        test_array_free(&before[k]);
    }
}

// The last axis reduced or not, others between.
static const struct {
    int rank;
    size_t shape[4];
    unsigned mask;
} cases[] = {{1, {1}, 0},           {1, {100003}, 0},     {2, {300, 700}, 0},      {2, {700, 300}, 2},
             {2, {700, 300}, 1},    {2, {5, 20001}, 2},   {2, {20001, 5}, 1},      {3, {40, 300, 21}, 5},
             {3, {40, 300, 21}, 2}, {3, {33, 70, 31}, 3}, {4, {5, 270, 6, 9}, 10}, {4, {5, 270, 6, 9}, 5},
             {3, {9, 1, 33}, 2},    {2, {1, 5000}, 1}};

static void values(void **state) {
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (int t = 0; t < 2; t++) {
            job j;
            if ((t == 1 && !test_turn(c, 3)) || test_spared(c, 3))
                continue;
            begin(&j, t ? MST_FLOAT64 : MST_FLOAT32, cases[c].rank, cases[c].shape, cases[c].mask);
            run(*state, &j, c % 2 ? MST_PLACE_HOST : MST_PLACE_DEVICE, c % 3 ? MST_PLACE_HOST : MST_PLACE_DEVICE);
            check(&j);
            end(&j);
        }
}

// Budgets that cut the array into many blocks, and kept axes into parts; several devices; files; the device's own memory.
static void same_bits(void **state) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.device = test_in_parts(*state, 2);
    desc.cache_directory = test_directory();
    mst_context *two = desc.device ? test_context(&desc) : NULL;
    desc.device = NULL;
    desc.device_memory = desc.host_memory = 400000;
    mst_context *little = test_context(&desc);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        job j;
        if (cases[c].shape[0] < 2 || !test_turn(c, 2))
            continue;
        begin(&j, MST_FLOAT32, cases[c].rank, cases[c].shape, cases[c].mask);
        run(*state, &j, MST_PLACE_HOST, MST_PLACE_HOST);
        check_same(&j, little, MST_PLACE_HOST, MST_PLACE_FILE, "a small budget");
        if (two)
            check_same(&j, two, MST_PLACE_FILE, MST_PLACE_HOST, "two devices");
        check_same(&j, *state, MST_PLACE_DEVICE, MST_PLACE_DEVICE, "on the device");
        j.desc.vector_width = 2;
        check_same(&j, *state, MST_PLACE_HOST, MST_PLACE_HOST, "another width");
        end(&j);
    }
    mst_context_destroy(little);
    mst_context_destroy(two);
}

// Arrays and results with gaps, which lie on the device.
static void any_strides(void **state) {
    for (int round = 0; round < test_many(2); round++) {
        job j;
        mst_error e;
        mst_map *plan = NULL;
        const size_t shape[] = {test_between(2, 5), test_between(30, 300), test_between(2, 40)};
        begin(&j, MST_FLOAT32, 3, shape, round % 2 ? 2 : 4);
        run(*state, &j, MST_PLACE_HOST, MST_PLACE_HOST);
        test_array gaps[2], out[N_TEXTS];
        test_placed in[2], to[N_TEXTS];
        mst_location at[2], there[N_TEXTS];
        for (int k = 0; k < 2; k++) {
            j.inputs[k].layout = test_layout_random(MST_FLOAT32, 3, shape, false);
            gaps[k] = test_array_new(&j.inputs[k].layout);
            for (size_t i = 0; i < gaps[k].elements; i++)
                test_array_set(&gaps[k], i, test_array_get(&j.arrays[k], i));
            in[k] = test_place(*state, MST_PLACE_DEVICE, &gaps[k]);
            at[k] = in[k].at;
        }
        for (int k = 0; k < N_TEXTS; k++) {
            const mst_layout layout = test_layout_random(MST_FLOAT32, j.outputs[k].layout.rank, j.outputs[k].layout.shape, false);
            *(k == 0 ? &j.desc.output : &j.more[k - 1].output) = layout;
            out[k] = test_array_new(&layout);
            to[k] = test_place(*state, k % 2 ? MST_PLACE_DEVICE : MST_PLACE_HOST, &out[k]);
            there[k] = to[k].at;
        }
        OK(mst_map_create(*state, &j.desc, &plan, &e));
        OK(mst_map_execute_all(plan, at, there, NULL, &e));
        for (int k = 0; k < 2; k++)
            test_collect_input(&in[k], &gaps[k]), test_array_free(&gaps[k]);
        for (int k = 0; k < N_TEXTS; k++) {
            test_collect_output(&to[k], &out[k]);
            CHECK(test_array_same(&out[k], &j.outputs[k]), "%s of arrays with gaps differs", texts[k]);
            test_array_free(&out[k]);
        }
        mst_map_destroy(plan);
        end(&j);
    }
}

// Maps: two outputs, one of them in place of the first input, of elements' indices and the lengths of axes.
static void several_maps(void **state) {
    mst_error e;
    mst_map *plan = NULL;
    const size_t shape[] = {7, 3, 37};
    const mst_map_input input = {"x", mst_layout_dense(MST_INT64, 3, shape)};
    const mst_map_more more[] = {{.expression = "i0 * n1 * n2 + i1 * n2 + i2"}, {.expression = "x > i2", .out_type = MST_INT8}};
    mst_map_desc desc = MST_MAP_DESC_INIT;
    int64_t x[7 * 3 * 37], flat[7 * 3 * 37];
    int8_t above[7 * 3 * 37];
    desc.expression = "x + 1";
    desc.n_inputs = 1;
    desc.inputs = &input;
    desc.n_more = 2;
    desc.more = more;
    for (int w = 0; w < 3; w++) {
        desc.vector_width = w == 0 ? 1 : w == 1 ? 4 : 16;
        for (int i = 0; i < 7 * 3 * 37; i++)
            x[i] = i % 50;
        OK(mst_map_create(*state, &desc, &plan, &e));
        OK(mst_map_execute_all(plan, (mst_location[]){mst_at_host(x)},
                               (mst_location[]){mst_at_host(x), mst_at_host(flat), mst_at_host(above)}, NULL, &e));
        for (int i = 0; i < 7 * 3 * 37; i++) {
            assert_int_equal(x[i], i % 50 + 1);
            assert_int_equal(flat[i], i);
            assert_int_equal(above[i], i % 50 > i % 37);
        }
        REFUSED(MST_ERROR_ARGUMENT, "3 outputs", mst_map_execute(plan, NULL, mst_at_host(x), NULL, &e));
        REFUSED(MST_ERROR_ARGUMENT, "overlaps",
                mst_map_execute_all(plan, (mst_location[]){mst_at_host(x)},
                                    (mst_location[]){mst_at_host(x), mst_at_host(flat), mst_at_host(flat)}, NULL, &e));
        mst_map_destroy(plan);
    }
}

// What a refusal names, as often as budgets below it are refused, suffices.
static void named_budgets_suffice(void **state) {
    (void)state;
    static const char *const few[] = {"sum(x)", "var(x) + mean(y)", "max(x * y)", "sum(x) / max(y)"};
    for (int k = 0; k < test_many(60); k++) {
        job j;
        mst_error e = {.status = MST_OK};
        const size_t shape[3] = {test_between(1, 60), test_between(1, 60), test_between(1, 300)};
        const int rank = (int)test_between(1, 3);
        uint64_t named = 0, number_of_message, budget = test_between(1, 1500);
        begin(&j, k % 2 ? MST_FLOAT64 : MST_FLOAT32, rank, shape, (unsigned)test_between(0, (1u << rank) - 1));
        j.desc.expression = few[k % 4];
        j.desc.n_more = 0;
        j.desc.compile_from = 0;
        for (int attempt = 0; attempt < 2; attempt++) {
            mst_map *plan = NULL;
            test_array_free(&j.outputs[0]);
            mst_context *context = test_context_with_budget(budget, 0);
            mst_status status = mst_map_create(context, &j.desc, &plan, &e);
            if (status == MST_OK) {
                j.outputs[0] = test_array_new(mst_map_output(plan));
                test_placed in[2] = {test_place(context, MST_PLACE_FILE, &j.arrays[0]),
                                     test_place(context, MST_PLACE_FILE, &j.arrays[1])},
                            out = test_place(context, MST_PLACE_FILE, &j.outputs[0]);
                status = mst_map_execute(plan, (mst_location[]){in[0].at, in[1].at}, out.at, NULL, &e);
                test_collect_input(&in[0], &j.arrays[0]), test_collect_input(&in[1], &j.arrays[1]);
                test_collect_output(&out, &j.outputs[0]);
            }
            mst_map_destroy(plan);
            mst_context_destroy(context);
            CHECK(status == MST_OK || (status == MST_ERROR_BUDGET && attempt == 0), "%s of %s: %s, after %llu was named",
                  j.desc.expression, test_layout_text(&j.inputs[0].layout), e.message, (unsigned long long)named);
            if (status == MST_OK)
                break;
            for (const char *text = e.message; test_next_number(&text, &number_of_message);)
                named = number_of_message;
            budget = named;
        }
        end(&j);
    }
}

#define ALL8 "sum(x) + mean(x) + var(x) + std(x) + min(x) + max(x) + any(x) + all(x)"

static void refused(void **state) {
    static const struct {
        const char *text, *part;
        int n_axes, axis;
        size_t length;
    } wrong[] = {{"x - mean(x)", "x is an array", 0, 0, 4},
                 {"sum(x * sum(x))", "do not nest", 0, 0, 4},
                 {"sum(x", "expected ')'", 0, 0, 4},
                 {"max(x)", "no elements", 0, 0, 0},
                 {"sum(x)", "axis 2", 1, 2, 4},
                 {"sum(x) + nothing", "'nothing' is not known", 0, 0, 4},
                 {ALL8 " + sum(x) + nothing", "'nothing' is not known", 0, 0, 4},
                 {ALL8 " + prod(x)", "more than 8 different", 0, 0, 4},
                 {"x + 1", "none of which", 1, 0, 4},
                 {"sum(where(x))", "where takes 3", 0, 0, 4}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        mst_error e;
        mst_map *plan = NULL;
        mst_map_desc desc = MST_MAP_DESC_INIT;
        const mst_map_input input = {"x", mst_layout_dense(MST_FLOAT32, 1, &wrong[k].length)};
        desc.expression = wrong[k].text;
        desc.n_inputs = 1;
        desc.inputs = &input;
        desc.n_axes = wrong[k].n_axes;
        desc.axes = &wrong[k].axis;
        REFUSED(MST_ERROR_ARGUMENT, wrong[k].part, mst_map_create(*state, &desc, &plan, &e));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values),
                                       cmocka_unit_test(same_bits),
                                       cmocka_unit_test(any_strides),
                                       cmocka_unit_test(several_maps),
                                       cmocka_unit_test(named_budgets_suffice),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
