// A program that was built against the headers beside it, as old programs were: every description with members that are not the
// defaults, every struct that the library fills, between guards. The test `package` builds it with these headers and runs it with
// the library of today.
#include <mastaba/mastaba.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 16

static mst_error error;

static void check(int right, const char *what) {
    if (right)
        return;
    fprintf(stderr, "%s: %s\n", what, error.message);
    exit(1);
}

#define OK(call) check((call) == MST_OK, #call)
#define IS(condition) check(condition, #condition)

// A struct of this program between bytes that are to stay.
#define GUARDED(type)                                                                                                            \
    struct {                                                                                                                     \
        unsigned char before[16];                                                                                                \
        type it;                                                                                                                 \
        unsigned char after[64];                                                                                                 \
    }
#define GUARD(g) (memset((g).before, 0xa5, sizeof(g).before), memset((g).after, 0xa5, sizeof(g).after))
#define INTACT(g) (intact((g).before, sizeof(g).before) && intact((g).after, sizeof(g).after))

static int intact(const unsigned char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != 0xa5)
            return 0;
    return 1;
}

static bool keep_on(uint64_t done, uint64_t total, void *user) {
    ++*(int *)user;
    return done <= total;
}

static void use_devices(const mst_context *context) {
    mst_device_info **list;
    size_t count, here = 0;
    OK(mst_devices_list(&list, &count, &error));
    for (size_t i = 0; i < count; i++)
        here += list[i]->index == i && list[i]->device == mst_context_device(context)->device && list[i]->memory_bytes > 0;
    IS(here == 1);
    mst_devices_free(list);
}

static void use_map(mst_context *context) {
    const size_t shape[] = {N};
    const mst_map_input inputs[] = {{"a", mst_layout_dense(MST_FLOAT32, 1, shape)}, {"b", mst_layout_dense(MST_INT32, 1, shape)}};
    const mst_map_number numbers[] = {{"c", 2}, {"d", 0.5}};
    float a[N], z[N];
    int32_t b[N];
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_map *plan;
    mst_execution how = MST_EXECUTION_INIT;
    GUARDED(mst_report) report;
    int calls = 0;
    GUARD(report);
    report.it = (mst_report)MST_REPORT_INIT;
    how.report = &report.it;
    how.progress = keep_on;
    how.progress_user = &calls;
    for (int i = 0; i < N; i++)
        a[i] = (float)i, b[i] = 3 - i;
    desc.expression = "a + c * b + d";
    desc.inputs = inputs;
    desc.n_inputs = 2;
    desc.numbers = numbers;
    desc.n_numbers = 2;
    desc.type = MST_FLOAT32;
    desc.vector_width = 4;
    OK(mst_map_create(context, &desc, &plan, &error));
    IS(mst_map_vector_width(plan) == 4 && mst_map_output(plan)->shape[0] == N);
    const mst_location in[] = {mst_at_host(a), mst_at_host(b)};
    OK(mst_map_execute(plan, in, mst_at_host(z), &how, &error));
    for (int i = 0; i < N; i++)
        IS(z[i] == a[i] + 2 * (float)b[i] + 0.5f);
    IS(INTACT(report) && report.it.seconds > 0 && report.it.blocks == 1 && report.it.struct_size == sizeof(mst_report));
    IS(calls > 0);
    mst_map_destroy(plan);
}

static void use_fft(mst_context *context) {
    const size_t shape[] = {3, N};
    float x[3][N][2] = {{{0}}}, z[3][N][2];
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    mst_fft *plan;
    desc.input = mst_layout_dense(MST_COMPLEX64, 2, shape);
    desc.direction = MST_FFT_INVERSE;
    desc.scale = 0.25;
    desc.shape = MST_FFT_SHAPE_CPU;
    x[1][1][0] = 1;
    OK(mst_fft_create(context, &desc, &plan, &error));
    OK(mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), NULL, &error));
    for (int k = 0; k < N; k++) {
        double angle = 2 * 3.14159265358979 * k / N;
        IS(fabs(z[1][k][0] - 0.25 * cos(angle)) < 1e-6 && fabs(z[1][k][1] - 0.25 * sin(angle)) < 1e-6 && z[0][k][0] == 0);
    }
    IS(mst_fft_n_passes(plan) > 0 && strstr(mst_fft_pass_kernel(plan, 0), "__kernel"));
    mst_fft_destroy(plan);
}

static void use_convolution(mst_context *context) {
    const size_t x_shape[] = {3}, y_shape[] = {2};
    const float x[] = {1, 2, 3}, y[] = {1, 10};
    float z[3];
    mst_layout result;
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    mst_convolution *plan;
    desc.x = mst_layout_dense(MST_FLOAT32, 1, x_shape);
    desc.y = mst_layout_dense(MST_FLOAT32, 1, y_shape);
    desc.mode = MST_CONVOLUTION_SAME;
    desc.correlate = true;
    desc.algorithm = MST_CONVOLUTION_REFERENCE;
    OK(mst_convolution_result(&desc, &result, &error));
    IS(result.rank == 1 && result.shape[0] == 3 && result.type == MST_FLOAT32);
    OK(mst_convolution_create(context, &desc, &plan, &error));
    OK(mst_convolution_execute(plan, mst_at_host(x), mst_at_host(y), mst_at_host(z), NULL, &error));
    IS(fabsf(z[0] - 10) < 1e-4f && fabsf(z[1] - 21) < 1e-4f && fabsf(z[2] - 32) < 1e-4f);
    mst_convolution_destroy(plan);
}

static void use_filter(mst_context *context) {
    const size_t shape[] = {N, N, 1};
    const mst_filter_notch notches[] = {{0.25, 0, 0.1}, {0, 0.25, 0.1}};
    float image[N][N], result[N][N];
    mst_filter_desc desc = MST_FILTER_DESC_INIT;
    mst_filter *plan;
    GUARDED(mst_filter_stage) stages;
    size_t count;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            image[i][j] = 5 + (float)(1 - j % 4 * (j % 2 == 0)); // has the frequency 1/4, which goes
    desc.input = mst_layout_dense(MST_FLOAT32, 3, shape);
    desc.kind = MST_FILTER_NOTCH;
    desc.rolloff = MST_FILTER_IDEAL;
    desc.notches = notches;
    desc.n_notches = 2;
    desc.edges = MST_FILTER_WRAP;
    desc.output_as = MST_FILTER_RAW;
    desc.time_stages = true;
    OK(mst_filter_create(context, &desc, &plan, &error));
    OK(mst_filter_execute(plan, mst_at_host(image), mst_at_host(result), NULL, &error));
    IS(fabsf(result[3][0] - result[3][2]) < 1e-4f && fabsf(result[3][1] - result[5][3]) < 1e-4f);
    GUARD(stages);
    OK(mst_filter_stages(plan, &stages.it, 1, &count, &error));
    IS(count == 1 && INTACT(stages) && stages.it.launches > 0 && strlen(stages.it.name) > 0);
    IS(mst_filter_output_used(plan) == MST_FILTER_RAW && mst_filter_result(plan).shape[1] == N);
    mst_filter_destroy(plan);
}

static void use_integral(mst_context *context) {
    const mst_integral_range ranges[] = {{"x", "0", "p"}};
    const char *const names[] = {"p"};
    const double p[] = {1, 2};
    mst_integral_desc desc = MST_INTEGRAL_DESC_INIT;
    mst_integral *plan;
    GUARDED(mst_integral_result) results[1];
    mst_integral_result two[2];
    desc.integrand = "p * x";
    desc.ranges = ranges;
    desc.parameters = names;
    desc.n_parameters = 1;
    desc.rule = MST_INTEGRAL_SIMPSON;
    desc.points = 64;
    desc.type = MST_FLOAT32;
    OK(mst_integral_create(context, &desc, &plan, &error));
    OK(mst_integral_execute(plan, p, 2, two, NULL, &error));
    IS(fabs(two[0].value - 0.5) < 1e-5 && fabs(two[1].value - 4) < 1e-5 && two[1].evaluations > 0);
    GUARD(results[0]);
    OK(mst_integral_execute(plan, p, 1, &results[0].it, NULL, &error));
    IS(INTACT(results[0]) && results[0].it.value == two[0].value && results[0].it.status == MST_INTEGRAL_CONVERGED);
    mst_integral_destroy(plan);
}

static void use_stencil(mst_context *context) {
    const size_t points[][MST_MAX_AXES] = {{0}, {N - 1}};
    const float first[N] = {0, 0, 8};
    const double kick[] = {1, 2};
    const size_t shape[] = {N};
    const mst_stencil_parameter parameters[] = {{"r", 0.25}, {"s", 2}};
    mst_stencil_field fields[2] = {{0}, {0}};
    const mst_stencil_update updates[] = {{"u", "u + r * a * (u[-1] - s * u + u[1])", 0}};
    mst_stencil_source sources[2] = {{0}, {0}};
    const mst_stencil_receiver receivers[] = {{"u", 2, points}, {"u", 1, points}};
    const mst_stencil_boundary boundaries[] = {{MST_BOUNDARY_DIRICHLET, "4", 0}, {MST_BOUNDARY_NEUMANN, NULL, 0}};
    const mst_stencil_region region = {{1}, {2}, {3}};
    mst_stencil_desc desc = MST_STENCIL_DESC_INIT;
    mst_stencil *solver;
    GUARDED(mst_stencil_plan) plan;
    GUARDED(mst_stencil_report) report;
    double recorded[4];
    float u[N], some[3];
    fields[0].name = "u";
    fields[0].initial.layout = mst_layout_dense(MST_FLOAT32, 1, shape);
    fields[0].initial.data = mst_at_host(first);
    fields[1].name = "a";
    fields[1].coefficient = true;
    fields[1].initial.expression = "1";
    sources[0].field = sources[1].field = "u";
    sources[0].point[0] = 5;
    sources[0].samples = kick;
    sources[0].n_samples = 2;
    sources[1].point[0] = 6;
    sources[1].series = "r";
    desc.rank = 1;
    desc.grid[0] = N;
    desc.n_parameters = desc.n_fields = desc.n_sources = desc.n_receivers = 2;
    desc.n_updates = 1;
    desc.parameters = parameters;
    desc.fields = fields;
    desc.updates = updates;
    desc.sources = sources;
    desc.receivers = receivers;
    desc.boundaries = boundaries;
    desc.schedule = MST_STENCIL_IN_CORE;
    desc.fuse = 1;
    desc.shape = MST_STENCIL_SHAPE_CPU;
    OK(mst_stencil_create(context, &desc, &solver, &error));
    GUARD(plan);
    plan.it = (mst_stencil_plan)MST_STENCIL_PLAN_INIT;
    OK(mst_stencil_describe(solver, 2, &plan.it, &error));
    IS(INTACT(plan) && plan.it.schedule == MST_STENCIL_IN_CORE && plan.it.fuse == 1 && plan.it.state_bytes > 0);
    OK(mst_stencil_predict(context, &desc, 2, &plan.it, &error));
    IS(INTACT(plan) && plan.it.shape == MST_STENCIL_SHAPE_CPU && plan.it.seconds > 0);
    GUARD(report);
    report.it = (mst_stencil_report)MST_STENCIL_REPORT_INIT;
    OK(mst_stencil_run(solver, 2, NULL, &report.it, &error));
    IS(INTACT(report) && report.it.steps == 2 && report.it.seconds > 0 && mst_stencil_step(solver) == 2);
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(u), &error));
    IS(u[0] == 2 && u[1] == 2.25f && u[2] == 3); // {1, 2, 4, 2, 0, 1, 0.25} after the first step
    OK(mst_stencil_read(solver, "u", 0, &region, mst_at_host(some), &error));
    IS(some[0] == u[1] && some[1] == u[3] && some[2] == u[5]);
    OK(mst_stencil_read_receiver(solver, 0, 1, 2, recorded, &error));
    IS(recorded[0] == 1 && recorded[2] == u[0] && recorded[3] == u[N - 1]);
    mst_stencil_destroy(solver);
}

static void note(const mst_tuning_result *result, void *user) {
    if (strcmp(result->capability, "map") == 0 && result->source == MST_TUNING_SEARCHED && result->n_values > 0 &&
        strlen(result->values[0].name) > 0 && result->tried > 0)
        ++*(int *)user;
}

static void use_tuning(mst_context *context) {
    const size_t shape[] = {1000};
    const mst_map_input input = {"a", mst_layout_dense(MST_FLOAT32, 1, shape)};
    mst_tuning tuning = MST_TUNING_INIT;
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_map *plan;
    int found = 0;
    tuning.seconds = 0.5;
    tuning.seed = 3;
    tuning.again = true;
    tuning.threads = 1;
    tuning.report = note;
    tuning.user = &found;
    OK(mst_tuning_begin(context, &tuning, &error));
    desc.expression = "a + 1";
    desc.inputs = &input;
    desc.n_inputs = 1;
    OK(mst_map_create(context, &desc, &plan, &error));
    mst_tuning_end(context);
    IS(found == 1);
    mst_map_destroy(plan);
}

static void log_line(mst_log_level level, const char *line, void *user) {
    *(int *)user += level <= MST_LOG_WARNING && strlen(line) > 0;
}

int main(void) {
    const mst_symbol symbol = {"r", 0, 1, 2};
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_context *context;
    double value;
    int lines = 0;
    desc.profile = true;
    desc.no_cache = true;
    desc.host_memory = (uint64_t)1 << 26;
    desc.copy_threads = 1;
    desc.log = log_line;
    desc.log_user = &lines;
    OK(mst_context_create(&desc, &context, &error));
    IS(lines > 0);
    use_devices(context);
    use_map(context);
    use_fft(context);
    use_convolution(context);
    use_filter(context);
    use_integral(context);
    use_stencil(context);
    use_tuning(context);
    mst_context_destroy(context);
    OK(mst_expression_value("3 * r", "it", &symbol, 1, &value, &error));
    IS(value == 6);
    puts("ok");
    return 0;
}
