// Transforms over ranks against FFTW in double precision, over random shapes, axes, types, cuts and orders; that every part of
// the array is somebody's; that messages and bytes are those of the plan, on hosts apart, and none within a host, where ranks
// read each other's memory; and refusals, which all ranks must return alike.
#include "support.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <string.h>
#include <time.h>

enum { MOST = 4096, CASES = 9 }; // elements of an array; cases of a run

typedef struct array { // whole, without gaps, as complex numbers
    int rank;
    size_t shape[MST_MAX_RANK];
    double complex *values;
} array;

static double complex number(double re, double im) {
    union {
        double parts[2];
        double complex value;
    } u = {{re, im}};
    return u.value;
}

static size_t elements(const array *a) {
    size_t n = 1;
    for (int k = 0; k < a->rank; k++)
        n *= a->shape[k];
    return n;
}

static array make(int rank, const size_t *shape) {
    array a = {.rank = rank};
    memcpy(a.shape, shape, sizeof a.shape);
    a.values = calloc(elements(&a) + 1, sizeof *a.values);
    return a;
}

// All axes that are given, by FFTW, in place.
static void reference(array *a, int n_axes, const int *axes, int sign) {
    fftw_iodim64 dims[3], others[MST_MAX_RANK];
    int n_others = 0;
    ptrdiff_t stride = 1;
    for (int k = a->rank - 1; k >= 0; k--) {
        fftw_iodim64 dim = {(ptrdiff_t)a->shape[k], stride, stride};
        int at = -1;
        for (int i = 0; i < n_axes; i++)
            at = axes[i] == k ? i : at;
        if (at >= 0)
            dims[at] = dim;
        else
            others[n_others++] = dim;
        stride *= (ptrdiff_t)a->shape[k];
    }
    fftw_plan plan = fftw_plan_guru64_dft(n_axes, dims, n_others, others, a->values, a->values, sign, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
}

static size_t type_parts(mst_type type) { return type == MST_COMPLEX64 || type == MST_COMPLEX128 ? 2 : 1; }

static bool single(mst_type type) { return type == MST_FLOAT32 || type == MST_COMPLEX64; }

static void put(mst_type type, void *data, size_t i, double complex value) {
    const double parts[2] = {creal(value), cimag(value)};
    for (size_t p = 0; p < type_parts(type); p++)
        if (single(type))
            ((float *)data)[i * type_parts(type) + p] = (float)parts[p];
        else
            ((double *)data)[i * type_parts(type) + p] = parts[p];
}

static double complex get(mst_type type, const void *data, size_t i) {
    double parts[2] = {0, 0};
    for (size_t p = 0; p < type_parts(type); p++)
        parts[p] =
            single(type) ? ((const float *)data)[i * type_parts(type) + p] : ((const double *)data)[i * type_parts(type) + p];
    return number(parts[0], parts[1]);
}

// Goes through a part: with the element's place in the part's memory and in the whole array.
static size_t each(const mst_mpi_part *p, const array *whole, size_t n, size_t *in_whole) {
    size_t at = 0, outer = 1;
    *in_whole = 0;
    for (int k = whole->rank - 1; k >= 0; k--) {
        size_t i = n % p->layout.shape[k];
        n /= p->layout.shape[k];
        at += i * (size_t)p->layout.strides[k];
        *in_whole += (p->start[k] + i) * outer;
        outer *= whole->shape[k];
    }
    return at;
}

static size_t part_elements(const mst_mpi_part *p) {
    size_t n = 1;
    for (int k = 0; k < p->layout.rank; k++)
        n *= p->layout.shape[k];
    return n;
}

enum { ASIDE = 16 }; // bytes from where devices take memory as it is

static void *make_part(const mst_mpi_part *p) { return aligned_alloc(64, (part_elements(p) * 16 / 64 + 2) * 64); }

static void check_covered(const mst_mpi_part *p, const array *whole) {
    unsigned long long mine = part_elements(p), all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all == elements(whole), "the parts have %llu elements, the array %zu", all, elements(whole));
}

static mst_mpi_fft_desc random_desc(mst_type precision) {
    mst_mpi_fft_desc d = MST_MPI_FFT_DESC_INIT;
    static const size_t lengths[] = {1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 37};
    int axes[MST_MAX_RANK];
    d.rank = 2 + (int)test_random(3);
    for (size_t n = MOST + 1; n > MOST;) {
        n = 1;
        for (int k = 0; k < d.rank; k++)
            n *= d.shape[k] = lengths[test_random(11)];
    }
    for (int k = 0; k < d.rank; k++)
        axes[k] = k;
    for (int k = d.rank - 1; k > 0; k--) {
        int other = (int)test_random((size_t)k + 1), kept = axes[k];
        axes[k] = axes[other];
        axes[other] = kept;
    }
    d.n_axes = 1 + (int)test_random(d.rank < 3 ? (size_t)d.rank : 3);
    for (int i = 0; i < d.n_axes; i++)
        d.axes[i] = test_random(2) ? axes[i] : axes[i] - d.rank;
    int kind = (int)test_random(4); // complex both ways, real both ways
    d.direction = kind % 2 ? MST_FFT_INVERSE : MST_FFT_FORWARD;
    d.input = precision == MST_FLOAT32 ? MST_COMPLEX64 : MST_COMPLEX128;
    if (kind == 2)
        d.input = precision;
    if (kind == 3)
        d.output = precision;
    d.scale = 0.5;
    d.cut = (mst_mpi_cut)test_random(d.rank >= 3 ? 3 : 2);
    d.transposed_input = (int)test_random(3);
    d.transposed_output = (int)test_random(3);
    d.timeout = 60;
    return d;
}

typedef struct job {
    mst_mpi_fft_desc desc;
    array in, out; // whole: what is transformed, and what must come out
} job;

// What is to be transformed and its transform. Of a real side the complex one is a half.
static job make_job(const mst_mpi_fft_desc *d) {
    job j = {*d, make(d->rank, d->shape), {0}};
    int axes[MST_MAX_AXES], sign = d->direction == MST_FFT_INVERSE ? FFTW_BACKWARD : FFTW_FORWARD;
    bool real_in = type_parts(d->input) == 1, real_out = d->output && type_parts(d->output) == 1;
    for (int i = 0; i < d->n_axes; i++)
        axes[i] = d->axes[i] < 0 ? d->axes[i] + d->rank : d->axes[i];
    for (size_t i = 0; i < elements(&j.in); i++)
        j.in.values[i] = number(test_value(2 * i), real_in || real_out ? 0 : test_value(2 * i + 1));
    array full = make(d->rank, d->shape), half;
    memcpy(full.values, j.in.values, elements(&full) * sizeof *full.values);
    reference(&full, d->n_axes, axes, real_out ? FFTW_FORWARD : sign);
    if (!real_in && !real_out) {
        j.out = full;
    } else {
        int last = axes[d->n_axes - 1];
        size_t shape[MST_MAX_RANK], inner = 1, n = d->shape[last], m = n / 2 + 1;
        memcpy(shape, d->shape, sizeof shape);
        shape[last] = m;
        half = make(d->rank, shape);
        for (int k = last + 1; k < d->rank; k++)
            inner *= shape[k];
        for (size_t i = 0; i < elements(&half); i++)
            half.values[i] = full.values[i / (m * inner) * n * inner + i % (m * inner)];
        free(full.values);
        j.out = real_out ? j.in : half;
        j.in = real_out ? half : j.in;
    }
    double factor = d->scale;
    for (int i = 0; i < d->n_axes && real_out; i++)
        factor *= (double)d->shape[axes[i]];
    for (size_t i = 0; i < elements(&j.out); i++)
        j.out.values[i] *= factor;
    return j;
}

static void check_result(const job *j, const mst_mpi_part *p, const void *data) {
    double error = 0, norm = 0, sums[2];
    for (size_t i = 0, whole; i < part_elements(p); i++) {
        size_t at = each(p, &j->out, i, &whole);
        error += pow(cabs(get(p->layout.type, data, at) - j->out.values[whole]), 2);
        norm += pow(cabs(j->out.values[whole]), 2);
    }
    MPI_Allreduce((double[]){error, norm}, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double relative = sums[1] > 0 ? sqrt(sums[0] / sums[1]) : sqrt(sums[0]);
    const mst_mpi_fft_desc *d = &j->desc;
    CHECK(relative < (single(p->layout.type) ? 1e-6 : 2e-15) * 4,
          "relative error %g: shape %zu %zu %zu %zu of %d, %d axes %d %d %d, %s to %s, %s, cut %d, transposed %d %d", relative,
          d->shape[0], d->shape[1], d->shape[2], d->shape[3], d->rank, d->n_axes, d->axes[0], d->axes[1], d->axes[2],
          mst_type_name(d->input), mst_type_name(p->layout.type), d->direction == MST_FFT_INVERSE ? "back" : "forward",
          (int)d->cut, d->transposed_input, d->transposed_output);
}

// Within a host only the exchange of the caller's input goes by messages.
static void check_messages(const mst_mpi_fft_desc *d, const mst_mpi_part *in, bool apart) {
    unsigned long long messages, bytes;
    mst_mpi_needs needs = MST_MPI_NEEDS_INIT;
    mst_error e;
    OK(mst_mpi_fft_needs(d, test_n_ranks, test_rank, &needs, &e));
    test_sent(&messages, &bytes);
    if (apart)
        CHECK(messages == needs.messages && bytes == needs.sent_bytes, "sent %llu messages of %llu bytes, planned %llu of %llu",
              messages, bytes, (unsigned long long)needs.messages, (unsigned long long)needs.sent_bytes);
    else if (!in->on_host)
        CHECK(messages == 0, "sent %llu messages of %llu bytes within a host", messages, bytes);
}

static void run_case(mst_context *context, const mst_mpi_fft_desc *d, bool apart) {
    mst_error e;
    mst_mpi_fft *plan = NULL;
    mst_mpi_part in = MST_MPI_PART_INIT, out = MST_MPI_PART_INIT;
    unsigned long long messages, bytes;
    job j = make_job(d);
    OK(mst_mpi_fft_parts(d, test_n_ranks, test_rank, &in, &out, &e));
    check_covered(&in, &j.in);
    check_covered(&out, &j.out);
    test_part_hosts(apart);
    OK(mst_mpi_fft_create(MPI_COMM_WORLD, context, d, &plan, &e));
    char *const memory[] = {make_part(&in), make_part(&out)};
    void *from = memory[0] + (test_random(3) ? 0 : ASIDE), *to = memory[1] + (test_random(3) ? 0 : ASIDE);
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0, whole; i < part_elements(&in); i++) {
            size_t at = each(&in, &j.in, i, &whole);
            put(in.layout.type, from, at, j.in.values[whole]);
        }
        test_sent(&messages, &bytes);
        OK(mst_mpi_fft_execute(plan, mst_at_host(from), mst_at_host(to), &e));
        check_messages(d, &in, apart);
        check_result(&j, &out, to);
    }
    mst_mpi_fft_destroy(plan);
    free(memory[0]);
    free(memory[1]);
    free(j.in.values);
    free(j.out.values);
}

static mst_mpi_fft_desc square_desc(void) {
    mst_mpi_fft_desc d = MST_MPI_FFT_DESC_INIT;
    d.input = MST_COMPLEX64;
    d.rank = 2;
    d.shape[0] = d.shape[1] = 8;
    return d;
}

// One rank gives a description of its own: all must hear of it.
static void check_refusals(mst_context *context) {
    mst_error e;
    mst_mpi_fft *plan = NULL;
    mst_mpi_fft_desc d = square_desc();
    if (test_rank == test_n_ranks - 1)
        d.axes[0] = 5;
    mst_status status = mst_mpi_fft_create(MPI_COMM_WORLD, context, &d, &plan, &e);
    char who[32];
    snprintf(who, sizeof who, "rank %d: ", test_n_ranks - 1);
    CHECK(status == MST_ERROR_ARGUMENT && !plan && e.status == status, "a wrong axis gives %s", mst_status_name(status));
    CHECK(strstr(e.message, "axes[0] is 5") && (test_n_ranks == 1 || strstr(e.message, who)), "the message is '%s'", e.message);
    d.axes[0] = -1;
    d.timeout = INFINITY;
    status = mst_mpi_fft_create(MPI_COMM_WORLD, context, &d, &plan, &e);
    CHECK(status == MST_ERROR_ARGUMENT && strstr(e.message, "timeout is inf"), "an endless timeout gives '%s'", e.message);
    d.timeout = 60;
    status = mst_mpi_fft_create(MPI_COMM_WORLD, context, &d, test_rank ? &plan : NULL, &e);
    CHECK(status == MST_ERROR_ARGUMENT && !plan, "a rank without out gives %s", mst_status_name(status));
    d.rank = 1;
    status = mst_mpi_fft_parts(&d, 2, 0, NULL, NULL, &e);
    CHECK(status == MST_ERROR_UNSUPPORTED, "one axis over two ranks gives %s", mst_status_name(status));
    d.rank = 2;
    d.cut = MST_MPI_CUT_PENCILS;
    status = mst_mpi_fft_parts(&d, 2, 0, NULL, NULL, &e);
    CHECK(status == MST_ERROR_ARGUMENT, "pencils of a plane give %s", mst_status_name(status));
}

// A rank that does not see the memory of the others: all hear of it, before any of them frees its own, which waits for all.
static void check_closed_window(mst_context *context) {
    mst_error e;
    mst_mpi_fft *plan = NULL;
    mst_mpi_fft_desc d = square_desc();
    if (test_n_ranks == 1)
        return;
    test_close_windows(test_rank == 0);
    mst_status status = mst_mpi_fft_create(MPI_COMM_WORLD, context, &d, &plan, &e);
    CHECK(status == MST_ERROR_IO && !plan && strstr(e.message, "rank 0: finding memory"), "a closed window gives %s",
          mst_status_name(status));
    test_close_windows(0);
}

// A rank that gets no memory of the host, although the others do: all go by messages, and none waits for it.
static void check_lost_window(mst_context *context) {
    mst_error e;
    mst_mpi_fft *plan = NULL;
    mst_mpi_fft_desc d = square_desc();
    test_lose_windows(test_rank == 0);
    OK(mst_mpi_fft_create(MPI_COMM_WORLD, context, &d, &plan, &e));
    mst_mpi_fft_destroy(plan);
    test_lose_windows(0);
}

// Refusals of contexts, by a rank that gives no place for its own and one whose description is of another library.
static void check_contexts(void) {
    mst_error e;
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_context *context = NULL;
    bool last = test_rank == test_n_ranks - 1;
    mst_status status = mst_mpi_context_create(MPI_COMM_WORLD, NULL, last ? NULL : &context, &e);
    CHECK(status == MST_ERROR_ARGUMENT && !context, "a rank without out gives %s", mst_status_name(status));
    desc.struct_size -= last;
    status = mst_mpi_context_create(MPI_COMM_WORLD, &desc, &context, &e);
    CHECK(status == MST_ERROR_ARGUMENT && !context, "an unknown description gives %s", mst_status_name(status));
}

// A rank that comes late: the others give up, and MPI finds what it still needs of theirs when the rank comes.
static void check_timeout(mst_context *context) {
    mst_error e;
    mst_mpi_fft *plan = NULL;
    mst_mpi_fft_desc d = random_desc(MST_FLOAT32);
    if (test_n_ranks == 1)
        return;
    d.timeout = 0.05;
    if (test_rank > 0) {
        mst_status status = mst_mpi_fft_create(MPI_COMM_WORLD, context, &d, &plan, &e);
        CHECK(status == MST_ERROR_IO && !plan && strstr(e.message, "waited 0.05 s"), "a late rank gives %s: %s",
              mst_status_name(status), e.message);
        return;
    }
    MPI_Comm late;
    MPI_Request request;
    nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
    MPI_Comm_idup(MPI_COMM_WORLD, &late, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&late);
}

int main(int argc, char **argv) {
    mst_context *context = test_begin(&argc, &argv);
    int cases = argc > 1 ? atoi(argv[1]) : CASES;
    bool doubles = mst_context_device(context)->fp64;
    check_contexts();
    check_refusals(context);
    check_closed_window(context);
    check_lost_window(context);
    for (int i = 0; i < cases; i++) {
        mst_mpi_fft_desc d = random_desc(doubles && i % 3 == 0 ? MST_FLOAT64 : MST_FLOAT32);
        run_case(context, &d, i % 2);
    }
    check_timeout(context);
    test_end(context);
    return 0;
}
