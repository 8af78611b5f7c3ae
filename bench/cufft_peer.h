// What the peers on cuFFT share. The product of a composition is cuBLAS's, so that no compiler for CUDA is needed.
#ifndef BENCH_CUFFT_PEER_H
#define BENCH_CUFFT_PEER_H

#include "peers.h"

#include <cufft.h>

// The first member of such a peer's state.
typedef struct cufft_peer {
    const bench_job *job;
    void *x, *output; // on the device
    cufftHandle plan;
    bool has_plan;
} cufft_peer;

// Whether the device is a CUDA device too; makes it current.
bool cufft_peer_applies(mst_context *context);
void cufft_peer_version(char text[PEER_TEXT]);
bool cufft_peer_allocate(const bench_job *job, void **array, const void *data); // data: NULL, or what it holds at first
bool cufft_peer_create(cufft_peer *peer, const bench_job *job, char why[PEER_TEXT]);
void cufft_peer_free(cufft_peer *peer); // what it holds, not itself
bool cufft_peer_load(void *state);
bool cufft_peer_read(void *state, size_t offset, size_t n_bytes, void *to);
bool cufft_peer_transform(cufft_peer *peer, void *from, void *to, int direction);

#endif
