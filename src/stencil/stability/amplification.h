// What a step multiplies a plane wave by (von Neumann analysis): with frozen coefficients a linear scheme takes the wave
// a exp(i k.x), a the vector of all fields and levels, to G a exp(i k.x) with the amplification matrix G(k; dt).
#ifndef MST_STENCIL_AMPLIFICATION_H
#define MST_STENCIL_AMPLIFICATION_H

#include "eigenvalues.h"
#include "frozen.h"

typedef struct mst_amplification {
    const mst_open_scheme *scheme;
    const mst_frozen *frozen; // of the factors that are held
    double time_step;
    double factors[MST_STENCIL_MAX_FIELDS][MST_STENCIL_MAX_LEAVES]; // an update, a leaf
} mst_amplification;

// The largest eigenvalue of G for a wave whose phase grows by wave[axis] radians a node; false if it is not finite.
bool mst_amplification_largest(mst_amplification *a, const mst_frozen *frozen, double time_step, const double wave[N_AXES],
                               double complex *largest);

#endif
