// Random maps: expressions of several arrays and numbers of any types, strides and places, in place, in blocks; beside the
// interpreter of the tests, in every bit.
#include "support_expression.h"

#include <math.h>

enum { MAX_NUMBERS = 3, MAX_LEAVES = MST_MAP_MAX_INPUTS + MAX_NUMBERS };

static const char *const names[MAX_LEAVES] = {"B", "C", "D", "i", "in", "out", "value", "k", "half", "n"};

typedef struct map_case {
    mst_map_desc desc;
    mst_map_input inputs[MST_MAP_MAX_INPUTS];
    mst_map_number numbers[MAX_NUMBERS];
    const char *leaves[MAX_LEAVES];
    char text[TEST_MAX_EXPRESSION];
    test_expression expression;
    mst_type type;
    mst_place from[MST_MAP_MAX_INPUTS], to;
    bool in_place;
    uint64_t device_memory; // 0: no limit
    test_array arrays[MST_MAP_MAX_INPUTS];
} map_case;

static bool is_float(mst_type type) { return type == MST_FLOAT32 || type == MST_FLOAT64; }

static mst_type choose_type(mst_context *context, bool integers) {
    static const mst_type types[] = {MST_FLOAT32, MST_INT32, MST_INT8, MST_INT16, MST_INT64, MST_FLOAT64};
    if (integers)
        return types[1 + test_choose(4)];
    return types[test_choose(mst_context_device(context)->fp64 ? 6 : 5)];
}

// NumPy's common type: a float32 with an integer of more than two bytes is a float64.
static mst_type common_type(mst_type a, mst_type b) {
    if (is_float(a) == is_float(b))
        return mst_type_bytes(a) > mst_type_bytes(b) ? a : b;
    mst_type real = is_float(a) ? a : b, whole = is_float(a) ? b : a;
    return mst_type_bytes(whole) > 2 ? MST_FLOAT64 : real;
}

static void choose_arrays(map_case *c, mst_context *context) {
    size_t shape[3], largest = c->device_memory ? 40000 : 200;
    int rank = (int)test_choose_between(1, 3);
    bool integers = test_choose(2) == 1;
    for (int k = 0; k < rank; k++)
        shape[k] = test_choose_between(1, rank == 1 ? largest : k == rank - 1 ? largest / 20 : 9);
    c->desc.n_inputs = (int)test_choose_between(1, MST_MAP_MAX_INPUTS);
    for (int k = 0; k < c->desc.n_inputs; k++) {
        mst_type type = k > 0 && test_choose(3) < 2 ? c->inputs[0].layout.type : choose_type(context, integers);
        c->inputs[k] = (mst_map_input){names[k], test_choose_layout(type, rank, shape, true)};
        c->from[k] = test_choose_place();
        c->type = k ? common_type(c->type, type) : type;
    }
    bool any_float = is_float(c->type), any_fp64 = mst_context_device(context)->fp64;
    if (test_choose_rarely(4))
        c->desc.type = c->type = choose_type(context, !any_float && test_choose(2));
    if ((any_float && !is_float(c->type)) || (c->type == MST_FLOAT64 && !any_fp64))
        c->desc.type = c->type = MST_FLOAT32;
    c->desc.type = c->type; // without a type NumPy computes parts of narrower arrays in narrower types
    if (test_choose_rarely(3))
        c->desc.output = test_choose_layout(c->type, rank, shape, false);
    const mst_layout *first = &c->inputs[0].layout;
    c->to = test_choose_place();
    if (test_choose_rarely(3) && first->type == c->type) {
        bool broadcast = false;
        for (int k = 0; k < rank; k++)
            broadcast = broadcast || (first->strides[k] == 0 && shape[k] > 1);
        c->in_place = !broadcast;
        if (c->in_place)
            c->desc.output = *first;
    }
}

static void choose_expression(map_case *c) {
    test_expression_kind kind = {.leaves = c->leaves, .integers = !is_float(c->type), .arithmetic = true};
    for (int k = 0; k < c->desc.n_inputs; k++)
        c->leaves[kind.n_leaves++] = names[k];
    c->desc.n_numbers = (int)test_choose(MAX_NUMBERS + 1);
    for (int k = 0; k < c->desc.n_numbers; k++) {
        const double values[] = {3, -7, 0, 100, kind.integers ? 1 : 0.1, kind.integers ? -128 : 1e-3};
        c->numbers[k] = (mst_map_number){.name = names[MST_MAP_MAX_INPUTS + k], .value = values[test_choose(6)]};
        c->leaves[kind.n_leaves++] = names[MST_MAP_MAX_INPUTS + k];
    }
    kind.most_nodes = (int)test_choose_between(1, 60);
    c->expression = test_expression_choose(&kind);
    test_expression_write(&c->expression, 0, c->text);
}

static void describe(const map_case *c) {
    char text[2000];
    size_t used = (size_t)snprintf(text, sizeof text, "%s in %s, %s, width %u, memory %llu, to %s%s %s", c->text,
                                   mst_type_name(c->type), c->desc.compile_from ? "compiled" : "by byte code if possible",
                                   c->desc.vector_width, (unsigned long long)c->device_memory, test_place_name(c->to),
                                   c->in_place ? " in place" : "", c->desc.output.rank ? test_layout_text(&c->desc.output) : "");
    for (int k = 0; k < c->desc.n_inputs && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, ", %s in %s %s", names[k], test_place_name(c->from[k]),
                                 test_layout_text(&c->inputs[k].layout));
    for (int k = 0; k < c->desc.n_numbers && used < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, ", %s = %g", c->numbers[k].name, c->numbers[k].value);
    test_case_made(1, "%s", text);
}

static int64_t whole_of(const test_array *array, size_t i) {
    const void *p = test_array_at(array, i);
    switch (array->layout.type) {
    case MST_INT8:
        return *(const int8_t *)p;
    case MST_INT16:
        return *(const int16_t *)p;
    case MST_INT32:
        return *(const int32_t *)p;
    default:
        return *(const int64_t *)p;
    }
}

// As the map's type has it; an integer that is converted to a float is rounded once.
static double real_of(const map_case *c, const test_array *array, size_t i) {
    if (is_float(array->layout.type))
        return (double)creall(test_array_get(array, i));
    int64_t v = whole_of(array, i);
    return c->type == MST_FLOAT64 ? (double)v : (double)(float)v;
}

static int64_t narrowed(mst_type type, int64_t v) {
    return type == MST_INT8 ? (int8_t)v : type == MST_INT16 ? (int16_t)v : type == MST_INT32 ? (int32_t)v : v;
}

// GPUs round quotients and roots of float32 as they please, within what OpenCL allows, and all devices powers.
typedef struct rounding {
    bool is_double, is_exact, is_open; // is_open: a value depends on it
} rounding;

static double device_call(void *user, int node, const test_function *f, double a, double b) {
    rounding *r = user;
    (void)node;
    const bool is_rounded = r->is_exact && (strcmp(f->name, "/") == 0 || strcmp(f->name, "sqrt") == 0);
    r->is_open = r->is_open || (f->ulps[r->is_double] > 0 && !is_rounded) || strcmp(f->name, "pow") == 0;
    return r->is_double ? f->of_double(a, b) : (double)f->of_float((float)a, (float)b);
}

static void check_element(const map_case *c, const test_array *inputs, const test_array *output, size_t i, bool is_exact) {
    double leaves[MAX_LEAVES];
    int64_t wholes[MAX_LEAVES];
    rounding r = {c->type == MST_FLOAT64, is_exact, false};
    for (int k = 0; k < c->desc.n_inputs; k++) {
        leaves[k] = real_of(c, &inputs[k], i);
        wholes[k] = is_float(c->type) ? 0 : narrowed(c->type, whole_of(&inputs[k], i));
    }
    for (int k = 0; k < c->desc.n_numbers; k++) {
        leaves[c->desc.n_inputs + k] = c->numbers[k].value;
        wholes[c->desc.n_inputs + k] = (int64_t)c->numbers[k].value;
    }
    if (!is_float(c->type)) {
        int64_t got = whole_of(output, i),
                wanted = test_expression_integer(&c->expression, (unsigned)mst_type_bytes(c->type), wholes, 0);
        CHECK(got == wanted, "element %zu is %lld, not %lld", i, (long long)got, (long long)wanted);
        return;
    }
    test_evaluation how = {&c->expression, r.is_double, leaves, device_call, &r, &r.is_open};
    double wanted = test_expression_value(&how, 0), got = (double)creall(test_array_get(output, i));
    CHECK(r.is_open || test_same(got, wanted), "element %zu is %.17g, not %.17g", i, got, wanted);
}

static void execute(map_case *c, mst_context *context, mst_map *plan) {
    mst_error e;
    test_placed in[MST_MAP_MAX_INPUTS], out = {.place = MST_PLACE_HOST};
    mst_location at[MST_MAP_MAX_INPUTS];
    bool is_exact = (mst_context_device(context)->type & CL_DEVICE_TYPE_CPU) != 0;
    test_array output = c->in_place ? c->arrays[0] : test_array_new(mst_map_output(plan));
    for (int k = 0; k < c->desc.n_inputs; k++) {
        in[k] = test_place(context, c->from[k], &c->arrays[k]);
        at[k] = in[k].at;
    }
    if (c->in_place) { // the values before are kept as the first input
        output.image = malloc(output.bytes);
        CHECK(output.image, "no memory");
        out = in[0];
    } else {
        out = test_place(context, c->to, &output);
    }
    mst_status status = mst_map_execute(plan, at, out.at, NULL, &e);
    CHECK(status == MST_OK || (status == MST_ERROR_BUDGET && c->device_memory), "execute: %s", e.message);
    for (int k = c->in_place; k < c->desc.n_inputs; k++)
        test_collect_input(&in[k], &c->arrays[k]);
    test_collect_output(&out, &output);
    for (size_t i = 0; status == MST_OK && i < output.elements; i++)
        check_element(c, c->arrays, &output, i, is_exact);
    test_array_free(&output);
}

static void try_map(map_case *c, mst_context *context) {
    mst_error e;
    mst_map *plan;
    mst_status status = mst_map_create(context, &c->desc, &plan, &e);
    bool possible = is_float(c->type) || test_expression_is_integer(&c->expression, (unsigned)mst_type_bytes(c->type), 0);
    CHECK(status == MST_OK || status == (possible ? MST_ERROR_BUDGET : MST_ERROR_ARGUMENT), "create: %s", e.message);
    CHECK(status != MST_ERROR_BUDGET || c->device_memory, "create: %s", e.message);
    if (status == MST_OK && possible) // real numbers may be compared on the way to an integer, which only the library computes
        execute(c, context, plan);
    mst_map_destroy(plan);
}

static void make_and_try(mst_context *shared) {
    const mst_map_desc desc = MST_MAP_DESC_INIT;
    map_case *c = calloc(1, sizeof *c);
    CHECK(c, "no memory");
    c->desc = desc;
    c->device_memory = test_choose_rarely(5) ? 20000 + 1000 * test_choose(500) : 0;
    choose_arrays(c, shared);
    choose_expression(c);
    c->desc.vector_width = test_choose_rarely(6) ? 0 : 1u << test_choose(5);
    c->desc.compile_from = test_choose(3) > 0 ? 0 : 1; // byte code where there is one, or a compiled kernel
    c->desc.expression = c->text;
    c->desc.inputs = c->inputs;
    c->desc.numbers = c->numbers;
    describe(c);
    for (int k = 0; k < c->desc.n_inputs; k++)
        c->arrays[k] = test_array_random(&c->inputs[k].layout);
    mst_context *context = c->device_memory ? test_context_with_budget(c->device_memory, 0) : shared;
    try_map(c, context);
    if (context != shared)
        mst_context_destroy(context);
    for (int k = 0; k < c->desc.n_inputs; k++)
        test_array_free(&c->arrays[k]);
    free(c);
}

int main(int argc, char **argv) { return test_choices_main(argc, argv, "maps", make_and_try); }
