// Random FFTs: lengths, axes, batches, strides, types, directions, places, in place and with little memory, beside FFTW.
#include "support_choices.h"

#include <math.h>

typedef struct fft_case {
    mst_fft_desc desc;
    mst_place from, to;
    bool in_place;
    uint64_t device_memory; // 0: no limit
} fft_case;

static void choose_shape(fft_case *c, size_t *shape, int rank) {
    size_t room = test_choose_rarely(6) ? 300000 : 20000;
    for (int k = 0; k < rank; k++)
        shape[k] = 1;
    for (int a = 0; a < c->desc.n_axes; a++) {
        int axis = (c->desc.axes[a] + rank) % rank;
        shape[axis] = test_choose_length(a == 0 ? room : room < 300 ? room : 300);
        room /= shape[axis];
        room = room ? room : 1;
    }
    for (int k = 0; k < rank; k++)
        if (shape[k] == 1 && room > 1) {
            shape[k] = test_choose_between(1, room < 20 ? room : 20);
            room /= shape[k];
        }
}

static void choose_axes(fft_case *c, int rank) {
    int most = rank < MST_MAX_AXES ? rank : MST_MAX_AXES, first = (int)test_choose((size_t)rank);
    c->desc.n_axes = (int)test_choose_between(1, (size_t)most);
    bool upwards = test_choose(2) == 1;
    for (int a = 0; a < c->desc.n_axes; a++) {
        int axis = (rank - 1 - first + (upwards ? a : rank - a)) % rank;
        c->desc.axes[a] = test_choose(2) ? axis - rank : axis;
    }
}

// Complex to complex, real to complex, complex to real.
static void choose_layouts(fft_case *c, mst_context *context, const size_t *shape, int rank) {
    bool is_double = test_choose(2) == 1 && mst_context_device(context)->fp64;
    mst_type real = is_double ? MST_FLOAT64 : MST_FLOAT32, complex_type = is_double ? MST_COMPLEX128 : MST_COMPLEX64;
    size_t kind = test_choose(4), half[MST_MAX_RANK];
    int last = (c->desc.axes[c->desc.n_axes - 1] + rank) % rank;
    memcpy(half, shape, sizeof half);
    half[last] = shape[last] / 2 + 1;
    bool from_real = kind == 2, to_real = kind == 3;
    c->desc.input = test_choose_layout(from_real ? real : complex_type, rank, to_real ? half : shape, true);
    if (to_real || test_choose(2))
        c->desc.output = test_choose_layout(to_real ? real : complex_type, rank, from_real ? half : shape, false);
    c->desc.direction = to_real || (!from_real && test_choose(2)) ? MST_FFT_INVERSE : MST_FFT_FORWARD;
    c->in_place = !from_real && !to_real && test_choose_rarely(4);
    for (int k = 0; k < rank; k++)
        c->in_place = c->in_place && c->desc.input.strides[k] != 0;
    if (c->in_place)
        c->desc.output = c->desc.input;
}

static void describe(const fft_case *c) {
    const mst_fft_desc *d = &c->desc;
    mst_layout output = test_fft_output(d);
    test_case_made(1, "%s in %s -> %s in %s%s, %d axes (%d %d %d), %s, shape %d, scale %g, memory %llu",
                   test_layout_text(&d->input), test_place_name(c->from), test_layout_text(&output), test_place_name(c->to),
                   c->in_place ? " in place" : "", d->n_axes, d->axes[0], d->axes[1], d->axes[2],
                   d->direction == MST_FFT_FORWARD ? "forward" : "inverse", (int)d->shape, d->scale,
                   (unsigned long long)c->device_memory);
}

static void check(const fft_case *c, const test_array *input, const test_array *output) {
    test_wide *reference = test_fft_reference(&c->desc, input);
    double error = test_fft_error(&c->desc, output, reference), gate = test_fft_gate(&c->desc);
    if (output->elements < 256) // single errors scatter
        gate *= 2;
    CHECK(error <= gate, "error %.3g is above %.3g", error, gate);
    free(reference);
}

static void try_transform(const fft_case *c, mst_context *context) {
    mst_error e;
    mst_fft *plan = NULL;
    mst_layout layout = test_fft_output(&c->desc);
    test_array input = test_array_random(&c->desc.input), output = test_array_new(&layout);
    test_placed in = test_place(context, c->from, &input), out = in;
    if (!c->in_place)
        out = test_place(context, c->to, &output);
    mst_status status = mst_fft_create(context, &c->desc, &plan, &e);
    if (status == MST_OK)
        status = mst_fft_execute(plan, in.at, out.at, NULL, &e);
    CHECK(status == MST_OK || (status == MST_ERROR_BUDGET && c->device_memory), "%s", e.message);
    mst_fft_destroy(plan);
    if (!c->in_place)
        test_collect_input(&in, &input);
    test_collect_output(&out, &output);
    if (status == MST_OK)
        check(c, &input, &output);
    test_array_free(&input);
    test_array_free(&output);
}

static void make_and_try(mst_context *shared) {
    const mst_fft_desc desc = MST_FFT_DESC_INIT;
    fft_case c = {.desc = desc};
    size_t shape[MST_MAX_RANK] = {0};
    int rank = (int)test_choose_between(1, 5);
    choose_axes(&c, rank);
    choose_shape(&c, shape, rank);
    choose_layouts(&c, shared, shape, rank);
    c.from = test_choose_place();
    c.to = test_choose_place();
    c.desc.shape = (mst_fft_shape)test_choose(3);
    c.desc.scale = test_choose(3) ? ldexp(1, -(int)test_choose(10)) * (test_choose(2) ? -1 : 1) : 1;
    c.device_memory = test_choose_rarely(5) ? 4096 + 1000 * test_choose(2000) : 0;
    describe(&c);
    mst_context *context = c.device_memory ? test_context_with_budget(c.device_memory, 0) : shared;
    try_transform(&c, context);
    if (context != shared) {
        CHECK(mst_context_device_memory_used(context) == 0, "device memory is still held");
        mst_context_destroy(context);
    }
}

int main(int argc, char **argv) { return test_choices_main(argc, argv, "transforms", make_and_try); }
