// fft-peers: Mastaba's transforms beside those of FFTW, VkFFT, clFFT and cuFFT; and with kernels of CPUs that are written for
// the length, which Mastaba would not choose.
#include "harness.h"

static const peer_entry entries[] = {
    {"mastaba", "", &peer_mastaba_fft, true, true},
    {"specialised", "", &peer_specialised_fft, false, false},
    {"fftw", "FFTW (libfftw3-dev)", &peer_fftw_fft, true, false},
    {"vkfft", "VkFFT (libvkfft-dev, or MASTABA_VKFFT_DIR)", VKFFT_PEER(peer_vkfft_fft), true, true},
    {"clfft", "clFFT (libclfft-dev)", CLFFT_PEER(peer_clfft_fft), true, true},
    {"cufft", "cuFFT (CUDA toolkit)", CUFFT_PEER(peer_cufft_fft), false, true},
    {NULL, NULL, NULL, false, false},
};

int main(int argc, const char **argv) {
    const bench_program bench = {
        "fft-peers", "Transforms of batches of arrays", OPERATION_FFT, "2^4..2^20", "2^5..2^24", fft_suite, entries};
    return bench_main(&bench, argc, argv);
}
