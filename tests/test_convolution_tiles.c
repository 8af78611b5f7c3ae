// Images and volumes: in core along three axes, and in tiles and bricks under budgets that hold neither; every mode, either
// operand as the larger one, correlations, types, batches, axes and strides, against FFTW's transforms of the padded whole in
// long double. All by the shape of kernels for CPUs, which compiles once a precision.
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <fftw3.h>
#include <math.h>

#define MOST 3

static int interrupted; // reservations of space that a signal interrupts

int __real_posix_fallocate64(int file, off64_t offset, off64_t bytes);
int __wrap_posix_fallocate64(int file, off64_t offset, off64_t bytes);
int __wrap_posix_fallocate64(int file, off64_t offset, off64_t bytes) {
    return interrupted-- > 0 ? EINTR : __real_posix_fallocate64(file, offset, bytes);
}

typedef struct case_of {
    mst_convolution_desc desc;
    int batch; // the axis that is none of the convolution's
    test_array x, y;
} case_of;

static int axis_of(const case_of *c, int a) {
    int axis = c->desc.axes[a];
    return axis < 0 ? axis + c->x.layout.rank : axis;
}

// The operand's values of one image or volume, in the first corner of `padded`; a correlation's second one conjugate and
// reversed.
static void place_operand(const case_of *c, const test_array *from, const test_wide *values, size_t item, const size_t *padded,
                          bool turn, test_wide *to) {
    const mst_layout *l = &from->layout;
    const bool circular = c->desc.mode == MST_CONVOLUTION_CIRCULAR;
    for (size_t i = 0; i < from->elements; i++) {
        size_t rest = i, index[MST_MAX_RANK], at = 0;
        for (int k = l->rank - 1; k >= 0; k--) {
            index[k] = rest % l->shape[k];
            rest /= l->shape[k];
        }
        if (index[c->batch] != (l->shape[c->batch] == 1 ? 0 : item))
            continue;
        for (int a = 0; a < c->desc.n_axes; a++) {
            size_t n = l->shape[axis_of(c, a)], k = index[axis_of(c, a)];
            k = !turn ? k : circular ? (n - k) % n : n - 1 - k;
            at = at * padded[a] + k;
        }
        to[at] = turn ? conjl(values[i]) : values[i];
    }
}

static void transform(const case_of *c, const size_t *padded, int sign, test_wide *data) {
    int n[MOST];
    for (int a = 0; a < c->desc.n_axes; a++)
        n[a] = (int)padded[a];
    fftwl_plan plan = fftwl_plan_dft(c->desc.n_axes, n, data, data, sign, FFTW_ESTIMATE);
    fftwl_execute(plan);
    fftwl_destroy_plan(plan);
}

static double norm_of(const test_wide *v, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)(creall(v[i]) * creall(v[i]) + cimagl(v[i]) * cimagl(v[i]));
    return sqrt(sum);
}

// Where the result's element lies in the cyclic convolution.
static size_t place_of(const case_of *c, const mst_layout *z, size_t i, const size_t *padded, size_t *item) {
    size_t index[MST_MAX_RANK], at = 0;
    for (int k = z->rank - 1; k >= 0; k--) {
        index[k] = i % z->shape[k];
        i /= z->shape[k];
    }
    *item = index[c->batch];
    for (int a = 0; a < c->desc.n_axes; a++) {
        size_t n = c->x.layout.shape[axis_of(c, a)], m = c->y.layout.shape[axis_of(c, a)], first = 0;
        if (c->desc.mode == MST_CONVOLUTION_SAME)
            first = (m - 1) / 2;
        else if (c->desc.mode == MST_CONVOLUTION_VALID)
            first = (n < m ? n : m) - 1;
        at = at * padded[a] + index[axis_of(c, a)] + first;
    }
    return at;
}

static void check_result(const case_of *c, const test_array *z) {
    size_t padded[MOST], all = 1;
    for (int a = 0; a < c->desc.n_axes; a++) {
        size_t n = c->x.layout.shape[axis_of(c, a)], m = c->y.layout.shape[axis_of(c, a)];
        padded[a] = c->desc.mode == MST_CONVOLUTION_CIRCULAR ? n : n + m - 1;
        all *= padded[a];
    }
    test_wide *u = fftwl_malloc(2 * all * sizeof *u), *v = u + all;
    CHECK(u, "no memory");
    test_wide *x = test_array_values(&c->x), *y = test_array_values(&c->y);
    for (size_t item = 0; item < z->layout.shape[c->batch]; item++) {
        memset(u, 0, 2 * all * sizeof *u);
        place_operand(c, &c->x, x, item, padded, false, u);
        place_operand(c, &c->y, y, item, padded, c->desc.correlate, v);
        double norm = norm_of(u, all) * norm_of(v, all), error = 0;
        transform(c, padded, FFTW_FORWARD, u), transform(c, padded, FFTW_FORWARD, v);
        for (size_t i = 0; i < all; i++)
            u[i] = u[i] * v[i] / (long double)all;
        transform(c, padded, FFTW_BACKWARD, u);
        for (size_t i = 0; i < z->elements; i++) {
            size_t own, at = place_of(c, &z->layout, i, padded, &own);
            if (own == item)
                error += pow((double)cabsl(test_array_get(z, i) - u[at]), 2);
        }
        double gate = 2 * test_gate(&z->layout, all);
        CHECK(sqrt(error) <= gate * norm, "%d axes, x %s, y %s -> z %s, item %zu, mode %d%s: error %.3g is above %.3g",
              c->desc.n_axes, test_layout_text(&c->x.layout), test_layout_text(&c->y.layout), test_layout_text(&z->layout), item,
              (int)c->desc.mode, c->desc.correlate ? " correlate" : "", sqrt(error) / norm, gate);
    }
    free(x), free(y);
    fftwl_free(u);
}

static void free_case(case_of *c) {
    test_array_free(&c->x);
    test_array_free(&c->y);
}

static const mst_place host[3] = {MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_HOST};
static const mst_place file[3] = {MST_PLACE_FILE, MST_PLACE_FILE, MST_PLACE_FILE};
static const mst_place device[3] = {MST_PLACE_DEVICE, MST_PLACE_DEVICE, MST_PLACE_DEVICE};

// Along random axes of arrays with one axis more, which is the batch; `most` and `least` are lengths of the larger operand.
static case_of random_case(int n_axes, size_t least, size_t most, size_t kernel) {
    static const mst_type types[] = {MST_FLOAT32, MST_FLOAT32, MST_COMPLEX64, MST_FLOAT64, MST_INT16, MST_COMPLEX128};
    case_of c = {.desc = MST_CONVOLUTION_DESC_INIT};
    const bool double_too = test_between(0, 3) == 0, swap = test_between(0, 2) == 0;
    size_t shapes[2][MOST + 1];
    c.batch = (int)test_between(0, (size_t)n_axes);
    c.desc.n_axes = n_axes;
    c.desc.mode = (mst_convolution_mode)test_between(0, 2);
    c.desc.correlate = test_between(0, 1);
    c.desc.shape = MST_FFT_SHAPE_CPU;
    for (int k = 0, a = 0; k <= n_axes; k++) {
        shapes[0][k] = shapes[1][k] = test_between(1, 3);
        if (k == c.batch) {
            if (test_between(0, 1))
                shapes[test_between(0, 1)][k] = 1;
            else
                shapes[1][k] = shapes[0][k];
            continue;
        }
        shapes[swap][k] = test_between(least, most), shapes[!swap][k] = test_between(1, kernel);
        if (shapes[swap][k] < shapes[!swap][k] && c.desc.mode == MST_CONVOLUTION_VALID)
            c.desc.mode = MST_CONVOLUTION_SAME;
        c.desc.axes[a++] = k;
    }
    c.desc.x = test_layout_random(types[test_between(0, double_too ? 5 : 2)], n_axes + 1, shapes[0], false);
    c.desc.y = test_layout_random(types[test_between(0, double_too ? 5 : 2)], n_axes + 1, shapes[1], false);
    c.x = test_array_random(&c.desc.x), c.y = test_array_random(&c.desc.y);
    return c;
}

static void run_case(mst_context *context, case_of *c, const mst_place places[3]) {
    mst_layout z;
    mst_error e;
    OK(mst_convolution_result(&c->desc, &z, &e));
    c->desc.z = test_layout_random(z.type, z.rank, z.shape, false);
    test_array result = test_convolution_run(context, &c->desc, &c->x, &c->y, places, NULL);
    check_result(c, &result);
    test_array_free(&result);
}

static void of_volumes(void **state) {
    static const mst_place *const places[] = {host, device, file};
    for (int k = 0; k < test_many(8); k++) {
        case_of c = random_case(3, 1, 40, 12);
        c.desc.algorithm = MST_CONVOLUTION_AUTO;
        run_case(*state, &c, places[k % 3]);
        free_case(&c);
    }
}

static void of_circular_volumes(void **state) {
    for (int k = 0; k < test_many(4); k++) {
        case_of c = {.desc = MST_CONVOLUTION_DESC_INIT};
        const size_t n = k % 2 ? 16 : test_between(3, 20);
        const size_t shapes[2][4] = {{2, n, test_between(1, 24), k == 1 ? 16 : n},
                                     {k % 2 ? 1 : 2, n, shapes[0][2], shapes[0][3]}};
        c.desc.n_axes = 3, c.desc.axes[0] = 1, c.desc.axes[1] = -2, c.desc.axes[2] = -1;
        c.desc.mode = MST_CONVOLUTION_CIRCULAR, c.desc.correlate = k > 1, c.desc.shape = MST_FFT_SHAPE_CPU;
        c.desc.x = mst_layout_dense(MST_FLOAT32, 4, shapes[0]),
        c.desc.y = mst_layout_dense(k ? MST_FLOAT32 : MST_COMPLEX64, 4, shapes[1]);
        c.x = test_array_random(&c.desc.x), c.y = test_array_random(&c.desc.y);
        run_case(*state, &c, host);
        free_case(&c);
    }
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

// A budget that holds one tile but not the whole, save for types of 16 bytes and long kernels, of which the shortest
// windows (16 values or twice the kernel, with a spectrum and its copy, in and out) take more.
static mst_context *small_context(const case_of *c, size_t k) {
    const mst_layout *x = &c->x.layout, *y = &c->y.layout;
    uint64_t bytes = c->x.elements * 8 + c->y.elements * 24 + 20000;
    uint64_t window =
        4 * larger(mst_type_bytes(x->type), mst_type_bytes(y->type)) * larger(x->shape[c->batch], y->shape[c->batch]);
    for (int a = 0; a < c->desc.n_axes; a++) {
        size_t nx = x->shape[axis_of(c, a)], ny = y->shape[axis_of(c, a)], kernel = nx < ny ? nx : ny;
        window *= larger(16, 5 * kernel / 2);
    }
    bytes = larger(bytes, window + 20000);
    return k % 3 ? test_context_with_budget(bytes, 0) : test_context_with_budget(0, bytes);
}

static void in_tiles(void **state) {
    (void)state;
    for (int k = 0; k < test_many(9); k++) {
        bool image = k % 2;
        case_of c = image ? random_case(2, 150, 300, 30) : random_case(3, 30, 60, 9);
        c.desc.algorithm = image && k % 4 == 1 && c.desc.x.type == MST_FLOAT32 && c.desc.y.type == MST_FLOAT32
                               ? MST_CONVOLUTION_DIRECT
                               : MST_CONVOLUTION_FUSED;
        mst_context *context = small_context(&c, (size_t)k);
        run_case(context, &c, k % 5 ? host : file);
        mst_context_destroy(context);
        free_case(&c);
    }
}

// A budget that is too small is refused with the least that works; from there on any works.
static void down_to_the_least(void **state) {
    static float data[3 * 200 * 220];
    (void)state;
    for (int on_host = 0; on_host < 2; on_host++) {
        mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
        mst_error e, ignored;
        uint64_t least;
        bool found = false;
        desc.x = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){200, 220}),
        desc.y = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){9, 20});
        desc.n_axes = 2, desc.axes[0] = 0, desc.axes[1] = 1, desc.shape = MST_FFT_SHAPE_CPU;
        desc.algorithm = MST_CONVOLUTION_FUSED, desc.mode = MST_CONVOLUTION_SAME;
#define TRY(bytes, error)                                                                                                        \
    test_convolution_attempt(on_host ? 0 : (bytes), on_host ? (bytes) : 0, &desc, data, 4 * 200 * 220, error)
        REFUSED(MST_ERROR_BUDGET, "", TRY(1, &e));
        for (const char *text = e.message; !found && test_next_number(&text, &least);)
            found = least > 1 && TRY(least, &ignored) == MST_OK && TRY(least - 1, &ignored) == MST_ERROR_BUDGET;
        CHECK(found && least < 60000, "'%s' does not name the least %s that works, or it is large", e.message,
              on_host ? "host_memory" : "device_memory");
        for (uint64_t more = least + 1; more < 1000000; more = more * 3 / 2 + 4321)
            OK(TRY(more, &e));
#undef TRY
    }
}

// Operands that are both too long for tiles of them, or go round: by spectra in the host's memory. The budget is what
// earlier attempts were told, of the device or of the host. --dry-run's numbers hold.
static case_of both_long(int k) {
    static const mst_type types[] = {MST_FLOAT32, MST_FLOAT32, MST_COMPLEX64, MST_FLOAT64, MST_INT16};
    static const size_t about[] = {16400, 130, 26};
    case_of c = {.desc = MST_CONVOLUTION_DESC_INIT};
    const int n_axes = k % 3 + 1, shared = (int)test_between(0, 2);
    size_t shapes[2][MOST + 1];
    c.desc.n_axes = n_axes, c.batch = (int)test_between(0, (size_t)n_axes);
    c.desc.mode = (mst_convolution_mode)(k % 4), c.desc.correlate = test_between(0, 1);
    c.desc.shape = MST_FFT_SHAPE_CPU, c.desc.algorithm = MST_CONVOLUTION_FUSED;
    for (int axis = 0, a = 0; axis <= n_axes; axis++) {
        size_t n = about[n_axes - 1], batch = axis == c.batch;
        shapes[0][axis] = batch ? test_between(1, 2) : n + test_between(0, n / 4);
        shapes[1][axis] = c.desc.mode == MST_CONVOLUTION_CIRCULAR || batch ? shapes[0][axis] : n + test_between(0, n / 8);
        if (batch && shared < 2)
            shapes[shared][axis] = 1;
        else if (c.desc.mode == MST_CONVOLUTION_VALID && shapes[0][axis] < shapes[1][axis])
            shapes[1][axis] = shapes[0][axis];
        if (!batch)
            c.desc.axes[a++] = axis;
    }
    c.desc.x = test_layout_random(types[(size_t)k % 4 + test_between(0, 1)], n_axes + 1, shapes[0], false);
    c.desc.y = test_layout_random(types[test_between(0, 2)], n_axes + 1, shapes[1], false);
    c.x = test_array_random(&c.desc.x), c.y = test_array_random(&c.desc.y);
    return c;
}

static uint64_t last_number(const char *text) {
    uint64_t number = 0;
    while (test_next_number(&text, &number)) {
    }
    return number;
}

// The budget that plans of smaller ones name, be it when they are made or when they are executed. The first transform that has no
// room may name less than a later one needs.
static uint64_t least_budget(const case_of *c, bool on_host) {
    uint64_t budget = 1000;
    mst_status status = MST_ERROR_BUDGET;
    test_array z = test_array_new(&c->desc.z);
    for (int attempt = 0; attempt < 4 && status == MST_ERROR_BUDGET; attempt++) {
        mst_context *context = test_context_with_budget(on_host ? 0 : budget, on_host ? budget : 0);
        mst_convolution *plan = NULL;
        mst_error e;
        status = mst_convolution_create(context, &c->desc, &plan, &e);
        if (status == MST_OK)
            status = mst_convolution_execute(plan, mst_at_host(c->x.image + c->x.origin), mst_at_host(c->y.image + c->y.origin),
                                             mst_at_host(z.image + z.origin), NULL, &e);
        CHECK(attempt > 0 || status == MST_ERROR_BUDGET, "a budget of 1000 bytes gave %s", mst_status_name(status));
        mst_convolution_destroy(plan);
        CHECK(mst_context_device_memory_used(context) == 0, "memory is still held");
        mst_context_destroy(context);
        if (status == MST_ERROR_BUDGET)
            budget = last_number(e.message);
    }
    CHECK(status == MST_OK, "a budget of %llu bytes, which was named, gave %s", (unsigned long long)budget,
          mst_status_name(status));
    test_array_free(&z);
    return budget;
}

static void by_spectra(void **state) {
    (void)state;
    for (int k = 0; k < test_many(4); k++) {
        case_of c = both_long(k);
        mst_convolution *plan = NULL;
        mst_convolution_forecast f = MST_CONVOLUTION_FORECAST_INIT;
        mst_layout z;
        mst_error e;
        OK(mst_convolution_result(&c.desc, &z, &e));
        c.desc.z = z;
        const bool on_host = k % 4 == 3;
        const uint64_t budget = least_budget(&c, on_host);
        mst_context *context = test_context_with_budget(on_host ? 0 : budget, on_host ? budget : 0);
        OK(mst_convolution_create(context, &c.desc, &plan, &e));
        OK(mst_convolution_predict(plan, &f, &e));
        CHECK(on_host ||
                  (f.spectra_bytes >= 12 * c.x.elements / c.x.layout.shape[c.batch] && f.panels > 2 && f.device_bytes <= budget),
              "%llu bytes of spectra, %llu panels, %llu bytes of %llu", (unsigned long long)f.spectra_bytes,
              (unsigned long long)f.panels, (unsigned long long)f.device_bytes, (unsigned long long)budget);
        mst_convolution_destroy(plan);
        setenv("MASTABA_SCRATCH", k % 2 ? "." : "", 1); // spectra in a file, or in RAM
        interrupted = 2;
        run_case(context, &c, k % 3 ? host : file);
        unsetenv("MASTABA_SCRATCH");
        CHECK(k % 4 != 1 || interrupted < 0, "case %d: no file was reserved for spectra", k);
        CHECK(mst_context_device_memory_used(context) == 0, "memory is still held");
        mst_context_destroy(context);
        free_case(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_volumes), cmocka_unit_test(of_circular_volumes),
                                       cmocka_unit_test(in_tiles), cmocka_unit_test(down_to_the_least),
                                       cmocka_unit_test(by_spectra)};
    return cmocka_run_group_tests_name("convolution tiles", tests, test_setup_on_cpu, test_teardown);
}
