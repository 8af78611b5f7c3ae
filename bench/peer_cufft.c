// cuFFT, on the CUDA device that the OpenCL device is.
#include "cufft_peer.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#define DEVICE_PCI_BUS_ID_NV 0x4008 // cl_nv_device_attribute_query
#define DEVICE_PCI_SLOT_ID_NV 0x4009
#define DEVICE_PCI_DOMAIN_ID_NV 0x400A

bool cufft_peer_applies(mst_context *context) {
    cl_device_id id = mst_context_device(context)->device;
    cl_uint bus, slot, domain;
    char address[32];
    int device;

    if (clGetDeviceInfo(id, DEVICE_PCI_BUS_ID_NV, sizeof bus, &bus, NULL) != CL_SUCCESS ||
        clGetDeviceInfo(id, DEVICE_PCI_SLOT_ID_NV, sizeof slot, &slot, NULL) != CL_SUCCESS)
        return false;
    if (clGetDeviceInfo(id, DEVICE_PCI_DOMAIN_ID_NV, sizeof domain, &domain, NULL) != CL_SUCCESS)
        domain = 0;
    snprintf(address, sizeof address, "%04x:%02x:%02x.0", domain, bus, slot >> 3); // slot: device * 8 + function
    if (cudaDeviceGetByPCIBusId(&device, address) != cudaSuccess) {                // a virtual machine may show two addresses
        cudaGetLastError();
        if (cudaGetDeviceCount(&device) != cudaSuccess || device != 1)
            return false;
        device = 0;
    }
    return cudaSetDevice(device) == cudaSuccess;
}

void cufft_peer_version(char text[PEER_TEXT]) {
    int fft = 0, driver = 0;
    cufftGetVersion(&fft);
    cudaDriverGetVersion(&driver);
    snprintf(text, PEER_TEXT, "%d.%d.%d, CUDA driver %d.%d", fft / 1000, fft / 100 % 10, fft % 100, driver / 1000,
             driver / 10 % 100);
}

bool cufft_peer_allocate(const bench_job *job, void **array, const void *data) {
    return cudaMalloc(array, data ? job->bytes : job->output_bytes) == cudaSuccess &&
           (!data || cudaMemcpy(*array, data, job->bytes, cudaMemcpyHostToDevice) == cudaSuccess);
}

static cufftType type_of(const bench_case *w) {
    if (case_real_in(w))
        return w->is_double ? CUFFT_D2Z : CUFFT_R2C;
    if (case_real_out(w))
        return w->is_double ? CUFFT_Z2D : CUFFT_C2R;
    return w->is_double ? CUFFT_Z2Z : CUFFT_C2C;
}

bool cufft_peer_create(cufft_peer *peer, const bench_job *job, char why[PEER_TEXT]) {
    const bench_case *w = &job->what;
    int shape[MST_MAX_AXES], batch = (int)w->n_vectors, stride = w->columns ? batch : 1;
    int *embedded = w->columns ? shape : NULL, distance = w->columns ? 1 : (int)w->n;

    for (int k = 0; k < w->rank; k++)
        shape[k] = (int)w->shape[k];
    peer->job = job;
    if (!cufft_peer_allocate(job, &peer->x, job->host_x) || !cufft_peer_allocate(job, &peer->output, NULL)) {
        snprintf(why, PEER_TEXT, "%s", cudaGetErrorString(cudaGetLastError()));
        return false;
    }
    cufftResult result =
        cufftPlanMany(&peer->plan, w->rank, shape, embedded, stride, distance, embedded, stride, distance, type_of(w), batch);
    peer->has_plan = result == CUFFT_SUCCESS;
    if (!peer->has_plan)
        snprintf(why, PEER_TEXT, "cuFFT error %d", (int)result);
    return peer->has_plan;
}

void cufft_peer_free(cufft_peer *peer) {
    if (peer->has_plan)
        cufftDestroy(peer->plan);
    cudaFree(peer->x);
    cudaFree(peer->output);
    cudaGetLastError(); // forget what made it fail
}

bool cufft_peer_load(void *state) {
    cufft_peer *p = state;
    cudaError_t result = p->job->what.in_place ? cudaMemcpy(p->output, p->x, p->job->bytes, cudaMemcpyDeviceToDevice)
                                               : cudaMemset(p->output, 0xff, p->job->output_bytes);
    return result == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
}

bool cufft_peer_read(void *state, size_t offset, size_t n_bytes, void *to) {
    cufft_peer *p = state;
    return cudaMemcpy(to, (char *)p->output + offset, n_bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
}

bool cufft_peer_transform(cufft_peer *peer, void *from, void *to, int direction) {
    const bench_case *w = &peer->job->what;
    if (case_real_in(w))
        return (w->is_double ? cufftExecD2Z(peer->plan, from, to) : cufftExecR2C(peer->plan, from, to)) == CUFFT_SUCCESS;
    if (case_real_out(w))
        return (w->is_double ? cufftExecZ2D(peer->plan, from, to) : cufftExecC2R(peer->plan, from, to)) == CUFFT_SUCCESS;
    return (w->is_double ? cufftExecZ2Z(peer->plan, from, to, direction) : cufftExecC2C(peer->plan, from, to, direction)) ==
           CUFFT_SUCCESS;
}

static void destroy(void *state) {
    cufft_peer_free(state);
    free(state);
}

static void *create(const bench_job *job, char why[PEER_TEXT]) {
    cufft_peer *p = calloc(1, sizeof *p);
    if (!p)
        snprintf(why, PEER_TEXT, "out of memory");
    if (!p || cufft_peer_create(p, job, why))
        return p;
    destroy(p);
    return NULL;
}

static bool run(void *state, int times) {
    cufft_peer *p = state;
    const bench_case *w = &p->job->what;
    for (int i = 0; i < times; i++)
        if (!cufft_peer_transform(p, w->in_place ? p->output : p->x, p->output, w->inverse ? CUFFT_INVERSE : CUFFT_FORWARD))
            return false;
    return cudaDeviceSynchronize() == cudaSuccess;
}

const bench_peer peer_cufft_fft = {"cufft", cufft_peer_applies, cufft_peer_version, create, cufft_peer_load, run, cufft_peer_read,
                                   destroy};
