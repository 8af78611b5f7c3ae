#include "families.h"

#include "core/count.h"

// What the plans of a family are made of: whatever goes by the same program is there once.
typedef struct transform {
    mst_type type;
    mst_fft_kind kind;
} transform;

typedef struct product {
    mst_type type;
    int n_axes;
    size_t taps; // of the kernel along each axis
    bool correlate;
} product;

typedef struct formula {
    mst_type type;
    const char *text;
} formula;

typedef struct rule {
    mst_integral_rule rule;
    mst_type precision;
    int n_variables;
} rule;

enum { LENGTH = 60, LONG_KERNEL = 1500, LONG = 3000 };

#define TRY(call)                                                                                                                \
    do {                                                                                                                         \
        mst_status tried = (call);                                                                                               \
        if (tried != MST_OK)                                                                                                     \
            return tried;                                                                                                        \
    } while (0)

static bool computes(const mst_context *context, mst_type type) {
    return mst_context_device(context)->fp64 || (type != MST_FLOAT64 && type != MST_COMPLEX128);
}

static mst_status make_transforms(mst_context *context, const transform *list, size_t n, mst_error *error) {
    for (size_t k = 0; k < n; k++) {
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        mst_fft *plan = NULL;
        if (!computes(context, list[k].type))
            continue;
        desc.input = desc.output = mst_layout_dense(list[k].type, 1, (const size_t[]){LENGTH});
        desc.kind = list[k].kind;
        TRY(mst_fft_create(context, &desc, &plan, error));
        mst_fft_destroy(plan);
    }
    return MST_OK;
}

static mst_status make_products(mst_context *context, const product *list, size_t n, mst_error *error) {
    for (size_t k = 0; k < n; k++) {
        const product *p = &list[k];
        const size_t signal = p->taps < LONG_KERNEL ? LENGTH : LONG;
        const size_t shape[2] = {signal, signal}, taps[2] = {p->taps, p->taps};
        mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
        mst_convolution *plan = NULL;
        if (!computes(context, p->type))
            continue;
        desc.x = mst_layout_dense(p->type, p->n_axes, shape);
        desc.y = mst_layout_dense(p->type, p->n_axes, taps);
        desc.n_axes = p->n_axes;
        for (int a = 0; a < p->n_axes; a++)
            desc.axes[a] = a - p->n_axes;
        desc.correlate = p->correlate;
        TRY(mst_convolution_create(context, &desc, &plan, error));
        mst_convolution_destroy(plan);
    }
    return MST_OK;
}

static mst_status make_stream(mst_context *context, mst_error *error) {
    static const float kernel[LENGTH] = {1};
    mst_convolver_desc desc = MST_CONVOLVER_DESC_INIT;
    mst_convolver *convolver = NULL;
    desc.taps = LENGTH;
    desc.kernel = kernel;
    TRY(mst_convolver_create(context, &desc, &convolver, error));
    mst_convolver_destroy(convolver);
    return MST_OK;
}

// Of a width whose prime factor is too large for the one program of filters, another multiplies by the mask.
static mst_status make_filters(mst_context *context, mst_error *error) {
    static const size_t widths[] = {LENGTH, 37};
    for (size_t k = 0; k < CLI_COUNT(widths); k++) {
        mst_filter_desc desc = MST_FILTER_DESC_INIT;
        mst_filter *plan = NULL;
        desc.input = mst_layout_dense(MST_UINT8, 3, (const size_t[]){LENGTH, widths[k], 1});
        desc.white = 255;
        desc.radius = 0.2;
        TRY(mst_filter_create(context, &desc, &plan, error));
        mst_filter_destroy(plan);
    }
    return MST_OK;
}

static mst_status make_deconvolution(mst_context *context, mst_error *error) {
    static const double psf[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
    mst_deconvolution_desc desc = MST_DECONVOLUTION_DESC_INIT;
    mst_deconvolution *plan = NULL;
    desc.image = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){LENGTH, LENGTH});
    desc.psf = &psf[0][0];
    desc.psf_shape[0] = desc.psf_shape[1] = 3;
    TRY(mst_deconvolution_create(context, &desc, &plan, error));
    mst_deconvolution_destroy(plan);
    return MST_OK;
}

// Those of reductions are made when the first elements come, so many that partial results are combined.
static mst_status make_maps(mst_context *context, const formula *list, size_t n, mst_error *error) {
    static double values[LONG], results[LONG];
    for (size_t k = 0; k < n; k++) {
        const mst_map_input input = {.name = "x", .layout = mst_layout_dense(list[k].type, 1, (const size_t[]){LONG})};
        const mst_location from = mst_at_host(values);
        mst_map_desc desc = MST_MAP_DESC_INIT;
        mst_map *plan = NULL;
        if (!computes(context, list[k].type))
            continue;
        desc.expression = list[k].text;
        desc.inputs = &input;
        desc.n_inputs = 1;
        TRY(mst_map_create(context, &desc, &plan, error));
        mst_status status = mst_map_execute(plan, &from, mst_at_host(results), NULL, error);
        mst_map_destroy(plan);
        TRY(status);
    }
    return MST_OK;
}

static mst_status make_integrals(mst_context *context, const rule *list, size_t n, mst_error *error) {
    static const mst_integral_range ranges[] = {{"x", "0", "1"}, {"y", "0", "1"}};
    // Comparisons have a program, which float32 has less often than it is worth a second for.
    static const char *const integrands[] = {"x < 0.5 ? x : 0.5", "x < y ? x : y"};
    for (size_t k = 0; k < n; k++) {
        const rule *r = &list[k];
        mst_integral_desc desc = MST_INTEGRAL_DESC_INIT;
        mst_integral *plan = NULL;
        if (!computes(context, r->precision))
            continue;
        desc.integrand = r->precision == MST_FLOAT32 ? "x" : integrands[r->n_variables - 1];
        desc.n_variables = r->n_variables;
        desc.ranges = ranges;
        desc.rule = r->rule;
        desc.type = r->precision;
        desc.compile_from = UINT64_MAX;
        TRY(mst_integral_create(context, &desc, &plan, error));
        mst_integral_destroy(plan);
    }
    return MST_OK;
}

// With what stands on them: streams, and images.
static mst_status transforms(mst_context *context, mst_error *error) {
    static const transform list[] = {{MST_COMPLEX64, MST_FFT_FOURIER}, {MST_FLOAT32, MST_FFT_DCT2}};
    TRY(make_transforms(context, list, CLI_COUNT(list), error));
    TRY(make_stream(context, error));
    TRY(make_filters(context, error));
    return make_deconvolution(context, error);
}

static mst_status transforms_double(mst_context *context, mst_error *error) {
    static const transform list[] = {{MST_COMPLEX128, MST_FFT_FOURIER}, {MST_FLOAT64, MST_FFT_DCT2}};
    return make_transforms(context, list, CLI_COUNT(list), error);
}

static mst_status convolutions(mst_context *context, mst_error *error) {
    static const product list[] = {{MST_FLOAT32, 1, LONG_KERNEL, false}, {MST_FLOAT64, 1, LONG_KERNEL, false}};
    return make_products(context, list, CLI_COUNT(list), error);
}

static mst_status sums(mst_context *context, mst_error *error) {
    static const product list[] = {
        {MST_FLOAT32, 1, 5, false}, {MST_FLOAT32, 1, 5, true}, {MST_FLOAT32, 2, 3, false}, {MST_FLOAT64, 1, 5, false}};
    return make_products(context, list, CLI_COUNT(list), error);
}

#define MAPS(type)                                                                                                               \
    {type, "x + 0.5"}, {type, "sin(x)"}, {type, "gamma(x + 1)"}, {type, "sum(x + 0.5)"}, {type, "mean(x + 0.5)"},                \
        {type, "std(x + 0.5)"}, {type, "min(x + 0.5)"}, {                                                                        \
        type, "max(x + 0.5)"                                                                                                     \
    }

static mst_status maps_single(mst_context *context, mst_error *error) {
    static const formula list[] = {MAPS(MST_FLOAT32)};
    return make_maps(context, list, CLI_COUNT(list), error);
}

static mst_status maps_double(mst_context *context, mst_error *error) {
    static const formula list[] = {MAPS(MST_FLOAT64)};
    return make_maps(context, list, CLI_COUNT(list), error);
}

static mst_status maps_whole(mst_context *context, mst_error *error) {
    static const formula list[] = {{MST_INT32, "x + 1"}, {MST_INT64, "x + 1"}, {MST_UINT8, "x + 1"}};
    return make_maps(context, list, CLI_COUNT(list), error);
}

static mst_status integrals(mst_context *context, mst_error *error) {
    static const rule list[] = {{MST_INTEGRAL_ADAPTIVE, MST_FLOAT64, 1},
                                {MST_INTEGRAL_ADAPTIVE, MST_FLOAT64, 2},
                                {MST_INTEGRAL_TANH_SINH, MST_FLOAT64, 1},
                                {MST_INTEGRAL_ADAPTIVE, MST_FLOAT32, 1}};
    return make_integrals(context, list, CLI_COUNT(list), error);
}

static mst_status fixed_rules(mst_context *context, mst_error *error) {
    static const rule list[] = {{MST_INTEGRAL_MIDPOINT, MST_FLOAT64, 1}, {MST_INTEGRAL_SIMPSON, MST_FLOAT64, 1}};
    return make_integrals(context, list, CLI_COUNT(list), error);
}

static mst_status gauss_rules(mst_context *context, mst_error *error) {
    static const rule list[] = {{MST_INTEGRAL_GAUSS, MST_FLOAT64, 1}};
    return make_integrals(context, list, CLI_COUNT(list), error);
}

// What takes longest comes first, so that children end at about the same time.
static const family families[] = {
    {"transforms", transforms, false},
    {"integrals", integrals, true},
    {"maps-single", maps_single, false},
    {"maps-double", maps_double, false},
    {"sums", sums, false},
    {"transforms-double", transforms_double, false},
    {"convolutions", convolutions, false},
    {"maps-whole", maps_whole, false},
    {"fixed-rules", fixed_rules, true},
    {"gauss-rules", gauss_rules, true},
};

const family *family_at(size_t number) { return number < CLI_COUNT(families) ? &families[number] : NULL; }
