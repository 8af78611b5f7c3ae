// FFT: axes of which no panel holds one and that have no two factors that are held, or whose real numbers are no pairs, by way of
// memory beside the budgets; and long axes in place. Against FFTW.
#include "support.h"

#include <math.h>

static mst_fft_desc describe(mst_type from, mst_type to, int rank, const size_t *shape, int n_axes, const int *axes) {
    const bool real_in = from == MST_FLOAT32 || from == MST_FLOAT64, real_out = to == MST_FLOAT32 || to == MST_FLOAT64;
    mst_fft_desc d = MST_FFT_DESC_INIT;
    size_t half[MST_MAX_RANK];
    memcpy(half, shape, (size_t)rank * sizeof *half);
    half[axes[n_axes - 1]] = shape[axes[n_axes - 1]] / 2 + 1;
    d.n_axes = n_axes;
    memcpy(d.axes, axes, (size_t)n_axes * sizeof *axes);
    d.direction = real_out || (!real_in && test_between(0, 1)) ? MST_FFT_INVERSE : MST_FFT_FORWARD;
    d.input = test_between(0, 1) ? mst_layout_dense(from, rank, real_out ? half : shape)
                                 : test_layout_random(from, rank, real_out ? half : shape, false);
    d.output = test_between(0, 1) ? mst_layout_dense(to, rank, real_in ? half : shape)
                                  : test_layout_random(to, rank, real_in ? half : shape, false);
    d.scale = test_between(0, 1) ? 1 : -0.25;
    return d;
}

// The number that the refusal of a plan under a budget of 1000 bytes ends with.
static uint64_t least_memory(const mst_fft_desc *desc) {
    mst_error e = {.status = MST_OK};
    mst_fft *plan = NULL;
    uint64_t least = 0, number;
    mst_context *context = test_context_with_budget(1000, 0);
    REFUSED(MST_ERROR_BUDGET, "it takes at least", mst_fft_create(context, desc, &plan, &e));
    for (const char *text = e.message; test_next_number(&text, &number);)
        least = number;
    mst_context_destroy(context);
    return least;
}

static const mst_place places[] = {MST_PLACE_HOST, MST_PLACE_FILE};

// The plan names the kernels of all its passes: a line's twice where it is a convolution.
static void check_passes(const mst_fft *plan, const mst_fft_needs *n) {
    const int passes = mst_fft_n_passes(plan);
    CHECK(passes > 0 && (uint64_t)passes >= n->passes, "%d passes, but needs of %llu", passes, (unsigned long long)n->passes);
    for (int k = 0; k < passes; k++)
        assert_non_null(strstr(mst_fft_pass_kernel(plan, k), "__kernel"));
    assert_null(mst_fft_pass_kernel(plan, passes));
    assert_null(mst_fft_pass_kernel(plan, -1));
}

// At the least budget, which takes many panels, at one with room, and below the least.
static void check_budgets(const mst_fft_desc *desc, bool many) {
    const uint64_t least = least_memory(desc);
    mst_context *context = test_context_with_budget(least, 0);
    mst_error e;
    mst_fft *plan = NULL;
    mst_fft_needs n = MST_FFT_NEEDS_INIT;
    OK(mst_fft_create(context, desc, &plan, &e));
    OK(mst_fft_plan_needs(plan, &n, &e));
    CHECK(n.device_bytes == least && n.scratch_bytes > 0, "%s: %llu bytes, %llu of memory", test_layout_text(&desc->input),
          (unsigned long long)n.device_bytes, (unsigned long long)n.scratch_bytes);
    check_passes(plan, &n);
    mst_fft_destroy(plan);
    if (many)
        test_fft_check(context, desc, places[test_between(0, 1)], places[test_between(0, 1)]);
    assert_int_equal(mst_context_device_memory_used(context), 0);
    mst_context_destroy(context);
    context = test_context_with_budget(4 * least, 0);
    test_fft_check(context, desc, places[test_between(0, 1)], places[test_between(0, 1)]);
    mst_context_destroy(context);
    context = test_context_with_budget(least - 1, 0);
    REFUSED(MST_ERROR_BUDGET, "it takes at least", mst_fft_create(context, desc, &plan, &e));
    mst_context_destroy(context);
}

// Lengths: primes, twice a prime, three times one, odd and smooth; of real numbers, too, as the only axis, and among others.
static void long_axes(void **state) {
    (void)state;
    enum { C, R, H }; // complex, real, to real results
    static const struct {
        int kind, rank, n_axes, axes[3];
        size_t shape[3];
    } cases[] = {{C, 1, 1, {0}, {8209}},         {R, 1, 1, {0}, {8209}},       {H, 1, 1, {0}, {8209}},
                 {R, 1, 1, {0}, {2 * 8209}},     {H, 1, 1, {0}, {2 * 8209}},   {C, 1, 1, {0}, {3 * 4099}},
                 {R, 1, 1, {0}, {3 * 6561}},     {H, 1, 1, {0}, {3 * 6561}},   {C, 2, 1, {0}, {4099, 11}},
                 {H, 2, 1, {0}, {4099, 11}},     {R, 2, 1, {1}, {3, 4099}},    {C, 2, 2, {1, 0}, {4099, 12}},
                 {C, 2, 2, {0, 1}, {5, 4099}},   {R, 2, 2, {0, 1}, {6, 4099}}, {R, 2, 2, {1, 0}, {6, 4099}},
                 {H, 2, 2, {0, 1}, {6, 4099}},   {H, 2, 2, {1, 0}, {6, 4099}}, {C, 3, 3, {0, 1, 2}, {4, 4099, 6}},
                 {H, 3, 2, {0, 1}, {3, 2187, 5}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (!test_turn(k, 3))
            continue;
        const bool wide = test_between(0, 1);
        const mst_type whole = wide ? MST_COMPLEX128 : MST_COMPLEX64, real = wide ? MST_FLOAT64 : MST_FLOAT32;
        const mst_fft_desc desc = describe(cases[k].kind == R ? real : whole, cases[k].kind == H ? real : whole, cases[k].rank,
                                           cases[k].shape, cases[k].n_axes, cases[k].axes);
        check_budgets(&desc, k % 2 == 0);
    }
}

// Cosine and sine transforms of all kinds, along one and several axes, in place, too.
static void even_axes(void **state) {
    (void)state;
    static const struct {
        int rank, n_axes, axes[3];
        size_t shape[3];
    } cases[] = {
        {1, 1, {0}, {4096}},       {1, 1, {0}, {8209}},          {2, 1, {0}, {2187, 11}},        {2, 2, {1, 0}, {5, 3000}},
        {2, 2, {0, 1}, {4097, 3}}, {3, 2, {1, 2}, {2, 2053, 3}}, {3, 3, {0, 1, 2}, {3, 4, 2401}}};
    for (int i = 0; i < 8; i++) {
        if (!test_turn((size_t)i, 3))
            continue;
        const size_t k = test_between(0, sizeof cases / sizeof *cases - 1);
        const mst_type type = test_between(0, 1) ? MST_FLOAT64 : MST_FLOAT32;
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        desc.kind = (mst_fft_kind)((int)MST_FFT_DCT1 + i);
        desc.direction = test_between(0, 1) ? MST_FFT_INVERSE : MST_FFT_FORWARD;
        desc.orthogonal = test_between(0, 1) ? 1 : 0;
        desc.scale = test_between(0, 1) ? 1 : -0.25;
        desc.n_axes = cases[k].n_axes;
        memcpy(desc.axes, cases[k].axes, sizeof cases[k].axes);
        desc.input = test_layout_random(type, cases[k].rank, cases[k].shape, false);
        desc.output = test_layout_random(type, cases[k].rank, cases[k].shape, false);
        check_budgets(&desc, i == 1);
    }
}

// In place: two passes of a long axis, alone and before another one, and a prime.
static void in_place(void **state) {
    (void)state;
    static const size_t shapes[][2] = {{1, 65536}, {4096, 6}, {1, 8209}, {7, 4099}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int file = 0; file < 2; file++) {
            mst_error e;
            mst_fft *plan = NULL;
            mst_fft_desc desc = MST_FFT_DESC_INIT;
            const bool wide = test_between(0, 1);
            desc.input = test_between(0, 1) ? mst_layout_dense(wide ? MST_COMPLEX128 : MST_COMPLEX64, 2, shapes[k])
                                            : test_layout_random(wide ? MST_COMPLEX128 : MST_COMPLEX64, 2, shapes[k], false);
            desc.output = desc.input;
            desc.n_axes = 2, desc.axes[0] = 0, desc.axes[1] = 1;
            uint64_t least = least_memory(&desc);
            mst_context *context = test_context_with_budget(least + test_between(0, 2 * least), 0);
            test_array array = test_array_random(&desc.input);
            test_wide *reference = test_fft_reference(&desc, &array);
            test_placed at = test_place(context, file ? MST_PLACE_FILE : MST_PLACE_HOST, &array);
            OK(mst_fft_create(context, &desc, &plan, &e));
            OK(mst_fft_execute(plan, at.at, at.at, NULL, &e));
            test_collect_output(&at, &array);
            const double error = test_fft_error(&desc, &array, reference), gate = test_fft_gate(&desc);
            CHECK(error <= gate, "%s: error %.3g is above %.3g", test_layout_text(&desc.input), error, gate);
            mst_fft_destroy(plan);
            mst_context_destroy(context);
            free(reference);
            test_array_free(&array);
        }
}

// The spectrum of a chirp is the work of a plan's first execution: the second one moves one line less, and gives the same bits.
// An execution that is cancelled before leaves it to the next.
static bool cancel(uint64_t done, uint64_t total, void *user) {
    (void)done, (void)total, (void)user;
    return false;
}

static void chirp_once(void **state) {
    (void)state;
    enum { N = 8209, LINES = 3 };
    mst_error e;
    mst_fft *plan = NULL;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    mst_report reports[2] = {MST_REPORT_INIT, MST_REPORT_INIT};
    desc.input = mst_layout_dense(MST_COMPLEX64, 2, (const size_t[]){LINES, N});
    mst_context *context = test_context_with_budget(2 * least_memory(&desc), 0);
    test_array in = test_array_random(&desc.input), out[2] = {test_array_random(&desc.input), test_array_random(&desc.input)};
    OK(mst_fft_create(context, &desc, &plan, &e));
    how.progress = cancel;
    REFUSED(MST_ERROR_CANCELLED, "", mst_fft_execute(plan, mst_at_host(in.image), mst_at_host(out[0].image), &how, &e));
    how.progress = NULL;
    for (int k = 0; k < 2; k++) {
        how.report = &reports[k];
        OK(mst_fft_execute(plan, mst_at_host(in.image), mst_at_host(out[k].image), &how, &e));
    }
    const uint64_t line = reports[0].upload_bytes - reports[1].upload_bytes;
    CHECK(reports[0].upload_bytes == line * (2 * LINES + 1) && line > 0, "%llu bytes up, then %llu",
          (unsigned long long)reports[0].upload_bytes, (unsigned long long)reports[1].upload_bytes);
    assert_memory_equal(out[0].image, out[1].image, LINES * N * 8);
    mst_fft_destroy(plan);
    mst_context_destroy(context);
    for (int k = 0; k < 2; k++)
        test_array_free(&out[k]);
    test_array_free(&in);
}

// Executes with other data.
static void execute_once(mst_context *context, mst_fft *plan, const mst_fft_desc *desc, mst_place place) {
    mst_error e;
    test_array in = test_array_random(&desc->input), out = test_array_random(&desc->output);
    test_wide *reference = test_fft_reference(desc, &in);
    test_placed from = test_place(context, place, &in), to = test_place(context, place, &out);
    OK(mst_fft_execute(plan, from.at, to.at, NULL, &e));
    test_collect_output(&to, &out);
    test_collect_input(&from, &in);
    const double error = test_fft_error(desc, &out, reference), gate = test_fft_gate(desc);
    CHECK(error <= gate, "%s in %s: error %.3g is above %.3g", test_layout_text(&desc->input), test_place_name(place), error,
          gate);
    free(reference);
    test_array_free(&in);
    test_array_free(&out);
}

// What a plan keeps for its next execution is within the budget, and goes where whole items on the device, for which there is
// room alone, take its place. Of several axes at the least budget, where panels do not do: without the device.
static void by_turns(void **state) {
    (void)state;
    static const mst_place turns[] = {MST_PLACE_HOST, MST_PLACE_FILE, MST_PLACE_DEVICE, MST_PLACE_HOST, MST_PLACE_HOST};
    static const size_t shapes[][2] = {{1, 8209}, {3, 4099}, {1, 8193}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        mst_error e;
        mst_fft *plan = NULL;
        mst_fft_needs whole = MST_FFT_NEEDS_INIT, lines = MST_FFT_NEEDS_INIT;
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        desc.kind = k == 2 ? MST_FFT_DCT1 : MST_FFT_FOURIER;
        desc.input = mst_layout_dense(k == 2 ? MST_FLOAT32 : MST_COMPLEX64, 2, shapes[k]);
        desc.output = desc.input;
        desc.n_axes = k == 1 ? 2 : 1;
        desc.axes[0] = k == 1 ? 0 : 1, desc.axes[1] = 1;
        mst_context *context = test_context_with_budget((size_t)64 << 20, 0);
        OK(mst_fft_create(context, &desc, &plan, &e));
        OK(mst_fft_plan_needs(plan, &whole, &e));
        mst_fft_destroy(plan);
        mst_context_destroy(context);
        const uint64_t budget = k == 1 ? least_memory(&desc) : whole.device_bytes - 1;
        context = test_context_with_budget(budget, 0);
        OK(mst_fft_create(context, &desc, &plan, &e));
        OK(mst_fft_plan_needs(plan, &lines, &e));
        assert_true(lines.scratch_bytes > 0 && whole.scratch_bytes == 0);
        for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
            if (k == 1 && turns[i] == MST_PLACE_DEVICE)
                continue;
            execute_once(context, plan, &desc, turns[i]);
            const uint64_t used = mst_context_device_memory_used(context);
            CHECK(used > 0 && used <= budget, "%llu bytes are kept of %llu", (unsigned long long)used,
                  (unsigned long long)budget);
        }
        mst_fft_destroy(plan);
        assert_int_equal(mst_context_device_memory_used(context), 0);
        mst_context_destroy(context);
    }
}

// A length beyond 2^30 that is prime is planned, and told what it takes.
static void beyond(void **state) {
    (void)state;
    mst_error e;
    mst_fft *plan = NULL;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    mst_fft_needs n = MST_FFT_NEEDS_INIT;
    const size_t shape[] = {((size_t)1 << 31) - 1};
    desc.input = mst_layout_dense(MST_COMPLEX64, 1, shape);
    mst_context *context = test_context_with_budget((size_t)64 << 20, (size_t)64 << 20);
    OK(mst_fft_create(context, &desc, &plan, &e));
    OK(mst_fft_plan_needs(plan, &n, &e));
    assert_true(n.passes == 4 && n.device_bytes <= (size_t)64 << 20 && n.scratch_bytes == 3 * ((uint64_t)8 << 32));
    mst_fft_destroy(plan);
    desc.input = mst_layout_dense(MST_FLOAT32, 1, (const size_t[]){(size_t)1 << 31});
    desc.kind = MST_FFT_DCT2;
    OK(mst_fft_create(context, &desc, &plan, &e));
    OK(mst_fft_plan_needs(plan, &n, &e));
    assert_true(n.passes == 2 && n.device_bytes <= (size_t)64 << 20 && n.scratch_bytes == 2 * ((uint64_t)8 << 31));
    mst_fft_destroy(plan);
    mst_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(long_axes),  cmocka_unit_test(even_axes), cmocka_unit_test(in_place),
                                       cmocka_unit_test(chirp_once), cmocka_unit_test(by_turns),  cmocka_unit_test(beyond)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
