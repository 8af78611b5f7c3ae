// The right answer to a job, by FFTW in double, for some of its vectors: the first, the last, and as many between as time allows.
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include "peers.h"

typedef struct bench_reference bench_reference;

// NULL: out of memory.
bench_reference *reference_create(const bench_job *job);
void reference_destroy(bench_reference *reference);

// The worst vector's L2 error, relative to the norm of a transform or to the product of the operands' norms. Not a number if the
// peer left one, or cannot be read.
double reference_error(const bench_reference *reference, const bench_peer *peer, void *state);

#endif
