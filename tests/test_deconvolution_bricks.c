// Images and volumes that do not fit the device, deconvolved in bricks, against the same plans with room for the whole (which
// test_deconvolution holds against sums over the point spread function): equal after one iteration, which reaches no farther than
// halos do, and afterwards apart by about what the seams say. What a budget lacks is said.
// Long: volumes of several times the budgets; `deconvolution` has all that happens to values.
#include "support.h"

#include "runtime/layout.h"

#include <mastaba/deconvolution.h>

#include <math.h>
#include <string.h>

enum { MOST_PSF = 400 };

typedef struct problem {
    mst_deconvolution_desc d;
    double psf[MOST_PSF];
    test_array image, start, weights;
} problem;

static test_array filled(const mst_layout *layout, double low, double high) {
    test_array array = test_array_new(layout);
    for (size_t i = 0; i < array.elements; i++) {
        const double value = low + (high - low) * (test_uniform() + 1) / 2;
        if (layout->type == MST_UINT8)
            *(uint8_t *)test_array_at(&array, i) = (uint8_t)value;
        else
            test_array_set(&array, i, value);
    }
    return array;
}

// One with companions or a batch now and then.
static problem random_problem(int number, bool is_double) {
    problem p = {.d = MST_DECONVOLUTION_DESC_INIT};
    const mst_type type = is_double ? MST_FLOAT64 : number % 2 ? MST_FLOAT32 : MST_UINT8;
    size_t shape[4] = {test_between(1, 2)};
    p.d.n_axes = 2 + number % 3 / 2;
    const bool volume = p.d.n_axes == 3;
    for (int a = 0; a < p.d.n_axes; a++) {
        shape[1 + a] = volume ? test_between(18, 30) : test_between(60, 110);
        p.d.axes[a] = a - p.d.n_axes;
        p.d.psf_shape[a] = test_between(1, volume ? 4 : 7);
        p.d.psf_centre[a] = (int64_t)test_between(0, p.d.psf_shape[a] - 1);
    }
    p.d.centred = 1;
    p.d.edges = (mst_deconvolution_edges[]){MST_DECONVOLUTION_OBSERVED, MST_DECONVOLUTION_CIRCULAR,
                                            MST_DECONVOLUTION_ZERO}[test_between(0, 2)];
    for (size_t i = 0; i < MOST_PSF; i++)
        p.psf[i] = 0.2 + (test_uniform() + 1) / 2;
    p.d.image = test_layout_random(type, 1 + p.d.n_axes, shape, false);
    p.d.result = test_layout_random(is_double ? MST_FLOAT64 : MST_FLOAT32, 1 + p.d.n_axes, shape, false);
    p.image = filled(&p.d.image, 0, 200);
    p.d.iterations = 1;
    p.d.background = test_between(0, 1) ? 3 : 0;
    if (test_between(0, 1)) {
        p.d.start = test_layout_random(MST_FLOAT32, 1 + p.d.n_axes, shape, true);
        p.start = filled(&p.d.start, 50, 100);
    }
    if (test_between(0, 1)) {
        p.d.weights = test_layout_random(MST_UINT8, 1 + p.d.n_axes, shape, true);
        p.weights = filled(&p.d.weights, 0.8, 1.99); // 0 and 1
    }
    return p;
}

static void release(problem *p) {
    test_array_free(&p->image);
    if (p->start.image)
        test_array_free(&p->start);
    if (p->weights.image)
        test_array_free(&p->weights);
}

// The result in `budget` bytes, which a status says were not enough; of how many bricks, and their seams.
static mst_status deconvolve(problem *p, uint64_t budget, mst_place place, test_array *result, uint64_t *bricks, double *seam,
                             mst_error *e) {
    mst_deconvolution *plan;
    mst_deconvolution_arrays arrays = MST_DECONVOLUTION_ARRAYS_INIT;
    mst_deconvolution_forecast f = MST_DECONVOLUTION_FORECAST_INIT;
    test_placed start, weights;
    mst_context *context = test_context_with_budget(budget, 0);
    p->d.psf = p->psf;
    mst_status status = mst_deconvolution_create(context, &p->d, &plan, e);
    if (status == MST_OK) {
        test_placed image = test_place(context, place, &p->image), out = test_place(context, place, result);
        arrays.image = image.at;
        arrays.result = out.at;
        if (p->start.image)
            arrays.start = (start = test_place(context, place, &p->start)).at;
        if (p->weights.image)
            arrays.weights = (weights = test_place(context, place, &p->weights)).at;
        status = mst_deconvolution_execute(plan, &arrays, NULL, e);
        assert_int_equal(mst_deconvolution_predict(plan, &f, NULL), MST_OK);
        *bricks = f.bricks;
        *seam = mst_deconvolution_seam(plan);
        CHECK(budget == 0 || mst_context_device_memory_used(context) <= budget, "%llu bytes are held of %llu",
              (unsigned long long)mst_context_device_memory_used(context), (unsigned long long)budget);
        test_collect_input(&image, &p->image);
        if (status == MST_OK)
            test_collect_output(&out, result);
        else
            test_collect(&out, result);
        if (p->start.image)
            test_collect_input(&start, &p->start);
        if (p->weights.image)
            test_collect_input(&weights, &p->weights);
        mst_deconvolution_destroy(plan);
    }
    assert_true(mst_context_device_memory_used(context) == 0);
    mst_context_destroy(context);
    return status;
}

// The root of the mean square of the difference, and the largest one, over the root of the image's mean square.
static void compare(const problem *p, const test_array *a, const test_array *b, double *rms, double *most) {
    double squares = 0, differences = 0;
    *most = 0;
    for (size_t i = 0; i < a->elements; i++) {
        const double y = (double)creall(test_array_get(&p->image, i)),
                     d = fabs((double)creall(test_array_get(a, i) - test_array_get(b, i)));
        squares += y * y;
        differences += d * d;
        *most = fmax(*most, isfinite(d) ? d : INFINITY);
    }
    *rms = sqrt(differences / squares);
    *most /= sqrt(squares / (double)a->elements);
}

// What an error says is enough.
static uint64_t least_of(const mst_error *e) {
    const char *at = strstr(e->message, "it takes at least ");
    uint64_t least = 0;
    CHECK(at, "no least budget: %s", e->message);
    at += strlen("it takes at least ");
    assert_true(test_next_number(&at, &least));
    return least;
}

static uint64_t bytes_of_whole(mst_context *context, problem *p) {
    mst_error e;
    mst_deconvolution *plan;
    mst_deconvolution_forecast f = MST_DECONVOLUTION_FORECAST_INIT;
    p->d.psf = p->psf;
    OK(mst_deconvolution_create(context, &p->d, &plan, &e));
    OK(mst_deconvolution_predict(plan, &f, &e));
    assert_true(f.bricks == 0);
    mst_deconvolution_destroy(plan);
    return f.device_bytes;
}

// What is told of an item's last iteration.
static bool note(const mst_deconvolution_state *state, void *user) {
    mst_deconvolution_state *last = user;
    last[state->item] = *state;
    return true;
}

// Bricks that are exact come to what the whole comes to, in each image of the batch.
static void compare_states(const problem *p, const mst_deconvolution_state *whole, const mst_deconvolution_state *cut,
                           bool is_double) {
    for (size_t item = 0; item < p->d.image.shape[0]; item++) {
        const double gate = is_double ? 1e-9 : 2e-3, rounding = is_double ? 1e-14 : 1e-6; // all, if the psf is a point
        CHECK(cut[item].iteration == whole[item].iteration && cut[item].iteration > 0 &&
                  fabs(cut[item].residual - whole[item].residual) < gate * whole[item].residual + rounding &&
                  fabs(cut[item].change - whole[item].change) < gate * whole[item].change + rounding,
              "image %s: item %zu came to a residual of %g and a change of %g in %d iterations, not %g, %g, %d",
              test_layout_text(&p->d.image), item, cut[item].residual, cut[item].change, cut[item].iteration,
              whole[item].residual, whole[item].change, whole[item].iteration);
    }
}

static void check(mst_context *context, problem *p, const char *what) {
    mst_deconvolution_state states[2][2] = {0};
    static const mst_place places[] = {MST_PLACE_HOST, MST_PLACE_FILE};
    mst_error e;
    uint64_t bricks = 0, budget = bytes_of_whole(context, p) / test_between(2, 3);
    double seam, rms, most;
    const bool is_double = p->d.result.type == MST_FLOAT64;
    test_array whole = test_array_new(&p->d.result), cut = test_array_new(&p->d.result);
    if (p->d.exact)
        p->d.watch = note, p->d.watch_user = states[0];
    OK(deconvolve(p, 0, MST_PLACE_HOST, &whole, &bricks, &seam, &e));
    assert_true(bricks == 0 && seam == 0);
    p->d.watch_user = states[1];
    mst_status status = deconvolve(p, budget, places[test_between(0, 1)], &cut, &bricks, &seam, &e);
    if (status == MST_ERROR_BUDGET) // what is said to be enough is
        status = deconvolve(p, budget = least_of(&e), places[test_between(0, 1)], &cut, &bricks, &seam, &e);
    OK(status);
    if (p->d.exact) {
        compare_states(p, states[0], states[1], is_double);
        CHECK(seam < (is_double ? 1e-9 : 1e-3), "%s, image %s: seams of %g", what, test_layout_text(&p->d.image), seam);
    }
    p->d.watch = NULL;
    CHECK(bricks > 1, "%s: %llu bricks in %llu bytes", what, (unsigned long long)bricks, (unsigned long long)budget);
    compare(p, &whole, &cut, &rms, &most);
    if (p->d.method == MST_DECONVOLUTION_RICHARDSON_LUCY && (p->d.iterations == 1 || p->d.exact))
        // In float32, rounding where the blurred estimate is small reached 3.5e-4; a wrong face shows in float64.
        CHECK(most <= (is_double ? 1e-11 : 1e-3), "%s, image %s in %llu bricks: %g off", what, test_layout_text(&p->d.image),
              (unsigned long long)bricks, most);
    else
        // At the image's own edges, inverse filters see more of it mirrored than the whole has room for.
        CHECK(rms <= seam + (p->d.method != MST_DECONVOLUTION_RICHARDSON_LUCY ? 0.05
                             : is_double                                      ? 1e-11
                                                                              : 1e-5),
              "%s, image %s in %llu bricks: %g off with seams of %g", what, test_layout_text(&p->d.image),
              (unsigned long long)bricks, rms, seam);
    test_array_free(&whole);
    test_array_free(&cut);
}

// Where little of a point's light falls at the rim of the psf, and where points vary by their neighbours, along axes of which the
// psf has one point, too.
static void exact_at_the_rim(void **state) {
    for (int k = 0; k < test_many(6); k++) {
        problem p = random_problem(k, mst_context_device(*state)->fp64);
        for (size_t i = 0; i < MOST_PSF; i++)
            p.psf[i] = 1e-3 + pow(test_uniform(), 6);
        p.d.psf_shape[k % p.d.n_axes] = k % 4 ? 3 : 1;
        p.d.psf_centre[k % p.d.n_axes] = k % 4 ? 1 : 0;
        p.d.exact = 1;
        p.d.iterations = 3;
        p.d.total_variation =
            mst_context_device(*state)->fp64 && k % 2 ? 0.01 : 0; // in float32 the direction of tiny differences
        p.d.accelerate = k % 3 == 0;                              // may turn
        check(*state, &p, "exact at the rim");
        release(&p);
    }
}

// Where the object fades, so that of what is seen at a window's ends its own points give next to nothing: in the least bricks.
static void exact_where_light_fades(void **state) {
    const bool is_double = mst_context_device(*state)->fp64;
    const size_t shape[] = {1, 25, 57};
    problem p = {.d = MST_DECONVOLUTION_DESC_INIT, .psf = {0.2, 0.5, 0.9}};
    uint64_t bricks = 0;
    double seam, rms, most;
    mst_error e;
    p.d.n_axes = 2;
    p.d.axes[0] = -2, p.d.axes[1] = -1;
    p.d.psf_shape[0] = 3, p.d.psf_shape[1] = 1;
    p.d.edges = MST_DECONVOLUTION_ZERO;
    p.d.exact = 1;
    p.d.iterations = 30;
    p.d.image = p.d.result = mst_layout_dense(is_double ? MST_FLOAT64 : MST_FLOAT32, 3, shape);
    p.image = filled(&p.d.image, 0, 100);
    for (size_t i = 0; i < p.image.elements; i++)
        if (test_uniform() < 0.2)
            test_array_set(&p.image, i, 0);
    test_array whole = test_array_new(&p.d.result), cut = test_array_new(&p.d.result);
    OK(deconvolve(&p, 0, MST_PLACE_HOST, &whole, &bricks, &seam, &e));
    assert_int_equal(deconvolve(&p, 1, MST_PLACE_HOST, &cut, &bricks, &seam, &e), MST_ERROR_BUDGET);
    OK(deconvolve(&p, 2 * least_of(&e), MST_PLACE_HOST, &cut, &bricks, &seam, &e));
    compare(&p, &whole, &cut, &rms, &most);
    CHECK(bricks > 9 && seam < (is_double ? 1e-11 : 1e-3) && most < (is_double ? 1e-11 : 1e-3),
          "%llu bricks: %g off, seams of %g", (unsigned long long)bricks, most, seam);
    test_array_free(&whole);
    test_array_free(&cut);
    release(&p);
}

static void random_problems(void **state) {
    for (int k = 0; k < test_many(5); k++) {
        problem p = random_problem(k, mst_context_device(*state)->fp64 && k % 4 == 3);
        check(*state, &p, "one iteration");
        p.d.iterations = 6;
        p.d.accelerate = k % 2;
        check(*state, &p, "six iterations");
        p.d.exact = 1;
        p.d.start_value = k % 2 ? 70 : 0;
        check(*state, &p, p.d.accelerate ? "exact, accelerated" : "exact");
        p.d.tolerance = 0.1;
        p.d.iterations = 30;
        check(*state, &p, "exact, until little changes");
        p.d.exact = 0;
        p.d.tolerance = 0;
        p.d.iterations = 6;
        if (p.d.start.rank == 0 && p.d.weights.rank == 0) {
            p.d.method = k % 2 ? MST_DECONVOLUTION_WIENER : MST_DECONVOLUTION_TIKHONOV;
            p.d.balance = 0.1;
            check(*state, &p, "an inverse filter");
        }
        release(&p);
    }
}

// An option bounds the seams: halos widen until they are near enough, or the budget has no room for them.
static void seams(void **state) {
    mst_error e;
    uint64_t bricks = 0, least = 0;
    double seam, bounded = 1;
    problem p = {.d = MST_DECONVOLUTION_DESC_INIT};
    const size_t shape[] = {120, 130};
    p.d.image = p.d.result = mst_layout_dense(MST_FLOAT32, 2, shape);
    p.d.psf_shape[0] = p.d.psf_shape[1] = 5;
    for (size_t i = 0; i < 25; i++)
        p.psf[i] = 1;
    p.image = filled(&p.d.image, 0, 200);
    p.d.iterations = 12;
    test_array result = test_array_new(&p.d.result);
    const uint64_t budget = bytes_of_whole(*state, &p) * 2 / 3;
    if (deconvolve(&p, budget, MST_PLACE_HOST, &result, &bricks, &seam, &e) == MST_ERROR_BUDGET)
        least = least_of(&e);
    OK(deconvolve(&p, least > 0 ? least : budget, MST_PLACE_HOST, &result, &bricks, &seam, &e));
    assert_true(bricks > 1 && seam > 0);
    p.d.seam = seam / 4;
    mst_status status = deconvolve(&p, least > 0 ? least : budget, MST_PLACE_HOST, &result, &bricks, &bounded, &e);
    if (status == MST_ERROR_BUDGET)
        status = deconvolve(&p, least_of(&e), MST_PLACE_HOST, &result, &bricks, &bounded, &e);
    OK(status);
    CHECK(bounded <= p.d.seam, "seams of %g, where %g is allowed, and %g were", bounded, p.d.seam, seam);
    p.d.seam = -1;
    REFUSED(MST_ERROR_ARGUMENT, "seam is -1", deconvolve(&p, 0, MST_PLACE_HOST, &result, &bricks, &seam, &e));
    release(&p);
    test_array_free(&result);
}

// A flat image with circular edges and one star at its corner: bricks agree about all that is flat, and differ where the last
// ones, which may be ragged, meet the first ones.
static void seams_of_a_circle(void **state) {
    mst_error e;
    for (int side = 0; side < 2; side++) {
        uint64_t bricks = 0, budget;
        double seam, rms, most;
        problem p = {.d = MST_DECONVOLUTION_DESC_INIT};
        const size_t shape[] = {side ? 13 : 1201, side ? 1201 : 13};
        p.d.image = p.d.result = mst_layout_dense(MST_FLOAT32, 2, shape);
        p.d.edges = MST_DECONVOLUTION_CIRCULAR;
        p.d.psf_shape[0] = p.d.psf_shape[1] = 5;
        for (size_t i = 0; i < 25; i++)
            p.psf[i] = 1;
        p.image = filled(&p.d.image, 50, 50);
        test_array_set(&p.image, 0, 5000);
        p.d.iterations = 3;
        test_array whole = test_array_new(&p.d.result), cut = test_array_new(&p.d.result);
        budget = bytes_of_whole(*state, &p) / 2;
        OK(deconvolve(&p, 0, MST_PLACE_HOST, &whole, &bricks, &seam, &e));
        if (deconvolve(&p, budget, MST_PLACE_HOST, &cut, &bricks, &seam, &e) == MST_ERROR_BUDGET)
            budget = least_of(&e);
        OK(deconvolve(&p, budget, MST_PLACE_HOST, &cut, &bricks, &seam, &e));
        compare(&p, &whole, &cut, &rms, &most);
        CHECK(bricks > 1 && seam > 1e-3 && seam < 10 * most, "%llu bricks with seams of %g, %g off, %g at most",
              (unsigned long long)bricks, seam, rms, most);
        test_array_free(&whole);
        test_array_free(&cut);
        release(&p);
    }
}

// What is read is what was predicted; exact, the object crosses the bus as often as the image, but for the look at that. With
// circular edges windows of both have as many points, here of one type.
static void what_is_read(void **state) {
    mst_error e;
    problem p = {.d = MST_DECONVOLUTION_DESC_INIT};
    const size_t shape[] = {120, 130};
    p.d.image = p.d.result = mst_layout_dense(MST_FLOAT32, 2, shape);
    p.d.edges = MST_DECONVOLUTION_CIRCULAR;
    p.d.psf_shape[0] = p.d.psf_shape[1] = 3;
    p.psf[4] = 1;
    p.image = filled(&p.d.image, 0, 200);
    p.d.iterations = 3;
    test_array result = test_array_new(&p.d.result);
    uint64_t bricks, budget = bytes_of_whole(*state, &p) / 2;
    double seam;
    if (deconvolve(&p, budget, MST_PLACE_HOST, &result, &bricks, &seam, &e) == MST_ERROR_BUDGET)
        budget = least_of(&e);
    for (int kind = 0; kind < 4; kind++) {
        mst_deconvolution *plan;
        mst_deconvolution_arrays arrays = MST_DECONVOLUTION_ARRAYS_INIT;
        mst_deconvolution_forecast f = MST_DECONVOLUTION_FORECAST_INIT;
        mst_report report = MST_REPORT_INIT;
        mst_execution how = MST_EXECUTION_INIT;
        how.report = &report;
        p.d.exact = kind > 0;
        p.d.accelerate = kind == 2;
        p.d.tolerance = kind == 3 ? 1e-12 : 0; // that is never reached
        p.d.psf = p.psf;
        p.psf[3] = 0.5;
        mst_context *context = test_context_with_budget(budget, 0);
        OK(mst_deconvolution_create(context, &p.d, &plan, &e));
        arrays.image = mst_at_host(test_array_at(&p.image, 0));
        arrays.result = mst_at_host(test_array_at(&result, 0));
        OK(mst_deconvolution_execute(plan, &arrays, &how, &e));
        OK(mst_deconvolution_predict(plan, &f, &e));
        const uint64_t passes = kind == 0 ? 1 : (uint64_t)p.d.iterations + 1, moved = 1 + (kind == 0 ? 1 : 2) * passes;
        CHECK(f.bricks > 1 && report.upload_bytes * (1 + passes) == f.read_bytes * moved,
              "kind %d, %llu bricks: %llu bytes are uploaded, objects and all; %llu of inputs were predicted", kind,
              (unsigned long long)f.bricks, (unsigned long long)report.upload_bytes, (unsigned long long)f.read_bytes);
        mst_deconvolution_destroy(plan);
        mst_context_destroy(context);
    }
    release(&p);
    test_array_free(&result);
}

// What is wrong is said with its place in the whole, before anything is written; what bricks cannot do, too.
static void refusals(void **state) {
    mst_error e;
    uint64_t bricks = 0;
    double seam;
    problem p = {.d = MST_DECONVOLUTION_DESC_INIT};
    const size_t shape[] = {2, 100, 90};
    p.d.image = p.d.result = mst_layout_dense(MST_FLOAT32, 3, shape);
    p.d.psf_shape[0] = p.d.psf_shape[1] = 3;
    p.psf[4] = 1;
    p.image = filled(&p.d.image, 0, 200);
    p.d.weights = p.d.image;
    p.weights = filled(&p.d.image, 0, 1);
    test_array result = test_array_new(&p.d.result);
    uint64_t budget = bytes_of_whole(*state, &p) / 2;
    if (deconvolve(&p, budget, MST_PLACE_HOST, &result, &bricks, &seam, &e) == MST_ERROR_BUDGET)
        budget = least_of(&e);
    test_array_set(&p.weights, 100 * 90 + 7, 1.5);
    REFUSED(MST_ERROR_ARGUMENT, "weights is above 1 at [0, 7] of item 1",
            deconvolve(&p, budget, MST_PLACE_HOST, &result, &bricks, &seam, &e));
    test_array_set(&p.weights, 100 * 90 + 7, 0.5);
    test_array_set(&p.image, 70 * 90 + 83, -2);
    REFUSED(MST_ERROR_ARGUMENT, "the image is below 0 at [70, 83] of item 0",
            deconvolve(&p, budget, MST_PLACE_HOST, &result, &bricks, &seam, &e));
    test_array_set(&p.image, 70 * 90 + 83, 2);
    REFUSED(MST_ERROR_BUDGET, "too small for one block", deconvolve(&p, budget, MST_PLACE_DEVICE, &result, &bricks, &seam, &e));
    p.d.exact = 1;
    p.d.start = p.d.image;
    p.start = filled(&p.d.image, 0, 200);
    test_array_set(&p.start, 100 * 90 + 3 * 90 + 5, -1);
    REFUSED(MST_ERROR_ARGUMENT, "start is below 0 at [3, 5] of item 1",
            deconvolve(&p, budget, MST_PLACE_HOST, &result, &bricks, &seam, &e));
    test_array_set(&p.start, 100 * 90 + 3 * 90 + 5, NAN);
    REFUSED(MST_ERROR_ARGUMENT, "start has a value that is not finite: at [3, 5] of item 1",
            deconvolve(&p, budget, MST_PLACE_HOST, &result, &bricks, &seam, &e));
    p.d.start.rank = 0;
    p.d.method = MST_DECONVOLUTION_WIENER;
    p.d.balance = 0.1;
    p.d.weights.rank = 0;
    for (int fits = 0; fits < 2; fits++)
        REFUSED(MST_ERROR_ARGUMENT, "exact is for Richardson-Lucy only",
                deconvolve(&p, fits ? 0 : budget, MST_PLACE_HOST, &result, &bricks, &seam, &e));
    p.d.exact = 0;
    p.d.method = MST_DECONVOLUTION_RICHARDSON_LUCY;
    p.d.weights = p.d.image;
    release(&p);
    test_array_free(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems), cmocka_unit_test(exact_at_the_rim),  cmocka_unit_test(exact_where_light_fades),
        cmocka_unit_test(seams),           cmocka_unit_test(seams_of_a_circle), cmocka_unit_test(what_is_read),
        cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
