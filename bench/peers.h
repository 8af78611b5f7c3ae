// What the benchmarks compare: libraries that do one job on the same data, each behind the same few functions.
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <mastaba/mastaba.h>
#include <stdbool.h>

enum { PEER_TEXT = 256 };

typedef enum operation {
    OPERATION_FFT,        // output = the forward transform of each vector of x, not scaled
    OPERATION_CONVOLUTION // output = the circular convolution of each vector of x with the same one of y
} operation;

// Dense complex vectors, one after the other. The arrays on the device and their copies on the host are the same random numbers.
typedef struct bench_job {
    operation operation;
    size_t n, n_vectors;
    size_t bytes; // of one array
    bool is_double;
    bool in_place; // transforms: x is copied to the output before the time starts, and transformed there
    unsigned n_threads;
    mst_context *context; // the device and its queue, for everything in OpenCL
    cl_mem x, y, output;  // only output is written
    const void *host_x, *host_y;
} bench_job;

typedef struct bench_peer {
    const char *name;
    bool (*applies)(mst_context *context); // NULL: to every device
    void (*version)(char text[PEER_TEXT]);
    void *(*create)(const bench_job *job, char why[PEER_TEXT]);         // NULL: cannot do this job, and why
    bool (*load)(void *state);                                          // makes ready for run(), the output no numbers
    bool (*run)(void *state, int times);                                // back to back, and waits for the last
    bool (*read)(void *state, size_t offset, size_t n_bytes, void *to); // of the output that the last run left
    void (*destroy)(void *state);
} bench_peer;

extern const bench_peer peer_mastaba_fft, peer_mastaba_convolution;
extern const bench_peer peer_fftw_fft, peer_fftw_composition;
extern const bench_peer peer_vkfft_fft, peer_vkfft_composition, peer_vkfft_convolution;
extern const bench_peer peer_clfft_fft, peer_clfft_composition;
extern const bench_peer peer_cufft_fft, peer_cufft_composition;

// A peer where its library was found, else NULL.
#ifdef BENCH_VKFFT
#define VKFFT_PEER(p) (&(p))
#else
#define VKFFT_PEER(p) NULL
#endif
#ifdef BENCH_CLFFT
#define CLFFT_PEER(p) (&(p))
#else
#define CLFFT_PEER(p) NULL
#endif
#ifdef BENCH_CUFFT
#define CUFFT_PEER(p) (&(p))
#else
#define CUFFT_PEER(p) NULL
#endif
#ifdef BENCH_CUBLAS
#define CUBLAS_PEER(p) (&(p))
#else
#define CUBLAS_PEER(p) NULL
#endif

static inline size_t job_element_bytes(const bench_job *job) { return job->is_double ? 16 : 8; }

#endif
