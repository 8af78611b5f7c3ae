// cuFFT's plans for several GPUs, whose data lie on them and cross their own links, beside one transform of a group. Where CUDA
// is not found there is nothing beside it.
#include "group_rates.h"

#ifdef BENCH_CUFFT
#include <cuda_runtime_api.h>
#include <cufftXt.h>

static bool wait_for_all(int n) {
    bool good = true;
    for (int k = 0; k < n; k++)
        good = good && cudaSetDevice(k) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
    return good;
}

// Best of the rounds after one to warm up; negative: it failed.
static double take_time(cufftHandle plan, cudaLibXtDesc *data, int n) {
    double best = -1;
    for (int round = -1; round < GROUP_ROUNDS; round++) {
        const double start = cli_now();
        if (cufftXtExecDescriptorC2C(plan, data, data, CUFFT_FORWARD) != CUFFT_SUCCESS || !wait_for_all(n))
            return -1;
        const double seconds = cli_now() - start;
        best = round >= 0 && (best < 0 || seconds < best) ? seconds : best;
    }
    return best;
}

static double measure(int rank, int length, int n) {
    int devices[GROUP_MOST_DEVICES];
    size_t work[GROUP_MOST_DEVICES];
    cufftHandle plan;
    cudaLibXtDesc *data = NULL;
    double seconds = -1;
    for (int k = 0; k < n; k++)
        devices[k] = k;
    if (cufftCreate(&plan) != CUFFT_SUCCESS)
        return -1;
    if (cufftXtSetGPUs(plan, n, devices) == CUFFT_SUCCESS &&
        (rank == 1 ? cufftMakePlan1d(plan, length, CUFFT_C2C, 1, work)
                   : cufftMakePlan3d(plan, length, length, length, CUFFT_C2C, work)) == CUFFT_SUCCESS &&
        cufftXtMalloc(plan, &data, CUFFT_XT_FORMAT_INPLACE) == CUFFT_SUCCESS)
        seconds = take_time(plan, data, n);
    if (data)
        cufftXtFree(data);
    cufftDestroy(plan);
    return seconds;
}

void group_peer(group_run *run, int rank, size_t length) {
    int found = 0;
    if (cudaGetDeviceCount(&found) != cudaSuccess || found < run->n || run->n < 2)
        return;
    const double seconds = measure(rank, (int)length, run->n);
    if (seconds < 0)
        printf("  cuFFT on %d devices: failed\n", run->n);
    else
        printf("  cuFFT on %d devices, over their own links: %.4g ms\n", run->n, 1e3 * seconds);
    json_array_append_new(run->peers, json_pack("{s:s, s:i, s:I, s:i, s:f}", "library", "cuFFT, cufftXtSetGPUs", "rank", rank,
                                                "length", (json_int_t)length, "devices", run->n, "seconds", seconds));
}
#else
void group_peer(group_run *run, int rank, size_t length) {
    (void)run;
    (void)rank;
    (void)length;
}
#endif
