// What the peers on OpenCL share: they work on the job's buffers.
#ifndef BENCH_OPENCL_PEER_H
#define BENCH_OPENCL_PEER_H

#include "peers.h"

// The first member of such a peer's state.
typedef struct opencl_peer {
    const bench_job *job;
    cl_command_queue queue;
} opencl_peer;

opencl_peer opencl_peer_for(const bench_job *job);
bool opencl_peer_load(void *state);
bool opencl_peer_read(void *state, size_t offset, size_t n_bytes, void *to);

// Seconds that an empty kernel takes, of many one after the other; 0 where it cannot be made.
double opencl_launch_seconds(mst_context *context);

// A buffer as large as one of the job's arrays; NULL on failure.
cl_mem opencl_peer_buffer(const bench_job *job);

// The step of a composition between the transforms: a[i] *= scale * b[i] over an array of the job.
cl_kernel opencl_product_create(const bench_job *job, char why[PEER_TEXT]);
bool opencl_product_enqueue(const bench_job *job, cl_kernel product, cl_mem a, cl_mem b, double scale);

#endif
