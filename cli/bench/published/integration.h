// The published speed-ups of the rectangle rule (Burtsev: numerical integration on OpenCL): NVIDIA GTX 1050 Ti against one core
// of an Intel i3-2100, single precision, N = 2^10 .. 2^24.
#ifndef MASTABA_PAPER_INTEGRATION_H
#define MASTABA_PAPER_INTEGRATION_H

enum { PAPER_N_SIZES = 15 };

typedef struct paper_integration {
    double k1, k2; // of a whole call, and of its kernels
} paper_integration;

extern const paper_integration paper_integrations[2][PAPER_N_SIZES]; // sin(x^2), exp(-x^2)

#endif
