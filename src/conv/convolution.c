// The description, the choice of lengths and algorithm, and the plan's life.
#include "panels.h"
#include "spectra.h"

#include "runtime/description.h"
#include "runtime/numbers.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LOG_N 24

// Integers count as float64, as numpy.fft has it.
static bool is_single(mst_type type) { return type == MST_FLOAT32 || type == MST_COMPLEX64; }

static mst_type result_type(mst_type x, mst_type y) {
    bool single = is_single(x) && is_single(y);
    if (mst_type_is_complex(x) || mst_type_is_complex(y))
        return single ? MST_COMPLEX64 : MST_COMPLEX128;
    return single ? MST_FLOAT32 : MST_FLOAT64;
}

static size_t result_length(mst_convolution_mode mode, size_t n, size_t m) {
    if (n == 0 || m == 0)
        return 0;
    switch (mode) {
    case MST_CONVOLUTION_FULL:
        return n + m - 1;
    case MST_CONVOLUTION_VALID:
        return (n > m ? n - m : m - n) + 1;
    case MST_CONVOLUTION_SAME:
    case MST_CONVOLUTION_CIRCULAR:
        break;
    }
    return n;
}

// Vectors, or images: `d` with 0-based axes.
static size_t count_lines(const mst_convolution_desc *d, const mst_layout *layout) {
    size_t count = 1;
    for (int k = 0; k < layout->rank; k++)
        if (!mst_convolution_axis_is_along(d, k))
            count *= layout->shape[k];
    return count;
}

// Off the axes: the same shape, or all ones in one of the two.
static mst_status check_batch(const mst_convolution_desc *d, mst_error *error) {
    bool same = true;
    char shapes[2][120];
    for (int k = 0; k < d->x.rank; k++)
        same = same && (mst_convolution_axis_is_along(d, k) || d->x.shape[k] == d->y.shape[k]);
    if (same || count_lines(d, &d->x) == 1 || count_lines(d, &d->y) == 1)
        return MST_OK;
    mst_layout_print_shape(&d->x, shapes[0], sizeof shapes[0]);
    mst_layout_print_shape(&d->y, shapes[1], sizeof shapes[1]);
    return mst_fail(error, MST_ERROR_ARGUMENT,
                    "shapes (%s) and (%s) do not match: off the axes they must be equal, or all ones in one of them", shapes[0],
                    shapes[1]);
}

// 0-based, in ascending order.
static mst_status read_axes(mst_convolution_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(d->n_axes >= 1 && d->n_axes <= MST_CONVOLUTION_MAX_AXES, MST_ERROR_ARGUMENT,
                "n_axes is %d; 1 to %d are supported", d->n_axes, MST_CONVOLUTION_MAX_AXES);
    for (int a = 0; a < d->n_axes; a++) {
        int axis = mst_layout_axis(&d->x, d->axes[a]);
        MST_REQUIRE(axis >= 0, MST_ERROR_ARGUMENT, "there is no axis %d in arrays of rank %d", d->axes[a], d->x.rank);
        d->axes[a] = axis;
    }
    for (int a = 1; a < d->n_axes; a++)
        for (int b = a; b > 0 && d->axes[b] <= d->axes[b - 1]; b--) {
            int axis = d->axes[b];
            MST_REQUIRE(axis != d->axes[b - 1], MST_ERROR_ARGUMENT, "axis %d is given twice", axis);
            d->axes[b] = d->axes[b - 1];
            d->axes[b - 1] = axis;
        }
fail:
    return status;
}

static mst_status read_lengths(const mst_convolution_desc *d, size_t *shape, mst_error *error) {
    mst_status status = MST_OK;
    bool longer[2] = {false, false}; // x, y along some axis
    for (int a = 0; a < d->n_axes; a++) {
        int axis = d->axes[a];
        size_t n = d->x.shape[axis], m = d->y.shape[axis];
        MST_REQUIRE(d->mode != MST_CONVOLUTION_CIRCULAR || n == m, MST_ERROR_ARGUMENT,
                    "circular convolution needs equal lengths; x has %zu and y %zu along axis %d", n, m, axis);
        MST_REQUIRE(n <= SIZE_MAX - m, MST_ERROR_ARGUMENT, "lengths %zu and %zu are too large", n, m);
        longer[X] = longer[X] || n > m;
        longer[Y] = longer[Y] || m > n;
        shape[axis] = result_length(d->mode, n, m);
    }
    MST_REQUIRE(d->mode != MST_CONVOLUTION_VALID || !longer[X] || !longer[Y], MST_ERROR_ARGUMENT,
                "valid needs one operand that is at least as long as the other along %s axes", d->n_axes > 2 ? "all" : "both");
fail:
    return status;
}

// Checks a description, brings its axes into order, and gives the dense layout of the result.
static mst_status read_desc(const mst_convolution_desc *desc, mst_convolution_desc *out, mst_layout *z, mst_error *error) {
    mst_status status = MST_OK;
    mst_convolution_desc d;
    size_t shape[MST_MAX_RANK];
    MST_TRY(mst_description_read(MST_DESCRIPTION(mst_convolution_desc, MST_CONVOLUTION_DESC_INIT, z), desc, &d, error));
    MST_TRY(mst_layout_check(&d.x, "x", false, error));
    MST_TRY(mst_layout_check(&d.y, "y", false, error));
    MST_REQUIRE(d.x.type != MST_FLOAT16 && d.y.type != MST_FLOAT16, MST_ERROR_ARGUMENT,
                "%s is float16; float32, float64, complex64, complex128, integers and bool are supported",
                d.x.type == MST_FLOAT16 ? "x" : "y");
    MST_REQUIRE(d.x.rank == d.y.rank, MST_ERROR_ARGUMENT, "x has rank %d but y has rank %d; add axes of length 1", d.x.rank,
                d.y.rank);
    MST_TRY(read_axes(&d, error));
    MST_REQUIRE(d.mode >= MST_CONVOLUTION_FULL && d.mode <= MST_CONVOLUTION_CIRCULAR, MST_ERROR_ARGUMENT,
                "mode is %d; it is full, same, valid or circular", (int)d.mode);
    MST_REQUIRE(d.algorithm >= MST_CONVOLUTION_AUTO && d.algorithm <= MST_CONVOLUTION_OVERLAP_SAVE, MST_ERROR_ARGUMENT,
                "there is no algorithm %d", (int)d.algorithm);
    MST_REQUIRE(d.shape >= MST_FFT_SHAPE_AUTO && d.shape <= MST_FFT_SHAPE_CPU, MST_ERROR_ARGUMENT, "there is no shape %d",
                (int)d.shape);
    MST_REQUIRE(d.n_axes == 1 || d.algorithm == MST_CONVOLUTION_AUTO || d.algorithm >= MST_CONVOLUTION_FUSED, MST_ERROR_ARGUMENT,
                "%s works along one axis; along two there are fused, direct and overlap-save, along three fused",
                mst_convolution_algorithm_name(d.algorithm));
    MST_REQUIRE(d.n_axes == 2 || d.algorithm != MST_CONVOLUTION_OVERLAP_SAVE, MST_ERROR_ARGUMENT,
                "overlap-save works along two axes; along %s, fused does the same where it is quick",
                d.n_axes == 1 ? "one" : "three");
    MST_REQUIRE(d.n_axes < 3 || d.algorithm != MST_CONVOLUTION_DIRECT, MST_ERROR_ARGUMENT,
                "direct works along one axis or two; along three there is fused");
    MST_TRY(check_batch(&d, error));
    memcpy(shape, count_lines(&d, &d.x) == 1 ? d.y.shape : d.x.shape, sizeof shape);
    MST_TRY(read_lengths(&d, shape, error));
    *z = mst_layout_dense(result_type(d.x.type, d.y.type), d.x.rank, shape);
    MST_TRY(mst_layout_check(z, "the result", true, error));
    *out = d;
fail:
    return status;
}

mst_status mst_convolution_result(const mst_convolution_desc *desc, mst_layout *z, mst_error *error) {
    mst_convolution_desc d;
    if (!desc || !z)
        return mst_fail(error, MST_ERROR_ARGUMENT, "desc and z must not be NULL");
    return read_desc(desc, &d, z, error);
}

static mst_status take_desc(mst_convolution *plan, const mst_convolution_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    mst_layout z = {0};
    char given[120], result[120];
    mst_convolution_desc *d = &plan->desc;
    MST_TRY(read_desc(desc, d, &z, error));
    if (d->z.rank == 0)
        d->z = z;
    MST_TRY(mst_layout_check(&d->z, "z", true, error));
    MST_REQUIRE(d->z.type == z.type, MST_ERROR_ARGUMENT, "z is %s; the result is %s", mst_type_name(d->z.type),
                mst_type_name(z.type));
    mst_layout_print_shape(&d->z, given, sizeof given);
    mst_layout_print_shape(&z, result, sizeof result);
    MST_REQUIRE(mst_layout_same_shape(&d->z, &z), MST_ERROR_ARGUMENT, "z has shape (%s); the result's is (%s)", given, result);
    plan->work_type = is_single(z.type) ? MST_COMPLEX64 : MST_COMPLEX128;
    const mst_layout *layouts[N_ARRAYS] = {&d->x, &d->y, &d->z};
    for (int a = 0; a < N_ARRAYS; a++) {
        plan->lengths[a] = layouts[a]->shape[d->axes[0]];
        plan->n_lines[a] = count_lines(d, layouts[a]);
    }
fail:
    return status;
}

// Wrap-around spoils the first full - N values of the padded result, so N has to cover what is kept and no more.
static mst_status choose_length(mst_convolution *plan, mst_error *error) {
    size_t n = plan->lengths[X], m = plan->lengths[Y], longest = mst_larger(n, m), shortest = mst_smaller(n, m);
    size_t full = n + m - 1, needed = full;
    bool power = (n & (n - 1)) == 0;
    plan->reversal = plan->desc.correlate ? 1 : 0;
    switch (plan->desc.mode) {
    case MST_CONVOLUTION_FULL:
        break;
    case MST_CONVOLUTION_SAME:
        plan->start = (m - 1) / 2;
        needed = mst_larger(mst_larger(full - plan->start, longest), plan->start + n);
        break;
    case MST_CONVOLUTION_VALID:
        plan->start = shortest - 1;
        needed = longest;
        break;
    case MST_CONVOLUTION_CIRCULAR:
        needed = power ? n : full;
        plan->period = power ? 0 : n;
        plan->last = full - 1;
        plan->reversal = plan->desc.correlate ? 2 : 0;
        break;
    }
    while (plan->log_n < MAX_LOG_N && (size_t)1 << plan->log_n < needed)
        plan->log_n++;
    if ((size_t)1 << plan->log_n < needed)
        return mst_fail(error, MST_ERROR_ARGUMENT, "lengths %zu and %zu need transforms of %zu points; 2^%d is the most", n, m,
                        needed, MAX_LOG_N);
    return MST_OK;
}

// Direct sums or fused wherever they can be (choice.c): the published variants are a baseline (docs/convolution.md has the
// figures). Of those, one work-item a pair (C) while vectors are short; longer ones keep a GPU busy only with one work-item a
// butterfly (E), and a CPU only when single vectors outgrow its caches.
static mst_status choose_algorithm(mst_convolution *plan, mst_error *error) {
    mst_convolution_algorithm *algorithm = &plan->desc.algorithm;
    bool automatic = *algorithm == MST_CONVOLUTION_AUTO;
    if (automatic)
        *algorithm = mst_convolution_choose(plan);
    if (*algorithm >= MST_CONVOLUTION_FUSED)
        return MST_OK;
    automatic = *algorithm == MST_CONVOLUTION_AUTO;
    mst_status status = choose_length(plan, error);
    unsigned longest = plan->context->device.type & CL_DEVICE_TYPE_GPU ? 7 : 17;
    if (automatic)
        *algorithm = plan->log_n <= longest ? MST_CONVOLUTION_PAPER_C : MST_CONVOLUTION_PAPER_E;
    return status;
}

static const mst_convolution_method *method_of(mst_convolution_algorithm algorithm) {
    switch (algorithm) {
    case MST_CONVOLUTION_REFERENCE:
        return &mst_reference_method;
    case MST_CONVOLUTION_FUSED:
        return &mst_fused_method;
    case MST_CONVOLUTION_DIRECT:
        return &mst_direct_method;
    case MST_CONVOLUTION_OVERLAP_SAVE:
        return &mst_overlap_save_method;
    default:
        return &mst_paper_method;
    }
}

static mst_status make_method(mst_convolution *plan, mst_convolution_chooser *choose, void *user, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(choose_algorithm(plan, error));
    plan->method = method_of(plan->desc.algorithm);
    MST_REQUIRE(plan->method == &mst_reference_method || plan->work_type == MST_COMPLEX64 || plan->context->device.fp64,
                MST_ERROR_UNSUPPORTED, "%s has no float64; use float32 or complex64 operands, or the reference algorithm",
                plan->context->device.name);
    if (plan->method == &mst_fused_method && mst_geometry_exists(plan))
        MST_TRY(choose(plan, user, error));
    MST_TRY(mst_ways_make(plan, error));
fail:
    return status;
}

static mst_status make(mst_context *context, const mst_convolution_desc *desc, const mst_convolution_panel *panel,
                       mst_convolution_chooser *choose, void *user, mst_convolution **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_convolution *plan = NULL;
    if (out)
        *out = NULL;
    MST_REQUIRE(context && desc && out, MST_ERROR_ARGUMENT, "context, desc and out must not be NULL");
    MST_REQUIRE(plan = calloc(1, sizeof *plan), MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    plan->context = context;
    plan->panel = panel;
    MST_TRY(mst_turn_create(&plan->turn, error));
    MST_TRY(take_desc(plan, desc, error));
    if (mst_layout_count(&plan->desc.z) > 0)
        MST_TRY(make_method(plan, choose, user, error));
    else if (plan->desc.algorithm == MST_CONVOLUTION_AUTO)
        plan->desc.algorithm = MST_CONVOLUTION_FUSED;
    *out = plan;
    return MST_OK;
fail:
    mst_convolution_destroy(plan);
    return status;
}

mst_status mst_convolution_make(mst_context *context, const mst_convolution_desc *desc, mst_convolution_chooser *choose,
                                void *user, mst_convolution **out, mst_error *error) {
    return make(context, desc, NULL, choose, user, out, error);
}

static mst_status take_choice(mst_convolution *plan, void *choice, mst_error *error) {
    (void)error;
    plan->choice = *(const mst_convolution_choice *)choice;
    return MST_OK;
}

mst_status mst_convolution_create_as(mst_context *context, const mst_convolution_desc *desc, const mst_convolution_choice *choice,
                                     mst_convolution **out, mst_error *error) {
    mst_convolution_choice copy = *choice;
    return mst_convolution_make(context, desc, take_choice, &copy, out, error);
}

mst_status mst_convolution_create_panel(mst_context *context, const mst_convolution_desc *desc,
                                        const mst_convolution_choice *choice, const mst_convolution_panel *panel,
                                        mst_convolution **out, mst_error *error) {
    mst_convolution_choice copy = *choice;
    return make(context, desc, panel, take_choice, &copy, out, error);
}

void mst_convolution_destroy(mst_convolution *plan) {
    if (!plan)
        return;
    mst_turn_destroy(plan->turn);
    if (plan->method)
        plan->method->destroy(plan->work);
    mst_panels_destroy(plan->panels);
    mst_spectra_destroy(plan->spectra);
    free(plan);
}

mst_convolution_algorithm mst_convolution_algorithm_used(const mst_convolution *plan) { return plan->desc.algorithm; }

const char *mst_convolution_explain(const mst_convolution *plan) { return plan->why; }

const char *mst_convolution_algorithm_name(mst_convolution_algorithm algorithm) {
    static const char *const names[] = {"auto",    "reference", "paper-a", "paper-b", "paper-c",
                                        "paper-d", "paper-e",   "fused",   "direct",  "overlap-save"};
    return (size_t)algorithm < MST_COUNT(names) ? names[algorithm] : "unknown algorithm";
}

static size_t padded_length(const mst_convolution *plan) {
    if (plan->spectra)
        return plan->spectra->numbers;
    if (plan->panels && !plan->work)
        return plan->panels->inner ? mst_convolution_padded_length(plan->panels->inner) : 0;
    if (!plan->method)
        return 0;
    return plan->method->padded_length ? plan->method->padded_length(plan) : (size_t)1 << plan->log_n;
}

// An execution may make other panels. From its own progress function, where it makes none, there is no turn to take.
size_t mst_convolution_padded_length(const mst_convolution *plan) {
    mst_error ignored;
    bool taken = mst_turn_take(plan->turn, &ignored) == MST_OK;
    size_t length = padded_length(plan);
    if (taken)
        mst_turn_give(plan->turn, MST_OK);
    return length;
}

mst_status mst_convolution_execute(mst_convolution *plan, mst_location x, mst_location y, mst_location z,
                                   const mst_execution *how, mst_error *error) {
    const mst_location where[N_ARRAYS] = {x, y, z};
    if (!plan)
        return mst_fail(error, MST_ERROR_ARGUMENT, "plan must not be NULL");
    mst_status status = mst_turn_take(plan->turn, error);
    if (status != MST_OK)
        return status;
    if (!plan->method)
        status = mst_stream_run(plan->context, NULL, where, how, error);
    else
        status = mst_ways_execute(plan, where, how, error);
    return mst_turn_give(plan->turn, status);
}
