// What the benchmarks compare: libraries that do one job on the same data, each behind the same few functions.
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <mastaba/mastaba.h>
#include <stdbool.h>

enum { PEER_TEXT = 256 };

typedef enum operation {
    OPERATION_FFT,        // output = the transform of each array of x, not scaled
    OPERATION_CONVOLUTION // output = the circular convolution of each vector of x with the same one of y
} operation;

// What is transformed: n_vectors dense arrays of one to three axes, all transformed, one after the other or, as columns (one
// axis), side by side. Convolutions: complex, one axis.
typedef struct bench_case {
    int rank;
    size_t shape[MST_MAX_AXES];
    size_t n, n_vectors; // n: points of one
    bool is_double;
    bool is_real; // real on one side: the input or, inverse, the output; the complex side has n/2 + 1 along the last axis
    bool inverse; // not scaled
    bool columns;
    bool in_place; // x is copied to the output before the time starts, and transformed there
} bench_case;

// The arrays on the device and their copies on the host are the same random numbers; spectra of real numbers are 0 where others
// would have to be related.
typedef struct bench_job {
    operation operation;
    bench_case what;
    size_t bytes, output_bytes; // of x (and y), and of the output
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

extern const bench_peer peer_mastaba_fft, peer_specialised_fft, peer_mastaba_convolution;
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

static inline size_t job_element_bytes(const bench_job *job) { return job->what.is_double ? 16 : 8; }

// Complex numbers of one array of a real transform's complex side, and whether the input or output is real.
static inline size_t case_half(const bench_case *w) {
    size_t last = w->shape[w->rank - 1];
    return w->n / last * (last / 2 + 1);
}
static inline bool case_real_in(const bench_case *w) { return w->is_real && !w->inverse; }
static inline bool case_real_out(const bench_case *w) { return w->is_real && w->inverse; }

// Real numbers that one array of the input, or of the output, consists of.
static inline size_t case_reals(const bench_case *w, bool output) {
    bool real = output ? case_real_out(w) : case_real_in(w);
    return real ? w->n : 2 * (w->is_real ? case_half(w) : w->n);
}
static inline size_t case_bytes(const bench_case *w, bool output) {
    return case_reals(w, output) * w->n_vectors * (w->is_double ? sizeof(double) : sizeof(float));
}

static inline bool case_is_plain(const bench_case *w) { return w->rank == 1 && !w->is_real && !w->inverse && !w->columns; }

#endif
