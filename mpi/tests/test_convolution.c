// Convolutions over ranks against those of one process by sums (its own tests hold these to SciPy's), over random shapes, axes,
// types, modes, cuts, shared operands, operands that some ranks have none of, and results in their place, by messages, which are
// those of the plan, and in memory that ranks share; refusals, which all ranks must return alike, and what they leave; lengths of
// transforms; structs of older and newer programs; a rank that hangs (`hanging`).
#include "support.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { CASES = 2 }; // of a run

typedef struct arrays {
    mst_convolution_desc desc; // of whole arrays
    double *values[3];         // of the one process, as its types have them
    mst_mpi_part parts[3];
    void *own[3];
} arrays;

static size_t numbers(const mst_layout *l) {
    size_t n = l->type == MST_COMPLEX64 || l->type == MST_COMPLEX128 ? 2 : 1;
    for (int k = 0; k < l->rank; k++)
        n *= l->shape[k];
    return n;
}

static bool is_single(mst_type type) { return type == MST_FLOAT32 || type == MST_COMPLEX64; }
static bool is_complex(mst_type type) { return type == MST_COMPLEX64 || type == MST_COMPLEX128; }

static double get(mst_type type, const void *data, size_t i) {
    return is_single(type) ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static void put(mst_type type, void *data, size_t i, double value) {
    if (is_single(type))
        ((float *)data)[i] = (float)value;
    else
        ((double *)data)[i] = value;
}

static mst_type random_type(bool doubles) {
    static const mst_type types[] = {MST_FLOAT32, MST_COMPLEX64, MST_FLOAT64, MST_COMPLEX128};
    return types[test_random(doubles ? 4 : 2)];
}

// Of a short one an operand has one row.
static mst_convolution_desc random_desc(bool doubles, bool is_short) {
    mst_convolution_desc d = MST_CONVOLUTION_DESC_INIT;
    const int rank = 2 + (int)test_random(2);
    const mst_type types[] = {random_type(doubles), random_type(doubles)};
    size_t shapes[2][MST_MAX_RANK];
    const bool is_shared = test_random(2);
    bool x_is_longer = test_random(2);
    d.n_axes = is_short ? 2 : 1 + (int)test_random(2);
    const int first = is_short ? 0 : (int)test_random((size_t)rank);
    d.axes[0] = test_random(2) ? first : first - rank;
    d.axes[1] = (first + 1 + (int)test_random((size_t)rank - 1)) % rank;
    d.mode = (mst_convolution_mode)test_random(is_short ? 3 : 4);
    d.correlate = test_random(2);
    for (int k = 0; k < rank; k++) {
        const bool is_along = k == first || (d.n_axes == 2 && k == d.axes[1]);
        const size_t n = 1 + test_random(13), m = is_short && k == 0 ? 1 : 1 + test_random(13);
        const size_t more = n > m ? n : m, less = n > m ? m : n;
        shapes[0][k] = is_along && x_is_longer ? more : is_along ? less : 1 + n;
        shapes[1][k] = is_along && d.mode != MST_CONVOLUTION_CIRCULAR ? n + m - shapes[0][k] : shapes[0][k];
        if (!is_along && is_shared)
            shapes[1][k] = 1;
    }
    const int x = (int)test_random(2);
    d.x = mst_layout_dense(types[0], rank, shapes[x]);
    d.y = mst_layout_dense(types[1], rank, shapes[1 - x]);
    return d;
}

// By one process.
static void make_reference(mst_context *context, arrays *a) {
    mst_convolution *plan = NULL;
    mst_error e;
    mst_layout *const layouts[] = {&a->desc.x, &a->desc.y, &a->desc.z};
    OK(mst_convolution_result(&a->desc, &a->desc.z, &e));
    for (int side = 0; side < 3; side++)
        a->values[side] = calloc(numbers(layouts[side]) + 2, sizeof(double));
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < numbers(layouts[side]); i++)
            put(layouts[side]->type, a->values[side], i, test_value(1000 * (size_t)side + i));
    if (test_rank == 0) { // so that the others need not compile its kernels
        mst_convolution_desc sums = a->desc;
        sums.algorithm = MST_CONVOLUTION_REFERENCE;
        if (sums.n_axes > 1)
            sums.algorithm = MST_CONVOLUTION_FUSED;
        OK(mst_convolution_create(context, &sums, &plan, &e));
        OK(mst_convolution_execute(plan, mst_at_host(a->values[0]), mst_at_host(a->values[1]), mst_at_host(a->values[2]), NULL,
                                   &e));
        mst_convolution_destroy(plan);
    }
    MPI_Bcast(a->values[2], (int)numbers(&a->desc.z), MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static size_t elements(const mst_mpi_part *p) { return numbers(&p->layout) / (is_complex(p->layout.type) ? 2 : 1); }

static void fill_part(const arrays *a, int side) {
    const mst_layout *whole = side ? &a->desc.y : &a->desc.x;
    const mst_mpi_part *p = &a->parts[side];
    for (size_t i = 0; i < elements(p); i++) {
        const size_t at = test_place_of(p, whole, i);
        if (!is_complex(p->layout.type)) {
            put(p->layout.type, a->own[side], i, get(whole->type, a->values[side], at));
        } else if (is_complex(whole->type)) {
            put(p->layout.type, a->own[side], 2 * i, get(whole->type, a->values[side], 2 * at));
            put(p->layout.type, a->own[side], 2 * i + 1, get(whole->type, a->values[side], 2 * at + 1));
        } else {
            put(p->layout.type, a->own[side], 2 * i, get(whole->type, a->values[side], at));
        }
    }
}

static void check_result(const arrays *a, const void *z) {
    const mst_layout *whole = &a->desc.z;
    const mst_mpi_part *p = &a->parts[2];
    const size_t width = is_complex(whole->type) ? 2 : 1;
    double sums[2] = {0, 0}, all[2];
    unsigned long long mine = elements(p), covered = 0;
    for (size_t i = 0; i < elements(p); i++)
        for (size_t w = 0; w < width; w++) {
            const double want = get(whole->type, a->values[2], width * test_place_of(p, whole, i) + w);
            sums[0] += pow(get(whole->type, z, width * i + w) - want, 2);
            sums[1] += want * want;
        }
    MPI_Allreduce(sums, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &covered, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(covered * width == numbers(whole), "the parts have %llu elements, the result %zu numbers", covered, numbers(whole));
    CHECK(sqrt(all[0]) <= (is_single(whole->type) ? 4e-6 : 8e-15) * sqrt(all[1]),
          "relative error %g: %s %zu x %zu x %zu and %s %zu x %zu x %zu of %d, %d axes, mode %d, %s",
          sqrt(all[0] / fmax(all[1], 1e-300)), mst_type_name(a->desc.x.type), a->desc.x.shape[0], a->desc.x.shape[1],
          a->desc.x.shape[2], mst_type_name(a->desc.y.type), a->desc.y.shape[0], a->desc.y.shape[1], a->desc.y.shape[2],
          whole->rank, a->desc.n_axes, (int)a->desc.mode, a->desc.correlate ? "correlated" : "convolved");
}

static void check_messages(const mst_convolution_desc *d, mst_mpi_cut cut) {
    unsigned long long messages, bytes;
    mst_mpi_needs needs = MST_MPI_NEEDS_INIT;
    mst_error e;
    OK(mst_mpi_convolution_needs(d, cut, test_n_ranks, test_rank, &needs, &e));
    test_sent(&messages, &bytes);
    CHECK(messages == needs.messages && bytes == needs.sent_bytes, "sent %llu messages of %llu bytes, planned %llu of %llu",
          messages, bytes, (unsigned long long)needs.messages, (unsigned long long)needs.sent_bytes);
}

// Apart: messages go as between hosts, which is what plans count; else ranks read one another's memory.
static void run_case(mst_context *context, const mst_convolution_desc *desc, mst_mpi_cut cut, bool apart) {
    arrays a = {.desc = *desc, .parts = {MST_MPI_PART_INIT, MST_MPI_PART_INIT, MST_MPI_PART_INIT}};
    size_t most = 1;
    mst_mpi_convolution *plan = NULL;
    unsigned long long messages, bytes;
    mst_error e;
    make_reference(context, &a);
    OK(mst_mpi_convolution_parts(&a.desc, cut, test_n_ranks, test_rank, &a.parts[0], &a.parts[1], &a.parts[2], &e));
    test_part_hosts(apart);
    OK(mst_mpi_convolution_create(MPI_COMM_WORLD, context, &a.desc, cut, 60, &plan, &e));
    for (int side = 0; side < 3; side++)
        most = numbers(&a.parts[side].layout) > most ? numbers(&a.parts[side].layout) : most;
    for (int side = 0; side < 3; side++)
        a.own[side] = calloc(most, sizeof(double));
    const void *const x = numbers(&a.parts[0].layout) ? a.own[0] : NULL, *const y = numbers(&a.parts[1].layout) ? a.own[1] : NULL;
    void *const to[] = {a.own[2], a.own[test_random(2)]}; // the second time in place of an operand
    for (int turn = 0; turn < 2; turn++) {
        for (int side = 0; side < 2; side++)
            fill_part(&a, side);
        memset(a.own[2], 0xff, numbers(&a.parts[2].layout) * sizeof(double));
        test_sent(&messages, &bytes);
        OK(mst_mpi_convolution_execute(plan, x, y, to[turn], &e));
        if (apart)
            check_messages(&a.desc, cut);
        check_result(&a, to[turn]);
    }
    mst_mpi_convolution_destroy(plan);
    for (int side = 0; side < 3; side++) {
        free(a.own[side]);
        free(a.values[side]);
    }
}

static void run_random(mst_context *context, bool doubles, bool is_short) {
    mst_convolution_desc d = random_desc(doubles, is_short);
    const mst_mpi_cut cut = is_short ? MST_MPI_CUT_SLABS : (mst_mpi_cut)test_random(d.x.rank >= 3 ? 3 : 2);
    mst_mpi_part x = MST_MPI_PART_INIT, y = MST_MPI_PART_INIT;
    mst_layout result;
    mst_error e;
    if (mst_convolution_result(&d, &result, &e) != MST_OK) // valid, with neither longer along both axes
        d.mode = MST_CONVOLUTION_SAME;
    run_case(context, &d, cut, test_random(2));
    if (!is_short || test_rank == 0)
        return;
    OK(mst_mpi_convolution_parts(&d, cut, test_n_ranks, test_rank, &x, &y, NULL, &e));
    CHECK(numbers(&x.layout) == 0 || numbers(&y.layout) == 0, "more than the first rank has the one row");
}

// By 2 x 2 ranks spectra are cut unevenly along an axis that is not the slowest: their strides differ, and ranks read one
// another's parts.
static void check_uneven(mst_context *context) {
    mst_convolution_desc d = MST_CONVOLUTION_DESC_INIT;
    d.x = d.y = mst_layout_dense(MST_FLOAT32, 3, (const size_t[]){4, 5, 6});
    d.axes[0] = 1;
    d.axes[1] = 2;
    for (d.n_axes = 2; d.n_axes <= 3; d.n_axes++)
        run_case(context, &d, MST_MPI_CUT_PENCILS, false);
}

static void check_refusals(mst_context *context) {
    mst_convolution_desc d = MST_CONVOLUTION_DESC_INIT;
    mst_mpi_convolution *plan = NULL;
    mst_error e;
    char who[32];
    d.x = d.y = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){4, 5});
    d.axes[0] = test_rank == test_n_ranks - 1 ? 2 : 0;
    mst_status status = mst_mpi_convolution_create(MPI_COMM_WORLD, context, &d, MST_MPI_CUT_AUTO, 60, &plan, &e);
    snprintf(who, sizeof who, "rank %d: ", test_n_ranks - 1);
    CHECK(status == MST_ERROR_ARGUMENT && !plan && (test_n_ranks == 1 || strstr(e.message, who)), "a wrong axis gives %s: %s",
          mst_status_name(status), e.message);
    d.axes[0] = 0;
    status = mst_mpi_convolution_create(MPI_COMM_WORLD, context, &d, MST_MPI_CUT_AUTO, -1, &plan, &e);
    CHECK(status == MST_ERROR_ARGUMENT && strstr(e.message, "timeout"), "a wrong timeout gives '%s'", e.message);
    OK(mst_mpi_convolution_create(MPI_COMM_WORLD, context, &d, MST_MPI_CUT_AUTO, 60, &plan, &e));
    float operand[20] = {0}, result[35];
    status = mst_mpi_convolution_execute(plan, operand, test_rank ? operand : NULL, result, &e);
    CHECK(status == MST_ERROR_ARGUMENT && (test_n_ranks == 1 || strstr(e.message, "rank 0: x, y and z")),
          "an array of the first rank that is NULL gives %s: %s", mst_status_name(status), e.message);
    OK(mst_mpi_convolution_execute(plan, operand, operand, result, &e));
    mst_mpi_convolution_destroy(plan);
    d.x.shape[0] = 0; // nothing to do
    OK(mst_mpi_convolution_create(MPI_COMM_WORLD, context, &d, MST_MPI_CUT_AUTO, 60, &plan, &e));
    OK(mst_mpi_convolution_execute(plan, NULL, operand, NULL, &e));
    mst_mpi_convolution_destroy(plan);
}

// An MST_ERROR_IO that all ranks agree on leaves nothing: nobody is waiting.
static void check_closed_window(mst_context *context) {
    mst_convolution_desc d = MST_CONVOLUTION_DESC_INIT;
    mst_mpi_convolution *plan = NULL;
    mst_error e;
    const int before = test_communicators();
    d.x = d.y = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){4, 5});
    d.n_axes = 2;
    if (test_n_ranks == 1)
        return;
    test_close_windows(1);
    mst_status status = mst_mpi_convolution_create(MPI_COMM_WORLD, context, &d, MST_MPI_CUT_AUTO, 60, &plan, &e);
    CHECK(status == MST_ERROR_IO && !plan && strstr(e.message, "finding memory"), "a closed window gives %s: %s",
          mst_status_name(status), e.message);
    CHECK(test_communicators() == before, "%d communicators are left", test_communicators() - before);
    test_close_windows(0);
}

// Of the padded transforms of rows of n and m elements, two by each of two ranks, which the first one's messages tell: known
// products of 2, 3, 5 and 7 (OEIS A002473). The other rank gets the second half of a row of either operand, and the first one
// keeps two of the three rows of its half of the product.
static void check_lengths(void) {
    const size_t most = (size_t)1 << 48;
    const struct {
        size_t n, m, length;
    } cases[] = {{1, 1, 1},
                 {4, 8, 12},
                 {10, 10, 20},
                 {100, 23, 125},
                 {5000, 1, 5000},
                 {5001, 1, 5040},
                 {most / 2, 1, most / 2},
                 {most / 2, most / 2, most}};
    mst_convolution_desc d = MST_CONVOLUTION_DESC_INIT;
    mst_mpi_needs needs = MST_MPI_NEEDS_INIT;
    mst_error e;
    d.n_axes = 2;
    d.axes[1] = 0;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        d.x = mst_layout_dense(MST_COMPLEX64, 2, (const size_t[]){2, cases[k].n});
        d.y = mst_layout_dense(MST_COMPLEX64, 2, (const size_t[]){2, cases[k].m});
        const size_t first = (cases[k].length + 1) / 2, second = cases[k].length - first;
        OK(mst_mpi_convolution_needs(&d, MST_MPI_CUT_SLABS, 2, 0, &needs, &e));
        CHECK(needs.sent_bytes == 8 * (2 * second + first), "%zu and %zu elements: %llu bytes", cases[k].n, cases[k].m,
              (unsigned long long)needs.sent_bytes);
    }
    d.x = mst_layout_dense(MST_COMPLEX64, 2, (const size_t[]){1, most});
    d.y = mst_layout_dense(MST_COMPLEX64, 2, (const size_t[]){1, 2});
    mst_status status = mst_mpi_convolution_needs(&d, MST_MPI_CUT_SLABS, 1, 0, &needs, &e);
    CHECK(status == MST_ERROR_UNSUPPORTED && strstr(e.message, "281474976710657"), "a longer one gives %s: %s",
          mst_status_name(status), e.message);
}

// As an older program's struct lacks its last member, and a newer one's has one more, unset or set.
static void check_sizes(void) {
    struct {
        mst_mpi_part known;
        size_t more;
    } newer = {MST_MPI_PART_INIT, 7};
    struct {
        mst_mpi_fft_desc known;
        size_t more;
    } desc = {MST_MPI_FFT_DESC_INIT, 0};
    mst_mpi_part older = MST_MPI_PART_INIT;
    mst_mpi_needs needs = MST_MPI_NEEDS_INIT;
    mst_error e;
    newer.known.struct_size += sizeof newer.more;
    desc.known.struct_size += sizeof desc.more;
    older.struct_size = (offsetof(mst_mpi_part, on_host) + 7) / 8 * 8;
    older.on_host = 99;
    needs.struct_size = offsetof(mst_mpi_needs, host_bytes);
    needs.host_bytes = 99;
    desc.known.input = MST_COMPLEX64;
    desc.known.rank = 2;
    desc.known.shape[0] = desc.known.shape[1] = 8;
    OK(mst_mpi_fft_parts(&desc.known, 2, 1, &newer.known, &older, &e));
    CHECK(newer.more == 7 && newer.known.layout.shape[0] == 4 && older.start[0] == 4, "parts of other sizes");
    OK(mst_mpi_fft_needs(&desc.known, 2, 1, &needs, &e));
    CHECK(needs.exchanges == 0 && needs.host_bytes == 99, "needs of an older program");
    desc.known.struct_size = offsetof(mst_mpi_fft_desc, timeout);
    desc.known.timeout = -1;
    OK(mst_mpi_fft_parts(&desc.known, 2, 1, NULL, NULL, &e));
    desc.known.struct_size = sizeof desc;
    desc.known.timeout = 0;
    desc.more = 1;
    CHECK(mst_mpi_fft_parts(&desc.known, 2, 1, NULL, NULL, &e) == MST_ERROR_ARGUMENT, "a member that is not known is set");
    older.struct_size = sizeof older - 1;
    desc.more = 0;
    mst_convolution_desc short_desc = MST_CONVOLUTION_DESC_INIT; // its last members, if they were read, would be refused
    mst_mpi_part z = MST_MPI_PART_INIT;
    short_desc.struct_size = offsetof(mst_convolution_desc, z);
    short_desc.x = short_desc.y = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){4, 5});
    short_desc.n_axes = -1;
    short_desc.axes[0] = 9;
    OK(mst_mpi_convolution_parts(&short_desc, MST_MPI_CUT_SLABS, 1, 0, NULL, NULL, &z, &e));
    CHECK(z.layout.shape[0] == 4 && z.layout.shape[1] == 9, "a description of an older program");
    CHECK(mst_mpi_fft_parts(&desc.known, 2, 1, &older, NULL, &e) == MST_ERROR_ARGUMENT, "a size that no struct has");
}

// Of a plan whose ranks are lost nothing is given back that would take all of them.
static void check_hanging(mst_context *context) {
    mst_convolution_desc d = MST_CONVOLUTION_DESC_INIT;
    mst_mpi_convolution *plan = NULL;
    mst_error e;
    const float operand[20] = {1};
    float result[63];
    d.x = d.y = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){4, 5});
    d.n_axes = 2;
    OK(mst_mpi_convolution_create(MPI_COMM_WORLD, context, &d, MST_MPI_CUT_AUTO, 2, &plan, &e));
    if (test_rank == test_n_ranks - 1)
        sleep(60);
    mst_status status = mst_mpi_convolution_execute(plan, operand, operand, result, &e);
    CHECK(status == MST_ERROR_IO && mst_mpi_convolution_is_broken(plan), "a rank that hangs gives %s", mst_status_name(status));
    const int before = test_communicators();
    mst_mpi_convolution_destroy(plan);
    CHECK(test_communicators() == before, "%d communicators were freed", before - test_communicators());
    printf("noticed: %s\n", e.message);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
    mst_context *context = test_begin(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "hanging") == 0)
        check_hanging(context);
    const int cases = argc > 1 ? atoi(argv[1]) : CASES;
    const bool doubles = mst_context_device(context)->fp64;
    check_sizes();
    check_lengths();
    check_refusals(context);
    check_closed_window(context);
    check_uneven(context);
    for (int i = 0; i < cases; i++)
        run_random(context, doubles, i % 2);
    test_end(context);
    return 0;
}
