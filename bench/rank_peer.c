// FFTW-MPI's transform of the same array: slabs, complex64, out of place, transposed output.
#include "rank_rates.h"

#ifdef BENCH_FFTW_MPI
#include <fftw3-mpi.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rank_peer {
    fftwf_plan plan;
    fftwf_complex *in, *out;
    size_t n_in, n_out; // complex numbers of this rank
};

mst_status rank_peer_create(const size_t shape[3], rank_peer **out, mst_error *error) {
    static bool begun = false; // it is begun once a process
    ptrdiff_t n0, start0, n1, start1;
    rank_peer *p = calloc(1, sizeof *p);
    *out = p;
    if (!p)
        return rank_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for FFTW's plan");
    if (!begun)
        fftwf_mpi_init();
    begun = true;
    ptrdiff_t n = fftwf_mpi_local_size_3d_transposed((ptrdiff_t)shape[0], (ptrdiff_t)shape[1], (ptrdiff_t)shape[2],
                                                     MPI_COMM_WORLD, &n0, &start0, &n1, &start1);
    p->n_in = (size_t)n0 * shape[1] * shape[2];
    p->n_out = (size_t)n1 * shape[0] * shape[2];
    p->in = fftwf_alloc_complex((size_t)n);
    p->out = fftwf_alloc_complex((size_t)n);
    if (!p->in || !p->out)
        return rank_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for FFTW's arrays");
    p->plan = fftwf_mpi_plan_dft_3d((ptrdiff_t)shape[0], (ptrdiff_t)shape[1], (ptrdiff_t)shape[2], p->in, p->out, MPI_COMM_WORLD,
                                    FFTW_FORWARD, FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
    return p->plan ? MST_OK : rank_fail(error, MST_ERROR_UNSUPPORTED, "FFTW-MPI makes no plan");
}

mst_status rank_peer_run(void *peer, mst_error *error) {
    (void)error;
    fftwf_execute(((rank_peer *)peer)->plan);
    return MST_OK;
}

double rank_peer_compare(rank_peer *p, const float *input, const float *output, size_t n) {
    const float *theirs = (const float *)p->out;
    double sums[2] = {0, 0};
    memcpy(p->in, input, p->n_in * sizeof *p->in);
    fftwf_execute(p->plan);
    for (size_t i = 0; i < 2 * n && n == p->n_out; i++) {
        double difference = (double)output[i] - (double)theirs[i];
        sums[0] += difference * difference;
        sums[1] += (double)theirs[i] * (double)theirs[i];
    }
    sums[0] += n == p->n_out ? 0 : INFINITY;
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(sums[0] / sums[1]);
}

void rank_peer_destroy(rank_peer *p) {
    if (!p)
        return;
    if (p->plan)
        fftwf_destroy_plan(p->plan);
    fftwf_free(p->in);
    fftwf_free(p->out);
    free(p);
}
#else
mst_status rank_peer_create(const size_t shape[3], rank_peer **out, mst_error *error) {
    (void)shape;
    (void)error;
    *out = NULL;
    return MST_OK;
}
mst_status rank_peer_run(void *peer, mst_error *error) {
    (void)peer;
    return rank_fail(error, MST_ERROR_UNSUPPORTED, "this is built without FFTW-MPI");
}
double rank_peer_compare(rank_peer *peer, const float *input, const float *output, size_t n) {
    (void)peer;
    (void)input;
    (void)output;
    (void)n;
    return 0;
}
void rank_peer_destroy(rank_peer *peer) { (void)peer; }
#endif
