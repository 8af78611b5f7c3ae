// Finds how much later a sound reaches each of four microphones than a fifth, from noisy recordings: the correlation of two
// recordings has its peak where one is the other delayed. A parabola through the peak gives a fraction of a sample.
#include <mastaba/mastaba.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_MICROPHONES = 4, LENGTH = 8192, FULL = 2 * LENGTH - 1, N_TONES = 300 };

static const double delays[N_MICROPHONES] = {17.25, -3.5, 120.0, 481.8}; // in samples
static const double noise_amplitude = 0.5;

static double uniform(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) * 0x1p-24;
}

// The sound at any time: 300 tones of random pitch (up to a fifth of the sample rate) and phase, of power 1/2 together.
static double sound(double t) {
    unsigned state = 12345;
    double sum = 0;
    for (int i = 0; i < N_TONES; i++) {
        double frequency = 0.2 * uniform(&state), phase = uniform(&state);
        sum += sin(6.28318530717958647692 * (frequency * t + phase));
    }
    return sum / sqrt(N_TONES);
}

static void record(float *recording, double delay, unsigned noise) {
    for (int i = 0; i < LENGTH; i++)
        recording[i] = (float)(sound(i - delay) + noise_amplitude * (2 * uniform(&noise) - 1));
}

// Where the parabola through the largest value and its two neighbours has its top.
static double peak(const float *values) {
    int top = 1;
    for (int k = 1; k < FULL - 1; k++)
        if (values[k] > values[top])
            top = k;
    double left = values[top - 1], middle = values[top], right = values[top + 1];
    return top + 0.5 * (left - right) / (left - 2 * middle + right);
}

static mst_status correlate(const float *recordings, const float *reference, float *correlation, mst_error *error) {
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    desc.x = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){N_MICROPHONES, LENGTH});
    desc.y = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){1, LENGTH});
    desc.correlate = true;

    mst_context *context = NULL;
    mst_convolution *plan = NULL;
    mst_status status = mst_context_create(NULL, &context, error);
    if (status == MST_OK)
        status = mst_convolution_create(context, &desc, &plan, error);
    if (status == MST_OK)
        status =
            mst_convolution_execute(plan, mst_at_host(recordings), mst_at_host(reference), mst_at_host(correlation), NULL, error);
    mst_convolution_destroy(plan);
    mst_context_destroy(context);
    return status;
}

int main(void) {
    static float recordings[N_MICROPHONES * LENGTH], reference[LENGTH], correlation[N_MICROPHONES * FULL];
    record(reference, 0, 99);
    for (int m = 0; m < N_MICROPHONES; m++)
        record(recordings + m * LENGTH, delays[m], (unsigned)m);

    mst_error error;
    if (correlate(recordings, reference, correlation, &error) != MST_OK) {
        fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }

    int passed = 1;
    for (int m = 0; m < N_MICROPHONES; m++) {
        double found = peak(correlation + m * FULL) - (LENGTH - 1); // index LENGTH - 1 is lag 0
        printf("microphone %d: delay %7.2f samples, found %7.2f\n", m, delays[m], found);
        passed = passed && fabs(found - delays[m]) < 0.05;
    }
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
