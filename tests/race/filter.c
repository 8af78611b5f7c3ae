#include "race.h"

#include <math.h>

enum { N_CASES = 6 };

// An ideal low pass that keeps frequency 0 only: every result is the mean. Fused in both shapes, one step and several; composed
// (an odd height); as published; with the range of the results.
static void run(mst_context *context, int c) {
    static const struct {
        size_t n, m;
        mst_fft_shape shape;
        mst_filter_algorithm algorithm;
        mst_filter_output output;
    } cases[N_CASES] = {{4, 8, MST_FFT_SHAPE_GPU, MST_FILTER_AUTO, MST_FILTER_RAW},
                        {64, 6, MST_FFT_SHAPE_GPU, MST_FILTER_AUTO, MST_FILTER_RAW},
                        {6, 60, MST_FFT_SHAPE_GPU, MST_FILTER_AUTO, MST_FILTER_STRETCH},
                        {12, 20, MST_FFT_SHAPE_CPU, MST_FILTER_AUTO, MST_FILTER_RAW},
                        {5, 6, MST_FFT_SHAPE_GPU, MST_FILTER_AUTO, MST_FILTER_MAGNITUDE},
                        {8, 8, MST_FFT_SHAPE_GPU, MST_FILTER_PAPER, MST_FILTER_RAW}};
    static float in[MAX_VALUES], out[MAX_VALUES];
    mst_error error;
    mst_filter *plan;
    mst_filter_desc desc = MST_FILTER_DESC_INIT;
    const size_t n = cases[c].n * cases[c].m;
    desc.input = mst_layout_dense(MST_FLOAT32, 3, (const size_t[]){cases[c].n, cases[c].m, 1});
    desc.rolloff = MST_FILTER_IDEAL;
    desc.radius = 0.01;
    desc.edges = MST_FILTER_WRAP;
    desc.output_as = cases[c].output;
    desc.algorithm = cases[c].algorithm;
    desc.shape = cases[c].shape;
    double mean = 0;
    for (size_t i = 0; i < n; i++) {
        in[i] = (float)(1 + cos((double)i));
        mean += (double)in[i] / (double)n;
    }
    check(mst_filter_create(context, &desc, &plan, &error), &error);
    check(mst_filter_execute(plan, mst_at_host(in), mst_at_host(out), NULL, &error), &error);
    mst_filter_destroy(plan);
    for (size_t i = 0; i < n; i++)
        expect("filter", MST_FLOAT32, (number)out[i], cases[c].output == MST_FILTER_RAW ? mean : 1);
}

const race_cases race_filter = {N_CASES, run};
