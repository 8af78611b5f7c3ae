// Convolves a batch of signals with one kernel and checks every value against the direct sum.
#include <mastaba/mastaba.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 7, SIGNAL = 1000, KERNEL = 51, FULL = SIGNAL + KERNEL - 1 };

static void fill(float *values, int n, unsigned seed) {
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)(seed >> 8) * 0x1p-23f - 1;
    }
}

static double norm(const float *values, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)values[i] * values[i];
    return sqrt(sum);
}

// full[k] = sum_i x[i] y[k - i]
static double direct(const float *x, const float *y, int k) {
    double sum = 0;
    for (int i = 0; i < SIGNAL; i++)
        if (k - i >= 0 && k - i < KERNEL)
            sum += (double)x[i] * y[k - i];
    return sum;
}

// The largest error of any vector, relative to the product of the norms of its signal and the kernel.
static double worst_error(const float *x, const float *y, const float *z) {
    double worst = 0;
    for (int b = 0; b < BATCH; b++) {
        double sum = 0;
        for (int k = 0; k < FULL; k++)
            sum += pow(z[b * FULL + k] - direct(x + b * SIGNAL, y, k), 2);
        worst = fmax(worst, sqrt(sum) / (norm(x + b * SIGNAL, SIGNAL) * norm(y, KERNEL)));
    }
    return worst;
}

int main(void) {
    static float x[BATCH * SIGNAL], y[KERNEL], z[BATCH * FULL];
    fill(x, BATCH * SIGNAL, 1);
    fill(y, KERNEL, 2);

    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT; // full convolution along the last axis
    desc.x = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){BATCH, SIGNAL});
    desc.y = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){1, KERNEL}); // one kernel for all signals

    mst_error error;
    mst_context *context = NULL;
    mst_convolution *plan = NULL;
    mst_status status = mst_context_create(NULL, &context, &error);
    if (status == MST_OK)
        status = mst_convolution_create(context, &desc, &plan, &error);
    if (status == MST_OK)
        status = mst_convolution_execute(plan, mst_at_host(x), mst_at_host(y), mst_at_host(z), NULL, &error);
    if (status == MST_OK)
        printf("%d convolutions of %d with %d on %s, by %s\n", BATCH, SIGNAL, KERNEL, mst_context_device(context)->name,
               mst_convolution_algorithm_name(mst_convolution_algorithm_used(plan)));
    mst_convolution_destroy(plan);
    mst_context_destroy(context);
    if (status != MST_OK) {
        fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }

    double worst = worst_error(x, y, z);
    printf("largest error of a vector: %.1e\n", worst);
    return worst < 5e-7 ? EXIT_SUCCESS : EXIT_FAILURE;
}
