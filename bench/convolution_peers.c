// convolution-peers: Mastaba's circular convolution of pairs of vectors beside what can be made of the other libraries.
#include "harness.h"

static const peer_entry entries[] = {
    {"mastaba", "", &peer_mastaba_convolution, true, true},
    {"fftw-composition", "FFTW (libfftw3-dev)", &peer_fftw_composition, true, false},
    {"vkfft-composition", "VkFFT (libvkfft-dev, or MASTABA_VKFFT_DIR)", VKFFT_PEER(peer_vkfft_composition), true, true},
    {"vkfft-convolution", "VkFFT (libvkfft-dev, or MASTABA_VKFFT_DIR)", VKFFT_PEER(peer_vkfft_convolution), true, true},
    {"clfft-composition", "clFFT (libclfft-dev)", CLFFT_PEER(peer_clfft_composition), false, false},
    {"cufft-composition", "cuFFT and cuBLAS (CUDA toolkit)", CUBLAS_PEER(peer_cufft_composition), false, true},
    {NULL, NULL, NULL, false, false},
};

int main(int argc, const char **argv) {
    const bench_program bench = {"convolution-peers",
                                 "Circular convolutions of pairs of vectors",
                                 OPERATION_CONVOLUTION,
                                 "2^5..2^13",
                                 "2^5..2^13",
                                 NULL,
                                 entries};
    return bench_main(&bench, argc, argv);
}
