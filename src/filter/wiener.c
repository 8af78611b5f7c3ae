// Wiener filters: the mask comes from the spectrum itself, smoothed, and from the noise, which is given or estimated.
#include "composed.h"

#include "runtime/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES, MEDIAN, POWER, MEAN, APPLY, N_KERNELS };
struct mst_wiener {
    mst_kernel *kernels[N_KERNELS];
    cl_mem means[2], samples, deviations;
    uint64_t means_bytes, samples_bytes, deviations_bytes;
};

static size_t plane_numbers(const mst_filter *plan) { return plan->r * plan->p * mst_filter_spectrum_columns(plan); }

static bool estimates(const mst_filter *plan) { return plan->desc.noise == 0; }

// Of a plane.
static uint64_t means_bytes(const mst_filter *plan) { return plane_numbers(plan) * mst_filter_real_bytes(plan); }
static uint64_t samples_bytes(const mst_filter *plan) {
    return estimates(plan) ? MST_WIENER_SAMPLES * mst_filter_real_bytes(plan) : 0;
}

uint64_t mst_wiener_bytes(const mst_filter *plan) {
    return 2 * means_bytes(plan) + samples_bytes(plan) + mst_filter_real_bytes(plan);
}

mst_status mst_wiener_create(const mst_filter *plan, mst_wiener **out, mst_error *error) {
    static const char *const names[N_KERNELS] = {"take_samples", "find_median", "mean_of_power", "mean_along", "take_noise_off"};
    mst_status status = MST_OK;
    char options[200];
    const mst_program *program;
    mst_wiener *w = *out = calloc(1, sizeof *w);
    MST_REQUIRE(w, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    snprintf(options, sizeof options, "%s -D NUMBER=%s -D COSINE=%d -D VOLUME=%d -D N_SAMPLES=%d -D REACH=%d -D ESTIMATED=%d",
             mst_program_precision(plan->context, plan->is_double), plan->cosine ? "real" : "real2", plan->cosine,
             plan->desc.volume, MST_WIENER_SAMPLES, MST_WIENER_REACH, estimates(plan));
    MST_TRY(mst_program_of_file(plan->context, "filter: noise", "wiener.cl", options, &program, error));
    for (int k = estimates(plan) ? SAMPLES : POWER; k < N_KERNELS; k++)
        MST_TRY(mst_kernel_create(program, names[k], &w->kernels[k], error));
fail:
    return status;
}

void mst_wiener_destroy(const mst_filter *plan, mst_wiener *w) {
    if (!w)
        return;
    mst_wiener_prepare(plan, w, 0, NULL);
    for (int k = 0; k < N_KERNELS; k++)
        mst_kernel_destroy(w->kernels[k]);
    free(w);
}

static mst_status take(const mst_filter *plan, uint64_t bytes, const char *what, cl_mem *memory, uint64_t *taken,
                       mst_error *error) {
    mst_device_release(plan->context, *memory, *taken);
    *memory = NULL;
    *taken = bytes;
    return bytes > 0 ? mst_device_allocate(plan->context, CL_MEM_READ_WRITE, bytes, what, memory, error) : MST_OK;
}

mst_status mst_wiener_prepare(const mst_filter *plan, mst_wiener *w, size_t n_planes, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t before = w->means_bytes;
    MST_TRY(take(plan, n_planes * means_bytes(plan), "power", &w->means[0], &before, error));
    MST_TRY(take(plan, n_planes * means_bytes(plan), "power", &w->means[1], &w->means_bytes, error));
    MST_TRY(take(plan, n_planes * samples_bytes(plan), "samples of noise", &w->samples, &w->samples_bytes, error));
    MST_TRY(take(plan, n_planes * mst_filter_real_bytes(plan), "noise", &w->deviations, &w->deviations_bytes, error));
fail:
    return status;
}

static mst_status launch(mst_filter *plan, const mst_wiener *w, mst_queue *queue, int which, const mst_argument *arguments,
                         size_t n_arguments, size_t items, mst_error *error) {
    const mst_kernel *kernel = w->kernels[which];
    return mst_kernel_launch(queue, kernel, arguments, n_arguments, items, mst_kernel_group(plan->context, kernel, items),
                             mst_filter_timing_command(plan, MST_PART_MASK), error);
}

mst_status mst_wiener_look(mst_filter *plan, const mst_wiener *w, mst_queue *queue, size_t n_planes, mst_error *error) {
    mst_status status = MST_OK;
    const mst_planes *planes = &plan->planes;
    cl_uint pitch = (cl_uint)planes->pitch, rows = (cl_uint)planes->rows, slices = (cl_uint)planes->slices;
    cl_uint depth = (cl_uint)plan->depth, height = (cl_uint)plan->height, width = (cl_uint)plan->width;
    cl_ulong n = (cl_ulong)n_planes * MST_WIENER_SAMPLES;
    if (!estimates(plan))
        return MST_OK;
    const mst_argument sampling[] = {MST_BIND(planes, planes->buffer), MST_BIND(pitch, pitch), MST_BIND(plane_rows, rows),
                                     MST_BIND(slices, slices),         MST_BIND(depth, depth), MST_BIND(height, height),
                                     MST_BIND(width, width),           MST_BIND(n, n),         MST_BIND(samples, w->samples)};
    const mst_argument ranking[] = {MST_BIND(samples, w->samples), MST_BIND(n, n), MST_BIND(deviations, w->deviations)};
    MST_TRY(launch(plan, w, queue, SAMPLES, sampling, MST_COUNT(sampling), (size_t)n, error));
    MST_TRY(launch(plan, w, queue, MEDIAN, ranking, MST_COUNT(ranking), (size_t)n, error));
fail:
    return status;
}

static mst_status mean_along(mst_filter *plan, const mst_wiener *w, mst_queue *queue, int from, size_t length, size_t stride,
                             size_t n_planes, mst_error *error) {
    cl_uint numbers = (cl_uint)length;
    cl_ulong step = stride, n = (cl_ulong)n_planes * plane_numbers(plan);
    const mst_argument arguments[] = {MST_BIND(from, w->means[from]), MST_BIND(length, numbers), MST_BIND(stride, step),
                                      MST_BIND(n, n), MST_BIND(to, w->means[1 - from])};
    return launch(plan, w, queue, MEAN, arguments, MST_COUNT(arguments), (size_t)n, error);
}

double mst_wiener_root(const mst_filter *plan) {
    const double pixels = (double)plan->depth * (double)plan->height * (double)plan->width;
    return sqrt(plan->cosine ? pixels * (plan->desc.volume ? 8 : 4) : pixels);
}

mst_status mst_wiener_apply(mst_filter *plan, const mst_wiener *w, mst_queue *queue, size_t n_planes, cl_mem spectra,
                            mst_error *error) {
    mst_status status = MST_OK;
    const size_t width = mst_filter_spectrum_columns(plan);
    const int last = plan->desc.volume ? 0 : 1; // where the means are at last
    cl_uint slices = (cl_uint)plan->r, rows = (cl_uint)plan->p, columns = (cl_uint)width, q = (cl_uint)plan->q;
    cl_ulong plane = plane_numbers(plan), n = n_planes * plane;
    double root = mst_wiener_root(plan), given = plan->desc.noise;
    const mst_argument power[] = {MST_BIND(spectra, spectra),
                                  MST_BIND(slices, slices),
                                  MST_BIND(rows, rows),
                                  MST_BIND(columns, columns),
                                  MST_BIND(q, q),
                                  MST_BIND(root, root),
                                  MST_BIND(given, given),
                                  MST_BIND(deviations, w->deviations),
                                  MST_BIND(n, n),
                                  MST_BIND(means, w->means[0])};
    const mst_argument noise[] = {MST_BIND(spectra, spectra),
                                  MST_BIND(means, w->means[last]),
                                  MST_BIND(plane_numbers, plane),
                                  MST_BIND(root, root),
                                  MST_BIND(given, given),
                                  MST_BIND(deviations, w->deviations),
                                  MST_BIND(n, n)};
    MST_TRY(launch(plan, w, queue, POWER, power, MST_COUNT(power), (size_t)n, error));
    MST_TRY(mean_along(plan, w, queue, 0, plan->p, width, n_planes, error));
    if (plan->desc.volume)
        MST_TRY(mean_along(plan, w, queue, 1, plan->r, plan->p * width, n_planes, error));
    MST_TRY(launch(plan, w, queue, APPLY, noise, MST_COUNT(noise), (size_t)n, error));
fail:
    return status;
}
