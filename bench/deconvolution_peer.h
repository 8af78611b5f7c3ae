// Richardson-Lucy as one composes it of VkFFT's transforms, for deconvolution-rates.
#ifndef BENCH_DECONVOLUTION_PEER_H
#define BENCH_DECONVOLUTION_PEER_H

#include <mastaba/mastaba.h>
#include <stdbool.h>

typedef struct deconvolution_peer deconvolution_peer;

// A float32 volume with circular edges, depth x height x width, the width even. `psf` is h with its centre at the origin. NULL:
// it cannot, or memory is not enough, which is said on stderr.
deconvolution_peer *deconvolution_peer_create(mst_context *context, const size_t shape[3], const float *psf);
// So many iterations from a flat estimate, `seen` and the result being dense. Waits for the end.
bool deconvolution_peer_run(deconvolution_peer *peer, cl_mem seen, cl_mem result, float start, int iterations);
void deconvolution_peer_destroy(deconvolution_peer *peer); // accepts NULL

#endif
