// Running FFT plans.
#include "support.h"

mst_layout test_fft_output(const mst_fft_desc *desc) {
    const mst_layout *in = &desc->input;
    size_t shape[MST_MAX_RANK];
    if (desc->output.rank)
        return desc->output;
    memcpy(shape, in->shape, sizeof shape);
    if (desc->kind != MST_FFT_FOURIER || in->type == MST_COMPLEX64 || in->type == MST_COMPLEX128)
        return mst_layout_dense(in->type, in->rank, shape);
    int last = (desc->axes[desc->n_axes - 1] + in->rank) % in->rank;
    shape[last] = shape[last] / 2 + 1;
    return mst_layout_dense(in->type == MST_FLOAT32 ? MST_COMPLEX64 : MST_COMPLEX128, in->rank, shape);
}

// Bluestein's method, for prime factors above 13, is allowed twice the error.
static bool is_smooth(size_t n) {
    static const size_t primes[] = {2, 3, 5, 7, 11, 13};
    for (int k = 0; k < 6; k++)
        while (n % primes[k] == 0)
            n /= primes[k];
    return n == 1;
}

test_array test_fft_run(mst_context *context, const mst_fft_desc *desc, const test_array *input, mst_place from, mst_place to,
                        const mst_execution *how) {
    mst_error e;
    mst_fft *plan = NULL;
    mst_layout layout = test_fft_output(desc);
    test_array output = test_array_new(&layout);
    test_placed in = test_place(context, from, input), out = test_place(context, to, &output);
    OK(mst_fft_create(context, desc, &plan, &e));
    OK(mst_fft_execute(plan, in.at, out.at, how, &e));
    mst_fft_destroy(plan);
    test_collect_input(&in, input);
    test_collect_output(&out, &output);
    return output;
}

double test_fft_gate(const mst_fft_desc *desc) {
    mst_layout output = test_fft_output(desc);
    size_t n = 1;
    double allowed = 1;
    for (int k = 0; k < desc->n_axes; k++) {
        int axis = (desc->axes[k] + desc->input.rank) % desc->input.rank;
        size_t length = desc->input.shape[axis] > output.shape[axis] ? desc->input.shape[axis] : output.shape[axis];
        if (desc->kind == MST_FFT_DCT1 || desc->kind == MST_FFT_DST1) // the period of the even or odd data
            length = 2 * (desc->kind == MST_FFT_DCT1 ? length - 1 : length + 1);
        else if (desc->kind != MST_FFT_FOURIER)
            length *= 2;
        n *= length;
        if (length > 0 && !is_smooth(length))
            allowed = 2;
        if (desc->kind == MST_FFT_DCT1 && desc->orthogonal) // weights before and after
            allowed = 2;
    }
    return allowed * test_gate(&desc->input, n);
}

void test_fft_check(mst_context *context, const mst_fft_desc *desc, mst_place from, mst_place to) {
    test_array input = test_array_random(&desc->input);
    test_array output = test_fft_run(context, desc, &input, from, to, NULL);
    test_wide *reference = test_fft_reference(desc, &input);
    double error = test_fft_error(desc, &output, reference), gate = test_fft_gate(desc);
    CHECK(error <= gate, "%s in %s -> %s in %s, kind %d, %d axes (%d %d %d), %s, shape %d, scale %g: error %.3g is above %.3g",
          test_layout_text(&desc->input), test_place_name(from), test_layout_text(&output.layout), test_place_name(to),
          (int)desc->kind, desc->n_axes, desc->axes[0], desc->axes[1], desc->axes[2],
          desc->direction == MST_FFT_FORWARD ? "forward" : "inverse", (int)desc->shape, desc->scale, error, gate);
    free(reference);
    test_array_free(&input);
    test_array_free(&output);
}
