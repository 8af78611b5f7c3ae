// The peers of filter-peers: one image filter, made of different libraries.
#ifndef BENCH_FILTER_PEERS_H
#define BENCH_FILTER_PEERS_H

#include <mastaba/mastaba.h>
#include <stdbool.h>

#define FILTER_PEER_RADIUS 0.1 // cycles per pixel, of a Gaussian low pass

enum { PEER_TEXT = 256 };

typedef struct filter_peer_job {
    size_t n;
    mst_context *context;
    cl_mem image, result;
    float *host; // the same image
} filter_peer_job;

typedef struct filter_peer {
    const char *name;
    void *(*create)(const filter_peer_job *job, char why[PEER_TEXT]); // NULL: cannot, and why
    bool (*run)(void *state, int times);                              // back to back, and waits for the last
    bool (*read)(void *state, float *to);
    void (*destroy)(void *state);
} filter_peer;

extern const filter_peer peer_fftw_filter, peer_vkfft_filter;

#endif
