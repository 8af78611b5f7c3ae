// Between two convolutions of an iteration, GPU-shaped: rows of the half spectra go back to real numbers, are changed point by
// point, and become half spectra again, in one pass over memory in place of three or four. So only the first iteration transforms
// all axes of an estimate, and only the last one transforms them back.
#include "passes.h"

#include "fft/write.h"
#include "runtime/numbers.h"

#include <stdio.h>

// Measured on an H100: small work-groups are faster throughout (512 pairs a row: 4.45 ms an iteration by 32 work-items, 4.60 by
// 64, 4.89 by 256). Pairs that are no multiple of 8 (MST_DECONVOLUTION_ROW), as 250 and 300, leave so many work-items idle that
// deconv.cl's kernels win.
#define GROUP 32

// What is done to real numbers: Richardson and Lucy's ratio and update, as take_ratio and scale_x in richardson_lucy.cl do it.
static const struct row_kind {
    const char *name, *title, *functions, *locate, *change;
} kinds[N_ROWS] = {
    [ROWS_RATIO] = {"ratio", "the ratio of what was seen to the model",
                    "real ratio(real model, real seen, real weight, real least) {\n"
                    "return seen > 0 && model > least ? weight * seen / model : 0;\n"
                    "}\n\n",
                    "const real least = scalars[own_line / ROWS * N_SCALARS + S_LEAST];\n",
                    "const real2 v = value * scale + background, y = seen[at + e];\n"
                    "const real2 w = weighted ? weights[at + e] : (real2)(1, 1);\n"
                    "value = (real2)(ratio(v.x, y.x, w.x, least), ratio(v.y, y.y, w.y, least))"},
    [ROWS_SCALE] =
        {"scale", "the next estimate", "",
         "__global const real2 *gains = gain + own_line / ROWS * gain_pitch + own_line % ROWS * N_PAIRS; // of pairs, too\n",
         "value = fmax(x[at + e] * (value * scale) * gains[e], (real2)(0, 0));\n"
         "x[at + e] = value"},
};

static void describe(const mst_device_pass *d, int which, mst_signature *signature) {
    mst_signature_begin(signature, d->name);
    mst_signature_add(signature, "__global real2 *", "spectra");
    mst_signature_add(signature, "real", "scale");
    if (which == ROWS_RATIO) {
        mst_signature_add(signature, "__global const real2 *", "seen");
        mst_signature_add(signature, "int", "weighted");
        mst_signature_add(signature, "__global const real2 *", "weights");
        mst_signature_add(signature, "real", "background");
        mst_signature_add(signature, "__global const real *", "scalars");
    } else {
        mst_signature_add(signature, "__global real2 *", "x");
        mst_signature_add(signature, "__global const real2 *", "gain");
        mst_signature_add(signature, "ulong", "gain_pitch");
    }
    mst_device_pass_add_parameters(d, signature);
}

static mst_status write_rows(const mst_deconvolution *plan, int which, const mst_pass *pass, mst_text *out, mst_error *error) {
    mst_status status = MST_OK;
    const struct row_kind *kind = &kinds[which];
    mst_signature signature;
    char radices[100], locate[600];
    snprintf(locate, sizeof locate,
             "const ulong own_line = active ? line : 0, at = own_line * N_PAIRS;\n"
             "__global real2 *elements = spectra + own_line * (N_PAIRS + 1);\n%s",
             kind->locate);
    const mst_fusion fusion = {.signature = &signature,
                               .locate = locate,
                               .loads = {"elements[e]"},
                               .forward = {true},
                               .change = kind->change,
                               .backward = true,
                               .store = "elements[e] = value"};
    describe(&plan->rows[which], which, &signature);
    mst_pass_radices_text(pass, radices, sizeof radices);
    mst_text_put(out, "// Radix $radices.\n\n", MST_SET(radices, (const char *)radices));
    MST_TRY(mst_butterflies_write(plan->context, pass, out, error));
    mst_text_put(out,
                 "#define N_PAIRS ${pairs}ul // pairs of real numbers of a row\n"
                 "#define ROWS ${rows}ul // of an item\n"
                 "enum { S_LEAST = $least, N_SCALARS = $numbers };\n\n",
                 MST_SET(pairs, pass->n), MST_SET(rows, plan->padded[Z] * plan->padded[Y]), MST_SET(least, S_LEAST),
                 MST_SET(numbers, MST_DECONVOLUTION_NUMBERS));
    mst_text_add(out, "%s", kind->functions);
    mst_pass_write_fusion(pass, &fusion, out);
    MST_REQUIRE(!out->failed, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
fail:
    mst_signature_release(&signature);
    return status;
}

// There are no ports, and the pass is as it is.
static mst_status write_ratio(void *owner, unsigned ports, mst_pass *pass, mst_text *out, mst_error *error) {
    (void)ports;
    return write_rows(owner, ROWS_RATIO, pass, out, error);
}

static mst_status write_scale(void *owner, unsigned ports, mst_pass *pass, mst_text *out, mst_error *error) {
    (void)ports;
    return write_rows(owner, ROWS_SCALE, pass, out, error);
}

// Columns are transformed in place, so by one pass.
static bool suit(const mst_deconvolution *plan) {
    const mst_device_info *device = &plan->context->device;
    const size_t n = plan->padded[X];
    return plan->product_side < N_SIDES && mst_deconvolution_may_join(plan) && n % MST_DECONVOLUTION_ROW == 0 &&
           n / 2 <= mst_pass_longest(device, false, plan->is_double) &&
           (!mst_deconvolution_has_columns(plan) || mst_pass_takes(device, false, plan->is_double, plan->padded[Y]));
}

void mst_deconvolution_plan_rows(mst_deconvolution *plan) {
    static mst_status (*const writers[N_ROWS])(void *, unsigned, mst_pass *, mst_text *, mst_error *) = {write_ratio,
                                                                                                         write_scale};
    const size_t pairs = plan->padded[X] / 2;
    mst_pass pass = {.n = pairs, .is_double = plan->is_double, .fused = true, .half = MST_HALF_SPLIT, .choice = {.group = GROUP}};
    pass.source = pass.target =
        (mst_view){.n_dims = 1, .counts = {1}, .outer = {(int64_t)pairs + 1}, .axis_stride = 1, .step = 1};
    plan->by_rows = suit(plan) && mst_pass_choose_radices(&pass) && mst_pass_shape(&pass, &plan->context->device, NULL) == MST_OK;
    for (int which = 0; which < N_ROWS && plan->by_rows; which++) {
        mst_device_pass *d = &plan->rows[which];
        d->context = plan->context;
        d->owner = plan;
        d->write = writers[which];
        d->pass = pass;
        mst_pass_tables_plan(&d->tables, &pass, true);
        if (which > 0)
            mst_device_pass_share(d, &plan->rows[0]);
        snprintf(d->name, sizeof d->name, "rows_%s_%zu", kinds[which].name, pairs);
        snprintf(d->title, sizeof d->title, "deconvolution: rows of %zu points back, %s, and there again", 2 * pairs,
                 kinds[which].title);
    }
}

uint64_t mst_deconvolution_row_table_bytes(const mst_deconvolution *plan) {
    return plan->by_rows ? mst_device_pass_table_bytes(&plan->rows[0]) : 0;
}

mst_status mst_deconvolution_make_rows(mst_deconvolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    for (int which = 0; which < N_ROWS && plan->by_rows; which++) {
        MST_TRY(mst_device_pass_make(&plan->rows[which], 0, error));
        MST_TRY(mst_device_pass_make_tables(&plan->rows[which], error));
    }
fail:
    return status;
}

void mst_deconvolution_unmake_rows(mst_deconvolution *plan) {
    for (int which = 0; which < N_ROWS; which++) {
        if (plan->rows[which].context)
            mst_device_pass_release(&plan->rows[which]);
        plan->rows[which] = (mst_device_pass){.context = NULL};
    }
}

static mst_status enqueue(mst_deconvolution *plan, int which, mst_queue *queue, const mst_argument *arguments, size_t n_arguments,
                          size_t n_items, mst_error *error) {
    const uint64_t lines = (uint64_t)n_items * plan->padded[Z] * plan->padded[Y];
    return mst_device_pass_enqueue(&plan->rows[which], 0, queue, arguments, n_arguments, lines, NULL, error);
}

mst_status mst_deconvolution_rows_ratio(mst_deconvolution *plan, mst_queue *queue, size_t n_items, mst_error *error) {
    const double scale = 1 / (double)plan->points;
    const cl_int weighted = plan->desc.weights.rank > 0;
    const mst_argument arguments[] = {
        MST_BIND_AS("spectra", plan->work[WORK_SPECTRA].buffer), MST_BIND(scale, scale),
        MST_BIND_AS("seen", plan->work[WORK_SEEN].buffer),       MST_BIND(weighted, weighted),
        MST_BIND_AS("weights", plan->work[WORK_WEIGHTS].buffer), MST_BIND_AS("background", plan->desc.background),
        MST_BIND_AS("scalars", plan->work[WORK_SCALARS].buffer)};
    return enqueue(plan, ROWS_RATIO, queue, arguments, MST_COUNT(arguments), n_items, error);
}

mst_status mst_deconvolution_rows_scale(mst_deconvolution *plan, mst_queue *queue, cl_mem x, cl_mem gain, cl_ulong gain_pitch,
                                        size_t n_items, mst_error *error) {
    const double scale = 1 / (double)plan->points;
    const cl_ulong pair_pitch = gain_pitch / 2;
    const mst_argument arguments[] = {MST_BIND_AS("spectra", plan->work[WORK_SPECTRA].buffer), MST_BIND(scale, scale),
                                      MST_BIND(x, x), MST_BIND(gain, gain), MST_BIND_AS("gain_pitch", pair_pitch)};
    return enqueue(plan, ROWS_SCALE, queue, arguments, MST_COUNT(arguments), n_items, error);
}
