// Arrays that are spread over the devices of a context, and their transforms: 1, 2 and 3 parts of the CPU, 1 to 3 axes, both
// types, directions and orders at either end, sizes that devices do not divide, primes, fewer indices than devices, against FFTW
// in higher precision. What devices give one another is also played through in numbers alone.
#include "support.h"
#include "support_launch.h"

#include "fft/spread_place.h"

#include <math.h>

enum { MOST_DEVICES = 3 };

static mst_context *contexts[MOST_DEVICES + 1]; // by the number of devices

static int setup(void **state) {
    int code = test_setup_on_cpu(state);
    const char *const groups[] = {NULL, NULL, test_in_parts(*state, 2), "kind:cpu/3"};
    for (int n = 1; n <= MOST_DEVICES; n++) {
        mst_context_desc desc = MST_CONTEXT_DESC_INIT;
        desc.device = groups[n];
        contexts[n] = test_context(&desc);
    }
    return code;
}

static int teardown(void **state) {
    for (int n = 1; n <= MOST_DEVICES; n++)
        mst_context_destroy(contexts[n]);
    return test_teardown(state);
}

// ---- In numbers

// Elements are their own numbers. Each of `to` is to be written once.
static void play(const mst_spread_exchange *x, bool to_columns) {
    const size_t row = mst_spread_row(&x->flat), all = x->flat.rows * row;
    const mst_spread_place *has = to_columns ? &x->flat : &x->columns, *gets = to_columns ? &x->columns : &x->flat;
    uint64_t exchanged = 0;
    size_t **parts = calloc(x->n, sizeof *parts), written = 0;
    for (size_t k = 0; k < x->n; k++) {
        parts[k] = malloc((mst_spread_elements(gets, k, x->n) + 1) * sizeof **parts);
        memset(parts[k], 0xff, mst_spread_elements(gets, k, x->n) * sizeof **parts);
    }
    for (size_t k = 0; k < x->n; k++)
        for (size_t turn = 0; turn < mst_spread_turns(x) + MST_SPREAD_KEPT; turn++) {
            const bool keeps = turn >= mst_spread_turns(x);
            const mst_spread_piece p =
                keeps ? mst_spread_kept(x, k, (int)(turn - mst_spread_turns(x))) : mst_spread_given(x, to_columns, k, turn);
            const size_t giver = to_columns ? p.from : p.to, taker = to_columns ? p.to : p.from;
            CHECK(giver == k && (taker == k) == keeps, "device %zu gives what is of %zu to %zu", k, giver, taker);
            const mst_spread_spot from = mst_spread_spot_of(x, &p, !to_columns), to = mst_spread_spot_of(x, &p, to_columns);
            const mst_spread_range range = mst_spread_range_of(has, k, x->n);
            if (!keeps) {
                const mst_spread_piece same = mst_spread_taken(x, to_columns, taker, turn);
                assert_memory_equal(&p, &same, sizeof p);
            }
            for (size_t r = 0; r < p.rows; r++)
                for (size_t c = 0; c < p.count; c++, written++) {
                    const size_t at = from.at + r * from.pitch + c; // in the giver's memory
                    const size_t element =
                        to_columns ? range.first + at : at / range.count * row + range.first + at % range.count;
                    size_t *place = &parts[taker][to.at + r * to.pitch + c];
                    CHECK(at < mst_spread_elements(has, k, x->n) && *place == SIZE_MAX, "element %zu twice, or none", element);
                    CHECK(element == (p.row + r) * row + p.column + c, "element %zu is another", element);
                    *place = element;
                }
            exchanged += keeps ? 0 : (uint64_t)p.rows * p.count;
            CHECK(keeps || p.rows * p.count <= x->group_rows * x->chunk, "a piece of %zu rows of %zu", p.rows, p.count);
        }
    CHECK(written == all && exchanged == mst_spread_exchanged(x), "%zu of %zu", written, all);
    for (size_t k = 0; k < x->n; k++) {
        const mst_spread_range range = mst_spread_range_of(gets, k, x->n);
        for (size_t i = 0; i < mst_spread_elements(gets, k, x->n); i++)
            assert_int_equal(parts[k][i], to_columns ? i / range.count * row + range.first + i % range.count : range.first + i);
        free(parts[k]);
    }
    free(parts);
}

static void exchanges_move_each_element_once(void **state) {
    (void)state;
    for (int t = 0; t < test_many(400); t++) {
        mst_spread_place flat = {test_between(1, 12), test_between(1, 12), test_between(1, 3), false, 1};
        const size_t n = test_between(1, 7), most = test_between(0, 40);
        if (test_between(0, 1))
            flat.grain = mst_spread_row(&flat);
        mst_spread_place columns = flat;
        columns.by_columns = true;
        const mst_spread_exchange x = mst_spread_exchange_plan(&flat, &columns, n, most);
        assert_true(x.group_rows * x.chunk <= (most > 0 ? most : 1));
        for (int way = 0; way < 2 && n > 1; way++)
            play(&x, way == 0);
    }
}

// ---- On devices

typedef struct test_case {
    mst_spread_fft_desc desc;
    mst_fft_desc whole;
} test_case;

static test_case make_case(mst_type type, int rank, const size_t *shape, mst_fft_direction direction) {
    test_case c = {MST_SPREAD_FFT_DESC_INIT, MST_FFT_DESC_INIT};
    c.desc.type = type;
    c.desc.rank = c.whole.n_axes = rank;
    for (int k = 0; k < rank; k++) {
        c.desc.shape[k] = shape[k];
        c.whole.axes[k] = k;
    }
    c.desc.direction = c.whole.direction = direction;
    c.desc.scale = c.whole.scale = -0.25;
    c.whole.input = mst_layout_dense(type, rank, shape);
    return c;
}

static mst_spread *make_array(mst_context *context, const mst_spread_fft_desc *d) {
    mst_error e;
    mst_spread *array;
    mst_spread_desc desc = MST_SPREAD_DESC_INIT;
    desc.type = d->type;
    desc.rank = d->rank;
    memcpy(desc.shape, d->shape, sizeof desc.shape);
    OK(mst_spread_create(context, &desc, &array, &e));
    return array;
}

// Parts cover the axis that is cut, in the order of devices.
static void check_parts(mst_context *context, const mst_spread *array, const mst_spread_fft_desc *d, mst_spread_order order) {
    mst_error e;
    size_t at = 0, elements = 0, all = 1;
    mst_spread_part part = MST_SPREAD_PART_INIT;
    for (int k = 0; k < d->rank; k++)
        all *= d->shape[k];
    for (size_t k = 0; k < mst_context_n_devices(context); k++) {
        size_t count = 1, bytes;
        OK(mst_spread_describe_part(array, k, &part, &e));
        assert_int_equal(part.order, order);
        assert_int_equal(part.axis, order == MST_SPREAD_TRANSPOSED);
        assert_int_equal(part.start, at);
        for (int i = 0; i < part.layout.rank; i++) {
            count *= part.layout.shape[i];
            assert_true(i == part.axis || part.layout.shape[i] == part.whole[i]);
        }
        assert_int_equal(clGetMemObjectInfo(part.buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL), CL_SUCCESS);
        assert_true(count * mst_type_bytes(d->type) <= bytes);
        at += part.layout.shape[part.axis];
        elements += count;
    }
    assert_int_equal(at, part.whole[part.axis]);
    assert_int_equal(elements, all);
    REFUSED(MST_ERROR_ARGUMENT, "no device", mst_spread_describe_part(array, mst_context_n_devices(context), &part, &e));
}

static void transform(mst_context *context, const test_case *c, mst_spread *array, mst_spread_order from, mst_spread_order to,
                      mst_report *report) {
    mst_error e;
    mst_spread_fft *plan;
    mst_spread_fft_desc d = c->desc;
    mst_execution how = MST_EXECUTION_INIT;
    d.input = from;
    d.output = to;
    how.report = report;
    OK(mst_spread_fft_create(context, &d, &plan, &e));
    OK(mst_spread_fft_execute(plan, array, &how, &e));
    mst_spread_fft_needs needs = MST_SPREAD_FFT_NEEDS_INIT;
    OK(mst_spread_fft_plan_needs(plan, &needs, &e));
    assert_true(needs.upload_bytes == report->upload_bytes && needs.upload_bytes == report->download_bytes);
    mst_spread_fft_destroy(plan);
    check_parts(context, array, &c->desc, to);
}

static void check(const test_array *result, const test_case *c, const test_wide *reference, size_t n, const char *what) {
    const double error = test_fft_error(&c->whole, result, reference), gate = 2 * test_fft_gate(&c->whole);
    CHECK(error <= gate, "%s on %zu devices, %s, %s: error %g, gate %g", test_layout_text(&c->whole.input), n,
          c->desc.direction == MST_FFT_FORWARD ? "forward" : "inverse", what, error, gate);
}

// To both orders; and from transposed order back, by the other direction, which gives the input times n / 16.
static void try_case(size_t n, const test_case *c) {
    mst_error e;
    mst_context *context = contexts[n];
    const test_array input = test_array_random(&c->whole.input), poison = test_array_new(&c->whole.input);
    test_wide *reference = test_fft_reference(&c->whole, &input);
    mst_spread *array = make_array(context, &c->desc);
    test_array result = poison;
    test_case back = *c;
    mst_report report = MST_REPORT_INIT, there = MST_REPORT_INIT;
    unsigned char *first = test_array_at(&input, 0), *to = test_array_at(&result, 0);
    back.desc.direction = back.whole.direction = c->desc.direction == MST_FFT_FORWARD ? MST_FFT_INVERSE : MST_FFT_FORWARD;
    OK(mst_spread_upload(array, first, &e));
    check_parts(context, array, &c->desc, MST_SPREAD_NATURAL);
    transform(context, c, array, MST_SPREAD_NATURAL, MST_SPREAD_NATURAL, &report);
    OK(mst_spread_download(array, to, &e));
    check(&result, c, reference, n, "natural order");

    OK(mst_spread_upload(array, first, &e));
    transform(context, c, array, MST_SPREAD_NATURAL, MST_SPREAD_TRANSPOSED, &there);
    assert_true(n == 1 ? report.upload_bytes == 0 : there.upload_bytes <= report.upload_bytes);
    OK(mst_spread_download(array, to, &e));
    check(&result, c, reference, n, "transposed order");

    const mst_spread_order end = test_between(0, 1) ? MST_SPREAD_NATURAL : MST_SPREAD_TRANSPOSED;
    transform(context, &back, array, MST_SPREAD_TRANSPOSED, end, &report);
    OK(mst_spread_download(array, to, &e));
    const size_t count = c->desc.shape[0] * (c->desc.rank > 1 ? c->desc.shape[1] : 1) * (c->desc.rank > 2 ? c->desc.shape[2] : 1);
    for (size_t i = 0; i < count; i++)
        reference[i] = test_array_get(&input, i) * (long double)count / 16;
    check(&result, c, reference, n, "there and back");
    mst_spread_destroy(array);
    free(reference);
    test_array_free(&result);
    test_array_free((test_array *)(uintptr_t)&input);
}

static void cases(void **state) {
    (void)state;
    static const struct {
        int rank;
        size_t shape[3];
    } shapes[] = {{1, {1}},       {1, {2}},          {1, {97}},         {1, {1155}},      {1, {4096}},
                  {1, {30000}},   {1, {100489}},     {1, {131072}},     {2, {1, 5}},      {2, {2, 64}},
                  {2, {7, 1}},    {2, {45, 77}},     {2, {128, 96}},    {2, {333, 251}},  {3, {1, 1, 6}},
                  {3, {2, 3, 5}}, {3, {16, 16, 16}}, {3, {35, 27, 31}}, {3, {64, 2, 40}}, {3, {30, 100, 11}}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t n = 1; n <= MOST_DEVICES; n++)
            for (int kind = 0; kind < 4; kind++) {
                if (!test_turn(i + n + (size_t)kind, 4))
                    continue;
                const test_case c = make_case(kind & 1 ? MST_COMPLEX128 : MST_COMPLEX64, shapes[i].rank, shapes[i].shape,
                                              kind & 2 ? MST_FFT_INVERSE : MST_FFT_FORWARD);
                try_case(n, &c);
            }
}

static void random_cases(void **state) {
    (void)state;
    for (int t = 0; t < test_many(8); t++) {
        const int rank = (int)test_between(1, 3);
        size_t shape[3];
        for (int k = 0; k < rank; k++)
            shape[k] = rank == 1 ? test_between(1, 60000) : rank == 2 ? test_between(1, 300) : test_between(1, 48);
        const test_case c = make_case(test_between(0, 1) ? MST_COMPLEX128 : MST_COMPLEX64, rank, shape,
                                      test_between(0, 1) ? MST_FFT_FORWARD : MST_FFT_INVERSE);
        try_case(test_between(2, 3), &c);
    }
}

// ---- Refusals and faults

static bool stop(uint64_t done, uint64_t total, void *user) {
    assert_true(done <= total);
    return done < *(uint64_t *)user;
}

static void refusals(void **state) {
    (void)state;
    mst_error e;
    const size_t shape[] = {24, 30, 8};
    test_case c = make_case(MST_COMPLEX64, 3, shape, MST_FFT_FORWARD);
    mst_spread_desc d = MST_SPREAD_DESC_INIT;
    mst_spread *array = NULL;
    mst_spread_fft *plan = NULL;
    mst_context *context = contexts[2];
    REFUSED(MST_ERROR_ARGUMENT, "type", mst_spread_create(context, &d, &array, &e));
    d.type = MST_FLOAT32;
    REFUSED(MST_ERROR_ARGUMENT, "float32", mst_spread_create(context, &d, &array, &e));
    d.type = MST_COMPLEX64;
    REFUSED(MST_ERROR_ARGUMENT, "rank is 0", mst_spread_create(context, &d, &array, &e));
    d.rank = 2;
    REFUSED(MST_ERROR_ARGUMENT, "shape[0] is 0", mst_spread_create(context, &d, &array, &e));
    d.shape[0] = d.shape[1] = (size_t)1 << 40;
    REFUSED(MST_ERROR_ARGUMENT, "2^63", mst_spread_create(context, &d, &array, &e));
    d.shape[1] = 4;
    assert_int_not_equal(mst_spread_create(context, &d, &array, &e), MST_OK); // more than the devices have
    assert_true(e.status == MST_ERROR_BUDGET || e.status == MST_ERROR_DEVICE_MEMORY);
    d.struct_size = 0;
    REFUSED(MST_ERROR_ARGUMENT, "MST_SPREAD_DESC_INIT", mst_spread_create(context, &d, &array, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_spread_create(context, NULL, &array, &e));
    assert_null(array);
    c.desc.direction = (mst_fft_direction)7;
    REFUSED(MST_ERROR_ARGUMENT, "direction 7", mst_spread_fft_create(context, &c.desc, &plan, &e));
    c.desc.direction = MST_FFT_FORWARD;
    c.desc.output = (mst_spread_order)2;
    REFUSED(MST_ERROR_ARGUMENT, "output is 2", mst_spread_fft_create(context, &c.desc, &plan, &e));
    c.desc.output = MST_SPREAD_TRANSPOSED;
    OK(mst_spread_fft_create(context, &c.desc, &plan, &e));
    array = make_array(contexts[3], &c.desc);
    REFUSED(MST_ERROR_ARGUMENT, "another context", mst_spread_fft_execute(plan, array, NULL, &e));
    mst_spread_destroy(array);
    c.desc.shape[2] = 9;
    array = make_array(context, &c.desc);
    REFUSED(MST_ERROR_ARGUMENT, "shape", mst_spread_fft_execute(plan, array, NULL, &e));
    mst_spread_destroy(array);
    c.desc.shape[2] = 8;
    array = make_array(context, &c.desc);
    cl_event event = NULL;
    mst_execution how = MST_EXECUTION_INIT;
    how.event = &event;
    REFUSED(MST_ERROR_ARGUMENT, "no event", mst_spread_fft_execute(plan, array, &how, &e));
    OK(mst_spread_fft_execute(plan, array, NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "takes natural order", mst_spread_fft_execute(plan, array, NULL, &e));
    mst_spread_fft_destroy(plan);

    // Cancelled on its way, the array is lost until it is uploaded again.
    const test_array input = test_array_random(&c.whole.input);
    uint64_t last = 1;
    how.event = NULL;
    how.progress = stop;
    how.progress_user = &last;
    OK(mst_spread_fft_create(context, &c.desc, &plan, &e));
    OK(mst_spread_upload(array, test_array_at(&input, 0), &e));
    REFUSED(MST_ERROR_CANCELLED, "cancelled", mst_spread_fft_execute(plan, array, &how, &e));
    REFUSED(MST_ERROR_ARGUMENT, "upload it again", mst_spread_fft_execute(plan, array, NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "upload it again", mst_spread_download(array, test_array_at(&input, 0), &e));

    // A kernel of the second device fails, wherever the others are: one message, and all are free for the next execution.
    how.progress = NULL;
    for (int launches = 0; launches < 12; launches++) {
        OK(mst_spread_upload(array, test_array_at(&input, 0), &e));
        atomic_store(&test_broken.left, launches);
        test_broken.other = mst_context_device_at(context, 1)->device;
        const mst_status status = mst_spread_fft_execute(plan, array, NULL, &e);
        test_broken.other = NULL;
        CHECK(launches > 2 || status == MST_ERROR_OPENCL, "a second device that fails at launch %d gave %s", launches,
              mst_status_name(status));
        if (status != MST_OK)
            REFUSED(MST_ERROR_ARGUMENT, "upload it again", mst_spread_fft_execute(plan, array, NULL, &e));
    }
    OK(mst_spread_upload(array, test_array_at(&input, 0), &e));
    OK(mst_spread_fft_execute(plan, array, NULL, &e));
    mst_spread_fft_destroy(plan);
    mst_spread_destroy(array);
    test_array_free((test_array *)(uintptr_t)&input);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exchanges_move_each_element_once),
        cmocka_unit_test(cases),
        cmocka_unit_test(random_cases),
        cmocka_unit_test(refusals),
    };
    setenv("POCL_MAX_PTHREAD_COUNT", "6", 1); // whatever the machine has
    return cmocka_run_group_tests(tests, setup, teardown);
}
