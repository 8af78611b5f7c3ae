// The fixed list of problems: every capability, in sizes between which the nearest one serves.
#include "tune.h"

// The expression of the paper on vector widths.
static mst_status make_map(const tune_case *c, mst_context *context, mst_error *error) {
    const mst_layout layout = mst_layout_dense(c->type, 1, &c->size);
    const mst_map_input inputs[] = {{"b", layout}, {"c", layout}, {"d", layout}};
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_map *plan = NULL;
    desc.expression = "(b - c) * d";
    desc.n_inputs = 3;
    desc.inputs = inputs;
    mst_status status = mst_map_create(context, &desc, &plan, error);
    mst_map_destroy(plan);
    return status;
}

// A batch has about a million points, as vectors along one axis or as square images.
#define POINTS ((size_t)1 << 20)

static size_t batch_of(size_t points) { return points < POINTS ? POINTS / points : 1; }

static mst_status make_fft(const tune_case *c, mst_context *context, mst_error *error) {
    const size_t n = c->size;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    mst_fft *plan = NULL;
    switch (c->form) {
    case TUNE_ROWS:
        desc.input = mst_layout_dense(c->type, 2, (const size_t[]){batch_of(n), n});
        break;
    case TUNE_COLUMNS:
        desc.input = mst_layout_dense(c->type, 2, (const size_t[]){n, batch_of(n)});
        desc.axes[0] = 0;
        break;
    default:
        desc.input = mst_layout_dense(c->type, 2, (const size_t[]){n, n});
        desc.n_axes = 2;
        desc.axes[0] = 0;
        desc.axes[1] = 1;
    }
    mst_status status = mst_fft_create(context, &desc, &plan, error);
    mst_fft_destroy(plan);
    return status;
}

// Vectors with vectors of the same length, or images with a kernel of a sixteenth of their side.
static mst_status make_convolution(const tune_case *c, mst_context *context, mst_error *error) {
    const size_t n = c->size, short_side = n / 16 > 0 ? n / 16 : 1;
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    mst_convolution *plan = NULL;
    if (c->form == TUNE_ROWS) {
        desc.x = desc.y = mst_layout_dense(c->type, 2, (const size_t[]){batch_of(n), n});
        desc.mode = MST_CONVOLUTION_CIRCULAR;
    } else {
        desc.x = mst_layout_dense(c->type, 2, (const size_t[]){n, n});
        desc.y = mst_layout_dense(c->type, 2, (const size_t[]){short_side, short_side});
        desc.mode = MST_CONVOLUTION_SAME;
        desc.n_axes = 2;
        desc.axes[1] = -2;
    }
    mst_status status = mst_convolution_create(context, &desc, &plan, error);
    mst_convolution_destroy(plan);
    return status;
}

// Diffusion on a grid with that many nodes along each axis.
static mst_status make_stencil(const tune_case *c, mst_context *context, mst_error *error) {
    static const char *const sums[] = {"u[-1] + u[1]", "u[-1,0] + u[1,0] + u[0,-1] + u[0,1]",
                                       "u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1]"};
    char expression[160];
    const mst_stencil_field field = {.name = "u", .initial = {.expression = "sin(x)"}};
    const mst_stencil_update update = {.field = "u", .expression = expression};
    mst_stencil_desc desc = MST_STENCIL_DESC_INIT;
    mst_stencil *solver = NULL;
    desc.rank = c->form == TUNE_ROWS ? 1 : c->form == TUNE_SQUARE ? 2 : 3;
    snprintf(expression, sizeof expression, "u + 0.1 * (%s - %d * u)", sums[desc.rank - 1], 2 * desc.rank);
    for (int k = 0; k < desc.rank; k++)
        desc.grid[k] = c->size;
    desc.precision = c->type;
    desc.n_fields = desc.n_updates = 1;
    desc.fields = &field;
    desc.updates = &update;
    mst_status status = mst_stencil_create(context, &desc, &solver, error);
    mst_stencil_destroy(solver);
    return status;
}

// A fixed rule with that many points in one sum, or adaptive integrals of many parameter sets.
static mst_status make_integral(const tune_case *c, mst_context *context, mst_error *error) {
    static const char *const names[] = {"p"};
    const mst_integral_range range = {"x", "0", "1"};
    mst_integral_desc desc = MST_INTEGRAL_DESC_INIT;
    mst_integral *plan = NULL;
    desc.ranges = &range;
    desc.type = c->type;
    desc.integrand = "exp(-x * x) * sqrt(1 + x)";
    if (c->form == TUNE_ROWS) {
        desc.rule = MST_INTEGRAL_MIDPOINT;
        desc.points = c->size;
    } else {
        desc.integrand = "exp(-p * x) * cos(20 * p * x)";
        desc.n_parameters = 1;
        desc.parameters = names;
    }
    mst_status status = mst_integral_create(context, &desc, &plan, error);
    mst_integral_destroy(plan);
    return status;
}

// A blurred image with that many points on each side, in grey or in three colours.
static mst_status make_filter(const tune_case *c, mst_context *context, mst_error *error) {
    const size_t shape[] = {1, c->size, c->size, c->form == TUNE_SQUARE ? 1 : 3};
    mst_filter_desc desc = MST_FILTER_DESC_INIT;
    mst_filter *plan = NULL;
    desc.input = mst_layout_dense(c->type, 4, shape);
    desc.radius = 0.1;
    mst_status status = mst_filter_create(context, &desc, &plan, error);
    mst_filter_destroy(plan);
    return status;
}

#define MAP_SIZE ((size_t)1 << 23)

const tune_case tune_cases[] = {
    {"map", MAP_SIZE, make_map, MST_INT8, TUNE_ROWS},
    {"map", MAP_SIZE, make_map, MST_INT16, TUNE_ROWS},
    {"map", MAP_SIZE, make_map, MST_INT32, TUNE_ROWS},
    {"map", MAP_SIZE, make_map, MST_INT64, TUNE_ROWS},
    {"map", MAP_SIZE, make_map, MST_FLOAT32, TUNE_ROWS},
    {"map", MAP_SIZE, make_map, MST_FLOAT64, TUNE_ROWS},
    {"fft", 64, make_fft, MST_COMPLEX64, TUNE_ROWS},
    {"fft", 1000, make_fft, MST_COMPLEX64, TUNE_ROWS},
    {"fft", 1024, make_fft, MST_COMPLEX64, TUNE_ROWS},
    {"fft", 65536, make_fft, MST_COMPLEX64, TUNE_ROWS},
    {"fft", 1048576, make_fft, MST_COMPLEX64, TUNE_ROWS},
    {"fft", 1024, make_fft, MST_COMPLEX64, TUNE_COLUMNS},
    {"fft", 1024, make_fft, MST_COMPLEX64, TUNE_SQUARE},
    {"fft", 1024, make_fft, MST_FLOAT32, TUNE_ROWS},
    {"fft", 1024, make_fft, MST_COMPLEX128, TUNE_ROWS},
    {"convolution", 1024, make_convolution, MST_COMPLEX64, TUNE_ROWS},
    {"convolution", 8192, make_convolution, MST_COMPLEX64, TUNE_ROWS},
    {"convolution", 1024, make_convolution, MST_FLOAT32, TUNE_ROWS},
    {"convolution", 1024, make_convolution, MST_COMPLEX128, TUNE_ROWS},
    {"convolution", 512, make_convolution, MST_FLOAT32, TUNE_SQUARE},
    {"filter", 512, make_filter, MST_UINT8, TUNE_SQUARE},
    {"filter", 1024, make_filter, MST_UINT8, TUNE_CUBE},
    {"filter", 1024, make_filter, MST_FLOAT32, TUNE_SQUARE},
    {"integral", (size_t)1 << 24, make_integral, MST_FLOAT32, TUNE_ROWS},
    {"integral", (size_t)1 << 24, make_integral, MST_FLOAT64, TUNE_ROWS},
    {"integral", 1, make_integral, MST_FLOAT64, TUNE_COLUMNS},
    {"stencil", (size_t)1 << 20, make_stencil, MST_FLOAT32, TUNE_ROWS},
    {"stencil", 1024, make_stencil, MST_FLOAT32, TUNE_SQUARE},
    {"stencil", 96, make_stencil, MST_FLOAT32, TUNE_CUBE},
    {"stencil", 1024, make_stencil, MST_FLOAT64, TUNE_SQUARE},
};
const size_t tune_n_cases = CLI_COUNT(tune_cases);
