// Transforms a batch of tones, finds each in its own bin, and transforms back.
#include <complex.h>
#include <mastaba/mastaba.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 5, LENGTH = 1024 };

static const double two_pi = 6.28318530717958647692;

// Tone b turns 3 b + 1 times over the line and has amplitude b + 1.
static int tone_bin(int b) { return 3 * b + 1; }

static void make_tones(float complex *x) {
    for (int b = 0; b < BATCH; b++)
        for (int j = 0; j < LENGTH; j++)
            x[b * LENGTH + j] = (float complex)((b + 1) * cexp(I * two_pi * tone_bin(b) * j / LENGTH));
}

static double largest_difference(const float complex *a, const float complex *b) {
    double largest = 0;
    for (int i = 0; i < BATCH * LENGTH; i++)
        largest = fmax(largest, cabs((double complex)a[i] - (double complex)b[i]));
    return largest;
}

// One plan, one execution. Host memory passes through the device by itself.
static mst_status transform(mst_context *context, mst_fft_direction direction, double scale, const float complex *in,
                            float complex *out, mst_error *error) {
    mst_fft_desc desc = MST_FFT_DESC_INIT; // one axis, the last; output like the input
    desc.input = mst_layout_dense(MST_COMPLEX64, 2, (const size_t[]){BATCH, LENGTH});
    desc.direction = direction;
    desc.scale = scale;

    mst_fft *plan = NULL;
    mst_status status = mst_fft_create(context, &desc, &plan, error);
    if (status == MST_OK)
        status = mst_fft_execute(plan, mst_at_host(in), mst_at_host(out), NULL, error);
    mst_fft_destroy(plan);
    return status;
}

int main(void) {
    static float complex tones[BATCH * LENGTH], spectra[BATCH * LENGTH], back[BATCH * LENGTH], expected[BATCH * LENGTH];
    make_tones(tones);
    for (int b = 0; b < BATCH; b++)
        expected[b * LENGTH + tone_bin(b)] = (float)((b + 1) * LENGTH);

    mst_error error;
    mst_context *context = NULL;
    mst_status status = mst_context_create(NULL, &context, &error);
    if (status == MST_OK)
        status = transform(context, MST_FFT_FORWARD, 1.0, tones, spectra, &error);
    if (status == MST_OK)
        status = transform(context, MST_FFT_INVERSE, 1.0 / LENGTH, spectra, back, &error);
    mst_context_destroy(context);
    if (status != MST_OK) {
        fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }

    double forward = largest_difference(spectra, expected) / (BATCH * LENGTH);
    double round_trip = largest_difference(back, tones) / BATCH;
    printf("%d transforms of %d points: forward error %.1e, round trip error %.1e\n", BATCH, LENGTH, forward, round_trip);
    return forward < 1e-6 && round_trip < 1e-6 ? EXIT_SUCCESS : EXIT_FAILURE;
}
