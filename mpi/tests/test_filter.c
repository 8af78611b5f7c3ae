// Filters of images and volumes over ranks against those of one process (whose own tests hold them to their definition), over
// random kinds, edges, roll-offs, types, outputs, sides, batches, channels, opacity and cuts; messages and bytes are those of the
// plan; refusals, which all ranks must return alike; images without pixels; a transform of even kind over ranks against its
// definition.
#include "support.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { CASES = 3, MOST_SIDE = 19 }; // of a run

typedef struct arrays {
    mst_filter_desc desc; // of whole arrays
    mst_filter_notch notches[2];
    float mask[5 * 6 * 4];
    double values[2 * MOST_SIDE * MOST_SIDE * MOST_SIDE * 4], results[2 * MOST_SIDE * MOST_SIDE * MOST_SIDE * 4];
    mst_mpi_part parts[2];
} arrays;

static size_t elements(const mst_layout *l) {
    size_t n = 1;
    for (int k = 0; k < l->rank; k++)
        n *= l->shape[k];
    return n;
}

static double get(mst_type type, const void *data, size_t i) {
    return type == MST_UINT8     ? ((const uint8_t *)data)[i]
           : type == MST_UINT16  ? ((const uint16_t *)data)[i]
           : type == MST_FLOAT64 ? ((const double *)data)[i]
                                 : (double)((const float *)data)[i];
}

static void put(mst_type type, void *data, size_t i, double value) {
    if (type == MST_UINT8)
        ((uint8_t *)data)[i] = (uint8_t)value;
    else if (type == MST_UINT16)
        ((uint16_t *)data)[i] = (uint16_t)value;
    else if (type == MST_FLOAT64)
        ((double *)data)[i] = value;
    else
        ((float *)data)[i] = (float)value;
}

static double random_real(double from, double to) { return from + (to - from) * (double)test_random(1000) / 1000; }

static void choose_kind(arrays *a) {
    static const mst_filter_kind kinds[] = {MST_FILTER_HIGH_PASS, MST_FILTER_LOW_PASS,  MST_FILTER_BAND_PASS,
                                            MST_FILTER_BAND_STOP, MST_FILTER_NOTCH,     MST_FILTER_MASK,
                                            MST_FILTER_SHARPEN,   MST_FILTER_LAPLACIAN, MST_FILTER_STRIPES};
    mst_filter_desc *d = &a->desc;
    d->kind = kinds[test_random(d->volume ? 8 : 9)];
    d->rolloff = (mst_filter_rolloff)test_random(3);
    d->radius = random_real(0.05, 0.2);
    d->radius2 = random_real(0.25, 0.4);
    d->angle = random_real(0, 180);
    d->notches = a->notches;
    d->n_notches = 2;
    for (int i = 0; i < 2; i++)
        a->notches[i] = (mst_filter_notch){.x = random_real(-0.4, 0.4),
                                           .y = random_real(-0.4, 0.4),
                                           .z = d->volume ? random_real(-0.4, 0.4) : 0,
                                           .radius = random_real(0.05, 0.2)};
    d->mask = a->mask;
    d->mask_depth = d->volume ? 4 : 0;
    d->mask_height = 5;
    d->mask_width = 6;
    for (size_t i = 0; i < sizeof a->mask / sizeof a->mask[0]; i++)
        a->mask[i] = (float)random_real(0.5, 1.5);
}

static void random_desc(arrays *a, bool doubles, size_t number) {
    static const mst_type types[] = {MST_UINT8, MST_UINT16, MST_FLOAT32, MST_FLOAT64};
    mst_filter_desc *d = &a->desc;
    size_t shape[MST_MAX_RANK];
    int rank = 0;
    *d = (mst_filter_desc)MST_FILTER_DESC_INIT;
    d->volume = number % 2;
    if (!d->volume || test_random(2))
        shape[rank++] = 1 + test_random(2);
    for (int k = 0; k < (d->volume ? 3 : 2); k++)
        shape[rank++] = 2 + test_random(MOST_SIDE - 1);
    shape[rank++] = 1 + test_random(4);
    d->alpha = shape[rank - 1] > 1 && test_random(2);
    d->input = mst_layout_dense(types[test_random(doubles ? 4 : 3)], rank, shape);
    choose_kind(a);
    d->edges = (mst_filter_edges)((number + test_random(2)) % 3);
    d->output_as = (mst_filter_output)test_random(5);
    for (size_t i = 0; i < elements(&d->input); i++)
        put(d->input.type, a->values, i,
            d->input.type == MST_UINT16 ? 200 * (double)(i * i % 251) : (i % 3 ? 1 : 0) * (double)test_random(200));
}

// By one process, so that the others need not compile its kernels.
static void make_reference(mst_context *context, arrays *a) {
    mst_filter *plan = NULL;
    mst_error e;
    if (test_rank == 0) {
        OK(mst_filter_create(context, &a->desc, &plan, &e));
        OK(mst_filter_execute(plan, mst_at_host(a->values), mst_at_host(a->results), NULL, &e));
        mst_filter_destroy(plan);
    }
    MPI_Bcast(a->results, (int)sizeof a->results, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void check_result(const arrays *a, const void *result) {
    const mst_mpi_part *p = &a->parts[1];
    const mst_type type = p->layout.type;
    const bool is_whole = type == MST_UINT8 || type == MST_UINT16, is_double = a->desc.input.type == MST_FLOAT64;
    double own[2] = {0, 0}, all[2];
    unsigned long long mine = elements(&p->layout), covered = 0;
    for (size_t i = 0; i < elements(&p->layout); i++) {
        const double want = get(type, a->results, test_place_of(p, &a->desc.input, i));
        own[0] = fmax(own[0], fabs(get(type, result, i) - want));
        own[1] = fmax(own[1], fabs(want));
    }
    MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &covered, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(covered == elements(&a->desc.input), "the parts have %llu elements of %zu", covered, elements(&a->desc.input));
    const double most = is_whole ? 1 : (is_double ? 1e-13 : 4e-6) * fmax(all[1], 1);
    CHECK(all[0] <= most, "off by %g of %g: kind %d, roll-off %d, edges %d, output %d, %s", all[0], all[1], (int)a->desc.kind,
          (int)a->desc.rolloff, (int)a->desc.edges, (int)a->desc.output_as, mst_type_name(a->desc.input.type));
}

static void check_messages(const mst_filter_desc *d, mst_mpi_cut cut) {
    unsigned long long messages, bytes;
    mst_mpi_needs needs = MST_MPI_NEEDS_INIT;
    mst_error e;
    OK(mst_mpi_filter_needs(d, cut, test_n_ranks, test_rank, &needs, &e));
    test_sent(&messages, &bytes);
    CHECK(messages == needs.messages && bytes == needs.sent_bytes, "sent %llu messages of %llu bytes, planned %llu of %llu",
          messages, bytes, (unsigned long long)needs.messages, (unsigned long long)needs.sent_bytes);
}

static void run_case(mst_context *context, arrays *a, bool doubles, size_t number) {
    mst_mpi_filter *plan = NULL;
    mst_error e;
    unsigned long long messages, bytes;
    random_desc(a, doubles, number);
    const mst_mpi_cut cut = (mst_mpi_cut)test_random(a->desc.volume ? 3 : 2);
    make_reference(context, a);
    a->parts[0] = a->parts[1] = (mst_mpi_part)MST_MPI_PART_INIT;
    OK(mst_mpi_filter_parts(&a->desc, cut, test_n_ranks, test_rank, &a->parts[0], &a->parts[1], &e));
    const size_t n[] = {elements(&a->parts[0].layout), elements(&a->parts[1].layout)};
    void *input = calloc(n[0] + 1, sizeof(double)), *output = malloc((n[1] + 1) * sizeof(double));
    memset(output, 0xff, (n[1] + 1) * sizeof(double));
    for (size_t i = 0; i < n[0]; i++)
        put(a->desc.input.type, input, i, get(a->desc.input.type, a->values, test_place_of(&a->parts[0], &a->desc.input, i)));
    test_part_hosts(1);
    OK(mst_mpi_filter_create(MPI_COMM_WORLD, context, &a->desc, cut, 60, &plan, &e));
    test_part_hosts(0);
    test_sent(&messages, &bytes);
    OK(mst_mpi_filter_execute(plan, n[0] ? input : NULL, n[1] ? output : NULL, &e));
    check_messages(&a->desc, cut);
    check_result(a, output);
    mst_mpi_filter_destroy(plan);
    free(input);
    free(output);
}

// ---- What is refused

static void check_refused(mst_context *context, const mst_filter_desc *d, mst_status expected, const char *words) {
    mst_mpi_filter *plan = NULL;
    mst_error e;
    const mst_status status = mst_mpi_filter_create(MPI_COMM_WORLD, context, d, MST_MPI_CUT_AUTO, 60, &plan, &e);
    CHECK(status == expected && !plan && strstr(e.message, words), "not '%s' but %s: %s", words, mst_status_name(status),
          e.message);
}

static void check_refusals(mst_context *context) {
    mst_filter_desc d = MST_FILTER_DESC_INIT;
    mst_mpi_filter *plan = NULL;
    mst_mpi_needs needs = MST_MPI_NEEDS_INIT;
    mst_error e;
    const float image[30] = {1};
    float result[30];
    const int before = test_communicators();
    d.input = mst_layout_dense(MST_FLOAT32, 3, (const size_t[]){5, 6, 1});
    d.radius = test_rank == test_n_ranks - 1 ? -1 : 0.1; // one rank alone
    check_refused(context, &d, MST_ERROR_ARGUMENT, "radius is -1");
    d.radius = 0.1;
    d.kind = MST_FILTER_WIENER;
    check_refused(context, &d, MST_ERROR_UNSUPPORTED, "Wiener filters are for one process");
    d.kind = MST_FILTER_LOW_PASS;
    d.tiles = 0.1;
    check_refused(context, &d, MST_ERROR_UNSUPPORTED, "stages and tiles are of one process");
    d.tiles = 0;
    CHECK(mst_mpi_filter_create(MPI_COMM_WORLD, context, &d, MST_MPI_CUT_AUTO, -1, &plan, &e) == MST_ERROR_ARGUMENT &&
              strstr(e.message, "timeout"),
          "a wrong timeout gives '%s'", e.message);
    CHECK(mst_mpi_filter_create(MPI_COMM_WORLD, context, &d, MST_MPI_CUT_AUTO, 60, NULL, &e) == MST_ERROR_ARGUMENT &&
              strstr(e.message, "out must not be NULL"),
          "no place for the plan gives '%s'", e.message);
    CHECK(mst_mpi_filter_needs(&d, MST_MPI_CUT_AUTO, 2, 2, &needs, &e) == MST_ERROR_ARGUMENT, "there is a rank 2 of 2");
    CHECK(test_communicators() == before, "%d communicators are left", test_communicators() - before);
    OK(mst_mpi_filter_create(MPI_COMM_WORLD, context, &d, MST_MPI_CUT_AUTO, 60, &plan, &e));
    mst_status status = mst_mpi_filter_execute(plan, test_rank ? image : NULL, result, &e);
    CHECK(status == MST_ERROR_ARGUMENT && strstr(e.message, "input and output must not be NULL"),
          "an image of the first rank that is NULL gives %s: %s", mst_status_name(status), e.message);
    OK(mst_mpi_filter_execute(plan, image, result, &e));
    mst_mpi_filter_destroy(plan);
    d.input.shape[1] = 0; // nothing to do
    OK(mst_mpi_filter_create(MPI_COMM_WORLD, context, &d, MST_MPI_CUT_AUTO, 60, &plan, &e));
    OK(mst_mpi_filter_execute(plan, NULL, NULL, &e));
    mst_mpi_filter_destroy(plan);
    CHECK(test_communicators() == before, "%d communicators are left by plans", test_communicators() - before);
}

// ---- Transforms of an even kind

// Type II along both axes, in natural order, and back.
static void check_cosines(mst_context *context) {
    enum { HEIGHT = 7, WIDTH = 5 };
    const double pi = acos(-1);
    mst_mpi_fft_desc d = MST_MPI_FFT_DESC_INIT;
    mst_mpi_part part = MST_MPI_PART_INIT;
    mst_mpi_fft *plan = NULL;
    mst_error e;
    float x[HEIGHT * WIDTH] = {0}, z[HEIGHT * WIDTH] = {0}, back[HEIGHT * WIDTH] = {0};
    d.input = MST_FLOAT32;
    d.rank = d.n_axes = 2;
    d.axes[0] = 0, d.axes[1] = 1;
    d.shape[0] = HEIGHT, d.shape[1] = WIDTH;
    d.kind = MST_FFT_DCT2;
    d.timeout = 60;
    OK(mst_mpi_fft_parts(&d, test_n_ranks, test_rank, &part, NULL, &e));
    const size_t n = elements(&part.layout);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)test_value(part.start[0] * WIDTH + i);
    OK(mst_mpi_fft_create(MPI_COMM_WORLD, context, &d, &plan, &e));
    OK(mst_mpi_fft_execute(plan, mst_at_host(x), mst_at_host(z), &e));
    mst_mpi_fft_destroy(plan);
    for (size_t i = 0; i < n; i++) {
        double want = 0;
        for (int y = 0; y < HEIGHT; y++)
            for (int w = 0; w < WIDTH; w++)
                want += 4 * test_value((size_t)(y * WIDTH + w)) *
                        cos(pi * (double)(part.start[0] + i / WIDTH) * (2 * y + 1) / (2 * HEIGHT)) *
                        cos(pi * (double)(i % WIDTH) * (2 * w + 1) / (2 * WIDTH));
        CHECK(fabs((double)z[i] - want) < 1e-4, "number %zu of a cosine transform is %g, not %g", i, (double)z[i], want);
    }
    d.direction = MST_FFT_INVERSE;
    d.scale = 1.0 / (4 * HEIGHT * WIDTH);
    OK(mst_mpi_fft_create(MPI_COMM_WORLD, context, &d, &plan, &e));
    OK(mst_mpi_fft_execute(plan, mst_at_host(z), mst_at_host(back), &e));
    mst_mpi_fft_destroy(plan);
    for (size_t i = 0; i < n; i++)
        CHECK(fabsf(back[i] - x[i]) < 1e-5F, "number %zu comes back as %g, not %g", i, (double)back[i], (double)x[i]);
    d.input = MST_COMPLEX64;
    CHECK(mst_mpi_fft_parts(&d, 2, 0, &part, NULL, &e) == MST_ERROR_ARGUMENT && strstr(e.message, "of real numbers"),
          "a cosine transform of complex numbers: %s", e.message);
}

int main(int argc, char **argv) {
    static arrays a;
    mst_context *context = test_begin(&argc, &argv);
    const size_t cases = argc > 1 ? (size_t)atoi(argv[1]) : CASES, first = test_random(6);
    const bool doubles = mst_context_device(context)->fp64;
    check_cosines(context);
    check_refusals(context);
    for (size_t i = 0; i < cases; i++)
        run_case(context, &a, doubles, first + i);
    test_end(context);
    return 0;
}
