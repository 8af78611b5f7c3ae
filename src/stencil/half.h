// float16 (IEEE 754 binary16) on the host, as bits.
#ifndef MST_STENCIL_HALF_H
#define MST_STENCIL_HALF_H

#include <stddef.h>
#include <stdint.h>

// To nearest, ties to even; from 65520 on infinity. NaN stays NaN.
void mst_halves_of_floats(const float *from, size_t n, uint16_t *to);
void mst_floats_of_halves(const uint16_t *from, size_t n, float *to); // exact

#endif
