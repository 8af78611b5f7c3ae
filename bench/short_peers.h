// What bench/short-kernels compares with: convolutions with one kernel for all composed of other libraries' transforms of real
// numbers, padded with zeros to lengths of small factors. The kernel is transformed once, before the time starts.
#ifndef BENCH_SHORT_PEERS_H
#define BENCH_SHORT_PEERS_H

#include <mastaba/mastaba.h>
#include <stdbool.h>
#include <stddef.h>

// Float32, mode same.
typedef struct short_case {
    size_t batch, height, width, tap_rows, tap_columns; // height 0: signals
    bool product;                                       // the kernel is a column times a row
} short_case;

typedef struct short_peer {
    const char *name;
    bool (*applies)(mst_context *context);
    void *(*create)(const short_case *c, const float *x, const float *taps, unsigned n_threads); // NULL: cannot
    bool (*run)(void *state, int times);                                                         // and waits for the last
    bool (*read)(void *state, float *to);
    void (*destroy)(void *state);
} short_peer;

extern const short_peer short_peer_fftw;
#ifdef BENCH_CUBLAS
extern const short_peer short_peer_cufft;
#define SHORT_CUFFT (&short_peer_cufft)
#else
#define SHORT_CUFFT NULL
#endif

// How the arrays of a composition lie: images (signals: of one row) padded to rows by columns, spectra of half the columns.
typedef struct short_padding {
    size_t height, first_row, first_column; // of the results in the padded image
    size_t rows, columns, half, points, spectrum;
} short_padding;

short_padding short_padding_of(const short_case *c);
void short_pad_taps(const short_case *c, const short_padding *p, const float *taps, float *to); // and divides by the points

#endif
